"""`Lesson` and its `Station`s: the state of the window, the explanation and the task."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from bertviz_app.analysis.measures import MeasureKey
from bertviz_app.errors import Message
from bertviz_app.inference.training.labels import LabelTraining
from bertviz_app.learning.lessons.tasks import Claim, Task
from bertviz_app.learning.words import TypedText, Words
from bertviz_app.options import Page

TARGETS = (
    *("text", "pair", "strip", "overview", "heads", "panel", "inspector", "predictions", "vector"),
    *("picker", "compare", "menu"),
)
"""The parts of the window that a station can point at."""

View = Literal["lines", "matrix", "steps", "vectors"]

Stage = Literal[
    "token",
    "token_projection",
    "segment",
    "position",
    "task",
    "embedding_sum",
    "embedding_norm",
    "embedding_projection",
    "input_norm",
    "narrowed",
    "narrowed_for_attention",
    "queries",
    "keys",
    "values",
    "scores",
    "scaled",
    "biased",
    "disentangled",
    "softmax",
    "weighted",
    "mixed",
    "span_convolved",
    "concat",
    "projected",
    "attention_sum",
    "attention_norm",
    "earlier_1",
    "earlier_2",
    "earlier_3",
    "earlier_4",
    "earlier_5",
    "earlier_6",
    "earlier_7",
    "expanded",
    "active",
    "gate",
    "gated",
    "contracted",
    "output_sum",
    "adapter_norm",
    "adapted",
    "adapter_sum",
    "output_norm",
    "convolved",
    "convolution_sum",
    "widened",
    "widened_sum",
    "output",
    "first",
    "dense",
    "pooled",
]
"""The stops of Steps; a test compares them with those that the window has."""


@dataclass(frozen=True, kw_only=True)
class Replaced:
    """A token that the model reads as another `piece` of its vocabulary."""

    token: str
    piece: str


@dataclass(frozen=True, kw_only=True)
class Scene:
    """What the window is set to; what is left out stays as it was at the station before.

    `best_head`: the head that puts most weight of `query` on `key`, instead of a `layer` and a `head`.
    `model` is the name of a checkpoint. A `text` without a `pair` stands alone. Tokens are named by their
    text.
    `stage` is the stop of Steps, `page` the page of Vectors, `state` the hidden state that it shows,
    `overview` what the cells of the overview show, `hidden` the token that is replaced by [MASK], `replaced`
    other tokens, `muted` the heads (layer, head), `cards` those of the window's cards that are open.
    `analyses` are keys of the catalogue: each has a panel, beside those of `views`.
    """

    text: TypedText | None = None
    pair: TypedText | None = None
    model: str | None = None
    layer: int | None = None
    head: int | None = None
    best_head: bool = False
    views: tuple[View, ...] = ()
    analyses: tuple[str, ...] = ()
    query: str | None = None
    key: str | None = None
    stage: Stage | None = None
    page: Page | None = None
    state: int | None = None
    overview: Literal["attention", MeasureKey] | None = None
    hidden: str | None = None
    replaced: tuple[Replaced, ...] = ()
    muted: tuple[tuple[int, int], ...] = ()
    cards: tuple[Literal["overview", "heads", "inspector", "vector"], ...] | None = None

    def __post_init__(self) -> None:
        for name in ("layer", "head", "state"):
            if (getattr(self, name) or 0) < 0:
                raise ValueError(Message("“{0}” must be at least {1}", name, 0))
        if any(index < 0 for at in self.muted for index in at):
            raise ValueError(Message("“{0}” must be at least {1}", "muted", 0))


@dataclass(frozen=True, kw_only=True)
class Example:
    """A text of the start page with what to look for in it.

    `in_korean`: the model, the query and the key where the interface is Korean, if they are others there.
    """

    key: str
    title: Words
    ask: Words
    scene: Scene
    in_korean: Scene | None = None

    def scene_in(self, language: str) -> Scene:
        """Return what the window is set to in "en" or "ko"."""
        other = self.in_korean
        if language != "ko" or other is None:
            return self.scene
        return replace(self.scene, model=other.model, query=other.query, key=other.key)


@dataclass(frozen=True, kw_only=True)
class ExampleFile:
    """The file of the examples."""

    examples: tuple[Example, ...]


@dataclass(frozen=True, kw_only=True)
class Station:
    """One page of a lesson.

    `text` explains in three to five sentences; it may have fields of `example_facts`. `points_at` is the part
    of the window that it is about. `claims` are statements of the text about the numbers. With `own_text`
    the card says that the learner may type another sentence; answers are checked on that. `notes` are for the
    teacher: the card of the learner does not show them. `training` can be started on the card;
    its results are quantities.
    """

    key: str
    title: Words
    text: Words
    scene: Scene = Scene()
    points_at: str = ""
    task: Task | None = None
    claims: tuple[Claim, ...] = ()
    own_text: bool = False
    notes: Words | None = None
    training: LabelTraining | None = None

    def __post_init__(self) -> None:
        if self.points_at not in ("", *TARGETS):
            raise ValueError(
                Message(
                    "“{0}” is “{1}”, which is not one of {2}", "points_at", self.points_at, ", ".join(TARGETS)
                )
            )


@dataclass(frozen=True, kw_only=True)
class Lesson:
    """Stations in their order; `minutes` is how long it takes about."""

    key: str
    title: Words
    summary: Words
    minutes: int
    stations: tuple[Station, ...]

    def __post_init__(self) -> None:
        if not self.stations:
            raise ValueError(Message("a lesson has at least one station"))
        keys: set[str] = set()
        for index, station in enumerate(self.stations):
            if station.key in keys:
                words = Message("another station has the key “{0}” already", station.key)
                raise ValueError(words, ("stations", index, "key"))
            keys.add(station.key)
        if not 1 <= self.minutes <= 60:
            raise ValueError(Message("“{0}” must be from {1} to {2}", "minutes", 1, 60))
