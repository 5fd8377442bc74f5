"""Every term on screen opens its entry of the glossary: rows, titles, headers, units, colour bars, axes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QApplication, QLabel, QToolTip, QWidget
from pytestqt.qtbot import QtBot

from bertviz_app.learning.example_facts import glossary
from bertviz_app.shell.window.window import MainWindow
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.panels import Content, Panel
from bertviz_app.viewmodels.training.training import Training
from bertviz_app.views.attention.matrix import MatrixView
from bertviz_app.views.kit.canvas import Canvas
from bertviz_app.views.kit.labels import drawn_texts
from bertviz_app.views.kit.terms import term_at, term_named
from bertviz_app.views.panels.card import PanelCard
from bertviz_app.views.plots.plot import Plot
from bertviz_app.views.training.page import TrainingPage
from bertviz_app.views.vectors.map import MapView
from tests.support.context_menus import chip_at
from tests.support.training_page import LEARNING, send, start
from tests.support.training_scene import FakeLaunch, evaluation, report


@pytest.fixture(params=["en", "ko"])
def window_in_language(
    request: pytest.FixtureRequest, qtbot: QtBot, window: MainWindow, app_state: AppState
) -> Iterator[MainWindow]:
    """The window with a text, in both languages."""
    app_state.workspace.set_texts("the cat sat", None, at_once=True)
    qtbot.waitUntil(lambda: app_state.workspace.is_current and window.main_area.area.is_complete)
    window.appearance.choose_language(request.param)
    QApplication.processEvents()
    yield window
    window.appearance.choose_language("en")


def _term_on(widget: QWidget, at: QPoint, *, is_hover: bool = True) -> str:
    return term_at(widget.mapToGlobal(at), widget, is_hover=is_hover)


def _terms_of(canvas: Canvas) -> set[str]:
    """Return the terms of all texts that a canvas draws, as the pointer finds them."""
    boxes = [box for box, _ in drawn_texts(canvas)]
    return {_term_on(canvas, box.center().toPoint()) for box in boxes} - {""}


def test_what_the_window_shows_names_its_terms(window_in_language: MainWindow) -> None:
    _the_rows_of_the_strip_and_its_special_tokens(window_in_language)
    _the_titles_of_the_cards_and_the_cards_themselves(window_in_language)
    _every_column_of_the_table_of_heads(window_in_language)
    _the_edges_and_the_colours_of_the_overview(window_in_language)
    _the_colour_bar_of_a_matrix_and_its_words_name_no_term(window_in_language)


def _the_rows_of_the_strip_and_its_special_tokens(window_in_language: MainWindow) -> None:
    strip = window_in_language.main_area.strip
    found = [_term_on(strip, QPoint(20, y)) for y in range(strip.height())]
    assert list(dict.fromkeys(term for term in found if term)) == ["token", "token_id", "segment", "position"]
    assert _term_on(strip, QPoint(chip_at(window_in_language, 0).x(), 20)) == "cls"


def _the_titles_of_the_cards_and_the_cards_themselves(window_in_language: MainWindow) -> None:
    window_in_language.main_area.docks.toggle("interventions")
    QApplication.processEvents()
    terms = ("overview", "head", "inspector", "pooler", "interventions")
    for card, term in zip(window_in_language.main_area.cards, terms, strict=True):
        assert _term_on(card.title, QPoint(3, 3)) == term
        assert _term_on(card, QPoint(2, card.height() - 3), is_hover=False) == term
    for panel in window_in_language.main_area.area.cards.values():
        assert _term_on(panel, QPoint(2, panel.height() - 3), is_hover=False) == panel.panel.kind.key


def _every_column_of_the_table_of_heads(window_in_language: MainWindow) -> None:
    header = window_in_language.main_area.heads.horizontalHeader()
    viewport, found = header.viewport(), []
    for column in range(header.count()):
        if not header.isSectionHidden(column):
            at = QPoint(header.sectionViewportPosition(column) + 8, 8)
            found.append(_term_on(viewport, at))
    assert len(found) >= 5
    assert "" not in found


def _the_edges_and_the_colours_of_the_overview(window_in_language: MainWindow) -> None:
    view = window_in_language.main_area.cards.overview.view
    cell = view.cell_rect(0, 0)
    left, top = round(cell.left()), round(cell.top())
    assert _term_on(view, QPoint(left + 5, top - 8)) == "head"
    assert _term_on(view, QPoint(4, top + 5)) == "layer"
    assert _term_on(view, QPoint(left + 20, round(view.cell_rect(1, 0).bottom()) + 14)) == "colour_scale"


def _the_colour_bar_of_a_matrix_and_its_words_name_no_term(window_in_language: MainWindow) -> None:
    (view, *_) = window_in_language.main_area.area.findChildren(MatrixView)
    plot, cells = view.plot, view.plot.plot_rect
    assert _term_on(plot, QPoint(round(cells.right()) + 12, round(cells.top()) + 12)) == "colour_scale"
    assert _term_on(plot, QPoint(4, round(cells.center().y()))) == ""
    for plot in window_in_language.findChildren(Plot):
        if plot.isVisible():
            at = _without_term(plot)
            assert at is None or _term_on(plot, at, is_hover=False) == "picture_of_data"


def _without_term(plot: Plot) -> QPoint | None:
    """Return a position of a plot at which nothing has a term."""
    places = (QPoint(x, y) for x in range(3, plot.width(), 40) for y in range(3, plot.height(), 40))
    return next((at for at in places if not _term_on(plot, at)), None)


def test_the_lines_of_the_inspector_and_the_tool_tip_of_a_term(
    window_in_language: MainWindow, app_state: AppState
) -> None:
    app_state.selection.pin(1, 2)
    QApplication.processEvents()
    numbers = window_in_language.main_area.inspector_page.numbers
    assert {"score", "scaling", "softmax", "entropy", "attention_weight"} <= _terms_of(numbers)
    large, rank = [box for box, _ in drawn_texts(numbers)][1:3]
    assert _term_on(numbers, large.center().toPoint()) == "attention_weight"
    assert _term_on(numbers, rank.center().toPoint()) == "attention_weight"
    box = next(box for box, text in drawn_texts(numbers) if term_named(text) == "softmax")
    at = box.center().toPoint()
    event = QHelpEvent(QHelpEvent.Type.ToolTip, at, numbers.mapToGlobal(at))
    QApplication.sendEvent(numbers, event)
    assert glossary()["softmax"].name.en in QToolTip.text() or "소프트맥스" in QToolTip.text()
    QToolTip.hideText()


def test_the_axes_of_the_map(qtbot: QtBot, window_in_language: MainWindow, app_state: AppState) -> None:
    panel = Panel(0, 0, 0, "vectors")
    app_state.panels.open([replace(panel, vectors=replace(panel.vectors, page="map"))])
    views = window_in_language.main_area.area.findChildren(MapView)
    qtbot.waitUntil(lambda: any(drawn_texts(view) for view in views))
    assert "principal_components" in set().union(*map(_terms_of, views))


def test_the_labels_and_the_curves_of_a_training(
    qtbot: QtBot, window_in_language: MainWindow, page: TrainingPage, training: Training, launch: FakeLaunch
) -> None:
    process = start(qtbot, page, training, launch)
    send(process, LEARNING, evaluation(0), report(1), evaluation(1))
    labels = [label for label in page.state.findChildren(QLabel) if label.property("term")]
    assert len(labels) >= 6
    assert {"step", "accuracy", "baseline"} <= {str(label.property("term")) for label in labels}
    assert {"masked_language_model", "next_sentence", "step"} <= _terms_of(page.curves.losses)
    assert "baseline" in _terms_of(page.curves.accuracies)
    assert _term_on(page.curves.losses_card.title, QPoint(3, 3)) == "loss"


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("PC1  34 %", "principal_components"),
        ("÷ √32", "scaling"),
        ("0.066비트", "bits"),
        ("W_O", "w_o"),
        ("##", "word_piece"),
        ("[UNK]", "unk"),
        ("K", "key"),
        ("k", ""),
        ("a", ""),
        ("Click a token to see which pieces are expected there.", ""),
    ],
)
def test_a_label_names_the_term_of_its_longest_row_of_words(text: str, term: str) -> None:
    assert term_named(text) == term


def test_left_alone_a_widget_is_about_nothing(qtbot: QtBot) -> None:
    widget = QWidget()
    qtbot.addWidget(widget)
    widget.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
    assert term_at(QPoint(3, 3), widget) == ""


def test_a_panel_of_an_analysis_is_about_it(window_in_language: MainWindow, app_state: AppState) -> None:
    active = app_state.panels.active
    assert active is not None
    app_state.panels.choose(active.number, Content("attention-rollout"))
    QApplication.processEvents()
    card = next(
        each for each in window_in_language.findChildren(PanelCard) if each.panel.number == active.number
    )
    assert _term_on(card, QPoint(3, card.height() - 3), is_hover=False) == "attention_rollout"
    app_state.panels.choose(active.number, Content())
    QApplication.processEvents()
    assert _term_on(card, QPoint(3, card.height() - 3), is_hover=False) == "matrix"
