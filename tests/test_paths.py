"""The folders of the program on each system, and files that are replaced as a whole."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from bertviz_app import paths
from bertviz_app.errors import FileError

FOLDERS = {
    "linux": (".config/bertviz-app", ".local/share/bertviz-app"),
    "darwin": ("Library/Application Support/bertviz-app",) * 2,
    "win32": ("AppData/Roaming/bertviz-app", "AppData/Local/bertviz-app"),
}
VARIABLES = ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "APPDATA", "LOCALAPPDATA")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    return tmp_path


def _data() -> set[Path]:
    return {paths.trained_models().parent, paths.own_lessons().parent, paths.corpora().parent}


@pytest.mark.parametrize("system", FOLDERS)
def test_each_system_has_its_own_folders(home: Path, monkeypatch: pytest.MonkeyPatch, system: str) -> None:
    monkeypatch.setattr(sys, "platform", system)
    settings, data = FOLDERS[system]
    assert paths.settings() == home / settings
    assert _data() == {home / data}
    assert paths.trained_models().name == "models"
    assert paths.own_lessons().name == "lessons"
    assert paths.corpora().name == "corpora"
    assert list(home.iterdir()) == [], "none is made by its name"


@pytest.mark.parametrize(
    ("system", "of_settings", "of_data"),
    [("linux", "XDG_CONFIG_HOME", "XDG_DATA_HOME"), ("win32", "APPDATA", "LOCALAPPDATA")],
)
def test_the_environment_may_name_others(
    home: Path, monkeypatch: pytest.MonkeyPatch, system: str, of_settings: str, of_data: str
) -> None:
    monkeypatch.setattr(sys, "platform", system)
    monkeypatch.setenv(of_settings, str(home / "a"))
    monkeypatch.setenv(of_data, str(home / "b"))
    assert paths.settings() == home / "a" / "bertviz-app"
    assert _data() == {home / "b" / "bertviz-app"}
    monkeypatch.setenv(of_settings, "")
    assert paths.settings() == home / FOLDERS[system][0], "an empty variable is none"


def test_what_ships_is_there() -> None:
    assert (paths.resources() / "translations" / "bertviz_app_ko.qm").is_file()
    assert list(paths.bundled_models().glob("*/config.json"))


def test_a_file_is_replaced_when_all_of_it_is_written(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("before", "utf-8")
    with paths.replacing(path) as beside:
        beside.write_text("after", "utf-8")
        assert path.read_text("utf-8") == "before"
        assert (beside.parent, beside.suffix) == (tmp_path, ".txt")
    assert path.read_text("utf-8") == "after"
    assert list(tmp_path.iterdir()) == [path]


def test_after_any_error_it_is_what_it_was_and_nothing_is_left(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("before", "utf-8")

    def write_half() -> None:
        with paths.replacing(path) as beside:
            beside.write_text("half", "utf-8")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_half()
    assert path.read_text("utf-8") == "before"
    assert list(tmp_path.iterdir()) == [path]


def test_a_long_name_has_room_for_the_file_beside_it(tmp_path: Path) -> None:
    path = tmp_path / f"{'x' * 240}.txt"
    with paths.replacing(path) as beside:
        beside.write_text("all", "utf-8")
    assert path.read_text("utf-8") == "all"


def test_a_missing_folder_and_a_name_that_is_taken_have_their_own_way_out(tmp_path: Path) -> None:
    def write(path: Path) -> str:
        with pytest.raises(FileError) as caught, paths.replacing(path) as beside:
            beside.write_text("all", "utf-8")
        assert str(path) in caught.value.message
        return str(caught.value.hint)

    assert "Make the folder" in write(tmp_path / "nowhere" / "a.txt")
    (tmp_path / "folder").mkdir()
    assert "choose another folder" in write(tmp_path / "folder")
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_a_file_may_have_the_longest_name_that_a_folder_takes(tmp_path: Path) -> None:
    path = tmp_path / ("🙂" * 62 + ".npz")  # 252 bytes
    with paths.replacing(path) as beside:
        beside.write_text("there")
    assert path.read_text() == "there"


def test_what_cannot_be_looked_at_counts_as_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert paths.exists(tmp_path)
    assert not paths.exists(tmp_path / "none")

    def refused(path: Path) -> bool:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "exists", refused)
    assert not paths.exists(tmp_path)


def test_a_folder_that_may_not_be_read_is_a_file_error_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(path: Path) -> bool:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "is_dir", refused)
    with pytest.raises(FileError, match="Permission denied"), paths.replacing(tmp_path / "a.txt"):
        raise PermissionError(13, "Permission denied")
