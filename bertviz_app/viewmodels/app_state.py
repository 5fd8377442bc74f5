"""`AppState`: the state behind one window, built and connected: runs, panels, pointer."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from bertviz_app.inference.engine import Engine
from bertviz_app.learning.glossary import facts_of
from bertviz_app.options import SIDES, Run
from bertviz_app.text import Edits
from bertviz_app.text_tables.items import Item
from bertviz_app.trace import Trace
from bertviz_app.trace.indexing import SHOWS_ALL
from bertviz_app.values import replace
from bertviz_app.viewmodels.panels import Panels, Rooms
from bertviz_app.viewmodels.pointer import Pointer, Selection
from bertviz_app.viewmodels.results import Workers
from bertviz_app.viewmodels.runs.answering import Answering
from bertviz_app.viewmodels.runs.comparison import ComparedPanels, Comparison, Editing, WordCuts
from bertviz_app.viewmodels.runs.run import DrawnHeads, Shown
from bertviz_app.viewmodels.runs.workspace import EncodedRun, Workspace
from bertviz_app.viewmodels.state import Store
from bertviz_app.viewmodels.vectors import KeptVectors, VectorPictures
from bertviz_app.viewmodels.viewport import Viewport

if TYPE_CHECKING:
    from bertviz_app.viewmodels.export import Runs
    from bertviz_app.viewmodels.interventions import Interventions, RunOutcomes
    from bertviz_app.viewmodels.overview import Refinement
    from bertviz_app.viewmodels.runs.shown import ShownRuns


class NumbersSwitch(QObject):
    """Compares what is shown with what the options ask for; what is shown stays until the other is there.

    Run A comes first, then run B. Where a model does not have such numbers, `refused(error)` is emitted, and
    the options ask for weights again.
    """

    refused = Signal(object)

    def __init__(self, store: Store, runs: tuple[EncodedRun, ...]) -> None:
        super().__init__(store)
        self._store, self._runs = store, runs
        self._requested = store.now.options.stamp
        store.watch(("options",), self._on_options_changed)
        for run in runs:
            run.shown_changed.connect(self._update)

    @Slot()
    def _on_options_changed(self) -> None:
        if self._store.now.options.stamp != self._requested:
            self._requested = self._store.now.options.stamp
            self._update()

    @Slot()
    def _update(self) -> None:
        for shown in (run.shown for run in self._runs):
            if shown is None or shown.refusal is None:
                continue
            if shown.requested == self._requested.numbers:  # another kind may be possible
                self.refused.emit(shown.refusal)
                self._store.change("amend", options=replace(self._store.now.options, numbers="weight"))
                return
        for run in self._runs:
            if not run.prepare_as(self._requested):
                return


class AppState(QObject):
    """Everything that the window shows and changes, without a widget."""

    failed = Signal(object)

    def __init__(self, engine: Engine) -> None:
        super().__init__()
        self.engine = engine
        self._chosen_for: Trace | None = None
        workers = self.workers = Workers(self.failed.emit, self)
        store = self.store = Store(self)
        self.panels = Panels(store)
        self.rooms = Rooms(self.panels)
        self.workspace = Workspace(
            engine, workers.encoder, workers.downloads, workers.listings, self._drawn, store
        )
        self.pointer = Pointer(store)
        self.kept_vectors = KeptVectors(self.workspace)
        # Qt calls in the order of connection. The comparison and the views connect to the same signal later:
        # when they learn of a result, all that is derived from it is there already.
        self.workspace.shown_changed.connect(self._on_shown_changed)
        self.comparison = Comparison(engine, self.workspace, workers.encoder, workers.heads)
        self.comparison.shown_changed.connect(self._on_other_changed)
        self.encoded_runs: dict[Run, EncodedRun] = {
            run.name: run for run in (self.workspace, self.comparison)
        }
        self.numbers_switch = NumbersSwitch(store, tuple(self.encoded_runs.values()))
        self.answering = Answering(engine, self.workspace, self.comparison, workers.encoder)
        self.compared_panels = ComparedPanels(self.comparison, self.panels)
        self.editing = Editing(self.workspace, self.comparison, self.panels, self.pointer)
        self.word_cuts = WordCuts(engine, self.editing, workers)
        self.workspace.failed.connect(self.failed)
        self.kept_vectors.sentence_requested.connect(self._on_sentence_requested)
        self.panels.changed.connect(self._on_panels_changed)

    # The first window has no result yet: what is derived from results is loaded and made with the views.

    @cached_property
    def shown_runs(self) -> ShownRuns:
        """What is known of the runs on screen."""
        from bertviz_app.viewmodels.runs.shown import ShownRuns

        runs = ShownRuns(self.engine, self.workers, self.panels, self.pointer)
        self.store.watch(("text", "pair"), runs.self_testing.pause)
        self.store.watch(("text", "pair"), runs.rounding.pause)
        return runs

    @cached_property
    def vectors(self) -> VectorPictures:
        """What the views of vectors draw, and which vector of a text they show."""
        return VectorPictures(self.workers.vectors)

    @cached_property
    def refinement(self) -> Refinement:
        """What computes the overviews of long texts."""
        from bertviz_app.viewmodels.overview import Refinement

        workers, runs = self.workers, self.encoded_runs.values()
        before = workers.encoder, workers.pictures
        return Refinement(workers.overviews, before, runs, self.panels, workers.failed)

    @cached_property
    def interventions(self) -> Interventions:
        """Those of both runs one by one, on and off, and the sets that have a name."""
        from bertviz_app.viewmodels.interventions import Interventions

        return Interventions(self.encoded_runs.values(), self)

    @cached_property
    def outcomes(self) -> dict[Run, RunOutcomes]:
        """What the interventions of each run change."""
        from bertviz_app.viewmodels.interventions import RunOutcomes

        engine, results, a, b = self.engine, self.workers.analysed, self.workspace, self.comparison
        return {"A": RunOutcomes(engine, results, a, b), "B": RunOutcomes(engine, results, b)}

    @property
    def runs(self) -> Runs | None:
        """The results on screen, which exported pictures and numbers are of; None before there is one."""
        from bertviz_app.viewmodels.export import Runs

        of_a, of_b = self.sides("A")
        return None if of_a is None else Runs(of_a.result, None if of_b is None else of_b.result)

    @property
    def selection(self) -> Selection:
        return self.pointer.selections["A"]

    @property
    def viewport(self) -> Viewport:
        return self.pointer.viewports["A"]

    def sides(self, run: Run) -> tuple[Shown | None, Shown | None]:
        """Return what is shown of a run, of a difference that of run A, and of the run beside it."""
        first, second = (self.encoded_runs[side].shown for side in SIDES[run])
        return first, second

    def shown_facts(self) -> dict[str, str]:
        """Return the facts of run A with the head and the pair that the inspector shows; {} without a run.

        By the names that the glossary and the lessons give them.
        """
        if (shown := self.workspace.shown) is None:
            return {}
        trace, facts, pair = shown.result.trace, self.workspace.facts, self.shown_runs.inspected.pair
        if pair is None or pair.trace is not trace:
            return facts_of(trace, facts)
        return facts_of(trace, facts, (pair.layer, pair.head), pair.numbers)

    def _drawn(self) -> DrawnHeads:
        options, runs = self.store.now.options, self.shown_runs
        return DrawnHeads(tuple(self.panels.open_heads()), options, runs.analyses.known(options.numbers))

    def start(self, model: str | None, *, opens: bool = True) -> None:
        """Start the workers: load torch, look for devices and open a checkpoint, unless not `opens`."""
        self.workers.start()
        self.workspace.available.look_for_devices()
        if opens:
            self.workspace.open_model(model)
        self.workspace.available.look_for_sources()

    def close(self) -> None:
        """End the workers; what they still do is cancelled."""
        self.workers.close()

    def open_parsed(self, item: Item) -> None:
        """Show a parsed sentence as run A: from now on it is the parse of runs that have its text."""
        self.store.change(parsed=item)
        self.workspace.set_texts(item.text, None, at_once=True)

    @Slot(str, object, object)
    def _on_sentence_requested(self, text: str, pair: str | None, edits: Edits) -> None:
        self.workspace.set_texts(text, pair, at_once=True)
        self.workspace.set_edits(edits)

    @Slot()
    def _on_shown_changed(self) -> None:
        from bertviz_app.viewmodels.heads.pictures import first_head

        if (shown := self.workspace.shown) is None:
            return
        trace = shown.result.trace
        with self.store.amending():
            self.shown_runs.show("A", shown)
            self.panels.set_size(trace.n_layers, trace.n_heads, first_head(shown.result.facts.name, trace))
            if trace is not self._chosen_for:
                self._chosen_for = trace
                self.panels.show_image(has_image=trace.image is not None)
                if trace.choice != self.store.now.included or trace.choice != SHOWS_ALL:
                    self.panels.include(trace.choice)

    @Slot()
    def _on_panels_changed(self) -> None:
        # Of a long text each picture takes a hundred megabytes: only those on screen are cached for certain.
        self.workers.heads.cache_at_least(max(1, sum(len(panel.shown_heads) for panel in self.panels.panels)))

    @Slot()
    def _on_other_changed(self) -> None:
        shown, difference = self.comparison.shown, self.comparison.difference
        with self.store.amending():
            if not self.comparison.is_on:
                self.rooms.leave_runs()
            if shown is None or difference is None:
                self.shown_runs.end_comparison()
            else:
                self.shown_runs.show("B", shown)
                self.shown_runs.compare(difference)
