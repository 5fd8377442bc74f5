"""The forward pass against `transformers`, and the memory of a trace: `python -m tests.bench.forward`.

All contenders run in turn, round after round, so that a busy machine slows them alike; a ratio is the
median of the rounds' own ratios. `--stages` prints the operations and bytes of each stage, too, and torch's
operators by their share of the time.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import torch
from transformers import AutoModel, AutoTokenizer, BertConfig, BertModel

from bertviz_app import api
from bertviz_app.encoder.dense import arrange_weights
from bertviz_app.encoder.recorder import record
from bertviz_app.errors import DeviceError
from bertviz_app.trace.memory import TraceMemory
from tests.bench.machine import speeds
from tests.bench.rows import Budget, Row, compared, emit
from tests.bench.stages import forward_stages, least_seconds, table_of
from tests.support.checkpoints import bert_base, plain_copy
from tests.support.peers import random_tokens, same_encoder

N_THREADS = 2
ROUNDS = {128: 15, 512: 7, 2048: 3}
PATIENCE = 40.0
"""After so many seconds no further round of a row is begun."""
EAGER_BUDGET = {128: 0.95, 512: 0.9, 2048: 0.4}
FUSED_BUDGET = 1.0
MEMORY_BUDGET = 120.0  # MB, at T = 512
CHECKPOINTS = (("bert-mini-en-ko", 256), ("all-MiniLM-L6-v2", 512))
MODEL = "BERT-base, random"
FUSED, _EAGER = "transformers, fused, no attention", "transformers, eager, with attention"


def main() -> None:
    torch.set_num_threads(N_THREADS)
    torch.manual_seed(0)
    eager, fused = _peers()
    encoder = same_encoder(eager)
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
        stages, found = forward_stages(encoder.config, n_tokens), speeds()
        least = 1000 * least_seconds(stages, found.product, found.copy)
        n_warm_up = 2 if n_tokens < max(ROUNDS) else 1  # a round of the longest takes a quarter of a minute
        _emit_rows(n_tokens, least, race(contenders, rounds, n_warm_up))
        if "--stages" in sys.argv:
            lines = [*table_of(stages, found.product, found.copy), *_shares(contenders[0])]
            sys.stdout.write("\n".join(lines) + "\n")
    n_bytes = record(encoder, random_tokens(512, encoder.config.vocabulary_size), "ours").n_bytes
    emit(Row("memory of a trace", MODEL, 512, "MB", n_bytes / 1e6, budget=Budget(MEMORY_BUDGET, "ours")))
    with tempfile.TemporaryDirectory() as made:
        emit(trace_in_bfloat16(bert_base(Path(made))))
    for model, n_tokens in CHECKPOINTS:
        with tempfile.TemporaryDirectory() as made:
            folder = str(plain_copy(model, Path(made)))
            emit(text_to_trace(model, n_tokens, folder))


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


def race(
    contenders: Sequence[Callable[[], object]], rounds: int, n_warm_up: int = 2, patience: float = PATIENCE
) -> list[list[float]]:
    """Return the seconds of each contender [contenders][rounds], after some rounds to warm up.

    Once `patience` seconds are over a round that counts is the last, and one to warm up was enough.
    """
    seconds: list[list[float]] = [[] for _ in contenders]
    until = time.perf_counter() + patience
    for _ in range(n_warm_up):
        _round(contenders)
        if time.perf_counter() > until:
            break
    for _ in range(rounds):
        for times, taken in zip(seconds, _round(contenders), strict=True):
            times.append(taken)
        if time.perf_counter() > until:
            break
    return seconds


def _round(contenders: Sequence[Callable[[], object]]) -> list[float]:
    taken = []
    for contender in contenders:
        start = time.perf_counter()
        contender()
        taken.append(time.perf_counter() - start)
    return taken


def _shares(work: Callable[[], object]) -> list[str]:
    """Return a line with torch's operators that take the most of the processor's time in `work`."""
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profiled:
        work()
    found = {event.key: event.self_cpu_time_total for event in profiled.key_averages()}
    most = sorted(found, key=found.__getitem__, reverse=True)[:6]
    shares = ", ".join(f"{name} {found[name] / sum(found.values()):.1%}" for name in most)
    return [f"    of the operators' time: {shares}"]


def _emit_rows(n_tokens: int, least: float, seconds: list[list[float]]) -> None:
    ours, eager, fused = ([1000 * time for time in times] for times in seconds)
    row = Row("forward pass", MODEL, n_tokens, least=least)
    for name, peer, most in ((FUSED, fused, FUSED_BUDGET), (_EAGER, eager, EAGER_BUDGET[n_tokens])):
        emit(compared(replace(row, peer_name=name, budget=Budget(most)), ours, peer))


def trace_in_bfloat16(folder: str, device: str = "cpu", n_tokens: int = 512) -> Row:
    """Return the row from a text to its trace with products in bfloat16, beside the same in float32."""
    name = "text to trace, bfloat16" if device == "cpu" else f"text to trace on {device}, bfloat16"
    row = Row(name, MODEL, n_tokens, peer_name="ours in float32", budget=Budget(0.4))
    exact = api.open_model(folder, device=device)
    try:
        rounded = api.open_model(folder, device=device, dtype="bfloat16")
    except DeviceError as error:
        return replace(row, budget=None, remark=str(error))
    text = " ".join(["the"] * (n_tokens - 2))
    times = race([lambda: rounded.trace(text), lambda: exact.trace(text)], 7)
    return compared(row, *([1000 * time for time in each] for each in times))


def text_to_trace(model: str, n_tokens: int, folder: str, device: str = "cpu") -> Row:
    """Return the row from a text to its trace beside the tokenizer and the fused pass of `transformers`."""
    ours = api.open_model(folder, device=device)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    peer = AutoModel.from_pretrained(folder, attn_implementation="sdpa").to(device).eval()
    text = " ".join(["the"] * (n_tokens - 2))

    def encode() -> object:
        with torch.inference_mode():
            inputs = tokenizer(text, return_tensors="pt").to(device)
            return peer(**inputs).last_hidden_state.cpu()

    assert ours.trace(text).n_tokens == n_tokens
    times = [[1000 * time for time in each] for each in race([lambda: ours.trace(text), encode], 15)]
    name = "text to trace" if device == "cpu" else f"text to trace on {device}"
    budget = Budget(1.0) if device == "cpu" else None
    row = Row(name, model, n_tokens, peer_name=f"{FUSED}, and its tokenizer", budget=budget)
    return compared(row, *times)


if __name__ == "__main__":
    main()
