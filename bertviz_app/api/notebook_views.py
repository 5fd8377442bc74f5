"""`head_view` and `model_view`: BertViz's two calls, so that its notebooks run with one import changed."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any, Literal

from bertviz_app.errors import ArgumentError, Message, SelectionError
from bertviz_app.trace.arrays import WeightsTrace
from bertviz_app.trace.given import EAGER, NO_ATTENTION, from_arrays
from bertviz_app.trace.page import framed
from bertviz_app.values import dataclass

Kind = Literal["head", "model"]
_NAMES = {"encoder_attention": "Encoder", "decoder_attention": "Decoder", "cross_attention": "Cross"}


@dataclass(frozen=True, eq=False)
class NotebookView:
    """What a notebook shows of weights: lines of one layer ("head"), or all layers and heads ("model").

    `traces`: by the name that BertViz gives each, "" for a single one; `choice` of a trace has the layers and
    heads. `is_dark`: None where the page follows the reader's theme.
    """

    kind: Kind
    traces: Mapping[str, WeightsTrace]
    is_dark: bool | None = None

    def __repr__(self) -> str:
        traces = "; ".join(f"{name} {trace!r}".strip() for name, trace in self.traces.items())
        return f"<NotebookView: the {self.kind} view of {traces}>"

    @property
    def data(self) -> str:
        """The page, as `IPython.display.HTML` names it."""
        return page_of(self)

    def _repr_html_(self) -> str:
        return page_of(self)


def page_of(view: NotebookView) -> str:
    """Return the HTML of a view: the page of each trace, in a frame of its own."""
    first = "lines" if view.kind == "head" else "overview"
    theme = None if view.is_dark is None else "dark" if view.is_dark else "light"
    parts = (
        (f"<h4>{name}</h4>" if name else "") + framed(trace.to_html(view=first, theme=theme))
        for name, trace in view.traces.items()
    )
    return "<div>" + "\n".join(parts) + "</div>"  # IPython warns of what is an iframe alone


def head_view(  # noqa: PLR0913 - the order and the names are BertViz's
    attention: object = None,
    tokens: object = None,
    sentence_b_start: int | None = None,
    prettify_tokens: bool = True,
    layer: int | None = None,
    heads: object = None,
    encoder_attention: object = None,
    decoder_attention: object = None,
    cross_attention: object = None,
    encoder_tokens: object = None,
    decoder_tokens: object = None,
    include_layers: object = None,
    html_action: str = "view",
) -> NotebookView | None:
    """Show the lines of one layer's heads in a notebook; the arguments are those of BertViz's `head_view`.

    Parameters
    ----------
    attention, tokens, sentence_b_start, prettify_tokens, layer, heads, include_layers : optional
        As for `from_arrays`.
    encoder_attention, decoder_attention, cross_attention, encoder_tokens, decoder_tokens : optional
        Of an encoder-decoder; each that is given is shown.
    html_action : {"view", "return"}
        "return": return the view instead of displaying it.

    Returns
    -------
    NotebookView or None
        Its `data` is the page. None after it was displayed in IPython.

    Raises
    ------
    SelectionError, ArgumentError
        As `from_arrays`.
    """
    _validate("html_action", html_action, ("view", "return"))
    arrays = (attention, encoder_attention, decoder_attention, cross_attention)
    common = {"include_layers": include_layers, "layer": layer, "heads": heads}
    names = (tokens, encoder_tokens, decoder_tokens)
    shared = {"sentence_b_start": sentence_b_start, "prettify_tokens": prettify_tokens}
    return _shown(NotebookView("head", _traces(arrays, names, shared | common)), html_action)


def model_view(  # noqa: PLR0913 - the order and the names are BertViz's
    attention: object = None,
    tokens: object = None,
    sentence_b_start: int | None = None,
    prettify_tokens: bool = True,
    display_mode: str = "dark",
    encoder_attention: object = None,
    decoder_attention: object = None,
    cross_attention: object = None,
    encoder_tokens: object = None,
    decoder_tokens: object = None,
    include_layers: object = None,
    include_heads: object = None,
    html_action: str = "view",
) -> NotebookView | None:
    """Show all layers and heads in a notebook; the arguments are those of BertViz's `model_view`.

    Parameters
    ----------
    attention, tokens, sentence_b_start, prettify_tokens, include_layers, include_heads : optional
        As for `from_arrays`.
    display_mode : {"dark", "light"}
        The colours.
    encoder_attention, decoder_attention, cross_attention, encoder_tokens, decoder_tokens : optional
        Of an encoder-decoder; each that is given is shown.
    html_action : {"view", "return"}
        "return": return the view instead of displaying it.

    Returns
    -------
    NotebookView or None
        Its `data` is the page. None after it was displayed in IPython.

    Raises
    ------
    SelectionError, ArgumentError
        As `from_arrays`.
    """
    _validate("html_action", html_action, ("view", "return"))
    _validate("display_mode", display_mode, ("dark", "light"))
    arrays = (attention, encoder_attention, decoder_attention, cross_attention)
    common = {"include_layers": include_layers, "include_heads": include_heads}
    shared = {"sentence_b_start": sentence_b_start, "prettify_tokens": prettify_tokens}
    traces = _traces(arrays, (tokens, encoder_tokens, decoder_tokens), shared | common)
    return _shown(NotebookView("model", traces, display_mode == "dark"), html_action)


def _validate(name: str, value: object, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        message = Message("{0} cannot be “{1}”.", name, str(value)[:40])
        raise ArgumentError(message, Message("There are: {0}.", ", ".join(allowed)))


def _traces(
    arrays: tuple[object, ...], names: tuple[object, ...], options: Mapping[str, Any]
) -> dict[str, WeightsTrace]:
    """Return the traces of what is given: one, or those of an encoder-decoder."""
    (attention, *parts), (tokens, encoder_tokens, decoder_tokens) = arrays, names
    there = {name: part for name, part in zip(_NAMES, parts, strict=True) if part is not None}
    if attention is not None and not there:
        return {"": from_arrays(attention, tokens, **options)}
    if attention is None and not there:
        raise SelectionError(NO_ATTENTION, EAGER)
    if attention is not None:
        message = Message("Give “attention”, or those of an encoder-decoder.")
        raise SelectionError(message, Message("Call {0}.", "head_view(output.attentions, tokens)"))
    own = {"encoder_tokens": encoder_tokens, "decoder_tokens": decoder_tokens}
    found = {}
    for name, part in there.items():
        # The second text, if there is one, is among the tokens that the encoder reads.
        second = options["sentence_b_start"] if name == "encoder_attention" else None
        given: dict[str, Any] = {name: part, **own, **options, "sentence_b_start": second}
        found[_NAMES[name]] = from_arrays(**given)
    return found


def _shown(view: NotebookView, html_action: str) -> NotebookView | None:
    """Display a view where IPython runs, as BertViz does; return it elsewhere, and if that is requested."""
    python: Any = sys.modules.get("IPython")
    if html_action == "return" or python is None or python.get_ipython() is None:
        return view
    from IPython.display import display

    display(view)
    return None
