"""The process around the window: its start, what fails in its threads, and its end by Ctrl-C."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest


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

def begin(app_state, window, begin):  # no torch, no checkpoint
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


_ENDS_EARLY = """
from PySide6.QtWidgets import QApplication
from bertviz_app.inference import warmup
from bertviz_app.options import WindowOptions
from bertviz_app.shell import application, gradual_start

def begin(app_state, window, begin):
    global steps
    steps = gradual_start.result_views(window)
    next(steps)
    print(warmup._MAY_IMPORT.is_set())
    QApplication.quit()

application._start = begin
application.run(WindowOptions())
print(warmup._MAY_IMPORT.is_set())
"""


def test_a_worker_does_not_wait_for_views_that_are_built_no_more(environment: dict[str, str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _ENDS_EARLY], env=environment, capture_output=True, text=True, check=False
    )
    assert done.stdout.split() == ["False", "True"], done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signal")
@pytest.mark.parametrize(("in_thread", "line"), [("None", "ready"), ("[][0]", "IndexError: list index")])
def test_a_thread_that_fails_is_reported_and_ctrl_c_ends_the_program_while_qt_waits(
    environment: dict[str, str], in_thread: str, line: str
) -> None:
    program = _PROGRAM.replace("IN_THREAD", in_thread)
    process = subprocess.Popen(
        [sys.executable, "-c", program], env=environment, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    limit = threading.Timer(60, process.kill)
    limit.start()
    try:
        assert process.stdout.readline().startswith(line)
        process.send_signal(signal.SIGINT)
        assert process.wait(10) == -signal.SIGINT
    finally:
        limit.cancel()
        process.kill()
        process.communicate()
