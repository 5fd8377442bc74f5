"""The colours of a theme: heads told apart by every reader, and buttons that have the focus."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations

import numpy as np
import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QComboBox,
    QLineEdit,
    QListWidget,
    QMenu,
    QPlainTextEdit,
    QPushButton,
    QTableWidget,
    QTableWidgetItem,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)
from pytestqt.qtbot import QtBot

from bertviz_app.shell.settings import Theme, ThemeChoice, read_palette
from bertviz_app.types import Doubles
from bertviz_app.views.kit.look import Look, named
from tests.support.scene import look

__all__ = ["look"]


_TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])

_WHITE = np.array([0.95047, 1.0, 1.08883])

# How linear RGB is seen without one kind of cone (Machado, Oliveira and Fernandes, 2009).
_SEEN_BY = {
    "all cones": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
}


def _linear(colour: str) -> Doubles:
    channels = np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)]) / 255
    linear: Doubles = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    return linear


def _lab(colour: str, seen_by: str) -> Doubles:
    xyz = _TO_XYZ @ np.clip(_SEEN_BY[seen_by] @ _linear(colour), 0, 1) / _WHITE
    x, y, z = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def _luminance(colour: str) -> float:
    return float(_TO_XYZ[1] @ _linear(colour))


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_colours_of_heads_are_distinguishable_and_seen_on_their_card(theme: str) -> None:
    """By their distance in CIELAB, in which 2.3 is just seen."""
    palette = read_palette(theme)
    for seen_by, least in (("all cones", 25), ("protanopia", 12), ("deuteranopia", 12)):
        colours = [_lab(colour, seen_by) for colour in palette.heads]
        assert min(float(np.linalg.norm(one - other)) for one, other in combinations(colours, 2)) >= least
    for colour in palette.heads:
        dark, bright = sorted((_luminance(colour), _luminance(palette.card)))
        assert (bright + 0.05) / (dark + 0.05) >= 3
    assert palette.heads[0] == palette.accent


_INKS = (
    *("text", "secondary", "accent", "sentence_b", "special", "warning", "error", "right"),
    *("query", "key", "value", "output"),
)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("ink", _INKS)
def test_whatever_is_written_is_read_on_every_ground(theme: str, ink: str) -> None:
    """By the contrast of WCAG 2.2, criterion 1.4.3, for texts of usual size."""
    palette = read_palette(theme)
    for ground in ("window", "card", "raised"):
        colours = getattr(palette, ink), getattr(palette, ground)
        dark, bright = sorted(map(_luminance, colours))
        assert (bright + 0.05) / (dark + 0.05) >= 4.5, ground


NAMES = ("", "option", "primary", "plain")


@pytest.fixture
def theme(qapp: QApplication, look: Look) -> Iterator[Theme]:
    theme = Theme(qapp, look)
    before = qapp.style().name()
    qapp.setStyle("fusion")
    theme.choose("light")
    yield theme
    theme.remove()
    qapp.setStyle(before)


def _inside(button: QPushButton) -> Doubles:
    image = button.grab().toImage().convertToFormat(QImage.Format.Format_Grayscale8)
    pixels = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), -1)
    return pixels[8:-8, 100:180].astype(np.float64)


def test_the_inside_of_a_button_does_not_change_with_the_focus(qtbot: QtBot, theme: Theme) -> None:
    for name in NAMES:
        window = QWidget()
        qtbot.addWidget(window)
        column = QVBoxLayout(window)
        first, button = (named(QPushButton(), name) if name else QPushButton() for _ in range(2))
        for one in (first, button):
            one.setMinimumSize(200, 40)
            column.addWidget(one)
        window.show()
        window.activateWindow()
        qtbot.waitExposed(window)
        first.setFocus()
        before = _inside(button)
        QTest.keyClick(window, Qt.Key.Key_Tab)
        qtbot.waitUntil(button.hasFocus)
        window.setAttribute(Qt.WidgetAttribute.WA_KeyboardFocusChange)  # what a key of a real keyboard sets
        assert abs(_inside(button) - before).max() == 0
        window.close()


_BLOCKS = "██   " * 6


def _assert_read(drawn: QWidget, row: QRect, theme: Theme) -> None:
    """Assert 4.5:1 between the blocks of the text and what is between them, as drawn on a card."""
    image = QImage(drawn.size(), QImage.Format.Format_RGB32)
    image.fill(QColor(read_palette(theme.name).card))
    drawn.render(image)
    across = range(row.left() + 12, row.left() + min(90, row.width() - 12))
    line = Counter(image.pixelColor(x, row.center().y()).name() for x in across)
    (ink, _), (ground, _) = line.most_common(2)
    dark, bright = sorted((_luminance(ink), _luminance(ground)))
    assert (bright + 0.05) / (dark + 0.05) >= 4.5, (ink, ground)


def _show(qtbot: QtBot, widget: QWidget) -> None:
    qtbot.addWidget(widget)
    widget.show()
    qtbot.waitExposed(widget)


@pytest.mark.parametrize("colours", ["light", "dark"])
@pytest.mark.parametrize("kind", ["combo box", "list", "tree", "table"])
def test_the_chosen_row_of_a_list_is_read(
    qtbot: QtBot, theme: Theme, kind: str, colours: ThemeChoice
) -> None:
    theme.choose(colours)
    view: QAbstractItemView
    if kind == "combo box":
        box = QComboBox()
        box.addItem(_BLOCKS)
        _show(qtbot, box)
        box.showPopup()
        view = box.view()
    elif kind == "list":
        view = rows = QListWidget()
        rows.addItem(_BLOCKS)
    elif kind == "tree":
        view = tree = QTreeWidget()
        tree.addTopLevelItem(QTreeWidgetItem([_BLOCKS]))
        tree.setRootIsDecorated(False)
    else:
        view = table = QTableWidget(1, 1)
        table.setItem(0, 0, QTableWidgetItem(_BLOCKS))
    if kind != "combo box":
        _show(qtbot, view)
    view.setCurrentIndex(view.model().index(0, 0))
    _assert_read(view.viewport(), view.visualRect(view.currentIndex()), theme)


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_the_chosen_row_of_a_menu_is_read(qtbot: QtBot, theme: Theme, colours: ThemeChoice) -> None:
    theme.choose(colours)
    menu = QMenu()
    menu.setActiveAction(menu.addAction(_BLOCKS))
    _show(qtbot, menu)
    _assert_read(menu, menu.actionGeometry(menu.actions()[0]), theme)


@pytest.mark.parametrize("colours", ["light", "dark"])
@pytest.mark.parametrize("name", ["", "entry", "sentence", "own", "field", "answers", "count", "taskNumber"])
def test_a_selected_text_is_read(qtbot: QtBot, theme: Theme, name: str, colours: ThemeChoice) -> None:
    theme.choose(colours)
    line, text = named(QLineEdit(_BLOCKS), name), named(QPlainTextEdit(_BLOCKS), name)
    for widget in (line, text):
        _show(qtbot, widget)
        widget.selectAll()
    _assert_read(line, line.rect(), theme)
    row = text.cursorRect()
    _assert_read(text.viewport(), QRect(0, row.top(), text.viewport().width(), row.height()), theme)
