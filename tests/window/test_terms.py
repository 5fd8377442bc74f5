"""Every term and text on screen opens its entry of the glossary, or is listed as one that needs none."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import get_args

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QCursor, QHelpEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QDialog, QHeaderView, QLabel, QToolTip, QWidget
from pytestqt.qtbot import QtBot

from bertviz_app.features.lessons.window.station_maker import StationMaker
from bertviz_app.features.steps.reasons import term_of_stage
from bertviz_app.features.steps.views.navigator import Navigator
from bertviz_app.features.steps.views.view import StepsView
from bertviz_app.features.training.page import TrainingController
from bertviz_app.features.training.state import Training
from bertviz_app.features.training.views.page import TrainingPage
from bertviz_app.learning.glossary import glossary
from bertviz_app.options import Run
from bertviz_app.shell.window.window import MainWindow
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.panel import Content, Panel, ParametersChoice, ParametersPage
from bertviz_app.viewmodels.stages.stops import STAGES
from bertviz_app.views.attention.matrix import MatrixView
from bertviz_app.views.dialogs.help import EntryPopup, GlossaryDialog
from bertviz_app.views.kit.canvas import Canvas
from bertviz_app.views.kit.labels import drawn_texts
from bertviz_app.views.kit.terms import term_at, term_named
from bertviz_app.views.panels.card import PanelCard
from bertviz_app.views.panels.options import PanelOptions
from bertviz_app.views.plots.plot import Plot
from bertviz_app.views.vectors.plots import MapView
from tests.support.scene import chip_at, not_none
from tests.support.training_scene import LEARNING, FakeLaunch, evaluation, report, send, start
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
    r"Learn|Explore|Research|배우기|살펴보기|연구하기",  # the switch of rooms, which has tool tips
    r"(Learn|Research|배우기|연구하기): .*",
    r"Code|코드|입력|키|A recorded training|기록해 둔 학습|Accuracy on the reviews of the step",
    r"input x|products|입력 x|곱",  # the axes of a product
    r"What you will see|무엇을 보게 되나요",
    r"Mean|평균|Sentence|문장|What it is|이름|축: 레이어별",  # of the shelf, the table, the map
    r"\[\d+(, \d+)?\] · (minimum|최소) .*",
    r"키 \d+개|panel is wider: .*",
    r".*[.,] .*|.*[.…]",  # sentences
    r"\d+ tokens .*|토큰 \d+개 .*",
    r"[A-Za-zΑ-Ωα-ω÷√′'ᵢⱼ]{1,2}|max|exp|LayerNorm|GELU|tanh|concat",  # letters of a formula, drawn one by one
    r"(Layer|레이어) \d+ · (Head|헤드) \d+ · .*",
    r"Draw the panel over the image|패널을 이미지 위에 그리기",
    r"Open bert-mini-en-ko|bert-mini-en-ko 열기|Enlarge the card: .*|카드를 키우면: .*",
)

_NEEDS_NONE = re.compile("|".join(f"(?:{each})" for each in NEEDS_NONE))


@pytest.fixture
def shown_window(
    request: pytest.FixtureRequest, window: MainWindow, app_state: AppState, settle: Settle
) -> Iterator[MainWindow]:
    """The window, wide enough for everything, with a text and a pinned pair, in a language."""
    window.resize(1600, 1000)
    window.appearance.choose_language(getattr(request, "param", "en"))
    settle(TEXT)
    app_state.selection.pin(1, 2)
    QApplication.processEvents()
    yield window
    window.appearance.choose_language("en")


IN_BOTH_LANGUAGES = pytest.mark.parametrize("shown_window", ["en", "ko"], indirect=True)


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


@IN_BOTH_LANGUAGES
def test_every_text_names_its_term_or_needs_none(
    qtbot: QtBot, shown_window: MainWindow, app_state: AppState, settle: Settle
) -> None:
    window, panels, faults = shown_window, app_state.panels, dict[str, set[str]]()

    def look(where: str) -> None:
        settle()
        QApplication.processEvents()
        faults[where] = _unexplained(window)

    look("at first")
    for kind in ("lines", "matrix", "steps", "vectors", "parameters"):
        panels.open([Panel(0, 0, 0, kind)])
        look(kind)
    for page in ("cls", "tokens", "map", "similar", "shelf"):
        vectors = Panel(0, 0, 0, "vectors")
        panels.open([replace(vectors, vectors=replace(vectors.vectors, page=page))])
        look(f"vectors, {page}")
    for parameters_page in get_args(ParametersPage):
        panels.open([Panel(0, 0, 0, "parameters", parameters=ParametersChoice(parameters_page))])
        look(f"parameters, {parameters_page}")
    window.main_area.docks.toggle("interventions")
    look("interventions")
    window.main_area.docks.toggle("interventions")
    window.frame.toggle_comparison()
    qtbot.waitUntil(lambda: app_state.comparison.is_on)
    app_state.comparison.set_texts("the dog sat", None)
    settle()
    runs: dict[str, tuple[Run, ...]] = {"lines": ("A-B", "B"), "matrix": ("A-B", "B"), "steps": ("B",)}
    for kind, run in ((kind, run) for kind, of_kind in runs.items() for run in of_kind):
        panels.open([Panel(0, 0, 0, kind, run)])
        look(f"{kind} of {run}")
    app_state.comparison.end()
    window.part(TrainingController).open()
    look("training")
    window.part(TrainingController).close()
    assert {where: found for where, found in faults.items() if found} == {}


OF_DIALOGS = (
    *NEEDS_NONE,
    r"/.*",  # paths
    r"Close|닫기|Copy|복사|Begin|시작|Help|도움말|File",
    r"파일|View|보기|Undo|Redo|되돌리기|다시 하기|Quit|끝내기",
    r"Language|언어|Theme|테마|Motion|움직임",
    r"Text size|글자 크기|Error log|오류 기록|Use the default|기본 폴더",
    r"Own lessons|내 수업|Open its folder|폴더 열기",
    r"Folder of own lessons|내 수업 폴더|At the start|시작할 때",
    r"Device at the start|시작할 때 장치|Choose a device|장치 고르기",
    r"Number of recent texts and files|기억할 최근 문장과 파일",
    r"Restore the last session|마지막에 보던 것 열기|A sentence of your own|내가 쓴 문장",
    r"Open it on its most specific pair of words|다른 단어와 가장 뚜렷이 다르게 보는 단어 쌍에서 시작",
    r"Format|형식|Size|크기|Background|배경|Light|Paper|종이|Width in print|인쇄 너비",
    r"밝게|Dark|어둡게|Same as the window|창과 같게|PNG|SVG|PDF",
    r"Title|제목|Explanation|설명|Notes for the teacher|Cancel|취소",
    r"Shows|보이는 것|Reveal the answer of the vote|투표의 답 공개",
    r"교사용 메모|Title of the lesson|수업 제목|Question|과제",
    r"Lessons?|수업|Write the station|장면 쓰기|\d+ min|\d+분|English|한국어 \(Korean\)",
    r"In what you see now|지금 화면에서|Where to see it|볼 수 있는 곳|What it is not|헷갈리기 쉬운 점",
    r"Panels?|패널|(Add|Close) (a|the) panel|패널 (추가|닫기)|(Next|Previous) panel|(다음|이전) 패널",
    r"Zoom (in|out|and selection)|확대|축소|확대와 선택|Drawing|그리기|Export|내보내기|Analyses|분석",
    r"Comparing and editing|비교와 편집|Documents|문서|Glossary",
    r"용어 사전|All (commands|keys)|모든 (명령|단축키)",
    r"(Undo|Redo) \(also while typing\)|(되돌리기|다시 하기) \(입력 중에도\)",
    r"(Clear )?[Rr]ecent texts( and files)?|최근 문장(과 파일 지우기)?",
    r"(Larger|Smaller|Reset) text( size)?|글자 (크게|작게|크기 초기화)|Start page|시작 화면",
    r"Switch between light and dark|밝게/어둡게 바꾸기|Use the system theme|시스템 테마 사용",
    r"Reset (the layout|drawing options)|배치 초기화|그리기 옵션 초기화|Presentation mode|발표 모드",
    r"Next station of the lesson|Station before|수업: (다음|이전) 장면|검은 화면\(수업 중\)",
    r"Explain what is under the pointer|포인터가 가리키는 것 설명",
    r"Join or split what stands between spaces|띄어쓰기 단위로 합치거나 나누기",
    r"Hide or show punctuation|문장 부호 숨기기/보이기",
    r"\[|\]|Show or hide sums of rows and columns|행과 열의 합 보이기/숨기기",
    r"Rescale each row to add up to 1: on or off|각 행의 합을 1로 맞추기: 켜기/끄기",
    r"Copy the panel as (Python|a picture)|패널을 (Python으로|그림으로) 복사|선 (늘리기|줄이기)",
    r"(Ctrl|Shift|Alt|F\d|Esc|PgUp|PgDown|[A-Z?]).{0,12}",  # keys
)

_OF_DIALOGS = re.compile("|".join(f"(?:{each})" for each in OF_DIALOGS))


def _openers(window: MainWindow) -> dict[str, Callable[[], object]]:
    return {
        "preferences": window.dialogs.open_preferences,
        "palette": window.dialogs.open_palette,
        "shortcuts": window.dialogs.open_shortcuts,
        "glossary": window.dialogs.open_glossary,
        "documents": window.dialogs.open_documents,
        "station": window.part(StationMaker).ask,
        "picture": window.export.ask_for_picture,
    }


def _opened(run: Callable[[], object]) -> QDialog:
    before = set(QApplication.topLevelWidgets())
    run()
    QApplication.processEvents()
    new = (each for each in QApplication.topLevelWidgets() if each not in before)
    (dialog,) = (each for each in new if isinstance(each, QDialog) and each.isVisible())
    return dialog


@IN_BOTH_LANGUAGES
def test_every_text_of_the_dialogs_names_its_term_or_needs_none(shown_window: MainWindow) -> None:
    faults = {}
    for name, run in _openers(shown_window).items():
        dialog = _opened(run)
        texts = list(texts_and_terms(dialog))
        found, unexplained = dict(texts), {text.strip() for text, term in texts if not term}
        faults[name] = {text for text in unexplained if text and not _OF_DIALOGS.fullmatch(text)}
        if name == "shortcuts":
            keys = {text: term for text, term in found.items() if text in ("K", "V", "B", "C")}
            assert len(keys) >= 3
            assert set(keys.values()) == {""}, "keys are no terms"
        dialog.close()
        QApplication.processEvents()
    assert {name: found for name, found in faults.items() if found} == {}


def _label_about(root: QWidget, term: str) -> QLabel:
    labels = (each for each in root.findChildren(QLabel) if each.isVisible())
    return next(each for each in labels if _term_on(each, each.rect().center()) == term)


def _hover(widget: QWidget) -> str:
    """Rest the pointer on a widget; return the tool tip, in the window of the widget."""
    QToolTip.hideText()
    at = widget.rect().center()
    event: QEvent = QHelpEvent(QHelpEvent.Type.ToolTip, at, widget.mapToGlobal(at))
    QApplication.sendEvent(widget, event)
    return QToolTip.text()


def _explained_by_f1(monkeypatch: pytest.MonkeyPatch, window: QWidget, label: QWidget, at: QPoint) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(QCursor, "pos", lambda: at)
        patch.setattr(QApplication, "widgetAt", lambda *_: label)
        QTest.keyClick(window, Qt.Key.Key_F1)
    (popup,) = (each for each in QApplication.topLevelWidgets() if isinstance(each, EntryPopup))
    assert popup.isVisible()
    popup.close()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def test_a_term_of_a_dialog_and_of_the_options_is_explained_by_hover_and_by_f1(
    shown_window: MainWindow, app_state: AppState, monkeypatch: pytest.MonkeyPatch
) -> None:
    terms = {"preferences": "checkpoint", "picture": "checkpoint", "glossary": "token"}
    for name, term in terms.items():
        dialog = _opened(_openers(shown_window)[name])
        label: QWidget = _label_about(dialog, term) if name != "picture" else dialog
        at = label.mapToGlobal(label.rect().center())
        if name == "picture":
            label = next(each for each in dialog.findChildren(QWidget) if term_named(_text(each)) == term)
            at = label.mapToGlobal(QPoint(20, label.height() // 2))
        assert glossary()[term].name.en in _hover(label)
        QToolTip.hideText()
        _explained_by_f1(monkeypatch, dialog, label, at)
        dialog.close()
    shown_window.guide.open_list()
    title = _label_about(shown_window.frame, "scaling")
    assert glossary()["scaling"].name.en in _hover(title)
    QToolTip.hideText()
    shown_window.frame.pages.leave_pages()
    options = PanelOptions(app_state.store, is_pair=False, parent=shown_window)
    options.show()
    about = {term_named(each.text()): each for each in options.findChildren(QLabel) if not each.toolTip()}
    term, label = next((term, label) for term, label in about.items() if term)
    assert glossary()[term].name.en in _hover(label)
    QToolTip.hideText()
    _explained_by_f1(monkeypatch, options, label, label.mapToGlobal(label.rect().center()))
    options.close()


def test_the_example_of_the_open_glossary_follows_the_sentence(
    qtbot: QtBot, shown_window: MainWindow, app_state: AppState
) -> None:
    shown_window.dialogs.open_glossary("token")
    dialog = next(each for each in QApplication.topLevelWidgets() if isinstance(each, GlossaryDialog))

    def names(n_tokens: int) -> bool:
        texts = " ".join(label.text() for label in dialog.findChildren(QLabel))
        return f"{n_tokens} tokens" in texts

    for text in ("fish", "fish swim"):
        app_state.workspace.set_texts(text, None, at_once=True)
        qtbot.waitUntil(partial(names, len(text.split()) + 2))
    dialog.close()


def _text(widget: QWidget) -> str:
    return str(getattr(widget, "text", lambda: "")() or "") if not isinstance(widget, QLabel) else ""


def _term_on(widget: QWidget, at: QPoint, *, is_hover: bool = True) -> str:
    return term_at(widget.mapToGlobal(at), widget, is_hover=is_hover)


def _terms_of(canvas: Canvas) -> set[str]:
    """Return the terms of all texts that a canvas draws, as the pointer finds them."""
    boxes = [box for box, _ in drawn_texts(canvas)]
    return {_term_on(canvas, box.center().toPoint()) for box in boxes} - {""}


def test_what_lies_under_the_pointer_names_its_term(
    qtbot: QtBot, shown_window: MainWindow, app_state: AppState, settle: Settle
) -> None:
    _the_lines_of_the_inspector(shown_window)
    _the_rows_of_the_strip_and_its_special_tokens(shown_window)
    _the_titles_of_the_cards_and_the_cards_themselves(shown_window)
    _every_column_of_the_table_of_heads(shown_window)
    _the_edges_and_the_colours_of_the_overview(shown_window)
    _the_colour_bar_of_a_matrix_and_its_words_name_no_term(shown_window)
    _the_special_tokens_beside_a_matrix_but_no_word(shown_window)
    _a_panel_of_an_analysis(shown_window, app_state)
    panel = Panel(0, 0, 0, "vectors")
    app_state.panels.open([replace(panel, vectors=replace(panel.vectors, page="map"))])
    views = shown_window.main_area.area.findChildren(MapView)
    qtbot.waitUntil(lambda: any(drawn_texts(view) for view in views))
    assert "principal_components" in set().union(*map(_terms_of, views))
    _the_stops_of_steps(shown_window, app_state, settle)


def _the_stops_of_steps(window: MainWindow, app_state: AppState, settle: Settle) -> None:
    """In the map of a wide panel and in the bar of a narrow one."""
    app_state.panels.open([Panel(0, 0, 0, "steps")])
    settle()
    QApplication.processEvents()
    for size in ((1600, 1000), (960, 600)):
        window.resize(*size)
        settle()
        (navigator,) = [each for each in window.findChildren(Navigator) if each.isVisible()]
        assert navigator.is_column == (size == (1600, 1000))
        walk = next(each.walk for each in window.findChildren(StepsView) if each.isVisible())
        for stop in walk.section(walk.stop.section):
            here = walk.stops.index(stop), False
            cell = next(one for one in navigator.cells if (one.position, one.is_small) == here)
            at = cell.box.center().toPoint()
            assert term_at(navigator.mapToGlobal(at), navigator) == term_of_stage(stop.stage), stop.stage


def _the_special_tokens_beside_a_matrix_but_no_word(shown_window: MainWindow) -> None:
    cards = shown_window.main_area.area.findChildren(PanelCard)
    plot = next(
        each for card in cards for each in card.findChildren(Plot) if each.isVisible() and each.shows_words
    )
    terms = {
        text: term_at(plot.mapToGlobal(box.center().toPoint()), plot, is_hover=True)
        for box, text in drawn_texts(plot)
    }
    assert (terms["[CLS]"], terms["[SEP]"], terms["cat"]) == ("cls", "sep", "")


def _the_lines_of_the_inspector(shown_window: MainWindow) -> None:
    numbers = shown_window.main_area.inspector_page.numbers
    assert {"score", "scaling", "softmax", "entropy", "attention_weight"} <= _terms_of(numbers)
    large, rank = [box for box, _ in drawn_texts(numbers)][1:3]
    assert _term_on(numbers, large.center().toPoint()) == "attention_weight"
    assert _term_on(numbers, rank.center().toPoint()) == "attention_weight"
    box = next(box for box, text in drawn_texts(numbers) if term_named(text) == "softmax")
    at = box.center().toPoint()
    event = QHelpEvent(QHelpEvent.Type.ToolTip, at, numbers.mapToGlobal(at))
    QApplication.sendEvent(numbers, event)
    assert glossary()["softmax"].name.en in QToolTip.text()
    QToolTip.hideText()


def _a_panel_of_an_analysis(window: MainWindow, app_state: AppState) -> None:
    active = not_none(app_state.panels.active)
    for content, term in ((Content("attention-rollout"), "attention_rollout"), (Content(), "matrix")):
        app_state.panels.choose(active.number, content)
        QApplication.processEvents()
        card = next(each for each in window.findChildren(PanelCard) if each.panel.number == active.number)
        assert _term_on(card, QPoint(3, card.height() - 3), is_hover=False) == term


def _the_rows_of_the_strip_and_its_special_tokens(shown_window: MainWindow) -> None:
    strip = shown_window.main_area.strip
    found = [_term_on(strip, QPoint(20, y)) for y in range(strip.height())]
    assert list(dict.fromkeys(term for term in found if term)) == ["token", "token_id", "segment", "position"]
    assert _term_on(strip, QPoint(chip_at(shown_window, 0).x(), 20)) == "cls"


def _the_titles_of_the_cards_and_the_cards_themselves(shown_window: MainWindow) -> None:
    shown_window.main_area.docks.toggle("interventions")
    QApplication.processEvents()
    terms = ("overview", "head", "inspector", "pooler", "interventions")
    for card, term in zip(shown_window.main_area.cards, terms, strict=True):
        assert _term_on(card.title, QPoint(3, 3)) == term
        assert _term_on(card, QPoint(2, card.height() - 3), is_hover=False) == term
    for panel in shown_window.main_area.area.cards.values():
        assert _term_on(panel, QPoint(2, panel.height() - 3), is_hover=False) == panel.panel.kind.key


def _every_column_of_the_table_of_heads(shown_window: MainWindow) -> None:
    header = shown_window.main_area.heads.horizontalHeader()
    viewport, found = header.viewport(), []
    for column in range(header.count()):
        if not header.isSectionHidden(column):
            at = QPoint(header.sectionViewportPosition(column) + 8, 8)
            found.append(_term_on(viewport, at))
    assert len(found) >= 5
    assert "" not in found


def _the_edges_and_the_colours_of_the_overview(shown_window: MainWindow) -> None:
    view = shown_window.main_area.cards.overview.view
    cell = view.cell_rect(0, 0)
    left, top = round(cell.left()), round(cell.top())
    assert _term_on(view, QPoint(left + 5, top - 8)) == "head"
    assert _term_on(view, QPoint(4, top + 5)) == "layer"
    assert _term_on(view, QPoint(left + 20, round(view.cell_rect(1, 0).bottom()) + 14)) == "colour_scale"


def _the_colour_bar_of_a_matrix_and_its_words_name_no_term(shown_window: MainWindow) -> None:
    (view, *_) = shown_window.main_area.area.findChildren(MatrixView)
    plot, cells = view.plot, view.plot.plot_rect
    assert _term_on(plot, QPoint(round(cells.right()) + 12, round(cells.top()) + 12)) == "colour_scale"
    assert _term_on(plot, QPoint(4, round(cells.center().y()))) == ""
    for plot in shown_window.findChildren(Plot):
        if plot.isVisible():
            at = _without_term(plot)
            assert at is None or _term_on(plot, at, is_hover=False) == "picture_of_data"


def _without_term(plot: Plot) -> QPoint | None:
    """Return a position of a plot at which nothing has a term."""
    places = (QPoint(x, y) for x in range(3, plot.width(), 40) for y in range(3, plot.height(), 40))
    return next((at for at in places if not _term_on(plot, at)), None)


def test_the_labels_and_the_curves_of_a_training(
    qtbot: QtBot, page: TrainingPage, training: Training, launch: FakeLaunch
) -> None:
    process = start(qtbot, page, training, launch)
    send(process, LEARNING, evaluation(0), report(1), evaluation(1))
    labels = [label for label in page.state.findChildren(QLabel) if label.property("term")]
    assert len(labels) >= 6
    assert {"step", "accuracy", "baseline"} <= {str(label.property("term")) for label in labels}
    assert {"masked_language_model", "next_sentence", "step"} <= _terms_of(page.curves.losses)
    assert "baseline" in _terms_of(page.curves.accuracies)
    assert _term_on(page.curves.losses_card.title, QPoint(3, 3)) == "loss"


def test_a_text_names_the_term_of_its_longest_row_of_words() -> None:
    for text, term in {
        "Next head": "head",
        "Show in the panel: Attention rollout": "attention_rollout",
        "Steps: next": "steps_view",
        "열린 체크포인트의 메모리 한도": "checkpoint",
        "배치 초기화": "",
        "previous": "previous_next",
        "Ctrl+K": "",
        "Shift+L": "",
        "Alt+↑": "",
        "PC1  34 %": "principal_components",
        "÷ √32": "scaling",
        "0.066비트": "bits",
        "W_O": "w_o",
        "##": "word_piece",
        "[UNK]": "unk",
        "K": "key",
        "k": "",
        "a": "",
        "Click a token to see which pieces are expected there.": "",
    }.items():
        assert term_named(text) == term
    assert all(term_of_stage(key) for key, stage in STAGES.items() if stage.is_stop)


def test_left_alone_a_widget_is_about_nothing(qtbot: QtBot) -> None:
    widget = QWidget()
    qtbot.addWidget(widget)
    widget.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
    assert term_at(QPoint(3, 3), widget) == ""
