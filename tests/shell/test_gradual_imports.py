"""That the views which the first window does without are imported where Qt's classes may be made."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from bertviz_app.shell.application import _MAIN_AREA
from bertviz_app.shell.gradual_imports import import_gradually

PROBE = """
from PySide6.QtCore import QThread
THREAD = QThread.currentThread()
"""
_LATER = {
    "torch",
    "tokenizers",
    "bertviz_app.cli.commands",
    "bertviz_app.encoder",
    "bertviz_app.training.pretraining",
}
"""What must not be imported before the first paint: each costs milliseconds."""


def _write_probes(folder: Path, names: tuple[str, ...]) -> None:
    for name in names:
        (folder / f"{name}.py").write_text(PROBE, encoding="utf-8")


def test_modules_are_imported_on_the_interface_thread_with_events_in_between(
    qtbot: QtBot, qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ("first_probe", "second_probe", "third_probe")
    _write_probes(tmp_path, names)
    monkeypatch.syspath_prepend(tmp_path)
    context, turns, n_loaded = QObject(), list[int](), list[int]()

    def turn() -> None:
        turns.append(sum(name in sys.modules for name in names))

    timer = QTimer(context, interval=0)
    timer.timeout.connect(turn)
    timer.start()
    import_gradually(names, lambda: n_loaded.append(sum(name in sys.modules for name in names)), context)
    qtbot.waitUntil(lambda: bool(n_loaded))
    assert n_loaded == [3]
    assert 2 in turns, "events are handled after the second module, before the third"
    assert all(sys.modules[name].THREAD is qapp.thread() for name in names)


def test_every_step_is_needed_for_a_result_and_the_first_window_does_without() -> None:
    program = (
        "import sys, bertviz_app.shell.application as application\n"
        "steps = application._MAIN_AREA\n"
        "early = [step for step in steps if step in sys.modules]\n"
        "import bertviz_app.shell.window.main_area\n"
        "application.AppState(application.Engine()).shown_runs\n"
        "foreign = [step for step in steps if step not in sys.modules]\n"
        "sys.stdout.write(repr((early, foreign)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "([], [])"
    assert _MAIN_AREA[-1] == "bertviz_app.shell.window.main_area"


def test_the_usual_start_imports_no_sub_command_and_nothing_that_a_checkpoint_needs() -> None:
    program = (
        "import sys\n"
        "from bertviz_app.cli import main\n"
        "import bertviz_app.shell.application as application\n"
        "application.run = lambda options: 0\n"
        "assert main([]) == 0\n"
        "sys.stdout.write(' '.join(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    early = set(done.stdout.split())
    assert "bertviz_app.shell.window.window" in early
    assert not early & _LATER


def test_every_module_that_the_start_does_without_exists() -> None:
    assert all(importlib.util.find_spec(name) is not None for name in _LATER)
