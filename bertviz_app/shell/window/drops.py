"""`Drops`: files and texts that are dragged onto the window: described while over it, opened when dropped."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QEvent, QMimeData, QObject
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent
from PySide6.QtWidgets import QMainWindow

from bertviz_app.shell.session.files import Files
from bertviz_app.viewmodels.session.archive import is_checkpoint
from bertviz_app.views.kit.canvas import guarded
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.widgets import DropHint


class Drops(QObject):
    """Filters the events of the window. What cannot be opened is refused with a sentence."""

    def __init__(self, window: QMainWindow, look: Look, files: Files) -> None:
        super().__init__(window)
        self._files = files
        self.hint = DropHint(look, window)
        window.setAcceptDrops(True)
        window.installEventFilter(self)

    @guarded(default=False)
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QDropEvent) and event.source() is not None:
            return False  # something of the window itself, such as an item of a list, is put elsewhere in it
        if event.type() == QEvent.Type.DragLeave:
            self.hint.hide()
        elif event.type() == QEvent.Type.Drop and isinstance(event, QDropEvent):
            self.hint.hide()
            event.acceptProposedAction()
            self._take(event.mimeData())
        elif isinstance(event, QDragEnterEvent | QDragMoveEvent):
            # What cannot be opened is accepted too: Qt would show no reason for refusing it.
            event.acceptProposedAction()
            words, is_accepted = self._describe(event.mimeData())
            if (self.hint.words, self.hint.isVisible()) != (words, True):
                self.hint.show_words(words, is_accepted=is_accepted)
        else:
            return False
        return True

    def _describe(self, data: QMimeData) -> tuple[str, bool]:
        """Return what would be done with `data`, and whether it would be taken at all."""
        paths = _paths(data)
        if not paths and data.hasUrls():
            return self.tr("This is a web address: save the page as a file, and drop that file."), False
        if not paths:
            return (self.tr("Show this text"), True) if data.text().strip() else (self._refusal(), False)
        if len(paths) > 1:
            return self.tr("Drop one file or folder at a time."), False
        (path,) = paths
        kinds = {
            ".bva": self.tr("Open the session {0}"),
            ".npz": self.tr("Open the trace {0}"),
            ".txt": self.tr("Show the text in {0}"),
        }
        kinds |= dict.fromkeys((".md", ".text"), kinds[".txt"])
        words = self.tr("Open the checkpoint {0}") if is_checkpoint(path) else kinds.get(path.suffix.lower())
        return (self._refusal(), False) if words is None else (words.format(path.name), True)

    def _take(self, data: QMimeData) -> None:
        words, is_accepted = self._describe(data)
        paths = _paths(data)
        if not is_accepted:
            self._files.refused.emit(words)
        elif paths:
            self._files.open_path(paths[0])
        else:
            self._files.open_texts(" ".join(data.text().split()), None)

    def _refusal(self) -> str:
        return self.tr(
            "This cannot be opened: drop a checkpoint folder or its weights (.safetensors, .bin, .pt, .pth), "
            "a .bva, .npz or .txt file, or text."
        )


def _paths(data: QMimeData) -> list[Path]:
    """Return the local files and folders in `data`."""
    return [Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile()]
