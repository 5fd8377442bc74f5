"""`PanelView`: what every way of drawing a head in a panel can do, and `PanelTools`: what they share."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QWidget

from bertviz_app.viewmodels.analyses.analyses import Analysed, Analyses
from bertviz_app.viewmodels.heads.pictures import HeadOfRun, HeadPicture, Pictures
from bertviz_app.viewmodels.options import Options, Selection
from bertviz_app.viewmodels.panels import Panel
from bertviz_app.viewmodels.parameters import ModelMatrices
from bertviz_app.viewmodels.runs.comparison import Comparison
from bertviz_app.viewmodels.runs.shown import Details
from bertviz_app.viewmodels.vectors import KeptVectors, VectorPictures
from bertviz_app.viewmodels.viewport import Viewport
from bertviz_app.views.kit.canvas import Canvas
from bertviz_app.views.kit.look import Look


@dataclass(frozen=True)
class PanelTools:
    """What the views of all panels of one run share."""

    look: Look
    selection: Selection
    viewport: Viewport
    options: Options
    pictures: Pictures
    details: Details
    vectors: VectorPictures
    shelf: KeptVectors
    comparison: Comparison
    analyses: Analyses
    matrices: ModelMatrices


class PanelView(Canvas):
    """The base of the views in panels; a view paints itself (`draw`) or fills a layout with widgets.

    What it shows is set by `show_picture` if its kind needs a picture, by `show_result` if it shows a result
    of an analysis without one, else by `show_head`.

    `head_requested(layer, head)`: show another head in the panel. `choice_made` carries what the user chose
    in the view besides the head, such as its stop or its page: a part of `Panel`.
    """

    head_requested = Signal(int, int)
    choice_made = Signal(object)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self.picture: HeadPicture | None = None
        self.shown_head: HeadOfRun | None = None
        self.analysed: Analysed | None = None

    def show_panel(self, panel: Panel) -> None:
        """Show what the panel holds besides its head; pictures and results are set by the other methods."""

    def show_picture(self, picture: HeadPicture) -> None:
        """Draw another head, or the same one of another text; `picture.trace` has all its numbers."""
        self.picture = picture
        self.update()

    def show_head(self, head: HeadOfRun) -> None:
        """Show another head, or the same one of another text; `head.trace` has all its numbers."""
        self.shown_head = head
        self.update()

    def show_result(self, analysed: Analysed) -> None:
        """Show another result of an analysis, or of the same one of another text."""
        self.analysed = analysed
        self.update()

    def show_heads(self, pictures: tuple[HeadPicture, ...]) -> None:
        """Draw these heads of one layer at once, where the view can; `picture` stays the one in front."""

    @property
    def is_waiting(self) -> bool:
        """Whether numbers of what is shown are still being computed on a worker."""
        return False

    @property
    def caption(self) -> str:
        """What a saved picture says below its title, such as what a switch of the view has chosen."""
        return ""

    def complete(self) -> None:
        """Draw now what is otherwise drawn in slices, for pictures that are saved."""

    def draw(self, painter: QPainter) -> None:
        """Draw nothing: a view of widgets is painted by these."""
