"""Examples of every head for 1,000 sentences of MiniLM, against the measures of `bertviz-app corpus`.

`python -m tests.bench.examples [FILE]`: processor time of one thread, both in turn in one run. The memory of
a part is printed too: it does not depend on the number of sentences.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import torch

from bertviz_app.analysis.parameters import SILENT
from bertviz_app.features.corpora.process.measuring import CorpusJob, LineReader, plain_kernels
from bertviz_app.features.corpora.process.run import open_alone
from bertviz_app.features.corpora.process.studies import model_of
from bertviz_app.features.corpora.studies.examples import ExamplesParameters, head_examples
from bertviz_app.features.corpora.studies.study import Measured, Part, Unit
from bertviz_app.inference.opened_checkpoint import CPU, find_device
from bertviz_app.text_tables.items import Item
from tests.bench.corpus import sample_lines
from tests.bench.rows import Budget, Row, compared, emit
from tests.support.checkpoints import real_checkpoint

ROUNDS = 3
BUDGET = 1.3


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the times of both, and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("file", nargs="?", type=Path, help="a text in each line")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    lines = sample_lines(options.file)
    opened = open_alone(str(real_checkpoint()))
    with tempfile.TemporaryDirectory() as scratch:
        texts = Path(scratch, "texts.txt")
        texts.write_text("\n".join(lines) + "\n", encoding="utf-8")
        job = CorpusJob((str(texts),), "heads.npz")
        parts: list[Part] = []

        def measures() -> None:
            for block in LineReader(job.files).blocks(job.settings.block_lines):
                job.measure((opened,), block, find_device(CPU))

        def examples() -> None:
            model = model_of(opened, find_device(CPU), lambda: None)
            tokens = opened.checkpoint.tokens
            units = [Unit(Item(number, line), tokens(line)) for number, line in enumerate(lines, 1)]
            measured = Measured(units, model, lambda _: parts[0])  # type: ignore[arg-type, return-value]
            with plain_kernels():
                parts[:] = [head_examples.measure(measured, ExamplesParameters(), SILENT)]

        examples()  # the first round warms up
        measures()
        times = [(_timed(examples), _timed(measures)) for _ in range(options.rounds)]
    part = parts[0]
    n_bytes = sum(array.nbytes for arrays in (part.sums, part.rows, part.kept) for array in arrays.values())
    row = Row(
        f"examples of heads over {len(lines):,} texts, processor time",
        "all-MiniLM-L6-v2",
        round(sum(len(opened.checkpoint.tokens(line)) for line in lines) / len(lines)),
        "s",
        peer_name="all measures of the same texts, as “bertviz-app corpus”",
        budget=Budget(BUDGET),
        remark=f"one thread; a part takes {n_bytes / 2**20:.1f} MiB, whatever the file; tokens are the mean",
    )
    emit(compared(row, *([*column] for column in zip(*times, strict=True))))


def _timed(work: Callable[[], None]) -> float:
    started = time.thread_time()
    work()
    return time.thread_time() - started


if __name__ == "__main__":
    main()
