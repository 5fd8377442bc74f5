"""What the window shows as a station of a lesson file; the lessons that can be opened."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMainWindow

from bertviz_app.errors import AppError
from bertviz_app.features.lessons.window.lessons import Lessons
from bertviz_app.shell.commands.menus import Command
from bertviz_app.shell.session import Files, ask_where_to_save
from bertviz_app.shell.window.docks import NAMES
from bertviz_app.shell.window.frame import Presentation, WindowFrame, WindowPart
from bertviz_app.trace.arrays import lacks_states
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.wording import error_text, missing_words, translated
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.words import language, translate

if TYPE_CHECKING:
    from bertviz_app.features.lessons.course.lesson import Lesson, Scene
    from bertviz_app.features.lessons.course.reading import Json
    from bertviz_app.features.lessons.state.scenes import SceneSetter, ShownScene
    from bertviz_app.features.lessons.views.arrangement import ArrangementDialog
    from bertviz_app.features.lessons.views.teaching import (
        BlackScreen,
        StationForm,
        StationWords,
        TeacherWindow,
    )


class StationMaker(WindowPart):
    """Asks for the texts and the question, checks the station on the numbers on screen, and writes it.

    Stations of the user's own lessons are changed with the same form, and put into another order.
    """

    def __init__(self, window: QMainWindow, app_state: AppState, look: Look, lessons: Lessons) -> None:
        super().__init__(window)
        self._app_state = app_state
        self._look = look
        self._lessons = lessons
        self._catalogue = lessons.catalogue
        self.form: StationForm | None = None
        lessons.change_requested.connect(self.change)
        lessons.arrangement_requested.connect(self.arrange)

    def move_to(self, frame: WindowFrame) -> None:
        self._frame = frame
        self.form = None  # it went with the frame before

    def commands(self) -> list[Command]:
        group = translate("Commands", "Lessons")
        create = translate("Commands", "Create a lesson page from this view …")
        change = translate("Commands", "Change this station of your lesson …")
        arrange = translate("Commands", "Arrange the stations of your lesson …")
        return [
            Command(create, "Ctrl+Alt+J", self.ask, group=group),
            Command(change, "Ctrl+Alt+C", self.change, group=group),
            Command(arrange, "Ctrl+Alt+A", self.arrange, group=group),
        ]

    def ask(self) -> None:
        """Open the form for a new station of what is on screen."""
        shown = self._shown()
        if shown is None:
            words = self.tr("A station needs a text that a checkpoint on this computer has encoded.")
            self._frame.status.show_message(words, "warning")
            return
        lessons = [
            (own.lesson.title.in_language(language()), own.path)
            for own in self._catalogue.own.lessons
            if own.lesson is not None
        ]
        self._open_form(shown, {}, lessons, None)

    @Slot()
    def change(self) -> None:
        """Open the form for the station that is shown, if it is one of the user's own lessons."""
        from bertviz_app.features.lessons.course.reading import lesson_in

        own, shown = self._own_lesson(), self._shown()
        if own is None or shown is None:
            return
        path, lesson = own
        station = self._lessons.player.station
        assert station is not None
        try:
            before = next(each for each in lesson_in(path)["stations"] if each["key"] == station.key)
        except (AppError, StopIteration):  # the card says that the file cannot be read
            return
        kept = {"kept": (self.tr("What this station shows already"), station.scene)}
        self._open_form(shown, kept, [(lesson.title.in_language(language()), path)], before)

    def _own_lesson(self) -> tuple[Path, Lesson] | None:
        """Return the file of the open lesson; without one of the user's own show the list of lessons."""
        lesson, path = self._lessons.player.lesson, self._lessons.path
        if lesson is not None and path is not None:
            return path, lesson
        words = self.tr("Open a lesson of your own first: those of the program stay as they are.")
        self._frame.status.show_message(words, "warning")
        self._catalogue.open_list()
        return None

    def _shown(self) -> ShownScene | None:
        from bertviz_app.features.lessons.state.scenes import shown_scene

        docks = self._frame.main_area.docks.docks
        return shown_scene(self._app_state, tuple(name for name in NAMES if not docks[name].isHidden()))

    def _open_form(
        self,
        shown: ShownScene,
        kept: dict[str, tuple[str, Scene]],
        lessons: list[tuple[str, Path]],
        station: Json | None,
    ) -> None:
        """Open the form; `kept` is what a `station` that is changed shows already."""
        from bertviz_app.features.lessons.course.reading import scenes_of
        from bertviz_app.features.lessons.state.player import unread_words
        from bertviz_app.features.lessons.views.teaching import FormContent, StationForm, value_choices

        left_out = [translated(sentence) for sentence in shown.left_out]
        if words := unread_words(self._catalogue.own.n_unread):
            left_out.append(words)
        if self.form is not None:
            self.form.deleteLater()
        choices = value_choices(self._app_state, shown.scene)
        scenes = scenes_of(shown.scene, shown.active, has_classes=bool(choices.get("class")))
        shows = kept | {key: (translated(words), scene) for key, (words, scene) in scenes.items()}
        content = FormContent(shows, left_out, lessons, choices, station)
        self.form = StationForm(self._look, content, self._frame)
        self.form.save_requested.connect(partial(self._write, shows, station))
        self.form.open()

    def _write(self, shows: dict[str, tuple[str, Scene]], station: Json | None, words: StationWords) -> None:
        assert self.form is not None
        try:
            path = self._save(shows[words.shows][1], station, words)
        except AppError as error:
            self.form.show_problem(error_text(error))
            return
        except ValueError as error:
            self.form.show_problem(translated(error.args[0]))
            return
        self.form.accept()
        self._catalogue.refresh()
        self._frame.status.show_message(self.tr("The station is in {0}.").format(path))

    def _save(self, scene: Scene, before: Json | None, words: StationWords) -> Path:
        """Write the station. Raises AppError, and ValueError with a message, where it is not a sound one."""
        from bertviz_app.features.lessons.course import reading as files
        from bertviz_app.features.lessons.state.player import lesson_files
        from bertviz_app.learning.words import Words

        texts = {name: words.words(name) for name in words.texts["en"]}
        keeps_scene = words.shows == "kept"
        if before is None or not keeps_scene or words.question != files.question_of(before, scene):
            files.check_picture(scene, words.question)
        station = files.station_json(scene, words.question, texts)
        path = words.path
        if path is None:
            title = Words(**texts["lesson"])
            key = files.key_of(title.en)
            taken = {each.stem for each in lesson_files(self._catalogue.folder)}
            path = self._catalogue.folder / f"{files.free_key(key, taken)}.json"
            lesson = files.new_lesson(title, title, files.free_key(key, self._catalogue.keys))
        else:
            lesson = files.lesson_in(path)
        if before is None:
            lesson = files.with_station(lesson, station)
            key = lesson["stations"][-1]["key"]
        else:
            key = before["key"]
            station = files.changed_station(before, station, keeps_scene=keeps_scene)
            lesson = files.with_changed(lesson, before, station)
        self._check(lesson, key, path.name)
        files.save_lesson(lesson, path)
        return path

    def _check(self, lesson: dict[str, object], key: str, name: str) -> None:
        """Raise ValueError with what is wrong with a station on the numbers on screen.

        Nothing is known of a station whose text or checkpoint is not the one on screen.
        """
        from bertviz_app.features.lessons.course.lesson import station_mistakes
        from bertviz_app.features.lessons.course.reading import lesson_text, parse_lesson
        from bertviz_app.features.lessons.state.player import analysed_tokens
        from bertviz_app.learning.words import LANGUAGES

        found = parse_lesson(lesson_text(lesson), name)
        station = next(each for each in found.stations if each.key == key)
        workspace, whole = self._app_state.workspace, found.scene_of(station)
        shown = workspace.shown
        for each in LANGUAGES:
            scene = whole.in_language(each)
            text = "" if scene.text is None else scene.text.in_language(each)
            if shown is None or text != workspace.text:
                continue
            if scene.model not in (None, shown.result.facts.name, workspace.ref):
                continue
            analysed = analysed_tokens(self._app_state, scene)
            mistakes = station_mistakes(station, scene, each, lambda *_: shown.result, analysed=analysed)
            if mistake := next(mistakes, None):
                raise ValueError(mistake.words)

    @Slot()
    def arrange(self) -> None:
        """Show the stations of the user's own lesson, to be moved and removed."""
        from bertviz_app.features.lessons.course.reading import lesson_in
        from bertviz_app.features.lessons.views.arrangement import ArrangementDialog

        own = self._own_lesson()
        if own is None:
            return
        try:
            before = lesson_in(own[0])
        except AppError as error:
            self._frame.status.show_message(error_text(error), "warning")
            return
        dialog = ArrangementDialog(self._look, own[1], self._window)
        dialog.save_requested.connect(partial(self._write_order, dialog, own[0], before))
        dialog.open()

    def _write_order(self, dialog: ArrangementDialog, path: Path, before: Json, keys: Sequence[str]) -> None:
        from bertviz_app.features.lessons.course import reading as files

        try:
            files.check_unchanged(path, before)
            files.save_lesson(files.arranged(before, keys, language()), path)
        except AppError as error:
            dialog.show_problem(error_text(error))
            return
        dialog.accept()
        self._catalogue.refresh()
        words = self.tr("The stations are written. The lesson before is in {0}.")
        self._frame.status.show_message(words.format(files.before_of(path)))


class Examples(WindowPart):
    """Sets the window to a scene; what is needed for that is built at the first use.

    The scene follows the text that is typed, until a lesson is opened.
    """

    def __init__(
        self, window: QMainWindow, app_state: AppState, lessons: Lessons, remark: Callable[[str], None]
    ) -> None:
        """`remark` shows a sentence: the checkpoint of an example may not be on this computer."""
        super().__init__(window)
        self._app_state = app_state
        self._lessons = lessons
        self._remark = remark
        self._setter: SceneSetter | None = None
        lessons.changed.connect(self._leave)

    def move_to(self, frame: WindowFrame) -> None:
        frame.welcome.example_chosen.connect(self.open)

    def open(self, index: int) -> None:
        """Show an example of the start page: in Learn in Explore, but the whole way beside the map."""
        from bertviz_app.features.lessons.course.reading import shipped_examples

        example, rooms = shipped_examples()[index], self._app_state.rooms
        if example.station:
            self._lessons.open_station(*example.station.split("/"))
            return
        scene = example.scene_in(language())
        is_plain = rooms.room != "research"  # the other rooms begin with one picture
        if is_plain:
            rooms.enter("learn" if "steps" in scene.views else "explore")
        if self._setter is None:
            from bertviz_app.features.lessons.state.scenes import SceneSetter

            self._setter = SceneSetter(self._app_state)
            self._setter.set_.connect(self._on_set)
        self._setter.set_scene(replace(scene, views=scene.views[:1]) if is_plain else scene, language())

    @Slot()
    def _leave(self) -> None:
        """Follow the text no longer: a lesson has scenes of its own."""
        if self._setter is not None:
            self._setter.leave()

    @Slot()
    def _on_set(self) -> None:
        if self._setter is not None and self._setter.lacks:
            self._remark(missing_words(self._setter.lacks))


class Handouts(WindowPart):
    """Asks where to write one, and has it written beside the window's work."""

    def __init__(self, window: QMainWindow, app_state: AppState, files: Files) -> None:
        super().__init__(window)
        self._app_state = app_state
        self._files = files
        self._folder = Path()

    def commands(self) -> list[Command]:
        words = translate("Commands", "Hand-out of this head …")
        return [Command(words, "Ctrl+Alt+P", self.ask, group=translate("Commands", "Lessons"))]

    def ask(self) -> None:
        """Ask for a file and write the head, the query and the key that are pinned into it."""
        inspected = self._app_state.shown_runs.inspected
        pair, tokens = inspected.pair, inspected.at_rest()
        if pair is None or tokens is None:
            return
        if not pair.trace.has_states:
            self._files.refused.emit(error_text(lacks_states()))
            return
        name = self.tr("hand-out {0}.{1}").format(pair.layer, pair.head) + ".pdf"
        title, kinds = self.tr("Hand-out of this head"), "PDF (*.pdf)"
        path = ask_where_to_save(self._window, title, str(self._folder / name), kinds, ".pdf")
        if path is None:
            return
        self._folder = path.parent
        from bertviz_app.features.lessons.handouts import handout_numbers
        from bertviz_app.features.lessons.views.printed import handout_pdf, write_pdf

        content = handout_pdf(handout_numbers(pair.trace, pair.layer, pair.head, *tokens))
        self._files.write(path, lambda: write_pdf(content, path))


class Teaching(WindowPart):
    """Presenter remotes send Page Down and Page Up, B to darken the screen, F5 and Escape for a presentation.

    The keys work only while a lesson is open: otherwise Page Down scrolls. Some remotes send a full stop
    instead of B; only the teacher's window accepts it, since in the main window it is a key of Steps.
    In a presentation no field for sentences has the keys when a station begins: B is a letter only in one
    that the presenter clicked.
    """

    def __init__(self, window: QMainWindow, look: Look, lessons: Lessons, presentation: Presentation) -> None:
        super().__init__(window)
        self._look = look
        self._lessons = lessons
        self._presentation = presentation
        self._notes: TeacherWindow | None = None
        self._black: BlackScreen | None = None
        self._of_lesson = [self._action("PgDown", self.next), self._action("PgUp", self.back)]
        self._dark = self._action("B", self.darken)
        self._of_vote = [self._action(key, run) for key, run in self._hands().items()]
        lessons.changed.connect(self._on_changed)
        lessons.notes_requested.connect(self.show_notes)
        presentation.changed.connect(self._on_changed)
        self._on_changed()

    def commands(self) -> list[Command]:
        """Those of a presenter's remote have its keys, too, while a lesson is open."""
        group = translate("Commands", "Lessons")
        return [
            Command(translate("Commands", "Lessons …"), "Ctrl+Shift+L", self._lessons.open_list, group=group),
            Command(
                translate("Commands", "Next station of the lesson"), "Ctrl+PgDown", self.next, group=group
            ),
            Command(translate("Commands", "Station before"), "Ctrl+PgUp", self.back, group=group),
            Command(
                translate("Commands", "Stations of the lesson …"), "Ctrl+J", self.show_stations, group=group
            ),
            Command(translate("Commands", "Teacher's notes …"), "Ctrl+Alt+N", self.show_notes, group=group),
            Command(translate("Commands", "Black screen, in a lesson"), "B", self.darken, True, group=group),
            Command(
                translate("Commands", "Reveal the answer of the vote"),
                "Shift+R",
                self.reveal,
                group=group,
                applies=lambda: self._lessons.is_open and bool(self._lessons.player.hands),
            ),
        ]

    def _hands(self) -> dict[str, Callable[[], None]]:
        """Return what the keys of a vote do."""

        def raise_hand(option: int) -> None:
            self._lessons.player.raise_hand(option)

        raised = {str(number): partial(raise_hand, number - 1) for number in range(1, 10)}
        return {**raised, "Backspace": lambda: self._lessons.player.take_hand_back()}

    def reveal(self) -> None:
        """Show the right answer of the question that the class votes on; the list without a lesson."""
        self._with_lesson(lambda: self._lessons.player.reveal())

    def _action(self, keys: str, run: Callable[[], None]) -> QAction:
        action = QAction(self._window, shortcut=QKeySequence(keys))
        action.triggered.connect(lambda _=False: run())
        self._window.addAction(action)
        return action

    def next(self) -> None:
        """Show the next station of the open lesson, or the list of lessons while none is open."""
        self._with_lesson(self._lessons.next)

    def back(self) -> None:
        """Show the station before, or the list of lessons while none is open."""
        self._with_lesson(self._lessons.back)

    def show_stations(self) -> None:
        """Open the list of stations on the card, or the list of lessons while none is open."""
        if (card := self._lessons.card) is not None:
            self._with_lesson(card.stations_button.showMenu)
        else:
            self._lessons.catalogue.open_list()

    @Slot()
    def show_notes(self) -> None:
        """Open the teacher's window, or the list of lessons while none is open."""
        self._with_lesson(self._open_notes)

    def _with_lesson(self, work: Callable[[], object]) -> None:
        if self._lessons.is_open:
            work()
        else:
            self._lessons.catalogue.open_list()

    def _open_notes(self) -> TeacherWindow:
        notes = self._notes
        if notes is None:
            from bertviz_app.features.lessons.views.teaching import TeacherWindow

            orders = {
                "next": self.next,
                "back": self.back,
                "black": self.darken,
                "presentation": self._presentation.toggle,
                "reveal": self.reveal,
            }
            notes = self._notes = TeacherWindow(self._look, self._window, orders, self._hands())
            notes.station_chosen.connect(self._lessons.player.go)
            player = self._lessons.player
            for signal in (player.ready, player.answered, player.voted):
                signal.connect(self._show_station, Qt.ConnectionType.UniqueConnection)
        self._show_station()
        notes.show()
        notes.raise_()
        return notes

    def show_again(self) -> None:
        """Open the teacher's window in the language in force, if it is open."""
        before, self._notes = self._notes, None
        if before is None:
            return
        if before.isVisible():
            self._open_notes().setGeometry(before.geometry())
        before.hide()
        before.deleteLater()

    def darken(self) -> None:
        """Cover the window with black, or show it again."""
        if self._black is None:
            from bertviz_app.features.lessons.views.teaching import BlackScreen

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
        for action in self._of_vote:
            action.setEnabled(is_open and bool(self._lessons.player.hands))
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
        self._notes.show_station(lesson, player.station_index, done, player.right_answer(), player.hands)
