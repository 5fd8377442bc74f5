"""That what the first window does without is loaded in short steps, where Qt's classes may be made."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import shiboken6
from PySide6.QtCore import QObject, QThread, QTimer
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from bertviz_app.shell.gradual_start import MODULES, result_views, run_gradually
from bertviz_app.shell.window.docks import INTERVENTIONS, NAMES, Dock, DockArea
from bertviz_app.shell.window.window import MainWindow
from bertviz_app.viewmodels.app_state import AppState

_LATER = {
    "torch",
    "tokenizers",
    "bertviz_app.cli.commands",
    "bertviz_app.encoder",
    "bertviz_app.training.pretraining",
}
"""What must not be imported before the first paint: each costs milliseconds."""


def test_steps_run_on_the_interface_thread_with_events_in_between(qtbot: QtBot, qapp: QApplication) -> None:
    context, seen, turns = QObject(), list[QThread](), list[int]()

    def steps() -> Iterator[None]:
        for _ in range(3):
            seen.append(QThread.currentThread())
            yield

    timer = QTimer(context, interval=0)
    timer.timeout.connect(lambda: turns.append(len(seen)))
    timer.start()
    run_gradually(steps(), context)
    qtbot.waitUntil(lambda: len(seen) == 3)
    assert 2 in turns, "events are handled after the second step, before the third"
    assert seen == [qapp.thread()] * 3


def test_no_step_runs_after_what_it_is_for_is_destroyed(qtbot: QtBot, qapp: QApplication) -> None:
    context, seen = QObject(), list[int]()

    def steps() -> Iterator[None]:
        for number in range(3):
            seen.append(number)
            yield

    run_gradually(steps(), context)
    shiboken6.delete(context)
    for _ in range(10):
        qapp.processEvents()
    assert seen == [0]


def test_no_step_imports_much_more_than_the_others() -> None:
    program = (
        "import sys\n"
        "from importlib import import_module\n"
        "from bertviz_app.shell.gradual_start import COMPILED, MODULES\n"
        "import bertviz_app.shell.application\n"
        "for name in COMPILED:\n"
        "    import_module(name)\n"
        "for name in MODULES:\n"
        "    before = len(sys.modules)\n"
        "    import_module(name)\n"
        "    sys.stdout.write(f'{len(sys.modules) - before} ')"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    of_steps = [int(number) for number in done.stdout.split()]
    assert sum(of_steps) > 200
    assert max(of_steps) <= 30, "list what it imports as steps of their own: 30 modules take some 30 ms"


def test_a_result_amid_the_steps_is_shown_and_they_end(
    qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bertviz_app.shell.gradual_start.MODULES", ())
    steps = result_views(window)
    next(steps)
    area = window.main_area
    assert sum(1 for _ in steps) > 5
    assert window.main_area is area


@pytest.mark.parametrize("n_placed", [0, 2, 4])
def test_a_result_amid_the_docks_has_all_of_them_where_they_are_at_first(
    qtbot: QtBot, window: MainWindow, app_state: AppState, n_placed: int
) -> None:
    steps = window.frame.build_main_area()
    next(1 for _ in steps if len(window.findChildren(Dock)) == n_placed and _has_area(window))
    assert not window.frame.has_main_area
    app_state.workspace.set_texts("the cat sat", None, at_once=True)
    qtbot.waitUntil(lambda: app_state.workspace.is_current)
    docks = window.main_area.docks
    assert len(docks.findChildren(Dock)) == len(docks.docks) == 5
    assert sum(1 for _ in steps) <= 2, "what is done is not done again"
    overview, heads, inspector, vector = (docks.docks[name].geometry() for name in NAMES)
    assert overview.left() == heads.left() < inspector.left() == vector.left()
    assert (overview.width(), inspector.width()) == (330, 250)
    assert overview.bottom() < heads.top()
    assert inspector.bottom() < vector.top()
    assert docks.docks[INTERVENTIONS].isHidden()
    assert not docks.is_arranged


def _has_area(window: MainWindow) -> bool:
    return bool(window.findChildren(DockArea))


def test_torch_is_held_until_the_last_step(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    told = list[str]()
    monkeypatch.setattr("bertviz_app.shell.gradual_start.hold_torch", lambda: told.append("held"))
    monkeypatch.setattr("bertviz_app.shell.gradual_start.release_torch", lambda: told.append("released"))
    steps = result_views(window)
    next(steps)
    assert told == ["held"]
    for _ in steps:
        assert told == ["held"]
    assert told == ["held", "released"]
    given_up = result_views(window)
    next(given_up)
    del given_up
    assert told == ["held", "released"] * 2


def test_a_language_that_is_chosen_amid_the_steps_is_that_of_all_views(window: MainWindow) -> None:
    steps = window.frame.build_main_area()
    for _ in range(10):
        next(steps)
    window.context.appearance.choose_language("ko")
    assert sum(1 for _ in steps) > 0
    titles = {card.title.text() for card in window.main_area.cards}
    assert {"헤드", "인스펙터", "개입"} <= titles


def test_every_step_is_needed_for_a_result_and_the_first_window_does_without() -> None:
    program = (
        "import sys, bertviz_app.shell.application as application\n"
        "import bertviz_app.shell.gradual_start as gradual_start\n"
        "steps = gradual_start.MODULES\n"
        "early = [step for step in steps if step in sys.modules]\n"
        "import bertviz_app.shell.window.main_area\n"
        "application.AppState(application.Engine()).shown_runs\n"
        "foreign = [step for step in steps if step not in sys.modules]\n"
        "sys.stdout.write(repr((early, foreign)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "([], [])"
    assert MODULES[-1] == "bertviz_app.shell.window.main_area"


def test_after_pyqtgraph_no_compiled_module_is_imported(tmp_path: Path) -> None:
    """Torch's are opened on another thread from then on, and who opens one meanwhile waits for them."""
    program = (
        "import sys\n"
        "import bertviz_app.shell.application as application\n"
        "from bertviz_app.options import WindowOptions\n"
        "from bertviz_app.shell.gradual_start import result_views\n"
        "def libraries():\n"
        "    files = {name: str(getattr(module, '__file__', '')) for name, module in sys.modules.items()}\n"
        "    return {name for name, file in files.items() if file.endswith(('.so', '.pyd'))}\n"
        "def start(app_state, window, begin):\n"
        "    steps = result_views(window)\n"
        "    next(1 for _ in steps if 'pyqtgraph' in sys.modules)\n"
        "    early = libraries()\n"
        "    n_steps = sum(1 for _ in steps)\n"
        "    sys.stdout.write(repr((n_steps > 50, libraries() - early)))\n"
        "    application.QApplication.quit()\n"
        "application._start = start\n"
        "application.run(WindowOptions())"
    )
    own = {f"XDG_{name}_HOME": str(tmp_path) for name in ("CONFIG", "DATA", "CACHE")}
    environment = os.environ | own | {"QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False, env=environment
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "(True, set())"


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
