"""The public names, for editors and type checkers: `__init__.py` loads each on its first use."""

from bertviz_app.api import (
    Model as Model,
    Selection as Selection,
    analyse as analyse,
    compare as compare,
    corpus_summary as corpus_summary,
    dossier as dossier,
    finetune as finetune,
    head_names as head_names,
    head_view as head_view,
    list_models as list_models,
    model_view as model_view,
    open_model as open_model,
    pair_others as pair_others,
    pair_weights as pair_weights,
    pretrain as pretrain,
    record as record,
    training_history as training_history,
    widget as widget,
    window as window,
)
from bertviz_app.features.corpora.studies.probe import open_probe as open_probe
from bertviz_app.trace import (
    Trace as Trace,
    from_arrays as from_arrays,
    load_trace as load_trace,
    save_trace as save_trace,
)
from bertviz_app.version import __version__ as __version__

__all__ = [
    "Model",
    "Selection",
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
