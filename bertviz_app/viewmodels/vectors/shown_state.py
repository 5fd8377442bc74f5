"""`ShownState`: which hidden state a Vectors panel shows: that of the panel's layer, or another one."""

from __future__ import annotations

from dataclasses import dataclass

from bertviz_app.options import Page
from bertviz_app.viewmodels.panel_choices import VectorsChoice
from bertviz_app.viewmodels.panels import Panel


@dataclass
class ShownState:
    """`state`: 0 the embeddings, l + 1 after layer l. `layer` is the panel's, -1 until it is known."""

    layer: int = -1
    state: int = 0

    def follow(self, panel: Panel) -> None:
        chosen = panel.vectors.state
        self.layer, self.state = panel.layer, panel.layer + 1 if chosen is None else chosen

    def enter(self, layer: int) -> None:
        """Follow the panel into another layer."""
        if layer != self.layer:
            self.layer, self.state = layer, layer + 1

    def choice(self, page: Page) -> VectorsChoice:
        """Return what is shown on `page`, as it is saved with the panel."""
        return VectorsChoice(page, None if self.state == self.layer + 1 else self.state)
