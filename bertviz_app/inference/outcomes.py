"""`intervention_outcomes`: the outcomes of a run before and after its interventions, by its checkpoint."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bertviz_app.inference.engine import Engine, TraceRequest
from bertviz_app.text import Edits, Tokens
from bertviz_app.types import Check, Floats

if TYPE_CHECKING:
    from bertviz_app.analysis.model_access import ModelAccess
    from bertviz_app.analysis.probing.interventions.outcomes import Outcome
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
        from bertviz_app.analysis.probing.interventions.outcomes import outcomes
        from bertviz_app.inference.model_access import OpenedModel, without_interventions

        assert isinstance(model, OpenedModel)

        def read(edits: Edits) -> Tokens:
            return model.checkpoint.tokens(request.text, request.pair, edits)

        def sentence(hidden: Floats, tokens: Tokens) -> Floats | None:
            module = model.checkpoint.sentence
            return None if module is None else module.of(hidden, model.checkpoint.n_prompt_tokens(tokens))

        return outcomes(trace, without_interventions(model), read, sentence, other)

    return engine.with_model(request, trace, work, check)
