"""Panels in the window: their headers, the pair in all heads, and what is restored in them."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from bertviz_app.features.steps.views.stop_sheets import FlowSheet
from bertviz_app.features.steps.views.view import DivisorBar, StepsView
from bertviz_app.features.vectors.view import VectorsView
from bertviz_app.options import RUNS, Run
from bertviz_app.shell.commands.views import all_commands
from bertviz_app.shell.window.window import MainWindow
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.panel import SHOWS_ATTENTION, Content, Panel, StepsChoice, VectorsChoice
from bertviz_app.viewmodels.stages.stops import Stop
from bertviz_app.viewmodels.state import Pair, change_options, state_from_plain, state_to_plain
from bertviz_app.views.analyses.cells_and_words import PictureCells
from bertviz_app.views.dialogs.export_dialog import PictureChoice
from bertviz_app.views.export.recording import write
from bertviz_app.views.overview.heads_table import PAIR
from bertviz_app.views.panels.card import PanelCard
from tests.support.scene import drag, expect, lines_of_text, not_none, turn_events
from tests.support.window_fixtures import Settle


@pytest.fixture
def window_with_matrix(window: MainWindow, app_state: AppState, settle: Settle) -> MainWindow:
    settle("the cat sat down")
    app_state.panels.open([Panel(0, 1, 1, "matrix")])
    return window


def _weights(app_state: AppState, run: str, query: int, key: int) -> list[float]:
    """Return the weights of a pair, head by head, as the table writes them."""
    shown = not_none(app_state.workspace.shown if run == "A" else app_state.comparison.shown)
    trace = shown.result.trace
    found = trace.attention(rows=slice(query, query + 1))[:, :, 0, key]
    return [float(f"{weight:.4f}") for weight in found.ravel()]


def _column(window: MainWindow) -> list[float]:
    model = window.main_area.heads.heads
    return [float(str(model.index(row, PAIR).data())) for row in range(model.rowCount())]


def test_a_pinned_pair_is_in_the_overview_the_table_and_the_inspector(
    window_with_matrix: MainWindow, app_state: AppState
) -> None:
    area = window_with_matrix.main_area
    assert area.cards.overview.view.shown_pair is None
    app_state.selection.pin(3, 2)
    pair = area.cards.overview.view.shown_pair
    assert pair is not None
    assert pair.title == "sat → cat"
    assert _column(window_with_matrix) == pytest.approx(_weights(app_state, "A", 3, 2), abs=1e-4)
    assert not area.heads.isColumnHidden(PAIR)
    pair_heads = area.inspector_page.pair_heads
    best = np.argsort(_weights(app_state, "A", 3, 2))[::-1][:3]
    assert [(one.layer, one.head) for one in pair_heads.heads] == [divmod(int(index), 3) for index in best]
    QTest.mouseClick(pair_heads.buttons[0], Qt.MouseButton.LeftButton)
    active = not_none(app_state.panels.active)
    assert (active.layer, active.head) == divmod(int(best[0]), 3)
    assert area.cards.overview.view.shown_pair is not None  # the pair is still there


def test_another_text_has_the_pair_only_where_it_has_its_words(
    window_with_matrix: MainWindow, app_state: AppState, settle: Settle
) -> None:
    app_state.selection.pin(3, 2)
    settle("one cat sat off again")
    pair = not_none(window_with_matrix.main_area.cards.overview.view.shown_pair)
    assert pair.title == "sat → cat"
    assert _column(window_with_matrix) == pytest.approx(_weights(app_state, "A", 3, 2), abs=1e-4)
    settle("one dog sat off again")
    assert window_with_matrix.main_area.cards.overview.view.shown_pair is None  # not sat → dog
    assert not app_state.selection.pinned


def test_each_run_shows_its_own_weights_and_the_comparison_their_difference(
    window_with_matrix: MainWindow, app_state: AppState, settle: Settle
) -> None:
    app_state.selection.pin(3, 2)
    app_state.comparison.set_texts("the old cat sat down", None)
    settle()
    runs, view = window_with_matrix.main_area.runs, window_with_matrix.main_area.cards.overview.view
    runs.show_run("A-B")
    difference = not_none(runs.divergence.shown_pair)
    more = np.subtract(_weights(app_state, "A", 3, 2), _weights(app_state, "B", 4, 3))
    assert difference.values.reshape(-1) == pytest.approx(more, abs=1e-4)
    assert _column(window_with_matrix) == pytest.approx(_weights(app_state, "A", 3, 2), abs=1e-4)
    runs.show_run("B")
    assert view.shown_pair is not None
    assert view.shown_pair.tokens == Pair(4, 3)  # the aligned tokens of run B
    assert _column(window_with_matrix) == pytest.approx(_weights(app_state, "B", 4, 3), abs=1e-4)
    runs.show_run("A")
    assert view.shown_pair.tokens == Pair(3, 2)
    app_state.comparison.end()
    assert view.shown_pair.tokens == Pair(3, 2)
    assert runs.divergence.shown_pair is None


def test_the_inspector_names_the_heads_of_the_run_that_it_explains(
    window_with_matrix: MainWindow, app_state: AppState, settle: Settle
) -> None:
    app_state.comparison.set_texts("the old cat sat down", None)
    settle()
    app_state.selection.pin(3, 2)
    of_b = next(panel for panel in app_state.panels.panels if panel.run == "B")
    app_state.panels.activate(of_b.number)
    best = max(_weights(app_state, "B", 4, 3))
    assert window_with_matrix.main_area.inspector_page.pair_heads.heads[0].weight == pytest.approx(
        best, abs=1e-4
    )


def test_a_pair_is_pinned_by_a_drag_in_the_strip_and_hidden_special_tokens_do_not_shift_it(
    window_with_matrix: MainWindow, app_state: AppState
) -> None:
    strip, view = window_with_matrix.main_area.strip, window_with_matrix.main_area.cards.overview.view
    found = [x for x in range(0, strip.width(), 2) if strip.token_at(x) in (2, 3)]
    first = next(x for x in found if strip.token_at(x) == 3) + 6
    drag(strip, [(first, 40), (found[0] + 6, 40)])
    assert not_none(view.shown_pair).tokens == Pair(3, 2)
    change_options(app_state.store, hides_special=True)
    assert _column(window_with_matrix) == pytest.approx(_weights(app_state, "A", 3, 2), abs=1e-4)
    assert window_with_matrix.main_area.cards.overview.pair.text() == "sat → cat"


def test_the_numbers_and_lines_of_the_overview_have_the_pair(
    window_with_matrix: MainWindow, app_state: AppState
) -> None:
    app_state.selection.pin(3, 2)
    subject = not_none(window_with_matrix.main_area.cards.overview.subject(app_state.runs))
    numbers = subject.numbers()
    assert numbers.arrays["pair_weight"].ravel().tolist() == pytest.approx(
        _weights(app_state, "A", 3, 2), abs=1e-4
    )
    assert (numbers.facts["query"], numbers.facts["key"]) == (3, 2)
    assert "pair_weights(trace, 3, 2)" in subject.python


def test_commands_order_the_heads_by_the_pair_and_show_the_next_measure_instead(
    window_with_matrix: MainWindow, app_state: AppState
) -> None:
    commands = {one.text: one for one in all_commands(window_with_matrix)}
    command, view = (
        commands["Overview: sort by the measure, or by layer and head"],
        window_with_matrix.main_area.cards.overview.view,
    )
    app_state.selection.pin(3, 2)
    command.run()
    heads = view.cells.heads
    weights = np.reshape(_weights(app_state, "A", 3, 2), (2, 3))
    assert [weights[at] for at in heads] == sorted(weights.ravel(), reverse=True)
    command.run()
    assert not view.cells.is_rearranged
    commands["Overview: show Entropy"].run()
    assert (app_state.store.now.overview.shows, app_state.store.now.overview.shows_pair) == ("entropy", False)
    commands["Overview: show the pinned pair in every head, or what was shown before"].run()
    assert view.shown_pair is not None
    app_state.selection.clear()
    assert app_state.store.now.overview.shows == "entropy"


LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def cards(qtbot: QtBot, window: MainWindow, app_state: AppState) -> list[PanelCard]:
    """The two panels of a window that shows a text; the second one is active."""
    app_state.workspace.set_texts("the cat sat", None, at_once=True)
    qtbot.waitUntil(lambda: app_state.workspace.is_current)
    return list(window.main_area.area.cards.values())


def _active(app_state: AppState) -> int:
    return not_none(app_state.panels.active).number


def _forms(card: PanelCard) -> set[str]:
    return {button.text() for button in card.findChildren(QPushButton) if button.isVisibleTo(card)}


def test_a_press_on_a_panel_makes_it_the_active_one_and_another_has_the_focus_of_one_that_is_closed(
    cards: list[PanelCard], app_state: AppState, window: MainWindow
) -> None:
    first, second = cards
    assert _active(app_state) == second.panel.number
    QTest.mouseClick(first.title, LEFT)
    assert _active(app_state) == first.panel.number
    app_state.panels.activate(second.panel.number)
    QTest.mouseClick(first.heads, LEFT, pos=first.heads.box(0).center().toPoint())
    assert _active(app_state) == first.panel.number
    assert 0 in first.panel.shown_heads
    app_state.panels.show(1, 2)
    assert window.main_area.cards.inspector.qualifier.text() == "Layer 1 · Head 2"
    second.view.setFocus()
    app_state.panels.close(second.panel.number)
    assert first.view.hasFocus()


def _has_sign(card: PanelCard, view: str) -> bool:
    """Return whether a button in sight has a drawing in place of the name of a view."""
    buttons = [button for button in card.findChildren(QPushButton) if button.isVisible()]
    return any(button.accessibleName() == view and not button.icon().isNull() for button in buttons)


@pytest.mark.fresh_window
def test_a_header_shows_what_it_has_room_for(
    cards: list[PanelCard], app_state: AppState, window: MainWindow
) -> None:
    card = _alone(cards[0], window)  # only the test is to resize it
    for width in range(192, 330, 6):
        card.resize(900, 400)
        card.switches.show_panel(replace(card.panel, run="A"), RUNS, can_close=True)
        card.resize(width, 400)
        card.switches.show_panel(replace(card.panel, run="A-B"), RUNS, can_close=True)
        assert not card.is_overfull, f"the title has room at {width}"
    card.switches.show_panel(card.panel, ("A",), can_close=True)
    for width in (420, 900):
        card.resize(width, 400)
        edges = set()
        for kind in ("lines", "matrix", "steps", "vectors"):
            app_state.panels.draw_as(card.panel.number, kind)
            turn_events()
            edges.add((card.switches.views.geometry().right(), card.switches.close.x()))
        assert len(edges) == 1, "the views to choose from stay where they are"


@pytest.mark.fresh_window
def test_a_header_is_fitted_again_where_the_card_grows_meanwhile(
    monkeypatch: pytest.MonkeyPatch, cards: list[PanelCard], window: MainWindow
) -> None:
    card = _alone(cards[0], window)
    fit = card.switches.views.set_compact

    def fit_and_grow(is_compact: bool) -> None:
        if is_compact:
            card.resize(870, 400)  # as Qt's layout may when a button is hidden
        fit(is_compact)

    monkeypatch.setattr(card.switches.views, "set_compact", fit_and_grow)
    card.resize(420, 400)
    assert {"Lines", "Matrix", "Steps", "Vectors", "Options"} <= _forms(card)


@pytest.mark.fresh_window
def test_no_button_of_a_header_is_cut(qtbot: QtBot, cards: list[PanelCard], window: MainWindow) -> None:
    for language, lines in (("en", "Lines"), ("ko", "연결선")):
        window.appearance.choose_language(language)  # which builds the cards anew
        _are_whole(qtbot, window, lines)


def _are_whole(qtbot: QtBot, window: MainWindow, lines: str) -> None:
    area = window.main_area.area
    qtbot.waitUntil(lambda: area.is_complete)
    runs: tuple[tuple[Run, ...], ...] = (("A",), ("A", "B", "A-B"))
    for offered, scale in ((offered, scale) for scale in (1.0, 1.6) for offered in runs):
        window.appearance.set_text_size(scale)
        QApplication.processEvents()
        card = _alone(next(iter(area.cards.values())), window)  # tiled anew for the larger texts
        card.switches.show_panel(card.panel, offered, can_close=True)
        # The words are written, and the header is laid out for them, when the events of the change arrive.
        qtbot.waitUntil(lambda card=card: lines in _widths(card) and _cut(card) == {})  # type: ignore[misc]
        for width in range(190, 900, 71):
            card.resize(round(width * scale), 400)
            qtbot.waitUntil(lambda card=card: _cut(card) == {} and _has_room_for_title(card))  # type: ignore[misc]
            assert card.width() == round(width * scale)
            assert lines in _widths(card) or (width < 310 and _has_sign(card, lines)), (width, scale)
    for run, letter in (("A", "A"), ("B", "B"), ("A-B", "A − B")):
        card.switches.runs.choose(run)
        card.resize(190, 400)  # one of three panels in a window of 1280 pixels
        qtbot.waitUntil(partial(_shows, card, letter))
        card.resize(900, 400)
        qtbot.waitUntil(partial(_shows, card, letter, lines))


def _alone(card: PanelCard, window: MainWindow) -> PanelCard:
    """Take a card out of the layout of the panels."""
    layout = not_none(window.main_area.area.layout())
    layout.removeWidget(card)
    return card


def _shows(card: PanelCard, *words: str) -> bool:
    """Return whether these buttons are in the header, and none is cut."""
    return {*words} <= {*_widths(card)} and _cut(card) == {}


def _widths(card: PanelCard) -> dict[str, tuple[int, int]]:
    """Return the width of each button in the header that chooses a run or a view, and that which it needs."""
    switches = card.switches
    return {
        button.text(): (button.width(), button.sizeHint().width())
        for segments in (switches.runs, switches.views)
        for button in segments.findChildren(QPushButton)
        if button.isVisibleTo(card)
    }


def _has_room_for_title(card: PanelCard) -> bool:
    return card.title.width() >= card.title.fontMetrics().horizontalAdvance("0 · 0")


def _cut(card: PanelCard) -> dict[str, tuple[int, int]]:
    return {text: (width, needed) for text, (width, needed) in _widths(card).items() if width < needed}


Tried = tuple[bool, float | None, bool, int]

"""Whether the reason is unfolded, the divisor, whether its weights are drawn, and the slider."""


@pytest.fixture
def settle(settle: Settle) -> Settle:
    """Wait for the workers, then for the turn of the event loop that ends a step."""

    def wait(text: str | None = None, other: str | None = None) -> None:
        settle(text, other)
        turn_events()

    return wait


@pytest.fixture
def steps_and_vectors(window: MainWindow, app_state: AppState, settle: Settle) -> MainWindow:
    """The window with a Steps panel and a Vectors panel of layer 1."""
    settle("the cat sat")
    window.app_state.store.end_typing()  # the typing of the text is a step of its own
    app_state.panels.open([Panel(0, 1, 0, "steps"), Panel(0, 1, 0, "vectors")])
    settle()
    return window


def _views(window: MainWindow, app_state: AppState) -> tuple[StepsView, VectorsView]:
    cards = [window.main_area.area.cards[panel.number] for panel in app_state.panels.panels]
    steps, vectors = cards[0].view, cards[1].view
    assert isinstance(steps, StepsView)
    assert isinstance(vectors, VectorsView)
    return steps, vectors


def _choose(window: MainWindow, app_state: AppState) -> None:
    steps, vectors = _views(window, app_state)
    steps.walk.go(Stop(1, "softmax"))
    steps.walk.show_form("table")
    vectors.show_page("similar")
    vectors.show_state(0)


def _is_chosen(window: MainWindow, app_state: AppState) -> bool:
    steps, vectors = _views(window, app_state)
    shown = steps.walk.stop, steps.walk.form, vectors.page is vectors.similar, vectors.state
    return shown == (Stop(1, "softmax"), "table", True, 0)


def test_stop_and_page_are_part_of_the_panels_and_undone_with_them(
    steps_and_vectors: MainWindow, app_state: AppState, settle: Settle
) -> None:
    _choose(steps_and_vectors, app_state)
    settle()
    app_state.panels.show(0, 2)
    settle()
    walked, paged = _views(steps_and_vectors, app_state)
    assert (walked.walk.stop, paged.state) == (Stop(0, "softmax"), 1), "both follow the layer"
    steps_and_vectors.app_state.store.undo()
    settle()
    assert _is_chosen(steps_and_vectors, app_state)
    assert app_state.panels.panels[0].layer == 1
    steps, vectors = app_state.panels.panels
    assert steps.steps == StepsChoice("layer", "softmax", "table")
    assert vectors.vectors == VectorsChoice("similar", 0)
    steps_and_vectors.app_state.store.undo()
    settle()
    kinds = [panel.view_kind for panel in app_state.panels.panels]
    assert kinds == ["lines", "matrix"], "walking is no step: as before the two panels were opened"


def _tried(steps_and_vectors: MainWindow, app_state: AppState) -> Tried:
    """Return what is unfolded and tried in the Steps panel."""
    view, _ = _views(steps_and_vectors, app_state)
    bar = expect(DivisorBar, view.findChild(DivisorBar))
    sheet = view.walking.sheet
    is_drawn = isinstance(sheet, FlowSheet) and any(column.name == "what_if" for column in sheet.columns)
    return view.why.isVisible(), view.walk.what_if.divisor, is_drawn, bar.slider.value()


@pytest.fixture
def tried(steps_and_vectors: MainWindow, app_state: AppState, settle: Settle) -> Tried:
    """A reason unfolded and then a divisor tried, in two movements of the slider, at a softmax."""
    view, _ = _views(steps_and_vectors, app_state)
    view.walk.go(Stop(1, "softmax"))
    settle()
    QTest.keyClick(view, Qt.Key.Key_Y)
    settle()
    bar = expect(DivisorBar, view.findChild(DivisorBar))
    for step in (-20, -50):
        bar.slider.setValue(step)
        settle()
    state = _tried(steps_and_vectors, app_state)
    assert state[0]
    assert state[1] is not None
    assert state[2:] == (True, -50)
    return state


def test_stop_page_reason_and_divisor_are_restored_with_a_session(
    steps_and_vectors: MainWindow, app_state: AppState, settle: Settle, tried: Tried
) -> None:
    _, vectors = _views(steps_and_vectors, app_state)
    vectors.show_page("similar")
    vectors.show_state(0)
    settle()
    plain = state_to_plain(steps_and_vectors.app_state.store.now)
    app_state.panels.open([Panel(0, 0, 0, "matrix")])
    settle()
    steps_and_vectors.app_state.store.restore(state_from_plain(plain))
    settle()
    assert _tried(steps_and_vectors, app_state) == tried
    assert app_state.panels.panels[1].vectors == VectorsChoice("similar", 0)
    assert _views(steps_and_vectors, app_state)[1].page is _views(steps_and_vectors, app_state)[1].similar


def test_the_exported_picture_shows_the_reason_and_the_divisor(
    steps_and_vectors: MainWindow, app_state: AppState, tried: Tried, tmp_path: Path
) -> None:
    view, _ = _views(steps_and_vectors, app_state)
    subject = steps_and_vectors.export.subject(
        steps_and_vectors.main_area.area.cards[app_state.panels.panels[0].number]
    )
    assert subject is not None
    path = tmp_path / "steps.svg"
    write(steps_and_vectors.export.recorded(subject, PictureChoice()), path, 1.0)
    words = set(" ".join(lines_of_text(path)).split())
    reason = view.why.accessibleName()
    assert set(reason.split()) <= words, "all of the reason, also where it scrolls on screen"
    assert tried[1] is not None
    assert {f"{tried[1]:.2f}", "What", "α'"} & words == {f"{tried[1]:.2f}", "α'"}


@pytest.mark.parametrize(
    ("content", "before", "kind"),
    [
        (Content("head-measures", part="distance"), "grid", "picture"),
        (Content("head-distance"), "headmap", "picture"),
        (Content("mixing-ratio"), "bars", "picture"),
        (Content("logit-lens"), "pieces", "picture"),
        (Content("head-ranking"), "grid", "picture"),
        (Content("path-patching"), "grid", "grid"),
        *((SHOWS_ATTENTION, view, "words") for view in ("probes", "similarity", "lens", "statistics")),
        (SHOWS_ATTENTION, "pruning", "words"),
    ],
)
def test_a_view_of_an_older_session_is_the_picture_of_the_same_result(
    content: Content, before: str, kind: str
) -> None:
    panel = Panel(0, 0, 1, before, content=content)
    panel.validate()
    assert panel.kind.key == kind


def test_escape_lets_go_of_what_the_arrows_have_come_to_and_unpins_at_once(
    qtbot: QtBot, window_with_text: MainWindow, app_state: AppState
) -> None:
    app_state.panels.open([Panel(0, 1, 2, "picture", content=Content("head-measures"))])
    qtbot.waitUntil(lambda: window_with_text.main_area.area.is_complete)
    cells = not_none(window_with_text.main_area.area.findChild(PictureCells))
    app_state.selection.pin(1, 2)
    cells.setFocus()
    QTest.keyClick(cells, Qt.Key.Key_Right)
    assert cells.read_out.lines
    QTest.keyClick(cells, Qt.Key.Key_Escape)
    assert not cells.read_out.lines
    assert not app_state.selection.pinned, "by the same key"
