"""The Corpus page in the window: opened by key, left by Escape, and a sentence that is opened from it."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from bertviz_app.features.corpora.pages import CorpusController, HeadController
from bertviz_app.features.training.page import TrainingController
from bertviz_app.shell.window.window import MainWindow
from bertviz_app.text_tables.items import ROOT, Item
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.views.analyses.picture_view import PictureView
from tests.support.scene import turn_events

pytestmark = pytest.mark.usefixtures("in_this_process")


def controller_of(window: MainWindow) -> CorpusController:
    found = window.findChild(CorpusController)
    assert isinstance(found, CorpusController)
    return found


def test_it_is_opened_and_left_by_key(qtbot: QtBot, window: MainWindow) -> None:
    controller = controller_of(window)
    before = window.frame.pages.currentWidget()
    window.part(CorpusController).toggle()
    assert window.frame.pages.currentWidget() is controller.page
    QTest.keyClick(window, Qt.Key.Key_Escape)
    assert window.frame.pages.currentWidget() is before
    window.part(CorpusController).toggle()
    window.part(TrainingController).toggle()
    assert window.part(TrainingController).is_shown
    window.part(TrainingController).toggle()
    assert window.frame.pages.currentWidget() is controller.page
    window.part(CorpusController).toggle()
    assert window.frame.pages.currentWidget() is before


def test_a_sentence_is_opened_in_the_window_and_words_are_in_the_language_in_force(
    window: MainWindow, app_state: AppState
) -> None:
    window.part(CorpusController).toggle()
    for language, title, command in (
        ("ko", "말뭉치에서 본 헤드", "말뭉치에서 헤드 살펴보기 …"),
        ("en", "Heads over a corpus", "Heads over a corpus …"),
    ):
        window.appearance.choose_language(language)
        turn_events()
        assert controller_of(window).page.card.title.text() == title
        assert command in [one.text for one in window.commands()]
    controller_of(window).page.sentences.sentence_requested.emit("the fish")
    assert app_state.workspace.text == "the fish"
    assert window.frame.pages.currentWidget() is not controller_of(window).page


def test_a_judged_text_is_shown_with_the_checkpoint_that_judged_it(
    qtbot: QtBot, window: MainWindow, app_state: AppState, tiny_bert: Path, tmp_path: Path
) -> None:
    texts = tmp_path / "texts.txt"
    texts.write_text("the fish\na cat\n", encoding="utf-8")
    controller = controller_of(window)
    controller.files.choose("attention-targets")
    controller.files.open(texts, str(tiny_bert))
    qtbot.waitUntil(lambda: controller.files.shown is not None, timeout=60_000)
    assert app_state.workspace.ref != str(tiny_bert), "run A has another checkpoint"
    controller.open_text(Item(1, "the fish"))
    assert app_state.workspace.ref == str(tiny_bert)
    assert app_state.workspace.text == "the fish"


def test_a_parsed_sentence_is_shown_in_the_window_and_is_the_parse_of_its_text(
    window: MainWindow, app_state: AppState
) -> None:
    window.part(CorpusController).toggle()
    controller = controller_of(window)
    controller.files.choose("head-relations")
    sentence = Item(1, "the fish", marks=((0, 3, "det"), (4, 8, "root")), heads=(1, ROOT))
    for _ in range(2):  # the same one again, after another text was typed
        controller.page.study.text_requested.emit(sentence)
        assert (app_state.workspace.text, app_state.store.now.parsed) == ("the fish", sentence)
        assert window.frame.pages.currentWidget() is not controller.page
        app_state.workspace.set_texts("a cat")
    app_state.store.change(parsed=None)


def test_examples_of_heads_fill_the_page_of_a_head_and_open_it(
    qtbot: QtBot, window_with_text: MainWindow, app_state: AppState, tiny_bert: Path, tmp_path: Path
) -> None:
    window, texts = window_with_text, tmp_path / "texts.txt"
    lines = ["the cat ate the fish", "a big dog ran", "it was hungry"]
    texts.write_text("\n".join(lines) + "\n", encoding="utf-8")
    app_state.panels.show(1, 2)
    window.part(CorpusController).toggle()
    controller = controller_of(window)
    controller.files.choose("head-examples")
    controller.files.open(texts, str(tiny_bert))
    qtbot.waitUntil(lambda: window.part(HeadController).is_shown, timeout=60_000)
    study, page = window.part(HeadController).study, window.part(HeadController).page
    qtbot.waitUntil(lambda: bool(study.groups))
    assert study.head == (1, 2)
    assert {one.text for group in study.groups for one in group.examples} <= set(lines)
    assert page.card.qualifier.text() == "texts.txt"
    assert "hungry" in page.examples.words.accessibleDescription()
    assert all(bars.names for bars in page.pieces)
    assert not page.act.isVisible(), "nothing is left to be collected"
    window.part(CorpusController).open()
    view = controller.page.study.view
    assert isinstance(view, PictureView)
    assert view.shown_picture is not None
    assert view.shown_picture.key == "pairs", "and no sizes of arrays"
    controller.page.study.heads.click()
    assert window.part(HeadController).is_shown
