"""The cards around the panels, which can be moved, tabbed, floated, closed and brought back."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QEvent, QObject, QPoint, Qt, Signal, Slot
from PySide6.QtGui import QGuiApplication, QMouseEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QDockWidget, QMainWindow, QTabBar, QTabWidget, QWidget

from bertviz_app.timers import OneShot
from bertviz_app.values import dataclass, replace
from bertviz_app.viewmodels.state import Arrangement, Store
from bertviz_app.views.kit.canvas import Guarded
from bertviz_app.views.kit.card import Card
from bertviz_app.views.kit.look import Look, in_row, named
from bertviz_app.views.kit.terms import explain_terms_of
from bertviz_app.views.kit.widgets import SignButton

if TYPE_CHECKING:
    from bertviz_app.views.inspector.predictions import PredictionsSection

GAP = 8
_FLOATS_BY = 36
_RECHECK_MS = 50  # until the mouse button is checked again
NAMES = ("overview", "heads", "inspector", "vector")
INTERVENTIONS = "interventions"
"""A dock that is closed at first; opened, it is a tab above the inspector."""
_VERSION = 1
_TAB = 32  # the height of the tabs above two cards in one place
_MOST = 0.6
"""The share of a window that becomes narrower that docks take at most."""
_MORE = 0.04  # of the window's width, that a column takes for larger texts
LEFT, RIGHT = Qt.DockWidgetArea.LeftDockWidgetArea, Qt.DockWidgetArea.RightDockWidgetArea


class Dock(QDockWidget):
    """A card that can be moved: it is dragged by its header.

    `name` is one of NAMES, or INTERVENTIONS.
    """

    closed = Signal()

    def __init__(self, name: str, card: Card, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.card = card
        titles = {
            "overview": self.tr("Overview"),
            "heads": self.tr("Heads"),
            "inspector": self.tr("Inspector"),
            "vector": self.tr("Vector"),
            INTERVENTIONS: self.tr("Interventions"),
        }
        self.setWindowTitle(titles[name])
        detach, close = (
            named(SignButton(sign), "corner", words, f"{titles[name]}: {words}")
            for sign, words in (
                ("❐", self.tr("Detach from the window, or dock again")),
                ("✕", self.tr("Close (the menu opens it again)")),
            )
        )
        detach.clicked.connect(self._on_float)
        close.clicked.connect(self.hide)
        close.clicked.connect(self.closed)
        self.topLevelChanged.connect(self._on_top_level_changed)
        buttons = QWidget()
        in_row(detach, close, of=buttons, margins=0, spacing=0)
        card.add_corner(buttons)
        self.setTitleBarWidget(card.take_header())
        self.setWidget(card)
        card.setMinimumWidth(1)

    @Slot(bool)
    def _on_top_level_changed(self, is_window: bool) -> None:
        """Explain its terms where it is a window of its own: tool tips of the main window do not reach it."""
        if is_window:
            explain_terms_of(self)
            self.topLevelChanged.disconnect(self._on_top_level_changed)

    @Slot()
    def _on_float(self) -> None:
        """Float, a little towards the middle, so that one sees that it does; or go back."""
        window, before = self.window(), self.mapToGlobal(self.rect().center())
        self.setFloating(not self.isFloating())
        if self.isFloating():
            is_right = before.x() > window.mapToGlobal(window.rect().center()).x()
            self.move(self.pos() + QPoint(-_FLOATS_BY if is_right else _FLOATS_BY, _FLOATS_BY))


@dataclass(frozen=True)
class DockColumn:
    """Two docks above each other at one side.

    Their width is a share of the window's between `least` and `most` for the normal text size;
    `upper(width, height)` is the height of the upper one.
    """

    look: Look
    side: Qt.DockWidgetArea
    docks: tuple[Dock, Dock]
    share: float
    least: int
    most: int
    upper: Callable[[int, int], int]

    def width(self, room: int) -> int:
        """Return their width in a window `room` pixels wide.

        Larger texts widen a column only as long as half of the room is left to the panels.
        """
        look, least = self.look, self.least
        width = min(max(look.pixels(least), round(room * self.share)), look.pixels(self.most))
        return min(width, max(least, round(room * (self.share + _MORE))))

    def add(self, dock: Dock, area: QMainWindow) -> None:
        """Add one of the two docks to `area`, the upper one first."""
        if dock is self.docks[0]:
            area.addDockWidget(self.side, dock)
        else:
            area.splitDockWidget(self.docks[0], dock, Qt.Orientation.Vertical)
        dock.show()


class DockArea(Guarded, QMainWindow):
    """Panels in the middle, docks around them, which share the room until the user changes that.

    `arranged` is emitted after each change by the user; while something is dragged, when it is dropped.
    """

    arranged = Signal()

    def __init__(
        self, look: Look, middle: QWidget, columns: tuple[DockColumn, ...], interventions: Dock
    ) -> None:
        super().__init__()
        self.setObjectName("ground")
        self.setWindowFlags(Qt.WindowType.Widget)
        self._look, self._columns = look, columns
        self._is_settling = False
        self._before: QByteArray | None = None
        self._wide, self._wide_share = "", 0.0
        self.is_arranged = False
        self._dragged = OneShot(self, self._notify, _RECHECK_MS)
        self.setDockOptions(QMainWindow.DockOption.AllowNestedDocks | QMainWindow.DockOption.AllowTabbedDocks)
        self.setTabPosition(Qt.DockWidgetArea.AllDockWidgetAreas, QTabWidget.TabPosition.North)
        self.setCentralWidget(middle)
        # Panels make do with the room they are given; what they would like must not keep it from the docks.
        middle.setMinimumSize(1, 1)
        self.docks = {dock.objectName(): dock for column in columns for dock in column.docks}
        self.docks[INTERVENTIONS] = interventions
        self._place()
        for dock in self.docks.values():
            dock.closed.connect(partial(self._on_shown, dock.objectName()))
            for arranged in (dock.topLevelChanged, dock.dockLocationChanged):
                arranged.connect(self._on_arranged)
        self.installEventFilter(self)

    def toggle(self, name: str) -> None:
        """Close a dock, or bring it back and to the front."""
        dock = self.docks[name]
        if dock.isVisible():
            dock.hide()
        else:
            dock.show()
            dock.raise_()
        self._on_shown(name)

    def bring(self, name: str) -> None:
        """Bring a dock to the front, closed or not."""
        dock = self.docks[name]
        was_closed = not dock.isVisible()
        dock.show()
        dock.raise_()
        if was_closed:
            self._on_shown(name)

    def _on_shown(self, name: str) -> None:
        """Notice that a dock was closed or brought back: the tab of interventions changes no other card."""
        if name == INTERVENTIONS:
            self.share()
        else:
            self._on_arranged()

    def reset(self) -> None:
        """Put every dock where it was at first; a presentation has them, too, from then on."""
        self._is_settling = True
        self._before = None
        for dock in self.docks.values():
            dock.setFloating(False)
            self.removeDockWidget(dock)
        self.is_arranged = False
        self._place()
        self.share()
        self._notify()

    def share(self) -> None:
        """Give each dock the size it wants, unless the user has arranged them; name the tabs above them."""
        for bar in self.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly):
            bar.setAccessibleName(" / ".join(bar.tabText(number) for number in range(bar.count())))
        if self._is_settling:
            return
        wide = None if self._before is None else self.docks.get(self._wide)
        if wide is not None:  # whatever was arranged before
            width = max(1, round(self._wide_share * self.width()))
            self.resizeDocks([wide], [width], Qt.Orientation.Horizontal)
        if self.is_arranged:
            return
        widths: dict[Dock, int] = {}
        heights: dict[Dock, int] = {}
        for column in self._columns:
            width = column.width(self.width())
            upper = column.upper(width, self.height())
            if column.docks[0].objectName() == "inspector" and not self.docks[INTERVENTIONS].isHidden():
                upper += self._look.pixels(_TAB)
            widths |= dict.fromkeys(column.docks, max(1, width))  # Qt warns of smaller sizes
            heights[column.docks[0]] = max(1, upper)
            heights[column.docks[1]] = max(1, self.height() - GAP - upper)
        there = [dock for dock in widths if not (dock is wide or dock.isHidden() or dock.isFloating())]
        self.resizeDocks(there, [widths[dock] for dock in there], Qt.Orientation.Horizontal)
        self.resizeDocks(there, [heights[dock] for dock in there], Qt.Orientation.Vertical)

    def set_alone(self, is_alone: bool) -> None:
        """Leave the whole width to the panels, or bring back the docks as they were."""
        if is_alone and self._before is None:
            self._before = self.saveState(_VERSION)
            for dock in self.docks.values():
                dock.hide()
        elif not is_alone and self._before is not None:
            before, self._before = self._before, None
            self._restore(before)
            self.share()

    @property
    def is_alone(self) -> bool:
        """Whether the whole width is left to the panels for a while."""
        return self._before is not None

    def show_only(self, names: Collection[str] | None, wide: str = "", share: float = 0.5) -> None:
        """Show only these cards for as long as a lesson is open; None brings back the arrangement before.

        The one called `wide`, if it is among them, gets this share of the width.
        """
        self.set_alone(False)
        if names is None:
            return
        self.set_alone(True)
        for name in names:
            self.docks[name].show()
        self._wide, self._wide_share = wide if wide in names else "", share
        self.share()

    @property
    def layout_text(self) -> str:
        """The arrangement in base64, empty as long as the user has not changed it."""
        if not self.is_arranged:
            return ""
        state = self._before if self._before is not None else self.saveState(_VERSION)
        return state.toBase64().toStdString()

    def restore_layout(self, text: str) -> None:
        """Take an arrangement of `layout_text`; one that cannot be read changes nothing."""
        state = QByteArray.fromBase64(text.encode())
        if not state.isEmpty() and self._restore(state):
            self.is_arranged = True

    def show_layout(self, text: str) -> None:
        """Take an arrangement of `layout_text` again; of a presentation, when it has ended."""
        state = QByteArray.fromBase64(text.encode())
        if state.isEmpty():
            was_alone = self.is_alone
            self.reset()
            self.set_alone(was_alone)
        elif self._before is not None:
            self._before = state
        else:
            self.restore_layout(text)

    def _restore(self, state: QByteArray) -> bool:
        self._is_settling = True
        is_restored = self.restoreState(state, _VERSION)
        self._is_settling = False
        return is_restored

    def _place(self) -> None:
        """Add each dock at its first place."""
        self._is_settling = True
        for column in self._columns:
            for dock in column.docks:
                column.add(dock, self)
        interventions = self.docks[INTERVENTIONS]
        self.addDockWidget(RIGHT, interventions)
        self.tabifyDockWidget(self.docks["inspector"], interventions)
        interventions.hide()
        self._is_settling = False

    def showEvent(self, event: QShowEvent) -> None:
        """Share the room again: only now the cards have their fonts, and know what height they need."""
        super().showEvent(event)
        self.share()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Notice that the user takes the gap between two docks."""
        if (
            isinstance(event, QMouseEvent)
            and event.type() == QEvent.Type.MouseButtonPress
            and self.isSeparator(event.position().toPoint())
        ):
            self.is_arranged, self._wide = True, ""
            self._dragged.start()
        return False

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.is_arranged and self.isVisible() and event.size().width() < event.oldSize().width():
            # Docks that were arranged in a wider window take `_MOST` of the width at most.
            there = [dock for dock in self.docks.values() if dock.isVisible() and not dock.isFloating()]
            sides = [[dock for dock in there if self.dockWidgetArea(dock) == side] for side in (LEFT, RIGHT)]
            taken = sum(max((dock.width() for dock in side), default=0) for side in sides)
            share = _MOST * self.width() / (taken or 1)
            for side in sides if share < 1 else ():
                narrowed = [round(share * dock.width()) for dock in side]
                self.resizeDocks(side, narrowed, Qt.Orientation.Horizontal)
        self.share()

    @Slot()
    def _on_arranged(self) -> None:
        if not self._is_settling and self._before is None:
            self.is_arranged = True
            self._notify()

    @Slot()
    def _notify(self) -> None:
        """Emit `arranged`, once no mouse button is pressed."""
        if QGuiApplication.mouseButtons() != Qt.MouseButton.NoButton:
            self._dragged.start()
        else:
            self.arranged.emit()


class CardArranging(QObject):
    """Keeps the arrangement of the state and the cards of a window alike."""

    def __init__(
        self, store: Store, first: Arrangement, docks: DockArea, predictions: PredictionsSection
    ) -> None:
        """Put the cards where the state has them; as `first` says, as long as the user has not moved any."""
        super().__init__(docks)
        self._store, self._first, self._docks, self._predictions = store, first, docks, predictions
        docks.restore_layout(self._value.docks)
        predictions.open(self._value.shows_predictions)
        docks.arranged.connect(self._on_arranged)
        predictions.title.toggled.connect(self._on_toggled)
        store.watch(("arrangement",), self._on_changed)

    @property
    def _value(self) -> Arrangement:
        return self._store.now.arrangement or self._first

    @Slot()
    def _on_arranged(self) -> None:
        if self._docks.layout_text != self._value.docks:
            self._store.change(arrangement=replace(self._value, docks=self._docks.layout_text))

    @Slot(bool)
    def _on_toggled(self, is_open: bool) -> None:
        if is_open != self._value.shows_predictions:
            self._store.change(arrangement=replace(self._value, shows_predictions=is_open))

    @Slot()
    def _on_changed(self) -> None:
        if self._store.step == "restore":  # else the user has changed it on screen
            self._docks.show_layout(self._value.docks)
            self._predictions.open(self._value.shows_predictions)
