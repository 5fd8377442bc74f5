"""Dialogs: palette, documents, glossary, shortcuts, export, the gallery of analyses, reports and About."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import combinations

import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, Qt, QUrl
from PySide6.QtGui import (
    QColor,
    QDesktopServices,
    QGuiApplication,
    QHelpEvent,
    QInputMethodEvent,
    QWhatsThisClickedEvent,
)
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QLabel,
    QLineEdit,
    QListWidget,
    QPushButton,
    QScrollArea,
    QToolTip,
    QWidget,
)
from pytestqt.qtbot import QtBot

from bertviz_app.analysis.catalogue import CATALOGUE, THEMES, find_analysis
from bertviz_app.analysis.results import HeadMatrices, LayerRankings, NamedArrays, Result, TokenScalars
from bertviz_app.learning.documents import documents
from bertviz_app.learning.glossary import glossary
from bertviz_app.licences import Component, as_text, from_text, installed_components
from bertviz_app.shell.settings import read_palette
from bertviz_app.viewmodels.analyses.gallery import RunsThere, gallery_items, kind_of_picture, obstacle
from bertviz_app.viewmodels.panel import Content
from bertviz_app.views.dialogs import help as help_dialog
from bertviz_app.views.dialogs.export_dialog import ExportDialog, PictureChoice
from bertviz_app.views.dialogs.gallery import AnalysisGallery, GalleryCard, SketchPicture
from bertviz_app.views.dialogs.help import (
    AboutDialog,
    DocumentsDialog,
    EntryPopup,
    GlossaryDialog,
    ReportDialog,
)
from bertviz_app.views.dialogs.palette import CommandPalette, PaletteEntry, SheetGroup, ShortcutSheet
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.terms import TermButton, explain_terms_of, explain_with, term_at
from bertviz_app.views.kit.widgets import press_by_enter
from tests.support.factories import make_trace
from tests.support.scene import headings_of, on_screen

NAMES = ("Zoom in", "Zoom out", "Next head", "Quit")


@pytest.fixture
def window(qtbot: QtBot) -> QWidget:
    return on_screen(qtbot, QWidget(), 1280, 800)


@pytest.fixture
def ran() -> list[str]:
    return []


@pytest.fixture
def palette(qtbot: QtBot, look: Look, window: QWidget, ran: list[str]) -> CommandPalette:
    entries = [PaletteEntry(name, f"Ctrl+{name[0]}", partial(ran.append, name)) for name in NAMES]
    palette = CommandPalette(look, entries, window)
    palette.open()
    return palette


def _field(palette: CommandPalette) -> QLineEdit:
    return palette.findChildren(QLineEdit)[0]


@pytest.fixture
def spoken() -> str:
    """The language in force."""
    return "en"


@pytest.fixture
def reader(
    qtbot: QtBot, look: Look, spoken: str, monkeypatch: pytest.MonkeyPatch
) -> Iterator[DocumentsDialog]:
    monkeypatch.setattr(help_dialog, "language", lambda: spoken)
    window = QWidget()
    window.resize(1280, 800)
    qtbot.addWidget(window)
    reader = DocumentsDialog(look, window)
    reader.show()
    yield reader
    reader.close()


def _page(stem: str) -> int:
    return next(number for number, page in enumerate(documents()) if page.path.stem == stem)


FACTS = {"layer": "1", "head": "2", "query": "it", "key": "cat", "weight": "0.5000"}


@pytest.fixture
def dialog(look: Look, window: QWidget) -> GlossaryDialog:
    dialog = GlossaryDialog(look, glossary(), lambda: FACTS, window)
    dialog.show()
    return dialog


def texts(widget: QWidget) -> list[str]:
    return [label.text() for label in widget.findChildren(QLabel) if label.isVisible() and label.text()]


@pytest.fixture
def _pressed_by_enter(qapp: QApplication) -> Iterator[None]:
    """Let Enter press the button that has the focus, as in the program."""
    qapp.focusChanged.connect(press_by_enter)
    yield
    qapp.focusChanged.disconnect(press_by_enter)


@pytest.mark.parametrize(("typed", "offered"), [("out zoom", ["Zoom out"]), ("xyz", [])])
def test_it_offers_what_holds_all_words_typed(
    palette: CommandPalette, typed: str, offered: list[str]
) -> None:
    QTest.keyClicks(_field(palette), typed)
    assert palette.offered == offered


def test_enter_runs_the_first_and_closes(palette: CommandPalette, ran: list[str]) -> None:
    QTest.keyClicks(_field(palette), "zoom")
    QTest.keyClick(_field(palette), Qt.Key.Key_Return)
    assert ran == ["Zoom in"]
    assert not palette.isVisible()


@pytest.mark.parametrize(("keys", "name"), [([Qt.Key.Key_Up], "Quit"), ([Qt.Key.Key_Down] * 4, "Zoom in")])
def test_the_arrows_move_and_go_round(
    palette: CommandPalette, ran: list[str], keys: list[Qt.Key], name: str
) -> None:
    for key in keys:
        QTest.keyClick(_field(palette), key)
    QTest.keyClick(_field(palette), Qt.Key.Key_Enter)
    assert ran == [name]


def test_a_click_runs(palette: CommandPalette, ran: list[str]) -> None:
    commands = palette.findChildren(QListWidget)[0]
    middle = commands.visualItemRect(commands.item(2)).center()
    QTest.mouseClick(commands.viewport(), Qt.MouseButton.LeftButton, pos=middle)
    assert ran == ["Next head"]


def test_enter_on_nothing_does_nothing(palette: CommandPalette, ran: list[str]) -> None:
    QTest.keyClicks(_field(palette), "xyz")
    QTest.keyClick(_field(palette), Qt.Key.Key_Return)
    QTest.keyClick(_field(palette), Qt.Key.Key_Down)
    assert palette.isVisible()
    assert ran == []


def test_a_syllable_that_is_being_composed_counts(look: Look, window: QWidget, ran: list[str]) -> None:
    names = ("패널의 수치 저장", "수업 목록")
    entries = [PaletteEntry(name, "", partial(ran.append, name)) for name in names]
    palette = CommandPalette(look, entries, window)
    palette.open()
    field = _field(palette)
    QApplication.sendEvent(field, _composed("수"))
    assert palette.offered == ["수업 목록", "패널의 수치 저장"]  # the best first
    QApplication.sendEvent(field, _composed("어", "수"))
    assert palette.offered == ["수업 목록"]
    QApplication.sendEvent(field, _composed("업"))
    assert (field.text(), palette.offered) == ("수", ["수업 목록"])
    QApplication.sendEvent(field, _composed("", "업"))
    assert (field.text(), palette.offered) == ("수업", ["수업 목록"])
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert ran == ["수업 목록"]


def _composed(preedit: str, finished: str = "") -> QInputMethodEvent:
    event = QInputMethodEvent(preedit, [])
    event.setCommitString(finished)
    return event


def test_groups_have_headings_that_no_key_and_no_click_chooses(
    look: Look, window: QWidget, ran: list[str]
) -> None:
    rows = (("Zoom in", "View"), ("Next head", "Panels"), ("Add a head", "Panels"))
    entries = [PaletteEntry(name, "", partial(ran.append, name), "", group, name) for name, group in rows]
    palette = CommandPalette(look, entries, window, ("Add a head", "gone"))
    palette.open()
    assert headings_of(palette) == ["Used last", "View", "Panels"]
    assert palette.offered == ["Add a head", "Zoom in", "Next head", "Add a head"]
    for _ in range(5):
        QTest.keyClick(_field(palette), Qt.Key.Key_Down)
    commands = palette.findChildren(QListWidget)[0]
    heading = commands.visualItemRect(commands.item(2)).center()
    QTest.mouseClick(commands.viewport(), Qt.MouseButton.LeftButton, pos=heading)
    QTest.keyClick(_field(palette), Qt.Key.Key_Return)
    assert ran == ["Zoom in"]  # the fifth step went round to the first, one more to this


def test_links_lead_to_pages_and_words_are_found(
    reader: DocumentsDialog, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader.page.anchorClicked.emit(QUrl("../how-to/train_a_model.md"))
    assert reader.shown == documents()[_page("train_a_model")]
    reader.page.anchorClicked.emit(QUrl("../../../CONTRIBUTING.md"))
    assert "is part of the source" in reader.note.text()
    # an address opens in the browser
    opened: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url.toString()))
    reader.page.anchorClicked.emit(QUrl("https://pytorch.org/"))
    assert opened == ["https://pytorch.org/"]
    # a link to the card of a checkpoint shows it and there is a way back
    page = documents()[_page("train_a_model")]
    reader.show_document(page)
    row = reader.list.currentRow()
    reader.page.anchorClicked.emit(QUrl("../../../models/bert-mini-en-ko/README.md"))
    assert reader.note.text() == ""
    assert reader.page.toPlainText().startswith("bert-mini-en-ko\n")
    reader.page.anchorClicked.emit(QUrl("../other.md"))
    assert "is part of the source" in reader.note.text()
    reader.list.setCurrentRow(row)
    assert reader.shown == page
    # words are found in the pages
    reader.field.setText("rsLoRA alpha_pattern")
    assert [page.path.stem for page in reader.offered] == ["files"]
    assert "rsLoRA" in reader.page.toPlainText()
    reader.field.setText("zebra quagga")
    assert reader.offered == []
    assert reader.note.text() == "No document has these words."


@pytest.mark.parametrize("spoken", ["ko"])
def test_a_korean_reader_gets_korean_pages_and_titles_where_there_are(reader: DocumentsDialog) -> None:
    assert "모든 헤드를 한눈에 보기" in reader.page.toPlainText()
    assert reader.note.text() == ""
    titles = [reader.list.item(row).text().strip() for row in range(reader.list.count())]
    assert "모델 학습하기" in titles
    reader.page.anchorClicked.emit(QUrl("../how-to/train_a_model.ko.md"))
    assert reader.page.toPlainText().startswith("모델 학습하기")
    reader.show_document(documents()[_page("accuracy")])
    assert reader.note.text() == "This page is in English only."
    # a korean list has korean titles and names the language of pages in english
    for row in range(reader.list.count()):
        page = reader.list.item(row).data(Qt.ItemDataRole.UserRole)
        if page is not None:
            text = reader.list.item(row).text()
            assert any("가" <= letter <= "힣" for letter in text), text
            assert text.endswith("English") == ("ko" not in page.titles)
    reader.field.setText("헤드 지표")
    assert "add_a_measure" in [page.path.stem for page in reader.offered]


@pytest.mark.parametrize("spoken", ["en", "ko"])
def test_every_title_is_shown_whole(reader: DocumentsDialog) -> None:
    assert reader.list.sizeHintForColumn(0) <= reader.list.viewport().width()


@pytest.mark.parametrize("typed", ["어텐션 가중치", "attention weight"])
def test_typing_finds_in_either_language_and_the_example_is_of_the_run(
    dialog: GlossaryDialog, typed: str
) -> None:
    field = dialog.findChildren(QLineEdit)[0]
    field.setText(typed)
    assert dialog.shown == "attention_weight"
    assert "In layer 1, head 2, “it” puts 0.5000 on “cat”." in texts(dialog)
    field.setText("qwertz")
    assert dialog.offered == []
    assert "No term fits. Clear the field to see all of them." in texts(dialog)
    nothing = next(label for label in dialog.findChildren(QLabel) if label.text().startswith("No term"))
    assert nothing.y() - field.geometry().bottom() < 20
    assert glossary()["attention_weight"].text.en not in texts(dialog)


def test_the_arrows_of_the_field_move_in_the_list(dialog: GlossaryDialog) -> None:
    field = dialog.findChildren(QLineEdit)[0]
    QTest.keyClick(field, Qt.Key.Key_Down)
    assert dialog.shown == "tokenizer"
    QTest.keyClick(field, Qt.Key.Key_PageDown)
    assert dialog.shown == [entry.key for entry in glossary()][11]
    QTest.keyClick(field, Qt.Key.Key_Up)
    assert dialog.shown == [entry.key for entry in glossary()][10]
    dialog.show_entry("softmax")
    assert dialog.shown == "softmax"


def test_a_widget_about_a_term_has_it_as_tool_tip_and_so_has_what_lies_in_it(window: QWidget) -> None:
    outer = QWidget(window)
    inner, special = QLabel("Q", outer), QLabel("K", outer)
    special.setToolTip("something more particular")
    special.move(0, 40)
    outer.show()
    explain_terms_of(window)
    explain_with(outer, "attention")
    explain_with(inner, "query")
    explain_with(special, "key")
    assert term_at(QPoint(), inner) == "query"
    assert term_at(QPoint(), QPushButton(outer)) == "attention"
    assert term_at(QPoint(), window) == ""
    for widget, words in ((inner, glossary()["query"].text.en), (special, "something more particular")):
        event = QHelpEvent(QEvent.Type.ToolTip, QPoint(1, 1), widget.mapToGlobal(QPoint(1, 1)))
        QApplication.sendEvent(widget, event)
        assert words in QToolTip.text()
        QToolTip.hideText()


def test_the_small_i_asks_the_window_for_its_term(qtbot: QtBot, window: QWidget) -> None:
    requests: list[str] = []

    class Listener(QWidget):
        def event(self, event: QEvent) -> bool:
            if isinstance(event, QWhatsThisClickedEvent):
                requests.append(event.href())
            return super().event(event)

    outer = on_screen(qtbot, Listener(), 200, 100)
    floating = QWidget(outer, Qt.WindowType.Tool)
    button = TermButton("softmax", floating)
    floating.show()
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert requests == ["softmax"]
    assert button.accessibleName() == "What is this? Softmax"


def test_an_entry_opens_on_the_screen_wherever_it_is_asked_for(look: Look, window: QWidget) -> None:
    room = window.screen().availableGeometry()
    for position in (room.topLeft(), room.bottomRight(), room.center()):
        popup = EntryPopup(look, glossary()["attention_weight"], FACTS, window)
        popup.open_at(position)
        assert room.contains(popup.geometry())
        assert glossary()["attention_weight"].text.en in texts(popup)
        popup.close()


@pytest.mark.parametrize(("width", "n_columns"), [(1920, 3), (700, 1)])
def test_the_sheet_has_as_many_columns_as_the_window_has_room_for(
    qtbot: QtBot, look: Look, width: int, n_columns: int
) -> None:
    window = on_screen(qtbot, QWidget(), width, 800)
    lines = tuple(("What a command does, in as many words as it takes", "Ctrl+Shift+X") for _ in range(4))
    sheet = ShortcutSheet(look, [SheetGroup(title, lines) for title in "ABC"], window)
    sheet.open()
    titles = [label for label in sheet.findChildren(QLabel) if label.text() in tuple("ABC")]
    assert len({label.mapTo(sheet, QPoint()).x() for label in titles}) == n_columns
    (area,) = sheet.findChildren(QScrollArea)
    assert area.horizontalScrollBar().maximum() == 0


class _ShownWindows(QObject):
    """Notes each window that is shown."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Show and isinstance(watched, QWidget) and watched.isWindow():
            self.names.append(type(watched).__name__)
        return False


def test_no_part_of_the_export_dialog_is_a_window_while_it_is_made(qtbot: QtBot, qapp: QApplication) -> None:
    window, shown = on_screen(qtbot, QWidget(), 900, 700), _ShownWindows()
    qapp.installEventFilter(shown)
    try:
        ExportDialog(["Layer 1 · Head 3"], PictureChoice(), window, lambda choice: 6.0)
        ExportDialog(["Panel", "Overview"], PictureChoice(), window, lambda choice: 6.0)
    finally:
        qapp.removeEventFilter(shown)
    assert shown.names == []


@pytest.mark.usefixtures("_pressed_by_enter")
def test_enter_saves_whatever_has_the_focus(qtbot: QtBot) -> None:
    window = on_screen(qtbot, QWidget(), 900, 700)
    dialog = ExportDialog(["Layer 1 · Head 3"], PictureChoice(), window, lambda choice: 6.0)
    saved: list[PictureChoice] = []
    dialog.save_requested.connect(saved.append)
    dialog.open()
    dialog.activateWindow()
    qtbot.waitUntil(dialog.isActiveWindow)
    choice = next(
        button for button in dialog.fields["ending"].findChildren(QPushButton) if button.text() == "SVG"
    )
    choice.click()
    choice.setFocus()
    assert choice.hasFocus()
    QTest.keyClick(choice, Qt.Key.Key_Return)
    assert [one.ending for one in saved] == [".svg"]
    assert not dialog.isVisible()


@pytest.mark.parametrize(("typed", "n_lines"), [("zoom", 2), ("quit", 1)])
def test_it_is_as_high_as_what_it_offers(
    palette: CommandPalette, look: Look, typed: str, n_lines: int
) -> None:
    QTest.keyClicks(_field(palette), typed)
    commands = palette.findChildren(QListWidget)[0]
    assert commands.viewport().height() == n_lines * look.pixels(32)
    assert palette.height() - commands.geometry().bottom() <= look.pixels(14)


RUNS = RunsThere(make_trace(4))


@pytest.fixture
def gallery(look: Look, window: QWidget) -> AnalysisGallery:
    gallery = AnalysisGallery(look, gallery_items(RUNS, "en"), window)
    gallery.open()
    return gallery


def card(gallery: AnalysisGallery, key: str) -> GalleryCard:
    return next(card for card in gallery.cards if card.item.content == Content(key))


def test_there_is_a_card_for_attention_and_for_each_analysis_by_theme(gallery: AnalysisGallery) -> None:
    assert [card.item.content.analysis for card in gallery.cards] == ["", *(one.key for one in CATALOGUE)]
    assert {card.item.theme for card in gallery.cards} == {str(theme.title) for theme in THEMES}


def test_cards_without_a_small_result_have_the_kind_of_their_picture_in_grey(
    look: Look, window: QWidget
) -> None:
    results: tuple[type[Result], ...] = (HeadMatrices, LayerRankings, TokenScalars, NamedArrays)
    kinds = [kind_of_picture(result) for result in results]
    assert kinds == ["cells", "cells", "bars", "table"]
    first = gallery_items(RUNS, "en")[0]
    items = [replace(first, sketch=None, kind=kind) for kind in kinds[1:]]
    gallery = AnalysisGallery(look, [first, *items], window, ["Another <b>was</b> left out."])
    gallery.open()
    assert gallery.note.text().endswith("kind of picture alone.\nAnother <b>was</b> left out.")
    images = [picture.grab().toImage() for picture in gallery.findChildren(SketchPicture)]
    assert len(images) == 4
    assert all(one != other for one, other in combinations(images, 2))
    ends = {look.colour("card").lightness(), look.colour("rule").lightness()}
    for image in images[1:]:
        seen = {image.pixel(x, y) for x in range(image.width()) for y in range(image.height())}
        assert len(seen) > 1
        assert all(min(ends) <= QColor(colour).lightness() <= max(ends) for colour in seen)


def test_what_cannot_be_done_says_why_beside_the_button_that_makes_it_possible(
    gallery: AnalysisGallery,
) -> None:
    asked: list[tuple[object, str]] = []
    chosen: list[object] = []
    gallery.chosen.connect(chosen.append)
    gallery.remedy_requested.connect(lambda *both: asked.append(both))
    compared = card(gallery, "divergence")
    assert not compared.button.isEnabled()
    assert compared.item.obstacle == "This analysis compares two runs."
    assert "compares two runs" in compared.button.accessibleName()
    assert compared.remedy is not None
    assert compared.remedy.text() == "Compare with another sentence"
    compared.remedy.click()
    assert (asked, chosen) == ([(Content("divergence"), "second run")], [])
    assert not gallery.isVisible()


def test_what_is_typed_finds_a_question_and_enter_chooses_it(gallery: AnalysisGallery) -> None:
    chosen: list[object] = []
    gallery.chosen.connect(chosen.append)
    QTest.keyClicks(gallery.field, "shuffeld words")
    assert [card.item.content.analysis for card in gallery.cards] == ["head-baselines"]
    QTest.keyClick(gallery.field, Qt.Key.Key_Return)
    assert chosen == [Content("head-baselines")]


def test_arrows_go_from_card_to_card_and_enter_on_nothing_does_nothing(gallery: AnalysisGallery) -> None:
    gallery.activateWindow()
    QTest.keyClick(gallery.field, Qt.Key.Key_Down)
    assert gallery.cards[0].button.hasFocus()
    QTest.keyClick(gallery.cards[0].button, Qt.Key.Key_Right)
    assert gallery.cards[1].button.hasFocus()
    gallery.field.setText("xyzzy")
    assert gallery.cards == []
    QTest.keyClick(gallery.field, Qt.Key.Key_Return)
    assert gallery.isVisible()


@pytest.mark.parametrize(
    ("key", "runs", "remedy"),
    [
        ("divergence", RunsThere(RUNS.trace, has_second=True), None),
        ("head-measures", RunsThere(RUNS.trace, is_model_open=False), None),
        ("decompx", RunsThere(RUNS.trace, is_model_open=False), "checkpoint"),
        ("logit-lens", RUNS, "task head"),
        ("logit-lens", RunsThere(RUNS.trace, ("masked",)), None),
        ("logits", RUNS, "task head"),
    ],
)
def test_an_obstacle_is_what_the_analysis_would_end_with(
    key: str, runs: RunsThere, remedy: str | None
) -> None:
    error = obstacle(find_analysis(key), runs)
    assert (None if error is None else error.remedy) == remedy


@pytest.fixture
def problem_report(window: QWidget) -> ReportDialog:
    return ReportDialog(Look(read_palette("light")), "BertViz App: report\n", ("A cat", "It slept"), window)


def test_what_was_typed_is_added_only_when_that_is_ticked_and_goes_again(
    problem_report: ReportDialog,
) -> None:
    assert "cat" not in problem_report.report.toPlainText()
    problem_report.report.appendPlainText("I pressed Enter.")
    problem_report.adds_text.click()
    assert problem_report.report.toPlainText().endswith("My text:\nA cat\nIt slept\n")
    problem_report.adds_text.click()
    text = problem_report.report.toPlainText()
    assert "cat" not in text
    assert "I pressed Enter." in text, "what the user wrote stays"


def test_a_report_is_copied_and_saved_as_the_user_left_it(problem_report: ReportDialog) -> None:
    saved: list[str] = []
    problem_report.save_requested.connect(saved.append)
    problem_report.report.setPlainText("Changed.")
    problem_report.copy.click()
    assert QGuiApplication.clipboard().text() == "Changed."
    problem_report.save.click()
    assert saved == ["Changed."]


def test_without_a_text_there_is_nothing_to_add(window: QWidget) -> None:
    assert not ReportDialog(Look(read_palette("light")), "x", (), window).adds_text.isEnabled()


def test_about_shows_the_licence_of_the_chosen_part(window: QWidget) -> None:
    about = AboutDialog(Look(read_palette("light")), window)
    with_text = Component("torch", "2.13.0", "BSD-3-Clause", (("LICENSE", "From PyTorch:"),))
    about.show_components([with_text, Component("other", "1", "MIT")])
    assert about.parts.item(0).text() == "torch 2.13.0: BSD-3-Clause"
    assert "From PyTorch:" in about.text.toPlainText()
    about.parts.setCurrentRow(1)
    assert "without" in about.text.toPlainText()


def test_every_package_that_is_needed_is_listed_with_a_licence() -> None:
    found = {each.name.lower().replace("_", "-"): each for each in installed_components()}
    assert {"torch", "pyside6-essentials", "shiboken6", "pyqtgraph", "tokenizers", "numpy", "sympy"} <= set(
        found
    )
    assert "pytest" not in found
    assert "bertviz-app" not in found
    assert [each.name for each in found.values() if each.licence == "see its text" and not each.texts] == []
    assert any("Permission is hereby granted" in text for _, text in found["pyqtgraph"].texts)


def test_the_file_of_a_bundle_is_read_back_as_it_was_written() -> None:
    components = [
        Component(
            "torch",
            "2.13.0+cpu",
            "Apache-2.0 AND BSD-3-Clause",
            (("LICENSE", "a: b"), ("NOTICE", "two\n\nlines")),
        ),
        Component("LGPL-3", "", "text", (("LGPL-3", "GNU LESSER"),)),
        Component("plain", "1.0", "MIT"),
    ]
    assert from_text("Words of ours.\n\n" + as_text(components)) == components
