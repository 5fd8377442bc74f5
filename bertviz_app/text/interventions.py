"""Interventions: what replaces the output of a head, a token of the input, or one attention weight."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Literal, get_args

from bertviz_app.errors import InterventionError, Message

HeadKind = Literal["zero", "mean", "uniform"]
"""What replaces the output of a head: zeros, its mean over a reference text, or that of equal weights."""
TokenKind = Literal["mask", "replace", "drop", "segment", "position"]
"""What is done to a token: its piece, its segment or its position ID is another, or it is left out."""
HEAD_KINDS: tuple[HeadKind, ...] = get_args(HeadKind)
TOKEN_KINDS: tuple[TokenKind, ...] = get_args(TokenKind)


@dataclass(frozen=True)
class Intervention:
    """One change to a forward pass. Layers, heads and tokens count from 0.

    Tokens are those of the text without interventions, special ones among them: a dropped token does not
    change the numbers of the others.
    """


@dataclass(frozen=True)
class HeadIntervention(Intervention):
    """The output of a head is replaced.

    "zero": by zeros (Michel et al. 2019, arXiv:1905.10650, section 3). "mean": by the mean of the head's
    output over all tokens of the text `reference`, special ones among them, in the model without
    interventions (Wang et al. 2022, arXiv:2211.00593, section 2). "uniform": by the output of a head that
    attends alike to all keys that a query can reach, with weights 1 / n (Kovaleva et al. 2019,
    arXiv:1908.08593, section 4.5). Raises InterventionError for another kind, and unless "mean", and it
    alone, has a reference.
    """

    layer: int
    head: int
    kind: HeadKind = "zero"
    reference: str = ""

    def __str__(self) -> str:
        over = f" over “{self.reference}”" if self.reference else ""
        return f"head {self.layer}.{self.head} {self.kind}{over}"

    def __post_init__(self) -> None:
        _validate_kind(self.kind, HEAD_KINDS)
        if self.kind == "mean" and not self.reference.strip():
            message = Message(
                "The mean of head {0} · {1} needs a reference text over which it is taken.",
                self.layer,
                self.head,
            )
            raise InterventionError(message, Message("Give a reference text."))
        if self.kind != "mean" and self.reference:
            message = Message("A reference text belongs to a mean, not to “{0}”.", self.kind)
            raise InterventionError(message, Message("Choose {0}.", "mean"))


@dataclass(frozen=True)
class TokenIntervention(Intervention):
    """A token is another one, is left out, or has another segment or position ID.

    "mask": it is the tokenizer's mask. "replace": it is the piece `value` of the vocabulary. "drop": it is
    left out, and the tokens after it move up. "segment", "position": its ID is `value`. Raises
    InterventionError for another kind, and for a value that does not fit the kind.
    """

    token: int
    kind: TokenKind = "mask"
    value: str | int | None = None

    @property
    def number(self) -> int:
        """The value of a segment or a position, an ID."""
        assert isinstance(self.value, int)
        return self.value

    def __str__(self) -> str:
        done = self.kind if self.value is None else f"{self.kind} {self.value}"
        return f"token {self.token} {done}"

    def __post_init__(self) -> None:
        _validate_kind(self.kind, TOKEN_KINDS)
        value, kind = self.value, self.kind
        is_id = isinstance(value, int) and not isinstance(value, bool) and value >= 0
        needs = {"replace": isinstance(value, str) and bool(value), "segment": is_id, "position": is_id}
        if not needs.get(kind, value is None):
            expected = {
                "replace": Message("“replace” takes a piece of the vocabulary."),
                "segment": Message("“segment” takes a segment ID, an integer from 0."),
                "position": Message("“position” takes a position ID, an integer from 0."),
            }
            hint = expected.get(kind, Message("“{0}” takes no value.", kind))
            message = Message(
                "The value of “{0}” for token {1} is missing or of another kind.", kind, self.token
            )
            raise InterventionError(message, hint)


@dataclass(frozen=True)
class CellIntervention(Intervention):
    """The weight with which `query` attends to `key` in a head is `weight`.

    The other weights of the row keep their proportions and add up to 1 - `weight`; where they are all 0 they
    become equal. Raises InterventionError for a weight that is not between 0 and 1.
    """

    layer: int
    head: int
    query: int
    key: int
    weight: float

    def __post_init__(self) -> None:
        if not (isinstance(self.weight, Real) and 0 <= self.weight <= 1):  # NaN is not either
            message = Message("An attention weight is between 0 and 1, not {0}.", self.weight)
            raise InterventionError(message, Message("Give a number from 0 to 1."))

    def __str__(self) -> str:
        return f"weight {self.layer}.{self.head} [{self.query}, {self.key}] = {self.weight:g}"

    @property
    def cell(self) -> tuple[int, int, int, int]:
        """The (layer, head, query, key)."""
        return self.layer, self.head, self.query, self.key


def _validate_kind(kind: str, kinds: tuple[str, ...]) -> None:
    if kind not in kinds:
        message = Message("There is no intervention “{0}”.", kind)
        raise InterventionError(message, Message("There are: {0}.", ", ".join(kinds)))
