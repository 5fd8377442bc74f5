"""How models are understood whose files do not say which family they are: see `Recogniser`."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from bertviz_app.checkpoint.folder import has_tokenizer
from bertviz_app.checkpoint.question_table import saved_answers
from bertviz_app.checkpoint.questions import ABOUT_FILES, Answers
from bertviz_app.checkpoint.sources.source import Parts, Recogniser, Source, problem_of
from bertviz_app.errors import CheckpointError, Message, shown
from bertviz_app.values import replace

if TYPE_CHECKING:
    from bertviz_app.checkpoint.config import CheckpointConfig

# The functions import torch, which lists of checkpoints do without as long as all are of known families.


def _may_be_own(settings: Mapping[str, object]) -> bool:
    """Return whether the weights decide what the model is.

    Notebooks copy the keys of Hugging Face's BERT, but not what that library writes when it saves a model.
    """
    return "architectures" not in settings and settings.get("model_type", "bert") == "bert"


def _config(parts: Parts, settings: Mapping[str, object], answers: Answers) -> CheckpointConfig | None:
    from bertviz_app.checkpoint.config import own_code
    from bertviz_app.checkpoint.weights.names import shapes
    from bertviz_app.checkpoint.weights.tensors import read_weights
    from bertviz_app.features.own_checkpoints.config import is_of_bert, notebook_config, unstated_config
    from bertviz_app.features.own_checkpoints.recognise import notebook_of, parts_error, parts_of_tensors

    if not _may_be_own(settings):
        return None
    path, tensors = parts.config, read_weights(parts.weights)
    if not tensors and "model_type" not in settings:
        again = Message("Save it again: {0}.", "torch.save(model.state_dict(), path)")
        raise CheckpointError(Message("There is no tensor in {0}.", parts.weights.name), again)
    if not tensors:  # there is nothing to recognise
        return None
    notebook = notebook_of(tensors, answers, only_known="model_type" in settings)
    if notebook is not None:
        return notebook_config(path.parent, notebook, shapes(tensors, notebook.family), settings, answers)
    if "model_type" in settings or own_code(settings):
        return None
    if is_of_bert(tensors):
        return unstated_config(path, tensors, settings, answers)
    names = ", ".join(shown(name) for name in islice(tensors, 3))
    message = Message(
        "{0} has no “model_type”, and no layers of an encoder are recognised among such names: {1}.",
        *(path.name, names),
    )
    if not path.exists():
        message = Message(
            "{0} has no {1}, and no layers of an encoder are recognised among the names of its weights: {2}.",
            *(path.parent, path.name, names),
        )
    raise parts_error(message, parts_of_tensors(tensors))


def _with_classifier(
    config: CheckpointConfig, settings: Mapping[str, object], weights: Path, answers: Answers
) -> CheckpointConfig:
    from bertviz_app.features.own_checkpoints.config import with_classifier

    return with_classifier(config, settings, weights, answers)


def _listed(source: Source, parts: Parts, settings: Mapping[str, object]) -> Source | CheckpointConfig | None:
    if not _may_be_own(settings):
        return _unstated(parts, settings)
    from bertviz_app.checkpoint.weights.tensors import is_mapped
    from bertviz_app.features.own_checkpoints.config import measure_notebook

    has_its_tokenizer = has_tokenizer(parts.tokenizer)
    if not is_mapped(parts.weights):  # it gets no sizes
        if "model_type" in settings:
            return None
        return replace(source, problem=problem_of(parts), asks=not has_its_tokenizer)
    found = measure_notebook(parts.model, parts.weights, settings)
    if found is None:
        return _unstated(parts, settings)
    sizes, questions = found.fields, found.questions
    return replace(
        source,
        family=found.title,
        n_layers=sizes["n_layers"],
        n_heads=questions.in_force.n_heads or 0,
        width=sizes["width"],
        vocabulary_size=sizes["vocabulary_size"],
        asks=bool(questions.unanswered) or not has_its_tokenizer,
    )


def _unstated(parts: Parts, settings: Mapping[str, object]) -> CheckpointConfig | None:
    """Return the configuration of a BERT that only its weights describe; None where config.json does.

    Raises AnswersError where it leaves questions open.
    """
    from bertviz_app.checkpoint.config import own_code

    if "model_type" in settings or own_code(settings):
        return None
    from bertviz_app.checkpoint.weights.tensors import read_weights
    from bertviz_app.features.own_checkpoints.config import is_of_bert, unstated_config

    tensors = read_weights(parts.weights)
    if not is_of_bert(tensors):
        return None
    return unstated_config(parts.config, tensors, settings, saved_answers(parts.model).without(ABOUT_FILES))


RECOGNISER = Recogniser(_config, _with_classifier, _listed)
