"""The start page: lessons, one head in one picture, one's last work, and examples to click."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from bertviz_app.learning.words import ExampleWords, Words
from bertviz_app.views.kit.style import named
from bertviz_app.views.kit.widgets import BigButton, scrolled
from bertviz_app.views.kit.words import language

_COLUMNS = 2
_LONGEST_LAST = 90  # characters: two lines
_MOST_OWN = 3


class Welcome(QWidget):
    """Shown until there is a first result. `example_chosen` carries the index of an example."""

    example_chosen = Signal(int)
    lessons_requested = Signal()
    plain_requested = Signal()
    restore_requested = Signal()
    own_chosen = Signal(int)

    def __init__(self, examples: Sequence[ExampleWords], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._examples = examples
        self._last_text = ""
        self._title = named(QLabel(alignment=Qt.AlignmentFlag.AlignCenter, wordWrap=True), "headline")
        self._hint = named(QLabel(alignment=Qt.AlignmentFlag.AlignCenter, wordWrap=True), "secondary")
        self.lessons, self.plain, self.last = BigButton(), BigButton(), BigButton()
        self.last.hide()
        self.buttons = [BigButton() for _ in examples]
        self.own = [BigButton() for _ in range(_MOST_OWN)]
        self._own_words: Sequence[tuple[Words, Words]] = ()
        self._or = named(QLabel(alignment=Qt.AlignmentFlag.AlignCenter), "secondary")
        self._lay_out()
        for index, button in enumerate(self.buttons):
            button.clicked.connect(lambda _=False, index=index: self.example_chosen.emit(index))
        for index, button in enumerate(self.own):
            button.hide()
            button.clicked.connect(lambda _=False, index=index: self.own_chosen.emit(index))
        self.lessons.clicked.connect(self.lessons_requested)
        self.plain.clicked.connect(self.plain_requested)
        self.last.clicked.connect(self.restore_requested)
        self.retranslate()

    def _lay_out(self) -> None:
        ways = QHBoxLayout()
        ways.setSpacing(12)
        for button in (self.lessons, self.plain, self.last):
            ways.addWidget(button, 1)
        own = QHBoxLayout()
        own.setSpacing(12)
        for button in self.own:
            own.addWidget(button, 1)
        grid = QGridLayout()
        grid.setSpacing(10)
        for index, button in enumerate(self.buttons):
            grid.addWidget(button, index // _COLUMNS, index % _COLUMNS)
        self._offers = QWidget()
        offers = QVBoxLayout(self._offers)
        offers.setContentsMargins(0, 0, 0, 0)
        offers.setSpacing(10)
        offers.addSpacing(10)
        offers.addLayout(ways)
        offers.addLayout(own)
        offers.addSpacing(14)
        offers.addWidget(self._or)
        offers.addLayout(grid)
        column = QVBoxLayout()
        column.setSpacing(10)
        column.addStretch(2)
        column.addWidget(self._title)
        column.addWidget(self._hint)
        column.addWidget(self._offers)
        column.addStretch(3)
        content = QWidget()
        row = QHBoxLayout(content)
        row.addStretch(1)
        row.addLayout(column, 8)
        row.addStretch(1)
        page = QVBoxLayout(self)
        page.setContentsMargins(0, 0, 0, 0)
        page.addWidget(scrolled(content))  # large text needs more height than a small window has

    def offer_last(self, text: str) -> None:
        """Offer to go on with the text shown last, of a long one its beginning; "": there is none."""
        self.last.setVisible(bool(text))
        self._last_text = text if len(text) <= _LONGEST_LAST else f"{_beginning(text)} …"
        self.retranslate()

    def set_brief(self, is_brief: bool) -> None:
        """Ask for a sentence and offer nothing else, as where a lesson is open."""
        self._offers.setVisible(not is_brief)
        self.retranslate()

    def offer_own(self, lessons: Sequence[tuple[Words, Words]]) -> None:
        """Offer the user's own lessons by title and summary; of many the first ones, the list has all."""
        self._own_words = lessons[:_MOST_OWN]
        for index, button in enumerate(self.own):
            button.setVisible(index < len(self._own_words))
        self.retranslate()

    def retranslate(self) -> None:
        now = language()
        is_brief = self._offers.isHidden()
        or_begin = self.tr("Type a sentence above, or begin here")
        self._title.setText(self.tr("Type a sentence above") if is_brief else or_begin)
        self._hint.setText(
            self.tr(
                "You will see its tokens and ids, every attention head of every layer, and the [CLS] vector."
            )
        )
        self.lessons.write(
            self.tr("Lessons"),
            self.tr("New to BERT? Thirteen short lessons on real numbers."),
        )
        self.plain.write(
            self.tr("One head, one picture"), self.tr("Lines from word to word, and nothing else.")
        )
        self.last.write(self.tr("Continue"), self._last_text)
        for button, (lesson, summary) in zip(self.own, self._own_words, strict=False):
            name = self.tr("Own lesson: {0}").format(lesson.in_language(now))
            button.write(name, summary.in_language(now))
        self._or.setText(self.tr("or look at an example"))
        for button, example in zip(self.buttons, self._examples, strict=True):
            texts = [text.in_language(now) for text in example.texts]
            title = f"{example.title.in_language(now)}:  {'  |  '.join(texts)}"
            button.write(title, example.ask.in_language(now))


def _beginning(text: str) -> str:
    """Return the first words of a long text; of a word that is a line long its first letters."""
    beginning = text[: _LONGEST_LAST + 1]
    words, _, _ = beginning.rpartition(" ")
    return (words if len(words) > _LONGEST_LAST // 2 else beginning[:-1]).rstrip()
