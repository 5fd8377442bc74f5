"""Says where a window opens here: `python -m bertviz_app.shell.screen`, a process of its own."""

from __future__ import annotations

import sys

from PySide6.QtGui import QGuiApplication


def main() -> int:
    """Print Qt's platform, and the size and scale of the screen; without one Qt ends the process."""
    application = QGuiApplication(["bertviz-app"])
    screen = application.primaryScreen()
    size, scale = screen.size(), screen.devicePixelRatio()
    sys.stdout.write(f"{application.platformName()}, {size.width()} x {size.height()}, scale {scale:g}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
