"""Pictures, numbers and Python code of panels and cards, to the clipboard or into files."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from bertviz_app.errors import AppError
from bertviz_app.figures import pixels_of
from bertviz_app.shell.session import Files, ask_where_to_save
from bertviz_app.shell.settings import read_palette
from bertviz_app.trace import Trace
from bertviz_app.trace.page import MAX_WEIGHTS, PAGE_VIEWS
from bertviz_app.values import dataclass
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.panel import Panel
from bertviz_app.viewmodels.wording import error_text
from bertviz_app.views.kit.card import Card
from bertviz_app.views.kit.look import Look, named
from bertviz_app.views.kit.subject import ExportSubject, Saved
from bertviz_app.views.kit.widgets import SignButton
from bertviz_app.views.kit.words import add_items, translate

if TYPE_CHECKING:
    from bertviz_app.shell.window.frame import WindowFrame
    from bertviz_app.shell.window.main_area import MainArea
    from bertviz_app.views.dialogs.export_dialog import PictureChoice
    from bertviz_app.views.export.recording import Recording


@dataclass(frozen=True)
class ExportedPage:
    """A page above the views whose cards can be saved; `nothing_yet` is said while they are empty."""

    widget: QWidget
    cards: tuple[Card, ...]
    nothing_yet: str


_COPIED_AT = 2  # pixels of a copied picture for each on screen


class Export(QObject):
    """Copies and saves pictures and numbers of cards.

    `copied` says in a sentence what was copied, or that there is nothing yet to copy or to save.
    """

    copied = Signal(str)

    def __init__(self, window: QWidget, app_state: AppState, look: Look, files: Files) -> None:
        """Dialogs open over `window`; `files` writes, and reports what could not be written."""
        super().__init__(window)
        self._window, self._app_state, self._look, self._files = window, app_state, look, files
        self._choice: PictureChoice | None = None
        self._folder = ""

    def move_to(self, frame: WindowFrame) -> None:
        """Be about no cards any more, and about those of `frame` that are added from now on."""
        self._frame = frame
        self._main_area: MainArea | None = None
        self._page: ExportedPage | None = None

    def add_buttons(self, main_area: MainArea) -> None:
        """Give every card of `main_area` that is exported a button, panels that are opened later too."""
        self._main_area = main_area
        for card in (*main_area.cards, *main_area.area.cards.values()):
            if card.is_exported:
                self._add_button(card)
        main_area.area.card_opened.connect(self._add_button)

    def add_page(self, page: ExportedPage) -> None:
        """Give the cards of a page the same buttons."""
        self._page = page
        for card in page.cards:
            self._add_button(card)

    def _add_button(self, card: Card) -> None:
        """Give a card a button with the menu of what can be done with it."""
        button = named(
            SignButton("⋯"), "plain", translate("ExportMenus", "Copy or save this picture and its numbers")
        )
        button.clicked.connect(lambda: self.open_menu(card, button.mapToGlobal(QPoint(0, button.height()))))
        card.add_switch(button)
        card.savers = [
            (translate("ExportMenus", "Save the picture …"), partial(self.ask_for_picture, card)),
            (translate("ExportMenus", "Save the numbers …"), partial(self.ask_for_numbers, card)),
        ]

    def open_menu(self, card: Card, at: QPoint) -> QMenu:
        menu = QMenu(self._frame)
        menu.aboutToHide.connect(menu.deleteLater)
        items = [
            (translate("ExportMenus", "Copy the picture"), "Ctrl+C", self.copy_picture),
            (translate("ExportMenus", "Save the picture …"), "Ctrl+S", self.ask_for_picture),
            (translate("ExportMenus", "Save the numbers …"), "Ctrl+Shift+S", self.ask_for_numbers),
            (translate("ExportMenus", "Copy as Python"), "Ctrl+Shift+P", self.copy_python),
        ]
        items = items if card.has_python else items[:-1]
        add_items(menu, [(f"{text}\t{keys}", partial(run, card)) for text, keys, run in items])
        menu.popup(at)
        return menu

    # what the menus and the commands do; without a card for what is looked at

    def ask_for_picture(self, card: Saved | None = None) -> None:
        """Ask which picture of those shown is meant, and how it is to be, then save or copy it."""
        card = self._chosen(card)
        subject = self._subject_or_answer(card)
        if card is None or subject is None:
            return
        from bertviz_app.views.dialogs.export_dialog import ExportDialog, PictureChoice
        from bertviz_app.views.export.printing import least_points

        offered = {card: subject}
        for each in self._shown():
            if each is not card and (other := self.subject(each)) is not None:
                offered[each] = other
        cards, subjects = [*offered], [*offered.values()]

        def measure(choice: PictureChoice) -> float:
            return least_points(self.recorded(subjects[dialog.index], choice), self._look)

        titles, choice = [each.sheet.title for each in subjects], self._choice or PictureChoice()
        dialog = ExportDialog(titles, choice, self._window, measure)

        def save(choice: PictureChoice) -> None:
            self._choice, ending, at = choice, choice.ending, dialog.index
            name, kinds = subjects[at].name + ending, f"{ending[1:].upper()} (*{ending})"
            path = self._ask(self.tr("Save the picture"), name, kinds)
            if path is not None:  # what the card shows now is drawn and written above it
                self.save_picture(self.subject(cards[at]) or subjects[at], path, choice)

        dialog.save_requested.connect(save)
        dialog.copy_requested.connect(lambda choice: self.copy_picture(cards[dialog.index], choice))
        dialog.open()

    def copy_picture(self, card: Saved | None = None, choice: PictureChoice | None = None) -> None:
        subject = self._subject_or_answer(card)
        if subject is not None:
            from bertviz_app.views.dialogs.export_dialog import PictureChoice
            from bertviz_app.views.export.recording import image_of

            choice = choice or PictureChoice(scale=_COPIED_AT)
            try:
                QGuiApplication.clipboard().setImage(image_of(self.recorded(subject, choice), choice.pixels))
            except AppError as error:
                self._files.refused.emit(error_text(error))
                return
            self.copied.emit(self.tr("Copied the picture of {0}.").format(subject.sheet.title))

    def ask_for_numbers(self, card: Saved | None = None) -> None:
        """Ask where the numbers are to be written, then write them."""
        card = self._chosen(card)
        subject = self._subject_or_answer(card)
        if subject is None:
            return
        if not subject.has_numbers:
            self._point_to_explore()
            return
        kinds = "CSV (*.csv);;NPZ (*.npz);;JSON (*.json)"
        if (path := self._ask(self.tr("Save the numbers"), f"{subject.name}.csv", kinds)) is not None:
            self.save_numbers(self.subject(card) or subject, path)

    def ask_for_page(self) -> None:
        """Ask where a page of the active panel's run is to be written, then write it on a worker."""
        panel, runs = self._app_state.panels.active, self._app_state.runs
        if panel is None or runs is None:
            self.copied.emit(self.tr("There is nothing to save yet: type a sentence."))
        elif panel.run == "A-B":
            self.copied.emit(self.tr("A page is of one run: show run A or run B in the panel."))
        elif panel.content.analysis:
            self.copied.emit(self.tr("A page shows attention: show attention in the panel."))
        else:
            if (path := self._ask(self.tr("Save as page"), "attention.html", "HTML (*.html)")) is not None:
                self.save_page(panel, runs.of(panel.run).trace, path)

    def save_page(self, panel: Panel, trace: Trace, path: Path) -> None:
        """Write a page that begins with what the panel shows; of many weights its layer or heads alone."""
        n_pairs = trace.n_tokens * trace.n_keys
        is_whole = trace.n_layers * trace.n_heads * n_pairs <= MAX_WEIGHTS
        is_layer = len(trace.heads_of(panel.layer)) * n_pairs <= MAX_WEIGHTS
        if not is_whole:
            self.copied.emit(
                self.tr("The page has layer {0} alone: a browser reads no more.").format(panel.layer)
            )
        save = partial(
            trace.to_html,
            layer=panel.layer,
            heads=panel.shown_heads,
            include_layers=None if is_whole else [panel.layer],
            include_heads=None if is_layer else panel.shown_heads,
            view=panel.kind.key if panel.kind.key in PAGE_VIEWS else "lines",
        )

        self._files.write(path, lambda: save(path))

    def copy_python(self, card: Saved | None = None) -> None:
        """Put lines on the clipboard that compute what is shown."""
        subject = self._subject_or_answer(card)
        if subject is not None and not subject.has_numbers:
            self._point_to_explore()
        elif subject is not None and subject.python:
            QGuiApplication.clipboard().setText(subject.python)
            self.copied.emit(self.tr("Copied the Python of {0}.").format(subject.sheet.title))

    def _point_to_explore(self) -> None:
        self.copied.emit(
            self.tr("This is a picture to learn from: its numbers and its Python are in Explore.")
        )

    # doing it

    def recorded(self, subject: ExportSubject, choice: PictureChoice) -> Recording:
        """Return the drawing of a subject on the ground that was chosen.

        Raises FigureError where it is too narrow in print.
        """
        from bertviz_app.views.export.printing import record_printed
        from bertviz_app.views.export.recording import in_colours, record

        ground = self._look.palette if choice.ground == "window" else read_palette(choice.ground)
        with in_colours(subject.widget, self._look, ground):
            sheet = subject.sheet if choice.has_title else None
            drawn = subject.widget, self._look, sheet, subject.titles
            return record_printed(*drawn, (pixels_of(choice.width), None)) if choice.width else record(*drawn)

    def save_picture(self, subject: ExportSubject, path: Path, choice: PictureChoice) -> None:
        """Draw now and write on a worker; the status line names the file when it is written."""
        from bertviz_app.views.export.recording import write

        try:
            recording = self.recorded(subject, choice)
        except AppError as error:  # what the card shows has changed since the dialog was open
            self._files.refused.emit(error_text(error))
            return
        self._files.write(path, lambda: write(recording, path, choice.pixels))

    def save_numbers(self, subject: ExportSubject, path: Path) -> None:
        """Write the numbers on a worker; the status line names the file when it is written."""
        from bertviz_app.viewmodels.export import save_numbers

        self._files.write(path, lambda: save_numbers(subject.numbers(), path))

    def subject(self, card: Saved | None) -> ExportSubject | None:
        """Return what a card, or else what is looked at, is about."""
        card = self._chosen(card)
        return None if card is None else card.subject(self._app_state.runs)

    def panel_subject(self) -> ExportSubject | None:
        """Return what the active panel is about, whatever has the focus."""
        card = self._active_panel()
        return None if card is None else card.subject(self._app_state.runs)

    def _subject_or_answer(self, card: Saved | None) -> ExportSubject | None:
        """Return what a card is about; where there is nothing yet, the status line says so."""
        subject = self.subject(card)
        if subject is None and self._page is not None and self._page.widget.isVisible():
            self.copied.emit(self._page.nothing_yet)
        elif subject is None and self._is_page:
            self.copied.emit(
                self.tr("Only what the panels show can be saved this way: close this page first.")
            )
        elif subject is None:
            self.copied.emit(self.tr("There is nothing to save yet: type a sentence."))
        return subject

    @property
    def _is_page(self) -> bool:
        """Whether a page covers the panels."""
        return self._frame.pages.currentWidget() not in (self._frame.welcome, self._main_area)

    def _chosen(self, card: Saved | None) -> Saved | None:
        """Return this card, or else what is looked at.

        That is the first of what is shown: the picture of a lesson, the arcs of the first screen, the active
        panel. In Research and on a page, where there are many, it is the card with the focus.
        """
        if card is not None:
            return card
        shown, focused = self._shown(), QApplication.focusWidget()
        while focused is not None and not (isinstance(focused, Card) and focused.is_exported):
            focused = focused.parentWidget()
        if focused in shown and (self._is_page or self._app_state.rooms.room == "research"):
            return focused
        return shown[0] if shown else None

    def _shown(self) -> list[Saved]:
        """Return what the window shows that can be saved, first what is looked at."""
        page, area = self._page, self._main_area
        if page is not None and page.widget.isVisible():
            return list[Saved](page.cards)
        if self._frame.pages.currentWidget() is self._frame.welcome:
            return [self._frame.welcome]
        if area is None or self._is_page:
            return []
        picture, active = area.middle.picture, self._active_panel()
        cards = (card for card in (*area.area.cards.values(), *area.cards) if card.isVisible())
        others: list[Saved] = [card for card in cards if card is not active and card.is_exported]
        if isinstance(picture, Saved):
            return [picture, *others]
        return others if active is None else [active, *others]

    def _active_panel(self) -> Card | None:
        active = self._app_state.panels.active
        if active is None or self._main_area is None:
            return None
        return self._main_area.area.cards.get(active.number)

    def _ask(self, title: str, name: str, kinds: str) -> Path | None:
        """Return the path that the user gives, with the ending of the kind chosen if it has none."""
        path = ask_where_to_save(self._window, title, str(Path(self._folder) / name), kinds)
        self._folder = self._folder if path is None else str(path.parent)
        return path
