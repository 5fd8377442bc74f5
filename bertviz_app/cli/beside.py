"""The window beside a notebook, in a process of its own: `python -m bertviz_app.cli.beside`.

Its job is {"file": ...}, a trace. It sends {"kind": "open"} once the window is there, and then
{"kind": "selection", ...} whenever another head or another pair of tokens is chosen. The command
{"do": "select", "selection": {...}} selects a head and a pair as soon as a text is shown, and is answered by
{"kind": "selected", "error": null or its two sentences}; {"do": "close"} closes the window. The end of its
input does not: a notebook that ends leaves the window open.
"""

from __future__ import annotations

import json
import sys
import threading
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from bertviz_app.api.notebook import Selection, validate_selection
from bertviz_app.errors import SelectionError, as_json
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
        return run(WindowOptions(path=Path(job["file"]), is_listed=False), Beside(send).connect)


class Beside:
    """A window that sends what is selected in it, and selects and closes by commands."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._last: dict[str, Any] | None = None
        self._wanted: Selection | None = None
        self._is_selecting = False

    def connect(self, window: MainWindow) -> None:
        """Report that the window is open, and send its selection from now on."""
        self._window = window
        state, slot = window.app_state, slot_of(self._send_selection)
        for changed in (state.panels.changed, state.selection.changed, state.workspace.shown_changed):
            changed.connect(slot)
        self._send(kind="open")
        threading.Thread(target=self._listen, args=(sys.stdin,), daemon=True).start()

    def _listen(self, source: TextIO) -> None:
        """Have each command done on the window's own thread."""
        from PySide6.QtCore import QTimer

        for line in source:
            QTimer.singleShot(0, self._window, partial(self._do, json.loads(line)))

    def _do(self, command: dict[str, Any]) -> None:
        if command.get("do") == "close":
            self._window.close()
        elif command.get("do") == "select":
            self._wanted = Selection(**command["selection"])
            self._send_selection()

    def _send_selection(self) -> None:
        """Send the selection if it has changed; first select what was requested."""
        state = self._window.app_state
        panels, runs = state.panels, state.runs
        if panels.active is None or runs is None or self._is_selecting:
            return
        trace, wanted, error = runs.a.trace, self._wanted, None
        self._wanted = None
        if wanted is not None:
            self._is_selecting = True  # the head and the tokens change one after the other
            layers = {
                layer: [head for head in trace.heads_of(layer) if head in panels.included_heads]
                for layer in panels.included_layers
            }
            try:
                validate_selection(wanted, layers, len(trace.tokens), len(trace.key_tokens))
                panels.show(wanted.layer, wanted.head)
                state.selection.walk_to(wanted.query, wanted.key)
            except SelectionError as refused:
                error = [as_json(refused.message), as_json(refused.hint)]
            self._is_selecting = False
        pair = state.selection.pinned
        selection = Selection(panels.active.layer, panels.active.head, pair.query, pair.key)
        selected = {"selection": asdict(selection), "text": trace.tokens.text, "pair": trace.tokens.pair}
        if selected != self._last:
            self._last = selected
            self._send(kind="selection", **selected)
        if wanted is not None:
            self._send(kind="selected", error=error)


if __name__ == "__main__":
    sys.exit(main())
