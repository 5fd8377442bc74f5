"""`python -m tests.states FOLDER`: photographs of the window's states, in each language and theme.

Each line of `states.toml` is a photograph of the real window, drawn without a screen; a window over it is a
photograph of its own. `sheet-….png` has all of a language and theme at a quarter of their size.
"""

from __future__ import annotations

import argparse
import math
import os
import re
import subprocess
import sys
import tempfile
import tomllib
import traceback
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QApplication, QDialog

from bertviz_app.features.corpora.pages import CorpusController
from bertviz_app.features.lessons.window.lessons import Lessons
from bertviz_app.features.training.page import TrainingController
from bertviz_app.options import WindowOptions
from bertviz_app.shell.application import run
from bertviz_app.shell.window.window import MainWindow
from bertviz_app.values import replace
from bertviz_app.viewmodels.panel import Content, Panel, VectorsChoice
from tests.installed import walk as walks
from tests.installed.walk import TEXT, Walk

STATES: dict[str, dict[str, Any]] = tomllib.loads(
    Path(__file__).with_name("states.toml").read_text(encoding="utf-8")
)
_SIZE = (1600, 1000)
_COLUMNS, _SMALLER = 8, 4


def file_name(name: str) -> str:
    """Return the name of the photograph of a state."""
    return re.sub(r"[^a-z0-9-]+", "_", name.lower()) + ".png"


def chosen(only: str) -> dict[str, dict[str, Any]]:
    """Return the states whose name has `only`."""
    return {name: state for name, state in STATES.items() if only in name}


def show(walk: Walk, state: dict[str, Any], language: str, theme: str) -> None:
    """Bring the window into a state of the file, and wait until it is drawn."""
    walks.set_back(walk, language, theme)
    app, window = walk.state, walk.window
    app.rooms.enter(state.get("room", "research"))
    app.workspace.set_texts(state.get("text", TEXT), state.get("pair"), at_once=True)
    if "other" in state:
        app.comparison.set_texts(state["other"], at_once=True)
    if {"view", "analysis"} & state.keys():
        panel = Panel(0, 2, 3, state.get("view", "matrix"), content=Content(state.get("analysis", "")))
        vectors = VectorsChoice(page=state["page"]) if "page" in state else panel.vectors
        app.panels.open([replace(panel, run=state.get("run", "A"), vectors=vectors)])
    place = state.get("place")
    if place is not None:
        places: dict[str, Callable[[], object]] = {
            "corpus": window.part(CorpusController).open,
            "training": window.part(TrainingController).open,
            "lesson": partial(walks.be_in_lesson, walk),
            "lessons": window.part(Lessons).open_list,
            "end": partial(walks.end_lesson, walk),
        }
        places[place]()
    if "dialog" in state:
        walks.dialogs_of(walk)[state["dialog"]][0]()
    walks.still(walk)


def photograph(walk: Walk, folder: Path, options: argparse.Namespace) -> list[Path]:
    """Save a photograph of each state, and of the dialog over it; return the files."""
    files = []
    for name, state in chosen(options.only).items():
        try:
            show(walk, state, options.language[0], options.theme[0])
        except Exception:  # noqa: BLE001 - the others are photographed
            sys.stdout.write(f"FAILED {name}\n{traceback.format_exc()}")
            continue
        picture = walk.window.grab().toImage()
        dialogs = walks.shown(QDialog)
        if dialogs:
            painter = QPainter(picture)
            over = dialogs[-1].grab().toImage()
            painter.drawImage(max(0, (picture.width() - over.width()) // 2), 60, over)
            painter.end()
        files.append(folder / file_name(name))
        picture.save(str(files[-1]))
        sys.stdout.write(f"{files[-1].name}\n")
        sys.stdout.flush()
    return files


def sheet(files: list[Path]) -> QImage:
    """Return all photographs in one picture."""
    width, height = (side // _SMALLER for side in _SIZE)
    rows = math.ceil(len(files) / _COLUMNS)
    whole = QImage(width * _COLUMNS, height * rows, QImage.Format.Format_RGB32)
    whole.fill(Qt.GlobalColor.gray)
    painter = QPainter(whole)
    for at, file in enumerate(files):
        small = QImage(str(file)).scaled(
            width, height, Qt.AspectRatioMode.KeepAspectRatio, Qt.TransformationMode.SmoothTransformation
        )
        painter.drawImage(at % _COLUMNS * width, at // _COLUMNS * height, small)
    painter.end()
    return whole


def one(options: argparse.Namespace, folder: Path) -> int:
    """Photograph the states in a language and a theme, in this process."""
    folder.mkdir(parents=True, exist_ok=True)
    files: list[Path] = []

    def begin(window: MainWindow) -> None:
        QTimer.singleShot(1000, lambda: take(Walk(window)))

    def take(walk: Walk) -> None:
        application = QApplication.instance()
        assert application is not None
        try:
            walk.window.resize(*_SIZE)
            walks.see_first_screen(walk)
            files.extend(photograph(walk, folder, options))
            sheet(files).save(str(folder.parent / f"sheet-{folder.name}.png"))
        finally:
            walk.window.close()
            application.quit()

    run(WindowOptions(), begin)
    return 0 if len(files) == len(chosen(options.only)) else 1


def main() -> int:
    """Photograph all; 1 where a state could not be shown."""
    parser = argparse.ArgumentParser(prog="python -m tests.states")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--language", nargs="+", default=["en", "ko"])
    parser.add_argument("--theme", nargs="+", default=["light", "dark"])
    parser.add_argument("--only", default="", help="the states whose name has this")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    folder = options.folder.absolute()
    if options.here:
        return one(options, folder)
    failed = 0
    for language in options.language:
        for theme in options.theme:
            with tempfile.TemporaryDirectory() as home:
                here = ["--here", "--language", language, "--theme", theme, "--only", options.only]
                environment = os.environ | {"HOME": home, "XDG_CONFIG_HOME": home, "HF_HUB_OFFLINE": "1"}
                environment |= {"QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": os.pathsep.join(sys.path)}
                command = [sys.executable, "-m", "tests.states", str(folder / f"{language}-{theme}"), *here]
                failed |= subprocess.run(command, cwd=home, env=environment, check=False).returncode
    return failed


if __name__ == "__main__":
    sys.exit(main())
