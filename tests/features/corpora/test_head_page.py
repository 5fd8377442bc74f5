"""The page of a head in the window: by command, from the Corpus page; pictures that are added to notes."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from bertviz_app import paths
from bertviz_app.features.corpora.pages import CorpusController, HeadController
from bertviz_app.shell.window.window import MainWindow
from bertviz_app.viewmodels.app_state import AppState


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "dossiers", lambda: tmp_path / "dossiers")


def test_it_is_opened_with_the_head_of_the_panel_and_left_by_key(
    window_with_text: MainWindow, app_state: AppState
) -> None:
    window = window_with_text
    app_state.panels.show(1, 2)
    before = window.frame.pages.currentWidget()
    window.part(HeadController).toggle()
    assert window.part(HeadController).is_shown
    assert window.part(HeadController).study.head == (1, 2)
    assert window.part(HeadController).page.card.title.text() == "Layer 1 · Head 2"
    QTest.keyClick(window, Qt.Key.Key_Escape)
    assert window.frame.pages.currentWidget() is before
    window.part(HeadController).toggle()
    window.part(HeadController).page.corpus_requested.emit()
    assert window.part(CorpusController).is_shown
    window.part(CorpusController).head_requested.emit(0, 1)
    assert window.part(HeadController).is_shown
    assert window.part(HeadController).study.head == (0, 1)
    window.part(HeadController).page.examples.sentence_chosen.emit("the fish")
    assert not window.part(HeadController).is_shown
    assert app_state.workspace.text == "the fish"
    active = app_state.panels.active
    assert active is not None
    assert (active.layer, active.head) == (0, 1)


def test_the_picture_of_the_panel_is_added_with_its_sentence_and_written_as_markdown(
    qtbot: QtBot, window_with_text: MainWindow, app_state: AppState, tmp_path: Path
) -> None:
    window, study = window_with_text, window_with_text.part(HeadController).study
    app_state.panels.show(1, 0)
    window.part(HeadController).add_picture()
    qtbot.waitUntil(lambda: study.dossier is not None and bool(study.notes.evidence))
    assert study.dossier is not None
    (evidence,) = study.notes.evidence
    assert study.head == (1, 0)
    assert evidence.text == app_state.workspace.text
    assert study.dossier.picture(evidence).read_bytes().startswith(b"\x89PNG")
    window.part(HeadController).toggle()
    assert window.part(HeadController).page.notes.pictures.count() == 1
    study.dossier.save(tmp_path / "notes.md")
    assert (tmp_path / "notes_pictures" / evidence.picture).is_file()


def test_without_a_text_there_is_nothing_to_add(window: MainWindow) -> None:
    said: list[str] = []
    window.export.copied.connect(said.append)
    window.part(HeadController).add_picture()
    assert said == ["There is nothing to add yet: type a sentence."]
