"""A token's chip, and the badges of what is edited."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from PySide6.QtCore import QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QBoxLayout, QPushButton, QWidget

from bertviz_app.text import Edits, Tokens
from bertviz_app.text.edits import MASK, Intervention
from bertviz_app.text.tokens import label
from bertviz_app.values import dataclass
from bertviz_app.viewmodels.runs.run import written
from bertviz_app.viewmodels.wording import intervention_text, rest_texts
from bertviz_app.views.kit.canvas import Guarded
from bertviz_app.views.kit.look import Look, named
from bertviz_app.views.kit.words import Item, open_menu, plain, without_mnemonic

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


def draw_chips(
    painter: QPainter, look: Look, chips: Sequence[tuple[Chip, QRectF]], rows: Sequence[QRectF]
) -> None:
    """Draw chips into their boxes, their texts at the heights of `rows`: to change the font takes long."""
    for chip, box in chips:  # what is behind the texts: the outline, the tint and the bar
        outline = QPen(look.colour("rule"))
        if chip.is_highlighted:
            outline = QPen(look.colour("accent"), 1.5)
        elif chip.edited:
            outline = QPen(look.colour("warning"), 1.5, Qt.PenStyle.DashLine)
        painter.setPen(outline)
        painter.setBrush(look.colour("raised"))
        painter.drawRoundedRect(box, _ROUND, _ROUND)
        if chip.is_highlighted or chip.edited:
            tint = look.colour("accent", 0.16) if chip.is_highlighted else look.colour("warning", 0.12)
            painter.setBrush(tint)
            painter.drawRoundedRect(box, _ROUND, _ROUND)
        # Between the round corners: to clip by them takes as long as all the rest.
        painter.fillRect(QRectF(box.left() + 2, box.top(), box.width() - 4, 3), look.colour(chip.colour))
    for number, row in enumerate(rows):
        font = look.number_font(12) if number else piece_font(look)
        painter.setFont(font)
        for chip, box in chips:
            text, room = chip.texts[number], QRectF(box.left() + 5, row.top(), box.width() - 10, row.height())
            if chip.is_cut:
                text = QFontMetricsF(font).elidedText(text, Qt.TextElideMode.ElideRight, room.width() + 1)
            colour = "secondary" if number or chip.is_special else "text"
            painter.setPen(look.colour("warning" if number in chip.edited else colour))
            painter.drawText(room, Qt.AlignmentFlag.AlignCenter, text)


def piece_font(look: Look) -> QFont:
    """Return the font of the first text of a chip."""
    return look.font(look.word_size(PIECE_SIZE), bold=True)


# What a badge offers: a text and the edits that it leaves; None: a line. One alone is done at once.
_Choices = Sequence[tuple[str, Edits | None]]


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

    def _badge(self, text: str, tip: str, choices: _Choices) -> QPushButton:
        words = f"{without_mnemonic(text)}  ✕"
        button = named(QPushButton(words), "badge", plain(tip), f"{text}: {tip}")
        emit = self.edits_chosen.emit
        items: list[Item] = [
            (text, None if edits is None else partial(emit, edits)) for text, edits in choices
        ]

        def undo() -> None:
            at, (_, run) = button.mapToGlobal(QPoint(0, button.height())), items[0]
            if len(items) > 1 or run is None:
                open_menu(self, items, at)
            else:
                run()

        button.clicked.connect(undo)
        return button

    def _described(self) -> Iterator[tuple[str, str, _Choices]]:
        """Yield the text, the tool tip and the choices of each badge."""
        edits = self._edits
        if edits.muted:
            names = [head_name(*head) for head in edits.muted]
            listed = ", ".join(names[: self._most]) + (" …" if len(names) > self._most else "")
            tip = self.tr("The output of this head is zero. Click to unmute it")
            choices: list[tuple[str, Edits | None]] = [
                (self.tr("Unmute {0}").format(name), edits.with_head_toggled(*head))
                for name, head in zip(names, edits.muted, strict=True)
            ]
            if len(names) > 1:
                words = self.tr("The output of these heads is zero: {0}. Click to unmute some")
                tip = words.format(", ".join(names))
                choices += [("", None), (self.tr("Unmute all"), edits.without_muted())]
            yield self.tr("Muted: {0}").format(listed), tip, choices
        has_rest = len(edits.replaced) > self._most
        shown = edits.replaced[: self._most - has_rest]
        for position, piece in shown:
            at, name = self._read.position_read(position), str(position)
            if self._tokens is not None and at is not None and at < len(self._tokens):
                name = label(written(self._tokens, at))
            text = f"{name} → {piece_label(piece, self._tokens)}"
            tip = self.tr("Token {0} is replaced by another piece. Click to undo").format(position)
            yield text, tip, [(text, edits.with_token(position, None))]
        if has_rest:
            text = self.tr("{0} more replaced").format(len(edits.replaced) - len(shown))
            yield text, self.tr("Click to undo all replacements"), [(text, edits.without_replaced())]
        # One badge for all interventions but muted heads and replaced tokens.
        rest: tuple[Intervention, ...] = (*edits.tokens, *edits.heads, *edits.cells)
        texts = rest_texts(edits, self._tokens, self._read)
        choices = [(each, edits.without(one)) for one, each in zip(rest, texts, strict=True)]
        if len(rest) == 1:
            short = intervention_text(rest[0], self._read, self._tokens, is_short=True)
            yield short, self.tr("{0}. Click to undo").format(texts[0]), choices
        elif rest:
            tip = self.tr("Click to undo some: {0}").format("; ".join(texts))
            yield self.tr("{0} interventions").format(len(rest)), tip, choices

    def sizeHint(self) -> QSize:
        return super().sizeHint() if self.buttons else QSize(0, 0)
