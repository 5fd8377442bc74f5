"""What an intervention is called where people read it, in the user's language."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from bertviz_app.text import Edits, Tokens
from bertviz_app.text.edits import (
    CellIntervention,
    HeadIntervention,
    Intervention,
    TokenIntervention,
    dropped_text,
)
from bertviz_app.text.tokens import label

LONGEST_REFERENCE = 40
"""So many characters of a reference text are written."""


def intervention_text(
    one: Intervention, edits: Edits, tokens: Tokens | None, *, is_short: bool = False
) -> str:
    """Return one intervention as a short text; `tokens` are those that the run reads with `edits`.

    If it `is_short` a mean is named without its reference text.
    """
    translate = QCoreApplication.translate
    if isinstance(one, HeadIntervention):
        head = translate("Interventions", "Head {0}·{1}").format(one.layer, one.head)
        kind = translate("Interventions", "mean") if is_short and one.kind == "mean" else head_kind_text(one)
        return f"{head}: {kind}"
    if isinstance(one, CellIntervention):
        pair = f"{token_text(one.query, edits, tokens)} → {token_text(one.key, edits, tokens)}"
        words = translate("Interventions", "{0}·{1}: {2} = {3}")
        return words.format(one.layer, one.head, pair, f"{one.weight:g}")
    assert isinstance(one, TokenIntervention)
    return f"{token_text(one.token, edits, tokens)}: {token_kind_text(one, tokens)}"


def head_kind_text(one: HeadIntervention) -> str:
    translate = QCoreApplication.translate
    if one.kind == "mean":
        text = " ".join(one.reference.split())
        short = text if len(text) <= LONGEST_REFERENCE else f"{text[:LONGEST_REFERENCE].rstrip()} …"
        return translate("Interventions", "mean over “{0}”").format(short)
    if one.kind == "uniform":
        return translate("Interventions", "equal weights")
    return translate("Interventions", "zero")


def short_head_change_text(edits: Edits, layer: int, head: int) -> str:
    """Return what is done to a head where there is little room; "" for nothing."""
    translate, found = QCoreApplication.translate, edits.head_at(layer, head)
    if found is not None and found.kind == "mean":
        return translate("Interventions", "mean")
    if found is not None and found.kind == "zero":
        return translate("Interventions", "muted")  # behind a rank "zero" would be another number
    is_set = found is None and any((one.layer, one.head) == (layer, head) for one in edits.cells)
    if is_set:
        return translate("Interventions", "weights set")
    return "" if found is None else head_kind_text(found)


def head_change_text(edits: Edits, layer: int, head: int, muted: str) -> str:
    """Return what is done to a head, `muted` where its output is zero; "" for nothing."""
    found = edits.head_at(layer, head)
    if found is not None:
        return muted if found.kind == "zero" else head_kind_text(found)
    is_set = any((one.layer, one.head) == (layer, head) for one in edits.cells)
    return QCoreApplication.translate("Interventions", "some weights are set") if is_set else ""


def token_kind_text(one: TokenIntervention, tokens: Tokens | None) -> str:
    translate = QCoreApplication.translate
    words = {
        "mask": translate("Interventions", "masked"),
        "replace": translate("Interventions", "replaced by {0}"),
        "drop": translate("Interventions", "dropped"),
        "segment": translate("Interventions", "segment {0}"),
        "position": translate("Interventions", "position {0}"),
    }
    value = one.value
    if isinstance(value, str) and tokens is not None:
        value = tokens.label_of(value)
    return words[one.kind].format(value)


def token_text(token: int, edits: Edits, tokens: Tokens | None) -> str:
    """Return what is written where a token is, and its number; the number alone where that is not known."""
    position = edits.position_read(token)
    if tokens is not None and position is None and (dropped := dropped_text(tokens, edits, token)):
        return f"{label(dropped)} ({token})"
    if tokens is None or position is None or position >= len(tokens):
        return QCoreApplication.translate("Interventions", "token {0}").format(token)
    if tokens.is_special[position]:
        return f"{tokens.labels[position]} ({token})"
    first, last = tokens.spans[position].tolist()
    text = tokens.pair if tokens.sentences[position] == 1 else tokens.text
    written = label((text or "")[first:last]) or tokens.labels[position]
    return f"{written} ({token})"


def rest_texts(edits: Edits, tokens: Tokens | None, read: Edits | None = None) -> list[str]:
    """Return the texts of all interventions but muted heads and replaced tokens.

    `tokens` are read with `read`, which is `edits` unless given.
    """
    rest = (*edits.tokens, *edits.heads, *edits.cells)
    return [intervention_text(one, edits if read is None else read, tokens) for one in rest]
