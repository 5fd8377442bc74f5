"""`LayerBar`: which hidden state is shown: stepped, dragged, or played from the embeddings to the end."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QSlider, QWidget

from bertviz_app.views.kit.canvas import guarded
from bertviz_app.views.kit.style import named

STEP_MS = 700
"""How long each layer stays while they are played."""


class LayerBar(QWidget):
    """Hidden states 0 (the embeddings) to L. `state_chosen` is emitted when another one is chosen here."""

    state_chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._before = named(QPushButton("‹"), "plain")
        self._after = named(QPushButton("›"), "plain")
        self._play = named(QPushButton("▶"), "corner")
        self.slider = _Slider(Qt.Orientation.Horizontal)
        self.slider.setPageStep(1)
        self._name = named(QLabel(), "secondary")
        self._timer = QTimer(self, interval=STEP_MS)
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 0, 8, 4)
        row.setSpacing(4)
        for widget in (self._play, self._before, self.slider, self._after, self._name):
            row.addWidget(widget, 1 if widget is self.slider else 0)
        self._before.clicked.connect(lambda: self.step(-1))
        self._after.clicked.connect(lambda: self.step(1))
        self._play.clicked.connect(self.toggle_playing)
        self._timer.timeout.connect(self._on_tick)
        self.slider.valueChanged.connect(self._on_value_changed)
        self.retranslate()

    @property
    def state(self) -> int:
        """The index of the hidden state, 0 for the embeddings."""
        return self.slider.value()

    @property
    def is_playing(self) -> bool:
        """Whether the layers are played one after the other."""
        return self._timer.isActive()

    def show_state(self, state: int, n_states: int) -> None:
        """Show which state is drawn, of how many, without emitting `state_chosen`."""
        self.slider.blockSignals(True)
        self.slider.setMaximum(n_states - 1)
        self.slider.setValue(state)
        self.slider.blockSignals(False)
        self._write()

    def step(self, by: int) -> None:
        """Go on, or back, by a number of layers, as far as there are."""
        self.slider.setValue(self.slider.value() + by)

    @Slot()
    def toggle_playing(self) -> None:
        """Go through the layers by itself, from the start if it stands at the end; or stop."""
        if self.is_playing:
            self._stop()
            return
        if self.slider.value() == self.slider.maximum():
            self.slider.setValue(0)
        self._timer.start()
        self._play.setText("‖")

    def retranslate(self) -> None:
        self._before.setToolTip(self.tr("Previous layer (, or Page Up)"))
        self._after.setToolTip(self.tr("Next layer (. or Page Down)"))
        self._play.setToolTip(self.tr("Play through the layers"))
        self.slider.setToolTip(self.tr("The layer whose hidden states are shown"))
        self._before.setAccessibleName(self.tr("Previous layer"))
        self._after.setAccessibleName(self.tr("Next layer"))
        self._play.setAccessibleName(self.tr("Play through the layers"))
        self.slider.setAccessibleName(self.tr("Layer of the hidden states"))
        self._write()

    @guarded
    def hideEvent(self, event: object) -> None:
        self._stop()

    def _write(self) -> None:
        names = [self.tr("embeddings")]
        names += [self.tr("after layer {0}").format(layer) for layer in range(self.slider.maximum())]
        metrics = self._name.fontMetrics()
        self._name.setText(names[self.slider.value()])
        # As wide as the widest: the slider must not move under the pointer.
        self._name.setMinimumWidth(max(metrics.horizontalAdvance(name) for name in {names[0], names[-1]}) + 4)

    def _stop(self) -> None:
        self._timer.stop()
        self._play.setText("▶")

    @Slot()
    def _on_tick(self) -> None:
        if not self.isVisible():  # begun by a command while another page covers it; nobody would see an end
            self._stop()
            return
        self.step(1)
        if self.slider.value() == self.slider.maximum():
            self._stop()

    @Slot(int)
    def _on_value_changed(self, state: int) -> None:
        self._write()
        self.state_chosen.emit(state)


class _Slider(QSlider):
    """Leaves Page Up and Page Down to the panel, where they mean the same everywhere in it."""

    @guarded
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_PageUp, Qt.Key.Key_PageDown):
            event.ignore()
        else:
            super().keyPressEvent(event)
