"""`bertviz-app parts`: which part of a model each tensor of a file is, and a comparison with an output."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from bertviz_app.cli.arguments import add_answers, add_model, answers_of, check_ending, numbers
from bertviz_app.cli.printing import print_text, progress, table
from bertviz_app.cli.terminal import Add
from bertviz_app.inference.fetching import USUAL_TEXT

_ENDINGS = (".json",)
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
        check_ending(options.out, _ENDINGS)
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
