"""From tokens to the tensors that the encoder reads: validated, and padded to one length."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from bertviz_app.encoder.config import EncoderConfig
from bertviz_app.errors import CheckpointError, Message
from bertviz_app.text import Tokens


class EncoderInputs(NamedTuple):
    """B inputs of up to T tokens; `seen` is False for padding, None where all inputs have T tokens."""

    ids: Tensor  # int64 [B, T]
    segment_ids: Tensor  # int64 [B, T]
    position_ids: Tensor  # int64 [B, T]
    seen: Tensor | None  # bool [B, T]


def encoder_inputs(config: EncoderConfig, inputs: Sequence[Tokens], device: torch.device) -> EncoderInputs:
    """Return `inputs` as one batch on `device`; shorter ones repeat their last token as padding.

    Raises CheckpointError when the tokens have ids that the model has no embedding for.
    """
    for tokens in inputs:
        _validate_ids(config, tokens)
    lengths = [len(tokens) for tokens in inputs]
    longest = max(lengths)
    indices = np.minimum(np.arange(longest), np.array(lengths)[:, None] - 1)  # [B, T]
    names = ("ids", "segment_ids", "position_ids")
    rows = [
        [getattr(tokens, name)[index] for tokens, index in zip(inputs, indices, strict=True)]
        for name in names
    ]
    ids, segment_ids, position_ids = torch.from_numpy(np.array(rows, np.int64)).to(device)  # each [B, T]
    seen = None
    if min(lengths) < longest:
        seen = torch.from_numpy(np.arange(longest) < np.array(lengths)[:, None]).to(device)
    return EncoderInputs(ids, segment_ids, position_ids, seen)


def _validate_ids(config: EncoderConfig, tokens: Tokens) -> None:
    for name, ids, count in (
        ("token", tokens.ids, config.vocabulary_size),
        ("segment", tokens.segment_ids, max(1, config.n_segments)),  # without segments all have the id 0
        ("position", tokens.position_ids, config.n_positions),
    ):
        wrong = ids[(ids < 0) | (ids >= count)]
        if len(wrong):
            message = _no_such_id(name, int(wrong[0]), count - 1)
            hint = Message("Its tokenizer and its weights do not belong together.")
            raise CheckpointError(message, hint)


def _no_such_id(name: str, number: int, last: int) -> Message:
    if name == "token":
        return Message("The token id {0} does not exist: this model has token ids 0 to {1}.", number, last)
    if name == "segment":
        return Message(
            "The segment id {0} does not exist: this model has segment ids 0 to {1}.", number, last
        )
    return Message("The position id {0} does not exist: this model has position ids 0 to {1}.", number, last)
