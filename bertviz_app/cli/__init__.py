"""The command line, `bertviz-app`: runs the sub-command of its arguments, and reports errors."""

from __future__ import annotations

import logging
import sys
from collections.abc import Sequence

from bertviz_app.cli.terminal import accept_every_character, drop_output, print_error
from bertviz_app.cli.window import check_packages, doctor, open_window
from bertviz_app.errors import AppError, at_a_prompt
from bertviz_app.options import WindowOptions
from bertviz_app.shell.process import logging_to_file, prepare_process

_BAD_INPUT, _DEFECT, _INTERRUPTED, _NO_READER = 2, 1, 130, 141


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one sub-command and return the process's exit code.

    2 for what the user can correct, written in one line; 1 for a defect, with the details in a log file.
    """
    prepare_process()
    accept_every_character()
    before = at_a_prompt.set(True)
    try:
        return _run(sys.argv[1:] if arguments is None else arguments)
    except AppError as error:
        print_error(str(error))
        return _BAD_INPUT
    except KeyboardInterrupt:
        return _INTERRUPTED
    except BrokenPipeError:
        drop_output()
        return _NO_READER
    except Exception as error:
        with logging_to_file() as log:
            logging.exception("unexpected error")
        print_error(f"an unexpected error, {type(error).__name__}: {error}. The details are in {log}.")
        return _DEFECT
    finally:
        at_a_prompt.reset(before)


def _run(arguments: Sequence[str]) -> int:
    if not arguments:  # the usual start: the window opens sooner without the parsers of all sub-commands
        return open_window(WindowOptions())
    if [*arguments] == ["window", "--safe"]:  # the parsers need the rooms, one of which may be broken
        return open_window(WindowOptions(is_safe=True))
    if [*arguments] == ["doctor"]:  # it works where a package is missing that the other commands import
        return doctor()
    if sys.flags.optimize > 1:
        raise AppError(
            "Python was started with -OO, which drops the texts that the options are made from.",
            "Start it without -OO and without PYTHONOPTIMIZE=2; -O is possible.",
        )
    check_packages()
    from bertviz_app.cli.commands import run_command

    return run_command(arguments)
