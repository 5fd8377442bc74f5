"""`parts_of`: which files a checkpoint consists of, and whether one of them is an adapter. Loads no torch."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from bertviz_app.checkpoint.adapters.config import read_adapter_config
from bertviz_app.checkpoint.folder import (
    ADAPTER_CONFIG,
    ADAPTER_WEIGHTS,
    CONFIG,
    config_in,
    file_in,
    has_tokenizer,
    tokenizer_in,
    weights_in,
)
from bertviz_app.checkpoint.questions import Answers, AnswersError, Questions
from bertviz_app.checkpoint.sources.base import base_of
from bertviz_app.errors import CheckpointError, Message, TokenizerError, shown

_OF_ADAPTER_HUB = "pytorch_adapter.bin"
_OTHER_TOKENIZER = Message("Choose another with {0}, or “” for the checkpoint's own.", "--tokenizer FOLDER")
TOKENIZER_QUESTION = Questions(names=("tokenizer",))


@dataclass(frozen=True)
class Parts:
    """The folder of the model, its file of weights, and the folder of its tokenizer.

    `adapter` is the file with the weights of an adapter that is added to the model's, or None; `settings` is
    the adapter_config.json, or None. `left_out`: there is an adapter that is not added.
    """

    model: Path
    weights: Path
    tokenizer: Path
    settings: Path | None = None
    adapter: Path | None = None
    left_out: bool = False
    questions: Questions | None = None
    has_own_tokenizer: bool = True  # else the user chose the folder of the tokenizer

    @property
    def config(self) -> Path:
        """The config.json of the model."""
        return self.model / CONFIG

    @property
    def files(self) -> tuple[Path, ...]:
        return tuple(path for path in (self.settings, self.adapter) if path is not None)


def parts_of(folder: Path, weights: str | None, answers: Answers) -> Parts:
    """Return the files of the checkpoint in `folder`; `weights` names one file of weights.

    Raises AnswersError where an adapter is beside a whole model and `answers` do not say whether it is added,
    or where the checkpoint that it is added to is not on this computer; and CheckpointError.
    """
    parts = _parts(folder, weights, answers)
    if not answers.tokenizer:
        return parts
    return replace(parts, tokenizer=_chosen(answers.tokenizer), has_own_tokenizer=False)


def _chosen(name: str) -> Path:
    """Return the folder of a tokenizer that the user chose. Raises TokenizerError if it holds none."""
    folder = Path(name)
    if not folder.is_dir():
        message = Message("There is no folder {0}, which was chosen for the tokenizer.", shown(name, 200))
        raise TokenizerError(message, _OTHER_TOKENIZER)
    if not has_tokenizer(folder):
        message = Message("There is no tokenizer in the chosen folder {0}.", shown(name, 200))
        raise TokenizerError(message, _OTHER_TOKENIZER)
    return folder


def refuse_without_tokenizer(parts: Parts) -> None:
    """Raise AnswersError where the checkpoint has no tokenizer, which asks for the folder of another one."""
    try:
        tokenizer_in(parts.tokenizer)
    except TokenizerError as error:
        hint = Message(
            "Fetch the file, which comes with the checkpoint, or give the folder of the tokenizer that the "
            "model was trained with: {0}.",
            "--tokenizer FOLDER",
        )
        raise AnswersError(error.message, hint, TOKENIZER_QUESTION) from error


def _parts(folder: Path, weights: str | None, answers: Answers) -> Parts:
    settings = file_in(folder, ADAPTER_CONFIG)
    adapter = None if settings is None else _adapter_in(folder)
    if adapter is None or weights is not None or _has_model(folder):
        config_in(folder)
        parts = Parts(folder, weights_in(folder, weights), folder, settings)
        return parts if adapter is None else _beside(parts, adapter, answers)
    assert settings is not None
    stated = read_adapter_config(settings).base
    base = base_of(folder, stated, answers.base)
    config_in(base)
    questions = Questions(in_force=Answers(base=answers.base or stated), names=("base",), base=stated)
    tokenizer = folder if has_tokenizer(folder) else base
    return Parts(base, weights_in(base), tokenizer, settings, adapter, questions=questions)


def _beside(parts: Parts, adapter: Path, answers: Answers) -> Parts:
    """Return the parts of a whole model with an adapter beside it, which the answers add or leave out."""
    questions = Questions(in_force=Answers(adapter=answers.adapter), names=("adapter",))
    questions.refuse_unanswered()
    if answers.adapter:
        return replace(parts, adapter=adapter, questions=questions)
    return replace(parts, left_out=True, questions=questions)


def _adapter_in(folder: Path) -> Path | None:
    """Return the file with the weights of an adapter, or None."""
    return next(
        (path for name in (*ADAPTER_WEIGHTS, _OF_ADAPTER_HUB) if (path := file_in(folder, name))), None
    )


def _has_model(folder: Path) -> bool:
    if file_in(folder, CONFIG) is None:
        return False
    try:
        weights_in(folder)
    except AnswersError:
        raise
    except CheckpointError:
        return False
    return True


def adapter_remark(parts: Parts) -> str | None:
    """Return a sentence on the adapter that is added or left out, or None."""
    if parts.left_out:
        return Message("The adapter beside the weights is not added to them.")
    if parts.adapter is None:
        return None
    return Message("The adapter {0} is added to the weights in {1}.", parts.adapter.parent.name, parts.model)
