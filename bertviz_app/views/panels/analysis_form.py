"""`AnalysisForm`: what an analysis is, and a field for each of its parameters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QFrame, QGridLayout, QLabel, QLineEdit, QWidget

from bertviz_app.analysis.entry import Analysis
from bertviz_app.analysis.reporter import (
    Choice,
    Parameter,
    allowed_values,
    parameters_of,
    read_parameters,
)
from bertviz_app.errors import AppError
from bertviz_app.viewmodels.panels import Content, of_panel
from bertviz_app.viewmodels.wording import error_text, option_word, translated, value_text
from bertviz_app.views.kit.card import Segments
from bertviz_app.views.kit.style import named
from bertviz_app.views.kit.terms import explain_terms_of
from bertviz_app.views.panels.popups import move_below

_WIDTH = 340


class AnalysisForm(QFrame):
    """A card that opens below a button. `chosen` carries the `Content` whenever a parameter was changed.

    It has a field for each parameter of the analysis, made from the type and the bound of the parameter;
    layer and head are those of the panel. A value that a parameter cannot have is refused with a sentence
    that says what it may be.
    """

    chosen = Signal(object)

    def __init__(self, analysis: Analysis[Any, Any], content: Content, parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setObjectName("options")
        explain_terms_of(self)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._analysis = analysis
        self._of_panel = of_panel(analysis)
        own = tuple(one for one in content.parameters if one[0] not in self._of_panel)
        self._content = replace(content, parameters=own)
        self.fields: dict[str, QWidget] = {}
        self.problem = named(QLabel(wordWrap=True), "secondary")
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(14, 12, 14, 12)
        self._grid.setHorizontalSpacing(14)
        self._grid.setVerticalSpacing(6)
        self._describe()
        values = vars(analysis.parameters()) | dict(own)
        for parameter in parameters_of(analysis.parameters):
            if parameter.name not in self._of_panel:
                self._add_field(parameter, values[parameter.name])
        if self._of_panel:
            words = self.tr("Layer and head are those of the panel: choose them in the overview.")
            self._add_line(named(QLabel(words, wordWrap=True), "secondary"))
        self._add_line(self.problem)
        self.problem.hide()

    def open_below(self, button: QWidget) -> None:
        """Open with the right edge at that of `button`, on the screen as a whole."""
        move_below(self, button)
        self.show()

    def _describe(self) -> None:
        analysis = self._analysis
        self._add_line(named(QLabel(translated(analysis.title)), "title"))
        for text in (analysis.summary, analysis.limits, analysis.paper):
            self._add_line(named(QLabel(translated(text), wordWrap=True), "secondary"))

    def _add_line(self, label: QLabel) -> None:
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setMinimumWidth(_WIDTH if label.wordWrap() else 0)
        self._grid.addWidget(label, self._grid.rowCount(), 0, 1, 2)

    def _add_field(self, parameter: Parameter, value: Any) -> None:
        make = _checkbox if parameter.kind is bool else _choice if _options(parameter) else _line
        label = translated(parameter.label)
        field = make(parameter, value, lambda new: self._take(parameter, new))
        field.setToolTip(translated(allowed_values(parameter)))
        field.setAccessibleName(label)
        self.fields[parameter.name] = field
        row = self._grid.rowCount()
        self._grid.addWidget(QLabel(label, wordWrap=True), row, 0)
        self._grid.addWidget(field, row, 1)

    def _take(self, parameter: Parameter, value: object) -> None:
        """Set a parameter to a value that was entered, or show why it cannot have it."""
        kind = self._analysis.parameters
        values = dict(self._content.parameters) | {parameter.name: value}
        try:
            read = vars(read_parameters(kind, values))
        except AppError as error:
            self.problem.setText(error_text(error))
            self.problem.show()
            self.adjustSize()
            return
        self.problem.hide()
        default = vars(kind())
        own = [name for name in read if name not in self._of_panel]
        changed = tuple((name, read[name]) for name in own if read[name] != default[name])
        if changed != self._content.parameters:
            self._content = replace(self._content, parameters=changed)
            self.chosen.emit(self._content)


MOST_SEGMENTS = 3
"""The largest number of options with a button each; more of them are in a combo box."""

_Take = Callable[[object], None]


def _options(parameter: Parameter) -> tuple[str, ...]:
    return parameter.bound.options if isinstance(parameter.bound, Choice) else ()


def _checkbox(parameter: Parameter, value: Any, take: _Take) -> QWidget:
    box = QCheckBox()
    box.setChecked(bool(value))
    box.toggled.connect(take)
    return box


def _choice(parameter: Parameter, value: Any, take: _Take) -> QWidget:
    options = _options(parameter)
    if len(options) > MOST_SEGMENTS:
        box = QComboBox()
        for option in options:
            box.addItem(option_word(option), option)
        box.setCurrentIndex(options.index(value))
        box.activated.connect(lambda at: take(options[at]))
        return box
    segments = Segments([(option, option_word(option), "") for option in options])
    segments.choose(value)
    segments.chosen.connect(take)
    return segments


def _line(parameter: Parameter, value: Any, take: _Take) -> QWidget:
    field = named(QLineEdit(value_text(value)), "field")
    field.editingFinished.connect(lambda: take(field.text()))
    return field
