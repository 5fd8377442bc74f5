"""Every command: what it is called, its keys, and what it does. Menus and the palette are made of these."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QAction, QKeySequence

from bertviz_app.shell.desk import Desk
from bertviz_app.views.command_palette import PaletteEntry

if TYPE_CHECKING:
    from bertviz_app.shell.window import MainWindow


@dataclass(frozen=True)
class Command:
    """`keys` in Qt's words; `is_shown_only` keys are handled where they are pressed, not as a shortcut."""

    text: str
    keys: str
    run: Callable[[], None]
    is_shown_only: bool = False

    @property
    def entry(self) -> PaletteEntry:
        """The command as a line of the palette."""
        arrows = {"Left": "←", "Right": "→", "Up": "↑", "Down": "↓"}
        return PaletteEntry(self.text, arrows.get(self.keys, self.keys), self.run)


def all_commands(window: MainWindow, desk: Desk) -> list[Command]:
    """Return the commands in the order in which the palette lists them."""
    return [
        *_text_commands(window, desk),
        *_panel_commands(desk),
        *_zoom_commands(desk),
        *_window_commands(window, desk),
    ]


def add_shortcuts(window: MainWindow, commands: list[Command]) -> None:
    """Make the keys of `commands` work in `window`."""
    for command in commands:
        if command.keys and not command.is_shown_only:
            action = QAction(command.text, window)
            action.setShortcut(QKeySequence(command.keys))
            action.triggered.connect(lambda _=False, run=command.run: run())
            window.addAction(action)


def _text_commands(window: MainWindow, desk: Desk) -> list[Command]:
    translate = QCoreApplication.translate
    return [
        Command(translate("Commands", "Edit sentence A"), "Ctrl+L", window.focus_text),
        Command(translate("Commands", "Add or edit sentence B"), "Ctrl+B", window.bar.open_pair),
        Command(translate("Commands", "Remove sentence B"), "Ctrl+Shift+B", window.bar.close_pair),
        Command(translate("Commands", "Choose a checkpoint"), "Ctrl+M", window.bar.models.showMenu),
        Command(translate("Commands", "Open a checkpoint folder …"), "Ctrl+O", window.ask_for_folder),
        Command(
            translate("Commands", "Open a checkpoint from the hub …"), "Ctrl+Shift+O", window.ask_for_hub_id
        ),
        Command(translate("Commands", "Choose a device"), "Ctrl+Shift+D", window.bar.devices.showMenu),
    ]


def _panel_commands(desk: Desk) -> list[Command]:
    translate, panels = QCoreApplication.translate, desk.panels

    def draw_as(how: str) -> None:
        if panels.active is not None:
            panels.draw_as(panels.active.number, how)

    def add() -> None:
        if panels.active is not None:
            panels.add(panels.active.layer, panels.active.head)

    def close() -> None:
        if panels.active is not None:
            panels.close(panels.active.number)

    def activate(step: int) -> None:
        if panels.active is not None:
            place = (panels.panels.index(panels.active) + step) % len(panels.panels)
            panels.activate(panels.panels[place].number)

    walk = panels.walk
    return [
        Command(translate("Commands", "Next head"), "Right", lambda: walk(0, 1), is_shown_only=True),
        Command(translate("Commands", "Previous head"), "Left", lambda: walk(0, -1), is_shown_only=True),
        Command(translate("Commands", "Next layer"), "Down", lambda: walk(1, 0), is_shown_only=True),
        Command(translate("Commands", "Previous layer"), "Up", lambda: walk(-1, 0), is_shown_only=True),
        Command(translate("Commands", "Draw the panel as lines"), "L", lambda: draw_as("lines")),
        Command(translate("Commands", "Draw the panel as a matrix"), "M", lambda: draw_as("matrix")),
        Command(translate("Commands", "Add a panel"), "Ctrl+D", add),
        Command(translate("Commands", "Close the panel"), "Ctrl+W", close),
        Command(translate("Commands", "Next panel"), "]", lambda: activate(1)),
        Command(translate("Commands", "Previous panel"), "[", lambda: activate(-1)),
    ]


def _zoom_commands(desk: Desk) -> list[Command]:
    translate, viewport = QCoreApplication.translate, desk.viewport
    return [
        Command(translate("Commands", "Zoom in"), "+", lambda: viewport.zoom_middle(0.7)),
        Command(translate("Commands", "Zoom out"), "-", lambda: viewport.zoom_middle(1 / 0.7)),
        Command(translate("Commands", "Show all tokens"), "0", lambda: viewport.fit()),
        Command(translate("Commands", "Let go of the pinned token"), "Esc", desk.selection.clear),
    ]


def _window_commands(window: MainWindow, desk: Desk) -> list[Command]:
    translate = QCoreApplication.translate
    return [
        Command(translate("Commands", "Overview: scale per head or alike"), "S", window.toggle_scale),
        Command(translate("Commands", "Switch between light and dark"), "Ctrl+T", window.toggle_theme),
        Command(translate("Commands", "Theme of the system"), "", lambda: window.choose_theme("system")),
        Command(translate("Commands", "Full screen"), "F11", window.toggle_full_screen),
        Command(translate("Commands", "All commands"), "Ctrl+K", window.open_palette),
        Command(translate("Commands", "Quit"), "Ctrl+Q", window.close_window),
    ]
