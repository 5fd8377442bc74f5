"""Exporting from the window: every panel and card, by menu and by keys."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pypdf import PdfReader
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QGuiApplication, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QLabel, QMenu, QPushButton
from pytestqt.qtbot import QtBot

from bertviz_app.analysis.attention.stamp import WEIGHTS
from bertviz_app.analysis.entry import Analysis
from bertviz_app.errors import FigureError
from bertviz_app.features.corpora.pages import CorpusController
from bertviz_app.features.training.page import TrainingController
from bertviz_app.options import ENCODED_RUNS
from bertviz_app.shell.settings import read_palette
from bertviz_app.shell.window import export as export_module
from bertviz_app.shell.window.export import Export
from bertviz_app.shell.window.main_area import Cards
from bertviz_app.shell.window.window import MainWindow
from bertviz_app.text import Edits
from bertviz_app.text.edits import HeadIntervention
from bertviz_app.trace import page as page_module
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.export import save_numbers
from bertviz_app.viewmodels.panel import IMAGE, PANEL_KINDS, Content, Panel
from bertviz_app.viewmodels.state import OtherRun
from bertviz_app.views.dialogs.export_dialog import ExportDialog, PictureChoice
from bertviz_app.views.export.recording import image_of, margins
from bertviz_app.views.kit.card import Card
from bertviz_app.views.kit.subject import ExportSubject
from bertviz_app.views.kit.widgets import CopyingTable
from tests.support.made_up import BARS, GRID, MATRICES, NAMED, OF_TWO, PIECES, made_up
from tests.support.scene import expect, lines_of_text, not_none

CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
__all__ = ["made_up"]


def _cards(window: MainWindow) -> list[Card]:
    main_area = window.main_area
    run_states = [
        main_area.cards.overview,
        main_area.cards.heads,
        main_area.cards.inspector,
        main_area.cards.pooled,
    ]
    return [*run_states, *main_area.area.cards.values()]


def test_every_panel_can_be_saved_with_its_numbers(
    qtbot: QtBot, window_with_text: MainWindow, app_state: AppState, tmp_path: Path
) -> None:
    for view_kind in PANEL_KINDS.keys() - {IMAGE}:  # which text has none of
        app_state.panels.open([Panel(0, 1, 2, view_kind)])
        qtbot.waitUntil(lambda: window_with_text.main_area.area.is_complete)
        _save_all(
            qtbot, window_with_text, next(iter(window_with_text.main_area.area.cards.values())), tmp_path
        )


def test_numbers_of_steps_are_exported_as_weights_of_all_tokens(
    qtbot: QtBot, window_with_text: MainWindow, app_state: AppState
) -> None:
    app_state.store.change(options=app_state.store.now.options.with_special_tokens("removed"))
    app_state.panels.open([Panel(0, 1, 2, "steps")])
    qtbot.waitUntil(lambda: window_with_text.main_area.area.is_complete)
    (card,) = window_with_text.main_area.area.cards.values()
    subject = not_none(window_with_text.export.subject(card))
    numbers = subject.numbers()
    assert numbers.stamp == WEIGHTS
    assert (numbers.facts["numbers"], numbers.facts["special_tokens"]) == ("weight", "shown")
    assert "weights = trace.attention(1, 2)\n" in subject.python
    assert "queries = " not in subject.python, "no token is left out"
    assert subject.python.startswith("# of attention weights of all tokens; the window shows: weight, ")
    assert subject.sheet.lines[-1].startswith("Steps are of the attention weights of all tokens")


@pytest.mark.usefixtures("made_up")
@pytest.mark.parametrize("entry", [MATRICES, GRID, BARS, PIECES, NAMED], ids=lambda entry: entry.key)
def test_every_kind_of_result_can_be_saved_with_its_numbers(
    qtbot: QtBot, window_with_text: MainWindow, app_state: AppState, tmp_path: Path, entry: Analysis[Any, Any]
) -> None:
    app_state.panels.open([Panel(0, 1, 2, "matrix", content=Content(entry.key, (("factor", 2.0),)))])
    qtbot.waitUntil(lambda: window_with_text.main_area.area.is_complete)
    (card,) = window_with_text.main_area.area.cards.values()
    _save_all(qtbot, window_with_text, card, tmp_path)
    subject = not_none(window_with_text.export.subject(card))
    assert subject.name.startswith(entry.key)
    assert subject.sheet.title.startswith(f"{entry.title} · Factor 2 · ")
    assert "Factor: 2 · mode: its mean · Exactly: False" in subject.sheet.lines
    assert any(line.endswith("It says nothing. · Nobody et al. 2024") for line in subject.sheet.lines)
    facts = subject.numbers().facts
    parameters = {"factor": 2.0, "mode": "mean", "is_exact": False}
    assert (facts["analysis"], facts["parameters"]) == (entry.key, parameters)
    assert f"result = model.analyse('{entry.key}', trace, factor=2.0)" in subject.python
    written = lines_of_text(tmp_path / f"{subject.name}.svg")
    axes = {MATRICES: {"query (looks)", "key (is looked at)"}, GRID: {"layer", "head"}}
    assert axes.get(entry, set()) <= set(written), "what the axes are"


@pytest.mark.usefixtures("made_up")
def test_lines_of_several_heads_of_an_analysis_have_the_numbers_of_all(
    qtbot: QtBot, window_with_text: MainWindow, app_state: AppState
) -> None:
    app_state.panels.open([Panel(0, 1, 2, "lines", heads=(0, 2), content=Content(MATRICES.key))])
    qtbot.waitUntil(lambda: window_with_text.main_area.area.is_complete)
    subject = not_none(window_with_text.export.subject(None))
    numbers = subject.numbers()
    assert numbers.facts["heads"] == [0, 2]
    assert len(numbers.arrays["values"]) == 2
    assert "for head in [0, 2]" in subject.python


def test_every_card_can_be_saved_with_its_numbers(
    qtbot: QtBot, window_with_text: MainWindow, tmp_path: Path
) -> None:
    for name in [name for name in Cards._fields if name != "interventions"]:
        _save_all(qtbot, window_with_text, getattr(window_with_text.main_area.cards, name), tmp_path)


def _save_all(qtbot: QtBot, window: MainWindow, card: Card, folder: Path) -> None:
    subject = not_none(window.export.subject(card))
    assert "the cat sat" in " ".join(subject.sheet.lines)
    for ending in (".png", ".svg", ".pdf"):
        path = folder / f"{subject.name}{ending}"
        with qtbot.waitSignal(window.files.saved):
            window.export.save_picture(subject, path, PictureChoice(ending))
        assert path.stat().st_size > 1000
    written = lines_of_text(folder / f"{subject.name}.svg")
    title = "".join(written[: len(subject.sheet.lines) + 1])
    assert subject.sheet.title in title
    assert "the cat sat" in title
    assert len("".join(written)) > len(title), "the words of the view below its title"
    for ending in (".csv", ".npz", ".json"):
        path = folder / f"{subject.name}{ending}"
        with qtbot.waitSignal(window.files.saved):
            window.export.save_numbers(subject, path)
    with np.load(folder / f"{subject.name}.npz") as arrays:
        assert len(arrays.files) > 1
    compile(subject.python, "copied", "exec")
    assert "open_model" in subject.python
    # nothing of the view has changed
    assert all(card.isVisible() for card in _cards(window))


def test_exports_of_two_runs_name_their_run_and_a_difference_names_both(
    qtbot: QtBot, window_with_text: MainWindow, app_state: AppState
) -> None:
    app_state.comparison.set_other(OtherRun(text="the dog sat", edits=Edits(muted=((0, 1),))))
    qtbot.waitUntil(
        lambda: app_state.comparison.difference is not None and window_with_text.main_area.area.is_complete
    )
    main_area = window_with_text.main_area
    subjects = {
        card.panel.run: window_with_text.export.subject(card)
        for card in main_area.area.cards.values()
        if card.panel.view_kind == "matrix"
    }
    of_b, of_both = subjects["B"], subjects["A-B"]
    assert of_b is not None
    assert of_both is not None
    assert of_both.name.endswith("-A-B")
    assert of_both.sheet.title == "Layer 1 · Head 2 · A − B", "whatever the room of its header"
    assert ["the cat sat" in of_both.sheet.lines[0], "the dog sat" in of_both.sheet.lines[1]] == [True, True]
    assert "the dog sat" in of_b.sheet.lines[0]
    facts = of_both.numbers().facts
    other = expect(dict, facts["other"])
    assert (facts["text"], other["text"]) == ("the cat sat", "the dog sat")
    assert (facts["edits"], other["edits"]) == (asdict(Edits()), asdict(Edits(muted=((0, 1),))))
    assert of_b.numbers().facts["text"] == "the dog sat"
    assert of_b.numbers().facts["edits"] == other["edits"]
    divergence = not_none(window_with_text.export.subject(main_area.cards.overview))
    assert divergence.widget is main_area.runs.divergence
    assert divergence.numbers().facts["other"] == other


def _csv(subject: ExportSubject | None, path: Path) -> str:
    assert subject is not None
    save_numbers(subject.numbers(), path)
    return path.read_text(encoding="utf-8")


@pytest.mark.usefixtures("made_up")
@pytest.mark.parametrize(("view_kind", "analysis"), [("matrix", ""), ("vectors", ""), ("matrix", NAMED.key)])
def test_a_csv_of_an_intervened_run_names_the_interventions(
    qtbot: QtBot,
    window_with_text: MainWindow,
    app_state: AppState,
    tmp_path: Path,
    view_kind: str,
    analysis: str,
) -> None:
    app_state.panels.open([Panel(0, 1, 2, view_kind, content=Content(analysis))])
    qtbot.waitUntil(lambda: window_with_text.main_area.area.is_complete)
    cards = [
        None,
        window_with_text.main_area.cards.heads,
        window_with_text.main_area.cards.inspector,
        window_with_text.main_area.cards.pooled,
    ]
    app_state.selection.pin(query=1, key=2)
    for card in cards:
        subject = window_with_text.export.subject(card)
        assert "interventions" not in _csv(subject, tmp_path / "without.csv")
    app_state.workspace.set_edits(Edits(muted=((0, 1),), heads=(HeadIntervention(1, 1, "uniform"),)))
    qtbot.waitUntil(lambda: app_state.workspace.is_current and window_with_text.main_area.area.is_complete)
    for card in cards:
        subject = window_with_text.export.subject(card)
        assert "head 0.1 zero; head 1.1 uniform" in _csv(subject, tmp_path / "with.csv")
        assert subject is not None
        assert any("0·1" in line and "equal weights" in line for line in subject.sheet.lines)


@pytest.mark.usefixtures("made_up")
def test_a_csv_of_both_runs_names_the_interventions_of_both(
    qtbot: QtBot, window_with_text: MainWindow, app_state: AppState, tmp_path: Path
) -> None:
    """A difference is of both runs, and so is an analysis of one that reads the other."""
    app_state.workspace.set_edits(Edits(heads=(HeadIntervention(1, 1, "uniform"),)))
    app_state.comparison.set_other(OtherRun(edits=Edits(muted=((0, 1),))))
    of_two = [Panel(0, 1, 2, "matrix", run=run, content=Content(OF_TWO.key)) for run in ENCODED_RUNS]
    app_state.panels.open([*of_two, Panel(0, 1, 2, "matrix", run="A-B")])
    area = window_with_text.main_area.area
    qtbot.waitUntil(lambda: app_state.comparison.difference is not None and area.is_complete)
    cards = *area.cards.values(), window_with_text.main_area.cards.overview
    assert len(cards) == 4
    for card in cards:
        subject = window_with_text.export.subject(card)
        assert "run A: head 1.1 uniform; run B: head 0.1 zero" in _csv(subject, tmp_path / "a.csv")
        assert subject is not None
        assert any("equal weights" in line for line in subject.sheet.lines)
        assert any("0·1" in line for line in subject.sheet.lines)


@pytest.mark.usefixtures("made_up")
def test_rows_that_are_copied_name_the_interventions(
    qtbot: QtBot, window_with_text: MainWindow, app_state: AppState
) -> None:
    app_state.workspace.set_edits(Edits(muted=((0, 1),)))
    app_state.panels.open([Panel(0, 1, 2, "table", content=Content(NAMED.key))])
    qtbot.waitUntil(lambda: app_state.workspace.is_current and window_with_text.main_area.area.is_complete)
    tables = [one for one in window_with_text.findChildren(CopyingTable) if one.isVisible()]
    assert len(tables) == 2, "of the heads, and of the panel"
    for table in tables:
        QTest.keyClick(table, Qt.Key.Key_C, CONTROL)
        names, *rows = QGuiApplication.clipboard().text().splitlines()
        assert names.endswith("\tinterventions")
        assert rows
        assert all(row.endswith("\thead 0.1 zero") for row in rows)
        assert {row.count("\t") for row in rows} == {names.count("\t")}


def test_the_numbers_of_a_matrix_are_those_of_the_trace(
    qtbot: QtBot, window_with_text: MainWindow, app_state: AppState
) -> None:
    app_state.panels.open([Panel(0, 1, 2, "matrix")])
    qtbot.waitUntil(lambda: window_with_text.main_area.area.is_complete)
    subject = not_none(window_with_text.export.subject(None))
    expected = not_none(app_state.workspace.shown).result.trace.attention(1, 2)
    np.testing.assert_array_equal(subject.numbers().arrays["weights"], expected)


def _width_of_picture(window: MainWindow, subject: ExportSubject) -> int:
    """Return the width of a picture at scale 1: the view's, and the margins for the titles of its axes."""
    around = margins(window.main_area.cards.overview.view.look, subject.titles, subject.widget.width())
    assert around.left() > 0
    return subject.widget.width() + round(around.left() + around.right())


def test_the_picture_is_copied_by_keys_where_no_text_is_selected(window_with_text: MainWindow) -> None:
    clipboard = QGuiApplication.clipboard()
    clipboard.setText("before")
    view = window_with_text.main_area.cards.overview.view
    view.setFocus()
    QTest.keyClick(view, Qt.Key.Key_C, CONTROL)
    image = clipboard.image()
    subject = not_none(window_with_text.export.subject(window_with_text.main_area.cards.overview))
    assert subject.widget is view
    assert image.width() == 2 * _width_of_picture(window_with_text, subject)
    window_with_text.frame.bar.text.setFocus()
    window_with_text.frame.bar.text.selectAll()
    QTest.keyClick(window_with_text.frame.bar.text, Qt.Key.Key_C, CONTROL)
    assert clipboard.text() == "the cat sat"
    window_with_text.main_area.heads.setFocus()
    QTest.keyClick(window_with_text.main_area.heads, Qt.Key.Key_C, CONTROL)
    assert clipboard.text().startswith("layer\thead\tentropy")


def test_copied_python_is_about_the_active_panel(window_with_text: MainWindow, app_state: AppState) -> None:
    app_state.panels.show(0, 1)
    window_with_text.export.copy_python()
    assert "trace.attention(0, 1)" in QGuiApplication.clipboard().text()


def test_a_long_text_is_shortened_above_its_picture(
    qtbot: QtBot, window_with_text: MainWindow, app_state: AppState
) -> None:
    app_state.workspace.set_texts("word " * 400, None, at_once=True)
    qtbot.waitUntil(lambda: app_state.workspace.is_current)
    subject = not_none(window_with_text.export.subject(window_with_text.main_area.cards.overview))
    assert subject.sheet.lines[0].endswith("word …”")
    assert len(subject.sheet.lines[0]) < 280
    assert subject.numbers().facts["text"] == "word " * 400


def test_another_ground_leaves_the_window_as_it_is(window_with_text: MainWindow) -> None:
    subject = not_none(window_with_text.export.subject(None))
    dark = read_palette("dark")
    image = image_of(window_with_text.export.recorded(subject, PictureChoice(ground="dark")), 1)
    assert image.pixel(1, 1) == QColor(dark.card).rgb()
    assert window_with_text.grab().toImage().pixel(3, 3) == QColor(read_palette("light").card).rgb()


def test_the_dialog_asks_and_the_file_is_written(
    qtbot: QtBot, window_with_text: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "mine.png"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path.with_suffix("")), "PNG (*.png)"))
    window_with_text.export.ask_for_picture()
    dialog = not_none(window_with_text.findChild(ExportDialog))
    assert dialog.choice == PictureChoice()
    dialog.fields["scale"].chosen.emit("3")
    dialog.fields["scale"].choose("3")
    with qtbot.waitSignal(window_with_text.files.saved):
        dialog.save.click()
    subject = not_none(window_with_text.export.subject(None))
    assert QImage(str(path)).width() == 3 * _width_of_picture(window_with_text, subject)


def test_a_page_begins_with_what_the_panel_shows(
    qtbot: QtBot,
    window_with_text: MainWindow,
    app_state: AppState,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "mine"), "HTML (*.html)"))
    app_state.panels.show(1, 2)
    panel = not_none(app_state.panels.active)
    app_state.panels.draw_as(panel.number, "matrix")
    with qtbot.waitSignal(window_with_text.files.saved):
        window_with_text.export.ask_for_page()
    page = (tmp_path / "mine.html").read_text(encoding="utf-8")
    assert '"view":"matrix","layer":1,"heads":[2]' in page
    app_state.panels.show_run(panel.number, "A-B")
    with qtbot.waitSignal(window_with_text.export.copied) as said:
        window_with_text.export.ask_for_page()
    assert said.args == ["A page is of one run: show run A or run B in the panel."]


def test_a_page_of_a_long_text_has_what_a_browser_reads(
    qtbot: QtBot,
    window_with_text: MainWindow,
    app_state: AppState,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    panel, runs = app_state.panels.active, app_state.runs
    assert panel is not None
    assert runs is not None
    trace = runs.a.trace
    for most, layers in ((trace.n_heads, f"[[{panel.layer},["), (1, f"[[{panel.layer},[{panel.head}]]]")):
        for module in (export_module, page_module):
            monkeypatch.setattr(module, "MAX_WEIGHTS", most * trace.n_tokens**2)
        with qtbot.waitSignals([window_with_text.export.copied, window_with_text.files.saved]):
            window_with_text.export.save_page(panel, trace, tmp_path / "long.html")
        assert f'"layers":{layers}' in (tmp_path / "long.html").read_text(encoding="utf-8")


def test_the_dialog_has_a_width_in_print_and_says_how_large_the_letters_are(
    qtbot: QtBot, window_with_text: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "mine.pdf"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), "PDF (*.pdf)"))
    window_with_text.export.ask_for_picture()
    dialog = not_none(window_with_text.findChild(ExportDialog))
    dialog.fields["ending"].chosen.emit(".pdf")
    dialog.fields["ground"].chosen.emit("paper")
    for typed in ("abc", "12", "0cm"):
        dialog.fields["width"].setText("")
        QTest.keyClicks(dialog.fields["width"], typed)
        qtbot.waitUntil(lambda: "is no length" in dialog.letters.text())
        assert not dialog.save.isEnabled()
        assert not dialog.copy.isEnabled()
    main_area = window_with_text.main_area  # where no cursor blinks
    before = main_area.grab().toImage()
    dialog.columns.activated.emit(dialog.columns.findData("acl"))
    dialog.columns.setCurrentIndex(dialog.columns.findData("acl"))
    dialog.columns.activated.emit(dialog.columns.currentIndex())
    assert dialog.fields["width"].text() == "acl"
    qtbot.waitUntil(lambda: dialog.letters.text() == "The smallest letters have 6.8 points.")
    assert dialog.save.isEnabled()
    assert main_area.grab().toImage() == before, "measuring leaves the window as it is"
    with qtbot.waitSignal(window_with_text.files.saved):
        dialog.save.click()
    width = float(PdfReader(path).pages[0].mediabox.width) / 72 * 2.54
    assert width == pytest.approx(7.7, abs=0.02)


def test_a_table_that_would_be_printed_too_small_is_refused_with_the_width_that_it_takes(
    window_with_text: MainWindow,
) -> None:
    subject = not_none(window_with_text.export.subject(window_with_text.main_area.cards.heads))
    with pytest.raises(FigureError, match=r"that takes \d+ mm"):
        window_with_text.export.recorded(subject, PictureChoice(".pdf", width="5cm"))


def test_a_result_that_comes_while_one_chooses_a_file_is_what_is_saved(
    qtbot: QtBot, window_with_text: MainWindow, app_state: AppState, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved: list[ExportSubject] = []

    def choose(*_: object) -> tuple[str, str]:
        app_state.workspace.set_texts("quite another text", None, at_once=True)
        qtbot.waitUntil(lambda: app_state.workspace.is_current)
        return "mine.png", ""

    monkeypatch.setattr(QFileDialog, "getSaveFileName", choose)
    monkeypatch.setattr(Export, "save_picture", lambda _self, subject, *_: saved.append(subject))
    window_with_text.export.ask_for_picture(window_with_text.main_area.cards.overview)
    dialog = not_none(window_with_text.findChild(ExportDialog))
    dialog.save.click()
    assert "quite another text" in saved[0].sheet.lines[0], "as in the picture"


def test_a_file_that_cannot_be_written_is_refused_with_one_sentence(
    qtbot: QtBot, window_with_text: MainWindow, tmp_path: Path
) -> None:
    subject = not_none(window_with_text.export.subject(None))
    with qtbot.waitSignal(window_with_text.files.refused) as refused:
        window_with_text.export.save_picture(subject, tmp_path / "nowhere" / "a.png", PictureChoice())
    assert "could not be written" in str(refused.args)


def test_each_card_has_a_button_with_a_menu(window_with_text: MainWindow, app_state: AppState) -> None:
    app_state.panels.add(0, 0)
    found = window_with_text.findChildren(QPushButton)
    buttons = [each for each in found if each.text() == "⋯" and each.isVisible()]
    for button in buttons:
        button.click()
        menu = expect(QMenu, QApplication.activePopupWidget())
        assert len(menu.actions()) == 4
        menu.hide()
    assert len(buttons) == len(_cards(window_with_text))


def test_from_the_interventions_the_active_panel_is_meant(
    window_with_text: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    card = window_with_text.main_area.cards.interventions
    monkeypatch.setattr(QApplication, "focusWidget", lambda: card)
    subject, panel = window_with_text.export.subject(None), window_with_text.main_area.area.cards
    assert subject is not None
    assert subject.widget in [one.view for one in panel.values()]


def test_on_the_first_screen_its_arcs_are_saved(qtbot: QtBot, window: MainWindow) -> None:
    window.export.ask_for_picture()
    dialog, welcome = window.findChild(ExportDialog), window.frame.welcome
    assert dialog is not None
    assert welcome.sentence.text() in [label.text() for label in dialog.findChildren(QLabel)]
    dialog.reject()
    subject = not_none(window.export.subject(None))
    assert subject.widget is welcome.ribbons
    assert "Point at" not in " ".join(subject.sheet.lines), "nobody points at a file"
    with qtbot.waitSignal(window.export.copied) as said:
        window.export.ask_for_numbers()
    assert said.args == ["This is a picture to learn from: its numbers and its Python are in Explore."]


def test_the_dialog_names_what_is_looked_at_and_another_one_can_be_chosen(
    qtbot: QtBot, window_with_text: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, area = window_with_text, window_with_text.main_area
    area.cards.inspector.setFocus()
    monkeypatch.setattr(QApplication, "focusWidget", lambda: area.cards.inspector)
    window.app_state.selection.pin(query=1, key=2)
    window.app_state.rooms.enter("explore")
    window.export.ask_for_picture()
    dialog = not_none(window.findChild(ExportDialog))
    offered = [dialog.pictures.itemText(index) for index in range(dialog.pictures.count())]
    assert offered[dialog.index].startswith("Layer 1"), "the panel, whatever has the focus"
    (other,) = [index for index, title in enumerate(offered) if "Inspector" in title]
    dialog.pictures.setCurrentIndex(other)
    monkeypatch.setattr(
        QFileDialog, "getSaveFileName", lambda *given: (str(tmp_path / Path(given[2]).name), "")
    )
    with qtbot.waitSignal(window.files.saved):
        dialog.save.click()
    assert [each.stem for each in tmp_path.iterdir()] == ["inspector"]


@pytest.mark.parametrize("run", ["ask_for_picture", "copy_picture", "ask_for_numbers"])
def test_what_cannot_be_saved_yet_is_said(qtbot: QtBot, window: MainWindow, run: str) -> None:
    act: Callable[[], None] = getattr(window.export, run)
    window.part(TrainingController).open()
    with qtbot.waitSignal(window.export.copied) as said:
        act()
    assert said.args == ["There are no curves yet: they can be saved once a training runs."]
    assert window.findChild(ExportDialog) is None


@pytest.mark.parametrize("run", ["ask_for_picture", "copy_picture", "ask_for_numbers", "copy_python"])
def test_a_panel_behind_a_page_is_not_saved(qtbot: QtBot, window_with_text: MainWindow, run: str) -> None:
    act: Callable[[], None] = getattr(window_with_text.export, run)
    window_with_text.part(CorpusController).open()
    with qtbot.waitSignal(window_with_text.export.copied) as said:
        act()
    assert "close this page first" in said.args[0]
    assert window_with_text.findChild(ExportDialog) is None
