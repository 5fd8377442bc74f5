"""The card around the overview: its menus and buttons, and which of two runs it shows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Literal, TypeVar

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QMenu, QPushButton, QScrollArea, QWidget

from bertviz_app.analysis.attention.stamp import WEIGHTS
from bertviz_app.analysis.measures import UNITS, HeadOverview, MeasureKey
from bertviz_app.options import RUNS, Run
from bertviz_app.text.tokens import SpecialNames
from bertviz_app.viewmodels.inspected import PairDifference, PairInHeads
from bertviz_app.viewmodels.overview import passes
from bertviz_app.viewmodels.panels import Panels
from bertviz_app.viewmodels.runs.comparison import Comparison
from bertviz_app.viewmodels.state import ATTENTION, PAIR, Order, Shows, Store, change_overview
from bertviz_app.viewmodels.wording import sample_line, stamp_remark
from bertviz_app.views.kit.card import Card, Elided, Segments
from bertviz_app.views.kit.look import Look, in_column, in_row, named
from bertviz_app.views.kit.widgets import (
    NumberField,
    SignButton,
    WrappingRow,
    scrolled,
    set_shown,
    show_words,
)
from bertviz_app.views.kit.words import add_choice, without_mnemonic
from bertviz_app.views.overview.heads_table import NO_HEADS, PairButton, measure_words, shortened, unit_word
from bertviz_app.views.overview.view import DivergenceView, OverviewView


class SampleRow(QWidget):
    """A line below the cells, hidden where all of them are exact; `button` stops or resumes the rest."""

    def __init__(self) -> None:
        super().__init__()
        self.words = named(Elided(), "secondary")
        self.button = named(QPushButton(), "plain")
        in_row((self.words, 1), self.button, of=self, margins=(8, 0, 8, 4), spacing=6)
        self.hide()

    def show_sample(self, overview: HeadOverview | None, *, is_stopped: bool) -> None:
        """Say how much of `overview` is a sample, and whether the rest is being computed."""
        self.setVisible(overview is not None and overview.sample is not None)
        line = "" if overview is None else sample_line(overview)
        about = self.tr("The layers without ≈ are exact; numbers of the others follow.")
        if is_stopped:
            about = self.tr("The layers without ≈ are exact; the others were stopped.")
        self.words.setText(line)
        self.words.setToolTip(f"{line}. {about}")
        self.button.setText(self.tr("Go on") if is_stopped else self.tr("Stop"))
        self.button.setToolTip(
            self.tr("Compute the numbers of all queries")
            if is_stopped
            else self.tr("Leave the other layers as samples")
        )


_COMPACT_BELOW = 470
_LONGEST = 22
_ENDS = {"weight": 1.0, "bits": 14.0, "tokens": 9999.0}

_Key = TypeVar("_Key", bound=str)


class OverviewCard(Card):
    """The view, with a menu of what to show in the header and the order and the filter above the cells.

    `pair`, a button: shows the pinned pair's weight in every head, or what was shown before. `stamp`, a line:
    which numbers of attention the cells are made of, where these are not all weights.
    """

    def __init__(self, look: Look, panels: Panels) -> None:
        super().__init__("", QWidget())
        store = self.store = panels.store
        self._has_choices = True
        self.view = self.drawing = OverviewView(look, panels)
        per_head = self.tr("Per head"), self.tr("Each head by its largest weight in runs A and B (S)")
        alike = self.tr("Shared"), self.tr("All heads on one scale from 0 to 1 (S)")
        self.scales = Segments([("head", *per_head), ("alike", *alike)])
        self.shows = _menu_button()
        self.pair = PairButton()
        self.order = _menu_button()
        self.filter = FilterRow(store)
        self.sample = SampleRow()
        self.stamp = named(QLabel(wordWrap=True), "note")
        self.add_switch(self.shows)
        area = scrolled(self.view)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.bar = WrappingRow((self.pair, self.order, self.filter.button, self.scales))
        in_column(
            self.bar, self.filter, self.stamp, (area, 1), self.sample, of=self.body, margins=0, spacing=0
        )
        self.scales.chosen.connect(lambda key: change_overview(store, is_per_head=key == "head"))
        self.pair.clicked.connect(lambda is_down: change_overview(store, shows_pair=is_down))
        store.watch(("overview",), self._show)
        self.title.setText(self.tr("Overview"))
        self.shows.setToolTip(self.tr("What each cell shows (Shift+S goes through them)"))
        self.order.setToolTip(self.tr("The order of the cells"))
        self.pair.setToolTip(
            self.tr("Show how much weight every head gives this pair, or what was shown before (Shift+P)")
        )
        self._show()

    def show_overview(
        self, overview: HeadOverview, beside: HeadOverview | None = None, run: Run = "A"
    ) -> None:
        """Show the heads of another result, see `OverviewView.show_overview`."""
        before, pair = self.filter.special_names, self.view.shown_pair
        is_alike = self.view.overview.stamp == overview.stamp
        self.view.show_overview(overview, beside, run)
        self.filter.show_measures(overview)
        if before != overview.special_names or not is_alike or self.view.shown_pair is not pair:
            self._show()  # a pair that was pinned before may be one of these heads only

    def show_pair(self, pair: PairInHeads | None) -> None:
        """Offer the pinned pair of tokens, or none, and show it if the options say so."""
        self.view.show_pair(pair)
        self._show()

    def set_choices_shown(self, is_shown: bool) -> None:
        """Show or hide what chooses the cells' contents: of the difference of two runs there is but one."""
        self._has_choices = is_shown
        self.shows.setVisible(is_shown)
        self.scales.setVisible(is_shown and self._is_attention)
        self._show_qualifier()

    def _show_qualifier(self) -> None:
        words = self.tr("layers down, heads across")
        if self.view.choice.order(has_pair=self.view.pair is not None) and self._has_choices:
            words = self.tr("layer·head, largest first")
        self.qualifier.setText(words)
        show_words(self.stamp, stamp_remark(self.view.overview.stamp) if self._has_choices else "")

    def height_for(self, width: int) -> int:
        """Return the height in which all layers have room, without the header."""
        self._fit(width)
        rows = sum(row.sizeHint().height() for row in (self.filter, self.sample) if row.isVisibleTo(self))
        stamp = self.stamp.heightForWidth(width) if self.stamp.isVisibleTo(self) else 0
        return self.view.heightForWidth(width) + self.bar.height_for(width) + rows + stamp

    @Slot()
    def _show(self) -> None:
        names_of = self.filter.special_names
        choice, words = self.view.choice, measure_words(names_of)
        is_weight = self.view.overview.stamp.numbers == "weight"
        shown: dict[Shows, str] = {
            ATTENTION: self.tr("Attention") if is_weight else self.tr("Norms"),
            **{key: word.title for key, word in words.items()},
        }
        self.shows.setText(shown[choice.shows])
        self.shows.setAccessibleName(self.tr("Cells show: {0}").format(self.shows.text()))
        self.scales.setVisible(self._is_attention and self._has_choices)
        self.scales.choose("head" if choice.is_per_head else "alike")
        store, view = self.store, self.view
        _fill(
            self.shows,
            shown,
            choice.shows,
            lambda shows: change_overview(
                store, shows=shows, shows_pair=view.choice.shows_pair and view.shown_pair is None
            ),
        )
        pair = self.view.pair
        ordered: dict[Order, str] = {"": self.tr("by layer and head")}
        ordered |= {key: word.title for key, word in words.items()}
        if pair is not None:
            ordered[PAIR] = pair.title
        order = choice.order(has_pair=pair is not None)
        _fill(self.order, ordered, order, lambda order: change_overview(store, ordered_by=order))
        by = ordered[order] if order == PAIR else chosen_name(order, names_of, is_brief=self.filter.is_brief)
        brief = without_mnemonic(shortened(by, _LONGEST))
        self.order.setText(f"{brief} ↓" if by else self.tr("Layer · head"))
        self.order.setAccessibleName(self.tr("Order: {0}").format(ordered[order]))
        self.pair.setVisible(pair is not None)
        self.pair.setChecked(self.view.shown_pair is not None)
        if pair is not None:
            self.pair.show_title(pair.title)
            self.pair.setAccessibleName(self.tr("Weight of {0} in every head").format(pair.title))
        self._show_qualifier()

    @property
    def _is_attention(self) -> bool:
        return self.view.choice.shows == ATTENTION and self.view.shown_pair is None

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit(self.width())

    def _fit(self, width: int) -> None:
        is_narrow = width < _COMPACT_BELOW * self.view.look.scale
        self.scales.set_compact(is_narrow)
        if is_narrow != self.filter.is_brief:
            self.filter.is_brief = is_narrow
            self.filter.refresh()
            self._show()


class FilterRow(QWidget):
    """The bounds between which a measure must lie; hidden while there is no filter.

    `button` opens the menu of measures, and stands beside the order. `count`: how many heads pass.
    """

    def __init__(self, store: Store) -> None:
        super().__init__()
        self._store = store
        self._overview = NO_HEADS
        self.is_brief = False
        self.button = _menu_button()
        self.count = named(Elided(), "secondary")
        self.least, self.most = NumberField(), NumberField()
        self._unit = named(QLabel(), "secondary")
        dash = named(QLabel("–"), "secondary")
        self._end = named(SignButton("✕"), "plain", self.tr("Show all heads again"))
        ends = self.least, dash, self.most, self._unit
        in_row(*ends, (self.count, 1), self._end, of=self, margins=(8, 4, 8, 0), spacing=6)
        self.least.changed.connect(lambda value: change_overview(store, least=value))
        self.most.changed.connect(lambda value: change_overview(store, most=value))
        self._end.clicked.connect(lambda: store.change(overview=store.now.overview.filtered("")))
        store.watch(("overview",), self.refresh)
        self.button.setToolTip(self.tr("Show only heads with a measure between two ends"))
        for field, words, none in (
            (self.least, self.tr("At least"), self.tr("from")),
            (self.most, self.tr("At most"), self.tr("to")),
        ):
            field.setToolTip(words)
            field.setAccessibleName(words)
            field.setPlaceholderText(none)
        self.refresh()

    def show_measures(self, overview: HeadOverview) -> None:
        """Count the heads of another result that pass."""
        self._overview = overview
        self.refresh()

    @property
    def special_names(self) -> SpecialNames:
        """The names of the special tokens, which two of the measures are about."""
        return self._overview.special_names

    @Slot()
    def refresh(self) -> None:
        """Show the bounds that are chosen, and how many heads pass."""
        store, choice = self._store, self._store.now.overview
        names: dict[MeasureKey | Literal[""], str] = {"": self.tr("All heads")}
        names.update((key, word.title) for key, word in measure_words(self.special_names).items())
        _fill(
            self.button,
            names,
            choice.filtered_by,
            lambda key: store.change(overview=store.now.overview.filtered(key)),
        )
        chosen = chosen_name(choice.filtered_by, self.special_names, is_brief=self.is_brief)
        only = self.tr("Only: {0}").format(chosen)
        self.button.setText(only if choice.filtered_by else self.tr("All heads"))
        self.button.setAccessibleName(self.tr("Filter: {0}").format(names[choice.filtered_by]))
        set_shown(self, bool(choice.filtered_by))
        if choice.filtered_by:
            self._unit.setText(unit_word(choice.filtered_by))
            top = _ENDS[UNITS[choice.filtered_by]]
            for field, value in ((self.least, choice.least), (self.most, choice.most)):
                field.set_range(top)
                field.show_value(value)
        count = ""
        if self._overview is not NO_HEADS and choice.filtered_by:
            inside = passes(self._overview.measures, choice)
            count = self.tr("{0} of {1}").format(int(inside.sum()), inside.size)
        self.count.setText(count)


def chosen_name(key: MeasureKey | Literal[""], names: SpecialNames, *, is_brief: bool) -> str:
    """Return the name of a measure for a button, brief as above a column if `is_brief`; "" for no measure."""
    if not key:
        return ""
    word = measure_words(names)[key]
    return word.column if is_brief else word.title


def _menu_button() -> QPushButton:
    button = named(QPushButton(), "segment")
    button.setProperty("place", "only")
    button.setMenu(QMenu(button))
    return button


def _fill(
    button: QPushButton, names: Mapping[_Key, str], chosen: _Key, choose: Callable[[_Key], None]
) -> None:
    """List `names` (key -> text) in the menu of `button`, the chosen one ticked."""
    menu = button.menu()
    menu.clear()
    for key, text in names.items():
        add_choice(menu, without_mnemonic(text), partial(choose, key), is_chosen=key == chosen)


class RunOverview(QObject):
    """While two runs are compared the card is of one of RUNS; `switch` chooses which.

    When the first run B that differs is there it is the difference that is shown, and A when B is gone.
    """

    run_changed = Signal()
    height_changed = Signal()

    def __init__(self, comparison: Comparison, card: OverviewCard, divergence: DivergenceView) -> None:
        super().__init__(card)
        self._comparison = comparison
        self._card = card
        self.divergence = divergence
        self._was_other = False
        self.run: Run = RUNS[0]
        self.row = _RunRow(card.store)
        self.switch = self.row.switch
        self.switch.choose(self.run)
        self._page = QScrollArea(widgetResizable=True)
        self._page.setFrameShape(QScrollArea.Shape.NoFrame)
        self._page.setWidget(named(self.divergence, "clear"))
        self._page.viewport().setAutoFillBackground(False)
        card.column.insertWidget(card.column.indexOf(card.body), self.row)
        card.column.addWidget(self._page, 1)
        self.row.hide()
        self._page.hide()
        self.switch.chosen.connect(self.show_run)
        comparison.shown_changed.connect(self._on_shown_changed)
        comparison.measured.connect(self._on_measured)
        if comparison.is_on:
            self._on_shown_changed()
            self._on_measured()

    def show_pair(self, pair: PairInHeads | None, difference: PairDifference | None) -> None:
        """Take the pair of tokens that is pinned in run A, and its difference if run B has it, too."""
        shown = self._comparison.shown
        self.divergence.show_pair(pair, difference, WEIGHTS if shown is None else shown.overview.stamp)
        self._offer_pair()
        self.height_changed.emit()

    def _offer_pair(self) -> None:
        self.row.offer_pair(self.divergence.pair_of_heads if self.run == "A-B" else None)

    def show_run(self, run: Run) -> None:
        """Show the heads of one of RUNS."""
        self.run = run
        self.switch.choose(run)
        is_difference = run == "A-B"
        self._card.body.setVisible(not is_difference)
        self._page.setVisible(is_difference)
        self._card.drawing = self.divergence if is_difference else self._card.view
        self._card.set_choices_shown(not is_difference)
        self._offer_pair()
        self.run_changed.emit()

    def height_for(self, width: int) -> int:
        """Return the height in which all layers have room, without the header of the card."""
        is_difference = self.run == "A-B"
        height = self.divergence.heightForWidth(width) if is_difference else self._card.height_for(width)
        return height + (self.row.height_for(width) if self.row.isVisibleTo(self._card) else 0)

    @Slot()
    def _on_shown_changed(self) -> None:
        comparison = self._comparison
        self.row.setVisible(comparison.shown is not None)
        if comparison.shown is None:
            self._was_other = False
            self.divergence.show_difference(None)
            self.show_run(RUNS[0])
        elif comparison.is_other and not self._was_other:
            self._was_other = True
            self.show_run("A-B")
        else:
            self.run_changed.emit()

    @Slot()
    def _on_measured(self) -> None:
        self.divergence.show_difference(self._comparison.difference)
        self._offer_pair()
        self.height_changed.emit()


class _RunRow(WrappingRow):
    """The switch with its name before it; behind it the pair of tokens whose difference can be shown.

    `pair`, a button: shows it in every head, or how far apart the heads are.
    """

    def __init__(self, store: Store) -> None:
        self._name = named(QLabel(self.tr("All heads of")), "secondary")
        a, b = self.tr("All heads of run A"), self.tr("All heads of run B")
        difference = self.tr("How far each head of run A is from the same head of run B")
        self.switch = Segments([("A", "A", a), ("B", "B", b), ("A-B", "A − B", difference)])
        self.pair = PairButton()
        super().__init__((self._name, self.switch, self.pair))
        self._store = store
        self.pair.hide()
        self.pair.clicked.connect(lambda is_down: change_overview(store, shows_pair=is_down))
        store.watch(("overview",), self._on_options_changed)
        self.pair.setToolTip(
            self.tr("Show how much more weight every head gives this pair in A than in B (Shift+P)")
        )

    def offer_pair(self, pair: PairDifference | None) -> None:
        """Offer a pair that both runs have in each head, or none."""
        self.pair.setVisible(pair is not None)
        if pair is not None:
            self.pair.show_title(pair.title)
            self.pair.setAccessibleName(self.tr("A − B of {0} in every head").format(pair.title))
            self._on_options_changed()

    @Slot()
    def _on_options_changed(self) -> None:
        self.pair.setChecked(self._store.now.overview.shows_pair)
