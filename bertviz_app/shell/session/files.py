"""`Files`: what is opened and saved: checkpoints, sessions, traces and texts."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import QObject, Signal, Slot

from bertviz_app.errors import AppError
from bertviz_app.inference.jobs import Jobs
from bertviz_app.shell.settings.recents import Recents
from bertviz_app.trace import Trace
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.results import Tasks
from bertviz_app.viewmodels.session.archive import (
    Session,
    SessionOpener,
    current_session,
    is_checkpoint,
    read_file,
    save_session,
)
from bertviz_app.viewmodels.session.snapshot import SnapshotTaker
from bertviz_app.viewmodels.wording import error_text

_LONGEST_WRITE_S = 30.0
"""How long closing the window waits for files: a disk that hangs must not keep it open for ever."""
_Found = TypeVar("_Found")


_WRITE = "write "


class Files(QObject):
    """Reads and writes on a worker of its own: arrays of a long text are hundreds of megabytes.

    `saved(path)` is emitted for each file that was written, `written` when none is being written any more.
    """

    began = Signal()
    content_requested = Signal()
    refused = Signal(str)
    saved = Signal(str)
    written = Signal()

    def __init__(
        self,
        app_state: AppState,
        snapshot_taker: SnapshotTaker,
        opener: SessionOpener,
        recents: Recents,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._app_state = app_state
        self._snapshot_taker = snapshot_taker
        self.opener = opener
        self._recents = recents
        self.folder = ""
        """Where something was opened or saved last."""
        self._jobs: Jobs | None = None
        self._tasks: Tasks | None = None
        self._writing: set[str] = set()

    @property
    def is_writing(self) -> bool:
        """Whether a file is being written, or waits to be."""
        return bool(self._writing)

    def close(self) -> None:
        """End the worker, once everything that was to be written is written."""
        if self._jobs is not None:
            # Jobs run in the order in which they were submitted, and closing drops those that wait.
            is_written = threading.Event()
            self._jobs.submit("end", lambda _: is_written.set(), lambda _: None)
            is_written.wait(_LONGEST_WRITE_S)
            self._jobs.close()
            self._jobs = self._tasks = None

    def open_model(self, ref: str) -> None:
        """Open a checkpoint by folder or name."""
        self.began.emit()
        self._recents.add_checkpoint(ref)
        self._app_state.workspace.open_model(ref)

    def compare_with(self, ref: str) -> None:
        """Compare with a checkpoint by folder or name: run B is encoded with it."""
        self._recents.add_checkpoint(ref)
        self._app_state.comparison.editor.set_ref(ref)

    def try_checkpoint(self, ref: str) -> None:
        """Use the checkpoint at `ref` for the saved numbers that are shown, if it is the one of them."""
        self.opener.try_checkpoint(ref)

    def open_texts(self, text: str, pair: str | None) -> None:
        self._app_state.workspace.set_texts(text, pair, at_once=True)

    def open_path(self, path: Path) -> None:
        """Open a checkpoint, a session, a trace or a text, by what it is; else `refused` has the reason."""
        self.began.emit()
        if is_checkpoint(path):
            self.open_model(str(path))
            return
        self.content_requested.emit()
        self.folder = str(path.parent)

        def done(found: Session | Trace | str) -> None:
            self._recents.add_file(path)
            self._show(found)

        self._start("read", lambda: read_file(path), done)

    def save(self, path: Path) -> None:
        """Save the state of the window with the arrays on screen, then emit `saved`."""
        snapshot, app_state = self._snapshot_taker.take(), self._app_state
        session = current_session(snapshot, app_state.workspace, app_state.comparison, has_arrays=True)
        self.folder = str(path.parent)

        def done(_: None) -> None:
            self._recents.add_file(path)
            self.saved.emit(str(path))

        self._start(_WRITE + str(path), lambda: save_session(path, session), done)

    def write(self, path: Path, work: Callable[[], None]) -> None:
        """Have `work` write `path` on the worker, then emit `saved`, or `refused` with the reason."""
        self._start(_WRITE + str(path), work, lambda _: self.saved.emit(str(path)))

    def _show(self, found: Session | Trace | str) -> None:
        if isinstance(found, str):
            self.open_texts(found, None)
            self._open_any()
        elif isinstance(found, Session):
            self.opener.open_session(found)
        else:
            self.opener.open_trace(found)

    def _open_any(self) -> None:
        """Open the default checkpoint if there is none: the program was started with a file."""
        workspace = self._app_state.workspace
        if workspace.facts is None and workspace.opening.pending is None:
            workspace.open_model(None)

    def _start(self, slot: str, work: Callable[[], _Found], done: Callable[[_Found], None]) -> None:
        if self._tasks is None:
            self._jobs = Jobs("files")
            self._tasks = Tasks(self._jobs, self)
            self._tasks.busy_changed.connect(self._on_busy_changed)
            self._jobs.start()
        self._tasks.start(slot, lambda check, _: work(), done, self._on_failed)

    @Slot(str, bool)
    def _on_busy_changed(self, slot: str, is_busy: bool) -> None:
        if slot.startswith(_WRITE):
            (self._writing.add if is_busy else self._writing.discard)(slot)
            if not self._writing:
                self.written.emit()

    @Slot(object)
    def _on_failed(self, error: Exception) -> None:
        if isinstance(error, AppError):
            self.refused.emit(error_text(error))
        else:
            self._app_state.failed.emit(error)
        self._open_any()
