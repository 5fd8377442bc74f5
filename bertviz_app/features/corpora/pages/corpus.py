"""The Corpus page in the window, and what it does to the rest of the window."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QFileDialog, QMainWindow

from bertviz_app.errors import AppError
from bertviz_app.shell.commands.menus import Command
from bertviz_app.shell.window.frame import PageController
from bertviz_app.text_tables.items import Item
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.panel import Content
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.words import translate

if TYPE_CHECKING:
    from bertviz_app.features.corpora.process.studies import StudySettings
    from bertviz_app.features.corpora.state.corpus import CorpusStudy, FileStudy
    from bertviz_app.features.corpora.views.page import CorpusPage

_WHY = Content("integrated-gradients", (("target", "class"),))
"""What is shown of a text that a classifier was judged on: which tokens its class depends on."""


class CorpusController(PageController):
    """The Corpus page.

    `head_requested`: show the page of a head. `examples_found`: and what a study found for all of them.
    """

    head_requested = Signal(int, int)
    examples_found = Signal(object)

    def __init__(self, window: QMainWindow, app_state: AppState, look: Look) -> None:
        super().__init__(window)
        self._app_state = app_state
        self._look = look
        self._study: CorpusStudy | None = None
        self._files: FileStudy | None = None

    if TYPE_CHECKING:
        page: CorpusPage

    def commands(self) -> list[Command]:
        group = translate("Commands", "Text and checkpoint")
        return [
            Command(translate("Commands", "Heads over a corpus …"), "Ctrl+Shift+H", self.toggle, group=group),
        ]

    def _make_page(self) -> CorpusPage:
        from bertviz_app.features.corpora.views.page import CorpusPage
        from bertviz_app.shell.window.main_area import panel_tools

        page = CorpusPage(self._look, self.study, self.files, panel_tools(self._app_state, self._look)["A"])
        page.file_requested.connect(self._ask_for_file)
        page.file_dropped.connect(self.open_file)
        page.plots.head_chosen.connect(self.head_requested)
        scatter = page.scatter
        scatter.dots.part_chosen.connect(lambda part: self.head_requested.emit(*scatter.head(part)))
        page.start.example_chosen.connect(self.open_example)
        page.sentences.sentence_requested.connect(self.open_sentence)
        page.study.example_chosen.connect(self.open_example)
        page.study.head_requested.connect(self._app_state.panels.show)
        page.study.text_requested.connect(self.open_text)
        page.study.examples_requested.connect(self.examples_found)
        return page

    @property
    def study(self) -> CorpusStudy:
        """The state of the table of measures; the page has three workers of its own."""
        if self._study is None:
            from bertviz_app.features.corpora.state.corpus import CorpusStudy, FileStudy

            failed = self._app_state.failed.emit
            self._study = CorpusStudy(self._tasks("corpus"), self._tasks("sentences of a corpus"), failed)
            self._files = FileStudy(self._tasks("study of a file"), failed)
            self._files.examples_found.connect(self.examples_found)
            self._app_state.workspace.shown_changed.connect(self._show_current)
            self._show_current()
        return self._study

    @property
    def files(self) -> FileStudy:
        """The state of the studies of files, which have a worker of their own."""
        assert self.study is not None
        assert self._files is not None
        return self._files

    def open(self) -> None:
        """Show the page."""
        self._pages.open_page(self.page)
        self.page.focus_file()

    @Slot(str)
    def open_file(self, name: str, settings: StudySettings | None = None) -> None:
        """Measure the lines of a text file with the checkpoint of run A, or show a table, or run a study.

        `settings`: how the study that is chosen reads the file; None: as its content shows.
        """
        facts = self._app_state.workspace.facts
        ref = None if facts is None else self._app_state.workspace.ref
        if self.files.key:
            from bertviz_app.features.corpora.process.studies import READ_BY_CONTENT

            other = self._app_state.comparison.other
            of_b = None if other is None else other.ref
            self.files.open(Path(name), ref, of_b, settings or READ_BY_CONTENT)
        else:
            self.study.open(Path(name), ref)

    @Slot(str)
    def open_example(self, language: str) -> None:
        """Measure the example sentences of a language, or run the study over the example for its kind."""
        from bertviz_app.features.corpora.process.studies import StudySettings
        from bertviz_app.learning.words import copy_of_corpus

        reads = "texts" if self.files.entry is None else self.files.entry.reads
        try:
            path = copy_of_corpus(language, reads)
        except AppError as error:
            self._app_state.failed.emit(error)
        else:
            self.open_file(str(path), StudySettings(label_column="UPOS") if reads == "words" else None)

    @Slot(str)
    def open_sentence(self, text: str) -> None:
        """Show a sentence of the corpus as run A, and in the active panel the head whose bar it is in."""
        self._pages.leave_pages()
        if self.study.bar is not None and self.study.current is not None:
            self._app_state.panels.show(*self.study.bar.head)
        self._app_state.workspace.set_texts(text, None, at_once=True)

    @Slot(object)
    def open_text(self, item: Item) -> None:
        """Show a parsed sentence, or a text that a classifier was judged on, as run A.

        Beside a judged one: which tokens its class depends on. Where run A has another checkpoint by now, the
        one that was judged is opened in its place.
        """
        self._pages.leave_pages()
        state, judged = self._app_state, self.files.shown_ref
        if self.files.key == "head-relations":
            state.open_parsed(item)
            return
        if state.workspace.ref != judged:
            state.workspace.open_model(judged)
        state.workspace.set_texts(item.text, item.pair, at_once=True)
        panels, active = state.panels, state.panels.active
        there = next((panel for panel in panels.panels if panel.content == _WHY), None)
        if there is not None:
            panels.activate(there.number)
        elif active is not None:
            panels.insert(replace(active, run="A", view_kind="picture", content=_WHY, heads=()))

    @Slot()
    def _show_current(self) -> None:
        shown = self._app_state.workspace.shown
        if self._study is not None and shown is not None:
            overview = shown.overview if shown.overview.sample is None else None  # else its numbers follow
            self._study.show_current(overview, shown.result.trace)

    @Slot()
    def _ask_for_file(self) -> None:
        kinds = (
            self.tr("Texts and tables")
            + " (*.txt *.text *.md *.tsv *.csv *.json *.jsonl *.conllu *.parquet *.xlsx *.npz"
            + " *.xz *.gz *.bz2)"
        )
        name, _ = QFileDialog.getOpenFileName(self._window, self.tr("Corpus"), "", kinds)
        if name:
            self.open_file(name)
