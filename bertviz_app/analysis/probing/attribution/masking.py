"""How the outcome changes when tokens are masked: occlusion, and Shapley values by sampling."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated

import numpy as np
from numpy.typing import NDArray

from bertviz_app.analysis.axes import Quantity
from bertviz_app.analysis.entry import Inputs, Needs, analysis
from bertviz_app.analysis.parameters import Range
from bertviz_app.analysis.probing.attribution.targets import Target, TargetParameters, compares_runs
from bertviz_app.analysis.probing.passes import batches
from bertviz_app.analysis.reporter import Reporter
from bertviz_app.analysis.results import TokenScalars
from bertviz_app.errors import AnalysisError, Message
from bertviz_app.trace import Trace
from bertviz_app.types import Doubles

if TYPE_CHECKING:
    from bertviz_app.analysis.model_access import ModelAccess


@dataclass(frozen=True)
class ShapleyParameters(TargetParameters):
    """`pairs`: how many random orders are drawn, each followed by its reverse; `seed` chooses them."""

    pairs: Annotated[int, Range(2, 1000), Message("Pairs of random orders")] = 6
    seed: Annotated[int, Range(0, 2**31), Message("Seed of the random orders")] = 0


class MaskedInputs:
    """The text with any of its tokens replaced by the mask token; special tokens stay."""

    def __init__(self, trace: Trace, model: ModelAccess) -> None:
        number = model.mask_id if model.mask_id is not None else model.pad_id
        if number is None:
            message = Message("The vocabulary of this checkpoint has neither a mask nor a padding token.")
            raise AnalysisError(message, Message("Choose an attribution by gradients."))
        self._tokens, self._number = trace.tokens, number
        self.positions: NDArray[np.intp] = np.flatnonzero(~trace.tokens.is_special)
        if not len(self.positions):
            message = Message("This text has special tokens only.")
            raise AnalysisError(message, Message("Write a word."))

    def outcomes(self, target: Target, hidden: NDArray[np.bool_], reporter: Reporter) -> Doubles:
        """Return the outcome [N] of each of N variants; in `hidden` [N, positions] True is masked.

        Checks the reporter before each forward pass.
        """
        found = np.empty(len(hidden))
        for some in batches(len(hidden), len(self._tokens)):
            reporter.check()
            variants = []
            for row in hidden[some.start : some.stop]:
                ids = self._tokens.ids.copy()
                ids[self.positions[row]] = self._number
                variants.append(replace(self._tokens, ids=ids))
            found[some.start : some.stop] = target.of(variants)
        return found


@analysis(
    key="occlusion",
    title=Message("Occlusion"),
    summary=Message("By how much the chosen outcome falls when a token is replaced by the mask token."),
    limits=Message("Tokens that can stand in for each other each seem to matter little."),
    paper="Li et al. 2016, arXiv:1612.08220",
    needs=Needs.MODEL,
    compares=compares_runs,
)
def occlusion(inputs: Inputs, parameters: TargetParameters, reporter: Reporter) -> TokenScalars:
    """Return by how much the outcome falls when each token is replaced by the mask token, one at a time.

    [T], in the unit of the outcome; 0 for special tokens, which are not replaced. Below 0 where the outcome
    rises without the token.

    After Zeiler & Fergus 2014, arXiv:1311.2901, section 4.2.
    """
    target = Target(inputs, parameters)
    masked = MaskedInputs(inputs.trace, inputs.opened)
    variants = np.vstack([np.zeros(len(masked.positions), bool), np.eye(len(masked.positions), dtype=bool)])
    outcomes = masked.outcomes(target, variants, reporter)
    found = np.zeros(inputs.trace.n_tokens, np.float32)
    found[masked.positions] = outcomes[0] - outcomes[1:]
    reporter.progress(1)
    return TokenScalars(inputs.trace.tokens.pieces, found, Quantity(""))


@analysis(
    key="shapley",
    title=Message("Shapley values"),
    summary=Message(
        "What each token adds to the chosen outcome, averaged over random orders of showing the tokens."
    ),
    limits=Message(
        "It is an estimate, with a standard error; masked texts are unlike those of the training."
    ),
    paper="Lundberg & Lee 2017, arXiv:1705.07874; Strumbelj & Kononenko 2014",
    needs=Needs.MODEL,
    compares=compares_runs,
)
def shapley(inputs: Inputs, parameters: ShapleyParameters, reporter: Reporter) -> TokenScalars:
    """Return the Shapley value of each token, by sampling, with its standard error.

    Tokens are shown one after the other in a random order, the others being masked; a token's value is the
    mean over orders of what the outcome gains when it is shown. Each order is followed by its reverse, which
    makes the estimate more exact. The values add up to the outcome less that with all tokens masked: how far
    they are off is the `identity_error`.

    [T], in the unit of the outcome; 0 for special tokens, which are always shown. `standard_errors` are of
    the mean over pairs of orders.

    Reversed orders are those of Mitchell et al. 2022, arXiv:2104.12199.
    """
    target = Target(inputs, parameters)
    masked = MaskedInputs(inputs.trace, inputs.opened)
    n_positions = len(masked.positions)
    ends = masked.outcomes(target, np.array([[False] * n_positions, [True] * n_positions]), reporter)
    gains = np.zeros((parameters.pairs, n_positions))
    for at, order in enumerate(_orders(n_positions, parameters)):
        gains[at] = (
            _gains(masked, target, order, ends, reporter)
            + _gains(masked, target, order[::-1], ends, reporter)
        ) / 2
        reporter.progress((at + 1) / parameters.pairs)
    tokens = inputs.trace.tokens.pieces
    found, errors = np.zeros(len(tokens), np.float32), np.zeros(len(tokens), np.float32)
    mean = gains.mean(0)
    found[masked.positions] = mean
    errors[masked.positions] = gains.std(0, ddof=1) / np.sqrt(parameters.pairs)
    error = abs(float(mean.sum() - (ends[0] - ends[1])))
    return TokenScalars(tokens, found, Quantity(""), identity_error=error, standard_errors=errors)


def _orders(n_positions: int, parameters: ShapleyParameters) -> Iterator[NDArray[np.intp]]:
    """Yield random orders [n_positions] of the positions, the same for the same seed."""
    random = np.random.default_rng(parameters.seed)
    for _ in range(parameters.pairs):
        yield random.permutation(n_positions)


def _gains(
    masked: MaskedInputs, target: Target, order: NDArray[np.intp], ends: Doubles, reporter: Reporter
) -> Doubles:
    """Return what each token adds [positions] when they are shown in `order`.

    `ends`: the outcomes with all shown and with all masked.
    """
    n_positions = len(order)
    rank = np.empty(n_positions, np.intp)
    rank[order] = np.arange(n_positions)
    shown = np.arange(1, n_positions)[:, None]  # so many are shown
    between = masked.outcomes(target, rank >= shown, reporter)
    outcomes = np.concatenate([ends[1:], between, ends[:1]])
    found = np.empty(n_positions)
    found[order] = np.diff(outcomes)
    return found
