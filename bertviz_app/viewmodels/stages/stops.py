"""The stops of a walk through the arithmetic, and the numbers at each."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import lru_cache
from math import gcd
from string import Template
from types import MappingProxyType

import numpy as np
from PySide6.QtCore import QCoreApplication

from bertviz_app.analysis.pairs import HeadSteps, head_steps
from bertviz_app.errors import AppError, Message, SelectionError
from bertviz_app.trace import Trace
from bertviz_app.trace.bias import CONTENT, DISTANCE, TO_CONTENT, TO_POSITION
from bertviz_app.trace.form import BERT, Form
from bertviz_app.trace.provenance import LayerDetails
from bertviz_app.types import Bools, Floats
from bertviz_app.values import dataclass, replace
from bertviz_app.viewmodels.panel import Part, StepsChoice, StepsForm
from bertviz_app.viewmodels.runs.shown import Details
from bertviz_app.viewmodels.stages.stage import (
    BERT_TRAITS,
    Architecture,
    EncoderPart,
    Stage,
    StageInputs,
    Term,
    Traits,
    activation,
    added_embeddings,
    shapes_of,
    upright,
)
from bertviz_app.viewmodels.stages.stage_tables import ALL_STAGES
from bertviz_app.viewmodels.viewport import usual_size
from bertviz_app.viewmodels.wording import error_text, translated

translate = QCoreApplication.translate

TASK_HEADS = {
    "masked": Message("masked word"),
    "next_sentence": Message("next sentence"),
    "replaced": Message("replaced or not"),
    "classes": Message("class"),
    "token_labels": Message("tag of each word"),
    "answer": Message("answer"),
}
"""What the task heads are called in the window."""

STAGES: MappingProxyType[str, Stage] = MappingProxyType({stage.key: stage for stage in ALL_STAGES})
"""Every stage by its key."""

_ADDED_FIRST = ("concat", "attention_sum", "projected", "attention_norm")
"""The order of these where a layer's input is added before the projection."""


def in_order(form: Form = BERT) -> tuple[Stage, ...]:
    """Return all stages in the order in which an encoder of this form computes them."""
    if not form.adds_before_projection:
        return ALL_STAGES
    reordered = iter([STAGES[key] for key in _ADDED_FIRST])
    return tuple(next(reordered) if stage.key in _ADDED_FIRST else stage for stage in ALL_STAGES)


def absent_stages(architecture: Architecture, layer: int) -> frozenset[str]:
    """Return the keys of the stages that the embeddings, `layer` and the top do without."""
    return frozenset(stage.key for stage in ALL_STAGES if not stage.applies(architecture, layer))


def equation(stage: str, most: int, absent: Collection[str] = (), form: Form = BERT) -> tuple[Term, ...]:
    """Return the lines that explain a stage: those of its whole part, if these are not more than `most`.

    Else its own line and those it is made of. The stages `absent` are not this model's.
    """
    part = STAGES[stage].part
    stages = [one for one in in_order(form) if one.part is part and one.key not in absent]
    read = (Term("", "attention_norm"),) if part is EncoderPart.FEED_FORWARD else ()
    lines = (*read, *(term for one in stages for term in one.terms(form)))
    if len(lines) <= most:
        return lines
    own = own_line(lines, stage)
    first = max(0, own - STAGES[stage].n_operands)
    # What led to the first of them is not shown any more.
    return (replace(lines[first], sign=""), *lines[first + 1 : own + 1])


def own_line(lines: Sequence[Term], stage: str) -> int:
    """Return which line the vector of a stage results in; in later ones it may be read again."""
    return next(position for position, line in enumerate(lines) if line.name == stage)


BELOW = -1
"""The section of the embeddings; layers are sections 0 to L - 1, and L is what stands on top of them."""


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
        and section in _sections(stage.part, n_layers)
        and stage.applies(architecture, min(max(0, section), n_layers - 1))
    )


def _sections(part: EncoderPart, n_layers: int) -> Sequence[int]:
    return {EncoderPart.EMBEDDINGS: (BELOW,), EncoderPart.TOP: (n_layers,)}.get(part, range(n_layers))


def stop_named(stage: str, layer: int, n_layers: int) -> Stop:
    """Return the stop of a stage, of `layer` if every layer has it. Raises SelectionError."""
    names = [one.key for one in STAGES.values() if one.is_stop]
    if stage not in names:
        raise SelectionError(
            Message("There is no stage “{0}”.", stage), Message("There are {0}.", ", ".join(names))
        )
    sections = _sections(STAGES[stage].part, n_layers)
    return Stop(layer if layer in sections else sections[0], stage)


_SAMPLED = 1 << 14


@dataclass(frozen=True, eq=False)
class StopTensors(StageInputs):
    """A stop in a trace: the tensor of its stage, and those of the stages it is made of."""

    stop: Stop
    what_if: Floats | None = None
    """[T], the weights of the row with another divisor that is tried out."""
    is_step_by_step: bool = False
    """Whether what later stops compute is not shown yet."""

    def row(self, name: str) -> Floats | None:
        """Return the vector of the query token at a stage of this section; None if it is not there."""
        if (values := self.tensor(name)) is None:
            return None
        row: Floats = values[0 if len(values) == 1 else self.query]
        return row

    def tensor(self, name: str | None = None) -> Floats | None:
        """Return a stage's tensor [T, C], [1, C] where there is one row; None if it is not there.

        Of a head's scores and weights the row of the query is given.
        """
        return STAGES[name or self.stop.stage].tensor(self)


def stop_layer(stop: Stop, n_layers: int) -> int:
    """Return the layer that a stop's numbers are of: in the embeddings the first, on top the last."""
    return min(max(0, stop.section), n_layers - 1)


def stop_tensors(
    trace: Trace,
    stop: Stop,
    head: int,
    query: int,
    details: LayerDetails | None,
    steps: HeadSteps | None,
) -> StopTensors:
    """Return the tensors of `stop`; `details` are of its layer, `steps` of its layer, head and query."""
    layer = stop_layer(stop, trace.n_layers)
    absent = absent_stages(Architecture.of(trace), layer)
    return StopTensors(trace, layer, head, query, details, steps, absent, stop)


def bound_of(values: Floats) -> float:
    """Return the size from which on a colour is full: 99 of 100 numbers are smaller.

    Of large tensors a sample counts, in which every dimension is: its stride has no divisor in common with
    the width. nan is left out; the size is 1 where nothing else is there.
    """
    flat, width = values.reshape(-1), values.shape[-1]
    stride = max(1, flat.size // _SAMPLED)
    while gcd(stride, width) > 1:
        stride += 1
    return usual_size(flat[::stride])


@dataclass(frozen=True)
class Statistics:
    """`n_outside` keys are beyond the query's window: these have no scores, so that they do not count.

    They are those after the query where `is_causal`.
    """

    shape: tuple[int, ...]
    minimum: float
    maximum: float
    mean: float
    n_outside: int = 0
    is_causal: bool = False


def statistics(tensors: StopTensors) -> Statistics | None:
    """Return the statistics of a stop's tensor without keys beyond the window; None if it is not there."""
    if (values := tensors.tensor()) is None:
        return None
    outside = None
    if tensors.steps is not None and STAGES[tensors.stop.stage].is_windowed:
        beyond: Bools = np.isneginf(tensors.steps.biased)
        outside = beyond if beyond.any() else None
    inside = values if outside is None else values[:, ~outside] if len(values) == 1 else values[~outside]
    return Statistics(
        values.shape if len(values) > 1 else values.shape[1:],
        float(inside.min()),
        float(inside.max()),
        float(inside.mean(dtype=np.float64)),
        0 if outside is None else int(outside.sum()),
        tensors.trace.form.is_causal,
    )


class StopReader:
    """Caches the arithmetic of the last query, since each redraw reads it."""

    def __init__(self, details: Details) -> None:
        self._details = details
        self._steps: HeadSteps | None = None
        self._trace: Trace | None = None

    def at(self, trace: Trace, stop: Stop, head: int, query: int) -> StopTensors:
        """Return the numbers of a stop; its layer's details may still be computed."""
        layer = stop_layer(stop, trace.n_layers)
        details = self._details.get(trace, layer) if STAGES[stop.stage].needs_details else None
        steps, at = self._steps, (layer, head, query)
        if steps is None or self._trace is not trace or (steps.layer, steps.head, steps.query) != at:
            steps = self._steps = head_steps(trace, *at)
            self._trace = trace
        return stop_tensors(trace, stop, head, query, details, steps)

    def is_coming(self, tensors: StopTensors) -> bool:
        """Return whether the layer details of a stop are being computed."""
        return tensors.details is None and self._details.is_coming(tensors.trace, tensors.layer)

    def try_again(self, trace: Trace, layer: int) -> None:
        """Have the details of a layer computed once more if that failed."""
        self._details.get(trace, layer, again=True)

    def message(self, tensors: StopTensors) -> str:
        """Return what to say while the numbers of a stop are not there."""
        problem = self._details.problem(tensors.trace, tensors.layer)
        if isinstance(problem, AppError):
            return error_text(problem)
        if self.is_coming(tensors):
            return translate("Steps", "Computing layer {0} …").format(tensors.layer)
        return translate(
            "Steps", "These numbers are not in the trace, and the checkpoint to compute them is not open."
        )


def title(stage: str, first: str = "[CLS]", form: Form = BERT) -> str:
    """Return the name of a stage; `first` is that of the first token."""
    row = STAGES[stage]
    scaling = row.scaling_title if form.has_scaling_norms else None
    return translated(scaling or row.title).format(first)


def sentence(stage: str, traits: Traits = BERT_TRAITS) -> str:
    """Return what happens at a stage of such an encoder, in one sentence."""
    own = STAGES[stage].sentence
    return translated(own if isinstance(own, str) else own(traits))


def traits_of(tensors: StopTensors) -> Traits:
    """Return what the sentence of a stop depends on; before the layer's details are known, no activation."""
    details = tensors.details
    return Traits("" if details is None else details.activation, tensors.trace.form)


def section_name(section: int, n_layers: int) -> str:
    """Return what a section of the walk is called."""
    if section == BELOW:
        return translate("Steps", "Embeddings")
    if section == n_layers:
        return translate("Steps", "Pooler")
    return translate("Steps", "Layer {0}").format(section)


def where(stop: Stop, n_layers: int, head: int, *, shares_layers: bool = False) -> str:
    """Return where a stop is: "Layer 3 · Head 5"; of layers that share their weights it says so."""
    name = section_name(stop.section, n_layers)
    if shares_layers and BELOW < stop.section < n_layers:
        name += " · " + translate("Steps", "weights shared by all layers")
    if not stop.is_of_a_head:
        return name
    return f"{name} · " + translate("Steps", "Head {0}").format(head)


def sign(stage: str, function: str = "gelu", first: str = "[CLS]", form: Form = BERT) -> str:
    """Return the formula that stands for a stage where there is little room."""
    if form.has_scaling_norms and STAGES[stage].scaling_title:
        return "⊙γ"
    names = {"activation": activation(function).name, "first": upright(first)}
    return Template(STAGES[stage].sign or STAGES[stage].line or "").substitute(names)


def symbol(name: str, absent: Collection[str] = ("embedding_projection",)) -> str:
    """Return the letter that a vector has in the formulas; x is what goes into the layers.

    The stages `absent` are not this model's.
    """
    part = [stage.key for stage in ALL_STAGES if stage.part is EncoderPart.EMBEDDINGS]
    is_last = name in part and set(part[part.index(name) + 1 :]) <= set(absent)
    return "x_i" if is_last else STAGES[name].symbol


def formulas(tensors: StopTensors) -> tuple[str, ...]:
    """Return the formula of a stop, the fullest form first; the numbers in it are the query's own."""
    stage, form = STAGES[tensors.stop.stage], tensors.trace.form
    found = stage.formulas if isinstance(stage.formulas, tuple) else stage.formulas(tensors)
    found = found or (f"$own = $given {stage.line} + b_{(stage.line or '')[2:]}",)  # a dense layer
    trace, details, absent = tensors.trace, tensors.details, tensors.absent
    # The first line of a short equation is what is `given`, its last but one the `other` vector of a sum.
    lines = [] if stage.line is None else equation(stage.key, 0, absent, form)
    letters = [symbol(line.name, absent) for line in lines]
    convolution = None if details is None else details.convolution_activation
    fields = {
        "own": symbol(stage.key, absent),
        "given": letters[0] if letters else "",
        "other": letters[-2] if len(letters) > 1 else "",
        "added": " + ".join(STAGES[name].symbol for name in added_embeddings(absent)),
        "norm": "NoNorm" if form.has_scaling_norms else "LayerNorm",
        "convolution": activation(convolution or "tanh").name,
        "segment": str(trace.tokens.segment_ids[tensors.query]),
        "head_width": str(trace.head_width),
        "first": upright(trace.tokens.special_names.first),
    }
    return tuple(_with_biases(Template(formula).substitute(fields), form) for formula in found)


def _with_biases(formula: str, form: Form) -> str:
    """Return a formula without the biases that dense layers, but for the pooler's, and norms have not."""
    for letter in "QKVO":
        formula = formula if form.has_bias_of(letter) else formula.replace(f" + b_{letter}", "")
    formula = formula if form.has_wide_biases else re.sub(r" \+ b_[1G]", "", formula)
    formula = formula if form.has_biases else re.sub(r" \+ b_(?!P)\w", "", formula)
    return formula if form.has_norm_biases else formula.replace(" + β", "")


def shapes(tensors: StopTensors) -> str:
    """Return the shapes that go in and come out: "[7, 384] · [384, 32] → [7, 32]"."""
    trace, details = tensors.trace, tensors.details
    named = shapes_of(trace, None if details is None else details.expanded.shape[1])
    return STAGES[tensors.stop.stage].shapes.format_map(
        {
            **named,
            "n_heads": trace.n_heads,
            "n_embeddings": len({"token", "segment", "position", "task"} - tensors.absent),
            "n_tokens": trace.n_tokens,
            "beside_heads": f" + {named['heads']}" if trace.form.has_span_convolution else "",
            "score_sum": " + ".join([str(named["square"])] * (1 + len(trace.added))),
        }
    )


def rows_title(*, is_alone: bool) -> str:
    """Return what the rows below an equation are."""
    return translate("Steps", "all its numbers") if is_alone else translate("Steps", "of every token")


def quantity(name: str) -> str:
    """Return what a number under the pointer is: a column of the flow, or a stage."""
    columns = {
        "q_i": translate("Steps", "query"),
        "z_i": translate("Steps", "Z"),
        "queries": translate("Steps", "query"),
        "keys": translate("Steps", "key"),
        "values": translate("Steps", "value"),
        "scaled": translate("Steps", "query · key ÷ √d"),
        DISTANCE: translate("Steps", "bias for the distance"),
        CONTENT: translate("Steps", "content → content"),
        TO_POSITION: translate("Steps", "content → position"),
        TO_CONTENT: translate("Steps", "position → content"),
        "biased": translate("Steps", "query · key ÷ √d + bias"),
        "disentangled": translate("Steps", "score"),
        "product": translate("Steps", "query × key"),
        "exponential": translate("Steps", "exp(score − largest)"),
        "weight": translate("Steps", "weight"),
        "what_if": translate("Steps", "weight with another divisor"),
        "weighted": translate("Steps", "weight × value"),
    }
    return columns[name] if name in columns else title(name)


def stop_of(choice: StepsChoice, layer: int, n_layers: int) -> Stop:
    """Return the stop of a choice, in a panel of `layer`."""
    return Stop({"embeddings": BELOW, "layer": layer, "top": n_layers}[choice.part], choice.stage)


def choice_of(stop: Stop, n_layers: int, form: StepsForm) -> StepsChoice:
    """Return the choice that shows `stop` of an encoder with `n_layers` layers."""
    part: Part = "layer" if 0 <= stop.section < n_layers else "top" if stop.section > 0 else "embeddings"
    return StepsChoice(part, stop.stage, form)
