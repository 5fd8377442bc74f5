"""The whole encoder as one picture: its blocks from the text to the task heads, and where one is in it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from PySide6.QtCore import QObject, Signal, Slot

from bertviz_app.errors import Message
from bertviz_app.trace import Trace
from bertviz_app.values import dataclass
from bertviz_app.viewmodels.panel import Panel, StepsChoice
from bertviz_app.viewmodels.panels import Panels
from bertviz_app.viewmodels.runs.workspace import Workspace
from bertviz_app.viewmodels.steps.stage import Architecture
from bertviz_app.viewmodels.steps.stops import BELOW, STAGES, Stop, all_stops
from bertviz_app.viewmodels.steps.walk import choice_of, stop_of

TASK_HEADS = {
    "masked": Message("masked word"),
    "next_sentence": Message("next sentence"),
    "replaced": Message("replaced or not"),
    "classes": Message("class"),
    "token_labels": Message("tag of each word"),
    "answer": Message("answer"),
}
"""What the task heads are called on the map."""
_SHOWN_BY = {"parameters": "queries"}
"""The stage whose numbers a view of a panel shows, besides Steps and Vectors; of others the softmax."""


@dataclass(frozen=True)
class ModelBlock:
    """One box of the map.

    `key`: of a task head its name. `stops`: what it unfolds into; () for the text and for the task heads.
    `shape`: of what comes out of it. `adds`: it adds what went into the block before it (the residual
    connection).
    """

    key: str
    name: Message
    section: int
    stops: tuple[Stop, ...] = ()
    shape: str = ""
    adds: bool = False


def blocks_of(trace: Trace, task_heads: tuple[str, ...]) -> tuple[ModelBlock, ...]:
    """Return the blocks of the encoder that made `trace`, in the order in which they are computed."""
    architecture = Architecture.of(trace)
    found = [
        ModelBlock("text", Message("the text"), BELOW),
        ModelBlock("tokens", Message("its tokens"), BELOW, shape=f"{trace.n_tokens}"),
    ]
    for (section, group), stops in groupby(all_stops(architecture), key=_group):
        members = tuple(stops)
        adds = any(stop.stage.endswith("_sum") for stop in members) and group == "norm"
        shape = _shape(trace, group)
        found.append(ModelBlock(group, _name(group, members, trace), section, members, shape, adds))
    top = architecture.n_layers
    found += [ModelBlock(head, TASK_HEADS[head], top) for head in task_heads]
    return tuple(found)


def _group(stop: Stop) -> tuple[int, str]:
    """Return the section of a stop and the block of it that it belongs to."""
    part = STAGES[stop.stage].part.value
    if part == "embeddings":
        is_added = stop.stage in ("token", "token_projection", "segment", "position", "task")
        return stop.section, "embeddings" if is_added else stop.stage
    if part == "top":
        return stop.section, "first" if stop.stage == "first" else "pooler"
    if stop.stage.endswith(("_sum", "_norm")) or stop.stage == "output":
        return stop.section, "norm"
    return stop.section, "feed-forward" if part == "feed-forward" else "attention"


_NAMES = {
    "embeddings": Message("embeddings"),
    "embedding_sum": Message("sum"),
    "embedding_norm": Message("norm"),
    "embedding_projection": Message("widen"),
    "attention": Message("attention"),
    "feed-forward": Message("feed-forward"),
    "pooler": Message("pooler"),
}


def _name(group: str, stops: tuple[Stop, ...], trace: Trace) -> Message:
    if group == "norm":
        has_sum = any(stop.stage.endswith("_sum") for stop in stops)
        has_norm = any(not stop.stage.endswith("_sum") for stop in stops)
        return (
            Message("add & norm") if has_sum and has_norm else Message("add") if has_sum else Message("norm")
        )
    return Message("{0}", trace.tokens.special_names.first) if group == "first" else _NAMES[group]


def _shape(trace: Trace, group: str) -> str:
    """Return the shape of what comes out of a block: "11 × 384"."""
    if group == "attention":
        return f"{trace.n_heads} × {trace.n_tokens} × {trace.n_tokens}"
    if group in ("first", "pooler"):
        return f"{trace.width}"
    return f"{trace.n_tokens} × {trace.width}"


class Flow(QObject):
    """Where one is on the map: the stop that the active panel shows. `changed`: another stop, or a model."""

    changed = Signal()

    def __init__(self, panels: Panels, workspace: Workspace, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._panels = panels
        self._workspace = workspace
        self._blocks: tuple[ModelBlock, ...] = ()
        self._of: Trace | None = None
        self.n_layers = 1
        self.stop: Stop | None = None
        self._stops: tuple[Stop, ...] = ()
        for signal in (panels.changed, panels.choice_changed, workspace.shown_changed):
            signal.connect(self._refresh)
        self._refresh()

    @property
    def trace(self) -> Trace | None:
        """What the map is of."""
        shown = self._workspace.shown
        return None if shown is None else shown.result.trace

    @property
    def blocks(self) -> tuple[ModelBlock, ...]:
        """The boxes of the map, none where it is not known what the model is like.

        Made when they are first read: one room alone has the map.
        """
        shown = self._workspace.shown
        if shown is not None and shown.result.trace is not self._of:
            self._of = shown.result.trace
            heads = tuple(shown.result.facts.task_heads)
            self._blocks = blocks_of(self._of, heads) if self._of.has_states else ()
        return self._blocks

    @Slot()
    def _refresh(self) -> None:
        shown, active = self._workspace.shown, self._panels.active
        if shown is None or active is None:
            return
        trace = shown.result.trace
        if not trace.has_states:  # what the model is like is not known
            self._stops, self.stop = (), None
            self.changed.emit()
            return
        self._stops = all_stops(Architecture.of(trace))
        self.n_layers = trace.n_layers
        stop = self._stop_of(active)
        self.stop = stop if stop in self._stops else next(self._in_section(stop.section), None)
        self.changed.emit()

    def _stop_of(self, panel: Panel) -> Stop:
        """Return the stop whose numbers a panel shows."""
        top = self.n_layers
        if panel.kind.key == "vectors":
            state = panel.layer + 1 if panel.vectors.state is None else panel.vectors.state
            if panel.vectors.page == "cls":
                return Stop(top, "pooled")
            return Stop(min(state, top) - 1, "output") if state else Stop(BELOW, "embedding_norm")
        choice = panel.steps
        if panel.kind.key != "steps":
            choice = StepsChoice(stage=_SHOWN_BY.get(panel.kind.key, "softmax"))
        return stop_of(choice, panel.layer, top)

    def _in_section(self, section: int) -> Iterator[Stop]:
        return (stop for stop in self._stops if stop.section == section)

    def enter(self, section: int) -> None:
        """Go to the same stage of another section, or to its first one."""
        stage = "" if self.stop is None else self.stop.stage
        stops = list(self._in_section(section))
        self.go(next((stop for stop in stops if stop.stage == stage), stops[0]))

    def step(self, count: int) -> None:
        """Go on by `count` stops, back if it is negative; not beyond the ends."""
        if self.stop is not None:
            position = self._stops.index(self.stop) + count
            self.go(self._stops[min(max(position, 0), len(self._stops) - 1)])

    def go(self, stop: Stop) -> None:
        """Show a stop in the active panel."""
        active = self._panels.active
        if active is None:
            return
        if 0 <= stop.section < self.n_layers and stop.section != active.layer:
            self._panels.show(stop.section, active.head, is_picked=False)
        form = active.steps.form if active.kind.key == "steps" else "walk"
        self._panels.choose(active.number, choice_of(stop, self.n_layers, form))
        self._panels.draw_as(active.number, "steps")
