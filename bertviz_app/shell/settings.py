"""The user's preferences, and theme, language, text size and motion as chosen or as the system has them."""

from __future__ import annotations

import ctypes
import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from PySide6.QtCore import (
    QT_TRANSLATE_NOOP,
    SLOT,
    QLibraryInfo,
    QLocale,
    QObject,
    QSettings,
    Qt,
    QTranslator,
    Signal,
    Slot,
)
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QApplication, QStyle

from bertviz_app import paths
from bertviz_app.json_store import JsonFile, decode_or_keep
from bertviz_app.values import asdict, dataclass
from bertviz_app.views.kit.look import Look, Palette, style_sheet

if TYPE_CHECKING:
    from PySide6.QtDBus import QDBusConnection, QDBusMessage, QDBusPendingCallWatcher

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


_SERVICE, _PATH = "org.freedesktop.portal.Desktop", "/org/freedesktop/portal/desktop"
_INTERFACE = "org.freedesktop.portal.Settings"
_KEYS = {
    ("org.freedesktop.appearance", "reduced-motion"): 1,
    ("org.gnome.desktop.interface", "enable-animations"): 0,
}
"""The settings that are read, each with the value that means reduced motion: the key of all desktops, which
older ones lack, and GNOME's own."""
_PATIENCE_MS = 5000


class DesktopMotion(QObject):
    """Reads the setting once, without blocking, and follows its later changes.

    GNOME's own switch is in a database that only its libraries read: the portal is the way of other programs.
    A desktop without a portal changes nothing.
    """

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.is_reduced = False
        self._answers: dict[tuple[str, str], bool] = {}
        self._bus: QDBusConnection | None = None
        self._calls: dict[QDBusPendingCallWatcher, tuple[str, str]] = {}

    @property
    def is_waiting(self) -> bool:
        """Whether an answer is outstanding."""
        return bool(self._calls)

    def ask_desktop(self) -> None:
        """Ask the portal of the desktop that the program runs in, the first time."""
        if self._bus is not None or sys.platform != "linux":
            return
        # Without a session bus Qt would start one; an empty address is none.
        address, folder = os.environ.get("DBUS_SESSION_BUS_ADDRESS"), os.environ.get("XDG_RUNTIME_DIR")
        if address == "" or (address is None and not (folder is not None and Path(folder, "bus").exists())):
            return
        from PySide6.QtDBus import QDBusConnection

        self.ask(QDBusConnection.sessionBus(), _SERVICE)

    def ask(self, bus: QDBusConnection, service: str) -> None:
        """Ask `service` on `bus`, and follow it."""
        from PySide6.QtDBus import QDBusMessage, QDBusPendingCallWatcher

        self._bus = bus
        slot: Any = SLOT("_on_setting_changed(QDBusMessage)")  # typed as bytes, which it refuses
        bus.connect(service, _PATH, _INTERFACE, "SettingChanged", self, slot)
        for key in _KEYS:
            message = QDBusMessage.createMethodCall(service, _PATH, _INTERFACE, "Read")
            message.setArguments(list(key))
            call = QDBusPendingCallWatcher(bus.asyncCall(message, _PATIENCE_MS), self)
            self._calls[call] = key
            call.finished.connect(self._on_answered)

    @Slot("QDBusPendingCallWatcher*")
    def _on_answered(self, call: QDBusPendingCallWatcher) -> None:
        key = self._calls.pop(call)
        call.deleteLater()
        if not call.isError():
            self._note(key, call.reply().arguments())

    @Slot("QDBusMessage")
    def _on_setting_changed(self, message: QDBusMessage) -> None:
        namespace, name, *value = message.arguments()
        self._note((namespace, name), value)

    def _note(self, key: tuple[str, str], arguments: list[Any]) -> None:
        """Take over one value; others than the two known ones are ignored."""
        from PySide6.QtDBus import QDBusVariant

        value = arguments[0] if arguments else None
        while isinstance(value, QDBusVariant):  # the portal puts one into another
            value = value.variant()
        if key not in _KEYS or not isinstance(value, int):
            return
        self._answers[key] = int(value) == _KEYS[key]
        is_reduced = any(self._answers.values())
        if is_reduced != self.is_reduced:
            self.is_reduced = is_reduced
            self.changed.emit()


TRANSLATED = ("ko",)
"""The languages besides English that there are words of."""
LACKING: tuple[object, ...] = (
    QT_TRANSLATE_NOOP("QFileDialog", "&Look in:"),
    QT_TRANSLATE_NOOP("QFileDialog", "Files of &type:"),
)
"""Texts that Qt's own translation leaves in English; the program's translation, installed last, has them."""


def language_of(application: QApplication) -> Language:
    """Return what chooses the language of the application."""
    return application.findChild(Language) or Language(application)


class Language(QObject):
    """Installs and removes translators; Qt sends every widget a LanguageChange event each time."""

    def __init__(self, application: QApplication) -> None:
        super().__init__(application)
        self._application = application
        self._translators: list[QTranslator] = []
        self.chosen = "en"

    @property
    def name(self) -> str:
        """The language in force: "en" or "ko"."""
        if self.chosen != "system":
            return self.chosen
        name = QLocale.system().name().partition("_")[0]
        return name if name in TRANSLATED else "en"

    def choose(self, chosen: str) -> None:
        """Use "en", "ko", or the language of the "system" where there is a translation, else English."""
        before = self.name if self._translators else "en"
        self.chosen = chosen
        if self.name == before:
            return
        for translator in self._translators:
            self._application.removeTranslator(translator)
            translator.deleteLater()
        self._translators = []
        # The words of Qt's own dialogs, as far as they came with it, and the program's.
        qt = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
        files = (qt, "qtbase"), (str(paths.resources() / "translations"), "bertviz_app")
        for folder, file in files if self.name != "en" else ():
            translator = QTranslator(self)
            if translator.load(f"{file}_{self.name}", folder):
                self._translators.append(translator)
                self._application.installTranslator(translator)


def reduces_motion(chosen: str, application: QApplication) -> bool:
    """Return whether nothing may move by itself: "reduced", "full", or what the "system" is set to."""
    return system_reduces_motion(application) if chosen == "system" else chosen == "reduced"


def system_reduces_motion(application: QApplication) -> bool:
    """Return what the system is set to: by its own setting on Windows and macOS, else by KDE's or GTK's.

    The style of Qt counts, too; the one of this program, Fusion, always animates. What GNOME and other
    desktops answer when they are asked is in `desktop_motion`.
    """
    if sys.platform == "win32":
        animates = ctypes.c_int(1)
        libraries: Any = ctypes
        # 0x1042: SPI_GETCLIENTAREAANIMATION
        libraries.windll.user32.SystemParametersInfoW(0x1042, 0, ctypes.byref(animates), 0)
        return not animates.value
    if sys.platform == "darwin":
        stored = QSettings("com.apple", "universalaccess").value("reduceMotion", False)
        return str(stored).lower() in ("true", "1")
    if application.style().styleHint(QStyle.StyleHint.SH_Widget_Animation_Duration) == 0:
        return True
    folder = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    speed = _stored(folder / "kdeglobals", "KDE/AnimationDurationFactor")
    switches = [
        _stored(folder / name / "settings.ini", "Settings/gtk-enable-animations")
        for name in ("gtk-3.0", "gtk-4.0")
    ]
    return bool(re.fullmatch(r"0*(\.0*)?", speed or "1") or {"0", "false"} & set(switches))


def _stored(path: Path, key: str) -> str:
    """Return a value of a file of settings; "" where it is not set."""
    return str(QSettings(str(path), QSettings.Format.IniFormat).value(key, "")).lower()


def read_palette(name: str) -> Palette:
    """Return the colours of the theme "light" or "dark"."""
    return Palette.read(paths.resources() / "themes" / f"{name}.json")


_ROLES = {
    QPalette.ColorRole.Window: "window",
    QPalette.ColorRole.Base: "card",
    QPalette.ColorRole.AlternateBase: "raised",
    QPalette.ColorRole.Button: "raised",
    QPalette.ColorRole.WindowText: "text",
    QPalette.ColorRole.Text: "text",
    QPalette.ColorRole.ButtonText: "text",
    QPalette.ColorRole.ToolTipBase: "raised",
    QPalette.ColorRole.ToolTipText: "text",
    QPalette.ColorRole.PlaceholderText: "secondary",
    QPalette.ColorRole.Highlight: "accent",
    QPalette.ColorRole.HighlightedText: "on_accent",
    QPalette.ColorRole.Link: "accent",
}
"""The colours for what no style sheet reaches, such as file dialogs."""


class Theme(QObject):
    """Applies a theme to the look and to the application.

    Choose after the window is built: every widget added under a style sheet is styled at once, and the
    whole window again when it is shown.
    """

    def __init__(self, application: QApplication, look: Look) -> None:
        super().__init__(application)
        self.application, self._look = application, look
        self.chosen = "system"
        self._is_on = False
        self._before = application.palette(), application.styleSheet()
        look.changed.connect(self._on_look_changed)
        application.styleHints().colorSchemeChanged.connect(self._on_system_changed)

    def choose(self, chosen: str) -> None:
        """Use "light", "dark", or whatever the "system" uses."""
        self.chosen = chosen
        self._is_on = False
        if self.name != self._look.palette.name:
            self._look.set_palette(read_palette(self.name))
        palette = QPalette()
        for role, name in _ROLES.items():
            palette.setColor(role, QColor(self._look.colour(name)))
        self.application.setPalette(palette)
        self._is_on = True
        self._on_look_changed()

    def remove(self) -> None:
        """Give the application the colours and style that it had before, and leave it alone from now on."""
        self._is_on = False
        self._look.changed.disconnect(self._on_look_changed)
        self.application.styleHints().colorSchemeChanged.disconnect(self._on_system_changed)
        palette, sheet = self._before
        self.application.setPalette(palette)
        self.application.setStyleSheet(sheet)
        self.deleteLater()

    @property
    def name(self) -> str:
        """The theme in force: "light" or "dark"."""
        if self.chosen != "system":
            return self.chosen
        return "dark" if self.application.styleHints().colorScheme() == Qt.ColorScheme.Dark else "light"

    @Slot()
    def _on_look_changed(self) -> None:
        """Style the ordinary widgets anew; the others paint themselves."""
        # A picture may be drawn in other colours for a moment; styling the whole window takes long.
        if self._is_on and self._look.palette.name == self.name:
            sheet = style_sheet(self._look)
            if sheet != self.application.styleSheet():
                self.application.setStyleSheet(sheet)

    @Slot()
    def _on_system_changed(self) -> None:
        if self.chosen == "system":
            self.choose("system")


_STEP = 0.1
_PROJECTED, _PIXELS_OF_IT, _LEAST_PROJECTED = 1.5, 1080, 1.1
"""How much larger everything is in a presentation on so many lines; on fewer it is less, so that it fits."""
_WORD = 19.0
"""The least size of a word there, before it is enlarged like the rest: 28 pixels of 1,080 lines."""


class Appearance(QObject):
    """Applies each choice at once and saves it."""

    changed = Signal()
    language_changed = Signal()

    def __init__(self, look: Look, theme: Theme, store: SettingsStore) -> None:
        super().__init__(theme)
        self._look, self._theme, self._store = look, theme, store
        self._language = language_of(theme.application)
        self._projected: float | None = None
        self.desktop_motion = DesktopMotion(self)
        self.desktop_motion.changed.connect(self._apply_motion)

    def restore(self) -> None:
        """Apply what the settings have."""
        self._draw()
        self._choose(self._store.settings.language)
        self._apply_motion()

    @property
    def language(self) -> str:
        """The language in force: "en" or "ko"."""
        return self._language.name

    @property
    def text_size(self) -> float:
        """The text size in force, 1 for the default: a presentation has its own."""
        settings = self._store.settings
        return settings.text_size if self._projected is None else settings.presented_text_size

    def _draw(self) -> None:
        """Draw texts as large as they are chosen, and the words of a presentation for the last row."""
        if self._projected is None:
            self._look.set_scale(self.text_size)
        else:
            self._look.set_scale(self.text_size * self._projected, least_word=_WORD)

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
        self._choose(chosen)
        self.changed.emit()

    def _choose(self, chosen: str) -> None:
        before = self.language
        self._language.choose(chosen)
        if self.language != before:
            self.language_changed.emit()

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
        self._look.set_motion(is_reduced=of_desktop or reduces_motion(chosen, self._theme.application))

    def set_text_size(self, size: float) -> None:
        """Draw every text of the ordinary window `size` times as large as normal, from now on."""
        self._set_size("text_size", size)

    def larger(self) -> None:
        """Choose the next larger text size, of the presentation if there is one."""
        self._set_size_here(self.text_size + _STEP)

    def smaller(self) -> None:
        """Choose the next smaller text size, of the presentation if there is one."""
        self._set_size_here(self.text_size - _STEP)

    def reset_size(self) -> None:
        """Draw texts as large as normal again, in the presentation if there is one."""
        self._set_size_here(1)

    def _set_size_here(self, size: float) -> None:
        self._set_size("text_size" if self._projected is None else "presented_text_size", size)

    def _set_size(self, name: str, size: float) -> None:
        self._store.change(**{name: round(min(max(size, SMALLEST_TEXT), LARGEST_TEXT), 2)})
        self._draw()
        self.changed.emit()

    def set_projected(self, height: int | None) -> None:
        """Draw everything larger still, for a projector of `height` lines; None ends it."""
        factor = None if height is None else _PROJECTED * height / _PIXELS_OF_IT
        self._projected = None if factor is None else min(max(factor, _LEAST_PROJECTED), _PROJECTED)
        self._draw()
