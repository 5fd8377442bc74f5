"""What a saved picture has around it: titles of axes, the key of lines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication, QLineF, QMarginsF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen

from bertviz_app.analysis.results import HeadScalars, OutcomeMap, Result, RunMatrix, TokenMatrices
from bertviz_app.viewmodels.heads.pictures import HeadPicture
from bertviz_app.viewmodels.viewport import HeatPicture
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.words import quantity_words

_SIZE = 12.0
_LINE = 16
_KEY_GAP = 5
_BETWEEN = 12
_INDENT = 14


@dataclass(frozen=True)
class LineKey:
    """What colours stand for: `heads`, or `signs`, first what positive numbers are; empty where nothing."""

    heads: tuple[int, ...] = ()
    signs: tuple[str, ...] = ()


NO_KEY = LineKey()


@dataclass(frozen=True)
class _Entry:
    text: str
    pen: QPen | None = None


def key_of(picture: HeadPicture | None, heads: tuple[int, ...]) -> LineKey:
    """Return the key of lines of `heads`, of which `picture` is one; one head alone has one colour."""
    if picture is not None and picture.is_signed:
        return LineKey(signs=("A > B", "A < B") if picture.is_difference else ("> 0", "< 0"))
    return LineKey(heads=heads) if len(heads) > 1 else NO_KEY


def height_of_key(look: Look, key: LineKey, width: float) -> float:
    """Return how high the key is below a drawing of this width."""
    rows = {row for row, *_ in _positions(look, key, width)}
    return len(rows) * _height(look)


def draw_key(painter: QPainter, look: Look, key: LineKey, room: QRectF) -> None:
    """Draw the key at the bottom of `room`, in as many rows as it needs."""
    painter.save()
    painter.setFont(look.font(_SIZE))
    top = room.bottom() - height_of_key(look, key, room.width())
    line = look.pixels(_LINE)
    for row, left, entry in _positions(look, key, room.width()):
        y = top + (row + 0.5) * _height(look)
        x = room.left() + left
        if entry.pen is not None:
            painter.setPen(entry.pen)
            painter.drawLine(QLineF(x, y, x + line, y))
            x += line + look.pixels(_KEY_GAP)
        painter.setPen(look.colour("secondary"))
        painter.drawText(
            QRectF(x, y - _height(look) / 2, room.right() - x, _height(look)),
            Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter,
            entry.text,
        )
    painter.restore()


def _positions(look: Look, key: LineKey, width: float) -> Iterator[tuple[int, float, _Entry]]:
    """Yield the row, the left edge and the contents of each entry."""
    metrics = QFontMetricsF(look.font(_SIZE))
    start = x = float(look.pixels(_INDENT))
    row = 0
    for entry in _entries(look, key):
        mark = 0.0 if entry.pen is None else look.pixels(_LINE) + look.pixels(_KEY_GAP)
        length = mark + metrics.horizontalAdvance(entry.text)
        if x > start and x + length > width:
            row, x = row + 1, start
        yield row, x, entry
        x += length + look.pixels(_BETWEEN)


def _entries(look: Look, key: LineKey) -> list[_Entry]:
    thickness = float(look.pixels(3))
    if key.heads:
        title = QCoreApplication.translate("AxisTitles", "head")
        n_colours = len(look.palette.heads)
        return [
            _Entry(title),
            *(
                _Entry(str(head), _pen(look.head_colour(head), thickness, head // n_colours % 2 == 1))
                for head in key.heads
            ),
        ]
    colours = look.palette.differences[-1], look.palette.differences[0]
    return [
        _Entry(text, _pen(QColor(colour), thickness))
        for text, colour in zip(key.signs, colours, strict=False)
    ]


def _pen(colour: QColor, thickness: float, is_dashed: bool = False) -> QPen:
    style = Qt.PenStyle.DashLine if is_dashed else Qt.PenStyle.SolidLine
    return QPen(colour, thickness, style, Qt.PenCapStyle.FlatCap)


def _height(look: Look) -> float:
    return float(round(QFontMetricsF(look.font(_SIZE)).height() + look.pixels(_KEY_GAP)))


_GAP = 6


@dataclass(frozen=True)
class AxisTitles:
    """What is written at each side of a drawing; "" leaves no room there.

    `above` stands in the middle, `ends` at the left and at the right of the same line. `right` names the
    colours. `key` explains the colours of lines below the drawing.
    """

    left: str = ""
    above: str = ""
    below: str = ""
    right: str = ""
    ends: tuple[str, str] = ("", "")
    key: LineKey = NO_KEY


NO_TITLES = AxisTitles()


def titles_of_panel(
    kind: str,
    page: str,
    picture: HeadPicture | None,
    vectors: HeatPicture | None = None,
    heads: tuple[int, ...] = (),
) -> AxisTitles:
    """Return the titles of a panel: of Lines of `heads`, or of a `page` of Vectors of `vectors`."""
    translate = QCoreApplication.translate
    query, key = translate("AxisTitles", "query (looks)"), translate("AxisTitles", "key (is looked at)")
    if kind == "matrix" and picture is not None:
        return AxisTitles(left=query, above=key, right=_colours_of(picture))
    if kind == "lines":
        return AxisTitles(ends=(query, key), key=key_of(picture, heads))
    if kind == "vectors" and page in ("cls", "tokens"):
        return AxisTitles(below=translate("AxisTitles", "dimension"), right=_colours_of_vectors(vectors))
    return NO_TITLES


def titles_of_result(
    kind: str,
    result: Result | None,
    picture: HeadPicture | None,
    *,
    is_of_b: bool,
    heads: tuple[int, ...] = (),
) -> AxisTitles:
    """Return the titles of the drawing of the result of an analysis; `is_of_b`: in a panel of run B."""
    translate = QCoreApplication.translate
    layer, head = translate("AxisTitles", "layer"), translate("AxisTitles", "head")
    if kind == "grid" and isinstance(result, HeadScalars):
        return AxisTitles(left=layer, above=head)
    if kind == "grid" and isinstance(result, OutcomeMap):
        return AxisTitles(left=layer, above=translate("AxisTitles", "token") if result.positions else head)
    rows, columns = translate("AxisTitles", "query (looks)"), translate("AxisTitles", "key (is looked at)")
    if isinstance(result, RunMatrix):
        runs = [translate("AxisTitles", "token of run {0}").format(run) for run in ("A", "B")]
        rows, columns = reversed(runs) if is_of_b else runs
    elif isinstance(result, TokenMatrices):
        rows = translate("AxisTitles", "vector of this token")
        columns = translate("AxisTitles", "part that came from this token")
    if kind == "matrix" and picture is not None:
        return AxisTitles(left=rows, above=columns, right=_colours_of(picture, is_of_analysis=True))
    key = key_of(picture, heads)
    return AxisTitles(ends=(rows, columns), key=key) if kind == "lines" else NO_TITLES


def titles_of_overview(*, is_by_layer: bool, has_thumbnails: bool = False) -> AxisTitles:
    """Return the titles of a grid of heads: none for layers and heads that stand in another order.

    `has_thumbnails`: each cell is a small picture of the attention of its head.
    """
    translate = QCoreApplication.translate
    below = translate("AxisTitles", "in each cell: queries down, keys across") if has_thumbnails else ""
    if not is_by_layer:
        return AxisTitles(below=below)
    return AxisTitles(translate("AxisTitles", "layer"), translate("AxisTitles", "head"), below)


def titles_of_vector() -> AxisTitles:
    translate = QCoreApplication.translate
    return AxisTitles(left=translate("AxisTitles", "value"), below=translate("AxisTitles", "dimension"))


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
    middle, left = Qt.AlignmentFlag.AlignCenter, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
    right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
    above = QRectF(drawing.left(), drawing.top() - around.top(), drawing.width(), around.top())
    painter.drawText(above, middle, titles.above)
    inner = above.adjusted(look.pixels(_INDENT), 0, -look.pixels(_INDENT), 0)
    for text, side in zip(titles.ends, (left, right), strict=True):
        painter.drawText(inner, side, text)
    below = QRectF(drawing.left(), drawing.bottom(), drawing.width(), around.bottom())
    painter.drawText(below, middle, titles.below)
    draw_key(painter, look, titles.key, below)
    at_left = drawing.translated(-around.left(), 0)
    at_left.setWidth(around.left())
    at_right = QRectF(drawing.right(), drawing.top(), around.right(), drawing.height())
    if bar is not None and not bar.isEmpty():
        at_right = _beside(bar, at_right, QFontMetricsF(look.font(_SIZE)).horizontalAdvance(titles.right))
    for text, room in ((titles.left, at_left), (titles.right, at_right)):
        painter.save()
        painter.translate(room.bottomLeft())
        painter.rotate(-90)
        painter.setFont(_font_within(look, text, room.height()))
        painter.drawText(QRectF(0, 0, room.height(), room.width()), middle, text)
        painter.restore()
    painter.restore()


def _font_within(look: Look, text: str, length: float) -> QFont:
    """Return the font of titles, smaller where `text` is longer than that: cut text is not drawn at all."""
    font = look.font(_SIZE)
    needed = QFontMetricsF(font).horizontalAdvance(text) + 2
    return font if needed <= length else look.font(_SIZE * max(length, 1.0) / needed)


def _beside(bar: QRectF, margin: QRectF, length: float) -> QRectF:
    """Return where the title of the colours stands: beside the bar, which may end far from the margin."""
    height = min(max(bar.height(), length + 2), margin.height())
    top = max(margin.top(), min(bar.top(), margin.bottom() - height))
    return QRectF(min(bar.right(), margin.left()), top, margin.width(), height)


def _colours_of_vectors(picture: HeatPicture | None) -> str:
    """Return what the ends of the colours of vectors stand for; "" where nothing is in colours."""
    translate = QCoreApplication.translate
    if picture is None:
        return ""
    if picture.limit is None:
        return translate("AxisTitles", "value, to each row's 99th percentile of |value|")
    to_percentile = translate("AxisTitles", "value, to the 99th percentile of |value|")
    return to_percentile if picture.goes_beyond else translate("AxisTitles", "value")


def _colours_of(picture: HeadPicture, *, is_of_analysis: bool = False) -> str:
    """Return what the colours of a matrix stand for."""
    translate = QCoreApplication.translate
    name = quantity_words(picture.quantity)
    if picture.quantity.unit == "weight":
        of_attention = translate("AxisTitles", "attention weight")
        name = translate("AxisTitles", "share") if is_of_analysis else of_attention
    scales = {
        "log": translate("AxisTitles", "{0}, logarithmic scale"),
        "row": translate("AxisTitles", "{0}, each row by its largest"),
    }
    name = scales.get(picture.options.scale, "{0}").format(name)
    return f"{name}, A − B" if picture.is_difference else name
