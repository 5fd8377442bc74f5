"""Renaming the tensors of a file to our parameters, and splitting those that hold several."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import torch
from torch import Tensor

from bertviz_app.checkpoint.config.config import CheckpointConfig
from bertviz_app.checkpoint.families.family import Family
from bertviz_app.checkpoint.families.roformer import ROTARY_BASE
from bertviz_app.checkpoint.weights.grouped import grouping, rows_of_groups
from bertviz_app.checkpoint.weights.task_heads import PREFIX, head_name, with_one_name
from bertviz_app.encoder.positions import frequencies
from bertviz_app.errors import CheckpointError, Message, shown

OUTSIDE = "outside."
"""The prefix for tensors whose names do not begin with `Family.outer`: they are of unknown parts."""


def shapes(tensors: Mapping[str, Tensor], family: Family) -> dict[str, tuple[int, ...]]:
    """Return the shapes of a file's tensors, by our names."""
    ours = {family.rename(family.strip(name)): tensor for name, tensor in _arranged(tensors, family).items()}
    return {
        name: tuple(part.shape)
        for whole, tensor in ours.items()
        for name, part in _parts(family, whole, tensor)
    }


def renamed(
    tensors: Mapping[str, Tensor], config: CheckpointConfig
) -> tuple[dict[str, Tensor], dict[str, str]]:
    """Return the tensors by our names (unknown task heads by their own), and the file's names for them."""
    ours: dict[str, Tensor] = {}
    names: dict[str, str] = {}
    family = config.family
    for theirs, tensor in _arranged(tensors, family).items():
        if not theirs.startswith(family.outer) and not _is_own_head(family, theirs):
            ours[OUTSIDE + theirs], names[OUTSIDE + theirs] = tensor, theirs
            continue
        name = family.strip(theirs)
        if any(pattern.search(name) for pattern in family.ignored):
            continue
        if family.rotation_table is not None and family.rotation_table.search(name):
            _refuse_other_rotation(theirs, tensor, config.encoder.head_width)
            continue
        is_head = any(pattern.search(name) for pattern in family.task_heads)
        ours_of_head = head_name(family, name, task=config.task) if is_head else None
        name = (ours_of_head or PREFIX + name) if is_head else family.rename(name)
        for own, part in _parts(family, name, tensor, config.encoder.n_heads):
            if own in ours:  # such as a table that a file has under the names of both modules that use it
                if _is_equal(ours[own], part):
                    continue
                message = Message("Two tensors of the file stand for one parameter, {0}.", shown(own))
                raise CheckpointError(message, Message("Save the model again."))
            ours[own], names[own] = part, theirs
    return with_one_name(config, ours), with_one_name(config, names)


def _is_own_head(family: Family, name: str) -> bool:
    """Return whether `name`, outside of the encoder, is of a head whose dense layers the user spoke of."""
    return (head_name(family, name) or "").startswith(f"{PREFIX}dense.")


def _arranged(tensors: Mapping[str, Tensor], family: Family) -> Mapping[str, Tensor]:
    return tensors if family.arranged is None else family.arranged(tensors)


def _is_equal(one: Tensor, other: Tensor) -> bool:
    return one.shape == other.shape and one.dtype == other.dtype and torch.equal(one, other)


def _refuse_other_rotation(name: str, table: Tensor, head_width: int) -> None:
    """Raise CheckpointError unless `table` has the sines and cosines that the encoder computes."""
    if table.dim() == 2 and table.shape[1] == head_width and table.is_floating_point():
        positions = torch.arange(len(table), dtype=torch.float64)[:, None]
        base, device = ROTARY_BASE, torch.device("cpu")
        angles = positions * frequencies(head_width, base, device, torch.float64)  # [n, E / 2]
        computed = torch.cat((angles.sin(), angles.cos()), dim=1)  # [n, E]
        tolerance = max(4 * torch.finfo(table.dtype).eps, 1e-5)
        if torch.allclose(table.double(), computed, rtol=0.0, atol=tolerance):
            return
    message = Message(
        "The rotations in {0} are not those of base {1}, which are computed.", shown(name), int(ROTARY_BASE)
    )
    raise CheckpointError(message, Message("Use the checkpoint with its own code."))


def _parts(family: Family, name: str, tensor: Tensor, n_heads: int = 1) -> Iterator[tuple[str, Tensor]]:
    """Yield the parameters stored in `tensor`, by name. Raises CheckpointError if it cannot be split."""
    by_head = family.heads_in(name)
    names = by_head or family.parts(name)
    if len(names) == 1:
        yield name, _flat(family, name, tensor)
        return
    if tensor.ndim == 0 or tensor.shape[0] % (len(names) * (n_heads if by_head else 1)):
        message = Message(
            "The tensor {0} cannot be cut into {1}: it has shape {2}.",
            shown(name),
            len(names),
            list(tensor.shape),
        )
        raise CheckpointError(message, Message("The file is damaged; fetch it again."))
    if by_head:
        head_width = len(tensor) // (n_heads * len(names))  # -1 is open for a matrix without columns
        heads = tensor.reshape(n_heads, len(names), head_width, *tensor.shape[1:])  # [H, parts, E, D]
        yield from ((own, heads[:, number].flatten(0, 1)) for number, own in enumerate(names))
        return
    yield from zip(names, tensor.chunk(len(names)), strict=True)


def _flat(family: Family, name: str, tensor: Tensor) -> Tensor:
    """Return a matrix without the dimension that it has more in the file: as a convolution [out, in, 1]."""
    kind = grouping(family, name)
    if kind is not None:
        return rows_of_groups(kind, tensor)
    if not any(pattern.search(name) for pattern in family.flattened):
        return tensor
    if name.endswith(".bias"):
        return tensor.squeeze(-1) if tensor.dim() == 2 else tensor  # a bias [out, 1]
    if tensor.dim() != 3:
        return tensor
    side = next((side for side in (2, 0, 1) if tensor.shape[side] == 1), None)
    return tensor if side is None else tensor.select(side, 0)
