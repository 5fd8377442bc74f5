"""`OtherRunEditor`: the ways in which a user changes what is other in run B."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from bertviz_app.text import Edits
from bertviz_app.text.edits import NO_EDITS, HeadIntervention
from bertviz_app.viewmodels.runs.requests import OtherRun, as_other
from bertviz_app.viewmodels.runs.workspace import Workspace

if TYPE_CHECKING:
    from bertviz_app.viewmodels.runs.comparison import Comparison


class OtherRunEditor:
    """Each method begins a comparison if there is none."""

    def __init__(self, comparison: Comparison, workspace: Workspace) -> None:
        self._comparison = comparison
        self._workspace = workspace

    def begin(self) -> None:
        """Compare with a run B that, to begin with, is edited as A is."""
        if self._comparison.other is None:
            self._comparison.set_other(OtherRun(edits=self._workspace.edits))

    def set_texts(self, text: str, pair: str | None = None) -> None:
        """Compare with other texts; an empty one, or one of blanks alone, is that of A."""
        texts = [given if given and given.strip() else None for given in (text, pair)]
        other = self._comparison.other or OtherRun(edits=self._workspace.edits)
        if texts != [other.text, other.pair]:
            edits = other.edits.without_tokens()
            changed = replace(other, text=texts[0], pair=texts[1], edits=edits)
            self._comparison.set_other(changed, at_once=False)

    def set_ref(self, ref: str | None) -> None:
        """Compare with another checkpoint (None: the one of A), unedited: its heads are others."""
        other = self._comparison.other or OtherRun()
        if ref != other.ref:
            self._comparison.set_other(replace(other, ref=ref, edits=NO_EDITS))

    def set_edits(self, edits: Edits) -> None:
        """Compare with a run that is edited this way."""
        self._comparison.set_other(replace(self._comparison.other or OtherRun(), edits=edits))

    def compare_token(self, position: int, piece: str) -> None:
        """Compare with a run of the same text in which this token too is replaced."""
        other = self._comparison.other
        if other is None or other.ref is not None or other.text is not None:
            other = OtherRun(edits=self._workspace.edits)
        self._comparison.set_other(replace(other, edits=other.edits.with_token(position, piece)))

    def compare_head(self, layer: int, head: int) -> None:
        """Compare with a run in which this head too is muted or, where A changes it, as computed."""
        other, a = self._comparison.other, self._workspace.edits
        if other is None or other.ref is not None:
            other = OtherRun(edits=a)
        mute = HeadIntervention(layer, head)
        is_changed = a.head_at(layer, head) is not None
        edits = other.edits.without_alike(mute) if is_changed else other.edits.with_intervention(mute)
        self._comparison.set_other(replace(other, edits=edits))

    def swap(self) -> None:
        """Make run A what B is, and B what A is."""
        a, b = self._workspace.shown, self._comparison.request
        if a is None or b is None:
            return
        before = a.result.request
        self._workspace.set_texts(b.text, b.pair, at_once=True)  # first: another text ends edits of tokens
        if b.ref != before.ref:
            self._workspace.open_model(b.ref, b.edits)
        self._workspace.set_edits(b.edits)
        self._comparison.set_other(as_other(before, b, a.result.facts.name))

    def take_back_ref(self) -> None:
        """Compare with the checkpoint that is shown, after another one was not opened."""
        a, b = self._workspace.shown, self._comparison.shown
        is_as_a = a is None or b is None or b.result.request.ref == a.result.request.ref
        self.set_ref(None if is_as_a or b is None else b.result.request.ref)
