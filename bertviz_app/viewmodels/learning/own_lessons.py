"""`OwnLessons`: the user's lesson files in one folder, read again whenever one of them changes."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QFileSystemWatcher, QObject, QTimer, Signal

from bertviz_app.errors import FileError
from bertviz_app.learning.lessons.lesson import Lesson
from bertviz_app.learning.lessons.reading import duplicate_key, read_lesson, shipped_lessons

MOST = 100
"""The largest number of files of the folder that are read."""
_SETTLES_MS = 150
"""An editor writes a file in several steps: it is read when it has not changed for this time."""


@dataclass(frozen=True)
class OwnLesson:
    """A lesson file: the lesson, or the error that says what is wrong with the file."""

    path: Path
    lesson: Lesson | None = None
    error: FileError | None = None


class OwnLessons(QObject):
    """The files `*.json` of a folder in the order of their names, and those that were opened elsewhere.

    `changed`: a file was added, removed, or has another content.
    """

    changed = Signal()

    def __init__(self, folder: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.folder = folder
        self.lessons: tuple[OwnLesson, ...] = ()
        self.n_unread = 0
        """How many files of the folder are not read, since there are more than `MOST`."""
        self._opened: dict[Path, OwnLesson] = {}
        self._read: dict[Path, tuple[tuple[int, int], OwnLesson]] = {}
        self._watcher = QFileSystemWatcher(self)
        self._timer = QTimer(self, singleShot=True, interval=_SETTLES_MS)
        self._watcher.directoryChanged.connect(self._timer.start)
        self._watcher.fileChanged.connect(self._timer.start)
        self._timer.timeout.connect(self.refresh)

    def set_folder(self, folder: Path) -> None:
        """Read another folder from now on."""
        self.folder = folder
        self.refresh()

    def refresh(self) -> None:
        """Read what is new in the folder, and what has changed."""
        before = self.lessons, dict(self._opened), self.n_unread
        paths = lesson_files(self.folder)
        self.n_unread = max(0, len(paths) - MOST)
        self.lessons = _with_own_keys(self._lesson_in(path) for path in paths[:MOST])
        self._opened = {path: self._lesson_in(path) for path in self._opened}
        self._watch()
        if (self.lessons, self._opened, self.n_unread) != before:
            self.changed.emit()

    def open(self, path: Path) -> Lesson:
        """Return the lesson in a file, which is watched from now on. Raises FileError."""
        lesson = read_lesson(path)
        self._opened[path] = OwnLesson(path, lesson)
        self._watch()
        return lesson

    def at(self, path: Path) -> OwnLesson | None:
        """Return what is in a file of the folder, or in one that was opened elsewhere."""
        return next((own for own in self.lessons if own.path == path), self._opened.get(path))

    def _lesson_in(self, path: Path) -> OwnLesson:
        mark = _mark(path)
        if path not in self._read or self._read[path][0] != mark:
            self._read[path] = mark, _read(path)
        return self._read[path][1]

    def _watch(self) -> None:
        """Watch the folder and each file: an editor that replaces a file ends the watching of the old one."""
        watched = {*self._watcher.files(), *self._watcher.directories()}
        paths = (self.folder, *(own.path for own in self.lessons), *self._opened)
        if more := [str(path) for path in paths if str(path) not in watched and path.exists()]:
            self._watcher.addPaths(more)


def unread_words(n_unread: int) -> str:
    """Return that so many files of the folder are not read, "" of none."""
    if not n_unread:
        return ""
    words = QCoreApplication.translate(
        "OwnLessons",
        "The folder has more files than the {0} that are read: the last {1} by name are left out.",
    )
    return words.format(MOST, n_unread)


def lesson_files(folder: Path) -> list[Path]:
    """Return all lesson files of a folder in the order of their names; [] of one that cannot be read."""
    try:
        return sorted(path for path in folder.glob("*.json") if not path.name.startswith("."))
    except OSError:
        return []


def _mark(path: Path) -> tuple[int, int]:
    """Return the time and the size of a file, which change when it is written again."""
    with suppress(OSError):
        found = path.stat()
        return found.st_mtime_ns, found.st_size
    return 0, -1


def _read(path: Path) -> OwnLesson:
    try:
        return OwnLesson(path, read_lesson(path))
    except FileError as error:
        return OwnLesson(path, error=error)


def _with_own_keys(found: Iterable[OwnLesson]) -> tuple[OwnLesson, ...]:
    """Return the lessons; one with the key of another is a mistake: the two would share their progress."""
    keys = {lesson.key for lesson in shipped_lessons()}
    checked = []
    for own in found:
        if own.lesson is not None and own.lesson.key in keys:
            own = OwnLesson(own.path, error=duplicate_key(own.path, own.lesson.key))
        elif own.lesson is not None:
            keys.add(own.lesson.key)
        checked.append(own)
    return tuple(checked)
