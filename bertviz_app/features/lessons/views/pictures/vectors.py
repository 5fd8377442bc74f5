"""Vectors as strips below each other: sums, joined heads, a detector, the pooler, states beside their map."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSignalBlocker, QSizeF, Qt, Slot
from PySide6.QtGui import QFontMetricsF, QPainterPath
from PySide6.QtWidgets import QPushButton, QSlider, QWidget

from bertviz_app.features.lessons.course.lesson import Scene
from bertviz_app.features.lessons.state.computed import Pooling, Strip
from bertviz_app.features.lessons.state.pictures import LessonPictures
from bertviz_app.features.lessons.views.pictures.lesson_picture import (
    AROUND,
    BarList,
    DrawnPlot,
    LargerLook,
    LessonPicture,
    TitledBars,
    note_label,
)
from bertviz_app.features.lessons.views.pictures.predictions import pair_bars
from bertviz_app.trace import Trace
from bertviz_app.trace.provenance import LayerDetails
from bertviz_app.types import Floats
from bertviz_app.viewmodels.stages.stage import activation
from bertviz_app.viewmodels.state import Pair
from bertviz_app.viewmodels.viewport import usual_size
from bertviz_app.views.kit.look import LEFT, RIGHT, Look, Pencil, in_column, in_row, named
from bertviz_app.views.kit.words import fixed, signed
from bertviz_app.views.plots.picture import follow_selection
from bertviz_app.views.vectors.plots import MapPicture, MapView

_MOVES_MS = 700
_LABEL, _NUMBER, _LETTER = 17.0, 15.0, 17.0
_USUAL_ROW, _ROW, _LEAST, _GAP, _LETTER_GAP, _ASIDE = 50.0, 76.0, 14.0, 30.0, 56.0, 34.0
_SHARE = 0.7  # of a row that its strip is high
_BARS = 0.3  # of the width, where there are values
_CURVE = 3.5  # a curve is drawn from minus this to this
_WORDS = QSizeF(40, 20)


class StripRows(DrawnPlot[int]):
    """The strips from the top. One with an origin stands below a gap, and moves there from its origin."""

    along = (1, 1)
    shows_words = True

    strips: tuple[Strip, ...] = ()
    _key: object = None

    def show_strips(self, strips: Sequence[Strip], key: object, limit: float | None = None) -> None:
        """Show other strips, which move in where `key` is another one than before."""
        self.strips = tuple(strips)
        high = _USUAL_ROW * len(strips) + sum(map(self._gap, strips))
        self.usual = DrawnPlot.usual[0], min(DrawnPlot.usual[1], round(high))
        values = ((strip, "" if strip.value is None else f" {fixed(strip.value, 2)}") for strip in strips)
        self.setAccessibleDescription(", ".join(f"{strip.label}{text}" for strip, text in values))
        self.show_numbers(*(strip.numbers[None, :] for strip in strips), limit=limit)
        self.forget_part()
        if key != self._key:
            self._key = key
            self.play(_MOVES_MS)

    @property
    def count(self) -> int:
        return len(self.strips)

    def lines_of(self, part: int) -> list[str]:
        strip = self.strips[part]
        first = ", ".join(fixed(float(number), 3) for number in strip.numbers[:4])
        value = [] if strip.value is None else [fixed(strip.value, 4)]
        return [strip.label, *value, self.tr("{0} numbers: {1} …").format(len(strip.numbers), first)]

    # where things lie, in pixels of the box

    def _gap(self, strip: Strip) -> float:
        if strip.origin is None:
            return 0.0
        return self.look.pixels(_LETTER_GAP if strip.letter else _GAP)

    @property
    def _has_values(self) -> bool:
        return any(strip.value is not None for strip in self.strips)

    @property
    def _left(self) -> float:
        metrics = QFontMetricsF(self.look.font(_LABEL, bold=True))
        widest = max(metrics.horizontalAdvance(strip.label) for strip in self.strips)
        return min(widest, 0.2 * self.room.width()) + self.look.pixels(14)

    def rect_of(self, part: int) -> QRectF:
        """Return where the row of a strip is, with its label and its bar."""
        room, gaps = self.room, [self._gap(strip) for strip in self.strips]
        free = (room.height() - sum(gaps)) / max(len(gaps), 1)
        high = min(self.look.pixels(_ROW), max(self.look.pixels(_LEAST), free))
        top = (room.height() - high * len(gaps) - sum(gaps)) / 3
        return QRectF(0, max(0.0, top) + part * high + sum(gaps[: part + 1]), room.width(), high)

    def strip(self, part: int) -> QRectF:
        """Return where the numbers of a strip are, without those of its motion."""
        row, left = self.rect_of(part), self._left
        width = row.width() * (1 - _BARS if self._has_values else 1) - left - self.look.pixels(_ASIDE)
        high = _SHARE * row.height()
        return QRectF(left, row.center().y() - high / 2, max(40.0, width), high)

    def place_of(self, part: int) -> QPointF:
        return self.in_plot(self.strip(part)).center()

    # drawing

    def draw_with(self, pencil: Pencil) -> None:
        for part, strip in enumerate(self.strips):
            box, row = self.strip(part), self.rect_of(part)
            if strip.origin is not None:
                self._draw_way(pencil, self.strip(strip.origin), box, strip)
                box.translate(0, (1 - self.done) * (self.strip(strip.origin).top() - box.top()))
            pencil.image(self.images[part], box, opacity=0.25 if strip.is_faded else 1.0)
            frame = ("accent", 2.0) if strip.is_highlighted or part == self.part else ("rule", 1.0)
            pencil.box(box, *frame)
            ink = "secondary" if strip.is_faded else "text"
            font = self.look.font(min(_LABEL, 0.62 * row.height() / self.look.scale), bold=True)
            label = QRectF(0, box.top(), box.left() - self.look.pixels(10), box.height())
            pencil.write(strip.label, label, font, ink, RIGHT)
        if self._has_values:
            self._draw_values(pencil)

    def _draw_way(self, pencil: Pencil, origin: QRectF, box: QRectF, strip: Strip) -> None:
        """Draw the arrow to a strip: straight from the one above it, else around those between."""
        look = self.look
        if strip.letter:
            x = box.left() + 0.12 * box.width()
            pencil.line(QPointF(x, origin.bottom() + 3), QPointF(x, box.top() - 5), "accent", 2.5)
            beside = QRectF(x + look.pixels(12), origin.bottom(), box.width(), box.top() - origin.bottom())
            pencil.write(strip.letter, beside, look.font(_LETTER, bold=True), "accent", LEFT)
            end, aside = QPointF(x, box.top() - 3), (QPointF(-5, -7), QPointF(5, -7))
        else:
            start, end = (QPointF(each.right() + 4, each.center().y()) for each in (origin, box))
            out = QPointF(look.pixels(_ASIDE - 6), 0)
            path = QPainterPath(start)
            path.cubicTo(start + out * 1.3, end + out * 1.3, end)
            pencil.path(path, "accent", 2.5)
            aside = (QPointF(8, -5), QPointF(8, 5))
        for tail in aside:
            pencil.line(end, end + tail, "accent", 2.5)

    def _draw_values(self, pencil: Pencil) -> None:
        """Draw a bar for each value, to the right of zero or to its left."""
        look, font = self.look, self.look.number_font(_NUMBER, bold=True)
        values = [strip.value for strip in self.strips if strip.value is not None]
        lowest, highest = min(0.0, *values), max(0.0, *values)
        start = self.strip(0).right() + look.pixels(_ASIDE + 12)
        words = QFontMetricsF(font).horizontalAdvance("−00.00") + look.pixels(8)
        per_value = max(20.0, self.room.width() - start - words) / ((highest - lowest) or 1.0)
        zero = start - lowest * per_value
        parts = [part for part, strip in enumerate(self.strips) if strip.value is not None]
        top, bottom = self.rect_of(parts[0]).top(), self.rect_of(parts[-1]).bottom()
        pencil.line(QPointF(zero, top), QPointF(zero, bottom), "rule")
        for part in parts:
            strip, box = self.strips[part], self.strip(part)
            long = (strip.value or 0.0) * per_value * self.done
            bar = QRectF(zero + min(long, 0.0), box.top(), max(2.0, abs(long)), box.height())
            is_strong = strip.is_highlighted or long > 0
            colour = look.colour("accent" if long > 0 else "secondary", 1.0 if is_strong else 0.35)
            pencil.box(bar, fill=colour, rounding=3)
            room = QRectF(max(bar.right(), zero) + 6, box.top(), words, box.height())
            ink = "text" if is_strong else "secondary"
            write = signed if lowest < 0 else fixed
            pencil.write(write(strip.value or 0.0, 2), room, font, ink, LEFT)


class LayerPicture(LessonPicture):
    """A picture of what a layer makes of the query of a scene."""

    def show_scene(self, scene: Scene) -> None:
        found = self.pictures.of_layer(lambda *found: found)
        if found is not None:
            self.show_layer(*found)

    def show_layer(self, trace: Trace, details: LayerDetails, token: int) -> None:
        """Show the numbers of a layer for a token."""
        raise NotImplementedError


class ResidualPicture(LayerPicture):
    """What came into a layer for a token, what its attention adds, and the sum, with their lengths."""

    def __init__(self, look: Look, pictures: LessonPictures) -> None:
        super().__init__(look, pictures)
        self.plot = StripRows(look)
        self.lay_out(self.plot, self.tr("Vectors as strips, and the length of each"), self.note)

    def show_layer(self, trace: Trace, details: LayerDetails, token: int) -> None:
        label, layer = trace.tokens.labels[token], details.layer
        words = self.tr("“{0}” in layer {1}: the output of the attention is added to what came in")
        self.title.setText(words.format(label, layer))
        names = self.tr("x: came in"), self.tr("+ attention(x)"), self.tr("= sum")
        came, whole = trace.hidden[layer][token], details.attention_sum[token]
        vectors = came, whole - came, whole
        size = usual_size(np.stack(vectors))
        lengths = [float(np.linalg.norm(each)) for each in vectors]
        strips = [
            Strip(name, each / size, length, is_highlighted=at == 2)
            for at, (name, each, length) in enumerate(zip(names, vectors, lengths, strict=True))
        ]
        self.plot.show_strips(strips, (label, layer), 1.0)
        cosine = float(came @ whole) / (lengths[0] * lengths[2])
        words = self.tr("The bar is the length of each vector. The cosine of x and the sum is {0}.")
        self.note.setText(words.format(fixed(cosine, 2)))


class JoinedPicture(LayerPicture):
    """What each head of a layer gathers for a token, at its place in the joined vector; a click mixes it."""

    def __init__(self, look: Look, pictures: LessonPictures) -> None:
        super().__init__(look, pictures)
        self.plot = StripRows(look)
        self.lay_out(self.plot, self.tr("Vectors as strips. Enter on the joined one mixes it"), self.note)
        self.plot.part_chosen.connect(self._mix)

    @Slot(object)
    def _mix(self, part: int) -> None:
        if self.plot.strips[part].is_highlighted:
            self.pictures.go_to_stage("projected")

    def show_layer(self, trace: Trace, details: LayerDetails, token: int) -> None:
        label, layer = trace.tokens.labels[token], details.layer
        n_heads, width = trace.n_heads, trace.head_width
        words = self.tr("“{0}” in layer {1}: {2} heads of {3} numbers are joined to one vector of {4}")
        self.title.setText(words.format(label, layer, n_heads, width, n_heads * width))
        places = np.zeros((n_heads, n_heads * width), np.float32)
        for head, place in enumerate(places):
            weights = trace.attention(layer, head, slice(token, token + 1))[0]
            place[head * width : (head + 1) * width] = weights @ trace.values[layer, head]
        whole, name = places.sum(0), self.tr("head {0}")
        strips = [Strip(name.format(head), row / usual_size(whole)) for head, row in enumerate(places)]
        at = len(strips)
        strips.append(Strip(self.tr("joined"), whole / usual_size(whole), is_highlighted=True))
        is_mixed = self.pictures.stage == "projected"
        if is_mixed:
            mixed = details.attention_sum[token] - trace.hidden[layer][token]
            strips.append(Strip(self.tr("mixed"), mixed / usual_size(mixed), None, at, "× Wₒ"))
        self.plot.show_strips(strips, (label, layer, is_mixed), 1.0)
        words = self.tr("Click the joined vector: W_O mixes it.")
        if is_mixed:
            words = self.tr("Each number of the mixed vector has something of every head.")
        self.note.setText(words)


class DetectorPicture(LessonPicture):
    """One detector of the feed-forward part and what each token gives it; or what the strongest ones add."""

    def __init__(self, look: Look, pictures: LessonPictures) -> None:
        super().__init__(look, pictures)
        self.plot = StripRows(look)
        self.again = QPushButton(self.tr("Another detector"))
        self.again.clicked.connect(lambda: pictures.draw_again())
        foot = in_row((self.note, 1), self.again, spacing=16)
        self.lay_out(self.plot, self.tr("Vectors as strips, and a number of each"), foot)

    def show_scene(self, scene: Scene) -> None:
        self.again.setVisible(scene.part is None)
        if scene.part == "added":
            self._show_added()
        elif (found := self.pictures.of_now(self.pictures.detector)) is not None:
            words = self.tr("Detector {0} of {1}: its weights, and what it is for each token")
            self.title.setText(words.format(f"{found.number:,}", f"{found.n_detectors:,}"))
            weights = Strip(
                self.tr("weights"), found.weights / usual_size(found.weights), is_highlighted=True
            )
            size = usual_size(np.stack([strip.numbers for strip in found.strips]))
            tokens = [
                Strip(each.label, each.numbers / size, each.value, is_highlighted=each.is_highlighted)
                for each in found.strips
            ]
            first = tokens[0]
            letter = self.tr("times the vector of each token, summed, and {0}").format(signed(found.bias, 2))
            tokens[0] = Strip(first.label, first.numbers, first.value, 0, letter, first.is_highlighted)
            self.plot.show_strips((weights, *tokens), found.number, 1.0)
            n_fired = sum(each.is_highlighted for each in found.strips)
            words = self.tr("It is above 0 for {0} of {1} tokens, and largest for “{2}”.")
            largest = max(found.strips, key=lambda each: each.value or 0.0).label
            self.note.setText(words.format(n_fired, len(found.strips), largest))

    def _show_added(self) -> None:
        found = self.pictures.of_now(self.pictures.narrowed)
        if found is None:
            return
        words = self.tr("“{0}”: what its strongest detectors add, and the sum of all {1}")
        self.title.setText(words.format(found.token, f"{found.n_detectors:,}"))
        *strips, whole = found.strips
        name = self.tr("detector {0}")
        strips = [Strip(name.format(each.label), each.numbers, each.value) for each in strips]
        letter = self.tr("and {0} weaker ones").format(f"{found.n_detectors - len(strips):,}")
        whole = Strip("Σ", whole.numbers, None, len(strips) - 1, letter, is_highlighted=True)
        self.plot.show_strips((*strips, whole), found.token)
        words = self.tr(
            "{0} of {1} detectors are active here, above 0.1. The bar is the length of what each adds."
        )
        self.note.setText(words.format(f"{found.n_active:,}", f"{found.n_detectors:,}"))


class FunctionCurve(DrawnPlot[int]):
    """A function, with a point for each number of a vector. They are read, not pointed at."""

    walks = False
    count = 0
    usual = hint = 400, 260

    def __init__(self, look: Look, function: Callable[[float], float], span: tuple[float, float]) -> None:
        """`span`: from where to where what comes out is drawn."""
        super().__init__(look)
        self._function, self._span = function, span
        self.inputs: Floats = np.zeros(0, np.float32)

    def show_points(self, inputs: Floats) -> None:
        """Show these numbers on the curve."""
        self.inputs = inputs
        self.draw_anew()

    def at(self, given: float, made: float) -> QPointF:
        """Return the point of a number that goes in and of what comes out, in pixels of the box."""
        room, text, (low, high) = self.room, self.look.pixels(22), self._span
        x = room.left() + text + (given + _CURVE) / (2 * _CURVE) * (room.width() - 2 * text)
        return QPointF(x, room.bottom() - text - (made - low) / (high - low) * (room.height() - 2 * text))

    def draw_with(self, pencil: Pencil) -> None:
        look, font, (low, high) = self.look, self.look.number_font(13), self._span
        pencil.line(self.at(-_CURVE, 0), self.at(_CURVE, 0), "rule")
        pencil.line(self.at(0, low), self.at(0, high), "rule")
        for made in (each for each in (-1.0, 1.0, 2.0, 3.0) if low <= each <= high):
            pencil.line(self.at(-_CURVE, made), self.at(_CURVE, made), "rule", 1, is_broken=True)
            aside = QPointF(6, -24 if made > 0 else 4)
            pencil.write(
                signed(made, 0).lstrip("+"), QRectF(self.at(0, made) + aside, _WORDS), font, "secondary", LEFT
            )
        for given in (-3.0, -2.0, -1.0, 1.0, 2.0, 3.0):
            high = -24 if self._function(given) < 0 else 3  # on the side where the curve is not
            room = QRectF(self.at(given, 0) + QPointF(-20, high), _WORDS)
            pencil.write(signed(given, 0), room, font, "secondary")
        path = QPainterPath(self.at(-_CURVE, self._function(-_CURVE)))
        for given in np.linspace(-_CURVE, _CURVE, 160).tolist():
            path.lineTo(self.at(given, self._function(given)))
        pencil.path(path, "secondary", 2)
        size = look.pixels(7)
        for given in np.clip(self.inputs, -_CURVE, _CURVE).tolist():
            at = self.at(given, self._function(given))
            dot = QRectF(at.x() - size / 2, at.y() - size / 2, size, size)
            pencil.box(dot, fill=look.colour("accent", 0.55), rounding=size / 2)


def gelu(number: float) -> float:
    """Return the Gaussian error linear unit of a number."""
    return 0.5 * number * (1 + math.erf(number / math.sqrt(2)))


class BendPicture(LayerPicture):
    """The curve of the activation, with a point for each number of a token that goes through it."""

    def __init__(self, look: Look, pictures: LessonPictures) -> None:
        super().__init__(look, pictures)
        self.curve = FunctionCurve(look, gelu, (-0.5, _CURVE))
        self.lay_out(self.curve, self.tr("GELU: across what goes in, upwards what comes out"), self.note)

    def show_layer(self, trace: Trace, details: LayerDetails, token: int) -> None:
        given, made = details.expanded[token], details.active[token]
        name = activation(details.activation).name
        if name != "GELU":
            words = self.tr("This model has {0} in the place of GELU, whose curve this is.")
            self.title.setText(words.format(name))
            self.curve.show_points(given[:0])
            self.note.setText("")
            return
        words = self.tr("“{0}”: {1} numbers go through GELU, each by itself")
        self.title.setText(words.format(trace.tokens.labels[token], f"{len(given):,}"))
        self.curve.show_points(given)
        words = self.tr("{0} of them are below 0, and come out between {1} and 0. The largest, {2}, passes.")
        ends = fixed(float(made.min()), 2), fixed(float(made.max()), 2)
        self.note.setText(words.format(f"{int((given < 0).sum()):,}", *ends))


class PoolerPicture(LessonPicture):
    """The last hidden states, of which that of [CLS] is taken; then the pooler, its curve and two bars."""

    def __init__(self, look: Look, pictures: LessonPictures) -> None:
        super().__init__(look, pictures)
        self.plot, self.answers = StripRows(look), TitledBars(look)
        name = self.tr("tanh: across what goes in, upwards what comes out")
        self.curve = named(FunctionCurve(look, math.tanh, (-1.0, 1.0)), title=name)
        self.below = QWidget()
        in_row((self.curve, 3), (self.answers, 2), of=self.below, margins=0, spacing=28)
        in_column(self.title, (self.plot, 5), (self.below, 6), self.note, of=self, margins=AROUND, spacing=12)
        self.plot.setAccessibleName(self.tr("The vectors after the last layer, and the one that is taken"))
        self.setFocusProxy(self.plot)
        self.plot.part_chosen.connect(self._take)
        pictures.selection.changed.connect(self.refresh)

    @Slot(object)
    def _take(self, part: int) -> None:
        """Take another row out of the others."""
        if self.pictures.tokens is not None and part < len(self.pictures.tokens):
            self.pictures.selection.pin(query=part)

    def show_scene(self, scene: Scene) -> None:
        found, is_curve = self.pictures.of_now(self.pictures.pooling), scene.part == "tanh"
        self.below.setVisible(is_curve)
        if found is None:
            return
        words = self.tr("After the last layer: {0} vectors of {1} numbers")
        self.title.setText(words.format(*found.states.shape))
        if is_curve:
            words = self.tr("After the last layer: the {1} numbers of {0}")
            self.title.setText(words.format(found.labels[0], found.states.shape[1]))
        is_first = scene.part == "first"
        taken = self.pictures.selection.pinned.within(len(found.labels)).query if is_first else 0
        self.plot.show_strips(self._strips(found, scene, taken), (scene.part, found.labels, taken))
        self.note.setText("")
        if found.pooled is None or found.dense is None or scene.part == "first":
            return
        largest = float(np.abs(found.pooled).max())
        words = self.tr("The number that comes nearest to an end is {0} away from it.")
        self.note.setText(words.format(fixed(1 - largest, 3)) if is_curve else "")
        if not is_curve:
            return
        self.curve.show_points(found.dense)
        shown = BarList("", ())
        if pairs := self.pictures.pairs:
            shown = BarList(self.tr("Read from it: the second sentence …"), pair_bars(pairs[0].share))
        elif self.pictures.answers is not None:
            words = self.tr("This model does not judge whether a second sentence follows.")
            if "next_sentence" in self.pictures.task_heads:
                words = self.tr("Add a second sentence: does the model think that it follows the first?")
            shown = BarList(words, ())
        self.answers.show_list(shown)

    def _strips(self, found: Pooling, scene: Scene, taken: int | None) -> list[Strip]:
        """Return the rows, the one that is taken, and what comes of it where the station is about that."""
        states = [
            Strip(label, state, is_faded=taken not in (None, at))
            for at, (label, state) in enumerate(zip(found.labels, found.states, strict=True))
        ]
        if taken is None:
            return states
        first = Strip(found.labels[taken], found.states[taken], origin=taken, is_highlighted=True)
        if found.dense is None or found.pooled is None or scene.part == "first":
            return [*states, first]
        if scene.part == "tanh":
            first, states = Strip(first.label, first.numbers, is_highlighted=True), []
        at = len(states)
        dense = Strip("", found.dense, None, at, "× Wₚ + bₚ")
        pooled = Strip(self.tr("pooled"), found.pooled, None, at + 1, "tanh", is_highlighted=True)
        return [*states, first, dense, pooled]


class StatesPicture(LessonPicture):
    """A vector for each token after the layer that the slider is at; of a scene about a map, points."""

    def __init__(self, look: Look, pictures: LessonPictures) -> None:
        super().__init__(look, pictures)
        self.plot, self.map = StripRows(look), MapView(LargerLook(look, self))
        self.slider = named(QSlider(Qt.Orientation.Horizontal), title=self.tr("After which layer"))
        self.slider.setPageStep(1)
        self.slider.valueChanged.connect(pictures.go_to_state)
        ends = note_label(self.tr("embeddings")), note_label(self.tr("last layer"))
        row = in_row(ends[0], (self.slider, 1), ends[1], spacing=12)
        self.lay_out(self.plot, self.tr("The vector of each token as a strip"), (self.map, 100), row)
        self.map.item.layout.setContentsMargins(0, 0, 24, 0)  # the last number lies half beside the map
        self.map.setAccessibleName(self.tr("Map of the tokens by principal components"))
        follow_selection(self.map, pictures.selection, Pair)
        self.setFocusProxy(self.slider)

    def show_scene(self, scene: Scene) -> None:
        now, state, is_map = self.pictures.now, self.pictures.state, scene.part == "map"
        self.plot.setVisible(not is_map)
        self.map.setVisible(is_map)
        if now is None or state > now.n_layers:
            return
        with QSignalBlocker(self.slider):
            self.slider.setRange(0, now.n_layers)
            self.slider.setValue(state)
        place = (
            self.tr("After the embeddings") if state == 0 else self.tr("After layer {0}").format(state - 1)
        )
        if is_map:
            if (found := self.pictures.of_now(self.pictures.maps)) is not None:
                points = found.points[state]
                colours = ["special" if special else "accent" for special in now.tokens.is_special.tolist()]
                picture = MapPicture(points, now.tokens.labels, colours, found.ratios[state], points)
                self.map.show_picture(picture, glides=True)
            words = self.tr("{0}: the tokens in the two directions in which they differ most")
            self.title.setText(words.format(place))
            return
        size, labels = usual_size(now.hidden), now.tokens.labels
        strips = [Strip(label, row / size) for label, row in zip(labels, now.hidden[state], strict=True)]
        self.plot.show_strips(strips, labels, 1.0)
        self.title.setText(self.tr("{0}: {1} vectors of {2} numbers").format(place, *now.hidden[state].shape))
