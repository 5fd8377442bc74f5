"""Errors that the user can put right, with a hint what to do; and how long work is cancelled."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from contextvars import ContextVar
from importlib import import_module
from typing import Any, Literal


class Message(str):
    """A sentence for people: English text with the template and the arguments that it was made from.

    `Message("{0} has {1} heads.", name, 12)` is the filled string; a layer that knows the user's language
    translates the template and fills that instead. An argument may be a Message itself. Without arguments
    the text is the template: its fields, if it has any, are filled by what reads it.
    """

    __slots__ = ("arguments", "template")

    template: str
    arguments: tuple[object, ...]

    def __new__(cls, template: str, *arguments: object) -> Message:
        """Fill `template`, whose fields are {0}, {1} ..., with `arguments`."""
        message = super().__new__(cls, template.format(*arguments) if arguments else template)
        message.template = template
        message.arguments = arguments
        return message

    @classmethod
    def joined(cls, parts: Sequence[str], separator: str = " ") -> Message:
        """Return several messages as one, each of which is translated on its own."""
        return cls(separator.join(f"{{{number}}}" for number in range(len(parts))), *parts)

    def __reduce__(self) -> tuple[type[Message], tuple[object, ...]]:
        """Copy and pickle the template and the arguments: the filled text alone could not be translated."""
        return Message, (self.template, *self.arguments)


at_a_prompt: ContextVar[bool] = ContextVar("at_a_prompt", default=False)
"""Whether who reads an error typed a command: it names options then, else arguments of Python."""


def as_json(text: str) -> object:
    """Return `text` as a value for JSON, from which `from_json` makes the same message."""
    if not isinstance(text, Message):
        return text
    arguments = [as_json(part if isinstance(part, str) else str(part)) for part in text.arguments]
    return {"template": text.template, "arguments": arguments}


def from_json(value: object) -> str:
    """Return the text or the message that `as_json` made `value` of. Raises ValueError for another value."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict) and isinstance(value.get("template"), str):
        arguments = value.get("arguments")
        if isinstance(arguments, list):
            with suppress(LookupError, AttributeError):  # a field that the arguments do not have
                return Message(value["template"], *map(from_json, arguments))
    raise ValueError("no text and no message")


class AppError(Exception):
    """Something the user can put right.

    `message` says what is wrong in one sentence; `hint` says what to do about it (may be empty).
    """

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message, self.hint = message, hint

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()


class TextError(AppError):
    """The text cannot be encoded: it is empty, only spaces, or has characters that do not occur in text.

    `field` says which of the two: "text" or "pair".
    """

    def __init__(self, message: str, hint: str = "", field: str = "text") -> None:
        super().__init__(message, hint)
        self.field = field


class CheckpointError(AppError):
    """A checkpoint is missing, damaged, of an unknown kind, or disagrees with itself."""


class TokenizerError(CheckpointError):
    """A checkpoint's tokenizer is missing, damaged, or disagrees with its vocabulary."""


class HubError(AppError):
    """A request to the hub failed: no network, no such model, no permission."""


class DeviceError(AppError):
    """The chosen device does not exist here or has no memory left."""


class FileError(AppError):
    """A file could not be read or written."""


class FigureError(AppError, ValueError):
    """A figure cannot be drawn like this: too narrow for its labels, no such view, not on this thread.

    `enough`: the width, in 1/96 inch, at which it can; None where that is not what is wrong.
    """

    def __init__(self, message: str, hint: str = "", enough: float | None = None) -> None:
        super().__init__(message, hint)
        self.enough = enough


class PackageError(AppError, ImportError):
    """What was requested needs a package that is not installed; the hint has the command that installs it."""


def imported(name: str) -> Any:
    """Return the package of this name. Raises PackageError where it is not installed."""
    try:
        return import_module(name)
    except ImportError as error:
        raise lacks_package(name) from error


def lacks_package(name: str) -> PackageError:
    """Return the error for a package of this name."""
    message = Message("This needs the package {0}, which is not installed.", name)
    return PackageError(message, Message("Install it: {0}.", f"pip install {name}"))


class PartialWarning(UserWarning):
    """Something was computed of a part of what was given: what is missing is named."""


class TruncationWarning(PartialWarning):
    """A text had more tokens than the model reads; the trace has those that fit."""


class ComparisonWarning(PartialWarning):
    """Two runs have another number of layers or heads; those that only one has are not compared."""


class Cancelled(Exception):  # noqa: N818 - not an error: the user, or a newer request, cancelled the work
    """A long computation was cancelled."""


Check = Callable[[], None]
"""Raises `Cancelled` when the work is no longer wanted; long work calls it often."""

Progress = Callable[[int, int], None]
"""Called with how much is done and how much there is, in bytes or in layers."""


class ArgumentError(AppError, TypeError):
    """An argument is of another type than the function takes; the hint has the right call."""


class SelectionError(AppError, IndexError):
    """A layer, head or token outside of the trace was requested."""


class InterventionError(AppError, ValueError):
    """An intervention is of a kind that there is not, lacks a value, or does not apply to this run."""


Remedy = Literal["", "second run", "task head", "checkpoint"]
"""What makes an analysis possible: a second run, a checkpoint with a task head, another checkpoint."""


class AnalysisError(AppError):
    """An analysis does not apply to this model, or not with these parameters.

    `remedy`: what would make it possible, "" where that is none of these.
    """

    def __init__(self, message: str, hint: str = "", remedy: Remedy = "") -> None:
        super().__init__(message, hint)
        self.remedy: Remedy = remedy


def shown(name: str, at_most: int = 80) -> str:
    """Return the start of `name` without control characters."""
    start = name[:at_most]
    return start if start.isprintable() else ascii(start)
