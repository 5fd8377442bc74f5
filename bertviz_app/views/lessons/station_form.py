"""What a teacher writes to make a station of a lesson, and the forms of its tasks."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QRect, QSize, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent, QKeySequence, QMouseEvent, QResizeEvent, QShortcut
from PySide6.QtWidgets import (
    QButtonGroup,
    QComboBox,
    QDialog,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPlainTextEdit,
    QPushButton,
    QSizePolicy,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from bertviz_app.learning.lessons.lesson import Scene
from bertviz_app.learning.lessons.reading import RULES, Question, Value, rules_of
from bertviz_app.learning.lessons.tasks import ChoiceTask, NumbersTask, OrderTask, Task
from bertviz_app.learning.words import typed_number
from bertviz_app.views.kit.canvas import Guarded
from bertviz_app.views.kit.look import Look, grow_with_text, named, restyle
from bertviz_app.views.kit.words import language, write_prose

_OF_SOME_RUNS: tuple[Value, ...] = ("analysis", "class")
"""Values that are chosen, and that not every run has."""


@dataclass(frozen=True)
class ValueChoices:
    """What the lists of values offer, key -> words: of the run on screen."""

    tokens: Sequence[str] = ()
    measures: Mapping[str, str] = dataclasses.field(default_factory=dict)
    views: Mapping[str, str] = dataclasses.field(default_factory=dict)
    stages: Mapping[str, str] = dataclasses.field(default_factory=dict)
    analyses: Mapping[str, str] = dataclasses.field(default_factory=dict)
    classes: Mapping[str, str] = dataclasses.field(default_factory=dict)

    def of(self, value: Value) -> dict[str, str]:
        """Return the choices of a value; {} where it is typed, or where the run has none."""
        lists = {
            "measure": self.measures,
            "view": self.views,
            "stage": self.stages,
            "analysis": self.analyses,
            "class": self.classes,
        }
        return {token: token for token in self.tokens} if value == "token" else dict(lists.get(value, {}))


class QuestionRows(QObject):
    """Three rows of a form, of which those are shown that the kind of the task needs.

    `changed`: another question was chosen.
    """

    changed = Signal()

    def __init__(self, scene: Scene, choices: ValueChoices, form: QFormLayout) -> None:
        super().__init__(form)
        self._scene = scene
        self._choices = choices
        self._form = form
        self.kinds, self.rules, self.values = QComboBox(), QComboBox(), QComboBox()
        for name, box in (
            (self.tr("Question"), self.kinds),
            (self.tr("Asks for"), self.rules),
            (self.tr("Value"), self.values),
        ):
            box.setAccessibleName(name)
            form.addRow(name, box)
        for kind, words in _kind_words().items():
            if rules_of(kind, scene):
                self.kinds.addItem(words, kind)
        self.kinds.currentIndexChanged.connect(self._on_kind_chosen)
        self.rules.currentIndexChanged.connect(self._on_rule_chosen)
        self.values.currentTextChanged.connect(self.changed)
        self._on_kind_chosen()

    @property
    def question(self) -> Question:
        data = self.values.currentData()
        value = self.values.currentText().strip() if data is None or self.values.isEditable() else str(data)
        kind, rule = str(self.kinds.currentData()), str(self.rules.currentData())
        return Question(kind, rule, value if RULES[kind][rule] else "")

    @property
    def lacks_value(self) -> bool:
        """Whether the question needs a value that was not typed."""
        question = self.question
        return bool(RULES[question.kind][question.rule]) and not question.value

    def _rules_of(self, kind: str) -> list[str]:
        """Return the rules of a kind that can be judged on what is shown."""
        return [
            rule
            for rule in rules_of(kind, self._scene)
            if (value := RULES[kind][rule]) not in _OF_SOME_RUNS or self._choices.of(value)
        ]

    @Slot()
    def _on_kind_chosen(self) -> None:
        kind = str(self.kinds.currentData())
        words = _what_words(self._scene)
        self.rules.blockSignals(True)
        self.rules.clear()
        for rule in self._rules_of(kind):
            self.rules.addItem(words.get((kind, rule), ""), rule)
        self.rules.blockSignals(False)
        self._form.setRowVisible(self.rules, len(RULES[kind]) > 1)
        self._on_rule_chosen()

    @Slot()
    def _on_rule_chosen(self) -> None:
        value = RULES[str(self.kinds.currentData())][str(self.rules.currentData())]
        choices = self._choices.of(value)
        self.values.blockSignals(True)
        self.values.clear()
        self.values.setEditable(not choices)
        for key, words in choices.items():
            self.values.addItem(words, key)
        pinned = self._scene.key or self._scene.query
        if value == "token" and pinned in choices:
            self.values.setCurrentIndex(list(choices).index(pinned))
        self.values.blockSignals(False)
        self._form.setRowVisible(self.values, bool(value))
        if field := self.values.lineEdit():
            field.setPlaceholderText(_examples().get(value, ""))
        self.changed.emit()


def _kind_words() -> dict[str, str]:
    """Return the kinds of tasks, by key."""
    translate = QCoreApplication.translate
    return {
        "none": translate("StationForm", "None: the station is only read"),
        "choice": translate("StationForm", "Choose an answer"),
        "order": translate("StationForm", "Put in order"),
        "numbers": translate("StationForm", "Type numbers"),
        "token": translate("StationForm", "Click a token"),
        "head": translate("StationForm", "Find a head"),
        "do": translate("StationForm", "Do something in the window"),
    }


def _examples() -> dict[Value, str]:
    """Return what stands in an empty field for a value."""
    translate = QCoreApplication.translate
    return {
        "text": translate("StationForm", "a word"),
        "number": translate("StationForm", "a whole number, such as 12"),
        "numbers": translate("StationForm", "the right numbers, such as 0.45 0.33 0.22"),
    }


def _what_words(scene: Scene) -> dict[tuple[str, str], str]:
    """Return the rules of the kinds that have several, by kind and rule."""
    translate = QCoreApplication.translate
    query, key = scene.query or "", scene.key or ""
    pair = f"“{query}” → “{key}”"
    words = {
        ("numbers", "weight"): translate("StationForm", "The weight of {0}").format(pair),
        ("numbers", "typed"): translate("StationForm", "Numbers that you give"),
        ("token", "looked at most"): translate("StationForm", "What “{0}” looks at most").format(query),
        ("token", "scores least"): translate("StationForm", "What “{0}” has the smallest score with").format(
            query
        ),
        ("token", "looks most"): translate("StationForm", "What looks at “{0}” most").format(key),
        ("token", "largest value"): translate("StationForm", "The one with the largest value of an analysis"),
        ("token", "named"): translate("StationForm", "A token that you name"),
        ("head", "pair"): translate("StationForm", "The one with most weight of {0}").format(pair),
        ("head", "largest"): translate("StationForm", "The one with the largest value of a measure"),
        ("head", "smallest"): translate("StationForm", "The one with the smallest value of a measure"),
    }
    done = {
        "text changed": translate("StationForm", "Type any other text"),
        "text has": translate("StationForm", "Type a text with a word"),
        "a pair": translate("StationForm", "Add a second sentence"),
        "at least tokens": translate("StationForm", "Type a text with a number of tokens at least"),
        "a word in pieces": translate("StationForm", "Type a word that is cut into pieces"),
        "an unknown token": translate("StationForm", "Type something that becomes unknown"),
        "pinned": translate("StationForm", "Pin {0}").format(pair),
        "pinned query": translate("StationForm", "Pin “{0}” as query").format(query),
        "masked": translate("StationForm", "Mask a token that you name"),
        "a token hidden": translate("StationForm", "Mask any token"),
        "a head muted": translate("StationForm", "Mute any head"),
        "predicted class": translate("StationForm", "Type a text of another class"),
        "compared": translate("StationForm", "Compare with a second run"),
        "view": translate("StationForm", "Draw a panel in a view"),
        "stage": translate("StationForm", "Go to a stop of Steps"),
        "state": translate("StationForm", "Show the hidden state with a number"),
    }
    return words | {("do", rule): each for rule, each in done.items()}


_SUGGESTIONS = {
    ("token", "looked at most"): (
        "Click the token that “{0}” looks at most.",
        "“{0}” 토큰이 가장 많이 보는 토큰을 누르세요.",
    ),
    ("token", "scores least"): (
        "Click the token whose score with “{0}” is smallest.",
        "“{0}” 토큰과의 점수가 가장 작은 토큰을 누르세요.",
    ),
    ("token", "looks most"): (
        "Click the token that looks at “{1}” most.",
        "“{1}” 토큰을 가장 많이 보는 토큰을 누르세요.",
    ),
    ("token", "largest value"): (
        "Click the token with the largest value in the panel of the analysis.",
        "분석 패널에서 값이 가장 큰 토큰을 누르세요.",
    ),
    ("numbers", "weight"): (
        "How large is the weight of “{0}” on “{1}”?",
        "“{0}” 토큰이 “{1}” 토큰을 보는 가중치는 얼마입니까?",
    ),
    ("head", "pair"): (
        "Which head puts most weight of “{0}” on “{1}”? Click it in the overview.",
        "“{0}” 토큰이 “{1}” 토큰을 가장 많이 보는 헤드는 어느 것입니까? 한눈에 보기에서 누르세요.",
    ),
    ("order", ""): ("Put these in their order.", "순서대로 놓으세요."),
    ("do", "text changed"): ("Type a sentence of your own.", "직접 문장을 입력하세요."),
    ("do", "text has"): ("Type a sentence with the word “{2}”.", "“{2}” 단어가 있는 문장을 입력하세요."),
    ("do", "a pair"): ("Add a second sentence.", "둘째 문장을 추가하세요."),
    ("do", "at least tokens"): (
        "Type a sentence with {2} tokens or more.",
        "토큰이 {2}개 이상인 문장을 입력하세요.",
    ),
    ("do", "a word in pieces"): (
        "Type a word that is cut into pieces.",
        "여러 조각으로 잘리는 단어를 입력하세요.",
    ),
    ("do", "an unknown token"): (
        "Type something that becomes [UNK].",
        "[UNK]가 되는 것을 입력하세요.",
    ),
    ("do", "pinned"): (
        "Pin the pair: drag from “{0}” to “{1}” in the tokens above.",
        "위의 토큰 줄에서 “{0}” 토큰을 “{1}” 토큰까지 끌어 두 토큰을 고정하세요.",
    ),
    ("do", "pinned query"): ("Click “{0}”.", "“{0}” 토큰을 누르세요."),
    ("do", "masked"): ("Mask “{2}”: double-click it.", "“{2}” 토큰을 두 번 눌러 가리세요."),
    ("do", "a token hidden"): (
        "Mask a token: double-click it.",
        "토큰 하나를 두 번 눌러 가리세요.",
    ),
    ("do", "a head muted"): (
        "Mute a head: press X.",
        "헤드 하나를 끄세요. X 키를 누르면 됩니다.",
    ),
    ("do", "predicted class"): (
        "Type a sentence for which the model predicts “{2}”.",
        "모델의 예측이 “{2}”인 문장을 입력하세요.",
    ),
    ("do", "compared"): ("Compare with a second run.", "둘째 실행과 비교하세요."),
}
"""How a question can be asked, in English and in Korean: “{0}” the query, “{1}” the key, “{2}” the value."""


def suggestion(question: Question, scene: Scene) -> dict[str, str]:
    """Return how a question can be asked, in both languages; {} where only the teacher knows."""
    texts = _SUGGESTIONS.get((question.kind, question.rule), ())
    return {
        language: text.format(scene.query, scene.key, question.value or "…")
        for language, text in zip(("en", "ko"), texts, strict=False)
    }


_NAMES = {"en": "English", "ko": "한국어"}
_FIELDS = ("lesson", "title", "text", "ask", "options", "hint", "why", "notes")
_LONG = {"text": 4, "options": 3, "notes": 2}
"""Lines of the fields that have several."""


@dataclass(frozen=True)
class StationWords:
    """What was written, by the names of the fields, in each language; `path` None for a new lesson."""

    path: Path | None
    question: Question
    texts: dict[str, dict[str, str]]

    def words(self, name: str) -> dict[str, str]:
        """Return one text in both languages; the one that was left empty is the same as the other."""
        found = {key: fields[name].strip() for key, fields in self.texts.items()}
        first = next((text for text in found.values() if text), "")
        return {key: text or first for key, text in found.items()}


class StationForm(QDialog):
    """`save_requested(StationWords)`: write the station; `show_problem` says why that failed."""

    save_requested = Signal(object)

    def __init__(
        self,
        look: Look,
        scene: Scene,
        left_out: Sequence[str],
        lessons: Sequence[tuple[str, Path]],
        choices: ValueChoices,
        parent: QWidget,
    ) -> None:
        """`lessons`: titles and files of the lessons that a station can be added to."""
        super().__init__(parent)
        self.setWindowTitle(self.tr("Create a lesson page from this view"))
        self._scene = scene
        self.lessons, self._top = QComboBox(), QFormLayout()
        self._suggested: set[str] = set()
        self.tabs = QTabWidget()
        self.fields: dict[str, dict[str, Any]] = {}
        self._labels: list[tuple[str, QFormLayout]] = []
        self.problem = named(QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText), "remark")
        self.save = QPushButton(self.tr("Write the station"))
        self._fill(lessons)
        self.rows = QuestionRows(scene, choices, self._top)
        self._lay_out(left_out)
        self.lessons.currentIndexChanged.connect(self._on_chosen)
        self.rows.changed.connect(self._on_chosen)
        self.save.clicked.connect(self._on_save)
        self._on_chosen()
        self.resize(look.pixels(560), min(look.pixels(660), parent.height() - 20))

    def _fill(self, lessons: Sequence[tuple[str, Path]]) -> None:
        self.lessons.setAccessibleName(self.tr("Lesson"))
        self.lessons.addItem(self.tr("A new lesson"), None)
        for title, path in lessons:
            self.lessons.addItem(title, str(path))
        if lessons:
            self.lessons.setCurrentIndex(1)
        self._top.addRow(self.tr("Lesson"), self.lessons)

    def _lay_out(self, left_out: Sequence[str]) -> None:
        now = language()
        for key in sorted(_NAMES, key=lambda each: each != now):
            page = QWidget()
            form = QFormLayout(page)
            self.fields[key] = {name: _field(name) for name in _FIELDS}
            words = self._field_words()
            for name, field in self.fields[key].items():
                field.setAccessibleName(words[name])
                form.addRow(words[name], field)
            self.tabs.addTab(page, _NAMES[key])
            self._labels.append((key, form))
        note = named(QLabel(" ".join(left_out), wordWrap=True), "secondary")
        note.setVisible(bool(left_out))
        tip = named(
            QLabel(self.tr("Leave one language empty to use the texts of the other."), wordWrap=True),
            "secondary",
        )
        foot = QHBoxLayout()
        foot.addWidget(self.problem, 1)
        foot.addWidget(self.save, 0, Qt.AlignmentFlag.AlignRight)
        self.problem.hide()
        self.tabs.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        column = QVBoxLayout(self)
        for part in (self._top, note, self.tabs, tip, foot):
            if isinstance(part, QWidget):
                column.addWidget(part)
            else:
                column.addLayout(part)
        column.insertStretch(column.count() - 1, 1)

    def _field_words(self) -> dict[str, str]:
        return {
            "lesson": self.tr("Title of the lesson"),
            "title": self.tr("Title"),
            "text": self.tr("Explanation"),
            "ask": self.tr("Task"),
            "options": self.tr("Answers, one a line, the right one first"),
            "hint": self.tr("Hint"),
            "why": self.tr("Why the answer is right"),
            "notes": self.tr("Notes for the teacher"),
        }

    def show_problem(self, words: str) -> None:
        """Show why the station could not be written."""
        self.problem.setText(words)
        self.problem.setVisible(bool(words))

    @Slot()
    def _on_chosen(self) -> None:
        """Show the fields that are needed, and suggest how to ask."""
        question = self.rows.question
        hidden = set() if self.lessons.currentData() is None else {"lesson"}
        if question.kind == "none":
            hidden |= {"ask", "options", "hint", "why"}
        elif question.kind not in ("choice", "order"):
            hidden |= {"options"}
        suggested, before = suggestion(question, self._scene), self._suggested
        self._suggested = set(suggested.values())
        for key, form in self._labels:
            for name, field in self.fields[key].items():
                form.setRowVisible(field, name not in hidden)
            label = form.labelForField(self.fields[key]["options"])
            if isinstance(label, QLabel):
                label.setText(self._option_words(question))
            ask = self.fields[key]["ask"]
            if ask.text() in {"", *before}:
                ask.setText(suggested.get(key, ""))
                ask.setCursorPosition(0)  # so that its beginning is seen, not its end

    def _option_words(self, question: Question) -> str:
        if question.kind == "order":
            return self.tr("Items in their order, one a line")
        return self._field_words()["options"]

    def _empty(self, texts: dict[str, dict[str, str]]) -> list[str]:
        """Return the names of the fields that are needed and empty in both languages."""
        key, form = self._labels[0]
        words = self._field_words()
        value = [self.tr("Value")] if self.rows.lacks_value else []
        return value + [
            words[name]
            for name, field in self.fields[key].items()
            if form.isRowVisible(field)
            and name != "notes"
            and not any(each[name].strip() for each in texts.values())
        ]

    @Slot()
    def _on_save(self) -> None:
        texts = {
            key: {name: _text_of(field) for name, field in fields.items()}
            for key, fields in self.fields.items()
        }
        if empty := self._empty(texts):
            self.show_problem(self.tr("Still empty: {0}.").format(", ".join(empty)))
            return
        path = self.lessons.currentData()
        self.save_requested.emit(
            StationWords(None if path is None else Path(path), self.rows.question, texts)
        )


def _field(name: str) -> QLineEdit | QPlainTextEdit:
    if name not in _LONG:
        return QLineEdit()
    field = QPlainTextEdit(tabChangesFocus=True)
    field.setFixedHeight(field.fontMetrics().lineSpacing() * _LONG[name] + 14)
    return field


def _text_of(field: QLineEdit | QPlainTextEdit) -> str:
    return field.text() if isinstance(field, QLineEdit) else field.toPlainText()


Answered = Callable[[object], None]
_INDEX = Qt.ItemDataRole.UserRole
_AROUND_ITEMS = 12
_BESIDE, _ABOVE_AND_BELOW = 1.6, 0.8
"""What an item has around its text, over the height of a line."""


def form_of(task: Task, answered: Answered) -> QWidget | None:
    """Return the form of a task, None for one that is answered in the window itself.

    `answered` is called with the number of an option, or with a tuple of numbers or places.
    """
    if isinstance(task, ChoiceTask):
        return ChoiceForm(task, answered)
    if isinstance(task, NumbersTask):
        return NumbersForm(task, answered)
    if isinstance(task, OrderTask):
        return OrderForm(task, answered)
    return None


_SESSION = random.SystemRandom().getrandbits(32)
"""The seed of the orders of options: others in each session, the same ones within it."""


def shuffled(task: ChoiceTask) -> list[int]:
    """Return the order in which the options of a choice stand in this session."""
    order = list(range(len(task.options)))
    random.Random(f"{_SESSION} {task.ask.en}").shuffle(order)
    return order


class ChoiceForm(Guarded, QWidget):
    """A button for each option, in an order of this session.

    The form has the focus first, and not an option, which would look chosen; the arrows go to the options.
    """

    def __init__(self, task: ChoiceTask, answered: Answered) -> None:
        super().__init__()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(task.ask.in_language(language()))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        self._answered = answered
        self.chosen = 0
        """The number of the option that was chosen last."""
        self.buttons = [WrappedButton(option.in_language(language())) for option in task.options]
        group = QButtonGroup(self, exclusive=False)  # in a group the arrow keys do not leave the options
        order = shuffled(task)
        self.shown = [self.buttons[index] for index in order]
        """The buttons from the top."""
        for index, button in zip(order, self.shown, strict=True):
            group.addButton(button)
            button.clicked.connect(lambda _=False, index=index: self._choose(index))
            column.addWidget(button)

    def show_verdict(self, is_right: bool) -> None:
        """Mark the option that was chosen last; those that were wrong before stay marked."""
        self.buttons[self.chosen].mark(is_right)

    def _choose(self, index: int) -> None:
        self.chosen = index
        self._answered(index)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go to the first option, or to the last, from where the arrows go on."""
        ends = {Qt.Key.Key_Down: 0, Qt.Key.Key_Up: -1}
        if self.hasFocus() and (end := ends.get(Qt.Key(event.key()))) is not None:
            self.shown[end].setFocus(Qt.FocusReason.TabFocusReason)
        else:
            event.ignore()


class WrappedButton(QPushButton):
    """A button whose text takes several lines where one is too long."""

    def __init__(self, text: str) -> None:
        super().__init__()
        named(self, "option")
        grow_with_text(self)
        self.setAccessibleName(text)
        label = QLabel(wordWrap=True)
        write_prose(label, text)
        self._mark = named(QLabel(), "mark")
        row = QHBoxLayout(self)
        row.setContentsMargins(10, 7, 10, 7)
        row.addWidget(label, 1)
        row.addWidget(self._mark)
        for each in (label, self._mark):
            each.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)

    def mark(self, is_right: bool) -> None:
        self._mark.setText("✓" if is_right else "✕")
        self.setProperty("verdict", "right" if is_right else "wrong")
        restyle(self)
        restyle(self._mark)


class WholeField(Guarded, QLineEdit):
    """A field in which a double click selects everything; Qt selects what is after the point of 0.25.

    B, which presenter remotes send, is no part of a number: it makes the screen black from here, too.
    """

    def event(self, event: QEvent) -> bool:
        """Leave B to the window."""
        if (
            isinstance(event, QKeyEvent)
            and (event.type(), event.key()) == (QEvent.Type.ShortcutOverride, Qt.Key.Key_B)
            and not event.modifiers()
        ):
            event.ignore()
            return False
        return bool(super().event(event))

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Select everything."""
        self.selectAll()


class NumbersForm(QWidget):
    """A field for each number; Enter or the button checks them."""

    def __init__(self, task: NumbersTask, answered: Answered) -> None:
        super().__init__()
        self._answered = answered
        self.fields = [named(WholeField(), "taskNumber") for _ in task.answers]
        self._problem = named(QLabel(wordWrap=True), "secondary")
        self._problem.hide()
        translate = QCoreApplication.translate
        check = QPushButton(translate("Lessons", "Check"))
        row = QHBoxLayout()
        row.setSpacing(6)
        for number, field in enumerate(self.fields, start=1):
            field.setAccessibleName(translate("Lessons", "Number {0}").format(number))
            field.setMaxLength(24)
            field.returnPressed.connect(self._check)
            row.addWidget(field, 1)
        row.addWidget(check)
        check.clicked.connect(self._check)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addLayout(row)
        column.addWidget(self._problem)

    def show_wrong(self, wrong: Sequence[int]) -> None:
        """Mark the fields of the wrong numbers; focus and select the first, to be typed over."""
        for index, field in enumerate(self.fields):
            field.setProperty("wrong", index in wrong)
            restyle(field)
        if wrong:
            self.fields[wrong[0]].setFocus()
            self.fields[wrong[0]].selectAll()

    def _check(self) -> None:
        numbers = [number_in(field.text()) for field in self.fields]
        self._problem.setVisible(None in numbers)
        if None in numbers:
            words = QCoreApplication.translate("Lessons", "Type a number in each field, such as 0.25.")
            self._problem.setText(words)
            self.fields[numbers.index(None)].setFocus()
        else:
            self._answered(tuple(number for number in numbers if number is not None))


def number_in(text: str) -> float | None:
    """Return the number that was typed, with a decimal point or comma; None for anything else."""
    number = typed_number(text.strip().removesuffix("%"))
    if number is None or not -1e12 < number < 1e12:
        return None
    return number / 100 if text.strip().endswith("%") else number


class _Items(Guarded, QListWidget):
    """A list as high as its items, whose lines depend on the width."""

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        heights = [self._height_of(self.item(row).text()) for row in range(self.count())]
        for row, height in enumerate(heights):
            self.item(row).setSizeHint(QSize(1, height))
        self.setFixedHeight(sum(heights) + _AROUND_ITEMS)

    def _height_of(self, text: str) -> int:
        """Return the height of an item: Qt wraps it at the whole width, and leaves out the padding."""
        metrics = self.fontMetrics()
        room = QRect(0, 0, self.viewport().width() - round(_BESIDE * metrics.height()), 10_000)
        wrapped = metrics.boundingRect(room, Qt.TextFlag.TextWordWrap.value, text)
        return wrapped.height() + round(_ABOVE_AND_BELOW * metrics.height())


class OrderForm(QWidget):
    """A list whose items are moved by two buttons or dragged; a third one, or Enter, checks the order."""

    def __init__(self, task: OrderTask, answered: Answered) -> None:
        super().__init__()
        translate = QCoreApplication.translate
        self.list = _Items()
        self.list.setDragDropMode(QListWidget.DragDropMode.InternalMove)
        self.list.setWordWrap(True)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setAccessibleName(translate("Lessons", "Items to put in order"))
        for index in task.shuffled:
            item = QListWidgetItem(task.items[index].in_language(language()), self.list)
            item.setData(_INDEX, index)
        row = QHBoxLayout()
        for text, name, key, step in (
            ("↑ Alt+↑", translate("Lessons", "Move up (Alt+↑)"), "Alt+Up", -1),
            ("↓ Alt+↓", translate("Lessons", "Move down (Alt+↓)"), "Alt+Down", 1),
        ):
            button = QPushButton(text)
            button.setAccessibleName(name)
            button.setToolTip(name)
            button.clicked.connect(lambda _=False, step=step: self._move(step))
            keys = QShortcut(QKeySequence(key), self.list, context=Qt.ShortcutContext.WidgetShortcut)
            keys.activated.connect(lambda step=step: self._move(step))
            row.addWidget(button)
        row.addStretch(1)
        check = QPushButton(translate("Lessons", "Check"))
        check.clicked.connect(lambda: answered(self.order))
        for enter in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            keys = QShortcut(QKeySequence(enter), self.list, context=Qt.ShortcutContext.WidgetShortcut)
            keys.activated.connect(check.click)
        row.addWidget(check)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.list)
        column.addLayout(row)

    @property
    def order(self) -> tuple[int, ...]:
        """The indices of the items in the lesson's file, in the order in which they stand now."""
        return tuple(self.list.item(row).data(_INDEX) for row in range(self.list.count()))

    def _move(self, step: int) -> None:
        row = self.list.currentRow()
        if row < 0:  # none is marked at first: it would look like an answer
            self.list.setCurrentRow(0)
            return
        to = row + step
        if 0 <= to < self.list.count():
            self.list.insertItem(to, self.list.takeItem(row))
            self.list.setCurrentRow(to)
