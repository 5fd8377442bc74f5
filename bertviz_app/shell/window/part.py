"""`WindowPart`: what a room adds to a window, such as a page; `Guide`: a part that leads through it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QMainWindow, QWidget

from bertviz_app.inference.jobs import Jobs
from bertviz_app.shell.window.frame import Pages
from bertviz_app.values import dataclass
from bertviz_app.viewmodels.results import Tasks

if TYPE_CHECKING:
    from bertviz_app.shell.commands.menus import Command
    from bertviz_app.shell.window.frame import WindowFrame
    from bertviz_app.views.dialogs.palette import PaletteEntry


@dataclass(frozen=True)
class EndQuestion:
    """What is asked before the window closes: a question, more about it, and the words of the two buttons."""

    question: str
    about: str
    end: str
    stay: str


class WindowPart(QObject):
    """What a room of the program adds to one window, which it lives as long as; this base adds nothing.

    When the language changes, the window builds its frame anew: it calls `move_to` of all parts with the new
    frame, then `show_again` of all.
    """

    def __init__(self, window: QMainWindow) -> None:
        super().__init__(window)
        self._window = window

    def move_to(self, frame: WindowFrame) -> None:
        """Use this frame of the window from now on, and its language."""

    def show_again(self) -> None:
        """Show in the new frame what was shown in the one before."""

    def commands(self) -> Sequence[Command]:
        """Return the commands; each is listed at the end of the group that its `group` names."""
        return ()

    def palette_entries(self) -> Sequence[PaletteEntry]:
        """Return what the palette lists besides the commands."""
        return ()

    def ways_to_checkpoints(self) -> Sequence[tuple[str, Callable[[], None]]]:
        """Return entries for the end of the list of checkpoints: a text, and what a click does."""
        return ()

    def preferences(self) -> Sequence[tuple[str, QWidget]]:
        """Return rows of the preferences: a label and what sets it."""
        return ()

    def question_at_end(self) -> EndQuestion | None:
        """Return what is asked before the window closes; None where nothing would be lost."""
        return None

    def close(self) -> None:
        """End what runs; the window closes."""


class Guide(WindowPart):
    """What leads a learner through the window, as a lesson does; this base never does.

    While it is open it decides which cards are shown. `changed`: it shows another step, has begun or ended.
    """

    changed = Signal()

    @property
    def is_open(self) -> bool:
        """Whether it is leading now, so that what is shown is not the user's own work."""
        return False

    @property
    def points_at(self) -> str:
        """The part of the window that the learner is to look at now, "" for none."""
        return ""

    @property
    def holds_pin(self) -> bool:
        """Whether the learner has pinned other tokens than it did: Escape then unpins them first."""
        return False

    def arrange_cards(self) -> None:
        """Show the cards that it needs, and hide the others."""

    def refresh(self) -> None:
        """Read again what depends on the preferences, such as the learner's own lessons."""

    def open_list(self) -> None:
        """Show the list of all lessons."""

    def named(self, key: str) -> str:
        """Return the title of the lesson with a key, or of a station (lesson/station); "" of none."""
        return ""

    def open_about(self, key: str) -> None:
        """Begin the lesson with a key, or show a station of it (lesson/station)."""

    def leave(self) -> None:
        """End the lesson; what was shown before comes back."""

    def run(self, command: Callable[[], object]) -> None:
        """Run a command; what it does behind what the learner looks at comes into sight."""
        command()


class PageController(WindowPart):
    """Makes a page at the first use, and workers, which end with the window."""

    def __init__(self, window: QMainWindow) -> None:
        super().__init__(window)
        self._pages = Pages()
        self._page: Any = None
        self._was_shown = False
        self._workers: list[Jobs] = []

    def move_to(self, frame: WindowFrame) -> None:
        self._was_shown = self.is_shown
        self._pages, self._page = frame.pages, None

    @property
    def page(self) -> Any:
        """The page, made at the first use; subclasses say of which class."""
        if self._page is None:
            self._page = self._make_page()
            self._pages.addWidget(self._page)
            self._page.back.clicked.connect(self._pages.leave_page)
        return self._page

    def _make_page(self) -> QWidget:
        """Return a page; a click on its `back` button leaves it."""
        raise NotImplementedError

    @property
    def is_shown(self) -> bool:
        return self._page is not None and self._pages.currentWidget() is self._page

    def show_again(self) -> None:
        if self._was_shown:
            self.show_page()

    def show_page(self) -> None:
        """Show the page as it was left."""
        self._pages.open_page(self.page)

    def toggle(self) -> None:
        """Show the page, or what was shown before it."""
        if self.is_shown:
            self._pages.leave_page()
        else:
            self.open()

    def open(self) -> None:
        """Show the page, on what the window is about now."""
        self.show_page()

    def _tasks(self, name: str) -> Tasks:
        """Start a worker of the page's own, and return what hands work to it."""
        jobs = Jobs(name)
        self._workers.append(jobs)
        jobs.start()
        return Tasks(jobs, self)

    def close(self) -> None:
        """End the workers."""
        for jobs in self._workers:
            jobs.close()
