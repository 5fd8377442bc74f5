"""`bertviz-app check`: whether a checkpoint does what a file states about its heads."""

from __future__ import annotations

import argparse
from pathlib import Path

from bertviz_app.cli.arguments import Add, add_answers, add_model, check_ending
from bertviz_app.cli.reading import open_model
from bertviz_app.cli.terminal import print_error, print_text

_FAILED = 1


def add_check(add: Add) -> None:
    parser = add("check", "check what a file states about the heads of a checkpoint", _check)
    about = "statements in TOML: [[check]] with head, measure or name, minimum or maximum, and file or text"
    parser.add_argument("file", metavar="FILE", type=Path, help=about)
    add_model(parser)
    add_answers(parser)
    out = "write the verdicts to FILE (.csv)"
    parser.add_argument("--out", type=Path, metavar="FILE", help=out)


def _check(options: argparse.Namespace) -> int:
    """Return 0 where all holds, 1 where something does not; a wrong file is an error of the user."""
    from bertviz_app.inference.corpus.assertions import read_statements
    from bertviz_app.tables import write_file, write_table_csv

    if options.out is not None:
        check_ending(options.out, (".csv",))
    stated = read_statements(options.file)
    options.model = stated.model if options.model is None else options.model
    found = open_model(options).check_heads(stated)
    print_text(str(found))
    if options.out is not None:
        write_file(options.out, {".csv": lambda beside: write_table_csv(found.as_table(), beside)})
    n_failed = sum(not one.holds for one in found)
    if n_failed:
        print_error(f"{n_failed} of {len(found)} statements in {options.file.name} do not hold.")
    return _FAILED if n_failed else 0
