"""Wide faint lines made of thin ones look like wide ones; a highlighted token's lines drawn in slices too."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage, QPainter
from pytestqt.qtbot import QtBot

from bertviz_app.viewmodels.axis import Axis
from bertviz_app.viewmodels.viewport import Span
from bertviz_app.views.attention.lines_image import Brush, Frame, HighlightedLines, Stroke, draw_strokes

SIZE = 200


def _brush() -> Brush:
    axis = Axis(Span(0.0, 20.0), 0.0, float(SIZE))
    return Brush(axis, axis, 10.0, SIZE - 10.0, (QColor("#1060c0"), QColor("#c06010")), (False, False))


def _pixels(image: QImage) -> NDArray[np.float64]:
    """Return [height, width, 4] blue, green, red and alpha, premultiplied."""
    return np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.width(), 4).astype(float)


def _curve(ratio: float, ends: tuple[int, int], strength: tuple[float, float], *, is_exact: bool) -> QImage:
    image = Frame((SIZE, SIZE), ratio, QRectF(0, 0, SIZE, SIZE)).transparent_image()
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    _brush().draw_curve(painter, ends, strength, 0, is_exact=is_exact)
    painter.end()
    return image


@pytest.mark.parametrize("ratio", [1.0, 1.5, 2.0])
@pytest.mark.parametrize("width", [0.8, 1.1, 1.5, 2.0, 3.0])
@pytest.mark.parametrize("ends", [(10, 10), (8, 12), (12, 8), (2, 18), (18, 1)])
def test_a_line_of_thin_ones_covers_what_a_wide_one_covers_at_the_same_pixels(
    qtbot: QtBot, ratio: float, width: float, ends: tuple[int, int]
) -> None:
    thin, wide = (
        _pixels(_curve(ratio, ends, (0.5, width), is_exact=is_exact))[:, :, 3] for is_exact in (False, True)
    )
    assert thin.sum() == pytest.approx(wide.sum(), rel=0.3)
    # Averaged over three pixels, which is less than an eye tells apart, no pixel is far from its colour;
    # only the ends, at the labels, are cut at a slant.
    apart = np.abs(_averaged(thin) - _averaged(wide))[:, int(14 * ratio) : int((SIZE - 14) * ratio)]
    assert apart.max() < 0.16 * 255


def _averaged(alpha: NDArray[np.float64]) -> NDArray[np.float64]:
    down = alpha[2:] + alpha[1:-1] + alpha[:-2]
    averaged: NDArray[np.float64] = (down[:, 2:] + down[:, 1:-1] + down[:, :-2]) / 9
    return averaged


def test_in_files_a_line_has_its_true_width(qtbot: QtBot) -> None:
    image = _curve(1.0, (10, 10), (0.5, 3.0), is_exact=True)
    column = _pixels(image)[:, SIZE // 2, 3]
    assert np.count_nonzero(column) in {3, 4}
    assert column.max() == pytest.approx(128, abs=2)


@pytest.mark.parametrize("ratio", [1.0, 1.5, 2.0])
def test_strongest_first_with_the_others_below_is_weakest_first_with_the_others_above(
    qtbot: QtBot, ratio: float
) -> None:
    frame, brush = Frame((SIZE, SIZE), ratio, QRectF(0, 5, SIZE, SIZE - 10)), _brush()
    strokes = [Stroke(10, key, key % 2, 0.9 - 0.04 * key, 3.0 - 0.1 * key, 0.3) for key in range(20)]
    lines = HighlightedLines(frame, brush)
    lines.show(strokes)
    while not lines.is_complete:
        lines.draw_slice(clock=iter([0.0, 9.0]).__next__)  # one batch, then the time is up
    at_once = frame.transparent_image()
    painter = QPainter(at_once)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setClipRect(frame.clip)
    draw_strokes(painter, brush, strokes[::-1], is_exact=False)
    painter.end()
    assert np.abs(_pixels(lines.image) - _pixels(at_once)).max() <= 6  # roundings of 20 lines


def test_other_lines_take_the_place_of_those_before(qtbot: QtBot) -> None:
    frame, brush = Frame((SIZE, SIZE), 1.0, QRectF(0, 0, SIZE, SIZE)), _brush()
    lines, fresh = HighlightedLines(frame, brush), HighlightedLines(frame, brush)
    lines.show([Stroke(3, 15, 0, 0.8, 2.0, 0.0)] * 60)
    for each in (lines, fresh):
        each.show([Stroke(12, 4, 1, 0.8, 2.0, 0.0)])
    assert lines.is_complete
    assert lines.image == fresh.image
    lines.show([])
    empty = frame.transparent_image()
    assert lines.is_complete
    assert lines.image == empty
    assert empty.pixelColor(5, 5).alpha() == 0
