"""The parameters that analyses take, checked; how a long analysis reports its progress, and is cancelled."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from numbers import Real
from types import NoneType, UnionType
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np

from bertviz_app.errors import AnalysisError, Message
from bertviz_app.values import dataclass, fields


class Reporter:
    """What an analysis calls while it works, on the thread it runs on: functions, or a subclass's methods."""

    def __init__(
        self, check: Callable[[], None] | None = None, progress: Callable[[float], None] | None = None
    ) -> None:
        if check is not None:
            self.check = check  # type: ignore[method-assign]
        if progress is not None:
            self.progress = progress  # type: ignore[method-assign,assignment]

    def check(self) -> None:
        """Raise Cancelled if the result is no longer needed."""

    def progress(self, share: float) -> None:
        """Receive the share of the work that is done, from 0 to 1."""


SILENT = Reporter()
"""Never cancels, and drops the progress."""


T = TypeVar("T")


def reported(items: Sequence[T], reporter: Reporter) -> Iterator[T]:
    """Yield each of `items`: check before it, and report the share that is done after it."""
    for number, item in enumerate(items, 1):
        reporter.check()
        yield item
        reporter.progress(number / len(items))


P = TypeVar("P")
YES, NO = ("yes", "true", "1"), ("no", "false", "0")


@dataclass(frozen=True)
class Range:
    """Annotates a number: from `lowest` to `highest`, both included; None is no bound."""

    lowest: float | None = None
    highest: float | None = None


@dataclass(frozen=True)
class Choice:
    """Annotates a text that is one of `options`."""

    options: tuple[str, ...]


@dataclass(frozen=True)
class Index:
    """Annotates a number, or several, that count from 0 along an axis of the trace.

    `axis` is "layer", "head" or "token"; whether the trace has so many is checked when the analysis runs.
    `in_pairs`: heads, each by its layer and its number: [(4, 2), (5, 0)], or as text "4.2,5.0"; they are kept
    one number after the other.
    """

    axis: str
    in_pairs: bool = False


Bound = Range | Choice | Index


@dataclass(frozen=True)
class NoParameters:
    """The parameters of an analysis that has none."""


@dataclass(frozen=True)
class Parameter:
    """One field of a parameters class.

    `kind` is bool, int, float or str, or tuple for several whole numbers; `is_optional`: it may be None.
    `label` is its name in a form: a `Message` among its annotations, else its name in Python.
    """

    name: str
    kind: type
    default: Any
    bound: Bound | None
    is_optional: bool
    label: str


def parameters_of(kind: type) -> tuple[Parameter, ...]:
    """Return the parameters that a parameters class has, in order."""
    hints = get_type_hints(kind, include_extras=True)
    return tuple(_parameter(field.name, hints[field.name], field.default) for field in fields(kind))


def _parameter(name: str, hint: Any, default: Any) -> Parameter:
    notes: list[object] = []
    if get_origin(hint) is Annotated:
        hint, *notes = get_args(hint)
    bound = next((note for note in notes if isinstance(note, Bound)), None)
    label = next((note for note in notes if isinstance(note, Message)), name)
    is_optional = get_origin(hint) in (Union, UnionType) and NoneType in get_args(hint)
    if is_optional:
        (hint,) = (part for part in get_args(hint) if part is not NoneType)
    return Parameter(name, get_origin(hint) or hint, default, bound, is_optional, label)


def read_parameters(kind: type[P], values: Mapping[str, object]) -> P:
    """Return the parameters of class `kind` with `values` by name, the others at their defaults.

    Values are of the fields' own types, or their text as a command line has it: "0.5", "yes", "3,4". Raises
    AnalysisError for a name that the analysis does not have, or a value that its parameter cannot be.
    """
    known = {parameter.name: parameter for parameter in parameters_of(kind)}
    for name in values:
        if name not in known:
            hint = Message("It has: {0}.", ", ".join(known)) if known else Message("It has none.")
            raise AnalysisError(Message("The analysis has no parameter “{0}”.", name), hint)
    return kind(**{name: _checked(known[name], value) for name, value in values.items()})


def _checked(parameter: Parameter, value: object) -> object:
    """Return `value` in the parameter's type. Raises AnalysisError."""
    try:
        found = _converted(parameter, value)
    except ValueError as error:
        raise _refused(parameter, value) from error
    bound = parameter.bound
    for one in found if isinstance(found, tuple) else (found,):
        if isinstance(bound, Choice) and one is not None and one not in bound.options:
            raise _refused(parameter, value)
        if isinstance(bound, Range | Index) and isinstance(one, int | float):
            low, high = (0, None) if isinstance(bound, Index) else (bound.lowest, bound.highest)
            if (low is not None and one < low) or (high is not None and one > high):
                raise _refused(parameter, value)
    return found


def _converted(parameter: Parameter, value: object) -> object:
    """Return `value` in the parameter's type. Raises ValueError."""
    if value is None or (isinstance(value, str) and not value and parameter.is_optional):
        if parameter.is_optional:
            return None
        raise ValueError("a value is needed")
    if parameter.kind is tuple:
        parts = value.split(",") if isinstance(value, str) else value
        if isinstance(parts, Real):
            parts = [parts]
        if not isinstance(parts, list | tuple | range | np.ndarray):
            raise ValueError("no list of numbers")
        if isinstance(parameter.bound, Index) and parameter.bound.in_pairs:
            # Each part is a pair (4, 2), or as text "4.2"; any other value is one number.
            parts = [
                number
                for part in parts
                for number in (
                    part.split(".")
                    if isinstance(part, str)
                    else part
                    if isinstance(part, list | tuple | np.ndarray)
                    else (part,)
                )
            ]
        return tuple(_number(int, part) for part in parts)
    if parameter.kind is bool:
        return _truth(value)
    if parameter.kind is str:
        if not isinstance(value, str):
            raise ValueError("no text")
        return value
    return _number(parameter.kind, value)


def _truth(value: object) -> bool:
    if isinstance(value, bool):
        return value
    if not isinstance(value, str) or value.lower() not in YES + NO:
        raise ValueError("neither yes nor no")
    return value.lower() in YES


def _number(kind: type, value: object) -> int | float:
    if isinstance(value, bool) or not isinstance(value, str | Real):
        raise ValueError("no number")
    try:
        number = kind(value)
    except OverflowError as error:  # of an infinite number as a whole one
        raise ValueError("not a finite number") from error
    if kind is int and not isinstance(value, str) and value != number:
        raise ValueError("no whole number")
    if number != number or number in (float("inf"), float("-inf")):
        raise ValueError("not a finite number")
    return int(number) if kind is int else float(number)


def _refused(parameter: Parameter, value: object) -> AnalysisError:
    message = Message("The parameter “{0}” cannot be “{1}”.", parameter.name, value)
    return AnalysisError(message, allowed_values(parameter))


def allowed_values(parameter: Parameter) -> Message:
    """Return a sentence that says which values a parameter takes."""
    bound, kind = parameter.bound, parameter.kind
    if isinstance(bound, Choice):
        return Message("It is one of: {0}.", ", ".join(bound.options))
    if isinstance(bound, Index):
        if kind is int:
            return Message("It is the number of a {0}, from 0.", bound.axis)
        if bound.in_pairs:
            return Message("It is heads, each with its layer before it: {0}.", "[(4, 2), (5, 0)], “4.2,5.0”")
        return Message("It is the numbers of {0}s, from 0, with commas between them.", bound.axis)
    if isinstance(bound, Range):
        low, high = (end if end is None else f"{end:g}" for end in (bound.lowest, bound.highest))
        if low is not None and high is not None:
            return Message("It is a number from {0} to {1}.", low, high)
        return Message("It is {0} or less.", high) if low is None else Message("It is {0} or more.", low)
    if kind is bool:
        return Message("It is yes or no.")
    return Message("It is a text.") if kind is str else Message("It is a number.")
