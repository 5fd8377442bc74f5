"""The gestures that are walked after: what is open before each, what it does, and how its end is seen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from bertviz_app.features.lessons.window.lessons import Lessons
from bertviz_app.shell.window.window import MainWindow
from bertviz_app.views.kit.canvas import LaterWork

MODEL, OTHER_MODEL = "bert-mini-en-ko", "bert-mini-en-ko-sentiment"
TEXT = (
    "The old fisherman who lived by the harbour gave a grey cat the fish that he had caught in the morning, "
    "because it was hungry and nobody had fed it since the day"
)
"""38 tokens of MODEL, also with the letter that is typed: the last word stays one token."""
LETTER = "s"
N_TOKENS = 38
_HEAD = (2, 1)

Act = Callable[[], object]


@dataclass(frozen=True)
class Gesture:
    """`prepare(window)` opens what it needs, `aim(window)` returns it.

    `is_seen(window)`: the state of the window has its result, which may still have to be painted.
    """

    about: str
    prepare: Callable[[MainWindow], object]
    aim: Callable[[MainWindow], Act]
    is_seen: Callable[[MainWindow], bool]


def is_at_rest(window: MainWindow) -> bool:
    """Return whether nothing is computed, and nothing waits to be drawn."""
    state = window.app_state
    workers = state.workers
    tasks = (workers.encoder, workers.analyses, workers.pictures, workers.downloads, workers.overviews)
    return (
        state.workspace.is_current
        and not any(each.is_any_busy for each in tasks)
        and LaterWork.shared().is_done()
        and window.main_area.area.is_complete
    )


def _aim_at_text(window: MainWindow) -> Act:
    field = window.frame.bar.text
    field.end(False)
    return lambda: QTest.keyClicks(field, LETTER)


def _has_letter(window: MainWindow) -> bool:
    shown = window.app_state.workspace.shown
    return shown is not None and shown.result.request.text == TEXT + LETTER


def _aim_at_head(window: MainWindow) -> Act:
    view = window.main_area.cards.overview.view
    at = view.viewport().mapFrom(view, view.cell_rect(*_HEAD).center().toPoint())
    return lambda: QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=at)


def _has_head(window: MainWindow) -> bool:
    active = window.app_state.panels.active
    return active is not None and (active.layer, active.head) == _HEAD


def _open_menu(window: MainWindow) -> None:
    button = window.frame.bar.models
    button.menu().popup(button.mapToGlobal(button.rect().bottomLeft()))


def _aim_at_checkpoint(window: MainWindow) -> Act:
    menu = window.frame.bar.models.menu()
    (action,) = [each for each in menu.actions() if each.text().startswith(OTHER_MODEL)]
    return lambda: QTest.mouseClick(menu, Qt.MouseButton.LeftButton, pos=menu.actionGeometry(action).center())


def _has_checkpoint(window: MainWindow) -> bool:
    shown = window.app_state.workspace.shown
    return shown is not None and shown.result.facts.name == OTHER_MODEL


def _aim_at_lesson(window: MainWindow) -> Act:
    button = window.part(Lessons).catalogue.page.buttons[0]
    return lambda: QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def _has_lesson(window: MainWindow) -> bool:
    card = window.part(Lessons).card
    return window.part(Lessons).is_open and card is not None and card.isVisible()


GESTURES = {
    "letter": Gesture(
        "a letter is typed at the end of the sentence",
        lambda window: window.frame.focus_text(),
        _aim_at_text,
        _has_letter,
    ),
    "head": Gesture("a head of the overview is clicked", lambda window: None, _aim_at_head, _has_head),
    "open": Gesture(
        "another checkpoint is chosen in the open menu", _open_menu, _aim_at_checkpoint, _has_checkpoint
    ),
    "lesson": Gesture(
        "the first lesson is begun in the open list",
        lambda window: window.part(Lessons).catalogue.open_list(),
        _aim_at_lesson,
        _has_lesson,
    ),
}
