"""`run_corpus`: measures every line of text files and writes the table; an interrupted run is resumed."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Protocol

from bertviz_app.errors import FileError, Message
from bertviz_app.inference.corpus.job import CorpusJob, Remark
from bertviz_app.inference.corpus.lines import Block, FileForm, LineReader, total_bytes
from bertviz_app.inference.corpus.listener import SILENT_LISTENER, CorpusListener, CorpusProgress
from bertviz_app.inference.corpus.measuring import measure_block
from bertviz_app.inference.corpus.parquet import ParquetFormat, require_pyarrow
from bertviz_app.inference.corpus.parts import PartStore, parts_in_order
from bertviz_app.inference.corpus.tables import Size, write_table
from bertviz_app.inference.devices import Device
from bertviz_app.inference.opened_checkpoint import OpenedCheckpoint
from bertviz_app.json_store import encode
from bertviz_app.paths import replacing
from bertviz_app.text_tables.table import UTF_8, layout_words, shown_encoding
from bertviz_app.types import Check
from bertviz_app.version import __version__

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
