"""The catalogue of analyses that window, API and command line share, by theme; ours, and other packages'."""

from __future__ import annotations

import re
from collections.abc import Container
from functools import cache
from importlib.metadata import EntryPoint, PackageNotFoundError, entry_points
from typing import Any, NamedTuple

from bertviz_app.analysis.entry import Analysis
from bertviz_app.analysis.parameters import parameters_of
from bertviz_app.analysis.probing.baselines import head_baselines
from bertviz_app.analysis.probing.blocks import norm_attention, norm_residual
from bertviz_app.analysis.probing.interventions import head_ablation, head_importance
from bertviz_app.analysis.probing.passes import layer_stages
from bertviz_app.analysis.probing.predictions import logit_lens, self_test, task_logits, task_predictions
from bertviz_app.analysis.pure.heads import (
    divergence_of_runs,
    head_distance,
    head_patterns,
    inter_sentence,
    measures_of_heads,
)
from bertviz_app.analysis.results import Result
from bertviz_app.errors import AnalysisError, Message, shown
from bertviz_app.room_loader import brought


class AnalysisTheme(NamedTuple):
    """Analyses that answer one kind of question, and what it is called in menus."""

    title: Message
    analyses: tuple[Analysis[Any, Any], ...]


_CORE: tuple[Analysis[Any, Any], ...] = (
    *(measures_of_heads, head_baselines, head_patterns, inter_sentence, head_distance, norm_attention),
    *(norm_residual, layer_stages, task_predictions, task_logits, logit_lens, head_ablation, head_importance),
    *(divergence_of_runs, self_test),
)
"""Those that are there without any room."""

TITLES = {
    "heads": Message("Heads and their weights"),
    "layers": Message("From layer to layer"),
    "tokens": Message("Which tokens an outcome depends on"),
    "predictions": Message("What the model predicts"),
    "replaced": Message("Heads replaced or switched off"),
    "circuits": Message("Circuits of heads"),
    "two runs": Message("Two runs compared"),
    "numbers": Message("Whether the numbers are right"),
}
"""The themes, in order; each analysis names the one it belongs to."""


# A module that imports the analysis of another one brings it, too.
_OURS = dict.fromkeys((*_CORE, *(one for analyses in brought("analyses") for one in analyses())))
for _one in _OURS:
    if _one.place[0] not in TITLES or sum(_one.key == other.key for other in _OURS) > 1:
        raise TypeError(f"{_one.key}: its place {_one.place} names no theme, or the key is there twice")

_BY_PLACE = sorted(_OURS, key=lambda one: one.place[1])
THEMES = tuple(
    AnalysisTheme(title, tuple(one for one in _BY_PLACE if one.place[0] == theme))
    for theme, title in TITLES.items()
    if any(one.place[0] == theme for one in _OURS)
)
"""Our own analyses by theme."""

CATALOGUE = tuple(analysis for theme in THEMES for analysis in theme.analyses)
"""All our own analyses."""

GROUP = "bertviz_app.analyses"
"""The group of the entry points by which other packages bring analyses."""

_KEY = re.compile("[a-z0-9]+(-[a-z0-9]+)*")


class Installed(NamedTuple):
    """The analyses of other packages, and a sentence about each that was left out."""

    analyses: tuple[Analysis[Any, Any], ...]
    problems: tuple[Message, ...]


@cache
def installed() -> Installed:
    """Return the analyses of the installed packages that have entry points of `GROUP`.

    The first call imports what the entry points name; whatever goes wrong in it is a problem of that entry
    point alone. Only packages that somebody installed are imported: nothing of a checkpoint has a part in it.
    """
    found: dict[str, Analysis[Any, Any]] = {analysis.key: analysis for analysis in CATALOGUE}
    problems: list[Message] = []
    for point in sorted(entry_points(group=GROUP), key=lambda point: (_package(point), point.name)):
        try:
            loaded = point.load()
            for one in loaded if isinstance(loaded, tuple | list) else [loaded]:
                if fault := _fault(one, found):
                    problems.append(_left_out(point, fault))
                else:
                    found[one.key] = one
        except (Exception, SystemExit) as error:  # noqa: BLE001 - the code is somebody else's
            problems.append(_left_out(point, _words(error)))
    return Installed(tuple(found.values())[len(CATALOGUE) :], tuple(problems))


def _package(point: EntryPoint) -> str:
    """Return the name of the distribution; of the module, where a distribution has lost its metadata."""
    try:
        return (point.dist and point.dist.name) or point.module
    except (FileNotFoundError, PackageNotFoundError):  # of another finder, such as that of importlib_metadata
        return point.module


def _left_out(point: EntryPoint, reason: str) -> Message:
    package = _package(point)
    return Message("The analysis “{0}” of the package “{1}” is left out: {2}.", point.name, package, reason)


def _words(error: BaseException) -> str:
    """Return what an error is in one line, whose full stop is that of the sentence which it ends."""
    return shown(f"{type(error).__name__}: {' '.join(str(error).split())}", 200).rstrip(". ")


def _fault(loaded: object, taken: Container[str]) -> Message | None:
    """Return why an object cannot be in the catalogue, whose keys are `taken`; None where it can."""
    if not isinstance(loaded, Analysis):
        kind = type(loaded).__name__
        return Message("it is of type {0}, and not what @analysis(...) makes of a function", kind)
    if not isinstance(loaded.key, str) or not _KEY.fullmatch(loaded.key):
        return Message("its key “{0}” is not small letters and digits with hyphens between them", loaded.key)
    if loaded.key in taken:
        return Message("there is another analysis with the key “{0}”", loaded.key)
    for name in ("title", "summary", "limits", "paper"):
        if not isinstance(getattr(loaded, name), str) or not getattr(loaded, name):
            return Message("its {0} is not a text", name)
    if not (isinstance(loaded.result, type) and issubclass(loaded.result, Result)):
        return Message("what it returns is annotated as {0}, which is no result", loaded.result)
    try:
        parameters_of(loaded.parameters)
        loaded.parameters()
    except Exception as error:  # noqa: BLE001 - the class is somebody else's
        return Message("its parameters cannot be read: {0}", _words(error))
    return None


def analyses() -> tuple[Analysis[Any, Any], ...]:
    """Return all analyses: our own, then those of other packages."""
    return *CATALOGUE, *installed().analyses


def by_theme() -> list[AnalysisTheme]:
    """Return all analyses by theme; those of other packages are a theme, the last one."""
    themed = {entry.key for theme in THEMES for entry in theme.analyses}
    others = tuple(entry for entry in analyses() if entry.key not in themed)
    return [*THEMES, *([AnalysisTheme(Message("From other packages"), others)] if others else [])]


def analysis_with(key: str) -> Analysis[Any, Any] | None:
    """Return the analysis with a key, such as "head-measures", None where there is none.

    Other packages are not imported for a key of our own.
    """
    own = next((entry for entry in CATALOGUE if entry.key == key), None)
    return own or next((entry for entry in installed().analyses if entry.key == key), None)


def find_analysis(key: str) -> Analysis[Any, Any]:
    """Return the analysis with a key. Raises AnalysisError for another key, with what was left out."""
    if (found := analysis_with(key)) is not None:
        return found
    known = Message("There are: {0}.", ", ".join(entry.key for entry in analyses()))
    hint = Message.joined([known, *installed().problems])
    raise AnalysisError(Message("There is no analysis “{0}”.", key), hint)
