"""`bertviz-app history`: the heads of every checkpoint of a training, on the same texts."""

from __future__ import annotations

import argparse
from pathlib import Path

from bertviz_app.analysis.measures import KEYS
from bertviz_app.cli.arguments import Add, check_ending
from bertviz_app.cli.terminal import INTERRUPTED, print_error, print_text, show_progress, table

ENDINGS = (".csv", ".json", ".npz")


def add_history(add: Add) -> None:
    parser = add("history", "measure the heads of every checkpoint of a training", _history)
    about = "the folder of a training with checkpoint-N in it, or several: folders, OWNER/NAME@REVISION"
    parser.add_argument("checkpoints", metavar="CHECKPOINT", nargs="+", help=about)
    parser.add_argument("--texts", metavar="FILE", required=True, help="text, a sentence a line")
    measure = "the measure by which the heads that change most are listed (previous)"
    parser.add_argument("--measure", choices=KEYS, default="previous", help=measure)
    parser.add_argument(
        "--out", type=Path, metavar="FILE", help=f"write all numbers to FILE ({', '.join(ENDINGS)})"
    )


def _history(options: argparse.Namespace) -> int:
    from bertviz_app.api.history import training_history
    from bertviz_app.inference.corpus.history import save_history

    if options.out is not None:
        check_ending(options.out, ENDINGS)
    names = options.checkpoints

    def progress(share: float) -> None:
        show_progress(f"{share:.0%}")

    try:
        found = training_history(names[0] if len(names) == 1 else names, options.texts, progress=progress)
    except KeyboardInterrupt:
        show_progress("")
        print_error("Stopped. What is measured is saved: the same command goes on from there.")
        return INTERRUPTED
    finally:
        show_progress("")
    rows = [
        (f"{one.head[0]}.{one.head[1]}", f"{one.first:.4f}", f"{one.last:.4f}", f"{one.step:,}")
        for one in found.formed(options.measure)[:20]
    ]
    print_text(f"{options.measure}, steps {found.stages[0].step:,} to {found.stages[-1].step:,}:")
    print_text(table(("head", "first", "last", "half by step"), rows, right=(1, 2, 3)))
    if options.out is not None:
        save_history(found, options.out)
        print_text(f"Wrote {options.out}.")
    return 0
