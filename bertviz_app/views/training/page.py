"""The Training page: a form, then a run with its curves and the sentence that is watched."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QSplitter,
    QStackedLayout,
    QVBoxLayout,
    QWidget,
)

from bertviz_app.viewmodels.training.training import Training, with_files
from bertviz_app.views.kit.canvas import guarded
from bertviz_app.views.kit.card import Card
from bertviz_app.views.kit.drop_hint import PageDrops
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.style import named
from bertviz_app.views.training.curves import CurvesView
from bertviz_app.views.training.form import TrainingFormView
from bertviz_app.views.training.runs import TrainingRunsView
from bertviz_app.views.training.state import TrainingStateView
from bertviz_app.views.training.watch import WatchView

_LEFT = 330
_GAP = 8
_FRAMES = 4  # pixels of the card's rule, at both sides


class _Scrolled(QScrollArea):
    """As high as its widget where there is room for that; else the widget is scrolled."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widgetResizable=True)
        self._inside = widget
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidget(widget)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        widget.installEventFilter(self)

    @guarded(default=QSize())
    def sizeHint(self) -> QSize:
        widget, width = self._inside, self.viewport().width()
        height = widget.heightForWidth(width) if widget.hasHeightForWidth() else widget.sizeHint().height()
        return QSize(super().sizeHint().width(), height)

    @guarded(default=False)
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return super().eventFilter(watched, event)

    @guarded
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.updateGeometry()


class _FormCard(Card):
    """The form, or the run instead of it, in a card as wide as the form, with a button that closes it."""

    def __init__(self, look: Look, form: TrainingFormView, state: QWidget) -> None:
        pages = QWidget()
        super().__init__("", pages)
        self._look = look
        self._pages = QStackedLayout(pages)
        self._form = form
        form.installEventFilter(self)
        page = named(QWidget(), "clear")
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(_Scrolled(form))
        column.addWidget(form.foot)
        column.addStretch(1)
        QWidget.setTabOrder(form.every, form.start)
        self._pages.addWidget(page)
        shown = _Scrolled(state)
        self._pages.addWidget(shown)
        self._bar = shown.verticalScrollBar()
        self.back = named(QPushButton("✕"), "corner")
        self.add_corner(self.back)
        look.changed.connect(self._fit)
        self._fit()

    @guarded(default=False)
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Fit the card to the form where its words become longer: in another language, or larger."""
        if event.type() == QEvent.Type.LayoutRequest:
            self._fit()
        return super().eventFilter(watched, event)

    def show_page(self, page: int) -> bool:
        """Show the form (0) or the run (1); return whether it was the other one before."""
        is_other = page != self._pages.currentIndex()
        self._pages.setCurrentIndex(page)
        return is_other

    @Slot()
    def _fit(self) -> None:
        """Be as wide as the form with a scroll bar beside it, which low windows have."""
        needed = self._form.minimumSizeHint().width() + self._bar.sizeHint().width() + _FRAMES
        self.setFixedWidth(max(self._look.pixels(_LEFT), needed))


class TrainingPage(QWidget):
    """The form or the progress of a training at the left, curves and watched sentence at the right.

    `closed` is emitted to show the views of the heads again; the training continues meanwhile.
    """

    closed = Signal()

    def __init__(self, look: Look, training: Training, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("ground")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self._training = training
        self.form = TrainingFormView(training)
        self.state = TrainingStateView(look, training)
        self.runs = TrainingRunsView(look, training)
        self.curves = CurvesView(look, training)
        self.watch = WatchView(look, training)
        self.drops = PageDrops(look, self, self._describe_drop)
        self.drops.dropped.connect(self._on_dropped)
        self.card = _FormCard(look, self.form, self.state)
        self.runs_card = Card("", self.runs)
        self.watch_card = Card("", self.watch)
        self._right = QStackedLayout()
        self._lay_out()
        self.card.back.clicked.connect(self.closed)
        training.changed.connect(self._on_changed)
        self.retranslate()
        self._on_changed()

    def _lay_out(self) -> None:
        self.watch_card.add_switch(self.watch.head.kinds)
        seen = QSplitter(Qt.Orientation.Horizontal)
        seen.setHandleWidth(_GAP)
        seen.setChildrenCollapsible(False)
        for position, (part, share) in enumerate(((self.curves, 9), (self.watch_card, 11))):
            seen.addWidget(part)
            seen.setStretchFactor(position, share)
        self._right.addWidget(self.runs_card)
        self._right.addWidget(seen)
        row = QHBoxLayout(self)
        row.setContentsMargins(_GAP, _GAP, _GAP, _GAP)
        row.setSpacing(_GAP)
        row.addWidget(self.card)
        row.addLayout(self._right, 1)

    def retranslate(self) -> None:
        self.card.title.setText(self.tr("Train a model"))
        self.runs_card.title.setText(self.tr("What you will see"))
        self.watch_card.title.setText(self.tr("Its heads"))
        self.card.back.setAccessibleName(self.tr("Back to the heads (training continues)"))
        self.card.back.setToolTip(self.card.back.accessibleName())
        self.curves.retranslate()

    @Slot()
    def _on_changed(self) -> None:
        run = self._training.run
        is_other = self.card.show_page(int(run is not None))
        has_curves = run is not None and not run.never_began  # else only empty axes
        self._right.setCurrentIndex(int(has_curves))
        # A button with the focus would end the training if the key that began it is pressed again.
        if is_other and self.isVisible():
            self.setFocus()

    @guarded
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Accept keys that no field has used: the views behind the page must not react to them."""
        event.accept()

    def _describe_drop(self, paths: list[Path]) -> str:
        """Return what would be done with dragged files; a folder is a checkpoint, which is for the window."""
        names = [path.name for path in paths if path.is_file()]
        return (
            self.tr("Train on {0}").format(", ".join(names)) if names and self._training.run is None else ""
        )

    @Slot(list)
    def _on_dropped(self, paths: list[Path]) -> None:
        names = [str(path) for path in paths if path.is_file()]
        self._training.change(**vars(with_files(self._training.form, names)))
