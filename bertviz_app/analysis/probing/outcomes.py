"""What the interventions of a run change: the outcomes of its task heads and vectors, before and after."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Literal

import numpy as np

from bertviz_app.analysis.predictions import PredictionInput, predictions, softmax
from bertviz_app.text import Edits, Tokens
from bertviz_app.text.edits import MASK
from bertviz_app.trace import Trace
from bertviz_app.types import Floats
from bertviz_app.values import dataclass, replace

if TYPE_CHECKING:
    from bertviz_app.analysis.model_access import ModelAccess, ModelOutput

OutcomeKind = Literal["masked", "next-sentence", "order", "class", "vector", "other"]


@dataclass(frozen=True)
class Outcome:
    """One number before and after the interventions of a run.

    "masked": the probability of the piece `name` at `token`, as the text without interventions counts it.
    "next-sentence", "order": that sentence 2 follows. "class": the value of the class `name`. "vector": the
    cosine of the vector that stands for the text with the one before, which is 1. "other": its cosine with
    that of a second run. `name` of the last two says which vector it is: "sentence", "pooled" or "first".
    """

    kind: OutcomeKind
    name: str
    before: float
    after: float
    token: int | None = None


def outcomes(trace: Trace, model: ModelAccess, other: Trace | None = None) -> tuple[Outcome, ...]:
    """Return the outcomes of a run before its interventions and after them.

    "Before" is the text without any intervention; of masked tokens it is the text with its masks alone, since
    without them there is nothing to predict. Pieces are the likeliest before and the likeliest after.
    `model` made the trace; to the vector of a second run, `other`, the cosine is measured.
    """
    plain = copy.copy(model)
    plain.taps = ()  # without the interventions on its heads and weights
    tokens = _read(trace, plain, Edits())
    output = plain.forward([tokens])
    of_vectors = _vectors(trace, plain, tokens, output, other)
    return (*_masked(trace, plain), *_of_text(trace, plain, output), *of_vectors)


def _read(trace: Trace, plain: ModelAccess, edits: Edits) -> Tokens:
    """Return the tokens of the texts of a run with other interventions on tokens than it has."""
    return plain.checkpoint.tokens(trace.tokens.text, trace.tokens.pair, edits)


def _masked(trace: Trace, plain: ModelAccess) -> list[Outcome]:
    if "masked" not in plain.task_heads or plain.mask_id is None:
        return []
    positions = np.flatnonzero(trace.tokens.ids == plain.mask_id)[:3].tolist()
    if not positions:
        return []
    written = [trace.edits.position_written(position) for position in positions]
    hidden = Edits(replaced=tuple(one for one in trace.edits.replaced if one[1] == MASK))
    output = plain.forward([_read(trace, plain, hidden)])
    logits = plain.task_logits(output.hidden, output.seen, written).masked
    after = plain.logits(trace, positions).masked
    assert logits is not None
    assert after is not None
    rows = softmax(logits[0].double().numpy()), softmax(after)
    found = []
    for token, one, two in zip(written, *rows, strict=True):
        likeliest = dict.fromkeys((int(one.argmax()), int(two.argmax())))
        found += [
            Outcome("masked", name, float(one[at]), float(two[at]), token)
            for name, at in zip(plain.pieces(list(likeliest)), likeliest, strict=True)
        ]
    return found


def _of_text(trace: Trace, plain: ModelAccess, output: ModelOutput) -> list[Outcome]:
    """Return the outcomes of the heads for whole texts."""
    if not {"next_sentence", "classes"} & {*plain.task_heads}:
        return []
    found = plain.task_logits(output.hidden, output.seen, [])
    after = plain.logits(trace, [])
    inputs = PredictionInput(trace.tokens, trace.tokens.ids, lambda number: "", None)
    arrays = {
        name: getattr(found, name)[0].float().numpy()
        for name in ("next_sentence", "classes")
        if getattr(found, name) is not None
    }
    one = predictions(replace(after, **arrays), inputs, [])
    two = predictions(after, inputs, [])
    outcomes = []
    if one.next_sentence is not None and two.next_sentence is not None:
        kind: OutcomeKind = "order" if one.next_sentence.is_order else "next-sentence"
        shares = one.next_sentence.probability, two.next_sentence.probability
        outcomes.append(Outcome(kind, "", *shares))
    if one.classes is not None and two.classes is not None:
        values = {label.name: label.value for label in one.classes.labels}
        both = {label.name: label.value for label in two.classes.labels}
        named = dict.fromkeys((*list(values)[:3], *list(both)[:1]))
        outcomes += [Outcome("class", name, values[name], both[name]) for name in named]
    return outcomes


def _vectors(
    trace: Trace, plain: ModelAccess, tokens: Tokens, output: ModelOutput, other: Trace | None
) -> list[Outcome]:
    """Return the cosines of the vector that stands for the text."""
    checkpoint, hidden = plain.checkpoint, output.hidden[0].float().cpu().numpy()  # [T, D]
    if trace.sentence_vector is not None and checkpoint.sentence is not None:
        name, after = "sentence", trace.sentence_vector
        before = checkpoint.sentence.of(hidden, checkpoint.n_prompt_tokens(tokens))
    elif trace.pooled is not None and output.pooled is not None:
        name, before, after = "pooled", output.pooled[0].float().cpu().numpy(), trace.pooled
    else:
        name, before, after = "first", hidden[0], trace.hidden[-1][0]
    found = [Outcome("vector", name, 1.0, _cosine(before, after))]
    second = None
    if other is not None:
        of_other = {
            "sentence": other.sentence_vector,
            "pooled": other.pooled,
            "first": other.hidden[-1][0],
        }
        second = of_other[name]
    if second is not None and second.shape == before.shape:
        found.append(Outcome("other", name, _cosine(before, second), _cosine(after, second)))
    return found


def _cosine(one: Floats, two: Floats) -> float:
    """Return the cosine of two vectors [D], 0 where one is zero."""
    exact, other = one.astype(np.float64), two.astype(np.float64)
    return float(exact @ other) / max(float(np.linalg.norm(exact) * np.linalg.norm(other)), 1e-30)
