"""`LessonPictures`: what the large pictures of lessons draw, as far as it is computed."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from PySide6.QtCore import QObject, Signal, Slot

from bertviz_app.analysis.pairs import pair_weights
from bertviz_app.analysis.predictions import Predictions
from bertviz_app.analysis.results import Result
from bertviz_app.analysis.vectors import TokenMaps, token_maps
from bertviz_app.errors import AppError, Check
from bertviz_app.features.lessons.course.lesson import Scene, head_of
from bertviz_app.features.lessons.course.tasks import MissingError, QuantityInputs
from bertviz_app.features.lessons.state import computed
from bertviz_app.text import Tokens
from bertviz_app.text.why_cut import WhyCut
from bertviz_app.trace import Trace
from bertviz_app.trace.provenance import LayerDetails
from bertviz_app.types import Bytes, Floats
from bertviz_app.values import replace
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.label_trainings import LabelTrainings
from bertviz_app.viewmodels.overview import Thumbnails, full_colours
from bertviz_app.viewmodels.panel import Content, Panel, PanelChoice
from bertviz_app.viewmodels.results import Failed, Ready, Request
from bertviz_app.viewmodels.runs.run import Shown

if TYPE_CHECKING:
    from bertviz_app.analysis.model_access import ModelAccess

SLOT = "lesson picture"
_ROWS_BESIDE = 4
"""So many rows of the table of embeddings are shown above the one that is picked, and below it."""
_PREDICTED = ("mask", "answer", "pooler")
"""The pictures that show what the model predicts."""
_Value = TypeVar("_Value")


def _tiles(shown: Shown) -> Bytes:
    """Return the levels of colour of all heads of a run, uint8 [L, H, TILE, TILE]."""
    overview = shown.overview
    n_layers, n_heads = overview.pictures.shape[:2]
    heads = [(layer, head) for layer in range(n_layers) for head in range(n_heads)]
    cells = Thumbnails(overview.pictures, full_colours(overview, None)).cells(heads, computed.TILE)
    return cells.reshape(n_layers, n_heads, computed.TILE, computed.TILE)


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
        self._guesses: computed.Guesses | None = None
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
        self.share, self.seed = computed.FIRST_SHARE, 0
        self.factor, self.shift = computed.FIRST_FACTOR, computed.FIRST_SHIFT

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
    def guesses(self) -> computed.Guesses | None:
        """What is expected at the masked token that was pointed at or masked last; None without one."""
        tokens = self.tokens
        if tokens is None:
            return None
        found = computed.guesses_of(tokens, self._app_state.shown_runs.predictions.of("A"))
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
    def rows(self) -> tuple[computed.WeightRow | None, computed.WeightRow | None]:
        """The row of the scene's query in its head, before and now: None for one that there is not."""
        if self.scene is not None and self.scene.part == "divisor":
            return self.of_now(computed.row_of), self.of_now(partial(computed.row_of, divisor=self.divisor))
        now = None if self.now is self.before else self.now
        return self.of(self.before, computed.row_of), self.of(now, computed.row_of)

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
    def tiles(self) -> Bytes | None:
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
            return self.of_now(lambda now, scene: pair_weights(now, *computed.pair_of(now, scene)))
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

    def lookups(self, now: Trace, scene: Scene) -> tuple[computed.PickedRow, ...]:
        """Return the rows that `token` picks, of one table or of all three; () until they are read."""
        tokens, token, found = now.tokens, self.token, []
        if token is None:
            return ()
        tables = (("token", tokens.ids), ("segment", tokens.segment_ids), ("position", tokens.position_ids))
        is_of_all = scene.part == "positions"
        for name, ids in tables if is_of_all else tables[:1]:
            key = f"embeddings.{name}.weight"
            matrix = self._app_state.shown_runs.matrices.matrix((now,), key, f"{SLOT} {name}")
            if not isinstance(matrix, Ready):
                return ()
            table, row_name, row = matrix.value.matrix.arrays[0], matrix.value.row_name, int(ids[token])
            n_rows = 3 if is_of_all else 2 * _ROWS_BESIDE + 1
            first = min(max(row - n_rows // 2, 0), max(len(table) - n_rows, 0))
            shown = table[first : first + n_rows]
            pieces = tuple("" if row_name is None else row_name(first + at) for at in range(len(shown)))
            same = (token,) if is_of_all else tuple(np.flatnonzero(ids == row).tolist())
            found.append(computed.PickedRow(shown, first, len(table), pieces, row, same))
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

    def product(self, now: Trace, scene: Scene) -> computed.HeadProduct | None:
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
        return computed.HeadProduct(now.tokens.labels[token], grid, results, product.value, first)

    def choose_column(self, column: int) -> None:
        """Show the product of another column of the head's."""
        if (now := self.now) is not None:
            self._choose(lambda panel: replace(panel.parameters, output=column % now.head_width))

    @property
    def heads(self) -> computed.Heads | None:
        """All heads before and now; None while they are compared, or cannot be: the text is another one."""
        first, shown = self._before, self._app_state.workspace.shown
        if first is None or shown is None:
            return None
        before, now = first.result.trace, shown.result.trace
        if before.tokens.ids.tolist() != now.tokens.ids.tolist() or before.model != now.model:
            return None
        if before is now:
            tiles, still = _tiles(shown), np.zeros((now.n_layers, now.n_heads), np.float32)
            return computed.Heads(tiles, tiles, still, ())
        moved = self._computed("moved", (before, now), lambda _: computed.moved_weight(before, now))
        return None if moved is None else computed.Heads(_tiles(first), _tiles(shown), moved, now.muted)

    def spread(self, now: Trace, scene: Scene) -> computed.Spread | None:
        """Return how far the scores spread; None while it is computed."""
        return self._computed("spread", (now,), lambda _: computed.spread_of(now))

    def maps(self, now: Trace, scene: Scene) -> TokenMaps | None:
        """Return maps of the tokens after each layer; None while they are computed."""
        return self._computed("maps", (now,), lambda check: token_maps(now.hidden, common=False, check=check))

    def padded(self, now: Trace, scene: Scene) -> computed.Padded | None:
        """Return the row of the scene's query in a batch with a longer text; None while it is computed."""
        longer = scene.beside
        if longer is None:
            return None
        query, (layer, head) = QuantityInputs(now).find(scene.query), head_of(scene, now)
        work = partial(computed.padded, trace=now, longer=longer, layer=layer, head=head, query=query)
        return self._of_model(f"padded {longer} {layer} {head} {query}", now, work)

    def dropped(self, now: Trace, scene: Scene) -> computed.Dropped:
        """Return the last vector of the scene's query with some of its numbers dropped."""
        return computed.dropped(now, QuantityInputs(now).find(scene.query), self.share, self.seed)

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

    def detector(self, now: Trace, scene: Scene) -> computed.Detector | None:
        """Return a detector that the scene's query fires, another one with each draw; None meanwhile."""
        token = QuantityInputs(now).find(scene.query)
        found = self._feed_forward(now, scene, "expand")
        return None if found is None else computed.detector(now, *found, token, self.seed)

    def narrowed(self, now: Trace, scene: Scene) -> computed.Narrowed | None:
        """Return what the detectors of the scene's query add to it; None while it is computed."""
        token = QuantityInputs(now).find(scene.query)
        found = self._feed_forward(now, scene, "contract")
        return None if found is None else computed.narrowed(now, *found, token)

    def _feed_forward(self, now: Trace, scene: Scene, name: str) -> tuple[LayerDetails, Floats] | None:
        """Return the numbers of the scene's layer and one of the matrices of its feed-forward part."""
        layer = head_of(scene, now)[0]
        details = self._details(now, layer)
        key = f"layers.{layer}.feed_forward.{name}.weight"
        weights = self._app_state.shown_runs.matrices.matrix((now,), key, SLOT)
        if details is None or not isinstance(weights, Ready):
            return None
        return details, weights.value.matrix.arrays[0]

    def pooling(self, now: Trace, scene: Scene) -> computed.Pooling | None:
        """Return what becomes of the first of the last hidden states; None while it is computed."""
        details = self._details(now, now.n_layers - 1)
        return None if details is None else computed.pooling(now, details)

    def rolled(self, now: Trace, scene: Scene) -> computed.Rolled | None:
        """Return a roll of the dice of the pre-training for the text; None until the pieces are read."""
        found = self._app_state.shown_runs.matrices.matrix((now,), "embeddings.token.weight", SLOT)
        if not isinstance(found, Ready) or (name := found.value.row_name) is None:
            return None
        return computed.rolled(now.tokens, self.seed, len(found.value.matrix.arrays[0]), name)

    @property
    def pairs(self) -> tuple[computed.PairAnswer, ...]:
        """What the model answers to the pair on screen and, where the scene has one, to the other pair.

        Of the pair of the scene the second sentence follows the first, of the other it does not.
        """
        answers, tokens, shown = self.answers, self.tokens, self._app_state.workspace.shown
        if answers is None or answers.next_sentence is None or tokens is None or shown is None:
            return ()
        other = None if self.scene is None else self.scene.other_pair
        own = None if other is None or self.now is not self.before else True
        found = [computed.PairAnswer(tokens, answers.next_sentence.probability, own)]
        if other is not None:
            text = other.in_language(self.language)
            engine, request = self._app_state.engine, replace(shown.result.request, pair=text)

            def compute(check: Check) -> computed.PairAnswer | None:
                result = engine.trace(request, check)
                predicted = engine.predict(request, result.trace, (), check=check).next_sentence
                share = None if predicted is None else predicted.probability
                follows = None if own is None else False
                return None if share is None else computed.PairAnswer(result.trace.tokens, share, follows)

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
