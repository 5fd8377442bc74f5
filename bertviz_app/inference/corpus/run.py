"""`run_corpus`: measures every line of text files and writes the table; an interrupted run is resumed."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import secrets
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Protocol
from zipfile import ZipFile, ZipInfo

import numpy as np
from numpy.lib.format import header_data_from_array_1_0, write_array_header_2_0

from bertviz_app.analysis.measures import MeasureKey
from bertviz_app.errors import FileError, Message
from bertviz_app.inference.corpus.measuring import (
    Block,
    CorpusJob,
    FileForm,
    LineReader,
    MeasuredPart,
    Remark,
    block_digest,
    columns_of,
    measure_block,
    total_bytes,
)
from bertviz_app.inference.fetching import source_of
from bertviz_app.inference.opened_checkpoint import Device, OpenedCheckpoint
from bertviz_app.json_store import encode
from bertviz_app.paths import replacing
from bertviz_app.tables import digits
from bertviz_app.text_tables.table import UTF_8, layout_words, shown_encoding
from bertviz_app.types import Check
from bertviz_app.version import __version__

if TYPE_CHECKING:
    import pyarrow
    from distributed import Client
    from fsspec import AbstractFileSystem


@dataclass(frozen=True)
class CorpusProgress:
    """How far a run is: `share` from 0 to 1 of the bytes to read, None where their number is not known.

    Of the `n_lines` that are done an earlier run, which was interrupted, has measured `n_earlier`.
    """

    n_lines: int
    n_earlier: int
    share: float | None


class CorpusListener:
    """Receives the reports of a run and ignores them. Subclasses use them."""

    def on_progress(self, done: CorpusProgress) -> None:
        """Receive how far the run is, whenever lines are measured."""

    def on_dashboard(self, address: str) -> None:
        """Receive the address of Dask's page about its workers, before the first block."""

    def on_notice(self, notice: str) -> None:
        """Receive a sentence about how a file is read, before the first block."""

    def check(self) -> None:
        """Raise to stop the run. It is called between layers, with workers before each block."""


SILENT_LISTENER = CorpusListener()
"""Ignores all reports."""


# Read when pyarrow is imported: its own allocators keep a thread, and what they once took, until the end.
os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
os.environ.setdefault("JE_ARROW_MALLOC_CONF", "background_thread:false")

_REMARKS, _LINES = b"bertviz_app.remarks", b"bertviz_app.lines"


def has_pyarrow() -> bool:
    return find_spec("pyarrow") is not None


def require_pyarrow() -> None:
    """Raise FileError where pyarrow is not installed."""
    if not has_pyarrow():
        message = Message("Parquet is read and written by the package pyarrow, which is not installed.")
        command = "pip install pyarrow"
        raise FileError(message, Message("Install it with: {0} (CSV and NPZ need nothing more).", command))


@dataclass(frozen=True)
class ParquetFormat:
    """A row per sentence and head: line, n_tokens, layer, head, a column per measure, and N_WORD of "word".

    The bytes of a file depend only on the rows, `measures` and the version of pyarrow.
    """

    measures: tuple[MeasureKey, ...]

    def file_of(self, part: MeasuredPart) -> bytes:
        """Return a whole file of one part, with its remarks in the file's metadata."""
        import pyarrow.parquet

        rows = [[remark.line, remark.kind, remark.detail] for remark in part.remarks]
        metadata = {_REMARKS: json.dumps(rows).encode(), _LINES: str(len(part.lines)).encode()}
        content = io.BytesIO()
        pyarrow.parquet.write_table(self._table(part).replace_schema_metadata(metadata), content)
        return content.getvalue()

    def remarks_of(self, file: IO[bytes]) -> tuple[int, list[list[Any]]]:
        """Return how many lines a file of one part has, and its remarks as lists."""
        import pyarrow.parquet

        metadata = pyarrow.parquet.read_schema(file).metadata
        return int(metadata[_LINES]), json.loads(metadata[_REMARKS])

    def write(self, parts: Iterable[MeasuredPart], path: Path, facts: dict[str, str]) -> None:
        """Write one file with a row group for each part; `facts` become the file's metadata."""
        import pyarrow.parquet

        schema = self._schema().with_metadata(facts)
        with pyarrow.parquet.ParquetWriter(path, schema) as writer:
            for part in parts:
                if len(part.lines):
                    writer.write_table(self._table(part).cast(schema))

    def _schema(self) -> pyarrow.Schema:
        import pyarrow

        columns = columns_of(self.measures).items()
        return pyarrow.schema([(name, pyarrow.from_numpy_dtype(column.kind)) for name, column in columns])

    def _table(self, part: MeasuredPart) -> pyarrow.Table:
        import pyarrow

        numbers = {name: column.of(part) for name, column in columns_of(self.measures).items()}
        return pyarrow.table(numbers, schema=self._schema())


_COMPLETE = re.compile(r"part-\d{9}-[0-9a-f]{16}\.(npz|parquet)")
_INCOMPLETE = re.compile(rf"\.[0-9a-f]{{8}}-{_COMPLETE.pattern}")


class PartStore:
    """The files of one run in a folder: `.npz`, or `.parquet` where `as_parquet` writes them.

    `folder` is a path or a URL that fsspec opens. It can be pickled: workers on other machines save there.
    """

    def __init__(self, folder: str, digest: str, as_parquet: ParquetFormat | None = None) -> None:
        self.folder = folder
        self._digest = digest
        self._as_parquet = as_parquet
        self._ending = ".npz" if as_parquet is None else ".parquet"

    def open(self) -> None:
        """Create the folder, and remove files that a killed run left incomplete. Raises FileError."""
        system, folder = self._system()
        try:
            system.makedirs(folder, exist_ok=True)
            for name in self._listed(_INCOMPLETE):
                system.rm(f"{folder}/{name}")
        except OSError as error:
            raise self._not_written(error) from error

    def name_of(self, block: Block) -> str:
        """Return the name of the block's file."""
        found = block_digest(self._digest, block.first, block.lines)
        return f"part-{block.number:09d}-{found}{self._ending}"

    def names(self) -> set[str]:
        """Return the names of all files in the folder."""
        return self._listed(_COMPLETE)

    def save(self, name: str, part: MeasuredPart) -> None:
        """Write a block's file. Raises FileError."""
        system, folder = self._system()
        content = _as_npz(part) if self._as_parquet is None else self._as_parquet.file_of(part)
        beside = f"{folder}/.{secrets.token_hex(4)}-{name}"
        try:
            system.pipe_file(beside, content)
            system.mv(beside, f"{folder}/{name}")
        except OSError as error:
            raise self._not_written(error) from error

    def load(self, name: str) -> MeasuredPart:
        """Return the part of the block's `.npz` file."""
        return _from_npz(self._content(name))

    def remarks(self, name: str) -> tuple[int, tuple[Remark, ...]]:
        """Return how many lines were measured in the block of that file, and the remarks on its lines."""
        if self._as_parquet is None:
            part = self.load(name)
            return len(part.lines), part.remarks
        system, folder = self._system()
        with system.open(f"{folder}/{name}", "rb") as file:
            n_lines, remarks = self._as_parquet.remarks_of(file)
        return n_lines, _remarks(remarks)

    def remove(self) -> None:
        """Remove the files, and the folder if nothing else is in it. The table is complete."""
        self.remove_others(set())
        system, folder = self._system()
        with suppress(OSError):
            system.rmdir(folder)

    def remove_others(self, names: set[str]) -> None:
        """Remove all files but those of `names`: they are of other runs."""
        system, folder = self._system()
        for name in self.names() - names:
            system.rm(f"{folder}/{name}")

    def _listed(self, pattern: re.Pattern[str]) -> set[str]:
        system, folder = self._system()
        system.invalidate_cache(folder)
        names = (path.rpartition("/")[2] for path in system.ls(folder, detail=False))
        return {name for name in names if pattern.fullmatch(name)}

    def _content(self, name: str) -> bytes:
        system, folder = self._system()
        content: bytes = system.cat_file(f"{folder}/{name}")
        return content

    def _system(self) -> tuple[AbstractFileSystem, str]:
        from fsspec.core import url_to_fs

        system, folder = url_to_fs(self.folder)
        return system, folder.rstrip("/")

    def _not_written(self, error: OSError) -> FileError:
        reason = error.strerror or str(error)
        message = Message("{0} could not be written: {1}.", self.folder, reason)
        return FileError(message, Message("Choose another folder, or make room on the disk."))


def parts_in_order(store: PartStore, names: set[str]) -> Iterator[MeasuredPart]:
    """Yield the parts of the blocks in their order."""
    for name in sorted(names):
        yield store.load(name)


def _as_npz(part: MeasuredPart) -> bytes:
    content = io.BytesIO()
    remarks = json.dumps([[remark.line, remark.kind, remark.detail] for remark in part.remarks])
    np.savez(
        content,
        lines=part.lines,
        n_tokens=part.n_tokens,
        n_word=part.n_word,
        values=part.values,
        remarks=np.frombuffer(remarks.encode(), np.uint8),
    )
    return content.getvalue()


def _from_npz(content: bytes) -> MeasuredPart:
    with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
        remarks = json.loads(arrays["remarks"].tobytes().decode())
        lines, n_tokens, n_word = (arrays[name] for name in ("lines", "n_tokens", "n_word"))
        return MeasuredPart(lines, n_tokens, n_word, arrays["values"], _remarks(remarks))


def _remarks(rows: list[list[Any]]) -> tuple[Remark, ...]:
    return tuple(Remark(line, kind, detail) for line, kind, detail in rows)


Parts = Callable[[], Iterable[MeasuredPart]]
"""Returns an iterator over the parts in their order, a new one at each call."""


@dataclass(frozen=True)
class Size:
    """How many sentences, layers and heads a table has."""

    n_sentences: int
    n_layers: int
    n_heads: int


def write_table(job: CorpusJob, parts: Parts, size: Size, path: Path, facts: dict[str, str]) -> None:
    """Write the table of `job` to `path`, in the format of `job.ending`."""
    if job.ending == ".parquet":
        ParquetFormat(job.measures).write(parts(), path, facts)
    elif job.ending == ".csv":
        _write_csv(job, parts(), path)
    else:
        _write_npz(job, parts, size, path, facts)


def _write_csv(job: CorpusJob, parts: Iterable[MeasuredPart], path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns_of(job.measures))
        for part in parts:
            writer.writerows(_rows(part, has_n_word=job.has_n_word))


def _rows(part: MeasuredPart, *, has_n_word: bool) -> Iterator[list[object]]:
    _, n_layers, n_heads, n_measures = part.values.shape
    numbers = (part.lines.tolist(), part.n_tokens.tolist(), part.n_word.tolist())
    for line, n_tokens, n_word, values in zip(*numbers, part.values, strict=True):
        counts = [n_word] if has_n_word else []
        cells = iter(digits(values.reshape(-1)))
        for layer in range(n_layers):
            for head in range(n_heads):
                yield [line, n_tokens, layer, head, *(next(cells) for _ in range(n_measures)), *counts]


def _write_npz(job: CorpusJob, parts: Parts, size: Size, path: Path, facts: dict[str, str]) -> None:
    """Write an array for each column, one after the other, and `about`, the facts as JSON."""
    n_rows = size.n_sentences * size.n_layers * size.n_heads
    with ZipFile(path, "w") as archive:
        for name, values in columns_of(job.measures).items():
            kind = np.empty(0, values.kind)
            with archive.open(ZipInfo(f"{name}.npy"), "w", force_zip64=True) as member:
                header = header_data_from_array_1_0(kind) | {"shape": (n_rows,)}
                write_array_header_2_0(member, header)
                for part in parts():
                    member.write(values.of(part).astype(values.kind, copy=False).tobytes())
        about = np.frombuffer(json.dumps(facts).encode(), np.uint8)
        with archive.open(ZipInfo("about.npy"), "w") as member:
            write_array_header_2_0(member, header_data_from_array_1_0(about))
            member.write(about.tobytes())


_PARTS = ".parts"
FACTS = "bertviz_app.corpus"
"""The key of the facts about a table in a file's metadata: the checkpoint, the files and the settings."""
_MOST_NAMED = 10  # remarks of each kind in a `CorpusResult`


@dataclass(frozen=True)
class CorpusResult:
    """The result of a run: the table, the numbers of lines, and how many remarks of each kind there are.

    `remarks` are the first few of each kind; all are in the file `remarks_file`.
    """

    out: str
    n_lines: int
    n_sentences: int
    n_heads: int
    counts: dict[str, int]
    remarks: tuple[Remark, ...]
    remarks_file: str


@dataclass(frozen=True)
class MissingBlock:
    """A block that is still to be measured, and the name of its file."""

    block: Block
    name: str


class Measurer(Protocol):
    """Measures blocks and saves their files, in any order."""

    def __call__(
        self, blocks: Iterator[MissingBlock], store: PartStore, on_lines: Callable[[int], None]
    ) -> None:
        """Measure `blocks`; call `on_lines` with a number of lines whenever some are done."""


def run_corpus(
    job: CorpusJob,
    opened: OpenedCheckpoint,
    measurer: Measurer,
    listener: CorpusListener = SILENT_LISTENER,
) -> CorpusResult:
    """Measure the lines of the job's files with `measurer` and write the table.

    Blocks that an earlier run has saved are not measured again. `listener` is called as lines are done, its
    `check` before each block; it may raise. Raises FileError for what cannot be read or written, and what
    the measurer raises; the finished blocks are kept.
    """
    job.validate()
    if job.ending in ("", ".parquet"):
        require_pyarrow()
    is_folder = not job.ending
    digest = job.digest(opened.facts.fingerprint)
    folder = job.out if is_folder else job.out + _PARTS
    run = _Run(job, PartStore(folder, digest, ParquetFormat(job.measures) if is_folder else None))
    run.measure(measurer, listener)
    counts, remarks, n_sentences, remarks_file = run.collect_remarks()
    if not n_sentences:
        raise run.nothing_measured(counts, remarks_file)
    config = opened.checkpoint.encoder.config
    size = Size(n_sentences, config.n_layers, config.n_heads)
    facts = run.facts(opened, size, counts)
    if not is_folder:
        run.write(size, facts)
    run.finish(facts)
    n_heads = size.n_layers * size.n_heads
    return CorpusResult(
        job.out, run.reader.n_lines, n_sentences, n_heads, dict(counts), tuple(remarks), remarks_file
    )


@dataclass
class _Run:
    job: CorpusJob
    store: PartStore
    names: set[str] = field(default_factory=set)
    reader: LineReader = field(init=False)

    def __post_init__(self) -> None:
        self.reader = LineReader(self.job.files, self.job.settings.reading)

    def measure(self, measurer: Measurer, listener: CorpusListener) -> None:
        """Measure the blocks whose files are not there."""
        for name in self.job.files:
            notice = reading_notice(name, self.reader.form(name))
            if notice:
                listener.on_notice(notice)
        total = total_bytes(self.job.files)
        self.store.open()
        there = self.store.names()
        n_done = n_earlier = 0

        def on_lines(count: int) -> None:
            nonlocal n_done
            n_done += count
            reader = self.reader
            per_line = reader.n_bytes / max(1, reader.n_lines)
            share = min(1.0, n_done * per_line / total) if total else None
            listener.on_progress(CorpusProgress(n_done, n_earlier, share))

        def missing() -> Iterator[MissingBlock]:
            nonlocal n_earlier
            for block in self.reader.blocks(self.job.settings.block_lines):
                listener.check()
                name = self.store.name_of(block)
                self.names.add(name)
                if name in there:
                    n_earlier += len(block.lines)
                    on_lines(len(block.lines))
                else:
                    yield MissingBlock(block, name)

        measurer(missing(), self.store, on_lines)

    def collect_remarks(self) -> tuple[Counter[str], list[Remark], int, str]:
        """Write all remarks to a file; return counts, the first few, the number of sentences, the file."""
        counts: Counter[str] = Counter()
        first: list[Remark] = []  # of each kind
        n_sentences = 0
        path = file_beside(self.job, "remarks.csv")
        with open_text(path) as file:
            file.write("line,kind,detail\n")
            for name in sorted(self.names):
                n_lines, remarks = self.store.remarks(name)
                n_sentences += n_lines
                for remark in remarks:
                    counts[remark.kind] += 1
                    first += [remark] if counts[remark.kind] <= _MOST_NAMED else []
                    detail = remark.detail.replace('"', '""')
                    file.write(f'{remark.line},{remark.kind},"{detail}"\n')
        return counts, first, n_sentences, path

    def nothing_measured(self, counts: Counter[str], remarks_file: str) -> FileError:
        """Return the error for files without any text that can be measured."""
        files = ", ".join(name.rpartition("/")[2] for name in self.job.files)
        if not self.reader.n_lines:
            return FileError(Message("There is no text in {0}.", files), Message("Give a file with texts."))
        why = ", ".join(f"{kind} {count:,}" for kind, count in sorted(counts.items()))
        message = Message(
            "None of the {0} lines of {1} can be measured: {2}.", f"{self.reader.n_lines:,}", files, why
        )
        hint = Message("All are named in {0}. Another encoding is given by {1}.", remarks_file, "--encoding")
        return FileError(message, hint)

    def facts(self, opened: OpenedCheckpoint, size: Size, counts: Counter[str]) -> dict[str, str]:
        """Return the facts that are written beside the numbers: the checkpoint, the files, the settings."""
        about = {
            "program": f"bertviz-app {__version__}",
            "checkpoint": opened.facts.name,
            "ref": opened.ref,
            "fingerprint": opened.facts.fingerprint,
            "files": [absolute(name) for name in self.job.files],
            "first_lines": self.reader.firsts,
            "reading": encode(self.job.settings.reading),
            "encodings": [shown_encoding(self.reader.form(name).codec) for name in self.job.files],
            "measures": list(self.job.measures),
            "n_lines": self.reader.n_lines,
            "n_sentences": size.n_sentences,
            "n_layers": size.n_layers,
            "n_heads": size.n_heads,
            "remarks": dict(sorted(counts.items())),
        }
        return {FACTS: json.dumps(about, ensure_ascii=False)}

    def write(self, size: Size, facts: dict[str, str]) -> None:
        """Write the table's one file from the blocks' files."""
        with replacing(Path(self.job.out)) as beside:
            write_table(self.job, lambda: parts_in_order(self.store, self.names), size, beside, facts)

    def finish(self, facts: dict[str, str]) -> None:
        """Write the facts beside the table, and remove the files that it no longer needs."""
        with open_text(file_beside(self.job, "about.json")) as file:
            file.write(facts[FACTS] + "\n")
        if self.job.ending:
            self.store.remove()
        else:
            self.store.remove_others(self.names)


def reading_notice(name: str, form: FileForm) -> str:
    """Return how a file is read, "" for a text a line in UTF-8."""
    short, encoding = name.rpartition("/")[2], shown_encoding(form.codec)
    if form.layout is not None:
        words = layout_words(form.layout)
        return Message("{0} is read as {1}, {2}: column {3}.", short, encoding, words, form.column)
    if form.codec == UTF_8:
        return ""
    return Message("{0} is not UTF-8 and is read as {1}; {2} changes that.", short, encoding, "--encoding")


def absolute(name: str) -> str:
    """Return an absolute path; a URL is not changed."""
    return name if "://" in name else str(Path(name).absolute())


def file_beside(job: CorpusJob, name: str) -> str:
    """Return the path of a file about the table: beside its file, or in its folder, where readers skip it."""
    return f"{job.out}.{name}" if job.ending else f"{job.out.rstrip('/')}/_{name}"


@contextmanager
def open_text(name: str) -> Iterator[IO[str]]:
    """Yield a path or a URL, opened to be written. Raises FileError if it cannot be opened or written."""
    import fsspec

    try:
        with fsspec.open(name, "w", encoding="utf-8", newline="") as file:
            yield file
    except OSError as error:  # a full disk may show only when the file is closed
        message = Message("{0} could not be written: {1}.", name, error.strerror or str(error))
        raise FileError(message, Message("Choose another folder, or make room on the disk.")) from error


@dataclass(frozen=True)
class InThisProcess:
    """Measures one block after the other, with the checkpoint that is open here."""

    job: CorpusJob
    opened: OpenedCheckpoint
    device: Device
    check: Check

    def __call__(
        self, blocks: Iterator[MissingBlock], store: PartStore, on_lines: Callable[[int], None]
    ) -> None:
        """Measure the blocks and save their files."""
        for missing in blocks:
            part = measure_block(self.opened, missing.block, self.job, self.device, self.check, on_lines)
            store.save(missing.name, part)


def open_alone(ref: str | None) -> OpenedCheckpoint:
    """Return the checkpoint that `ref` names (None: the default one), opened on the CPU."""
    from bertviz_app.checkpoint.loader import open_checkpoint

    source = source_of(ref, None, None)
    return OpenedCheckpoint(open_checkpoint(source), source.ref)


PATIENCE = "20s"
"""How long a scheduler may take to answer."""


@contextmanager
def connected(n_workers: int | None, scheduler: str | None) -> Iterator[Client]:
    """Yield a client of the cluster at `scheduler`, or of `n_workers` new processes on this machine.

    Raises FileError where Dask is not installed, or the scheduler does not answer.
    """
    try:
        from distributed import Client, LocalCluster
    except ImportError as error:
        message = Message("Several workers need the package dask.distributed, which is not installed.")
        hint = Message("Install it with: {0}.", 'pip install "dask[distributed]"')
        raise FileError(message, hint) from error
    with ExitStack() as stack:
        if scheduler is None:
            cluster = LocalCluster(n_workers=n_workers, threads_per_worker=1, dashboard_address=":0")
            scheduler = stack.enter_context(cluster).scheduler_address
        try:
            client = Client(scheduler, timeout=PATIENCE)
        except (OSError, ValueError) as error:
            message = Message("The scheduler {0} does not answer: {1}.", scheduler, str(error))
            raise FileError(message, Message("Start it with: {0}.", "dask scheduler")) from error
        yield stack.enter_context(client)
