"""Validation of the arguments of the API; each error shows a correct call."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, replace

from bertviz_app.errors import ArgumentError, Message
from bertviz_app.text import Edits
from bertviz_app.text.edits import (
    MASK,
    CellIntervention,
    HeadIntervention,
    Intervention,
    TokenIntervention,
)
from bertviz_app.trace.indexing import as_number, described

_KINDS = (HeadIntervention, TokenIntervention, CellIntervention)


def as_ref(ref: object) -> str | None:
    """Return a checkpoint's folder, name or hub id as text; paths are taken, too. Raises ArgumentError."""
    if ref is None or isinstance(ref, str):
        return ref
    if isinstance(ref, os.PathLike):
        return os.fsdecode(ref)
    message = Message("A checkpoint is a folder, a name or a model of the hub, not {0}.", described(ref))
    raise ArgumentError(message, Message("Call {0}.", 'open_model("folder/of/the/checkpoint")'))


def as_name(name: object) -> str:
    """Return the name of a parameter. Raises ArgumentError for what is no text."""
    message = Message("A parameter is named by a text, not {0}.", described(name))
    return _text(name, message, "model.parameters() to see their names")


def as_key(key: object) -> str:
    """Return the key of an analysis. Raises ArgumentError for what is no text."""
    message = Message("An analysis is chosen by its key, not {0}.", described(key))
    return _text(key, message, 'model.analyse("attention-rollout", model.trace(text))')


def as_device(device: object) -> str:
    """Return a device's name as text; a `torch.device` is taken, too. Raises ArgumentError."""
    if _is_of_torch(device, "device"):
        return str(device)
    message = Message("A device is a name or a torch.device, not {0}.", described(device))
    return _text(device, message, 'open_model(device="cpu")')


def as_dtype(dtype: object) -> str:
    """Return the name of a dtype; a `torch.dtype` is taken, too. Raises ArgumentError."""
    if _is_of_torch(dtype, "dtype"):
        return str(dtype).removeprefix("torch.")
    message = Message("A dtype is a name or a torch.dtype, not {0}.", described(dtype))
    return _text(dtype, message, 'open_model(dtype="bfloat16")')


def _is_of_torch(value: object, name: str) -> bool:
    """Return whether the class of a value has this name in torch, which may not be loaded yet."""
    return (type(value).__module__, type(value).__name__) == ("torch", name)


def _text(value: object, message: Message, call: str) -> str:
    """Return what is a text. Raises ArgumentError with a correct call for anything else."""
    if isinstance(value, str):
        return value
    raise ArgumentError(message, Message("Call {0}.", call))


def as_texts(text: object, pair: object) -> tuple[str, str | None]:
    """Return a text, or a pair. Raises ArgumentError."""
    for given, name in ((text, "text"), (pair, "pair")):
        if not isinstance(given, str) and not (name == "pair" and given is None):
            raise _no_text(given, name)
    return text, pair  # type: ignore[return-value]  # both were validated


def as_many_texts(texts: object) -> Iterator[tuple[str, str | None]]:
    """Return an iterator over texts and pairs, each as (text, pair or None). Raises ArgumentError."""
    call = 'model.trace_many(["a text", "another"])'
    if isinstance(texts, str | bytes | Mapping) or not isinstance(texts, Iterable):
        message = Message("The texts are a list of texts, not {0}.", described(texts))
        raise ArgumentError(message, Message("Call {0}.", call))
    pairs = (item if isinstance(item, tuple) and len(item) == 2 else (item, None) for item in texts)
    return (as_texts(text, pair) for text, pair in pairs)


def _no_text(given: object, name: str) -> ArgumentError:
    message = Message("The {0} is one text, not {1}.", name, described(given))
    call = 'model.trace("a text", pair="another")' if name == "pair" else 'model.trace("a text")'
    items = list(given) if isinstance(given, list | tuple) else []
    if items and all(isinstance(item, str) for item in items):
        call = "[model.trace(text) for text in texts]"
    elif items or hasattr(given, "dtype"):
        message = Message("The {0} is written text, not the ids of tokens.", name)
    return ArgumentError(message, Message("Call {0}.", call))


def as_pair(pair: object) -> str:
    """Return the second text of a pair. Raises ArgumentError."""
    message = Message("The {0} is one text, not {1}.", "pair", described(pair))
    return _text(pair, message, 'model.next_sentence("a text", "another")')


def as_edits(muted: object, replaced: object, interventions: object = ()) -> Edits:
    """Return the interventions of a run. Raises ArgumentError, and InterventionError where two contradict."""
    heads = [HeadIntervention(layer, head) for layer, head in _heads(muted)]
    tokens = [
        TokenIntervention(at) if piece == MASK else TokenIntervention(at, "replace", piece)
        for at, piece in _pieces(replaced)
    ]
    return Edits.of([*heads, *tokens, *_interventions(interventions)])


def _interventions(given: object) -> list[Intervention]:
    call = 'model.trace(text, interventions=[HeadIntervention(3, 5, "uniform")])'
    error = ArgumentError(Message("Interventions are a list of them."), Message("Call {0}.", call))
    if not isinstance(given, Iterable) or isinstance(given, str | bytes | Mapping):
        raise error
    found = list(given)
    if not all(isinstance(one, _KINDS) for one in found):
        raise error
    return [_with_numbers(one) for one in found]


def _with_numbers(one: Intervention) -> Intervention:
    """Return an intervention with numbers of Python, whatever numbers it has. Raises ArgumentError."""
    names = {"layer", "head", "token", "query", "key"}
    numbers: dict[str, float] = {
        field.name: as_number(getattr(one, field.name), field.name)
        for field in fields(one)
        if field.name in names
    }
    if isinstance(one, CellIntervention):
        if isinstance(one.weight, bool):
            message = Message("{0} is one number, not {1}.", "weight", described(one.weight))
            raise ArgumentError(message, Message("Give a number from 0 to 1."))
        numbers["weight"] = float(one.weight)  # those of NumPy cannot be saved
    return replace(one, **numbers)


def _heads(muted: object) -> tuple[tuple[int, int], ...]:
    message = Message("Muted heads are pairs of a layer and a head.")
    error = ArgumentError(message, Message("Call {0}.", "model.trace(text, muted=[(0, 1)])"))
    if not isinstance(muted, Iterable) or isinstance(muted, str | bytes | Mapping):
        raise error
    found = set()
    for pair in muted:
        if isinstance(pair, str | bytes) or not isinstance(pair, Iterable):
            raise error
        numbers = tuple(pair)
        if len(numbers) != 2:
            raise error
        found.add((as_number(numbers[0], "layer"), as_number(numbers[1], "head")))
    return tuple(sorted(found))


def _pieces(replaced: object) -> tuple[tuple[int, str], ...]:
    if replaced is None:
        return ()
    message = Message("Replaced tokens are pieces of the vocabulary by their positions.")
    error = ArgumentError(message, Message("Call {0}.", 'model.trace(text, replaced={1: "[MASK]"})'))
    if not isinstance(replaced, Mapping) or not all(isinstance(piece, str) for piece in replaced.values()):
        raise error
    return tuple(sorted((as_number(position, "position"), piece) for position, piece in replaced.items()))


def as_numbers(values: object, name: str, call: str) -> list[int] | None:
    """Return a list of integers, None as it is. Raises ArgumentError."""
    if values is None:
        return None
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
        message = Message("{0} is a list of numbers, not {1}.", name, described(values))
        raise ArgumentError(message, Message("Call {0}.", call))
    return [as_number(value, name) for value in values]
