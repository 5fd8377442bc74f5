"""What was used last: newest first, each once, bounded, and never a reason to fail."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from bertviz_app.shell.session import Recents


@pytest.fixture
def path(tmp_path: Path, qapp: object) -> Path:
    return tmp_path / "config" / "recents.json"


def _recents(path: Path, most: int = 20) -> Recents:
    return Recents(path, lambda: most)


def test_what_was_added_is_read_back_newest_first(path: Path) -> None:
    recents = _recents(path)
    for text in ("one", "two", "three"):
        recents.add_texts(text, None)
    recents.add_texts("one", "pair")
    recents.add_checkpoint("org/name")
    recents.add_file(path.parent / "a.bva")
    again = _recents(path)
    assert again.texts == (("one", "pair"), ("three", None), ("two", None), ("one", None))
    assert again.checkpoints == ("org/name",)
    assert again.files == (str(path.parent / "a.bva"),)
    assert [file.name for file in path.parent.iterdir()] == ["recents.json"]


def test_each_is_there_once(path: Path) -> None:
    recents = _recents(path)
    for text in ("one", "two", "one"):
        recents.add_texts(text, None)
        recents.add_checkpoint(text)
    assert recents.texts == (("one", None), ("two", None))
    assert recents.checkpoints == ("one", "two")


def test_a_text_that_was_typed_on_is_one_text(path: Path) -> None:
    recents = _recents(path)
    for text in ("a dog", "the", "the cat", "the cat ate", "the cat a", "the cat ate fish"):
        recents.add_texts(text, None)
    assert recents.texts == (("the cat ate fish", None), ("a dog", None))


@pytest.mark.parametrize("text", ["", "  ", "w" * 10_000])
def test_texts_that_are_empty_or_too_long_are_not_remembered(path: Path, text: str) -> None:
    recents = _recents(path)
    recents.add_texts(text, None)
    assert recents.texts == ()


def test_only_so_many_are_kept(path: Path) -> None:
    recents = _recents(path, most=3)
    for text in "abcde":
        recents.add_texts(text, None)
    assert [text for text, _ in recents.texts] == ["e", "d", "c"]
    assert len(_recents(path).texts) == 3


def test_forgetting_forgets_the_file_too(qtbot: QtBot, path: Path) -> None:
    recents = _recents(path)
    recents.add_texts("one", None)
    with qtbot.waitSignal(recents.changed):
        recents.clear()
    assert _recents(path).texts == ()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[",
        b"\xff",
        b"[]",
        json.dumps({"texts": 5, "files": {"a": 1}, "checkpoints": [None, 3]}).encode(),
        json.dumps({"texts": [None, [], ["a"], ["a", 3], [3, None], ["a", "b", "c"], "ab"]}).encode(),
        json.dumps({"texts": [["w" * 10_000, None]]}).encode(),
    ],
)
def test_a_damaged_file_counts_as_empty(path: Path, content: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    recents = _recents(path)
    assert (recents.texts, recents.checkpoints, recents.files) == ((), (), ())
    recents.add_texts("one", None)
    assert _recents(path).texts == (("one", None),)


def test_a_folder_that_cannot_be_written_is_no_reason_to_fail(tmp_path: Path, qapp: object) -> None:
    (tmp_path / "file").write_text("")
    recents = _recents(tmp_path / "file" / "recents.json")
    recents.add_texts("one", None)
    assert recents.texts == (("one", None),)
