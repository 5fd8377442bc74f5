"""A trace that was read from a file, as a result that can be shown without its checkpoint."""

from __future__ import annotations

from dataclasses import dataclass

from bertviz_app.checkpoint.questions import ModelFacts
from bertviz_app.inference.engine import TraceRequest, TraceResult
from bertviz_app.inference.fetching import SavedCheckpoint
from bertviz_app.inference.opened_checkpoint import Device
from bertviz_app.trace import Trace

FILE = Device("file", "file", "")
"""Where the numbers of a saved trace come from, in the place of a device."""


@dataclass(frozen=True, eq=False)
class SavedResult(TraceResult):
    """A result from a file. `is_here`: its checkpoint is on this computer, at the `ref` of the request."""

    is_here: bool = False


def saved_result(trace: Trace, checkpoint: SavedCheckpoint, ref: str | None = None) -> SavedResult:
    """Return `trace` as if it had just been encoded, in no time.

    `ref` is where its checkpoint is on this computer, None if it is not here.
    """
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
        identity=checkpoint.identity,
        ref=ref or checkpoint.ref,
    )
    edits = trace.edits
    request = TraceRequest(ref or checkpoint.ref or trace.model, "auto", tokens.text, tokens.pair, edits)
    return SavedResult(request, trace, facts, FILE, 0.0, (), is_here=ref is not None)
