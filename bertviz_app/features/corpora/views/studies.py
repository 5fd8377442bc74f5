"""The Corpus page's choice of what is measured, and the page of a study: file, progress, question, result."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from bertviz_app.analysis.entry import Needs
from bertviz_app.analysis.parameters import parameters_of
from bertviz_app.features.corpora.state.corpus import QUESTION, CorpusStudy, FileStudy
from bertviz_app.features.corpora.studies.catalogue import STUDIES
from bertviz_app.features.corpora.studies.examples import HeadExamples
from bertviz_app.learning.words import EXAMPLE_FILES, LANGUAGES
from bertviz_app.viewmodels.panel import Panel, views_of
from bertviz_app.viewmodels.wording import parameters_of_kind, translated
from bertviz_app.views.kit.card import Elided, Segments
from bertviz_app.views.kit.fields import TableQuestion
from bertviz_app.views.kit.look import Look, in_column, in_row, named
from bertviz_app.views.kit.panel_view import PanelTools, PanelView
from bertviz_app.views.kit.widgets import ProgressLine, scrolled
from bertviz_app.views.panels.card import view_of
from bertviz_app.views.panels.options import AnalysisForm

_WIDTH = 680


class StudyChoice(QWidget):
    """What is measured: the table of measures, or a study; and a button that opens the study's parameters."""

    def __init__(self, study: FileStudy, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._study = study
        self._label = named(QLabel(self.tr("What is measured")), "secondary")
        self.box = QComboBox()
        self.box.addItem(self.tr("Measures of every head, sentence by sentence"), "")
        for entry in STUDIES:
            self.box.addItem(translated(entry.title), entry.key)
        self.box.setAccessibleName(self._label.text())
        self.box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self._label.setBuddy(self.box)
        self.parameters = QPushButton(self.tr("Parameters …"))
        self.form: AnalysisForm | None = None
        in_row(self._label, self.box, self.parameters, 1, of=self, margins=(12, 8, 12, 0), spacing=8)
        self.box.activated.connect(lambda: study.choose(str(self.box.currentData())))
        self.parameters.clicked.connect(self.open_form)
        study.changed.connect(self.show_state)
        self.show_state()

    @Slot()
    def show_state(self) -> None:
        """Show which study is chosen."""
        self.box.setCurrentIndex(max(0, self.box.findData(self._study.key)))
        entry = self._study.entry
        self.parameters.setVisible(entry is not None and bool(parameters_of(entry.parameters)))

    @Slot()
    def open_form(self) -> None:
        """Open the card of the study's parameters."""
        entry = self._study.entry
        if entry is not None:
            self.form = AnalysisForm(entry, entry.parameters, self._study.content, self)
            self.form.chosen.connect(self._study.set_content)
            self.form.open_below(self.parameters)


class StudyPage(QWidget):
    """The study that is chosen: what it tells, a file for it, how far it is, and its result.

    A click on `file` chooses one. `example_chosen(language)`: run it over a small file of our own.
    `head_requested(layer, head)`: show a head in the window; `text_requested`: a text of the file, an `Item`;
    `examples_requested`: the page of a head, where `HeadExamples` are read.
    """

    example_chosen = Signal(str)
    head_requested = Signal(int, int)
    text_requested = Signal(object)
    examples_requested = Signal(object)

    def __init__(self, look: Look, study: FileStudy, tools: PanelTools) -> None:
        super().__init__()
        self._study, self._tools = study, tools
        self.about = QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        self.limits = named(QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText), "secondary")
        self.file = named(QPushButton(self.tr("Choose a file …")), "primary")
        names = {"en": self.tr("Example in English"), "ko": self.tr("Example in Korean")}
        self.examples = {language: QPushButton(names[language]) for language in LANGUAGES}
        self.cancel = QPushButton(self.tr("Stop"))
        self.heads = QPushButton(self.tr("Open the page of a head"))
        self.state = named(Elided(), "secondary")
        self.state.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.progress = ProgressLine(look)
        words = self.tr("Which column is which?"), self.tr("Measure these columns")
        self.question = FileQuestion(look, study, QUESTION, words)
        self.kinds: Segments | None = None
        self.view: PanelView | None = None
        self._kind = self.view_kind = ""
        self._top = QHBoxLayout()
        self._result = QVBoxLayout()
        self._room = QWidget()
        state = self.state, 1
        row = in_row(self.file, *self.examples.values(), self.cancel, self.heads, state, self._top, margins=0)
        parts = self.about, self.limits, row, self.progress
        pages = (self.question, 1), (self._result, 1), (self._room, 1)
        in_column(*parts, *pages, of=self, margins=(12, 8, 12, 8), spacing=6)
        for language, button in self.examples.items():
            button.setToolTip(self.tr("A few sentences that come with the program: they show how it works"))
            button.clicked.connect(lambda _=False, language=language: self.example_chosen.emit(language))
        self.cancel.clicked.connect(study.cancel)
        self.cancel.setToolTip(self.tr("What is measured stays saved: the same file goes on from there"))
        for signal in (study.changed, study.busy_changed):
            signal.connect(self.show_state)
        self.heads.clicked.connect(self._open_examples)
        study.progressed.connect(self._show_progress)
        study.changed.connect(self._show_result)
        self.show_state()
        self._show_result()

    @Slot()
    def show_state(self) -> None:
        """Show what the study tells, and how far it is."""
        study, entry = self._study, self._study.entry
        if entry is None:
            return
        reads = {
            "texts": self.tr("It reads a text a line, or a column of a table; rows with labels, too."),
            "labelled": self.tr("It reads rows of a text with its label."),
            "pairs": self.tr("It reads rows of two texts."),
            "parsed": self.tr("It reads parsed sentences (CoNLL-U)."),
            "words": self.tr("It reads sentences whose words are labelled."),
            "mentions": self.tr("It reads rows of a text with a mention and its antecedent."),
        }
        compares = self.tr("It compares the checkpoints of A and B.")
        about = [translated(entry.summary), reads[entry.reads]]
        self.about.setText(" ".join([*about, compares] if Needs.SECOND_RUN in entry.needs else about))
        self.limits.setText(f"{translated(entry.limits)} {translated(entry.paper)}.")
        is_asking = study.asked is not None
        self.question.setVisible(is_asking)
        self.cancel.setVisible(bool(study.busy_with))
        self.file.setVisible(not is_asking)
        is_new = study.shown is None and not study.busy_with and not is_asking
        for button in self.examples.values():
            button.setVisible(is_new and entry.reads in EXAMPLE_FILES)
        if self.view is not None:
            self.view.setVisible(not is_asking)
        self._room.setVisible(not is_asking and self.view is None)
        self._show_progress()

    @Slot()
    def _show_progress(self) -> None:
        study = self._study
        self.progress.set_progress(bool(study.busy_with), study.fraction)
        self.state.setText(self._words())

    def _words(self) -> str:
        study = self._study
        if study.busy_with and study.fraction is not None:
            return self.tr("Measuring {0}: {1}").format(study.busy_with, f"{study.fraction:.0%}")
        if study.busy_with:
            return self.tr("Measuring {0} …").format(study.busy_with)
        if study.shown is None or study.saved is None:
            return ""
        about = study.shown.result.about or {}
        name = Path(about["files"][0]).name
        measured, lines = f"{about['n_measured']:,}", f"{about['n_lines']:,}"
        words = self.tr("{0}: {1} of {2} lines measured by {3}; saved as {4}").format(
            name, measured, lines, about["model"], study.saved.name
        )
        entry = study.entry
        given = "" if entry is None else parameters_of_kind(entry.parameters, study.shown.content)
        return f"{words} · {given}" if given else words

    @Slot()
    def _show_result(self) -> None:
        """Draw the result of the study that is chosen, by its first view unless another was chosen."""
        shown = self._study.shown
        self.heads.setVisible(shown is not None and isinstance(shown.result, HeadExamples))
        for old in (self.kinds, self.view):
            if old is not None:
                old.hide()
                old.deleteLater()
        self.kinds = self.view = None
        self.view_kind = ""
        if shown is not None:
            kinds = views_of(type(shown.result))
            keys = [kind.key for kind in kinds]
            self.view_kind = self._kind if self._kind in keys else keys[0]
            if len(kinds) > 1:
                texts = [(kind.key, translated(kind.title), translated(kind.tool_tip)) for kind in kinds]
                self.kinds = Segments(texts)
                self.kinds.set_compact(True)
                self.kinds.choose(self.view_kind)
                self.kinds.chosen.connect(self._on_kind_chosen)
                self._top.addWidget(self.kinds)
            self.view = view_of(self.view_kind, self._tools)
            self.view.head_requested.connect(self.head_requested)
            self.view.text_requested.connect(self.text_requested)
            self._result.addWidget(self.view)
            self.view.show_panel(Panel(0, 0, 0, self.view_kind))
            self.view.show_result(shown)
        self._room.setVisible(self.view is None and self._study.asked is None)

    @Slot()
    def _open_examples(self) -> None:
        assert self._study.shown is not None
        self.examples_requested.emit(self._study.shown.result)

    @Slot(str)
    def _on_kind_chosen(self, kind: str) -> None:
        self._kind = kind
        self._show_result()


class FileQuestion(QWidget):
    """The first rows of a table, and which column is which; then it is measured, or dropped.

    `fields` are those that are asked for; `words`: the title, and what the button says that measures.
    """

    def __init__(
        self, look: Look, study: CorpusStudy | FileStudy, fields: Sequence[str], words: tuple[str, str]
    ) -> None:
        super().__init__()
        self._study = study
        self._text = QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        self.question = TableQuestion(fields)
        self.measure = named(QPushButton(words[1]), "primary")
        self.lines = QPushButton(self.tr("Measure whole lines"))
        self.lines.setToolTip(self.tr("Each line is a text as it stands, with separators and all columns"))
        self.cancel = QPushButton(self.tr("Cancel"))
        title, middle, content = named(QLabel(words[0], wordWrap=True), "headline"), QWidget(), QWidget()
        middle.setMaximumWidth(look.pixels(_WIDTH))
        buttons = in_row(self.measure, self.lines, self.cancel, 1, margins=0)
        in_column(title, self._text, self.question, buttons, of=middle, spacing=12)
        in_column(in_row(1, (middle, 100), 1, margins=0), 1, of=content)
        in_column(scrolled(content), of=self, margins=0)
        self.question.answered.connect(study.answer)
        self.measure.clicked.connect(lambda: study.measure_asked())
        self.lines.clicked.connect(lambda: study.measure_asked(is_prose=True))
        self.cancel.clicked.connect(study.drop_question)
        study.busy_changed.connect(self.show_question)
        self.show_question()

    @Slot()
    def show_question(self) -> None:
        """Show the table that is asked about."""
        asked = self._study.asked
        if asked is not None:
            self._text.setText(translated(asked.error.message))
            self.question.show_table(asked.error.preview, asked.values)
            self.lines.setVisible(self._study.reads_lines)
            self.measure.setEnabled(self._study.is_answered)
