"""`PanelWalk`: the walk through the encoder in a Steps panel, which follows the panel's layer."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject, Signal, Slot

from bertviz_app.trace import Trace
from bertviz_app.viewmodels.panel_choices import Part, StepsChoice, StepsForm
from bertviz_app.viewmodels.panels import Panel
from bertviz_app.viewmodels.steps.playing import Playing
from bertviz_app.viewmodels.steps.stage import EncoderPart as StagePart
from bertviz_app.viewmodels.steps.stages import STAGES
from bertviz_app.viewmodels.steps.stops import BELOW, Stop, Walk
from bertviz_app.viewmodels.steps.what_if import WhatIf

_OF_TABLE = "mixed"  # the stage that the table ends with


class PanelWalk(Walk):
    """`chosen` has where the user walked to, `head_requested` the layer and head that the panel then shows.

    `form_changed` is emitted when the stop is to be shown as a picture instead of a table, or the other way,
    `why_changed` when the reason for the stage is to be shown, or no longer, `products_changed` when the
    products of query and key are, in all dimensions.
    """

    chosen = Signal(object)
    head_requested = Signal(int, int)
    form_changed = Signal()
    why_changed = Signal()
    products_changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.form: StepsForm = "walk"
        self.shows_why = self.shows_products = False
        self.playing = Playing(self)
        self.what_if = WhatIf(self)
        self._layer, self._head = -1, 0  # of the panel, as far as is known here
        self._choice = StepsChoice()
        self._is_following = False
        self.moved.connect(self._on_moved)
        self.what_if.tried.connect(self._choose)

    @property
    def shown_stop(self) -> Stop:
        """The stop that title and formula are about: over the table always one of what the table has."""
        stop = self.stop
        is_of_table = self.form == "walk" or STAGES[stop.stage].part is StagePart.MIXING
        return stop if is_of_table else Stop(self.nearest_layer, _OF_TABLE)

    def show_form(self, form: StepsForm) -> None:
        """Show the stop as a picture ("walk") or as a "table"."""
        self._set_form(form)
        self._choose()

    def turn(self) -> None:
        """Show the table instead of the picture, or the picture again."""
        self.show_form("walk" if self.form == "table" else "table")

    @Slot()
    def turn_why(self) -> None:
        """Show why there is the stage, at every stop; or no longer."""
        self._set_why(not self.shows_why)
        self._choose()

    @Slot()
    def turn_products(self) -> None:
        """Show the products of query and key at the stop of the scores, which it goes to; or no longer."""
        scores = Stop(self.nearest_layer, "scores")
        if self.stop == scores or not self.shows_products:
            self._set_products(not self.shows_products)
        self.go(scores)
        self._choose()

    def follow(self, panel: Panel) -> None:
        """Go to the stop of the panel, as far as the encoder is known: it comes with the first picture."""
        self._layer, self._head, self._choice = panel.layer, panel.head, panel.steps
        self._set_form(panel.steps.form)
        self._set_why(panel.steps.shows_why)
        self._set_products(panel.steps.shows_products)
        before = self.stop
        self._go_to_choice()
        if self.stop != before:
            self._is_following = True  # the panel is there already
            self.what_if.forget()
            self.moved.emit()
            self._is_following = False
        self.what_if.set_divisor(panel.steps.divisor)

    def follow_head(self, trace: Trace, layer: int, head: int) -> None:
        """Walk through the encoder of `trace`, in this layer if the panel was in another one.

        Does not emit `moved`: with another head everything is drawn anew.
        """
        if layer != self._layer:
            self._choice = self._with_unfolded(StepsChoice("layer", self.stage, self.form))
            self.what_if.forget()
        self._layer, self._head = layer, head
        self.blockSignals(True)
        self.fit(trace)
        self.blockSignals(False)
        self._go_to_choice()

    def _go_to_choice(self) -> None:
        self.blockSignals(True)
        self.go_near(stop_of(self._choice, self._layer, self.n_layers))
        self.blockSignals(False)

    def _set_form(self, form: StepsForm) -> None:
        if form != self.form:
            self.form = form
            self.form_changed.emit()

    def _set_why(self, is_shown: bool) -> None:
        if is_shown != self.shows_why:
            self.shows_why = is_shown
            self.why_changed.emit()

    def _set_products(self, are_shown: bool) -> None:
        if are_shown != self.shows_products:
            self.shows_products = are_shown
            self.products_changed.emit()

    def _with_unfolded(self, choice: StepsChoice) -> StepsChoice:
        return replace(choice, shows_why=self.shows_why, shows_products=self.shows_products)

    @Slot()
    def _choose(self) -> None:
        choice = self._with_unfolded(choice_of(self.stop, self.n_layers, self.form))
        self._choice = replace(choice, divisor=self.what_if.divisor)
        self.chosen.emit(self._choice)

    @Slot()
    def _on_moved(self) -> None:
        if self._is_following:
            return
        self.what_if.forget()
        layer = self.layer
        if layer is not None and layer != self._layer:
            self._layer = layer
            self.head_requested.emit(layer, self._head)
        self._choose()


def stop_of(choice: StepsChoice, layer: int, n_layers: int) -> Stop:
    """Return the stop of a choice, in a panel of `layer`."""
    return Stop({"embeddings": BELOW, "layer": layer, "top": n_layers}[choice.part], choice.stage)


def choice_of(stop: Stop, n_layers: int, form: StepsForm) -> StepsChoice:
    """Return the choice that shows `stop` of an encoder with `n_layers` layers."""
    part: Part = "layer" if 0 <= stop.section < n_layers else "top" if stop.section > 0 else "embeddings"
    return StepsChoice(part, stop.stage, form)
