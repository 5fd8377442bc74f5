"""`bertviz-app pretrain`: its arguments, and what a terminal shows as it goes."""

from __future__ import annotations

import argparse
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

from bertviz_app.cli.arguments import number
from bertviz_app.cli.printing import complain, say, show_progress
from bertviz_app.errors import Cancelled

if TYPE_CHECKING:
    from bertviz_app.training.network import PretrainingNetwork
    from bertviz_app.training.settings import HeldOut, StepReport

Command = Callable[[argparse.Namespace], int]
Add = Callable[[str, str, Command], argparse.ArgumentParser]
_PAUSE = 0.2  # seconds between two drawings of the bar
_WIDTH = 24
_INTERRUPTED = 130


def add_training(add: Add) -> None:
    """Add the sub-commands that train; `add` makes one of its name, its help and what it runs."""
    parser = add("pretrain", "train a model on texts of your own", _pretrain)
    parser.add_argument(
        "--corpus",
        type=Path,
        nargs="+",
        required=True,
        metavar="FILE",
        help="UTF-8 texts, .xz and .gz too; a blank line between documents, else each line is one",
    )
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="the folder of the model")
    ends = parser.add_argument_group("its end", "one of the two, or whichever comes first")
    ends.add_argument("--steps", type=number, metavar="N")
    ends.add_argument("--minutes", type=_minutes, metavar="N", help="of training, over all parts of the run")
    sizes = parser.add_argument_group("the model")
    sizes.add_argument("--layers", type=number, default=6, metavar="N", help="6 unless given")
    sizes.add_argument("--heads", type=number, default=8, metavar="N", help="8 unless given")
    sizes.add_argument("--width", type=number, default=256, metavar="N", help="256 unless given")
    sizes.add_argument(
        "--vocab", type=number, default=16_000, metavar="N", help="pieces at most; 16000 unless given"
    )
    sizes.add_argument(
        "--positions", type=number, default=256, metavar="N", help="tokens it reads at most; 256 unless given"
    )
    course = parser.add_argument_group("the run")
    course.add_argument("--resume", action="store_true", help="go on with the run in the folder")
    course.add_argument("--device", default="auto", help="auto, cpu, cuda, mps (auto unless given)")
    course.add_argument(
        "--precision",
        choices=("auto", "float32", "bfloat16"),
        default="auto",
        help="auto: bfloat16 where the device computes in it",
    )
    course.add_argument(
        "--batch", type=number, default=4096, metavar="N", help="tokens a step; 4096 unless given"
    )
    course.add_argument(
        "--length", type=number, default=128, metavar="N", help="tokens of an example; 128 unless given"
    )
    course.add_argument("--rate", type=float, default=1e-3, metavar="R", help="highest; 0.001 unless given")
    course.add_argument("--seed", type=number, default=0, metavar="N", help="0 unless given")
    course.add_argument("--snapshots", type=number, metavar="N", help="keep the model every N steps, too")


def _pretrain(options: argparse.Namespace) -> int:
    from bertviz_app.inference.devices import find_device
    from bertviz_app.training.pretraining import pretrain
    from bertviz_app.training.settings import PretrainingSettings

    settings = PretrainingSettings(
        n_layers=options.layers,
        n_heads=options.heads,
        width=options.width,
        vocabulary_size=options.vocab,
        n_positions=options.positions,
        length=min(options.length, options.positions),
        batch_tokens=options.batch,
        rate=options.rate,
        steps=options.steps,
        minutes=options.minutes,
        seed=options.seed,
        precision=options.precision,
        snapshot_every=options.snapshots,
    )
    device = find_device(options.device)
    listener = _Terminal()
    try:
        with _interrupting(listener):
            result = pretrain(
                options.corpus, options.out, settings, listener, device.name, resume=options.resume
            )
    except Cancelled:
        listener.clear()
        complain(f"Stopped. The run is kept in {options.out}: the same command with --resume goes on.")
        return _INTERRUPTED
    listener.clear()
    say(_sentence(result))
    say(f"Wrote {options.out}.")
    return 0


class _Terminal:
    """Shows how far a run is: a bar on a terminal, a line now and then elsewhere."""

    def __init__(self) -> None:
        self.is_stopping = False
        self._shown_at = 0.0

    def on_stage(self, stage: str) -> None:
        names = {"vocabulary": "Making the vocabulary", "tokens": "Reading the texts", "training": "Training"}
        self.clear()
        say(names[stage])

    def check(self) -> None:
        if self.is_stopping:
            raise Cancelled

    def on_step(self, report: StepReport, network: PretrainingNetwork) -> None:
        now = time.monotonic()
        if now - self._shown_at < _PAUSE:
            return
        self._shown_at = now
        done = round(_WIDTH * report.share)
        left = report.seconds * (1 - report.share) / max(report.share, 1e-6)
        show_progress(
            f"[{'=' * done}{' ' * (_WIDTH - done)}] {report.share:4.0%}  step {report.step:,}  "
            f"loss {report.masked_loss:.2f} + {report.next_loss:.2f}  "
            f"{report.tokens_per_second:,.0f} tokens/s  {_duration(left)} left"
        )

    def on_judged(self, result: HeldOut) -> None:
        self.clear()
        say(_sentence(result))

    def on_snapshot(self, folder: Path) -> None:
        self.clear()
        say(f"Kept {folder}.")

    def clear(self) -> None:
        """Take the bar away, for a line to be printed."""
        show_progress("")


@contextmanager
def _interrupting(listener: _Terminal) -> Iterator[None]:
    """Let Ctrl-C end the run between two steps; a second one ends the program at once."""

    def stop(number: int, frame: FrameType | None) -> None:
        if listener.is_stopping:
            raise KeyboardInterrupt
        listener.is_stopping = True

    before = [(name, signal.signal(name, stop)) for name in (signal.SIGINT, signal.SIGTERM)]
    try:
        yield
    finally:
        for name, handler in before:
            signal.signal(name, handler)


def _sentence(result: HeldOut) -> str:
    return (
        f"Step {result.step:,}, on held-out text: {result.masked_accuracy:.1%} of the hidden tokens guessed "
        f"(loss {result.masked_loss:.3f}; always the commonest piece: {result.baseline:.1%}), "
        f"{result.next_accuracy:.1%} of the pairs told right (loss {result.next_loss:.3f})."
    )


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def _minutes(text: str) -> float:
    try:
        found = float(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"“{text}” is no number of minutes") from error
    if not 0 < found < 1e6:
        raise argparse.ArgumentTypeError(f"“{text}” is no number of minutes above 0")
    return found
