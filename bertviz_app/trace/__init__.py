"""What one forward pass did, as plain arrays: `Trace`, and its files."""

from bertviz_app.trace.archive import load_trace, save_arrays, save_trace
from bertviz_app.trace.trace import Trace

__all__ = ["Trace", "load_trace", "save_arrays", "save_trace"]
