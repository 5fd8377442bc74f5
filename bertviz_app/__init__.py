"""BertViz App: look inside BERT-style encoders.

    import bertviz_app
    model = bertviz_app.open_model("all-MiniLM-L6-v2")
    trace = model.trace("A cat ate the fish because it was hungry")
    trace.attention(layer=5, head=11)  # [T, T], row = query, column = key

The names below are loaded on first use, so that the window can paint before torch is read.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from bertviz_app.version import __version__ as __version__

if TYPE_CHECKING:
    from bertviz_app.analysis.studies.probe import open_probe as open_probe
    from bertviz_app.api import Model as Model
    from bertviz_app.api import analyse as analyse
    from bertviz_app.api import compare as compare
    from bertviz_app.api import corpus_summary as corpus_summary
    from bertviz_app.api import dossier as dossier
    from bertviz_app.api import finetune as finetune
    from bertviz_app.api import head_names as head_names
    from bertviz_app.api import list_models as list_models
    from bertviz_app.api import open_model as open_model
    from bertviz_app.api import pair_others as pair_others
    from bertviz_app.api import pair_weights as pair_weights
    from bertviz_app.api import pretrain as pretrain
    from bertviz_app.api import record as record
    from bertviz_app.api import training_history as training_history
    from bertviz_app.api import widget as widget
    from bertviz_app.api import window as window
    from bertviz_app.trace import Trace as Trace
    from bertviz_app.trace import from_arrays as from_arrays
    from bertviz_app.trace import load_trace as load_trace
    from bertviz_app.trace import save_trace as save_trace
    from bertviz_app.trace.notebook_views import head_view as head_view
    from bertviz_app.trace.notebook_views import model_view as model_view

__all__ = [
    "Model",
    "Trace",
    "analyse",
    "compare",
    "corpus_summary",
    "dossier",
    "finetune",
    "from_arrays",
    "head_names",
    "head_view",
    "list_models",
    "load_trace",
    "model_view",
    "open_model",
    "open_probe",
    "pair_others",
    "pair_weights",
    "pretrain",
    "record",
    "save_trace",
    "training_history",
    "widget",
    "window",
]

_HOMES = {
    "Model": "bertviz_app.api",
    "analyse": "bertviz_app.api",
    "compare": "bertviz_app.api",
    "corpus_summary": "bertviz_app.api",
    "dossier": "bertviz_app.api",
    "finetune": "bertviz_app.api",
    "head_names": "bertviz_app.api",
    "list_models": "bertviz_app.api",
    "open_model": "bertviz_app.api",
    "open_probe": "bertviz_app.analysis.studies.probe",
    "pair_others": "bertviz_app.api",
    "pair_weights": "bertviz_app.api",
    "pretrain": "bertviz_app.api",
    "record": "bertviz_app.api",
    "training_history": "bertviz_app.api",
    "widget": "bertviz_app.api",
    "window": "bertviz_app.api",
    "Trace": "bertviz_app.trace",
    "from_arrays": "bertviz_app.trace",
    "head_view": "bertviz_app.trace.notebook_views",
    "model_view": "bertviz_app.trace.notebook_views",
    "load_trace": "bertviz_app.trace",
    "save_trace": "bertviz_app.trace",
}


def __getattr__(name: str) -> Any:
    """Return the public name from the module that defines it."""
    if name not in _HOMES:
        raise AttributeError(f"module 'bertviz_app' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
