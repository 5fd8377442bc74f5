"""Scenes: what a station takes over from those before it, and the run and the head that it is about."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import fields

from bertviz_app.analysis.results import Result, TokenScalars
from bertviz_app.learning.lessons.lesson import Scene
from bertviz_app.learning.lessons.quantities import MissingError, QuantityInputs
from bertviz_app.learning.lessons.tasks import HeadRule
from bertviz_app.text.edits import MASK, Edits
from bertviz_app.trace import Trace
from bertviz_app.types import Floats


def following(before: Scene, scene: Scene) -> Scene:
    """Return `scene` with its missing values taken from the scene of the station before.

    What was done to a run (a hidden token, a muted head), what was pinned, and analyses belong to one station
    only; a new text has no pair unless that is given, too.
    """
    values = {field.name: getattr(before, field.name) for field in fields(Scene)} | {
        "query": None,
        "key": None,
        "hidden": None,
        "replaced": (),
        "muted": (),
        "analyses": (),
        "best_head": False,
    }
    if scene.text is not None:
        values["pair"] = None
    given = {field.name: getattr(scene, field.name) for field in fields(Scene)}
    # An empty tuple means “not given”, except for `cards`, where it means that none is open.
    values |= {
        name: value for name, value in given.items() if value is not None and (value != () or name == "cards")
    }
    return Scene(**values)


def edits_of(scene: Scene, run: QuantityInputs) -> Edits:
    """Return the replaced tokens and the muted heads of a scene; what this run lacks is left out."""
    named = ((scene.hidden, MASK), *((each.token, each.piece) for each in scene.replaced))
    replaced = {}
    for name, piece in named:
        with suppress(MissingError):
            if name is not None:
                replaced[run.find(name)] = piece
    n_layers, n_heads = run.trace.n_layers, run.trace.n_heads
    muted = sorted({(layer, head) for layer, head in scene.muted if layer < n_layers and head < n_heads})
    return Edits(tuple(muted), tuple(sorted(replaced.items())))


def head_of(scene: Scene, trace: Trace) -> tuple[int, int]:
    """Return the layer and the head of a scene, or the nearest ones that the model has."""
    if scene.best_head and scene.query is not None and scene.key is not None:
        try:
            return HeadRule(query=scene.query, key=scene.key).heads(QuantityInputs(trace))[0]
        except MissingError:
            pass  # another text was typed: the last head, as for a scene that names none
    layer = trace.n_layers - 1 if scene.layer is None else min(scene.layer, trace.n_layers - 1)
    head = trace.n_heads - 1 if scene.head is None else min(scene.head, trace.n_heads - 1)
    return layer, head


def token_values(result: Result) -> Floats | None:
    """Return the number that the result of an analysis gives to each token; None where it gives none."""
    return result.values if isinstance(result, TokenScalars) and result.states is None else None


def run_of(
    trace: Trace,
    scene: Scene,
    n_parameters: int | None = None,
    measures: Mapping[str, Floats] | None = None,
) -> QuantityInputs:
    """Return what the quantities of a station are computed from; `measures` where they are known already."""
    return QuantityInputs(trace, *head_of(scene, trace), n_parameters, measures)
