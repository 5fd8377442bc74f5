"""SVG that browsers, Inkscape, librsvg, resvg and ImageMagick draw alike, made of what Qt's generator writes.

Renderers differ in what they read: some know no `vector-effect`, some no transparent colours, some take
a list of font families without quotation marks for an error, and most blur an image of few pixels.
"""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from collections.abc import Iterator
from copy import deepcopy
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontInfo, QImage, QImageWriter, QTransform

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
_NO_XML = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]|\xef\xbf[\xbe\xbf]|\xed[\xa0-\xbf][\x80-\xbf]")
"""In UTF-8 what no XML 1.0 file may hold, however written: control characters, U+FFFE, U+FFFF, surrogates."""


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
            groups = [made for group in list(drawing) for made in self._groups(group, None)]
            drawing[:] = groups
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
        transform = _transform(group.attrib.get("transform", _IDENTITY))
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
            if _is_rectangle(element):
                made.set("transform", _IDENTITY)
                element.set("d", _outline(bounds.intersected(limit)))
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
            return _has_pixels(_image_in(element))
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
        pairs = zip(_rgb(colour), _rgb(below), strict=True)
        return QColor(*(round(share * over + (1 - share) * under) for over, under in pairs))

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
        element.set(_XLINK, _embedded(image, factor))
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


def _transform(text: str) -> QTransform:
    return QTransform(*map(float, _NUMBER.findall(text)))


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


def _is_rectangle(element: Element) -> bool:
    """Return whether a path is a rectangle, which can be cut: not every renderer clips it."""
    corners = _PAIR.findall(element.attrib.get("d", ""))
    xs, ys = {float(x) for x, _ in corners}, {float(y) for _, y in corners}
    return element.attrib.get("d", "").count("L") == 4 and len(xs) == 2 and len(ys) == 2


def _rgb(colour: QColor) -> tuple[int, int, int]:
    return colour.red(), colour.green(), colour.blue()


def _outline(box: QRectF) -> str:
    left, top, right, bottom = (f"{side:g}" for side in (box.left(), box.top(), box.right(), box.bottom()))
    return f"M{left},{top} L{right},{top} L{right},{bottom} L{left},{bottom} Z"


def _image_in(element: Element) -> QImage:
    encoded = element.attrib[_XLINK].partition("base64,")[2]
    return QImage.fromData(b64decode(encoded)).convertToFormat(QImage.Format.Format_ARGB32)


def _has_pixels(image: QImage) -> bool:
    """Return whether an image is more than wholly transparent."""
    opacities = image.convertToFormat(QImage.Format.Format_Alpha8)  # named: its bytes are only borrowed
    return any(bytes(opacities.constBits()))


def _embedded(image: QImage, factor: int) -> str:
    """Return an image as a data address, each pixel as a square of `factor` pixels."""
    enlarged = image.scaled(
        image.width() * factor,
        image.height() * factor,
        Qt.AspectRatioMode.IgnoreAspectRatio,
        Qt.TransformationMode.FastTransformation,
    )
    content = QByteArray()
    buffer = QBuffer(content)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    QImageWriter(buffer, QByteArray(b"png")).write(enlarged)
    return f"data:image/png;base64,{b64encode(content.data()).decode('ascii')}"
