"""Analyses of others: all heads by what an outcome owes them, and how far attributions agree."""

from __future__ import annotations

import math
from collections.abc import Mapping
from contextlib import suppress
from typing import Annotated, Any, Self

import numpy as np

from bertviz_app.analysis.compare import Alignment, no_difference
from bertviz_app.analysis.entry import Analysis, Inputs, Needs, analysis
from bertviz_app.analysis.parameters import Range, Reporter
from bertviz_app.analysis.picture import Axis, Picture, Quantity
from bertviz_app.analysis.probing.interventions import AblationParameters, head_ablation, head_importance
from bertviz_app.analysis.probing.passes import Target, TargetParameters, batches, compares_runs
from bertviz_app.analysis.results import HeadScalars, NamedArrays, Scalar, TokenMatrices, TokenScalars
from bertviz_app.errors import AnalysisError, Message
from bertviz_app.features.methods.attribution import (
    MaskedInputs,
    attn_lrp,
    chefer,
    gradient_input,
    integrated_gradients,
    occlusion,
    saliency,
)
from bertviz_app.features.methods.decomposition.decompx import alti, decompx, globenc, rollout
from bertviz_app.tables import RowSource, Table, column_name
from bertviz_app.types import Doubles, Floats, Indices
from bertviz_app.typeset import fixed
from bertviz_app.values import dataclass, fields

OF_OUTCOMES: tuple[Analysis[Any, TokenScalars], ...] = (
    occlusion,
    saliency,
    gradient_input,
    integrated_gradients,
    chefer,
    attn_lrp,
)
"""The methods that explain the outcome itself. Occlusion is first: the others are compared with it."""

OF_LAYERS: tuple[Analysis[Any, TokenMatrices], ...] = (rollout, globenc, alti, decompx)
"""The methods that follow tokens through the layers, whatever the outcome is."""


_ROUNDING = 1e-12  # a smaller correlation is one of 0 with rounding errors


@dataclass(frozen=True)
class AgreementParameters(TargetParameters):
    """The outcome that all methods explain, and how many steps a curve has at most.

    Each step costs up to two forward passes for each method.
    """

    steps: Annotated[int, Range(2, 100), Message("Steps of a curve")] = 5


@analysis(
    key="agreement",
    place=("tokens", 9),
    title=Message("Agreement of attributions"),
    summary=Message(
        "How alike methods of attribution rank the tokens, and what becomes of the outcome when tokens are "
        "masked in the order of each."
    ),
    limits=Message(
        "Methods that agree may be wrong together; masked texts are unlike those of the training. A curve "
        "has few steps, whose names are how many tokens are masked, or shown; methods that cannot be used "
        "with the model, or with so long a text, are left out."
    ),
    paper="Petsiuk et al. 2018, arXiv:1806.07421; Abnar & Zuidema 2020, arXiv:2005.00928",
    needs=Needs.MODEL | Needs.GRADIENT | Needs.ALL_HEADS,
    compares=compares_runs,
)
def agreement(inputs: Inputs, parameters: AgreementParameters, reporter: Reporter) -> NamedArrays:
    """Return how similarly methods rank the tokens, and their curves of deletion and insertion.

    A method that follows tokens through the layers gives a matrix: its scores are the mean of the rows of
    those tokens whose last vectors the outcome depends on. Special tokens are left out, and so is a method
    that does not apply to the model, or whose arrays of a long text would take too much memory.

    "spearman" [M, M]: the rank correlation of each two of M methods, occlusion first, from -1 to 1; nan for a
    method that gives all tokens the same score, as of one token, which has no order. "scores" [M, N], in the
    unit of each method. "deletion" and "insertion" [M, S]: the outcome when the tokens with the highest
    scores are masked, or when only these are shown; their number is the label of "step", from 0 to N in about
    equal steps.

    The rank correlation is that of Spearman 1904, doi:10.2307/1412159; the curves are those of Petsiuk et
    al.; occlusion as the reference is that of Abnar & Zuidema.
    """
    trace = inputs.trace
    target, masked = Target(inputs, parameters), MaskedInputs(trace, inputs.opened)
    scores = _scores(inputs, parameters, target, masked.positions, reporter)
    ranks = np.array([average_ranks(row) for row in scores.values()])
    orders = np.array([np.argsort(-row, kind="stable") for row in scores.values()])
    n_positions = len(masked.positions)
    steps = np.linspace(0, n_positions, min(n_positions, parameters.steps) + 1)
    n_masked = np.unique(steps.round().astype(np.intp))  # 0 to all, in about equal steps
    deletion, insertion = _curves(target, masked, orders, n_masked, reporter)
    methods = Axis("method", tuple(scores))
    tokens = Axis("token", tuple(trace.tokens.pieces[position] for position in masked.positions))
    steps_of = Axis("step", tuple(map(str, n_masked.tolist())))
    named = {
        "spearman": correlations(ranks).astype(np.float32),
        "scores": np.array(list(scores.values()), np.float32),
        "deletion": deletion,
        "insertion": insertion,
    }
    axes = {
        "spearman": (methods, Axis("other method", tuple(scores))),
        "scores": (methods, tokens),
        "deletion": (methods, steps_of),
        "insertion": (methods, steps_of),
    }
    return NamedArrays(named, axes, main="spearman", drawn=_pictures(named, axes))


def _pictures(named: Mapping[str, Floats], axes: Mapping[str, tuple[Axis, ...]]) -> tuple[Picture, ...]:
    """Return the curves of deletion beside those of insertion, how alike methods are, the scores of each."""
    words = {method.key: method.title for method in (*OF_OUTCOMES, *OF_LAYERS)}
    both = Picture(
        key="outcome",
        mark="curves",
        values=np.stack([named["deletion"], named["insertion"]]),
        axes=(Axis("way", ("deletion", "insertion")), *axes["deletion"]),
        quantity=Quantity(""),
        title=Message("Outcome by the number of tokens"),
        words={
            **words,
            "deletion": Message("Outcome as tokens are masked"),
            "insertion": Message("Outcome as tokens are shown"),
        },
        beside="way",
    )
    title, unit = Message("Rank correlation of methods (Spearman)"), Quantity("", -1, 1)
    alike, of_methods = named["spearman"], Message("Scores of a method")
    return (
        both,
        Picture("spearman", "cells", alike, axes["spearman"], unit, title, words, top=1.0),
        Picture("scores", "bars", named["scores"], axes["scores"], Quantity(""), of_methods, words),
    )


def _scores(
    inputs: Inputs,
    parameters: AgreementParameters,
    target: Target,
    positions: Indices,
    reporter: Reporter,
) -> Mapping[str, Doubles]:
    """Return the scores [N] that each method gives the tokens at `positions` [N], by its key, in its unit."""
    silent = Reporter(check=reporter.check)
    given: dict[str, Any] = {
        field.name: getattr(parameters, field.name) for field in fields(TargetParameters)
    }
    allowed = [
        method
        for method in OF_LAYERS
        if method.refuses(inputs.trace.form, inputs.opened.task_heads) is None
        and method.refuses_trace(inputs.trace) is None
    ]
    found: dict[str, Doubles] = {}
    of_outcomes = [outcome for outcome in OF_OUTCOMES if outcome.refuses_trace(inputs.trace) is None]
    for outcome in of_outcomes:
        # An operation of the model without a rule of AttnLRP shows when it is met.
        with suppress(AnalysisError):
            scores = outcome(inputs, outcome.parameters(**given), silent).values
            found[outcome.key] = scores[positions].astype(np.float64)
        reporter.progress(len(found) / (len(of_outcomes) + len(allowed)) / 2)
    rows = target.rows(reporter)
    for layered in allowed:
        matrix = layered(inputs, layered.parameters(), silent).source(inputs.trace.n_layers - 1)
        found[layered.key] = matrix.rows(rows).mean(0)[positions].astype(np.float64)
        reporter.progress(len(found) / (len(of_outcomes) + len(allowed)) / 2)
    return found


def _curves(
    target: Target,
    masked: MaskedInputs,
    orders: Indices,
    n_masked: Indices,
    reporter: Reporter,
) -> tuple[Floats, Floats]:
    """Return the curves of deletion and insertion [M, S]; a text that several need is encoded once."""
    ranks = np.argsort(orders, axis=-1)[:, None]  # [M, 1, positions]
    hidden = np.concatenate([ranks < n_masked[:, None], ranks >= n_masked[:, None]])  # [2 * M, S, positions]
    variants, texts = np.unique(hidden.reshape(-1, hidden.shape[-1]), axis=0, return_inverse=True)
    outcomes = np.empty(len(variants))
    for some in batches(len(variants), target.trace.n_tokens):
        outcomes[some.start : some.stop] = masked.outcomes(target, variants[some.start : some.stop], reporter)
        reporter.progress((1 + some.stop / len(variants)) / 2)
    curves = outcomes.astype(np.float32)[texts.reshape(2, len(orders), -1)]
    return curves[0], curves[1]


def average_ranks(values: Doubles) -> Doubles:
    """Return the rank of each number from 1 [N]; equal ones share the mean of their ranks."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return (last - (counts - 1) / 2)[inverse.reshape(-1)]


def correlations(rows: Doubles) -> Doubles:
    """Return Pearson's correlation of each two rows [M, M]; nan for a row of equal numbers."""
    centred = rows - rows.mean(-1, keepdims=True)
    lengths = np.linalg.norm(centred, axis=-1, keepdims=True)
    unit = np.divide(centred, lengths, out=np.full_like(centred, np.nan), where=lengths > 0)
    found: Doubles = np.clip(unit @ unit.T, -1, 1)
    return np.where(np.abs(found) < _ROUNDING, 0.0, found)


@dataclass(frozen=True, eq=False, kw_only=True)
class HeadRanking(HeadScalars):
    """How the outcome changes without each head, the head's importance [L, H], and the ranks of both from 1.

    `flavour`: what replaced the outputs of heads. `agreement`: Spearman's rank correlation of the sizes of
    the changes and the importance, from -1 to 1; nan where one of them is the same of all heads.
    """

    views = ("table", "picture")

    flavour: str
    agreement: float

    def order(self) -> list[tuple[int, int]]:
        """Return (layer, head) of all heads, the one with the largest change first, whatever its sign."""
        change = self.of("change")
        order = np.argsort(-np.abs(change).reshape(-1), kind="stable").tolist()
        return [divmod(index, change.shape[1]) for index in order]

    def findings(self) -> tuple[str, ...]:
        replaced = {
            "zero": Message("Each head's output replaced by zeros"),
            "mean": Message("Each head's output replaced by its mean over the tokens"),
            "uniform": Message("Each head made to attend to all tokens alike"),
        }
        outcome = "–" if self.outcome is None else fixed(self.outcome, 4)
        agreement = "–" if math.isnan(self.agreement) else fixed(self.agreement, 2)
        return (
            replaced[self.flavour],
            Message("outcome with all heads: {0}", outcome),
            Message("both rankings agree by {0} (Spearman)", agreement),
        )

    def as_table(self) -> Table:
        """Return a row for each head, in `order`: layer, head, and its numbers."""
        columns = ("layer", "head", *(column_name(scalar.key) for scalar in self.scalars))
        return Table(
            columns, RowSource(lambda: ((*at, *self.values[:, at[0], at[1]]) for at in self.order()))
        )

    def minus(self, other: Self, alignment: Alignment | None = None) -> Self:
        """Refuse: ranks have no difference that means something."""
        raise no_difference()


@analysis(
    key="head-ranking",
    place=("replaced", 1),
    title=Message("Heads by what they do to an outcome"),
    summary=Message(
        "All heads in the order of what replacing each does to the chosen outcome, and beside it their "
        "importance by gradients."
    ),
    limits=Message("The order depends on what replaces the heads: each way ranks them differently."),
    paper="Michel et al. 2019, arXiv:1905.10650, sections 3 and 4.1",
    needs=Needs.MODEL | Needs.GRADIENT | Needs.ALL_HEADS,
    refuses=head_ablation.refuses,
    compares=compares_runs,
)
def head_ranking(inputs: Inputs, parameters: AblationParameters, reporter: Reporter) -> HeadRanking:
    """Return the results of `head_ablation` and `head_importance`, and the ranks of the heads by both.

    "change", "importance", and the ranks of their sizes from 1, [L, H]; equal ones share a rank.
    """
    ablated = head_ablation(inputs, parameters, reporter)
    chosen = TargetParameters(
        **{name.name: getattr(parameters, name.name) for name in fields(TargetParameters)}
    )
    importance = head_importance(inputs, chosen, Reporter(reporter.check)).of("importance")
    change = ablated.of("change")
    ranks = [average_ranks(-np.abs(each.astype(np.float64)).reshape(-1)) for each in (change, importance)]
    agreement = float(correlations(np.array(ranks))[0, 1])
    by_rank = [rank.reshape(change.shape).astype(np.float32) for rank in ranks]
    rank_of = Quantity("", 1, change.size)
    return HeadRanking(
        (
            *ablated.scalars,
            Scalar("importance", Quantity("", 0)),
            Scalar("rank by change", rank_of),
            Scalar("rank by importance", rank_of),
        ),
        np.array([change, importance, *by_rank], np.float32),
        outcome=ablated.outcome,
        flavour=parameters.flavour,
        agreement=agreement,
    )
