"""`widget`: the attention of a trace inside a notebook, with hover, and with its selection coming back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from functools import cache
from typing import Any

from bertviz_app.api.selection import Selection, as_selection, validate_selection
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
