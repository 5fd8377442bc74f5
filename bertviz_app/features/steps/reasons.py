"""Why there is a stage, and an example in the numbers of the text on screen."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from bertviz_app.analysis.pairs import HeadSteps
from bertviz_app.features.steps.drawn import NEAR_ZERO, Arrows, Histograms, drawn_of
from bertviz_app.learning.words import reasons
from bertviz_app.viewmodels.stages.stage import activation, added_embeddings
from bertviz_app.viewmodels.stages.stops import StopTensors


def why(tensors: StopTensors, language: str) -> tuple[str, str]:
    """Return why there is the stage of a stop, and an example in its numbers; "" while there are none."""
    form, details = tensors.trace.form, tensors.details
    conditions = {
        "rotary": form.is_rotary,
        "sinusoids": form.has_sinusoids,
        "linear": details is not None and activation(details.activation).name == "id",
        "no_pooler": "pooled" in tensors.absent,
        "scaling": form.has_scaling_norms,
        "unshifted": not form.has_norm_biases and not form.has_scaling_norms,
        "trigrams": form.has_trigrams,
        "causal": form.is_causal,
        "blocks": form.has_blocks,
    }
    met = frozenset(name for name, is_met in conditions.items() if is_met)
    reason = reasons().of(_kind(tensors.stop.stage), met)
    text, example = reason.text.in_language(language), reason.example
    if example is None:
        return text, ""
    facts = _facts(tensors)
    if not example.fields() <= facts.keys():
        return text, ""
    return text, example.in_language(language).format_map(facts)


def term_of_stage(stage: str) -> str:
    """Return the key of the entry of the glossary that explains what a stage computes."""
    return reasons().of(_kind(stage)).term


def _kind(stage: str) -> str:
    """Return what has one reason: several parts of a kind share it."""
    return stage.rstrip("0123456789")


def _facts(tensors: StopTensors) -> dict[str, str]:
    """Return the numbers of a stop that the examples of reasons speak of, as far as they are known."""
    trace, query, stage = tensors.trace, tensors.query, tensors.stop.stage
    facts = {
        "query": trace.tokens.labels[query],
        "id": str(trace.tokens.ids[query]),
        "position": str(trace.tokens.position_ids[query]),
        "width": str(trace.width),
        "n_heads": str(trace.n_heads),
        "head_width": str(trace.head_width),
        "concat_width": str(trace.n_heads * trace.head_width),
    }
    if tensors.stop.is_of_a_head:
        return facts if tensors.steps is None else facts | _of_head(tensors, tensors.steps)
    wide = tensors.row("active") if stage in ("expanded", "active", "contracted") else None
    if wide is not None:
        # A bottleneck makes what comes out of the part narrower than the model.
        narrow = tensors.row("contracted")
        facts |= {} if narrow is None else {"width": str(len(narrow))}
        facts |= {"expanded": str(len(wide)), "n_small": str(int((np.abs(wide) < NEAR_ZERO).sum()))}
    if stage == "embedding_sum":
        rows = {name: tensors.row(name) for name in added_embeddings(tensors.absent)}
        lengths = [f"{name[0]} {np.linalg.norm(row):.2f}" for name, row in rows.items() if row is not None]
        facts["lengths"] = " · ".join(lengths)
    pooled = tensors.row("pooled") if stage == "pooled" else None
    if pooled is not None:
        facts["n_ends"] = str(int((np.abs(pooled) > 0.9).sum()))
    match drawn_of(tensors):
        case Histograms(parts=parts):
            for when, part in (("before", parts[0]), ("after", parts[-1])):
                facts |= {f"mean_{when}": _number(part.mean), f"spread_{when}": _number(part.deviation)}
        case Arrows(kept=kept):
            facts["cosine"] = _number(kept)
    return facts


def _of_head(tensors: StopTensors, steps: HeadSteps) -> dict[str, str]:
    labels = tensors.trace.tokens.labels
    key = int(steps.weights.argmax())
    own, undivided = math.sqrt(steps.radicand), steps.weights_divided_by(1.0)
    n_keys = int((~np.isneginf(steps.biased)).sum())
    return {
        "key": labels[key],
        "weight": f"{steps.weights[key]:.3f}",
        "score": _number(float(steps.products[key]), 3),
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


def _number(value: float, digits: int = 2) -> str:
    """Return a number with some decimals, without a sign where they are zeros."""
    return f"{round(float(value), digits) + 0.0:.{digits}f}".replace("-", "−")
