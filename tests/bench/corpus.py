"""Measures of every head for 1,000 sentences of MiniLM, against a loop around `transformers`.

`python -m tests.bench.corpus [FILE]`: processor time of one thread, both contenders in turn in one run. The
peer encodes with eager attention in batches of 32 sorted by length, and computes the same measures in torch.
`python -m tests.bench.corpus --memory` prints the peak memory of the command over 1,000, 10,000 and 100,000
lines, of a random checkpoint with 2 layers of 4 heads (on Linux).
"""

from __future__ import annotations

import argparse
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from transformers import AutoModel, AutoTokenizer

from bertviz_app.analysis.measures import KEYS
from bertviz_app.encoder.config import EncoderConfig
from bertviz_app.features.corpora.process.measuring import CorpusJob, LineReader
from bertviz_app.features.corpora.process.run import open_alone
from bertviz_app.features.corpora.studies.study import joined
from bertviz_app.inference.opened_checkpoint import CPU, find_device
from bertviz_app.text.tokens import word_numbers
from tests.bench.machine import speeds
from tests.bench.rows import Budget, Row, compared, emit, write_line
from tests.bench.stages import forward_stages
from tests.support.checkpoints import real_checkpoint, write_bert

N_SENTENCES, BATCH, ROUNDS = 1000, 32, 5
BUDGET = 0.6
_PATIENCE = 45.0  # seconds
_Found = np.ndarray[Any, Any]
_WITH_PEAK = """
import re, sys
from pathlib import Path
from bertviz_app.cli import main
code = main(sys.argv[1:])
print(re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1])
sys.exit(code)
"""
"""Runs the command line and prints its peak memory in KiB; `getrusage` counts what this process had, too."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the times, or the memory."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("file", nargs="?", type=Path, help="a text in each line")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--memory", action="store_true")
    options = parser.parse_args(arguments)
    if options.memory:
        _print_memory()
        return
    torch.set_num_threads(1)
    lines = sample_lines(options.file)
    folder = real_checkpoint()
    opened = open_alone(str(folder))
    with tempfile.TemporaryDirectory() as scratch:
        texts = Path(scratch, "texts.txt")
        texts.write_text("\n".join(lines) + "\n", encoding="utf-8")
        ours, peer = _Ours(folder, texts), _Peer(folder, lines, opened)
        begun = time.perf_counter()
        (first, found), (first_of_peer, found_by_peer) = _timed(ours), _timed(peer)
        difference = _compare(found, found_by_peer)
        times = [(first, first_of_peer)]
        if time.perf_counter() - begun < _PATIENCE:  # else the first round, which warms up, has to do
            times = [(_timed(ours)[0], _timed(peer)[0]) for _ in range(options.rounds)]
    lengths = [len(opened.checkpoint.tokens(line)) for line in lines]
    row = Row(
        f"measures of {N_SENTENCES:,} texts, processor time",
        "all-MiniLM-L6-v2",
        round(statistics.mean(lengths)),
        "s",
        peer_name=f"transformers, eager, sorted batches of {BATCH}",
        budget=Budget(BUDGET),
        least=_least(lengths),
        remark=f"{len(KEYS)} measures of every head, one thread; largest difference {difference:.0e}; "
        "tokens are the mean of the texts",
    )
    emit(compared(row, *([*column] for column in zip(*times, strict=True))))


def _least(lengths: Sequence[int]) -> float:
    """Return the least seconds of the products of all texts on one thread: numbers stay in its cache.

    Of the last layer only queries, keys and values are needed: the measures are of its attention.
    """
    width, n_layers, inner = 384, 6, 1536
    config = EncoderConfig(30522, 512, 2, n_layers, 12, width, inner)
    stages = [stage for n_tokens in lengths for stage in forward_stages(config, n_tokens)]
    left_out = sum(2 * n_tokens * width * (width + 2 * inner) for n_tokens in lengths)
    left_out += sum(2 * n_tokens * n_tokens * width for n_tokens in lengths)  # the weighted sums of values
    return (sum(stage.operations for stage in stages) - left_out) / speeds().product_alone


class _Ours:
    """What `bertviz-app corpus` computes, from lines to numbers."""

    def __init__(self, folder: Path, texts: Path) -> None:
        self._opened = open_alone(str(folder))
        self._job = CorpusJob((str(texts),), "heads.npz")

    def __call__(self) -> np.ndarray[Any, Any]:
        blocks = LineReader(self._job.files).blocks(self._job.settings.block_lines)
        measured = [self._job.measure((self._opened,), block, find_device(CPU)) for block in blocks]
        return joined(part.parts[0] for part in measured).rows["values"]


class _Peer:
    """The loop that one would write: sorted batches, eager attention, each measure as a masked sum."""

    def __init__(self, folder: Path, lines: list[str], opened: Any) -> None:
        self._tokenizer = AutoTokenizer.from_pretrained(folder)
        self._model = AutoModel.from_pretrained(folder, attn_implementation="eager").eval()
        self._lines = lines
        self._words = [torch.from_numpy(word_numbers(opened.checkpoint.tokens(line))) for line in lines]

    @torch.inference_mode()
    def __call__(self) -> np.ndarray[Any, Any]:
        lengths = [len(ids) for ids in self._tokenizer(self._lines)["input_ids"]]
        order = sorted(range(len(self._lines)), key=lambda at: lengths[at])
        config = self._model.config
        found = torch.zeros(len(order), config.num_hidden_layers, config.num_attention_heads, len(KEYS))
        for first in range(0, len(order), BATCH):
            rows = order[first : first + BATCH]
            inputs = self._tokenizer([self._lines[at] for at in rows], padding=True, return_tensors="pt")
            output = self._model(**inputs, output_attentions=True)
            patterns, counts = self._patterns(inputs, rows)
            for layer, weights in enumerate(output.attentions):
                found[rows, layer] = _measured(weights, inputs["attention_mask"], patterns, counts)
        return found.numpy()

    def _patterns(
        self, inputs: Any, rows: list[int]
    ) -> tuple[dict[str, torch.Tensor], dict[str, torch.Tensor]]:
        """Return what each weight counts for a measure [B, T, T], and its number of queries [B]."""
        seen = inputs["attention_mask"].bool()
        n_tokens, longest = seen.sum(-1), seen.shape[1]
        at = torch.arange(longest)
        distance = at[None, :] - at[:, None]
        both = seen[:, None, :] & seen[:, :, None]
        words = torch.full_like(inputs["input_ids"], -(10**6))
        for number, row in enumerate(rows):
            words[number, : len(self._words[row])] = self._words[row]
        same_word = (words[:, :, None] == words[:, None, :]) & both & (distance != 0)
        last = torch.nn.functional.one_hot(n_tokens - 1, longest).bool()
        patterns = {
            "distance": distance.abs() * both,
            "first": (at == 0) & both,
            "separator": last[:, None, :] & both,
            "previous": (distance == -1) & both,
            "same": (distance == 0) & both,
            "word": same_word,
            "next": (distance == 1) & both,
        }
        counts = dict.fromkeys(KEYS, n_tokens)
        counts |= dict.fromkeys(("previous", "next"), n_tokens - 1)
        counts["word"] = same_word.any(-1).sum(-1).clamp(min=1)
        return {key: pattern.float() for key, pattern in patterns.items()}, counts


def _measured(
    weights: torch.Tensor,
    mask: torch.Tensor,
    patterns: dict[str, torch.Tensor],
    counts: dict[str, torch.Tensor],
) -> torch.Tensor:
    """Return the measures of a layer's weights [B, H, T, T] as [B, H, K]."""
    rows = mask[:, None, :].float()
    totals = {key: torch.einsum("bhij,bij->bh", weights, pattern) for key, pattern in patterns.items()}
    totals["entropy"] = (torch.special.entr(weights).sum(-1) * rows).sum(-1) / np.log(2)
    totals["largest"] = (weights.amax(-1) * rows).sum(-1)
    return torch.stack([totals[key] / counts[key][:, None] for key in KEYS], dim=-1)


def _compare(ours: np.ndarray[Any, Any], peer: np.ndarray[Any, Any]) -> float:
    """Return the largest difference; fail unless both have the same numbers: else the times say nothing.

    Of numbers above 1, such as distances in tokens, it is a share of them: float32 has 7 digits.
    """
    difference = float((np.abs(ours - peer) / np.maximum(1, np.abs(peer))).max())
    if difference > 1e-5:
        sys.exit(f"the two do not compute the same: a number differs by {difference:.1e}")
    return difference


def _timed(contender: Callable[[], _Found]) -> tuple[float, _Found]:
    started = time.thread_time()
    found = contender()
    return time.thread_time() - started, found


def sample_lines(path: Path | None) -> list[str]:
    """Return the sentences of a file, or some of the texts of the tests, of many lengths."""
    if path is not None:
        return path.read_text(encoding="utf-8").splitlines()[:N_SENTENCES]
    source = random.Random(0)
    words = (
        (Path(__file__).parents[2] / "resources/docs/explanation/architecture.md").read_text("utf-8").split()
    )
    return [" ".join(source.choices(words, k=source.randint(5, 45))) for _ in range(N_SENTENCES)]


def _print_memory() -> None:
    """Print the peak memory of the command over files of three sizes, for a small random checkpoint."""
    lines = sample_lines(None)
    with tempfile.TemporaryDirectory() as folder:
        model = write_bert(Path(folder, "model"))
        texts = Path(folder, "texts.txt")
        for n_lines in (1_000, 10_000, 100_000):
            texts.write_text("\n".join(lines[at % len(lines)] for at in range(n_lines)), encoding="utf-8")
            arguments = ["corpus", str(texts), "--model", str(model), "--out", f"{folder}/heads.npz"]
            command = [sys.executable, "-c", _WITH_PEAK, *arguments]
            answer = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
            peak = int(answer.stdout.split()[-1])
            write_line(f"{n_lines:,} lines, a small random checkpoint: at most {peak / 1024:.0f} MiB")


if __name__ == "__main__":
    main()
