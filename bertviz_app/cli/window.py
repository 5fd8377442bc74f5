"""Opening the window from the command line; `bertviz-app doctor` says why it does not open."""

from __future__ import annotations

import re

from bertviz_app.cli.terminal import print_text
from bertviz_app.errors import AppError, Message
from bertviz_app.options import WindowOptions
from bertviz_app.shell.process import logging_to_file, missing_packages, skip_source_search


def open_window(options: WindowOptions) -> int:
    """Open the window, with the log in its file, and return when it was closed."""
    check_packages()
    try:
        skip_source_search()
    except ImportError as error:
        if (found := re.match(r"(lib[^:\s]+\.so[.\d]*): cannot open", str(error))) is None:
            raise
        from bertviz_app.shell.diagnosis import package_of

        raise AppError(
            Message("The window needs the system library {0}, which is not installed.", found[1]),
            Message("Install it, on Debian and Ubuntu: {0}.", f"sudo apt-get install {package_of(found[1])}"),
        ) from error
    from bertviz_app.shell.application import run

    with logging_to_file():
        return run(options)


def check_packages() -> None:
    """Raise AppError where a package that the program needs is not installed. Imports none of them."""
    if missing := missing_packages():
        hint = Message("Install it: {0}.", f"pip install {' '.join(missing)}")
        raise AppError(Message("The program needs {0}, which is not installed.", ", ".join(missing)), hint)


def doctor() -> int:
    """Print versions, devices, fonts and disk, and what to do about what is missing."""
    from bertviz_app.shell.diagnosis import findings

    remedies = []
    for finding in findings():
        print_text(f"{finding.name}: {finding.found}")
        if finding.remedy:
            remedies.append(f"{finding.name}: {finding.remedy}")
    print_text("")
    print_text(
        "\n".join(["To do:", *(f"  {line}" for line in remedies)]) if remedies else "Nothing is missing."
    )
    return 2 if remedies else 0
