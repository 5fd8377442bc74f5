"""`list_parameters`: from the modules of an open checkpoint to the table of their parameters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from torch import Tensor, nn

from bertviz_app.checkpoint.loader import Checkpoint
from bertviz_app.checkpoint.parameters import Group, ParameterTable, StoredParameter
from bertviz_app.checkpoint.weights.names import PREFIX

SENTENCE = "sentence."
"""What the keys of the parameters after the pooling of sentence-transformers begin with."""
_LAYERS = "layers."
_GROUPS: dict[str, Group] = {
    PREFIX: "task_heads",
    SENTENCE: "sentence",
    "embeddings.": "embeddings",
    "pooler.": "pooler",
}
"""By what the key of a parameter outside of the layers begins with; all others are on "top"."""


def list_parameters(checkpoint: Checkpoint) -> ParameterTable:
    """Return all parameters: embeddings, layer by layer, and what follows; what is shared is listed once."""
    names = checkpoint.names
    tied: dict[int, str] = {}  # the first key of each tensor, by the address of its numbers
    for key, tensor in _named(checkpoint):
        tied.setdefault(tensor.data_ptr(), key)
    in_file = Counter(names.values())
    numbers: Counter[str] = Counter()
    found = []
    users = checkpoint.encoder.config.stored_layers or tuple(range(checkpoint.encoder.config.n_layers))
    for key, tensor in tensors_of(checkpoint).items():
        name = names.get(key, "")
        numbers[name] += 1
        first = tied[tensor.data_ptr()]
        is_weight = key.endswith(".weight") and ".position_query." not in key and ".position_key." not in key
        stored = int(key.split(".")[1]) if key.startswith(_LAYERS) else None
        found.append(
            StoredParameter(
                key=key,
                name=name,
                shape=tuple(tensor.shape),
                group=_group(key),
                layers=tuple(layer for layer, uses in enumerate(users) if uses == stored),
                part=(numbers[name], in_file[name]) if name and in_file[name] > 1 else (1, 1),
                tied_to="" if first == key else first,
                is_adapted=key in checkpoint.adapted,
                is_linear=is_weight and isinstance(module_of(checkpoint, key), nn.Linear),
            )
        )
    return ParameterTable(sorted(found, key=_order))


def tensors_of(checkpoint: Checkpoint) -> dict[str, Tensor]:
    """Return the tensors of encoder, task heads and sentence vector by their keys, without gradients."""
    return {key: tensor.detach() for key, tensor in _named(checkpoint)}


def module_of(checkpoint: Checkpoint, key: str) -> nn.Module:
    """Return the module that has the parameter with this key."""
    if key.startswith(PREFIX):
        return checkpoint.task_heads.get_submodule(key.removeprefix(PREFIX).rpartition(".")[0])
    if key.startswith(SENTENCE) and checkpoint.sentence is not None:
        return checkpoint.sentence.get_submodule(key.removeprefix(SENTENCE).rpartition(".")[0])
    return checkpoint.encoder.get_submodule(key.rpartition(".")[0])


def _named(checkpoint: Checkpoint) -> Iterator[tuple[str, Tensor]]:
    # Of all names of one tensor, such as a tied decoder's: each is listed.
    yield from checkpoint.encoder.named_parameters(remove_duplicate=False)
    for name, tensor in checkpoint.task_heads.named_parameters(remove_duplicate=False):
        yield PREFIX + name, tensor
    if checkpoint.sentence is not None:
        for name, tensor in checkpoint.sentence.named_parameters(remove_duplicate=False):
            yield SENTENCE + name, tensor


def _group(key: str) -> Group:
    if key.startswith(_LAYERS):
        part = key.split(".")[2]
        return "norms" if part.endswith("norm") else "attention" if part == "attention" else "feed_forward"
    return next((group for start, group in _GROUPS.items() if key.startswith(start)), "top")


def _order(entry: StoredParameter) -> tuple[int, int, int]:
    """Return the place of a parameter: groups of a layer together, layers in order."""
    groups: tuple[Group, ...] = ("attention", "feed_forward", "norms")
    if entry.group in groups:
        return 1, entry.layers[0], groups.index(entry.group)
    last: tuple[Group, ...] = ("embeddings", "top", "pooler", "task_heads", "sentence")
    return (2 if last.index(entry.group) else 0), last.index(entry.group), 0
