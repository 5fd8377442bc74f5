"""The core alone: without the rooms the window opens, draws, compares, opens checkpoints and saves."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

import bertviz_app
from bertviz_app.learning.label_training import LabelTraining
from bertviz_app.shell.feature import features, label_trainings
from bertviz_app.shell.settings import read_palette
from bertviz_app.values import replace
from bertviz_app.views.kit.look import Look
from bertviz_app.views.panels.card import view_of
from tests.support.fakes import HeldJobs
from tests.support.panel_scenes import VectorScene

_PACKAGE = Path(bertviz_app.__file__).parent
_ROOT = _PACKAGE.parent
_USE = """
import os, sys, time, traceback
from pathlib import Path
from PySide6.QtCore import QTimer
from bertviz_app.options import WindowOptions
from bertviz_app.shell.application import run
from bertviz_app.views.dialogs.export_dialog import PictureChoice

checkpoint, picture, is_safe = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3] == "safe"
done = []

def use(window):
    from PySide6.QtWidgets import QApplication

    def until(is_true, what):
        end = time.monotonic() + 120
        while not is_true():
            QApplication.processEvents()
            time.sleep(0.01)
            assert time.monotonic() < end, what

    state = window.app_state
    until(lambda: state.workspace.facts is not None, "no checkpoint was opened")
    assert window.parts == [] and not window.guide.is_open
    assert window.frame.welcome.lessons.isHidden()
    window.frame.welcome.field.setText("the cat sat")
    window.frame.welcome.enter.click()
    until(lambda: state.workspace.shown is not None, "nothing was drawn")
    assert state.rooms.room == "explore"
    state.panels.show(1, 1)
    state.selection.pin(query=1)
    state.comparison.begin()
    until(lambda: state.comparison.shown is not None, "nothing was compared")
    window.files.open_model(str(checkpoint))
    until(lambda: state.workspace.ref == str(checkpoint) and not state.workspace.is_busy, "not opened")
    words = [str(command.text) for command in window.commands()]
    assert "Undo" in words
    of_rooms = "Lessons …", "Train a model …", "Heads over a corpus …", "Hand-out of this head …"
    assert not {*of_rooms} & {*words}
    window.dialogs.open_preferences()
    QApplication.activeModalWidget().accept()
    until(lambda: window.export.panel_subject() is not None, "there is nothing to save")
    window.export.save_picture(window.export.panel_subject(), picture, PictureChoice())
    until(lambda: not window.files.is_writing, "the picture was not written")
    done.append(True)
    window.close()

def try_to_use(window):
    try:
        use(window)
    except BaseException:
        traceback.print_exc()
        os._exit(1)

def opened(window):
    QTimer.singleShot(100, window, lambda: try_to_use(window))

try:
    code = run(WindowOptions(is_safe=is_safe), opened)
finally:
    assert not [name for name in sys.modules if name.startswith("bertviz_app.features.")]
assert done
"""


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["safe", "copy"])
def test_the_core_opens_types_points_compares_opens_and_saves(
    kind: str, tiny_bert: Path, tmp_path: Path
) -> None:
    """`--safe` leaves out the rooms; a copy of the program does not have them at all."""
    root, picture = _ROOT, tmp_path / "picture.png"
    if kind == "copy":
        root = tmp_path / "copy"
        shutil.copytree(
            _PACKAGE, root / "bertviz_app", ignore=shutil.ignore_patterns("features", "__pycache__")
        )
        for name in ("resources", "models"):
            (root / name).symlink_to(_ROOT / name)
    (tmp_path / "use.py").write_text(_USE, "utf-8")
    home = {name: str(tmp_path / "home") for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME")}
    done = subprocess.run(
        [sys.executable, str(tmp_path / "use.py"), str(tiny_bert), str(picture), kind],
        env={**os.environ, **home, "PYTHONPATH": str(root), "QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert picture.stat().st_size > 1000


def test_a_panel_of_a_room_that_is_left_out_says_so(qtbot: QtBot) -> None:
    look, jobs = Look(read_palette("light")), HeldJobs()
    scene = VectorScene(look, jobs)
    for tools, is_there in ((scene.tools, True), (replace(scene.tools, views={}), False)):
        view = view_of("steps", tools)
        qtbot.addWidget(view)
        texts = [label.text() for label in view.findChildren(QLabel)]
        assert ("What draws this was left out of the program." not in texts) is is_there


def test_without_what_trains_a_station_says_so(qtbot: QtBot) -> None:
    trainings = label_trainings(())
    with qtbot.waitSignal(trainings.changed):
        trainings.start(LabelTraining())
    assert trainings.problem == "What trains models was left out of the program."
    assert not trainings.is_running
    assert trainings.results == {}
    there = label_trainings(features())
    assert type(there) is not type(trainings)
    there.close()
