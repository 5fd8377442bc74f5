"""A pair picked in the matrix of two texts opens the heads behind it, in one panel for each run."""

from __future__ import annotations

import pytest

from bertviz_app.viewmodels.analyses.heads_of_pair import HEADS, PAIRS, HeadsOfPair
from bertviz_app.viewmodels.panel_choices import ATTENTION, Content
from bertviz_app.viewmodels.panels import MOST, RUNS, Panel, Panels, Run
from bertviz_app.viewmodels.selection import Selection


class Shown:
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
def shown(qapp: object) -> Shown:
    return Shown()


def test_a_click_opens_the_heads_beside_the_matrix_which_stays_active(shown: Shown) -> None:
    shown.selections["A"].pin(4, partner=2)
    heads = Content(HEADS, (("token", 4), ("partner", 2)))
    assert shown.contents == [Content(PAIRS), heads, ATTENTION]
    assert shown.panels.active == shown.panels.panels[0]
    shown.selections["A"].walk_to(5, partner=1)
    assert shown.contents[1] == heads, "the arrow keys only pass"
    shown.selections["A"].pick()  # Enter
    assert shown.contents[1:] == [Content(HEADS, (("token", 5),)), ATTENTION]


def test_only_a_pair_in_an_active_matrix_of_pairs_does(shown: Shown) -> None:
    shown.selections["B"].pin(4, partner=2)
    shown.selections["A"].pin(4)
    shown.selections["A"].pin(4, 2)  # two tokens of this run, as the matrix of a head has them
    shown.panels.activate(shown.panels.panels[1].number)
    shown.selections["A"].pin(4, partner=2)
    assert shown.contents == [Content(PAIRS), ATTENTION]


def test_the_runs_have_panels_of_their_own(shown: Shown) -> None:
    shown.selections["A"].pin(4, partner=2)
    of_b = shown.panels.panels[2].number
    shown.panels.show_run(of_b, "B")
    shown.panels.choose(of_b, Content(PAIRS))
    shown.panels.activate(of_b)
    shown.selections["B"].pin(1, partner=3)
    assert [(one.run, one.content.parameters) for one in shown.panels.panels] == [
        ("A", ()),
        ("A", (("token", 4), ("partner", 2))),
        ("B", ()),
        ("B", (("partner", 3),)),
    ]


def test_six_panels_are_the_most(shown: Shown) -> None:
    shown.open(*[Panel(0, 2, 3, "matrix", content=Content(PAIRS))] * MOST)
    refused: list[bool] = []
    shown.panels.refused.connect(lambda: refused.append(True))
    shown.selections["A"].pin(4, partner=2)
    assert refused == [True]
    assert shown.contents == [Content(PAIRS)] * MOST
