"""A panel: what it can show, and what it is set to."""

from __future__ import annotations

import math
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, TypeVar, get_args

from bertviz_app.analysis.parameters import parameters_of, read_parameters
from bertviz_app.analysis.results import Result
from bertviz_app.errors import AnalysisError, Message, SelectionError
from bertviz_app.options import PAGES, Page, Run
from bertviz_app.values import dataclass, field, replace

if TYPE_CHECKING:
    from bertviz_app.analysis.entry import Analysis

Part = Literal["embeddings", "layer", "top"]
StepsForm = Literal["walk", "table", "code"]


@dataclass(frozen=True)
class StepsChoice:
    """A stop of the encoder: a stage of a part, of which "layer" is the panel's layer.

    `stage` is one of `viewmodels.steps.stops`; a model that lacks it shows the nearest one that it has.
    `form`: as a picture ("walk"), as a table of the tokens, or as lines of PyTorch ("code"). `shows_why`: the
    reason for the stage is unfolded. `divisor`: tried at a softmax instead of the model's own.
    `shows_products`: the products of query and key stand at the scores in all dimensions. Raises ValueError
    for a divisor of 0 or less.
    """

    part: Part = "layer"
    stage: str = "queries"
    form: StepsForm = "walk"
    shows_why: bool = False
    divisor: float | None = None
    shows_products: bool = False

    def __post_init__(self) -> None:
        if self.divisor is not None and not 0 < self.divisor < math.inf:
            raise ValueError("a divisor must be a positive number")

    @property
    def undone(self) -> StepsChoice:
        """What of it is undone step by step: what is unfolded, and that a divisor is tried; not the stop."""
        divisor = None if self.divisor is None else 1.0
        return StepsChoice(shows_why=self.shows_why, divisor=divisor, shows_products=self.shows_products)


@dataclass(frozen=True)
class VectorsChoice:
    """`page`: one of PAGES. `state`: 0 the embeddings, l + 1 after layer l; None: after the panel's layer.

    Raises ValueError for anything else.
    """

    page: Page = PAGES[0]
    state: int | None = None

    def __post_init__(self) -> None:
        if self.page not in PAGES:
            raise ValueError(f"page must be one of {', '.join(PAGES)}")
        if self.state is not None and self.state < 0:
            raise ValueError("hidden states count from 0")


ParametersPage = Literal["table", "picture", "product"]
PARAMETERS_PAGES: tuple[ParametersPage, ...] = get_args(ParametersPage)


@dataclass(frozen=True)
class ParametersChoice:
    """`page`: the table of all parameters, the picture of one, or a row of its input times a row of it.

    `key`: which one, by its name in this program, so that it is the same in another checkpoint; "": none yet.
    `output`: the row of the matrix. Raises ValueError for what there is not.
    """

    page: ParametersPage = "table"
    key: str = ""
    output: int = 0

    def __post_init__(self) -> None:
        if self.page not in PARAMETERS_PAGES:
            raise ValueError(f"page must be one of {', '.join(PARAMETERS_PAGES)}")
        if self.output < 0:
            raise ValueError("outputs count from 0")


_Page = TypeVar("_Page", bound=str)


def page_named(page: str, known: tuple[_Page, ...]) -> _Page:
    """Return the page of a view that is called so. Raises SelectionError."""
    for one in known:
        if one == page:
            return one
    raise SelectionError(
        Message("There is no page “{0}”.", page), Message("There are: {0}.", ", ".join(known))
    )


@dataclass(frozen=True)
class DrawnParameter:
    """The chosen parameter by its key, and the product of one of its rows: for a token, in a layer."""

    key: str
    token: int
    output: int
    layer: int | None


Value = bool | int | float | str | tuple[int, ...] | None
"""A value of a parameter of an analysis."""


@dataclass(frozen=True)
class Content:
    """What a panel shows: the analysis with this key, or attention, Steps and Vectors of the run for "".

    `parameters`: names and values, those that differ from their defaults. `part`: which of several numbers
    of each head is drawn, by its key; "" for the first.
    """

    analysis: str = ""
    parameters: tuple[tuple[str, Value], ...] = ()
    part: str = ""


SHOWS_ATTENTION = Content()
PanelChoice = Content | StepsChoice | VectorsChoice | ParametersChoice


@dataclass(frozen=True)
class PanelKind:
    """What one view shows. `key` is in session files, file names and on the command line.

    `title`: of the button that chooses the view. `command`: of the command that shows it, "" where there is
    none; `shortcut` is its key. `qualifier`: beside the panel's title, "" for none.
    `has_difference`: it can show run A minus run B. `is_of_head`: it shows one head, else a whole run.
    `draws_many_heads`: it can draw several heads of a layer at once. `has_options`: `DrawOptions` change it.
    `needs_picture`: it draws a `HeadPicture`; any other kind is shown as soon as the run is there.
    `is_of_room`: a room brings the view; a panel of it stays what it is where that room is left out.
    """

    key: str
    title: Message
    tool_tip: Message
    command: str = ""
    shortcut: str = ""
    qualifier: str = ""
    has_difference: bool = True
    is_of_head: bool = True
    draws_many_heads: bool = False
    has_options: bool = False
    needs_picture: bool = True
    is_of_room: bool = False


IMAGE = "image"
"""The view that only runs with an image have."""
_KINDS = (
    PanelKind(
        "words",
        Message("Words"),
        Message("Arcs above the words, from one to those that it looks at (R)"),
        command=Message("Draw the panel as arcs above the words"),
        shortcut="R",
        qualifier=Message("one word looks at words"),
        draws_many_heads=True,
        has_options=True,
    ),
    PanelKind(
        "lines",
        Message("Lines"),
        Message("A line from each query to each key (L)"),
        command=Message("Draw the panel as lines"),
        shortcut="L",
        qualifier=Message("queries → keys"),
        draws_many_heads=True,
        has_options=True,
    ),
    PanelKind(
        "matrix",
        Message("Matrix"),
        Message("A cell for each query and key (M)"),
        command=Message("Draw the panel as a matrix"),
        shortcut="M",
        qualifier=Message("rows look at columns"),
        has_options=True,
    ),
    PanelKind(
        IMAGE,
        Message("Image"),
        Message("The weights over the image whose patches are the tokens (Shift+I)"),
        command=Message("Draw the panel over the image"),
        shortcut="Shift+I",
        qualifier=Message("one token looks at patches"),
        has_options=True,
    ),
    PanelKind(
        "steps",
        Message("Steps"),
        Message("The arithmetic, step by step (P)"),
        command=Message("Show the steps in the panel"),
        shortcut="P",
        has_difference=False,
        needs_picture=False,
        is_of_room=True,
    ),
    PanelKind(
        "vectors",
        Message("Vectors"),
        Message("Hidden states and the pooled vector (V)"),
        command=Message("Show the vectors in the panel"),
        shortcut="V",
        is_of_head=False,
        needs_picture=False,
        is_of_room=True,
    ),
    PanelKind(
        "parameters",
        Message("Parameters"),
        Message("Every matrix and vector of the checkpoint (E)"),
        command=Message("Show the parameters in the panel"),
        shortcut="E",
        is_of_head=False,
        needs_picture=False,
        is_of_room=True,
    ),
)
_RESULT_KINDS = (
    PanelKind(
        "grid",
        Message("Grid"),
        Message("A cell for each head, or token: layers down"),
        is_of_head=False,
        needs_picture=False,
    ),
    PanelKind(
        "picture",
        Message("Picture"),
        Message("The numbers as cells, bars, curves, points, words or arcs"),
        is_of_head=False,
        needs_picture=False,
    ),
    PanelKind(
        "table",
        Message("Table"),
        Message("The numbers as a table"),
        is_of_head=False,
        needs_picture=False,
    ),
)
PANEL_KINDS: MappingProxyType[str, PanelKind] = MappingProxyType({kind.key: kind for kind in _KINDS})
"""The views of attention and of a run by their keys, in the order in which a panel's header offers them."""

ALL_KINDS: MappingProxyType[str, PanelKind] = MappingProxyType(
    PANEL_KINDS | {kind.key: kind for kind in _RESULT_KINDS}
)
"""These, and the views of results of analyses that are no matrices."""


RETIRED = MappingProxyType(
    {
        "ranking": "table",
        **dict.fromkeys(
            (
                *("bars", "classifier", "cosines", "grid", "headmap", "lens", "pieces", "probes", "pruning"),
                *("querykeys", "reasons", "relations", "similarity", "statistics"),
            ),
            "picture",
        ),
    }
)
"""Views in older sessions, "grid" for more than it is for today, and what is there instead of them."""


def views_of(result: type[Result]) -> tuple[PanelKind, ...]:
    """Return the views of a kind of results; any kind but matrices is shown as a table, too.

    A kind that does not say how it is drawn is a table alone.
    """
    is_drawn = result.pictures is not Result.pictures
    found = tuple(ALL_KINDS[key] for key in result.views if is_drawn or key != "picture")
    is_complete = any(kind.needs_picture or kind.key == "table" for kind in found)
    return found if is_complete else (*found, ALL_KINDS["table"])


def analysis_of(content: Content) -> Analysis[Any, Any] | None:
    """Return the analysis that is shown; None for attention, and for a key that the catalogue lacks.

    A session of another version of the program, or of a computer with other packages, may have such a key:
    its panel says so.
    """
    if not content.analysis:
        return None
    from bertviz_app.analysis import catalogue  # all analyses: a window that shows attention needs none

    return catalogue.analysis_with(content.analysis)


def reads_second_run(content: Content) -> bool:
    """Return whether what is shown depends on both runs; not where its parameters cannot be read."""
    if (analysis := analysis_of(content)) is None:
        return False
    try:
        return analysis.reads_second_run(read_parameters(analysis.parameters, dict(content.parameters)))
    except AnalysisError:  # the panel says so when the analysis is run
        return False


def of_panel(analysis: Analysis[Any, Any]) -> tuple[str, ...]:
    """Return the names of the parameters that a panel decides by its layer and its head."""
    return tuple(
        parameter.name
        for parameter in parameters_of(analysis.parameters)
        if parameter.name in ("layer", "head") and parameter.kind is int and not parameter.is_optional
    )


def at_head(content: Content, layer: int, head: int) -> Content:
    """Return `content` in a panel of this head: an analysis of one layer or one head is of the panel's."""
    analysis = analysis_of(content)
    decided = () if analysis is None else of_panel(analysis)
    if not decided:
        return content
    at = {"layer": layer, "head": head}
    own = tuple((name, value) for name, value in content.parameters if name not in decided)
    return replace(content, parameters=(*((name, at[name]) for name in decided), *own))


def apart_from_head(content: Content) -> tuple[Content, int | None, int | None]:
    """Return `content` without what its panel decides, and the layer and the head that it names, if any."""
    analysis = analysis_of(content)
    decided = () if analysis is None else of_panel(analysis)
    named = {name: value for name, value in content.parameters if name in decided}
    own = tuple((name, value) for name, value in content.parameters if name not in decided)
    layer, head = (value if isinstance(value, int) else None for value in map(named.get, ("layer", "head")))
    return replace(content, parameters=own), layer, head


def kinds_of(content: Content) -> tuple[PanelKind, ...]:
    """Return the views that can show it, the one to begin with first.

    An analysis that the catalogue lacks has a table alone: the panel says why there are no numbers.
    """
    if not content.analysis:
        return tuple(PANEL_KINDS.values())
    analysis = analysis_of(content)
    return (ALL_KINDS["table"],) if analysis is None else views_of(analysis.result)


def has_layers(content: Content) -> bool:
    """Return whether matrices of each layer are shown: of attention, or of an analysis."""
    classes = set(_classes(content))
    has_matrices = bool({"HeadMatrices", "TokenMatrices"} & classes) and "RunMatrix" not in classes
    return not content.analysis or has_matrices


def has_heads(content: Content) -> bool:
    """Return whether matrices of each head are shown: of attention, or of an analysis."""
    return not content.analysis or "HeadMatrices" in _classes(content)


def _classes(content: Content) -> tuple[str, ...]:
    """Return the names of the class of the result and of its base classes."""
    analysis = analysis_of(content)
    return () if analysis is None else tuple(kind.__name__ for kind in analysis.result.__mro__)


MOST = 6


@dataclass(frozen=True)
class Panel:
    """One head of one run, drawn one way. No other panel has its `number` for as long as it is open.

    It names the card on screen; 0 is given one when it is opened.

    `content`: attention, or an analysis of the run. `view_kind`: one of ALL_KINDS, see `kind`. `heads`: all
    heads that lines are drawn of, `head` among them, in order; () stands for `head` alone. `steps`,
    `vectors` and `parameters`: what those views show, also while another one is shown.
    """

    number: int
    layer: int
    head: int
    view_kind: str = field(metadata={"key": "how"})  # in session files, which are older than the name
    run: Run = "A"
    heads: tuple[int, ...] = ()
    steps: StepsChoice = field(default_factory=StepsChoice)
    vectors: VectorsChoice = field(default_factory=VectorsChoice)
    content: Content = SHOWS_ATTENTION
    parameters: ParametersChoice = field(default_factory=ParametersChoice)

    @property
    def kind(self) -> PanelKind:
        """The view on screen: the one of `view_kind` if it can show the content, else the first that can."""
        if not self.content.analysis and self.view_kind in PANEL_KINDS:
            return PANEL_KINDS[self.view_kind]
        kinds = {kind.key: kind for kind in kinds_of(self.content)}
        instead = kinds.get(RETIRED.get(self.view_kind, ""))
        return kinds.get(self.view_kind) or instead or next(iter(kinds.values()))

    @property
    def shown_content(self) -> Content:
        """The content, of an analysis of one layer or one head with those of the panel."""
        return at_head(self.content, self.layer, self.head) if self.content.analysis else self.content

    @property
    def shown_heads(self) -> tuple[int, ...]:
        """The heads that are drawn: several only by a view that can."""
        draws_many = self.heads and self.kind.draws_many_heads and has_heads(self.content)
        return self.heads if draws_many else (self.head,)

    def validate(self) -> None:
        """Raise ValueError for what no panel can show."""
        if self.view_kind not in ALL_KINDS and self.view_kind not in RETIRED:
            raise ValueError(f"a panel cannot draw {self.run} as {self.view_kind}")
        if min(self.layer, self.head, *self.heads) < 0:
            raise ValueError("layers and heads count from 0")

    def within(self, n_layers: int, n_heads: int) -> Panel:
        """Return this panel for a model of this size: on the nearest head that it has."""
        heads = tuple(head for head in self.heads if head < n_heads)
        head = min(self.head, n_heads - 1)
        heads = heads if head in heads and len(heads) > 1 else ()
        return replace(self._in_layer(min(self.layer, n_layers - 1)), head=head, heads=heads)

    def moved(self, layer: int, head: int) -> Panel:
        """Return this panel on another head; lines of several heads stay those if it is one of them."""
        return replace(self._in_layer(layer), head=head, heads=self.heads if head in self.heads else ())

    def drawing(self, heads: set[int], head: int) -> Panel:
        """Return this panel with the lines of `heads`, of which `head` is in front."""
        return replace(self, head=head, heads=tuple(sorted(heads)) if len(heads) > 1 else ())

    def drawn_as(self, view_kind: str) -> Panel:
        """Return this panel in another view: of attention, where the view cannot show the analysis.

        The difference of two runs has no steps: then it is of run B.
        """
        can_show = any(kind.key == view_kind for kind in kinds_of(self.content))
        content = self.content if can_show else SHOWS_ATTENTION
        is_impossible = self.run == "A-B" and not ALL_KINDS[view_kind].has_difference
        return replace(self, view_kind=view_kind, content=content, run="B" if is_impossible else self.run)

    def showing(self, content: Content) -> Panel:
        """Return this panel with another content, on the layer and head that the content may name."""
        own, layer, head = apart_from_head(content)
        there = self.moved(self.layer if layer is None else layer, self.head if head is None else head)
        return replace(there, content=own)

    def of_run(self, run: Run) -> Panel:
        """Return this panel of another run; steps of a difference become its matrix."""
        is_impossible = run == "A-B" and not self.kind.has_difference
        return replace(self, run=run, view_kind="matrix" if is_impossible else self.view_kind)

    def with_choice(self, choice: StepsChoice | VectorsChoice | ParametersChoice) -> Panel:
        """Return this panel with what one of its views shows now."""
        if isinstance(choice, StepsChoice):
            return replace(self, steps=choice)
        if isinstance(choice, VectorsChoice):
            return replace(self, vectors=choice)
        return replace(self, parameters=choice)

    def _in_layer(self, layer: int) -> Panel:
        """Return this panel in another layer, which Steps and Vectors follow."""
        if layer == self.layer:
            return self
        steps = replace(self.steps, divisor=None)
        steps = steps if steps.part == "layer" else replace(steps, part="layer", stage=StepsChoice().stage)
        return replace(self, layer=layer, steps=steps, vectors=replace(self.vectors, state=None))
