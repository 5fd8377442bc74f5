"""`bertviz-app lesson check FILE` and `bertviz-app lesson list`: lesson files for teachers who write them."""

from __future__ import annotations

import argparse
from pathlib import Path

from bertviz_app.cli.printing import print_error, print_text, table
from bertviz_app.cli.terminal import Add
from bertviz_app.errors import AppError, Message

_MISTAKES = 2


def add_lessons(add: Add) -> None:
    parser = add("lesson", "check a lesson file, or list the lessons that come with the program", _run)
    parser.add_argument("action", choices=("check", "list"), help="what to do")
    parser.add_argument("file", type=Path, nargs="?", metavar="FILE", help="the lesson to check, JSON")


def _run(options: argparse.Namespace) -> int:
    if options.action == "list":
        return _list()
    if options.file is None:
        raise AppError(Message("No lesson to check was given."), Message("Give it: lesson check FILE."))
    return _check(options.file)


def _check(path: Path) -> int:
    from bertviz_app.inference.engine import Engine
    from bertviz_app.learning.lessons.lesson import SceneRuns, check_lesson
    from bertviz_app.learning.lessons.reading import line_of_mistake, read_lesson

    lesson = read_lesson(path)
    mistakes = list(check_lesson(lesson, SceneRuns(Engine())))
    text = path.read_text(encoding="utf-8-sig")
    for mistake in mistakes:
        at = f"{path}, line {line_of_mistake(mistake, text)}"
        print_error(f"{at}: {mistake.station} ({mistake.language}): {mistake.words}")
    if not mistakes:
        n_stations = len(lesson.stations)
        words = "{0}: {1} station, no mistakes." if n_stations == 1 else "{0}: {1} stations, no mistakes."
        print_text(Message(words, path, n_stations))
    return _MISTAKES if mistakes else 0


def _list() -> int:
    from bertviz_app.learning.lessons.reading import shipped_lessons

    rows = [
        (lesson.key, str(len(lesson.stations)), f"{lesson.minutes} min", lesson.title.en)
        for lesson in shipped_lessons()
    ]
    print_text(table(("key", "stations", "time", "title"), rows, (1,)))
    return 0
