"""Tables in recorded pictures: a cell that is partly scrolled away ends at the edge of its table."""

from __future__ import annotations

from pathlib import Path

import pytest
import resvg_py
from PySide6.QtGui import QColor, QImage, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QTableView, QWidget
from pytestqt.qtbot import QtBot

from bertviz_app.views.export.recording import Recording, image_of, record, write
from bertviz_app.views.kit.canvas import paint_in_turns
from bertviz_app.views.kit.look import Look
from tests.support.scene import on_screen

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
def recording(page: QWidget, look: Look) -> Recording:
    """Return the picture of the page."""
    return record(page, look, None)


def test_a_cell_ends_at_the_edge_of_its_table(recording: Recording) -> None:
    image = image_of(recording, 1)
    assert _greens(image)
    assert max(_greens(image)) < 110


def test_a_cell_ends_at_the_edge_of_its_table_in_an_svg(recording: Recording, tmp_path: Path) -> None:
    path = tmp_path / "drawn.svg"
    write(recording, path)
    image = QImage.fromData(bytes(resvg_py.svg_to_bytes(svg_string=path.read_text(encoding="utf-8"), dpi=96)))
    assert _greens(image)
    assert max(_greens(image)) < 110


def test_a_column_that_is_cut_has_no_words_beyond_the_table(recording: Recording, tmp_path: Path) -> None:
    path = tmp_path / "drawn.svg"
    write(recording, path)
    words = path.read_text(encoding="utf-8")
    assert ">wide" in words
    assert ">late" not in words


def test_a_table_that_waits_for_its_turn_to_be_painted_is_in_the_picture(
    page: QWidget, recording: Recording, look: Look
) -> None:
    paint_in_turns(page.findChildren(QTableView))
    assert not page.findChildren(QTableView)[0].updatesEnabled()
    assert image_of(record(page, look, None), 1) == image_of(recording, 1)
    assert page.findChildren(QTableView)[0].updatesEnabled()


def _greens(image: QImage) -> set[int]:
    """Return the columns of an image in which it is green."""
    return {
        x
        for x in range(image.width())
        if any(image.pixelColor(x, y) == _GREEN for y in range(image.height()))
    }
