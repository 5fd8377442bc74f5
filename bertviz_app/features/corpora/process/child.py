"""The process that measures a file for a window: `python -m bertviz_app.features.corpora.process.child`.

Its job is {"file": ..., "ref": ..., "reading": ...}, or for a study {"file": ..., "ref": ..., "study": ...}.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path
from time import monotonic
from typing import Any

from bertviz_app.features.corpora.process.handing import as_bytes
from bertviz_app.features.corpora.process.measuring import CorpusJob, CorpusSettings, TextReading
from bertviz_app.features.corpora.process.reading import result_name, table_name
from bertviz_app.features.corpora.process.run import (
    CorpusListener,
    CorpusProgress,
    InThisProcess,
    open_alone,
    run_corpus,
)
from bertviz_app.features.corpora.process.studies import KeyedStudy, StudyJob, StudySettings, study_files
from bertviz_app.features.corpora.studies.catalogue import find_study
from bertviz_app.inference.child_process import Commands, Send, run_as_child
from bertviz_app.inference.opened_checkpoint import CPU, find_device
from bertviz_app.inference.warmup import preload_torch
from bertviz_app.json_store import decode

_PAUSE = 0.1  # seconds between two reports


def run(job: dict[str, Any], commands: Commands, send: Send) -> None:
    """Measure the file of a job with all measures and report the table, or report the result of a study."""
    reporter = _Reporter(commands, send)
    if "study" in job:
        send(kind="done", table=_study(Path(job["file"]), job["ref"], job["study"], reporter))
        return
    path = Path(job["file"])
    preload_torch()
    opened = open_alone(job["ref"])
    table = table_name(path, opened.checkpoint.facts.name)
    corpus_job = CorpusJob(
        (str(path),), str(table), CorpusSettings(reading=decode(TextReading, job["reading"]))
    )
    run_corpus(
        corpus_job, opened, InThisProcess(corpus_job, (opened,), find_device(CPU), reporter.check), reporter
    )
    send(kind="done", table=str(table))


def _study(path: Path, ref: str | None, wanted: Mapping[str, Any], reporter: _Reporter) -> str:
    """Return the file of the result, which is written beside the file, and hand it to the window."""
    preload_torch()
    opened = [open_alone(ref)]
    key = wanted["key"]
    chosen = KeyedStudy(key, decode(find_study(key).parameters, wanted["parameters"]))
    out = str(result_name(path, opened[0].checkpoint.facts.name, key))
    job = StudyJob((str(path),), (chosen,), out, decode(StudySettings, wanted["settings"]))
    if job.compares and wanted["other"] is not None:
        opened.append(open_alone(wanted["other"]))
    device = find_device(CPU)

    def measurer_of(stage: StudyJob) -> nullcontext[InThisProcess]:
        return nullcontext(InThisProcess(stage, tuple(opened), device, reporter.check))

    (result,) = study_files(job, opened, device, measurer_of, reporter)
    Path(wanted["handed"]).write_bytes(as_bytes(result))
    return out


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
