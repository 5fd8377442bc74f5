"""What only teachers have: the form that makes a station, a window of notes, and the black screen."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, get_args

from PySide6.QtCore import QEvent, QObject, QSignalBlocker, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent, QKeySequence, QMouseEvent, QPainter, QShortcut
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QDialog,
    QFormLayout,
    QFrame,
    QLabel,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPlainTextEdit,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QTabWidget,
    QWidget,
)
from shiboken6 import isValid

from bertviz_app.errors import Message
from bertviz_app.features.lessons.course.lesson import Lesson, Scene, View
from bertviz_app.features.lessons.course.reading import (
    Json,
    Question,
    Value,
    question_of,
    rules_of,
    station_rules,
    texts_of,
)
from bertviz_app.features.lessons.course.tasks import QuantityInputs, VoteTask
from bertviz_app.features.lessons.state.player import analysed_tokens, predicted_classes
from bertviz_app.features.lessons.state.scenes import name_of
from bertviz_app.values import dataclass
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.panel import PANEL_KINDS, Content
from bertviz_app.viewmodels.stages import stops as stop_words
from bertviz_app.viewmodels.stages.stage import Architecture
from bertviz_app.viewmodels.stages.stops import all_stops
from bertviz_app.viewmodels.wording import content_title, translated
from bertviz_app.views.kit.canvas import Canvas
from bertviz_app.views.kit.look import Look, in_column, in_row, named
from bertviz_app.views.kit.widgets import show_words
from bertviz_app.views.kit.words import language, write_prose
from bertviz_app.views.overview.heads_table import measure_words

_OF_SOME_RUNS: tuple[Value, ...] = ("analysis", "class")
"""Values that are chosen, and that not every run has."""
_KINDS = {
    "kept": Message("As it is in the file"),
    "none": Message("None: the station is only read"),
    "choice": Message("Choose an answer"),
    "vote": Message("Vote: the class chooses, you reveal the answer"),
    "order": Message("Put in order"),
    "numbers": Message("Type numbers"),
    "token": Message("Click a token"),
    "head": Message("Find a head"),
    "do": Message("Do something in the window"),
}
"""Kinds of questions, as the list of them has them."""
_TYPED = {
    "text": Message("a word"),
    "number": Message("a whole number, such as 12"),
    "numbers": Message("the right numbers, such as 0.45 0.33 0.22"),
}
"""What is to be typed as a value, by the kind of the value."""
Choices = Mapping[Value, Mapping[str, str]]
"""What the lists of values offer, key -> words: of the run on screen. What is not there is typed."""


def value_choices(app_state: AppState, scene: Scene) -> Choices:
    """Return what the values of a question about `scene` are chosen from; nothing without a result.

    Of the classes of the model the one that it predicts is left out: its task would be done already.
    """
    shown = app_state.workspace.shown
    if shown is None:
        return {}
    trace = shown.result.trace
    run = QuantityInputs(trace)
    names = (name_of(run, position) for position in range(trace.n_tokens))
    stages = dict.fromkeys(stop.stage for stop in all_stops(Architecture.of(trace)))
    measures = measure_words(shown.overview.special_names)
    return {
        "token": {name: name for name in names if name is not None},
        "measure": {key: each.title for key, each in measures.items()},
        "view": {key: translated(PANEL_KINDS[key].title) for key in get_args(View)},
        "stage": {key: stop_words.title(key, trace.tokens.labels[0], trace.form) for key in stages},
        "analysis": {key: content_title(Content(key)) for key in analysed_tokens(app_state, scene)},
        "class": {name: name for name in predicted_classes(app_state)[1:]},
    }


@dataclass(frozen=True)
class FormContent:
    """What the form is about.

    `scenes`: what the station can show, by a key, in words and as a scene; the first is chosen at first.
    `left_out`: sentences on what is on screen but is not in the station. `lessons`: title and file of those
    that it can be added to. `choices`: what values can be chosen of. `station`: the one that is to be
    changed, as its file has it; None for a new one.
    """

    scenes: Mapping[str, tuple[str, Scene]]
    left_out: Sequence[str]
    lessons: Sequence[tuple[str, Path]]
    choices: Choices
    station: Json | None = None


class QuestionRows(QObject):
    """Three rows of a form, of which those are shown that the kind of the task needs.

    `changed`: another question was chosen.
    """

    changed = Signal()

    def __init__(self, content: FormContent, form: QFormLayout) -> None:
        super().__init__(form)
        self._scene = next(iter(content.scenes.values()))[1]
        self._choices = content.choices
        self._form = form
        self.kinds, self.rules, self.values = QComboBox(), QComboBox(), QComboBox()
        for name, box in (
            (self.tr("Question"), self.kinds),
            (self.tr("Asks for"), self.rules),
            (self.tr("Value"), self.values),
        ):
            box.setAccessibleName(name)
            form.addRow(name, box)
        self._has_kept = content.station is not None and "task" in content.station
        self.kinds.currentIndexChanged.connect(self._on_kind_chosen)
        self.rules.currentIndexChanged.connect(self._on_rule_chosen)
        self.values.currentTextChanged.connect(self.changed)
        self.ask_about(self._scene)
        if content.station is not None:
            self.choose(question_of(content.station, self._scene))

    def ask_about(self, scene: Scene) -> None:
        """Offer what can be asked about a scene; the question stays where it still can be."""
        self._scene, before = scene, self.question if self.kinds.count() else None
        with QSignalBlocker(self.kinds):
            self.kinds.clear()
            for kind, words in _KINDS.items():
                if rules_of(kind, scene) and (kind != "kept" or self._has_kept):
                    self.kinds.addItem(translated(words), kind)
            self.kinds.setCurrentIndex(self.kinds.findData("none"))
        self._on_kind_chosen()
        if before is not None:
            self.choose(before)

    def choose(self, question: Question) -> None:
        """Choose a question, as far as it is offered."""
        for box, key in ((self.kinds, question.kind), (self.rules, question.rule)):
            box.setCurrentIndex(max(0, box.findData(key)))
        if self.values.isEditable():
            self.values.setEditText(question.value)
        elif (index := self.values.findData(question.value)) >= 0:
            self.values.setCurrentIndex(index)

    @property
    def question(self) -> Question:
        data = self.values.currentData()
        value = self.values.currentText().strip() if data is None or self.values.isEditable() else str(data)
        kind, rule = str(self.kinds.currentData()), str(self.rules.currentData())
        return Question(kind, rule, value if station_rules()[kind][rule].value else "")

    @Slot()
    def _on_kind_chosen(self) -> None:
        kind = str(self.kinds.currentData())
        with QSignalBlocker(self.rules):
            self.rules.clear()
            for name in rules_of(kind, self._scene):
                rule = station_rules()[kind][name]
                if rule.value not in _OF_SOME_RUNS or self._choices.get(rule.value):
                    self.rules.addItem(rule.words_in(language(), self._scene), name)
        self._form.setRowVisible(self.rules, len(station_rules()[kind]) > 1)
        self._on_rule_chosen()

    @Slot()
    def _on_rule_chosen(self) -> None:
        value = station_rules()[str(self.kinds.currentData())][str(self.rules.currentData())].value
        choices = self._choices.get(value, {})
        with QSignalBlocker(self.values):
            self.values.clear()
            self.values.setEditable(not choices)
            for key, words in choices.items():
                self.values.addItem(words, key)
            pinned = self._scene.key or self._scene.query or ""
            if value == "token" and pinned in choices:
                self.values.setCurrentIndex(list(choices).index(pinned))
        self._form.setRowVisible(self.values, bool(value))
        if field := self.values.lineEdit():
            field.setPlaceholderText(translated(_TYPED.get(value, "")))
        self.changed.emit()


_NAMES = {"en": "English", "ko": "한국어"}
_FIELDS = {
    "lesson": Message("Title of the lesson"),
    "title": Message("Title"),
    "text": Message("Explanation"),
    "ask": Message("Task"),
    "options": Message("Answers, one a line, the right one first"),
    "hint": Message("Hint"),
    "why": Message("Why the answer is right"),
    "notes": Message("Notes for the teacher"),
}
_LONG = {"text": 4, "options": 3, "notes": 2}
"""Lines of the fields that have several."""


@dataclass(frozen=True)
class StationWords:
    """What was written, by the names of the fields, in each language; `path` None for a new lesson.

    `shows` is the key of the scene that was chosen.
    """

    path: Path | None
    shows: str
    question: Question
    texts: dict[str, dict[str, str]]

    def words(self, name: str) -> dict[str, str]:
        """Return one text in both languages; the one that was left empty is the same as the other."""
        found = {key: fields[name].strip() for key, fields in self.texts.items()}
        first = next((text for text in found.values() if text), "")
        return {key: text or first for key, text in found.items()}


class StationPreview(QFrame):
    """A station as it will be on the card of its lesson."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("card")
        self.lesson, self.ask = named(QLabel(wordWrap=True), "secondary"), QLabel(wordWrap=True)
        self.title, self.text = named(QLabel(wordWrap=True), "headline"), QLabel(wordWrap=True)
        self.task = named(QFrame(), "task")
        in_column(self.ask, of=self.task, margins=(12, 10, 12, 10))
        in_column(
            self.lesson, self.title, self.text, self.task, 1, of=self, margins=(16, 14, 16, 14), spacing=10
        )
        for label in (self.lesson, self.title, self.ask):
            label.setTextFormat(Qt.TextFormat.PlainText)

    def show_station(self, lesson: str, texts: dict[str, str], *, has_task: bool) -> None:
        """Show the texts, by the names of their fields; what is not written yet is named."""
        self.lesson.setText(lesson)
        self.title.setText(texts["title"] or self.tr("Title"))
        write_prose(self.text, texts["text"] or self.tr("Explanation"))
        options = [f"○  {line.strip()}" for line in texts["options"].splitlines() if line.strip()]
        self.ask.setText("\n".join([texts["ask"], *options]))
        self.task.setVisible(has_task)


class StationForm(QDialog):
    """`save_requested(StationWords)`: write the station; `show_problem` says why that failed."""

    save_requested = Signal(object)

    def __init__(self, look: Look, content: FormContent, parent: QWidget) -> None:
        super().__init__(parent)
        station = content.station
        is_new = station is None
        self.setWindowTitle(
            self.tr("Create a lesson page from this view") if is_new else self.tr("Change a station")
        )
        self._scenes = content.scenes
        self.lessons = named(QComboBox(), title=self.tr("Lesson"))
        self.shows, self._top = named(QComboBox(), title=self.tr("Shows")), QFormLayout()
        self._suggested: set[str] = set()
        self.tabs = QTabWidget()
        self.fields: dict[str, dict[str, Any]] = {}
        self._forms: dict[str, QFormLayout] = {}
        self.problem = named(QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText), "remark")
        self.save = named(QPushButton(self.tr("Write the station")), "primary")
        self.cancel = QPushButton(self.tr("Cancel"))
        self.preview = StationPreview()
        if is_new:
            self.lessons.addItem(self.tr("A new lesson"), None)
        for title, path in content.lessons:
            self.lessons.addItem(title, str(path))
        self.lessons.setCurrentIndex(1 if is_new and content.lessons else 0)
        self.lessons.setEnabled(is_new)
        self._top.addRow(self.tr("Lesson"), self.lessons)
        for key, (words, _) in content.scenes.items():
            self.shows.addItem(words, key)
        self._top.addRow(self.tr("Shows"), self.shows)
        self.rows = QuestionRows(content, self._top)
        self._lay_out(content.left_out)
        for key, texts in texts_of(station).items() if station is not None else ():
            for name, text in texts.items():
                _write(self.fields[key][name], text)
        self.shows.currentIndexChanged.connect(lambda: self.rows.ask_about(self._scene))
        self.lessons.currentIndexChanged.connect(self._on_chosen)
        self.rows.changed.connect(self._on_chosen)
        self.save.clicked.connect(self._on_save)
        self.cancel.clicked.connect(self.reject)
        self.tabs.currentChanged.connect(self._show_preview)
        for fields in self.fields.values():
            for field in fields.values():
                field.textChanged.connect(self._show_preview)
        self._on_chosen()
        self.resize(min(look.pixels(960), parent.width() - 20), min(look.pixels(620), parent.height() - 20))

    def _lay_out(self, left_out: Sequence[str]) -> None:
        now = language()
        for key in sorted(_NAMES, key=lambda each: each != now):
            page = QWidget()
            form = self._forms[key] = QFormLayout(page)
            self.fields[key] = {name: _field(name) for name in _FIELDS}
            for name, field in self.fields[key].items():
                form.addRow(translated(_FIELDS[name]), field)
            self.tabs.addTab(page, _NAMES[key])
        note = named(QLabel(" ".join(left_out), wordWrap=True), "secondary")
        note.setVisible(bool(left_out))
        words = self.tr("Leave one language empty to use the texts of the other.")
        tip = named(QLabel(words, wordWrap=True), "secondary")
        self.problem.hide()
        self.tabs.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        beside = in_row(
            (in_column(self._top, note, self.tabs, tip, 1, spacing=12), 3), (self.preview, 2), spacing=20
        )
        foot = in_row((self.problem, 100), 1, self.cancel, self.save)
        in_column((beside, 1), foot, of=self, margins=(20, 18, 20, 16), spacing=16)

    @property
    def _scene(self) -> Scene:
        return self._scenes[self.shows.currentData()][1]

    @property
    def words(self) -> StationWords:
        """What is written now."""
        path = self.lessons.currentData()
        texts = {
            key: {
                name: field.text() if isinstance(field, QLineEdit) else field.toPlainText()
                for name, field in fields.items()
            }
            for key, fields in self.fields.items()
        }
        path = None if path is None else Path(path)
        return StationWords(path, self.shows.currentData(), self.rows.question, texts)

    def show_problem(self, words: str) -> None:
        """Show why the station could not be written."""
        show_words(self.problem, words)

    @Slot()
    def _on_chosen(self) -> None:
        """Show the fields that are needed, and suggest how to ask."""
        question = self.rows.question
        hidden = set() if self.lessons.currentData() is None else {"lesson"}
        if question.kind == "none":
            hidden |= {"ask", "options", "hint", "why"}
        elif question.kind not in ("choice", "vote", "order"):
            hidden |= {"options"}
        rule, before = station_rules()[question.kind][question.rule], self._suggested
        suggested = {key: rule.suggestion(self._scene, question.value, key) for key in _NAMES}
        self._suggested = set(suggested.values())
        is_order = question.kind == "order"
        options = self.tr("Items in their order, one a line") if is_order else translated(_FIELDS["options"])
        for key, form in self._forms.items():
            for name, field in self.fields[key].items():
                form.setRowVisible(field, name not in hidden)
            label = form.labelForField(self.fields[key]["options"])
            if isinstance(label, QLabel):
                label.setText(options)
            ask = self.fields[key]["ask"]
            if ask.text() in {"", *before}:
                _write(ask, suggested[key])
        self._show_preview()

    @Slot()
    def _show_preview(self) -> None:
        """Show the station as it will be, in the language of the tab; an empty one has the other's texts."""
        words, shown = self.words, list(self._forms)[self.tabs.currentIndex()]
        chosen = {name: words.texts[shown][name].strip() or words.words(name)[shown] for name in _FIELDS}
        lesson = chosen["lesson"] if words.path is None else self.lessons.currentText()
        self.preview.show_station(lesson, chosen, has_task=words.question.kind != "none")

    @Slot()
    def _on_save(self) -> None:
        """Ask for the station to be written, or name what is needed and empty in both languages."""
        words = self.words
        question, (key, form) = words.question, next(iter(self._forms.items()))
        needs_value = station_rules()[question.kind][question.rule].value and not question.value
        empty = [self.tr("Value")] if needs_value else []
        empty += [
            translated(_FIELDS[name])
            for name, field in self.fields[key].items()
            if form.isRowVisible(field) and name != "notes" and not words.words(name)[key]
        ]
        if empty:
            self.show_problem(self.tr("Still empty: {0}.").format(", ".join(empty)))
        else:
            self.save_requested.emit(words)


def _field(name: str) -> QLineEdit | QPlainTextEdit:
    title = translated(_FIELDS[name])
    if name not in _LONG:
        return named(QLineEdit(), "entry", title=title)
    field = named(QPlainTextEdit(tabChangesFocus=True), "entry", title=title)
    field.setFixedHeight(field.fontMetrics().lineSpacing() * _LONG[name] + 14)
    return field


def _write(field: QLineEdit | QPlainTextEdit, text: str) -> None:
    if isinstance(field, QLineEdit):
        field.setText(text)
        field.setCursorPosition(0)  # so that its beginning is seen, not its end
    else:
        field.setPlainText(text)


_KEYS = {
    "next": ("PgDown",),
    "back": ("PgUp",),
    "black": ("B", "."),
    "presentation": ("F11", "F5", "Shift+F5"),
    "reveal": ("Shift+R",),
}


class TeacherWindow(QDialog):
    """A window of its own, for another screen than the one that the class sees. Escape closes it."""

    station_chosen = Signal(int)

    def __init__(
        self,
        look: Look,
        parent: QWidget,
        orders: Mapping[str, Callable[[], None]],
        keys: Mapping[str, Callable[[], None]] = MappingProxyType({}),
    ) -> None:
        """`orders`: what "next", "back", "black" and "reveal" do, by button or key, "presentation" by key.

        `keys`: what other keys do.
        """
        super().__init__(parent)
        self.setWindowFlag(Qt.WindowType.WindowMaximizeButtonHint)
        self.stations = named(QListWidget(), title=self.tr("Stations of the lesson"))
        self.notes = _text("")
        self._task, self._answer = _text("secondary"), _text("")
        self._next_title = named(QLabel(wordWrap=True), "secondary")
        self._task_title = named(QLabel(self.tr("Task and answer")), "title")
        self.buttons = {
            "reveal": QPushButton(self.tr("Reveal the answer"), autoDefault=False),
            "black": QPushButton(self.tr("Black screen"), autoDefault=False),
            "back": QPushButton(self.tr("Back"), autoDefault=False),
            "next": QPushButton(autoDefault=False),
        }
        self.buttons["black"].setToolTip(self.tr("Nothing to look at, until a key is pressed (B)"))
        self.buttons["reveal"].setToolTip(self.tr("Show the class which answer is right (Shift+R)"))
        self.buttons["back"].setToolTip(self.tr("The station before (Page Up)"))
        page = named(QWidget(), "clear")
        notes_title = named(QLabel(self.tr("Teacher's notes")), "title")
        task = self._task_title, self._task, self._answer
        in_column(notes_title, self.notes, *task, 1, of=page, spacing=8)
        area = QScrollArea(widgetResizable=True)
        area.setFrameShape(QScrollArea.Shape.NoFrame)
        area.setWidget(page)
        body = in_row((in_column(self.stations), 2), (area, 3))
        foot = in_row((self._next_title, 1), *self.buttons.values())
        in_column((body, 1), foot, of=self, margins=(16, 16, 16, 12))
        self.stations.currentRowChanged.connect(self.station_chosen)
        for name, order in orders.items():
            if name in self.buttons:
                self.buttons[name].clicked.connect(order)
            for key in _KEYS[name]:
                QShortcut(QKeySequence(key), self).activated.connect(order)
        for key, run in keys.items():
            QShortcut(QKeySequence(key), self).activated.connect(run)
        self.resize(look.pixels(760), look.pixels(460))

    def show_station(
        self, lesson: Lesson, index: int, done: Sequence[bool], answer: str, hands: Sequence[int] = ()
    ) -> None:
        """Show the notes and the answer of a station; `done` tells of each whether it is done.

        `hands` were counted for the options of a vote.
        """
        now, station = language(), lesson.stations[index]
        self.setWindowTitle(self.tr("{0} · for the teacher").format(lesson.title.in_language(now)))
        with QSignalBlocker(self.stations):
            self.stations.clear()
            for number, (each, is_done) in enumerate(zip(lesson.stations, done, strict=True)):
                tick = "✓" if is_done else "  "
                QListWidgetItem(f"{number + 1}  {tick}  {each.title.in_language(now)}", self.stations)
            self.stations.setCurrentRow(index)
        none = self.tr("This station has no notes.")
        self.notes.setText(station.notes.in_language(now) if station.notes is not None else none)
        task = station.task
        self._task_title.setVisible(task is not None)
        asked = [] if task is None else [task.ask.in_language(now)]
        if isinstance(task, VoteTask):
            options = zip(task.options, hands, strict=True)
            asked += [f"{n}. {each.in_language(now)}: {count}" for n, (each, count) in enumerate(options, 1)]
        self._task.setText("\n".join(asked))
        self.buttons["reveal"].setVisible(isinstance(task, VoteTask))
        why = "" if task is None else task.why.in_language(now)
        self._answer.setText("\n".join(part for part in (answer, why) if part))
        self.buttons["back"].setEnabled(index > 0)
        if rest := lesson.stations[index + 1 :]:
            self._next_title.setText(self.tr("Next: {0}").format(rest[0].title.in_language(now)))
            self.buttons["next"].setText(self.tr("Next"))
            self.buttons["next"].setToolTip(self.tr("The next station (Page Down)"))
        else:
            self._next_title.setText(self.tr("Last station. The end of the lesson comes next."))
            self.buttons["next"].setText(self.tr("Finish"))
            self.buttons["next"].setToolTip(self.tr("The end of the lesson (Page Down)"))


def _text(name: str) -> QLabel:
    label = QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return named(label, name) if name else label


class BlackScreen(Canvas):
    """Lies over everything in the window and takes the keys."""

    def __init__(self, look: Look, window: QWidget) -> None:
        super().__init__(look, window)
        self._window = window
        self._focus: QWidget | None = None
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.hide()

    def cover(self) -> None:
        self._focus = QApplication.focusWidget()
        self.setAccessibleName(self.tr("Black screen"))
        self.setGeometry(self._window.rect())
        self._window.installEventFilter(self)
        self.show()
        self.raise_()
        self.setFocus()

    def uncover(self) -> None:
        """Show the window again."""
        self._window.removeEventFilter(self)
        self.hide()
        # What had the focus may have been closed and deleted below the black screen.
        if self._focus is not None and isValid(self._focus) and self._focus.isVisible():
            self._focus.setFocus()
        self._focus = None

    def draw(self, painter: QPainter) -> None:
        painter.fillRect(self.rect(), Qt.GlobalColor.black)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        self.uncover()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.uncover()

    def event(self, event: QEvent) -> bool:
        """Take every key, before a shortcut does."""
        if event.type() == QEvent.Type.ShortcutOverride:
            event.accept()
            return True
        return bool(super().event(event))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Stay as large as the window."""
        if event.type() == QEvent.Type.Resize:
            self.setGeometry(self._window.rect())
        return False
