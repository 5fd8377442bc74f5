"""Run B: what is other in it, that it follows A, and that nothing stale is shown."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication

from bertviz_app.analysis.compare import divergence
from bertviz_app.errors import TextError
from bertviz_app.inference.engine import TraceRequest
from bertviz_app.text import Edits
from bertviz_app.viewmodels.panels import Panel, Panels
from bertviz_app.viewmodels.results import Results
from bertviz_app.viewmodels.runs import workspace as module
from bertviz_app.viewmodels.runs.compared_panels import ComparedPanels
from bertviz_app.viewmodels.runs.comparison import Comparison
from bertviz_app.viewmodels.runs.requests import OtherRun
from bertviz_app.viewmodels.runs.workspace import Workspace
from bertviz_app.viewmodels.tasks import Tasks
from tests.support.fakes import FakeEngine, HeldJobs

MASKED = Edits(replaced=((2, "[MASK]"),))
MUTED = Edits(muted=((1, 2),))


class Desk:
    """A workspace that shows "the cat sat" and a comparison, on workers that do as they are told."""

    def __init__(self, application: QApplication) -> None:
        self.engine = FakeEngine()
        self.jobs, self.drawing = HeldJobs(), HeldJobs()
        encoder = Tasks(self.jobs)
        self.workspace = Workspace(self.engine, encoder)
        self.comparison = Comparison(self.engine, self.workspace, encoder, Results(Tasks(self.drawing)))
        self.panels = Panels()
        self.compared = ComparedPanels(self.comparison, self.panels)
        self.signals: list[str] = []
        self.failures: list[object] = []
        self._application = application
        self.workspace.failed.connect(self.failures.append)
        self.workspace.open_model(None)
        self.workspace.set_texts("the cat sat", None, at_once=True)
        self.work()
        self.panels.set_size(2, 3)
        for name in ("changed", "shown_changed", "measured", "problem_changed"):
            getattr(self.comparison, name).connect(self._note(name))
        self.engine.asked.clear()

    def _note(self, name: str) -> Callable[[], None]:
        return lambda: self.signals.append(name)

    def work(self) -> None:
        """Let timers end and the workers do everything that was asked, until nothing is left."""
        self.wait()
        while self.jobs.submitted or self.drawing.submitted:
            for jobs in (self.jobs, self.drawing):
                if jobs.submitted:
                    jobs.submitted.pop(0).run()
                    self.wait()

    def wait(self) -> None:
        """Let timers end and what arrived be taken."""
        self._application.processEvents()

    def type(self, text: str, pair: str | None = None) -> None:
        self.workspace.set_texts(text, pair, at_once=True)
        self.work()

    @property
    def asked(self) -> TraceRequest | None:
        return None if self.comparison.shown is None else self.comparison.shown.result.request

    @property
    def edits(self) -> tuple[Edits, Edits]:
        """The edits of what is shown as A and as B."""
        assert self.workspace.shown is not None
        assert self.comparison.shown is not None
        return self.workspace.shown.result.request.edits, self.comparison.shown.result.request.edits

    def compare(self, other: OtherRun) -> None:
        self.comparison.set_other(other)
        self.work()


@pytest.fixture
def desk(qapp: QApplication, monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.setattr(module, "DEBOUNCE_MS", 0)
    monkeypatch.setattr("bertviz_app.viewmodels.runs.comparison.DEBOUNCE_MS", 0)
    return Desk(qapp)


def test_without_a_comparison_there_is_nothing(desk: Desk) -> None:
    comparison = desk.comparison
    assert (comparison.is_on, comparison.is_other, comparison.shown, comparison.difference) == (
        *(False, False),
        *(None, None),
    )
    desk.type("a new text")
    assert [request.text for request in desk.engine.asked] == ["a new text"]
    comparison.end()
    assert desk.signals == []


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
def test_run_b_is_run_a_but_for_what_is_other(desk: Desk, other: OtherRun, expected: TraceRequest) -> None:
    desk.compare(other)
    assert desk.asked == expected
    assert desk.comparison.is_other
    assert desk.comparison.is_current
    assert desk.signals.count("shown_changed") == 1
    assert desk.signals.count("measured") == 1


def test_the_difference_is_that_of_what_is_shown(desk: Desk) -> None:
    desk.compare(OtherRun(text="the dog sat down"))
    difference = desk.comparison.difference
    assert difference is not None
    assert desk.workspace.shown is not None
    assert desk.comparison.shown is not None
    one, other = desk.workspace.shown.result.trace, desk.comparison.shown.result.trace
    assert difference.traces == (one, other)
    assert difference.divergence is not None
    np.testing.assert_array_equal(difference.divergence, divergence(one, other, difference.alignment))
    layer, head = difference.farthest or (-1, -1)
    assert difference.divergence[layer, head] == difference.divergence.max()


def test_run_b_is_there_before_the_heads_are_measured(desk: Desk) -> None:
    desk.comparison.set_other(OtherRun(edits=MUTED))
    desk.wait()
    desk.jobs.submitted.pop(0).run()
    desk.wait()
    difference = desk.comparison.difference
    assert difference is not None
    assert difference.divergence is None
    assert difference.farthest is None
    assert len(difference.alignment) == 5


def test_tokens_of_the_same_text_are_aligned_by_position_whatever_is_replaced(desk: Desk) -> None:
    edits = Edits(replaced=tuple((place, "[MASK]") for place in (1, 2, 3)))
    desk.compare(OtherRun(edits=edits))
    assert desk.comparison.difference is not None
    assert desk.comparison.difference.alignment.to_b.tolist() == [0, 1, 2, 3, 4]


def test_nothing_other_is_run_a_itself_and_not_encoded_again(desk: Desk) -> None:
    desk.comparison.begin()
    desk.work()
    assert desk.comparison.shown is desk.workspace.shown
    assert not desk.comparison.is_other
    assert desk.engine.asked == []
    assert desk.comparison.difference is not None
    assert desk.comparison.difference.farthest is None


def test_a_comparison_begins_with_the_edits_of_a(desk: Desk) -> None:
    desk.workspace.set_edits(MUTED)
    desk.work()
    desk.comparison.begin()
    desk.work()
    assert desk.edits == (MUTED, MUTED)
    desk.workspace.set_edits(Edits())
    desk.work()
    assert desk.edits == (Edits(), MUTED)
    assert desk.comparison.is_other


def test_it_follows_run_a(desk: Desk) -> None:
    desk.compare(OtherRun(edits=MUTED))
    desk.type("a dog")
    assert desk.asked == TraceRequest(None, "auto", "a dog", None, MUTED)
    desk.type("a dog", "ran")
    assert desk.asked == TraceRequest(None, "auto", "a dog", "ran", MUTED)
    assert desk.comparison.is_current


def test_a_text_of_its_own_stays(desk: Desk) -> None:
    desk.compare(OtherRun(text="it slept"))
    desk.type("a dog")
    assert desk.asked == TraceRequest(None, "auto", "it slept")
    assert desk.comparison.difference is not None
    assert desk.workspace.shown is not None
    assert desk.comparison.difference.traces[0] is desk.workspace.shown.result.trace


def test_a_replaced_token_stays_while_the_text_has_it_at_its_place(desk: Desk) -> None:
    desk.compare(OtherRun(edits=Edits(((1, 2),), ((2, "[MASK]"), (3, "ran")))))
    desk.type("the cat slept")
    assert desk.comparison.other == OtherRun(edits=Edits(((1, 2),), ((2, "[MASK]"),)))
    desk.type("the dog slept")
    assert desk.comparison.other == OtherRun(edits=MUTED)


def test_another_checkpoint_as_a_has_other_heads(desk: Desk) -> None:
    desk.compare(OtherRun(edits=MUTED))
    desk.workspace.open_model("large")
    desk.work()
    assert desk.comparison.other == OtherRun()
    assert desk.asked == TraceRequest("large", "auto", "the cat sat")


def test_a_result_that_a_newer_one_overtook_is_not_shown(desk: Desk) -> None:
    for other in (OtherRun(text="older"), OtherRun(text="newer")):
        desk.comparison.set_other(other)
        desk.wait()
    older, newer = desk.jobs.of("encode B")
    newer.run()
    older.run()
    desk.wait()
    assert desk.asked is not None
    assert desk.asked.text == "newer"
    assert desk.signals.count("shown_changed") == 1


def test_back_to_what_is_shown_gives_up_what_was_asked(desk: Desk) -> None:
    desk.compare(OtherRun(edits=MUTED))
    desk.comparison.set_other(OtherRun(edits=MASKED))
    desk.wait()
    desk.comparison.set_other(OtherRun(edits=MUTED))
    desk.wait()
    assert desk.jobs.cancelled[-1] == "encode B"
    assert not desk.comparison.is_busy
    desk.work()
    assert desk.edits[1] == MUTED


def test_while_another_a_is_coming_b_waits_for_it(desk: Desk) -> None:
    desk.workspace.set_texts("a dog", None, at_once=True)
    desk.comparison.set_other(OtherRun(edits=MUTED))
    desk.wait()
    assert desk.jobs.of("encode B") == []
    desk.work()
    assert [(request.text, request.edits) for request in desk.engine.asked] == [
        ("a dog", Edits()),
        ("a dog", MUTED),
    ]


def test_a_problem_of_a_holds_up_nothing(desk: Desk) -> None:
    desk.engine.errors["bad"] = TextError("Bad.", "Be good.")
    desk.workspace.set_texts("bad", None, at_once=True)
    desk.comparison.set_other(OtherRun(edits=MUTED))
    desk.work()
    assert desk.asked == TraceRequest(None, "auto", "the cat sat", None, MUTED)


def test_a_problem_leaves_the_last_good_b(desk: Desk) -> None:
    desk.compare(OtherRun(text="it slept"))
    before = desk.comparison.shown
    desk.engine.errors["bad"] = TextError("Bad.", "Be good.")
    desk.compare(OtherRun(text="bad"))
    comparison = desk.comparison
    assert comparison.problem is not None
    assert (comparison.problem.field, comparison.problem.error.message) == ("text", "Bad.")
    assert comparison.shown is before
    assert not comparison.is_current
    desk.compare(OtherRun(text="it slept"))
    assert comparison.problem is None
    desk.compare(OtherRun(edits=Edits(replaced=((2, "nonsense"),))))
    assert comparison.problem is not None
    comparison.end()
    assert comparison.problem is None


def test_a_defect_is_told_as_one(desk: Desk) -> None:
    defect = ZeroDivisionError("a defect")
    desk.engine.errors["bad"] = defect
    desk.compare(OtherRun(text="bad"))
    assert desk.failures == [defect]
    assert desk.comparison.problem is None


def test_the_end_takes_everything_away(desk: Desk) -> None:
    desk.compare(OtherRun(edits=MUTED))
    desk.signals.clear()
    desk.comparison.end()
    assert (desk.comparison.shown, desk.comparison.difference, desk.comparison.is_on) == (None, None, False)
    assert desk.signals == ["changed", "shown_changed"]
    desk.type("a dog")
    assert desk.asked is None


def test_what_arrives_after_the_end_is_not_shown(desk: Desk) -> None:
    desk.comparison.set_other(OtherRun(edits=MUTED))
    desk.wait()
    held = desk.jobs.of("encode B")
    desk.comparison.end()
    held[0].run()
    desk.work()
    assert desk.comparison.shown is None


def test_an_empty_text_is_that_of_a(desk: Desk) -> None:
    comparison = desk.comparison
    comparison.set_texts("it slept", "well")
    assert comparison.other == OtherRun(text="it slept", pair="well")
    comparison.set_texts("", "well")
    assert comparison.other == OtherRun(pair="well")
    desk.work()
    assert desk.asked == TraceRequest(None, "auto", "the cat sat", "well")
    comparison.set_texts("", "")
    assert comparison.other == OtherRun()


def test_another_text_has_no_replaced_tokens_and_another_checkpoint_no_edits(desk: Desk) -> None:
    comparison = desk.comparison
    comparison.set_edits(Edits(MUTED.muted, MASKED.replaced))
    comparison.set_texts("it slept")
    assert comparison.other == OtherRun(text="it slept", edits=MUTED)
    comparison.set_ref("large")
    assert comparison.other == OtherRun("large", "it slept")


def test_a_token_and_a_head_are_compared(desk: Desk) -> None:
    comparison = desk.comparison
    comparison.compare_token(2, "[MASK]")
    comparison.compare_head(1, 2)
    assert comparison.other == OtherRun(edits=Edits(MUTED.muted, MASKED.replaced))
    comparison.set_texts("it slept")
    comparison.compare_token(2, "dog")
    assert comparison.other == OtherRun(edits=Edits(replaced=((2, "dog"),)))


def test_a_head_that_a_mutes_is_compared_with_it_heard(desk: Desk) -> None:
    desk.workspace.set_edits(MUTED)
    desk.work()
    desk.comparison.compare_head(1, 2)
    desk.work()
    assert desk.edits == (MUTED, Edits())
    desk.comparison.compare_head(1, 2)
    assert desk.comparison.other == OtherRun()


@pytest.mark.parametrize(
    "other",
    [OtherRun(edits=MUTED), OtherRun(text="it slept"), OtherRun("large"), OtherRun("large", "it", "ran")],
)
def test_swapped_twice_all_is_as_it_was(desk: Desk, other: OtherRun) -> None:
    desk.compare(other)
    assert desk.workspace.shown is not None
    before = (desk.workspace.shown.result.request, desk.asked)
    desk.comparison.swap()
    desk.work()
    swapped = (desk.workspace.shown.result.request, desk.asked)
    assert swapped[0] == before[1]
    assert swapped[1] is not None
    assert swapped[1].ref == ("fake" if other.ref else None)
    assert (swapped[1].text, swapped[1].edits) == (before[0].text, before[0].edits)
    desk.comparison.swap()
    desk.work()
    assert desk.workspace.shown.result.request.text == before[0].text
    assert desk.asked == before[1]


# the panels


def _heads(panels: Panels) -> list[tuple[str, int, int, str]]:
    return [(panel.run, panel.layer, panel.head, panel.how) for panel in panels.panels]


def test_the_first_other_run_opens_panels_and_the_end_puts_back_what_was_there(desk: Desk) -> None:
    desk.panels.open([Panel(0, 1, 0, "lines"), Panel(0, 0, 2, "matrix")], active=0)
    desk.comparison.begin()
    desk.work()
    assert [panel.run for panel in desk.panels.panels] == ["A", "A"]
    desk.comparison.compare_head(1, 2)
    desk.work()
    assert _heads(desk.panels) == [(run, 1, 0, "matrix") for run in ("A", "B", "A-B")]
    desk.panels.show(0, 1)
    desk.comparison.end()
    assert _heads(desk.panels) == [("A", 0, 1, "lines"), ("A", 0, 2, "matrix")]
    assert desk.panels.active == desk.panels.panels[0]


def test_panels_that_the_user_arranged_stay(desk: Desk) -> None:
    desk.compare(OtherRun(edits=MUTED))
    desk.panels.close(desk.panels.panels[1].number)
    desk.compare(OtherRun(edits=MASKED))
    assert [panel.run for panel in desk.panels.panels] == ["A", "A-B"]
    desk.comparison.end()
    assert [panel.run for panel in desk.panels.panels] == ["A"]
