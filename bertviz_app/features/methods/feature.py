"""What the room of methods brings: every analysis that one of its modules defines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bertviz_app.analysis.entry import Analysis
from bertviz_app.features import methods
from bertviz_app.room_loader import found_in
from bertviz_app.shell.feature import Feature


def _analyses() -> Sequence[Analysis[Any, Any]]:
    return found_in(methods, Analysis)


METHODS = Feature(analyses=_analyses)
