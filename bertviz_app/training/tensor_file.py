"""Tensors in one file, in the format safetensors."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from safetensors import SafetensorError
from safetensors.torch import save_file
from torch import Tensor

from bertviz_app.paths import replacing

_REASON = re.compile(r"I/O error: (.+?) \(os error")


def write_tensors(path: Path, tensors: Mapping[str, Tensor], metadata: Mapping[str, str]) -> None:
    """Write `tensors` to `path`, in a folder that need not be there. Raises FileError.

    A kill at any moment leaves the old file or the new one.
    """
    with replacing(path) as beside:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            save_file(dict(tensors), beside, dict(metadata))
        except SafetensorError as error:  # also for a full disk
            reason = _REASON.search(str(error))
            raise OSError(reason[1] if reason else str(error)) from error
