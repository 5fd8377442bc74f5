"""The labels beside rows: as many as there is room for."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QImage, QPainter

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
