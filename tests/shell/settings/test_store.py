"""Settings survive: written and read back, damaged files set aside, nonsense ignored."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import pytest

from bertviz_app.shell.settings.store import Settings, SettingsStore


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "settings.json"


def test_without_a_file_there_are_the_defaults(path: Path) -> None:
    assert SettingsStore(path).settings == Settings()
    assert not path.exists()


def test_what_was_changed_is_read_back(path: Path) -> None:
    store = SettingsStore(path)
    store.change(theme="dark")
    store.change(geometry="AdnQywAD")
    assert SettingsStore(path).settings == Settings(theme="dark", geometry="AdnQywAD")
    assert [file.name for file in path.parent.iterdir()] == ["settings.json"]


def test_the_folder_is_made_when_it_is_not_there(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "settings.json"
    SettingsStore(path).change(theme="light")
    assert SettingsStore(path).settings.theme == "light"


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe\x00", b"[]", b"3", b"null", b"[" * 100_000])
def test_a_damaged_file_is_set_aside_and_the_defaults_are_used(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    store = SettingsStore(path)
    assert store.settings == Settings()
    assert not path.exists()
    assert path.with_name("settings.damaged.json").read_bytes() == content
    store.change(theme="dark")
    assert SettingsStore(path).settings.theme == "dark"


@pytest.mark.parametrize(
    "content",
    [
        {"theme": "purple"},
        {"theme": 5},
        {"theme": None, "geometry": ["x"]},
        {"version": 99, "unheard": {"of": 1}},
        {"geometry": "\ud800"},
        {"memory_gb": 0},
        {"memory_gb": "4"},
        {"memory_gb": True},
    ],
)
def test_what_cannot_be_used_is_ignored(path: Path, content: dict[str, object]) -> None:
    path.write_text(json.dumps(content))
    settings = SettingsStore(path).settings
    assert settings == Settings()
    settings.geometry.encode()


def test_the_good_part_of_a_file_is_kept(path: Path) -> None:
    path.write_text(json.dumps({"theme": "purple", "geometry": "AdnQ"}))
    assert SettingsStore(path).settings == Settings(geometry="AdnQ")


def test_a_file_that_cannot_be_written_changes_only_this_session(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "blocked").write_text("a file where the folder should be")
    store = SettingsStore(tmp_path / "blocked" / "settings.json")
    with caplog.at_level(logging.INFO):
        store.change(theme="dark")
    assert store.settings.theme == "dark"
    assert "were not saved" in caplog.text
