"""The public names, for editors and type checkers: `__init__.py` loads each on its first use."""

from bertviz_app.api import Model as Model
from bertviz_app.api import Selection as Selection
from bertviz_app.api import analyse as analyse
from bertviz_app.api import compare as compare
from bertviz_app.api import corpus_summary as corpus_summary
from bertviz_app.api import dossier as dossier
from bertviz_app.api import finetune as finetune
from bertviz_app.api import head_names as head_names
from bertviz_app.api import head_view as head_view
from bertviz_app.api import list_models as list_models
from bertviz_app.api import model_view as model_view
from bertviz_app.api import open_model as open_model
from bertviz_app.api import pair_others as pair_others
from bertviz_app.api import pair_weights as pair_weights
from bertviz_app.api import pretrain as pretrain
from bertviz_app.api import record as record
from bertviz_app.api import training_history as training_history
from bertviz_app.api import widget as widget
from bertviz_app.api import window as window
from bertviz_app.features.corpora.studies.probe import open_probe as open_probe
from bertviz_app.trace import Trace as Trace
from bertviz_app.trace import from_arrays as from_arrays
from bertviz_app.trace import load_trace as load_trace
from bertviz_app.trace import save_trace as save_trace
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
