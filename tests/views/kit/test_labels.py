"""The labels beside rows: as many as there is room for."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QImage, QPainter, QStaticText

from bertviz_app.viewmodels.axis import Axis
from bertviz_app.viewmodels.heads.token_places import SINK
from bertviz_app.viewmodels.viewport import Span
from bertviz_app.views.kit.labels import Labels
from bertviz_app.views.kit.look import Look

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


def test_every_row_has_its_label_where_there_is_room(look: Look) -> None:
    labels = Labels(look, TEXTS * 7)
    axis = Axis(Span(0, 28), 0.0, 28 * 17.0)
    assert axis.labelled(labels.height) == list(range(28))


@pytest.mark.parametrize("number", range(len(TEXTS)))
def test_labels_below_each_other_do_not_touch(look: Look, number: int) -> None:
    labels = Labels(look, TEXTS)
    top, bottom = _inked(look, labels, number)
    assert bottom - top + 1 <= labels.height


def test_labels_become_a_little_smaller_before_any_is_skipped(look: Look) -> None:
    labels = Labels(look, TEXTS * 7)
    assert labels.height_for(labels.height + 4) == labels.height
    assert labels.height_for(0.85 * labels.height) == 0.85 * labels.height
    assert labels.height_for(0.5 * labels.height) == labels.height, "every second one then"
    axis = Axis(Span(0, 28), 0.0, 28 * 13.0)
    assert axis.labelled(labels.height_for(axis.pitch)) == list(range(28))


@pytest.mark.parametrize("ratio", [1.0, 1.5, 2.0])
@pytest.mark.parametrize("align", [Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignRight])
def test_labels_drawn_together_look_like_single_ones_and_are_laid_out_once(
    look: Look, monkeypatch: pytest.MonkeyPatch, align: Qt.AlignmentFlag, ratio: float
) -> None:
    made: list[str] = []

    def noted(text: str) -> QStaticText:
        made.append(text)
        return QStaticText(text)

    monkeypatch.setattr("bertviz_app.views.kit.labels.QStaticText", noted)
    labels = Labels(look, TEXTS)
    boxes = {number: QRectF(10, 5 + 20 * number, 100, labels.height) for number in range(len(TEXTS))}

    def alone(painter: QPainter, number: int) -> None:
        labels.draw(painter, number, boxes[number], align, is_highlighted=False)

    def together(painter: QPainter, number: int) -> None:
        labels.draw_all(painter, {number: boxes[number]}, align, highlighted=None)

    for number in (*boxes, *boxes):
        expected, drawn = np.array(_inked_box(alone, number, ratio)), _inked_box(together, number, ratio)
        assert np.abs(expected - drawn).max() <= 1, f"{TEXTS[number]}: moved by a pixel at most"
    assert sorted(made) == sorted(TEXTS)


def _inked_box(
    draw: Callable[[QPainter, int], None], number: int, ratio: float
) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return the first row and column of pixels that are inked, and the last ones."""
    image = QImage(round(120 * ratio), round(90 * ratio), QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(ratio)
    image.fill(Qt.GlobalColor.white)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    draw(painter, number)
    painter.end()
    words = np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), -1)
    rows, columns = np.nonzero((words & np.uint32(0xFF)) < 200)
    return (int(rows.min()), int(columns.min())), (int(rows.max()), int(columns.max()))


@pytest.mark.parametrize("slant", [0.0, 45.0, 70.0])
def test_the_sign_of_a_sink_points_down_in_a_slanted_label(look: Look, slant: float) -> None:
    labels = Labels(look, (f" {SINK}",))
    image = QImage(80, 80, QImage.Format.Format_Grayscale8)
    image.fill(Qt.GlobalColor.white)
    painter = QPainter(image)
    painter.translate(40, 40)
    painter.rotate(-slant)
    box = QRectF(0, -labels.height / 2, 60, labels.height)
    labels.draw(painter, 0, box, Qt.AlignmentFlag.AlignLeft, is_highlighted=False, slant=slant)
    painter.end()
    pixels = np.frombuffer(image.constBits(), np.uint8).reshape(80, -1)[:, :80]
    ink = (255.0 - pixels).sum(axis=1)
    rows = np.flatnonzero(ink)
    upper, lower = np.array_split(ink[rows], 2)
    assert upper.sum() > 1.5 * lower.sum()
