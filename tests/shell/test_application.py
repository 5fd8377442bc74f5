"""The process around the window: its start, what fails in its threads, and its end by Ctrl-C."""

from __future__ import annotations

import importlib.util
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from bertviz_app.json_store import finish_writing
from bertviz_app.options import WindowOptions
from bertviz_app.shell.application import first_room
from bertviz_app.shell.settings import SettingsStore
from tests.support.scene import not_none


def test_without_a_screen_the_reason_and_a_way_out_are_written_before_the_process_ends() -> None:
    environment = os.environ | {"QT_QPA_PLATFORM": "xcb", "DISPLAY": ":no-such-screen"}
    done = subprocess.run(
        [sys.executable, "-c", "from bertviz_app.shell.application import make_application as run; run()"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert "no Qt platform plugin could be initialized" in done.stderr
    assert "bertviz-app render draws a picture" in done.stderr


_PROGRAM = """
import threading
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QMessageBox
from bertviz_app.options import WindowOptions
from bertviz_app.shell import application

def look():
    found = [one for one in QApplication.allWidgets() if isinstance(one, QMessageBox) and one.isVisible()]
    print(found[0].informativeText() if found else "ready", flush=True)

def begin(window, begin):  # no torch, no checkpoint
    threading.Thread(target=lambda: IN_THREAD).start()
    QTimer.singleShot(500, look)

application._start = begin
application.run(WindowOptions())
"""


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """No screen, and no settings of whoever runs the tests."""
    folders = {name: str(tmp_path / name) for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME")}
    return os.environ | folders | {"QT_QPA_PLATFORM": "offscreen"}


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signal")
@pytest.mark.parametrize(("in_thread", "line"), [("None", "ready"), ("[][0]", "IndexError: list index")])
def test_a_thread_that_fails_is_reported_and_ctrl_c_ends_the_program_while_qt_waits(
    environment: dict[str, str], in_thread: str, line: str
) -> None:
    program = _PROGRAM.replace("IN_THREAD", in_thread)
    process = subprocess.Popen(
        [sys.executable, "-c", program], env=environment, stdout=subprocess.PIPE, text=True
    )
    limit = threading.Timer(300, process.kill)
    limit.start()
    try:
        assert not_none(process.stdout).readline().startswith(line)
        process.send_signal(signal.SIGINT)
        assert process.wait(120) == -signal.SIGINT
    finally:
        limit.cancel()
        process.kill()
        process.communicate()


@pytest.mark.parametrize(
    ("options", "new", "returning"),
    [
        (WindowOptions(), "learn", "research"),
        (WindowOptions(text="a cat"), "explore", "research"),
        (WindowOptions(path=Path("run.bva")), "research", "research"),
    ],
)
def test_who_is_new_learns_and_who_comes_back_is_where_they_were(
    tmp_path: Path, options: WindowOptions, new: str, returning: str
) -> None:
    store = SettingsStore(tmp_path / "settings.json")
    assert first_room(store, options) == new
    store.change(room="research")
    finish_writing()
    assert first_room(SettingsStore(tmp_path / "settings.json"), options) == returning


_LATER = {
    "torch",
    "pyqtgraph",
    "tokenizers",
    "importlib.metadata",
    "statistics",
    "bertviz_app.cli.commands",
    "bertviz_app.encoder",
    "bertviz_app.features.training.pretraining",
}
"""What must not be imported before the first paint: each costs milliseconds."""
_OURS = Path(__file__).with_name("first_window.txt")
"""Our modules that are imported for it, one a line: the longer the list, the later the window."""


def test_the_usual_start_imports_no_sub_command_and_nothing_that_a_checkpoint_needs(tmp_path: Path) -> None:
    program = f"""
import sys
from pathlib import Path
from bertviz_app.cli import main
import bertviz_app.shell.application as application

def paint(options):
    made, look = application.make_application(), application.Look(application.read_palette("light"))
    theme, store = application.Theme(made, look), application.SettingsStore(Path({str(tmp_path)!r}, "a.json"))
    state = application.AppState(application.Engine())
    window = application.MainWindow(state, look, theme, store, application.features())
    window.show()
    made.processEvents()
    sys.stdout.write(" ".join(sys.modules))
    return 0

application.run = paint
assert main([]) == 0
"""
    command = [sys.executable, "-c", program]
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    early = set(done.stdout.split())
    ours = {name for name in early if name.split(".")[0] == "bertviz_app"}
    assert sorted(ours) == _OURS.read_text("utf-8").split(), "is the new one needed before the first paint?"
    assert not early & _LATER


def test_every_module_that_the_start_does_without_exists() -> None:
    assert all(importlib.util.find_spec(name) is not None for name in _LATER)
