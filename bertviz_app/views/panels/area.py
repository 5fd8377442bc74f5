"""The panel area: one to six panels side by side, each with a head of a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QApplication, QGridLayout, QSizePolicy, QWidget

from bertviz_app.options import RUNS, SIDES, Run
from bertviz_app.viewmodels.analyses.analyses import DrawnPanel, drawn_in
from bertviz_app.viewmodels.heads.pictures import HeadPicture
from bertviz_app.viewmodels.panel import MOST, SHOWS_ATTENTION, Panel
from bertviz_app.viewmodels.panels import Panels
from bertviz_app.viewmodels.results import Ready
from bertviz_app.views.kit.canvas import Guarded
from bertviz_app.views.kit.panel_view import PanelTools
from bertviz_app.views.panels.card import PanelCard

_GRID = 6  # every row of one, two or three cards divides so many columns


def columns_for(count: int, width: int, height: int) -> int:
    """Return how many of `count` panels stand in a row, so that each is as large and as square as can be."""
    choices = range(1, max(1, min(3, count)) + 1)
    return max(choices, key=lambda n: (min(width / n, height / -(-max(count, 1) // n)), n))


class PanelArea(Guarded, QWidget):
    """Tiles the open panels and hands each its head, with a picture where its view needs one.

    `gallery_requested` has the number of the panel that is to show something else, `remedy_requested` what
    makes an analysis possible. `card_opened(card)`: a panel has a new card.
    """

    gallery_requested = Signal(int)
    remedy_requested = Signal(str)
    card_opened = Signal(object)

    def __init__(self, panels: Panels, tools: Mapping[str, PanelTools]) -> None:
        """`tools`: what the views of each of RUNS share."""
        super().__init__()
        self.setObjectName("ground")
        self._panels = panels
        self._tools = tools
        self._runs: tuple[Run, ...] = RUNS[:1]
        self.cards: dict[int, PanelCard] = {}
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(8)
        self._shown: dict[int, tuple[object, ...]] = {}  # what each card was last shown with
        self._tiled: list[PanelCard] = []
        self._n_columns = 1
        panels.changed.connect(self.show_panels)
        for run in RUNS:
            tools[run].pictures.arrived.connect(self._on_picture_arrived)
            tools[run].pictures.waiting_changed.connect(self._on_waiting_changed)
            tools[run].pictures.dropped.connect(self.refresh)
        tools["A"].analyses.changed.connect(self._on_analyses_changed)

    @property
    def is_complete(self) -> bool:
        """Whether every panel draws its own heads, with all of their lines."""
        drawn = {card: _drawn(card) for card in self.cards.values() if not card.stack.message}
        return all(of_card.is_whole and card.draws(of_card.front) for card, of_card in drawn.items())

    def show_runs(self, runs: tuple[Run, ...]) -> None:
        self._runs = runs
        self.refresh()

    def set_stale(self, is_stale: bool) -> None:
        for card in self.cards.values():
            card.set_stale(is_stale)

    @Slot()
    def refresh(self) -> None:
        """Open, close and place cards for the panels there are, and fetch their heads."""
        self._shown.clear()
        self.show_panels()

    @Slot()
    def show_panels(self) -> None:
        """Show the panels that are not as they were, and what has been computed for each."""
        numbers = {panel.number for panel in self._panels.panels}
        focused, had_focus = QApplication.focusWidget(), False
        # All are taken out first: to hide the one with the focus activates another panel, which calls this
        # method again from within.
        closing = [self.cards.pop(number) for number in list(self.cards) if number not in numbers]
        for card in closing:
            # While a menu is open deleteLater has to wait for its event loop, and the card's timers go on.
            card.blockSignals(True)
        for card in closing:
            had_focus |= focused is not None and card.isAncestorOf(focused)
            self._grid.removeWidget(card)
            card.hide()
            card.deleteLater()
        panels = self._panels.panels  # read now: a card that was hidden may have made another panel active
        active, heads, is_alone = self._panels.active, self._panels.included_heads, len(panels) == 1
        for panel in panels:
            if panel.number not in self.cards:
                card = self.cards[panel.number] = PanelCard(panel, self._panels, self._tools)
                # All rows have the same height: the size hint of a card must not make its row higher.
                card.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
                card.head_requested.connect(self._on_head_requested)
                card.switches.content.clicked.connect(
                    lambda _=False, card=card: self.gallery_requested.emit(card.panel.number)
                )
                card.stack.button.clicked.connect(
                    lambda _=False, card=card: self.remedy_requested.emit(card.stack.remedy)
                )
                self.card_opened.emit(card)
            card = self.cards[panel.number]
            card.set_active(panel == active and not is_alone)
            state = panel, is_alone, heads
            if self._shown.get(panel.number) != state:
                card.show_panel(panel, self._runs, heads, is_alone=is_alone)
                self._shown[panel.number] = state
            # Also where the panel is as it was: what failed or was cancelled is chosen again.
            card.show_drawn(_drawn(card))
        self._shown = {number: state for number, state in self._shown.items() if number in self.cards}
        cards = [self.cards[panel.number] for panel in panels]
        if cards != self._tiled:
            self._tile(cards)
        if had_focus:
            self.focus_active()

    def focus_active(self) -> None:
        if self._panels.active is not None:
            self.cards[self._panels.active.number].view.setFocus()

    def _tile(self, cards: list[PanelCard]) -> None:
        """Place the cards in rows; those of a shorter last row are wider."""
        self._tiled = cards
        per_row = self._n_columns = columns_for(len(cards), self.width(), self.height())
        for index, card in enumerate(cards):
            row, column = divmod(index, per_row)
            span = _GRID // min(per_row, len(cards) - row * per_row)
            self._grid.addWidget(card, row, column * span, 1, span)
            card.show()
        for column in range(_GRID):
            self._grid.setColumnStretch(column, 1)
        rows = -(-len(cards) // per_row)
        for row in range(MOST):
            self._grid.setRowStretch(row, 1 if row < rows else 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        if columns_for(len(self.cards), self.width(), self.height()) != self._n_columns:
            self._tile([self.cards[panel.number] for panel in self._panels.panels])

    @Slot(int, int, int)
    def _on_head_requested(self, number: int, layer: int, head: int) -> None:
        self._panels.activate(number)
        self._panels.show(layer, head)
        panel = self.cards[number].panel
        if not panel.content.analysis or panel.kind.needs_picture:
            return
        # The attention of the head is shown beside its result, unless a panel shows it already.
        at = (panel.layer, panel.head)
        is_shown = any(
            (one.layer, one.head) == at and one.content == SHOWS_ATTENTION and one.kind.is_of_head
            for one in self._panels.panels
        )
        if not is_shown and len(self._panels.panels) < MOST:
            self._panels.insert(
                replace(panel, run=SIDES[panel.run][0], content=SHOWS_ATTENTION, view_kind="matrix", heads=())
            )
            self._panels.activate(panel.number)

    @Slot(object)
    def _on_picture_arrived(self, picture: HeadPicture) -> None:
        for card in self.cards.values():
            panel = card.panel
            is_shown = picture.layer == panel.layer and picture.head in panel.shown_heads
            if is_shown and _shows_pictures_of_heads(panel):
                card.show_drawn(_drawn(card))

    @Slot(int, int)
    def _on_waiting_changed(self, layer: int, head: int) -> None:
        """Show how far the picture of a head is, or why there is none, in the panels of that head."""
        for card in self.cards.values():
            panel = card.panel
            if (panel.layer, panel.head) == (layer, head) and _shows_pictures_of_heads(panel):
                # Only its state is read: requesting the picture would start what has just failed again.
                state = card.tools.pictures.state(layer, head)
                card.show_drawn(DrawnPanel(state=None if isinstance(state, Ready) else state))

    @Slot()
    def _on_analyses_changed(self) -> None:
        for card in self.cards.values():
            if card.panel.content.analysis:
                card.show_drawn(_drawn(card))


def _drawn(card: PanelCard) -> DrawnPanel:
    return drawn_in(card.panel, card.tools.pictures, card.tools.analyses)


def _shows_pictures_of_heads(panel: Panel) -> bool:
    return panel.kind.needs_picture and not panel.content.analysis
