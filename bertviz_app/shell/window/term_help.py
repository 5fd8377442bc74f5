"""`TermHelp`: opens the glossary at the term under F1, or at the one whose small i is clicked."""

from __future__ import annotations

from PySide6.QtCore import QChildEvent, QEvent, QObject, Qt
from PySide6.QtGui import QCursor, QHelpEvent, QKeyEvent, QWhatsThisClickedEvent
from PySide6.QtWidgets import QApplication, QDialog, QMainWindow, QWidget

from bertviz_app.learning.example_facts import glossary
from bertviz_app.shell.window.dialogs import Dialogs
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.learning.shown_facts import shown_facts
from bertviz_app.views.dialogs.documents import EntryPopup
from bertviz_app.views.kit.canvas import guarded
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.terms import show_tip_of_text, term_at


class TermHelp(QObject):
    """Explains what is under the pointer, or what has the focus; the whole glossary where that is no term.

    It does so in the window and in its dialogs, which the keys and the tool tips of the window do not reach.
    """

    def __init__(self, window: QMainWindow, app_state: AppState, look: Look, dialogs: Dialogs) -> None:
        super().__init__(window)
        self._window = window
        self._app_state = app_state
        self._look = look
        self._dialogs = dialogs
        window.installEventFilter(self)

    def explain(self) -> None:
        """Open the entry of what is under the pointer."""
        position = QCursor.pos()
        term = term_at(position, QApplication.widgetAt(position))
        if not term:
            term = term_at(position, QApplication.focusWidget())
        if term:
            self.open_entry(term)
        else:
            self._dialogs.open_glossary()

    def open_entry(self, term: str) -> None:
        """Open one entry beside the pointer."""
        entry, facts = (
            glossary()[term],
            shown_facts(self._app_state.workspace, self._app_state.shown_runs.inspected),
        )
        parent = QApplication.activeModalWidget() or self._window
        EntryPopup(self._look, entry, facts, parent).open_at(QCursor.pos())

    @guarded(default=False)
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take what the small i sends, and explain a term that the pointer rests on."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):  # no widget had a tool tip
            return isinstance(watched, QWidget) and show_tip_of_text(event, watched)
        if isinstance(event, QWhatsThisClickedEvent):
            self.open_entry(event.href())
            return True
        if event.type() == QEvent.Type.ChildPolished and isinstance(event, QChildEvent):
            if isinstance(event.child(), QDialog):
                event.child().installEventFilter(self)
        elif isinstance(event, QKeyEvent) and isinstance(watched, QDialog):
            return self._explain_by_key(event)
        return False

    def _explain_by_key(self, event: QKeyEvent) -> bool:
        is_f1 = event.type() == QEvent.Type.KeyPress and event.key() == Qt.Key.Key_F1
        if is_f1:
            self.explain()
        return is_f1
