"""The command palette finds commands by words and runs the one that is chosen."""

from __future__ import annotations

from functools import partial

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QLineEdit, QListWidget, QWidget
from pytestqt.qtbot import QtBot

from bertviz_app.views.dialogs.command_palette import CommandPalette, PaletteEntry
from bertviz_app.views.kit.look import Look
from tests.support.scene import on_screen

NAMES = ("Zoom in", "Zoom out", "Next head", "Quit")


@pytest.fixture
def window(qtbot: QtBot) -> QWidget:
    return on_screen(qtbot, QWidget(), 900, 700)


@pytest.fixture
def ran() -> list[str]:
    return []


@pytest.fixture
def palette(qtbot: QtBot, look: Look, window: QWidget, ran: list[str]) -> CommandPalette:
    entries = [PaletteEntry(name, f"Ctrl+{name[0]}", partial(ran.append, name)) for name in NAMES]
    palette = CommandPalette(look, entries, window)
    palette.open()
    return palette


def _field(palette: CommandPalette) -> QLineEdit:
    return palette.findChildren(QLineEdit)[0]


def test_it_offers_everything_at_first(palette: CommandPalette) -> None:
    assert palette.offered == list(NAMES)


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("zoom", ["Zoom in", "Zoom out"]),
        ("ZOOM ou", ["Zoom out"]),
        ("out zoom", ["Zoom out"]),
        ("xyz", []),
        (" ", list(NAMES)),
    ],
)
def test_it_offers_what_holds_all_words_typed(
    qtbot: QtBot, palette: CommandPalette, typed: str, offered: list[str]
) -> None:
    QTest.keyClicks(_field(palette), typed)
    assert palette.offered == offered


def test_enter_runs_the_first_and_closes(qtbot: QtBot, palette: CommandPalette, ran: list[str]) -> None:
    QTest.keyClicks(_field(palette), "zoom")
    QTest.keyClick(_field(palette), Qt.Key.Key_Return)
    assert ran == ["Zoom in"]
    assert not palette.isVisible()


@pytest.mark.parametrize(
    ("keys", "name"),
    [
        ([Qt.Key.Key_Down], "Zoom out"),
        ([Qt.Key.Key_Up], "Quit"),
        ([Qt.Key.Key_Down] * 4, "Zoom in"),
        ([Qt.Key.Key_Down, Qt.Key.Key_Up], "Zoom in"),
    ],
)
def test_the_arrows_move_and_go_round(
    qtbot: QtBot, palette: CommandPalette, ran: list[str], keys: list[Qt.Key], name: str
) -> None:
    for key in keys:
        QTest.keyClick(_field(palette), key)
    QTest.keyClick(_field(palette), Qt.Key.Key_Enter)
    assert ran == [name]


def test_a_click_runs(qtbot: QtBot, palette: CommandPalette, ran: list[str]) -> None:
    commands = palette.findChildren(QListWidget)[0]
    middle = commands.visualItemRect(commands.item(2)).center()
    QTest.mouseClick(commands.viewport(), Qt.MouseButton.LeftButton, pos=middle)
    assert ran == ["Next head"]


def test_escape_closes_and_runs_nothing(qtbot: QtBot, palette: CommandPalette, ran: list[str]) -> None:
    QTest.keyClick(_field(palette), Qt.Key.Key_Escape)
    assert not palette.isVisible()
    assert ran == []


def test_enter_on_nothing_does_nothing(qtbot: QtBot, palette: CommandPalette, ran: list[str]) -> None:
    QTest.keyClicks(_field(palette), "xyz")
    QTest.keyClick(_field(palette), Qt.Key.Key_Return)
    QTest.keyClick(_field(palette), Qt.Key.Key_Down)
    assert palette.isVisible()
    assert ran == []


def test_a_closed_palette_is_gone(qtbot: QtBot, palette: CommandPalette, window: QWidget) -> None:
    QTest.keyClick(_field(palette), Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: not window.findChildren(CommandPalette))


@pytest.mark.parametrize(("typed", "n_lines"), [("zoom", 2), ("quit", 1)])
def test_it_is_as_high_as_what_it_offers(
    qtbot: QtBot, palette: CommandPalette, look: Look, typed: str, n_lines: int
) -> None:
    QTest.keyClicks(_field(palette), typed)
    commands = palette.findChildren(QListWidget)[0]
    assert commands.viewport().height() == n_lines * look.pixels(32)
    assert palette.height() - commands.geometry().bottom() <= look.pixels(14)


def test_that_nothing_matches_stands_below_the_field(qtbot: QtBot, palette: CommandPalette) -> None:
    QTest.keyClicks(_field(palette), "xyz")
    (nothing,) = palette.findChildren(QLabel)
    assert nothing.isVisible()
    assert not palette.findChildren(QListWidget)[0].isVisible()
    assert nothing.y() - _field(palette).geometry().bottom() < 20
    assert palette.height() < 120


def test_of_many_lines_it_shows_as_many_as_there_is_height_for(
    qtbot: QtBot, look: Look, window: QWidget
) -> None:
    entries = [PaletteEntry(f"Command {number}", "", lambda: None) for number in range(100)]
    palette = CommandPalette(look, entries, window)
    palette.open()
    assert palette.height() == look.pixels(460)
