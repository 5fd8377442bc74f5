"""A text, or pairs of two, in large words, and what the classifiers of the model answer, right or wrong."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QPointF, QRectF, QSize
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QGridLayout, QSizePolicy, QWidget

from bertviz_app.analysis.predictions import Predictions
from bertviz_app.features.lessons.course.lesson import Scene
from bertviz_app.features.lessons.state.pictures import LessonPictures
from bertviz_app.features.lessons.views.pictures.bars import BarList, ShownBar, TitledBars
from bertviz_app.features.lessons.views.pictures.chips import Chips
from bertviz_app.features.lessons.views.pictures.lesson_picture import AROUND, LessonPicture, title_label
from bertviz_app.text import Tokens
from bertviz_app.viewmodels.wording import class_words
from bertviz_app.views.kit.canvas import Canvas
from bertviz_app.views.kit.layouts import in_column
from bertviz_app.views.kit.look import Look, named, restyle
from bertviz_app.views.kit.pencil import LEFT, Pencil

_MOST, _ROW, _THREAD = 6, 52, 56


class FirstThread(Canvas):
    """The line from the chip of the first token to what is read from its vector."""

    def __init__(self, look: Look, chips: Chips) -> None:
        super().__init__(look)
        self._chips = chips
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(self.tr("The answer is read from the pooled vector"))

    def sizeHint(self) -> QSize:
        return QSize(200, self.look.pixels(_THREAD))

    def draw(self, painter: QPainter) -> None:
        if self._chips.tokens is None:
            return
        pencil, look, height = Pencil(painter, self.look), self.look, float(self.height())
        first = self._chips.chip(0)
        # Where the chips wrap, their first row is not the last one: then it starts at their left.
        is_in_last = first.bottom() > self._chips.height() - first.height() / 2
        start = QPointF(first.center().x() if is_in_last else look.pixels(20), 0)
        end = QPointF(look.pixels(20), height - 3)
        bend = (start + end) / 2
        if abs(start.x() - end.x()) < 2:
            pencil.line(start, end, "accent", 2.5)
        else:
            for one, other in ((start, QPointF(start.x(), bend.y())), (QPointF(end.x(), bend.y()), end)):
                pencil.line(one, other, "accent", 2.5)
            pencil.line(QPointF(start.x(), bend.y()), QPointF(end.x(), bend.y()), "accent", 2.5)
        for aside in (-5.0, 5.0):
            pencil.line(end, end + QPointF(aside, -7), "accent", 2.5)
        room = QRectF(end.x() + look.pixels(12), height - look.pixels(24), self.width(), look.pixels(22))
        name = self._chips.tokens.special_names.first
        pencil.write(self.tr("the pooled {0}").format(name), room, look.font(14), "secondary", LEFT)


class Answered:
    """A text or a pair, the line from its first token, bars, and whether the answer is right."""

    def __init__(self, look: Look, pictures: LessonPictures) -> None:
        self.chips, self.answers = Chips(look, pictures.selection, has_numbers=False), TitledBars(look)
        self.thread, self.truth, self.verdict = FirstThread(look, self.chips), title_label(), title_label()
        self.parts: tuple[QWidget, ...] = (
            *(self.truth, self.chips, self.thread),
            *(self.answers, self.verdict),
        )

    def show_answer(self, tokens: Tokens, shown: BarList, truth: str = "", *, is_right: bool | None) -> None:
        """Show what the model answers to a text, what is true of it, and so whether it is right."""
        self.chips.show_tokens(tokens, None, {})
        self.thread.update()
        self.answers.bars.setFixedHeight(self.chips.look.pixels(_ROW) * max(len(shown.bars), 1))
        self.answers.show_list(shown)
        translate = QCoreApplication.translate
        words = translate("AnswerPicture", "✓ The model is right.")
        if not is_right:
            words = translate("AnswerPicture", "✗ The model is wrong.")
        self.truth.setText(truth)
        self.verdict.setText("" if is_right is None else words)
        self.verdict.setProperty("tone", "right" if is_right else "wrong")
        restyle(self.verdict)


class AnswerPicture(LessonPicture):
    """Below the words a bar for each class, or for a second sentence that follows and one that does not.

    A scene with another second sentence has a pair that follows and, beside it, one that does not.
    """

    def __init__(self, look: Look, pictures: LessonPictures) -> None:
        super().__init__(look, pictures)
        self.answered = [Answered(look, pictures) for _ in range(2)]
        page, self.grid = named(QWidget(), "clear"), QGridLayout()
        for column, each in enumerate(self.answered):
            for row, part in enumerate(each.parts):
                self.grid.addWidget(part, row, column)
        self.grid.setHorizontalSpacing(look.pixels(40))
        self.grid.setVerticalSpacing(look.pixels(14))
        page.setLayout(self.grid)
        in_column(2, page, 3, of=self, margins=AROUND)
        self.setFocusProxy(self.answered[0].chips)

    def show_scene(self, scene: Scene) -> None:
        tokens, answers = self.pictures.tokens, self.pictures.answers
        if tokens is None:
            return
        pairs, (first, second) = self.pictures.pairs, self.answered
        for column, is_there in enumerate((True, scene.other_pair is not None)):
            self.grid.setColumnStretch(column, int(is_there))
        for part in second.parts:
            part.setVisible(scene.other_pair is not None)
        if not pairs:
            words = self.tr("Which class has the text? The model answers:")
            bars = [] if answers is None else class_bars(answers, is_bundled=self.pictures.is_bundled)
            first.show_answer(tokens, BarList(words if bars else "", bars), is_right=None)
        words = self.tr("Does the second sentence follow the first? The model answers:")
        truths = {
            True: self.tr("These two belong together: it follows"),
            False: self.tr("These two do not: it does not follow"),
            None: "",
        }
        for shown, pair in zip(self.answered, pairs, strict=False):
            listed = BarList(words, pair_bars(pair.share))
            shown.show_answer(pair.tokens, listed, truths[pair.follows], is_right=pair.is_right)


def pair_bars(share: float) -> list[ShownBar]:
    """Return two bars: a second sentence follows with this share, or it does not."""
    translate = QCoreApplication.translate
    names = translate("AnswerPicture", "it follows"), translate("AnswerPicture", "it does not")
    return [
        ShownBar(name, each, f"{100 * each:.1f} %", is_highlighted=each >= 0.5)
        for name, each in zip(names, (share, 1 - share), strict=True)
    ]


def class_bars(answers: Predictions, *, is_bundled: bool) -> list[ShownBar]:
    """Return a bar for each class, in the order of their names as they are saved."""
    pairs = [] if answers.classes is None else [(each.name, each.value) for each in answers.classes.labels]
    most = max((value for _, value in pairs), default=0.0)
    return [
        ShownBar(
            class_words(name, is_bundled=is_bundled),
            value,
            f"{100 * value:.1f} %",
            is_highlighted=value == most,
        )
        for name, value in sorted(pairs)[:_MOST]
    ]
