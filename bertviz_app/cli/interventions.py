"""The options that intervene in a run, and those that define run B; interventions as they are typed."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from bertviz_app.cli.arguments import number, numbers
from bertviz_app.errors import AppError
from bertviz_app.options import RUNS, OtherOptions
from bertviz_app.text.edits import (
    HEAD_KINDS,
    TOKEN_KINDS,
    CellIntervention,
    HeadIntervention,
    Intervention,
    StateIntervention,
    TokenIntervention,
)

if TYPE_CHECKING:
    from bertviz_app.text import Edits


def add_edits(parser: argparse._ActionsContainer, prefix: str = "") -> None:
    """Add the options that intervene in a run: short ones for masks and zeros, and one for all others."""
    heads, tokens = "heads whose output is zero, as 3.5,4.0", "tokens read as [MASK], by position from 0"
    parser.add_argument(f"--{prefix}mute", type=_heads, default=(), metavar="L.H,…", help=heads)
    parser.add_argument(f"--{prefix}mask", type=numbers, default=(), metavar="N,…", help=tokens)
    parser.add_argument(
        f"--{prefix}replace",
        type=_replacement,
        action="append",
        default=[],
        metavar="N=PIECE",
        help="read token N as another piece of the vocabulary; may be given several times",
    )
    parser.add_argument(
        f"--{prefix}intervene",
        action="append",
        default=[],
        metavar="WHAT=HOW",
        help=(
            "head:3.5=zero, =mean or =uniform; token:4=mask, =drop, =replace:PIECE, =segment:1 or "
            "=position:7; cell:3.5:2:7=0.4 sets the weight with which token 2 attends to token 7; "
            "state:3:4=6 gives token 4 in state 3 (0: the embeddings) the vector of token 6 of another text; "
            "may be given several times"
        ),
    )
    mean = (
        "the text over which the mean of a head is taken (head:3.5=mean), or whose state is put in (state:)"
    )
    parser.add_argument(f"--{prefix}reference", default="", metavar="TEXT", help=mean)


def add_other(parser: argparse.ArgumentParser) -> None:
    """Add the options that define run B."""
    group = parser.add_argument_group("run B", "what is other in it than in run A; the rest is the same")
    group.add_argument("--other-text", metavar="TEXT", help="its sentence")
    group.add_argument("--other-pair", metavar="TEXT", help="its second sentence")
    group.add_argument("--other-model", metavar="REF", help="its checkpoint")
    add_edits(group, "other-")
    group.add_argument("--run", choices=RUNS, default="A", help="which run is drawn (A unless given)")


def other_of(options: argparse.Namespace) -> OtherOptions | None:
    """Return run B, None if it does not differ. Raises AppError if there is none, but it is to be drawn."""
    other = OtherOptions(
        options.other_text, options.other_pair, options.other_model, edits_of(options, "other_") or None
    )
    if other != OtherOptions():
        return other
    if options.run != "A" or options.view == "divergence":
        raise AppError("There is no run B to compare with.", "Say what is other in it: --other-text, …")
    return None


def edits_of(options: argparse.Namespace, prefix: str = "") -> Edits:
    """Return the interventions in the run. Raises AppError if two contradict, or one cannot be read."""
    from bertviz_app.text.edits import MASK, Edits

    given = vars(options)
    mask, replace = given[f"{prefix}mask"], given[f"{prefix}replace"]
    replaced = [*((position, MASK) for position in mask), *replace]
    for index, (position, piece) in enumerate(replaced):
        if any(position == at and piece != other for at, other in replaced[:index]):
            raise AppError(f"Token {position} is replaced twice.", "Give one piece for it.")
    short = Edits(tuple(sorted(set(given[f"{prefix}mute"]))), tuple(sorted(set(replaced))))
    reference = given[f"{prefix}reference"]
    others = [read_intervention(text, reference) for text in given[f"{prefix}intervene"]]
    return Edits.of([*short.interventions, *others])


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


_FORMS = (
    "Write head:3.5=uniform, token:4=drop, token:4=segment:1, cell:3.5:2:7=0.4 or state:3:4=6; layers, "
    "heads, states and tokens count from 0."
)
_CELL = re.compile(r"(\d+)\.(\d+):(\d+):(\d+)")
_STATE = re.compile(r"(\d+):(\d+)")
_HEAD = re.compile(r"(\d+)\.(\d+)")


def read_intervention(text: str, reference: str) -> Intervention:
    """Return the intervention that `text` names; `reference` is the text of a mean. Raises AppError."""
    what, equals, change = text.partition("=")
    kind, colon, where = what.partition(":")
    reader = _READERS.get(kind.strip())
    if not equals or not colon or reader is None:
        raise _unreadable(text)
    return reader(text, where.strip(), change.strip(), reference)


def _head(text: str, where: str, change: str, reference: str) -> Intervention:
    at = _HEAD.fullmatch(where)
    kind = next((kind for kind in HEAD_KINDS if kind == change), None)
    if at is None or kind is None:
        raise _unreadable(text)
    if kind == "mean" and not reference.strip():
        raise AppError(
            f"“{text}” needs a text over which the mean is taken.", "Give one with --reference TEXT."
        )
    return HeadIntervention(int(at[1]), int(at[2]), kind, reference if kind == "mean" else "")


def _token(text: str, where: str, change: str, reference: str) -> Intervention:
    named, colon, value = change.partition(":")
    kind = next((kind for kind in TOKEN_KINDS if kind == named), None)
    if not where.isdecimal() or kind is None:
        raise _unreadable(text)
    is_id = kind in ("segment", "position")
    if is_id and not value.isdecimal():
        raise _unreadable(text)
    given = (int(value) if is_id else value) if colon else None
    return TokenIntervention(int(where), kind, given)


def _cell(text: str, where: str, change: str, reference: str) -> Intervention:
    at = _CELL.fullmatch(where)
    try:
        weight = float(change)
    except ValueError:
        raise _unreadable(text) from None
    if at is None:
        raise _unreadable(text)
    layer, head, query, key = map(int, at.groups())
    return CellIntervention(layer, head, query, key, weight)


def _state(text: str, where: str, change: str, reference: str) -> Intervention:
    at = _STATE.fullmatch(where)
    if at is None or not change.isdecimal():
        raise _unreadable(text)
    if not reference.strip():
        raise AppError(f"“{text}” needs a text whose state is put in.", "Give one with --reference TEXT.")
    return StateIntervention(int(at[1]), int(at[2]), int(change), reference)


def _unreadable(text: str) -> AppError:
    return AppError(f"“{text}” is no intervention.", _FORMS)


_READERS: Mapping[str, Callable[[str, str, str, str], Intervention]] = {
    "head": _head,
    "token": _token,
    "cell": _cell,
    "state": _state,
}
