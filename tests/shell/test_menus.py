"""The list of checkpoints: sizes, where each comes from, how it loaded, and why one cannot be opened."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QLocale
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from bertviz_app.checkpoint.sources import Source
from bertviz_app.shell.menus import fill_models

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
    modified=1_700_000_000.0,
)
DAMAGED = replace(SOUND, name="a&b", problem="config.json is not valid JSON.")


@pytest.fixture
def menu(qtbot: QtBot) -> QMenu:
    made = QMenu()
    qtbot.addWidget(made)
    return made


def _fill(menu: QMenu, reports: dict[str, tuple[str, ...]]) -> list[str]:
    """Fill the menu; return what was opened from it."""
    opened: list[str] = []
    fill_models(menu, (SOUND, DAMAGED), opened.append, [], reports)
    return opened


def test_a_checkpoint_shows_its_sizes_and_where_it_comes_from(menu: QMenu) -> None:
    opened = _fill(menu, {})
    action = menu.actions()[0]
    assert action.text() == "org/tiny   BERT   6 × 12 × 384   30,522 pieces   91 MB"
    assert "cache" in action.toolTip()
    assert "2023" in action.toolTip() or QLocale().name() not in {"C", "en_US"}
    action.trigger()
    assert opened == [SOUND.ref]


def test_one_that_was_opened_shows_how_it_loaded(menu: QMenu) -> None:
    _fill(menu, {"org/tiny": ()})
    assert menu.actions()[0].toolTip().endswith("All its tensors fit.")
    _fill(menu, {"org/tiny": ("This checkpoint has no pooler.",)})
    assert menu.actions()[0].toolTip().endswith("This checkpoint has no pooler.")


def test_a_damaged_one_shows_why_and_cannot_be_chosen(menu: QMenu) -> None:
    _fill(menu, {})
    action = menu.actions()[1]
    assert not action.isEnabled()
    assert action.text() == "a&&b   (damaged)"
    assert action.toolTip().startswith("config.json is not valid JSON.")
