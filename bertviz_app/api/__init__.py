"""The program without a screen: `open_model(ref).trace(text)`. Loads no Qt."""

import warnings as _warnings
from types import ModuleType as _ModuleType
from typing import Any as _Any

from bertviz_app.analysis import catalogue as _catalogue
from bertviz_app.analysis.compare import Compared as Compared, compare as compare
from bertviz_app.analysis.entry import Analysis as _Analysis
from bertviz_app.analysis.measures import (
    MEASURES as MEASURES,
    HeadName as HeadName,
    head_measures as head_measures,
    head_names as head_names,
)
from bertviz_app.analysis.pairs import (
    PairHead as PairHead,
    pair_others as pair_others,
    pair_weights as pair_weights,
    strongest_heads as strongest_heads,
)
from bertviz_app.analysis.predictions import (
    Answer as Answer,
    Classes as Classes,
    Filling as Filling,
    LabelledToken as LabelledToken,
    NextSentence as NextSentence,
    Predictions as Predictions,
    Span as Span,
    Suspect as Suspect,
)
from bertviz_app.analysis.probing.interventions import Outcome as Outcome
from bertviz_app.analysis.results import Result as Result
from bertviz_app.api.arguments import finetune as finetune, pretrain as pretrain
from bertviz_app.api.corpora import training_history as training_history
from bertviz_app.api.model import (
    Model as Model,
    analyse as analyse,
    corpus_summary as corpus_summary,
    dossier as dossier,
    list_models as list_models,
    open_model as open_model,
)
from bertviz_app.api.notebook import (
    NotebookView as NotebookView,
    OpenWindow as OpenWindow,
    Selection as Selection,
    head_view as head_view,
    model_view as model_view,
    widget as widget,
    window as window,
)
from bertviz_app.api.of_transformers import record as record
from bertviz_app.checkpoint.parameters import (
    LinearProduct as LinearProduct,
    ParameterTable as ParameterTable,
    StoredParameter as StoredParameter,
)
from bertviz_app.checkpoint.sources.source import Source as Source
from bertviz_app.features.corpora.dossier import (
    Dossier as Dossier,
    Evidence as Evidence,
    HeadNotes as HeadNotes,
)
from bertviz_app.features.corpora.process.measuring import (
    CorpusSettings as CorpusSettings,
    TextReading as TextReading,
)
from bertviz_app.features.corpora.process.run import (
    CorpusListener as CorpusListener,
    CorpusProgress as CorpusProgress,
)
from bertviz_app.features.corpora.process.studies import StudySettings as StudySettings
from bertviz_app.features.corpora.studies.catalogue import STUDIES as STUDIES
from bertviz_app.features.corpora.studies.statistics import HeadStatistics as HeadStatistics
from bertviz_app.features.corpora.summary import CorpusSummary as CorpusSummary
from bertviz_app.features.methods.significance import (
    benjamini_hochberg as benjamini_hochberg,
    sign_flip_p as sign_flip_p,
)
from bertviz_app.features.training.finetuning.settings import (
    MultiLabelEvaluation as MultiLabelEvaluation,
    ScoreEvaluation as ScoreEvaluation,
    TagEvaluation as TagEvaluation,
    TuningEvaluation as TuningEvaluation,
    TuningListener as TuningListener,
    TuningSettings as TuningSettings,
    TuningStep as TuningStep,
)
from bertviz_app.features.training.pretraining.settings import (
    Evaluation as Evaluation,
    PretrainingListener as PretrainingListener,
    PretrainingSettings as PretrainingSettings,
    StepReport as StepReport,
)
from bertviz_app.text import Tokens as Tokens
from bertviz_app.text.edits import (
    CellIntervention as CellIntervention,
    HeadIntervention as HeadIntervention,
    Intervention as Intervention,
    StateIntervention as StateIntervention,
    TokenIntervention as TokenIntervention,
)
from bertviz_app.text_tables.table import TableError as TableError
from bertviz_app.trace import (
    Trace as Trace,
    WeightsTrace as WeightsTrace,
    from_arrays as from_arrays,
    load_trace as load_trace,
    save_trace as save_trace,
)
from bertviz_app.trace.arrays import EncoderDecoderTraces as EncoderDecoderTraces
from bertviz_app.trace.provenance import LayerDetails as LayerDetails, Logits as Logits

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
