"""`CorpusJob`: what to measure of which texts, and where the table goes. Plain data, fast to import."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from bertviz_app.analysis.measures import KEYS, MeasureKey
from bertviz_app.errors import ArgumentError, FileError, Message
from bertviz_app.inference.corpus.lines import PROSE, TextReading
from bertviz_app.json_store import encode

BLOCK_LINES = 1024
"""How many lines a block has by default. A block is measured and saved at a time."""
FORMAT = 3
"""The version of the blocks' files: to be raised when the same lines would give another file."""
N_WORD = "n_word"
"""The column beside the measure "word": the number of tokens of a line over which that is the mean.

Unlike the numbers of the other measures, it does not follow from the number of tokens."""
ENDINGS = (".parquet", ".csv", ".npz")
"""The endings of a table in one file; a name without an ending is a folder of Parquet files."""
RemarkKind = Literal["empty", "long", "undecodable", "refused", "truncated", "dropped"]
"""Why a line was left out; that it was cut, or that characters of it were dropped."""
MEASURED: frozenset[RemarkKind] = frozenset(("truncated", "dropped"))
"""The remarks on lines that are measured all the same."""


@dataclass(frozen=True)
class Remark:
    """A remark on one line. Lines with one were left out, except those of MEASURED."""

    line: int
    kind: RemarkKind
    detail: str = ""


@dataclass(frozen=True)
class CorpusSettings:
    """How a corpus is measured.

    `measures` are keys of MEASURES. `truncates`: whether texts with more tokens than the model reads are cut;
    else they are left out. `block_lines` lines are measured and saved at a time. `n_workers` processes
    measure blocks, or the workers of the Dask scheduler at `scheduler`, such as tcp://HOST:PORT.
    `reading` is how the texts of the files are read, such as `TextReading(column="document")`.
    """

    measures: tuple[MeasureKey, ...] = KEYS
    truncates: bool = False
    block_lines: int = BLOCK_LINES
    n_workers: int | None = None
    scheduler: str | None = None
    reading: TextReading = PROSE


DEFAULT_SETTINGS = CorpusSettings()
"""All measures, too long texts left out, and one process."""


@dataclass(frozen=True)
class CorpusJob:
    """Which measures of which lines go into which table.

    `files` and `out` are paths, or URLs that fsspec opens, as s3://bucket/texts.txt.
    """

    files: tuple[str, ...]
    out: str
    settings: CorpusSettings = DEFAULT_SETTINGS

    @property
    def measures(self) -> tuple[MeasureKey, ...]:
        """The columns of the table, in their order."""
        return self.settings.measures

    @property
    def has_n_word(self) -> bool:
        """Whether the table has the column N_WORD."""
        return "word" in self.measures

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
        for key in self.measures:
            if key not in KEYS:
                hint = Message("The measures are: {0}.", ", ".join(KEYS))
                raise ArgumentError(Message("There is no measure “{0}”.", key), hint)
        if not self.measures:
            hint = Message("The measures are: {0}.", ", ".join(KEYS))
            raise ArgumentError(Message("There is nothing to measure."), hint)
        for count, message in (
            (
                self.settings.block_lines,
                Message("A block of {0} lines cannot be measured.", self.settings.block_lines),
            ),
            (
                self.settings.n_workers,
                Message("The number of worker processes is {0}.", self.settings.n_workers),
            ),
        ):
            if count is not None and count < 1:
                raise ArgumentError(message, Message("Give 1 or more."))
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


def block_digest(job_digest: str, first: int, lines: Sequence[bytes | None]) -> str:
    """Return a hash of what a block's file is made from, 16 hexadecimal digits.

    `first` is the number of its first line.
    """
    found = hashlib.sha256(f"{job_digest} {first}\n".encode())
    for line in lines:
        # A cell of a table may have line breaks within; without any, a line is hashed as it is.
        found.update(b"\0\n" if line is None else line.replace(b"\n", b"\0\1") + b"\n")
    return found.hexdigest()[:16]
