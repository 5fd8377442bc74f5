"""The options of all panels, in a card that opens below the button of one."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import (
    QCheckBox,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSlider,
    QWidget,
)

from bertviz_app.viewmodels.options import (
    COLOURS,
    SCALES,
    SENTENCES,
    DrawingChoice,
    DrawOptions,
    Options,
    Switch,
)
from bertviz_app.views.kit.card import Segments
from bertviz_app.views.kit.numbers import trimmed
from bertviz_app.views.kit.style import named
from bertviz_app.views.kit.terms import explain_terms_of
from bertviz_app.views.panels.popups import move_below

_STEPS = 200


class PanelOptions(QFrame):
    """What is left out, joined and emphasised; every change is seen at once in all panels."""

    def __init__(self, options: Options, *, is_pair: bool, parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setObjectName("options")
        explain_terms_of(self)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._options = options
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(14, 12, 14, 12)
        self._grid.setHorizontalSpacing(14)
        self._grid.setVerticalSpacing(6)
        self._boxes: dict[Switch, QCheckBox] = {}
        self._segments: dict[DrawingChoice, Segments] = {}
        self._threshold = QSlider(Qt.Orientation.Horizontal)
        self._threshold.setRange(0, _STEPS)
        self._value = named(QLabel(), "secondary")
        self._fill(is_pair)
        self._show()
        options.changed.connect(self._show)

    def open_below(self, button: QWidget) -> None:
        """Open with the right edge at that of `button`, on the screen as a whole."""
        move_below(self, button)
        self.show()

    def _fill(self, is_pair: bool) -> None:
        self._fill_tokens(is_pair)
        self._title(self.tr("Lines"))
        self._threshold_row()
        self._check(
            "writes_weights",
            self.tr("Write the weights of the strongest lines"),
            self.tr("On up to 16 lines"),
        )
        self._fill_matrix()
        self._foot()

    def _fill_tokens(self, is_pair: bool) -> None:
        self._title(self.tr("Tokens"))
        if is_pair:
            arrows = {"all": self.tr("All"), "aa": "1 → 1", "ab": "1 → 2", "ba": "2 → 1", "bb": "2 → 2"}
            tip = self.tr("Which sentence's queries look at which sentence's keys")
            self._choice("sentences", self.tr("Sentences"), [(key, arrows[key], tip) for key in SENTENCES])
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
        self._check(
            "renormalises",
            self.tr("Rescale each row to add up to 1"),
            self.tr("Divide the remaining weights of a row by their sum"),
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
        self._choice("scale", self.tr("Scale"), [(key, *scales[key]) for key in SCALES])
        names = {"theme": self.tr("Theme"), "diverging": self.tr("Diverging")}
        tips = {"diverging": self.tr("The middle colour is the weight of uniform attention")}
        colours = [(key, names.get(key, key.capitalize()), tips.get(key, "")) for key in COLOURS]
        self._choice("colours", self.tr("Colours"), colours)
        self._check(
            "shows_sums",
            self.tr("Sums of rows and columns"),
            self.tr("The sum of each query's weights, and of the weights that each key receives"),
        )
        self._check("marks_maxima", self.tr("Mark the largest weight of each row"), "")

    def _title(self, text: str) -> None:
        self._grid.addWidget(named(QLabel(text), "title"), self._grid.rowCount(), 0, 1, 2)

    def _check(self, field: Switch, text: str, tip: str) -> None:
        box = QCheckBox(text)
        box.setToolTip(tip or text)
        box.toggled.connect(lambda is_on: self._options.switch(field, is_on))
        self._boxes[field] = box
        self._grid.addWidget(box, self._grid.rowCount(), 0, 1, 2)

    def _choice(self, field: DrawingChoice, text: str, choices: Sequence[tuple[str, str, str]]) -> None:
        segments = Segments(list(choices))
        segments.chosen.connect(lambda key: self._options.choose(field, key))
        self._segments[field] = segments
        self._row(text, segments)

    def _threshold_row(self) -> None:
        tip = self.tr("Lines of smaller weights are not drawn")
        self._threshold.setToolTip(tip)
        self._threshold.setAccessibleName(self.tr("Threshold of the lines"))
        # The weight is the square of the slider's position: small weights, which most are, need finer steps.
        self._threshold.valueChanged.connect(
            lambda step: self._options.change(threshold=(step / _STEPS) ** 2)
        )
        row = QWidget()
        line = QHBoxLayout(row)
        line.setContentsMargins(0, 0, 0, 0)
        line.addWidget(self._threshold, 1)
        self._value.setMinimumWidth(self.fontMetrics().horizontalAdvance("≥ 0.0000") + 8)
        line.addWidget(self._value)
        self._row(self.tr("From weight"), row)

    def _row(self, text: str, widget: QWidget) -> None:
        row = self._grid.rowCount()
        self._grid.addWidget(named(QLabel(text), "secondary"), row, 0)
        self._grid.addWidget(widget, row, 1)

    def _foot(self) -> None:
        reset = named(QPushButton(self.tr("Reset")), "small")
        reset.setToolTip(self.tr("Reset all of these options"))
        reset.clicked.connect(lambda: self._options.set(DrawOptions()))
        row = self._grid.rowCount()
        self._grid.addWidget(named(QLabel(self.tr("for all panels")), "secondary"), row, 0)
        self._grid.addWidget(reset, row, 1, Qt.AlignmentFlag.AlignRight)

    @Slot()
    def _show(self) -> None:
        value = self._options.value
        for switch, box in self._boxes.items():
            box.setChecked(bool(getattr(value, switch)))
        for choice, segments in self._segments.items():
            segments.choose(getattr(value, choice))
        self._boxes["renormalises"].setEnabled(_leaves_out(value))
        quietly(self._threshold, lambda: self._threshold.setValue(round(value.threshold**0.5 * _STEPS)))
        self._value.setText(f"≥ {trimmed(value.threshold)}" if value.threshold else "0")


def quietly(widget: QWidget, change: Callable[[], None]) -> None:
    """Call `change` while the signals of `widget` are blocked."""
    was_blocked = widget.blockSignals(True)
    change()
    widget.blockSignals(was_blocked)


def _leaves_out(value: DrawOptions) -> bool:
    return value.hides_special or value.hides_punctuation or value.sentences != "all"
