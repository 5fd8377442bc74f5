"""Validation of the arguments of `open_model` besides the checkpoint; each error shows a correct call."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from numbers import Integral, Real
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import cast, get_args

from bertviz_app.api.arguments import as_ref
from bertviz_app.checkpoint.answers import answers_in
from bertviz_app.checkpoint.questions import (
    LARGEST_ALPHA,
    MOST_HEADS,
    Answers,
    ClassifierInput,
    GivenAnswers,
    LoneNorm,
    PositionFormula,
    ScoreScale,
    validate_parts,
)
from bertviz_app.errors import ArgumentError, Message
from bertviz_app.trace.indexing import described
from bertviz_app.types import Progress

_CHOICES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "positions": get_args(PositionFormula),
        "classifier_reads": get_args(ClassifierInput),
        "lone_norm": get_args(LoneNorm),
        "score_scale": get_args(ScoreScale),
    }
)
_QUESTIONS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "n_heads": ("count", "12"),
        "norm_eps": ("eps", "1e-12"),
        "lower_case": ("bool", "True"),
        "positions": ("choice", '"textbook"'),
        "norm_first": ("bool", "False"),
        "activation": ("text", '"gelu"'),
        "scales_tokens": ("bool", "False"),
        "sample_deviation": ("bool", "False"),
        "transposed": ("bool", "False"),
        "lone_norm": ("choice", '"last"'),
        "score_scale": ("choice", '"head"'),
        "first_segment": ("segment", "0"),
        "parts": ("parts", '"parts.json"'),
        "classifier_reads": ("choice", '"pooled"'),
        "classifier_activation": ("text", '"relu"'),
        "labels": ("names", '["negative", "positive"]'),
        "follows": ("output", "1"),
        "adapter": ("bool", "True"),
        "base": ("path", '"folder/of/the/base"'),
        "lora_alpha": ("alpha", "16"),
        "tokenizer": ("folder", '"folder/of/the/tokenizer"'),
        "links": ("bool", "True"),
    }
)
"""Of each question of `Answers`: the kind of its answer, see _KINDS, and an example in Python."""


def as_progress(progress: object, function: str) -> Progress | None:
    """Return `progress`, which `function` calls with the bytes read and their total. Raises ArgumentError."""
    if progress is None or (callable(progress) and _takes_two(progress)):
        return cast("Progress | None", progress)
    message = Message(
        "“progress” is a function of two numbers, the bytes read and those in all, not {0}.",
        described(progress),
    )
    call = f"{function}(…, progress=lambda read, total: print(read, total))"
    raise ArgumentError(message, Message("Call {0}.", call))


def _takes_two(function: Callable[..., object]) -> bool:
    try:
        inspect.signature(function).bind(0, 0)
    except TypeError:
        return False
    except ValueError:  # of some built-in functions nothing is known
        return True
    return True


def as_answers(given: Mapping[str, object]) -> Answers:
    """Return `given`, keyword arguments of `open_model`, as answers. Raises ArgumentError."""
    for name, value in given.items():
        if name not in _QUESTIONS:
            raise _no_argument(name)
        if value is not None and not _is_answer(name, value):
            choices = _CHOICES.get(name)
            kind = Message("one of {0}", ", ".join(choices)) if choices else _KINDS[_QUESTIONS[name][0]]
            shown = repr(value)[:40] if isinstance(value, str | int | float) else described(value)
            message = Message("“{0}” is {1}, not {2}.", name, kind, shown)
            raise ArgumentError(message, Message("Call {0}.", _call(name)))
    answers = {name: _plain(value) for name, value in given.items() if name != "parts"}
    if answers.get("tokenizer"):  # kept beside the checkpoint, where a relative path would mean another
        answers["tokenizer"] = str(Path(str(answers["tokenizer"])).expanduser().absolute())
    return Answers(**cast("GivenAnswers", answers)).over(_in_parts(given.get("parts")))


def _in_parts(parts: object) -> Answers:
    """Return the answers in `parts`: a mapping of names to parts, or a JSON file. Raises CheckpointError."""
    if parts is None:
        return Answers()
    if isinstance(parts, str | PathLike):
        return answers_in(Path(parts))
    validate_parts(cast("dict[str, str]", parts))
    return Answers(parts=dict(cast("dict[str, str]", parts)))


_KINDS: Mapping[str, Message] = MappingProxyType(
    {
        "bool": Message("True or False"),
        "count": Message("a whole number above 0"),
        "output": Message("the number of an output, 0 or 1"),
        "segment": Message("the number of a segment, 0 or 1"),
        "eps": Message("a small number above 0"),
        "alpha": Message("a number, 0 or more"),
        "names": Message("a list of names"),
        "parts": Message("a dictionary of names and parts, or a JSON file"),
        "path": Message("a folder, a name or a model of the hub"),
        "folder": Message("a folder"),
        "text": Message("a name"),
    }
)


def _plain(value: object) -> object:
    """Return a value for JSON: numbers of NumPy as Python's, a path as text."""
    if isinstance(value, PathLike):
        return as_ref(value)
    if isinstance(value, bool):
        return value
    if isinstance(value, Integral):
        return int(value)
    return float(value) if isinstance(value, Real) else value


def _is_answer(name: str, value: object) -> bool:
    """Return whether `value` is of the type of answers to the question `name`."""
    if name in _CHOICES:
        return value in _CHOICES[name]
    kind = _QUESTIONS[name][0]
    if kind == "bool":
        return isinstance(value, bool)
    if isinstance(value, bool):
        return False
    if kind in ("count", "output", "segment"):
        least, most = (1, MOST_HEADS) if kind == "count" else (0, 1)
        return isinstance(value, Integral) and least <= int(value) <= most
    if kind in ("eps", "alpha"):  # in the ranges in which saved answers are read again
        if not isinstance(value, Real) or not math.isfinite(value):
            return False
        return 0 < float(value) < 1 if kind == "eps" else 0 <= float(value) < LARGEST_ALPHA
    if kind == "names":
        is_list = isinstance(value, list | tuple) and bool(value)
        return is_list and all(isinstance(one, str) for one in cast("list[object]", value))
    if kind == "parts" and isinstance(value, Mapping):
        return all(isinstance(each, str) for item in value.items() for each in item)
    return (
        isinstance(value, str | PathLike) if kind in ("path", "folder", "parts") else isinstance(value, str)
    )


def _no_argument(name: str) -> ArgumentError:
    message = Message("open_model has no argument “{0}”.", name)
    like = get_close_matches(name, ["ref", "device", "progress", "dtype", *_QUESTIONS], 1, 0.5)
    if like and like[0] in _QUESTIONS:
        return ArgumentError(message, Message("Call {0}.", _call(like[0])))
    return ArgumentError(
        message, Message("It has: {0}.", ", ".join(["ref", "device", "progress", "dtype", *_QUESTIONS]))
    )


def _call(name: str) -> str:
    return f"open_model(folder, {name}={_QUESTIONS[name][1]})"
