"""How many parameters files of weights hold, by their headers alone: no number is read. Loads no torch."""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Iterable
from pathlib import Path

from bertviz_app.checkpoint.file_kind import kind_of

_LONGEST_HEADER = 100_000_000  # the limit of the safetensors library
_PARAMETERS = ("F", "BF")  # what the names of the floating-point types begin with: others are indices


def n_parameters(files: Iterable[Path]) -> int:
    """Return the count over all files, 0 if one of them is no sound safetensors file."""
    counts = [_count(path) for path in files]
    return 0 if 0 in counts else sum(counts)


def _count(path: Path) -> int:
    try:
        with path.open("rb") as file:
            (length,) = struct.unpack("<Q", file.read(8))
            if kind_of(path) != "safetensors" or length > _LONGEST_HEADER:
                return 0
            header = json.loads(file.read(length))
        return sum(
            math.prod(tensor["shape"])
            for name, tensor in header.items()
            if name != "__metadata__" and tensor["dtype"].startswith(_PARAMETERS)
        )
    except (OSError, struct.error, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return 0
