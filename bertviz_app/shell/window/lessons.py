"""`Lessons`: the lessons in a window: their list, the card of the open one, and what it points at."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QFileDialog, QMainWindow, QWidget

from bertviz_app.errors import AppError
from bertviz_app.shell.window.frame import WindowFrame
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.session.snapshot import SnapshotTaker
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.words import language

if TYPE_CHECKING:  # the first paint needs none of these: they are imported when a lesson or an example opens
    from bertviz_app.learning.lessons.lesson import Lesson, Scene
    from bertviz_app.viewmodels.learning.player import LessonPlayer
    from bertviz_app.viewmodels.learning.scene_setter import SceneSetter
    from bertviz_app.views.lessons.card import LessonCard
    from bertviz_app.views.lessons.pointer import Pointer


class Lessons(QObject):
    """Opens lessons and examples; what they need is built at the first use.

    `changed`: another station is shown, or none.
    """

    changed = Signal()

    def __init__(
        self,
        window: QMainWindow,
        app_state: AppState,
        look: Look,
        frame: WindowFrame,
        taker: SnapshotTaker,
        folder: Path,
    ) -> None:
        """`folder` is where the progress is saved."""
        super().__init__(window)
        self._window = window
        self._app_state = app_state
        self._look = look
        self._frame = frame
        self._taker = taker
        self._path = folder / "lessons.json"
        self._player: LessonPlayer | None = None
        self._examples: SceneSetter | None = None
        self.card: LessonCard | None = None
        self._pointer: Pointer | None = None
        welcome = frame.welcome
        welcome.example_chosen.connect(self.open_example)
        welcome.lessons_asked.connect(self.open_list)
        welcome.plain_asked.connect(self.show_plainly)

    @property
    def player(self) -> LessonPlayer:
        """What goes through the lessons."""
        if self._player is None:
            from bertviz_app.viewmodels.learning.player import LessonPlayer
            from bertviz_app.viewmodels.learning.progress import LessonProgress

            progress = LessonProgress(self._path, self)
            self._player = LessonPlayer(self._app_state, self._taker, progress)
            self._player.station_changed.connect(self._show)
            self._player.ready.connect(self._on_ready)
            self._player.judged.connect(self._on_judged)
        return self._player

    @property
    def is_open(self) -> bool:
        """Whether a lesson is open."""
        return self._player is not None and self._player.lesson is not None

    def open_list(self) -> None:
        """Show the list of lessons."""
        from bertviz_app.learning.lessons.reading import shipped_lessons
        from bertviz_app.views.lessons.lesson_list import LessonList

        shown = LessonList(self._look, shipped_lessons(), self.player.progress, self._window)
        shown.chosen.connect(lambda place: self.open_lesson(shipped_lessons()[place]))
        shown.folder_asked.connect(self.ask_for_file)
        shown.open()

    def open_lesson(self, lesson: Lesson) -> None:
        """Open a lesson where it was left, from the beginning if it is done."""
        progress = self.player.progress
        is_done = progress.n_done(lesson) == len(lesson.stations)
        self.player.start(lesson, 0 if is_done else progress.place_of(lesson), language())

    def open_example(self, place: int) -> None:
        """Show an example of the start page."""
        from bertviz_app.learning.lessons.reading import shipped_examples

        self._set_scene(shipped_examples()[place].scene)

    def _set_scene(self, scene: Scene) -> None:
        if self._examples is None:
            from bertviz_app.viewmodels.learning.scene_setter import SceneSetter

            state = self._app_state
            self._examples = SceneSetter(
                state.workspace, state.comparison, state.panels, state.selection, state.overview
            )
        self._examples.set_scene(scene, language())

    def show_plainly(self) -> None:
        """Show one head as lines and nothing around it, or bring everything else back."""
        workspace = self._app_state.workspace
        if workspace.shown is None or workspace.is_blank:
            from bertviz_app.learning.lessons.reading import shipped_examples

            self._set_scene(replace(shipped_examples()[0].scene, views=("lines",)))
            self._frame.main_area.docks.show_only(())
            return
        docks, panels = self._frame.main_area.docks, self._app_state.panels
        if docks.is_alone:
            docks.show_only(None)
        else:
            docks.show_only(())
            if panels.active is not None:
                panels.open([replace(panels.active, view_kind="lines")])

    def ask_for_file(self) -> None:
        """Ask for a lesson file and open it."""
        from bertviz_app.learning.lessons.reading import read_lesson

        title = self.tr("Open a lesson")
        path, _ = QFileDialog.getOpenFileName(self._window, title, "", self.tr("Lessons (*.json)"))
        if path:
            try:
                self.open_lesson(read_lesson(Path(path)))
            except AppError as error:
                self._app_state.failed.emit(error)

    def retranslate(self) -> None:
        """Go on in the language in force."""
        if self._player is not None:
            self._player.set_language(language())

    def leave(self) -> None:
        """Close the lesson; what was shown before comes back."""
        if self._player is not None:
            self._player.leave()

    @Slot()
    def _show(self) -> None:
        """Show the station, or put the card away."""
        self.changed.emit()
        lesson, station = self.player.lesson, self.player.station
        if lesson is None or station is None:
            self._put_away()
            return
        self._card().show_station(lesson, self.player.place, {})
        self._card().show_lack(self.player.lacks)
        self._card().show()
        if self._frame.has_main_area:
            self._arrange_cards()

    def _put_away(self) -> None:
        if self.card is not None:
            self.card.hide()
        if self._pointer is not None:
            self._pointer.point_at(None)
        if self._frame.has_main_area:
            self._frame.main_area.docks.show_only(None)

    def _arrange_cards(self) -> None:
        cards = self.player.scene.cards
        self._frame.main_area.docks.show_only(("overview",) if cards is None else cards)

    @Slot()
    def _on_ready(self) -> None:
        """Fill the text with the numbers that are there now, and point at what is meant."""
        station = self.player.station
        if station is None or self.card is None:
            return
        from bertviz_app.viewmodels.learning.shown_facts import shown_facts

        self._arrange_cards()
        inspected = self._app_state.shown_runs.inspected
        self.card.show_facts(station, shown_facts(self._app_state.workspace, inspected))
        self.card.show_lack(self.player.lacks)
        self._point(station.points_at)

    @Slot(bool)
    def _on_judged(self, is_right: bool) -> None:
        if self.card is not None:
            self.card.task.show_verdict(is_right)
            if is_right:
                self.card.set_solved(True)

    def _point(self, target: str) -> None:
        if self._pointer is None:
            from bertviz_app.views.lessons.pointer import Pointer

            self._pointer = Pointer(self._look, self._window)
        self._pointer.point_at(self._widget(target))

    def _widget(self, target: str) -> QWidget | None:
        """Return the part of the window that a station names."""
        frame, area = self._frame, self._frame.main_area
        widgets: dict[str, QWidget | None] = {
            "text": frame.bar.text,
            "pair": frame.bar.pair,
            "picker": frame.bar.models,
            "menu": frame.bar.menu,
            "compare": frame.compare,
            "strip": area.strip,
            "overview": area.cards.overview,
            "heads": area.cards.heads,
            "inspector": area.cards.inspector,
            "predictions": area.inspector_page.predictions,
            "vector": area.cards.pooled,
            "panel": area.area,
        }
        return widgets.get(target)

    def _card(self) -> LessonCard:
        if self.card is None:
            from bertviz_app.views.lessons.card import LessonCard

            card = self.card = LessonCard(self._look)
            self._frame.add_beside(card)
            card.answered.connect(self.player.answer)
            card.next_asked.connect(self._on_next)
            card.back_asked.connect(self.player.back)
            card.again_asked.connect(lambda: self.player.go(self.player.place))
            card.answer_asked.connect(lambda: card.task.show_answer(self.player.right_answer()))
            card.list_asked.connect(self.open_list)
            card.closed.connect(self.leave)
        return self.card

    @Slot()
    def _on_next(self) -> None:
        lesson = self.player.lesson
        is_last = lesson is not None and self.player.place == len(lesson.stations) - 1
        self.player.next()
        if is_last:
            self.leave()
            self.open_list()
