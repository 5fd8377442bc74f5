"""Why two texts are similar: what each pair of tokens adds to the cosine of their sentence vectors."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

import numpy as np

from bertviz_app.analysis.axes import Quantity
from bertviz_app.analysis.entry import Inputs, Needs, analysis
from bertviz_app.analysis.parameters import NoParameters
from bertviz_app.analysis.probing.attribution.targets import same_heads, vector_of
from bertviz_app.analysis.probing.decomposition.chained import refuse_whole_layers
from bertviz_app.analysis.probing.decomposition.decompx import decompositions
from bertviz_app.analysis.reporter import Reporter
from bertviz_app.analysis.results import RunMatrix
from bertviz_app.errors import Message
from bertviz_app.trace import Trace
from bertviz_app.types import Doubles

if TYPE_CHECKING:
    from bertviz_app.analysis.model_access import ModelAccess


@analysis(
    key="similarity-pairs",
    title=Message("Similarity by pairs of tokens"),
    summary=Message(
        "What each pair of tokens adds to the cosine of the two sentence vectors; all pairs add up to it."
    ),
    limits=Message(
        "The sum is exact, but the split is not the only one: it depends on how biases are divided."
    ),
    paper="Modarressi et al. 2023, arXiv:2306.02873, for the parts",
    needs=Needs.MODEL | Needs.SECOND_RUN,
    refuses=refuse_whole_layers,
)
def similarity_pairs(inputs: Inputs, parameters: NoParameters, reporter: Reporter) -> RunMatrix:
    """Return what each pair of tokens of runs A and B adds to the cosine of their sentence vectors.

    A sentence vector is a weighted sum of the last hidden states, and each of these by `decompositions` the
    sum of one part for each input token: so it is the sum of a part D_k of each input token k, and cos(a, b)
    = sum over k and m of <D_k, D_m> / (|a| |b|). How far the sum is off is the `identity_error`. Which
    pooling declares the checkpoint: that; without any, the mean over all tokens.

    [1, N, M]: rows are tokens of run A, columns those of run B; the sum of all is the cosine.

    Raises AnalysisError for runs of different checkpoints, and for a pooling that is no weighted sum.

    The sum over pairs is ours. Vasileiou & Eberle 2024, arXiv:2405.06604, and Moeller et al. 2023,
    arXiv:2310.05703, split the similarity by other rules.
    """
    trace, other, model = inputs.trace, same_heads(inputs.trace, inputs.second), inputs.opened
    parts = []
    for run in (trace, other):
        reporter.check()
        parts.append(_parts(run, model, reporter))
        reporter.check()
    vectors = [vector_of(model, run) for run in (trace, other)]
    lengths = np.prod([np.linalg.norm(vector) for vector in vectors])
    products = parts[0] @ parts[1].T / lengths
    cosine = vectors[0] @ vectors[1] / lengths
    found = products.astype(np.float32)
    reporter.progress(1)
    return RunMatrix.dense(
        found[None],
        trace.tokens.pieces,
        other.tokens.pieces,
        Quantity(""),
        abs(float(products.sum() - cosine)),
    )


def _parts(trace: Trace, model: ModelAccess, reporter: Reporter) -> Doubles:
    """Return the part of the sentence vector [T, D] that each input token has."""
    (last,) = deque(decompositions(trace, model, reporter), maxlen=1)
    found: Doubles = np.zeros(last.shape[1:])
    for share, parts in zip(model.pooling_shares(trace).tolist(), last, strict=True):
        reporter.check()
        found += share * parts
    return found
