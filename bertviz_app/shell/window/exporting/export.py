"""`Export`: pictures, numbers and Python code of panels and cards, to the clipboard or into files.

What draws and writes them is loaded when it is used first, not with the window.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QPushButton, QWidget

from bertviz_app.errors import AppError
from bertviz_app.shell.session.files import Files
from bertviz_app.shell.session.save_dialog import ask_where_to_save
from bertviz_app.shell.settings.theme import read_palette
from bertviz_app.shell.window.exporting.export_menus import ExportMenus
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.export import save_numbers
from bertviz_app.viewmodels.wording import error_text
from bertviz_app.views.kit.card import Card
from bertviz_app.views.kit.look import Look

if TYPE_CHECKING:
    from bertviz_app.shell.window.exporting.subject import ExportSubject
    from bertviz_app.shell.window.main_area import MainArea
    from bertviz_app.views.dialogs.export_dialog import PictureChoice
    from bertviz_app.views.export.recording import Recording
    from bertviz_app.views.training.page import TrainingPage

_COPIED_AT = 2  # pixels of a copied picture for each on screen


class Export(QObject):
    """Copies and saves pictures and numbers of cards.

    `copied` says in a sentence what was copied, or that there is nothing yet to copy or to save.
    """

    copied = Signal(str)

    def __init__(self, window: QWidget, app_state: AppState, look: Look, files: Files) -> None:
        """Dialogs open over `window`; `files` writes, and reports what could not be written."""
        super().__init__(window)
        self._window = window
        self._app_state = app_state
        self._look = look
        self._files = files
        self._main_area: MainArea | None = None
        self._training: TrainingPage | None = None
        self._menus = ExportMenus(self, window)
        self._choice: PictureChoice | None = None
        self._folder = ""

    def add_buttons(self, main_area: MainArea) -> None:
        """Give every card of `main_area` a button with the menu of what can be done with it."""
        self._main_area = main_area
        self._menus.follow(main_area, self._app_state.panels)

    def add_training(self, page: TrainingPage) -> None:
        """Give the curves of the Training page the same buttons."""
        self._training = page
        for card in (page.curves.losses_card, page.curves.accuracies_card):
            self._menus.add(card, has_python=False)

    def retranslate(self) -> None:
        self._menus.retranslate()

    @property
    def buttons(self) -> tuple[QPushButton, ...]:
        return self._menus.buttons

    # what the menus and the commands do; without a card for the one that has the focus

    def ask_for_picture(self, card: Card | None = None) -> None:
        """Ask how the picture is to be, then save or copy it."""
        card = self._chosen(card)
        subject = self._subject_or_answer(card)
        if subject is None:
            return
        from bertviz_app.views.dialogs.export_dialog import ExportDialog, PictureChoice

        dialog = ExportDialog(subject.sheet.title, self._choice or PictureChoice(), self._window)
        dialog.save_requested.connect(lambda choice: self._ask_where(card, subject, choice))
        dialog.copy_requested.connect(lambda choice: self.copy_picture(card, choice))
        dialog.open()

    def copy_picture(self, card: Card | None = None, choice: PictureChoice | None = None) -> None:
        subject = self._subject_or_answer(card)
        if subject is not None:
            from bertviz_app.views.dialogs.export_dialog import PictureChoice
            from bertviz_app.views.export.recording import image_of

            choice = choice or PictureChoice(scale=_COPIED_AT)
            try:
                QGuiApplication.clipboard().setImage(image_of(self.recorded(subject, choice), choice.scale))
            except AppError as error:
                self._files.refused.emit(error_text(error))
                return
            self.copied.emit(self.tr("Copied the picture of {0}.").format(subject.sheet.title))

    def ask_for_numbers(self, card: Card | None = None) -> None:
        """Ask where the numbers are to be written, then write them."""
        card = self._chosen(card)
        subject = self._subject_or_answer(card)
        if subject is None:
            return
        kinds = "CSV (*.csv);;NPZ (*.npz);;JSON (*.json)"
        path = self._ask(self.tr("Save the numbers"), f"{subject.name}.csv", kinds)
        if path is not None:
            self.save_numbers(self.subject(card) or subject, path)

    def copy_python(self, card: Card | None = None) -> None:
        """Put lines on the clipboard that compute what is shown."""
        subject = self.subject(card)
        if subject is not None and subject.python:
            QGuiApplication.clipboard().setText(subject.python)
            self.copied.emit(self.tr("Copied the Python of {0}.").format(subject.sheet.title))

    # doing it

    def recorded(self, subject: ExportSubject, choice: PictureChoice) -> Recording:
        """Return the drawing of a subject on the ground that was chosen."""
        from bertviz_app.views.export.recording import in_colours, record

        ground = self._look.palette if choice.ground == "window" else read_palette(choice.ground)
        with in_colours(subject.widget, self._look, ground):
            sheet = subject.sheet if choice.has_title else None
            return record(subject.widget, self._look, sheet, subject.titles)

    def save_picture(self, subject: ExportSubject, path: Path, choice: PictureChoice) -> None:
        """Draw now and write on a worker; the status line names the file when it is written."""
        from bertviz_app.views.export.recording import write

        recording = self.recorded(subject, choice)
        self._files.write(path, lambda: write(recording, path, choice.scale))

    def save_numbers(self, subject: ExportSubject, path: Path) -> None:
        """Write the numbers on a worker; the status line names the file when it is written."""
        self._files.write(path, lambda: save_numbers(subject.numbers(), path))

    def subject(self, card: Card | None) -> ExportSubject | None:
        """Return what a card, or the one with the focus, or the active panel, is about."""
        if self._training is not None and self._training.isVisible():
            return self._curves(self._training, self._chosen(card))
        from bertviz_app.shell.window.exporting.subjects import subject_of

        if self._app_state.workspace.shown is None or self._main_area is None:
            return None
        card = self._chosen(card)
        return None if card is None else subject_of(self._app_state, self._main_area, card)

    def _subject_or_answer(self, card: Card | None) -> ExportSubject | None:
        """Return what a card is about; where there is nothing yet, the status line says so."""
        subject = self.subject(card)
        if subject is None and self._training is not None and self._training.isVisible():
            self.copied.emit(self.tr("There are no curves yet: they can be saved once a training runs."))
        elif subject is None:
            self.copied.emit(self.tr("There is nothing to save yet: type a sentence."))
        return subject

    def _curves(self, page: TrainingPage, card: Card | None) -> ExportSubject | None:
        """Return the curves of a card of the Training page, else the losses."""
        from bertviz_app.shell.window.exporting.curve_subject import curve_subject

        run = page.curves.run
        return (curve_subject(page, run, card) if card is not None else None) or curve_subject(
            page, run, page.curves.losses_card
        )

    def _chosen(self, card: Card | None) -> Card | None:
        """Return this card, else the one with the focus, which a dialog takes away, or the active panel."""
        return card or self._focused() or self._active_panel()

    def _focused(self) -> Card | None:
        widget: QWidget | None = QApplication.focusWidget()
        while widget is not None and not isinstance(widget, Card):
            widget = widget.parentWidget()
        has_picture = self._main_area is None or widget is not self._main_area.cards.interventions
        return widget if has_picture else None

    def _active_panel(self) -> Card | None:
        active = self._app_state.panels.active
        if active is None or self._main_area is None:
            return None
        return self._main_area.area.cards.get(active.number)

    def _ask_where(self, card: Card | None, subject: ExportSubject, choice: PictureChoice) -> None:
        """Ask for a file; what is drawn and written above it is what the card shows when it is given."""
        self._choice = choice
        ending = choice.ending
        path = self._ask(
            self.tr("Save the picture"), subject.name + ending, f"{ending[1:].upper()} (*{ending})"
        )
        if path is not None:
            self.save_picture(self.subject(card) or subject, path, choice)

    def _ask(self, title: str, name: str, kinds: str) -> Path | None:
        """Return the path that the user gives, with the ending of the kind chosen if it has none."""
        start = str(Path(self._folder) / name)
        path = ask_where_to_save(self._window, title, start, kinds)
        self._folder = self._folder if path is None else str(path.parent)
        return path
