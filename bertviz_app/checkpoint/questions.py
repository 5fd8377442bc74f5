"""What a checkpoint's files may leave open, as questions and answers. Loads no torch."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields

from bertviz_app.errors import CheckpointError

MOST_HEADS = 1_000
_NARROWEST, _USUAL, _WIDEST = 8, 64, 128
"""Widths of a head: nearly all encoders are between the outer two, and most have the middle one."""


@dataclass(frozen=True)
class Answers:
    """None where nothing was said: the count of heads, the epsilon of the norms, lower-casing."""

    n_heads: int | None = None
    norm_eps: float | None = None
    lower_case: bool | None = None

    def __bool__(self) -> bool:
        """Return whether anything was said."""
        return self != Answers()

    def over(self, before: Answers) -> Answers:
        """Return these answers, and those of `before` to what these leave open."""
        given = {name: value for name, value in asdict(self).items() if value is not None}
        return Answers(**(asdict(before) | given))


NO_ANSWERS = Answers()


@dataclass(frozen=True)
class Questions:
    """What can be answered of a checkpoint, and what is in force: answered, or said by its files.

    `n_shared`: the H * E numbers that a layer's heads share. `asks_case`: whether its vocabulary leaves
    open how text is read; `seems_lower_case` is then what its pieces look like, None where nothing tells.
    """

    n_shared: int
    in_force: Answers = NO_ANSWERS
    asks_case: bool = True
    seems_lower_case: bool | None = None

    @property
    def unanswered(self) -> tuple[str, ...]:
        """The fields of Answers that nobody said."""
        return tuple(
            field.name
            for field in fields(Answers)
            if getattr(self.in_force, field.name) is None and (self.asks_case or field.name != "lower_case")
        )

    def head_counts(self) -> tuple[int, ...]:
        """Return the counts of heads that are usual for that many numbers, the likeliest first."""
        counts = [n for n in range(1, min(self.n_shared, MOST_HEADS) + 1) if self.n_shared % n == 0]
        usual = [n for n in counts if _NARROWEST <= self.n_shared // n <= _WIDEST]
        return tuple(sorted(usual or counts, key=lambda n: abs(self.n_shared // n - _USUAL)))


class AnswersError(CheckpointError):
    """A checkpoint opens once its `questions` are answered, or answered otherwise."""

    def __init__(self, message: str, hint: str, questions: Questions) -> None:
        super().__init__(message, hint)
        self.questions = questions
