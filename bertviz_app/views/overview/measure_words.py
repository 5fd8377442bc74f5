"""The measures of heads in the language in force: their names, what they mean, their numbers."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication

from bertviz_app.text.tokens import BERT_NAMES, SpecialNames
from bertviz_app.viewmodels.overview_options import unit_of
from bertviz_app.views.kit.numbers import fixed


@dataclass(frozen=True)
class MeasureWords:
    """`title` stands in menus and alone, `column` above a narrow column; `meaning` is one sentence."""

    title: str
    column: str
    meaning: str


def measure_words(names: SpecialNames = BERT_NAMES) -> dict[str, MeasureWords]:
    """Return the words of every measure, by its key; `names` are those of the special tokens."""
    translate = QCoreApplication.translate
    return {
        "entropy": MeasureWords(
            translate("Measures", "Entropy"),
            translate("Measures", "entropy"),
            translate("Measures", "How spread a query's weights are: 0 if it looks at one token only."),
        ),
        "distance": MeasureWords(
            translate("Measures", "Distance"),
            translate("Measures", "dist."),
            translate("Measures", "How far a query looks: the distance |i − j| weighted by attention."),
        ),
        "first": MeasureWords(
            translate("Measures", "Weight on {0}").format(names.first),
            names.first,
            translate("Measures", "The weight on the first token, {0}.").format(names.first),
        ),
        "separator": MeasureWords(
            translate("Measures", "Weight on {0}").format(names.separator),
            names.separator,
            translate("Measures", "The weight on the other special tokens, {0}.").format(names.separator),
        ),
        "previous": MeasureWords(
            translate("Measures", "Previous token"),
            translate("Measures", "prev"),
            translate("Measures", "The weight on the token before the query."),
        ),
        "same": MeasureWords(
            translate("Measures", "Same token"),
            translate("Measures", "same"),
            translate("Measures", "The weight on the query's own token."),
        ),
        "next": MeasureWords(
            translate("Measures", "Next token"),
            translate("Measures", "next"),
            translate("Measures", "The weight on the token after the query."),
        ),
        "largest": MeasureWords(
            translate("Measures", "Largest weight"),
            translate("Measures", "max"),
            translate("Measures", "The largest weight of a row, the head's confidence."),
        ),
    }


def unit_word(key: str) -> str:
    """Return the unit of a measure as it is written behind a number; nothing behind a weight."""
    translate = QCoreApplication.translate
    units = {"bits": translate("Measures", "bits"), "tokens": translate("Measures", "tokens"), "weight": ""}
    return units[unit_of(key)]


def number(key: str, value: float) -> str:
    """Return a value of a measure with two decimals, or one from 100 on."""
    return fixed(value, 2 if value < 100 else 1)


def with_unit(key: str, value: float) -> str:
    """Return a value of a measure and its unit."""
    return f"{number(key, value)} {unit_word(key)}".rstrip()
