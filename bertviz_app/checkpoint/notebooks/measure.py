"""The sizes of a notebook's model, from the shapes of its weights."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from bertviz_app.checkpoint.config.answers import saved_answers
from bertviz_app.checkpoint.notebooks.config import Measured, measured
from bertviz_app.checkpoint.notebooks.recognise import notebook_of, parts_of_tensors
from bertviz_app.checkpoint.questions import ABOUT_FILES, Answers, AnswersError, FileModule
from bertviz_app.checkpoint.weights.names import shapes
from bertviz_app.checkpoint.weights.tensors import read_weights


def measure_notebook(folder: Path, weights: Path, settings: Mapping[str, object]) -> Measured | None:
    """Return what the files of a notebook's model determine, or None. Raises CheckpointError."""
    tensors = read_weights(weights)
    answers = saved_answers(folder).without(ABOUT_FILES)
    notebook = notebook_of(tensors, answers, only_known="model_type" in settings)
    if notebook is None:
        return None
    return measured(folder, notebook, shapes(tensors, notebook.family), settings, answers)


def listed_parts(weights: Path, answers: Answers) -> tuple[FileModule, ...]:
    """Return the modules in a file of weights, and which part of a model each is as far as it is known.

    Raises CheckpointError for a file that cannot be read, or a model that cannot be computed.
    """
    tensors = read_weights(weights)
    try:
        notebook = notebook_of(tensors, answers)
    except AnswersError as error:
        return error.questions.parts
    return parts_of_tensors(tensors) if notebook is None else notebook.parts
