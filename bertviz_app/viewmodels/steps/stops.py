"""`Walk`: every stage of the encoder as a stop, from the embeddings to the pooled vector."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from bertviz_app.errors import SelectionError
from bertviz_app.trace import Trace
from bertviz_app.trace.bias import DISTANCE, TO_CONTENT, TO_POSITION
from bertviz_app.trace.form import BERT, Form

EMBEDDINGS = ("token", "segment", "position", "embedding_sum", "embedding_norm", "embedding_projection")
BEFORE = ("input_norm",)
PROJECTIONS = ("queries", "keys", "values")
MIXING = ("scores", "scaled", "biased", "disentangled", "softmax", "weighted", "mixed")
ATTENTION = ("concat", "projected", "attention_sum", "attention_norm")
ADDED_FIRST = ("concat", "attention_sum", "projected", "attention_norm")
FEED_FORWARD = ("expanded", "active", "gate", "gated", "contracted", "output_sum", "output")
IN_A_LAYER = (*BEFORE, *PROJECTIONS, *MIXING, *ATTENTION, *FEED_FORWARD)
TOP = ("first", "dense", "pooled")
"""The stages in the order in which they are computed; `first` is the last hidden state of [CLS].

`biased` is only in encoders that add something to the scores for the distance of the tokens, `disentangled`
only in those whose scores are sums of content and position: it stands for `scaled`, too. Which of the others
a layer does without `Form.absent` says. ADDED_FIRST is the order of ATTENTION where the layer's input
is added before the projection.
"""

BELOW = -1
"""The section of the embeddings; layers are sections 0 to L - 1, and L is what stands on top of them."""


def is_disentangled(trace: Trace) -> bool:
    """Return whether scores are sums of content and position (He et al. 2021, arXiv:2006.03654)."""
    return bool({TO_POSITION, TO_CONTENT} & set(trace.added))


@dataclass(frozen=True)
class Stop:
    """One stage of one section: BELOW, a layer, or L."""

    section: int
    stage: str

    @property
    def is_of_a_head(self) -> bool:
        """Whether every head has this stage for itself."""
        return self.stage in PROJECTIONS or self.stage in MIXING


def all_stops(
    n_layers: int,
    *,
    has_pooler: bool,
    has_segments: bool = True,
    has_projection: bool = False,
    has_bias: bool = False,
    is_disentangled: bool = False,
    has_positions: bool = True,
    form: Form = BERT,
) -> tuple[Stop, ...]:
    """Return the stops of an encoder in the order in which they are computed."""
    absent = {
        "segment": not has_segments,
        "position": not has_positions,
        "embedding_sum": not has_segments and not has_positions,
        "embedding_norm": not form.has_embedding_norm,
        "embedding_projection": not has_projection,
        "scaled": is_disentangled,
        "biased": not has_bias,
        "disentangled": not is_disentangled,
    }
    embeddings = tuple(stage for stage in EMBEDDINGS if not absent.get(stage, False))
    sections = [(BELOW, embeddings)]
    attention = ADDED_FIRST if form.adds_before_projection else ATTENTION
    in_order = (*BEFORE, *PROJECTIONS, *MIXING, *attention, *FEED_FORWARD)
    for layer in range(n_layers):
        missing = form.absent(layer, n_layers) | {stage for stage, is_absent in absent.items() if is_absent}
        sections.append((layer, tuple(stage for stage in in_order if stage not in missing)))
    sections.append((n_layers, TOP if has_pooler else TOP[:1]))
    return tuple(Stop(section, stage) for section, stages in sections for stage in stages)


def stop_named(stage: str, layer: int, n_layers: int) -> Stop:
    """Return the stop of a stage, of `layer` if every layer has it. Raises SelectionError."""
    sections = {**dict.fromkeys(EMBEDDINGS, BELOW), **dict.fromkeys(TOP, n_layers)}
    if stage not in sections and stage not in IN_A_LAYER:
        hint = f"There are {', '.join((*EMBEDDINGS, *IN_A_LAYER, *TOP))}."
        raise SelectionError(f"There is no stage “{stage}”.", hint)
    return Stop(sections.get(stage, layer), stage)


class Walk(QObject):
    """Where one stands; `moved` tells that it is somewhere else, or that the encoder is another one."""

    moved = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.stops: tuple[Stop, ...] = all_stops(1, has_pooler=True)
        self.n_layers = 1
        self._place = self.stops.index(Stop(0, PROJECTIONS[0]))
        self._stage = PROJECTIONS[0]

    @property
    def stop(self) -> Stop:
        return self.stops[self._place]

    @property
    def place(self) -> int:
        """The number of the stop, from 0."""
        return self._place

    @property
    def layer(self) -> int | None:
        """The layer one is in, None in the embeddings and on top."""
        section = self.stop.section
        return section if 0 <= section < self.n_layers else None

    def section(self, section: int) -> tuple[Stop, ...]:
        """Return the stops of one section."""
        return tuple(stop for stop in self.stops if stop.section == section)

    def fit(self, trace: Trace) -> None:
        """Walk through the encoder that made `trace`."""
        self.set_size(
            trace.n_layers,
            has_pooler=trace.pooled is not None,
            has_segments=trace.segment_embeddings is not None,
            has_projection=trace.embedding_norm is not None,
            has_bias=DISTANCE in trace.added,
            is_disentangled=is_disentangled(trace),
            has_positions=trace.position_embeddings is not None,
            form=trace.form,
        )

    def set_size(
        self,
        n_layers: int,
        *,
        has_pooler: bool,
        has_segments: bool = True,
        has_projection: bool = False,
        has_bias: bool = False,
        is_disentangled: bool = False,
        has_positions: bool = True,
        form: Form = BERT,
    ) -> None:
        """Walk through another encoder, from the same stage of the same section as far as it has them."""
        stops = all_stops(
            n_layers,
            has_pooler=has_pooler,
            has_segments=has_segments,
            has_projection=has_projection,
            has_bias=has_bias,
            is_disentangled=is_disentangled,
            has_positions=has_positions,
            form=form,
        )
        if stops == self.stops:
            return
        before, was_on_top = self.stop, self.stop.section == self.n_layers
        self.stops, self.n_layers = stops, n_layers
        section = n_layers if was_on_top else min(before.section, n_layers - 1)
        self._place = self._nearest(section, before.stage)
        self.moved.emit()

    def step(self, count: int) -> None:
        """Go on by `count` stops, back if negative; not beyond the ends."""
        self._go(min(max(0, self._place + count), len(self.stops) - 1))

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

    def _nearest(self, section: int, stage: str) -> int:
        """Return the place of a stage in a section, or of the section's first one."""
        stops = self.section(section)
        stop = Stop(section, stage)
        return self.stops.index(stop if stop in stops else stops[0])

    def _go(self, place: int) -> None:
        if place == self._place:
            return
        self._place = place
        if self.layer is not None:
            self._stage = self.stop.stage
        self.moved.emit()
