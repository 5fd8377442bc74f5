"""The scene of what the window shows now, and what of it a scene cannot hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, get_args

from bertviz_app.errors import Message
from bertviz_app.learning.lessons.lesson import Replaced, Scene, View
from bertviz_app.learning.lessons.tasks import QuantityInputs
from bertviz_app.learning.words import TypedText
from bertviz_app.text.edits import MASKS
from bertviz_app.text.tokens import tokens_named, written_at
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.panel_choices import Content
from bertviz_app.viewmodels.panels import Panel


@dataclass(frozen=True)
class ShownScene:
    """`left_out`: sentences on what is shown but is not in the scene."""

    scene: Scene
    left_out: tuple[str, ...]


def shown_scene(app_state: AppState, cards: Sequence[str]) -> ShownScene | None:
    """Return the scene of what is shown, with these of the window's cards open.

    None without a result, and where the text of the result has been deleted from its field.
    """
    workspace, panel = app_state.workspace, app_state.panels.active
    if workspace.shown is None or panel is None or workspace.saved is not None:
        return None
    if not workspace.text.strip() or (workspace.pair is not None and not workspace.pair.strip()):
        return None
    trace = workspace.shown.result.trace
    run, pinned = QuantityInputs(trace), app_state.selection.pinned
    shown: dict[str, Any] = {
        "text": TypedText(workspace.text, workspace.text),
        "pair": None if workspace.pair is None else TypedText(workspace.pair, workspace.pair),
        "model": workspace.shown.result.facts.name,
        "layer": panel.layer,
        "head": panel.head,
        "analyses": tuple(each.content.analysis for each in app_state.panels.panels if _is_plain(each)),
        "views": tuple(dict.fromkeys(each.view_kind for each in _drawn(app_state.panels.panels))),
        "query": name_of(run, pinned.query),
        "key": name_of(run, pinned.key),
        "overview": app_state.overview.value.shows,
        "muted": workspace.edits.muted,
        "cards": tuple(cards),
    }
    return ShownScene(
        Scene(**shown, **_stops(app_state.panels.panels), **_replaced(run, workspace.edits.replaced)),
        tuple(_left_out(app_state, panel)),
    )


def name_of(run: QuantityInputs, position: int | None) -> str | None:
    """Return the name by which a lesson finds a token: what is written, with its number among several."""
    if position is None:
        return None
    tokens = run.trace.tokens
    text = written_at(tokens, position) or tokens.labels[position]
    positions = tokens_named(tokens, text)
    if position not in positions:
        text = tokens.labels[position]
        positions = tokens_named(tokens, text)
    return text if len(positions) == 1 else f"{text}#{positions.index(position) + 1}"


def _drawn(panels: Sequence[Panel]) -> list[Panel]:
    """Return the panels that a scene can hold: attention, Steps and Vectors of run A."""
    views = get_args(View)
    return [
        each for each in panels if each.run == "A" and not each.content.analysis and each.view_kind in views
    ]


def _is_plain(panel: Panel) -> bool:
    """Return whether the panel shows an analysis of run A as the catalogue has it."""
    return (
        bool(panel.content.analysis) and panel.run == "A" and panel.content == Content(panel.content.analysis)
    )


def _stops(panels: Sequence[Panel]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for panel in _drawn(panels):
        if panel.view_kind == "steps":
            found.setdefault("stage", panel.steps.stage)
        if panel.view_kind == "vectors":
            found.setdefault("page", panel.vectors.page)
            found.setdefault("state", panel.vectors.state)
    return found


def _replaced(run: QuantityInputs, replaced: Sequence[tuple[int, str]]) -> dict[str, Any]:
    masked = [at for at, piece in replaced if piece in MASKS]
    others = [(at, piece) for at, piece in replaced if at not in masked[:1]]
    return {
        "hidden": name_of(run, masked[0]) if masked else None,
        "replaced": tuple(Replaced(token=name_of(run, at) or "", piece=piece) for at, piece in others),
    }


def _left_out(app_state: AppState, panel: Panel) -> list[str]:
    sentences: list[str] = []
    panels, edits = app_state.panels.panels, app_state.workspace.edits
    if edits.heads or edits.tokens or edits.cells:
        sentences.append(
            Message("Of interventions a station has replaced tokens and heads replaced by zeros, no others.")
        )
    if any(each.view_kind not in get_args(View) and not each.content.analysis for each in panels):
        sentences.append(Message("Panels of parameters are not part of a station."))
    if app_state.comparison.is_on:
        sentences.append(Message("Run B and panels of it are not part of a station."))
    if any(each.content.analysis and not _is_plain(each) for each in panels):
        sentences.append(Message("Analyses with parameters of their own are not part of a station."))
    if any((each.layer, each.head) != (panel.layer, panel.head) or each.heads for each in _drawn(panels)):
        sentences.append(Message("All panels of a station show one head: that of the active panel."))
    return sentences
