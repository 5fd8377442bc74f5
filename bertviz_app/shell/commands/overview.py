"""The commands of the overview: what its cells show, in which order."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from bertviz_app.shell.commands.command import Command
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.overview_options import ATTENTION, SHOWS
from bertviz_app.views.overview.measure_words import measure_words

if TYPE_CHECKING:
    from bertviz_app.shell.window.window import MainWindow


def overview_commands(window: MainWindow, app_state: AppState) -> list[Command]:
    """Return the commands of the overview's card."""
    translate, options = QCoreApplication.translate, app_state.overview

    def show_next(step: int) -> None:
        place = SHOWS.index(options.value.shows) + step
        options.change(shows=SHOWS[place % len(SHOWS)])

    def rearrange() -> None:
        shows = options.value.shows
        by = "" if options.value.ordered_by or shows == ATTENTION else shows
        options.change(ordered_by=by)

    shown = {ATTENTION: translate("Commands", "Attention")}
    shown |= {key: words.title for key, words in measure_words().items()}
    words = translate("Commands", "Overview: show {0}")
    return [
        Command(translate("Commands", "Overview: scale per head or alike"), "S", window.toggle_scale),
        Command(translate("Commands", "Overview: show the next measure"), "Shift+S", partial(show_next, 1)),
        *(Command(words.format(name), "", partial(options.change, shows=key)) for key, name in shown.items()),
        Command(
            translate("Commands", "Overview: rearrange by what is shown, or back"), "Ctrl+Shift+A", rearrange
        ),
        Command(translate("Commands", "Overview: all heads again"), "", partial(options.filter_by, "")),
    ]
