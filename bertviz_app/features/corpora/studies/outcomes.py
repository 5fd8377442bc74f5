"""What a checkpoint makes of each text of a file, its loss or another outcome, and what it owes each head."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from functools import partial
from typing import Annotated, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bertviz_app.analysis.class_labels import ClassLabels, Stated, refuse_several
from bertviz_app.analysis.entry import Inputs, ModelAccess, ModelOutput, Needs
from bertviz_app.analysis.parameters import Choice, Range, Reporter, reported
from bertviz_app.analysis.picture import SHARE_OF_ONE, Axis, Picture, Quantity, counted
from bertviz_app.analysis.probing.interventions import (
    FLAVOURS,
    changes_without,
    head_ablation,
    head_gradients,
    head_importance,
)
from bertviz_app.analysis.probing.passes import Target, TargetParameters, batches
from bertviz_app.analysis.results import NamedArrays, Scalar
from bertviz_app.errors import AnalysisError, Message
from bertviz_app.features.corpora.studies.statistics import (
    HeadStatistics,
    condensed,
    labels_found,
    statistics_of,
)
from bertviz_app.features.corpora.studies.study import NOTHING, ChosenStudy, Measured, Part, Unit, study
from bertviz_app.text import Tokens
from bertviz_app.text_tables.columns import apart
from bertviz_app.trace.form import Point, Tap
from bertviz_app.trace.provenance import MANY_LABELS, ONE_LABEL, REGRESSION
from bertviz_app.types import Doubles, Indices, Longs, Tensor
from bertviz_app.values import dataclass, replace

OUTCOMES = ("loss", "sentence", "pooled", "class", "next-sentence")
MASKED_SHARE = 0.15
"""Which share of the tokens of a text without a label is masked; Devlin et al. 2019, section 3.1."""


@dataclass(frozen=True)
class FileOutcome:
    """`outcome`: what is looked at of each text.

    "loss" is that of the row's label; of a file without labels that of predicting masked tokens: 15 % of each
    text, which are always the same. "sentence", "pooled", "class" and "next-sentence" are those of analyses
    of one text. `labels`: which label is which class, as "pos=1, neg=0"; None: as `ClassLabels` says.
    """

    outcome: Annotated[str, Choice(OUTCOMES), Message("Outcome")] = "loss"
    labels: Stated = None


class Values(Protocol):
    """Returns numbers [B] or [B, N] of a pass of B inputs; `grad`: with what gradients need."""

    def __call__(self, output: ModelOutput, *, grad: bool) -> Tensor: ...


@dataclass(frozen=True, eq=False)
class UnitOutcome:
    """The outcome of one unit: `tokens` are what is read, with masks where tokens are to be predicted.

    `values` returns the outcome [B] of B variants of these tokens, `scores` the share of right answers [B],
    None where nothing is right or wrong. `label` is that of a class, "" for another outcome.
    """

    model: ModelAccess
    tokens: Tokens
    values: Values
    scores: Callable[[ModelOutput], Tensor] | None = None
    label: str = ""

    def of(self, inputs: Sequence[Tokens], tap: Tap | None = None) -> Doubles:
        """Return the outcomes and scores [2, B] of inputs, or [1, B] without scores, in one forward pass."""
        output = self.model.forward(inputs, tap)
        found = [self.values(output, grad=False)]
        found += [] if self.scores is None else [self.scores(output)]
        numbers: Doubles = np.stack([one.detach().cpu().double().numpy() for one in found])
        return numbers


def outcomes_of(measured: Measured, parameters: FileOutcome) -> list[UnitOutcome | None]:
    """Return the outcome of each unit; None for one whose label the checkpoint does not know.

    Raises AnalysisError where the checkpoint has no such outcome, or a label may be one of several classes.
    """
    return [_of_unit(measured, unit, parameters) for unit in measured.units]


def _of_unit(measured: Measured, unit: Unit, parameters: FileOutcome) -> UnitOutcome | None:
    model = measured.model
    if parameters.outcome != "loss":
        inputs = Inputs(measured.record(unit.tokens), model)
        return UnitOutcome(model, unit.tokens, Target(inputs, TargetParameters(parameters.outcome)).values)
    if unit.item.label:
        return _of_label(model, unit, parameters.labels)
    if "masked" in model.task_heads and model.mask_id is not None:
        return _of_masks(model, unit.tokens)
    if "classes" in model.task_heads:
        message = Message("The loss of this checkpoint is that of a label, and this file has none.")
        raise AnalysisError(message, Message("Name the column of the labels, or choose another outcome."))
    message = Message("This checkpoint predicts neither classes nor masked tokens: it has no loss.")
    hint = Message(
        "Choose another outcome, such as “{0}”, or open a checkpoint with a task head.", "sentence"
    )
    raise AnalysisError(message, hint, "task head")


def _of_label(model: ModelAccess, unit: Unit, stated: str | None) -> UnitOutcome | None:
    """Return the loss of a label: cross-entropy of a class, that of several, or the error of a number."""
    from torch.nn.functional import cross_entropy

    label = unit.item.label
    if "classes" not in model.task_heads:
        message = Message("This checkpoint has no classes, and the file has labels.")
        raise AnalysisError(message, Message("Open a checkpoint with a classifier of texts."), "task head")
    classes = model.class_names

    def logits(output: ModelOutput, *, grad: bool) -> Tensor:
        found = model.task_logits(output.hidden, output.seen, (), grad=grad).classes
        assert found is not None
        return found

    problem, known = model.meaning.problem, ClassLabels(classes, stated)
    if problem == MANY_LABELS or (problem == ONE_LABEL and len(classes) == 1):  # one output: a sigmoid
        held = known.held(label)
        return None if held is None else _of_several(model, unit, logits, held)
    refuse_several([label])
    if problem == REGRESSION or (problem is None and len(classes) == 1):
        return _of_number(model, unit, logits)
    answer = known.of(label)
    if answer is None:
        return None

    def values(output: ModelOutput, *, grad: bool) -> Tensor:
        found = logits(output, grad=grad)
        return cross_entropy(found, found.new_full((len(found),), answer).long(), reduction="none")

    def scores(output: ModelOutput) -> Tensor:
        return (logits(output, grad=False).argmax(-1) == answer).double()

    return UnitOutcome(model, unit.tokens, values, scores, label)


def _of_several(model: ModelAccess, unit: Unit, logits: Values, held: Sequence[float]) -> UnitOutcome:
    """Return the mean binary cross-entropy of all C labels, and the share that is right from 0.5 on."""
    from torch.nn.functional import binary_cross_entropy_with_logits

    def values(output: ModelOutput, *, grad: bool) -> Tensor:
        found = logits(output, grad=grad)
        true = found.new_tensor(held).expand_as(found)
        return binary_cross_entropy_with_logits(found, true, reduction="none").mean(-1)

    def scores(output: ModelOutput) -> Tensor:
        found = logits(output, grad=False)
        return ((found >= 0) == found.new_tensor(held).bool()).double().mean(-1)

    number = next((one for one in apart(unit.item.label) if one.isdecimal() and len(held) > 1), "")
    return UnitOutcome(model, unit.tokens, values, scores, number)


def _of_number(model: ModelAccess, unit: Unit, logits: Values) -> UnitOutcome | None:
    try:
        number = float(unit.item.label)
    except ValueError:
        return None

    def values(output: ModelOutput, *, grad: bool) -> Tensor:
        return (logits(output, grad=grad)[:, 0] - number) ** 2

    return UnitOutcome(model, unit.tokens, values)


def _of_masks(model: ModelAccess, tokens: Tokens) -> UnitOutcome | None:
    """Return the loss of predicting masked tokens: the mean cross-entropy of the pieces that were written."""
    import torch

    positions = masked_positions(tokens)
    if not len(positions):
        return None
    assert model.mask_id is not None
    ids = tokens.ids.copy()
    ids[positions] = model.mask_id
    written = torch.from_numpy(tokens.ids[positions].astype(np.int64))

    def logits(output: ModelOutput, *, grad: bool) -> Tensor:
        found = model.task_logits(output.hidden, output.seen, positions.tolist(), grad=grad).masked
        assert found is not None
        return found  # [B, masked, V]

    def values(output: ModelOutput, *, grad: bool) -> Tensor:
        found = logits(output, grad=grad)
        answers = written.to(found.device).expand(len(found), -1)
        return -log_softmax(found).gather(-1, answers[..., None])[..., 0].mean(-1)

    def scores(output: ModelOutput) -> Tensor:
        found = logits(output, grad=False)
        return (found.argmax(-1) == written.to(found.device)).double().mean(-1)

    return UnitOutcome(model, replace(tokens, ids=ids), values, scores)


def log_softmax(logits: Tensor) -> Tensor:
    """Return the log-softmax over the last axis of logits [..., V], in float32, for a V of any size.

    torch's own adds up the exponentials of a whole vocabulary in few float32 sums: beside the 1 of a
    confident prediction each of them is too small to count, and a part of the loss is lost. Here the sum is
    float64; its logarithm alone is rounded to float32, to the same relative precision however small it is.
    """
    import torch

    shifted = logits - logits.detach().amax(-1, keepdim=True)
    return shifted - shifted.exp().sum(-1, keepdim=True, dtype=torch.float64).log().float()


def masked_positions(tokens: Tokens) -> Indices:
    """Return which tokens of a text are masked: 15 % of those that are not special, one at least.

    They are drawn with the text itself as the seed, so that they are the same in every run.
    """
    candidates = np.flatnonzero(~tokens.is_special)
    count = min(len(candidates), max(1, round(MASKED_SHARE * len(candidates))))
    source = np.random.default_rng(zlib.crc32(np.ascontiguousarray(tokens.ids, np.int64).tobytes()))
    found: Indices = np.sort(source.choice(candidates, count, replace=False)) if count else candidates
    return found


def _known(
    measured: Measured, outcomes: Sequence[UnitOutcome | None]
) -> tuple[list[UnitOutcome], dict[str, Longs]]:
    """Return the outcomes that there are, and the sums that count them and the others."""
    known = [one for one in outcomes if one is not None]
    n_numbers = sum(one.label.isdecimal() for one in known)
    counts = {"n_used": len(known), "n_unknown": len(outcomes) - len(known), "n_numbers": n_numbers}
    return known, {name: np.array(count, np.int64) for name, count in counts.items()}


def _counted(model: ModelAccess, part: Part, labels: str | None) -> tuple[int, dict[str, str | int | float]]:
    """Return how many texts were used, and facts: how many were not, and which class a label is.

    Raises AnalysisError where none was used.
    """
    n_used, n_unknown = (int(part.sums[name]) for name in ("n_used", "n_unknown"))
    if not n_used:
        message = Message("The checkpoint knows none of the labels of this file.")
        hint = Message("Check the column of the labels, or open the checkpoint that was trained on them.")
        raise AnalysisError(message, hint)
    facts: dict[str, str | int | float] = {"n_texts": n_used, "n_without_outcome": n_unknown}
    if "classes" in model.task_heads:
        facts |= ClassLabels(model.class_names, labels).facts(has_numbers=bool(part.sums.get("n_numbers", 0)))
    return n_used, facts


@dataclass(frozen=True)
class AblationOverFile(FileOutcome):
    """`flavour`: what stands for a head's output: zeros, its mean over tokens, or that of its values."""

    flavour: Annotated[str, Choice(FLAVOURS), Message("Replace the head's output by")] = "zero"


def _finish_ablation(
    model: ModelAccess, part: Part, parameters: AblationOverFile, reporter: Reporter
) -> HeadStatistics:
    n_texts, facts = _counted(model, part, parameters.labels)
    whole = part.sums["whole"] / n_texts
    keys = ("change", "score change")[: len(whole)]
    quantities = (Quantity(""), Quantity("weight", -1, 1))
    scalars = [Scalar(key, quantity) for key, quantity in zip(keys, quantities, strict=False)]
    facts |= dict(zip(("outcome", "score"), whole.tolist(), strict=False))
    return statistics_of(part, scalars, facts=facts)


@study(
    key="head-ablation",
    title=Message("Head ablation"),
    summary=Message(
        "How the loss, the score or another outcome changes over a file when a head is replaced, one head at "
        "a time."
    ),
    limits=Message("The ranks of heads depend on what replaces them, and heads can stand in for each other."),
    paper=head_ablation.paper,
    needs=Needs.MODEL | Needs.ALL_HEADS,
    refuses=head_ablation.refuses,
    reads="texts",
    finish=_finish_ablation,
    condense=condensed,
)
def ablation_over_file(measured: Measured, parameters: AblationOverFile, reporter: Reporter) -> Part:
    """Return the changes of each text [C, L, H]: of the outcome, and of the score where there is one."""
    config = measured.model.config
    known, sums = _known(measured, outcomes_of(measured, parameters))
    rows, whole = [], []
    shape, silent = (config.n_layers, config.n_heads), Reporter(reporter.check)
    for outcome in reported(known, reporter):
        of_text, changes = changes_without(outcome.of, outcome.tokens, shape, parameters.flavour, silent)
        rows.append(changes)
        whole.append(of_text)
    if not rows:
        return Part(sums)
    return Part({**sums, "whole": np.sum(whole, axis=0)}, {"values": np.array(rows, np.float32)})


@dataclass(frozen=True)
class ImportanceOverFile(FileOutcome):
    """`by_layer`: the numbers of a layer are divided by the root of the sum of squares of its means."""

    by_layer: Annotated[bool, Message("Divide by the norm of each layer")] = False


def _finish_importance(
    model: ModelAccess, part: Part, parameters: ImportanceOverFile, reporter: Reporter
) -> HeadStatistics:
    _, facts = _counted(model, part, parameters.labels)
    found = statistics_of(part, [Scalar("importance", Quantity("", 0))], facts=facts)
    return found.divided_by_layer() if parameters.by_layer else found


@study(
    key="head-importance",
    title=Message("Head importance by gradients"),
    summary=Message(
        "How fast the loss or another outcome of each text changes when the output of a head is scaled, "
        "without its sign; the mean over a file is Michel et al.'s importance."
    ),
    limits=Message("It says what a small change does; removing the head may do something else."),
    paper=head_importance.paper,
    needs=Needs.MODEL | Needs.GRADIENT | Needs.ALL_HEADS,
    reads="texts",
    finish=_finish_importance,
    condense=condensed,
)
def importance_over_file(measured: Measured, parameters: ImportanceOverFile, reporter: Reporter) -> Part:
    """Return the importance of each head for each text [1, L, H], see `head_gradients`."""
    known, sums = _known(measured, outcomes_of(measured, parameters))
    rows = [
        head_gradients(measured.model, outcome.tokens, partial(outcome.values, grad=True))[None]
        for outcome in reported(known, reporter)
    ]
    return Part(sums, {"values": np.array(rows, np.float32)} if rows else {})


ORDERS = ("importance", "random")


@dataclass(frozen=True)
class PruningParameters:
    """`steps`: how many points the curve has behind that without pruning.

    `order`: the least important heads first, by their importance for the loss over the same file, computed
    once; or at random, as a control, by `seed`. `by_layer` is as in `ImportanceOverFile`, `labels` as in
    `FileOutcome`.
    """

    steps: Annotated[int, Range(1, 1000), Message("Steps of the curve")] = 10
    order: Annotated[str, Choice(ORDERS), Message("Order of pruning")] = "importance"
    by_layer: Annotated[bool, Message("Divide by the norm of each layer")] = True
    seed: Annotated[int, Range(0, 2**31 - 1), Message("Seed of the random order")] = 0
    labels: Stated = None


class PruningCurve(NamedArrays):
    """The mean loss, and score where there is one, by how many heads are pruned.

    "loss" and "score" [S + 1], "loss error" and "score error" their standard errors; "order" [N, 2], layer
    and head in the order in which they are pruned.
    """

    @property
    def n_heads(self) -> int:
        """How many heads there are to prune."""
        return len(self.named["order"])

    def pictures(self) -> tuple[Picture, ...]:
        drawn = {
            "score": (Message("Score"), SHARE_OF_ONE),
            "loss": (Message("Loss"), Quantity("", 0)),
        }
        found = []
        for key in (name for name in self.named if name in drawn):
            title, quantity = drawn[key]
            errors = self.named[f"{key} error"]
            values = np.stack([self.named[key], np.full_like(errors, self.named[key][0])])
            away = np.stack([errors, np.full_like(errors, np.nan)])
            picture = Picture(
                key=key,
                mark="curves",
                values=values,
                axes=(Axis("series", (key, "with all")), self.axes[0]),
                quantity=quantity,
                title=title,
                words={key: title, "with all": Message("With all heads")},
                low=values - away,
                high=values + away,
                levels=frozenset({"with all"}),
            )
            found.append(picture)
        return tuple(found)

    def findings(self) -> tuple[str, ...]:
        half = int(np.abs(np.array(self.axes[0].labels, float) - self.n_heads / 2).argmin())
        key, digits = ("score", ".1%") if "score" in self.named else ("loss", ".3f")
        numbers = [f"{float(self.named[key][at]):{digits}}" for at in (0, half, -1)]
        return (
            Message("{0} texts, {1} heads", f"{int(self.facts['n_texts']):,}", self.n_heads),
            Message("score {0} with all, {1} without half of them, {2} without any", *numbers)
            if key == "score"
            else Message("loss {0} with all, {1} without half of them, {2} without any", *numbers),
            *labels_found(self.facts),
        )


def _first_importance(parameters: PruningParameters) -> ChosenStudy | None:
    if parameters.order == "random":
        return None
    return ChosenStudy(
        importance_over_file, ImportanceOverFile("loss", parameters.labels, parameters.by_layer)
    )


def pruning_order(importance: NDArray[np.floating[Any]] | None, shape: tuple[int, int], seed: int) -> Indices:
    """Return all heads [N, 2] as layer and head, the least important first; None: at random by `seed`."""
    n_heads = shape[0] * shape[1]
    if importance is None:
        order = np.random.default_rng(seed).permutation(n_heads)
    else:
        order = np.argsort(importance.reshape(-1), kind="stable")
    return np.stack(np.unravel_index(order, shape), axis=-1)


def pruned_counts(n_heads: int, steps: int) -> Indices:
    """Return [S + 1], how many heads are pruned at each point of a curve: from none to all."""
    return np.unique(np.linspace(0, n_heads, min(n_heads, steps) + 1).round().astype(np.intp))


class _Pruned:
    """A tap that sets to zero, in input b, the outputs of the first `counts`[b] heads of an order."""

    def __init__(self, order: Indices, counts: Sequence[int]) -> None:
        self._order, self._counts = order, counts

    def wants(self, point: Point, layer: int) -> bool:
        return point is Point.MIXED

    def __call__(self, point: Point, layer: int, tensor: Tensor) -> Tensor:
        """Return the outputs [B, H, T, E] without those of the pruned heads."""
        found = tensor.clone()
        for at, count in enumerate(self._counts):
            first = self._order[:count]
            found[at, first[first[:, 0] == layer, 1].tolist()] = 0
        return found


def _finish_pruning(
    model: ModelAccess, part: Part, parameters: PruningParameters, reporter: Reporter
) -> PruningCurve:
    n_texts, facts = _counted(model, part, parameters.labels)
    mean = part.sums["total"] / n_texts  # [C, S + 1]
    variance = np.maximum(part.sums["squares"] / n_texts - mean**2, 0)
    errors = np.sqrt(variance / max(1, n_texts - 1))
    order, counts = part.rows["order"][:1][0], part.rows["counts"][:1][0]
    shares = Axis("pruned heads", tuple(str(count) for count in counts.tolist()))
    named: dict[str, Doubles] = {}
    axes: dict[str, tuple[Axis, ...]] = {}
    for at, name in list(enumerate(("loss", "score")[: len(mean)]))[::-1]:  # the score first
        named |= {name: mean[at], f"{name} error": errors[at]}
        axes |= {name: (shares,), f"{name} error": (shares,)}
    named["order"] = order
    axes["order"] = (counted("rank", len(order)), Axis("part", ("layer", "head")))
    arrays = {name: array.astype(np.float32) for name, array in named.items()}
    return PruningCurve(arrays, axes, facts | {"n_heads": len(order)}, main=next(iter(named)))


@study(
    key="pruning-curve",
    title=Message("Pruning curve"),
    summary=Message(
        "How the score and the loss over a file change as more and more heads are pruned, the least "
        "important first."
    ),
    limits=Message(
        "The order is computed once, on the same file; heads that matter only together may be pruned early. "
        "Nothing is trained again."
    ),
    paper="Michel et al. 2019, arXiv:1905.10650, section 4",
    needs=Needs.MODEL | Needs.GRADIENT | Needs.ALL_HEADS,
    reads="texts",
    finish=_finish_pruning,
    first=_first_importance,
)
def pruning_over_file(measured: Measured, parameters: PruningParameters, reporter: Reporter) -> Part:
    """Return the sums of losses and scores [C, S + 1] of the texts, and of their squares."""
    known, sums = _known(measured, outcomes_of(measured, FileOutcome("loss", parameters.labels)))
    shape = measured.model.config.n_layers, measured.model.config.n_heads
    before = measured.before if isinstance(measured.before, HeadStatistics) else None
    order = pruning_order(None if before is None else before.of("importance"), shape, parameters.seed)
    counts = pruned_counts(len(order), parameters.steps)
    total: Part = NOTHING
    for outcome in reported(known, reporter):
        found = []
        for some in batches(len(counts), len(outcome.tokens)):
            reporter.check()
            pruned = counts[some.start : some.stop].tolist()
            found.append(outcome.of([outcome.tokens] * len(pruned), _Pruned(order, pruned)))
        of_text = np.concatenate(found, axis=-1)
        total = total.plus(Part({"total": of_text, "squares": of_text**2}))
    return Part({**sums, **total.sums}, {"order": order[None], "counts": counts[None]} if known else {})
