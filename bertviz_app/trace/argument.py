"""`as_trace`: an argument that must be a trace."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bertviz_app.trace as traces
from bertviz_app.errors import ArgumentError, Message
from bertviz_app.trace.indexing import described

if TYPE_CHECKING:
    from bertviz_app.trace.trace import Trace


def as_trace(value: object, call: str) -> Trace:
    """Return a trace; `call` is the right one, for the message. Raises ArgumentError for anything else."""
    if isinstance(value, traces.Trace):
        return value
    message = Message("A trace is needed, which model.trace returns, not {0}.", described(value))
    raise ArgumentError(message, Message("Call {0}.", call))
