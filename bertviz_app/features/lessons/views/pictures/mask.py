"""A sentence with hidden words, what the model expects there, and how large the loss of that is."""

from __future__ import annotations

import math

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QRectF, Qt, Slot
from PySide6.QtGui import QFontMetricsF, QPainter
from PySide6.QtWidgets import QWidget

from bertviz_app.features.lessons.course.lesson import Scene
from bertviz_app.features.lessons.state.pictures import Guesses, LessonPictures
from bertviz_app.features.lessons.views.pictures.bars import BarList, ShownBar, TitledBars
from bertviz_app.features.lessons.views.pictures.chips import Chips
from bertviz_app.features.lessons.views.pictures.lesson_picture import LargerLook, LessonPicture, title_label
from bertviz_app.text.edits import MASKS
from bertviz_app.viewmodels.runs.run import written
from bertviz_app.viewmodels.viewport import PixelAxis
from bertviz_app.views.kit.layouts import in_column, in_row
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.pencil import Pencil
from bertviz_app.views.kit.words import fixed
from bertviz_app.views.plots.axes import NumberAxis, Strip
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
            self.guesses.show_list(BarList(title, bars_of(guesses), full, note=verdict))
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


def bars_of(guesses: Guesses) -> list[ShownBar]:
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
