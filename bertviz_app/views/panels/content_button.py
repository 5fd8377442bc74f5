"""`ContentButton`: the menu beside a panel's title from which attention or an analysis is chosen."""

from __future__ import annotations

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QMenu, QPushButton

from bertviz_app.analysis import catalogue
from bertviz_app.viewmodels.panels import SHOWS_ATTENTION, Content
from bertviz_app.viewmodels.wording import about, content_title, translated
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.style import named
from bertviz_app.views.kit.widgets import clear_menu
from bertviz_app.views.kit.words import plain, without_mnemonic


class ContentButton(QPushButton):
    """A small button with a menu of all that a panel can show; `chosen` has the `Content`."""

    chosen = Signal(object)

    def __init__(self, look: Look) -> None:
        super().__init__("▾")
        named(self, "chooser")
        self._content = SHOWS_ATTENTION
        self._menu = QMenu(self)
        self._menu.setToolTipsVisible(True)
        self._menu.aboutToShow.connect(self._fill)
        self.clicked.connect(self.open)
        self.retranslate()

    def retranslate(self) -> None:
        self.setToolTip(self.tr("What the panel shows: attention, or an analysis of the run"))
        self.setAccessibleName(self.tr("What the panel shows"))

    def show_content(self, content: Content) -> None:
        """Mark what the panel shows now."""
        self._content = content

    @Slot()
    def open(self) -> None:
        """Open the menu below the button."""
        self._menu.popup(self.mapToGlobal(self.rect().bottomLeft()))

    @Slot()
    def _fill(self) -> None:
        """List attention, and all analyses by theme, with what each is."""
        clear_menu(self._menu)
        self._add(
            self._menu,
            SHOWS_ATTENTION,
            content_title(SHOWS_ATTENTION),
            self.tr("The attention weights of a head"),
        )
        self._menu.addSeparator()
        for title, analyses in catalogue.by_theme():
            menu = self._menu if title is None else self._menu.addMenu(translated(title))
            menu.setToolTipsVisible(True)
            for analysis in analyses:
                self._add(menu, Content(analysis.key), translated(analysis.title), about(analysis))

    def _add(self, menu: QMenu, content: Content, text: str, tool_tip: str) -> None:
        action = menu.addAction(without_mnemonic(text))
        action.setToolTip(plain(tool_tip))
        action.setCheckable(True)
        action.setChecked(content.analysis == self._content.analysis)
        action.triggered.connect(lambda _=False: self.chosen.emit(content))
