"""`Appearance`: theme, language, text size and motion, applied to the application and saved."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal, Slot

from bertviz_app.shell.settings.desktop_motion import DesktopMotion
from bertviz_app.shell.settings.language import Language
from bertviz_app.shell.settings.motion import reduces_motion
from bertviz_app.shell.settings.store import LARGEST_TEXT, SMALLEST_TEXT, SettingsStore
from bertviz_app.shell.settings.theme import Theme
from bertviz_app.views.kit.look import Look

_STEP = 0.1
_PROJECTED, _PIXELS_OF_IT, _LEAST_PROJECTED = 1.5, 1080, 1.1
"""How much larger everything is in a presentation on so many lines; on fewer it is less, so that it fits."""


class Appearance(QObject):
    """Applies each choice at once and saves it."""

    changed = Signal()

    def __init__(self, look: Look, theme: Theme, store: SettingsStore) -> None:
        super().__init__(theme)
        self._look = look
        self._theme = theme
        self._store = store
        self._language = Language(theme.application)
        self._projected = 1.0
        self.desktop_motion = DesktopMotion(self)
        self.desktop_motion.changed.connect(self._apply_motion)

    def restore(self) -> None:
        """Apply what the settings have."""
        self._look.set_scale(self._scale)
        self._language.choose(self._store.settings.language)
        self._apply_motion()

    @property
    def language(self) -> str:
        """The language in force: "en" or "ko"."""
        return self._language.name

    @property
    def text_size(self) -> float:
        """The text size, 1 for the default."""
        return self._store.settings.text_size

    @property
    def _scale(self) -> float:
        return self.text_size * self._projected

    def toggle_theme(self) -> None:
        """Switch between light and dark."""
        self.choose_theme("light" if self._theme.name == "dark" else "dark")

    def choose_theme(self, chosen: str) -> None:
        """Use "light", "dark" or the "system"'s theme, from now on."""
        self._theme.choose(chosen)
        self._store.change(theme=chosen)
        self.changed.emit()

    def choose_language(self, chosen: str) -> None:
        """Use "en", "ko" or the language of the "system", from now on."""
        self._store.change(language=chosen)
        self._language.choose(chosen)
        self.changed.emit()

    def choose_motion(self, chosen: str) -> None:
        """Let things move by themselves ("full"), not ("reduced"), or as the "system" is set, from now on."""
        self._store.change(motion=chosen)
        self._apply_motion()
        self.changed.emit()

    @Slot()
    def _apply_motion(self) -> None:
        """Switch animations on or off; the desktop's setting is read the first time that it decides."""
        chosen = self._store.settings.motion
        if chosen == "system":
            self.desktop_motion.ask_desktop()
        of_desktop = chosen == "system" and self.desktop_motion.is_reduced
        is_reduced = of_desktop or reduces_motion(chosen, self._theme.application)
        self._look.set_motion(is_reduced=is_reduced)

    def set_text_size(self, size: float) -> None:
        """Draw every text `size` times as large as normal, from now on."""
        self._store.change(text_size=round(min(max(size, SMALLEST_TEXT), LARGEST_TEXT), 2))
        self._look.set_scale(self._scale)
        self.changed.emit()

    def larger(self) -> None:
        """Choose the next larger text size."""
        self.set_text_size(self.text_size + _STEP)

    def smaller(self) -> None:
        """Choose the next smaller text size."""
        self.set_text_size(self.text_size - _STEP)

    def set_projected(self, height: int | None) -> None:
        """Draw everything larger still, for a projector of `height` lines; None ends it."""
        factor = 1.0 if height is None else _PROJECTED * height / _PIXELS_OF_IT
        self._projected = 1.0 if height is None else min(max(factor, _LEAST_PROJECTED), _PROJECTED)
        self._look.set_scale(self._scale)
