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
    """Return the `Feature` of each room of a window, in order; none where all are left out, or absent."""
    listed = _listed()
    return () if listed is None else listed.FEATURES


def brought(what: str) -> list[Any]:
    """Return what each room that brings it has in this field of its `Feature`."""
    listed = _listed()
    found = () if listed is None else listed.all_features()
    return [getattr(room, what) for room in found if getattr(room, what) is not None]


def _listed() -> Any:
    is_there = _SAFE not in os.environ and find_spec(_ROOMS) is not None
    return import_module(f"{_ROOMS}.listed") if is_there else None
