"""`bertviz-app models`, `parameters` and `parts`: what checkpoints hold."""

from __future__ import annotations

import argparse
import json
from datetime import date
from pathlib import Path

from bertviz_app.cli.arguments import Add, add_answers, add_model, answers_of, check_ending, numbers
from bertviz_app.cli.reading import open_model
from bertviz_app.cli.terminal import print_text, progress, table
from bertviz_app.inference.fetching import USUAL_TEXT
from bertviz_app.typeset import byte_count


def add_models(add: Add) -> None:
    add("models", "list the checkpoints on this computer", _models)


def _models(options: argparse.Namespace) -> int:
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


ENDINGS = (".csv", ".json")


def add_parameters(add: Add) -> None:
    parser = add(
        "parameters", "print every matrix and vector of a checkpoint, and save the table", _parameters
    )
    add_model(parser)
    add_answers(parser)
    parser.add_argument(
        "--out", type=Path, metavar="FILE", help=f"write the table to FILE ({', '.join(ENDINGS)})"
    )


def _parameters(options: argparse.Namespace) -> int:
    if options.out is not None:
        check_ending(options.out, ENDINGS)
    found = open_model(options).parameters()
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
        count = sum(entry.n_numbers for entry in entries)
        print_text(f"{title}: {count:,} parameters")
        print_text(
            table(("  what", "", "name in the file", "shape", "parameters", "share", ""), rows, right=(4, 5))
        )
        print_text("")
    print_text(f"{found.total:,} parameters in {len(found)} matrices and vectors")
    if options.out is not None:
        found.save(options.out)
        print_text(f"Wrote {options.out}.")
    return 0


_CLOSE = 1e-4
"""The largest difference, in proportion to the largest number, that rounding in float32 makes."""


def add_parts(add: Add) -> None:
    parser = add("parts", "print which part of the model each tensor of a file is, and check it", _parts)
    add_model(parser)
    add_answers(parser)
    parser.add_argument(
        "--out", type=Path, metavar="FILE", help="write the parts to FILE (.json), for --parts"
    )
    parser.add_argument(
        "--output",
        type=Path,
        metavar="FILE",
        help="an output of the model's own code, as torch.save writes it, to compare with",
    )
    parser.add_argument("--text", metavar="TEXT", default=USUAL_TEXT, help="the text that the output is of")
    parser.add_argument("--pair", metavar="TEXT", help="and its second sentence")
    parser.add_argument("--ids", type=numbers, metavar="I,J,…", default=(), help="the ids that it is of")


def _parts(options: argparse.Namespace) -> int:
    from bertviz_app.checkpoint.answers import saved_answers
    from bertviz_app.checkpoint.notebooks.config import listed_parts
    from bertviz_app.checkpoint.sources.source import parts_of
    from bertviz_app.inference.fetching import OutputCase, check_parts, source_of

    if options.out is not None:
        check_ending(options.out, (".json",))
    source = source_of(options.model, progress(options.model), None)
    answers = answers_of(options)
    stated = answers.over(saved_answers(source.folder))
    parts = listed_parts(parts_of(source.folder, source.weights, stated).weights, stated)
    rows = [
        (
            part.name,
            ", ".join(" x ".join(map(str, shape)) for shape in part.shapes),
            part.role or "?",
            "" if part.is_certain else "not certain",
        )
        for part in parts
    ]
    print_text(table(("tensors", "shape", "part", ""), rows))
    if options.out is not None:
        content = {**stated.given(), "parts": {part.name: part.role for part in parts}}
        options.out.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
        print_text(f"Wrote {options.out}.")
    case = OutputCase(options.output, options.text, options.pair, tuple(options.ids))
    found = check_parts(source, answers, case)
    if found.error is not None:
        raise found.error
    print_text(f"It opens, and {found.n_tokens} tokens give finite numbers.")
    if found.largest is not None:
        where = f"{found.largest:.3g}, at token {found.token}"
        print_text(f"The largest difference from the saved output is {where}.")
    return 0 if found.largest is None or found.largest <= _CLOSE * max(1.0, found.size) else 1
