"""`Badges`: what is edited in a run, each with a click that undoes it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtWidgets import QBoxLayout, QMenu, QPushButton, QWidget

from bertviz_app.text import Edits, Tokens
from bertviz_app.text.edits import MASK, Intervention
from bertviz_app.text.tokens import label
from bertviz_app.viewmodels.runs.shown import written
from bertviz_app.viewmodels.wording import intervention_text, rest_texts
from bertviz_app.views.kit.canvas import guarded
from bertviz_app.views.kit.style import named
from bertviz_app.views.kit.words import plain, without_mnemonic

_Badge = tuple[str, str, Callable[[QPoint], None]]


def head_name(layer: int, head: int) -> str:
    """Return the name of a head where there is little room: "3·5"."""
    return f"{layer}·{head}"


def piece_label(piece: str, tokens: Tokens | None) -> str:
    """Return a piece, or the mask, as the labels of `tokens` write it."""
    return piece if piece == MASK or tokens is None else tokens.label_of(piece)


class Badges(QWidget):
    """One badge for the muted heads, and one for each replaced token; nothing where nothing is edited."""

    edits_chosen = Signal(object)

    def __init__(self, direction: QBoxLayout.Direction, most: int, parent: QWidget | None = None) -> None:
        """`most` heads are named; of more than `most` replaced tokens the last badge stands for the rest."""
        super().__init__(parent)
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
            self.retranslate()

    def retranslate(self) -> None:
        """Write the badges in the language in force."""
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
            text = self.tr("Muted: {0}").format(listed)
            badges.append((text, self._muted_tip(names), self._on_muted_clicked))
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
        return [*badges, *self._described_rest()]

    def _described_rest(self) -> list[_Badge]:
        """Return one badge for all interventions but muted heads and replaced tokens."""
        edits = self._edits
        rest: tuple[Intervention, ...] = (*edits.tokens, *edits.heads, *edits.cells)
        texts = rest_texts(edits, self._tokens, self._read)
        if len(rest) == 1:
            tip = self.tr("{0}. Click to undo").format(texts[0])
            short = intervention_text(rest[0], self._read, self._tokens, is_short=True)
            return [(short, tip, self._dropping(edits.without(rest[0])))]
        if not rest:
            return []
        tip = self.tr("Click to undo some: {0}").format("; ".join(texts))
        pairs = list(zip(rest, texts, strict=True))
        return [(self.tr("{0} interventions").format(len(rest)), tip, lambda at: self._list_rest(pairs, at))]

    def _list_rest(self, rest: list[tuple[Intervention, str]], at: QPoint) -> None:
        """Open a menu that undoes one of these interventions."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for one, text in rest:
            drop = self._dropping(self._edits.without(one))
            menu.addAction(without_mnemonic(text)).triggered.connect(lambda _=False, drop=drop: drop(at))
        menu.popup(at)

    def _muted_tip(self, names: list[str]) -> str:
        if len(names) == 1:
            return self.tr("The output of this head is zero. Click to unmute it")
        return self.tr("The output of these heads is zero: {0}. Click to unmute some").format(
            ", ".join(names)
        )

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

    @guarded(default=QSize())
    def sizeHint(self) -> QSize:
        return super().sizeHint() if self.buttons else QSize(0, 0)
