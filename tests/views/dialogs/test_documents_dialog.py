"""The reader of documents: a list by kind, the words of the chosen page, links that stay in the program."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from bertviz_app.learning.documents import documents
from bertviz_app.views.dialogs import documents_dialog
from bertviz_app.views.dialogs.documents_dialog import DocumentsDialog
from bertviz_app.views.kit.look import Look


@pytest.fixture
def dialog(qtbot: QtBot, look: Look) -> Iterator[DocumentsDialog]:
    window = QWidget()
    window.resize(1280, 800)
    qtbot.addWidget(window)
    dialog = DocumentsDialog(look, window)
    dialog.show()
    yield dialog
    dialog.close()


def _page(stem: str) -> int:
    return next(number for number, page in enumerate(documents()) if page.path.stem == stem)


def test_all_documents_are_listed_and_the_first_is_shown(dialog: DocumentsDialog) -> None:
    assert dialog.offered == list(documents())
    assert dialog.shown == documents()[0]
    assert "A cat ate the fish because it was hungry" in dialog.page.toPlainText()


def test_a_chosen_document_is_shown_with_its_tables(dialog: DocumentsDialog) -> None:
    accuracy = documents()[_page("accuracy")]
    row = next(
        n for n in range(dialog.list.count()) if dialog.list.item(n).text().strip() == accuracy.title("en")
    )
    dialog.list.setCurrentRow(row)
    assert dialog.shown == accuracy
    assert "<table" in dialog.page.toHtml()


def test_words_are_found_in_the_pages(dialog: DocumentsDialog) -> None:
    dialog.field.setText("rsLoRA alpha_pattern")
    assert [page.path.stem for page in dialog.offered] == ["files"]
    assert "rsLoRA" in dialog.page.toPlainText()
    dialog.field.setText("zebra quagga")
    assert dialog.offered == []
    assert dialog.note.text() == "No document has these words."


def test_a_link_to_a_document_opens_it_here(dialog: DocumentsDialog) -> None:
    dialog.page.anchorClicked.emit(QUrl("../how-to/train_a_model.md"))
    assert dialog.shown == documents()[_page("train_a_model")]
    dialog.page.anchorClicked.emit(QUrl("../../../CONTRIBUTING.md"))
    assert "is part of the source" in dialog.note.text()


def test_an_address_opens_in_the_browser(dialog: DocumentsDialog, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url.toString()))
    dialog.page.anchorClicked.emit(QUrl("https://pytorch.org/"))
    assert opened == ["https://pytorch.org/"]


def test_a_korean_reader_gets_the_korean_page_where_there_is_one(
    dialog: DocumentsDialog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(documents_dialog, "language", lambda: "ko")
    dialog.retranslate()
    assert "모든 헤드를 한눈에 보기" in dialog.page.toPlainText()
    assert dialog.note.text() == ""
    titles = [dialog.list.item(row).text().strip() for row in range(dialog.list.count())]
    assert "모델 학습하기" in titles
    dialog.page.anchorClicked.emit(QUrl("../how-to/train_a_model.ko.md"))
    assert dialog.page.toPlainText().startswith("모델 학습하기")
    dialog.show_document(documents()[_page("accuracy")])
    assert dialog.note.text() == "This page is in English only."


@pytest.mark.parametrize("spoken", ["en", "ko"])
def test_every_title_is_shown_whole(
    dialog: DocumentsDialog, spoken: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(documents_dialog, "language", lambda: spoken)
    dialog.retranslate()
    assert dialog.list.sizeHintForColumn(0) <= dialog.list.viewport().width()


def test_a_korean_list_has_korean_titles_and_names_the_language_of_pages_in_english(
    dialog: DocumentsDialog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(documents_dialog, "language", lambda: "ko")
    dialog.retranslate()
    for row in range(dialog.list.count()):
        page = dialog.list.item(row).data(Qt.ItemDataRole.UserRole)
        if page is not None:
            text = dialog.list.item(row).text()
            assert any("가" <= letter <= "힣" for letter in text), text
            assert text.endswith("English") == ("ko" not in page.titles)
    dialog.field.setText("헤드 지표")
    assert "add_a_measure" in [page.path.stem for page in dialog.offered]


def test_a_picture_is_as_wide_as_the_page_at_most(dialog: DocumentsDialog, qtbot: QtBot) -> None:
    dialog.show_document(documents()[_page("train_a_model")])
    for width in (1000, 800, 1200):
        dialog.resize(width, 640)
        qtbot.waitUntil(lambda: dialog.page.horizontalScrollBar().maximum() == 0)


def test_a_paragraph_that_begins_with_code_is_no_code(dialog: DocumentsDialog) -> None:
    dialog.show_document(documents()[_page("train_a_model")])
    block, margins = dialog.page.document().begin(), {}
    while block.isValid():
        margins[block.text()[:20]] = block.blockFormat().leftMargin()
        block = block.next()
    assert margins["pretrain learns a Wo"] == 0


def test_a_link_to_the_card_of_a_checkpoint_shows_it_and_there_is_a_way_back(dialog: DocumentsDialog) -> None:
    page = documents()[_page("train_a_model")]
    dialog.show_document(page)
    row = dialog.list.currentRow()
    dialog.page.anchorClicked.emit(QUrl("../../../models/bert-mini-en-ko/README.md"))
    assert dialog.note.text() == ""
    assert dialog.page.toPlainText().startswith("bert-mini-en-ko\n")
    dialog.page.anchorClicked.emit(QUrl("../other.md"))
    assert "is part of the source" in dialog.note.text()
    dialog.list.setCurrentRow(row)
    assert dialog.shown == page
