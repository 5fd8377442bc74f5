"""`StationForm`: what a teacher writes to what the window shows: a station of a lesson, new or existing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PySide6.QtCore import QCoreApplication, Qt, Signal, Slot
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QSizePolicy,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from bertviz_app.learning.lessons.lesson import Scene
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.style import named
from bertviz_app.views.kit.words import language

_NAMES = {"en": "English", "ko": "한국어"}
_FIELDS = ("lesson", "title", "text", "ask", "options", "hint", "why", "notes")
_LONG = {"text": 4, "options": 3, "notes": 2}
"""Lines of the fields that have several."""


@dataclass(frozen=True)
class StationWords:
    """What was written, by the names of the fields, in each language; `path` None for a new lesson."""

    path: Path | None
    question: str
    texts: dict[str, dict[str, str]]

    def words(self, name: str) -> dict[str, str]:
        """Return one text in both languages; the one that was left empty is the same as the other."""
        found = {key: fields[name].strip() for key, fields in self.texts.items()}
        first = next((text for text in found.values() if text), "")
        return {key: text or first for key, text in found.items()}


class StationForm(QDialog):
    """`asked(StationWords)`: the station is to be written; `show_problem` says why it could not be."""

    asked = Signal(object)

    def __init__(
        self,
        look: Look,
        scene: Scene,
        left_out: Sequence[str],
        lessons: Sequence[tuple[str, Path]],
        parent: QWidget,
    ) -> None:
        """`lessons`: titles and files of the lessons that a station can be added to."""
        super().__init__(parent)
        self.setWindowTitle(self.tr("Make a station of what the window shows"))
        self._scene = scene
        self.lessons, self.questions = QComboBox(), QComboBox()
        self.tabs = QTabWidget()
        self.fields: dict[str, dict[str, Any]] = {}
        self._labels: list[tuple[str, QFormLayout]] = []
        self.problem = named(QLabel(wordWrap=True), "remark")
        self.save = QPushButton(self.tr("Write the station"))
        self._fill(lessons)
        self._lay_out(left_out)
        self.lessons.currentIndexChanged.connect(self._on_chosen)
        self.questions.currentIndexChanged.connect(self._on_chosen)
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
        self.questions.setAccessibleName(self.tr("Question"))
        for key, words in _questions(self._scene):
            self.questions.addItem(words, key)

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
        top = QFormLayout()
        top.addRow(self.tr("Lesson"), self.lessons)
        top.addRow(self.tr("Question"), self.questions)
        note = named(QLabel(" ".join(left_out), wordWrap=True), "secondary")
        note.setVisible(bool(left_out))
        tip = named(
            QLabel(self.tr("A language that is left empty has the texts of the other."), wordWrap=True),
            "secondary",
        )
        foot = QHBoxLayout()
        foot.addWidget(self.problem, 1)
        foot.addWidget(self.save, 0, Qt.AlignmentFlag.AlignRight)
        self.problem.hide()
        self.tabs.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        column = QVBoxLayout(self)
        for part in (top, note, self.tabs, tip, foot):
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
        question = str(self.questions.currentData())
        hidden = set() if self.lessons.currentData() is None else {"lesson"}
        if question == "none":
            hidden |= {"ask", "options", "hint", "why"}
        elif question != "choice":
            hidden |= {"options"}
        suggested = {
            words for key, _ in _questions(self._scene) for words in suggestion(key, self._scene).values()
        }
        for key, form in self._labels:
            for name, field in self.fields[key].items():
                form.setRowVisible(field, name not in hidden)
            ask = self.fields[key]["ask"]
            if ask.text() in {"", *suggested}:
                ask.setText(suggestion(question, self._scene).get(key, ""))

    def _empty(self, texts: dict[str, dict[str, str]]) -> list[str]:
        """Return the names of the fields that are needed and empty in both languages."""
        key, form = self._labels[0]
        words = self._field_words()
        return [
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
        self.asked.emit(
            StationWords(None if path is None else Path(path), str(self.questions.currentData()), texts)
        )


def _questions(scene: Scene) -> list[tuple[str, str]]:
    """Return the questions that the scene allows, by key."""
    translate = QCoreApplication.translate
    found = [
        ("none", translate("StationForm", "None: the station is only read")),
        ("choice", translate("StationForm", "Choose an answer")),
    ]
    if scene.query is not None:
        words = translate("StationForm", "Click the token that “{0}” looks at most")
        found.append(("token", words.format(scene.query)))
    if scene.query is not None and scene.key is not None:
        words = translate("StationForm", "Type the weight of “{0}” on “{1}”")
        found.append(("weight", words.format(scene.query, scene.key)))
        words = translate("StationForm", "Find the head that puts most weight of “{0}” on “{1}”")
        found.append(("head", words.format(scene.query, scene.key)))
    return found


def suggestion(question: str, scene: Scene) -> dict[str, str]:
    """Return how a question can be asked, in both languages; {} where only the teacher knows."""
    templates = {
        "token": {
            "en": "Click the token that “{0}” looks at most.",
            "ko": "“{0}” 토큰이 가장 많이 보는 토큰을 누르십시오.",
        },
        "weight": {
            "en": "How large is the weight of “{0}” on “{1}”?",
            "ko": "“{0}” 토큰이 “{1}” 토큰을 보는 가중치는 얼마입니까?",
        },
        "head": {
            "en": "Which head puts most weight of “{0}” on “{1}”? Click it in the overview.",
            "ko": "“{0}” 토큰이 “{1}” 토큰을 가장 많이 보는 헤드는 어느 것입니까? 개요에서 누르십시오.",
        },
    }
    return {key: text.format(scene.query, scene.key) for key, text in templates.get(question, {}).items()}


def _field(name: str) -> QLineEdit | QPlainTextEdit:
    if name not in _LONG:
        return QLineEdit()
    field = QPlainTextEdit(tabChangesFocus=True)
    field.setFixedHeight(field.fontMetrics().lineSpacing() * _LONG[name] + 14)
    return field


def _text_of(field: QLineEdit | QPlainTextEdit) -> str:
    return field.text() if isinstance(field, QLineEdit) else field.toPlainText()
