"""The commands of vectors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace as replaced
from typing import TYPE_CHECKING

from bertviz_app.options import Page
from bertviz_app.shell.commands.menus import Action, Command
from bertviz_app.shell.commands.views import in_panel
from bertviz_app.shell.window.frame import WindowPart
from bertviz_app.views.kit.words import translate

if TYPE_CHECKING:
    from bertviz_app.features.vectors.view import VectorsView
    from bertviz_app.shell.window.window import MainWindow


class VectorsPart(WindowPart):
    """What vectors have in a window besides their view."""

    _window: MainWindow

    def commands(self) -> list[Command]:
        """Without a Vectors panel the active one becomes one."""
        shelf = self._window.app_state.kept_vectors

        def act(action: Callable[[VectorsView], None]) -> Action:
            return in_panel(self._window, "vectors", action)

        def page(key: Page) -> Action:
            return act(lambda view: view.show_page(key))

        def step(by: int) -> Action:
            return act(lambda view: view.step(by))

        found = [
            Command(translate("Commands", "Vectors: [CLS] in every layer"), "", page("cls")),
            Command(translate("Commands", "Vectors: hidden states of all tokens"), "", page("tokens")),
            Command(translate("Commands", "Vectors: map of the tokens"), "", page("map")),
            Command(translate("Commands", "Vectors: cosine similarity of the tokens"), "", page("similar")),
            Command(translate("Commands", "Vectors: shelf of sentences"), "", page("shelf")),
            Command(translate("Commands", "Vectors: next layer"), "PgDown", step(1), is_shown_only=True),
            Command(translate("Commands", "Vectors: previous layer"), "PgUp", step(-1), is_shown_only=True),
            Command(
                translate("Commands", "Vectors: play through the layers"), "", act(lambda view: view.play())
            ),
            Command(translate("Commands", "Map: common axes, or axes per layer"), "", act(_turn_axes)),
            Command(translate("Commands", "Add the sentence to the shelf"), "Ctrl+Return", shelf.keep),
            Command(translate("Commands", "Remove the selected sentence from the shelf"), "", act(_remove)),
            Command(translate("Commands", "Clear the shelf"), "", shelf.clear),
        ]
        group = translate("Commands", "Vectors")
        return [replaced(command, group=group) for command in found]


def _turn_axes(view: VectorsView) -> None:
    view.show_page("map")
    view.map.turn_axes()


def _remove(view: VectorsView) -> None:
    view.show_page("shelf")
    view.shelf.remove_chosen()
