"""What a station of a lesson trains: a classifier on real labels, and one on random labels."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, get_args

from bertviz_app.errors import Message
from bertviz_app.values import dataclass, replace

Labels = Literal["real", "random"]
LABELS: tuple[Labels, ...] = get_args(Labels)
Rows = Literal["questions", "reviews"]
ROWS_OF: Mapping[str, Rows] = MappingProxyType({"en": "questions", "ko": "reviews"})
"""The rows in each language of the interface: sentences that are questions or not, or film reviews."""
NAMES: Mapping[Labels, Message] = MappingProxyType(
    {"real": Message("Real labels"), "random": Message("Random labels")}
)
"""What the two trainings are called."""
_MOST_ROWS = 320


@dataclass(frozen=True, kw_only=True)
class LabelTraining:
    """A fine-tuning of the bundled checkpoint, once by the labels of its rows and once by random ones.

    `rows`: those that it is done on; None for those of the interface's language. The same `seed` gives the
    same rows, labels and order. `n_rows` are trained on; 1.25 times as many other rows are held out.
    """

    n_rows: int = _MOST_ROWS
    epochs: int = 8
    seed: int = 0
    rows: Rows | None = None

    def in_language(self, language: str) -> LabelTraining:
        """Return it with the rows of a language, unless it names some."""
        return replace(self, rows=self.rows or ROWS_OF[language])

    def __post_init__(self) -> None:
        for name, least, most in (("n_rows", 8, _MOST_ROWS), ("epochs", 1, 50)):
            if not least <= getattr(self, name) <= most:
                raise ValueError(Message("“{0}” must be from {1} to {2}", name, least, most))


@dataclass(frozen=True)
class LabelResult:
    """Accuracies as shares of 1: in the last epoch on the training rows, and on rows that were held out.

    `baseline`: of always answering the commonest label.
    """

    training_accuracy: float
    held_out_accuracy: float
    baseline: float


@dataclass(frozen=True)
class LabelProgress:
    """How far one of them is, 0 to 1; `accuracy` is that of its last step, None before the first.

    `accuracies` and `losses` are those of all steps so far.
    """

    share: float = 0.0
    accuracy: float | None = None
    result: LabelResult | None = None
    accuracies: tuple[float, ...] = ()
    losses: tuple[float, ...] = ()
