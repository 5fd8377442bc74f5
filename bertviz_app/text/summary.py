"""Short texts and HTML about tokens, traces and models, which consoles and notebooks show."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bertviz_app.text.tokens import Tokens

_MOST_WORDS = 12
_MOST_COLUMNS = 32


def shortened(labels: Sequence[str]) -> str:
    """Return the labels of tokens in one line, the middle of many left out."""
    if len(labels) > _MOST_WORDS:
        half = _MOST_WORDS // 2
        labels = [*labels[:half], "…", *labels[-half:]]
    return " ".join(labels)


def tokens_html(tokens: Tokens) -> str:
    """Return a table of the first tokens with their ids."""
    rows = {"token": tokens.labels, "id": tokens.ids.tolist()}
    if tokens.has_segments:
        rows["segment"] = tokens.segment_ids.tolist()
    rows["position"] = tokens.position_ids.tolist()
    n_more = len(tokens) - _MOST_COLUMNS
    more = [f"… {n_more} more"] if n_more > 0 else []
    lines = (_row(name, [*map(str, row[:_MOST_COLUMNS]), *more]) for name, row in rows.items())
    left_out = f"<p>{tokens.n_left_out} tokens were left out.</p>" if tokens.n_left_out else ""
    return f"<table>{''.join(lines)}</table>{left_out}"


def facts_html(title: str, facts: Sequence[tuple[str, str]]) -> str:
    """Return a title over a table of facts: name, value."""
    lines = "".join(_row(name, [value]) for name, value in facts)
    return f"<p><b>{escape(title)}</b></p><table>{lines}</table>"


def _row(name: str, cells: Sequence[str]) -> str:
    return f"<tr><th>{escape(name)}</th>{''.join(f'<td>{escape(cell)}</td>' for cell in cells)}</tr>"
