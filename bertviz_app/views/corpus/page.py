"""`CorpusPage`: what heads do over all sentences of a file."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QApplication,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from bertviz_app.analysis.measures import BROAD_SHARE, LEAST_QUERIES, LEAST_SHARE
from bertviz_app.analysis.pure.corpus_summary import LEAST_EVIDENCE
from bertviz_app.inference.corpus.measuring import MEASURED
from bertviz_app.learning.words import example_corpora
from bertviz_app.viewmodels.corpus import CorpusStudy, is_table
from bertviz_app.viewmodels.wording import intervention_text
from bertviz_app.views.corpus.distributions import DistributionsView
from bertviz_app.views.corpus.sentences import SentenceList
from bertviz_app.views.corpus.start import CorpusStart
from bertviz_app.views.corpus.table import CorpusTableView
from bertviz_app.views.kit.canvas import guarded
from bertviz_app.views.kit.card import Card, Segments
from bertviz_app.views.kit.drop_hint import PageDrops
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.progress_line import ProgressLine
from bertviz_app.views.kit.style import named
from bertviz_app.views.overview.measure_words import measure_words, with_unit

_GAP = 8


class CorpusPage(QWidget):
    """A row of choices, the distributions of all heads, and the sentences of a bar.

    `closed` is emitted to show the views of the heads again; `file_requested` to choose a file.
    """

    closed = Signal()
    file_requested = Signal()
    file_dropped = Signal(str)

    def __init__(self, look: Look, study: CorpusStudy, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("ground")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self._study = study
        self.start = CorpusStart(look, example_corpora())
        self.table = CorpusTableView(look, study)
        self.choices = ChoicesRow(look, study)
        self.plots = DistributionsView(look, study)
        self.sentences = SentenceList(study)
        self.rule = named(QLabel(wordWrap=True), "secondary")
        self.card = Card("", QWidget())
        self.list_card = Card("", self.sentences)
        self.drops = PageDrops(look, self, self._describe_drop)
        self._lay_out()
        for signal in (self.choices.file.clicked, self.start.file_requested):
            signal.connect(self.file_requested)
        self.drops.dropped.connect(self._on_dropped)
        self.plots.bar_chosen.connect(study.choose)
        self.plots.bar_read.connect(self.card.qualifier.setText)
        for signal in (study.changed, study.busy_changed, study.current_changed):
            signal.connect(self._show)
        self.retranslate()

    def _lay_out(self) -> None:
        back = named(QPushButton("✕"), "corner")
        back.clicked.connect(self.closed)
        self.card.add_corner(back)
        self._back = back
        self._measured = named(QWidget(), "clear")
        column = QVBoxLayout(self._measured)
        column.setContentsMargins(12, 8, 12, 8)
        column.setSpacing(6)
        column.addWidget(self.choices)
        column.addWidget(self.rule)
        column.addWidget(self.plots, 1)
        pages = QVBoxLayout(self.card.body)
        pages.setContentsMargins(0, 0, 0, 0)
        for page in (self.start, self.table, self._measured):
            pages.addWidget(page)
        split = QSplitter(Qt.Orientation.Horizontal)
        split.setHandleWidth(_GAP)
        split.setChildrenCollapsible(False)
        for position, (part, share) in enumerate(((self.card, 3), (self.list_card, 1))):
            split.addWidget(part)
            split.setStretchFactor(position, share)
        split.setSizes([900, 300])
        row = QHBoxLayout(self)
        row.setContentsMargins(_GAP, _GAP, _GAP, _GAP)
        row.addWidget(split)

    def retranslate(self) -> None:
        self.card.title.setText(self.tr("Heads over a corpus"))
        self.list_card.title.setText(self.tr("Sentences"))
        self._back.setAccessibleName(self.tr("Back to the heads (measuring continues)"))
        self._back.setToolTip(self._back.accessibleName())
        self.plots.setAccessibleName(self.tr("The distribution of every head"))
        self.choices.retranslate()
        self.table.retranslate()
        self.sentences.retranslate()
        self.plots.refresh()
        self._show()

    def focus_file(self) -> None:
        """Give the keyboard focus to the button that chooses a file."""
        (self.start if self._is_empty else self.choices).file.setFocus()

    @property
    def _is_empty(self) -> bool:
        return self._study.corpus is None and not self._study.busy_with and self._study.asked is None

    @Slot()
    def _show(self) -> None:
        had_focus = self.start.isAncestorOf(QApplication.focusWidget() or self)
        self.start.setVisible(self._is_empty)
        is_asking = self._study.asked is not None
        self.table.setVisible(is_asking)
        for part in (self._measured, self.list_card):
            part.setVisible(not self._is_empty and not is_asking)
        if had_focus and not self._is_empty:
            self.focus_file()
        self.choices.show_state()
        self.rule.setText(self._words())

    def _words(self) -> str:
        """Return how the plots are to be read, and when a head has a name."""
        study = self._study
        if study.corpus is None:
            return self.tr("Every line is measured; “Stop” ends it, and what is measured stays saved.")
        key = study.measures[study.measure]
        summary = study.corpus.summary
        words = [
            measure_words(study.special_names)[key].meaning,
            self.tr("Each plot: sentences by their value, from 0 to {0}; the line is the mean.").format(
                with_unit(key, float(summary.highest[study.measure]))
            ),
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

    @guarded
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Accept keys that no field has used: the views behind the page must not react to them."""
        event.accept()

    def _describe_drop(self, paths: list[Path]) -> str:
        """Return what would be done with dragged files: a folder without a table is for the window."""
        if len(paths) != 1 or (paths[0].is_dir() and not is_table(paths[0])):
            return ""
        return self.tr("Show the heads over {0}").format(paths[0].name)

    @Slot(list)
    def _on_dropped(self, paths: list[Path]) -> None:
        self.file_dropped.emit(str(paths[0]))


class ChoicesRow(QWidget):
    """The file, how far it is, the measure, and the order of the heads."""

    def __init__(self, look: Look, study: CorpusStudy, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._study = study
        self.file = QPushButton()
        self.state = named(QLabel(), "secondary")
        self.cancel = QPushButton()
        self.progress = ProgressLine(look)
        self.measures = Segments([(key, "", "") for key in measure_words()])
        self.order = Segments([("head", "", ""), ("mean", "", "")])
        first, second = QHBoxLayout(), QHBoxLayout()
        for widget in (self.file, self.cancel):
            first.addWidget(widget)
        first.addWidget(self.state, 1)
        second.addWidget(self.measures)
        second.addStretch(1)
        second.addWidget(self.order)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addLayout(first)
        column.addWidget(self.progress)
        column.addLayout(second)
        self.cancel.clicked.connect(study.cancel)
        self.measures.chosen.connect(study.show_measure)
        self.order.chosen.connect(lambda key: study.set_order(is_by_mean=key == "mean"))
        study.progressed.connect(self.show_state)

    def retranslate(self) -> None:
        self.file.setText(self.tr("Choose a file …"))
        self.file.setToolTip(self.tr("Texts to measure, or a table that was measured before"))
        self.cancel.setText(self.tr("Stop"))
        self.cancel.setToolTip(self.tr("What is measured stays saved: the same file goes on from there"))
        self.order.set_texts(
            {
                "head": (self.tr("Layer · head"), self.tr("Heads in their order in the model")),
                "mean": (self.tr("By mean"), self.tr("The head with the highest mean first")),
            }
        )
        self.show_state()

    def show_state(self) -> None:
        """Show the file, and offer what can be chosen of it."""
        study = self._study
        words = measure_words(study.special_names)
        self.measures.set_texts({key: (word.column, word.title) for key, word in words.items()})
        self.measures.setVisible(study.corpus is not None)
        self.order.setVisible(study.corpus is not None)
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
