"""The rows of the table that `make bench` prints, and the file with them that it writes."""

from __future__ import annotations

import json
import os
import statistics
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal


@dataclass(frozen=True)
class Budget:
    """The largest value that is allowed, of what is measured here or of its ratio to the peer."""

    most: float
    of: Literal["ours", "ratio"] = "ratio"


@dataclass(frozen=True)
class Row:
    """One measured figure beside that of its peer; None stands for what could not be measured.

    `spread` is the distance of the quartiles of the rounds as a share of their median. `least` is the time
    that the matrix products and the memory traffic of the row alone take on this machine.
    `remark` says why a figure is missing, or how it was measured; `is_failure` that it should be here: a part
    failed, where on another machine it may only lack what it needs.
    """

    name: str
    model: str = ""
    n_tokens: int | None = None
    unit: str = "ms"
    ours: float | None = None
    peer_name: str = ""
    peer: float | None = None
    ratio: float | None = None
    spread: float | None = None
    budget: Budget | None = None
    least: float | None = None
    remark: str = ""
    is_failure: bool = False

    @property
    def ok(self) -> bool | None:
        """Whether the budget is held; None without a budget, or without the figure that it limits."""
        if self.budget is None:
            return None
        figure = self.ours if self.budget.of == "ours" else self.ratio
        return None if figure is None else figure <= self.budget.most

    @classmethod
    def from_json(cls, fields: Mapping[str, Any]) -> Row:
        """Return the row that `as_json` made these fields of."""
        most, of = fields["budget"], fields["budget_of"]
        named = {key: value for key, value in fields.items() if key not in {"budget", "budget_of", "ok"}}
        return cls(**named, budget=None if most is None else Budget(most, of))

    def as_json(self) -> dict[str, object]:
        """Return the row as `bench.json` has it: the budget as a number, and beside it what it limits."""
        fields = asdict(self)
        budget = self.budget
        fields["budget"] = None if budget is None else budget.most
        fields["budget_of"] = None if budget is None else budget.of
        fields["ok"] = self.ok
        return fields


def spread_of(values: Sequence[float]) -> float | None:
    """Return the distance of the quartiles as a share of the median; None for fewer than three values."""
    if len(values) < 3:
        return None
    lower, middle, upper = statistics.quantiles(values, n=4, method="inclusive")
    return (upper - lower) / middle if middle else None


def compared(row: Row, ours: Sequence[float], peer: Sequence[float]) -> Row:
    """Return `row` with the figures of rounds in which both ran in turn.

    The ratio is the median of the rounds' own ratios, so that a machine that is busy for some of the rounds
    slows both alike.
    """
    return replace(
        row,
        ours=statistics.median(ours),
        peer=statistics.median(peer),
        ratio=statistics.median(one / other for one, other in zip(ours, peer, strict=True)),
        spread=spread_of(ours),
    )


ROWS_FILE = "BENCH_ROWS"
"""The environment variable with the file to which a part that `make bench` started appends its rows."""
HEADER = (
    f"{'what':<52}{'model':<22}{'tokens':>7}{'ours':>10}{'peer':>10}  {'unit':<5}"
    f"{'ratio':>6}{'spread':>7}{'least':>9}  {'budget':<10}"
)


def line_of(row: Row) -> str:
    """Return the row as a line of text, the peer's name and the remark after it."""
    budget = row.budget
    limit = "" if budget is None else f"{_number(budget.most)}{' x' if budget.of == 'ratio' else ''}"
    held = {True: " held", False: " OVER", None: ""}[row.ok]
    notes = "; ".join(note for note in (row.peer_name and f"peer: {row.peer_name}", row.remark) if note)
    return (
        f"{row.name:<52}{row.model:<22}{'' if row.n_tokens is None else f'{row.n_tokens:,}':>7}"
        f"{_number(row.ours):>10}{_number(row.peer):>10}  {'' if row.ours is None else row.unit:<5}"
        f"{'' if row.ratio is None else f'{row.ratio:.2f}':>6}"
        f"{'' if row.spread is None else f'{row.spread:.0%}':>7}{_number(row.least):>9}  {limit + held:<10}"
        f"{'  ' + notes if notes else ''}"
    ).rstrip()


def _number(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def write_line(line: str) -> None:
    """Print a line at once, also where the output goes into a file."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def emit(row: Row) -> None:
    """Print a row, and append it to the file of `make bench` if that started this process."""
    write_line(line_of(row))
    name = os.environ.get(ROWS_FILE)
    if name:
        with Path(name).open("a", encoding="utf-8") as file:
            file.write(json.dumps(row.as_json(), ensure_ascii=False) + "\n")


def read_emitted(path: Path) -> list[Row]:
    """Return the rows that parts appended to a file; a line that was cut off with its process is left out."""
    if not path.is_file():
        return []
    lines = path.read_text(encoding="utf-8").split("\n")[:-1]
    return [Row.from_json(json.loads(line)) for line in lines]


def write_json(
    path: Path, machine: Mapping[str, object], versions: Mapping[str, str], rows: Sequence[Row]
) -> None:
    """Write what was measured, and on what."""
    found = {
        "machine": dict(machine),
        "versions": dict(versions),
        "rows": [row.as_json() for row in rows],
    }
    path.write_text(json.dumps(found, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
