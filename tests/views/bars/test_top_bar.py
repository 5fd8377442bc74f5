"""The bar on top: what is typed is emitted whole, and the second sentence comes and goes."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QFocusEvent, QGuiApplication, QInputMethodEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from bertviz_app.views.bars.picker_button import PickerButton
from bertviz_app.views.bars.top_bar import TopBar
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.progress_line import ProgressLine
from bertviz_app.views.kit.style import style_sheet
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


def test_every_key_press_emits_the_text(qtbot: QtBot, bar: TopBar, edited: Texts) -> None:
    QTest.keyClicks(bar.text, "cat")
    assert edited == [("c", None), ("ca", None), ("cat", None)]


def test_ctrl_with_home_and_end_goes_to_the_ends_of_the_sentence(bar: TopBar) -> None:
    ctrl, shift = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
    bar.text.setText("the cat")
    QTest.keyClick(bar.text, Qt.Key.Key_Home, ctrl)
    assert bar.text.cursorPosition() == 0
    QTest.keyClick(bar.text, Qt.Key.Key_End, ctrl | shift)
    assert bar.text.selectedText() == "the cat"
    QTest.keyClick(bar.text, Qt.Key.Key_Home, ctrl | shift)
    assert not bar.text.hasSelectedText()
    QTest.keyClick(bar.text, Qt.Key.Key_End, ctrl)
    assert bar.text.cursorPosition() == 7
    assert not bar.text.hasSelectedText()


def test_korean_comes_from_an_input_method(bar: TopBar, edited: Texts) -> None:
    event = QInputMethodEvent()
    event.setCommitString("고양이")
    QApplication.sendEvent(bar.text, event)
    assert edited == [("고양이", None)]


def test_a_syllable_that_is_still_composed_is_not_emitted(bar: TopBar, edited: Texts) -> None:
    QApplication.sendEvent(bar.text, QInputMethodEvent("ㄱ", []))
    assert edited == []


@pytest.mark.parametrize("n_characters", [100, 40_000])
def test_what_is_pasted_is_kept_whole(bar: TopBar, edited: Texts, n_characters: int) -> None:
    text = ("word " * n_characters)[:n_characters]
    QGuiApplication.clipboard().setText(text)
    bar.text.paste()
    assert edited == [(text, None)]
    assert bar.text.text() == text


def test_the_second_sentence_opens_with_the_cursor_in_it(qtbot: QtBot, bar: TopBar, edited: Texts) -> None:
    assert not bar.pair.isVisible()
    QTest.mouseClick(bar.add_pair, Qt.MouseButton.LeftButton)
    assert bar.pair.isVisible()
    assert not bar.add_pair.isVisible()
    assert bar.pair.hasFocus()
    QTest.keyClicks(bar.pair, "hi")
    assert edited[-1] == ("", "hi")


def test_left_empty_the_second_sentence_closes(qtbot: QtBot, bar: TopBar) -> None:
    bar.open_pair()
    bar.text.setFocus()
    QApplication.sendEvent(bar.pair, QFocusEvent(QEvent.Type.FocusOut))
    qtbot.waitUntil(lambda: not bar.pair.isVisible())
    assert bar.add_pair.isVisible()


def test_left_with_words_the_second_sentence_stays(bar: TopBar) -> None:
    bar.open_pair()
    QTest.keyClicks(bar.pair, "hi")
    bar.text.setFocus()
    QApplication.sendEvent(bar.pair, QFocusEvent(QEvent.Type.FocusOut))
    turn_events()
    assert bar.pair.isVisible()


def test_emptied_while_one_types_in_it_the_second_sentence_stays(qtbot: QtBot, bar: TopBar) -> None:
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


def test_the_second_sentence_can_be_taken_away(qtbot: QtBot, bar: TopBar, edited: Texts) -> None:
    bar.texts_edited.connect(bar.set_texts)
    bar.set_texts("one", "two")
    assert bar.pair.isVisible()
    bar.close_pair()
    assert edited[-1] == ("one", None)
    assert not bar.pair.isVisible()


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


def test_a_picker_shows_the_choice_in_a_limited_width(qtbot: QtBot, look: Look) -> None:
    picker = PickerButton(look, 300)
    picker.set_texts("model", "BERT · 6 × 12")
    assert picker.accessibleName() == "model BERT · 6 × 12"
    narrow = picker.sizeHint().width()
    picker.set_texts("model" * 100)
    assert narrow < picker.sizeHint().width() == 300


@pytest.mark.parametrize(
    ("is_busy", "fraction", "filled"), [(False, None, 0.0), (True, 0.25, 0.25), (True, 1.0, 1.0)]
)
def test_the_line_of_progress_is_as_long_as_what_is_done(
    qtbot: QtBot, look: Look, is_busy: bool, fraction: float | None, filled: float
) -> None:
    line = on_screen(qtbot, ProgressLine(look), 400, 2)
    line.set_progress(is_busy, fraction)
    accent = look.colour("accent").rgb() & 0xFFFFFF
    assert (pixels_of(line)[0] == accent).mean() == pytest.approx(filled, abs=0.01)


def test_a_long_sentence_shows_its_beginning_once_it_is_left(bar: TopBar) -> None:
    bar.set_texts("one " * 40, None)
    assert bar.text.cursorPosition() == 0
    bar.text.setFocus()
    bar.text.setCursorPosition(90)
    QTest.keyClick(bar.text, Qt.Key.Key_Tab)
    assert not bar.text.hasFocus()
    assert bar.text.cursorPosition() == 0


def test_where_there_is_little_room_the_sentences_get_it(bar: TopBar) -> None:
    bar.models.set_texts("model", "BERT · 6 layers × 12 heads · 384")
    bar.resize(1260, 48)
    whole = bar.models.sizeHint().width()
    assert whole == bar.models.full_width
    bar.open_pair()
    assert bar.models.sizeHint().width() < whole
    bar.close_pair()
    assert bar.models.sizeHint().width() == whole
    bar.resize(800, 48)
    assert bar.models.sizeHint().width() < whole


def test_a_remark_gives_way_to_the_sentence_before_the_checkpoint_does(bar: TopBar) -> None:
    bar.models.set_texts("model", "BERT · 6 layers × 12 heads · 384")
    bar.resize(1350, 48)
    before = bar.models.sizeHint().width(), bar.text.width()
    bar.remarks.set_remarks(["This checkpoint's pooler is not used by the model that was trained."])
    turn_events()
    assert bar.models.sizeHint().width() == before[0]
    assert bar.remarks.text() == "Remarks: 1"
    assert bar.text.width() >= 330
    bar.resize(1750, 48)
    assert bar.remarks.text().startswith("This checkpoint")


def test_a_picker_has_more_room_where_letters_are_larger(qtbot: QtBot, look: Look) -> None:
    picker = PickerButton(look, 300)
    qtbot.addWidget(picker)
    picker.set_texts("model" * 100)
    look.set_scale(1.5)
    assert picker.sizeHint().width() == 450


def test_remarks_leave_the_sentence_its_room(bar: TopBar) -> None:
    bar.models.set_texts("all-MiniLM-L6-v2", "BERT · 6 layers × 12 heads · 384")
    bar.resize(1280, bar.height())
    QApplication.processEvents()
    sentence = "A cat ate the fish because it was hungry"
    bar.remarks.set_remarks(["This checkpoint's pooler is not used by sentence-transformers", "Another"])
    QApplication.processEvents()
    assert bar.remarks.isVisible()
    assert bar.text.width() > bar.text.fontMetrics().horizontalAdvance(sentence)


def test_remarks_are_as_wide_as_they_ask_to_be_once_they_are_set(bar: TopBar, look: Look) -> None:
    bar.setStyleSheet(style_sheet(look))
    bar.models.set_texts("all-MiniLM-L6-v2", "BERT · 6 layers × 12 heads · 384")
    bar.resize(1280, bar.height())
    QApplication.processEvents()
    bar.remarks.set_remarks(["This checkpoint's pooler is not used by sentence-transformers", "Another"])
    QApplication.processEvents()
    assert bar.remarks.width() == bar.remarks.sizeHint().width()


def test_in_a_narrow_bar_the_palettes_button_leaves_its_room_to_the_sentence(bar: TopBar) -> None:
    bar.models.set_texts("model", "BERT · 6 layers × 12 heads · 384")
    bar.resize(1300, 48)
    assert bar.commands.isVisibleTo(bar)
    bar.resize(760, 48)
    turn_events()
    assert not bar.commands.isVisibleTo(bar)
    bar.resize(1300, 48)
    assert bar.commands.isVisibleTo(bar)
