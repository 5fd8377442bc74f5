"""SVG that renderers draw alike: two of them against the picture in pixels."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
import resvg_py
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPen
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from bertviz_app.shell.settings.theme import read_palette
from bertviz_app.types import Doubles
from bertviz_app.viewmodels.selection import Selection
from bertviz_app.viewmodels.viewport import Viewport
from bertviz_app.views.attention.lines import LinesView
from bertviz_app.views.attention.matrix import MatrixView
from bertviz_app.views.export.recording import PictureSheet, Recording, image_of, record, write
from bertviz_app.views.kit.canvas import Canvas
from bertviz_app.views.kit.look import Look
from bertviz_app.views.vectors.bars import VectorPlot
from tests.support.scene import on_screen, picture_of, random_attention

_SVG = "{http://www.w3.org/2000/svg}"


class _Marks(Canvas):
    """All that renderers are known to disagree about: a hairline, transparent areas, an image, a clip."""

    def draw(self, painter: QPainter) -> None:
        painter.save()
        painter.scale(4, 100)
        painter.setPen(QPen(QColor("#203040"), 0))
        painter.drawLine(5, 1, 80, 1)
        painter.restore()
        painter.fillRect(20, 120, 60, 60, QColor(200, 30, 30))
        painter.fillRect(30, 130, 40, 40, QColor(255, 255, 255, 128))
        painter.fillRect(100, 120, 60, 60, QColor(0, 0, 200, 40))
        painter.setPen(QPen(QColor(0, 0, 0, 0)))
        painter.setBrush(QColor(0, 0, 0, 0))
        painter.drawRect(0, 0, 399, 299)
        strip = QImage(8, 1, QImage.Format.Format_RGB32)
        for column in range(8):
            strip.setPixelColor(column, 0, QColor.fromHsv(column * 40, 255, 220))
        painter.drawImage(QRectF(20, 220, 160, 20), strip)
        painter.drawImage(QRectF(20, 260, 90, 8), _scale())
        painter.save()
        painter.setClipRect(200, 200, 60, 60)
        painter.fillRect(180, 180, 200, 40, QColor("#008040"))
        painter.restore()


def _scale() -> QImage:
    """Return a bar of 256 colours, drawn on fewer pixels than it has."""
    bar = QImage(256, 1, QImage.Format.Format_RGB32)
    for column in range(256):
        bar.setPixelColor(column, 0, QColor(column, 255 - column, 128))
    return bar


def _marks(qtbot: QtBot, look: Look) -> QWidget:
    return on_screen(qtbot, _Marks(look), 400, 300)


def _pooled(qtbot: QtBot, look: Look) -> QWidget:
    plot = VectorPlot(look)
    plot.show_values(np.sin(np.arange(64), dtype=np.float32))
    return on_screen(qtbot, plot, 400, 300)


def _matrix(qtbot: QtBot, look: Look) -> QWidget:
    viewport = Viewport()
    viewport.fit(6)
    view = MatrixView(look, Selection(), viewport)
    view.show_picture(picture_of(random_attention(6)))
    return on_screen(qtbot, view, 400, 300)


def _lines(qtbot: QtBot, look: Look) -> QWidget:
    viewport = Viewport()
    viewport.fit(6)
    view = LinesView(look, Selection(), viewport)
    view.show_picture(picture_of(random_attention(6)))
    return on_screen(qtbot, view, 400, 300)


Make = Callable[[QtBot, Look], QWidget]


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("make", [_marks, _pooled, _matrix, _lines])
def test_two_renderers_draw_what_the_picture_in_pixels_has(
    make: Make, theme: str, qtbot: QtBot, look: Look, tmp_path: Path
) -> None:
    look.set_palette(read_palette(theme))
    recording = record(make(qtbot, look), look, None)
    drawn = _without_text(_written(recording, tmp_path))
    by_qt, by_resvg = _by_qt(drawn, recording), _by_resvg(drawn)
    assert np.abs(by_qt - by_resvg).mean() < 1
    assert np.abs(by_qt - by_resvg).max() < 40  # the edge of a line is laid over pixels in many ways
    assert np.abs(_blocks(image_of(recording, 1)) - by_resvg).mean() < 8  # which has its words, too


def test_what_renderers_read_differently_does_not_occur(qtbot: QtBot, look: Look, tmp_path: Path) -> None:
    for make in (_marks, _pooled, _matrix, _lines):
        written = _written(record(make(qtbot, look), look, None), tmp_path)
        assert "vector-effect" not in written
        assert not re.search(r'(fill|stroke)-opacity="0', written)
        for families in re.findall(r'font-family="([^"]*)"', written):
            assert re.fullmatch(r"('[^',]+', )+(sans-serif|monospace|serif)", families)
        assert "<image" not in written


def test_a_hairline_is_one_pixel_wide_in_every_renderer(qtbot: QtBot, look: Look, tmp_path: Path) -> None:
    recording = record(_marks(qtbot, look), look, None)
    drawn = _written(recording, tmp_path)
    for row in (96, 104):  # in units of the drawing the line reached from 50 to 150
        assert QColor(_image(_resvg(drawn)).pixel(200, row)) == look.colour("card")


def test_what_is_clipped_away_is_not_in_the_file(qtbot: QtBot, look: Look, tmp_path: Path) -> None:
    drawn = _written(record(_marks(qtbot, look), look, None), tmp_path)
    image = _image(_resvg(drawn))
    assert QColor(image.pixel(230, 210)) == QColor("#008040")
    for outside in ((190, 210), (300, 210), (230, 190)):
        assert QColor(image.pixel(*outside)) == look.colour("card")


def test_a_strip_of_numbers_has_sharp_edges(qtbot: QtBot, look: Look, tmp_path: Path) -> None:
    drawn = _written(record(_marks(qtbot, look), look, None), tmp_path)
    image = _image(_resvg(drawn))
    for column in range(8):
        colour = QColor.fromHsv(column * 40, 255, 220).rgb()
        for x in (20 + 20 * column, 39 + 20 * column):
            assert image.pixel(x, 230) == colour


class _Veil(Canvas):
    """A white image of one half-transparent pixel on a red area, both moved from the corner of the page."""

    def draw(self, painter: QPainter) -> None:
        painter.translate(100, 80)
        painter.fillRect(0, 0, 60, 60, QColor(200, 0, 0))
        veil = QImage(1, 1, QImage.Format.Format_ARGB32)
        veil.fill(QColor(255, 255, 255, 128))
        painter.drawImage(QRectF(20, 20, 20, 20), veil)


class _Words(Canvas):
    """A text with all that no XML file may hold, among what it may."""

    def draw(self, painter: QPainter) -> None:
        for line, text in enumerate(("a\x01\x1fb", "c\ufffed\uffff", "\ue000\ufffd\U0001f600")):
            painter.drawText(20, 40 + 40 * line, text)


def test_characters_that_no_xml_file_may_hold_are_left_out(qtbot: QtBot, look: Look, tmp_path: Path) -> None:
    sheet = PictureSheet("name\x02", ("\uffff of a checkpoint",))
    written = _written(record(on_screen(qtbot, _Words(look), 300, 200), look, sheet), tmp_path)
    texts = "".join(ElementTree.fromstring(written).itertext())
    for kept in ("name", "of a checkpoint", "ab", "cd", "\ue000", "\ufffd", "\U0001f600"):
        assert kept in texts
    assert not set("\x01\x02\x1f\ufffe\uffff") & set(texts)


def test_a_translucent_image_is_mixed_with_what_is_below_it(qtbot: QtBot, look: Look, tmp_path: Path) -> None:
    drawn = _written(record(on_screen(qtbot, _Veil(look), 300, 200), look, None), tmp_path)
    found = QColor(_image(_resvg(drawn)).pixel(130, 110))
    assert (found.red(), found.green()) == pytest.approx((228, 128), abs=2)


def _written(recording: Recording, folder: Path) -> str:
    path = folder / "drawn.svg"
    write(recording, path)
    return path.read_text(encoding="utf-8")


def _without_text(svg: str) -> str:
    """Return the drawing alone: which fonts there are is the machine's affair."""
    root = ElementTree.fromstring(svg)
    for group in root.iter(f"{_SVG}g"):
        for text in group.findall(f"{_SVG}text"):
            group.remove(text)
    return ElementTree.tostring(root, encoding="unicode")


def _resvg(svg: str) -> bytes:
    return bytes(resvg_py.svg_to_bytes(svg_string=svg, dpi=96))


def _by_resvg(svg: str) -> Doubles:
    return _blocks(_image(_resvg(svg)))


def _by_qt(svg: str, recording: Recording) -> Doubles:
    image = QImage(recording.size, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    QSvgRenderer(svg.encode()).render(painter)
    painter.end()
    return _blocks(image)


def _image(png: bytes) -> QImage:
    return QImage.fromData(png).convertToFormat(QImage.Format.Format_RGB32)


def _blocks(image: QImage) -> Doubles:
    """Return the mean colours of blocks of four by four pixels, [rows, columns, 3]."""
    small = image.convertToFormat(QImage.Format.Format_RGB888).scaled(
        image.width() // 4,
        image.height() // 4,
        Qt.AspectRatioMode.IgnoreAspectRatio,
        Qt.TransformationMode.SmoothTransformation,
    )
    values = np.frombuffer(small.constBits(), np.uint8).reshape(small.height(), small.bytesPerLine())
    return values[:, : 3 * small.width()].astype(np.float64)
