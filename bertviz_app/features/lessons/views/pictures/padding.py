"""Two texts in one batch: the shorter has [PAD] behind it, which the mask keeps out of the attention."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QCheckBox

from bertviz_app.features.lessons.course.lesson import Scene
from bertviz_app.features.lessons.state.padding import Padded
from bertviz_app.features.lessons.state.pictures import LessonPictures
from bertviz_app.features.lessons.views.pictures.bars import BarList, BarsPicture, ShownBar
from bertviz_app.features.lessons.views.pictures.lesson_picture import DrawnPlot
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.pencil import LEFT, Pencil
from bertviz_app.views.kit.words import fixed

_ROW, _GAP, _ROUND, _SIZE, _NAME = 44.0, 6.0, 6.0, 15.0, 13.0


class BatchGrid(DrawnPlot[int]):
    """The tokens of both texts, one below the other, and below them what the mask says of the second.

    They are read, not pointed at: it has no parts.
    """

    shows_words = True
    usual = (480, 150)
    walks = False
    count = 0

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self.padded: Padded | None = None
        self.is_masked = True
        self.setAccessibleName(self.tr("Two texts in one batch, the shorter filled up with [PAD]"))
        self.setFixedHeight(self.sizeHint().height())

    def show_batch(self, padded: Padded, *, is_masked: bool) -> None:
        """Show a batch with its mask, or with one that lets everything through."""
        self.padded, self.is_masked = padded, is_masked
        self.setAccessibleDescription(" / ".join(" ".join(row) for row in self.rows()))
        self.draw_anew()

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
        super().recolour()

    def draw_with(self, pencil: Pencil) -> None:
        look, rows, padded = self.look, self.rows(), self.padded
        if padded is None:
            return
        font, name_font = look.font(_SIZE, bold=True), look.font(_NAME)
        names = self.tr("text 1"), self.tr("text 2"), self.tr("mask of text 2")
        start = max(map(QFontMetricsF(name_font).horizontalAdvance, names)) + 14
        # Each column is as wide as its words need.
        of_word = QFontMetricsF(font).horizontalAdvance
        widths = [max(map(of_word, words)) + 2 * _GAP + 12 for words in zip(*rows, strict=True)]
        scale = min(1.6, (self.room.width() - start - 2) / sum(widths))
        size = _SIZE * min(1.0, scale)
        lefts = list(accumulate((width * scale for width in widths), initial=start))
        gap, height = look.pixels(_GAP), look.pixels(_ROW)
        for row, (words, name) in enumerate(zip(rows, names, strict=True)):
            top = row * (height + gap) + 2
            pencil.write(name, QRectF(0, top, start - 10, height), name_font, "secondary", LEFT)
            for at, word in enumerate(words):
                box = QRectF(lefts[at], top, max(lefts[at + 1] - lefts[at] - gap, 4.0), height)
                is_padding, is_query = row > 0 and at >= len(padded.alone), row == 1 and at == padded.query
                line, width = ("accent", 2.0) if is_query else ("rule", 1.0)
                fill = "card" if row == 2 or is_padding else "raised"
                pencil.box(box, line, width, fill=fill, rounding=_ROUND, is_broken=is_padding)
                ink = "accent" if is_query else "secondary" if is_padding else "text"
                pencil.write(
                    word,
                    box.adjusted(2, 0, -2, 0),
                    look.font(size, bold=not is_padding or row == 2),
                    "sentence_b" if row == 2 and word == "0" else ink,
                )


class PaddingPicture(BarsPicture):
    """The batch, the switch of its mask, and the row of one word read alone and in the batch."""

    def __init__(self, look: Look, pictures: LessonPictures) -> None:
        self.batch = BatchGrid(look)
        self.switch = QCheckBox()
        super().__init__(look, pictures, above=(self.batch, self.switch))
        self.switch.setText(self.tr("Use the mask: no token looks at [PAD]"))
        self.switch.setChecked(True)
        self.setFocusProxy(self.switch)
        self.switch.toggled.connect(self.refresh)

    def lists_of(self, scene: Scene) -> Sequence[BarList]:
        found = self.pictures.of_now(self.pictures.padded)
        if found is None:
            return ()
        is_masked = self.switch.isChecked()
        now = found.masked if is_masked else found.unmasked
        self.batch.show_batch(found, is_masked=is_masked)
        self.note.setText(self._words(found, is_masked))
        names = (
            self.tr("Read alone: what “{0}” looks at"),
            self.tr("In the batch (broken line: alone)"),
        )
        word, full = found.shorter[found.query], max(float(found.alone.max()), float(now.max()))
        lists, n_tokens = [], len(found.alone)
        for name, weights in zip(names, (found.alone, now), strict=True):
            bars = []
            for at, weight in enumerate(weights.tolist()):
                is_padding = at >= n_tokens
                before = None if len(weights) == n_tokens or is_padding else float(found.alone[at])
                colour = "sentence_b" if is_padding else "accent"
                text = fixed(weight, 2)
                bars.append(ShownBar(found.shorter[at], weight, text, colour, is_padding, before))
            lists.append(BarList(name.format(word), bars, full, n_rows=len(found.shorter)))
        return lists

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
