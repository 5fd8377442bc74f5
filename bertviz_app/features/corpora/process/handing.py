"""Serialising a result to pass it between processes of this program: arrays, and JSON for the rest.

Only what results are made of can be handed over: objects of this program's own classes, which are told by
their names, and never run anything when they are read.
"""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertviz_app.analysis.results import Result

_ROOT = "bertviz_app."
_TREE = "tree"


def as_bytes(result: Result) -> bytes:
    """Return a result as an NPZ file. Raises TypeError for one that has anything but data."""
    arrays: list[NDArray[Any]] = []
    tree = json.dumps(_written(result, arrays))
    content = io.BytesIO()
    named: dict[str, Any] = {str(at): array for at, array in enumerate(arrays)} | {_TREE: np.array(tree)}
    np.savez(content, **named)
    return content.getvalue()


def from_bytes(content: bytes) -> Result:
    """Return the result that `as_bytes` has written; its classes are imported by then."""
    with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
        found = _read(json.loads(str(arrays[_TREE])), arrays)
    assert isinstance(found, Result)
    return found


def _written(value: object, arrays: list[NDArray[Any]]) -> object:
    """Return JSON for a value: a plain one as it is, anything else as {"kind": [...]}."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.generic):
        return _written(value.item(), arrays)
    if isinstance(value, np.ndarray):
        arrays.append(value)
        return {"array": len(arrays) - 1}
    if isinstance(value, tuple | list):
        parts = [_written(one, arrays) for one in value]
        kind = type(value)
        name = kind.__name__ if kind in (tuple, list) else _name_of(kind)
        return {"items": [name, parts]}
    if isinstance(value, Mapping):
        return {"mapping": [[_written(part, arrays) for part in pair] for pair in value.items()]}
    return {"object": [_name_of(type(value)), _written(dict(vars(value)), arrays)]}


def _name_of(kind: type) -> str:
    """Return the name of a class of this program. Raises TypeError for another one."""
    if not kind.__module__.startswith(_ROOT):
        raise TypeError(f"{kind.__qualname__} cannot be handed over")
    return f"{kind.__module__}:{kind.__qualname__}"


def _class_of(name: str) -> Any:
    module, _, path = name.partition(":")
    if not module.startswith(_ROOT):
        raise TypeError(f"{name} is no class of this program")
    return getattr(sys.modules[module], path)


def _read(tree: Any, arrays: Mapping[str, NDArray[Any]]) -> Any:
    if isinstance(tree, dict):
        ((kind, content),) = tree.items()
        match kind:
            case "array":
                found = arrays[str(content)]
                found.flags.writeable = False
                return found
            case "items":
                name, parts = content
                values = [_read(one, arrays) for one in parts]
                if name == "list":
                    return values
                return tuple(values) if name == "tuple" else _class_of(name)(*values)
            case "mapping":
                return {_read(key, arrays): _read(value, arrays) for key, value in content}
        name, attributes = content
        made = object.__new__(_class_of(name))
        vars(made).update(_read(attributes, arrays))
        return made
    return tree
