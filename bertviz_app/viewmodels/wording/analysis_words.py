"""What is written about an analysis: its name with its parameters, what it is, its limits and its paper."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QCoreApplication

from bertviz_app.analysis.entry import Analysis
from bertviz_app.analysis.reporter import parameters_of
from bertviz_app.viewmodels.panel_choices import Content, Value
from bertviz_app.viewmodels.panel_contents import analysis_of
from bertviz_app.viewmodels.wording.error_words import translated


def content_title(content: Content) -> str:
    """Return the name of what a panel shows, and those of its parameters that are not at their defaults."""
    analysis = analysis_of(content)
    if not content.analysis:
        return QCoreApplication.translate("PanelCard", "Attention")
    if analysis is None:
        return content.analysis
    labels = {parameter.name: parameter.label for parameter in parameters_of(analysis.parameters)}
    parts = [
        f"{translated(labels.get(name, name))} {option_word(value_text(value))}"
        for name, value in content.parameters
    ]
    return " · ".join([translated(analysis.title), *parts])


def parameters_line(content: Content) -> str:
    """Return all parameters that an analysis was run with, also those at their defaults; "" for none.

    A parameter that may be left out, and was, is not named.
    """
    analysis = analysis_of(content)
    chosen = dict(content.parameters)
    if analysis is None:
        return ""
    values = {one: chosen.get(one.name, one.default) for one in parameters_of(analysis.parameters)}
    named = {one: value for one, value in values.items() if value is not None}
    return " · ".join(
        f"{translated(one.label)}: {option_word(value_text(value))}" for one, value in named.items()
    )


def about(analysis: Analysis[Any, Any]) -> str:
    """Return what an analysis is, its limits and its paper, a line each."""
    return "\n".join([translated(analysis.summary), translated(analysis.limits), analysis.paper])


def option_word(option: str) -> str:
    """Return what one of several values of a parameter is called; itself where it has no name."""
    translate = QCoreApplication.translate
    words = {
        "sentence": translate("Options", "sentence vector"),
        "pooled": translate("Options", "pooled vector"),
        "cosine": translate("Options", "cosine of A and B"),
        "masked": translate("Options", "predicted piece"),
        "class": translate("Options", "class"),
        "next-sentence": translate("Options", "next sentence"),
        "zero": translate("Options", "zeros"),
        "mean": translate("Options", "its mean"),
        "uniform": translate("Options", "equal weights"),
        "heads": translate("Options", "a head"),
        "hidden": translate("Options", "the state of a token"),
    }
    return words.get(option, option)


def value_text(value: Value) -> str:
    """Return the value of a parameter as a field has it, and as `read_parameters` takes it."""
    if isinstance(value, tuple):
        return ",".join(map(str, value))
    return "" if value is None else f"{value:g}" if isinstance(value, float) else str(value)
