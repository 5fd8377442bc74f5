"""`Autosave`: saves the state of the window as it changes, for the next start or after a crash."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QLockFile, QObject, QTimer, Slot

from bertviz_app import paths
from bertviz_app.errors import AppError
from bertviz_app.inference.jobs import Jobs
from bertviz_app.trace.provenance import UNKNOWN
from bertviz_app.viewmodels.session.archive import Session, load_without_arrays, save_session
from bertviz_app.viewmodels.session.snapshot import Snapshot, SnapshotTaker

_log = logging.getLogger(__name__)

EVERY_MS = 2000
NAME = "last.bva"


class Autosave(QObject):
    """Writes at most once in EVERY_MS, and only from the first window of several that are open at once.

    It writes on a thread of its own: to put a file in the place of another takes up to half a second where
    the disk is busy. While the program runs there is a lock file. A lock file of a process that does not
    exist any more means that the program crashed.
    """

    def __init__(
        self, folder: Path, snapshot_taker: SnapshotTaker, session_of: Callable[[Snapshot], Session]
    ) -> None:
        """`session_of` adds to a snapshot which checkpoints it is of."""
        super().__init__(snapshot_taker)
        self._path = folder / NAME
        self._snapshot_taker = snapshot_taker
        self._session_of = session_of
        self._lock = QLockFile(str(folder / "last.lock"))
        self._lock.setStaleLockTime(0)  # it is stale only when its process has ended
        self._is_first = False
        self.is_paused = False
        self._written: Session | None = None
        """What is in the file, or will be once the thread has written it."""
        self._jobs = Jobs("autosave")
        self._file = threading.Lock()
        self._n_writes = self._n_done = 0
        """How many writes were begun, and the last of them that is in the file."""
        self._timer = QTimer(self, singleShot=True, interval=EVERY_MS)
        self._timer.timeout.connect(self._write)

    def begin(self, *, restores: bool) -> Session | None:
        """Return the last state, if `restores` or after a crash; save changes from now on."""
        folder, was_open = self._path.parent, self._was_open()
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            _log.info("nothing will be remembered: %s", error)
            return None
        self._is_first = self._lock.tryLock(0)
        if not self._is_first:
            return None
        self._jobs.start()
        self._snapshot_taker.changed.connect(self._on_changed)
        return self._read() if restores or was_open else None

    def end(self) -> None:
        """Save the last state and remove the lock: the program ends normally."""
        if self._is_first:
            self._jobs.close()
            self._write_now()
            self._lock.unlock()
            self._is_first = False

    def pause(self, is_paused: bool) -> None:
        """Save what is shown now, and nothing from then on until it is called with False."""
        if is_paused and not self.is_paused:
            self._write_now()
        self.is_paused = is_paused

    def _was_open(self) -> bool:
        return paths.exists(Path(self._lock.fileName()))

    def _read(self) -> Session | None:
        try:
            session = load_without_arrays(self._path)
        except AppError as error:
            _log.info("what was shown last is not opened: %s", error)
            return None
        self._written = session
        return session

    @Slot()
    def _on_changed(self) -> None:
        if not self._timer.isActive():  # not started anew: constant changes would put it off for ever
            self._timer.start()

    @Slot()
    def _write(self) -> None:
        save = self._save_of_changes()
        if save is not None:
            self._jobs.submit("save", lambda check: save(), lambda outcome: None)

    def _write_now(self) -> None:
        save = self._save_of_changes()
        if save is not None:
            save()

    def _save_of_changes(self) -> Callable[[], None] | None:
        """Return what writes the present state; None where there is nothing to write."""
        self._timer.stop()
        if self.is_paused:
            return None
        session = self._with_identity(self._session_of(self._snapshot_taker.take()))
        # A write may have failed, or still be waited for: the end of the program drops it then.
        is_written = _content(session) == _content(self._written) and self._n_done == self._n_writes
        if not self._is_first or is_written:
            return None
        self._written = session
        self._n_writes += 1
        return partial(self._save, session, self._n_writes)

    def _save(self, session: Session, number: int) -> None:
        """Write `session`, unless a later one was to be written meanwhile; on any thread."""
        with self._file:
            if number < self._n_writes:
                return
            try:
                save_session(self._path, session)
                self._n_done = number
            except AppError as error:
                _log.info("what is shown was not saved: %s", error)

    def _with_identity(self, session: Session) -> Session:
        """Return `session` with what is known of a checkpoint that is still being opened again."""
        written = self._written
        if written is None or session.checkpoint.identity != UNKNOWN:
            return session
        is_same = session.checkpoint.ref in (written.checkpoint.ref, written.snapshot.ref)
        return replace(session, checkpoint=written.checkpoint) if is_same else session


def _content(session: Session | None) -> tuple[object, ...]:
    return () if session is None else (session.snapshot, session.checkpoint, session.other)
