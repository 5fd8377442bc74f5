"""A long text in a model of ModernBERT-base's shape: `python -m tests.bench.long`.

8,192 tokens, 22 layers x 12 heads, random weights, in a process of its own. Printed beside the budgets:
the longest time from asking for a head to its painted matrix, heads of all layers in turn, and the peak
of the process's memory.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from random import Random

from bertviz_app.shell.application import make_application
from bertviz_app.viewmodels.panels import Panel
from tests.bench.window import say
from tests.support.opened_window import opened, run_until

N_TOKENS, N_LAYERS, N_HEADS = 8192, 22, 12
N_ASKED = 33
PATIENCE = 1500.0  # seconds


def main() -> None:
    """Write the checkpoint, and have another process show it: writing takes memory, too."""
    with tempfile.TemporaryDirectory() as folder:
        _write(Path(folder))
        subprocess.run([sys.executable, "-m", "tests.bench.long", folder], check=True)


def measure(folder: str) -> None:
    """Print what it takes to show the long text in the checkpoint of `folder`."""
    make_application()
    with opened(folder, "warm up") as (app_state, window):
        started = time.perf_counter()
        app_state.workspace.set_texts(" ".join(["the cat ate fish"] * N_TOKENS), None, at_once=True)
        area = window.main_area.area
        run_until(lambda: app_state.workspace.is_current and area.is_complete, PATIENCE)
        shown = app_state.workspace.shown
        assert shown is not None
        assert shown.result.trace.n_tokens == N_TOKENS
        say(f"text to overview, {N_TOKENS:,} tokens", f"{time.perf_counter() - started:.0f} s")
        times = []
        for number, head in enumerate(_heads()):
            started = time.perf_counter()
            app_state.panels.open([Panel(number + 1, *head, "matrix", "A", ())])
            run_until(partial(getattr, area, "is_complete"))
            window.main_area.repaint()
            times.append(time.perf_counter() - started)
        figure = f"median {statistics.median(times):.2f}  max {max(times):.2f} s"
        say(f"a head on screen, {N_ASKED} of {N_LAYERS} x {N_HEADS}", figure, "at most 1 s")
        say("peak of memory, all in all", f"{_peak() / 2**30:.2f} GiB", "at most 4 GiB")


def _heads() -> list[tuple[int, int]]:
    """Return heads of every layer, the local and the global ones, none twice."""
    random = Random(0)
    heads = [(number % N_LAYERS, random.randrange(N_HEADS)) for number in range(N_ASKED)]
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


def _peak() -> int:
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) * 1024


if __name__ == "__main__":
    if len(sys.argv) > 1:
        measure(sys.argv[1])
    else:
        main()
