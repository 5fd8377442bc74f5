"""Rows of a menu stand in columns as they are drawn, whatever the font's hinting makes of a space."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtCore import QRectF
from PySide6.QtGui import QAction, QImage
from pytestqt.qtbot import QtBot

from bertviz_app.views.bars.columns_menu import ColumnsMenu
from bertviz_app.views.kit.look import Look

ROWS = [
    ("Checkpoint", "family", "parameters"),
    ("a", "BERT", "9"),
    ("a much longer name of a checkpoint", "BERT", "22,713,216"),
    ("중간 길이", "BERT", "9,049,730"),
]


@pytest.fixture
def menu(qtbot: QtBot, look: Look) -> ColumnsMenu:
    menu = ColumnsMenu(look)
    qtbot.addWidget(menu)
    return menu


def _ink(menu: ColumnsMenu, rect: QRectF) -> tuple[float, float]:
    """Return where the drawing in `rect` begins and ends, in pixels of the menu."""
    image = menu.grab().toImage().convertToFormat(QImage.Format.Format_Grayscale8)
    pixels: NDArray[np.uint8] = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), -1)
    part = pixels[round(rect.top()) + 3 : round(rect.bottom()) - 3, round(rect.left()) : round(rect.right())]
    ground = np.bincount(part.ravel()).argmax()  # the first pixel may be one of the border
    (columns,) = np.nonzero((part != ground).any(axis=0))
    return float(rect.left() + columns[0]), float(rect.left() + columns[-1])


def _shown(menu: ColumnsMenu, qtbot: QtBot) -> list[QAction]:
    actions = menu.add_rows(ROWS, numbers=[2])
    menu.popup(menu.pos())
    qtbot.waitExposed(menu)
    return actions


def test_texts_begin_and_numbers_end_at_one_place(menu: ColumnsMenu, qtbot: QtBot) -> None:
    ink = [[_ink(menu, rect) for rect in menu.cell_rects(action)] for action in _shown(menu, qtbot)[1:]]
    starts = [family[0] for family, _ in ink]
    ends = [numbers[1] for _, numbers in ink]
    assert max(starts) - min(starts) <= 1
    assert max(ends) - min(ends) <= 1


def test_a_name_never_reaches_into_the_next_column(menu: ColumnsMenu, qtbot: QtBot) -> None:
    actions = _shown(menu, qtbot)
    longest = actions[2]
    cell = menu.cell_rects(longest)[0]
    with_gap = QRectF(menu.actionGeometry(longest))
    with_gap.setRight(cell.left() + 12)  # of the gap before the text of the cell
    _, end = _ink(menu, with_gap)
    assert end < cell.left()


def test_it_is_no_wider_than_its_columns(menu: ColumnsMenu, qtbot: QtBot) -> None:
    longest = _shown(menu, qtbot)[2]
    start = QRectF(menu.actionGeometry(longest))
    start.setRight(menu.cell_rects(longest)[0].left())
    _, end = _ink(menu, start)
    assert start.right() - end < 60


def test_the_text_of_a_row_has_all_its_cells(menu: ColumnsMenu) -> None:
    assert menu.add_rows([("a&b", "", "9")], numbers=[2])[0].text() == "a&&b  9"


def test_a_lone_text_takes_no_column_from_the_others(menu: ColumnsMenu, qtbot: QtBot) -> None:
    menu.add_rows(ROWS, numbers=[2])
    width = menu.sizeHint().width()
    menu.clear()
    menu.add_rows([*ROWS, ("a damaged one: its reason is as long as this",)], numbers=[2])
    assert menu.sizeHint().width() == width


def test_a_menu_filled_anew_forgets_its_columns(menu: ColumnsMenu, qtbot: QtBot) -> None:
    menu.add_rows(ROWS, numbers=[2])
    menu.clear()
    menu.addAction("short")
    assert menu.minimumWidth() == 0
    menu.popup(menu.pos())
    qtbot.waitExposed(menu)
    menu.grab()


def test_a_larger_text_makes_it_wider(menu: ColumnsMenu, qtbot: QtBot) -> None:
    menu.add_rows(ROWS, numbers=[2])
    before = menu.sizeHint().width()
    font = menu.font()
    font.setPointSizeF(font.pointSizeF() * 2)
    menu.setFont(font)
    menu.aboutToShow.emit()
    assert menu.sizeHint().width() > 1.5 * before


def test_a_chosen_row_is_drawn_in_other_colours_in_all_columns(menu: ColumnsMenu, qtbot: QtBot) -> None:
    actions = _shown(menu, qtbot)
    rects = [rect.toRect() for rect in menu.cell_rects(actions[1])]
    before = [menu.grab(rect).toImage() for rect in rects]
    menu.setActiveAction(actions[1])
    assert all(menu.grab(rect).toImage() != image for rect, image in zip(rects, before, strict=True))
