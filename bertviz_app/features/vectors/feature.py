"""What the room of vectors brings: its view of a panel, and its commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bertviz_app.shell.feature import Feature

if TYPE_CHECKING:
    from bertviz_app.features.vectors.commands import VectorsPart
    from bertviz_app.features.vectors.view import VectorsView
    from bertviz_app.shell.window.window import MainWindow
    from bertviz_app.views.kit.panel_view import PanelTools


def _view(tools: PanelTools) -> VectorsView:
    from bertviz_app.features.vectors.view import VectorsView

    return VectorsView(tools)


def _parts(window: MainWindow) -> list[VectorsPart]:
    from bertviz_app.features.vectors.commands import VectorsPart

    return [VectorsPart(window)]


def _load() -> None:
    import bertviz_app.features.vectors.view  # noqa: F401


VECTORS = Feature(_parts, {"vectors": _view}, _load)
