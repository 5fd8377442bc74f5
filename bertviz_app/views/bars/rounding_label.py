"""`RoundingLabel`: how far weights made with bfloat16 are from those of float32, in the status line."""

from __future__ import annotations

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QLabel, QWidget

from bertviz_app.viewmodels.analyses.self_test import Rounding


class RoundingLabel(QLabel):
    """Words where the shown text was encoded with bfloat16; hidden where it was not."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rounding: Rounding | None = None
        self.hide()

    def follow(self, rounding: Rounding) -> None:
        """Show what is known of the difference from now on."""
        self._rounding = rounding
        rounding.changed.connect(self.retranslate)
        self.retranslate()

    @Slot()
    def retranslate(self) -> None:
        rounding = self._rounding
        if rounding is None or not rounding.is_low:
            self.hide()
            return
        if not rounding.is_here:
            self.setText(self.tr("bfloat16: not compared, the checkpoint is not here"))
        elif rounding.is_comparing:
            self.setText(self.tr("bfloat16: comparing with float32 …"))
        elif rounding.largest is None:
            self.setText(self.tr("bfloat16: not compared with float32"))
        else:
            self.setText(
                self.tr("bfloat16: largest difference of a weight {0}").format(f"{rounding.largest:.1e}")
            )
        self.setToolTip(
            self.tr("The largest difference of an attention weight of this text from float32, of all heads.")
        )
        self.show()
