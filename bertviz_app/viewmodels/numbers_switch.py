"""`NumbersSwitch`: has both runs prepared anew when other numbers of attention are chosen."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal, Slot

from bertviz_app.viewmodels.options import Options
from bertviz_app.viewmodels.runs.comparison import Comparison
from bertviz_app.viewmodels.runs.workspace import Workspace


class NumbersSwitch(QObject):
    """Compares what is shown with what the options ask for; what is shown stays until the other is there.

    Run A comes first, then run B. Where a model does not have such numbers, `refused(error)` is emitted, and
    the options ask for weights again.
    """

    refused = Signal(object)

    def __init__(self, options: Options, workspace: Workspace, comparison: Comparison) -> None:
        super().__init__(workspace)
        self._options = options
        self._workspace = workspace
        self._comparison = comparison
        self._requested = options.value.stamp
        options.changed.connect(self._on_options_changed)
        workspace.shown_changed.connect(self._update)
        comparison.shown_changed.connect(self._update)

    @Slot()
    def _on_options_changed(self) -> None:
        if self._options.value.stamp != self._requested:
            self._requested = self._options.value.stamp
            self._update()

    @Slot()
    def _update(self) -> None:
        of_a, of_b = self._workspace.shown, self._comparison.shown
        for shown in (of_a, of_b):
            if shown is None or shown.refusal is None:
                continue
            if shown.requested == self._requested.numbers:  # another kind may be possible
                self.refused.emit(shown.refusal)
                self._options.change(numbers="weight")
                return
        if of_a is not None and not self._workspace.prepare_as(self._requested):
            return
        self._comparison.prepare_as(self._requested)
