"""`Condition`: something to be done in the window, and whether it is done."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType

from bertviz_app.errors import Message
from bertviz_app.inference.training.labels import LABELS
from bertviz_app.learning.lessons.quantities import MissingError, QuantityInputs
from bertviz_app.text.edits import MASKS


@dataclass(frozen=True, eq=False)
class ShownWindow:
    """What the window shows, as far as tasks ask for it; tokens by their positions.

    `texts_before` are the texts with which the station began. `views`: what the panels are drawn as.
    `stage`: the stop of Steps in the active panel, "" where another view is there. `predicted_class`: the
    likeliest one of a classifier, "" where none is predicted, or not yet.
    """

    run: QuantityInputs
    texts: tuple[str, str | None] = ("", None)
    texts_before: tuple[str, str | None] = ("", None)
    query: int | None = None
    key: int | None = None
    views: tuple[str, ...] = ()
    stage: str = ""
    replaced: tuple[tuple[int, str], ...] = ()
    muted: tuple[tuple[int, int], ...] = ()
    is_compared: bool = False
    predicted_class: str = ""


@dataclass(frozen=True)
class Condition:
    """`of`: one of CONDITIONS, which says which of the other fields it needs."""

    of: str
    text: str | None = None
    token: str | None = None
    query: str | None = None
    key: str | None = None
    view: str | None = None
    stage: str | None = None
    number: int | None = None

    def __post_init__(self) -> None:
        if self.of not in CONDITIONS:
            raise ValueError(
                Message("“{0}” is “{1}”, which is not one of {2}", "of", self.of, ", ".join(CONDITIONS))
            )
        needed, _ = CONDITIONS[self.of]
        if empty := [name for name in needed if getattr(self, name) is None]:
            raise ValueError(Message("“{0}” also needs “{1}”", self.of, ", ".join(empty)))
        given = {field.name for field in fields(self) if getattr(self, field.name) is not None}
        if more := given - {"of", *needed}:
            raise ValueError(Message("“{0}” cannot have “{1}”", self.of, ", ".join(sorted(more))))

    def is_met(self, window: ShownWindow) -> bool:
        try:
            return CONDITIONS[self.of][1](self, window)
        except MissingError:
            return False


_Check = Callable[[Condition, ShownWindow], bool]


def _has_text(condition: Condition, window: ShownWindow) -> bool:
    typed = " ".join(text for text in window.texts if text)
    return _plain(condition.text or "") in _plain(typed)


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def _is_pinned(condition: Condition, window: ShownWindow) -> bool:
    run = window.run
    return (window.query, window.key) == (run.find(condition.query), run.find(condition.key))


def _is_masked(condition: Condition, window: ShownWindow) -> bool:
    return dict(window.replaced).get(window.run.find(condition.token)) in MASKS


def _has_pieces(condition: Condition, window: ShownWindow) -> bool:
    tokens = window.run.trace.tokens
    words = [(sentence, word) for sentence, word in zip(tokens.sentences, tokens.words, strict=True)]
    of_text = [pair for pair in words if pair[1] >= 0]
    return len(of_text) > len(set(of_text))


CONDITIONS: Mapping[str, tuple[tuple[str, ...], _Check]] = MappingProxyType(
    {
        "text changed": ((), lambda condition, window: window.texts != window.texts_before),
        "text has": (("text",), _has_text),
        "a pair": ((), lambda condition, window: bool(window.texts[1])),
        "at least tokens": (
            ("number",),
            lambda condition, window: window.run.trace.n_tokens >= (condition.number or 0),
        ),
        "a word in pieces": ((), _has_pieces),
        "an unknown token": (
            (),
            lambda condition, window: bool(window.run.trace.tokens.is_unknown.any()),
        ),
        "pinned": (("query", "key"), _is_pinned),
        "pinned query": (
            ("query",),
            lambda condition, window: window.query == window.run.find(condition.query),
        ),
        "masked": (("token",), _is_masked),
        "a token hidden": (
            (),
            lambda condition, window: any(piece in MASKS for _, piece in window.replaced),
        ),
        "a head muted": ((), lambda condition, window: bool(window.muted)),
        "predicted class": (
            ("text",),
            lambda condition, window: _plain(window.predicted_class) == _plain(condition.text or ""),
        ),
        "trained": ((), lambda condition, window: len(window.run.trained or ()) == len(LABELS)),
        "compared": ((), lambda condition, window: window.is_compared),
        "view": (("view",), lambda condition, window: condition.view in window.views),
        "stage": (("stage",), lambda condition, window: condition.stage == window.stage),
    }
)
"""Name -> (the fields that it needs, how it is checked)."""
TYPED = frozenset(
    {
        "text changed",
        "text has",
        "at least tokens",
        "a word in pieces",
        "an unknown token",
        "predicted class",
    }
)
"""The conditions that are met by typing a text."""
