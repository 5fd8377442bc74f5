"""Run B: what is other in it, that it follows A, and that nothing stale is shown."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication

from bertviz_app.analysis.compare import divergence
from bertviz_app.errors import TextError
from bertviz_app.inference.engine import TraceRequest
from bertviz_app.text import Edits
from bertviz_app.text.interventions import CellIntervention, HeadIntervention, TokenIntervention
from bertviz_app.viewmodels.panels import Panel, Panels
from bertviz_app.viewmodels.runs import encoding as module
from bertviz_app.viewmodels.runs.requests import OtherRun
from tests.support.held_state import HeldPanels

MASKED = Edits(replaced=((2, "[MASK]"),))
MUTED = Edits(muted=((1, 2),))


@pytest.fixture
def state(qapp: QApplication, monkeypatch: pytest.MonkeyPatch) -> HeldPanels:
    monkeypatch.setattr(module, "DEBOUNCE_MS", 0)
    state = HeldPanels(qapp)
    state.open()
    state.type("the cat sat")
    state.panels.set_size(2, 3)
    state.record(state.comparison, "changed", "shown_changed", "measured", "problem_changed")
    state.engine.requests.clear()
    return state


def test_without_a_comparison_there_is_nothing(state: HeldPanels) -> None:
    comparison = state.comparison
    assert (comparison.is_on, comparison.is_other, comparison.shown, comparison.difference) == (
        *(False, False),
        *(None, None),
    )
    state.type("a new text")
    assert [request.text for request in state.engine.requests] == ["a new text"]
    comparison.end()
    assert state.signals == []


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        (OtherRun(text="it slept"), TraceRequest(None, "auto", "it slept")),
        (OtherRun(text="it", pair="slept"), TraceRequest(None, "auto", "it", "slept")),
        (OtherRun(ref="large"), TraceRequest("large", "auto", "the cat sat")),
        (OtherRun(edits=MUTED), TraceRequest(None, "auto", "the cat sat", None, MUTED)),
        (
            OtherRun("large", "it slept", None, MASKED),
            TraceRequest("large", "auto", "it slept", None, MASKED),
        ),
    ],
)
def test_run_b_is_run_a_but_for_what_is_other(
    state: HeldPanels, other: OtherRun, expected: TraceRequest
) -> None:
    state.compare(other)
    assert state.compared_with == expected
    assert state.comparison.is_other
    assert state.comparison.is_current
    assert state.signals.count("shown_changed") == 1
    assert state.signals.count("measured") == 1


def test_the_difference_is_that_of_what_is_shown(state: HeldPanels) -> None:
    state.compare(OtherRun(text="the dog sat down"))
    difference = state.comparison.difference
    assert difference is not None
    assert state.workspace.shown is not None
    assert state.comparison.shown is not None
    one, other = state.workspace.shown.result.trace, state.comparison.shown.result.trace
    assert difference.traces == (one, other)
    assert difference.divergence is not None
    np.testing.assert_array_equal(difference.divergence, divergence(one, other, difference.alignment))
    layer, head = difference.farthest or (-1, -1)
    assert difference.divergence[layer, head] == difference.divergence.max()


def test_run_b_is_there_before_the_heads_are_measured(state: HeldPanels) -> None:
    state.comparison.set_other(OtherRun(edits=MUTED))
    state.wait()
    state.encoder.submitted.pop(0).run()
    state.wait()
    difference = state.comparison.difference
    assert difference is not None
    assert difference.divergence is None
    assert difference.farthest is None
    assert len(difference.alignment) == 5


def test_tokens_of_the_same_text_are_aligned_by_position_whatever_is_replaced(state: HeldPanels) -> None:
    edits = Edits(replaced=tuple((position, "[MASK]") for position in (1, 2, 3)))
    state.compare(OtherRun(edits=edits))
    assert state.comparison.difference is not None
    assert state.comparison.difference.alignment.to_b.tolist() == [0, 1, 2, 3, 4]


def test_nothing_other_is_run_a_itself_and_not_encoded_again(state: HeldPanels) -> None:
    state.comparison.editor.begin()
    state.work()
    assert state.comparison.shown is state.workspace.shown
    assert not state.comparison.is_other
    assert state.engine.requests == []
    assert state.comparison.difference is not None
    assert state.comparison.difference.farthest is None


def test_a_comparison_begins_with_the_edits_of_a(state: HeldPanels) -> None:
    state.workspace.set_edits(MUTED)
    state.work()
    state.comparison.editor.begin()
    state.work()
    assert state.edits == (MUTED, MUTED)
    state.workspace.set_edits(Edits())
    state.work()
    assert state.edits == (Edits(), MUTED)
    assert state.comparison.is_other


def test_it_follows_run_a(state: HeldPanels) -> None:
    state.compare(OtherRun(edits=MUTED))
    state.type("a dog")
    assert state.compared_with == TraceRequest(None, "auto", "a dog", None, MUTED)
    state.type("a dog", "ran")
    assert state.compared_with == TraceRequest(None, "auto", "a dog", "ran", MUTED)
    assert state.comparison.is_current


def test_a_text_of_its_own_stays(state: HeldPanels) -> None:
    state.compare(OtherRun(text="it slept"))
    state.type("a dog")
    assert state.compared_with == TraceRequest(None, "auto", "it slept")
    assert state.comparison.difference is not None
    assert state.workspace.shown is not None
    assert state.comparison.difference.traces[0] is state.workspace.shown.result.trace


def test_a_replaced_token_stays_while_the_text_has_it_at_its_place(state: HeldPanels) -> None:
    state.compare(OtherRun(edits=Edits(((1, 2),), ((2, "[MASK]"), (3, "ran")))))
    state.type("the cat slept")
    assert state.comparison.other == OtherRun(edits=Edits(((1, 2),), ((2, "[MASK]"),)))
    state.type("the dog slept")
    assert state.comparison.other == OtherRun(edits=MUTED)


def test_all_that_names_tokens_goes_with_them_and_stays_while_the_text_does(state: HeldPanels) -> None:
    """The tokens of B are numbered as they are typed: what A leaves out does not move them."""
    drop, segment = TokenIntervention(3, "drop"), TokenIntervention(2, "segment", 1)
    cells = CellIntervention(0, 0, 1, 2, 0.5), CellIntervention(0, 0, 1, 3, 0.5)
    state.compare(OtherRun(edits=Edits(((1, 2),), ((1, "[MASK]"),), (), (drop, segment), cells)))
    before = state.comparison.other
    state.workspace.set_edits(Edits.of([TokenIntervention(1, "drop")]))
    state.work()
    assert state.comparison.other == before
    state.workspace.set_edits(Edits())
    state.work()
    state.type("the cat slept")
    assert state.comparison.other == OtherRun(
        edits=Edits(((1, 2),), ((1, "[MASK]"),), (), (segment,), cells[:1])
    )


def test_another_checkpoint_as_a_has_other_heads(state: HeldPanels) -> None:
    state.compare(OtherRun(edits=MUTED))
    state.workspace.open_model("large")
    state.work()
    assert state.comparison.other == OtherRun()
    assert state.compared_with == TraceRequest("large", "auto", "the cat sat")


def test_a_result_that_a_newer_one_overtook_is_not_shown(state: HeldPanels) -> None:
    for other in (OtherRun(text="older"), OtherRun(text="newer")):
        state.comparison.set_other(other)
        state.wait()
    older, newer = state.encoder.of("encode B")
    newer.run()
    older.run()
    state.wait()
    assert state.compared_with is not None
    assert state.compared_with.text == "newer"
    assert state.signals.count("shown_changed") == 1


def test_going_back_to_the_shown_run_cancels_the_requested_one(state: HeldPanels) -> None:
    state.compare(OtherRun(edits=MUTED))
    state.comparison.set_other(OtherRun(edits=MASKED))
    state.wait()
    state.comparison.set_other(OtherRun(edits=MUTED))
    state.wait()
    assert state.encoder.cancelled[-1] == "encode B"
    assert not state.comparison.is_busy
    state.work()
    assert state.edits[1] == MUTED


def test_while_another_a_is_coming_b_waits_for_it(state: HeldPanels) -> None:
    state.workspace.set_texts("a dog", None, at_once=True)
    state.comparison.set_other(OtherRun(edits=MUTED))
    state.wait()
    assert state.encoder.of("encode B") == []
    state.work()
    assert [(request.text, request.edits) for request in state.engine.requests] == [
        ("a dog", Edits()),
        ("a dog", MUTED),
    ]


def test_a_problem_of_a_holds_up_nothing(state: HeldPanels) -> None:
    state.engine.errors["bad"] = TextError("Bad.", "Be good.")
    state.workspace.set_texts("bad", None, at_once=True)
    state.comparison.set_other(OtherRun(edits=MUTED))
    state.work()
    assert state.compared_with == TraceRequest(None, "auto", "the cat sat", None, MUTED)


def test_a_problem_leaves_the_last_good_b(state: HeldPanels) -> None:
    state.compare(OtherRun(text="it slept"))
    before = state.comparison.shown
    state.engine.errors["bad"] = TextError("Bad.", "Be good.")
    state.compare(OtherRun(text="bad"))
    comparison = state.comparison
    assert comparison.problem is not None
    assert (comparison.problem.field, comparison.problem.error.message) == ("text", "Bad.")
    assert comparison.shown is before
    assert not comparison.is_current
    state.compare(OtherRun(text="it slept"))
    assert comparison.problem is None
    state.compare(OtherRun(edits=Edits(replaced=((2, "nonsense"),))))
    assert comparison.problem is not None
    comparison.end()
    assert comparison.problem is None


def test_a_defect_is_reported_as_a_failure(state: HeldPanels) -> None:
    defect = ZeroDivisionError("a defect")
    state.engine.errors["bad"] = defect
    state.compare(OtherRun(text="bad"))
    assert state.failures == [defect]
    assert state.comparison.problem is None


def test_the_end_takes_everything_away(state: HeldPanels) -> None:
    state.compare(OtherRun(edits=MUTED))
    state.signals.clear()
    state.comparison.end()
    assert (state.comparison.shown, state.comparison.difference, state.comparison.is_on) == (
        None,
        None,
        False,
    )
    assert state.signals == ["changed", "shown_changed"]
    state.type("a dog")
    assert state.compared_with is None


def test_what_arrives_after_the_end_is_not_shown(state: HeldPanels) -> None:
    state.comparison.set_other(OtherRun(edits=MUTED))
    state.wait()
    held = state.encoder.of("encode B")
    state.comparison.end()
    held[0].run()
    state.work()
    assert state.comparison.shown is None


def test_an_empty_text_is_that_of_a(state: HeldPanels) -> None:
    comparison = state.comparison
    comparison.editor.set_texts("it slept", "well")
    assert comparison.other == OtherRun(text="it slept", pair="well")
    comparison.editor.set_texts("", "well")
    assert comparison.other == OtherRun(pair="well")
    state.work()
    assert state.compared_with == TraceRequest(None, "auto", "the cat sat", "well")
    comparison.editor.set_texts("", "")
    assert comparison.other == OtherRun()


def test_another_text_has_no_replaced_tokens_and_another_checkpoint_no_edits(state: HeldPanels) -> None:
    comparison = state.comparison
    comparison.editor.set_edits(Edits(MUTED.muted, MASKED.replaced))
    comparison.editor.set_texts("it slept")
    assert comparison.other == OtherRun(text="it slept", edits=MUTED)
    comparison.editor.set_ref("large")
    assert comparison.other == OtherRun("large", "it slept")


def test_a_token_and_a_head_are_compared(state: HeldPanels) -> None:
    comparison = state.comparison
    comparison.editor.compare_token(2, "[MASK]")
    comparison.editor.compare_head(1, 2)
    assert comparison.other == OtherRun(edits=Edits(MUTED.muted, MASKED.replaced))
    comparison.editor.set_texts("it slept")
    comparison.editor.compare_token(2, "dog")
    assert comparison.other == OtherRun(edits=Edits(replaced=((2, "dog"),)))


def test_a_head_that_a_mutes_is_compared_with_it_heard(state: HeldPanels) -> None:
    state.workspace.set_edits(MUTED)
    state.work()
    state.comparison.editor.compare_head(1, 2)
    state.work()
    assert state.edits == (MUTED, Edits())
    state.comparison.editor.compare_head(1, 2)
    assert state.comparison.other == OtherRun()


def test_a_head_that_a_replaces_is_compared_with_it_heard_whatever_replaces_it(state: HeldPanels) -> None:
    state.workspace.set_edits(Edits.of([HeadIntervention(1, 2, "uniform")]))
    state.work()
    state.compare(OtherRun())
    state.comparison.editor.compare_head(1, 2)
    assert state.comparison.other == OtherRun()


@pytest.mark.parametrize(
    "other",
    [
        OtherRun(edits=MUTED),
        OtherRun(text="it slept"),
        OtherRun("large"),
        OtherRun("large", "it", "ran"),
        OtherRun("large", "it ran", edits=Edits(replaced=((1, "dog"),))),
    ],
)
def test_swapped_twice_all_is_as_it_was(state: HeldPanels, other: OtherRun) -> None:
    state.compare(other)
    assert state.workspace.shown is not None
    before = (state.workspace.shown.result.request, state.compared_with)
    state.comparison.editor.swap()
    state.work()
    swapped = (state.workspace.shown.result.request, state.compared_with)
    assert swapped[0] == before[1]
    assert swapped[1] is not None
    assert swapped[1].ref == ("fake" if other.ref else None)
    assert (swapped[1].text, swapped[1].edits) == (before[0].text, before[0].edits)
    state.comparison.editor.swap()
    state.work()
    assert state.workspace.shown.result.request.text == before[0].text
    assert state.compared_with == before[1]


# the panels


def _heads(panels: Panels) -> list[tuple[str, int, int, str]]:
    return [(panel.run, panel.layer, panel.head, panel.view_kind) for panel in panels.panels]


def test_the_first_other_run_opens_panels_and_the_end_puts_back_what_was_there(state: HeldPanels) -> None:
    state.panels.open([Panel(0, 1, 0, "lines"), Panel(0, 0, 2, "matrix")], active=0)
    state.comparison.editor.begin()
    state.work()
    assert [panel.run for panel in state.panels.panels] == ["A", "A"]
    state.comparison.editor.compare_head(1, 2)
    state.work()
    assert _heads(state.panels) == [(run, 1, 0, "matrix") for run in ("A", "B", "A-B")]
    state.panels.show(0, 1)
    state.comparison.end()
    assert _heads(state.panels) == [("A", 0, 1, "lines"), ("A", 0, 2, "matrix")]
    assert state.panels.active == state.panels.panels[0]


def test_panels_that_the_user_arranged_stay(state: HeldPanels) -> None:
    state.compare(OtherRun(edits=MUTED))
    state.panels.close(state.panels.panels[1].number)
    state.compare(OtherRun(edits=MASKED))
    assert [panel.run for panel in state.panels.panels] == ["A", "A-B"]
    state.comparison.end()
    assert [panel.run for panel in state.panels.panels] == ["A"]
