"""The tasks of lessons, and how an answer to each is checked: on the numbers of the run on screen."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from bertviz_app.analysis.measures import KEYS
from bertviz_app.analysis.pairs import attention_column, attention_row, pair_weights
from bertviz_app.errors import Message
from bertviz_app.learning.lessons.conditions import TYPED, Condition, ShownWindow
from bertviz_app.learning.lessons.quantities import AskedNumber, QuantityInputs
from bertviz_app.learning.words import LANGUAGES, Words
from bertviz_app.types import Floats


@dataclass(frozen=True, kw_only=True)
class Task:
    """What every task has: `ask` says what to do, `hint` helps, `why` explains the answer afterwards."""

    kind: ClassVar[str]
    ask: Words
    hint: Words
    why: Words

    @property
    def is_done_by_typing(self) -> bool:
        """Whether the learner types another text."""
        return False

    @property
    def is_done_by_any_text(self) -> bool:
        """Whether any other text does."""
        return False

    @property
    def is_about_station_head(self) -> bool:
        """Whether the answer is a number of the head of the station, or follows from one."""
        return False

    def mistakes(self, run: QuantityInputs) -> Iterator[str]:
        """Yield what is wrong with the task on this run: an answer that it lacks, a claim that is false."""
        yield from ()


_NEEDED = {"looked at most": "query", "looks most": "key", "largest value": "analysis", "named": "token"}
"""Rule for tokens -> the field that it needs."""


@dataclass(frozen=True, kw_only=True)
class TokenRule:
    """Which token is right.

    "looked at most": the key on which `query` puts most weight; "looks most": the query that puts most on
    `key`; "largest value": the token to which `analysis`, which the station shows, gives its largest value;
    "named": `token`. `among`: all tokens, or those of the text.
    """

    of: Literal["looked at most", "looks most", "largest value", "named"]
    query: str | None = None
    key: str | None = None
    token: str | None = None
    analysis: str | None = None
    among: Literal["all", "words"] = "all"

    def __post_init__(self) -> None:
        needed = _NEEDED[self.of]
        if getattr(self, needed) is None:
            raise ValueError(Message("“{0}” also needs “{1}”", self.of, needed))

    def positions(self, run: QuantityInputs) -> frozenset[int]:
        """Return the positions that are right: several only where weights are equal."""
        weights = self.weights(run)
        if weights is None:
            return frozenset({run.find(self.token)})
        left_out = run.trace.tokens.is_special if self.among == "words" else False
        values = np.where(left_out, -np.inf, weights)
        return frozenset(np.flatnonzero(values == values.max()).tolist())

    def weights(self, run: QuantityInputs) -> Floats | None:
        """Return the numbers among which the right one is the largest; None where the token is named.

        Raises MissingError.
        """
        at = run.trace, run.layer, run.head
        if self.of == "largest value":
            return run.values_of(self.analysis or "")
        if self.of == "looked at most":
            return attention_row(*at, run.find(self.query))
        return None if self.of == "named" else attention_column(*at, run.find(self.key))


@dataclass(frozen=True, kw_only=True)
class TokenTask(Task):
    """Click a token."""

    kind: ClassVar[str] = "token"
    answer: TokenRule

    @property
    def is_about_station_head(self) -> bool:
        """Whether the right token follows from the weights of that head."""
        return self.answer.of != "named"

    def is_right(self, run: QuantityInputs, position: int) -> bool:
        """Return whether the token at `position` is meant."""
        return position in self.answer.positions(run)

    def mistakes(self, run: QuantityInputs) -> Iterator[str]:
        """Yield that the answer is ambiguous."""
        if len(self.answer.positions(run)) > 1:
            yield Message("several tokens are equally right")


@dataclass(frozen=True, kw_only=True)
class HeadRule:
    """Which heads are right: the first `best` by a measure, or by the weight of `query` on `key`."""

    measure: str | None = None
    query: str | None = None
    key: str | None = None
    best: int = 1
    least: bool = False

    def __post_init__(self) -> None:
        if (self.measure is None) == (self.query is None or self.key is None):
            raise ValueError(Message("it needs either “measure”, or “query” and “key”"))
        if self.measure is not None and self.measure not in KEYS:
            raise ValueError(
                Message("“{0}” is “{1}”, which is not one of {2}", "measure", self.measure, ", ".join(KEYS))
            )
        if self.best < 1:
            raise ValueError(Message("“{0}” must be at least {1}", "best", 1))

    def values(self, run: QuantityInputs) -> Floats:
        """Return the number of every head, [L, H]."""
        if self.measure is not None:
            return run.measure(self.measure)
        return pair_weights(run.trace, run.find(self.query), run.find(self.key))

    def heads(self, run: QuantityInputs) -> tuple[tuple[int, int], ...]:
        """Return (layer, head) of the right ones, the best first."""
        values = self.values(run)
        order = np.argsort(values if self.least else -values, axis=None, kind="stable")[: self.best]
        layers, heads = np.unravel_index(order, values.shape)
        return tuple(zip(layers.tolist(), heads.tolist(), strict=True))


@dataclass(frozen=True, kw_only=True)
class HeadTask(Task):
    """Click a head in the overview."""

    kind: ClassVar[str] = "head"
    answer: HeadRule

    def is_right(self, run: QuantityInputs, head: tuple[int, int]) -> bool:
        """Return whether (layer, head) is one of the right ones."""
        return head in self.answer.heads(run)

    def mistakes(self, run: QuantityInputs) -> Iterator[str]:
        """Yield that every head would be right."""
        if len(self.answer.heads(run)) == run.trace.n_layers * run.trace.n_heads:
            yield Message("every head is right")


@dataclass(frozen=True, kw_only=True)
class NumbersTask(Task):
    """Type one or more numbers, each within `within` of the right one.

    Where `unit` is "%", they are shares, which may be typed as percentages with or without the sign.
    """

    kind: ClassVar[str] = "numbers"
    answers: tuple[AskedNumber, ...]
    within: float = 0.01
    unit: Literal["", "%"] = ""

    def __post_init__(self) -> None:
        if not self.answers:
            raise ValueError(Message("“{0}” has fewer than {1} items", "answers", 1))
        if self.within <= 0:
            raise ValueError(Message("“{0}” must be greater than {1}", "within", 0))

    @property
    def is_about_station_head(self) -> bool:
        """Whether one of the numbers is of that head."""
        return any(answer.is_of_station_head for answer in self.answers)

    def right(self, run: QuantityInputs) -> tuple[float, ...]:
        return tuple(run.number(answer) for answer in self.answers)

    def wrong(self, run: QuantityInputs, numbers: Sequence[float]) -> tuple[int, ...]:
        """Return which of `numbers` are wrong, counted from 0."""
        # The last digit that is shown may be rounded, so a little more than `within` is let through.
        far = [
            min(abs(typed - each) for typed in self.meanings(given)) > self.within * 1.001
            for given, each in zip(numbers, self.right(run), strict=False)
        ]
        return tuple(np.flatnonzero(far).tolist())

    def meanings(self, typed: float) -> tuple[float, ...]:
        """Return what a number that was typed may mean: of shares, also a percentage."""
        return (typed, typed / 100) if self.unit == "%" and typed > 1 else (typed,)

    def is_right(self, run: QuantityInputs, numbers: Sequence[float]) -> bool:
        return len(numbers) == len(self.answers) and not self.wrong(run, numbers)

    def mistakes(self, run: QuantityInputs) -> Iterator[str]:
        """Yield that a right number cannot be typed."""
        if not all(map(math.isfinite, self.right(run))):
            yield Message("a right number is not finite")


_COMPARISONS: dict[str, Callable[[float, float], bool]] = {
    "<": lambda left, right: left < right,
    ">": lambda left, right: left > right,
    "=": lambda left, right: abs(left - right) <= 1e-6 * max(1.0, abs(left), abs(right)),
}


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A statement about the run on which a text or the right answer of a choice rests; the tests check it."""

    left: AskedNumber
    is_: Literal["<", ">", "="]
    right: AskedNumber

    def holds(self, run: QuantityInputs) -> bool:
        """Return whether it is true of `run`."""
        return _COMPARISONS[self.is_](run.number(self.left), run.number(self.right))


def false_claims(claims: Sequence[Claim], run: QuantityInputs) -> Iterator[str]:
    """Yield the claims that are not true of `run`."""
    for claim in claims:
        if not claim.holds(run):
            left, right = run.number(claim.left), run.number(claim.right)
            yield Message(
                "the claim “{0} {1} {2}” is false: {3}, {4}",
                claim.left.of,
                claim.is_,
                claim.right.of,
                f"{left:.6g}",
                f"{right:.6g}",
            )


@dataclass(frozen=True, kw_only=True)
class ChoiceTask(Task):
    """Choose one of several answers; `right` counts from 0.

    `reasons` say why an option is wrong, one for each option, null for the right one.
    """

    kind: ClassVar[str] = "choice"
    options: tuple[Words, ...]
    right: int
    reasons: tuple[Words | None, ...] = ()
    claims: tuple[Claim, ...] = ()

    def __post_init__(self) -> None:
        if len(self.options) < 2:
            raise ValueError(Message("“{0}” has fewer than {1} items", "options", 2))
        if not 0 <= self.right < len(self.options):
            raise ValueError(Message("“{0}” must be from {1} to {2}", "right", 0, len(self.options) - 1))
        if self.reasons and len(self.reasons) != len(self.options):
            raise ValueError(Message("“{0}” must have as many items as “{1}”", "reasons", "options"))
        if self.reasons and self.reasons[self.right] is not None:
            raise ValueError(Message("“{0}” must be null for the right option", "reasons"))

    @property
    def is_about_station_head(self) -> bool:
        """Whether a claim that makes the option right is about that head."""
        return any(side.is_of_station_head for claim in self.claims for side in (claim.left, claim.right))

    def reason(self, option: int) -> Words | None:
        """Return why `option` is wrong; None where the lesson does not say it."""
        return self.reasons[option] if self.reasons else None

    def is_right(self, run: QuantityInputs, option: int) -> bool:
        """Return whether `option` is the right one."""
        return option == self.right

    def mistakes(self, run: QuantityInputs) -> Iterator[str]:
        """Yield the claims that are false."""
        yield from false_claims(self.claims, run)
        for language in LANGUAGES:
            if len({option.in_language(language) for option in self.options}) < len(self.options):
                yield Message("two options are the same")


@dataclass(frozen=True, kw_only=True)
class OrderTask(Task):
    """Put items into their order, which is the one in the file; `values`, if given, must grow in it."""

    kind: ClassVar[str] = "order"
    items: tuple[Words, ...]
    values: tuple[AskedNumber, ...] = ()

    def __post_init__(self) -> None:
        if len(self.items) < 3:
            raise ValueError(Message("“{0}” has fewer than {1} items", "items", 3))
        if self.values and len(self.values) != len(self.items):
            raise ValueError(Message("“{0}” must have as many items as “{1}”", "values", "items"))

    @property
    def shuffled(self) -> tuple[int, ...]:
        """The order in which the items are shown at first: the same each time, never the right one."""
        n_items = len(self.items)
        return tuple((index * 2 + 1) % n_items if n_items % 2 else index ^ 1 for index in range(n_items))

    def is_right(self, run: QuantityInputs, order: Sequence[float]) -> bool:
        return list(order) == list(range(len(self.items)))

    def mistakes(self, run: QuantityInputs) -> Iterator[str]:
        """Yield that the order in the file is not that of the values."""
        values = [run.number(value) for value in self.values]
        if values != sorted(values):
            numbers = ", ".join(f"{value:.6g}" for value in values)
            yield Message("the values do not grow: {0}", numbers)


@dataclass(frozen=True, kw_only=True)
class DoTask(Task):
    """Do something in the window; it is noticed without a button."""

    kind: ClassVar[str] = "do"
    done: Condition

    @property
    def is_done_by_typing(self) -> bool:
        """Whether what is to be done is to type another text."""
        return self.done.of in TYPED

    @property
    def is_done_by_any_text(self) -> bool:
        """Whether any other text does; else the one that is there is to be changed."""
        return self.done.of == "text changed"

    def is_right(self, window: ShownWindow) -> bool:
        return self.done.is_met(window)


KINDS: dict[str, type[Task]] = {
    each.kind: each for each in (TokenTask, HeadTask, NumbersTask, ChoiceTask, OrderTask, DoTask)
}
