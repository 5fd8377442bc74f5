"""`ChildProcess`: the window's handle of a worker process; `run_as_child`: the main function of that process.

The first line of the process's input is its job, each later one a command, {"do": "pause"}, "go on", "stop",
or one of its own. The end of the input means stop: the window was closed. Its output has one message a line.
"""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
import threading
import traceback
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, TextIO

from bertviz_app.errors import AppError, Cancelled, as_json

Report = dict[str, object]
Send = Callable[..., None]
"""Sends a message to the window; its parts are keyword arguments."""
_MOST_LINES = 40  # of standard error that are logged if the process fails
_log = logging.getLogger(__name__)


class ChildProcess:
    """Starts `python -m module` with `job` as its first line of input, and receives its messages.

    `received(message)` is called for each message and, last, `ended(code)` once the process has ended; both
    on the thread that reads its output. A negative code is the signal that ended it.
    """

    def __init__(
        self,
        module: str,
        job: Mapping[str, object],
        received: Callable[[Report], None],
        ended: Callable[[int], None],
    ) -> None:
        self._module, self._job, self._received, self._ended = module, job, received, ended
        self._process: subprocess.Popen[str] | None = None
        self._threads: list[threading.Thread] = []
        self._error_lines: deque[str] = deque(maxlen=_MOST_LINES)

    def start(self) -> None:
        # On Windows: no console for the process, and a lower priority.
        names = ("CREATE_NO_WINDOW", "BELOW_NORMAL_PRIORITY_CLASS")
        # The process finds this very program, wherever it is started from.
        home = str(Path(__file__).resolve().parents[2])
        others = [folder for folder in os.environ.get("PYTHONPATH", "").split(os.pathsep) if folder]
        path = os.pathsep.join([home, *(folder for folder in others if folder != home)])
        self._process = subprocess.Popen(
            [sys.executable, "-m", self._module],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": path, "PYTHONSAFEPATH": "1", "PYTHONIOENCODING": "utf-8"},
            encoding="utf-8",
            errors="replace",
            bufsize=1,
            start_new_session=True,  # Ctrl-C in a terminal is for the window, which ends the process
            creationflags=sum(getattr(subprocess, name, 0) for name in names),
        )
        self._threads = [
            threading.Thread(target=run, name=f"{self._module} {name}", daemon=True)
            for name, run in (("messages", self._listen), ("errors", self._collect))
        ]
        self.send(**self._job)
        for thread in self._threads:
            thread.start()

    @property
    def number(self) -> int | None:
        """The process's id, None before it was started."""
        return None if self._process is None else self._process.pid

    def send(self, **message: object) -> None:
        """Send a line to the process; does nothing if it has ended."""
        if self._process is not None and self._process.stdin is not None:
            with suppress(OSError, ValueError):
                self._process.stdin.write(json.dumps(message) + "\n")
                self._process.stdin.flush()

    def close(self, timeout: float) -> bool:
        """Close the input of the process, at which it saves its work and ends.

        Returns whether it ended within `timeout` seconds. One that takes longer ends later by itself: a
        window that is closed need not wait for it.
        """
        process = self._process
        if process is None:
            return True
        if process.stdin is not None:
            with suppress(OSError, ValueError):
                process.stdin.close()
        try:
            process.wait(timeout)
        except subprocess.TimeoutExpired:
            return False
        for thread in self._threads:
            thread.join(timeout)
        return True

    def _listen(self) -> None:
        process = self._process
        assert process is not None
        assert process.stdout is not None
        for line in process.stdout:
            if (message := _message(line)) is not None:
                self._received(message)
        code = process.wait()
        self._threads[1].join()  # so that the log has all lines of standard error
        if code:
            _log.info("%s ended with %d:\n%s", self._module, code, "".join(self._error_lines))
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe is not None:
                with suppress(OSError, ValueError):
                    pipe.close()
        self._ended(code)

    def _collect(self) -> None:
        assert self._process is not None
        assert self._process.stderr is not None
        self._error_lines.extend(self._process.stderr)


def _message(line: str) -> Report | None:
    """Return the message of a line, None for an incomplete one: the last of a process that was killed."""
    try:
        found = json.loads(line)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


class Commands:
    """The commands of the window: read on a thread, carried out between two steps of the work."""

    def __init__(self, source: TextIO, send: Send) -> None:
        self._source, self._send = source, send
        self._changed = threading.Condition()
        self._is_paused = self._is_stopping = False
        self._others: dict[str, Report] = {}

    def check(self) -> None:
        """Wait while the work is paused. Raises Cancelled if it is to stop."""
        with self._changed:
            if self._is_paused and not self._is_stopping:
                self._send(kind="paused")
                self._changed.wait_for(lambda: self._is_stopping or not self._is_paused)
                self._send(kind="going on")
            if self._is_stopping:
                raise Cancelled

    def newest(self, name: str) -> Report | None:
        """Return the newest command of this name since the last call; None if there is none."""
        with self._changed:
            return self._others.pop(name, None)

    def listen(self) -> None:
        for line in self._source:
            if (command := _message(line)) is not None:
                self._apply(command)
        self._apply({"do": "stop"})

    def _apply(self, command: Report) -> None:
        with self._changed:
            match command.get("do"):
                case "pause":
                    self._is_paused = True
                case "go on":
                    self._is_paused = False
                case "stop":
                    self._is_stopping = True
                case str(other):
                    self._others[other] = command
            self._changed.notify_all()


def messages_to_parent() -> Send:
    """Return a function that sends messages over standard output, which is reserved for them from now on."""
    messages = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8", buffering=1)
    # What a library prints goes to standard error: on standard output it would stand between the messages.
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    lock = threading.Lock()

    def send(**message: object) -> None:
        with lock, suppress(BrokenPipeError):  # the parent ended; the end of the input tells the work
            messages.write(json.dumps(message) + "\n")

    return send


def run_as_child(run: Callable[[Any, Commands, Send], None]) -> int:
    """Call `run` with the job, the commands, and a function that sends messages; return the exit code.

    The last message says how it ended: "stopped" where it raised Cancelled, "error" for an AppError.
    """
    if hasattr(os, "nice"):
        os.nice(10)  # a window that wants a processor comes first
    send = messages_to_parent()
    try:
        job, commands = json.loads(sys.stdin.readline()), Commands(sys.stdin, send)
        threading.Thread(target=commands.listen, name="commands", daemon=True).start()
        run(job, commands, send)
    except Cancelled:
        send(kind="stopped")
    except AppError as error:
        send(kind="error", message=as_json(error.message), hint=as_json(error.hint))
    except Exception:  # noqa: BLE001 - the process ends here, and the window logs what it printed
        traceback.print_exc()
        return 1
    return 0
