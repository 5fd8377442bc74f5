"""Checks lessons on the numbers: each scene can be set, each task has an answer, each claim is true."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace

from bertviz_app.analysis.pairs import pair_numbers
from bertviz_app.errors import AppError
from bertviz_app.inference.engine import Engine, TraceRequest, TraceResult
from bertviz_app.learning.example_facts import FACTS, facts_of
from bertviz_app.learning.lessons.conditions import Window
from bertviz_app.learning.lessons.lesson import Lesson, Scene, Station
from bertviz_app.learning.lessons.quantities import MissingError, Run
from bertviz_app.learning.lessons.tasks import DoTask
from bertviz_app.learning.words import LANGUAGES
from bertviz_app.text.edits import MASK, Edits

Compute = Callable[[Scene, str], TraceResult]
"""Returns the run of a scene in a language. Raises AppError."""


@dataclass(frozen=True)
class Mistake:
    """What is wrong with a station in one language."""

    station: str
    language: str
    words: str


def following(before: Scene, scene: Scene) -> Scene:
    """Return `scene` with what it leaves out as it was at the station before.

    What was done to a run (a hidden token, a muted head) and what was pinned belongs to one station only.
    """
    kept = {field.name: getattr(before, field.name) for field in fields(Scene)} | {
        "query": None,
        "key": None,
        "hidden": None,
        "muted": None,
        "best_head": False,
    }
    if scene.text is not None:
        kept["pair"] = None
    given = {field.name: getattr(scene, field.name) for field in fields(Scene)}
    # () is "no views given", but as cards it means that none is open.
    kept |= {
        name: value for name, value in given.items() if value is not None and (value != () or name == "cards")
    }
    return Scene(**kept)


def check_lesson(lesson: Lesson, compute: Compute) -> Iterator[Mistake]:
    """Yield the mistakes of a lesson whose runs `compute` returns."""
    for language in LANGUAGES:
        scene = Scene()
        for station in lesson.stations:
            scene = following(scene, station.scene)
            for words in _mistakes(station, scene, language, compute):
                yield Mistake(station.key, language, words)


def _mistakes(station: Station, scene: Scene, language: str, compute: Compute) -> Iterator[str]:
    if scene.text is None:
        yield "there is no text yet: the first station sets one"
        return
    try:
        result = compute(scene, language)
        run = run_of(result, scene)
        for token in (scene.query, scene.key, scene.hidden):
            if token is not None:
                run.find(token)
    except (AppError, MissingError) as error:
        yield str(error)
        return
    unknown = (station.text.fields() | station.title.fields()) - set(FACTS)
    if unknown:
        yield f"the text asks for {', '.join(sorted(unknown))}: not one of {', '.join(FACTS)}"
    elif missing := station.text.fields() - set(_facts(result, run, scene)):
        yield f"the run has no {', '.join(sorted(missing))}"
    if station.task is not None:
        try:
            yield from station.task.mistakes(run)
            if isinstance(station.task, DoTask) and station.task.is_right(_at_start(run, scene, language)):
                yield "the task is done before the learner does anything"
        except MissingError as error:
            yield str(error)


def run_of(result: TraceResult, scene: Scene) -> Run:
    """Return what the quantities of a station are computed from."""
    trace = result.trace
    layer = trace.n_layers - 1 if scene.layer is None else min(scene.layer, trace.n_layers - 1)
    head = trace.n_heads - 1 if scene.head is None else min(scene.head, trace.n_heads - 1)
    return Run(trace, layer, head, result.facts.n_parameters)


def _facts(result: TraceResult, run: Run, scene: Scene) -> dict[str, str]:
    if scene.query is None or scene.key is None:
        return facts_of(run.trace, result.facts)
    pair = pair_numbers(run.trace, run.layer, run.head, run.find(scene.query), run.find(scene.key))
    return facts_of(run.trace, result.facts, (run.layer, run.head), pair)


def _at_start(run: Run, scene: Scene, language: str) -> Window:
    """Return the window as the station sets it."""
    assert scene.text is not None
    pair = scene.pair.in_language(language) if scene.pair is not None else None
    texts = (scene.text.in_language(language), pair)
    return Window(
        run,
        texts,
        texts,
        query=run.find(scene.query) if scene.query else None,
        key=run.find(scene.key) if scene.key else None,
        views=scene.views,
        stage=scene.stage or "",
        replaced=((run.find(scene.hidden), "[MASK]"),) if scene.hidden else (),
        muted=(scene.muted,) if scene.muted else (),
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
        run = Run(result.trace)
        hidden = ((run.find(scene.hidden), MASK),) if scene.hidden else ()
        muted = ((scene.muted[0], scene.muted[1]),) if scene.muted else ()
        return self._computed(replace(request, edits=Edits(muted, hidden)))

    def _computed(self, request: TraceRequest) -> TraceResult:
        if request not in self._results:
            self._engine.load(request.ref)
            self._results[request] = self._engine.trace(request)
        return self._results[request]
