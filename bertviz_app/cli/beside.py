"""The window beside a notebook, in a process of its own: `python -m bertviz_app.cli.beside`.

Its job is {"file": ...}, a trace. It sends {"kind": "open"} once the window is there, and then
{"kind": "selection", ...} whenever another head or another pair of tokens is chosen. The command
{"do": "close"} closes the window; the end of its input does not: a notebook that ends leaves the window open.
"""

from __future__ import annotations

import json
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from bertviz_app.inference.child_process import Send, messages_to_parent
from bertviz_app.options import WindowOptions
from bertviz_app.shell.process import logging_to_file, prepare_process, skip_source_search
from bertviz_app.weak_slots import slot_of

if TYPE_CHECKING:
    from bertviz_app.shell.window.window import MainWindow


def main() -> int:
    """Open the window with the trace of the job, and return when it was closed."""
    prepare_process()
    send = messages_to_parent()
    job = json.loads(sys.stdin.readline())
    skip_source_search()
    from bertviz_app.shell.application import run

    with logging_to_file():
        options = WindowOptions(path=Path(job["file"]), is_listed=False)
        beside = Beside(send)
        return run(options, beside.connect)


class Beside:
    """A window that sends what is selected in it, and is closed by a command."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._last: dict[str, object] | None = None

    def connect(self, window: MainWindow) -> None:
        """Say that the window is open, and send from now on what is selected in it."""
        self._window = window
        state, tell = window.app_state, slot_of(self._tell)
        for changed in (state.panels.changed, state.selection.changed, state.workspace.shown_changed):
            changed.connect(tell)
        self._send(kind="open")
        threading.Thread(target=_listen, args=(sys.stdin, window), daemon=True).start()

    def _tell(self) -> None:
        selected = self._selection()
        if selected is not None and selected != self._last:
            self._last = selected
            self._send(kind="selection", **selected)

    def _selection(self) -> dict[str, object] | None:
        """Return the active panel's head, the pinned pair, and the text they are of; None before a text."""
        state = self._window.app_state
        panel, runs = state.panels.active, state.runs
        if panel is None or runs is None:
            return None
        pair, tokens = state.selection.pinned, runs.a.trace.tokens
        at = {"layer": panel.layer, "head": panel.head, "query": pair.query, "key": pair.key}
        return {**at, "text": tokens.text, "pair": tokens.pair}


def _listen(source: TextIO, window: MainWindow) -> None:
    """Close the window, on its own thread, at the command to do so."""
    from PySide6.QtCore import QMetaObject, Qt

    for line in source:
        if json.loads(line).get("do") == "close":
            QMetaObject.invokeMethod(window, "close", Qt.ConnectionType.QueuedConnection)


if __name__ == "__main__":
    sys.exit(main())
