"""`Leaving`: asks before the window is closed while a training runs or a file is written."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Slot
from PySide6.QtWidgets import QMessageBox, QPushButton, QWidget

from bertviz_app.shell.session.files import Files
from bertviz_app.shell.window.training_page.controller import TrainingController
from bertviz_app.views.kit.canvas import guarded

_PATIENCE_MS = 400


class Leaving(QObject):
    """The questions before the end; the answer closes the window, or leaves it open.

    To be made after what ends its work when the window is closed: Qt calls the event filter that was
    installed last first, and the others only if this one lets the window be closed.
    """

    def __init__(self, window: QWidget, training: TrainingController, files: Files) -> None:
        super().__init__(window)
        self._window = window
        self._training = training
        self._files = files
        self._ends_training = False
        self._waits = False
        self._patience = QTimer(self, singleShot=True, interval=_PATIENCE_MS)
        self._patience.timeout.connect(self._ask_about_file)
        files.written.connect(self._on_written)
        window.installEventFilter(self)

    @guarded(default=False)
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Keep the window from being closed while there is something to ask, or to wait for."""
        if event.type() == QEvent.Type.Close and watched is self._window and not self.may_close():
            event.ignore()
            return True
        return False

    def may_close(self) -> bool:
        """Return whether nothing is left to be asked; else ask, and close the window after the answer."""
        if self._training.is_running and not self._ends_training:
            self._ask_about_training()
            return False
        if self._files.is_writing:
            if not self._waits:
                self._waits = True
                self._patience.start()  # most files are written before one could read a question
            return False
        return True

    def _ask_about_training(self) -> None:
        box = QMessageBox(QMessageBox.Icon.Question, "BertViz App", "", parent=self._window)
        box.setText(self.tr("A training is still running. Quit anyway?"))
        box.setInformativeText(
            self.tr("It cannot go on without the window. What it has learned is saved and can be resumed.")
        )
        stop = box.addButton(self.tr("Stop, keep the last snapshot"), QMessageBox.ButtonRole.AcceptRole)
        stay = box.addButton(self.tr("Keep training"), QMessageBox.ButtonRole.RejectRole)
        self._open(box, stay)

        def end() -> None:
            self._ends_training = box.clickedButton() is stop
            if self._ends_training:
                self._window.close()

        box.finished.connect(end)

    @Slot()
    def _ask_about_file(self) -> None:
        self._waits = False
        box = QMessageBox(QMessageBox.Icon.Question, "BertViz App", "", parent=self._window)
        box.setText(self.tr("A file is still being written. Quit anyway?"))
        box.setInformativeText(self.tr("The window closes by itself as soon as the file is complete."))
        wait = box.addButton(self.tr("Finish the file, then quit"), QMessageBox.ButtonRole.AcceptRole)
        stay = box.addButton(self.tr("Do not quit"), QMessageBox.ButtonRole.RejectRole)
        self._open(box, stay)

        def end() -> None:
            self._waits = box.clickedButton() is wait
            self._ends_training &= self._waits  # who stays is asked about the training again
            if self._waits and not self._files.is_writing:
                self._window.close()

        box.finished.connect(end)

    def _open(self, box: QMessageBox, stay: QPushButton) -> None:
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.setEscapeButton(stay)
        box.setDefaultButton(stay)
        box.open()

    @Slot()
    def _on_written(self) -> None:
        if self._waits:
            self._patience.stop()
            self._window.close()
