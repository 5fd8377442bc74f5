"""`Staleness`: dims the views of a run while they show an older result than the one requested."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from PySide6.QtCore import QObject, QTimer, Slot

from bertviz_app.viewmodels.runs.comparison import Comparison
from bertviz_app.views.panels.area import PanelArea

AFTER_MS = 400
"""After this time the views are dimmed. Painting all of them takes the processors 10 to 20 ms from the text
that is encoded; with 0.2 s it came just before one of 128 tokens in BERT-base was there.
"""


class CanBeStale(Protocol):
    """A view that can be dimmed."""

    def set_stale(self, is_stale: bool) -> None:
        """Dim the view, or show it as usual again."""


class Staleness(QObject):
    """Dims all views while run A is out of date; while only run B is, the panels of B and of the difference.

    Most texts are encoded within a few frames: dimming at once would flicker with each key.
    """

    def __init__(self, views: Sequence[CanBeStale], area: PanelArea, comparison: Comparison) -> None:
        """Dim `views`, those of run A besides the panels of `area`."""
        super().__init__(area)
        self._views = tuple(views)
        self._area = area
        self._comparison = comparison
        self._is_a_stale = False
        self._is_b_stale = False
        self._of_a = QTimer(self, singleShot=True, interval=AFTER_MS)
        self._of_b = QTimer(self, singleShot=True, interval=AFTER_MS)
        self._of_a.timeout.connect(self._on_a_late)
        self._of_b.timeout.connect(self._on_b_late)
        comparison.changed.connect(self._on_comparison_changed)
        comparison.shown_changed.connect(self._on_comparison_changed)

    def set_stale(self, is_stale: bool) -> None:
        """Dim everything once run A has been out of date for AFTER_MS; undo it when it is up to date."""
        if is_stale:
            _start(self._of_a)
        else:
            self._of_a.stop()
            self._is_a_stale = False
            self._dim()

    @Slot()
    def _on_comparison_changed(self) -> None:
        if not self._comparison.is_current:
            _start(self._of_b)
        else:
            self._of_b.stop()
            self._is_b_stale = False
            self._dim()

    @Slot()
    def _on_a_late(self) -> None:
        self._is_a_stale = True
        self._dim()

    @Slot()
    def _on_b_late(self) -> None:
        self._is_b_stale = True
        self._dim()

    def _dim(self) -> None:
        for view in self._views:
            view.set_stale(self._is_a_stale)
        for card in self._area.cards.values():
            card.set_stale(self._is_a_stale or (self._is_b_stale and card.panel.run != "A"))


def _start(timer: QTimer) -> None:
    # Not restarted by each key: otherwise who keeps typing would never see that the views are out of date.
    if not timer.isActive():
        timer.start()
