"""Lines that are too faint to be drawn are left out without being looked at; the first slice is short."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter
from pytestqt.qtbot import QtBot

from bertviz_app.viewmodels.axis import Axis
from bertviz_app.viewmodels.viewport import Span
from bertviz_app.views.attention.lines_image import Brush, Frame, LinesImage, Strands

SIZE = 120
FRAME = Frame((SIZE, SIZE), 1.0, QRectF(0, 0, SIZE, SIZE))


def _brush() -> Brush:
    axis = Axis(Span(0.0, 200.0), 0.0, float(SIZE))
    return Brush(axis, axis, 10.0, SIZE - 10.0, (QColor("#1060c0"),), (False,))


def _strands(n_lines: int, largest: float = 1.0) -> Strands:
    rng = np.random.default_rng(0)
    shares = np.sort(rng.random(n_lines) ** 3 * largest).astype(np.float32)
    queries, keys = rng.integers(0, 200, (2, n_lines)).astype(np.int32)
    return Strands(queries, keys, shares, shares, np.zeros(n_lines, np.intp))


def _drawn(lines: Strands, first: int) -> QImage:
    """Return the lines from `first` on, drawn as among all of them."""
    image = FRAME.transparent_image()
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    _brush().draw(painter, lines.part(first, len(lines)), len(lines))
    painter.end()
    return image


@pytest.mark.parametrize("n_lines", [100, 2_000, 12_000, 40_000])
def test_lines_too_faint_to_be_drawn_are_counted_exactly(qtbot: QtBot, n_lines: int) -> None:
    lines = _strands(n_lines)
    n_unseen = _brush().n_unseen(lines)
    assert (n_unseen > 0) == (n_lines > 10_000), "only among many lines is one too faint"
    assert _drawn(lines, n_unseen) == _drawn(lines, 0)
    just_these = FRAME.transparent_image()
    painter = QPainter(just_these)
    _brush().draw(painter, lines.part(n_unseen, n_unseen + 1), n_lines)
    painter.end()
    blank = FRAME.transparent_image()
    blank.fill(Qt.GlobalColor.transparent)
    assert just_these != blank, "the next line is drawn"


def test_an_image_of_lines_that_are_all_too_faint_is_complete_and_empty(qtbot: QtBot) -> None:
    lines = LinesImage(FRAME, _strands(40_000, largest=0.01), _brush())
    assert lines.is_complete
    lines.draw_slice()
    assert lines.image == FRAME.transparent_image()


def test_the_strongest_of_thousands_of_lines_are_there_until_all_are(qtbot: QtBot) -> None:
    strands = _strands(4_000)
    lines = LinesImage(FRAME, strands, _brush())
    assert lines.draw_slice()
    assert lines.image == _drawn(strands, 4_000 - 50), "a few in a frame that draws all else, too"
    assert not lines.may_wait
    assert lines.draw_slice()
    strongest = _drawn(strands, 4_000 - 150)
    assert lines.image == strongest
    assert lines.may_wait
    has_changed = False
    while not has_changed:
        assert lines.image == strongest
        has_changed = lines.draw_slice()
    assert lines.is_complete
    difference = np.abs(_channels(lines.image) - _channels(_drawn(strands, 0)))
    assert difference.max() <= 8, "each line is rounded to 255 steps"
    assert difference.mean() < 1


def test_the_strongest_of_a_new_picture_are_there_at_once(qtbot: QtBot) -> None:
    strands = _strands(4_000)
    lines = LinesImage(FRAME, strands, _brush(), at_once=0.004)
    assert lines.draw_slice()
    assert lines.image == _drawn(strands, 4_000 - 150)
    assert lines.may_wait


def test_a_slice_of_the_other_lines_lasts_two_milliseconds(qtbot: QtBot) -> None:
    lines = LinesImage(FRAME, _strands(40_000), _brush(), at_once=0.004)
    lines.draw_slice()
    for _ in range(2):
        ticks = itertools.count()

        def clock(ticks: itertools.count[int] = ticks) -> float:
            return next(ticks) * 0.0005

        assert not lines.draw_slice(clock)
        assert next(ticks) - 1 == 4, "a batch takes half a millisecond"
    assert not lines.is_complete


def test_the_first_slice_has_six_curves_at_most(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    """A frame that zooms draws all else, too, and a strong curve takes a quarter of a millisecond."""
    drawn: list[tuple[int, int]] = []
    draw_curve = Brush.draw_curve

    def counted(brush: Brush, painter: QPainter, ends: tuple[int, int], *rest: Any, **options: Any) -> None:
        drawn.append(ends)
        draw_curve(brush, painter, ends, *rest, **options)

    monkeypatch.setattr(Brush, "draw_curve", counted)
    lines = LinesImage(FRAME, _strands(200), _brush())
    lines.draw_slice()
    strongest = lines.lines.part(194, 200)
    ends = list(zip(strongest.queries.tolist(), strongest.keys.tolist(), strict=True))
    assert drawn == ends[::-1], "the strongest first: they are what one sees while it is filled"
    while not lines.is_complete:
        lines.draw_slice()
    assert len(drawn) == 200


@pytest.mark.parametrize("n_lines", [30, 200, 1500, 1501])
def test_the_strongest_first_gives_the_picture_that_the_weakest_first_gives(
    qtbot: QtBot, n_lines: int
) -> None:
    lines = LinesImage(FRAME, _strands(n_lines), _brush())
    while not lines.is_complete:
        lines.draw_slice()
    difference = np.abs(_channels(lines.image) - _channels(_drawn(lines.lines, 0)))
    assert difference.max() <= 8, "each line is rounded to 255 steps"
    assert difference.mean() < 1


def test_of_a_new_picture_more_lines_are_drawn_at_once(qtbot: QtBot) -> None:
    lines = LinesImage(FRAME, _strands(200), _brush(), at_once=0.004)
    ticks = itertools.count()
    lines.draw_slice(lambda: next(ticks) * 0.001)
    assert next(ticks) - 1 == 4, "a batch takes a millisecond"
    lines.draw_slice(lambda: next(ticks) * 0.001)
    assert next(ticks) - 7 == 2


def _channels(image: QImage) -> NDArray[np.int64]:
    return np.frombuffer(image.constBits(), np.uint8).astype(np.int64)
