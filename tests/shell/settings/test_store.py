"""Settings and what was used last, in small files that may be damaged or old."""

from __future__ import annotations

import json
import logging
from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from bertviz_app.json_store import finish_writing
from bertviz_app.shell.session import Recents
from bertviz_app.shell.settings import Settings, SettingsStore


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "settings.json"


def test_what_was_changed_is_read_back_and_without_a_file_there_are_the_defaults(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "settings.json"
    store = SettingsStore(path)
    assert store.settings == Settings()
    assert not path.exists()
    store.change(theme="dark")
    store.change(geometry="AdnQywAD")
    assert SettingsStore(path).settings == Settings(theme="dark", geometry="AdnQywAD")
    assert [file.name for file in path.parent.iterdir()] == ["settings.json"]


def test_a_damaged_file_is_set_aside_and_the_defaults_are_used(path: Path) -> None:
    for content in [b"", b"{", b"\xff\xfe\x00", b"[]", b"3", b"null", b"[" * 100_000]:
        path.write_bytes(content)
        store = SettingsStore(path)
        assert store.settings == Settings()
        assert not path.exists()
        assert path.with_name("settings.damaged.json").read_bytes() == content
        store.change(theme="dark")
        assert SettingsStore(path).settings.theme == "dark"


def test_what_cannot_be_used_is_ignored(path: Path) -> None:
    for content in [
        {"theme": "purple"},
        {"theme": 5},
        {"theme": None, "geometry": ["x"]},
        {"version": 1, "unheard": {"of": 1}},
        {"text_size": 5},
        {"text_size": True},
        {"geometry": "\ud800"},
        {"memory_gb": 0},
        {"memory_gb": "4"},
        {"memory_gb": True},
    ]:
        path.write_text(json.dumps(content))
        settings = SettingsStore(path).settings
        assert settings == Settings()
        settings.geometry.encode()
    path.write_text(json.dumps({"theme": "purple", "geometry": "AdnQ"}))
    assert SettingsStore(path).settings == Settings(geometry="AdnQ"), "the good part is kept"


def test_a_file_that_cannot_be_written_changes_only_this_session(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "blocked").write_text("a file where the folder should be")
    store = SettingsStore(tmp_path / "blocked" / "settings.json")
    with caplog.at_level(logging.INFO):
        store.change(theme="dark")
        finish_writing()
    assert store.settings.theme == "dark"
    assert "was not saved" in caplog.text


RELEASED = (
    '{"version": 1, "theme": "dark", "language": "ko", "text_size": 1.2, "device": "cpu", '
    '"restores_session": false, "n_recents": 7, "memory_gb": 12, "geometry": "AdnQywAD", "layout": "AAAA", '
    '"shows_predictions": false}'
)

"""settings.json as release 0.1.0 wrote it: it stays as it is when the format changes."""


def test_the_settings_of_an_earlier_release_are_read_and_written_again(path: Path) -> None:
    path.write_text(RELEASED)
    before = Settings(
        theme="dark",
        language="ko",
        text_size=1.2,
        device="cpu",
        restores_session=False,
        n_recents=7,
        memory_gb=12,
        geometry="AdnQywAD",
        layout="AAAA",
        shows_predictions=False,
    )
    store = SettingsStore(path)
    assert store.settings == before
    store.change(theme="light")
    assert SettingsStore(path).settings == replace(before, theme="light")


def test_settings_that_cannot_be_read_now_are_not_lost(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path.write_text(RELEASED)

    def fails(self: Path, encoding: str) -> str:
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "read_text", fails)
        store = SettingsStore(path)
    assert store.settings == Settings()
    store.change(theme="light")
    assert store.settings.theme == "light"
    assert path.read_text() == RELEASED


@pytest.fixture
def path_of_recents(tmp_path: Path, qapp: object) -> Path:
    return tmp_path / "config" / "recents.json"


def _recents(path_of_recents: Path, most: int = 20) -> Recents:
    return Recents(path_of_recents, lambda: most)


def test_what_was_added_is_read_back_newest_first(path_of_recents: Path) -> None:
    recents = _recents(path_of_recents)
    for text in ("one", "two", "three"):
        recents.add_texts(text, None)
    recents.add_texts("one", "pair")
    recents.add_checkpoint("org/name")
    recents.add_file(path_of_recents.parent / "a.bva")
    again = _recents(path_of_recents)
    assert again.texts == (("one", "pair"), ("three", None), ("two", None), ("one", None))
    assert again.checkpoints == ("org/name",)
    assert again.files == (str(path_of_recents.parent / "a.bva"),)
    assert [file.name for file in path_of_recents.parent.iterdir()] == ["recents.json"]


def test_each_is_there_once_a_text_that_was_typed_on_is_one_and_only_so_many_are_kept(
    qtbot: QtBot, path_of_recents: Path
) -> None:
    def texts(*typed: str, most: int = 20) -> list[str]:
        path_of_recents.unlink(missing_ok=True)
        recents = _recents(path_of_recents, most)
        for text in typed:
            recents.add_texts(text, None)
            recents.add_checkpoint(text)
        assert _recents(path_of_recents, most).texts == recents.texts
        return [text for text, _ in recents.texts]

    assert texts("one", "two", "one") == ["one", "two"]
    assert _recents(path_of_recents).checkpoints == ("one", "two")
    typed_on = ("a dog", "the", "the cat", "the cat ate", "the cat a", "the cat ate fish")
    assert texts(*typed_on) == ["the cat ate fish", "a dog"]
    assert texts("", "  ", "w" * 10_000) == []
    assert texts(*"abcde", most=3) == ["e", "d", "c"]
    recents = _recents(path_of_recents)
    with qtbot.waitSignal(recents.changed):
        recents.clear()
    assert _recents(path_of_recents).texts == (), "forgetting forgets the file, too"


def test_a_damaged_file_counts_as_empty(path_of_recents: Path) -> None:
    for content in [
        b"",
        b"[",
        b"\xff",
        b"[]",
        json.dumps({"texts": 5, "files": {"a": 1}, "checkpoints": [None, 3]}).encode(),
        json.dumps({"texts": [None, [], ["a"], ["a", 3], [3, None], ["a", "b", "c"], "ab"]}).encode(),
        json.dumps({"texts": [["w" * 10_000, None]]}).encode(),
    ]:
        path_of_recents.parent.mkdir(exist_ok=True)
        path_of_recents.write_bytes(content)
        recents = _recents(path_of_recents)
        assert (recents.texts, recents.checkpoints, recents.files) == ((), (), ())
        recents.add_texts("one", None)
        assert _recents(path_of_recents).texts == (("one", None),)


def test_a_folder_that_cannot_be_written_is_no_reason_to_fail(tmp_path: Path, qapp: object) -> None:
    (tmp_path / "file").write_text("")
    recents = _recents(tmp_path / "file" / "recents.json")
    recents.add_texts("one", None)
    assert recents.texts == (("one", None),)
