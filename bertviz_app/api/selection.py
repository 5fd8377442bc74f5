"""`Selection`: a head and the pinned tokens, as a window or a widget has them and a notebook sets them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bertviz_app.errors import ArgumentError, Message, SelectionError
from bertviz_app.trace.indexing import as_number, described, validate_token
from bertviz_app.values import dataclass, fields


@dataclass(frozen=True)
class Selection:
    """A head, and the tokens that are pinned: what a window or a widget shows.

    Attributes
    ----------
    layer, head : int
        From 0.
    query, key : int or None
        The positions of the pinned tokens, from 0, special ones among them; None where none is pinned.
    """

    layer: int
    head: int
    query: int | None = None
    key: int | None = None


def as_selection(value: object) -> Selection:
    """Return `value`, a Selection or a mapping with its names. Raises ArgumentError for another value."""
    named = vars(value) if isinstance(value, Selection) else value
    names = {one.name for one in fields(Selection)}
    if isinstance(named, Mapping) and {"layer", "head"} <= {*named} <= names:
        given = {name: at for name, at in named.items() if at is not None or name in ("layer", "head")}
        return Selection(**{name: as_number(at, name) for name, at in given.items()})
    what = ", ".join(map(str, named)) if isinstance(named, Mapping) else described(named)
    message = Message(
        "A selection has a layer and a head, and may have a query and a key; this is {0}.", what
    )
    hint = Message("Give bertviz_app.Selection(layer=2, head=3), or a dict with these names.")
    raise ArgumentError(message, hint)


def validate_selection(
    selected: Selection, layers: Mapping[int, Sequence[int]], n_queries: int, n_keys: int
) -> None:
    """Raise SelectionError where there is no such head, or no such token.

    `layers` has the heads of each layer.
    """
    layer, head = selected.layer, selected.head
    if head not in layers.get(layer, ()):
        message = Message("There is no head {0} · {1} to select.", layer, head)
        if layer in layers:
            hint = Message("Layer {0} has the heads {1}.", layer, ", ".join(map(str, layers[layer])))
        else:
            hint = Message("The layers are {0}.", ", ".join(map(str, layers)))
        raise SelectionError(message, hint)
    for token, n_tokens in ((selected.query, n_queries), (selected.key, n_keys)):
        if token is not None:
            validate_token(token, n_tokens)
