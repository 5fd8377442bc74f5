"""`CorpusModel`: the measures of every head for each line of text files, as a table."""

from __future__ import annotations

import os
from collections.abc import Iterable
from os import PathLike

from bertviz_app.errors import ArgumentError, FileError, Message
from bertviz_app.inference.corpus.job import DEFAULT_SETTINGS, CorpusJob, CorpusSettings
from bertviz_app.inference.corpus.listener import SILENT_LISTENER, CorpusListener
from bertviz_app.inference.corpus.run import CorpusResult, InThisProcess, run_corpus
from bertviz_app.inference.corpus.workers import connected
from bertviz_app.inference.devices import Device, find_device
from bertviz_app.inference.engine import Engine
from bertviz_app.inference.opened_checkpoint import OpenedCheckpoint

Path = str | PathLike[str]
_LONGEST = 300  # characters of a name in a message


class CorpusModel:
    """Measures files of texts."""

    device: Device
    _engine: Engine
    _ref: str | None

    def measure_corpus(
        self,
        files: Path | Iterable[Path],
        out: Path,
        settings: CorpusSettings = DEFAULT_SETTINGS,
        *,
        listener: CorpusListener = SILENT_LISTENER,
    ) -> CorpusResult:
        """Write a table with a row for each line and head: line, n_tokens, layer, head, and the measures.

        Beside the measure "word" is n_word, the number of tokens of the line over which it is the mean.

        The files are read as they are needed, a block of lines at a time, and each block is saved once it is
        measured: an interrupted run is resumed by another call with the same file. Each process computes on
        one thread, so that the numbers are the same, bit for bit, with any number of workers.

        Parameters
        ----------
        files : path, or iterable of paths
            Text, a sentence a line; .gz, .bz2 and .xz, and URLs that fsspec opens, too. `line` counts from 1
            over all of them. The encoding is found by the content. Tables (TSV, CSV, JSON lines) need
            `settings.reading`, a `TextReading` with the column or with `is_prose`; `line` then counts their
            rows, without the names of the columns.
        out : path
            A `.parquet`, `.csv` or `.npz` file, or a folder (or URL) of Parquet files, one for each block.
            With a scheduler, the workers write to the folder, so all machines must reach it.
        settings : CorpusSettings
            Which measures, what becomes of texts that are too long, who computes, and how files are read.
        listener : CorpusListener
            Receives the progress; its `check` may raise to end the work.

        Returns
        -------
        CorpusResult
            How many lines were measured, and which were left out or cut, and why.

        Raises
        ------
        TableError
            A FileError, for a table of which no column is given; `preview` has its columns.
        FileError
            For a file that cannot be read or written, or without any text that can be measured; for Parquet
            without pyarrow, workers without Dask.
        ArgumentError
            For a measure that there is not.
        """
        job = CorpusJob(_paths(files), os.fsdecode(out), settings)
        job.validate()
        for name in job.files:
            _refuse_missing(name)
        with self._engine.using(self._ref, listener.check) as opened:
            if settings.n_workers is None and settings.scheduler is None:
                here = InThisProcess(job, opened, find_device(self.device.hardware), listener.check)
                return run_corpus(job, opened, here, listener)
            return self._on_cluster(job, opened, listener)

    def _on_cluster(self, job: CorpusJob, opened: OpenedCheckpoint, listener: CorpusListener) -> CorpusResult:
        settings = job.settings
        with connected(settings.n_workers, settings.scheduler) as client:
            from bertviz_app.inference.corpus.cluster import OnCluster

            listener.on_dashboard(client.dashboard_link)
            cluster = OnCluster(client, job, saves_there=not job.ending)
            cluster.register(opened, self.device.hardware)
            return run_corpus(job, opened, cluster, listener)


def _paths(files: object) -> tuple[str, ...]:
    if isinstance(files, str | PathLike):
        files = [files]
    if isinstance(files, Iterable):
        found = list(files)
        if all(isinstance(path, str | PathLike) for path in found):
            return tuple(os.fsdecode(path) for path in found)
    message = Message("The files are paths, not {0}.", type(files).__name__)
    raise ArgumentError(message, Message("Call {0}.", 'model.measure_corpus("texts.txt", "heads.parquet")'))


def _refuse_missing(name: str) -> None:
    """Raise FileError where there is no such file, as when `name` is a text."""
    if "://" in name or os.path.exists(name):  # noqa: PTH110 - a Path changes URLs, and refuses a NUL
        return
    message = Message("There is no file “{0}”.", name if len(name) <= _LONGEST else f"{name[:_LONGEST]}…")
    hint = Message("Give names of files that hold a sentence a line; texts are written into one first.")
    raise FileError(message, hint)
