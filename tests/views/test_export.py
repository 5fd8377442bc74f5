"""Saved pictures: text as text, lines as lines, alike in every renderer, whole, with titles and keys."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast
from xml.etree import ElementTree

import numpy as np
import pytest
import resvg_py
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPen, QStandardItem, QStandardItemModel
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QApplication, QScrollBar, QTableView, QWidget
from pytestqt.qtbot import QtBot

from bertviz_app import open_model
from bertviz_app.analysis.attention.stamp import WEIGHT, AttentionNumbers
from bertviz_app.analysis.picture import Quantity
from bertviz_app.analysis.results import Result
from bertviz_app.errors import FileError
from bertviz_app.features.rendering.rendering import render
from bertviz_app.inference.engine import TraceRequest
from bertviz_app.options import OtherOptions, RenderOptions, Run
from bertviz_app.shell.settings import read_palette
from bertviz_app.text import Edits
from bertviz_app.types import Doubles
from bertviz_app.viewmodels.analyses.analyses import Analysed
from bertviz_app.viewmodels.heads.pictures import HeadPicture, picture_of as picture_of_source
from bertviz_app.viewmodels.heads.places import head_source, order_of
from bertviz_app.viewmodels.panel import Content, Panel, StepsForm
from bertviz_app.viewmodels.pointer import Selection
from bertviz_app.viewmodels.stages.stops import Stop
from bertviz_app.viewmodels.state import DrawOptions
from bertviz_app.viewmodels.viewport import SINK, TokenSpan, Viewport
from bertviz_app.views.analyses.table import RowsModel, RowsTable
from bertviz_app.views.attention.lines import LinesView, key_of
from bertviz_app.views.attention.matrix import MatrixView
from bertviz_app.views.export.recording import (
    Recording,
    draw_key,
    height_of_key,
    hidden_height,
    image_of,
    record,
    write,
)
from bertviz_app.views.kit.canvas import Canvas, paint_in_turns
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.panel_view import ExportedPanel
from bertviz_app.views.kit.subject import NO_KEY, LineKey, PictureSheet
from bertviz_app.views.vectors.plots import VectorPlot
from tests.support.factories import diagonal
from tests.support.fakes import runs_of
from tests.support.panel_scenes import StepsScene
from tests.support.scene import (
    difference_of,
    lines_of_text,
    not_none,
    on_screen,
    picture_of,
    random_attention,
)

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


_GREEN = QColor("#008040")


@pytest.fixture
def page(qtbot: QtBot) -> QWidget:
    """Return a page on screen, a table of 100 x 90 in it: the green cell, under “late”, is 200 wide."""
    page = QWidget()
    model = QStandardItemModel(1, 2, page)
    model.setHorizontalHeaderLabels(["wide", "late"])
    item = QStandardItem("")
    item.setBackground(_GREEN)
    model.setItem(0, 1, item)
    table = QTableView(page)
    table.setModel(model)
    table.setGeometry(10, 10, 100, 90)
    table.verticalHeader().hide()
    table.setColumnWidth(0, 60)
    table.setColumnWidth(1, 200)
    return on_screen(qtbot, page, 300, 200)


@pytest.fixture
def table_recording(page: QWidget, look: Look) -> Recording:
    """Return the picture of the page."""
    return record(page, look, None)


def _greens(image: QImage) -> set[int]:
    """Return the columns of an image in which it is green."""
    image = image.convertToFormat(QImage.Format.Format_RGB32)  # held, as its pixels are read in place
    words = np.frombuffer(image.constBits(), np.uint32)
    is_green = words.reshape(image.height(), -1) & 0xFFFFFF == _GREEN.rgb() & 0xFFFFFF
    return set(np.flatnonzero(is_green.any(axis=0)).tolist())


PARTS = "vector of this token", "part that came from this token"


PAIR = "token of run A", "token of run B"


HEAD = "query (looks)", "key (is looked at)"


@pytest.fixture(scope="module")
def found(qapp: QApplication, tiny_bert: Path) -> dict[str, Result]:
    model = open_model(str(tiny_bert), "cpu")
    trace, other = model.trace("the cat ate fish"), model.trace("a cat ate")
    results = {key: model.analyse(key, trace) for key in ("norm-attention", "decompx")}
    return results | {"similarity-pairs": model.analyse("similarity-pairs", trace, other)}


@dataclass(frozen=True)
class _Picture:
    """What the key reads of a `HeadPicture`."""

    quantity: Quantity = WEIGHT
    is_difference: bool = False


def test_signs_that_a_tool_tip_explains_are_left_out(matrix: MatrixView, look: Look, tmp_path: Path) -> None:
    trace, options = not_none(matrix.picture).trace, DrawOptions()
    numbers = AttentionNumbers(trace, sinks=np.arange(trace.n_tokens)[None] == 0)
    source = head_source(trace, 0, 0, order_of(trace.tokens, options), numbers)
    matrix.show_picture(picture_of_source(source, 0, 0, options, lambda: None))
    before = matrix.grab().toImage()
    path = tmp_path / "a.svg"
    write(record(matrix, look, None), path)
    assert SINK not in path.read_text(encoding="utf-8")
    assert matrix.labels[1].texts[0] == f"[CLS] {SINK}"
    assert matrix.grab().toImage() == before
    write(record(matrix, look, None, keeps_switches=True), path)
    assert SINK in path.read_text(encoding="utf-8")


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
    box = not_none(re.search(rb"/MediaBox \[0 0 ([0-9.]+) ([0-9.]+)\]", content))
    size = recording.size
    assert [float(side) for side in box.groups()] == pytest.approx(
        [size.width() * 0.75, size.height() * 0.75], abs=1
    )
    assert b"/Font" in content


@pytest.mark.parametrize("scale", [1, 4])
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


def test_what_cannot_be_saved_is_one_sentence_and_a_long_one_is_wrapped(
    matrix: MatrixView, look: Look, tmp_path: Path
) -> None:
    short = record(matrix, look, PictureSheet("title", ("a word",)))
    long = record(matrix, look, PictureSheet("title", ("a word " * 60,)))
    assert long.size.height() > short.size.height() + 60
    # a file that cannot be written is refused with one sentence and leaves nothing
    recording = record(matrix, look, None)
    with pytest.raises(FileError, match="gif"):
        write(recording, tmp_path / "a.gif")
    for ending in (".png", ".svg", ".pdf"):
        with pytest.raises(FileError):
            write(recording, tmp_path / "nowhere" / f"a{ending}")
    assert list(tmp_path.iterdir()) == []
    # a picture larger than the memory is refused with one sentence
    matrix.resize(8000, 8000)
    with pytest.raises(FileError, match=r"32000 x 32000 pixels"):
        image_of(record(matrix, look, None), 4)


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


def test_what_is_out_of_sight_of_a_zoomed_plot_is_not_drawn(matrix: MatrixView, look: Look) -> None:
    matrix.viewport.show(TokenSpan(1.0, 3.0), TokenSpan(1.0, 3.0))
    drawn = image_of(record(matrix, look, None), 1)
    plot = matrix.plot.plot_rect.toRect()
    card = look.colour("card")
    for y in range(plot.top(), plot.bottom()):
        assert drawn.pixelColor(plot.left() - 4, y) == card
    assert drawn.pixelColor(plot.center().x() // 2 + plot.left() // 2, plot.bottom() + 4) == card


@pytest.mark.parametrize("make", [_marks, _pooled, _matrix, _lines])
def test_two_renderers_draw_what_the_picture_in_pixels_has(
    make: Make, qtbot: QtBot, look: Look, tmp_path: Path
) -> None:
    look.set_palette(read_palette("dark"))
    recording = record(make(qtbot, look), look, None)
    written = _written(recording, tmp_path)
    assert "<image" not in written
    assert "vector-effect" not in written
    assert not re.search(r'(fill|stroke)-opacity="0', written)
    for families in re.findall(r'font-family="([^"]*)"', written):
        assert re.fullmatch(r"('[^',]+', )+(sans-serif|monospace|serif)", families)
    drawn = _without_text(written)
    by_qt, by_resvg = _by_qt(drawn, recording), _by_resvg(drawn)
    assert np.abs(by_qt - by_resvg).mean() < 1
    assert np.abs(by_qt - by_resvg).max() < 40  # the edge of a line is laid over pixels in many ways
    assert np.abs(_blocks(image_of(recording, 1)) - by_resvg).mean() < 8  # which has its words, too


def test_what_renderers_disagree_about_is_drawn_alike(qtbot: QtBot, look: Look, tmp_path: Path) -> None:
    recording = record(_marks(qtbot, look), look, None)
    drawn = _written(recording, tmp_path)
    for row in (96, 104):  # in units of the drawing the line reached from 50 to 150
        assert QColor(_image(_resvg(drawn)).pixel(200, row)) == look.colour("card")
    # a translucent image is mixed with what is below it
    drawn = _written(record(on_screen(qtbot, _Veil(look), 300, 200), look, None), tmp_path)
    found = QColor(_image(_resvg(drawn)).pixel(130, 110))
    assert (found.red(), found.green()) == pytest.approx((228, 128), abs=2)
    # characters that no xml file may hold are left out
    sheet = PictureSheet("name\x02", ("\uffff of a checkpoint",))
    written = _written(record(on_screen(qtbot, _Words(look), 300, 200), look, sheet), tmp_path)
    texts = "".join(ElementTree.fromstring(written).itertext())
    for kept in ("name", "of a checkpoint", "ab", "cd", "\ue000", "\ufffd", "\U0001f600"):
        assert kept in texts
    assert not set("\x01\x02\x1f\ufffe\uffff") & set(texts)


def test_tables_end_at_their_edges(table_recording: Recording, tmp_path: Path) -> None:
    path = tmp_path / "drawn.svg"
    write(table_recording, path)
    image = QImage.fromData(bytes(resvg_py.svg_to_bytes(svg_string=path.read_text(encoding="utf-8"), dpi=96)))
    assert _greens(image)
    assert max(_greens(image)) < 110
    # a column that is cut has no words beyond the table
    path = tmp_path / "drawn.svg"
    write(table_recording, path)
    words = path.read_text(encoding="utf-8")
    assert ">wide" in words
    assert ">late" not in words


def test_a_table_that_waits_for_its_turn_to_be_painted_is_in_the_picture(
    page: QWidget, table_recording: Recording, look: Look
) -> None:
    paint_in_turns(page.findChildren(QTableView))
    assert not page.findChildren(QTableView)[0].updatesEnabled()
    assert image_of(record(page, look, None), 1) == image_of(table_recording, 1)
    assert page.findChildren(QTableView)[0].updatesEnabled()


@pytest.mark.parametrize("form", ["walk", "table"])
def test_a_saved_picture_of_steps_has_the_rows_of_all_tokens(
    form: StepsForm, qtbot: QtBot, look: Look, tmp_path: Path
) -> None:
    scene = StepsScene(qtbot, look, n_tokens=40, size=(620, 340))
    scene.view.walk.go(next(stop for stop in scene.view.walk.stops if stop.stage == "scaled"))
    scene.finish()
    scene.view.walk.show_form(form)
    assert hidden_height(scene.view) > 100
    path = tmp_path / "steps.svg"
    write(record(scene.view, look, PictureSheet("Steps")), path)
    drawn = "\n".join(lines_of_text(path))
    labels = scene.trace.tokens.labels
    assert [label for label in labels if label not in drawn] == []


def test_afterwards_the_view_has_its_size_and_shows_the_rows_it_showed(qtbot: QtBot, look: Look) -> None:
    scene = StepsScene(qtbot, look, n_tokens=40, size=(620, 340))
    scene.view.walk.go(Stop(1, "scaled"))
    scene.finish()
    (bar,) = (bar for bar in scene.view.findChildren(QScrollBar) if bar.isVisible())
    bar.setValue(70)
    focused = QApplication.focusWidget()
    if focused is not None:  # a button that Enter presses is drawn otherwise the second time
        focused.clearFocus()
    before = scene.view.grab().toImage()
    record(scene.view, look, None)
    assert (scene.view.width(), scene.view.height()) == (620, 340)
    assert bar.value() == 70
    assert bar.isVisible()
    assert difference_of(scene.view.grab().toImage(), before) == ""


def test_a_saved_table_has_the_columns_that_are_scrolled_away(
    qtbot: QtBot, look: Look, tmp_path: Path
) -> None:
    model = RowsModel()
    columns = tuple(f"column number {index}" for index in range(30))
    model.show_rows(columns, (tuple(range(30)),))
    table = RowsTable(model)
    qtbot.addWidget(table)
    table.resize(400, 200)
    with qtbot.waitExposed(table):
        table.show()
    path = tmp_path / "table.svg"
    write(record(table, look, PictureSheet("Table")), path)
    drawn = "\n".join(lines_of_text(path))
    assert [column for column in columns if column not in drawn] == []
    assert (table.width(), table.height()) == (400, 200)


@pytest.mark.parametrize("run", ["A", "B"])
@pytest.mark.parametrize(
    ("key", "axes"), [("norm-attention", HEAD), ("decompx", PARTS), ("similarity-pairs", PAIR)]
)
def test_rows_and_columns_are_called_what_they_are(
    found: dict[str, Result], key: str, axes: tuple[str, str], run: Run, lines: LinesView, matrix: MatrixView
) -> None:
    panel = Panel(0, 0, 0, "lines", run, content=Content(key))
    runs = runs_of(TraceRequest(None, "cpu", "a"), TraceRequest(None, "cpu", "b"))
    analysed = Analysed(panel.content, (), found[key], found[key].as_table())
    exported = ExportedPanel(panel, runs, DrawOptions(), analysed)
    of_lines, of_matrix = lines.subject(exported), matrix.subject(exported)
    assert of_lines is not None
    assert of_matrix is not None
    expected = axes[::-1] if axes == PAIR and run == "B" else axes
    assert of_lines.titles.ends == (of_matrix.titles.left, of_matrix.titles.above) == expected


@pytest.mark.parametrize(
    ("picture", "heads", "expected"),
    [
        (_Picture(), (1, 3), LineKey(heads=(1, 3))),
        (_Picture(WEIGHT.minus(), is_difference=True), (3,), LineKey(signs=("A > B", "A < B"))),
        (_Picture(Quantity("norm")), (1, 3), LineKey(signs=("> 0", "< 0"))),
    ],
)
def test_colours_are_those_of_heads_or_of_signs(
    picture: _Picture, heads: tuple[int, ...], expected: LineKey
) -> None:
    assert key_of(cast("HeadPicture", picture), heads) == expected


def test_all_heads_have_their_colour_within_any_width(look: Look) -> None:
    key, width = LineKey(heads=tuple(range(16))), 200
    height = height_of_key(look, key, width)
    image = QImage(2 * width, round(height), QImage.Format.Format_RGB32)
    image.fill(QColor("white"))
    painter = QPainter(image)
    draw_key(painter, look, key, QRectF(0, 0, width, height))
    painter.end()
    colours = {image.pixel(x, y) for x in range(width) for y in range(image.height())}
    assert {look.head_colour(head).rgb() for head in key.heads} <= colours
    beyond = {image.pixel(x, y) for x in range(width + 1, 2 * width) for y in range(image.height())}
    assert beyond == {QColor("white").rgb()}
    assert height_of_key(look, NO_KEY, width) == 0


def test_positive_differences_have_the_colour_that_is_named_first(look: Look) -> None:
    image = QImage(300, 40, QImage.Format.Format_RGB32)
    image.fill(QColor("white"))
    painter = QPainter(image)
    draw_key(painter, look, LineKey(signs=("A > B", "A < B")), QRectF(0, 0, 300, 40))
    painter.end()
    places: dict[int, int] = {}
    for x in range(300):
        for y in range(40):
            places.setdefault(image.pixel(x, y), x)
    low, high = (QColor(look.palette.differences[at]).rgb() for at in (0, -1))
    assert places[high] < places[low]


def test_a_figure_of_lines_has_its_key(tiny_bert: Path, tmp_path: Path) -> None:
    out = tmp_path / "lines.svg"
    plain = RenderOptions(text="the cat ate fish", view="lines", out=out, model=str(tiny_bert), device="cpu")
    masked = OtherOptions(edits=Edits((), ((2, "[MASK]"),)))

    def words(**changes: Any) -> str:
        render(RenderOptions(**(vars(plain) | changes)))
        return " | ".join(lines_of_text(out))

    assert "head" in words(heads=(1, 3))
    assert "A > B" in words(other=masked, run="A-B")
