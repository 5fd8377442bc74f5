"""The view of Steps: its title, reasons and what one may change."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from html import escape

from PySide6.QtCore import QCoreApplication, QEvent, QRectF, QSize, QSizeF, Qt, Slot
from PySide6.QtGui import (
    QFont,
    QFontMetricsF,
    QHideEvent,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QLabel,
    QPushButton,
    QScrollArea,
    QScrollBar,
    QSizePolicy,
    QSlider,
    QStackedLayout,
    QWidget,
)

from bertviz_app.errors import SelectionError
from bertviz_app.features.steps.code import code_block
from bertviz_app.features.steps.drawn import StopMatrices
from bertviz_app.features.steps.reasons import why
from bertviz_app.features.steps.views.code import StepsCode
from bertviz_app.features.steps.views.drawing import DrawnAbove
from bertviz_app.features.steps.views.navigator import Navigator
from bertviz_app.features.steps.views.picture import StepsPicture
from bertviz_app.features.steps.views.sheet import SheetPen
from bertviz_app.features.steps.views.table import COLUMN_OF_STAGE, StepsTable
from bertviz_app.features.steps.walk import RANGE, FollowedQuery, Walk
from bertviz_app.options import PanelPage
from bertviz_app.text.edits import edits_text
from bertviz_app.trace import Trace
from bertviz_app.viewmodels.export import step_numbers, steps_as_python, with_remark
from bertviz_app.viewmodels.heads.pictures import HeadOfRun
from bertviz_app.viewmodels.panel import Panel, StepsForm
from bertviz_app.viewmodels.panels import Rooms
from bertviz_app.viewmodels.parameters import ModelMatrices
from bertviz_app.viewmodels.pointer import Selection
from bertviz_app.viewmodels.runs.shown import Details
from bertviz_app.viewmodels.stages import stops as step_words
from bertviz_app.viewmodels.stages.stage import Traits
from bertviz_app.viewmodels.stages.stops import STAGES, Stop, StopReader, StopTensors, stop_named
from bertviz_app.viewmodels.state import DrawOptions
from bertviz_app.viewmodels.wording import head_change_text, stamp_remark
from bertviz_app.views.kit.canvas import Canvas, Guarded
from bertviz_app.views.kit.card import Elided, Qualifier, Segments
from bertviz_app.views.kit.formula import fitting
from bertviz_app.views.kit.look import LEFT, RIGHT, Look, filled, in_column, in_row, named
from bertviz_app.views.kit.panel_view import ExportedPanel, PanelView
from bertviz_app.views.kit.subject import ExportSubject
from bertviz_app.views.kit.words import fixed, general, language, write_prose

_FORMULA, _SENTENCE, _SHAPES = 40.0, 22.0, 18.0
_TWO_CLOSE_LINES = 35.0
_MARGIN = 12.0


class StepsHead(Canvas):
    """The formula at the left, the shapes at the right, the sentence below if there is height for it."""

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self._tensors: StopTensors | None = None
        self._sentence = ""
        self._lines = 1
        self._is_close = False
        self._has_shapes_below = False
        self.why = named(QPushButton(self), "plain", self.tr("Why there is this stage (Y)"))
        """Shows the reason for the stage."""
        self.why.setCheckable(True)
        self.why.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.place_why()

    def sizeHint(self) -> QSize:
        below = self.look.pixels(_SHAPES) if self._has_shapes_below else 0
        return QSize(300, self.look.pixels(_FORMULA) + below + round(self._room_of_lines))

    def minimumSizeHint(self) -> QSize:
        return QSize(120, self.sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.place_why()

    def set_omits_hints(self, *, omits_hints: bool) -> None:
        """Leave out the button, or show it again: the layout of a saved picture must not bring it back."""
        super().set_omits_hints(omits_hints=omits_hints)
        self.place_why()

    def place_why(self) -> None:
        """Lay the button at the right end of the sentence, if there is one."""
        self.why.setVisible(self._lines > 0 and not self.omits_hints)
        text, arrow = self.tr("Why?"), "▴" if self.why.isChecked() else "▾"
        self.why.setText(f"{text} {arrow}")
        height = self.look.pixels(_SENTENCE)
        width = self.why.sizeHint().width()
        top = self.sizeHint().height() - round((self._room_of_lines - 2 + height) / 2) - 2
        self.why.setGeometry(self.width() - width - 8, top, width, height)

    def show_stop(self, tensors: StopTensors, note: str = "") -> None:
        """Write the title, sentence and formulas of another stop, or of another query at it.

        A `note` stands instead of the sentence.
        """
        self._tensors = tensors
        stage, trace = tensors.stop.stage, tensors.trace
        self._sentence = sentence = note or step_words.sentence(stage, step_words.traits_of(tensors))
        title = step_words.title(stage, trace.tokens.special_names.first, trace.form)
        shapes = step_words.shapes(tensors)
        self.setToolTip(sentence)
        self.setAccessibleName(title)
        self.setAccessibleDescription(f"{sentence} {shapes}")
        self.update()

    def set_lines(self, lines: int, *, are_close: bool = False, has_shapes_below: bool = False) -> None:
        """Give the sentence `lines` lines, two of which may be close: with 0 it is only in the tool tip.

        With `has_shapes_below` the shapes have a line below the formula, which leaves no room beside it.
        """
        chosen = lines, are_close, has_shapes_below
        if chosen != (self._lines, self._is_close, self._has_shapes_below):
            self._lines, self._is_close, self._has_shapes_below = chosen
            self.updateGeometry()
            self.place_why()
            self.update()

    def draw(self, painter: QPainter) -> None:
        tensors = self._tensors
        if tensors is None:
            return
        pen = SheetPen(painter, self.look)
        box = QRectF(_MARGIN, 0, self.width() - 2 * _MARGIN, self.look.pixels(_FORMULA))
        shapes = step_words.shapes(tensors)
        room = QFontMetricsF(self.look.number_font(12)).horizontalAdvance(shapes)
        formulas = step_words.formulas(tensors)
        made = fitting(self.look, formulas, box.width(), 16)
        if not self._has_shapes_below and made.box.width + room + 20 > box.width():
            shorter = fitting(self.look, formulas, max(40.0, box.width() - room - 20), 16)
            made = shorter if shorter.is_full_size else made
        pen.draw_formula(made, box, "text")
        if self._has_shapes_below:
            box = QRectF(box.left(), box.bottom(), box.width(), self.look.pixels(_SHAPES))
            pen.write(shapes, box, self.look.number_font(12), "secondary", LEFT)
        elif made.box.width + room + 20 <= box.width():
            pen.write(shapes, box, self.look.number_font(12), "secondary", RIGHT)
        if self._lines:
            box = QRectF(box.left(), box.bottom(), box.width() - self.why.width(), self._room_of_lines - 2)
            is_one_line = self._lines == 1
            font, text = fitting_sentence(self.look, self._sentence, box.size(), is_one_line=is_one_line)
            if is_one_line:
                pen.write(text, box, font, "secondary", LEFT)
            else:
                pen.prose(text, box, font, "secondary", LEFT)

    @property
    def _room_of_lines(self) -> float:
        pixels = self.look.pixels
        return pixels(_TWO_CLOSE_LINES) if self._is_close else self._lines * pixels(_SENTENCE)


def fitting_sentence(look: Look, sentence: str, room: QSizeF, *, is_one_line: bool) -> tuple[QFont, str]:
    """Return the font and as much of a sentence as fits into `room`: a little smaller, else with an ellipsis.

    It is wrapped at words unless `is_one_line`.
    """
    fonts = [look.font(pixels) for pixels in (13, 12, 11)]
    for font in fonts:
        if _fits(QFontMetricsF(font), sentence, room, is_one_line=is_one_line):
            return font, sentence
    if is_one_line:
        metrics = QFontMetricsF(fonts[0])
        return fonts[0], metrics.elidedText(sentence, Qt.TextElideMode.ElideRight, room.width())
    words = sentence.split()
    metrics = QFontMetricsF(fonts[-1])
    while len(words) > 1 and not _fits(metrics, f"{' '.join(words)} …", room, is_one_line=False):
        words.pop()
    return fonts[-1], f"{' '.join(words)} …"


def _fits(metrics: QFontMetricsF, text: str, room: QSizeF, *, is_one_line: bool) -> bool:
    if is_one_line:
        return metrics.horizontalAdvance(text) <= room.width()
    wrapped = metrics.boundingRect(QRectF(0, 0, room.width(), 10_000), Qt.TextFlag.TextWordWrap.value, text)
    return wrapped.height() <= room.height() and wrapped.width() <= room.width()


_STEPS = 100
"""Of the slider, from the model's own number to either end."""


class DivisorBar(QWidget):
    """Moves the what-if of a walk; it is there at the stop of the softmax alone."""

    def __init__(self, walk: Walk) -> None:
        super().__init__()
        self._walk = walk
        words = self.tr("The number that the products are divided by")
        self.slider = named(QSlider(Qt.Orientation.Horizontal), "", words)
        self.slider.setRange(-_STEPS, _STEPS)
        self.slider.setPageStep(_STEPS // 5)
        self.reset = named(QPushButton(self.tr("Reset")), "plain")
        self.note, self._value = named(QLabel(wordWrap=True), "secondary"), named(QLabel(), "value")
        self._is_omitted = False
        above = in_row(self._value, (self.slider, 1), self.reset)
        in_column(above, self.note, of=self, margins=(12, 2, 12, 2), spacing=0)
        self.slider.valueChanged.connect(lambda step: walk.what_if.try_factor(RANGE ** (step / _STEPS)))
        self.reset.clicked.connect(lambda: self.slider.setValue(0))
        walk.what_if.changed.connect(self._on_offered)
        walk.what_if.offered.connect(self._on_offered)
        walk.shown_changed.connect(self._on_offered)
        self._on_offered()

    def set_omitted(self, *, is_omitted: bool) -> None:
        """Leave it out, as in print; or show it where a what-if is offered."""
        self._is_omitted = is_omitted
        self._on_offered()

    @Slot()
    def _on_offered(self) -> None:
        what_if = self._walk.what_if
        factor = 1.0 if what_if.divisor is None else what_if.divisor / what_if.own
        self.slider.blockSignals(True)
        self.slider.setValue(round(math.log(factor, RANGE) * _STEPS))
        self.slider.blockSignals(False)
        self.setVisible(what_if.is_offered and self._walk.form == "walk" and not self._is_omitted)
        own = fixed(what_if.own, 2)
        self.reset.setEnabled(what_if.divisor is not None)
        self._value.setText(f"÷ {fixed(what_if.divisor or what_if.own, 2)}")
        text = (
            self.tr("What if √{0} = {1} were another number?")
            if what_if.divisor is None
            else self.tr("α' is a what-if. The model's own weights are α: ÷ √{0} = {1}.")
        )
        write_prose(self.note, text.format(what_if.radicand, own))


_NARROWEST = 22


class TitleRow(Guarded, QWidget):
    """Walks by its buttons; `forms` chooses between picture, table and code."""

    def __init__(self, walk: Walk) -> None:
        super().__init__()
        self._walk = walk
        self._is_wide = False
        playing = walk.playing
        self.back = self._button("←", self.tr("Previous step (←)"), lambda: walk.step(-1))
        self.forward = self._button("→", self.tr("Next step (→)"), playing.walk_on)
        words = self.tr("Play the stops one after the other, or pause (space)")
        self.play = self._button("▶", words, playing.turn)
        self.step = self._button("▶|", self.tr("Play the next stop, then pause"), playing.step)
        self.speed = self._button("", self.tr("How fast the stops are played"), playing.next_speed)
        self.title, self._where = named(Elided(), "title"), named(Qualifier(""), "qualifier")
        self.forms = Segments(
            [
                ("walk", self.tr("Walk"), self.tr("Every stage as a picture")),
                ("table", self.tr("Table"), self.tr("query, key, product, weight and value as a table")),
                ("code", self.tr("Code"), self.tr("The lines of PyTorch that compute each stage")),
            ]
        )
        in_row(
            self.back,
            self.forward,
            self.play,
            self.step,
            self.speed,
            self.title,
            (self._where, 1),
            self.forms,
            of=self,
            margins=(8, 4, 8, 0),
            spacing=4,
        )
        playing.changed.connect(self._on_playing_changed)
        self.forms.chosen.connect(walk.show_form)
        self.forms.choose("walk")
        self._on_playing_changed()

    @staticmethod
    def _button(sign: str, words: str, act: Callable[[], None]) -> QPushButton:
        button = named(QPushButton(sign), "plain", words)
        button.setMinimumWidth(_NARROWEST)  # else a style may make a panel wider for it
        button.clicked.connect(lambda: act())
        return button

    def hideEvent(self, event: QHideEvent) -> None:
        """Pause: nobody is watching."""
        self._walk.playing.stop()

    def set_wide(self, *, is_wide: bool, is_narrow: bool = False) -> None:
        """Show the buttons of speed and of a single step at all times, or only while it plays.

        In a narrow row one button with a menu stands for all forms.
        """
        self.forms.set_compact(is_narrow)
        if is_wide != self._is_wide:  # else a picture would show the buttons that are hidden for it
            self._is_wide = is_wide
            self._on_playing_changed()

    @Slot()
    def _on_playing_changed(self) -> None:
        playing = self._walk.playing
        self.play.setText("‖" if playing.is_playing else "▶")
        self.speed.setText(f"{general(playing.speed)}×")
        for button in (self.step, self.speed):
            button.setVisible(self._is_wide or playing.is_playing)

    def show_stop(self, title: str, where: str, *, counts: bool = True) -> None:
        """Show the title of the stop, `where` it is, its layer and head, and the how many-th it is."""
        position, n_stops = self._walk.position, len(self._walk.stops)
        self.title.setText(title)
        count = self.tr("{0} of {1}").format(position + 1, n_stops)
        self._where.setText(f"{where} · {count}" if counts else where)
        self.back.setEnabled(position > 0)
        self.forward.setEnabled(position < n_stops - 1)


_SHARE = 0.4
_LEAST = 64.0
_LAST_LINE = 26.0
_REST = 370.0  # for what stands above, and some rows of the picture


class WhyNote(Guarded, QScrollArea):
    """A text as high as it needs to be, up to a part of the panel's height; what is longer scrolls."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent, widgetResizable=True)
        self._look = look
        label = QLabel(
            wordWrap=True,
            textFormat=Qt.TextFormat.RichText,
            textInteractionFlags=Qt.TextInteractionFlag.TextSelectableByMouse,
            alignment=Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft,
        )
        self.text = named(label, "why")
        self.setWidget(self.text)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.hide()

    def show_reason(self, text: str, example: str) -> None:
        """Show a reason, and below it an example in the numbers of the text on screen."""
        more = f"<p style='margin-top:4px'><i>{escape(example)}</i></p>" if example else ""
        self.text.setText(f"<p style='margin:0'>{escape(text)}</p>{more}")
        self.setAccessibleName(text)
        self.setAccessibleDescription(example)
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        parent = self.parentWidget()
        width = self.width() if parent is None else parent.width()
        room = parent.height() if parent is not None else 400
        needed = self.text.heightForWidth(max(1, width - 2)) + 2
        most = max(self._look.pixels(_LEAST), min(round(_SHARE * room), room - self._look.pixels(_REST)))
        # A last line that is cut in half looks like a defect, and hides the example.
        is_nearly_whole = needed <= most + self._look.pixels(_LAST_LINE)
        return QSize(200, needed if is_nearly_whole else most)

    def minimumSizeHint(self) -> QSize:
        return QSize(100, self.sizeHint().height())


_FORMS: tuple[StepsForm, ...] = ("walk", "table", "code")
"""In the order in which they are on top of each other."""
_SENTENCE_FROM, _CLOSE_LINES_FROM, _TWO_LINES_FROM, _ONE_LINE_FITS = 290, 360, 500, 640
_SHAPES_BELOW = 460
_FORMULA_FROM = 280
_CONTROLS_FROM, _FORMS_FROM = 480, 340
_WRAPS_FROM = 340
_COLUMN_FROM, _COLUMN_HEIGHT_FROM = 660, 440


class StepsView(PanelView):
    """Shows one stop of the walk through the head, as a picture, the textbook's table, or lines of PyTorch.

    `head_requested` tells that one walked into another layer. Left and right walk, up and down choose the
    query, in the code the line; page up and down change the layer.
    """

    def __init__(
        self,
        look: Look,
        selection: Selection,
        details: Details,
        matrices: ModelMatrices | None = None,
        rooms: Rooms | None = None,
        *,
        draws_stops: bool = True,
    ) -> None:
        super().__init__(look)
        self._rooms = rooms
        self.walk = Walk(self)
        self.followed = FollowedQuery(selection, self)
        self._details = details
        self._reader = StopReader(details)
        self._tensors: StopTensors | None = None
        self.title_row = TitleRow(self.walk)
        self.heading = StepsHead(look)
        self.why = WhyNote(look, self)
        self.navigator = Navigator(look, self.walk)
        self.walking = StepsPicture(look, selection, QScrollBar(Qt.Orientation.Vertical))
        self.dimmed = (self.walking,)
        strips = QWidget()
        in_row((self.walking, 1), self.walking.bar, of=strips, margins=0, spacing=0)
        matrices_of_stop = None if matrices is None else StopMatrices(matrices)
        self.drawn = DrawnAbove(look, strips, matrices_of_stop, draws=draws_stops)
        self.table = StepsTable(look)
        self.code = StepsCode(look)
        self.divisor = DivisorBar(self.walk)
        self._is_printed = False
        self._stack = QStackedLayout()
        self._around = QBoxLayout(QBoxLayout.Direction.TopToBottom)  # the navigator, and all else
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        beside = in_column(self.heading, self.why, self.divisor, (self._stack, 1), margins=0)
        filled(self._around, self.navigator, (beside, 1), margins=0)
        in_column(self.title_row, (self._around, 1), of=self, margins=(0, 0, 0, 4), spacing=0)
        table = QWidget()
        in_row(self.table, of=table, margins=(10, 0, 4, 0))
        for page in (self.drawn, table, self.code):
            self._stack.addWidget(page)
        self._connect(details, selection)
        self.setAccessibleName(self.tr("Steps through the encoder"))
        self.refresh()

    def _connect(self, details: Details, selection: Selection) -> None:
        self.walk.shown_changed.connect(self._on_shown_changed)
        self.walk.what_if.changed.connect(self.refresh)
        playing = self.walk.playing
        playing.frame.connect(lambda: self.walking.set_progress(playing.progress))
        playing.frame.connect(lambda: self.drawn.drawing.set_progress(playing.progress))
        self.walking.products_requested.connect(self.walk.turn_products)
        self.heading.why.clicked.connect(self.walk.turn_why)
        self.walk.moved.connect(self._on_moved)
        self.walk.chosen.connect(self.choice_made)
        self.walk.head_requested.connect(self.head_requested)
        self.walking.query_chosen.connect(self.followed.choose)
        self.walking.key_pressed = self._press_in_picture
        self.table.key_pointed.connect(self.followed.point_at)
        self.code.text.stage_chosen.connect(self._on_stage_chosen)
        self.code.text.stage_opened.connect(self._on_stage_chosen)
        self.code.text.stage_opened.connect(lambda _: self.walk.show_form("walk"))
        selection.changed.connect(self._on_selection_changed)
        details.arrived.connect(self.refresh)
        if rooms := self._rooms:
            rooms.store.watch(("room",), self._on_room_changed)
            playing.ends_with_stop = lambda: rooms.is_lesson

    # what is shown

    def go_to(self, page: PanelPage) -> None:
        if page.stage is not None:
            stop = stop_named(page.stage, self.walk.nearest_layer, self.walk.n_layers)
            if stop not in self.walk.stops:
                there = ", ".join(dict.fromkeys(stop.stage for stop in self.walk.stops))
                message, hint = STAGES[page.stage].why_absent or (
                    f"This checkpoint has no stage “{page.stage}”.",
                    f"There are {there}.",
                )
                raise SelectionError(message, hint)
            self.walk.go(stop)
        if page.products and not self.walk.choice.shows_products:
            self.walk.turn_products()

    @property
    def not_drawn(self) -> str:
        return self.walking.message if self.walking.sheet is None else ""

    def show_panel(self, panel: Panel) -> None:
        self.walk.follow(panel)

    def show_head(self, head: HeadOfRun) -> None:
        """Show a head of a run; a difference has no steps."""
        super().show_head(head)
        self.followed.trace = None if head.is_difference else head.trace
        self.walk.follow_head(head.trace, head.layer, head.head)
        self.navigator.refresh()
        self.refresh()

    def notes_for(self, options: DrawOptions) -> tuple[str, str]:
        """Return that Steps show the attention weights of all tokens, where other views do not."""
        remark = stamp_remark(options.stamp)
        words = QCoreApplication.translate(
            "Notes", "Steps are of the attention weights of all tokens, whatever other views show: {0}."
        )
        brief = QCoreApplication.translate("Notes", "Weights of all tokens")
        return (words.format(remark), brief) if remark else ("", "")

    def subject(self, exported: ExportedPanel) -> ExportSubject | None:
        head, panel, options = self.shown_head, exported.panel, exported.options
        if head is None:
            return None
        numbers = partial(step_numbers, head, self._details.get(head.trace, panel.layer))
        python = steps_as_python(panel, exported.runs, head.trace.added)
        return exported.subject(
            self, numbers, with_remark(python, options.stamp), self.notes_for(options)[:1]
        )

    # in print

    lacks_room = False
    """Columns that have no room are named below the rows."""

    @property
    def printed_height(self) -> float:
        """How high it is with all rows in print, its width being what it is."""
        is_walk = self.walk.form == "walk"
        return self.height() + (self.walking.needed_height - self.walking.height() if is_walk else 0)

    def set_printed(self, *, is_printed: bool) -> None:
        """Draw the stop without the navigator and what else is for walking; or as on screen."""
        self._is_printed = is_printed
        self.divisor.set_omitted(is_omitted=is_printed and self.walk.what_if.divisor is None)
        self.walking.omits_links = is_printed
        self._give_room()
        self.refresh()

    @Slot()
    def _on_shown_changed(self) -> None:
        self.title_row.forms.choose(self.walk.form)
        self._stack.setCurrentIndex(_FORMS.index(self.walk.form))
        self.heading.why.setChecked(self.walk.choice.shows_why)
        self.heading.place_why()
        self.walking.show_products(self.walk.choice.shows_products)
        self.refresh()
        self._give_room()

    @property
    def is_waiting(self) -> bool:
        tensors = self._tensors
        is_coming = self.walking.sheet is None and tensors is not None and self._reader.is_coming(tensors)
        return is_coming or self.drawn.is_waiting

    @Slot()
    def refresh(self) -> None:
        """Compute what stands at the stop, and draw it."""
        stop, trace, first = self.walk.shown_stop, self.followed.trace, self.followed.first_name
        title = step_words.title(stop.stage, first, self.walk.layer_form)
        if stop != self.walk.stop:  # the bar marks a stage that the table does not have
            title = self.tr("One query and every key")
        head = 0 if self.shown_head is None else self.shown_head.head
        shares = trace is not None and trace.shares_layers
        where = step_words.where(stop, self.walk.n_layers, head, shares_layers=shares)
        if trace is not None and stop.is_of_a_head:
            note = head_change_text(trace.edits, stop.section, head, self.tr("muted"))
            where += f" · {note}" if note else ""
        self.title_row.show_stop(title, where, counts=not self._is_printed)
        if trace is not None:
            self._show(trace, head)
        elif self.shown_head is not None:
            self.drawn.show_stop(None)
            self.walking.show_message(self.tr("Steps are those of one run: choose A or B for this panel."))

    def _show(self, trace: Trace, head: int) -> None:
        stop, what_if = self.walk.stop, self.walk.what_if
        tensors = self._reader.at(trace, stop, head, self.followed.query)
        what_if.show_stop(stop, trace.radicand)
        weights = what_if.weights(tensors.steps)
        tensors = self._tensors = replace(tensors, what_if=weights, is_step_by_step=self._is_in_learn)
        self.walking.show_stop(tensors, self._reader.message(tensors))
        self.drawn.show_stop(tensors)
        self.walk.playing.is_ready = self.walking.sheet is not None
        shown = replace(tensors, stop=self.walk.shown_stop)
        first, note = self.followed.first_name, ""
        if self.walk.form == "table" and stop.stage not in COLUMN_OF_STAGE:
            title = step_words.title(stop.stage, first, self.walk.layer_form)
            note = self.tr("The table goes from q · k to Z; Walk shows “{0}”.").format(title)
        self.heading.show_stop(shown, note)
        if self.walk.choice.shows_why:
            self.why.show_reason(*why(shown, language()))
        if self.walk.form == "table" and tensors.steps is not None:
            self.table.show_steps(tensors.steps, trace.tokens.labels)
            self.table.interventions = edits_text(trace.edits)
            self.table.mark(self.walk.stop.stage)
        if self.walk.form == "code" and (self.code.text.block is None or not self._reader.is_coming(tensors)):
            block, edits = code_block(tensors), trace.edits
            stages = {stage for line in block.lines for stage in line.stages}
            titles = {stage: step_words.title(stage, first, trace.form) for stage in stages}
            is_changed = bool(edits.muted or edits.heads or edits.cells)
            self.code.show_stop(block, stop.stage, titles, is_changed=is_changed)
        known = None if tensors.details is None else tensors.details.activation
        self.navigator.set_names(Traits(known or self.navigator.traits.activation, trace.form), first)

    # gestures

    def event(self, event: QEvent) -> bool:
        """Let the keys for copying be those of the code while it is shown, not the window's."""
        is_code = event.type() == QEvent.Type.ShortcutOverride and self.walk.form == "code"
        if is_code and isinstance(event, QKeyEvent) and event.matches(QKeySequence.StandardKey.Copy):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self.walk.form == "code" and event.matches(QKeySequence.StandardKey.Copy):
            self.code.text.copy_block()
            return
        walk, n_stops = self.walk, len(self.walk.stops)
        actions: dict[Qt.Key, Callable[[], None]] = {
            Qt.Key.Key_Right: walk.playing.walk_on,
            Qt.Key.Key_Left: lambda: walk.step(-1),
            Qt.Key.Key_Down: lambda: self.step_line(1),
            Qt.Key.Key_Up: lambda: self.step_line(-1),
            Qt.Key.Key_Space: walk.playing.turn,
            Qt.Key.Key_Y: walk.turn_why,
            Qt.Key.Key_Return: self.enter,
            Qt.Key.Key_Enter: self.enter,
            Qt.Key.Key_Home: lambda: walk.step(-n_stops),
            Qt.Key.Key_End: lambda: walk.step(n_stops),
            Qt.Key.Key_PageDown: lambda: walk.step_section(1),
            Qt.Key.Key_PageUp: lambda: walk.step_section(-1),
        }
        action = actions.get(Qt.Key(event.key()))
        if action is None or event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            event.ignore()
        else:
            action()

    @Slot(str)
    def _on_stage_chosen(self, stage: str) -> None:
        self.walk.go(Stop(self.walk.stop.section, stage))

    def step_line(self, count: int) -> None:
        """Go to the next line of code, or token; from the last line to the next part."""
        if self.walk.form != "code":
            self.followed.step(count)
        elif not self.code.text.step_line(count):
            self.walk.step(count)

    def _press_in_picture(self, event: QKeyEvent) -> bool:
        """Leave Enter to the panel while the keys are at nothing in the picture."""
        is_enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if is_enter and self.walking.walked is None:
            self.enter()
            return True
        return False

    def enter(self) -> None:
        """Show the picture of a line of code; in a picture the products of query and key."""
        if self.walk.form == "code":
            self.walk.show_form("walk")
        else:
            self.walk.turn_products()

    @Slot()
    def _on_moved(self) -> None:
        layer, trace = self.walk.layer, self.followed.trace
        if trace is not None and layer is not None and layer < trace.n_layers:
            self._reader.try_again(trace, layer)
        self.refresh()

    @Slot()
    def _on_selection_changed(self) -> None:
        if not self.isVisible():
            return  # it follows the selection again as soon as it is shown
        self.walking.highlight()
        if self._tensors is not None and self._tensors.query != self.followed.query:
            self.refresh()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._on_selection_changed()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._give_room()

    def _on_look_changed(self) -> None:
        super()._on_look_changed()
        self._give_room()

    @property
    def _is_in_learn(self) -> bool:
        return self._rooms is not None and self._rooms.room == "learn"

    @Slot()
    def _on_room_changed(self) -> None:
        self._give_room()
        self.refresh()

    def _give_room(self) -> None:
        """Show above the picture what there is height for; in Learn the map of the model is the navigator."""
        self.navigator.setVisible(not self._is_in_learn and not self._is_printed)
        self.walk.playing.reduces_motion = self.look.reduces_motion
        self.heading.setVisible(self.height() >= self.look.pixels(_FORMULA_FROM))
        self.why.setVisible(self.walk.choice.shows_why)
        self.why.updateGeometry()  # in a higher panel more of it is in sight
        width, height = self.width() / self.look.scale, self.height() / self.look.scale
        self.title_row.set_wide(is_wide=width >= _CONTROLS_FROM, is_narrow=width < _FORMS_FROM)
        has_column = width >= _COLUMN_FROM and height >= _COLUMN_HEIGHT_FROM
        self.navigator.set_form(is_column=has_column, may_wrap=height >= _WRAPS_FROM)
        directions = QBoxLayout.Direction.TopToBottom, QBoxLayout.Direction.LeftToRight
        self._around.setDirection(directions[has_column])
        width -= (
            self.navigator.sizeHint().width() / self.look.scale
            if has_column and not self.navigator.isHidden()
            else 0
        )
        has_shapes_below = width < _SHAPES_BELOW and height >= _TWO_LINES_FROM
        # The size alone decides how many lines the sentence gets, so that nothing jumps on the way.
        has_two = height >= _CLOSE_LINES_FROM and width < _ONE_LINE_FITS
        lines = 0 if height < _SENTENCE_FROM else 2 if has_two else 1
        are_close = lines == 2 and height < _TWO_LINES_FROM
        self.heading.set_lines(lines, are_close=are_close, has_shapes_below=has_shapes_below)
