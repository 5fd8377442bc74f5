"""`Interventions`: those of run A one by one, the sets with a name and the reference text of both runs."""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtCore import Slot

from bertviz_app.text.edits import NO_EDITS, Edits
from bertviz_app.viewmodels.interventions.run_interventions import RunInterventions, with_reference
from bertviz_app.viewmodels.runs.comparison import Comparison
from bertviz_app.viewmodels.runs.shown import Shown
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
class SavedInterventions:
    """What a session holds besides the interventions in the runs: sets, what is switched off, the text.

    `off` in run A, `off_in_b` in run B.
    """

    sets: tuple[NamedEdits, ...] = ()
    off: Edits = NO_EDITS
    reference: str = REFERENCE
    off_in_b: Edits = NO_EDITS


class Interventions(RunInterventions):
    """The interventions of run A. Those that are on are the edits of the workspace.

    `saved` is what a session holds of both runs.
    """

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace, "A")
        self.saved = SavedInterventions()
        self._fingerprint = ""
        workspace.facts_changed.connect(self._on_facts_changed)
        workspace.edits_changed.connect(self._on_edits_changed)
        workspace.texts_changed.connect(self._on_texts_changed)
        workspace.shown_changed.connect(self.shown_changed)

    @property
    def shown(self) -> Shown | None:
        return self._workspace.shown

    @property
    def edits(self) -> Edits:
        return self._workspace.edits

    @property
    def off(self) -> Edits:
        return self.saved.off

    @property
    def reference(self) -> str:
        """The text over which means are taken, in both runs."""
        return self.saved.reference

    def set_edits(self, edits: Edits) -> None:
        self._workspace.set_edits(edits)

    def set_off(self, off: Edits) -> None:
        self.restore(replace(self.saved, off=off))

    def restore(self, saved: SavedInterventions) -> None:
        """Have these sets, and these switched off; the usual reference text where a session has none."""
        if not saved.reference.strip():
            saved = replace(saved, reference=REFERENCE)
        if saved != self.saved:
            self.saved = saved
            self.changed.emit()

    def set_named(self, name: str) -> NamedEdits | None:
        """Return the set of that name, if there is one."""
        name = " ".join(name.split())
        return next((one for one in self.saved.sets if one.name == name), None)

    def name(self, name: str, edits: Edits | None = None) -> None:
        """Give interventions, those that are on in run A unless others are given, a name.

        They replace the set that has that name.
        """
        name, edits = " ".join(name.split()), self.edits if edits is None else edits
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
        if self.edits.references and self.is_possible:
            self._workspace.set_edits(with_reference(self.edits, text))

    @Slot()
    def _on_edits_changed(self) -> None:
        """Take what is on now from what is off."""
        self.saved = replace(self.saved, off=self.off_except(self.edits))
        self.changed.emit()

    @Slot()
    def _on_texts_changed(self) -> None:
        self.set_off(self.off.without_tokens())

    @Slot()
    def _on_facts_changed(self) -> None:
        """Give up what is off: another checkpoint has other heads."""
        facts = self._workspace.facts
        before, self._fingerprint = self._fingerprint, "" if facts is None else facts.fingerprint
        if before and before != self._fingerprint:
            self.set_off(NO_EDITS)


class OtherInterventions(RunInterventions):
    """The interventions of run B; what is switched off, sets and the reference text are with those of A."""

    def __init__(self, of_a: Interventions, workspace: Workspace, comparison: Comparison) -> None:
        super().__init__(workspace, "B")
        self._of_a, self._comparison = of_a, comparison
        self._last, self._last_reference = self._followed(), of_a.saved.reference
        of_a.changed.connect(self._on_saved_changed)
        comparison.changed.connect(self._on_comparison_changed)
        workspace.texts_changed.connect(self._on_texts_changed)
        comparison.shown_changed.connect(self.shown_changed)

    @property
    def shown(self) -> Shown | None:
        return self._comparison.shown

    @property
    def edits(self) -> Edits:
        return NO_EDITS if self._comparison.other is None else self._comparison.other.edits

    @property
    def off(self) -> Edits:
        return self._of_a.saved.off_in_b

    @property
    def reference(self) -> str:
        """The text over which means are taken, in both runs."""
        return self._of_a.saved.reference

    def set_edits(self, edits: Edits) -> None:
        if self._comparison.other is not None:
            self._comparison.editor.set_edits(edits)

    def set_off(self, off: Edits) -> None:
        self._of_a.restore(replace(self._of_a.saved, off_in_b=off))

    def _followed(self) -> tuple[object, ...]:
        """Return what of run B decides which interventions there can be."""
        other = self._comparison.other
        return () if other is None else (other.ref, other.text, other.pair, other.edits)

    @Slot()
    def _on_saved_changed(self) -> None:
        """Take means over a new reference text in run B, too."""
        before, self._last_reference = self._last_reference, self.reference
        if before != self.reference and self.edits.references and self.is_possible:
            self.set_edits(with_reference(self.edits, self.reference))
        self.changed.emit()

    @Slot()
    def _on_texts_changed(self) -> None:
        other = self._comparison.other
        if other is not None and other.text is None:  # it has the text of run A
            self.set_off(self.off.without_tokens())

    @Slot()
    def _on_comparison_changed(self) -> None:
        """Take what is on now from what is off; another text or checkpoint has other tokens and heads."""
        last, now = self._last, self._followed()
        if now == last:
            return
        self._last = now
        off = self.off_except(self.edits)
        if now[1:3] != last[1:3]:
            off = off.without_tokens()
        if not now or (last and now[0] != last[0]):
            off = NO_EDITS
        self.set_off(off)
        self.changed.emit()
