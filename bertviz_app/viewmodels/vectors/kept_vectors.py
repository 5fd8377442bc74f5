"""`KeptVectors`: the sentence vectors of the texts tried so far, to be compared with each other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from bertviz_app.analysis.vectors import text_vectors
from bertviz_app.checkpoint.questions import ModelFacts
from bertviz_app.text.edits import Edits
from bertviz_app.text.tokens import label
from bertviz_app.types import Floats
from bertviz_app.viewmodels.runs.shown import Shown
from bertviz_app.viewmodels.runs.workspace import Workspace
from bertviz_app.viewmodels.vectors.compared_vectors import ComparedVectors, compared

MOST = 50
SETTLED_MS = 1500
"""How long a text must stay unchanged to be put on the shelf: not each letter on the way to it."""


@dataclass(frozen=True, eq=False)
class TextVectors:
    """The vectors [D] of one text in the checkpoint that `facts` are of.

    `number` is that of the item alone. `vectors` are those of `analysis.vectors.KINDS` that the model has.
    """

    number: int
    facts: ModelFacts
    text: str
    pair: str | None
    edits: Edits
    vectors: Mapping[str, Floats]

    @property
    def made_from(self) -> tuple[ModelFacts, str, str | None, Edits]:
        """Checkpoint, texts and interventions; there are no two items with the same."""
        return self.facts, self.text, self.pair, self.edits

    @property
    def label(self) -> str:
        """The texts in one line, marked where the run was edited."""
        given = [self.text] if self.pair is None else [self.text, self.pair]
        texts = " ‖ ".join(" ".join(label(word) for word in text.split()) for text in given)
        marks = [f"{piece}@{position}" for position, piece in self.edits.replaced]
        marks += [f"−{layer}·{head}" for layer, head in self.edits.muted[:3]]
        edits = self.edits
        n_others = len(edits.heads) + len(edits.tokens) + len(edits.cells)
        marks += ["…"] if len(edits.muted) > 3 or n_others else []
        return f"{texts} [{' '.join(marks)}]" if marks else texts

    def vector(self, kind: str) -> Floats | None:
        return self.vectors.get(kind)


class KeptVectors(QObject):
    """Keeps the vectors of what was shown, once it is settled or at once on request; the newest MOST.

    `sentence_requested` asks for a sentence (text, pair, edits) to be brought back.
    """

    changed = Signal()
    sentence_requested = Signal(str, object, object)

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self._workspace = workspace
        self._items: list[TextVectors] = []
        self._n_kept = 0
        self._is_urgent = False
        self._compared: tuple[tuple[TextVectors, ...], str, ComparedVectors[TextVectors]] | None = None
        self._timer = QTimer(self, singleShot=True, interval=SETTLED_MS)
        self._timer.timeout.connect(self._on_settled)
        workspace.shown_changed.connect(self._on_shown_changed)
        workspace.texts_changed.connect(self._on_texts_changed)

    @property
    def items(self) -> tuple[TextVectors, ...]:
        """All that is kept, of every checkpoint, oldest first."""
        return tuple(self._items)

    def of_model(self, facts: ModelFacts | None) -> tuple[TextVectors, ...]:
        """Return the items of one checkpoint: vectors of different ones cannot be compared."""
        return tuple(item for item in self._items if item.facts == facts)

    @property
    def current(self) -> tuple[TextVectors, ...]:
        """The items of the checkpoint that is shown."""
        shown = self._workspace.shown
        return self.of_model(None if shown is None else shown.result.facts)

    def compared(self, kind: str) -> ComparedVectors[TextVectors]:
        """Return the current items beside each other, by one of KINDS; computed when they have changed."""
        items = self.current
        if self._compared is None or self._compared[:2] != (items, kind):
            self._compared = items, kind, compared(items, kind)
        return self._compared[2]

    @property
    def shown_number(self) -> int | None:
        """The number of the item that is shown now, None while it is not kept."""
        shown = self._workspace.shown
        if shown is None:
            return None
        request = shown.result.request
        made_from = shown.result.facts, request.text, request.pair, request.edits
        return next((item.number for item in self._items if item.made_from == made_from), None)

    def keep(self) -> None:
        """Keep the text at once; if it is still being encoded, as soon as it is there."""
        self._timer.stop()
        shown = self._workspace.shown
        if shown is not None and self._workspace.is_current:
            self._put(shown)
        else:
            self._is_urgent = True

    def remove(self, number: int) -> None:
        """Take one item away."""
        others = [item for item in self._items if item.number != number]
        if len(others) != len(self._items):
            self._items = others
            self.changed.emit()

    def clear(self) -> None:
        """Take away the items of the checkpoint that is shown."""
        gone = {item.number for item in self.current}
        if gone:
            self._items = [item for item in self._items if item.number not in gone]
            self.changed.emit()

    def restore(self, items: Iterable[TextVectors]) -> None:
        """Keep exactly these, as from a session."""
        self._items = list(items)[-MOST:]
        self._n_kept = max((item.number for item in self._items), default=0)
        self.changed.emit()

    def bring_back(self, number: int) -> None:
        """Ask for the sentence of an item to be shown again."""
        item = next((item for item in self._items if item.number == number), None)
        if item is not None:
            self.sentence_requested.emit(item.text, item.pair, item.edits)

    def _put(self, shown: Shown) -> None:
        if self.shown_number is not None:
            return

        result = shown.result
        trace, request = result.trace, result.request
        self._n_kept += 1
        item = TextVectors(
            number=self._n_kept,
            facts=result.facts,
            text=request.text,
            pair=request.pair,
            edits=request.edits,
            # Not a view: that would keep the whole trace.
            vectors={kind: vector.copy() for kind, vector in text_vectors(trace).items()},
        )
        self._items = [*self._items, item][-MOST:]
        self.changed.emit()

    @Slot()
    def _on_shown_changed(self) -> None:
        if self._is_urgent and self._workspace.is_current:
            self._is_urgent = False
            self.keep()
        else:
            self._timer.start()
            self.changed.emit()  # which item is shown, or of which checkpoint, may have changed

    @Slot()
    def _on_texts_changed(self) -> None:
        self._timer.stop()  # it is being typed on; what it becomes will be shown
        self._is_urgent = False

    @Slot()
    def _on_settled(self) -> None:
        shown = self._workspace.shown
        if shown is not None and self._workspace.is_current:
            self._put(shown)
