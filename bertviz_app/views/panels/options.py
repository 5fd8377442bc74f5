"""The options of a panel, in a form that opens below its button."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from PySide6.QtCore import QPoint, Qt, Signal, Slot
from PySide6.QtWidgets import (
    QLabel,
    QLineEdit,
    QPushButton,
    QSizePolicy,
    QSlider,
    QWidget,
)

from bertviz_app.analysis.entry import Analysis, Described
from bertviz_app.analysis.parameters import Choice, Parameter, allowed_values, parameters_of, read_parameters
from bertviz_app.errors import AppError
from bertviz_app.viewmodels.panel import SHOWS_ATTENTION, Content, analysis_of, of_panel
from bertviz_app.viewmodels.state import COLOURS, DrawOptions, Store, change_options
from bertviz_app.viewmodels.wording import (
    about,
    content_title,
    error_text,
    option_word,
    translated,
    value_text,
)
from bertviz_app.views.kit.card import Elided
from bertviz_app.views.kit.fields import Fields
from bertviz_app.views.kit.look import FormRow, Look, form, grid_of, in_row, named, styled
from bertviz_app.views.kit.terms import Popup
from bertviz_app.views.kit.words import plain, trimmed


class FormPopup(Popup):
    """A form that opens below its button."""

    def __init__(self, parent: QWidget | None) -> None:
        super().__init__("options", parent)

    def open_below(self, button: QWidget) -> None:
        """Open with the right edge at that of `button`, on the screen as a whole."""
        self.adjustSize()
        corner = button.mapToGlobal(QPoint(button.width() - self.width(), button.height() + 4))
        self.open_at(corner, button.screen().availableGeometry().adjusted(4, 0, -4, -4))


_STEPS = 200


class PanelOptions(FormPopup):
    """What is left out, joined and emphasised; every change is seen at once in all panels."""

    def __init__(self, store: Store, *, is_pair: bool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self._fields = Fields(partial(change_options, store))
        slider, tip = QSlider(Qt.Orientation.Horizontal), self.tr("Lines of smaller weights are not drawn")
        self._threshold = named(slider, "", tip, self.tr("Threshold of the lines"))
        self._value = named(QLabel(), "secondary")
        reset = named(QPushButton(self.tr("Reset")), "small")
        reset.setToolTip(self.tr("Reset all of these options"))
        reset.clicked.connect(lambda: store.change(options=DrawOptions()))
        form(
            named(QLabel(self.tr("Tokens")), "title"),
            *self._token_rows(is_pair),
            named(QLabel(self.tr("Words")), "title"),
            self._fields.check(
                "every_layer",
                self.tr("Every layer side by side"),
                self.tr("The words once for each layer, with the mean of the weights of its heads"),
            ),
            named(QLabel(self.tr("Lines")), "title"),
            *self._line_rows(),
            named(QLabel(self.tr("Matrix")), "title"),
            *self._matrix_rows(),
            in_row(named(QLabel(self.tr("for all panels")), "secondary"), 1, reset, margins=0),
            of=self,
            margins=(14, 12, 14, 12),
            spacing=(14, 6),
            labels="secondary",
        )
        self._show()
        store.watch(("options",), self._show)

    def _token_rows(self, is_pair: bool) -> list[FormRow]:
        fields = self._fields
        arrows = {"all": self.tr("All"), "aa": "1 → 1", "ab": "1 → 2", "ba": "2 → 1", "bb": "2 → 2"}
        tip = self.tr("Which sentence's queries look at which sentence's keys")
        choices = {key: (arrow, tip) for key, arrow in arrows.items()}
        rescales = fields.check(
            "renormalises",
            self.tr("Rescale each row to add up to 1"),
            self.tr("Divide the remaining weights of a row by their sum"),
        )
        fields.enable_if(
            lambda value: value.hides_special or value.hides_punctuation or value.sentences != "all", rescales
        )
        return [
            *([(self.tr("Sentences"), fields.segments("sentences", choices))] if is_pair else []),
            fields.check(
                "joins_words",
                self.tr("Join the pieces of words"),
                self.tr("A word's weight: the mean over its query pieces of the sum over its key pieces"),
            ),
            fields.check(
                "joins_at_spaces",
                self.tr("Join what stands between spaces"),
                self.tr(
                    "Words as they are written: eojeol, “can't”, “3.14”, with their punctuation. The "
                    "tokenizer's own words, which the entry above joins, end at signs"
                ),
            ),
            fields.check(
                "hides_special",
                self.tr("Hide special tokens"),
                self.tr("Leave out what the tokenizer puts around the texts; the rows no longer add up to 1"),
            ),
            fields.check(
                "hides_punctuation", self.tr("Hide punctuation"), self.tr("Leave out . , ! ? and the like")
            ),
            rescales,
        ]

    def _line_rows(self) -> list[FormRow]:
        fields, threshold = self._fields, self._threshold
        threshold.setRange(0, _STEPS)
        # The weight is the square of the slider's position: small weights, which most are, need finer steps.
        fields.bind(
            "threshold",
            threshold,
            threshold.valueChanged,
            lambda weight: threshold.setValue(round(weight**0.5 * _STEPS)),
            lambda step: (step / _STEPS) ** 2,
        )
        self._value.setMinimumWidth(self.fontMetrics().horizontalAdvance("≥ 0.0000") + 8)
        arcs = {
            "heads": (self.tr("To heads"), self.tr("Broken lines from each word to its head")),
            "dependents": (self.tr("To dependents"), self.tr("Broken lines from each head to its words")),
            "hidden": (self.tr("Hidden"), self.tr("The parse of the sentence is not drawn")),
        }
        has_parse = self._store.now.parsed is not None
        weights = self.tr("Write the weights of the strongest lines"), self.tr("On up to 16 lines")
        return [
            (self.tr("From weight"), in_row((threshold, 1), self._value, margins=0)),
            fields.check("writes_weights", *weights),
            *([(self.tr("Parse"), fields.segments("parse", arcs))] if has_parse else []),
        ]

    def _matrix_rows(self) -> list[FormRow]:
        fields = self._fields
        scales = {
            "shared": (
                self.tr("Shared"),
                self.tr("Full colour: the largest weight in runs A and B, or 5 times uniform attention"),
            ),
            "linear": (self.tr("Per head"), self.tr("Full colour is the head's largest weight")),
            "log": (self.tr("Logarithmic"), self.tr("From 0.0001 to the largest weight, evenly by ratios")),
            "row": (self.tr("Per row"), self.tr("Full colour is the largest weight of each row")),
        }
        names = {"theme": self.tr("Theme"), "diverging": self.tr("Diverging")}
        tips = {"diverging": self.tr("The middle colour is the weight of uniform attention")}
        colours = {key: (names.get(key, key.capitalize()), tips.get(key, "")) for key in COLOURS}
        sums = self.tr("The sum of each query's weights, and of the weights that each key receives")
        return [
            (self.tr("Scale"), fields.segments("scale", scales)),
            (self.tr("Colours"), fields.segments("colours", colours)),
            fields.check("shows_sums", self.tr("Sums of rows and columns"), sums),
            fields.check("marks_maxima", self.tr("Mark the largest weight of each row")),
        ]

    @Slot()
    def _show(self) -> None:
        value = self._store.now.options
        self._fields.show(value)
        self._value.setText(f"≥ {trimmed(value.threshold)}" if value.threshold else "0")


_WIDTH = 340
MOST_SEGMENTS = 3
"""The largest number of options with a button each; more of them are in a combo box."""


class AnalysisForm(FormPopup):
    """A card that opens below a button. `chosen` carries the `Content` whenever a parameter was changed.

    It has a field for each parameter of the analysis, made from the type and the bound of the parameter;
    layer and head are those of the panel. A value that a parameter cannot have is refused with a sentence
    that says what it may be.
    """

    chosen = Signal(object)

    def __init__(
        self, analysis: Described, parameters: type[Any], content: Content, parent: QWidget | None = None
    ) -> None:
        """`analysis`: also a study of a file, which no panel shows; `parameters` is the class of its own."""
        super().__init__(parent)
        self._parameters = parameters
        self._of_panel = of_panel(analysis) if isinstance(analysis, Analysis) else ()
        own = tuple(one for one in content.parameters if one[0] not in self._of_panel)
        self._content = replace(content, parameters=own)
        self._fields = Fields(self._take)
        self.fields: dict[str, QWidget] = {}
        self.problem = named(QLabel(wordWrap=True), "secondary")
        self._grid = grid_of(self, margins=(14, 12, 14, 12), spacing=(14, 6))
        self._add_line(named(QLabel(translated(analysis.title)), "title"))
        for text in (analysis.summary, analysis.limits, analysis.paper):
            self._add_line(named(QLabel(translated(text), wordWrap=True), "secondary"))
        for parameter in parameters_of(parameters):
            if parameter.name not in self._of_panel:
                label = translated(parameter.label)
                field = self._field_of(parameter)
                field.setToolTip(translated(allowed_values(parameter)))
                field.setAccessibleName(label)
                self.fields[parameter.name] = field
                row = self._grid.rowCount()
                self._grid.addWidget(QLabel(label, wordWrap=True), row, 0)
                self._grid.addWidget(field, row, 1)
        self._fields.show(replace(parameters(), **dict(own)))
        if self._of_panel:
            words = self.tr("Layer and head are those of the panel: choose them in the overview.")
            self._add_line(named(QLabel(words, wordWrap=True), "secondary"))
        self._add_line(self.problem)
        self.problem.hide()

    def _add_line(self, label: QLabel) -> None:
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setMinimumWidth(_WIDTH if label.wordWrap() else 0)
        self._grid.addWidget(label, self._grid.rowCount(), 0, 1, 2)

    def _field_of(self, parameter: Parameter) -> QWidget:
        name = parameter.name
        if parameter.kind is bool:
            return self._fields.check(name, "")
        if isinstance(parameter.bound, Choice):
            words = {option: option_word(option) for option in parameter.bound.options}
            if len(words) > MOST_SEGMENTS:
                return self._fields.combo(name, words)
            return self._fields.segments(name, words)
        field = named(QLineEdit(), "field")
        self._fields.bind(
            name, field, field.editingFinished, lambda value: field.setText(value_text(value)), field.text
        )
        return field

    def _take(self, **entered: object) -> None:
        """Set a parameter to a value that was entered, or show why it cannot have it."""
        kind = self._parameters
        values = dict(self._content.parameters) | entered
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


class AnalysisBar(QWidget):
    """Names the analysis; its button opens the form of the parameters. `chosen` has the new `Content`."""

    chosen = Signal(object)

    def __init__(self, look: Look) -> None:
        super().__init__()
        styled(self, "analysis")
        self._content = SHOWS_ATTENTION
        self.name = named(Elided(), "analysisName")
        self.name.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.button = named(QPushButton(), "plain", title=self.tr("About this analysis, and its parameters"))
        self.button.clicked.connect(self.open_form)
        in_row((self.name, 1), self.button, of=self, margins=(12, 0, 4, 0), spacing=4)
        self.hide()

    def show_content(self, content: Content) -> None:
        """Name an analysis; attention needs no bar."""
        self._content = content
        self.setVisible(bool(content.analysis))
        if not content.analysis:
            return
        analysis = analysis_of(content)
        self.name.setText(content_title(content))
        has_parameters = analysis is not None and bool(parameters_of(analysis.parameters))
        self.button.setText(self.tr("Parameters ⓘ") if has_parameters else "ⓘ")
        self.button.setVisible(analysis is not None)
        tool_tip = "" if analysis is None else plain(about(analysis))
        for widget in (self.name, self.button):
            widget.setToolTip(tool_tip)

    @Slot()
    def open_form(self) -> None:
        """Open the description of the analysis and the form of its parameters below the bar."""
        analysis = analysis_of(self._content)
        if analysis is not None:
            form = AnalysisForm(analysis, analysis.parameters, self._content, self)
            form.chosen.connect(self.chosen)
            form.open_below(self.button)
