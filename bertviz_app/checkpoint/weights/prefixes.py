"""What training scripts wrap around a state dict: an outer table, and prefixes on every name."""

from __future__ import annotations

from collections.abc import Mapping

from torch import Tensor

WRAPPERS = ("state_dict", "model_state_dict", "model_state", "model", "net", "module", "weights")
"""What scripts call the state dict in the file that they go on from; the first that is there counts."""
PREFIXES = ("module.", "model.", "_orig_mod.")
"""Of a model trained on several devices, of one that is part of another, of a compiled one."""


def unwrapped(found: Mapping[object, object]) -> Mapping[object, object]:
    """Return the table of weights: `found` itself, or its entry under one of WRAPPERS.

    Beside them a training script keeps the optimizer's state, the epoch and the like; under another name
    they are found if there is no second table of tensors.
    """
    tables = {name: value for name, value in found.items() if isinstance(value, Mapping) and _is_named(value)}
    for name in WRAPPERS:
        if name in tables:
            return tables[name]
    has_own = any(isinstance(value, Tensor) and value.dim() for value in found.values())
    return next(iter(tables.values())) if len(tables) == 1 and not has_own else found


def _is_named(table: Mapping[object, object]) -> bool:
    """Return whether all keys of `table` are names and all its values tensors."""
    names = [name for name, value in table.items() if isinstance(value, Tensor)]
    return bool(names) and all(isinstance(name, str) for name in names)


def without_prefixes(tensors: Mapping[str, Tensor]) -> Mapping[str, Tensor]:
    """Return `tensors` without the PREFIXES that all their names share."""
    found = tensors
    while prefix := next((prefix for prefix in PREFIXES if _all_have(found, prefix)), None):
        found = {name.removeprefix(prefix): tensor for name, tensor in found.items()}
    return found


def _all_have(tensors: Mapping[str, Tensor], prefix: str) -> bool:
    return bool(tensors) and all(name.startswith(prefix) for name in tensors)
