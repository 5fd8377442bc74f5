"""Prints the open lesson: each of its stations is shown once, and recorded as it is on screen."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Slot
from PySide6.QtWidgets import QMainWindow, QProgressDialog, QWidget

from bertviz_app.features.lessons.window.lessons import Lessons
from bertviz_app.shell.commands.menus import Command
from bertviz_app.shell.session import Files, ask_where_to_save
from bertviz_app.shell.settings import read_palette
from bertviz_app.shell.window.frame import WindowFrame, WindowPart
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.words import language, translate

if TYPE_CHECKING:
    from bertviz_app.features.lessons.views.printed import PrintedStation
    from bertviz_app.views.export.recording import Recording

_SIZE = 880, 540
"""Pixels of a picture that is as wide as a page."""
_LOOK_MS = 100
_LONGEST = 300
"""So often it is looked whether a station is drawn, half a minute, before it is recorded as it is."""


class LessonPrinter(WindowPart):
    """Goes through the stations below a dialog that can cancel, and has the pages written on a worker."""

    def __init__(
        self, window: QMainWindow, app_state: AppState, look: Look, lessons: Lessons, files: Files
    ) -> None:
        super().__init__(window)
        self._app_state = app_state
        self._look = look
        self._lessons = lessons
        self._files = files
        self._path = self._folder = Path()
        self._stations: list[PrintedStation] = []
        self._looked = self._first = 0
        self._had_motion = True
        self._dialog: QProgressDialog | None = None
        self._timer = QTimer(self, interval=_LOOK_MS)
        self._timer.timeout.connect(self._record_if_drawn)
        lessons.print_requested.connect(self.ask)

    def move_to(self, frame: WindowFrame) -> None:
        self._frame = frame

    def commands(self) -> list[Command]:
        words = translate("Commands", "Print the lesson …")
        return [Command(words, "Ctrl+P", self.ask, group=translate("Commands", "Lessons"))]

    @Slot()
    def ask(self) -> None:
        """Ask for a file, and write the open lesson into it; without one show the list of lessons."""
        lesson = self._lessons.player.lesson
        if lesson is None:
            words = self.tr("Open the lesson that is to be printed first.")
            self._frame.status.show_message(words, "warning")
            self._lessons.open_list()
            return
        title, kinds = self.tr("Print the lesson"), "PDF (*.pdf)"
        name = lesson.title.in_language(language()).replace("/", "-") + ".pdf"
        path = ask_where_to_save(self._window, title, str(self._folder / name), kinds, ".pdf")
        if path is None:
            return
        self._path, self._folder, self._stations = path, path.parent, []
        self._first = self._lessons.player.station_index
        self._dialog = QProgressDialog("", self.tr("Cancel"), 0, len(lesson.stations), self._window)
        self._dialog.setWindowTitle(title)
        self._dialog.setWindowModality(Qt.WindowModality.WindowModal)
        self._dialog.setMinimumDuration(0)
        self._dialog.canceled.connect(self._end)
        self._had_motion = not self._look.reduces_motion
        self._look.reduces_motion = True  # what still moves would be recorded on its way
        self._show(0)

    def _show(self, index: int) -> None:
        assert self._dialog is not None
        self._dialog.setLabelText(self.tr("Station {0} of {1} …").format(index + 1, self._dialog.maximum()))
        self._dialog.setValue(index)
        self._looked = 0
        self._lessons.player.peek(index)
        self._timer.start()

    @Slot()
    def _record_if_drawn(self) -> None:
        """Record the station once nothing is computed for it any more, and show the next one."""
        player, workers, area = self._lessons.player, self._app_state.workers, self._frame.main_area
        self._looked += 1
        is_busy = any(each.is_any_busy for each in (workers.encoder, workers.analyses, workers.pictures))
        is_drawn = player.is_ready and not is_busy
        is_drawn = is_drawn and (area.middle.picture is not None or area.area.is_complete)
        if self._looked < _LONGEST and (not is_drawn or self._looked < 2):
            return
        self._timer.stop()
        if player.station is None or self._dialog is None:
            self._end()
            return
        from bertviz_app.features.lessons.views.printed import (
            PrintedStation,
            lesson_pdf,
            printed_pages,
            write_pdf,
        )

        facts = {} if self._app_state.workspace.is_blank else self._app_state.shown_facts()
        answer = player.right_answer()
        self._stations.append(PrintedStation(player.station, self._recorded(), facts, answer))
        if len(self._stations) < self._dialog.maximum():
            self._show(len(self._stations))
            return
        path = self._path
        assert player.lesson is not None
        pages = printed_pages(player.lesson, self._stations, language())
        self._files.write(path, lambda: write_pdf(lesson_pdf(pages), path))
        self._end()

    def _recorded(self) -> Recording:
        """Return what the station is about, its picture, a card or the panels, in the light theme."""
        from bertviz_app.views.export.recording import in_colours, record

        area = self._frame.main_area
        of_points = {"overview": area.cards.overview, "heads": area.cards.heads, "vector": area.cards.pooled}
        card = of_points.get(self._lessons.points_at)
        is_card = area.middle.picture is None and card is not None and card.isVisible()
        shown = card if is_card and card is not None else area.middle.picture or area.area
        with in_colours(area.docks, self._look, read_palette("light")), _on_paper(shown, self._look):
            return record(shown, self._look, None)

    @Slot()
    def _end(self) -> None:
        """Show the station again that was shown before."""
        self._timer.stop()
        self._look.reduces_motion = not self._had_motion
        dialog, self._dialog = self._dialog, None
        if dialog is not None:
            dialog.canceled.disconnect(self._end)
            dialog.close()
            dialog.deleteLater()
            self._lessons.player.peek(self._first)


@contextmanager
def _on_paper(widget: QWidget, look: Look) -> Iterator[None]:
    """Give a picture the size for the width of a page, in which its letters can be read, for the block."""
    from bertviz_app.views.export.recording import lay_out

    before, parent = widget.size(), widget.parentWidget()
    around = None if parent is None else parent.layout()
    if around is not None:
        around.setEnabled(False)
    widget.resize(*map(look.pixels, _SIZE))
    lay_out(widget)
    try:
        yield
    finally:
        widget.resize(before)
        lay_out(widget)
        if around is not None:
            around.setEnabled(True)
