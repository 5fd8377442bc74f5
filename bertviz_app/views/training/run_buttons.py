"""What can be done with a run: pause, resume, stop it, then open its model, compare it, train another one."""

from __future__ import annotations

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from bertviz_app.viewmodels.training.training import LiveRun, Training
from bertviz_app.views.kit.style import named, restyle


class RunButtons(QWidget):
    """Shows those that the state of the run allows.

    `open_requested` is of a checkpoint, `compare_requested` of two: the first is
    "" for the default checkpoint.
    """

    open_requested = Signal(str)
    compare_requested = Signal(str, str)

    def __init__(self, training: Training, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._training = training
        self.pause, self.stop, self.go_on = QPushButton(), QPushButton(), named(QPushButton(), "primary")
        self.open_model, self.another, self.compare = (
            named(QPushButton(), "primary"),
            QPushButton(),
            QPushButton(),
        )
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        for buttons in (
            (self.pause, self.go_on, self.stop),
            (self.open_model, self.another),
            (self.compare,),
        ):
            row = QHBoxLayout()
            row.setSpacing(8)
            for button in buttons:
                row.addWidget(button, 1)
            column.addLayout(row)
        self.pause.clicked.connect(training.pause)
        self.go_on.clicked.connect(training.go_on)
        self.stop.clicked.connect(training.stop)
        self.another.clicked.connect(training.leave)
        self.open_model.clicked.connect(self._on_open)
        self.compare.clicked.connect(self._on_compare)

    def retranslate(self) -> None:
        self.pause.setText(self.tr("Pause"))
        self.go_on.setText(self.tr("Resume"))
        self.stop.setText(self.tr("Stop and save"))
        self.open_model.setText(self.tr("Open the model"))
        if self._training.run is not None:
            self.show_run(self._training.run)

    def show_run(self, run: LiveRun) -> None:
        """Offer what can be done with `run` now."""
        goes_on = run.state in ("pausing", "paused") or run.can_go_on
        hidden, shown = (self.pause, self.go_on) if goes_on else (self.go_on, self.pause)
        # Qt gives the focus of a hidden button to the next one, which ends the training.
        if self.window().focusWidget() is hidden and run.state != "done":
            shown.show()
            shown.setEnabled(True)
            shown.setFocus()
        self.pause.setVisible(run.state in ("starting", "running", "stopping"))
        self.pause.setEnabled(run.state != "stopping")
        self.go_on.setVisible(goes_on)
        self.stop.setVisible(run.is_alive)
        self.stop.setEnabled(run.state != "stopping")
        has_model = not run.is_alive and bool(run.steps)
        self.open_model.setVisible(has_model)
        restyle(named(self.open_model, "" if goes_on else "primary"))
        self.compare.setVisible(has_model and (run.job.has_base or bool(run.snapshots)))
        self.another.setVisible(not run.is_alive)
        self.another.setText(self.tr("Back to the form") if run.never_began else self.tr("Another training"))
        restyle(named(self.another, "primary" if run.never_began else ""))  # then it is the only way on
        self._name_comparison(run)

    def _name_comparison(self, run: LiveRun) -> None:
        if run.job.has_base:
            self.compare.setText(self.tr("Compare with the base model"))
            self.compare.setToolTip(self.tr("Run A: the checkpoint it started from; run B: the trained one"))
        else:
            self.compare.setText(self.tr("Compare first and last"))
            self.compare.setToolTip(self.tr("Run A: the untrained model; run B: the trained one"))

    @Slot()
    def _on_open(self) -> None:
        if self._training.run is not None:
            self.open_requested.emit(str(self._training.run.job.out))

    @Slot()
    def _on_compare(self) -> None:
        run = self._training.run
        if run is not None and run.job.has_base:
            self.compare_requested.emit(run.job.base or "", str(run.job.out))
        elif run is not None and run.snapshots:
            self.compare_requested.emit(str(run.snapshots[0]), str(run.job.out))
