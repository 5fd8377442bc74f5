"""`OtherStrip`: the tokens and ids of run B, below those of run A, where they are others."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import Slot
from PySide6.QtWidgets import QWidget

from bertviz_app.analysis.attention.stamp import sink_layers
from bertviz_app.options import Run
from bertviz_app.text import Tokens
from bertviz_app.text.edits import edited_lines
from bertviz_app.viewmodels.options import Selection
from bertviz_app.viewmodels.runs.comparison import Comparison
from bertviz_app.viewmodels.runs.workspace import Workspace
from bertviz_app.views.kit.look import Look
from bertviz_app.views.tokens.strip import TokenStrip


class OtherStrip(TokenStrip):
    """Shown while two runs are compared that read different tokens; `selection` is run B's."""

    run_name: Run = "B"

    def __init__(
        self,
        look: Look,
        selection: Selection,
        comparison: Comparison,
        workspace: Workspace,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(look, selection, parent)
        self._comparison = comparison
        self._workspace = workspace
        self.set_brief(True)
        comparison.shown_changed.connect(self.refresh)
        workspace.shown_changed.connect(self.refresh)
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Show the tokens of run B, if they are not those of run A."""
        shown, other = self._workspace.shown, self._comparison.shown
        if shown is None or other is None:
            self.hide()
            return
        tokens = other.result.trace.tokens
        is_other = not _are_alike(shown.result.trace.tokens, tokens)
        if is_other:
            self.show_tokens(tokens, sink_layers(other.overview.sinks))
            self.show_edits(edited_lines(other.result.request.edits))
        self.setVisible(is_other)


def _are_alike(one: Tokens, other: Tokens) -> bool:
    ids = ((one.ids, other.ids), (one.segment_ids, other.segment_ids), (one.position_ids, other.position_ids))
    return one.labels == other.labels and all(np.array_equal(*both) for both in ids)
