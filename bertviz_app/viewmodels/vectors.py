"""The vectors of tokens and texts as pictures, compared and kept."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from functools import cached_property
from typing import TypeVar

import numpy as np
from PySide6.QtCore import QObject, Signal, Slot

from bertviz_app.analysis.vectors import (
    Pca,
    TokenMaps,
    cls_vectors,
    cosine_matrix,
    cosines_between,
    pca,
    text_vectors,
    token_maps,
    unit_vectors,
)
from bertviz_app.checkpoint.questions import ModelFacts
from bertviz_app.errors import Check
from bertviz_app.text.edits import Edits
from bertviz_app.text.tokens import label
from bertviz_app.timers import OneShot
from bertviz_app.trace import Trace
from bertviz_app.types import Floats, Ints
from bertviz_app.values import dataclass
from bertviz_app.viewmodels.results import Ready, Request, Results
from bertviz_app.viewmodels.runs.run import Difference, Shown
from bertviz_app.viewmodels.runs.workspace import Workspace
from bertviz_app.viewmodels.viewport import HeatPicture, heat_picture, usual_size

_N_SUBJECTS = 4
_LIGHT = 30_000_000
"""As many multiplications as take a few milliseconds: no need to wait for the worker."""


@dataclass(frozen=True, eq=False)
class Subject:
    """The run whose vectors are shown, or the two runs whose difference is.

    `positions` int32 [N, number of runs]: the aligned positions in each run, -1 for a gap.
    """

    traces: tuple[Trace, ...]
    positions: Ints

    @property
    def is_difference(self) -> bool:
        """Whether this is the difference of two runs."""
        return len(self.traces) == 2

    @property
    def can_be_compared(self) -> bool:
        """Whether the vectors have the same number of dimensions."""
        return len({trace.width for trace in self.traces}) == 1

    @property
    def n_states(self) -> int:
        """The number of hidden states on the way, the embeddings' included, that every run has."""
        return min(trace.n_layers for trace in self.traces) + 1

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The label of each aligned token; two where the runs have different tokens."""
        return self._together([trace.tokens.labels for trace in self.traces])

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The vocabulary's own piece of each aligned token, for files; two where the runs differ."""
        return self._together([trace.tokens.pieces for trace in self.traces])

    def labels_of(self, run: int) -> tuple[str, ...]:
        """Return the label of each aligned token in one of the runs, a dash for a gap."""
        return self._texts_at(run, self.traces[run].tokens.labels)

    def names_of(self, run: int) -> tuple[str, ...]:
        """Return the vocabulary's own piece of each aligned token in one of the runs, a dash for a gap."""
        return self._texts_at(run, self.traces[run].tokens.pieces)

    def _together(self, texts: list[tuple[str, ...]]) -> tuple[str, ...]:
        labels = (self._texts_at(run, of_run) for run, of_run in enumerate(texts))
        return tuple(" | ".join(dict.fromkeys(there)) for there in zip(*labels, strict=True))

    def _texts_at(self, run: int, texts: tuple[str, ...]) -> tuple[str, ...]:
        if not self.is_difference:
            return texts
        return tuple(texts[token] if token >= 0 else "–" for token in self.positions[:, run].tolist())

    @cached_property
    def sentences(self) -> Ints:
        """[N], the sentence that each aligned token belongs to, as `Tokens.sentences`."""
        of_first = self.positions[:, 0]
        known = self.traces[0].tokens.sentences[np.maximum(of_first, 0)]
        other = self.traces[-1].tokens.sentences[np.maximum(self.positions[:, -1], 0)]
        sentences: Ints = np.where(of_first >= 0, known, other)
        return sentences

    @property
    def has_token_vectors(self) -> bool:
        """Whether every run has a ColBERT's vectors of tokens, all of the same width: state `n_states`."""
        found = [trace.token_vectors for trace in self.traces]
        widths = {None if vectors is None else vectors.shape[1] for vectors in found}
        return None not in widths and len(widths) == 1

    def _vectors(self, run: int, state: int) -> Floats:
        trace = self.traces[run]
        if state == self.n_states and self.has_token_vectors and trace.token_vectors is not None:
            return trace.token_vectors
        states: Floats = trace.hidden[state]
        return states

    def hidden(self, state: int) -> Floats:
        """Return [N, D], the hidden states; of two runs A's minus B's, nan at gaps."""
        if not self.is_difference:
            return self._vectors(0, state)
        difference: Floats = self._at_positions(0, state) - self._at_positions(1, state)
        return difference

    def cls(self) -> Floats:
        """Return the rows of `cls_vectors` that every run has; of two runs A's minus B's."""
        return _first_less_second(self.cls_of_runs())

    @property
    def has_sentence(self) -> bool:
        """Whether every run has a sentence vector, all of the same width."""
        widths = {None if vector is None else len(vector) for vector in _sentences(self.traces)}
        return None not in widths and len(widths) == 1

    def sentence(self) -> Floats:
        """Return [S], the sentence vector, of two runs A's minus B's; nothing without `has_sentence`."""
        if not self.has_sentence:
            return np.zeros(0, np.float32)
        return _first_less_second([vector for vector in _sentences(self.traces) if vector is not None])

    def cls_of_runs(self) -> list[Floats]:
        """Return the rows of `cls_vectors` that every run has, for each run."""
        n_states, has_pooled = self.n_states, self.has_pooled
        vectors = (cls_vectors(trace) for trace in self.traces)
        return [np.concatenate((one[:n_states], *([one[-1:]] if has_pooled else []))) for one in vectors]

    @property
    def has_pooled(self) -> bool:
        """Whether the model has a pooler."""
        return all(trace.pooled is not None for trace in self.traces)

    def cls_cosines(self) -> Floats:
        """Return for each row of `cls_picture` the cosine of the two runs' vectors; nothing for one run."""
        if not self.is_difference:
            return np.zeros(0, np.float32)
        cosines = cosines_between(*self.cls_of_runs())
        if not self.has_sentence:
            return cosines
        sentences = [vector for vector in _sentences(self.traces) if vector is not None]
        return np.append(cosines, cosines_between(*sentences))

    def points(self) -> Floats:
        """Return [states, runs * N, D]: A's vectors at all aligned positions, then B's; nan at gaps."""
        runs = [
            np.stack([self._at_positions(run, state) for state in range(self.n_states)])
            for run in range(len(self.traces))
        ]
        return np.concatenate(runs, 1)

    def similarity(self, state: int, check: Check = lambda: None) -> Floats:
        """Return [N, N] cosines: of all tokens with each other, or of A's (rows) with B's (columns)."""
        if not self.is_difference:
            return cosine_matrix(self._vectors(0, state), check)
        units = [unit_vectors(self._at_positions(run, state)) for run in (0, 1)]
        cosines: Floats = np.clip(units[0] @ units[1].T, -1, 1).astype(np.float32)
        is_gap = self.positions < 0
        cosines[is_gap[:, 0]] = np.nan
        cosines[:, is_gap[:, 1]] = np.nan
        return cosines

    def _at_positions(self, run: int, state: int) -> Floats:
        tokens = self.positions[:, run]
        states = self._vectors(run, state)[np.maximum(tokens, 0)]
        states[tokens < 0] = np.nan
        return states


def _sentences(traces: tuple[Trace, ...]) -> list[Floats | None]:
    return [trace.sentence_vector for trace in traces]


def _first_less_second(of_runs: list[Floats]) -> Floats:
    """Return the vectors of one run, or those of two as their difference."""
    return of_runs[0] if len(of_runs) == 1 else of_runs[0] - of_runs[1]


def subject_of(trace: Trace) -> Subject:
    """Return one run as a subject: its aligned positions are those of its tokens."""
    return Subject((trace,), np.arange(trace.n_tokens, dtype=np.int32)[:, None])


def cls_cosines(subject: Subject, difference: Difference | None) -> tuple[float, ...]:
    """Return the cosines of [CLS] in A and in B, where both runs are there and have the same rows."""
    compared = subject
    if not subject.is_difference:
        if difference is None or subject.traces[0] not in difference.traces:
            return ()
        compared = Subject(difference.traces, difference.alignment.positions)
    if not compared.can_be_compared:
        return ()
    cosines = compared.cls_cosines().tolist()
    return tuple(cosines) if len(cosines) == len(subject.cls()) + subject.has_sentence else ()


def card_vector(trace: Trace, kind: str) -> tuple[str, Floats]:
    """Return what the vector's card shows, by its name of `analysis.vectors.KINDS`.

    The sentence vector if it is requested, else the pooled one, or the last hidden state of [CLS]; without
    hidden states it has no dimensions.
    """
    if not trace.has_states:
        return "cls", np.zeros(0, np.float32)
    if kind == "sentence" and trace.sentence_vector is not None:
        return kind, trace.sentence_vector
    return ("cls", trace.hidden[-1, 0]) if trace.pooled is None else ("pooled", trace.pooled)


def cls_picture(subject: Subject, *, per_row: bool) -> HeatPicture:
    """Return [CLS] along the way, then the sentence vector if there is one.

    Each row in full colour at its own usual size, or all at one. The shorter rows end with nan.
    """
    rows, sentence = subject.cls(), subject.sentence()
    if len(sentence):
        width = max(rows.shape[1], len(sentence))
        rows = np.stack(
            [np.pad(row, (0, width - len(row)), constant_values=np.nan) for row in (*rows, sentence)]
        )
    limits = [usual_size(row) for row in rows] if per_row else [usual_size(rows)] * len(rows)
    return heat_picture(rows, np.array(limits, np.float32))


def strips(subject: Subject, state: int, check: Check = lambda: None) -> HeatPicture:
    """Return the hidden states [N, D] as a picture, all rows on one scale."""
    values = subject.hidden(state)
    check()
    return heat_picture(values, usual_size(values), check)


def similar(subject: Subject, state: int, check: Check = lambda: None) -> HeatPicture:
    """Return the cosines [N, N] as a picture.

    Full colour is the largest cosine between two different tokens: the diagonal of one run, which is 1
    whatever the text, would pale the others.
    """
    values = subject.similarity(state, check)
    sizes = np.abs(np.nan_to_num(values))
    if not subject.is_difference:
        np.fill_diagonal(sizes, 0)
    check()
    return heat_picture(values, float(sizes.max()) or 1.0, check)


def maps(subject: Subject, common: bool, check: Check = lambda: None) -> TokenMaps:
    """Return maps of the points of `subject`; nan at gaps, which count for nothing."""
    points = subject.points()
    there = ~np.isnan(points[0]).any(-1)
    found = token_maps(points[:, there], common=common, check=check)
    placed = np.full((*points.shape[:2], 2), np.nan, np.float32)
    placed[:, there] = found.points
    return TokenMaps(placed, found.ratios, found.is_common)


_Made = TypeVar("_Made", HeatPicture, TokenMaps)


class VectorPictures(QObject):
    """The pictures of vectors, made when they are requested: small ones at once, large ones on a worker.

    `arrived` is emitted when one from the worker is there. `kind` is the vector that the vector's card shows,
    "pooled" or "sentence"; it has the pooled one where a checkpoint has no sentence vector.
    """

    arrived = Signal()
    kind_changed = Signal()

    def __init__(self, results: Results) -> None:
        super().__init__(results)
        self.kind = "pooled"
        self._results = results
        self._slots: dict[tuple[str, tuple[Trace, ...], str, int], str] = {}
        self._subjects: list[tuple[Trace, ...]] = []
        self._n_requested = 0
        results.changed.connect(self._on_result)

    def choose_kind(self, kind: str) -> None:
        """Show another vector in the vector's card."""
        if kind != self.kind:
            self.kind = kind
            self.kind_changed.emit()

    def strips(self, subject: Subject, state: int) -> HeatPicture | None:
        """Return the hidden states if they are there; else have them made, and emit `arrived`."""
        cost = 20 * subject.positions.shape[0] * subject.traces[0].width
        return self._get(subject, ("strips", state), cost, lambda check: strips(subject, state, check))

    def similar(self, subject: Subject, state: int) -> HeatPicture | None:
        """Return the cosines if they are there; else have them made, and emit `arrived`."""
        cost = subject.positions.shape[0] ** 2 * subject.traces[0].width
        return self._get(subject, ("similar", state), cost, lambda check: similar(subject, state, check))

    def maps(self, subject: Subject, *, common: bool) -> TokenMaps | None:
        """Return the maps of all layers if they are there; else have them made, and emit `arrived`."""
        n_points = subject.positions.size
        cost = subject.n_states * n_points**2 * subject.traces[0].width
        if common:
            n_points *= subject.n_states
            cost = min(n_points, subject.traces[0].width) ** 2 * (n_points + subject.traces[0].width)
        return self._get(subject, ("maps", common), cost, lambda check: maps(subject, common, check))

    def _get(
        self, subject: Subject, name: tuple[str, int], cost: int, make: Callable[[Check], _Made]
    ) -> _Made | None:
        key = ("vectors", subject.traces, *name)
        request = Request(key, subject.traces, lambda check, _: make(check), shows_error=False)
        # The traces requested last are held: runs A, B and their difference, and the one being replaced.
        if subject.traces in self._subjects:
            self._subjects.remove(subject.traces)
        self._subjects = [*self._subjects, subject.traces][-_N_SUBJECTS:]
        for old in [old for old in self._slots if old[1] not in self._subjects]:
            self._results.release(self._slots.pop(old))
        self._results.hold("vectors", tuple(trace for traces in self._subjects for trace in traces))
        if cost <= _LIGHT and not isinstance(self._results.state(key), Ready):
            self._results.put(request, make(lambda: None))
        if key not in self._slots:
            self._n_requested += 1
            self._slots[key] = f"vectors {self._n_requested}"
        # Nothing draws again because of a failure, so each drawing may try again.
        state = self._results.get(request, self._slots[key], again=True)
        return state.value if isinstance(state, Ready) else None

    @Slot(object)
    def _on_result(self, key: Hashable) -> None:
        if key in self._slots and isinstance(self._results.state(key), Ready):
            self.arrived.emit()


@dataclass(frozen=True, eq=False)
class ComparedVectors:
    """The N items that have a vector of the kind.

    `vectors` [N, D], `cosines` [N, N], and `plane`, their principal components; None where N is 0.
    """

    items: tuple[TextVectors, ...]
    vectors: Floats
    cosines: Floats
    plane: Pca | None


def compared(texts: Iterable[TextVectors], kind: str) -> ComparedVectors:
    """Return the vectors of a kind beside each other; items that have none are left out."""
    found = [(item, vector) for item in texts if (vector := item.vector(kind)) is not None]
    vectors = np.stack([vector for _, vector in found]) if found else np.zeros((0, 1), np.float32)
    items = tuple(item for item, _ in found)
    return ComparedVectors(items, vectors, cosine_matrix(vectors), pca(vectors) if found else None)


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
        if len(self.edits.muted) > 3 or self.edits.heads or self.edits.tokens or self.edits.cells:
            marks.append("…")
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
        self._compared: tuple[tuple[TextVectors, ...], str, ComparedVectors] | None = None
        self._timer = OneShot(self, self._on_settled, SETTLED_MS)
        workspace.shown_changed.connect(self._on_shown_changed)
        workspace.store.watch(("text", "pair"), self._on_texts_changed)

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

    def compared(self, kind: str) -> ComparedVectors:
        """Return the current items beside each other, by one of KINDS; computed when they have changed."""
        items = self.current
        if self._compared is None or self._compared[:2] != (items, kind):
            self._compared = items, kind, compared(items, kind)
        return self._compared[2]

    @property
    def shown_number(self) -> int | None:
        """The number of the item that is shown now, None while it is not kept."""
        if (shown := self._workspace.shown) is None:
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
        if gone := {item.number for item in self.current}:
            self._items = [item for item in self._items if item.number not in gone]
            self.changed.emit()

    def restore(self, items: Iterable[TextVectors]) -> None:
        """Keep exactly these, as from a session."""
        self._items = list(items)[-MOST:]
        self._n_kept = max((item.number for item in self._items), default=0)
        self.changed.emit()

    def bring_back(self, number: int) -> None:
        """Ask for the sentence of an item to be shown again."""
        if (item := next((item for item in self._items if item.number == number), None)) is not None:
            self.sentence_requested.emit(item.text, item.pair, item.edits)

    def _put(self, shown: Shown) -> None:
        if self.shown_number is not None or not shown.result.trace.has_states:
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
