"""`SceneSetter`: sets the window to the scene of a station, step by step as its runs become ready."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject, Signal, Slot

from bertviz_app.learning.lessons.lesson import Scene, edits_of, head_of
from bertviz_app.learning.lessons.tasks import MissingError, QuantityInputs
from bertviz_app.text.edits import Edits
from bertviz_app.viewmodels.overview_options import ATTENTION, OverviewOptions
from bertviz_app.viewmodels.panel_choices import Content, StepsChoice, VectorsChoice
from bertviz_app.viewmodels.panels import Panel, Panels
from bertviz_app.viewmodels.runs.comparison import Comparison
from bertviz_app.viewmodels.runs.workspace import Workspace
from bertviz_app.viewmodels.selection import NOTHING, Pair, Selection
from bertviz_app.viewmodels.steps.stage import EncoderPart
from bertviz_app.viewmodels.steps.stages import STAGES

_PARTS = {EncoderPart.EMBEDDINGS: "embeddings", EncoderPart.TOP: "top"}


class SceneSetter(QObject):
    """Sets texts and checkpoint first; edits, panels and the pinned pair when the run of those is there.

    `is_set` once all of it is shown, or another text was typed meanwhile; `set_` is emitted then. `lacks` is
    the name of a checkpoint that the scene wants and that is not open: this computer does not have it, or it
    cannot be opened. The scene is then set with the open one. `missing` is a token that the scene pins and
    that its own text does not have.
    """

    set_ = Signal()

    def __init__(
        self,
        workspace: Workspace,
        comparison: Comparison,
        panels: Panels,
        selection: Selection,
        overview: OverviewOptions,
    ) -> None:
        super().__init__(workspace)
        self._workspace = workspace
        self._comparison = comparison
        self._panels = panels
        self._selection = selection
        self._overview = overview
        self._scene: Scene | None = None
        self._texts: tuple[str, str | None] = ("", None)
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
        self._selection.follow(NOTHING, NOTHING)
        if scene.text is not None:
            pair = scene.pair.in_language(language) if scene.pair is not None else None
            workspace.set_texts(scene.text.in_language(language), pair, at_once=True)
        self._texts = workspace.text, workspace.pair
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
        if scene is not None and self.is_set:
            self._follow_tokens(scene)
        if scene is None or self.is_set or workspace.is_busy or not workspace.is_current:
            return
        shown = workspace.shown
        if shown is None:
            return
        name = shown.result.facts.name
        lacks = scene.model if scene.model not in (None, name, workspace.ref) else ""
        if lacks and not workspace.available.is_searched:
            return  # to be called again when it is known whether it is here
        self.lacks = lacks
        if (workspace.text, workspace.pair) != self._texts:
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
        panel = Panel(0, layer, head, "matrix", steps=_steps(scene), vectors=_vectors(scene))
        views = scene.views or ("matrix",)
        shown = [replace(panel, content=Content(key)) for key in scene.analyses]
        self._panels.open([*(replace(panel, view_kind=view) for view in views), *shown])
        if scene.overview is not None:
            # A scene that shows attention shows its pinned pair in every head; one with a measure shows that.
            self._overview.change(shows=scene.overview, shows_pair=scene.overview == ATTENTION)
        self._pin(scene, run)
        names = (scene.query, scene.key)
        self.missing = next((name for name in names if name and _found(run, name) is None), "")

    def _pin(self, scene: Scene, run: QuantityInputs) -> None:
        self._pinned = Pair(_found(run, scene.query), _found(run, scene.key))
        self._selection.follow(NOTHING, self._pinned)

    def _follow_tokens(self, scene: Scene) -> None:
        """Pin the tokens of the scene where they are in the text that is typed, unless others are pinned."""
        shown = self._workspace.shown
        if shown is None or not (scene.query or scene.key):
            return
        trace = shown.result.trace
        if self._selection.pinned.within(trace.n_tokens) == self._pinned.within(trace.n_tokens):
            self._pin(scene, QuantityInputs(trace))


def _found(run: QuantityInputs, name: str | None) -> int | None:
    """Return the position of a token; None where it is not named, or the learner typed another text."""
    try:
        return None if name is None else run.find(name)
    except MissingError:
        return None


def _steps(scene: Scene) -> StepsChoice:
    if scene.stage is None:
        return StepsChoice()
    part = _PARTS.get(STAGES[scene.stage].part, "layer")
    return StepsChoice(part, scene.stage)  # type: ignore[arg-type]


def _vectors(scene: Scene) -> VectorsChoice:
    return VectorsChoice(scene.page or "cls", scene.state)
