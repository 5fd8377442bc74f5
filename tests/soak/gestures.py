"""GESTURES: what a restless user does to the window, and how often each is done."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from random import Random

from PySide6.QtCore import QEvent, QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QKeyEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from bertviz_app.features.training.page import TrainingController
from bertviz_app.shell.commands.menus import Command
from bertviz_app.shell.window.window import MainWindow
from tests.soak.material import TEXTS, Material
from tests.support.scene import drag_into, drop_onto

Gesture = Callable[[MainWindow, Material, Random], None]

_MODIFIERS = (
    Qt.KeyboardModifier.NoModifier,
    Qt.KeyboardModifier.NoModifier,
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.ControlModifier,
)
_KEYS = tuple(
    Qt.Key[f"Key_{name}"]
    for name in (
        *("Left", "Right", "Up", "Down", "Tab", "Backtab", "Escape", "Return", "Space", "Home", "End"),
        *("Plus", "Minus", "0", "F1", "F11", "PageDown", "PageUp", "Delete", "M", "F"),
    )
)
_SIZES = ((960, 600), (1024, 700), (1280, 800), (1600, 1000), (1920, 1080))
_LANGUAGES = ("en", "ko")
_folders = count()


def _target(window: MainWindow, draw: Random) -> tuple[QWidget, QPoint]:
    """Return the widget under a random point of the window, and the point within it."""
    point = QPoint(int(draw.random() * window.width()), int(draw.random() * window.height()))
    widget = window.childAt(point) or window
    return widget, widget.mapFrom(window, point)


def _type_letters(field: QWidget, letters: str) -> None:
    """Send each letter as a key with its text; QTest itself knows the keys of ASCII alone."""
    for letter in letters:
        for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
            keys = Qt.KeyboardModifier.NoModifier
            QApplication.sendEvent(field, QKeyEvent(kind, Qt.Key.Key_unknown, keys, letter))


def type_text(window: MainWindow, material: Material, draw: Random) -> None:
    """Type one of the texts, as fast as a keyboard buffer gives it."""
    window.frame.focus_text()
    field = window.frame.bar.text
    field.selectAll()
    _type_letters(field, draw.choice(TEXTS))


def type_key(window: MainWindow, material: Material, draw: Random) -> None:
    """Change the text by a letter, a space or a deletion."""
    field = window.frame.bar.text
    if draw.random() < 0.3:
        QTest.keyClick(field, Qt.Key.Key_Backspace)
    else:
        _type_letters(field, draw.choice("abc e이가.? "))


def set_pair(window: MainWindow, material: Material, draw: Random) -> None:
    """Ask for two sentences, or for one again."""
    pair = draw.choice((None, *TEXTS[:3]))
    window.app_state.workspace.set_texts(draw.choice(TEXTS[:5]), pair)


def move(window: MainWindow, material: Material, draw: Random) -> None:
    """Move the pointer over the window."""
    widget, point = _target(window, draw)
    QTest.mouseMove(widget, point)


def click(window: MainWindow, material: Material, draw: Random) -> None:
    """Click whatever is under a random point."""
    widget, point = _target(window, draw)
    button = Qt.MouseButton.RightButton if draw.random() < 0.15 else Qt.MouseButton.LeftButton
    action = QTest.mouseDClick if draw.random() < 0.1 else QTest.mouseClick
    action(widget, button, draw.choice(_MODIFIERS), point)


def drag(window: MainWindow, material: Material, draw: Random) -> None:
    """Press, move in five steps, and release."""
    widget, point = _target(window, draw)
    step = QPoint(draw.randint(-40, 40), draw.randint(-40, 40))
    QTest.mousePress(widget, Qt.MouseButton.LeftButton, pos=point)
    for number in range(1, 6):
        QTest.mouseMove(widget, point + step * number)
    QTest.mouseRelease(widget, Qt.MouseButton.LeftButton, pos=point + step * 5)


def wheel(window: MainWindow, material: Material, draw: Random) -> None:
    """Turn the wheel, sometimes with Ctrl."""
    widget, point = _target(window, draw)
    at, turned = QPointF(point), QPoint(0, draw.choice((-240, -120, 120, 240)))
    where, keys = widget.mapToGlobal(at), draw.choice(_MODIFIERS)
    phase, none = Qt.ScrollPhase.NoScrollPhase, Qt.MouseButton.NoButton
    QApplication.sendEvent(widget, QWheelEvent(at, where, QPoint(), turned, none, keys, phase, False))


def press_key(window: MainWindow, material: Material, draw: Random) -> None:
    """Press a key where the focus is."""
    widget = QApplication.focusWidget() or window
    QTest.keyClick(widget, draw.choice(_KEYS), draw.choice(_MODIFIERS[:3]))


def run_command(window: MainWindow, material: Material, draw: Random) -> None:
    """Run a command of the palette, but not the one that ends the program."""
    draw.choice(_commands(window)).run()


def run_next_command(window: MainWindow, number: int) -> bool:
    """Run command `number` of the palette; return whether there are so many."""
    commands = _commands(window)
    if number < len(commands):
        commands[number].run()
    return number < len(commands)


def _commands(window: MainWindow) -> list[Command]:
    return [command for command in window.commands() if command.keys != "Ctrl+Q"]


def open_checkpoint(window: MainWindow, material: Material, draw: Random) -> None:
    """Open a checkpoint as run A's, or compare with it; one of them is spoilt."""
    ref = draw.choice(material.checkpoints)
    if draw.random() < 0.7:
        window.app_state.workspace.open_model(ref or None)
    elif ref:
        window.files.compare_with(ref)


def end_comparison(window: MainWindow, material: Material, draw: Random) -> None:
    """Go back to one run."""
    window.app_state.comparison.end()


def drop_file(window: MainWindow, material: Material, draw: Random) -> None:
    """Drop a file or a folder onto the window: text, checkpoints, and what is none of these."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(draw.choice(material.files)))])
    if drag_into(window, data):
        drop_onto(window, data)


def change_look(window: MainWindow, material: Material, draw: Random) -> None:
    """Change the theme, the language, the size of text, or the size of the window."""
    appearance = window.appearance
    change = draw.randrange(4)
    if change == 0:
        appearance.toggle_theme()
    elif change == 1:
        appearance.choose_language(draw.choice(_LANGUAGES))
    elif change == 2:
        appearance.set_text_size(draw.choice((0.9, 1.0, 1.3)))
    else:
        window.resize(*draw.choice(_SIZES))


def save_session(window: MainWindow, material: Material, draw: Random) -> None:
    """Save the session, and open it again at another time."""
    path = material.runs / f"session-{draw.randrange(3)}.npz"
    if path.exists() and draw.random() < 0.5:
        window.files.open_path(path)
    else:
        window.files.save(path)


def start_training(window: MainWindow, material: Material, draw: Random) -> None:
    """Open the Training page and start a small fine-tuning; an earlier one that ended is left."""
    window.part(TrainingController).open()
    training = window.part(TrainingController).training
    training.leave()
    folder = material.runs / f"tuned-{next(_folders)}"
    rows = str(material.reviews)
    training.change(task="finetune", rows=rows, base=material.checkpoints[2], folder=str(folder))
    training.start()


def stop_training(window: MainWindow, material: Material, draw: Random) -> None:
    """Stop the training that runs, if any, and leave its page."""
    window.part(TrainingController).training.stop()
    window.part(TrainingController).leave()


GESTURES: dict[Gesture, float] = {
    move: 14,
    click: 10,
    drag: 4,
    wheel: 5,
    press_key: 7,
    type_key: 6,
    type_text: 3,
    set_pair: 1,
    run_command: 6,
    open_checkpoint: 0.7,
    end_comparison: 0.5,
    drop_file: 0.5,
    change_look: 0.7,
    save_session: 0.4,
    start_training: 0.1,
    stop_training: 0.2,
}
"""Each gesture with its weight."""
