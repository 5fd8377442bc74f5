"""`CommandContext`: what commands act on. The window builds it; a test can build it from parts of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from bertviz_app.shell.session.file_dialogs import FileDialogs
from bertviz_app.shell.settings.appearance import Appearance
from bertviz_app.shell.settings.recents import Recents
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.session.history import History
from bertviz_app.views.bars.top_bar import TopBar

if TYPE_CHECKING:
    from bertviz_app.views.panels.area import PanelArea

Action = Callable[[], None]


class Docks(Protocol):
    """The cards around the panels, by name."""

    def toggle(self, name: str) -> None:
        """Close a dock, or bring it back and to the front."""

    def reset(self) -> None:
        """Put every dock where it was at first."""


class ResultViews(Protocol):
    """The views of a result: panels, and the docks around them."""

    @property
    def area(self) -> PanelArea:
        """The panels, tiled."""

    @property
    def docks(self) -> Docks:
        """The dock widgets around the panels."""

    def toggle_predictions(self) -> None:
        """Open or close the predictions of the task heads."""

    def open_options(self) -> None:
        """Open the drawing options of the active panel."""


class Exports(Protocol):
    """Copies and saves the card with the focus, else the active panel."""

    def copy_picture(self) -> None:
        """Copy the picture of the card to the clipboard."""

    def ask_for_picture(self) -> None:
        """Ask for a file and write the picture of the card into it."""

    def ask_for_numbers(self) -> None:
        """Ask for a file and write the numbers of the card into it."""

    def copy_python(self) -> None:
        """Copy the lines of Python that compute what the card shows."""


class DialogOpeners(Protocol):
    """Opens the dialogs that exist once in a window."""

    def open_palette(self) -> None:
        """Open the command palette."""

    def open_shortcuts(self) -> None:
        """Open the sheet of shortcuts."""

    def open_glossary(self, term: str = "") -> None:
        """Open the glossary, at the entry of one term if its key is given."""

    def open_documents(self) -> None:
        """Open the documents of the program."""

    def open_preferences(self) -> None:
        """Open the preferences."""


class TeachingActions(Protocol):
    """What a teacher does in a lesson."""

    def next(self) -> None:
        """Show the next station of the open lesson."""

    def back(self) -> None:
        """Show the station before."""

    def show_stations(self) -> None:
        """Open the list of stations."""

    def show_notes(self) -> None:
        """Open the teacher's notes."""

    def darken(self) -> None:
        """Cover the window with black, or show it again."""


@dataclass(frozen=True)
class CommandContext:
    """The state of a window and those of its parts that commands use, and no more of each than they use.

    `result_views()` makes the views when they are first needed. `leave` is what Escape does. `warn` shows a
    sentence in the status line.
    """

    app_state: AppState
    bar: TopBar
    file_dialogs: FileDialogs
    recents: Recents
    history: History
    appearance: Appearance
    result_views: Callable[[], ResultViews]
    export: Exports
    dialogs: DialogOpeners
    teaching: TeachingActions
    focus_text: Action
    open_lessons: Action
    ask_for_handout: Action
    make_station: Action
    show_plainly: Action
    toggle_comparison: Action
    toggle_training: Action
    toggle_corpus: Action
    toggle_presentation: Action
    answer_again: Action
    ask_for_tokenizer: Action
    explain: Action
    open_start_page: Action
    leave: Action
    close_window: Action
    warn: Callable[[str], None]
