"""Opening the window from the command line."""

from __future__ import annotations

from bertviz_app.options import WindowOptions
from bertviz_app.shell.process import logging_to_file, skip_source_search


def open_window(options: WindowOptions) -> int:
    """Open the window, with the log in its file, and return when it was closed."""
    skip_source_search()
    from bertviz_app.shell.application import run

    with logging_to_file():
        return run(options)
