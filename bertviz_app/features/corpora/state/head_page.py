"""`HeadStudy`: one head over a corpus, its examples with their sentences, and the notes about it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path

from PySide6.QtCore import Signal, Slot

from bertviz_app.analysis.measures import Head
from bertviz_app.errors import AppError
from bertviz_app.features.corpora.dossier import Dossier, DossierFile, Evidence, HeadNotes
from bertviz_app.features.corpora.process.measuring import TextReading
from bertviz_app.features.corpora.process.reading import About, collect_examples, saved_examples, texts_of
from bertviz_app.features.corpora.state.corpus import CorpusStudy, OpenCorpus, Work
from bertviz_app.features.corpora.studies.examples import HeadExample, HeadExamples, read_examples
from bertviz_app.inference.engine import Engine
from bertviz_app.text import Tokens
from bertviz_app.timers import OneShot
from bertviz_app.trace import Trace
from bertviz_app.types import Check
from bertviz_app.values import dataclass, replace
from bertviz_app.viewmodels.results import FractionDone, Tasks

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
            lines = {one.line for _, found in chosen for one in found}
            texts = texts_of(about, lines, check)
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
