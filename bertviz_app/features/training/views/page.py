"""The page of a training: its state, numbers and buttons."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QSize, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QStackedLayout,
    QWidget,
)

from bertviz_app.features.training.finetuning.settings import (
    THRESHOLD,
    MultiLabelEvaluation,
    ScoreEvaluation,
    TagEvaluation,
    TuningEvaluation,
    TuningStep,
)
from bertviz_app.features.training.pretraining.settings import Evaluation
from bertviz_app.features.training.state import LiveRun, Training, with_files
from bertviz_app.features.training.views.curves import CurvesView, RecordedRunView
from bertviz_app.features.training.views.form import TrainingFormView
from bertviz_app.features.training.views.runs import (
    SavedModels,
    StepPlayer,
    TrainingRunsView,
    duration,
    sizes_of,
    words_of,
)
from bertviz_app.features.training.watched_sentence import WatchedSentence
from bertviz_app.text_tables.packages import is_dataset
from bertviz_app.viewmodels.wording import error_text, translated
from bertviz_app.views.attention.lines import LinesView
from bertviz_app.views.attention.matrix import MatrixView
from bertviz_app.views.kit.canvas import Guarded
from bertviz_app.views.kit.card import Card, Segments
from bertviz_app.views.kit.look import Gap, Look, filled, form, in_column, in_row, named, restyle
from bertviz_app.views.kit.panel_view import PanelView
from bertviz_app.views.kit.terms import explain_with
from bertviz_app.views.kit.widgets import PageDrops, ProgressLine, SignButton, split
from bertviz_app.views.overview.view import OverviewView


class RunButtons(QWidget):
    """Shows those that the state of the run allows.

    `open_requested` is of a checkpoint, `compare_requested` of two: the first is
    "" for the default checkpoint.
    """

    open_requested = Signal(str)
    compare_requested = Signal(str, str)

    def __init__(self, training: Training) -> None:
        super().__init__()
        self._training = training
        self.pause, self.stop = QPushButton(self.tr("Pause")), QPushButton(self.tr("Stop and save"))
        self.go_on = named(QPushButton(self.tr("Resume")), "primary")
        self.open_model = named(QPushButton(self.tr("Open the model")), "primary")
        self.another, self.compare = QPushButton(), QPushButton()
        rows = (self.pause, self.go_on, self.stop), (self.open_model, self.another), (self.compare,)
        column = in_column(of=self, margins=0, spacing=8)
        for buttons in rows:
            column.addLayout(in_row(*((button, 1) for button in buttons), margins=0, spacing=8))
        self.pause.clicked.connect(training.pause)
        self.go_on.clicked.connect(training.go_on)
        self.stop.clicked.connect(training.stop)
        self.another.clicked.connect(training.leave)
        self.open_model.clicked.connect(self._on_open)
        self.compare.clicked.connect(self._on_compare)
        if training.run is not None:
            self.show_run(training.run)

    def show_run(self, run: LiveRun) -> None:
        """Offer what can be done with `run` now."""
        goes_on = run.state in ("pausing", "paused") or run.can_go_on
        hidden, shown = (self.pause, self.go_on) if goes_on else (self.go_on, self.pause)
        # Qt gives the focus of a hidden button to the next one, which ends the training.
        if self.window().focusWidget() is hidden and run.state != "done":
            shown.show()
            shown.setEnabled(True)
            shown.setFocus()
        has_model = not run.is_alive and bool(run.steps)
        for button, is_offered in (
            (self.pause, run.state in ("starting", "running", "stopping")),
            (self.go_on, goes_on),
            (self.stop, run.is_alive),
            (self.open_model, has_model),
            (self.compare, has_model and (run.job.has_base or bool(run.snapshots))),
            (self.another, not run.is_alive),
        ):
            button.setVisible(is_offered)
        for button in (self.pause, self.stop):
            button.setEnabled(run.state != "stopping")
        restyle(named(self.open_model, "" if goes_on else "primary"))
        self.another.setText(self.tr("Back to the form") if run.never_began else self.tr("Another training"))
        restyle(named(self.another, "primary" if run.never_began else ""))  # then it is the only way on
        if run.job.has_base:
            self.compare.setText(self.tr("Compare with the base model"))
            self.compare.setToolTip(self.tr("Run A: the checkpoint it started from; run B: the trained one"))
        else:
            self.compare.setText(self.tr("Compare first and last"))
            self.compare.setToolTip(self.tr("Run A: the untrained model; run B: the trained one"))

    @Slot()
    def _on_open(self) -> None:
        if self._training.run is not None:
            self.open_requested.emit(str(self._training.run.job.out))

    @Slot()
    def _on_compare(self) -> None:
        run = self._training.run
        if run is not None and run.job.has_base:
            self.compare_requested.emit(run.job.base or "", str(run.job.out))
        elif run is not None and run.snapshots:
            self.compare_requested.emit(str(run.snapshots[0]), str(run.job.out))


class RunNumbers(QWidget):
    """Shows those numbers that a run of its kind has; what is not known yet is a dash."""

    def __init__(self) -> None:
        super().__init__()
        rule = self.tr(
            "Each label is predicted from a probability of {0} on, which is not chosen on any rows"
        ).format(THRESHOLD)
        masked = self.tr("Share of the masked tokens of held-out text that are predicted correctly")
        following = self.tr("Share of held-out pairs that are judged correctly; guessing gives one half")
        right = self.tr("The share of the held-out data whose label is predicted correctly")
        spans = self.tr(
            "The harmonic mean of precision and recall; a span is found where its beginning, "
            "its end and its type are right"
        )
        micro = self.tr("The F1 of all labels together. {0}").format(rule)
        macro = self.tr("The mean of the F1 of each label. {0}").format(rule)
        rows = (  # the name of a number, what it is called, its entry of the glossary, its tool tip
            ("step", self.tr("Steps"), "step", ""),
            ("epoch", self.tr("Epoch"), "epoch", ""),
            ("time", self.tr("Training time"), "", ""),
            ("left", self.tr("Time left"), "", ""),
            ("speed", self.tr("Tokens a second"), "", ""),
            ("tokens", self.tr("Tokens read"), "token", ""),
            ("masked", self.tr("Masked-token accuracy"), "accuracy", masked),
            ("next", self.tr("Next-sentence accuracy"), "accuracy", following),
            ("baseline", self.tr("Baseline: most frequent token"), "baseline", ""),
            ("micro", self.tr("Micro F1 on held-out data"), "", micro),
            ("macro", self.tr("Macro F1 on held-out data"), "", macro),
            ("right", self.tr("Accuracy on held-out data"), "accuracy", right),
            ("spans", self.tr("F1 of the spans in held-out data"), "", spans),
            ("commonest", self.tr("Baseline: most frequent label"), "baseline", ""),
            ("pearson", self.tr("Pearson correlation on held-out data"), "", ""),
            ("spearman", self.tr("Spearman correlation on held-out data"), "", ""),
            ("error", self.tr("Mean squared error on held-out data"), "", ""),
            ("mean", self.tr("Baseline: always the mean"), "", ""),
        )
        to_right = Qt.AlignmentFlag.AlignRight
        self.values = {name: named(QLabel(alignment=to_right), "value") for name, *_ in rows}
        fields = ((words, self.values[name]) for name, words, *_ in rows)
        self._rows = form(*fields, of=self, margins=0, spacing=(6, 4), labels="secondary")
        for name, _, term, tip in rows:
            label = self._rows.labelForField(self.values[name])
            assert isinstance(label, QLabel)
            explain_with(label, term)
            label.setToolTip(tip)

    def show_run(self, run: LiveRun) -> None:
        """Show the numbers of the last step and of the last evaluation."""
        last = run.last
        left = run.seconds_left if run.is_alive else None
        texts = {
            "step": "–" if last is None else f"{last.step:,} · {last.share:.0%}",
            "time": "–" if last is None else duration(last.seconds),
            "left": "–" if left is None else duration(left),
            "speed": "–" if last is None or not run.is_alive else f"{last.tokens_per_second:,.0f}",
            "tokens": "–" if last is None else f"{last.n_tokens:,}",
            **_evaluated(run),
        }
        if run.job.is_tuning:
            texts["epoch"] = f"{last.epoch:,}" if isinstance(last, TuningStep) else "–"
        for name, value in self.values.items():
            self._rows.setRowVisible(value, name in texts)
            value.setText(texts.get(name, ""))


def _evaluated(run: LiveRun) -> dict[str, str]:
    """Return how well it does, as written; what is not known yet is a dash."""
    found = run.verdict
    if isinstance(found, TuningEvaluation):
        return {"right": _share_of(found.accuracy, found.n_rows), "commonest": f"{found.baseline:.1%}"}
    if isinstance(found, MultiLabelEvaluation):
        return {
            "micro": _share_of(found.micro_f1, found.n_rows),
            "macro": f"{found.macro_f1:.1%}",
            "commonest": f"{found.baseline:.1%}",
        }
    if isinstance(found, ScoreEvaluation):
        correlations = {"pearson": found.pearson, "spearman": found.spearman}
        return {
            "error": f"{found.loss:.3f}",
            "mean": f"{found.baseline:.3f}",
            **{name: "–" if one is None else f"{one:.3f}" for name, one in correlations.items()},
        }
    if isinstance(found, TagEvaluation):
        spans = found.all_spans
        return {
            "right": _share_of(found.accuracy, found.n_units),
            "commonest": f"{found.baseline:.1%}",
            **({} if spans is None else {"spans": _share_of(found.f1, spans.n_true)}),
        }
    if isinstance(found, Evaluation):
        return {
            "masked": _share_of(found.masked_accuracy, found.n_masked),
            "next": _share_of(found.next_accuracy, found.n_pairs),
            "baseline": f"{found.baseline:.1%}",
        }
    names = ("right", "commonest") if run.job.is_tuning else ("masked", "next", "baseline")
    return dict.fromkeys(names, "–")


def _share_of(share: float, count: int) -> str:
    """Return a share with the number of examples that it is of: of twenty pairs, 40 % says little."""
    if not count:
        return f"{share:.1%}"
    return QCoreApplication.translate("RunNumbers", "{0} of {1}").format(f"{share:.1%}", f"{count:,}")


class TrainingStateView(QWidget):
    """Shows the run of `training`, what can be done with it, and the models that it has saved."""

    def __init__(self, look: Look, training: Training) -> None:
        super().__init__()
        named(self, "clear")
        self._training = training
        self.state = named(QLabel(wordWrap=True), "title")
        self.detail = named(QLabel(wordWrap=True), "secondary")
        self.problem = named(QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText), "problem")
        self.progress = ProgressLine(look)
        self.notices = named(QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText), "secondary")
        self.buttons = RunButtons(training)
        self.numbers = RunNumbers()
        self.saved = SavedModels()
        above = self.state, self.detail, self.progress, self.problem, self.notices, self.buttons
        below = Gap(4), self.numbers, Gap(4), self.saved, 1
        in_column(*above, *below, of=self, margins=(14, 12, 14, 12), spacing=8)
        training.changed.connect(self._on_changed)
        training.advanced.connect(self._on_advanced)
        self._on_changed()

    @Slot()
    def _on_changed(self) -> None:
        run = self._training.run
        if run is None:
            return
        self.state.setText(words_of(run))
        self.detail.setText(f"{run.job.out.name} · {sizes_of(run.job)}")
        self.detail.setToolTip(str(run.job.out))
        self.notices.setText("\n".join(translated(notice) for notice in run.notices))
        self.notices.setVisible(bool(run.notices))
        wrong = run.problem or run.remark
        self.problem.setText("" if wrong is None else error_text(wrong))
        self.problem.setVisible(wrong is not None)
        self.buttons.show_run(run)
        self.numbers.setVisible(not run.never_began)
        self.saved.show_folders(run.snapshots)
        self._on_advanced()

    @Slot()
    def _on_advanced(self) -> None:
        run = self._training.run
        if run is not None:
            self.numbers.show_run(run)
            share = None if run.last is None else run.last.share
            is_moving = run.is_alive and run.state != "paused"
            self.progress.set_progress(run.is_alive, share if share is not None or is_moving else 0.0)


class WatchedHead(QWidget):
    """Shows the active head of `watched`. `kinds` is the switch of its drawing, which the card holds."""

    def __init__(self, look: Look, watched: WatchedSentence) -> None:
        super().__init__()
        self._watched = watched
        lines = self.tr("Lines"), self.tr("Draw the head as lines")
        matrix = self.tr("Matrix"), self.tr("Draw the head as a matrix")
        self.kinds = Segments([("lines", *lines), ("matrix", *matrix)])
        shared = look, watched.side.selection, watched.side.viewport, watched.store
        self.views: dict[str, PanelView] = {"lines": LinesView(*shared), "matrix": MatrixView(*shared)}
        self.title = named(QLabel(), "title")
        self._large = QStackedLayout()
        in_column(self.title, (self._large, 1), of=self, margins=0, spacing=0)
        for view in self.views.values():
            view.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
            self._large.addWidget(view)
        watched.changed.connect(self._on_head_chosen)
        watched.panels.changed.connect(self._on_head_chosen)
        watched.side.pictures.arrived.connect(self._on_head_chosen)
        self.kinds.chosen.connect(self._on_kind_chosen)
        self._on_kind_chosen("matrix")

    @property
    def view(self) -> PanelView:
        """The drawing of the head that is on top."""
        return self.views[self.kinds.chosen_key]

    @Slot()
    def _on_head_chosen(self) -> None:
        active = self._watched.panels.active
        if active is None:
            return
        self.title.setText(self.tr("Layer {0} · Head {1}").format(active.layer, active.head))
        picture = self._watched.side.pictures.get(active.layer, active.head)
        if picture is not None:
            self.view.show_picture(picture)

    @Slot(str)
    def _on_kind_chosen(self, kind: str) -> None:
        self.kinds.choose(kind)
        self._large.setCurrentWidget(self.view)
        self._on_head_chosen()


_BESIDE_FROM = 640


class WatchView(Guarded, QWidget):
    """Shows one step of `training`: a click on a head shows it large, the slider goes back and forth."""

    def __init__(self, look: Look, training: Training) -> None:
        super().__init__()
        self._training = training
        self._run: LiveRun | None = None  # the one that the field of the sentence is of
        self._look = look
        self.watched: WatchedSentence = training.watched
        self.overview = OverviewView(look, self.watched.panels)
        self.head = WatchedHead(look, self.watched)
        self.player = StepPlayer(self.watched)
        tip = self.tr("Another sentence: press Enter to watch it from the next step on")
        self.sentence = named(QLineEdit(), "entry", tip, self.tr("Sentence that is watched"))
        beginning = self.tr("All its heads appear here with the first step, and change as it learns.")
        centre = Qt.AlignmentFlag.AlignCenter
        self.empty = named(QLabel(beginning, alignment=centre, wordWrap=True), "secondary")
        self._heads = QBoxLayout(QBoxLayout.Direction.TopToBottom)
        self._pages = QStackedLayout()
        self.overview.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
        filled(self._heads, (self.overview, 5), (self.head, 6), margins=0, spacing=8)
        shown = QWidget()
        in_column(self.player, (self._heads, 1), of=shown, margins=(12, 6, 12, 8), spacing=6)
        whole = in_column((self._pages, 1), of=self, margins=0, spacing=0)
        self._pages.addWidget(self.empty)
        self._pages.addWidget(shown)
        whole.addLayout(in_row(self.sentence, margins=(12, 0, 12, 10)))
        self.watched.changed.connect(self._on_changed)
        for chosen in (self.overview.part_chosen, self.overview.part_added):
            chosen.connect(lambda head: self.watched.panels.show(*head))
        self.sentence.returnPressed.connect(self._on_sentence)
        training.changed.connect(self._on_training_changed)
        self._on_changed()

    @Slot()
    def _on_changed(self) -> None:
        shown = self.watched.shown
        self._pages.setCurrentIndex(int(shown is not None))
        if shown is not None:
            self.overview.show_overview(shown.overview)

    @Slot()
    def _on_sentence(self) -> None:
        self.sentence.setModified(False)
        self._training.watch(self.sentence.text(), None)

    @Slot()
    def _on_training_changed(self) -> None:
        run = self._training.run
        if run is not self._run:
            self._run = run
            self.sentence.setModified(False)  # what was typed was for the run before
        self.sentence.setEnabled(run is not None and run.is_alive)
        if run is not None and not self.sentence.isModified():  # what is being typed stays
            self.sentence.setText(run.job.watch.text)
            self.sentence.setCursorPosition(0)

    def sizeHint(self) -> QSize:
        return QSize(460, 560)

    def minimumSizeHint(self) -> QSize:
        return QSize(260, 300)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the two beside each other where it is wide."""
        is_wide = self.width() >= self._look.pixels(_BESIDE_FROM)
        self._heads.setDirection(
            QBoxLayout.Direction.LeftToRight if is_wide else QBoxLayout.Direction.TopToBottom
        )


_LEFT = 330
_GAP = 8
_FRAMES = 4  # pixels of the card's rule, at both sides


class _Scrolled(Guarded, QScrollArea):
    """As high as its widget where there is room for that; else the widget is scrolled."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widgetResizable=True)
        self._inside = widget
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidget(widget)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        widget.installEventFilter(self)

    def sizeHint(self) -> QSize:
        widget, width = self._inside, self.viewport().width()
        height = widget.heightForWidth(width) if widget.hasHeightForWidth() else widget.sizeHint().height()
        return QSize(super().sizeHint().width(), height)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return super().eventFilter(watched, event)

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
        in_column(_Scrolled(form), form.foot, 1, of=page, margins=0, spacing=0)
        QWidget.setTabOrder(form.fields["every"], form.start)
        self._pages.addWidget(page)
        shown = _Scrolled(state)
        self._pages.addWidget(shown)
        self._bar = shown.verticalScrollBar()
        self.back = named(SignButton("✕"), "corner")
        self.add_corner(self.back)
        look.changed.connect(self._fit)
        self._fit()

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


class TrainingPage(Guarded, QWidget):
    """The form or the progress of a training at the left, curves and watched sentence at the right.

    A click on `back` shows the views of the heads again; the training continues meanwhile.
    """

    def __init__(self, look: Look, training: Training) -> None:
        super().__init__(focusPolicy=Qt.FocusPolicy.ClickFocus)
        self.setObjectName("ground")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._training = training
        self.form = TrainingFormView(training)
        self.state = TrainingStateView(look, training)
        self.runs = TrainingRunsView(look, training)
        self.curves = CurvesView(look, training)
        self.watch = WatchView(look, training)
        self.drops = PageDrops(look, self, self._describe_drop)
        self.drops.dropped.connect(self._on_dropped)
        self.card = _FormCard(look, self.form, self.state)
        self.back = named(self.card.back, "corner", self.tr("Back to the heads (training continues)"))
        self.runs_card = Card(self.tr("What you will see"), self.runs)
        self.recorded = RecordedRunView(look)
        self.watch_card = Card(self.tr("Its heads"), self.watch)
        self._right = QStackedLayout()
        self.watch_card.add_switch(self.watch.head.kinds)
        in_row(self.card, (self._right, 1), of=self, margins=_GAP, spacing=_GAP)
        beginning = QWidget()  # what will be seen, and a run that was recorded
        recorded = Card(self.tr("A recorded training"), self.recorded)
        in_column((self.runs_card, 2), (recorded, 3), of=beginning, margins=0, spacing=_GAP)
        self._right.addWidget(beginning)
        self._right.addWidget(split(Qt.Orientation.Horizontal, _GAP, (self.curves, 9), (self.watch_card, 11)))
        training.changed.connect(self._on_changed)
        self.card.title.setText(self.tr("Train a model"))
        self._on_changed()

    @Slot()
    def _on_changed(self) -> None:
        run = self._training.run
        is_other = self.card.show_page(int(run is not None))
        self._right.setCurrentIndex(int(run is not None and not run.never_began))  # else only empty axes
        # A button with the focus would end the training if the key that began it is pressed again.
        if is_other and self.isVisible():
            self.setFocus()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Accept keys that no field has used: the views behind the page must not react to them."""
        event.accept()

    def _describe_drop(self, paths: list[Path]) -> str:
        """Return what would be done with dragged files; a checkpoint's folder is for the window."""
        names = [path.name for path in paths if path.is_file() or is_dataset(path)]
        return (
            self.tr("Train on {0}").format(", ".join(names)) if names and self._training.run is None else ""
        )

    @Slot(list)
    def _on_dropped(self, paths: list[Path]) -> None:
        names = [str(path) for path in paths if path.is_file() or is_dataset(path)]
        self._training.change(**vars(with_files(self._training.form, names)))
