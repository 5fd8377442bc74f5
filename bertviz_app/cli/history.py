"""`bertviz-app history`: the heads of every checkpoint of a training, on the same texts."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from bertviz_app.analysis.measures import MeasureKey
from bertviz_app.cli.reading import file, finish
from bertviz_app.cli.signatures import Called
from bertviz_app.cli.terminal import print_text, resumable, show_progress, table

if TYPE_CHECKING:
    from bertviz_app.features.corpora.process.history import TrainingHistory


def history(
    measured: Annotated[
        partial[TrainingHistory], Called("training_history", {"file": "--texts", "reading": ""})
    ],
    measure: MeasureKey = "previous",
    out: Annotated[Path | None, file(".csv", ".json", ".npz")] = None,
) -> int:
    """Measure the heads of every checkpoint of a training.

    Parameters
    ----------
    checkpoints : CHECKPOINT
    measure
        The measure by which the heads that change most are listed.
    out
        Write all numbers to FILE.
    """
    from bertviz_app.features.corpora.process.history import save_history

    named = measured.keywords["checkpoints"]
    checkpoints = named[0] if len(named) == 1 else named
    with resumable():
        found = measured(checkpoints=checkpoints, progress=lambda share: show_progress(f"{share:.0%}"))
    rows = [
        (f"{one.head[0]}.{one.head[1]}", f"{one.first:.4f}", f"{one.last:.4f}", f"{one.step:,}")
        for one in found.formed(measure)[:20]
    ]
    print_text(f"{measure}, steps {found.stages[0].step:,} to {found.stages[-1].step:,}:")
    print_text(table(("head", "first", "last", "half by step"), rows, right=(1, 2, 3)))
    return finish(out, lambda path: save_history(found, path))
