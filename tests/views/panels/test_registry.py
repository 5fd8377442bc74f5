"""Every kind of panel has a view, and words of its own; pictures of data stand in pyqtgraph's scene."""

from __future__ import annotations

import re
from types import ModuleType

import pyqtgraph as pg
import pytest
from PySide6.QtCore import QCoreApplication
from pytestqt.qtbot import QtBot

from bertviz_app.viewmodels.panel_kinds import ALL_KINDS, PANEL_KINDS
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.panel_view import PanelView
from bertviz_app.views.panels.registry import PANEL_ENTRIES
from tests.support.fakes import HeldJobs
from tests.support.module_facts import ROOT
from tests.support.scene import move, on_screen, picture_of, random_attention
from tests.support.vector_scene import VectorScene

TABLES = frozenset({"ranking", "pieces", "table"})
"""Views that are a table of texts and numbers, in a QTableView."""


def test_every_kind_of_panel_has_a_view_and_no_view_is_without_a_kind() -> None:
    assert list(PANEL_ENTRIES) == list(ALL_KINDS)


def test_no_two_kinds_share_a_title_a_command_or_a_key() -> None:
    words = [kind.words(QCoreApplication.translate) for kind in PANEL_KINDS.values()]
    for values in (
        [word.title for word in words],
        [word.command for word in words],
        [kind.shortcut for kind in PANEL_KINDS.values()],
    ):
        assert len(set(values)) == len(PANEL_KINDS)


@pytest.mark.parametrize("key", [key for key in ALL_KINDS if key not in TABLES])
def test_every_view_of_the_catalogue_that_draws_data_holds_a_view_of_pyqtgraph(
    qtbot: QtBot, look: Look, key: str
) -> None:
    scene = VectorScene(look, HeldJobs())
    qtbot.addWidget(scene.view)
    view = PANEL_ENTRIES[key].make(scene.tools)
    qtbot.addWidget(view)
    assert view.findChildren(pg.GraphicsView)


def test_the_example_of_the_how_to_is_a_view_that_can_be_pointed_at(qtbot: QtBot, look: Look) -> None:
    page = (ROOT / "resources/docs/how-to/add_a_panel_view.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(\"\"\"`EntropyView`.*?)```", page, re.DOTALL)
    module = ModuleType("entropy")
    exec(compile(code, "entropy.py", "exec"), module.__dict__)
    scene = VectorScene(look, HeldJobs())
    qtbot.addWidget(scene.view)
    view: PanelView = module.EntropyView(scene.tools)
    view.show_picture(picture_of(random_attention(8)))
    on_screen(qtbot, view, 500, 300)
    plot, box = module.__dict__["Plot"], view.findChild(pg.GraphicsView)
    assert isinstance(box, plot)
    middle = box.boxes[0].geometry().center()
    at = box.mapTo(view, middle.toPoint())
    move(view, at.x() + 5, at.y())
    title, number = box.read_out.lines
    assert title == "w4"
    assert number.endswith(" bits")
