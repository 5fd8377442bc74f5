"""The window from end to end on a fake engine: what one types is shown, and nothing is lost by a mistake."""

from __future__ import annotations

import logging
import time

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QMessageBox, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from bertviz_app.errors import CheckpointError
from bertviz_app.shell.application import Faults
from bertviz_app.shell.feature import features
from bertviz_app.shell.settings import SettingsStore, Theme, read_palette
from bertviz_app.shell.window.window import MainWindow
from bertviz_app.viewmodels.analyses.analyses import DrawnPanel
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.panel import PANEL_KINDS, Panel
from bertviz_app.views.attention.lines import FAINT_LINES
from bertviz_app.views.kit.canvas import LaterWork
from bertviz_app.views.kit.look import Look
from bertviz_app.views.panels.card import PanelCard
from tests.support.fakes import FakeEngine
from tests.support.scene import channels, click, not_none, pixels_of
from tests.support.window_fixtures import Settle

NONE, SHIFT = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier


class Paints(QObject):
    """Notes which widgets are painted in the present turn of the event loop."""

    def __init__(self, *watched: QWidget) -> None:
        super().__init__()
        self.of_turn = set[QWidget]()
        for widget in watched:
            widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint and isinstance(watched, QWidget):
            self.of_turn.add(watched)
        return False


class Hands:
    """What a user does with the window, waiting for what comes of it."""

    def __init__(self, qtbot: QtBot, window: MainWindow, app_state: AppState) -> None:
        self._qtbot = qtbot
        self.window = window
        self.app_state = app_state
        self.workspace = app_state.workspace

    def type(self, text: str) -> None:
        """Replace sentence 1, and wait until it is shown or refused."""
        self.window.frame.bar.text.selectAll()
        if text:
            QTest.keyClicks(self.window.frame.bar.text, text)
        else:
            QTest.keyClick(self.window.frame.bar.text, Qt.Key.Key_Delete)
        self.settle()

    def settle(self) -> None:
        self._qtbot.waitUntil(lambda: not self.workspace.is_busy)

    @property
    def words(self) -> str:
        """The tokens in the strip."""
        return self.window.main_area.strip.accessibleDescription()

    def press(self, text: str) -> None:
        """Click the button with this text on the notice."""
        buttons = self.window.notice.findChildren(QPushButton)
        button = next(button for button in buttons if button.text() == text)
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)
        self.settle()


@pytest.fixture
def hands(qtbot: QtBot, window: MainWindow, app_state: AppState) -> Hands:
    return Hands(qtbot, window, app_state)


@pytest.fixture
def hands_with_text(hands: Hands) -> Hands:
    """A window in which a text is shown."""
    hands.type("the cat sat")
    return hands


def test_at_first_the_welcome_page_is_shown_and_its_examples_fill_the_window(hands: Hands) -> None:
    assert hands.window.frame.welcome.isVisible()
    assert not hands.window.notice.isVisible()
    QTest.mouseClick(hands.window.frame.welcome.buttons[0], Qt.MouseButton.LeftButton)
    hands.settle()
    assert hands.window.main_area.isVisible()
    assert hands.workspace.is_current


def test_before_there_is_a_text_no_control_is_offered_that_acts_on_one(
    window: MainWindow, app_state: AppState, settle: Settle
) -> None:
    bar = window.frame.bar
    parts = (bar.numbers, bar.compare, bar.add_pair)
    assert app_state.rooms.room == "research"
    assert [part.isVisible() for part in parts] == [False] * 3
    settle("the cat sat")
    assert [part.isVisible() for part in parts] == [True] * 3


def test_what_one_types_is_shown_everywhere(qtbot: QtBot, hands_with_text: Hands) -> None:
    window = hands_with_text.window
    assert hands_with_text.workspace.is_current
    assert window.main_area.isVisible()
    assert hands_with_text.words == "[CLS] the cat sat [SEP]"
    assert window.main_area.cards.overview.view.grid == (2, 3)
    assert window.main_area.heads.heads.rowCount() == 6
    assert window.main_area.inspector_page.numbers.accessibleDescription().startswith("the → ")
    facts, remark = window.frame.status.words
    assert "5 tokens" in facts
    assert "2 layers × 3 heads" in facts
    assert "CPU" in facts
    assert remark == ""
    qtbot.waitUntil(lambda: window.main_area.area.is_complete)
    trace = not_none(hands_with_text.workspace.shown).result.trace
    pictures = [card.view.picture for card in window.main_area.area.cards.values()]
    assert [picture is not None and picture.trace is trace for picture in pictures] == [True, True]
    middle = window.main_area.cards.overview.view.cell_rect(0, 1).center()
    click(window.main_area.cards.overview.view, middle.x(), middle.y())
    assert {(panel.layer, panel.head) for panel in window.app_state.panels.panels} == {(0, 1)}
    assert {card.title.text() for card in window.main_area.area.cards.values()} == {"Layer 0 · Head 1"}


def test_a_text_that_takes_long_can_be_cancelled_in_the_status_line(hands_with_text: Hands) -> None:
    status, workspace = hands_with_text.window.frame.status, hands_with_text.workspace
    assert not status.link.isVisible()
    workspace.set_texts("the dog", None, at_once=True)
    QApplication.processEvents()
    workspace.encoding.progress = 0.4
    workspace.activity_changed.emit()
    assert status.words[1] == "Encoding the text … 40%"
    assert status.link.text() == "Cancel"
    QTest.mouseClick(status.link, Qt.MouseButton.LeftButton)
    assert status.words[1] == "The text was not encoded."
    hands_with_text.settle()
    assert hands_with_text.words == "[CLS] the cat sat [SEP]"
    QTest.mouseClick(status.link, Qt.MouseButton.LeftButton)
    hands_with_text.settle()
    assert hands_with_text.words == "[CLS] the dog [SEP]"
    assert status.words[1] == ""
    assert not status.link.isVisible()


def test_letters_beside_the_field_that_mean_nothing_there_are_typed_into_it(hands_with_text: Hands) -> None:
    """Such as those of an image without one, and those of run B without run B."""
    window, field = hands_with_text.window, hands_with_text.window.frame.bar.text
    shown = [panel.kind for panel in hands_with_text.app_state.panels.panels]
    for key, modifier, expected in (
        (Qt.Key.Key_I, SHIFT, "the cat sat I"),
        (Qt.Key.Key_A, SHIFT, "the cat sat I A"),
        (Qt.Key.Key_Z, NONE, " z"),
    ):
        window.main_area.area.cards[hands_with_text.app_state.panels.panels[0].number].view.setFocus()
        assert not field.hasFocus()
        QTest.keyClick(QApplication.focusWidget() or window, key, modifier)
        assert field.hasFocus()
        assert field.text().endswith(expected)
        hands_with_text.settle()
    assert [panel.kind for panel in hands_with_text.app_state.panels.panels] == shown
    field.clearFocus()
    QTest.keyClick(window, Qt.Key.Key_H)
    assert not field.hasFocus(), "hides special tokens"
    assert hands_with_text.app_state.store.now.options.hides_special


def test_on_the_start_page_every_letter_is_typed(hands: Hands) -> None:
    hands.app_state.rooms.enter("learn")
    button, field = hands.window.frame.welcome.buttons[0], hands.window.frame.welcome.field
    button.setFocus()
    QTest.keyClick(button, Qt.Key.Key_L)
    assert field.text() == "l"
    assert field.hasFocus()


def test_the_key_of_the_start_page_works_from_every_text_field(hands_with_text: Hands) -> None:
    """A field of one line has no use for it: Home alone leads to its beginning."""
    window = hands_with_text.window
    hands_with_text.app_state.rooms.enter("research")
    window.frame.toggle_comparison()
    fields = {field for field in window.frame.findChildren(QLineEdit) if field.isVisible()}
    assert {window.frame.bar.text, window.frame.compare.text} <= fields
    for field in fields:
        hands_with_text.type("the cat sat")
        field.setFocus()
        QTest.keyClick(field, Qt.Key.Key_Home, Qt.KeyboardModifier.ControlModifier)
        hands_with_text.settle()
        assert window.frame.welcome.isVisible(), field


def test_without_a_text_there_is_the_start_page_and_no_error(hands_with_text: Hands) -> None:
    window = hands_with_text.window
    hands_with_text.type("")
    assert not window.notice.isVisible()
    assert window.frame.bar.text.property("problem") is not True
    assert window.frame.welcome.isVisible()
    assert window.frame.status.words == ("", "")
    QTest.mouseClick(window.frame.welcome.last, Qt.MouseButton.LeftButton)
    hands_with_text.settle()
    assert window.frame.bar.text.text() == "the cat sat"
    assert window.main_area.isVisible()
    assert hands_with_text.words == "[CLS] the cat sat [SEP]"
    next(one for one in window.commands() if one.text == "Start page").run()
    hands_with_text.settle()
    assert window.frame.welcome.isVisible()
    hands_with_text.type("the dog sat")
    assert window.main_area.isVisible()
    assert hands_with_text.words == "[CLS] the dog sat [SEP]"


def test_a_notice_covers_nothing_goes_with_the_next_good_text_and_takes_unreadable_characters_out(
    hands_with_text: Hands,
) -> None:
    window = hands_with_text.window
    hands_with_text.workspace.set_texts("the\ud800cat", None, at_once=True)
    hands_with_text.settle()
    assert window.notice.isVisible()
    assert window.frame.bar.text.property("problem") is True
    QApplication.processEvents()
    strip, notice = window.main_area.strip, window.notice
    below = notice.mapTo(window, notice.rect().bottomLeft()).y()
    assert strip.mapTo(window, QPoint()).y() > below
    assert hands_with_text.words == "[CLS] the cat sat [SEP]"
    hands_with_text.type("again")
    assert not window.notice.isVisible()
    assert window.frame.bar.text.property("problem") is False
    assert hands_with_text.words == "[CLS] again [SEP]"
    hands_with_text.workspace.set_texts("the\ud83d dog", None, at_once=True)
    hands_with_text.settle()
    assert window.notice.isVisible()
    hands_with_text.press("Take them out")
    assert window.frame.bar.text.text() == "the dog"
    assert hands_with_text.words == "[CLS] the dog [SEP]"
    assert not window.notice.isVisible()


def _contrast(widget: QWidget, look: Look) -> float:
    """Return how far the pixels of a widget are from the ground of a card, on average."""
    ground = channels(look.colour("card").rgb())
    levels = [pixels_of(widget) >> shift & 255 for shift in (16, 8, 0)]
    return float(np.mean([np.abs(one.astype(float) - of) for one, of in zip(levels, ground, strict=True)]))


def test_while_a_text_cannot_be_read_every_view_of_the_one_before_is_dimmed(
    qtbot: QtBot, hands_with_text: Hands
) -> None:
    area = hands_with_text.window.main_area
    canvases = (area.strip, area.cards.overview.view, area.inspector_page.numbers)
    table, bars, look = area.cards.heads, area.vector.plot, area.strip.look
    qtbot.waitUntil(lambda: area.area.is_complete)
    before = _contrast(table, look), _contrast(bars, look)
    hands_with_text.workspace.set_texts("the\ud800cat", None, at_once=True)
    qtbot.waitUntil(lambda: all(canvas.is_stale for canvas in canvases))
    assert _contrast(table, look) < 0.9 * before[0]
    assert _contrast(bars, look) < 0.8 * before[1]
    hands_with_text.type("the dog sat")
    qtbot.waitUntil(lambda: not any(canvas.is_stale for canvas in canvases))


def test_a_problem_of_sentence_b_stands_under_sentence_b(hands_with_text: Hands) -> None:
    bar = hands_with_text.window.frame.bar
    bar.open_pair()
    QTest.keyClicks(bar.pair, "  ")
    hands_with_text.settle()
    assert hands_with_text.window.notice.isVisible()
    assert bar.pair.property("problem") is True
    assert bar.text.property("problem") in (None, False)
    assert bar.pair.text() == "  "


def test_a_text_that_was_cut_has_a_count_of_the_tokens_left_out(hands_with_text: Hands) -> None:
    hands_with_text.type("w " * 20)
    assert (
        hands_with_text.window.frame.status.words[1] == "6 tokens were left out: this model reads at most 16."
    )
    margin = hands_with_text.window.frame.bar.text.textMargins().right()
    assert margin > 40
    assert (
        hands_with_text.window.frame.bar.text.toolTip()
        == "6 tokens were left out: this model reads at most 16."
    )
    hands_with_text.type("short")
    assert hands_with_text.window.frame.bar.text.textMargins().right() == 0
    assert "left out" not in hands_with_text.window.frame.status.words[1]


def test_shift_click_adds_panels_up_to_six_and_then_shows_a_sentence(
    hands_with_text: Hands, app_state: AppState
) -> None:
    overview = hands_with_text.window.main_area.cards.overview.view
    middle = overview.cell_rect(1, 1).center()
    click(overview, middle.x(), middle.y())
    assert len(app_state.panels.panels) == 2
    for n_panels in (3, 4, 5, 6):
        click(overview, middle.x(), middle.y(), SHIFT)
        assert len(app_state.panels.panels) == len(hands_with_text.window.main_area.area.cards) == n_panels
    assert "six panels" not in hands_with_text.window.frame.status.words[1]
    click(overview, middle.x(), middle.y(), SHIFT)
    assert len(app_state.panels.panels) == 6
    assert hands_with_text.window.frame.status.words[1].startswith("There can be six panels.")


def test_a_checkpoint_that_fails_leaves_the_old_one_in_use(
    hands_with_text: Hands, engine: FakeEngine
) -> None:
    engine.errors["broken"] = CheckpointError("This is no checkpoint.", "Choose another folder.")
    hands_with_text.workspace.open_model("broken")
    hands_with_text.settle()
    assert hands_with_text.window.notice.message == "This is no checkpoint. Choose another folder."
    assert hands_with_text.words == "[CLS] the cat sat [SEP]"
    hands_with_text.type("goes on")
    assert hands_with_text.words == "[CLS] goes on [SEP]"


def test_a_device_that_is_missing_can_be_left_by_one_click(hands_with_text: Hands) -> None:
    hands_with_text.workspace.set_device("cuda:3")
    hands_with_text.settle()
    assert "cuda:3" in hands_with_text.window.notice.message
    hands_with_text.press("Use the CPU")
    assert not hands_with_text.window.notice.isVisible()
    assert hands_with_text.workspace.is_current


def test_typing_fast_ends_with_the_last_text_and_the_last_picture_stays_meanwhile(
    hands_with_text: Hands,
) -> None:
    hands_with_text.workspace.set_texts("newer", None)
    assert hands_with_text.words == "[CLS] the cat sat [SEP]"
    assert not hands_with_text.workspace.is_current
    hands_with_text.settle()
    assert hands_with_text.words == "[CLS] newer [SEP]"
    text, field = "the cat ate the fish because it was hungry", hands_with_text.window.frame.bar.text
    field.selectAll()
    QTest.keyClicks(field, text)
    hands_with_text.settle()
    assert not_none(hands_with_text.workspace.shown).result.request.text == text


def test_a_text_reaches_each_panel_once_and_faint_lines_wait_while_it_is_encoded(
    hands_with_text: Hands, settle: Settle, monkeypatch: pytest.MonkeyPatch
) -> None:
    show_drawn, hold = PanelCard.show_drawn, LaterWork.hold
    drawn, held = list[int](), list[tuple[str, bool]]()

    def note_drawn(card: PanelCard, what: DrawnPanel) -> None:
        drawn.append(card.panel.number)
        show_drawn(card, what)

    def note_held(later: LaterWork, name: str, owner: QObject, *, is_held: bool) -> None:
        held.append((name, is_held))
        hold(later, name, owner, is_held=is_held)

    monkeypatch.setattr(PanelCard, "show_drawn", note_drawn)
    monkeypatch.setattr(LaterWork, "hold", note_held)
    settle("the dog sat")
    assert hands_with_text.words == "[CLS] the dog sat [SEP]"
    assert drawn == [panel.number for panel in hands_with_text.app_state.panels.panels]
    assert held == [(FAINT_LINES, True), (FAINT_LINES, False)]


def test_another_theme_recolours_the_window_and_is_remembered(
    hands_with_text: Hands, store: SettingsStore
) -> None:
    window = hands_with_text.window
    window.resize(window.minimumSize())
    assert pixels_of(window).shape == (window.minimumHeight(), window.minimumWidth())
    bright = pixels_of(hands_with_text.window).astype(np.uint8).mean()
    hands_with_text.window.appearance.toggle_theme()
    assert store.settings.theme == "dark"
    assert pixels_of(window).shape == (window.minimumHeight(), window.minimumWidth())
    assert pixels_of(hands_with_text.window).astype(np.uint8).mean() < bright / 2
    hands_with_text.window.appearance.toggle_theme()
    assert pixels_of(hands_with_text.window).astype(np.uint8).mean() == pytest.approx(bright, rel=0.05)


def test_the_window_comes_back_with_the_size_it_had(
    qtbot: QtBot, window: MainWindow, app_state: AppState, store: SettingsStore, application: QApplication
) -> None:
    window.resize(960, 700)  # the off-screen screen is no larger
    window.close()
    assert store.settings.geometry
    look = Look(read_palette("light"))
    again = MainWindow(app_state, look, Theme(application, look), store, features())
    qtbot.addWidget(again)
    again.restore()
    assert (again.width(), again.height()) == (960, 700)
    sizes = []
    for geometry in ("", "no geometry at all"):
        again.resize(900, 720)
        store.change(geometry=geometry)
        again.restore()
        sizes.append(again.size())
    assert sizes[0] == sizes[1], "a damaged size is none"


def test_a_defect_is_reported_once_and_the_window_goes_on(
    hands_with_text: Hands, engine: FakeEngine, app_state: AppState, caplog: pytest.LogCaptureFixture
) -> None:
    faults = Faults(hands_with_text.window)
    app_state.failed.connect(faults.report_error)
    engine.errors["bad"] = ZeroDivisionError("a defect")
    engine.errors["worse"] = ZeroDivisionError("another")
    hands_with_text.type("bad")
    hands_with_text.type("worse")
    (box,) = hands_with_text.window.findChildren(QMessageBox)
    assert "ZeroDivisionError: a defect" in box.informativeText()
    assert [record.levelno for record in caplog.records] == [logging.ERROR] * 2
    caplog.clear()
    box.accept()
    hands_with_text.type("good")
    assert hands_with_text.words == "[CLS] good [SEP]"


def test_six_panels_are_equally_high(window: MainWindow, app_state: AppState, qtbot: QtBot) -> None:
    window.resize(1600, 1000)
    app_state.workspace.set_texts("the cat sat on the mat", "a dog", at_once=True)
    qtbot.waitUntil(lambda: app_state.workspace.shown is not None and not app_state.workspace.is_busy)
    for _ in range(4):
        app_state.panels.add(1, 1)
    cards = window.main_area.area.cards.values()
    qtbot.waitUntil(lambda: len(cards) == 6 and all(card.isVisible() for card in cards))
    grid = not_none(window.main_area.area.layout())
    grid.activate()
    heights = {card.height() for card in cards}
    assert max(heights) - min(heights) <= 1, heights
    assert {card.panel.view_kind for card in cards} == {"lines", "matrix"}


def test_after_a_click_on_a_panel_its_keys_do_not_go_into_the_text(
    window: MainWindow, app_state: AppState, qtbot: QtBot
) -> None:
    for view_kind in PANEL_KINDS:
        app_state.workspace.set_texts("the cat", None, at_once=True)
        qtbot.waitUntil(lambda: app_state.workspace.shown is not None and not app_state.workspace.is_busy)
        app_state.panels.open([Panel(0, 0, 0, view_kind)])
        card = next(iter(window.main_area.area.cards.values()))
        for part in (card.title, card.view):
            window.frame.bar.text.setFocus()
            QTest.mouseClick(part, Qt.MouseButton.LeftButton)
            focused = not_none(QApplication.focusWidget())
            assert focused is card or card.isAncestorOf(focused)
            QTest.keyClick(focused, Qt.Key.Key_BracketLeft)
            assert window.frame.bar.text.text() == "the cat"


@pytest.mark.fresh_window
def test_the_views_of_a_new_text_are_painted_in_turns_so_that_a_key_can_come_between_them(
    window_with_text: MainWindow, app_state: AppState
) -> None:
    area = window_with_text.main_area
    inspector = area.inspector_page.numbers
    views: list[QWidget] = [area.strip, area.cards.overview.view, area.heads.viewport(), inspector]
    views += area.area.cards.values()
    paints = Paints(*views)
    app_state.workspace.set_texts("the cat sat and ate", None, at_once=True)
    most, painted = 0, set[QWidget]()

    def is_painted() -> bool:
        nonlocal most
        most, painted_before = max(most, len(paints.of_turn)), len(painted)
        painted.update(paints.of_turn)
        paints.of_turn.clear()
        return len(painted) == len(views) == painted_before and app_state.workspace.is_current

    until = time.monotonic() + 120
    while not is_painted() and time.monotonic() < until:
        QApplication.processEvents()  # one turn; `waitUntil` would take several
    assert painted == set(views)
    assert most == 1
