"""The base of what is painted and is no plot: guarded overrides, work in later turns, cached pictures."""

from __future__ import annotations

import functools
import logging
import math
import weakref
from collections.abc import Callable, Hashable, Iterable
from types import FunctionType
from typing import ClassVar, ParamSpec, TypeVar, overload

import numpy as np
from PySide6.QtCore import QCoreApplication, QObject, QPointF, QRect, QRectF, QSize, Qt, QTimer, Slot
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QPaintEngine,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPixmap,
    QRegion,
)
from PySide6.QtWidgets import QWidget
from shiboken6 import isValid

from bertviz_app.values import dataclass
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


OVERRIDES: dict[str, object] = {
    **dict.fromkeys(("autoRange", "currentChanged", "drawForeground", "drawText", "initStyleOption")),
    **dict.fromkeys(("exportFormatChanged", "paint", "reject", "sort", "updateFormatList", "updateItemList")),
    **dict.fromkeys(("data", "headerData"), NO_VALUE),
    **dict.fromkeys(("columnCount", "rowCount"), 0),
    **dict.fromkeys(("event", "eventFilter", "filterAcceptsRow", "viewportEvent"), False),
    **dict.fromkeys(("minimumSizeHint", "sizeHint"), QSize()),
    "boundingRect": QRectF(),
    "getData": (np.zeros(0), np.zeros(0)),
    "hasHeightForWidth": False,
    "heightForWidth": -1,
    "shape": QPainterPath(),
    "tickStrings": [],
    "tickValues": [],
}
"""Qt's and pyqtgraph's virtual methods besides those of events, and what Qt gets where an override fails."""


class Guarded:
    """A base, named before Qt's: each override of a virtual method in a subclass is `guarded`."""

    def __init_subclass__(cls, **options: object) -> None:
        super().__init_subclass__(**options)
        for name, method in list(vars(cls).items()):
            is_override = name in OVERRIDES or name.endswith("Event")
            if is_override and isinstance(method, FunctionType) and hasattr(super(cls, cls), name):
                setattr(cls, name, guarded(default=OVERRIDES.get(name))(method))


class LaterWork(QObject):
    """Calls what was added, the oldest first, one in each second turn of the event loop.

    All timers that are due fire in one turn, and all widgets that they update are painted together: with a
    timer of its own for each view, the next gesture would wait for all of them. The turn after a call is left
    to painting what the call updated: timers fire in the turn that paints, too.
    """

    # Returns the one that the application holds: looking for it there takes longer than adding to it.
    _shared: ClassVar[Callable[[], LaterWork | None]] = staticmethod(lambda: None)

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

    def forget_deleted(self) -> None:
        """Drop the work of widgets that are gone; where a script draws, no turn of the event loop does it."""
        self._waiting = {key: work for key, work in self._waiting.items() if isValid(key[0])}

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


def draw_focus_ring(painter: QPainter, area: QRect, look: Look) -> None:
    """Draw the thin frame around a whole view that was reached by Tab."""
    painter.setPen(look.colour("accent"))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(QRectF(area).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)


class Canvas(Guarded, QWidget):
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
                painter.resetTransform()
                painter.setOpacity(1.0)
                painter.setClipRect(self.rect())
                draw_focus_ring(painter, self.rect(), self.look)
        finally:
            self._dirty = None
            painter.end()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Draw a frame around the widget that has the keyboard focus, if it got it by Tab."""
        super().focusInEvent(event)
        self._is_in_focus = True
        if event.reason() != OTHER_WINDOW:
            self._is_focused_by_key = event.reason() in BY_KEY
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._is_in_focus = False
        if event.reason() != OTHER_WINDOW:
            self._is_focused_by_key = False
        self.update()

    def _on_look_changed(self) -> None:
        self.updateGeometry()
        self.update()


_MOST_PICTURES = 400
Draw = Callable[[QPainter], None]


def draws_pixels(painter: QPainter) -> bool:
    """Return whether `painter` paints pixels without scaling, so that a pixmap looks like what it replaces.

    It does on screen. SVG and PDF files, and `drawn_texts`, need the texts and lines themselves.
    """
    engine = painter.paintEngine()
    is_raster = engine is not None and engine.type() == QPaintEngine.Type.Raster
    return is_raster and not painter.worldTransform().isScaling()


class CachedPicture:
    """One part of a drawing, cached as a pixmap that is painted again only when its inputs change.

    While the inputs change with every frame, as during a zoom, nothing is cached. The pixmap is opaque, on
    the colour of cards, so the view must fill itself with that colour, too: translucent colours that are
    blended first within a pixmap and then with the view are rounded twice. With `is_opaque=False` it is
    transparent where nothing is drawn: for texts over other items.
    """

    def __init__(self, look: Look, *, is_opaque: bool = True) -> None:
        self._look = look
        self._is_opaque = is_opaque
        self._pixmap: QPixmap | None = None
        self._made_from: object = None
        self._drawn_from: object = None

    def picture(
        self, painter: QPainter, size: QSize, made_from: tuple[object, ...], draw: Draw
    ) -> QPixmap | None:
        """Return the pixmap of what `draw` paints in the upper left `size` pixels, or None: draw it directly.

        The pixmap is painted again where `made_from`, the size, the colours, the text size or the resolution
        of the screen are no longer those of the pixmap, but are those of the frame before.
        """
        if not draws_pixels(painter):
            return None
        ratio = painter.device().devicePixelRatioF()
        key = made_from, size, ratio, self._look.palette, self._look.sizes
        if self._pixmap is None or key != self._made_from:
            if key != self._drawn_from:
                self._drawn_from = key
                return None
            room = QRectF(0, 0, size.width(), size.height())
            background = self._look.colour("card") if self._is_opaque else None
            self._pixmap, self._made_from = painted(room, ratio, draw, self._pixmap, background), key
        return self._pixmap

    def draw(self, painter: QPainter, size: QSize, made_from: tuple[object, ...], draw: Draw) -> None:
        """Draw what `draw` paints, from the pixmap where there is one."""
        pixmap = self.picture(painter, size, made_from, draw)
        if pixmap is None:
            draw(painter)
        else:
            painter.drawPixmap(0, 0, pixmap)


class CachedTexts:
    """A cache of small pixmaps of texts, of which a view draws many in each frame.

    The least recently drawn ones are dropped where there are too many.
    """

    def __init__(self, look: Look) -> None:
        self._look = look
        self._pixmaps: dict[Hashable, QPixmap] = {}
        self._made_with: Hashable = None

    def frame(self, painter: QPainter) -> FrameTexts:
        """Return what draws the texts of one frame with `painter`."""
        if not draws_pixels(painter):
            return FrameTexts(painter, None, {})
        ratio = painter.device().devicePixelRatioF()
        made_with = ratio, self._look.palette, self._look.sizes
        if made_with != self._made_with:
            self._made_with = made_with
            self._pixmaps.clear()
        for _ in range(len(self._pixmaps) - _MOST_PICTURES):
            del self._pixmaps[next(iter(self._pixmaps))]
        return FrameTexts(painter, ratio, self._pixmaps)


@dataclass(frozen=True, eq=False)
class FrameTexts:
    """Draws texts from `pixmaps`, for a screen with `ratio` device pixels to one of Qt's logical pixels.

    Where `ratio` is None they are drawn as texts.
    """

    painter: QPainter
    ratio: float | None
    pixmaps: dict[Hashable, QPixmap]

    def draw(self, room: QRectF, texts: Iterable[tuple[QPointF, Hashable, Draw]]) -> None:
        """Draw texts that each cover at most `room` about a point, on whole pixels of the screen.

        Each has its point, what it is made from, and what draws it if there is no picture of that yet: it
        is called with a painter whose origin is the point.
        """
        painter, ratio, pixmaps = self.painter, self.ratio, self.pixmaps
        if ratio is None:
            for at, _, draw in texts:
                painter.save()
                painter.translate(at)
                draw(painter)
                painter.restore()
            return
        corner = _corner(room, ratio)
        left, top, floor = corner.x(), corner.y(), math.floor
        for at, made_from, draw in texts:
            pixmap = pixmaps.pop(made_from, None) or painted(room, ratio, draw)
            pixmaps[made_from] = pixmap  # put at the end: the most recently drawn
            x, y = floor(ratio * at.x() + 0.5) / ratio, floor(ratio * at.y() + 0.5) / ratio
            painter.drawPixmap(QPointF(x + left, y + top), pixmap)


def painted(
    room: QRectF, ratio: float, draw: Draw, pixmap: QPixmap | None = None, background: QColor | None = None
) -> QPixmap:
    """Return what `draw` paints in `room`, for a screen with `ratio` device pixels to one of Qt's.

    It is painted on `background`, or else on a transparent one, and into `pixmap` if that has the right size:
    making one takes longer than clearing it.
    """
    corner = _corner(room, ratio)
    far = room.bottomRight() - corner
    size = QSize(max(1, math.ceil(far.x() * ratio)), max(1, math.ceil(far.y() * ratio)))
    if pixmap is None or pixmap.size() != size:
        pixmap = QPixmap(size)
    pixmap.setDevicePixelRatio(ratio)
    pixmap.fill(background or Qt.GlobalColor.transparent)
    with QPainter(pixmap) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setClipRect(QRectF(0, 0, far.x() + 1, far.y() + 1))
        painter.translate(-corner)
        draw(painter)
    return pixmap


def _corner(room: QRectF, ratio: float) -> QPointF:
    """Return the upper left corner of `room`, moved outwards to a whole pixel of the screen."""
    return QPointF(math.floor(room.left() * ratio) / ratio, math.floor(room.top() * ratio) / ratio)
