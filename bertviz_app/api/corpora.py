"""What is read as a whole: files, or texts in memory; its bar of progress; and `training_history`."""

from __future__ import annotations

import hashlib
import json
import math
import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from bertviz_app.analysis.parameters import SILENT
from bertviz_app.errors import ArgumentError, Check, FileError, Message
from bertviz_app.features.corpora.process.history import (
    TrainingHistory,
    stages_named,
    stages_of,
    training_history as history_of,
)
from bertviz_app.features.corpora.process.measuring import PROSE, TextReading
from bertviz_app.features.corpora.process.run import SILENT_LISTENER, CorpusListener, CorpusProgress
from bertviz_app.trace.indexing import described

FilePath = str | PathLike[str]
Data = FilePath | Iterable[Any]
"""Paths, or what is in memory: texts, pairs of texts, rows as mappings, a DataFrame, a `datasets.Dataset`."""
_CALL = 'model.study("head-patterns", ["A cat sat.", "It slept."])'
_LONGEST = 300  # characters of a name in a message
_TEXT, _PAIR = "text", "pair"


class Files(NamedTuple):
    """Paths; `in_memory`: they are files of this call, of which the columns of texts may be known."""

    paths: tuple[str, ...]
    in_memory: bool = False
    text: str = ""
    pair: str = ""


@contextmanager
def files_of(data: Data) -> Iterator[Files]:
    """Yield the files of `data`: paths as they are; what is in memory in a file of JSON lines for the time.

    Its name is made of its content. A list of `str` is a list of texts, unless there are files of all these
    names; paths of files that are to be there are better given as `pathlib.Path`.

    Raises ArgumentError for what is neither, and FileError for a path where there is no file.
    """
    items = [data] if isinstance(data, str | PathLike) else _items(data)
    is_alone = isinstance(data, str | PathLike)
    if is_alone or all(isinstance(item, PathLike) for item in items) or _are_files(items):
        paths = tuple(os.fsdecode(item) for item in items)
        for path in paths:
            if not _is_there(path):
                message = Message("There is no file “{0}”.", _short(path))
                hint = Message("Check the name; texts themselves are given as a list: {0}.", _CALL)
                raise FileError(message, hint)
        yield Files(paths)
        return
    rows = [_row(item) for item in items]
    lines = "".join(f"{json.dumps(row, ensure_ascii=False, default=_plain)}\n" for row in rows)
    digest = hashlib.sha256(lines.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    with tempfile.TemporaryDirectory(prefix="bertviz-app-") as folder:
        file = Path(folder, f"in-memory-{digest}.jsonl")
        file.write_text(lines, encoding="utf-8")
        text = "" if isinstance(items[0], Mapping) else _TEXT
        yield Files((str(file),), True, text, _PAIR if isinstance(items[0], tuple) else "")


def _items(data: object) -> list[Any]:
    """Return texts, pairs, rows or paths. Raises ArgumentError for what is none of these, or for nothing."""
    found: list[Any] = []
    if hasattr(data, "to_dict") and hasattr(data, "columns"):  # pandas
        found = data.to_dict("records")
    elif hasattr(data, "features") and hasattr(data, "column_names"):  # datasets
        found = _named_classes(data)
    elif isinstance(data, Iterable) and not isinstance(data, bytes | Mapping):
        found = list(data)
    kinds = (PathLike, str, tuple, Mapping)
    kind = next((kind for kind in kinds if found and all(isinstance(item, kind) for item in found)), None)
    if kind is None or (kind is tuple and not all(map(_is_pair, found))):
        message = Message("What is read is a file, or texts, pairs of texts or rows, not {0}.", _shown(data))
        raise ArgumentError(message, Message("Call {0}.", _CALL))
    return found


def _is_pair(item: Sequence[object]) -> bool:
    return len(item) == 2 and all(isinstance(part, str) for part in item)


def _shown(data: object) -> str:
    items = list(data)[:1] if isinstance(data, list | tuple) else []
    if isinstance(data, list | tuple) and not items:
        return f"an empty {type(data).__name__}"
    return f"{described(data)} of {described(items[0])}" if items else described(data)


def _named_classes(data: Any) -> list[dict[str, Any]]:
    """Return the rows of a `datasets.Dataset`, the numbers of its classes as their names."""
    names = {column: each.names for column, each in data.features.items() if hasattr(each, "names")}

    def named(column: str, value: Any) -> Any:
        of = names.get(column)
        return of[value] if of and isinstance(value, int) and 0 <= value < len(of) else value

    return [{column: named(column, value) for column, value in row.items()} for row in data]


def _are_files(items: Sequence[Any]) -> bool:
    """Return whether all are names of files. Raises ArgumentError where only some are."""
    if not all(isinstance(item, str) for item in items):
        return False
    missing = [item for item in items if not _is_there(item)]
    if missing and len(missing) < len(items):
        message = Message("Of these names some are files, and “{0}” is none.", _short(missing[0]))
        raise ArgumentError(message, Message("Check the name, or give texts alone."))
    return not missing


def _is_there(name: str) -> bool:
    """Return whether there is such a file; a URL may be one."""
    try:
        return "://" in name or os.path.exists(name)  # noqa: PTH110 - a Path changes URLs
    except ValueError:  # a text with a NUL
        return False


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST else f"{name[:_LONGEST]}…"


def _row(item: Any) -> dict[str, Any]:
    if isinstance(item, str):
        return {_TEXT: item}
    if isinstance(item, tuple):
        return {_TEXT: item[0], _PAIR: item[1]}
    return {  # what is missing, as pandas has it, is null
        str(name): None if isinstance(value, float) and math.isnan(value) else value
        for name, value in item.items()
    }


def _plain(value: Any) -> Any:
    """Return a number or an array of NumPy as Python's, and anything else as text."""
    return value.tolist() if isinstance(value, np.generic | np.ndarray) else str(value)


class _Bar(CorpusListener):
    """Shows lines and lines a second until the file is read, then the share of what follows."""

    def __init__(self, *, says_reading: bool) -> None:
        from tqdm import tqdm

        # A log would get a line for each change; a notebook shows the bar though it is no terminal.
        is_seen = sys.stderr.isatty() or "ipykernel" in sys.modules
        self._says_reading = says_reading
        self.bar = tqdm(total=1.0, disable=not is_seen, bar_format="{percentage:3.0f}%|{bar}| {postfix}")

    def on_progress(self, done: CorpusProgress) -> None:
        self._show(done.share or 0.0, f"{done.n_lines:,} lines")

    def on_finishing(self, share: float) -> None:
        self._show(share, "last step")

    def on_notice(self, notice: str) -> None:
        if self._says_reading:
            self.bar.write(notice, file=sys.stderr)

    def on_dashboard(self, address: str) -> None:
        self.bar.write(f"Dask's dashboard: {address}", file=sys.stderr)

    def _show(self, share: float, words: str) -> None:
        self.bar.set_postfix_str(words, refresh=False)
        self.bar.update(share - self.bar.n)


@contextmanager
def reporting(progress: bool | CorpusListener, *, says_reading: bool) -> Iterator[CorpusListener]:
    """Yield a listener: the one given, else, of a run that shows its progress, one that draws a bar.

    `says_reading`: that one writes how a file is read, where that is not plain, too.
    """
    if not isinstance(progress, bool) or not progress:
        yield progress or SILENT_LISTENER
        return
    shown = _Bar(says_reading=says_reading)
    try:
        yield shown
    finally:
        shown.bar.close()


def training_history(
    checkpoints: FilePath | Iterable[FilePath],
    file: FilePath,
    *,
    reading: TextReading | None = None,
    progress: Callable[[float], None] | None = None,
    check: Check | None = None,
) -> TrainingHistory:
    """Return what every head does at each checkpoint of a training: the mean of each measure over a file.

    Each checkpoint is measured by a process of its own; its table is kept beside the file, and what is newer
    than the checkpoint and the file is not measured again.

    Parameters
    ----------
    checkpoints : path, or iterable of what opens checkpoints
        The folder of a training with checkpoint-N in it, or several: folders, OWNER/NAME@REVISION. The
        snapshots of a training of this program, too; `["owner/name@step-1000", "owner/name@step-2000"]`.
    file : path
        Text, a sentence a line. A table needs `reading`.
    reading : TextReading, optional
        How the file is read.
    progress, check : callable, optional
        `progress` is called with the share that is done; `check` several times a second, and may raise.

    Returns
    -------
    TrainingHistory
        "values" [checkpoints, measures, layers, heads]; `formed("previous")` has the heads by how much the
        measure changes, `as_table()` a row for each step and head.

    Raises
    ------
    FileError
        For fewer than two checkpoints, those of different sizes, or a file that cannot be read.
    """
    if isinstance(checkpoints, str | PathLike):
        stages = stages_of(os.fspath(checkpoints))
    elif isinstance(checkpoints, Iterable):
        stages = stages_named([os.fspath(one) for one in checkpoints])
    else:
        message = Message("Checkpoints are a folder, or a list of them.")
        raise ArgumentError(message, Message("Call {0}.", 'training_history("run", "texts.txt")'))
    reports = progress or SILENT.progress, check or SILENT.check
    return history_of(stages, os.fspath(file), *reports, reading or PROSE)
