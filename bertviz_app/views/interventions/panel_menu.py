"""`PanelMenu`: on a panel of run A, the right button offers what can be done to its head and to a pair."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QContextMenuEvent

from bertviz_app.text import Tokens
from bertviz_app.viewmodels.interventions.interventions import Interventions
from bertviz_app.viewmodels.panels import Panel
from bertviz_app.viewmodels.selection import Selection
from bertviz_app.views.kit.canvas import guarded
from bertviz_app.views.panels.area import PanelArea
from bertviz_app.views.tokens.edit_menus import open_menu
from bertviz_app.views.tokens.intervention_items import Item, ask_for_weight, head_items


class PanelMenu(QObject):
    """The pair is the one under the pointer, else the pinned one."""

    def __init__(self, area: PanelArea, interventions: Interventions, selection: Selection) -> None:
        super().__init__(area)
        self._area, self._interventions, self._selection = area, interventions, selection
        area.installEventFilter(self)

    @guarded(default=False)
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if not isinstance(event, QContextMenuEvent):
            return False
        cards = self._area.cards.values()
        card = next((card for card in cards if card.geometry().contains(event.pos())), None)
        items = [] if card is None else self.items(card.panel)
        if not items:
            return False
        open_menu(self._area, items, event.globalPos())
        return True

    def items(self, panel: Panel) -> list[Item]:
        """Return (text, what it does) of what can be done in a panel; nothing in one of another run."""
        if panel.run != "A" or not panel.kind.is_of_head or not self._interventions.is_possible:
            return []
        pair, at = self._selection.shown, (panel.layer, panel.head)
        items = head_items(self._interventions, *at)
        tokens = self._interventions.tokens
        if tokens is None or pair.query is None or pair.key is None:
            return items
        if max(pair.query, pair.key) >= len(tokens):
            return items
        words = self.tr("Set the weight {0} → {1} …").format(
            tokens.labels[pair.query], tokens.labels[pair.key]
        )
        return [(words, partial(self._ask, at, pair.query, pair.key, tokens)), ("", None), *items]

    def _ask(self, at: tuple[int, int], query: int, key: int, tokens: Tokens) -> None:
        weight = self._interventions.weight(*at, query, key)
        if weight is None:
            return
        words = self.tr(
            "Weight with which {0} attends to {1} in head {2}·{3}, from 0 to 1.\n"
            "The other weights of the row keep their proportions; the row still adds up to 1."
        ).format(tokens.labels[query], tokens.labels[key], *at)
        put = partial(self._interventions.set_weight, at, query, key)
        ask_for_weight(self._area, self.tr("Set this weight"), words, weight, put)
