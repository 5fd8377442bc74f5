"""Tables of hand-outs as HTML for print: cells that are given, and blanks that the answers fill."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

from bertviz_app.views.kit.numbers import fixed

_PADDING, _ROOM_TO_WRITE = 2, 5


@dataclass(frozen=True)
class Cell:
    """`is_blank`: the student fills it in; the answers have it in bold."""

    text: str
    is_blank: bool = False
    is_name: bool = False


def given(value: float) -> Cell:
    """Return the cell of a number that is printed in both versions."""
    return Cell(number(value))


def blank(value: float) -> Cell:
    """Return the cell of a number that the student computes."""
    return Cell(number(value), is_blank=True)


def name(text: str) -> Cell:
    """Return the cell with the name of a row."""
    return Cell(text, is_name=True)


def number(value: float) -> str:
    """Return a number with four decimals; a rounded zero has no sign."""
    return fixed(value)


def table(columns: Sequence[str], rows: Iterable[Sequence[Cell]], *, has_answers: bool) -> str:
    """Return a table with a head row, which is repeated on the next page."""
    rows = list(rows)
    is_filled_in = not has_answers and any(cell.is_blank for row in rows for cell in row)
    head = "".join(f'<th align="{_side(index)}">{escape(text)}</th>' for index, text in enumerate(columns))
    body = "".join(f"<tr>{''.join(_cell(cell, has_answers) for cell in row)}</tr>" for row in rows)
    padding = _ROOM_TO_WRITE if is_filled_in else _PADDING
    style = "border-collapse: collapse; border-style: solid; border-color: #999999"
    frame = f'border="1" cellspacing="0" cellpadding="{padding}" style="{style}"'
    return f'<table {frame} width="100%"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'


def _side(index: int) -> str:
    return "left" if index == 0 else "right"


def _cell(cell: Cell, has_answers: bool) -> str:
    if cell.is_name:
        return f"<td>{escape(cell.text)}</td>"
    if not cell.is_blank:
        return f'<td align="right">{escape(cell.text)}</td>'
    return f'<td align="right"><b>{escape(cell.text)}</b></td>' if has_answers else "<td>&nbsp;</td>"
