"""A text, or two, in large words, and what the classifiers of the model answer to it."""

from __future__ import annotations

from bertviz_app.analysis.predictions import Predictions
from bertviz_app.features.lessons.course.lesson import Scene
from bertviz_app.features.lessons.state.pictures import LessonPictures
from bertviz_app.features.lessons.views.pictures.bars import BarList, ShownBar, TitledBars
from bertviz_app.features.lessons.views.pictures.chips import Chips
from bertviz_app.features.lessons.views.pictures.lesson_picture import LessonPicture
from bertviz_app.views.kit.layouts import Gap, in_column
from bertviz_app.views.kit.look import Look

_MOST, _ROW = 6, 52


class AnswerPicture(LessonPicture):
    """Below the words a bar for each class, or for a second sentence that follows and one that does not."""

    name = "answer"

    def __init__(self, look: Look, pictures: LessonPictures) -> None:
        super().__init__(look, pictures)
        self.chips, self.answers = Chips(look, pictures.selection, has_numbers=False), TitledBars(look)
        in_column(2, self.chips, Gap(24), self.answers, 3, of=self, margins=(24, 20, 24, 16), spacing=16)
        self.setFocusProxy(self.chips)

    def show_scene(self, scene: Scene) -> None:
        tokens, answers = self.pictures.tokens, self.pictures.answers
        if tokens is None:
            return
        self.chips.show_tokens(tokens, None, {})
        bars = [] if answers is None else self._bars(answers)
        if answers is None or not bars:
            return
        self.answers.bars.setFixedHeight(self.chips.look.pixels(_ROW) * len(bars))
        words = self.tr("Which class has the text? The model answers:")
        if answers.next_sentence is not None:
            words = self.tr("Does the second sentence follow the first? The model answers:")
        self.answers.show_list(BarList(words, bars))

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
