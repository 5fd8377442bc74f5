"""`Trace`, the arrays that one forward pass computed, and its files. Names are imported on first use."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bertviz_app.trace.archive import load_trace as load_trace
    from bertviz_app.trace.archive import save_arrays as save_arrays
    from bertviz_app.trace.archive import save_trace as save_trace
    from bertviz_app.trace.archive import write_arrays as write_arrays
    from bertviz_app.trace.trace import Trace as Trace

__all__ = ["Trace", "load_trace", "save_arrays", "save_trace", "write_arrays"]

_HOMES = {
    "Trace": "bertviz_app.trace.trace",
    "load_trace": "bertviz_app.trace.archive",
    "save_arrays": "bertviz_app.trace.archive",
    "save_trace": "bertviz_app.trace.archive",
    "write_arrays": "bertviz_app.trace.archive",
}


def __getattr__(name: str) -> Any:
    """Return the public name from the module that defines it."""
    if name not in _HOMES:
        raise AttributeError(f"module 'bertviz_app.trace' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
