"""How well a model predicts texts that it never saw, file by file.

python -m tests.bench.held_out MODEL FILE... [--trained FILE...]

Of a file that the model was trained on, named by `--trained`, only the documents that were held out are read.
At 128 tokens, and at 256 if the model reads that many; half of the pairs are in the order of the text. "next"
is of pairs with masked tokens, as in the training; "unmasked" is of the same pairs as they are written.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from bertviz_app.features.training.base import open_base
from bertviz_app.features.training.pretraining.network import Batch, PretrainingNetwork
from bertviz_app.features.training.pretraining.run import (
    Plan,
    baseline,
    evaluate,
    evaluation_batches,
    held_out_share,
    network_from,
    split_documents,
)
from bertviz_app.features.training.pretraining.settings import Evaluation, PretrainingSettings
from bertviz_app.features.training.pretraining.vocabulary import Materials, tokenise
from bertviz_app.features.training.settings import read_documents
from tests.bench.rows import write_line

LENGTHS = (128, 256)
SEED = 0


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.held_out")
    parser.add_argument("model")
    parser.add_argument("files", type=Path, nargs="+", metavar="FILE")
    parser.add_argument("--trained", type=Path, nargs="*", default=[], metavar="FILE")
    options = parser.parse_args()
    base = open_base(options.model)
    backend = base.tokenizer.backend.alone()
    if backend is None:
        sys.exit("The tokenizer is not one of BERT's kind.")
    network = network_from(base, PretrainingSettings()).eval()
    write_line("file                     length  tokens  masked  loss   commonest  next    unmasked  pairs")
    for path in options.files:
        corpus = tokenise(read_documents(path), backend)
        materials = Materials((corpus,), backend)
        if path in options.trained:
            corpus = split_documents(corpus, held_out_share(len(corpus.ids)), SEED)[1]
        for length in (each for each in LENGTHS if each <= base.encoder.config.n_positions):
            batches = evaluation_batches(Plan((corpus,), materials.pieces(), 2048, SEED), length)
            result, unmasked = (
                _evaluated(network, each, materials) for each in (batches, [*map(_unmasked, batches)])
            )
            write_line(
                f"{path.name:24} {length:6} {result.n_tokens:7} {result.masked_accuracy:7.1%} "
                f"{result.masked_loss:5.2f} {result.baseline:9.1%} {result.next_accuracy:7.1%} "
                f"{unmasked.next_accuracy:9.1%} {result.n_pairs:6}"
            )


def _unmasked(batch: Batch) -> Batch:
    """Return the batch with its tokens as they are written."""
    ids = batch.ids.clone()
    ids.view(-1)[batch.masked_positions] = batch.answers
    return replace(batch, ids=ids)


def _evaluated(network: PretrainingNetwork, batches: Sequence[Batch], materials: Materials) -> Evaluation:
    guess = baseline(materials.corpora, batches, materials.n_pieces)
    return evaluate(network, batches, contextlib.nullcontext, 0, guess, lambda: None)


if __name__ == "__main__":
    main()
