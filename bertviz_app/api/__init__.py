"""The program without a screen: `open_model(ref).trace(text)`. Loads no Qt."""

from __future__ import annotations

import warnings
from typing import Any

from bertviz_app.analysis import catalogue as _catalogue
from bertviz_app.analysis.compare import Compared, compare
from bertviz_app.analysis.entry import Analysis
from bertviz_app.analysis.measures import MEASURES, HeadName, head_measures, head_names
from bertviz_app.analysis.pairs import PairHead, pair_others, pair_weights, strongest_heads
from bertviz_app.analysis.predictions import (
    Answer,
    Classes,
    Filling,
    LabelledToken,
    NextSentence,
    Predictions,
    Span,
    Suspect,
)
from bertviz_app.analysis.probing.outcomes import Outcome
from bertviz_app.analysis.pure.corpus_summary import CorpusSummary
from bertviz_app.analysis.pure.significance import benjamini_hochberg, sign_flip_p
from bertviz_app.analysis.results import Result
from bertviz_app.analysis.studies.catalogue import STUDIES
from bertviz_app.analysis.studies.statistics import HeadStatistics
from bertviz_app.api.arguments import finetune, pretrain
from bertviz_app.api.beside import OpenWindow, window
from bertviz_app.api.dossiers import dossier
from bertviz_app.api.history import training_history
from bertviz_app.api.in_cells import widget
from bertviz_app.api.model import Model, analyse, corpus_summary, list_models, open_model
from bertviz_app.api.recording import record
from bertviz_app.checkpoint.dossier import Dossier, Evidence, HeadNotes
from bertviz_app.checkpoint.parameters import LinearProduct, ParameterTable, StoredParameter
from bertviz_app.checkpoint.sources.source import Source
from bertviz_app.inference.corpus.measuring import CorpusSettings, TextReading
from bertviz_app.inference.corpus.run import CorpusListener, CorpusProgress
from bertviz_app.inference.corpus.studies import StudySettings
from bertviz_app.text import Tokens
from bertviz_app.text.edits import (
    CellIntervention,
    HeadIntervention,
    Intervention,
    StateIntervention,
    TokenIntervention,
)
from bertviz_app.text_tables.table import TableError
from bertviz_app.trace import Trace, WeightsTrace, from_arrays, load_trace, save_trace
from bertviz_app.trace.arrays import EncoderDecoderTraces
from bertviz_app.trace.notebook_views import NotebookView, head_view, model_view
from bertviz_app.trace.provenance import LayerDetails, Logits
from bertviz_app.trace.selection import Selection
from bertviz_app.training.finetuning.settings import (
    MultiLabelEvaluation,
    ScoreEvaluation,
    TagEvaluation,
    TuningEvaluation,
    TuningListener,
    TuningSettings,
    TuningStep,
)
from bertviz_app.training.pretraining.settings import (
    Evaluation,
    PretrainingListener,
    PretrainingSettings,
    StepReport,
)

__all__ = [
    "ANALYSES",
    "MEASURES",
    "STUDIES",
    "Answer",
    "CellIntervention",
    "Classes",
    "Compared",
    "CorpusListener",
    "CorpusProgress",
    "CorpusSettings",
    "CorpusSummary",
    "Dossier",
    "EncoderDecoderTraces",
    "Evaluation",
    "Evidence",
    "Filling",
    "HeadIntervention",
    "HeadName",
    "HeadNotes",
    "HeadStatistics",
    "Intervention",
    "LabelledToken",
    "LayerDetails",
    "LinearProduct",
    "Logits",
    "Model",
    "MultiLabelEvaluation",
    "NextSentence",
    "NotebookView",
    "OpenWindow",
    "Outcome",
    "PairHead",
    "ParameterTable",
    "Predictions",
    "PretrainingListener",
    "PretrainingSettings",
    "Result",
    "ScoreEvaluation",
    "Selection",
    "Source",
    "Span",
    "StateIntervention",
    "StepReport",
    "StoredParameter",
    "StudySettings",
    "Suspect",
    "TableError",
    "TagEvaluation",
    "TextReading",
    "TokenIntervention",
    "Tokens",
    "Trace",
    "TuningEvaluation",
    "TuningListener",
    "TuningSettings",
    "TuningStep",
    "WeightsTrace",
    "analyse",
    "benjamini_hochberg",
    "compare",
    "corpus_summary",
    "dossier",
    "finetune",
    "from_arrays",
    "head_measures",
    "head_names",
    "head_view",
    "list_models",
    "load_trace",
    "model_view",
    "open_model",
    "pair_others",
    "pair_weights",
    "pretrain",
    "record",
    "save_trace",
    "sign_flip_p",
    "strongest_heads",
    "training_history",
    "widget",
    "window",
]


ANALYSES: tuple[Analysis[Any, Any], ...]
"""All analyses, those of other packages among them, which are imported when this name is first read."""


def __getattr__(name: str) -> object:
    """Return `ANALYSES`, with a warning about each analysis of another package that was left out."""
    if name != "ANALYSES":
        raise AttributeError(f"module 'bertviz_app.api' has no attribute {name!r}")
    for problem in _catalogue.installed().problems:
        warnings.warn(problem, stacklevel=2)
    return _catalogue.analyses()


def __dir__() -> list[str]:
    """Return the public names: what a notebook offers behind the dot."""
    return __all__
