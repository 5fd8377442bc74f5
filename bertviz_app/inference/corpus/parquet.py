"""`ParquetFormat`: parts as Parquet files, by pyarrow, an optional dependency."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from bertviz_app.analysis.measures import MeasureKey
from bertviz_app.errors import FileError, Message
from bertviz_app.inference.corpus.measuring import MeasuredPart, columns_of

if TYPE_CHECKING:
    import pyarrow

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
