"""The window in Korean, and in another language while it is open."""

from __future__ import annotations

import gc
import re
from collections.abc import Callable, Iterator
from xml.etree import ElementTree

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QObject, QPoint, QTranslator
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QLineEdit, QMenu, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from bertviz_app import paths
from bertviz_app.errors import Message, TextError
from bertviz_app.features.corpora.pages import CorpusController
from bertviz_app.features.lessons.views.card import NumbersForm
from bertviz_app.features.lessons.window.lessons import Lessons
from bertviz_app.features.lessons.window.station_maker import StationMaker
from bertviz_app.features.steps.views.view import StepsView
from bertviz_app.features.training.page import TrainingController
from bertviz_app.features.training.state import Training
from bertviz_app.features.training.views.page import TrainingPage
from bertviz_app.features.vectors.view import VectorsView
from bertviz_app.options import PAGES
from bertviz_app.shell.window.preferences_dialog import Preferences
from bertviz_app.shell.window.window import MainWindow
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.panel import PANEL_KINDS, Panel
from bertviz_app.viewmodels.state import Pair
from bertviz_app.views.dialogs.help import GlossaryDialog
from bertviz_app.views.dialogs.palette import CommandPalette
from bertviz_app.views.interventions import InterventionsView
from tests.support.english_texts import EXAMPLES, all_texts, english_texts, painted_texts
from tests.support.lesson_scene import form
from tests.support.panel_scenes import DetailEngine
from tests.support.scene import not_none, turn_events
from tests.support.training_scene import LEARNING, FakeLaunch, report, send, start
from tests.support.window_fixtures import Settle, living

FRESH = pytest.mark.fresh_window
TRANSLATION = paths.resources() / "translations" / "bertviz_app_ko.ts"

HANGUL = re.compile("[가-힣]")


@pytest.fixture
def engine() -> DetailEngine:
    """An engine whose layers can be looked into."""
    return DetailEngine()


@pytest.fixture
def korean(qtbot: QtBot, window: MainWindow, app_state: AppState) -> Iterator[MainWindow]:
    """A window in Korean, drawn in English before, with a pair and a panel of each kind."""
    app_state.workspace.set_texts("the cat sat", "it slept", at_once=True)
    qtbot.waitUntil(lambda: app_state.workspace.is_current)
    app_state.comparison.begin()
    app_state.panels.open([Panel(0, 0, 0, view_kind) for view_kind in PANEL_KINDS])
    window.resize(1920, 1080)
    turn_events()
    window.main_area.grab()  # what was made in English is translated, too
    window.appearance.choose_language("ko")
    qtbot.waitUntil(lambda: not app_state.workspace.is_busy and not app_state.comparison.is_busy)
    turn_events()
    yield window
    window.appearance.choose_language("en")


@FRESH
def test_no_word_of_the_window_its_views_menus_and_dialogs_is_english(
    qtbot: QtBot, korean: MainWindow, app_state: AppState
) -> None:
    faults = {"window": english_texts(korean)}
    assert any(HANGUL.search(text) for text in painted_texts(korean))
    area = korean.main_area.area
    (steps,), (vectors,) = area.findChildren(StepsView), area.findChildren(VectorsView)
    for stop in steps.walk.stops:
        steps.walk.go(stop)
        qtbot.waitUntil(lambda: not steps.is_waiting)
        indices = {text for text in all_texts(steps) if "√d_" in text}  # they belong to formulas
        faults[f"{stop}"] = english_texts(steps) | indices
    steps.walk.turn()
    faults["table of steps"] = english_texts(steps)
    for page in PAGES:
        vectors.show_page(page)
        qtbot.waitUntil(lambda: not vectors.is_waiting)
        faults[page] = english_texts(vectors)
    bar = korean.frame.bar
    for button in (bar.menu, bar.recent, bar.models, bar.devices):
        button.menu().aboutToShow.emit()
        menus = [button.menu(), *button.menu().findChildren(QMenu)]
        assert any(menu.actions() for menu in menus)
        faults[f"menu {button.text()}"] = english_texts(*menus)
    dialogs = korean.dialogs
    for open_it in (
        dialogs.open_palette,
        dialogs.open_shortcuts,
        dialogs.open_preferences,
        korean.main_area.open_options,
        korean.export.ask_for_picture,
    ):
        before = set(QApplication.topLevelWidgets())
        open_it()
        opened = [w for w in QApplication.topLevelWidgets() if w.isVisible() and w not in before]
        assert opened
        faults[open_it.__name__] = english_texts(*opened)
        for widget in opened:
            widget.close()
    app_state.comparison.set_texts("the cat slept", None)
    for panel in [Panel(0, 1, 2, view_kind, run) for view_kind in PANEL_KINDS for run in ("B", "A-B")]:
        app_state.panels.open([panel])
        qtbot.waitUntil(lambda: app_state.comparison.is_current and area.is_complete)
        faults[f"{panel}"] = english_texts(korean)
    assert {where: found for where, found in faults.items() if found} == {}
    dialogs.open_palette()
    palette = korean.findChildren(CommandPalette)[-1]
    for typed, offered in (("zoom in", "확대"), ("overview: show entropy", "한눈에 보기: 엔트로피")):
        palette.findChildren(QLineEdit)[0].setText(typed)
        assert palette.offered == [offered], "found by the English name"
    palette.close()


@FRESH
def test_the_empty_window_errors_and_notices_are_korean_and_follow_the_language(
    qtbot: QtBot, window: MainWindow, app_state: AppState, engine: DetailEngine
) -> None:
    window.appearance.choose_language("ko")
    turn_events()
    assert window.frame.welcome.isVisible()
    of_examples = " ".join(text for example in EXAMPLES for text in example)
    assert {text for text in english_texts(window) if text not in of_examples} == set()
    engine.errors["no"] = TextError(
        Message("The tokenizer keeps nothing of this text."), Message("Type letters, digits or signs.")
    )
    app_state.workspace.set_texts("no", None, at_once=True)
    qtbot.waitUntil(lambda: app_state.workspace.problem is not None)
    assert window.notice.message.endswith("글자, 숫자, 기호를 입력하세요.")
    app_state.workspace.set_texts("the cat sat " * 9, None, at_once=True)
    qtbot.waitUntil(lambda: app_state.workspace.is_current and window.main_area.area.is_complete)
    assert english_texts(window) == set()
    app_state.workspace.set_texts("a\ud800b", None, at_once=True)
    qtbot.waitUntil(lambda: app_state.workspace.problem is not None)
    assert HANGUL.search(window.notice.message)
    window.appearance.choose_language("en")
    turn_events()
    words = "The text has half a character (the unpaired surrogate U+D800) at character 2. Take it out."
    assert window.notice.message == words


def test_the_translations_are_whole_of_one_style_and_those_that_the_program_reads() -> None:
    """Fails when words were added or changed: `make translations` collects them, then they are translated."""
    translator = QTranslator()
    assert translator.load(str(TRANSLATION.with_suffix(".qm")))
    faults = []
    for context in ElementTree.parse(TRANSLATION).iter("context"):
        for message in context.iter("message"):
            source, translation = message.findtext("source", ""), message.find("translation")
            words = "" if translation is None else translation.text or ""
            is_whole = translation is not None and translation.get("type") is None and bool(words)
            same = _fields(words) == _fields(source) and source.endswith("…") == words.endswith("…")
            is_read = translator.translate(context.findtext("name", ""), source) == words
            if not (is_whole and same and is_read):
                faults.append(source)
    # The window asks with “하세요”; so do the examples, the glossary, the lessons and the documents.
    resources = [path for kind in ("*.json", "*.md", "*.ts") for path in paths.resources().rglob(kind)]
    assert TRANSLATION in resources
    faults += [path.name for path in resources if "십시오" in path.read_text(encoding="utf-8")]
    assert faults == []


def _fields(text: str) -> list[str]:
    return sorted(re.findall(r"\{[^}]*\}", text))


class _Windows(QObject):
    """Which widgets appear as windows."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Show and isinstance(watched, QWidget) and watched.isWindow():
            self.seen.append(type(watched).__name__)
        return False


@pytest.fixture
def windows(qapp: QApplication) -> Iterator[list[str]]:
    """The classes of the widgets that appear as windows from now on."""
    windows = _Windows()
    qapp.installEventFilter(windows)
    yield windows.seen
    qapp.removeEventFilter(windows)


@pytest.fixture
def choose(window: MainWindow) -> Iterator[Callable[[str], None]]:
    """Choose a language, and let what is to be deleted be deleted."""

    def chosen(language: str) -> None:
        window.appearance.choose_language(language)
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        turn_events()

    yield chosen
    chosen("en")


@FRESH
def test_nothing_of_the_window_before_is_left(
    qapp: QApplication, window_with_text: MainWindow, choose: Callable[[str], None]
) -> None:
    window = window_with_text
    window.part(TrainingController).open()
    window.part(CorpusController).toggle()

    def look_around() -> None:
        maker = window.part(StationMaker)
        maker.ask()
        not_none(maker.form).reject()
        choose("ko")
        choose("en")
        gc.collect()

    look_around()
    before, n_actions, n_translators = living(), len(window.actions()), len(qapp.findChildren(QTranslator))
    look_around()
    assert living() - before == {}
    assert len(window.actions()) == n_actions
    assert len(qapp.findChildren(QTranslator)) == n_translators


def test_all_that_is_set_survives(
    window_with_text: MainWindow,
    app_state: AppState,
    settle: Settle,
    windows: list[str],
    choose: Callable[[str], None],
) -> None:
    window, panels = window_with_text, app_state.panels
    panels.open([Panel(0, 0, 1, "matrix"), Panel(1, 1, 0, "lines"), Panel(2, 0, 0, "steps", "B")])
    app_state.comparison.begin()
    app_state.comparison.set_texts("the cat slept", None)
    settle()
    app_state.selection.pin(query=2)
    panels.activate(panels.panels[1].number)
    docks = window.main_area.docks
    docks.toggle("heads")
    window.main_area.runs.show_run("B")
    window.main_area.inspector_page.predictions.open(False)
    window.frame.bar.text.setFocus()
    window.frame.bar.text.setCursorPosition(4)
    app_state.store.change(overview=app_state.store.now.overview.filtered("entropy"))
    window.app_state.store.end_typing()
    panels.show(1, 1)
    window.app_state.store.end_typing()
    before = [panel.content for panel in panels.panels], window.geometry(), window.pos()
    facts, shown, trace = app_state.workspace.facts, app_state.workspace.shown, app_state.comparison.shown
    windows.clear()
    choose("ko")
    assert windows == []
    area, bar = window.main_area, window.frame.bar
    assert ([panel.content for panel in panels.panels], window.geometry(), window.pos()) == before
    assert [card.panel for card in area.area.cards.values()] == list(panels.panels)
    assert app_state.selection.pinned == Pair(2)
    assert (bar.text.text(), bar.text.cursorPosition()) == ("the cat sat", 4)
    assert window.focusWidget() is bar.text
    assert window.frame.compare.text.text() == "the cat slept"
    assert window.frame.compare.isVisible()
    assert area.runs.run == "B"
    assert area.docks.docks["heads"].isHidden()
    assert not area.docks.docks["overview"].isHidden()
    assert not area.inspector_page.predictions.is_open
    assert (app_state.workspace.facts, app_state.workspace.shown) == (facts, shown)
    assert app_state.comparison.shown is trace
    assert area.cards.heads.title.text() == "헤드 · B"
    window.app_state.store.undo()
    assert panels.panels[1].head == 0


def test_moving_a_card_in_the_new_window_is_undone_and_keys_work_once(
    window_with_text: MainWindow, app_state: AppState, choose: Callable[[str], None]
) -> None:
    window, history = window_with_text, window_with_text.app_state.store
    history.end_typing()
    window.main_area.docks.toggle("heads")
    history.end_typing()
    choose("ko")
    docks = window.main_area.docks
    history.undo()
    assert not docks.docks["heads"].isHidden()
    history.redo()
    assert docks.docks["heads"].isHidden()
    n_panels = len(app_state.panels.panels)
    window.activateWindow()
    window.setFocus()
    QTest.keySequence(window, "Ctrl+D")
    assert len(app_state.panels.panels) == n_panels + 1


def test_a_lesson_goes_on_with_the_answer_that_is_being_typed(
    qtbot: QtBot,
    window: MainWindow,
    app_state: AppState,
    settle: Settle,
    go: Callable[[str], None],
    choose: Callable[[str], None],
) -> None:
    go("numbers")
    form(window, NumbersForm).findChildren(QLineEdit)[0].setText("5")
    choose("ko")
    card = not_none(window.part(Lessons).card)
    assert card.isVisible()
    assert card.stations_button.text() == "3/7"
    assert card.next_button.text() == "다음"
    assert [field.text() for field in form(window, NumbersForm).findChildren(QLineEdit)] == ["5", ""]
    qtbot.waitUntil(lambda: window.part(Lessons).player.is_ready)
    window.part(Lessons).leave()
    settle()
    assert not card.isVisible()
    assert app_state.workspace.text == "my own words here"
    assert window.frame.bar.text.text() == "my own words here"


def test_a_training_goes_on_and_its_page_is_shown(
    qtbot: QtBot,
    window: MainWindow,
    page: TrainingPage,
    training: Training,
    launch: FakeLaunch,
    windows: list[str],
    choose: Callable[[str], None],
) -> None:
    process = start(qtbot, page, training, launch)
    windows.clear()
    choose("ko")
    assert windows == []
    assert window.part(TrainingController).is_shown
    assert window.part(TrainingController).page is not page
    send(process, LEARNING, report(1, 0.5))
    assert not_none(training.run).last is not None
    window.part(TrainingController).leave()
    assert "50%" in window.frame.status.training.text()


def test_it_is_chosen_in_the_preferences_which_stay_where_they_are(
    window_with_text: MainWindow, choose: Callable[[str], None]
) -> None:
    window = window_with_text
    window.dialogs.open_glossary("token")
    (glossary,) = window.findChildren(GlossaryDialog)
    glossary.move(window.pos() + QPoint(20, 30))
    window.dialogs.open_preferences()
    (dialog,) = window.findChildren(Preferences)
    dialog.move(window.pos() + QPoint(200, 100))
    at = dialog.pos(), glossary.pos()
    dialog.fields["language"].setCurrentIndex(dialog.fields["language"].findData("ko"))
    choose("ko")
    (dialog,) = window.findChildren(Preferences)
    (glossary,) = window.findChildren(GlossaryDialog)
    assert (dialog.pos(), glossary.pos()) == at
    assert (dialog.isVisible(), dialog.windowTitle()) == (True, "환경 설정")
    assert glossary.shown == "token"
    assert glossary.isVisible()
    assert not [box for box in dialog.findChildren(QComboBox) if box.currentText() == "System"]
    dialog.accept()


def test_a_view_of_the_window_before_is_called_no_more(
    window_with_text: MainWindow, app_state: AppState, choose: Callable[[str], None]
) -> None:
    window = window_with_text
    docks, card = window.main_area.docks, window.main_area.cards.interventions.body
    assert isinstance(card, InterventionsView)
    choose("ko")  # the variables above hold what Qt deletes, as anything else that waits for a collection
    assert not any(map(isValid, (docks, *docks.docks.values(), card)))
    app_state.interventions.of_run["B"].opened.emit()  # an exception in a slot fails the test
    assert card.run == "A"
    assert window.main_area.docks.docks["interventions"].isVisible()
