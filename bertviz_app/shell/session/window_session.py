"""`WindowSession`: steps to undo, texts and files used recently, the last session, what is opened."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Slot

from bertviz_app.shell.session.autosave import Autosave
from bertviz_app.shell.settings.recents import Recents
from bertviz_app.shell.settings.store import SettingsStore
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.session.archive import Session, SessionOpener, current_session
from bertviz_app.viewmodels.session.snapshot import History, SnapshotTaker

SETTLES_MS = 1500
"""A text that is shown for this long counts as one that was used."""


class WindowSession(QObject):
    """Builds and connects history, recents and the automatic save; nothing is saved before `begin`."""

    def __init__(self, app_state: AppState, store: SettingsStore, parent: QObject) -> None:
        super().__init__(parent)
        self._app_state = app_state
        self.store = store
        workspace = app_state.workspace
        selected = (app_state.panels, app_state.selection, app_state.options, app_state.overview)
        of_a = app_state.interventions
        self.snapshot_taker = SnapshotTaker(workspace, app_state.comparison, *selected, of_a)
        self.history = History(self.snapshot_taker, workspace, app_state.comparison)
        self.recents = Recents(store.folder / "recents.json", lambda: store.settings.n_recents, self)
        self.opener = SessionOpener(workspace, self.snapshot_taker, app_state.workers.downloads)
        self.opener.failed.connect(app_state.failed)
        self._autosave = Autosave(
            store.folder,
            self.snapshot_taker,
            lambda snapshot: current_session(snapshot, workspace, app_state.comparison, has_arrays=False),
        )
        self._settles = QTimer(self, singleShot=True, interval=SETTLES_MS)
        self._settles.timeout.connect(self._on_settled)
        workspace.shown_changed.connect(self._settles.start)

    def begin(self) -> Session | None:
        """Return what was shown last, if it is to be shown again, and save from now on."""
        return self._autosave.begin(restores=self.store.settings.restores_session)

    def pause_saving(self, is_paused: bool) -> None:
        """Leave what was shown until now as the last state and text, as long as something else is shown."""
        self._autosave.pause(is_paused)

    def end(self) -> None:
        """Save what is shown; the program ends."""
        self._autosave.end()

    @Slot()
    def _on_settled(self) -> None:
        workspace = self._app_state.workspace
        if workspace.is_current and workspace.saved is None and not self._autosave.is_paused:
            self.recents.add_texts(workspace.text, workspace.pair)
