"""The command palette finds and runs commands; the notice says what to do and does it."""

from __future__ import annotations

from functools import partial

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QLineEdit, QListWidget, QPushButton, QScrollArea, QWidget
from pytestqt.qtbot import QtBot

from bertviz_app.views.dialogs.command_palette import CommandPalette, PaletteEntry
from bertviz_app.views.dialogs.shortcut_sheet import SheetGroup, ShortcutSheet
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.notice import Notice
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


@pytest.fixture
def notice(window: QWidget) -> Notice:
    return Notice(window)


@pytest.fixture
def field(window: QWidget) -> QWidget:
    field = QWidget(window)
    field.setGeometry(700, 10, 150, 30)
    field.show()
    return field


def _button(notice: Notice, name: str) -> QPushButton:
    return next(button for button in notice.findChildren(QPushButton) if button.objectName() == name)


def test_it_lies_under_its_field_and_within_the_window(notice: Notice, field: QWidget) -> None:
    notice.show_message(field, "The text is empty. Type a sentence.")
    assert notice.isVisible()
    assert notice.message == "The text is empty. Type a sentence."
    assert notice.geometry().top() >= field.geometry().bottom()
    assert notice.geometry().left() >= 0
    assert notice.geometry().right() <= 900


def test_a_long_message_is_shown_whole(notice: Notice, field: QWidget) -> None:
    notice.show_message(field, "short")
    low = notice.height()
    notice.show_message(field, "many words " * 40)
    assert notice.height() > 2 * low


def test_its_button_does_what_it_says_once(qtbot: QtBot, notice: Notice, field: QWidget) -> None:
    ran: list[str] = []
    notice.show_message(field, "No memory.", ("Use the CPU", lambda: ran.append("cpu")))
    button = _button(notice, "link")
    assert button.text() == "Use the CPU"
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert ran == ["cpu"]
    assert not notice.isVisible()


def test_without_a_way_out_there_is_no_button(notice: Notice, field: QWidget) -> None:
    notice.show_message(field, "No memory.", ("Use the CPU", notice.hide))
    notice.show_message(field, "The text is empty.")
    assert not _button(notice, "link").isVisible()


def test_it_can_be_closed(qtbot: QtBot, notice: Notice, field: QWidget) -> None:
    notice.show_message(field, "The text is empty.")
    QTest.mouseClick(_button(notice, "plain"), Qt.MouseButton.LeftButton)
    assert not notice.isVisible()


@pytest.mark.parametrize(("width", "n_columns"), [(1920, 3), (1280, 2), (700, 1)])
def test_the_sheet_has_as_many_columns_as_the_window_has_room_for(
    qtbot: QtBot, look: Look, width: int, n_columns: int
) -> None:
    window = on_screen(qtbot, QWidget(), width, 800)
    lines = tuple(("What a command does, in as many words as it takes", "Ctrl+Shift+X") for _ in range(4))
    sheet = ShortcutSheet(look, [SheetGroup(title, lines) for title in "ABC"], window)
    sheet.open()
    titles = [label for label in sheet.findChildren(QLabel) if label.text() in tuple("ABC")]
    assert len({label.mapTo(sheet, QPoint()).x() for label in titles}) == n_columns
    (area,) = sheet.findChildren(QScrollArea)
    assert area.horizontalScrollBar().maximum() == 0
