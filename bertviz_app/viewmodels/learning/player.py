"""`LessonPlayer`: the lesson that is open, its station, and whether the learner's answer is right."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject, Signal, Slot

from bertviz_app.learning.lessons.lesson import Lesson, Scene, Station, following, run_of
from bertviz_app.learning.lessons.tasks import (
    ChoiceTask,
    DoTask,
    HeadTask,
    MissingError,
    NumbersTask,
    OrderTask,
    QuantityInputs,
    TokenTask,
)
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.learning.answers import (
    Miss,
    analysed_tokens,
    miss_of_head,
    miss_of_number,
    miss_of_order,
    miss_of_token,
    picked_token,
    right_answer,
    window_of,
)
from bertviz_app.viewmodels.learning.label_trainings import LabelTrainings
from bertviz_app.viewmodels.learning.progress import LessonProgress
from bertviz_app.viewmodels.learning.scene_setter import SceneSetter
from bertviz_app.viewmodels.options import DrawOptionFields
from bertviz_app.viewmodels.runs.saved_trace import SavedResult
from bertviz_app.viewmodels.selection import Pair
from bertviz_app.viewmodels.session.snapshot import Snapshot, SnapshotTaker

Answer = int | tuple[float, ...]
_AS_THE_MODEL_HAS_THEM: DrawOptionFields = {
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
    """

    station_changed = Signal()
    ready = Signal()
    answered = Signal(bool)

    def __init__(self, app_state: AppState, taker: SnapshotTaker, progress: LessonProgress) -> None:
        super().__init__(app_state)
        self._app_state = app_state
        self._taker = taker
        self.progress = progress
        self.lesson: Lesson | None = None
        self.station_index = 0
        self.is_solved = False
        self.wrong_numbers: tuple[int, ...] = ()
        self.miss: Miss | None = None
        self._language = "en"
        self._before: tuple[Snapshot | None, SavedResult | None] = (None, None)
        self.trainings = LabelTrainings(self)
        self.trainings.finished.connect(self._notice_what_is_done)
        state = app_state
        self.setter = SceneSetter(
            state.workspace, state.comparison, state.panels, state.selection, state.overview
        )
        self.setter.set_.connect(self.ready)
        state.selection.picked.connect(self._on_picked)
        state.panels.head_picked.connect(self._on_head_picked)
        for signal in (
            state.selection.changed,
            state.panels.changed,
            state.workspace.shown_changed,
            state.panels.choice_changed,
            state.comparison.changed,
            state.shown_runs.predictions.changed,
        ):
            signal.connect(self._notice_what_is_done)

    @property
    def station(self) -> Station | None:
        return None if self.lesson is None else self.lesson.stations[self.station_index]

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
            self._before = self._taker.take(), self._app_state.workspace.saved
            self._app_state.options.change(**_AS_THE_MODEL_HAS_THEM)
        self.lesson, self._language = lesson, language
        self.go(index)

    def set_language(self, language: str) -> None:
        """Show the station in another language, with the texts of that language."""
        if self.lesson is not None and language != self._language:
            self._language = language
            self.go(self.station_index)

    def go(self, index: int) -> None:
        """Show another station; the first or the last one where there is none of this `index`."""
        if self.lesson is None:
            return
        self.station_index = min(max(index, 0), len(self.lesson.stations) - 1)
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
        self.go(index)

    def next(self) -> None:
        """Go to the next station; one that asks nothing was done by reading it."""
        if self.lesson is not None and self.station is not None and self.station.task is None:
            self.progress.note_done(self.lesson, self.station.key)
        self.go(self.station_index + 1)

    def back(self) -> None:
        """Go to the station before."""
        self.go(self.station_index - 1)

    def leave(self) -> None:
        """Close the lesson and show again what was shown before it."""
        if self.lesson is None:
            return
        (before, saved), self._before = self._before, (None, None)
        self.lesson = None
        self.trainings.cancel()
        self.setter.leave()
        if before is not None and saved is not None:
            self._app_state.workspace.show_saved(saved)
            self._taker.expect_saved(before)
        elif before is not None and before.text:
            self._taker.show(before)
        elif before is not None:  # nothing was shown before: what the lesson shows stays
            self._app_state.options.set(before.options)
        self.station_changed.emit()

    @property
    def scene(self) -> Scene:
        """The scene of the station with what it takes over from those before."""
        scene = Scene()
        if self.lesson is not None:
            for station in self.lesson.stations[: self.station_index + 1]:
                scene = following(scene, station.scene)
        return scene

    @property
    def run(self) -> QuantityInputs | None:
        """The numbers that an answer to the task is checked against: run A and the head of the station."""
        shown, scene = self._app_state.workspace.shown, self.scene
        if shown is None:
            return None
        result = shown.result
        run = run_of(result.trace, scene, result.facts.n_parameters, shown.overview.measures)
        analysed = analysed_tokens(self._app_state, scene)
        return replace(run, trained=self.trainings.results, analysed=analysed)

    # answers

    def answer(self, answer: Answer) -> None:
        """Check an answer to the task of the station: an option, numbers, an order."""
        task, run = self.station.task if self.station is not None else None, self.run
        if run is None or not self.is_ready:
            return
        self.wrong_numbers, self.miss = (), None
        try:
            if isinstance(task, NumbersTask) and not isinstance(answer, int):
                self.wrong_numbers = task.wrong(run, answer)
                if self.wrong_numbers and len(answer) == len(task.answers) == 1:
                    self.miss = miss_of_number(task, run, answer[0])
            if isinstance(answer, int):
                is_right = isinstance(task, ChoiceTask) and task.is_right(run, answer)
            else:
                is_right = isinstance(task, NumbersTask | OrderTask) and task.is_right(run, answer)
        except MissingError:
            is_right = False
        if isinstance(task, OrderTask) and not is_right and not isinstance(answer, int):
            self.miss = miss_of_order(answer)
        self._finish_answer(is_right)

    def right_answer(self) -> str:
        """Return the right answer as words, for who asks to see it; "" where there is none to show."""
        task, run = self.station.task if self.station is not None else None, self.run
        return "" if task is None or run is None else right_answer(task, run, self._language)

    def _finish_answer(self, is_right: bool) -> None:
        if is_right and self.lesson is not None and self.station is not None:
            self.is_solved = True
            self.progress.note_done(self.lesson, self.station.key)
        self.answered.emit(is_right)

    @Slot(object)
    def _on_picked(self, picked: Pair) -> None:
        """Take a click on a token as the answer if the task wants a token."""
        task, run = self._waiting(TokenTask), self.run
        if isinstance(task, TokenTask) and run is not None:
            try:
                token = picked_token(task, run, picked)
                if token is not None:
                    self.miss = miss_of_token(task, run, token)
                    self._finish_answer(task.is_right(run, token))
            except MissingError:
                self.miss = None
                self._finish_answer(is_right=False)

    @Slot(int, int)
    def _on_head_picked(self, layer: int, head: int) -> None:
        """Take a click on a head as the answer if the task wants a head."""
        task, run = self._waiting(HeadTask), self.run
        if isinstance(task, HeadTask) and run is not None:
            try:
                self.miss = miss_of_head(task, run, (layer, head))
                self._finish_answer(task.is_right(run, (layer, head)))
            except MissingError:
                self.miss = None
                self._finish_answer(is_right=False)

    def _waiting(self, kind: type) -> object:
        """Return the task if it is of this kind and waits for an answer."""
        task = self.station.task if self.station is not None else None
        return task if isinstance(task, kind) and self.is_ready and not self.is_solved else None

    @Slot()
    def _notice_what_is_done(self) -> None:
        task, run = self._waiting(DoTask), self.run
        if not isinstance(task, DoTask) or run is None or not self._app_state.workspace.is_current:
            return
        if task.is_right(window_of(self._app_state, run, self.scene, self._language)):
            self._finish_answer(is_right=True)
