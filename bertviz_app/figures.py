"""Figures for papers from Python: how wide they are, and the objects that draw and save them.

Nothing is drawn here, and no Qt is loaded: traces, results and comparisons have a method `figure`, which
loads the room that draws when it is called.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, Protocol, Self, TypedDict, Unpack, get_args

from bertviz_app.errors import FigureError, FileError, Message
from bertviz_app.paths import check_folder, replacing
from bertviz_app.room_loader import brought
from bertviz_app.values import dataclass, field

if TYPE_CHECKING:  # matplotlib is an extra
    from matplotlib.axes import Axes

Style = Literal["paper", "light", "dark"]
"""The colours of a figure: black on white for print, or those of a theme of the window."""
STYLES: tuple[Style, ...] = get_args(Style)

UNITS: Mapping[str, float] = MappingProxyType(
    {"mm": 96 / 25.4, "cm": 96 / 2.54, "in": 96.0, "pt": 96 / 72, "px": 1.0}
)
"""Unit of length -> its pixels, of which 96 are an inch."""

COLUMNS: Mapping[str, str] = MappingProxyType(
    {
        "acl": "7.7cm",
        "acl-wide": "16cm",
        "neurips": "5.5in",
        "nature": "89mm",
        "nature-wide": "183mm",
    }
)
"""Name of a column -> its width, as the style guides of these conferences and of the journal have it."""

NARROWEST, WIDEST = 75.0, 8000.0
"""Pixels of the width or the height of a figure: 2 cm to 2.1 m."""
DEFAULT_WIDTH = "acl-wide"
PICTURES = (".png", ".svg", ".pdf")
_FEWEST_DOTS, _MOST_DOTS = 48, 1200
_LENGTH = re.compile(r"(\d+\.?\d*|\.\d+)\s*([a-z]+)")


def check_picture(path: Path) -> None:
    """Raise FileError for a file whose name has none of these endings."""
    if path.suffix.lower() not in PICTURES:
        *others, last = PICTURES
        message = Message("A picture cannot be written as “{0}”.", path.name)
        raise FileError(message, Message("End the name in {0} or {1}.", ", ".join(others), last))


def pixels_of(length: str) -> float:
    """Return a length such as "7.7cm" or "acl" in pixels, of which 96 are an inch. Raises FigureError."""
    text = str(length).strip().lower()
    found = _LENGTH.fullmatch(COLUMNS.get(text, text))
    unit = None if found is None else UNITS.get(found[2])
    if found is None or unit is None:
        raise FigureError(
            Message("“{0}” is no length.", length),
            Message("Write it as 7.7cm, 89mm, 5.5in, 240pt or 600px, or as one of {0}.", ", ".join(COLUMNS)),
        )
    pixels = float(found[1]) * unit
    if not NARROWEST <= pixels <= WIDEST or not math.isfinite(pixels):
        hint = Message("A figure is from 2 cm to 2 m wide and high.")
        raise FigureError(Message("“{0}” is no length of a figure.", length), hint)
    return pixels


class FigureDrawing(Protocol):
    """What draws a figure. Lengths are pixels of 1/96 inch."""

    def content(self, ending: str, width: float, height: float | None, dpi: float) -> bytes:
        """Return the file that ends in ".pdf", ".svg" or ".png". Raises FigureError if it is too narrow."""


@dataclass(frozen=True, eq=False, repr=False)
class Figure:
    """A figure of a trace, a result or a comparison; it is drawn anew whenever it is shown or saved.

    `name`: what it shows. Where no width is given it is as wide as a page's text, or as its labels need.
    """

    name: str
    drawing: FigureDrawing

    def __repr__(self) -> str:
        return f"<Figure: {self.name}>"

    def save(
        self, path: str | Path, width: str | None = None, height: str | None = None, dpi: float = 300
    ) -> Path:
        """Write the figure to a file, and return its path.

        Parameters
        ----------
        path : str or Path
            It ends in .pdf or .svg (lines and text) or .png (pixels).
        width : str, optional
            As "7.7cm", "89mm", "5.5in", "240pt", "600px", or one of `COLUMNS`, as "acl"; 16 cm unless given,
            or more where the labels need it.
        height : str, optional
            At most so high; without it the figure is as high as it needs.
        dpi : float, optional
            Pixels of a PNG to an inch, from 48 to 1200.

        Raises
        ------
        FigureError
            For a width at which not every label could be written with letters of 6 points, for a length that
            is none, and on another thread than the main one.
        FileError
            For another ending, a folder that does not exist, and a file that cannot be written.
        """
        path = Path(path).expanduser()
        check_picture(path)
        check_folder(path)
        content = self._content(path.suffix.lower(), width, height, dpi)
        with replacing(path) as beside:
            beside.write_bytes(content)
        return path

    @property
    def svg(self) -> str:
        """The figure as SVG, 16 cm wide, or wider where the labels need it."""
        return self._content(".svg").decode("utf-8")

    def png(self, dpi: float = 300, width: str | None = None, height: str | None = None) -> bytes:
        """Return the figure as PNG; errors as `save`."""
        return self._content(".png", width, height, dpi)

    def _repr_svg_(self) -> str:
        return self.svg

    def _content(
        self, ending: str, width: str | None = None, height: str | None = None, dpi: float = 300
    ) -> bytes:
        is_number = isinstance(dpi, int | float) and not isinstance(dpi, bool)
        if not is_number or not _FEWEST_DOTS <= dpi <= _MOST_DOTS:
            message = Message("“{0}” is no number of dots to an inch.", dpi)
            raise FigureError(message, Message("Give one from {0} to {1}.", _FEWEST_DOTS, _MOST_DOTS))
        most = None if height is None else pixels_of(height)
        if width is not None:
            return self.drawing.content(ending, pixels_of(width), most, dpi)
        try:
            return self.drawing.content(ending, pixels_of(DEFAULT_WIDTH), most, dpi)
        except FigureError as error:
            if error.enough is None:
                raise
            return self.drawing.content(ending, error.enough, most, dpi)


@dataclass(frozen=True, eq=False)
class FigureChoice:
    """How a figure is drawn.

    `view`: a key of a view; "" for the first that fits. `layer`, `head`: from 0; None: the last. `heads`: all
    heads whose lines are drawn. `include_layers`, `include_heads`: those of an overview; None: all. `part`:
    which of several numbers of each head. `style`: one of STYLES. `has_title`: what it is of is written above
    it. `settings`: names and values of options of the drawing and of the overview, as `bertviz-app render
    --set` has them. `axes`: matplotlib's, to draw into, too.

    `model`: an `api.Model` that computes what the trace does not have. `at`: the fields of
    `options.PanelPage`, and `token` and `key`, which words and Steps follow.
    """

    view: str = ""
    layer: int | None = None
    head: int | None = None
    heads: tuple[int, ...] = ()
    part: str = ""
    style: Style = "paper"
    has_title: bool = False
    settings: Mapping[str, object] = field(default_factory=dict)
    axes: Axes | None = None
    model: Any = None
    at: Mapping[str, Any] = field(default_factory=dict)
    include_layers: Sequence[int] | None = None
    include_heads: Sequence[int] | None = None


class FigureSettings(TypedDict, total=False):
    """What `figure` takes beside its view, layer and head: of a view, of the drawing, and of the overview."""

    heads: Sequence[int] | int
    include_layers: Sequence[int]
    include_heads: Sequence[int]
    part: str
    has_title: bool
    model: Any
    stage: str
    products: bool
    page: str
    state: int | str
    parameter: str
    output: int
    token: int
    key: int
    threshold: float
    sentences: str
    hides_special: bool
    hides_punctuation: bool
    renormalises: bool
    joins_words: bool
    joins_at_spaces: bool
    writes_weights: bool
    scale: str
    colours: str
    shows_sums: bool
    marks_maxima: bool
    numbers: str
    parse: str
    every_layer: bool
    shows: str
    shows_pair: bool
    shows_baselines: bool
    is_per_head: bool
    ordered_by: str
    filtered_by: str
    least: float
    most: float


_OF_CHOICE = ("part", "has_title", "model", "include_layers", "include_heads")
_AT = ("stage", "products", "page", "state", "parameter", "output", "token", "key")


class HasFigures:
    """Gives traces, results and comparisons `figure`.

    They lie below what draws, which a room brings.
    """

    def figure(
        self,
        view: str = "",
        *,
        layer: int | None = None,
        head: int | None = None,
        style: Style = "paper",
        axes: Axes | None = None,
        **settings: Unpack[FigureSettings],
    ) -> Figure:
        """Return a figure, which is drawn without a window and without a display.

        Parameters
        ----------
        view : str, optional
            Of a trace: "matrix" (unless given), "words", "lines", "overview", "pooled", "steps", "vectors" or
            "parameters". Of a comparison: "divergence" (unless given), "matrix", "words" or "lines" of A
            minus B. Of a result: any view that a panel of the window offers for it.
        layer, head : int, optional
            From 0; unless given those that `from_arrays` was given, else the last ones.
        style : str, optional
            "paper" (black on white), "light" or "dark".
        axes : matplotlib.axes.Axes, optional
            The same numbers are drawn into these axes by matplotlib, too.
        **settings
            `heads` (one or several, as words or lines), `include_layers` and `include_heads` (of an
            overview; all unless given), `part` (one of several numbers of each head), `has_title`, and
            options of the drawing and of the overview, as `hides_special=True` or `shows="entropy"`. Of
            Steps `stage`, `token`, `key` and `products`, of Vectors `page` and `state`, of Parameters `page`,
            `parameter`, `output` and `token`, of words `token`. `model`, which encoded the text, for what the
            trace does not have: Parameters, some stages, and `numbers="norm"` or `"residual"` instead of
            weights.

        Returns
        -------
        Figure
            It has `save`, `svg` and `png`, and shows itself in notebooks.

        Raises
        ------
        FigureError
            For what cannot be drawn, and on another thread than the main one.
        SelectionError
            For a layer, a head or a setting that there is not.
        """
        others: dict[str, Any] = dict(settings)
        given = {name: others.pop(name) for name in _OF_CHOICE if name in others}
        given["at"] = {name: others.pop(name) for name in _AT if name in others}
        given_heads = others.pop("heads", None) or ()
        heads = tuple(given_heads) if isinstance(given_heads, Iterable) else (given_heads,)
        choice = FigureChoice(view, layer, head, heads, style=style, settings=others, axes=axes, **given)
        drawing: list[Callable[[], DrawsFigures]] = brought("figures")
        if not drawing:
            raise FigureError(Message("What draws figures was left out of the program."))
        return drawing[0]()(self, choice)


DrawsFigures = Callable[[HasFigures, FigureChoice], Figure]
"""Returns the figure of a trace, a result or a comparison."""


@dataclass(frozen=True, eq=False)
class Origin:
    """Of which runs a result is: the key of the analysis, its parameters, and the one or two traces.

    `is_difference`: it is the result of the first trace minus that of the second.
    """

    key: str
    parameters: Mapping[str, Any]
    traces: tuple[Any, ...]
    is_difference: bool = False

    def __str__(self) -> str:
        parts = ((trace.model, trace.tokens.text, trace.tokens.pair) for trace in self.traces)
        texts = [f"{model}, “{text}”" + (f" “{pair}”" if pair else "") for model, text, pair in parts]
        return f"{self.key}: {(' − ' if self.is_difference else '; ').join(texts)}"


class OfRuns(HasFigures):
    """The base of results: they remember which run they are of, which a figure of them names."""

    origin: Origin | None = None
    """None where that is not known."""

    def remember(self, key: str, parameters: Mapping[str, Any], traces: tuple[Any, ...]) -> None:
        """Note by which analysis, and of which traces, this was computed."""
        object.__setattr__(self, "origin", Origin(key, MappingProxyType(dict(parameters)), traces))

    def as_difference(self, one: OfRuns, other: OfRuns) -> Self:
        """Note that this is the result `one` minus `other`, and return it."""
        of_a, of_b = one.origin, other.origin
        if of_a is not None and of_b is not None and not (of_a.is_difference or of_b.is_difference):
            traces = of_a.traces[0], of_b.traces[0]
            object.__setattr__(self, "origin", Origin(of_a.key, of_a.parameters, traces, is_difference=True))
        return self
