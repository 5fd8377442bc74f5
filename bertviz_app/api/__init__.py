"""The program without a screen: `open_model(ref).trace(text)`. Loads no Qt."""

import warnings as _warnings
from types import ModuleType as _ModuleType
from typing import Any as _Any

from bertviz_app.analysis import catalogue as _catalogue
from bertviz_app.analysis.compare import Compared as Compared
from bertviz_app.analysis.compare import compare as compare
from bertviz_app.analysis.entry import Analysis as _Analysis
from bertviz_app.analysis.measures import MEASURES as MEASURES
from bertviz_app.analysis.measures import HeadName as HeadName
from bertviz_app.analysis.measures import head_measures as head_measures
from bertviz_app.analysis.measures import head_names as head_names
from bertviz_app.analysis.pairs import PairHead as PairHead
from bertviz_app.analysis.pairs import pair_others as pair_others
from bertviz_app.analysis.pairs import pair_weights as pair_weights
from bertviz_app.analysis.pairs import strongest_heads as strongest_heads
from bertviz_app.analysis.predictions import Answer as Answer
from bertviz_app.analysis.predictions import Classes as Classes
from bertviz_app.analysis.predictions import Filling as Filling
from bertviz_app.analysis.predictions import LabelledToken as LabelledToken
from bertviz_app.analysis.predictions import NextSentence as NextSentence
from bertviz_app.analysis.predictions import Predictions as Predictions
from bertviz_app.analysis.predictions import Span as Span
from bertviz_app.analysis.predictions import Suspect as Suspect
from bertviz_app.analysis.probing.outcomes import Outcome as Outcome
from bertviz_app.analysis.results import Result as Result
from bertviz_app.api.arguments import finetune as finetune
from bertviz_app.api.arguments import pretrain as pretrain
from bertviz_app.api.corpora import training_history as training_history
from bertviz_app.api.model import Model as Model
from bertviz_app.api.model import analyse as analyse
from bertviz_app.api.model import corpus_summary as corpus_summary
from bertviz_app.api.model import dossier as dossier
from bertviz_app.api.model import list_models as list_models
from bertviz_app.api.model import open_model as open_model
from bertviz_app.api.notebook import NotebookView as NotebookView
from bertviz_app.api.notebook import OpenWindow as OpenWindow
from bertviz_app.api.notebook import Selection as Selection
from bertviz_app.api.notebook import head_view as head_view
from bertviz_app.api.notebook import model_view as model_view
from bertviz_app.api.notebook import widget as widget
from bertviz_app.api.notebook import window as window
from bertviz_app.api.of_transformers import record as record
from bertviz_app.checkpoint.parameters import LinearProduct as LinearProduct
from bertviz_app.checkpoint.parameters import ParameterTable as ParameterTable
from bertviz_app.checkpoint.parameters import StoredParameter as StoredParameter
from bertviz_app.checkpoint.sources.source import Source as Source
from bertviz_app.features.corpora.dossier import Dossier as Dossier
from bertviz_app.features.corpora.dossier import Evidence as Evidence
from bertviz_app.features.corpora.dossier import HeadNotes as HeadNotes
from bertviz_app.features.corpora.process.measuring import CorpusSettings as CorpusSettings
from bertviz_app.features.corpora.process.measuring import TextReading as TextReading
from bertviz_app.features.corpora.process.run import CorpusListener as CorpusListener
from bertviz_app.features.corpora.process.run import CorpusProgress as CorpusProgress
from bertviz_app.features.corpora.process.studies import StudySettings as StudySettings
from bertviz_app.features.corpora.studies.catalogue import STUDIES as STUDIES
from bertviz_app.features.corpora.studies.statistics import HeadStatistics as HeadStatistics
from bertviz_app.features.corpora.summary import CorpusSummary as CorpusSummary
from bertviz_app.features.methods.significance import benjamini_hochberg as benjamini_hochberg
from bertviz_app.features.methods.significance import sign_flip_p as sign_flip_p
from bertviz_app.features.training.finetuning.settings import MultiLabelEvaluation as MultiLabelEvaluation
from bertviz_app.features.training.finetuning.settings import ScoreEvaluation as ScoreEvaluation
from bertviz_app.features.training.finetuning.settings import TagEvaluation as TagEvaluation
from bertviz_app.features.training.finetuning.settings import TuningEvaluation as TuningEvaluation
from bertviz_app.features.training.finetuning.settings import TuningListener as TuningListener
from bertviz_app.features.training.finetuning.settings import TuningSettings as TuningSettings
from bertviz_app.features.training.finetuning.settings import TuningStep as TuningStep
from bertviz_app.features.training.pretraining.settings import Evaluation as Evaluation
from bertviz_app.features.training.pretraining.settings import PretrainingListener as PretrainingListener
from bertviz_app.features.training.pretraining.settings import PretrainingSettings as PretrainingSettings
from bertviz_app.features.training.pretraining.settings import StepReport as StepReport
from bertviz_app.text import Tokens as Tokens
from bertviz_app.text.edits import CellIntervention as CellIntervention
from bertviz_app.text.edits import HeadIntervention as HeadIntervention
from bertviz_app.text.edits import Intervention as Intervention
from bertviz_app.text.edits import StateIntervention as StateIntervention
from bertviz_app.text.edits import TokenIntervention as TokenIntervention
from bertviz_app.text_tables.table import TableError as TableError
from bertviz_app.trace import Trace as Trace
from bertviz_app.trace import WeightsTrace as WeightsTrace
from bertviz_app.trace import from_arrays as from_arrays
from bertviz_app.trace import load_trace as load_trace
from bertviz_app.trace import save_trace as save_trace
from bertviz_app.trace.arrays import EncoderDecoderTraces as EncoderDecoderTraces
from bertviz_app.trace.provenance import LayerDetails as LayerDetails
from bertviz_app.trace.provenance import Logits as Logits

ANALYSES: tuple[_Analysis[_Any, _Any], ...]
"""All analyses, those of other packages among them, which are imported when this name is first read."""

__all__ = [
    "ANALYSES",
    *(name for name, value in globals().items() if name[0] != "_" and not isinstance(value, _ModuleType)),
]


def __getattr__(name: str) -> object:
    """Return `ANALYSES`, with a warning about each analysis of another package that was left out."""
    if name != "ANALYSES":
        raise AttributeError(f"module 'bertviz_app.api' has no attribute {name!r}")
    for problem in _catalogue.installed().problems:
        _warnings.warn(problem, stacklevel=2)
    return _catalogue.analyses()


def __dir__() -> list[str]:
    """Return the public names: what a notebook offers behind the dot."""
    return __all__
