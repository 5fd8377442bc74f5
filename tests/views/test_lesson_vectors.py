"""Strips, number lines and dice of the lessons, and what they are drawn from."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPointF
from pytestqt.qtbot import QtBot

from bertviz_app.api import Model, open_model
from bertviz_app.features.lessons.course.lesson import Scene
from bertviz_app.features.lessons.state.computed import (
    CHOSEN,
    FIRST_ROW,
    Dots,
    NumberLine,
    PairAnswer,
    Strip,
    alike_of,
    changed_row,
    detector,
    fates_of,
    narrowed,
    norm_of,
    normed,
    pooling,
    rolled,
)
from bertviz_app.features.lessons.views.pictures.numbers import NumberLines
from bertviz_app.features.lessons.views.pictures.vectors import StripRows
from bertviz_app.features.training.pretraining.network import SHARE
from bertviz_app.trace import Trace
from bertviz_app.trace.provenance import LayerDetails
from bertviz_app.views.kit.look import Look
from tests.support.factories import make_tokens
from tests.support.scene import on_screen

ShownRun = tuple[Model, Trace, LayerDetails]
TEXT = "A cat ate the fish because it was hungry"


@pytest.fixture(scope="module")
def run(minilm: Path) -> ShownRun:
    """Return the model of the lessons, its run of their sentence, and the numbers of the layer shown."""
    model = open_model(minilm, device="cpu")
    trace = model.trace(TEXT)
    return model, trace, model.details(trace, 5)


def test_a_detector_fires_most_for_the_token_it_is_shown_for(run: ShownRun) -> None:
    model, trace, details = run
    weights = model.parameter("layers.5.feed_forward.expand.weight")
    token = trace.tokens.labels.index("it")
    for place in range(3):
        found = detector(trace, details, weights, token, place)
        values = np.array([strip.value for strip in found.strips])
        assert values.argmax() == token
        assert values[token] > 0
        by_hand = details.attention_norm @ found.weights + found.bias
        assert values == pytest.approx(by_hand, abs=1e-4)
    first, again = (
        detector(trace, details, weights, token, place).number for place in (0, found.n_detectors)
    )
    assert first == again


def test_what_all_detectors_add_is_what_comes_back(run: ShownRun) -> None:
    model, trace, details = run
    weights = model.parameter("layers.5.feed_forward.contract.weight")
    token = trace.tokens.labels.index("it")
    found = narrowed(trace, details, weights, token)
    bias = model.parameter("layers.5.feed_forward.contract.bias")
    whole = weights @ details.active[token] + bias
    assert found.strips[-1].numbers == pytest.approx(whole, abs=1e-4)
    lengths = [float(np.linalg.norm(strip.numbers)) for strip in found.strips[:-1]]
    assert lengths == sorted(lengths, reverse=True)


def test_the_numbers_of_a_token_are_those_of_the_norm_at_each_step(run: ShownRun) -> None:
    _, trace, details = run
    found = normed(trace, details, trace.tokens.labels.index("it"))
    came, less, divided, _ = found.stages
    assert less + came.mean() == pytest.approx(came)
    assert less.mean() == pytest.approx(0, abs=1e-9)
    assert divided.std() == pytest.approx(1)


@pytest.mark.parametrize(("factor", "shift"), [(1.0, 4.0), (0.5, -4.0), (2.0, 6.0)])
def test_a_row_that_is_stretched_and_shifted_is_normalised_to_the_same(factor: float, shift: float) -> None:
    assert norm_of(changed_row(factor, shift)) == pytest.approx(norm_of(FIRST_ROW))
    assert norm_of(FIRST_ROW)[:2] == pytest.approx((-1.342, -0.447), abs=1e-3)


def test_the_cosines_of_the_ninth_lesson_are_those_of_its_text(run: ShownRun) -> None:
    found = alike_of(run[1], Scene(query="it", key="cat"))
    assert (found.pair[0], found.pair[-1]) == pytest.approx((0.05, 0.63), abs=0.005)
    assert (found.mean[0], found.mean[-1]) == pytest.approx((0.07, 0.48), abs=0.005)


def test_the_pooled_vector_is_tanh_of_what_the_pooler_makes_of_the_first_row(run: ShownRun) -> None:
    _, trace, details = run
    found = pooling(trace, details)
    assert found.dense is not None
    assert found.pooled == pytest.approx(np.tanh(found.dense), abs=1e-5)


def test_the_dice_choose_what_the_pre_training_chooses() -> None:
    assert CHOSEN == SHARE
    candidates = list(range(1, 21))
    rolls = [fates_of(candidates, roll) for roll in range(2000)]
    assert {len(fates) for fates in rolls} == {3}
    counts = Counter(fate for fates in rolls for fate in fates.values())
    shares = [counts[fate] / counts.total() for fate in ("mask", "swap", "keep")]
    assert shares == pytest.approx([0.8, 0.1, 0.1], abs=0.02)
    assert {token for fates in rolls for token in fates} == set(candidates)


def test_the_first_roll_of_the_lesson_shows_all_three_fates() -> None:
    assert {*fates_of(list(range(1, 21)), 0).values()} == {"mask", "swap", "keep"}


def test_a_token_that_is_left_is_read_as_it_is_written_and_a_swapped_one_as_a_word() -> None:
    tokens, names = make_tokens(22), ["##x", "[UNK]", "배", "dog"]
    found = rolled(tokens, 0, len(names), names.__getitem__)
    read = {fate: found.tokens.pieces[token] for token, fate in found.fates.items()}
    kept = next(token for token, fate in found.fates.items() if fate == "keep")
    assert read == {"mask": "[MASK]", "swap": "dog", "keep": tokens.pieces[kept]}
    assert sum(rolled(tokens, 9, 4, names.__getitem__).counts.values()) == 30


def test_an_answer_is_right_or_wrong_only_where_the_truth_is_known() -> None:
    tokens = make_tokens(6)
    assert PairAnswer(tokens, 0.33, follows=True).is_right is False
    assert PairAnswer(tokens, 0.33, follows=False).is_right is True
    assert PairAnswer(tokens, 0.33, follows=None).is_right is None


def test_strips_stand_below_each_other_and_a_taken_one_below_a_gap(qtbot: QtBot, look: Look) -> None:
    plot = on_screen(qtbot, StripRows(look), 800, 500)
    row = np.linspace(-1, 1, 32).astype(np.float32)
    strips = [Strip(f"w{at}", row, float(at - 1)) for at in range(4)]
    plot.show_strips([*strips, Strip("w0", row, origin=0)], "first")
    boxes = [plot.strip(part) for part in range(5)]
    assert [box.top() for box in boxes] == sorted(box.top() for box in boxes)
    assert boxes[4].top() - boxes[3].bottom() > boxes[3].top() - boxes[2].bottom()
    assert plot.rect_of(4).bottom() <= plot.room.bottom() + 1
    chosen: list[int] = []
    plot.part_chosen.connect(chosen.append)
    assert plot.part_at(plot.place_of(2)) == 2
    assert plot.lines_of(3)[:2] == ["w3", "2.0000"]


def test_dots_end_where_their_numbers_are_and_far_ones_at_the_end(qtbot: QtBot, look: Look) -> None:
    look.set_motion(is_reduced=True)
    plot = on_screen(qtbot, NumberLines(look), 800, 500)
    dots = Dots(FIRST_ROW), Dots(norm_of(FIRST_ROW), origin=0)
    plot.show_lines([NumberLine("a", dots[:1]), NumberLine("b", dots[1:])], (-4, 14), "rows")
    assert plot.done == 1
    xs = [plot.at(1, float(number)).x() for number in dots[1].numbers]
    assert np.diff(xs) == pytest.approx([xs[1] - xs[0]] * 3)
    assert plot.at(0, 99.0) == plot.at(0, 14.0)
    assert isinstance(plot.at(0, 0.0), QPointF)
    assert "mean 2.50, standard deviation 1.12" in plot.lines_of(0)
