"""`Logits`: what the task heads of a checkpoint say to one input, before any softmax."""

from __future__ import annotations

from dataclasses import dataclass

from bertviz_app.types import Floats

ONE_LABEL, MANY_LABELS, REGRESSION = PROBLEMS = (
    "single_label_classification",
    "multi_label_classification",
    "regression",
)
"""What a classifier may be trained for, in the words of config.json."""


@dataclass(frozen=True)
class Meaning:
    """What the numbers of the heads stand for, as the checkpoint's configuration has it.

    `labels` are its names of its classes, as many as there are classes, or none. `problem` is one of
    PROBLEMS, None where it is not said. `orders_sentences`: the head for next sentences tells whether two
    texts stand in their order (ALBERT), not whether the second follows (BERT).
    """

    labels: tuple[str, ...] = ()
    problem: str | None = None
    orders_sentences: bool = False


UNANSWERED = Meaning()


@dataclass(frozen=True, eq=False)
class Logits:
    """Float32, read-only; None where the checkpoint has no such head. V pieces, N classes.

    `next_sentence`: BERT's "follows", "does not"; ALBERT's "in order", "swapped".
    """

    masked: Floats | None  # [T, V], which piece stands at each place; [P, V] where P places were asked for
    next_sentence: Floats | None  # [2]
    replaced: Floats | None  # [T], above 0 for a token that was replaced
    classes: Floats | None  # [N]
    meaning: Meaning = UNANSWERED

    def __post_init__(self) -> None:
        for array in (self.masked, self.next_sentence, self.replaced, self.classes):
            if array is not None:
                array.flags.writeable = False

    @property
    def labels(self) -> tuple[str, ...]:
        """The checkpoint's names of its classes."""
        return self.meaning.labels
