"""Copying mapped tensors window by window, so that memory never holds a file twice."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from bertviz_app.errors import CheckpointError, Message
from bertviz_app.types import Check, Progress

Reopen = Callable[[], Mapping[str, Tensor]]
_SMALLEST_WINDOW, _SHARE = 16 << 20, 32
_SLACK = 64 << 20


@dataclass(frozen=True)
class _Piece:
    """Some rows of a tensor; `rows` None: the whole tensor."""

    name: str
    rows: slice | None
    n_bytes: int


def copied(
    tensors: Mapping[str, Tensor], reopen: Reopen, progress: Progress | None, check: Check | None
) -> dict[str, Tensor]:
    """Return float32 copies of mapped `tensors`; `reopen` maps the same names once more.

    Pages that were read count as the process's memory until they are unmapped, so each window has a mapping
    of its own. Mapped numbers would change when the file is overwritten; copies do not. `progress` gets the
    bytes copied and the total; `check` is called for each piece and may raise.
    """
    # A new tensor for each name: two names may share memory, and a tensor may have gaps in the file.
    copies = {name: torch.empty(tensor.shape, dtype=torch.float32) for name, tensor in tensors.items()}
    n_done, n_bytes = 0, sum(tensor.nbytes for tensor in tensors.values())
    for number, window in enumerate(_windows(tensors, max(_SMALLEST_WINDOW, n_bytes // _SHARE))):
        source = reopen() if number else tensors
        for piece in window:
            if check is not None:
                check()
            _copy(source, copies[piece.name], piece)
            n_done += piece.n_bytes
            if progress is not None:
                progress(n_done, n_bytes)
    return copies


def taken(tensors: Mapping[str, Tensor], progress: Progress | None, check: Check | None) -> dict[str, Tensor]:
    """Return tensors that are already in memory as float32, without a copy where possible."""
    found: dict[str, Tensor] = {}
    n_done, n_bytes = 0, sum(tensor.nbytes for tensor in tensors.values())
    for name, tensor in tensors.items():
        if check is not None:
            check()
        found[name] = tensor.detach().to(torch.float32).contiguous()
        n_done += tensor.nbytes
        if progress is not None:
            progress(n_done, n_bytes)
    return found


def refuse_swollen(tensors: Mapping[str, Tensor], n_bytes: int) -> None:
    """Raise CheckpointError if the tensors need much more memory than files of `n_bytes` can hold.

    A pickle can declare one number repeated a million million times, or the same tensor many times.
    """
    needed = 4 * sum(tensor.numel() for tensor in tensors.values())
    if needed > 2 * n_bytes + _SLACK:
        message = Message(
            "The weights would fill {0} MB, but their files hold {1} MB.",
            f"{needed / 1000000.0:,.0f}",
            f"{n_bytes / 1000000.0:,.0f}",
        )
        raise CheckpointError(message, Message("Save the model again, with every tensor written out."))


def _windows(tensors: Mapping[str, Tensor], most: int) -> Iterator[Sequence[_Piece]]:
    """Yield the tensors in groups of pieces of at most `most` bytes (or one piece)."""
    window: list[_Piece] = []
    for piece in (piece for name, tensor in tensors.items() for piece in _pieces(name, tensor, most)):
        if window and sum(held.n_bytes for held in window) + piece.n_bytes > most:
            yield window
            window = []
        window.append(piece)
    if window:
        yield window


def _pieces(name: str, tensor: Tensor, most: int) -> Iterator[_Piece]:
    if tensor.dim() == 0 or tensor.nbytes <= most:
        yield _Piece(name, None, tensor.nbytes)
        return
    n_rows, row_bytes = len(tensor), tensor.nbytes // len(tensor)
    step = max(1, most // row_bytes)
    for start in range(0, n_rows, step):
        rows = slice(start, min(start + step, n_rows))
        yield _Piece(name, rows, (rows.stop - rows.start) * row_bytes)


def _copy(source: Mapping[str, Tensor], target: Tensor, piece: _Piece) -> None:
    tensor = source.get(piece.name)
    if tensor is None or tensor.shape != target.shape:
        raise CheckpointError(
            Message("The weights changed while they were being read."), Message("Open it again.")
        )
    if piece.rows is None:
        target.copy_(tensor.detach())
    else:
        target[piece.rows].copy_(tensor.detach()[piece.rows])
