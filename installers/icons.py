"""Draws the program's icon and that of its sessions in every size, from the SVG files beside them.

`python installers/icons.py`, after a change of an SVG.
"""

from __future__ import annotations

import os
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QGuiApplication, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

FOLDER = Path(__file__).resolve().parent.parent / "resources" / "icons" / "application"
SIZES = {
    "bertviz-app": (16, 24, 32, 48, 64, 128, 256, 512),
    "bertviz-session": (16, 32, 48, 64, 128, 256),
}
SMALL = 32
"""Up to this size the program's icon is the drawing with fewer lines."""


def drawing(name: str, size: int) -> Path:
    """Return the SVG that a picture of this size is made of."""
    small = FOLDER / f"{name}-small.svg"
    return small if size <= SMALL and small.exists() else FOLDER / f"{name}.svg"


def drawn(name: str, size: int) -> QImage:
    """Return the icon in this size. Needs a QGuiApplication."""
    image = QImage(size, size, QImage.Format.Format_ARGB32)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    QSvgRenderer(str(drawing(name, size))).render(painter, QRectF(0, 0, size, size))
    painter.end()
    return image


def main() -> None:
    """Write every picture."""
    application = QGuiApplication([])
    for name, sizes in SIZES.items():
        for size in sizes:
            drawn(name, size).save(str(FOLDER / f"{name}-{size}.png"))
    application.quit()


if __name__ == "__main__":
    main()
