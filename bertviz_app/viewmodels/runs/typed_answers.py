"""`TypedAnswers`: the typed and chosen answers to questions about a checkpoint, and whether they fit."""

from __future__ import annotations

from typing import Literal, cast

from PySide6.QtCore import QObject, Signal

from bertviz_app.checkpoint.questions import MOST_HEADS, Answers, Questions, Value, answered

Verdict = Literal["open", "fine", "unusual", "no number", "out of range", "not shared"]
"""Of what is typed: "unusual" can be answered too, what follows cannot."""

EPSILONS = (1e-12, 1e-5, 1e-6)
"""Of BERT's own code, of PyTorch, and of the others."""
_LARGEST_EPSILON = 1e-3  # beyond this a norm is no longer one
_NARROWEST, _WIDEST = 8, 256
_TYPED = ("n_heads", "norm_eps")


class TypedAnswers(QObject):
    """The fields of the form as they are typed. `changed` is emitted at each change of one.

    `chosen` has the answers to all questions but the count of heads and the epsilon, by name.
    """

    changed = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.heads = ""
        self.epsilon = ""
        self.chosen: dict[str, Value] = {}
        self._names: tuple[str, ...] = ()
        self._optional: frozenset[str] = frozenset()
        self._n_shared = self._n_classes = 0

    def begin(self, questions: Questions, names: tuple[str, ...]) -> None:
        """Begin with the answers in force; `names` are the fields of `Answers` that are requested."""
        now = questions.in_force
        self._names, self._optional = names, questions.optional
        self._n_shared, self._n_classes = questions.n_shared, questions.n_classes
        self.heads = "" if now.n_heads is None else str(now.n_heads)
        self.epsilon = "" if now.norm_eps is None else as_typed(now.norm_eps)
        given = cast("dict[str, Value]", now.given())
        self.chosen = {name: value for name, value in given.items() if name not in _TYPED}
        self.changed.emit()

    def widen(self, questions: Questions, names: tuple[str, ...]) -> None:
        """Take other questions; what is typed stays, and what is in force fills the rest."""
        now = questions.in_force
        self._names, self._optional = names, questions.optional
        self._n_shared, self._n_classes = questions.n_shared, questions.n_classes
        if not self.heads and now.n_heads is not None:
            self.heads = str(now.n_heads)
        if not self.epsilon and now.norm_eps is not None:
            self.epsilon = as_typed(now.norm_eps)
        given = cast("dict[str, Value]", now.given())
        self.chosen = {name: value for name, value in given.items() if name not in _TYPED} | self.chosen

    def end(self) -> None:
        """Nothing is requested any more."""
        self._names = ()

    @property
    def heads_verdict(self) -> Verdict:
        """What is wrong with the typed number of heads, if anything."""
        if not self.heads.strip():
            return "open"
        n_heads, n_shared = _whole(self.heads), self._n_shared
        if n_heads is None:
            return "no number"
        if not 1 <= n_heads <= MOST_HEADS:
            return "out of range"
        if n_shared % n_heads:
            return "not shared"
        return "fine" if _NARROWEST <= n_shared // n_heads <= _WIDEST else "unusual"

    @property
    def epsilon_verdict(self) -> Verdict:
        if not self.epsilon.strip():
            return "open"
        epsilon = _number(self.epsilon)
        if epsilon is None:
            return "no number"
        if not 0 < epsilon < 1:
            return "out of range"
        return "fine" if epsilon <= _LARGEST_EPSILON else "unusual"

    @property
    def answers(self) -> Answers | None:
        """The answers, None as long as a question has none."""
        names, good = self._names, ("fine", "unusual")
        if not names:
            return None
        if ("n_heads" in names and self.heads_verdict not in good) or (
            "norm_eps" in names and self.epsilon_verdict not in good
        ):
            return None
        typed = {"n_heads": _whole(self.heads), "norm_eps": _number(self.epsilon)}
        given = {name: self.chosen.get(name, typed.get(name)) for name in names}
        if any(value is None and name not in self._optional for name, value in given.items()):
            return None
        labels = given.get("labels")
        if isinstance(labels, tuple) and len(labels) != self._n_classes:
            return None
        return Answers(**answered(given))

    @property
    def so_far(self) -> Answers:
        """What is answered of the questions, without the answers that cannot be used."""
        typed: dict[str, object] = {}
        if "n_heads" in self._names and self.heads_verdict in ("fine", "unusual"):
            typed["n_heads"] = _whole(self.heads)
        if "norm_eps" in self._names and self.epsilon_verdict in ("fine", "unusual"):
            typed["norm_eps"] = _number(self.epsilon)
        chosen = {name: value for name, value in self.chosen.items() if name in self._names}
        labels = chosen.get("labels")
        if isinstance(labels, tuple) and len(labels) != self._n_classes:
            del chosen["labels"]
        return Answers(**answered(typed | chosen))

    def set_heads(self, text: str) -> None:
        self.heads = text
        self.changed.emit()

    def set_epsilon(self, text: str) -> None:
        self.epsilon = text
        self.changed.emit()

    def choose(self, name: str, value: Value | None) -> None:
        """Set the answer to the question `name`, None for no answer."""
        self.chosen.pop(name, None)
        if value is not None:
            self.chosen[name] = value
        self.changed.emit()


def as_typed(epsilon: float) -> str:
    """Return a small number as people write it: 1e-5, not 1e-05."""
    return f"{epsilon:.12g}".replace("e-0", "e-")


def _whole(text: str) -> int | None:
    text = text.strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 9 else None


def _number(text: str) -> float | None:
    try:
        return float(text.strip().replace(",", "."))
    except ValueError:
        return None
