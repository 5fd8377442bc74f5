"""How training scripts wrap a state dict: in an outer table, and with prefixes before every name."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace

from torch import Tensor

from bertviz_app.checkpoint.families.family import Family
from bertviz_app.errors import CheckpointError, Message, shown

_TOKENS = "embeddings.token.weight"

WRAPPERS = ("state_dict", "model_state_dict", "model_state", "model", "net", "module", "weights")
"""The names that scripts give the state dict in a file; the first one that the file has is used."""
PREFIXES = ("module.", "model.", "_orig_mod.")
"""The prefixes of a model trained on several devices, of a part of another model, of a compiled model."""


def unwrapped(found: Mapping[object, object]) -> Mapping[object, object]:
    """Return the table of weights: `found` itself, or its entry under one of WRAPPERS.

    The other entries are the state of the optimiser, the epoch and so on. Weights under another name are
    found if there is only one table of tensors.
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


def common_prefixes(names: Collection[str]) -> Iterator[str]:
    """Yield "" and then each prefix that all `names` share, up to a dot and the shortest first."""
    first, prefix = next(iter(names), ""), ""
    while all(name.startswith(prefix) for name in names):
        yield prefix
        end = first.find(".", len(prefix))
        if end < 0:
            return
        prefix = first[: end + 1]


def with_outer(family: Family, names: Collection[str]) -> Family:
    """Return `family` with the prefix `outer` of the encoder's names in a file with these `names`.

    It is what comes before the name of the table of token embeddings.
    Raises CheckpointError for a file with several encoders.
    """
    if family.outer or any(family.rename(family.strip(name)) == _TOKENS for name in names):
        return family
    found = {prefix for name in names if (prefix := _before(family, name)) is not None}
    if len(found) > 1 and "" not in found:
        listed = ", ".join(shown(prefix) for prefix in sorted(found))
        message = Message("The file holds several encoders, whose names begin with {0}.", listed)
        raise CheckpointError(message, Message("Save the state dict of one of them."))
    return family if not found or "" in found else replace(family, outer=found.pop())


def _before(family: Family, name: str) -> str | None:
    """Return what comes before the name of the table of token embeddings; None for other tensors."""
    start = 0
    while start >= 0:
        if family.rename(family.strip(name[start:])) == _TOKENS:
            return name[:start]
        start = name.find(".", start) + 1 or -1
    return None
