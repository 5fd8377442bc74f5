"""The numbers on screen in a panel, for a file: one function for each way of showing them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields

import numpy as np

from bertviz_app.analysis.attention.stamp import WEIGHTS
from bertviz_app.trace.bias import GlobalAttention
from bertviz_app.trace.provenance import LayerDetails
from bertviz_app.viewmodels.export import Fact, Numbers, head_numbers, named_numbers
from bertviz_app.viewmodels.export import result_numbers as numbers_of_result
from bertviz_app.viewmodels.heads.pictures import HeadOfRun, HeadPicture
from bertviz_app.viewmodels.panels import Panel
from bertviz_app.viewmodels.parameters import numbers_of_parameters
from bertviz_app.viewmodels.results import Ready
from bertviz_app.views.kit.panel_view import PanelTools, PanelView
from bertviz_app.views.parameters.view import ParametersView
from bertviz_app.views.vectors.view import VectorsView

ComputeNumbers = Callable[[], Numbers]
"""Computes the numbers; it may take long and is called on a worker."""

ShownNumbers = Callable[[Panel, PanelView, PanelTools], ComputeNumbers]
"""Takes what is on screen now and returns what computes its numbers. The view must show a head."""


def weights_numbers(panel: Panel, view: PanelView, tools: PanelTools) -> ComputeNumbers:
    """Return the attention weights of all heads that are drawn, or what an analysis has in their place."""
    if panel.content.analysis:
        front = _picture(view)
        states = [] if view.analysed is None else tools.analyses.pictures(panel, view.analysed)
        shown = tuple(state.value for state in states if isinstance(state, Ready))
        return lambda: head_numbers(panel, shown or (front,))
    drawn = [tools.pictures.get(panel.layer, head) for head in panel.shown_heads]
    pictures = tuple(picture for picture in drawn if picture is not None) or (_picture(view),)
    return lambda: head_numbers(panel, pictures)


def steps_numbers(panel: Panel, view: PanelView, tools: PanelTools) -> ComputeNumbers:
    """Return the vectors of one head, and every stage of its layer if that was computed."""
    head = view.shown_head
    assert head is not None
    details = tools.details.get(head.trace, panel.layer)
    return lambda: _numbers_of_steps(head, details)


def vectors_numbers(panel: Panel, view: PanelView, tools: PanelTools) -> ComputeNumbers:
    assert isinstance(view, VectorsView)
    found = view.numbers()
    return lambda: named_numbers({}, found)


def parameters_numbers(panel: Panel, view: PanelView, tools: PanelTools) -> ComputeNumbers:
    """Return the table of parameters, all numbers of one, or a row of it with its input and the products."""
    assert isinstance(view, ParametersView)
    return numbers_of_parameters(view.shown)


def result_numbers(panel: Panel, view: PanelView, tools: PanelTools) -> ComputeNumbers:
    analysed = view.analysed
    assert analysed is not None
    return lambda: numbers_of_result(analysed)


def _picture(view: PanelView) -> HeadPicture:
    assert view.picture is not None
    return view.picture


def _numbers_of_steps(shown: HeadOfRun, details: LayerDetails | None) -> Numbers:
    trace, layer, head = shown.trace, shown.layer, shown.head
    arrays = {
        "input": trace.hidden[layer],
        "queries": trace.queries[layer, head],
        "keys": trace.keys[layer, head],
        "values": trace.values[layer, head],
        "scores": trace.scores(layer, head, scaled=False),
        "weights": trace.attention(layer, head),
    }
    if isinstance(trace.bias, GlobalAttention):
        arrays["global_keys"] = trace.bias.keys[layer, head]
        arrays["global_values"] = trace.bias.values[layer, head]
    if details is not None:
        stages = {field.name: getattr(details, field.name) for field in fields(details)}
        arrays |= {name: stage for name, stage in stages.items() if isinstance(stage, np.ndarray)}
    facts: dict[str, Fact] = {"layer": layer, "head": head, **WEIGHTS.facts}
    return Numbers(facts, arrays, {"tokens": trace.tokens.pieces}, stamp=WEIGHTS)
