"""The walk of a panel: its stop, how it is played, a divisor that is tried out, the token that it follows."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import replace
from operator import attrgetter

from PySide6.QtCore import QElapsedTimer, QObject, QSignalBlocker, QTimer, Signal, Slot

from bertviz_app.analysis.pairs import HeadSteps
from bertviz_app.text.tokens import BERT_NAMES
from bertviz_app.trace import Trace
from bertviz_app.trace.form import BERT
from bertviz_app.types import Floats
from bertviz_app.viewmodels.panel import Panel, StepsChoice, StepsForm
from bertviz_app.viewmodels.pointer import Selection
from bertviz_app.viewmodels.stages.stage import Architecture, EncoderPart as StagePart
from bertviz_app.viewmodels.stages.stops import BELOW, STAGES, Stop, all_stops, choice_of, stop_layer, stop_of

SPEEDS = (0.5, 1.0, 2.0, 4.0)
MOTION_MS, HOLD_MS = 2000.0, 1600.0
"""How long a motion takes, and how long its result is shown before the next stop, at speed 1."""
BRIEF_MS = 300.0
"""How long a motion takes where one walks by hand."""


class Playing(QObject):
    """`progress` goes from 0 to 1 during a motion.

    `frame` is emitted whenever there is another picture to draw, `changed` when the speed is another one or
    the playing begins or ends.

    While `is_ready` is false, since numbers of the stop are still computed, time stands still. With
    `reduces_motion` the stops follow each other without motion. Where `ends_with_stop()` is true, as in a
    lesson, whose text is about one stop, that one alone is played.
    """

    frame = Signal()
    changed = Signal()

    def __init__(self, walk: Walk) -> None:
        super().__init__(walk)
        self._walk = walk
        self._timer = QTimer(self, interval=33)
        self._clock = QElapsedTimer()
        self._timer.timeout.connect(lambda: self.advance(float(self._clock.restart())))
        self._held = 0.0
        self._motion_ms = MOTION_MS
        self.progress = 1.0
        self.speed = 1.0
        self.is_playing = False
        self.is_ready = True
        self.reduces_motion = False
        self.ends_with_stop: Callable[[], bool] = bool
        walk.moved.connect(self._on_moved)

    @property
    def is_moving(self) -> bool:
        """Whether a motion is not over yet."""
        return self.progress < 1.0

    @Slot()
    def turn(self) -> None:
        """Play from this stop on, from the first one at the end, or this one alone; or pause where it is."""
        if self.is_playing:
            self._set_playing(False)
            return
        if self._is_at_end and not self.is_moving and not self.ends_with_stop():
            self._walk.step(-len(self._walk.stops))
        if not self.is_moving:
            self._begin()
        self._set_playing(True)

    @Slot()
    def step(self) -> None:
        """Go to the next stop, show its motion, and pause."""
        self._set_playing(False)
        self._walk.step(1)
        self._begin()
        self._run()

    @Slot()
    def walk_on(self) -> None:
        """Go to the next stop by hand; what it is made of moves to its place, briefly."""
        before = self._walk.position
        self._walk.step(1)
        if self._walk.position != before:
            self.move_briefly()

    def move_briefly(self) -> None:
        """Show the motion of a stop that was come to from the one before, unless it is played anyway."""
        if not self.is_playing:
            self._begin(BRIEF_MS)
            self._run()

    @Slot()
    def next_speed(self) -> None:
        """Play at the next speed, after the fastest at the slowest."""
        self.speed = SPEEDS[(SPEEDS.index(self.speed) + 1) % len(SPEEDS)]
        self.changed.emit()

    def stop(self) -> None:
        """Pause, and show the stop as it is after its motion."""
        self._set_playing(False)
        self._set_progress(1.0)

    def advance(self, ms: float) -> None:
        """Let so much time pass: the motion goes on, or after it the next stop comes."""
        if not self.is_ready:
            return
        if self.is_moving:
            speed = 1.0 if self._motion_ms == BRIEF_MS else self.speed
            self._set_progress(self.progress + ms * speed / self._motion_ms)
        elif not self.is_playing:
            self._timer.stop()
        else:
            self._held += ms * self.speed
            is_over = self.ends_with_stop() or self._is_at_end
            if self._held >= HOLD_MS and is_over:
                self._set_playing(False)
            elif self._held >= HOLD_MS:
                self._walk.step(1)

    @property
    def _is_at_end(self) -> bool:
        return self._walk.position == len(self._walk.stops) - 1

    def _begin(self, motion_ms: float = MOTION_MS) -> None:
        self._held, self._motion_ms = 0.0, motion_ms
        self._set_progress(1.0 if self.reduces_motion else 0.0)

    def _set_progress(self, progress: float) -> None:
        self.progress = min(1.0, progress)
        self.frame.emit()

    def _set_playing(self, is_playing: bool) -> None:
        self.is_playing = is_playing
        if is_playing:
            self._run()
        else:
            self._timer.stop()
        self.changed.emit()

    def _run(self) -> None:
        self._clock.start()
        self._timer.start()

    @Slot()
    def _on_moved(self) -> None:
        """Begin the motion of the stop that one is at now; walked to by hand while paused it has none."""
        if self.is_playing:
            self._begin()
        elif self.is_moving:
            self.stop()


RANGE = 10.0
"""How many times smaller or larger than the model's own the divisor may be."""


class WhatIf(QObject):
    """A divisor that the user tries out at the softmax. Only the row shown depends on it.

    `tried` is emitted when the user chooses a divisor, `changed` whenever the divisor changes, `offered`
    when trying becomes possible or impossible, or the model's own divisor changes.
    """

    tried = Signal()
    changed = Signal()
    offered = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.radicand = 1
        self.divisor: float | None = None
        """None: the model's own, as at first at every stop."""
        self._stop: Stop | None = None

    @property
    def is_offered(self) -> bool:
        """Whether the stop is a softmax."""
        return self._stop is not None and self._stop.stage == "softmax"

    @property
    def own(self) -> float:
        """The number that the model divides by."""
        return math.sqrt(self.radicand)

    def show_stop(self, stop: Stop, radicand: int) -> None:
        """Offer it at this stop of a model, if it is a softmax."""
        if (stop, radicand) != (self._stop, self.radicand):
            self._stop, self.radicand = stop, radicand
            self.offered.emit()

    def set_divisor(self, divisor: float | None) -> None:
        """Divide by this number, None for the model's own."""
        if divisor != self.divisor:
            self.divisor = divisor
            self.changed.emit()

    def try_factor(self, factor: float) -> None:
        """Divide by a multiple of the model's own number; 1 is the model again."""
        factor = min(max(factor, 1 / RANGE), RANGE)
        divisor = None if math.isclose(factor, 1.0) else factor * self.own
        if divisor != self.divisor:
            self.set_divisor(divisor)
            self.tried.emit()

    def weights(self, steps: HeadSteps | None) -> Floats | None:
        """Return the weights [T] of a row with the divisor that is tried; None with the model's own."""
        if self.divisor is None or steps is None or not self.is_offered:
            return None
        weights: Floats = steps.weights_divided_by(self.divisor).astype("float32")
        return weights


_START = "queries"


class Walk(QObject):
    """The current stop of a panel; `moved` is emitted when it, or the encoder, has changed.

    `chosen` has where the user walked to, `head_requested` the layer and head that the panel then shows.
    `shown_changed` is emitted when the stop is to be shown as a picture, as a table or as code instead, or
    when the reason for the stage, or the products of query and key in all dimensions, are to be shown or not.
    """

    moved = Signal()
    chosen = Signal(object)
    head_requested = Signal(int, int)
    shown_changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.stops: tuple[Stop, ...] = all_stops(Architecture(1))
        self.n_layers = 1
        self.layer_form = BERT
        self.stage = _START
        """The stage of a layer that one is at, or was at before one went to the embeddings or to the top."""
        self.position = self.stops.index(Stop(0, _START))
        """The number of the stop, from 0."""
        self.playing = Playing(self)
        self.what_if = WhatIf(self)
        self._layer, self._head = -1, 0  # of the panel, as far as is known here
        self.choice = StepsChoice()
        """How the stop is shown, and where the user walked to last."""
        self._is_following = False
        self.moved.connect(self._on_moved)
        self.what_if.tried.connect(self._choose)

    @property
    def stop(self) -> Stop:
        return self.stops[self.position]

    @property
    def layer(self) -> int | None:
        """The layer one is in, None in the embeddings and on top."""
        section = self.stop.section
        return section if 0 <= section < self.n_layers else None

    @property
    def nearest_layer(self) -> int:
        """The layer that the stop's numbers are of: in the embeddings the first, on top the last."""
        return stop_layer(self.stop, self.n_layers)

    @property
    def form(self) -> StepsForm:
        return self.choice.form

    def section(self, section: int) -> tuple[Stop, ...]:
        """Return the stops of a section, in their order."""
        ends = (bisect_left(self.stops, end, key=attrgetter("section")) for end in (section, section + 1))
        return self.stops[slice(*ends)]

    def fit(self, trace: Trace) -> None:
        """Walk through the encoder that made `trace`."""
        self.set_architecture(Architecture.of(trace))

    def set_architecture(self, architecture: Architecture) -> None:
        """Walk through another encoder, from the same stage of the same section as far as it has them."""
        stops, n_layers = all_stops(architecture), architecture.n_layers
        self.layer_form = architecture.form
        if stops == self.stops:
            return
        before, was_on_top = self.stop, self.stop.section == self.n_layers
        self.stops, self.n_layers = stops, n_layers
        section = n_layers if was_on_top else min(before.section, n_layers - 1)
        self.position = self._nearest(section, before.stage)
        self.moved.emit()

    def step(self, count: int) -> None:
        """Go on by `count` stops, back if negative; not beyond the ends."""
        self._go(min(max(0, self.position + count), len(self.stops) - 1))

    def step_section(self, count: int) -> None:
        """Go to the same stage of a layer further on, to the embeddings, or to the top."""
        section = min(max(BELOW, self.stop.section + count), self.n_layers)
        if section != self.stop.section:
            self.enter(section)

    def enter(self, section: int) -> None:
        """Go to a section: in a layer, to the stage one was at in the layer before."""
        self._go(self._nearest(section, self.stage))

    def go(self, stop: Stop) -> None:
        """Go to a stop; nowhere if there is no such one."""
        if stop in self.stops:
            self._go(self.stops.index(stop))

    def _nearest(self, section: int, stage: str) -> int:
        """Return the position of a stage in a section, or of the section's first one."""
        stops = self.section(section)
        stop = Stop(section, stage)
        return self.stops.index(stop if stop in stops else stops[0])

    def _go(self, position: int) -> None:
        if position != self.position:
            self.position = position
            self.stage = self.stage if self.layer is None else self.stop.stage
            self.moved.emit()

    @property
    def shown_stop(self) -> Stop:
        """The stop that title and formula are about: over the table always one of what the table has."""
        stop = self.stop
        is_of_table = self.form != "table" or STAGES[stop.stage].part is StagePart.MIXING
        return stop if is_of_table else Stop(self.nearest_layer, "mixed")  # what the table ends with

    def show_form(self, form: StepsForm) -> None:
        """Show the stop as a picture ("walk"), as a "table" or as lines of "code"."""
        self._show(replace(self.choice, form=form))
        self._choose()

    def turn(self, form: StepsForm = "table") -> None:
        """Show the table, or the code, instead of the picture; or the picture again."""
        self.show_form("walk" if self.form == form else form)

    @Slot()
    def turn_why(self) -> None:
        """Show why there is the stage, at every stop; or no longer."""
        self._show(replace(self.choice, shows_why=not self.choice.shows_why))
        self._choose()

    @Slot()
    def turn_products(self) -> None:
        """Show the products of query and key at the stop of the scores, which it goes to; or no longer."""
        scores = Stop(self.nearest_layer, "scores")
        if self.stop == scores or not self.choice.shows_products:
            self._show(replace(self.choice, shows_products=not self.choice.shows_products))
        self.go(scores)
        self._choose()

    def follow(self, panel: Panel) -> None:
        """Go to the stop of the panel, as far as the encoder is known: it comes with the first picture."""
        self._layer, self._head = panel.layer, panel.head
        self._show(panel.steps)
        before = self.stop
        self._go_to_choice()
        if self.stop != before:
            self._is_following = True  # the panel is there already
            self.what_if.divisor = None
            self.moved.emit()
            self._is_following = False
            if self.position == self.stops.index(before) + 1:
                self.playing.move_briefly()
        self.what_if.set_divisor(panel.steps.divisor)

    def follow_head(self, trace: Trace, layer: int, head: int) -> None:
        """Walk through the encoder of `trace`, in this layer if the panel was in another one.

        Does not emit `moved`: with another head everything is drawn anew.
        """
        if layer != self._layer:
            self.choice = replace(self.choice, part="layer", stage=self.stage, divisor=None)
            self.what_if.divisor = None
        self._layer, self._head = layer, head
        with QSignalBlocker(self):
            self.fit(trace)
        self._go_to_choice()

    def _go_to_choice(self) -> None:
        stop = stop_of(self.choice, self._layer, self.n_layers)
        with QSignalBlocker(self):  # to the nearest one: in a layer that lacks the stage its first one
            self._go(self._nearest(min(stop.section, self.n_layers), stop.stage))

    def _show(self, choice: StepsChoice) -> None:
        before, self.choice = self.choice, choice
        if replace(before, part=choice.part, stage=choice.stage, divisor=choice.divisor) != choice:
            self.shown_changed.emit()

    @Slot()
    def _choose(self) -> None:
        at = choice_of(self.stop, self.n_layers, self.form)
        self.choice = replace(self.choice, part=at.part, stage=at.stage, divisor=self.what_if.divisor)
        self.chosen.emit(self.choice)

    @Slot()
    def _on_moved(self) -> None:
        if self._is_following:
            return
        self.what_if.divisor = None
        layer = self.layer
        if layer is not None and layer != self._layer:
            self._layer = layer
            self.head_requested.emit(layer, self._head)
        self._choose()


class FollowedQuery(QObject):
    """The highlighted query of `trace`, the pinned one, else the first word."""

    def __init__(self, selection: Selection, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.trace: Trace | None = None
        self._selection = selection

    @property
    def query(self) -> int:
        """The position of the token."""
        n_tokens = 1 if self.trace is None else self.trace.n_tokens
        for pair in (self._selection.shown, self._selection.pinned):
            query = pair.within(n_tokens).query
            if query is not None:
                return query
        return min(1, n_tokens - 1)

    @property
    def first_name(self) -> str:
        """The name of the first token: [CLS] or that of another family."""
        return BERT_NAMES.first if self.trace is None else self.trace.tokens.special_names.first

    @Slot(int)
    def choose(self, query: int) -> None:
        """Follow another token on its way: pin it."""
        self._selection.leave()  # else what the pointer rests on would be shown instead
        if self._selection.pinned.query != query or self._selection.pinned.key is not None:
            self._selection.pin(query=query)

    def step(self, count: int) -> None:
        """Follow the token `count` positions on; not beyond the ends."""
        if self.trace is not None:
            self.choose(min(max(0, self.query + count), self.trace.n_tokens - 1))

    @Slot(int)
    def point_at(self, key: int) -> None:
        """Highlight a key of the query; -1: none."""
        if key < 0:
            self._selection.leave()
        else:
            self._selection.hover(self.query, key)
