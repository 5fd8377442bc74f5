"""The fields of a form, made from the fields of a frozen value that it shows and changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from PySide6.QtCore import QSignalBlocker, SignalInstance
from PySide6.QtWidgets import QCheckBox, QComboBox, QLineEdit, QSpinBox, QWidget

from bertviz_app.views.kit.card import Segments
from bertviz_app.views.kit.look import named
from bertviz_app.views.kit.widgets import NumberField

_IN_FIELD = 6
_Condition = Callable[[Any], bool]


class Fields:
    """Makes fields that are named as those of a dataclass; `change(name=value)` is called as the user works.

    `show` writes a value of the dataclass into all of them, which calls nothing, and enables and shows what
    depends on it. `fields["name"]` is the widget of a field; `layouts.form` lays them out beside their
    labels, which also name them for screen readers.
    """

    def __init__(self, change: Callable[..., object]) -> None:
        self._change = change
        self._shown: dict[str, tuple[QWidget, Callable[[Any], object]]] = {}
        self._conditions: list[tuple[_Condition, Callable[[bool], object]]] = []

    def __getitem__(self, name: str) -> Any:
        """Return the widget of a field."""
        return self._shown[name][0]

    def show(self, value: object) -> None:
        """Show `value`, which has all of the fields."""
        for name, (widget, write) in self._shown.items():
            with QSignalBlocker(widget):
                write(getattr(value, name))
        for holds, follow in self._conditions:
            follow(holds(value))

    def show_if(self, holds: _Condition, *widgets: QWidget) -> None:
        """Show the widgets where `holds(value)`, and hide them elsewhere."""
        self._conditions += [(holds, widget.setVisible) for widget in widgets]

    def enable_if(self, holds: _Condition, *widgets: QWidget) -> None:
        self._conditions += [(holds, widget.setEnabled) for widget in widgets]

    def bind(
        self,
        name: str,
        widget: QWidget,
        changed: SignalInstance,
        write: Callable[[Any], object],
        read: Callable[..., object] = lambda value: value,
    ) -> None:
        """Let `read` of what `changed` carries be the new value of a field; `write` shows a value."""
        changed.connect(lambda *carried: self._change(**{name: read(*carried)}))
        self._shown[name] = widget, write

    def check(self, name: str, text: str, tip: str = "") -> QCheckBox:
        """Return a check box for a bool."""
        box = QCheckBox(text)
        box.setToolTip(tip)
        self.bind(name, box, box.toggled, box.setChecked)
        return box

    def segments(self, name: str, choices: Mapping[Any, str | tuple[str, str]]) -> Segments:
        """Return a button for each of the choices, value -> text, or text and tool tip."""
        values = {str(value): value for value in choices}
        texts = ((words, "") if isinstance(words, str) else words for words in choices.values())
        segments = Segments([(key, *words) for key, words in zip(values, texts, strict=True)])
        self.bind(
            name, segments, segments.chosen, lambda value: segments.choose(str(value)), values.__getitem__
        )
        return segments

    def combo(self, name: str, choices: Mapping[str, str]) -> QComboBox:
        """Return a box with a list of the choices, value -> text."""
        box = QComboBox()
        for value, text in choices.items():
            box.addItem(text, value)
        self.bind(
            name,
            box,
            box.currentIndexChanged,
            lambda value: box.setCurrentIndex(box.findData(value)),
            lambda _: str(box.currentData()),
        )
        return box

    def number(
        self, name: str, top: float, tip: str = "", *, unit: float = 1.0, is_whole: bool = True
    ) -> NumberField:
        """Return a field for a number up to `top`, typed in `unit`; an empty one means 0."""
        field = named(NumberField(step=1), "count")
        field.set_range(top)
        field.setToolTip(tip)
        of_typed: Callable[[float], float] = round if is_whole else float
        self.bind(
            name,
            field,
            field.changed,
            lambda value: field.show_value(round(value / unit, 4)),
            lambda typed: of_typed((typed or 0) * unit),
        )
        return field

    def spin(
        self, name: str, ends: tuple[int, int], suffix: str = "", *, unit: float = 1, step: int = 1
    ) -> QSpinBox:
        """Return a spin box for a whole number of units, from one of the `ends` to the other."""
        box = QSpinBox(suffix=suffix, singleStep=step)
        box.setRange(*ends)
        # Qt leaves the padding of a style sheet out of the field of a spin box.
        box.lineEdit().setTextMargins(_IN_FIELD, 0, 0, 0)
        self.bind(
            name,
            box,
            box.valueChanged,
            lambda value: box.setValue(round(value / unit)),
            lambda number: number * unit,
        )
        return box

    def line(self, name: str, tip: str = "", **also: object) -> QLineEdit:
        """Return a field for a text; typing changes the fields `also` to those values, too."""
        field = named(QLineEdit(), "entry")
        field.setToolTip(tip)
        field.textEdited.connect(lambda text: self._change(**{name: text}, **also))
        self._shown[name] = field, lambda text: _write(field, text)
        return field


def _write(field: QLineEdit, text: str) -> None:
    """Show a text; where it is the one in the field, the cursor stays."""
    if field.text() != text:
        field.setText(text)
