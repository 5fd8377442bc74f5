"""`run_corpus`: measures every line of text files and writes the table; an interrupted run is resumed."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import secrets
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import IO, TYPE_CHECKING, Any, Protocol
from zipfile import ZipFile, ZipInfo

import numpy as np
from numpy.lib.format import header_data_from_array_1_0, write_array_header_2_0

from bertviz_app.analysis.measures import MeasureKey
from bertviz_app.errors import AnalysisError, ArgumentError, FileError, Message
from bertviz_app.features.corpora.process.measuring import (
    Block,
    BlockPart,
    CorpusJob,
    LineReader,
    Remark,
    RemarkKind,
    columns_of,
)
from bertviz_app.features.corpora.studies.study import Arrays, Part
from bertviz_app.inference.fetching import source_of
from bertviz_app.inference.opened_checkpoint import OpenedCheckpoint
from bertviz_app.json_store import encode
from bertviz_app.paths import replacing
from bertviz_app.tables import digits
from bertviz_app.values import dataclass, field, fields
from bertviz_app.version import __version__

if TYPE_CHECKING:
    import pyarrow
    from distributed import Client
    from fsspec import AbstractFileSystem


@dataclass(frozen=True)
class CorpusProgress:
    """How far a run is: `share` from 0 to 1 of the bytes to read, None where their number is not known.

    Of the `n_lines` that are done an earlier run, which was interrupted, has measured `n_earlier`. Lines are
    whatever the file has: rows and parsed sentences, too.
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

    def on_finishing(self, share: float) -> None:
        """Receive the share of what is computed of the whole file, after all lines: from 0 to 1."""

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


_KINDS = tuple(each.name for each in fields(Part))


class NpzFormat:
    """The part of a block as a file: arrays named as "0.sums.NAME", 0 being the first study, and remarks."""

    ending = ".npz"

    def file_of(self, part: BlockPart) -> bytes:
        """Return a whole file of one part."""
        arrays: dict[str, Any] = {
            "counts": np.array([part.n_units, part.n_tokens, len(part.parts)], np.int64),
            "remarks": np.frombuffer(_as_json(part.remarks), np.uint8),
        }
        arrays |= {
            f"{number}.{kind}.{name}": array
            for number, of_study in enumerate(part.parts)
            for kind in _KINDS
            for name, array in getattr(of_study, kind).items()
        }
        content = io.BytesIO()
        np.savez(content, **arrays)
        return content.getvalue()

    def part_of(self, content: bytes) -> BlockPart:
        """Return the part of a file."""
        with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
            n_units, n_tokens, n_studies = arrays["counts"].tolist()
            named: list[dict[str, dict[str, Any]]] = [{kind: {} for kind in _KINDS} for _ in range(n_studies)]
            for key in (key for key in arrays if key not in ("counts", "remarks")):
                number, kind, name = key.split(".", 2)
                named[int(number)][kind][name] = arrays[key]
            remarks = _remarks_from(arrays["remarks"].tobytes())
        return BlockPart(n_units, n_tokens, tuple(Part(**one) for one in named), remarks)

    def remarks_of(self, file: IO[bytes]) -> tuple[int, tuple[Remark, ...]]:
        """Return how many units a file of one part has, and the remarks on units of its block."""
        with np.load(file, allow_pickle=False) as arrays:
            return int(arrays["counts"][0]), _remarks_from(arrays["remarks"].tobytes())


def _as_json(remarks: Iterable[Remark]) -> bytes:
    return json.dumps([[remark.line, remark.kind, remark.detail] for remark in remarks]).encode()


def _remarks_from(content: bytes) -> tuple[Remark, ...]:
    return tuple(Remark(line, kind, detail) for line, kind, detail in json.loads(content))


@dataclass(frozen=True)
class ParquetFormat(NpzFormat):
    """A row per sentence and head: line, n_tokens, layer, head, a column per measure, and N_WORD of "word".

    The bytes of a file depend only on the rows, `measures` and the version of pyarrow. The files of a folder
    are the table, and are not read again.
    """

    measures: tuple[MeasureKey, ...]
    ending = ".parquet"

    def file_of(self, part: BlockPart) -> bytes:
        """Return a whole file of one part, with its remarks in the file's metadata."""
        import pyarrow.parquet

        metadata = {_REMARKS: _as_json(part.remarks), _LINES: str(part.n_units).encode()}
        content = io.BytesIO()
        table = self._table(part.parts[0].rows).replace_schema_metadata(metadata)
        pyarrow.parquet.write_table(table, content)
        return content.getvalue()

    def remarks_of(self, file: IO[bytes]) -> tuple[int, tuple[Remark, ...]]:
        """Return how many lines a file of one part has, and the remarks on lines of its block."""
        import pyarrow.parquet

        metadata = pyarrow.parquet.read_schema(file).metadata
        return int(metadata[_LINES]), _remarks_from(metadata[_REMARKS])

    def write(self, parts: Iterable[Arrays], path: Path, facts: dict[str, str]) -> None:
        """Write one file with a row group for each part; `facts` become the file's metadata."""
        import pyarrow.parquet

        schema = self._schema().with_metadata(facts)
        with pyarrow.parquet.ParquetWriter(path, schema) as writer:
            for rows in parts:
                if len(rows["lines"]):
                    writer.write_table(self._table(rows).cast(schema))

    def _schema(self) -> pyarrow.Schema:
        import pyarrow

        columns = columns_of(self.measures).items()
        return pyarrow.schema([(name, pyarrow.from_numpy_dtype(column.kind)) for name, column in columns])

    def _table(self, rows: Arrays) -> pyarrow.Table:
        import pyarrow

        numbers = {name: column.of(rows) for name, column in columns_of(self.measures).items()}
        return pyarrow.table(numbers, schema=self._schema())


_COMPLETE = re.compile(r"part-\d{9}-[0-9a-f]{16}\.(npz|parquet)")
_INCOMPLETE = re.compile(rf"\.[0-9a-f]{{8}}-{_COMPLETE.pattern}")


class PartStore:
    """The files of one run in a folder, a file for each block, written by a format.

    `folder` is a path or a URL that fsspec opens. It can be pickled: workers on other machines save there.
    """

    def __init__(self, folder: str, digest: str, form: NpzFormat) -> None:
        from fsspec.core import url_to_fs

        self._given, self._digest, self._form = folder, digest, form
        self._system: AbstractFileSystem
        self._system, path = url_to_fs(folder)
        self._folder: str = path.rstrip("/")

    def open(self) -> None:
        """Create the folder, and remove files that a killed run left incomplete. Raises FileError."""
        try:
            self._system.makedirs(self._folder, exist_ok=True)
            for name in self._listed(_INCOMPLETE):
                self._system.rm(f"{self._folder}/{name}")
        except OSError as error:
            raise self._not_written(error) from error

    def name_of(self, block: Block) -> str:
        """Return the name of the block's file."""
        return f"part-{block.number:09d}-{block.digest(self._digest)}{self._form.ending}"

    def names(self) -> set[str]:
        """Return the names of all files in the folder."""
        return self._listed(_COMPLETE)

    def save(self, name: str, part: BlockPart) -> None:
        """Write a block's file. Raises FileError."""
        content = self._form.file_of(part)
        beside = f"{self._folder}/.{secrets.token_hex(4)}-{name}"
        try:
            self._system.pipe_file(beside, content)
            self._system.mv(beside, f"{self._folder}/{name}")
        except OSError as error:
            raise self._not_written(error) from error

    def load(self, name: str) -> BlockPart:
        """Return the part of the block's file."""
        return self._form.part_of(self._system.cat_file(f"{self._folder}/{name}"))

    def remarks(self, name: str) -> tuple[int, tuple[Remark, ...]]:
        """Return how many units were measured in the block of that file, and the remarks on its units."""
        with self._system.open(f"{self._folder}/{name}", "rb") as file:
            return self._form.remarks_of(file)

    def remove(self) -> None:
        """Remove the files, and the folder if nothing else is in it. The table is complete."""
        self.remove_others(())
        with suppress(OSError):
            self._system.rmdir(self._folder)

    def remove_others(self, names: Iterable[str]) -> None:
        """Remove all files but those of `names`: they are of other runs."""
        for name in self.names().difference(names):
            self._system.rm(f"{self._folder}/{name}")

    def _listed(self, pattern: re.Pattern[str]) -> set[str]:
        self._system.invalidate_cache(self._folder)
        names = (path.rpartition("/")[2] for path in self._system.ls(self._folder, detail=False))
        return {name for name in names if pattern.fullmatch(name)}

    def _not_written(self, error: OSError) -> FileError:
        message = Message("{0} could not be written: {1}.", self._given, error.strerror or str(error))
        return FileError(message, Message("Choose another folder, or make room on the disk."))


class InMemory(PartStore):
    """Keeps the parts in memory: such a run cannot be resumed."""

    def __init__(self) -> None:
        # Not that of the base, which opens a file system: this one also works in a folder that is gone.
        self._digest, self._form = "", NpzFormat()
        self._parts: dict[str, BlockPart] = {}

    def open(self) -> None:
        pass

    def names(self) -> set[str]:
        return set(self._parts)

    def save(self, name: str, part: BlockPart) -> None:
        self._parts[name] = part

    def load(self, name: str) -> BlockPart:
        return self._parts[name]

    def remarks(self, name: str) -> tuple[int, tuple[Remark, ...]]:
        part = self._parts[name]
        return part.n_units, part.remarks


Parts = Callable[[], Iterable[Arrays]]
"""Returns an iterator over the rows of parts in their order, a new one at each call."""


def write_table(job: CorpusJob, parts: Parts, n_rows: int, path: Path, facts: dict[str, str]) -> None:
    """Write the table of `job` to `path`, in the format of `job.ending`: a row for each sentence and head."""
    columns = columns_of(job.measures)
    if job.ending == ".parquet":
        ParquetFormat(job.measures).write(parts(), path, facts)
    elif job.ending == ".csv":
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(columns)
            for rows in parts():
                for at in range(len(rows["lines"])):  # the text of a whole block would take much memory
                    of_line = {name: array[at : at + 1] for name, array in rows.items()}
                    numbers = [column.of(of_line) for column in columns.values()]
                    cells = [digits(one) if one.dtype.kind == "f" else one.tolist() for one in numbers]
                    writer.writerows(zip(*cells, strict=True))
    else:  # an array for each column, one after the other, and `about`, the facts as JSON
        with ZipFile(path, "w") as archive:
            for name, values in columns.items():
                kind = np.empty(0, values.kind)
                with archive.open(ZipInfo(f"{name}.npy"), "w", force_zip64=True) as member:
                    write_array_header_2_0(member, header_data_from_array_1_0(kind) | {"shape": (n_rows,)})
                    for rows in parts():
                        member.write(values.of(rows).astype(values.kind, copy=False).tobytes())
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
        self, blocks: Iterator[MissingBlock], store: PartStore, on_units: Callable[[float], None]
    ) -> None:
        """Measure `blocks`; call `on_units` with a number of units whenever some are done."""


def measure_missing(
    reader: LineReader,
    block_units: int,
    store: PartStore,
    measurer: Measurer,
    listener: CorpusListener,
    remarks_file: str = "",
) -> MeasuredBlocks:
    """Measure the blocks whose files are not in `store`; return all blocks.

    The remarks on all units are written to `remarks_file`, if one is named. Raises FileError where no unit
    can be measured.
    """
    for notice in reader.notices():
        listener.on_notice(notice)
    total = reader.total_bytes()
    store.open()
    there = store.names()
    names: set[str] = set()
    n_done, n_earlier = 0.0, 0

    def on_units(count: float) -> None:
        nonlocal n_done
        n_done += count
        per_unit = reader.n_bytes / max(1, reader.n_lines)
        share = min(1.0, n_done * per_unit / total) if total else None
        listener.on_progress(CorpusProgress(round(n_done), n_earlier, share))

    def missing() -> Iterator[MissingBlock]:
        nonlocal n_earlier
        for block in reader.blocks(block_units):
            listener.check()
            name = store.name_of(block)
            names.add(name)
            if name in there:
                n_earlier += len(block)
                on_units(len(block))
            else:
                yield MissingBlock(block, name)

    measurer(missing(), store, on_units)
    found = MeasuredBlocks(sorted(names), remarks_file)
    if remarks_file:
        with open_text(remarks_file) as file:
            file.writelines(found.rows(store))
    else:
        deque(found.rows(store), maxlen=0)  # which counts them
    if not found.n_units:
        raise nothing_measured(reader, found)
    return found


@dataclass
class MeasuredBlocks:
    """The blocks of a run by the names of their files, the number of units, and the remarks on units.

    `counts` is how many remarks of each kind there are, `first` the first few of each; `file` has all.
    """

    names: list[str]
    file: str
    counts: Counter[str] = field(default_factory=Counter)
    first: list[Remark] = field(default_factory=list)
    n_units: int = 0

    def rows(self, store: PartStore) -> Iterator[str]:
        """Count the units and the remarks of all blocks, and yield these as lines of a CSV file."""
        yield "line,kind,detail\n"
        for name in self.names:
            n_units, remarks = store.remarks(name)
            self.n_units += n_units
            for remark in remarks:
                self.counts[remark.kind] += 1
                self.first += [remark] if self.counts[remark.kind] <= _MOST_NAMED else []
                detail = remark.detail.replace('"', '""')
                yield f'{remark.line},{remark.kind},"{detail}"\n'


_WAYS_OUT: Mapping[RemarkKind, Message] = MappingProxyType(
    {
        "undecodable": Message("Another encoding is given by {0}.", "--encoding"),
        "long": Message("Longer texts are cut with {0}.", "--truncate"),
        "damaged": Message("Correct what is named there."),
    }
)


def nothing_measured(reader: LineReader, found: MeasuredBlocks) -> FileError:
    """Return the error for files without any text that can be measured."""
    listed, n_lines = ", ".join(name.rpartition("/")[2] for name in reader.files), reader.n_lines
    if not n_lines:
        return FileError(Message("There is no text in {0}.", listed), Message("Give a file with texts."))
    why = ", ".join(f"{kind} {count:,}" for kind, count in sorted(found.counts.items()))
    message = Message("None of the {0} texts of {1} can be measured: {2}.", f"{n_lines:,}", listed, why)
    details = [one.detail for one in found.first if one.kind in ("damaged", "refused")]
    hints = [Message("All are named in {0}.", found.file)] if found.file else []
    hints += [hint for kind, hint in _WAYS_OUT.items() if kind in found.counts]
    hint = Message.joined(hints or [Message("Give a file with texts.")])
    return FileError(Message.joined([message, *details[:1]]), hint)


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
    if pruned := opened.checkpoint.encoder.config.pruned:
        message = Message("A table of measures has every head; head {0} · {1} was pruned.", *pruned[0])
        raise AnalysisError(
            message, Message("Run the study “{0}”: it leaves such heads out.", "head-measures")
        )
    if job.ending in ("", ".parquet"):
        require_pyarrow()
    is_folder = not job.ending
    digest = job.digest(opened.checkpoint.facts.fingerprint)
    folder = job.out if is_folder else job.out + _PARTS
    form = ParquetFormat(job.measures) if is_folder else NpzFormat()
    store, reader = PartStore(folder, digest, form), LineReader(job.files, job.settings.reading)
    block_lines, remarks_file = job.settings.block_lines, file_beside(job, "remarks.csv")
    found = measure_missing(reader, block_lines, store, measurer, listener, remarks_file)
    config = opened.checkpoint.encoder.config
    n_heads = config.n_layers * config.n_heads
    facts = json.dumps(_facts(job, opened, reader, found), ensure_ascii=False)
    if not is_folder:
        with replacing(Path(job.out)) as beside:

            def parts() -> Iterator[Arrays]:
                return (store.load(name).parts[0].rows for name in found.names)

            write_table(job, parts, found.n_units * n_heads, beside, {FACTS: facts})
    with open_text(file_beside(job, "about.json")) as file:
        file.write(facts + "\n")
    if is_folder:
        store.remove_others(found.names)
    else:
        store.remove()
    return CorpusResult(
        job.out,
        reader.n_lines,
        found.n_units,
        n_heads,
        dict(found.counts),
        tuple(found.first),
        found.file,
    )


def _facts(
    job: CorpusJob, opened: OpenedCheckpoint, reader: LineReader, found: MeasuredBlocks
) -> dict[str, object]:
    """Return the facts that are written beside the numbers: the checkpoint, the files, the settings."""
    config = opened.checkpoint.encoder.config
    return {
        "program": f"bertviz-app {__version__}",
        "checkpoint": opened.checkpoint.facts.name,
        "ref": opened.ref,
        "fingerprint": opened.checkpoint.facts.fingerprint,
        "files": [absolute(name) for name in job.files],
        "first_lines": reader.firsts,
        "reading": encode(job.settings.reading),
        "encodings": [reader.form(name).encoding for name in job.files],
        "measures": list(job.measures),
        "n_lines": reader.n_lines,
        "n_sentences": found.n_units,
        "n_layers": config.n_layers,
        "n_heads": config.n_heads,
        "remarks": dict(sorted(found.counts.items())),
    }


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


def open_alone(ref: str | None) -> OpenedCheckpoint:
    """Return the checkpoint that `ref` names (None: the default one), opened on the CPU."""
    from bertviz_app.checkpoint.loader import open_checkpoint

    source = source_of(ref, None, None)
    return OpenedCheckpoint(open_checkpoint(source), source.ref)


PATIENCE = "20s"
"""How long a scheduler may take to answer."""


@contextmanager
def connected(n_workers: int | None, scheduler: Any) -> Iterator[Client]:
    """Yield a client of a cluster, or of `n_workers` new processes on this machine.

    `scheduler`: its address, or a `Cluster` or `Client` of Dask, which the caller closes. Raises FileError
    where Dask is not installed, or the scheduler does not answer, and ArgumentError for anything else.
    """
    try:
        from distributed import Client, LocalCluster
        from distributed.deploy import Cluster
    except ImportError as error:
        message = Message("Several workers need the package dask.distributed, which is not installed.")
        hint = Message("Install it with: {0}.", 'pip install "dask[distributed]"')
        raise FileError(message, hint) from error
    if isinstance(scheduler, Client):
        yield scheduler
        return
    if not isinstance(scheduler, str | Cluster | None):
        message = Message(
            "A scheduler is an address, a Cluster or a Client, not {0}.", type(scheduler).__name__
        )
        raise ArgumentError(message, Message("Call {0}.", 'StudySettings(scheduler="tcp://HOST:8786")'))
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
