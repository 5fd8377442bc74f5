"""The command line, `bertviz-app`. Each sub-command imports what it needs, and nothing before it is run."""

from __future__ import annotations

import argparse
import io
import logging
import os
import sys
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from bertviz_app import __version__
from bertviz_app.errors import AppError, FileError
from bertviz_app.shell.options import THEMES, VIEWS, RenderOptions, WindowOptions
from bertviz_app.shell.process import logging_to_file, prepare_process

if TYPE_CHECKING:
    from bertviz_app.text import Edits

PROGRAM = "bertviz-app"
ENDINGS = (".npz", ".json", ".csv")
_SMALLEST, _LARGEST = 100, 8000  # pixels a side of a rendered picture
_CLEAR = "\r\033[K"  # what a terminal takes as: back to the start of the line, and wipe it
_BAD_INPUT, _DEFECT, _INTERRUPTED, _NO_READER = 2, 1, 130, 141


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one sub-command and return the process's exit code.

    2 for what the user can put right, said in one line; 1 for a defect, with the details in a log file.
    """
    prepare_process()
    _accept_every_character()
    try:
        return _run(sys.argv[1:] if arguments is None else arguments)
    except AppError as error:
        _complain(str(error))
        return _BAD_INPUT
    except KeyboardInterrupt:
        return _INTERRUPTED
    except BrokenPipeError:
        _drop_output()
        return _NO_READER
    except Exception as error:
        with logging_to_file() as log:
            logging.exception("unexpected error")
        _complain(f"an unexpected error, {type(error).__name__}: {error}. The details are in {log}.")
        return _DEFECT


def _run(arguments: Sequence[str]) -> int:
    options = _parser().parse_args(_with_command(arguments))
    command: Callable[[argparse.Namespace], int] = options.command
    return command(options)


def _with_command(arguments: Sequence[str]) -> list[str]:
    """Return `arguments` with the sub-command that is meant when there is none: a window."""
    is_for_program = bool(arguments) and arguments[0] in {"-h", "--help", "--version"}
    has_command = bool(arguments) and not arguments[0].startswith("-")
    return list(arguments) if has_command or is_for_program else ["window", *arguments]


# The sub-commands


def _window(options: argparse.Namespace) -> int:
    from bertviz_app.shell.application import run

    with logging_to_file():
        return run(WindowOptions(options.text, options.pair, options.model, options.device))


def _render(options: argparse.Namespace) -> int:
    _judge_ending(options.out, (".png",))
    from bertviz_app.shell.rendering import render

    render(
        RenderOptions(
            text=options.text,
            view=options.view,
            out=options.out,
            pair=options.pair,
            model=options.model,
            device=options.device,
            layer=options.layer,
            head=options.head,
            size=options.size,
            theme=options.theme,
            edits=_edits(options) or None,
            token=options.token,
            stage=options.stage,
        )
    )
    _say(f"Wrote {options.out}.")
    return 0


def _trace(options: argparse.Namespace) -> int:
    if options.out is not None:
        _judge_ending(options.out, ENDINGS)
    _judge_texts(options.text, options.pair)
    from bertviz_app.api import open_model
    from bertviz_app.trace import save_trace

    model = open_model(options.model, options.device, _progress(options.model))
    edits = _edits(options)
    result = model.encode(options.text, options.pair, muted=edits.muted, replaced=dict(edits.replaced))
    tokens = result.trace.tokens
    columns = (tokens.ids.tolist(), tokens.segment_ids.tolist(), tokens.position_ids.tolist())
    rows = [(label, *map(str, ids)) for label, *ids in zip(tokens.labels, *columns, strict=True)]
    _say(table(("token", "id", "segment", "position"), rows, right=(1, 2, 3)))
    facts, milliseconds = result.facts, result.seconds * 1000
    shape = f"{facts.n_layers} layers x {facts.n_heads} heads"
    _say(f"\n{facts.name}: {shape}, {len(tokens)} tokens in {milliseconds:.0f} ms on {result.device.label}")
    for notice in result.notices:
        _complain(notice)
    if options.out is not None:
        save_trace(result.trace, options.out)
        _say(f"Wrote {options.out}.")
    return 0


def _models(options: argparse.Namespace) -> int:
    from bertviz_app.checkpoint.sources import list_sources

    rows = []
    for source in list_sources():
        shape = f"{source.n_layers} x {source.n_heads} x {source.width}" if source.family else ""
        remark = source.sentence if source.problem is None else f"{source.sentence} Damaged: {source.problem}"
        rows.append((source.name, source.family, shape, _bytes(source.n_bytes), remark))
    if rows:
        _say(table(("name", "family", "layers x heads x width", "size", "where from"), rows, right=(3,)))
    else:
        _say("There is no checkpoint on this computer yet. Give a folder, or org/name, after --model.")
    return 0


# What they take


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """Raise what `main` says in one line, instead of printing the usage."""
        raise AppError(
            f"{message[:1].upper()}{message[1:]}.", f"“{self.prog} --help” shows what can be given."
        )


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog=PROGRAM, description="Look inside BERT-style encoders.", allow_abbrev=False)
    parser.add_argument("--version", action="version", version=f"{PROGRAM} {__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    window = _command(commands, "window", "open the window (what happens without a command, too)", _window)
    window.add_argument("text", metavar="TEXT", nargs="?", help="the sentence it starts with")
    _add_common(window)
    trace = _command(commands, "trace", "print the tokens of a text, and save its attention", _trace)
    trace.add_argument("text", metavar="TEXT", help="the sentence to encode")
    _add_common(trace)
    _add_edits(trace)
    trace.add_argument(
        "--out", type=Path, metavar="FILE", help=f"write all arrays to FILE ({', '.join(ENDINGS)})"
    )
    _add_render(_command(commands, "render", "draw a view into a picture, without a screen", _render))
    _command(commands, "models", "list the checkpoints on this computer", _models)
    return parser


def _add_render(render: argparse.ArgumentParser) -> None:
    render.add_argument("text", metavar="TEXT", help="the sentence to encode")
    render.add_argument("--view", choices=VIEWS, required=True, help="what to draw")
    _add_common(render)
    _add_edits(render)
    render.add_argument("--layer", type=_number, metavar="N", help="the layer, from 0")
    render.add_argument("--head", type=_number, metavar="N", help="the head, from 0")
    render.add_argument("--token", type=_number, metavar="N", help="the token to light as query, from 0")
    render.add_argument("--stage", metavar="NAME", help="where the steps stand: queries, softmax, pooled …")
    render.add_argument("--out", type=Path, metavar="FILE.png", required=True, help="the picture to write")
    render.add_argument(
        "--size", type=_size, default=(1600, 1000), metavar="WxH", help="1600x1000, in pixels"
    )
    render.add_argument("--theme", choices=THEMES, default="light", help="light unless given")


def _command(
    commands: argparse._SubParsersAction[_Parser],
    name: str,
    help_text: str,
    run: Callable[[argparse.Namespace], int],
) -> argparse.ArgumentParser:
    description = f"{help_text[:1].upper()}{help_text[1:]}."
    command = commands.add_parser(name, help=help_text, description=description, allow_abbrev=False)
    command.set_defaults(command=run)
    return command


def _add_common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--pair", metavar="TEXT", help="a second sentence, read together with the first")
    parser.add_argument(
        "--model", metavar="REF", help="a folder, a name from “models”, or org/name of the hub"
    )
    parser.add_argument(
        "--device", default="auto", help="auto, cpu, cuda, mps, or as cuda:1 (auto unless given)"
    )


def _add_edits(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--mute", type=_heads, default=(), metavar="L.H,…", help="heads that hand over nothing, as 3.5,4.0"
    )
    parser.add_argument(
        "--mask", type=_numbers, default=(), metavar="N,…", help="tokens read as [MASK], by position from 0"
    )
    parser.add_argument(
        "--replace",
        type=_replacement,
        action="append",
        default=[],
        metavar="N=PIECE",
        help="read token N as another piece of the vocabulary; may be given several times",
    )


def _edits(options: argparse.Namespace) -> Edits:
    """Return what is to be done to the run. Raises AppError where one token gets two pieces."""
    from bertviz_app.text.edits import MASK, Edits

    replaced = [*((position, MASK) for position in options.mask), *options.replace]
    for place, (position, piece) in enumerate(replaced):
        if any(position == at and piece != other for at, other in replaced[:place]):
            raise AppError(f"Token {position} is replaced twice.", "Give one piece for it.")
    return Edits(tuple(sorted(set(options.mute))), tuple(sorted(set(replaced))))


def _heads(text: str) -> tuple[tuple[int, int], ...]:
    pairs = [part.strip().split(".") for part in text.split(",")]
    try:
        return tuple((_number(layer), _number(head)) for layer, head in pairs)
    except (ValueError, argparse.ArgumentTypeError) as error:
        raise argparse.ArgumentTypeError(f"“{text}” is no list of heads like 3.5,4.0") from error


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(_number(part.strip()) for part in text.split(","))


def _replacement(text: str) -> tuple[int, str]:
    position, sign, piece = text.partition("=")
    if not sign or not piece.strip():
        raise argparse.ArgumentTypeError(f"“{text}” is no replacement like 4=word")
    return _number(position.strip()), piece.strip()


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 9):
        raise argparse.ArgumentTypeError(f"“{text}” is no number from 0")
    return int(text)


def _size(text: str) -> tuple[int, int]:
    width, _, height = text.partition("x")
    try:
        size = _number(width), _number(height)
    except argparse.ArgumentTypeError as error:
        raise argparse.ArgumentTypeError(f"“{text}” is no size like 1600x1000") from error
    if not all(_SMALLEST <= side <= _LARGEST for side in size):
        raise argparse.ArgumentTypeError(f"“{text}”: each side must be {_SMALLEST} to {_LARGEST} pixels")
    return size


def _judge_ending(path: Path, endings: Sequence[str]) -> None:
    """Raise FileError before any work is done if `path` has none of the `endings`."""
    if path.suffix.lower() not in endings:
        wanted = " or ".join((", ".join(endings[:-1]), endings[-1])) if len(endings) > 1 else endings[0]
        raise FileError(f"“{path}” does not end in {wanted}.", "Give the file another name.")


def _judge_texts(text: str, pair: str | None) -> None:
    """Raise TextError before a checkpoint is opened, which takes longer."""
    from bertviz_app.text.tokenizer import judge

    judge(text, "text", "The text" if pair is None else "Text A")
    if pair is not None:
        judge(pair, "pair", "Text B")


# What they print


def table(titles: Sequence[str], rows: Iterable[Sequence[str]], right: Sequence[int] = ()) -> str:
    """Return the rows as lines of aligned columns under their titles; `right` numbers right-hand ones.

    A Hangul or Chinese character takes two places on a terminal, a combining mark none.
    """
    lines = [titles, *rows]
    widths = [max(map(_places, column)) for column in zip(*lines, strict=True)]
    return "\n".join(_line(line, widths, right) for line in lines)


def _line(cells: Sequence[str], widths: Sequence[int], right: Sequence[int]) -> str:
    padded = []
    for number, (cell, width) in enumerate(zip(cells, widths, strict=True)):
        space = " " * (width - _places(cell))
        padded.append(space + cell if number in right else cell + space)
    return "  ".join(padded).rstrip()


def _places(text: str) -> int:
    return sum(_places_of(character) for character in text)


def _places_of(character: str) -> int:
    if unicodedata.category(character) in {"Mn", "Me", "Cf"}:
        return 0
    return 2 if unicodedata.east_asian_width(character) in {"W", "F"} else 1


def _bytes(count: int) -> str:
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{count / 1e6:.1f} MB"


def _say(text: str) -> None:
    try:
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        _drop_output()
        raise FileError(f"The output could not be written: {error.strerror}.") from error


def _complain(text: str) -> None:
    """Write one line to standard error, in place of the progress that may stand there."""
    line = f"{PROGRAM}: {' '.join(text.split())}\n"
    sys.stderr.write(_CLEAR + line if sys.stderr.isatty() else line)


def _progress(ref: str | None) -> Callable[[int, int], None] | None:
    """Return what shows the progress of opening `ref`, on a terminal only, and removes it at the end."""
    if not sys.stderr.isatty():
        return None

    def show(done: int, total: int) -> None:
        line = f"Opening {ref or 'the checkpoint'}: {_bytes(done)} of {_bytes(total)}"
        sys.stderr.write(_CLEAR + (line if done < total else ""))
        sys.stderr.flush()

    return show


def _accept_every_character() -> None:
    """Write a character that the terminal's encoding lacks as its number."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _drop_output() -> None:
    """Let what is still buffered go nowhere: Python would complain of it at the end."""
    with Path(os.devnull).open("w") as nowhere:
        os.dup2(nowhere.fileno(), sys.stdout.fileno())
