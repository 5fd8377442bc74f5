"""BertViz App: look inside BERT-style encoders.

    import bertviz_app
    model = bertviz_app.open_model()
    trace = model.trace("A cat ate the fish because it was hungry")
    trace.attention(layer=5, head=7)  # [T, T], row = query, column = key

The names below are loaded on first use, so that the window can paint before torch is read.
"""

from importlib import import_module as _import_module

from bertviz_app.version import __version__ as __version__

_NAMES = {
    "bertviz_app.features.corpora.studies.probe": ("open_probe",),
    "bertviz_app.api": (
        "Model",
        "Selection",
        "analyse",
        "compare",
        "corpus_summary",
        "dossier",
        "finetune",
        "head_names",
        "head_view",
        "list_models",
        "model_view",
        "open_model",
        "pair_others",
        "pair_weights",
        "pretrain",
        "record",
        "training_history",
        "widget",
        "window",
    ),
    "bertviz_app.trace": (
        "Trace",
        "from_arrays",
        "load_trace",
        "save_trace",
    ),
}
_HOMES = {name: module for module, names in _NAMES.items() for name in names}

__all__ = [*_HOMES]


def __dir__() -> list[str]:
    """Return the public names: what a notebook offers behind the dot."""
    return [*__all__, "__version__"]


def __getattr__(name: str) -> object:
    """Return the public name from the module that defines it."""
    if name not in _HOMES:
        raise AttributeError(f"module 'bertviz_app' has no attribute {name!r}")
    return getattr(_import_module(_HOMES[name]), name)
