"""The right button on a panel and in the inspector: what can be done to the head of a run and to a pair."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from PySide6.QtCore import QCoreApplication, QPoint
from PySide6.QtWidgets import QWidget

from bertviz_app.options import Run
from bertviz_app.viewmodels.inspected import Inspected
from bertviz_app.viewmodels.interventions import RunInterventions
from bertviz_app.viewmodels.options import Selection
from bertviz_app.viewmodels.panels import Panel
from bertviz_app.views.kit.menus import Item, MenuOf
from bertviz_app.views.panels.area import PanelArea
from bertviz_app.views.tokens.intervention_items import ask_for_weight, head_items, with_heading


class PanelMenu(MenuOf):
    """The pair is the one under the pointer, else the pinned one."""

    def __init__(
        self,
        area: PanelArea,
        interventions: Mapping[Run, RunInterventions],
        selections: Mapping[Run, Selection],
    ) -> None:
        super().__init__(area)
        self._area, self._interventions, self._selections = area, interventions, selections

    def items_at(self, at: QPoint) -> list[Item]:
        """Return what can be done in the panel at a position of the area."""
        cards = self._area.cards.values()
        card = next((card for card in cards if card.geometry().contains(at)), None)
        return [] if card is None else self.items(card.panel)

    def items(self, panel: Panel) -> list[Item]:
        """Return (text, what it does) of what can be done in a panel; nothing in one of a difference."""
        if panel.run not in self._interventions or not panel.kind.is_of_head:
            return []
        pair, at = self._selections[panel.run].shown, (panel.layer, panel.head)
        items = pair_items(self._area, self._interventions[panel.run], at, pair.query, pair.key)
        return with_heading(items, panel.run, self._interventions)


class InspectorMenu(MenuOf):
    """The head and the pair are those that the inspector explains."""

    def __init__(
        self, view: QWidget, interventions: Mapping[Run, RunInterventions], inspected: Inspected
    ) -> None:
        super().__init__(view)
        self._view, self._interventions, self._inspected = view, interventions, inspected

    def items_at(self, at: QPoint) -> list[Item]:
        """Return what can be done to the pair that is explained, anywhere in the view."""
        pair = self._inspected.pair
        if pair is None or pair.run not in self._interventions:
            return []
        of_head, of_run = (pair.layer, pair.head), self._interventions[pair.run]
        items = pair_items(self._view, of_run, of_head, pair.numbers.query, pair.numbers.key)
        return with_heading(items, pair.run, self._interventions)


def pair_items(
    view: QWidget, interventions: RunInterventions, at: tuple[int, int], query: int | None, key: int | None
) -> list[Item]:
    """Return what can be done to a (layer, head) of a run and, if there is one, to a pair of tokens in it."""
    tokens = interventions.tokens
    if not interventions.is_possible or tokens is None:
        return []
    items = head_items(interventions, *at)
    if query is None or key is None or max(query, key) >= len(tokens):
        return items
    translate, names = QCoreApplication.translate, (tokens.labels[query], tokens.labels[key])

    def ask() -> None:
        weight = interventions.weight(*at, query, key)
        if weight is None:
            return
        words = translate(
            "PanelMenu",
            "Weight with which {0} attends to {1} in head {2}·{3}, from 0 to 1.\n"
            "The other weights of the row keep their proportions; the row still adds up to 1.",
        ).format(*names, *at)
        put = partial(interventions.set_weight, at, query, key)
        ask_for_weight(view, translate("PanelMenu", "Set this weight"), words, weight, put)

    return [(translate("PanelMenu", "Set the weight {0} → {1} …").format(*names), ask), ("", None), *items]
