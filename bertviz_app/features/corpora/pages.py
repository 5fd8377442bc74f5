"""The pages of the room in the window, and what each does to the rest of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QFileDialog, QMainWindow

from bertviz_app.errors import AppError
from bertviz_app.shell.commands.menus import Command
from bertviz_app.shell.session import ask_where_to_save
from bertviz_app.shell.window.export import Export
from bertviz_app.shell.window.frame import PageController
from bertviz_app.text_tables.items import Item
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.panel import Content
from bertviz_app.viewmodels.wording import translated
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.words import translate

if TYPE_CHECKING:
    from bertviz_app.features.corpora.process.studies import StudySettings
    from bertviz_app.features.corpora.state.corpus import CorpusStudy, FileStudy
    from bertviz_app.features.corpora.studies.examples import HeadExamples
    from bertviz_app.features.corpora.views.head_page import HeadPage, HeadStudy
    from bertviz_app.features.corpora.views.history import HistoryPage, TrainingTime
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

    page: CorpusPage  # made at the first use

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
        workspace = self._app_state.workspace
        ref = None if workspace.facts is None else workspace.ref
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
        corpus.head_requested.connect(self.show_head)
        corpus.examples_found.connect(self.take_examples)

    @cached_property
    def study(self) -> HeadStudy:
        """The state of the page, with two workers of its own."""
        from bertviz_app.features.corpora.views.head_page import HeadStudy

        tasks = self._tasks("examples of heads"), self._tasks("sentences of a head")
        return HeadStudy(self._corpus.study, self._app_state.engine, tasks, self._app_state.failed.emit)

    page: HeadPage  # made at the first use

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
        if "study" in vars(self):
            self.study.save()
        super().close()


class HistoryController(PageController):
    """The page of a training over time."""

    def __init__(
        self, window: QMainWindow, app_state: AppState, look: Look, language: Callable[[], str]
    ) -> None:
        """`language` returns that of the window, in which the example sentences are, too."""
        super().__init__(window)
        self._app_state, self._look, self._language = app_state, look, language
        self._texts: Path | None = None

    page: HistoryPage  # made at the first use

    def commands(self) -> list[Command]:
        group = translate("Commands", "Text and checkpoint")
        return [
            Command(translate("Commands", "A training over time …"), "", self.toggle, group=group),
        ]

    def _make_page(self) -> HistoryPage:
        from bertviz_app.features.corpora.views.history import HistoryPage

        page = HistoryPage(self._look, self.study)
        page.folder.clicked.connect(self._ask_for_folder)
        page.texts.clicked.connect(self._ask_for_texts)
        page.compare_requested.connect(self._compare)
        return page

    @cached_property
    def study(self) -> TrainingTime:
        """The state of the page, with a worker of its own."""
        from bertviz_app.features.corpora.views.history import TrainingTime

        return TrainingTime(self._tasks("training over time"), self._app_state.failed.emit)

    def open(self) -> None:
        """Show the page."""
        self._pages.open_page(self.page)
        self.page.folder.setFocus()

    def open_folder(self, folder: Path) -> None:
        """Measure the checkpoints in a folder, on the texts that were chosen or else on the examples."""
        from bertviz_app.learning.words import copy_of_corpus

        try:
            texts = self._texts or copy_of_corpus(self._language())
        except AppError as error:
            self._app_state.failed.emit(error)
        else:
            self.study.open(folder, texts)

    @Slot()
    def _ask_for_folder(self) -> None:
        name = QFileDialog.getExistingDirectory(self._window, self.tr("Folder of a training"))
        if name:
            self.open_folder(Path(name))

    @Slot()
    def _ask_for_texts(self) -> None:
        kinds = self.tr("Texts") + " (*.txt *.text *.md *.xz *.gz *.bz2)"
        name, _ = QFileDialog.getOpenFileName(self._window, self.tr("Texts to measure"), "", kinds)
        if name:
            self._texts = Path(name)
            if self.study.folder is not None:
                self.open_folder(self.study.folder)

    @Slot(str, str)
    def _compare(self, first: str, here: str) -> None:
        """Open the first checkpoint in run A and the one that is shown in run B, at the head looked at."""
        state = self._app_state
        self._pages.leave_pages()
        state.panels.show(*self.study.head)
        state.workspace.open_model(first)
        state.comparison.open_model(here)
