"""Every command has its line in the palette, and no two share a key."""

from __future__ import annotations

from collections import Counter

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QListWidget
from pytestqt.qtbot import QtBot

from bertviz_app.learning.example_facts import glossary
from bertviz_app.shell.commands.menus import Command, stop_entries
from bertviz_app.shell.commands.other_names import OTHER_NAMES
from bertviz_app.shell.window.window import MainWindow
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.views.dialogs.palette import CommandPalette

CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def commands(window: MainWindow) -> list[Command]:
    return window.commands()


def test_no_two_commands_share_a_key(commands: list[Command]) -> None:
    keys = Counter(QKeySequence(command.keys).toString() for command in commands if command.keys)
    assert "" not in keys
    assert [key for key, count in keys.items() if count > 1] == []


def test_no_two_commands_share_a_name(commands: list[Command]) -> None:
    assert len({command.text for command in commands}) == len(commands)


def test_every_key_is_a_shortcut_of_the_window(window: MainWindow, commands: list[Command]) -> None:
    shortcuts = {action.shortcut().toString() for action in window.actions()}
    expected = {c.keys for c in commands if c.keys and not c.is_shown_only}
    assert {QKeySequence(keys).toString() for keys in expected} <= shortcuts


def test_the_palette_lists_every_command_with_its_keys(window: MainWindow, commands: list[Command]) -> None:
    window.dialogs.open_palette()
    (palette,) = window.findChildren(CommandPalette)
    terms = [f"{entry.name.en} (what is it?)" for entry in glossary()]
    stops = [entry.text for entry in stop_entries(window.app_state)]
    assert palette.offered == [command.text for command in commands] + stops + terms
    lines = palette.findChildren(QListWidget)[0]
    keys = [lines.item(row).data(Qt.ItemDataRole.UserRole)[0] for row in range(lines.count())]
    assert keys == [command.shown_keys for command in commands] + [""] * len(stops + terms)
    palette.reject()


@pytest.mark.parametrize("typed", ["compare", "comparing"])
def test_comparing_is_found_by_either_form_of_the_word(commands: list[Command], typed: str) -> None:
    found = [command.text for command in commands if command.entry.fits((typed,))]
    assert "Start or stop comparing with a second run" in found


def test_other_names_are_of_commands_that_there_are(commands: list[Command]) -> None:
    assert set(OTHER_NAMES) <= {command.text for command in commands}


@pytest.mark.parametrize(
    ("typed", "text"),
    [
        ("training", "Train a model …"),
        ("사전 학습", "Train a model …"),
        ("settings", "Preferences …"),
        ("설정", "Preferences …"),
        ("dark mode", "Switch between light and dark"),
        ("다크", "Switch between light and dark"),
        ("font size", "Larger text"),
        ("language", "English"),
        ("full screen", "Presentation mode"),
        ("발표", "Presentation mode"),
        ("hugging face", "Open a checkpoint from the hub …"),
        ("tutorial", "Lessons …"),
        ("shortcuts", "All keys"),
        ("gpu", "Choose a device"),
        ("statistics", "Heads over a corpus …"),
    ],
)
def test_a_command_is_found_by_the_words_that_people_type(window: MainWindow, typed: str, text: str) -> None:
    window.dialogs.open_palette()
    (palette,) = window.findChildren(CommandPalette)
    palette.findChildren(QLineEdit)[0].setText(typed)
    assert palette.offered[0] == text
    palette.reject()


@pytest.mark.usefixtures("korean")
def test_other_names_are_found_while_the_program_speaks_korean(window: MainWindow) -> None:
    window.dialogs.open_palette()
    (palette,) = window.findChildren(CommandPalette)
    palette.findChildren(QLineEdit)[0].setText("training")
    assert palette.offered[0].startswith("모델 학습")
    palette.reject()


def test_control_k_opens_the_palette(qtbot: QtBot, window: MainWindow) -> None:
    QTest.keyClick(window, Qt.Key.Key_K, CTRL)
    qtbot.waitUntil(lambda: len(window.findChildren(CommandPalette)) == 1)
    window.findChildren(CommandPalette)[0].reject()


def test_keys_add_choose_and_close_panels(
    qtbot: QtBot, window_with_text: MainWindow, app_state: AppState
) -> None:
    panels = app_state.panels
    assert len(panels.panels) == 2
    QTest.keyClick(window_with_text, Qt.Key.Key_D, CTRL)
    assert len(panels.panels) == 3
    active = panels.active
    QTest.keyClick(window_with_text, Qt.Key.Key_BracketRight)
    assert panels.active != active
    QTest.keyClick(window_with_text, Qt.Key.Key_BracketLeft)
    assert panels.active == active
    QTest.keyClick(window_with_text, Qt.Key.Key_W, CTRL)
    assert len(panels.panels) == 2


def test_a_panel_is_drawn_as_lines_or_as_a_matrix_by_keys(
    window_with_text: MainWindow, app_state: AppState
) -> None:
    for key, view_kind in ((Qt.Key.Key_L, "lines"), (Qt.Key.Key_M, "matrix")):
        QTest.keyClick(window_with_text, key)
        assert app_state.panels.active is not None
        assert app_state.panels.active.view_kind == view_kind


@pytest.mark.parametrize(
    ("key", "step"),
    [
        (Qt.Key.Key_Left, (0, -1)),
        (Qt.Key.Key_Right, (0, 1)),
        (Qt.Key.Key_Up, (-1, 0)),
        (Qt.Key.Key_Down, (1, 0)),
    ],
)
def test_the_arrows_walk_heads_and_layers(
    window_with_text: MainWindow, app_state: AppState, key: Qt.Key, step: tuple[int, int]
) -> None:
    before = app_state.panels.active
    assert before is not None
    QTest.keyClick(window_with_text, key)
    after = app_state.panels.active
    assert after is not None
    assert (after.layer, after.head) == ((before.layer + step[0]) % 2, (before.head + step[1]) % 3)


def test_zoom_by_keys(window_with_text: MainWindow, app_state: AppState) -> None:
    QTest.keyClick(window_with_text, Qt.Key.Key_Plus)
    assert app_state.viewport.keys.length == pytest.approx(5 * 0.7)
    QTest.keyClick(window_with_text, Qt.Key.Key_Minus)
    assert app_state.viewport.is_whole
    QTest.keyClick(window_with_text, Qt.Key.Key_Plus)
    QTest.keyClick(window_with_text, Qt.Key.Key_0)
    assert app_state.viewport.is_whole


def test_escape_unpins(window_with_text: MainWindow, app_state: AppState) -> None:
    app_state.selection.pin(query=2)
    QTest.keyClick(window_with_text, Qt.Key.Key_Escape)
    assert not app_state.selection.pinned


def test_a_letter_typed_into_a_field_is_a_letter(window: MainWindow, app_state: AppState) -> None:
    before = app_state.panels.panels
    scale = window.main_area.cards.overview.view.options.value.is_per_head
    QTest.keyClicks(window.frame.bar.text, "lms0+-[]")
    assert window.frame.bar.text.text() == "lms0+-[]"
    assert app_state.panels.panels == before
    assert window.main_area.cards.overview.view.options.value.is_per_head == scale


def test_the_scale_of_the_overview_is_switched(window_with_text: MainWindow) -> None:
    QTest.keyClick(window_with_text, Qt.Key.Key_S)
    assert not window_with_text.main_area.cards.overview.view.options.value.is_per_head
    QTest.keyClick(window_with_text, Qt.Key.Key_S)
    assert window_with_text.main_area.cards.overview.view.options.value.is_per_head


def test_sentence_b_by_keys(window: MainWindow) -> None:
    QTest.keyClick(window, Qt.Key.Key_B, CTRL)
    assert window.frame.bar.pair.isVisible()
    QTest.keyClicks(window.frame.bar.pair, "hi")
    QTest.keyClick(window, Qt.Key.Key_B, CTRL | SHIFT)
    assert not window.frame.bar.pair.isVisible()
    QTest.keyClick(window, Qt.Key.Key_L, CTRL)
    assert window.frame.bar.text.hasFocus()
