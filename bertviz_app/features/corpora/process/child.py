"""The process that measures a file for a window: `python -m bertviz_app.features.corpora.process.child`.

Its job is {"file": ..., "ref": ..., "settings": ..., "key": ""}, or for a study also its "key", "parameters",
the "other" checkpoint, and the file "handed" that gets its result.
"""

from __future__ import annotations

import sys
from contextlib import nullcontext
from pathlib import Path
from time import monotonic
from typing import Any

from bertviz_app.features.corpora.process.measuring import CorpusJob, CorpusSettings
from bertviz_app.features.corpora.process.reading import as_bytes, result_name, table_name
from bertviz_app.features.corpora.process.run import (
    CorpusListener,
    CorpusProgress,
    open_alone,
    run_corpus,
)
from bertviz_app.features.corpora.process.studies import (
    InThisProcess,
    KeyedStudy,
    StudyJob,
    StudySettings,
    study_files,
)
from bertviz_app.features.corpora.studies.catalogue import find_study
from bertviz_app.inference.child_process import Commands, Send, run_as_child
from bertviz_app.inference.jobs import preload_torch
from bertviz_app.inference.opened_checkpoint import CPU, find_device
from bertviz_app.json_store import decode

_PAUSE = 0.1  # seconds between two reports


def run(job: dict[str, Any], commands: Commands, send: Send) -> None:
    """Measure the file of a job and report what is written beside it; a study's result is handed over."""
    reporter, path, key = _Reporter(commands, send), Path(job["file"]), job["key"]
    preload_torch()
    opened, device = [open_alone(job["ref"])], find_device(CPU)
    name, settings = opened[0].checkpoint.facts.name, decode(StudySettings, job["settings"])
    if not key:
        out = table_name(path, name)
        table = CorpusJob((str(path),), str(out), CorpusSettings(reading=settings.reading))
        run_corpus(table, opened[0], InThisProcess(table, tuple(opened), device, reporter.check), reporter)
    else:
        out = result_name(path, name, key)
        chosen = KeyedStudy(key, decode(find_study(key).parameters, job["parameters"]))
        study = StudyJob((str(path),), (chosen,), str(out), settings)
        if study.compares and job["other"] is not None:
            opened.append(open_alone(job["other"]))

        def measurer_of(stage: StudyJob) -> nullcontext[InThisProcess]:
            return nullcontext(InThisProcess(stage, tuple(opened), device, reporter.check))

        (result,) = study_files(study, opened, device, measurer_of, reporter)
        Path(job["handed"]).write_bytes(as_bytes(result))
    send(kind="done", table=str(out))


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
