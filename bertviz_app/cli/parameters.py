"""`bertviz-app parameters`: every matrix and vector of a checkpoint, printed and written."""

from __future__ import annotations

import argparse
from pathlib import Path

from bertviz_app.cli.arguments import add_answers, add_model, check_ending
from bertviz_app.cli.printing import print_text, table
from bertviz_app.cli.reading import open_model
from bertviz_app.cli.terminal import Add

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
