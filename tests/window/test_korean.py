"""The whole window in Korean: no English is left on it, and every word has its translation."""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree import ElementTree

import pytest
from PySide6.QtCore import QTranslator
from PySide6.QtGui import QImage
from PySide6.QtWidgets import (
    QApplication,
    QLineEdit,
    QMenu,
    QWidget,
)
from pytestqt.qtbot import QtBot

from bertviz_app import paths
from bertviz_app.errors import Message, TextError
from bertviz_app.options import PAGES
from bertviz_app.shell.window.window import MainWindow
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.panels import PANEL_KINDS, Panel
from bertviz_app.views.attention.lines import LinesView
from bertviz_app.views.dialogs.palette import CommandPalette
from bertviz_app.views.panels.area import PanelArea
from bertviz_app.views.steps.view import StepsView
from bertviz_app.views.vectors.view import VectorsView
from tests.support.english_texts import EXAMPLES, all_texts, english_texts, painted_texts
from tests.support.images import difference_of
from tests.support.scene import turn_events
from tests.support.steps_scene import DetailEngine

TRANSLATION = paths.resources() / "translations" / "bertviz_app_ko.ts"
HANGUL = re.compile("[가-힣]")
ROUNDED = 3
"""Levels of 255 by which a frame that is copied from a picture may differ from one that is drawn."""


@pytest.fixture
def engine() -> DetailEngine:
    """An engine whose layers can be looked into."""
    return DetailEngine()


@pytest.fixture
def korean(qtbot: QtBot, window: MainWindow, app_state: AppState) -> Iterator[MainWindow]:
    """A window in Korean with a pair and a panel of each kind."""
    window.appearance.choose_language("ko")
    app_state.workspace.set_texts("the cat sat", "it slept", at_once=True)
    qtbot.waitUntil(lambda: app_state.workspace.is_current)
    app_state.comparison.editor.begin()
    app_state.panels.open([Panel(0, 0, 0, view_kind) for view_kind in PANEL_KINDS])
    window.resize(1920, 1080)
    qtbot.waitUntil(lambda: not app_state.workspace.is_busy and not app_state.comparison.is_busy)
    turn_events()
    yield window
    window.appearance.choose_language("en")


def _wait_until_still(qtbot: QtBot, area: PanelArea) -> None:
    """Wait until all lines are drawn and the headers have found their widths, which a timer requests."""
    qtbot.waitUntil(lambda: area.is_complete)
    frames: list[QImage] = []

    def is_still() -> bool:
        frames.append(area.grab().toImage())
        is_drawn = all(view.is_complete for view in area.findChildren(LinesView) if view.isVisible())
        return is_drawn and len(frames) > 5 and all(frame == frames[-1] for frame in frames[-5:])

    qtbot.waitUntil(is_still, timeout=20_000)


def _frames(widget: QWidget) -> list[QImage]:
    """Return what a widget draws in some frames one after the other: the later ones have cached parts."""
    return [widget.grab().toImage() for _ in range(3)]


def test_the_window_with_every_kind_of_panel_has_no_english_words(korean: MainWindow) -> None:
    assert english_texts(korean) == set()
    assert any(HANGUL.search(text) for text in painted_texts(korean))


def test_no_stage_of_the_encoder_is_described_in_english(qtbot: QtBot, korean: MainWindow) -> None:
    (view,) = korean.main_area.area.findChildren(StepsView)
    for stop in view.walk.stops:
        view.walk.go(stop)
        qtbot.waitUntil(lambda: not view.is_waiting)
        assert (english_texts(view), stop) == (set(), stop)
        assert not [text for text in all_texts(view) if "√d_" in text]  # indices belong to formulas
    view.walk.turn()
    assert english_texts(view) == set()


def test_no_page_of_the_vectors_is_in_english(qtbot: QtBot, korean: MainWindow) -> None:
    (view,) = korean.main_area.area.findChildren(VectorsView)
    for page in PAGES:
        view.show_page(page)
        qtbot.waitUntil(lambda: not view.is_waiting)
        assert (english_texts(view), page) == (set(), page)


def test_no_panel_of_another_run_is_in_english(qtbot: QtBot, korean: MainWindow, app_state: AppState) -> None:
    app_state.comparison.editor.set_texts("the cat slept", None)
    for panel in [Panel(0, 1, 2, view_kind, run) for view_kind in PANEL_KINDS for run in ("B", "A-B")]:
        app_state.panels.open([panel])
        qtbot.waitUntil(lambda: app_state.comparison.is_current and korean.main_area.area.is_complete)
        assert (english_texts(korean), panel) == (set(), panel)


def test_no_dialog_is_in_english(korean: MainWindow) -> None:
    for open_it in (
        korean.dialogs.open_palette,
        korean.dialogs.open_shortcuts,
        korean.dialogs.open_preferences,
        korean.main_area.open_options,
        korean.export.ask_for_picture,
    ):
        before = set(QApplication.topLevelWidgets())
        open_it()
        opened = [w for w in QApplication.topLevelWidgets() if w.isVisible() and w not in before]
        assert opened
        assert english_texts(*opened) == set()
        for widget in opened:
            widget.close()


def test_commands_are_found_by_their_english_names_too(korean: MainWindow) -> None:
    korean.dialogs.open_palette()
    (palette,) = korean.findChildren(CommandPalette)
    palette.findChildren(QLineEdit)[0].setText("zoom in")
    assert palette.offered == ["확대"]
    palette.findChildren(QLineEdit)[0].setText("overview: show entropy")
    assert palette.offered == ["한눈에 보기: 엔트로피"]
    palette.close()


def test_no_menu_is_in_english(korean: MainWindow) -> None:
    for button in (
        korean.frame.bar.menu,
        korean.frame.bar.recent,
        korean.frame.bar.models,
        korean.frame.bar.devices,
    ):
        button.menu().aboutToShow.emit()
        menus = [button.menu(), *button.menu().findChildren(QMenu)]
        assert any(menu.actions() for menu in menus)
        assert english_texts(*menus) == set()


def test_the_empty_window_is_not_in_english(window: MainWindow) -> None:
    window.appearance.choose_language("ko")
    turn_events()
    try:
        assert window.frame.welcome.isVisible()
        of_examples = " ".join(text for example in EXAMPLES for text in example)
        assert {text for text in english_texts(window) if text not in of_examples} == set()
    finally:
        window.appearance.choose_language("en")


def test_errors_and_notices_are_not_in_english(
    qtbot: QtBot, korean: MainWindow, app_state: AppState, engine: DetailEngine
) -> None:
    engine.errors["no"] = TextError(
        Message("The tokenizer keeps nothing of this text."), Message("Type letters, digits or signs.")
    )
    app_state.workspace.set_texts("no", None, at_once=True)
    qtbot.waitUntil(lambda: app_state.workspace.problem is not None)
    assert korean.notice.message.endswith("글자, 숫자, 기호를 입력하세요.")
    app_state.workspace.set_texts("the cat sat " * 9, None, at_once=True)
    qtbot.waitUntil(lambda: app_state.workspace.is_current)
    assert english_texts(korean) == set()


def test_a_problem_on_screen_changes_its_language_too(
    qtbot: QtBot, korean: MainWindow, app_state: AppState
) -> None:
    app_state.workspace.set_texts("a\ud800b", None, at_once=True)
    qtbot.waitUntil(lambda: app_state.workspace.problem is not None)
    assert HANGUL.search(korean.notice.message)
    korean.appearance.choose_language("en")
    turn_events()
    assert (
        korean.notice.message
        == "The text has half a character (the unpaired surrogate U+D800) at character 2. Take it out."
    )


def test_every_word_has_its_translation() -> None:
    """Fails when words were added: `make translations` collects them, then they are translated."""
    for message in ElementTree.parse(TRANSLATION).iter("message"):
        source, translation = message.findtext("source", ""), message.find("translation")
        assert translation is not None
        assert translation.get("type") is None, source
        assert translation.text, source
        assert _fields(translation.text) == _fields(source), source
        assert source.endswith("…") == translation.text.endswith("…"), source


def _fields(text: str) -> list[str]:
    return sorted(re.findall(r"\{[^}]*\}", text))


def test_requests_are_of_one_style_everywhere() -> None:
    """The window asks with “하세요”; so do the examples, the glossary, the lessons and the documents."""
    resources = [path for kind in ("*.json", "*.md", "*.ts") for path in paths.resources().rglob(kind)]
    assert TRANSLATION in resources
    other = [path.name for path in resources if "십시오" in path.read_text(encoding="utf-8")]
    assert other == []


def test_what_the_program_reads_is_what_was_translated() -> None:
    """Fails when a translation was changed and not made anew: `make translations` does it."""
    translator = QTranslator()
    assert translator.load(str(TRANSLATION.with_suffix(".qm")))
    for context in ElementTree.parse(TRANSLATION).iter("context"):
        for message in context.iter("message"):
            read = translator.translate(context.findtext("name", ""), message.findtext("source", ""))
            assert read == message.findtext("translation")


def test_no_picture_of_a_panel_is_shown_in_the_language_before(
    qtbot: QtBot, window: MainWindow, app_state: AppState
) -> None:
    """What is cached for the next frame may have words in it, such as the ends of a bar of colours."""
    app_state.workspace.set_texts("the cat sat", "it slept", at_once=True)
    qtbot.waitUntil(lambda: app_state.workspace.is_current)
    app_state.options.change(scale="row", shows_sums=True)
    app_state.panels.open([Panel(0, 0, 0, view_kind) for view_kind in PANEL_KINDS])
    window.resize(1920, 1080)
    turn_events()
    area = window.main_area.area
    english = _frames(area)[-1]
    window.appearance.choose_language("ko")
    area = window.main_area.area
    _wait_until_still(qtbot, area)
    first, *cached = _frames(area)
    assert difference_of(first, english, 100)
    look = next(iter(area.cards.values())).view.look
    look.set_scale(1.25)
    _frames(area)
    look.set_scale(1.0)  # what was cached is made again
    _wait_until_still(qtbot, area)
    again = _frames(area)[0]
    for frame in (first, *cached):
        assert difference_of(frame, again, ROUNDED) == ""
