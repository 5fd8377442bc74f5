"""The measures of every head for each line of a block, computed on one thread; the job that asks for them."""

from __future__ import annotations

import hashlib
import io
import json
import lzma
import math
import threading
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import islice
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bertviz_app.analysis.measures import KEYS, MeasureKey
from bertviz_app.analysis.probing.baselines import EndOfPassError, MeasuringTap
from bertviz_app.errors import (
    ArgumentError,
    Check,
    CheckpointError,
    DeviceError,
    FileError,
    Message,
    TextError,
)
from bertviz_app.features.corpora.studies.study import Arrays, Part, Unit
from bertviz_app.inference.opened_checkpoint import Device, OpenedCheckpoint, batches_of
from bertviz_app.json_store import encode
from bertviz_app.text import Tokens
from bertviz_app.text_tables.columns import column_given, is_like_table, unclear_column
from bertviz_app.text_tables.items import Item
from bertviz_app.text_tables.packages import NAMES, package_rows
from bertviz_app.text_tables.table import (
    UTF_8,
    WIDE,
    Layout,
    LayoutError,
    TableChoices,
    TextTable,
    damaged,
    decoded,
    form_words,
    layout_words,
    objects_of,
    packing_of,
    rows_of,
    shown_encoding,
    table_of,
    table_of_package,
)
from bertviz_app.values import dataclass, explained, field

LONGEST_LINE = 1 << 20
"""Bytes of the longest line that is read; longer lines are counted and left out."""
_HEAD = 1 << 20  # bytes
_HEAD_ROWS = 1_000
_LONGEST_ROW = 1 << 24  # characters
_HINT = Message("Give a file of text, a sentence a line.")
_BY_THEIR_BYTES = frozenset({"gzip", "xz", "bz2"})
_DAMAGE = (OSError, EOFError, ValueError, ImportError, zlib.error, lzma.LZMAError)
"""What a file that cannot be read raises; ImportError: a package that opens such a URL is not installed."""


@dataclass(frozen=True)
class TextReading:
    """How the texts of a file are read; "" for what is found by its content."""

    column: str = explained(
        "",
        "The texts are this column of tables (TSV, CSV, JSON, Parquet, .xlsx): its name, or number from 1.",
    )
    separator: str = explained(
        "", "What separates the columns: tab, comma, semicolon, or the character itself."
    )
    encoding: str = explained("", "Such as cp949 or utf-16; found by the content unless given.")
    is_prose: bool = explained(False, "Each line is a text, also where it has columns.")


PROSE = TextReading()
"""A text a line, in the encoding that is found; a file that looks like a table is an error."""


@dataclass(frozen=True)
class FileForm:
    """What was found about a file: its codec, and for a table its layout and the column that is read."""

    codec: str
    layout: Layout | None = None
    column: str = ""
    index: int = 0
    has_header: bool = False

    @property
    def encoding(self) -> str:
        """The encoding as people write it, or what a table is that has none, such as "Excel"."""
        return NAMES[self.layout.kind] if self.layout and not self.codec else shown_encoding(self.codec)


@dataclass(frozen=True)
class Block:
    """Units of a file that follow each other and are measured together; one that cannot be read is a remark.

    `number` counts the blocks of a run from 0.
    """

    number: int
    items: tuple[Item | Remark, ...]

    def __len__(self) -> int:
        return len(self.items)

    def digest(self, job_digest: str) -> str:
        """Return a hash of what the block's file is made from, 16 hexadecimal digits."""
        found = hashlib.sha256(job_digest.encode())
        for item in self.items:
            found.update(json.dumps([type(item).__name__, *vars(item).values()]).encode() + b"\n")
        return found.hexdigest()[:16]


@dataclass
class LineReader:
    """Reads `files` one after the other; where a column is read, a line is a row, without that of the names.

    `firsts` has the number of each file's first line, `n_lines` and `n_bytes` count what was read so far.
    """

    files: tuple[str, ...]
    reading: TextReading = PROSE
    firsts: list[int] = field(default_factory=list)
    n_lines: int = 0
    n_bytes: int = 0
    _forms: dict[str, FileForm] = field(default_factory=dict)

    def blocks(self, n_units: int) -> Iterator[Block]:
        """Yield the units, `n_units` at a time. Raises FileError for a file that cannot be read."""
        number, items = 0, list[Item | Remark]()
        for name in self.files:
            form = self.form(name)
            self.firsts.append(self.n_lines + 1)
            with _named(name), _texts_in(name, form) as texts:
                for text in texts:
                    self.n_lines += 1
                    items.append(self._item(text, form))
                    if len(items) == n_units:
                        yield Block(number, tuple(items))
                        number, items = number + 1, []
        if items:
            yield Block(number, tuple(items))

    def _item(self, text: str | None, form: FileForm) -> Item | Remark:
        """Return the text of the line that was read last, or the remark on why there is none."""
        content = (text or "").encode("utf-8", "surrogatepass")
        self.n_bytes += LONGEST_LINE if text is None else len(content) + 1
        if text is None or len(content) > LONGEST_LINE:
            return Remark(self.n_lines, "long", "more than a megabyte")
        try:
            if not text.isascii():
                content.decode()
        except UnicodeDecodeError as error:  # bytes that are not in the encoding, as half characters
            is_plain = form.layout is None and form.codec == UTF_8
            detail = f"byte {error.start + 1} is no UTF-8" if is_plain else "not in the encoding"
            return Remark(self.n_lines, "undecodable", detail)
        return Item(self.n_lines, text)

    def check(self) -> None:
        """Raise FileError, TableError for a file that cannot be read as it is."""
        for name in self.files:
            self.form(name)

    def form(self, name: str) -> FileForm:
        """Return what the beginning of a file shows. Raises FileError, TableError where it must be asked."""
        if name not in self._forms:
            with _named(name):
                self._forms[name] = _found(name, self.reading)
        return self._forms[name]

    def notices(self) -> Iterator[str]:
        """Yield how each file is read, but for a text a line in UTF-8."""
        for name in self.files:
            form, short = self.form(name), Path(name).name
            if form.layout is not None:
                words = form_words(form.codec, form.layout)
                yield Message("{0} is read as {1}: column {2}.", short, words, form.column)
            elif form.codec != UTF_8:
                found = shown_encoding(form.codec)
                yield Message(
                    "{0} is not UTF-8 and is read as {1}; {2} changes that.", short, found, "--encoding"
                )

    def total_bytes(self) -> int | None:
        """Return the bytes of all files, None if one is compressed. Raises FileError for a missing file."""
        import fsspec

        sizes = []
        for name in self.files:
            with _named(name):
                system, path = fsspec.core.url_to_fs(name)
                is_plain = not Path(name).is_dir() and not _packing(name)
                sizes.append(system.size(path) if is_plain else None)
        return None if None in sizes else sum(size for size in sizes if size is not None)


@contextmanager
def _named(name: str) -> Iterator[None]:
    """Raise FileError with the name of a file, in place of what a damaged one raises."""
    try:
        yield
    except LayoutError as error:
        raise damaged(name, error) from error
    except _DAMAGE as error:
        raise FileError(Message("The file {0} cannot be read: {1}.", name, str(error)), _HINT) from error


def open_bytes(name: str) -> IO[bytes]:
    """Return a file, or what a URL names, opened for reading; decompressed if its first bytes say so."""
    import fsspec

    opened: IO[bytes] = fsspec.open(name, "rb", compression=_packing(name)).open()
    return opened


def _packing(name: str) -> str | None:
    """Return fsspec's name of how a file is packed; None if it is not."""
    import fsspec
    from fsspec.utils import infer_compression

    by_name: str | None = infer_compression(name)
    if by_name is not None and by_name not in _BY_THEIR_BYTES:
        return by_name
    with fsspec.open(name, "rb", compression=None).open() as stream:
        return packing_of(stream.read(8)) or None


@contextmanager
def _texts_in(name: str, form: FileForm) -> Iterator[Iterator[str | None]]:
    """Yield the texts of a file, None for one that is too long; half characters stand for damaged bytes."""
    if form.layout is None or form.layout.kind not in NAMES:
        with open_bytes(name) as stream:
            yield _texts(stream, form)
        return
    with package_rows(name, open_bytes) as found:
        assert found is not None
        yield (row[form.index] for row in islice(filter(any, found.rows), int(form.has_header), None))


def _found(name: str, reading: TextReading) -> FileForm:
    choices = TableChoices(text_column=reading.column, separator=reading.separator, encoding=reading.encoding)
    with package_rows(name, open_bytes) as rows:
        if rows is not None:
            table = table_of_package(Path(name).name, rows, choices, _HEAD_ROWS)
            return _form_of(table, reading)
    with open_bytes(name) as stream:
        head = stream.read(_HEAD)
        is_whole = len(head) < _HEAD
        if not head.strip():
            return FileForm(UTF_8)
        short = Path(name).name
        if reading.is_prose:
            return FileForm(decoded(short, head, reading.encoding, is_whole=is_whole)[0])
        try:
            table = table_of(short, head, choices, is_whole=is_whole)
        except FileError:
            if is_whole:
                raise
            table = table_of(short, head + stream.read(), choices)  # an array of JSON has no lines
    return _form_of(table, reading)


def _form_of(table: TextTable, reading: TextReading) -> FileForm:
    """Return what the first rows show. Raises TableError where they are a table and no column is given."""
    if not reading.column:
        if is_like_table(table):
            raise unclear_column(table, layout_words(table.layout))
        return FileForm(table.encoding)
    index = column_given(table, reading.column, "column")
    has_header = table.has_header and table.layout.kind in ("rows", "xlsx")
    return FileForm(table.encoding, table.layout, table.columns[index], index, has_header)


def _texts(stream: IO[bytes], form: FileForm) -> Iterator[str | None]:
    errors = "strict" if WIDE.fullmatch(form.codec) else "surrogateescape"
    with io.TextIOWrapper(stream, form.codec, errors=errors, newline="\n") as text:
        if form.layout is None:
            yield from _lines_of(text, LONGEST_LINE)
        else:
            yield from _cells(text, form, form.layout)


def _cells(text: IO[str], form: FileForm, layout: Layout) -> Iterator[str]:
    """Yield the cells of the column; a row that lacks it has none."""
    lines = (_whole(line, number) for number, line in enumerate(_lines_of(text, _LONGEST_ROW), 1))
    if layout.kind in ("json", "json lines"):
        for _, row in objects_of(lines, layout):
            yield row.get(form.column, "")
        return
    for number, (_, cells) in enumerate(rows_of(lines, layout)):
        if number or not form.has_header:
            yield cells[form.index] if form.index < len(cells) else ""


def _whole(line: str | None, number: int) -> str:
    if line is None:
        raise LayoutError("a line of more than 16 million characters", number)
    return line


def _lines_of(stream: IO[str], longest: int) -> Iterator[str | None]:
    """Yield the lines without their line breaks, None for one of more than `longest` characters.

    The mark of the encoding at the start is left out.
    """
    is_first = True
    while line := stream.readline(longest + 2):
        if len(line) > longest and not line.endswith("\n"):
            while (rest := stream.readline(longest)) and not rest.endswith("\n"):
                pass
            yield None
        else:
            line = line.removesuffix("\n").removesuffix("\r")
            yield line.removeprefix("\ufeff") if is_first else line
        is_first = False


BLOCK_LINES = 1024
"""How many lines a block has by default. A block is measured and saved at a time."""
FORMAT = 4
"""The version of the blocks' files: to be raised when the same lines would give another file."""
N_WORD = "n_word"
"""The column beside the measure "word": the number of tokens of a line over which that is the mean.

Unlike the numbers of the other measures, it does not follow from the number of tokens."""
ENDINGS = (".parquet", ".csv", ".npz")
"""The endings of a table in one file; a name without an ending is a folder of Parquet files."""
RemarkKind = Literal["empty", "long", "undecodable", "refused", "damaged", "truncated", "dropped"]
"""Why a line was left out; that it was cut, or that characters of it were dropped."""
MEASURED: frozenset[RemarkKind] = frozenset(("truncated", "dropped"))
"""The remarks on lines that are measured all the same."""


@dataclass(frozen=True)
class Remark:
    """A remark on one line. Lines with one were left out, except those of MEASURED."""

    line: int
    kind: RemarkKind
    detail: str = ""


@dataclass(frozen=True, eq=False)
class BlockPart:
    """What a block contributes: how many units and tokens were measured, a part for each study, remarks."""

    n_units: int
    n_tokens: int
    parts: tuple[Part, ...]
    remarks: tuple[Remark, ...] = ()


if TYPE_CHECKING:
    Scheduler = Any
else:
    Scheduler = str
"""The address of a Dask scheduler, as files of settings have it; in Python a `Cluster` or a `Client`, too."""


@dataclass(frozen=True)
class CorpusSettings:
    """How a corpus is measured."""

    measures: tuple[MeasureKey, ...] = explained(KEYS, f"All unless given: {', '.join(KEYS)}.")
    truncates: bool = explained(
        False, "Cut lines with more tokens than the model reads; otherwise they are left out."
    )
    block_lines: int = explained(BLOCK_LINES, "How many lines are measured and saved at a time.")
    n_workers: int | None = explained(
        None, "Processes that share the blocks, each on one thread; needs the extra “cluster”."
    )
    scheduler: Scheduler | None = explained(
        None, "The workers of this Dask scheduler do; where the table is a folder or URL they write it, too."
    )
    reading: TextReading = explained(PROSE, "How the texts of the files are read.")


def validate_counts(n_lines: int | None, n_workers: int | None) -> None:
    """Raise ArgumentError for a wrong number of lines in a block, or of workers; None is not given."""
    for count, message in (
        (n_lines, Message("A block of {0} lines cannot be measured.", n_lines)),
        (n_workers, Message("The number of worker processes is {0}.", n_workers)),
    ):
        if count is not None and count < 1:
            raise ArgumentError(message, Message("Give 1 or more."))


@dataclass(frozen=True)
class CorpusJob:
    """The measures to compute, the files to read, and the table to write.

    `files` and `out` are paths, or URLs that fsspec opens, as s3://bucket/texts.txt.
    """

    files: tuple[str, ...]
    out: str
    settings: CorpusSettings = CorpusSettings()

    @property
    def measures(self) -> tuple[MeasureKey, ...]:
        """The columns of the table, in their order."""
        return self.settings.measures

    @property
    def ending(self) -> str:
        """The ending of the table's file, "" for a folder of Parquet files."""
        name = self.out.rstrip("/").rpartition("/")[2]
        return next((ending for ending in ENDINGS if name.lower().endswith(ending)), "")

    def validate(self) -> None:
        """Raise AppError for no files, no measures, a wrong number of lines, or another kind of table."""
        if not self.files:
            raise ArgumentError(Message("There are no files to read."), Message("Name one or more."))
        if isinstance(self.measures, str):
            message = Message("The measures are a list of names, not the text “{0}”.", self.measures[:40])
            raise ArgumentError(message, Message("Write {0}.", f'measures=["{self.measures[:40]}"]'))
        hint = Message("The measures are: {0}.", ", ".join(KEYS))
        for key in self.measures:
            if key not in KEYS:
                raise ArgumentError(Message("There is no measure “{0}”.", key), hint)
        if not self.measures:
            raise ArgumentError(Message("There is nothing to measure."), hint)
        validate_counts(self.settings.block_lines, self.settings.n_workers)
        name = self.out.rstrip("/").rpartition("/")[2]
        if not self.ending and "." in name:
            message = Message("A table cannot be written as “{0}”.", name)
            hint = Message("End the name in {0}, or name a folder without an ending.", ", ".join(ENDINGS))
            raise FileError(message, hint)

    def digest(self, fingerprint: str) -> str:
        """Return a hash of all that decides what is in a block's file, except for its lines.

        `fingerprint` is the checkpoint's. The device is not in it: in a run that is resumed on
        another device, the numbers of some blocks differ in their last digits.
        """
        from torch import __version__ as torch_version

        of = self.settings
        settings = [FORMAT, fingerprint, self.measures, of.truncates, of.block_lines, str(torch_version)]
        if of.reading != PROSE:
            settings.append(encode(of.reading))
        return hashlib.sha256(json.dumps(settings).encode()).hexdigest()

    def measure(
        self,
        opened: Sequence[OpenedCheckpoint],
        block: Block,
        device: Device,
        check: Check = lambda: None,
        on_units: Callable[[float], None] = lambda count: None,
    ) -> BlockPart:
        """Return the measures of the N lines of a block, in their order.

        The rows are "lines" int64 [N], "n_tokens" int32 [N], N_WORD int32 [N] (0 where that is not measured),
        "values" float32 [N, L, H, K]. `on_units` is called with the number of lines that are done.

        Lines with the same number of tokens are encoded together, so nothing is padded. Which ones these are
        depends on the block alone, and one thread computes: the same block has the same numbers, bit for bit,
        in every process on machines of the same kind.
        """
        units, remarks = units_of(opened[0], block, truncates=self.settings.truncates)
        n_tokens = np.array([len(unit.tokens) for unit in units], np.int32)
        config = opened[0].checkpoint.encoder.config
        values = np.zeros((len(units), config.n_layers, config.n_heads, len(self.measures)), np.float32)
        n_word = np.zeros(len(units), np.int32)
        on_units(len(block) - len(units))
        with plain_kernels():
            for batch in batches_of(n_tokens.tolist(), most_padding=1):
                tap = _measured(opened[0], [units[at].tokens for at in batch], self, device, check)
                values[batch] = tap.means()
                if "word" in self.measures:
                    n_word[batch] = tap.n_queries("word")
                on_units(len(batch))
        if not np.isfinite(values).all():
            message = Message("The numbers of this checkpoint are not finite.")
            hint = Message(
                "The weights are damaged, or too large to be computed with; fetch the checkpoint again."
            )
            raise CheckpointError(message, hint)
        lines = np.array([unit.item.line for unit in units], np.int64)
        rows: Arrays = {"lines": lines, "n_tokens": n_tokens, N_WORD: n_word, "values": values}
        return BlockPart(len(units), int(n_tokens.sum()), (Part(rows=rows),), tuple(remarks))


class _PlainKernels:
    """Lets torch compute on one thread and without oneDNN while a context is entered.

    With more threads, sums of another order have other last digits. oneDNN compiles a kernel for each shape
    and keeps a thousand of them: for texts of all lengths that takes hundreds of megabytes, and more time
    than it saves. Both settings are those of the whole process, so they hold for other threads too, and end
    with the last of the contexts that threads are in at the same time: a worker of Dask's may have several.
    A thread that leaves before another computes on one thread from then on.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._n_entered = 0
        self._settings = ExitStack()

    @contextmanager
    def __call__(self) -> Iterator[None]:
        """Count one context more until it ends: the first makes the settings, the last one ends them."""
        import torch

        with self._lock:
            if self._n_entered == 0:
                mkldnn = torch.backends.mkldnn
                self._settings.callback(torch.set_num_threads, torch.get_num_threads())
                # Without these arguments `flags` would set the other two to its defaults.
                others = {"deterministic": mkldnn.deterministic, "allow_tf32": mkldnn.allow_tf32}
                self._settings.enter_context(mkldnn.flags(enabled=False, **others))
            self._n_entered += 1
            torch.set_num_threads(1)  # a thread that has computed before keeps a number of its own
        try:
            yield
        finally:
            with self._lock:
                self._n_entered -= 1
                if self._n_entered == 0:
                    self._settings.close()


plain_kernels = _PlainKernels()


class TableColumn(NamedTuple):
    """One column of a table: the type of its numbers, and the function of a part's rows that returns them."""

    kind: np.dtype[Any]
    of: Callable[[Arrays], NDArray[Any]]


def columns_of(measures: Sequence[MeasureKey]) -> dict[str, TableColumn]:
    """Return the columns of a table by name, in order: a row for each line and head."""

    def by_line(kind: str, name: str) -> TableColumn:
        return TableColumn(
            np.dtype(kind), lambda rows: np.repeat(rows[name], math.prod(rows["values"].shape[1:3]))
        )

    def by_head(axis: int) -> TableColumn:
        return TableColumn(
            np.dtype("<i2"),
            lambda rows: np.tile(
                np.indices(rows["values"].shape[1:3], np.int16)[axis].reshape(-1), len(rows["values"])
            ),
        )

    def of_measure(number: int) -> TableColumn:
        return TableColumn(
            np.dtype("<f4"), lambda rows: np.ascontiguousarray(rows["values"][..., number]).reshape(-1)
        )

    columns = {
        "line": by_line("<i8", "lines"),
        "n_tokens": by_line("<i4", "n_tokens"),
        "layer": by_head(0),
        "head": by_head(1),
    }
    columns |= {key: of_measure(number) for number, key in enumerate(measures)}
    return columns | ({N_WORD: by_line("<i4", N_WORD)} if "word" in measures else {})


def units_of(opened: OpenedCheckpoint, block: Block, *, truncates: bool) -> tuple[list[Unit], list[Remark]]:
    """Return the units of a block that can be measured, and the remarks on all.

    `truncates`: a text with more tokens than the model reads is cut, else it is left out.
    """
    units: list[Unit] = []
    remarks: list[Remark] = []
    for item in block.items:
        if isinstance(item, Remark):
            remarks.append(item)
            continue
        tokens, found = _tokens_of(opened, item, truncates=truncates)
        remarks += found
        units += [] if tokens is None else [Unit(item, tokens)]
    return units, remarks


def _tokens_of(
    opened: OpenedCheckpoint, item: Item, *, truncates: bool
) -> tuple[Tokens | None, list[Remark]]:
    """Return the tokens of a text, None where it is left out, and the remarks on it."""
    line = item.line
    if not item.text.strip() or (item.pair is not None and not item.pair.strip()):
        return None, [Remark(line, "empty")]
    try:
        found = opened.checkpoint.tokens(item.text, item.pair)
    except TextError as error:
        return None, [Remark(line, "refused", error.message)]
    remarks: list[Remark] = []
    if found.n_left_out:
        n_tokens = len(found) + found.n_left_out
        remarks.append(Remark(line, "truncated" if truncates else "long", f"{n_tokens} tokens"))
    if found.n_left_out and not truncates:
        return None, remarks
    if found.dropped:
        remarks.append(Remark(line, "dropped", f"{len(found.dropped)}: {found.dropped_names}"))
    return found, remarks


def _measured(
    opened: OpenedCheckpoint, texts: list[Tokens], job: CorpusJob, device: Device, check: Check
) -> MeasuringTap:
    """Return the tap that has measured texts of the same length."""
    import torch

    from bertviz_app.encoder.dense import arrange_weights
    from bertviz_app.encoder.encoder import encoder_inputs

    def run(chosen: Device) -> MeasuringTap:
        encoder = opened.encoder_on(chosen.name)
        arrange_weights(encoder.layers, len(texts) * len(texts[0]))
        inputs = encoder_inputs(encoder.config, texts, next(encoder.parameters()).device)
        tap = MeasuringTap(texts, (encoder.config.n_layers, encoder.config.n_heads), job.measures, check)
        try:
            with torch.inference_mode():
                encoder(*inputs, tap=tap)
        except EndOfPassError:
            pass
        return tap

    message = Message("There is not enough memory to encode {0} tokens with this checkpoint.", len(texts[0]))
    error = DeviceError(message, Message("Give a shorter text, or choose a smaller checkpoint."))
    return opened.run_on(device, run, error)[0]
