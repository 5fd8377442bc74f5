"""`NumberField`: a short field for a number from 0, or for none."""

from __future__ import annotations

from PySide6.QtCore import QLocale, Qt, Signal, Slot
from PySide6.QtGui import QDoubleValidator, QKeyEvent
from PySide6.QtWidgets import QLineEdit

from bertviz_app.views.kit.canvas import guarded
from bertviz_app.views.kit.numbers import trimmed
from bertviz_app.views.kit.style import named


class NumberField(QLineEdit):
    """Emits `changed` with a number, or None when emptied; the up and down keys change it by a step."""

    changed = Signal(object)

    def __init__(self, step: float = 0.05) -> None:
        super().__init__()
        named(self, "field")
        self._step = step
        self._top = 1.0
        self._value: float | None = None
        self.setAlignment(Qt.AlignmentFlag.AlignRight)
        self._validator = QDoubleValidator(0.0, self._top, 4, self)
        self._validator.setNotation(QDoubleValidator.Notation.StandardNotation)
        locale = QLocale.c()
        locale.setNumberOptions(QLocale.NumberOption.RejectGroupSeparator)  # `float` reads no "1,000"
        self._validator.setLocale(locale)
        self.setValidator(self._validator)
        self.textEdited.connect(self._on_text_edited)

    @property
    def value(self) -> float | None:
        """The number in the field, or None if there is none."""
        return self._value

    def set_range(self, top: float) -> None:
        """Take numbers from 0 to `top`."""
        self._top = top
        self._validator.setTop(top)

    def show_value(self, value: float | None) -> None:
        """Show a number or None without emitting `changed`; what is being typed stays as it was typed."""
        if value != self._value or (value is None and self.text()):
            self._value = value
            self.setText("" if value is None else trimmed(value))

    @Slot(str)
    def _on_text_edited(self, text: str) -> None:
        if self.hasAcceptableInput() or not text:
            self._notify(float(text) if text else None)

    def _notify(self, value: float | None) -> None:
        if value != self._value:
            self._value = value
            self.changed.emit(value)

    @guarded
    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Up: self._step, Qt.Key.Key_Down: -self._step}
        step = steps.get(Qt.Key(event.key()))
        if step is None:
            super().keyPressEvent(event)
            return
        value = min(max(0.0, (self._value or 0.0) + step), self._top)
        self.setText(trimmed(value))
        self._notify(round(value, 4))
