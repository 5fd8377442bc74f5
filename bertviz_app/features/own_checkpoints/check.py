"""A checkpoint opened with the parts that a user gives, compared with an output of the model's own code."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bertviz_app.checkpoint.questions import Answers
from bertviz_app.checkpoint.sources.source import Source
from bertviz_app.errors import AppError, Check, CheckpointError, Message
from bertviz_app.types import Floats
from bertviz_app.values import dataclass

if TYPE_CHECKING:
    from bertviz_app.checkpoint.loader import Checkpoint

USUAL_TEXT = "The cat ate the fish."
_AGAIN = Message("Save it with {0}, beside the ids: {1}.", "torch.save", '{"ids": ids, "output": model(ids)}')


@dataclass(frozen=True)
class OutputCase:
    """An output that a model's own code made: the file, and the text, the pair, or the ids that it is of.

    Ids in the file itself count where none are given. Without a file only a sentence is read.
    """

    path: Path | None = None
    text: str = USUAL_TEXT
    pair: str | None = None
    ids: tuple[int, ...] = ()
    segment_ids: tuple[int, ...] = ()


@dataclass(frozen=True)
class PartsCheck:
    """The result of a check: `error` where the model does not open, or its output cannot be compared.

    `n_tokens` of the text or ids that were read, whose numbers are finite. `largest` is the largest
    difference from the saved output, at the token `token`, counted from 0; None without one. `size` is the
    largest number of the saved output.
    """

    error: AppError | None = None
    n_tokens: int = 0
    largest: float | None = None
    token: int = 0
    size: float = 0.0


def check_parts(source: Source, answers: Answers, case: OutputCase, check: Check | None = None) -> PartsCheck:
    """Check the checkpoint at `source`, opened with `answers`, against the output of `case`.

    `check` may raise. Raises nothing of its own: an error of the user's files is in the result.
    """
    from bertviz_app.checkpoint.loader import open_checkpoint

    try:
        return compared(open_checkpoint(source, None, check, answers), case)
    except AppError as error:
        return PartsCheck(error)


def compared(checkpoint: Checkpoint, case: OutputCase) -> PartsCheck:
    """Return how far the last hidden states are from the saved output. Raises AppError."""
    saved, ids, segment_ids = (None, (), ()) if case.path is None else _read(case.path)
    ids, segment_ids = case.ids or ids, case.segment_ids or segment_ids
    import torch

    encoder, config = checkpoint.encoder, checkpoint.encoder.config
    if not ids:
        tokens = checkpoint.tokens(case.text, case.pair)
        ids = tuple(int(each) for each in tokens.ids)
        segment_ids = tuple(int(each) for each in tokens.segment_ids)
    segments = segment_ids or (config.first_segment,) * len(ids)
    _validate_ids(ids, config.vocabulary_size, "ids")
    _validate_ids(segments, max(1, config.n_segments), "segment_ids")
    if len(segments) != len(ids) or len(ids) > config.max_tokens:
        refused = Message("{0} ids with {1} segments cannot be read.", len(ids), len(segments))
        raise CheckpointError(refused, Message("It reads {0} tokens at most.", config.max_tokens))
    first = config.first_position
    with torch.inference_mode():
        output = encoder(
            torch.tensor([ids]), torch.tensor([segments]), torch.arange(first, first + len(ids))[None]
        )
    ours: Floats = output.hidden[0].numpy()
    if not np.isfinite(ours).all():
        message = Message("With these parts, numbers of the model are not finite.")
        raise CheckpointError(message, Message("Check the parts, the order of the norms and the epsilon."))
    if saved is None:
        return PartsCheck(n_tokens=len(ours))
    if saved.shape != ours.shape:
        message = Message(
            "The saved output has shape {0}, and the hidden states of this text have {1}.",
            list(saved.shape),
            list(ours.shape),
        )
        raise CheckpointError(message, Message("Give the ids that it was made of. {0}", _AGAIN))
    apart = np.abs(ours - saved)  # [T, D]
    token = int(apart.max(axis=1).argmax())
    return PartsCheck(None, len(ours), float(apart.max()), token, float(np.abs(saved).max()))


def _validate_ids(ids: tuple[int, ...], n_rows: int, name: str) -> None:
    wrong = next((number for number in ids if not 0 <= number < n_rows), None)
    if wrong is not None:
        message = Message("{0} has {1}, but there are 0 to {2}.", name, wrong, n_rows - 1)
        raise CheckpointError(message, Message("Give the ids that the output was made of."))


def _read(path: Path) -> tuple[Floats, tuple[int, ...], tuple[int, ...]]:
    """Return the output [T, D] in a file of torch's, and the ids and segment ids beside it, () for none."""
    import torch

    try:
        content = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:
        message = Message("{0} is no tensor that torch.save wrote, or would run code.", path.name)
        raise CheckpointError(message, _AGAIN) from error
    if isinstance(content, Mapping):
        output = content.get("output")
        ids, segment_ids = (_ids(content.get(name), name, path) for name in ("ids", "segment_ids"))
    else:
        output, ids, segment_ids = content, (), ()
    if not isinstance(output, torch.Tensor) or not output.is_floating_point():
        raise CheckpointError(Message("{0} holds no tensor of an output.", path.name), _AGAIN)
    while output.dim() > 2 and output.shape[0] == 1:
        output = output[0]
    if output.dim() != 2:
        message = Message("{0} holds a tensor of shape {1}.", path.name, list(output.shape))
        raise CheckpointError(message, Message("An output is of one text: [T, D] or [1, T, D]."))
    numbers: Floats = output.detach().float().numpy()
    return numbers, ids, segment_ids


def _ids(given: object, name: str, path: Path) -> tuple[int, ...]:
    """Return ids as numbers, () for None. Raises CheckpointError where they are none."""
    import torch

    message = Message("The {0} in {1} are no whole numbers.", name, path.name)
    try:
        ids = torch.as_tensor(() if given is None else given).flatten()
    except (TypeError, ValueError, RuntimeError) as error:
        raise CheckpointError(message, _AGAIN) from error
    if len(ids) and ids.is_floating_point():
        raise CheckpointError(message, _AGAIN)
    return tuple(map(int, ids.tolist()))
