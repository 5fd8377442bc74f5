"""What pictures of results, their axes and their parts are called, and how their numbers are written."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from functools import partial

from PySide6.QtCore import QCoreApplication

from bertviz_app.analysis.names import AXES, BASELINES, COLUMNS, NUMBERS, PARTS
from bertviz_app.analysis.picture import Axis, Index, Picture, Quantity
from bertviz_app.tables import column_name
from bertviz_app.typeset import fixed, signed
from bertviz_app.values import dataclass
from bertviz_app.viewmodels.stages.stops import STAGES, TASK_HEADS
from bertviz_app.viewmodels.wording import translated
from bertviz_app.views.kit.words import quantity_words
from bertviz_app.views.overview.heads_table import measure_words

COUNT = "count"
"""The unit of numbers that count: they are written without decimals."""


def axis_word(name: str) -> str:
    """Return what an axis is called, in the language in force; an unknown one as the analysis calls it."""
    return translated(AXES[name]) if name in AXES else name


def column_word(key: str) -> str:
    """Return the name of a column in the language in force; a key that has none stands for itself."""
    if key in COLUMNS:
        return translated(COLUMNS[key])
    title = scalar_title(key)
    return axis_word(key) if title == key else title


def scalar_title(key: str) -> str:
    """Return the name of a number of a head: that of a measure in the language in force, else its key.

    `key`: that of the number, or the name of its column in a table.
    """
    titles = {str(measure): words.title for measure, words in measure_words().items()}
    if key in titles:
        return titles[key]
    base, _, ending = key.rpartition("_")
    if base in titles and ending in BASELINES:
        return translated(BASELINES[ending]).format(titles[base])
    named = (words for name, words in NUMBERS.items() if column_name(name) == column_name(key))
    return translated(next(named, "")) or re.sub("^([12])_([12])$", r"\1 → \2", key)  # of sentences


def part_word(picture: Picture, axis: Axis, index: int) -> str:
    """Return what an index of an axis is called: "Layer 3", a token, the name of a series."""
    label = axis.labels[index]
    if label in picture.words:
        return translated(picture.words[label])
    if axis.name == "scalar":
        return scalar_title(label)
    if axis.name == "head of all":
        return QCoreApplication.translate("PanelCard", "Layer {0} · Head {1}").format(*label.split("·"))
    return translated(PARTS[axis.name]).format(label) if axis.name in PARTS else label


def label_of(picture: Picture, label: str) -> str:
    """Return what is written for a label of an axis."""
    return translated(picture.words[label]) if label in picture.words else label


def title_of(picture: Picture) -> str:
    """Return what the numbers of a picture are."""
    if picture.title is not None:
        return translated(picture.title)
    if picture.key == "value":
        return quantity_words(picture.quantity)
    key, title = picture.key, scalar_title(picture.key)
    of_array = STAGES[key].title if key in STAGES else TASK_HEADS.get(key)
    return title if title != key or of_array is None else translated(of_array)


def unit_of(quantity: Quantity) -> str:
    """Return the unit as it stands behind a number, "" where the number says enough."""
    return quantity_words(quantity) if quantity.unit not in ("", "weight", COUNT) else ""


def colours_of(picture: Picture) -> str:
    """Return what the colours of a picture stand for, with its unit."""
    title, unit = title_of(picture), unit_of(picture.quantity)
    return f"{title}, {unit}" if unit and unit != title and not picture.categories else title


def lines_of(picture: Picture, part: tuple[int, ...]) -> list[str]:
    """Return what is read out of a part: what it is, its number with its interval, and what else is known."""
    index: Index = {axis.name: at for axis, at in zip(picture.axes, part, strict=True)}
    names = [part_word(picture, axis, at) for axis, at in zip(picture.axes, part, strict=True)]
    text = [] if picture.text is None else [str(picture.text[part])]
    names = [name for name in names if name and not (text and text[0].startswith(f"{name} · "))]
    name = " · ".join([*names, *text])
    lines = [name, number_line(picture, part)]
    if picture.baseline is not None and not math.isnan(picture.baseline[part]):
        words = QCoreApplication.translate("Pictures", "compared with {0}")
        lines.append(words.format(number_of(picture.quantity)(float(picture.baseline[part]))))
    return [*lines, *map(translated, picture.details(index))]


def number_line(picture: Picture, part: tuple[int, ...]) -> str:
    """Return the number of a part with what it is, its unit, and the ends of its interval."""
    translate, value = QCoreApplication.translate, float(picture.values[part])
    if picture.categories:
        name = translated(picture.categories[int(value)][1])
        return translate("Pictures", "{0} {1} (rule of this program)").format(title_of(picture), name)
    write = number_of(picture.quantity)
    line = f"{title_of(picture)} {write(value)} {unit_of(picture.quantity)}".rstrip()
    if picture.low is not None and picture.high is not None:
        ends = float(picture.low[part]), float(picture.high[part])
        if not any(map(math.isnan, ends)):
            line += translate("Pictures", " ({0} to {1})").format(*map(write, ends))
    if picture.quantity.is_signed and abs(value) < picture.quantity.noise:
        line += translate("Pictures", ", no more than rounding")
    return line


def number_of(quantity: Quantity) -> Callable[[float], str]:
    """Return what writes a number alone: counts without decimals, what can be negative with its sign."""
    if quantity.unit == COUNT:
        return lambda value: f"{value:,.0f}"
    return partial(signed, digits=4) if quantity.is_signed else fixed


@dataclass(frozen=True)
class Scale:
    """What full colour stands for, what is written in a cell and beside the colour bar."""

    largest: float
    write: Callable[[float], str]
    bar: tuple[str, str, str]
    widest: str

    @classmethod
    def of(cls, picture: Picture) -> Scale:
        """Return the scale of a picture: of categories each has its colour whichever others there are."""
        largest, quantity = picture.top or picture.largest, picture.quantity
        if picture.categories:
            marks = [translated(short) for short, _ in picture.categories]
            bar = (marks[-1], marks[len(marks) // 2], marks[0])
            return cls(float(len(marks) - 1), lambda value: marks[int(value)], bar, max(marks, key=len))
        if quantity.unit == COUNT:
            write = number_of(quantity)
            return cls(largest, write, (write(largest), "", "0"), write(largest))
        digits = min(max(2 - math.floor(math.log10(largest)), 0), 6) if largest else 2
        if quantity.is_signed:
            write = partial(signed, digits=digits)
            return cls(largest, write, (write(largest), "0", write(-largest)), write(largest))
        write = partial(fixed, digits=digits)
        return cls(largest, write, (write(largest), unit_of(quantity), "0"), write(largest))


def chosen_words(picture: Picture, chosen: Mapping[str, int]) -> list[str]:
    """Return what the menus of a picture have chosen, for what stands above a saved one."""
    menus = (axis for axis in picture.menus if len(axis) > 1 and axis.name != picture.beside)
    return [part_word(picture, axis, min(chosen.get(axis.name, 0), len(axis) - 1)) for axis in menus]
