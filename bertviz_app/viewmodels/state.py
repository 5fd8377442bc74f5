"""`WindowState`: what a window shows, as one value, and the `Store` that changes it, undoes it and notifies.

All that is saved or undone is in the value and nowhere else. What is computed from it (traces, pictures) is
asked for and never stored here. What a result brings with it (`settled`: pins and edits of run B; panels
fitted to the model; numbers or edits that were refused) belongs to the step that is there.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any, Literal, TypedDict, Unpack, get_args

from PySide6.QtCore import QObject, QTimer, Signal, SignalInstance

from bertviz_app.analysis.attention.stamp import NUMBERS_KINDS, NumbersKind, SpecialTokens, Stamp
from bertviz_app.analysis.measures import KEYS, MeasureKey
from bertviz_app.inference.engine import TraceRequest
from bertviz_app.json_store import decode, encode
from bertviz_app.text.edits import NO_EDITS, Edits
from bertviz_app.text_tables.items import Item
from bertviz_app.trace.indexing import SHOWS_ALL, FirstShown
from bertviz_app.trace.provenance import Dtype
from bertviz_app.values import dataclass, field, fields, replace
from bertviz_app.viewmodels.panel import MOST, Panel

Sentences = Literal["all", "aa", "ab", "ba", "bb"]
"""Which queries look at which keys: of both sentences, or from the first one named to the second."""
SENTENCES: tuple[Sentences, ...] = get_args(Sentences)

Scale = Literal["shared", "linear", "log", "row"]
"""What full colour stands for, see `DrawOptions.scale`."""
SCALES: tuple[Scale, ...] = get_args(Scale)

Colours = Literal["theme", "viridis", "magma", "cividis", "diverging"]
"""The colour map of a matrix; "theme" is that of the light or dark theme."""
COLOURS: tuple[Colours, ...] = get_args(Colours)


Switch = Literal[
    "hides_special",
    "hides_punctuation",
    "renormalises",
    "joins_words",
    "joins_at_spaces",
    "writes_weights",
    "shows_sums",
    "marks_maxima",
    "every_layer",
]
"""The options that are on or off."""
ParseArcs = Literal["heads", "dependents", "hidden"]
"""Which way the arcs of a parse lead: from a word to its head, or from a head to its dependents."""
PARSE_ARCS: tuple[ParseArcs, ...] = get_args(ParseArcs)
DrawingChoice = Literal["sentences", "scale", "colours", "numbers", "parse"]
"""The options that have one of several values, see CHOICES."""
CHOICES = MappingProxyType[DrawingChoice, tuple[str, ...]](
    {
        "sentences": SENTENCES,
        "scale": SCALES,
        "colours": COLOURS,
        "numbers": NUMBERS_KINDS,
        "parse": PARSE_ARCS,
    }
)


@dataclass(frozen=True)
class DrawOptions:
    """What is left out, joined and emphasised in the drawing of a head.

    `threshold`: weights below it get no line. `sentences`: one of SENTENCES. `joins_words`: the pieces
    of a word are one place, whose weight is the mean over the query's pieces of the sum over the key's
    (Clark et al. 2019, arXiv:1906.04341, section 4.1). `joins_at_spaces`: likewise for what white space
    separates (eojeol, "can't", "3.14"), whatever words the tokenizer has. `renormalises`: what is left of a
    row after hiding is divided by its sum. `scale`: one of SCALES, what full colour stands for. "shared": the
    largest weight of the head in runs A and B, but at least UNIFORM_TIMES that of uniform attention, so that
    uniform attention is pale and both runs can be compared; "linear": the largest weight of what is drawn;
    "log": the same on a logarithmic scale; "row": each row's own largest. `colours`: one of COLOURS.
    `every_layer`: words are drawn once for each layer, with the mean of its heads.
    `numbers`: one of NUMBERS_KINDS, what every view shows of attention. `parse`: one of PARSE_ARCS, how the
    parse of a sentence that has one is drawn over lines.
    """

    threshold: float = 0.0
    sentences: Sentences = "all"
    hides_special: bool = False
    hides_punctuation: bool = False
    renormalises: bool = False
    joins_words: bool = False
    joins_at_spaces: bool = False
    writes_weights: bool = False
    scale: Scale = "shared"
    colours: Colours = "theme"
    shows_sums: bool = False
    marks_maxima: bool = False
    numbers: NumbersKind = "weight"
    parse: ParseArcs = "heads"
    every_layer: bool = False

    def __post_init__(self) -> None:
        for name, known in CHOICES.items():
            if getattr(self, name) not in known:
                raise ValueError(f"{name} must be one of {', '.join(known)}")
        if not 0 <= self.threshold <= 1:
            raise ValueError(f"threshold must be from 0 to 1, not {self.threshold}")

    @property
    def special_tokens(self) -> SpecialTokens:
        """Whether special tokens are shown, hidden, or removed: then the rest of each row adds up to 1."""
        return "shown" if not self.hides_special else "removed" if self.renormalises else "hidden"

    def with_special_tokens(self, treatment: SpecialTokens) -> DrawOptions:
        """Return these with special tokens shown, hidden, or removed, see `special_tokens`."""
        return replace(self, hides_special=treatment != "shown", renormalises=treatment == "removed")

    @property
    def stamp(self) -> Stamp:
        """Which numbers these options ask for, and of which tokens."""
        return Stamp(self.numbers, self.special_tokens)

    @property
    def makes_picture(self) -> tuple[object, ...]:
        """What a picture is made with; the other options only decide how it is shown."""
        return (
            self.sentences,
            self.hides_special,
            self.hides_punctuation,
            self.renormalises,
            self.joins_words,
            self.joins_at_spaces,
            self.scale,
        )


Shows = Literal["attention"] | MeasureKey
"""What a head's cell shows: its attention, or one of its measures."""
ATTENTION: Literal["attention"] = "attention"
PAIR: Literal["pair"] = "pair"
"""Order by the weight of the pinned pair, by layer and head while none is pinned."""
Order = MeasureKey | Literal["", "pair"]
Filter = MeasureKey | Literal[""]
SHOWS: tuple[Shows, ...] = (ATTENTION, *KEYS)


@dataclass(frozen=True)
class OverviewChoice:
    """`shows`: one of SHOWS. `is_per_head`: attention is scaled to the head's own largest weight.

    `shows_baselines`: the heads table has null baselines beside each measure.

    `shows_pair`: while a pair of tokens is pinned, its weight in every head is shown instead.

    `ordered_by`: the key of a measure or PAIR, largest first, or "": by layer and head. `filtered_by`: the
    key of a measure that must lie from `least` to `most` (None: no such end), or "": all heads.
    """

    shows: Shows = ATTENTION
    is_per_head: bool = True
    ordered_by: Order = ""
    filtered_by: Filter = ""
    least: float | None = None
    most: float | None = None
    shows_pair: bool = True
    shows_baselines: bool = False

    def __post_init__(self) -> None:
        if self.shows not in SHOWS:
            raise ValueError(f"shows must be one of {', '.join(SHOWS)}")
        for name, more in (("ordered_by", (PAIR,)), ("filtered_by", ())):
            keys = *KEYS, *more
            if getattr(self, name) not in ("", *keys):
                raise ValueError(f"{name} must be one of {', '.join(keys)}, or empty")
        if any(end is not None and not 0 <= end < 1e9 for end in (self.least, self.most)):
            raise ValueError("the ends of the filter must be numbers from 0")

    def order(self, *, has_pair: bool) -> Order:
        """Return by what heads are ordered, where a pair is pinned or not."""
        return "" if self.ordered_by == PAIR and not has_pair else self.ordered_by

    def filtered(self, key: Filter) -> OverviewChoice:
        """Return this filtered by another measure, from no least to no most; by "" not filtered."""
        return replace(self, filtered_by=key, least=None, most=None)


@dataclass(frozen=True)
class Pair:
    """A query token, a key token, either or neither, by their place in the sequence.

    The key of cross-attention is a token of the other text, which has a strip of its own. `partner`: in a
    matrix between the tokens of two runs, the token of the other run.
    """

    query: int | None = None
    key: int | None = None
    partner: int | None = None

    def __bool__(self) -> bool:
        return (self.query, self.key, self.partner) != (None, None, None)

    def within(self, n_tokens: int, n_keys: int | None = None) -> Pair:
        """Return this pair without what a sequence of `n_tokens` does not have; `n_keys`: of other keys."""
        n_keys = n_tokens if n_keys is None else n_keys
        query = self.query if self.query is not None and self.query < n_tokens else None
        key = self.key if self.key is not None and self.key < n_keys else None
        return Pair(query, key, self.partner)


NOTHING = Pair()


Texts = tuple[str, str | None]
Room = Literal["learn", "explore", "research"]
OpenPanels = tuple[tuple[Panel, ...], int]
"""Panels in their order on screen, and the index of the active one."""


@dataclass(frozen=True)
class OtherRun:
    """What is other in run B. None of `ref`, `text`, `pair`: as in A, and whatever A changes to.

    A `text` of its own without a `pair` has none. `edits` are all those of run B: what is edited in A is
    not edited in B.
    """

    ref: str | None = None
    text: str | None = None
    pair: str | None = None
    edits: Edits = NO_EDITS

    def request(self, a: TraceRequest) -> TraceRequest:
        """Return what to encode while run A is `a`."""
        return TraceRequest(self.ref or a.ref, a.device, *self.texts((a.text, a.pair)), self.edits)

    def texts(self, of_a: Texts) -> Texts:
        """Return its text and pair while those of run A are `of_a`."""
        if self.text is None and self.pair is None:
            return of_a
        return of_a[0] if self.text is None else self.text, self.pair


REFERENCE = (
    "It was raining when they left the house. Nobody had told her where the key was, so she waited. "
    "In 1969 people walked on the moon for the first time."
)
"""The text over which means are taken until the user gives another one."""


@dataclass(frozen=True)
class NamedEdits:
    """A set of interventions with a name."""

    name: str
    edits: Edits

    def is_within(self, edits: Edits) -> bool:
        """Return whether all of its interventions are among `edits`."""
        return set(self.edits.interventions) <= set(edits.interventions)


@dataclass(frozen=True)
class SavedInterventions:
    """The interventions besides those in the runs: sets, what is switched off, the text of means.

    `off` in run A, `off_in_b` in run B.
    """

    sets: tuple[NamedEdits, ...] = ()
    off: Edits = NO_EDITS
    reference: str = REFERENCE
    off_in_b: Edits = NO_EDITS


@dataclass(frozen=True)
class Arrangement:
    """`docks` is what the docks are restored from, "" while they are as at first."""

    docks: str = ""
    shows_predictions: bool = True


@dataclass(frozen=True)
class WindowState:
    """Texts, checkpoint (None: the default one) and edits of run A, what is other in run B, and the view.

    `interventions`: those that are switched off, and the sets that have a name. `dtype`: in which the layers
    multiply. `saved`: the key of numbers of a file that run A shows, 0 where it is encoded. `arrangement`: of
    the cards, None as long as the user has not changed it. `parsed`: the parse of a sentence that was opened
    from a parsed file. `left`: the panels that each other room had when it was left. `cards`: those that
    Explore shows beside its one picture. `included`: the layers and heads of what is on screen that there are
    to choose from. The zoom is no part of it. Raises ValueError for what no window can show.
    """

    text: str = ""
    pair: str | None = None
    ref: str | None = None
    edits: Edits = NO_EDITS
    other: OtherRun | None = None
    panels: tuple[Panel, ...] = ()
    active: int = 0
    pinned: Pair = NOTHING
    options: DrawOptions = field(default_factory=DrawOptions)
    overview: OverviewChoice = field(default_factory=OverviewChoice)
    arrangement: Arrangement | None = None
    dtype: Dtype = "float32"
    interventions: SavedInterventions = field(default_factory=SavedInterventions)
    parsed: Item | None = None
    saved: int = 0
    room: Room = "research"
    left: tuple[tuple[Room, OpenPanels], ...] = ()
    cards: frozenset[str] = frozenset({"inspector"})
    included: FirstShown = SHOWS_ALL

    def __post_init__(self) -> None:
        if len(self.panels) > MOST:
            raise ValueError(f"{len(self.panels)} panels are too many")
        for panel in self.panels:
            panel.validate()
        if not 0 <= self.active < max(1, len(self.panels)):
            raise ValueError(f"there is no panel {self.active}")
        pinned = self.pinned.query, self.pinned.key, self.pinned.partner
        if any(position is not None and position < 0 for position in pinned):
            raise ValueError("tokens count from 0")

    @property
    def texts(self) -> Texts:
        return self.text, self.pair

    def with_texts(self, text: str, pair: str | None) -> WindowState:
        """Return this with other texts of run A: no intervention on its tokens stays, which are others now.

        What is pinned, and the edits of run B, are fitted to the tokens when these are there.
        """
        saved = replace(self.interventions, off=self.interventions.off.without_tokens())
        if self.other is not None and self.other.text is None:  # it has the text of run A
            saved = replace(saved, off_in_b=saved.off_in_b.without_tokens())
        return replace(self, text=text, pair=pair, edits=self.edits.without_tokens(), interventions=saved)

    def without_tokens(self) -> WindowState:
        """Return this without all that names tokens of run A by their positions."""
        other = self.other
        if other is not None and other.text is None:
            other = replace(other, edits=other.edits.without_tokens())
        return replace(self, pinned=NOTHING, other=other)

    def with_edits(self, edits: Edits) -> WindowState:
        """Return this with other edits of run A, without what contradicts them in those that are off."""
        off = without_alike(self.interventions.off, edits)
        return replace(self, edits=edits, interventions=replace(self.interventions, off=off))

    def with_checkpoint(self, ref: str | None, edits: Edits) -> WindowState:
        """Return this with another checkpoint and edits of run A; what is off names heads of another one."""
        saved = replace(self.interventions, off=NO_EDITS)
        if self.other is not None and self.other.ref is None:
            saved = replace(saved, off_in_b=NO_EDITS)
        return replace(self, ref=ref, edits=edits, interventions=saved)

    def with_other(self, other: OtherRun | None) -> WindowState:
        """Return this with another run B, None for none, and with what can be switched on again in it."""
        before, off = self.other, self.interventions.off_in_b
        if before is None or other is None or other.ref != before.ref:
            off = NO_EDITS
        elif other.texts(self.texts) != before.texts(self.texts):
            off = off.without_tokens()
        off = off if other is None else without_alike(off, other.edits)
        return replace(self, other=other, interventions=replace(self.interventions, off_in_b=off))

    def without_numbers(self) -> WindowState:
        """Return this without the numbers of the panels, which name cards of one window."""
        return replace(self, panels=tuple(replace(panel, number=0) for panel in self.panels))


def without_alike(off: Edits, edits: Edits) -> Edits:
    """Return `off` without what `edits` change."""
    for one in edits.interventions:
        off = off.without_alike(one)
    return off


# All other fields are undone, and are in files.
NOT_UNDONE = ("parsed", "room", "left", "cards", "included")
NOT_IN_FILES = ("arrangement", "parsed", "saved", "room", "left", "cards", "included")
_LARGEST = 2**31 - 1
"""No layer, head or position of a model comes near it; integers of Qt's signals end there."""


def in_files(state: WindowState) -> WindowState:
    """Return `state` without what is in no file."""
    first = WindowState()
    return replace(state.without_numbers(), **{name: getattr(first, name) for name in NOT_IN_FILES})


def state_to_plain(state: WindowState) -> dict[str, Any]:
    """Return `state` as a session file has it."""
    plain: dict[str, Any] = encode(in_files(state))
    return {name: part for name, part in plain.items() if name not in NOT_IN_FILES}


def state_from_plain(value: object) -> WindowState:
    """Return the state in `value`, what a session file has. Raises ValueError for anything else.

    What names something of the window that saved it, such as numbers of another file, is not read.
    """
    if isinstance(value, dict):
        value = {name: part for name, part in value.items() if name not in NOT_IN_FILES}
    state = decode(WindowState, value, largest=_LARGEST)
    saved = state.interventions
    if not saved.reference.strip():
        saved = replace(saved, reference=REFERENCE)
    return replace(state.without_numbers(), interventions=saved)


class StateFields(TypedDict, total=False):
    """Some fields of `WindowState`."""

    text: str
    pair: str | None
    ref: str | None
    edits: Edits
    other: OtherRun | None
    panels: tuple[Panel, ...]
    active: int
    pinned: Pair
    options: DrawOptions
    overview: OverviewChoice
    arrangement: Arrangement | None
    dtype: Dtype
    interventions: SavedInterventions
    parsed: Item | None
    saved: int
    room: Room
    left: tuple[tuple[Room, OpenPanels], ...]
    cards: frozenset[str]
    included: FirstShown


FIELD_NAMES = tuple(one.name for one in fields(WindowState))
IN_FILES = tuple(name for name in FIELD_NAMES if name not in NOT_IN_FILES)
Slot = Callable[..., object] | SignalInstance
Step = Literal["new", "typing", "amend", "restore"]
"""What a change is: "new" a step of undo, "typing" one with the letters shortly before it, "amend" part of
the present step, "restore" an earlier or a saved state as a whole."""
TYPING_ENDS_MS = 700
"""A pause in the typing of this length ends one step."""
MOST_STEPS = 200


class _Watch(QObject):
    """Emits `changed` for those who watch the same fields; Qt forgets slots of objects that are gone."""

    changed = Signal()


class Store(QObject):
    """The state `now`, the steps that lead to it, and those who watch its fields.

    `before`: the state of which those who are notified know; `step`: the kind of the change. `is_restored`:
    a state was restored as a whole, and its run is not on screen yet, so that what is pinned and edited is of
    that run and not of the one on screen; `settled` is emitted when it is.
    """

    settled = Signal()

    def __init__(self, parent: QObject | None = None, *, typing_ends_ms: int = TYPING_ENDS_MS) -> None:
        super().__init__(parent)
        self.now = self.before = WindowState()
        self.step: Step = "new"
        self.is_restored = False
        self._steps, self._at = [self.now], 0
        # Pictures with other options are dropped, and rows filtered anew, before panels look for theirs.
        self._watches: dict[tuple[str, ...], _Watch] = {
            (name,): _Watch(self) for name in ("options", "overview", "included")
        }
        self._rounds: deque[tuple[WindowState, WindowState, Step]] = deque()
        self._n_amending = self._last_number = 0
        self._typing = QTimer(self, singleShot=True, interval=typing_ends_ms)
        # Several changes of one turn of the event loop are one step: a gesture may change several fields.
        self._turn = QTimer(self, singleShot=True, interval=0)

    @property
    def steps(self) -> tuple[WindowState, ...]:
        """The states that can be restored, the oldest first, `now` among them."""
        return tuple(self._steps)

    @property
    def can_redo(self) -> bool:
        """Whether a later state can be restored."""
        return self._at + 1 < len(self._steps)

    def watch(self, names: tuple[str, ...], slot: Slot) -> None:
        """Call `slot()` after each change of one of these fields, as long as its object lives.

        Slots are called in the order in which their fields, and then they, were first watched; those of
        options, overview and included heads come first. What a slot changes is notified when all have been
        called. Raises ValueError for names of no fields.
        """
        if unknown := set(names).difference(FIELD_NAMES):
            raise ValueError(f"the state has no fields {sorted(unknown)}")
        if names not in self._watches:
            self._watches[names] = _Watch(self)
        self._watches[names].changed.connect(slot)

    def change(self, step: Step = "new", **changes: Unpack[StateFields]) -> None:
        """Change some fields. Raises ValueError for what they cannot be."""
        self.assign(replace(self.now, **changes), step)

    def assign(self, state: WindowState, step: Step = "new") -> None:
        """Change to another state, with a number for each panel: as many as before keep their numbers."""
        before, panels = self.now, list(state.panels)
        cards = before.panels if len(before.panels) == len(panels) else ()
        for at, panel in enumerate(panels):
            if not panel.number:
                self._last_number += not cards
                panels[at] = replace(panel, number=cards[at].number if cards else self._last_number)
        state = replace(state, panels=tuple(panels))
        if state == before:
            return
        if step == "new" and (self._n_amending or replace(state, **self._not_undone) == before):
            step = "amend"
        self.now = state
        joins = (
            step == "amend"
            or (step == "typing" and self._typing.isActive())
            or (step != "typing" and self._turn.isActive())
        )
        if step == "typing":
            self._typing.start()
        elif step != "amend":
            self._typing.stop()
            self._turn.start()
        if joins:
            self._steps[self._at] = state
        else:
            # The window begins with nothing; there is no going back to before the first text.
            if not before.text and len(self._steps) == 1:
                self._steps = []
            self._steps[self._at + 1 :] = [state]
            del self._steps[:-MOST_STEPS]
            self._at = len(self._steps) - 1
        self._notify(before, step)

    def settle(self, state: WindowState) -> None:
        """Change to `state`, which is what an arrived result, or a refusal, has made of this one."""
        was_restored, self.is_restored = self.is_restored, False
        self.assign(state, "amend")
        if was_restored:
            self.settled.emit()

    @contextmanager
    def amending(self) -> Iterator[None]:
        """Make changes part of the present step: for what a result brings, not the user."""
        self._n_amending += 1
        try:
            yield
        finally:
            self._n_amending -= 1

    def restore(self, state: WindowState) -> None:
        """Change to a whole state, that of a session or from before a lesson, as a step of its own."""
        self.end_typing()
        self.assign(replace(state, arrangement=self.now.arrangement, **self._not_undone), "restore")

    def undo(self) -> None:
        """Restore the state before."""
        self.end_typing()
        if self._at > 0:
            self._go(self._at - 1)

    def redo(self) -> None:
        """Restore what `undo` left, unless something was changed since."""
        self.end_typing()
        if self.can_redo:
            self._go(self._at + 1)

    def end_typing(self) -> None:
        """Let the next letter begin a step, without a pause in the typing."""
        self._typing.stop()
        self._turn.stop()

    @property
    def _not_undone(self) -> dict[str, Any]:
        return {name: getattr(self.now, name) for name in NOT_UNDONE}

    def _go(self, at: int) -> None:
        before, self.now = self.now, replace(self._steps[at], **self._not_undone)
        self._at, self._steps[at] = at, self.now
        self._notify(before, "restore")

    def _notify(self, before: WindowState, step: Step) -> None:
        inputs = "text", "pair", "ref", "edits", "saved"  # they decide which run A is encoded
        is_other_run = any(getattr(before, name) != getattr(self.now, name) for name in inputs)
        self.is_restored = self.is_restored or (step == "restore" and is_other_run)
        self._rounds.append((before, self.now, step))
        if len(self._rounds) > 1:
            return
        while self._rounds:
            self.before, now, self.step = self._rounds[0]
            changed = {name for name in FIELD_NAMES if getattr(self.before, name) != getattr(now, name)}
            for names, watch in tuple(self._watches.items()):
                if changed.intersection(names):
                    watch.changed.emit()
            self._rounds.popleft()


def change_options(store: Store, **fields: Any) -> None:
    """Change some fields of `DrawOptions`. Raises ValueError for what they cannot be."""
    store.change(options=replace(store.now.options, **fields))


def change_overview(store: Store, **fields: Any) -> None:
    """Change some fields of `OverviewChoice`. Raises ValueError for what they cannot be."""
    store.change(overview=replace(store.now.overview, **fields))
