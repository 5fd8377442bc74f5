"""The user's own lesson files: listed by name, a mistake named with its line, read again when they change."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from bertviz_app.errors import FileError
from bertviz_app.learning.lessons.lesson import Lesson
from bertviz_app.learning.lessons.reading import read_lesson
from bertviz_app.viewmodels.learning import own_lessons as module
from bertviz_app.viewmodels.learning.own_lessons import OwnLessons

WORDS = {"en": "Text", "ko": "글"}
LESSON: dict[str, Any] = {
    "key": "mine",
    "title": WORDS,
    "summary": WORDS,
    "minutes": 5,
    "stations": [{"key": "one", "title": WORDS, "text": WORDS, "scene": {"text": WORDS}}],
}


def write(path: Path, **changes: Any) -> Path:
    path.write_text(json.dumps(LESSON | changes, ensure_ascii=False, indent=1), encoding="utf-8")
    return path


@pytest.fixture
def own(qtbot: QtBot, tmp_path: Path) -> OwnLessons:
    own = OwnLessons(tmp_path)
    own.refresh()
    return own


def titles(own: OwnLessons) -> list[str]:
    return [each.lesson.title.en if each.lesson else str(each.error) for each in own.lessons]


def test_files_are_listed_by_name_with_what_is_wrong_with_them(own: OwnLessons, tmp_path: Path) -> None:
    write(tmp_path / "b.json", title={"en": "B", "ko": "나"})
    write(tmp_path / "a.json", key="other", title={"en": "A", "ko": "가"})
    write(tmp_path / "c.json", key="third", minutes="long")
    (tmp_path / "notes.txt").write_text("no lesson")
    (tmp_path / ".hidden.json").write_text("no lesson")
    own.refresh()
    assert titles(own) == ["A", "B", 'c.json, line 11: minutes: "long" is not a whole number']


def test_a_key_that_another_lesson_has_is_a_mistake(own: OwnLessons, tmp_path: Path) -> None:
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


def test_a_folder_that_is_not_there_has_none(qtbot: QtBot, tmp_path: Path) -> None:
    own = OwnLessons(tmp_path / "none")
    own.refresh()
    assert own.lessons == ()
    (tmp_path / "some").mkdir()
    write(tmp_path / "some" / "a.json")
    own.set_folder(tmp_path / "some")
    assert titles(own) == ["Text"]


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
