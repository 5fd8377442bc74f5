"""A text, or two, in large words, and what the classifiers of the model answer to it."""

from __future__ import annotations

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QLabel

from bertviz_app.analysis.predictions import Predictions
from bertviz_app.viewmodels.learning.pictures import LessonPictures
from bertviz_app.viewmodels.pointer import Selection
from bertviz_app.views.kit.layouts import Gap, in_column
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
        in_column(
            2, self.chips, Gap(24), self.title, self.bars, 3, of=self, margins=(24, 20, 24, 16), spacing=16
        )
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
        if answers is not None and bars:
            self.bars.setFixedHeight(self.bars.look.pixels(_ROW) * len(bars))
            self.bars.show_bars(bars, 1.0)
            words = self.tr("Which class has the text? The model answers:")
            if answers.next_sentence is not None:
                words = self.tr("Does the second sentence follow the first? The model answers:")
            self.title.setText(words)

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
