"""Which heads stand side by side: one to six, twins together, one of them active."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication

from bertviz_app.analysis.results import Result, TokenScalars
from bertviz_app.errors import FigureError
from bertviz_app.features.rendering.render_settings import kind_of
from bertviz_app.options import Run
from bertviz_app.trace.indexing import FirstShown
from bertviz_app.values import replace
from bertviz_app.viewmodels.panel import MOST, SHOWS_ATTENTION, Content, Panel, StepsChoice, views_of
from bertviz_app.viewmodels.panels import Panels
from bertviz_app.viewmodels.state import state_to_plain
from tests.support.scene import not_none

Heads = list[tuple[int, int, str]]


ROLLOUT = Content("attention-rollout")


class Counted(Panels):
    """Panels that count what they said."""

    def __init__(self) -> None:
        super().__init__()
        self.n_changes = self.n_refused = 0
        self.changed.connect(self._on_changed)
        self.refused.connect(self._on_refused)

    def _on_changed(self) -> None:
        self.n_changes += 1

    def _on_refused(self) -> None:
        self.n_refused += 1

    @property
    def heads(self) -> Heads:
        return [(panel.layer, panel.head, panel.view_kind) for panel in self.panels]

    @property
    def index(self) -> int:
        """Where the active panel stands."""
        assert self.active is not None
        return self.panels.index(self.active)


@pytest.fixture
def panels() -> Counted:
    panels = Counted()
    panels.set_size(6, 12)
    return panels


def _arranged(*heads: tuple[int, int], active: int = 0) -> Counted:
    panels = Counted()
    panels.set_size(6, 12)
    panels.open([Panel(0, layer, head, "matrix") for layer, head in heads], active)
    return panels


def _active(panels: Panels) -> Panel:
    assert panels.active is not None
    return panels.active


def test_the_first_result_opens_its_last_head_as_lines_and_as_matrix(panels: Counted) -> None:
    assert panels.heads == [(5, 11, "lines"), (5, 11, "matrix")]
    assert panels.index == 1


def test_a_smaller_model_keeps_the_heads_it_has(panels: Counted) -> None:
    panels.open([Panel(0, 5, 11, "lines"), Panel(0, 1, 2, "matrix")])
    panels.set_size(2, 4)
    assert panels.heads == [(1, 3, "lines"), (1, 2, "matrix")]
    panels.set_size(24, 16)
    assert panels.heads == [(1, 3, "lines"), (1, 2, "matrix")]


def test_panels_side_by_side() -> None:
    panels = _arranged((0, 0), (1, 1), (0, 0), active=0)
    panels.show(2, 2)
    assert [head[:2] for head in panels.heads] == [(2, 2), (1, 1), (2, 2)]
    # a new panel stands beside the active one and becomes active
    panels = _arranged((0, 0), (1, 1), active=0)
    panels.draw_as(panels.panels[0].number, "lines")
    panels.add(3, 4)
    assert panels.heads == [(0, 0, "lines"), (3, 4, "lines"), (1, 1, "matrix")]
    assert panels.index == 1
    # a head that is shown is picked and one that is walked past is not
    panels = _arranged((2, 3))
    picked: list[tuple[int, int]] = []
    panels.head_picked.connect(lambda layer, head: picked.append((layer, head)))
    panels.walk(1, 1)
    assert picked == []
    panels.show(0, 0)
    panels.isolate_head(panels.panels[0].number, 5)
    assert picked == [(0, 0), (0, 5)]


def test_a_seventh_panel_is_refused() -> None:
    panels = _arranged((0, 0))
    for head in range(1, MOST):
        panels.add(0, head)
    assert (len(panels.panels), panels.n_refused) == (6, 0)
    before, panels.n_changes = panels.panels, 0
    panels.add(1, 1)
    assert (panels.panels, panels.n_refused, panels.n_changes) == (before, 1, 0)


@pytest.mark.parametrize(("active", "closed", "then"), [(0, 0, 1), (0, 2, 0), (1, 1, 2), (2, 2, 1)])
def test_closing_keeps_the_active_panel_or_takes_its_neighbour(active: int, closed: int, then: int) -> None:
    panels = _arranged((0, 0), (1, 1), (2, 2), active=active)
    panels.close(panels.panels[closed].number)
    assert [head[0] for head in panels.heads] == [number for number in range(3) if number != closed]
    assert not_none(panels.active).layer == then


@pytest.mark.parametrize(
    ("start", "step", "end"), [((2, 3), (0, 1), (2, 4)), ((2, 11), (0, 1), (2, 0)), ((5, 3), (1, 0), (0, 3))]
)
def test_walking_goes_round_at_the_ends(
    start: tuple[int, int], step: tuple[int, int], end: tuple[int, int]
) -> None:
    panels = _arranged(start)
    panels.walk(*step)
    assert panels.heads[0][:2] == end


def test_only_included_heads_are_offered_whatever_is_undone(panels: Counted, qapp: QApplication) -> None:
    included, told = FirstShown((1, 3), (0, 2, 5), layer=3, selected=(2, 5)), list[tuple[int, ...]]()
    panels.changed.connect(lambda: told.append(panels.included_heads))
    panels.store.change(text="a text")
    qapp.processEvents()
    panels.include(included)
    qapp.processEvents()
    assert set(told) == {(0, 2, 5)}
    assert [(one.layer, one.shown_heads) for one in panels.panels] == [(3, (2, 5)), (3, (2,))]
    panels.walk(1, 1)
    assert (_active(panels).layer, _active(panels).head) == (1, 5)
    panels.store.undo()
    panels.store.undo()
    assert (_active(panels).layer, _active(panels).head) == (5, 11)
    assert (panels.included_layers, panels.included_heads) == ((1, 3), (0, 2, 5))
    assert "included" not in state_to_plain(panels.store.now)
    panels.include_all()
    assert panels.included_heads == tuple(range(12))
    assert (_active(panels).layer, _active(panels).head) == (5, 11)


def test_what_one_panel_shows(panels: Counted) -> None:
    panels.set_size(2, 4)
    panels.open([Panel(0, 1, 2, "lines")])
    number = _active(panels).number
    panels.toggle_head(number, 0)
    assert _active(panels).shown_heads == (0, 2)
    assert panels.open_heads() == [(1, 0), (1, 2)]
    panels.toggle_head(number, 2)
    assert (_active(panels).head, _active(panels).shown_heads) == (0, (0,))
    panels.toggle_head(number, 0)
    assert _active(panels).shown_heads == (0,)  # the last one stays
    # a head alone and all again
    panels.set_size(2, 4)
    panels.open([Panel(0, 1, 2, "lines")])
    number = _active(panels).number
    panels.isolate_head(number, 3)
    assert _active(panels).shown_heads == (3,)
    panels.isolate_head(number, 3)
    assert _active(panels).shown_heads == (0, 1, 2, 3)
    panels.walk(1, 0)
    assert (_active(panels).layer, _active(panels).shown_heads) == (0, (0, 1, 2, 3))
    panels.draw_as(number, "matrix")
    assert _active(panels).shown_heads == (3,)
    # a panel shows an analysis in a view that can and goes back to its own
    panels.set_size(2, 4)
    panels.open([Panel(0, 1, 1, "steps")])
    number = _active(panels).number
    chosen: list[int] = []
    panels.content_chosen.connect(chosen.append)
    panels.choose(number, ROLLOUT)
    assert (_active(panels).content, _active(panels).kind.key) == (ROLLOUT, "lines")
    panels.choose(number, Content("head-measures"))
    assert _active(panels).kind.key == "picture"
    panels.draw_as(number, "table")
    assert _active(panels).kind.key == "table"
    panels.choose(number, Content("predictions"))
    assert _active(panels).kind.key == "table"
    panels.choose(number, SHOWS_ATTENTION)
    assert _active(panels).kind.key == "words", "attention has no table"
    assert chosen == [number] * 4
    # a view that cannot show the analysis shows attention
    panels.set_size(2, 4)
    panels.open([Panel(0, 1, 1, "matrix", content=ROLLOUT)])
    number = _active(panels).number
    panels.draw_as(number, "lines")
    assert _active(panels).content == ROLLOUT
    panels.draw_as(number, "vectors")
    assert (_active(panels).content, _active(panels).kind.key) == (SHOWS_ATTENTION, "vectors")
    # only panels that draw weights need pictures
    panels.set_size(2, 4)
    panels.open([Panel(0, 1, 2, "steps"), Panel(1, 0, 3, "matrix"), Panel(2, 1, 1, "vectors")])
    assert panels.open_heads() == [(0, 3)]
    panels.draw_as(panels.panels[0].number, "lines")
    assert panels.open_heads() == [(1, 2), (0, 3)]


def test_without_run_b_its_panels_show_a_once(panels: Counted) -> None:
    panels.set_size(2, 4)
    panels.open([Panel(0, 0, 1, "matrix", run) for run in ("A", "B", "A-B")] + [Panel(0, 1, 1, "lines", "B")])
    panels.leave_runs()
    assert [(panel.layer, panel.view_kind, panel.run) for panel in panels.panels] == [
        (0, "matrix", "A"),
        (1, "lines", "A"),
    ]


@pytest.mark.parametrize(("active", "expected"), [(1, 0), (3, 2)])
def test_without_run_b_the_active_panel_stays_the_active_one(
    panels: Counted, active: int, expected: int
) -> None:
    runs: list[tuple[int, Run]] = [(0, "A"), (0, "B"), (1, "A"), (2, "A")]
    panels.open([Panel(0, 0, head, "matrix", run) for head, run in runs], active)
    panels.leave_runs()
    assert [panel.head for panel in panels.panels] == [0, 1, 2]
    assert panels.index == expected


def test_the_last_panel_stays() -> None:
    panels = _arranged((0, 0))
    panels.close(panels.panels[0].number)
    assert panels.heads == [(0, 0, "matrix")]


class _Numbers(TokenScalars):
    """A kind of results that does not say how it is drawn."""

    pictures = Result.pictures


def test_results_that_do_not_say_how_they_are_drawn_are_a_table_alone() -> None:
    assert [kind.key for kind in views_of(_Numbers)] == ["table"]
    assert [kind.key for kind in views_of(TokenScalars)] == ["picture", "table"]
    with pytest.raises(FigureError, match="its result is a table of numbers"):
        kind_of(_Numbers, "", "numbers")


def test_panels_that_are_opened_at_another_stop_are_drawn_and_a_view_that_walks_draws_itself() -> None:
    panels = Counted()
    panels.set_size(6, 12)
    steps = [
        replace(Panel(0, 2, 3, "steps"), steps=StepsChoice(stage=stage)) for stage in ("scores", "softmax")
    ]
    panels.open(steps[:1])
    n_before = panels.n_changes
    panels.open(steps[1:])  # the next station of a lesson
    assert panels.n_changes == n_before + 1
    panels.choose(panels.panels[0].number, StepsChoice(stage="mixed"))
    assert panels.n_changes == n_before + 1
