"""What interventions change: an outcome by each head, and what a run predicts by those that it has."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Annotated, Literal, get_args

import numpy as np

from bertviz_app.analysis.entry import Inputs, ModelAccess, ModelOutput, Needs, Refusal, analysis
from bertviz_app.analysis.parameters import Choice, Reporter, reported
from bertviz_app.analysis.picture import Quantity
from bertviz_app.analysis.predictions import PredictionInput, predictions, softmax
from bertviz_app.analysis.probing.passes import Leaf, Target, TargetParameters, batches, compares_runs
from bertviz_app.analysis.results import HeadScalars, Scalar
from bertviz_app.errors import Message
from bertviz_app.text import Edits, Tokens
from bertviz_app.text.edits import MASK
from bertviz_app.trace import Trace
from bertviz_app.trace.form import Capture, Point, Tap, TapAt, Taps
from bertviz_app.types import Doubles, Floats, Tensor
from bertviz_app.values import dataclass, replace

Flavour = Literal["zero", "mean", "uniform"]
"""What the output of an ablated head is replaced by."""

FLAVOURS: tuple[Flavour, ...] = get_args(Flavour)


@dataclass(frozen=True)
class AblationParameters(TargetParameters):
    """`flavour`: what stands for a head's output: zeros, its mean over tokens, or that of its values."""

    flavour: Annotated[str, Choice(FLAVOURS), Message("Replace the head's output by")] = "zero"


def _ablated(layer: int, heads: range, flavour: str) -> Tap:
    """Return a tap that replaces, in input b of a batch, the output of head `heads`[b] of one layer."""
    values: list[Tensor] = []

    def replaced(point: Point, _: int, tensor: Tensor) -> Tensor:
        """Return the outputs [B, H, T, E] with those of the ablated heads replaced; values as they are."""
        if point is Point.VALUES:
            values[:] = [tensor]
            return tensor
        found = tensor.clone()
        averaged = found if flavour == "mean" else values[0]  # of values: all weights are 1 / T
        for at, head in enumerate(heads):
            found[at, head] = 0 if flavour == "zero" else averaged[at, head].mean(0)
        return found

    return TapAt({Point.VALUES, Point.MIXED}, replaced, {layer})


@analysis(
    key="head-ablation",
    place=("replaced", 2),
    title=Message("Head ablation"),
    summary=Message(
        "How the chosen outcome changes when the output of a head is replaced, one head at a time."
    ),
    limits=Message("The ranks of heads depend on what replaces them, and heads can stand in for each other."),
    paper="Michel et al. 2019, arXiv:1905.10650, section 3; Kovaleva et al. 2019, arXiv:1908.08593",
    needs=Needs.MODEL,
    refuses=Refusal(
        lambda form, task_heads: form.has_global_tokens,
        Message("With global attention a token has two value vectors, so that no one mean stands for both."),
        Message("Open a checkpoint without global attention."),
    ),
    compares=compares_runs,
)
def head_ablation(inputs: Inputs, parameters: AblationParameters, reporter: Reporter) -> HeadScalars:
    """Return how the outcome changes when each head is replaced, one at a time.

    "zero": by zeros; "mean": by the mean of its output over the tokens of this text; "uniform": by what it
    would return if it attended to all tokens alike. Rankings of heads by two of these hardly agree, so a
    number means little without its flavour.

    "change" [L, H]: the outcome with the head replaced minus that with all heads, below 0 where the outcome
    needs the head; 0 for a head that is muted. `outcome` is that with all heads.

    Equal weights are those of Kovaleva et al., section 4.5.
    """
    trace = inputs.trace
    target = Target(inputs, parameters)
    whole, changes = changes_without(
        lambda inputs, tap: target.of(inputs, tap)[None],
        trace.tokens,
        (trace.n_layers, trace.n_heads),
        parameters.flavour,
        reporter,
    )
    found = changes.astype(np.float32)
    for layer, head in trace.muted:
        found[0, layer, head] = 0
    return HeadScalars((Scalar("change", Quantity("", noise=target.noise)),), found, outcome=float(whole[0]))


def changes_without(
    outcomes: Callable[[Sequence[Tokens], Tap | None], Doubles],
    tokens: Tokens,
    shape: tuple[int, int],
    flavour: str,
    reporter: Reporter,
) -> tuple[Doubles, Doubles]:
    """Return C outcomes [C] of a text, and how they change when each head is replaced, [C, L, H].

    `outcomes` returns them [C, B] for B inputs, which go through the model with a tap; `shape` is that of the
    heads, (L, H).
    """
    whole = outcomes([tokens], None)[:, 0]
    found = np.zeros((len(whole), *shape))
    n_layers, n_heads = shape
    for layer in reported(range(n_layers), reporter):
        for heads in batches(n_heads, len(tokens)):
            reporter.check()
            of_heads = outcomes([tokens] * len(heads), _ablated(layer, heads, flavour))
            found[:, layer, heads.start : heads.stop] = of_heads - whole[:, None]
    return whole, found


@analysis(
    key="head-importance",
    place=("replaced", 3),
    title=Message("Head importance by gradients"),
    summary=Message("How fast the chosen outcome changes when the output of a head is scaled."),
    limits=Message("It says what a small change does; removing the head may do something else."),
    paper="Michel et al. 2019, arXiv:1905.10650, section 4.1",
    needs=Needs.MODEL | Needs.GRADIENT,
    compares=compares_runs,
)
def head_importance(inputs: Inputs, parameters: TargetParameters, reporter: Reporter) -> HeadScalars:
    """Return |dy/ds| of each head at s = 1: how fast the outcome changes as its output is scaled by s.

    "importance" [L, H], 0 or more, of this text alone; 0 for a head that is muted.

    Equation 2 of the paper for one text, not divided by layer.
    """
    target = Target(inputs, parameters)
    found = head_gradients(target.model, inputs.trace.tokens, lambda output: target.values(output, grad=True))
    reporter.progress(1)
    return HeadScalars((Scalar("importance", Quantity("", 0)),), found[None])


def head_gradients(model: ModelAccess, tokens: Tokens, value: Callable[[ModelOutput], Tensor]) -> Floats:
    """Return |dy/ds| [L, H] at s = 1, s being a factor of a head's output, and y the `value` of the pass."""
    import torch

    n_layers = model.config.n_layers
    capture = Capture({Point.MIXED})
    output = model.forward([tokens], Taps(Leaf(Point.EMBEDDINGS), capture), grad=True)
    mixed = [capture.tensors[Point.MIXED, layer] for layer in range(n_layers)]
    gradients = torch.autograd.grad(value(output).sum(), mixed, allow_unused=True)
    found = np.zeros((n_layers, model.config.n_heads), np.float32)
    for layer, (output_of, gradient) in enumerate(zip(mixed, gradients, strict=True)):
        if gradient is not None:
            found[layer] = (output_of * gradient)[0].sum((-1, -2)).abs().detach().cpu().numpy()
    return found


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
        outcomes.append(Outcome(kind, "", one.next_sentence.probability, two.next_sentence.probability))
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
        second = {
            "sentence": other.sentence_vector,
            "pooled": other.pooled,
            "first": other.hidden[-1][0],
        }[name]
    if second is not None and second.shape == before.shape:
        found.append(Outcome("other", name, _cosine(before, second), _cosine(after, second)))
    return found


def _cosine(one: Floats, two: Floats) -> float:
    """Return the cosine of two vectors [D], 0 where one is zero."""
    exact, other = one.astype(np.float64), two.astype(np.float64)
    return float(exact @ other) / max(float(np.linalg.norm(exact) * np.linalg.norm(other)), 1e-30)
