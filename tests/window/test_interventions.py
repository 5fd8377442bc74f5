"""Interventions in the window: the menus that make them, and the card that lists them."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QContextMenuEvent, QHelpEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDoubleSpinBox, QInputDialog, QLabel, QMenu, QToolTip, QWidget
from pytestqt.qtbot import QtBot

from bertviz_app.analysis.probing.interventions.outcomes import Outcome
from bertviz_app.shell.window.window import MainWindow
from bertviz_app.text import Edits
from bertviz_app.text.interventions import CellIntervention, HeadIntervention, TokenIntervention
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.interventions import outcomes as module
from bertviz_app.viewmodels.interventions.interventions import REFERENCE, NamedEdits
from bertviz_app.views.interventions.view import InterventionsView
from tests.support.context_menus import chip_at, context_menu
from tests.support.window_fixtures import Settle


def _card(window: MainWindow) -> InterventionsView:
    body = window.main_area.cards.interventions.body
    assert isinstance(body, InterventionsView)
    return body


def _open(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, *found: Outcome
) -> InterventionsView:
    monkeypatch.setattr(module, "intervention_outcomes", lambda *_: found)
    window.main_area.docks.toggle("interventions")
    qtbot.waitUntil(_card(window).isVisible)
    return _card(window)


def _labels(view: QWidget) -> list[str]:
    return [label.text() for label in view.findChildren(QLabel) if not label.isHidden()]


def test_the_menu_of_a_head_has_all_that_can_stand_for_it(
    window_with_text: MainWindow, app_state: AppState, settle: Settle
) -> None:
    overview = window_with_text.main_area.cards.overview.view
    at = overview.cell_rect(1, 2).center().toPoint()
    context_menu(overview, at)["Head 1·2: uniform (equal weights)"]()
    settle()
    assert app_state.workspace.edits == Edits.of([HeadIntervention(1, 2, "uniform")])
    assert "equal weights" in overview.read_out(1, 2)
    context_menu(overview, at)["Head 1·2: mean over the reference text"]()
    settle()
    assert app_state.workspace.edits == Edits.of([HeadIntervention(1, 2, "mean", REFERENCE)])
    assert window_with_text.main_area.edits.badges.buttons[0].text() == "Head 1·2: mean  ✕"
    context_menu(overview, at)["Head 1·2: on"]()
    settle()
    assert not app_state.workspace.edits


def test_the_menu_of_a_chip_leaves_tokens_out(
    window_with_text: MainWindow, app_state: AppState, settle: Settle
) -> None:
    strip = window_with_text.main_area.strip
    context_menu(strip, chip_at(window_with_text, 2))["Leave this token out"]()
    settle()
    assert app_state.workspace.edits == Edits.of([TokenIntervention(2, "drop")])
    context_menu(strip, chip_at(window_with_text, 2))["Mask this token (Delete)"]()  # what was token 3
    settle()
    assert app_state.workspace.edits == Edits.of([TokenIntervention(2, "drop"), TokenIntervention(3)])


def test_chips_of_tokens_that_are_read_otherwise_are_marked_where_they_are_read(
    shown: MainWindow, app_state: AppState, settle: Settle, monkeypatch: pytest.MonkeyPatch
) -> None:
    marked: list[dict[int, frozenset[int]]] = []
    monkeypatch.setattr(shown.main_area.strip, "show_edits", marked.append)
    drop, mask, segment = (
        TokenIntervention(1, "drop"),
        TokenIntervention(3),
        TokenIntervention(0, "segment", 1),
    )
    app_state.workspace.set_edits(Edits.of([drop, mask, segment]))
    settle()
    assert marked[-1] == {0: {2}, 2: {0, 1}}, "the segment of [CLS], the piece and id of what was token 3"
    app_state.workspace.set_edits(Edits())
    settle()
    assert marked[-1] == {}


def test_the_menu_of_a_special_token_offers_its_ids_and_says_what_is_impossible(
    window_with_text: MainWindow, app_state: AppState, settle: Settle
) -> None:
    strip = window_with_text.main_area.strip
    context_menu(strip, chip_at(window_with_text, 0))["Give it segment 1"]()
    settle()
    assert app_state.workspace.edits == Edits.of([TokenIntervention(0, "segment", 1)])
    found = context_menu(strip, chip_at(window_with_text, 0))
    assert list(found) == [
        "[CLS] was added by the tokenizer and always stays:",
        "Mask this token (Delete)",
        "Replace this token … (F2)",
        "Leave this token out",
        "Give it segment 0",
        "Give it another position …",
    ]
    actions = {one.text(): one for menu in strip.findChildren(QMenu) for one in menu.actions()}
    assert [text for text in found if actions[text].isEnabled()] == list(found)[4:]
    app_state.workspace.set_edits(Edits())


def test_the_card_is_written_only_where_it_is_seen(
    window_with_text: MainWindow,
    app_state: AppState,
    settle: Settle,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With every key the encoding changes; a card that nobody sees is not built anew for each."""
    card = _card(window_with_text)
    app_state.interventions.put(HeadIntervention(0, 1, "uniform"))
    settle()
    assert not card.isVisible()
    assert card.rows == []
    assert [row.switch.isChecked() for row in _open(window_with_text, qtbot, monkeypatch).rows] == [True]
    app_state.interventions.put(HeadIntervention(1, 1, "uniform"))
    settle()
    assert len(card.rows) == 2
    window_with_text.main_area.docks.toggle("interventions")
    qtbot.waitUntil(lambda: not card.isVisible())
    app_state.interventions.remove_all()
    settle()
    assert len(card.rows) == 2
    assert _open(window_with_text, qtbot, monkeypatch).rows == []


def test_a_weight_is_set_in_a_panel(
    window_with_text: MainWindow, app_state: AppState, settle: Settle, qtbot: QtBot
) -> None:
    area, panel = window_with_text.main_area.area, app_state.panels.panels[0]
    app_state.selection.pin(query=1, key=2)
    tokens = app_state.interventions.tokens
    assert tokens is not None
    labels = tokens.labels
    at = area.cards[panel.number].geometry().center()
    context_menu(area, QPoint(at))[f"Set the weight {labels[1]} → {labels[2]} …"]()
    dialog = area.findChild(QInputDialog)
    assert dialog is not None
    assert dialog.doubleValue() == pytest.approx(
        float(app_state.interventions.weight(panel.layer, panel.head, 1, 2) or 0), abs=1e-4
    )
    field = dialog.findChild(QDoubleSpinBox)
    assert field is not None
    field.setValue(0.5)
    dialog.accept()
    settle()
    assert app_state.workspace.edits == Edits.of([CellIntervention(panel.layer, panel.head, 1, 2, 0.5)])
    assert app_state.interventions.weight(panel.layer, panel.head, 1, 2) == pytest.approx(0.5)


def test_the_inspector_switches_its_head_sets_its_weight_and_says_so(
    window_with_text: MainWindow, app_state: AppState, settle: Settle
) -> None:
    view, panel = window_with_text.main_area.inspector_page.numbers, app_state.panels.panels[0]
    app_state.selection.pin(query=1, key=2)
    at = panel.layer, panel.head
    margin = QPoint(view.width() // 2, 2)
    QApplication.sendEvent(view, QHelpEvent(QEvent.Type.ToolTip, margin, view.mapToGlobal(margin)))
    assert "Right click" in QToolTip.text()
    QToolTip.hideText()
    items = context_menu(view, QPoint(20, 20))
    assert next(iter(items)).startswith("Set the weight the → cat")
    items[f"Head {at[0]}·{at[1]}: uniform (equal weights)"]()
    settle()
    assert app_state.workspace.edits == Edits.of([HeadIntervention(*at, "uniform")])
    assert view.accessibleDescription().startswith("the → cat, equal weights, ")
    app_state.interventions.set_head(*at, "mean")
    settle()
    assert view.accessibleDescription().startswith("the → cat, mean, ")
    app_state.workspace.set_edits(Edits.of([CellIntervention(*at, 1, 2, 0.5)]))
    settle()
    assert view.accessibleDescription().startswith("the → cat, weights set, ")


def test_a_panel_of_run_b_has_no_such_menu(window_with_text: MainWindow, app_state: AppState) -> None:
    area = window_with_text.main_area.area
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, QPoint(-5, -5), QPoint(0, 0))
    QApplication.sendEvent(area, event)
    assert not area.findChildren(QInputDialog)


def test_the_card_switches_names_and_removes(
    window_with_text: MainWindow,
    app_state: AppState,
    settle: Settle,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    outcomes = Outcome("masked", "cat", 0.5, 0.25, 3), Outcome("vector", "pooled", 1.0, 0.9)
    view = _open(window_with_text, qtbot, monkeypatch, *outcomes)
    assert not view.rows
    found = app_state.interventions
    found.set_head(1, 2, "zero")
    found.set_head(0, 1, "uniform")
    settle()
    qtbot.waitUntil(lambda: "0.500 → 0.250" in _labels(view))
    assert [row.label.text() for row in view.rows] == ["Head 0·1: equal weights", "Head 1·2: zero"]
    assert {"“cat” at sat (3)", "Cosine (pooled)", "1.000 → 0.900"} <= set(_labels(view))
    view.rows[1].switch.click()
    settle()
    assert app_state.workspace.edits == Edits.of([HeadIntervention(0, 1, "uniform")])
    assert [row.switch.isChecked() for row in view.rows] == [True, False]
    view.rows[1].switch.click()
    settle()
    view.buttons["name"].click()
    dialog = view.findChild(QInputDialog)
    assert dialog is not None
    dialog.setTextValue("two heads")
    dialog.accept()
    edits = app_state.workspace.edits
    assert found.kept.sets == (NamedEdits("two heads", edits),)
    assert view.rows[-1].label.text() == "two heads (2)"
    qtbot.waitUntil(lambda: "0.500 → 0.250" in _labels(view))
    titles = ["Outcome: before → after", "Sets"]  # the outcome needs no scrolling past the rest
    qtbot.waitUntil(lambda: [text for text in _labels(view) if text in titles] == titles)
    view.rows[-1].switch.click()
    settle()
    assert not app_state.workspace.edits
    view.rows[-1].switch.click()
    settle()
    assert app_state.workspace.edits == edits
    view.rows[-1].remove.click()
    view.rows[0].remove.click()
    settle()
    assert app_state.workspace.edits == Edits(((1, 2),))
    view.buttons["remove"].click()
    settle()
    assert not app_state.workspace.edits
    assert not any("→ 0" in text for text in _labels(view))


def test_the_reference_text_is_edited_in_the_card(
    window_with_text: MainWindow,
    app_state: AppState,
    settle: Settle,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    view = _open(window_with_text, qtbot, monkeypatch)
    found = app_state.interventions
    found.set_head(0, 1, "zero")
    settle()
    assert not view.reference.isVisible()  # no head is replaced by a mean
    found.set_head(1, 1, "mean")
    settle()
    assert view.reference.isVisible()
    assert view.reference.toPlainText() == REFERENCE
    found.set_head(0, 1, None)
    mean = found.edits.interventions[0]
    found.switch(mean, False)
    settle()
    assert view.reference.isVisible()
    found.switch(mean, True)
    settle()
    view.reference.setPlainText("another\ntext")
    QTest.keyClick(view.reference, Qt.Key.Key_Return)
    settle()
    assert app_state.workspace.edits.references == ("another text",)
    view.reference.setPlainText(" ")
    QTest.keyClick(view.reference, Qt.Key.Key_Return)
    assert view.reference.toPlainText() == "another text"
