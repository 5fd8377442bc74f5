"""The headers of the panels in the window: whole while cards change their size, and a way to a panel."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from bertviz_app.options import Run
from bertviz_app.shell.window.window import MainWindow
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.views.panels.card import PanelCard
from tests.support.scene import turn_events

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def cards(qtbot: QtBot, window: MainWindow, app_state: AppState) -> list[PanelCard]:
    """The two panels of a window that shows a text; the second one is active."""
    app_state.workspace.set_texts("the cat sat", None, at_once=True)
    qtbot.waitUntil(lambda: app_state.workspace.is_current)
    return list(window.main_area.area.cards.values())


def _active(app_state: AppState) -> int:
    assert app_state.panels.active is not None
    return app_state.panels.active.number


def _forms(card: PanelCard) -> set[str]:
    return {button.text() for button in card.findChildren(QPushButton) if button.isVisibleTo(card)}


def test_a_header_is_fitted_again_where_the_card_grows_meanwhile(
    monkeypatch: pytest.MonkeyPatch, cards: list[PanelCard], window: MainWindow
) -> None:
    card, layout = cards[0], window.main_area.area.layout()
    assert layout is not None
    layout.removeWidget(card)  # only the test is to resize it
    fit = card.switches.views.set_compact

    def fit_and_grow(is_compact: bool) -> None:
        if is_compact:
            card.resize(870, 400)  # as Qt's layout may when a button is hidden
        fit(is_compact)

    monkeypatch.setattr(card.switches.views, "set_compact", fit_and_grow)
    card.resize(420, 400)
    assert {"Lines", "Matrix", "Steps", "Vectors", "Options"} <= _forms(card)


def test_a_press_on_the_header_or_on_a_head_makes_the_panel_the_active_one(
    cards: list[PanelCard], app_state: AppState
) -> None:
    first, second = cards
    assert _active(app_state) == second.panel.number
    QTest.mouseClick(first.title, LEFT)
    assert _active(app_state) == first.panel.number
    app_state.panels.activate(second.panel.number)
    QTest.mouseClick(first.heads, LEFT, pos=first.heads.box(0).center().toPoint())
    assert _active(app_state) == first.panel.number
    assert 0 in first.panel.shown_heads


def test_the_header_of_the_inspector_names_its_head(
    cards: list[PanelCard], app_state: AppState, window: MainWindow
) -> None:
    app_state.panels.show(1, 2)
    assert window.main_area.cards.inspector.qualifier.text() == "Layer 1 · Head 2"


def test_when_the_panel_with_the_focus_is_closed_another_panel_has_it(
    cards: list[PanelCard], app_state: AppState
) -> None:
    first, second = cards
    second.view.setFocus()
    app_state.panels.close(second.panel.number)
    assert first.view.hasFocus()


@pytest.mark.parametrize("width", [420, 900])
def test_the_views_to_choose_from_stay_where_they_are(
    cards: list[PanelCard], app_state: AppState, window: MainWindow, width: int
) -> None:
    card, layout = cards[0], window.main_area.area.layout()
    assert layout is not None
    layout.removeWidget(card)  # only the test is to resize it
    card.resize(width, 400)
    edges = set()
    for kind in ("lines", "matrix", "steps", "vectors"):
        app_state.panels.draw_as(card.panel.number, kind)
        turn_events()
        edges.add((card.switches.views.geometry().right(), card.switches.close.x()))
    assert len(edges) == 1


def _has_sign(card: PanelCard, view: str) -> bool:
    """Return whether a button in sight has a drawing in place of the name of a view."""
    buttons = [button for button in card.findChildren(QPushButton) if button.isVisible()]
    return any(button.accessibleName() == view and not button.icon().isNull() for button in buttons)


@pytest.mark.parametrize("runs", [("A",), ("A", "B", "A-B")])
@pytest.mark.parametrize(("language", "lines"), [("en", "Lines"), ("ko", "연결선")])
def test_no_button_of_a_header_is_cut(
    qtbot: QtBot,
    cards: list[PanelCard],
    app_state: AppState,
    window: MainWindow,
    language: str,
    lines: str,
    runs: tuple[Run, ...],
) -> None:
    card, layout = cards[0], window.main_area.area.layout()
    assert layout is not None
    layout.removeWidget(card)
    window.appearance.choose_language(language)
    card.switches.offer_runs(runs)
    # The words are written, and the header is laid out for them, when the events of the change arrive.
    qtbot.waitUntil(lambda: lines in _widths(card) and _cut(card) == {})
    for scale in (1.0, 1.3, 1.6):
        window.appearance.set_text_size(scale)
        QApplication.processEvents()
        layout.removeWidget(card)  # the panels may have been tiled anew for the larger texts
        for width in range(190, 900, 30):
            card.resize(round(width * scale), 400)
            qtbot.waitUntil(lambda: _cut(card) == {} and _has_room_for_title(card), timeout=1000)
            assert card.width() == round(width * scale)
            shown = _widths(card)
            assert lines in shown or (width < 310 and _has_sign(card, lines)), (width, scale)


@pytest.mark.parametrize(("run", "letter"), [("A", "A"), ("B", "B"), ("A-B", "A − B")])
def test_of_a_very_narrow_header_the_run_stays(
    qtbot: QtBot, cards: list[PanelCard], window: MainWindow, run: str, letter: str
) -> None:
    card, layout = cards[0], window.main_area.area.layout()
    assert layout is not None
    window.appearance.set_text_size(1.6)
    QApplication.processEvents()
    layout.removeWidget(card)
    card.switches.offer_runs(("A", "B", "A-B"))
    card.switches.runs.choose(run)
    card.resize(190, 400)  # one of three panels in a window of 1280 pixels
    qtbot.waitUntil(lambda: letter in _widths(card) and _cut(card) == {}, timeout=1000)
    card.resize(900, 400)
    qtbot.waitUntil(lambda: {letter, "Lines"} <= _forms(card) and _cut(card) == {}, timeout=1000)


@pytest.mark.parametrize("width", range(192, 330, 6))
def test_the_title_of_a_narrow_panel_has_room_when_another_run_is_shown(
    cards: list[PanelCard], window: MainWindow, width: int
) -> None:
    card, layout = cards[0], window.main_area.area.layout()
    assert layout is not None
    layout.removeWidget(card)
    card.switches.offer_runs(("A", "B", "A-B"))
    card.resize(width, 400)
    card.switches.show_panel(replace(card.panel, run="A"), can_close=True)
    card.switches.show_panel(replace(card.panel, run="A-B"), can_close=True)
    assert not card.is_overfull


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
