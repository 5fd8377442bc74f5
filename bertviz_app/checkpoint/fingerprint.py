"""`fingerprint`: a hash of a checkpoint's configuration and weights, whatever its name and its folder."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import MISSING, fields, is_dataclass

import numpy as np
from torch import Tensor, nn

from bertviz_app.encoder.encoder import Encoder
from bertviz_app.encoder.output import SentenceVector, TaskHeads

_ROWS = 2
"""How many rows of each tensor are hashed as they are, evenly spaced."""


def fingerprint(encoder: Encoder, heads: TaskHeads, sentence: SentenceVector | None = None) -> str:
    """Return a hexadecimal SHA-256 of the configuration and of the weights, for modules on the CPU.

    Hashed are the exclusive or of all numbers of a tensor, which changes with any one number, and its first
    and last row as they are. Hashing all bytes would take ten times as long. Two rows between these that
    change places are not noticed. Checkpoints with the same float32 numbers have the same fingerprint,
    whatever their file format.
    """
    digest = hashlib.sha256(json.dumps(_changed(encoder.config), sort_keys=True).encode())
    modules: list[nn.Module] = [encoder, heads]
    if sentence is not None:
        digest.update(repr(sentence.config).encode())
        modules.append(sentence)
    for module in modules:
        for name, tensor in sorted(module.state_dict().items()):
            digest.update(f"{name} {list(tensor.shape)}".encode())
            for part in _parts(tensor):
                digest.update(part)
    return digest.hexdigest()


def _changed(config: object) -> dict[str, object]:
    """Return the fields of a dataclass that are not at their defaults.

    So a field that a later version adds, with a default, changes no fingerprint.
    """
    assert is_dataclass(config)
    found: dict[str, object] = {}
    for one in fields(config):
        value = getattr(config, one.name)
        if one.default is MISSING or value != one.default:
            found[one.name] = _changed(value) if is_dataclass(value) else value
    return found


def _parts(tensor: Tensor) -> Iterator[bytes]:
    """Yield the bytes of a tensor that are hashed."""
    numbers = tensor.detach().numpy().ravel()
    words = numbers[: len(numbers) // 2 * 2].view(np.uint64)  # two numbers at a time
    yield np.bitwise_xor.reduce(words).tobytes()
    yield numbers[-1:].tobytes()  # of an odd count the last is in no word
    rows = numbers.reshape(-1, tensor.shape[-1]) if tensor.ndim > 1 else numbers[None]
    yield rows[np.linspace(0, len(rows) - 1, min(len(rows), _ROWS)).astype(np.intp)].tobytes()
