"""`FlowMap`: the whole encoder as one picture, from the text to the task heads; a click goes to a block."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, groupby, pairwise

from PySide6.QtCore import QEasingCurve, QEvent, QPointF, QRectF, QSize, Qt, QVariantAnimation, Slot
from PySide6.QtGui import (
    QContextMenuEvent,
    QFont,
    QFontMetricsF,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QShowEvent,
)
from PySide6.QtWidgets import QToolTip, QWidget

from bertviz_app.errors import Message
from bertviz_app.features.steps.views.sheet import SheetPen
from bertviz_app.trace import Trace
from bertviz_app.values import dataclass, replace
from bertviz_app.viewmodels.panel import Panel, StepsChoice
from bertviz_app.viewmodels.panels import Panels
from bertviz_app.viewmodels.runs.workspace import Workspace
from bertviz_app.viewmodels.stages import stops as step_words
from bertviz_app.viewmodels.stages.stage import Architecture, Traits
from bertviz_app.viewmodels.stages.stops import BELOW, STAGES, TASK_HEADS, Stop, all_stops, choice_of, stop_of
from bertviz_app.viewmodels.wording import translated
from bertviz_app.views.kit.canvas import guarded
from bertviz_app.views.kit.formula import Formula, fitting
from bertviz_app.views.kit.look import CENTRE, RIGHT, Look, Pencil
from bertviz_app.views.kit.words import open_menu, plain
from bertviz_app.views.model_map import ModelMap, draw_thumbnail

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
        is_sum = {stop.stage.endswith("_sum") for stop in members}
        adds = group == "norm" and True in is_sum
        norms = Message("add & norm") if len(is_sum) > 1 else Message("add") if adds else Message("norm")
        name = {**_NAMES, "first": Message("{0}", trace.tokens.special_names.first), "norm": norms}[group]
        shape = f"{trace.n_tokens} × {trace.width}"
        if group == "attention":
            shape = f"{trace.n_heads} × {trace.n_tokens} × {trace.n_tokens}"
        elif group in ("first", "pooler"):
            shape = f"{trace.width}"
        found.append(ModelBlock(group, name, section, members, shape, adds))
    found += [ModelBlock(head, TASK_HEADS[head], architecture.n_layers) for head in task_heads]
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


class Flow:
    """Where one is on the map: what it is of, and the stop that the active panel shows."""

    def __init__(self, panels: Panels, workspace: Workspace) -> None:
        self._panels = panels
        self._workspace = workspace
        self._of: Trace | None = None
        self._blocks: tuple[ModelBlock, ...] = ()
        self._stops: tuple[Stop, ...] = ()
        self._shown: tuple[Panel, tuple[ModelBlock, ...], Stop | None] | None = None

    def watch(self, slot: Callable[[], object]) -> None:
        """Call `slot()` when another stop is shown, or another model."""
        self._panels.store.watch(("panels", "active"), slot)
        self._workspace.shown_changed.connect(slot)

    @property
    def trace(self) -> Trace | None:
        """What the map is of."""
        shown = self._workspace.shown
        return None if shown is None else shown.result.trace

    @property
    def n_layers(self) -> int:
        """The number of layers of the model, 1 before there is one."""
        return 1 if self.trace is None else self.trace.n_layers

    @property
    def blocks(self) -> tuple[ModelBlock, ...]:
        """The boxes of the map, none where it is not known what the model is like."""
        shown = self._workspace.shown
        if shown is not None and shown.result.trace is not self._of:
            self._of = trace = shown.result.trace
            self._blocks = self._stops = ()
            if trace.has_states:
                self._blocks = blocks_of(trace, tuple(shown.result.facts.task_heads))
                self._stops = tuple(stop for block in self._blocks for stop in block.stops)
        return self._blocks

    @property
    def stop(self) -> Stop | None:
        """The stop that the active panel shows, None where it is not known what the model is like."""
        active, blocks = self._panels.active, self.blocks
        if active is None or not blocks:
            return None
        if self._shown is None or self._shown[0] is not active or self._shown[1] is not blocks:
            choice, top = active.steps, self.n_layers
            if active.kind.key != "steps":
                choice = StepsChoice(stage=_SHOWN_BY.get(active.kind.key, "softmax"))
            stop = stop_of(choice, active.layer, top)
            if active.kind.key == "vectors" and active.vectors.page == "cls":
                stop = Stop(top, "pooled")
            elif active.kind.key == "vectors":
                state = active.layer + 1 if active.vectors.state is None else active.vectors.state
                stop = Stop(min(state, top) - 1, "output") if state else Stop(BELOW, "embedding_norm")
            known = stop if stop in self._stops else next(self._in_section(stop.section), None)
            self._shown = active, blocks, known  # every block of the map asks for it
        return self._shown[2]

    def _in_section(self, section: int) -> Iterator[Stop]:
        return (stop for stop in self._stops if stop.section == section)

    def enter(self, section: int) -> None:
        """Go to the same stage of another section, or to its first one."""
        here, stops = self.stop, list(self._in_section(section))
        self.go(next((stop for stop in stops if here is not None and stop.stage == here.stage), stops[0]))

    def step(self, count: int) -> None:
        """Go on by `count` stops, back if it is negative; not beyond the ends."""
        here = self.stop
        if here is not None:
            position = self._stops.index(here) + count
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


_HEIGHT = 116.0
_TOP, _BOX = 26.0, 62.0
_MARGIN, _GAP = 12.0, 8.0
_NAME, _SHAPE, _SIGN = 12.0, 12.0, 13.0
_CELL_PAD, _BOX_PAD, _LEAST_BOX = 8.0, 16.0, 54.0
_LAYER, _LEAST_LAYER = 22.0, 12.0
_LEAST_SCALE = 0.9
"""How narrow boxes may become before they show less: less than what is left free beside their words."""
_TRAVEL_MS = 450
_COLOURS = {
    "attention": "query",
    "feed-forward": "value",
    "norm": "secondary",
    "pooler": "output",
    "first": "output",
    **dict.fromkeys(TASK_HEADS, "output"),
}
_ROLES = {"queries": "query", "keys": "key", "values": "value", "mixed": "output", "weighted": "value"}
_ACTIVATION = "f"
_AT_TOP = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop
_KEYS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
_SENTENCES = {
    "text": Message("What was typed. A click goes to its field."),
    "tokens": Message("The text is cut into pieces of the vocabulary, each with an ID."),
    "embeddings": Message("Each ID picks a row of a table: one for the piece, the sentence and the place."),
    "embedding_sum": Message("The three rows of a token are added up."),
    "embedding_norm": Message("Each vector is brought to the same scale."),
    "attention": Message("Each token takes in something of the others, as much as its weights say."),
    "norm": Message("What came in is added, and each vector is brought to the same scale."),
    "feed-forward": Message("Each token by itself: widened, bent and narrowed again."),
    "first": Message("The vector of the first token is taken out: it stands for the whole text."),
    "pooler": Message("One more matrix and tanh make the vector that tasks about the whole text read."),
    "masked": Message("Which piece of the vocabulary was likely at each place."),
    "next_sentence": Message("Whether the second sentence follows the first."),
    "replaced": Message("Which tokens were exchanged for others."),
    "classes": Message("Which class the whole text has."),
    "token_labels": Message("Which tag each word has."),
    "answer": Message("Where in the text the answer begins and ends."),
}
LESSONS = {
    "text": "what-goes-in",
    "tokens": "what-goes-in",
    **dict.fromkeys(("embeddings", "embedding_sum", "embedding_projection"), "embeddings"),
    "embedding_norm": "residual-and-norm",
    "attention": "self-attention",
    "norm": "residual-and-norm",
    "feed-forward": "feed-forward",
    **dict.fromkeys(("first", "pooler"), "output"),
    **dict.fromkeys(("masked", "next_sentence", "replaced"), "pre-training"),
    **dict.fromkeys(("classes", "token_labels", "answer"), "fine-tuning"),
}
"""The key of the lesson about each block."""


@dataclass(frozen=True)
class Place:
    """Where a block lies, and its cells if it is unfolded; a folded layer is one place."""

    block: ModelBlock
    box: QRectF
    cells: tuple[tuple[Stop, QRectF], ...] = ()
    is_folded: bool = False


class FlowMap(ModelMap):
    """Boxes from left to right, the residual connections above them, the shapes of the numbers below.

    All layers stand as narrow columns, and one of them is open beside these: wherever one goes, no box moves.
    A dot runs along the line to where one has gone. The box where one is has all its stops, where there is
    room for them.
    """

    def __init__(self, look: Look, flow: Flow, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._flow = flow
        self._pointed: tuple[ModelBlock, Stop | None] | None = None
        self._highlighted: tuple[str, ...] = ()
        self._layer = 0
        self._stop: Stop | None = None
        self._from = QPointF()
        self._travel = QVariantAnimation(self, startValue=0.0, endValue=1.0, duration=_TRAVEL_MS)
        self._travel.setEasingCurve(QEasingCurve.Type.InOutCubic)
        self._travel.valueChanged.connect(self.update)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(self.tr("The whole model, from the text to its outputs"))
        self._is_watching = False

    def sizeHint(self) -> QSize:
        return QSize(600, self.look.pixels(_HEIGHT))

    def minimumSizeHint(self) -> QSize:
        return QSize(200, self.look.pixels(_HEIGHT))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self._is_watching:  # one room alone has the map: the others do nothing for it
            self._is_watching = True
            self._flow.watch(self._on_changed)
        self.refresh()

    @Slot()
    def _on_changed(self) -> None:
        if self.isVisible():
            self.refresh()

    def refresh(self) -> None:
        """Show where one is now; a dot runs there from where one was."""
        stop, before = self._flow.stop, self._stop
        if before is not None and stop is not None and stop != before:
            self._from = self._middle_of(before)
            self._travel.setDuration(0 if self.look.reduces_motion else _TRAVEL_MS)
            self._travel.start()
        self._stop = stop
        if stop is not None and 0 <= stop.section < self._flow.n_layers:
            self._layer = stop.section
        if self._highlighted:
            names = [translated(block.name) for block in self._flow.blocks if self._is_highlighted(block)]
            self.setAccessibleDescription(", ".join(names))
        elif stop is not None:
            section = step_words.section_name(stop.section, self._flow.n_layers)
            self.setAccessibleDescription(f"{section}: {self._title(stop)}")
        self.update()

    def highlight(self, *keys: str) -> None:
        """Highlight the blocks or stops with these keys, whatever the panels show; none: where one is.

        Of the layers, those of the layer that the panels show.
        """
        if keys != self._highlighted:
            self._highlighted = keys
            self.refresh()

    def _is_highlighted(self, block: ModelBlock) -> bool:
        """Return whether this block stands out: by `highlight`, else because the panels show a stop of it."""
        here = self._flow.stop
        if not self._highlighted:
            return here in block.stops
        is_other_layer = self._is_layer(block) and (here is None or block.section != here.section)
        keys = {block.key, *(stop.stage for stop in block.stops)}
        return not is_other_layer and not keys.isdisjoint(self._highlighted)

    def _title(self, stop: Stop) -> str:
        trace = self._flow.trace
        if trace is None:
            return ""
        return step_words.title(stop.stage, trace.tokens.special_names.first, trace.form)

    # places

    @property
    def layer(self) -> int:
        """The layer that is open: the one where one is, or was last."""
        return min(self._layer, self._flow.n_layers - 1)

    def places(self) -> tuple[Place, ...]:
        """Return where everything lies at this width, wherever one is; in a narrow one boxes show less."""
        for has_signs, layer in (
            (True, _LAYER),
            (True, _LEAST_LAYER),
            (False, _LAYER),
            (False, _LEAST_LAYER),
        ):
            places = tuple(self._laid_out(layer, has_signs=has_signs))
            room = self.width() - 2 * self.look.pixels(_MARGIN)
            width = places[-1].box.right() - places[0].box.left() if places else 0
            if width * _LEAST_SCALE <= room:
                break
        shift = max(0.0, (room - width) / 2) + self.look.pixels(_MARGIN)
        scale = min(1.0, room / width) if width else 1.0

        def moved(box: QRectF) -> QRectF:
            """Return a box shifted and made narrower, where even what is folded does not fit."""
            return QRectF(box.left() * scale + shift, box.top(), box.width() * scale, box.height())

        return tuple(
            replace(
                place,
                box=moved(place.box),
                cells=tuple((stop, moved(cell)) for stop, cell in place.cells),
            )
            for place in places
        )

    def _laid_out(self, layer_width: float, *, has_signs: bool) -> Iterator[Place]:
        """Yield the places from 0 on; with signs, each box is as wide as those of its stops."""
        left, gap, pixels = 0.0, self.look.pixels(_GAP), self.look.pixels
        pad, least = pixels(_BOX_PAD), pixels(_LEAST_BOX)
        names = QFontMetricsF(self.look.font(_NAME, bold=True))
        shapes = QFontMetricsF(self.look.font(_SHAPE))
        layers = range(self._flow.n_layers)
        for section, members in groupby(self._flow.blocks, key=lambda block: block.section):
            blocks = tuple(members)
            if section in layers:
                yield Place(blocks[0], self._box(left, pixels(layer_width)), is_folded=True)
                left += pixels(layer_width) + pixels(4)
                if section != layers[-1]:
                    continue
                blocks = tuple(block for block in self._flow.blocks if block.section == self.layer)
                left += gap
            for block in blocks:
                signs = [self._sign(stop).box.width + pixels(_CELL_PAD) for stop in block.stops]
                room = sum(signs) + pixels(8) if has_signs and len(signs) > 1 else 0.0
                name = names.horizontalAdvance(translated(block.name)) + pad
                shape = shapes.horizontalAdvance(block.shape) + pad
                place = Place(block, self._box(left, max(name, shape, least, room)))
                if len(signs) > 1 and self._is_highlighted(block):
                    box = place.box
                    if not has_signs:  # a dot for each
                        signs = [(box.width() - pixels(8)) / len(signs)] * len(signs)
                    lefts = accumulate(signs, initial=box.left() + (box.width() - sum(signs)) / 2)
                    cells = (
                        (stop, QRectF(at, box.top() + pixels(24), wide, pixels(28)))
                        for stop, at, wide in zip(block.stops, lefts, signs, strict=False)
                    )
                    place = replace(place, cells=tuple(cells))
                yield place
                left = place.box.right() + gap

    def _box(self, left: float, width: float) -> QRectF:
        return QRectF(left, self.look.pixels(_TOP), width, self.look.pixels(_BOX))

    def _middle_of(self, stop: Stop) -> QPointF:
        for place in self.places():
            for each, cell in place.cells:
                if each == stop:
                    return QPointF(cell.center().x(), place.box.center().y())
            if stop in place.block.stops and not place.is_folded:
                return place.box.center()
        return QPointF(self.rect().center())

    def _sign(self, stop: Stop) -> Formula:
        trace = self._flow.trace
        assert trace is not None, "there are no blocks without a model"
        # Which activation it is, the details of the layer say, which the map does without.
        named = step_words.sign(stop.stage, "", trace.tokens.special_names.first, trace.form)
        return fitting(self.look, (_ACTIVATION if stop.stage == "active" else named,), 1000, _SIGN)

    # drawing

    def draw(self, painter: QPainter) -> None:
        places, pencil, look = self.places(), SheetPen(painter, self.look), self.look
        if not places:
            if self._flow.trace is not None:
                words = self.tr("Attention weights alone: what the model is like is not known.")
                pencil.write(words, QRectF(self.rect()), look.font(14), "secondary")
            return
        first, last = places[0].box, places[-1].box
        middle = first.center().y()  # of the line on which all boxes lie
        pencil.line(QPointF(first.left(), middle), QPointF(last.right(), middle), "rule", look.pixels(2))
        self._draw_opened(pencil, places)
        for place in places:
            if place.is_folded:
                self._draw_folded(pencil, place)
            else:
                self._draw_block(pencil, place)
            words = str(place.block.section) if place.is_folded else place.block.shape
            is_open = place.is_folded and place.block.section == self.layer
            below = QRectF(
                place.box.center().x() - 80, place.box.bottom() + look.pixels(4), 160, look.pixels(18)
            )
            font = look.font(_SHAPE, bold=is_open)
            room = place.box.width() + look.pixels(_GAP) - 2
            if QFontMetricsF(font).horizontalAdvance(words) <= room:  # else the tool tip has it
                pencil.write(words, below, font, "accent" if is_open else "secondary", _AT_TOP)
        for before, place in pairwise(places):
            if place.block.adds and not place.is_folded:
                self._draw_residual(pencil, before.box, place.box)
        if self._travel.state() == QVariantAnimation.State.Running and self._stop is not None:
            end, size = self._middle_of(self._stop), look.pixels(12)
            at = self._from + (end - self._from) * float(self._travel.currentValue())
            dot = QRectF(at.x() - size / 2, at.y() - size / 2, size, size)
            pencil.box(dot, "card", 2, fill="accent", rounding=size / 2)

    def _draw_opened(self, pencil: Pencil, places: Sequence[Place]) -> None:
        """Draw a band from the column of the open layer to its boxes, which it lies behind."""
        layers = range(self._flow.n_layers)
        opened = [each.box for each in places if not each.is_folded and each.block.section in layers]
        column = next((p.box for p in places if p.is_folded and p.block.section == self.layer), None)
        if not opened or column is None:
            return
        look, around = self.look, self.look.pixels(4)
        room = QRectF(opened[0].topLeft(), opened[-1].bottomRight()).adjusted(
            -around, -around, around, around
        )
        right = room.topRight(), room.bottomRight()
        path = QPainterPath()
        path.addPolygon([column.topRight(), room.topLeft(), *right, room.bottomLeft(), column.bottomRight()])
        pencil.painter.fillPath(path, look.colour("accent", 0.10))
        words = step_words.section_name(self.layer, self._flow.n_layers)
        above = QRectF(room.right() - look.pixels(120), room.top() - look.pixels(20), look.pixels(120), 18)
        pencil.write(words, above, look.font(_SHAPE, bold=True), "accent", RIGHT)

    def _draw_folded(self, pencil: Pencil, place: Place) -> None:
        """Draw a layer as its four parts, with its number below."""
        box, section, look = place.box, place.block.section, self.look
        is_pointed = self._pointed is not None and self._pointed == (place.block, None)
        stop = self._flow.stop
        parts = [block for block in self._flow.blocks if block.section == section]
        is_open = section == self.layer
        colour = "accent" if is_pointed or is_open else "rule"
        pencil.box(box, colour, 2 if is_open else 1, fill="card", rounding=4)
        high, aside = (box.height() - look.pixels(8)) / len(parts), box.width() / 6
        is_behind = stop is not None and section < stop.section
        for number, block in enumerate(parts):
            top = box.top() + look.pixels(4) + number * high
            stripe = QRectF(box.left() + aside, top, 4 * aside, max(2.0, high - look.pixels(3)))
            pencil.box(stripe, fill=look.colour(_COLOURS[block.key], 0.75 if is_behind or is_open else 0.35))

    def _draw_block(self, pencil: SheetPen, place: Place) -> None:
        box, block, look = place.box, place.block, self.look
        is_here = self._is_highlighted(block)
        is_pointed = self._pointed is not None and self._pointed[0] is block
        colour = "accent" if is_here or is_pointed else "rule"
        pencil.box(box, colour, 2 if is_here else 1, fill="card", rounding=6)
        if block.key in _COLOURS:
            stripe = QRectF(box.left() + 6, box.bottom() - look.pixels(5), box.width() - 12, 3)
            pencil.box(stripe, fill=_COLOURS[block.key])
        words, font, fits = translated(block.name), look.font(_NAME, bold=True), box.width()
        if QFontMetricsF(font).horizontalAdvance(words) > fits:
            font = QFont(font)  # the look's own is shared
            font.setStretch(QFont.Stretch.SemiCondensed)
        has_lines = QFontMetricsF(font).horizontalAdvance(words) > fits
        high = look.pixels(31 if has_lines else 18)
        name = QRectF(box.left(), box.top() + look.pixels(3), box.width(), high)
        write = pencil.prose if has_lines else pencil.write
        write(words, name, font, "accent" if is_here else "text", CENTRE)
        if not place.cells:
            draw_thumbnail(
                pencil,
                block.key,
                _COLOURS.get(block.key, "accent"),
                box.adjusted(0, high + look.pixels(6), 0, -look.pixels(10)),
            )
        signs = [self._sign(stop) for stop, _ in place.cells]
        has_room = all(
            sign.box.width <= cell.width() for sign, (_, cell) in zip(signs, place.cells, strict=True)
        )
        for made, (stop, cell) in zip(signs, place.cells, strict=True):
            is_here = stop.stage in self._highlighted if self._highlighted else stop == self._flow.stop
            is_pointed = self._pointed is not None and self._pointed[1] == stop
            if not has_room:  # a dot for each
                size = min(cell.width() - 2, look.pixels(8 if is_here else 6))
                dot = QRectF(cell.center().x() - size / 2, cell.center().y() - size / 2, size, size)
                pencil.box(dot, fill="accent" if is_here or is_pointed else "rule", rounding=size / 2)
                continue
            if is_here or is_pointed:
                fill = look.colour("accent", 1.0 if is_here else 0.2)
                pencil.box(cell.adjusted(-2, 1, 2, -3), fill=fill, rounding=4)
            colour = "on_accent" if is_here else _ROLES.get(stop.stage, "text")
            pencil.draw_formula(made, cell.translated(0, -1), colour, CENTRE)

    def _draw_residual(self, pencil: Pencil, before: QRectF, box: QRectF) -> None:
        """Draw the way around a block: what went into it is added to what comes out."""
        start, end = before.left() - self.look.pixels(_GAP) / 2, box.left() + self.look.pixels(10)
        above = box.top() - self.look.pixels(13)
        path = QPainterPath(QPointF(start, box.center().y()))
        path.lineTo(start, above + 6)
        path.quadTo(start, above, start + 6, above)
        path.lineTo(end - 6, above)
        path.quadTo(end, above, end, above + 6)
        path.lineTo(end, box.top() - 1)
        pencil.path(path, "secondary", self.look.pixels(1.5))
        tip = self.look.pixels(4)
        for aside in (-tip, tip):
            tail = QPointF(end + aside, box.top() - 1 - tip)
            pencil.line(QPointF(end, box.top() - 1), tail, "secondary", self.look.pixels(1.5))

    # gestures

    def at(self, point: QPointF) -> tuple[ModelBlock, Stop | None] | None:
        """Return the block under a point, and the stop of the cell; of a folded layer no stop."""
        for place in self.places():
            if place.box.adjusted(-2, -12, 2, 18).contains(point):
                return place.block, next((stop for stop, cell in place.cells if cell.contains(point)), None)
        return None

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._pointed = self.at(event.position())
        shapes = Qt.CursorShape
        self.setCursor(shapes.ArrowCursor if self._pointed is None else shapes.PointingHandCursor)
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        self._pointed = None
        self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        found = self.at(event.position())
        if found is None or event.button() != Qt.MouseButton.LeftButton:
            return
        (block, stop), here = found, self._flow.stop
        if block.key in TASK_HEADS:
            self.heads_requested.emit()
        elif not block.stops:
            self.text_requested.emit()
        else:
            is_other_layer = self._is_layer(block) and (here is None or block.section != here.section)
            self.highlight()
            if stop is None and is_other_layer:
                self._flow.enter(block.section)
            else:
                self._flow.go(stop or block.stops[0])
            self.went.emit()

    def _is_layer(self, block: ModelBlock) -> bool:
        return BELOW < block.section < self._flow.n_layers

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if (move := _KEYS.get(Qt.Key(event.key()))) is None:
            event.ignore()
        else:
            self.highlight()
            self._flow.step(move)
            self.went.emit()

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent):
            self._show_tip(event)
            return True
        return super().event(event)

    @guarded
    def _show_tip(self, event: QHelpEvent) -> None:
        if (found := self.at(QPointF(event.pos()))) is None:
            return
        QToolTip.showText(event.globalPos(), self.tip(*found), self)

    def tip(self, block: ModelBlock, stop: Stop | None) -> str:
        """Return what a block or stop is: a sentence, the shape of what comes out, the lesson about it."""
        trace, words = self._flow.trace, translated(_SENTENCES.get(block.key, ""))
        title = translated(block.name)
        if self._is_layer(block):
            title = f"{step_words.section_name(block.section, self._flow.n_layers)}: {title}"
        if stop is not None and trace is not None:
            title, words = self._title(stop), step_words.sentence(stop.stage, Traits("", trace.form))
        parts = [title, words]
        if block.shape:
            parts.append(self.tr("Numbers that come out: {0}").format(block.shape))
        if lesson := self.lesson_named(LESSONS.get(block.key, "")):
            parts.append(self.tr("Right click: {0}").format(lesson))
        return str(plain("\n".join(part for part in parts if part)))

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Offer the lesson about a block."""
        by_key = event.reason() == QContextMenuEvent.Reason.Keyboard
        here = next((each for each in self._flow.blocks if self._is_highlighted(each)), None)
        found = self.at(QPointF(event.pos()))
        block = here if by_key else None if found is None else found[0]
        words = "" if block is None else self.lesson_named(LESSONS.get(block.key, ""))
        if block is not None and words:
            key, title = LESSONS[block.key], self.tr("Open {0}").format(words)
            open_menu(self, [(title, lambda: self.lesson_requested.emit(key))], event.globalPos())
