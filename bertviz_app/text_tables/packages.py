"""Tables that only other packages read: Parquet and folders of `datasets` by pyarrow, Excel by openpyxl."""

from __future__ import annotations

import importlib
import io
import json
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import IO, Any, Literal, cast

from bertviz_app.errors import FileError, Message

PackageKind = Literal["parquet", "xlsx", "arrow"]
_ROWS_AT_ONCE = 1_024
_MOST_BYTES = 1 << 31  # of an Excel file when it is unpacked
_STATE, _INFO, _SPLITS = "state.json", "dataset_info.json", "dataset_dict.json"
_OF_DATASETS = frozenset({_STATE, _INFO, _SPLITS})
_PACKAGES = MappingProxyType({"parquet": "pyarrow", "arrow": "pyarrow", "xlsx": "openpyxl"})
NAMES: Mapping[str, str] = MappingProxyType({"parquet": "Parquet", "arrow": "Arrow", "xlsx": "Excel"})
"""What people call the formats."""
_SIGNS = (
    (b"%PDF", "PDF"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", ".xls, .doc, .hwp"),
    (b"SQLite format 3\x00", "SQLite"),
    (b"\x89HDF", "HDF5"),
    (b"\x89PNG", "PNG"),
    (b"\xff\xd8\xff", "JPEG"),
    (b"\x93NUMPY", "NumPy"),
    (b"7z\xbc\xaf\x27\x1c", "7z"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"Rar!", "RAR"),
)
"""The first bytes of files that are no text, and what they are."""
_IN_ZIP = MappingProxyType(
    {"word/document.xml": "Word", "xl/workbook.bin": ".xlsb", "content.xml": "OpenDocument"}
)
_AS_TEXT = Message("Save it as text in UTF-8: CSV, JSON lines, or a text a line.")
_DAMAGE = (
    *(ArithmeticError, LookupError, NotImplementedError, OSError, SyntaxError, TypeError, ValueError),
    *(zipfile.BadZipFile, EOFError, AttributeError),
)
"""Beyond errors of their own these packages raise what a part of a damaged file makes them raise."""
_CONTROLS = bytes(set(range(32)) - {9, 10, 11, 12, 13, 26, 27})
_MOST_CONTROLS = 0.02  # of all bytes
_SAMPLE = 1 << 16  # bytes


@dataclass(frozen=True)
class NamedRows:
    """The names of the columns, and the cells of each row as text.

    Without `has_names`, as in a sheet, the names may be the cells of the first row, and `columns` are empty.
    """

    kind: PackageKind
    columns: tuple[str, ...]
    rows: Iterator[tuple[str, ...]]
    has_names: bool = True


def package_kind(head: bytes) -> PackageKind | None:
    """Return the kind of a table by the first bytes of its file, None for a file of text."""
    if head.startswith(b"PAR1"):
        return "parquet"
    if head.startswith(b"ARROW1") or (head[:4] == b"\xff\xff\xff\xff" and head[7:8] == b"\x00"):
        return "arrow"  # a file; a stream begins with a marker and the length of the schema
    return "xlsx" if head.startswith(b"PK\x03\x04") else None


def refuse_binary(name: str, content: bytes, *, is_sure: bool = False) -> None:
    """Raise FileError for content that is no text: by its first bytes or, unless `is_sure`, by all of them.

    `is_sure`: the encoding is known.
    """
    kind = package_kind(content[:8])
    if kind == "xlsx":
        _refuse_other_zip(name, io.BytesIO(content))
    what = NAMES[kind] if kind else next((what for sign, what in _SIGNS if content.startswith(sign)), "")
    if what:
        raise _binary(name, what)
    sample = content[:_SAMPLE]
    n_controls = len(sample) - len(sample.translate(None, _CONTROLS))
    if not is_sure and n_controls > _MOST_CONTROLS * len(sample):
        odd = next(f"0x{byte:02x}" for byte in sample if byte in _CONTROLS)
        message = Message("{0} is no text: it holds bytes that no text has, such as {1}.", name, odd)
        raise FileError(message, _AS_TEXT)


def _refuse_other_zip(name: str, stream: IO[bytes]) -> None:
    """Raise FileError for a ZIP archive that is no Excel file."""
    try:
        with zipfile.ZipFile(stream) as archive:
            names = archive.namelist()
    except (OSError, ValueError, zipfile.BadZipFile) as error:
        raise _damaged(name, "ZIP", error) from error
    if "xl/workbook.xml" not in names:
        what = next((what for sign, what in _IN_ZIP.items() if sign in names), "")
        if what:
            raise _binary(name, what)
        message = Message("{0} is a ZIP archive: {1}.", name, ", ".join(names[:3]))
        raise FileError(message, Message("Unpack it, and give the file within."))


def _binary(name: str, what: str) -> FileError:
    return FileError(Message("{0} is no text, but binary: {1}.", name, what), _AS_TEXT)


def dataset_folder(path: Path) -> Path | None:
    """Return the folder that `path` is, or is within as a file of `datasets`; None for another file."""
    if path.is_dir():
        return path
    return path.parent if path.name in _OF_DATASETS and (path.parent / path.name).is_file() else None


def is_dataset(path: Path) -> bool:
    """Return whether `path` is a folder that `save_to_disk` of `datasets` wrote."""
    return any((path / name).is_file() for name in (_STATE, _SPLITS))


def dataset_files(folder: Path) -> list[Path]:
    """Return the files of a folder that `save_to_disk` of `datasets` wrote. Raises FileError."""
    if (folder / _SPLITS).is_file():
        splits = [name for name in _json(folder / _SPLITS).get("splits", ()) if isinstance(name, str)]
        if len(splits) != 1:
            message = Message("{0} has several parts: {1}.", folder.name, ", ".join(splits))
            raise FileError(
                message, Message("Give the folder of one: {0}.", folder / (splits or ["train"])[0])
            )
        folder = folder / Path(splits[0]).name
    if not (folder / _STATE).is_file():
        message = Message("{0} is a folder, and none that “save_to_disk” of datasets wrote.", folder)
        raise FileError(message, Message("Give a file, or a folder with {0} and {1}.", _STATE, _INFO))
    found = _json(folder / _STATE).get("_data_files", ())
    names = [Path(str(one["filename"])).name for one in found if isinstance(one, dict) and "filename" in one]
    missing = [name for name in names if not (folder / name).is_file()]
    if missing or not names:
        message = Message("{0} lacks {1}.", folder, ", ".join(missing) or "*.arrow")
        raise FileError(message, Message("Copy the whole folder, or save it again with save_to_disk."))
    return [folder / name for name in names]


def _json(path: Path) -> Mapping[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        message = Message("{0} cannot be read: it is no JSON object.", path)
        raise FileError(message, Message("Copy the whole folder, or save it again with save_to_disk."))
    return cast("Mapping[str, Any]", found)


@contextmanager
def package_rows(
    name: str, kind: PackageKind, streams: Sequence[IO[bytes]], columns: Sequence[str] | None = None
) -> Iterator[NamedRows]:
    """Yield the rows of a table, or its `columns` alone; several `streams` are parts of one table.

    Raises FileError where the package that reads it is not installed, and for a damaged file.
    """
    package = _PACKAGES[kind]
    if kind == "xlsx":
        _refuse_other_zip(name, streams[0])
    try:
        importlib.import_module(package)
    except ImportError as error:
        message = Message(
            "{0} is {1}, which the package {2} reads; it is not installed.", name, NAMES[kind], package
        )
        hint = Message(
            "Install it with: {0}. Or save the file as CSV or JSON lines.", f"pip install {package}"
        )
        raise FileError(message, hint) from error
    readers: Mapping[str, Callable[[ExitStack], NamedRows]] = {
        "parquet": lambda _: _of_parquet(streams, columns),
        "arrow": lambda stack: _of_arrow(stack, streams, columns),
        "xlsx": lambda stack: _of_sheet(stack, name, streams[0]),
    }
    try:
        with ExitStack() as stack:
            yield readers[kind](stack)
    except FileError:
        raise
    except _DAMAGE as error:
        raise _damaged(name, NAMES[kind], error) from error


def _damaged(name: str, what: str, error: Exception) -> FileError:
    reason = " ".join(str(error).split())[:200] or type(error).__name__
    message = Message("{0} cannot be read as {1}: {2}.", name, what, reason.rstrip("."))
    return FileError(message, Message("Fetch or save the file again, or save it as CSV."))


def _of_parquet(streams: Sequence[IO[bytes]], columns: Sequence[str] | None) -> NamedRows:
    from pyarrow.parquet import ParquetFile

    files = [ParquetFile(stream, pre_buffer=False) for stream in streams]
    top = None if columns is None else [name.partition(".")[0] for name in columns]
    batches = (
        batch
        for file in files
        # Its pool of threads would stay for the whole process.
        for batch in file.iter_batches(batch_size=_ROWS_AT_ONCE, columns=top, use_threads=False)
    )
    return _of_batches("parquet", files[0].schema_arrow, batches, columns)


def _of_arrow(stack: ExitStack, streams: Sequence[IO[bytes]], columns: Sequence[str] | None) -> NamedRows:
    from pyarrow import ipc

    readers = []
    for stream in streams:
        is_file = stream.read(6) == b"ARROW1"
        stream.seek(0)
        readers.append(stack.enter_context((ipc.open_file if is_file else ipc.open_stream)(stream)))
    batches = (
        batch.slice(first, _ROWS_AT_ONCE)
        for reader in readers
        for batch in (
            (reader.get_batch(at) for at in range(reader.num_record_batches))
            if hasattr(reader, "get_batch")
            else reader
        )
        for first in range(0, batch.num_rows, _ROWS_AT_ONCE)
    )
    return _of_batches("arrow", readers[0].schema, batches, columns)


def _of_batches(
    kind: PackageKind, schema: Any, batches: Iterator[Any], columns: Sequence[str] | None
) -> NamedRows:
    names = tuple(_flattened(schema.empty_table()).column_names) if columns is None else tuple(columns)
    classes = {name: found for name in names if (found := _class_names(schema, name))}

    def rows() -> Iterator[tuple[str, ...]]:
        import pyarrow

        for batch in batches:
            table = _flattened(pyarrow.Table.from_batches([batch]))
            found = [table.column(name).to_pylist() for name in names]
            for values in zip(*found, strict=True):
                yield tuple(
                    cell_of(_named(value, classes.get(name, ())))
                    for name, value in zip(names, values, strict=True)
                )

    return NamedRows(kind, names, rows())


def _flattened(table: Any) -> Any:
    """Return a table in which a value within another has a name with a dot, as in JSON."""
    from pyarrow.types import is_struct

    while any(is_struct(field.type) and field.type.num_fields for field in table.schema):
        table = table.flatten()
    return table


def _class_names(schema: Any, column: str) -> tuple[str, ...]:
    """Return the names of the classes that `datasets` wrote beside the numbers of a column, () for none."""
    try:
        features = json.loads((schema.metadata or {}).get(b"huggingface", b"{}"))["info"]["features"]
        found = features[column]
        while not (isinstance(found, dict) and found.get("_type") == "ClassLabel"):
            found = found[0] if isinstance(found, list) else found["feature"]
        return tuple(str(name) for name in found["names"])
    except (ValueError, LookupError, TypeError):
        return ()


def _named(value: object, names: Sequence[str]) -> object:
    if not names:
        return value
    if isinstance(value, list):
        return [_named(one, names) for one in value]
    return names[value] if isinstance(value, int) and 0 <= value < len(names) else None  # -1: no label


def _of_sheet(stack: ExitStack, name: str, stream: IO[bytes]) -> NamedRows:
    import openpyxl

    stream.seek(0)
    with zipfile.ZipFile(stream) as archive:
        size = sum(one.file_size for one in archive.infolist())
    if size > _MOST_BYTES:
        message = Message("{0} would fill {1} MB when it is unpacked.", name, f"{size >> 20:,}")
        raise FileError(message, Message("Save the rows as CSV."))
    stream.seek(0)
    book = openpyxl.load_workbook(stream, read_only=True, data_only=True)
    stack.callback(book.close)
    sheets = {sheet.title: _filled(sheet.iter_rows(values_only=True)) for sheet in book.worksheets}
    filled = {title: rows for title, rows in sheets.items() if any(map(any, rows))}
    if len(filled) > 1:
        message = Message("{0} has several sheets with rows: {1}.", name, ", ".join(filled))
        raise FileError(message, Message("Save the one to be read as a file of its own."))
    return NamedRows("xlsx", (), iter(next(iter(filled.values()), [])), has_names=False)


def _filled(rows: Iterator[Sequence[object]]) -> list[tuple[str, ...]]:
    """Return the cells of a sheet as text, without the empty columns at its right end."""
    found = [tuple(map(cell_of, row)) for row in rows]
    width = max((at for row in found for at, cell in enumerate(row, 1) if cell), default=0)
    return [row[:width] + ("",) * (width - len(row)) for row in found]


def cell_of(value: object) -> str:
    """Return a value of a table as the text of a cell: texts as they are, others as JSON; "" for none."""
    if value is None or value != value:  # NaN stands for a missing value
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, bytes):
        return value.decode("utf-8")
    return json.dumps(value, ensure_ascii=False, default=str)
