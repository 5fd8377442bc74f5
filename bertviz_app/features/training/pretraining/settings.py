"""The settings of a pre-training, and the numbers it reports. Loads no torch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from bertviz_app.encoder.config import EncoderConfig
from bertviz_app.errors import Message
from bertviz_app.features.training.settings import (
    PRECISIONS,
    STORES,
    Listener,
    LoopSettings,
    StepFacts,
    check_counts,
    check_loop,
    check_share,
    refuse,
)
from bertviz_app.values import dataclass, explained

if TYPE_CHECKING:
    from bertviz_app.features.training.pretraining.network import PretrainingNetwork  # noqa: F401 - named in a string below


RANDOM, SINUSOIDS = POSITION_STARTS = ("random", "sinusoids")
"""What the position embeddings are before the training."""
LINEAR, CONSTANT = SCHEDULES = ("linear", "constant")
"""How the rate goes after its warm-up: down in a line, or constant until the last part of the run."""


@dataclass(frozen=True)
class PretrainingSettings(LoopSettings):
    """The sizes of the model, and how it is trained: until `steps`, `tokens` or `minutes` are reached.

    With the schedule "constant" the end may be left open, and set or moved whenever the run is resumed: the
    rate only depends on it in the last `cool_down` of the run.
    """

    n_layers: int = explained(6, "Layers of the encoder.")
    n_heads: int = explained(8, "Heads of a layer.")
    width: int = explained(256, "Numbers of a hidden state.")
    vocabulary_size: int = explained(16_000, "Pieces at most.")
    n_positions: int = explained(256, "Tokens it reads at most.")
    length: int = explained(128, "Tokens of an example.")
    long_from: float = explained(
        0.9, "From this share of the run on examples are as long as can be (Devlin et al., A.2)."
    )
    batch_tokens: int = explained(4096, "Tokens of a step of the optimiser, with padding.")
    first_batch_tokens: int | None = None  # of the first step; grows in a line to `batch_tokens` ...
    growth_tokens: int = 0  # ... over this number of tokens
    part_tokens: int = explained(2048, "Tokens of one pass; a batch is the sum of several.")
    single_share: float = explained(0.0, "Share of the examples that are no pair.")
    open_share: float = explained(
        0.0, "Share of the segments without their final full stop, as texts are typed."
    )
    initial_std: float = explained(0.02, "Standard deviation of the first weights.")
    positions_start: str = explained(
        RANDOM, "What the position embeddings are before the training.", POSITION_STARTS
    )
    schedule: str = explained(
        LINEAR,
        "linear: warms up, then falls to 0; constant: warms up, stays, and falls at the end.",
        SCHEDULES,
    )
    rate: float = explained(1e-3, "The highest learning rate.")
    warm_up: float = 0.05  # share of the run; "linear" only
    warm_up_tokens: int = 1_000_000  # "constant" only: its end may not be known yet
    cool_down: float = explained(0.1, "Share of the run over which a constant rate falls at its end.")
    decay: float = 0.01
    clip: float = 1.0
    steps: int | None = explained(None, "Steps of the optimiser.")
    tokens: int | None = explained(None, "Tokens read, without padding.")
    minutes: float | None = explained(None, "Of training, over all parts of the run.")
    seed: int = explained(0, "Seed of everything random.")
    precision: str = explained("auto", "auto: bfloat16 where the device computes in it.", PRECISIONS)
    stores: str = explained("float32", "How the numbers are written; float16 takes half the space.", STORES)
    evaluate_every: int = 500  # steps
    save_every: float = 120.0  # seconds
    snapshot_every: int | None = explained(None, "Keep the model every N steps, too.")
    column: str = explained(
        "",
        "The column of the texts, by its name, or its number from 1; with it CSV, TSV and JSON are "
        "tables, too.",
    )
    _changeable = (
        *("steps", "tokens", "minutes", "cool_down", "length", "long_from", "batch_tokens"),
        *("first_batch_tokens", "growth_tokens", "column"),
    )

    def validate(self) -> None:
        """Raise TrainingError for settings that no model or no run can have."""
        check_counts(
            (Message("layers"), self.n_layers),
            (Message("heads"), self.n_heads),
            (Message("width"), self.width),
            (Message("vocabulary"), self.vocabulary_size),
        )
        check_share(Message("single texts"), self.single_share)
        check_share(Message("open ends"), self.open_share)
        check_loop(self)
        self._validate_schedule()
        least, first = min(self.batch_tokens, self.part_tokens), self.first_batch_tokens
        refuse(
            (
                self.width % self.n_heads > 0,
                Message("A width of {0} cannot be shared by {1} heads.", self.width, self.n_heads),
                Message("Give a width that the number of heads divides."),
            ),
            (
                self.length > self.n_positions or self.length < 8,
                Message(
                    "Examples of {0} tokens do not go with {1} positions.", self.length, self.n_positions
                ),
                Message("Give a length from 8 to the number of positions."),
            ),
            (
                least < self.n_positions,
                Message("A batch of {0} tokens cannot hold one text of {1}.", least, self.n_positions),
                Message("Give a larger batch."),
            ),
            (
                first is not None and not 0 < first <= self.batch_tokens,
                Message("A first batch of {0} tokens cannot grow to {1}.", first, self.batch_tokens),
                Message("Give a number above 0 and at most that of a batch."),
            ),
            (
                not 0 < self.initial_std < 1,
                Message("The standard deviation of the first weights is {0}.", self.initial_std),
                Message("Give one above 0 and below 1, such as 0.02."),
            ),
            (
                self.positions_start not in POSITION_STARTS,
                Message("Position embeddings cannot start as {0}.", self.positions_start),
                Message("Give one of: {0}.", ", ".join(POSITION_STARTS)),
            ),
        )

    def _validate_schedule(self) -> None:
        ends = (self.steps, self.tokens, self.minutes)
        refuse(
            (
                not 0 < self.rate < 1,
                Message("The rate is {0}.", self.rate),
                Message("Give one above 0 and below 1, such as 0.001."),
            ),
            (
                self.schedule not in SCHEDULES,
                Message("There is no schedule called {0}.", self.schedule),
                Message("Give one of: {0}.", ", ".join(SCHEDULES)),
            ),
            (
                not 0 < self.cool_down <= 1,
                Message("The share of the run over which the rate falls is {0}.", self.cool_down),
                Message("Give a share above 0 and at most 1, such as 0.1."),
            ),
            (
                any(end is not None and end <= 0 for end in ends),
                Message("It is not said when the run ends."),
                Message("Give a number of steps, tokens or minutes above 0."),
            ),
            (
                self.schedule != CONSTANT and not any(ends),
                Message("It is not said when the run ends."),
                Message("Give a number of steps, tokens or minutes, or the schedule “constant”."),
            ),
        )

    def encoder(self, n_pieces: int) -> EncoderConfig:
        """Return the encoder's sizes, for a vocabulary of `n_pieces`."""
        return EncoderConfig(
            vocabulary_size=n_pieces,
            n_positions=self.n_positions,
            n_segments=2,
            n_layers=self.n_layers,
            n_heads=self.n_heads,
            width=self.width,
            feed_forward_width=4 * self.width,
        )


@dataclass(frozen=True, kw_only=True)
class StepReport(StepFacts):
    """The numbers of one step."""

    masked_loss: float  # nats
    next_loss: float


@dataclass(frozen=True)
class Evaluation:
    """How well a model does on text that it is not trained on."""

    step: int
    n_tokens: int
    masked_loss: float  # nats
    masked_accuracy: float  # 0 to 1, of the masked tokens
    next_loss: float
    next_accuracy: float  # 0 to 1, of the pairs
    baseline: float  # accuracy of always predicting the most frequent piece
    n_masked: int = 0  # 0 in what earlier versions wrote: not known
    n_pairs: int = 0


class PretrainingListener(Listener[StepReport, Evaluation, "PretrainingNetwork"], Protocol):
    """Follows a pre-training."""
