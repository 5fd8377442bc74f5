"""Arguments of sub-commands: parsers of their values, options from dataclasses, questions about a model."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from bertviz_app.checkpoint.question_table import NAME, QUESTIONS, YES_OR_NO, AnswerKind
from bertviz_app.checkpoint.questions import ABOUT_FILES, Answers
from bertviz_app.errors import AppError, FigureError, FileError
from bertviz_app.figures import COLUMNS, UNITS, pixels_of
from bertviz_app.options import PictureSize
from bertviz_app.paths import check_folder

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

_SMALLEST, _LARGEST = 100, 8000  # pixels a side of a rendered picture
_UNIT = re.compile(f"(?:{'|'.join(UNITS)})$")
_FEWEST_DOTS, _MOST_DOTS = 48, 1200


class Parser(argparse.ArgumentParser):
    """An argument parser that reports wrong arguments in the same way as other errors."""

    def error(self, message: str) -> NoReturn:
        """Raise an error, which `main` prints in one line, instead of printing the usage."""
        raise AppError(
            f"{message[:1].upper()}{message[1:]}.", f"“{self.prog} --help” shows what can be given."
        )


def add_common(parser: argparse.ArgumentParser) -> None:
    """Add the options that every sub-command with a text has."""
    parser.add_argument("--pair", metavar="TEXT", help="a second sentence, read together with the first")
    add_model(parser)


def add_model(parser: argparse.ArgumentParser) -> None:
    """Add the options that name the checkpoint and its device."""
    parser.add_argument(
        "--model",
        metavar="REF",
        help="a folder, a file of weights, a name from “models”, or org/name[@revision] of the hub",
    )
    parser.add_argument(
        "--device", default="auto", help="auto, cpu, cuda, mps, or as cuda:1 (auto unless given)"
    )
    parser.add_argument(
        "--dtype",
        choices=("float32", "bfloat16"),
        default="float32",
        help="in which numbers the layers multiply (float32 unless given; a CPU without AMX is often slower "
        "in bfloat16); analyses compute in float32",
    )


def add_answers(parser: argparse.ArgumentParser, option: str = "--heads") -> None:
    """Add the questions about a checkpoint; `option` is that for the number of its heads."""
    of_a_notebook = parser.add_argument_group(
        "a notebook's model", "what its files leave open; kept beside it"
    )
    about_files = parser.add_argument_group(
        "adapters, tokenizer and links", "which files are meant; kept beside them"
    )
    for field in fields(Answers):
        name, question = field.name, QUESTIONS[field.name]
        group = about_files if name in ABOUT_FILES else of_a_notebook
        if question.kind is YES_OR_NO:
            both = group.add_mutually_exclusive_group()
            both.add_argument(
                question.option, action="store_true", dest=name, default=None, help=question.help
            )
            if question.no:
                both.add_argument(
                    question.no, action="store_false", dest=name, default=None, help=question.no_help
                )
        else:
            group.add_argument(
                option if name == "n_heads" else question.option,
                dest=name,
                type=_reader(question.kind),
                choices=question.offered if question.offered and question.kind is not NAME else None,
                metavar=question.kind.metavar,
                help=question.help,
            )


def _reader(kind: AnswerKind) -> Callable[[str], Any]:
    """Return a parser of answers of this kind; argparse names the fault where the kind does not."""

    def read(text: str) -> object:
        found = kind.read(text)
        if found is None or not kind.accepts(found):
            raise argparse.ArgumentTypeError(f"“{text}” is {kind.refused}")
        return found

    return read if kind.refused else kind.read


def answers_of(options: argparse.Namespace) -> Answers:
    """Return the answers among the options, and in the file that they name."""
    from bertviz_app.checkpoint.answers import answers_in

    given = {field.name: vars(options)[field.name] for field in fields(Answers)}
    file = given.pop("parts")
    if given["tokenizer"]:  # saved beside the checkpoint, where a relative path would mean another
        given["tokenizer"] = str(Path(given["tokenizer"]).expanduser().absolute())
    return Answers(**given).over(Answers() if file is None else answers_in(file))


def numbers(text: str) -> tuple[int, ...]:
    """Parse whole numbers separated by commas."""
    return tuple(number(part.strip()) for part in text.split(","))


def setting(text: str) -> tuple[str, str]:
    """Return (name, value) of "name=value"; a name alone stands for "yes"."""
    name, sign, value = text.partition("=")
    if not name.strip():
        raise argparse.ArgumentTypeError(f"“{text}” is no setting like colours=magma")
    return name.strip(), value.strip() if sign else "yes"


def real(holds: Callable[[float], bool], beyond: str, unread: str = "no number") -> Callable[[str], float]:
    """Return a parser of a number that `holds`: of a text that is none, or one `beyond`, it says so."""

    def read(text: str) -> float:
        try:
            found = float(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(f"“{text}” is {unread}") from error
        if not holds(found):
            raise argparse.ArgumentTypeError(f"“{text}”{beyond}")
        return found

    return read


text_size = real(lambda size: 0.5 <= size <= 3, ": text is 0.5 to 3 times its normal size")


def count(text: str) -> int:
    """Parse a whole number from 1."""
    found = number(text)
    if not 1 <= found <= 1000:
        raise argparse.ArgumentTypeError(f"“{text}” is no count from 1 to 1000")
    return found


def number(text: str) -> int:
    """Parse a whole number from 0."""
    if not (text.isascii() and text.isdigit() and len(text) <= 9):
        raise argparse.ArgumentTypeError(f"“{text}” is no number from 0")
    return int(text)


def size(text: str) -> PictureSize | tuple[int, int]:
    """Parse WIDTHxHEIGHT in pixels of a screen, or in a unit of print, as 16x10cm, or a width of that."""
    try:
        in_print = _UNIT.search(text)
        if in_print is None and text not in COLUMNS:
            width, height = (number(side) for side in text.split("x"))
            return _side(width, text), _side(height, text)
        unit = "" if in_print is None else in_print[0]
        sides = [text] if text in COLUMNS else text.removesuffix(unit).split("x")
        found = [length(side if side in COLUMNS or _UNIT.search(side) else f"{side}{unit}") for side in sides]
        across, most = found if len(found) > 1 else (found[0], None)
    except (argparse.ArgumentTypeError, ValueError) as error:
        if "each side" in str(error) or "of a figure" in str(error):
            raise
        message = f"“{text}” is no size like 1600x1000, 16x10cm, 89mm or acl"
        raise argparse.ArgumentTypeError(message) from error
    return PictureSize(across, most, is_printed=True)


def _side(pixels: int, text: str) -> int:
    if not _SMALLEST <= pixels <= _LARGEST:
        allowed = f"{_SMALLEST} to {_LARGEST} pixels"
        raise argparse.ArgumentTypeError(f"“{text}”: each side must be {allowed}")
    return pixels


def width(text: str) -> PictureSize:
    """Parse the width of a figure in print, as 7.7cm, 89mm, 5.5in, 240pt or acl."""
    return PictureSize(length(text), None, is_printed=True)


def length(text: str) -> float:
    """Parse a length with its unit, or the name of a column; return 1/96 inches."""
    try:
        return pixels_of(text)
    except FigureError as error:
        raise argparse.ArgumentTypeError(str(error).removesuffix(".")) from error


def dots_per_inch(text: str) -> float:
    """Parse the dots to an inch; return how many pixels the picture has for each pixel of its size."""
    found = number(text)
    if not _FEWEST_DOTS <= found <= _MOST_DOTS:
        raise argparse.ArgumentTypeError(f"“{text}”: {_FEWEST_DOTS} to {_MOST_DOTS} dots to an inch")
    return found / 96


def check_ending(path: Path, endings: Sequence[str]) -> None:
    """Raise FileError, before any work is done, for another ending or a folder that does not exist."""
    if path.suffix.lower() not in endings:
        known = " or ".join((", ".join(endings[:-1]), endings[-1])) if len(endings) > 1 else endings[0]
        raise FileError(f"“{path}” does not end in {known}.", "Give the file another name.")
    check_folder(path)


Command = Callable[[argparse.Namespace], int]
Add = Callable[[str, str, Command], argparse.ArgumentParser]
"""Adds a sub-command: takes its name, its help and the function that it runs; returns its parser."""


class Setting(NamedTuple):
    """An option that sets the `field` of a dataclass; where it is left out, the field has its own default."""

    option: str
    field: str
    help: str | None = None
    metavar: str | None = None
    read: Callable[[str], Any] = str
    choices: Sequence[str] | None = None


def add_settings(group: argparse._ActionsContainer, settings: Iterable[Setting]) -> None:
    """Add the options of the `settings`, in their order; those that `read` a bool take no value."""
    for option, field, about, metavar, read, choices in settings:
        kind: dict[str, Any] = {"metavar": metavar, "type": read, "choices": choices}
        if read is bool:
            kind = {"action": "store_true"}
        group.add_argument(option, dest=field, help=about, default=argparse.SUPPRESS, **kind)


def given_settings(options: argparse.Namespace, kind: type[DataclassInstance]) -> dict[str, Any]:
    """Return the fields of the dataclass `kind` that were given as options."""
    return {field.name: vars(options)[field.name] for field in fields(kind) if field.name in vars(options)}
