"""Heads over a file: a statistic of one number in cells, shares of names, and the curve of pruning."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from PySide6.QtCore import QCoreApplication, Slot
from PySide6.QtWidgets import QComboBox

from bertviz_app.analysis.results import SHARE_OF_ONE, Quantity, Scalar
from bertviz_app.analysis.studies.outcomes_of_heads import PruningCurve
from bertviz_app.analysis.studies.statistics import STATISTICS, HeadStatistics
from bertviz_app.viewmodels.analyses.analyses import Analysed
from bertviz_app.viewmodels.panel import Panel
from bertviz_app.views.analyses.grid import HeadCells
from bertviz_app.views.analyses.noted import NotedView
from bertviz_app.views.analyses.table import scalar_title
from bertviz_app.views.kit.card import Segments
from bertviz_app.views.kit.panel_view import PanelTools
from bertviz_app.views.kit.words import fixed
from bertviz_app.views.plots.curves import Curve, CurvePlot

_SHARE = "share of "


class StatisticsView(NotedView):
    """Draws a statistic of a number, or the share of the texts in which heads have a name."""

    def __init__(self, tools: PanelTools) -> None:
        self.numbers, self.statistics = QComboBox(), QComboBox()
        self.cells = HeadCells(tools.look)
        super().__init__(tools, self.cells)
        self.put_above(self.numbers, self.statistics)
        self._head = (0, 0)
        for box in (self.numbers, self.statistics):
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.numbers.setAccessibleName(self.tr("Number of each head"))
        self.statistics.setAccessibleName(self.tr("Statistic over the texts"))
        self.numbers.activated.connect(self._show)
        self.statistics.activated.connect(self._show)
        self.cells.part_chosen.connect(self._on_cell_chosen)

    @property
    def result(self) -> HeadStatistics | None:
        """The result that is shown."""
        result = None if self.analysed is None else self.analysed.result
        return result if isinstance(result, HeadStatistics) else None

    def show_panel(self, panel: Panel) -> None:
        """Mark the head of the panel."""
        self._head = (panel.layer, panel.head)
        self._show()

    def show_result(self, analysed: Analysed) -> None:
        super().show_result(analysed)
        result = self.result
        if result is None:
            return
        before = self.numbers.currentData()
        self.numbers.clear()
        for name in result.names if result.n_named else ():
            self.numbers.addItem(self.tr("Share of texts: {0}").format(name_word(name)), _SHARE + name)
        for scalar in result.scalars:
            self.numbers.addItem(scalar_title(scalar.key), scalar.key)
        self.numbers.setCurrentIndex(max(0, self.numbers.findData(before)))
        if not self.statistics.count():
            for key in STATISTICS:
                self.statistics.addItem(statistic_word(key), key)
        self._show()

    @Slot()
    def _show(self) -> None:
        result = self.result
        if result is None or self.numbers.currentData() is None:
            return
        key = str(self.numbers.currentData())
        is_share = key.startswith(_SHARE) and key.removeprefix(_SHARE) in result.names
        self.statistics.setVisible(not is_share)
        if is_share:
            assert result.shares is not None
            values, scalar = (
                result.shares[result.names.index(key.removeprefix(_SHARE))],
                Scalar(key, SHARE_OF_ONE),
            )
        else:
            statistic = str(self.statistics.currentData())
            own = next(one for one in result.scalars if one.key == key)
            is_sd = statistic == "sd"
            quantity = Quantity(own.quantity.unit, 0, own.quantity.highest) if is_sd else own.quantity
            values, scalar = np.nan_to_num(result.of(key, statistic)), Scalar(key, quantity)
        self.cells.show_values(values, scalar, result.axes[-1])
        at = (
            self._head
            if all(one < size for one, size in zip(self._head, values.shape, strict=True))
            else (0, 0)
        )
        self.cells.mark(at)
        self.note.setText(self._words(result, at))

    def _words(self, result: HeadStatistics, at: tuple[int, int]) -> str:
        """Return what is known about the marked head, and about the whole file."""
        words = [self.tr("Layer {0} · head {1}").format(at[0], result.axes[-1].labels[at[1]])]
        name, share = result.name_of(*at)
        if result.names and not result.n_named:
            words.append(self.tr("heads have no names: every text is too short"))
        if name:
            words.append(self.tr("{0} in {1} of the texts").format(name_word(name), f"{share:.0%}"))
        key = str(self.numbers.currentData())
        if key in {scalar.key for scalar in result.scalars}:
            mean, deviation, low, high = (
                fixed(float(result.of(key, one)[at])) for one in ("mean", "sd", "10 %", "90 %")
            )
            words.append(
                self.tr("mean {0}, standard deviation {1}, from {2} to {3} in 8 of 10 texts").format(
                    mean, deviation, low, high
                )
            )
        if not result.is_exact:
            words.append(self.tr("deciles are within 0.1 % of their value"))
        if "outcome" in result.facts:
            words.append(self.tr("all heads: outcome {0}").format(fixed(float(result.facts["outcome"]))))
        if "score" in result.facts:
            words.append(self.tr("score {0}").format(f"{float(result.facts['score']):.1%}"))
        return " · ".join([*words, *labels_words(result.facts)])

    @Slot(object)
    def _on_cell_chosen(self, head: tuple[int, int]) -> None:
        self._head = head
        self._show()
        self.head_requested.emit(*head)


def name_word(name: str) -> str:
    """Return the name of a pattern, or of what a head does, in the language in force."""
    translate = QCoreApplication.translate
    words = {
        "heterogeneous": translate("Statistics", "heterogeneous"),
        "vertical": translate("Statistics", "vertical"),
        "diagonal": translate("Statistics", "diagonal"),
        "vertical and diagonal": translate("Statistics", "vertical and diagonal"),
        "block": translate("Statistics", "block"),
        "previous": translate("Statistics", "previous token"),
        "next": translate("Statistics", "next token"),
        "first": translate("Statistics", "first token"),
        "separator": translate("Statistics", "separators"),
        "same": translate("Statistics", "itself"),
        "word": translate("Statistics", "same word"),
        "broad": translate("Statistics", "broad"),
    }
    return words.get(name, name)


def labels_words(facts: Mapping[str, str | int | float]) -> list[str]:
    """Return which class each label of a file was taken for, in the language in force; nothing by names."""
    words = QCoreApplication.translate("Statistics", "labels: {0}")
    return [words.format(facts["labels"])] if "labels" in facts else []


def statistic_word(key: str) -> str:
    """Return what a statistic is called in the language in force."""
    translate = QCoreApplication.translate
    words = {
        "mean": translate("Statistics", "Mean"),
        "sd": translate("Statistics", "Standard deviation"),
        "50 %": translate("Statistics", "Median"),
    }
    return words.get(key) or translate("Statistics", "Below it: {0} of the texts").format(key)


class PruningView(NotedView):
    """The curves of the score and of the loss, by how many heads are pruned, and a sentence on them."""

    def __init__(self, tools: PanelTools) -> None:
        self.score, self.loss = CurvePlot(tools.look, "%"), CurvePlot(tools.look)
        super().__init__(tools, self.score, self.loss)
        self.kinds = Segments([("score", self.tr("Score"), ""), ("loss", self.tr("Loss"), "")])
        self.put_above(self.kinds)
        self.kinds.set_compact(True)
        self.score.setAccessibleName(self.tr("Score by pruned heads"))
        self.loss.setAccessibleName(self.tr("Loss by pruned heads"))
        self.kinds.chosen.connect(self._choose)

    def show_result(self, analysed: Analysed) -> None:
        super().show_result(analysed)
        result = analysed.result
        if not isinstance(result, PruningCurve):
            return
        steps = np.array([float(label) for label in result.axes[0].labels])
        for key, plot in (("score", self.score), ("loss", self.loss)):
            if key not in result.named:
                continue
            values = result.named[key].astype(np.float64)
            level = np.full(len(steps), values[0])
            name = self.tr("Score") if key == "score" else self.tr("Loss")
            curves = [
                Curve(name, "accent", steps, values, is_marked=True),
                Curve(self.tr("With all heads"), "secondary", steps, level, is_level=True),
            ]
            plot.show_curves(curves, self.tr("Pruned heads"))
        self.kinds.setVisible("score" in result.named)
        self._choose(result.main)
        self.note.setText(" · ".join([self._words(result), *labels_words(result.facts)]))

    @Slot(str)
    def _choose(self, key: str) -> None:
        self.kinds.choose(key)
        self.score.setVisible(key == "score")
        self.loss.setVisible(key == "loss")

    def _words(self, result: PruningCurve) -> str:
        half = int(
            np.abs(np.array([float(label) for label in result.axes[0].labels]) - result.n_heads / 2).argmin()
        )
        n_texts = f"{int(result.facts['n_texts']):,}"
        words = self.tr("{0} texts, {1} heads").format(n_texts, result.n_heads)
        if "score" not in result.named:
            losses = (f"{float(result.named['loss'][at]):.3f}" for at in (0, half, -1))
            return words + self.tr(": loss {0} with all, {1} without half of them, {2} without any").format(
                *losses
            )
        scores = (f"{float(result.named['score'][at]):.1%}" for at in (0, half, -1))
        return words + self.tr(": score {0} with all, {1} without half of them, {2} without any").format(
            *scores
        )
