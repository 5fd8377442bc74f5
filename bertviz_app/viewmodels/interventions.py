"""Interventions on a run: what is changed, computed, and what comes of it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from bertviz_app.errors import AppError, Check
from bertviz_app.inference.engine import Engine, intervention_outcomes
from bertviz_app.text.edits import (
    NO_EDITS,
    CellIntervention,
    Edits,
    HeadIntervention,
    HeadKind,
    Intervention,
    StateIntervention,
    TokenIntervention,
)
from bertviz_app.values import dataclass, replace
from bertviz_app.viewmodels.results import Latest, Request, Results
from bertviz_app.viewmodels.runs.workspace import EncodedRun
from bertviz_app.viewmodels.state import REFERENCE, NamedEdits, SavedInterventions

if TYPE_CHECKING:
    from bertviz_app.analysis.probing.interventions import Outcome
    from bertviz_app.text import Tokens


@dataclass(frozen=True)
class TokenIds:
    """The segment and the position ID of a token, None where no other can be given to it.

    `is_special`: the tokenizer added it; it cannot be masked, replaced or left out.
    """

    is_special: bool = False
    segment: int | None = None
    position: int | None = None
    last_position: int = 0


def with_reference(edits: Edits, text: str) -> Edits:
    """Return `edits` with all means over another text."""
    heads = tuple(replace(one, reference=text) if one.kind == "mean" else one for one in edits.heads)
    return replace(edits, heads=heads)


class RunInterventions(QObject):
    """What is on in a run are its edits; what is off stays in the list.

    `changed`: another one is on, off, named or removed. `opened`: the user wants to see them all.
    """

    changed = Signal()
    opened = Signal()

    def __init__(self, run: EncodedRun, of_both: Interventions) -> None:
        super().__init__(of_both)
        self.run, self._of_both = run, of_both
        self._edits = run.edits
        run.changed.connect(self._on_run_changed)
        run.store.watch(("interventions",), self.changed)

    @Slot()
    def _on_run_changed(self) -> None:
        if self.run.edits != self._edits:
            self._edits = self.run.edits
            self.changed.emit()

    @property
    def edits(self) -> Edits:
        """Those that are on."""
        return self.run.edits

    @property
    def off(self) -> Edits:
        saved = self._of_both.saved
        return saved.off if self.run.name == "A" else saved.off_in_b

    def set_off(self, off: Edits) -> None:
        """List these as off."""
        saved = self._of_both.saved
        changed = replace(saved, off=off) if self.run.name == "A" else replace(saved, off_in_b=off)
        self._of_both.restore(changed)

    def set_edits(self, edits: Edits) -> None:
        """Encode the run with these, if they can be changed."""
        if self.run.is_editable:
            self.run.set_edits(edits)

    def put(self, one: Intervention) -> None:
        """Make an intervention, instead of any other on the same head, token or weight."""
        self.set_edits(self.edits.with_intervention(one))

    def remove(self, one: Intervention) -> None:
        """Take an intervention back, whether it is on or off."""
        if one in self.off.interventions:
            self.set_off(self.off.without(one))
        else:
            self.set_edits(self.edits.without(one))

    def remove_all(self) -> None:
        """Take all interventions back, those that are off too; sets stay."""
        if self.run.is_editable:
            self.set_off(NO_EDITS)
            self.set_edits(NO_EDITS)

    def switch(self, one: Intervention, is_on: bool) -> None:
        """Switch an intervention on or off; it stays in the list."""
        if is_on:
            self.put(one)
        elif self.run.is_editable:
            self.set_off(self.off.with_intervention(one))
            self.set_edits(self.edits.without(one))

    def switch_all(self, edits: Edits, is_on: bool) -> None:
        changed = self.edits.merged(edits)
        if not is_on:
            changed = Edits.of(one for one in self.edits.interventions if one not in edits.interventions)
        self.set_edits(changed)

    def set_head(self, layer: int, head: int, kind: HeadKind | None) -> None:
        """Replace the output of a head; None: leave it as the model computes it."""
        now = self.edits.head_at(layer, head)
        if kind is not None:
            reference = self._of_both.saved.reference if kind == "mean" else ""
            self.put(HeadIntervention(layer, head, kind, reference))
        elif now is not None:
            self.remove(now)

    def ids_at(self, position: int) -> TokenIds:
        """Return the IDs of the token that is read at a position, as far as another can be given to it."""
        shown = self.run.shown
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
        shown = self.run.shown
        if shown is None or max(query, key) >= shown.result.trace.n_tokens:
            return None
        return float(shown.result.trace.attention(layer, head, [query])[0, key])

    def set_weight(self, at: tuple[int, int], query: int, key: int, weight: float) -> None:
        """Set the weight with which a token attends to another, both as they are read, in a (layer, head)."""
        query, key = self.edits.position_written(query), self.edits.position_written(key)
        self.put(CellIntervention(*at, query, key, weight))

    def put_state(self, state: int, position: int, source: Tokens, source_token: int) -> None:
        """Give the token that is read at a position the state that a token of another text has."""
        token = self.edits.position_written(position)
        self.put(StateIntervention(state, token, source_token, source.text, source.pair))

    def set_token(self, position: int, intervention: TokenIntervention) -> None:
        """Make an intervention on the token that is read at a position."""
        self.put(replace(intervention, token=self.edits.position_written(position)))


class Interventions(QObject):
    """The interventions of runs A and B; `saved`: those besides the ones that are on."""

    def __init__(self, runs: Iterable[EncodedRun], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.of_run = {run.name: RunInterventions(run, self) for run in runs}
        self._store = next(iter(self.of_run.values())).run.store

    @property
    def saved(self) -> SavedInterventions:
        """Sets, what is switched off, and the text of means."""
        return self._store.now.interventions

    def restore(self, saved: SavedInterventions) -> None:
        """Have these sets, and these switched off; the usual reference text in the place of a blank one."""
        if not saved.reference.strip():
            saved = replace(saved, reference=REFERENCE)
        self._store.change(interventions=saved)

    def set_named(self, name: str) -> NamedEdits | None:
        name = " ".join(name.split())
        return next((one for one in self.saved.sets if one.name == name), None)

    def name(self, name: str, edits: Edits) -> None:
        """Give interventions a name; they replace the set that has it."""
        name = " ".join(name.split())
        if name and edits:
            others = tuple(one for one in self.saved.sets if one.name != name)
            self.restore(replace(self.saved, sets=(*others, NamedEdits(name, edits))))

    def rename_set(self, one: NamedEdits, name: str) -> None:
        """Give a set another name; one that another set has is not taken."""
        name = " ".join(name.split())
        if name and self.set_named(name) is None:
            sets = tuple(replace(each, name=name) if each == one else each for each in self.saved.sets)
            self.restore(replace(self.saved, sets=sets))

    def remove_set(self, one: NamedEdits) -> None:
        """Forget the name of a set; those of its interventions that are on stay on."""
        self.restore(replace(self.saved, sets=tuple(each for each in self.saved.sets if each != one)))

    def set_reference(self, text: str) -> None:
        """Take means over another text, in all heads that are replaced by one."""
        if not text.strip() or text == self.saved.reference:
            return
        off, off_in_b = (with_reference(one, text) for one in (self.saved.off, self.saved.off_in_b))
        self.restore(replace(self.saved, reference=text, off=off, off_in_b=off_in_b))
        for of_run in self.of_run.values():
            if of_run.edits.references:
                of_run.set_edits(with_reference(of_run.edits, text))


class RunOutcomes(QObject):
    """Nothing is computed while no view watches, while nothing is changed, and of a saved run."""

    changed = Signal()

    def __init__(
        self, engine: Engine, results: Results, run: EncodedRun, other: EncodedRun | None = None
    ) -> None:
        """`other`: the run with which the cosine is requested, too."""
        super().__init__(results)
        self._engine, self._run, self._other = engine, run, other
        self._is_watched = False
        self._latest: Latest[tuple[Outcome, ...]] = Latest(results, f"intervention outcomes of {run.name}")
        self._latest.changed.connect(self.changed)
        for each in (run,) if other is None else (run, other):
            each.shown_changed.connect(self._request)

    @property
    def found(self) -> tuple[Outcome, ...]:
        """The outcomes, none where they cannot be had."""
        return () if self.problem is not None else self._latest.value or ()

    @property
    def problem(self) -> AppError | None:
        return self._latest.problem

    def watch(self, is_watched: bool) -> None:
        """Keep the outcomes up to date from now on, or no longer."""
        if is_watched != self._is_watched:
            self._is_watched = is_watched
            self._request()

    @Slot()
    def _request(self) -> None:
        shown, beside = self._run.shown, None if self._other is None else self._other.shown
        if shown is None or self._run.saved is not None or not shown.result.trace.edits:
            self._latest.forget()
            return
        if not self._is_watched:
            return
        result, other, engine = shown.result, None if beside is None else beside.result.trace, self._engine
        traces = (result.trace,) if other is None else (result.trace, other)

        def compute(check: Check, _: object) -> tuple[Outcome, ...]:
            return intervention_outcomes(engine, result.request, result.trace, other, check)

        self._latest.ask(Request(("intervention outcomes", self._run.name, *traces), traces, compute))
