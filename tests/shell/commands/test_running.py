"""Every command of `catalogue` is run: each has an effect in the window, and calls its part without one."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from typing import TypeVar
from unittest.mock import Mock, call

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QFileDialog, QInputDialog, QPushButton
from pytestqt.qtbot import QtBot

from bertviz_app.analysis.catalogue import CATALOGUE
from bertviz_app.analysis.parameters import Reporter
from bertviz_app.analysis.results import Result
from bertviz_app.features.lessons.views.teaching import BlackScreen
from bertviz_app.features.steps.views.view import StepsView
from bertviz_app.features.vectors.view import VectorsView
from bertviz_app.inference.engine import AnalysisRequest
from bertviz_app.shell.commands.menus import Command
from bertviz_app.shell.commands.views import all_commands
from bertviz_app.shell.window.window import MainWindow
from bertviz_app.trace import Trace
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.panel import Content, Panel
from bertviz_app.viewmodels.state import Pair, WindowState, change_options, change_overview
from bertviz_app.views.kit.widgets import Notice, notice_area
from tests.support.fakes import FakeEngine
from tests.support.made_up import Norms
from tests.support.patience import LIMIT_MS
from tests.support.scene import expect, not_none
from tests.support.window_fixtures import Settle

Digest = tuple[object, ...]
_View = TypeVar("_View", StepsView, VectorsView)


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What would wait for the user: the dialogs that choose files, and menus. The user cancels them all."""
    found: list[str] = []

    def cancelled(name: str, value: object) -> Callable[..., object]:
        def ask(*_: object, **__: object) -> object:
            found.append(name)
            return value

        return ask

    for name, value in (
        ("getOpenFileName", ("", "")),
        ("getSaveFileName", ("", "")),
        ("getExistingDirectory", ""),
    ):
        monkeypatch.setattr(QFileDialog, name, cancelled(name, value))
    monkeypatch.setattr(QInputDialog, "getText", cancelled("getText", ("", False)))
    monkeypatch.setattr(
        QPushButton, "showMenu", lambda button: found.append(f"menu {button.accessibleName()}")
    )
    return found


@pytest.fixture
def norms(engine: FakeEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    """The fake model has norms, so that they can be shown instead of weights."""
    norms, analyse = Norms(), engine.analyse

    def analyse_norms(
        request: AnalysisRequest, trace: Trace, reporter: Reporter, other: Trace | None = None
    ) -> Result:
        of = norms.analyse if request.key.startswith("norm-attention") else analyse
        return of(request, trace, reporter, other)

    monkeypatch.setattr(engine, "analyse", analyse_norms)


@pytest.fixture
def compared(
    sheets: list[str], norms: None, qtbot: QtBot, window: MainWindow, app_state: AppState, settle: Settle
) -> Iterator[MainWindow]:
    """Two runs, three kinds of panels, a pinned token, a kept sentence: something for each command."""
    app_state.workspace.set_texts("the cat sat", "on the mat", at_once=True)
    settle()
    app_state.comparison.set_texts("a dog sat", None)
    settle()
    app_state.panels.open([Panel(0, 1, 1, view_kind) for view_kind in ("lines", "steps", "vectors")])
    app_state.kept_vectors.keep()
    qtbot.waitUntil(lambda: window.main_area.area.is_complete)
    app_state.selection.pin(query=1)
    window.resize(1000, 640)  # fewer pixels to compare
    window.setFocus()
    flash = QApplication.cursorFlashTime()
    QApplication.setCursorFlashTime(0)  # on a slow machine each picture would show the cursor otherwise
    yield window
    QApplication.setCursorFlashTime(flash)
    window.presentation.leave()


def _pin_pair(app_state: AppState) -> None:
    """Pin a pair while the head that gives it least weight is shown."""
    app_state.selection.show(Pair(1, 2))
    pair = not_none(app_state.shown_runs.pinned_pair.of("A"))
    weakest = pair.strongest(pair.column.weights.size)[-1]
    app_state.panels.show(weakest.layer, weakest.head)


def _prepare(window: MainWindow, app_state: AppState, text: str) -> None:
    """Bring the window into a state that the command is not already in."""
    store = app_state.store
    prepare: dict[str, Callable[[], object]] = {
        "Research: everything": lambda: app_state.rooms.enter("explore"),
        "Remove sentence 2": window.frame.bar.open_pair,
        "Clear recent texts and files": lambda: window.session.recents.add_checkpoint("org/name"),
        "Draw the panel as lines": lambda: app_state.panels.draw_as(_active(app_state).number, "matrix"),
        "Show run A in the panel": lambda: app_state.panels.show_run(_active(app_state).number, "B"),
        "Show in the panel: Attention": lambda: _show_analysis(app_state, "attention-rollout"),
        "Reset drawing options": lambda: change_options(
            store, hides_special=not store.now.options.hides_special
        ),
        "Overview: show the pinned pair in every head, or what was shown before": lambda: _pin_pair(
            app_state
        ),
        "Which head does this? Show the strongest": lambda: _pin_pair(app_state),
        "Which head does this? Show the second": lambda: _pin_pair(app_state),
        "Which head does this? Show the third": lambda: _pin_pair(app_state),
        "Overview: show Attention": lambda: change_overview(store, shows="entropy"),
        "Overview: sort by the measure, or by layer and head": lambda: change_overview(
            store, shows="entropy"
        ),
        "All views: show Attention weights α": lambda: change_options(store, numbers="norm"),
        "All views: show Special tokens shown": lambda: change_options(store, hides_special=True),
        "Overview: show all heads": lambda: change_overview(store, filtered_by="entropy"),
        "More lines": lambda: change_options(store, threshold=0.5),
        "Zoom out": lambda: app_state.viewport.zoom_middle(0.5),
        "Show all tokens": lambda: app_state.viewport.zoom_middle(0.5),
        "Undo all edits: tokens and heads": lambda: app_state.editing.toggle_mask(1),
        "Reset text size": window.appearance.larger,
        "Use the system theme": lambda: window.appearance.choose_theme("dark"),
        "English": lambda: window.appearance.choose_language("ko"),
        "Reset the layout": lambda: window.main_area.docks.toggle("heads"),
        "Steps: previous": lambda: _view(window, StepsView).walk.step(3),
        "Steps: previous layer": lambda: _view(window, StepsView).walk.step_section(1),
        "Steps: follow the token before": lambda: _view(window, StepsView).followed.step(1),
        "Vectors: [CLS] in every layer": lambda: _view(window, VectorsView).show_page("map"),
        "Vectors: next layer": lambda: _show_layers(window, 0),
        "Vectors: previous layer": lambda: _show_layers(window, 1),
        "Remove the selected sentence from the shelf": app_state.kept_vectors.keep,
        "Clear the shelf": app_state.kept_vectors.keep,
        "Add the sentence to the shelf": app_state.kept_vectors.clear,
        "Redo": window.app_state.store.undo,
        "Redo (also while typing)": window.app_state.store.undo,
    }
    if "pinned pair" in text or text.startswith("Which head"):
        _pin_pair(app_state)
    prepare.get(text, lambda: None)()


def _active(app_state: AppState) -> Panel:
    assert app_state.panels.active is not None
    return app_state.panels.active


def _show_analysis(app_state: AppState, key: str) -> None:
    app_state.panels.choose(_active(app_state).number, Content(key))


def _show_layers(window: MainWindow, state: int) -> None:
    """Show a page that has one hidden state at a time."""
    view = _view(window, VectorsView)
    view.show_page("tokens")
    view.show_state(state)


def _view(window: MainWindow, kind: type[_View]) -> _View:
    """Return the first view of a kind."""
    return next(card.view for card in window.main_area.area.cards.values() if isinstance(card.view, kind))


def _digest(window: MainWindow, calls: list[str]) -> Digest:
    """Return what a user could notice but the pixels: windows, the clipboard, what is remembered."""
    widgets = QApplication.topLevelWidgets()
    others = [widget for widget in widgets if widget.isVisible() and widget is not window]
    clipboard, app_state = QGuiApplication.clipboard(), window.app_state
    application = expect(QApplication, QApplication.instance())
    return (
        len(others),
        sum(isinstance(widget, QDialog) for widget in widgets),
        QApplication.focusWidget(),
        window.windowState(),
        clipboard.text(),
        clipboard.image().isNull(),
        tuple(calls),
        tuple(notice.message for notice in _notices(window)),
        window.app_state.store.now,
        window.session.recents.checkpoints,
        app_state.kept_vectors.items,
        (window.appearance.text_size, window.appearance.language),
        app_state.rooms.room,
        window.frame.status.words[1],
        application.styleSheet(),  # of the theme
        (app_state.viewport.queries, app_state.viewport.keys),
    )


def _pixels(window: MainWindow) -> int:
    """Return a checksum of the picture of the window."""
    image = window.grab().toImage()  # its bits live as long as it does
    return zlib.crc32(image.constBits())


def _still(qtbot: QtBot, seen: Callable[[], object]) -> object:
    """Return what is `seen` once it no longer changes by itself."""
    found = [seen()]

    def is_still() -> bool:
        QTest.qWait(10)
        found.append(seen())
        return found[-1] == found[-2]

    qtbot.waitUntil(is_still)
    return found[-1]


class _Running:
    """Runs commands in a window, and returns it to what it showed before."""

    def __init__(self, qtbot: QtBot, window: MainWindow, calls: list[str], settle: Settle) -> None:
        self._qtbot = qtbot
        self._window = window
        self._calls = calls
        self._settle = settle
        self._base = window.app_state.store.now

    def has_effect(self, number: int) -> bool:
        """Return whether a command changes anything.

        Most change the digest before an event is processed, others soon. A command that does not is run once
        more, and the pixels of the window are compared, too.
        """
        return (
            self._changes(number, self._digest, 0)
            or self._changes(number, self._digest, 100)
            or self._changes(number, self._all, LIMIT_MS)
        )

    def _digest(self) -> Digest:
        return _digest(self._window, self._calls)

    def _all(self) -> tuple[Digest, int]:
        return self._digest(), _pixels(self._window)

    def _changes(self, number: int, seen: Callable[[], object], within_ms: int) -> bool:
        """Return whether a command changes what is `seen`, with 0 ms before an event is processed.

        Another language builds the frame anew, and commands with it: each is looked up when it is run.
        """
        QGuiApplication.clipboard().clear()
        _prepare(self._window, self._window.app_state, all_commands(self._window)[number].text)
        self._settle()
        self._qtbot.waitUntil(lambda: self._window.main_area.area.is_complete)
        before = _still(self._qtbot, seen) if within_ms else seen()
        all_commands(self._window)[number].run()
        try:
            if not within_ms:
                return seen() != before
            self._qtbot.waitUntil(lambda: seen() != before, timeout=within_ms)
        except self._qtbot.TimeoutError:
            return False
        finally:
            _restore(self._window, self._base)
            self._settle()
        return True


@pytest.mark.slow
@pytest.mark.fresh_window
def test_every_command_has_an_effect(
    qtbot: QtBot, compared: MainWindow, settle: Settle, calls: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compared, "close_window", lambda: calls.append("close"))
    running = _Running(qtbot, compared, calls, settle)
    commands = all_commands(compared)
    assert not ", ".join(
        command.text for number, command in enumerate(commands) if not running.has_effect(number)
    )


def _notices(window: MainWindow) -> list[Notice]:
    return [notice for notice in notice_area(window).findChildren(Notice) if notice.isVisible()]


def _restore(window: MainWindow, base: WindowState) -> None:
    for notice in _notices(window):
        notice.dismiss()
    for widget in QApplication.topLevelWidgets():
        if isinstance(widget, QDialog):
            widget.close()
    for black in window.findChildren(BlackScreen, options=Qt.FindChildOption.FindDirectChildrenOnly):
        black.uncover()
    window.frame.status.show_message("")  # or the same words again would be no effect
    window.presentation.leave()
    window.app_state.rooms.enter("research")
    window.frame.pages.leave_pages()
    appearance = window.appearance
    if appearance.language != "en":
        appearance.choose_language("en")
    if appearance.text_size != 1:
        appearance.set_text_size(1)
    window.app_state.store.restore(base)
    window.activateWindow()  # a dialog took the focus
    window.setFocus()


# without a window


@pytest.fixture
def recorder() -> Mock:
    """Takes the calls of everything that a command may use but the state."""
    return Mock(parts=[], panel_views={"steps": None, "parameters": None})


@pytest.fixture
def commands(qtbot: QtBot, app_state: AppState, recorder: Mock) -> dict[str, Command]:
    recorder.app_state = app_state
    return {command.text: command for command in all_commands(recorder)}


def test_a_command_uses_its_part_of_the_window(commands: dict[str, Command], recorder: Mock) -> None:
    for text, called in [
        ("Open a session, a trace or a text …", call.file_dialogs.ask_to_open()),
        ("Save the session …", call.file_dialogs.ask_to_save()),
        ("Clear recent texts and files", call.session.recents.clear()),
        ("Preferences …", call.dialogs.open_preferences()),
        ("Quit", call.close_window()),
        ("Copy the panel as a picture", call.export.copy_picture()),
        ("Save the panel's numbers …", call.export.ask_for_numbers()),
        ("Edit sentence 1", call.frame.focus_text()),
        ("Remove sentence 2", call.frame.bar.close_pair()),
        ("Choose a checkpoint", call.frame.bar.models.showMenu()),
        ("Answers about this checkpoint …", call.questions.ask_again()),
        ("Choose a tokenizer folder …", call.questions.ask_for_tokenizer()),
        ("Options of the drawing …", call.main_area.open_options()),
        ("Start or stop comparing with a second run", call.frame.toggle_comparison()),
        ("Unpin the token", call.leave()),
        ("Heads: show or close", call.main_area.docks.toggle("heads")),
        ("Use the system theme", call.appearance.choose_theme("system")),
        ("Presentation mode", call.presentation.toggle()),
        ("All commands", call.dialogs.open_palette()),
    ]:
        commands[text].run()
        assert recorder.mock_calls[-1] == called


def test_every_analysis_has_a_command_that_shows_it_in_the_active_panel(
    commands: dict[str, Command], app_state: AppState
) -> None:
    app_state.panels.set_size(2, 3)
    for analysis in CATALOGUE:
        commands[f"Show in the panel: {analysis.title}"].run()
        assert _active(app_state).content == Content(analysis.key)
    commands["Show in the panel: Attention"].run()
    assert _active(app_state).content == Content()
    assert {commands[f"Show in the panel: {analysis.title}"].group for analysis in CATALOGUE} == {"Analyses"}


def test_the_overview_is_ordered_by_a_measure_and_a_warning_appears_where_none_is_shown(
    commands: dict[str, Command], app_state: AppState, recorder: Mock
) -> None:
    rearrange, store = commands["Overview: sort by the measure, or by layer and head"], app_state.store
    rearrange.run()
    warning = "Attention cannot be sorted: show a measure first."
    assert recorder.mock_calls == [call.warn(warning)]
    change_overview(store, shows="entropy")
    rearrange.run()
    assert store.now.overview.ordered_by == "entropy"
    change_overview(store, shows="attention")
    rearrange.run()
    assert not store.now.overview.ordered_by, "back, whatever is shown"
    assert len(recorder.mock_calls) == 1


def test_a_token_is_edited_only_when_one_is_pinned(commands: dict[str, Command], recorder: Mock) -> None:
    commands["Replace the pinned token …"].run()
    assert recorder.mock_calls == [call.warn("Click a token first: that token is edited.")]


def test_without_a_head_for_masked_tokens_the_key_shows_a_warning(
    qtbot: QtBot, commands: dict[str, Command], app_state: AppState, recorder: Mock
) -> None:
    app_state.workspace.set_texts("the cat", None, at_once=True)
    app_state.start(None)
    qtbot.waitUntil(lambda: app_state.workspace.is_current)
    app_state.selection.pin(query=1)
    commands["Mask the pinned token and show what is expected there"].run()
    ((warning,), _) = recorder.warn.call_args
    assert "no head for masked tokens" in warning
    assert not app_state.workspace.edits
