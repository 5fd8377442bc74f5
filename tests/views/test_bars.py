"""The bars around the views: texts, pickers, remarks, messages, and the form that asks about a checkpoint."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QRectF, Qt
from PySide6.QtGui import QAction, QActionGroup, QFocusEvent, QGuiApplication, QImage, QInputMethodEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QLabel, QLineEdit, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from bertviz_app.checkpoint.question_table import QUESTIONS
from bertviz_app.checkpoint.questions import Answers, AnswersError, FileModule, Questions, Value
from bertviz_app.viewmodels.runs.comparison import Comparison
from bertviz_app.viewmodels.runs.workspace import Workspace
from bertviz_app.viewmodels.state import Room
from bertviz_app.views.bars.buttons import ColumnsMenu, NumbersPicker
from bertviz_app.views.bars.questions import AnswerForm
from bertviz_app.views.bars.status_line import StatusLine, text_remark
from bertviz_app.views.bars.top_bar import OtherModelPicker, TopBar
from bertviz_app.views.kit.card import Elided
from bertviz_app.views.kit.look import Look
from tests.support.fakes import FACTS, HeldJobs, tokens_of
from tests.support.held_state import HeldQuestions
from tests.support.scene import on_screen, pixels_of, turn_events

Texts = list[tuple[str, str | None]]


@pytest.fixture
def bar(qtbot: QtBot, look: Look) -> TopBar:
    return on_screen(qtbot, TopBar(look), 1200, 50)


@pytest.fixture
def edited(bar: TopBar) -> Texts:
    """The texts that the bar emitted, newest last."""
    texts: Texts = []
    bar.texts_edited.connect(lambda text, pair: texts.append((text, pair)))
    return texts


ROWS = [
    ("Checkpoint", "family", "parameters"),
    ("a", "BERT", "9"),
    ("a much longer name of a checkpoint", "BERT", "22,713,216"),
    ("중간 길이", "BERT", "9,049,730"),
]


@pytest.fixture
def menu(qtbot: QtBot, look: Look) -> ColumnsMenu:
    menu = ColumnsMenu(look)
    qtbot.addWidget(menu)
    return menu


def _ink(menu: ColumnsMenu, rect: QRectF) -> tuple[float, float]:
    """Return where the drawing in `rect` begins and ends, in pixels of the menu."""
    image = menu.grab().toImage().convertToFormat(QImage.Format.Format_Grayscale8)
    pixels: NDArray[np.uint8] = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), -1)
    part = pixels[round(rect.top()) + 3 : round(rect.bottom()) - 3, round(rect.left()) : round(rect.right())]
    ground = np.bincount(part.ravel()).argmax()  # the first pixel may be one of the border
    (columns,) = np.nonzero((part != ground).any(axis=0))
    return float(rect.left() + columns[0]), float(rect.left() + columns[-1])


def _shown(menu: ColumnsMenu, qtbot: QtBot) -> list[QAction]:
    actions = menu.add_rows(ROWS, numbers=[2])
    menu.popup(menu.pos())
    qtbot.waitExposed(menu)
    return actions


def test_ctrl_with_home_and_end_goes_to_the_ends_of_the_sentence(bar: TopBar) -> None:
    ctrl, shift = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
    bar.text.setText("the cat")
    QTest.keyClick(bar.text, Qt.Key.Key_Home, ctrl)
    assert bar.text.cursorPosition() == 7, "the key of the start page"
    bar.text.home(False)
    QTest.keyClick(bar.text, Qt.Key.Key_End, ctrl | shift)
    assert bar.text.selectedText() == "the cat"
    QTest.keyClick(bar.text, Qt.Key.Key_Home, ctrl | shift)
    assert not bar.text.hasSelectedText()
    QTest.keyClick(bar.text, Qt.Key.Key_End, ctrl)
    assert bar.text.cursorPosition() == 7
    assert not bar.text.hasSelectedText()


def test_the_syllable_that_is_being_composed_is_a_part_of_the_text(bar: TopBar, edited: Texts) -> None:
    for composed, finished in (("ㄱ", ""), ("고", ""), ("야", "고")):
        event = QInputMethodEvent(composed, [])
        event.setCommitString(finished)
        QApplication.sendEvent(bar.text, event)
        bar.set_texts(*edited[-1])  # what is emitted comes back from the state
    assert edited == [("ㄱ", None), ("고", None), ("고야", None)]
    assert bar.text.text() == "고", "it is still being composed"
    event = QInputMethodEvent()
    event.setCommitString("양이")
    QApplication.sendEvent(bar.text, event)
    assert edited[3:] == [("고양이", None)]


def test_a_text_that_the_program_writes_ends_what_is_being_composed(bar: TopBar, edited: Texts) -> None:
    for field in (bar.text, bar.pair):
        QApplication.sendEvent(field, QInputMethodEvent("하", []))
        assert field.whole_text == "하"
    bar.set_texts("the dog", "it ran")
    assert (bar.text.whole_text, bar.pair.whole_text) == ("the dog", "it ran")
    QApplication.sendEvent(bar.pair, QInputMethodEvent("하", []))
    bar.close_pair()
    assert edited[-1] == ("the dog", None)


def test_what_is_pasted_is_kept_whole(bar: TopBar, edited: Texts) -> None:
    text = "word " * 8_000
    QGuiApplication.clipboard().setText(text)
    bar.text.paste()
    assert edited == [(text, None)]
    assert bar.text.text() == text


def test_the_second_sentence_opens_with_the_cursor_in_it(bar: TopBar, edited: Texts) -> None:
    assert not bar.pair.isVisible()
    QTest.mouseClick(bar.add_pair, Qt.MouseButton.LeftButton)
    assert bar.pair.isVisible()
    assert not bar.add_pair.isVisible()
    assert bar.pair.hasFocus()
    QTest.keyClicks(bar.pair, "hi")
    assert edited[-1] == ("", "hi")


@pytest.mark.parametrize("words", ["", "hi"])
def test_left_empty_the_second_sentence_closes_and_left_with_words_it_stays(bar: TopBar, words: str) -> None:
    bar.open_pair()
    QTest.keyClicks(bar.pair, words)
    bar.text.setFocus()
    QApplication.sendEvent(bar.pair, QFocusEvent(QEvent.Type.FocusOut))
    turn_events()
    assert (bar.pair.isVisible(), bar.add_pair.isVisible()) == (bool(words), not words)


def test_emptied_while_one_types_in_it_the_second_sentence_stays(bar: TopBar) -> None:
    bar.texts_edited.connect(bar.set_texts)  # as the window does, by way of the workspace
    bar.open_pair()
    QTest.keyClicks(bar.pair, "h")
    QTest.keyClick(bar.pair, Qt.Key.Key_Backspace)
    assert bar.pair.isVisible()
    QTest.keyClicks(bar.pair, "new")
    assert bar.pair.text() == "new"


def test_what_can_only_be_read_keeps_its_second_sentence(bar: TopBar) -> None:
    bar.set_texts("one", "two")
    bar.set_editable(False)
    bar.close_pair()
    assert bar.pair.text() == "two"
    bar.set_texts("one", None)
    bar.open_pair()
    assert bar.pair.isHidden()


def test_texts_that_are_set_are_shown_and_not_emitted(bar: TopBar, edited: Texts) -> None:
    bar.set_texts("one", "two")
    assert (bar.text.text(), bar.pair.text()) == ("one", "two")
    bar.set_texts("one", None)
    assert not bar.pair.isVisible()
    assert edited == []


def test_the_cursor_stays_where_one_types(bar: TopBar) -> None:
    bar.set_texts("abcdef", None)
    bar.text.setCursorPosition(3)
    bar.set_texts("abcdef", None)
    assert bar.text.cursorPosition() == 3


def test_a_remark_has_room_of_its_own(bar: TopBar, look: Look) -> None:
    before = (bar.text.textMargins().right(), pixels_of(bar.text).copy())
    warning = look.colour("warning").rgb() & 0xFFFFFF
    assert not (before[1] == warning).any()
    bar.text.set_remark("1,234 left out", "The model reads at most 512.")
    assert bar.text.textMargins().right() > before[0] + 40
    drawn = pixels_of(bar.text)
    changed = np.flatnonzero((drawn != before[1]).any(axis=0))
    edge = bar.text.width()
    assert changed.min() >= edge - bar.text.textMargins().right() - 8, "nothing but the room of the remark"
    assert changed.max() >= edge - 16, "up to the right end"
    assert np.flatnonzero((drawn == warning).any(axis=0)).size > 10
    assert bar.text.toolTip() == "The model reads at most 512."
    bar.text.set_remark("")
    assert bar.text.textMargins().right() == before[0]


def test_a_long_sentence_shows_its_beginning_once_it_is_left(bar: TopBar) -> None:
    bar.set_texts("one " * 40, None)
    assert bar.text.cursorPosition() == 0
    bar.text.setFocus()
    bar.text.setCursorPosition(90)
    QTest.keyClick(bar.text, Qt.Key.Key_Tab)
    assert not bar.text.hasFocus()
    assert bar.text.cursorPosition() == 0


def test_remarks_leave_the_sentence_its_room(bar: TopBar) -> None:
    bar.models.set_texts("all-MiniLM-L6-v2", "BERT · 6 layers × 12 heads · 384")
    bar.resize(1280, bar.height())
    QApplication.processEvents()
    sentence = "A cat ate the fish because it was hungry"
    bar.remarks.set_remarks(["This checkpoint's pooler is not used by sentence-transformers", "Another"])
    QApplication.processEvents()
    assert bar.remarks.isVisible()
    assert bar.text.width() > bar.text.fontMetrics().horizontalAdvance(sentence)


def test_a_remark_is_counted_where_one_picture_is_shown_and_told_in_research(bar: TopBar) -> None:
    bar.remarks.set_remarks(["This checkpoint's pooler is not used by sentence-transformers", "Another"])
    bar.resize(2400, bar.height())
    texts: dict[Room, str] = {"explore": "Remarks: 2", "research": "This checkpoint"}
    for room, begins in texts.items():
        bar.show_room(room, is_lesson=False, is_blank=False)
        QApplication.processEvents()
        assert bar.remarks.text().startswith(begins)
        assert "Another" in bar.remarks.toolTip()


def test_texts_begin_and_numbers_end_at_one_place(menu: ColumnsMenu, qtbot: QtBot) -> None:
    ink = [[_ink(menu, rect) for rect in menu.cell_rects(action)] for action in _shown(menu, qtbot)[1:]]
    starts = [family[0] for family, _ in ink]
    ends = [numbers[1] for _, numbers in ink]
    assert max(starts) - min(starts) <= 1
    assert max(ends) - min(ends) <= 1


def test_a_name_never_reaches_into_the_next_column(menu: ColumnsMenu, qtbot: QtBot) -> None:
    actions = _shown(menu, qtbot)
    longest = actions[2]
    cell = menu.cell_rects(longest)[0]
    with_gap = QRectF(menu.actionGeometry(longest))
    with_gap.setRight(cell.left() + 12)  # of the gap before the text of the cell
    _, end = _ink(menu, with_gap)
    assert end < cell.left()


def test_a_menu_of_numbers_that_is_opened_often_has_two_groups(qtbot: QtBot, look: Look) -> None:
    picker = NumbersPicker(look)
    qtbot.addWidget(picker)
    for _ in range(3):
        picker.menu().aboutToShow.emit()
        turn_events(1)
    assert len(picker.menu().findChildren(QActionGroup)) == 2


def test_an_ampersand_of_a_folder_is_written_in_the_menu(qtbot: QtBot, look: Look) -> None:
    comparison = cast(Comparison, SimpleNamespace(other=None, open_model=print))
    workspace = cast(Workspace, SimpleNamespace(available=SimpleNamespace(sources=())))
    picker = OtherModelPicker(look, comparison, workspace, lambda: ["/models/R&D"])
    qtbot.addWidget(picker)
    picker.menu().aboutToShow.emit()
    assert picker.menu().actions()[1].text() == "R&&D"


def test_of_several_remarks_on_a_text_the_one_that_changes_most_is_shown() -> None:
    assert text_remark(tokens_of("the cat sat"), FACTS) == ""
    # what is left out comes first then what is unknown then what was hardly trained
    facts = replace(FACTS, n_trained_positions=4)
    assert text_remark(tokens_of("the [UNK] sat there", most=5), facts) == "1 left out"
    assert text_remark(tokens_of("cat " * 1500, most=5), facts) == "1,497 left out"
    assert text_remark(tokens_of("the [UNK] sat there"), facts) == "1 of 4 words unknown"
    dropped = replace(tokens_of("the cat sat there"), dropped="\x0c\0")
    assert text_remark(dropped, facts) == "2 invisible dropped"
    assert text_remark(tokens_of("the cat sat there"), facts) == "hardly trained from 4 on"


@pytest.mark.parametrize(
    ("tone", "link", "stays"), [("", "", False), ("warning", "", True), ("", "Cancel", True)]
)
def test_a_message_about_something_done_does_not_stay(
    qtbot: QtBot, tone: str, link: str, stays: bool
) -> None:
    status = StatusLine()
    qtbot.addWidget(status)
    status.show_message("Saved a.json.", tone, link=link)
    assert status.words[1] == "Saved a.json."
    assert status.passing.isActive() != stays
    if not stays:
        status.passing.timeout.emit()
        assert status.words[1] == ""


def test_a_newer_message_is_not_taken_away_by_the_one_before(qtbot: QtBot) -> None:
    status = StatusLine()
    qtbot.addWidget(status)
    status.show_message("Saved a.json.")
    status.show_message("There can be six panels.", "warning")
    assert not status.passing.isActive()


def test_a_message_without_room_ends_in_dots_and_is_read_in_its_tool_tip(qtbot: QtBot, look: Look) -> None:
    status = StatusLine()
    on_screen(qtbot, status, 300, 30)
    words = "Opened on layer 1, head 6: there “ate” looks at “cat” as no other word does."
    status.show_message(words)
    QApplication.processEvents()
    (label,) = [each for each in status.findChildren(Elided) if each.text() == words]
    assert label.drawn_text.endswith("…")
    assert label.geometry().right() <= status.width()
    assert label.toolTip() == words


TYPED: dict[str, tuple[str, Value]] = {
    "n_heads": ("4", 4),
    "norm_eps": ("1e-5", 1e-5),
    "labels": ("bad, good", ("bad", "good")),
    "base": ("someone/base", "someone/base"),
    "lora_alpha": ("2", 2.0),
    "tokenizer": ("/a folder", "/a folder"),
}
ABOUT = Questions(
    32,
    n_classes=2,
    base="someone/base",
    rank=2,
    links=("/one", "/two", "/three", "/four"),
    parts=(FileModule("a", ((3, 2),), "query"),),
)


@pytest.fixture
def held(qapp: QApplication) -> HeldQuestions:
    return HeldQuestions(qapp, HeldJobs())


@pytest.fixture
def form(qtbot: QtBot, look: Look, held: HeldQuestions) -> Iterator[AnswerForm]:
    window = QWidget()
    qtbot.addWidget(window)
    field = QLineEdit(window)
    found = AnswerForm(look, held.answering, window)
    window.resize(900, 900)
    window.show()
    found.ask(field)
    yield found
    held.answering.cancel()


def _ask(held: HeldQuestions, *names: str, in_force: Answers | None = None) -> None:
    questions = Questions(
        **{field.name: getattr(ABOUT, field.name) for field in fields(ABOUT)}
        | {"names": names, "in_force": in_force or Answers()}
    )
    held.engine.errors["mine"] = AnswersError("", "", questions)
    held.open("mine")


def test_there_is_a_row_for_every_answer() -> None:
    assert {*QUESTIONS} == {field.name for field in fields(Answers)}
    assert {name for name, one in QUESTIONS.items() if one.is_typed} == {*TYPED}


@pytest.mark.parametrize("name", [name for name in QUESTIONS if name != "parts"])
def test_a_question_is_shown_alone_and_answered(held: HeldQuestions, form: AnswerForm, name: str) -> None:
    _ask(held, name)
    form.show()
    row = form.questions.by_name[name]
    assert [one for one, shown in form.questions.by_name.items() if shown.isVisible()] == [name]
    assert all(label.text() for label in (row.title, row.meaning))
    given: list[Value] = []
    if name in TYPED:
        form.take_cursor()
        QTest.keyClicks(form.questions.typed[name].field, TYPED[name][0])
        assert row.verdict.property("tone") == ""
        given.append(TYPED[name][1])
    else:
        button = row.findChildren(QPushButton)[1]
        assert button.toolTip()
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)
        given.append(QUESTIONS[name].choices[0].value)
    assert QUESTIONS[name].accepts(given[0])
    QTest.mouseClick(form.open_button, Qt.MouseButton.LeftButton)
    held.work()
    assert held.engine.answered == [("mine", Answers(**{name: given[0]}))]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "offers"),
    [
        ("norm_eps", ["1e-12", "1e-5", "1e-6"]),
        ("base", ["someone/base"]),
        ("lora_alpha", ["0", "1", "2", "4"]),
        ("labels", []),
    ],
)
def test_what_is_offered_is_typed_by_a_click(
    held: HeldQuestions, form: AnswerForm, name: str, offers: list[str]
) -> None:
    _ask(held, name)
    form.show()
    row = form.questions.typed[name]
    shown = [button for button in row.offers if button.isVisible()]
    assert [button.text() for button in shown] == offers
    assert all(button.toolTip() for button in shown)
    for button in shown[-1:]:
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)
        assert row.field.text() == offers[-1]
        assert held.answering.typed.answers is not None


def test_what_is_in_force_is_filled_in_and_what_a_checkpoint_cannot_have_is_disabled(
    held: HeldQuestions, form: AnswerForm
) -> None:
    held.workspace.facts = replace(
        FACTS,
        questions=Questions(
            32,
            Answers(4, 1e-5, False, classifier_reads="mean"),
            ("n_heads", "norm_eps", "lower_case", "classifier_reads"),
            choices={"classifier_reads": ("first", "mean", "none")},
            seems_lower_case=True,
        ),
    )
    held.answering.ask_again()
    rows = form.questions
    assert [rows.typed[name].field.text() for name in ("n_heads", "norm_eps")] == ["4", "1e-5"]
    assert rows.by_name["lower_case"].verdict.text() == "Likely: its vocabulary has no capital letters."
    assert [rows.choices[name].choice.chosen_key for name in ("lower_case", "classifier_reads")] == [
        "False",
        "mean",
    ]
    buttons = [one for one in rows.choices["classifier_reads"].findChildren(QPushButton) if one.text()]
    assert [one.text() for one in buttons if not one.isEnabled()] == ["Pooled", "Maximum"]


def test_a_folder_is_chosen(held: HeldQuestions, form: AnswerForm, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: "/chosen")
    _ask(held, "tokenizer")
    form.show()
    row = form.questions.typed["tokenizer"]
    QTest.mouseClick(row.findChildren(QPushButton)[0], Qt.MouseButton.LeftButton)
    assert row.field.text() == "/chosen"


def test_the_links_are_named(held: HeldQuestions, form: AnswerForm) -> None:
    _ask(held, "links")
    assert "/one, /two, /three …" in form.questions.by_name["links"].meaning.text()
    assert any("settings of this program" in label.text() for label in form.findChildren(QLabel))
