"""`ShownVector`: the card of the vector that stands for a text, of the run that the active panel shows."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QObject, Slot

from bertviz_app.analysis.vectors import text_cosines
from bertviz_app.options import Run
from bertviz_app.trace import Trace
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.runs.shown import Shown
from bertviz_app.viewmodels.vectors import card_vector
from bertviz_app.views.kit.canvas import signed
from bertviz_app.views.kit.card import Card
from bertviz_app.views.vectors.heat import VectorPlot


class ShownVector(QObject):
    """Shows the vector of run A, or of run B while the inspector is about that one, and names the run."""

    def __init__(self, app_state: AppState, card: Card) -> None:
        super().__init__(card)
        assert isinstance(card.body, VectorPlot)
        self._app_state = app_state
        self._card = card
        self.plot = card.body
        self._run: Run | None = None
        self.plot.kinds.chosen.connect(app_state.vectors.choose_kind)
        app_state.vectors.kind_changed.connect(self.show)
        app_state.comparison.shown_changed.connect(self.show)
        app_state.shown_runs.inspected.changed.connect(self._on_inspected)

    @Slot()
    def _on_inspected(self) -> None:
        if self._app_state.shown_runs.inspected.run != self._run:  # it changes with the pointer, too
            self.show()

    @Slot()
    def show(self) -> None:
        """Show the vector of the inspected run, and how similar that of the other one is."""
        of_a, of_b = self._app_state.workspace.shown, self._app_state.comparison.shown
        run = self._app_state.shown_runs.inspected.run
        shown = of_b if run == "B" else of_a
        if shown is None or of_a is None:
            return
        self._run = run
        kind = self._app_state.vectors.kind
        if of_b is None:
            show_vector(self._card, self.plot, shown, kind)
        else:
            other = (of_a if run == "B" else of_b).result.trace
            show_vector(self._card, self.plot, shown, kind, run, other)


def show_vector(
    card: Card,
    plot: VectorPlot,
    shown: Shown,
    kind: str = "pooled",
    run: Run | None = None,
    other: Trace | None = None,
) -> None:
    """Show the pooled vector of a run; for a model without pooler the last hidden state of [CLS], named so.

    Or the sentence vector, if it has one and `kind` is "sentence". `run`: its name, where there are two;
    `other` is the other one's trace.
    """
    trace, translate = shown.result.trace, QCoreApplication.translate
    name, vector = card_vector(trace, kind)
    titles = {
        "cls": translate("Stage", "{0} hidden state"),
        "pooled": translate("Stage", "{0} pooled"),
        "sentence": translate("Stage", "Sentence vector"),
    }
    size = (
        translate("Stage", "{0} · no pooler here") if name == "cls" else translate("Stage", "{0} dimensions")
    )
    parts = [size.format(len(vector))]
    if other is not None:
        cosine = text_cosines(trace, other).get(name)
        parts += [] if cosine is None else [translate("Stage", "cos A, B {0}").format(signed(cosine, 4))]
    title = titles[name].format(trace.tokens.special_names.first)
    card.title.setText(f"{title} · {run}" if run is not None else title)
    card.qualifier.setText(" · ".join(parts))
    plot.offer_sentence(trace.sentence_vector is not None, "sentence" if name == "sentence" else "pooled")
    plot.show_values(vector)
