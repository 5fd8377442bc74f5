"""A text, or two, in large words, and what the classifiers of the model answer to it."""

from __future__ import annotations

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QLabel, QVBoxLayout

from bertviz_app.analysis.predictions import Predictions
from bertviz_app.viewmodels.learning.pictures import LessonPictures
from bertviz_app.viewmodels.pointer import Selection
from bertviz_app.views.kit.look import Look, named
from bertviz_app.views.lessons.pictures.bars import Bars, ShownBar
from bertviz_app.views.lessons.pictures.chips import Chips
from bertviz_app.views.lessons.pictures.lesson_picture import LessonPicture

_MOST, _ROW = 6, 52


class AnswerPicture(LessonPicture):
    """Below the words a bar for each class, or for a second sentence that follows and one that does not."""

    def __init__(self, look: Look, pictures: LessonPictures, selection: Selection) -> None:
        super().__init__(pictures)
        self.chips = Chips(look, selection, has_numbers=False)
        self.title, self.bars = named(QLabel(wordWrap=True), "pictureTitle"), Bars(look)
        self.bars.setAccessibleName(self.tr("What the model answers"))
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 20, 24, 16)
        column.setSpacing(16)
        column.addStretch(2)
        column.addWidget(self.chips)
        column.addSpacing(24)
        column.addWidget(self.title)
        column.addWidget(self.bars)
        column.addStretch(3)
        self.setFocusProxy(self.chips)
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Show the text that is typed, and the newest answer to it."""
        tokens, scene = self._pictures.tokens, self._pictures.scene
        if tokens is None or scene is None or scene.picture != "answer":
            return
        self.chips.show_tokens(tokens, None, {})
        answers = self._pictures.answers
        bars = [] if answers is None else self._bars(answers)
        if bars:
            self.bars.setFixedHeight(self.bars.look.pixels(_ROW) * len(bars))
            self.bars.show_bars(bars, 1.0)
            self.title.setText(self._words(answers))

    def _words(self, answers: Predictions | None) -> str:
        is_pair = answers is not None and answers.next_sentence is not None
        if is_pair:
            return self.tr("Does the second sentence follow the first? The model answers:")
        return self.tr("Which class has the text? The model answers:")

    def _bars(self, answers: Predictions) -> list[ShownBar]:
        if answers.next_sentence is not None:
            share = answers.next_sentence.probability
            pairs = [(self.tr("it follows"), share), (self.tr("it does not"), 1 - share)]
        else:
            classes = answers.classes
            pairs = [] if classes is None else sorted((each.name, each.value) for each in classes.labels)
        most = max((value for _, value in pairs), default=0.0)
        return [
            ShownBar(name, value, f"{100 * value:.1f} %", is_highlighted=value == most)
            for name, value in pairs[:_MOST]
        ]
