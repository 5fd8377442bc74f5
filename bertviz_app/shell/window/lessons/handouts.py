"""`Handouts`: the head that is shown as pages for students, in a PDF file."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QMainWindow

from bertviz_app.learning.handouts import handout_numbers
from bertviz_app.shell.session.files import Files
from bertviz_app.shell.session.save_dialog import ask_where_to_save
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.views.handouts import handout_html, handout_pdf, write_pdf


class Handouts(QObject):
    """Asks where to write one, and has it written beside the window's work."""

    def __init__(self, window: QMainWindow, app_state: AppState, files: Files) -> None:
        super().__init__(window)
        self._window = window
        self._app_state = app_state
        self._files = files
        self._folder = Path()

    def ask(self) -> None:
        """Ask for a file and write the head, the query and the key of the inspector into it."""
        pair = self._app_state.shown_runs.inspected.pair
        if pair is None:
            return
        name = self.tr("hand-out {0}.{1}").format(pair.layer, pair.head) + ".pdf"
        title, kinds = self.tr("Hand-out of this head"), "PDF (*.pdf)"
        path = ask_where_to_save(self._window, title, str(self._folder / name), kinds, ".pdf")
        if path is None:
            return
        self._folder = path.parent
        query, key = pair.numbers.query, pair.numbers.key
        numbers = handout_numbers(pair.trace, pair.layer, pair.head, query, key)
        content = handout_pdf(handout_html(numbers))
        self._files.write(path, lambda: write_pdf(content, path))
