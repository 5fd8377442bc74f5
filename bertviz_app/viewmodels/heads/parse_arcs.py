"""The arcs of a parsed sentence between the places of a picture's tokens."""

from __future__ import annotations

from typing import NamedTuple

from bertviz_app.analysis.studies.word_units import word_units
from bertviz_app.text_tables.items import ROOT, Item
from bertviz_app.viewmodels.heads.pictures import HeadPicture
from bertviz_app.viewmodels.heads.places import TokenPlaces
from bertviz_app.viewmodels.options import ParseArcs


class ParseArc(NamedTuple):
    """From the place of a query to that of a key; `relation` is that of the dependent of the two."""

    query: int
    key: int
    relation: str


def parse_arcs(item: Item | None, picture: HeadPicture, way: ParseArcs) -> tuple[ParseArc, ...]:
    """Return the arcs of a parse in a picture of the same text; none of another text or of a difference.

    A word of several pieces is at its middle piece. The root has no arc, and neither has a word that is not
    shown.
    """
    tokens = picture.trace.tokens
    if item is None or way == "hidden" or picture.is_difference:
        return ()
    if tokens.text != item.text or tokens.pair is not None or picture.trace.is_cross:
        return ()
    units = word_units(tokens, [mark[:2] for mark in item.marks])
    of_words = [units.tokens_of(word).tolist() for word in range(len(item.marks))]
    found: list[ParseArc] = []
    for dependent, head in enumerate(item.heads):
        if head == ROOT:
            continue
        ends = (dependent, head) if way == "heads" else (head, dependent)
        query = _place(picture.token_order.queries, of_words[ends[0]])
        key = _place(picture.token_order.keys, of_words[ends[1]])
        if query is not None and key is not None:
            found.append(ParseArc(query, key, item.marks[dependent][2]))
    return tuple(found)


def _place(places: TokenPlaces, tokens: list[int]) -> int | None:
    shown = [place for token in tokens if (place := places.place(token)) is not None]
    return shown[len(shown) // 2] if shown else None
