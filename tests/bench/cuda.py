"""A pass on a GPU with CUDA against `transformers` on it, and in bfloat16: `python -m tests.bench.cuda`.

Rounds as in `tests.bench.forward`; each ends when the GPU has finished. `--stages` prints the operators that
take the most of its time, too.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import torch
from torch.profiler import ProfilerActivity, profile
from transformers import BertConfig, BertModel

from bertviz_app.checkpoint.assemble import copied_to
from bertviz_app.checkpoint.sources.source import default_source
from bertviz_app.encoder.encoder import Encoder, encoder_inputs
from bertviz_app.encoder.recorder import record
from bertviz_app.text import Tokens
from bertviz_app.torch_operations import page_locked
from bertviz_app.trace.memory import TraceMemory
from tests.bench.forward import FUSED, MODEL, race, text_to_trace, trace_in_bfloat16
from tests.bench.rows import Row, compared, emit
from tests.support.checkpoints import bert_base
from tests.support.peers import random_tokens, same_encoder

LENGTHS = (128, 512, 2048, 8192)
ROUNDS = 15
_RECORDED = "text's ids to trace on cuda"


def main() -> None:
    if not torch.cuda.is_available():
        emit(Row("forward pass on cuda", remark="this machine has no CUDA device that torch can use"))
        return
    torch.manual_seed(0)
    config = BertConfig(max_position_embeddings=max(LENGTHS), attn_implementation="sdpa")
    peer = BertModel(config).eval()
    ours = same_encoder(peer)
    exact, rounded = copied_to(ours, "cuda"), copied_to(ours, "cuda", in_bfloat16=True)
    peer = peer.to("cuda")
    for n_tokens in LENGTHS:
        tokens = random_tokens(n_tokens, ours.config.vocabulary_size)
        _emit_passes(tokens, exact, rounded, peer)
        _emit_traces(tokens, exact, rounded)
    with tempfile.TemporaryDirectory() as made:
        base = bert_base(Path(made))
        emit(text_to_trace(MODEL, 512, base, "cuda"))
        emit(trace_in_bfloat16(base, "cuda"))
    small = default_source()
    emit(text_to_trace(small.name, 256, str(small.folder), "cuda"))


def _emit_passes(tokens: Tokens, exact: Encoder, rounded: Encoder, peer: BertModel) -> None:
    """Emit the rows of the pass alone, of which nothing leaves the GPU."""
    ids, segments, positions, _ = encoder_inputs(exact.config, [tokens], torch.device("cuda"))
    passes = [partial(model, ids, segments, positions) for model in (exact, rounded)]
    passes.append(partial(peer, input_ids=ids, token_type_ids=segments, position_ids=positions))
    own, low, fused = _milliseconds(passes)
    row = Row("forward pass on cuda", MODEL, len(tokens), peer_name=FUSED)
    emit(compared(row, own, fused))
    emit(compared(replace(row, name=f"{row.name}, bfloat16", peer_name="ours in float32"), low, own))
    if "--stages" in sys.argv:
        for work in passes[:2]:
            _write_operators(work)


def _emit_traces(tokens: Tokens, exact: Encoder, rounded: Encoder) -> None:
    """Emit the rows of a pass with what a trace holds copied to the computer's memory."""
    memory, plain = TraceMemory(page_locked), TraceMemory()
    models = ((exact, memory), (rounded, memory), (exact, plain))
    works = [partial(record, model, tokens, "ours", memory=of) for model, of in models]
    own, low, pageable = _milliseconds(works)
    row = Row(_RECORDED, MODEL, len(tokens), peer_name="ours into memory that is not page-locked")
    emit(compared(row, own, pageable))
    emit(compared(replace(row, name=f"{_RECORDED}, bfloat16", peer_name="ours in float32"), low, own))


def _milliseconds(works: Sequence[Callable[[], object]]) -> list[list[float]]:
    found = race([partial(_ended, work) for work in works], ROUNDS, 3)
    return [[1000 * seconds for seconds in each] for each in found]


def _ended(work: Callable[[], object]) -> object:
    """Return what `work` returns, once the GPU has computed it."""
    with torch.inference_mode():
        found = work()
    torch.cuda.synchronize()
    return found


def _write_operators(work: Callable[[], object]) -> None:
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as profiled:
        _ended(work)
    found = profiled.key_averages()
    table = found.table(sort_by="self_cuda_time_total", row_limit=8, max_name_column_width=48)
    sys.stdout.write(f"{table}\n")


if __name__ == "__main__":
    main()
