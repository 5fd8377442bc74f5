"""The switch between weights, norms and norms with residual: every view and every export follows it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from bertviz_app.analysis.attention.stamp import SpecialTokens, Stamp
from bertviz_app.errors import AnalysisError, Message
from bertviz_app.shell.commands.views import all_commands
from bertviz_app.shell.window.window import MainWindow
from bertviz_app.trace import Trace
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.export import save_numbers
from bertviz_app.viewmodels.panel import Panel
from bertviz_app.viewmodels.state import change_options, state_from_plain, state_to_plain
from bertviz_app.viewmodels.wording import stamp_remark
from bertviz_app.views.kit.widgets import Notice
from tests.support.fakes import FakeEngine
from tests.support.made_up import NORM, Norms, lengths, of_layers
from tests.support.scene import click, not_none, turn_events
from tests.support.window_fixtures import Settle


@pytest.fixture
def norms(engine: FakeEngine, monkeypatch: pytest.MonkeyPatch) -> Iterator[Norms]:
    norms = Norms()
    monkeypatch.setattr(engine, "analyse", norms.analyse)
    yield norms
    norms.gate.set()


@pytest.fixture
def matrix_and_lines(
    qtbot: QtBot, window: MainWindow, app_state: AppState, settle: Settle, norms: Norms
) -> MainWindow:
    settle("the cat sat down")
    app_state.panels.open([Panel(0, 1, 1, "matrix"), Panel(0, 1, 1, "lines")])
    qtbot.waitUntil(lambda: window.main_area.area.is_complete)
    return window


def run(window: MainWindow, text: str) -> None:
    (command,) = [one for one in all_commands(window) if one.text == text]
    command.run()


def trace_of(app_state: AppState, run: str = "A") -> Trace:
    shown = not_none(app_state.workspace.shown if run == "A" else app_state.comparison.shown)
    return shown.result.trace


def stamp(app_state: AppState) -> Stamp:
    shown = not_none(app_state.workspace.shown)
    return shown.overview.stamp


def choose(qtbot: QtBot, window: MainWindow, app_state: AppState, **fields: object) -> None:
    change_options(app_state.store, **fields)
    wait(qtbot, window, app_state)


def wait(qtbot: QtBot, window: MainWindow, app_state: AppState) -> None:
    requested = app_state.store.now.options.stamp
    qtbot.waitUntil(lambda: stamp(app_state) == requested and window.main_area.area.is_complete)


def test_every_view_shows_norms(qtbot: QtBot, matrix_and_lines: MainWindow, app_state: AppState) -> None:
    app_state.selection.pin(2, 3)
    run(matrix_and_lines, "All views: next of weights, norms, norms with residual")
    wait(qtbot, matrix_and_lines, app_state)
    trace = trace_of(app_state)
    expected = trace.attention(1, 1) * lengths(trace)
    area = matrix_and_lines.main_area
    for card in area.area.cards.values():
        picture = not_none(card.view.picture)
        np.testing.assert_allclose(picture.source.rows(0, trace.n_tokens), expected, rtol=1e-6)
        assert (picture.quantity, picture.source.kind) == (NORM, "norm")
        assert picture.full == pytest.approx(float(expected.max()))
        assert "Kobayashi 2020" in card.note.text()
    overview = not_none(area.cards.overview.view.overview)
    np.testing.assert_allclose(overview.pictures[1, 1], expected, rtol=1e-6)
    assert area.cards.overview.stamp.text() == "Norms"
    assert "Norms" in area.cards.heads.qualifier.text()
    pair = not_none(app_state.shown_runs.inspected.pair)
    assert pair.shown.value == pytest.approx(float(expected[2, 3]))
    turn_events()
    assert f"{expected[2, 3]:.4f}" in area.inspector_page.numbers.accessibleDescription()
    pinned = not_none(area.cards.overview.view.shown_pair)
    assert pinned.column.weights[1, 1] == pytest.approx(float(expected[2, 3]))
    assert matrix_and_lines.frame.bar.numbers.accessibleName().startswith("Numbers shown: Norms")


def test_what_is_shown_stays_until_the_other_numbers_are_there(
    qtbot: QtBot, matrix_and_lines: MainWindow, app_state: AppState, norms: Norms
) -> None:
    before = [card.view.picture for card in matrix_and_lines.main_area.area.cards.values()]
    norms.gate.clear()
    change_options(app_state.store, numbers="norm")
    turn_events()
    assert [card.view.picture for card in matrix_and_lines.main_area.area.cards.values()] == before
    assert stamp(app_state) == Stamp()
    change_options(app_state.store, numbers="weight")
    norms.gate.set()
    turn_events()
    assert stamp(app_state) == Stamp()
    norms.gate.clear()
    change_options(app_state.store, numbers="norm")
    app_state.workspace.set_texts("the cat sat down again", None, at_once=True)  # typed meanwhile
    turn_events()
    norms.gate.set()
    wait(qtbot, matrix_and_lines, app_state)
    qtbot.waitUntil(lambda: app_state.workspace.is_current)
    assert stamp(app_state).numbers == "norm"
    assert trace_of(app_state).tokens.text == "the cat sat down again"


def test_with_the_residual_connection_a_layer_has_one_matrix(
    qtbot: QtBot, matrix_and_lines: MainWindow, app_state: AppState
) -> None:
    area = matrix_and_lines.main_area
    app_state.panels.show(1, 2)
    choose(qtbot, matrix_and_lines, app_state, numbers="residual")
    trace = trace_of(app_state)
    for card in matrix_and_lines.main_area.area.cards.values():
        picture = not_none(card.view.picture)
        np.testing.assert_array_equal(picture.source.rows(0, trace.n_tokens), of_layers(trace)[1])
        assert card.title.text() == "Layer 1"
    overview = area.cards.overview.view
    assert overview.counts == (trace.n_layers, 1)
    assert "all heads together" in str(overview.lines_of((1, 0)))
    assert area.heads.heads.rowCount() == trace.n_layers
    at = overview.cell_rect(0, 0).center()
    click(overview, at.x(), at.y())
    for layer in (0, 1):  # a layer that is clicked shows the head that was looked at
        active = not_none(app_state.panels.active)
        assert (active.layer, active.head) == (layer, 2)
        assert area.heads.currentIndex().row() == layer
        area.heads.part_chosen.emit((1, 0))


def test_removed_special_tokens_leave_rows_that_add_up_to_1(
    qtbot: QtBot, matrix_and_lines: MainWindow, app_state: AppState
) -> None:
    run(matrix_and_lines, "Next treatment of special tokens: shown, hidden, removed")
    wait(qtbot, matrix_and_lines, app_state)
    assert stamp(app_state) == Stamp("weight", "hidden")
    app_state.selection.pin(2, 3)
    run(matrix_and_lines, "Next treatment of special tokens: shown, hidden, removed")
    wait(qtbot, matrix_and_lines, app_state)
    trace = trace_of(app_state)
    left = trace.attention(1, 1)[1:-1, 1:-1]
    left = left / left.sum(1, keepdims=True)
    picture = not_none(next(iter(matrix_and_lines.main_area.area.cards.values())).view.picture)
    np.testing.assert_allclose(picture.source.rows(0, len(left)), left, rtol=1e-5)
    pair = not_none(app_state.shown_runs.inspected.pair)
    assert pair.shown.value == pytest.approx(float(left[1, 2]), rel=1e-5)
    assert pair.shown.column[3] == pytest.approx(float(left[2, 2]), rel=1e-5)
    overview = not_none(matrix_and_lines.main_area.cards.overview.view.overview)
    np.testing.assert_allclose(overview.pictures[1, 1], left, rtol=1e-5)
    app_state.selection.pin(0, 3)  # [CLS] has no row any more
    pair = not_none(app_state.shown_runs.inspected.pair)
    assert np.isnan(pair.shown.value)
    numbers = matrix_and_lines.main_area.inspector_page.numbers
    qtbot.waitUntil(lambda: "–" in numbers.accessibleDescription())


def test_every_export_names_the_kind_of_its_numbers(
    qtbot: QtBot, matrix_and_lines: MainWindow, app_state: AppState, tmp_path: Path
) -> None:
    app_state.selection.pin(2, 3)
    choose(qtbot, matrix_and_lines, app_state, numbers="norm", hides_special=True)
    area = matrix_and_lines.main_area
    cards = area.cards.overview, area.cards.heads, area.cards.inspector, *area.area.cards.values()
    for number, card in enumerate(cards):
        subject = not_none(card.subject(app_state.runs))
        (stamp,) = [line for line in subject.sheet.lines if "Kobayashi 2020" in line or "hidden" in line]
        assert "Kobayashi 2020" in stamp
        assert "hidden" in stamp
        numbers = subject.numbers()
        assert numbers.facts["numbers"] == "norm"
        assert numbers.facts["special_tokens"] == "hidden"
        path = tmp_path / f"{number}.csv"
        save_numbers(numbers, path)
        assert "norm" in path.read_text(encoding="utf-8")
        assert "hidden" in path.read_text(encoding="utf-8")
    matrix = not_none(next(iter(area.area.cards.values())).subject(app_state.runs))
    assert 'analyse("norm-attention"' in matrix.python.replace("'", '"')
    overview = not_none(area.cards.overview.subject(app_state.runs))
    assert "the window shows: norm, special tokens hidden" in overview.python
    assert list(matrix.numbers().arrays) == ["norm"]
    copied = area.heads.copied().splitlines()
    assert copied[0].endswith("numbers\tspecial_tokens\tnumbers_analysis")
    assert copied[1].endswith("norm\thidden\tnorm-attention")


def test_the_switch_is_undone_and_saved(
    qtbot: QtBot, matrix_and_lines: MainWindow, app_state: AppState
) -> None:
    history = matrix_and_lines.app_state.store
    history.end_typing()
    choose(qtbot, matrix_and_lines, app_state, numbers="norm")
    choose(qtbot, matrix_and_lines, app_state, hides_special=True, renormalises=True)
    turn_events()
    plain = state_to_plain(matrix_and_lines.app_state.store.now)
    assert state_from_plain(plain).options.stamp == Stamp("norm", "removed")
    del plain["options"]["numbers"]  # a session of a version without the switch
    assert state_from_plain(plain).options.stamp == Stamp("weight", "removed")
    history.undo()
    wait(qtbot, matrix_and_lines, app_state)
    assert stamp(app_state) == Stamp("norm")
    history.undo()
    wait(qtbot, matrix_and_lines, app_state)
    assert stamp(app_state) == Stamp()
    history.redo()
    wait(qtbot, matrix_and_lines, app_state)
    assert stamp(app_state) == Stamp("norm")


def test_a_model_that_has_no_such_numbers_refuses_in_a_notice(
    qtbot: QtBot, matrix_and_lines: MainWindow, app_state: AppState, norms: Norms
) -> None:
    norms.refusal = AnalysisError(Message("With global attention there is no such length."))
    change_options(app_state.store, numbers="norm")

    def notices() -> list[str]:
        return [one.message for one in matrix_and_lines.findChildren(Notice) if not one.isHidden()]

    qtbot.waitUntil(lambda: any("global attention" in one for one in notices()))
    assert any(one.endswith("Attention weights are shown instead.") for one in notices())
    assert app_state.store.now.options.numbers == "weight"
    assert stamp(app_state) == Stamp()
    assert matrix_and_lines.frame.bar.numbers.accessibleName().startswith("Numbers shown: Attention weights")
    norms.refusal = None
    choose(qtbot, matrix_and_lines, app_state, numbers="residual")
    assert stamp(app_state).numbers == "residual", "only norms were refused"
    assert notices() == []


def test_both_runs_and_their_difference_follow(
    qtbot: QtBot, matrix_and_lines: MainWindow, app_state: AppState, settle: Settle
) -> None:
    settle(other="the dog sat down")
    app_state.panels.open([Panel(0, 1, 1, "matrix", "A-B")])
    choose(qtbot, matrix_and_lines, app_state, numbers="norm")

    def is_there() -> bool:
        both = app_state.comparison.shown
        return both is not None and both.overview.stamp.numbers == "norm"

    qtbot.waitUntil(is_there)
    (card,) = matrix_and_lines.main_area.area.cards.values()
    qtbot.waitUntil(lambda: card.view.picture is not None and card.view.picture.source.kind == "norm")
    traces = trace_of(app_state), trace_of(app_state, "B")
    expected = [trace.attention(1, 1) * lengths(trace) for trace in traces]
    picture = not_none(card.view.picture)
    found = picture.source.rows(0, len(picture.token_order.queries))
    difference = not_none(app_state.comparison.difference)
    for index, (a, b) in enumerate(difference.alignment.positions.tolist()):
        if min(a, b) >= 0:
            assert found[index, index] == pytest.approx(
                float(expected[0][a, a] - expected[1][b, b]), abs=1e-6
            )


def test_a_pair_with_a_token_that_is_left_out_names_no_heads(
    qtbot: QtBot, matrix_and_lines: MainWindow, app_state: AppState
) -> None:
    app_state.selection.pin(2, 0)
    assert app_state.shown_runs.pinned_pair.of("A") is not None
    choose(qtbot, matrix_and_lines, app_state, hides_special=True)
    assert app_state.shown_runs.pinned_pair.of("A") is None
    assert matrix_and_lines.main_area.inspector_page.pair_heads.heads == []
    assert matrix_and_lines.main_area.cards.overview.view.shown_pair is None
    choose(qtbot, matrix_and_lines, app_state, hides_special=False)
    assert app_state.shown_runs.pinned_pair.of("A") is not None


def test_the_difference_of_runs_has_a_remark_that_it_is_measured_on_weights(
    qtbot: QtBot, matrix_and_lines: MainWindow, app_state: AppState, settle: Settle
) -> None:
    settle(other="the dog sat down")
    runs = matrix_and_lines.main_area.runs
    qtbot.waitUntil(lambda: runs.divergence.values is not None)
    app_state.selection.pin(2, 3)
    assert runs.row.pair.isVisibleTo(runs.row)
    assert "attention weights" not in " ".join(runs.divergence.remarks)

    def has_pair_of(kind: str) -> bool:
        pair = runs.divergence.pair_difference
        return pair is not None and pair.one.stamp.numbers == kind

    for kind in ("norm", "residual"):
        choose(qtbot, matrix_and_lines, app_state, numbers=kind)
        qtbot.waitUntil(partial(has_pair_of, kind))
        subject = not_none(matrix_and_lines.main_area.cards.overview.subject(app_state.runs))
        assert subject.numbers().facts["numbers"] == "weight", "the divergence is never of norms"
        assert any(f", A - B, {kind}" in name for name in subject.numbers().arrays)
        runs.divergence.lines_of((1, 1))
        has_pair = kind == "norm"  # with the residual connection a layer has one number
        assert runs.row.pair.isVisibleTo(runs.row) == has_pair
        assert (runs.divergence.shown_pair is not None) == has_pair
        assert any("Norms" in one for one in runs.divergence.remarks)
        assert ("Measured on the attention weights" in " ".join(runs.divergence.remarks)) != has_pair
        inspector = not_none(matrix_and_lines.main_area.cards.inspector.subject(app_state.runs))
        assert f"the window shows: {kind}" in inspector.python


MARKS = {"weight": "", "norm": "||α f(x)||", "residual": "+ x||"}


@pytest.mark.parametrize("language", ["en", "ko"])
def test_which_numbers_these_are_fits_into_four_panels_of_a_small_window(
    qtbot: QtBot, matrix_and_lines: MainWindow, app_state: AppState, language: str
) -> None:
    matrix_and_lines.appearance.choose_language(language)
    matrix_and_lines.resize(1024, 700)
    kinds = ("lines", "matrix", "matrix", "steps")
    app_state.panels.open([Panel(0, 1, head, kind) for head, kind in enumerate(kinds)])
    heights = set()
    treatments: tuple[SpecialTokens, ...] = ("shown", "hidden", "removed")
    for (numbers, mark), special in product(MARKS.items(), treatments):
        app_state.store.change(options=app_state.store.now.options.with_special_tokens(special))
        choose(qtbot, matrix_and_lines, app_state, numbers=numbers)
        turn_events()
        for card in matrix_and_lines.main_area.area.cards.values():
            assert "…" not in card.note.drawn_text
            if card.panel.kind.key != "steps" and special == "hidden":
                assert mark in card.note.drawn_text
                assert {"en": "special hidden", "ko": "특수 숨김"}[language] in card.note.drawn_text
            if card.note.text():
                heights.add(card.note.height())
        stamp = matrix_and_lines.main_area.cards.overview.stamp
        assert stamp.isVisible() == bool(stamp.text()) == (special != "shown" or numbers != "weight")
        if stamp.isVisible():
            assert stamp_remark(app_state.store.now.options.stamp) == stamp.text()
            assert stamp.heightForWidth(stamp.width()) <= stamp.height()
        if special == "removed" and language == "ko":
            assert mark in (heads := matrix_and_lines.main_area.cards.heads.qualifier.drawn_text)
            assert "특수 제외" in heads
    assert len(heights) == 1, "nothing jumps"
