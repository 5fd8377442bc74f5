"""`measure_file`: measures a text file in a process of its own, for a window."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from queue import Empty, SimpleQueue

from bertviz_app.errors import AppError, Message, from_json
from bertviz_app.inference.child_process import ChildProcess, Report
from bertviz_app.inference.corpus.lines import PROSE, TextReading
from bertviz_app.json_store import encode
from bertviz_app.types import Check

_MODULE = "bertviz_app.inference.corpus.child"
_PAUSE = 0.1  # seconds between two calls of `check`
_PATIENCE = 2.0  # seconds to wait for the process to end; after that it ends by itself


def measure_file(
    path: Path,
    ref: str | None,
    progress: Callable[[float], None],
    check: Check,
    reading: TextReading = PROSE,
) -> Path:
    """Measure the texts of a file with all measures; return the table, which is written beside the file.

    Measuring changes global settings of torch, and texts that are typed meanwhile must be encoded as usual
    and without delay; hence the process of its own. `check` is called several times a second; when it raises,
    the process is ended and the finished blocks are kept. Raises AppError for what cannot be measured.
    """
    reports = SimpleQueue[Report | int]()
    process = ChildProcess(
        _MODULE, {"file": str(path), "ref": ref, "reading": encode(reading)}, reports.put, reports.put
    )
    process.start()
    try:
        while True:
            check()
            try:
                report = reports.get(timeout=_PAUSE)
            except Empty:
                continue
            if isinstance(report, int):
                raise _ended(report)
            match report["kind"]:
                case "progress":
                    progress(float(str(report["share"])))
                case "done":
                    return Path(str(report["table"]))
                case "error":
                    raise AppError(from_json(report["message"]), from_json(report["hint"]))
    finally:
        process.close(_PATIENCE)


def _ended(code: int) -> AppError:
    """Return the error for a process that ended without a report; a negative code is a signal's number."""
    message = Message("The process that measured the file has ended (code {0}).", code)
    return AppError(message, Message("Open the same file again: measuring goes on from what is saved."))
