"""The operations and the bytes of each stage of a forward pass and of an overview, and the time they need.

A stage needs at least the longer of two times: its operations at the speed of a matrix product, and its
bytes at the speed of a copy. What a measured time is above the sum of these is left to gain.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bertviz_app.encoder.config import EncoderConfig

FLOAT = 4
"""The bytes of a number."""


@dataclass(frozen=True)
class Stage:
    """A part of the work: multiplications and additions, and bytes that are read and written."""

    name: str
    operations: float
    n_bytes: float

    def seconds(self, product: float, copy: float) -> float:
        """Return the least time, given operations a second and bytes a second."""
        return max(self.operations / product, self.n_bytes / copy)


def least_seconds(stages: Sequence[Stage], product: float, copy: float) -> float:
    """Return the sum of the least times of the stages, which come one after the other."""
    return sum(stage.seconds(product, copy) for stage in stages)


def forward_stages(config: EncoderConfig, n_tokens: int) -> list[Stage]:
    """Return the stages of a forward pass over one text, each over all layers, with the record for a trace.

    Weights are read once and the numbers between two stages written and read once: what stays in the
    processor's caches is faster than that, and what has to be read twice is slower.
    """
    width, inner, n_layers = config.width, config.feed_forward_width, config.n_layers
    numbers = n_tokens * width
    n_in = 2 * inner if config.form.is_gated else inner
    pairs = sum(n_tokens * min(n_tokens, _window(config, layer)) for layer in range(n_layers))
    return [
        Stage("embeddings and their norm", 0, 5 * numbers * FLOAT),
        _dense("queries, keys and values", n_layers, n_tokens, width, 3 * width),
        Stage("scores, softmax and weighted sum", 4 * pairs * width, 4 * n_layers * numbers * FLOAT),
        _dense("output of the attention", n_layers, n_tokens, width, width),
        Stage("residuals and norms", 0, 2 * 3 * n_layers * numbers * FLOAT),
        _dense("feed-forward, first product", n_layers, n_tokens, width, n_in),
        Stage("activation", 0, n_layers * n_tokens * (n_in + inner) * FLOAT),
        _dense("feed-forward, second product", n_layers, n_tokens, inner, width),
        Stage("record of queries, keys, values and states", 0, 2 * 4 * n_layers * numbers * FLOAT),
    ]


def overview_stages(config: EncoderConfig, n_tokens: int) -> list[Stage]:
    """Return the work from a trace to the pictures of all heads: each weight is computed once.

    A block of weights is reduced to numbers and pixels while it is in the cache, so only queries and keys
    are read; exponentials and comparisons are not counted.
    """
    pairs = sum(n_tokens * min(n_tokens, _window(config, layer)) for layer in range(config.n_layers))
    read = 2 * config.n_layers * n_tokens * config.width
    return [Stage("weights of every head from queries and keys", 2 * pairs * config.width, read * FLOAT)]


def _dense(name: str, n_layers: int, n_tokens: int, n_in: int, n_out: int) -> Stage:
    n_numbers = n_in * n_out + n_tokens * (n_in + n_out)
    return Stage(name, 2 * n_layers * n_tokens * n_in * n_out, n_layers * n_numbers * FLOAT)


def _window(config: EncoderConfig, layer: int) -> float:
    reach = config.reaches[layer] if config.reaches else None
    return float("inf") if reach is None else 2 * reach + 1


def table_of(stages: Sequence[Stage], product: float, copy: float) -> list[str]:
    """Return lines with the operations, the bytes and the least time of each stage, and their sum."""
    lines = [f"    {'stage':<46}{'Gop':>8}{'MB':>8}{'least ms':>10}"]
    for stage in stages:
        least = 1000 * stage.seconds(product, copy)
        lines.append(
            f"    {stage.name:<46}{stage.operations / 1e9:>8.2f}{stage.n_bytes / 1e6:>8.1f}{least:>10.2f}"
        )
    return [*lines, f"    {'sum':<62}{1000 * least_seconds(stages, product, copy):>10.2f}"]
