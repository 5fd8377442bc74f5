"""`PictureView`: a result drawn as it says itself, by its `Picture`s; `OutcomeView`: outcomes of states."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np
from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QComboBox,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QWidget,
)

from bertviz_app.analysis.picture import Axis, Index, Mark, Picture, picture_named
from bertviz_app.analysis.results import OutcomeMap, Result
from bertviz_app.options import Run
from bertviz_app.trace.interventions import reached
from bertviz_app.types import Bools
from bertviz_app.values import replace
from bertviz_app.viewmodels.analyses.analyses import Analysed
from bertviz_app.viewmodels.panel import SHOWS_ATTENTION, Panel, analysis_of
from bertviz_app.viewmodels.state import Pair
from bertviz_app.viewmodels.wording import translated
from bertviz_app.views.analyses.cells_and_words import Cell, PictureArcs, PictureCells, PictureWords
from bertviz_app.views.analyses.charts import PictureBars, PictureCurves, PicturePoints
from bertviz_app.views.analyses.table import axis_word, chosen_words, colours_of, part_word, title_of
from bertviz_app.views.kit.card import Segments
from bertviz_app.views.kit.look import Look, grid_of, in_column, in_row, named
from bertviz_app.views.kit.panel_view import PanelTools, PanelView
from bertviz_app.views.kit.subject import NO_TITLES, AxisTitles
from bertviz_app.views.kit.widgets import on_item_chosen, show_words
from bertviz_app.views.kit.words import plain

PictureOf = PictureCells | PictureBars | PictureCurves | PicturePoints | PictureWords | PictureArcs
PLOTS: MappingProxyType[Mark, Callable[[Look], PictureOf]] = MappingProxyType(
    {
        "cells": PictureCells,
        "bars": PictureBars,
        "curves": PictureCurves,
        "points": PicturePoints,
        "words": PictureWords,
        "arcs": PictureArcs,
    }
)
"""What draws each mark."""
_TOKENS = ("token", "query", "key")
_BOTH = "query or key"  # the axis of points that are tokens, as queries and as keys
_NARROWEST = 230  # pixels of one of several pictures side by side
_HIGHEST = 140  # pixels of the words above bars
_HIGH = 320  # below this the words have one line, and the picture the rest
MOST_LISTED = 500
"""So many texts are listed; the table and the saved file have all."""


class PictureView(PanelView):
    """Draws one of the pictures of a result; which one, and the index on its other axes, is chosen above it.

    What is to be said of the result, and the part that is framed, stand below, and then the texts that a part
    stands for. The framed part is that of the panel's layer and head, or of the selected token, or the one
    that was chosen last; a part that is chosen shows its head in the panel, selects its token, sets
    parameters of the analysis, or lists its texts.
    """

    def __init__(self, tools: PanelTools) -> None:
        super().__init__(tools.look)
        self._selection = tools.selection
        self._content, self._at = SHOWS_ATTENTION, (0, 0)
        self._key = ""
        self.chosen: dict[str, int] = {}
        """The index that is drawn, or framed, on each axis that does not follow the panel."""
        self.plots: dict[Mark, list[PictureOf]] = {}
        """What draws each mark: as many as have stood side by side so far."""
        self.names: dict[PictureOf, QLabel] = {}
        """What stands above pictures side by side: which of them each is."""
        self._at_once: list[PictureOf] = []
        self.strip = PictureWords(tools.look, _HIGHEST)
        """The words that bars are of, or what the picture says, above it."""
        self.strip.part_chosen.connect(self._on_word_chosen)
        self.dimmed = (self.strip,)
        self.note = named(QLabel(textFormat=Qt.TextFormat.PlainText), "note")
        self.story = named(QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText), "story")
        self.texts, self.listed = named(QListWidget(), title=self.tr("Texts")), named(QPushButton(), "link")
        """The texts of what was chosen last, and which they are: a click lists all of them."""
        self.texts.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.texts.setUniformItemSizes(True)
        on_item_chosen(self.texts, self.text_requested.emit)
        self.listed.clicked.connect(lambda: self.list_texts({}))
        self.parts: Segments | None = None
        self.menus: dict[str, QComboBox] = {}
        self._offered: tuple[object, ...] = ()
        self.axes = named(QLabel(), "secondary")
        """What the rows and the columns of cells are."""
        self._top = in_row(1, self.axes, margins=(8, 6, 8, 0))
        self._drawn = grid_of(spacing=(0, 0))
        strip = in_row((self.strip.outer, 1), margins=(8, 0, 8, 0))
        self._blank = QWidget()  # takes the room below the words of a result without numbers
        self._blank.hide()
        self._texts = QWidget()
        in_column(self.listed, self.texts, of=self._texts, margins=(8, 0, 8, 6), spacing=2)
        story = in_row((self.story, 1), margins=(14, 8, 14, 0))
        parts = story, self._top, strip, (self._drawn, 3), self.note, (self._texts, 2), (self._blank, 1)
        self.column = in_column(*parts, of=self, margins=0, spacing=0)
        self._selection.changed.connect(self._on_selection_changed)
        self._selection.pointer.picked.connect(self._on_picked)

    def show_panel(self, panel: Panel) -> None:
        """Draw the picture that the panel names, at the panel's layer and head."""
        self._content, self._at = panel.content, (panel.layer, panel.head)
        self._key = panel.content.part
        self.show_chosen()

    def show_result(self, analysed: Analysed) -> None:
        super().show_result(analysed)
        self.show_chosen()

    @property
    def result(self) -> Result | None:
        return None if self.analysed is None else self.analysed.result

    @property
    def plot(self) -> PictureOf | None:
        """What draws the picture that is chosen, the first one of several side by side."""
        return None if self.shown_picture is None else self.plots[self.shown_picture.mark][0]

    def show_chosen(self) -> None:
        """Draw the picture that is chosen, at the index that is chosen on each of its other axes."""
        pictures = () if self.result is None else self.result.pictures()
        self.shown_picture = picture_named(pictures, self._key)
        if self.shown_picture is None:
            self._offer_nothing()
            self._place(())
            self.strip.outer.hide()
        else:
            shown = self.shown_picture
            self._offer(pictures, shown)
            of_menus, beside = shown.side_by_side(self._indices(shown)), shown.axis_beside
            plots = self.plots.setdefault(shown.mark, [])
            while len(plots) < len(of_menus):
                plots.append(self.make_plot(shown.mark))
                self.names[plots[-1]] = named(QLabel(alignment=Qt.AlignmentFlag.AlignCenter), "secondary")
            self._place(plots[: len(of_menus)])
            for plot, (index, drawn) in zip(plots, of_menus, strict=False):
                self.names[plot].setText("" if beside is None else part_word(shown, beside, index))
                plot.interventions = "" if self.analysed is None else self.analysed.interventions
                if isinstance(plot, PictureBars):
                    plot.show_picture(drawn, " · ".join([colours_of(drawn), *self._menu_words()]))
                else:
                    plot.show_picture(drawn)
            (_, drawn), above = of_menus[0], shown.above
            if drawn.axes[0].name == "token" and drawn.mark == "bars":
                parts: dict[str, Any] = dict.fromkeys(("low", "high", "baseline", "marked", "text"))
                axes, values = (Axis("text", ("",)), *drawn.axes), drawn.values[None]
                above = replace(drawn, mark="words", values=values, axes=axes, **parts)
            self.strip.outer.setVisible(above is not None)
            if above is not None:
                self.strip.show_picture(above)
        self._blank.setVisible(self.shown_picture is None)
        story = () if self.result is None else self.result.story()
        show_words(self.story, "\n".join(map(translated, story)))
        self._name_axes()
        self.mark()
        self.list_texts({})

    def _place(self, plots: Sequence[PictureOf]) -> None:
        """Show these plots alone, in as many columns as there is room for."""
        self._at_once = [*plots]
        for each in (plot for plot in self.names if plot not in plots):
            for widget in (self.names[each], each.outer):
                self._drawn.removeWidget(widget)
                widget.hide()
        self.dimmed = (self.strip, *plots)
        n_columns = max(1, min(len(plots), self.width() // self.look.pixels(_NARROWEST)))
        n_columns = math.ceil(len(plots) / math.ceil(len(plots) / n_columns)) if plots else 1
        for at, plot in enumerate(plots):
            row, column = divmod(at, n_columns)
            self._drawn.addWidget(self.names[plot], 2 * row, column)
            self._drawn.addWidget(plot.outer, 2 * row + 1, column)
            self.names[plot].setVisible(len(plots) > 1)
            plot.outer.show()
        n_rows = math.ceil(len(plots) / n_columns)
        for row in range(self._drawn.rowCount()):
            self._drawn.setRowStretch(row, row % 2 if row < 2 * n_rows else 0)
        for column in range(self._drawn.columnCount()):
            self._drawn.setColumnStretch(column, int(column < n_columns))

    def make_plot(self, mark: Mark) -> PictureOf:
        """Return what draws the pictures with a mark."""
        plot = PLOTS[mark](self.look)
        plot.part_chosen.connect(partial(self._choose_part, plot))
        if isinstance(plot, PicturePoints):
            plot.part_pointed.connect(partial(self._hover, plot))
        plot.set_omits_hints(omits_hints=self.omits_hints)
        return plot

    def _name_axes(self) -> None:
        """Name the rows and the columns of cells; a saved picture has their names beside them."""
        titles = self.axis_titles
        self.axes.setText(f"↓ {titles.left}   → {titles.above}")
        self.axes.setVisible(bool(titles.left) and not self.omits_hints)

    def _indices(self, picture: Picture) -> dict[str, int]:
        """Return the index of each axis with a menu: the panel's layer and head, and the selected token."""
        layer, head = self._at
        found = {"state": layer, **picture.start, **self.chosen, "layer": layer, "head": head}
        for axis in picture.menus:
            if axis.name in _TOKENS:
                found[axis.name] = self._token_on(axis, picture)
        return found

    def _menu_words(self) -> list[str]:
        shown = self.shown_picture
        return [] if shown is None else chosen_words(shown, self._indices(shown))

    def _offer(self, pictures: Sequence[Picture], shown: Picture) -> None:
        """Offer the other pictures of the result, and the indices of the axes that are not drawn."""
        menus = [axis for axis in shown.menus if len(axis) > 1 and axis.name != shown.beside]
        offered = (tuple(one.key for one in pictures), tuple(menus))
        if offered != self._offered:
            self._offer_nothing()
            self._offered = offered
            if len(pictures) > 1:
                self.parts = Segments([(one.key, title_of(one), "") for one in pictures])
                self.parts.set_compact(True)
                self.parts.chosen.connect(self.choose)
                self._top.insertWidget(0, self.parts)
            for at, axis in enumerate(menus, 1):
                wide = QComboBox.SizeAdjustPolicy.AdjustToContents
                box = named(QComboBox(sizeAdjustPolicy=wide), title=axis_word(axis.name))
                self.menus[axis.name] = box
                box.addItems([part_word(shown, axis, index) for index in range(len(axis))])
                box.activated.connect(partial(self._on_menu, axis.name))
                self._top.insertWidget(at if self.parts is not None else at - 1, box)
        if self.parts is not None:
            self.parts.choose(shown.key)
        indices = self._indices(shown)
        for name, box in self.menus.items():
            box.setCurrentIndex(min(indices.get(name, 0), box.count() - 1))

    def _offer_nothing(self) -> None:
        for widget in (self.parts, *self.menus.values()):
            if widget is not None:
                self._top.removeWidget(widget)
                widget.hide()
                widget.deleteLater()
        self.parts, self.menus, self._offered = None, {}, ()

    def choose(self, key: str) -> None:
        """Draw another picture of the result."""
        self._key = key
        self.choice_made.emit(replace(self._content, part=key))
        self.show_chosen()

    def _on_menu(self, name: str, index: int) -> None:
        if name in ("layer", "head"):
            self._at = (index, self._at[1]) if name == "layer" else (self._at[0], index)
            self.head_requested.emit(*self._at)
        elif name in _TOKENS:
            self._selection.walk_to(index)
        else:
            self.chosen[name] = index
        self.show_chosen()

    # the framed part, and what is said

    def _framed_on(self, axis: Axis, row: Sequence[float]) -> int | None:
        """Return the index on an axis of cells that is framed, None where nothing names one.

        `row`: the numbers along the axis in the framed row.
        """
        layer, head = self._at
        if axis.name in ("layer", "head"):
            return layer if axis.name == "layer" else head
        if axis.name == "head of all":
            name = f"{layer}·{head}"
            return axis.labels.index(name) if name in axis.labels else None
        if axis.name in _TOKENS:
            return self._token_on(axis, self.shown_picture)
        if axis.name == "earlier head":
            return 0 if np.isnan(row).all() else int(np.nanargmax(row))
        return self.chosen.get(axis.name)

    def _token_on(self, axis: Axis, picture: Picture | None) -> int:
        """Return the index of the selected token on an axis of tokens, else where the picture starts."""
        shown, start = self._selection.shown, 0 if picture is None else picture.start.get(axis.name, 0)
        first, other = (shown.key, shown.query) if axis.name == "key" else (shown.query, shown.key)
        token, places = other if first is None else first, self._places(axis)
        if token is None:
            return start
        return places.index(token) if token in places else 0 if places else min(token, len(axis) - 1)

    def _places(self, axis: Axis) -> tuple[int, ...]:
        """Return where the tokens of an axis are in the text, () where it has all of them."""
        places = () if self.shown_picture is None else self.shown_picture.positions
        return places if len(places) == len(axis) else ()

    @property
    def framed(self) -> Cell | None:
        """The cell that is framed, in the first of several pictures."""
        return self._framed_in(self.plot)

    def _framed_in(self, plot: PictureOf | None) -> Cell | None:
        if not isinstance(plot, PictureCells):
            return None
        (rows, columns), values = plot.picture.axes, plot.picture.values
        row = self._framed_on(rows, ())
        column = None if row is None or row >= len(rows) else self._framed_on(columns, values[row].tolist())
        return None if row is None or column is None else (row, column)

    @property
    def hints(self) -> list[str]:
        """What can be done with the picture, where that is not known of all of them."""
        return []

    @Slot()
    def _on_selection_changed(self) -> None:
        """Frame another token; a picture without tokens is not asked at each move of the pointer."""
        shown = self.shown_picture
        if shown is not None and any(axis.name in _TOKENS for axis in shown.menus):
            self.show_chosen()
        elif shown is not None and any(axis.name in (*_TOKENS, _BOTH) for axis in shown.drawn):
            self.mark()

    def mark(self) -> None:
        """Frame the part that is meant, and write what it says below what is said of the whole result."""
        plot, result = self.plot, self.result
        if result is None:
            return
        findings = [*map(translated, result.findings())]
        lacking = self.tr("The result has no numbers for this text")
        marked = [lacking] if plot is None and not findings else []
        for each in self._at_once:
            if isinstance(each, PictureCells):
                each.mark(self._framed_in(each))
            elif isinstance(each, PictureArcs):
                each.mark(self._framed_on(each.picture.axes[0], ()))
            elif isinstance(each, PicturePoints):
                axis, shown = each.picture.axes[0], self._selection.shown
                meant = {"query": shown.query}, {"key": shown.key}
                if axis.name == _BOTH:
                    points, stands_for = range(len(axis)), each.picture.stands_for
                    each.mark(*(at for at in points if stands_for({axis.name: at}) in meant))
                else:
                    each.mark(self._framed_on(axis, ()))
        if isinstance(plot, PictureCells):
            marked = plot.marked_words
        of_picture = None if self.shown_picture is None else self.shown_picture.meaning
        meaning = [] if of_picture is None else [translated(of_picture)]
        hints = [*meaning, *marked, *self.hints] if plot is None or not self.omits_hints else []
        words = " · ".join(text.rstrip(".") for text in (*findings, *hints))
        is_high = self.omits_hints or self.height() >= self.look.pixels(_HIGH)
        self.note.setWordWrap(is_high)
        room = self.note.fontMetrics().elidedText(words, Qt.TextElideMode.ElideRight, self.width() - 28)
        self.note.setText(words if is_high else room)
        self.note.setToolTip("" if is_high else plain(words))
        self.note.setVisible(bool(words))

    def _hover(self, plot: PicturePoints, point: int | None) -> None:
        if plot.picture.axes[0].name == _BOTH:
            found = {} if point is None else plot.picture.stands_for({_BOTH: point})
            self._selection.hover(found.get("query"), found.get("key"))

    @Slot(object)
    def _on_word_chosen(self, word: tuple[int, int]) -> None:
        """Choose a word of the picture above, or the bar of a word."""
        if self.shown_picture is not None and self.shown_picture.above is not None:
            self._choose_part(self.strip, word)
        elif self.plot is not None:
            self._choose_part(self.plot, word[1])

    @Slot(str, object)
    def _on_picked(self, run: Run, pair: Pair) -> None:
        """Give the token that was clicked to an analysis of one token."""
        token, analysis = pair.query if pair.query is not None else pair.key, analysis_of(self._content)
        if token is None or analysis is None or run != self._selection.run or not self.isVisible():
            return
        if "token" in vars(analysis.parameters()):
            self._set_parameters({"token": token})

    def _set_parameters(self, chosen: Mapping[str, Any]) -> None:
        """Show the analysis with other parameters; "part" among them is the picture to be shown."""
        found = {**dict(self._content.parameters), **chosen}
        part = found.pop("part", self._content.part)
        parameters = tuple((name, value) for name, value in found.items() if value is not None)
        self.choice_made.emit(replace(self._content, parameters=parameters, part=part))

    def list_texts(self, index: Index) -> None:
        """List the texts that a part of the picture stands for; of {} all of them."""
        shown = self.shown_picture
        self._texts.setVisible(shown is not None and shown.lists is not None)
        if shown is None or shown.lists is None:
            return
        found, all_of_them = shown.lists(index), self.tr("all texts")
        self.texts.clear()
        for line, item in found[:MOST_LISTED]:
            row = QListWidgetItem(line)
            row.setToolTip(plain(self.tr("Line {0}: {1}").format(f"{item.line:,}", line)))
            row.setData(Qt.ItemDataRole.UserRole, item)
            self.texts.addItem(row)
        names = [part_word(shown, axis, index[axis.name]) for axis in shown.drawn if axis.name in index]
        what = " · ".join(names) if names else all_of_them
        if len(found) > MOST_LISTED:
            what = self.tr("{0}, the first {1} of them").format(what, MOST_LISTED)
        words = self.tr("{0}: {1}").format(what, f"{len(found):,}")
        self.listed.setText(" · ".join([words, *([self.tr("list all texts")] if names else [])]))
        self.listed.setEnabled(bool(names))

    def _choose_part(self, plot: PictureOf, part: object) -> None:
        """Show the head of a part in the panel, select its token, or open its text."""
        at, own_axes = part if isinstance(part, tuple) else (part,), plot.picture.axes
        if isinstance(plot, PictureCurves):  # of curves what they go over, of points and arcs the first axis
            at, own_axes = (plot.number_of(at[0]),), own_axes[1:]
        own = {axis.name: index for axis, index in zip(own_axes, at, strict=False)}
        item, parameters = plot.picture.opens(own), plot.picture.sets(own)
        if plot.picture.lists is not None:
            self.list_texts(own)
        if item is not None:
            self.text_requested.emit(item)
            return
        if parameters:
            self._set_parameters(parameters)
            return
        axes, tokens = {axis.name: axis for axis in plot.picture.axes}, dict[str, int]()
        found = {**own, **plot.picture.stands_for(own)}
        if "head of all" in found:
            name = axes["head of all"].labels[found.pop("head of all")]
            found["layer"], found["head"] = map(int, name.split("·"))
        for name in (name for name in _TOKENS if name in found):
            places = self._places(axes[name]) if name in axes else ()
            tokens[name] = places[found.pop(name)] if places else found.pop(name)
        if tokens:
            self._selection.walk_to(tokens.get("query", tokens.get("token")), tokens.get("key"))
        layer, head = found.pop("layer", None), found.pop("head", None)
        self.chosen |= found
        if layer is not None or head is not None:
            self._at = self._at[0] if layer is None else layer, self._at[1] if head is None else head
            self.head_requested.emit(*self._at)
        self.mark()

    def set_omits_hints(self, *, omits_hints: bool) -> None:
        super().set_omits_hints(omits_hints=omits_hints)
        for plot in self.names:
            plot.set_omits_hints(omits_hints=omits_hints)
        has_texts = self.shown_picture is not None and self.shown_picture.lists is not None
        self._texts.setVisible(has_texts and not omits_hints)
        self._name_axes()
        self.mark()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if len(self._at_once) > 1:
            self._place(self._at_once)
        self.mark()

    # in files

    @property
    def caption(self) -> str:
        """The picture and the indices that are chosen."""
        shown, is_one_of = self.shown_picture, self.parts is not None or len(self._at_once) > 1
        own = [title_of(shown)] if shown is not None and is_one_of else []
        return " · ".join([*own, *self._menu_words()])

    @property
    def axis_titles(self) -> AxisTitles:
        plot = self.plot
        if not isinstance(plot, PictureCells):
            return NO_TITLES
        rows, columns = plot.picture.axes
        colours = colours_of(plot.picture) if len(self._at_once) == 1 else ""
        return AxisTitles(axis_word(rows.name), axis_word(columns.name), right=colours)


class OutcomeView(PictureView):
    """Draws an `OutcomeMap`. A cell of a token is dragged along its layer: that state of B is put into A."""

    def __init__(self, tools: PanelTools) -> None:
        super().__init__(tools)
        self._interventions = tools.interventions

    def show_chosen(self) -> None:
        super().show_chosen()
        if isinstance(self.plot, PictureCells):
            analysed, self.plot.put = self.analysed, frozenset()
            if analysed is not None and isinstance(analysed.result, OutcomeMap) and analysed.traces:
                edits, positions = analysed.traces[0].edits, analysed.result.positions
                found = ((one.state - 1, edits.position_read(one.token)) for one in edits.states)
                there = ((layer, at) for layer, at in found if at in positions and layer >= 0)
                self.plot.put = frozenset((layer, positions.index(at)) for layer, at in there)
            self.plot.carries = self._can_put()
            self.mark()

    def make_plot(self, mark: Mark) -> PictureOf:
        plot = super().make_plot(mark)
        if isinstance(plot, PictureCells):
            plot.reached = self._reached
            plot.cell_carried.connect(self._on_cell_carried)
        return plot

    @property
    def hints(self) -> list[str]:
        is_dragged = isinstance(self.plot, PictureCells) and self.plot.carries
        return [self.tr("Drag a cell along its layer: that state of B is put into A and stays.")] * is_dragged

    def _can_put(self) -> bool:
        """Whether states of run B can be put into run A: those that its text alone gives."""
        analysed, changed = self.analysed, self._interventions
        if analysed is None or changed is None or not changed.run.is_editable or analysed.other is None:
            return False
        result = analysed.result
        return isinstance(result, OutcomeMap) and bool(result.sources) and not analysed.other.edits

    def _reached(self, layer: int, column: int) -> Bools:
        """Return the cells [L, N] of tokens that a state put in after a layer can change."""
        assert self.analysed is not None
        result, trace = self.analysed.result, self.analysed.traces[0]
        assert isinstance(result, OutcomeMap)
        return reached(trace, layer, result.positions[column])[:, list(result.positions)]

    @Slot(int, int, int)
    def _on_cell_carried(self, layer: int, source: int, column: int) -> None:
        """Put the state of a token of run B after a layer into run A, at a token of its own."""
        analysed = self.analysed
        if not self._can_put() or analysed is None or analysed.other is None or self._interventions is None:
            return
        result = analysed.result
        assert isinstance(result, OutcomeMap)
        tokens, at = analysed.other.tokens, result.positions[column]
        self._interventions.put_state(layer + 1, at, tokens, result.sources[source])
