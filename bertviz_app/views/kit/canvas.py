"""`Canvas`: a widget that draws itself. Overrides of Qt's virtual methods are guarded.

On Python 3.11 an exception that leaves a Python override of a paint or event method reached from a
Python call ends the process (measured with every PySide6 from 6.8 to 6.12), and a painter left open
makes Qt complain at each further frame. So every override catches, reports, and ends its painter.
"""

from __future__ import annotations

import functools
import logging
import weakref
from collections.abc import Callable, Iterable
from typing import ClassVar, ParamSpec, TypeVar, overload

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QRect, QRectF, Qt, QTimer, Slot
from PySide6.QtGui import QFocusEvent, QPainter, QPaintEvent, QPen, QRegion
from PySide6.QtWidgets import QWidget
from shiboken6 import isValid

from bertviz_app.views.kit.look import Look

_log = logging.getLogger("bertviz_app.views")
_Arguments = ParamSpec("_Arguments")
_Value = TypeVar("_Value")
_Method = Callable[_Arguments, _Value]
BY_KEY = (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason)
OTHER_WINDOW = Qt.FocusReason.ActiveWindowFocusReason
"""The window became active or inactive: whether the focus came by Tab is not changed by that."""
NO_VALUE: object = None
"""What a model returns to Qt for a role that it has no value for."""


@overload
def guarded(method: Callable[_Arguments, None], /) -> Callable[_Arguments, None]: ...


@overload
def guarded(*, default: _Value) -> Callable[[_Method[_Arguments, _Value]], _Method[_Arguments, _Value]]: ...


def guarded(
    method: Callable[_Arguments, None] | None = None, /, *, default: object = None
) -> Callable[..., object]:
    """Return the override `method` with its exceptions logged instead of raised.

    An override that returns something is decorated with `@guarded(default=...)`: where it fails, Qt gets
    the default.
    """

    def decorate(function: Callable[_Arguments, object]) -> Callable[_Arguments, object]:
        @functools.wraps(function)
        def wrapper(*arguments: _Arguments.args, **options: _Arguments.kwargs) -> object:
            try:
                return function(*arguments, **options)
            except Exception:  # noqa: BLE001 - see above: no exception may leave an override
                _log.exception("%s failed", function.__qualname__)
                return default

        return wrapper

    return decorate if method is None else decorate(method)


class LaterWork(QObject):
    """Calls what was added, the oldest first, one in each second turn of the event loop.

    All timers that are due fire in one turn, and all widgets that they update are painted together: with a
    timer of its own for each view, the next gesture would wait for all of them. The turn after a call is left
    to painting what the call updated: timers fire in the turn that paints, too.
    """

    _shared: ClassVar[Callable[[], LaterWork | None]] = staticmethod(lambda: None)
    """Returns the one that the application holds: looking for it there takes longer than adding to it."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._waiting: dict[tuple[QObject, str], Callable[[], None]] = {}
        self._held: dict[str, QObject] = {}
        self._pauses = False
        # No QTimer.singleShot(0): it posts an event, which is handled before this turn's painting.
        self._timer = QTimer(self, interval=0, singleShot=True)
        self._timer.timeout.connect(self._call_next)

    @classmethod
    def shared(cls) -> LaterWork:
        """Return the one that all views of the application share."""
        shared = cls._shared()
        if shared is None or not isValid(shared):
            application = QCoreApplication.instance()
            assert application is not None, "widgets need an application"
            shared = cls(application)
            cls._shared = weakref.ref(shared)
        return shared

    def add(self, owner: QObject, name: str, work: Callable[[], None]) -> None:
        """Call `work` of `owner` in a turn of its own; what waits under this name keeps its turn."""
        self._waiting[owner, name] = work
        if not self._timer.isActive():
            self._pauses = True  # what added it may have updated a view
            self._timer.start()

    def hold(self, name: str, owner: QObject, *, is_held: bool) -> None:
        """Let what is added under this name wait, for as long as `owner` lives, or call it again."""
        if is_held:
            self._held[name] = owner
        elif self._held.pop(name, None) is not None and self._waiting:
            self._timer.start()

    def is_done(self, but: str = "") -> bool:
        """Return whether nothing waits for a turn, except for what is held and what is added as `but`."""
        return all(name == but or self._is_held(name) for _, name in self._waiting)

    def do_now(self, name: str) -> None:
        """Do what waits under this name, of every owner."""
        for owner, waiting in list(self._waiting):
            if waiting == name:
                work = self._waiting.pop((owner, name))
                if isValid(owner):
                    work()

    @Slot()
    @guarded
    def _call_next(self) -> None:
        if self._pauses:
            self._pauses = False
            if self._waiting:
                self._timer.start()
            return
        for owner, name in list(self._waiting):
            if not isValid(owner):
                del self._waiting[owner, name]  # it was deleted while it waited
            elif not self._is_held(name):
                work = self._waiting.pop((owner, name))
                self._pauses = True
                self._timer.start()
                work()
                return

    def _is_held(self, name: str) -> bool:
        return name in self._held and isValid(self._held[name])


UPDATES = "updates"
"""What views that are not under the pointer do later; `end_turns` does it now."""


def paint_in_turns(widgets: Iterable[QWidget]) -> None:
    """Paint each of `widgets` with all that is in it, and each in a later turn of the event loop.

    Where a result changes all of them, the next key would otherwise wait until the last one is painted.
    """
    for widget in widgets:
        if widget.isVisible() and widget.updatesEnabled():
            widget.setUpdatesEnabled(False)
            LaterWork.shared().add(widget, UPDATES, functools.partial(widget.setUpdatesEnabled, True))


def end_turns() -> None:
    """Do what `paint_in_turns`, and views that follow another one, put off.

    From a picture of a window Qt leaves out the widgets in it that may not be painted.
    """
    LaterWork.shared().do_now(UPDATES)


STALE = 0.45
"""The opacity of a drawing that is out of date: of an earlier text or head."""


class Canvas(QWidget):
    """A widget that draws itself: subclasses override `draw`, which gets an open painter.

    `omits_hints` asks for a drawing without signs that only a tool tip explains.
    """

    shows_words = False
    """Whether its texts are the words of the user's text, which name no terms."""

    fills_ground = False
    """Whether it fills itself with the colour of cards, so that Qt need not draw what is below it first."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent, self.fills_ground)
        self.look = look
        self.is_stale = False
        self.omits_hints = False
        self._is_focused_by_key = False
        self._is_in_focus = False
        self._dirty: QRegion | None = None
        self._late = QRegion()
        look.changed.connect(self._on_look_changed)

    def draw(self, painter: QPainter) -> None:
        """Draw the widget; its coordinates are logical pixels."""
        raise NotImplementedError

    def draw_into(self, painter: QPainter) -> None:
        """Draw the widget with another painter, in its own pixels."""
        self.draw(painter)

    def is_dirty(self, box: QRectF) -> bool:
        """Return whether `box` is to be painted: everything is, unless Qt updates a part of the screen."""
        return self._dirty is None or self._dirty.intersects(box.toAlignedRect())

    def update_following(self, part: QRect | QRegion | None = None) -> None:
        """Paint `part`, or all: at once if the pointer is over this view, else in a later turn.

        So the view under the pointer is painted first where a gesture changes several.
        """
        if self.underMouse():
            self.update(self.rect() if part is None else part)
        else:
            self.update_later(part)

    def update_later(self, part: QRect | QRegion | None = None) -> None:
        """Paint `part`, or all, in a later turn of the event loop."""
        self._late += self.rect() if part is None else part
        LaterWork.shared().add(self, "update", self._update_late)

    def _update_late(self) -> None:
        late, self._late = self._late, QRegion()
        self.update(late)

    def set_omits_hints(self, *, omits_hints: bool) -> None:
        """Draw without signs that only a tool tip explains, or with them."""
        self.omits_hints = omits_hints

    def set_stale(self, is_stale: bool) -> None:
        if is_stale != self.is_stale:
            self.is_stale = is_stale
            self.update()

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        try:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            # Without an explicit clip Qt hands each thin line to a thread pool: 40 times slower.
            painter.setClipRect(event.rect())
            if self.fills_ground:
                painter.fillRect(event.rect(), self.look.colour("card"))
            painter.setOpacity(STALE if self.is_stale else 1.0)
            self._dirty = event.region()
            self.draw(painter)
            if self._is_focused_by_key and self._is_in_focus:
                self._draw_focus(painter)
        finally:
            self._dirty = None
            painter.end()

    def _draw_focus(self, painter: QPainter) -> None:
        painter.resetTransform()
        painter.setOpacity(1.0)
        painter.setClipRect(self.rect())
        painter.setPen(QPen(self.look.colour("accent"), 2))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 6, 6)

    @guarded
    def focusInEvent(self, event: QFocusEvent) -> None:
        """Draw a frame around the widget that has the keyboard focus, if it got it by Tab."""
        super().focusInEvent(event)
        self._is_in_focus = True
        if event.reason() != OTHER_WINDOW:
            self._is_focused_by_key = event.reason() in BY_KEY
        self.update()

    @guarded
    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._is_in_focus = False
        if event.reason() != OTHER_WINDOW:
            self._is_focused_by_key = False
        self.update()

    @guarded
    def changeEvent(self, event: QEvent) -> None:
        """Drop what is cached when the language changes, as with other colours: it may have words in it."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self._on_look_changed()

    def _on_look_changed(self) -> None:
        self.updateGeometry()
        self.update()
