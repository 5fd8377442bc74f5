"""`Interventions`: those of run A one by one, on and off, the sets with a name, and the reference text."""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtCore import QObject, Signal, Slot

from bertviz_app.text import Tokens
from bertviz_app.text.edits import NO_EDITS, Edits
from bertviz_app.text.interventions import (
    CellIntervention,
    HeadIntervention,
    HeadKind,
    Intervention,
    TokenIntervention,
)
from bertviz_app.viewmodels.runs.workspace import Workspace

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
class KeptInterventions:
    """What a session holds besides the interventions in the runs: sets, what is switched off, the text."""

    sets: tuple[NamedEdits, ...] = ()
    off: Edits = NO_EDITS
    reference: str = REFERENCE


@dataclass(frozen=True)
class TokenIds:
    """The segment and the position ID of a token, None where no other can be given to it.

    `is_special`: the tokenizer added it; it cannot be masked, replaced or left out.
    """

    is_special: bool = False
    segment: int | None = None
    position: int | None = None
    last_position: int = 0


class Interventions(QObject):
    """The interventions of run A. Those that are on are the edits of the workspace.

    A set is on while all of its interventions are. `changed`: another one is on, off, named or removed;
    `opened`: the user wants to see them all.
    """

    changed = Signal()
    opened = Signal()

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self._workspace = workspace
        self.kept = KeptInterventions()
        workspace.edits_changed.connect(self._on_edits_changed)
        workspace.texts_changed.connect(self._on_texts_changed)

    @property
    def is_possible(self) -> bool:
        """Whether anything can be changed: a saved trace cannot be computed again."""
        return self._workspace.shown is not None and self._workspace.saved is None

    @property
    def tokens(self) -> Tokens | None:
        """The tokens of run A as they are read."""
        shown = self._workspace.shown
        return None if shown is None else shown.result.trace.tokens

    @property
    def edits(self) -> Edits:
        """Those that are on."""
        return self._workspace.edits

    def restore(self, kept: KeptInterventions) -> None:
        """Have these sets, and these switched off."""
        if kept != self.kept:
            self.kept = kept
            self.changed.emit()

    def put(self, one: Intervention) -> None:
        """Make an intervention, instead of any other on the same head, token or weight."""
        if self.is_possible:
            self._workspace.set_edits(self.edits.with_intervention(one))

    def remove(self, one: Intervention) -> None:
        """Take an intervention back, whether it is on or off."""
        if one in self.kept.off.interventions:
            self.restore(replace(self.kept, off=self.kept.off.without(one)))
        elif self.is_possible:
            self._workspace.set_edits(self.edits.without(one))

    def remove_all(self) -> None:
        """Take all interventions back, those that are off too; sets stay."""
        if self.is_possible:
            self.restore(replace(self.kept, off=NO_EDITS))
            self._workspace.set_edits(NO_EDITS)

    def switch(self, one: Intervention, is_on: bool) -> None:
        """Switch an intervention on or off; it stays in the list."""
        if not self.is_possible:
            return
        if is_on:
            self.put(one)
        else:
            self.restore(replace(self.kept, off=self.kept.off.with_intervention(one)))
            self._workspace.set_edits(self.edits.without(one))

    def name(self, name: str) -> None:
        """Give those that are on a name, instead of any set of that name."""
        name = " ".join(name.split())
        if name and self.edits:
            others = tuple(one for one in self.kept.sets if one.name != name)
            self.restore(replace(self.kept, sets=(*others, NamedEdits(name, self.edits))))

    def switch_set(self, one: NamedEdits, is_on: bool) -> None:
        """Switch all interventions of a set on or off."""
        if not self.is_possible:
            return
        edits = self.edits.merged(one.edits)
        if not is_on:
            edits = Edits.of(each for each in self.edits.interventions if each not in one.edits.interventions)
        self._workspace.set_edits(edits)

    def remove_set(self, one: NamedEdits) -> None:
        """Forget the name of a set; those of its interventions that are on stay on."""
        self.restore(replace(self.kept, sets=tuple(each for each in self.kept.sets if each != one)))

    def set_reference(self, text: str) -> None:
        """Take means over another text, in all heads that are replaced by one."""
        if not text.strip() or text == self.kept.reference:
            return
        self.restore(replace(self.kept, reference=text, off=_with_reference(self.kept.off, text)))
        if self.edits.references and self.is_possible:
            self._workspace.set_edits(_with_reference(self.edits, text))

    def set_head(self, layer: int, head: int, kind: HeadKind | None) -> None:
        """Replace the output of a head; None: leave it as the model computes it."""
        now = self.edits.head_at(layer, head)
        if kind is None:
            if now is not None:
                self.remove(now)
            return
        self.put(HeadIntervention(layer, head, kind, self.kept.reference if kind == "mean" else ""))

    def ids_at(self, position: int) -> TokenIds:
        """Return the IDs of the token that is read at a position, as far as another can be given to it."""
        shown = self._workspace.shown
        if shown is None or position >= shown.result.trace.n_tokens:
            return TokenIds()
        trace, facts = shown.result.trace, shown.result.facts
        return TokenIds(
            bool(trace.tokens.is_special[position]),
            int(trace.tokens.segment_ids[position]) if facts.n_segments > 1 else None,
            int(trace.tokens.position_ids[position]) if trace.position_embeddings is not None else None,
            facts.n_positions - 1,
        )

    def weight(self, layer: int, head: int, query: int, key: int) -> float | None:
        """Return the weight of two tokens as they are read, None where there is none."""
        shown = self._workspace.shown
        if shown is None or max(query, key) >= shown.result.trace.n_tokens:
            return None
        return float(shown.result.trace.attention(layer, head, [query])[0, key])

    def set_weight(self, at: tuple[int, int], query: int, key: int, weight: float) -> None:
        """Set the weight with which a token attends to another, both as they are read, in a (layer, head)."""
        query, key = self.edits.position_written(query), self.edits.position_written(key)
        self.put(CellIntervention(*at, query, key, weight))

    def set_token(self, position: int, intervention: TokenIntervention) -> None:
        """Make an intervention on the token that is read at a position."""
        self.put(replace(intervention, token=self.edits.position_written(position)))

    @Slot()
    def _on_edits_changed(self) -> None:
        """Take what is on now from what is off."""
        off = self.kept.off
        for one in self.edits.interventions:
            off = off.without_alike(one)
        self.kept = replace(self.kept, off=off)
        self.changed.emit()

    @Slot()
    def _on_texts_changed(self) -> None:
        self.restore(replace(self.kept, off=self.kept.off.without_tokens()))


def _with_reference(edits: Edits, text: str) -> Edits:
    """Return `edits` with all means over another text."""
    heads = tuple(replace(one, reference=text) if one.kind == "mean" else one for one in edits.heads)
    return replace(edits, heads=heads)
