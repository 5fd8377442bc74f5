"""A pair picked in the matrix of two texts opens the heads behind it, in one panel for each run."""

from __future__ import annotations

import pytest

from bertviz_app.viewmodels.analyses.heads_of_pair import HEADS, PAIRS, HeadsOfPair
from bertviz_app.viewmodels.panel_choices import ATTENTION, Content
from bertviz_app.viewmodels.panels import MOST, RUNS, Panel, Panels, Run
from bertviz_app.viewmodels.selection import Selection


class LinkedPanels:
    """A panel of the pairs of two texts with the link that opens the heads behind a pair."""

    def __init__(self) -> None:
        self.panels = Panels()
        self.panels.set_size(4, 6)
        self.selections: dict[Run, Selection] = {run: Selection() for run in RUNS}
        HeadsOfPair(self.panels, self.selections)
        self.open(Panel(0, 2, 3, "matrix", content=Content(PAIRS)), Panel(0, 2, 3, "lines"))

    def open(self, *panels: Panel) -> None:
        self.panels.open(panels)

    @property
    def contents(self) -> list[Content]:
        return [panel.content for panel in self.panels.panels]


@pytest.fixture
def linked(qapp: object) -> LinkedPanels:
    return LinkedPanels()


def test_a_click_opens_the_heads_beside_the_matrix_which_stays_active(linked: LinkedPanels) -> None:
    linked.selections["A"].pin(4, partner=2)
    heads = Content(HEADS, (("token", 4), ("partner", 2)))
    assert linked.contents == [Content(PAIRS), heads, ATTENTION]
    assert linked.panels.active == linked.panels.panels[0]
    linked.selections["A"].walk_to(5, partner=1)
    assert linked.contents[1] == heads, "the arrow keys only pass"
    linked.selections["A"].pick()  # Enter
    assert linked.contents[1:] == [Content(HEADS, (("token", 5),)), ATTENTION]


def test_only_a_pair_in_an_active_matrix_of_pairs_does(linked: LinkedPanels) -> None:
    linked.selections["B"].pin(4, partner=2)
    linked.selections["A"].pin(4)
    linked.selections["A"].pin(4, 2)  # two tokens of this run, as the matrix of a head has them
    linked.panels.activate(linked.panels.panels[1].number)
    linked.selections["A"].pin(4, partner=2)
    assert linked.contents == [Content(PAIRS), ATTENTION]


def test_the_runs_have_panels_of_their_own(linked: LinkedPanels) -> None:
    linked.selections["A"].pin(4, partner=2)
    of_b = linked.panels.panels[2].number
    linked.panels.show_run(of_b, "B")
    linked.panels.choose(of_b, Content(PAIRS))
    linked.panels.activate(of_b)
    linked.selections["B"].pin(1, partner=3)
    assert [(one.run, one.content.parameters) for one in linked.panels.panels] == [
        ("A", ()),
        ("A", (("token", 4), ("partner", 2))),
        ("B", ()),
        ("B", (("partner", 3),)),
    ]


def test_six_panels_are_the_most(linked: LinkedPanels) -> None:
    linked.open(*[Panel(0, 2, 3, "matrix", content=Content(PAIRS))] * MOST)
    refused: list[bool] = []
    linked.panels.refused.connect(lambda: refused.append(True))
    linked.selections["A"].pin(4, partner=2)
    assert refused == [True]
    assert linked.contents == [Content(PAIRS)] * MOST
