"""Reading the JSON files of a checkpoint, which may be damaged or far too large. Loads no torch."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from bertviz_app.checkpoint.other_formats import refuse_pointer, unreadable
from bertviz_app.errors import CheckpointError, Message

MAX_BYTES = 16 << 20
_AGAIN = Message("Fetch the file again; it comes with the checkpoint.")


def read_object(path: Path) -> Mapping[str, object]:
    """Return the JSON object in the file at `path`. Raises CheckpointError if there is none."""
    value = _read_json(path)
    if not isinstance(value, dict):
        raise CheckpointError(Message("{0} holds no JSON object.", path.name), _AGAIN)
    return value


def read_settings(path: Path) -> Mapping[str, object]:
    """Return the settings in the config.json at `path`; none where there is only a file of weights."""
    return read_object(path) if path.exists() else {}


def read_list(path: Path) -> Sequence[object]:
    """Return the JSON list in the file at `path`. Raises CheckpointError if there is none."""
    value = _read_json(path)
    if not isinstance(value, list):
        raise CheckpointError(Message("{0} holds no JSON list.", path.name), _AGAIN)
    return value


def _read_json(path: Path) -> object:
    try:
        refuse_pointer(path)
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
        if len(content) > MAX_BYTES:
            raise CheckpointError(Message("{0} is far too large for what it should be.", path.name), _AGAIN)
        value: object = json.loads(content)
    except OSError as error:
        raise unreadable(path, error) from error
    except (ValueError, RecursionError) as error:  # not UTF-8, not JSON, a number too long, nested too deep
        raise CheckpointError(Message("{0} is not valid JSON.", path.name), _AGAIN) from error
    return value
