"""What the room of methods brings: every analysis that one of its modules defines."""

from __future__ import annotations

from bertviz_app.analysis.entry import Analysis
from bertviz_app.features import methods
from bertviz_app.room_loader import found_in
from bertviz_app.shell.feature import Feature

METHODS = Feature(analyses=lambda: found_in(methods, Analysis))
