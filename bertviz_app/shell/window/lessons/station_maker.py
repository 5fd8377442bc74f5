"""`StationMaker`: writes what the window shows as a station into a lesson file of the user's."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QMainWindow

from bertviz_app.errors import AppError
from bertviz_app.shell.window.docks import NAMES
from bertviz_app.shell.window.frame import WindowFrame
from bertviz_app.shell.window.lessons.catalogue import LessonCatalogue
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.wording import error_text, translated
from bertviz_app.views.kit.canvas import language
from bertviz_app.views.kit.look import Look

if TYPE_CHECKING:  # built when a teacher asks for it
    from bertviz_app.viewmodels.learning.scenes import ShownScene
    from bertviz_app.views.lessons.station_form import StationForm, StationWords


class StationMaker(QObject):
    """Asks for the texts and the question, checks the station on the numbers on screen, and writes it."""

    def __init__(
        self,
        window: QMainWindow,
        app_state: AppState,
        look: Look,
        frame: WindowFrame,
        catalogue: LessonCatalogue,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._app_state = app_state
        self._look = look
        self._frame = frame
        self._catalogue = catalogue
        self.form: StationForm | None = None

    def ask(self) -> None:
        """Open the form."""
        from bertviz_app.shell.window.lessons.value_choices import value_choices
        from bertviz_app.viewmodels.learning.player import unread_words
        from bertviz_app.viewmodels.learning.scenes import shown_scene
        from bertviz_app.views.lessons.station_form import StationForm

        shown = shown_scene(self._app_state, self._open_cards())
        if shown is None:
            words = self.tr("A station needs a text that a checkpoint on this computer has encoded.")
            self._frame.status.show_message(words, "warning")
            return
        lessons = [
            (own.lesson.title.in_language(language()), own.path)
            for own in self._catalogue.own.lessons
            if own.lesson is not None
        ]
        left_out = [translated(sentence) for sentence in shown.left_out]
        if words := unread_words(self._catalogue.own.n_unread):
            left_out.append(words)
        if self.form is not None:
            self.form.deleteLater()
        choices = value_choices(self._app_state, shown.scene)
        self.form = StationForm(self._look, shown.scene, left_out, lessons, choices, self._window)
        self.form.save_requested.connect(self._write(shown))
        self.form.open()

    def _open_cards(self) -> tuple[str, ...]:
        docks = self._frame.main_area.docks.docks
        return tuple(name for name in NAMES if not docks[name].isHidden())

    def _write(self, shown: ShownScene) -> Callable[[StationWords], None]:
        def write(words: StationWords) -> None:
            assert self.form is not None
            try:
                path = self._save(shown, words)
            except AppError as error:
                self.form.show_problem(error_text(error))
                return
            except ValueError as error:
                self.form.show_problem(translated(error.args[0]))
                return
            self.form.accept()
            self._catalogue.refresh()
            self._frame.status.show_message(self.tr("The station is in {0}.").format(path))

        return write

    def _save(self, shown: ShownScene, words: StationWords) -> Path:
        """Write the station. Raises AppError, and ValueError with a message, where it is not a sound one."""
        from bertviz_app.learning.lessons import reading as writing
        from bertviz_app.learning.lessons.reading import station_json
        from bertviz_app.learning.words import Words
        from bertviz_app.viewmodels.learning.player import lesson_files

        texts = {name: words.words(name) for name in words.texts["en"]}
        station = station_json(shown.scene, words.question, texts)
        path = words.path
        if path is None:
            title = Words(**texts["lesson"])
            key = writing.key_of(title.en)
            taken = {each.stem for each in lesson_files(self._catalogue.folder)}
            path = self._catalogue.folder / f"{writing.free_key(key, taken)}.json"
            lesson = writing.new_lesson(title, title, writing.free_key(key, self._catalogue.keys))
        else:
            lesson = writing.lesson_in(path)
        lesson = writing.with_station(lesson, station)
        self._check(lesson, path.name)
        writing.save_lesson(lesson, path)
        return path

    def _check(self, lesson: dict[str, object], name: str) -> None:
        """Raise ValueError with what is wrong with the last station on the numbers on screen."""
        from bertviz_app.learning.lessons.lesson import station_mistakes
        from bertviz_app.learning.lessons.reading import lesson_text, parse_lesson
        from bertviz_app.learning.words import LANGUAGES
        from bertviz_app.viewmodels.learning.player import analysed_tokens

        station = parse_lesson(lesson_text(lesson), name).stations[-1]
        shown = self._app_state.workspace.shown
        if shown is None:
            return
        analysed = analysed_tokens(self._app_state, station.scene)
        for each in LANGUAGES:
            for mistake in station_mistakes(
                station, station.scene, each, lambda scene, each: shown.result, analysed=analysed
            ):
                raise ValueError(mistake.words)
