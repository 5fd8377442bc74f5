"""The command palette finds and runs commands; the notice says what to do and does it."""

from __future__ import annotations

from functools import partial

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QLineEdit, QListWidget, QPushButton, QScrollArea, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from bertviz_app.views.dialogs.command_palette import CommandPalette, PaletteEntry
from bertviz_app.views.dialogs.shortcut_sheet import SheetGroup, ShortcutSheet
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.notice import Notice, NoticeArea, notice_area
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
    return Notice(NoticeArea(window))


def _button(notice: Notice, name: str) -> QPushButton:
    return next(button for button in notice.findChildren(QPushButton) if button.objectName() == name)


def test_it_covers_nothing(qtbot: QtBot, window: QWidget) -> None:
    area, below = NoticeArea(), QLabel("the tokens")
    column = QVBoxLayout(window)
    column.addWidget(area)
    column.addWidget(below, 1)
    notices = [Notice(area), Notice(area)]
    qtbot.waitUntil(lambda: below.geometry().top() < 20)
    for notice in notices:
        notice.show_message("The text has a control character. Take it out.")
    qtbot.waitUntil(lambda: below.geometry().top() > area.geometry().bottom() > 70)
    assert notices[0].geometry().bottom() < notices[1].geometry().top()
    assert area.geometry().right() <= window.width()
    for notice in notices:
        notice.dismiss()
    qtbot.waitUntil(lambda: below.geometry().top() < 20)


def test_a_window_has_one_area(window: QWidget) -> None:
    area = notice_area(window)
    assert notice_area(window) is area


def test_a_long_message_is_shown_whole(notice: Notice) -> None:
    notice.show_message("short")
    low = notice.sizeHint().height()
    notice.show_message("many words " * 40)
    assert notice.heightForWidth(600) > 2 * low


def test_its_button_does_what_it_says_once(qtbot: QtBot, notice: Notice) -> None:
    ran: list[str] = []
    notice.show_message("No memory.", ("Use the CPU", lambda: ran.append("cpu")))
    button = _button(notice, "link")
    assert button.text() == "Use the CPU"
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert ran == ["cpu"]
    assert not notice.isVisible()


def test_without_a_way_out_there_is_no_button(notice: Notice) -> None:
    notice.show_message("No memory.", ("Use the CPU", notice.dismiss))
    notice.show_message("The text is empty.")
    assert not _button(notice, "link").isVisible()


def test_it_can_be_closed(qtbot: QtBot, notice: Notice) -> None:
    notice.show_message("The text is empty.")
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
