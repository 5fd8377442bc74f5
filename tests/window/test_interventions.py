"""Interventions in the window: the menus that make them, and the card that lists them."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QHelpEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QDoubleSpinBox,
    QInputDialog,
    QLabel,
    QLineEdit,
    QMenu,
    QToolTip,
    QWidget,
)
from pytestqt.qtbot import QtBot

from bertviz_app.analysis.probing.interventions import Outcome
from bertviz_app.shell.window.window import MainWindow
from bertviz_app.text import Edits
from bertviz_app.text.edits import CellIntervention, HeadIntervention, TokenIntervention
from bertviz_app.viewmodels import interventions as module
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.panel import Content, Panel
from bertviz_app.viewmodels.state import REFERENCE, NamedEdits, OtherRun
from bertviz_app.views.dialogs.export_dialog import ExportDialog
from bertviz_app.views.interventions import InterventionsView, PanelMenu
from bertviz_app.views.kit.words import CHOSEN
from bertviz_app.views.plots.plot import Plot
from bertviz_app.views.tokens.edit_menus import ChipMenu
from bertviz_app.views.tokens.strip import OtherStrip
from tests.support.scene import chip_at, context_menu, expect, not_none, turn_events
from tests.support.window_fixtures import Settle


def _card(window: MainWindow) -> InterventionsView:
    return expect(InterventionsView, window.main_area.cards.interventions.body)


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
    assert "equal weights" in str(overview.lines_of((1, 2)))
    context_menu(overview, at)["Head 1·2: mean over the reference text"]()
    settle()
    assert app_state.workspace.edits == Edits.of([HeadIntervention(1, 2, "mean", REFERENCE)])
    assert window_with_text.main_area.edits.badges.buttons[0].text() == "Head 1·2: mean  ✕"
    context_menu(overview, at)["Head 1·2: on"]()
    settle()
    assert not app_state.workspace.edits


def test_chips_of_tokens_that_are_read_otherwise_are_marked_where_they_are_read(
    window_with_text: MainWindow, app_state: AppState, settle: Settle, monkeypatch: pytest.MonkeyPatch
) -> None:
    marked: list[dict[int, frozenset[int]]] = []
    monkeypatch.setattr(window_with_text.main_area.strip, "show_edits", marked.append)
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


def test_the_menu_of_a_chip_leaves_tokens_out_and_that_of_a_special_one_offers_its_ids(
    window_with_text: MainWindow, app_state: AppState, settle: Settle
) -> None:
    strip = window_with_text.main_area.strip
    context_menu(strip, chip_at(window_with_text, 2))["Leave this token out"]()
    settle()
    assert app_state.workspace.edits == Edits.of([TokenIntervention(2, "drop")])
    context_menu(strip, chip_at(window_with_text, 2))["Mask this token (Delete)"]()  # what was token 3
    settle()
    assert app_state.workspace.edits == Edits.of([TokenIntervention(2, "drop"), TokenIntervention(3)])
    app_state.workspace.set_edits(Edits())
    settle()
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
    app_state.interventions.of_run["A"].put(HeadIntervention(0, 1, "uniform"))
    settle()
    assert not card.isVisible()
    assert card.rows == []
    assert [row.switch.isChecked() for row in _open(window_with_text, qtbot, monkeypatch).rows] == [True]
    app_state.interventions.of_run["A"].put(HeadIntervention(1, 1, "uniform"))
    settle()
    assert len(card.rows) == 2
    window_with_text.main_area.docks.toggle("interventions")
    qtbot.waitUntil(lambda: not card.isVisible())
    app_state.interventions.of_run["A"].remove_all()
    settle()
    assert len(card.rows) == 2
    assert _open(window_with_text, qtbot, monkeypatch).rows == []


def test_a_weight_is_set_in_a_panel(
    window_with_text: MainWindow, app_state: AppState, settle: Settle
) -> None:
    area, panel = window_with_text.main_area.area, app_state.panels.panels[0]
    app_state.selection.pin(query=1, key=2)
    tokens = not_none(app_state.interventions.of_run["A"].run.tokens)
    labels = tokens.labels
    words = f"Set the weight {labels[1]} → {labels[2]} …"
    card = area.cards[panel.number]
    assert words in context_menu(area, card.geometry().topLeft() + QPoint(2, 2))
    popup = not_none(QApplication.activePopupWidget())
    popup.close()
    (plot,) = (plot for plot in card.findChildren(Plot) if plot.isVisible())
    items = context_menu(plot, plot.rect().center())
    entries = ["View All", "Mouse Mode", "Export...", "Save the picture …", "Save the numbers …", words]
    assert list(items)[:6] == entries
    items["Save the picture …"]()
    asked = not_none(window_with_text.findChild(ExportDialog))
    asked.reject()
    items[words]()
    dialog = not_none(area.findChild(QInputDialog))
    assert dialog.doubleValue() == pytest.approx(
        float(app_state.interventions.of_run["A"].weight(panel.layer, panel.head, 1, 2) or 0), abs=1e-4
    )
    field = not_none(dialog.findChild(QDoubleSpinBox))
    field.setValue(0.5)
    dialog.accept()
    settle()
    assert app_state.workspace.edits == Edits.of([CellIntervention(panel.layer, panel.head, 1, 2, 0.5)])
    assert app_state.interventions.of_run["A"].weight(panel.layer, panel.head, 1, 2) == pytest.approx(0.5)


def test_the_inspector_switches_its_head_and_its_weight_and_describes_both(
    window_with_text: MainWindow, app_state: AppState, settle: Settle
) -> None:
    view, panel = window_with_text.main_area.inspector_page.numbers, app_state.panels.panels[0]
    app_state.selection.pin(query=1, key=2)
    at = panel.layer, panel.head
    margin = QPoint(view.width() // 2, 2)
    QApplication.sendEvent(view, QHelpEvent(QEvent.Type.ToolTip, margin, view.mapToGlobal(margin)))
    # Without the name of a run: the menu is about the one that is inspected, A or B.
    assert QToolTip.text().endswith("Right click: switch or replace this head, or set this weight")
    QToolTip.hideText()
    items = context_menu(view, QPoint(20, 20))
    assert next(iter(items)).startswith("Set the weight the → cat")
    items[f"Head {at[0]}·{at[1]}: uniform (equal weights)"]()
    settle()
    turn_events()
    assert app_state.workspace.edits == Edits.of([HeadIntervention(*at, "uniform")])
    assert view.accessibleDescription().startswith("the → cat, equal weights, ")
    app_state.interventions.of_run["A"].set_head(*at, "mean")
    settle()
    turn_events()
    assert view.accessibleDescription().startswith("the → cat, mean, ")
    app_state.workspace.set_edits(Edits.of([CellIntervention(*at, 1, 2, 0.5)]))
    settle()
    turn_events()
    assert view.accessibleDescription().startswith("the → cat, weights set, ")


def _compared(app_state: AppState, settle: Settle, qtbot: QtBot) -> None:
    app_state.workspace.set_edits(Edits.of([HeadIntervention(0, 0)]))
    settle()
    app_state.comparison.begin()
    qtbot.waitUntil(lambda: app_state.comparison.is_current)
    settle()


def test_menus_of_run_b_change_run_b_and_are_headed_by_its_name(
    window_with_text: MainWindow, app_state: AppState, settle: Settle, qtbot: QtBot
) -> None:
    assert "Run A" not in [text for text, _ in window_with_text.main_area.edits.chip_menu.items(1)], (
        "there is one run"
    )
    _compared(app_state, settle, qtbot)
    app_state.panels.open([Panel(0, 1, 2, "matrix", run="B"), Panel(1, 1, 2, "matrix")])
    settle()
    (menu,) = window_with_text.main_area.area.findChildren(PanelMenu)
    of_b, of_a = (menu.items(panel) for panel in app_state.panels.panels)
    assert (of_b[0], of_a[0]) == (("Run B", None), ("Run A", None))
    done = not_none(dict(of_b)["Head 1·2: uniform (equal weights)"])
    done()
    qtbot.waitUntil(lambda: app_state.comparison.is_current)
    both = Edits.of([HeadIntervention(0, 0), HeadIntervention(1, 2, "uniform")])
    assert (app_state.workspace.edits, not_none(app_state.comparison.other).edits) == (
        Edits.of([HeadIntervention(0, 0)]),
        both,
    )
    window_with_text.main_area.runs.show_run("B")
    heads = window_with_text.main_area.edits.head_menu.items(0, 0)
    assert heads[0] == ("Run B", None)
    assert CHOSEN + "Head 0·0: zero (mute)" in dict(heads)
    window_with_text.main_area.runs.show_run("A")
    assert window_with_text.main_area.edits.head_menu.items(0, 0)[0] == ("Run A", None)


def test_a_chip_of_run_b_is_changed_in_run_b(
    window_with_text: MainWindow, app_state: AppState, settle: Settle, qtbot: QtBot
) -> None:
    app_state.comparison.set_other(OtherRun(text="the dog ran home"))
    qtbot.waitUntil(lambda: app_state.comparison.is_current)
    settle()
    (strip,) = window_with_text.main_area.findChildren(OtherStrip)
    (menu,) = strip.findChildren(ChipMenu)
    items = menu.items(2)
    assert items[0] == ("Run B", None)
    assert not any("Compare with" in text for text, _ in items)
    compare = not_none(dict(items)["Compare this word in every layer"])
    compare()
    assert not_none(app_state.panels.active).content == Content("word-cosines", (("beside", 2),))
    for name in ("Leave this token out", "Mask this token (Delete)"):
        do = not_none(dict(menu.items(2))[name])
        do()
        qtbot.waitUntil(lambda: app_state.comparison.is_current)
    edits = Edits.of([TokenIntervention(2, "drop"), TokenIntervention(3)])
    assert not_none(app_state.comparison.other).edits == edits
    assert not app_state.workspace.edits


def test_the_card_lists_the_run_that_is_chosen(
    window_with_text: MainWindow,
    app_state: AppState,
    settle: Settle,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    app_state.comparison.set_other(OtherRun(edits=Edits.of([HeadIntervention(1, 2)])))
    qtbot.waitUntil(lambda: app_state.comparison.is_current)
    settle()
    view = _open(window_with_text, qtbot, monkeypatch, Outcome("vector", "pooled", 1.0, 0.9))
    assert (view.run, len(view.rows)) == ("B", 1), "it opens with the run that has interventions"
    view.choice.chosen.emit("A")
    app_state.comparison.end()
    qtbot.waitUntil(lambda: not view.choice.isVisible())
    _compared(app_state, settle, qtbot)
    app_state.interventions.of_run["B"].set_head(1, 1, "uniform")
    qtbot.waitUntil(lambda: app_state.comparison.is_current)
    settle()
    qtbot.waitUntil(view.choice.isVisible)
    assert [row.label.text() for row in view.rows] == ["Head 0·0: zero"]
    of_traces: list[object] = []
    outcome = Outcome("vector", "pooled", 1.0, 0.9)

    def computed(*given: object) -> tuple[Outcome, ...]:
        of_traces.append(given[2])
        return (outcome,)

    monkeypatch.setattr(module, "intervention_outcomes", computed)
    view.choice.chosen.emit("B")
    assert [row.label.text() for row in view.rows] == ["Head 0·0: zero", "Head 1·1: equal weights"]
    # Not for its label: that of run A before it reads the same until Qt has deleted it.
    qtbot.waitUntil(lambda: bool(of_traces))
    assert of_traces == [not_none(app_state.comparison.shown).result.trace]
    qtbot.waitUntil(lambda: "1.000 → 0.900" in _labels(view))
    view.rows[0].switch.setFocus()
    view.rows[0].switch.click()
    qtbot.waitUntil(lambda: app_state.comparison.is_current)
    settle()
    off, on = view.rows[1], view.rows[0]
    assert (off.label.text(), on.switch.isChecked(), off.switch.isChecked()) == (
        "Head 0·0: zero",
        True,
        False,
    )
    assert QApplication.focusWidget() is off.switch, "the same switch has the focus, though it was made anew"
    assert app_state.workspace.edits == Edits.of([HeadIntervention(0, 0)])
    off.switch.click()
    qtbot.waitUntil(lambda: app_state.comparison.is_current)
    assert app_state.interventions.of_run["B"].off == Edits()
    app_state.comparison.end()
    qtbot.waitUntil(lambda: not view.choice.isVisible())
    assert [row.label.text() for row in view.rows] == ["Head 0·0: zero"]


def test_a_set_is_renamed_and_a_name_that_is_taken_is_not_lost(
    window_with_text: MainWindow,
    app_state: AppState,
    settle: Settle,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    view, found = _open(window_with_text, qtbot, monkeypatch), app_state.interventions.of_run["A"]
    found.set_head(1, 2, "zero")
    settle()
    app_state.interventions.name("one", found.edits)
    app_state.interventions.name("two", found.edits)
    before = app_state.interventions.saved
    view.rows[-1].rename.click()
    (dialog,) = view.findChildren(QInputDialog)
    assert not_none(dialog.findChild(QLineEdit)).objectName() == "entry", "as other fields look"
    assert dialog.textValue() == "two"
    dialog.setTextValue(" one ")
    assert dialog.labelText().endswith("Another set has this name.")
    dialog.accept()
    assert app_state.interventions.saved == before
    view.rows[-1].rename.click()
    dialog = view.findChildren(QInputDialog)[-1]
    dialog.setTextValue("three")
    assert dialog.labelText().endswith(":\n")
    dialog.accept()
    assert [one.name for one in app_state.interventions.saved.sets] == ["one", "three"]
    view.buttons["name"].click()
    dialog = view.findChildren(QInputDialog)[-1]
    dialog.setTextValue("one")
    assert dialog.labelText().endswith("This name replaces the set that has it.")
    dialog.reject()


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
    found = app_state.interventions.of_run["A"]
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
    dialog = not_none(view.findChild(QInputDialog))
    dialog.setTextValue("two heads")
    dialog.accept()
    edits = app_state.workspace.edits
    assert app_state.interventions.saved.sets == (NamedEdits("two heads", edits),)
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


def test_the_reference_text_is_edited_in_the_card_and_a_weight_that_changes_nothing_is_explained(
    window_with_text: MainWindow,
    app_state: AppState,
    settle: Settle,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    view = _open(window_with_text, qtbot, monkeypatch)
    found = app_state.interventions.of_run["A"]
    found.set_head(0, 1, "zero")
    settle()
    assert not view.reference.isVisible()  # no head is replaced by a mean
    found.set_head(1, 1, "mean")
    settle()
    assert view.reference.isVisible()
    assert view.reference.toPlainText() == REFERENCE
    view.reference.setFocus()
    view.reference.setPlainText("half of")
    found.set_head(0, 1, None)
    mean = found.edits.interventions[0]
    found.switch(mean, False)
    settle()
    assert QApplication.focusWidget() is view.reference
    typed = view.reference.toPlainText(), app_state.interventions.saved.reference
    assert typed == ("half of", REFERENCE), "still typed"
    found.switch(mean, True)
    settle()
    view.reference.setPlainText("another\ntext")
    QTest.keyClick(view.reference, Qt.Key.Key_Return)
    settle()
    assert app_state.workspace.edits.references == ("another text",)
    view.reference.setPlainText(" ")
    QTest.keyClick(view.reference, Qt.Key.Key_Return)
    assert view.reference.toPlainText() == "another text"
    weight, words = CellIntervention(1, 2, 0, 1, 0.5), "changes nothing."
    for head, changes_nothing in ((1, False), (2, True)):
        app_state.workspace.set_edits(Edits.of([weight, HeadIntervention(1, head)]))
        settle()
        turn_events()  # the layout shows a new line in the next turn of the event loop
        assert any(text.endswith(words) for text in _labels(view)) == changes_nothing


def test_outcomes_that_fail_unexpectedly_leave_no_old_ones(
    window_with_text: MainWindow,
    app_state: AppState,
    qtbot: QtBot,
    settle: Settle,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _open(window_with_text, qtbot, monkeypatch, Outcome("vector", "pooled", 1.0, 0.9))
    outcomes = app_state.outcomes["A"]
    app_state.workspace.set_edits(Edits.of([HeadIntervention(1, 2)]))
    settle()
    qtbot.waitUntil(lambda: bool(outcomes.found))
    monkeypatch.setattr(module, "intervention_outcomes", lambda *_: 1 / 0)
    app_state.workspace.set_edits(Edits.of([HeadIntervention(0, 1)]))
    qtbot.waitUntil(lambda: not outcomes.found)
