"""How numbers and labels are written and drawn, also on screens with more pixels than Qt's."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter

from bertviz_app.features.steps.views.sheets.sheet import StripPainter
from bertviz_app.views.kit import words as numbers
from bertviz_app.views.kit.canvas import CachedTexts, painted
from bertviz_app.views.kit.labels import Labels
from bertviz_app.views.kit.look import Look

_FORMATS = (numbers.fixed, numbers.trimmed, numbers.general, numbers.signed, numbers.cell_number)
TEXTS = ("[CLS]", "gyp", "뱃", "{jQ}")


def _inked(look: Look, labels: Labels, number: int) -> tuple[int, int]:
    """Return the first and the last row of pixels that a label inks, from its middle."""
    image = QImage(120, 60, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    painter = QPainter(image)
    box = QRectF(10, 30 - labels.height / 2, 100, labels.height)
    labels.draw(painter, number, box, Qt.AlignmentFlag.AlignLeft, is_highlighted=True)
    painter.end()
    words = np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), -1) & np.uint32(0xFFFFFF)
    rows = np.flatnonzero((words != 0xFFFFFF).any(axis=1))
    return int(rows[0]) - 30, int(rows[-1]) - 30


RATIOS = pytest.mark.parametrize("ratio", [1.5])
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


@given(st.floats(-1e6, 1e6))
def test_no_format_has_a_hyphen_for_a_minus_sign(value: float) -> None:
    for written in (form(value) for form in _FORMATS):
        assert "-" not in written
        nearly = max(0.006, abs(value) * 1e-3)
        assert abs(float(written.replace("−", "-")) - value) <= nearly


@pytest.mark.parametrize(
    ("value", "fixed", "signed", "cell"),
    [
        (-0.12345, "−0.1235", "−0.12", "−0.123"),
        (-0.00004, "0.0000", "−4.0e−05", "0.000"),
        (-1234.4, "−1234.4000", "−1234.40", "−1234"),
        (-math.inf, "−∞", "−∞", "−∞"),
        (math.nan, "–", "–", "–"),
    ],
)
def test_a_number_reads_so(value: float, fixed: str, signed: str, cell: str) -> None:
    written = (numbers.fixed(value), numbers.signed(value), numbers.cell_number(value))
    assert written == (fixed, signed, cell)


@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_an_exact_number_is_read_back_as_the_same(value: float) -> None:
    written = numbers.exact(np.float32(value))
    assert np.float32(written.replace("−", "-")) == np.float32(value)


def test_numbers_in_little_room_are_short_and_not_called_zero() -> None:
    # a small weight or probability is not called zero
    weights = [numbers.cell_weight(weight) for weight in (0.0, 0.004, 0.006, 1.0)]
    assert weights == ["0.00", "<.01", "0.01", "1.00"]
    probabilities = [numbers.probability(value) for value in (0.0, 2.4e-6, -2e-6, 0.125)]
    assert probabilities == ["0.0000", "2e−06", "−2e−06", "0.1250"]
    # a difference in a cell has its sign
    written = [numbers.cell_difference(difference) for difference in (0.0, 0.004, 0.25, -0.25)]
    assert written == ["0", "0", "+0.25", "−0.25"]
    # a measure in a cell has the fewest characters
    values = (0, 0.004, 0.52, 0.994, 0.996, 2.04, 99.4, 100)
    written = [numbers.cell_measure(value) for value in values]
    assert written == [".00", ".00", ".52", ".99", "1.0", "2.0", "99.4", "100"]
    # zeros at the end are trimmed after a point only
    written = [numbers.trimmed(value) for value in (0.25, 10.0, 0.0, 0.12345)]
    assert written == ["0.25", "10", "0", "0.1235"]


@pytest.mark.parametrize("number", [0, 3])
def test_labels_below_each_other_do_not_touch(look: Look, number: int) -> None:
    labels = Labels(look, TEXTS)
    top, bottom = _inked(look, labels, number)
    assert bottom - top + 1 <= labels.height


@RATIOS
def test_a_picture_has_every_pixel_of_the_room_that_it_covers(ratio: float) -> None:
    room = QRectF(-3.5, -2.5, 21, 11)
    picture = painted(room, ratio, lambda painter: painter.fillRect(room, QColor("black")))
    inked = _drawn(ratio, lambda painter: painter.drawPixmap(QPointF(10, 10), picture)) != WHITE
    assert picture.devicePixelRatio() == ratio
    assert inked.any(axis=1).sum() >= 11 * ratio
    assert inked.any(axis=0).sum() >= 21 * ratio


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
def test_a_strip_has_a_colour_for_every_pixel_of_the_screen(look: Look, ratio: float) -> None:
    box = QRectF(10, 10, 100, 20)
    n_pixels = round(box.width() * ratio)
    values = np.tile(np.array([1.0, -1.0], np.float32), 2 * n_pixels)
    values[::4] *= 2  # of four numbers for each pixel the largest, each second one of the other sign
    values[2::8] = -3
    drawn = _drawn(ratio, lambda painter: StripPainter(look).draw_strip(painter, box, values, 3.0))
    row = drawn[round(20 * ratio), round(10 * ratio) : round(110 * ratio)]
    assert (row[1:] != row[:-1]).all(), "each pixel has another colour than the one before it"
