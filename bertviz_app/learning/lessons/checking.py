"""Checks lessons on the numbers: each scene can be set, each task has an answer, each claim is true."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from bertviz_app.analysis.catalogue import find_analysis
from bertviz_app.analysis.pairs import pair_numbers
from bertviz_app.analysis.reporter import SILENT
from bertviz_app.analysis.results import Result
from bertviz_app.errors import AppError, Message
from bertviz_app.inference.engine import AnalysisRequest, Engine, TraceRequest, TraceResult
from bertviz_app.inference.training.labels import LabelResult, Labels, LabelTraining, train_labels
from bertviz_app.learning.example_facts import FACTS, facts_of
from bertviz_app.learning.lessons.conditions import ShownWindow
from bertviz_app.learning.lessons.json_lines import JsonPath
from bertviz_app.learning.lessons.lesson import Lesson, Scene, Station
from bertviz_app.learning.lessons.quantities import MissingError, QuantityInputs
from bertviz_app.learning.lessons.scenes import edits_of, following, run_of, token_values
from bertviz_app.learning.lessons.tasks import DoTask, TokenTask, false_claims
from bertviz_app.learning.words import LANGUAGES
from bertviz_app.types import Floats

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


def check_lesson(lesson: Lesson, compute: Compute, train: Train = train_labels) -> Iterator[Mistake]:
    """Yield the mistakes of a lesson whose runs `compute` returns, and whose trainings `train` does."""
    trained = {
        training: train(training) for each in lesson.stations if (training := each.training) is not None
    }
    for language in LANGUAGES:
        scene = Scene()
        for station in lesson.stations:
            scene = following(scene, station.scene)
            results = None if station.training is None else trained[station.training]
            yield from station_mistakes(station, scene, language, compute, results)
            if isinstance(compute, SceneRuns) and scene.text is not None:
                for words in _class_mistakes(station, scene, language, compute):
                    yield Mistake(station.key, language, words, ("task", "done"))


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
    for words in _text_mistakes(station, _facts(result, run, scene)):
        yield Mistake(station.key, language, words, ("text", language))
    if analysed is None:
        analysed = _analysed(station, scene, language, compute)
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
    for token in (scene.query, scene.key, scene.hidden, *(each.token for each in scene.replaced)):
        if token is not None:
            run.find(token)
    for key in scene.analyses:
        find_analysis(key)
    _check_indices(station.scene, run)
    return result, run


def _analysed(station: Station, scene: Scene, language: str, compute: Compute) -> dict[str, Floats]:
    """Return what the analysis that the task is about gives to each token, if the station shows it."""
    key = station.task.answer.analysis if isinstance(station.task, TokenTask) else None
    if key not in scene.analyses or not isinstance(compute, SceneRuns):
        return {}
    values = token_values(compute.analysed(scene, language, key))
    return {} if values is None else {key: values}


def _task_mistakes(station: Station, scene: Scene, language: str, run: QuantityInputs) -> Iterator[str]:
    if station.task is None:
        return
    yield from station.task.mistakes(run)
    untrained = replace(run, trained=None)  # a learner starts the training
    if isinstance(station.task, DoTask) and station.task.is_right(_at_start(untrained, scene, language)):
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


def _check_indices(scene: Scene, run: QuantityInputs) -> None:
    """Raise for a layer, a head or a hidden state that the station names and its model lacks."""
    n_layers, n_heads = run.trace.n_layers, run.trace.n_heads
    layers = [layer for layer in (scene.layer, *(layer for layer, _ in scene.muted)) if layer is not None]
    heads = [head for head in (scene.head, *(head for _, head in scene.muted)) if head is not None]
    for name, indices, count in (
        ("layer", layers, n_layers),
        ("head", heads, n_heads),
        ("state", [] if scene.state is None else [scene.state], n_layers + 1),
    ):
        for index in indices:
            if index >= count:
                raise MissingError(
                    Message("“{0}” is {1}: this model has {2} to {3}", name, index, 0, count - 1)
                )


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


def _facts(result: TraceResult, run: QuantityInputs, scene: Scene) -> dict[str, str]:
    if scene.query is None or scene.key is None:
        return facts_of(run.trace, result.facts)
    pair = pair_numbers(run.trace, run.layer, run.head, run.find(scene.query), run.find(scene.key))
    return facts_of(run.trace, result.facts, (run.layer, run.head), pair)


def _class_mistakes(station: Station, scene: Scene, language: str, runs: SceneRuns) -> Iterator[str]:
    """Yield that the class that the task asks for is none of the model's, or already that of the text."""
    task = station.task
    if not isinstance(task, DoTask) or task.done.of != "predicted class":
        return
    try:
        classes = runs.classes(scene, language)
    except (AppError, MissingError):
        return  # what is wrong with the scene is said elsewhere
    name = task.done.text
    if name not in classes:
        listed = ", ".join(f"“{each}”" for each in classes)
        yield Message("“{0}” is “{1}”, which is not one of {2}", "text", name, listed)
    elif name == classes[0]:
        yield Message("the task is done before the learner does anything")


def _at_start(run: QuantityInputs, scene: Scene, language: str) -> ShownWindow:
    """Return the window as the station sets it."""
    assert scene.text is not None
    pair = scene.pair.in_language(language) if scene.pair is not None else None
    texts = (scene.text.in_language(language), pair)
    edits = edits_of(scene, run)
    return ShownWindow(
        run,
        texts,
        texts,
        query=run.find(scene.query) if scene.query else None,
        key=run.find(scene.key) if scene.key else None,
        views=scene.views,
        stage=scene.stage or "",
        replaced=edits.replaced,
        muted=edits.muted,
    )


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
        request = AnalysisRequest.of(run.request, key, {})
        return self._engine.analyse(request, run.trace, SILENT)

    def _computed(self, request: TraceRequest) -> TraceResult:
        if request not in self._results:
            self._engine.load(request.ref)
            self._results[request] = self._engine.trace(request)
        return self._results[request]
