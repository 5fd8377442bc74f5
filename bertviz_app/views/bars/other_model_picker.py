"""`OtherModelPicker`: the button that chooses the checkpoint of run B from a menu."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import Signal, Slot

from bertviz_app.viewmodels.runs.comparison import Comparison
from bertviz_app.viewmodels.runs.shown import OtherRun
from bertviz_app.viewmodels.runs.workspace import Workspace
from bertviz_app.views.bars.picker_button import PickerButton
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.words import plain, without_mnemonic


class OtherModelPicker(PickerButton):
    """Lists the checkpoint of run A, those of this computer, and others that were used lately.

    `recent_models()` returns the checkpoints that were used lately.
    """

    folder_requested = Signal()
    file_requested = Signal()
    hub_requested = Signal()

    def __init__(
        self,
        look: Look,
        comparison: Comparison,
        workspace: Workspace,
        recent_models: Callable[[], Sequence[str]],
    ) -> None:
        super().__init__(look, 300)
        self._comparison = comparison
        self._workspace = workspace
        self._recent_models = recent_models
        self.menu().aboutToShow.connect(self._fill)

    @Slot()
    def _fill(self) -> None:
        menu, comparison = self.menu(), self._comparison
        menu.clear()
        menu.setToolTipsVisible(True)
        other = comparison.other or OtherRun()
        for ref, name, is_usable in self._models(other.ref):
            action = menu.addAction(without_mnemonic(name))
            action.setToolTip(plain(ref or ""))
            action.setCheckable(True)
            action.setChecked(ref == other.ref)
            action.setEnabled(is_usable)
            action.triggered.connect(lambda _=False, ref=ref: comparison.editor.set_ref(ref))
        menu.addSeparator()
        menu.addAction(self.tr("Open a folder …")).triggered.connect(self.folder_requested)
        menu.addAction(self.tr("Open a file of weights …")).triggered.connect(self.file_requested)
        menu.addAction(self.tr("From the hub …")).triggered.connect(self.hub_requested)

    def _models(self, chosen: str | None) -> list[tuple[str | None, str, bool]]:
        """Return what run B can be encoded with: (ref, what it is called, whether it can be used)."""
        sources = self._workspace.available.sources
        listed = [(source.ref, source.name, source.problem is None) for source in sources]
        known = {ref for ref, _, _ in listed}
        more = dict.fromkeys(([] if chosen is None else [chosen]) + list(self._recent_models()))
        return [
            (None, self.tr("same checkpoint as run A"), True),
            *listed,
            *((ref, model_name(ref), True) for ref in more if ref not in known),
        ]


def model_name(ref: str) -> str:
    """Return what a checkpoint is called before it is open: a folder by its own name."""
    return Path(ref).name if Path(ref).is_absolute() else ref
