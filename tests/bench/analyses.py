"""Every analysis of the catalogue on all-MiniLM-L6-v2: how far its identity is off, and what it costs.

`python -m tests.bench.analyses [KEY...]` prints what is measured in the table of
`resources/docs/reference/analyses.md`: the identity for its sentence, the processor time for 32 tokens.
`--table` prints the slowest alone, as the table of `make bench` has it.
"""

from __future__ import annotations

import statistics
import sys
import time
from dataclasses import replace
from typing import Any

from bertviz_app.analysis.catalogue import CATALOGUE, find_analysis
from bertviz_app.analysis.entry import Analysis, Needs
from bertviz_app.analysis.parameters import parameters_of
from bertviz_app.api import Model, open_model
from bertviz_app.errors import AnalysisError
from bertviz_app.trace import Trace
from tests.bench.rows import Budget, Row, emit, write_line
from tests.support.checkpoints import real_checkpoint
from tests.support.peers import OTHER, S

LONG = (
    "The quick brown fox jumps over the lazy dog, and then it runs through the dark forest to the river, "
    "where it drinks water before it sleeps."
)
LONG_OTHER = (
    "A fast auburn fox leaps above a sleepy hound, and later it walks along the bright meadow to the lake, "
    "where it catches a small fish before it rests."
)
N_TOKENS, REPEATS = 32, 3
BUDGET = 2.0  # seconds


def main() -> None:
    model = open_model(str(real_checkpoint()), device="cpu")
    if "--table" in sys.argv:
        emit(_slowest(model))
        return
    short, long = ([model.trace(text) for text in texts] for texts in ((S, OTHER), (LONG, LONG_OTHER)))
    assert len(long[0].tokens) == N_TOKENS, len(long[0].tokens)
    write_line(f"{model.facts.name}; identity: {S!r}; processor time: {N_TOKENS} tokens, median of {REPEATS}")
    write_line(f"{'key':26}  {'identity':>9}  {'seconds':>8}  {'most':>8}")
    for analysis in [find_analysis(key) for key in sys.argv[1:]] or CATALOGUE:
        write_line(f"{analysis.key:26}  {' '.join(_measured(model, analysis, short, long))}")


def _slowest(model: Model) -> Row:
    """Return the row of the analysis that takes longest, by the clock, of all that are allowed."""
    traces = [model.trace(text) for text in (LONG, LONG_OTHER)]
    elapsed, processor = {}, {}
    for analysis in CATALOGUE:
        begun = time.perf_counter(), time.process_time()
        try:
            _run(model, analysis, traces)
        except AnalysisError:
            continue
        elapsed[analysis.key] = time.perf_counter() - begun[0]
        processor[analysis.key] = time.process_time() - begun[1]
    slowest = max(elapsed, key=elapsed.__getitem__)
    row = Row("an analysis, the slowest", model.facts.name, N_TOKENS, "s", elapsed[slowest])
    over = ", ".join(f"{key} {value:.1f}" for key, value in elapsed.items() if value > BUDGET)
    remark = (
        f"{slowest}, of {len(elapsed)} that this model allows; {processor[slowest]:.1f} s of processor time; "
        f"over the budget: {over or 'none'}"
    )
    return replace(row, budget=Budget(BUDGET, "ours"), remark=remark)


def _measured(model: Model, analysis: Analysis[Any, Any], short: list[Trace], long: list[Trace]) -> list[str]:
    """Return the identity's error and the seconds, or why the model does not allow the analysis."""
    try:
        error = _run(model, analysis, short)
        seconds = []
        for _ in range(REPEATS):
            begun = time.process_time()
            _run(model, analysis, long)
            seconds.append(time.process_time() - begun)
    except AnalysisError as problem:
        return [f" {problem}"]
    written = f"{'none':>9}" if error is None else f"{error:9.0e}"
    return [written, f"{statistics.median(seconds):9.2f}", f"{max(seconds):9.2f}"]


def _run(model: Model, analysis: Analysis[Any, Any], traces: list[Trace]) -> float | None:
    """Run the analysis of a cosine where it may explain one; return how far its identity is off."""
    names = {parameter.name for parameter in parameters_of(analysis.parameters)}
    chosen: dict[str, Any] = {"target": "cosine"} if "target" in names else {}
    compares = bool(chosen) or Needs.SECOND_RUN in analysis.needs
    return model.analyse(analysis.key, traces[0], traces[1] if compares else None, **chosen).identity_error


if __name__ == "__main__":
    main()
