"""`Trace`, the arrays that one forward pass computed, and its files."""

from bertviz_app.trace.archive import load_trace, save_arrays, save_trace, write_arrays
from bertviz_app.trace.arrays import WeightsTrace
from bertviz_app.trace.given import from_arrays
from bertviz_app.trace.notebook_views import NotebookView, head_view, model_view
from bertviz_app.trace.trace import Trace

__all__ = [
    "NotebookView",
    "Trace",
    "WeightsTrace",
    "from_arrays",
    "head_view",
    "load_trace",
    "model_view",
    "save_arrays",
    "save_trace",
    "write_arrays",
]
