"""`bertviz-app models`, `parameters` and `parts`: what checkpoints hold."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Annotated

from bertviz_app.checkpoint.question_table import saved_answers
from bertviz_app.checkpoint.sources.source import parts_of
from bertviz_app.cli.arguments import numbers
from bertviz_app.cli.reading import Checkpoint, file, finish
from bertviz_app.cli.signatures import Typed
from bertviz_app.cli.terminal import print_text, progress, table
from bertviz_app.features.own_checkpoints.check import USUAL_TEXT, OutputCase, check_parts
from bertviz_app.inference.fetching import source_of
from bertviz_app.typeset import byte_count


def models() -> int:
    """List the checkpoints on this computer."""
    from bertviz_app.checkpoint.sources.source import list_sources

    rows = []
    for source in list_sources():
        shape = f"{source.n_layers} x {source.n_heads} x {source.width}" if source.family else ""
        remark = source.sentence if source.problem is None else f"{source.sentence} Damaged: {source.problem}"
        pieces = f"{source.vocabulary_size:,}" if source.family else ""
        day = date.fromtimestamp(source.modified).isoformat() if source.modified else ""
        rows.append((source.name, source.family, shape, pieces, byte_count(source.n_bytes), day, remark))
    if rows:
        titles = ("name", "family", "layers x heads x width", "vocabulary", "size", "date", "where from")
        print_text(table(titles, rows, right=(3, 4)))
    else:
        print_text("There is no checkpoint on this computer yet. Give a folder, or org/name, after --model.")
    return 0


def parameters(checkpoint: Checkpoint, out: Annotated[Path | None, file(".csv", ".json")] = None) -> int:
    """Print every matrix and vector of a checkpoint, and save the table.

    Parameters
    ----------
    out
        Write the table to FILE.
    """
    found = checkpoint.open().parameters()
    for title, entries in found.sections():
        rows = [
            (
                f"  {entry.title}",
                entry.symbol,
                entry.name or entry.key,
                " x ".join(map(str, entry.shape)),
                f"{entry.n_numbers:,}",
                f"{found.share(entry):.2%}",
                " ".join(entry.notes),
            )
            for entry in entries
        ]
        print_text(f"{title}: {sum(entry.n_numbers for entry in entries):,} parameters")
        titles = ("  what", "", "name in the file", "shape", "parameters", "share", "")
        print_text(f"{table(titles, rows, right=(4, 5))}\n")
    print_text(f"{found.total:,} parameters in {len(found)} matrices and vectors")
    return finish(out, found.save)


_CLOSE = 1e-4
"""The largest difference, in proportion to the largest number, that rounding in float32 makes."""


def parts(
    checkpoint: Checkpoint,
    out: Annotated[Path | None, file(".json")] = None,
    output: Path | None = None,
    text: str = USUAL_TEXT,
    pair: str | None = None,
    ids: Annotated[tuple[int, ...], Typed(numbers, "I,J,…")] = (),
) -> int:
    """Print which part of the model each tensor of a file is, and check it.

    Parameters
    ----------
    out
        Write the parts to FILE (.json), for --parts.
    output
        An output of the model's own code, as torch.save writes it, to compare with.
    text : TEXT
        The text that the output is of.
    pair : TEXT
        And its second sentence.
    ids
        The ids that it is of.
    """
    from bertviz_app.features.own_checkpoints.config import listed_parts

    source = source_of(checkpoint.model, progress(checkpoint.model), None)
    answers = checkpoint.answers
    stated = answers.over(saved_answers(source.folder))
    listed = listed_parts(parts_of(source.folder, source.weights, stated).weights, stated)
    rows = [
        (
            part.name,
            ", ".join(" x ".join(map(str, shape)) for shape in part.shapes),
            part.role or "?",
            "" if part.is_certain else "not certain",
        )
        for part in listed
    ]
    print_text(table(("tensors", "shape", "part", ""), rows))
    if out is not None:
        content = {**stated.given(), "parts": {part.name: part.role for part in listed}}
        out.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
        print_text(f"Wrote {out}.")
    found = check_parts(source, answers, OutputCase(output, text, pair, ids))
    if found.error is not None:
        raise found.error
    print_text(f"It opens, and {found.n_tokens} tokens give finite numbers.")
    if found.largest is not None:
        where = f"{found.largest:.3g}, at token {found.token}"
        print_text(f"The largest difference from the saved output is {where}.")
    return 0 if found.largest is None or found.largest <= _CLOSE * max(1.0, found.size) else 1
