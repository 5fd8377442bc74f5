"""The first screen: what a head looks at, in an example or in what is typed, the lessons, and examples."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum
from typing import TYPE_CHECKING

from PySide6.QtCore import QEasingCurve, QEvent, QPoint, QPointF, QSize, Qt, QVariantAnimation, Signal, Slot
from PySide6.QtGui import QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import QLabel, QMenu, QPushButton, QSizePolicy, QToolTip, QWidget

from bertviz_app.learning.words import ExampleWords, FirstPicture, Words, first_picture
from bertviz_app.viewmodels.wording import attention_sentence, others_sentence, share_words
from bertviz_app.views.kit.arcs import Arcs, WordArcs, written
from bertviz_app.views.kit.canvas import Canvas
from bertviz_app.views.kit.look import Gap, Look, in_column, in_row, named
from bertviz_app.views.kit.subject import ExportSubject, PictureSheet, picture_alone
from bertviz_app.views.kit.terms import term_at, tip_of
from bertviz_app.views.kit.widgets import ComposingEdit, WrappingRow, scrolled
from bertviz_app.views.kit.words import language, plain, without_mnemonic

if TYPE_CHECKING:
    from bertviz_app.viewmodels.export import Runs

_DRAWN_MS, _MOVED_MS = 900, 160
# A text that needs more lines than there is room for is drawn smaller in such steps, and down to a half.
_SMALLER, _SMALLEST = 1.1, 2.0
_MOVES = {Qt.Key.Key_Left: (0, -1), Qt.Key.Key_Right: (0, 1), Qt.Key.Key_Up: (-1, 0), Qt.Key.Key_Down: (1, 0)}


class HeadRibbons(Canvas):
    """A sentence in large words, and above it what a head lets one of them look at.

    `looked_from(token)`: another token is pointed at, or reached by a key. `chosen`: a click, or Enter.
    """

    looked_from = Signal(int)
    chosen = Signal()
    shows_words = True

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self._picture = FirstPicture("", "", "", 0, 0, 0)
        self.arcs = WordArcs(look)
        self.arcs.is_at_bottom = True
        self._zoom = 1.0
        self.query = 0
        self._from: tuple[float, ...] = ()  # the weights before the change that is being drawn
        self._before = 0
        self._is_new = True
        curve = QEasingCurve(QEasingCurve.Type.OutCubic)
        self._motion = QVariantAnimation(self, startValue=0.0, endValue=1.0, easingCurve=curve)
        self._motion.valueChanged.connect(self.update)
        self._motion.finished.connect(self._on_drawn)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def sizeHint(self) -> QSize:
        return QSize(self.look.pixels(900), self.look.pixels(330))

    def minimumSizeHint(self) -> QSize:
        return QSize(self.look.pixels(480), self.look.pixels(180))

    def show_picture(self, picture: FirstPicture) -> None:
        """Draw the ribbons of a sentence: of an example they grow, of what is typed they are there at once.

        Those of another head in the same sentence come from where the ribbons are.
        """
        if picture.tokens == self._picture.tokens:
            self._from, self._before, self._is_new = self._shown(), self.query, False
            duration = _MOVED_MS
        else:
            self._from, self._before, self._is_new = picture.weights[picture.query], picture.query, True
            duration = _DRAWN_MS if picture.example else 0
            self.arcs.show_words(picture.tokens, special=frozenset(picture.special))
        self._picture, self.query = picture, picture.query
        self._fit()
        self._run(duration)
        self.looked_from.emit(self.query)

    def look_from(self, token: int) -> None:
        """Show what another token looks at."""
        if token == self.query or not 0 <= token < len(self._picture.tokens):
            return
        self._from, self._before, self.query = self._shown(), self.query, token
        self._is_new = False
        self._run(_MOVED_MS)
        self.looked_from.emit(token)

    def _run(self, duration: int) -> None:
        self._motion.stop()
        self._motion.setDuration(0 if self.look.reduces_motion else duration)
        self._motion.start()
        self.update()

    def event(self, event: QEvent) -> bool:
        """Show the tool tip of a special token above the words: below them is the sentence about it."""
        if event.type() != QEvent.Type.ToolTip or not isinstance(event, QHelpEvent):
            return bool(super().event(event))
        term = term_at(event.globalPos(), self, is_hover=True)
        at = self.mapToGlobal(QPoint(event.pos().x(), 0))
        QToolTip.showText(at, tip_of(term) if term else "", self)
        return True

    @Slot()
    def _on_drawn(self) -> None:
        self._is_new = False
        self.update()

    @property
    def _progress(self) -> float:
        is_running = self._motion.state() == QVariantAnimation.State.Running
        return float(self._motion.currentValue()) if is_running else 1.0

    def _shown(self) -> tuple[float, ...]:
        """Return the weights as they are drawn now, on their way from one token's to another's."""
        done, row = self._progress, self._picture.weights[self.query]
        if self._is_new:
            return row
        return tuple(old + (new - old) * done for old, new in zip(self._from, row, strict=True))

    def _fit(self) -> None:
        self._zoom = 1.0
        self.arcs.fit(self.width(), self.height())
        while self.arcs.height > self.height() * self._zoom and self._zoom < _SMALLEST:
            self._zoom *= _SMALLER
            self.arcs.fit(self.width() * self._zoom, self.height() * self._zoom)
        self.update()

    def word_at(self, at: QPointF) -> int | None:
        return self.arcs.word_at(at * self._zoom)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._fit()

    def _on_look_changed(self) -> None:
        super()._on_look_changed()
        self._fit()

    def draw(self, painter: QPainter) -> None:
        if not self._picture.tokens:
            return
        painter.scale(1 / self._zoom, 1 / self._zoom)
        done, colour, weights = self._progress, self.look.colour("accent"), self._picture.weights[self.query]
        numbers = Arcs(weights, colour, texts=[share_words(weight) for weight in weights])
        old, new = self.arcs.anchor(self._before), self.arcs.anchor(self.query)
        start = new if self._is_new else old + (new - old) * done
        arcs, done = (Arcs(self._shown(), colour),), done if self._is_new else 1.0
        self.arcs.draw(painter, arcs, self.query, start=start, done=done, numbers=numbers)

    # gestures

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        token = self.word_at(event.position())
        self.setCursor(Qt.CursorShape.ArrowCursor if token is None else Qt.CursorShape.PointingHandCursor)
        if token is not None:
            self.look_from(token)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self.word_at(event.position()) is not None:
            self.chosen.emit()

    def leaveEvent(self, event: QEvent) -> None:
        self.look_from(self._picture.query)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        if key in _MOVES:
            self.look_from(self.arcs.beside(self.query, *_MOVES[key]))
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.chosen.emit()
        else:
            event.ignore()


_LONGEST_LAST = 90  # characters: two lines
_MOST_OWN = 3
_MOST_EXAMPLES = 4


class StartPage(QWidget):
    """Shown until there is a first result. `example_chosen` carries the index of an example.

    `typed(text)`: the user's own sentence became another one, `text_entered(text)`: it is to be opened. A
    click on `first` opens the first lesson, one on `lessons` their list, and one on `last` the text that was
    shown last.
    """

    example_chosen = Signal(int)
    typed = Signal(str)
    text_entered = Signal(str)
    own_chosen = Signal(int)

    def __init__(self, look: Look, examples: Sequence[ExampleWords]) -> None:
        super().__init__()
        self._examples = examples
        self.picture = first_picture(language())
        self._remark = ""
        self._last_text = self._model = ""
        self._own_words: Sequence[tuple[Words, Words]] = ()
        about = self.tr(
            "BERT is a model that reads text. It cuts the text into tokens, words or pieces of words, "
            "and in each of its “heads” every token looks at the others. This is what one head does:"
        )
        self._about = named(QLabel(about, alignment=Qt.AlignmentFlag.AlignCenter, wordWrap=True), "story")
        self.ribbons = HeadRibbons(look)
        self.sentence = named(QLabel(alignment=Qt.AlignmentFlag.AlignCenter, wordWrap=True), "moment")
        self._compared = named(QLabel(alignment=Qt.AlignmentFlag.AlignCenter, wordWrap=True), "story")
        self._source = named(QLabel(alignment=Qt.AlignmentFlag.AlignCenter, wordWrap=True), "secondary")
        self.first = named(QPushButton(self.tr("Start the first lesson · 8 minutes")), "start")
        self.lessons = named(QPushButton(self.tr("All lessons")), "link")
        self.last = named(QPushButton(), "link")
        field = ComposingEdit(self.tr("Type a sentence of your own, and watch"))
        self.field = named(field, "own", title=self.tr("A sentence of your own"))
        self.enter = QPushButton(self.tr("Look inside"))
        self.buttons = [QPushButton() for _ in examples[:_MOST_EXAMPLES]]
        self.more = QPushButton(self.tr("More examples"))
        self.own = [QPushButton() for _ in range(_MOST_OWN)]
        self._brief = named(QLabel(alignment=Qt.AlignmentFlag.AlignCenter, wordWrap=True), "headline")
        self._lay_out()
        for index, button in enumerate(self.buttons):
            button.clicked.connect(lambda _=False, index=index: self.example_chosen.emit(index))
        for index, button in enumerate(self.own):
            button.clicked.connect(lambda _=False, index=index: self.own_chosen.emit(index))
        self.ribbons.looked_from.connect(self._on_looked_from)
        self.ribbons.chosen.connect(self._on_picture_chosen)
        self.field.read.connect(lambda text: self.typed.emit(text.strip()))
        for entered in (self.field.returnPressed, self.enter.clicked):
            entered.connect(self._on_entered)
        self._write()
        self.ribbons.show_picture(self.picture)

    def _lay_out(self) -> None:
        for button in (self.last, *self.own):
            button.hide()
        self.more.setMenu(QMenu(self.more))
        ways = WrappingRow((self.first, self.lessons, self.last), is_centred=True)
        chips = WrappingRow((*self.own, *self.buttons, self.more), is_centred=True)
        self._offers = QWidget()
        own = in_row(1, (self.field, 4), self.enter, 1, spacing=8)
        words = (Gap(14), self.sentence, Gap(2), self._compared, Gap(6), self._source)
        offers = (Gap(22), own, Gap(18), ways, Gap(14), chips)
        parts = (1, self._about, Gap(4), (self.ribbons, 16), *words, *offers, 1)
        in_column(*parts, of=self._offers, margins=(24, 16, 24, 20), spacing=0)
        content = QWidget()
        in_column(self._offers, self._brief, of=content, margins=0)
        in_column(scrolled(content), of=self, margins=0)  # a small window has no room for large text
        self._brief.hide()

    def offer_lessons(self, *, are_there: bool) -> None:
        """Offer the lessons and the examples, which are of the room of lessons, or leave them out."""
        for button in (self.first, self.lessons, *self.buttons, self.more):
            button.setVisible(are_there)

    def show_model(self, name: str) -> None:
        """Say, too, that the picture is of another model than the one that is open."""
        if name != self._model:
            self._model = name
            self._write()

    def show_picture(self, picture: FirstPicture | None = None) -> None:
        """Draw what a head does with the sentence that is typed; None: with the one of the program."""
        self._remark = ""
        self.picture = first_picture(language()) if picture is None else picture
        self._write()
        self.ribbons.show_picture(self.picture)

    def show_remark(self, words: str) -> None:
        """Say why the picture is not that of what is typed."""
        self._remark = words
        self._write()

    def offer_last(self, text: str) -> None:
        """Offer to go on with the text shown last, of a long one its beginning; "": there is none."""
        self._last_text, beginning = text, text[: _LONGEST_LAST + 1]
        if len(text) > _LONGEST_LAST:  # its first words, or of a word that is a line long its first letters
            words, _, _ = beginning.rpartition(" ")
            first = words if len(words) > _LONGEST_LAST // 2 else beginning[:-1]
            self._last_text = f"{first.rstrip()} …"
        self._write()
        self.last.setVisible(bool(text))

    def subject(self, runs: Runs | None) -> ExportSubject | None:
        if self._offers.isHidden():
            return None
        sheet = PictureSheet(self.sentence.text(), (self._compared.text(), self._model_words()))
        return picture_alone(self.ribbons, "attention", sheet)

    def set_brief(self, is_brief: bool, *, is_coming: bool = False) -> None:
        """Ask for a sentence and offer nothing else, as where a lesson is open.

        `is_coming`: there is one already, and its numbers are on their way.
        """
        waits = self.tr("One moment: the model is being opened …")
        self._brief.setText(waits if is_coming else self.tr("Type a sentence above"))
        self._offers.setVisible(not is_brief)
        self._brief.setVisible(is_brief)

    def offer_own(self, lessons: Sequence[tuple[Words, Words]]) -> None:
        """Offer the user's own lessons by title and summary; of many the first ones, the list has all."""
        self._own_words = lessons[:_MOST_OWN]
        self._write()
        for index, button in enumerate(self.own):
            button.setVisible(index < len(self._own_words))
            button.setEnabled(index < len(self._own_words))  # what is hidden with a page can keep the focus

    def _write(self) -> None:
        now = language()
        self.last.setText(self.tr("Continue: {0}").format(self._last_text))
        for button, (lesson, summary) in zip(self.own, self._own_words, strict=False):
            name = self.tr("Own lesson: {0}").format(lesson.in_language(now))
            _write_button(button, name, summary.in_language(now))
        for button, example in zip(self.buttons, self._examples, strict=False):
            _write_button(button, example.title.in_language(now), _about(example, now))
        menu = self.more.menu()
        menu.clear()
        menu.setToolTipsVisible(True)
        for index, example in enumerate(self._examples[_MOST_EXAMPLES:], _MOST_EXAMPLES):
            action = menu.addAction(without_mnemonic(example.title.in_language(now)))
            action.setToolTip(plain(_about(example, now)))
            action.triggered.connect(lambda _=False, index=index: self.example_chosen.emit(index))
        words = self._model_words() + " " + self.tr("Point at another word, or click to go inside.")
        if self._model not in ("", self.picture.model):
            words += " " + self.tr("The model that is open, {0}, has other heads.").format(self._model)
        self._source.setText(self._remark or words)

    def _model_words(self) -> str:
        picture = self.picture
        words = self.tr("Real weights of {0}: layer {1}, head {2}.")
        return words.format(picture.model, picture.layer, picture.head)

    @Slot(int)
    def _on_looked_from(self, token: int) -> None:
        """Say in one sentence what is drawn, and in another one what it is compared with."""
        row, tokens, most = self.picture.weights[token], self.picture.tokens, self.picture.key
        if most is None or token != self.picture.query:
            most = max(range(len(row)), key=row.__getitem__)
        query, key = written(tokens[token]), written(tokens[most])
        of_others = [line[most] for line in self.picture.weights if line is not row]
        compares = self.picture.sees_all and bool(of_others)
        self.sentence.setText(attention_sentence(query, key, row[most], is_itself=most == token))
        self._compared.setText(others_sentence(fsum(of_others) / len(of_others)) if compares else "")
        self.ribbons.setAccessibleName(f"{self.sentence.text()} {self._compared.text()}")
        keys = self.tr("Left and Right: another word. Enter: go inside.")
        self.ribbons.setAccessibleDescription(f"{self.picture.text}. {keys}")

    @Slot()
    def _on_picture_chosen(self) -> None:
        keys = [example.key for example in self._examples]
        if self.picture.example in keys and not self.lessons.isHidden():
            self.example_chosen.emit(keys.index(self.picture.example))
        elif self.picture.example:  # without the room that has the examples, the sentence alone
            self.text_entered.emit(self.picture.text)
        else:
            self._on_entered()

    @Slot()
    def _on_entered(self) -> None:
        text = self.field.text().strip()
        if text:
            self.text_entered.emit(text)
        else:
            self.field.setFocus()


def _about(example: ExampleWords, now: str) -> str:
    """Return the texts of an example, and what to look for in them."""
    texts = "  |  ".join(text.in_language(now) for text in example.texts)
    return f"{texts}\n{example.ask.in_language(now)}".strip()


def _write_button(button: QPushButton, name: str, about: str) -> None:
    button.setText(name.replace("&", "&&"))
    button.setToolTip(plain(about))
    button.setAccessibleName(name)  # its description is the tooltip
