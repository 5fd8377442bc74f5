"""The slider at the softmax: the row's weights with another divisor, beside the model's own."""

from __future__ import annotations

from dataclasses import fields
from typing import cast

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from bertviz_app.types import Doubles, Floats
from bertviz_app.viewmodels.steps.stops import Stop
from bertviz_app.views.kit.look import Look
from bertviz_app.views.steps.divisor_bar import DivisorBar
from bertviz_app.views.steps.sheets.flow_sheet import FlowSheet
from tests.support.factories import biased_trace
from tests.support.steps_scene import StepsScene


@pytest.fixture
def scene(qtbot: QtBot, look: Look) -> StepsScene:
    shown = StepsScene(qtbot, look, size=(1100, 620))
    shown.view.walk.go(Stop(1, "softmax"))
    return shown


def _bar(scene: StepsScene) -> DivisorBar:
    return cast("DivisorBar", scene.view.findChild(DivisorBar))


def _columns(scene: StepsScene) -> dict[str, Floats]:
    sheet = scene.view.walking.sheet
    assert isinstance(sheet, FlowSheet)
    return {column.name: column.values for column in sheet.columns}


def _softmax(scores: Doubles) -> Doubles:
    exponentials = np.exp(scores - scores.max())
    weights: Doubles = exponentials / exponentials.sum()
    return weights


def test_the_slider_moves_the_weights_of_the_row_beside_the_models_own(scene: StepsScene) -> None:
    row = slice(1, 2)
    products = scene.trace.scores(1, 2, row, scaled=False)[0].astype(float)
    own = scene.trace.attention(1, 2, row)[0]
    assert "what_if" not in _columns(scene)
    for step, divisor in ((-100, np.sqrt(8) / 10), (50, np.sqrt(80))):
        _bar(scene).slider.setValue(step)
        shown = _columns(scene)
        np.testing.assert_allclose(shown["what_if"], _softmax(products / divisor), rtol=1e-4, atol=1e-7)
        np.testing.assert_array_equal(shown["weight"], own)
        assert "The model's own weights are α: ÷ √8 = 2.83" in _bar(scene).note.text()
    scene.view.grab()
    _bar(scene).reset.click()
    assert "what_if" not in _columns(scene)
    assert "What if" in _bar(scene).note.text()
    assert not _bar(scene).reset.isEnabled()


def test_nothing_else_changes_and_the_next_stop_forgets_it(scene: StepsScene) -> None:
    steps = scene.tensors.steps
    assert steps is not None
    before = {field.name: getattr(steps, field.name) for field in fields(steps)}
    _bar(scene).slider.setValue(-60)
    tensors = scene.tensors
    for name, value in before.items():
        np.testing.assert_equal(getattr(tensors.steps, name), value)
    scene.view.walk.go(Stop(1, "weighted"))
    assert not _bar(scene).isVisible()
    assert "what_if" not in _columns(scene)
    scene.view.walk.go(Stop(1, "softmax"))
    assert _bar(scene).isVisible()
    assert _bar(scene).slider.value() == 0


def test_another_query_is_divided_by_the_same_number(scene: StepsScene) -> None:
    _bar(scene).slider.setValue(-100)
    scene.view.followed.choose(4)
    products = scene.trace.scores(1, 2, slice(4, 5), scaled=False)[0].astype(float)
    expected = _softmax(products * 10 / np.sqrt(8))
    np.testing.assert_allclose(_columns(scene)["what_if"], expected, rtol=1e-4, atol=1e-7)


def test_the_bias_of_the_distance_is_not_divided(qtbot: QtBot, look: Look) -> None:
    scene = StepsScene(qtbot, look, size=(1100, 620), trace=biased_trace(7, n_layers=3))
    scene.view.walk.go(Stop(1, "softmax"))
    _bar(scene).slider.setValue(100)
    tensors = scene.tensors
    steps = tensors.steps
    assert steps is not None
    expected = _softmax(steps.scaled.astype(float) / 10 + steps.added["distance"])
    np.testing.assert_allclose(_columns(scene)["what_if"], expected, rtol=1e-4, atol=1e-7)


def test_the_table_has_no_slider(scene: StepsScene) -> None:
    assert _bar(scene).isVisible()
    scene.view.walk.show_form("table")
    assert not _bar(scene).isVisible()


def test_a_narrow_panel_keeps_both_weights(qtbot: QtBot, look: Look) -> None:
    scene = StepsScene(qtbot, look, size=(326, 540))
    scene.view.walk.go(Stop(1, "softmax"))
    _bar(scene).slider.setValue(50)
    assert set(_columns(scene)) >= {"weight", "what_if"}
