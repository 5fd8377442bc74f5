"""The inspector in little room: what it writes it writes whole."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from bertviz_app.analysis.attention.numbers import AttentionNumbers
from bertviz_app.analysis.head_names import NAME_RULES, HeadName
from bertviz_app.analysis.pairs import PairNumbers, numbers_of
from bertviz_app.trace import Trace
from bertviz_app.viewmodels import inspected as inspected_module
from bertviz_app.viewmodels.inspected import Inspected
from bertviz_app.viewmodels.panels import Panels
from bertviz_app.viewmodels.selection import Selection
from bertviz_app.views.inspector.view import InspectorView
from bertviz_app.views.kit.look import Look
from tests.support.factories import disentangled_trace, make_trace
from tests.support.scene import on_screen, pixels_of, turn_events


def test_the_parts_of_a_score_add_up(qtbot: QtBot, look: Look, selection: Selection) -> None:
    panels = Panels()
    panels.set_size(2, 3)
    inspected = Inspected(panels, {"A": selection})
    view = on_screen(qtbot, InspectorView(look, inspected), 260, 500)
    inspected.show("A", AttentionNumbers(make_trace(6)))
    lone = view.height_for(2000)
    trace = disentangled_trace(6)
    inspected.show("A", AttentionNumbers(trace))
    selection.pin(2, 4)
    panel = panels.active
    assert panel is not None
    parts = {name: float(part[2, 4]) for name, part in trace.score_parts(panel.layer, panel.head).items()}
    turn_events()
    description = view.accessibleDescription()
    written = [f"{parts[name]:.4f}" for name in ("content", "content_to_position", "position_to_content")]
    score = float(trace.scores(panel.layer, panel.head)[2, 4])
    assert sum(parts.values()) == pytest.approx(score, abs=1e-5)
    names = ("÷ √24", "+ content → position", "+ position → content", "= score")
    assert (
        ", ".join(f"{name} {value}" for name, value in zip(names, [*written, f"{score:.4f}"], strict=True))
        in description
    )
    assert view.height_for(2000) == lone + 3 * look.pixels(18)


@pytest.mark.parametrize(("height", "rows"), [(103, 2), (110, 2), (117, 2), (121, 3), (138, 4)])
def test_no_row_is_cut_at_the_lower_edge(
    qtbot: QtBot, look: Look, selection: Selection, height: int, rows: int
) -> None:
    panels = Panels()
    panels.set_size(2, 3)
    inspected = Inspected(panels, {"A": selection})
    view = InspectorView(look, inspected)
    inspected.show("A", AttentionNumbers(make_trace(6)))
    view.setMinimumSize(1, 1)
    drawn = pixels_of(on_screen(qtbot, view, 260, height))
    written = (drawn != drawn[0, 0]).any(axis=1)
    last = 65 + rows * look.pixels(18)  # below the title, and the weight with its rank beside it
    assert written[last - 16 : last].any()
    assert not np.any(written[last + 1 :])


def test_the_head_is_named_with_its_number_where_it_has_a_name(
    qtbot: QtBot, look: Look, selection: Selection
) -> None:
    panels = Panels()
    panels.set_size(2, 3)
    inspected = Inspected(panels, {"A": selection})
    view = on_screen(qtbot, InspectorView(look, inspected), 260, 500)
    names = {(1, 1): HeadName(NAME_RULES[0], 0.875), (0, 2): HeadName(NAME_RULES[-1], 2.5)}
    inspected.show("A", AttentionNumbers(make_trace(6)), names=names)
    for at, words in (
        ((1, 1), "head · previous token 0.88 1 · 1"),
        ((0, 2), "head · broad 2.50 bits 0 · 2"),
        ((0, 0), "layer · head 0 · 0"),
    ):
        panels.show(*at)
        turn_events()
        assert view.accessibleDescription().endswith(words)
    inspected.show("A", AttentionNumbers(make_trace(6, seed=1)))  # another run has names of its own
    panels.show(1, 1)
    turn_events()
    assert view.accessibleDescription().endswith("layer · head 1 · 1")


def test_after_many_pairs_the_numbers_are_those_of_the_last_one(
    qtbot: QtBot, look: Look, selection: Selection
) -> None:
    trace, panels = make_trace(24), Panels()
    panels.set_size(2, 3)
    inspected = Inspected(panels, {"A": selection})
    view = on_screen(qtbot, InspectorView(look, inspected), 280, 560)
    inspected.show("A", AttentionNumbers(trace))
    for query, key in np.random.default_rng(5).integers(0, 24, (100, 2)).tolist():
        selection.hover(query, key)
        if key % 3:
            pixels_of(view)
    drawn = pixels_of(view)
    panel = panels.active
    assert panel is not None
    assert inspected.pair is not None
    weight = float(trace.attention(panel.layer, panel.head)[query, key])
    assert inspected.pair.numbers.weight == pytest.approx(weight, rel=1e-6)
    assert f"{float(trace.scores(panel.layer, panel.head)[query, key]):.4f}" in view.accessibleDescription()
    new = on_screen(qtbot, InspectorView(look, inspected), 280, 560)
    np.testing.assert_array_equal(drawn, pixels_of(new))


def test_the_numbers_of_a_pair_are_found_in_a_later_turn_and_only_of_the_last_one(
    qtbot: QtBot, look: Look, selection: Selection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The view under the pointer is painted before, and a pointer that moves on leaves no work behind."""
    found: list[tuple[int, int]] = []

    def noted(trace: Trace, layer: int, head: int, pair: tuple[int, int], *rest: Any) -> PairNumbers:
        found.append(pair)
        return numbers_of(trace, layer, head, pair, *rest)

    monkeypatch.setattr(inspected_module, "numbers_of", noted)
    panels = Panels()
    panels.set_size(2, 3)
    inspected = Inspected(panels, {"A": selection})
    view = on_screen(qtbot, InspectorView(look, inspected), 280, 560)
    inspected.show("A", AttentionNumbers(make_trace(24)))
    turn_events()
    before, description = pixels_of(view).copy(), view.accessibleDescription()
    found.clear()
    for key in range(3, 9):
        selection.hover(2, key)
    assert found == []
    turn_events()
    assert found == [(2, 8)]
    assert view.accessibleDescription() != description
    assert (pixels_of(view) != before).any()
