"""The options of a panel, in a form that opens below its button."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from PySide6.QtCore import QPoint, Qt, Signal, Slot
from PySide6.QtWidgets import (
    QCheckBox,
    QFrame,
    QGridLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QSizePolicy,
    QSlider,
    QWidget,
)

from bertviz_app.analysis.entry import Analysis
from bertviz_app.analysis.parameters import Choice, Parameter, allowed_values, parameters_of, read_parameters
from bertviz_app.analysis.studies.study import Study
from bertviz_app.errors import AppError
from bertviz_app.viewmodels.options import COLOURS, PARSE_ARCS, SCALES, SENTENCES, DrawOptions, Switch
from bertviz_app.viewmodels.panel import SHOWS_ATTENTION, Content, analysis_of, of_panel
from bertviz_app.viewmodels.state import Store, change_options
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
from bertviz_app.views.kit.layouts import in_row
from bertviz_app.views.kit.look import Look, named
from bertviz_app.views.kit.terms import explain_terms_of
from bertviz_app.views.kit.words import plain, trimmed


def move_below(card: QWidget, button: QWidget) -> None:
    """Move `card` below `button`, their right edges in line, so that all of it is on the screen."""
    card.adjustSize()
    corner = button.mapToGlobal(QPoint(button.width() - card.width(), button.height() + 4))
    screen = button.screen().availableGeometry()
    x = min(max(corner.x(), screen.left() + 4), screen.right() - card.width() - 4)
    card.move(x, min(corner.y(), max(screen.top(), screen.bottom() - card.height() - 4)))


_STEPS = 200


class PanelOptions(QFrame):
    """What is left out, joined and emphasised; every change is seen at once in all panels."""

    def __init__(self, store: Store, *, is_pair: bool, parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setObjectName("options")
        explain_terms_of(self)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._store = store
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(14, 12, 14, 12)
        self._grid.setHorizontalSpacing(14)
        self._grid.setVerticalSpacing(6)
        self._fields = Fields(partial(change_options, store))
        self._threshold = QSlider(Qt.Orientation.Horizontal)
        self._threshold.setRange(0, _STEPS)
        self._value = named(QLabel(), "secondary")
        self._fill_tokens(is_pair)
        self._title(self.tr("Lines"))
        self._threshold_row()
        self._check(
            "writes_weights",
            self.tr("Write the weights of the strongest lines"),
            self.tr("On up to 16 lines"),
        )
        if store.now.parsed is not None:
            arcs = {
                "heads": (self.tr("To heads"), self.tr("Broken lines from each word to its head")),
                "dependents": (self.tr("To dependents"), self.tr("Broken lines from each head to its words")),
                "hidden": (self.tr("Hidden"), self.tr("The parse of the sentence is not drawn")),
            }
            choices = [(key, *arcs[key]) for key in PARSE_ARCS]
            self._row(self.tr("Parse"), self._fields.segments("parse", choices))
        self._fill_matrix()
        self._foot()
        self._show()
        store.watch(("options",), self._show)

    def open_below(self, button: QWidget) -> None:
        """Open with the right edge at that of `button`, on the screen as a whole."""
        move_below(self, button)
        self.show()

    def _fill_tokens(self, is_pair: bool) -> None:
        self._title(self.tr("Tokens"))
        if is_pair:
            arrows = {"all": self.tr("All"), "aa": "1 → 1", "ab": "1 → 2", "ba": "2 → 1", "bb": "2 → 2"}
            tip = self.tr("Which sentence's queries look at which sentence's keys")
            choices = [(key, arrows[key], tip) for key in SENTENCES]
            self._row(self.tr("Sentences"), self._fields.segments("sentences", choices))
        self._check(
            "joins_words",
            self.tr("Join the pieces of words"),
            self.tr("A word's weight: the mean over its query pieces of the sum over its key pieces"),
        )
        self._check(
            "joins_at_spaces",
            self.tr("Join what stands between spaces"),
            self.tr(
                "Words as they are written: eojeol, “can't”, “3.14”, with their punctuation. The tokenizer's "
                "own words, which the entry above joins, end at signs"
            ),
        )
        self._check(
            "hides_special",
            self.tr("Hide special tokens"),
            self.tr("Leave out what the tokenizer puts around the texts; the rows no longer add up to 1"),
        )
        self._check(
            "hides_punctuation", self.tr("Hide punctuation"), self.tr("Leave out . , ! ? and the like")
        )
        rescales = self._check(
            "renormalises",
            self.tr("Rescale each row to add up to 1"),
            self.tr("Divide the remaining weights of a row by their sum"),
        )
        self._fields.enable_if(
            lambda value: value.hides_special or value.hides_punctuation or value.sentences != "all", rescales
        )

    def _fill_matrix(self) -> None:
        self._title(self.tr("Matrix"))
        scales = {
            "shared": (
                self.tr("Shared"),
                self.tr("Full colour: the largest weight in runs A and B, or 5 times uniform attention"),
            ),
            "linear": (self.tr("Per head"), self.tr("Full colour is the head's largest weight")),
            "log": (self.tr("Logarithmic"), self.tr("From 0.0001 to the largest weight, evenly by ratios")),
            "row": (self.tr("Per row"), self.tr("Full colour is the largest weight of each row")),
        }
        self._row(self.tr("Scale"), self._fields.segments("scale", [(key, *scales[key]) for key in SCALES]))
        names = {"theme": self.tr("Theme"), "diverging": self.tr("Diverging")}
        tips = {"diverging": self.tr("The middle colour is the weight of uniform attention")}
        colours = [(key, names.get(key, key.capitalize()), tips.get(key, "")) for key in COLOURS]
        self._row(self.tr("Colours"), self._fields.segments("colours", colours))
        self._check(
            "shows_sums",
            self.tr("Sums of rows and columns"),
            self.tr("The sum of each query's weights, and of the weights that each key receives"),
        )
        self._check("marks_maxima", self.tr("Mark the largest weight of each row"), "")

    def _title(self, text: str) -> None:
        self._grid.addWidget(named(QLabel(text), "title"), self._grid.rowCount(), 0, 1, 2)

    def _check(self, field: Switch, text: str, tip: str) -> QCheckBox:
        box = self._fields.check(field, text, tip or text)
        self._grid.addWidget(box, self._grid.rowCount(), 0, 1, 2)
        return box

    def _threshold_row(self) -> None:
        self._threshold.setToolTip(self.tr("Lines of smaller weights are not drawn"))
        self._threshold.setAccessibleName(self.tr("Threshold of the lines"))
        # The weight is the square of the slider's position: small weights, which most are, need finer steps.
        self._fields.bind(
            "threshold",
            self._threshold,
            self._threshold.valueChanged,
            lambda weight: self._threshold.setValue(round(weight**0.5 * _STEPS)),
            lambda step: (step / _STEPS) ** 2,
        )
        row = QWidget()
        self._value.setMinimumWidth(self.fontMetrics().horizontalAdvance("≥ 0.0000") + 8)
        in_row((self._threshold, 1), self._value, of=row, margins=0)
        self._row(self.tr("From weight"), row)

    def _row(self, text: str, widget: QWidget) -> None:
        row = self._grid.rowCount()
        self._grid.addWidget(named(QLabel(text), "secondary"), row, 0)
        self._grid.addWidget(widget, row, 1)

    def _foot(self) -> None:
        reset = named(QPushButton(self.tr("Reset")), "small")
        reset.setToolTip(self.tr("Reset all of these options"))
        reset.clicked.connect(lambda: self._store.change(options=DrawOptions()))
        row = self._grid.rowCount()
        self._grid.addWidget(named(QLabel(self.tr("for all panels")), "secondary"), row, 0)
        self._grid.addWidget(reset, row, 1, Qt.AlignmentFlag.AlignRight)

    @Slot()
    def _show(self) -> None:
        value = self._store.now.options
        self._fields.show(value)
        self._value.setText(f"≥ {trimmed(value.threshold)}" if value.threshold else "0")


_WIDTH = 340
MOST_SEGMENTS = 3
"""The largest number of options with a button each; more of them are in a combo box."""


class AnalysisForm(QFrame):
    """A card that opens below a button. `chosen` carries the `Content` whenever a parameter was changed.

    It has a field for each parameter of the analysis, made from the type and the bound of the parameter;
    layer and head are those of the panel. A value that a parameter cannot have is refused with a sentence
    that says what it may be.
    """

    chosen = Signal(object)

    def __init__(
        self, analysis: Analysis[Any, Any] | Study[Any, Any], content: Content, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setObjectName("options")
        explain_terms_of(self)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._analysis = analysis
        self._of_panel = of_panel(analysis) if isinstance(analysis, Analysis) else ()
        own = tuple(one for one in content.parameters if one[0] not in self._of_panel)
        self._content = replace(content, parameters=own)
        self._fields = Fields(self._take)
        self.fields: dict[str, QWidget] = {}
        self.problem = named(QLabel(wordWrap=True), "secondary")
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(14, 12, 14, 12)
        self._grid.setHorizontalSpacing(14)
        self._grid.setVerticalSpacing(6)
        self._add_line(named(QLabel(translated(analysis.title)), "title"))
        for text in (analysis.summary, analysis.limits, analysis.paper):
            self._add_line(named(QLabel(translated(text), wordWrap=True), "secondary"))
        for parameter in parameters_of(analysis.parameters):
            if parameter.name not in self._of_panel:
                label = translated(parameter.label)
                field = self._field_of(parameter, label)
                field.setToolTip(translated(allowed_values(parameter)))
                field.setAccessibleName(label)
                self.fields[parameter.name] = field
                row = self._grid.rowCount()
                self._grid.addWidget(QLabel(label, wordWrap=True), row, 0)
                self._grid.addWidget(field, row, 1)
        self._fields.show(replace(analysis.parameters(), **dict(own)))
        if self._of_panel:
            words = self.tr("Layer and head are those of the panel: choose them in the overview.")
            self._add_line(named(QLabel(words, wordWrap=True), "secondary"))
        self._add_line(self.problem)
        self.problem.hide()

    def open_below(self, button: QWidget) -> None:
        """Open with the right edge at that of `button`, on the screen as a whole."""
        move_below(self, button)
        self.show()

    def _add_line(self, label: QLabel) -> None:
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setMinimumWidth(_WIDTH if label.wordWrap() else 0)
        self._grid.addWidget(label, self._grid.rowCount(), 0, 1, 2)

    def _field_of(self, parameter: Parameter, label: str) -> QWidget:
        name = parameter.name
        if parameter.kind is bool:
            return self._fields.check(name, "")
        if isinstance(parameter.bound, Choice):
            words = {option: option_word(option) for option in parameter.bound.options}
            if len(words) > MOST_SEGMENTS:
                return self._fields.combo(name, label, words)
            return self._fields.segments(name, [(option, word, "") for option, word in words.items()])
        field = named(QLineEdit(), "field")
        self._fields.bind(
            name, field, field.editingFinished, lambda value: field.setText(value_text(value)), field.text
        )
        return field

    def _take(self, **entered: object) -> None:
        """Set a parameter to a value that was entered, or show why it cannot have it."""
        kind = self._analysis.parameters
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
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        named(self, "analysis")
        self._content = SHOWS_ATTENTION
        self.name = named(Elided(), "analysisName")
        self.name.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.button = named(QPushButton(), "plain")
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
        self.button.setAccessibleName(self.tr("About this analysis, and its parameters"))
        self.button.setVisible(analysis is not None)
        tool_tip = "" if analysis is None else plain(about(analysis))
        for widget in (self.name, self.button):
            widget.setToolTip(tool_tip)

    @Slot()
    def open_form(self) -> None:
        """Open the description of the analysis and the form of its parameters below the bar."""
        analysis = analysis_of(self._content)
        if analysis is not None:
            form = AnalysisForm(analysis, self._content, self)
            form.chosen.connect(self.chosen)
            form.open_below(self.button)
