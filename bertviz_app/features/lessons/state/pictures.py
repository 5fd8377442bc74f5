"""What the large pictures of lessons draw: the numbers of the run on screen, and of the one before it."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Literal, TypeVar, get_args

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal, Slot

from bertviz_app.analysis.pairs import HeadSteps, attention_column, head_steps, pair_numbers, pair_weights
from bertviz_app.analysis.predictions import Filler, Predictions
from bertviz_app.analysis.results import Result
from bertviz_app.analysis.vectors import TokenMaps, token_maps
from bertviz_app.checkpoint.parameters import LinearProduct
from bertviz_app.errors import AppError, Message
from bertviz_app.features.lessons.course.lesson import Scene, head_of
from bertviz_app.features.lessons.course.tasks import MissingError, QuantityInputs, entropy_of
from bertviz_app.features.lessons.state.padding import Padded, padded
from bertviz_app.features.lessons.state.strips import (
    FIRST_FACTOR,
    FIRST_SHIFT,
    Detector,
    Narrowed,
    Pooling,
    detector,
    narrowed,
    pooling,
)
from bertviz_app.text import Tokens
from bertviz_app.text.edits import MASK, MASKS
from bertviz_app.text.why_cut import WhyCut
from bertviz_app.trace import Trace
from bertviz_app.trace.provenance import LayerDetails
from bertviz_app.types import Check, Doubles, Floats
from bertviz_app.values import dataclass, replace
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.label_trainings import LabelTrainings
from bertviz_app.viewmodels.overview import Thumbnails, full_colours
from bertviz_app.viewmodels.panel import Content, Panel, PanelChoice
from bertviz_app.viewmodels.results import Failed, Ready, Request
from bertviz_app.viewmodels.runs.run import Shown
from bertviz_app.viewmodels.runs.shown import RunPrediction

if TYPE_CHECKING:
    from bertviz_app.analysis.model_access import ModelAccess

SLOT = "lesson picture"
_DRAWS = 1000
"""So many pieces are drawn at most until one is a word."""
_ROWS_BESIDE = 4
"""So many rows of the table of embeddings are shown above the one that is picked, and below it."""
CHOSEN, BECOME_MASK, BECOME_RANDOM = 0.15, 0.8, 0.1
"""In pre-training: which share of the tokens is to be guessed, and what becomes of which share of these."""
_PREDICTED = ("mask", "answer", "pooler")
"""The pictures that show what the model predicts."""
Fate = Literal["mask", "swap", "keep"]
TILE = 48
"""Pixels of the picture of one head, a side."""
_Value = TypeVar("_Value")


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


def _pair_of(trace: Trace, scene: Scene) -> tuple[int, int]:
    run = QuantityInputs(trace)
    return run.find(scene.query), run.find(scene.key)


def columns_of(trace: Trace, scene: Scene) -> tuple[KeyColumn, ...]:
    """Return the column of the key of a scene in each of its `heads`. Raises MissingError."""
    query, key = _pair_of(trace, scene)
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
    query, key = _pair_of(trace, scene)
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

    before: NDArray[np.uint8]
    now: NDArray[np.uint8]
    moved: Floats
    muted: tuple[tuple[int, int], ...]


def _tiles(shown: Shown) -> NDArray[np.uint8]:
    """Return the levels of colour of all heads of a run, uint8 [L, H, TILE, TILE]."""
    overview = shown.overview
    n_layers, n_heads = overview.pictures.shape[:2]
    heads = [(layer, head) for layer in range(n_layers) for head in range(n_heads)]
    cells = Thumbnails(overview.pictures, full_colours(overview, None)).cells(heads, TILE)
    return cells.reshape(n_layers, n_heads, TILE, TILE)


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


class LessonPictures(QObject):
    """The run with which a station began, beside the one that is shown now. `changed`: there are others.

    `scene` is the station's; None while no station has a picture.
    """

    changed = Signal()

    def __init__(self, app_state: AppState, trainings: LabelTrainings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._app_state = app_state
        self.selection, self.editing, self.trainings = app_state.selection, app_state.editing, trainings
        self.scene: Scene | None = None
        self.language = "en"
        self._before: Shown | None = None
        self._guesses: Guesses | None = None
        self._guessed: Tokens | None = None
        self._analysed: set[str] = set()
        self._set_back()
        app_state.workspace.shown_changed.connect(self._on_shown_changed)
        app_state.workers.analysed.changed.connect(self._on_result)
        app_state.shown_runs.predictions.changed.connect(self._on_shown_changed)
        app_state.store.watch(("panels", "active"), self._on_shown_changed)
        for arriving in (app_state.shown_runs.matrices, app_state.shown_runs.details):
            arriving.arrived.connect(self._on_shown_changed)

    def _set_back(self) -> None:
        """Forget what the learner has changed: dropout, which draw it is, and the row of numbers."""
        self.share, self.seed = FIRST_SHARE, 0
        self.factor, self.shift = FIRST_FACTOR, FIRST_SHIFT

    def begin(self, scene: Scene | None, language: str = "en") -> None:
        """Begin a station, whose run is shown now, in a language."""
        self.language = language
        had_picture = self.scene is not None
        self.scene = None if scene is None or scene.picture is None else scene
        self._before = None if self.scene is None else self._app_state.workspace.shown
        self._set_back()
        for key in self._analysed:
            self._app_state.workers.analysed.release(f"{SLOT} {key}")
        self._analysed.clear()
        if self.scene is None and not had_picture:
            return
        if self.scene is None:
            self._app_state.workers.analysed.hold(SLOT, ())
        predictions = self._app_state.shown_runs.predictions
        predictions.watch(self.scene is not None and self.scene.picture in _PREDICTED, SLOT)
        self.changed.emit()

    @property
    def before(self) -> Trace | None:
        """The run with which the station began."""
        return None if self._before is None else self._before.result.trace

    @property
    def now(self) -> Trace | None:
        """The run that is shown."""
        shown = self._app_state.workspace.shown
        return None if shown is None else shown.result.trace

    @property
    def task_heads(self) -> tuple[str, ...]:
        """What the model has after its encoder, "next_sentence" where it judges pairs."""
        shown = self._app_state.workspace.shown
        return () if shown is None else shown.result.facts.task_heads

    @property
    def tokens(self) -> Tokens | None:
        """The tokens of that run."""
        return None if self.now is None else self.now.tokens

    @property
    def guesses(self) -> Guesses | None:
        """What is expected at the masked token that was pointed at or masked last; None without one."""
        tokens = self.tokens
        if tokens is None:
            return None
        found = guesses_of(tokens, self._app_state.shown_runs.predictions.of("A"))
        if found is not None or self._guessed is not tokens:
            self._guesses, self._guessed = found, tokens
        return self._guesses

    @property
    def answers(self) -> Predictions | None:
        """What the classifiers of the model answer to the text on screen; None while they have not."""
        prediction = self._app_state.shown_runs.predictions.of("A")
        if prediction is None or prediction.tokens is not self.tokens:
            return None
        return prediction.found

    @property
    def is_bundled(self) -> bool:
        """Whether the model on screen ships with the program."""
        shown = self._app_state.workspace.shown
        return shown is not None and shown.result.facts.is_bundled

    @property
    def rows(self) -> tuple[WeightRow | None, WeightRow | None]:
        """The row of the scene's query in its head, before and now: None for one that there is not."""
        if self.scene is not None and self.scene.part == "divisor":
            return self.of_now(row_of), self.of_now(partial(row_of, divisor=self.divisor))
        now = None if self.now is self.before else self.now
        return self.of(self.before, row_of), self.of(now, row_of)

    def of(self, run: Trace | None, compute: Callable[[Trace, Scene], _Value]) -> _Value | None:
        """Return what is computed from a run and the scene; None where the run lacks a token of the scene."""
        with suppress(MissingError):
            return None if run is None or self.scene is None else compute(run, self.scene)
        return None

    def of_now(self, compute: Callable[[Trace, Scene], _Value]) -> _Value | None:
        """Return what is computed from the run that is shown and the scene; None without them, see `of`."""
        return self.of(self.now, compute)

    def analysed(self, key: str) -> Result | AppError | None:
        """Return the result of an analysis of the run on screen, or why there is none; None meanwhile."""
        request = self._app_state.shown_runs.analyses.request_of_run("A", Content(key))
        if request is None:
            return None
        self._analysed.add(key)
        state = self._app_state.workers.analysed.get(request, f"{SLOT} {key}")
        if isinstance(state, Failed):
            return state.error if isinstance(state.error, AppError) else None
        return state.value.result if isinstance(state, Ready) else None

    @property
    def own_divisor(self) -> float:
        """The number by which the model on screen divides the products."""
        return 1.0 if self.now is None else 1 / self.now.scale

    @property
    def divisor(self) -> float:
        """The number that is tried, the model's own while none is."""
        panel = self._app_state.panels.active
        tried = None if panel is None else panel.steps.divisor
        return self.own_divisor if tried is None else tried

    def try_divisor(self, divisor: float) -> None:
        """Divide by another number than the model."""
        self._choose(lambda panel: replace(panel.steps, divisor=divisor))

    def _choose(self, choice: Callable[[Panel], PanelChoice]) -> None:
        """Give the active panel the choice that is made of it, as the view of that choice does."""
        panels = self._app_state.panels
        if panels.active is not None:
            panels.choose(panels.active.number, choice(panels.active))

    @property
    def stage(self) -> str:
        """The stop of Steps that the window is at."""
        panel = self._app_state.panels.active
        return "" if panel is None else panel.steps.stage

    @property
    def state(self) -> int:
        """The hidden state that is shown: 0 after the embeddings."""
        panel = self._app_state.panels.active
        return 0 if panel is None else panel.vectors.state or 0

    def go_to_stage(self, stage: str) -> None:
        """Go to another stop of Steps."""
        self._choose(lambda panel: replace(panel.steps, stage=stage))

    def go_to_state(self, state: int) -> None:
        """Show another hidden state."""
        self._choose(lambda panel: replace(panel.vectors, state=state))

    def pick_head(self, head: tuple[int, int]) -> None:
        """Show a head, which may be what the task asks for."""
        self._app_state.panels.show(*head)

    @property
    def tiles(self) -> NDArray[np.uint8] | None:
        """The levels of colour of all heads of the run on screen, uint8 [L, H, TILE, TILE]."""
        shown = self._app_state.workspace.shown
        return None if shown is None else _tiles(shown)

    @property
    def head_numbers(self) -> Floats | None:
        """The number [L, H] of each head that the scene asks for: the weight of its pair, or a measure."""
        shown, scene = self._app_state.workspace.shown, self.scene
        if shown is None or scene is None:
            return None
        if scene.query is not None and scene.key is not None:
            return self.of(shown.result.trace, lambda now, scene: pair_weights(now, *_pair_of(now, scene)))
        measure = scene.overview
        return None if measure is None or measure == "attention" else shown.overview.measures[measure]

    @property
    def token(self) -> int | None:
        """The token that is pointed at or pinned, else the scene's, or else the first word."""
        now = self.now
        if now is None:
            return None
        token = self.selection.shown.within(now.n_tokens).query
        if token is None and self.scene is not None and self.scene.query is not None:
            token = self.of(now, lambda trace, scene: QuantityInputs(trace).find(scene.query))
        words = np.flatnonzero(~now.tokens.is_special)
        return int(words[0]) if token is None and len(words) else token

    def lookups(self, now: Trace, scene: Scene) -> tuple[PickedRow, ...]:
        """Return the rows that `token` picks, of one table or of all three; () until they are read."""
        tokens, token, found = now.tokens, self.token, []
        if token is None:
            return ()
        tables = (("token", tokens.ids), ("segment", tokens.segment_ids), ("position", tokens.position_ids))
        is_of_all = scene.part == "positions"
        for name, numbers in tables if is_of_all else tables[:1]:
            key = f"embeddings.{name}.weight"
            matrix = self._app_state.shown_runs.matrices.matrix((now,), key, f"{SLOT} {name}")
            if not isinstance(matrix, Ready):
                return ()
            table, row_name, row = matrix.value.matrix.arrays[0], matrix.value.row_name, int(numbers[token])
            n_rows = 3 if is_of_all else 2 * _ROWS_BESIDE + 1
            first = min(max(row - n_rows // 2, 0), max(len(table) - n_rows, 0))
            shown = table[first : first + n_rows]
            pieces = tuple("" if row_name is None else row_name(first + at) for at in range(len(shown)))
            same = (token,) if is_of_all else tuple(np.flatnonzero(numbers == row).tolist())
            found.append(PickedRow(shown, first, len(table), pieces, row, same))
        return tuple(found)

    def cut(self, now: Trace, scene: Scene) -> WhyCut | None:
        """Return how the word that is pointed at was cut, else the first one of several pieces."""
        tokens, token = now.tokens, self.selection.shown.within(now.n_tokens).query
        if token is None or tokens.words[token] < 0:
            words = tokens.words
            pieces = np.flatnonzero((words[1:] == words[:-1]) & (words[1:] >= 0))
            token = int(pieces[0]) if len(pieces) else self.token
        if token is None:
            return None
        at = token
        name = f"cut {tokens.sentences[at]} {tokens.words[at]}"
        return self._of_model(name, now, lambda model: model.checkpoint.tokenizer.why_cut(tokens, at))

    def other_order(self, now: Trace, scene: Scene) -> Tokens | None:
        """Return the tokens of the words of the text in the opposite order; None while it is cut."""
        text = " ".join(reversed(now.tokens.text.split()))
        return self._of_model("order", now, lambda model: model.checkpoint.tokenizer.encode(text, None))

    def _of_model(self, name: str, now: Trace, work: Callable[[ModelAccess], _Value]) -> _Value | None:
        """Return what `work` returns for the model of the run on screen; None while it is not there."""
        shown, engine = self._app_state.workspace.shown, self._app_state.engine
        if shown is None:
            return None
        request = shown.result.request
        return self._computed(name, (now,), lambda check: engine.with_model(request, now, work, check))

    def product(self, now: Trace, scene: Scene) -> HeadProduct | None:
        """Return how the query of the scene's token comes about in its head; None while it is computed."""
        panel = self._app_state.panels.active
        if panel is None or not scene.matrix:
            return None
        token, (layer, head) = QuantityInputs(now).find(scene.query), head_of(scene, now)
        first = head * now.head_width
        column = panel.parameters.output % now.head_width
        matrices = self._app_state.shown_runs.matrices
        whole = matrices.matrix((now,), scene.matrix, SLOT)
        product = matrices.product(now, scene.matrix, token, first + column, layer, SLOT)
        if not isinstance(whole, Ready) or not isinstance(product, Ready):
            return None
        grid = whole.value.matrix.arrays[0][first : first + now.head_width].T
        results = now.queries[layer, head, token]
        return HeadProduct(now.tokens.labels[token], grid, results, product.value, first)

    def choose_column(self, column: int) -> None:
        """Show the product of another column of the head's."""
        if (now := self.now) is not None:
            self._choose(lambda panel: replace(panel.parameters, output=column % now.head_width))

    @property
    def heads(self) -> Heads | None:
        """All heads before and now; None while they are compared, or cannot be: the text is another one."""
        first, shown = self._before, self._app_state.workspace.shown
        if first is None or shown is None:
            return None
        before, now = first.result.trace, shown.result.trace
        if before.tokens.ids.tolist() != now.tokens.ids.tolist() or before.model != now.model:
            return None
        if before is now:
            tiles, still = _tiles(shown), np.zeros((now.n_layers, now.n_heads), np.float32)
            return Heads(tiles, tiles, still, ())
        moved = self._computed("moved", (before, now), lambda _: moved_weight(before, now))
        return None if moved is None else Heads(_tiles(first), _tiles(shown), moved, now.muted)

    def spread(self, now: Trace, scene: Scene) -> Spread | None:
        """Return how far the scores spread; None while it is computed."""
        return self._computed("spread", (now,), lambda _: spread_of(now))

    def maps(self, now: Trace, scene: Scene) -> TokenMaps | None:
        """Return maps of the tokens after each layer; None while they are computed."""
        return self._computed("maps", (now,), lambda check: token_maps(now.hidden, common=False, check=check))

    def padded(self, now: Trace, scene: Scene) -> Padded | None:
        """Return the row of the scene's query in a batch with a longer text; None while it is computed."""
        longer = scene.beside
        if longer is None:
            return None
        query, (layer, head) = QuantityInputs(now).find(scene.query), head_of(scene, now)
        work = partial(padded, trace=now, longer=longer, layer=layer, head=head, query=query)
        return self._of_model(f"padded {longer} {layer} {head} {query}", now, work)

    def dropped(self, now: Trace, scene: Scene) -> Dropped:
        """Return the last vector of the scene's query with some of its numbers dropped."""
        return dropped(now, QuantityInputs(now).find(scene.query), self.share, self.seed)

    def drop(self, share: float) -> None:
        """Drop another share of the numbers."""
        self.share = share
        self.changed.emit()

    def draw_again(self, count: int = 1) -> None:
        """Draw again for dropout, roll the dice so many times, or show the next detector."""
        self.seed += count
        self.changed.emit()

    def change_row(self, factor: float, shift: float) -> None:
        """Multiply the row of numbers that is normalised, and add something to it."""
        self.factor, self.shift = factor, shift
        self.changed.emit()

    def _details(self, now: Trace, layer: int) -> LayerDetails | None:
        return self._app_state.shown_runs.details.get(now, layer)

    def of_layer(self, compute: Callable[[Trace, LayerDetails, int], _Value]) -> _Value | None:
        """Return what is computed of the scene's layer and query; None while they are not there."""

        def found(now: Trace, scene: Scene) -> _Value | None:
            details = self._details(now, head_of(scene, now)[0])
            return None if details is None else compute(now, details, QuantityInputs(now).find(scene.query))

        return self.of_now(found)

    def detector(self, now: Trace, scene: Scene) -> Detector | None:
        """Return a detector that the scene's query fires, another one with each draw; None meanwhile."""
        token = QuantityInputs(now).find(scene.query)
        found = self._feed_forward(now, scene, "expand")
        return None if found is None else detector(now, *found, token, self.seed)

    def narrowed(self, now: Trace, scene: Scene) -> Narrowed | None:
        """Return what the detectors of the scene's query add to it; None while it is computed."""
        token = QuantityInputs(now).find(scene.query)
        found = self._feed_forward(now, scene, "contract")
        return None if found is None else narrowed(now, *found, token)

    def _feed_forward(self, now: Trace, scene: Scene, name: str) -> tuple[LayerDetails, Floats] | None:
        """Return the numbers of the scene's layer and one of the matrices of its feed-forward part."""
        layer = head_of(scene, now)[0]
        details = self._details(now, layer)
        key = f"layers.{layer}.feed_forward.{name}.weight"
        weights = self._app_state.shown_runs.matrices.matrix((now,), key, SLOT)
        if details is None or not isinstance(weights, Ready):
            return None
        return details, weights.value.matrix.arrays[0]

    def pooling(self, now: Trace, scene: Scene) -> Pooling | None:
        """Return what becomes of the first of the last hidden states; None while it is computed."""
        details = self._details(now, now.n_layers - 1)
        return None if details is None else pooling(now, details)

    def rolled(self, now: Trace, scene: Scene) -> Rolled | None:
        """Return a roll of the dice of the pre-training for the text; None until the pieces are read."""
        found = self._app_state.shown_runs.matrices.matrix((now,), "embeddings.token.weight", SLOT)
        if not isinstance(found, Ready) or (name := found.value.row_name) is None:
            return None
        return rolled(now.tokens, self.seed, len(found.value.matrix.arrays[0]), name)

    @property
    def pairs(self) -> tuple[PairAnswer, ...]:
        """What the model answers to the pair on screen and, where the scene has one, to the other pair.

        Of the pair of the scene the second sentence follows the first, of the other it does not.
        """
        answers, tokens, shown = self.answers, self.tokens, self._app_state.workspace.shown
        if answers is None or answers.next_sentence is None or tokens is None or shown is None:
            return ()
        other = None if self.scene is None else self.scene.other_pair
        own = None if other is None or self.now is not self.before else True
        found = [PairAnswer(tokens, answers.next_sentence.probability, own)]
        if other is not None:
            text = other.in_language(self.language)
            engine, request = self._app_state.engine, replace(shown.result.request, pair=text)

            def compute(check: Check) -> PairAnswer | None:
                result = engine.trace(request, check)
                predicted = engine.predict(request, result.trace, (), check=check).next_sentence
                share = None if predicted is None else predicted.probability
                follows = None if own is None else False
                return None if share is None else PairAnswer(result.trace.tokens, share, follows)

            beside = self._computed(f"pair {text}", (shown.result.trace,), compute)
            found += [] if beside is None else [beside]
        return tuple(found)

    def _computed(
        self, name: str, traces: tuple[Trace, ...], compute: Callable[[Check], _Value]
    ) -> _Value | None:
        """Return what `compute` returns, on a worker; None while it is not there."""
        results = self._app_state.workers.analysed
        results.hold(SLOT, traces)
        state = results.get(Request((SLOT, name, *traces), traces, lambda check, _: compute(check)), SLOT)
        return state.value if isinstance(state, Ready) else None

    @Slot()
    def _on_shown_changed(self) -> None:
        if self.scene is not None:
            self.changed.emit()

    @Slot(object)
    def _on_result(self, key: object) -> None:
        if self.scene is None or not isinstance(key, tuple):
            return
        if key[0] == SLOT or (key[0] == "analysis" and key[1].analysis in self._analysed):
            self.changed.emit()
