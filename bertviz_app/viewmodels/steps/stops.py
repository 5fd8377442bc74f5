"""`Walk`: every stage of the encoder as a stop, from the embeddings to the pooled vector."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby

from PySide6.QtCore import QObject, Signal

from bertviz_app.errors import Message, SelectionError
from bertviz_app.trace import Trace
from bertviz_app.trace.form import BERT
from bertviz_app.viewmodels.steps.stage import Architecture, EncoderPart
from bertviz_app.viewmodels.steps.stages import STAGES, in_order

BELOW = -1
"""The section of the embeddings; layers are sections 0 to L - 1, and L is what stands on top of them."""

_START = "queries"


@dataclass(frozen=True)
class Stop:
    """One stage of one section: BELOW, a layer, or L."""

    section: int
    stage: str

    @property
    def is_of_a_head(self) -> bool:
        """Whether every head has this stage for itself."""
        return STAGES[self.stage].is_of_a_head


@lru_cache(maxsize=16)
def all_stops(architecture: Architecture) -> tuple[Stop, ...]:
    """Return the stops of an encoder in the order in which they are computed."""
    n_layers = architecture.n_layers
    return tuple(
        Stop(section, stage.key)
        for section in range(BELOW, n_layers + 1)
        for stage in in_order(architecture.form)
        if stage.is_stop
        and _is_in(section, stage.part, n_layers)
        and stage.applies(architecture, min(max(0, section), n_layers - 1))
    )


def _is_in(section: int, part: EncoderPart, n_layers: int) -> bool:
    special = {EncoderPart.EMBEDDINGS: BELOW, EncoderPart.TOP: n_layers}
    return section == special[part] if part in special else BELOW < section < n_layers


def stop_named(stage: str, layer: int, n_layers: int) -> Stop:
    """Return the stop of a stage, of `layer` if every layer has it. Raises SelectionError."""
    names = [one.key for one in STAGES.values() if one.is_stop]
    if stage not in names:
        raise SelectionError(
            Message("There is no stage “{0}”.", stage), Message("There are {0}.", ", ".join(names))
        )
    sections = {EncoderPart.EMBEDDINGS: BELOW, EncoderPart.TOP: n_layers}
    return Stop(sections.get(STAGES[stage].part, layer), stage)


class Walk(QObject):
    """The current stop; `moved` is emitted when it, or the encoder, has changed."""

    moved = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.stops: tuple[Stop, ...] = all_stops(Architecture(1))
        self._sections = _by_section(self.stops)
        self.n_layers = 1
        self.layer_form = BERT
        self._position = self.stops.index(Stop(0, _START))
        self._stage = _START

    @property
    def stop(self) -> Stop:
        return self.stops[self._position]

    @property
    def position(self) -> int:
        """The number of the stop, from 0."""
        return self._position

    @property
    def layer(self) -> int | None:
        """The layer one is in, None in the embeddings and on top."""
        section = self.stop.section
        return section if 0 <= section < self.n_layers else None

    @property
    def nearest_layer(self) -> int:
        """The layer that the stop's numbers are of: in the embeddings the first, on top the last."""
        return min(max(0, self.stop.section), self.n_layers - 1)

    def section(self, section: int) -> tuple[Stop, ...]:
        return self._sections.get(section, ())

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
        self._sections = _by_section(stops)
        section = n_layers if was_on_top else min(before.section, n_layers - 1)
        self._position = self._nearest(section, before.stage)
        self.moved.emit()

    def step(self, count: int) -> None:
        """Go on by `count` stops, back if negative; not beyond the ends."""
        self._go(min(max(0, self._position + count), len(self.stops) - 1))

    def step_section(self, count: int) -> None:
        """Go to the same stage of a layer further on, to the embeddings, or to the top."""
        section = min(max(BELOW, self.stop.section + count), self.n_layers)
        if section != self.stop.section:
            self.enter(section)

    def enter(self, section: int) -> None:
        """Go to a section: in a layer, to the stage one was at in the layer before."""
        self._go(self._nearest(section, self._stage))

    def go(self, stop: Stop) -> None:
        """Go to a stop; nowhere if there is no such one."""
        if stop in self.stops:
            self._go(self.stops.index(stop))

    def go_near(self, stop: Stop) -> None:
        """Go to a stop, or to the nearest one: in a layer that lacks the stage, to the layer's first one."""
        self._go(self._nearest(min(stop.section, self.n_layers), stop.stage))

    @property
    def stage(self) -> str:
        """The stage of a layer that one is at, or was at before one went to the embeddings or to the top."""
        return self._stage

    def _nearest(self, section: int, stage: str) -> int:
        """Return the position of a stage in a section, or of the section's first one."""
        stops = self.section(section)
        stop = Stop(section, stage)
        return self.stops.index(stop if stop in stops else stops[0])

    def _go(self, position: int) -> None:
        if position == self._position:
            return
        self._position = position
        if self.layer is not None:
            self._stage = self.stop.stage
        self.moved.emit()


def _by_section(stops: tuple[Stop, ...]) -> dict[int, tuple[Stop, ...]]:
    """Return the stops of each section, in their order."""
    return {section: tuple(group) for section, group in groupby(stops, lambda stop: stop.section)}
