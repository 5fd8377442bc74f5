"""`python -m tests.bench.figures`: how long the slowest figure of a paper takes, the modules being loaded."""

from __future__ import annotations

import statistics
import tempfile
import time
from pathlib import Path

from bertviz_app.api import Model, compare, open_model
from bertviz_app.figures import PICTURES, Figure
from bertviz_app.trace import Trace
from tests.bench.analyses import LONG, LONG_OTHER, N_TOKENS
from tests.bench.rows import Budget, Row, emit
from tests.support.checkpoints import real_checkpoint

ROUNDS = 3
BUDGET = 1.0  # seconds, of a figure that is made and saved


def main() -> None:
    model = open_model(str(real_checkpoint()), device="cpu")
    trace, other = (model.trace(text) for text in (LONG, LONG_OTHER))
    trace.figure().svg  # noqa: B018 - loads the views
    seconds = {
        f"{name} as {ending[1:]}": statistics.median(
            _seconds(model, (trace, other), name, ending) for _ in range(ROUNDS)
        )
        for name in ("matrix", "lines", "overview", "divergence", "head-distance")
        for ending in PICTURES
    }
    slowest = max(seconds, key=seconds.__getitem__)
    row = Row("a figure, the slowest", model.facts.name, N_TOKENS, "s", seconds[slowest])
    emit(Row(**{**vars(row), "budget": Budget(BUDGET, "ours"), "remark": slowest}))


def _seconds(model: Model, traces: tuple[Trace, Trace], name: str, ending: str) -> float:
    result = model.analyse(name, traces[0]) if name == "head-distance" else None
    both = compare(*traces)
    both.divergence  # noqa: B018 - it is computed once
    with tempfile.TemporaryDirectory() as folder:
        begun = time.perf_counter()
        figure: Figure
        if result is not None:
            figure = result.figure()
        else:
            figure = both.figure() if name == "divergence" else traces[0].figure(name)
        figure.save(Path(folder, f"a{ending}"), width="acl-wide")
        return time.perf_counter() - begun


if __name__ == "__main__":
    main()
