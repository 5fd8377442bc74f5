"""`Trace`, the arrays that one forward pass computed, and its files."""

from bertviz_app.trace.archive import load_trace, save_arrays, save_trace, write_arrays
from bertviz_app.trace.arrays import WeightsTrace
from bertviz_app.trace.given import from_arrays
from bertviz_app.trace.trace import Trace

__all__ = [
    "Trace",
    "WeightsTrace",
    "from_arrays",
    "load_trace",
    "save_arrays",
    "save_trace",
    "write_arrays",
]
