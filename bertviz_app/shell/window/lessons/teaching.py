"""`Teaching`: what a teacher uses in a lesson: presenter keys, notes beside the class, a black screen."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMainWindow

from bertviz_app.shell.window.lessons.lessons import Lessons
from bertviz_app.shell.window.presentation import Presentation
from bertviz_app.views.kit.look import Look

if TYPE_CHECKING:  # built at their first use
    from bertviz_app.views.lessons.teacher_window import BlackScreen, TeacherWindow


class Teaching(QObject):
    """Presenter remotes send Page Down and Page Up, B to darken the screen, F5 and Escape for a presentation.

    The keys work only while a lesson is open: otherwise Page Down scrolls. Some remotes send a full stop
    instead of B; only the teacher's window accepts it, since in the main window it is a key of Steps.
    In a presentation no field for sentences has the keys when a station begins: B is a letter only in one
    that the presenter clicked.
    """

    def __init__(self, window: QMainWindow, look: Look, lessons: Lessons, presentation: Presentation) -> None:
        super().__init__(window)
        self._window = window
        self._look = look
        self._lessons = lessons
        self._presentation = presentation
        self._notes: TeacherWindow | None = None
        self._black: BlackScreen | None = None
        self._of_lesson = [self._action("PgDown", self.next), self._action("PgUp", self.back)]
        self._dark = self._action("B", self.darken)
        lessons.changed.connect(self._on_changed)
        lessons.notes_requested.connect(self.show_notes)
        presentation.changed.connect(self._on_changed)
        self._on_changed()

    def _action(self, keys: str, run: Callable[[], None]) -> QAction:
        action = QAction(self._window)
        action.setShortcut(QKeySequence(keys))
        action.triggered.connect(lambda _=False: run())
        self._window.addAction(action)
        return action

    def next(self) -> None:
        """Show the next station of the open lesson, or the list of lessons while none is open."""
        if self._lessons.is_open:
            self._lessons.next()
        else:
            self._lessons.catalogue.open_list()

    def back(self) -> None:
        """Show the station before, or the list of lessons while none is open."""
        if self._lessons.is_open:
            self._lessons.player.back()
        else:
            self._lessons.catalogue.open_list()

    def show_stations(self) -> None:
        """Open the list of stations on the card, or the list of lessons while none is open."""
        card = self._lessons.card
        if self._lessons.is_open and card is not None:
            card.stations_button.showMenu()
        else:
            self._lessons.catalogue.open_list()

    @Slot()
    def show_notes(self) -> None:
        """Open the teacher's window, or the list of lessons while none is open."""
        if not self._lessons.is_open:
            self._lessons.catalogue.open_list()
            return
        if self._notes is None:
            from bertviz_app.views.lessons.teacher_window import TeacherWindow

            self._notes = TeacherWindow(self._look, self._window)
            self._notes.next_requested.connect(self.next)
            self._notes.back_requested.connect(self.back)
            self._notes.station_chosen.connect(self._lessons.player.go)
            self._notes.black_requested.connect(self.darken)
            self._notes.presentation_requested.connect(self._presentation.toggle)
            self._lessons.player.ready.connect(self._show_station)
            self._lessons.player.answered.connect(self._show_station)
        self._show_station()
        self._notes.show()
        self._notes.raise_()

    def darken(self) -> None:
        """Cover the window with black, or show it again."""
        if self._black is None:
            from bertviz_app.views.lessons.teacher_window import BlackScreen

            self._black = BlackScreen(self._look, self._window)
        if self._black.isVisible():
            self._black.uncover()
        else:
            self._black.cover()

    @Slot()
    def _on_changed(self) -> None:
        if self._black is not None and self._black.isVisible():
            self._black.uncover()  # who goes on in the teacher's window has the class look again
        is_open = self._lessons.is_open
        for action in self._of_lesson:
            action.setEnabled(is_open)
        self._dark.setEnabled(is_open or self._presentation.is_on)
        if self._presentation.is_on:
            self._lessons.targets.take_keys_from_text()
        self._show_station()

    @Slot()
    def _show_station(self) -> None:
        """Show the station in the teacher's window, which closes with the lesson."""
        if self._notes is None:
            return
        if not self._lessons.is_open:
            self._notes.hide()
            return
        player = self._lessons.player
        lesson = player.lesson
        assert lesson is not None
        done = [player.progress.is_done(lesson, station.key) for station in lesson.stations]
        self._notes.show_station(lesson, player.station_index, done, player.right_answer())
