"""Snapshots as JSON: what is written is read back; anything else is refused with one kind of error."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bertviz_app.text import Edits
from bertviz_app.viewmodels.options import DrawOptions
from bertviz_app.viewmodels.overview_options import OverviewChoice
from bertviz_app.viewmodels.panels import Panel
from bertviz_app.viewmodels.runs.comparison import OtherRun
from bertviz_app.viewmodels.selection import Pair
from bertviz_app.viewmodels.session.snapshot import Snapshot, snapshot_from_plain, snapshot_to_plain

FULL = Snapshot(
    text="the cat\nate",
    pair="고양이",
    ref="org/name",
    edits=Edits(muted=((0, 1), (3, 2)), replaced=((2, "[MASK]"),)),
    other=OtherRun(text="a dog", edits=Edits(muted=((1, 1),))),
    panels=(Panel(0, 1, 2, "lines", "A", (1, 2)), Panel(0, 0, 0, "matrix", "A-B")),
    active=1,
    pinned=Pair(3, None),
    overview=OverviewChoice(shows="entropy", filtered_by="entropy", least=0.5),
    options=DrawOptions(threshold=0.25, hides_special=True, colours="magma"),
)


def _again(snapshot: Snapshot) -> Snapshot:
    return snapshot_from_plain(json.loads(json.dumps(snapshot_to_plain(snapshot))))


@pytest.mark.parametrize("snapshot", [Snapshot(), FULL])
def test_a_snapshot_is_read_back(snapshot: Snapshot) -> None:
    assert _again(snapshot) == snapshot


def test_numbers_of_panels_are_not_kept() -> None:
    numbered = Snapshot(panels=(Panel(17, 0, 0, "matrix"),))
    assert _again(numbered).panels == (Panel(0, 0, 0, "matrix"),)


@pytest.mark.parametrize(
    "changes",
    [
        {"panels": [{"number": 0, "layer": -1, "head": 0, "how": "matrix"}]},
        {"panels": [{"number": 0, "layer": 0, "head": 0, "how": "paint"}]},
        {"panels": [{"number": 0, "layer": 0, "head": 0, "how": "matrix", "run": "C"}]},
        {"panels": [{"number": 0, "layer": 0, "head": 0, "how": "matrix"}] * 7},
        {"active": 1},
        {"active": -1},
        {"pinned": {"query": -1}},
        {"pinned": {"query": 2**31}},
        {"text": "\ud800"},
        {"options": {"threshold": 2.0}},
        {"options": {"colours": "rainbow"}},
    ],
)
def test_a_snapshot_that_cannot_be_shown_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - each says in its own words what is wrong
        snapshot_from_plain(snapshot_to_plain(Snapshot()) | changes)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


@given(st.data())
def test_any_json_is_read_or_refused(data: st.DataObject) -> None:
    plain = snapshot_to_plain(FULL)
    place = data.draw(st.sampled_from(sorted(plain)))
    plain[place] = data.draw(_JSON)
    try:
        found = snapshot_from_plain(plain)
    except ValueError:
        return
    assert _again(found) == found
