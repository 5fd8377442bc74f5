"""`measure_block`: the measures of every head for each line of a block, computed on one thread."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bertviz_app.analysis.measures import MeasureKey
from bertviz_app.analysis.probing.baselines import EndOfPassError, MeasuringTap
from bertviz_app.errors import CheckpointError, DeviceError, Message, TextError
from bertviz_app.inference.corpus.job import N_WORD, CorpusJob, Remark
from bertviz_app.inference.corpus.lines import UNDECODABLE, Block
from bertviz_app.inference.corpus.plain_kernels import plain_kernels
from bertviz_app.inference.devices import Device
from bertviz_app.inference.opened_checkpoint import OpenedCheckpoint
from bertviz_app.text import Tokens
from bertviz_app.types import Check, Floats

_TOKENS_AT_ONCE = 1024
"""The most tokens of one forward pass, unless a single text has more."""


@dataclass(frozen=True, eq=False)
class MeasuredPart:
    """The measures of N lines of a block, in their order: `values` [N, L, H, K].

    `n_word` is how many tokens of a line have their word elsewhere in it, 0 where that is not measured.
    """

    lines: NDArray[np.int64]  # [N], their numbers
    n_tokens: NDArray[np.int32]  # [N]
    n_word: NDArray[np.int32]  # [N]
    values: Floats
    remarks: tuple[Remark, ...]


class Column(NamedTuple):
    """One column of a table: the type of its numbers, and what returns those of a part."""

    kind: np.dtype[Any]
    of: Callable[[MeasuredPart], NDArray[Any]]


def columns_of(measures: Sequence[MeasureKey]) -> dict[str, Column]:
    """Return the columns of a table by name, in order: a row for each line and head."""

    def by_line(kind: str, numbers: Callable[[MeasuredPart], NDArray[Any]]) -> Column:
        return Column(
            np.dtype(kind), lambda part: np.repeat(numbers(part), math.prod(part.values.shape[1:3]))
        )

    def by_head(axis: int) -> Column:
        return Column(
            np.dtype("<i2"),
            lambda part: np.tile(
                np.indices(part.values.shape[1:3], np.int16)[axis].reshape(-1), len(part.lines)
            ),
        )

    def of_measure(number: int) -> Column:
        return Column(
            np.dtype("<f4"), lambda part: np.ascontiguousarray(part.values[..., number]).reshape(-1)
        )

    columns = {
        "line": by_line("<i8", lambda part: part.lines),
        "n_tokens": by_line("<i4", lambda part: part.n_tokens),
        "layer": by_head(0),
        "head": by_head(1),
    }
    columns |= {key: of_measure(number) for number, key in enumerate(measures)}
    return columns | ({N_WORD: by_line("<i4", lambda part: part.n_word)} if "word" in measures else {})


def measure_block(
    opened: OpenedCheckpoint,
    block: Block,
    job: CorpusJob,
    device: Device,
    check: Check = lambda: None,
    on_lines: Callable[[int], None] = lambda count: None,
) -> MeasuredPart:
    """Return the measures of a block's lines.

    Lines with the same number of tokens are encoded together, so nothing is padded. Which ones these are
    depends on the block alone, and one thread computes: the same block has the same numbers, bit for bit, in
    every process on machines of the same kind. `on_lines` is called with the number of lines that are done.
    """
    inputs, remarks = _tokens(opened, block, job)
    config = opened.checkpoint.encoder.config
    shape = config.n_layers, config.n_heads
    values = np.zeros((len(inputs), *shape, len(job.measures)), np.float32)
    n_word = np.zeros(len(inputs), np.int32)
    on_lines(len(block.lines) - len(inputs))
    with plain_kernels():
        for batch in _batches([len(tokens) for _, tokens in inputs]):
            texts = [inputs[at][1] for at in batch]
            tap = _measured(opened, texts, job, device, check)
            values[batch] = tap.means()
            if job.has_n_word:
                n_word[batch] = tap.n_queries("word")
            on_lines(len(batch))
    if not np.isfinite(values).all():
        message = Message("The numbers of this checkpoint are not finite.")
        hint = Message(
            "The weights are damaged, or too large to be computed with; fetch the checkpoint again."
        )
        raise CheckpointError(message, hint)
    lines = np.array([line for line, _ in inputs], np.int64)
    n_tokens = np.array([len(tokens) for _, tokens in inputs], np.int32)
    return MeasuredPart(lines, n_tokens, n_word, values, tuple(remarks))


def _tokens(
    opened: OpenedCheckpoint, block: Block, job: CorpusJob
) -> tuple[list[tuple[int, Tokens]], list[Remark]]:
    """Return the tokens of the lines that can be read, with the lines' numbers, and remarks on the others."""
    inputs: list[tuple[int, Tokens]] = []
    remarks: list[Remark] = []
    for line, raw in enumerate(block.lines, block.first):
        found = _read(opened, line, raw)
        if isinstance(found, Remark):
            remarks.append(found)
            continue
        if found.n_left_out:
            n_tokens = len(found) + found.n_left_out
            remarks.append(
                Remark(line, "truncated" if job.settings.truncates else "long", f"{n_tokens} tokens")
            )
        if job.settings.truncates or not found.n_left_out:
            inputs.append((line, found))
            if found.dropped:
                n_dropped = len(found.dropped)
                remarks.append(Remark(line, "dropped", f"{n_dropped}: {found.dropped_names}"))
    return inputs, remarks


def _read(opened: OpenedCheckpoint, line: int, raw: bytes | None) -> Tokens | Remark:
    if raw is None:
        return Remark(line, "long", "more than a megabyte")
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        detail = f"byte {error.start + 1} is no UTF-8"
        return Remark(line, "undecodable", "not in the encoding" if raw == UNDECODABLE else detail)
    if not text.strip():
        return Remark(line, "empty")
    try:
        return opened.checkpoint.tokens(text)
    except TextError as error:
        return Remark(line, "refused", error.message)


def _batches(lengths: list[int]) -> Iterator[list[int]]:
    """Yield the numbers of texts that are encoded together; those of a batch have the same length."""
    order = sorted(range(len(lengths)), key=lambda number: lengths[number])
    batch: list[int] = []
    for at in order:
        is_full = (len(batch) + 1) * lengths[at] > _TOKENS_AT_ONCE
        if batch and (is_full or lengths[at] != lengths[batch[0]]):
            yield batch
            batch = []
        batch.append(at)
    if batch:
        yield batch


def _measured(
    opened: OpenedCheckpoint, texts: list[Tokens], job: CorpusJob, device: Device, check: Check
) -> MeasuringTap:
    """Return the tap that has measured texts of the same length."""
    import torch

    from bertviz_app.encoder.dense import arrange_weights
    from bertviz_app.encoder.encoder import encoder_inputs

    def run(chosen: Device) -> MeasuringTap:
        encoder = opened.encoder_on(chosen.name)
        arrange_weights(encoder.layers, len(texts) * len(texts[0]))
        inputs = encoder_inputs(encoder.config, texts, next(encoder.parameters()).device)
        tap = MeasuringTap(texts, (encoder.config.n_layers, encoder.config.n_heads), job.measures, check)
        try:
            with torch.inference_mode():
                encoder(*inputs, tap=tap)
        except EndOfPassError:
            pass
        return tap

    message = Message("There is not enough memory to encode {0} tokens with this checkpoint.", len(texts[0]))
    error = DeviceError(message, Message("Give a shorter text, or choose a smaller checkpoint."))
    return opened.run_on(device, run, error)[0]
