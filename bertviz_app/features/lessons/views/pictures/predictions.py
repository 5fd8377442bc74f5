"""What the model predicts: hidden words, in pre-training too, and classes; two trainings of a classifier."""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QCoreApplication, QPointF, QRectF, QSize, Qt, Slot
from PySide6.QtGui import QFontMetricsF, QPainter
from PySide6.QtWidgets import QGridLayout, QPushButton, QSizePolicy, QWidget

from bertviz_app.analysis.predictions import Predictions
from bertviz_app.features.lessons.course.lesson import Scene
from bertviz_app.features.lessons.state.computed import BECOME_MASK, BECOME_RANDOM, Fate, Guesses
from bertviz_app.features.lessons.state.pictures import LessonPictures
from bertviz_app.features.lessons.views.pictures.lesson_picture import (
    AROUND,
    BarList,
    Bars,
    LargerLook,
    LessonPicture,
    Level,
    ShownBar,
    TitledBars,
    title_label,
)
from bertviz_app.features.lessons.views.pictures.tokens import Chips
from bertviz_app.learning.label_training import LABELS, NAMES, LabelProgress, LabelResult, Labels
from bertviz_app.text import Tokens
from bertviz_app.text.edits import MASKS
from bertviz_app.types import Doubles
from bertviz_app.viewmodels.runs.run import written
from bertviz_app.viewmodels.viewport import PixelAxis
from bertviz_app.viewmodels.wording import class_words, translated
from bertviz_app.views.kit.canvas import Canvas
from bertviz_app.views.kit.look import LEFT, Look, Pencil, in_column, in_row, named, restyle
from bertviz_app.views.kit.words import fixed
from bertviz_app.views.plots.axes import NumberAxis, Strip
from bertviz_app.views.plots.charts import Curve, CurvePlot, smoothed
from bertviz_app.views.plots.plot import Box, Plot

_SMALLEST = 1e-4
"""The smallest probability that the curve is drawn for."""
_TOP = 10.0
_POINT = 13


class LossCurve(Plot):
    """Minus the natural logarithm of a probability, and the point of one probability on it."""

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self.box = Box(self)
        self.left, self.bottom = NumberAxis(self, self.box, "left"), NumberAxis(self, self.box, "bottom")
        self.item = self.plot_around(self.box, left=self.left, bottom=self.bottom)
        self.foot = Strip(self, self.box, self._draw_words, is_of_rows=False)
        self.ci.addItem(self.item, 0, 0)
        self.ci.addItem(self.foot, 1, 0)
        self.item.layout.setContentsMargins(0, 8, 20, 0)
        self.left.apart = 2.5
        self.box.setMouseEnabled(False, False)
        shares = np.geomspace(_SMALLEST, 1, 400)
        self.curve = pg.PlotDataItem(shares, -np.log(shares), antialias=True)
        self.guide, self.point = pg.PlotDataItem(), pg.ScatterPlotItem(size=_POINT)
        for item in (self.curve, self.guide, self.point):
            self.item.addItem(item, ignoreBounds=True)
        self.box.set_whole(QRectF(0, 0, 1, _TOP))
        self.setAccessibleName(self.tr("The loss, −ln p, over the probability p of the right token"))
        self.recolour()

    def show_share(self, share: float | None) -> None:
        """Mark the point of a probability, none with None."""
        if share is None:
            self.guide.setData([], [])
            self.point.setData([], [])
            self.setAccessibleDescription("")
            return
        loss = min(-math.log(max(share, math.exp(-_TOP))), _TOP)
        self.guide.setData([share, share, 0], [0, loss, loss])
        self.point.setData([share], [loss])
        self.setAccessibleDescription(self.tr("p = {0}, loss {1}").format(fixed(share, 4), fixed(loss, 2)))

    def recolour(self) -> None:
        look = self.look
        for axis in (self.left, self.bottom):
            axis.recolour()
        self.left.fit_numbers("10.0")
        self.curve.setPen(pg.mkPen(look.colour("text"), width=2))
        self.guide.setPen(pg.mkPen(look.colour("right"), width=1.5, style=Qt.PenStyle.DashLine))
        self.point.setPen(pg.mkPen(look.colour("card"), width=2))
        self.point.setBrush(look.colour("right"))
        self.foot.set_thickness(math.ceil(QFontMetricsF(look.font(12)).height()) + 6)

    def _draw_words(self, painter: QPainter, _axis: PixelAxis, room: QRectF) -> None:
        words = self.tr("probability p of the right token")
        Pencil(painter, self.look).write(words, room, self.look.font(12), "secondary")


class MaskPicture(LessonPicture):
    """The sentence large, below it the ten likeliest pieces, and beside these the curve of the loss.

    A double click on a word hides it, another one shows it again.
    """

    def __init__(self, look: Look, pictures: LessonPictures) -> None:
        super().__init__(look, pictures)
        self.chips = Chips(look, pictures.selection, has_numbers=False)
        self.guesses = TitledBars(look)
        self.curve, self.loss = LossCurve(LargerLook(look, self)), title_label()
        self._of_loss = QWidget()
        in_column(self.loss, (self.curve, 1), of=self._of_loss, margins=0)
        below = in_row((self.guesses, 3), (self._of_loss, 2), spacing=24)
        in_column(self.chips, (below, 1), of=self, margins=(24, 20, 24, 16), spacing=16)
        self.setFocusProxy(self.chips)
        self.chips.double_clicked.connect(self._on_double_clicked)

    def show_scene(self, scene: Scene) -> None:
        tokens = self.pictures.tokens
        if tokens is None:
            return
        hidden = {at: written(tokens, at) for at, piece in enumerate(tokens.pieces) if piece in MASKS}
        self.chips.show_tokens(tokens, None, {at: word for at, word in hidden.items() if word not in MASKS})
        guesses = self.pictures.guesses if hidden else None
        self._of_loss.setVisible(scene.part == "loss")
        expected = None if guesses is None else guesses.written
        self.curve.show_share(None if expected is None else expected.probability)
        loss = None if guesses is None else guesses.loss
        words = self.tr("Loss = −ln p = −ln {0} = {1}")
        share = 0.0 if expected is None else expected.probability
        self.loss.setText("" if loss is None else words.format(fixed(share, 4), fixed(loss, 2)))
        if guesses is not None:
            title = self.tr("What the model expects in place {0}:").format(guesses.position)
            full = max(0.25, guesses.likeliest[0].probability)
            verdict = self._verdict(guesses, written(tokens, guesses.position))
            self.guesses.show_list(BarList(title, guess_bars(guesses), full, note=verdict))
        elif hidden:
            self.guesses.show_list(BarList(self.tr("The model is guessing …"), ()))
        else:
            words = self.tr("Double-click a word: it is hidden from the model, which guesses it.")
            self.guesses.show_list(BarList(words, ()))

    def _verdict(self, guesses: Guesses, word: str) -> str:
        if guesses.written is None:
            return ""
        share, rank = guesses.written.probability, guesses.written.rank
        if rank == 1:
            words = self.tr("The hidden word was “{0}”: the model's first guess, with p = {1}.")
            return words.format(word, fixed(share, 3))
        words = self.tr("The hidden word was “{0}”: guess number {2}, with p = {1}.")
        return words.format(word, fixed(share, 4 if share < 0.01 else 3), f"{rank:,}")

    @Slot(int)
    def _on_double_clicked(self, token: int) -> None:
        """Hide a word, or show it again."""
        if self.pictures.editing.is_replaced(token):
            self.pictures.editing.toggle_mask(token)
        else:
            self.pictures.editing.predict(token)


def guess_bars(guesses: Guesses) -> list[ShownBar]:
    """Return a bar for each of the likeliest pieces, and a highlighted one for the piece that was hidden."""
    true, bars = guesses.written, []
    is_likely = true is None or any(each.id == true.id for each in guesses.likeliest)
    for each in (*guesses.likeliest, *(() if is_likely or true is None else (true,))):
        is_true = true is not None and each.id == true.id
        label, colour = f"{each.rank:,}.  {each.piece}", "accent"
        if is_true:
            label, colour = f"{label}  ✓", "right"
        bars.append(ShownBar(label, each.probability, f"{100 * each.probability:.1f} %", colour, is_true))
    return bars


_COLOURS: Mapping[Fate, str] = MappingProxyType({"mask": "accent", "swap": "sentence_b", "keep": "right"})
_SHARES: Mapping[Fate, float] = MappingProxyType(
    {"mask": BECOME_MASK, "swap": BECOME_RANDOM, "keep": 1 - BECOME_MASK - BECOME_RANDOM}
)
_MANY = 100


class DicePicture(LessonPicture):
    """The text with the chosen tokens framed, and below it how often each fate came up so far."""

    def __init__(self, look: Look, pictures: LessonPictures) -> None:
        super().__init__(look, pictures)
        self.chips = Chips(look, pictures.selection, has_numbers=False)
        self.counts = TitledBars(look)
        self.again, self.many = QPushButton(self.tr("Roll again")), QPushButton(self.tr("Roll 100 times"))
        self.again.clicked.connect(lambda: pictures.draw_again())
        self.many.clicked.connect(lambda: pictures.draw_again(_MANY))
        foot = in_row(self.again, self.many, 1, spacing=12)
        in_column(self.title, self.chips, foot, (self.counts, 1), of=self, margins=AROUND, spacing=20)
        self.setFocusProxy(self.again)

    def show_scene(self, scene: Scene) -> None:
        found, tokens = self.pictures.of_now(self.pictures.rolled), self.pictures.tokens
        if found is None or tokens is None:
            return
        before = {at: written(tokens, at) for at, fate in found.fates.items() if fate != "keep"}
        marked = {at: _COLOURS[fate] for at, fate in found.fates.items()}
        self.chips.show_tokens(found.tokens, None, before, marked)
        words = self.tr("The dice choose {0} of {1} tokens, 15 %. The model has to guess what was there.")
        self.title.setText(words.format(len(found.fates), int((~tokens.is_special).sum())))
        so_far = sum(found.counts.values())
        names: Mapping[Fate, str] = {
            "mask": self.tr("hidden: [MASK]"),
            "swap": self.tr("swapped for another"),
            "keep": self.tr("left as it is"),
        }
        bars = [
            ShownBar(
                names[fate], n / so_far, f"{n:,}", _COLOURS[fate], is_highlighted=True, before=_SHARES[fate]
            )
            for fate, n in found.counts.items()
        ]
        words = self.tr("{0} tokens chosen so far. Broken line: 80, 10 and 10 %")
        self.counts.show_list(BarList(words.format(f"{so_far:,}"), bars, n_rows=4))


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
        restyle(self.verdict, tone="right" if is_right else "wrong")


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


_GUESS = 0.5
"""So often is right who guesses one of two labels; the loss is minus its logarithm."""
_LABEL_COLOURS: Mapping[Labels, str] = {"real": "accent", "random": "sentence_b"}


class TrainingPicture(LessonPicture):
    """At the left how well each model does on the rows that it learns from, at the right on new rows."""

    def __init__(self, look: Look, pictures: LessonPictures) -> None:
        super().__init__(look, pictures)
        larger = LargerLook(look, self)
        name = self.tr("Accuracy of both trainings over the steps")
        self.accuracies = named(CurvePlot(larger, "%"), title=name)
        self.losses = named(CurvePlot(larger), title=self.tr("Loss of both trainings over the steps"))
        self.bars = named(Bars(look), title=self.tr("The four accuracies"))
        titles = self.title, title_label(), title_label()
        left = in_column(titles[0], (self.accuracies, 1), titles[1], (self.losses, 1))
        right = in_column(titles[2], self.note, (self.bars, 1))
        in_row((left, 1), (right, 1), of=self, margins=AROUND, spacing=28)
        titles[0].setText(self.tr("While learning: right on the rows seen"))
        titles[1].setText(self.tr("While learning: loss"))
        titles[2].setText(self.tr("Afterwards: how much is right"))
        pictures.trainings.changed.connect(self.refresh)

    def show_scene(self, scene: Scene) -> None:
        progress, results = self.pictures.trainings.progress, self.pictures.trainings.results
        words = self.tr("step")
        self.accuracies.show_curves(curves(progress, is_loss=False), words)
        self.losses.show_curves(curves(progress, is_loss=True), words)
        level = next((result.baseline for result in results.values()), None)
        if level is None:
            shown = Level(_GUESS, self.tr("guessing: 50 %"))
        else:
            shown = Level(level, self.tr("always the same answer: {0}").format(percent(level)))
        self.bars.show_bars(accuracy_bars(results), 1.0, shown)
        if len(results) == len(LABELS):
            real, random = (percent(results[labels].held_out_accuracy) for labels in LABELS)
            words = self.tr("On rows that they have not seen, one is right on {0}, the other on {1}.")
            self.note.setText(words.format(real, random))
        elif self.pictures.trainings.is_running:
            self.note.setText(self.tr("Both are learning. Their test on new rows comes at the end."))
        else:
            self.note.setText(
                self.tr("Nothing is trained yet: both would guess. Press the button in the lesson.")
            )


def percent(share: float) -> str:
    """Return a share as a percentage with one decimal."""
    return f"{100 * share:.1f} %"


def curves(progress: Mapping[Labels, LabelProgress], *, is_loss: bool) -> list[Curve]:
    """Return where guessing is, and a curve for each training: smoothed, with the numbers of the steps."""
    longest = max((len(each.losses) for each in progress.values()), default=0)
    across, guess = np.array([0.0, max(longest, 10)]), -math.log(_GUESS) if is_loss else _GUESS
    name = QCoreApplication.translate("TrainingPicture", "guessing")
    found = [Curve(name, "secondary", across, np.full(2, guess), is_level=True)]
    for labels in LABELS:
        each = progress.get(labels, LabelProgress())
        raw: Doubles = np.array(each.losses if is_loss else each.accuracies, np.float64)
        steps = np.arange(1, len(raw) + 1, dtype=np.float64)
        found.append(Curve(translated(NAMES[labels]), _LABEL_COLOURS[labels], steps, smoothed(raw), raw))
    return found


def accuracy_bars(results: Mapping[Labels, LabelResult]) -> list[ShownBar]:
    """Return two bars for each training: on the rows that it saw, and on new ones; empty until it is done."""
    translate = QCoreApplication.translate
    seen = translate("TrainingPicture", "{0}: seen")
    new = translate("TrainingPicture", "{0}: new")
    bars = []
    for labels in LABELS:
        name, result = translated(NAMES[labels]), results.get(labels)
        shares = (None, None) if result is None else (result.training_accuracy, result.held_out_accuracy)
        for words, share in zip((seen, new), shares, strict=True):
            text = "?" if share is None else percent(share)
            is_strong = share is not None and words is new
            bars.append(ShownBar(words.format(name), share or 0.0, text, _LABEL_COLOURS[labels], is_strong))
    return bars
