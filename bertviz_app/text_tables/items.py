"""`Item`: one unit of a file that is read by a study: a text, a labelled row, a parsed sentence."""

from __future__ import annotations

from typing import Literal

from bertviz_app.errors import Message
from bertviz_app.values import dataclass

FileKind = Literal["texts", "labelled", "pairs", "parsed", "words", "mentions"]
"""What the units of a file are: texts, one a line or the cells of a column; rows of a text (and a second one)
with their label; rows of two texts that are compared with each other; parsed sentences (CoNLL-U); sentences
whose words are labelled; rows of a text in which a mention and its antecedent are marked."""

ROOT = -1
"""The head of the root of a sentence."""


class FaultError(Exception):
    """A row or a sentence of a file cannot be used."""

    def __init__(self, message: Message) -> None:
        super().__init__(message)
        self.message = message


@dataclass(frozen=True)
class Item:
    """One unit of a file: its (first) line, from 1, and its text.

    `pair` is the second text of a row. `label` is the row's label as the file writes it, "" where its kind
    has none; of several columns of 0 and 1 it is an object of JSON. `marks`: what the file says about words
    of the text: tuples of a first character, the one behind the last, and its label or number, in the text's
    order; empty where the kind has none. `heads`: of a parsed sentence the number of the head of each mark,
    from 0, ROOT for the root. `fault`: a sentence on why the unit cannot be read, and is left out; "" for the
    others.
    """

    line: int
    text: str
    pair: str | None = None
    label: str = ""
    marks: tuple[tuple[int, int, str], ...] = ()
    heads: tuple[int, ...] = ()
    fault: str = ""
