"""Each analysis, view of attention, room and kind of dialog has a photograph."""

from __future__ import annotations

from typing import get_args

from bertviz_app.api.analysis_keys import AnalysisKey
from bertviz_app.options import Page
from bertviz_app.viewmodels.panel import ALL_KINDS, PANEL_KINDS
from bertviz_app.viewmodels.state import Room
from tests.installed.walk import kinds_of_dialogs
from tests.states.__main__ import STATES, file_name

FIELDS = {"room", "text", "pair", "other", "view", "run", "page", "analysis", "place", "dialog"}


def _given(field: str) -> set[str]:
    return {state[field] for state in STATES.values() if field in state}


def test_nothing_that_is_looked_at_is_left_out() -> None:
    assert set().union(*STATES.values()) == FIELDS
    assert _given("analysis") == set(get_args(AnalysisKey))
    assert _given("view") <= ALL_KINDS.keys()
    kinds = {*PANEL_KINDS}
    assert _given("view") >= kinds - {"image"}, "which needs an image"
    assert _given("page") == set(get_args(Page)) - {"cls"}, "which is the first one"
    assert _given("dialog") == kinds_of_dialogs()
    assert _given("room") | {"research"} == set(get_args(Room))
    assert len({file_name(name) for name in STATES}) == len(STATES)
