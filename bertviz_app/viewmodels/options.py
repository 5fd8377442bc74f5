"""`Options`: how heads are drawn, chosen once for all panels so that they can be compared."""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Literal, TypedDict, Unpack, cast, get_args

from PySide6.QtCore import QObject, Signal

from bertviz_app.analysis.attention.stamp import NUMBERS_KINDS, NumbersKind, SpecialTokens, Stamp

Sentences = Literal["all", "aa", "ab", "ba", "bb"]
"""Which queries look at which keys: of both sentences, or from the first one named to the second."""
SENTENCES: tuple[Sentences, ...] = get_args(Sentences)

Scale = Literal["shared", "linear", "log", "row"]
"""What full colour stands for, see `DrawOptions.scale`."""
SCALES: tuple[Scale, ...] = get_args(Scale)

UNIFORM_TIMES = 5
"""Full colour is at least this multiple of the weight of uniform attention, which has a fifth of it then."""

Colours = Literal["theme", "viridis", "magma", "cividis", "diverging"]
"""The colour map of a matrix; "theme" is that of the light or dark theme."""
COLOURS: tuple[Colours, ...] = get_args(Colours)


Switch = Literal[
    "hides_special",
    "hides_punctuation",
    "renormalises",
    "joins_words",
    "joins_at_spaces",
    "writes_weights",
    "shows_sums",
    "marks_maxima",
]
"""The options that are on or off."""
DrawingChoice = Literal["sentences", "scale", "colours", "numbers"]
"""The options that have one of several values, see CHOICES."""
CHOICES = MappingProxyType[DrawingChoice, tuple[str, ...]](
    {"sentences": SENTENCES, "scale": SCALES, "colours": COLOURS, "numbers": NUMBERS_KINDS}
)


@dataclass(frozen=True)
class DrawOptions:
    """What is left out, joined and emphasised in the drawing of a head.

    `threshold`: weights below it get no line. `sentences`: one of SENTENCES. `joins_words`: the pieces
    of a word are one place, whose weight is the mean over the query's pieces of the sum over the key's
    (Clark et al. 2019, arXiv:1906.04341, section 4.1). `joins_at_spaces`: likewise for what white space
    separates (eojeol, "can't", "3.14"), whatever words the tokenizer has. `renormalises`: what is left of a
    row after hiding is divided by its sum. `scale`: one of SCALES, what full colour stands for. "shared": the
    largest weight of the head in runs A and B, but at least UNIFORM_TIMES that of uniform attention, so that
    uniform attention is pale and both runs can be compared; "linear": the largest weight of what is drawn;
    "log": the same on a logarithmic scale; "row": each row's own largest. `colours`: one of COLOURS.
    `numbers`: one of NUMBERS_KINDS, what every view shows of attention.
    """

    threshold: float = 0.0
    sentences: Sentences = "all"
    hides_special: bool = False
    hides_punctuation: bool = False
    renormalises: bool = False
    joins_words: bool = False
    joins_at_spaces: bool = False
    writes_weights: bool = False
    scale: Scale = "shared"
    colours: Colours = "theme"
    shows_sums: bool = False
    marks_maxima: bool = False
    numbers: NumbersKind = "weight"

    def __post_init__(self) -> None:
        for name, known in CHOICES.items():
            if getattr(self, name) not in known:
                raise ValueError(f"{name} must be one of {', '.join(known)}")
        if not 0 <= self.threshold <= 1:
            raise ValueError(f"threshold must be from 0 to 1, not {self.threshold}")

    @property
    def special_tokens(self) -> SpecialTokens:
        """Whether special tokens are shown, hidden, or removed: then the rest of each row adds up to 1."""
        if not self.hides_special:
            return "shown"
        return "removed" if self.renormalises else "hidden"

    @property
    def stamp(self) -> Stamp:
        """Which numbers these options ask for, and of which tokens."""
        return Stamp(self.numbers, self.special_tokens)

    @property
    def makes_picture(self) -> tuple[object, ...]:
        """What a picture is made with; the other options only decide how it is shown."""
        return (
            self.sentences,
            self.hides_special,
            self.hides_punctuation,
            self.renormalises,
            self.joins_words,
            self.joins_at_spaces,
            self.scale,
        )


class DrawOptionFields(TypedDict, total=False):
    """Some fields of `DrawOptions`."""

    threshold: float
    sentences: Sentences
    hides_special: bool
    hides_punctuation: bool
    renormalises: bool
    joins_words: bool
    joins_at_spaces: bool
    writes_weights: bool
    scale: Scale
    colours: Colours
    shows_sums: bool
    marks_maxima: bool
    numbers: NumbersKind


class Options(QObject):
    """The options in force."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.value = DrawOptions()

    def set(self, value: DrawOptions) -> None:
        if value != self.value:
            self.value = value
            self.changed.emit()

    def change(self, **fields: Unpack[DrawOptionFields]) -> None:
        """Change some fields; raises ValueError for what they cannot be."""
        self.set(replace(self.value, **fields))

    def switch(self, name: Switch, is_on: bool) -> None:
        fields: DrawOptionFields = {}
        fields[name] = is_on
        self.change(**fields)

    def treat_special_tokens(self, treatment: SpecialTokens) -> None:
        """Show special tokens, hide them, or remove them and divide the rest of each row by its sum."""
        self.change(hides_special=treatment != "shown", renormalises=treatment == "removed")

    def choose(self, name: DrawingChoice, value: str) -> None:
        """Choose one of CHOICES of an option; raises ValueError for what is none of them."""
        self.change(**cast(DrawOptionFields, {name: value}))  # checked by DrawOptions itself
