"""The walk through the steps: its stops, playing it, the token it follows, and details as they come."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtWidgets import QApplication

from bertviz_app.errors import CheckpointError, SelectionError
from bertviz_app.features.steps.walk import HOLD_MS, MOTION_MS, FollowedQuery, Playing, Walk
from bertviz_app.inference.engine import TraceRequest
from bertviz_app.trace.form import Form
from bertviz_app.viewmodels.pointer import Selection
from bertviz_app.viewmodels.results import Results, RunsOnScreen, Tasks
from bertviz_app.viewmodels.runs.shown import Details
from bertviz_app.viewmodels.stages.stage import Architecture
from bertviz_app.viewmodels.stages.stops import BELOW, STAGES, Stop, StopReader, all_stops, stop_named
from tests.support.factories import make_trace, projected
from tests.support.fakes import HeldJobs
from tests.support.panel_scenes import DetailEngine


@pytest.fixture
def walk(qapp: QApplication) -> Walk:
    made = Walk()
    made.set_architecture(Architecture(3, has_pooler=True))
    return made


@pytest.fixture
def short_walk(qapp: QApplication) -> Walk:
    made = Walk()
    made.set_architecture(Architecture(2))
    made.go(Stop(0, "queries"))
    return made


@pytest.fixture
def playing(short_walk: Walk) -> Playing:
    return Playing(short_walk)


@pytest.fixture
def selection() -> Selection:
    return Selection()


@pytest.fixture
def followed(selection: Selection) -> FollowedQuery:
    made = FollowedQuery(selection)
    made.trace = make_trace(6)
    return made


TRACE = make_trace(5)


@pytest.fixture
def engine() -> DetailEngine:
    return DetailEngine()


@pytest.fixture
def reader(qapp: QApplication, jobs: HeldJobs, engine: DetailEngine) -> StopReader:
    runs = RunsOnScreen()
    runs.show("A", TraceRequest(None, "cpu", "a text"), TRACE)
    return StopReader(Details(engine, Results(Tasks(jobs)), runs))


def _finish(jobs: HeldJobs) -> None:
    for held in jobs.submitted:
        held.run()
    QApplication.processEvents()


def test_stops_stand_in_their_order_and_have_names() -> None:
    # every stage is a stop once in its order
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
    # a stop is found by its name
    assert stop_named("softmax", 1, 3) == Stop(1, "softmax")
    assert stop_named("position", 1, 3) == Stop(BELOW, "position")
    assert stop_named("pooled", 1, 3) == Stop(3, "pooled")
    with pytest.raises(SelectionError, match="no stage"):
        stop_named("soft", 1, 3)
    # titles have words for roots: in bold letters a root has no bar over what follows
    titles = [stage.title for stage in STAGES.values()]
    assert [title for title in titles if "√" in title] == []


def test_each_layer_has_the_stops_of_its_form() -> None:
    form = Form(is_pre_norm=True, is_first_without_norm=True, has_final_norm=True, is_gated=True)
    stops = all_stops(Architecture(3, has_pooler=False, has_segments=False, has_positions=False, form=form))
    stages = [[stop.stage for stop in stops if stop.section == section] for section in (BELOW, 0, 1, 2)]
    assert stages[0] == ["token", "embedding_norm"]
    feed_forward = ["expanded", "active", "gate", "gated", "contracted", "output_sum"]
    assert [stage[0] for stage in stages[1:]] == ["queries", "input_norm", "input_norm"]
    assert stages[1][-6:] == stages[2][-6:] == feed_forward
    assert stages[3][-7:] == [*feed_forward, "output"]


def test_a_model_is_walked_layer_by_layer_as_far_as_it_goes(walk: Walk) -> None:
    # another layer is entered at the same stage
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
    # a model has the stops of its embeddings
    walk.fit(replace(projected(make_trace(4)), segment_embeddings=None))
    stages = [stop.stage for stop in walk.section(BELOW)]
    assert stages == ["token", "position", "embedding_sum", "embedding_norm", "embedding_projection"]
    walk.go(Stop(BELOW, "embedding_projection"))
    walk.fit(make_trace(4))
    assert walk.stop == Stop(BELOW, "token")


def test_playing_ends_begins_anew_and_pauses(short_walk: Walk, playing: Playing) -> None:
    # it ends at the last stop and begins anew from there
    short_walk.go(short_walk.stops[-2])
    playing.turn()
    for _ in range(40):
        playing.advance(500)
    assert short_walk.stop == short_walk.stops[-1]
    assert not playing.is_playing
    playing.turn()
    assert short_walk.stop == short_walk.stops[0]
    playing.stop()
    # a pause keeps the motion where it is
    playing.turn()
    playing.advance(MOTION_MS / 2)
    playing.turn()
    assert not playing.is_playing
    assert playing.progress == pytest.approx(0.5)
    playing.turn()
    assert playing.progress == pytest.approx(0.5)
    playing.stop()
    assert not playing.is_moving


def test_while_numbers_are_computed_time_stands_still(short_walk: Walk, playing: Playing) -> None:
    playing.turn()
    playing.is_ready = False
    playing.advance(10 * (MOTION_MS + HOLD_MS))
    assert (short_walk.stop, playing.progress) == (Stop(0, "queries"), 0.0)
    playing.stop()


def test_the_token_under_the_pointer_comes_before_the_pinned_one_and_that_before_the_first(
    followed: FollowedQuery, selection: Selection
) -> None:
    # at first it is the first token of the text
    assert followed.query == 1
    # what the pointer rests on comes before what is pinned
    selection.pin(query=3)
    assert followed.query == 3
    selection.hover(query=4)
    assert followed.query == 4
    selection.leave()
    assert followed.query == 3
    # a token that the text does not have is not followed
    selection.pin(query=17)
    assert followed.query == 1
    # another token is followed by pinning it
    selection.hover(query=4)
    followed.choose(2)
    assert (selection.pinned.query, followed.query) == (2, 2)


def test_the_message_for_missing_details_has_the_error(
    reader: StopReader, jobs: HeldJobs, engine: DetailEngine
) -> None:
    engine.error = CheckpointError("It is gone.", "Fetch it.")
    tensors = reader.at(TRACE, Stop(1, "concat"), 0, 1)
    _finish(jobs)
    assert reader.message(tensors) == "It is gone. Fetch it."
    stranger = reader.at(make_trace(4), Stop(1, "concat"), 0, 1)
    assert not reader.is_coming(stranger)
    assert "not in the trace" in reader.message(stranger)
