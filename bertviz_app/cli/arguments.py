"""What sub-commands share: arguments, parsers of their values, opening and reading, and printing."""

from __future__ import annotations

import argparse
import io
import math
import os
import re
import shlex
import signal
import sys
import time
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from bertviz_app.checkpoint.question_table import QUESTIONS, YES_OR_NO, AnswerKind
from bertviz_app.checkpoint.questions import ABOUT_FILES, Answers
from bertviz_app.errors import AppError, Cancelled, FileError
from bertviz_app.options import RUNS, OtherOptions
from bertviz_app.text.edits import (
    HEAD_KINDS,
    TOKEN_KINDS,
    CellIntervention,
    HeadIntervention,
    Intervention,
    TokenIntervention,
)
from bertviz_app.training.settings import PRECISIONS, STATE, STORES, WORK

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    from bertviz_app.api import Model
    from bertviz_app.inference.engine import TraceResult
    from bertviz_app.text import Edits

_SMALLEST, _LARGEST = 100, 8000  # pixels a side of a rendered picture
_PIXELS_A_CENTIMETRE = 96 / 2.54
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
        help="in which numbers the layers multiply (float32 unless given); analyses compute in float32",
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
                choices=question.values or None,
                metavar=question.metavar,
                help=question.help,
            )


def _reader(kind: AnswerKind) -> Callable[[str], Any]:
    """Return what reads an answer of this kind; argparse names what is wrong where the kind does not."""

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
    if given["tokenizer"]:  # kept beside the checkpoint, where a relative path would mean another
        given["tokenizer"] = str(Path(given["tokenizer"]).expanduser().absolute())
    return Answers(**given).over(Answers() if file is None else answers_in(file))


def add_edits(parser: argparse._ActionsContainer, prefix: str = "") -> None:
    """Add the options that intervene in a run: short ones for masks and zeros, and one for all others."""
    heads, tokens = "heads whose output is zero, as 3.5,4.0", "tokens read as [MASK], by position from 0"
    parser.add_argument(f"--{prefix}mute", type=_heads, default=(), metavar="L.H,…", help=heads)
    parser.add_argument(f"--{prefix}mask", type=numbers, default=(), metavar="N,…", help=tokens)
    parser.add_argument(
        f"--{prefix}replace",
        type=_replacement,
        action="append",
        default=[],
        metavar="N=PIECE",
        help="read token N as another piece of the vocabulary; may be given several times",
    )
    parser.add_argument(
        f"--{prefix}intervene",
        action="append",
        default=[],
        metavar="WHAT=HOW",
        help=(
            "head:3.5=zero, =mean or =uniform; token:4=mask, =drop, =replace:PIECE, =segment:1 or "
            "=position:7; cell:3.5:2:7=0.4 sets the weight with which token 2 attends to token 7; may be "
            "given several times"
        ),
    )
    mean = "the text over whose tokens the mean of a head is taken, for head:3.5=mean"
    parser.add_argument(f"--{prefix}reference", default="", metavar="TEXT", help=mean)


def add_other(parser: argparse.ArgumentParser) -> None:
    """Add the options that define run B."""
    group = parser.add_argument_group("run B", "what is other in it than in run A; the rest is the same")
    group.add_argument("--other-text", metavar="TEXT", help="its sentence")
    group.add_argument("--other-pair", metavar="TEXT", help="its second sentence")
    group.add_argument("--other-model", metavar="REF", help="its checkpoint")
    add_edits(group, "other-")
    group.add_argument("--run", choices=RUNS, default="A", help="which run is drawn (A unless given)")


def other_of(options: argparse.Namespace) -> OtherOptions | None:
    """Return run B, None if it does not differ. Raises AppError if there is none, but it is to be drawn."""
    other = OtherOptions(
        options.other_text, options.other_pair, options.other_model, edits_of(options, "other_") or None
    )
    if other != OtherOptions():
        return other
    if options.run != "A" or options.view == "divergence":
        raise AppError("There is no run B to compare with.", "Say what is other in it: --other-text, …")
    return None


def edits_of(options: argparse.Namespace, prefix: str = "") -> Edits:
    """Return the interventions in the run. Raises AppError if two contradict, or one cannot be read."""
    from bertviz_app.text.edits import MASK, Edits

    given = vars(options)
    mask, replace = given[f"{prefix}mask"], given[f"{prefix}replace"]
    replaced = [*((position, MASK) for position in mask), *replace]
    for index, (position, piece) in enumerate(replaced):
        if any(position == at and piece != other for at, other in replaced[:index]):
            raise AppError(f"Token {position} is replaced twice.", "Give one piece for it.")
    short = Edits(tuple(sorted(set(given[f"{prefix}mute"]))), tuple(sorted(set(replaced))))
    reference = given[f"{prefix}reference"]
    others = [read_intervention(text, reference) for text in given[f"{prefix}intervene"]]
    return Edits.of([*short.interventions, *others])


def _heads(text: str) -> tuple[tuple[int, int], ...]:
    pairs = [part.strip().split(".") for part in text.split(",")]
    try:
        return tuple((number(layer), number(head)) for layer, head in pairs)
    except (ValueError, argparse.ArgumentTypeError) as error:
        raise argparse.ArgumentTypeError(f"“{text}” is no list of heads like 3.5,4.0") from error


def numbers(text: str) -> tuple[int, ...]:
    """Parse whole numbers separated by commas."""
    return tuple(number(part.strip()) for part in text.split(","))


def _replacement(text: str) -> tuple[int, str]:
    position, sign, piece = text.partition("=")
    if not sign or not piece.strip():
        raise argparse.ArgumentTypeError(f"“{text}” is no replacement like 4=word")
    return number(position.strip()), piece.strip()


def setting(text: str) -> tuple[str, str]:
    """Return (name, value) of "name=value"; a name alone stands for "yes"."""
    name, sign, value = text.partition("=")
    if not name.strip():
        raise argparse.ArgumentTypeError(f"“{text}” is no setting like colours=magma")
    return name.strip(), value.strip() if sign else "yes"


def text_size(text: str) -> float:
    """Parse the size of text, 1 being the normal size."""
    try:
        found = float(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"“{text}” is no number") from error
    if not 0.5 <= found <= 3:
        raise argparse.ArgumentTypeError(f"“{text}”: text is 0.5 to 3 times its normal size")
    return found


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


def size(text: str) -> tuple[int, int]:
    """Parse WIDTHxHEIGHT in pixels, or in centimetres with "cm" behind it, of which 2.54 are 96 pixels."""
    is_metric = text.endswith("cm")
    width, _, height = text.removesuffix("cm").partition("x")
    try:
        sides = (
            [round(positive(side) * _PIXELS_A_CENTIMETRE) for side in (width, height)]
            if is_metric
            else [number(side) for side in (width, height)]
        )
    except argparse.ArgumentTypeError as error:
        raise argparse.ArgumentTypeError(f"“{text}” is no size like 1600x1000 or 16x10cm") from error
    if not all(_SMALLEST <= side <= _LARGEST for side in sides):
        allowed = f"{_SMALLEST} to {_LARGEST} pixels"
        if is_metric:
            least, most = (side / _PIXELS_A_CENTIMETRE for side in (_SMALLEST, _LARGEST))
            allowed = f"{least:.1f} to {most:.0f} cm"
        raise argparse.ArgumentTypeError(f"“{text}”: each side must be {allowed}")
    return sides[0], sides[1]


def dots_per_inch(text: str) -> float:
    """Parse the dots to an inch; return how many pixels the picture has for each pixel of its size."""
    found = number(text)
    if not _FEWEST_DOTS <= found <= _MOST_DOTS:
        raise argparse.ArgumentTypeError(f"“{text}”: {_FEWEST_DOTS} to {_MOST_DOTS} dots to an inch")
    return found / 96


def positive(text: str) -> float:
    """Parse a number above 0, such as 8.5."""
    try:
        found = float(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"“{text}” is no number") from error
    if not 0 < found < math.inf:
        raise argparse.ArgumentTypeError(f"“{text}” is no number above 0")
    return found


def check_ending(path: Path, endings: Sequence[str]) -> None:
    """Raise FileError before any work is done if `path` has none of the `endings`."""
    if path.suffix.lower() not in endings:
        known = " or ".join((", ".join(endings[:-1]), endings[-1])) if len(endings) > 1 else endings[0]
        raise FileError(f"“{path}” does not end in {known}.", "Give the file another name.")


def check_texts(text: str, pair: str | None) -> None:
    """Raise TextError before a checkpoint is opened, which takes longer."""
    from bertviz_app.text.tokens import validate

    validate(text, "text", "The text" if pair is None else "Sentence 1")
    if pair is not None:
        validate(pair, "pair", "Sentence 2")


PROGRAM = "bertviz-app"
_CLEAR = "\r\033[K"  # tells a terminal to go to the start of the line and to clear it


def table(titles: Sequence[str], rows: Iterable[Sequence[str]], right: Sequence[int] = ()) -> str:
    """Return the rows as lines of aligned columns under their titles; `right` numbers right-hand ones.

    A Hangul or Chinese character takes two columns on a terminal, a combining mark none.
    """
    lines = [titles, *rows]
    widths = [max(map(_columns, column)) for column in zip(*lines, strict=True)]
    return "\n".join(_line(line, widths, right) for line in lines)


def _line(cells: Sequence[str], widths: Sequence[int], right: Sequence[int]) -> str:
    padded = []
    for number, (cell, width) in enumerate(zip(cells, widths, strict=True)):
        space = " " * (width - _columns(cell))
        padded.append(space + cell if number in right else cell + space)
    return "  ".join(padded).rstrip()


def _columns(text: str) -> int:
    return sum(_columns_of(character) for character in text)


def _columns_of(character: str) -> int:
    if unicodedata.category(character) in {"Mn", "Me", "Cf"}:
        return 0
    return 2 if unicodedata.east_asian_width(character) in {"W", "F"} else 1


def byte_count(count: int) -> str:
    """Return a number of bytes for people, such as "2.1 MB"."""
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{count / 1e6:.1f} MB"


def print_text(text: str) -> None:
    """Write a text and a line break to standard output. Raises FileError where that cannot be written."""
    try:
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        drop_output()
        raise FileError(f"The output could not be written: {error.strerror}.") from error


def print_error(text: str) -> None:
    """Write one line to standard error, in place of the progress that may stand there."""
    line = f"{PROGRAM}: {' '.join(text.split())}\n"
    sys.stderr.write(_CLEAR + line if sys.stderr.isatty() else line)


def progress(ref: str | None) -> Callable[[int, int], None] | None:
    """Return what shows the progress of opening `ref`, on a terminal only, and removes it at the end."""
    if not sys.stderr.isatty():
        return None

    def show(done: int, total: int) -> None:
        line = f"Opening {ref or 'the checkpoint'}: {byte_count(done)} of {byte_count(total)}"
        sys.stderr.write(_CLEAR + (line if done < total else ""))
        sys.stderr.flush()

    return show


def show_progress(line: str) -> None:
    """Show `line` in place of the one before, on a terminal only; "" removes it."""
    if sys.stderr.isatty():
        sys.stderr.write(_CLEAR + line)
        sys.stderr.flush()


def accept_every_character() -> None:
    """Write a character that the terminal's encoding lacks as its number."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def drop_output() -> None:
    """Discard the output that is still buffered: Python would report an error about it at exit."""
    with Path(os.devnull).open("w") as nowhere:
        os.dup2(nowhere.fileno(), sys.stdout.fileno())


class Encoded(NamedTuple):
    """A model, and the result of encoding a text."""

    model: Model
    result: TraceResult


def add_reading(parser: argparse.ArgumentParser, text: str, out: str, endings: Sequence[str]) -> None:
    """Add the text, its model and edits, and the file to write; `text` and `out` are help texts."""
    parser.add_argument("text", metavar="TEXT", help=text)
    add_common(parser)
    add_answers(parser)
    add_edits(parser)
    prompt = "one of the checkpoint's prompts, written before the text"
    parser.add_argument("--prompt", metavar="NAME", help=prompt)
    parser.add_argument("--out", type=Path, metavar="FILE", help=f"{out} ({', '.join(endings)})")
    parser.set_defaults(endings=endings)


def encoded(options: argparse.Namespace, *, with_own_mask: bool = False, says_masks: bool = False) -> Encoded:
    """Return the model and the encoded text that the options name.

    Bad file names and texts are refused before the model is opened, which takes longer. `with_own_mask`:
    [MASK] in the text stands for the mask token of the model's own tokenizer. Interventions are named on
    standard error, without masks if the output of the command `says_masks`.
    """
    from bertviz_app.text.edits import Edits, TokenIntervention, edits_text

    if options.out is not None:
        check_ending(options.out, options.endings)
    check_texts(options.text, options.pair)
    model = open_model(options)
    edits = edits_of(options)
    texts = options.text, options.pair
    if with_own_mask:
        texts = model.with_own_mask(*texts)
    result = model.encode(*texts, interventions=edits.interventions, prompt=options.prompt)
    named = [
        one
        for one in edits.interventions
        if not (says_masks and isinstance(one, TokenIntervention) and one.kind == "mask")
    ]
    if named:
        print_error(f"With interventions: {edits_text(Edits.of(named))}.")
    return Encoded(model, result)


def open_model(options: argparse.Namespace) -> Model:
    """Return the model that the options name, opened with the answers among them.

    Remarks about it are printed on standard error.
    """
    from bertviz_app.api import open_model

    answers = answers_of(options)
    model = open_model(
        options.model, options.device, progress(options.model), dtype=options.dtype, **answers.given()
    )
    for remark in model.facts.remarks:
        print_error(remark)
    return model


def finish(options: argparse.Namespace, result: TraceResult, save: Callable[[Path], None]) -> int:
    """Print the notices of a run, write its file if one is named, and return the exit code."""
    for notice in result.notices:
        print_error(notice)
    if options.out is not None:
        save(options.out)
        print_text(f"Wrote {options.out}.")
    return 0


_FORMS = (
    "Write head:3.5=uniform, token:4=drop, token:4=segment:1 or cell:3.5:2:7=0.4; layers, heads and tokens "
    "count from 0."
)
_CELL = re.compile(r"(\d+)\.(\d+):(\d+):(\d+)")
_HEAD = re.compile(r"(\d+)\.(\d+)")


def read_intervention(text: str, reference: str) -> Intervention:
    """Return the intervention that `text` names; `reference` is the text of a mean. Raises AppError."""
    what, equals, change = text.partition("=")
    kind, colon, where = what.partition(":")
    reader = _READERS.get(kind.strip())
    if not equals or not colon or reader is None:
        raise _unreadable(text)
    return reader(text, where.strip(), change.strip(), reference)


def _head(text: str, where: str, change: str, reference: str) -> Intervention:
    at = _HEAD.fullmatch(where)
    kind = next((kind for kind in HEAD_KINDS if kind == change), None)
    if at is None or kind is None:
        raise _unreadable(text)
    if kind == "mean" and not reference.strip():
        raise AppError(
            f"“{text}” needs a text over which the mean is taken.", "Give one with --reference TEXT."
        )
    return HeadIntervention(int(at[1]), int(at[2]), kind, reference if kind == "mean" else "")


def _token(text: str, where: str, change: str, reference: str) -> Intervention:
    named, colon, value = change.partition(":")
    kind = next((kind for kind in TOKEN_KINDS if kind == named), None)
    if not where.isdecimal() or kind is None:
        raise _unreadable(text)
    is_id = kind in ("segment", "position")
    if is_id and not value.isdecimal():
        raise _unreadable(text)
    given = (int(value) if is_id else value) if colon else None
    return TokenIntervention(int(where), kind, given)


def _cell(text: str, where: str, change: str, reference: str) -> Intervention:
    at = _CELL.fullmatch(where)
    try:
        weight = float(change)
    except ValueError:
        raise _unreadable(text) from None
    if at is None:
        raise _unreadable(text)
    layer, head, query, key = map(int, at.groups())
    return CellIntervention(layer, head, query, key, weight)


def _unreadable(text: str) -> AppError:
    return AppError(f"“{text}” is no intervention.", _FORMS)


_READERS: Mapping[str, Callable[[str, str, str, str], Intervention]] = {
    "head": _head,
    "token": _token,
    "cell": _cell,
}


Command = Callable[[argparse.Namespace], int]
Add = Callable[[str, str, Command], argparse.ArgumentParser]
"""Adds a sub-command: takes its name, its help and the function that it runs; returns its parser."""
INTERRUPTED = 130
_PAUSE = 0.2  # seconds between two drawings of the bar
_WIDTH = 24


class Terminal:
    """The listener of a training: prints its stages and notices, and stops it at Ctrl-C."""

    def __init__(self, stages: dict[str, str]) -> None:
        self.is_stopping = False
        self._stages = stages
        self._shown_at = 0.0

    def on_stage(self, stage: str) -> None:
        """Report the stage of the work that begins."""
        self.line(self._stages[stage])

    def on_notice(self, notice: str) -> None:
        """Report something about the data that the user should know."""
        self.clear()
        print_error(notice)

    def check(self) -> None:
        """Raise Cancelled if the work has been cancelled."""
        if self.is_stopping:
            raise Cancelled

    def on_snapshot(self, folder: Path) -> None:
        """Report the folder of a new snapshot."""
        self.line(f"Kept {folder}.")

    def bar(self, share: float, seconds: float, facts: str) -> None:
        """Draw how much is done, 0 to 1, after `seconds`, and its `facts` so far."""
        now = time.monotonic()
        if now - self._shown_at < _PAUSE:
            return
        self._shown_at = now
        done = round(_WIDTH * share)
        left = f"  {_duration(seconds * (1 - share) / share)} left" if share > 0 else ""
        bar = f"[{'=' * done}{' ' * (_WIDTH - done)}] {share:4.0%}"
        show_progress(f"{bar}  {facts}{left}")

    def line(self, text: str) -> None:
        """Print a line in place of the bar."""
        self.clear()
        print_text(text)

    def clear(self) -> None:
        """Remove the bar."""
        show_progress("")


def run_training(terminal: Terminal, out: Path, train: Callable[[], str]) -> int:
    """Run a training, print the sentence it returns, return the exit code. Ctrl-C stops it after a step."""
    try:
        with _interrupting(terminal):
            sentence = train()
    except Cancelled:
        terminal.clear()
        print_error(_stopped(out))
        return INTERRUPTED
    finally:
        terminal.clear()
    print_text(sentence)
    print_text(f"Wrote {out}.")
    return 0


def command_line(options: argparse.Namespace) -> str:
    """Return the command line that started the run, also if it is resumed by `options`."""
    given = [argument for argument in options.arguments if argument != "--resume"]
    return shlex.join([PROGRAM, *given])


class Setting(NamedTuple):
    """An option that sets the `field` of a dataclass; where it is left out, the field has its own default."""

    option: str
    field: str
    help: str | None = None
    metavar: str | None = None
    read: Callable[[str], Any] = str
    choices: Sequence[str] | None = None


def add_settings(group: argparse._ActionsContainer, settings: Iterable[Setting]) -> None:
    """Add the options of the `settings`, in their order."""
    for option, field, about, metavar, read, choices in settings:
        group.add_argument(
            option,
            dest=field,
            help=about,
            metavar=metavar,
            type=read,
            choices=choices,
            default=argparse.SUPPRESS,
        )


def given_settings(options: argparse.Namespace, kind: type[DataclassInstance]) -> dict[str, Any]:
    """Return the fields of the dataclass `kind` that were given as options."""
    return {field.name: vars(options)[field.name] for field in fields(kind) if field.name in vars(options)}


_COURSE = (
    Setting("--precision", "precision", "auto: bfloat16 where the device computes in it", choices=PRECISIONS),
    Setting("--seed", "seed", "0 unless given", "N", number),
    Setting("--snapshots", "snapshot_every", "keep the model every N steps, too", "N", number),
    Setting(
        "--store",
        "stores",
        "how the numbers are written; float16 takes half the space",
        choices=STORES,
    ),
)


def add_course(parser: argparse.ArgumentParser, settings: Iterable[Setting]) -> argparse._ArgumentGroup:
    """Add the options that both trainings have, then those of one."""
    course = parser.add_argument_group("the run")
    course.add_argument("--resume", action="store_true", help="go on with the run in the folder")
    course.add_argument("--device", default="auto", help="auto, cpu, cuda, mps (auto unless given)")
    add_settings(course, (*_COURSE, *settings))
    return course


@contextmanager
def _interrupting(terminal: Terminal) -> Iterator[None]:
    """Let Ctrl-C end the run between two steps; a second one ends the program at once."""

    def stop(number: int, frame: FrameType | None) -> None:
        if terminal.is_stopping:
            raise KeyboardInterrupt
        terminal.is_stopping = True

    before = [(name, signal.signal(name, stop)) for name in (signal.SIGINT, signal.SIGTERM)]
    try:
        yield
    finally:
        for name, handler in before:
            signal.signal(name, handler)


def _stopped(out: Path) -> str:
    if not (out / WORK / STATE).exists():
        return "Stopped before the first step: there is no run to go on with."
    return f"Stopped. The run is saved in {out}: the same command with --resume continues it."


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
