"""`SettingsStore`: the user's preferences, in a small JSON file that may be damaged or old."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from bertviz_app.json_store import JsonFile, decode_or_keep
from bertviz_app.values import asdict, dataclass

ThemeChoice = Literal["system", "light", "dark"]
LanguageChoice = Literal["system", "en", "ko"]
MotionChoice = Literal["system", "full", "reduced"]
RoomChoice = Literal["learn", "explore", "research"]
SMALLEST_TEXT, LARGEST_TEXT = 0.8, 2.0
MOST_RECENTS = 100
MOST_MEMORY_GB = 1024
VERSION = 1

Value = str | float | bool | tuple[str, ...]


@dataclass(frozen=True)
class Settings:
    """Preferences. Raises ValueError for a number out of its range.

    `text_size` multiplies the size of every text, `presented_text_size` in a presentation; `device` is the
    one that a window starts with; open checkpoints take at most `memory_gb`; `geometry` and `layout` are
    Qt's own, in base64; `shows_predictions` is whether that section of the inspector is open;
    `lessons_folder` has the user's own lessons, "" for the usual one. `room` is the one that was left last;
    `explore_cards` are the cards that Explore shows beside its picture. `opens_on_pair`: a sentence that is
    typed on the start page opens on its most specific pair of words.
    """

    theme: ThemeChoice = "system"
    language: LanguageChoice = "system"
    motion: MotionChoice = "system"
    text_size: float = 1.0
    presented_text_size: float = 1.0
    device: str = "auto"
    restores_session: bool = True
    n_recents: int = 20
    memory_gb: int = 4
    geometry: str = ""
    layout: str = ""
    shows_predictions: bool = True
    lessons_folder: str = ""
    room: RoomChoice = "research"
    explore_cards: tuple[str, ...] = ("inspector",)
    opens_on_pair: bool = True

    def __post_init__(self) -> None:
        for name, least, most in (
            ("text_size", SMALLEST_TEXT, LARGEST_TEXT),
            ("presented_text_size", SMALLEST_TEXT, LARGEST_TEXT),
            ("n_recents", 0, MOST_RECENTS),
            ("memory_gb", 1, MOST_MEMORY_GB),
        ):
            if not least <= getattr(self, name) <= most:
                raise ValueError(f"{name} is {getattr(self, name)}, not from {least} to {most}")


class SettingsStore:
    """Reads the settings once and writes them at each change. A value that does not fit has its default."""

    def __init__(self, path: Path) -> None:
        self._file = JsonFile(path, VERSION)
        self.is_first = not path.is_file()
        """Whether the program has never been used here."""
        self.settings = decode_or_keep(Settings(), self._file.read())

    @property
    def folder(self) -> Path:
        """Where the file is; other small files of the program lie beside it."""
        return self._file.path.parent

    def change(self, **changes: Value) -> None:
        """Change some settings and write the file; a file that cannot be written is only logged."""
        self.settings = Settings(**{**asdict(self.settings), **changes})
        self._file.write(asdict(self.settings))
