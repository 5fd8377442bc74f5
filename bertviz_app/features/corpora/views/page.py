"""The page of a corpus: how it is chosen, measured and listed; and studies of a file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from bertviz_app.analysis.entry import Needs
from bertviz_app.analysis.measures import BROAD_SHARE, LEAST_QUERIES, LEAST_SHARE
from bertviz_app.analysis.parameters import parameters_of
from bertviz_app.analysis.picture import Axis, Index, Picture, Quantity
from bertviz_app.errors import Message
from bertviz_app.features.corpora.process.measuring import MEASURED
from bertviz_app.features.corpora.state.corpus import (
    MOST_SENTENCES,
    QUESTION,
    CorpusStudy,
    FileStudy,
    MeasureOf,
    is_table,
)
from bertviz_app.features.corpora.studies.catalogue import STUDIES
from bertviz_app.features.corpora.studies.examples import HeadExamples
from bertviz_app.features.corpora.summary import LEAST_EVIDENCE
from bertviz_app.features.corpora.views.distributions import DistributionsView
from bertviz_app.learning.words import EXAMPLE_FILES, LANGUAGES, ExampleCorpus, example_corpora
from bertviz_app.text_tables.packages import is_dataset
from bertviz_app.types import Floats
from bertviz_app.viewmodels.panel import Panel, views_of
from bertviz_app.viewmodels.wording import intervention_text, parameters_of_kind, translated
from bertviz_app.views.analyses.charts import PicturePoints
from bertviz_app.views.kit.canvas import Guarded
from bertviz_app.views.kit.card import Card, Elided, Segments
from bertviz_app.views.kit.fields import TableQuestion
from bertviz_app.views.kit.look import Gap, Look, in_column, in_row, named
from bertviz_app.views.kit.panel_view import PanelTools, PanelView
from bertviz_app.views.kit.widgets import (
    BigButton,
    NumberedSteps,
    PageDrops,
    ProgressLine,
    SignButton,
    on_item_chosen,
    scrolled,
    split,
)
from bertviz_app.views.kit.words import plain
from bertviz_app.views.overview.heads_table import measure_number, measure_words, with_unit
from bertviz_app.views.panels.card import view_of
from bertviz_app.views.panels.options import AnalysisForm


class SentenceList(QWidget):
    """Line, value and text of each sentence; `sentence_requested` has the text of the one that was chosen."""

    sentence_requested = Signal(str)

    def __init__(self, study: CorpusStudy, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._study = study
        self.note = named(QLabel(wordWrap=True), "secondary")
        self.list = QListWidget()
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setUniformItemSizes(True)
        in_column(self.note, (self.list, 1), of=self, margins=(10, 8, 10, 10), spacing=8)
        on_item_chosen(self.list, self._on_chosen)
        study.sentences_changed.connect(self.refresh)
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Show the sentences of the bar that is chosen, in the language in force."""
        self.list.setAccessibleName(self.tr("Sentences in the bar"))
        self.note.setText(self._words())
        self.list.clear()
        bar = self._study.bar
        if bar is None:
            return
        for found in self._study.sentences or ():
            text = self.tr("(its file is not here)") if found.text is None else found.text
            item = QListWidgetItem(f"{measure_number(found.value)}   {text}")
            item.setToolTip(plain(self.tr("Line {0}: {1}").format(f"{found.line:,}", text)))
            item.setData(Qt.ItemDataRole.UserRole, found.text)
            self.list.addItem(item)

    def _words(self) -> str:
        bar, study = self._study.bar, self._study
        if bar is None or study.corpus is None:
            return self.tr("Click a bar: its sentences are listed here. Click a sentence to open it.")
        key = study.measures[bar.measure]
        low, high = study.corpus.summary.range_of(bar.measure, bar.number)
        layer, head = bar.head
        limits = (
            self.tr("from {0} on").format(with_unit(key, low))
            if high == float("inf")
            else self.tr("from {0} to {1}").format(measure_number(low), with_unit(key, high))
        )
        count = study.count_of(bar)
        words = self.tr("Layer {0} · head {1}, {2}: sentences {3}").format(layer, head, limits, f"{count:,}")
        if study.sentences is None:
            return self.tr("{0} (looking …)").format(words)
        if count > MOST_SENTENCES:
            return self.tr("{0}, the first {1} listed").format(words, MOST_SENTENCES)
        return words

    def _on_chosen(self, text: str | None) -> None:
        if text:
            self.sentence_requested.emit(text)


_WIDTH = 680
_SHARE = 100  # how much more of the room the middle takes than each side, up to its width


class CorpusStart(QWidget):
    """Three steps, a button for a file, and example sentences; `example_chosen(language)`."""

    example_chosen = Signal(str)

    def __init__(self, look: Look, examples: Sequence[ExampleCorpus], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        title = named(QLabel(self.tr("What heads do over many sentences"), wordWrap=True), "headline")
        words = self.tr(
            "One sentence is an example. Here every head of the open checkpoint is measured on every "
            "line of a text file: does a head do the same in all of them, or only in that one?"
        )
        steps = NumberedSteps(
            self.tr("Choose a text file with a sentence a line, or drop one here."),
            self.tr(
                "Every line is measured. The table is saved beside the file, and a run that was ended "
                "goes on from there."
            ),
            self.tr("Click a bar to list its sentences, and a sentence to open it in the window."),
        )
        self.file = named(QPushButton(self.tr("Choose a file …")), "primary")
        self.file.setToolTip(self.tr("Texts to measure, or a table that was measured before"))
        titles = {"en": self.tr("{0} English sentences"), "ko": self.tr("{0} Korean sentences")}
        self.buttons = []
        for example in examples:
            count = titles[example.language].format(example.n_sentences)
            button = BigButton(count, f"{example.first.rstrip('.')} …")
            button.clicked.connect(
                lambda _=False, language=example.language: self.example_chosen.emit(language)
            )
            self.buttons.append(button)
        alternative = named(QLabel(self.tr("Or try an example")), "secondary")
        own = in_row(self.file, 1, margins=0)
        others = in_row(*((button, 1) for button in self.buttons), margins=0, spacing=12)
        self._middle, content = QWidget(), QWidget()
        parts = title, QLabel(words, wordWrap=True), steps, Gap(6), own, alternative, others
        in_column(*parts, of=self._middle, margins=0, spacing=12)
        in_column(2, in_row(1, (self._middle, _SHARE), 1, margins=0), 3, of=content)
        # Large text needs more height than a small window has.
        in_column(scrolled(content), of=self, margins=0)
        look.changed.connect(self._on_look_changed)
        self._on_look_changed()

    def _on_look_changed(self) -> None:
        self._middle.setMaximumWidth(self._look.pixels(_WIDTH))


class HeadScatter(QWidget):
    """All heads by two measures, of the corpus or of the sentence on screen; `dots` say which is clicked."""

    def __init__(self, look: Look, study: CorpusStudy) -> None:
        super().__init__()
        self._study = study
        self.dots = PicturePoints(look)
        self.choices = QComboBox(), QComboBox()
        words = self.tr("The sentence on screen is of another checkpoint, or not measured yet.")
        self.note = named(QLabel(words, wordWrap=True), "secondary")
        names = self.tr("Across"), self.tr("Up")
        parts: list[QWidget] = []
        for choice, name in zip(self.choices, names, strict=True):
            choice.activated.connect(self._on_chosen)
            parts += named(QLabel(name), "secondary"), named(choice, title=name)
        in_column(in_row(*parts, 1, margins=0), self.note, (self.dots, 1), of=self, margins=0)
        for signal in (study.changed, study.current_changed):
            signal.connect(self.refresh)
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Show the heads at the measures that are chosen."""
        study = self._study
        if study.corpus is None:
            return
        measures = measure_words(study.special_names)
        offered = study.offered_measures
        words = {"corpus": self.tr("{0}, mean of the corpus"), "sentence": self.tr("{0}, sentence on screen")}
        titles = {one: words[one.of].format(measures[one.key].title) for one in offered}
        found, numbers = [], []
        for choice, chosen in zip(self.choices, study.axes, strict=True):
            shown = chosen if chosen in titles else offered[0]
            choice.clear()
            for one, title in titles.items():
                choice.addItem(title, one)
            choice.setCurrentIndex(offered.index(shown))
            values = study.numbers_of(shown)
            found.append(values)
            numbers.append([with_unit(shown.key, value) for value in values.reshape(-1).tolist()])
        across, up = (choice.currentText() for choice in self.choices)
        self.dots.show_picture(_picture(np.stack(found, axis=-1), (across, up), numbers))
        self.note.setVisible(not any(one.of == "sentence" for one in offered))

    def head(self, part: int) -> tuple[int, int]:
        """Return the layer and the head of a dot."""
        layer, head = map(int, self.dots.name_of(part).split("·"))
        return layer, head

    @Slot()
    def _on_chosen(self) -> None:
        across, up = (choice.currentData() for choice in self.choices)
        if isinstance(across, MeasureOf) and isinstance(up, MeasureOf):
            self._study.set_axes((across, up))


def _picture(points: Floats, titles: tuple[str, str], numbers: list[list[str]]) -> Picture:
    """Return heads at `points` [L, H, 2]; `titles` name the axes, `numbers` are both of each head."""
    n_layers, n_heads, _ = points.shape
    heads = [(layer, head) for layer in range(n_layers) for head in range(n_heads)]
    names = tuple(f"{layer}·{head}" for layer, head in heads)

    def details(index: Index) -> list[str]:
        at = index["head of all"]
        return [f"{title}: {of_heads[at]}" for title, of_heads in zip(titles, numbers, strict=True)]

    return Picture(
        key="measures",
        mark="points",
        values=points.reshape(-1, 2).astype(np.float32),
        axes=(Axis("head of all", names), Axis("measure", titles)),
        quantity=Quantity(""),
        title=Message("Heads by two measures"),
        groups=tuple(str(layer) for layer, _ in heads),
        details=details,
    )


class StudyChoice(QWidget):
    """What is measured: the table of measures, or a study; and a button that opens the study's parameters."""

    def __init__(self, study: FileStudy, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._study = study
        self._label = named(QLabel(self.tr("What is measured")), "secondary")
        adjusts = QComboBox.SizeAdjustPolicy.AdjustToContents
        self.box = named(QComboBox(sizeAdjustPolicy=adjusts), title=self._label.text())
        self.box.addItem(self.tr("Measures of every head, sentence by sentence"), "")
        for entry in STUDIES:
            self.box.addItem(translated(entry.title), entry.key)
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


_GAP = 8


class CorpusPage(Guarded, QWidget):
    """A row of choices, the distributions of all heads, and the sentences of a bar.

    A click on `back` shows the views of the heads again. `file_requested` is emitted to choose a file.
    """

    file_requested = Signal()
    file_dropped = Signal(str)

    def __init__(self, look: Look, study: CorpusStudy, files: FileStudy, tools: PanelTools) -> None:
        """`files`: the study of a file that is shown in the place of the table; `tools` draw its result."""
        super().__init__(focusPolicy=Qt.FocusPolicy.ClickFocus)
        self.setObjectName("ground")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._study, self._files = study, files
        self.choice = StudyChoice(files)
        self.study = StudyPage(look, files, tools)
        self.start = CorpusStart(look, example_corpora())
        words = self.tr("Which column has the texts?"), self.tr("Measure this column")
        self.table = FileQuestion(look, study, ("column", "separator", "encoding"), words)
        self.choices = ChoicesRow(look, study)
        self.plots = named(DistributionsView(look, study), title=self.tr("The distribution of every head"))
        self.scatter = HeadScatter(look, study)
        self.sentences = SentenceList(study)
        self.rule = named(QLabel(wordWrap=True), "secondary")
        self.card = Card(self.tr("Heads over a corpus"), QWidget())
        self.list_card = Card(self.tr("Sentences"), self.sentences)
        self.back = named(SignButton("✕"), "corner", self.tr("Back to the heads (measuring continues)"))
        self.drops = PageDrops(look, self, self._describe_drop)
        self.card.add_corner(self.back)
        self._measured = named(QWidget(), "clear")
        parts = self.choices, self.rule, (self.plots, 1), (self.scatter, 1)
        in_column(*parts, of=self._measured, margins=(12, 8, 12, 8), spacing=6)
        pages = self.start, self.table, self._measured, self.study
        in_column(self.choice, *((page, 1) for page in pages), of=self.card.body, margins=0)
        both = split(Qt.Orientation.Horizontal, _GAP, (self.card, 3), (self.list_card, 1))
        both.setSizes([900, 300])
        in_row(both, of=self, margins=_GAP)
        for button in (self.choices.file, self.start.file, self.study.file):
            button.clicked.connect(self.file_requested)
        self.drops.dropped.connect(lambda paths: self.file_dropped.emit(str(paths[0])))
        self.plots.bar_chosen.connect(study.choose)
        self.plots.part_pointed.connect(
            lambda part: self.card.qualifier.setText("" if part is None else self.plots.lines_of(part)[0])
        )
        for signal in (study.changed, study.busy_changed, study.current_changed, files.changed):
            signal.connect(self._show)
        self.plots.refresh()
        self._show()

    def focus_file(self) -> None:
        """Give the keyboard focus to the button that chooses a file."""
        (self.study if self._files.key else self.start if self._is_empty else self.choices).file.setFocus()

    @property
    def _is_empty(self) -> bool:
        return self._study.corpus is None and not self._study.busy_with and self._study.asked is None

    @Slot()
    def _show(self) -> None:
        had_focus = self.start.isAncestorOf(QApplication.focusWidget() or self)
        is_table, is_asking = not self._files.key, self._study.asked is not None
        self.study.setVisible(not is_table)
        self.start.setVisible(is_table and self._is_empty)
        self.table.setVisible(is_table and is_asking)
        for part in (self._measured, self.list_card):
            part.setVisible(is_table and not self._is_empty and not is_asking)
        if self._study.is_scatter:
            self.list_card.hide()  # it lists the sentences of a bar
        if had_focus and not self._is_empty:
            self.focus_file()
        self.choices.show_state()
        self.plots.setVisible(not self._study.is_scatter)
        self.scatter.setVisible(self._study.is_scatter)
        self.rule.setText(self._words())

    def _words(self) -> str:
        """Return how the plots are to be read, and when a head has a name."""
        study = self._study
        if study.corpus is None:
            return self.tr("Every line is measured; “Stop” ends it, and what is measured stays saved.")
        if study.is_scatter:
            return self.tr("A dot for each head; a click opens its page.")
        key = study.measures[study.measure]
        summary = study.corpus.summary
        words = [
            measure_words(study.special_names)[key].meaning,
            self.tr("Each plot: sentences by their value, from 0 to {0}; the line is the mean.").format(
                with_unit(key, float(summary.highest[study.measure]))
            ),
            self.tr("A click above the bars opens the page of the head."),
            self._words_of_sentence(),
            self.tr(
                "A name: what the head does in at least {0} of {1} sentences (share beside it); in each at "
                "least {2} of its attention goes there, or “broad” is an entropy as of equal weights on {3} "
                "of all tokens. Sentences of {4} tokens or fewer do not count. The rule is this program's "
                "own."
            ).format(
                f"{LEAST_EVIDENCE:.0%}",
                f"{summary.n_named:,}",
                f"{LEAST_SHARE:.0%}",
                f"{BROAD_SHARE:.0%}",
                LEAST_QUERIES,
            ),
        ]
        return " ".join(part for part in words if part)

    def _words_of_sentence(self) -> str:
        """Return whether the sentence on screen is compared, and what was done to the model there."""
        study, trace = self._study, self._study.trace
        if study.is_of_other_checkpoint:
            return self.tr("The sentence on screen is of another checkpoint: it is not compared.")
        if not study.is_of_weights:
            return self.tr(
                "The sentence on screen is not compared: the views show other numbers of it than the "
                "attention weights of all tokens."
            )
        if study.current is None:
            return ""  # its numbers are being computed
        if trace is None or not trace.edits:
            return self.tr("▲ is the sentence on screen.")
        done = [intervention_text(one, trace.edits, trace.tokens) for one in trace.edits.interventions]
        words = self.tr("▲ is the sentence on screen with interventions, which the corpus is without: {0}.")
        return words.format("; ".join(done))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Accept keys that no field has used: the views behind the page must not react to them."""
        event.accept()

    def _describe_drop(self, paths: list[Path]) -> str:
        """Return what would be done with dragged files: a folder that is no table is for the window."""
        if len(paths) != 1 or (paths[0].is_dir() and not (is_table(paths[0]) or is_dataset(paths[0]))):
            return ""
        return self.tr("Show the heads over {0}").format(paths[0].name)


class ChoicesRow(QWidget):
    """The file, how far it is, the measure, and the order of the heads."""

    def __init__(self, look: Look, study: CorpusStudy, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._study = study
        self.file = QPushButton(self.tr("Choose a file …"))
        self.state = named(QLabel(), "secondary")
        self.cancel = QPushButton(self.tr("Stop"))
        self.progress = ProgressLine(look)
        self.measures = Segments([(key, "", "") for key in measure_words()])
        in_order = self.tr("Layer · head"), self.tr("Heads in their order in the model")
        by_mean = self.tr("By mean"), self.tr("The head with the highest mean first")
        self.order = Segments([("head", *in_order), ("mean", *by_mean)])
        plots = self.tr("Distributions"), self.tr("A distribution of the sentences for each head")
        scatter = self.tr("Two measures"), self.tr("A dot for each head, by two of its measures")
        self.form = Segments([("plots", *plots), ("scatter", *scatter)])
        first = in_row(self.file, self.cancel, (self.state, 1), margins=0)
        second = in_row(self.measures, 1, self.order, self.form, margins=0)
        in_column(first, self.progress, second, of=self, margins=0, spacing=6)
        self.cancel.clicked.connect(study.cancel)
        self.measures.chosen.connect(study.show_measure)
        self.order.chosen.connect(lambda key: study.set_order(is_by_mean=key == "mean"))
        study.progressed.connect(self.show_state)
        self.file.setToolTip(self.tr("Texts to measure, or a table that was measured before"))
        self.cancel.setToolTip(self.tr("What is measured stays saved: the same file goes on from there"))
        self.form.chosen.connect(lambda key: study.set_scatter(is_scatter=key == "scatter"))
        self.show_state()

    def show_state(self) -> None:
        """Show the file, and offer what can be chosen of it."""
        study = self._study
        words = measure_words(study.special_names)
        self.measures.set_texts({key: (word.column, word.title) for key, word in words.items()})
        for part in (self.measures, self.order):
            part.setVisible(study.corpus is not None and not study.is_scatter)
        self.form.setVisible(study.corpus is not None)
        self.form.choose("scatter" if study.is_scatter else "plots")
        self.cancel.setVisible(bool(study.busy_with))
        self.progress.set_progress(bool(study.busy_with), study.fraction)
        self.state.setText(self._words())
        if study.corpus is not None:
            self.measures.show_choices(study.measures)
            self.measures.choose(study.measures[study.measure])
            self.order.choose("mean" if study.is_by_mean else "head")

    def _words(self) -> str:
        study = self._study
        if study.busy_with and study.fraction is not None:
            return self.tr("Measuring {0}: {1}").format(study.busy_with, f"{study.fraction:.0%}")
        if study.busy_with:
            return self.tr("Measuring {0} …").format(study.busy_with)
        if study.corpus is None:
            return ""
        table, summary = study.corpus.table, study.corpus.summary
        words = self.tr("{0}: {1} sentences, {2} heads").format(
            table.path.name, f"{summary.n_sentences:,}", f"{table.shape[0] * table.shape[1]:,}"
        )
        n_left_out = sum(count for kind, count in table.about.counts.items() if kind not in MEASURED)
        others = [name for name in table.about.encodings if name != "UTF-8"]
        if others:
            words += self.tr("; read as {0}").format(", ".join(others))
        if table.about.reading.column:
            words += self.tr("; column {0}").format(table.about.reading.column)
        if n_left_out:
            words += self.tr("; lines left out: {0}").format(f"{n_left_out:,}")
        if n_dropped := table.about.counts.get("dropped", 0):
            words += self.tr("; with invisible characters that the tokenizer drops: {0}").format(
                f"{n_dropped:,}"
            )
        return words
