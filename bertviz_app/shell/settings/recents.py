"""`Recents`: the texts, checkpoints and files used last, newest first, in a small file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from bertviz_app.json_store import JsonFile

VERSION = 1
_LONGEST = 5000  # characters; what is longer comes from a file
Texts = tuple[str, str | None]


class Recents(QObject):
    """Reads the file once and writes it at each change; an entry that cannot be used is left out."""

    changed = Signal()

    def __init__(self, path: Path, most: Callable[[], int], parent: QObject | None = None) -> None:
        """`most()` returns how many of each kind are listed."""
        super().__init__(parent)
        self._file = JsonFile(path, VERSION)
        self._most = most
        content = self._file.read()
        self._texts = [texts for item in _list(content, "texts") if (texts := _texts(item)) is not None]
        self._checkpoints = [item for item in _list(content, "checkpoints") if isinstance(item, str)]
        self._files = [item for item in _list(content, "files") if isinstance(item, str)]

    @property
    def texts(self) -> tuple[Texts, ...]:
        """The texts used most recently, the newest first."""
        return tuple(self._texts[: self._most()])

    @property
    def checkpoints(self) -> tuple[str, ...]:
        """The checkpoints used most recently, the newest first."""
        return tuple(self._checkpoints[: self._most()])

    @property
    def files(self) -> tuple[str, ...]:
        """The files used most recently, the newest first."""
        return tuple(self._files[: self._most()])

    def add_texts(self, text: str, pair: str | None) -> None:
        """Put a text first, replacing the newest if this one continues it: that was still being typed."""
        new = (text, pair)
        if (
            not text.strip()
            or len(text) + len(pair or "") > _LONGEST
            or (self._texts and self._texts[0] == new)
        ):
            return
        if self._texts and _continues(new, self._texts[0]):
            del self._texts[0]
        self._texts = [new, *(texts for texts in self._texts if texts != new)]
        self._write()

    def add_checkpoint(self, ref: str) -> None:
        """Put a checkpoint first."""
        self._checkpoints = [ref, *(other for other in self._checkpoints if other != ref)]
        self._write()

    def add_file(self, path: Path) -> None:
        """Put a file first."""
        name = str(path.absolute())
        self._files = [name, *(other for other in self._files if other != name)]
        self._write()

    def clear(self) -> None:
        """Forget everything."""
        self._texts, self._checkpoints, self._files = [], [], []
        self._write()

    def _write(self) -> None:
        self._file.write({"texts": self.texts, "checkpoints": self.checkpoints, "files": self.files})
        self.changed.emit()


def _continues(new: Texts, old: Texts) -> bool:
    """Return whether `new` is `old` with more, or less, at its end."""
    pairs = zip((new[0], new[1] or ""), (old[0], old[1] or ""), strict=True)
    return all(one.startswith(other) or other.startswith(one) for one, other in pairs)


def _list(content: dict[str, object], name: str) -> list[object]:
    found = content.get(name)
    return found if isinstance(found, list) else []


def _texts(item: object) -> Texts | None:
    match item:
        case [str(text), str() | None as pair] if len(text) <= _LONGEST:
            return text, pair
        case _:
            return None
