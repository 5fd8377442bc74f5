"""The walk: its stops in the order of the computation, and how one gets about."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtWidgets import QApplication

from bertviz_app.errors import SelectionError
from bertviz_app.trace.form import Form
from bertviz_app.viewmodels.steps.stage import Architecture
from bertviz_app.viewmodels.steps.stages import STAGES
from bertviz_app.viewmodels.steps.stops import (
    BELOW,
    Stop,
    Walk,
    all_stops,
    stop_named,
)
from tests.support.factories import make_trace, projected


@pytest.fixture
def walk(qapp: QApplication) -> Walk:
    made = Walk()
    made.set_architecture(Architecture(3, has_pooler=True))
    return made


def test_every_stage_is_a_stop_once_in_its_order() -> None:
    stops = all_stops(Architecture(2, has_pooler=True, has_bias=True))
    below = ["token", "segment", "position", "embedding_sum", "embedding_norm"]
    in_a_layer = [
        *("queries", "keys", "values", "scores", "scaled", "biased", "softmax", "weighted", "mixed"),
        *("concat", "projected", "attention_sum", "attention_norm"),
        *("expanded", "active", "contracted", "output_sum", "output"),
    ]
    top = ["first", "dense", "pooled"]
    assert [stop.stage for stop in stops] == [*below, *in_a_layer, *in_a_layer, *top]
    assert [stop.section for stop in stops] == [BELOW] * 5 + [0] * 18 + [1] * 18 + [2] * 3
    assert len(set(stops)) == len(stops)
    assert [stop.stage for stop in stops if stop.is_of_a_head][:9] == in_a_layer[:9]


def test_a_bias_is_a_stop_only_where_the_encoder_adds_one() -> None:
    without = all_stops(Architecture(1, has_pooler=True))
    has_one = all_stops(Architecture(1, has_pooler=True, has_bias=True))
    assert set(has_one) - set(without) == {Stop(0, "biased")}


def test_content_and_position_are_divided_and_added_in_one_stop() -> None:
    without = all_stops(Architecture(1, has_pooler=True))
    has_one = all_stops(Architecture(1, has_pooler=True, is_disentangled=True))
    assert set(has_one) ^ set(without) == {Stop(0, "scaled"), Stop(0, "disentangled")}
    stages = [stop.stage for stop in has_one]
    assert stages[stages.index("scores") :][:3] == ["scores", "disentangled", "softmax"]


def test_each_layer_has_the_stops_of_its_form() -> None:
    form = Form(is_pre_norm=True, is_first_without_norm=True, has_final_norm=True, is_gated=True)
    stops = all_stops(Architecture(3, has_pooler=False, has_segments=False, has_positions=False, form=form))
    stages = [[stop.stage for stop in stops if stop.section == section] for section in (BELOW, 0, 1, 2)]
    assert stages[0] == ["token", "embedding_norm"]
    feed_forward = ["expanded", "active", "gate", "gated", "contracted", "output_sum"]
    assert [stage[0] for stage in stages[1:]] == ["queries", "input_norm", "input_norm"]
    assert stages[1][-6:] == stages[2][-6:] == feed_forward
    assert stages[3][-7:] == [*feed_forward, "output"]


def test_a_model_has_the_stops_of_its_embeddings(walk: Walk) -> None:
    walk.fit(replace(projected(make_trace(4)), segment_embeddings=None))
    stages = [stop.stage for stop in walk.section(BELOW)]
    assert stages == ["token", "position", "embedding_sum", "embedding_norm", "embedding_projection"]
    walk.go(Stop(BELOW, "embedding_projection"))
    walk.fit(make_trace(4))
    assert walk.stop == Stop(BELOW, "token")


def test_without_a_pooler_the_walk_ends_at_the_last_hidden_state() -> None:
    assert all_stops(Architecture(2, has_pooler=False))[-1] == Stop(2, "first")


def test_it_goes_step_by_step_and_stays_at_the_ends(walk: Walk) -> None:
    walk.step(-1000)
    assert walk.stop == Stop(BELOW, "token")
    seen = [walk.stop]
    for _ in range(len(walk.stops)):
        walk.step(1)
        seen.append(walk.stop)
    assert seen[:-1] == list(walk.stops)
    assert seen[-1] == Stop(3, "pooled")


def test_another_layer_is_entered_at_the_same_stage(walk: Walk) -> None:
    walk.go(Stop(1, "softmax"))
    walk.step_section(1)
    assert walk.stop == Stop(2, "softmax")
    walk.step_section(1)
    assert (walk.stop, walk.layer) == (Stop(3, "first"), None)
    walk.step_section(1)
    assert walk.stop == Stop(3, "first")
    walk.step_section(-1)
    assert (walk.stop, walk.layer) == (Stop(2, "softmax"), 2)
    walk.step_section(-9)
    assert walk.stop == Stop(BELOW, "token")
    walk.step_section(1)
    assert walk.stop == Stop(0, "softmax")


def test_it_notifies_of_a_move_and_only_then(walk: Walk) -> None:
    stops: list[Stop] = []
    walk.moved.connect(lambda: stops.append(walk.stop))
    walk.go(Stop(1, "keys"))
    walk.go(Stop(1, "keys"))
    walk.go(Stop(7, "keys"))
    walk.enter(1)
    assert stops == [Stop(1, "keys")]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (Stop(2, "active"), Stop(1, "active")),
        (Stop(0, "active"), Stop(0, "active")),
        (Stop(BELOW, "position"), Stop(BELOW, "position")),
        (Stop(3, "first"), Stop(2, "first")),
        (Stop(3, "pooled"), Stop(2, "first")),
    ],
)
def test_in_another_encoder_one_stays_where_one_was_as_far_as_it_goes(
    walk: Walk, before: Stop, after: Stop
) -> None:
    walk.go(before)
    walk.set_architecture(Architecture(2, has_pooler=False))
    assert walk.stop == after
    assert walk.n_layers == 2


def test_a_stop_is_found_by_its_name() -> None:
    assert stop_named("softmax", 1, 3) == Stop(1, "softmax")
    assert stop_named("position", 1, 3) == Stop(BELOW, "position")
    assert stop_named("pooled", 1, 3) == Stop(3, "pooled")
    with pytest.raises(SelectionError, match="no stage"):
        stop_named("soft", 1, 3)


@pytest.mark.parametrize(
    ("stop", "layer"), [(Stop(BELOW, "position"), 0), (Stop(1, "active"), 1), (Stop(3, "pooled"), 2)]
)
def test_the_nearest_layer_is_the_first_in_the_embeddings_and_the_last_on_top(
    walk: Walk, stop: Stop, layer: int
) -> None:
    walk.go(stop)
    assert walk.stop == stop
    assert walk.nearest_layer == layer


def test_titles_of_stages_have_words_for_roots() -> None:
    # In bold letters a root has no bar over what follows, and stands apart from it.
    titles = [stage.words(lambda context, text: text)[0] for stage in STAGES.values()]
    assert [title for title in titles if "√" in title] == []
