"""Renaming the tensors of a file to our parameters, and splitting, joining or leaving out some."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from bertviz_app.checkpoint.config import CheckpointConfig
from bertviz_app.checkpoint.families.bert import ROTARY_BASE
from bertviz_app.checkpoint.families.family import Family, Grouped
from bertviz_app.checkpoint.folder import PICKLED, file_in
from bertviz_app.checkpoint.weights.tensors import flat, read_weights, validate, with_outer
from bertviz_app.encoder.config import EncoderConfig, TaskHeadsConfig
from bertviz_app.encoder.output import DenseLayer, Pooling, SentenceConfig, SentenceVector, TaskHeads
from bertviz_app.encoder.positions import frequencies
from bertviz_app.errors import AppError, CheckpointError, Message, shown


def grouping(family: Family, name: str) -> Grouped | None:
    """Return the groups of our parameter `name`, None for one that has none."""
    if not name.endswith(".weight"):
        return None
    return next((kind for kind in family.grouped if kind.pattern.search(name)), None)


_BY_HEAD = re.compile(r"^layers\.(\d+)\.attention\.(?:(query|key|value)\.(?:weight|bias)|output\.weight)$")
"""Our names of the parameters with rows for each head, or columns in the last case."""


def _left(config: EncoderConfig, name: str) -> tuple[list[int], int] | None:
    """Return which rows or columns of the parameter `name` files have, and their axis; None: all.

    Those of pruned heads are not there.
    """
    found = _BY_HEAD.match(name)
    layer = -1 if found is None else int(found[1])
    if found is None or not any(at == layer for at, _ in config.pruned):
        return None
    heads = [head for head in range(config.n_heads) if (layer, head) not in config.pruned]
    width = config.head_width
    return [at for head in heads for at in range(head * width, (head + 1) * width)], 0 if found[2] else 1


def as_in_file(family: Family, parameters: Mapping[str, Tensor], config: EncoderConfig) -> dict[str, Tensor]:
    """Return the `parameters` of an encoder without numbers, in the shapes that files have.

    Those in groups are [out, in / G], and those of layers from which heads were pruned smaller.
    """
    found = dict(parameters)
    for name, parameter in parameters.items():
        if (kind := grouping(family, name)) is not None:
            n_outputs, n_inputs = parameter.shape
            found[name] = parameter.new_empty(n_outputs, n_inputs // kind.n_groups)
        if (left := _left(config, name)) is not None:
            at, axis = left
            shape = [*parameter.shape]
            shape[axis] = len(at)
            found[name] = parameter.new_empty(shape)
    return found


def written_out(family: Family, numbers: Mapping[str, Tensor], config: EncoderConfig) -> dict[str, Tensor]:
    """Return `numbers` as whole matrices [out, in]: with zeros between groups, and for pruned heads."""
    found = dict(numbers)
    for name, weight in numbers.items():
        kind = grouping(family, name)
        if kind is not None and kind.n_groups > 1:
            # [out, in] for [out, in / G]
            n_outputs, n_inputs = len(weight) // kind.n_groups, weight.shape[1]
            whole = weight.new_zeros(len(weight), kind.n_groups * n_inputs)
            for group, rows in enumerate(weight.chunk(kind.n_groups)):
                first, column = group * n_outputs, group * n_inputs
                whole[first : first + n_outputs, column : column + n_inputs] = rows
            found[name] = whole
        if (left := _left(config, name)) is not None:
            at, axis = left
            shape = [*weight.shape]
            shape[axis] = config.heads_width
            found[name] = weight.new_zeros(shape).index_copy_(axis, torch.tensor(at), weight)
    return found


_Given = ParamSpec("_Given")
_Module = TypeVar("_Module", bound=nn.Module)
_FILLING = (Tensor.normal_, Tensor.uniform_, Tensor.fill_, Tensor.zero_)


class _Unfilled(TorchFunctionMode):
    """Skips the initialisation of new parameters.

    On the meta device there is nothing to fill, yet doing so loads 800 of torch's modules: a second.
    """

    def __torch_function__(
        self,
        func: Callable[..., object],
        types: Iterable[type],
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> object:
        named = dict(kwargs or {})
        # torch calls the mode for a function of torch.nn.init before it does for the tensor's methods.
        if func in _FILLING or getattr(func, "__module__", "") == "torch.nn.init":
            return args[0] if args else named["tensor"]
        return func(*args, **named)


def blank(make: Callable[_Given, _Module], *config: _Given.args, **named: _Given.kwargs) -> _Module:
    """Return a module whose parameters have shapes and no memory, for `load_state_dict(assign=True)`."""
    with torch.device("meta"), _Unfilled():
        return make(*config, **named)


PREFIX = "heads."
"""What the names of the parameters of task heads begin with, unlike those of the encoder."""
MASKED = "masked.dense.weight"
"""A parameter that every head for masked tokens has."""
DECODER = "masked.decoder.weight"
"""The only parameter of a head that may be one of the encoder: the table of token embeddings."""
TABLE = "embeddings.token.weight"
_BESIDE, _WITHIN = f"{PREFIX}masked.bias", f"{PREFIX}masked.decoder.bias"
_Value = TypeVar("_Value")
_OURS = (
    "masked.",
    "next_sentence.",
    "replaced.",
    "classifier.dense.",
    "classifier.norm.",
    "classifier.output.",
    "token_labels.",
    "answer.",
    "dense.",
)


def head_name(family: Family, name: str, *, task: str = "") -> str | None:
    """Return our name for a parameter of a task head, None for an unknown head.

    A name belongs to another head where the checkpoint was saved for another `task`.
    """
    renames = {
        "classes": family.classifier_renames or family.head_renames,
        "token_labels": family.token_renames,
        "answer": family.answer_renames,
    }
    for pattern, replacement in renames.get(task, family.head_renames):
        name = pattern.sub(replacement, name)
    return PREFIX + name if name.startswith(_OURS) else None


def with_one_name(config: CheckpointConfig, by_name: Mapping[str, _Value]) -> dict[str, _Value]:
    """Return `by_name` with what files have under one of two names under ours.

    The bias of the head for masked tokens stands beside the decoder if the decoder is the table of token
    embeddings, else within it; files of some releases of transformers have both, of which the one within is
    added. Of a table that is the decoder as well some files have the latter's name only.
    """
    named = dict(by_name)
    if _BESIDE in named:
        named.setdefault(_WITHIN, named.pop(_BESIDE))
    if config.ties_embeddings and TABLE not in named and PREFIX + DECODER in named:
        named[TABLE] = named[PREFIX + DECODER]
    return named


def is_tied(config: CheckpointConfig, tensors: Mapping[str, Tensor]) -> bool:
    """Return whether the decoder of masked tokens is the table of token embeddings.

    Where a file has both and they differ, as after one of them was trained alone, the decoder is its own
    whatever config.json says; so it is in `transformers`.
    """
    table, decoder = tensors.get(TABLE), tensors.get(PREFIX + DECODER)
    if not config.ties_embeddings or table is None or decoder is None or table.shape != decoder.shape:
        return config.ties_embeddings
    is_same = table.dtype == decoder.dtype and table.data_ptr() == decoder.data_ptr()
    return is_same or torch.equal(table.float(), decoder.float())


def whole_heads(
    config: CheckpointConfig, encoder: EncoderConfig, tensors: Mapping[str, Tensor]
) -> TaskHeadsConfig:
    """Return the task heads whose parameters are all present in shapes that fit `encoder`."""
    none = config.task_heads
    if config.family.has_bare_task_heads and not {f"{PREFIX}masked.dense.bias", _WITHIN} & {*tensors}:
        none = replace(none, has_dense_bias=False, has_decoder_bias=False)
    if none.dense_heads or none.masked:
        dense, masked = replace(none, masked=False), replace(none, dense_heads=())
        has_dense = bool(none.dense_heads) and _is_whole(encoder, dense, tensors, ties=False)
        has_masked = none.masked and _is_whole(encoder, masked, tensors, ties=config.ties_embeddings)
        return replace(none, masked=has_masked, dense_heads=none.dense_heads if has_dense else ())
    alone = {"replaced": replace(none, replaced=True)}
    # A checkpoint of one of these tasks has no head for masked tokens.
    if config.task not in ("token_labels", "answer", "choice"):
        alone["masked"] = replace(none, masked=True)
    if encoder.has_pooler:
        alone["next_sentence"] = replace(none, next_sentence=True)
    has_input = encoder.has_pooler or none.classifier_activation is not None
    tables = [tensors.get(f"{PREFIX}{name}.output.weight") for name in ("classifier", "token_labels")]
    n_classes, n_labels = (len(table) if table is not None and table.ndim == 2 else 0 for table in tables)
    if config.task == "classes" and has_input and n_classes:
        alone["classifier"] = replace(none, n_classes=n_classes)
    if config.task == "token_labels" and n_labels:
        alone["token_labels"] = replace(none, n_token_labels=n_labels)
    if config.task == "answer":
        alone["answer"] = replace(none, answer=True)
    ties = config.ties_embeddings
    whole = {name for name, heads in alone.items() if _is_whole(encoder, heads, tensors, ties=ties)}
    return replace(
        none,
        masked="masked" in whole,
        replaced="replaced" in whole,
        next_sentence="next_sentence" in whole,
        n_classes=n_classes if "classifier" in whole else 0,
        n_token_labels=n_labels if "token_labels" in whole else 0,
        answer="answer" in whole,
    )


def _is_whole(
    encoder: EncoderConfig, heads: TaskHeadsConfig, tensors: Mapping[str, Tensor], *, ties: bool
) -> bool:
    needed = {name: tensor.shape for name, tensor in blank(TaskHeads, encoder, heads).state_dict().items()}
    if ties:
        needed.pop(DECODER, None)
    if not needed or any(PREFIX + name not in tensors for name in needed):
        return False
    try:
        for name in needed:
            validate(name, tensors[PREFIX + name])
    except CheckpointError:  # such as a quantised head, which is not used
        return False
    return all(tensors[PREFIX + name].shape == shape for name, shape in needed.items())


OUTSIDE = "outside."
"""The prefix for tensors whose names do not begin with `Family.outer`: they are of unknown parts."""


def shapes(tensors: Mapping[str, Tensor], family: Family) -> dict[str, tuple[int, ...]]:
    """Return the shapes of a file's tensors, by our names."""
    ours = {family.rename(family.strip(name)): tensor for name, tensor in family.convert(tensors).items()}
    return {
        name: tuple(part.shape)
        for whole, tensor in ours.items()
        for name, part in _parts(family, whole, tensor)
    }


def renamed(
    tensors: Mapping[str, Tensor], config: CheckpointConfig
) -> tuple[dict[str, Tensor], dict[str, str]]:
    """Return the tensors by our names (unknown task heads by their own), and the file's names for them."""
    ours: dict[str, Tensor] = {}
    names: dict[str, str] = {}
    family = config.family
    for theirs, tensor in family.convert(tensors).items():
        is_dense_head = (head_name(family, theirs) or "").startswith(f"{PREFIX}dense.")
        if not theirs.startswith(family.outer) and not is_dense_head:
            ours[OUTSIDE + theirs], names[OUTSIDE + theirs] = tensor, theirs
            continue
        name = family.strip(theirs)
        if any(pattern.search(name) for pattern in family.ignored):
            continue
        if family.rotation_table is not None and family.rotation_table.search(name):
            _refuse_other_rotation(theirs, tensor, config.encoder.head_width)
            continue
        is_head = any(pattern.search(name) for pattern in family.task_heads)
        ours_of_head = head_name(family, name, task=config.task) if is_head else None
        name = (ours_of_head or PREFIX + name) if is_head else family.rename(name)
        for own, part in _parts(family, name, tensor, config.encoder.n_heads):
            if own in ours:  # such as a table that a file has under the names of both modules that use it
                one = ours[own]
                if one.shape == part.shape and one.dtype == part.dtype and torch.equal(one, part):
                    continue
                message = Message("Two tensors of the file stand for one parameter, {0}.", shown(own))
                raise CheckpointError(message, Message("Save the model again."))
            ours[own], names[own] = part, theirs
    return with_one_name(config, ours), with_one_name(config, names)


def _refuse_other_rotation(name: str, table: Tensor, head_width: int) -> None:
    """Raise CheckpointError unless `table` has the sines and cosines that the encoder computes."""
    if table.dim() == 2 and table.shape[1] == head_width and table.is_floating_point():
        positions = torch.arange(len(table), dtype=torch.float64)[:, None]
        base, device = ROTARY_BASE, torch.device("cpu")
        angles = positions * frequencies(head_width, base, device, torch.float64)  # [n, E / 2]
        computed = torch.cat((angles.sin(), angles.cos()), dim=1)  # [n, E]
        tolerance = max(4 * torch.finfo(table.dtype).eps, 1e-5)
        if torch.allclose(table.double(), computed, rtol=0.0, atol=tolerance):
            return
    message = Message(
        "The rotations in {0} are not those of base {1}, which are computed.", shown(name), int(ROTARY_BASE)
    )
    raise CheckpointError(message, Message("Use the checkpoint with its own code."))


def _parts(family: Family, name: str, tensor: Tensor, n_heads: int = 1) -> Iterator[tuple[str, Tensor]]:
    """Yield the parameters stored in `tensor`, by name. Raises CheckpointError if it cannot be split."""
    names, is_by_head = family.parts(name)
    if len(names) == 1:
        yield name, _flat(family, name, tensor)
        return
    if tensor.ndim == 0 or tensor.shape[0] % (len(names) * (n_heads if is_by_head else 1)):
        message = Message(
            "The tensor {0} cannot be cut into {1}: it has shape {2}.",
            shown(name),
            len(names),
            list(tensor.shape),
        )
        raise CheckpointError(message, Message("The file is damaged; fetch it again."))
    if is_by_head:
        head_width = len(tensor) // (n_heads * len(names))  # -1 is open for a matrix without columns
        heads = tensor.reshape(n_heads, len(names), head_width, *tensor.shape[1:])  # [H, parts, E, D]
        yield from ((own, heads[:, number].flatten(0, 1)) for number, own in enumerate(names))
        return
    yield from zip(names, tensor.chunk(len(names)), strict=True)


def _flat(family: Family, name: str, tensor: Tensor) -> Tensor:
    """Return a tensor as the encoder has it: `flat`, or the weights of a grouped projection as rows."""
    if (kind := grouping(family, name)) is not None:
        if tensor.dim() != 3:
            return tensor
        if kind.is_by_group:
            return tensor.transpose(1, 2).flatten(0, 1)
        return tensor.squeeze(-1)
    if not any(pattern.search(name) for pattern in family.flattened):
        return tensor
    if name.endswith(".bias"):
        return tensor.squeeze(-1) if tensor.dim() == 2 else tensor  # a bias [out, 1]
    return flat(tensor)


def second_copy_remark(weights: Path, config: CheckpointConfig) -> str | None:
    """Return a sentence if pytorch_model.bin beside other `weights` holds other numbers, else None.

    Of tensors with more than 65,536 numbers 16 rows are compared, evenly spaced: a trained model differs in
    all tensors. Numbers saved in two precisions are compared in the coarser one. A file that cannot be read
    is not compared.
    """
    if weights.name.startswith(PICKLED):
        return None
    try:
        other = file_in(weights.parent, PICKLED)
        if other is None or other == weights:
            return None
        first, second = _by_our_names(weights, config), _by_our_names(other, config)
    except AppError:
        return None
    common = (name for name in first if name in second)
    different = next((name for name in common if not _is_same_table(first[name], second[name])), None)
    if different is None:
        return None
    return Message(
        "{0} beside {1} holds other numbers, such as those of {2}. It was not read.",
        PICKLED,
        weights.name,
        shown(different),
    )


def _by_our_names(path: Path, config: CheckpointConfig) -> dict[str, Tensor]:
    tensors = read_weights(path)
    return renamed(tensors, replace(config, family=with_outer(config.family, tensors)))[0]


def _is_same_table(one: Tensor, other: Tensor) -> bool:
    if one.shape != other.shape:
        return False
    coarser = min(one.dtype, other.dtype, key=lambda dtype: dtype.itemsize)
    return torch.equal(_sample(one).to(coarser), _sample(other).to(coarser))


def _sample(tensor: Tensor) -> Tensor:
    if tensor.numel() <= 1 << 16 or tensor.ndim < 2:
        return tensor
    return tensor[torch.linspace(0, len(tensor) - 1, min(16, len(tensor))).long()]


VECTOR_WEIGHT = "sentence.steps.0.linear.weight"
"""The key of the projection among the parameters of a checkpoint."""


def last_token_vector(encoder: EncoderConfig, projection: Tensor | None) -> SentenceVector:
    """Return the module for the last hidden state of the last token, times the `projection` [S, D] if any.

    Raises CheckpointError for one of another shape.
    """
    steps = []
    if projection is not None:
        if projection.ndim != 2 or projection.shape[1] != encoder.width:
            message = Message("The projection of the sentence vector has shape {0}.", list(projection.shape))
            raise CheckpointError(message, Message("The file is damaged; fetch it again."))
        steps.append(DenseLayer(encoder.width, len(projection), "Identity", has_bias=False))
    vector = blank(SentenceVector, SentenceConfig(encoder.width, Pooling(("lasttoken",)), tuple(steps)))
    if projection is not None:
        vector.load_state_dict({VECTOR_WEIGHT.removeprefix("sentence."): projection}, assign=True)
    return vector.eval()
