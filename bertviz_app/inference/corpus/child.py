"""The process that measures a file for a window: `python -m bertviz_app.inference.corpus.child`.

Its job is {"file": ..., "ref": ..., "reading": ...}; with "examples", the path of their file, "files" and
"fingerprint" it collects examples of heads.
"""

from __future__ import annotations

import sys
from pathlib import Path
from time import monotonic
from typing import Any

from bertviz_app.analysis.parameters import Callbacks
from bertviz_app.analysis.studies.examples import ExamplesParameters, head_examples
from bertviz_app.errors import CheckpointError, Message
from bertviz_app.inference.child_process import Commands, Send, run_as_child
from bertviz_app.inference.corpus.measuring import CorpusJob, CorpusSettings, TextReading
from bertviz_app.inference.corpus.reading import table_name
from bertviz_app.inference.corpus.run import (
    CorpusListener,
    CorpusProgress,
    InThisProcess,
    open_alone,
    run_corpus,
)
from bertviz_app.inference.corpus.studies import (
    ChosenStudy,
    StudyJob,
    StudySettings,
    finish_studies,
    model_of,
    run_studies,
)
from bertviz_app.inference.opened_checkpoint import CPU, find_device
from bertviz_app.inference.warmup import preload_torch
from bertviz_app.json_store import decode

_PAUSE = 0.1  # seconds between two reports


def run(job: dict[str, Any], commands: Commands, send: Send) -> None:
    """Measure the file of a job with all measures, or collect examples, and report the file."""
    reading, reporter = decode(TextReading, job["reading"]), _Reporter(commands, send)
    if "examples" in job:
        _collect(job, reading, reporter)
        send(kind="done", table=job["examples"])
        return
    table = _measure(Path(job["file"]), job["ref"], reading, reporter)
    send(kind="done", table=str(table))


def _measure(path: Path, ref: str | None, reading: TextReading, reporter: _Reporter) -> Path:
    """Return the table, which is written beside the file."""
    preload_torch()
    opened = open_alone(ref)
    table = table_name(path, opened.facts.name)
    job = CorpusJob((str(path),), str(table), CorpusSettings(reading=reading))
    run_corpus(job, opened, InThisProcess(job, (opened,), find_device(CPU), reporter.check), reporter)
    return table


def _collect(job: dict[str, Any], reading: TextReading, reporter: _Reporter) -> None:
    """Write the examples. Raises CheckpointError where the weights are not those of the table any more."""
    preload_torch()
    opened = open_alone(job["ref"])
    if job["fingerprint"] and opened.facts.fingerprint != job["fingerprint"]:
        message = Message("The checkpoint {0} has other weights than the table was made with.", opened.ref)
        raise CheckpointError(message, Message("Measure the texts again with the checkpoint as it is now."))
    settings = StudySettings(
        reading.column, reading.is_prose, "", "", "", reading.separator, reading.encoding
    )
    chosen = ChosenStudy(head_examples.key, ExamplesParameters())
    of_study = StudyJob(tuple(job["files"]), (chosen,), job["examples"], settings)
    device = find_device(CPU)
    measurer = InThisProcess(of_study, (opened,), device, reporter.check)
    found = run_studies(of_study, (opened,), measurer, reporter)
    finish_studies(of_study, found, model_of(opened, device, reporter.check), Callbacks(reporter.check))


class _Reporter(CorpusListener):
    """Sends how far the run is."""

    def __init__(self, commands: Commands, send: Send) -> None:
        self._commands = commands
        self._send = send
        self._sent_at = 0.0

    def on_progress(self, done: CorpusProgress) -> None:
        now = monotonic()
        if done.share is not None and now - self._sent_at >= _PAUSE:
            self._sent_at = now
            self._send(kind="progress", share=done.share)

    def check(self) -> None:
        self._commands.check()


if __name__ == "__main__":
    sys.exit(run_as_child(run))
