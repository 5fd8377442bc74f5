"""A real X server with a window manager, and the program in a process of its own on it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.e2e.screen import Screen

PROGRAMS = ("Xvfb", "openbox", "xdotool")
SIZE = (1280, 800)
LIMIT = 180.0  # seconds after which something that should have happened has not
_STILL = 20  # looks at the screen, at least 0.6 s, in which nothing changes where nothing will


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what is in this folder, so that it can be left out by `-m "not x11"`."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.x11)


def _need_programs() -> None:
    missing = [name for name in PROGRAMS if shutil.which(name) is None]
    if missing and os.environ.get("CI"):
        pytest.fail(f"{', '.join(missing)} must be installed where CI is set.")
    if missing:
        pytest.skip(f"{', '.join(missing)} is not installed.")


def _end(process: subprocess.Popen[str]) -> None:
    process.terminate()
    try:
        process.wait(60)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait(60)


def _wait_until_managed(environment: dict[str, str]) -> None:
    """Wait until there is a window manager: a window that was opened before it has no focus."""
    deadline = time.monotonic() + LIMIT
    # The window manager alone knows this number: without one the command fails.
    command = ["xdotool", "get_num_desktops"]
    while subprocess.run(command, env=environment, capture_output=True, check=False).returncode:
        assert time.monotonic() < deadline, f"no window manager in {LIMIT:.0f} s"
        time.sleep(0.05)


@pytest.fixture(scope="module")
def screen(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Screen]:
    """An X server on a free display, with a window manager: without one no window is ever active."""
    _need_programs()
    folder = tmp_path_factory.mktemp("x11")
    reading, writing = os.pipe()
    server = subprocess.Popen(
        [
            *("Xvfb", "-displayfd", str(writing), "-screen", "0", "{}x{}x24".format(*SIZE)),
            *("-fbdir", str(folder), "-nolisten", "tcp", "-noreset"),
        ],
        pass_fds=(writing,),
        stderr=subprocess.DEVNULL,
        text=True,
    )
    os.close(writing)
    try:
        with os.fdopen(reading) as numbers:
            display = f":{numbers.readline().strip()}"  # comes when the server is ready
        assert display != ":", "Xvfb did not start"
        environment = os.environ | {"DISPLAY": display, "XDG_CONFIG_HOME": str(folder)}
        manager = subprocess.Popen(
            ["openbox", "--sm-disable"], env=environment, stderr=subprocess.DEVNULL, text=True
        )
        try:
            _wait_until_managed(environment)
            yield Screen(display, folder / "Xvfb_screen0")
        finally:
            _end(manager)
    finally:
        _end(server)


class Program:
    """The program in a process of its own, on a screen."""

    def __init__(self, screen: Screen, folder: Path, arguments: list[str], *, is_first: bool = False) -> None:
        """`is_first`: there are no settings, as before the program was ever used."""
        self.screen = screen
        self._folder = folder
        self._errors = (folder / "stderr.txt").open("w+", encoding="utf-8")
        self.process = subprocess.Popen(
            [sys.executable, "-W", "error", "-m", "bertviz_app", "window", *arguments],
            env=_environment(screen, folder, is_first=is_first),
            stdout=subprocess.DEVNULL,
            stderr=self._errors,
            text=True,
        )

    def until(self, is_so: Callable[[], bool], what: str) -> None:
        """Wait until `is_so()`; fail if the program ends, or if it takes too long."""
        deadline = time.monotonic() + LIMIT
        while not is_so():
            assert self.process.poll() is None, f"it ended before {what}: {self.complaints}"
            if time.monotonic() > deadline:
                pytest.fail(f"not in {LIMIT:.0f} s: {what}; seen: {self.screen.save(self._folder)}")
            time.sleep(0.03)  # between two looks at the screen

    def wait_until_open(self, accent: str) -> None:
        """Wait until the window is there and its field, framed in `accent`, takes what is typed."""
        self.until(lambda: self.screen.has_frame(accent), "the field has the focus")

    def wait_until_still(self, rows: slice) -> NDArray[np.uint32]:
        """Return `rows` of the screen once nothing changes there: views are painted in turns."""
        seen: list[NDArray[np.uint32]] = []

        def is_still() -> bool:
            seen.append(self.screen.pixels()[rows])
            return len(seen) > _STILL and all((one == seen[-1]).all() for one in seen[-_STILL:])

        self.until(is_still, "the views stand still")
        return seen[-1]

    def wait_for_the_end(self) -> int:
        return self.process.wait(LIMIT)

    @property
    def complaints(self) -> str:
        """Everything it wrote to standard error."""
        self._errors.flush()
        self._errors.seek(0)
        return self._errors.read()

    def close(self) -> None:
        if self.process.poll() is None:
            _end(self.process)
        self._errors.close()


def _environment(screen: Screen, folder: Path, *, is_first: bool) -> dict[str, str]:
    """Return an environment with nothing of the user's: own settings, in the light theme."""
    settings = folder / "bertviz-app" / "settings.json"
    settings.parent.mkdir(exist_ok=True)
    if not settings.exists() and not is_first:
        settings.write_text(json.dumps({"version": 1, "theme": "light"}))
    runtime = folder / "runtime"
    runtime.mkdir(mode=0o700, exist_ok=True)
    own = {
        "DISPLAY": screen.display,
        "QT_QPA_PLATFORM": "xcb",
        "XDG_CONFIG_HOME": str(folder),
        "XDG_RUNTIME_DIR": str(runtime),
        "LC_ALL": "C.UTF-8",
        "HF_HUB_OFFLINE": "1",
    }
    return os.environ | own


@pytest.fixture
def start(screen: Screen, tmp_path: Path, tiny_bert: Path) -> Iterator[Callable[..., Program]]:
    """Start the program on the small checkpoint, as the user `user`; it is ended with the test."""
    programs: list[Program] = []

    def start(*arguments: str, user: str = "", is_first: bool = False) -> Program:
        folder = tmp_path / f"config-{user or len(programs)}"
        folder.mkdir(exist_ok=True)
        own = ["--model", str(tiny_bert), "--device", "cpu", *arguments]
        programs.append(Program(screen, folder, own, is_first=is_first))
        return programs[-1]

    yield start
    for program in programs:
        program.close()
