"""Attributions of an outcome to tokens: by gradients, AttnLRP, masking and Shapley values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Self

import numpy as np

from bertviz_app.analysis.compare import Alignment, refuse_large, too_large
from bertviz_app.analysis.entry import Inputs, ModelAccess, Needs, analysis
from bertviz_app.analysis.parameters import Range, Reporter, reported
from bertviz_app.analysis.picture import Quantity
from bertviz_app.analysis.probing.passes import Leaf, Target, TargetParameters, batches, compares_runs
from bertviz_app.analysis.results import TokenScalars
from bertviz_app.errors import AnalysisError, Message
from bertviz_app.trace import Trace
from bertviz_app.trace.form import Capture, Point, Taps
from bertviz_app.types import Bools, Doubles, Indices, Tensor
from bertviz_app.typeset import signed
from bertviz_app.values import dataclass, replace

TOKENS_AT_ONCE = 256
"""So many tokens are in one pass with gradients, which takes more memory than one without."""


_OF_GRADIENTS = Needs.MODEL | Needs.GRADIENT


@dataclass(frozen=True)
class IntegratedParameters(TargetParameters):
    """`steps`: at how many points of the way the gradient is taken (Gauss-Legendre)."""

    steps: Annotated[int, Range(2, 500), Message("Number of points")] = 50


@analysis(
    key="saliency",
    place=("tokens", 1),
    title=Message("Saliency"),
    summary=Message(
        "How fast the chosen outcome changes with each token's embedding: the length of the gradient."
    ),
    limits=Message("It has no sign, and says what a small change does, not what the token itself did."),
    paper="Simonyan et al. 2014, arXiv:1312.6034, section 3",
    needs=_OF_GRADIENTS,
    compares=compares_runs,
)
def saliency(inputs: Inputs, parameters: TargetParameters, reporter: Reporter) -> TokenScalars:
    """Return the length of the gradient of the outcome with respect to each token's embedding, ||dy/de_k||.

    The embedding is the sum of token, segment and position embedding, before the norm.

    [T], 0 or more.

    For words: Li et al. 2016, arXiv:1506.01066.
    """
    gradient = _gradient(inputs, parameters, reporter, Point.EMBEDDING_SUM)
    lengths = np.linalg.norm(gradient, axis=-1).astype(np.float32)
    return TokenScalars(inputs.trace.tokens.pieces, lengths, Quantity("", 0))


def _refuse_norm_of_tokens(trace: Trace) -> AnalysisError | None:
    """Return why there is no such product where the embeddings' norm reads the token embedding alone."""
    if not (trace.form.has_embedding_norm and np.array_equal(trace.token_embeddings, trace.embedding_sum)):
        return None
    message = Message(
        "In this model a norm follows the token embeddings at once, which makes gradient times input "
        "0 for every token."
    )
    return AnalysisError(message, Message("Choose integrated gradients or occlusion."))


@analysis(
    key="gradient-input",
    place=("tokens", 2),
    title=Message("Gradient times input"),
    summary=Message("Each token's embedding times the gradient of the chosen outcome."),
    limits=Message("It is exact for a linear model only: here it often disagrees with occlusion."),
    paper="Shrikumar et al. 2017, arXiv:1605.01713",
    needs=_OF_GRADIENTS,
    refuses_trace=_refuse_norm_of_tokens,
    compares=compares_runs,
)
def gradient_input(inputs: Inputs, parameters: TargetParameters, reporter: Reporter) -> TokenScalars:
    """Return each token's row of the embedding table times the gradient with respect to it, w_k . dy/dw_k.

    Of the token embedding alone, without position and segment: for the sum of the three, which is the input
    of a norm, the product is 0 for every token, since a norm ignores the length of its input.

    It is refused where the token embedding goes into that norm alone.

    [T]; may be below 0.

    For texts: Denil et al. 2014, arXiv:1412.6815.
    """
    gradient = _gradient(inputs, parameters, reporter, Point.TOKEN_EMBEDDINGS)
    found = (inputs.trace.token_embeddings * gradient).sum(-1).astype(np.float32)
    return TokenScalars(inputs.trace.tokens.pieces, found, Quantity(""))


@analysis(
    key="integrated-gradients",
    place=("tokens", 3),
    title=Message("Integrated gradients"),
    summary=Message(
        "What each token adds to the chosen outcome on the straight way from a text of padding to this one."
    ),
    limits=Message("The values depend on the baseline, and the points on the way are no texts."),
    paper="Sundararajan et al. 2017, arXiv:1703.01365, section 3",
    needs=_OF_GRADIENTS,
    compares=compares_runs,
)
def integrated_gradients(
    inputs: Inputs, parameters: IntegratedParameters, reporter: Reporter
) -> TokenScalars:
    """Return (e_k - b_k) . the mean of the gradient on the straight way from the baseline b to e.

    The baseline has the embedding of the padding token in the place of each token that is not special;
    positions, segments and special tokens stay. Without a padding token it is the mask token's. The values
    add up to the outcome less that of the baseline: how far they are off is the `identity_error`.

    [T], in the unit of the outcome, may be below 0.
    """
    import torch

    trace = inputs.trace
    target = Target(inputs, parameters)
    start, end = _baseline(inputs), torch.from_numpy(trace.embedding_sum.copy())
    points, weights = np.polynomial.legendre.leggauss(parameters.steps)
    points, weights = (points + 1) / 2, weights / 2
    mean = torch.zeros_like(end, dtype=torch.float64)
    for steps in batches(len(points), trace.n_tokens, TOKENS_AT_ONCE):
        reporter.check()
        some = torch.from_numpy(points[steps.start : steps.stop]).float()[:, None, None]
        leaf = Leaf(Point.EMBEDDING_SUM, start + some * (end - start))
        output = target.model.forward([trace.tokens] * len(some), leaf, grad=True)
        (gradient,) = torch.autograd.grad(target.values(output, grad=True).sum(), leaf.leaf)
        share = torch.from_numpy(weights[steps.start : steps.stop])[:, None, None]
        mean += (gradient.cpu().double() * share).sum(0)
        reporter.progress(steps.stop / len(points))
    found = ((end - start).double() * mean).sum(-1).numpy()
    ends = [
        float(target.of([inputs.trace.tokens], Leaf(Point.EMBEDDING_SUM, values[None]))[0])
        for values in (end, start)
    ]
    error = abs(float(found.sum() - (ends[0] - ends[1])))
    return TokenScalars(trace.tokens.pieces, found.astype(np.float32), Quantity(""), identity_error=error)


@analysis(
    key="chefer",
    place=("tokens", 4),
    title=Message("Relevance by attention gradients"),
    summary=Message(
        "The share of each token in the chosen outcome, by attention weights times their gradients."
    ),
    limits=Message(
        "Weights that speak against the outcome are left out, and so are feed-forward parts and norms."
    ),
    paper="Chefer et al. 2021, arXiv:2103.15679, section 3.1",
    needs=_OF_GRADIENTS | Needs.OWN_STATES | Needs.ALL_HEADS,
    refuses_trace=lambda trace: too_large(trace, bytes_of_weights(trace, 2)),  # and their gradients
    compares=compares_runs,
)
def chefer(inputs: Inputs, parameters: TargetParameters, reporter: Reporter) -> TokenScalars:
    """Return the relevance of each token by attention weights times their gradients, layer after layer.

    With A_l the weights of layer l and y the outcome, C_l = mean over heads of max(0, dy/dA_l * A_l), and R_l
    = R_{l-1} + C_l R_{l-1} from R the identity. The relevance is the mean of the rows of R less the identity
    of those tokens whose last vectors the outcome depends on, divided by its sum.

    [T], shares from 0 to 1 that sum to 1; all 0 if no weight raises the outcome. The `identity_error` is how
    far the sum is off.
    """
    import torch

    trace = inputs.trace
    refuse_large(trace, bytes_of_weights(trace, 2))
    capture = Capture({Point.WEIGHTS})
    leaf = Leaf(Point.EMBEDDING_SUM)
    target = Target(inputs, parameters)
    output = target.model.forward([trace.tokens], Taps(leaf, capture), grad=True)
    value = target.values(output, grad=True).sum()
    weights = [capture.tensors[Point.WEIGHTS, layer] for layer in range(trace.n_layers)]
    reporter.check()
    gradients = torch.autograd.grad(value, weights, allow_unused=True)
    relevance = np.eye(trace.n_tokens)
    for weight, gradient in reported([*zip(weights, gradients, strict=True)], reporter):
        if gradient is not None:
            of_layer = (weight * gradient).clamp(min=0)[0].mean(0).detach().cpu().double().numpy()
            relevance += of_layer @ relevance
    found = (relevance - np.eye(trace.n_tokens))[target.rows(reporter)].mean(0)
    total = found.sum()
    shares = (found / total if total > 0 else found).astype(np.float32)
    error = abs(float(shares.sum(dtype=np.float64)) - 1) if total > 0 else 0.0
    return TokenScalars(trace.tokens.pieces, shares, Quantity("weight", 0, 1), identity_error=error)


@dataclass(frozen=True, eq=False, kw_only=True)
class TokenRelevance(TokenScalars):
    """The relevance of each token [T]; `absorbed` is what biases and the softmax keep of the `outcome`."""

    outcome: float | None = None
    absorbed: float | None = None

    def findings(self) -> tuple[str, ...]:
        if self.outcome is None or self.absorbed is None:
            return ()
        parts = float(self.values.sum(dtype=np.float64)), self.absorbed, self.outcome
        return (
            Message("tokens {0}, biases and softmax {1}, outcome {2}", *(signed(part, 3) for part in parts)),
        )

    def minus(self, other: Self, alignment: Alignment) -> Self:
        """Return the differences of aligned tokens; they are parts of no outcome."""
        return replace(super().minus(other, alignment), outcome=None, absorbed=None)


_OF_EACH_WEIGHT = 6  # numbers: the weight, its scores and the gradients of both


@analysis(
    key="attn-lrp",
    place=("tokens", 5),
    title=Message("AttnLRP"),
    summary=Message(
        "What each token adds to the chosen outcome, passed back from it operation by operation: layer-wise "
        "relevance propagation with rules for attention."
    ),
    limits=Message(
        "Biases and the softmax keep a part of the outcome, which is given, so the tokens alone do not add "
        "up to it; the halves of a product are a convention. The epsilon of the rule for dense layers is 0."
    ),
    paper="Achtibat et al. 2024, arXiv:2402.05602, section 3",
    needs=Needs.MODEL | Needs.GRADIENT | Needs.OWN_STATES,
    refuses_trace=lambda trace: too_large(trace, bytes_of_weights(trace, _OF_EACH_WEIGHT)),
    compares=compares_runs,
)
def attn_lrp(inputs: Inputs, parameters: TargetParameters, reporter: Reporter) -> TokenRelevance:
    """Return the relevance of each token for the outcome, by the rules of AttnLRP.

    The relevance of a number is the number times a gradient that these rules have changed: an activation
    passes on y / x; a norm divides by a number of this run; of a product of two tensors, such as queries and
    keys or weights and values, each gets one half; dense layers and the softmax have their own gradient. The
    relevance of a token is that of its embedding, the sum of token, segment and position, before the norm.

    With what biases and the softmax absorb, the tokens add up to the outcome: how far they are off, as a
    share of the largest of the outcome, the relevances and 1, is the `identity_error`.

    [T], in the unit of the outcome; may be below 0. Raises AnalysisError for a model with an operation that
    has no rule.

    Layer-wise relevance propagation is that of Bach et al. 2015, doi:10.1371/journal.pone.0130140.
    """
    import torch

    from bertviz_app.features.methods._relevance_rules import Rules  # loads torch

    trace, target = inputs.trace, Target(inputs, parameters)
    refuse_large(trace, bytes_of_weights(trace, _OF_EACH_WEIGHT))
    rules, leaf = Rules(), Leaf(Point.EMBEDDING_SUM)
    # With the weights wanted attention is computed by operations that have rules, not by a fused kernel.
    taps = Taps(leaf, Capture({Point.WEIGHTS}))
    with rules:
        value = target.values(target.model.forward([trace.tokens], taps, grad=True), grad=True).sum()
    reporter.check()
    reporter.progress(0.5)
    (gradient,) = torch.autograd.grad(value, leaf.leaf)
    relevance = (gradient.double() * leaf.leaf.detach().double())[0].sum(-1).cpu().numpy()
    reporter.progress(1)
    outcome = float(value.detach())
    error = abs(float(relevance.sum()) + rules.absorbed - outcome)
    return TokenRelevance(
        trace.tokens.pieces,
        relevance.astype(np.float32),
        Quantity(""),
        identity_error=error / max(1.0, abs(outcome), float(np.abs(relevance).max())),
        outcome=outcome,
        absorbed=rules.absorbed,
    )


def bytes_of_weights(trace: Trace, n_each: int) -> int:
    """Return how much memory so many numbers for each weight take."""
    return n_each * 4 * trace.n_layers * trace.n_heads * trace.n_tokens**2


def _gradient(inputs: Inputs, parameters: TargetParameters, reporter: Reporter, point: Point) -> Doubles:
    """Return [T, W], the gradient of the outcome with respect to the embeddings at a point."""
    import torch

    target, leaf = Target(inputs, parameters), Leaf(point)
    value = target.values(target.model.forward([inputs.trace.tokens], leaf, grad=True), grad=True).sum()
    reporter.check()
    (gradient,) = torch.autograd.grad(value, leaf.leaf)
    reporter.progress(1)
    return gradient[0].cpu().double().numpy()


def _baseline(inputs: Inputs) -> Tensor:
    """Return the embeddings' sum [T, W] of a text of nothing but padding between its special tokens."""
    model, tokens = inputs.opened, inputs.trace.tokens
    number = model.pad_id if model.pad_id is not None else model.mask_id
    if number is None:
        message = Message("The vocabulary of this checkpoint has neither a mask nor a padding token.")
        raise AnalysisError(message, Message("Choose saliency, or gradient times input."))
    ids = np.where(tokens.is_special, tokens.ids, np.int32(number))
    capture = Capture({Point.EMBEDDING_SUM})
    model.forward([replace(tokens, ids=ids)], capture)
    return capture.tensors[Point.EMBEDDING_SUM, 0][0].cpu()


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
        self.positions: Indices = np.flatnonzero(~trace.tokens.is_special)
        if not len(self.positions):
            message = Message("This text has special tokens only.")
            raise AnalysisError(message, Message("Write a word."))

    def outcomes(self, target: Target, hidden: Bools, reporter: Reporter) -> Doubles:
        """Return the outcome [N] of each of N variants; in `hidden` [N, positions] True is masked.

        Checks the reporter before each forward pass.
        """
        found, is_masked = np.empty(len(hidden)), np.zeros((len(hidden), len(self._tokens)), bool)
        is_masked[:, self.positions] = hidden
        for some in batches(len(hidden), len(self._tokens)):
            reporter.check()
            ids = np.where(is_masked[some.start : some.stop], np.int32(self._number), self._tokens.ids)
            found[some.start : some.stop] = target.of([replace(self._tokens, ids=own) for own in ids])
        return found


@analysis(
    key="occlusion",
    place=("tokens", 6),
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
    return TokenScalars(inputs.trace.tokens.pieces, found, Quantity("", noise=target.noise))


@analysis(
    key="shapley",
    place=("tokens", 7),
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
    the mean over pairs of orders; nan for a token that was shown after the same tokens in all of them, as
    where it is first or last in every order: such orders do not say how far others are off.

    Reversed orders are those of Mitchell et al. 2022, arXiv:2104.12199.
    """
    target = Target(inputs, parameters)
    masked = MaskedInputs(inputs.trace, inputs.opened)
    n_positions = len(masked.positions)
    ends = masked.outcomes(target, np.array([[False] * n_positions, [True] * n_positions]), reporter)
    gains = np.zeros((parameters.pairs, n_positions))
    is_same = np.ones(n_positions, bool)  # that which tokens are shown before is the same in all orders
    first: Bools | None = None
    for at, order in enumerate(_orders(n_positions, parameters)):
        rank = np.argsort(order)
        before = rank < rank[:, None]  # [i, j]: j is shown before i
        first = before if first is None else first
        is_same &= (before == first).all(1) | (first == before.T).all(1)
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
    if n_positions > 2:  # of two tokens a pair of orders is all that there are
        errors[masked.positions[is_same]] = np.nan
    error = abs(float(mean.sum() - (ends[0] - ends[1])))
    quantity = Quantity("", noise=target.noise)
    return TokenScalars(tokens, found, quantity, identity_error=error, standard_errors=errors)


def _orders(n_positions: int, parameters: ShapleyParameters) -> Iterator[Indices]:
    """Yield random orders [n_positions] of the positions, the same for the same seed."""
    random = np.random.default_rng(parameters.seed)
    for _ in range(parameters.pairs):
        yield random.permutation(n_positions)


def _gains(
    masked: MaskedInputs, target: Target, order: Indices, ends: Doubles, reporter: Reporter
) -> Doubles:
    """Return the gain [positions] of each token when they are revealed in `order`.

    `ends`: the outcomes with all shown and with all masked.
    """
    n_positions = len(order)
    rank = np.empty(n_positions, np.intp)
    rank[order] = np.arange(n_positions)
    shown = np.arange(1, n_positions)[:, None]  # so many are shown
    outcomes = np.concatenate([ends[1:], masked.outcomes(target, rank >= shown, reporter), ends[:1]])
    found = np.empty(n_positions)
    found[order] = np.diff(outcomes)
    return found
