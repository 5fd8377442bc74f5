"""The note that shows, step by step, how a word became its pieces."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import QCoreApplication, Qt, Slot
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QTextBrowser, QVBoxLayout, QWidget

from bertviz_app.text.why_cut import WhyCut
from bertviz_app.views.kit.look import Look

_MOST_TRIES = 40


class WhyCutNote(QDialog):
    """Shows one explanation; a new one replaces it."""

    def __init__(self, look: Look, window: QWidget) -> None:
        super().__init__(window)
        self._look = look
        self.text = QTextBrowser()
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.addWidget(self.text)
        column.addWidget(buttons)
        self.resize(520, 420)

    @Slot(object)
    def show_explanation(self, why: WhyCut | None) -> None:
        """Show `why`, or that the tokenizer does not show its steps."""
        self.setWindowTitle(self.tr("Why is it cut here?"))
        good, bad = (self._look.colour(name).name() for name in ("right", "secondary"))
        lines = [self._not_shown()] if why is None else [*_steps_before(why), *_steps(why, good, bad)]
        self.text.setHtml("".join(f"<p>{line}</p>" for line in lines))
        self.setWindowModality(Qt.WindowModality.NonModal)
        self.show()
        self.raise_()

    def _not_shown(self) -> str:
        return self.tr(
            "The steps of this word cannot be shown: its tokenizer splits texts in code of its own, or the "
            "letters around the word changed what it is."
        )


def _steps_before(why: WhyCut) -> list[str]:
    """Return what happens to a word before it is looked up."""
    translate = QCoreApplication.translate
    typed = translate("WhyCut", "Typed: {0}").format(_shown(why.typed))
    if why.kind == "added":
        whole = translate("WhyCut", "It is a token of its own, found whole before anything is split.")
        return [typed, whole]
    if why.typed == why.normal.strip():
        normal = translate("WhyCut", "Normalised: unchanged")
    else:
        normal = translate("WhyCut", "Normalised: {0}").format(_shown(why.normal.strip()))
    lines = [typed, normal]
    if why.syllables:
        apart = "; ".join(f"{escape(syllable)} = {escape(letters)}" for syllable, letters in why.syllables)
        words = translate(
            "WhyCut", "Removing accents takes Hangul syllables apart into their letters (jamo): {0}"
        )
        lines.append(words.format(apart))
    lines.append(translate("WhyCut", "Word that is looked up: {0}").format(_shown(why.word)))
    return lines


def _steps(why: WhyCut, good: str, bad: str) -> list[str]:
    """Return the steps of the model, and what they end in."""
    translate = QCoreApplication.translate
    if why.kind == "pieces":
        lines = _tries(why, good, bad)
    elif why.kind == "merges":
        begins = translate("WhyCut", "It begins as: {0}").format(_row(why.begins))
        rule = translate("WhyCut", "Rule {0}: {1} + {2} gives {3}")
        merged = [rule.format(f"{one.rule:,}", *map(_shown, one.pair), _row(one.parts)) for one in why.merges]
        lines = [begins, "<br>".join(merged) or translate("WhyCut", "No rule joins any.")]
    elif why.kind == "scores":
        best = translate("WhyCut", "Of all ways to cut it, this one has the largest sum of scores, {0}:")
        total = best.format(f"{sum(one.score for one in why.path):.2f}")
        lines = [total, "<br>".join(f"{_shown(one.piece)} {one.score:.2f}" for one in why.path)]
    else:
        lines = []
    return [*lines, translate("WhyCut", "Pieces: {0}").format(f"<b>{_row(why.pieces)}</b>")]


def _tries(why: WhyCut, good: str, bad: str) -> list[str]:
    """Return the candidates of a word from the left, the longest first, each found or not."""
    translate = QCoreApplication.translate
    if why.is_too_long:
        return [translate("WhyCut", "It has more characters than this tokenizer looks up: it is unknown.")]
    heading = translate("WhyCut", "The longest piece from the left is taken, then the longest of the rest:")
    found, absent = translate("WhyCut", "found"), translate("WhyCut", "not in the vocabulary")
    rows = [
        f'<span style="color: {good if one.is_found else bad}">{_shown(one.piece)}: '
        f"{found if one.is_found else absent}</span>"
        for one in why.tries
    ]
    if len(rows) > _MOST_TRIES:
        left_out = translate("WhyCut", "… {0} more …").format(len(rows) - _MOST_TRIES)
        rows = [*rows[: _MOST_TRIES // 2], left_out, *rows[-_MOST_TRIES // 2 :]]
    return [heading, "<br>".join(rows)]


def _shown(piece: str) -> str:
    return f"<code>{escape(piece)}</code>"


def _row(parts: tuple[str, ...]) -> str:
    return " ".join(map(_shown, parts))
