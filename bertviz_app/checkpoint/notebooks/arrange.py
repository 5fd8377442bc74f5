"""The tensors of a file as our parameters: heads joined, matrices turned, layers counted from 0."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

import torch
from torch import Tensor

from bertviz_app.checkpoint.notebooks.roles import Reading, is_bare, module_of, pattern_of
from bertviz_app.checkpoint.part_roles import HEAD, LAYER, OF_HEADS, ROLES
from bertviz_app.errors import CheckpointError, Message, shown

_PROJECTIONS = frozenset({"query", "key", "value"})
_DENSE = frozenset({*_PROJECTIONS, "qkv", "qkv_by_head", "output", "expand", "gate", "contract"})


@dataclass(frozen=True)
class TensorArrangement:
    """What each tensor of one file is: `by_name` has our names for those of the encoder.

    `joined` has the names of the tensors of all heads by the first; `kinds` the role of each tensor, and
    whether it is a weight or a bias. `heads` are the names of task heads' tensors, `head_names` our names for
    those with a role of their own, `unused` the names of all that is left out. `n_alike`: so many heads have
    the same matrix, which stands once in the file.
    """

    by_name: Mapping[str, str] = field(default_factory=dict)
    kinds: Mapping[str, str] = field(default_factory=dict)
    joined: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    heads: tuple[str, ...] = ()
    head_names: Mapping[str, str] = field(default_factory=dict)
    unused: tuple[str, ...] = ()
    transposed: frozenset[str] = frozenset()
    n_alike: int = 1

    def __call__(self, tensors: Mapping[str, Tensor]) -> Mapping[str, Tensor]:
        """Return the tensors, each the whole of one parameter or of several beside each other."""
        inner = {name for names in self.joined.values() for name in names[1:]}
        found: dict[str, Tensor] = {}
        for name in tensors:
            if name in inner:
                continue
            names = self.joined.get(name, (name,))
            part, is_turned = self.kinds.get(name, ""), name in self.transposed
            turned = [_turned(tensors[each], part, is_turned) for each in names]
            turned *= self.n_alike if part.partition(".")[0] in _PROJECTIONS else 1
            if len(turned) > len(names) and turned[0].dim() == 2:
                found[name] = torch.block_diag(*turned)  # type: ignore[no-untyped-call]
                continue
            found[name] = turned[0] if len(turned) == 1 else torch.cat(turned)
        return found


def _turned(tensor: Tensor, part: str, is_transposed: bool) -> Tensor:
    """Return a tensor in the order of `nn.Linear`: [out, in]; tables as [rows, D]."""
    role, _, kind = part.partition(".")
    if role in ("position", "token", "segment"):
        return _flat(tensor)
    if role not in _DENSE or kind == "bias":
        return tensor.flatten() if role in _DENSE else tensor
    if tensor.dim() == 3 and 1 not in tensor.shape:
        return _of_heads(tensor, role, is_transposed)
    matrix = _flat(tensor)
    return matrix.t() if is_transposed and matrix.dim() == 2 else matrix


def _of_heads(tensor: Tensor, role: str, is_transposed: bool) -> Tensor:
    """Return [out, in] of a tensor with a matrix for each head."""
    if role == "output":
        by_head = tensor if is_transposed else tensor.transpose(1, 2)  # [H, E, D]
        return by_head.flatten(0, 1).t()
    by_head = tensor.transpose(1, 2) if is_transposed else tensor  # [H, E, D]
    return by_head.flatten(0, 1)


def _flat(tensor: Tensor) -> Tensor:
    """Return a matrix without the dimension that it has more in the file: as a convolution [out, in, 1]."""
    if tensor.dim() != 3:
        return tensor
    side = next((side for side in (2, 0, 1) if tensor.shape[side] == 1), None)
    return tensor if side is None else tensor.select(side, 0)


def arrangement_of(
    tensors: Mapping[str, Tensor], reading: Reading, given: Mapping[str, str]
) -> TensorArrangement:
    """Return what each of `tensors` is by a reading's roles. Raises CheckpointError for two of a kind."""
    kinds: dict[str, str] = {}
    parts: dict[str, list[str]] = {}
    heads: list[str] = []
    head_names: dict[str, str] = {}
    unused: list[str] = []
    for name in tensors:
        pattern, _ = pattern_of(name, reading.prefix)
        module, kind = module_of(pattern)
        role = reading.roles.get(module, "")
        stated = given.get(pattern, "")
        if stated.endswith((".weight", ".bias")):
            kind = stated.rpartition(".")[2]
        if role in OF_HEADS:
            heads.append(name)
            if ROLES[role]:
                head_names[name] = f"{ROLES[role]}.{kind}"
        elif role == "unused":
            unused.append(name)
        elif role:
            ours = f"{ROLES[role]}.{kind}".replace(LAYER, _layer(name, reading))
            kinds[name] = f"{role}.{kind}"
            parts.setdefault(ours, []).append(name)
    for ours, names in parts.items():
        if len(names) > 1 and not all(HEAD in pattern_of(name, reading.prefix)[0] for name in names):
            listed = ", ".join(shown(name) for name in names[:3])
            message = Message("Several tensors have the same part, {0}: {1}.", shown(ours), listed)
            raise CheckpointError(message, Message("Give each part to one of them."))
        names.sort(key=lambda name: int(pattern_of(name, reading.prefix)[1] or 0))
    by_name = {names[0]: ours for ours, names in parts.items()}
    return TensorArrangement(
        by_name,
        kinds,
        {names[0]: tuple(names) for names in parts.values() if len(names) > 1},
        tuple(heads),
        head_names,
        tuple(unused),
        _transposed(kinds) if reading.is_transposed else frozenset(),
        reading.n_alike,
    )


def _transposed(kinds: Mapping[str, str]) -> frozenset[str]:
    """Return the names of the matrices that are [in, out]: the bare ones alone, if there are any."""
    dense = {name for name, part in kinds.items() if part.removesuffix(".weight") in _DENSE}
    bare = {name for name in dense if is_bare(name)}
    return frozenset(bare or dense)


def _layer(name: str, reading: Reading) -> str:
    """Return the number of the layer that a tensor is of, counted from 0."""
    found = re.match(r"\d+", name.removeprefix(reading.prefix))
    if found is None or LAYER not in pattern_of(name, reading.prefix)[0]:
        return "0"
    number = int(found[0])
    return str(reading.layers.index(number)) if number in reading.layers else found[0]
