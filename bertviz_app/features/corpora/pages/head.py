"""The page of a head in the window: opened from the Corpus page or by a command, with notes and pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QMainWindow

from bertviz_app.errors import AppError
from bertviz_app.features.corpora.pages.corpus import CorpusController
from bertviz_app.shell.commands.menus import Command
from bertviz_app.shell.session import ask_where_to_save
from bertviz_app.shell.window.export import Export
from bertviz_app.shell.window.frame import PageController
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.wording import translated
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.words import translate

if TYPE_CHECKING:
    from bertviz_app.features.corpora.studies.examples import HeadExamples
    from bertviz_app.features.corpora.views.head_page import HeadPage, HeadStudy

_SCALE = 2  # pixels of a picture for each on screen


class HeadController(PageController):
    """The page of a head."""

    def __init__(
        self, window: QMainWindow, app_state: AppState, look: Look, corpus: CorpusController, export: Export
    ) -> None:
        super().__init__(window)
        self._app_state = app_state
        self._look = look
        self._corpus = corpus
        self._export = export
        self._study: HeadStudy | None = None
        corpus.head_requested.connect(self.show_head)
        corpus.examples_found.connect(self.take_examples)

    @property
    def study(self) -> HeadStudy:
        """The state of the page, with two workers of its own."""
        if self._study is None:
            from bertviz_app.features.corpora.views.head_page import HeadStudy

            tasks = self._tasks("examples of heads"), self._tasks("sentences of a head")
            app_state = self._app_state
            self._study = HeadStudy(self._corpus.study, app_state.engine, tasks, app_state.failed.emit)
        return self._study

    if TYPE_CHECKING:
        page: HeadPage

    def commands(self) -> list[Command]:
        group = translate("Commands", "Text and checkpoint")
        return [
            Command(translate("Commands", "This head over a corpus"), "Ctrl+Alt+H", self.toggle, group=group),
            Command(
                translate("Commands", "Add the panel's picture to the notes about its head"),
                "",
                self.add_picture,
                group=group,
            ),
        ]

    def _make_page(self) -> HeadPage:
        from bertviz_app.features.corpora.views.head_page import HeadPage

        page = HeadPage(self._look, self.study)
        page.corpus_requested.connect(self._corpus.open)
        page.examples.sentence_chosen.connect(self._show_sentence)
        page.distribution.bar_chosen.connect(self._show_bar)
        page.notes.add.clicked.connect(self.add_picture)
        page.notes.export.clicked.connect(self.ask_for_notes)
        return page

    @Slot(int, int)
    def show_head(self, layer: int, head: int) -> None:
        """Show the page of a head."""
        self.study.show((layer, head))
        self._pages.open_page(self.page)
        self.page.examples.setFocus()

    @Slot(object)
    def take_examples(self, examples: HeadExamples) -> None:
        """Show examples that a study found; the user may be elsewhere by now, where they wait."""
        self.study.take(examples)
        if self._corpus.is_shown:
            self.open()

    def open(self) -> None:
        """Show the page of the active panel's head."""
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
        study = self.study
        if study.dossier is None:  # it is being read

            def add() -> None:
                if study.dossier is not None:
                    study.notes_changed.disconnect(add)
                    self.add_picture()

            study.notes_changed.connect(add)
            return
        from bertviz_app.views.dialogs.export_dialog import PictureChoice
        from bertviz_app.views.export.recording import write

        tokens = runs.of("A" if active.run == "A-B" else active.run).trace.tokens
        title, choice = subject.sheet.title, PictureChoice(scale=_SCALE)
        try:
            path = study.new_picture()
            write(self._export.recorded(subject, choice), path, choice.pixels)
        except AppError as error:
            self._app_state.failed.emit(error)
            return
        study.add_evidence(path, tokens.text, tokens.pair, title)
        words = self.tr("Added the picture of {0} to the notes about layer {1}, head {2}.")
        self._export.copied.emit(words.format(title, *study.head))

    def ask_for_notes(self) -> None:
        """Ask where the notes about all heads are to be written, then write them."""
        dossier = self.study.dossier
        if dossier is None:
            return
        self.study.save()
        path = ask_where_to_save(self._window, self.tr("Save the notes"), "heads.md", "Markdown (*.md)")
        if path is None:
            return
        try:
            dossier.save(path, translated)
        except AppError as error:
            self._app_state.failed.emit(error)
        else:
            self._export.copied.emit(self.tr("Wrote {0}.").format(path))

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
        self._corpus.show_page()

    def close(self) -> None:
        """Save what is typed, and end the workers."""
        if self._study is not None:
            self._study.save()
        super().close()
