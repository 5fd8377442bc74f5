"""The commands of the Vectors panel: its pages, its layers, and the shelf."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from bertviz_app.shell.commands.command import Command
from bertviz_app.viewmodels.app_state import AppState

if TYPE_CHECKING:
    from bertviz_app.shell.window.window import MainWindow
    from bertviz_app.views.vectors.view import VectorsView


def vector_commands(window: MainWindow, app_state: AppState) -> list[Command]:
    """Return the commands of vectors; without a Vectors panel the active one becomes one."""
    translate, panels = QCoreApplication.translate, app_state.panels

    def act(what: Callable[[VectorsView], None]) -> Callable[[], None]:
        def run() -> None:
            from bertviz_app.views.vectors.view import VectorsView  # which the first paint needs not

            active = panels.active
            if active is None:
                return
            there = [panel for panel in (active, *panels.panels) if panel.how == "vectors"]
            panel = there[0] if there else active
            if not there:
                panels.draw_as(panel.number, "vectors")
            view = window.main_area.area.cards[panel.number].view
            if isinstance(view, VectorsView):
                what(view)

        return run

    def page(key: str) -> Callable[[], None]:
        return act(lambda view: view.show_page(key))

    def step(by: int) -> Callable[[], None]:
        return act(lambda view: view.step(by))

    return [
        Command(translate("Commands", "Vectors: [CLS] in every layer"), "", page("cls")),
        Command(translate("Commands", "Vectors: hidden states of all tokens"), "", page("tokens")),
        Command(translate("Commands", "Vectors: map of the tokens"), "", page("map")),
        Command(translate("Commands", "Vectors: cosine similarity of the tokens"), "", page("similar")),
        Command(translate("Commands", "Vectors: shelf of sentences"), "", page("shelf")),
        Command(translate("Commands", "Vectors: one layer on"), "PgDown", step(1), is_shown_only=True),
        Command(translate("Commands", "Vectors: one layer back"), "PgUp", step(-1), is_shown_only=True),
        Command(translate("Commands", "Vectors: play through the layers"), "", act(lambda view: view.play())),
        Command(translate("Commands", "Map: one plane for all layers, or each its own"), "", act(_turn_axes)),
        Command(
            translate("Commands", "Keep the sentence on the shelf"),
            "Ctrl+Return",
            app_state.kept_vectors.keep,
        ),
        Command(translate("Commands", "Take the chosen sentence off the shelf"), "", act(_remove)),
        Command(translate("Commands", "Clear the shelf"), "", app_state.kept_vectors.clear),
    ]


def _turn_axes(view: VectorsView) -> None:
    view.show_page("map")
    view.map_page.turn_axes()


def _remove(view: VectorsView) -> None:
    view.show_page("shelf")
    view.shelf_page.remove_chosen()
