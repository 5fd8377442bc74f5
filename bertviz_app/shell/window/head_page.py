"""The page of a head in the window: opened from the Corpus page or by a command, with notes and pictures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Slot
from PySide6.QtWidgets import QMainWindow

from bertviz_app.errors import AppError, Message
from bertviz_app.inference.jobs import Jobs
from bertviz_app.shell.session import ask_where_to_save
from bertviz_app.shell.window.corpus_page import CorpusController
from bertviz_app.shell.window.export import Export
from bertviz_app.shell.window.frame import Pages
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.results import Tasks
from bertviz_app.viewmodels.wording import translated
from bertviz_app.views.kit.canvas import Guarded
from bertviz_app.views.kit.look import Look

if TYPE_CHECKING:
    from bertviz_app.viewmodels.head_page import HeadStudy
    from bertviz_app.views.corpus.head_page import HeadPage

_SCALE = 2  # pixels of a picture for each on screen


class HeadController(Guarded, QObject):
    """Made with the window; makes the page of a head and its workers at the first use."""

    def __init__(
        self, window: QMainWindow, app_state: AppState, look: Look, corpus: CorpusController, export: Export
    ) -> None:
        super().__init__(window)
        self._window = window
        self._app_state = app_state
        self._look = look
        self._corpus = corpus
        self._export = export
        self._pages = Pages()
        self._workers: tuple[Jobs, ...] = ()
        self._study: HeadStudy | None = None
        self._page: HeadPage | None = None
        corpus.head_requested.connect(self.show_head)
        window.installEventFilter(self)

    def move_to(self, pages: Pages) -> None:
        """Stand among other pages, of a window that was built anew; what is collected goes on."""
        self._pages, self._page = pages, None

    @property
    def is_shown(self) -> bool:
        """Whether the page is what the window shows."""
        return self._page is not None and self._pages.currentWidget() is self._page

    def show_again(self) -> None:
        """Show a page like the one that was shown in the window before."""
        self._pages.open_page(self.page)

    @property
    def study(self) -> HeadStudy:
        """The state of the page, with two workers of its own."""
        if self._study is None:
            from bertviz_app.viewmodels.head_page import HeadStudy

            self._workers = Jobs("examples of heads"), Jobs("sentences of a head")
            collector, reader = (Tasks(jobs, self) for jobs in self._workers)
            app_state = self._app_state
            self._study = HeadStudy(
                self._corpus.study, app_state.engine, (collector, reader), app_state.failed.emit
            )
            for jobs in self._workers:
                jobs.start()
        return self._study

    @property
    def page(self) -> HeadPage:
        if self._page is None:
            from bertviz_app.views.corpus.head_page import HeadPage

            self._page = page = HeadPage(self._look, self.study)
            self._pages.addWidget(page)
            page.closed.connect(self._pages.leave_page)
            page.corpus_requested.connect(self._show_corpus)
            page.sentence_requested.connect(self._show_sentence)
            page.bar_requested.connect(self._show_bar)
            page.notes.picture_requested.connect(self.add_picture)
            page.notes.export_requested.connect(self.ask_for_notes)
        return self._page

    @Slot(int, int)
    def show_head(self, layer: int, head: int) -> None:
        """Show the page of a head."""
        self.study.show((layer, head))
        self._pages.open_page(self.page)
        self.page.examples.setFocus()

    def toggle(self) -> None:
        """Show the page of the active panel's head, or what was shown before it."""
        if self.is_shown:
            self._pages.leave_page()
            return
        active = self._app_state.panels.active
        self.show_head(*((0, 0) if active is None else (active.layer, active.head)))

    def add_picture(self) -> None:
        """Add the picture of the active panel, with its sentence, to the notes about a head.

        That is the head of the page, where it is shown, else the head of the panel.
        """
        active, runs = self._app_state.panels.active, self._app_state.runs
        subject = self._export.panel_subject()
        if active is None or runs is None or subject is None:
            self._export.copied.emit(self.tr("There is nothing to add yet: type a sentence."))
            return
        if not self.is_shown:
            self.study.show((active.layer, active.head))
        if self.study.dossier is None:  # it is being read
            self._when_read()
            return
        self._add(subject.sheet.title)

    def _when_read(self) -> None:
        study = self.study

        def add() -> None:
            if study.dossier is not None:
                study.notes_changed.disconnect(add)
                self.add_picture()

        study.notes_changed.connect(add)

    def _add(self, title: str) -> None:
        from bertviz_app.views.dialogs.export_dialog import PictureChoice
        from bertviz_app.views.export.recording import write

        subject, runs = self._export.panel_subject(), self._app_state.runs
        active = self._app_state.panels.active
        assert subject is not None
        assert runs is not None
        assert active is not None
        tokens = runs.of("A" if active.run == "A-B" else active.run).trace.tokens
        try:
            path = self.study.new_picture()
            choice = PictureChoice(scale=_SCALE)
            write(self._export.recorded(subject, choice), path, choice.pixels)
        except AppError as error:
            self._app_state.failed.emit(error)
            return
        self.study.add_evidence(path, tokens.text, tokens.pair, title)
        words = self.tr("Added the picture of {0} to the notes about layer {1}, head {2}.")
        self._export.copied.emit(words.format(title, *self.study.head))

    def ask_for_notes(self) -> None:
        """Ask where the notes about all heads are to be written, then write them."""
        dossier = self.study.dossier
        if dossier is None:
            return
        self.study.save()
        path = ask_where_to_save(self._window, self.tr("Save the notes"), "heads.md", "Markdown (*.md)")
        if path is not None:
            self._save(path)

    def _save(self, path: Path) -> None:
        dossier = self.study.dossier
        assert dossier is not None

        def say(message: Message) -> str:
            return translated(message)

        try:
            dossier.save(path, say)
        except AppError as error:
            self._app_state.failed.emit(error)
        else:
            self._export.copied.emit(self.tr("Wrote {0}.").format(path))

    @Slot()
    def _show_corpus(self) -> None:
        self._pages.open_page(self._corpus.page)
        self._corpus.page.focus_file()

    @Slot(str)
    def _show_sentence(self, text: str) -> None:
        """Show a sentence as run A, and the head of the page in the active panel."""
        head = self.study.head
        self._pages.leave_pages()
        self._app_state.panels.show(*head)
        self._app_state.workspace.set_texts(text, None, at_once=True)

    @Slot(object, int)
    def _show_bar(self, head: tuple[int, int], number: int) -> None:
        """List the sentences of a bar, on the Corpus page."""
        self._corpus.study.choose(head, number)
        self._pages.open_page(self._corpus.page)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Save what is typed, and end the workers, when the window is closed."""
        if event.type() == QEvent.Type.Close and watched is self._window and self._study is not None:
            self._study.save()
            for jobs in self._workers:
                jobs.close()
        return False
