"""All heads by how much an outcome depends on them, by ablation and by gradients."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from bertviz_app.analysis.axes import Quantity
from bertviz_app.analysis.combined.agreement import average_ranks, correlations
from bertviz_app.analysis.compare import Alignment, no_difference
from bertviz_app.analysis.entry import Inputs, Needs, analysis
from bertviz_app.analysis.probing.attribution.targets import TargetParameters, compares_runs
from bertviz_app.analysis.probing.interventions.heads import (
    AblationParameters,
    head_ablation,
    head_importance,
)
from bertviz_app.analysis.reporter import Callbacks, Reporter
from bertviz_app.analysis.results import HeadScalars, Scalar
from bertviz_app.errors import Message
from bertviz_app.tables import RowSource, Table


@dataclass(frozen=True, eq=False, kw_only=True)
class HeadRanking(HeadScalars):
    """How the outcome changes without each head, the head's importance [L, H], and the ranks of both from 1.

    `flavour`: what replaced the outputs of heads. `agreement`: Spearman's rank correlation of the sizes of
    the changes and the importance, from -1 to 1.
    """

    flavour: str
    agreement: float

    def order(self) -> list[tuple[int, int]]:
        """Return (layer, head) of all heads, the one with the largest change first, whatever its sign."""
        change = self.of("change")
        order = np.argsort(-np.abs(change).reshape(-1), kind="stable").tolist()
        return [(index // change.shape[1], index % change.shape[1]) for index in order]

    def as_table(self) -> Table:
        """Return a row for each head, in `order`: layer, head, and its numbers."""
        columns = ("layer", "head", *(scalar.key for scalar in self.scalars))
        return Table(
            columns, RowSource(lambda: ((*at, *self.values[:, at[0], at[1]]) for at in self.order()))
        )

    def minus(self, other: Self, alignment: Alignment | None = None) -> Self:
        """Refuse: ranks have no difference that means something."""
        raise no_difference()


@analysis(
    key="head-ranking",
    title=Message("Heads by what they do to an outcome"),
    summary=Message(
        "All heads in the order of what replacing each does to the chosen outcome, and beside it their "
        "importance by gradients."
    ),
    limits=Message("The order depends on what replaces the heads: each way ranks them differently."),
    paper="Michel et al. 2019, arXiv:1905.10650, sections 3 and 4.1",
    needs=Needs.MODEL | Needs.GRADIENT,
    refuses=head_ablation.refuses,
    compares=compares_runs,
)
def head_ranking(inputs: Inputs, parameters: AblationParameters, reporter: Reporter) -> HeadRanking:
    """Return the results of `head_ablation` and `head_importance`, and the ranks of the heads by both.

    "change", "importance", and the ranks of their sizes from 1, [L, H]; equal ones share a rank.
    """
    ablated = head_ablation(inputs, parameters, reporter)
    chosen = TargetParameters(parameters.target, parameters.position, parameters.answer)
    importance = head_importance(inputs, chosen, Callbacks(reporter.check)).of("importance")
    change = ablated.of("change")
    ranks = [average_ranks(-np.abs(each.astype(np.float64)).reshape(-1)) for each in (change, importance)]
    agreement = float(correlations(np.array(ranks))[0, 1])
    by_rank = [rank.reshape(change.shape).astype(np.float32) for rank in ranks]
    n_heads = change.size
    rank_of = Quantity("", 1, n_heads)
    return HeadRanking(
        (
            Scalar("change", Quantity("")),
            Scalar("importance", Quantity("", 0)),
            Scalar("rank by change", rank_of),
            Scalar("rank by importance", rank_of),
        ),
        np.array([change, importance, *by_rank], np.float32),
        outcome=ablated.outcome,
        flavour=parameters.flavour,
        agreement=agreement,
    )
