"""A trace in a notebook: `widget`, `window` beside it, what is selected in them, and BertViz's two calls."""

from __future__ import annotations

import shutil
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any, Literal

from bertviz_app.errors import AppError, ArgumentError, Message, SelectionError, from_json, lacks_package
from bertviz_app.inference.child_process import ChildProcess
from bertviz_app.trace import Trace, save_arrays
from bertviz_app.trace.archive import as_trace
from bertviz_app.trace.arrays import EncoderDecoderTraces, WeightsTrace, one_of
from bertviz_app.trace.given import EAGER, NO_ATTENTION, from_arrays
from bertviz_app.trace.indexing import as_number, described, validate_token
from bertviz_app.trace.page import PageOptions, framed, page_parts, resource
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


def widget(  # noqa: PLR0913 - each is named by its callers
    trace: Trace,
    *,
    layer: int | None = None,
    heads: Sequence[int] | None = None,
    include_layers: Sequence[int] | None = None,
    include_heads: Sequence[int] | None = None,
    view: str = "lines",
    language: str | None = None,
    theme: str | None = None,
) -> Any:
    """Return a widget with the attention of a trace: lines, matrix and overview.

    Parameters
    ----------
    trace : Trace
        Any trace.
    layer, heads, include_layers, include_heads, view, language, theme
        As for `Trace.to_html`.

    Returns
    -------
    anywidget.AnyWidget
        For JupyterLab, VS Code and Colab. Its trait `selection` is a Selection; it follows the clicks, and
        setting it, to a Selection or to a dict of its names, selects. Setting raises ArgumentError for
        another value, SelectionError for a head or a token that the widget does not show.

    Raises
    ------
    PackageError
        Where anywidget is not installed.
    ArgumentError, SelectionError
        As `Trace.to_html`.
    """
    trace = as_trace(trace, "widget(model.trace(text))")
    options = PageOptions(layer, heads, include_layers, include_heads, view, language, theme)
    facts, weights, mask = page_parts(trace, options)
    selection = Selection(facts["layer"], facts["heads"][0])
    return _kind()(data=facts, weights=weights, mask=mask, selection=selection)


@cache
def _kind() -> Any:
    """Return the class of widgets, which exists only where anywidget is installed."""
    try:
        import anywidget
        import traitlets
    except ImportError as error:
        raise lacks_package("anywidget") from error

    class SelectionTrait(traitlets.TraitType):  # type: ignore[misc]  # nor has traitlets
        def validate(self, widget: Any, value: object) -> Selection:
            selected, facts = as_selection(value), widget.data
            n_queries = len(facts["queries"]["labels"])
            n_keys = len((facts["keys"] or facts["queries"])["labels"])
            validate_selection(selected, dict(facts["layers"]), n_queries, n_keys)
            return selected

    class AttentionWidget(anywidget.AnyWidget):  # type: ignore[misc]  # anywidget has no types here
        _esm = resource("attention.js")
        _css = resource("attention.css")
        data = traitlets.Dict().tag(sync=True)
        weights = traitlets.Bytes().tag(sync=True)
        mask = traitlets.Bytes().tag(sync=True)
        selection = SelectionTrait().tag(
            sync=True, to_json=lambda value, _: asdict(value), from_json=lambda value, _: as_selection(value)
        )

    return AttentionWidget


_MODULE = "bertviz_app.cli.beside"
_LONGEST_START_S = 120.0


class WindowError(AppError):
    """The window could not be opened: there is no screen, say."""


class OpenWindow:
    """A window in a process of its own, see `window`."""

    def __init__(self, trace: Trace) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="bertviz-app-"))
        self._name = trace.model
        self._selection: Selection | None = None
        self._text: str | None = None
        self._pair: str | None = None
        self._answer: dict[str, Any] | None = None
        self._is_ended = False
        self._is_open = False
        self._changed = threading.Condition()
        file = self._folder / "trace.npz"
        save_arrays(trace, file)
        self._process = ChildProcess(_MODULE, {"file": str(file)}, self._on_received, self._on_ended)

    def __repr__(self) -> str:
        return f"<{'Open' if self.is_open else 'Closed'} window of {self._name}: {self._selection}>"

    @property
    def is_open(self) -> bool:
        """Whether the window is on screen."""
        return self._is_open and not self._is_ended

    @property
    def text(self) -> str | None:
        """The text that the window shows: its user may have typed another one. None until it shows one."""
        return self._text

    @property
    def pair(self) -> str | None:
        """The second sentence of the text that the window shows, or None."""
        return self._pair

    @property
    def selection(self) -> Selection | None:
        """What is selected in the window now, or was when it closed; None until its trace is shown.

        Setting it, to a Selection or to a dict of its names, selects in the window. Raises ArgumentError for
        another value, SelectionError for a head or a token that the window does not show, WindowError where
        the window is closed, or shows no text for two minutes.
        """
        return self._selection

    @selection.setter
    def selection(self, wanted: Selection | Mapping[str, int | None]) -> None:
        with self._changed:
            self._answer = None
            self._process.send(do="select", selection=asdict(as_selection(wanted)))
            self._changed.wait_for(lambda: self._is_ended or self._answer is not None, _LONGEST_START_S)
        if self._answer is None and self._is_ended:
            message = Message("The window of {0} is closed.", self._name)
            raise WindowError(message, Message("Open it: window(trace)."))
        if self._answer is None:
            message = Message("The window of {0} shows no text yet.", self._name)
            raise WindowError(message, Message("What you chose is selected once it does."))
        if self._answer["error"]:
            raise SelectionError(*map(from_json, self._answer["error"]))

    def wait_for_change(self, timeout: float | None = None) -> Selection | None:
        """Return what is selected next, or what is selected after `timeout` seconds or once it is closed."""
        before = self._selection
        with self._changed:
            self._changed.wait_for(lambda: self._is_ended or self._selection != before, timeout)
        return self._selection

    def close(self) -> None:
        """Close the window, as its own button does."""
        self._process.send(do="close")
        with self._changed:
            self._changed.wait_for(lambda: self._is_ended, 30)

    def open(self) -> None:
        """Start the process and return once its window is there. Raises WindowError."""
        self._process.start()
        with self._changed:
            self._changed.wait_for(lambda: self._is_open or self._is_ended, _LONGEST_START_S)
        if not self.is_open:
            hint = Message("Without a screen use bertviz_app.widget(trace) or trace.to_html(path).")
            raise WindowError(Message("The window could not be opened."), hint)

    def _on_received(self, message: dict[str, Any]) -> None:
        with self._changed:
            if message.get("kind") == "open":
                self._is_open = True
            elif message.get("kind") == "selection":
                self._text, self._pair = message["text"], message["pair"]
                self._selection = Selection(**message["selection"])
            elif message.get("kind") == "selected":
                self._answer = message
            self._changed.notify_all()

    def _on_ended(self, code: int) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)
        with self._changed:
            self._is_ended = True
            self._changed.notify_all()


def window(trace: Trace | EncoderDecoderTraces) -> OpenWindow:
    """Open the program's window with a trace, beside the notebook, and return when it is there.

    The notebook goes on; what is selected in the window is in `selection`. A notebook that ends leaves the
    window open.

    Parameters
    ----------
    trace : Trace or EncoderDecoderTraces
        Any trace; its numbers are shown as they are, without its model. Of an encoder-decoder the window
        shows cross-attention first, and offers the other two.

    Returns
    -------
    OpenWindow
        With `selection`, which can be set, `text`, `pair`, `is_open`, `wait_for_change` and `close`.

    Raises
    ------
    ArgumentError
        For anything but a trace.
    WindowError
        Where no window can be opened, on a machine without a screen.
    """
    opened = OpenWindow(as_trace(one_of(trace), "window(model.trace(text))"))
    opened.open()
    return opened


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
        """The page, as `IPython.display.HTML` names it: that of each trace, in a frame of its own."""
        first = "lines" if self.kind == "head" else "overview"
        theme = None if self.is_dark is None else "dark" if self.is_dark else "light"
        parts = (
            (f"<h4>{name}</h4>" if name else "") + framed(trace.to_html(view=first, theme=theme))
            for name, trace in self.traces.items()
        )
        return "<div>" + "\n".join(parts) + "</div>"  # IPython warns of what is an iframe alone

    def _repr_html_(self) -> str:
        return self.data


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
