"""How everything looks: the theme with its colours and fonts, layouts of widgets, the pencil that draws."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPainter, QPainterPath, QPen
from PySide6.QtWidgets import (
    QAbstractButton,
    QBoxLayout,
    QFormLayout,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLayout,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from bertviz_app import paths
from bertviz_app.values import dataclass
from bertviz_app.viewmodels.state import Colours
from bertviz_app.viewmodels.viewport import GAP, shares

if TYPE_CHECKING:
    from bertviz_app.viewmodels.heads.pictures import HeadPicture


TEXT_FAMILIES = (
    "Inter",
    "Segoe UI",
    "SF Pro Text",
    ".AppleSystemUIFont",
    "Noto Sans",
    "Noto Sans CJK KR",
    "Noto Sans KR",
    "Malgun Gothic",
    "Apple SD Gothic Neo",
    "sans-serif",
)
ROOT_FAMILIES = (*TEXT_FAMILIES[:5], "DejaVu Sans", *TEXT_FAMILIES[5:])
"""Of texts with a root sign: that of the Korean fonts has a bar, which would float before the number."""
_MOST_MEASURED = 256
_Measured = TypeVar("_Measured")
NUMBER_FAMILIES = ("JetBrains Mono", "SF Mono", "Cascadia Mono", "Consolas", "DejaVu Sans Mono", "monospace")


@dataclass(frozen=True)
class Palette:
    """The colours of a theme, by what they are for, as "#rrggbb"."""

    name: str
    window: str
    card: str
    raised: str
    rule: str
    text: str
    secondary: str
    accent: str
    on_accent: str
    sentence_b: str
    special: str
    warning: str
    error: str
    right: str
    query: str
    key: str
    value: str
    output: str
    weights: tuple[str, ...]
    differences: tuple[str, ...]
    heads: tuple[str, ...]

    @classmethod
    def read(cls, path: Path) -> Palette:
        """Return the palette of a theme file."""
        colours = json.loads(path.read_text(encoding="utf-8"))
        maps = {name: tuple(colours[name]) for name in ("weights", "differences", "heads")}
        return cls(**{**colours, **maps})


def colour_table(stops: tuple[str, ...], count: int = 256) -> NDArray[np.uint32]:
    """Return [count] colours 0xffRRGGBB, evenly spaced stops joined by straight lines."""
    corners = np.array([(c.red(), c.green(), c.blue()) for c in map(QColor, stops)], np.float64)
    positions = np.linspace(0, len(stops) - 1, count)
    channels = [np.interp(positions, np.arange(len(stops)), corners[:, channel]) for channel in range(3)]
    red, green, blue = (np.rint(channel).astype(np.uint32) for channel in channels)
    return ((red << 16) | (green << 8) | blue | np.uint32(0xFF000000)).astype(np.uint32)


def as_written(font: QFont) -> QFont:
    """Return `font` showing each letter as it is: the text face would join "->" and make "4x2" "4×2"."""
    font.setFeature(QFont.Tag("calt"), 0)
    return font


class Look(QObject):
    """The palette and the fonts in force; views read them while painting and repaint on `changed`."""

    changed = Signal()

    def __init__(self, palette: Palette, scale: float = 1.0, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.palette = palette
        self.scale = scale
        self.least_word = 0.0
        """The least size of the words of the text, at the normal text size: a presentation has one."""
        self.reduces_motion = False
        """Whether nothing may move by itself."""
        self.weights = colour_table(palette.weights)
        self._fonts: dict[tuple[tuple[str, ...], float, bool], QFont] = {}
        self._measured: dict[tuple[str, float], object] = {}

    def set_palette(self, palette: Palette) -> None:
        self.palette = palette
        self.weights = colour_table(palette.weights)
        self.changed.emit()

    def set_scale(self, scale: float, *, least_word: float = 0.0) -> None:
        """Draw texts, and what holds them, `scale` times as large as normal; words from `least_word` on."""
        if (scale, least_word) != self.sizes:
            self.scale, self.least_word = scale, least_word
            self._fonts.clear()
            self._measured.clear()
            self.changed.emit()

    def set_motion(self, *, is_reduced: bool) -> None:
        if is_reduced != self.reduces_motion:
            self.reduces_motion = is_reduced
            self.changed.emit()

    def colour(self, name: str, alpha: float = 1.0) -> QColor:
        """Return the colour of the theme with this name, `alpha` from 0 (clear) to 1."""
        colour = QColor(getattr(self.palette, name))
        colour.setAlphaF(alpha)
        return colour

    def head_colour(self, head: int, alpha: float = 1.0) -> QColor:
        """Return the colour of a head. After twelve heads the colours repeat, with another line style."""
        colour = QColor(self.palette.heads[head % len(self.palette.heads)])
        colour.setAlphaF(alpha)
        return colour

    def font(
        self, pixels: float = 13, *, bold: bool = False, families: tuple[str, ...] = TEXT_FAMILIES
    ) -> QFont:
        """Return a font, by default that of texts; `pixels` is its size at the normal text size."""
        # Views read fonts with each label of each frame, and making one costs as much as drawing it.
        key = (families, pixels, bold)
        font = self._fonts.get(key)
        if font is None:
            font = self._fonts[key] = as_written(QFont())
            font.setFamilies(list(families))
            font.setPixelSize(max(1, self.pixels(pixels)))
            font.setWeight(QFont.Weight.DemiBold if bold else QFont.Weight.Normal)
        return font

    def number_font(self, pixels: float = 12, *, bold: bool = False) -> QFont:
        """Return the font of numbers, whose digits are equally wide."""
        return self.font(pixels, bold=bold, families=NUMBER_FAMILIES)

    @property
    def sizes(self) -> tuple[float, float]:
        """What a picture with texts is made anew for, when it differs."""
        return self.scale, self.least_word

    def word_size(self, pixels: float) -> float:
        """Return the size of the words of the text where it is usually `pixels`."""
        return max(pixels, self.least_word)

    def pixels(self, length: float) -> int:
        """Return `length` in pixels: it is given for the normal text size, and grows with the chosen one."""
        return round(length * self.scale)

    def measured(self, key: tuple[str, float], measure: Callable[[], _Measured]) -> _Measured:
        """Return the layout of a text (`key`: the text and its size), measured once for each text size.

        The cache belongs to the look, so that it ends with it: at most 256 layouts, the oldest go first.
        """
        found = self._measured.get(key)
        if found is None:
            if len(self._measured) >= _MOST_MEASURED:
                del self._measured[next(iter(self._measured))]
            found = self._measured[key] = measure()
        return cast(_Measured, found)


Table = NDArray[np.uint32]
_OPAQUE = np.uint32(0xFF000000)
_BLACK, _WHITE = 0xFF14161A, 0xFFFFFFFF


def table_for(look: Look, picture: HeadPicture, colours: Colours) -> Table:
    """Return [256] colours 0xffRRGGBB for the levels of `picture`.

    Signed numbers, such as differences, always have the diverging map about zero. Weights have it about the
    weight of a row that looks everywhere alike: more is at one end, less at the other.
    """
    if picture.quantity.is_signed:
        return signed_table(look)
    if colours == "diverging" and picture.quantity.is_share:
        alike = np.full((1, 1), 1 / len(picture.token_order.keys), np.float32)
        middle = float(shares(alike, picture.full, picture.options.scale)[0, 0])
        middle = 0.5 if picture.options.scale == "row" else min(max(middle, 0.02), 0.98)
        share = np.arange(256) / 255
        positions = np.where(share < middle, share / middle - 1, (share - middle) / (1 - middle))
        fine = colour_table(look.palette.differences, 4097)
        table: Table = fine[np.rint((np.clip(positions, -1, 1) + 1) * 2048).astype(int)]
        return table
    return look.weights if colours in ("theme", "diverging") else _perceptual(colours)


def signed_table(look: Look) -> Table:
    """Return [256] colours 0xffRRGGBB for signed levels; a gap has the colour of rules."""
    table = np.empty(256, np.uint32)
    table[GAP] = look.colour("rule").rgb()
    table[GAP + 1 :] = colour_table(look.palette.differences, 255)
    return table


def is_dark(colour: int) -> bool:
    """Return whether white is read best on 0xffRRGGBB."""
    red, green, blue = colour >> 16 & 255, colour >> 8 & 255, colour & 255
    return 0.299 * red + 0.587 * green + 0.114 * blue <= 140


def blended(over: QColor, under: QColor, share: float) -> QColor:
    """Return a colour that is laid on another one with this opacity."""
    pairs = ((over.red(), under.red()), (over.green(), under.green()), (over.blue(), under.blue()))
    return QColor(*(round(share * a + (1 - share) * b) for a, b in pairs))


def mixed(look: Look, name: str, share: float) -> str:
    """Return "#rrggbb", a colour of the theme that is laid on a card with this opacity."""
    return blended(look.colour(name), look.colour("card"), share).name()


def ink_on(colour: int) -> QColor:
    """Return the colour of text, nearly black or white, that is read best on 0xffRRGGBB."""
    return QColor.fromRgb(_WHITE if is_dark(colour) else _BLACK)


@cache
def _perceptual(name: str) -> Table:
    path = paths.resources() / "themes" / "colour_maps.json"
    colours = json.loads(path.read_text(encoding="utf-8"))[name]
    return np.array([int(colour, 16) for colour in colours], np.uint32) | _OPAQUE


_Widget = TypeVar("_Widget", bound=QWidget)
_TOKEN = re.compile(r"@(\d+|[a-z]+(?:_[a-z]+)*)")


def style_sheet(look: Look) -> str:
    """Return `style.qss` with the colours and the lengths of `look`."""
    words = {
        "families": ", ".join(f'"{family}"' for family in TEXT_FAMILIES),
        "numbers": ", ".join(f'"{family}"' for family in NUMBER_FAMILIES),
        "theme": look.palette.name,
        "icons": (paths.resources() / "icons").as_posix(),
        "tint": look.colour("accent", 0.18).name(QColor.NameFormat.HexArgb),
    }

    def value(token: re.Match[str]) -> str:
        name = token[1]
        if name.isdecimal():
            return f"{look.pixels(int(name))}px"
        return words[name] if name in words else look.colour(name).name()

    sheet = (paths.resources() / "themes" / "style.qss").read_text(encoding="utf-8")
    return _TOKEN.sub(value, sheet[sheet.index("*/") + 2 :])


def named(widget: _Widget, name: str = "", tip: str = "", title: str = "") -> _Widget:
    """Return `widget`, called `name` by the style sheet, and `title`, or else `tip`, by screen readers."""
    widget.setObjectName(name)
    if tip:
        widget.setToolTip(tip)
    if tip or title:
        widget.setAccessibleName(title or tip)
    return widget


def styled(widget: QWidget, name: str) -> None:
    """Call a widget `name`, and have the style sheet draw its ground and its frame."""
    widget.setObjectName(name)
    widget.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)


def restyle(widget: QWidget, **properties: object) -> None:
    """Have Qt look at the style sheet again; where dynamic properties are given, only if one changes."""
    if properties and all(widget.property(name) == value for name, value in properties.items()):
        return
    for name, value in properties.items():
        widget.setProperty(name, value)
    style = widget.style()
    style.unpolish(widget)
    style.polish(widget)


def grow_with_text(button: QPushButton) -> None:
    """Let a button whose labels wrap be as high as their lines need."""
    policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
    policy.setHeightForWidth(True)
    button.setSizePolicy(policy)


class Gap(int):
    """So many pixels of free room; a plain number is room that grows by that factor."""


_Item = QWidget | QLayout
Part = _Item | int | tuple[_Item, int] | tuple[QWidget, int, Qt.AlignmentFlag]
"""A widget or a layout, alone or with its stretch factor, a widget also with its alignment; or free room."""
Margins = int | tuple[int, int, int, int]
"""Pixels on all sides; or at the left, at the top, at the right, at the bottom."""
FormRow = tuple[str, _Item] | _Item
"""A label and its field, or what takes the whole row of a form."""
_Box = TypeVar("_Box", bound=QBoxLayout)


def in_column(
    *parts: Part, of: QWidget | None = None, margins: Margins | None = None, spacing: int | None = None
) -> QVBoxLayout:
    """Return a layout of parts below each other, that of the widget `of`; None leaves what Qt has."""
    return filled(QVBoxLayout() if of is None else QVBoxLayout(of), *parts, margins=margins, spacing=spacing)


def in_row(
    *parts: Part, of: QWidget | None = None, margins: Margins | None = None, spacing: int | None = None
) -> QHBoxLayout:
    """Return a layout of parts beside each other, that of the widget `of`; None leaves what Qt has."""
    return filled(QHBoxLayout() if of is None else QHBoxLayout(of), *parts, margins=margins, spacing=spacing)


def grid_of(
    widget: QWidget | None = None, margins: Margins | None = None, spacing: tuple[int, int] | None = None
) -> QGridLayout:
    """Return an empty grid, that of `widget`; `spacing`: across and down. None leaves what Qt has."""
    grid = QGridLayout(widget)
    if margins is not None:
        _set_margins(grid, margins)
    if spacing is not None:
        grid.setHorizontalSpacing(spacing[0])
        grid.setVerticalSpacing(spacing[1])
    return grid


def _set_margins(box: QLayout, margins: Margins) -> None:
    box.setContentsMargins(*((margins,) * 4 if isinstance(margins, int) else margins))


def form(
    *rows: FormRow,
    of: QWidget | None = None,
    margins: Margins | None = None,
    spacing: tuple[int, int] = (24, 12),
    labels: str = "",
) -> QFormLayout:
    """Return a layout of rows below each other.

    `labels` names their style; the text of a label is also the accessible name of a field that has none.
    """
    box = QFormLayout(of, horizontalSpacing=spacing[0], verticalSpacing=spacing[1], labelAlignment=LEFT)
    if margins is not None:
        _set_margins(box, margins)
    for row in rows:
        if not isinstance(row, tuple):
            box.addRow(row)
            continue
        text, field = row
        inside = field.itemAt(0) if isinstance(field, QLayout) else None
        widget = field if inside is None else inside.widget()
        box.addRow(text, field)
        label = box.labelForField(field)
        if not isinstance(label, QLabel):  # of a row without a text
            continue
        label.setObjectName(labels)
        if isinstance(widget, QWidget):
            label.setBuddy(widget)
            if not widget.accessibleName() and not isinstance(widget, QAbstractButton | QLabel):
                widget.setAccessibleName(text)
    return box


def filled(box: _Box, *parts: Part, margins: Margins | None = None, spacing: int | None = None) -> _Box:
    """Add parts to a layout, which may change its direction later; None leaves what it has. Return it."""
    if margins is not None:
        _set_margins(box, margins)
    if spacing is not None:
        box.setSpacing(spacing)
    for part in parts:
        item = part[0] if isinstance(part, tuple) else part
        how: tuple[Any, ...] = part[1:] if isinstance(part, tuple) else ()
        if isinstance(item, Gap):
            box.addSpacing(item)
        elif isinstance(item, int):
            box.addStretch(item)
        elif isinstance(item, QLayout):
            box.addLayout(item, *how)
        else:
            box.addWidget(item, *how)
    return box


CENTRE, LEFT, RIGHT = (
    Qt.AlignmentFlag.AlignVCenter | side
    for side in (Qt.AlignmentFlag.AlignHCenter, Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignRight)
)
Colour = str | QColor
"""A colour, or the name of one of the palette's."""


class Pencil:
    """Draws with `painter`; each call says all of what it draws, whatever was drawn before."""

    def __init__(self, painter: QPainter, look: Look) -> None:
        self.painter = painter
        self.look = look

    def colour(self, colour: Colour) -> QColor:
        return self.look.colour(colour) if isinstance(colour, str) else colour

    def write(
        self,
        text: str,
        room: QRectF,
        font: QFont,
        colour: Colour = "text",
        side: Qt.AlignmentFlag = CENTRE,
    ) -> None:
        """Write a line of text at one side of a rectangle; what is too long for it ends in dots."""
        self.painter.setFont(font)
        self.painter.setPen(self.colour(colour))
        if QFontMetricsF(font).horizontalAdvance(text) > room.width() + 1:
            text = QFontMetricsF(font).elidedText(text, Qt.TextElideMode.ElideRight, room.width() + 1)
        self.painter.drawText(room, side, text)

    def prose(
        self,
        text: str,
        room: QRectF,
        font: QFont,
        colour: Colour = "text",
        side: Qt.AlignmentFlag = Qt.AlignmentFlag.AlignTop,
    ) -> None:
        """Write a text in as many lines as it needs."""
        self.painter.setFont(font)
        self.painter.setPen(self.colour(colour))
        self.painter.drawText(room, Qt.TextFlag.TextWordWrap | side, text)

    def dot(self, at: QPointF, radius: float, colour: Colour) -> None:
        """Draw a filled circle around a point."""
        self.painter.setPen(Qt.PenStyle.NoPen)
        self.painter.setBrush(self.colour(colour))
        self.painter.drawEllipse(at, radius, radius)

    def box(
        self,
        box: QRectF,
        line: Colour | None = None,
        width: float = 1.0,
        *,
        fill: Colour | None = None,
        rounding: float = 0.0,
        is_broken: bool = False,
    ) -> None:
        """Draw a rectangle with a frame of the colour `line`, filled with `fill`; None leaves it out."""
        self._set_pen(line, width, is_broken=is_broken)
        self.painter.setBrush(Qt.BrushStyle.NoBrush if fill is None else self.colour(fill))
        if rounding:
            self.painter.drawRoundedRect(box, rounding, rounding)
        else:
            self.painter.drawRect(box)

    def line(
        self, start: QPointF, end: QPointF, colour: Colour, width: float = 1.0, *, is_broken: bool = False
    ) -> None:
        self._set_pen(colour, width, is_broken=is_broken)
        self.painter.drawLine(start, end)

    def cross(self, box: QRectF, colour: Colour, width: float = 1.0) -> None:
        """Draw both diagonals of a rectangle."""
        self.line(box.topLeft(), box.bottomRight(), colour, width)
        self.line(box.topRight(), box.bottomLeft(), colour, width)

    def way(self, start: QPointF, end: QPointF, colour: Colour, width: float = 3.0) -> None:
        """Draw a curve that leaves its start and comes to its end horizontally."""
        middle = (start.x() + end.x()) / 2
        path = QPainterPath(start)
        path.cubicTo(QPointF(middle, start.y()), QPointF(middle, end.y()), end)
        self.path(path, colour, width)

    def path(self, path: QPainterPath, colour: Colour, width: float = 1.0) -> None:
        """Draw the outline of a path."""
        self.painter.setBrush(Qt.BrushStyle.NoBrush)
        self._set_pen(colour, width)
        self.painter.drawPath(path)

    def image(self, image: QImage, box: QRectF, *, part: QRectF | None = None, opacity: float = 1.0) -> None:
        """Draw an image, or a `part` of it in its own pixels, as large as a rectangle."""
        self.painter.setOpacity(opacity)
        self.painter.drawImage(box, image, QRectF(image.rect()) if part is None else part)
        self.painter.setOpacity(1.0)

    def _set_pen(self, colour: Colour | None, width: float, *, is_broken: bool = False) -> None:
        style = Qt.PenStyle.DashLine if is_broken else Qt.PenStyle.SolidLine
        self.painter.setPen(Qt.PenStyle.NoPen if colour is None else QPen(self.colour(colour), width, style))
