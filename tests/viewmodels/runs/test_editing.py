"""Edits by menus and keys: of which run they are, and what can be edited at all."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication

from bertviz_app.options import RUNS
from bertviz_app.text import Edits
from bertviz_app.text.edits import MASK
from bertviz_app.viewmodels.panels import Panel
from bertviz_app.viewmodels.runs import encoding as module
from bertviz_app.viewmodels.runs.editing import EditedRun, Editing
from bertviz_app.viewmodels.runs.requests import OtherRun
from bertviz_app.viewmodels.selection import Pair, Selection
from tests.support.held_state import HeldPanels


class _Scene(HeldPanels):
    """Runs A, “the cat sat”, and B, “the cat slept”, each in a panel of its own."""

    def __init__(self, application: QApplication) -> None:
        super().__init__(application)
        self.selections = {run: Selection() for run in RUNS}
        self.editing = Editing(self.workspace, self.comparison, self.panels, self.selections)
        self.replacements: list[tuple[int, str]] = []
        self.editing.replacement_requested.connect(lambda *of: self.replacements.append(of))
        self.record(self.editing, "prediction_requested")
        self.open()
        self.type("the cat sat")

    def compare_texts(self) -> None:
        self.compare(OtherRun(text="the cat slept"))
        self.panels.open(
            [Panel(0, 0, 1, "matrix"), Panel(0, 1, 2, "matrix", "B"), Panel(0, 1, 2, "matrix", "A-B")]
        )

    def activate(self, index: int) -> None:
        self.panels.activate(self.panels.panels[index].number)


@pytest.fixture
def scene(qapp: QApplication, monkeypatch: pytest.MonkeyPatch) -> _Scene:
    monkeypatch.setattr(module, "DEBOUNCE_MS", 0)
    return _Scene(qapp)


@pytest.mark.parametrize(("panel", "run"), [(0, "A"), (1, "B"), (2, "A")])
def test_keys_act_on_the_run_of_the_active_panel_and_on_run_a_of_a_difference(
    scene: _Scene, panel: int, run: str
) -> None:
    scene.compare_texts()
    scene.activate(panel)
    scene.selections["A"].pin(query=1)
    scene.selections["B"].pin(query=3)
    assert (scene.editing.run, scene.editing.pinned) == (run, 3 if run == "B" else 1)


def test_a_token_of_run_b_is_masked_replaced_and_restored_there_alone(scene: _Scene) -> None:
    scene.compare_texts()
    for piece in (MASK, "cat", None):
        scene.editing.put("B", 3, piece)
        scene.work()
        replaced = () if piece is None else ((3, piece),)
        assert scene.comparison.other == OtherRun(text="the cat slept", edits=Edits(replaced=replaced))
    assert scene.workspace.edits == Edits()


def test_the_head_of_a_panel_of_run_b_is_muted_there(scene: _Scene) -> None:
    scene.compare_texts()
    scene.activate(1)
    scene.editing.toggle_mute_active()
    scene.work()
    assert scene.comparison.other == OtherRun(text="the cat slept", edits=Edits(((1, 2),)))
    scene.activate(2)
    scene.editing.toggle_mute_active()
    scene.work()
    assert scene.workspace.edits == Edits(((1, 2),)), "of a difference it is run A"


def test_a_comparison_with_an_edit_leaves_run_a_alone(scene: _Scene) -> None:
    scene.panels.open([Panel(0, 1, 0, "matrix")])
    scene.editing.compare_token(2, "dog")
    scene.work()
    assert scene.comparison.other == OtherRun(edits=Edits(replaced=((2, "dog"),)))
    scene.comparison.end()
    scene.editing.compare_active()
    scene.work()
    assert scene.comparison.other == OtherRun(edits=Edits(((1, 0),)))
    assert scene.workspace.edits == Edits()


@pytest.mark.parametrize("position", [-1, 0, 4, 5])
def test_a_special_token_and_none_at_all_are_not_edited(scene: _Scene, position: int) -> None:
    scene.engine.task_heads = ("masked",)
    scene.type("the cat ate")
    for edit in (
        scene.editing.toggle_mask,
        scene.editing.compare_token,
        scene.editing.predict,
        scene.editing.ask_for_replacement,
    ):
        edit(position)
    scene.work()
    assert (scene.workspace.edits, scene.comparison.other) == (Edits(), None)
    assert (scene.replacements, scene.signals) == ([], [])


@pytest.mark.parametrize("run", ["A", "compared"])
def test_replacing_a_token_requests_a_piece_from_the_user(scene: _Scene, run: EditedRun) -> None:
    scene.editing.ask_for_replacement(2, run)
    assert scene.replacements == [(2, run)]


def test_a_prediction_masks_the_token_pins_it_and_is_to_be_shown(scene: _Scene) -> None:
    scene.editing.predict(2)
    assert (scene.workspace.edits, scene.signals) == (Edits(), []), "this model has no such head"
    scene.engine.task_heads = ("masked",)
    scene.type("the cat ate")
    scene.editing.predict(2)
    scene.work()
    assert scene.workspace.edits == Edits(replaced=((2, "[MASK]"),))
    assert scene.selections["A"].pinned == Pair(2)
    assert scene.signals == ["prediction_requested"]
