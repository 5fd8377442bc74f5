"""Progress in lessons: what counts as done, and where a lesson was left, also once its file has changed."""

from __future__ import annotations

import json
from pathlib import Path

from bertviz_app.learning.lessons.reading import parse_lesson
from bertviz_app.viewmodels.learning.progress import LessonProgress
from tests.support.lesson_scene import LESSON, STATIONS


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
