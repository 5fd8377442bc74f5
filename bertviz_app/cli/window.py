"""Opening the window from the command line."""

from __future__ import annotations

import re

from bertviz_app.errors import AppError, Message
from bertviz_app.options import WindowOptions
from bertviz_app.shell.process import logging_to_file, missing_packages, skip_source_search


def open_window(options: WindowOptions) -> int:
    """Open the window, with the log in its file, and return when it was closed."""
    check_packages()
    try:
        skip_source_search()
    except ImportError as error:
        raise _lacks_library(error) from error
    from bertviz_app.shell.application import run

    with logging_to_file():
        return run(options)


def check_packages() -> None:
    """Raise AppError where a package that the program needs is not installed. Imports none of them."""
    missing = missing_packages()
    if missing:
        names = " ".join(missing)
        hint = Message("Install it: {0}.", f"pip install {names}")
        raise AppError(Message("The program needs {0}, which is not installed.", ", ".join(missing)), hint)


def _lacks_library(error: ImportError) -> Exception:
    """Return an error that names the system's library that Qt lacks; else the error itself."""
    found = re.match(r"(lib[^:\s]+\.so[.\d]*): cannot open", str(error))
    if found is None:
        return error
    from bertviz_app.shell.diagnosis import package_of

    library = found[1]
    return AppError(
        Message("The window needs the system library {0}, which is not installed.", library),
        Message("Install it, on Debian and Ubuntu: {0}.", f"sudo apt-get install {package_of(library)}"),
    )
