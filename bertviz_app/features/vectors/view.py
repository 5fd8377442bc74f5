"""The view of vectors, and the bar that chooses the layer."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QCoreApplication, QEvent, QSignalBlocker, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QLabel, QPushButton, QSlider, QStackedLayout, QWidget

from bertviz_app.features.vectors.pages import (
    ClsPage,
    MapPage,
    Numbers,
    Page,
    ShelfPage,
    SimilarPage,
    TokensPage,
)
from bertviz_app.options import PAGES, Page as PageKey, PanelPage
from bertviz_app.text.tokens import BERT_NAMES
from bertviz_app.viewmodels.export import named_numbers, vectors_as_python
from bertviz_app.viewmodels.heads.pictures import HeadOfRun
from bertviz_app.viewmodels.panel import Panel, VectorsChoice, page_named
from bertviz_app.viewmodels.vectors import Subject, cls_cosines, subject_of
from bertviz_app.views.kit.canvas import Guarded
from bertviz_app.views.kit.card import SegmentedChoice
from bertviz_app.views.kit.look import in_column, in_row, named
from bertviz_app.views.kit.panel_view import ExportedPanel, PanelTools, PanelView
from bertviz_app.views.kit.subject import ExportSubject
from bertviz_app.views.kit.words import plain

STEP_MS = 700
"""How long each layer stays while they are played."""


class LayerBar(Guarded, QWidget):
    """Hidden states 0 (the embeddings) to L. `state_chosen` is emitted when another one is chosen here."""

    state_chosen = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        before, after = self.tr("Previous layer"), self.tr("Next layer")
        self._before = named(QPushButton("‹"), "plain", self.tr("Previous layer (, or Page Up)"), before)
        self._after = named(QPushButton("›"), "plain", self.tr("Next layer (. or Page Down)"), after)
        self._play = named(QPushButton("▶"), "corner", self.tr("Play through the layers"))
        name, tip = self.tr("Layer of the hidden states"), self.tr("The layer whose hidden states are shown")
        self.slider = named(_Slider(Qt.Orientation.Horizontal), tip=tip, title=name)
        self.slider.setPageStep(1)
        self._name = named(QLabel(), "secondary")
        self._names: tuple[str, ...] = ("",)
        self._timer = QTimer(self, interval=STEP_MS)
        parts = self._play, self._before, (self.slider, 1), self._after, self._name
        in_row(*parts, of=self, margins=(8, 0, 8, 4), spacing=4)
        self._before.clicked.connect(lambda: self.step(-1))
        self._after.clicked.connect(lambda: self.step(1))
        self._play.clicked.connect(self.toggle_playing)
        self._timer.timeout.connect(self._on_tick)
        self.slider.valueChanged.connect(self._on_value_changed)
        self._write()

    @property
    def is_playing(self) -> bool:
        """Whether the layers are played one after the other."""
        return self._timer.isActive()

    def show_state(self, state: int, names: tuple[str, ...]) -> None:
        """Show which state is drawn, of those with these names, without emitting `state_chosen`."""
        self._names = names
        with QSignalBlocker(self.slider):
            self.slider.setMaximum(len(names) - 1)
            self.slider.setValue(state)
        self._write()

    def step(self, by: int) -> None:
        """Go on, or back, by a number of layers, as far as there are."""
        self.slider.setValue(self.slider.value() + by)

    @Slot()
    def toggle_playing(self) -> None:
        """Go through the layers by itself, from the start if it stands at the end; or stop."""
        if self.is_playing:
            self._stop()
            return
        if self.slider.value() == self.slider.maximum():
            self.slider.setValue(0)
        self._timer.start()
        self._play.setText("‖")

    def hideEvent(self, event: object) -> None:
        self._stop()

    def _write(self) -> None:
        metrics = self._name.fontMetrics()
        self._name.setText(self._names[self.slider.value()])
        # As wide as the widest: the slider must not move under the pointer.
        widest = {self._names[0], *self._names[-2:]}
        self._name.setMinimumWidth(max(metrics.horizontalAdvance(name) for name in widest) + 4)

    def _stop(self) -> None:
        self._timer.stop()
        self._play.setText("▶")

    @Slot()
    def _on_tick(self) -> None:
        if not self.isVisible():  # begun by a command while another page covers it; nobody would see an end
            self._stop()
            return
        self.step(1)
        if self.slider.value() == self.slider.maximum():
            self._stop()

    @Slot(int)
    def _on_value_changed(self, state: int) -> None:
        self._write()
        self.state_chosen.emit(state)


class _Slider(Guarded, QSlider):
    """Leaves Page Up and Page Down to the panel, where they mean the same everywhere in it."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_PageUp, Qt.Key.Key_PageDown):
            event.ignore()
        else:
            super().keyPressEvent(event)


_NO_LIMIT = 16_777_215
"""The largest width that Qt allows (QWIDGETSIZE_MAX)."""
_STEPS = {Qt.Key.Key_Comma: -1, Qt.Key.Key_PageUp: -1, Qt.Key.Key_Period: 1, Qt.Key.Key_PageDown: 1}
_CLAIMED = (Qt.Key.Key_Comma, Qt.Key.Key_Period)
"""Those that walk through the steps elsewhere. The page keys are left to the shortcuts of an open lesson."""


class VectorsView(PanelView):
    """Pages of which one is shown. The hidden state follows the panel's layer, and can be stepped alone."""

    def __init__(self, tools: PanelTools) -> None:
        super().__init__(tools.look)
        self._tools = tools
        self._subject: Subject | None = None
        self._first = BERT_NAMES.first
        self._layer = -1  # that of the panel, once it is known
        self.state = 0
        """The hidden state that is shown: 0 the embeddings, l + 1 after layer l."""
        self.choice = SegmentedChoice(_page_texts(self._first), self.tr("Which vectors are shown"))
        self.layers = LayerBar()
        self.cls, self.tokens, self.map = ClsPage(tools), TokensPage(tools), MapPage(tools)
        self.similar, self.shelf = SimilarPage(tools), ShelfPage(tools)
        pages = self.cls, self.tokens, self.map, self.similar, self.shelf
        self.pages: dict[PageKey, Page] = dict(zip(PAGES, pages, strict=True))
        self.dimmed = [plot for page in pages for plot in page.dimmed]
        self._remark = named(QLabel(alignment=Qt.AlignmentFlag.AlignCenter, wordWrap=True), "secondary")
        self._stack = QStackedLayout()
        switches = [page.switch for page in pages if page.switch is not None]
        top = in_row(self.choice, 1, *switches, margins=(8, 6, 8, 4), spacing=8)
        for switch in switches:
            switch.hide()
        column = in_column(top, (self._stack, 1), of=self, margins=0, spacing=0)
        for widget in (*pages, self._remark):  # in a layout of no widget they would be shown as windows
            self._stack.addWidget(widget)
        column.addWidget(self.layers)
        self.layers.hide()
        self.choice.chosen.connect(self.show_page)
        self.layers.state_chosen.connect(self.show_state)
        tools.comparison.shown_changed.connect(self._on_comparison_changed)
        tools.vectors.arrived.connect(self._on_arrived)

    @property
    def page_key(self) -> PageKey:
        """Which page is shown."""
        return next(key for key in PAGES if key == self.choice.chosen_key)

    @property
    def page(self) -> Page:
        return self.pages[self.page_key]

    @property
    def meaning(self) -> str:
        words = self.tr("A row is a vector, a stripe one of its numbers: orange above zero, grey below.")
        return words if self.choice.chosen_key in ("cls", "tokens") else ""

    def show_panel(self, panel: Panel) -> None:
        before, state = (self.page_key, self.state), panel.vectors.state
        self._layer, self.state = panel.layer, panel.layer + 1 if state is None else state
        if before != (panel.vectors.page, self.state):
            self.choice.choose(panel.vectors.page)
            self._show()

    def show_head(self, head: HeadOfRun) -> None:
        super().show_head(head)
        if head.layer != self._layer:
            self._layer, self.state = head.layer, head.layer + 1
        difference, before = self._tools.comparison.difference, self._subject
        known = () if before is None else before.traces
        if not head.is_difference:
            self._subject = before if known == (head.trace,) else subject_of(head.trace)
        elif difference is not None and known != difference.traces == head.traces:
            # Else what belongs together comes with the next head.
            self._subject = Subject(difference.traces, difference.alignment.positions)
        self._show()

    def go_to(self, page: PanelPage) -> None:
        if page.page is not None:
            self.show_page(page_named(page.page, PAGES))
        if page.state is not None:
            self.show_state(page.state)

    @Slot(str)
    def show_page(self, key: PageKey) -> None:
        self.choice.choose(key)
        self.show_state(self.state)

    @Slot(int)
    def show_state(self, state: int) -> None:
        """Show a hidden state, as far as the model has it."""
        self.state = state
        self._show()
        state_of_layer = self.state == self._layer + 1
        self.choice_made.emit(VectorsChoice(self.page_key, None if state_of_layer else self.state))

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
            self.choice.set_texts(_page_texts(first))
            self.choice.updateGeometry()
        names = page.state_names(subject)
        self.state = min(max(self.state, 0), len(names) - 1)
        self.layers.show_state(self.state, names)
        self.layers.setVisible(page.has_layers)
        self._share_top()
        for other in self.pages.values():
            if other.switch is not None:
                other.switch.setVisible(other is page)
        if not subject.can_be_compared and page is not self.shelf:
            words = self.tr(
                "The vectors of these checkpoints have {0} and {1} dimensions, so that they cannot be "
                "subtracted."
            )
            self._remark.setText(words.format(*(trace.width for trace in subject.traces)))
            self._stack.setCurrentWidget(self._remark)
            return
        self.cls.cosines = cls_cosines(subject, self._tools.comparison.difference)
        self._stack.setCurrentWidget(page)
        page.show_subject(subject, self.state)

    def _share_top(self) -> None:
        """Give the choice of pages its room before the page's switch, which becomes a menu first."""
        switch = self.page.switch
        if switch is None:
            return
        rest = self.width() - self.choice.sizeHint().width() - 32
        fits = rest >= switch.minimumSizeHint().width()
        switch.setMaximumWidth(rest if fits else _NO_LIMIT)

    def numbers(self) -> Numbers:
        """Return what is shown: arrays by name, and what their rows are called."""
        found = self.page.numbers()
        return found | {"page": (self.choice.chosen_key,)} if found else found

    def subject(self, exported: ExportedPanel) -> ExportSubject | None:
        if self.shown_head is None:
            return None
        python = vectors_as_python(exported.runs.only(exported.panel.run))
        numbers = partial(named_numbers, self.numbers())
        return exported.subject(self, numbers, python, titles=self.page.axis_titles)

    @property
    def is_waiting(self) -> bool:
        subject, key, vectors = self._subject, self.page_key, self._tools.vectors
        if subject is None or not subject.can_be_compared:
            return False
        if key == "tokens":
            return vectors.strips(subject, self.state) is None
        if key == "similar":
            return vectors.similar(subject, self.state) is None
        return key == "map" and vectors.maps(subject, common=self.map.is_common) is None

    @Slot()
    def _on_comparison_changed(self) -> None:
        if self.isVisible() and self._subject is not None:
            self._show()

    @Slot()
    def _on_arrived(self) -> None:
        if self._stack.currentWidget() is self.page and self.page.isVisible():
            self.page.refresh()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._share_top()

    def event(self, event: QEvent) -> bool:
        """Claim the keys that step: elsewhere in the window they walk through the steps."""
        is_override = event.type() == QEvent.Type.ShortcutOverride and self.page.has_layers
        if is_override and isinstance(event, QKeyEvent) and event.key() in _CLAIMED and _step_of(event):
            event.accept()
            return True
        return super().event(event)

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


def _page_texts(first: str) -> dict[str, tuple[str, str]]:
    """Return the names of the pages and what they show; `first` is the name of the first token."""
    translate = QCoreApplication.translate
    cls = translate("VectorsView", "{0} in every layer, and the pooled vector")
    tokens = translate("VectorsView", "The hidden states of all tokens at a layer")
    plane = translate("VectorsView", "The tokens on a plane, by principal components")
    similar = translate("VectorsView", "Cosine similarity of each pair of tokens at a layer")
    shelf = translate("VectorsView", "The sentences tried so far, side by side")
    return {
        "cls": (first, plain(cls.format(first))),
        "tokens": (translate("VectorsView", "Tokens"), tokens),
        "map": (translate("VectorsView", "Map"), plane),
        "similar": (translate("VectorsView", "Similar"), similar),
        "shelf": (translate("VectorsView", "Shelf"), shelf),
    }
