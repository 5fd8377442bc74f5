"""Printing tables, errors and progress on a terminal."""

from __future__ import annotations

import io
import os
import sys
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from bertviz_app.errors import FileError
from bertviz_app.typeset import byte_count

PROGRAM = "bertviz-app"
INTERRUPTED = 130
"""The exit code of work that Ctrl-C ended."""
SAVED = "What is measured is saved: the same command goes on from there."
_CLEAR = "\r\033[K"  # tells a terminal to go to the start of the line and to clear it


def table(titles: Sequence[str], rows: Iterable[Sequence[str]], right: Sequence[int] = ()) -> str:
    """Return the rows as lines of aligned columns under their titles; `right` numbers right-hand ones.

    A Hangul or Chinese character takes two columns on a terminal, a combining mark none.
    """
    lines = [titles, *rows]
    widths = [max(map(_columns, column)) for column in zip(*lines, strict=True)]
    padded = []
    for line in lines:
        spaces = (" " * (width - _columns(cell)) for cell, width in zip(line, widths, strict=True))
        cells = enumerate(zip(line, spaces, strict=True))
        padded.append([space + cell if at in right else cell + space for at, (cell, space) in cells])
    return "\n".join("  ".join(cells).rstrip() for cells in padded)


def _columns(text: str) -> int:
    shown = [one for one in text if unicodedata.category(one) not in {"Mn", "Me", "Cf"}]
    return len(shown) + sum(unicodedata.east_asian_width(one) in {"W", "F"} for one in shown)


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
    """Return a function that shows the progress of opening `ref` on a terminal, and removes it at the end."""
    if not sys.stderr.isatty():
        return None

    def show(done: int, total: int) -> None:
        line = f"Opening {ref or 'the checkpoint'}: {byte_count(done)} of {byte_count(total)}"
        show_progress(line if done < total else "")

    return show


def show_progress(line: str) -> None:
    """Show `line` in place of the one before, on a terminal only; "" removes it."""
    if sys.stderr.isatty():
        sys.stderr.write(_CLEAR + line)
        sys.stderr.flush()


@contextmanager
def resumable(hint: str = SAVED) -> Iterator[None]:
    """Remove the progress at the end of work that Ctrl-C may end, and then give a hint."""
    try:
        yield
    except KeyboardInterrupt:
        show_progress("")
        print_error(f"Stopped. {hint}")
        raise
    finally:
        show_progress("")


def accept_every_character() -> None:
    """Write a character that the terminal's encoding lacks as its number."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def drop_output() -> None:
    """Discard the output that is still buffered: Python would report an error about it at exit."""
    with Path(os.devnull).open("w") as nowhere:
        os.dup2(nowhere.fileno(), sys.stdout.fileno())
