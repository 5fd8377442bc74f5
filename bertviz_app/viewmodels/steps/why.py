"""Why there is a stage: the reason for it in this encoder, with the numbers of the token that is followed."""

from __future__ import annotations

import math
from collections.abc import Callable
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from bertviz_app.analysis.pairs import HeadSteps
from bertviz_app.learning.words import reasons
from bertviz_app.types import Floats
from bertviz_app.viewmodels.steps.activations import activation_name
from bertviz_app.viewmodels.steps.stages import equation
from bertviz_app.viewmodels.steps.tensors import StopTensors

_SMALL, _END = 0.1, 0.9


def why(tensors: StopTensors, language: str) -> tuple[str, str]:
    """Return why there is the stage of a stop, and an example in its numbers; "" while there are none."""
    reason = reasons().of(_kind(tensors.stop.stage), _conditions(tensors))
    text, example = reason.text.in_language(language), reason.example
    if example is None:
        return text, ""
    facts = stop_facts(tensors)
    if not example.fields() <= facts.keys():
        return text, ""
    return text, example.in_language(language).format_map(facts)


def term_of_stage(stage: str) -> str:
    """Return the key of the entry of the glossary that explains what a stage computes."""
    return reasons().of(_kind(stage)).term


def _kind(stage: str) -> str:
    """Return what has one reason: several parts of a kind share it."""
    return stage.rstrip("0123456789")


def _conditions(tensors: StopTensors) -> frozenset[str]:
    form, details = tensors.trace.form, tensors.details
    met = {
        "rotary": form.is_rotary,
        "sinusoids": form.has_sinusoids,
        "linear": details is not None and activation_name(details.activation) == "id",
        "no_pooler": "pooled" in tensors.absent,
        "scaling": form.has_scaling_norms,
        "unshifted": not form.has_norm_biases and not form.has_scaling_norms,
        "trigrams": form.has_trigrams,
        "causal": form.is_causal,
        "blocks": form.has_blocks,
    }
    return frozenset(name for name, is_met in met.items() if is_met)


def stop_facts(tensors: StopTensors) -> dict[str, str]:
    """Return the numbers of a stop that the examples of reasons speak of, as far as they are known."""
    trace, query = tensors.trace, tensors.query
    facts = {
        "query": trace.tokens.labels[query],
        "id": str(trace.tokens.ids[query]),
        "position": str(trace.tokens.position_ids[query]),
        "width": str(trace.width),
        "n_heads": str(trace.n_heads),
        "head_width": str(trace.head_width),
        "concat_width": str(trace.n_heads * trace.head_width),
    }
    of_stage = _FACTS.get(tensors.stop.stage)
    if tensors.steps is not None and tensors.stop.is_of_a_head:
        facts |= _of_head(tensors, tensors.steps)
    return facts if of_stage is None else facts | of_stage(tensors)


def _of_head(tensors: StopTensors, steps: HeadSteps) -> dict[str, str]:
    labels = tensors.trace.tokens.labels
    key = int(steps.weights.argmax())
    own, undivided = math.sqrt(steps.radicand), steps.weights_divided_by(1.0)
    n_keys = int((~np.isneginf(steps.biased)).sum())
    return {
        "key": labels[key],
        "weight": f"{steps.weights[key]:.3f}",
        "score": f"{steps.products[key]:.3f}".replace("-", "−"),
        "n_products": str(len(steps.query_row)),
        "uniform": f"{1 / n_keys:.3f}",
        "longest": labels[int(np.linalg.norm(steps.weighted, axis=1).argmax())],
        "radicand": str(steps.radicand),
        "divisor": f"{own:.2f}",
        "with_division": f"{steps.weights[key]:.3f}",
        "without_division": f"{undivided[key]:.3f}",
        "keys_with": f"{_effective_number(steps.weights):.1f}",
        "keys_without": f"{_effective_number(undivided):.1f}",
    }


def _effective_number(weights: NDArray[np.floating]) -> float:
    """Return 2 to the entropy in bits: n for n equal weights, 1 where one key has all."""
    positive = weights[weights > 0].astype(np.float64)
    return float(np.exp(-(positive * np.log(positive)).sum()))


def _lengths(tensors: StopTensors) -> dict[str, str]:
    token = "token" if "token_projection" in tensors.absent else "token_projection"
    parts = [name for name in (token, "segment", "position", "task") if name not in tensors.absent]
    rows = {name: tensors.row(name) for name in parts}
    lengths = [f"{name[0]} {np.linalg.norm(row):.2f}" for name, row in rows.items() if row is not None]
    return {"lengths": " · ".join(lengths)}


def _norm(tensors: StopTensors) -> dict[str, str]:
    """Return mean and spread of what a norm reads, and of what it gives."""
    stage = tensors.stop.stage
    read = equation(stage, 0, tensors.absent, tensors.trace.form)[0].name
    return _spread("before", tensors.row(read)) | _spread("after", tensors.row(stage))


def _spread(when: str, row: Floats | None) -> dict[str, str]:
    if row is None:
        return {}
    return {f"mean_{when}": _number(float(row.mean())), f"spread_{when}": _number(float(row.std()))}


def _number(value: float) -> str:
    """Return a number with two decimals, without a sign where they are zeros."""
    return f"{round(float(value), 2) + 0.0:.2f}".replace("-", "−")


def _sum(tensors: StopTensors) -> dict[str, str]:
    """Return the cosine between a sum and the vector that something was added to."""
    stage = tensors.stop.stage
    terms = equation(stage, 0, tensors.absent, tensors.trace.form)
    one, other = tensors.row(next(term.name for term in terms if term.sign == "+")), tensors.row(stage)
    if one is None or other is None:
        return {}
    lengths = float(np.linalg.norm(one) * np.linalg.norm(other))
    return {"cosine": _number(float(one @ other) / lengths)} if lengths else {}


def _wide(tensors: StopTensors) -> dict[str, str]:
    """Return the widths on both sides of the activation, which a bottleneck makes narrower than the model."""
    row, narrow = tensors.row("active"), tensors.row("contracted")
    if row is None:
        return {}
    facts = {"expanded": str(len(row)), "n_small": str(int((np.abs(row) < _SMALL).sum()))}
    return facts if narrow is None else facts | {"width": str(len(narrow))}


def _pooled(tensors: StopTensors) -> dict[str, str]:
    row = tensors.row("pooled")
    return {} if row is None else {"n_ends": str(int((np.abs(row) > _END).sum()))}


_FACTS: MappingProxyType[str, Callable[[StopTensors], dict[str, str]]] = MappingProxyType(
    {
        "embedding_sum": _lengths,
        **dict.fromkeys(("embedding_norm", "input_norm", "attention_norm", "output_norm", "output"), _norm),
        "adapter_norm": _norm,
        "adapter_sum": _sum,
        **dict.fromkeys(("attention_sum", "output_sum", "convolution_sum", "widened_sum"), _sum),
        **dict.fromkeys(("expanded", "active", "contracted"), _wide),
        "pooled": _pooled,
    }
)
