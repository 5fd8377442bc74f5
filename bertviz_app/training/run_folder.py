"""The files of a training within the folder of its model. Loads no torch."""

from __future__ import annotations

from pathlib import Path

from bertviz_app.errors import Message
from bertviz_app.paths import examining
from bertviz_app.training.settings import TrainingError

WORK = "run"
"""The folder within the model's folder that only the training needs."""
STATE = "state.safetensors"
"""Within WORK: what a resumed run starts from."""
SNAPSHOTS = "snapshots"
"""Models saved on the way, one folder per snapshot."""


def check_folder(out: Path, *, is_resumed: bool) -> None:
    """Raise TrainingError if there is no run in `out` to resume, or one that a new run would overwrite.

    Raises FileError where that cannot be found out.
    """
    with examining(out, Message("Choose another folder.")):
        is_there = (out / WORK / STATE).exists()
    if is_resumed and not is_there:
        raise TrainingError(
            Message("There is no run in {0} to go on with.", out), Message("Leave out --resume to start one.")
        )
    if not is_resumed and is_there:
        raise TrainingError(
            Message("There is a run in {0} already.", out),
            Message("Go on with it by --resume, or give another folder."),
        )
