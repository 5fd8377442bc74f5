"""The data frame of a token x token result of 4,096 tokens: `python -m tests.bench.data_frame`.

`to_pandas` of what attention rollout returns, beside the same columns made by `repeat` and `tile` of numpy
and texts of tokens as categories of pandas, each three times in turn, in a process of its own: printed are
the seconds of the call, and the peak of the process's memory with all packages and the result (on Linux).
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pandas as pd

from bertviz_app.analysis.picture import SHARE_OF_ONE
from bertviz_app.analysis.results import TokenMatrices
from tests.bench.machine import peak_memory
from tests.bench.rows import Budget, Row, compared, emit

N_LAYERS, N_TOKENS, N_TEXTS, ROUNDS = 4, 4096, 1500, 3
_COMMAND = (sys.executable, "-m", "tests.bench.data_frame")


def main() -> None:
    """Print a row with the seconds, and one with the peaks."""
    seconds: dict[str, list[float]] = {name: [] for name in _WAYS}
    peaks: dict[str, list[float]] = {name: [] for name in _WAYS}
    for _ in range(ROUNDS):
        for name in _WAYS:
            done = subprocess.run([*_COMMAND, name], check=True, stdout=subprocess.PIPE, text=True)
            for found, figure in zip((seconds, peaks), done.stdout.split(), strict=True):
                found[name].append(float(figure))
    remark = f"{N_LAYERS} layers, {N_LAYERS * N_TOKENS**2:,} rows"
    for what, unit, most, found in (("seconds", "s", 5, seconds), ("peak of memory", "MB", 2000, peaks)):
        name = f"data frame of tokens x tokens, {what}"
        budget = Budget(most, "ours")
        row = Row(name, "", N_TOKENS, unit, peer_name="repeat and tile", budget=budget, remark=remark)
        emit(compared(row, found["ours"], found["peer"]))


def measure(name: str) -> None:
    """Print the seconds in which this process makes the frame, and the peak of its memory in MB."""
    source = Random(0)
    tokens = tuple(f"token {source.randrange(N_TEXTS)}" for _ in range(N_TOKENS))
    values = np.random.default_rng(0).random((N_LAYERS, N_TOKENS, N_TOKENS), np.float32)
    result = TokenMatrices.dense(values, tokens, tokens, SHARE_OF_ONE, 0.0)
    started = time.perf_counter()
    frame = _WAYS[name](result)
    seconds = time.perf_counter() - started
    at = source.randrange(len(frame))
    layer, query, key = np.unravel_index(at, values.shape)
    row = {"layer": layer, "query": query, "key": key, "value": values[layer, query, key]}
    row |= {"query_token": tokens[query], "key_token": tokens[key]}
    assert len(frame) == values.size
    assert frame.iloc[at].to_dict() == row
    sys.stdout.write(f"{seconds} {peak_memory() / 1e6}\n")


def _plain(result: TokenMatrices) -> Any:
    """Return the frame that one would write: of each row layer, query, key, and the texts of both."""
    values = result.arrays()["values"]
    n_layers, n_queries, n_keys = values.shape
    frame = pd.DataFrame(
        {
            "layer": np.repeat(np.arange(n_layers), n_queries * n_keys),
            "query": np.tile(np.repeat(np.arange(n_queries), n_keys), n_layers),
            "key": np.tile(np.arange(n_keys), n_layers * n_queries),
        }
    )
    for axis, texts in (("query", result.queries), ("key", result.keys)):
        of_each = pd.Categorical(texts)
        frame[f"{axis}_token"] = pd.Categorical.from_codes(of_each.codes[frame[axis]], of_each.categories)
    frame["value"] = values.reshape(-1)
    return frame


_WAYS: dict[str, Callable[[TokenMatrices], Any]] = {"ours": TokenMatrices.to_pandas, "peer": _plain}

if __name__ == "__main__":
    if len(sys.argv) > 1:
        measure(sys.argv[1])
    else:
        main()
