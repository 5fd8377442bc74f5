"""The list of checkpoints: sizes, where each comes from, how it loaded, and why one cannot be opened."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import get_args
from unittest.mock import Mock

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

from bertviz_app.checkpoint.sources.source import Origin, Source
from bertviz_app.inference.opened_checkpoint import Device
from bertviz_app.shell.commands.menus import (
    Command,
    Listed,
    add_bfloat16,
    fill_commands,
    fill_models,
    fill_recents,
)
from bertviz_app.shell.session import Files, Recents
from bertviz_app.shell.settings.appearance import read_palette
from bertviz_app.views.bars.buttons import ColumnsMenu
from bertviz_app.views.kit.look import Look
from tests.support.fakes import FACTS

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


def test_days_are_written_as_the_language_writes_them(menu: ColumnsMenu, korean: None) -> None:
    _fill(menu, Listed(SOUND))
    day = date.fromtimestamp(SOUND.modified)
    assert f"2023. 11. {day.day}." in menu.actions()[1].text()
    assert f"2023. 11. {day.day}." in menu.actions()[1].toolTip()


@pytest.mark.parametrize("origin", get_args(Origin))
def test_every_place_that_a_checkpoint_comes_from_has_a_name(menu: ColumnsMenu, origin: Origin) -> None:
    _fill(menu, Listed(replace(SOUND, origin=origin)))
    assert len(_cells(menu.actions()[1])) == 8


def test_a_notebook_without_answers_is_listed_with_the_facts_that_are_known(menu: ColumnsMenu) -> None:
    _fill(menu, Listed(NOTEBOOK), Listed(replace(NOTEBOOK, width=0, n_parameters=0, family="")))
    whole, unknown = map(_cells, menu.actions()[1:3])
    assert whole[1:5] == ["Notebook", "6 × ? × 384", "30,522", "22,713,216"]
    assert whole[-2:] == ["folder", "has open questions"]
    assert unknown[:2] == ["mine", "137 kB"]


def test_a_checkpoint_in_memory_is_labelled_and_the_one_in_use_is_checked(menu: ColumnsMenu) -> None:
    _fill(menu, Listed(SOUND, is_open=True, is_shown=True, seen=FACTS), Listed(SOUND, is_open=True))
    shown, other = menu.actions()[1:3]
    assert shown.isChecked()
    assert not other.isChecked()
    assert other.text().endswith("in memory")
    assert "opens at once" in other.toolTip()


def test_one_that_was_opened_shows_how_it_loaded(menu: ColumnsMenu) -> None:
    _fill(menu, Listed(SOUND, seen=FACTS))
    assert menu.actions()[1].toolTip().endswith("All tensors match.")
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


def test_a_menu_of_commands_that_is_filled_anew_leaves_no_submenu_behind(menu: ColumnsMenu) -> None:
    commands = [
        Command("Open", "Ctrl+O", lambda: None, group="File"),
        Command("Run", "F5", lambda: None, group="Run"),
    ]
    for _ in range(3):
        fill_commands(menu, commands)
        assert [action.text() for action in menu.actions()] == ["File", "Run"]
    assert _submenus(menu) == ["File", "Run"]


def test_a_menu_of_what_was_used_last_leaves_no_submenu_behind(menu: ColumnsMenu, tmp_path: Path) -> None:
    recents = Recents(tmp_path / "recents.json", lambda: 9)
    recents.add_checkpoint("org/tiny")
    for _ in range(3):
        fill_recents(menu, recents, Mock(spec=Files))
    assert _submenus(menu) == ["Checkpoints"]


def test_bfloat16_is_a_switch_below_the_devices(qapp: QApplication) -> None:
    menu, chosen = QMenu(), list[str]()
    add_bfloat16(menu, (Device("cpu", "CPU", ""),), "auto", chosen.append)
    switch = menu.actions()[-1]
    assert (switch.isEnabled(), switch.isChecked()) == (True, False)
    switch.trigger()
    switch.trigger()
    assert chosen == ["bfloat16", "float32"]


def test_bfloat16_is_disabled_with_the_reason_where_the_device_lacks_it(qapp: QApplication) -> None:
    menu, chosen = QMenu(), list[str]()
    device = Device("cpu", "CPU", "", lacks_bfloat16="This processor has no instructions for bfloat16.")
    add_bfloat16(menu, (device,), "cpu", chosen.append)
    switch, reason = menu.actions()[-2:]
    assert (switch.isEnabled(), reason.isEnabled()) == (False, False)
    assert reason.text() == device.lacks_bfloat16
    menu.clear()
    add_bfloat16(menu, (device,), "cpu/bfloat16", chosen.append)  # from a session of another computer
    switch = menu.actions()[-2]
    switch.trigger()
    assert chosen == ["float32"]
