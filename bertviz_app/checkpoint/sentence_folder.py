"""The files of sentence-transformers beside a checkpoint: pooling, dense layers, longest input, prompts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeGuard

import torch
from torch import Tensor

from bertviz_app.checkpoint.folder import (
    CONFIG,
    INPUT_SETTINGS,
    MODULES,
    PICKLED,
    PROMPTS,
    SAFETENSORS,
    file_in,
)
from bertviz_app.checkpoint.json_files import read_list, read_object
from bertviz_app.checkpoint.model_facts import Prompt
from bertviz_app.checkpoint.weights.empty_module import blank_sentence_vector
from bertviz_app.checkpoint.weights.tensors import read_tensors, validate
from bertviz_app.encoder.config import EncoderConfig
from bertviz_app.encoder.output import (
    ACTIVATIONS,
    POOLINGS,
    Centred,
    DenseLayer,
    Normalised,
    Pooling,
    SentenceConfig,
    SentenceVector,
    Step,
    widths,
)
from bertviz_app.errors import CheckpointError, Message, shown

_OLDER = {
    "pooling_mode_cls_token": "cls",
    "pooling_mode_max_tokens": "max",
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_mean_sqrt_len_tokens": "mean_sqrt_len_tokens",
    "pooling_mode_weightedmean_tokens": "weightedmean",
    "pooling_mode_lasttoken": "lasttoken",
}
"""A key for each pooling, in files before version 5.3."""
_VECTOR = "sentence_embedding"
_LARGEST = 1_000_000
_AGAIN = Message("Fetch the folder again; it comes with the checkpoint.")


@dataclass(frozen=True, eq=False)
class SentenceFolder:
    """What sentence-transformers would do with a checkpoint; nothing if its files are not there.

    `vector` computes the sentence vector. `max_tokens` is the longest input, None for the model's own;
    `lower_case` whether texts are lower-cased. `default_prompt` names the prompt that is used unless another
    is given. `remarks` say what is not computed.
    """

    vector: SentenceVector | None = None
    max_tokens: int | None = None
    lower_case: bool = False
    prompts: tuple[Prompt, ...] = ()
    default_prompt: str = ""
    remarks: tuple[str, ...] = ()


def read_sentence_folder(folder: Path, width: int) -> SentenceFolder:
    """Return what the files beside the checkpoint of `width` D in `folder` declare.

    Where modules are damaged or not supported there is no vector, and a remark says why. Raises
    CheckpointError for a file that cannot be read and on which the tokens of a text depend.
    """
    try:
        home = _home(folder)
    except CheckpointError as error:
        return SentenceFolder(remarks=(_not_computed(error),))
    if home is None:
        return SentenceFolder()
    settings = _input_settings(folder)
    prompts, default_prompt = _prompts(home)
    vector, remarks = None, []
    try:
        vector = _filled(*_steps(home, width))
    except CheckpointError as error:
        remarks.append(_not_computed(error))
    return SentenceFolder(
        vector=vector,
        max_tokens=_max_tokens(settings),
        lower_case=settings.get("do_lower_case") is True,
        prompts=prompts,
        default_prompt=default_prompt,
        remarks=tuple(remarks),
    )


def _not_computed(error: CheckpointError) -> str:
    return Message("The sentence vector is not computed. {0}", error.message)


def _unknown(name: str) -> CheckpointError:
    """Return the error for a module, or a setting of one, that is not computed."""
    return CheckpointError(Message("{0} of sentence-transformers is not supported.", name), _AGAIN)


def _home(folder: Path) -> Path | None:
    """Return where modules.json is: in `folder`, or around it if that is the transformer of an older one."""
    if file_in(folder, MODULES):
        return folder
    parent = folder.parent
    is_within = folder.name == "0_Transformer" and file_in(parent, MODULES) is not None
    return parent if is_within else None


def _steps(home: Path, width: int) -> tuple[SentenceConfig, list[Mapping[str, Tensor]]]:
    """Return the pooling and what follows it, and the tensors of each step. Raises CheckpointError."""
    modules = file_in(home, MODULES)
    assert modules is not None
    entries = [_entry(entry) for entry in read_list(modules)]
    kinds = [kind for kind, _ in entries]
    if kinds[:2] == ["MLMTransformer", "SpladePooling"]:
        message = Message(
            "SPLADE's vector has a number for each piece of the vocabulary, the largest log(1 + relu(logit)) "
            "among the tokens; the predictions of masked tokens are those logits."
        )
        raise CheckpointError(message, _AGAIN)
    if kinds[:2] != ["Transformer", "Pooling"]:
        raise _unknown(shown(", ".join(kinds[:2])))
    pooling = _pooling(_settings(home, entries[1][1]), width)
    steps: list[Step] = []
    weights: list[Mapping[str, Tensor]] = []
    for kind, path in entries[2:]:
        if kind == "Dropout":
            continue  # it does nothing after the training
        steps.append(_step(kind, _settings(home, path)))
        weights.append({} if kind == "Normalize" else _tensors(home, path))
    return SentenceConfig(width, pooling, tuple(steps)), weights


def _entry(entry: object) -> tuple[str, str]:
    """Return the kind of a module and its folder. Raises CheckpointError."""
    if isinstance(entry, dict):
        kind, path = entry.get("type"), entry.get("path")
        if isinstance(kind, str) and isinstance(path, str):
            return kind.rpartition(".")[2], path
    raise CheckpointError(Message("{0} has an entry without a type and a path.", MODULES), _AGAIN)


def _settings(home: Path, path: str) -> Mapping[str, object]:
    """Return the settings of the module in the folder `path`; some modules have none."""
    file = file_in(home, f"{path}/{CONFIG}")
    return {} if file is None else read_object(file)


def _pooling(settings: Mapping[str, object], width: int) -> Pooling:
    stated = settings.get("embedding_dimension", settings.get("word_embedding_dimension", width))
    if stated != width:
        message = Message("The pooling is of vectors of width {0}, not {1}.", shown(str(stated)), width)
        raise CheckpointError(message, _AGAIN)
    modes = settings.get("pooling_mode")
    if modes is None:
        modes = [mode for key, mode in _OLDER.items() if settings.get(key) is True] or ["mean"]
    names = [modes] if isinstance(modes, str) else modes
    if not _is_names(names) or not names:
        raise CheckpointError(Message("pooling_mode must be a name or a list of names."), _AGAIN)
    unknown = [name for name in names if name not in POOLINGS]
    unknown += [key for key in settings if key.startswith("pooling_mode_") and key not in _OLDER]
    if unknown:
        raise _unknown(shown(unknown[0]))
    return Pooling(tuple(names), settings.get("include_prompt") is not False)


def _is_names(names: object) -> TypeGuard[list[str]]:
    return isinstance(names, list) and all(isinstance(name, str) for name in names)


def _step(kind: str, settings: Mapping[str, object]) -> Step:
    for key in ("module_input_name", "module_output_name"):
        if settings.get(key) not in (None, _VECTOR):
            raise _unknown(f"{shown(kind)} ({key} = {shown(str(settings[key]))})")
    if kind == "Normalize":
        return Normalised()
    if kind == "LayerNorm":
        return Centred(_size(settings, "dimension"))
    if kind != "Dense":
        raise _unknown(shown(kind))
    name = settings.get("activation_function", "torch.nn.modules.activation.Tanh")
    module, _, activation = str(name).rpartition(".")
    if not module.startswith("torch.nn") or activation not in ACTIVATIONS:
        raise _unknown(shown(str(name)))
    return DenseLayer(
        _size(settings, "in_features"),
        _size(settings, "out_features"),
        activation,
        has_bias=settings.get("bias") is not False,
        is_residual=settings.get("use_residual") is True,
    )


def _size(settings: Mapping[str, object], key: str) -> int:
    value = settings.get(key)
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= _LARGEST:
        message = Message("{0} in {1} must be a whole number from 1 to {2}.", key, CONFIG, f"{_LARGEST:,}")
        raise CheckpointError(message, _AGAIN)
    return value


def _tensors(home: Path, path: str) -> Mapping[str, Tensor]:
    for name in (SAFETENSORS, PICKLED):
        if file := file_in(home, f"{path}/{name}"):
            return read_tensors(file)
    raise CheckpointError(Message("There are no weights in {0}.", home / path), _AGAIN)


def _filled(config: SentenceConfig, weights: list[Mapping[str, Tensor]]) -> SentenceVector:
    """Return the module with copies of the weights in float32. Raises CheckpointError if they do not fit."""
    before = widths(config)
    for step, width in zip(config.steps, before, strict=False):
        needed = step.n_inputs if isinstance(step, DenseLayer) else getattr(step, "width", width)
        if needed != width:
            message = Message("A module of {0} is for vectors of width {1}, not {2}.", MODULES, needed, width)
            raise CheckpointError(message, _AGAIN)
    vector = blank_sentence_vector(config)
    for module, tensors in zip(vector.steps, weights, strict=True):
        _validate_weights(module.state_dict(), tensors)
        numbers = {name: tensor.to(torch.float32, copy=True) for name, tensor in tensors.items()}
        module.load_state_dict(numbers, assign=True)
    return vector.requires_grad_(requires_grad=False).eval()


def _validate_weights(parameters: Mapping[str, Tensor], tensors: Mapping[str, Tensor]) -> None:
    for name, parameter in parameters.items():
        if name not in tensors:
            raise CheckpointError(Message("A module of {0} lacks {1}.", MODULES, name), _AGAIN)
        validate(name, tensors[name])
        if not tensors[name].isfinite().all():
            raise CheckpointError(Message("{0} in a module of {1} is not finite.", name, MODULES), _AGAIN)
        if tensors[name].shape != parameter.shape:
            shapes = list(tensors[name].shape), list(parameter.shape)
            message = Message("{0} in a module of {1} has shape {2}, not {3}.", name, MODULES, *shapes)
            raise CheckpointError(message, _AGAIN)
    unknown = sorted(set(tensors) - set(parameters))
    if unknown:
        message = Message("A module of {0} has a tensor that is not known: {1}.", MODULES, shown(unknown[0]))
        raise CheckpointError(message, _AGAIN)


def _input_settings(folder: Path) -> Mapping[str, object]:
    files = (file_in(folder, name) for name in INPUT_SETTINGS)
    found = next((file for file in files if file is not None), None)
    return {} if found is None else read_object(found)


def _max_tokens(settings: Mapping[str, object]) -> int | None:
    value = settings.get("max_seq_length")
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise CheckpointError(Message("max_seq_length must be a whole number from 1 on."), _AGAIN)
    return value


def _prompts(home: Path) -> tuple[tuple[Prompt, ...], str]:
    """Return the prompts that are not empty, and the name of the default one."""
    file = file_in(home, PROMPTS)
    settings = {} if file is None else read_object(file)
    found = settings.get("prompts")
    prompts = tuple(_readable(found)) if isinstance(found, dict) else ()
    default = settings.get("default_prompt_name")
    return prompts, next((prompt.name for prompt in prompts if prompt.name == default), "")


def _readable(prompts: Mapping[object, object]) -> Iterator[Prompt]:
    for name, text in prompts.items():
        if isinstance(name, str) and isinstance(text, str) and text.strip():
            yield Prompt(shown(name), text)


def sentence_remarks(found: SentenceFolder, config: EncoderConfig) -> tuple[str, ...]:
    """Return sentences on what differs from other checkpoints with an encoder of this `config`."""
    remarks = list(found.remarks)
    if found.vector is not None and config.has_pooler:
        message = Message(
            "This checkpoint's pooler is not used by sentence-transformers, which pools the tokens: {0}.",
            ", ".join(found.vector.config.pooling.modes),
        )
        remarks.append(message)
    if found.max_tokens is not None and found.max_tokens < config.max_tokens:
        message = Message(
            "sentence-transformers reads {0} tokens at most (max_seq_length), and so are texts read here.",
            found.max_tokens,
        )
        remarks.append(message)
    if found.lower_case:
        remarks.append(Message("Texts are lower-cased, as sentence-transformers does it (do_lower_case)."))
    if found.default_prompt:
        message = Message(
            "sentence-transformers begins each text with the prompt “{0}”; here it is added only if you do.",
            found.default_prompt,
        )
        remarks.append(message)
    return tuple(remarks)
