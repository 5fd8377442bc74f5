"""A trace as one page of HTML: lines, matrix and overview of its attention, drawn by a script of our own.

The page names no address, so that it works without a network; its script and style are in
`resources/notebook`, and serve the widget of notebooks, too.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Sequence
from functools import cache
from html import escape
from typing import TYPE_CHECKING, Any, Literal, TypedDict, get_args

import numpy as np

from bertviz_app import paths
from bertviz_app.errors import ArgumentError, Message, SelectionError
from bertviz_app.notebooks import png
from bertviz_app.text import Tokens
from bertviz_app.trace.indexing import FirstShown, as_number, described
from bertviz_app.values import dataclass, replace

if TYPE_CHECKING:
    from bertviz_app.trace.trace import Trace

PageView = Literal["lines", "matrix", "overview"]
PAGE_VIEWS: tuple[PageView, ...] = get_args(PageView)
PAGE_LANGUAGES = ("en", "ko")
PAGE_THEMES = ("light", "dark")
MAX_WEIGHTS = 1 << 23
"""More weights than this are not written into a page: it would have more than 45 MB."""
_COLOURS = (
    "window",
    "card",
    "raised",
    "rule",
    "text",
    "secondary",
    "accent",
    "on_accent",
    "sentence_b",
    "special",
    "query",
    "key",
    "weights",
    "heads",
)


@dataclass(frozen=True)
class PageOptions:
    """What a page has, and what it shows first.

    `layer` and `heads` are those shown first, `include_layers` and `include_heads` those that are there at
    all; None: as the trace's own choice has it, else the first layer, all of them. `language` and `theme`
    None are those of the reader.
    """

    layer: int | None = None
    heads: Sequence[int] | None = None
    include_layers: Sequence[int] | None = None
    include_heads: Sequence[int] | None = None
    view: str = "lines"
    language: str | None = None
    theme: str | None = None


class PageArguments(TypedDict, total=False):
    """The same as arguments of a function."""

    layer: int | None
    heads: Sequence[int] | None
    include_layers: Sequence[int] | None
    include_heads: Sequence[int] | None
    view: str
    language: str | None
    theme: str | None


def page_html(trace: Trace, options: PageOptions) -> str:
    """Return the page. Raises as `page_facts`."""
    facts, weights, mask = page_parts(trace, options)
    facts |= {"weights": _base64(weights), "mask": _base64(mask)}
    # A token such as </script> would end the script that it is in.
    parts = {
        "language": options.language or "en",
        "title": escape(f"{trace.model}: {trace.tokens.text or 'attention'}"),
        "style": resource("attention.css"),
        "script": resource("attention.js"),
        "data": json.dumps(facts, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c"),
    }
    # In one pass: what is put in is not read again.
    return re.sub(r"{{(\w+)}}", lambda found: parts[found[1]], resource("page.html"))


def framed(page: str, height: int = 640) -> str:
    """Return HTML that shows `page` in a notebook: a document of its own, `height` pixels high.

    Several pages beside each other do not disturb each other, nor the notebook.
    """
    style = "width: 100%; border: none"
    return (
        f'<iframe sandbox="allow-scripts" style="{style}" height="{height}" srcdoc="{escape(page)}"></iframe>'
    )


def page_parts(trace: Trace, options: PageOptions) -> tuple[dict[str, Any], bytes, bytes]:
    """Return the facts of a page as JSON has them, its weights, and its mask.

    The weights are little-endian float32, layer by layer, head by head, row by row; the mask is a byte for
    each pair, 1 where it is masked, or nothing. Raises SelectionError for a layer or a head that does not
    exist and for more weights than MAX_WEIGHTS, ArgumentError for other types.
    """
    if options.view not in PAGE_VIEWS:
        message = Message("A page has no view “{0}”.", str(options.view))
        raise ArgumentError(message, Message("Its views are: {0}.", ", ".join(PAGE_VIEWS)))
    if options.language not in (None, *PAGE_LANGUAGES):
        message = Message("A page is not written in “{0}”.", str(options.language))
        raise ArgumentError(message, Message("Its languages are: {0}.", ", ".join(PAGE_LANGUAGES)))
    if options.theme not in (None, *PAGE_THEMES):
        message = Message("A page has no theme “{0}”.", str(options.theme))
        raise ArgumentError(message, Message("Its themes are: {0}.", ", ".join(PAGE_THEMES)))
    options = _with_choice(options, trace.choice)
    layers = _layers(trace, options)
    shown = _shown_first(layers, options)
    _validate_size(trace, layers)
    rows, columns = trace.tokens, trace.key_tokens
    folder = paths.resources() / "themes"
    themes = {name: json.loads((folder / f"{name}.json").read_text(encoding="utf-8")) for name in PAGE_THEMES}
    picture, image = None, trace.image
    if image is not None:
        pixels = image.smaller(256)  # as PNG they are less than 270 kB
        grid = {"rows": image.rows, "columns": image.columns, "ahead": image.n_ahead}
        height, width, _ = pixels.shape
        picture = {"png": _base64(png(pixels)), "width": width, "height": height, **grid}
    facts: dict[str, Any] = {
        "model": trace.model,
        "language": options.language or "",
        "theme": options.theme or "",
        "view": options.view,
        "layer": shown[0],
        "heads": shown[1],
        "queries": _tokens(rows),
        "keys": None if columns is rows else _tokens(columns),
        "layers": list(layers.items()),
        "left_out": rows.n_left_out,
        "facts": [str(one) for one in trace.edits.interventions],
        "themes": {name: {one: theme[one] for one in _COLOURS} for name, theme in themes.items()},
        "image": picture,
    }
    weights = b"".join(
        trace.attention(layer)[heads].astype("<f4").tobytes() for layer, heads in layers.items()
    )
    return facts, weights, b"" if trace.mask is None else trace.mask.astype(np.uint8).tobytes()


@cache
def resource(name: str) -> str:
    """Return the text of a file of the page."""
    return (paths.resources() / "notebook" / name).read_text(encoding="utf-8")


def _base64(content: bytes) -> str:
    return base64.b64encode(content).decode("ascii")


def _tokens(tokens: Tokens) -> dict[str, object]:
    return {"labels": tokens.labels, "sentences": tokens.sentences.tolist()}


def _with_choice(options: PageOptions, choice: FirstShown) -> PageOptions:
    """Return the options with a trace's own choice of what they leave open, where the two go together."""
    layers, heads, layer = choice.layers, choice.heads, options.layer
    selected = None if options.heads is None else _numbers(options.heads, "heads", ())
    if options.include_layers is None and (layers is None or layer is None or layer in layers):
        options = replace(options, include_layers=layers)
    if options.include_heads is None and (heads is None or selected is None or {*selected} <= {*heads}):
        options = replace(options, include_heads=heads)
    is_its_own = options.include_layers is layers and options.include_heads is heads
    if layer is None and selected is None and is_its_own:
        options = replace(options, layer=choice.layer, heads=choice.selected)
    return options


def _layers(trace: Trace, options: PageOptions) -> dict[int, list[int]]:
    """Return the heads of the page by their layers."""
    chosen = _numbers(options.include_layers, "include_layers", list(range(trace.n_layers)))
    for layer in chosen:
        if not 0 <= layer < trace.n_layers:
            raise SelectionError(
                Message("There is no layer {0}: this model has layers 0 to {1}.", layer, trace.n_layers - 1),
                Message("Layers and heads count from 0."),
            )
    most = 1 + max((head for layer in chosen for head in trace.heads_of(layer)), default=-1)
    found = {}
    for layer in chosen:
        heads = _numbers(options.include_heads, "include_heads", trace.heads_of(layer))
        for head in heads:
            if not 0 <= head < most:
                raise _no_head(head, most - 1)
        found[layer] = [head for head in heads if head in trace.heads_of(layer)]
        if not found[layer]:
            last = max(trace.heads_of(layer), default=-1)
            if heads and heads[0] > last >= 0:
                raise _no_head(heads[0], last)
            del found[layer]  # all of them were pruned
    if not found:
        raise _no_head(heads[0] if heads else 0, most - 1)
    return found


def _numbers(given: object, name: str, every: Sequence[int]) -> list[int]:
    """Return `given`, or `every` for None, sorted. Raises ArgumentError and SelectionError."""
    if given is None:
        return list(every)
    hint = Message("Give a list of numbers, such as {0}=[0, 3].", name)
    if isinstance(given, str | bytes) or not hasattr(given, "__iter__"):
        raise ArgumentError(Message("{0} is a list of numbers, not {1}.", name, described(given)), hint)
    found = sorted({as_number(one, name) for one in given})
    if not found:
        raise SelectionError(Message("{0} is empty.", name), hint)
    return found


def _shown_first(layers: dict[int, list[int]], options: PageOptions) -> tuple[int, list[int]]:
    """Return the layer and the heads that are shown first: all heads in lines, as they are overlaid."""
    layer = next(iter(layers)) if options.layer is None else as_number(options.layer, "layer")
    if layer not in layers:
        message = Message("Layer {0} is not on the page, which has the layers {1}.", layer, _listed(layers))
        raise SelectionError(message, Message("Give one of these, or add it to include_layers."))
    heads = _numbers(options.heads, "heads", layers[layer])
    for head in heads:
        if head not in layers[layer]:
            message = Message(
                "Head {0} is not on the page, whose layer {1} has the heads {2}.",
                head,
                layer,
                _listed(layers[layer]),
            )
            raise SelectionError(message, Message("Give some of these, or add it to include_heads."))
    return layer, heads


def _validate_size(trace: Trace, layers: dict[int, list[int]]) -> None:
    n_weights = sum(map(len, layers.values())) * len(trace.tokens) * len(trace.key_tokens)
    if n_weights <= MAX_WEIGHTS:
        return
    n_pairs = len(trace.tokens) * len(trace.key_tokens)
    message = Message(
        "A page of {0} weights would be too large for a browser: at most {1} are written.",
        f"{n_weights:,}",
        f"{MAX_WEIGHTS:,}",
    )
    if n_pairs > MAX_WEIGHTS:
        hint = Message("A single head of this text has more: take a shorter text.")
    else:
        hint = Message(
            "Choose fewer by include_layers and include_heads: {0} heads of this text fit.",
            MAX_WEIGHTS // n_pairs,
        )
    raise SelectionError(message, hint)


def _no_head(head: int, last: int) -> SelectionError:
    message = Message("There is no head {0}: this model has heads 0 to {1}.", head, last)
    return SelectionError(message, Message("Layers and heads count from 0."))


def _listed(numbers: Sequence[int] | dict[int, list[int]]) -> str:
    return ", ".join(map(str, numbers))
