"""The options that intervene in a run, and those that define run B; interventions as they are typed."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Annotated

from bertviz_app.cli.arguments import number, numbers
from bertviz_app.cli.signatures import Titled, Typed
from bertviz_app.errors import AppError
from bertviz_app.options import OtherOptions
from bertviz_app.text.edits import (
    HEAD_KINDS,
    MASK,
    CellIntervention,
    Edits,
    HeadIntervention,
    HeadKind,
    Intervention,
    StateIntervention,
    TokenIntervention,
)
from bertviz_app.values import dataclass


def _heads(text: str) -> tuple[tuple[int, int], ...]:
    pairs = [part.strip().split(".") for part in text.split(",")]
    try:
        return tuple((number(layer), number(head)) for layer, head in pairs)
    except (ValueError, argparse.ArgumentTypeError) as error:
        raise argparse.ArgumentTypeError(f"“{text}” is no list of heads like 3.5,4.0") from error


def _replacement(text: str) -> tuple[int, str]:
    position, sign, piece = text.partition("=")
    if not sign or not piece.strip():
        raise argparse.ArgumentTypeError(f"“{text}” is no replacement like 4=word")
    return number(position.strip()), piece.strip()


@dataclass(frozen=True)
class Interventions:
    """The interventions in a run.

    Parameters
    ----------
    mute : L.H,…
        Heads whose output is zero, as 3.5,4.0.
    mask : N,…
        Tokens read as [MASK], by position from 0.
    replace : N=PIECE
        Read token N as another piece of the vocabulary; may be given several times.
    intervene : WHAT=HOW
        head:3.5=zero, =mean or =uniform; token:4=mask, =drop, =replace:PIECE, =segment:1 or =position:7;
        cell:3.5:2:7=0.4 sets the weight with which token 2 attends to token 7; state:3:4=6 gives token 4 in
        state 3 (0: the embeddings) the vector of token 6 of another text; may be given several times.
    reference : TEXT
        The text over which the mean of a head is taken (head:3.5=mean), or whose state is put in (state:).
    """

    mute: Annotated[tuple[tuple[int, int], ...], Typed(_heads)] = ()
    mask: Annotated[tuple[int, ...], Typed(numbers)] = ()
    replace: Annotated[Sequence[tuple[int, str]], Typed(_replacement)] = ()
    intervene: Sequence[str] = ()
    reference: str = ""

    @property
    def edits(self) -> Edits:
        """The interventions as edits. Raises AppError if two contradict, or one cannot be read."""
        replaced = [*((position, MASK) for position in self.mask), *self.replace]
        for index, (position, piece) in enumerate(replaced):
            if any(position == at and piece != other for at, other in replaced[:index]):
                raise AppError(f"Token {position} is replaced twice.", "Give one piece for it.")
        short = Edits(tuple(sorted(set(self.mute))), tuple(sorted(set(replaced))))
        others = [read_intervention(text, self.reference) for text in self.intervene]
        return Edits.of([*short.interventions, *others])


@dataclass(frozen=True)
class Other:
    """What is other in run B than in run A.

    Parameters
    ----------
    text : TEXT
        Its sentence; or an .npz file, beside one of run A.
    pair : TEXT
        Its second sentence.
    model : REF
        Its checkpoint.
    interventions
        What intervenes in it.
    """

    text: str | None = None
    pair: str | None = None
    model: str | None = None
    interventions: Interventions = Interventions()

    def options(self) -> OtherOptions | None:
        """Return run B, None if it does not differ."""
        other = OtherOptions(self.text, self.pair, self.model, self.interventions.edits or None)
        return None if other == OtherOptions() else other


RUN_B = Titled("run B", "what is other in it than in run A; the rest is the same", prefix="other-")

_HINT = (
    "Write head:3.5=uniform, token:4=drop, token:4=segment:1, cell:3.5:2:7=0.4 or state:3:4=6; layers, "
    "heads, states and tokens count from 0."
)


def read_intervention(text: str, reference: str) -> Intervention:
    """Return the intervention that `text` names; `reference` is the text of a mean. Raises AppError."""
    what, _, change = (part.strip() for part in text.partition("="))
    kind, _, where = (part.strip() for part in what.partition(":"))
    for form, made in _FORMS:
        if found := re.fullmatch(form, f"{kind}:{where}={change}", re.DOTALL):
            with suppress(ValueError):  # a weight that is no number
                return made(text, reference, *found.groups())
    raise AppError(f"“{text}” is no intervention.", _HINT)


def _head(text: str, reference: str, layer: str, head: str, kind: HeadKind) -> Intervention:
    if kind == "mean" and not reference.strip():
        hint = "Give one with --reference TEXT."
        raise AppError(f"“{text}” needs a text over which the mean is taken.", hint)
    return HeadIntervention(int(layer), int(head), kind, reference if kind == "mean" else "")


def _state(text: str, reference: str, *numbers: str) -> Intervention:
    if not reference.strip():
        raise AppError(f"“{text}” needs a text whose state is put in.", "Give one with --reference TEXT.")
    state, token, source = map(int, numbers)
    return StateIntervention(state, token, source, reference)


_FORMS: tuple[tuple[str, Callable[..., Intervention]], ...] = (
    (rf"head:(\d+)\.(\d+)=({'|'.join(HEAD_KINDS)})", _head),
    (
        r"token:(\d+)=(segment|position):(\d+)",
        lambda _, __, token, kind, value: TokenIntervention(int(token), kind, int(value)),
    ),
    (
        r"token:(\d+)=(mask|replace|drop)(?::(.*))?",
        lambda _, __, token, kind, value: TokenIntervention(int(token), kind, value),
    ),
    (
        r"cell:(\d+)\.(\d+):(\d+):(\d+)=(.+)",
        lambda _, __, layer, head, query, key, weight: CellIntervention(
            int(layer), int(head), int(query), int(key), float(weight)
        ),
    ),
    (r"state:(\d+):(\d+)=(\d+)", _state),
)
