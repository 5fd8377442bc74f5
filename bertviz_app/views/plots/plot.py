"""A picture of data in pyqtgraph's scene; every plot of the program is pointed at and zoomed alike."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import partial

import pyqtgraph as pg
from pyqtgraph.exporters import CSVExporter, ImageExporter
from pyqtgraph.graphicsItems.ViewBox.ViewBoxMenu import ViewBoxMenu
from pyqtgraph.GraphicsScene.exportDialog import ExportDialog, FormatExportListWidgetItem
from pyqtgraph.widgets.TreeWidget import InvisibleRootItem
from PySide6.QtCore import QCoreApplication, QEvent, QPoint, QPointF, QRectF, QSize, QSizeF, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QFocusEvent,
    QFont,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QNativeGestureEvent,
    QPainter,
    QPen,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import (
    QApplication,
    QGraphicsItem,
    QGraphicsSceneWheelEvent,
    QGraphicsWidget,
    QHeaderView,
    QMenu,
    QStyleOptionGraphicsItem,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from bertviz_app.viewmodels.viewport import PixelAxis, TokenSpan
from bertviz_app.views.kit.canvas import (
    BY_KEY,
    OTHER_WINDOW,
    STALE,
    Guarded,
    LaterWork,
    draw_focus_ring,
    guarded,
)
from bertviz_app.views.kit.look import LEFT, RIGHT, Look, Pencil
from bertviz_app.views.kit.terms import set_subject
from bertviz_app.views.kit.words import Item, MenuRequest, add_items


class BoxMenu(ViewBoxMenu):
    """pyqtgraph's menu of a view box: "View All", the options of its axes, the mouse mode.

    `has_axes`: axes of tokens and cells have no options; inverted they would not fit what is drawn.
    It is made each time it is opened: its forms take 10 ms, and it is in the language in force.
    """

    def __init__(self, box: pg.ViewBox, *, has_axes: bool) -> None:
        super().__init__(box)
        for form in self.ctrl:
            form.label.hide()  # no box has a name by which it could be linked
            form.linkCombo.hide()
            for field in (form.minText, form.maxText):
                field.editingFinished.connect(box.range_chosen)
        for action in () if has_axes else self.actions()[1:3]:
            self.removeAction(action)


class ExportOfPlot(Guarded, ExportDialog):
    """pyqtgraph's dialog, with those of its exporters that work here.

    SVG and PDF are written by the program: pyqtgraph's own SVG is broken (its issue 3495).
    """

    def __init__(self, scene: pg.GraphicsScene, window: QWidget) -> None:
        super().__init__(scene)
        self.setParent(window, Qt.WindowType.Dialog)
        self.selectBox.setPen(QPen(Qt.PenStyle.NoPen))  # else it frames the plot, in saved pictures too
        tree = self.ui.paramTree
        tree._invRootItem = _RootItem(tree)  # noqa: SLF001 - pyqtgraph has no other way to it
        for short in (self.ui.itemTree, self.ui.formatList):
            short.setMaximumHeight(3 * short.fontMetrics().height())
        line = self.fontMetrics().height()
        self.resize(24 * line, 28 * line)  # all options of an image are in sight
        tree.header().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)  # else names in Korean are cut

    def updateItemList(self, select: object = None) -> None:
        """List the whole picture and the plots in it that have numbers."""
        tree, translate = self.ui.itemTree, QCoreApplication.translate
        tree.clear()
        parts = [(translate("PlotMenu", "The whole picture"), self.scene)]
        parts += [(translate("PlotMenu", "Its numbers"), item) for item in items_with_numbers(self.scene)]
        for text, part in parts:
            row = _Part([text])
            row.gitem = part
            tree.addTopLevelItem(row)
        tree.setCurrentItem(tree.topLevelItem(0))

    def updateFormatList(self) -> None:
        """List what the chosen part can be written as."""
        formats, row = self.ui.formatList, self.ui.itemTree.currentItem()
        formats.clear()
        if row is not None:
            exporter = CSVExporter if isinstance(row.gitem, pg.PlotItem) else ImageExporter
            name = QCoreApplication.translate("Exporter", exporter.Name)
            formats.addItem(FormatExportListWidgetItem(exporter, name))
            formats.setCurrentRow(0)

    def exportFormatChanged(
        self, item: FormatExportListWidgetItem | None, before: FormatExportListWidgetItem | None
    ) -> None:
        """List the options of the format, without pyqtgraph's name of all of them.

        They are listed once: pyqtgraph's rows of an earlier list still follow the options, without fields.
        """
        self.currentExporter = exporter = item and item.expClass(self.ui.itemTree.currentItem().gitem)
        options = exporter and exporter.parameters()
        if options is None:
            self.ui.paramTree.clear()
        else:
            self.ui.paramTree.setParameters(options, showTop=False)
        self.ui.copyBtn.setEnabled(exporter is not None and exporter.allowCopy)


class _RootItem(InvisibleRootItem):
    """What pyqtgraph adds parameters to, found anew at each use.

    pyqtgraph's own holds a wrapper of Qt's item beyond the end of the tree. For PySide whatever is then made
    at the item's address is that item: a later window lost calls of Qt, or ended the process.
    """

    def __init__(self, tree: QTreeWidget) -> None:
        self._tree = tree

    @property
    def _real_item(self) -> QTreeWidgetItem:
        return QTreeWidget.invisibleRootItem(self._tree)


class _Part(QTreeWidgetItem):
    gitem: object = None
    """What of the scene it stands for, as pyqtgraph calls it."""


def items_with_numbers(scene: pg.GraphicsScene) -> list[pg.PlotItem]:
    """Return pyqtgraph's plots in a scene that have curves, points or bars."""
    plots = (item for item in scene.items() if isinstance(item, pg.PlotItem))
    return [
        plot
        for plot in plots
        if any(
            isinstance(item, pg.ErrorBarItem) or (hasattr(item, "implements") and item.implements("plotData"))
            for item in plot.items
        )
    ]


pg.setConfigOptions(
    imageAxisOrder="row-major",
    antialias=False,
    mouseRateLimit=0,  # a plot that is slow to draw merges moves itself; tests send them fast
    exitCleanup=False,  # looks through all objects there are when the program ends
)

WHEEL = 0.85
"""The factor by which a notch of the wheel changes what is in sight."""
_KEY_ZOOM = 0.7
ARROWS = {
    Qt.Key.Key_Up: (-1, 0),
    Qt.Key.Key_Down: (1, 0),
    Qt.Key.Key_Left: (0, -1),
    Qt.Key.Key_Right: (0, 1),
}
_ZOOM_KEYS = {"+": _KEY_ZOOM, "=": _KEY_ZOOM, "-": 1 / _KEY_ZOOM}
_PADDING, _AWAY = 8.0, 14.0
_ABOVE_ALL = 10_000.0
_BETWEEN = 16.0

Line = str | tuple[str, str]
"""A line of a read-out: a text, or one at the left and one at the right."""


class Painted:
    """The part of an item of ours that draws: guarded, and the painter is left as it was."""

    def draw(self, painter: QPainter) -> None:
        """Draw the item; its coordinates are logical pixels."""
        raise NotImplementedError

    @guarded
    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        painter.save()
        try:
            self.draw(painter)
        finally:
            painter.restore()


class Drawing(Guarded, Painted, pg.GraphicsObject):
    """An item that draws in pixels of its parent, a `Box` or an axis; subclasses override `draw`.

    A child of a box is clipped to it. `rect` is where it may draw: all of the parent, unless a subclass
    returns another one and calls `prepareGeometryChange` before that changes.
    """

    def __init__(self, look: Look, parent: QGraphicsItem) -> None:
        super().__init__(parent)
        self.look = look
        self.setAcceptedMouseButtons(Qt.MouseButton.NoButton)

    def rect(self) -> QRectF:
        """Return where the item draws, in pixels of its parent."""
        parent = self.parentItem()
        return QRectF() if parent is None else QRectF(parent.rect())

    def follow(self, box: Box) -> None:
        """Draw anew whenever `box` shows another range, or has another size or place."""

        def draw_anew() -> None:
            self.prepareGeometryChange()
            self.update()

        box.followers.append(draw_anew)

    def boundingRect(self) -> QRectF:
        return self.rect()


class DrawnBy(Drawing):
    """An item that a function draws, in all of its parent or where it is placed; see `Drawing`."""

    def __init__(self, look: Look, parent: QGraphicsItem, draw: Callable[[QPainter], None]) -> None:
        super().__init__(look, parent)
        self._draw = draw
        self._room: QRectF | None = None

    def place(self, room: QRectF) -> None:
        """Draw anew, in these pixels of the parent."""
        if room != self._room:
            self.prepareGeometryChange()
            self._room = room
        self.update()

    def rect(self) -> QRectF:
        return super().rect() if self._room is None else self._room

    def draw(self, painter: QPainter) -> None:
        self._draw(painter)


class ReadOut(Drawing):
    """What is under the pointer, written beside it in a box; the first line is its title."""

    def __init__(self, plot: Plot) -> None:
        self._plot = plot
        self.lines: tuple[Line, ...] = ()
        self._at = QPointF()
        self._box, self._heights = QRectF(), [0.0]
        super().__init__(plot.look, plot.ci)
        self.setZValue(_ABOVE_ALL)
        self.hide()

    def show_lines(self, lines: Sequence[Line], at: QPointF) -> None:
        """Write `lines` beside the point `at` of the plot; none hides the box."""
        lines = tuple(lines)
        if (lines, at) == (self.lines, self._at):
            return
        self.prepareGeometryChange()
        self.lines, self._at = lines, at
        self.setVisible(bool(lines))
        # Below and right of the point, or where there is room. Of a plot in a scroll area a part is in sight.
        seen = self._plot.viewport().visibleRegion().boundingRect()
        room = QRectF(self._plot.rect() if seen.isEmpty() else seen)
        metrics = [QFontMetricsF(self._font(number)) for number in range(min(2, len(lines)))]
        most = max(40.0, room.width() - 2 * _PADDING - 1)
        sizes = [_size_of(metrics[min(1, number)], _texts(line), most) for number, line in enumerate(lines)]
        heights = self._heights = [size.height() for size in sizes]
        while len(heights) > 1 and sum(heights) + 2 * _PADDING > room.height():
            heights.pop()  # of a low plot's last lines none is cut through
        width = max((size.width() for size in sizes), default=0.0) + 2 * _PADDING
        height = sum(heights) + 2 * _PADDING
        x = _placed(at.x(), width, room.left(), room.left() + room.width())
        y = _placed(at.y(), height, room.top(), room.top() + room.height())
        self._box = QRectF(x, y, width, height)
        self.update()

    def hide_lines(self) -> None:
        self.show_lines((), self._at)

    def rect(self) -> QRectF:
        return self._box.adjusted(-2, -2, 2, 2)

    def draw(self, painter: QPainter) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        pencil = Pencil(painter, self.look)
        pencil.box(self._box, "rule", fill="raised", rounding=6)
        top = self._box.top() + _PADDING
        for number, (line, height) in enumerate(zip(self.lines, self._heights, strict=False)):
            font, colour = self._font(number), "secondary" if number else "text"
            row = QRectF(self._box.left() + _PADDING, top, self._box.width() - 2 * _PADDING + 1, height)
            for text, side in zip(_texts(line), (LEFT, RIGHT), strict=False):
                pencil.prose(text, row, font, colour, side)
            top += height

    def _font(self, number: int) -> QFont:
        return self.look.font(12) if number else self.look.font(13, bold=True)


def stepped(at: int | None, step: int, count: int) -> int:
    """Return the number `step` further on, of `count`; the first one where there was none."""
    return 0 if at is None else min(max(at + step, 0), count - 1)


def _texts(line: Line) -> tuple[str, ...]:
    return (line,) if isinstance(line, str) else line


def _size_of(metrics: QFontMetricsF, texts: tuple[str, ...], most: float) -> QSizeF:
    """Return the room for texts beside each other, or for one in several lines where it is too long."""
    width = sum(map(metrics.horizontalAdvance, texts)) + _BETWEEN * (len(texts) - 1)
    if width <= most or len(texts) > 1:
        return QSizeF(width, metrics.height())
    return metrics.boundingRect(QRectF(0, 0, most, 10_000), Qt.TextFlag.TextWordWrap, texts[0]).size()


def _placed(at: float, size: float, start: float, end: float) -> float:
    """Return where a box of this size begins: behind the pointer, else before it, from `start` to `end`."""
    first = at + _AWAY if at + _AWAY + size <= end else max(start, at - _AWAY - size)
    return max(start, min(first, end - size))


class Box(Guarded, pg.ViewBox):
    """A view box that stays within what there is to see, and pans, frames and zooms as `plot.py` says.

    `is_snapped`: a framed part is widened to whole units of both axes, such as tokens.
    `close`: a double click where all is in sight shows about so many units a side; 0: it does nothing.
    `range_chosen` is emitted after a gesture of the user changed what is in sight; `sigRangeChanged` always.
    """

    range_chosen = Signal()

    frames = True
    """Whether a drag while all is in sight, or with Shift, frames a part; else it always pans."""

    def __init__(self, plot: Plot, *, y_down: bool = False) -> None:
        self.carry: Callable[[QPointF, QPointF, bool], bool] = lambda start, now, is_over: False
        """Takes a drag with the left button, from one point of the plot to another, for something else than
        moving what is in sight; returns whether it did so. `is_over`: the button was let go."""
        super().__init__(enableMenu=False, invertY=y_down, defaultPadding=0)
        self.plot = plot
        self.whole = QRectF(0, 0, 1, 1)
        self.is_snapped = False
        self.close = 0
        self.zooms = (True, True)
        """Whether the wheel over the box zooms its horizontal and its vertical axis; over an axis it does."""
        self.has_axis_options = not y_down
        """Whether the menu has the options of its axes: those of cells and tokens are not to be inverted."""
        self.followers: list[Callable[[], object]] = []
        """Called after another range is in sight, and after the box has another size or place."""
        self._is_framing = False
        self.disableAutoRange()
        # pyqtgraph's own factor a notch is 1.02 to the power of 15.
        self.state["wheelScaleFactor"] = math.log(WHEEL) / math.log(1.02) / 120
        self.sigRangeChangedManually.connect(self.range_chosen)
        self.sigRangeChanged.connect(self._on_range_changed)
        self.geometryChanged.connect(self._call_followers)

    def _on_range_changed(self, *_: object) -> None:
        # pyqtgraph does it while the plot is painted, which paints all that moved with it once more.
        self.updateMatrix()
        self.plot.on_range_changed()
        self._call_followers()

    def _call_followers(self) -> None:
        for follow in self.followers:
            follow()

    # what is in sight

    def set_whole(self, whole: QRectF, fewest: float = 0.0, *, shows_all: bool = True) -> None:
        """Limit what can be in sight to `whole`, in units of the axes, and at least `fewest` of them a side.

        `shows_all`: show all of it now, else as much as before.
        """
        self.whole = QRectF(whole)
        width, height = whole.width() or 1.0, whole.height() or 1.0
        self.setLimits(
            xMin=whole.left(),
            xMax=whole.left() + width,
            yMin=whole.top(),
            yMax=whole.top() + height,
            minXRange=min(fewest, width) or None,
            minYRange=min(fewest, height) or None,
        )
        if shows_all:
            self.show_part(self.whole)

    def show_part(self, part: QRectF) -> None:
        """Show a part of the whole, as far as the limits allow."""
        if part.width() > 0 and part.height() > 0:
            self.setRange(part, padding=0)

    def show_all(self) -> None:
        self.show_part(self.whole)

    def autoRange(self, padding: object = None, items: object = None, item: object = None) -> None:
        """Show everything: what pyqtgraph's menu calls "View All"."""
        self.show_all()
        self.range_chosen.emit()

    @property
    def is_whole(self) -> bool:
        """Whether everything is in sight."""
        (left, right), (top, bottom) = self.viewRange()
        width, height = self.whole.width(), self.whole.height()
        return bool(right - left >= width * (1 - 1e-9) and bottom - top >= height * (1 - 1e-9))

    def zoom(self, factor: float, at: QPointF | None = None) -> None:
        """Show `factor` times as much a side; the point `at`, in units of the axes, stays where it is."""
        self.scaleBy((factor, factor), self.viewRect().center() if at is None else at)
        self.range_chosen.emit()

    def reveal(self, part: QRectF) -> None:
        """Move so far that a small part, in units of the axes, is in sight."""
        seen = self.viewRect()
        across = max(0.0, part.right() - seen.right()) + min(0.0, part.left() - seen.left())
        up = max(0.0, part.bottom() - seen.bottom()) + min(0.0, part.top() - seen.top())
        if across or up:
            self.translateBy(x=across, y=up)

    def toggle(self, at: QPointF) -> None:
        """Show everything; or, where that is in sight already, a part about `at` in units of the axes."""
        if not self.is_whole:
            self.show_all()
        elif self.close:
            shares = [min(1.0, self.close / size) for size in (self.whole.width(), self.whole.height())]
            self.scaleBy(shares, at)
        self.range_chosen.emit()

    # pixels

    def geometry_in_plot(self) -> QRectF:
        return QRectF(self.mapRectToScene(self.rect()))

    def position(self, at: QPointF) -> QPointF:
        """Return the units of the axes at a point of the plot."""
        return QPointF(self.mapSceneToView(at))

    def position_inside(self, at: QPointF | None) -> QPointF | None:
        """Return the units of the axes at a point of the plot, None where it is not in the box."""
        return None if at is None or not self.sceneBoundingRect().contains(at) else self.position(at)

    def rows(self) -> PixelAxis:
        """Return where units of the vertical axis lie in the pixels of the box; they must go down."""
        first, last = self.viewRange()[1]
        return PixelAxis(TokenSpan(first, last), 0.0, self.height())

    def columns(self) -> PixelAxis:
        """Return where units of the horizontal axis lie in the pixels of the box."""
        first, last = self.viewRange()[0]
        return PixelAxis(TokenSpan(first, last), 0.0, self.width())

    # gestures

    def mouseDragEvent(
        self, ev: pg.GraphicsScene.mouseEvents.MouseDragEvent, axis: int | None = None
    ) -> None:
        self.updateMatrix()  # else it is that of the last frame
        is_left, is_plain = ev.button() == Qt.MouseButton.LeftButton, not ev.modifiers()
        start = QPointF(ev.buttonDownScenePos(Qt.MouseButton.LeftButton))
        if is_left and is_plain and self.carry(start, QPointF(ev.scenePos()), bool(ev.isFinish())):
            ev.accept()
            return
        if ev.isStart():
            is_asked = bool(ev.modifiers() & Qt.KeyboardModifier.ShiftModifier) or self.is_whole
            is_asked = is_asked or self.state["mouseMode"] == pg.ViewBox.RectMode
            self._is_framing = self.frames and is_asked
        if not self._is_framing or axis is not None or ev.button() != Qt.MouseButton.LeftButton:
            super().mouseDragEvent(ev, axis)
            return
        ev.accept()
        start = ev.buttonDownPos(Qt.MouseButton.LeftButton)
        if ev.isFinish():
            self.rbScaleBox.hide()
            part = self.mapToView(QRectF(start, ev.pos()).normalized()).boundingRect() & self.whole
            if self.is_snapped:
                left, top = math.floor(part.left()), math.floor(part.top())
                part = QRectF(left, top, math.ceil(part.right()) - left, math.ceil(part.bottom()) - top)
            self.show_part(part)
            self.range_chosen.emit()
        else:
            pen = QPen(self.plot.look.colour("accent"), 1.5, Qt.PenStyle.DashLine)
            pen.setCosmetic(True)
            self.rbScaleBox.setPen(pen)
            self.rbScaleBox.setBrush(self.plot.look.colour("accent", 0.12))
            self.updateScaleBox(start, ev.pos())
            self.rbScaleBox.show()

    def wheelEvent(self, ev: QGraphicsSceneWheelEvent, axis: int | None = None) -> None:
        """Zoom; a wheel or touch pad that scrolls sideways pans."""
        self.updateMatrix()
        if ev.orientation() == Qt.Orientation.Horizontal:
            self.translateBy(x=-ev.delta() / 120 * 0.1 * self.viewRect().width())
            ev.accept()
            self.range_chosen.emit()
        else:
            only = None if all(self.zooms) else self.zooms.index(True)
            super().wheelEvent(ev, only if axis is None else axis)

    def mouseClickEvent(self, ev: pg.GraphicsScene.mouseEvents.MouseClickEvent) -> None:
        """Do nothing: the plot opens the menu, and knows what a click is on."""
        ev.ignore()

    def keyPressEvent(self, ev: QKeyEvent) -> None:
        ev.ignore()


class Plot(Guarded, pg.GraphicsLayoutWidget):
    """The widget around one picture of data.

    Subclasses override `on_pointed`, `on_clicked`, `on_walked`, `on_entered` and `on_let_go` for what mouse
    and keys do in the picture, `on_range_changed`, `resized` and `recolour` for what changes around it,
    `press` for further keys, and `menu_items` for what the menu has below pyqtgraph's own entries. Points
    are in pixels of the plot, which are those of the scene.

    Where what is around a plot draws its picture, `pointed`, `clicked` and `key_pressed` are functions of it.
    """

    walks = False
    """Whether arrows and Enter do something: where they do not, they are keys of the window."""

    shows_words = False
    """Whether its texts are the words of the user's text, which name no terms of the glossary."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self.look = look
        self.is_stale = False
        self.omits_hints = False
        self.boxes: list[Box] = []
        self._dirty: list[tuple[QGraphicsItem, QRectF]] = []
        self.pointer: QPointF | None = None
        """Where the pointer is over the plot while no button is down, in its pixels."""
        self.modifiers = Qt.KeyboardModifier.NoModifier
        """Which keys were down at the last click or key."""
        self.pointed: Callable[[QPointF | None], object] = lambda at: None
        self.clicked: Callable[[QPointF], object] = lambda at: None
        self.key_pressed: Callable[[QKeyEvent], bool] = lambda event: False
        """Handles a key before the plot does; returns whether it meant anything."""
        self._is_focused_by_key = False
        self._export_dialog: ExportOfPlot | None = None
        self._exporter: CSVExporter | None = None
        self.ci.setContentsMargins(0, 0, 0, 0)
        self.ci.layout.setSpacing(0)
        self.setCacheMode(pg.GraphicsView.CacheModeFlag.CacheNone)
        self.scene().setItemIndexMethod(self.scene().ItemIndexMethod.NoIndex)
        self.setMinimumSize(40, 40)
        self.viewport().setObjectName("qt_scrollarea_viewport")  # pyqtgraph replaces Qt's own, named so
        self.read_out = ReadOut(self)
        set_subject(self, "picture_of_data")
        self.scene().sigMouseMoved.connect(self._on_scene_moved)
        self.scene().sigMouseClicked.connect(self._on_scene_clicked)
        look.changed.connect(self._on_look_changed)
        self.setBackground(look.colour("card"))

    # parts

    def add_box(self, row: int = 0, column: int = 0, *, y_down: bool = False) -> Box:
        box = Box(self, y_down=y_down)
        self.place_box(box, row, column)
        return box

    def place_box(self, box: Box, row: int, column: int) -> None:
        self.ci.addItem(box, row, column)
        self.boxes.append(box)

    def plot_around(self, box: Box, **axes: pg.AxisItem) -> pg.PlotItem:
        """Return pyqtgraph's plot around a view box, with these axes; what is in it can be saved as CSV."""
        self.boxes.append(box)
        item = pg.PlotItem(viewBox=box, enableMenu=False, axisItems=axes)
        item.hideButtons()
        for side in {"left", "bottom"} - axes.keys():
            item.hideAxis(side)
        return item

    def add_rest(self, row: int, column: int) -> None:
        """Let a cell of the layout take what parts of their greatest size leave."""
        rest = QGraphicsWidget()
        rest.setMinimumSize(0, 0)
        rest.setPreferredSize(0, 0)
        self.ci.layout.addItem(rest, row, column)

    def box_at(self, at: QPointF) -> Box | None:
        """Return the view box under a point of the plot."""
        return next((box for box in self.boxes if box.sceneBoundingRect().contains(at)), None)

    def lay_out(self) -> None:
        """Give all parts their places now, not in the next turn of the event loop."""
        self.ci.layout.activate()

    def whole_pixels(self, length: float) -> int:
        """Return `length` rounded up to whole pixels of the screen, also where it has 1.25 or 1.5 for each.

        What lies beside a part of this size is then copied from its cached picture without blending pixels.
        """
        step = 1 if self.devicePixelRatioF().is_integer() else 4
        return math.ceil(length / step) * step

    # state

    def set_stale(self, is_stale: bool) -> None:
        """Dim the picture while it is out of date."""
        if is_stale != self.is_stale:
            self.is_stale = is_stale
            self.ci.setOpacity(STALE if is_stale else 1.0)
            self.read_out.hide_lines()

    def set_omits_hints(self, *, omits_hints: bool) -> None:
        """Draw without signs that only a tool tip explains, or with them."""
        self.omits_hints = omits_hints

    def set_printed(self, *, is_printed: bool) -> None:
        """Draw for print, or as on screen again: by default both look alike."""

    @property
    def lacks_room(self) -> bool:
        """Whether labels are left out because there is no room for them."""
        return False

    def draw_into(self, painter: QPainter) -> None:
        """Draw the picture with another painter, in the pixels of the widget."""
        room = QRectF(self.rect())
        self.lay_out()
        self.scene().render(painter, room, room)

    @property
    def hidden_height(self) -> int:
        """How many more pixels a saved picture needs to have all that is written, where it is not zoomed."""
        return 0

    def update_soon(self, item: QGraphicsItem, parts: Iterable[QRectF]) -> None:
        """Paint parts of an item: at once if the pointer is over this plot, else in a later turn.

        So the plot under the pointer is painted first where a gesture changes several.
        """
        self._dirty += [(item, part) for part in parts]
        if self.underMouse():
            self._update_dirty()
        else:
            LaterWork.shared().add(self, "update", self._update_dirty)

    def _update_dirty(self) -> None:
        dirty, self._dirty = self._dirty, []
        for item, part in dirty:
            item.update(part)

    def menu_items(self) -> list[Item]:
        """Return what the menu has below pyqtgraph's own entries: (text, what it does); None: a heading.

        The text "" is a line between entries; one that begins with a check mark is ticked.
        """
        return []

    # the pointer

    def _on_scene_moved(self, at: QPointF) -> None:
        self.pointer = None if self.scene().clickEvents else QPointF(at)  # a button is down
        self.on_pointed(self.pointer)

    def _on_scene_clicked(self, event: pg.GraphicsScene.mouseEvents.MouseClickEvent) -> None:
        at, self.modifiers = QPointF(event.scenePos()), event.modifiers()
        if event.button() == Qt.MouseButton.RightButton:
            self.open_menu(event.screenPos().toPoint(), at)
        elif event.button() != Qt.MouseButton.LeftButton:
            return
        elif event.double():
            box = self.box_at(at)
            if box is not None:
                box.toggle(box.position(at))
        else:
            self.on_clicked(at)

    def on_pointed(self, at: QPointF | None) -> None:
        """Follow the pointer to a point; None: it has left, or a button is down."""
        self.pointed(at)

    def on_clicked(self, at: QPointF) -> None:
        """Do what a click of the left button on a point does."""
        self.clicked(at)

    def on_range_changed(self) -> None:
        """Follow what is in sight of a view box, which has changed."""

    def point_again(self) -> None:
        """Follow a pointer at rest: something else may have come under it."""
        if self.pointer is not None:
            self.on_pointed(self.pointer)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._forget_pointer()

    def _forget_pointer(self) -> None:
        self.pointer = None
        self.read_out.hide_lines()
        self.on_pointed(None)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.read_out.hide_lines()
        super().mousePressEvent(event)

    def viewportEvent(self, event: QEvent) -> bool:
        """Zoom by a pinch on a touch pad; everything else is pyqtgraph's."""
        if isinstance(event, QNativeGestureEvent):
            if event.gestureType() == Qt.NativeGestureType.ZoomNativeGesture:
                box = self.box_at(self.mapToScene(event.position().toPoint()))
                if box is not None:
                    at = box.mapSceneToView(self.mapToScene(event.position().toPoint()))
                    box.zoom(1 / max(0.2, 1 + event.value()), at)
            return True
        return bool(super().viewportEvent(event))

    def wheelEvent(self, event: QWheelEvent) -> None:
        super().wheelEvent(event)
        event.accept()

    # keys

    def press(self, event: QKeyEvent) -> bool:
        """Handle a key that is pressed; return whether it means anything here."""
        key = Qt.Key(event.key())
        if self.walks and self._is_plain(event) and key in ARROWS:
            self.on_walked(*ARROWS[key])
        elif self.walks and key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.on_entered()
        elif key == Qt.Key.Key_F10 and event.modifiers() == Qt.KeyboardModifier.ShiftModifier:
            self._open_menu_by_key()
        elif self.boxes and event.text() in _ZOOM_KEYS:
            for box in self.boxes:
                box.zoom(_ZOOM_KEYS[event.text()])
        elif self.boxes and event.text() == "0":
            for box in self.boxes:
                box.autoRange()
        else:
            return False
        return True

    def on_walked(self, rows: int, columns: int) -> None:
        """Go as far as an arrow key says: a row up (-1) or down (1), or a column to the left or right."""

    def on_entered(self) -> None:
        """Do what Enter does where the arrow keys are."""

    def on_let_go(self) -> None:
        """Let go of what the arrow keys have come to: Escape was pressed."""

    def _is_plain(self, event: QKeyEvent) -> bool:
        # On macOS the arrows are of the keypad.
        return not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier

    def event(self, event: QEvent) -> bool:
        """Take the keys of the plot before the shortcuts of the window that are the same keys."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            if event.key() == Qt.Key.Key_Escape:
                self.read_out.hide_lines()  # and leave the key to what is around the plot, which unpins
                self.on_let_go()
            is_zoom = bool(self.boxes) and event.text() in (*_ZOOM_KEYS, "0")
            if is_zoom or (self.walks and self._is_plain(event) and Qt.Key(event.key()) in ARROWS):
                event.accept()
                return True
        return bool(super().event(event))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        event.setAccepted(self.key_pressed(event) or self.press(event))

    # the menu

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Open the menu by its key; the right button opens it when it is released, as in pyqtgraph."""
        event.accept()
        # Some platforms send this for Shift+F10, too, after the key.
        if event.reason() == QContextMenuEvent.Reason.Keyboard and QApplication.activePopupWidget() is None:
            self._open_menu_by_key()

    def _open_menu_by_key(self) -> None:
        at = self.menu_point()
        self.open_menu(self.mapToGlobal(at.toPoint()), at)

    def menu_point(self) -> QPointF:
        """Return where the menu opens by its key."""
        return self.pointer or QRectF(self.rect()).center()

    def open_menu(self, on_screen: QPoint, at: QPointF) -> None:
        """Open the context menu of the view box under a point, or of the first one."""
        box = self.box_at(at) or next(iter(self.boxes), None)
        menu = QMenu() if box is None else BoxMenu(box, has_axes=box.has_axis_options)
        menu.setParent(self, menu.windowFlags())  # else Python deletes it at once
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        translate, request = QCoreApplication.translate, MenuRequest(on_screen)
        request.ask_around(self)
        numbers = translate("PlotMenu", "Numbers as CSV …")
        entries: list[Item] = [
            (translate("GraphicsScene", "Export..."), self._open_export_dialog),
            ("", None),
            *request.savers,
            *((numbers, partial(self._save_numbers, item)) for item in items_with_numbers(self.scene())),
        ]
        add_items(menu, [*entries, ("", None), *self.menu_items(), ("", None), *request.items])
        menu.popup(on_screen)

    def _save_numbers(self, item: pg.PlotItem) -> None:
        self._exporter = CSVExporter(item)
        self._exporter.export()

    def _open_export_dialog(self) -> None:
        if self._export_dialog is None:
            self._export_dialog = ExportOfPlot(self.scene(), self.window())
            self.destroyed.connect(self._export_dialog.deleteLater)
        self._export_dialog.ui.retranslateUi(self._export_dialog)  # in the language in force
        self._export_dialog.show(self.ci)

    # focus

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Draw a frame around the plot that has the keyboard focus, if it got it by Tab."""
        super().focusInEvent(event)
        if event.reason() != OTHER_WINDOW:
            self._is_focused_by_key = event.reason() in BY_KEY
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if event.reason() != OTHER_WINDOW:
            self._is_focused_by_key = False
        self.viewport().update()

    def drawForeground(self, painter: QPainter, rect: QRectF) -> None:
        if self._is_focused_by_key and self.hasFocus():
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            draw_focus_ring(painter, self.rect(), self.look)

    # changes around it

    def close(self) -> bool:
        """Close the widget as Qt does; pyqtgraph would empty its scene, which may be shown again."""
        return QWidget.close(self)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        # pyqtgraph calls it without an event while it is made, and Qt once more when `close` empties it.
        if event is None or self.closed:
            return
        self.lay_out()
        self.resized()
        if self.pointer is not None:  # what is under it in the new size is not known until it moves
            self._forget_pointer()

    def resized(self) -> None:
        """Lay out what depends on the size of the plot, which has changed."""

    def sizeHint(self) -> QSize:
        return QSize(400, 300)

    def _on_look_changed(self) -> None:
        self.setBackground(self.look.colour("card"))
        self.recolour()
        self.viewport().update()

    def recolour(self) -> None:
        """Take the colours and fonts in force; called when the theme or the text size changes."""
