"""`rounding`: how far weights made with bfloat16 are from those of float32."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from bertviz_app.checkpoint.questions import of_another
from bertviz_app.inference.devices import device_name
from bertviz_app.inference.engine import Engine, TraceRequest
from bertviz_app.types import Check

if TYPE_CHECKING:
    from bertviz_app.trace import Trace


def rounding(engine: Engine, request: TraceRequest, trace: Trace, check: Check = lambda: None) -> float:
    """Return how far a weight of `trace`, the answer to `request`, is at most from that of float32.

    The text is encoded once more, in float32. Raises CheckpointError if the checkpoint is no longer the one
    of the trace, what `Engine.trace` raises, or whatever `check` raises.
    """
    from bertviz_app.analysis.compare import largest_difference

    exact = engine.trace(replace(request, device=device_name(request.device, "float32")), check)
    if exact.trace.fingerprint != trace.fingerprint:
        raise of_another(exact.facts)
    return largest_difference(trace, exact.trace, check)
