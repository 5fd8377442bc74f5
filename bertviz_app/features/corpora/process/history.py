"""`training_history`: the heads of every checkpoint of a training, measured on the same texts."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bertviz_app.analysis.measures import KEYS, MEASURES, Head, MeasureKey
from bertviz_app.analysis.picture import Axis, Picture, Quantity, counted
from bertviz_app.analysis.results import NamedArrays
from bertviz_app.errors import Check, FileError, Message
from bertviz_app.features.corpora.process.measuring import PROSE, TextReading
from bertviz_app.features.corpora.process.reading import (
    CorpusTable,
    about_table,
    measure_file,
    summarise,
    table_name,
)
from bertviz_app.features.corpora.process.run import open_alone
from bertviz_app.features.corpora.summary import CorpusSummary
from bertviz_app.paths import SNAPSHOTS
from bertviz_app.tables import RowSource, Table, write_file, write_npz, write_table_csv, write_table_json
from bertviz_app.types import Floats
from bertviz_app.values import dataclass
from bertviz_app.version import __version__


class TrainingStage(NamedTuple):
    """One checkpoint of a training: the step after which it was saved, and what opens it."""

    step: int
    ref: str


class FormedHead(NamedTuple):
    """A head of which a measure changes: its value at the first and the last checkpoint.

    `step` is that of the first checkpoint at which half of the change is made.
    """

    head: Head
    first: float
    last: float
    step: int

    @property
    def change(self) -> float:
        """The last value less the first."""
        return self.last - self.first


@dataclass(frozen=True, eq=False, kw_only=True)
class TrainingHistory(NamedArrays):
    """The means of K measures over the same texts, "values" [S, K, L, H], at S checkpoints of a training.

    `stages` in the order of their steps; `measures` are the keys of the measures.
    """

    stages: tuple[TrainingStage, ...]
    measures: tuple[MeasureKey, ...]

    def of(self, measure: MeasureKey) -> Floats:
        """Return the means of a measure at each checkpoint [S, L, H]."""
        found: Floats = self.named["values"][:, self.measures.index(measure)]
        return found

    def pictures(self) -> tuple[Picture, ...]:
        """Return each measure of every head; colours stand for the same at all checkpoints."""
        units: dict[str, str] = {measure.key: measure.unit for measure in MEASURES}
        found = []
        for key in self.measures:
            values, unit, axes = self.of(key), units[key], (self.axes[0], *self.axes[2:])
            top = 1.0 if unit == "weight" else float(np.nanmax(values, initial=0.0))
            found.append(
                Picture(key, "cells", values, axes, Quantity(unit, 0, top), top=top, beside="checkpoint")
            )
        return tuple(found)

    def curve(self, measure: MeasureKey, head: Head) -> Picture:
        """Return a measure of a head over the steps, beside the mean of all heads."""
        values, (layer, number) = self.of(measure), head
        shown = np.stack([values[:, layer, number], values.reshape(len(values), -1).mean(1)])
        steps = Axis("training step", tuple(str(stage.step) for stage in self.stages))
        axes = Axis("head of all", (f"{layer}·{number}", "mean")), steps
        words = {"mean": Message("Mean of all heads")}
        return Picture(measure, "curves", shown, axes, Quantity(""), words=words, levels=frozenset(words))

    def formed(self, measure: MeasureKey) -> tuple[FormedHead, ...]:
        """Return all heads, those first of which the measure changes most from the first to the last step."""
        values = self.of(measure).astype(np.float64)
        found = []
        for layer, head in np.ndindex(values.shape[1:]):
            curve = values[:, layer, head]
            first, last = float(curve[0]), float(curve[-1])
            done = (curve - first) * np.sign(last - first) >= abs(last - first) / 2
            at = int(done.argmax()) if last != first else 0
            found.append(FormedHead((int(layer), int(head)), first, last, self.stages[at].step))
        return tuple(sorted(found, key=lambda one: -abs(one.change)))

    def as_table(self) -> Table:
        """Return a row for each checkpoint and head: step, layer, head, and its means of the measures."""
        values = self.named["values"]
        rows = RowSource(
            lambda: (
                (stage.step, layer, head, *values[at, :, layer, head].tolist())
                for at, stage in enumerate(self.stages)
                for layer, head in np.ndindex(values.shape[2:])
            )
        )
        return Table(("step", "layer", "head", *self.measures), rows)


_SAVED = re.compile(r"(?:checkpoint|step|epoch|revision)[-_]?(\d{1,18})", re.IGNORECASE)
_NUMBER = re.compile(r"(\d{1,18})\D*$")
_LEAST = 2


def stages_of(folder: str | Path) -> tuple[TrainingStage, ...]:
    """Return the checkpoints in a folder of a training, in the order of their steps.

    They are the folders `checkpoint-N` (or step-N, epoch-N) in it, or the snapshots that a training of this
    program keeps in a folder there. Raises FileError for fewer than two.
    """
    folder = Path(folder).absolute()
    try:
        inside = [path for path in folder.iterdir() if path.is_dir()]
        inside += [path for each in inside if each.name == SNAPSHOTS for path in each.iterdir()]
        found = [(_SAVED.fullmatch(path.name), path) for path in inside]
    except OSError as error:
        message = Message("The folder {0} cannot be read: {1}.", folder, error.strerror or str(error))
        raise FileError(message, Message("Choose the folder of a training.")) from error
    stages = sorted(TrainingStage(int(name[1]), str(path)) for name, path in found if name is not None)
    return _several(stages, Message("{0} has {1} of the folders checkpoint-N.", folder.name, len(stages)))


def stages_named(refs: Sequence[str]) -> tuple[TrainingStage, ...]:
    """Return checkpoints by what opens each: folders, or revisions as "owner/name@step-1000".

    The step is the last number of the name; where one has none, or two are alike, they count from 1 as given.
    Raises FileError for fewer than two.
    """
    numbers = [_NUMBER.search(ref) for ref in refs]
    steps = [int(number[1]) for number in numbers if number is not None]
    chosen = steps if len(steps) == len(refs) == len(set(steps)) else range(1, len(refs) + 1)
    stages = sorted(TrainingStage(step, ref) for step, ref in zip(chosen, refs, strict=True))
    return _several(stages, Message("A history is of several checkpoints; {0} was given.", len(refs)))


def _several(stages: list[TrainingStage], message: Message) -> tuple[TrainingStage, ...]:
    if len(stages) < _LEAST:
        raise FileError(message, Message("Choose a folder with two or more of them."))
    return tuple(stages)


def training_history(
    stages: Sequence[TrainingStage],
    path: str | Path,
    progress: Callable[[float], None] = lambda share: None,
    check: Check = lambda: None,
    reading: TextReading = PROSE,
) -> TrainingHistory:
    """Return the mean of every measure of every head over the texts of a file, at each checkpoint.

    Each checkpoint is measured by a process of its own, whose table is kept beside the file: what is newer
    than the checkpoint and the file is not measured again. `check` is called several times a second and may
    raise. Raises FileError where the checkpoints have not the same layers and heads, and what `measure_file`
    raises.
    """
    path, summaries = Path(path), list[CorpusSummary]()
    for at, stage in enumerate(stages):

        def advance(share: float, at: int = at) -> None:
            progress((at + share) / len(stages))

        table = _earlier_table(stage, path, reading) or measure_file(path, stage.ref, advance, check, reading)
        summaries.append(summarise(CorpusTable(table), check))
        if summaries[-1].means.shape != summaries[0].means.shape:
            names = Path(stage.ref).name, Path(stages[0].ref).name
            message = Message("{0} has not as many layers and heads as {1}.", *names)
            raise FileError(message, Message("Choose the checkpoints of one training."))
        progress((at + 1) / len(stages))
    values = np.stack([summary.means for summary in summaries]).astype(np.float32)
    _, _, n_layers, n_heads = values.shape
    axes = (
        Axis("checkpoint", tuple(str(stage.step) for stage in stages)),
        Axis("measure", summaries[0].measures),
        counted("layer", n_layers),
        counted("head", n_heads),
    )
    facts: dict[str, str | int | float] = {"texts": summaries[0].n_sentences, "file": path.name}
    return TrainingHistory(
        {"values": values}, {"values": axes}, facts, stages=tuple(stages), measures=summaries[0].measures
    )


def save_history(history: TrainingHistory, path: str | Path) -> None:
    """Write a history to a file: .csv and .json a row for each step and head, .npz the array with its labels.

    Raises FileError for another ending, or where the file cannot be written.
    """
    facts: dict[str, object] = {
        "program": f"bertviz-app {__version__}",
        "checkpoints": {str(stage.step): stage.ref for stage in history.stages},
        **history.facts,
    }
    arrays: dict[str, NDArray[Any]] = {**history.arrays(), "facts": np.array(json.dumps(facts))}
    arrays |= {f"labels_{axis.name}": np.array(axis.labels) for axis in history.axes}
    arrays["axes"] = np.array([axis.name for axis in history.axes])
    writers = {
        ".npz": lambda beside: write_npz(arrays, beside),
        ".csv": lambda beside: write_table_csv(history.as_table(), beside),
        ".json": lambda beside: write_table_json(history.as_table(), beside, facts),
    }
    write_file(path, writers)


def _earlier_table(stage: TrainingStage, path: Path, reading: TextReading) -> Path | None:
    """Return the table that an earlier run has made of a checkpoint's folder, if both files are as they were.

    The times tell of a file that was written or put there since, and the fingerprint of a folder that has
    taken the place of another, whose files may be older.
    """
    folder = Path(stage.ref)
    table = table_name(path, folder.name)
    about = about_table(table)
    if about.ref != stage.ref or about.reading != reading or not table.is_file() or not folder.is_dir():
        return None
    made = table.stat().st_mtime
    times = [file.stat() for file in (path, *folder.iterdir()) if file.is_file()]
    if any(max(time.st_mtime, time.st_ctime) > made for time in times):
        return None
    if set(CorpusTable(table).measures) != set(KEYS):
        return None
    return table if open_alone(stage.ref).checkpoint.facts.fingerprint == about.fingerprint else None
