"""`widget`: the attention of a trace inside a notebook, with hover, and with its selection coming back."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from bertviz_app.errors import lacks_package
from bertviz_app.trace import Trace
from bertviz_app.trace.archive import as_trace
from bertviz_app.trace.page import PageOptions, page_parts, resource


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
        For JupyterLab, VS Code and Colab. Its trait `selection` is a dict of "layer", "head", "query" and
        "key", the last two None where no token is pinned. It follows the clicks, and setting it selects.

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
    selection = {"layer": facts["layer"], "head": facts["heads"][0], "query": None, "key": None}
    return _kind()(data=facts, weights=weights, mask=mask, selection=selection)


@cache
def _kind() -> Any:
    """Return the class of widgets, which exists only where anywidget is installed."""
    try:
        import anywidget
        import traitlets
    except ImportError as error:
        raise lacks_package("anywidget") from error

    class AttentionWidget(anywidget.AnyWidget):  # type: ignore[misc]  # anywidget has no types here
        _esm = resource("attention.js")
        _css = resource("attention.css")
        data = traitlets.Dict().tag(sync=True)
        weights = traitlets.Bytes().tag(sync=True)
        mask = traitlets.Bytes().tag(sync=True)
        selection = traitlets.Dict().tag(sync=True)

    return AttentionWidget
