"""The forward pass against `transformers`, and the memory of a trace: `python -m tests.bench.forward`.

All contenders run in turn, round after round, so that a busy machine slows them alike; a ratio is the
median of the rounds' own ratios.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from functools import partial

import torch
from transformers import BertConfig, BertModel

from bertviz_app.encoder.dense import arrange_weights
from bertviz_app.encoder.recorder import record
from bertviz_app.trace.memory import TraceMemory
from tests.support.peers import random_tokens, same_encoder

N_THREADS = 2
ROUNDS = {128: 15, 512: 9, 2048: 5}
EAGER_BUDGET = {128: 0.9, 512: 0.8, 2048: 0.4}
FUSED_BUDGET = 1.05
MEMORY_BUDGET = 120e6  # bytes, at T = 512


def main() -> None:
    torch.set_num_threads(N_THREADS)
    torch.manual_seed(0)
    eager, fused = _peers()
    encoder = same_encoder(eager)
    _say(f"forward pass, BERT-base, float32, {N_THREADS} threads, torch {torch.__version__}; median ms")
    _say("    T   ours  eager  fused   ours/eager (budget)   ours/fused (budget)")
    memory = TraceMemory()
    for n_tokens, rounds in ROUNDS.items():
        tokens = random_tokens(n_tokens, encoder.config.vocabulary_size)
        ids = torch.tensor(tokens.ids.tolist())[None]
        arrange_weights(encoder.layers, n_tokens)  # as the engine does before each text
        contenders: list[Callable[[], object]] = [
            partial(record, encoder, tokens, "ours", memory=memory),
            partial(_run, eager, ids, attention=True),
            partial(_run, fused, ids, attention=False),
        ]
        _print_row(n_tokens, _race(contenders, rounds))
    _print_memory(record(encoder, random_tokens(512, encoder.config.vocabulary_size), "ours").n_bytes)


def _peers() -> tuple[BertModel, BertModel]:
    """Return BERT-base twice over the same random weights: eager attention, and torch's fused one."""
    models = []
    for implementation in ("eager", "sdpa"):
        config = BertConfig(max_position_embeddings=max(ROUNDS), attn_implementation=implementation)
        models.append(BertModel(config).eval())
    eager, fused = models
    fused.load_state_dict(eager.state_dict(), assign=True)
    return eager, fused


def _run(model: BertModel, ids: torch.Tensor, *, attention: bool) -> object:
    with torch.inference_mode():
        return model(input_ids=ids, output_attentions=attention)


def _race(contenders: list[Callable[[], object]], rounds: int) -> list[list[float]]:
    """Return the seconds of each contender [contenders][rounds], after two rounds to warm up."""
    seconds: list[list[float]] = [[] for _ in contenders]
    for round_ in range(rounds + 2):
        for contender, times in zip(contenders, seconds, strict=True):
            start = time.perf_counter()
            contender()
            if round_ >= 2:
                times.append(time.perf_counter() - start)
    return seconds


def _print_row(n_tokens: int, seconds: list[list[float]]) -> None:
    ours, eager, fused = seconds
    milliseconds = "  ".join(f"{1000 * statistics.median(times):5.0f}" for times in seconds)
    against_eager = statistics.median(a / b for a, b in zip(ours, eager, strict=True))
    against_fused = statistics.median(a / b for a, b in zip(ours, fused, strict=True))
    _say(
        f"{n_tokens:5}  {milliseconds}   {against_eager:10.2f} ({EAGER_BUDGET[n_tokens]:.2f})"
        f"   {against_fused:15.2f} ({FUSED_BUDGET:.2f})"
    )


def _print_memory(n_bytes: int) -> None:
    _say(f"memory of a trace, BERT-base, T = 512: {n_bytes / 1e6:.0f} MB (budget {MEMORY_BUDGET / 1e6:.0f})")


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
