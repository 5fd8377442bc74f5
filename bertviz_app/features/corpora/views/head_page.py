"""The page of one head: its examples over a corpus, pieces, distances and distribution, and the notes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from datetime import date
from html import escape
from pathlib import Path

import numpy as np
from PySide6.QtCore import QCoreApplication, QSignalBlocker, QSize, Qt, Signal, Slot
from PySide6.QtGui import QIcon, QKeyEvent
from PySide6.QtWidgets import (
    QComboBox,
    QLabel,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPlainTextEdit,
    QPushButton,
    QWidget,
)

from bertviz_app.analysis.measures import Head
from bertviz_app.analysis.picture import Axis, Picture, Quantity, counted
from bertviz_app.errors import AppError, Check, Message
from bertviz_app.features.corpora.dossier import Dossier, DossierFile, Evidence, HeadNotes
from bertviz_app.features.corpora.process.measuring import TextReading
from bertviz_app.features.corpora.process.reading import About, collect_examples, saved_examples, texts_of
from bertviz_app.features.corpora.state.corpus import CorpusStudy, OpenCorpus, Work
from bertviz_app.features.corpora.studies.examples import HeadExample, HeadExamples, read_examples
from bertviz_app.features.corpora.views.distributions import DistributionsView, name_words
from bertviz_app.inference.engine import Engine
from bertviz_app.text import Tokens
from bertviz_app.timers import OneShot
from bertviz_app.trace import Trace
from bertviz_app.values import dataclass, replace
from bertviz_app.viewmodels.results import FractionDone, Tasks
from bertviz_app.viewmodels.wording import error_text
from bertviz_app.views.analyses.cells_and_words import PictureWords
from bertviz_app.views.analyses.charts import PictureBars
from bertviz_app.views.kit.canvas import Guarded
from bertviz_app.views.kit.card import Card
from bertviz_app.views.kit.look import Look, in_column, in_row, mixed, named
from bertviz_app.views.kit.widgets import ProgressLine, SignButton, WrappingRow, scrolled, split
from bertviz_app.views.kit.words import fixed, plain
from bertviz_app.views.overview.heads_table import measure_words
from bertviz_app.views.vectors.plots import BarsPlot

SAVED_AFTER_MS = 600
"""A pause in the typing of this length saves the notes, and ends a step that can be undone."""
MOST_STRONGEST, MOST_OF_TENTH = 6, 3
"""How many examples are shown of the strongest, and of each tenth."""
STRONGEST = -1
"""Stands for the strongest pairs where a tenth has a number from 0."""
_EXAMPLES, _SENTENCES, _NOTES = "examples", "sentences of a head", "notes"
_MOST_STEPS = 200


@dataclass(frozen=True, eq=False)
class ShownExample:
    """An example with its text, None where that is not here, and its tokens, None where they are others."""

    example: HeadExample
    text: str | None
    tokens: Tokens | None


@dataclass(frozen=True, eq=False)
class ExampleGroup:
    """Examples of one tenth of the sentences, from 0 for the weakest, or the STRONGEST of all.

    `least` and `largest` are the ends of the tenth: the largest weights of its sentences are within.
    """

    tenth: int
    least: float
    largest: float
    examples: tuple[ShownExample, ...]


class HeadStudy(Work):
    """What the page of a head shows: examples are read, or collected, on a worker, as are its sentences.

    `head_changed`: another head, or another corpus. `busy_changed`: examples came, or are being collected
    (`is_collecting`), or cannot be (`problem`). `groups_changed`: their sentences came. `notes_changed`: what
    is noted changed by anything but typing in the note.
    """

    head_changed = Signal()
    groups_changed = Signal()
    notes_changed = Signal()

    def __init__(
        self,
        corpus: CorpusStudy,
        engine: Engine,
        workers: tuple[Tasks, Tasks],
        report: Callable[[Exception], None],
    ) -> None:
        """`workers`: one that collects examples, which may take hours, and one that reads sentences."""
        super().__init__(workers[0], _EXAMPLES, report)
        self.corpus = corpus
        self._engine = engine
        self._reader = workers[1]
        self.head: Head = (0, 0)
        self.examples: HeadExamples | None = None
        self.groups: tuple[ExampleGroup, ...] = ()
        self.problem: AppError | None = None
        """Why there are no examples; None where there are, or they are being collected."""
        self.dossier: Dossier | None = None
        """None until it is read."""
        self._file: DossierFile | None = None
        self._steps: list[Dossier] = []
        self._of: OpenCorpus | None = None
        self._taken: About | None = None
        self._is_unsaved = False
        self._saved = OneShot(self, self.save, SAVED_AFTER_MS)
        corpus.changed.connect(self._on_corpus_changed)
        corpus.current_changed.connect(self._open_notes)

    @property
    def is_collecting(self) -> bool:
        """Whether examples are being collected, or read."""
        return bool(self.busy_with)

    # which head

    @property
    def about(self) -> About | None:
        """What is known of the file and the checkpoint of the examples, those of a study or of the corpus."""
        corpus = self.corpus.corpus
        return self._taken or (None if corpus is None else corpus.table.about)

    @property
    def measured(self) -> OpenCorpus | None:
        """The corpus, as long as the examples are of it and not of another file."""
        return None if self._taken is not None else self.corpus.corpus

    def take(self, examples: HeadExamples) -> None:
        """Show the examples that a study of a file has found, until another corpus is opened."""
        facts = examples.about or {}
        self._taken = About(
            facts["model"],
            facts["fingerprint"],
            tuple(facts["files"]),
            facts["ref"],
            reading=TextReading(**facts["reading"]),
        )
        self.examples, self.problem = examples, None
        self.cancel()
        self.show(self.head)

    @property
    def shape(self) -> tuple[int, int]:
        """How many layers and heads there are: of the file's checkpoint, else of that on screen."""
        if self._taken is not None and self.examples is not None:
            n_layers, n_heads = self.examples.named["values"].shape[:2]
            return n_layers, n_heads
        if self.corpus.corpus is not None:
            return self.corpus.corpus.table.shape
        trace = self.corpus.trace
        return (1, 1) if trace is None else (trace.n_layers, trace.n_heads)

    def show(self, head: Head) -> None:
        """Show a head, the nearest one that there is."""
        n_layers, n_heads = self.shape
        self.head = min(max(head[0], 0), n_layers - 1), min(max(head[1], 0), n_heads - 1)
        self.save()
        self._reader.cancel(_SENTENCES)
        self.groups = ()
        self.groups_changed.emit()
        self.head_changed.emit()
        self.notes_changed.emit()
        measured = self.measured
        if measured is not None and self.examples is None and self.problem is None:
            # Examples that have been collected before are read at once: that takes no time.
            if not self.is_collecting and saved_examples(measured.table.about) is not None:
                self.collect()
        else:
            self._find_sentences()
        self._open_notes()

    def step(self, by: int) -> None:
        """Show the head so many further, in the order of layers and heads; at the ends nothing changes."""
        at = self.place + by
        if 0 <= at < self.n_heads:
            self.show(divmod(at, self.shape[1]))

    @property
    def place(self) -> int:
        """The number of the head among all, from 0."""
        return self.head[0] * self.shape[1] + self.head[1]

    @property
    def n_heads(self) -> int:
        """How many heads there are in all layers."""
        return self.shape[0] * self.shape[1]

    @Slot()
    def _on_corpus_changed(self) -> None:
        if self.corpus.corpus is self._of:
            return
        self._of = self.corpus.corpus
        self.examples, self.problem, self._taken = None, None, None
        self.cancel()
        self.show(self.head)

    # examples

    def collect(self) -> None:
        """Collect the examples of the corpus, or read them where they are saved already."""
        corpus = self.corpus.corpus
        if corpus is None or self.is_collecting:
            return
        about, self.problem = corpus.table.about, None

        def work(check: Check, progress: FractionDone) -> HeadExamples:
            saved = saved_examples(about)
            return collect_examples(about, progress, check) if saved is None else read_examples(saved)

        def done(found: HeadExamples) -> None:
            self.examples = found
            self._find_sentences()

        def failed(error: Exception) -> None:
            if isinstance(error, AppError):
                self.problem = error
            else:
                self._report(error)

        self._start(_EXAMPLES, work, done, failed)

    # sentences

    def _find_sentences(self) -> None:
        """Read the sentences of the head's examples, and cut them into tokens where the model is this one."""
        about, examples = self.about, self.examples
        if about is None or examples is None:
            return
        trace, engine, ref = self.corpus.trace, self._engine, about.ref or None
        is_same = trace is not None and trace.fingerprint == about.fingerprint
        edges, n_tenths = examples.named["values"][self.head].tolist(), examples.named["examples"].shape[2]
        tenths = reversed(range(n_tenths))
        chosen = [
            (STRONGEST, examples.strongest(self.head)[:MOST_STRONGEST]),
            *((tenth, examples.of_tenth(self.head, tenth)[:MOST_OF_TENTH]) for tenth in tenths),
        ]

        def cut(text: str) -> Tokens | None:
            try:
                return engine.tokens(ref, text) if is_same else None
            except AppError:  # the file is another one now
                return None

        def work(check: Check, progress: FractionDone) -> tuple[ExampleGroup, ...]:
            texts = texts_of(about, {one.line for _, found in chosen for one in found}, check)
            tokens = {line: cut(text) for line, text in texts.items()}
            return tuple(
                ExampleGroup(
                    tenth,
                    edges[max(tenth, 0)] if tenth != STRONGEST else min(one.weight for one in found),
                    edges[tenth + 1] if tenth != STRONGEST else max(one.weight for one in found),
                    tuple(ShownExample(one, texts.get(one.line), tokens.get(one.line)) for one in found),
                )
                for tenth, found in chosen
                if found
            )

        def done(groups: tuple[ExampleGroup, ...]) -> None:
            self.groups = groups
            self.groups_changed.emit()

        self._reader.start(_SENTENCES, work, done, self._report)

    # notes

    @property
    def checkpoint(self) -> tuple[str, str] | None:
        """Fingerprint and name of the checkpoint that notes are about: that of the file, else on screen."""
        if self.about is not None:
            return self.about.fingerprint, self.about.checkpoint
        trace: Trace | None = self.corpus.trace
        return None if trace is None else (trace.fingerprint, trace.model)

    @property
    def notes(self) -> HeadNotes:
        """What is noted about the head."""
        return HeadNotes(*self.head) if self.dossier is None else self.dossier[self.head]

    @property
    def can_undo(self) -> bool:
        """Whether a change of the notes can be undone."""
        return bool(self._steps)

    @Slot()
    def _open_notes(self) -> None:
        """Read the notes of the checkpoint, if they are of another one than those that are open."""
        if self.checkpoint is None:
            return
        file = DossierFile(*self.checkpoint)
        if self._file is not None and file.folder == self._file.folder:
            return
        self.save()
        self._file, self.dossier, self._steps = file, None, []
        self.notes_changed.emit()

        def done(found: Dossier) -> None:
            self.dossier = found
            self.notes_changed.emit()

        self._reader.start(_NOTES, lambda check, progress: file.read(), done, self._report)

    def set_note(self, text: str) -> None:
        """Change the note as it is typed: it is saved after a pause, and a pause ends a step."""
        self._change(replace(self.notes, note=text), is_typing=True)

    def set_tags(self, tags: Sequence[str]) -> None:
        """Change the tags; each is in them once."""
        found = tuple(dict.fromkeys(tag.strip() for tag in tags if tag.strip()))
        self._change(replace(self.notes, tags=found))

    def new_picture(self) -> Path:
        """Return where the next picture is to be written. Raises AppError where it cannot be."""
        assert self._file is not None
        return self._file.new_picture()

    def add_evidence(self, picture: Path, text: str, pair: str | None, view: str) -> None:
        """Add a picture, which is written, with the text that it is of."""
        evidence = Evidence(picture.name, text, pair, view, date.today().isoformat())
        self._change(replace(self.notes, evidence=(*self.notes.evidence, evidence)))

    def remove_evidence(self, number: int) -> None:
        """Take a picture out of the notes; its file stays."""
        found = tuple(one for at, one in enumerate(self.notes.evidence) if at != number)
        self._change(replace(self.notes, evidence=found))

    def undo(self) -> None:
        """Take back the last change of the notes, of whichever head it was."""
        if self._steps:
            self.dossier = self._steps.pop()
            self._saved.stop()
            self._write()
            self.notes_changed.emit()

    @Slot()
    def save(self) -> None:
        """Save what was typed, without waiting for a pause."""
        self._saved.stop()
        if self._is_unsaved:
            self._write()

    def _change(self, notes: HeadNotes, *, is_typing: bool = False) -> None:
        if self.dossier is None or notes == self.notes:
            return
        if not (is_typing and self._saved.isActive()):
            self._steps = [*self._steps[1 - _MOST_STEPS :], self.dossier]
        self.dossier = self.dossier.with_notes(notes)
        self._is_unsaved = True
        self._saved.start()
        if not is_typing:
            self.save()
            self.notes_changed.emit()

    def _write(self) -> None:
        if self._file is not None and self.dossier is not None:
            self._file.write(self.dossier)
            self._is_unsaved = False


_GAP = 8
_AROUND = 70  # characters of a sentence on each side of a pair
_THUMBNAIL = 96
_DISTRIBUTION, _HEIGHT, _PIECES = 190, 132, 300
_TICKS = ("−16", "−8", "−4", "0", "+4", "+8", "+16")


Segment = tuple[str, float]
"""A word, and 0 for the query, 1 for the key, nan for another one."""


class ExamplesView(QWidget):
    """The examples as texts in which the query and the key are marked.

    `sentence_chosen` has the text of the one that was clicked.
    """

    sentence_chosen = Signal(str)

    def __init__(self, look: Look, study: HeadStudy) -> None:
        super().__init__()
        self._study = study
        self.words = PictureWords(look)
        self.words.setAccessibleName(self.tr("Examples of the head"))
        in_column(self.words.outer, of=self, margins=0)
        self._texts: list[str] = []
        self.words.part_chosen.connect(self._on_chosen)
        study.groups_changed.connect(self.refresh)
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Show the examples of the head."""
        names = {
            STRONGEST: self.tr("The strongest of all sentences"),
            0: self.tr("The weakest tenth of the sentences"),
            9: self.tr("The strongest tenth"),
        }
        groups = []
        for group in self._study.groups:
            name = names.get(group.tenth, self.tr("Tenth {0} of 10").format(group.tenth + 1))
            title = f"{name}   {fixed(group.least, 3)} – {fixed(group.largest, 3)}"
            groups += [(title, one) for one in group.examples]
        self._texts = [one.text or "" for _, one in groups]
        texts = [self._segments(one) for _, one in groups]
        shape = len(texts), max(map(len, texts), default=0)
        words, roles = np.full(shape, "", object), np.full(shape, np.nan, np.float32)
        for row, segments in enumerate(texts):
            words[row, : len(segments)] = [word for word, _ in segments]
            roles[row, : len(segments)] = [role for _, role in segments]
        tip = self.tr("Line {0}: show it with this head")
        lines = [tip.format(f"{one.example.line:,}") for _, one in groups]
        picture = Picture(
            key="examples",
            mark="words",
            values=roles,
            axes=(
                Axis("example", tuple(fixed(one.example.weight, 3) for _, one in groups)),
                counted("word", shape[1]),
            ),
            quantity=Quantity("", 0),
            text=words.astype(np.str_),
            categories=((Message("query"), Message("query")), (Message("key"), Message("key"))),
            groups=tuple(title for title, _ in groups),
            details=lambda index: [lines[index["example"]]],
        )
        self.words.show_picture(picture)

    def _segments(self, one: ShownExample) -> list[Segment]:
        """Return the words of a sentence around its pair; without its tokens the pair stands first."""
        example, text = one.example, one.text
        pair = [(example.query_piece, 0.0), ("→", math.nan), (example.key_piece, 1.0), ("·", math.nan)]
        if text is None:
            return [*pair, *_plain(self.tr("line {0} (its file is not here)").format(f"{example.line:,}"))]
        tokens = one.tokens
        spans = []
        if tokens is not None and max(example.query, example.key) < len(tokens):
            both = {example.key: 1.0, example.query: 0.0}  # a token that looks at itself is a query
            spans = sorted((*tokens.spans[at].tolist(), role) for at, role in both.items())
        if not spans or any(first == end for first, end, _ in spans):  # a special token is not in the text
            return [*pair, *_plain(text[: 4 * _AROUND])]
        begin, stop = max(0, spans[0][0] - _AROUND), min(len(text), spans[-1][1] + _AROUND)
        parts, at = _plain("…" if begin else ""), begin
        for first, end, role in spans:
            between = text[at : max(at, first)]
            if len(between) > 3 * _AROUND:
                between = f"{between[:_AROUND]} … {between[-_AROUND:]}"
            parts += [*_plain(between), (text[max(at, first) : end].strip(), role)]
            at = max(at, end)
        return [*parts, *_plain(text[at:stop]), *_plain("…" if stop < len(text) else "")]

    @Slot(object)
    def _on_chosen(self, word: tuple[int, int]) -> None:
        text = self._texts[word[0]]
        if text:
            self.sentence_chosen.emit(text)


def _plain(text: str) -> list[Segment]:
    """Return words that are neither query nor key."""
    return [(word, math.nan) for word in text.split()]


class DistanceBars(BarsPlot):
    """The share of the weight at each distance, from the query to its key, as bars."""

    is_signed = False

    def __init__(self, look: Look) -> None:
        super().__init__(look, has_numbers=True)
        self._rows: list[tuple[str, float]] = []
        self.setFixedHeight(look.pixels(_HEIGHT))
        self.setAccessibleName(self.tr("Share of the weight by distance"))

    def show_distances(self, rows: list[tuple[str, float]]) -> None:
        """Show the share of each distance."""
        self._rows = rows
        labels = [label for label, _ in rows]
        self.bottom.setTicks([[(labels.index(tick) + 0.5, tick) for tick in _TICKS if tick in labels]])
        self.show_vector(np.array([share for _, share in rows], np.float32))
        self.setAccessibleDescription(". ".join(self.lines_of(at)[0] for at in range(len(rows))))

    def lines_of(self, part: int) -> list[str]:
        label, share = self._rows[part]
        is_before = label[0] == "−" or label.endswith("before")
        where = self.tr("{0} before") if is_before else self.tr("{0} after")
        number = label.strip("−+").removesuffix(" before").removesuffix(" after")
        number = number.replace(" to ", "–").replace(" or more", "+")
        place = self.tr("the same token") if label == "0" else where.format(number)
        return [self.tr("{0}: {1} of the weight").format(place, f"{share:.1%}")]


class HeadDistribution(DistributionsView):
    """The distribution of a measure for one head alone."""

    def __init__(self, look: Look, corpus: CorpusStudy, study: HeadStudy) -> None:
        self._of_head = study
        super().__init__(look, corpus)
        study.head_changed.connect(self.refresh)
        self.setFixedHeight(look.pixels(_HEIGHT))

    def shown_heads(self) -> tuple[Sequence[Head], int]:
        """Return the head of the page."""
        return ((self._of_head.head,) if self._study.corpus is not None else ()), 1


class NotesView(QWidget):
    """Tags, a note and pictures of a head. Typing is saved after a pause; every change can be undone.

    A click on `add` adds the picture of the active panel, a click on `export` saves all notes.
    """

    def __init__(self, look: Look, study: HeadStudy) -> None:
        super().__init__()
        self._study = study
        tags, note = self.tr("Tags, with commas between them"), self.tr("What does this head do? (Markdown)")
        of_tags, of_note = self.tr("Tags of the head"), self.tr("Note about the head")
        self.tags = named(QLineEdit(placeholderText=tags), "entry", title=of_tags)
        self.note = named(QPlainTextEdit(tabChangesFocus=True, placeholderText=note), "entry", title=of_note)
        self.pictures = named(QListWidget(), title=self.tr("Pictures of the head"))
        self.pictures.setIconSize(QSize(look.pixels(_THUMBNAIL), look.pixels(_THUMBNAIL * 2 // 3)))
        self.pictures.setMaximumHeight(look.pixels(150))
        self.add, self.remove = (
            QPushButton(self.tr("Add the panel's picture")),
            QPushButton(self.tr("Remove")),
        )
        self.undo, self.export = QPushButton(self.tr("Undo")), QPushButton(self.tr("Save all notes …"))
        buttons = WrappingRow((self.add, self.remove, self.undo, self.export))
        parts = self.tags, (self.note, 1), self.pictures, buttons
        in_column(*parts, of=self, margins=(12, 8, 12, 10), spacing=6)
        self.note.textChanged.connect(lambda: study.set_note(self.note.toPlainText()))
        self.tags.editingFinished.connect(lambda: study.set_tags(self.tags.text().split(",")))
        self.remove.clicked.connect(lambda: study.remove_evidence(self.pictures.currentRow()))
        self.undo.clicked.connect(study.undo)
        self.pictures.currentRowChanged.connect(lambda row: self.remove.setEnabled(row >= 0))
        study.notes_changed.connect(self.refresh)
        self.add.setToolTip(self.tr("The picture of the active panel, with its sentence"))
        self.remove.setToolTip(self.tr("Take the chosen picture out of the notes; “Undo” brings it back"))
        self.undo.setToolTip(self.tr("Take back the last change of the notes"))
        self.export.setToolTip(self.tr("The notes about all heads as Markdown, their pictures beside it"))
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Show what is noted about the head."""
        study = self._study
        notes, dossier = study.notes, study.dossier
        for part in (self.tags, self.note, self.add, self.export):
            part.setEnabled(dossier is not None)
        self.undo.setEnabled(study.can_undo)
        if self.note.toPlainText() != notes.note:
            with QSignalBlocker(self.note):
                self.note.setPlainText(notes.note)
        self.tags.setText(", ".join(notes.tags))
        self.pictures.clear()
        for one in notes.evidence if dossier is not None else ():
            assert dossier is not None
            item = QListWidgetItem(QIcon(str(dossier.picture(one))), f"{one.view}\n{one.text}")
            item.setToolTip(plain(f"{one.view} · {one.day}: {one.text}"))
            self.pictures.addItem(item)
        self.pictures.setVisible(bool(notes.evidence))
        self.remove.setVisible(bool(notes.evidence))
        self.remove.setEnabled(self.pictures.currentRow() >= 0)


class HeadPage(Guarded, QWidget):
    """One head: examples on the left, numbers and notes on the right.

    A click on `back` leaves the page. `corpus_requested`: a file of texts is to be chosen.
    """

    corpus_requested = Signal()

    def __init__(self, look: Look, study: HeadStudy) -> None:
        super().__init__(focusPolicy=Qt.FocusPolicy.ClickFocus)
        self.setObjectName("ground")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._look, self._study = look, study
        self.examples = ExamplesView(look, study)
        self.distances = DistanceBars(look)
        self.pieces = PictureBars(look), PictureBars(look)
        """The heaviest pieces as query and as key."""
        self.distribution = HeadDistribution(look, study.corpus, study)
        self.measures = named(QComboBox(), title=self.tr("Measure of the distribution"))
        self.notes = NotesView(look, study)
        self.state = named(QLabel(wordWrap=True), "secondary")
        self.progress = ProgressLine(look)
        self.act = QPushButton()
        self.before = named(QPushButton("‹"), "corner", self.tr("The head before (Page Up)"))
        self.after = named(QPushButton("›"), "corner", self.tr("The next head (Page Down)"))
        self.back = named(SignButton("✕"), "corner", self.tr("Leave the page of the head"))
        self.card = Card("", QWidget())
        self.numbers_card = Card(self.tr("What it looks at"), QWidget())
        self.notes_card = Card(self.tr("Notes"), self.notes)
        titles = (
            self.tr("Share of the weight by distance from query to key"),
            self.tr("Pieces with most weight: in total, and each time that they occur"),
        )
        self._titles = [named(QLabel(title, wordWrap=True), "secondary") for title in titles]
        self._lay_out()
        self.before.clicked.connect(lambda: study.step(-1))
        self.after.clicked.connect(lambda: study.step(1))
        self.act.clicked.connect(self._act)
        self.measures.activated.connect(lambda: study.corpus.show_measure(self.measures.currentData()))
        of_study = study.head_changed, study.busy_changed, study.progressed, study.corpus.changed
        for signal in (*of_study, look.changed):
            signal.connect(self.refresh)
        self.refresh()

    def _lay_out(self) -> None:
        row = in_row((self.state, 1), self.act, margins=0)
        in_column(row, self.progress, (self.examples, 1000), 1, of=self.card.body, margins=(12, 6, 6, 6))
        self.distribution.setFixedWidth(self._look.pixels(_DISTRIBUTION))
        content = named(QWidget(), "clear")
        of_distances = in_column((self._titles[0], 1), self.distances, margins=0)
        of_measure = in_column(self.measures, self.distribution, margins=0)
        above = in_row((of_distances, 1), of_measure, margins=0, spacing=10)
        for bars in self.pieces:
            bars.setFixedHeight(self._look.pixels(_PIECES))
        rows = above, self._titles[1], in_row(*((bars, 1) for bars in self.pieces), margins=0), 1
        in_column(*rows, of=content, margins=(12, 6, 12, 8), spacing=4)
        area = scrolled(content)
        for bars in self.pieces:
            bars.area = area  # which the wheel scrolls
        in_column(area, of=self.numbers_card.body, margins=0)
        for button in (self.before, self.after, self.back):
            self.card.add_corner(button)
        beside = split(Qt.Orientation.Vertical, _GAP, (self.numbers_card, 3), (self.notes_card, 2))
        both = split(Qt.Orientation.Horizontal, _GAP, (self.card, 3), (beside, 2))
        both.setSizes([720, 520])
        beside.setSizes([430, 270])
        in_row(both, of=self, margins=_GAP)

    @Slot()
    def refresh(self) -> None:
        """Show the head, and how far its examples are."""
        study, corpus, about = self._study, self._study.measured, self._study.about
        layer, head = study.head
        title = QCoreApplication.translate("PanelCard", "Layer {0} · Head {1}").format(layer, head)
        self.card.title.setText(title)
        name = None if corpus is None else corpus.summary.names.get(study.head)
        words = [] if name is None else [name_words(name, self._study.corpus.special_names)]
        words += [] if about is None else [Path(name).name for name in about.files[:1]]
        self.card.qualifier.setText(" · ".join(words))
        self.before.setEnabled(study.place > 0)
        self.after.setEnabled(study.place < study.n_heads - 1)
        has = study.examples is not None
        of_examples: tuple[QWidget, ...] = (self.distances, *self.pieces, *self._titles, self.examples)
        for part in of_examples:
            part.setVisible(has)
        self.distribution.setVisible(corpus is not None)
        self.measures.setVisible(corpus is not None)
        self.numbers_card.setVisible(has or corpus is not None)
        if study.examples is not None:
            self.distances.show_distances(study.examples.distances(study.head))
            pictures = {picture.key: picture for picture in study.examples.pictures()}
            titles = {"query": self.tr("as query"), "key": self.tr("as key")}
            for bars, role in zip(self.pieces, titles, strict=True):
                bars.show_picture(pictures[role].at({"layer": layer, "head": head}), titles[role])
        if corpus is not None:
            measures = measure_words(self._study.corpus.special_names)
            self.measures.clear()
            for key in study.corpus.measures:
                self.measures.addItem(measures[key].title, key)
            self.measures.setCurrentIndex(study.corpus.measure)
        self.progress.set_progress(study.is_collecting, study.fraction)
        self.state.setText(self._state_words())
        label = ""
        if study.about is None:
            label = self.tr("Choose a file of texts …")
        elif study.is_collecting:
            label = self.tr("Stop")
        elif study.examples is None:
            label = self.tr("Collect examples")
        self.act.setText(label)
        self.act.setVisible(bool(label))

    def _state_words(self) -> str:
        study = self._study
        if study.problem is not None:
            return error_text(study.problem)
        if study.about is None:
            return self.tr("Examples are those of a file of texts.")
        if study.is_collecting:
            done = "" if study.fraction is None else f" {study.fraction:.0%}"
            return self.tr("Collecting examples of all heads …{0} What is done stays saved.").format(done)
        if study.examples is None:
            return self.tr("For examples every sentence is encoded once more, for all heads at once.")
        facts, look = study.examples.facts, self._look
        ink = look.colour("text").name()
        marks = (
            f'<span style="background-color:{mixed(look, role, 0.32)}; color:{ink}">'
            f"&nbsp;{escape(word)}&nbsp;</span>"
            for role, word in (("query", self.tr("query")), ("key", self.tr("key")))
        )
        pairs = self.tr(
            "Of each sentence the pair of tokens with the largest weight, without special tokens."
        )
        if facts["special tokens"] == "included":
            pairs = self.tr(
                "Of each sentence the pair of tokens with the largest weight, special tokens too."
            )
        words = self.tr(
            "Tenths are those of {0} sampled sentences of {1}; the strongest are exact. Click a sentence to "
            "show it."
        ).format(f"{facts['sampled']:,}", f"{facts['sentences']:,}")
        return f"{' → '.join(marks)} {escape(f'{pairs} {words}')}"

    @Slot()
    def _act(self) -> None:
        study = self._study
        if study.about is None:
            self.corpus_requested.emit()
        elif study.is_collecting:
            study.cancel()
        else:
            study.collect()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go to the head before or after; other keys are not for the views behind the page."""
        by = {Qt.Key.Key_PageUp: -1, Qt.Key.Key_PageDown: 1}.get(Qt.Key(event.key()))
        if by is not None:
            self._study.step(by)
        event.accept()
