"""What the window does about its own problems, and what a desktop hands to it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtGui import QFileOpenEvent
from PySide6.QtWidgets import QApplication, QMessageBox, QPushButton

from bertviz_app.shell.application import Faults, FileOpener
from bertviz_app.shell.crashes import LEFT_OUT, CrashLog
from bertviz_app.shell.window.window import MainWindow
from bertviz_app.version import APPLICATION_ID
from bertviz_app.views.dialogs.report import AboutDialog, ReportDialog
from bertviz_app.views.kit.widgets import Notice
from tests.support.patience import PatientBot

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
    assert "test_problems.py" in text
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
