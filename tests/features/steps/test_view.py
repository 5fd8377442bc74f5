"""The Steps panel in use: keys, clicks, the query it follows, the layers it asks for, reasons, playing."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from bertviz_app.features.steps.views.view import WhyNote
from bertviz_app.features.steps.walk import BRIEF_MS, HOLD_MS, MOTION_MS
from bertviz_app.learning.words import reasons
from bertviz_app.trace.form import Form
from bertviz_app.viewmodels.heads.pictures import HeadOfRun
from bertviz_app.viewmodels.stages.stage import Architecture
from bertviz_app.viewmodels.stages.stops import BELOW, Stop, all_stops
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.words import exact
from tests.support.factories import biased_trace, disentangled_trace, make_details, make_trace
from tests.support.panel_scenes import StepsScene
from tests.support.scene import click, lines_drawn_by, move, pixels_of, wheel

KEY = Qt.Key


@pytest.fixture
def scene(qtbot: QtBot, look: Look) -> StepsScene:
    return StepsScene(qtbot, look)


@pytest.fixture
def played(qtbot: QtBot, look: Look) -> StepsScene:
    shown = StepsScene(qtbot, look, size=(900, 560))
    shown.finish()
    return shown


def test_the_arrow_keys_walk_through_every_stage_and_all_can_be_drawn(scene: StepsScene) -> None:
    QTest.keyClick(scene.view, KEY.Key_Home)
    seen = []
    for _ in range(len(scene.view.walk.stops)):
        scene.finish()
        seen.append(scene.view.walk.stop)
        assert scene.view.walking.sheet is not None, scene.view.walk.stop
        scene.view.grab()
        QTest.keyClick(scene.view, KEY.Key_Right)
    assert seen == list(all_stops(Architecture(3, has_pooler=True)))
    QTest.keyClick(scene.view, KEY.Key_Left)
    assert scene.view.walk.stop == seen[-2]


@pytest.mark.parametrize(
    ("key", "stop"), [(KEY.Key_PageDown, Stop(2, "queries")), (KEY.Key_End, Stop(3, "pooled"))]
)
def test_keys_jump_to_other_layers_and_to_the_ends(scene: StepsScene, key: Qt.Key, stop: Stop) -> None:
    QTest.keyClick(scene.view, key)
    assert scene.view.walk.stop == stop


def test_walking_into_another_layer_asks_for_its_head(scene: StepsScene) -> None:
    QTest.keyClick(scene.view, KEY.Key_PageDown)
    assert scene.requested_heads == [(2, 2)]
    scene.view.walk.go(Stop(3, "pooled"))
    assert scene.requested_heads == [(2, 2)]
    scene.show(2, 2)  # the answer, which comes when one has walked on
    assert scene.view.walk.stop == Stop(3, "pooled")


def test_up_and_down_choose_the_query_and_pin_it(scene: StepsScene) -> None:
    assert scene.view.followed.query == 1
    QTest.keyClick(scene.view, KEY.Key_Down)
    QTest.keyClick(scene.view, KEY.Key_Down)
    assert (scene.view.followed.query, scene.selection.pinned.query) == (3, 3)
    for _ in range(9):
        QTest.keyClick(scene.view, KEY.Key_Up)
    assert (scene.view.followed.query, scene.selection.pinned.query) == (0, 0)
    np.testing.assert_array_equal(scene.flow.steps.query_row, scene.trace.queries[1, 2, 0])


def test_keys_work_while_the_pointer_rests_on_a_token(scene: StepsScene) -> None:
    scene.view.walk.go(Stop(1, "scores"))
    at = scene.flow.row_box(5, 0).center()
    move(scene.view.walking, scene.flow.columns[-1].left + 2, at.y())
    QTest.keyClick(scene.view, KEY.Key_Down)
    assert scene.view.followed.query == 2


def test_a_hidden_view_computes_nothing_until_it_is_shown(scene: StepsScene) -> None:
    scene.view.hide()
    scene.selection.hover(query=4, key=2)
    assert scene.flow.steps.query == 1
    scene.view.show()
    assert scene.flow.steps.query == 4


def test_other_keys_are_left_to_the_window(scene: StepsScene) -> None:
    before = scene.view.walk.stop
    none, control = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ControlModifier
    for key, modifiers, is_used in (
        (KEY.Key_Right, control, False),
        (KEY.Key_L, none, False),
        (KEY.Key_Right, none, True),
    ):
        event = QKeyEvent(QEvent.Type.KeyPress, key, modifiers)
        QApplication.sendEvent(scene.view, event)
        assert event.isAccepted() == is_used
        assert (scene.view.walk.stop != before) == is_used


def test_the_title_says_what_is_done_where_norms_only_scale(qtbot: QtBot, look: Look) -> None:
    scaling = replace(make_trace(7), form=Form(has_scaling_norms=True))
    for trace, title in ((make_trace(7), "layer norm"), (scaling, "scale and shift (NoNorm)")):
        scene = StepsScene(qtbot, look, trace=trace)
        scene.view.walk.go(Stop(1, "attention_norm"))
        assert scene.view.title_row.title.text() == title


def test_buttons_walk_and_stop_at_the_ends(scene: StepsScene) -> None:
    back, forward = scene.view.title_row.back, scene.view.title_row.forward
    forward.click()
    assert scene.view.walk.stop == Stop(1, "keys")
    back.click()
    assert scene.view.walk.stop == Stop(1, "queries")
    scene.view.walk.go(Stop(3, "pooled"))
    assert (back.isEnabled(), forward.isEnabled()) == (True, False)


def test_the_pointer_reads_exact_numbers_and_a_click_chooses_query_or_pair(scene: StepsScene) -> None:
    # the pointer highlights the key and reads the exact number
    scene.view.walk.go(Stop(1, "scores"))
    sheet = scene.flow
    column = next(column for column in sheet.columns if column.name == "scores")
    at = QPointF(column.left + 5, sheet.row_box(4, 0).center().y())
    move(scene.view.walking, at.x(), at.y())
    assert (scene.selection.shown.query, scene.selection.shown.key) == (1, 4)
    hit = sheet.hit(at, 0)
    assert hit is not None
    expected = scene.trace.scores(1, 2, slice(1, 2), scaled=False)[0, 4]
    assert hit.value == expected
    shown = scene.view.walking.lines_of(hit)[1].replace("−", "-")
    assert np.float32(shown) == expected
    # a click on a name makes it the query and beside it pins the pair
    scene.view.walk.go(Stop(1, "softmax"))
    box = scene.flow.row_box(5, 0)
    click(scene.view.walking, box.left() + 4, box.center().y())
    assert (scene.selection.pinned.query, scene.selection.pinned.key) == (5, None)
    box = scene.flow.row_box(2, 0)
    click(scene.view.walking, box.right() - 30, box.center().y())
    assert (scene.selection.pinned.query, scene.selection.pinned.key) == (5, 2)


def test_a_layer_is_fetched_when_one_enters_it(scene: StepsScene) -> None:
    assert [held.slot for held in scene.jobs.submitted] == ["details A 1"]
    assert scene.view.walking.sheet is not None  # what the trace has need not wait
    scene.view.walk.go(Stop(1, "concat"))
    assert len(scene.jobs.submitted) == 1
    assert scene.view.walking.sheet is None
    assert "1" in scene.view.walking.message
    scene.finish()
    np.testing.assert_array_equal(scene.equation.values, make_details(scene.trace, 1).concat)


def test_the_query_is_scrolled_into_sight(qtbot: QtBot, look: Look) -> None:
    scene = StepsScene(qtbot, look, n_tokens=60, size=(420, 330))
    scene.view.walk.go(Stop(BELOW, "token"))
    scene.view.followed.choose(50)
    sheet, walking = scene.equation, scene.view.walking
    assert sheet.rows_area.contains(sheet.row_box(50, walking.offset))
    before = walking.offset
    wheel(walking, 200, 60, 2)
    assert walking.offset < before


def test_rows_that_fit_again_are_all_in_sight(qtbot: QtBot, look: Look) -> None:
    scene = StepsScene(qtbot, look, n_tokens=11, size=(640, 330))
    scene.view.walk.go(Stop(BELOW, "token"))
    scene.view.followed.choose(7)
    walking = scene.view.walking
    assert walking.offset > 0
    scene.view.resize(640, 520)
    sheet = scene.equation
    assert sheet.hidden_height > 0
    assert sheet.rows_area.contains(sheet.row_box(7, 0))
    assert walking.offset == 0, "the followed row is in sight from the top"


@pytest.mark.parametrize(("size", "scale"), [((420, 330), 2.0), ((1000, 850), 1.5)])
def test_columns_stay_within_the_panel_and_apart(
    qtbot: QtBot, look: Look, size: tuple[int, int], scale: float
) -> None:
    big = Look(look.palette, scale)
    scene = StepsScene(qtbot, big, n_tokens=30, size=size)
    for stage in ("queries", "scores", "scaled", "softmax", "weighted", "mixed"):
        scene.at(stage)
        sheet = scene.flow
        ends = [(column.left, column.left + column.width) for column in sheet.columns]
        assert all(before[1] <= after[0] for before, after in pairwise(ends)), stage
        assert ends[-1][1] <= sheet.area.right() + 1, stage
        assert any(column.name in sheet.focus for column in sheet.columns)


def test_a_bias_stands_between_the_scaled_products_and_the_scores(qtbot: QtBot, look: Look) -> None:
    scene = StepsScene(qtbot, look, trace=biased_trace(7, n_layers=3))
    assert Stop(1, "biased") in scene.view.walk.stops
    scene.view.walk.go(Stop(1, "biased"))
    sheet = scene.flow
    columns = {column.name: column.values for column in sheet.columns}
    assert sheet.focus == ("scaled", "distance", "biased")
    np.testing.assert_allclose(columns["scaled"] + columns["distance"], columns["biased"], atol=1e-6)
    np.testing.assert_array_equal(columns["biased"], scene.trace.scores(1, 2, slice(1, 2))[0])
    scene.view.walk.go(Stop(1, "softmax"))
    assert scene.flow.focus == ("biased", "exponential", "weight")
    scene.view.grab()


def test_content_and_position_stand_side_by_side_and_add_up(qtbot: QtBot, look: Look) -> None:
    scene = StepsScene(qtbot, look, trace=disentangled_trace(7, n_layers=3))
    walk = scene.view.walk
    assert Stop(1, "scaled") not in walk.stops
    walk.go(Stop(1, "disentangled"))
    sheet = scene.flow
    columns = {column.name: column for column in sheet.columns}
    parts = [columns[name] for name in ("content", "content_to_position", "position_to_content")]
    assert sheet.focus == (*(part.name for part in parts), "biased")
    np.testing.assert_allclose(sum(part.values for part in parts), columns["biased"].values, atol=1e-5)
    np.testing.assert_array_equal(columns["biased"].values, scene.trace.scores(1, 2, slice(1, 2))[0])
    assert {column.bound for column in (*parts, columns["biased"])} == {sheet.bound}  # one scale for all
    for part, words in zip(
        parts, ("content → content", "content → position", "position → content"), strict=True
    ):
        at = QPointF(part.left + part.width / 2, sheet.row_box(4, 0).center().y())
        hit = sheet.hit(at, 0)
        assert hit is not None
        assert scene.view.walking.lines_of(hit) == [f"w4 · {words}", exact(part.values[4])]
    scene.view.grab()


def test_tokens_of_a_difference_have_no_steps(scene: StepsScene) -> None:
    scene.view.show_head(HeadOfRun((scene.trace, make_trace(7, n_layers=3, seed=1)), 1, 0))
    assert scene.view.walking.sheet is None
    assert scene.view.walking.message == "Steps are those of one run: choose A or B for this panel."
    scene.show(1, 2)
    assert scene.view.walking.sheet is not None


def test_a_row_of_the_table_highlights_its_key(scene: StepsScene) -> None:
    scene.view.walk.show_form("table")
    scene.view.table.sortByColumn(4, Qt.SortOrder.DescendingOrder)
    scene.view.table.entered.emit(scene.view.table.steps.index(0, 2))
    strongest = int(scene.trace.attention(1, 2, slice(1, 2))[0].argmax())
    assert (scene.selection.shown.query, scene.selection.shown.key) == (1, strongest)
    scene.view.table.key_pointed.emit(-1)
    assert not scene.selection.shown


def test_over_the_table_stands_what_the_table_shows(scene: StepsScene) -> None:
    scene.at("attention_sum")
    scene.view.walk.show_form("table")
    assert scene.view.heading.accessibleName() == "weighted sum Z"
    # The bar marks another stage: the title is the table's own.
    assert scene.view.title_row.title.text() == "One query and every key"
    note = "The table goes from q · k to Z; Walk shows “add the layer's input”."
    assert scene.view.heading.toolTip() == note
    scene.view.walk.go(Stop(1, "softmax"))
    assert scene.view.heading.accessibleName() == scene.view.title_row.title.text() == "softmax"
    scene.view.walk.go(Stop(1, "attention_sum"))
    scene.view.walk.show_form("walk")
    assert scene.view.heading.accessibleName() == "add the layer's input"


def test_space_and_the_buttons_play_pause_step_and_change_the_speed(played: StepsScene) -> None:
    row, playing = played.view.title_row, played.view.walk.playing
    QTest.keyClick(played.view, Qt.Key.Key_Space)
    assert playing.is_playing
    row.play.click()
    assert not playing.is_playing
    before = played.view.walk.position
    row.step.click()
    assert played.view.walk.position == before + 1
    assert playing.is_moving
    row.speed.click()
    assert row.speed.text() == "2×"
    playing.stop()


def test_every_stop_can_be_drawn_at_every_moment_and_ends_as_it_is_unplayed(played: StepsScene) -> None:
    walking = played.view.walking
    for stop in played.view.walk.stops:
        played.view.walk.go(stop)
        played.finish()
        walking.set_progress(1.0)
        still = pixels_of(walking)
        moments = []
        for progress in (0.0, 0.5):
            walking.set_progress(progress)
            moments.append(pixels_of(walking))
        assert (moments[0] != still).any(), stop
        walking.set_progress(1.0)
        np.testing.assert_array_equal(pixels_of(walking), still)


def test_weights_that_are_not_computed_yet_are_covered(played: StepsScene, look: Look) -> None:
    played.view.walk.go(Stop(1, "softmax"))
    sheet = played.flow
    column = next(column for column in sheet.columns if column.name == "weight")
    accent = look.colour("accent").rgb() & 0xFFFFFF

    def has_bar(row: int) -> bool:
        y = int(sheet.row_box(row, 0).center().y())
        line = pixels_of(played.view.walking)[y, int(column.left) : int(column.left + column.width) - 52]
        return bool((line == accent).any())

    strongest = int(sheet.steps.weights.argmax())
    played.view.walking.set_progress((strongest + 0.01) / 7)
    assert not has_bar(strongest)
    played.view.walking.set_progress((strongest + 1.01) / 7)
    assert has_bar(strongest)


def test_the_stops_follow_each_other_once_their_numbers_are_there(played: StepsScene) -> None:
    played.view.walk.go(Stop(1, "output"))
    playing = played.view.walk.playing
    playing.turn()
    playing.advance(MOTION_MS)
    playing.advance(HOLD_MS)
    assert played.view.walk.stop == Stop(2, "queries")
    played.view.walk.go(Stop(2, "concat"))  # its details are still computed
    playing.advance(10 * MOTION_MS)
    assert played.view.walk.stop == Stop(2, "concat")
    played.finish()
    playing.advance(MOTION_MS)
    playing.advance(HOLD_MS)
    assert played.view.walk.stop == Stop(2, "projected")
    playing.stop()


def test_a_hidden_panel_does_not_play(played: StepsScene) -> None:
    played.view.walk.playing.turn()
    played.view.hide()
    assert not played.view.walk.playing.is_playing


def test_the_look_decides_whether_anything_moves(played: StepsScene, look: Look) -> None:
    look.set_motion(is_reduced=True)
    QApplication.processEvents()
    played.view.walk.go(Stop(BELOW, "token"))
    played.view.walk.playing.turn()
    assert not played.view.walk.playing.is_moving
    played.view.walk.playing.stop()


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


def test_a_step_by_hand_has_a_brief_motion_that_ends_by_itself(played: StepsScene, look: Look) -> None:
    playing = played.view.walk.playing
    QTest.keyClick(played.view, KEY.Key_Right)
    assert playing.is_moving
    assert not playing.is_playing
    playing.advance(BRIEF_MS)
    assert not playing.is_moving
    QTest.keyClick(played.view, KEY.Key_Left)
    assert not playing.is_moving, "what is gone back to is there already"
    look.set_motion(is_reduced=True)
    QTest.keyClick(played.view, KEY.Key_Right)
    assert not playing.is_moving, "with reduced motion all is there at once"
