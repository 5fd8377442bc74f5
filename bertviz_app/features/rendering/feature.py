"""What the room of pictures without a window brings: figures of traces and results."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bertviz_app.shell.feature import Feature

if TYPE_CHECKING:
    from bertviz_app.figures import DrawsFigures


def _figures() -> DrawsFigures:
    from bertviz_app.features.rendering.rendering import figure_of

    return figure_of


RENDERING = Feature(figures=_figures)
