"""`Lesson` and its `Station`s, their scenes, and the checks of lessons on the numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Literal

from bertviz_app.analysis.catalogue import find_analysis
from bertviz_app.analysis.measures import MeasureKey
from bertviz_app.analysis.pairs import pair_numbers, specificity, strongest_heads
from bertviz_app.analysis.parameters import SILENT
from bertviz_app.analysis.results import Result, TokenScalars
from bertviz_app.errors import AppError, Message
from bertviz_app.features.lessons.course.tasks import (
    TYPED,
    Claim,
    DoTask,
    MissingError,
    QuantityInputs,
    ShownWindow,
    Task,
    TokenTask,
    check_one_of,
    false_claims,
)
from bertviz_app.inference.engine import AnalysisRequest, Engine, TraceRequest, TraceResult
from bertviz_app.json_store import JsonPath
from bertviz_app.learning.glossary import FACTS, facts_of
from bertviz_app.learning.label_training import LabelResult, Labels, LabelTraining
from bertviz_app.learning.words import LANGUAGES, TypedText, Words
from bertviz_app.options import Page
from bertviz_app.text.edits import MASK, Edits
from bertviz_app.trace import Trace
from bertviz_app.types import Floats
from bertviz_app.values import dataclass, replace

TARGETS = (
    *("text", "pair", "strip", "overview", "heads", "panel", "inspector", "predictions", "vector"),
    *("picker", "compare", "menu"),
)
"""The parts of the window that a station can point at."""

View = Literal["words", "lines", "matrix", "steps", "vectors", "parameters"]

_OfTokens = Literal["chips", "cut", "lookup", "sum", "same_word", "mask", "dice", "answer", "training"]
_OfWeights = Literal["arcs", "both_ways", "steps", "row", "looked_at", "added", "agreement", "padding"]
_OfHeads = Literal["product", "roles", "heads", "joined", "scores", "dropout"]
_OfVectors = Literal["residual", "lines", "detector", "bend", "alike", "states", "pooler"]
Picture = Literal[_OfTokens, _OfWeights, _OfHeads, _OfVectors]
"""The large pictures of lessons, which stand in the place of the panels: tokens as chips, how a word is cut
into pieces, the rows of tables that a token picks, the sum of these, two tokens of the same word, a masked
sentence with what is expected there, which tokens the dice of the pre-training choose, what a classifier
answers to a text, two trainings; arcs above the words, a pair of weights in both directions, the steps of a
row as far as `stage`, a row of weights before and after, who looks at a token in two heads, what each token
adds, how far methods of attribution agree, a text in one batch with a longer one; a vector times a matrix,
the query, key and value of a token, all heads before and after, how their outputs are joined and mixed, how
far the scores spread, numbers that dropout drops; what the attention adds to a token, numbers on lines as a
norm moves them, a detector of the feed-forward part, the bend of its activation, how alike two tokens are,
the hidden states of all tokens after a layer, and the way of [CLS] to the output.
"""

_PartOfVectors = Literal["rows", "added", "first", "tanh", "map"]
_PartOfHeads = Literal["heads", "all"]
_PartOfTokens = Literal["ids", "segments", "positions", "order", "loss", "shares"]
Part = Literal[_PartOfTokens, "divisor", _PartOfHeads, _PartOfVectors]
"""What of a large picture a station is about; a row with "divisor" has a slider for the divisor, chips with
"order" have the same words in another order below them, "lookup" with "positions" has all three tables;
"rows" are two of four numbers, "added" is what detectors add, "first" the taking of [CLS], "tanh" a curve;
of "all" heads one is chosen, by their pictures, by the weights of `query` and `key`, or by the measure that
`overview` names; hidden states with "map" are points."""

_Embeddings = Literal["token", "token_projection", "segment", "position", "task"]
_Sums = Literal["embedding_sum", "embedding_norm", "embedding_projection", "input_norm"]
_Queries = Literal["narrowed", "narrowed_for_attention", "queries", "keys", "values"]
_Scores = Literal["scores", "scaled", "biased", "disentangled", "softmax"]
_Mixed = Literal["weighted", "mixed", "span_convolved", "concat", "projected"]
_AttentionSums = Literal["attention_sum", "attention_norm"]
_Earlier = Literal["earlier_1", "earlier_2", "earlier_3", "earlier_4", "earlier_5", "earlier_6", "earlier_7"]
_FeedForward = Literal["expanded", "active", "gate", "gated", "contracted", "output_sum", "output_norm"]
_Adapters = Literal["adapter_norm", "adapted", "adapter_sum"]
_Convolved = Literal["convolved", "convolution_sum", "widened", "widened_sum"]
_Top = Literal["output", "first", "dense", "pooled"]
_InLayer = Literal[_Queries, _Scores, _Mixed, _AttentionSums, _Earlier, _FeedForward]
Stage = Literal[_Embeddings, _Sums, _InLayer, _Adapters, _Convolved, _Top]
"""The stops of Steps; a test compares them with those that the window has."""


@dataclass(frozen=True, kw_only=True)
class Replaced:
    """A token that the model reads as another `piece` of its vocabulary."""

    token: str
    piece: str


@dataclass(frozen=True, kw_only=True)
class Scene:
    """What the window is set to; what is left out stays as it was at the station before.

    `best_head`: the head that is most specific to `query` looking at `key`, see `specificity`, instead of a
    `layer` and a `head`.
    `model` is the name of a checkpoint, `models` that of each language. A `text` without a `pair` stands
    alone. Tokens are named by their text.
    `stage` is the stop of Steps, `page` the page of Vectors, `state` the hidden state that it shows,
    `overview` what the cells of the overview show, `hidden` the token that is replaced by [MASK], `replaced`
    other tokens, `muted` the heads (layer, head), `cards` those of the window's cards that are open.
    `analyses` are keys of the catalogue: each has a panel, beside those of `views` of the same station, if it
    names any. `picture` stands in the
    place of the panels until a station names `views` or `analyses`; `part` is what of it the text is about.
    `beside` is the longer text that the picture "padding" reads in one batch with the text, `other_pair` a
    second sentence that does not follow, which "answer" shows beside the `pair` that does; `heads` the two
    (layer, head) that the picture "looked_at" compares.
    `matrix` and `output` are the parameter and the row of it whose product the view "parameters", or the
    picture "product", shows.
    """

    text: TypedText | None = None
    pair: TypedText | None = None
    model: str | None = None
    models: TypedText | None = None
    layer: int | None = None
    head: int | None = None
    best_head: bool = False
    views: tuple[View, ...] = ()
    analyses: tuple[str, ...] = ()
    query: str | None = None
    key: str | None = None
    stage: Stage | None = None
    page: Page | None = None
    state: int | None = None
    overview: Literal["attention", MeasureKey] | None = None
    hidden: str | TypedText | None = None
    replaced: tuple[Replaced, ...] = ()
    muted: tuple[tuple[int, int], ...] = ()
    cards: tuple[Literal["overview", "heads", "inspector", "vector"], ...] | None = None
    picture: Picture | None = None
    beside: str | None = None
    other_pair: TypedText | None = None
    heads: tuple[tuple[int, int], ...] = ()
    part: Part | None = None
    matrix: str | None = None
    output: int | None = None

    def __post_init__(self) -> None:
        for name in ("layer", "head", "state", "output"):
            if (getattr(self, name) or 0) < 0:
                raise ValueError(Message("“{0}” must be at least {1}", name, 0))
        for name in ("muted", "heads"):
            if any(index < 0 for at in getattr(self, name) for index in at):
                raise ValueError(Message("“{0}” must be at least {1}", name, 0))

    def in_language(self, language: str) -> Scene:
        """Return this scene with what has another name or text in each language."""
        model = self.model if self.models is None else self.models.in_language(language)
        return replace(self, model=model, hidden=self.hidden_in(language))

    def hidden_in(self, language: str) -> str | None:
        """Return the name of the hidden token, where it has one of its own in each language."""
        hidden = self.hidden
        return hidden.in_language(language) if isinstance(hidden, TypedText) else hidden


@dataclass(frozen=True, kw_only=True)
class Example:
    """A text of the start page with what to look for in it.

    `in_korean`: the model, the query and the key where the interface is Korean, if they are others there.
    `station`: what is opened instead of a scene, by the keys of a lesson and its station: "lesson/station".
    """

    key: str
    title: Words
    ask: Words
    scene: Scene = Scene()
    in_korean: Scene | None = None
    station: str = ""

    def scene_in(self, language: str) -> Scene:
        """Return what the window is set to in "en" or "ko"."""
        other = self.in_korean
        if language != "ko" or other is None:
            return self.scene
        return replace(self.scene, model=other.model, query=other.query, key=other.key)


@dataclass(frozen=True, kw_only=True)
class ExampleFile:
    """The file of the examples."""

    examples: tuple[Example, ...]


@dataclass(frozen=True, kw_only=True)
class Station:
    """One page of a lesson.

    `text` explains in three to five sentences; it may have fields of `example_facts`. `points_at` is the part
    of the window that it is about. `claims` are statements of the text about the numbers. With `own_text`
    the card says that the learner may type another sentence, answers are checked on that, and a sentence that
    the learner has brought along stays, see `takes`. `notes` are for the
    teacher: the card of the learner does not show them. `training` can be started on the card;
    its results are quantities.
    """

    key: str
    title: Words
    text: Words
    scene: Scene = Scene()
    points_at: str = ""
    task: Task | None = None
    claims: tuple[Claim, ...] = ()
    own_text: bool = False
    notes: Words | None = None
    training: LabelTraining | None = None

    def __post_init__(self) -> None:
        if self.points_at:
            check_one_of("points_at", self.points_at, TARGETS)

    @property
    def typed(self) -> str:
        """The condition, one of TYPED, of a task that is done by typing a text; "" of any other station."""
        return self.task.done.of if isinstance(self.task, DoTask) and self.task.done.of in TYPED else ""


@dataclass(frozen=True, kw_only=True)
class Lesson:
    """Stations in their order; `minutes` is how long it takes about.

    `learnt` are sentences that the learner can say at the end.
    """

    key: str
    title: Words
    summary: Words
    minutes: int
    stations: tuple[Station, ...]
    learnt: tuple[Words, ...] = ()

    def __post_init__(self) -> None:
        if not self.stations:
            raise ValueError(Message("a lesson has at least one station"))
        keys: set[str] = set()
        for index, station in enumerate(self.stations):
            if station.key in keys:
                words = Message("another station has the key “{0}” already", station.key)
                raise ValueError(words, ("stations", index, "key"))
            keys.add(station.key)
        if not 1 <= self.minutes <= 60:
            raise ValueError(Message("“{0}” must be from {1} to {2}", "minutes", 1, 60))

    def scene_of(self, station: Station) -> Scene:
        """Return the scene of a station with what it takes over from those before."""
        scene = Scene()
        for each in self.stations[: self.stations.index(station) + 1]:
            scene = following(scene, each.scene)
        return scene


def following(before: Scene, scene: Scene) -> Scene:
    """Return `scene` with its missing values taken from the scene of the station before.

    What was done to a run (a hidden token, a muted head), what was pinned, analyses, and what of a picture is
    meant belong to one station only; a new text has no pair unless that is given, too.
    """
    values = {
        **vars(before),
        "query": None,
        "key": None,
        "hidden": None,
        "replaced": (),
        "muted": (),
        "heads": (),
        "other_pair": None,
        "analyses": (),
        "best_head": False,
        "part": None,
    }
    if scene.text is not None:
        values["pair"] = None
    if scene.model is not None:
        values["models"] = None
    if scene.views or scene.analyses:
        values["picture"] = None
    if scene.analyses:
        values["views"] = ()
    # An empty tuple means “not given”, except for `cards`, where it means that none is open.
    given = {
        name: value
        for name, value in vars(scene).items()
        if value is not None and (value != () or name == "cards")
    }
    return Scene(**values | given)


def takes(station: Station, scene: Scene, text: str) -> bool:
    """Return whether a station can show the learner's `text` in the place of that of its scene.

    It names no token of its own text; where that is the same in both languages, so is that of the model.
    """
    named = (scene.query, scene.key, scene.hidden, *scene.replaced)
    if scene.text is None or not station.own_text or any(named):
        return False
    return scene.text.en != scene.text.ko or is_korean(scene.text.en) == is_korean(text)


def is_korean(text: str) -> bool:
    """Return whether a text has a Hangul syllable."""
    return any("가" <= letter <= "힣" for letter in text)


def edits_of(scene: Scene, run: QuantityInputs) -> Edits:
    """Return the replaced tokens and the muted heads of a scene; what this run lacks is left out."""
    named = ((scene.hidden, MASK), *((each.token, each.piece) for each in scene.replaced))
    replaced = {}
    for name, piece in named:
        with suppress(MissingError):
            if isinstance(name, str):
                replaced[run.find(name)] = piece
    n_layers, n_heads = run.trace.n_layers, run.trace.n_heads
    muted = sorted({(layer, head) for layer, head in scene.muted if layer < n_layers and head < n_heads})
    return Edits(tuple(muted), tuple(sorted(replaced.items())))


def head_of(scene: Scene, trace: Trace) -> tuple[int, int]:
    """Return the layer and the head of a scene, or the nearest ones that the model has."""
    if scene.best_head and scene.query is not None and scene.key is not None:
        try:
            run = QuantityInputs(trace)
            (best,) = strongest_heads(specificity(trace, run.find(scene.query), run.find(scene.key)), 1)
            return best.layer, best.head
        except MissingError:
            pass  # another text was typed: the last head, as for a scene that names none
    layer = trace.n_layers - 1 if scene.layer is None else min(scene.layer, trace.n_layers - 1)
    head = trace.n_heads - 1 if scene.head is None else min(scene.head, trace.n_heads - 1)
    return layer, head


def token_values(result: Result) -> Floats | None:
    """Return the number that the result of an analysis gives to each token; None where it gives none."""
    return result.values if isinstance(result, TokenScalars) and result.states is None else None


def run_of(
    trace: Trace, scene: Scene, n_parameters: int | None = None, measures: Mapping[str, Floats] | None = None
) -> QuantityInputs:
    """Return what the quantities of a station are computed from; `measures` where they are known already."""
    return QuantityInputs(trace, *head_of(scene, trace), n_parameters, measures)


Compute = Callable[[Scene, str], TraceResult]
"""Returns the run of a scene in a language. Raises AppError."""
Train = Callable[[LabelTraining], Mapping[Labels, LabelResult]]
"""Returns what comes of the trainings of a station. Raises AppError."""


@dataclass(frozen=True)
class Mistake:
    """What is wrong with a station in one language.

    `path` leads from the station to the part of the file that is meant; `name` is what is wrong there, such
    as a token, "" where it is the whole part.
    """

    station: str
    language: str
    words: str
    path: JsonPath = ()
    name: str = ""


def check_lesson(lesson: Lesson, compute: Compute, train: Train) -> Iterator[Mistake]:
    """Yield the mistakes of a lesson whose runs `compute` returns, and whose trainings `train` does."""
    for language in LANGUAGES:
        trainings = {
            each.training.in_language(language) for each in lesson.stations if each.training is not None
        }
        trained = {training: train(training) for training in trainings}
        scene = Scene()
        for station in lesson.stations:
            scene = following(scene, station.scene)
            training = station.training
            results = None if training is None else trained[training.in_language(language)]
            shown = scene.in_language(language)
            yield from station_mistakes(station, shown, language, compute, results)
            if isinstance(compute, SceneRuns) and scene.text is not None:
                found = _class_mistakes(station, shown, language, compute)
                yield from _located(station, language, ("task", "done"), found)


def station_mistakes(
    station: Station,
    scene: Scene,
    language: str,
    compute: Compute,
    trained: Mapping[Labels, LabelResult] | None = None,
    analysed: Mapping[str, Floats] | None = None,
) -> Iterator[Mistake]:
    """Yield what is wrong with a station, whose scene has what it takes over from those before.

    `analysed` has the numbers of analyses where they are known already: `compute` may not be able to run one.
    """
    if scene.text is None:
        missing = Message("there is no text yet: the first station must set one")
        yield Mistake(station.key, language, missing, ("scene",))
        return
    try:
        result, run = _run_of_scene(station, scene, language, compute)
    except AppError as error:
        words = Message.joined((error.message, error.hint)) if error.hint else error.message
        yield Mistake(station.key, language, words, ("scene",))
        return
    except MissingError as error:
        yield Mistake(station.key, language, error.args[0], ("scene",), _named(error))
        return
    head = pair = None
    if scene.query is not None and scene.key is not None:
        head = run.layer, run.head
        pair = pair_numbers(run.trace, *head, run.find(scene.query), run.find(scene.key))
    facts = facts_of(run.trace, result.facts, head, pair)
    yield from _located(station, language, ("text", language), _text_mistakes(station, facts))
    if analysed is None:
        analysed, key = {}, station.task.answer.analysis if isinstance(station.task, TokenTask) else None
        if key in scene.analyses and isinstance(compute, SceneRuns):
            values = token_values(compute.analysed(scene, language, key))
            analysed = {} if values is None else {key: values}
    run = replace(run, trained=trained, analysed=analysed)
    for index, claim in enumerate(station.claims):
        yield from _located(station, language, ("claims", index), false_claims((claim,), run))
    yield from _located(station, language, ("task",), _task_mistakes(station, scene, language, run))


def _run_of_scene(
    station: Station, scene: Scene, language: str, compute: Compute
) -> tuple[TraceResult, QuantityInputs]:
    """Return the run of a scene. Raises AppError, and MissingError for what the scene names and it lacks."""
    result = compute(scene, language)
    run = run_of(result.trace, scene, result.facts.n_parameters)
    hidden = scene.hidden_in(language)
    for token in (scene.query, scene.key, hidden, *(each.token for each in scene.replaced)):
        if token is not None:
            run.find(token)
    for key in scene.analyses:
        find_analysis(key)
    n_layers, n_heads = run.trace.n_layers, run.trace.n_heads
    named = (*station.scene.muted, *station.scene.heads)
    layers = [layer for layer in (station.scene.layer, *(layer for layer, _ in named)) if layer is not None]
    heads = [head for head in (station.scene.head, *(head for _, head in named)) if head is not None]
    for name, indices, count in (
        ("layer", layers, n_layers),
        ("head", heads, n_heads),
        ("state", [] if station.scene.state is None else [station.scene.state], n_layers + 1),
    ):
        for index in indices:
            if index >= count:
                raise MissingError(
                    Message("“{0}” is {1}: this model has {2} to {3}", name, index, 0, count - 1)
                )
    return result, run


def _task_mistakes(station: Station, scene: Scene, language: str, run: QuantityInputs) -> Iterator[str]:
    if station.task is None:
        return
    yield from station.task.mistakes(run)
    untrained = replace(run, trained=None, output=scene.output or 0)  # a learner starts the training
    if not isinstance(station.task, DoTask) or scene.text is None:
        return
    pair = scene.pair.in_language(language) if scene.pair is not None else None
    texts, edits = (scene.text.in_language(language), pair), edits_of(scene, run)
    as_set = ShownWindow(
        untrained,
        texts,
        texts,
        query=run.find(scene.query) if scene.query else None,
        key=run.find(scene.key) if scene.key else None,
        views=scene.views,
        stage=scene.stage or "",
        replaced=edits.replaced,
        muted=edits.muted,
        state=scene.state if "vectors" in scene.views else None,
        language=language,
    )
    if station.task.is_right(as_set):
        yield Message("the task is done before the learner does anything")


def _located(station: Station, language: str, path: JsonPath, found: Iterator[str]) -> Iterator[Mistake]:
    """Yield what was found wrong with a part of the file, also that its run lacks what the part names."""
    try:
        for words in found:
            yield Mistake(station.key, language, words, path)
    except MissingError as error:
        yield Mistake(station.key, language, error.args[0], path, _named(error))


def _named(error: MissingError) -> str:
    """Return what the run lacks, as the file names it; "" where the message has nothing of the kind."""
    words = error.args[0]
    return str(words.arguments[0]) if isinstance(words, Message) and words.arguments else ""


def _text_mistakes(station: Station, facts: Mapping[str, str]) -> Iterator[str]:
    fields = station.text.fields() | station.title.fields()
    if unknown := fields - set(FACTS):
        yield Message(
            "the text has the field “{0}”, which is not one of {1}",
            ", ".join(sorted(unknown)),
            ", ".join(FACTS),
        )
    elif missing := fields - set(facts):
        yield Message("the run has nothing for the field “{0}”", ", ".join(sorted(missing)))


def _class_mistakes(station: Station, scene: Scene, language: str, runs: SceneRuns) -> Iterator[str]:
    """Yield that the class that the task asks for is none of the model's, or already that of the text."""
    task = station.task
    if not isinstance(task, DoTask) or task.done.of != "predicted class":
        return
    try:
        classes = runs.classes(scene, language)
    except (AppError, MissingError):
        return  # what is wrong with the scene is said elsewhere
    name = task.done.text_in(language)
    if name not in classes:
        listed = ", ".join(f"“{each}”" for each in classes)
        yield Message("“{0}” is “{1}”, which is not one of {2}", "text", name, listed)
    elif name == classes[0]:
        yield Message("the task is done before the learner does anything")


class SceneRuns:
    """Computes the runs of scenes, each once."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._results: dict[TraceRequest, TraceResult] = {}

    def __call__(self, scene: Scene, language: str) -> TraceResult:
        """Return the run of a scene in a language. Raises AppError."""
        text = "" if scene.text is None else scene.text.in_language(language)
        pair = None if scene.pair is None else scene.pair.in_language(language)
        request = TraceRequest(scene.model, "auto", text, pair)
        result = self._computed(request)
        return self._computed(replace(request, edits=edits_of(scene, QuantityInputs(result.trace))))

    def classes(self, scene: Scene, language: str) -> tuple[str, ...]:
        """Return the classes that the model of a scene predicts of its text, the likeliest first.

        () without a classifier. Raises AppError.
        """
        result = self(scene, language)
        predicted = self._engine.predict(result.request, result.trace, ()).classes
        return () if predicted is None else tuple(label.name for label in predicted.labels)

    def analysed(self, scene: Scene, language: str, key: str) -> Result:
        """Return the result of an analysis of the run of a scene. Raises AppError."""
        run = self(scene, language)
        return self._engine.analyse(AnalysisRequest.of(run.request, key, {}), run.trace, SILENT)

    def _computed(self, request: TraceRequest) -> TraceResult:
        if request not in self._results:
            self._engine.load(request.ref)
            self._results[request] = self._engine.trace(request)
        return self._results[request]


class _Known(dict[str, str]):
    """Facts, of which those that are not known yet read as an ellipsis."""

    def __missing__(self, key: str) -> str:
        return "…"


def filled(text: str, facts: Mapping[str, str]) -> str:
    """Return a text with the numbers of a run in its fields."""
    return text.format_map(_Known(facts))
