"""What the program remembers of a user's preferences: a small JSON file that may be damaged or old."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from bertviz_app.errors import AppError
from bertviz_app.paths import replacing

_log = logging.getLogger(__name__)

THEMES = ("system", "light", "dark")
LANGUAGES = ("system", "en", "ko")
SMALLEST_TEXT, LARGEST_TEXT = 0.8, 2.0
MOST_RECENTS = 100
MOST_MEMORY_GB = 1024
VERSION = 1

Value = str | float | bool


@dataclass(frozen=True)
class Settings:
    """Preferences.

    `theme` is one of THEMES, `language` one of LANGUAGES; `text_size` multiplies every text; `device` is
    what a window begins with; open checkpoints fill at most `memory_gb`; `geometry` and `layout` are
    Qt's own, in base64; `shows_predictions` is whether that section of the inspector is open.
    """

    theme: str = "system"
    language: str = "system"
    text_size: float = 1.0
    device: str = "auto"
    restores_session: bool = True
    n_recents: int = 20
    memory_gb: int = 4
    geometry: str = ""
    layout: str = ""
    shows_predictions: bool = True


class SettingsStore:
    """Reads and writes the file. What cannot be used falls back to its default; the file is set aside."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.settings = self._read()

    @property
    def folder(self) -> Path:
        """Where the file is, and what else is remembered beside it."""
        return self._path.parent

    def change(self, **changes: Value) -> None:
        """Change some settings and write the file; a file that cannot be written is only logged."""
        self.settings = Settings(**{**asdict(self.settings), **changes})
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with replacing(self._path) as beside:
                beside.write_text(json.dumps({"version": VERSION} | asdict(self.settings), indent=2))
        except (AppError, OSError) as error:
            _log.info("settings were not saved: %s", error)

    def _read(self) -> Settings:
        try:
            content = json.loads(self._path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return Settings()
        except (OSError, ValueError, RecursionError):
            self._set_aside()
            return Settings()
        if not isinstance(content, dict):
            self._set_aside()
            return Settings()
        return Settings(**{name: content[name] for name, is_fit in _FIT.items() if is_fit(content.get(name))})

    def _set_aside(self) -> None:
        try:
            self._path.replace(self._path.with_suffix(".damaged.json"))
        except OSError as error:
            _log.info("the damaged settings could not be set aside: %s", error)


def _is_text(value: object) -> bool:
    """Return whether `value` is text as this program writes it; JSON may hold half of a character."""
    return isinstance(value, str) and value.isascii()


def _is_number(value: object, least: float, most: float) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and least <= value <= most


_FIT: dict[str, Callable[[object], bool]] = {
    "theme": lambda value: value in THEMES,
    "language": lambda value: value in LANGUAGES,
    "text_size": lambda value: _is_number(value, SMALLEST_TEXT, LARGEST_TEXT),
    "device": _is_text,
    "restores_session": lambda value: isinstance(value, bool),
    "n_recents": lambda value: isinstance(value, int) and _is_number(value, 0, MOST_RECENTS),
    "memory_gb": lambda value: isinstance(value, int) and _is_number(value, 1, MOST_MEMORY_GB),
    "geometry": _is_text,
    "layout": _is_text,
    "shows_predictions": lambda value: isinstance(value, bool),
}
