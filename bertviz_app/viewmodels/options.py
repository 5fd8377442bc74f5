"""Options of the views, and of the overview; what pictures of heads and the views of them agree on."""

from __future__ import annotations

from types import MappingProxyType
from typing import Literal, get_args

import numpy as np

from bertviz_app.analysis.attention.stamp import NUMBERS_KINDS, NumbersKind, SpecialTokens, Stamp
from bertviz_app.analysis.measures import KEYS, MeasureKey
from bertviz_app.types import Floats
from bertviz_app.values import dataclass, replace

Sentences = Literal["all", "aa", "ab", "ba", "bb"]
"""Which queries look at which keys: of both sentences, or from the first one named to the second."""
SENTENCES: tuple[Sentences, ...] = get_args(Sentences)

Scale = Literal["shared", "linear", "log", "row"]
"""What full colour stands for, see `DrawOptions.scale`."""
SCALES: tuple[Scale, ...] = get_args(Scale)

UNIFORM_TIMES = 5
"""Full colour is at least this multiple of the weight of uniform attention, which has a fifth of it then."""

SINK = "▾"
"""Stands behind the label of a key that is an attention sink in the layer that is drawn."""
LEAST = 1e-4
"""Where the logarithmic scale begins: of weights this one, of other numbers this share of the largest."""

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
    "every_layer",
]
"""The options that are on or off."""
ParseArcs = Literal["heads", "dependents", "hidden"]
"""Which way the arcs of a parse lead: from a word to its head, or from a head to its dependents."""
PARSE_ARCS: tuple[ParseArcs, ...] = get_args(ParseArcs)
DrawingChoice = Literal["sentences", "scale", "colours", "numbers", "parse"]
"""The options that have one of several values, see CHOICES."""
CHOICES = MappingProxyType[DrawingChoice, tuple[str, ...]](
    {
        "sentences": SENTENCES,
        "scale": SCALES,
        "colours": COLOURS,
        "numbers": NUMBERS_KINDS,
        "parse": PARSE_ARCS,
    }
)


def shares(weights: Floats, largest: float, scale: Scale) -> Floats:
    """Return how much of full colour each of `weights` [rows, keys] has, from 0 to 1.

    "shared" and "linear": the share of `largest`; "log": 0 at LEAST and 1 at `largest`, evenly between by
    ratios; "row": the share of the row's own largest.
    """
    if scale == "log":
        span = np.log10(max(largest, 10 * LEAST) / LEAST)
        decades = np.log10(np.maximum(weights, LEAST) / np.float32(LEAST))
        return np.clip(decades / np.float32(span), 0, 1).astype(np.float32)
    if scale == "row":
        tops = np.maximum(weights.max(1, keepdims=True, initial=0.0), np.float32(1e-30))
        return np.asarray(weights / tops, np.float32)
    return weights * np.float32(1 / max(largest, 1e-30))


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
    `every_layer`: words are drawn once for each layer, with the mean of its heads.
    `numbers`: one of NUMBERS_KINDS, what every view shows of attention. `parse`: one of PARSE_ARCS, how the
    parse of a sentence that has one is drawn over lines.
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
    parse: ParseArcs = "heads"
    every_layer: bool = False

    def __post_init__(self) -> None:
        for name, known in CHOICES.items():
            if getattr(self, name) not in known:
                raise ValueError(f"{name} must be one of {', '.join(known)}")
        if not 0 <= self.threshold <= 1:
            raise ValueError(f"threshold must be from 0 to 1, not {self.threshold}")

    @property
    def special_tokens(self) -> SpecialTokens:
        """Whether special tokens are shown, hidden, or removed: then the rest of each row adds up to 1."""
        return "shown" if not self.hides_special else "removed" if self.renormalises else "hidden"

    def with_special_tokens(self, treatment: SpecialTokens) -> DrawOptions:
        """Return these with special tokens shown, hidden, or removed, see `special_tokens`."""
        return replace(self, hides_special=treatment != "shown", renormalises=treatment == "removed")

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


Shows = Literal["attention"] | MeasureKey
"""What a head's cell shows: its attention, or one of its measures."""
ATTENTION: Literal["attention"] = "attention"
PAIR: Literal["pair"] = "pair"
"""Order by the weight of the pinned pair, by layer and head while none is pinned."""
Order = MeasureKey | Literal["", "pair"]
Filter = MeasureKey | Literal[""]
SHOWS: tuple[Shows, ...] = (ATTENTION, *KEYS)


@dataclass(frozen=True)
class OverviewChoice:
    """`shows`: one of SHOWS. `is_per_head`: attention is scaled to the head's own largest weight.

    `shows_baselines`: the heads table has null baselines beside each measure.

    `shows_pair`: while a pair of tokens is pinned, its weight in every head is shown instead.

    `ordered_by`: the key of a measure or PAIR, largest first, or "": by layer and head. `filtered_by`: the
    key of a measure that must lie from `least` to `most` (None: no such end), or "": all heads.
    """

    shows: Shows = ATTENTION
    is_per_head: bool = True
    ordered_by: Order = ""
    filtered_by: Filter = ""
    least: float | None = None
    most: float | None = None
    shows_pair: bool = True
    shows_baselines: bool = False

    def __post_init__(self) -> None:
        if self.shows not in SHOWS:
            raise ValueError(f"shows must be one of {', '.join(SHOWS)}")
        for name, more in (("ordered_by", (PAIR,)), ("filtered_by", ())):
            keys = *KEYS, *more
            if getattr(self, name) not in ("", *keys):
                raise ValueError(f"{name} must be one of {', '.join(keys)}, or empty")
        if any(end is not None and not 0 <= end < 1e9 for end in (self.least, self.most)):
            raise ValueError("the ends of the filter must be numbers from 0")

    def order(self, *, has_pair: bool) -> Order:
        """Return by what heads are ordered, where a pair is pinned or not."""
        return "" if self.ordered_by == PAIR and not has_pair else self.ordered_by

    def filtered(self, key: Filter) -> OverviewChoice:
        """Return this filtered by another measure, from no least to no most; by "" not filtered."""
        return replace(self, filtered_by=key, least=None, most=None)


@dataclass(frozen=True)
class Pair:
    """A query token, a key token, either or neither, by their place in the sequence.

    The key of cross-attention is a token of the other text, which has a strip of its own. `partner`: in a
    matrix between the tokens of two runs, the token of the other run.
    """

    query: int | None = None
    key: int | None = None
    partner: int | None = None

    def __bool__(self) -> bool:
        return (self.query, self.key, self.partner) != (None, None, None)

    def within(self, n_tokens: int, n_keys: int | None = None) -> Pair:
        """Return this pair without what a sequence of `n_tokens` does not have; `n_keys`: of other keys."""
        n_keys = n_tokens if n_keys is None else n_keys
        query = self.query if self.query is not None and self.query < n_tokens else None
        key = self.key if self.key is not None and self.key < n_keys else None
        return Pair(query, key, self.partner)


NOTHING = Pair()
