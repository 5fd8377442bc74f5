"""`make soak MINUTES=60 SEED=1`: random gestures; `python -m tests.soak --typing`: twenty keys a second."""

from __future__ import annotations

import argparse
import os
import random
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QTimer
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QApplication

from bertviz_app.options import WindowOptions
from bertviz_app.shell import application
from bertviz_app.shell.window.window import MainWindow
from tests.soak.driver import N_RESTS, Driver
from tests.soak.footprint import complaints
from tests.soak.material import write_material
from tests.soak.typing import BUDGET_MS, Typist, write_base

_MOST_FAULTS = 30


def main() -> int:
    """Print what was done and what went wrong; 1 if anything did."""
    parser = argparse.ArgumentParser(prog="python -m tests.soak")
    parser.add_argument("--minutes", type=float, default=60.0, help="how long to make random gestures")
    parser.add_argument("--seed", type=int, help="that of an earlier soak: the same gestures again")
    parser.add_argument("--rests", type=int, default=N_RESTS, help="how often to look at what it holds")
    parser.add_argument("--typing", action="store_true", help="twenty keys a second into a BERT-base instead")
    parser.add_argument("--seconds", type=float, default=60.0, help="how long to type")
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="soak-"))
    for name in ("CONFIG", "DATA", "CACHE"):
        os.environ[f"XDG_{name}_HOME"] = str(folder / name.lower())
    os.environ["HF_HUB_OFFLINE"] = "1"
    setattr(QDesktopServices, "openUrl", lambda *_: True)  # noqa: B010
    try:
        if options.typing:
            return _type(folder, options.seconds)
        seed = random.SystemRandom().randrange(10**6) if options.seed is None else options.seed
        return _soak(folder, seed, options.minutes * 60, options.rests)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _soak(folder: Path, seed: int, seconds: float, n_rests: int) -> int:
    material = write_material(folder)
    material.runs.mkdir()
    sys.stdout.write(f"seed {seed}: python -m tests.soak --minutes {seconds / 60:g} --seed {seed}\n")
    sys.stdout.flush()
    driver = Driver(material, seed, seconds, n_rests, QApplication.quit)
    _run(WindowOptions(), driver.begin)
    counted = driver.rests[driver.n_cold :]
    faults = [f"{n} x, first after {driver.first[what]}: {what}" for what, n in driver.faults.items()]
    wrong = [*faults, *complaints(counted)]
    lines = [f"{driver.n_gestures:,} gestures, {len(wrong)} faults", *wrong[:_MOST_FAULTS]]
    if len(counted) < 2:
        lines.append("too few gestures to fill the caches: what grew is not known")
    sys.stdout.write("\n".join(lines) + "\n")
    return 1 if wrong else 0


def _type(folder: Path, seconds: float) -> int:
    typist = Typist(seconds, QApplication.quit)
    _run(WindowOptions(model=str(write_base(folder / "base"))), typist.begin)
    sys.stdout.write(f"{typist.report()}\n")
    return 0 if typist.longest_stall_ms <= BUDGET_MS else 1


def _run(options: WindowOptions, begin: Callable[[MainWindow], None]) -> None:
    """Run the program as its command does; call `begin(window)` when the window is there."""
    app = application.make_application()
    app.setQuitOnLastWindowClosed(False)

    def find() -> None:
        window = next((each for each in app.topLevelWidgets() if isinstance(each, MainWindow)), None)
        if window is None:
            QTimer.singleShot(50, find)
        else:
            begin(window)

    QTimer.singleShot(50, find)
    application.run(options)


if __name__ == "__main__":
    sys.exit(main())
