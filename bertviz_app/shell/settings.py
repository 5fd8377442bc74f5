"""What the program remembers of a user's preferences: a small JSON file that may be damaged or old."""

from __future__ import annotations

import json
import logging
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path

from bertviz_app.errors import AppError
from bertviz_app.paths import replacing

_log = logging.getLogger(__name__)

THEMES = ("system", "light", "dark")
VERSION = 1


@dataclass(frozen=True)
class Settings:
    """Preferences. `theme` is one of THEMES; `geometry` is Qt's own, in base64."""

    theme: str = "system"
    geometry: str = ""


class SettingsStore:
    """Reads and writes the file. What cannot be used falls back to its default; the file is set aside."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.settings = self._read()

    def change(self, **changes: str) -> None:
        """Change some settings and write the file; a file that cannot be written is only logged."""
        self.settings = replace(self.settings, **changes)
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
        names = {field.name for field in fields(Settings)}
        kept = {name: value for name, value in content.items() if name in names and _is_usable(value)}
        if kept.get("theme") not in THEMES:
            kept.pop("theme", None)
        return Settings(**kept)

    def _set_aside(self) -> None:
        try:
            self._path.replace(self._path.with_suffix(".damaged.json"))
        except OSError as error:
            _log.info("the damaged settings could not be set aside: %s", error)


def _is_usable(value: object) -> bool:
    """Return whether `value` is text as this program writes it; JSON may hold half of a character."""
    return isinstance(value, str) and value.isascii()
