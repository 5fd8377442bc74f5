"""The large pictures of lessons, and what they are drawn from."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest
from PySide6.QtCore import QDate, QObject, QPointF, Qt, Signal
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from bertviz_app.analysis.predictions import Filler
from bertviz_app.analysis.results import Result
from bertviz_app.api import open_model
from bertviz_app.checkpoint.parameters import LinearProduct
from bertviz_app.errors import AnalysisError, Message
from bertviz_app.features.lessons.course.lesson import Scene
from bertviz_app.features.lessons.course.reading import shipped_lessons
from bertviz_app.features.lessons.course.tasks import MissingError
from bertviz_app.features.lessons.state.computed import (
    BECOME_MASK,
    BECOME_RANDOM,
    CHOSEN,
    Guesses,
    HeadProduct,
    Padded,
    PickedRow,
    added_of,
    aligned,
    both_ways_of,
    columns_of,
    dropped,
    moved_weight,
    roles_of,
    row_of,
    same_word_of,
    spread_of,
    steps_of,
)
from bertviz_app.features.lessons.state.pictures import LessonPictures
from bertviz_app.features.lessons.views.card import LessonCard, TrainingBox
from bertviz_app.features.lessons.views.course import CheckMark, CourseProgress, EndPicture
from bertviz_app.features.lessons.views.pictures.attention import (
    AgreementPicture,
    BatchGrid,
    BothWaysPlot,
    HeadTiles,
    LookedAtPicture,
    added_bars,
    row_bars,
)
from bertviz_app.features.lessons.views.pictures.lesson_picture import Bars, Level, ShownBar
from bertviz_app.features.lessons.views.pictures.numbers import (
    DropoutGrids,
    PickedRowPlot,
    Strips,
    StripsPlot,
)
from bertviz_app.features.lessons.views.pictures.predictions import LossCurve, accuracy_bars, guess_bars
from bertviz_app.features.lessons.views.pictures.steps import ColumnsPlot, RolesPlot, StepsPlot
from bertviz_app.features.lessons.views.pictures.tokens import Chips, CutPlot, notes_on
from bertviz_app.features.lessons.views.pictures.vectors import BendPicture
from bertviz_app.features.lessons.views.printed import certificate_html
from bertviz_app.features.training.label_trainings import TrainedLabels
from bertviz_app.features.training.pretraining.network import SHARE, SHARE_MASKED, SHARE_RANDOM
from bertviz_app.learning.label_training import LABELS, LabelProgress, LabelResult
from bertviz_app.text.why_cut import Try, WhyCut
from bertviz_app.trace import Trace
from bertviz_app.types import Floats
from bertviz_app.viewmodels.pointer import Selection
from bertviz_app.viewmodels.state import Pair
from bertviz_app.viewmodels.wording import share_words
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.words import fixed
from tests.support.factories import dense, make_tokens, make_trace
from tests.support.scene import on_screen, pixels_of


def _in_pieces() -> Trace:
    """Return a run whose third token continues the second."""
    trace = make_trace(9)
    words = trace.tokens.words.copy()
    words[3] = words[2]
    return replace(trace, tokens=replace(trace.tokens, words=words))


@pytest.fixture
def chips(qtbot: QtBot, look: Look, selection: Selection) -> Chips:
    chips = on_screen(qtbot, Chips(look, selection), 700, 600)
    chips.show_tokens(_in_pieces().tokens, "segments", {})
    return chips


def test_chips_wrap_into_rows_and_keep_a_word_together(chips: Chips) -> None:
    for width in range(420, 900, 40):
        chips.resize(width, 600)
        boxes = [chips.chip(token) for token in range(9)]
        assert len({box.top() for box in boxes}) > 1 or width > 600
        assert boxes[2].top() == boxes[3].top(), "the pieces of a word"
        assert all(box.left() >= 0 and box.right() <= width for box in boxes)
        assert max(box.bottom() for box in boxes) <= chips.height()
        pairs = ((one, other) for at, one in enumerate(boxes) for other in boxes[at + 1 :])
        assert not any(one.intersects(other) for one, other in pairs)


def test_a_chip_is_chosen_by_a_click_and_by_arrows(chips: Chips, selection: Selection) -> None:
    picked: list[object] = []
    selection.pointer.picked.connect(lambda run, pair: picked.append(pair))
    at = chips.chip(4).center().toPoint()
    QTest.mouseClick(chips, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, at)
    assert picked == [Pair(4)]
    QTest.keyClick(chips, Qt.Key.Key_Right)
    assert selection.pinned == Pair(5)
    hidden: list[int] = []
    chips.double_clicked.connect(hidden.append)
    QTest.keyClick(chips, Qt.Key.Key_Delete)
    assert hidden == [5]
    assert "w4: token ID" in chips.accessibleDescription()


def test_special_tokens_are_explained_where_they_are() -> None:
    tokens = make_tokens(5)
    assert [name for name, _ in notes_on(tokens)] == ["[CLS]", "[SEP]"]
    pieces = ("[CLS]", "[UNK]", "w2", "##s", "[SEP]")
    found = [name for name, _ in notes_on(replace(tokens, pieces=pieces))]
    assert found == ["[CLS]", "[SEP]", "[UNK]", "##"]


LIKELY = tuple(Filler(f"p{rank}", rank, 0.5 / 2**rank, rank) for rank in range(1, 11))


@pytest.mark.parametrize(("written", "n_bars"), [(LIKELY[2], 10), (Filler("rare", 99, 0.0004, 143), 11)])
def test_the_hidden_word_is_lit_also_where_it_is_no_likely_guess(written: Filler, n_bars: int) -> None:
    guesses = Guesses(3, LIKELY, written)
    bars = guess_bars(guesses)
    assert len(bars) == n_bars
    (highlighted,) = [bar for bar in bars if bar.is_highlighted]
    assert highlighted.label == f"{written.rank}.  {written.piece}  ✓"
    assert highlighted.value == written.probability
    assert guesses.loss == pytest.approx(-math.log(written.probability))
    assert Guesses(3, LIKELY, replace(written, probability=0.0)).loss == math.inf
    assert Guesses(3, LIKELY, None).loss is None


def test_the_point_of_a_probability_lies_on_the_curve(qtbot: QtBot, look: Look) -> None:
    curve = on_screen(qtbot, LossCurve(look), 400, 300)
    curve.show_share(0.25)
    (point,) = curve.point.points()
    assert (point.pos().x(), point.pos().y()) == pytest.approx((0.25, -math.log(0.25)))
    curve.show_share(None)
    assert len(curve.point.points()) == 0


def test_tokens_around_a_changed_word_belong_together() -> None:
    before = ("[CLS]", "it", "was", "hungry", "[SEP]")
    assert aligned(before, ("[CLS]", "it", "was", "sad", "[SEP]")) == (0, 1, 2, 3, 4)
    assert aligned(before, ("[CLS]", "it", "was", "ta", "##sty", "[SEP]")) == (0, 1, 2, None, None, 4)
    assert aligned(before, ("[CLS]", "it", "[SEP]")) == (0, 1, 4)
    assert aligned(("a", "a"), ("a", "a", "a")) == (0, 1, None)


def test_the_weight_that_a_head_moved_is_half_of_all_differences() -> None:
    before, now = make_trace(7, seed=1), make_trace(7, seed=2)
    assert moved_weight(before, before).max() == 0
    expected = np.abs(dense(now) - dense(before)).sum(-1).mean(-1) / 2
    assert moved_weight(before, now) == pytest.approx(expected, abs=1e-5)


def test_a_row_is_of_the_scene_and_a_changed_word_is_marked() -> None:
    trace = make_trace(6)
    scene = Scene(query="w2", layer=1, head=2)
    row = row_of(trace, scene)
    assert row.weights == pytest.approx(dense(trace)[1, 2, 2], abs=1e-6)
    tried = row_of(trace, scene, 1e6)
    assert tried.entropy == pytest.approx(math.log2(6), abs=1e-3), "all alike"
    with pytest.raises(MissingError, match="gone"):
        row_of(trace, replace(scene, query="gone"))
    with pytest.raises(MissingError):  # the pointer rests where a longer text had a word
        row_of(trace, scene, query=trace.n_tokens)
    other = replace(row, labels=(*row.labels[:3], "new", *row.labels[4:]))
    bars = row_bars(other, row)
    assert [bar.label for bar in bars if bar.label.startswith("→")] == ["→ new"]
    assert [bar.before for bar in bars] == pytest.approx(row.weights.tolist())


def test_what_is_added_is_as_long_as_the_weighted_value_of_each_token() -> None:
    trace = make_trace(6)
    found = added_of(trace, Scene(query=trace.tokens.labels[2], layer=1, head=2))
    weights, values = trace.attention(1, 2)[2], trace.values[1, 2]
    added = np.linalg.norm(weights[:, None] * values, axis=-1)
    np.testing.assert_allclose(found.added, added, rtol=1e-5)
    assert found.share(3) == pytest.approx(added[3] / added.sum(), rel=1e-5)
    bars = added_bars(("a", "b"), np.array([0.25, 4.5], np.float32), "value")
    assert [(bar.text, bar.is_highlighted) for bar in bars] == [("0.250", False), ("4.50", True)]


def test_two_heads_are_compared_by_who_else_looks_at_the_key(qtbot: QtBot, look: Look) -> None:
    trace = make_trace(6)
    query, key = (trace.tokens.labels[at] for at in (3, 2))
    found = columns_of(trace, Scene(query=query, key=key, heads=((1, 2), (0, 0), (9, 0))))
    assert [(one.layer, one.head, one.query, one.key) for one in found] == [(1, 2, 3, 2), (0, 0, 3, 2)]
    column = trace.attention(1, 2)[:, 2]
    np.testing.assert_allclose(found[0].weights, column, atol=1e-6)
    assert found[0].weight == pytest.approx(column[3], abs=1e-6)
    assert found[0].others == pytest.approx(np.delete(column, 3).mean(), abs=1e-6)
    picture = LookedAtPicture(look, cast(LessonPictures, _OfNow(found)))
    qtbot.addWidget(picture)
    first, _ = picture.lists_of(Scene(picture="looked_at"))
    assert [bar.is_highlighted for bar in first.bars] == [False, False, False, True, False, False]
    with pytest.raises(MissingError, match="no such token"):
        columns_of(trace, Scene(query="no such token", key=key, heads=((1, 2),)))


def test_a_token_has_a_query_a_key_and_a_value_in_every_head(qtbot: QtBot, look: Look) -> None:
    trace = make_trace(6)
    roles = roles_of(trace, Scene(query=trace.tokens.labels[2], layer=1, head=2))
    for found, of_all in zip(roles.vectors, (trace.queries, trace.keys, trace.values), strict=True):
        np.testing.assert_array_equal(found, of_all[1, :, 2])
    plot = on_screen(qtbot, RolesPlot(look), 700, 420)
    plot.show_roles(roles, shows_heads=True)
    assert list(plot.shown_heads) == list(range(trace.n_heads))
    plot.show_roles(roles, shows_heads=False)
    assert list(plot.shown_heads) == [2]
    for _ in range(3):
        QTest.keyClick(plot, Qt.Key.Key_Down)
    own = trace.values[1, 2, 2]
    assert plot.lines_of(2)[1].startswith(f"head 2: {len(own)} numbers, {fixed(float(own[0]), 3)}")
    assert plot.read_out.isVisible()
    assert "value" in plot.accessibleDescription()


def test_the_scores_spread_less_by_the_divisor() -> None:
    spread = spread_of(make_trace(20))
    before, after = spread.deviations
    assert before / after == pytest.approx(spread.divisor)
    assert spread.products.sum() <= 2 * 3 * 20 * 20


def test_bars_and_heads_say_what_they_show(
    qtbot: QtBot, look: Look, caplog: pytest.LogCaptureFixture
) -> None:
    bars = on_screen(qtbot, Bars(look), 500, 300)
    shown = [ShownBar("one", 0.5, "50 %"), ShownBar("two", 1.0, "100 %")]
    bars.show_bars(shown, 1.0, Level(0.5, "chance"))
    assert bars.accessibleDescription() == "one 50 %, two 100 %, chance"
    assert bars.lines_of(1) == ["two   100 %"]
    assert bars.rect_of(0).bottom() <= bars.rect_of(1).top() + 1e-6
    bars.show_bars([ShownBar("a", -1.0, "", is_highlighted=True), ShownBar("b", 1.0, "")], 1.0)
    blue = np.nonzero((pixels_of(bars) & 0xFFFFFF) == look.colour("accent").rgb() & 0xFFFFFF)[1]
    assert 100 < len(set(blue.tolist())) < bars.width() / 2, "a number below 0 goes to the left of 0"
    assert blue.max() < 0.6 * bars.width()
    bars.show_bars([ShownBar("a", -1.0, "", is_highlighted=True), ShownBar("b", 0.25, "")], 0.25)
    wide = np.nonzero((pixels_of(bars) & 0xFFFFFF) == look.colour("accent").rgb() & 0xFFFFFF)[1]
    assert len(set(wide.tolist())) > 1.3 * len(set(blue.tolist())), "it is longer than the largest above 0"
    tiles = on_screen(qtbot, HeadTiles(look), 500, 300)
    numbers = np.array([[0, 0.25, 0.5], [np.nan, 1.25, 0]], np.float32)  # of a head that was pruned: nan
    tiles.show_all(np.zeros((2, 3, 48, 48), np.uint8), numbers)
    drawn = pixels_of(tiles)
    assert not caplog.records, "what fails while it is drawn is logged"
    at = [tiles.rect_of(head).center().toPoint() for head in ((0, 0), (1, 1))]
    assert len({int(drawn[point.y() - 30, point.x()]) for point in at}) == 2, (
        "a tile is as dark as its number"
    )
    assert [tiles.lines_of(head)[1:] for head in ((0, 1), (1, 0))] == [["0.2500"], []]
    moved = np.array([[0, 0, 0], [0.2, 0, 0.001]], np.float32)
    tiles.show_heads(np.zeros((2, 3, 48, 48), np.uint8), moved, ((0, 1),))
    assert tiles.accessibleDescription() == f"head 1·0: {share_words(0.2)} of its weight has moved"
    assert tiles.lines_of((0, 1))[1:] == [
        "muted: its output is zero",
        f"{share_words(0)} of its weight has moved",
    ]


RESULTS = {"real": LabelResult(1.0, 0.86, 0.5), "random": LabelResult(1.0, 0.5, 0.5)}


def test_the_end_of_two_trainings_never_looks_equal(qtbot: QtBot, look: Look) -> None:
    bars = accuracy_bars(RESULTS)  # type: ignore[arg-type]
    assert [bar.value for bar in bars] == [1.0, 0.86, 1.0, 0.5]
    assert [bar.is_highlighted for bar in bars] == [False, True, False, True]
    before = accuracy_bars({})
    assert [bar.label for bar in before] == [bar.label for bar in bars]
    assert {bar.text for bar in before} == {"?"}, "before the training there is where its bars will be"
    box = on_screen(qtbot, TrainingBox(), 300, 300)
    trainings = TrainedLabels()
    trainings.progress = {labels: LabelProgress(0.4, 0.5) for labels in LABELS}
    box.show_trainings(trainings)
    assert all(bar.isVisible() for bar in box.bars.values())
    trainings.progress = {labels: LabelProgress(1.0, 1.0, RESULTS[labels]) for labels in LABELS}
    box.show_trainings(trainings)
    assert not any(bar.isVisible() for bar in box.bars.values())


def test_the_end_of_a_lesson_leads_on_and_the_last_one_to_an_own_sentence(qtbot: QtBot, look: Look) -> None:
    lessons = shipped_lessons()
    card = on_screen(qtbot, LessonCard(look), 400, 800)
    course = CourseProgress(lessons, tuple(len(each.stations) for each in lessons))
    assert course.is_finished
    card.show_end(lessons[0], course)
    assert card.end.certificate_button.isVisible()
    assert card.next_button.text() == "Next lesson"
    begun = replace(course, done=(0, *course.done[1:]))
    card.show_end(lessons[-1], begun)
    assert not card.end.certificate_button.isVisible()
    assert card.next_button.text() == "My own sentence"
    assert card.back_button.isEnabled()


@pytest.mark.parametrize("is_still", [False, True])
def test_what_was_learnt_is_checked_line_by_line_or_at_once_where_nothing_may_move(
    qtbot: QtBot, look: Look, is_still: bool
) -> None:
    look.set_motion(is_reduced=is_still)
    lesson, following = shipped_lessons()[:2]
    course = CourseProgress(shipped_lessons(), tuple(0 for _ in shipped_lessons()))
    picture = EndPicture(look, lesson, course)
    checks = picture.findChildren(CheckMark)
    assert len(checks) == len(lesson.learnt)
    assert (checks[-1].share == 1) == is_still
    on_screen(qtbot, picture, 900, 600)
    qtbot.waitUntil(lambda: all(check.share == 1 for check in checks))
    texts = " ".join(label.text() for label in picture.findChildren(QLabel))
    assert lesson.learnt[0].en in texts
    assert following.title.en in texts
    assert picture.next_button.text() == "Next lesson"


def test_the_end_of_a_lesson_names_the_stations_that_are_not_solved(qtbot: QtBot, look: Look) -> None:
    lessons, card = shipped_lessons(), on_screen(qtbot, LessonCard(look), 400, 800)
    n_stations = len(lessons[0].stations)
    for n_done, is_named in ((3, True), (n_stations, False)):
        card.show_end(lessons[0], CourseProgress(lessons, (n_done, *(0 for _ in lessons[1:]))))
        texts = " ".join(label.text() for label in card.end.findChildren(QLabel))
        assert (f"3 of {n_stations} stations" in texts) == is_named


def test_the_shares_of_masking_are_those_of_the_training() -> None:
    assert (CHOSEN, BECOME_MASK, BECOME_RANDOM) == (SHARE, SHARE_MASKED, SHARE_RANDOM)


def test_a_name_is_written_into_the_certificate_as_it_is_typed() -> None:
    lessons = shipped_lessons()
    course = CourseProgress(lessons, (3, *(0 for _ in lessons[1:])))
    page = certificate_html(course, " <b>Kim</b> & Lee ", QDate(2026, 11, 27))
    assert "&lt;b&gt;Kim&lt;/b&gt; &amp; Lee" in page
    assert "0 of 13 lessons" in page
    assert f"3 / {len(lessons[0].stations)}" in page
    assert "______" in certificate_html(course, "  ", QDate(2026, 11, 27))


def test_the_keys_of_a_product_begin_at_the_column_that_is_shown(qtbot: QtBot, look: Look) -> None:
    random = np.random.default_rng(0)
    grid = random.normal(size=(20, 8)).astype(np.float32)
    inputs = random.normal(size=20).astype(np.float32)
    product = LinearProduct("key", 0, 1, 8 + 2, inputs, grid[:, 2], None, float(inputs @ grid[:, 2]))
    plot = on_screen(qtbot, ColumnsPlot(look), 500, 500)
    plot.show_product(HeadProduct("good", grid, inputs @ grid, product, 8))
    walked = []
    for key in (Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Down):
        QTest.keyClick(plot, key)
        walked.append(plot.walked)
    assert walked == [(0, 1), (0, 3), (1, 2)], "beside the column that is shown"
    w, x = float(grid[1, 2]), float(inputs[1])
    factors = f"{fixed(x, 4)} × {fixed(w, 4)} = {fixed(x * grid[1, 2], 4)}"
    assert plot.read_out.lines == ("number 1, column 2", factors)
    columns = [plot.rect_of((0, column)) for column in range(8)]
    assert all(one.right() <= other.left() + 1e-6 for one, other in pairwise(columns))


def test_a_token_picks_a_row_of_each_of_three_tables(qtbot: QtBot, look: Look, selection: Selection) -> None:
    tokens, random = make_tokens(5), np.random.default_rng(0)
    numbers = [random.normal(size=(n_rows, 16)).astype(np.float32) for n_rows in (3, 2, 3)]
    rows = ((1000, 5000, 1001), (0, 2, 0), (0, 512, 1))
    lookups = tuple(
        PickedRow(of, first, n_rows, ("",) * len(of), row, (1,))
        for of, (first, n_rows, row) in zip(numbers, rows, strict=True)
    )
    plot = on_screen(qtbot, PickedRowPlot(look, selection), 800, 500)
    plot.show_lookups(tokens, lookups)
    picked = "“w1” picks row 1001 of 5,000. “w1” picks row 0 of 2. “w1” picks row 1 of 512"
    assert plot.accessibleDescription() == picked
    at = plot.place_of(2).toPoint()
    QTest.mouseClick(plot.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, at)
    assert selection.pinned == Pair(2)
    QTest.keyClick(plot, Qt.Key.Key_Down)
    assert selection.pinned == Pair(3)
    boxes = [plot.rect_of(token) for token in range(5)]
    assert all(one.bottom() < other.top() for one, other in pairwise(boxes))


def test_a_word_is_cut_by_what_is_tried_from_the_left(qtbot: QtBot, look: Look) -> None:
    tries = (Try("hand", False), Try("han", True), Try("##d", True))
    plot = on_screen(qtbot, CutPlot(look), 600, 300)
    plot.show_cut(WhyCut("pieces", "Hand", "hand", "hand", ("han", "##d"), tries=tries))
    assert list(plot.spans()) == [(0, 4), (0, 3), (3, 4)]
    assert plot.lines_of(1) == ["han", "✓ in the vocabulary"]
    QTest.keyClick(plot, Qt.Key.Key_Down)
    assert plot.read_out.lines == ("hand", "✕ not in the vocabulary")


def test_strips_are_those_of_the_embeddings_and_a_difference_is_that_of_its_rows() -> None:
    trace = make_trace(6)
    found = same_word_of(trace, Scene(query="w1", key="w3"))
    assert found.positions == (1, 3)
    for stage, of_all in zip(
        found.stages, (trace.token_embeddings, trace.embedding_sum, trace.hidden[0]), strict=True
    ):
        np.testing.assert_array_equal(stage, of_all[[1, 3]])


def test_the_strips_of_a_sum_are_read_out_row_by_row(qtbot: QtBot, look: Look) -> None:
    plot = on_screen(qtbot, StripsPlot(look), 700, 400)
    one, other = np.full((2, 4), 0.5, np.float32), np.full((2, 4), -0.25, np.float32)
    rows = [
        Strips("token", list(one), ["row 7", "row 8"]),
        Strips("position", list(other), ["row 0", "row 1"], sign="+"),
        Strips("sum", list(one + other), ["", ""], sign="=", is_result=True),
    ]
    plot.show_strips(("a", "b"), rows, (1.0, 1.0))
    assert plot.lines_of(3) == ["b: position", "row 1", "−0.250, −0.250, −0.250, −0.250, …"]
    for _ in range(3):
        QTest.keyClick(plot, Qt.Key.Key_Down)
    assert plot.read_out.lines == ("a: sum", "0.250, 0.250, 0.250, 0.250, …")
    boxes = [plot.rect_of(part) for part in range(plot.count)]
    assert not any(a.intersects(b) for at, a in enumerate(boxes) for b in boxes[at + 1 :])


def test_the_steps_of_a_row_are_read_out_as_far_as_they_are_shown(
    qtbot: QtBot, look: Look, selection: Selection
) -> None:
    trace = make_trace(6)
    steps = steps_of(trace, Scene(query="w2", layer=1, head=2))
    plot = on_screen(qtbot, StepsPlot(look, selection), 800, 500)
    plot.show_steps(steps, trace.tokens.labels, "scores", 3)
    score, weight = fixed(float(steps.products[4]), 2), fixed(float(steps.weights[4]), 2)
    assert plot.lines_of(4) == ["w4", f"score {score}"]
    assert plot.key == 3, "that of the station"
    at = plot.place_of(4).toPoint()
    QTest.mouseClick(plot.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, at)
    assert selection.pinned == Pair(key=4)
    assert plot.key == 4
    plot.show_steps(steps, trace.tokens.labels, "softmax", 3)
    assert plot.lines_of(4)[-1] == f"weight {weight}"


def test_two_weights_stand_out_of_a_head_and_any_other_is_read_out(qtbot: QtBot, look: Look) -> None:
    trace = make_trace(6)
    found = both_ways_of(trace, Scene(query="w2", key="w4", layer=1, head=2))
    assert found.cells == ((2, 4), (4, 2))
    np.testing.assert_allclose(found.weights, dense(trace)[1, 2], atol=1e-6)
    plot = on_screen(qtbot, BothWaysPlot(look), 800, 500)
    plot.show_weights(found)
    assert plot.lines_of((1, 3)) == ["“w1” → “w3”", fixed(float(found.weights[1, 3]), 4)]
    assert plot.part_at(plot.place_of((4, 2))) == (4, 2)


def test_a_picture_grows_with_its_room_and_still_fits(qtbot: QtBot, look: Look) -> None:
    plot = on_screen(qtbot, BothWaysPlot(look), 700, 420)
    plot.show_weights(both_ways_of(make_trace(6), Scene(query="w2", key="w4", layer=1, head=2)))
    small = plot.extent_of((0, 0)).width()
    plot.resize(1400, 840)
    qtbot.waitUntil(lambda: plot.extent_of((0, 0)).width() > 1.5 * small)
    assert plot.rect().contains(plot.extent_of((5, 5)).toRect())


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9])
def test_dropout_makes_a_share_of_a_vector_zero_and_the_rest_larger(share: float) -> None:
    trace = make_trace(4)
    found = dropped(trace, 2, share, seed=7)
    vector = trace.hidden[-1][2]
    is_zero = found.factors == 0
    np.testing.assert_allclose(found.result[~is_zero], vector[~is_zero] / (1 - share), rtol=1e-6)
    assert not found.result[is_zero].any()
    assert found.n_dropped == is_zero.sum()
    assert bool(found.n_dropped) == (share > 0)
    np.testing.assert_array_equal(found.factors, dropped(trace, 2, share, seed=7).factors)


class _OfOneLayer(QObject):
    """Has what the activation of a layer makes of the first token, and nothing else."""

    changed = Signal()

    def __init__(self, trace: Trace) -> None:
        super().__init__()
        self.trace = trace

    def show(self, activation: str, given: Floats, made: Floats) -> None:
        self.details = SimpleNamespace(activation=activation, expanded=given[None], active=made[None])

    def of_layer(self, _: object) -> tuple[Trace, SimpleNamespace, int]:
        return self.trace, self.details, 0


class _OfNow(QObject):
    """Has what is computed of a run, and nothing else."""

    changed = Signal()

    def __init__(self, found: object) -> None:
        super().__init__()
        self.found = found

    def of_now(self, _: object) -> object:
        return self.found


class _Analysed(QObject):
    """Has what became of an analysis, and nothing else."""

    changed = Signal()

    def __init__(self, found: AnalysisError | Result | None) -> None:
        super().__init__()
        self.found = found

    def analysed(self, _: str) -> AnalysisError | Result | None:
        return self.found


def test_where_methods_cannot_be_compared_it_is_said_why(qtbot: QtBot, look: Look) -> None:
    of = _Analysed(None)
    picture = on_screen(qtbot, AgreementPicture(look, cast(LessonPictures, of)), 800, 500)
    picture.show_scene(Scene(picture="agreement"))
    assert picture.title.text() == "The methods are being compared …"
    of.found = AnalysisError(Message("This checkpoint has no head for masked tokens."))
    picture.show_scene(Scene(picture="agreement"))
    assert picture.title.text() == "This checkpoint has no head for masked tokens."
    model = open_model()
    bars = picture.lists[0].bars
    for text, n_marked in (("The cat ate the fish.", 2), ("a", 0)):
        of.found = model.analyse("agreement", model.trace(text), target="pooled")
        picture.show_scene(Scene(picture="agreement"))
        assert sum(bar.is_highlighted for bar in bars.bars) == n_marked, "of one word there is no order"
        assert len(bars.bars) > 2
    of.found = None
    picture.show_scene(Scene(picture="agreement"))
    assert not bars.bars, "those of another text"


def test_the_curve_of_gelu_has_the_points_of_models_with_gelu_alone(qtbot: QtBot, look: Look) -> None:
    given = np.array([-1.0, 0.5, 9.0], np.float32)
    of = _OfOneLayer(make_trace(4))
    of.show("gelu", given, np.array([-0.159, 0.346, 9.0], np.float32))
    picture = on_screen(qtbot, BendPicture(look, cast(LessonPictures, of)), 800, 500)
    picture.show_scene(Scene(picture="bend"))
    assert "3 numbers go through GELU" in picture.title.text()
    assert "1 of them are below 0" in picture.note.text()
    np.testing.assert_array_equal(picture.curve.inputs, given)
    drawn = pixels_of(picture.curve)
    picture.curve.show_points(given[:2])
    assert (pixels_of(picture.curve) != drawn).any(), "a number beyond the curve is drawn at its end"
    of.show("relu", given, np.maximum(given, 0))
    picture.show_scene(Scene(picture="bend"))
    assert picture.title.text() == "This model has ReLU in the place of GELU, whose curve this is."
    assert picture.note.text() == ""
    assert not len(picture.curve.inputs)


def test_dropped_numbers_are_read_out_as_zero(qtbot: QtBot, look: Look) -> None:
    grids = on_screen(qtbot, DropoutGrids(look), 640, 420)
    found = dropped(make_trace(4), 2, 0.5, seed=1)
    grids.show_dropped(found)
    before, after = map(grids.in_plot, grids.grids())
    side = after.width() / 16
    for number in (0, len(found.vector) - 1):
        row, column = divmod(number, 16)
        for grid in (before, after):
            at = grid.topLeft() + QPointF((column + 0.5) * side, (row + 0.5) * side)
            assert grids.part_at(at) == number
    assert grids.part_at(before.topLeft() - QPointF(3, 3)) is None


def test_a_batch_shows_its_mask_and_what_is_padding(qtbot: QtBot, look: Look) -> None:
    row = np.full(3, 1 / 3, np.float32)
    wide = np.array([0.2] * 5, np.float32)
    shorter = ("[CLS]", "it", "[SEP]", "[PAD]", "[PAD]")
    found = Padded(("[CLS]", "a", "long", "text", "[SEP]"), shorter, 1, row, wide, wide, 0.0, 1.0)
    batch = on_screen(qtbot, BatchGrid(look), 400, 160)
    batch.show_batch(found, is_masked=True)
    assert batch.rows()[2] == ("1", "1", "1", "0", "0")
    assert "[PAD]" in batch.accessibleDescription()
    batch.show_batch(found, is_masked=False)
    assert batch.rows()[2] == ("1",) * 5
