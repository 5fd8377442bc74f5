"""Arguments of sub-commands: parsers of their values, and the questions about a model."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any, NoReturn

from bertviz_app.checkpoint.question_table import NAME, QUESTIONS, YES_OR_NO, AnswerKind
from bertviz_app.checkpoint.questions import ABOUT_FILES, Answers
from bertviz_app.errors import AppError, FigureError, FileError
from bertviz_app.figures import COLUMNS, UNITS, pixels_of
from bertviz_app.options import PictureSize
from bertviz_app.paths import check_folder

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
            yes, no = (question.option, True, question.help), (question.no, False, question.no_help)
            for named, answer, about in (yes, no) if question.no else (yes,):
                both.add_argument(named, action="store_const", const=answer, dest=name, help=about)
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
    values = {field.name: vars(options)[field.name] for field in fields(Answers)}
    if not (given := {name: value for name, value in values.items() if value is not None}):
        return Answers()
    from bertviz_app.api.arguments import as_answers

    return as_answers(given)


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
minutes = real(lambda minutes: 0 < minutes < 1e6, " is no number of minutes above 0", "no number of minutes")
share = real(lambda share: 0 <= share <= 1, " is no share: it must be from 0 to 1")


def keys(text: str) -> tuple[str, ...]:
    """Parse keys separated by commas."""
    return tuple(key.strip() for key in text.split(",") if key.strip())


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


class FileOf:
    """Parses the name of a file to write. Raises FileError for another ending, or without the folder."""

    def __init__(self, *endings: str) -> None:
        self.endings = endings

    def __call__(self, text: str) -> Path:
        path = Path(text)
        if path.suffix.lower() not in self.endings:
            known = " or ".join(filter(None, (", ".join(self.endings[:-1]), self.endings[-1])))
            raise FileError(f"“{path}” does not end in {known}.", "Give the file another name.")
        check_folder(path)
        return path
