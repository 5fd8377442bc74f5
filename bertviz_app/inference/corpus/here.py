"""`measure_file`: a text file measured on a thread beside a window."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from bertviz_app.inference.corpus.job import CorpusJob
from bertviz_app.inference.corpus.listener import CorpusListener, CorpusProgress
from bertviz_app.inference.corpus.opening import open_alone
from bertviz_app.inference.corpus.reading import table_name
from bertviz_app.inference.corpus.run import InThisProcess, run_corpus
from bertviz_app.inference.devices import CPU, find_device
from bertviz_app.inference.warmup import preload_torch
from bertviz_app.types import Check


def measure_file(path: Path, ref: str | None, progress: Callable[[float], None], check: Check) -> Path:
    """Measure the lines of a file with all measures; return the table, which is written beside the file.

    The checkpoint is opened anew, so that typing never waits for a block. `check` is called between layers.
    """
    preload_torch()
    opened = open_alone(ref)
    table = table_name(str(path), opened.facts.name)
    job = CorpusJob((str(path),), str(table))
    run_corpus(job, opened, InThisProcess(job, opened, find_device(CPU), check), _Heard(progress, check))
    return table


class _Heard(CorpusListener):
    def __init__(self, progress: Callable[[float], None], check: Check) -> None:
        self._progress = progress
        self._check = check

    def on_progress(self, done: CorpusProgress) -> None:
        if done.share is not None:
            self._progress(done.share)

    def check(self) -> None:
        self._check()
