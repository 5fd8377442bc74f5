"""A token's chip, its badges, and their pictures."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from itertools import accumulate

from PySide6.QtCore import QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPainterPath, QPen, QPixmap, QTransform
from PySide6.QtWidgets import QBoxLayout, QMenu, QPushButton, QWidget

from bertviz_app.text import Edits, Tokens
from bertviz_app.text.edits import MASK, Intervention
from bertviz_app.text.tokens import label
from bertviz_app.values import dataclass
from bertviz_app.viewmodels.runs.run import written
from bertviz_app.viewmodels.wording import intervention_text, rest_texts
from bertviz_app.views.kit.canvas import Guarded
from bertviz_app.views.kit.look import Look, Palette, named
from bertviz_app.views.kit.words import plain, without_mnemonic

_ROUND = 6.0
PIECE_SIZE = 14.0


@dataclass(frozen=True)
class Chip:
    """What a chip says, from top to bottom, and how it stands out.

    `colour` is that of its sentence; `edited` has the numbers of the texts that are not as they are written;
    `is_cut` where a text may be wider than the chip.
    """

    texts: tuple[str, ...]
    colour: str
    is_highlighted: bool = False
    is_special: bool = False
    edited: frozenset[int] = frozenset()
    is_cut: bool = False


def draw_chip(painter: QPainter, look: Look, chip: Chip, box: QRectF, rows: Sequence[QRectF]) -> None:
    """Draw `chip` into `box`, its texts at the heights of `rows`."""
    draw_ground(painter, look, chip, box)
    painter.setFont(piece_font(look))
    write_piece(painter, look, chip, box, rows)
    painter.setFont(number_font(look))
    write_numbers(painter, look, chip, box, rows)


def draw_ground(painter: QPainter, look: Look, chip: Chip, box: QRectF) -> None:
    """Draw what is behind the texts of a chip: its outline, its tint and its bar."""
    outline = QPen(look.colour("rule"))
    if chip.is_highlighted:
        outline = QPen(look.colour("accent"), 1.5)
    elif chip.edited:
        outline = QPen(look.colour("warning"), 1.5, Qt.PenStyle.DashLine)
    painter.setPen(outline)
    painter.setBrush(look.colour("raised"))
    painter.drawRoundedRect(box, _ROUND, _ROUND)
    if chip.is_highlighted or chip.edited:
        painter.setBrush(look.colour("accent", 0.16) if chip.is_highlighted else look.colour("warning", 0.12))
        painter.drawRoundedRect(box, _ROUND, _ROUND)
    path = QPainterPath()
    path.addRoundedRect(box, _ROUND, _ROUND)
    painter.save()
    painter.setClipPath(path, Qt.ClipOperation.IntersectClip)
    painter.fillRect(QRectF(box.left(), box.top(), box.width(), 3), look.colour(chip.colour))
    painter.restore()


def piece_font(look: Look) -> QFont:
    """Return the font that `write_piece` needs."""
    return look.font(look.word_size(PIECE_SIZE), bold=True)


def number_font(look: Look) -> QFont:
    """Return the font that `write_numbers` needs."""
    return look.number_font(12)


def write_piece(painter: QPainter, look: Look, chip: Chip, box: QRectF, rows: Sequence[QRectF]) -> None:
    """Write the first text of a chip."""
    _write(painter, look, chip, box, 0, rows[0])


def write_numbers(painter: QPainter, look: Look, chip: Chip, box: QRectF, rows: Sequence[QRectF]) -> None:
    """Write the texts of a chip below the first."""
    for number in range(1, len(chip.texts)):
        _write(painter, look, chip, box, number, rows[number])


def _write(painter: QPainter, look: Look, chip: Chip, box: QRectF, number: int, row: QRectF) -> None:
    text, room = chip.texts[number], QRectF(box.left() + 5, row.top(), box.width() - 10, row.height())
    if chip.is_cut:
        metrics = QFontMetricsF(painter.font())
        text = metrics.elidedText(text, Qt.TextElideMode.ElideRight, room.width() + 1)
    colour = "warning" if number in chip.edited else "secondary" if number or chip.is_special else "text"
    painter.setPen(look.colour(colour))
    painter.drawText(room, Qt.AlignmentFlag.AlignCenter, text)


_Badge = tuple[str, str, Callable[[QPoint], None]]


def head_name(layer: int, head: int) -> str:
    """Return the name of a head where there is little room: "3·5"."""
    return f"{layer}·{head}"


def piece_label(piece: str, tokens: Tokens | None) -> str:
    """Return a piece, or the mask, as the labels of `tokens` write it."""
    return piece if piece == MASK or tokens is None else tokens.label_of(piece)


class Badges(Guarded, QWidget):
    """One badge for the muted heads, and one for each replaced token; nothing where nothing is edited."""

    edits_chosen = Signal(object)

    def __init__(self, direction: QBoxLayout.Direction, most: int) -> None:
        """`most` heads are named; of more than `most` replaced tokens the last badge stands for the rest."""
        super().__init__()
        self._most = most
        self._edits = Edits()
        self._tokens: Tokens | None = None
        self._read = Edits()
        self._row = QBoxLayout(direction, self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(4)
        self.buttons: list[QPushButton] = []
        self.hide()

    def show_edits(self, edits: Edits, tokens: Tokens | None, read: Edits | None = None) -> None:
        """Show these edits of a run; `tokens` are those of its last trace, read with `read`, else `edits`."""
        given = edits, tokens, edits if read is None else read
        if given != (self._edits, self._tokens, self._read):
            self._edits, self._tokens, self._read = given
            for button in self.buttons:
                self._row.removeWidget(button)
                button.hide()
                button.deleteLater()
            self.buttons = [self._badge(*one) for one in self._described()]
            for button in self.buttons:
                self._row.addWidget(button)
            self.setVisible(bool(self.buttons))

    def _badge(self, text: str, tip: str, run: Callable[[QPoint], None]) -> QPushButton:
        button = named(QPushButton(f"{without_mnemonic(text)}  ✕"), "badge")
        button.setToolTip(plain(tip))
        button.setAccessibleName(f"{text}: {tip}")
        button.clicked.connect(lambda: run(button.mapToGlobal(QPoint(0, button.height()))))
        return button

    def _described(self) -> list[_Badge]:
        """Return (text, tooltip, what a click does) of each badge."""
        edits = self._edits
        badges: list[_Badge] = []
        if edits.muted:
            names = [head_name(*head) for head in edits.muted]
            listed = ", ".join(names[: self._most]) + (" …" if len(names) > self._most else "")
            tip = self.tr("The output of this head is zero. Click to unmute it")
            if len(names) > 1:
                words = self.tr("The output of these heads is zero: {0}. Click to unmute some")
                tip = words.format(", ".join(names))
            badges.append((self.tr("Muted: {0}").format(listed), tip, self._on_muted_clicked))
        has_rest = len(edits.replaced) > self._most
        shown = edits.replaced[: self._most - has_rest]
        for position, piece in shown:
            text = f"{self._written(position)} → {piece_label(piece, self._tokens)}"
            tip = self.tr("Token {0} is replaced by another piece. Click to undo").format(position)
            badges.append((text, tip, self._dropping(edits.with_token(position, None))))
        if has_rest:
            text = self.tr("{0} more replaced").format(len(edits.replaced) - len(shown))
            tip = self.tr("Click to undo all replacements")
            badges.append((text, tip, self._dropping(edits.without_replaced())))
        # One badge for all interventions but muted heads and replaced tokens.
        rest: tuple[Intervention, ...] = (*edits.tokens, *edits.heads, *edits.cells)
        texts = rest_texts(edits, self._tokens, self._read)
        if len(rest) == 1:
            tip = self.tr("{0}. Click to undo").format(texts[0])
            short = intervention_text(rest[0], self._read, self._tokens, is_short=True)
            badges.append((short, tip, self._dropping(edits.without(rest[0]))))
        elif rest:
            tip = self.tr("Click to undo some: {0}").format("; ".join(texts))
            pairs = list(zip(rest, texts, strict=True))
            text = self.tr("{0} interventions").format(len(rest))
            badges.append((text, tip, lambda at: self._list_rest(pairs, at)))
        return badges

    def _list_rest(self, rest: list[tuple[Intervention, str]], at: QPoint) -> None:
        """Open a menu that undoes one of these interventions."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for one, text in rest:
            drop = self._dropping(self._edits.without(one))
            menu.addAction(without_mnemonic(text)).triggered.connect(lambda _=False, drop=drop: drop(at))
        menu.popup(at)

    def _dropping(self, edits: Edits) -> Callable[[QPoint], None]:
        return lambda at: self.edits_chosen.emit(edits)

    def _on_muted_clicked(self, at: QPoint) -> None:
        edits = self._edits
        if len(edits.muted) == 1:
            self.edits_chosen.emit(edits.without_muted())
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for layer, head in edits.muted:
            text = self.tr("Unmute {0}").format(head_name(layer, head))
            menu.addAction(text).triggered.connect(
                lambda _=False, layer=layer, head=head: self.edits_chosen.emit(
                    edits.with_head_toggled(layer, head)
                )
            )
        menu.addSeparator()
        every = menu.addAction(self.tr("Unmute all"))
        every.triggered.connect(lambda: self.edits_chosen.emit(edits.without_muted()))
        menu.popup(at)

    def _written(self, token: int) -> str:
        position = self._read.position_read(token)
        if self._tokens is None or position is None or position >= len(self._tokens):
            return str(token)
        return label(written(self._tokens, position))

    def sizeHint(self) -> QSize:
        return super().sizeHint() if self.buttons else QSize(0, 0)


_AROUND = 2.0
"""The room for the outline of a chip around its box."""
_MOST_BYTES = 24 << 20
ChipBox = tuple[Chip, QRectF]


class ChipPictures:
    """Pictures of chips, drawn anew where the colours, the text size or the screen differ.

    The most recently used are cached, 24 MiB of them: at least 1,000 chips of usual width, or 300 on a
    screen with two device pixels to one of Qt's. All boxes have the same top and begin at a whole pixel, and
    a chip of the same size has its rows at the same heights.
    """

    def __init__(self, look: Look) -> None:
        self._look = look
        self._made_for: tuple[Palette, tuple[float, float]] | None = None
        self._pictures: dict[Hashable, QPixmap] = {}
        self._n_bytes = 0

    def draw(self, painter: QPainter, chips: Sequence[ChipBox], rows: Sequence[QRectF]) -> None:
        """Draw chips into their boxes; `rows` are those of `draw_chip`."""
        pictures = self.pictures(chips, rows, painter.device().devicePixelRatioF())
        for (_, box), picture in zip(chips, pictures, strict=True):
            painter.drawPixmap(QPointF(box.left() - _AROUND, box.top() - _AROUND), picture)

    def pictures(self, chips: Sequence[ChipBox], rows: Sequence[QRectF], ratio: float) -> list[QPixmap]:
        """Return the pictures of chips, each with two pixels around it."""
        made_for = self._look.palette, self._look.sizes
        if made_for != self._made_for:
            self._made_for = made_for
            self._pictures.clear()
            self._n_bytes = 0
        keys = [_key(chip, box, ratio) for chip, box in chips]
        found = {key: picture for key in keys if (picture := self._found(key)) is not None}
        missing = {key: chip for key, chip in zip(keys, chips, strict=True) if key not in found}
        if not missing:
            return [found[key] for key in keys]
        # Painted side by side on one sheet and cut out of it: a painter for each chip would take longer than
        # its texts, and to change the font as long as to write one, so all pieces come before all numbers.
        look = self._look
        grounds = [self._ground(chip, box, ratio) for chip, box in missing.values()]
        lefts = list(accumulate((ground.width() for ground in grounds[:-1]), initial=0))
        sheet = QPixmap(lefts[-1] + grounds[-1].width(), max(ground.height() for ground in grounds))
        sheet.fill(Qt.GlobalColor.transparent)
        with QPainter(sheet) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            for left, ground in zip(lefts, grounds, strict=True):
                painter.drawPixmap(left, 0, ground)
            for font, write in ((piece_font(look), write_piece), (number_font(look), write_numbers)):
                painter.setFont(font)
                for left, (chip, box) in zip(lefts, missing.values(), strict=True):
                    painter.setTransform(_to_corner(box, ratio, left))
                    write(painter, look, chip, box, rows)
        for key, left, ground in zip(missing, lefts, grounds, strict=True):
            found[key] = sheet.copy(left, 0, ground.width(), ground.height())
            found[key].setDevicePixelRatio(ratio)
            self._cache(key, found[key])
        return [found[key] for key in keys]

    def _found(self, key: Hashable) -> QPixmap | None:
        picture = self._pictures.pop(key, None)
        if picture is not None:
            self._pictures[key] = picture  # put at the end: the one that was needed last
        return picture

    def _cache(self, key: Hashable, picture: QPixmap) -> None:
        self._pictures[key] = picture
        self._n_bytes += _n_bytes(picture)
        while self._n_bytes > _MOST_BYTES:
            self._n_bytes -= _n_bytes(self._pictures.pop(next(iter(self._pictures))))

    def _ground(self, chip: Chip, box: QRectF, ratio: float) -> QPixmap:
        """Return what is behind the texts, in device pixels: the same for most chips of this width."""
        key = _key((chip.colour, chip.is_highlighted, bool(chip.edited)), box, ratio)
        ground = self._found(key)
        if ground is None:
            sides = (side + 2 * _AROUND for side in (box.width(), box.height()))
            ground = QPixmap(*(math.ceil(side * ratio) for side in sides))
            ground.fill(Qt.GlobalColor.transparent)
            with QPainter(ground) as painter:
                painter.setRenderHint(QPainter.RenderHint.Antialiasing)
                painter.setTransform(_to_corner(box, ratio))
                draw_ground(painter, self._look, chip, box)
            self._cache(key, ground)
        return ground


def _to_corner(box: QRectF, ratio: float, left: int = 0) -> QTransform:
    """Return what moves a box to the upper left corner, and `left` device pixels to the right."""
    x, y = (_AROUND - box.left()) * ratio, (_AROUND - box.top()) * ratio
    return QTransform(ratio, 0, 0, ratio, left + x, y)


def _key(drawn: Hashable, box: QRectF, ratio: float) -> Hashable:
    return drawn, box.width(), box.height(), ratio


def _n_bytes(picture: QPixmap) -> int:
    return picture.width() * picture.height() * 4
