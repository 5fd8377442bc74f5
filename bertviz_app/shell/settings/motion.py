"""Whether the system's user wants little to move on the screen."""

from __future__ import annotations

import ctypes
import sys
from typing import Any

from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication, QStyle

_GET_CLIENT_AREA_ANIMATION = 0x1042  # Windows: SPI_GETCLIENTAREAANIMATION


def reduces_motion(chosen: str, application: QApplication) -> bool:
    """Return whether nothing may move by itself: "reduced", "full", or what the "system" is set to."""
    return system_reduces_motion(application) if chosen == "system" else chosen == "reduced"


def system_reduces_motion(application: QApplication) -> bool:
    """Return what the system is set to: by its own setting on Windows and macOS, else by Qt's style.

    Styles of Linux desktops have an animation time of 0 where animations are switched off.
    """
    if sys.platform == "win32":
        return not _windows_animates()
    if sys.platform == "darwin":
        stored = QSettings("com.apple", "universalaccess").value("reduceMotion", False)
        return str(stored).lower() in ("true", "1")
    return application.style().styleHint(QStyle.StyleHint.SH_Widget_Animation_Duration) == 0


def _windows_animates() -> bool:
    animates = ctypes.c_int(1)
    libraries: Any = ctypes
    libraries.windll.user32.SystemParametersInfoW(_GET_CLIENT_AREA_ANIMATION, 0, ctypes.byref(animates), 0)
    return bool(animates.value)
