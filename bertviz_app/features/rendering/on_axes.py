"""What a figure draws, and the same numbers drawn by matplotlib into the axes of who composes several."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bertviz_app.analysis.measures import HeadOverview
from bertviz_app.analysis.picture import Picture, counted, picture_named, places_of
from bertviz_app.analysis.results import Result, WordPair
from bertviz_app.errors import FigureError, Message
from bertviz_app.types import Doubles, Floats
from bertviz_app.values import dataclass
from bertviz_app.viewmodels.heads.pictures import HeadPicture
from bertviz_app.viewmodels.overview import Thumbnails, atlas, full_colours
from bertviz_app.viewmodels.panel import Panel
from bertviz_app.viewmodels.state import ATTENTION, OverviewChoice
from bertviz_app.views.kit.subject import ExportSubject

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_CELL = 48  # pixels of the picture of a head
_THICKEST = 2.5  # points of the line of the largest weight
_WEIGHTS, _SIGNED = "Blues", "RdBu_r"


@dataclass(frozen=True, eq=False)
class Drawn:
    """What is exported of a view, and what it draws: matrices, all heads, a vector, or a result."""

    subject: ExportSubject
    pictures: tuple[HeadPicture, ...] = ()
    overview: HeadOverview | None = None
    shows: OverviewChoice | None = None
    values: Floats | None = None
    result: Result | None = None
    panel: Panel | None = None


def draw_on(axes: Axes, drawn: Drawn) -> None:
    """Draw what `drawn` shows into matplotlib's axes: an image, lines, bars, points or curves.

    Raises FigureError for axes that are none, and for what is a page of several parts.
    """
    if not hasattr(axes, "imshow"):
        message = Message("These are no axes of matplotlib: {0}.", type(axes).__name__)
        raise FigureError(message, Message("Make them: figure, axes = matplotlib.pyplot.subplots()."))
    if drawn.pictures and drawn.panel is not None and drawn.panel.kind.key == "lines":
        _lines(axes, drawn.pictures)
    elif drawn.pictures:
        _matrix(axes, drawn.pictures[-1])
    elif drawn.overview is not None and drawn.shows is not None:
        _overview(axes, drawn.overview, drawn.shows)
    elif drawn.result is not None:
        _result(axes, drawn)
    elif drawn.values is not None and drawn.values.ndim == 2:
        _heads(axes, drawn.values, is_signed=False)
    elif drawn.values is not None:
        axes.bar(np.arange(len(drawn.values)), drawn.values, width=1.0)
        axes.set_xlabel("dimension")


def _matrix(axes: Axes, picture: HeadPicture) -> None:
    order, full = picture.token_order, picture.full
    numbers, signed = picture.source.rows(0, len(picture.token_order.queries)), picture.quantity.is_signed
    axes.imshow(numbers, cmap=_SIGNED if signed else _WEIGHTS, vmin=-full if signed else 0.0, vmax=full)
    axes.set_xticks(range(len(order.keys)), order.keys.labels, rotation=90)
    axes.set_yticks(range(len(order.queries)), order.queries.labels)


def _lines(axes: Axes, pictures: tuple[HeadPicture, ...]) -> None:
    """Draw a line for each weight, those of each head in one colour; widths follow the weights."""
    from matplotlib.collections import LineCollection

    order, full = pictures[-1].token_order, max(picture.full for picture in pictures)
    for number, picture in enumerate(pictures):
        sizes = np.abs(picture.weights) / full
        segments = [[(0, query), (1, key)] for query, key in zip(picture.queries, picture.keys, strict=True)]
        is_signed = picture.quantity.is_signed
        colours = [f"C{int(weight > 0)}" if is_signed else f"C{number}" for weight in picture.weights]
        lines = LineCollection(segments, linewidths=_THICKEST * sizes, alpha=np.clip(sizes, 0.02, 1.0))
        lines.set_color(colours)
        lines.set_array(None)
        axes.add_collection(lines)
    for row, label in enumerate(order.queries.labels):
        axes.text(-0.05, row, label, ha="right", va="center")
    for row, label in enumerate(order.keys.labels):
        axes.text(1.05, row, label, ha="left", va="center")
    axes.set_xlim(-0.5, 1.5)
    axes.set_ylim(max(order.counts) - 0.5, -0.5)
    axes.set_axis_off()


def _overview(axes: Axes, overview: HeadOverview, shows: OverviewChoice) -> None:
    if shows.shows != ATTENTION:
        _heads(axes, overview.measures[shows.shows], is_signed=False)
        return
    n_layers, n_heads = overview.pictures.shape[:2]
    heads = list(np.ndindex(n_layers, n_heads))
    cells = Thumbnails(overview.pictures, full_colours(overview, None)).cells(heads, _CELL)
    lefts, tops = ([at * (_CELL + 1) for at in range(count)] for count in (n_heads, n_layers))
    levels: Doubles = atlas(cells, heads, lefts, tops).astype(np.float64)
    levels[levels < 0] = np.nan  # between cells
    axes.imshow(levels / 255, cmap=_WEIGHTS, vmin=0, vmax=1)
    axes.set_xticks([left + _CELL / 2 for left in lefts], [str(head) for head in range(n_heads)])
    axes.set_yticks([top + _CELL / 2 for top in tops], [str(layer) for layer in range(n_layers)])
    axes.set_xlabel("head")
    axes.set_ylabel("layer")


def _heads(
    axes: Axes, values: Floats, *, is_signed: bool, noise: float = 0.0, most: float | None = None
) -> None:
    """Draw a cell for each head, or other cells; noise is grey, `most` is what full colour stands for."""
    axes.set_facecolor("0.85")
    values = np.where(np.abs(values) < noise, np.nan, values)
    most = float(np.nanmax(np.abs(values), initial=0.0)) if most is None else most
    axes.imshow(values, cmap=_SIGNED if is_signed else _WEIGHTS, vmin=-most if is_signed else 0.0, vmax=most)
    axes.set(xlabel="head", ylabel="layer")


def _result(axes: Axes, drawn: Drawn) -> None:
    result, panel = drawn.result, drawn.panel
    assert panel is not None
    if isinstance(result, WordPair):
        values = result.arrays()["values"]
        axes.plot(np.arange(len(values)), values, marker="o")
        axes.set_xlabel("hidden state")
        axes.set_ylabel("cosine")
        return
    pictures = () if result is None else result.pictures()
    chosen, part = picture_named(pictures, panel.content.part), panel.content.part
    if chosen is None or chosen.mark == "words":
        raise FigureError(
            Message("This result is a page of several parts, which has no axes.")
            if chosen is None
            else Message("Texts whose words are coloured have no axes."),
            Message("Save the figure by itself."),
        )
    at = {"layer": panel.layer, "head": panel.head, "state": panel.layer}
    if part in chosen.labels_beside:  # of several side by side the axes have one
        at[chosen.beside] = chosen.labels_beside.index(part)
    draw = {"cells": _cells, "bars": _bars, "curves": _curves, "points": _points, "arcs": _cells}
    picture = chosen.at(at)
    draw[picture.mark](axes, picture)


def _cells(axes: Axes, picture: Picture) -> None:
    (rows, columns), quantity, most = picture.axes, picture.quantity, picture.top or picture.largest
    _heads(axes, picture.values, is_signed=quantity.is_signed, noise=quantity.noise, most=most)
    axes.set(xlabel=columns.name, ylabel=rows.name)
    if columns != counted(columns.name, len(columns)):  # numbers from 0 have matplotlib's own marks
        axes.set_xticks(range(len(columns)), columns.labels, rotation=90)
    if rows != counted(rows.name, len(rows)):
        axes.set_yticks(range(len(rows)), rows.labels)
    if picture.marked is not None:
        down, across = np.nonzero(picture.marked)
        axes.scatter(across + 0.3, down - 0.3, s=4, color="C3")


def _bars(axes: Axes, picture: Picture) -> None:
    errors, names, values = None, picture.axes[0].labels, picture.values
    if picture.text is not None:  # of a ranking that is shorter than the others the last places are empty
        values = values[np.isfinite(values)]
        names = tuple(picture.text.tolist())[: len(values)]
    elif picture.low is not None and picture.high is not None:
        errors = np.abs(np.stack([values - picture.low, picture.high - values]))
    rows = np.arange(len(values))
    axes.barh(rows, values, xerr=errors)
    axes.set_yticks(rows, names)
    axes.invert_yaxis()
    axes.set_xlabel(picture.quantity.unit or "value")


def _curves(axes: Axes, picture: Picture) -> None:
    """Draw a line for each series, and the interval of its numbers as a band."""
    series, along = picture.axes
    places = np.array(places_of(along))
    order = np.argsort(places, kind="stable")
    places = places[order]
    for at, name in enumerate(series.labels):
        style, label = "--" if name in picture.levels else "o-", str(picture.words.get(name, name))
        (line,) = axes.plot(places, picture.values[at][order], style, label=label)
        if picture.low is not None and picture.high is not None:
            ends = picture.low[at][order], picture.high[at][order]
            axes.fill_between(places, *ends, color=line.get_color(), alpha=0.2)
    axes.set_xlabel(along.name)
    axes.legend()


def _points(axes: Axes, picture: Picture) -> None:
    """Draw a point for each row, in the colour of its group."""
    groups = np.array(picture.groups or ("",) * len(picture.values))
    for number, group in enumerate(dict.fromkeys(groups.tolist())):
        x, y = picture.values[groups == group].T
        axes.scatter(x, y, s=12, color=f"C{number % 10}", label=group)
    if picture.axes[1].labels == ("x", "y"):
        axes.set_aspect("equal")
    else:
        axes.set(xlabel=picture.axes[1].labels[0], ylabel=picture.axes[1].labels[1])
    if picture.groups:
        axes.legend(fontsize="x-small")
