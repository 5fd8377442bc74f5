"""The rooms of the program and what they bring to layers below: the one module that imports by a name."""

from __future__ import annotations

import os
from importlib import import_module
from importlib.util import find_spec
from typing import Any

_ROOMS = "bertviz_app.features"
_SAFE = "BERTVIZ_APP_SAFE"


def leave_out_rooms() -> None:
    """Use the core alone from now on, in this process and those that it starts."""
    os.environ[_SAFE] = "yes"


def rooms() -> tuple[Any, ...]:
    """Return the `Feature` of each room, in their order; none where all are left out, or absent."""
    if _SAFE in os.environ or find_spec(_ROOMS) is None:
        return ()
    found: tuple[Any, ...] = import_module(f"{_ROOMS}.listed").FEATURES
    return found


def brought(what: str) -> list[Any]:
    """Return what each room that brings it has in this field of its `Feature`."""
    return [found for room in rooms() if (found := getattr(room, what)) is not None]
