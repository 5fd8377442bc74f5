"""All lessons from end to end, by clicks, in a window on the real checkpoints."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

import pytest
from PySide6.QtWidgets import QApplication, QLabel

from bertviz_app.features.lessons.course.lesson import Lesson, Station
from bertviz_app.features.lessons.course.reading import shipped_lessons
from bertviz_app.features.lessons.course.tasks import DoTask
from bertviz_app.features.lessons.state.player import LessonPlayer
from bertviz_app.features.lessons.views.course import EndPicture
from bertviz_app.features.lessons.window.lessons import Lessons
from bertviz_app.features.lessons.window.targets import Pointer
from bertviz_app.features.training.label_trainings import TrainedLabels
from bertviz_app.learning.label_training import LABELS, LabelProgress, LabelResult
from tests.pictures.studio import Studio
from tests.support.lesson_scene import Learner
from tests.support.training_scene import FakeLaunch
from tests.support.window_fixtures import put_back

OWN = "내 문장을 쓴다"


@pytest.fixture(scope="module")
def studio(qapp: QApplication, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    """A dark Korean window on the real checkpoints."""
    with put_back(qapp):
        studio = Studio(tmp_path_factory.mktemp("settings"), "dark")
        studio.window.frame.status.show()  # without it the bars fold, as in a presentation
        studio.window.appearance.choose_language("ko")
        studio.open("bert-mini-en-ko")
        yield studio
        studio.window.appearance.choose_language("en")
        studio.close()


@pytest.fixture
def learner(studio: Studio) -> Learner:
    return Learner(studio.window, studio.until)


def test_without_a_second_sentence_the_pooler_asks_for_one(studio: Studio, learner: Learner) -> None:
    """The model reads from the pooled vector whether the second of two sentences follows."""
    workspace = studio.app_state.workspace
    learner.write(OWN)
    studio.until(lambda: workspace.is_current and workspace.text == OWN)
    lessons = studio.window.part(Lessons)
    lessons.open_lesson(next(each for each in shipped_lessons() if each.key == "output"))
    lessons.player.go(2)
    middle = studio.window.main_area.middle

    def texts() -> list[str]:
        return [each.text() for each in middle.findChildren(QLabel) if each.isVisible()]

    try:
        studio.until(lambda: any(text.startswith("둘째 문장을 더해 보세요") for text in texts()))
        assert workspace.pair is None
    finally:
        lessons.player.go(0)  # where the lesson goes on when it is opened again
        lessons.leave()


@pytest.mark.parametrize("lesson", shipped_lessons(), ids=lambda lesson: lesson.key)
def test_every_station_is_done_by_clicks(lesson: Lesson, studio: Studio, learner: Learner) -> None:
    learner.write(OWN)
    workspace = studio.app_state.workspace
    studio.until(lambda: workspace.is_current and workspace.text == OWN)
    if studio.app_state.selection.pinned.query != 2:  # a second click would let it go
        learner.click_token(2)
    lessons = studio.window.part(Lessons)
    trainings = lessons.player.trainings
    assert isinstance(trainings, TrainedLabels)
    trainings.launch = FakeLaunch()
    lessons.catalogue.open_list()
    learner.click(lessons.catalogue.page.buttons[shipped_lessons().index(lesson)])
    for index, station in enumerate(lesson.stations):
        studio.until(partial(_is_at, lessons.player, index))
        _do(learner, studio, station)
        if index == 1:
            learner.click(learner.card.back_button)
            studio.until(partial(_is_at, lessons.player, 0))
            learner.choose_station(1)
            studio.until(lambda: lessons.player.is_ready and lessons.player.station_index == 1)
        learner.click(learner.card.next_button)
    assert lessons.player.progress.n_done(lesson) == len(lesson.stations)
    assert lessons.is_open
    end, picture = learner.card.end, studio.window.main_area.middle.picture
    assert isinstance(picture, EndPicture)
    studio.until(lambda: not learner.cut_labels())
    said = [_plain(label.text()) for label in picture.findChildren(QLabel)]
    assert _learnt(lesson) == [text for text in said if text in _learnt(lesson)]
    learner.click(learner.card.back_button)
    studio.until(partial(_is_at, lessons.player, len(lesson.stations) - 1))
    learner.click(learner.card.next_button)
    learner.click(end.list_button)
    assert not lessons.is_open
    assert lessons.catalogue.is_shown
    learner.click(lessons.catalogue.page.back)
    studio.until(lambda: workspace.is_current and workspace.text == OWN)
    studio.until(lambda: studio.app_state.selection.pinned.query == 2)


def test_occlusion_is_judged_on_the_sentence_that_the_learner_types(studio: Studio, learner: Learner) -> None:
    lesson = shipped_lessons()[-1]
    index = [station.key for station in lesson.stations].index("pictures")
    lessons, workspace = studio.window.part(Lessons), studio.app_state.workspace
    lessons.player.start(lesson, index, "ko")
    studio.until(partial(_is_at, lessons.player, index))
    for text in ("The old king lost his crown", "Dogs chase a ball"):
        learner.write(text)
        studio.until(lambda text=text: workspace.is_current and workspace.text == text)  # type: ignore[misc]
        lessons.player.is_solved = False
        learner.answer_wrong()
        assert not lessons.player.is_solved
        assert learner.verdict.startswith("아직 아닙니다")
        learner.answer_right()
        assert lessons.player.is_solved
    lessons.leave()


def _learnt(lesson: Lesson) -> list[str]:
    return [_plain(words.ko) for words in lesson.learnt]


def _is_at(player: LessonPlayer, index: int) -> bool:
    return player.is_ready and player.station_index == index


def _do(learner: Learner, studio: Studio, station: Station) -> None:
    """Go through a station: a wrong answer, the hint, then the right answer."""
    player, task = studio.window.part(Lessons).player, station.task
    _see(learner, studio, station)
    assert task is not None
    is_trained = isinstance(task, DoTask) and task.done.of == "trained"
    if not is_trained:
        learner.answer_wrong()
        assert not player.is_solved, station.key
        assert task.kind == "do" or learner.verdict.startswith("아직 아닙니다"), station.key
    learner.click(learner.card.task.hint_button)
    _see(learner, studio, station)
    assert _plain(learner.verdict) == _plain(task.hint.ko)
    learner.answer_right()
    if is_trained:
        _train(studio)
    studio.until(lambda: player.is_solved)
    found = "Done." if task.kind == "do" else "Right."
    assert _plain(learner.verdict) == _plain(f"✓ {QApplication.translate('TaskBox', found)} {task.why.ko}")
    _see(learner, studio, station)


def _see(learner: Learner, studio: Studio, station: Station) -> None:
    """Check that everything fits, and that the card stands beside what it points at."""
    studio.until(learner.is_verdict_in_sight)
    studio.until(lambda: not learner.cut_labels())
    (pointer,) = studio.window.findChildren(Pointer)
    target = pointer.target
    is_alone = station.points_at == "panel" and studio.window.part(Lessons).player.scene.cards == ()
    assert (target is None) == (station.points_at == "" or is_alone), "a panel alone needs no frame"
    if target is not None:
        assert pointer.isVisible()
        place = learner.place(target)
        assert studio.window.rect().contains(place), station.key
        assert not place.intersects(learner.place(learner.card)), station.key


def _train(studio: Studio) -> None:
    """Set the results of the trainings, which would take half a minute."""
    trainings = studio.window.part(Lessons).player.trainings
    for labels, held_out in zip(LABELS, (0.78, 0.53), strict=True):
        result = LabelResult(1.0, held_out, 0.5)
        trainings.progress[labels] = LabelProgress(1.0, 1.0, result)
    trainings.cancel()
    trainings.changed.emit()
    trainings.finished.emit()


def _plain(text: str) -> str:
    """Return a text as it is in the file, without what a label makes of it to be drawn well."""
    text = re.sub(r"</?sup>|\^|</sub>|</?span[^>]*>", "", text)
    return text.replace("<sub>", "_").replace("\N{NO-BREAK SPACE}", " ")
