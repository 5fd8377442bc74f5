"""Every text of the window opens an entry of the glossary, or is on the list of those that need none."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import get_args

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QAbstractButton, QApplication, QHeaderView, QLabel, QWidget
from pytestqt.qtbot import QtBot

from bertviz_app.options import Run
from bertviz_app.shell.window.window import MainWindow
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.panels import Panel, ParametersChoice, ParametersPage
from bertviz_app.viewmodels.steps.stops import STAGES, term_of_stage
from bertviz_app.views.kit.canvas import Canvas
from bertviz_app.views.kit.labels import drawn_texts
from bertviz_app.views.kit.terms import term_at, term_named
from bertviz_app.views.panels.card import PanelCard
from bertviz_app.views.plots.plot import Plot
from bertviz_app.views.steps.stop_bar import ModelMap, StepsBar
from bertviz_app.views.steps.view import StepsView
from tests.support.window_fixtures import Settle

TEXT = "the cat sat on the mat"
NEEDS_NONE = (
    r"[^A-Za-zΑ-Ωα-ω가-힣√\[]*",  # numbers, arrows and the signs of buttons, which have tool tips
    r"[+−]?\d[\d.,]*e[−-]?\d+",
    r"Ctrl\+K",
    r"i",  # the button that opens the entry of a card
    rf"({TEXT.replace(' ', '|')}|{TEXT}|{TEXT[:17]}.*…)",
    r"[‘“]?(the|cat)[’”]?( looks at| →)|→ ‘(cat|dog)’|(cat|dog) is looked at by|(the) → (cat|dog)",
    r"dog|([a-z]+|–) \| ([a-z]+|–)",  # of a comparison
    r"rank \d+ of \d+ in its row|행에서 \d+개 중 \d+위",
    r"(Run A · |실행 A · )?(\d+ heads · click to show one|헤드 \d+개 · 클릭하면 보입니다)",
    r"(Why\?|왜\?)( ▾| ▴)?",
    r"Options|옵션|Walk|그림|Table|표|Picture|All|전체|Add|넣기|Remove|빼기|Clear|모두 지우기",
    r"Remove all|or drop them here|또는 여기에 놓으세요|Own|직접|Small|작게|내장 모델처럼|minutes|분",
    r"Training text|학습할 글|모델 폴더|Ends after|끝나는 때|Start the training|학습 시작",
    r"Sentence to watch during training|학습하는 동안 지켜볼 문장|헤드를 다시 그리는 간격",
    r"What you will see|무엇을 보게 되나요",
    r"Mean|평균|Sentence|문장|What it is|이름|축: 레이어별",  # of the shelf, the table, the map
    r"\[\d+(, \d+)?\] · (minimum|최소) .*",
    r"키 \d+개|panel is wider: .*",
    r".*[.,] .*|.*[.…]",  # sentences
    r"\d+ tokens .*|토큰 \d+개 .*",
    r"[A-Za-zΑ-Ωα-ω÷√′'ᵢⱼ]{1,2}|max|exp|LayerNorm|GELU|tanh|concat",  # letters of a formula, drawn one by one
    r"(Layer|레이어) \d+ · (Head|헤드) \d+ · .*",
)
_NEEDS_NONE = re.compile("|".join(f"(?:{each})" for each in NEEDS_NONE))


@pytest.fixture(params=["en", "ko"])
def shown_window(
    request: pytest.FixtureRequest, window: MainWindow, app_state: AppState, settle: Settle
) -> Iterator[MainWindow]:
    """The window, wide enough for everything, with a text and a pinned pair, in both languages."""
    window.resize(1600, 1000)
    window.appearance.choose_language(request.param)
    app_state.workspace.set_texts(TEXT, None, at_once=True)
    settle()
    app_state.selection.pin(1, 2)
    QApplication.processEvents()
    yield window
    window.appearance.choose_language("en")


def _unexplained(window: MainWindow) -> set[str]:
    """Return the texts that neither name a term nor are on the list."""
    found = {text.strip() for text, term in texts_and_terms(window) if not term}
    return {text for text in found if text and not _NEEDS_NONE.fullmatch(text)}


def texts_and_terms(root: QWidget) -> Iterator[tuple[str, str]]:
    """Yield every visible text and its term: that of its position, or what its own widget is about."""
    for widget in root.findChildren(QWidget):
        if not widget.isVisible():
            continue
        # That of every plot is how plots are handled.
        subject = "" if isinstance(widget, Plot) else str(widget.property("subject") or "")
        for text, at in _texts_of(widget):
            yield text, term_at(widget.mapToGlobal(at), widget, is_hover=True) or subject


def _texts_of(widget: QWidget) -> Iterator[tuple[str, QPoint]]:
    if isinstance(widget, (Canvas, Plot)):
        yield from ((text, box.center().toPoint()) for box, text in drawn_texts(widget))
    elif isinstance(widget, QLabel | QAbstractButton):
        yield widget.text(), widget.rect().center()
    elif isinstance(header := widget.parentWidget(), QHeaderView) and widget is header.viewport():
        is_across = header.orientation() == Qt.Orientation.Horizontal
        for section in range(header.count()):
            if not header.isSectionHidden(section):
                along = header.sectionViewportPosition(section) + 8
                text = str(header.model().headerData(section, header.orientation()) or "")
                yield text, QPoint(along, 8) if is_across else QPoint(8, along)


def test_the_texts_of_the_window_and_of_every_view(
    shown_window: MainWindow, app_state: AppState, settle: Settle
) -> None:
    assert _unexplained(shown_window) == set()
    for kind in ("lines", "matrix", "steps", "vectors", "parameters"):
        app_state.panels.open([Panel(0, 0, 0, kind)])
        settle()
        assert _unexplained(shown_window) == set(), kind
    vectors = Panel(0, 0, 0, "vectors")
    for page in ("cls", "tokens", "map", "similar", "shelf"):
        app_state.panels.open([replace(vectors, vectors=replace(vectors.vectors, page=page))])
        settle()
        assert _unexplained(shown_window) == set(), page


def test_the_texts_of_a_comparison(
    shown_window: MainWindow, app_state: AppState, settle: Settle, qtbot: QtBot
) -> None:
    shown_window.frame.toggle_comparison()
    qtbot.waitUntil(lambda: app_state.comparison.is_on)
    app_state.comparison.editor.set_texts("the dog sat", None)
    settle()
    runs: dict[str, tuple[Run, ...]] = {"lines": ("A-B", "B"), "matrix": ("A-B", "B"), "steps": ("B",)}
    for kind, run in ((kind, run) for kind, of_kind in runs.items() for run in of_kind):
        app_state.panels.open([Panel(0, 0, 0, kind, run)])
        settle()
        assert _unexplained(shown_window) == set(), (kind, run)


def test_the_texts_of_the_interventions_of_parameters_and_of_the_training(
    shown_window: MainWindow, app_state: AppState, settle: Settle
) -> None:
    shown_window.main_area.docks.toggle("interventions")
    QApplication.processEvents()
    assert _unexplained(shown_window) == set()
    parameters = Panel(0, 0, 0, "parameters")
    for page in get_args(ParametersPage):
        app_state.panels.open([replace(parameters, parameters=ParametersChoice(page))])
        settle()
        assert _unexplained(shown_window) == set(), page
    shown_window.training.open()
    QApplication.processEvents()
    assert _unexplained(shown_window) == set()
    shown_window.training.close()


def test_f1_on_a_stop_of_steps_opens_the_entry_about_it(
    shown_window: MainWindow, app_state: AppState, settle: Settle
) -> None:
    app_state.panels.open([Panel(0, 0, 0, "steps")])
    settle()
    (stop_map,) = [each for each in shown_window.findChildren(ModelMap) if each.isVisible()]
    lines = stop_map.layout_of_map.lines
    assert len(lines) > 10
    for stop, box in lines.items():
        found = term_at(stop_map.mapToGlobal(box.center().toPoint()), stop_map)
        assert found == term_of_stage(stop.stage), stop.stage


def test_f1_on_a_stop_of_the_bar_of_a_narrow_panel_opens_the_entry_about_it(
    shown_window: MainWindow, app_state: AppState, settle: Settle
) -> None:
    shown_window.resize(960, 600)
    app_state.panels.open([Panel(0, 0, 0, "steps")])
    settle()
    (bar,) = [each for each in shown_window.findChildren(StepsBar) if each.isVisible()]
    walk = next(each.walk for each in shown_window.findChildren(StepsView) if each.isVisible())
    for stop in walk.section(walk.stop.section):
        found = term_at(bar.mapToGlobal(bar.layout_of_bar.stops[stop].center().toPoint()), bar)
        assert found == term_of_stage(stop.stage), stop.stage


@pytest.mark.parametrize("stage", [key for key, stage in STAGES.items() if stage.is_stop])
def test_every_stop_has_a_term(stage: str) -> None:
    assert term_of_stage(stage)


def test_a_special_token_beside_a_matrix_is_explained_but_no_word_is(shown_window: MainWindow) -> None:
    cards = shown_window.main_area.area.findChildren(PanelCard)
    plot = next(
        each for card in cards for each in card.findChildren(Plot) if each.isVisible() and each.shows_words
    )
    terms = {
        text: term_at(plot.mapToGlobal(box.center().toPoint()), plot, is_hover=True)
        for box, text in drawn_texts(plot)
    }
    assert terms["[CLS]"] == "cls"
    assert terms["[SEP]"] == "sep"
    assert terms["cat"] == ""


@pytest.mark.parametrize("text", ["Ctrl+K", "Shift+L", "Alt+↑"])
def test_keys_name_no_term(text: str) -> None:
    assert term_named(text) == ""
