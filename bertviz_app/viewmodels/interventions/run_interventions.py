"""`RunInterventions`: the interventions of one run one by one, on and off, and how they are made."""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtCore import QObject, Signal

from bertviz_app.options import Run
from bertviz_app.text import Tokens
from bertviz_app.text.edits import (
    CellIntervention,
    Edits,
    HeadIntervention,
    HeadKind,
    Intervention,
    TokenIntervention,
)
from bertviz_app.viewmodels.runs.shown import Shown
from bertviz_app.viewmodels.runs.workspace import Workspace


@dataclass(frozen=True)
class TokenIds:
    """The segment and the position ID of a token, None where no other can be given to it.

    `is_special`: the tokenizer added it; it cannot be masked, replaced or left out.
    """

    is_special: bool = False
    segment: int | None = None
    position: int | None = None
    last_position: int = 0


class RunInterventions(QObject):
    """What is on in a run are its edits; what is off stays in the list.

    `changed`: another one is on, off, named or removed. `shown_changed`: another text, or none, is shown.
    `opened`: the user wants to see them all.
    """

    changed = Signal()
    shown_changed = Signal()
    opened = Signal()

    def __init__(self, workspace: Workspace, run: Run) -> None:
        super().__init__(workspace)
        self._workspace = workspace
        self.run = run

    @property
    def shown(self) -> Shown | None:
        raise NotImplementedError

    @property
    def edits(self) -> Edits:
        """Those that are on."""
        raise NotImplementedError

    @property
    def off(self) -> Edits:
        """Those that are off."""
        raise NotImplementedError

    @property
    def reference(self) -> str:
        """The text over which means are taken."""
        raise NotImplementedError

    def set_edits(self, edits: Edits) -> None:
        """Encode the run with these."""
        raise NotImplementedError

    def set_off(self, off: Edits) -> None:
        """List these as off."""
        raise NotImplementedError

    @property
    def is_possible(self) -> bool:
        """Whether anything can be changed: a saved trace cannot be computed again."""
        return self.shown is not None and self._workspace.saved is None

    @property
    def tokens(self) -> Tokens | None:
        """The tokens of the run as they are read."""
        return None if self.shown is None else self.shown.result.trace.tokens

    def put(self, one: Intervention) -> None:
        """Make an intervention, instead of any other on the same head, token or weight."""
        if self.is_possible:
            self.set_edits(self.edits.with_intervention(one))

    def remove(self, one: Intervention) -> None:
        """Take an intervention back, whether it is on or off."""
        if one in self.off.interventions:
            self.set_off(self.off.without(one))
        elif self.is_possible:
            self.set_edits(self.edits.without(one))

    def remove_all(self) -> None:
        """Take all interventions back, those that are off too; sets stay."""
        if self.is_possible:
            self.set_off(Edits())
            self.set_edits(Edits())

    def switch(self, one: Intervention, is_on: bool) -> None:
        """Switch an intervention on or off; it stays in the list."""
        if not self.is_possible:
            return
        if is_on:
            self.put(one)
        else:
            self.set_off(self.off.with_intervention(one))
            self.set_edits(self.edits.without(one))

    def switch_all(self, edits: Edits, is_on: bool) -> None:
        if not self.is_possible:
            return
        changed = self.edits.merged(edits)
        if not is_on:
            changed = Edits.of(one for one in self.edits.interventions if one not in edits.interventions)
        self.set_edits(changed)

    def off_except(self, edits: Edits) -> Edits:
        """Return what is off without what `edits` change."""
        off = self.off
        for one in edits.interventions:
            off = off.without_alike(one)
        return off

    def set_head(self, layer: int, head: int, kind: HeadKind | None) -> None:
        """Replace the output of a head; None: leave it as the model computes it."""
        now = self.edits.head_at(layer, head)
        if kind is None:
            if now is not None:
                self.remove(now)
            return
        self.put(HeadIntervention(layer, head, kind, self.reference if kind == "mean" else ""))

    def ids_at(self, position: int) -> TokenIds:
        """Return the IDs of the token that is read at a position, as far as another can be given to it."""
        shown = self.shown
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
        shown = self.shown
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


def with_reference(edits: Edits, text: str) -> Edits:
    """Return `edits` with all means over another text."""
    heads = tuple(replace(one, reference=text) if one.kind == "mean" else one for one in edits.heads)
    return replace(edits, heads=heads)
