"""A long text in a model of ModernBERT-base's shape: `python -m tests.bench.long`.

8,192 tokens, 22 layers x 12 heads, random weights; ours and the fused pass of `transformers` without
attention each in a process of its own. Printed beside the budgets: the forward pass, the times from a text to
the sample and to the whole of its overview, the longest times from asking for a head to its first, coarse
picture and to its painted matrix, heads of all layers in turn, and the peak of the process's memory.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random

from bertviz_app.encoder.config import EncoderConfig
from bertviz_app.shell.application import make_application
from bertviz_app.trace.form import Form
from bertviz_app.viewmodels.panel import Panel
from bertviz_app.views.panels.card import PanelArea
from tests.bench.machine import peak_memory, speeds
from tests.bench.rows import Budget, Row, emit, spread_of
from tests.bench.stages import forward_stages, least_seconds
from tests.support.opened_window import opened, run_until

N_TOKENS, N_LAYERS, N_HEADS = 8192, 22, 12
N_REQUESTED = 33
MODEL = "ModernBERT-base, random"
_REACHES = tuple(None if layer % 3 == 0 else 64 for layer in range(N_LAYERS))
_TEXT = " ".join(["the cat ate fish"] * N_TOKENS)
_COMMAND = (sys.executable, "-m", "tests.bench.long")
_PEER_SECONDS = "BENCH_LONG_PEER"
"""The environment variable with the seconds of the peer, for the processes that measure ours."""
PATIENCE = 1500.0  # seconds


def main() -> None:
    """Write the checkpoint, and have other processes read it: writing takes memory, too."""
    with tempfile.TemporaryDirectory() as folder:
        _write(Path(folder))
        for part in ("peer", "forward", "window"):
            done = subprocess.run([*_COMMAND, part, folder], check=True, stdout=subprocess.PIPE, text=True)
            if part == "peer":
                os.environ[_PEER_SECONDS] = done.stdout.split()[-1]
            else:
                sys.stdout.write(done.stdout)
                sys.stdout.flush()


def print_peer(folder: str) -> None:
    """Print the seconds of the fused pass of `transformers`."""
    import torch
    from transformers import AutoModel

    model = AutoModel.from_pretrained(folder, attn_implementation="sdpa").eval()
    ids = torch.arange(N_TOKENS)[None] % 1000
    with torch.inference_mode():
        model(ids[:, :128])
        started = time.perf_counter()
        model(ids)
    sys.stdout.write(f"{time.perf_counter() - started}\n")


def measure_forward(folder: str) -> None:
    """Measure text to trace, without a window."""
    from bertviz_app import api

    model = api.open_model(folder, device="cpu")
    model.trace("warm up")
    started = time.perf_counter()
    n_tokens = model.trace(_TEXT).n_tokens
    assert n_tokens == N_TOKENS
    found, config = (
        speeds(),
        EncoderConfig(
            50368, N_TOKENS, 0, N_LAYERS, N_HEADS, 768, 1152, reaches=_REACHES, form=Form(is_gated=True)
        ),
    )
    least = least_seconds(forward_stages(config, N_TOKENS), found.product, found.copy)
    emit(replace(_beside_peer("text to trace", time.perf_counter() - started, 0.6), least=least))


def _beside_peer(name: str, seconds: float, most: float) -> Row:
    peer = float(os.environ[_PEER_SECONDS]) if _PEER_SECONDS in os.environ else None
    return Row(
        name,
        MODEL,
        N_TOKENS,
        "s",
        seconds,
        "transformers, fused, no attention",
        peer,
        None if peer is None else seconds / peer,
        budget=Budget(most),
        remark="one run",
    )


def measure(folder: str) -> None:
    """Measure what it takes to show the long text in the checkpoint of `folder`."""
    make_application()
    with opened(folder, "warm up") as (app_state, window):
        started = time.perf_counter()
        app_state.workspace.set_texts(_TEXT, None, at_once=True)
        area = window.main_area.area
        run_until(lambda: app_state.workspace.is_current and area.is_complete, PATIENCE)
        shown = app_state.workspace.shown
        assert shown is not None
        assert shown.result.trace.n_tokens == N_TOKENS
        emit(_beside_peer("text to a sample of all heads", time.perf_counter() - started, 0.75))
        run_until(lambda: app_state.refinement.is_complete, PATIENCE)
        emit(_beside_peer("text to painted overview", time.perf_counter() - started, 1.5))
        coarse: list[float] = []
        exact: list[float] = []
        for number, head in enumerate(_heads()):
            started = time.perf_counter()
            app_state.panels.open([Panel(number + 1, *head, "matrix", "A", ())])
            for is_done, times in (
                (partial(_is_drawn, area, head), coarse),
                (partial(getattr, area, "is_complete"), exact),
            ):
                run_until(is_done)
                window.main_area.repaint()
                times.append(time.perf_counter() - started)
        _emit_slowest("a head's first, coarse picture, the slowest", coarse, 0.3)
        _emit_slowest("a head on screen, the slowest", exact, 1)
        emit(Row("peak of memory", MODEL, N_TOKENS, "GiB", peak_memory() / 2**30, budget=Budget(3, "ours")))


def _is_drawn(area: PanelArea, head: tuple[int, int]) -> bool:
    """Return whether the panel draws this head, be it of a sample of its queries."""
    (card,) = area.cards.values()
    picture = card.view.picture
    return picture is not None and (picture.layer, picture.head) == head


def _emit_slowest(name: str, times: list[float], most: float) -> None:
    what = f"{len(times)} of {N_LAYERS} x {N_HEADS} heads, median {statistics.median(times):.2f}"
    row = Row(name, MODEL, N_TOKENS, "s", max(times), budget=Budget(most, "ours"))
    emit(replace(row, spread=spread_of(times), remark=what))


def _heads() -> list[tuple[int, int]]:
    """Return heads of every layer, the local and the global ones, none twice."""
    random = Random(0)
    heads = [(number % N_LAYERS, random.randrange(N_HEADS)) for number in range(N_REQUESTED)]
    return list(dict.fromkeys(heads))


def _write(folder: Path) -> None:
    from tests.support.families import write_family

    write_family(
        folder,
        "modernbert",
        hidden_size=768,
        num_hidden_layers=N_LAYERS,
        num_attention_heads=N_HEADS,
        intermediate_size=1152,
        max_position_embeddings=N_TOKENS,
        vocab_size=50368,
    )


_PARTS = {"peer": print_peer, "forward": measure_forward, "window": measure}

if __name__ == "__main__":
    if len(sys.argv) > 1:
        _PARTS[sys.argv[1]](sys.argv[2])
    else:
        main()
