"""Two texts in one batch: the shorter has [PAD] behind it, which the mask keeps out of the attention."""

from __future__ import annotations

from itertools import accumulate

from PySide6.QtCore import QCoreApplication, QRectF, QSize, Qt, Slot
from PySide6.QtGui import QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QCheckBox, QLabel

from bertviz_app.analysis.probing.padding import Padded
from bertviz_app.types import Floats
from bertviz_app.viewmodels.learning.pictures import LessonPictures
from bertviz_app.views.kit.layouts import in_column, in_row
from bertviz_app.views.kit.look import Look, named
from bertviz_app.views.kit.words import fixed
from bertviz_app.views.lessons.pictures.bars import Bars, ShownBar
from bertviz_app.views.lessons.pictures.lesson_picture import LessonPicture
from bertviz_app.views.plots.plot import Drawing, Plot

_ROW, _GAP, _ROUND, _SIZE = 44.0, 6.0, 6.0, 15.0


class BatchGrid(Plot):
    """The tokens of both texts, one below the other, and below them what the mask says of the second."""

    shows_words = True

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self.padded: Padded | None = None
        self.is_masked = True
        self.box = self.add_box()
        self.box.setMouseEnabled(False, False)
        self.drawing = _BatchDrawing(self)
        self.drawing.follow(self.box)
        self.setAccessibleName(self.tr("Two texts in one batch, the shorter filled up with [PAD]"))
        self.setFixedHeight(self.sizeHint().height())

    def show_batch(self, padded: Padded, *, is_masked: bool) -> None:
        """Show a batch with its mask, or with one that lets everything through."""
        self.padded, self.is_masked = padded, is_masked
        self.setAccessibleDescription(" / ".join(" ".join(row) for row in self.rows()))
        self.drawing.update()

    def rows(self) -> tuple[tuple[str, ...], ...]:
        """Return what is written in the three rows."""
        if self.padded is None:
            return ()
        n_tokens, n_padding = len(self.padded.alone), self.padded.n_padding
        last = "0" if self.is_masked else "1"
        return self.padded.longer, self.padded.shorter, ("1",) * n_tokens + (last,) * n_padding

    def sizeHint(self) -> QSize:
        return QSize(480, round(self.look.pixels(3 * (_ROW + _GAP) + 4)))

    def recolour(self) -> None:
        self.setFixedHeight(self.sizeHint().height())
        self.drawing.update()


class _BatchDrawing(Drawing):
    """Draws the rows of `plot` as chips of equal width."""

    def __init__(self, plot: BatchGrid) -> None:
        self._plot = plot
        super().__init__(plot.look, plot.box)

    def draw(self, painter: QPainter) -> None:
        look, rows = self.look, self._plot.rows()
        if not rows:
            return
        painter.setFont(look.font(13))
        translate = QCoreApplication.translate
        names = (
            translate("BatchGrid", "text 1"),
            translate("BatchGrid", "text 2"),
            translate("BatchGrid", "mask of text 2"),
        )
        room = max(map(QFontMetricsF(look.font(13)).horizontalAdvance, names)) + 14
        lefts = self._lefts(room)
        gap, height = look.pixels(_GAP), look.pixels(_ROW)
        for number, (row, name) in enumerate(zip(rows, names, strict=True)):
            top = number * (height + gap) + 2
            painter.setPen(look.colour("secondary"))
            painter.setFont(look.font(13))
            painter.drawText(QRectF(0, top, room - 10, height), Qt.AlignmentFlag.AlignVCenter, name)
            for at, word in enumerate(row):
                box = QRectF(lefts[at], top, max(lefts[at + 1] - lefts[at] - gap, 4.0), height)
                self._draw_chip(painter, box, word, number, at)

    def _lefts(self, room: float) -> list[float]:
        """Return where the columns begin, and the last one ends: each as wide as its words need."""
        metrics = QFontMetricsF(self.look.font(_SIZE, bold=True))
        columns = zip(*self._plot.rows(), strict=True)
        widths = [max(map(metrics.horizontalAdvance, words)) + 2 * _GAP + 12 for words in columns]
        scale = min(1.6, (self.rect().width() - room - 2) / sum(widths))
        return list(accumulate((width * scale for width in widths), initial=room))

    def _draw_chip(self, painter: QPainter, box: QRectF, word: str, row: int, at: int) -> None:
        look, padded = self.look, self._plot.padded
        assert padded is not None
        is_padding, is_query = row and at >= len(padded.alone), row == 1 and at == padded.query
        is_off = row == 2 and word == "0"
        line = Qt.PenStyle.DashLine if is_padding else Qt.PenStyle.SolidLine
        painter.setPen(QPen(look.colour("accent" if is_query else "rule"), 2 if is_query else 1, line))
        painter.setBrush(look.colour("card" if row == 2 or is_padding else "raised"))
        painter.drawRoundedRect(box, _ROUND, _ROUND)
        ink = "sentence_b" if is_off else "accent" if is_query else "secondary" if is_padding else "text"
        painter.setPen(look.colour(ink))
        font = look.font(_SIZE, bold=not is_padding or row == 2)
        painter.setFont(font)
        fitting = QFontMetricsF(font).elidedText(word, Qt.TextElideMode.ElideRight, box.width() - 4)
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, fitting)


class PaddingPicture(LessonPicture):
    """The batch, the switch of its mask, and the row of one word read alone and in the batch."""

    def __init__(self, look: Look, pictures: LessonPictures) -> None:
        super().__init__(pictures)
        self.batch = BatchGrid(look)
        self.switch = QCheckBox(self.tr("Use the mask: no token looks at [PAD]"))
        self.switch.setChecked(True)
        self.titles = [named(QLabel(wordWrap=True), "pictureTitle") for _ in range(2)]
        self.bars = [Bars(look), Bars(look)]
        self.note = named(QLabel(wordWrap=True), "pictureNote")
        columns = (in_column(title, (bars, 1)) for title, bars in zip(self.titles, self.bars, strict=True))
        row = in_row(*((column, 1) for column in columns), spacing=28)
        in_column(self.batch, self.switch, (row, 1), self.note, of=self, margins=(24, 16, 24, 16), spacing=12)
        self.setFocusProxy(self.switch)
        self.switch.toggled.connect(self.refresh)
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Show the batch with its mask, or without it."""
        scene = self._pictures.scene
        found = None if scene is None or scene.picture != "padding" else self._pictures.padded
        if found is None:
            return
        is_masked = self.switch.isChecked()
        now = found.masked if is_masked else found.unmasked
        self.batch.show_batch(found, is_masked=is_masked)
        word = found.shorter[found.query]
        names = (
            self.tr("Read alone: “{0}” looks at …"),
            self.tr("In the batch: “{0}” looks at … (broken line: alone)"),
        )
        full = max(float(found.alone.max()), float(now.max()))
        for title, bars, name, weights in zip(self.titles, self.bars, names, (found.alone, now), strict=True):
            title.setText(name.format(word))
            bars.setAccessibleName(name.format(word))
            bars.show_bars(_bars(found, weights), full, n_rows=len(found.shorter))
        self.note.setText(self._words(found, is_masked))

    def _words(self, found: Padded, is_masked: bool) -> str:
        if is_masked:
            words = self.tr(
                "The weights on [PAD] are 0, and the others are those of the text alone. After all layers no "
                "number differs by more than {0}: that is rounding."
            )
            return words.format(f"{found.off:.7f}")
        words = self.tr(
            "Without the mask “{0}” puts {1} of its attention on [PAD], so less is left for the words. After "
            "all layers numbers differ by up to {2}: the text would mean something else beside another text."
        )
        share = float(found.unmasked[len(found.alone) :].sum())
        word = found.shorter[found.query]
        return words.format(word, f"{share:.0%}".replace("%", " %"), fixed(found.off_unmasked, 2))


def _bars(found: Padded, weights: Floats) -> list[ShownBar]:
    n_tokens = len(found.alone)
    bars = []
    for at, weight in enumerate(weights.tolist()):
        is_padding = at >= n_tokens
        before = None if len(weights) == n_tokens or is_padding else float(found.alone[at])
        colour = "sentence_b" if is_padding else "accent"
        bars.append(ShownBar(found.shorter[at], weight, fixed(weight, 2), colour, is_padding, before))
    return bars
