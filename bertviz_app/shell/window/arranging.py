"""`CardArranging`: notes how the user arranges the cards of a window, and puts them back."""

from __future__ import annotations

from PySide6.QtCore import QObject

from bertviz_app.shell.window.docks import DockArea
from bertviz_app.viewmodels.session.snapshot import Arranged, Arrangement
from bertviz_app.views.inspector.view import PredictionsSection


class CardArranging(QObject):
    """Keeps `arrangement` and the cards of a window alike, from the arrangement on that they have now."""

    def __init__(self, arrangement: Arrangement, docks: DockArea, predictions: PredictionsSection) -> None:
        super().__init__(docks)
        self._arrangement = arrangement
        self._docks = docks
        self._predictions = predictions
        # Before the connections: the arrangement at first is no change that can be undone.
        arrangement.begin(Arranged(docks.layout_text, predictions.is_open))
        docks.arranged.connect(self._on_arranged)
        predictions.title.toggled.connect(lambda is_open: arrangement.note(shows_predictions=is_open))
        arrangement.restored.connect(self._on_restored)

    def _on_arranged(self) -> None:
        self._arrangement.note(docks=self._docks.layout_text)

    def _on_restored(self) -> None:
        value = self._arrangement.value
        self._docks.show_layout(value.docks)
        self._predictions.open(value.shows_predictions)
