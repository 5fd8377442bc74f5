"""The lessons that can be opened, and the one that is open in a window."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QPoint, Qt, QTimer, QUrl, Signal, Slot
from PySide6.QtGui import QDesktopServices, QKeyEvent
from PySide6.QtWidgets import QFileDialog, QLabel, QMainWindow, QPushButton, QWidget

from bertviz_app import paths
from bertviz_app.errors import AppError
from bertviz_app.features.lessons.window.targets import Targets
from bertviz_app.shell.session import ask_where_to_save
from bertviz_app.shell.settings import SettingsStore
from bertviz_app.shell.window.frame import Guide, PageController, WindowFrame
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.label_trainings import LabelTrainings
from bertviz_app.viewmodels.wording import error_text
from bertviz_app.views.kit.canvas import Guarded
from bertviz_app.views.kit.look import Look, in_row, named
from bertviz_app.views.kit.words import language, open_menu, plain

if TYPE_CHECKING:
    from bertviz_app.features.lessons.course.lesson import Lesson, Picture, Scene, Station
    from bertviz_app.features.lessons.state.player import LessonPlayer, LessonProgress, OwnLessons
    from bertviz_app.features.lessons.views.card import LessonCard
    from bertviz_app.features.lessons.views.course import CourseProgress, LessonList
    from bertviz_app.learning.words import Words
    from bertviz_app.views.dialogs.palette import PaletteEntry

_WIDE, _SHARE = ("overview", "vector"), 0.6
_AFTER_START_MS = 300
"""The start page is painted before the user's lessons are read."""


class LessonCatalogue(PageController):
    """Lists lessons on a page of their own and on the start page.

    `chosen(lesson, path)`: one is to be opened; `path` is that of its file, None for one of the program's.
    """

    chosen = Signal(object, object)
    page: LessonList

    def __init__(
        self,
        window: QMainWindow,
        look: Look,
        store: SettingsStore,
        progress: Callable[[], LessonProgress],
        failed: Callable[[AppError], None],
    ) -> None:
        """`failed(error)`: a file cannot be used."""
        super().__init__(window)
        self._look = look
        self._store = store
        self._progress = progress
        self._failed = failed
        self._own: OwnLessons | None = None

    def move_to(self, frame: WindowFrame) -> None:
        super().move_to(frame)
        self._welcome = welcome = frame.welcome
        welcome.lessons.clicked.connect(lambda: self.open_list())
        welcome.first.clicked.connect(self.open_first)
        welcome.own_chosen.connect(self._on_own_chosen)
        if self._own is not None:
            self._offer_own()
            return
        with suppress(OSError):  # of a folder that cannot be read
            if any(self.folder.glob("*.json")):
                QTimer.singleShot(_AFTER_START_MS, self, self._offer_own)

    def _make_page(self) -> LessonList:
        from bertviz_app.features.lessons.views.course import LessonList

        page = LessonList(self._look, _shipped(), self.own, self._progress())
        page.chosen.connect(self.chosen)
        page.file.clicked.connect(self.ask_for_file)
        page.folder.clicked.connect(self._open_folder)
        return page

    @property
    def folder(self) -> Path:
        """The folder of the user's lessons."""
        chosen = self._store.settings.lessons_folder
        return Path(chosen) if chosen else paths.own_lessons()

    @property
    def own(self) -> OwnLessons:
        """The user's own lessons, read at the first use."""
        if self._own is None:
            from bertviz_app.features.lessons.state.player import OwnLessons

            self._own = OwnLessons(self.folder, self)
            self._own.changed.connect(self._offer_own)
            self._own.refresh()
        elif self._own.folder != self.folder:
            self._own.set_folder(self.folder)
        return self._own

    @Slot()
    def refresh(self) -> None:
        """Look for the user's lessons again: another folder may have been chosen for them."""
        self.own.refresh()

    @property
    def keys(self) -> set[str]:
        """The keys of all lessons, which a new one must differ from."""
        own = {each.lesson.key for each in self.own.lessons if each.lesson is not None}
        return own | {lesson.key for lesson in _shipped()}

    @Slot()
    def open_list(self, after: str = "") -> None:
        """Show all lessons, and make the one that follows the lesson with the key `after` the current one."""
        self.own.refresh()
        self.show_page()
        self.page.fill(after)

    @Slot()
    def open_first(self) -> None:
        """Open the first lesson."""
        self.chosen.emit(_shipped()[0], None)

    def named(self, key: str) -> str:
        """Return the number and the title of a lesson of the program or of its station, "" of none."""
        places = _places()
        if key not in places:
            return ""
        number, title = places[key]
        return self.tr("lesson {0}, {1}").format(number, title.in_language(language()))

    @Slot()
    def ask_for_file(self) -> None:
        path, _ = QFileDialog.getOpenFileName(
            self._window, self.tr("Open a lesson"), str(self.folder), self.tr("Lessons (*.json)")
        )
        if path:
            self.open_file(Path(path))

    def open_file(self, path: Path) -> None:
        try:
            self.chosen.emit(self.own.open(path), path)
        except AppError as error:
            self._failed(error)

    @Slot()
    def _open_folder(self) -> None:
        """Show the folder of the user's lessons in the system's file manager; make it first."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            return  # the file manager says what is wrong with it
        finally:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(self.folder)))
        self.own.refresh()

    @Slot()
    def _offer_own(self) -> None:
        """List the user's lessons on the start page."""
        lessons = [own.lesson for own in self.own.lessons if own.lesson is not None]
        self._welcome.offer_own([(lesson.title, lesson.summary) for lesson in lessons])

    @Slot(int)
    def _on_own_chosen(self, index: int) -> None:
        own = [each for each in self.own.lessons if each.lesson is not None][index]
        self.chosen.emit(own.lesson, own.path)


_LONGEST_PATH = 60  # characters


class LessonsFolderRow(QWidget):
    """The folder of the user's own lessons, and buttons that choose another one or the usual one."""

    def __init__(self, store: SettingsStore) -> None:
        super().__init__()
        self._store = store
        self._path = named(QLabel(), "secondary")
        self.choose, self.usual = QPushButton(self.tr("Choose …")), QPushButton(self.tr("Use the default"))
        self.choose.clicked.connect(self._ask)
        self.usual.clicked.connect(lambda: self._set(""))
        in_row(self._path, self.choose, self.usual, 1, of=self, margins=0, spacing=8)
        self._write()

    def _write(self) -> None:
        chosen = self._store.settings.lessons_folder
        folder = chosen or str(paths.own_lessons())
        room = self.fontMetrics().averageCharWidth() * _LONGEST_PATH
        self._path.setText(self.fontMetrics().elidedText(folder, Qt.TextElideMode.ElideMiddle, room))
        self._path.setToolTip(folder)
        self.usual.setEnabled(bool(chosen))

    def _ask(self) -> None:
        folder = QFileDialog.getExistingDirectory(self, self.choose.text(), self._path.toolTip())
        if folder:
            self._set(folder)

    def _set(self, folder: str) -> None:
        self._store.change(lessons_folder=folder)
        self._write()


def _shipped() -> tuple[Lesson, ...]:
    """Return the lessons of the program; what reads them is imported at the first use."""
    from bertviz_app.features.lessons.course.reading import shipped_lessons

    return shipped_lessons()


def _places() -> dict[str, tuple[str, Words]]:
    """Return the number and the title of each lesson of the program, by its key, and of each of its stations.

    The key of a station is that of its lesson and its own: self-attention/padding.
    """
    found = {}
    for number, lesson in enumerate(_shipped(), 1):
        found[lesson.key] = str(number), lesson.title
        for at, station in enumerate(lesson.stations, 1):
            found[f"{lesson.key}/{station.key}"] = f"{number}.{at}", station.title
    return found


_HIGHLIGHTED_BY: dict[Picture, tuple[str, ...]] = {
    **dict.fromkeys(("chips", "cut", "agreement"), ("tokens",)),
    **dict.fromkeys(("lookup", "sum", "same_word", "steps", "states"), ()),
    "product": ("queries",),
    "roles": ("queries", "keys", "values"),
    "scores": ("scaled",),
    **dict.fromkeys(("arcs", "both_ways", "row", "padding", "looked_at"), ("softmax",)),
    "added": ("weighted",),
    **dict.fromkeys(("heads", "joined"), ("attention",)),
    "lines": ("attention_norm",),
    **dict.fromkeys(("dropout", "detector", "bend"), ("feed-forward",)),
    "residual": ("attention_sum",),
    "alike": ("output",),
    "pooler": ("first", "pooler"),
    **dict.fromkeys(("mask", "dice"), ("masked",)),
    **dict.fromkeys(("answer", "training"), ("next_sentence", "classes")),
}
"""Which blocks or stops of the map of the model the large pictures are about; () for the station's stop."""


def _needs_strip(station: Station, scene: Scene) -> bool:
    """Return whether the strip of tokens is needed: what the station shows may have the tokens itself."""
    if scene.picture is not None:
        return False
    is_asked = station.points_at == "strip" or (station.task is not None and station.task.kind == "token")
    return is_asked or not {"words", "lines", "matrix", "steps"} & set(scene.views)


class Lessons(Guarded, Guide):
    """Opens lessons; what they need is built at the first use.

    `changed`: another station is shown, or none. `notes_requested`: the teacher's window is to be opened;
    `change_requested`, `arrangement_requested`, `print_requested`: the station is to be changed, or the
    stations to be moved, or the lesson to be printed.
    """

    notes_requested = Signal()
    change_requested = Signal()
    arrangement_requested = Signal()
    print_requested = Signal()

    def __init__(
        self,
        window: QMainWindow,
        app_state: AppState,
        look: Look,
        store: SettingsStore,
        trainings: Callable[[], LabelTrainings],
    ) -> None:
        """Save the progress beside the settings of `store`; `trainings` makes what trains for stations."""
        super().__init__(window)
        self._app_state = app_state
        self._look = look
        self._store = store
        self._trainings = trainings
        self._progress_file = store.folder / "lessons.json"
        self._player: LessonPlayer | None = None
        self.path: Path | None = None
        """The file of the open lesson; None for one of the program's."""
        self._picture: Picture | None = None
        self._is_at_end = False
        self.card: LessonCard | None = None
        failed = app_state.failed.emit
        self.catalogue = LessonCatalogue(window, look, store, lambda: self.player.progress, failed)
        self.catalogue.chosen.connect(self.open_lesson)

    def move_to(self, frame: WindowFrame) -> None:
        """Stand in the frame of a window, built anew: `show_again` shows there what is open."""
        self._frame = frame
        self.targets = Targets(self._window, self._look, frame)
        self.card = self._picture = None
        frame.pages.page_changed.connect(self._on_page_changed)

    def show_again(self) -> None:
        """Go on with the open lesson in the language in force."""
        if self.is_open:
            self.player.set_language(language())
            if self.card is None:
                self._show()
            if self.player.is_ready:
                self._on_ready()

    @property
    def player(self) -> LessonPlayer:
        """What goes through the lessons."""
        if self._player is None:
            from bertviz_app.features.lessons.state.player import LessonPlayer, LessonProgress

            progress = LessonProgress(self._progress_file, self)
            self._player = LessonPlayer(self._app_state, progress, self._trainings())
            self._player.station_changed.connect(self._show)
            self._player.ready.connect(self._on_ready)
            self._player.answered.connect(self._on_answered)
            self._player.trainings.changed.connect(self._show_trainings)
            self._player.voted.connect(self._show_hands)
            # Later than `AppState`, whose slot is called first: what is inspected is of the new result then.
            for signal in (self._app_state.workspace.shown_changed, self._app_state.workspace.cleared):
                signal.connect(self._show_facts)
        return self._player

    @property
    def is_open(self) -> bool:
        return self._player is not None and self._player.lesson is not None

    @property
    def points_at(self) -> str:
        return "" if self.player.station is None else self.player.station.points_at

    @property
    def holds_pin(self) -> bool:
        return self.player.setter.has_other_pin

    def preferences(self) -> list[tuple[str, QWidget]]:
        return [(QCoreApplication.translate("Preferences", "Own lessons"), LessonsFolderRow(self._store))]

    def named(self, key: str) -> str:
        return self.catalogue.named(key)

    @Slot(str)
    def open_about(self, key: str) -> None:
        if "/" in key:
            self.open_station(*key.split("/"))
        else:
            self.open_lesson(next(each for each in _shipped() if each.key == key))

    def palette_entries(self) -> list[PaletteEntry]:
        """Return a line for each lesson of the program, and for each station."""
        from bertviz_app.views.dialogs.palette import PaletteEntry

        group = QCoreApplication.translate("Commands", "Lessons")
        words = self.tr("{0} (lesson {1})")
        return [
            PaletteEntry(
                words.format(title.in_language(language()), number),
                "",
                partial(self.open_about, key),
                key,
                group,
                f"lesson {key}",
                title=f"{title.en} {title.ko}",
            )
            for key, (number, title) in _places().items()
        ]

    @Slot()
    def refresh(self) -> None:
        self.catalogue.refresh()

    @Slot()
    def open_list(self) -> None:
        self.catalogue.open_list()

    @Slot(object, object)
    def open_lesson(self, lesson: Lesson, path: Path | None = None) -> None:
        """Open a lesson where it was left, from the beginning if it is done; `path` is that of its file."""
        progress = self.player.progress
        self.path = path
        if path is not None:
            # At most once, however many lessons of files are opened one after the other.
            self.catalogue.own.changed.connect(self._on_own_changed, Qt.ConnectionType.UniqueConnection)
        is_done = progress.n_done(lesson) == len(lesson.stations)
        self.player.start(lesson, 0 if is_done else progress.last_station(lesson), language())

    def open_station(self, lesson_key: str, station_key: str) -> None:
        """Open one of the program's lessons at one of its stations."""
        (lesson,) = [lesson for lesson in _shipped() if lesson.key == lesson_key]
        self.path = None
        self.player.start(lesson, [each.key for each in lesson.stations].index(station_key), language())

    def leave(self) -> None:
        """Close the lesson; what was shown before comes back, and the status line says so."""
        lesson = None if self._player is None else self._player.lesson
        if lesson is None:
            return
        self.player.leave()
        words = self.tr("You have left the lesson “{0}”. All lessons: Ctrl+Shift+L")
        self._frame.status.show_message(words.format(lesson.title.in_language(language())))

    def run(self, command: Callable[[], object]) -> None:
        """Run a command; where it draws something else behind the large picture, go to Explore."""
        if (before := self._behind()) is None:
            command()
            return
        station = self.player.station
        command()
        if self.player.station is station and self._behind() not in (before, None):
            self.open_in_explore()

    def _behind(self) -> tuple[object, ...] | None:
        """Return what the panels behind the large picture draw; None while no picture covers them."""
        if not self.is_open or self._picture is None or not self.player.is_ready:
            return None
        panels = self._app_state.panels.panels
        return tuple(
            (each.view_kind, each.content, each.steps, each.vectors.page, each.parameters.page, each.run)
            for each in panels
        )

    @Slot()
    def open_in_explore(self) -> None:
        """Leave the lesson, and go on in Explore with its text and with the panels behind its picture."""
        self.player.leave(keeps=True)
        self._app_state.rooms.note("explore")

    def close(self) -> None:
        """End what a station trains."""
        if self._player is not None:
            self._player.trainings.close()

    @Slot()
    def _on_own_changed(self) -> None:
        """Show the new version of the open lesson; what is wrong with it, where it cannot be read."""
        own = None if self.path is None or not self.is_open else self.catalogue.own.at(self.path)
        if own is None:
            return
        if own.lesson is not None and own.lesson != self.player.lesson:
            self.player.replace(own.lesson)
        elif own.error is not None:
            self._card().show_problem(error_text(own.error))

    @Slot()
    def _on_page_changed(self) -> None:
        """Leave the room of the card to the page of all lessons."""
        if self.card is not None:
            self.card.setVisible(self.is_open and not self.catalogue.is_shown)

    @Slot()
    def _show(self) -> None:
        """Show the station, or put the card away."""
        lesson, station = self.player.lesson, self.player.station
        self._is_at_end = False
        if lesson is None or station is None:
            focused = self._window.focusWidget()
            had_keys = self.card is not None and focused is not None and self.card.isAncestorOf(focused)
            if self.card is not None:
                self.card.hide()
            self._frame.keep_bars(False)
            if self._frame.has_main_area:
                self.targets.point_at("")
                self._show_picture(None)
                self._frame.main_area.show_strip(is_shown=True)
                if had_keys:  # Qt would give them to the bars, which a presentation then unfolds
                    self.targets.focus("panel")
            self.changed.emit()
            return
        card = self._card()
        progress = self.player.progress
        done = [n for n, each in enumerate(lesson.stations) if progress.is_done(lesson, each.key)]
        lacks_own = self.player.lacks_own
        for action in card.stations_button.own:
            action.setVisible(self.path is not None)
        card.show_station(lesson, self.player.station_index, {}, done, lacks_own=lacks_own)
        card.show_missing_checkpoint(self.player.lacks)
        self._show_trainings()
        self._show_hands()
        card.show()
        self.changed.emit()

    def _show_picture(self, name: Picture | None) -> None:
        """Show the large picture of the station; one that is there already goes on with another station."""
        area = self._frame.main_area
        if name == self._picture and (name is None) == (area.middle.picture is None):
            return
        self._picture = name
        area.flow.highlight(*(() if name is None else _HIGHLIGHTED_BY[name]))
        if name is None:
            area.show_picture(None)
            return
        from bertviz_app.features.lessons.views.pictures.picture import picture_of
        from bertviz_app.features.lessons.views.pictures.tokens import Chips

        picture = picture_of(name, self._look, self.player.pictures)
        area.show_picture(picture)
        for chips in picture.findChildren(Chips):
            chips.menu_requested.connect(self._open_chip_menu)

    @Slot(int, QPoint)
    def _open_chip_menu(self, token: int, at: QPoint) -> None:
        """Open the menu that the chip of a token has in the strip."""
        area = self._frame.main_area
        open_menu(area.middle, area.edits.chip_menu.items(token), at)

    def arrange_cards(self) -> None:
        """Show those of the window's cards that the station needs."""
        cards = self.player.scene.cards
        if self._frame.has_main_area:
            # A head is found only where its picture is large enough, a number of a vector where its bar is.
            station = self.player.station
            wide = station.points_at if station is not None and station.points_at in _WIDE else ""
            self._frame.main_area.docks.show_only(("overview",) if cards is None else cards, wide, _SHARE)

    @Slot()
    def _on_ready(self) -> None:
        """Fill the text with the numbers that are there now, and point at what is meant."""
        station = self.player.station
        if station is None or self.card is None or self._is_at_end:
            return
        self.arrange_cards()
        self._show_picture(self.player.scene.picture)
        if (picture := self._frame.main_area.middle.picture) is not None:
            picture.setWindowTitle(plain(station.title.in_language(language())))
        self._frame.main_area.show_strip(is_shown=_needs_strip(station, self.player.scene))
        self._show_facts()
        self.card.show_missing_checkpoint(self.player.lacks)
        if not self.player.lacks:
            self.card.show_missing(self.player.setter.missing)
        self._frame.keep_bars(bool(station.typed) or self.targets.is_in_bars(station.points_at))
        is_alone = station.points_at == "panel" and self.player.scene.cards == ()
        self.targets.point_at("" if is_alone else station.points_at)  # a frame around all points at nothing
        self._frame.main_area.cards.overview.view.installEventFilter(self)
        self._focus(station)

    @Slot()
    def _show_facts(self) -> None:
        """Write the numbers of the text on screen, which may be the learner's own, into the card."""
        station = self.player.station if self.is_open else None
        if station is None or self.card is None or not self.player.is_ready:
            return
        is_blank = self._app_state.workspace.is_blank
        self.card.show_facts(station, {} if is_blank else self._app_state.shown_facts())

    def _focus(self, station: Station) -> None:
        """Focus what the task is done with; a text is not typed over in a presentation."""
        task = station.task
        if self.card is None:
            return
        if self.card.task.focus_form():
            target = self.targets.taker(station.points_at)
            if target is not None:
                self.card.follow(target)  # Shift+Tab goes from the answer to what it is read from
        elif station.typed:
            if not self._window.isFullScreen():
                self._frame.focus_text()
                if station.typed != "text changed":  # the text that is there is to be changed
                    self._frame.bar.text.end(False)
        else:
            is_token = task is not None and task.kind == "token"
            shown = "panel" if self.player.scene.picture is not None else station.points_at
            if focused := self.targets.focus("strip" if is_token else shown):
                self.card.follow(focused)

    @Slot(bool)
    def _on_answered(self, is_right: bool) -> None:
        if self.card is not None:
            self.card.task.show_verdict(is_right, self.player.wrong_numbers, self.player.miss)
            if not is_right and not self.player.right_answer():
                self.card.task.show_no_answer()
            if is_right:
                self.card.set_solved(True)
                self.card.focus_next_button()

    def _card(self) -> LessonCard:
        """Return the card, which is built at the first use."""
        if self.card is None:
            from bertviz_app.features.lessons.views.card import LessonCard

            card = self.card = LessonCard(self._look)
            self._window.installEventFilter(self)
            self._frame.add_beside(card)
            self._frame.resized.connect(card.fit)
            card.fit()
            task, stations = card.task, card.stations_button
            task.answered.connect(self.player.answer)
            task.counted.connect(self.player.count_hands)
            task.revealed.connect(self.player.reveal)
            card.next_button.clicked.connect(self.next)
            card.back_button.clicked.connect(self.back)
            card.end.list_button.clicked.connect(self.leave_for_list)
            card.end.certificate_button.clicked.connect(self.show_certificate)
            card.again_button.clicked.connect(self.player.reset)
            card.explore_button.clicked.connect(self.open_in_explore)
            task.answer_button.clicked.connect(lambda: task.show_answer(self.player.right_answer()))
            self.player.head_missing.connect(task.show_missing_head)
            task.head_button.clicked.connect(self.player.show_head)
            stations.all_lessons.triggered.connect(lambda: self.catalogue.open_list())
            stations.chosen.connect(self.player.go)
            stations.notes.triggered.connect(self.notes_requested)
            stations.change.triggered.connect(self.change_requested)
            stations.arrange.triggered.connect(self.arrangement_requested)
            stations.print.triggered.connect(self.print_requested)
            task.training.button.clicked.connect(self._on_training_clicked)
            card.close_button.clicked.connect(self.leave)
        return self.card

    @Slot()
    def _on_training_clicked(self) -> None:
        station, trainings = self.player.station, self.player.trainings
        if trainings.is_running:
            trainings.cancel()
        elif station is not None and station.training is not None:
            trainings.start(station.training.in_language(language()))

    @Slot()
    def _show_trainings(self) -> None:
        if self.card is not None:
            self.card.task.training.show_trainings(self.player.trainings)

    @Slot()
    def _show_hands(self) -> None:
        if self.card is not None:
            self.card.task.show_hands(self.player.hands)

    @Slot()
    def next(self) -> None:
        """Go to the next station; from the last one to what was learnt, where that is said, or to the list.

        From there to the next lesson; after the last one to a sentence of one's own.
        """
        lesson = self.player.lesson
        if lesson is None or self.player.station_index < len(lesson.stations) - 1:
            self.player.next()
        elif self._is_at_end:
            following = self._course.after(lesson)
            if following is not None:
                self.open_lesson(following)
            else:
                self.leave()
                self._app_state.rooms.enter("explore")
                self._frame.focus_text()
        elif lesson.learnt:
            self.player.note_read()
            self._is_at_end = True
            self.targets.point_at("")
            from bertviz_app.features.lessons.views.course import EndPicture

            picture = EndPicture(self._look, lesson, self._course)
            picture.setWindowTitle(plain(lesson.title.in_language(language())))
            picture.next_button.clicked.connect(self.next)
            self._picture = None  # on the map the blocks of the last station stay highlighted
            self._frame.main_area.show_picture(picture)
            self._frame.main_area.docks.show_only(())
            self._card().show_end(lesson, self._course)
        else:
            self.player.note_read()
            self.leave_for_list()

    @Slot()
    def leave_for_list(self) -> None:
        """Leave the lesson and show all of them, the next one first."""
        lesson = self.player.lesson
        self.leave()
        self.catalogue.open_list("" if lesson is None else lesson.key)

    @Slot()
    def back(self) -> None:
        """Go to the station before; from the end of the lesson to its last one."""
        self.player.go(self.player.station_index - (not self._is_at_end))

    @property
    def _course(self) -> CourseProgress:
        from bertviz_app.features.lessons.views.course import CourseProgress

        return CourseProgress.of(_shipped(), self.player.progress)

    @Slot()
    def show_certificate(self) -> None:
        """Show the certificate of the course, as it is printed."""
        from bertviz_app.features.lessons.views.printed import CertificateDialog

        dialog = CertificateDialog(self._look, self._course, self._window)
        dialog.save_requested.connect(self._save_certificate)
        dialog.open()

    @Slot(str)
    def _save_certificate(self, html: str) -> None:
        """Ask for a file, and write the certificate into it as a hand-out is written."""
        name, kinds = self.tr("certificate") + ".pdf", "PDF (*.pdf)"
        path = ask_where_to_save(self._window, self.tr("Save the certificate"), name, kinds, ".pdf")
        if path is None:
            return
        from bertviz_app.features.lessons.views.printed import certificate_pdf, write_pdf

        try:
            write_pdf(certificate_pdf(html), path)
        except AppError as error:
            self._app_state.failed.emit(error)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take an Enter which nothing else uses as the answer with what the arrow keys came to."""
        is_enter = isinstance(event, QKeyEvent) and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if event.type() != QEvent.Type.KeyPress or not is_enter or not self.player.pick():
            return False
        if self.player.is_solved and self.card is not None:
            self.card.next_button.setFocus()
        return True
