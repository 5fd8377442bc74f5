"""The measures of heads in the language in force: their names, what they mean, their numbers."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication

from bertviz_app.analysis import measures
from bertviz_app.analysis.measures import (
    BROAD_SHARE,
    LEAST_QUERIES,
    LEAST_SHARE,
    MEASURES,
    UNITS,
    HeadName,
    MeasureKey,
)
from bertviz_app.text.tokens import BERT_NAMES, SpecialNames
from bertviz_app.viewmodels.wording import translated
from bertviz_app.views.kit.numbers import fixed
from bertviz_app.views.kit.words import Translated


@dataclass(frozen=True)
class ShownMeasure:
    """`title` stands in menus and alone, `column` above a narrow column; `meaning` is one sentence."""

    title: str
    column: str
    meaning: str


def measure_words(names: SpecialNames = BERT_NAMES) -> dict[MeasureKey, ShownMeasure]:
    """Return the words of every measure, by its key; `names` are those of the special tokens."""
    return {measure.key: _translated(measure.words(names)) for measure in MEASURES}


def _translated(words: measures.MeasureWords) -> ShownMeasure:
    return ShownMeasure(
        Translated(translated(words.title), words.title), translated(words.column), translated(words.meaning)
    )


def unit_word(key: MeasureKey) -> str:
    """Return the unit of a measure as it is written behind a number; nothing behind a weight."""
    translate = QCoreApplication.translate
    units = {"bits": translate("Measures", "bits"), "tokens": translate("Measures", "tokens"), "weight": ""}
    return units[UNITS[key]]


def measure_number(value: float) -> str:
    """Return a value of a measure with two decimals, or one from 100 on."""
    return fixed(value, 2 if value < 100 else 1)


def with_unit(key: MeasureKey, value: float) -> str:
    translate = QCoreApplication.translate
    units = {"bits": translate("Measures", "{0} bits"), "tokens": translate("Measures", "{0} tokens")}
    return units.get(UNITS[key], "{0}").format(measure_number(value))


def name_words(name: HeadName, names: SpecialNames = BERT_NAMES) -> str:
    """Return what a head is called, with the number behind it: "previous token 0.87"."""
    return f"{translated(name.rule.title(names))} {with_unit(name.rule.measure, name.value)}"


def name_rule_words() -> str:
    """Return when a head has a name, in a few sentences."""
    words = QCoreApplication.translate(
        "Measures",
        "What the head does on this text, where that is plain: at least {0} of its attention goes to these "
        "tokens, as a mean over {1} queries or more; “broad” is an entropy as of equal weights on {2} of all "
        "tokens. The rule is this program's own; another text may give another name.",
    )
    return words.format(f"{LEAST_SHARE:.0%}", LEAST_QUERIES, f"{BROAD_SHARE:.0%}")
