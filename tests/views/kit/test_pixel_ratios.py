"""Drawing on screens with more pixels than Qt's: copies of `cached_picture`, thin lines, strips and chips."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter

from bertviz_app.viewmodels.axis import Axis
from bertviz_app.viewmodels.viewport import Span
from bertviz_app.views.attention.lines_image import Brush
from bertviz_app.views.kit.cached_picture import CachedTexts, painted
from bertviz_app.views.kit.look import Look
from bertviz_app.views.steps.sheets.strips import Ink
from bertviz_app.views.tokens.chip import Chip, draw_chip
from bertviz_app.views.tokens.chip_pictures import ChipPictures

RATIOS = pytest.mark.parametrize("ratio", [1.0, 1.5, 2.0])
WHITE = 0xFFFFFF

pytestmark = pytest.mark.usefixtures("qapp")


def _screen(ratio: float, width: int = 120, height: int = 60) -> QImage:
    image = QImage(round(width * ratio), round(height * ratio), QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(ratio)
    image.fill(Qt.GlobalColor.white)
    return image


def _drawn(ratio: float, draw: Callable[[QPainter], None]) -> NDArray[np.uint32]:
    """Return the pixels of a screen on which `draw` has painted."""
    image = _screen(ratio)
    painter = QPainter(image)
    try:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        draw(painter)
    finally:
        painter.end()
    return _pixels(image)


def _pixels(image: QImage) -> NDArray[np.uint32]:
    words = np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), -1)
    return (words[:, : image.width()] & np.uint32(WHITE)).copy()


@RATIOS
def test_a_picture_has_every_pixel_of_the_room_that_it_covers(ratio: float) -> None:
    room = QRectF(-3.5, -2.5, 21, 11)
    picture = painted(room, ratio, lambda painter: painter.fillRect(room, QColor("black")))
    inked = _drawn(ratio, lambda painter: painter.drawPixmap(QPointF(10, 10), picture)) != WHITE
    assert picture.devicePixelRatio() == ratio
    assert inked.any(axis=1).sum() >= 11 * ratio
    assert inked.any(axis=0).sum() >= 21 * ratio


@RATIOS
def test_the_picture_of_a_chip_is_the_chip(look: Look, ratio: float) -> None:
    box, rows = QRectF(20, 10, 51, 33), [QRectF(20, 12, 51, 15)]
    chip, pictures = Chip(("cat",), "sentence_b"), ChipPictures(look)
    copied = _drawn(ratio, lambda painter: pictures.draw(painter, [(chip, box)], rows))
    drawn = _drawn(ratio, lambda painter: draw_chip(painter, look, chip, box, rows))
    for axis in (0, 1):
        edges = [np.flatnonzero((image != WHITE).any(axis=axis)) for image in (copied, drawn)]
        assert (edges[0][0], edges[0][-1]) == (edges[1][0], edges[1][-1])
    (picture,) = pictures.pictures([(chip, box)], rows, ratio)
    assert picture.width() == math.ceil((box.width() + 4) * ratio), "two pixels around it"
    assert picture.height() == math.ceil((box.height() + 4) * ratio)


@RATIOS
def test_copied_texts_are_on_the_pixels_of_the_screen(look: Look, ratio: float) -> None:
    """A text at 10 2/3 of Qt's pixels is moved by at most half a pixel of the screen, not of Qt's."""
    at, square, texts = QPointF(10 + 2 / 3, 20 + 2 / 3), QRectF(0, 0, 8, 8), CachedTexts(look)
    write = [(at, "square", lambda painter: painter.fillRect(square, QColor("black")))]
    drawn = _drawn(ratio, lambda painter: texts.frame(painter).draw(square, write))
    inked = drawn != WHITE
    left, top = int(np.flatnonzero(inked.any(axis=0))[0]), int(np.flatnonzero(inked.any(axis=1))[0])
    assert (left, top) == (int(at.x() * ratio + 0.5), int(at.y() * ratio + 0.5))
    assert set(np.unique(drawn)) == {0, WHITE}, "no pixel is half covered"


@RATIOS
def test_a_wide_faint_line_covers_as_much_on_every_screen(ratio: float) -> None:
    axis = Axis(Span(0, 4), 0.0, 60.0)
    brush = Brush(axis, axis, 10, 110, (QColor("black"),), (False,))
    covered = []
    for is_exact in (True, False):
        draw = partial(brush.draw_curve, ends=(1, 1), strength=(0.2, 3.0), paint=0, is_exact=is_exact)
        column = 255.0 - (_drawn(ratio, draw)[:, round(60 * ratio)] & 0xFF)
        covered.append((column.sum() / ratio, (column > 2).sum() / ratio))
    (exact, exact_width), (quick, quick_width) = covered
    assert quick == pytest.approx(exact, rel=0.45)
    assert quick_width == pytest.approx(exact_width, abs=1.01)


@RATIOS
def test_a_strip_has_a_colour_for_every_pixel_of_the_screen(look: Look, ratio: float) -> None:
    box = QRectF(10, 10, 100, 20)
    n_pixels = round(box.width() * ratio)
    values = np.tile(np.array([1.0, -1.0], np.float32), 2 * n_pixels)
    values[::4] *= 2  # of four numbers for each pixel the largest, each second one of the other sign
    values[2::8] = -3
    drawn = _drawn(ratio, lambda painter: Ink(look).draw_strip(painter, box, values, 3.0))
    row = drawn[round(20 * ratio), round(10 * ratio) : round(110 * ratio)]
    assert (row[1:] != row[:-1]).all(), "each pixel has another colour than the one before it"
