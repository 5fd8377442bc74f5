"""Bars of tokens: weights, what each adds, how alike two are, padding, and how far methods agree on them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import accumulate

import numpy as np
from PySide6.QtCore import QRectF, QSignalBlocker, QSize, Qt
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QCheckBox, QSlider

from bertviz_app.analysis.results import Result
from bertviz_app.errors import AppError
from bertviz_app.features.lessons.course.lesson import Scene, token_values
from bertviz_app.features.lessons.state.computed import (
    AddedLengths,
    Padded,
    WeightRow,
    added_of,
    aligned,
    alike_of,
    columns_of,
)
from bertviz_app.features.lessons.state.pictures import LessonPictures
from bertviz_app.features.lessons.views.pictures.bars import BarList, BarsPicture, Level, ShownBar, value_bars
from bertviz_app.features.lessons.views.pictures.lesson_picture import DrawnPlot
from bertviz_app.types import Floats
from bertviz_app.viewmodels.state import Pair
from bertviz_app.viewmodels.wording import translated
from bertviz_app.views.kit.look import LEFT, Look, Pencil
from bertviz_app.views.kit.words import fixed
from bertviz_app.views.plots.picture import follow_selection

_STEPS, _FACTOR = 100, 10.0
"""The slider goes from a tenth of the model's own divisor to ten times that."""
_ADDED_COLOURS = ("accent", "value", "output")


class RowPicture(BarsPicture):
    """The row of a word in a head before the text was changed, and beside it the row now."""

    def __init__(self, look: Look, pictures: LessonPictures) -> None:
        self.slider = QSlider(Qt.Orientation.Horizontal)
        super().__init__(look, pictures, below=(self.slider,))
        self.slider.setRange(-_STEPS, _STEPS)
        self.slider.setAccessibleName(self.tr("Divide the scores by another number"))
        self.slider.valueChanged.connect(
            lambda value: pictures.try_divisor(pictures.own_divisor * _FACTOR ** (value / _STEPS))
        )

    def lists_of(self, scene: Scene) -> Sequence[BarList]:
        before, now = self.pictures.rows
        has_slider = scene.part == "divisor"
        self.slider.setVisible(has_slider)
        self.setFocusProxy(self.slider if has_slider else self.lists[0])
        if before is None:
            return ()
        if has_slider and now is not None:
            return self._divided(before, now)
        self.title.setText("")
        head = self.tr("layer {0}, head {1}").format(before.layer, before.head)
        looks = self.tr("Before: what “{0}” looks at ({1})").format(before.labels[before.query], head)
        full = max(0.5, float(before.weights.max()), 0.0 if now is None else float(now.weights.max()))
        n_rows = max(len(before.labels), 0 if now is None else len(now.labels))
        first = BarList(looks, row_bars(before, None), full, n_rows=n_rows)
        if now is None:
            self.note.setText("")
            words = self.tr("Now: the same, until you change the text")
            return first, BarList(words, first.bars, full)
        words = self.tr("Now: what “{0}” looks at (broken line: before)")
        places = aligned(before.labels, now.labels)
        parts = []
        for at in sorted(range(len(now.labels)), key=lambda at: -float(now.weights[at]))[:2]:
            was = places[at]
            old = "–" if was is None else fixed(float(before.weights[was]), 2)
            moved = self.tr("“{0}” {1} → {2}")
            parts.append(moved.format(now.labels[at], old, fixed(float(now.weights[at]), 2)))
        self.note.setText(" · ".join(parts))
        return first, BarList(words.format(now.labels[now.query]), row_bars(now, before), full, n_rows=n_rows)

    def _divided(self, own: WeightRow, tried: WeightRow) -> Sequence[BarList]:
        """Return the row with the model's own divisor, and the one with that of the slider."""
        divisors = self.pictures.own_divisor, self.pictures.divisor
        with QSignalBlocker(self.slider):
            self.slider.setValue(round(math.log(divisors[1] / divisors[0], _FACTOR) * _STEPS))
        most = self.tr(
            "Entropy is 0 where one token has all weight, and {0} bits where all {1} have the same."
        )
        self.note.setText(most.format(fixed(math.log2(len(own.labels)), 2), len(own.labels)))
        names = (
            self.tr("The model divides by {0}: entropy {1} bits"),
            self.tr("Divided by {0}: entropy {1} bits"),
        )
        words = self.tr("Layer {0}, head {1}: what “{2}” looks at")
        self.title.setText(words.format(own.layer, own.head, own.labels[own.query]))
        full = max(0.5, float(own.weights.max()), float(tried.weights.max()))
        return [
            BarList(words.format(fixed(divisor, 2), fixed(row.entropy, 2)), row_bars(row, before), full)
            for words, divisor, row, before in zip(names, divisors, (own, tried), (None, own), strict=True)
        ]


def row_bars(row: WeightRow, before: WeightRow | None) -> list[ShownBar]:
    """Return a bar for each key, with its weight before, if there is a row before; new words are marked."""
    places = [None] * len(row.labels) if before is None else list(aligned(before.labels, row.labels))
    found = []
    for at, (label, weight) in enumerate(zip(row.labels, row.weights.tolist(), strict=True)):
        place = places[at]
        was = None if before is None or place is None else float(before.weights[place])
        is_new = before is not None and (place is None or before.labels[place] != label)
        name, colour = (f"→ {label}", "sentence_b") if is_new else (label, "accent")
        found.append(ShownBar(name, weight, fixed(weight, 2), colour, at == row.largest or is_new, was))
    return found


class LookedAtPicture(BarsPicture):
    """The weight of every token on the same key in two heads; the query is highlighted."""

    def lists_of(self, scene: Scene) -> Sequence[BarList]:
        found = self.pictures.of_now(columns_of) or ()
        full = max([0.5, *(float(one.weights.max()) for one in found)])
        words = self.tr("Layer {0}, head {1}: how much each token looks at “{2}”")
        note = self.tr("“{0}”: {1}. The other tokens: {2} on average.")
        return [
            BarList(
                words.format(one.layer, one.head, one.labels[one.key]),
                value_bars(one.labels, one.weights, {one.query}),
                full,
                Level(one.others, self.tr("mean of the others")),
                note=note.format(one.labels[one.query], fixed(one.weight, 2), fixed(one.others, 2)),
            )
            for one in found
        ]


class AlikePicture(BarsPicture):
    """How alike two tokens are after the embeddings and after each layer, beside the mean of all pairs."""

    def lists_of(self, scene: Scene) -> Sequence[BarList]:
        found = self.pictures.of_now(alike_of)
        if found is None:
            return ()
        titles = (
            self.tr("“{0}” and “{1}”: cosine of their vectors").format(found.query, found.key),
            self.tr("All pairs of tokens: mean cosine"),
        )
        layer = self.tr("layer {0}")
        after = [self.tr("embeddings"), *(layer.format(at) for at in range(len(found.pair) - 1))]
        full = max(0.5, float(found.pair.max()), float(found.mean.max()))
        self.title.setText(self.tr("After the embeddings, and after each layer"))
        return [
            BarList(title, value_bars(after, values, {0, len(values) - 1}, colour), full)
            for title, values, colour in zip(
                titles, (found.pair, found.mean), ("accent", "output"), strict=True
            )
        ]


class AddedPicture(BarsPicture):
    """What each token adds to a vector: its weight, times the length of its value, is how long that is.

    Of a scene with occlusion: the weight, the length that is added, and what is lost where a token is hidden.
    Each list has a scale of its own; its largest number is highlighted.
    """

    def __init__(self, look: Look, pictures: LessonPictures) -> None:
        super().__init__(look, pictures, len(_ADDED_COLOURS), style="pictureNote")
        for each in self.lists:
            follow_selection(each.bars, pictures.selection, Pair)

    def lists_of(self, scene: Scene) -> Sequence[BarList]:
        found = self.pictures.of_now(added_of)
        if found is None:
            return ()
        row = found.row
        if "occlusion" in scene.analyses:
            return self._with_occlusion(found)
        words = self.tr("What each token adds to “{0}” in layer {1}, head {2}")
        self.title.setText(words.format(row.labels[row.query], row.layer, row.head))
        note = self.tr("“{0}” has {1} % of the weight, and {2} % of all the lengths that are added.")
        shares = 100 * float(row.weights[row.largest]), 100 * found.share(row.largest)
        self.note.setText(note.format(row.labels[row.largest], *(f"{share:.0f}" for share in shares)))
        names = self.tr("the weight"), self.tr("× length of the value"), self.tr("= length of what is added")
        lists = zip(names, (row.weights, found.lengths, found.added), _ADDED_COLOURS, strict=True)
        return [
            BarList(name, added_bars(row.labels, values, colour), float(values.max()))
            for name, values, colour in lists
        ]

    def _with_occlusion(self, found: AddedLengths) -> Sequence[BarList]:
        """Return two lists about the row, and beside them one about the vector of the whole text."""
        row, result = found.row, self.pictures.analysed("occlusion")
        words = self.tr("Which token matters? For “{0}” in layer {1}, head {2}, and for the whole text")
        self.title.setText(words.format(row.labels[row.query], row.layer, row.head))
        lost = token_values(result) if isinstance(result, Result) else None
        waits = self.tr("The tokens are being hidden one by one …") if result is None else ""
        self.note.setText(translated(result.message) if isinstance(result, AppError) else waits)
        names = (
            self.tr("the weight"),
            self.tr("the length of what is added"),
            self.tr("what is lost if it is hidden"),
        )
        lists = zip(names, (row.weights, found.added, lost), ("accent", "output", "sentence_b"), strict=True)
        return [
            BarList(name, [], n_rows=len(row.labels))
            if values is None
            else BarList(name, added_bars(row.labels, values, colour), float(np.abs(values).max()))
            for name, values, colour in lists
        ]


class AgreementPicture(BarsPicture):
    """How well methods of attribution agree with occlusion on the order of the tokens.

    The best and the worst are highlighted.
    """

    def __init__(self, look: Look, pictures: LessonPictures) -> None:
        super().__init__(look, pictures, 1)

    def lists_of(self, scene: Scene) -> Sequence[BarList]:
        result = self.pictures.analysed("agreement")
        if not isinstance(result, Result):
            waits = self.tr("The methods are being compared …")
            self.title.setText(waits if result is None else translated(result.message))
            self.note.setText("")
            return [BarList("", [])]
        found = next(each for each in result.pictures() if each.key == "spearman")
        self.title.setText(self.tr("Does a method put the tokens in the same order as occlusion?"))
        self.note.setText(self.tr("1: the same order. 0: no relation. −1: the opposite order."))
        methods, values = found.axes[1].labels[1:], found.values[0, 1:]
        # Of a text of one word no order is known.
        ends = {int(np.nanargmax(values)), int(np.nanargmin(values))} if np.isfinite(values).any() else set()
        names = [translated(found.words[method]) for method in methods]
        return (BarList("", value_bars(names, values, ends)),)


def added_bars(labels: tuple[str, ...], values: Floats, colour: str) -> list[ShownBar]:
    """Return a bar for each token; the longest is highlighted."""
    largest = int(values.argmax())
    return [
        ShownBar(label, value, fixed(value, 3 if value < 1 else 2), colour, at == largest)
        for at, (label, value) in enumerate(zip(labels, values.tolist(), strict=True))
    ]


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
