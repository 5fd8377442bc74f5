"""`PageStack`: the pages of the Vectors panel, of which one is shown, and a remark in its stead."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, Qt, Slot
from PySide6.QtWidgets import QLabel, QStackedLayout

from bertviz_app.options import PAGES
from bertviz_app.options import Page as PageKey
from bertviz_app.viewmodels.vectors import Subject, cls_cosines
from bertviz_app.views.kit.panel_view import PanelTools
from bertviz_app.views.kit.style import named
from bertviz_app.views.vectors.page import Page
from bertviz_app.views.vectors.pages import ClsPage, MapPage, SimilarPage, TokensPage
from bertviz_app.views.vectors.shelf_page import ShelfPage


class PageStack(QStackedLayout):
    """All pages by their keys, each with `tools`."""

    def __init__(self, tools: PanelTools) -> None:
        super().__init__()
        self._tools = tools
        self.cls = ClsPage(tools)
        self.tokens = TokensPage(tools)
        self.map = MapPage(tools)
        self.similar = SimilarPage(tools)
        self.shelf = ShelfPage(tools)
        pages = (self.cls, self.tokens, self.map, self.similar, self.shelf)
        self.pages: dict[PageKey, Page] = dict(zip(PAGES, pages, strict=True))
        self._remark = named(QLabel(), "secondary")
        self._remark.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._remark.setWordWrap(True)
        tools.vectors.arrived.connect(self._on_arrived)

    def fill(self) -> None:
        """Add the pages: in a layout of no widget they would be shown as windows."""
        for widget in (*self.pages.values(), self._remark):
            self.addWidget(widget)

    def show_page(self, page: Page, subject: Subject, state: int) -> None:
        """Show a page of a subject at a hidden state; a remark where two runs cannot be compared."""
        for other in self.pages.values():
            if other.switch is not None:
                other.switch.setVisible(other is page)
        if not subject.can_be_compared and page is not self.shelf:
            self._remark.setText(_why_not(subject))
            self.setCurrentWidget(self._remark)
            return
        self.cls.show_cosines(cls_cosines(subject, self._tools.comparison.difference))
        self.setCurrentWidget(page)
        page.show_subject(subject, state)

    def set_stale(self, is_stale: bool) -> None:
        """Dim the pages while a newer result is computed."""
        for page in self.pages.values():
            page.set_stale(is_stale)

    def write(self) -> None:
        for page in self.pages.values():
            page.write()

    def is_waiting(self, key: PageKey, subject: Subject, state: int) -> bool:
        vectors = self._tools.vectors
        if not subject.can_be_compared:
            return False
        if key == "tokens":
            return vectors.strips(subject, state) is None
        if key == "similar":
            return vectors.similar(subject, state) is None
        return key == "map" and vectors.maps(subject, common=self.map.is_common) is None

    @Slot()
    def _on_arrived(self) -> None:
        page = self.currentWidget()
        if isinstance(page, Page) and page.isVisible():
            page.refresh()


def _why_not(subject: Subject) -> str:
    widths = [trace.width for trace in subject.traces]
    words = QCoreApplication.translate(
        "VectorsView",
        "The vectors of these checkpoints have {0} and {1} dimensions, so that they cannot be subtracted.",
    )
    return words.format(*widths)
