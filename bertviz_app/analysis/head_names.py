"""Names for heads by their behaviour on one text, such as "previous token": the rules and their order.

The rules are ours. That a head is a previous-token or next-token head where more than half of its attention
goes there on average is how Clark et al. 2019, arXiv:1906.04341, section 3.1, count them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from bertviz_app.analysis.measures import MeasureKey, head_overview
from bertviz_app.errors import Message
from bertviz_app.text.tokens import SpecialNames
from bertviz_app.trace.archive import as_trace
from bertviz_app.types import Floats

if TYPE_CHECKING:
    from bertviz_app.trace import Trace

NameKey = Literal["previous", "next", "first", "separator", "same", "word", "broad"]
"""The stable name of a name in files and scripts."""
Head = tuple[int, int]

LEAST_SHARE = 0.5
"""The least mean weight on its tokens that gives a head a name: half of its attention."""
BROAD_SHARE = 0.75
"""A head is broad from the entropy that equal weights on this share of all tokens have."""
LEAST_QUERIES = 4
"""Over how many queries that mean must be at least: fewer are no evidence."""


@dataclass(frozen=True)
class NameRule:
    """A name, the measure whose value decides, and what people read: `title` of the special tokens' names."""

    key: NameKey
    measure: MeasureKey
    title: Callable[[SpecialNames], Message]


NAME_RULES = (
    NameRule("previous", "previous", lambda names: Message("previous token")),
    NameRule("next", "next", lambda names: Message("next token")),
    NameRule("first", "first", lambda names: Message("on {0}", names.first)),
    NameRule("separator", "separator", lambda names: Message("on {0}", names.separator)),
    NameRule("same", "same", lambda names: Message("itself")),
    NameRule("word", "word", lambda names: Message("same word")),
    NameRule("broad", "entropy", lambda names: Message("broad")),
)
"""All names. "broad": the mean entropy of a row is at least log2(BROAD_SHARE * T) bits, T being the number of
tokens. Each other one: at least LEAST_SHARE of the attention goes to these tokens."""


@dataclass(frozen=True)
class HeadName:
    """What a head does on one text: its rule, and the value of the rule's measure."""

    rule: NameRule
    value: float


def names_of(measures: Mapping[str, Floats], n_queries: Mapping[MeasureKey, int]) -> dict[Head, HeadName]:
    """Return the names of the heads that get one, in order; of several the one with the largest weight.

    `measures`: see `head_measures`; `n_queries`: over how many queries each of them is the mean, see
    `HeadOverview`.
    """
    if n_queries.get("entropy", 0) < LEAST_QUERIES:
        return {}
    *by_weight, broad = (rule for rule in NAME_RULES if n_queries[rule.measure] >= LEAST_QUERIES)
    weights = np.stack([measures[rule.measure] for rule in by_weight])
    entropy, best = measures[broad.measure], weights.argmax(0)
    has_name = weights.max(0) >= LEAST_SHARE
    is_broad = ~has_name & (entropy >= np.log2(BROAD_SHARE * n_queries[broad.measure]))
    names: dict[Head, HeadName] = {}
    for layer, head in np.argwhere(has_name | is_broad).tolist():
        at = layer, head
        rule = broad if is_broad[at] else by_weight[int(best[at])]
        names[at] = HeadName(rule, float(measures[rule.measure][at]))
    return names


def head_names(trace: Trace) -> dict[Head, HeadName]:
    """Return what the heads of a run do on its text, where that is plain.

    A description of one text, not of the head: try others. The rules are ours, see NAME_RULES.

    Parameters
    ----------
    trace : Trace
        The run, such as `model.trace(text)`.

    Returns
    -------
    dict of (layer, head) to HeadName
        `name.rule.key` is one of "previous", "next", "first", "separator", "same", "word" and "broad",
        `name.value` the mean weight on these tokens, of "broad" the mean entropy of a row in bits.

    Raises
    ------
    ArgumentError
        For anything but a trace.
    """
    overview = head_overview(as_trace(trace, "head_names(model.trace(text))"))
    return names_of(overview.measures, overview.n_queries)
