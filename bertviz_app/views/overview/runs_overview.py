"""All heads of run A, of run B, or how far the two are apart: a switch in the overview's card."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QBoxLayout, QLabel, QScrollArea

from bertviz_app.analysis.attention.stamp import WEIGHTS
from bertviz_app.options import RUNS, Run
from bertviz_app.viewmodels.inspected import PairDifference, PairInHeads
from bertviz_app.viewmodels.options import OverviewOptions
from bertviz_app.viewmodels.runs.comparison import Comparison
from bertviz_app.views.kit.card import Segments
from bertviz_app.views.kit.style import named
from bertviz_app.views.overview.card import OverviewCard
from bertviz_app.views.overview.divergence import DivergenceView
from bertviz_app.views.overview.pair_button import PairButton
from bertviz_app.views.overview.wrapping_row import WrappingRow


class RunOverview(QObject):
    """While two runs are compared the card is of one of RUNS; `switch` chooses which.

    When the first run B that differs is there it is the difference that is shown, and A when B is gone.
    """

    run_changed = Signal()
    height_changed = Signal()

    def __init__(self, comparison: Comparison, card: OverviewCard, divergence: DivergenceView) -> None:
        super().__init__(card)
        self._comparison = comparison
        self._card = card
        self.divergence = divergence
        self._was_other = False
        self.run: Run = RUNS[0]
        self.switch = Segments([(run, run.replace("-", "−"), "") for run in RUNS])
        self.switch.choose(self.run)
        self.row = _RunRow(self.switch, card.options)
        self._page = QScrollArea(widgetResizable=True)
        self._lay_out()
        self.switch.choose(self.run)
        self.switch.chosen.connect(self.show_run)
        comparison.shown_changed.connect(self._on_shown_changed)
        comparison.measured.connect(self._on_measured)
        if comparison.is_on:
            self._on_shown_changed()
            self._on_measured()

    def _lay_out(self) -> None:
        column = self._card.layout()
        assert isinstance(column, QBoxLayout)
        self._page.setFrameShape(QScrollArea.Shape.NoFrame)
        self._page.setWidget(named(self.divergence, "clear"))
        self._page.viewport().setAutoFillBackground(False)
        column.insertWidget(column.indexOf(self._card.body), self.row)
        column.addWidget(self._page, 1)
        self.row.hide()
        self._page.hide()

    def show_pair(self, pair: PairInHeads | None, difference: PairDifference | None) -> None:
        """Take the pair of tokens that is pinned in run A, and its difference if run B has it, too."""
        shown = self._comparison.shown
        self.divergence.show_pair(pair, difference, WEIGHTS if shown is None else shown.stamp)
        self._offer_pair()
        self.height_changed.emit()

    def _offer_pair(self) -> None:
        self.row.offer_pair(self.divergence.pair_of_heads if self.run == "A-B" else None)

    def show_run(self, run: Run) -> None:
        """Show the heads of one of RUNS."""
        self.run = run
        self.switch.choose(run)
        is_difference = run == "A-B"
        self._card.body.setVisible(not is_difference)
        self._page.setVisible(is_difference)
        self._card.set_choices_shown(not is_difference)
        self._offer_pair()
        self.run_changed.emit()

    def height_for(self, width: int) -> int:
        """Return the height in which all layers have room, without the header of the card."""
        is_difference = self.run == "A-B"
        height = self.divergence.heightForWidth(width) if is_difference else self._card.height_for(width)
        return height + (self.row.height_for(width) if self.row.isVisibleTo(self._card) else 0)

    @Slot()
    def _on_shown_changed(self) -> None:
        comparison = self._comparison
        self.row.setVisible(comparison.shown is not None)
        if comparison.shown is None:
            self._was_other = False
            self.divergence.show_difference(None)
            self.show_run(RUNS[0])
        elif comparison.is_other and not self._was_other:
            self._was_other = True
            self.show_run("A-B")
        else:
            self.run_changed.emit()

    @Slot()
    def _on_measured(self) -> None:
        self.divergence.show_difference(self._comparison.difference)
        self._offer_pair()
        self.height_changed.emit()


class _RunRow(WrappingRow):
    """The switch with its name before it; behind it the pair of tokens whose difference can be shown.

    `pair`, a button: shows it in every head, or how far apart the heads are.
    """

    def __init__(self, switch: Segments, options: OverviewOptions) -> None:
        self._name = named(QLabel(), "secondary")
        self.pair = PairButton()
        super().__init__((self._name, switch, self.pair))
        self._switch = switch
        self._options = options
        self.pair.hide()
        self.pair.clicked.connect(lambda is_down: options.change(shows_pair=is_down))
        options.changed.connect(self._on_options_changed)
        self.retranslate()

    def offer_pair(self, pair: PairDifference | None) -> None:
        """Offer a pair that both runs have in each head, or none."""
        self.pair.setVisible(pair is not None)
        if pair is not None:
            self.pair.show_title(pair.title)
            self.pair.setAccessibleName(self.tr("A − B of {0} in every head").format(pair.title))
            self._on_options_changed()

    @Slot()
    def _on_options_changed(self) -> None:
        self.pair.setChecked(self._options.value.shows_pair)

    def retranslate(self) -> None:
        self._name.setText(self.tr("All heads of"))
        self.pair.setToolTip(
            self.tr("Show how much more weight every head gives this pair in A than in B (Shift+P)")
        )
        self._switch.set_texts(
            {
                "A": ("A", self.tr("All heads of run A")),
                "B": ("B", self.tr("All heads of run B")),
                "A-B": ("A − B", self.tr("How far each head of run A is from the same head of run B")),
            }
        )
