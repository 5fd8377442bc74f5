"""Attributions of an outcome to the tokens of the text: by gradients, by masking, by Shapley values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from typing import TYPE_CHECKING, Annotated, Literal, cast, get_args

import numpy as np
from numpy.typing import NDArray

from bertviz_app.analysis.class_labels import ClassLabels
from bertviz_app.analysis.compare import refuse_large, too_large
from bertviz_app.analysis.entry import Inputs, Needs, analysis
from bertviz_app.analysis.parameters import Choice, Index, Range, Reporter
from bertviz_app.analysis.picture import Quantity
from bertviz_app.analysis.predictions import class_names
from bertviz_app.analysis.probing.passes import Leaf, batches, predicted_tokens
from bertviz_app.analysis.results import TokenScalars
from bertviz_app.errors import AnalysisError, Message
from bertviz_app.text import Tokens
from bertviz_app.trace import Trace
from bertviz_app.trace.form import Capture, Point, Tap, Taps
from bertviz_app.types import Doubles, Floats
from bertviz_app.values import dataclass, replace

if TYPE_CHECKING:
    from torch import Tensor

    from bertviz_app.analysis.model_access import ModelAccess, ModelOutput

Kind = Literal["sentence", "pooled", "cosine", "masked", "class", "next-sentence"]
"""The outcomes that may be explained; every model has the first one."""

TARGET_KINDS: tuple[Kind, ...] = get_args(Kind)

Pooling = Literal["declared", "all", "content", "first"]
"""How the tokens' vectors become one: as the checkpoint declares it (the mean, where it declares nothing),
the mean over all tokens, the mean without special tokens, the first token's."""

POOLINGS: tuple[Pooling, ...] = get_args(Pooling)

Layers = Literal["last", "last four"]
"""Which layers' vectors are pooled: those of the last one, or the sums of those of the last four (of all,
where a model has fewer), as in Devlin et al. 2019, section 5.3."""

LAYERS: tuple[Layers, ...] = get_args(Layers)
N_LAST = 4
_UNITS = 32


@dataclass(frozen=True)
class TargetParameters:
    """`target`: which outcome is explained; the others say more of it.

    "sentence" and "pooled": the length of the sentence vector, or the pooled vector, along the direction that
    it has in the run; "cosine": the cosine of the sentence vectors of runs A and B; "masked": the logit of a
    piece at a position, "class": the logit of a class; "next-sentence": the logit for "follows" less the
    other.

    `position`: of "masked", one or several, whose logits are added; None: the first masked token. `answer` is
    a piece, or a class by name or number, see `ClassLabels`; None: the likeliest one. `against`: another
    piece or class, whose logit is taken off: the outcome is then the difference of the two, and what raises
    both alike does not count (Yin & Neubig 2022, arXiv:2202.10419). `pooling` and `layers`: what "sentence"
    and "cosine" are made of.
    """

    target: Annotated[str, Choice(TARGET_KINDS), Message("Outcome to explain")] = "sentence"
    position: Annotated[tuple[int, ...] | None, Index("token"), Message("Positions of predicted tokens")] = (
        None
    )
    answer: Annotated[str | None, Message("Piece or class; empty: the likeliest")] = None
    against: Annotated[str | None, Message("Less that of this piece or class; empty: none")] = None
    pooling: Annotated[str, Choice(POOLINGS), Message("Sentence vector made of")] = "declared"
    layers: Annotated[str, Choice(LAYERS), Message("Layers of the sentence vector")] = "last"


def compares_runs(parameters: TargetParameters) -> bool:
    """Return whether the outcome is one of two runs."""
    return parameters.target == "cosine"


class Target:
    """One outcome of forward passes of the same text, with some of its tokens or vectors changed.

    `model` is what those passes must run: it returns what the outcome is computed from.
    """

    def __init__(self, inputs: Inputs, parameters: TargetParameters) -> None:
        self._inputs, self.trace = inputs, inputs.trace
        self._kind, self._pooling = cast("Kind", parameters.target), parameters.pooling
        self._sums_layers = self._kind in ("sentence", "cosine") and parameters.layers == "last four"
        self.model = inputs.opened.returning_states(N_LAST) if self._sums_layers else inputs.opened
        self._shares: Doubles | None = None
        self._direction: Doubles | None = None
        self._positions: list[int] = []
        self._answers: list[int] = []  # of each position, or of the class
        self._against: int | None = None
        self._size = 1.0
        if self._kind in ("sentence", "pooled", "cosine"):
            self._choose_vector(parameters)
        else:
            self._choose_logit(parameters)

    @property
    def noise(self) -> float:
        """The size below which a difference of two outcomes may be rounding alone.

        That is 32 times the spacing of float32, of the numbers that the outcome is computed from: about
        twice what passes of different sizes were seen to differ by.
        """
        return _UNITS * float(np.finfo(np.float32).eps) * self._size

    def values(self, output: ModelOutput, *, grad: bool = False) -> Tensor:
        """Return the outcome [B] of each of B inputs of the trace's length."""
        import torch

        if self._direction is not None:
            vectors = self._vectors(output)
            direction = torch.from_numpy(self._direction).to(vectors)
            if self._kind == "cosine":
                return torch.nn.functional.cosine_similarity(vectors, direction[None], dim=-1, eps=1e-12)
            return vectors @ direction
        logits = self.model.task_logits(output.hidden, output.seen, self._positions, grad=grad)
        if self._kind == "next-sentence":
            assert logits.next_sentence is not None
            return logits.next_sentence[:, 0] - logits.next_sentence[:, 1]
        found = logits.masked if self._kind == "masked" else logits.classes
        assert found is not None
        rows = found if self._kind == "masked" else found[:, None]  # [B, N, answers]
        values = rows[:, range(len(self._answers)), self._answers]
        if self._against is not None:
            values = values - rows[:, :, self._against]
        return values.sum(-1)

    def of(self, inputs: Sequence[Tokens], tap: Tap | None = None) -> Doubles:
        """Return the outcome [B] of inputs of the trace's length, in one forward pass without gradients."""
        values: Doubles = self.values(self.model.forward(inputs, tap)).detach().cpu().double().numpy()
        return values

    def of_second(self, positions: Mapping[int, int]) -> dict[str, float]:
        """Return the outcome of run B as the fact "outcome_b", nothing where B lacks a predicted token.

        `positions`: of the aligned tokens of run A in run B. A vector of B is measured along the direction of
        A's, a piece or a class is the one that is chosen for A.
        """
        if not {*self._positions} <= {*positions}:
            return {}
        second, trace = copy(self), same_model(self.trace, self._inputs.second)
        second.model = self.model.without_states()
        second._positions = [positions[each] for each in self._positions]  # noqa: SLF001 - a Target, too
        if self._shares is not None:
            second._shares = _shares(self.model, trace, self._pooling)  # noqa: SLF001
        return {"outcome_b": float(second.of([trace.tokens])[0])}

    def rows(self, reporter: Reporter) -> NDArray[np.intp]:
        """Return the tokens [N] whose last vectors the outcome depends on; all where it depends on none."""
        import torch

        last = Leaf(Point.OUTPUT)
        reporter.check()
        output = self.model.forward([self.trace.tokens], last, grad=True)
        (gradient,) = torch.autograd.grad(self.values(output, grad=True).sum(), last.leaf)
        depends = gradient[0].abs().sum(-1).cpu().numpy() > 0
        return np.flatnonzero(depends) if depends.any() else np.arange(self.trace.n_tokens)

    def _vectors(self, output: ModelOutput) -> Tensor:
        """Return the vectors [B, D] that stand for the texts."""
        import torch

        if self._kind == "pooled":
            assert output.pooled is not None
            return output.pooled
        hidden = output.hidden
        if self._sums_layers:
            if not output.states:
                raise ValueError("the outcome is of several layers: run `Target.model`")
            hidden = sum(output.states[-N_LAST:-1], hidden)
        shares = torch.from_numpy(self._shares).to(hidden)
        return torch.einsum("t,btd->bd", shares, hidden)

    def _choose_vector(self, parameters: TargetParameters) -> None:
        """Choose the direction in which the vector is measured, and the tokens that it is made of."""
        vector: Doubles
        if self._kind == "pooled":
            if self.trace.pooled is None:
                raise _missing(Message("This checkpoint has no pooler."))
            vector = self.trace.pooled.astype(np.float64)
        else:
            self._shares = _shares(self.model, self.trace, parameters.pooling)
            inputs = self._inputs
            run = self.trace if self._kind == "sentence" else same_model(inputs.trace, inputs.second)
            first = run.n_layers if parameters.layers == "last" else max(1, run.n_layers + 1 - N_LAST)
            states: Doubles = run.hidden[first:].sum(0, dtype=np.float64)  # [T, D]
            vector = _shares(self.model, run, parameters.pooling) @ states
        length = max(float(np.linalg.norm(vector)), 1e-12)
        self._direction, self._size = vector / length, 1.0 if self._kind == "cosine" else length

    def _choose_logit(self, parameters: TargetParameters) -> None:
        logits = self.model.logits(self.trace, ())
        if self._kind == "next-sentence":
            if logits.next_sentence is None:
                raise _missing(Message("This checkpoint does not predict the next sentence."))
            self._size = _size_of(logits.next_sentence, 2)
            return
        if self._kind == "class":
            if logits.classes is None:
                raise _missing(Message("This checkpoint has no classes."))
            labels = self.model.meaning.labels
            self._answers = [class_number(parameters.answer, logits.classes, labels)]
            self._size = _size_of(logits.classes, 1 + (parameters.against is not None))
            if parameters.against is not None:
                self._against = class_number(parameters.against, logits.classes, labels)
            return
        if "masked" not in self.model.task_heads:
            raise _missing(Message("This checkpoint does not predict masked tokens."))
        self._positions = predicted_tokens(self._inputs, parameters.position)
        if not self._positions:
            message = Message("No token of this text is masked.")
            raise AnalysisError(message, Message("Mask one, or give the position of a token."))
        likeliest = self.model.logits(self.trace, self._positions).masked
        assert likeliest is not None
        chosen, n_logits = parameters.answer, 1 + (parameters.against is not None)
        self._size = _size_of(likeliest, n_logits * len(self._positions))
        self._answers = (
            likeliest.argmax(-1).tolist()
            if chosen is None
            else [self.model.piece_id(chosen)] * len(self._positions)
        )
        if parameters.against is not None:
            self._against = self.model.piece_id(parameters.against)


def _size_of(logits: Floats, n_logits: int) -> float:
    """Return the size of the numbers that `n_logits` logits are sums of: of small ones, too, 1 or more."""
    return n_logits * max(1.0, float(np.abs(logits).max()))


def _shares(model: ModelAccess, trace: Trace, pooling: str) -> Doubles:
    """Return the shares [T] with which the vector of a text adds up those of its tokens."""
    if pooling == "declared":
        return model.pooling_shares(trace)
    chosen = np.ones(trace.n_tokens)
    if pooling == "first":
        chosen[1:] = 0
    elif pooling == "content":
        chosen[trace.tokens.is_special] = 0
    if not chosen.any():
        message = Message("This text has special tokens only.")
        raise AnalysisError(message, Message("Write a word, or choose the mean over all tokens."))
    found: Doubles = chosen / chosen.sum()
    return found


def vector_of(model: ModelAccess, trace: Trace) -> Doubles:
    """Return the sentence vector [D] of a trace before it is divided by its length."""
    found: Doubles = model.pooling_shares(trace) @ trace.hidden[-1].astype(np.float64)
    return found


def same_model(trace: Trace, other: Trace) -> Trace:
    """Return `other`. Raises AnalysisError if another checkpoint made it than made `trace`."""
    if trace.fingerprint != other.fingerprint or trace.hidden.shape[::2] != other.hidden.shape[::2]:
        message = Message("Runs A and B are of different checkpoints, whose vectors cannot be compared.")
        raise AnalysisError(message, Message("Open the same checkpoint in both."))
    return other


def same_heads(trace: Trace, other: Trace) -> Trace:
    """Return `other`, whose text is to go through the model of `trace`, with its interventions on heads.

    Raises AnalysisError where it has others, since the numbers would not be those of run B.
    """
    same_model(trace, other)
    if (trace.muted, trace.heads, trace.cells) != (other.muted, other.heads, other.cells):
        message = Message("Runs A and B have different interventions on heads.")
        raise AnalysisError(message, Message("Make the same in both."))
    return other


def class_number(answer: str | None, logits: Floats, labels: tuple[str, ...]) -> int:
    """Return the number of a class that is given as `ClassLabels` says; None: the largest of `logits` [N]."""
    if answer is None:
        return int(logits.argmax())
    if (number := ClassLabels(class_names(labels, len(logits))).known.get(answer.casefold())) is not None:
        return number
    message = Message("The checkpoint has no class “{0}”.", answer)
    listed = ", ".join(labels or map(str, range(len(logits))))
    raise AnalysisError(message, Message("There are: {0}.", listed))


def _missing(message: Message) -> AnalysisError:
    return AnalysisError(message, Message("Choose another outcome."))


TOKENS_AT_ONCE = 256
"""So many tokens are in one pass with gradients, which takes more memory than one without."""

_OF_GRADIENTS = Needs.MODEL | Needs.GRADIENT


@dataclass(frozen=True)
class IntegratedParameters(TargetParameters):
    """`steps`: at how many points of the way the gradient is taken (Gauss-Legendre)."""

    steps: Annotated[int, Range(2, 500), Message("Number of points")] = 50


@analysis(
    key="saliency",
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
    title=Message("Relevance by attention gradients"),
    summary=Message(
        "The share of each token in the chosen outcome, by attention weights times their gradients."
    ),
    limits=Message(
        "Weights that speak against the outcome are left out, and so are feed-forward parts and norms."
    ),
    paper="Chefer et al. 2021, arXiv:2103.15679, section 3.1",
    needs=_OF_GRADIENTS | Needs.OWN_STATES | Needs.ALL_HEADS,
    refuses_trace=lambda trace: too_large(trace, _bytes_of_weights(trace)),
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
    refuse_large(trace, _bytes_of_weights(trace))
    capture = Capture({Point.WEIGHTS})
    leaf = Leaf(Point.EMBEDDING_SUM)
    target = Target(inputs, parameters)
    output = target.model.forward([trace.tokens], Taps(leaf, capture), grad=True)
    value = target.values(output, grad=True).sum()
    weights = [capture.tensors[Point.WEIGHTS, layer] for layer in range(trace.n_layers)]
    reporter.check()
    gradients = torch.autograd.grad(value, weights, allow_unused=True)
    relevance = np.eye(trace.n_tokens)
    for layer, (weight, gradient) in enumerate(zip(weights, gradients, strict=True)):
        reporter.check()
        if gradient is not None:
            of_layer = (weight * gradient).clamp(min=0)[0].mean(0).detach().cpu().double().numpy()
            relevance += of_layer @ relevance
        reporter.progress((layer + 1) / trace.n_layers)
    found = (relevance - np.eye(trace.n_tokens))[target.rows(reporter)].mean(0)
    total = found.sum()
    shares = (found / total if total > 0 else found).astype(np.float32)
    error = abs(float(shares.sum(dtype=np.float64)) - 1) if total > 0 else 0.0
    return TokenScalars(trace.tokens.pieces, shares, Quantity("weight", 0, 1), identity_error=error)


def _bytes_of_weights(trace: Trace) -> int:
    """Return how much memory the weights and their gradients take."""
    return 2 * 4 * trace.n_layers * trace.n_heads * trace.n_tokens**2


def _gradient(inputs: Inputs, parameters: TargetParameters, reporter: Reporter, point: Point) -> Doubles:
    """Return [T, W], the gradient of the outcome with respect to the embeddings at a point."""
    import torch

    target, leaf = Target(inputs, parameters), Leaf(point)
    output = target.model.forward([inputs.trace.tokens], leaf, grad=True)
    value = target.values(output, grad=True).sum()
    reporter.check()
    (gradient,) = torch.autograd.grad(value, leaf.leaf)
    reporter.progress(1)
    found: Doubles = gradient[0].cpu().double().numpy()
    return found


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
    return TokenScalars(inputs.trace.tokens.pieces, found, Quantity("", noise=target.noise))


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
    first: NDArray[np.bool_] | None = None
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


def _orders(n_positions: int, parameters: ShapleyParameters) -> Iterator[NDArray[np.intp]]:
    """Yield random orders [n_positions] of the positions, the same for the same seed."""
    random = np.random.default_rng(parameters.seed)
    for _ in range(parameters.pairs):
        yield random.permutation(n_positions)


def _gains(
    masked: MaskedInputs, target: Target, order: NDArray[np.intp], ends: Doubles, reporter: Reporter
) -> Doubles:
    """Return the gain [positions] of each token when they are revealed in `order`.

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
