"""A lesson that is played: its stations, and how far one has come."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any, Literal, TypeVar

import numpy as np
from PySide6.QtCore import QCoreApplication, QFileSystemWatcher, QObject, QTimer, Signal, Slot

from bertviz_app.errors import FileError
from bertviz_app.features.lessons.course.lesson import Lesson, Scene, Station, run_of, takes, token_values
from bertviz_app.features.lessons.course.reading import duplicate_key, read_lesson, shipped_lessons
from bertviz_app.features.lessons.course.tasks import (
    ChoiceTask,
    DoTask,
    HeadTask,
    MissingError,
    NumbersTask,
    OrderTask,
    QuantityInputs,
    ShownWindow,
    Task,
    TokenTask,
    VoteTask,
)
from bertviz_app.features.lessons.state.pictures import LessonPictures
from bertviz_app.features.lessons.state.scenes import SceneSetter
from bertviz_app.json_store import JsonFile
from bertviz_app.learning.words import TypedText
from bertviz_app.options import Run
from bertviz_app.types import Floats
from bertviz_app.typeset import trimmed
from bertviz_app.values import dataclass, replace
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.label_trainings import LabelTrainings
from bertviz_app.viewmodels.panel import Content
from bertviz_app.viewmodels.state import Pair, WindowState, change_options


@dataclass(frozen=True)
class Miss:
    """What the numbers of the run say of a wrong answer.

    The token or head `name` has `value`, which is the `rank`-th of `count`, counted from 1. Without a name:
    of an order, `rank` items of `count` are where they belong. `side`: of a number, where the right one lies.
    """

    rank: int = 0
    count: int = 0
    name: str = ""
    value: str = ""
    side: Literal["", "larger", "smaller", "other sign"] = ""


def window_of(app_state: AppState, run: QuantityInputs, scene: Scene, language: str) -> ShownWindow:
    """Return what the window shows; `scene` is what it was set to, with its texts in a language."""
    panel, pinned = app_state.panels.active, app_state.selection.pinned
    workspace, state = app_state.workspace, None
    if panel is not None and panel.view_kind == "vectors" and not panel.content.analysis:
        state = panel.layer + 1 if panel.vectors.state is None else panel.vectors.state
    return ShownWindow(
        run,
        (workspace.text, workspace.pair),
        (
            scene.text.in_language(language) if scene.text is not None else "",
            scene.pair.in_language(language) if scene.pair is not None else None,
        ),
        pinned.query,
        pinned.key,
        tuple(each.view_kind for each in app_state.panels.panels),
        panel.steps.stage if panel is not None and panel.view_kind == "steps" else "",
        workspace.edits.replaced,
        workspace.edits.muted,
        app_state.comparison.is_on,
        next(iter(predicted_classes(app_state)), ""),
        state,
        language,
    )


def analysed_tokens(app_state: AppState, scene: Scene) -> dict[str, Floats]:
    """Return what the analyses of a scene give to each token of run A, of those that are computed."""
    shown = app_state.workspace.shown
    found: dict[str, Floats] = {}
    if shown is None:
        return found
    for key in scene.analyses:
        result = app_state.shown_runs.analyses.result_of(Content(key), shown.result.trace)
        values = None if result is None else token_values(result)
        if values is not None:
            found[key] = values
    return found


def predicted_classes(app_state: AppState) -> tuple[str, ...]:
    """Return the classes of the text of run A, the likeliest first; () while none is predicted of it."""
    shown, prediction = app_state.workspace.shown, app_state.shown_runs.predictions.of("A")
    if shown is None or prediction is None or prediction.found is None:
        return ()
    classes = prediction.found.classes
    is_current = prediction.tokens is shown.result.trace.tokens
    return tuple(each.name for each in classes.labels) if classes is not None and is_current else ()


def picked_token(task: TokenTask, run: QuantityInputs, picked: Pair) -> int | None:
    """Return the token that a click answers with, None where it answers nothing. Raises MissingError.

    A click on one token means it; on the token of the task itself, to see its lines, it means nothing, unless
    that is the answer. A click on a line or a cell means its other end, if one end is the token of the task.
    """
    query, key, rule = picked.query, picked.key, task.answer
    is_of_row = rule.of in ("looked at most", "scores least")
    at_query = query is not None and is_of_row and query == run.find(rule.query)
    at_key = key is not None and rule.of == "looks most" and key == run.find(rule.key)
    if query is not None and key is not None:
        return key if at_query else query if at_key else None
    token = key if query is None else query
    is_only_looked_at = (at_query or at_key) and token not in task.answer.positions(run)
    return None if is_only_looked_at else token


def miss_of_token(task: TokenTask, run: QuantityInputs, position: int) -> Miss | None:
    """Return how far the token that was clicked is from the right one, None where no weights decide."""
    weights = task.answer.weights(run)
    if weights is None:
        return None
    ranked = _ranked(-weights if task.answer.is_least else weights, position)
    return Miss(*ranked, run.trace.tokens.labels[position], trimmed(float(weights[position])))


def miss_of_head(task: HeadTask, run: QuantityInputs, head: tuple[int, int]) -> Miss:
    """Return how far the head that was clicked is from the right one."""
    values = task.answer.values(run)
    numbers = (-values if task.answer.least else values).ravel()
    at = int(np.ravel_multi_index(head, values.shape))
    return Miss(*_ranked(numbers, at), f"{head[0]} · {head[1]}", trimmed(float(values[head])))


def miss_of_number(task: NumbersTask, run: QuantityInputs, typed: float) -> Miss:
    """Return on which side of the only number that was typed the right one lies."""
    (right,) = task.right(run)
    nearest = min(task.meanings(typed), key=lambda each: abs(each - right))
    if right and abs(nearest + right) <= task.within:
        return Miss(side="other sign")
    return Miss(side="larger" if right > nearest else "smaller")


@dataclass(frozen=True)
class Checked:
    """Whether an answer is right; which of its `numbers` are wrong, and how far it is from the right one."""

    is_right: bool = False
    numbers: tuple[int, ...] = ()
    miss: Miss | None = None


def checked(task: Task | None, run: QuantityInputs, answer: Any) -> Checked:
    """Check an answer: an option, numbers, an order, a token, or a head (layer, head).

    One to another kind of task is wrong, as is every answer where the run lacks what the task is about.
    """
    with suppress(MissingError):
        if isinstance(task, ChoiceTask):
            return Checked(task.is_right(run, answer))
        if isinstance(task, OrderTask):
            n_right = sum(item == at for at, item in enumerate(answer))
            is_right = task.is_right(run, answer)
            return Checked(is_right, miss=None if is_right else Miss(n_right, len(answer)))
        if isinstance(task, NumbersTask):
            wrong = task.wrong(run, answer)
            is_one = bool(wrong) and len(answer) == len(task.answers) == 1
            miss = miss_of_number(task, run, answer[0]) if is_one else None
            return Checked(task.is_right(run, answer), wrong, miss)
        if isinstance(task, TokenTask):
            return Checked(task.is_right(run, answer), miss=miss_of_token(task, run, answer))
        if isinstance(task, HeadTask):
            return Checked(task.is_right(run, answer), miss=miss_of_head(task, run, answer))
    return Checked()


def _ranked(numbers: Floats, at: int) -> tuple[int, int]:
    """Return the rank of the number at `at`, counted from 1 for the largest, and how many there are."""
    return int((numbers > numbers[at]).sum()) + 1, len(numbers)


def right_answer(task: Task, run: QuantityInputs, language: str) -> str:
    """Return the right answer as words; "" for something to be done, and where the run has no answer."""
    labels = run.trace.tokens.labels
    with suppress(MissingError):
        if isinstance(task, TokenTask):
            return ", ".join(labels[position] for position in sorted(task.answer.positions(run)))
        if isinstance(task, HeadTask):
            return ", ".join(f"{layer} · {head}" for layer, head in task.answer.heads(run))
        if isinstance(task, NumbersTask):
            shares = (f"{100 * value:.1f} %" if task.unit else trimmed(value) for value in task.right(run))
            return ", ".join(shares)
        if isinstance(task, ChoiceTask):
            return task.options[task.right].in_language(language)
        if isinstance(task, OrderTask):
            return " → ".join(item.in_language(language) for item in task.items)
    return ""


_MOST = 10_000


class LessonProgress(QObject):
    """What has been done, by the keys of lessons and stations; a damaged file counts as nothing done."""

    changed = Signal()

    def __init__(self, path: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._file = JsonFile(path)
        content = self._file.read()
        names = "done", "seen", "left"
        done, seen, left = (each if isinstance(each, dict) else {} for each in map(content.get, names))
        self._done, self._seen = (
            {
                key: [one for one in each if isinstance(one, str)]
                for key, each in keys.items()
                if isinstance(each, list)
            }
            for keys in (done, seen)
        )
        self._left = {key: at for key, at in left.items() if isinstance(at, str)}

    def is_done(self, lesson: Lesson, station: str) -> bool:
        """Return whether a station was solved, or read if it asks nothing."""
        return station in self._done.get(lesson.key, ())

    def n_done(self, lesson: Lesson) -> int:
        """Return how many of the stations that the lesson has now are done."""
        return sum(self.is_done(lesson, station.key) for station in lesson.stations)

    def is_seen(self, lesson: Lesson, station: str) -> bool:
        """Return whether a station was shown, solved or not."""
        return self.is_done(lesson, station) or station in self._seen.get(lesson.key, ())

    def last_station(self, lesson: Lesson) -> int:
        """Return the station at which the lesson was left, 0 if it was never begun."""
        keys = [station.key for station in lesson.stations]
        left = self._left.get(lesson.key)
        return keys.index(left) if left in keys else 0

    def note_done(self, lesson: Lesson, station: str) -> None:
        if _added(self._done, lesson.key, station):
            self._save()

    def note_station(self, lesson: Lesson, index: int) -> None:
        key = lesson.stations[index].key
        if _added(self._seen, lesson.key, key) or self._left.get(lesson.key) != key:
            self._left[lesson.key] = key
            self._save()

    def _save(self) -> None:
        self._file.write({"done": self._done, "seen": self._seen, "left": self._left})
        self.changed.emit()


def _added(keys: dict[str, list[str]], lesson: str, station: str) -> bool:
    """Add the key of a station to those of a lesson; return whether it was not there."""
    found = keys.setdefault(lesson, [])
    if station in found or len(found) >= _MOST:
        return False
    found.append(station)
    return True


MOST_HANDS = 999
Answer = int | tuple[float, ...]
_Kind = TypeVar("_Kind", bound=Task)
_AS_THE_MODEL_HAS_THEM: dict[str, Any] = {
    "sentences": "all",
    "hides_special": False,
    "hides_punctuation": False,
    "renormalises": False,
    "joins_words": False,
    "joins_at_spaces": False,
    "numbers": "weight",
}
"""Lessons are about all tokens and their weights, whatever the learner's own drawing leaves out or joins."""


class LessonPlayer(QObject):
    """Goes through a lesson. What was shown before comes back when it is left.

    `station_changed`: another station, or none. `ready`: its scene is shown. `answered(is_right)`: an answer
    was given. `wrong_numbers`: of the numbers that were typed last, which are wrong, counted from 0. `miss`:
    how far the token, head, number or order that was answered last is from the right one.

    `head_missing`: the head of the station, (layer, head), that no panel shows since the learner has gone to
    another one: the arrow keys do that. None when one shows it, or when the task is about no head. The answer
    stays a number of that head, so who reads it off another one is wrong without knowing why.

    `voted`: another number of hands is counted for an option of the question that the class votes on.

    `own`: the learner's own text and second text, those shown before the lesson or typed at a station that is
    about any sentence. Such stations show it; None while there is none.
    """

    station_changed = Signal()
    ready = Signal()
    answered = Signal(bool)
    head_missing = Signal(object)
    voted = Signal()

    def __init__(self, app_state: AppState, progress: LessonProgress, trainings: LabelTrainings) -> None:
        super().__init__(app_state)
        self._app_state = app_state
        self.progress = progress
        self.lesson: Lesson | None = None
        self.station_index = 0
        self.is_solved = False
        self.wrong_numbers: tuple[int, ...] = ()
        self.miss: Miss | None = None
        self.own: tuple[str, str | None] | None = None
        self._hands: dict[str, tuple[int, ...]] = {}
        self._last_hand = 0
        self._language = "en"
        self._before: WindowState | None = None
        self.trainings = trainings
        trainings.setParent(self)
        trainings.finished.connect(self._notice_what_is_done)
        self.setter = SceneSetter(app_state)
        self.pictures = LessonPictures(app_state, trainings, self)
        self.setter.set_.connect(self._on_set)
        app_state.workspace.shown_changed.connect(self._look_for_head)
        app_state.store.watch(("panels", "active"), self._look_for_head)
        app_state.pointer.picked.connect(self._on_picked)
        app_state.panels.head_picked.connect(self._on_head_picked)
        for signal in (
            app_state.selection.changed,
            app_state.workspace.shown_changed,
            app_state.comparison.changed,
            app_state.shown_runs.predictions.changed,
            self.pictures.changed,
        ):
            signal.connect(self._notice_what_is_done)
        app_state.store.watch(("panels", "active"), self._notice_what_is_done)

    @Slot()
    def _on_set(self) -> None:
        self.pictures.begin(self.scene if self.lesson is not None else None, self._language)
        self._look_for_head()
        self.ready.emit()

    @property
    def station(self) -> Station | None:
        return None if self.lesson is None else self.lesson.stations[self.station_index]

    @property
    def task(self) -> Task | None:
        """The task of the station."""
        return None if self.station is None else self.station.task

    @property
    def is_ready(self) -> bool:
        """Whether the scene of the station is shown."""
        return self.lesson is not None and self.setter.is_set

    @property
    def lacks(self) -> str:
        """The name of the checkpoint that the station is about and that this computer lacks."""
        return self.setter.lacks

    def start(self, lesson: Lesson, index: int, language: str) -> None:
        """Open a lesson at one of its stations."""
        if self.lesson is None:
            store = self._app_state.store
            self._before = before = store.now
            self.own = (before.text, before.pair) if before.text.strip() else None
            change_options(store, **_AS_THE_MODEL_HAS_THEM)
            self._hands.clear()
        else:
            self._note_own()
        self.lesson, self._language = lesson, language
        self._set(index)

    def set_language(self, language: str) -> None:
        """Show the station in another language, with the texts of that language."""
        if self.lesson is not None and language != self._language:
            self._language = language
            self.trainings.forget()  # another language has other rows
            self.go(self.station_index)

    def go(self, index: int) -> None:
        """Show another station; the first or the last one where there is none of this `index`."""
        self._note_own()
        self._set(index)

    def _note_own(self) -> None:
        """Keep what the learner has typed at a station that is about any sentence."""
        texts = self._app_state.workspace.text, self._app_state.workspace.pair
        if self.is_ready and texts[0].strip() and texts != self.setter.texts and self._takes(texts[0]):
            self.own = texts

    def reset(self) -> None:
        """Show the station as it is in its file, also without the learner's own sentence."""
        self.own = None
        self._set(self.station_index)

    def peek(self, index: int) -> None:
        """Show another station without noting it as seen, as when the lesson is printed."""
        self._set(index, is_seen=False)

    def _set(self, index: int, *, is_seen: bool = True) -> None:
        if self.lesson is None:
            return
        self.station_index = min(max(index, 0), len(self.lesson.stations) - 1)
        if is_seen:
            self.progress.note_station(self.lesson, self.station_index)
        self.is_solved = False
        self.station_changed.emit()
        self.setter.set_scene(self.scene, self._language)

    def replace(self, lesson: Lesson) -> None:
        """Go on with another version of the open lesson, at the same station if it still has that."""
        if self.station is None:
            return
        keys = [station.key for station in lesson.stations]
        index = keys.index(self.station.key) if self.station.key in keys else self.station_index
        self.lesson = lesson
        self._set(index)

    def next(self) -> None:
        """Go to the next station."""
        self.note_read()
        self.go(self.station_index + 1)

    def note_read(self) -> None:
        """Note that a station which asks nothing was done by reading it."""
        if self.lesson is not None and self.station is not None and self.station.task is None:
            self.progress.note_done(self.lesson, self.station.key)

    def leave(self, *, keeps: bool = False) -> None:
        """Close the lesson and show again what was shown before it; `keeps`: go on with what it shows."""
        if self.lesson is None:
            return
        before, self._before = self._before, None
        self.lesson = None
        self.trainings.cancel()
        self.setter.leave()
        self.pictures.begin(None)
        if before is not None and before.text and not keeps:
            self._app_state.store.restore(before)
            # A scene without a run B has taken its panels from the rooms that were left before.
            self._app_state.store.change("amend", left=before.left)
        elif before is not None:  # what the lesson shows stays
            self._app_state.store.change(options=before.options)
        self.station_changed.emit()

    @property
    def scene(self) -> Scene:
        """The scene of the station with what it takes over from those before, and the learner's own text."""
        scene = self._scene
        if self.keeps_own and self.own is not None:
            text, pair = self.own
            scene = replace(scene, text=TypedText(text, text), pair=TypedText(pair, pair) if pair else None)
        return scene.in_language(self._language)

    @property
    def _scene(self) -> Scene:
        if self.lesson is None or self.station is None:
            return Scene()
        return self.lesson.scene_of(self.station)

    @property
    def keeps_own(self) -> bool:
        """Whether the station shows the learner's own sentence."""
        return self.own is not None and self._takes(self.own[0])

    @property
    def lacks_own(self) -> bool:
        """Whether the station shows another sentence than the learner's own."""
        text = self.scene.text
        return self.own is not None and text is not None and text.in_language(self._language) != self.own[0]

    def _takes(self, text: str) -> bool:
        return self.station is not None and takes(self.station, self._scene, text)

    @property
    def run(self) -> QuantityInputs | None:
        """The numbers that an answer to the task is checked against: run A and the head of the station."""
        shown, scene = self._app_state.workspace.shown, self.scene
        if shown is None:
            return None
        result = shown.result
        run = run_of(result.trace, scene, result.facts.n_parameters, shown.overview.measures)
        run = replace(run, trained=self.trainings.results, analysed=analysed_tokens(self._app_state, scene))
        if (panel := self._app_state.panels.active) is not None:
            run = replace(run, divisor=panel.steps.divisor, output=panel.parameters.output)
        return run

    # answers

    def answer(self, answer: Answer) -> None:
        """Check an answer to the task of the station: an option, numbers, an order."""
        run = self.run
        if run is not None and self.is_ready:
            self._finish_answer(checked(self.task, run, answer))

    def pick(self) -> bool:
        """Answer with the token or head that the arrow keys came to; return whether the task wants one."""
        panels, active = self._app_state.panels, self._app_state.panels.active
        if self._waiting(TokenTask) is not None:
            self._app_state.selection.pick()
        elif self._waiting(HeadTask) is None:
            return False
        elif active is not None:
            panels.head_picked.emit(active.layer, active.head)
        return True

    def right_answer(self) -> str:
        """Return the right answer as words, for who asks to see it; "" where there is none to show."""
        task, run = self.task, self.run
        return "" if task is None or run is None else right_answer(task, run, self._language)

    def _finish_answer(self, found: Checked) -> None:
        self.miss, self.wrong_numbers = found.miss, found.numbers
        if found.is_right and self.lesson is not None and self.station is not None:
            self.is_solved = True
            self.progress.note_done(self.lesson, self.station.key)
        self.answered.emit(found.is_right)

    @property
    def hands(self) -> tuple[int, ...]:
        """How many hands are counted for each option of a vote; () where the station has none."""
        if self.station is None or not isinstance(self.task, VoteTask):
            return ()
        n_options = len(self.task.options)
        return (*self._hands.get(self.station.key, ()), *[0] * n_options)[:n_options]

    @Slot(int, int)
    def count_hands(self, option: int, hands: int) -> None:
        """Count so many hands for an option; nothing where there is no such option."""
        counted = list(self.hands)
        if self.station is not None and option < len(counted):
            counted[option] = min(max(0, hands), MOST_HANDS)
            self._hands[self.station.key] = tuple(counted)
            self.voted.emit()

    def raise_hand(self, option: int) -> None:
        """Count one hand more for an option."""
        if option < len(self.hands):
            self._last_hand = option
            self.count_hands(option, self.hands[option] + 1)

    def take_hand_back(self) -> None:
        """Count one hand less for the option that got the last one."""
        if self._last_hand < len(self.hands):
            self.count_hands(self._last_hand, self.hands[self._last_hand] - 1)

    def reveal(self) -> None:
        """Show the right answer of a vote; nothing where the station has none."""
        if isinstance(self.task, VoteTask) and self.is_ready and not self.is_solved:
            self._finish_answer(Checked(is_right=True))

    @Slot(str, object)
    def _on_picked(self, of: Run, picked: Pair) -> None:
        """Take a click on a token of run A as the answer if the task wants a token."""
        if of != "A" or (waiting := self._waiting(TokenTask)) is None:
            return
        try:
            token = picked_token(*waiting, picked)
        except MissingError:
            self._finish_answer(Checked())
        else:
            if token is not None:
                self._finish_answer(checked(*waiting, token))

    @Slot(int, int)
    def _on_head_picked(self, layer: int, head: int) -> None:
        """Take a click on a head as the answer if the task wants a head."""
        if (waiting := self._waiting(HeadTask)) is not None:
            self._finish_answer(checked(*waiting, (layer, head)))

    def _waiting(self, kind: type[_Kind]) -> tuple[_Kind, QuantityInputs] | None:
        """Return the task, and the run it is about, if it is of this kind and waits for an answer."""
        task = self.task
        if not isinstance(task, kind) or not self.is_ready or self.is_solved:
            return None
        run = self.run
        return None if run is None else (task, run)

    @Slot()
    def _notice_what_is_done(self) -> None:
        waiting = self._waiting(DoTask)
        if waiting is None or not self._app_state.workspace.is_current:
            return
        task, run = waiting
        window = window_of(self._app_state, run, self.scene, self._language)
        if task.is_right(replace(window, drawn=self.pictures.seed)):
            self._finish_answer(Checked(is_right=True))

    @Slot()
    def show_head(self) -> None:
        """Show the head of the station in the active panel."""
        if (at := self._missing_head()) is not None:
            self._app_state.panels.show(*at, is_picked=False)

    @Slot()
    def _look_for_head(self) -> None:
        self.head_missing.emit(self._missing_head())

    def _missing_head(self) -> tuple[int, int] | None:
        task = self.task
        if task is None or not task.is_about_station_head or not self.is_ready:
            return None
        run, panels = self.run, self._app_state.panels.panels
        shown = {(panel.layer, head) for panel in panels for head in panel.shown_heads}
        return None if run is None or (run.layer, run.head) in shown else (run.layer, run.head)


MOST = 100
"""The largest number of files of the folder that are read."""
_SETTLES_MS = 150
"""An editor writes a file in several steps: it is read when it has not changed for this time."""


@dataclass(frozen=True)
class OwnLesson:
    """A lesson file: the lesson, or the error that says what is wrong with the file."""

    path: Path
    lesson: Lesson | None = None
    error: FileError | None = None


class OwnLessons(QObject):
    """The files `*.json` of a folder in the order of their names, and those that were opened elsewhere.

    `changed`: a file was added, removed, or has another content.
    """

    changed = Signal()

    def __init__(self, folder: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.folder = folder
        self.lessons: tuple[OwnLesson, ...] = ()
        self.n_unread = 0
        """How many files of the folder are not read, since there are more than `MOST`."""
        self._opened: dict[Path, OwnLesson] = {}
        self._read: dict[Path, tuple[tuple[int, int], OwnLesson]] = {}
        self._watcher = QFileSystemWatcher(self)
        self._timer = QTimer(self, singleShot=True, interval=_SETTLES_MS)
        self._watcher.directoryChanged.connect(self._timer.start)
        self._watcher.fileChanged.connect(self._timer.start)
        self._timer.timeout.connect(self.refresh)

    def set_folder(self, folder: Path) -> None:
        """Read another folder from now on."""
        self.folder = folder
        self.refresh()

    def refresh(self) -> None:
        """Read what is new in the folder, and what has changed."""
        before = self.lessons, dict(self._opened), self.n_unread
        paths = lesson_files(self.folder)
        self.n_unread = max(0, len(paths) - MOST)
        keys = {lesson.key for lesson in shipped_lessons()}
        found = []
        for own in map(self._lesson_in, paths[:MOST]):
            if own.lesson is not None and own.lesson.key in keys:  # the two would share their progress
                own = OwnLesson(own.path, error=duplicate_key(own.path, own.lesson.key))
            elif own.lesson is not None:
                keys.add(own.lesson.key)
            found.append(own)
        self.lessons = tuple(found)
        self._opened = {path: self._lesson_in(path) for path in self._opened}
        self._watch()
        if (self.lessons, self._opened, self.n_unread) != before:
            self.changed.emit()

    def open(self, path: Path) -> Lesson:
        """Return the lesson in a file, which is watched from now on. Raises FileError."""
        lesson = read_lesson(path)
        self._opened[path] = OwnLesson(path, lesson)
        self._watch()
        return lesson

    def at(self, path: Path) -> OwnLesson | None:
        """Return what is in a file of the folder, or in one that was opened elsewhere."""
        return next((own for own in self.lessons if own.path == path), self._opened.get(path))

    def _lesson_in(self, path: Path) -> OwnLesson:
        """Return what is in a file, which is read again when its time or its size has changed."""
        mark = 0, -1
        with suppress(OSError):
            mark = path.stat().st_mtime_ns, path.stat().st_size
        if path not in self._read or self._read[path][0] != mark:
            try:
                own = OwnLesson(path, read_lesson(path))
            except FileError as error:
                own = OwnLesson(path, error=error)
            self._read[path] = mark, own
        return self._read[path][1]

    def _watch(self) -> None:
        """Watch the folder and each file: an editor that replaces a file ends the watching of the old one."""
        watched = {*self._watcher.files(), *self._watcher.directories()}
        paths = (self.folder, *(own.path for own in self.lessons), *self._opened)
        if more := [str(path) for path in paths if str(path) not in watched and path.exists()]:
            self._watcher.addPaths(more)


def unread_words(n_unread: int) -> str:
    """Return that so many files of the folder are not read, "" of none."""
    if not n_unread:
        return ""
    return QCoreApplication.translate(
        "OwnLessons",
        "The folder has more files than the {0} that are read: the last {1} by name are left out.",
    ).format(MOST, n_unread)


def lesson_files(folder: Path) -> list[Path]:
    """Return all lesson files of a folder in the order of their names; [] of one that cannot be read."""
    try:
        return sorted(path for path in folder.glob("*.json") if not path.name.startswith("."))
    except OSError:
        return []
