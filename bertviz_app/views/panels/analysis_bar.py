"""`AnalysisBar`: below the header of a panel that shows an analysis: its name, and how to set it."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSizePolicy, QWidget

from bertviz_app.analysis.reporter import parameters_of
from bertviz_app.viewmodels.panels import SHOWS_ATTENTION, Content, analysis_of
from bertviz_app.viewmodels.wording import about, content_title
from bertviz_app.views.kit.card import Elided
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.style import named
from bertviz_app.views.kit.words import plain
from bertviz_app.views.panels.analysis_form import AnalysisForm


class AnalysisBar(QWidget):
    """Names the analysis; its button opens the form of the parameters. `chosen` has the new `Content`."""

    chosen = Signal(object)

    def __init__(self, look: Look) -> None:
        super().__init__()
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        named(self, "analysis")
        self._content = SHOWS_ATTENTION
        self.name = named(Elided(), "analysisName")
        self.name.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.button = named(QPushButton(), "plain")
        self.button.clicked.connect(self.open_form)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 0, 4, 0)
        row.setSpacing(4)
        row.addWidget(self.name, 1)
        row.addWidget(self.button)
        self.hide()

    def retranslate(self) -> None:
        self.show_content(self._content)

    def show_content(self, content: Content) -> None:
        """Name an analysis; attention needs no bar."""
        self._content = content
        analysis = analysis_of(content)
        self.setVisible(bool(content.analysis))
        self.name.setText(content_title(content))
        has_parameters = analysis is not None and bool(parameters_of(analysis.parameters))
        self.button.setText(self.tr("Parameters ⓘ") if has_parameters else "ⓘ")
        self.button.setAccessibleName(self.tr("About this analysis, and its parameters"))
        self.button.setVisible(analysis is not None)
        tool_tip = "" if analysis is None else plain(about(analysis))
        for widget in (self.name, self.button):
            widget.setToolTip(tool_tip)

    @Slot()
    def open_form(self) -> None:
        """Open the description of the analysis and the form of its parameters below the bar."""
        analysis = analysis_of(self._content)
        if analysis is not None:
            form = AnalysisForm(analysis, self._content, self)
            form.chosen.connect(self.chosen)
            form.open_below(self.button)
