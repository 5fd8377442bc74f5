"""The rooms of the program and what they bring to layers below: the one module that imports by a name."""

from __future__ import annotations

import os
from importlib import import_module
from importlib.util import find_spec
from pkgutil import walk_packages
from types import ModuleType
from typing import Any, TypeVar

T = TypeVar("T")

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


def found_in(package: ModuleType, kind: type[T]) -> list[T]:
    """Return the objects of a class in the modules of a package, in the order of the modules' names.

    A module whose name begins with an underscore is left to those that import it, when they do.
    """
    names = [info.name for info in walk_packages(package.__path__, f"{package.__name__}.")]
    modules = [import_module(name) for name in names if not name.rpartition(".")[2].startswith("_")]
    return [value for module in modules for value in vars(module).values() if isinstance(value, kind)]


def _listed() -> Any:
    is_there = _SAFE not in os.environ and find_spec(_ROOMS) is not None
    return import_module(f"{_ROOMS}.listed") if is_there else None
