"""`intervention_outcomes`: the outcomes of a run before and after its interventions, by its checkpoint."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bertviz_app.inference.engine import Engine, TraceRequest
from bertviz_app.types import Check

if TYPE_CHECKING:
    from bertviz_app.analysis.model_access import ModelAccess
    from bertviz_app.analysis.probing.outcomes import Outcome
    from bertviz_app.trace import Trace


def intervention_outcomes(
    engine: Engine,
    request: TraceRequest,
    trace: Trace,
    other: Trace | None = None,
    check: Check = lambda: None,
) -> tuple[Outcome, ...]:
    """Return the outcomes before and after the interventions of `trace`; `other` is a second run.

    `trace` is the result of `request`. Each forward pass waits until no text waits to be encoded. Raises what
    `Engine.with_model` raises.
    """

    def work(model: ModelAccess) -> tuple[Outcome, ...]:
        from bertviz_app.analysis.probing.outcomes import outcomes

        return outcomes(trace, model, other)

    return engine.with_model(request, trace, work, check)
