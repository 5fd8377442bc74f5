"""`LessonCatalogue`: the lessons that can be opened: those of the program, and the user's own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, QUrl, Signal, Slot
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFileDialog, QMainWindow

from bertviz_app import paths
from bertviz_app.errors import AppError
from bertviz_app.shell.settings.store import SettingsStore
from bertviz_app.views.dialogs.documents import Welcome
from bertviz_app.views.kit.look import Look

if TYPE_CHECKING:  # the first paint does not need these
    from bertviz_app.viewmodels.learning.player import LessonProgress, OwnLessons

_AFTER_START_MS = 300
"""The start page is painted before the user's lessons are read."""


class LessonCatalogue(QObject):
    """Lists lessons in a dialog and on the start page.

    `chosen(lesson, path)`: one is to be opened; `path` is that of its file, None for one of the program's.
    `failed(error)`: a file cannot be used.
    """

    chosen = Signal(object, object)
    failed = Signal(object)

    def __init__(
        self,
        window: QMainWindow,
        look: Look,
        store: SettingsStore,
        welcome: Welcome,
        progress: Callable[[], LessonProgress],
    ) -> None:
        super().__init__(window)
        self._window = window
        self._look = look
        self._store = store
        self._welcome = welcome
        self._progress = progress
        self._own: OwnLessons | None = None
        welcome.lessons_requested.connect(self.open_list)
        welcome.own_chosen.connect(self._on_own_chosen)
        if _has_lessons(self.folder):
            QTimer.singleShot(_AFTER_START_MS, self, self._offer_own)

    @property
    def folder(self) -> Path:
        """The folder of the user's lessons."""
        chosen = self._store.settings.lessons_folder
        return Path(chosen) if chosen else paths.own_lessons()

    @property
    def own(self) -> OwnLessons:
        """The user's own lessons, read at the first use."""
        if self._own is None:
            from bertviz_app.viewmodels.learning.player import OwnLessons

            self._own = OwnLessons(self.folder, self)
            self._own.changed.connect(self._offer_own)
            self._own.refresh()
        elif self._own.folder != self.folder:
            self._own.set_folder(self.folder)
        return self._own

    @Slot()
    def refresh(self) -> None:
        """Look for the user's lessons again: another folder may have been chosen for them."""
        self.own.refresh()

    @property
    def keys(self) -> set[str]:
        """The keys of all lessons, which a new one must differ from."""
        from bertviz_app.learning.lessons.reading import shipped_lessons

        own = {each.lesson.key for each in self.own.lessons if each.lesson is not None}
        return own | {lesson.key for lesson in shipped_lessons()}

    @Slot()
    def open_list(self, after: str = "") -> None:
        """Show all lessons, and make the one that follows the lesson with the key `after` the current one."""
        from bertviz_app.learning.lessons.reading import shipped_lessons
        from bertviz_app.views.lessons.teacher_window import LessonList

        self.own.refresh()
        shown = LessonList(self._look, shipped_lessons(), self.own, self._progress(), self._window, after)
        shown.chosen.connect(self.chosen)
        shown.file_requested.connect(self.ask_for_file)
        shown.folder_requested.connect(self._open_folder)
        shown.open()

    @Slot()
    def ask_for_file(self) -> None:
        title = self.tr("Open a lesson")
        path, _ = QFileDialog.getOpenFileName(
            self._window, title, str(self.folder), self.tr("Lessons (*.json)")
        )
        if path:
            self.open_file(Path(path))

    def open_file(self, path: Path) -> None:
        try:
            self.chosen.emit(self.own.open(path), path)
        except AppError as error:
            self.failed.emit(error)

    @Slot()
    def _open_folder(self) -> None:
        """Show the folder of the user's lessons in the system's file manager; make it first."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            return  # the file manager says what is wrong with it
        finally:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(self.folder)))
        self.own.refresh()

    @Slot()
    def _offer_own(self) -> None:
        """List the user's lessons on the start page."""
        lessons = [own.lesson for own in self.own.lessons if own.lesson is not None]
        self._welcome.offer_own([(lesson.title, lesson.summary) for lesson in lessons])

    @Slot(int)
    def _on_own_chosen(self, index: int) -> None:
        own = [each for each in self.own.lessons if each.lesson is not None][index]
        self.chosen.emit(own.lesson, own.path)


def _has_lessons(folder: Path) -> bool:
    """Return whether a folder has files of lessons; False, too, for one that cannot be read."""
    try:
        return any(folder.glob("*.json"))
    except OSError:
        return False
