"""Why there is a stage: unfolded below the sentence of every stop, with the numbers of the row."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from bertviz_app.learning.stage_reasons import reasons
from bertviz_app.viewmodels.steps.stops import BELOW, Stop
from bertviz_app.viewmodels.steps.why import stop_facts, why
from bertviz_app.views.kit.look import Look
from bertviz_app.views.steps.why_note import WhyNote
from tests.support.steps_scene import StepsScene
from tests.support.svg_text import lines_drawn_by


@pytest.fixture
def scene(qtbot: QtBot, look: Look) -> StepsScene:
    return StepsScene(qtbot, look)


def test_the_button_and_the_key_unfold_it_at_every_stop(scene: StepsScene) -> None:
    view = scene.view
    assert not view.why.isVisible()
    view.heading.why.click()
    assert view.why.isVisible()
    QTest.keyClick(view, Qt.Key.Key_Home)
    for _ in view.walk.stops:
        scene.finish()
        reason = reasons().of(view.walk.stop.stage).text.en
        assert view.why.accessibleName() == reason
        QTest.keyClick(view, Qt.Key.Key_Right)
    QTest.keyClick(view, Qt.Key.Key_Y)
    assert not view.why.isVisible()
    assert not view.heading.why.isChecked()


def test_the_root_is_explained_with_this_rows_own_weights(scene: StepsScene) -> None:
    view = scene.view
    view.walk.turn_why()
    view.walk.go(Stop(1, "scaled"))
    for query in (1, 4):
        view.followed.choose(query)
        products = scene.trace.scores(1, 2, slice(query, query + 1), scaled=False)[0].astype(float)
        weights = scene.trace.attention(1, 2, slice(query, query + 1))[0]
        undivided = np.exp(products - products.max())
        undivided /= undivided.sum()
        key = int(weights.argmax())
        example = view.why.accessibleDescription()
        assert f"√8 = {np.sqrt(8):.2f}" in example
        assert f"“w{key}” gets {weights[key]:.3f}; undivided it would get {undivided[key]:.3f}" in example


def test_every_example_is_filled_once_the_numbers_are_there(scene: StepsScene) -> None:
    for stop in scene.view.walk.stops:
        scene.view.walk.go(stop)
        scene.finish()
        tensors = scene.tensors
        example = reasons().of(stop.stage).example
        for language in ("en", "ko"):
            text, filled = why(tensors, language)
            assert text
            assert bool(filled) == (example is not None), stop
            assert "{" not in filled


@pytest.mark.parametrize(
    ("stage", "before"), [("attention_norm", "attention_sum"), ("embedding_norm", "embedding_sum")]
)
def test_a_norm_is_explained_by_the_spread_before_and_after(
    scene: StepsScene, stage: str, before: str
) -> None:
    scene.view.walk.go(Stop(BELOW if stage.startswith("embedding") else 1, stage))
    scene.finish()
    tensors = scene.tensors
    given, normed = tensors.row(before), tensors.row(stage)
    assert given is not None
    assert normed is not None
    facts = stop_facts(tensors)
    assert facts["spread_before"] == f"{given.std():.2f}"
    assert facts["spread_after"] == f"{normed.std():.2f}"


@pytest.mark.parametrize("size", [(330, 500), (700, 560)])
def test_the_note_leaves_room_for_the_picture(qtbot: QtBot, look: Look, size: tuple[int, int]) -> None:
    view = StepsScene(qtbot, look, size=size).view
    view.walk.turn_why()
    QApplication.processEvents()
    assert view.why.height() <= 0.4 * view.height() + 1
    assert view.walking.height() >= 120
    top = view.why.mapTo(view, QPoint(0, 0)).y()
    assert top >= view.heading.mapTo(view, QPoint(0, 0)).y() + view.heading.height()


def test_a_picture_has_all_of_the_reason_above_the_divisor_and_no_buttons(
    qtbot: QtBot, look: Look, tmp_path: Path
) -> None:
    view = StepsScene(qtbot, look, n_tokens=14, size=(520, 420)).view
    view.walk.go(Stop(1, "softmax"))
    view.walk.turn_why()
    view.walk.what_if.try_factor(3.0)
    QApplication.processEvents()
    lines = lines_drawn_by(view, look, tmp_path)
    words = view.why.accessibleName().split() + view.why.accessibleDescription().split()
    (divisor,) = (index for index, line in enumerate(lines) if line.startswith("÷ 8.49"))
    above = " ".join(lines[:divisor]).split()
    assert [word for word in words if word not in above] == []
    assert not any("1×" in line for line in lines)


def test_a_note_of_one_line_more_than_its_share_is_shown_whole(qtbot: QtBot, look: Look) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    parent.resize(420, 460)
    note = WhyNote(look, parent)
    n_words = 4
    while True:  # the longest text that the share of the note has room for
        note.show_reason("reason " * n_words, "")
        if note.sizeHint().height() < note.text.heightForWidth(418):
            break
        n_words += 1
    note.show_reason("reason " * (n_words - 1), "")
    assert note.sizeHint().height() >= note.text.heightForWidth(418), "whole, without half of a line"
    most = max(look.pixels(64), min(round(0.4 * 460), 460 - look.pixels(370)))
    assert note.sizeHint().height() > most
