"""`training_history`: the heads of the checkpoints of a training, from Python."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from os import PathLike, fspath

from bertviz_app.analysis.parameters import SILENT
from bertviz_app.errors import ArgumentError, Check, Message
from bertviz_app.features.corpora.process.history import TrainingHistory, stages_named, stages_of
from bertviz_app.features.corpora.process.history import training_history as history_of
from bertviz_app.features.corpora.process.measuring import PROSE, TextReading

FilePath = str | PathLike[str]


def training_history(
    checkpoints: FilePath | Iterable[FilePath],
    file: FilePath,
    *,
    reading: TextReading | None = None,
    progress: Callable[[float], None] | None = None,
    check: Check | None = None,
) -> TrainingHistory:
    """Return what every head does at each checkpoint of a training: the mean of each measure over a file.

    Each checkpoint is measured by a process of its own; its table is kept beside the file, and what is newer
    than the checkpoint and the file is not measured again.

    Parameters
    ----------
    checkpoints : path, or iterable of what opens checkpoints
        The folder of a training with checkpoint-N in it, or several: folders, OWNER/NAME@REVISION. The
        snapshots of a training of this program, too; `["owner/name@step-1000", "owner/name@step-2000"]`.
    file : path
        Text, a sentence a line. A table needs `reading`.
    reading : TextReading, optional
        How the file is read.
    progress, check : callable, optional
        `progress` is called with the share that is done; `check` several times a second, and may raise.

    Returns
    -------
    TrainingHistory
        "values" [checkpoints, measures, layers, heads]; `formed("previous")` has the heads by how much the
        measure changes, `as_table()` a row for each step and head.

    Raises
    ------
    FileError
        For fewer than two checkpoints, those of different sizes, or a file that cannot be read.
    """
    if isinstance(checkpoints, str | PathLike):
        stages = stages_of(fspath(checkpoints))
    elif isinstance(checkpoints, Iterable):
        stages = stages_named([fspath(one) for one in checkpoints])
    else:
        message = Message("Checkpoints are a folder, or a list of them.")
        raise ArgumentError(message, Message("Call {0}.", 'training_history("run", "texts.txt")'))
    silent = SILENT.progress, SILENT.check
    return history_of(stages, fspath(file), progress or silent[0], check or silent[1], reading or PROSE)
