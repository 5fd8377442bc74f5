"""A training on a terminal: a progress bar, messages, and how Ctrl+C stops it."""

from __future__ import annotations

import argparse
import shlex
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

from bertviz_app.cli.arguments import number
from bertviz_app.cli.printing import PROGRAM, print_error, print_text, show_progress
from bertviz_app.errors import Cancelled
from bertviz_app.training.settings import PRECISIONS, STATE, STORES, WORK

Command = Callable[[argparse.Namespace], int]
Add = Callable[[str, str, Command], argparse.ArgumentParser]
"""Adds a sub-command: takes its name, its help and the function that it runs; returns its parser."""
INTERRUPTED = 130
_PAUSE = 0.2  # seconds between two drawings of the bar
_WIDTH = 24


class Terminal:
    """The listener of a training: prints its stages and notices, and stops it at Ctrl-C."""

    def __init__(self, stages: dict[str, str]) -> None:
        self.is_stopping = False
        self._stages = stages
        self._shown_at = 0.0

    def on_stage(self, stage: str) -> None:
        """Report the stage of the work that begins."""
        self.line(self._stages[stage])

    def on_notice(self, notice: str) -> None:
        """Report something about the data that the user should know."""
        self.clear()
        print_error(notice)

    def check(self) -> None:
        """Raise Cancelled if the work has been cancelled."""
        if self.is_stopping:
            raise Cancelled

    def on_snapshot(self, folder: Path) -> None:
        """Report the folder of a new snapshot."""
        self.line(f"Kept {folder}.")

    def bar(self, share: float, seconds: float, facts: str) -> None:
        """Draw how much is done, 0 to 1, after `seconds`, and its `facts` so far."""
        now = time.monotonic()
        if now - self._shown_at < _PAUSE:
            return
        self._shown_at = now
        done = round(_WIDTH * share)
        left = f"  {_duration(seconds * (1 - share) / share)} left" if share > 0 else ""
        bar = f"[{'=' * done}{' ' * (_WIDTH - done)}] {share:4.0%}"
        show_progress(f"{bar}  {facts}{left}")

    def line(self, text: str) -> None:
        """Print a line in place of the bar."""
        self.clear()
        print_text(text)

    def clear(self) -> None:
        """Remove the bar."""
        show_progress("")


def run_training(terminal: Terminal, out: Path, train: Callable[[], str]) -> int:
    """Run a training, print the sentence it returns, return the exit code. Ctrl-C stops it after a step."""
    try:
        with _interrupting(terminal):
            sentence = train()
    except Cancelled:
        terminal.clear()
        print_error(_stopped(out))
        return INTERRUPTED
    finally:
        terminal.clear()
    print_text(sentence)
    print_text(f"Wrote {out}.")
    return 0


def command_line(options: argparse.Namespace) -> str:
    """Return the command line that started the run, also if it is resumed by `options`."""
    given = [argument for argument in options.arguments if argument != "--resume"]
    return shlex.join([PROGRAM, *given])


def add_course(parser: argparse.ArgumentParser) -> argparse._ArgumentGroup:
    """Add the options that both trainings have."""
    course = parser.add_argument_group("the run")
    course.add_argument("--resume", action="store_true", help="go on with the run in the folder")
    course.add_argument("--device", default="auto", help="auto, cpu, cuda, mps (auto unless given)")
    course.add_argument(
        "--precision",
        choices=PRECISIONS,
        default="auto",
        help="auto: bfloat16 where the device computes in it",
    )
    course.add_argument("--seed", type=number, default=0, metavar="N", help="0 unless given")
    course.add_argument("--snapshots", type=number, metavar="N", help="keep the model every N steps, too")
    course.add_argument(
        "--store",
        choices=STORES,
        default="float32",
        help="how the numbers are written; float16 takes half the space",
    )
    return course


def course_settings(options: argparse.Namespace) -> dict[str, Any]:
    """Return the settings that `add_course` reads, by their names in the settings of both trainings."""
    return {
        "seed": options.seed,
        "precision": options.precision,
        "stores": options.store,
        "snapshot_every": options.snapshots,
    }


@contextmanager
def _interrupting(terminal: Terminal) -> Iterator[None]:
    """Let Ctrl-C end the run between two steps; a second one ends the program at once."""

    def stop(number: int, frame: FrameType | None) -> None:
        if terminal.is_stopping:
            raise KeyboardInterrupt
        terminal.is_stopping = True

    before = [(name, signal.signal(name, stop)) for name in (signal.SIGINT, signal.SIGTERM)]
    try:
        yield
    finally:
        for name, handler in before:
            signal.signal(name, handler)


def _stopped(out: Path) -> str:
    if not (out / WORK / STATE).exists():
        return "Stopped before the first step: there is no run to go on with."
    return f"Stopped. The run is saved in {out}: the same command with --resume continues it."


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
