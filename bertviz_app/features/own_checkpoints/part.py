"""The dialog in which the parts of a model are given, and the window that it belongs to."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import Slot

from bertviz_app.shell.window.frame import WindowPart

if TYPE_CHECKING:
    from bertviz_app.features.own_checkpoints.dialog import PartsDialog, PartsForm
    from bertviz_app.shell.window.frame import WindowFrame
    from bertviz_app.shell.window.window import MainWindow


class PartsPart(WindowPart):
    """Asks for the parts in a dialog, which is made at the first use."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._main = window
        self.dialog: PartsDialog | None = None
        window.app_state.answering.parts_requested.connect(self._on_requested)

    @cached_property
    def form(self) -> PartsForm:
        """The parts that are given."""
        from bertviz_app.features.own_checkpoints.dialog import PartsForm

        state = self._main.app_state
        form = PartsForm(state.engine, state.answering, state.workers.encoder)
        form.failed.connect(state.failed)
        form.changed.connect(self.show_again)
        return form

    def move_to(self, frame: WindowFrame) -> None:
        if self.dialog is not None:  # it is in another language
            self.dialog.hide()
            self.dialog.setParent(None)
            self.dialog.deleteLater()
            self.dialog = None

    @Slot()
    def _on_requested(self) -> None:
        self.form.open()

    @Slot()
    def show_again(self) -> None:
        if not self._main.app_state.answering.is_elsewhere:
            return
        if self.dialog is None:
            from bertviz_app.features.own_checkpoints.dialog import PartsDialog

            self.dialog = PartsDialog(self._main.look, self._main.app_state.answering, self.form, self._main)
        if not self.dialog.isVisible():
            self._main.notice.forget_remark()
            self.dialog.refresh()
            self.dialog.show()
