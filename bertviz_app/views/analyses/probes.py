"""Linear probes: a curve of the accuracy over the hidden states, beside its control task."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QCoreApplication, QPointF, QRectF
from PySide6.QtGui import QPainter

from bertviz_app.analysis.studies.probe import ProbeResult
from bertviz_app.viewmodels.analyses.analyses import Analysed
from bertviz_app.views.analyses.noted import NotedView
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.panel_view import PanelTools
from bertviz_app.views.plots.curves import Curve, CurvePlot
from bertviz_app.views.plots.plot import Drawing

_TICK = 4.0  # pixels of half an end of an interval


class ProbePlot(CurvePlot):
    """Curves over the hidden states, 0 being the embeddings, and the interval of the accuracy."""

    def __init__(self, look: Look) -> None:
        super().__init__(look, "%")
        self.result: ProbeResult | None = None
        self.intervals = _Intervals(self)

    def show_probes(self, result: ProbeResult) -> None:
        """Show other probes."""
        self.result = result
        translate = QCoreApplication.translate
        states = np.arange(len(result.named["accuracy"]), dtype=np.float64)
        level = np.full(len(states), float(result.facts["majority"]))
        beside = (
            translate("ProbesView", "Control task")
            if result.beside == "control"
            else translate("ProbesView", "Shuffled labels")
        )
        shown = (
            (translate("ProbesView", "Accuracy"), "accent", result.named["accuracy"], False),
            (beside, "output", result.named[result.beside], False),
            (translate("ProbesView", "Most frequent label"), "secondary", level, True),
        )
        curves = [
            Curve(name, colour, states, values.astype(np.float64), is_marked=not is_level, is_level=is_level)
            for name, colour, values, is_level in shown
        ]
        self.show_curves(curves, translate("ProbesView", "Hidden state"))
        self.intervals.update()

    def ends(self) -> tuple[float, float]:
        """Return the last state, and 1: shares are compared across files."""
        return max((float(one.steps[-1]) for one in self.curves if len(one.steps)), default=1.0), 1.0


class _Intervals(Drawing):
    """Lines from the lower to the upper end of the interval of each accuracy."""

    def __init__(self, plot: ProbePlot) -> None:
        super().__init__(plot.look, plot.box)
        self._plot = plot
        self.follow(plot.box)
        self.setZValue(5)

    def draw(self, painter: QPainter) -> None:
        result, box = self._plot.result, self._plot.box
        if result is None:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(self.look.colour("accent"))
        for state, (low, high) in enumerate(result.named["scores"][:, 1:3].tolist()):
            top, bottom = (box.mapFromView(QPointF(state, end)) for end in (high, low))
            painter.drawLine(top, bottom)
            for end in (top, bottom):
                painter.drawLine(end + QPointF(-_TICK, 0), end + QPointF(_TICK, 0))

    def rect(self) -> QRectF:
        return super().rect().adjusted(-_TICK, -_TICK, _TICK, _TICK)


class ProbesView(NotedView):
    """Curves of a `ProbeResult`, and a sentence on its best state."""

    def __init__(self, tools: PanelTools) -> None:
        self.plot = ProbePlot(tools.look)
        super().__init__(tools, self.plot)
        self.plot.setAccessibleName(self.tr("Accuracy of probes by hidden state"))

    def show_result(self, analysed: Analysed) -> None:
        super().show_result(analysed)
        result = analysed.result
        if not isinstance(result, ProbeResult):
            return
        self.plot.show_probes(result)
        facts, best = result.facts, int(result.facts["best state"])
        accuracy, low, high, f1, *_ = result.named["scores"][best].tolist()
        words = self.tr(
            "State {0}: {1} of {2} held-out labels ({3} to {4}), mean F1 {5}; the most frequent label is {6}."
        )
        share = [f"{one:.1%}" for one in (accuracy, low, high)]
        count = f"{int(facts['held out']):,}"
        found = words.format(best, share[0], count, *share[1:], f"{f1:.3f}", facts["majority label"])
        if n_again := int(facts["sentences that occur again"]):
            found += " " + self.tr("{0} sentences occur again, in the same part.").format(f"{n_again:,}")
        if result.beside == "control":
            beside = result.named["selectivity"]
            more = self.tr("Selectivity, accuracy less that of the control task: {0}.")
        else:
            beside = result.named[result.beside]
            more = self.tr(
                "Random labels of texts can only be memorised: probes trained on shuffled labels reach {0}."
            )
        self.note.setText(f"{found} {more.format(f'{float(beside[best]):.1%}')}")
