"""What the content of a panel is: its entry in the catalogue of analyses, and the views that can show it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from bertviz_app.errors import AnalysisError
from bertviz_app.viewmodels.panel_choices import Content
from bertviz_app.viewmodels.panel_kinds import PanelKind, kinds_for

if TYPE_CHECKING:
    from bertviz_app.analysis.entry import Analysis


def analysis_of(content: Content) -> Analysis[Any, Any] | None:
    """Return the analysis that is shown; None for attention, and for a key that the catalogue lacks.

    A session of another version of the program may have such a key: its panel says so.
    """
    if not content.analysis:
        return None
    from bertviz_app.analysis import catalogue  # all analyses: a window that shows attention needs none

    return next((entry for entry in catalogue.CATALOGUE if entry.key == content.analysis), None)


def reads_second_run(content: Content) -> bool:
    """Return whether what is shown depends on both runs; not where its parameters cannot be read."""
    analysis = analysis_of(content)
    if analysis is None:
        return False
    from bertviz_app.analysis.reporter import read_parameters

    try:
        return analysis.reads_second_run(read_parameters(analysis.parameters, dict(content.parameters)))
    except AnalysisError:  # the panel says so when the analysis is run
        return False


def of_panel(analysis: Analysis[Any, Any]) -> tuple[str, ...]:
    """Return the names of the parameters that a panel decides by its layer and its head."""
    from bertviz_app.analysis.reporter import parameters_of

    return tuple(
        parameter.name
        for parameter in parameters_of(analysis.parameters)
        if parameter.name in ("layer", "head") and parameter.kind is int and not parameter.is_optional
    )


def at_head(content: Content, layer: int, head: int) -> Content:
    """Return `content` in a panel of this head: an analysis of one layer or one head is of the panel's."""
    analysis = analysis_of(content)
    decided = () if analysis is None else of_panel(analysis)
    if not decided:
        return content
    at = {"layer": layer, "head": head}
    own = tuple((name, value) for name, value in content.parameters if name not in decided)
    return replace(content, parameters=(*((name, at[name]) for name in decided), *own))


def apart_from_head(content: Content) -> tuple[Content, int | None, int | None]:
    """Return `content` without what its panel decides, and the layer and the head that it names, if any."""
    analysis = analysis_of(content)
    decided = () if analysis is None else of_panel(analysis)
    named = {name: value for name, value in content.parameters if name in decided}
    own = tuple((name, value) for name, value in content.parameters if name not in decided)
    layer, head = (value if isinstance(value, int) else None for value in map(named.get, ("layer", "head")))
    return replace(content, parameters=own), layer, head


def kinds_of(content: Content) -> tuple[PanelKind, ...]:
    """Return the views that can show it, the one to begin with first."""
    if not content.analysis:
        return kinds_for(("attention",))
    return kinds_for(_classes(content))


def has_layers(content: Content) -> bool:
    """Return whether matrices of each layer are shown: of attention, or of an analysis."""
    classes = set(_classes(content))
    has_matrices = bool({"HeadMatrices", "TokenMatrices"} & classes) and "RunMatrix" not in classes
    return not content.analysis or has_matrices


def has_heads(content: Content) -> bool:
    """Return whether matrices of each head are shown: of attention, or of an analysis."""
    return not content.analysis or "HeadMatrices" in _classes(content)


def _classes(content: Content) -> tuple[str, ...]:
    """Return the names of the class of the result and of its base classes."""
    analysis = analysis_of(content)
    return () if analysis is None else tuple(kind.__name__ for kind in analysis.result.__mro__)
