"""`PanelView`: what every way of drawing a head in a panel can do, what all share, what is exported of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Protocol

from PySide6.QtCore import Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QWidget

from bertviz_app.analysis.picture import Picture as ResultPicture, Quantity
from bertviz_app.analysis.results import HeadScalars, Result
from bertviz_app.options import PanelPage
from bertviz_app.values import dataclass, field
from bertviz_app.viewmodels.analyses.analyses import Analysed, Analyses
from bertviz_app.viewmodels.export import ComputeNumbers, Runs, result_as_python, result_numbers
from bertviz_app.viewmodels.heads.pictures import HeadOfRun, HeadPicture, Pictures
from bertviz_app.viewmodels.interventions import RunInterventions
from bertviz_app.viewmodels.panel import Content, Panel, analysis_of, has_heads, has_layers, reads_second_run
from bertviz_app.viewmodels.panels import Rooms
from bertviz_app.viewmodels.parameters import ModelMatrices
from bertviz_app.viewmodels.pointer import Selection
from bertviz_app.viewmodels.runs.comparison import Comparison
from bertviz_app.viewmodels.runs.shown import Details
from bertviz_app.viewmodels.state import DrawOptions, Store
from bertviz_app.viewmodels.vectors import KeptVectors, VectorPictures
from bertviz_app.viewmodels.viewport import Viewport
from bertviz_app.viewmodels.wording import content_title, parameters_line, translate, translated
from bertviz_app.views.kit.canvas import Canvas
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.subject import NO_TITLES, AxisTitles, ExportSubject, sheet_of
from bertviz_app.views.kit.words import trimmed


@dataclass(frozen=True)
class PanelTools:
    """What the views of all panels of one run share."""

    look: Look
    selection: Selection
    viewport: Viewport
    store: Store
    pictures: Pictures
    details: Details
    vectors: VectorPictures
    shelf: KeptVectors
    comparison: Comparison
    analyses: Analyses
    matrices: ModelMatrices
    draws_stops: bool = True
    """Whether Steps have the picture of what a stop does above the tensors, where there is room."""
    interventions: RunInterventions | None = None
    """Those of the run; None where nothing can be changed in it."""
    rooms: Rooms | None = None
    """Which room the window is; None outside of a window with rooms."""
    views: Mapping[str, MakeView] = field(default_factory=dict)
    """What makes the views that rooms bring, by the keys of their kinds."""


@dataclass(frozen=True)
class ExportedPanel:
    """The panel whose view is exported, the runs it is drawn from, and the options of the drawing.

    `analysed`: of an analysis its result, None while that is not there.
    """

    panel: Panel
    runs: Runs
    options: DrawOptions
    analysed: Analysed | None = None

    def subject(
        self,
        view: PanelView,
        numbers: ComputeNumbers,
        python: str,
        notes: tuple[str, ...] = (),
        titles: AxisTitles = NO_TITLES,
    ) -> ExportSubject:
        """Return what is exported of a view that says its own part; `notes` stand below what it is of."""
        panel, content = self.panel, self.panel.shown_content
        reads_both = bool(content.analysis) and reads_second_run(content)
        if content.analysis:
            notes = parameters_line(content), note_of_analysis(content, self.analysed), *notes
        sheet = sheet_of(full_title(panel, view), self.runs, "A-B" if reads_both else panel.run, *notes)
        named = self.runs.named(panel.run, numbers, reads_both=reads_both)
        kind, analysis = panel.kind, panel.content.analysis
        at = f"layer{panel.layer}-head{panel.head}" if has_heads(panel.content) else f"layer{panel.layer}"
        parts = (analysis, at if kind.is_of_head else "", kind.key, "" if panel.run == "A" else panel.run)
        name = "-".join(filter(None, parts)) if kind.is_of_head or analysis else kind.key
        return ExportSubject(view, name, sheet, named, python, titles)


class Dimmed(Protocol):
    """A plot, a table or another view that can be dimmed."""

    def set_stale(self, is_stale: bool, /) -> None:
        """Dim what is drawn while it is out of date, or no longer."""


class PanelView(Canvas):
    """The base of the views in panels; a view paints itself (`draw`) or fills a layout with widgets.

    What it shows is set by `show_picture` if its kind needs a picture, by `show_result` if it shows a result
    of an analysis without one, else by `show_head`.

    `head_requested(layer, head)`: show another head in the panel. `choice_made` carries what the user chose
    in the view besides the head, such as its stop or its page: a part of `Panel`. `text_requested` carries a
    text of a file (`text_tables.items.Item`) that is to be opened. `dimmed`: what a view of widgets draws its
    numbers in, to be dimmed while they are out of date.
    """

    head_requested = Signal(int, int)
    choice_made = Signal(object)
    text_requested = Signal(object)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self.picture: HeadPicture | None = None
        self.others: tuple[HeadPicture, ...] = ()
        self.shown_head: HeadOfRun | None = None
        self.analysed: Analysed | None = None
        self.shown_picture: ResultPicture | None = None
        """Of a result that is drawn by a picture of its own this one, with all of its axes."""
        self.dimmed: Sequence[Dimmed] = ()

    def set_stale(self, is_stale: bool) -> None:
        """Dim what is drawn while it is out of date."""
        super().set_stale(is_stale)
        for part in self.dimmed:
            part.set_stale(is_stale)

    def show_panel(self, panel: Panel) -> None:
        """Show what the panel holds besides its head; pictures and results are set by the other methods."""

    def show_picture(self, picture: HeadPicture, others: tuple[HeadPicture, ...] = ()) -> None:
        """Draw another head, or the same one of another text; `picture.trace` has all its numbers.

        `others`: several heads of its layer, which are drawn with it where the view can.
        """
        self.picture, self.others = picture, others
        self.update()

    def show_head(self, head: HeadOfRun) -> None:
        """Show another head, or the same one of another text; `head.trace` has all its numbers."""
        self.shown_head = head
        self.update()

    def show_result(self, analysed: Analysed) -> None:
        """Show another result of an analysis, or of the same one of another text."""
        self.analysed = analysed
        self.update()

    @property
    def is_waiting(self) -> bool:
        """Whether numbers of what is shown are still being computed on a worker."""
        return False

    def go_to(self, page: PanelPage) -> None:
        """Show the stage, page or parameter that a picture is to be of. Raises SelectionError."""

    @property
    def not_drawn(self) -> str:
        """What the view says instead of a picture that a model would be needed for; "" where it draws."""
        return ""

    def complete(self) -> None:
        """Draw now what is otherwise drawn in slices, for pictures that are saved."""

    def notes_for(self, options: DrawOptions) -> tuple[str, str]:
        """Return what the card says above the view of how it is drawn, and the same in few words.

        "" where everything is as it is.
        """
        return "", ""

    @property
    def meaning(self) -> str:
        """What is seen, in a sentence below a picture that stands alone; "" where the view itself says it."""
        return ""

    @property
    def caption(self) -> str:
        """What a saved picture says below its title, such as what a switch of the view has chosen."""
        return ""

    @property
    def axis_titles(self) -> AxisTitles:
        """What a saved picture has around it."""
        return NO_TITLES

    def subject(self, exported: ExportedPanel) -> ExportSubject | None:
        """Return what is exported of the view, None while it draws nothing: here a result of an analysis."""
        if self.analysed is None:
            return None
        numbers = partial(result_numbers, self.analysed, self.shown_picture)
        python = result_as_python(exported.panel, exported.runs, self.shown_picture)
        return exported.subject(self, numbers, python, (self.caption,), self.axis_titles)

    @property
    def is_of_layer(self) -> bool:
        """Whether one matrix for all heads of a layer is drawn."""
        return self.picture is not None and self.picture.source.kind == "residual"

    def draw(self, painter: QPainter) -> None:
        """Draw nothing: a view of widgets is painted by these."""


MakeView = Callable[[PanelTools], PanelView]
"""Makes a view of a panel of the tools of its run."""


def panel_title(panel: Panel, *, is_short: bool, is_of_layer: bool = False) -> str:
    """Return which head or heads a panel shows, which layer, or what kind of view.

    `is_of_layer`: one matrix for all heads is drawn.
    """
    kind = panel.kind
    if not kind.is_of_head or (panel.content.analysis and not has_layers(panel.content)):
        return translated(kind.title)
    if is_of_layer or not has_heads(panel.content):
        return str(panel.layer) if is_short else translate("PanelCard", "Layer {0}").format(panel.layer)
    if is_short:
        return f"{panel.layer} · {', '.join(map(str, panel.shown_heads))}"
    if len(panel.shown_heads) > 1:
        return translate("PanelCard", "Layer {0} · {1} heads").format(panel.layer, len(panel.shown_heads))
    return translate("PanelCard", "Layer {0} · Head {1}").format(panel.layer, panel.head)


def full_title(panel: Panel, view: PanelView) -> str:
    """Return what a panel shows, whatever room its header has, and of which run."""
    of_run = {"B": " · B", "A-B": " · A − B"}
    title = panel_title(panel, is_short=False, is_of_layer=view.is_of_layer) + of_run.get(panel.run, "")
    content = panel.shown_content
    return f"{content_title(content)} · {title}" if content.analysis else title


def note_of_analysis(content: Content, analysed: Analysed | None) -> str:
    """Return the note of a panel that shows an analysis: how exact it is, its bound, limits and paper.

    `analysed`: its result, None while it is not there. Of attention the note is "".
    """
    analysis = analysis_of(content)
    if analysis is None:
        return ""
    notes = [] if analysed is None else _exactness(analysed.result, content.part)
    return " · ".join([*notes, translated(analysis.limits), analysis.paper])


def _exactness(result: Result, part: str) -> list[str]:
    """Return how far the identity of a result is off, and the bound of its numbers; of several, of `part`."""
    notes = []
    if result.identity_error is not None:
        notes.append(translate("Notes", "identity holds to {0}").format(_brief(result.identity_error)))
    if result.noise:
        notes.append(translate("Notes", "grey: less than {0}, rounding alone").format(_brief(result.noise)))
    quantity: Quantity | None = getattr(result, "quantity", None)
    if isinstance(result, HeadScalars):
        quantities = {scalar.key: scalar.quantity for scalar in result.scalars}
        quantity = quantities.get(part, result.scalars[0].quantity)
    if quantity is None or quantity.lowest is None:
        return notes
    if quantity.highest is None:
        return [*notes, translate("Notes", "{0} or more").format(trimmed(quantity.lowest))]
    ends = (trimmed(end) for end in (quantity.lowest, quantity.highest))
    return [*notes, translate("Notes", "from {0} to {1}").format(*ends)]


def _brief(error: float) -> str:
    """Return one digit of how far something is off: "3e-06", or "0"."""
    return f"{error:.0e}" if error else "0"
