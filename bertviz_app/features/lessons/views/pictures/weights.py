"""Weights as lists of bars: a row before and after a change, who looks at a word, what each token adds."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import QSlider

from bertviz_app.analysis.results import Result
from bertviz_app.errors import AppError
from bertviz_app.features.lessons.course.lesson import Scene, token_values
from bertviz_app.features.lessons.state.pictures import (
    AddedLengths,
    KeyColumn,
    LessonPictures,
    WeightRow,
    added_of,
    aligned,
    columns_of,
)
from bertviz_app.features.lessons.state.strips import alike_of
from bertviz_app.features.lessons.views.pictures.bars import BarList, BarsPicture, Level, ShownBar
from bertviz_app.types import Floats
from bertviz_app.viewmodels.options import Pair
from bertviz_app.viewmodels.wording import translated
from bertviz_app.views.kit.look import Look
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
        self.heading.setText("")
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
        self.heading.setText(words.format(own.layer, own.head, own.labels[own.query]))
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
                column_bars(one),
                full,
                Level(one.others, self.tr("mean of the others")),
                note=note.format(one.labels[one.query], fixed(one.weight, 2), fixed(one.others, 2)),
            )
            for one in found
        ]


def column_bars(column: KeyColumn) -> list[ShownBar]:
    """Return a bar for each token that looks; the query is highlighted."""
    return [
        ShownBar(label, weight, fixed(weight, 2), is_highlighted=at == column.query)
        for at, (label, weight) in enumerate(zip(column.labels, column.weights.tolist(), strict=True))
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
        after = self.tr("embeddings"), self.tr("layer {0}")
        full = max(0.5, float(found.pair.max()), float(found.mean.max()))
        self.heading.setText(self.tr("After the embeddings, and after each layer"))
        return [
            BarList(
                title,
                [
                    ShownBar(
                        after[1].format(at - 1) if at else after[0],
                        value,
                        fixed(value, 2),
                        colour,
                        is_highlighted=at in (0, len(values) - 1),
                    )
                    for at, value in enumerate(values.tolist())
                ],
                full,
            )
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
        self.heading.setText(words.format(row.labels[row.query], row.layer, row.head))
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
        self.heading.setText(words.format(row.labels[row.query], row.layer, row.head))
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
            self.heading.setText(waits if result is None else translated(result.message))
            self.note.setText("")
            return [BarList("", [])]
        found = next(each for each in result.pictures() if each.key == "spearman")
        self.heading.setText(self.tr("Does a method put the tokens in the same order as occlusion?"))
        self.note.setText(self.tr("1: the same order. 0: no relation. −1: the opposite order."))
        methods, values = found.axes[1].labels[1:], found.values[0, 1:]
        # Of a text of one word no order is known.
        ends = {int(np.nanargmax(values)), int(np.nanargmin(values))} if np.isfinite(values).any() else set()
        bars = [
            ShownBar(translated(found.words[method]), value, fixed(value, 2), is_highlighted=at in ends)
            for at, (method, value) in enumerate(zip(methods, values.tolist(), strict=True))
        ]
        return (BarList("", bars),)


def added_bars(labels: tuple[str, ...], values: Floats, colour: str) -> list[ShownBar]:
    """Return a bar for each token; the longest is highlighted."""
    largest = int(values.argmax())
    return [
        ShownBar(label, value, fixed(value, 3 if value < 1 else 2), colour, at == largest)
        for at, (label, value) in enumerate(zip(labels, values.tolist(), strict=True))
    ]
