"""`Logits`: the outputs of a checkpoint's task heads for one input, before any softmax."""

from __future__ import annotations

from dataclasses import dataclass

from bertviz_app.types import Floats

ONE_LABEL, MANY_LABELS, REGRESSION = PROBLEMS = (
    "single_label_classification",
    "multi_label_classification",
    "regression",
)
"""What a classifier may be trained for, by the values of problem_type in config.json."""


ACTIVATIONS = ("Identity", "Sigmoid", "Tanh")
"""The functions of torch that a cross-encoder's scores may go through."""
HEADS = ("masked", "next_sentence", "replaced", "classes", "token_labels", "answer")
"""The task heads that a checkpoint may have: the fields of `Logits`."""


@dataclass(frozen=True)
class Meaning:
    """What the logits stand for, by the checkpoint's configuration.

    `labels` are the names of its classes, of texts or of tokens: one for each class, or none. `problem` is
    one of PROBLEMS, None where the configuration has none. `orders_sentences`: the head for next sentences
    predicts whether two texts are in their order (ALBERT), not whether the second follows the first (BERT).
    `activation` is what a cross-encoder's scores go through by sentence-transformers, one of ACTIVATIONS.
    """

    labels: tuple[str, ...] = ()
    problem: str | None = None
    orders_sentences: bool = False
    activation: str | None = None


UNANSWERED = Meaning()


@dataclass(frozen=True, eq=False)
class Logits:
    """The logits of one input, float32, read-only: None for a head that the checkpoint does not have.

    V is the number of pieces, N that of classes. The logits of `next_sentence` are BERT's "follows" and "does
    not", or ALBERT's "in order" and "swapped".
    """

    masked: Floats | None  # [T, V], of each position; [P, V] where P positions were requested
    next_sentence: Floats | None  # [2]
    replaced: Floats | None  # [T], above 0 for a token that was replaced
    classes: Floats | None  # [N]
    meaning: Meaning = UNANSWERED
    token_labels: Floats | None = None  # [T, N]
    answer: Floats | None = None  # [T, 2]: the answer begins, and ends, at this token

    def __post_init__(self) -> None:
        for name in HEADS:
            array: Floats | None = getattr(self, name)
            if array is not None:
                array.flags.writeable = False

    @property
    def labels(self) -> tuple[str, ...]:
        """The checkpoint's names of its classes."""
        return self.meaning.labels
