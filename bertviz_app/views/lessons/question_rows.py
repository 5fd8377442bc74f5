"""`QuestionRows`: which task a station that a teacher makes has: its kind, its rule and what that needs."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication, QObject, Signal, Slot
from PySide6.QtWidgets import QComboBox, QFormLayout

from bertviz_app.learning.lessons.lesson import Scene
from bertviz_app.learning.lessons.reading import RULES, Question, Value, rules_of

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
    }
    return words | {("do", rule): each for rule, each in done.items()}


_SUGGESTIONS = {
    ("token", "looked at most"): (
        "Click the token that “{0}” looks at most.",
        "“{0}” 토큰이 가장 많이 보는 토큰을 누르세요.",
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
