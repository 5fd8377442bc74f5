"""The numbers of the run on screen that the large pictures of lessons draw, each with how it is computed."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from bertviz_app.analysis.pairs import HeadSteps, attention_column, head_steps, pair_numbers
from bertviz_app.analysis.predictions import Filler
from bertviz_app.checkpoint.parameters import LinearProduct
from bertviz_app.errors import AnalysisError, Message
from bertviz_app.features.lessons.course.lesson import Scene, head_of
from bertviz_app.features.lessons.course.tasks import MissingError, QuantityInputs, entropy_of
from bertviz_app.text import Tokens
from bertviz_app.text.edits import MASK, MASKS
from bertviz_app.text.tokens import SPECIAL
from bertviz_app.trace import Trace
from bertviz_app.trace.form import Capture, Point
from bertviz_app.trace.provenance import LayerDetails
from bertviz_app.types import Bytes, Doubles, Floats
from bertviz_app.values import dataclass, replace
from bertviz_app.viewmodels.runs.shown import RunPrediction
from bertviz_app.viewmodels.stages.stage import activation

if TYPE_CHECKING:
    from bertviz_app.analysis.model_access import ModelAccess

_DRAWS = 1000
"""So many pieces are drawn at most until one is a word."""
CHOSEN, BECOME_MASK, BECOME_RANDOM = 0.15, 0.8, 0.1
"""In pre-training: which share of the tokens is to be guessed, and what becomes of which share of these."""
Fate = Literal["mask", "swap", "keep"]
TILE = 48
"""Pixels of the picture of one head, a side."""


@dataclass(frozen=True)
class Guesses:
    """What the model expects at the masked token at `position`: the `likeliest` pieces, and that `written`.

    `written` is None where the text itself has the mask there.
    """

    position: int
    likeliest: tuple[Filler, ...]
    written: Filler | None

    @property
    def loss(self) -> float | None:
        """Minus the natural logarithm of the probability of the written piece; infinite for probability 0."""
        if self.written is None:
            return None
        share = self.written.probability
        return -math.log(share) if share > 0 else math.inf


@dataclass(frozen=True)
class Rolled:
    """What the dice of the pre-training have chosen: the fate of each chosen token, by its position.

    `tokens` are those that the model would read. `counts`: how often each fate came up so far.
    """

    tokens: Tokens
    fates: Mapping[int, Fate]
    counts: Mapping[Fate, int]


def fates_of(candidates: Sequence[int], roll: int) -> dict[int, Fate]:
    """Choose 15 % of the candidates, and what becomes of each, as the pre-training does.

    The same `roll` always gives the same.
    """
    generator = np.random.default_rng(roll)
    chosen = generator.choice(candidates, max(1, round(CHOSEN * len(candidates))), replace=False)
    draws = zip(sorted(chosen.tolist()), generator.random(len(chosen)).tolist(), strict=True)
    return {
        token: "mask" if draw < BECOME_MASK else "swap" if draw < BECOME_MASK + BECOME_RANDOM else "keep"
        for token, draw in draws
    }


def _script(piece: str) -> str:
    """Return the script of a piece by its last letter, such as HANGUL; "" where it ends in a sign."""
    return unicodedata.name(piece[-1], "").partition(" ")[0] if piece[-1:].isalpha() else ""


def rolled(tokens: Tokens, roll: int, n_pieces: int, name: Callable[[int], str]) -> Rolled:
    """Return a roll of the dice for the words of a text.

    A swapped one gets a piece of the vocabulary at random, for the eye one that is a word, in the same
    letters. `name` returns a piece by its number, below `n_pieces`.
    """
    candidates = np.flatnonzero(~tokens.is_special).tolist()
    fates = fates_of(candidates, roll)
    pieces, generator = list(tokens.pieces), np.random.default_rng(roll)
    for token, fate in fates.items():
        if fate == "mask":
            pieces[token] = MASK
        elif fate == "swap":
            draws = (name(number) for number in generator.integers(0, n_pieces, _DRAWS).tolist())
            script = _script(pieces[token]) or "LATIN"
            alike = (each for each in draws if each.isalpha() and _script(each) == script)
            pieces[token] = next(alike, pieces[token])
    so_far = [fate for each in range(roll + 1) for fate in fates_of(candidates, each).values()]
    counts = {fate: so_far.count(fate) for fate in get_args(Fate)}
    return Rolled(replace(tokens, pieces=tuple(pieces)), fates, counts)


@dataclass(frozen=True)
class PairAnswer:
    """What the model answers to two sentences: the `share` with which the second one follows.

    `follows`: whether it does; None of sentences that somebody typed.
    """

    tokens: Tokens
    share: float
    follows: bool | None

    @property
    def is_right(self) -> bool | None:
        """Whether the answer of the model is right, as far as it is known."""
        return None if self.follows is None else (self.share > 0.5) == self.follows


def guesses_of(tokens: Tokens, prediction: RunPrediction | None) -> Guesses | None:
    """Return what is expected at a masked token; None while none is masked, or nothing is expected yet."""
    if prediction is None or prediction.found is None or prediction.tokens is not tokens:
        return None
    found = (each for each in prediction.found.fillings if tokens.pieces[each.position] in MASKS)
    return next((Guesses(each.position, each.fillers, each.written) for each in found), None)


@dataclass(frozen=True, eq=False)
class WeightRow:
    """The weights [T] of a `query` in a head, with the `labels` of the keys; `entropy` in bits."""

    labels: tuple[str, ...]
    weights: Floats
    query: int
    layer: int
    head: int

    @property
    def entropy(self) -> float:
        """How evenly the weights are spread."""
        return entropy_of(self.weights)

    @property
    def largest(self) -> int:
        """The key with the largest weight."""
        return int(self.weights.argmax())


def row_of(trace: Trace, scene: Scene, divisor: float | None = None, query: int | None = None) -> WeightRow:
    """Return the row of the query of a scene, or of another one, in its head. Raises MissingError.

    `divisor` is tried instead of the model's own.
    """
    query = QuantityInputs(trace).find(scene.query) if query is None else query
    if query >= trace.n_tokens:
        raise MissingError(Message("there is no token at position {0}", query))
    layer, head = head_of(scene, trace)
    weights = trace.attention(layer, head, slice(query, query + 1))[0]
    if divisor is not None:
        tried = head_steps(trace, layer, head, query).weights_divided_by(divisor)
        weights = tried.astype(np.float32)
    return WeightRow(trace.tokens.labels, weights, query, layer, head)


@dataclass(frozen=True, eq=False)
class AddedLengths:
    """What each key adds to the query of `row`: its weight times its value, of which `lengths` [T] are."""

    row: WeightRow
    lengths: Floats

    @property
    def added(self) -> Floats:
        """The length [T] of what each key adds."""
        return self.row.weights * self.lengths

    def share(self, key: int) -> float:
        """Return which share of all these lengths a key has."""
        added = self.added.astype(np.float64)
        return float(added[key] / (added.sum() or 1.0))


def added_of(trace: Trace, scene: Scene) -> AddedLengths:
    """Return what each key adds to the query of a scene, else to the last word. Raises MissingError."""
    last = int(np.flatnonzero(~trace.tokens.is_special).max(initial=0))
    row = row_of(trace, scene, query=last if scene.query is None else None)
    return AddedLengths(row, np.linalg.norm(trace.values[row.layer, row.head], axis=-1))


@dataclass(frozen=True, eq=False)
class KeyColumn:
    """The weights [T] with which every token looks at `key` in a head, among them `query`.

    `others` is the mean of those but `query`, see `pair_others`.
    """

    labels: tuple[str, ...]
    weights: Floats
    query: int
    key: int
    layer: int
    head: int
    others: float

    @property
    def weight(self) -> float:
        """That of the query."""
        return float(self.weights[self.query])


def pair_of(trace: Trace, scene: Scene) -> tuple[int, int]:
    """Return the positions of the query and the key of a scene. Raises MissingError."""
    run = QuantityInputs(trace)
    return run.find(scene.query), run.find(scene.key)


def columns_of(trace: Trace, scene: Scene) -> tuple[KeyColumn, ...]:
    """Return the column of the key of a scene in each of its `heads`. Raises MissingError."""
    query, key = pair_of(trace, scene)
    found = []
    for layer, head in scene.heads:
        if layer < trace.n_layers and head in trace.heads_of(layer):
            others = pair_numbers(trace, layer, head, query, key).others or 0.0
            weights = attention_column(trace, layer, head, key)
            found.append(KeyColumn(trace.tokens.labels, weights, query, key, layer, head, others))
    return tuple(found)


@dataclass(frozen=True, eq=False)
class Roles:
    """The query, key and value of a token in all heads of a layer, each [H, E]; `width` D of its vector."""

    token: str
    layer: int
    head: int
    width: int
    vectors: tuple[Floats, Floats, Floats]


def roles_of(trace: Trace, scene: Scene) -> Roles:
    """Return the three vectors of the query of a scene. Raises MissingError."""
    token, (layer, head) = QuantityInputs(trace).find(scene.query), head_of(scene, trace)
    queries, keys, values = (each[layer, :, token] for each in (trace.queries, trace.keys, trace.values))
    return Roles(trace.tokens.labels[token], layer, head, trace.width, (queries, keys, values))


def steps_of(trace: Trace, scene: Scene) -> HeadSteps:
    """Return the steps from the query of a scene to what its head gathers for it. Raises MissingError."""
    return head_steps(trace, *head_of(scene, trace), QuantityInputs(trace).find(scene.query))


@dataclass(frozen=True, eq=False)
class BothWays:
    """The weights [T, T] of a head, of which those of two tokens are compared, in both directions."""

    labels: tuple[str, ...]
    weights: Floats
    cells: tuple[tuple[int, int], tuple[int, int]]


def both_ways_of(trace: Trace, scene: Scene) -> BothWays:
    """Return the weights of the query and the key of a scene on each other. Raises MissingError."""
    query, key = pair_of(trace, scene)
    weights = trace.attention(*head_of(scene, trace))
    return BothWays(trace.tokens.labels, weights, ((query, key), (key, query)))


@dataclass(frozen=True, eq=False)
class SameWord:
    """Two tokens of the same word: what each has at the three `stages` [2, D] from its row to the norm."""

    label: str
    positions: tuple[int, int]
    stages: tuple[Floats, Floats, Floats]


def same_word_of(trace: Trace, scene: Scene) -> SameWord:
    """Return the vectors of the query and the key of a scene. Raises MissingError."""
    run, tokens = QuantityInputs(trace), trace.tokens
    pair = [run.find(scene.query), run.find(scene.key)]
    stages = trace.token_embeddings[pair], trace.embedding_sum[pair], trace.hidden[0][pair]
    first, second = (int(tokens.position_ids[at]) for at in pair)
    return SameWord(tokens.labels[pair[0]], (first, second), stages)


def aligned(before: Sequence[str], now: Sequence[str]) -> tuple[int | None, ...]:
    """Return for each token of `now` the one of `before` at the same place, None where there is none.

    Where the two have different lengths, the tokens that both begin and both end with belong together.
    """
    first = next((at for at, pair in enumerate(zip(before, now, strict=False)) if pair[0] != pair[1]), None)
    if len(before) == len(now) or first is None:
        return tuple(at if at < len(before) else None for at in range(len(now)))
    pairs = zip(reversed(before), reversed(now), strict=False)
    last = next((at for at, (one, other) in enumerate(pairs) if one != other), 0)
    last = min(last, len(now) - first, len(before) - first)
    moved = len(before) - len(now)
    rest = len(now) - last
    return tuple(at if at < first else at + moved if at >= rest else None for at in range(len(now)))


def moved_weight(before: Trace, now: Trace) -> Floats:
    """Return [L, H]: the share of its weight that each head has moved to other keys, as a mean of its rows.

    It is half of the sum of the absolute differences of a row, 0 where nothing changed and 1 where no key
    keeps any weight. Both runs must have the same tokens and heads.
    """
    shares = np.zeros((now.n_layers, now.n_heads), np.float32)
    for layer in range(now.n_layers):
        for head in range(now.n_heads):
            difference = np.abs(now.attention(layer, head) - before.attention(layer, head))
            shares[layer, head] = float(difference.sum(-1).mean()) / 2
    return shares


@dataclass(frozen=True, eq=False)
class Heads:
    """Levels of colour of all heads before and now, uint8 [L, H, TILE, TILE]; what has changed.

    `moved` [L, H]: the share of its weight that each has moved. `muted`: the heads whose output is zero now.
    """

    before: Bytes
    now: Bytes
    moved: Floats
    muted: tuple[tuple[int, int], ...]


@dataclass(frozen=True, eq=False)
class Spread:
    """How many scores lie in each part between two `edges` [N + 1], before the division and after it.

    `deviations` are the standard deviations of both.
    """

    edges: Doubles
    products: Doubles
    scores: Doubles
    deviations: tuple[float, float]
    divisor: float


def spread_of(trace: Trace) -> Spread:
    """Return how far the products of queries and keys of all heads spread, and after the division."""
    products = np.concatenate(
        [trace.scores(layer, scaled=False).ravel() for layer in range(trace.n_layers)]
    ).astype(np.float64)
    scores = products * trace.scale
    largest = float(np.quantile(np.abs(products), 0.995)) or 1.0
    edges = np.linspace(-largest, largest, 62)
    counts = [np.histogram(values, edges)[0].astype(np.float64) for values in (products, scores)]
    deviations = float(products.std()), float(scores.std())
    return Spread(edges, counts[0], counts[1], deviations, 1 / trace.scale)


@dataclass(frozen=True, eq=False)
class PickedRow:
    """Some rows of a table of embeddings around the one that a token picks.

    `numbers` [R, D]: rows `first`, `first` + 1, ... of `n_rows`; `pieces` are theirs, "" in a table of other
    rows than tokens. `row` is the one that is picked, by the tokens at `positions`.
    """

    numbers: Floats
    first: int
    n_rows: int
    pieces: tuple[str, ...]
    row: int
    positions: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class HeadProduct:
    """A token's vector times the columns of a matrix that one head has, one of them in full.

    `grid` [in, E]: these columns; `results` [E]: what they give, with the bias; `column` is the one of
    `product`, `first` the first of them in the whole matrix.
    """

    token: str
    grid: Floats
    results: Floats
    product: LinearProduct
    first: int

    @property
    def column(self) -> int:
        """Which column of the grid the product is of."""
        return self.product.output - self.first


FIRST_SHARE = 0.1
"""What BERT was trained with (Devlin et al. 2019, arXiv:1810.04805, appendix A.2)."""


@dataclass(frozen=True, eq=False)
class Dropped:
    """The last vector [D] of a `token`, the factors of dropout [D], and the `share` that is dropped."""

    token: str
    vector: Floats
    factors: Floats
    share: float

    @property
    def result(self) -> Floats:
        """What is passed on: zeros, and the rest a little larger."""
        return self.vector * self.factors

    @property
    def n_dropped(self) -> int:
        """How many numbers are zero now."""
        return int((self.factors == 0).sum())


def dropped(trace: Trace, token: int, share: float, seed: int) -> Dropped:
    """Return what dropout makes of the last vector of a token: 0 for about `share`, the rest / (1 - share).

    Srivastava et al. 2014, Journal of Machine Learning Research 15, section 4. The draw depends on `seed`
    alone, so that with a larger share the same numbers and some more are dropped.
    """
    vector = np.asarray(trace.hidden[-1][token], np.float32)
    draws = np.random.default_rng(seed).random(len(vector), np.float32)
    factors = ((draws >= share) / (1 - share)).astype(np.float32)
    return Dropped(trace.tokens.labels[token], vector, factors, share)


STRONGEST = 8
"""So many detectors of a token are shown."""


@dataclass(frozen=True, eq=False)
class Strip:
    """The `numbers` [N] of a vector behind its `label`; with a `value`, that as a bar and a number.

    `origin`: the strip of the same picture that it comes out of. `letter`: the matrix or function on the way
    there, "" for none.
    """

    label: str
    numbers: Floats
    value: float | None = None
    origin: int | None = None
    letter: str = ""
    is_highlighted: bool = False
    is_faded: bool = False


@dataclass(frozen=True, eq=False)
class Detector:
    """One number of the widened vector of a layer: its weights [D], and what it is for each token [T]."""

    number: int
    n_detectors: int
    weights: Floats
    bias: float
    token: str
    strips: tuple[Strip, ...]


def detectors_of(details: LayerDetails, token: int) -> tuple[int, ...]:
    """Return the detectors, first the one that the token fires most above what any other token does."""
    fired = np.maximum(details.expanded, 0.0)
    others = np.delete(fired, token, 0)
    apart = fired[token] - (others.max(0) if len(others) else 0.0)
    return tuple(np.argsort(-apart, kind="stable").tolist())


def detector(trace: Trace, details: LayerDetails, weights: Floats, token: int, place: int) -> Detector:
    """Return the detector at a `place` of `detectors_of`; `weights` [F, D] are those of the first matrix."""
    order = detectors_of(details, token)
    number = order[place % len(order)]
    found = details.expanded[:, number]
    bias = float(found[token] - details.attention_norm[token] @ weights[number])
    strips = tuple(
        Strip(label, details.attention_norm[at], float(found[at]), is_highlighted=found[at] > 0)
        for at, label in enumerate(trace.tokens.labels)
    )
    return Detector(number, len(order), weights[number], bias, trace.tokens.labels[token], strips)


@dataclass(frozen=True, eq=False)
class Bent:
    """The numbers [F] of a token that go into the activation of a layer's feed-forward part, and come out.

    `activation`: its name in papers.
    """

    token: str
    activation: str
    given: Floats
    made: Floats


def bent(trace: Trace, details: LayerDetails, token: int) -> Bent:
    """Return what the activation makes of a token."""
    name = activation(details.activation).name
    return Bent(trace.tokens.labels[token], name, details.expanded[token], details.active[token])


@dataclass(frozen=True, eq=False)
class Narrowed:
    """What the strongest detectors of a token add to it; the last of the strips is the sum of all of them.

    `share`: how much of the length of the sum the strongest have alone.
    """

    token: str
    n_detectors: int
    n_active: int
    strips: tuple[Strip, ...]


def narrowed(trace: Trace, details: LayerDetails, weights: Floats, token: int) -> Narrowed:
    """Return what comes back from the detectors of a token; `weights` [D, F] are those of the second matrix.

    Active is a detector whose number is above a tenth.
    """
    active = details.active[token]
    added = active * np.linalg.norm(weights, axis=0)
    order = np.argsort(-np.abs(added), kind="stable")[:STRONGEST]
    strips = [
        Strip(str(number), weights[:, number] * active[number], abs(float(added[number])))
        for number in order.tolist()
    ]
    whole = Strip("Σ", details.contracted[token], is_highlighted=True)
    n_active = int((active > 0.1).sum())
    return Narrowed(trace.tokens.labels[token], len(active), n_active, (*strips, whole))


@dataclass(frozen=True, eq=False)
class Pooling:
    """The last hidden states [T, D] of a text, the one that is taken out, and what the pooler makes of it.

    `dense` [D] goes into tanh, `pooled` [D] comes out; both None where only the taking is shown.
    """

    labels: tuple[str, ...]
    states: Floats
    dense: Floats | None = None
    pooled: Floats | None = None


def pooling(trace: Trace, details: LayerDetails | None) -> Pooling:
    """Return what happens to the first of the last hidden states; `details` are those of the last layer."""
    labels, states = trace.tokens.labels, trace.hidden[-1]
    if details is None or details.pooler_dense is None:
        return Pooling(labels, states)
    return Pooling(labels, states, details.pooler_dense, trace.pooled)


@dataclass(frozen=True, eq=False)
class Dots:
    """Numbers [N] as dots in one of the palette's colours; `origin`: the line where they come from."""

    numbers: Doubles
    colour: str = "accent"
    origin: int | None = None


@dataclass(frozen=True, eq=False)
class NumberLine:
    """Dots on a line below its `title`. `has_moments`: mean and standard deviation are marked."""

    title: str
    dots: tuple[Dots, ...]
    has_moments: bool = False


@dataclass(frozen=True, eq=False)
class Normed:
    """The numbers [D] of a token in a norm: the sum, less its mean, divided, and with γ and β."""

    token: str
    layer: int
    stages: tuple[Doubles, Doubles, Doubles, Doubles]


def normed(trace: Trace, details: LayerDetails, token: int) -> Normed:
    """Return the way of a token through the norm behind the attention."""
    came = details.attention_sum[token].astype(np.float64)
    less = came - came.mean()
    left = details.attention_norm[token].astype(np.float64)
    return Normed(trace.tokens.labels[token], details.layer, (came, less, less / came.std(), left))


FIRST_ROW: Doubles = np.array([1.0, 2.0, 3.0, 4.0])
"""The row of four numbers that readers of notes on BERT know."""
FIRST_FACTOR, FIRST_SHIFT = 1.0, 4.0
"""With these it becomes 5, 6, 7, 8."""


def changed_row(factor: float, shift: float) -> Doubles:
    """Return that row times a factor, plus a number."""
    return FIRST_ROW * factor + shift


def norm_of(row: Doubles) -> Doubles:
    """Return a row less its mean, divided by its standard deviation."""
    return np.asarray((row - row.mean()) / row.std())


@dataclass(frozen=True, eq=False)
class Alike:
    """Cosines [L + 1] after the embeddings and each layer: of two tokens, and the mean of all pairs."""

    query: str
    key: str
    pair: Doubles
    mean: Doubles


def alike_of(trace: Trace, scene: Scene) -> Alike:
    """Return how alike the query and the key of a scene are after each layer. Raises MissingError."""
    run = QuantityInputs(trace)
    query, key = run.find(scene.query), run.find(scene.key)
    pair, mean = [], []
    for state in trace.hidden:
        unit = state.astype(np.float64)
        unit /= np.linalg.norm(unit, axis=-1, keepdims=True)
        cosines = unit @ unit.T
        pair.append(cosines[query, key])
        mean.append(cosines[~np.eye(len(unit), dtype=bool)].mean())
    labels = trace.tokens.labels
    return Alike(labels[query], labels[key], np.array(pair), np.array(mean))


@dataclass(frozen=True, eq=False)
class Padded:
    """The weights of a query in a head: `alone` [T], and in a batch of two with n [PAD] behind the text.

    `longer` and `shorter` have the T + n labels of both texts. `masked` [T + n] are the weights where nothing
    attends to the padding, `unmasked` those where the mask was forgotten. `off`: by how much the last hidden
    states of the T tokens differ at most from those alone with the mask, `off_unmasked` without it.
    """

    longer: tuple[str, ...]
    shorter: tuple[str, ...]
    query: int
    alone: Floats
    masked: Floats
    unmasked: Floats
    off: float
    off_unmasked: float

    @property
    def n_padding(self) -> int:
        """How many [PAD] there are."""
        return len(self.shorter) - len(self.alone)


def padded(model: ModelAccess, trace: Trace, longer: str, layer: int, head: int, query: int) -> Padded:
    """Read the text of a trace in one batch with a `longer` one, with and without the mask of the padding.

    Costs two forward passes. Raises AnalysisError where the other text is not longer, or the vocabulary has
    no padding, and TextError for a text that cannot be read.
    """
    tokenizer = model.checkpoint.tokenizer
    other, padding, n_tokens = tokenizer.encode(longer, None), tokenizer.padding, trace.n_tokens
    n_padding = len(other) - n_tokens
    if padding is None or n_padding < 1:
        raise AnalysisError(
            Message("Only a text that is shorter than the other of its batch is padded."),
            Message("Give a shorter text."),
        )
    tokens = with_padding(trace.tokens, padding, n_padding)
    is_text = np.arange(len(other)) < n_tokens
    rows, off = [], []
    for seen in (np.stack([np.ones_like(is_text), is_text]), np.ones((2, len(other)), bool)):
        capture = Capture({Point.WEIGHTS}, [layer])
        hidden = model.forward([other, tokens], capture, seen=seen).hidden[1, :n_tokens].cpu().numpy()
        rows.append(capture.tensors[Point.WEIGHTS, layer][1, head, query].float().cpu().numpy())
        off.append(float(np.abs(hidden - trace.hidden[-1]).max()))
    alone = trace.attention(layer, head, slice(query, query + 1))[0]
    return Padded(other.labels, tokens.labels, query, alone, rows[0], rows[1], off[0], off[1])


def with_padding(tokens: Tokens, padding: tuple[str, int], n_padding: int) -> Tokens:
    """Return tokens with so many of `padding`, a piece and its id, behind them."""
    piece, number = padding
    following = tokens.position_ids[-1] + 1 + np.arange(n_padding)

    def longer(values: np.ndarray, added: object) -> np.ndarray:
        return np.concatenate([values, np.full((n_padding, *values.shape[1:]), added)]).astype(np.int32)

    return replace(
        tokens,
        pieces=tokens.pieces + (piece,) * n_padding,
        ids=longer(tokens.ids, number),
        segment_ids=longer(tokens.segment_ids, 0),
        position_ids=np.concatenate([tokens.position_ids, following]).astype(np.int32),
        sentences=longer(tokens.sentences, SPECIAL),
        words=longer(tokens.words, SPECIAL),
        spans=longer(tokens.spans, 0),
    )
