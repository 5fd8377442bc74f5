"""`LessonProgress`: which stations were solved and where each lesson was left, saved in one small file."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Signal

from bertviz_app.json_store import JsonFile
from bertviz_app.learning.lessons.lesson import Lesson

_MOST = 10_000


class LessonProgress(QObject):
    """What has been done, by the keys of lessons and stations; a damaged file counts as nothing done."""

    changed = Signal()

    def __init__(self, path: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._file = JsonFile(path)
        content = self._file.read()
        self._done = _lists(content.get("done"))
        left = content.get("left")
        self._left = (
            {key: at for key, at in left.items() if isinstance(at, str)} if isinstance(left, dict) else {}
        )

    def is_done(self, lesson: Lesson, station: str) -> bool:
        """Return whether a station was solved, or read if it asks nothing."""
        return station in self._done.get(lesson.key, ())

    def n_done(self, lesson: Lesson) -> int:
        """Return how many of the stations that the lesson has now are done."""
        return sum(self.is_done(lesson, station.key) for station in lesson.stations)

    def last_station(self, lesson: Lesson) -> int:
        """Return the station at which the lesson was left, 0 if it was never begun."""
        keys = [station.key for station in lesson.stations]
        left = self._left.get(lesson.key)
        return keys.index(left) if left in keys else 0

    def note_done(self, lesson: Lesson, station: str) -> None:
        done = self._done.setdefault(lesson.key, [])
        if station not in done and len(done) < _MOST:
            done.append(station)
            self._save()

    def note_station(self, lesson: Lesson, index: int) -> None:
        if self._left.get(lesson.key) != lesson.stations[index].key:
            self._left[lesson.key] = lesson.stations[index].key
            self._save()

    def _save(self) -> None:
        self._file.write({"done": self._done, "left": self._left})
        self.changed.emit()


def _lists(value: object) -> dict[str, list[str]]:
    """Return the lists of texts in an object, as far as they are some."""
    if not isinstance(value, dict):
        return {}
    return {
        key: [one for one in each if isinstance(one, str)]
        for key, each in value.items()
        if isinstance(each, list)
    }
