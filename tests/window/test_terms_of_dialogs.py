"""Every text of the dialogs opens an entry of the glossary, or is on the list of those that need none."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QCursor, QHelpEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QLabel, QToolTip, QWidget
from pytestqt.qtbot import QtBot

from bertviz_app.learning.example_facts import glossary
from bertviz_app.shell.window.window import MainWindow
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.views.dialogs.documents import EntryPopup, GlossaryDialog
from bertviz_app.views.kit.canvas import language
from bertviz_app.views.kit.terms import term_named
from bertviz_app.views.panels.options import PanelOptions
from tests.support.window_fixtures import Settle
from tests.window.test_terms_of_texts import NEEDS_NONE, TEXT, texts_and_terms

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
    r"Restore the last session|마지막에 보던 것 열기",
    r"Format|형식|Size|크기|Background|배경|Light",
    r"밝게|Dark|어둡게|Same as the window|창과 같게|PNG|SVG|PDF",
    r"Title|제목|Explanation|설명|Notes for the teacher",
    r"교사용 메모|Title of the lesson|수업 제목|Question|과제",
    r"Lessons?|수업|Write the station|단원 쓰기|\d+ min|\d+분|English|한국어 \(Korean\)",
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
    r"Next station of the lesson|Station before|수업: (다음|이전) 단원|검은 화면\(수업 중\)",
    r"Explain what is under the pointer|포인터가 가리키는 것 설명",
    r"Join or split what stands between spaces|띄어쓰기 단위로 합치거나 나누기",
    r"Hide or show punctuation|문장 부호 숨기기/보이기",
    r"\[|\]|Show or hide sums of rows and columns|행과 열의 합 보이기/숨기기",
    r"Rescale each row to add up to 1: on or off|각 행의 합을 1로 맞추기: 켜기/끄기",
    r"Copy the panel as (Python|a picture)|패널을 (Python으로|그림으로) 복사|선 (늘리기|줄이기)",
    r"(Ctrl|Shift|Alt|F\d|Esc|PgUp|PgDown|[A-Z?]).{0,12}",  # keys
)
_OF_DIALOGS = re.compile("|".join(f"(?:{each})" for each in OF_DIALOGS))


@pytest.fixture(params=["en", "ko"])
def shown_window(
    request: pytest.FixtureRequest, window: MainWindow, app_state: AppState, settle: Settle
) -> Iterator[MainWindow]:
    """The window with a text, in both languages."""
    window.appearance.choose_language(request.param)
    app_state.workspace.set_texts(TEXT, None, at_once=True)
    settle()
    yield window
    window.appearance.choose_language("en")


def _openers(window: MainWindow) -> dict[str, Callable[[], None]]:
    return {
        "preferences": window.dialogs.open_preferences,
        "palette": window.dialogs.open_palette,
        "shortcuts": window.dialogs.open_shortcuts,
        "glossary": window.dialogs.open_glossary,
        "documents": window.dialogs.open_documents,
        "lessons": window.lessons.catalogue.open_list,
        "station": window.station_maker.ask,
        "picture": window.export.ask_for_picture,
    }


def _opened(run: Callable[[], None]) -> QDialog:
    before = set(QApplication.topLevelWidgets())
    run()
    QApplication.processEvents()
    new = (each for each in QApplication.topLevelWidgets() if each not in before)
    (dialog,) = (each for each in new if isinstance(each, QDialog) and each.isVisible())
    return dialog


def test_the_texts_of_the_dialogs(shown_window: MainWindow) -> None:
    for name, run in _openers(shown_window).items():
        dialog = _opened(run)
        unexplained = {text.strip() for text, term in texts_and_terms(dialog) if not term}
        assert {text for text in unexplained if text and not _OF_DIALOGS.fullmatch(text)} == set(), name
        dialog.close()
        QApplication.processEvents()


def _label_about(root: QWidget, term: str) -> QLabel:
    return next(
        each for each in root.findChildren(QLabel) if each.isVisible() and term_named(each.text()) == term
    )


def _hover(widget: QWidget) -> str:
    """Rest the pointer on a widget; return the tool tip, in the window of the widget."""
    QToolTip.hideText()
    at = widget.rect().center()
    event: QEvent = QHelpEvent(QHelpEvent.Type.ToolTip, at, widget.mapToGlobal(at))
    QApplication.sendEvent(widget, event)
    return QToolTip.text()


@pytest.mark.parametrize(
    ("name", "term"),
    [("preferences", "checkpoint"), ("picture", "checkpoint"), ("lessons", "scaling"), ("glossary", "token")],
)
def test_a_term_of_a_dialog_is_explained_by_hover_and_by_f1(
    qtbot: QtBot, shown_window: MainWindow, name: str, term: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    dialog = _opened(_openers(shown_window)[name])
    label: QWidget = _label_about(dialog, term) if name != "picture" else dialog
    at = label.mapToGlobal(label.rect().center())
    if name == "picture":
        box = next(each for each in dialog.findChildren(QWidget) if term_named(_text(each)) == term)
        label, at = box, box.mapToGlobal(QPoint(20, box.height() // 2))
    assert glossary()[term].name.in_language(language()) in _hover(label)
    QToolTip.hideText()
    monkeypatch.setattr(QCursor, "pos", lambda: at)
    monkeypatch.setattr(QApplication, "widgetAt", lambda *_: label)
    QTest.keyClick(dialog, Qt.Key.Key_F1)
    (popup,) = (each for each in QApplication.topLevelWidgets() if isinstance(each, EntryPopup))
    assert popup.isVisible()
    popup.close()
    dialog.close()


def _text(widget: QWidget) -> str:
    return str(getattr(widget, "text", lambda: "")() or "") if not isinstance(widget, QLabel) else ""


def test_a_term_of_the_options_is_explained_by_hover_and_by_f1(
    shown_window: MainWindow, app_state: AppState, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = PanelOptions(app_state.options, is_pair=False, parent=shown_window)
    options.show()
    about = {term_named(each.text()): each for each in options.findChildren(QLabel) if not each.toolTip()}
    term, label = next((term, label) for term, label in about.items() if term)
    assert glossary()[term].name.in_language(language()) in _hover(label)
    QToolTip.hideText()
    monkeypatch.setattr(QCursor, "pos", lambda: label.mapToGlobal(label.rect().center()))
    QTest.keyClick(options, Qt.Key.Key_F1)
    (popup,) = (each for each in QApplication.topLevelWidgets() if isinstance(each, EntryPopup))
    assert popup.isVisible()
    popup.close()
    options.close()


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("Next head", "head"),
        ("Show in the panel: Attention rollout", "attention_rollout"),
        ("Steps: next", "steps_view"),
        ("열린 체크포인트의 메모리 한도", "checkpoint"),
        ("배치 초기화", ""),
        ("previous", "previous_next"),
    ],
)
def test_the_term_of_a_command(text: str, term: str) -> None:
    assert term_named(text) == term


def test_keys_of_the_sheet_are_no_terms(shown_window: MainWindow) -> None:
    dialog = _opened(shown_window.dialogs.open_shortcuts)
    terms = {text: term for text, term in texts_and_terms(dialog) if text in ("K", "V", "B", "C")}
    assert len(terms) >= 3
    assert set(terms.values()) == {""}
    dialog.close()


def test_the_example_of_the_open_glossary_follows_the_sentence(
    qtbot: QtBot, shown_window: MainWindow, app_state: AppState
) -> None:
    shown_window.dialogs.open_glossary("token")
    dialog = next(each for each in QApplication.topLevelWidgets() if isinstance(each, GlossaryDialog))

    def names(n_tokens: int) -> bool:
        texts = " ".join(label.text() for label in dialog.findChildren(QLabel))
        return re.search(rf"{n_tokens}( tokens|개)", texts) is not None

    for text in ("fish", "fish swim"):
        app_state.workspace.set_texts(text, None, at_once=True)
        qtbot.waitUntil(lambda: app_state.workspace.is_current)
        qtbot.waitUntil(partial(names, len(text.split()) + 2))
    dialog.close()
