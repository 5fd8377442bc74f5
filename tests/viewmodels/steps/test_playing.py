"""Playing the walk: stop after stop, in its time, until the end."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication

from bertviz_app.viewmodels.steps.playing import HOLD_MS, MOTION_MS, SPEEDS, Playing
from bertviz_app.viewmodels.steps.stage import Architecture
from bertviz_app.viewmodels.steps.stops import Stop, Walk


@pytest.fixture
def walk(qapp: QApplication) -> Walk:
    made = Walk()
    made.set_architecture(Architecture(2))
    made.go(Stop(0, "queries"))
    return made


@pytest.fixture
def playing(walk: Walk) -> Playing:
    return Playing(walk)


def test_a_stop_moves_is_held_and_the_next_one_follows(walk: Walk, playing: Playing) -> None:
    assert not playing.is_moving
    playing.turn()
    assert (playing.is_playing, playing.progress) == (True, 0.0)
    playing.advance(MOTION_MS / 4)
    assert playing.progress == pytest.approx(0.25)
    playing.advance(MOTION_MS)
    assert playing.progress == 1.0
    playing.advance(HOLD_MS - 1)
    assert walk.stop == Stop(0, "queries")
    playing.advance(1)
    assert (walk.stop, playing.progress) == (Stop(0, "keys"), 0.0)


def test_it_ends_at_the_last_stop_and_begins_anew_from_there(walk: Walk, playing: Playing) -> None:
    walk.go(walk.stops[-2])
    playing.turn()
    for _ in range(40):
        playing.advance(500)
    assert walk.stop == walk.stops[-1]
    assert not playing.is_playing
    playing.turn()
    assert walk.stop == walk.stops[0]
    playing.stop()


def test_a_pause_keeps_the_motion_where_it_is(walk: Walk, playing: Playing) -> None:
    playing.turn()
    playing.advance(MOTION_MS / 2)
    playing.turn()
    assert not playing.is_playing
    assert playing.progress == pytest.approx(0.5)
    playing.turn()
    assert playing.progress == pytest.approx(0.5)
    playing.stop()
    assert not playing.is_moving


def test_a_single_step_moves_once_and_pauses(walk: Walk, playing: Playing) -> None:
    playing.step()
    assert (walk.stop, playing.is_playing, playing.progress) == (Stop(0, "keys"), False, 0.0)
    for _ in range(40):
        playing.advance(500)
    assert (walk.stop, playing.progress) == (Stop(0, "keys"), 1.0)


def test_walking_by_hand_shows_the_stop_at_once(walk: Walk, playing: Playing) -> None:
    playing.step()
    playing.advance(MOTION_MS / 2)
    walk.step(1)
    assert playing.progress == 1.0
    playing.turn()
    walk.step(1)
    assert playing.progress == 0.0
    playing.stop()


def test_while_numbers_are_computed_time_stands_still(walk: Walk, playing: Playing) -> None:
    playing.turn()
    playing.is_ready = False
    playing.advance(10 * (MOTION_MS + HOLD_MS))
    assert (walk.stop, playing.progress) == (Stop(0, "queries"), 0.0)
    playing.stop()


def test_every_speed_has_its_turn(playing: Playing) -> None:
    seen = []
    for _ in SPEEDS:
        playing.next_speed()
        seen.append(playing.speed)
    assert sorted(seen) == list(SPEEDS)
    playing.speed = 4.0
    playing.turn()
    playing.advance(MOTION_MS / 8)
    assert playing.progress == pytest.approx(0.5)
    playing.stop()


def test_with_reduced_motion_the_stops_follow_each_other_unmoved(walk: Walk, playing: Playing) -> None:
    playing.reduces_motion = True
    playing.turn()
    assert not playing.is_moving
    playing.advance(HOLD_MS)
    assert walk.stop == Stop(0, "keys")
    assert not playing.is_moving
    playing.stop()
    playing.step()
    assert (walk.stop, playing.progress) == (Stop(0, "values"), 1.0)
