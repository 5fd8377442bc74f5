"""The commands: their names and keys, the menus that they stand in, and those of stops and steps."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import get_args
from unittest.mock import Mock

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QListWidget, QMenu
from pytestqt.qtbot import QtBot

from bertviz_app.checkpoint.sources.source import Origin, Source
from bertviz_app.features.lessons.window.lessons import Lessons
from bertviz_app.features.steps.palette import stop_entries
from bertviz_app.features.steps.views.view import StepsView
from bertviz_app.inference.opened_checkpoint import Device
from bertviz_app.learning.glossary import glossary
from bertviz_app.shell.commands.menus import (
    OTHER_NAMES,
    Command,
    Listed,
    add_bfloat16,
    fill_commands,
    fill_models,
    fill_recents,
)
from bertviz_app.shell.session import Files, Recents
from bertviz_app.shell.settings import read_palette
from bertviz_app.shell.window.window import MainWindow
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.name_search import Names, NameSearch
from bertviz_app.viewmodels.panel import Panel
from bertviz_app.views.bars.buttons import ColumnsMenu
from bertviz_app.views.dialogs.palette import CommandPalette
from bertviz_app.views.kit.look import Look
from tests.support.fakes import FACTS
from tests.support.scene import headings_of, not_none
from tests.support.window_fixtures import Settle

CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def commands(window: MainWindow) -> list[Command]:
    return window.commands()


def test_commands_have_names_and_keys_of_their_own_and_every_key_is_a_shortcut_of_the_window(
    window: MainWindow, commands: list[Command]
) -> None:
    keys = Counter(QKeySequence(command.keys).toString() for command in commands if command.keys)
    assert "" not in keys
    assert [key for key, count in keys.items() if count > 1] == []
    assert len({command.text for command in commands}) == len(commands)
    shortcuts = {action.shortcut().toString() for action in window.actions()}
    expected = {c.keys for c in commands if c.keys and not c.is_shown_only}
    assert {QKeySequence(each).toString() for each in expected} <= shortcuts
    assert set(OTHER_NAMES) <= {command.text for command in commands}
    for typed in ("compare", "comparing"):
        names = [Names(command.entry.text, command.entry.also) for command in commands]
        found = [commands[number].text for number in NameSearch(names).find(typed)]
        assert "Start or stop comparing with a second run" in found


def test_the_palette_lists_every_command_with_its_keys(window: MainWindow, commands: list[Command]) -> None:
    window.dialogs.open_palette()
    (palette,) = window.findChildren(CommandPalette)
    terms = [f"{entry.name.en} (what is it?)" for entry in glossary()]
    others = [*stop_entries(window.app_state), *window.part(Lessons).palette_entries()]
    stops = [entry.text for entry in others]
    groups = headings_of(palette)
    in_groups = sorted(commands, key=lambda command: groups.index(command.group))
    offered = [text for text in palette.offered if text not in stops]  # they are in the groups of their rooms
    assert offered == [command.text for command in in_groups] + terms
    assert groups == list(dict.fromkeys([*(c.group for c in commands), "Glossary"]))
    lines = palette.findChildren(QListWidget)[0]
    rows = map(lines.item, range(lines.count()))
    keys = [row.data(Qt.ItemDataRole.UserRole)[0] for row in rows if row.flags()]
    assert [key for key in keys if key] == [command.shown_keys for command in in_groups if command.keys]
    palette.reject()


def test_a_command_is_found_by_the_words_that_people_type(window: MainWindow) -> None:
    for typed, text in [
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
        ("lesson list", "Lessons …"),
        ("each head muted", "Show in the panel: Head ablation"),
        ("entrpy", "Overview: show Entropy"),
    ]:
        window.dialogs.open_palette()
        (palette,) = (each for each in window.findChildren(CommandPalette) if each.isVisible())
        palette.findChildren(QLineEdit)[0].setText(typed)
        found = palette.offered[:2]
        palette.reject()
        assert text in found


def test_keys_add_choose_draw_walk_and_close_panels(
    window_with_text: MainWindow, app_state: AppState
) -> None:
    panels = app_state.panels

    def press(key: Qt.Key, keys: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> Panel:
        QTest.keyClick(window_with_text, key, keys)
        assert panels.active is not None
        return panels.active

    assert len(panels.panels) == 2
    active = press(Qt.Key.Key_D, CTRL)
    assert len(panels.panels) == 3
    assert press(Qt.Key.Key_BracketRight) != active
    assert press(Qt.Key.Key_BracketLeft) == active
    assert press(Qt.Key.Key_L).view_kind == "lines"
    before = press(Qt.Key.Key_M)
    assert before.view_kind == "matrix"
    steps = {
        Qt.Key.Key_Left: (0, -1),
        Qt.Key.Key_Right: (0, 1),
        Qt.Key.Key_Up: (-1, 0),
        Qt.Key.Key_Down: (1, 0),
    }
    for key, (layers, heads) in steps.items():
        after = press(key)
        assert (after.layer, after.head) == ((before.layer + layers) % 2, (before.head + heads) % 3)
        before = after
    press(Qt.Key.Key_W, CTRL)
    assert len(panels.panels) == 2


def test_keys_zoom_unpin_scale_and_open_the_palette(
    qtbot: QtBot, window_with_text: MainWindow, app_state: AppState
) -> None:
    QTest.keyClick(window_with_text, Qt.Key.Key_Plus)
    assert app_state.viewport.keys.length == pytest.approx(5 * 0.7)
    QTest.keyClick(window_with_text, Qt.Key.Key_Minus)
    assert app_state.viewport.is_whole
    QTest.keyClick(window_with_text, Qt.Key.Key_Plus)
    QTest.keyClick(window_with_text, Qt.Key.Key_0)
    assert app_state.viewport.is_whole
    app_state.selection.pin(query=2)
    QTest.keyClick(window_with_text, Qt.Key.Key_Escape)
    assert not app_state.selection.pinned
    for is_per_head in (False, True):
        QTest.keyClick(window_with_text, Qt.Key.Key_S)
        assert app_state.store.now.overview.is_per_head is is_per_head
    QTest.keyClick(window_with_text, Qt.Key.Key_K, CTRL)
    qtbot.waitUntil(lambda: len(window_with_text.findChildren(CommandPalette)) == 1)
    window_with_text.findChildren(CommandPalette)[0].reject()


def test_a_letter_typed_into_a_field_is_a_letter_and_sentence_b_comes_by_keys(
    window: MainWindow, app_state: AppState
) -> None:
    before, bar = app_state.panels.panels, window.frame.bar
    scale = app_state.store.now.overview.is_per_head
    QTest.keyClicks(bar.text, "lms0+-[]")
    assert bar.text.text() == "lms0+-[]"
    assert app_state.panels.panels == before
    assert app_state.store.now.overview.is_per_head == scale
    QTest.keyClick(window, Qt.Key.Key_B, CTRL)
    assert bar.pair.isVisible()
    QTest.keyClicks(bar.pair, "hi")
    QTest.keyClick(window, Qt.Key.Key_B, CTRL | SHIFT)
    assert not bar.pair.isVisible()
    QTest.keyClick(window, Qt.Key.Key_L, CTRL)
    assert bar.text.hasFocus()


SOUND = Source(
    "org/tiny",
    Path("/models/tiny"),
    "cache",
    91_000_000,
    family="BERT",
    n_layers=6,
    n_heads=12,
    width=384,
    vocabulary_size=30_522,
    n_parameters=22_713_216,
    modified=1_700_000_000.0,
)

DAMAGED = replace(SOUND, name="a&b", problem="config.json is not valid JSON.")

NOTEBOOK = replace(
    SOUND, name="mine", origin="folder", family="Notebook", n_heads=0, n_bytes=137_000, asks=True
)


@pytest.fixture
def menu(qtbot: QtBot) -> ColumnsMenu:
    menu = ColumnsMenu(Look(read_palette("light")))
    qtbot.addWidget(menu)
    return menu


def _fill(menu: ColumnsMenu, *listed: Listed) -> list[str]:
    """Fill the menu; return what was opened from it."""
    opened: list[str] = []
    fill_models(menu, listed, opened.append, [])
    return opened


def _cells(action: QAction) -> list[str]:
    """Return the cells of a line of the picker."""
    return action.text().split("  ")


def test_a_checkpoint_shows_its_sizes_its_date_and_where_it_comes_from(menu: ColumnsMenu) -> None:
    opened = _fill(menu, Listed(SOUND))
    head, action = menu.actions()[:2]
    day = date.fromtimestamp(SOUND.modified)
    facts = ["BERT", "6 × 12 × 384", "30,522", "22,713,216", "91 MB", f"{day.day} Nov 2023", "cache"]
    assert _cells(action) == ["org/tiny", *facts]
    assert _cells(head)[2:5] == ["layers × heads × width", "vocabulary", "parameters"]
    assert not head.isEnabled()
    assert "Hugging Face cache" in action.toolTip()
    action.trigger()
    assert opened == [SOUND.ref]


def test_days_are_written_as_the_language_writes_them_and_every_origin_has_a_name(
    menu: ColumnsMenu, korean: None
) -> None:
    for origin in get_args(Origin):
        _fill(menu, Listed(replace(SOUND, origin=origin)))
        assert len(_cells(menu.actions()[1])) == 8
    day = date.fromtimestamp(SOUND.modified).day
    assert f"2023. 11. {day}." in menu.actions()[1].text()
    assert f"2023. 11. {day}." in menu.actions()[1].toolTip()


def test_a_notebook_without_answers_is_listed_with_the_facts_that_are_known(menu: ColumnsMenu) -> None:
    _fill(menu, Listed(NOTEBOOK), Listed(replace(NOTEBOOK, width=0, n_parameters=0, family="")))
    whole, unknown = map(_cells, menu.actions()[1:3])
    assert whole[1:5] == ["Notebook", "6 × ? × 384", "30,522", "22,713,216"]
    assert whole[-2:] == ["folder", "has open questions"]
    assert unknown[:2] == ["mine", "137 kB"]


def test_a_checkpoint_in_memory_is_labelled_the_one_in_use_checked_and_how_it_loaded_said(
    menu: ColumnsMenu,
) -> None:
    _fill(menu, Listed(SOUND, is_open=True, is_shown=True, seen=FACTS), Listed(SOUND, is_open=True))
    shown, other = menu.actions()[1:3]
    assert shown.isChecked()
    assert shown.toolTip().endswith("All tensors match.")
    assert not other.isChecked()
    assert other.text().endswith("in memory")
    assert "opens at once" in other.toolTip()
    _fill(menu, Listed(SOUND, seen=replace(FACTS, remarks=("This checkpoint has no pooler.",))))
    assert menu.actions()[1].toolTip().endswith("This checkpoint has no pooler.")


def test_a_damaged_one_shows_why_and_cannot_be_chosen(menu: ColumnsMenu) -> None:
    _fill(menu, Listed(DAMAGED))
    action = menu.actions()[0]
    assert not action.isEnabled()
    assert action.text() == "a&&b   damaged: config.json is not valid JSON."
    assert action.toolTip().startswith("config.json is not valid JSON.")


def _submenus(menu: ColumnsMenu) -> list[str]:
    """Return the titles of the submenus, once what is to be deleted is gone."""
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    return [below.title() for below in menu.findChildren(QMenu)]


def test_a_menu_that_is_filled_anew_leaves_no_submenu_behind(menu: ColumnsMenu, tmp_path: Path) -> None:
    commands = [
        Command("Open", "Ctrl+O", lambda: None, group="File"),
        Command("Larger", "+", lambda: None, group="View"),
        Command("Run", "F5", lambda: None, group="Analyses"),
    ]
    for _ in range(3):
        fill_commands(menu, commands)
        assert [action.text() for action in menu.actions()] == ["File", "View"], "the palette has the rest"
    assert _submenus(menu) == ["File", "View"]
    recents = Recents(tmp_path / "recents.json", lambda: 9)
    recents.add_checkpoint("org/tiny")
    for _ in range(3):
        fill_recents(menu, recents, Mock(spec=Files))
    assert _submenus(menu) == ["Checkpoints"]


def test_bfloat16_is_a_switch_below_the_devices_disabled_with_the_reason_where_it_is_lacking(
    qapp: QApplication,
) -> None:
    menu, chosen = QMenu(), list[str]()
    add_bfloat16(menu, (Device("cpu", "CPU", ""),), "auto", chosen.append)
    switch = menu.actions()[-1]
    assert (switch.isEnabled(), switch.isChecked()) == (True, False)
    switch.trigger()
    switch.trigger()
    assert chosen == ["bfloat16", "float32"]
    assert switch.text() == "bfloat16: faster, less exact"
    menu.clear()
    add_bfloat16(menu, (Device("cpu", "CPU", "", may_be_slower_in_bfloat16=True),), "cpu", chosen.append)
    assert menu.actions()[-1].text() == "bfloat16: less exact, and often slower here (no AMX)"
    assert menu.actions()[-1].isEnabled()
    menu.clear()
    device = Device("cpu", "CPU", "", lacks_bfloat16="This processor has no instructions for bfloat16.")
    add_bfloat16(menu, (device,), "cpu", chosen.append)
    switch, reason = menu.actions()[-2:]
    assert (switch.isEnabled(), reason.isEnabled()) == (False, False)
    assert reason.text() == device.lacks_bfloat16
    menu.clear()
    add_bfloat16(menu, (device,), "cpu/bfloat16", chosen.append)  # from a session of another computer
    menu.actions()[-2].trigger()
    assert chosen[2:] == ["float32"]


def _steps(window: MainWindow) -> StepsView:
    (view,) = window.main_area.area.findChildren(StepsView)
    return view


def test_the_first_step_opens_the_panel_and_the_others_walk(
    window_with_text: MainWindow, app_state: AppState
) -> None:
    QTest.keyClick(window_with_text, Qt.Key.Key_Period)
    active = not_none(app_state.panels.active)
    assert active.view_kind == "steps"
    view = _steps(window_with_text)
    before = view.walk.position
    QTest.keyClick(window_with_text, Qt.Key.Key_Period)
    QTest.keyClick(window_with_text, Qt.Key.Key_Period)
    QTest.keyClick(window_with_text, Qt.Key.Key_Comma)
    assert view.walk.position == before + 1


def test_keys_walk_follow_the_next_token_and_show_the_table_also_from_another_panel(
    qtbot: QtBot, window_with_text: MainWindow, app_state: AppState
) -> None:
    QTest.keyClick(window_with_text, Qt.Key.Key_P)
    view, panels = _steps(window_with_text), app_state.panels
    for keys, token in ((Qt.KeyboardModifier.NoModifier, 2), (SHIFT, 1)):
        QTest.keyClick(window_with_text, Qt.Key.Key_N, keys)
        assert view.followed.query == token
        assert token == 1 or app_state.selection.pinned.query == token
    QTest.keyClick(window_with_text, Qt.Key.Key_T)
    assert view.table.isVisible()
    QTest.keyClick(window_with_text, Qt.Key.Key_T)
    assert view.walking.isVisible()
    panels.show(0, 1)
    qtbot.waitUntil(lambda: view.walk.layer == 0)
    QTest.keyClick(view, Qt.Key.Key_PageDown)
    active = not_none(panels.active)
    assert (active.layer, active.head, view.walk.layer) == (1, 1, 1), "the next layer takes the panel there"
    position = view.walk.position
    QTest.keyClick(window_with_text, Qt.Key.Key_BracketRight)
    assert panels.active is not None
    assert panels.active.view_kind != "steps"
    QTest.keyClick(window_with_text, Qt.Key.Key_Period)
    assert view.walk.position == position + 1
    assert panels.active.view_kind != "steps"


@pytest.fixture
def shown(window: MainWindow, app_state: AppState, settle: Settle) -> MainWindow:
    settle("the cat sat")
    return window


@pytest.mark.parametrize("language", ["en", "ko"])
def test_a_stop_is_found_by_its_name_and_gone_to(
    shown: MainWindow, app_state: AppState, settle: Settle, language: str
) -> None:
    shown.appearance.choose_language(language)
    stages = {"softmax": "softmax", "소프트맥스": "softmax", "weighted sum": "mixed", "쿼리": "queries"}
    for typed, stage in (stages | {"steps: softmax": "softmax"}).items():
        app_state.panels.open([Panel(0, 1, 2, "matrix")])
        shown.dialogs.open_palette()
        palette = shown.findChildren(CommandPalette)[-1]
        palette.findChildren(QLineEdit)[0].setText(f"{typed} · ")
        assert palette.offered
        palette.reject()
        entries = stop_entries(app_state)
        found = NameSearch([Names(entry.text, entry.also) for entry in entries]).find(typed)
        entries = [entries[number] for number in found]
        chosen = next(entry for entry in entries if entry.run.args[1].stage == stage)  # type: ignore[attr-defined]
        chosen.run()
        settle()
        (view,) = (each for each in shown.findChildren(StepsView) if each.isVisible())
        assert (view.walk.stop.stage, view.walk.stop.section) == (stage, 1)
    shown.appearance.choose_language("en")


def test_each_stop_of_the_panel_is_a_line_and_the_first_steps_panel_takes_it(
    shown: MainWindow, app_state: AppState, settle: Settle
) -> None:
    app_state.panels.open([Panel(0, 0, 2, "matrix"), Panel(0, 1, 1, "steps")])
    settle()
    entries = stop_entries(app_state)
    assert len({entry.text for entry in entries}) == len(entries)
    entries[0].run()
    settle()
    (view,) = (each for each in shown.findChildren(StepsView) if each.isVisible())
    assert view.walk.stop == view.walk.stops[0]
    assert [panel.view_kind for panel in app_state.panels.panels] == ["matrix", "steps"]
    view.walk.turn()  # the table
    entries[-1].run()
    settle()
    assert view.walk.form == "walk"
    assert view.walk.stop == view.walk.stops[-1]


def test_without_a_text_there_is_no_stop(window: MainWindow, app_state: AppState) -> None:
    QApplication.processEvents()
    assert stop_entries(app_state) == []
