"""Tables that only other packages read: Parquet and folders of `datasets` by pyarrow, Excel by openpyxl."""

from __future__ import annotations

import importlib
import io
import json
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Any, Literal, NamedTuple

from bertviz_app.errors import FileError, Message

PackageKind = Literal["parquet", "xlsx", "arrow"]
_STATE, _INFO, _SPLITS = "state.json", "dataset_info.json", "dataset_dict.json"
_PACKAGES: Mapping[str, str] = {"parquet": "pyarrow", "arrow": "pyarrow", "xlsx": "openpyxl"}
NAMES: Mapping[str, str] = {"parquet": "Parquet", "arrow": "Arrow", "xlsx": "Excel"}
"""What people call the formats."""
_SIGNS: Mapping[bytes, str] = {
    b"%PDF": "PDF",
    b"\xd0\xcf\x11\xe0": ".xls, .doc, .hwp",
    b"SQLite format 3": "SQLite",
    b"\x89PNG": "PNG",
}
"""The first bytes of files that are no text, and what they are."""
_AS_TEXT = Message("Save it as text in UTF-8: CSV, JSON lines, or a text a line.")
_SAVE_AGAIN = Message("Copy the whole folder, or save it again with save_to_disk.")
_DAMAGE = (
    *(ArithmeticError, LookupError, NotImplementedError, OSError, SyntaxError, TypeError, ValueError),
    *(zipfile.BadZipFile, EOFError, AttributeError),
)
"""Beyond errors of their own these packages raise what a part of a damaged file makes them raise."""
_CONTROLS = bytes(set(range(32)) - {9, 10, 11, 12, 13, 26, 27})
_MOST_CONTROLS, _SAMPLE = 0.02, 1 << 16  # of as many bytes
_ROWS_AT_ONCE = 1_024
_MOST_BYTES = 1 << 31  # of an Excel file when it is unpacked


class NamedRows(NamedTuple):
    """The cells of each row as text, and the names of the columns; () where the first row may have them."""

    kind: PackageKind
    columns: tuple[str, ...]
    rows: Iterator[tuple[str, ...]]


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
    known = (what for sign, what in _SIGNS.items() if content.startswith(sign))
    what = "tar" if content[257:262] == b"ustar" else NAMES[kind] if kind else next(known, "")
    if what:
        raise FileError(Message("{0} is no text, but binary: {1}.", name, what), _AS_TEXT)
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
            names, size = archive.namelist(), sum(one.file_size for one in archive.infolist())
    except (OSError, ValueError, zipfile.BadZipFile) as error:
        raise _damaged(name, "ZIP", error) from error
    if "xl/workbook.xml" not in names:
        hint = Message("Unpack it and give the file within, or save it as text, such as CSV.")
        raise FileError(Message("{0} is a ZIP archive: {1}.", name, ", ".join(names[:3])), hint)
    if size > _MOST_BYTES:
        message = Message("{0} would fill {1} MB when it is unpacked.", name, f"{size >> 20:,}")
        raise FileError(message, _AS_TEXT)


def is_dataset(path: Path) -> bool:
    """Return whether `path` is a folder that `save_to_disk` of `datasets` wrote."""
    return (path / _STATE).is_file() or (path / _SPLITS).is_file()


def dataset_folder(path: Path) -> Path | None:
    """Return the folder that `path` is, or is within as a file of `datasets`; None for another file."""
    is_within = path.name in (_STATE, _INFO, _SPLITS) and is_dataset(path.parent)
    return path if path.is_dir() else path.parent if is_within else None


def dataset_files(folder: Path) -> list[Path]:
    """Return the files of a folder that `save_to_disk` of `datasets` wrote. Raises FileError."""
    if (folder / _SPLITS).is_file():
        splits = [str(name) for name in _json(folder / _SPLITS).get("splits", ["train"])]
        if len(splits) != 1:
            message = Message("{0} has several parts: {1}.", folder.name, ", ".join(splits))
            raise FileError(message, Message("Give the folder of one: {0}.", folder / splits[0]))
        folder = folder / Path(splits[0]).name
    if not (folder / _STATE).is_file():
        message = Message("{0} is a folder, and none that “save_to_disk” of datasets wrote.", folder)
        raise FileError(message, Message("Give a file, or a folder with {0} and {1}.", _STATE, _INFO))
    named = _json(folder / _STATE).get("_data_files", ())
    files = [folder / Path(str(one["filename"])).name for one in named]
    if missing := [file.name for file in files if not file.is_file()] if files else ["*.arrow"]:
        raise FileError(Message("{0} lacks {1}.", folder, ", ".join(missing)), _SAVE_AGAIN)
    return files


def files_in(path: Path) -> list[Path]:
    """Return the files that `path` is read from: those of a folder of `datasets`, else itself.

    Raises FileError.
    """
    folder = dataset_folder(path)
    return [path] if folder is None else dataset_files(folder)


def _json(path: Path) -> dict[str, Any]:
    try:
        return dict(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError, RecursionError) as error:
        raise FileError(Message("{0} cannot be read: it is no JSON object.", path), _SAVE_AGAIN) from error


@contextmanager
def package_rows(path: str, opened: Callable[[str], IO[bytes]]) -> Iterator[NamedRows | None]:
    """Yield the rows of a file, or of a folder of `datasets`, that a package reads; None for another file.

    `opened` returns a file for reading. Raises FileError where the package is not installed, and for a
    damaged file.
    """
    folder = None if "://" in path else dataset_folder(Path(path))
    name = Path(path).name if folder is None else folder.name
    with ExitStack() as stack:
        files = [path] if folder is None else [str(file) for file in files_in(folder)]
        streams = [stack.enter_context(opened(file)) for file in files]
        kind = package_kind(streams[0].read(8))
        for stream in streams:
            stream.seek(0)
        if kind is None:
            yield None
            return
        if kind == "xlsx":
            _refuse_other_zip(name, streams[0])
        try:
            importlib.import_module(_PACKAGES[kind])
        except ImportError as error:
            facts = name, NAMES[kind], _PACKAGES[kind]
            message = Message("{0} is {1}, which the package {2} reads; it is not installed.", *facts)
            command = f"pip install {_PACKAGES[kind]}"
            hint = Message("Install it with: {0}. Or save the file as CSV or JSON lines.", command)
            raise FileError(message, hint) from error
        try:
            yield _of_sheet(name, streams[0]) if kind == "xlsx" else _of_pyarrow(kind, streams)
        except FileError:
            raise
        except _DAMAGE as error:
            raise _damaged(name, NAMES[kind], error) from error


def _damaged(name: str, what: str, error: Exception) -> FileError:
    reason = " ".join(str(error).split())[:200] or type(error).__name__
    message = Message("{0} cannot be read as {1}: {2}.", name, what, reason.rstrip("."))
    return FileError(message, Message("Fetch or save the file again, or save it as CSV."))


def _of_pyarrow(kind: PackageKind, streams: Sequence[IO[bytes]]) -> NamedRows:
    import pyarrow
    from pyarrow.parquet import ParquetFile

    if kind == "parquet":
        files = [ParquetFile(stream, pre_buffer=False) for stream in streams]
        schema = files[0].schema_arrow
        # Its pool of threads would stay for the whole process.
        parts = (file.iter_batches(_ROWS_AT_ONCE, use_threads=False) for file in files)
    else:
        is_file = streams[0].read(6) == b"ARROW1"
        streams[0].seek(0)
        opened = list(map(pyarrow.ipc.open_file if is_file else pyarrow.ipc.open_stream, streams))
        schema = opened[0].schema
        parts = (one.read_all().to_batches(_ROWS_AT_ONCE) for one in opened)
    names = tuple(_flattened(schema.empty_table()).column_names)
    classes = [_class_names(schema, name) for name in names]

    def rows() -> Iterator[tuple[str, ...]]:
        for batch in (batch for part in parts for batch in part):
            table = _flattened(pyarrow.Table.from_batches([batch]))
            for values in zip(*(column.to_pylist() for column in table.columns), strict=True):
                yield tuple(cell_of(_named(*one)) for one in zip(values, classes, strict=True))

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
        found = json.loads((schema.metadata or {}).get(b"huggingface", b"{}"))["info"]["features"][column]
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


def _of_sheet(name: str, stream: IO[bytes]) -> NamedRows:
    import openpyxl

    stream.seek(0)
    book = openpyxl.load_workbook(stream, read_only=True, data_only=True)
    sheets = {sheet.title: _filled(sheet.iter_rows(values_only=True)) for sheet in book.worksheets}
    book.close()
    filled = {title: rows for title, rows in sheets.items() if any(map(any, rows))}
    if len(filled) > 1:
        message = Message("{0} has several sheets with rows: {1}.", name, ", ".join(filled))
        raise FileError(message, Message("Save the one to be read as a file of its own."))
    return NamedRows("xlsx", (), iter(next(iter(filled.values()), [])))


def _filled(rows: Iterator[Sequence[object]]) -> list[tuple[str, ...]]:
    """Return the cells of a sheet as text, without the empty columns at its right end."""
    found = [tuple(map(cell_of, row)) for row in rows]
    width = max((at for row in found for at, cell in enumerate(row, 1) if cell), default=0)
    return [row[:width] + ("",) * (width - len(row)) for row in found]


def cell_of(value: object) -> str:
    """Return a value of a table as the text of a cell: texts as they are, others as JSON; "" for none."""
    if value is None or value != value:  # NaN stands for a missing value
        return ""
    if isinstance(value, bytes):
        return value.decode("utf-8")
    is_json = isinstance(value, bool | int | float | list | dict)
    return json.dumps(value, ensure_ascii=False, default=str) if is_json else str(value)
