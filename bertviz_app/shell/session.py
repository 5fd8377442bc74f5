"""`Files`: what is opened and saved: checkpoints, sessions, traces and texts."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import QCoreApplication, QLockFile, QObject, Signal, Slot
from PySide6.QtWidgets import QFileDialog, QInputDialog, QMessageBox, QWidget

from bertviz_app import paths
from bertviz_app.checkpoint.folder import WEIGHT_ENDINGS
from bertviz_app.checkpoint.sources.source import hub_ref
from bertviz_app.errors import AppError, FileError, Message
from bertviz_app.inference.fetching import SavedCheckpoint
from bertviz_app.inference.jobs import Jobs
from bertviz_app.json_store import JsonFile
from bertviz_app.shell.settings import SettingsStore
from bertviz_app.timers import OneShot
from bertviz_app.trace import Trace
from bertviz_app.trace.provenance import UNKNOWN
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.results import Tasks
from bertviz_app.viewmodels.runs.run import saved_result
from bertviz_app.viewmodels.session.archive import (
    ENDING,
    Session,
    SessionOpener,
    current_session,
    is_checkpoint,
    load_without_arrays,
    read_file,
    save_session,
)
from bertviz_app.viewmodels.state import IN_FILES, Store, WindowState, in_files
from bertviz_app.viewmodels.wording import error_text

VERSION = 1
_LONGEST = 5000  # characters; what is longer comes from a file
_MOST_COMMANDS = 20
Texts = tuple[str, str | None]


class Recents(QObject):
    """What was used most recently, the newest first: texts, checkpoints, files, lines of the palette.

    The file is read once, and written at each change; an entry that cannot be used is left out.
    """

    changed = Signal()

    def __init__(self, path: Path, most: Callable[[], int], parent: QObject | None = None) -> None:
        """`most()` returns how many of each kind are listed."""
        super().__init__(parent)
        self._file = JsonFile(path, VERSION)
        self._most = most
        content = self._file.read()
        self._texts = [texts for item in _list(content, "texts") if (texts := _texts(item)) is not None]
        self._names = {
            kind: [item for item in _list(content, kind) if isinstance(item, str)]
            for kind in ("checkpoints", "files", "commands")
        }

    @property
    def texts(self) -> tuple[Texts, ...]:
        """Each with its second sentence."""
        return tuple(self._texts[: self._most()])

    @property
    def checkpoints(self) -> tuple[str, ...]:
        """By folder or name."""
        return tuple(self._names["checkpoints"][: self._most()])

    @property
    def files(self) -> tuple[str, ...]:
        """By path."""
        return tuple(self._names["files"][: self._most()])

    @property
    def commands(self) -> tuple[str, ...]:
        """The keys of lines of the palette."""
        return tuple(self._names["commands"][: self._most()])

    def add_texts(self, text: str, pair: str | None) -> None:
        """Put a text first, replacing the newest if this one continues it: that was still being typed."""
        new = (text, pair)
        if not text.strip() or len(text) + len(pair or "") > _LONGEST or self._texts[:1] == [new]:
            return
        if self._texts:  # this one is the newest with more, or less, at its end
            pairs = [(one or "", other or "") for one, other in zip(new, self._texts[0], strict=True)]
            if all(one.startswith(other) or other.startswith(one) for one, other in pairs):
                del self._texts[0]
        self._texts = [new, *(texts for texts in self._texts if texts != new)]
        self._write()

    def add_checkpoint(self, ref: str) -> None:
        """Put a checkpoint first."""
        self._put("checkpoints", ref)

    def add_file(self, path: Path) -> None:
        """Put a file first."""
        self._put("files", str(path.absolute()))

    def add_command(self, key: str) -> None:
        """Put a line of the palette first."""
        self._put("commands", key, _MOST_COMMANDS)

    def _put(self, kind: str, name: str, most: int | None = None) -> None:
        self._names[kind] = [name, *(other for other in self._names[kind] if other != name)][:most]
        self._write()

    def clear(self) -> None:
        """Forget everything."""
        self._texts, self._names = [], {kind: [] for kind in self._names}
        self._write()

    def _write(self) -> None:
        self._file.write({"texts": self._texts, **self._names})
        self.changed.emit()


def _list(content: dict[str, object], name: str) -> list[object]:
    found = content.get(name)
    return found if isinstance(found, list) else []


def _texts(item: object) -> Texts | None:
    match item:
        case [str(text), str() | None as pair] if len(text) <= _LONGEST:
            return text, pair
        case _:
            return None


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

    def __init__(self, app_state: AppState, opener: SessionOpener, recents: Recents, parent: QObject) -> None:
        super().__init__(parent)
        self._app_state, self.opener, self._recents = app_state, opener, recents
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
        self._app_state.comparison.open_model(ref)

    def compare_with_file(self, path: Path) -> None:
        """Compare with the weights in a file; `refused` has the reason where it holds none."""
        self.folder = str(path.parent)

        def read() -> Trace:
            found = read_file(path)
            if isinstance(found, Trace) and not found.has_states:
                return found
            raise FileError(
                Message("{0} holds no attention weights alone.", path.name),
                Message("Choose an .npz file with “attention”; another checkpoint is chosen in row B."),
            )

        def done(trace: Trace) -> None:
            self._recents.add_file(path)
            saved = saved_result(trace, SavedCheckpoint.of_trace(trace, str(path)))
            self._app_state.comparison.show_saved(saved)

        self._start("read", read, done)

    def open_texts(self, text: str, pair: str | None) -> None:
        self._app_state.workspace.set_texts(text, pair, at_once=True)

    def open_path(self, path: Path, *, is_listed: bool = True) -> None:
        """Open a checkpoint, a session, a trace or a text, by what it is; else `refused` has the reason.

        `is_listed`: it is then among the recent files.
        """
        self.began.emit()
        if is_checkpoint(path):
            self.open_model(str(path))
            return
        self.content_requested.emit()
        if is_listed:
            self.folder = str(path.parent)

        def done(found: Session | Trace | str) -> None:
            if is_listed:
                self._recents.add_file(path)
            if isinstance(found, str):
                self.open_texts(found, None)
                self._open_any()
            elif isinstance(found, Session):
                self.opener.open_session(found)
            else:
                self.opener.open_trace(found, str(path))

        self._start("read", lambda: read_file(path), done)

    def save(self, path: Path) -> None:
        """Save the state of the window with the arrays on screen, then emit `saved`."""
        app_state = self._app_state
        session = current_session(
            app_state.store.now, app_state.workspace, app_state.comparison, has_arrays=True
        )
        self.folder = str(path.parent)

        def done(_: None) -> None:
            self._recents.add_file(path)
            self.saved.emit(str(path))

        self._start(_WRITE + str(path), lambda: save_session(path, session), done)

    def write(self, path: Path, work: Callable[[], object]) -> None:
        """Have `work` write `path` on the worker, then emit `saved`, or `refused` with the reason."""
        self._start(_WRITE + str(path), work, lambda _: self.saved.emit(str(path)))

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


def ask_where_to_save(
    window: QWidget, title: str, start: str, kinds: str, ending: str | None = None
) -> Path | None:
    """Return the path that the user gives, None if the dialog is cancelled.

    With `ending` the name has that one; without, it has that of the kind chosen where it has none. The dialog
    asks before it replaces a file of the name that was typed, and this asks for the one with the ending.
    """
    given, kind = QFileDialog.getSaveFileName(window, title, start, kinds)
    if not given:
        return None
    path = Path(given)
    of_kind = kind[kind.find("*.") + 1 : -1] if "*." in kind else Path(start).suffix
    has_ending = bool(path.suffix) if ending is None else path.suffix.lower() == ending
    if has_ending:
        return path
    path, translate = path.with_name(path.name + (ending or of_kind)), QCoreApplication.translate
    if not path.exists():
        return path
    text = translate("SaveDialog", "{0} exists already. Replace it?").format(path.name)
    box = QMessageBox(QMessageBox.Icon.Question, title, text, parent=window)
    replace = box.addButton(translate("SaveDialog", "Replace"), QMessageBox.ButtonRole.AcceptRole)
    box.setDefaultButton(box.addButton(translate("SaveDialog", "Keep it"), QMessageBox.ButtonRole.RejectRole))
    box.exec()
    return path if box.clickedButton() is replace else None


class FileDialogs(QObject):
    """Asks over `window`, beginning where the user was last; a dialog that is cancelled changes nothing."""

    def __init__(self, window: QWidget, files: Files) -> None:
        super().__init__(window)
        self._window, self._files = window, files
        self._hub_id = self._models_folder = ""

    def ask_for_weights(self) -> None:
        """Let the user choose a file of attention weights alone, and compare with these."""
        title, kinds = (
            self.tr("Compare with attention weights of a file"),
            self.tr("Attention weights") + " (*.npz)",
        )
        name, _ = QFileDialog.getOpenFileName(self._window, title, self._files.folder, kinds)
        if name:
            self._files.compare_with_file(Path(name))

    def ask_for_folder(self, use: Callable[[str], None] | None = None) -> None:
        """Let the user choose a checkpoint folder and open it, or `use` it."""
        title = self.tr("Open a checkpoint folder")
        if folder := QFileDialog.getExistingDirectory(self._window, title, self._models_folder):
            self._models_folder = str(Path(folder).parent)
            (use or self._files.open_model)(folder)

    def ask_for_file(self, use: Callable[[str], None] | None = None) -> None:
        """Let the user choose one file of weights and open it, or `use` it."""
        endings = " ".join(f"*{ending}" for ending in WEIGHT_ENDINGS)
        kinds = self.tr("Weights, with config.json and the vocabulary beside them") + f" ({endings})"
        kinds += ";;" + self.tr("All files") + " (*)"
        title = self.tr("Open a file of weights")
        name, _ = QFileDialog.getOpenFileName(self._window, title, self._models_folder, kinds)
        if name:
            self._models_folder = str(Path(name).parent)
            (use or self._files.open_model)(name)

    def ask_for_hub_id(self, use: Callable[[str], None] | None = None) -> None:
        """Let the user name a checkpoint of the hub and open it, or `use` it; it may be downloaded."""
        label = self.tr(
            "Name of the checkpoint, such as sentence-transformers/all-MiniLM-L6-v2,\n"
            "with @ and a branch, tag or commit if it is not the newest; or the address of its page:"
        )
        title = self.tr("Open a checkpoint from the hub")
        name, is_given = QInputDialog.getText(self._window, title, label, text=self._hub_id)
        if is_given and name.strip():
            self._hub_id = hub_ref(name)
            (use or self._files.open_model)(self._hub_id)

    def ask_to_open(self) -> None:
        """Let the user choose a session, a trace or a text, and open it."""
        kinds = self.tr("Sessions, traces and texts") + " (*.bva *.npz *.txt)"
        name, _ = QFileDialog.getOpenFileName(self._window, self.tr("Open"), self._files.folder, kinds)
        if name:
            self._files.open_path(Path(name))

    def ask_to_save(self) -> None:
        """Let the user choose where the session is saved."""
        kinds, title = self.tr("Sessions") + f" (*{ENDING})", self.tr("Save the session")
        if (path := ask_where_to_save(self._window, title, self._files.folder, kinds, ENDING)) is not None:
            self._files.save(path)


_log = logging.getLogger(__name__)

EVERY_MS = 2000
NAME = "last.bva"


class Autosave(QObject):
    """Writes at most once in EVERY_MS, and only from the first window of several that are open at once.

    It writes on a thread of its own: to put a file in the place of another takes up to half a second where
    the disk is busy. While the program runs there is a lock file. A lock file of a process that does not
    exist any more means that the program crashed.
    """

    def __init__(self, folder: Path, store: Store, session_of: Callable[[WindowState], Session]) -> None:
        """`session_of` adds to a state which checkpoints it is of."""
        super().__init__(store)
        self._path = folder / NAME
        self._store, self._session_of = store, session_of
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
        self._timer = OneShot(self, self._write, EVERY_MS)

    def begin(self, *, restores: bool) -> Session | None:
        """Return the last state, if `restores` or after a crash; save changes from now on."""
        folder, was_open = self._path.parent, paths.exists(Path(self._lock.fileName()))
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            _log.info("nothing will be remembered: %s", error)
            return None
        self._is_first = self._lock.tryLock(0)
        if not self._is_first:
            return None
        self._jobs.start()
        self._store.watch(IN_FILES, self.schedule)
        if restores or was_open:
            try:
                self._written = load_without_arrays(self._path)
            except AppError as error:
                _log.info("what was shown last is not opened: %s", error)
        return self._written

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

    @Slot()
    def schedule(self) -> None:
        """Save the state soon; nothing is saved before `begin`, or by another than the first window."""
        # A timer that runs is not started anew: constant changes would put the saving off for ever.
        if self._is_first and not self._timer.isActive():
            self._timer.start()

    @Slot()
    def _write(self) -> None:
        if (save := self._save_of_changes()) is not None:
            self._jobs.submit("save", lambda check: save(), lambda outcome: None)

    def _write_now(self) -> None:
        if (save := self._save_of_changes()) is not None:
            save()

    def _save_of_changes(self) -> Callable[[], None] | None:
        """Return what writes the present state; None where there is nothing to write."""
        self._timer.stop()
        if self.is_paused:
            return None
        session, written = self._session_of(self._store.now), self._written
        refs = () if written is None else (written.checkpoint.ref, written.state.ref)
        if written is not None and session.checkpoint.identity == UNKNOWN and session.checkpoint.ref in refs:
            # What is known of a checkpoint that is still being opened again stays.
            session = replace(session, checkpoint=written.checkpoint)
        # A write may have failed, or still be waited for: the end of the program drops it then.
        is_written = _content(session) == _content(written) and self._n_done == self._n_writes
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


def _content(session: Session | None) -> tuple[object, ...]:
    return () if session is None else (in_files(session.state), session.checkpoint, session.other)


SETTLES_MS = 1500
"""A text that is shown for this long counts as one that was used."""


class WindowSession(QObject):
    """Builds and connects recents and the automatic save; nothing is saved before that begins."""

    def __init__(self, app_state: AppState, store: SettingsStore, parent: QObject) -> None:
        super().__init__(parent)
        self._app_state, self.store = app_state, store
        workspace = app_state.workspace
        self.recents = Recents(store.folder / "recents.json", lambda: store.settings.n_recents, self)
        self.opener = SessionOpener(workspace, app_state.workers.downloads)
        self.autosave = Autosave(
            store.folder,
            app_state.store,
            lambda state: current_session(state, workspace, app_state.comparison, has_arrays=False),
        )
        self._settles = OneShot(self, self._on_settled, SETTLES_MS)
        workspace.shown_changed.connect(self._settles.start)
        for signal in (workspace.facts_changed, app_state.comparison.shown_changed):
            signal.connect(self.autosave.schedule)

    @Slot()
    def _on_settled(self) -> None:
        workspace = self._app_state.workspace
        if workspace.is_current and workspace.saved is None and not self.autosave.is_paused:
            self.recents.add_texts(workspace.text, workspace.pair)
