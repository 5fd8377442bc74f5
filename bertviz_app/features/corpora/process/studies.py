"""`run_studies`: studies of the units of a file, block by block; an interrupted run is resumed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from bertviz_app.analysis.entry import ModelAccess, Needs, has_pruned_heads, save_of_file
from bertviz_app.analysis.parameters import Reporter
from bertviz_app.analysis.results import Result
from bertviz_app.errors import AnalysisError, ArgumentError, Check, DeviceError, FileError, Message
from bertviz_app.features.corpora.process.measuring import (
    Block,
    BlockPart,
    CorpusJob,
    LineReader,
    Remark,
    Scheduler,
    TextReading,
    plain_kernels,
    units_of,
    validate_counts,
)
from bertviz_app.features.corpora.process.run import (
    SILENT_LISTENER,
    CorpusListener,
    CorpusProgress,
    InMemory,
    MeasuredBlocks,
    Measurer,
    MissingBlock,
    NpzFormat,
    PartStore,
    absolute,
    measure_missing,
    open_text,
)
from bertviz_app.features.corpora.studies.catalogue import find_study
from bertviz_app.features.corpora.studies.marked_texts import read_labelled_words, read_mentions, read_parses
from bertviz_app.features.corpora.studies.study import Measured, Part, Study, Unit, joined
from bertviz_app.inference.opened_checkpoint import Device, OpenedCheckpoint, batches_of
from bertviz_app.paths import check_folder
from bertviz_app.text import Tokens
from bertviz_app.text.edits import Edits
from bertviz_app.text_tables.columns import flags_of, labelled_columns, paired_columns, single
from bertviz_app.text_tables.items import FileKind, Item
from bertviz_app.text_tables.table import BY_CONTENT, Record, TableChoices, read_table
from bertviz_app.trace import Trace
from bertviz_app.values import asdict, dataclass, explained, field, replace
from bertviz_app.version import __version__


def read_labelled(path: Path, choices: TableChoices = BY_CONTENT) -> Iterator[Item]:
    """Yield the rows of a table of texts, or of pairs of texts, with their labels.

    Raises FileError for a file that cannot be read, TableError where nothing shows which column is which.
    """
    table = read_table(path, choices)
    columns = labelled_columns(table, choices)
    for record in table.records:
        item = _item(record, columns.text, columns.pair)
        if item.fault:
            yield item
            continue
        label = single(record.cells[columns.label])
        fault = "" if label else Message("Line {0} has no label.", f"{record.line:,}")
        if columns.flags:
            flags = flags_of(record, table.columns, columns.flags)
            fault = flags if isinstance(flags, str) else ""
            label = "" if fault else json.dumps(flags, ensure_ascii=False)
        yield Item(item.line, item.text, item.pair, label, fault=fault)


def read_pairs(path: Path, choices: TableChoices = BY_CONTENT) -> Iterator[Item]:
    """Yield the rows of a table of two texts that are compared with each other. Raises as `read_labelled`."""
    table = read_table(path, choices)
    text, pair = paired_columns(table, choices)
    for record in table.records:
        yield _item(record, text, pair)


def _item(record: Record, text: int, pair: int | None) -> Item:
    if record.fault:
        return Item(record.line, "", fault=record.fault)
    return Item(record.line, record.cells[text], None if pair is None else record.cells[pair])


Reader = Callable[[Path, TableChoices], Iterator[Item]]
"""Yields the units of a file in their order; one that cannot be read has a `fault`."""
READERS: Mapping[FileKind, Reader] = MappingProxyType(
    {
        "labelled": read_labelled,
        "pairs": read_pairs,
        "parsed": read_parses,
        "words": read_labelled_words,
        "mentions": read_mentions,
    }
)
"""Those of all kinds of files but "texts", which are read a block at a time, from URLs and packed, too."""


_TOKENS_AT_ONCE = 2048  # the most tokens whose traces are in memory together, unless a single text has more
MOST_BYTES = 1 << 30
"""From so many bytes of parts on a study that can make them smaller does."""
ENDINGS = (".npz", ".csv", ".json")
"""The endings of the result of one study; a name without an ending is a folder of one CSV file for each."""


@dataclass(frozen=True)
class StudySettings:
    """How the file of a study is read, and who computes; "" for what is found by the content.

    `column`, or `is_prose`, is for studies of texts, the other columns are for studies of rows. The scheduler
    is an address, or a `Cluster` or `Client` of Dask.

    Parameters
    ----------
    column, is_prose, separator, encoding
        As for `TextReading`.
    """

    column: str = ""
    is_prose: bool = False
    label_column: str = explained("", "The column with the labels of rows.")
    text_column: str = explained("", "The column with the texts of rows.")
    pair_column: str = explained("", "The column with their second texts.")
    separator: str = ""
    encoding: str = ""
    truncates: bool = explained(
        False, "Cut texts with more tokens than the model reads; otherwise they are left out."
    )
    block_units: int | None = explained(
        None, "How many texts are measured and saved at a time; unless given, as many as suits the study."
    )
    n_workers: int | None = explained(
        None, "Processes that share the blocks, each on one thread; needs the extra “cluster”."
    )
    scheduler: Scheduler | None = explained(
        None, "The workers of this Dask scheduler do; where the table is a folder or URL they write it, too."
    )

    @property
    def reading(self) -> TextReading:
        """How a file of texts is read."""
        return TextReading(self.column or self.text_column, self.separator, self.encoding, self.is_prose)

    @property
    def choices(self) -> TableChoices:
        """How a table of rows is read."""
        text = self.text_column or self.column
        return TableChoices(self.label_column, text, self.pair_column, self.separator, self.encoding)

    @property
    def kind(self) -> FileKind:
        """The kind that a file is read as where a study of texts does not say so: by the given columns."""
        return "labelled" if self.label_column else "pairs" if self.pair_column else "texts"

    def as_read(self, kind: FileKind) -> dict[str, object]:
        """Return what decides how a file of this kind is read, for a digest and for facts."""
        return asdict(self.reading if kind == "texts" else self.choices)

    def validate(self) -> None:
        """Raise ArgumentError for a wrong number of units or workers."""
        validate_counts(self.block_units, self.n_workers)


READ_BY_CONTENT = StudySettings()
"""All is found by the content, too long texts are left out, and one process computes."""


class KeyedStudy(NamedTuple):
    """A study by its key, which can be pickled, its parameters, and the study before it."""

    key: str
    parameters: Any
    before: Result | None = None

    @property
    def study(self) -> Study[Any, Any]:
        """The study with this key."""
        return find_study(self.key)

    @property
    def first(self) -> KeyedStudy | None:
        """The study whose result this one needs, None for none."""
        found = self.study.first(self.parameters)
        return None if found is None else KeyedStudy(found.study.key, found.parameters)

    def facts(self) -> list[object]:
        """Return what decides the numbers of a part, for a digest."""
        before = "" if self.before is None else self.before.arrays()["values"].tobytes().hex()
        return [self.key, asdict(self.parameters), before]


@dataclass
class RowReader(LineReader):
    """Reads the units of a file of rows, as `LineReader` reads lines; `kind` is what they are."""

    kind: FileKind = "labelled"
    choices: TableChoices = BY_CONTENT
    _rows: list[Item | Remark] | None = None

    def check(self) -> None:
        self._units()

    def notices(self) -> Iterator[str]:
        return iter(())

    def total_bytes(self) -> int:
        """Return the number of units: they are read at once."""
        return len(self._units())

    def blocks(self, n_units: int) -> Iterator[Block]:
        """Yield the units, `n_units` at a time. Raises FileError, TableError for what cannot be read."""
        units = self._units()
        for number, first in enumerate(range(0, len(units), n_units)):
            items = units[first : first + n_units]
            self.n_lines = self.n_bytes = first + len(items)
            yield Block(number, tuple(items))

    def _units(self) -> list[Item | Remark]:
        if self._rows is None:
            if len(self.files) > 1:
                message = Message("A study of rows reads one file, not {0}.", len(self.files))
                raise ArgumentError(message, Message("Write the rows into one file."))
            items = READERS[self.kind](Path(self.files[0]), self.choices)
            self._rows = [Remark(item.line, "damaged", item.fault) if item.fault else item for item in items]
        return self._rows


def reader_of(files: tuple[str, ...], kind: FileKind, settings: StudySettings) -> LineReader:
    """Return what reads the units of files of one kind."""
    if kind == "texts":
        return LineReader(files, settings.reading)
    return RowReader(files, kind=kind, choices=settings.choices)


def kind_of(kinds: Collection[FileKind], settings: StudySettings) -> FileKind:
    """Return the kind that a file is read as by studies of these kinds: one of texts takes rows, too."""
    others = [kind for kind in kinds if kind != "texts"]
    return others[0] if others else settings.kind


@dataclass(frozen=True)
class StudyJob:
    """Which studies measure the units of which files; all read files of the same kind.

    `out` is the file or folder of the results, beside which finished blocks are saved; "" where they are kept
    in memory. The first forward pass of a text serves all of its studies.
    """

    files: tuple[str, ...]
    studies: tuple[KeyedStudy, ...]
    out: str = ""
    settings: StudySettings = READ_BY_CONTENT

    @property
    def kind(self) -> FileKind:
        """What the units of the files are: a study of texts takes those of rows, too."""
        return kind_of({chosen.study.reads for chosen in self.studies}, self.settings)

    def beside(self, name: str) -> str:
        """Return the path of a file or folder beside the results, or in their folder."""
        return f"{self.out}.{name}" if Path(self.out).suffix else f"{self.out.rstrip('/')}/{name}"

    @property
    def block_units(self) -> int:
        """How many units are measured and saved at a time."""
        return self.settings.block_units or max(chosen.study.block for chosen in self.studies)

    @property
    def compares(self) -> bool:
        """Whether a study compares two checkpoints."""
        return any(Needs.SECOND_RUN in chosen.study.needs for chosen in self.studies)

    def path_of(self, chosen: KeyedStudy) -> Path:
        """Return the file of the result of a study."""
        return Path(self.out) if Path(self.out).suffix else Path(self.out, f"{chosen.key}.csv")

    def validate_out(self) -> None:
        """Raise FileError for results that cannot be written under the name given."""
        path = Path(self.out)
        if not self.out or not path.suffix:
            return
        if path.suffix.lower() not in ENDINGS or len(self.studies) > 1:
            message = Message("The results cannot be written as “{0}”.", path.name)
            if len(self.studies) > 1:
                raise FileError(message, Message("Name a folder: it gets a table for each study."))
            raise FileError(message, Message("End the name in {0}.", ", ".join(ENDINGS)))
        check_folder(path)

    def earlier(self, chosen: KeyedStudy) -> StudyJob:
        """Return the job whose result `chosen` needs first; its blocks are saved beside those of this one."""
        assert chosen.first is not None
        out = self.out and self.beside("first" if Path(self.out).suffix else f"{chosen.key}.first")
        return replace(self, studies=(chosen.first,), out=out)

    def validate(self, opened: Sequence[OpenedCheckpoint]) -> None:
        """Raise AppError for what these studies cannot do with these checkpoints."""
        self.settings.validate()
        kinds = {chosen.study.reads for chosen in self.studies} - {"texts"}
        if len(kinds) > 1:
            message = Message("These studies read files of several kinds: {0}.", ", ".join(sorted(kinds)))
            raise ArgumentError(message, Message("Run them one after the other."))
        if self.compares and len(opened) < 2:
            message = Message("This study compares two checkpoints.")
            raise AnalysisError(message, Message("Name the second one, too."), "second run")
        for one in opened:
            for chosen in self.studies:
                form, pruned = one.checkpoint.encoder.config.form, one.checkpoint.encoder.config.pruned
                if pruned and Needs.ALL_HEADS in chosen.study.needs:
                    raise has_pruned_heads(pruned)
                if (refusal := chosen.study.refuses(form, one.checkpoint.task_heads.names())) is not None:
                    raise refusal

    def digest(self, fingerprints: Sequence[str]) -> str:
        """Return a hash of all that decides what is in a block's file, except for its units."""
        from torch import __version__ as torch_version

        of = self.settings
        keys = [chosen.facts() for chosen in self.studies]
        found = [__version__, list(fingerprints), keys, of.truncates, self.block_units, str(torch_version)]
        found.append(of.as_read(self.kind))
        return hashlib.sha256(json.dumps(found).encode()).hexdigest()

    def measure(
        self,
        opened: Sequence[OpenedCheckpoint],
        block: Block,
        device: Device,
        check: Check = lambda: None,
        on_units: Callable[[float], None] = lambda count: None,
    ) -> BlockPart:
        """Return the part of a block: the same, bit for bit, on all machines of the same kind."""

        def run(chosen: Device) -> BlockPart:
            read = [units_of(one, block, truncates=self.settings.truncates) for one in opened]
            remarks = list(dict.fromkeys(chain.from_iterable(remarks for _, remarks in read)))
            in_all = set.intersection(*({unit.item.line for unit in units} for units, _ in read))
            of_each = [[unit for unit in units if unit.item.line in in_all] for units, _ in read]
            parts: list[list[Part]] = [[] for _ in self.studies]
            on_units(len(block) - len(of_each[0]))
            of_traces = any(study.study.reads_traces for study in self.studies)
            for at in _slices(of_each[0], _TOKENS_AT_ONCE if of_traces else None):
                measured = _measured([units[at] for units in of_each], opened, chosen, check)
                for number, study in enumerate(self.studies):
                    reporter = _Share(check, on_units, len(measured.units) / len(self.studies))
                    inputs = replace(measured, before=study.before)
                    parts[number].append(study.study.measure(inputs, study.parameters, reporter))
                    reporter.progress(1)
            n_tokens = sum(len(unit.tokens) for unit in of_each[0])
            joint = tuple(joined(of_study) for of_study in parts)
            return BlockPart(len(of_each[0]), n_tokens, joint, tuple(remarks))

        message = Message("There is not enough memory to encode the texts of this file with this checkpoint.")
        error = DeviceError(message, Message("Give shorter texts, or choose a smaller checkpoint."))
        with plain_kernels():
            return opened[0].run_on(device, run, error)[0]


Job: TypeAlias = CorpusJob | StudyJob
"""What is measured of each block."""


@dataclass(frozen=True)
class InThisProcess:
    """Measures one block after the other, with the checkpoints that are open here."""

    job: Job
    opened: tuple[OpenedCheckpoint, ...]
    device: Device
    check: Check

    def __call__(
        self, blocks: Iterator[MissingBlock], store: PartStore, on_units: Callable[[float], None]
    ) -> None:
        """Measure the blocks and save their files."""
        for missing in blocks:
            part = self.job.measure(self.opened, missing.block, self.device, self.check, on_units)
            store.save(missing.name, part)


class _Share(Reporter):
    """Reports the share of a slice of a block that a study has measured as a number of units."""

    def __init__(self, check: Check, on_units: Callable[[float], None], n_units: float) -> None:
        done = 0.0

        def progress(share: float) -> None:
            nonlocal done
            if share > done:
                on_units((share - done) * n_units)
                done = share

        super().__init__(check, progress)


def _slices(units: Sequence[Unit], most: int | None) -> Iterator[slice]:
    """Yield slices of units with at most so many tokens; None: all of them at once."""
    first = n_tokens = 0
    for at, unit in enumerate(units):
        if most is not None and at > first and n_tokens + len(unit.tokens) > most:
            yield slice(first, at)
            first, n_tokens = at, 0
        n_tokens += len(unit.tokens)
    if first < len(units):
        yield slice(first, len(units))


def _measured(
    units: Sequence[Sequence[Unit]], opened: Sequence[OpenedCheckpoint], device: Device, check: Check
) -> Measured:
    """Return the inputs of a measurement; the second units, if any, are those of the second checkpoint."""
    second = None if len(opened) < 2 else _measured(units[1:], opened[1:], device, check)
    record = _Recorder(opened[0], units[0], device, check)
    return Measured(units[0], model_of(opened[0], device, check), record, second)


class _Recorder:
    """Returns the traces of tokens; those of the units are computed once, and cached as long as this exists.

    Units of like length go through the encoder together. Which ones these are depends on the block alone.
    """

    def __init__(self, opened: OpenedCheckpoint, units: Sequence[Unit], device: Device, check: Check) -> None:
        self._opened, self._device, self._check = opened, device, check
        inputs = [unit.tokens for unit in units]
        batches = ([inputs[at] for at in batch] for batch in batches_of([len(tokens) for tokens in inputs]))
        self._batches = {id(tokens): batch for batch in batches for tokens in batch}
        self._traces: dict[int, Trace] = {}

    def __call__(self, tokens: Tokens) -> Trace:
        batch = self._batches.get(id(tokens))
        if batch is None:
            return self._opened.record(tokens, self._device, self._check, Edits())[0]
        if id(tokens) not in self._traces:
            traces = self._opened.record_batch(batch, self._device, self._check)
            self._traces |= {id(one): trace for one, trace in zip(batch, traces, strict=True)}
        return self._traces[id(tokens)]


def model_of(opened: OpenedCheckpoint, device: Device, check: Check) -> ModelAccess:
    """Return access to the checkpoint on a device, without interventions."""
    from bertviz_app.analysis import model_access  # the class itself: the name above is for annotations
    from bertviz_app.encoder.dense import NO_REFERENCES

    encoder = opened.encoder_on(device.name)
    return model_access.ModelAccess(opened.checkpoint, encoder, Edits(), NO_REFERENCES, nullcontext, check)


MeasurerOf = Callable[[StudyJob], AbstractContextManager[Measurer]]


def run_studies(
    job: StudyJob,
    opened: Sequence[OpenedCheckpoint],
    device: Device,
    measurer_of: MeasurerOf,
    listener: CorpusListener,
) -> tuple[Result, ...]:
    """Measure the units of the job's files; return the results, in the order of the studies.

    Blocks that an earlier run has saved are not measured again. `listener` is called as units are done, its
    `check` before each block; it may raise. Raises AppError for what cannot be read, written or studied; the
    finished blocks are kept.
    """
    job.validate(opened)
    model = model_of(opened[0], device, listener.check)  # first: a device without room for it is told at once
    digest = job.digest([one.checkpoint.facts.fingerprint for one in opened])
    store = PartStore(job.beside("parts"), digest, NpzFormat()) if job.out else InMemory()
    reader = reader_of(job.files, job.kind, job.settings)
    remarks_file = job.beside("remarks.csv") if job.out else ""
    n_tokens, totals = 0, [_Total(chosen.study) for chosen in job.studies]
    with measurer_of(job) as measurer:
        found = measure_missing(reader, job.block_units, store, measurer, listener, remarks_file)
    for part in map(store.load, found.names):
        n_tokens += part.n_tokens
        for total, of_study in zip(totals, part.parts, strict=True):
            total.add(of_study)
    about = _about(job, opened, reader, found) | {"n_tokens": n_tokens}
    reporter = Reporter(listener.check, listener.on_finishing)
    results = []
    for chosen, total in zip(job.studies, totals, strict=True):
        study = chosen.study
        with plain_kernels():
            result: Result = study.finish(model, joined(total.parts), chosen.parameters, reporter)
        if model.config.pruned:
            present = np.ones((model.config.n_layers, model.config.n_heads), bool)
            present[tuple(np.transpose(model.config.pruned))] = False
            result.leave_out(present)
        result.remember_file(about, study.key, study.title, study.paper)
        results.append(result)
    return tuple(results)


@dataclass
class _Total:
    """Collects the parts of a study; where they are large it makes them smaller, if the study can."""

    study: Study[Any, Any]
    parts: list[Part] = field(default_factory=list)
    n_bytes: int = 0

    def add(self, part: Part) -> None:
        if self.parts and not part.rows and not self.parts[-1].rows:  # the sum is as large as each of them
            self.parts[-1] = self.parts[-1].plus(part)
            return
        self.parts.append(part)
        self.n_bytes += sum(array.nbytes for array in (*part.sums.values(), *part.rows.values()))
        if self.n_bytes > MOST_BYTES and self.study.condense is not None:
            self.parts = [self.study.condense(joined(self.parts))]
            self.n_bytes = 0  # what stays is small, and grows slowly


def _about(
    job: StudyJob, opened: Sequence[OpenedCheckpoint], reader: LineReader, found: MeasuredBlocks
) -> dict[str, Any]:
    """Return the facts that are written beside the numbers."""
    models = [
        {
            "model": one.checkpoint.facts.name,
            "ref": one.ref,
            "fingerprint": one.checkpoint.facts.fingerprint,
        }
        for one in opened
    ]
    return {
        "program": f"bertviz-app {__version__}",
        **models[0],
        **({} if len(models) < 2 else {"other": models[1]}),
        "files": [absolute(name) for name in job.files],
        "reading": {name: value for name, value in job.settings.as_read(job.kind).items() if value},
        "truncates": job.settings.truncates,
        "n_lines": reader.n_lines,
        "n_measured": found.n_units,
        "remarks": dict(sorted(found.counts.items())),
    }


def study_files(
    job: StudyJob,
    opened: Sequence[OpenedCheckpoint],
    device: Device,
    measurer_of: MeasurerOf,
    listener: CorpusListener = SILENT_LISTENER,
) -> tuple[Result, ...]:
    """Return the results of the studies of a job, and write them; see `run_studies`.

    A study that needs the result of another one has that run first. The files of blocks are removed in the
    end, when all results are written.
    """
    job.validate_out()
    job.validate(opened)
    earlier = {at: job.earlier(chosen) for at, chosen in enumerate(job.studies) if chosen.first is not None}
    n_stages = len(earlier) + 1
    studies = list(job.studies)
    for stage, (at, first) in enumerate(earlier.items()):
        (result,) = run_studies(first, opened, device, measurer_of, _OfStage(listener, stage, n_stages))
        studies[at] = studies[at]._replace(before=result)
    whole = replace(job, studies=tuple(studies))
    results = run_studies(whole, opened, device, measurer_of, _OfStage(listener, len(earlier), n_stages))
    if job.out:
        save_studies(job, results)
        for done in (job, *earlier.values()):
            PartStore(done.beside("parts"), "", NpzFormat()).remove()
            if done is not job:
                Path(done.beside("remarks.csv")).unlink(missing_ok=True)
    return results


class _OfStage(CorpusListener):
    """Reports the progress of one of consecutive runs as that of all together."""

    def __init__(self, listener: CorpusListener, stage: int, n_stages: int) -> None:
        self._listener, self._stage, self._n_stages = listener, stage, n_stages
        self.check = listener.check  # type: ignore[method-assign]
        self.on_dashboard = listener.on_dashboard  # type: ignore[method-assign]
        self.on_finishing = listener.on_finishing  # type: ignore[method-assign]

    def on_progress(self, done: CorpusProgress) -> None:
        share = None if done.share is None else (self._stage + done.share) / self._n_stages
        self._listener.on_progress(replace(done, share=share))

    def on_notice(self, notice: str) -> None:
        if not self._stage:
            self._listener.on_notice(notice)


def save_studies(job: StudyJob, results: Sequence[Result]) -> None:
    """Write the results of a job, and the facts about the file. Raises FileError."""
    for chosen, result in zip(job.studies, results, strict=True):
        path = job.path_of(chosen)
        path.parent.mkdir(exist_ok=True)
        save_of_file(result, path, chosen.study, chosen.parameters)
    with open_text(job.beside("about.json")) as file:
        file.write(json.dumps(dict(results[0].about or {}), ensure_ascii=False) + "\n")
