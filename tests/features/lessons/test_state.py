"""Lessons: answers to tasks, the user's own files, progress, and the trainings of a station."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from bertviz_app.errors import FileError
from bertviz_app.features.lessons.course.lesson import Lesson
from bertviz_app.features.lessons.course.reading import parse_lesson, read_lesson
from bertviz_app.features.lessons.course.tasks import (
    AskedNumber,
    ChoiceTask,
    HeadRule,
    HeadTask,
    NumbersTask,
    QuantityInputs,
    TokenRule,
    TokenTask,
)
from bertviz_app.features.lessons.state import player as module
from bertviz_app.features.lessons.state.player import (
    LessonProgress,
    OwnLessons,
    miss_of_head,
    miss_of_token,
    picked_token,
    right_answer,
)
from bertviz_app.features.training.finetuning.settings import TuningEvaluation, TuningStep
from bertviz_app.features.training.label_trainings import TrainedLabels
from bertviz_app.features.training.process.labels import train_labels
from bertviz_app.learning.label_training import LabelResult, LabelTraining
from bertviz_app.learning.words import Words
from bertviz_app.viewmodels.state import Pair
from tests.support.factories import make_trace
from tests.support.lesson_scene import LESSON, STATIONS
from tests.support.scene import turn_events
from tests.support.training_scene import FakeLaunch, tuning_report

TRACE = make_trace(9)  # [CLS] w1 ... w7 [SEP]


RUN = QuantityInputs(TRACE, 1, 2)


COMMON: dict[str, Any] = {name: Words("text", "글") for name in ("ask", "hint", "why")}


def numbers_task(*answers: AskedNumber, **settings: Any) -> NumbersTask:
    return NumbersTask(answers=answers, **COMMON, **settings)


TINY = LabelTraining(n_rows=16, epochs=1)


def step(number: int, accuracy: float) -> TuningStep:
    return TuningStep(
        step=number,
        share=number / 3,
        seconds=1.0,
        n_tokens=10,
        tokens_per_second=10.0,
        rate=1e-4,
        epoch=1 + number // 2,
        loss=0.5,
        accuracy=accuracy,
    )


def write_log(folder: Path, accuracies: tuple[float, ...], held_out: float) -> None:
    folder.mkdir()
    result = TuningEvaluation(3, 20, 0.6, held_out, 0.5, ("0", "1"), ((5, 5), (5, 5)))
    steps = [step(number, accuracy) for number, accuracy in enumerate(accuracies, start=1)]
    lines = [{"kind": "step", **asdict(one)} for one in steps] + [{"kind": "held-out", **asdict(result)}]
    (folder / "log.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


@pytest.fixture
def launch() -> FakeLaunch:
    return FakeLaunch()


@pytest.fixture
def trainings(qtbot: QtBot, launch: FakeLaunch) -> TrainedLabels:
    trainings = TrainedLabels()
    trainings.launch = launch
    return trainings


OWN_WORDS = {"en": "Text", "ko": "글"}


OWN_LESSON: dict[str, Any] = {
    "key": "mine",
    "title": OWN_WORDS,
    "summary": OWN_WORDS,
    "minutes": 5,
    "stations": [{"key": "one", "title": OWN_WORDS, "text": OWN_WORDS, "scene": {"text": OWN_WORDS}}],
}


def write(path: Path, **changes: Any) -> Path:
    path.write_text(json.dumps(OWN_LESSON | changes, ensure_ascii=False, indent=1), encoding="utf-8")
    return path


@pytest.fixture
def own(qtbot: QtBot, tmp_path: Path) -> OwnLessons:
    own = OwnLessons(tmp_path)
    own.refresh()
    return own


def titles(own: OwnLessons) -> list[str]:
    return [each.lesson.title.en if each.lesson else str(each.error) for each in own.lessons]


def test_the_right_answer_is_written_as_one_writes_numbers_or_not_at_all() -> None:
    # the answer is written as one writes numbers
    task = numbers_task(
        AskedNumber("number", value=7),
        AskedNumber("number", value=-0.75),
        AskedNumber("number", value=0.12346),
    )
    assert right_answer(task, RUN, "en") == "7, −0.75, 0.1235"
    # a share is written as a percentage
    run = replace(RUN, trained={"real": LabelResult(0.99, 0.7325, 0.5)})
    task = numbers_task(AskedNumber("held_out_accuracy", labels="real"), unit="%")
    assert right_answer(task, run, "en") in ("73.2 %", "73.3 %")
    # a task whose run has no answer has none in words
    assert right_answer(numbers_task(AskedNumber("held_out_accuracy", labels="real")), RUN, "en") == ""


def test_a_token_is_picked_by_its_line_and_a_wrong_one_has_a_rank() -> None:
    # a click on a line means its other end only from the token of the task
    task = TokenTask(answer=TokenRule(of="looked at most", query="w2"), **COMMON)
    assert picked_token(task, RUN, Pair(2, 5)) == 5
    assert picked_token(task, RUN, Pair(3, 5)) is None
    assert picked_token(task, RUN, Pair(4, None)) == 4
    (right,) = task.answer.positions(RUN)
    assert picked_token(task, RUN, Pair(2, None)) == (2 if right == 2 else None)
    backwards = TokenTask(answer=TokenRule(of="looks most", key="w2"), **COMMON)
    assert picked_token(backwards, RUN, Pair(5, 2)) == 5
    assert picked_token(backwards, RUN, Pair(5, 3)) is None
    # a wrong token has the rank of its weight
    task = TokenTask(answer=TokenRule(of="looked at most", query="w2"), **COMMON)
    weights = TRACE.attention(1, 2)[2]
    third = int(np.argsort(weights)[-3])
    miss = miss_of_token(task, RUN, third)
    assert miss is not None
    assert (miss.rank, miss.count, miss.name) == (3, 9, TRACE.tokens.labels[third])
    assert abs(float(miss.value) - weights[third]) <= 0.00005


def test_the_right_option_is_written_in_the_language_of_the_window() -> None:
    task = ChoiceTask(options=(Words("one", "하나"), Words("two", "둘")), right=1, claims=(), **COMMON)
    assert (right_answer(task, RUN, "en"), right_answer(task, RUN, "ko")) == ("two", "둘")


def test_a_wrong_head_has_the_rank_of_its_value_from_the_right_end() -> None:
    task = HeadTask(answer=HeadRule(measure="entropy"), **COMMON)
    values = task.answer.values(RUN)
    layer, head = divmod(int(values.argmin()), values.shape[1])
    miss = miss_of_head(task, RUN, (layer, head))
    assert (miss.rank, miss.count, miss.name) == (values.size, values.size, f"{layer} · {head}")
    backwards = replace(task, answer=HeadRule(measure="entropy", least=True))
    assert miss_of_head(backwards, RUN, (layer, head)).rank == 1


def test_both_are_trained_at_once(qtbot: QtBot, trainings: TrainedLabels, launch: FakeLaunch) -> None:
    trainings.start(TINY)
    assert [process.job.out.name for process in launch.processes] == ["real", "random"]
    assert all(process.is_started for process in launch.processes)
    real, dealt = launch.processes
    with qtbot.waitSignal(trainings.changed):
        real.received(tuning_report(1, share=0.25))
    assert (trainings.progress["real"].share, trainings.progress["random"].share) == (0.25, 0.0)
    write_log(real.job.out, (0.0, 0.5, 1.0), 0.75)
    write_log(dealt.job.out, (0.0, 1.0, 1.0), 0.45)
    with qtbot.waitSignal(trainings.changed):
        real.ended(0)
    assert trainings.is_running
    folder = dealt.job.out.parent
    with qtbot.waitSignal(trainings.finished):
        dealt.ended(0)
    results = trainings.results
    assert (results["real"].training_accuracy, results["real"].held_out_accuracy) == (0.75, 0.75)
    assert (results["random"].training_accuracy, results["random"].held_out_accuracy) == (1.0, 0.45)
    assert not trainings.is_running
    assert not folder.exists()


def test_they_are_stopped(qtbot: QtBot, trainings: TrainedLabels, launch: FakeLaunch) -> None:
    trainings.start(TINY)
    old = launch.processes[0]
    trainings.cancel()
    assert all(process.is_closed for process in launch.processes)
    assert not trainings.is_running
    assert trainings.progress == {}
    old.received(tuning_report(1))  # what still arrives is of the old ones
    old.ended(0)
    trainings.start(TINY)
    turn_events()
    assert len(launch.processes) == 4
    assert trainings.progress["real"].share == 0
    assert trainings.problem == ""
    trainings.close()
    assert not launch.newest.job.out.parent.exists()


def test_the_error_of_a_process_is_the_problem_and_there_are_no_results(
    qtbot: QtBot, trainings: TrainedLabels, launch: FakeLaunch
) -> None:
    trainings.start(TINY)
    real, dealt = launch.processes
    with qtbot.waitSignal(trainings.changed):
        real.received(
            {"kind": "error", "message": "There is not enough memory to train this model.", "hint": ""}
        )
    for process in (real, dealt):
        with qtbot.waitSignal(trainings.changed):
            process.ended(1)
    assert trainings.problem == "There is not enough memory to train this model."
    assert trainings.results == {}


@pytest.mark.slow
def test_the_real_thing_has_the_numbers_of_the_check(qtbot: QtBot) -> None:
    trainings = TrainedLabels()
    with qtbot.waitSignal(trainings.finished, timeout=120_000):
        trainings.start(TINY)
    assert trainings.problem == ""
    assert trainings.results == train_labels(TINY)


def test_without_room_for_its_files_there_is_a_problem(
    trainings: TrainedLabels, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(prefix: str) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tempfile.mkdtemp", refuse)
    trainings.start(TINY)
    assert "No space left" in trainings.problem
    assert not trainings.is_running


def test_own_files_are_listed_with_what_is_wrong_with_them(own: OwnLessons, tmp_path: Path) -> None:
    # files are listed by name with what is wrong with them
    write(tmp_path / "b.json", title={"en": "B", "ko": "나"})
    write(tmp_path / "a.json", key="other", title={"en": "A", "ko": "가"})
    write(tmp_path / "c.json", key="third", minutes="long")
    (tmp_path / "notes.txt").write_text("no lesson")
    (tmp_path / ".hidden.json").write_text("no lesson")
    own.refresh()
    assert titles(own) == ["A", "B", 'c.json, line 11: minutes: "long" is not a whole number']
    # a key that another lesson has is a mistake
    write(tmp_path / "a.json", key="self-attention")
    write(tmp_path / "b.json")
    write(tmp_path / "c.json")
    own.refresh()
    assert [each.lesson is None for each in own.lessons] == [True, False, True]
    assert str(own.lessons[0].error).startswith("a.json, line 2: the key “self-attention” is that of another")
    assert "“mine”" in str(own.lessons[2].error)


def test_a_change_of_a_file_is_noticed(qtbot: QtBot, own: OwnLessons, tmp_path: Path) -> None:
    with qtbot.waitSignal(own.changed):
        path = write(tmp_path / "a.json")
    with qtbot.waitSignal(own.changed):
        write(path, title={"en": "Changed", "ko": "바뀜"})
    assert titles(own) == ["Changed"]
    beside = write(tmp_path / "a.new", title={"en": "Replaced", "ko": "바뀜"})
    with qtbot.waitSignal(own.changed):  # as editors write: another file takes the name
        beside.replace(path)
    assert titles(own) == ["Replaced"]
    with qtbot.waitSignal(own.changed):
        write(path, title={"en": "Again", "ko": "바뀜"})
    with qtbot.waitSignal(own.changed):
        path.unlink()
    assert own.lessons == ()


def test_a_file_elsewhere_is_watched_once_it_is_open(
    qtbot: QtBot, own: OwnLessons, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = write(tmp_path_factory.mktemp("elsewhere") / "x.json")
    assert own.open(path).key == "mine"
    with qtbot.waitSignal(own.changed):
        path.write_text("oops", encoding="utf-8")
    found = own.at(path)
    assert found is not None
    assert "line 1" in str(found.error)
    assert own.lessons == ()
    with pytest.raises(FileError):
        own.open(path)


def test_a_file_that_disappears_while_its_key_is_compared_is_a_mistake_like_others(
    own: OwnLessons, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "a.json", key="self-attention")
    read = read_lesson

    def read_and_remove(path: Path) -> Lesson:
        lesson = read(path)
        path.unlink()
        return lesson

    monkeypatch.setattr(module, "read_lesson", read_and_remove)
    own.refresh()
    assert not path.exists()
    assert str(own.lessons[0].error).startswith("a.json, line 1: the key “self-attention” is that of another")


def test_stations_that_a_lesson_no_longer_has_are_not_counted(tmp_path: Path) -> None:
    lesson = parse_lesson(json.dumps(LESSON), "lesson.json")
    progress = LessonProgress(tmp_path / "lessons.json")
    progress.note_done(lesson, lesson.stations[0].key)
    progress.note_done(lesson, lesson.stations[1].key)
    progress.note_station(lesson, 1)
    shorter = parse_lesson(json.dumps(LESSON | {"stations": [STATIONS[0], STATIONS[2]]}), "lesson.json")
    for again in (progress, LessonProgress(tmp_path / "lessons.json")):
        assert (again.n_done(lesson), again.last_station(lesson)) == (2, 1)
        assert (again.n_done(shorter), again.last_station(shorter)) == (1, 0)
