"""The pages of Vectors."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QCoreApplication, Qt, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLabel, QPushButton, QStackedLayout, QWidget

from bertviz_app.analysis.vectors import KINDS
from bertviz_app.viewmodels.state import NOTHING, Pair
from bertviz_app.viewmodels.vectors import ComparedVectors, Subject, cls_picture, compared
from bertviz_app.viewmodels.viewport import HeatPicture, heat_picture
from bertviz_app.views.kit.card import SegmentedChoice
from bertviz_app.views.kit.look import in_column, in_row, named
from bertviz_app.views.kit.panel_view import PanelTools
from bertviz_app.views.kit.subject import NO_TITLES, AxisTitles
from bertviz_app.views.kit.words import signed
from bertviz_app.views.plots.picture import follow_selection
from bertviz_app.views.plots.plot import Plot
from bertviz_app.views.vectors.plots import BarsPlot, HeatTexts, HeatView, MapPicture, MapView

Numbers = dict[str, NDArray[np.generic] | tuple[str, ...]]
"""What a page shows, by name: arrays, and the names of their rows."""


class Page(QWidget):
    """Shows some vectors of a subject, at a hidden state (0: the embeddings) where that matters."""

    has_layers = True
    shows_token_vectors = False
    """Whether those of a ColBERT are shown behind the last layer."""
    switch: QWidget | None = None
    """What belongs beside the choice of pages while this one is shown."""
    dimmed: tuple[Plot, ...] = ()
    """What it draws the vectors in, to be dimmed while they are not those that were requested."""

    def __init__(self, tools: PanelTools) -> None:
        super().__init__()
        self.tools = tools
        self.look = tools.look
        self.selection = tools.selection
        self.subject: Subject | None = None
        self.state = 0

    def show_subject(self, subject: Subject, state: int) -> None:
        """Show the vectors of a run at a hidden state, as far as they are there; else those before."""
        self.subject, self.state = subject, state
        self.refresh()

    def refresh(self) -> None:
        """Draw what there is now: what was not there may have arrived."""
        raise NotImplementedError

    def numbers(self) -> Numbers:
        """Return exactly what is shown, for a file; nothing while there is nothing."""
        raise NotImplementedError

    @property
    def axis_titles(self) -> AxisTitles:
        """What a saved picture has around the page."""
        return NO_TITLES

    def state_names(self, subject: Subject) -> tuple[str, ...]:
        """Return what the hidden states that it can show are called."""
        layers = [self.tr("after layer {0}").format(layer) for layer in range(subject.n_states - 1)]
        has_more = self.shows_token_vectors and subject.has_token_vectors
        return (self.tr("embeddings"), *layers, *((self.tr("projected (ColBERT)"),) if has_more else ()))

    @property
    def state_name(self) -> str:
        """What the hidden state is called."""
        return "" if self.subject is None else self.state_names(self.subject)[self.state]


def _titles_of_strips(heat: HeatView) -> AxisTitles:
    """Return the titles of vectors in colours, a strip each: what the ends of the colours stand for."""
    translate, picture = QCoreApplication.translate, heat.picture
    dimension = translate("AxisTitles", "dimension")
    if picture is None:
        return AxisTitles(below=dimension)
    colours = translate("AxisTitles", "value")
    if picture.limit is None:
        colours = translate("AxisTitles", "value, to each row's 99th percentile of |value|")
    elif picture.goes_beyond:
        colours = translate("AxisTitles", "value, to the 99th percentile of |value|")
    return AxisTitles(below=dimension, right=colours)


def is_faint(subject: Subject) -> tuple[bool, ...]:
    """Return which places hold special tokens, whose labels are secondary."""
    return tuple((subject.sentences < 0).tolist())


_COLOURS = {0: "accent", 1: "sentence_b"}


class ClsPage(Page):
    """[CLS] from the embeddings to the pooled vector, the sentence vector, and the chosen one as bars."""

    has_layers = False

    def __init__(self, tools: PanelTools) -> None:
        super().__init__(tools)
        self.heat = HeatView(self.look, self._read_out)
        self.bars = named(BarsPlot(self.look), title=self.tr("The chosen vector as bars"))
        self.dimmed = self.heat, self.bars
        per_row = self.tr(
            "Each row has its own scale: full colour is the size that 99 % of its numbers do not exceed"
        )
        alike = self.tr("All rows share one scale")
        scales = {"row": (self.tr("Per row"), per_row), "alike": (self.tr("Shared"), alike)}
        self.scales = SegmentedChoice(scales, self.tr("Colour scale of the rows"))
        self.cosines: tuple[float, ...] = ()
        """With the other run, written beside each row; none: there is no other run."""
        self._is_chosen = False
        self.switch = self.scales
        in_column((self.heat, 3), (self.bars, 2), of=self, margins=0, spacing=0)
        self.scales.chosen.connect(self.refresh)
        self.heat.part_chosen.connect(lambda cell: self._on_row_chosen(cell[0]))
        self.heat.part_pointed.connect(self._on_cell_pointed)
        self.bars.align_with(self.heat)
        self.bars.part_pointed.connect(self.heat.mark_column)

    def show_subject(self, subject: Subject, state: int) -> None:
        """Show a subject at one of its hidden states: of another one than before that row as bars."""
        is_first, is_other = self.subject is None, state != self.state
        if is_first and subject.is_difference:
            self.scales.choose("alike")  # how the difference grows is the point of it
        super().show_subject(subject, state)
        if is_other and not is_first and state < subject.n_states:
            self._on_row_chosen(state)

    @property
    def axis_titles(self) -> AxisTitles:
        return _titles_of_strips(self.heat)

    @property
    def row_names(self) -> tuple[str, ...]:
        """What the rows are called, from the embeddings on."""
        subject = self.subject
        if subject is None:
            return ()
        layers = [self.tr("layer {0}").format(layer) for layer in range(subject.n_states - 1)]
        last = [self.tr("pooled")] if subject.has_pooled else []
        last += [self.tr("sentence")] if subject.has_sentence else []
        return (self.tr("embeddings"), *layers, *last)

    @Slot()
    def refresh(self) -> None:
        if self.subject is None:
            return
        first = self.subject.traces[0].tokens.special_names.first
        self.heat.setAccessibleName(self.tr("{0} in every layer, a strip each").format(first))
        picture = cls_picture(self.subject, per_row=self.scales.chosen_key == "row")
        names = self.row_names
        notes = tuple(signed(cosine, 4) for cosine in self.cosines)
        texts = HeatTexts(names, notes=notes, notes_title=self.tr("cos A, B"), full_colour=self.tr("max"))
        self.heat.show_picture(picture, texts)
        row = self.heat.marks.row
        if not self._is_chosen or row is None or row >= len(names):
            row = len(names) - 1
        self._show_row(row)

    def numbers(self) -> Numbers:
        if self.subject is None:
            return {}
        vectors = self.subject.cls()
        found: Numbers = {"rows": self.row_names[: len(vectors)], "vectors": vectors}
        if self.subject.has_sentence:
            found |= {"sentence": self.subject.sentence()}
        return found | ({"cosines": np.array(self.cosines, np.float32)} if self.cosines else {})

    def _show_row(self, row: int) -> None:
        picture = self.heat.picture
        assert picture is not None
        self.heat.choose_row(row)
        name = self.row_names[row]
        is_difference = self.subject is not None and self.subject.is_difference
        self.bars.show_vector(picture.values[row], f"{name} · A − B" if is_difference else name)

    def _on_row_chosen(self, row: int) -> None:
        if row >= 0:
            self._is_chosen = True
            self._show_row(row)

    @Slot(object)
    def _on_cell_pointed(self, cell: tuple[int, int] | None) -> None:
        """Mark the dimension in the bars, which are of the row that the keys have come to."""
        self.bars.mark(None if cell is None or cell[1] < 0 else cell[1])
        if cell is not None and cell == self.heat.walked:
            self._on_row_chosen(cell[0])

    def _read_out(self, row: int, column: int) -> list[str]:
        picture = self.heat.picture
        if picture is None:
            return []
        value = float(picture.values[row, column])
        title = self.tr("{0} · dimension {1}").format(self.row_names[row], column)
        return [] if math.isnan(value) else [title, signed(value, 6)]


class _TokensHeatPage(Page):
    """A heatmap at a layer whose rows, and columns where they are labelled, are tokens of the selection."""

    shows_token_vectors = True

    def __init__(self, tools: PanelTools) -> None:
        super().__init__(tools)
        self.heat = HeatView(self.look, self._read_out)
        self.dimmed = (self.heat,)
        in_column((self.heat, 1), of=self, margins=0)
        follow_selection(self.heat, self.selection, self._pair)
        self.selection.changed.connect(self._on_selection_changed)

    def _read_out(self, row: int, column: int) -> list[str]:
        raise NotImplementedError

    def _show(self, picture: HeatPicture, texts: HeatTexts) -> None:
        self.heat.show_picture(picture, texts)
        self._on_selection_changed()

    def _pair(self, cell: tuple[int, int]) -> Pair:
        row, column = (None if at < 0 else at for at in cell)
        return Pair(row, column if self.heat.has_column_labels else None)

    @Slot()
    def _on_selection_changed(self) -> None:
        shown = self.selection.shown.within(self.heat.cells.colours.shape[0])
        queries, keys = (
            frozenset() if token is None else frozenset({token}) for token in (shown.query, shown.key)
        )
        if self.heat.has_column_labels:
            self.heat.highlight(queries, keys)
        else:
            self.heat.highlight(queries | keys)


class TokensPage(_TokensHeatPage):
    """The hidden states of all tokens at a layer, a strip each."""

    def __init__(self, tools: PanelTools) -> None:
        super().__init__(tools)
        self.heat.setAccessibleName(self.tr("Hidden states of all tokens, a strip each"))

    @property
    def axis_titles(self) -> AxisTitles:
        return _titles_of_strips(self.heat)

    def refresh(self) -> None:
        subject = self.subject
        picture = None if subject is None else self.tools.vectors.strips(subject, self.state)
        if subject is not None and picture is not None:
            self._show(picture, HeatTexts(subject.labels, None, is_faint(subject)))

    def numbers(self) -> Numbers:
        if self.subject is None:
            return {}
        hidden = self.subject.hidden(self.state)
        return {"tokens": self.subject.names, "hidden": hidden, "state": np.array(self.state)}

    def _read_out(self, row: int, column: int) -> list[str]:
        picture, subject = self.heat.picture, self.subject
        if picture is None or subject is None or row >= len(subject.labels):
            return []
        title = self.tr("{0} · dimension {1}").format(subject.labels[row], column)
        return [title, signed(float(picture.values[row, column]), 6), self.state_name]


class SimilarPage(_TokensHeatPage):
    """The cosine between each two tokens at a layer; of two runs, A's tokens down and B's across."""

    def __init__(self, tools: PanelTools) -> None:
        super().__init__(tools)
        self.heat.setAccessibleName(self.tr("Cosine similarity between tokens"))

    def refresh(self) -> None:
        subject = self.subject
        picture = None if subject is None else self.tools.vectors.similar(subject, self.state)
        if subject is not None and picture is not None:
            rows, columns = (subject.labels_of(run) for run in (0, -1))
            self._show(picture, HeatTexts(rows, columns, is_faint(subject)))

    def numbers(self) -> Numbers:
        if self.subject is None:
            return {}
        return {
            "rows": self.subject.names_of(0),
            "columns": self.subject.names_of(-1),
            "cosine": self.subject.similarity(self.state),
            "state": np.array(self.state),
        }

    def _read_out(self, row: int, column: int) -> list[str]:
        picture, subject = self.heat.picture, self.subject
        if picture is None or subject is None or max(row, column) >= len(subject.labels):
            return []
        title = f"{subject.labels_of(0)[row]} · {subject.labels_of(-1)[column]}"
        cosine = self.tr("cosine {0}").format(signed(float(picture.values[row, column]), 4))
        return [title, cosine, self.state_name]


class MapPage(Page):
    """All tokens on a plane at a layer, by principal components of one layer or of all."""

    def __init__(self, tools: PanelTools) -> None:
        super().__init__(tools)
        self.map = MapView(self.look)
        self.dimmed = (self.map,)
        self.map.setAccessibleName(self.tr("Map of the tokens by principal components"))
        common = self.tr(
            "One plane for all layers, by their common principal components: a point that moves is a vector "
            "that changes"
        )
        layer = self.tr("Each layer on its own plane, by its own principal components")
        axes = {
            "layer": (self.tr("Axes: per layer"), layer),
            "common": (self.tr("Axes: common"), common),
        }
        self.axes = SegmentedChoice(axes, self.tr("Axes of the map"))
        self.switch = self.axes
        in_column((self.map, 1), of=self, margins=0)
        self.axes.chosen.connect(self.refresh)
        follow_selection(self.map, self.selection, self._pair)
        self.selection.changed.connect(self._on_selection_changed)
        self._drawn: tuple[Subject, bool] | None = None

    def turn_axes(self) -> None:
        """Draw all layers on one plane, or each on its own."""
        self.axes.choose("layer" if self.is_common else "common")
        self.refresh()

    @property
    def is_common(self) -> bool:
        """Whether all layers are drawn on one plane."""
        return self.axes.chosen_key == "common"

    @Slot()
    def refresh(self) -> None:
        subject, is_common = self.subject, self.is_common
        found = None if subject is None else self.tools.vectors.maps(subject, common=is_common)
        if subject is None or found is None:
            return
        points = found.points[self.state]
        n_places = len(subject.labels)
        both = np.flatnonzero((subject.positions >= 0).all(1))  # tokens that both runs have
        picture = MapPicture(
            points=points,
            labels=tuple(label for run in range(len(subject.traces)) for label in subject.labels_of(run)),
            colours=[_COLOURS.get(kind, "special") for kind in subject.sentences.tolist()]
            * len(subject.traces),
            ratios=found.ratios[self.state],
            extent=found.points.reshape(-1, 2) if is_common else points,
            is_ring=np.arange(len(points)) >= n_places,
            trails=found.points if is_common else None,
            partners=np.stack((both, both + n_places), 1) if subject.is_difference else None,
        )
        glides = self._drawn == (subject, is_common)
        self._drawn = subject, is_common
        self.map.show_picture(picture, glides=glides)
        self._on_selection_changed()

    def numbers(self) -> Numbers:
        picture, subject = self.map.picture, self.subject
        if picture is None or subject is None:
            return {}
        runs = range(len(subject.traces))
        return {
            "tokens": tuple(name for run in runs for name in subject.names_of(run)),
            "points": picture.points,
            "explained_variance": picture.ratios,
            "state": np.array(self.state),
        }

    def _pair(self, point: int) -> Pair:
        return NOTHING if self.subject is None else Pair(point % len(self.subject.labels))

    @Slot()
    def _on_selection_changed(self) -> None:
        picture, subject = self.map.picture, self.subject
        if picture is None or subject is None:
            return
        n_places = len(subject.labels)
        highlighted = [token for token in self.selection.highlighted if token < n_places]
        self.map.highlight(
            frozenset(run * n_places + token for token in highlighted for run in range(len(subject.traces)))
        )


class ShelfPage(Page):
    """A click brings a sentence back; the one chosen last can be removed. None is ever out of date."""

    has_layers = False

    def __init__(self, tools: PanelTools) -> None:
        super().__init__(tools)
        self.shelf = tools.shelf
        self.heat = HeatView(self.look, self._read_out)
        self.map = named(MapView(self.look), title=self.tr("Map of the sentences of the shelf"))
        pooled = self.tr("The pooler's output: [CLS] through a dense layer and tanh")
        sentence = self.tr("The sentence vector, as sentence-transformers computes it")
        texts = {
            "pooled": (self.tr("Pooled"), pooled),
            "cls": (self.tr("[CLS]"), self.tr("The last hidden state of [CLS]")),
            "mean": (self.tr("Mean"), self.tr("The mean of the last hidden states of all tokens")),
            "sentence": (self.tr("Sentence"), sentence),
        }
        self.kinds = SegmentedChoice(texts, self.tr("Which vector stands for a sentence"))
        ways = {
            "matrix": (self.tr("Matrix"), self.tr("Cosine similarity of each pair of sentences")),
            "map": (self.tr("Map"), self.tr("The sentences on a plane, by principal components")),
        }
        self.ways = SegmentedChoice(ways, self.tr("How the shelf is drawn"))
        self.keep = named(QPushButton(self.tr("Add")), "plain", self.tr("Add the sentence to the shelf now"))
        remove = self.tr("Remove the selected sentence from the shelf (Delete)")
        self.remove = named(QPushButton(self.tr("Remove")), "plain", remove)
        clear = self.tr("Remove all sentences of this model from the shelf")
        self.clear = named(QPushButton(self.tr("Clear")), "plain", clear)
        self._empty = named(QLabel(alignment=Qt.AlignmentFlag.AlignCenter, wordWrap=True), "secondary")
        self._stack = QStackedLayout()
        self._shown: ComparedVectors = compared((), KINDS[0])
        self._chosen: int | None = None
        above = in_row(self.kinds, 1, self.ways, margins=(8, 0, 8, 4), spacing=4)
        column = in_column(above, (self._stack, 1), of=self, margins=0, spacing=0)
        for widget in (self.heat, self.map, self._empty):
            self._stack.addWidget(widget)  # in a layout of no widget it would be shown as a window
        column.addLayout(in_row(self.keep, self.remove, 1, self.clear, margins=(8, 0, 8, 4), spacing=4))
        for changed in (self.shelf.changed, self.kinds.chosen, self.ways.chosen):
            changed.connect(self.refresh)
        self.keep.clicked.connect(self.shelf.keep)
        self.remove.clicked.connect(self.remove_chosen)
        self.clear.clicked.connect(self.shelf.clear)
        self.heat.part_pointed.connect(self._on_cell_pointed)
        self.heat.part_chosen.connect(self._on_cell_chosen)
        self.heat.key_pressed = self._is_removed
        self.map.part_pointed.connect(self._on_point_pointed)
        self.map.part_chosen.connect(self._bring_back)
        self.heat.setAccessibleName(self.tr("Cosine similarity between the sentences of the shelf"))

    @Slot()
    def refresh(self) -> None:
        if self.isHidden():
            return
        self._shown = self.shelf.compared(self.kinds.chosen_key)
        numbers = [item.number for item in self._shown.items]
        self._chosen = self._chosen if self._chosen in numbers else self.shelf.shown_number
        self.remove.setEnabled(self._chosen in numbers)
        self.clear.setEnabled(bool(self.shelf.current))
        plane = self._shown.plane
        if plane is None:
            self._stack.setCurrentWidget(self._empty)
            empty = self.tr(
                "The shelf is empty. A sentence is added after a short pause, when you press Enter in its "
                "field, or with Add."
            )
            lacking = self.tr("This model has no such vector: choose [CLS] or the mean.")
            self._empty.setText(lacking if self.shelf.current else empty)
            return
        is_matrix = self.ways.chosen_key == "matrix"
        self._stack.setCurrentWidget(self.heat if is_matrix else self.map)
        labels = tuple(item.label for item in self._shown.items)
        shown = tuple(item.number == self.shelf.shown_number for item in self._shown.items)
        self.heat.show_picture(heat_picture(self._shown.cosines, 1.0), HeatTexts(labels, labels))
        rows = (row for row, item in enumerate(self._shown.items) if item.number == self._chosen)
        self.heat.choose_row(next(rows, None))
        self.map.show_picture(
            MapPicture(
                points=plane.points,
                labels=labels,
                colours=["accent" if is_shown else "sentence_b" for is_shown in shown],
                ratios=plane.ratios,
                extent=plane.points,
            ),
            glides=True,
        )

    def numbers(self) -> Numbers:
        plane = self._shown.plane
        if plane is None:
            return {}
        return {
            "sentences": tuple(item.label for item in self._shown.items),
            "vectors": self._shown.vectors,
            "cosine": self._shown.cosines,
            "points": plane.points,
            "explained_variance": plane.ratios,
        }

    @Slot()
    def remove_chosen(self) -> None:
        """Take the sentence chosen last off the shelf."""
        if self._chosen is not None:
            self.shelf.remove(self._chosen)

    def _choose(self, row: int) -> None:
        self._chosen = self._shown.items[row].number
        self.heat.choose_row(row)
        self.remove.setEnabled(True)

    def _bring_back(self, row: int) -> None:
        self._choose(row)
        self.shelf.bring_back(self._shown.items[row].number)

    @Slot(object)
    def _on_cell_pointed(self, cell: tuple[int, int] | None) -> None:
        """Choose the row that the keys have come to."""
        if cell is not None and cell == self.heat.walked:
            self._choose(cell[0])

    @Slot(object)
    def _on_cell_chosen(self, cell: tuple[int, int]) -> None:
        """Bring back the sentence of a label that was clicked, or of a row by Enter; of a cell choose it."""
        row, column = cell
        if min(cell) < 0 or cell == self.heat.walked:
            self._bring_back(max(row, column) if min(cell) < 0 else row)
        else:
            self._choose(row)

    @Slot(object)
    def _on_point_pointed(self, point: int | None) -> None:
        """Highlight a point, and bring back the sentence of one that the keys have come to."""
        self.map.highlight(frozenset() if point is None else frozenset({point}))
        if point is not None and point == self.map.walked:
            self._bring_back(point)

    def _is_removed(self, event: QKeyEvent) -> bool:
        """Remove the chosen sentence by Delete; return whether that was the key."""
        is_delete = event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace)
        if is_delete:
            self.remove_chosen()
        return is_delete

    def _read_out(self, row: int, column: int) -> list[str]:
        if max(row, column) >= len(self._shown.items):
            return []
        cosine = self.tr("cosine {0}").format(signed(float(self._shown.cosines[row, column]), 4))
        return [cosine, self._shown.items[row].label[:80], self._shown.items[column].label[:80]]
