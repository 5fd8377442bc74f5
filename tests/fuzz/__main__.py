"""`make fuzz`: 100,000 spoilt files and more, or one again: `python -m tests.fuzz --case bin:123`."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

from tests.fuzz.kinds import KINDS, write_sound
from tests.fuzz.pool import Case, Report, cases, run
from tests.support.checkpoints import real_checkpoint

N_CASES = 100_000


def main() -> int:
    """Print how many files of each kind were opened, refused, and what went wrong; 1 if anything did."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz")
    parser.add_argument("--cases", type=int, default=N_CASES, help="how many files, of all kinds together")
    parser.add_argument("--seed", type=int, default=0, help="the first seed of each kind")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="processes at a time")
    parser.add_argument("--case", metavar="KIND:SEED", help="one case again")
    options = parser.parse_args()
    chosen = [_case(options.case)] if options.case else list(cases(options.cases, options.seed))
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as made:
        write_sound(Path(made), real_checkpoint())
        report = run(Path(made), chosen, options.workers)
    _print(report, chosen, time.perf_counter() - start)
    return 1 if report.faults else 0


def _case(text: str) -> Case:
    name, _, seed = text.partition(":")
    return name, int(seed)


def _print(report: Report, chosen: list[Case], seconds: float) -> None:
    lines = [f"{'kind':<17} {'files':>7} {'loaded':>7} {'refused':>8}  seeds"]
    for name in KINDS:
        seeds = [seed for kind, seed in chosen if kind == name]
        counts = {outcome: n for (kind, outcome), n in report.outcomes.items() if kind == name}
        refused = sum(n for outcome, n in counts.items() if outcome.endswith("Error"))
        if seeds:
            span = f"{min(seeds)} to {max(seeds)}"
            lines.append(
                f"{name:<17} {sum(counts.values()):7,} {counts.get('loaded', 0):7,} {refused:8,}  {span}"
            )
    lines.append(f"{report.n_cases:,} spoilt files in {seconds:.0f} s, {len(report.faults)} faults")
    lines.append(f"slowest {report.slowest[0]:.2f} s ({report.slowest[1]})")
    lines.append(f"most memory {report.largest[0] / 1e6:.0f} MB ({report.largest[1]})")
    sys.stdout.write("\n".join(lines + report.faults[:50]) + "\n")


if __name__ == "__main__":
    sys.exit(main())
