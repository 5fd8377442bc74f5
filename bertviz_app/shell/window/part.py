"""`WindowPart`: what a feature has in a window, such as a page; `Guide`: a part that leads through it."""

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
    """What a feature has in one window. It lives as long as the window; this base does nothing.

    Another language gives the window another frame: `move_to` is called with each, and `show_again` as soon
    as all parts have moved.
    """

    def __init__(self, window: QMainWindow) -> None:
        super().__init__(window)
        self._window = window

    def move_to(self, frame: WindowFrame) -> None:
        """Stand in this frame of the window, in the language in force."""

    def show_again(self) -> None:
        """Show in this frame what was shown in the one before."""

    def commands(self) -> Sequence[Command]:
        """Return the commands; each is listed in its group, at the end of one that the window has, too."""
        return ()

    def palette_entries(self) -> Sequence[PaletteEntry]:
        """Return what the palette lists besides the commands."""
        return ()

    def ways_to_checkpoints(self) -> Sequence[tuple[str, Callable[[], None]]]:
        """Return what is offered below the list of checkpoints: words, and what a click does."""
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
    """What leads a learner through the window and arranges it meanwhile; this base never does.

    `changed`: it shows something else, has begun or has ended.
    """

    changed = Signal()

    @property
    def is_open(self) -> bool:
        """Whether it leads through the window now, so that what is shown is not the user's own work."""
        return False

    @property
    def points_at(self) -> str:
        """The part of the bars that it needs, "" for none."""
        return ""

    @property
    def holds_pin(self) -> bool:
        """Whether the user has pinned other tokens than it did, which Escape unpins first."""
        return False

    def arrange_cards(self) -> None:
        """Show those of the window's cards that it needs."""

    def refresh(self) -> None:
        """Read again what the preferences may have changed."""

    def open_list(self) -> None:
        """Show all there is to be led through."""

    def named(self, key: str) -> str:
        """Return the title of what has this key, "" where there is none."""
        return ""

    def open_about(self, key: str) -> None:
        """Begin what has this key."""

    def leave(self) -> None:
        """End it; what was shown before comes back."""


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
        """Whether the page is what the window shows."""
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
