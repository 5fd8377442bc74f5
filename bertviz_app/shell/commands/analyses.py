"""The commands that show attention or an analysis of the catalogue in the active panel."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from bertviz_app.analysis import catalogue
from bertviz_app.shell.commands.menus import Command
from bertviz_app.viewmodels.panels import SHOWS_ATTENTION, Content
from bertviz_app.viewmodels.wording import translated
from bertviz_app.views.kit.words import Translated, translate

if TYPE_CHECKING:
    from bertviz_app.shell.window.window import MainWindow


def analysis_commands(window: MainWindow) -> list[Command]:
    """Return the commands that show attention or an analysis of the catalogue in the active panel."""
    panels = window.app_state.panels

    def show(content: Content) -> None:
        if panels.active is not None:
            panels.choose(panels.active.number, content)

    words = translate("Commands", "Show in the panel: {0}")
    attention = words.format(translate("Commands", "Attention"))
    commands = [Command(attention, "", partial(show, SHOWS_ATTENTION))]
    for title, analyses in catalogue.by_theme():
        theme = "" if title is None else translated(title)
        for analysis in analyses:
            name = words.format(Translated(translated(analysis.title), analysis.title))
            also = f"{analysis.summary} {translated(analysis.summary)}"
            commands.append(
                Command(name, "", partial(show, Content(analysis.key)), subgroup=theme, also=also)
            )
    return commands
