"""A view as a picture: recorded once with its titles and key, written as PNG, SVG or PDF on any thread."""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from copy import deepcopy
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from PySide6.QtCore import (
    QBuffer,
    QByteArray,
    QCoreApplication,
    QEvent,
    QIODevice,
    QLineF,
    QMargins,
    QMarginsF,
    QObject,
    QPoint,
    QPointF,
    QRect,
    QRectF,
    QSize,
    QSizeF,
    Qt,
)
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontInfo,
    QFontMetricsF,
    QImage,
    QImageWriter,
    QPageSize,
    QPainter,
    QPdfWriter,
    QPen,
    QPicture,
    QRegion,
    QTransform,
)
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QHeaderView,
    QLineEdit,
    QScrollBar,
    QTableView,
    QWidget,
)

from bertviz_app.errors import FileError, Message
from bertviz_app.figures import check_picture
from bertviz_app.paths import replacing
from bertviz_app.values import dataclass
from bertviz_app.views.kit.canvas import Canvas, Guarded, end_turns
from bertviz_app.views.kit.card import Segments
from bertviz_app.views.kit.look import LEFT, RIGHT, Look, Palette, Pencil, blended, style_sheet
from bertviz_app.views.kit.subject import NO_TITLES, AxisTitles, LineKey, PictureSheet
from bertviz_app.views.plots.cells import CellsPlot
from bertviz_app.views.plots.plot import Plot

_SVG, _XLINK = "http://www.w3.org/2000/svg", "{http://www.w3.org/1999/xlink}href"
_TAG = f"{{{_SVG}}}"
_DRAWN = frozenset(
    f"{_TAG}{name}" for name in ("path", "polyline", "rect", "circle", "ellipse", "text", "image")
)
_NUMBER = re.compile(r"-?\d+\.?\d*(?:[eE][-+]?\d+)?")
_PAIR = re.compile(rf"({_NUMBER.pattern}),({_NUMBER.pattern})")
_MOST_RECTANGLES = 2048
_FINEST = 2048  # pixels of an enlarged image along a side
_GENERIC = frozenset({"serif", "sans-serif", "monospace", "cursive", "fantasy"})
_IDENTITY = "matrix(1,0,0,1,0,0)"
# In UTF-8 what no XML 1.0 file may hold, however written: control characters, U+FFFE, U+FFFF, surrogates.
_NO_XML = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]|\xef\xbf[\xbe\xbf]|\xed[\xa0-\xbf][\x80-\xbf]")


def portable_svg(svg: bytes, ground: QColor) -> bytes:
    """Return the SVG of a `QSvgGenerator` without what renderers read differently.

    Colours are opaque: transparent ones are mixed with the area below, which on the page is `ground`. Lines
    of a constant width are written in pixels, images of few pixels as rectangles, font families in quotation
    marks, the one that the text was laid out with first.
    """
    ElementTree.register_namespace("", _SVG)
    ElementTree.register_namespace("xlink", _XLINK[1:-5])
    root = ElementTree.fromstring(_NO_XML.sub(b"", svg))  # Qt writes them as they stand in a text
    _Page(root, ground).rewrite()
    return bytes(ElementTree.tostring(root, encoding="UTF-8", xml_declaration=True))


class _Page:
    """Rewrites the groups of a page in place, in the order in which they are drawn."""

    def __init__(self, root: Element, ground: QColor) -> None:
        self._root = root
        self._ground = ground
        self._filled: list[tuple[QRectF, QColor]] = []
        self._families: dict[str, str] = {}
        self._clips = {
            clip.attrib["id"]: _bounds(clip[0], QTransform()) for clip in root.iter(f"{_TAG}clipPath")
        }

    def rewrite(self) -> None:
        for drawing in self._root.findall(f"{_TAG}g"):
            drawing[:] = [made for group in list(drawing) for made in self._groups(group, None)]
        used = {_clip_of(group) for group in self._root.iter()}
        for definitions in self._root.findall(f"{_TAG}defs"):
            definitions[:] = [area for area in definitions if area.attrib.get("id") in used]
            for shape in definitions.iter(f"{_TAG}path"):
                shape.attrib.pop("vector-effect", None)

    def _groups(self, group: Element, clip: str | None) -> Iterator[Element]:
        """Yield the groups that take the place of one of Qt's, none for one that draws nothing."""
        clip = _clip_of(group) or clip
        for child in list(group):
            if child.tag == f"{_TAG}g":
                yield from self._groups(child, clip)
            elif child.tag in _DRAWN:
                yield from self._drawn(group, child, clip)

    def _drawn(self, group: Element, child: Element, clip: str | None) -> Iterator[Element]:
        transform = QTransform(*map(float, _NUMBER.findall(group.attrib.get("transform", _IDENTITY))))
        made = Element(group.tag, {name: text for name, text in group.attrib.items() if name != "clip-path"})
        element = deepcopy(child)
        if element.attrib.pop("vector-effect", "none") == "non-scaling-stroke":
            _map_points(element, transform)
            transform = QTransform()
            made.set("transform", _IDENTITY)
        bounds = _bounds(element, transform)
        if not self._has_colours(made, element, bounds):
            return
        for part in (made, element):
            if "font-family" in part.attrib:
                part.set("font-family", self._quoted(part.attrib["font-family"]))
        limit = None if clip is None else self._clips.get(clip)
        if limit is not None and not limit.adjusted(-1, -1, 1, 1).contains(bounds):
            if not limit.intersects(bounds):
                return
            # A rectangle can be cut: not every renderer clips it.
            corners = _PAIR.findall(element.attrib.get("d", ""))
            xs, ys = {float(x) for x, _ in corners}, {float(y) for _, y in corners}
            if element.attrib.get("d", "").count("L") == 4 and len(xs) == 2 and len(ys) == 2:
                made.set("transform", _IDENTITY)
                cut = bounds.intersected(limit)
                sides = cut.left(), cut.top(), cut.right(), cut.bottom()
                left, top, right, bottom = (f"{side:g}" for side in sides)
                element.set("d", f"M{left},{top} L{right},{top} L{right},{bottom} L{left},{bottom} Z")
            else:
                made.set("clip-path", f"url(#{clip})")
        made.append(element)
        if element.tag == f"{_TAG}image":
            self._rewrite_image(made, element, bounds)
        yield made

    def _has_colours(self, made: Element, element: Element, bounds: QRectF) -> bool:
        """Make the colours of an element opaque; return whether it has any."""
        if element.tag == f"{_TAG}image":
            _forget_colours(made)
            # A wholly transparent image has no colours. The converted image is in a variable because
            # `constBits` returns its memory, which is freed with it.
            opacities = _image_in(element).convertToFormat(QImage.Format.Format_Alpha8)
            return any(bytes(opacities.constBits()))
        is_seen = False
        for kind in ("fill", "stroke"):
            colour = element.attrib.pop(kind, made.attrib.get(kind, "none"))
            opacity = element.attrib.pop(f"{kind}-opacity", made.attrib.get(f"{kind}-opacity", "1"))
            share = min(max(float(opacity), 0.0), 1.0)
            is_drawn = colour != "none" and share > 0
            is_seen = is_seen or is_drawn
            drawn = self._mixed(QColor(colour), share, bounds) if is_drawn else None
            element.set(kind, "none" if drawn is None else drawn.name())
            if kind == "fill" and drawn is not None and element.tag != f"{_TAG}text":
                self._filled.append((bounds, drawn))
        _forget_colours(made)
        return is_seen

    def _mixed(self, colour: QColor, share: float, bounds: QRectF) -> QColor:
        if share >= 1:
            return colour
        below = next((found for area, found in reversed(self._filled) if area.contains(bounds)), self._ground)
        return blended(colour, below, share)

    def _quoted(self, families: str) -> str:
        """Return a list of families in quotation marks, first the one that Qt chose of them."""
        if families not in self._families:
            names = [name.strip().strip("'\"") for name in families.split(",")]
            font = QFont()
            font.setFamilies(names)
            chosen = QFontInfo(font).family()
            ordered = dict.fromkeys((chosen, *(name for name in names if name not in _GENERIC)))
            generic = next((name for name in names if name in _GENERIC), "sans-serif")
            self._families[families] = ", ".join([*(f"'{name}'" for name in ordered if name), generic])
        return self._families[families]

    def _rewrite_image(self, made: Element, element: Element, bounds: QRectF) -> None:
        """Draw an image of few pixels as rectangles, and embed a larger one so that its pixels stay sharp.

        `bounds`: where it is on the page.
        """
        if element.attrib.get("image-rendering") == "optimizeQuality":
            return
        image = _image_in(element)
        left, top, width, height = (float(element.attrib[name]) for name in ("x", "y", "width", "height"))
        box = QRectF(left, top, width, height)
        if image.width() * image.height() <= _MOST_RECTANGLES:  # ImageMagick's own renderer reads no image
            made.remove(element)
            made.set("stroke", "none")
            made.set("shape-rendering", "crispEdges")
            self._draw_pixels(made, image, box, bounds)
            return
        if image.width() > 2 * width or image.height() > 2 * height:
            return  # shown much smaller than it is: renderers average alike
        factor = max(1, int(_FINEST / max(image.width(), image.height())))
        enlarged = image.scaled(
            image.size() * factor,
            Qt.AspectRatioMode.IgnoreAspectRatio,
            Qt.TransformationMode.FastTransformation,
        )
        content = QByteArray()
        buffer = QBuffer(content)
        buffer.open(QIODevice.OpenModeFlag.WriteOnly)
        QImageWriter(buffer, QByteArray(b"png")).write(enlarged)
        element.set(_XLINK, f"data:image/png;base64,{b64encode(content.data()).decode('ascii')}")
        element.set("style", "image-rendering:pixelated")

    def _draw_pixels(self, made: Element, image: QImage, box: QRectF, bounds: QRectF) -> None:
        """Draw each run of equal pixels as a rectangle.

        Each reaches to the right and lower edge of the image, and the next ones lie over it: so no renderer
        leaves a seam between two.
        """
        across, down = box.width() / image.width(), box.height() / image.height()
        for row in range(image.height()):
            before = None
            for column in range(image.width()):
                pixel = image.pixelColor(column, row)
                if pixel == before:
                    continue
                before = pixel
                at = QPointF(box.left() + column * across, box.top() + row * down)
                area = QRectF(at, box.bottomRight())
                sides = {"x": at.x(), "y": at.y(), "width": area.width(), "height": area.height()}
                fill = self._mixed(QColor(pixel.rgb()), pixel.alphaF(), bounds).name()
                SubElement(
                    made, f"{_TAG}rect", {name: f"{side:g}" for name, side in sides.items()}, fill=fill
                )


def _clip_of(group: Element) -> str | None:
    found = re.fullmatch(r"url\(#(.+)\)", group.attrib.get("clip-path", ""))
    return None if found is None else found[1]


def _map_points(element: Element, transform: QTransform) -> None:
    """Write the points of a path or a polyline in pixels of the page."""

    def mapped(found: re.Match[str]) -> str:
        point = transform.map(QPointF(float(found[1]), float(found[2])))
        return f"{point.x():g},{point.y():g}"

    for name in ("d", "points"):
        if name in element.attrib:
            element.set(name, _PAIR.sub(mapped, element.attrib[name]))


def _bounds(element: Element, transform: QTransform) -> QRectF:
    """Return the area of an element on the page; of a text that of its first letter."""
    sides = element.attrib
    if "d" in sides or "points" in sides:
        points = [(float(x), float(y)) for x, y in _PAIR.findall(sides.get("d", sides.get("points", "")))]
        across, down = [x for x, _ in points] or [0.0], [y for _, y in points] or [0.0]
        box = QRectF(QPointF(min(across), min(down)), QPointF(max(across), max(down)))
    elif "cx" in sides:
        radii = float(sides.get("rx", sides.get("r", 0))), float(sides.get("ry", sides.get("r", 0)))
        centre = QPointF(float(sides["cx"]), float(sides["cy"]))
        box = QRectF(centre - QPointF(*radii), centre + QPointF(*radii))
    else:
        left, top = float(sides.get("x", 0)), float(sides.get("y", 0))
        box = QRectF(left, top, float(sides.get("width", 0)), float(sides.get("height", 0)))
    # Of no width nothing would lie inside of anything.
    return transform.mapRect(box).adjusted(0, 0, 1e-6, 1e-6)


def _forget_colours(group: Element) -> None:
    """Take the colours from a group whose element has its own."""
    for kind in ("fill", "stroke"):
        group.attrib.pop(kind, None)
        group.attrib.pop(f"{kind}-opacity", None)


def _image_in(element: Element) -> QImage:
    encoded = element.attrib[_XLINK].partition("base64,")[2]
    return QImage.fromData(b64decode(encoded)).convertToFormat(QImage.Format.Format_ARGB32)


class ClippedTables(Guarded, QObject):
    """Keeps the tables below a widget from being painted with it, and paints them into their own area.

    On screen Qt cuts a cell at the edge of its table; this is no command of the painter, so a recording of a
    table lacks it, and a cell that is half scrolled away would reach over the neighbouring card.
    """

    def __init__(self) -> None:
        super().__init__()
        self._waiting: list[QWidget] = []

    @contextmanager
    def left_out_of(self, widget: QWidget) -> Iterator[None]:
        """Leave the tables below `widget` out of what is painted in the block."""
        views = widget.findChildren(QAbstractItemView)
        if isinstance(widget, QAbstractItemView):
            views.append(widget)
        areas = [view.viewport() for view in views]
        for area in areas:
            area.installEventFilter(self)
        try:
            yield
        finally:
            for area in areas:
                area.removeEventFilter(self)

    def draw(self, painter: QPainter, widget: QWidget) -> None:
        """Draw the tables that were left out; the origin of `painter` is that of `widget`."""
        for area in self._waiting:
            painter.save()
            painter.translate(area.mapTo(widget, QPoint()))
            painter.setClipRect(area.rect())
            area.render(painter, QPoint(), QRegion(_drawn(area)), QWidget.RenderFlag.DrawChildren)
            painter.restore()
        self._waiting.clear()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Put off the painting of a table."""
        if event.type() != QEvent.Type.Paint or not isinstance(watched, QWidget):
            return False
        if watched not in self._waiting:
            self._waiting.append(watched)
        return True


def _drawn(area: QWidget) -> QRect:
    """Return the part of a viewport that is drawn: of a header that without a section that would be cut.

    Qt's styles set a clip of their own for the words of a section, so the one around it has no effect there.
    """
    header, drawn = area.parentWidget(), area.rect()
    if not isinstance(header, QHeaderView) or header.orientation() != Qt.Orientation.Horizontal:
        return drawn
    sections = [number for number in range(header.count()) if not header.isSectionHidden(number)]
    starts = [(header.sectionViewportPosition(number), header.sectionSize(number)) for number in sections]
    cut = [start for start, size in starts if 0 < start < drawn.width() < start + size]
    drawn.setWidth(min(cut, default=drawn.width()))
    return drawn


_MOST_ROUNDS = 4  # taller rows, or a second line of the heading, may need more once more


@contextmanager
def scrolled_as_before(widget: QWidget) -> Iterator[None]:
    """Have `widget` show the same rows after the block, whatever is hidden or resized in it.

    Every change of height limits the scroll bars: their positions are those from before the first one.
    """
    positions = [(bar, bar.value()) for bar in widget.findChildren(QScrollBar)]
    try:
        yield
    finally:
        for bar, value in positions:
            bar.setValue(value)


@contextmanager
def in_another_size(widget: QWidget) -> Iterator[None]:
    """Let `widget` be resized in the block, and give it back its size.

    The layout around it would do so as soon as a part of it appears.
    """
    before, parent = widget.size(), widget.parentWidget()
    around = None if parent is None else parent.layout()
    if around is not None:
        around.setEnabled(False)
    try:
        yield
    finally:
        if widget.size() != before:
            widget.resize(before)
            lay_out(widget)
        if around is not None:
            around.setEnabled(True)


@contextmanager
def shown_whole(widget: QWidget) -> Iterator[None]:
    """Have `widget` be so high and wide for the block that nothing of it is scrolled away."""
    with in_another_size(widget):
        for _ in range(_MOST_ROUNDS):
            wider, higher = hidden_width(widget), hidden_height(widget)
            if not wider and not higher:
                break
            widget.resize(widget.width() + wider, widget.height() + higher)
            lay_out(widget)
        yield


def hidden_height(widget: QWidget) -> int:
    """Return how many pixels of `widget` are not in sight.

    They are scrolled away, below the edge of a canvas, or what a plot needs to write everything.
    """
    hidden = [plot.hidden_height for plot in widget.findChildren(Plot) if plot.isVisibleTo(widget)]
    if isinstance(widget, (Canvas, Plot)):
        hidden.append(widget.minimumSizeHint().height() - widget.height())
    for bar in widget.findChildren(QScrollBar):
        around = bar.parentWidget()
        if around is None or bar.orientation() != Qt.Orientation.Vertical:
            continue
        table = around.parentWidget()
        if isinstance(table, QTableView):
            # Its bar may be hidden for the picture, may count rows, and is up to date only in the next turn
            # of the event loop.
            if table.isVisible():
                hidden.append(table.verticalHeader().length() - table.viewport().height())
        elif around is widget or around.isVisibleTo(widget):
            hidden.append(bar.maximum() - bar.minimum())
    return max([0, *hidden])


def hidden_width(widget: QWidget) -> int:
    """Return how many pixels of the columns of a table in `widget` are scrolled away."""
    tables = [widget] if isinstance(widget, QTableView) else []
    tables += [table for table in widget.findChildren(QTableView) if table.isVisibleTo(widget)]
    return max(
        (max(0, table.horizontalHeader().length() - table.viewport().width()) for table in tables), default=0
    )


def lay_out(widget: QWidget) -> None:
    """Give all parts of `widget` their places now, not in the next turn of the event loop."""
    for part in (widget, *widget.findChildren(QWidget)):
        layout = part.layout()
        if layout is not None:
            layout.activate()


SCALES = (1, 2, 3, 4)
_POINTS_A_PIXEL = 0.75  # 96 pixels and 72 points an inch
_MOST_PIXELS = 1 << 28
_FAST = 30  # of 100: a file that is a little larger is compressed in half of the time
_MARGIN = 14
_SWITCHES = (QAbstractButton, QAbstractSlider, QAbstractSpinBox, QComboBox, QLineEdit, Segments)


@dataclass(frozen=True, eq=False)
class Recording:
    """Everything that was drawn, on a ground of `size` pixels.

    `printed`: how large a pixel is in print, where 1 is 1/96 inch.
    """

    picture: QPicture
    size: QSize
    title: str
    ground: QColor
    printed: float = 1.0


def record(
    widget: QWidget,
    look: Look,
    sheet: PictureSheet | None,
    titles: AxisTitles = NO_TITLES,
    *,
    keeps_switches: bool = False,
    in_size: AbstractContextManager[None] | None = None,
) -> Recording:
    """Return what `widget` draws, under `sheet` and between `titles`, on the ground of a card.

    Buttons and fields are left out unless `keeps_switches`. `in_size` gives the widget the size in which it
    is recorded; None: so large a one that nothing is scrolled away.
    """
    end_turns()
    picture = QPicture()
    with (
        scrolled_as_before(widget),
        _drawn_for_files(widget, keeps_switches=keeps_switches),
        in_size or shown_whole(widget),
    ):
        around = room_around(widget, look, sheet, titles)
        drawing = QRect(QPoint(around.left(), around.top()), widget.size())
        page = drawing.marginsAdded(around)
        picture.setBoundingRect(page)
        with QPainter(picture) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.fillRect(page, look.colour("card"))
            if sheet is not None:
                for index, (text, font_size, box) in enumerate(_head_boxes(look, sheet, page.width())):
                    font, ink = look.font(font_size, bold=index == 0), "secondary" if index else "text"
                    Pencil(painter, look).prose(text, box, font, ink)
            painter.save()
            painter.translate(drawing.topLeft())
            # Drawn through this painter, and not into an image first.
            tables = ClippedTables()
            with tables.left_out_of(widget):
                # Qt's own: a graphics view has another one of this name.
                QWidget.render(widget, painter, QPoint(), QRegion(), QWidget.RenderFlag.DrawChildren)
            tables.draw(painter, widget)
            painter.restore()
            parts = (part for part in (widget, *widget.findChildren(QWidget)) if isinstance(part, CellsPlot))
            shown = (part for part in parts if part is widget or part.isVisibleTo(widget))
            bars = (plot.colour_bar.translated(plot.mapTo(widget, QPoint())) for plot in shown)
            bar = next(bars, QRectF()).translated(drawing.topLeft())
            draw_titles(painter, look, titles, QRectF(drawing), bar)
    return Recording(picture, page.size(), "" if sheet is None else sheet.title, look.colour("card"))


def room_around(widget: QWidget, look: Look, sheet: PictureSheet | None, titles: AxisTitles) -> QMargins:
    """Return the room that title and axis titles take around `widget` in a picture."""
    around = margins(look, titles, widget.width()).toMargins()
    if sheet is not None:
        width = widget.width() + around.left() + around.right()
        head = _head_boxes(look, sheet, width)[-1][2].bottom() + look.pixels(8)
        around.setTop(around.top() + round(head))
    return around


@contextmanager
def in_colours(widget: QWidget, look: Look, palette: Palette) -> Iterator[None]:
    """Have `widget` draw with another palette for the block, in which the window is not painted."""
    before, sheet = look.palette, widget.styleSheet()
    if palette.name == before.name:
        yield
        return
    look.set_palette(palette)
    widget.setStyleSheet(style_sheet(look))  # of the labels in it
    try:
        yield
    finally:
        look.set_palette(before)
        widget.setStyleSheet(sheet)


def image_of(recording: Recording, scale: float) -> QImage:
    """Return the picture as pixels, `scale` to one on screen, or to 1/96 inch in print.

    Raises FileError for more than fits.
    """
    dots, scale = round(96 * scale / 0.0254), scale * recording.printed
    size = (QSizeF(recording.size) * scale).toSize()
    if size.width() * size.height() > _MOST_PIXELS:
        message = Message("A picture of {0} x {1} pixels is too large.", size.width(), size.height())
        raise FileError(message, Message("Save it smaller, or as SVG or PDF."))
    image = QImage(size, QImage.Format.Format_RGB32)
    image.fill(recording.ground)  # the last row may be covered in part only
    with QPainter(image) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.scale(scale, scale)
        painter.drawPicture(0, 0, recording.picture)
    # Not before: text would be drawn larger once more for so many dots an inch.
    image.setDotsPerMeterX(dots)
    image.setDotsPerMeterY(dots)
    return image


def write(recording: Recording, path: Path, scale: float = 1) -> None:
    """Write the picture to `path`: `.png`, `.svg` or `.pdf` by its ending; `scale` is of PNG alone.

    Raises FileError. May run on any thread.
    """
    check_picture(path)
    with replacing(path) as beside:
        beside.touch()  # says why it cannot be written, before anything is drawn
        beside.write_bytes(content_of(recording, path.suffix.lower(), scale))


def svg_of(recording: Recording) -> bytes:
    """Return the picture as SVG, in millimetres of print."""
    from PySide6.QtSvg import QSvgGenerator  # a library of its own, which the first window needs not

    content = QBuffer()
    content.open(QIODevice.OpenModeFlag.WriteOnly)
    generator = QSvgGenerator(QSvgGenerator.SvgVersion.Svg11)  # SVG Tiny knows no clipping
    generator.setOutputDevice(content)
    generator.setResolution(96)
    generator.setSize(recording.size)
    generator.setViewBox(QRectF(QRect(QPoint(), recording.size)))
    generator.setTitle(recording.title)
    generator.setDescription("BertViz App")
    _play(recording, QPainter(generator))
    svg = portable_svg(bytes(content.data().data()), recording.ground)
    if recording.printed == 1.0:
        return svg
    root = ElementTree.fromstring(svg)
    for name, side in (("width", recording.size.width()), ("height", recording.size.height())):
        root.set(name, f"{side * recording.printed * 25.4 / 96:.4f}mm")
    return bytes(ElementTree.tostring(root, encoding="UTF-8", xml_declaration=True))


def content_of(recording: Recording, ending: str, scale: float = 1) -> bytes:
    """Return what `write` writes into a file with this ending. Raises FileError for too large a picture."""
    if ending == ".svg":
        return svg_of(recording)
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    if ending == ".png":
        writer = QImageWriter(buffer, QByteArray(b"png"))
        writer.setCompression(_FAST)
        writer.write(image_of(recording, scale))
    else:
        pdf = QPdfWriter(buffer)
        pdf.setResolution(96)
        pdf.setTitle(recording.title)
        pdf.setCreator("BertViz App")
        page = QSizeF(recording.size) * (_POINTS_A_PIXEL * recording.printed)
        pdf.setPageSize(QPageSize(page, QPageSize.Unit.Point, "", QPageSize.SizeMatchPolicy.ExactMatch))
        pdf.setPageMargins(QMarginsF(0, 0, 0, 0))
        _play(recording, QPainter(pdf), recording.printed)
    return bytes(buffer.data().data())


def _play(recording: Recording, painter: QPainter, scale: float = 1.0) -> None:
    if not painter.isActive():
        raise OSError(None, "the file could not be opened")
    with painter:
        painter.scale(scale, scale)
        painter.drawPicture(0, 0, recording.picture)


@contextmanager
def _drawn_for_files(widget: QWidget, *, keeps_switches: bool) -> Iterator[None]:
    """Have views draw without what is there for the pointer and the keys alone.

    That they draw texts and lines, and no cached pixels, they see from the painter: `draws_pixels`.
    """
    parts = (widget, *widget.findChildren(QWidget))
    views = {part: part.omits_hints for part in parts if isinstance(part, Canvas | Plot)}
    switches = [part for part in parts[1:] if isinstance(part, _SWITCHES)]
    hidden = [switch for switch in switches if not keeps_switches and switch.isVisibleTo(widget)]
    for view in views:
        if isinstance(view, Plot):
            view.read_out.hide_lines()
        view.set_omits_hints(omits_hints=not keeps_switches)
    focused = QApplication.focusWidget()
    if focused is not None and (focused is widget or widget.isAncestorOf(focused)):
        focused.clearFocus()  # its frame is no part of the picture
    else:
        focused = None
    for switch in hidden:
        switch.hide()
    if hidden:  # what follows them takes their room
        lay_out(widget)
    try:
        yield
    finally:
        for switch in hidden:
            switch.show()
        if hidden:
            lay_out(widget)
        if focused is not None:
            focused.setFocus(Qt.FocusReason.OtherFocusReason)
        for view, omitted in views.items():
            view.set_omits_hints(omits_hints=omitted)


def _head_boxes(look: Look, sheet: PictureSheet, width: int) -> list[tuple[str, float, QRectF]]:
    """Return (text, size of its letters, where it stands) of the title and the lines below it."""
    boxes = []
    top, room = float(look.pixels(12)), max(60.0, width - 2 * _MARGIN)
    for index, text in enumerate((sheet.title, *sheet.lines)):
        size = 15.0 if index == 0 else 12.0
        metrics = QFontMetricsF(look.font(size, bold=index == 0))
        height = metrics.boundingRect(QRectF(0, 0, room, 10_000), Qt.TextFlag.TextWordWrap, text).height()
        boxes.append((text, size, QRectF(_MARGIN, top, room, height + 1)))
        top += height + look.pixels(3)
    return boxes


# what a saved picture has around it: titles of axes, the key of lines

_SIZE = 12.0
_LINE = 16
_KEY_GAP = 5
_BETWEEN = 12
_INDENT = 14


def height_of_key(look: Look, key: LineKey, width: float) -> float:
    """Return how high the key is below a drawing of this width."""
    return len({row for row, *_ in _positions(look, key, width)}) * _height(look)


def draw_key(painter: QPainter, look: Look, key: LineKey, room: QRectF) -> None:
    """Draw the key at the bottom of `room`, in as many rows as it needs."""
    painter.save()
    pencil, line = Pencil(painter, look), look.pixels(_LINE)
    top = room.bottom() - height_of_key(look, key, room.width())
    for row, left, text, pen in _positions(look, key, room.width()):
        y = top + (row + 0.5) * _height(look)
        x = room.left() + left
        if pen is not None:
            painter.setPen(pen)
            painter.drawLine(QLineF(x, y, x + line, y))
            x += line + look.pixels(_KEY_GAP)
        box = QRectF(x, y - _height(look) / 2, room.right() - x, _height(look))
        pencil.write(text, box, look.font(_SIZE), "secondary", LEFT)
    painter.restore()


def _positions(look: Look, key: LineKey, width: float) -> Iterator[tuple[int, float, str, QPen | None]]:
    """Yield the row and the left edge of each entry, its text and its line."""
    signs = zip(key.signs, (look.palette.differences[at] for at in (-1, 0)), strict=False)
    lines, n_colours = [(text, QColor(colour), False) for text, colour in signs], len(look.palette.heads)
    title: list[tuple[str, QPen | None]] = []
    if key.heads:
        lines = [(str(head), look.head_colour(head), head // n_colours % 2 == 1) for head in key.heads]
        title = [(QCoreApplication.translate("AxisTitles", "head"), None)]  # which has no line
    dash, solid, cap = Qt.PenStyle.DashLine, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap
    thick, metrics = float(look.pixels(3)), QFontMetricsF(look.font(_SIZE))
    entries = [(text, QPen(ink, thick, dash if is_broken else solid, cap)) for text, ink, is_broken in lines]
    start = x = float(look.pixels(_INDENT))
    row = 0
    for text, pen in [*title, *entries]:
        mark = 0.0 if pen is None else look.pixels(_LINE) + look.pixels(_KEY_GAP)
        length = mark + metrics.horizontalAdvance(text)
        if x > start and x + length > width:
            row, x = row + 1, start
        yield row, x, text, pen
        x += length + look.pixels(_BETWEEN)


def _height(look: Look) -> float:
    return float(round(QFontMetricsF(look.font(_SIZE)).height() + look.pixels(_KEY_GAP)))


_GAP = 6


def margins(look: Look, titles: AxisTitles, width: float) -> QMarginsF:
    """Return the room that the titles take at each side of a drawing of this width."""
    line = QFontMetricsF(look.font(_SIZE)).height() + look.pixels(_GAP)

    def room(*texts: str) -> float:
        return float(round(line)) if any(texts) else 0.0

    below = room(titles.below) + height_of_key(look, titles.key, width)
    return QMarginsF(room(titles.left), room(titles.above, *titles.ends), room(titles.right), below)


def draw_titles(
    painter: QPainter, look: Look, titles: AxisTitles, drawing: QRectF, bar: QRectF | None = None
) -> None:
    """Write the titles around `drawing`; that of the colours beside `bar`, where there is one."""
    around = margins(look, titles, drawing.width())
    painter.save()
    painter.setFont(look.font(_SIZE))
    painter.setPen(look.colour("secondary"))
    metrics, middle = QFontMetricsF(look.font(_SIZE)), Qt.AlignmentFlag.AlignCenter
    above = QRectF(drawing.left(), drawing.top() - around.top(), drawing.width(), around.top())
    painter.drawText(above, middle, titles.above)
    inner = above.adjusted(look.pixels(_INDENT), 0, -look.pixels(_INDENT), 0)
    for text, side in zip(titles.ends, (LEFT, RIGHT), strict=True):
        painter.drawText(inner, side, text)
    below = QRectF(drawing.left(), drawing.bottom(), drawing.width(), around.bottom())
    painter.drawText(below, middle, titles.below)
    draw_key(painter, look, titles.key, below)
    at_left = drawing.translated(-around.left(), 0)
    at_left.setWidth(around.left())
    at_right = QRectF(drawing.right(), drawing.top(), around.right(), drawing.height())
    if bar is not None and not bar.isEmpty():
        # The title of the colours stands beside their bar, which may end far from the margin.
        length = metrics.horizontalAdvance(titles.right) + 2
        height = min(max(bar.height(), length), at_right.height())
        top = max(at_right.top(), min(bar.top(), at_right.bottom() - height))
        at_right = QRectF(min(bar.right(), at_right.left()), top, at_right.width(), height)
    for text, room in ((titles.left, at_left), (titles.right, at_right)):
        painter.save()
        painter.translate(room.bottomLeft())
        painter.rotate(-90)
        # Smaller where the title is longer than its side: cut text is not drawn at all.
        share = max(room.height(), 1.0) / (metrics.horizontalAdvance(text) + 2)
        painter.setFont(look.font(_SIZE * min(1.0, share)))
        painter.drawText(QRectF(0, 0, room.height(), room.width()), middle, text)
        painter.restore()
    painter.restore()
