"""The top row of the Steps panel: back and forward, the name of the stop, and the form it is shown in."""

from __future__ import annotations

from PySide6.QtCore import Slot
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from bertviz_app.viewmodels.steps.walk import PanelWalk
from bertviz_app.views.kit.canvas import guarded
from bertviz_app.views.kit.card import Elided, Qualifier, Segments
from bertviz_app.views.kit.numbers import general
from bertviz_app.views.kit.style import named

_NARROWEST = 22


class TitleRow(QWidget):
    """Walks by its buttons; `forms` chooses between picture and table."""

    def __init__(self, walk: PanelWalk, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._walk = walk
        self._is_wide = False
        self.back, self.forward = named(QPushButton("←"), "plain"), named(QPushButton("→"), "plain")
        self.title, self._where = named(Elided(), "title"), named(Qualifier(""), "qualifier")
        self.play, self.step = named(QPushButton("▶"), "plain"), named(QPushButton("▶|"), "plain")
        self.speed = named(QPushButton(), "plain")
        self.forms = Segments([("walk", "", ""), ("table", "", "")])
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 4, 8, 0)
        row.setSpacing(4)
        row.addWidget(self.back)
        row.addWidget(self.forward)
        for button in (self.play, self.step, self.speed):
            row.addWidget(button)
        row.addWidget(self.title)
        row.addWidget(self._where, 1)
        row.addWidget(self.forms)
        for button in (self.back, self.forward, self.play, self.step, self.speed):
            button.setMinimumWidth(_NARROWEST)  # else a style may make a panel wider for them
        self.back.clicked.connect(lambda: walk.step(-1))
        self.forward.clicked.connect(lambda: walk.step(1))
        self.play.clicked.connect(walk.playing.turn)
        self.step.clicked.connect(walk.playing.step)
        self.speed.clicked.connect(walk.playing.next_speed)
        walk.playing.changed.connect(self._on_playing_changed)
        self.forms.chosen.connect(walk.show_form)
        self.forms.choose("walk")
        self._on_playing_changed()

    def retranslate(self) -> None:
        words = (
            self.tr("Previous step (←)"),
            self.tr("Next step (→)"),
            self.tr("Play the stops one after the other, or pause (space)"),
            self.tr("Play the next stop, then pause"),
            self.tr("How fast the stops are played"),
        )
        buttons = (self.back, self.forward, self.play, self.step, self.speed)
        for button, text in zip(buttons, words, strict=True):
            button.setToolTip(text)
            button.setAccessibleName(text)
        self.forms.set_texts(
            {
                "walk": (self.tr("Walk"), self.tr("Every stage as a picture")),
                "table": (self.tr("Table"), self.tr("query, key, product, weight and value as a table")),
            }
        )

    @guarded
    def hideEvent(self, event: QHideEvent) -> None:
        """Pause: nobody is watching."""
        self._walk.playing.stop()

    def set_wide(self, *, is_wide: bool, is_narrow: bool = False) -> None:
        """Show the buttons of speed and of a single step at all times, or only while it plays.

        In a narrow row one button with a menu stands for both forms.
        """
        self.forms.set_compact(is_narrow)
        if is_wide != self._is_wide:  # else a picture would show the buttons that are hidden for it
            self._is_wide = is_wide
            self._on_playing_changed()

    @Slot()
    def _on_playing_changed(self) -> None:
        playing = self._walk.playing
        self.play.setText("‖" if playing.is_playing else "▶")
        self.speed.setText(f"{general(playing.speed)}×")
        for button in (self.step, self.speed):
            button.setVisible(self._is_wide or playing.is_playing)

    def show_stop(self, title: str, where: str) -> None:
        """Show the title of the stop, and `where` it is: its layer and head."""
        position, n_stops = self._walk.position, len(self._walk.stops)
        self.title.setText(title)
        count = self.tr("{0} of {1}").format(position + 1, n_stops)
        self._where.setText(f"{where} · {count}")
        self.back.setEnabled(position > 0)
        self.forward.setEnabled(position < n_stops - 1)
