"""What studies say of layers: how alike two of them are, and how well a lens reads each of them."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QCoreApplication

from bertviz_app.analysis.probing.lenses import TrainedLens
from bertviz_app.analysis.results import Quantity, Scalar
from bertviz_app.analysis.studies.layer_similarity import LayerSimilarity
from bertviz_app.viewmodels.analyses.analyses import Analysed
from bertviz_app.views.analyses.grid import HeadCells
from bertviz_app.views.analyses.noted import NotedView
from bertviz_app.views.kit.panel_view import PanelTools
from bertviz_app.views.kit.subject import AxisTitles
from bertviz_app.views.kit.words import fixed
from bertviz_app.views.plots.curves import Curve, CurvePlot


class StateCells(HeadCells):
    """A cell for each two hidden states."""

    def lines_of(self, part: tuple[int, int]) -> list[str]:
        layer, column = part
        assert self._rows is not None
        words = self.tr("State {0} and state {1}")
        pair = words.format(self._rows.labels[layer], self._columns.labels[column])
        return [pair, f"CKA {fixed(float(self._values[layer, column]), 4)}"]


class LayerSimilarityView(NotedView):
    """Draws a `LayerSimilarity`: the states of one checkpoint down, those of it or of another one across."""

    def __init__(self, tools: PanelTools) -> None:
        self.cells = StateCells(tools.look)
        super().__init__(tools, self.cells)

    @property
    def axis_titles(self) -> AxisTitles:
        """Hidden states, 0 being the embeddings."""
        words = QCoreApplication.translate("AxisTitles", "hidden state")
        return AxisTitles(left=words, above=words)

    def show_result(self, analysed: Analysed) -> None:
        super().show_result(analysed)
        result = analysed.result
        if not isinstance(result, LayerSimilarity):
            return
        rows, columns = result.axes
        values = result.named["values"]
        quantity = Quantity("", 0.0 if np.nanmin(values) >= 0 else -1.0, 1.0)
        self.cells.omits_hints = True  # no head of the panel is marked
        self.cells.show_values(values, Scalar("CKA", quantity), columns, rows=rows, top=1.0)
        self.cells.setAccessibleName(self.tr("CKA of each two hidden states"))
        self.note.setText(self._words(result))

    def _words(self, result: LayerSimilarity) -> str:
        vectors, without, constant = (
            int(result.facts[name]) for name in ("vectors", "without partner", "constant")
        )
        found = [self.tr("Over {0} vectors.").format(f"{vectors:,}")]
        if result.facts["checkpoints"] == 2:
            found.append(self.tr("Rows are states of this checkpoint, columns those of the other one."))
        if without:
            found.append(
                self.tr("{0} tokens that the other checkpoint cuts differently are left out.").format(
                    f"{without:,}"
                )
            )
        if constant:
            found.append(
                self.tr("{0} states have the same vector in every text, and no CKA.").format(constant)
            )
        return " ".join(found)


class LensPlot(CurvePlot):
    """Curves over the hidden states, from the embeddings to the last one."""

    def ends(self) -> tuple[float, float]:
        """Return the last state, and the largest value."""
        _, top = super().ends()
        return max((float(one.steps[-1]) for one in self.curves), default=1.0), top


class LensCurvesView(NotedView):
    """Draws how far a `TrainedLens` is from the model in each state."""

    def __init__(self, tools: PanelTools) -> None:
        self.plot = LensPlot(tools.look)
        super().__init__(tools, self.plot)
        self.plot.setAccessibleName(self.tr("A lens by hidden state"))

    def show_result(self, analysed: Analysed) -> None:
        super().show_result(analysed)
        result = analysed.result
        if not isinstance(result, TrainedLens):
            return
        words = {
            "tuned lens": self.tr("Tuned lens (bits)"),
            "logit lens": self.tr("Logit lens (bits)"),
        }
        colours = ("accent", "output")
        curves = [
            Curve(
                words[name],
                colour,
                np.arange(len(values), dtype=np.float64),
                values.astype(np.float64),
                is_marked=True,
            )
            for colour, (name, values) in zip(colours, result.named.items(), strict=True)
        ]
        self.plot.show_curves(curves, QCoreApplication.translate("ProbesView", "Hidden state"))
        self.note.setText(self._words(result))

    def _words(self, result: TrainedLens) -> str:
        facts = result.facts
        kept = self.tr("The lens is kept for this checkpoint: choose it among the analyses of a panel.")
        found = self.tr("Trained on {0} tokens; the divergence from the model is that on {1} others.")
        return f"{found.format(facts['trained on'], facts['judged on'])} {kept}"
