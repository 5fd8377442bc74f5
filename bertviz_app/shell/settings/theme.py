"""Sets the theme: light or dark, as chosen or as the system has it, for the whole application."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt, Slot
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QApplication

from bertviz_app import paths
from bertviz_app.views.kit.look import Look, Palette, style_sheet


def read_palette(name: str) -> Palette:
    """Return the colours of the theme "light" or "dark"."""
    return Palette.read(paths.resources() / "themes" / f"{name}.json")


class Theme(QObject):
    """Applies a theme to the look and to the application.

    Choose after the window is built: every widget added under a style sheet is styled at once, and the
    whole window again when it is shown.
    """

    def __init__(self, application: QApplication, look: Look) -> None:
        super().__init__(application)
        self.application = application
        self._look = look
        self.chosen = "system"
        self._is_on = False
        self._before = application.palette(), application.styleSheet()
        look.changed.connect(self._on_look_changed)
        application.styleHints().colorSchemeChanged.connect(self._on_system_changed)

    def choose(self, chosen: str) -> None:
        """Use "light", "dark", or whatever the "system" uses."""
        self.chosen = chosen
        self._is_on = False
        if self.name != self._look.palette.name:
            self._look.set_palette(read_palette(self.name))
        self.application.setPalette(_qt_palette(self._look))
        self._is_on = True
        self._on_look_changed()

    def remove(self) -> None:
        """Give the application the colours and style that it had before, and leave it alone from now on."""
        self._is_on = False
        self._look.changed.disconnect(self._on_look_changed)
        self.application.styleHints().colorSchemeChanged.disconnect(self._on_system_changed)
        palette, sheet = self._before
        self.application.setPalette(palette)
        self.application.setStyleSheet(sheet)
        self.deleteLater()

    @property
    def name(self) -> str:
        """The theme in force: "light" or "dark"."""
        if self.chosen != "system":
            return self.chosen
        is_dark = self.application.styleHints().colorScheme() == Qt.ColorScheme.Dark
        return "dark" if is_dark else "light"

    @Slot()
    def _on_look_changed(self) -> None:
        """Style the ordinary widgets anew; the others paint themselves."""
        # A picture may be drawn in other colours for a moment; styling the whole window takes long.
        if self._is_on and self._look.palette.name == self.name:
            sheet = style_sheet(self._look)
            if sheet != self.application.styleSheet():
                self.application.setStyleSheet(sheet)

    @Slot()
    def _on_system_changed(self) -> None:
        if self.chosen == "system":
            self.choose("system")


def _qt_palette(look: Look) -> QPalette:
    """Return the colours for what no style sheet reaches, such as file dialogs."""
    roles = {
        QPalette.ColorRole.Window: "window",
        QPalette.ColorRole.Base: "card",
        QPalette.ColorRole.AlternateBase: "raised",
        QPalette.ColorRole.Button: "raised",
        QPalette.ColorRole.WindowText: "text",
        QPalette.ColorRole.Text: "text",
        QPalette.ColorRole.ButtonText: "text",
        QPalette.ColorRole.ToolTipBase: "raised",
        QPalette.ColorRole.ToolTipText: "text",
        QPalette.ColorRole.PlaceholderText: "secondary",
        QPalette.ColorRole.Highlight: "accent",
        QPalette.ColorRole.HighlightedText: "on_accent",
        QPalette.ColorRole.Link: "accent",
    }
    palette = QPalette()
    for role, name in roles.items():
        palette.setColor(role, QColor(look.colour(name)))
    return palette
