"""Saved pictures: as sharp as asked for, with text as text and lines as lines."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtSvg import QSvgRenderer
from pytestqt.qtbot import QtBot

from bertviz_app.analysis.attention.numbers import AttentionNumbers
from bertviz_app.errors import FileError
from bertviz_app.shell.settings.theme import read_palette
from bertviz_app.viewmodels.heads.head_sources import HeadSource
from bertviz_app.viewmodels.heads.pictures import picture_of as picture_of_source
from bertviz_app.viewmodels.heads.token_places import SINK, order_of
from bertviz_app.viewmodels.options import DrawOptions
from bertviz_app.viewmodels.selection import Selection
from bertviz_app.viewmodels.viewport import Span, Viewport
from bertviz_app.views.attention.lines import LinesView
from bertviz_app.views.attention.matrix import MatrixView
from bertviz_app.views.export.axis_titles import AxisTitles
from bertviz_app.views.export.recording import PictureSheet, image_of, in_colours, record, write
from bertviz_app.views.kit.look import Look
from tests.support.factories import diagonal
from tests.support.images import levels_of
from tests.support.scene import on_screen, picture_of, random_attention
from tests.support.svg_text import lines_of_text

SHEET = PictureSheet("Layer 1 · Head 2", ("fake · “the cat”", "나는 고양이"))


@pytest.fixture
def lines(qtbot: QtBot, look: Look, selection: Selection, viewport: Viewport) -> LinesView:
    view = LinesView(look, selection, viewport)
    viewport.fit(6)
    view.show_picture(picture_of(random_attention(6, sharpness=1)))
    return on_screen(qtbot, view, 400, 300)


@pytest.fixture
def matrix(qtbot: QtBot, look: Look, selection: Selection, viewport: Viewport) -> MatrixView:
    view = MatrixView(look, selection, viewport)
    viewport.fit(4)
    view.show_picture(picture_of(diagonal(4)[0, 0]))
    return on_screen(qtbot, view, 400, 300)


def test_the_title_of_the_colours_stands_beside_their_bar(matrix: MatrixView, look: Look) -> None:
    matrix.resize(1200, 300)
    titled = image_of(record(matrix, look, None, AxisTitles(right="attention weight")), 1)
    bar = matrix.plot.colour_bar
    assert bar.right() + 100 < matrix.width()  # there is room between the bar and the edge
    written = titled.copy(round(bar.right()), 0, titled.width() - round(bar.right()), titled.height())
    ink = levels_of(written)[..., :3].min(axis=2) < 200
    rows, columns = np.nonzero(ink)
    assert 0 < columns.min() < columns.max() < 40
    assert bar.top() <= rows.min() < rows.max() <= bar.bottom()


@pytest.mark.parametrize("view", ["lines", "matrix"])
def test_signs_that_a_tool_tip_explains_are_left_out(
    view: str, lines: LinesView, matrix: MatrixView, look: Look, tmp_path: Path
) -> None:
    drawn = {"lines": lines, "matrix": matrix}[view]
    assert drawn.picture is not None
    trace, options = drawn.picture.trace, DrawOptions()
    numbers = AttentionNumbers(trace, sinks=np.arange(trace.n_tokens)[None] == 0)
    source = HeadSource(trace, 0, 0, order_of(trace.tokens, options), numbers)
    drawn.show_picture(picture_of_source(source, 0, 0, options, lambda: None))
    drawn.complete()  # lines are drawn in slices of time, and a picture draws all of them
    before = drawn.grab().toImage()
    path = tmp_path / "a.svg"
    write(record(drawn, look, None), path)
    assert SINK not in path.read_text(encoding="utf-8")
    assert drawn.labels[1].texts[0] == f"[CLS] {SINK}"
    drawn.complete()
    assert drawn.grab().toImage() == before
    write(record(drawn, look, None, keeps_switches=True), path)
    assert SINK in path.read_text(encoding="utf-8")


def test_the_last_row_of_a_picture_is_ground_where_half_of_it_is_covered(
    matrix: MatrixView, look: Look
) -> None:
    matrix.resize(400, 301)
    image = image_of(record(matrix, look, None), 1.5)
    assert image.height() == 452
    assert image.pixelColor(0, 451) == look.colour("card")


def test_an_svg_has_its_text_as_text_and_its_lines_as_lines(
    lines: LinesView, look: Look, tmp_path: Path
) -> None:
    path = tmp_path / "a.svg"
    write(record(lines, look, SHEET), path)
    title, subtitle, sentence, *tokens = lines_of_text(path)
    assert (title, subtitle, sentence) == ("Layer 1 · Head 2", "fake · “the cat”", "나는 고양이")
    assert tokens == [token * 2 for token in ("[CLS]", "w1", "w2", "w3", "w4", "[SEP]")]
    drawn = path.read_text(encoding="utf-8")
    assert "<image" not in drawn
    assert drawn.count("<path") + drawn.count("<polyline") > 10
    assert QSvgRenderer(str(path)).isValid()
    assert list(tmp_path.iterdir()) == [path]


def test_a_pdf_has_its_size_in_points_and_fonts_in_it(matrix: MatrixView, look: Look, tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    recording = record(matrix, look, SHEET)
    write(recording, path)
    content = path.read_bytes()
    box = re.search(rb"/MediaBox \[0 0 ([0-9.]+) ([0-9.]+)\]", content)
    assert box is not None
    size = recording.size
    assert [float(side) for side in box.groups()] == pytest.approx(
        [size.width() * 0.75, size.height() * 0.75], abs=1
    )
    assert b"/Font" in content


@pytest.mark.parametrize("scale", [1, 2, 3, 4])
def test_a_png_is_as_large_as_asked_for_and_a_cell_has_its_colour(
    matrix: MatrixView, look: Look, tmp_path: Path, scale: int
) -> None:
    path = tmp_path / "a.png"
    write(record(matrix, look, None), path, scale)
    image = QImage(str(path))
    assert (image.width(), image.height()) == (400 * scale, 300 * scale)
    for query, key, level in ((1, 1, 255), (1, 2, 0)):
        cell = matrix.plot.cell_rect(query, key)
        x, y = (cell.left() + 4) * scale, (cell.top() + 4) * scale
        assert image.pixel(round(x), round(y)) == int(look.weights[level])


def test_at_a_larger_scale_the_picture_is_drawn_finer_and_not_blown_up(lines: LinesView, look: Look) -> None:
    recording = record(lines, look, SHEET)
    small = image_of(recording, 1).convertToFormat(QImage.Format.Format_Grayscale8)
    large = image_of(recording, 4).convertToFormat(QImage.Format.Format_Grayscale8)
    blown = small.scaled(large.size())
    # Ink is the same, edges are steeper: of a blurred picture few pixels would be the text's own colour.
    assert _darkest(large) > 1.5 * _darkest(blown)


def _darkest(image: QImage) -> int:
    words = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine())
    return int((words[:, : image.width()] < 50).sum())


def test_the_title_stands_above_and_pushes_the_picture_down(matrix: MatrixView, look: Look) -> None:
    bare, titled = record(matrix, look, None), record(matrix, look, SHEET)
    head = titled.size.height() - bare.size.height()
    assert head > 40
    assert bare.size.height() == matrix.height()
    cell = matrix.plot.cell_rect(1, 1)
    point = round(cell.left() + 4), round(cell.top() + 4)
    assert image_of(titled, 1).pixel(point[0], point[1] + head) == image_of(bare, 1).pixel(*point)


def test_a_long_sentence_is_wrapped_and_not_cut(matrix: MatrixView, look: Look) -> None:
    short = record(matrix, look, PictureSheet("title", ("a word",)))
    long = record(matrix, look, PictureSheet("title", ("a word " * 60,)))
    assert long.size.height() > short.size.height() + 60


@pytest.mark.parametrize("ground", ["light", "dark"])
def test_on_another_ground_the_picture_has_its_colours_and_the_window_keeps_its_own(
    matrix: MatrixView, look: Look, ground: str
) -> None:
    palette, before = read_palette(ground), look.palette
    with in_colours(matrix, look, palette):
        image = image_of(record(matrix, look, SHEET), 1)
    assert image.pixel(2, 2) == QColor(palette.card).rgb()
    assert look.palette is before


def test_a_picture_larger_than_the_memory_is_refused_with_one_sentence(
    matrix: MatrixView, look: Look
) -> None:
    matrix.resize(8000, 8000)
    with pytest.raises(FileError, match=r"32000 x 32000 pixels"):
        image_of(record(matrix, look, None), 4)


def test_a_file_that_cannot_be_written_is_refused_with_one_sentence_and_leaves_nothing(
    matrix: MatrixView, look: Look, tmp_path: Path
) -> None:
    recording = record(matrix, look, None)
    with pytest.raises(FileError, match="gif"):
        write(recording, tmp_path / "a.gif")
    for ending in (".png", ".svg", ".pdf"):
        with pytest.raises(FileError):
            write(recording, tmp_path / "nowhere" / f"a{ending}")
    assert list(tmp_path.iterdir()) == []


def test_what_is_there_for_the_pointer_and_the_keys_is_no_part_of_a_picture(
    matrix: MatrixView, look: Look, tmp_path: Path
) -> None:
    path = tmp_path / "a.svg"
    without = image_of(record(matrix, look, None), 1)
    matrix.plot.setFocus(Qt.FocusReason.TabFocusReason)
    matrix.plot.read_out.show_lines(("under the pointer",), QPointF(100, 100))
    recording = record(matrix, look, None)
    assert image_of(recording, 1) == without
    write(recording, path)
    assert "under the pointer" not in path.read_text(encoding="utf-8")
    assert matrix.plot.hasFocus()


def test_a_plot_by_itself_is_a_picture_with_sharp_cells(
    matrix: MatrixView, look: Look, tmp_path: Path
) -> None:
    path = tmp_path / "a.svg"
    recording = record(matrix.plot, look, None)
    write(recording, path)
    assert "<image" not in path.read_text(encoding="utf-8")
    cell = matrix.plot.cell_rect(1, 1).center().toPoint()
    assert image_of(recording, 1).pixel(cell.x() + 20, cell.y() + 12) == int(look.weights[255])


def test_what_is_out_of_sight_of_a_zoomed_plot_is_not_drawn(matrix: MatrixView, look: Look) -> None:
    matrix.viewport.show(Span(1.0, 3.0), Span(1.0, 3.0))
    drawn = image_of(record(matrix, look, None), 1)
    plot = matrix.plot.plot_rect.toRect()
    card = look.colour("card")
    for y in range(plot.top(), plot.bottom()):
        assert drawn.pixelColor(plot.left() - 4, y) == card
    assert drawn.pixelColor(plot.center().x() // 2 + plot.left() // 2, plot.bottom() + 4) == card
