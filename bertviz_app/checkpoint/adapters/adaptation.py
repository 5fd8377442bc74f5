"""Adding a LoRA to the weights of a file (Hu et al. 2021)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, MutableMapping
from pathlib import Path

import torch
from torch import Tensor

from bertviz_app.checkpoint.adapters.config import AdapterConfig, read_adapter_config
from bertviz_app.checkpoint.config import CheckpointConfig
from bertviz_app.checkpoint.question_table import refuse_unanswered
from bertviz_app.checkpoint.questions import Answers, Questions
from bertviz_app.checkpoint.weights.names import OUTSIDE, PREFIX, renamed
from bertviz_app.checkpoint.weights.shards import Contents, LowRank, weight_files
from bertviz_app.checkpoint.weights.tensors import common_prefixes, read_contents, refuse_swollen, validate
from bertviz_app.errors import CheckpointError, Message, shown
from bertviz_app.values import dataclass, field, replace

_TASKS = {"SEQ_CLS": "classes", "TOKEN_CLS": "token_labels", "QUESTION_ANS": "answer"}
"""By PEFT's name of a task: the head of models for it."""
_PRE_TRAINING = tuple(f"{PREFIX}{head}." for head in ("masked", "next_sentence", "replaced"))
_OTHER_BASE = Message("The adapter is of another checkpoint.")


@dataclass(frozen=True, eq=False)
class Lora:
    """The changes of an adapter, by our names: tensors that it `replaces`, and the `factors` of modules.

    `names` are the names in the file of tensors that it replaces. `alpha` is for a LoRA without a
    configuration, whose scale is alpha / rank; 0 if the weights hold the LoRA already.
    """

    config: CheckpointConfig
    settings: AdapterConfig | None
    factors: Mapping[str, LowRank]
    replaces: Mapping[str, Tensor] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
    alpha: float = 0.0

    def over(self, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """Return `tensors` by our names, with the tensors that the adapter replaces.

        If it was trained for another task, the checkpoint's own task heads are left out.
        """
        is_for_another = self.settings is not None and self.settings.task in _TASKS
        left_out = _PRE_TRAINING if is_for_another else ()
        used = {name: tensor for name, tensor in tensors.items() if not name.startswith(left_out)}
        return used | dict(self.replaces)

    def replaced_of(self, used: Collection[str]) -> dict[str, Tensor]:
        """Return float32 copies of the adapter's tensors that replace those that are `used`."""
        return {
            name: tensor.detach().to(torch.float32, copy=True).contiguous()
            for name, tensor in self.replaces.items()
            if name in used
        }

    def add_to(self, numbers: MutableMapping[str, Tensor]) -> frozenset[str]:
        """Change `numbers`, the float32 tensors by our names, and return the names of those that changed.

        Raises CheckpointError if they do not fit.
        """
        changed: set[str] = set()
        for module, low_rank in self.factors.items():
            scale = self.scale(module, low_rank)
            changed.update(self._add(numbers, f"{module}.weight", scale, low_rank))
            if low_rank.bias is not None:
                for name, part in self._parts(f"{module}.bias", scale * low_rank.bias.float()):
                    _validate(name, part, numbers)
                    numbers[name] = numbers[name] + part
                    changed.add(name)
        return frozenset(changed)

    def scale(self, module: str, low_rank: LowRank) -> float:
        """Return the scale by which the product of the factors of `module` is multiplied."""
        rank = len(low_rank.down)
        return self.alpha / rank if self.settings is None else self.settings.scale(module, rank)

    def summary(self) -> Message:
        scales = sorted({self.scale(module, low_rank) for module, low_rank in self.factors.items()})
        listed = ", ".join(f"{scale:.6g}" for scale in scales[:4]) + (" …" if len(scales) > 4 else "")
        kind = "DoRA" if any(part.magnitude is not None for part in self.factors.values()) else "LoRA"
        return Message("{0} is added to {1} matrices, with the scale {2}.", kind, len(self.factors), listed)

    def _add(
        self, numbers: MutableMapping[str, Tensor], name: str, scale: float, low_rank: LowRank
    ) -> Iterator[str]:
        """Add one product of factors to the parameters in the tensor `name`, and yield their names."""
        change = scale * (low_rank.up.float() @ low_rank.down.float())
        is_embedding = low_rank.is_embedding or any(
            ours.startswith("embeddings.") and ".projection" not in ours
            for ours, _ in self._parts(name, change)
        )
        if is_embedding:
            change = change.T
        magnitudes: dict[str, Tensor] = {}
        if low_rank.magnitude is not None:
            lengths = low_rank.magnitude.float().flatten()
            n_rows = change.shape[int(is_embedding)]
            if len(lengths) != n_rows:
                raise CheckpointError(
                    Message("The lengths of {0} rows are saved, but there are {1}.", len(lengths), n_rows),
                    _OTHER_BASE,
                )
            lengths = lengths[None] if is_embedding else lengths[:, None]
            magnitudes = dict(self._parts(name, lengths))
        for ours, part in self._parts(name, change):
            if ours.startswith(PREFIX) and ours not in numbers:
                continue  # a task head that is not used
            _validate(ours, part, numbers)
            numbers[ours] = numbers[ours] + part
            if ours in magnitudes:
                weights = numbers[ours]
                norms: Tensor = weights.norm(dim=0 if is_embedding else 1, keepdim=True)
                numbers[ours] = magnitudes[ours] / norms * weights
            yield ours

    def _parts(self, name: str, tensor: Tensor) -> list[tuple[str, Tensor]]:
        """Return `tensor` by our names, split if it holds several parameters."""
        return list(renamed({name: tensor}, self.config)[0].items())


def _validate(name: str, part: Tensor, numbers: Mapping[str, Tensor]) -> None:
    if name not in numbers or numbers[name].shape != part.shape:
        message = Message(
            "The adapter changes {0} of the shape {1}, where the checkpoint has {2}.",
            shown(name),
            list(part.shape),
            list(numbers[name].shape) if name in numbers else Message("none"),
        )
        raise CheckpointError(message, _OTHER_BASE)


def lora_of(
    path: Path,
    contents: Contents,
    settings: AdapterConfig | None,
    config: CheckpointConfig,
    parameters: Collection[str],
    alpha: float = 0.0,
) -> Lora:
    """Return the adapter in the file at `path`, for an encoder with these `parameters`.

    Raises CheckpointError for one that changes a parameter that the encoder does not have.
    """
    config = _with_outer(
        config, [*contents.tensors, *(f"{one}.weight" for one in contents.factors)], parameters
    )
    everything = dict(contents.tensors) | {
        f"{module}.{number}": tensor
        for module, found in contents.factors.items()
        for number, tensor in enumerate((found.down, found.up, found.bias, found.magnitude))
        if tensor is not None
    }
    for name, tensor in everything.items():
        validate(name, tensor)
    refuse_swollen(everything, sum(file.stat().st_size for file in weight_files(path)))
    replaces, own = renamed(contents.tensors, config)
    return Lora(config, settings, contents.factors, replaces, own, alpha)


def _with_outer(
    config: CheckpointConfig, names: Collection[str], parameters: Collection[str]
) -> CheckpointConfig:
    """Return `config` for the prefix that the adapter's own `names` have before those of the encoder."""
    empty = {name: torch.empty(0) for name in names}
    for outer in common_prefixes(names):
        found = replace(config, family=replace(config.family, outer=outer, splits={}))
        wholes = set(config.family.splits)
        if all(
            not name.startswith(OUTSIDE)
            and (name in parameters or name.startswith(PREFIX) or any(whole in name for whole in wholes))
            for name in renamed(empty, found)[0]
        ):
            return replace(config, family=replace(config.family, outer=outer))
    message = Message("The adapter changes {0}, which the checkpoint does not have.", shown(min(names)))
    raise CheckpointError(message, _OTHER_BASE)


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
            if not contents.factors:
                return None
            if (questions := self.questions(contents)) is not None:
                refuse_unanswered(questions)
            alone = Contents({}, contents.factors)
            return lora_of(path, alone, self._config(), config, parameters, self.alpha or 0.0)
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


UNADAPTED = Adaptation()
