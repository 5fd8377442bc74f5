"""`Adaptation`: which LoRA is added to a file of weights, one inside of it or one in a file of its own."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path

from bertviz_app.checkpoint.adapters.config import AdapterConfig, read_adapter_config
from bertviz_app.checkpoint.adapters.lora import Lora, lora_of
from bertviz_app.checkpoint.config.config import CheckpointConfig
from bertviz_app.checkpoint.questions import Answers, Questions
from bertviz_app.checkpoint.weights.adapter_factors import Contents
from bertviz_app.checkpoint.weights.tensors import read_contents
from bertviz_app.errors import CheckpointError, Message

_TASKS = {"SEQ_CLS": "classes", "TOKEN_CLS": "token_labels", "QUESTION_ANS": "answer"}
"""By PEFT's name of a task: the head of models for it."""


@dataclass(frozen=True)
class Adaptation:
    """A LoRA in the file `weights`, or among those of the checkpoint; `settings`: its adapter_config.json.

    `alpha` is the numerator of its scale if there are no settings; 0 if the weights hold the LoRA already.
    """

    settings: Path | None = None
    weights: Path | None = None
    alpha: float | None = None

    def task(self, config: CheckpointConfig) -> CheckpointConfig:
        """Return `config` for the task that the adapter was trained for, if it is not the checkpoint's."""
        settings = None if self.weights is None else self._config()
        task = None if settings is None else _TASKS.get(settings.task)
        return config if task is None else replace(config, task=task)

    def _config(self) -> AdapterConfig | None:
        return None if self.settings is None else read_adapter_config(self.settings)

    def lora(
        self, path: Path, contents: Contents, config: CheckpointConfig, parameters: Collection[str]
    ) -> Lora | None:
        """Return the LoRA to add to the weights at `path` with these `contents`; None if there is none.

        Raises AnswersError where the scale is not known, and CheckpointError.
        """
        if self.weights is None:
            return self._within(path, contents, config, parameters)
        if contents.factors:
            message = Message("{0} has an adapter already, beside that of {1}.", path.name, self.weights.name)
            raise CheckpointError(message, Message("Open it without the other one."))
        found = read_contents(self.weights)
        if not found.factors and not found.tensors:
            message = Message("{0} holds no adapter.", self.weights.name)
            raise CheckpointError(message, Message("Fetch the file again; it may have been cut short."))
        return lora_of(self.weights, found, self._config(), config, parameters)

    def questions(self, contents: Contents) -> Questions | None:
        """Return the questions about a LoRA among these `contents`; None if there are none."""
        if self.settings is not None or self.weights is not None or not contents.factors:
            return None
        rank = max(len(low_rank.down) for low_rank in contents.factors.values())
        return Questions(in_force=Answers(lora_alpha=self.alpha), names=("lora_alpha",), rank=rank)

    def _within(
        self, path: Path, contents: Contents, config: CheckpointConfig, parameters: Collection[str]
    ) -> Lora | None:
        if not contents.factors:
            return None
        if (questions := self.questions(contents)) is not None:
            questions.refuse_unanswered()
        alone = Contents({}, contents.factors)
        return lora_of(path, alone, self._config(), config, parameters, self.alpha or 0.0)


UNADAPTED = Adaptation()
