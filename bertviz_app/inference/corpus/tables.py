"""Writing the table of a corpus as one file, part by part: Parquet, CSV or NPZ."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from zipfile import ZipFile, ZipInfo

import numpy as np
from numpy.lib.format import header_data_from_array_1_0, write_array_header_2_0

from bertviz_app.inference.corpus.job import CorpusJob
from bertviz_app.inference.corpus.measuring import MeasuredPart, columns_of
from bertviz_app.inference.corpus.parquet import ParquetFormat
from bertviz_app.tables import digits

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
