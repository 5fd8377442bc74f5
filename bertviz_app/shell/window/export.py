"""`Export`: takes panels and cards along: their picture, their numbers, the Python that computes these."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QFileDialog, QMenu, QPushButton, QWidget

from bertviz_app.errors import AppError
from bertviz_app.shell.settings.theme import read_palette
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.export.numbers import save_numbers
from bertviz_app.viewmodels.wording.error_words import as_said
from bertviz_app.views.dialogs.export_dialog import ExportDialog, PictureChoice
from bertviz_app.views.kit.card import Card
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.recording import Recording, image_of, in_colours, record, write
from bertviz_app.views.kit.style import named

if TYPE_CHECKING:
    from bertviz_app.shell.window.main_area import MainArea
    from bertviz_app.shell.window.subjects import Subject
    from bertviz_app.shell.window.window import MainWindow

_COPIED_AT = 2  # pixels of a copied picture for each on screen


class Export(QObject):
    """Gives each card a button with a menu, and does what the menu and the keys ask for."""

    def __init__(self, window: MainWindow, app_state: AppState, look: Look) -> None:
        super().__init__(window)
        self._window = window
        self._app_state = app_state
        self._look = look
        self._choice = PictureChoice()
        self._folder = ""
        self._buttons: dict[QPushButton, Card] = {}

    @property
    def buttons(self) -> tuple[QPushButton, ...]:
        """The buttons of all cards."""
        return tuple(self._buttons)

    def serve(self, main_area: MainArea) -> None:
        """Give every card its button, panels when they are opened."""
        for card in (
            main_area.overview_card,
            main_area.heads_card,
            main_area.inspector_card,
            main_area.pooled_card,
        ):
            self._serve_card(card)
        self._app_state.panels.changed.connect(self._serve_panels)
        self._serve_panels()

    # what the menus and the commands do; without a card for the one that has the focus

    def ask_for_picture(self, card: Card | None = None) -> None:
        """Ask how the picture is to be, then save or copy it."""
        subject = self.subject(card)
        if subject is None:
            return
        dialog = ExportDialog(subject.sheet.title, self._choice, self._window)
        dialog.save_asked.connect(lambda choice: self._ask_where(subject, choice))
        dialog.copy_asked.connect(lambda choice: self.copy_picture(card, choice))
        dialog.open()

    def copy_picture(self, card: Card | None = None, choice: PictureChoice | None = None) -> None:
        """Put the picture on the clipboard."""
        subject = self.subject(card)
        if subject is not None:
            choice = choice or PictureChoice(scale=_COPIED_AT)
            try:
                QGuiApplication.clipboard().setImage(image_of(self.recorded(subject, choice), choice.scale))
            except AppError as error:
                self._window.files.refused.emit(as_said(error))
                return
            self._say(self.tr("Copied the picture of {0}.").format(subject.sheet.title))

    def ask_for_numbers(self, card: Card | None = None) -> None:
        """Ask where the numbers are to be written, then write them."""
        subject = self.subject(card)
        if subject is None:
            return
        kinds = "CSV (*.csv);;NPZ (*.npz);;JSON (*.json)"
        path = self._ask(self.tr("Save the numbers"), f"{subject.name}.csv", kinds)
        if path is not None:
            self.save_numbers(subject, path)

    def copy_python(self, card: Card | None = None) -> None:
        """Put lines on the clipboard that compute what is shown."""
        subject = self.subject(card)
        if subject is not None:
            QGuiApplication.clipboard().setText(subject.python)
            self._say(self.tr("Copied the Python of {0}.").format(subject.sheet.title))

    # doing it

    def recorded(self, subject: Subject, choice: PictureChoice) -> Recording:
        """Return the drawing of a subject on the ground that was chosen."""
        ground = self._look.palette if choice.ground == "window" else read_palette(choice.ground)
        with in_colours(subject.widget, self._look, ground):
            return record(subject.widget, self._look, subject.sheet if choice.has_title else None)

    def save_picture(self, subject: Subject, path: Path, choice: PictureChoice) -> None:
        """Draw now, write on a worker, and say where it is."""
        recording = self.recorded(subject, choice)
        self._window.files.write(path, lambda: write(recording, path, choice.scale))

    def save_numbers(self, subject: Subject, path: Path) -> None:
        """Write the numbers on a worker, and say where they are."""
        self._window.files.write(path, lambda: save_numbers(subject.numbers(), path))

    def subject(self, card: Card | None) -> Subject | None:
        """Return what a card, or the one with the focus, or the active panel, is about."""
        from bertviz_app.shell.window import subjects

        if self._app_state.workspace.shown is None:
            return None
        card = card or self._focused() or self._active_panel()
        return None if card is None else subjects.subject_of(self._app_state, self._window.main_area, card)

    def _focused(self) -> Card | None:
        widget: QWidget | None = QApplication.focusWidget()
        while widget is not None and not isinstance(widget, Card):
            widget = widget.parentWidget()
        return widget

    def _active_panel(self) -> Card | None:
        active = self._app_state.panels.active
        return None if active is None else self._window.main_area.area.cards.get(active.number)

    def _ask_where(self, subject: Subject, choice: PictureChoice) -> None:
        self._choice = choice
        ending = choice.ending
        path = self._ask(
            self.tr("Save the picture"), subject.name + ending, f"{ending[1:].upper()} (*{ending})"
        )
        if path is not None:
            self.save_picture(subject, path, choice)

    def _ask(self, title: str, name: str, kinds: str) -> Path | None:
        """Return the path that the user gives, with the ending of the kind chosen if it has none."""
        start = str(Path(self._folder) / name)
        given, kind = QFileDialog.getSaveFileName(self._window, title, start, kinds)
        if not given:
            return None
        path = Path(given)
        self._folder = str(path.parent)
        ending = kind[kind.find("*.") + 1 : -1] if "*." in kind else Path(name).suffix
        return path if path.suffix else path.with_name(path.name + ending)

    def _say(self, words: str) -> None:
        self._window.status.show_message(words)

    # the buttons

    @Slot()
    def _serve_panels(self) -> None:
        for card in self._window.main_area.area.cards.values():
            if card not in self._buttons.values():
                self._serve_card(card)

    def _serve_card(self, card: Card) -> None:
        button = named(QPushButton("⋯"), "plain")
        button.clicked.connect(lambda: self.open_menu(card, button.mapToGlobal(QPoint(0, button.height()))))
        card.add_switch(button)
        card.destroyed.connect(lambda: self._buttons.pop(button, None))
        self._buttons[button] = card
        self._name(button)

    def retranslate(self) -> None:
        """Write the words in the language in force."""
        for button in self._buttons:
            self._name(button)

    def _name(self, button: QPushButton) -> None:
        button.setToolTip(self.tr("Copy or save this picture and its numbers"))
        button.setAccessibleName(button.toolTip())

    def open_menu(self, card: Card, at: QPoint) -> QMenu:
        """Open the menu of a card at a point of the screen."""
        menu = QMenu(self._window)
        menu.aboutToHide.connect(menu.deleteLater)
        for text, keys, run in (
            (self.tr("Copy the picture"), "Ctrl+C", self.copy_picture),
            (self.tr("Save the picture …"), "Ctrl+S", self.ask_for_picture),
            (self.tr("Save the numbers …"), "Ctrl+Shift+S", self.ask_for_numbers),
            (self.tr("Copy as Python"), "Ctrl+Shift+P", self.copy_python),
        ):
            action = menu.addAction(f"{text}\t{keys}")
            action.triggered.connect(partial(_call, run, card))
        menu.popup(at)
        return menu


def _call(run: Callable[[Card | None], None], card: Card, _: bool = False) -> None:
    run(card)
