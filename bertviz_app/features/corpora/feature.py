"""What the room of corpora brings: the pages of a corpus, of a head over it, and of a training over time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from bertviz_app.shell.feature import Feature

if TYPE_CHECKING:
    from bertviz_app.analysis.entry import Analysis
    from bertviz_app.shell.window.frame import WindowPart
    from bertviz_app.shell.window.window import MainWindow


def _parts(window: MainWindow) -> list[WindowPart]:
    from bertviz_app.features.corpora.pages import CorpusController, HeadController, HistoryController

    shared = window, window.app_state, window.look
    corpus = CorpusController(*shared)
    head = HeadController(*shared, corpus, window.export)
    return [corpus, head, HistoryController(*shared, lambda: window.appearance.language)]


def _analyses() -> Sequence[Analysis[Any, Any]]:
    from bertviz_app.features.corpora.studies.counterfactuals import counterfactuals
    from bertviz_app.features.corpora.studies.lenses import tuned_lens

    return counterfactuals, tuned_lens


CORPORA = Feature(_parts, analyses=_analyses)
