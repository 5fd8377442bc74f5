"""What the task heads of a checkpoint predict of a trace: as probabilities of named things, and as logits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import numpy as np

from bertviz_app.analysis.axes import Axis, counted
from bertviz_app.analysis.entry import Inputs, Needs, analysis
from bertviz_app.analysis.parameters import Index, NoParameters, Range
from bertviz_app.analysis.prediction_table import Outcomes
from bertviz_app.analysis.predictions import TOP, PredictionInput, Predictions, predictions
from bertviz_app.analysis.reporter import Reporter
from bertviz_app.analysis.results import NamedArrays
from bertviz_app.errors import AnalysisError, Message
from bertviz_app.trace import Trace
from bertviz_app.trace.form import Form
from bertviz_app.trace.provenance import HEADS

if TYPE_CHECKING:
    from bertviz_app.analysis.model_access import ModelAccess


@dataclass(frozen=True)
class PredictionParameters:
    """`positions`: the tokens for which pieces are named, the masked ones if it is None; `top`: how many."""

    positions: Annotated[tuple[int, ...] | None, Index("token"), Message("Positions of tokens")] = None
    top: Annotated[int, Range(1, 1000), Message("Number of pieces")] = TOP


def predict(
    model: ModelAccess, trace: Trace, positions: Sequence[int] | None = None, top: int = TOP
) -> Predictions:
    """Return what all task heads of the checkpoint that made a trace predict of it.

    For `positions`, by default the tokens that are masked, the `top` likeliest pieces are named.
    Probabilities are from 0 to 1; there is nothing of task heads that the checkpoint does not have. Raises
    SelectionError for a position that the trace does not have.
    """
    inputs = PredictionInput(
        trace.tokens, model.written_ids(trace), lambda number: model.pieces([number])[0], model.mask_id
    )
    chosen = inputs.masked() if positions is None else positions
    inputs.validate(chosen)
    return predictions(model.logits(trace, chosen), inputs, chosen, top)


@analysis(
    key="predictions",
    title=Message("Predictions"),
    summary=Message("What the task heads of the checkpoint expect, as probabilities."),
    limits=Message(
        "A probability is the model's own; how often the model is right at it is another question."
    ),
    paper="Devlin et al. 2019, arXiv:1810.04805, sections 3.1 and 4.1; Clark et al. 2020, arXiv:2003.10555",
    needs=Needs.MODEL | Needs.TASK_HEAD,
)
def task_predictions(inputs: Inputs, parameters: PredictionParameters, reporter: Reporter) -> Outcomes:
    """Return the outcomes of all task heads [N], probabilities from 0 to 1: see `predict`."""
    found = predict(inputs.opened, inputs.trace, parameters.positions, parameters.top)
    reporter.progress(1)
    return Outcomes(found)


def _refuse_without_heads(form: Form, task_heads: tuple[str, ...]) -> AnalysisError | None:
    """Return why a checkpoint without task heads has no logits; None of others."""
    if task_heads:
        return None
    message = Message("This checkpoint has no task head, and so no logits.")
    return AnalysisError(message, Message("Open one that was saved with a task head."))


@analysis(
    key="logits",
    title=Message("Logits"),
    summary=Message("The numbers of each task head before they become probabilities."),
    limits=Message("Logits of one task head can be compared with each other, not with those of another."),
    paper="Devlin et al. 2019, arXiv:1810.04805, sections 3.1 and 4.1; Clark et al. 2020, arXiv:2003.10555",
    needs=Needs.MODEL | Needs.TASK_HEAD,
    refuses=_refuse_without_heads,
)
def task_logits(inputs: Inputs, parameters: NoParameters, reporter: Reporter) -> NamedArrays:
    """Return the logits of each task head by its name, such as "masked" [T, V] or "classes" [N]."""
    logits = inputs.opened.logits(inputs.trace)
    reporter.progress(1)
    tokens = Axis("token", inputs.trace.tokens.pieces)
    found = {name: array for name in HEADS if (array := getattr(logits, name)) is not None}
    last = {name: counted("class", array.shape[-1]) for name, array in found.items()}
    for name in ("classes", "token_labels"):
        if name in found:
            last[name] = Axis("class", _labels(logits.labels, found[name].shape[-1]))
    if "answer" in found:
        last["answer"] = Axis("end of the answer", ("start", "end"))
    axes = {name: (tokens, last[name]) if array.ndim == 2 else (last[name],) for name, array in found.items()}
    if "replaced" in found:
        axes["replaced"] = (tokens,)
    return NamedArrays(found, axes, main=next(iter(found)))


def _labels(labels: Sequence[str], n_classes: int) -> tuple[str, ...]:
    """Return the checkpoint's names of its classes, their numbers if it has none."""
    return tuple(labels) if len(labels) == n_classes else tuple(map(str, np.arange(n_classes).tolist()))
