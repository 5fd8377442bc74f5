"""The table of a corpus, read a block at a time; the process that measures a file, and what it hands over."""

from __future__ import annotations

import csv
import io
import json
import sys
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from itertools import islice
from pathlib import Path, PurePath
from queue import Empty, SimpleQueue
from tempfile import TemporaryDirectory
from typing import Any, cast
from zipfile import BadZipFile, ZipFile

import numpy as np
from numpy.lib.format import read_array_header_1_0, read_array_header_2_0, read_magic
from numpy.typing import NDArray

from bertviz_app.analysis.measures import KEYS, MeasureKey
from bertviz_app.analysis.results import Result
from bertviz_app.errors import AppError, Check, CheckpointError, FileError, Message, from_json
from bertviz_app.features.corpora.process.measuring import N_WORD, PROSE, LineReader, Remark, TextReading
from bertviz_app.features.corpora.process.run import has_pyarrow, require_pyarrow
from bertviz_app.features.corpora.process.studies import KeyedStudy, StudySettings, kind_of, reader_of
from bertviz_app.features.corpora.studies.examples import ExamplesParameters, HeadExamples, head_examples
from bertviz_app.features.corpora.studies.study import Arrays
from bertviz_app.features.corpora.summary import CorpusSummary, SummaryBuilder
from bertviz_app.inference.child_process import ChildProcess, Report
from bertviz_app.json_store import decode, encode
from bertviz_app.values import asdict, dataclass, field

_SENTENCES_AT_ONCE = 256
_MOST_HEADS = 1 << 14  # of any model
_INDEX = ("line", "n_tokens", "layer", "head")
_DAMAGE = (
    *(OSError, ValueError, LookupError, TypeError, OverflowError, EOFError),
    *(csv.Error, BadZipFile, zlib.error),
    RuntimeError,  # a part of an archive that is encrypted, or packed in an unknown way
)
"""What the readers of the formats may raise for a damaged table."""


@dataclass(frozen=True)
class About:
    """What is known about a table: the checkpoint that it was made with, and the files of its texts."""

    checkpoint: str = ""
    fingerprint: str = ""
    files: tuple[str, ...] = ()
    ref: str = ""
    counts: dict[str, int] = field(default_factory=dict, metadata={"key": "remarks"})
    """How many remarks of each kind there are."""
    reading: TextReading = PROSE
    encodings: tuple[str, ...] = ()
    """Those of the files; none of a table that an earlier version made."""


class CorpusTable:
    """A table as `run_corpus` writes it: Parquet, CSV, NPZ, or a folder of Parquet files.

    `measures` are its columns, `shape` its layers and heads. Raises FileError for another table.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        if path.is_dir() or path.suffix.lower() == ".parquet":
            require_pyarrow()
        with self._named_errors():
            first = next(self._columns(_MOST_HEADS), None)
        if first is not None and not first.keys() >= set(_INDEX):
            raise self._no_table()
        if first is None or not len(first["line"]):
            message = Message("There are no sentences in {0}.", path.name)
            raise FileError(message, Message("Measure a file with texts."))
        self.measures = cast(tuple[MeasureKey, ...], tuple(name for name in first if name in KEYS))
        with self._named_errors():  # the first sentence has a row for each head
            is_other = first["line"] != first["line"][0]
            n_rows = int(is_other.argmax()) if is_other.any() else len(is_other)
            n_layers, n_heads = (1 + int(first[name][:n_rows].max(initial=0)) for name in ("layer", "head"))
            self.shape = n_layers, n_heads
        if not self.measures or n_layers * n_heads != n_rows:
            raise self._no_table()
        self.about = about_table(path)

    def blocks(self) -> Iterator[Arrays]:
        """Yield all sentences, in their order, N at a time: the rows that `CorpusJob.measure` has written.

        Those are "lines", "n_tokens" and N_WORD int64 [N], the last one if the table has it, and "values"
        float32 [N, L, H, K], K measures of each head. Raises FileError for a damaged table.
        """
        n_layers, n_heads = self.shape
        per_line = n_layers * n_heads
        with self._named_errors():
            for columns in self._columns(per_line * _SENTENCES_AT_ONCE):
                n_rows = len(columns["line"])
                heads = np.tile(np.arange(per_line), n_rows // per_line)
                found = columns["layer"].astype(np.float64) * n_heads + columns["head"]
                if n_rows % per_line or not np.array_equal(found, heads):
                    raise self._no_table()
                values = np.stack([columns[key] for key in self.measures], axis=-1).astype(np.float32)
                of_lines = {"lines": columns["line"], "n_tokens": columns["n_tokens"]}
                of_lines |= {N_WORD: columns[N_WORD]} if N_WORD in columns else {}
                if not all(np.isfinite(array).all() for array in (values, *of_lines.values())):
                    raise self._no_table()
                rows = {name: numbers[::per_line].astype(np.int64) for name, numbers in of_lines.items()}
                yield rows | {"values": values.reshape(-1, n_layers, n_heads, len(self.measures))}

    def _columns(self, n_rows: int) -> Iterator[Arrays]:
        """Yield `n_rows` rows at a time, by columns."""
        ending = self.path.suffix.lower()
        if self.path.is_dir():
            for part in sorted(self.path.glob("part-*.parquet")):
                yield from _of_parquet(part, n_rows)
        elif ending == ".parquet":
            yield from _of_parquet(self.path, n_rows)
        elif ending == ".csv":
            yield from _of_csv(self.path, n_rows)
        elif ending == ".npz":
            yield from _of_npz(self.path, n_rows)
        else:
            raise self._no_table()

    def _no_table(self) -> FileError:
        message = Message("{0} is no table of a corpus.", self.path.name)
        return FileError(message, Message("Choose one that was made here or by “bertviz-app corpus”."))

    @contextmanager
    def _named_errors(self) -> Iterator[None]:
        """Raise FileError for a damaged file, in place of what the reader of the format raises."""
        try:
            yield
        except AppError:
            raise
        except _DAMAGE as error:
            raise self._no_table() from error


def summarise(table: CorpusTable, check: Check = lambda: None) -> CorpusSummary:
    """Return the distributions of all measures, and the heads' names. `check` is called between blocks."""
    builder = SummaryBuilder(table.measures, table.shape)
    for block in table.blocks():
        check()
        builder.add(block["n_tokens"], block["values"], block.get(N_WORD))
    return builder.summary()


@dataclass(frozen=True)
class FoundSentence:
    """A sentence with its line and value; `text` is None if the file of the texts is missing."""

    line: int
    value: float
    text: str | None


def sentences_between(
    table: CorpusTable, column: tuple[int, int, int], limits: tuple[float, float], most: int, check: Check
) -> list[FoundSentence]:
    """Return the first `most` sentences with a value within `limits`, in the order of their lines.

    `column`: the numbers of the measure, layer and head. A value equal to the upper limit is not within.
    """
    measure, layer, head = column
    found: dict[int, float] = {}
    for block in table.blocks():
        check()
        values = block["values"][:, layer, head, measure]
        is_within = (values >= np.float32(limits[0])) & (values < limits[1])
        for at in np.flatnonzero(is_within)[: most - len(found)].tolist():
            found[int(block["lines"][at])] = float(values[at])
        if len(found) >= most:
            break
    texts = texts_of(table.about, found, check)
    return [FoundSentence(line, value, texts.get(line)) for line, value in found.items()]


def texts_of(about: About, lines: Collection[int], check: Check) -> dict[int, str]:
    """Return the texts of these lines, without those of missing files."""
    found: dict[int, str] = {}
    last = max(lines, default=0)
    try:
        for block in LineReader(about.files, about.reading).blocks(_SENTENCES_AT_ONCE):
            check()
            for item in block.items:
                if item.line in lines and not isinstance(item, Remark):
                    found[item.line] = item.text.strip()
            if block.items[-1].line >= last:
                break
    except FileError:
        pass
    return found


def about_table(path: Path) -> About:
    """Return the facts from the file beside a table; empty ones if there is none."""
    beside = path / "_about.json" if path.is_dir() else path.with_name(f"{path.name}.about.json")
    try:
        facts = json.loads(beside.read_text(encoding="utf-8"))
        # Tables that do not say how their texts were read are older than that choice: all were prose then.
        return decode(About, {"reading": {"is_prose": True}, **facts})
    except (OSError, ValueError, TypeError, RecursionError):
        return About()


def _of_parquet(path: Path, n_rows: int) -> Iterator[Arrays]:
    from pyarrow import ArrowException
    from pyarrow.parquet import ParquetFile

    try:
        with ParquetFile(path, pre_buffer=False) as file:
            # Its pool of threads would stay for the whole process.
            for batch in file.iter_batches(batch_size=n_rows, use_threads=False):
                yield {name: batch[name].to_numpy() for name in batch.schema.names}
    except ArrowException as error:
        raise ValueError(str(error)) from error


def _of_csv(path: Path, n_rows: int) -> Iterator[Arrays]:
    with path.open(encoding="utf-8", newline="") as file:
        names = next(csv.reader([file.readline()]))
        while lines := list(islice(file, n_rows)):
            numbers = np.loadtxt(lines, np.float64, delimiter=",", ndmin=2)
            yield {name: numbers[:, at] for at, name in enumerate(names)}


def _of_npz(path: Path, n_rows: int) -> Iterator[Arrays]:
    with ZipFile(path) as archive, ExitStack() as stack:
        names = [name.removesuffix(".npy") for name in archive.namelist() if name != "about.npy"]
        # An open member holds the file open, even after the archive is closed.
        members = {name: stack.enter_context(archive.open(f"{name}.npy")) for name in names}
        kinds = {}
        for name, member in members.items():
            read = read_array_header_1_0 if read_magic(member) == (1, 0) else read_array_header_2_0
            (total,), _, kinds[name] = read(member)
        for first in range(0, total, n_rows):
            count = min(n_rows, total - first)
            yield {
                name: np.frombuffer(member.read(count * kinds[name].itemsize), kinds[name])
                for name, member in members.items()
            }


def table_name(file: Path, checkpoint: str) -> Path:
    """Return the default path of the table of a file, in the same folder.

    It is Parquet if pyarrow is installed, else NPZ. `checkpoint`: the name of a folder, or owner/name.
    """
    ending = ".parquet" if has_pyarrow() else ".npz"
    return file.with_name(f"{file.name}.{PurePath(checkpoint).name or 'heads'}.heads{ending}")


def result_name(file: Path, checkpoint: str, key: str) -> Path:
    """Return the default path of the result of a study of a file, in the same folder."""
    return table_name(file, checkpoint).with_suffix("").with_suffix(f".{key}.npz")


_MODULE = "bertviz_app.features.corpora.process.child"
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
    settings = encode(StudySettings(**asdict(reading)))
    job: dict[str, object] = {"file": str(path), "ref": ref, "settings": settings, "key": ""}
    return Path(_done_by_child(job, progress, check))


@dataclass(frozen=True)
class StudyRequest:
    """Which study of which file, by the checkpoint that `ref` names; `other`: a second checkpoint."""

    path: Path
    ref: str | None
    chosen: KeyedStudy
    settings: StudySettings
    other: str | None = None


def study_file(request: StudyRequest, progress: Callable[[float], None], check: Check) -> tuple[Result, Path]:
    """Run a study of a file in a process of its own, as `measure_file` does.

    Return its result, and the file beside the texts in which its numbers are saved. Raises AppError,
    TableError for a table that does not show which column is which.
    """
    chosen, settings = request.chosen, request.settings
    reader_of((str(request.path),), kind_of({chosen.study.reads}, settings), settings).check()
    with TemporaryDirectory() as folder:
        handed = Path(folder, "result")
        job: dict[str, object] = {"file": str(request.path), "ref": request.ref, "settings": encode(settings)}
        job |= {"key": chosen.key, "parameters": encode(chosen.parameters)}
        saved = _done_by_child(job | {"other": request.other, "handed": str(handed)}, progress, check)
        result = from_bytes(handed.read_bytes())
    return result, Path(saved)


def saved_examples(about: About) -> Path | None:
    """Return the file of the examples of heads over the texts of a table; None where they must be collected.

    Examples that are older than the texts must be, too.
    """
    if len(about.files) != 1:
        return None
    texts = Path(about.files[0])
    saved = result_name(texts, about.checkpoint, head_examples.key)
    try:
        return saved if texts.stat().st_mtime_ns <= saved.stat().st_mtime_ns else None
    except OSError:
        return None


def collect_examples(about: About, progress: Callable[[float], None], check: Check) -> HeadExamples:
    """Return examples of every head over the texts of a table, in a process of its own, as `measure_file`.

    They are saved beside the texts. Raises AppError where the texts are not here any more or in several
    files, where the checkpoint has other weights now, or for what that process reports.
    """
    if len(about.files) != 1:
        message = Message(
            "The texts of this table are in {0} files; examples are those of one.", len(about.files)
        )
        raise FileError(message, Message("Measure the file that they are to be of."))
    texts = Path(about.files[0])
    if not texts.is_file():
        message = Message("The texts of the table are not here: {0}.", str(texts))
        raise FileError(message, Message("Put them back, or measure the texts again where they are now."))
    chosen = KeyedStudy(head_examples.key, ExamplesParameters())
    request = StudyRequest(texts, about.ref or None, chosen, StudySettings(**asdict(about.reading)))
    found, _ = study_file(request, progress, check)
    assert isinstance(found, HeadExamples)
    if about.fingerprint and (found.about or {}).get("fingerprint") != about.fingerprint:
        message = Message(
            "The checkpoint {0} has other weights than the table was made with.", about.checkpoint
        )
        raise CheckpointError(message, Message("Measure the texts again with the checkpoint as it is now."))
    return found


def _done_by_child(job: dict[str, object], progress: Callable[[float], None], check: Check) -> str:
    """Return what the process reports to have written."""
    reports = SimpleQueue[Report | int]()
    process = ChildProcess(_MODULE, job, reports.put, reports.put)
    process.start()
    try:
        while True:
            check()
            try:
                report = reports.get(timeout=_PAUSE)
            except Empty:
                continue
            if isinstance(report, int):
                message = Message("The process that measured the file has ended (code {0}).", report)
                hint = Message("Open the same file again: measuring goes on from what is saved.")
                raise AppError(message, hint)  # a negative code is a signal's number
            match report["kind"]:
                case "progress":
                    progress(float(str(report["share"])))
                case "done":
                    return str(report["table"])
                case "error":
                    raise AppError(from_json(report["message"]), from_json(report["hint"]))
    finally:
        process.close(_PATIENCE)


_ROOT = "bertviz_app."
_TREE = "tree"


def as_bytes(result: Result) -> bytes:
    """Return a result as an NPZ file. Raises TypeError for one that has anything but data.

    Only what results are made of is handed over: objects of this program's own classes, told by their names,
    which never run anything when they are read.
    """
    arrays: list[NDArray[Any]] = []
    tree = json.dumps(_written(result, arrays))
    content = io.BytesIO()
    named: dict[str, Any] = {str(at): array for at, array in enumerate(arrays)} | {_TREE: np.array(tree)}
    np.savez(content, **named)
    return content.getvalue()


def from_bytes(content: bytes) -> Result:
    """Return the result that `as_bytes` has written; its classes are imported by then."""
    with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
        found = _read(json.loads(str(arrays[_TREE])), arrays)
    assert isinstance(found, Result)
    return found


def _written(value: object, arrays: list[NDArray[Any]]) -> object:
    """Return JSON for a value: a plain one as it is, anything else as {"kind": [...]}."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.generic):
        return _written(value.item(), arrays)
    if isinstance(value, np.ndarray):
        arrays.append(value)
        return {"array": len(arrays) - 1}
    if isinstance(value, tuple | list):
        parts = [_written(one, arrays) for one in value]
        kind = type(value)
        return {"items": [kind.__name__ if kind in (tuple, list) else _name_of(kind), parts]}
    if isinstance(value, Mapping):
        return {"mapping": [[_written(part, arrays) for part in pair] for pair in value.items()]}
    return {"object": [_name_of(type(value)), _written(dict(vars(value)), arrays)]}


def _name_of(kind: type) -> str:
    """Return the name of a class of this program. Raises TypeError for another one."""
    if not kind.__module__.startswith(_ROOT):
        raise TypeError(f"{kind.__qualname__} cannot be handed over")
    return f"{kind.__module__}:{kind.__qualname__}"


def _class_of(name: str) -> Any:
    module, _, path = name.partition(":")
    if not module.startswith(_ROOT):
        raise TypeError(f"{name} is no class of this program")
    return getattr(sys.modules[module], path)


def _read(tree: Any, arrays: Mapping[str, NDArray[Any]]) -> Any:
    if isinstance(tree, dict):
        ((kind, content),) = tree.items()
        match kind:
            case "array":
                found = arrays[str(content)]
                found.flags.writeable = False
                return found
            case "items":
                name, parts = content
                values = [_read(one, arrays) for one in parts]
                if name == "list":
                    return values
                return tuple(values) if name == "tuple" else _class_of(name)(*values)
            case "mapping":
                return {_read(key, arrays): _read(value, arrays) for key, value in content}
        name, attributes = content
        made = object.__new__(_class_of(name))
        vars(made).update(_read(attributes, arrays))
        return made
    return tree
