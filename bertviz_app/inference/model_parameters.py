"""`ModelParameters`: the parameters of an opened checkpoint, their numbers, and products with them."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator

import numpy as np
import torch
from torch import Tensor, nn

from bertviz_app.checkpoint.loader import Checkpoint
from bertviz_app.checkpoint.parameters import Group, LinearProduct, ParameterTable, StoredParameter
from bertviz_app.checkpoint.weights.names import PREFIX
from bertviz_app.encoder.dense import Intervene
from bertviz_app.encoder.encoder import encoder_inputs
from bertviz_app.encoder.recorder import references_of
from bertviz_app.errors import Message, SelectionError
from bertviz_app.trace import Trace
from bertviz_app.trace.indexing import validate_token
from bertviz_app.types import Floats

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


class ModelParameters:
    """What the parameters of one checkpoint are; products are computed on the CPU."""

    def __init__(self, checkpoint: Checkpoint) -> None:
        self._checkpoint = checkpoint
        self.table = list_parameters(checkpoint)

    def values(self, name: str) -> Floats:
        """Return the numbers of a parameter, read-only, sharing the memory of the model.

        Raises SelectionError for a name that there is not.
        """
        array: Floats = tensors_of(self._checkpoint)[self.table.find(name).key].numpy().view()
        array.flags.writeable = False
        return array

    def row_name(self, name: str) -> Callable[[int], str] | None:
        """Return the function that names the rows of a table of pieces; None for other parameters."""
        if self.table.find(name).key not in ("embeddings.token.weight", f"{PREFIX}masked.decoder.weight"):
            return None
        return self._checkpoint.tokenizer.piece_of

    def product(
        self, trace: Trace, name: str, token: int, output: int, layer: int | None = None
    ) -> LinearProduct:
        """Return how one `output` of a linear map is computed for a `token` of `trace`.

        `layer`: which of the layers that share the matrix; None: the first. The forward pass of that layer
        runs again. Raises SelectionError for what is no linear map, and for what does not exist.
        """
        entry = self.table.find(name)
        if not entry.is_linear:
            message = Message("{0} is not the matrix of a linear map of tokens.", entry.name or entry.key)
            raise SelectionError(message, Message("Choose one such as the weights of the queries."))
        validate_token(token, trace.n_tokens)
        n_outputs = entry.shape[0]
        if not 0 <= output < n_outputs:
            message = Message("There is no output {0}: this matrix has 0 to {1}.", output, n_outputs - 1)
            raise SelectionError(message, Message("Outputs count from 0."))
        layer = self._layer(entry, layer)
        found = _read_module(
            module_of(self._checkpoint, entry.key), self._pass(entry.key, trace, token, layer)
        )
        if found is None:
            message = Message("Nothing of this text goes through {0}.", entry.name or entry.key)
            raise SelectionError(message, Message("Choose another matrix."))
        rows = (tensor.reshape(-1, tensor.shape[-1]).numpy() for tensor in found)  # [N, width]
        inputs, outputs = (array.astype(np.float32, copy=False) for array in rows)
        is_masked = entry.key.startswith(f"{PREFIX}masked.")  # it is given the chosen token alone
        is_of_text = not is_masked and (
            entry.key.startswith(("pooler.", SENTENCE)) or (entry.key.startswith(PREFIX) and len(inputs) == 1)
        )
        row = 0 if is_masked or is_of_text else token
        weights = self.values(entry.key)
        bias = tensors_of(self._checkpoint).get(entry.key.removesuffix("weight") + "bias")
        assert outputs.shape[1] == n_outputs
        return LinearProduct(
            key=entry.key,
            layer=layer,
            token=None if is_of_text else token,
            output=output,
            inputs=inputs[row].copy(),
            weights=weights[output],
            bias=None if bias is None else float(bias[output]),
            computed=float(outputs[row, output]),
        )

    def _layer(self, entry: StoredParameter, layer: int | None) -> int | None:
        if not entry.layers:
            return None
        if layer is None:
            return entry.layers[0]
        if layer not in entry.layers:
            message = Message("Layer {0} does not use {1}.", layer, entry.name or entry.key)
            listed = ", ".join(map(str, entry.layers))
            raise SelectionError(message, Message("It is used by the layers {0}.", listed))
        return layer

    def _pass(self, key: str, trace: Trace, token: int, layer: int | None) -> Callable[[], object]:
        """Return a function that computes the part of the forward pass that uses the parameter."""
        checkpoint, encoder = self._checkpoint, self._checkpoint.encoder
        batch = encoder_inputs(encoder.config, [trace.tokens], torch.device("cpu"))
        tap = Intervene(trace.edits, references_of(encoder, trace.edits, checkpoint.tokens))
        if layer is not None:
            given = _hidden(trace, layer)
            positions = encoder.positions(trace.n_tokens, batch.ids)[layer]
            return lambda: encoder.layer_output(layer, given, positions, tap=tap)
        if key.startswith("embeddings."):
            return lambda: encoder.embeddings(batch.ids, batch.segment_ids, batch.position_ids)
        last = _hidden(trace, -1)
        if key.startswith(PREFIX):
            positions_of_head = [token] if key.startswith(f"{PREFIX}masked.") else None
            return lambda: checkpoint.task_heads(last, encoder.pooled(last), positions_of_head)
        if key.startswith(SENTENCE) and checkpoint.sentence is not None:
            sentence = checkpoint.sentence
            n_prompt = checkpoint.n_prompt_tokens(trace.tokens, trace.edits)
            return lambda: sentence(last[0], n_prompt)
        return lambda: encoder.pooled(last)


def _hidden(trace: Trace, state: int) -> Tensor:
    """Return a hidden state as the encoder reads it [1, T, D]."""
    return torch.from_numpy(trace.hidden[state][None].copy())


def _read_module(module: nn.Module, run: Callable[[], object]) -> tuple[Tensor, Tensor] | None:
    """Return the input and the output of `module` in the first call of it within `run`; None without one.

    Calls on other threads do not count: the encoder may be encoding a text at the same time.
    """
    calls: list[tuple[Tensor, Tensor]] = []
    own_thread = threading.get_ident()

    def record(_: nn.Module, inputs: tuple[Tensor, ...], output: Tensor) -> None:
        if not calls and threading.get_ident() == own_thread:
            calls.append((inputs[0], output))

    hook = module.register_forward_hook(record)
    try:
        with torch.inference_mode():
            run()
    finally:
        hook.remove()
    return calls[0] if calls else None


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
