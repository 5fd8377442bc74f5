"""The panel area: one to six heads side by side, each drawn as lines or as a matrix."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QTimer, Signal, Slot
from PySide6.QtWidgets import QGridLayout, QPushButton, QStackedLayout, QWidget

from bertviz_app.viewmodels.panels import HOWS, Panel, Panels
from bertviz_app.viewmodels.pictures import HeadPicture, Pictures
from bertviz_app.views.card import Card, Segments
from bertviz_app.views.panel_view import PanelView
from bertviz_app.views.panel_views import PanelTools, make_view
from bertviz_app.views.style import named

_LATE_MS = 150
_COLUMNS = {1: 1, 2: 2, 3: 3, 4: 2, 5: 3, 6: 3}


class PanelCard(Card):
    """One panel: its header and the views of its head, of which one is on top."""

    how_chosen = Signal(int, str)
    closed = Signal(int)
    activated = Signal(int)

    def __init__(self, panel: Panel, tools: PanelTools) -> None:
        super().__init__("", QWidget())
        self.panel = panel
        self.views: dict[str, PanelView] = {}
        self._tools = tools
        self._picture: HeadPicture | None = None
        self._is_stale = False
        self._late = QTimer(self, singleShot=True, interval=_LATE_MS)
        self._late.timeout.connect(lambda: self.view.set_stale(True))
        self._stack = QStackedLayout(self.body)
        self._stack.setContentsMargins(0, 0, 0, 0)
        self._segments = Segments([(how, how, "") for how in HOWS])
        self._segments.chosen.connect(lambda how: self.how_chosen.emit(self.panel.number, how))
        self._close = named(QPushButton("✕"), "plain")
        self._close.clicked.connect(lambda: self.closed.emit(self.panel.number))
        self.add_switch(self._segments)
        self.add_switch(self._close)
        self.say()

    @property
    def view(self) -> PanelView:
        """The view on top; made when the panel is first drawn this way."""
        how = self.panel.how
        if how not in self.views:
            view = self.views[how] = make_view(how, self._tools)
            self._stack.addWidget(view)
            view.installEventFilter(self)
            view.set_stale(self._is_stale)
        return self.views[how]

    def say(self) -> None:
        """Write the words in the language in force."""
        self._segments.say(
            {
                "lines": (self.tr("Lines"), self.tr("A line from each query to each key (L)")),
                "matrix": (self.tr("Matrix"), self.tr("A cell for each query and key (M)")),
            }
        )
        self._close.setToolTip(self.tr("Close this panel (Ctrl+W)"))
        self._close.setAccessibleName(self.tr("Close this panel"))
        self.show_panel(self.panel, can_close=self._close.isVisibleTo(self))

    def show_panel(self, panel: Panel, *, can_close: bool) -> None:
        """Show another head or draw it another way."""
        self.panel = panel
        self.title.setText(self.tr("Layer {0} · Head {1}").format(panel.layer, panel.head))
        qualifiers = {"lines": self.tr("queries → keys"), "matrix": self.tr("rows look at columns")}
        self.qualifier.setText(qualifiers[panel.how])
        self._segments.choose(panel.how)
        self._stack.setCurrentWidget(self.view)
        if self._picture is not None and self.view.picture is not self._picture:
            self.view.show_picture(self._picture)
        self._close.setVisible(can_close)

    def await_picture(self) -> None:
        """Dim the head before, should the one of the title take long to come."""
        if not self._late.isActive():
            self._late.start()

    def show_picture(self, picture: HeadPicture) -> None:
        """Draw the head's attention."""
        self._late.stop()
        self.view.set_stale(self._is_stale)
        self._picture = picture
        if self.view.picture is not picture:
            self.view.show_picture(picture)

    def set_stale(self, is_stale: bool) -> None:
        """Dim the drawing while it is not of what was asked for."""
        self._is_stale = is_stale
        for view in self.views.values():
            view.set_stale(is_stale)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.MouseButtonPress:
            self.activated.emit(self.panel.number)
        return False


class PanelArea(QWidget):
    """Tiles the open panels and hands each the picture of its head."""

    def __init__(
        self, panels: Panels, pictures: Pictures, tools: PanelTools, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName("ground")
        self._panels = panels
        self._pictures = pictures
        self._tools = tools
        self.cards: dict[int, PanelCard] = {}
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(8)
        panels.changed.connect(self.refresh)
        pictures.arrived.connect(self._on_picture_arrived)

    @property
    def is_complete(self) -> bool:
        """Whether every panel draws its own head, with all of its lines."""
        return all(self._is_drawn(card) for card in self.cards.values())

    def _is_drawn(self, card: PanelCard) -> bool:
        picture, panel = card.view.picture, card.panel
        if picture is None or (picture.layer, picture.head) != (panel.layer, panel.head):
            return False
        return self._pictures.get(panel.layer, panel.head) is picture

    def set_stale(self, is_stale: bool) -> None:
        """Dim all panels."""
        for card in self.cards.values():
            card.set_stale(is_stale)

    def say(self) -> None:
        """Write the words in the language in force."""
        for card in self.cards.values():
            card.say()

    @Slot()
    def refresh(self) -> None:
        """Open, close and place cards for the panels there are, and fetch their pictures."""
        panels = self._panels.panels
        self._close_all_but({panel.number for panel in panels})
        for panel in panels:
            if panel.number not in self.cards:
                self.cards[panel.number] = self._new_card(panel)
            card = self.cards[panel.number]
            card.show_panel(panel, can_close=len(panels) > 1)
            card.set_active(panel == self._panels.active and len(panels) > 1)
            picture = self._pictures.get(panel.layer, panel.head)
            if picture is not None:
                card.show_picture(picture)
            else:
                card.await_picture()
        self._tile([self.cards[panel.number] for panel in panels])

    def _new_card(self, panel: Panel) -> PanelCard:
        card = PanelCard(panel, self._tools)
        card.how_chosen.connect(self._panels.draw_as)
        card.closed.connect(self._panels.close)
        card.activated.connect(self._panels.activate)
        return card

    def _close_all_but(self, numbers: set[int]) -> None:
        for number in [number for number in self.cards if number not in numbers]:
            card = self.cards.pop(number)
            self._grid.removeWidget(card)
            card.hide()
            card.deleteLater()

    def _tile(self, cards: list[PanelCard]) -> None:
        columns = _COLUMNS.get(len(cards), 1)
        for place, card in enumerate(cards):
            self._grid.addWidget(card, place // columns, place % columns)
            card.show()
        for column in range(3):
            self._grid.setColumnStretch(column, 1 if column < columns else 0)
        rows = -(-len(cards) // columns)
        for row in range(3):
            self._grid.setRowStretch(row, 1 if row < rows else 0)

    @Slot(object)
    def _on_picture_arrived(self, picture: HeadPicture) -> None:
        for card in self.cards.values():
            if (card.panel.layer, card.panel.head) == (picture.layer, picture.head):
                card.show_picture(picture)
