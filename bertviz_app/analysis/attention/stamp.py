"""`Stamp`: which numbers of attention are shown, and of which tokens. Loaded with the first window."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from bertviz_app.text import Tokens

NumbersKind = Literal["weight", "norm", "residual"]
"""Attention weights; the norm of what each head adds; that of the layer with residual and layer norm."""
NUMBERS_KINDS: tuple[NumbersKind, ...] = get_args(NumbersKind)

SpecialTokens = Literal["shown", "hidden", "removed"]
"""Special tokens are shown; left out; or left out, and what remains of each row is divided by its sum."""
SPECIAL_TOKENS: tuple[SpecialTokens, ...] = get_args(SpecialTokens)

ANALYSES: MappingProxyType[NumbersKind, str] = MappingProxyType(
    {"norm": "norm-attention", "residual": "norm-attention-residual"}
)
"""The analyses of the catalogue whose results are shown instead of weights."""


@dataclass(frozen=True)
class Stamp:
    """The kind of numbers and the tokens that a view or a file shows, as it states them."""

    numbers: NumbersKind = "weight"
    special_tokens: SpecialTokens = "shown"

    @property
    def is_share(self) -> bool:
        """Whether each row adds up to 1, or to less where tokens are hidden."""
        return self.numbers == "weight" or self.special_tokens == "removed"

    @property
    def facts(self) -> dict[str, str]:
        """The lines that files have: the kind, its analysis unless it is weights, and the special tokens."""
        analysis = ANALYSES.get(self.numbers)
        facts: dict[str, str] = {"numbers": self.numbers, "special_tokens": self.special_tokens}
        return facts if analysis is None else facts | {"numbers_analysis": analysis}

    @property
    def text(self) -> str:
        """The same in one cell of a table: "norm, special tokens removed"."""
        return f"{self.numbers}, special tokens {self.special_tokens}"

    def included(self, tokens: Tokens) -> NDArray[np.bool_]:
        """Return [T], which tokens are shown; all of them where none would be left."""
        if self.special_tokens == "shown" or tokens.is_special.all():
            return np.ones(len(tokens), bool)
        included: NDArray[np.bool_] = ~tokens.is_special
        return included


WEIGHTS = Stamp()
"""Attention weights of all tokens."""
