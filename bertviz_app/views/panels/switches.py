"""`PanelSwitches`: what the header of a panel offers: its content, run and view, its options, to close it."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QCoreApplication, QObject, QTimer, Signal
from PySide6.QtWidgets import QPushButton

from bertviz_app.options import Run
from bertviz_app.viewmodels.panels import ALL_KINDS, RUNS, Panel, kinds_of
from bertviz_app.views.kit.card import Card, Segments
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.style import named
from bertviz_app.views.panels.content_button import ContentButton
from bertviz_app.views.panels.view_signs import view_sign

_TITLE, _CORNER = 150, 84
_RUNS_COMPACT_BELOW, _NARROW_BELOW = 500, 310


class PanelSwitches(QObject):
    """Puts the switches into the header of `card`, and shortens them where it is narrow.

    `fitted` is emitted when `is_narrow`, on which the card's title depends, may have changed.
    """

    fitted = Signal()

    def __init__(self, card: Card, look: Look) -> None:
        super().__init__(card)
        self._card = card
        self._look = look
        self.runs = Segments([(run, run.replace("-", "−"), "") for run in RUNS])
        self.views = Segments([(key, key, "") for key in ALL_KINDS])
        self.views.sign_of = partial(view_sign, look)
        self.content = ContentButton(look)
        self.options = named(QPushButton("⚙"), "plain")
        self.close = named(QPushButton("✕"), "plain")
        self.is_narrow = False
        self._has_options = False
        self._has_runs = False
        self._fitting_width: int | None = None
        # After a change of the text size the buttons get their new sizes with the new style sheet.
        self._restyled = QTimer(self, singleShot=True, interval=0)
        self._restyled.timeout.connect(self.fit)
        look.changed.connect(self._restyled.start)
        for switch in (self.runs, self.views, self.options):
            card.add_switch(switch)
        card.add_beside_title(self.content)
        card.add_corner(self.close)

    def retranslate(self) -> None:
        translate = QCoreApplication.translate
        self.content.retranslate()
        kinds = {key: kind.words(translate) for key, kind in ALL_KINDS.items()}
        self.views.set_texts({key: (words.title, words.tool_tip) for key, words in kinds.items()})
        self.runs.set_texts(
            {
                "A": ("A", translate("PanelCard", "Run A: the text above")),
                "B": ("B", translate("PanelCard", "Run B: what it is compared with")),
                "A-B": ("A − B", translate("PanelCard", "The difference of both runs")),
            }
        )
        self.options.setToolTip(translate("PanelCard", "Options of the drawing, for all panels (O)"))
        self.options.setAccessibleName(translate("PanelCard", "Options of the drawing"))
        self.close.setToolTip(translate("PanelCard", "Close this panel (Ctrl+W)"))
        self.close.setAccessibleName(translate("PanelCard", "Close this panel"))
        self._restyled.start()  # other words have other widths

    def offer_runs(self, runs: tuple[Run, ...]) -> None:
        """Let the panel show one of these runs; with one alone there is nothing to choose."""
        has_runs = len(runs) > 1
        if has_runs != self._has_runs:  # each result offers them anew, and to fit the switches takes long
            self._has_runs = has_runs
            self.runs.setVisible(has_runs)
            self.fit()

    def show_panel(self, panel: Panel, *, can_close: bool) -> None:
        """Show the content, the run and the view of a panel in the switches."""
        self.content.show_content(panel.content)
        kinds = kinds_of(panel.content)
        self.views.show_choices([kind.key for kind in kinds])
        for kind in kinds:
            self.views.offer(kind.key, is_offered=kind.has_difference or panel.run != "A-B")
        self.views.choose(panel.kind.key)
        self.runs.choose(panel.run)
        self.runs.setVisible(self._has_runs)
        self._has_options = panel.kind.has_options
        self._show_options()
        self.close.setVisible(can_close)
        self.fit()  # the names of other runs and views have other widths

    def fit(self) -> None:
        """Shorten the switches as far as the width of the card requires.

        Hiding a button may have Qt lay out at once and resize the card: then they are fitted again.
        """
        if self._fitting_width is not None:
            return
        try:
            while self._fitting_width != self._card.width():
                self._fitting_width = self._card.width()
                self._fit_into(self._fitting_width / self._look.scale)
        finally:
            self._fitting_width = None

    def _fit_into(self, width: float) -> None:
        self.is_narrow = width < _NARROW_BELOW + 80 * self._has_runs
        self.options.setText(QCoreApplication.translate("PanelCard", "Options"))
        buttons = self.views.full_width + self.options.sizeHint().width()
        buttons += self.runs.full_width if self._has_runs else 0
        is_compact = width < _TITLE + _CORNER + buttons / self._look.scale
        self.views.set_compact(is_compact)
        self.views.show()
        if is_compact:
            self.options.setText("⚙")
        self.runs.set_compact(width < _RUNS_COMPACT_BELOW)
        self._show_options()
        self.fitted.emit()
        if is_compact:
            self._squeeze()

    def _squeeze(self) -> None:
        """Hide what has a key or a command as well, where a short title and menus are still too wide.

        In this order: smaller gaps, a sign instead of the text of the menu of views, no menu of contents, no
        menu of views. The switch of runs stays: nothing else shows which run the panel is of.
        """
        card = self._card
        self.content.show()
        self.views.set_brief(False)
        card.set_tight(False)
        if card.is_overfull:
            card.set_tight(True)
        if card.is_overfull:
            self.views.set_brief(True)
        if card.is_overfull:
            self.content.hide()
        if self._has_runs and card.is_overfull:
            self.views.hide()

    def _show_options(self) -> None:
        """Show the button where there is anything to choose; where there is not, its room is left free.

        So the buttons beside it stay where they are when another view is chosen.
        """
        policy = self.options.sizePolicy()
        policy.setRetainSizeWhenHidden(not self.is_narrow)
        self.options.setSizePolicy(policy)
        self.options.setVisible(self._has_options and not self.is_narrow)
