"""`Page`: what the pages of the Vectors panel have in common."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtWidgets import QVBoxLayout, QWidget

from bertviz_app.viewmodels.vectors import Subject
from bertviz_app.views.kit.panel_view import PanelTools

Numbers = dict[str, NDArray[np.generic] | tuple[str, ...]]
"""What a page shows, by name: arrays, and the names of their rows."""


class Page(QWidget):
    """Shows some vectors of a subject, at a hidden state (0: the embeddings) where that matters."""

    has_layers = True
    switch: QWidget | None = None
    """What belongs beside the choice of pages while this one is shown."""

    def __init__(self, tools: PanelTools, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.tools = tools
        self.look = tools.look
        self.selection = tools.selection
        self.subject: Subject | None = None
        self.state = 0
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(0, 0, 0, 0)
        self.column.setSpacing(0)

    def show_subject(self, subject: Subject, state: int) -> None:
        """Show the vectors of a run at a hidden state, as far as they are there; else those before."""
        self.subject, self.state = subject, state
        self.refresh()

    def refresh(self) -> None:
        """Draw what there is now: what was not there may have arrived."""
        raise NotImplementedError

    def set_stale(self, is_stale: bool) -> None:
        """Dim the drawing while it does not show what was requested."""
        raise NotImplementedError

    def write(self) -> None:
        raise NotImplementedError

    def numbers(self) -> Numbers:
        """Return exactly what is shown, for a file; nothing while there is nothing."""
        raise NotImplementedError

    @property
    def state_name(self) -> str:
        """What the hidden state is called."""
        return self.tr("embeddings") if not self.state else self.tr("after layer {0}").format(self.state - 1)


def is_faint(subject: Subject) -> tuple[bool, ...]:
    """Return which places hold special tokens, whose labels are secondary."""
    return tuple((subject.sentences < 0).tolist())
