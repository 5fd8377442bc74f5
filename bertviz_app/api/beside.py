"""`window`: a trace in the program's window, beside the notebook, with its selection coming back."""

from __future__ import annotations

import shutil
import tempfile
import threading
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bertviz_app.api.selection import Selection, as_selection
from bertviz_app.errors import AppError, Message, SelectionError, from_json
from bertviz_app.inference.child_process import ChildProcess
from bertviz_app.trace import Trace, save_arrays
from bertviz_app.trace.archive import as_trace
from bertviz_app.trace.arrays import EncoderDecoderTraces, one_of

_MODULE = "bertviz_app.cli.beside"
_LONGEST_START_S = 120.0


class WindowError(AppError):
    """The window could not be opened: there is no screen, say."""


class OpenWindow:
    """A window in a process of its own, see `window`."""

    def __init__(self, trace: Trace) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="bertviz-app-"))
        self._name = trace.model
        self._selection: Selection | None = None
        self._text: str | None = None
        self._pair: str | None = None
        self._answer: dict[str, Any] | None = None
        self._is_ended = False
        self._is_open = False
        self._changed = threading.Condition()
        file = self._folder / "trace.npz"
        save_arrays(trace, file)
        self._process = ChildProcess(_MODULE, {"file": str(file)}, self._on_received, self._on_ended)

    def __repr__(self) -> str:
        return f"<{'Open' if self.is_open else 'Closed'} window of {self._name}: {self._selection}>"

    @property
    def is_open(self) -> bool:
        """Whether the window is on screen."""
        return self._is_open and not self._is_ended

    @property
    def text(self) -> str | None:
        """The text that the window shows: its user may have typed another one. None until it shows one."""
        return self._text

    @property
    def pair(self) -> str | None:
        """The second sentence of the text that the window shows, or None."""
        return self._pair

    @property
    def selection(self) -> Selection | None:
        """What is selected in the window now, or was when it closed; None until its trace is shown.

        Setting it, to a Selection or to a dict of its names, selects in the window. Raises ArgumentError for
        another value, SelectionError for a head or a token that the window does not show, WindowError where
        the window is closed, or shows no text for two minutes.
        """
        return self._selection

    @selection.setter
    def selection(self, wanted: Selection | Mapping[str, int | None]) -> None:
        with self._changed:
            self._answer = None
            self._process.send(do="select", selection=asdict(as_selection(wanted)))
            self._changed.wait_for(lambda: self._is_ended or self._answer is not None, _LONGEST_START_S)
        if self._answer is None and self._is_ended:
            message = Message("The window of {0} is closed.", self._name)
            raise WindowError(message, Message("Open it: window(trace)."))
        if self._answer is None:
            message = Message("The window of {0} shows no text yet.", self._name)
            raise WindowError(message, Message("What you chose is selected once it does."))
        if self._answer["error"]:
            raise SelectionError(*map(from_json, self._answer["error"]))

    def wait_for_change(self, timeout: float | None = None) -> Selection | None:
        """Return what is selected next, or what is selected after `timeout` seconds or once it is closed."""
        before = self._selection
        with self._changed:
            self._changed.wait_for(lambda: self._is_ended or self._selection != before, timeout)
        return self._selection

    def close(self) -> None:
        """Close the window, as its own button does."""
        self._process.send(do="close")
        with self._changed:
            self._changed.wait_for(lambda: self._is_ended, 30)

    def open(self) -> None:
        """Start the process and return once its window is there. Raises WindowError."""
        self._process.start()
        with self._changed:
            self._changed.wait_for(lambda: self._is_open or self._is_ended, _LONGEST_START_S)
        if not self.is_open:
            hint = Message("Without a screen use bertviz_app.widget(trace) or trace.to_html(path).")
            raise WindowError(Message("The window could not be opened."), hint)

    def _on_received(self, message: dict[str, Any]) -> None:
        with self._changed:
            if message.get("kind") == "open":
                self._is_open = True
            elif message.get("kind") == "selection":
                self._text, self._pair = message["text"], message["pair"]
                self._selection = Selection(**message["selection"])
            elif message.get("kind") == "selected":
                self._answer = message
            self._changed.notify_all()

    def _on_ended(self, code: int) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)
        with self._changed:
            self._is_ended = True
            self._changed.notify_all()


def window(trace: Trace | EncoderDecoderTraces) -> OpenWindow:
    """Open the program's window with a trace, beside the notebook, and return when it is there.

    The notebook goes on; what is selected in the window is in `selection`. A notebook that ends leaves the
    window open.

    Parameters
    ----------
    trace : Trace or EncoderDecoderTraces
        Any trace; its numbers are shown as they are, without its model. Of an encoder-decoder the window
        shows cross-attention first, and offers the other two.

    Returns
    -------
    OpenWindow
        With `selection`, which can be set, `text`, `pair`, `is_open`, `wait_for_change` and `close`.

    Raises
    ------
    ArgumentError
        For anything but a trace.
    WindowError
        Where no window can be opened, on a machine without a screen.
    """
    opened = OpenWindow(as_trace(one_of(trace), "window(model.trace(text))"))
    opened.open()
    return opened
