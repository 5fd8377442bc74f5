"""Dense layers in groups, which files keep without the zeros between these: compared, then written out."""

from __future__ import annotations

from collections.abc import Mapping

from torch import Tensor

from bertviz_app.checkpoint.families.family import Family, Grouped


def grouping(family: Family, name: str) -> Grouped | None:
    """Return the groups of our parameter `name`, None for one that has none."""
    if not name.endswith(".weight"):
        return None
    return next((kind for kind in family.grouped if kind.pattern.search(name)), None)


def as_in_file(family: Family, parameters: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return the `parameters` of an encoder without numbers, those in groups as in files [out, in / G]."""
    found = dict(parameters)
    for name, parameter in parameters.items():
        kind = grouping(family, name)
        if kind is not None:
            n_outputs, n_inputs = parameter.shape
            found[name] = parameter.new_empty(n_outputs, n_inputs // kind.n_groups)
    return found


def rows_of_groups(kind: Grouped, tensor: Tensor) -> Tensor:
    """Return [out, in / G] for a tensor as a file has it, see `Grouped`."""
    if tensor.dim() != 3:
        return tensor
    if kind.is_by_group:
        return tensor.transpose(1, 2).flatten(0, 1)
    return tensor.squeeze(-1)


def written_out(family: Family, numbers: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return `numbers`, those of layers in groups as whole matrices [out, in] with zeros between these."""
    found = dict(numbers)
    for name, weight in numbers.items():
        kind = grouping(family, name)
        if kind is not None and kind.n_groups > 1:
            found[name] = _whole(weight, kind.n_groups)
    return found


def _whole(weight: Tensor, n_groups: int) -> Tensor:
    """Return [out, in] for [out, in / G]."""
    n_outputs, n_inputs = len(weight) // n_groups, weight.shape[1]
    whole = weight.new_zeros(len(weight), n_groups * n_inputs)
    for group, rows in enumerate(weight.chunk(n_groups)):
        first, column = group * n_outputs, group * n_inputs
        whole[first : first + n_outputs, column : column + n_inputs] = rows
    return whole
