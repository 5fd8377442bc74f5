"""`bertviz-app doctor`, and the sentence of a start for which something is missing."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from collections import namedtuple
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from bertviz_app import paths
from bertviz_app.cli import main
from bertviz_app.shell import diagnosis
from bertviz_app.shell.diagnosis import Finding, findings
from bertviz_app.shell.process import missing_packages


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "APPDATA", "LOCALAPPDATA"):
        monkeypatch.setenv(name, str(tmp_path))
    return tmp_path


def _found() -> dict[str, Finding]:
    return {finding.name: finding for finding in findings()}


def test_the_doctor_names_versions_device_screen_fonts_checkpoints_and_disk(
    home: Path, qapp: object, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["doctor"])
    printed = capsys.readouterr().out
    torch = sys.modules["torch"]
    for line in (
        f"torch: {torch.__version__}",
        "Device: cpu",
        "Screen: offscreen",
        "Korean fonts: ",
        f"{home}",
    ):
        assert line in printed
    assert any(end in printed for end in ("Nothing is missing.", "To do:"))


def test_a_package_that_is_missing_is_said_with_what_installs_it(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    known = importlib.util.find_spec
    without_torch = "bertviz_app.shell.process.find_spec"
    monkeypatch.setattr(without_torch, lambda name: None if name == "torch" else known(name))
    assert missing_packages() == ["torch"]
    for arguments in ([], ["models"], ["window", "A cat"]):
        assert main(arguments) == 2
        said = capsys.readouterr().err
        assert said == (
            "bertviz-app: The program needs torch, which is not installed. Install it: pip install torch.\n"
        )


def test_a_start_without_a_library_of_the_system_ends_in_one_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail() -> None:
        raise ImportError("libEGL.so.1: cannot open shared object file: No such file or directory")

    monkeypatch.setattr("bertviz_app.cli.window.skip_source_search", fail)
    assert main([]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "libEGL.so.1" in said
    assert "sudo apt-get install libegl1" in said


def test_a_full_disk_and_a_folder_of_somebody_else_have_their_remedies(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage(100, 99, 1))
    full = {finding.name: finding for finding in diagnosis.disk()}
    assert full["Settings and log"].remedy == "Free some space on this disk."
    monkeypatch.setattr(os, "access", lambda *_: False)
    closed = {finding.name: finding for finding in diagnosis.disk()}
    assert str(home) in closed["Settings and log"].remedy


@pytest.mark.parametrize(
    ("said", "lacking"),
    [
        ("libEGL.so.1: cannot open shared object file", "libEGL.so.1"),
        (
            "From 6.5.0, xcb-cursor0 or libxcb-cursor0 is needed to load the Qt xcb plugin.",
            "libxcb-cursor.so.0",
        ),
        ("could not connect to display :99 From 6.5.0, xcb-cursor0 or libxcb-cursor0 is needed", ""),
        ("", ""),
    ],
)
def test_what_qt_says_names_the_library_or_only_that_there_is_no_screen(said: str, lacking: str) -> None:
    assert diagnosis.lacking_library(said) == lacking


def test_without_a_screen_the_doctor_goes_on(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QT_QPA_PLATFORM", "xcb")
    monkeypatch.setenv("DISPLAY", ":no-such-screen")
    (found,) = diagnosis.screen()
    assert "no window can open" in found.found
    assert "work without one" in found.remedy


def test_every_file_that_is_missing_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], home: Path
) -> None:
    for name, folder in (("resources", paths.resources()), ("models", paths.bundled_models())):
        shutil.copytree(folder, tmp_path / name, copy_function=os.symlink)
        monkeypatch.setattr(
            paths, name if name == "resources" else "bundled_models", partial(Path, tmp_path / name)
        )
    assert _found()["Files of the program"].found == "all there"
    gone = {"resources/gallery/questions.json", "resources/lessons/04_self_attention.json"}
    for name in gone:
        (tmp_path / name).unlink()
    model = tmp_path / "models/bert-mini-en-ko"
    gone |= {f"models/bert-mini-en-ko/{path.name}" for path in model.iterdir() if path.name != "LICENSE"}
    shutil.rmtree(model)
    assert {one.found for one in findings() if one.name == "Missing file"} == gone
    assert main(["doctor"]) == 2
    assert "Missing file: Install the program again." in capsys.readouterr().out


def test_the_doctor_looks_for_all_that_ships() -> None:
    """What is not looked for is read by nobody: licences, icons of the desktop, notes, tests' sentences."""
    there = {
        f"{top}/{path.relative_to(folder).as_posix()}"
        for top, folder in (("resources", paths.resources()), ("models", paths.bundled_models()))
        for path in folder.rglob("*")
        if path.is_file() and ".incomplete" not in path.parts
    }
    only_a_checkout = r"resources/(setup/.*|docs/pictures/.*png|translations/.*ts)"
    of_a_desktop = r"resources/icons/application/.*(svg|512.png|session.*)"
    others = r".*LICENSE|models/README.md|resources/lessons/\w+/README.md|resources/examples/claims.tsv"
    unread = rf"{others}|{of_a_desktop}"
    read = {name for name in there if not re.fullmatch(f"{only_a_checkout}|{unread}", name)}
    assert read == {*diagnosis.shipped()}


def test_a_part_that_fails_does_not_hide_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    def _models() -> Iterator[Finding]:
        raise OSError("the disk is gone")
        yield

    monkeypatch.setattr(diagnosis, "_models", _models)
    names = [finding.name for finding in findings()]
    assert "models" in names
    assert names[-1] == "Trained models"


def test_the_doctor_runs_where_no_needed_package_is_installed(home: Path) -> None:
    program = (
        "import sys\n"
        "class Missing:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.split('.')[0] in {'torch', 'PySide6', 'numpy', 'pyqtgraph', 'tokenizers'}:\n"
        "            raise ModuleNotFoundError(f'No module named {name!r}', name=name)\n"
        "sys.meta_path.insert(0, Missing())\n"
        "import importlib.util\n"
        "known = importlib.util.find_spec\n"
        "def find(name, package=None):\n"
        "    try:\n"
        "        return known(name, package)\n"
        "    except ModuleNotFoundError:\n"
        "        return None\n"
        "importlib.util.find_spec = find\n"
        "from bertviz_app.cli import main\n"
        "sys.exit(main(['doctor']))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 2, done.stderr
    assert "torch: not installed" in done.stdout
    assert "torch: pip install torch" in done.stdout
    assert "Settings and log" in done.stdout
