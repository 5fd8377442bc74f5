"""Checks of a safetensors header against the size of its file."""

from __future__ import annotations

import json
import math
from pathlib import Path

from bertviz_app.errors import CheckpointError, Message, shown

_LONGEST_HEADER = 4 << 20  # longer headers are not checked here
_LENGTH_BYTES = 8
_MOST_SIDES = 8
_AGAIN = Message("Fetch the file again; it may have been cut short.")


def false_claim(path: Path) -> CheckpointError | None:
    """Return the error if the header of the file at `path` declares more than the file can hold, else None.

    That is a header longer than the file, or a tensor of more numbers than the file has bits.
    """
    try:
        n_bytes = path.stat().st_size
        with path.open("rb") as file:
            length = int.from_bytes(file.read(_LENGTH_BYTES), "little")
            content = file.read(min(length, _LONGEST_HEADER))
    except OSError:
        return None
    if n_bytes >= _LENGTH_BYTES and length > n_bytes:
        message = Message(
            "{0} is damaged: it claims a header of {1} bytes, and has {2}.",
            path.name,
            f"{length:,}",
            f"{n_bytes:,}",
        )
        return CheckpointError(message, _AGAIN)
    counts = {name: _count(entry) for name, entry in _entries(content).items()}
    return next((_of_tensor(path, *item, n_bytes) for item in counts.items() if item[1] > 8 * n_bytes), None)


def _of_tensor(path: Path, name: str, count: int, n_bytes: int) -> CheckpointError:
    claim = Message("{0} numbers for {1}", f"{count:,}", shown(name))
    message = Message("{0} is damaged: it claims {1}, and has {2} bytes.", path.name, claim, f"{n_bytes:,}")
    return CheckpointError(message, _AGAIN)


def _entries(content: bytes) -> dict[str, object]:
    try:
        header = json.loads(content)
    except (ValueError, RecursionError):
        return {}
    return header if isinstance(header, dict) else {}


def _count(entry: object) -> int:
    """Return the declared number of elements of a tensor, 0 if it is not a number."""
    shape = entry.get("shape") if isinstance(entry, dict) else None
    sides = shape if isinstance(shape, list) and len(shape) <= _MOST_SIDES else []
    are_sizes = all(type(side) is int and 0 <= side < 1 << 64 for side in sides)
    return math.prod(sides) if sides and are_sizes else 0
