"""The doctor, what the window does about its own problems, and what a desktop hands to it."""

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
from PySide6.QtGui import QFileOpenEvent
from PySide6.QtWidgets import QApplication, QMessageBox, QPushButton

from bertviz_app import paths
from bertviz_app.cli import main
from bertviz_app.shell import diagnosis
from bertviz_app.shell.application import Faults, FileOpener
from bertviz_app.shell.diagnosis import Finding, findings
from bertviz_app.shell.process import LEFT_OUT, CrashLog, missing_packages
from bertviz_app.shell.window.window import MainWindow
from bertviz_app.version import APPLICATION_ID
from bertviz_app.views.dialogs.help import AboutDialog, ReportDialog
from bertviz_app.views.kit.widgets import Notice
from tests.support.patience import PatientBot


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


_IDENTITY = """
from bertviz_app.shell.application import make_application
application = make_application()
sizes = [size.width() for size in application.windowIcon().availableSizes()]
print(application.desktopFileName(), *sorted(sizes))
"""


def test_a_desktop_knows_the_window_by_its_name_and_its_icon(tmp_path: Path) -> None:
    environment = os.environ | {"QT_QPA_PLATFORM": "offscreen", "XDG_CONFIG_HOME": str(tmp_path)}
    command = [sys.executable, "-c", _IDENTITY]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.split() == [APPLICATION_ID, "16", "24", "32", "48", "64", "128", "256"]


def test_a_file_that_macos_hands_over_is_opened(
    window: MainWindow, qapp: QApplication, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    opened: list[Path] = []
    monkeypatch.setattr(window.files, "open_path", opened.append)
    opener = FileOpener(qapp, window)
    try:
        QApplication.sendEvent(qapp, QFileOpenEvent(str(tmp_path / "work.bva")))
    finally:
        qapp.removeEventFilter(opener)
    assert opened == [tmp_path / "work.bva"]


def _dialog(window: MainWindow) -> ReportDialog:
    (dialog,) = [each for each in window.findChildren(ReportDialog) if each.isVisible()]
    return dialog


def test_an_error_offers_a_report_without_what_was_typed(
    window_with_text: MainWindow, caplog: pytest.LogCaptureFixture
) -> None:
    window = window_with_text
    typed = window.app_state.workspace.text
    word = max(typed.split(), key=len)
    faults = Faults(window)
    try:
        raise KeyError(word)
    except KeyError as error:
        faults.report(type(error), error, error.__traceback__)
    caplog.clear()
    (box,) = [each for each in window.findChildren(QMessageBox) if each.isVisible()]
    (report,) = [button for button in box.findChildren(QPushButton) if "Report" in button.text()]
    report.click()
    dialog = _dialog(window)
    text = dialog.report.toPlainText()
    assert f"KeyError: {LEFT_OUT}" in text
    assert Path(__file__).name in text
    assert "torch: " in text
    assert typed not in text
    dialog.adds_text.click()
    assert typed in dialog.report.toPlainText()
    dialog.close()


def test_after_a_crash_the_window_says_so_and_offers_the_report(window: MainWindow) -> None:
    window.dialogs.tell_of_crash("Fatal Python error: Segmentation fault\n\n  File x.py, line 3 in run")
    (notice,) = [each for each in window.findChildren(Notice) if "unexpectedly" in each.message]
    (button,) = [each for each in notice.findChildren(QPushButton) if each.text().startswith("Report")]
    button.click()
    assert "line 3 in run" in _dialog(window).report.toPlainText()
    _dialog(window).close()


def test_a_report_is_saved_as_it_was_changed(
    window: MainWindow, qtbot: PatientBot, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "report.txt"
    monkeypatch.setattr("bertviz_app.shell.window.dialogs.ask_where_to_save", lambda *_: path)
    window.dialogs.open_report()
    dialog = _dialog(window)
    dialog.report.setPlainText("It stopped when I pressed 3.")
    dialog.save.click()
    qtbot.waitUntil(path.exists)
    assert path.read_text(encoding="utf-8") == "It stopped when I pressed 3."
    dialog.close()


def test_about_lists_what_a_worker_read(window: MainWindow, qtbot: PatientBot) -> None:
    window.dialogs.open_about()
    (about,) = window.findChildren(AboutDialog)
    qtbot.waitUntil(lambda: about.parts.count() > 5)
    names = [about.parts.item(row).text().split()[0] for row in range(about.parts.count())]
    assert {"torch", "numpy", "pyqtgraph"} <= set(names)
    about.close()


def test_on_windows_a_fault_that_a_library_survived_is_no_crash(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There `faulthandler` also writes exceptions that are handled afterwards; a simulation of that."""
    log = CrashLog(tmp_path / "crash.txt")
    monkeypatch.setattr("faulthandler.enable", lambda file: file.write("Windows fatal exception"))
    monkeypatch.setattr("faulthandler.disable", lambda: None)
    monkeypatch.setattr("sys.platform", "win32")
    assert log.begin() == ""
    log.end()
    assert (tmp_path / "crash.txt").read_text() == ""
