"""What the room of own checkpoints brings: it recognises models without names, and asks for their parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bertviz_app.shell.feature import Feature

if TYPE_CHECKING:
    from bertviz_app.checkpoint.sources.source import Recogniser
    from bertviz_app.features.own_checkpoints.part import PartsPart
    from bertviz_app.shell.window.window import MainWindow


def _parts(window: MainWindow) -> list[PartsPart]:
    from bertviz_app.features.own_checkpoints.part import PartsPart

    return [PartsPart(window)]


def _recogniser() -> Recogniser:
    from bertviz_app.features.own_checkpoints.recogniser import RECOGNISER

    return RECOGNISER


OWN_CHECKPOINTS = Feature(_parts, recogniser=_recogniser)
