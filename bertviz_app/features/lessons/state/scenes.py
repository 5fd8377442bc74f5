"""What a station shows: how it is set up, and what is on screen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, get_args

from PySide6.QtCore import QObject, Signal, Slot

from bertviz_app.errors import Message
from bertviz_app.features.lessons.course.lesson import Replaced, Scene, View, edits_of, head_of
from bertviz_app.features.lessons.course.tasks import MissingError, QuantityInputs
from bertviz_app.learning.words import TypedText
from bertviz_app.text.edits import MASKS, Edits
from bertviz_app.text.tokens import tokens_named, written_at
from bertviz_app.values import dataclass, replace
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.panel import Content, Panel, ParametersChoice, Part, StepsChoice, VectorsChoice
from bertviz_app.viewmodels.stages.stage import EncoderPart
from bertviz_app.viewmodels.stages.stops import STAGES
from bertviz_app.viewmodels.state import ATTENTION, NOTHING, Pair, change_overview

_PARTS: Mapping[EncoderPart, Part] = MappingProxyType(
    {EncoderPart.EMBEDDINGS: "embeddings", EncoderPart.TOP: "top"}
)


class SceneSetter(QObject):
    """Sets texts and checkpoint first; edits, panels and the pinned pair when the run of those is there.

    `is_set` once all of it is shown, or another text was typed meanwhile; `set_` is emitted then. `lacks` is
    the name of a checkpoint that the scene wants and that is not open: this computer does not have it, or it
    cannot be opened. The scene is then set with the open one. `missing` is a token that the scene pins and
    that its own text does not have.
    """

    set_ = Signal()

    def __init__(self, app_state: AppState) -> None:
        super().__init__(app_state)
        self._workspace = workspace = app_state.workspace
        self._comparison = app_state.comparison
        self._panels = app_state.panels
        self._selection = app_state.selection
        self._store = app_state.store
        self._scene: Scene | None = None
        self.texts: tuple[str, str | None] = ("", None)
        """Those of the scene."""
        self._pinned = NOTHING
        self.is_set = False
        self.lacks = self.missing = ""
        workspace.shown_changed.connect(self._go_on)
        workspace.available.sources_changed.connect(self._on_sources_changed)

    def set_scene(self, scene: Scene, language: str) -> None:
        """Set the window to `scene`, whose texts are in a language."""
        workspace = self._workspace
        self._scene, self.is_set, self.missing = scene, False, ""
        if self._comparison.is_on:
            self._comparison.end()
        self._selection.clear()
        if scene.text is not None:
            pair = scene.pair.in_language(language) if scene.pair is not None else None
            workspace.set_texts(scene.text.in_language(language), pair, at_once=True)
        self.texts = workspace.text, workspace.pair
        workspace.set_edits(Edits())
        self._open(scene.model)
        self._go_on()

    def leave(self) -> None:
        """Set nothing any more; what is shown stays."""
        self._scene = None

    @property
    def has_other_pin(self) -> bool:
        """Whether tokens are pinned that the scene does not pin."""
        return bool(self._selection.pinned) and self._selection.pinned != self._pinned

    def _open(self, name: str | None) -> None:
        workspace = self._workspace
        if name is None or (workspace.facts is not None and workspace.facts.name == name):
            return
        found = [source.ref for source in workspace.available.sources if name in (source.name, source.ref)]
        if found:
            workspace.open_model(found[0])

    @Slot()
    def _on_sources_changed(self) -> None:
        """Open the checkpoint of the scene if it was only now found on this computer, else do without it."""
        scene = self._scene
        if scene is None or scene.model is None or (self.is_set and not self.lacks):
            return
        if any(scene.model in (source.name, source.ref) for source in self._workspace.available.sources):
            self.is_set = False
            self._open(scene.model)
        self._go_on()

    @Slot()
    def _go_on(self) -> None:
        """Set what needs a run, as soon as the run of the scene is shown."""
        scene, workspace = self._scene, self._workspace
        if scene is not None and self.is_set and workspace.shown is not None and (scene.query or scene.key):
            trace = workspace.shown.result.trace
            pinned = self._selection.pinned.within(trace.n_tokens)
            # Tokens of the scene stay pinned in another text that has them, unless others are pinned.
            if not pinned or pinned == self._pinned.within(trace.n_tokens):
                self._pin(scene, QuantityInputs(trace))
        if scene is None or self.is_set or workspace.is_busy or not workspace.is_current:
            return
        shown = workspace.shown
        if shown is None:
            return
        lacks = scene.model if scene.model not in (None, shown.result.facts.name, workspace.ref) else ""
        if lacks and not workspace.available.is_searched:
            return  # to be called again when it is known whether it is here
        self.lacks = lacks
        if (workspace.text, workspace.pair) != self.texts:
            self._finish()
            return
        run = QuantityInputs(shown.result.trace)
        edits = edits_of(scene, run)
        if edits != workspace.edits:
            workspace.set_edits(edits)
            return  # to be called again with their run
        self._arrange(scene, run)
        self._finish()

    def _finish(self) -> None:
        self.is_set = True
        self.set_.emit()

    def _arrange(self, scene: Scene, run: QuantityInputs) -> None:
        if self._comparison.is_on:  # that of a session whose checkpoint was still being opened
            self._comparison.end()
        layer, head = head_of(scene, run.trace)
        panel = Panel(0, layer, head, "matrix", vectors=VectorsChoice(scene.page or "cls", scene.state))
        if scene.stage is not None:
            part = _PARTS.get(STAGES[scene.stage].part, "layer")
            panel = replace(panel, steps=StepsChoice(part, scene.stage))
        if scene.matrix:
            choice = ParametersChoice("picture" if scene.output is None else "product", scene.matrix)
            panel = replace(panel, parameters=replace(choice, output=scene.output or 0))
        one: View = "matrix" if scene.picture is None else "words"
        views = scene.views or (() if scene.analyses else (one,))
        shown = [replace(panel, content=Content(key)) for key in scene.analyses]
        self._panels.open([*(replace(panel, view_kind=view) for view in views), *shown])
        if scene.overview is not None:
            # A scene that shows attention shows its pinned pair in every head; one with a measure shows that.
            change_overview(self._store, shows=scene.overview, shows_pair=scene.overview == ATTENTION)
        self._pin(scene, run)
        names = (scene.query, scene.key)
        self.missing = next((name for name in names if name and _found(run, name) is None), "")

    def _pin(self, scene: Scene, run: QuantityInputs) -> None:
        self._pinned = Pair(_found(run, scene.query), _found(run, scene.key))
        self._selection.show(self._pinned)


def _found(run: QuantityInputs, name: str | None) -> int | None:
    """Return the position of a token; None where it is not named, or the learner typed another text."""
    try:
        return None if name is None else run.find(name)
    except MissingError:
        return None


@dataclass(frozen=True)
class ShownScene:
    """`active`: the same with the active panel alone. `left_out`: sentences on what it does not have."""

    scene: Scene
    active: Scene
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
    run, pinned = QuantityInputs(workspace.shown.result.trace), app_state.selection.pinned
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
        "overview": app_state.store.now.overview.shows,
        "muted": workspace.edits.muted,
        "cards": tuple(cards),
    }
    replaced = workspace.edits.replaced
    hidden = next((at for at, piece in replaced if piece in MASKS), None)
    others = ((name_of(run, at) or "", piece) for at, piece in replaced if at != hidden)
    shown["hidden"] = name_of(run, hidden)
    shown["replaced"] = tuple(Replaced(token=token, piece=piece) for token, piece in others)
    shown |= _stops(app_state.panels.panels)
    views = tuple(each.view_kind for each in _drawn([panel]))
    analyses = (panel.content.analysis,) if _is_plain(panel) else ()
    alone = shown | {"views": views, "analyses": analyses, "cards": ()}
    return ShownScene(Scene(**shown), Scene(**alone), tuple(_left_out(app_state, panel)))


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
    """Return the panels that a scene can hold: attention, Steps, Vectors and parameters of run A."""
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
        if panel.view_kind == "parameters" and panel.parameters.key:
            found.setdefault("matrix", panel.parameters.key)
            found.setdefault(
                "output", panel.parameters.output if panel.parameters.page == "product" else None
            )
    return found


def _left_out(app_state: AppState, panel: Panel) -> list[str]:
    sentences: list[str] = []
    panels, edits = app_state.panels.panels, app_state.workspace.edits
    if edits.heads or edits.tokens or edits.cells:
        sentences.append(
            Message("Of interventions a station has replaced tokens and heads replaced by zeros, no others.")
        )
    if app_state.comparison.is_on:
        sentences.append(Message("Run B and panels of it are not part of a station."))
    if any(each.content.analysis and not _is_plain(each) for each in panels):
        sentences.append(Message("Analyses with parameters of their own are not part of a station."))
    if any((each.layer, each.head) != (panel.layer, panel.head) or each.heads for each in _drawn(panels)):
        sentences.append(Message("All panels of a station show one head: that of the active panel."))
    return sentences
