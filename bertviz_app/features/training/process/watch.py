"""What the models of a training make of one sentence: traces, saved every few steps."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

from bertviz_app.encoder.encoder import Encoder
from bertviz_app.encoder.recorder import record
from bertviz_app.errors import AppError, as_json
from bertviz_app.features.training.pretraining.vocabulary import TOKENIZER
from bertviz_app.features.training.process.job import (
    MOST_FRAMES,
    WATCHED,
    Step,
    TrainingJob,
    Watch,
    in_steps,
    step_of,
)
from bertviz_app.text import Tokenizer
from bertviz_app.trace.archive import save_arrays

MOST_TOKENS = 64
"""A longer sentence is cut: each trace is drawn whole, and more than a hundred are saved."""
Send = Callable[..., None]


class Watcher:
    """Encodes the watched sentence with the current model every few steps, and saves the traces."""

    def __init__(self, job: TrainingJob, send: Send, tokenizer: Tokenizer | None = None) -> None:
        """`tokenizer`: that of the checkpoint that the training begins with; None: the training makes one."""
        self._job = job
        self._send = send
        self._watch = job.watch
        self._folder = job.work / WATCHED
        self._tokenizer = tokenizer
        self._is_new = False

    def change(self, watch: Watch) -> None:
        """Watch another sentence from the next step on; the traces of the previous one are deleted."""
        self._watch = watch
        self._is_new = True
        for path in in_steps(self._folder, ".npz"):
            path.unlink(missing_ok=True)

    def encode_if_due(self, report: Step, encoder: Encoder) -> None:
        """Encode the sentence at some steps, and report the trace, or what is wrong with the text."""
        is_due = report.step == 1 or report.step % self._job.watch.every == 0 or report.share >= 1
        if not (is_due or self._is_new):
            return
        self._is_new = False
        try:
            if self._tokenizer is None:
                self._tokenizer = Tokenizer.from_json(self._job.out / TOKENIZER, encoder.config.n_positions)
            tokens = self._tokenizer.limited(MOST_TOKENS).encode(self._watch.text, self._watch.pair)
            trace = record(encoder, tokens, self._job.out.name)
            self._folder.mkdir(exist_ok=True)
            save_arrays(trace, self._folder / f"step-{report.step:06d}.npz")
            thin(self._folder)
            self._send(kind="watched", step=report.step)
        except AppError as error:
            self._send(kind="remark", message=as_json(error.message), hint=as_json(error.hint))


def thin(folder: Path, most: int = MOST_FRAMES) -> None:
    """Delete traces until `most` are left: first those with the closest neighbours, never the ends."""
    paths = list(in_steps(folder, ".npz"))
    while len(paths) > max(2, most):
        gaps = [later - earlier for earlier, later in pairwise([step_of(path) for path in paths])]
        # Deleting a trace joins the gaps on its two sides.
        index = min(range(1, len(paths) - 1), key=lambda at: gaps[at - 1] + gaps[at])
        paths.pop(index).unlink(missing_ok=True)
