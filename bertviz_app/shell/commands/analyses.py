"""The gallery of analyses, the commands that show one in the active panel, and what makes one possible."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from bertviz_app.analysis import catalogue
from bertviz_app.errors import Remedy
from bertviz_app.shell.commands.menus import Command
from bertviz_app.viewmodels.analyses.gallery import RunsThere, gallery_items, question_of
from bertviz_app.viewmodels.panel import SHOWS_ATTENTION, Content
from bertviz_app.viewmodels.wording import translated
from bertviz_app.views.dialogs.gallery import AnalysisGallery
from bertviz_app.views.kit.words import Translated, language, translate

if TYPE_CHECKING:
    from bertviz_app.shell.window.window import MainWindow


def open_gallery(window: MainWindow, number: int | None = None) -> None:
    """Open the gallery for a panel, by its number, or for the active one."""
    panels, workspace = window.app_state.panels, window.app_state.workspace
    if panels.active is None or workspace.shown is None or workspace.is_blank:
        window.warn(translate("Commands", "Type a sentence first: an analysis is one of a text."))
        return
    result, is_open = workspace.shown.result, workspace.saved is None or workspace.saved.is_here
    is_compared = window.app_state.comparison.difference is not None
    runs = RunsThere(result.trace, result.facts.task_heads, is_open, is_compared)
    chosen = panels.active.number if number is None else number

    def put_right(content: Content, remedy: Remedy) -> None:
        panels.choose(chosen, content)  # which is there as soon as it is possible
        make_possible(window, remedy)

    problems = [translated(problem) for problem in catalogue.installed().problems]
    gallery = AnalysisGallery(window.look, gallery_items(runs, language()), window, problems)
    gallery.chosen.connect(partial(panels.choose, chosen))
    gallery.remedy_requested.connect(put_right)
    gallery.open()


def make_possible(window: MainWindow, remedy: Remedy) -> None:
    """Begin a comparison, open the checkpoint that ships with the program, or offer all checkpoints."""
    if remedy == "second run":
        if not window.app_state.comparison.is_on:
            window.frame.toggle_comparison()
        window.frame.compare.text.setFocus()
    elif remedy == "task head":
        window.app_state.workspace.open_model(None)
    elif remedy == "checkpoint":
        window.frame.bar.models.showMenu()


def analysis_commands(window: MainWindow) -> list[Command]:
    """Return the commands that show attention or an analysis of the catalogue in the active panel."""
    panels = window.app_state.panels

    def show(content: Content) -> None:
        if panels.active is not None:
            panels.choose(panels.active.number, content)

    words = translate("Commands", "Show in the panel: {0}")
    attention = words.format(translate("Commands", "Attention"))
    gallery = Command(
        translate("Commands", "Gallery of analyses …"),
        "",
        partial(open_gallery, window),
        also="gallery analyses questions 갤러리 분석 질문",
    )
    commands = [gallery, Command(attention, "", partial(show, SHOWS_ATTENTION))]
    for title, analyses in catalogue.by_theme():
        theme = translated(title)
        for analysis in analyses:
            name = words.format(Translated(translated(analysis.title), analysis.title))
            asked = question_of(analysis)
            also = f"{asked.en} {asked.ko} {analysis.summary} {translated(analysis.summary)}"
            commands.append(
                Command(name, "", partial(show, Content(analysis.key)), subgroup=theme, also=also)
            )
    return commands
