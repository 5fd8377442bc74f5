"""Whether the system's user wants little to move on the screen."""

from __future__ import annotations

import ctypes
import os
import re
import sys
from pathlib import Path
from typing import Any

from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication, QStyle

_GET_CLIENT_AREA_ANIMATION = 0x1042  # Windows: SPI_GETCLIENTAREAANIMATION


def reduces_motion(chosen: str, application: QApplication) -> bool:
    """Return whether nothing may move by itself: "reduced", "full", or what the "system" is set to."""
    return system_reduces_motion(application) if chosen == "system" else chosen == "reduced"


def system_reduces_motion(application: QApplication) -> bool:
    """Return what the system is set to: by its own setting on Windows and macOS, else by KDE's or GTK's.

    The style of Qt counts, too; the one of this program, Fusion, always animates. What GNOME and other
    desktops answer when they are asked is in `desktop_motion`.
    """
    if sys.platform == "win32":
        return not _windows_animates()
    if sys.platform == "darwin":
        stored = QSettings("com.apple", "universalaccess").value("reduceMotion", False)
        return str(stored).lower() in ("true", "1")
    is_still = application.style().styleHint(QStyle.StyleHint.SH_Widget_Animation_Duration) == 0
    return is_still or not _desktop_animates()


def _desktop_animates() -> bool:
    """Return whether the files of settings of KDE and GTK let things move."""
    folder = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    speed = _stored(folder / "kdeglobals", "KDE/AnimationDurationFactor")
    switches = [
        _stored(folder / name / "settings.ini", "Settings/gtk-enable-animations")
        for name in ("gtk-3.0", "gtk-4.0")
    ]
    return not re.fullmatch(r"0*(\.0*)?", speed or "1") and not {"0", "false"} & set(switches)


def _stored(path: Path, key: str) -> str:
    """Return a value of a file of settings; "" where it is not set."""
    return str(QSettings(str(path), QSettings.Format.IniFormat).value(key, "")).lower()


def _windows_animates() -> bool:
    animates = ctypes.c_int(1)
    libraries: Any = ctypes
    libraries.windll.user32.SystemParametersInfoW(_GET_CLIENT_AREA_ANIMATION, 0, ctypes.byref(animates), 0)
    return bool(animates.value)
