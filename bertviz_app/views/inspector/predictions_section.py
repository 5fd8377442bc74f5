"""`PredictionsSection`: below the numbers of the inspector, what the task heads predict for the runs."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from bertviz_app.options import ENCODED_RUNS, Run
from bertviz_app.viewmodels.options import Selection
from bertviz_app.viewmodels.runs.comparison import Editing
from bertviz_app.viewmodels.runs.shown import RunPredictions
from bertviz_app.views.inspector.prediction_lines import why_nothing
from bertviz_app.views.inspector.predictions_view import PredictionsView
from bertviz_app.views.kit.canvas import LaterWork, guarded
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.style import named

_LISTING_TOKENS = {"replaced", "token_labels"}
"""The task heads whose lists follow the token that is pointed at."""


class PredictionsSection(QWidget):
    """A title that opens and closes it, a button that masks the pinned token, and the runs side by side."""

    height_changed = Signal()

    def __init__(
        self, look: Look, predictions: RunPredictions, editing: Editing, selections: dict[Run, Selection]
    ) -> None:
        super().__init__()
        self._look = look
        self._predictions = predictions
        self._editing = editing
        self._selections = selections
        self.views = {run: PredictionsView(look, run) for run in ENCODED_RUNS}
        self.title = named(QPushButton(), "plain")
        self.mask_button = named(QPushButton(), "small")
        self._height = 0
        self._lay_out()
        self._connect()
        self.retranslate()
        self._refresh()

    def _lay_out(self) -> None:
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self.title.setCheckable(True)
        self.title.setChecked(True)
        head = QHBoxLayout()
        head.setContentsMargins(6, 2, 10, 2)
        head.addWidget(self.title)
        head.addStretch(1)
        head.addWidget(self.mask_button)
        self._body = QWidget()
        row = QHBoxLayout(self._body)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        for view in self.views.values():
            row.addWidget(view, 1, Qt.AlignmentFlag.AlignTop)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(self._body, 1)

    def _connect(self) -> None:
        self.title.toggled.connect(self._on_toggled)
        self.mask_button.clicked.connect(self._on_mask)
        self._predictions.changed.connect(self._refresh_later)
        self._editing.workspace.shown_changed.connect(self._refresh_mask)
        for run, view in self.views.items():
            self._selections[run].changed.connect(self._on_selection_changed)
            view.piece_chosen.connect(partial(self._editing.put, run))
            view.token_chosen.connect(partial(self._pin, run))
        self._look.changed.connect(self._update_height)

    def retranslate(self) -> None:
        sign = "▾" if self.is_open else "▸"
        self.title.setText(f"{sign} " + self.tr("Predictions"))
        self.title.setToolTip(self.tr("What the checkpoint's task heads predict: open or close"))
        self.title.setAccessibleName(self.tr("Predictions: open or close"))
        self._refresh_mask()

    @property
    def is_open(self) -> bool:
        return self.title.isChecked()

    def open(self, is_open: bool) -> None:
        """Show what the heads predict, or the title alone."""
        self.title.setChecked(is_open)

    @property
    def desired_height(self) -> int:
        """The height in which everything is shown whole."""
        views = max(view.desired_height for view in self.views.values()) if self.is_open else 0
        return self._look.pixels(30) + views

    @Slot(bool)
    def _on_toggled(self, is_open: bool) -> None:
        self._body.setVisible(is_open)
        self._predictions.watch(is_open and self.isVisible())
        self.retranslate()
        self._update_height()

    @Slot()
    def _refresh_later(self) -> None:
        """Show what is predicted in a later turn: the view under the pointer is painted first."""
        LaterWork.shared().add(self, "refresh", self._refresh)

    def _refresh(self) -> None:
        runs = self._shown_runs()
        for run, view in self.views.items():
            view.setVisible(run in runs)
            highlighted = self._selections[run].shown.query
            view.show_prediction(self._predictions.of(run), highlighted, is_named=len(runs) > 1)
        self._refresh_mask()
        self._update_height()

    def _shown_runs(self) -> tuple[Run, ...]:
        """Return the runs beside each other; the first alone where all have none for the same reason."""
        runs = self._predictions.runs
        found = [self._predictions.of(run) for run in runs]
        reasons = {"" if one is None else why_nothing(one) for one in found}
        return runs[:1] if len(reasons) == 1 and "" not in reasons else runs

    def _update_height(self) -> None:
        if self.desired_height != self._height:
            self._height = self.desired_height
            self.height_changed.emit()

    @Slot()
    def _on_selection_changed(self) -> None:
        predictions = [self._predictions.of(run) for run in self._predictions.runs]
        heads = {head for one in predictions if one is not None for head in one.task_heads}
        if self.is_open and heads & _LISTING_TOKENS:
            self._refresh_later()
        else:
            self._refresh_mask()

    @Slot()
    def _refresh_mask(self) -> None:
        """Let the button do what there is to do: mask the pinned token, or read it as written."""
        editing, pinned = self._editing, self._editing.pinned
        is_replaced = pinned is not None and editing.is_replaced(pinned, editing.run)
        self.mask_button.setVisible(editing.can_predict(editing.run) and self.is_open)
        self.mask_button.setEnabled(pinned is not None)
        self.mask_button.setText(self.tr("As written") if is_replaced else self.tr("Mask"))
        tip = self.tr("Undo the edit of the pinned token")
        if not is_replaced:
            tip = self.tr("Mask the pinned token, and show what is expected in its place")
        if tip != self.mask_button.toolTip():
            self.mask_button.setToolTip(tip)
            self.mask_button.setAccessibleName(tip)

    @Slot()
    def _on_mask(self) -> None:
        if self._editing.pinned is not None:
            self._editing.toggle_mask(self._editing.pinned, self._editing.run)

    def _pin(self, run: Run, token: int) -> None:
        self._selections[run].pin(query=token)

    @guarded
    def showEvent(self, event: QShowEvent) -> None:
        self._predictions.watch(self.is_open)

    @guarded
    def hideEvent(self, event: QHideEvent) -> None:
        self._predictions.watch(False)
