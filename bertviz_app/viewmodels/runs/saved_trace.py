"""A trace that was read from a file, as a result that can be shown without its checkpoint."""

from __future__ import annotations

from bertviz_app.checkpoint.model_facts import ModelFacts
from bertviz_app.inference.engine import Device, TraceRequest, TraceResult
from bertviz_app.text import Edits
from bertviz_app.trace import Trace

FILE = Device("file", "file", "")
"""Where the numbers of a saved trace come from, in the place of a device."""


def saved_result(trace: Trace, ref: str | None = None) -> TraceResult:
    """Return `trace` as if it had just been encoded, in no time."""
    tokens = trace.tokens
    facts = ModelFacts(
        name=trace.model,
        family="",
        n_layers=trace.n_layers,
        n_heads=trace.n_heads,
        width=trace.width,
        vocabulary_size=0,
        n_positions=trace.n_tokens,
        n_segments=2,
        n_parameters=0,
        n_bytes=0,
        origin="",
        has_pooler=trace.pooled is not None,
    )
    request = TraceRequest(ref, FILE.name, tokens.text, tokens.pair, Edits(trace.muted))
    return TraceResult(request, trace, facts, FILE, 0.0, ())
