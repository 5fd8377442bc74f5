"""Numbers drawn by their glyphs look like texts, and are texts in files."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QTextLayout

from bertviz_app.views.kit.look import Look
from bertviz_app.views.steps.sheets.strips import NumberGlyphs

_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_NUMBERS = ("0.123", "−1.500", "12.34", "−∞", "–", "1234")


@pytest.mark.parametrize("ratio", [1.0, 1.5, 2.0])
@pytest.mark.parametrize("pixels", [11.5, 12])
@pytest.mark.parametrize("extra", ["", "nan"])
def test_numbers_have_the_same_pixels_as_texts(look: Look, ratio: float, pixels: float, extra: str) -> None:
    """Also among them one with letters that are not known as parts of numbers."""
    texts = [*_NUMBERS, extra]
    boxes = [QRectF(3.37, 4 + 21.3 * row, 60.2, 20.3) for row in range(len(texts))]
    images = []
    for by_glyphs in (False, True):
        image = QImage(round(80 * ratio), round(160 * ratio), QImage.Format.Format_RGB32)
        image.setDevicePixelRatio(ratio)
        image.fill(Qt.GlobalColor.white)
        painter = QPainter(image)
        painter.setPen(QColor("#123456"))
        painter.setFont(look.number_font(pixels))
        if by_glyphs:
            NumberGlyphs(look.number_font(pixels)).draw(painter, zip(boxes, texts, strict=True))
        else:
            for box, text in zip(boxes, texts, strict=True):
                painter.drawText(box, _RIGHT, text)
        painter.end()
        images.append(np.frombuffer(image.constBits(), np.uint8).astype(int))
    assert images[0].min() < 100  # something is written
    np.testing.assert_array_equal(images[0], images[1])


def test_a_look_without_one_font_for_all_characters_writes_texts(
    look: Look, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(QTextLayout, "glyphRuns", lambda _: [])
    glyphs = NumberGlyphs(look.number_font(12))
    image = QImage(80, 30, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    painter = QPainter(image)
    glyphs.draw(painter, [(QRectF(0, 0, 70, 24), "0.5")])
    painter.end()
    assert np.frombuffer(image.constBits(), np.uint8).reshape(-1, 4)[:, :3].min() < 128
