"""`VectorsView`: the vectors of a run in a panel: [CLS], tokens, map, similarity, and the shelf."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QEvent, Qt, Slot
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout

from bertviz_app.options import PAGES
from bertviz_app.options import Page as PageKey
from bertviz_app.text.tokens import BERT_NAMES
from bertviz_app.viewmodels.heads.pictures import HeadOfRun
from bertviz_app.viewmodels.panels import Panel
from bertviz_app.viewmodels.runs.shown import Difference
from bertviz_app.viewmodels.vectors import ShownState, Subject, subject_of
from bertviz_app.views.kit.canvas import guarded
from bertviz_app.views.kit.panel_view import PanelTools, PanelView
from bertviz_app.views.kit.words import plain
from bertviz_app.views.vectors.choice import SegmentedChoice
from bertviz_app.views.vectors.layer_bar import LayerBar
from bertviz_app.views.vectors.page import Numbers, Page
from bertviz_app.views.vectors.page_stack import PageStack

_NO_LIMIT = 16_777_215
"""The largest width that Qt allows (QWIDGETSIZE_MAX)."""
_STEPS = {
    Qt.Key.Key_Comma: -1,
    Qt.Key.Key_PageUp: -1,
    Qt.Key.Key_Period: 1,
    Qt.Key.Key_PageDown: 1,
}
_CLAIMED = (Qt.Key.Key_Comma, Qt.Key.Key_Period)
"""Those that walk through the steps elsewhere. The page keys are left to the shortcuts of an open lesson."""


class VectorsView(PanelView):
    """Pages of which one is shown. The hidden state follows the panel's layer, and can be stepped alone."""

    def __init__(self, tools: PanelTools) -> None:
        super().__init__(tools.look)
        self._tools = tools
        self._subject: Subject | None = None
        self._first = BERT_NAMES.first
        self._shown = ShownState()
        self.choice = SegmentedChoice(PAGES)
        self.layers = LayerBar()
        self.stack = PageStack(tools)
        self._lay_out()
        self.choice.chosen.connect(self.show_page)
        self.layers.state_chosen.connect(self.show_state)
        tools.comparison.shown_changed.connect(self._on_comparison_changed)
        self.retranslate()

    def _lay_out(self) -> None:
        top = QHBoxLayout()
        top.setContentsMargins(8, 6, 8, 4)
        top.setSpacing(8)
        top.addWidget(self.choice)
        top.addStretch(1)
        for page in self.stack.pages.values():
            if page.switch is not None:
                top.addWidget(page.switch)
                page.switch.hide()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(top)
        column.addLayout(self.stack, 1)
        self.stack.fill()
        column.addWidget(self.layers)
        self.layers.hide()

    @property
    def page(self) -> Page:
        return self.stack.pages[_page_key(self.choice)]

    @property
    def state(self) -> int:
        """The hidden state that is shown: 0 the embeddings, l + 1 after layer l."""
        return self._shown.state

    def show_panel(self, panel: Panel) -> None:
        before = _page_key(self.choice), self._shown.state
        self._shown.follow(panel)
        if before != (panel.vectors.page, self._shown.state):
            self.choice.choose(panel.vectors.page)
            self._show()

    def show_head(self, head: HeadOfRun) -> None:
        super().show_head(head)
        self._shown.enter(head.layer)
        self._subject = _subject_of(head, self._subject, self._tools.comparison.difference)
        self._show()

    @Slot(str)
    def show_page(self, key: PageKey) -> None:
        self.choice.choose(key)
        self._show()
        self.choice_made.emit(self._shown.choice(key))

    @Slot(int)
    def show_state(self, state: int) -> None:
        """Show a hidden state, as far as the model has it."""
        self._shown.state = state
        self._show()
        self.choice_made.emit(self._shown.choice(_page_key(self.choice)))

    def step(self, by: int) -> None:
        """Show the hidden state `by` layers on, or back."""
        self.layers.step(by)

    def play(self) -> None:
        """Play through the layers, on the map if the page has none; or stop."""
        if not self.page.has_layers:
            self.show_page("map")
        self.layers.toggle_playing()

    def _show(self) -> None:
        subject, page = self._subject, self.page
        if subject is None:
            return
        first = subject.traces[0].tokens.special_names.first
        if first != self._first:
            self._first = first
            _write_choice(self.choice, first)
        self._shown.state = min(max(self.state, 0), subject.n_states - 1)
        self.layers.show_state(self.state, subject.n_states)
        self.layers.setVisible(page.has_layers)
        self._share_top()
        self.stack.show_page(page, subject, self.state)

    def _share_top(self) -> None:
        """Give the choice of pages its room before the page's switch, which becomes a menu first."""
        switch = self.page.switch
        if switch is None:
            return
        rest = self.width() - self.choice.sizeHint().width() - 32
        fits = rest >= switch.minimumSizeHint().width()
        switch.setMaximumWidth(rest if fits else _NO_LIMIT)

    def set_stale(self, is_stale: bool) -> None:
        super().set_stale(is_stale)
        self.stack.set_stale(is_stale)

    def retranslate(self) -> None:
        _write_choice(self.choice, self._first)
        self.stack.write()

    def numbers(self) -> Numbers:
        """Return what is shown: arrays by name, and what their rows are called."""
        found = self.page.numbers()
        return found | {"page": (self.choice.chosen_key,)} if found else found

    @property
    def is_waiting(self) -> bool:
        subject, key = self._subject, _page_key(self.choice)
        return subject is not None and self.stack.is_waiting(key, subject, self.state)

    @Slot()
    def _on_comparison_changed(self) -> None:
        if self.isVisible() and self._subject is not None:
            self._show()

    @guarded
    def resizeEvent(self, event: QResizeEvent) -> None:
        self._share_top()

    @guarded(default=False)
    def event(self, event: QEvent) -> bool:
        """Claim the keys that step: elsewhere in the window they walk through the steps."""
        is_override = event.type() == QEvent.Type.ShortcutOverride and self.page.has_layers
        if is_override and isinstance(event, QKeyEvent) and event.key() in _CLAIMED and _step_of(event):
            event.accept()
            return True
        return super().event(event)

    @guarded
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Step through the layers."""
        by = _step_of(event) if self.page.has_layers else 0
        if by:
            self.step(by)
        else:
            event.ignore()


def _step_of(event: QKeyEvent) -> int:
    """Return how many layers a key leads on, 0 for one that means something else."""
    # Some keyboards have the full stop above another sign.
    ignored = Qt.KeyboardModifier.KeypadModifier | Qt.KeyboardModifier.ShiftModifier
    is_plain = not event.modifiers() & ~ignored
    return _STEPS.get(Qt.Key(event.key()), 0) if is_plain else 0


def _subject_of(head: HeadOfRun, before: Subject | None, difference: Difference | None) -> Subject | None:
    """Return the run or the runs of `head`; those `before` if they are the same, or more recent ones come."""
    if not head.is_difference:
        return before if before is not None and before.traces == (head.trace,) else subject_of(head.trace)
    if difference is None or difference.traces != head.traces:
        return before  # what belongs together comes with the next head
    if before is not None and before.traces == difference.traces:
        return before
    return Subject(difference.traces, difference.alignment.positions)


def _write_choice(choice: SegmentedChoice, first: str) -> None:
    """Write the names of the pages; `first` is that of the first token."""
    translate = QCoreApplication.translate
    cls = translate("VectorsView", "{0} in every layer, and the pooled vector")
    tokens = translate("VectorsView", "The hidden states of all tokens at a layer")
    plane = translate("VectorsView", "The tokens on a plane, by principal components")
    similar = translate("VectorsView", "Cosine similarity of each pair of tokens at a layer")
    shelf = translate("VectorsView", "The sentences tried so far, side by side")
    texts = {
        "cls": (first, plain(cls.format(first))),
        "tokens": (translate("VectorsView", "Tokens"), tokens),
        "map": (translate("VectorsView", "Map"), plane),
        "similar": (translate("VectorsView", "Similar"), similar),
        "shelf": (translate("VectorsView", "Shelf"), shelf),
    }
    choice.set_choices(texts, translate("VectorsView", "Which vectors are shown"))


def _page_key(choice: SegmentedChoice) -> PageKey:
    return next(key for key in PAGES if key == choice.chosen_key)
