"""`QuestionList`: the questions that a checkpoint's files leave open, below each other."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QScrollArea, QVBoxLayout, QWidget

from bertviz_app.viewmodels.runs.answering import Answering
from bertviz_app.views.bars.answer_questions import (
    EpsilonQuestion,
    HeadsQuestion,
    LabelsQuestion,
    PartsQuestion,
    QuestionRow,
)
from bertviz_app.views.bars.choice_questions import (
    ActivationQuestion,
    CaseQuestion,
    ChoiceQuestion,
    ClassifierActivationQuestion,
    ClassifierReadsQuestion,
    FirstSegmentQuestion,
    FollowsQuestion,
    LoneNormQuestion,
    NormFirstQuestion,
    PositionsQuestion,
    SampleDeviationQuestion,
    ScalesTokensQuestion,
    ScoreScaleQuestion,
    TransposedQuestion,
)
from bertviz_app.views.bars.file_questions import (
    AdapterQuestion,
    AlphaQuestion,
    BaseQuestion,
    LinksQuestion,
    TokenizerQuestion,
)
from bertviz_app.views.kit.style import named

_CHOICES: tuple[type[ChoiceQuestion], ...] = (
    PositionsQuestion,
    ScalesTokensQuestion,
    NormFirstQuestion,
    SampleDeviationQuestion,
    TransposedQuestion,
    LoneNormQuestion,
    ScoreScaleQuestion,
    FirstSegmentQuestion,
    ActivationQuestion,
    ClassifierReadsQuestion,
    ClassifierActivationQuestion,
    FollowsQuestion,
    AdapterQuestion,
    LinksQuestion,
)


class QuestionList(QScrollArea):
    """Shows the questions that are open; `by_name` has all questions, by the names of their answers."""

    def __init__(self, answering: Answering) -> None:
        super().__init__(widgetResizable=True)
        self.heads = HeadsQuestion(answering)
        self.epsilon = EpsilonQuestion(answering)
        self.case = CaseQuestion(answering)
        self.parts = PartsQuestion(answering)
        self.by_name: dict[str, QuestionRow] = {
            "n_heads": self.heads,
            "norm_eps": self.epsilon,
            self.case.field: self.case,
            **{kind.field: kind(answering) for kind in _CHOICES},
            "labels": LabelsQuestion(answering),
            "parts": self.parts,
            "base": BaseQuestion(answering),
            "lora_alpha": AlphaQuestion(answering),
            "tokenizer": TokenizerQuestion(answering),
        }
        body = named(QWidget(), "clear")
        inner = QVBoxLayout(body)
        inner.setContentsMargins(0, 0, 8, 0)
        inner.setSpacing(14)
        for question in self.by_name.values():
            inner.addWidget(question)
        self.setWidget(body)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def show_questions(self, names: Collection[str]) -> None:
        """Show the questions of these names with what is typed; hide the others."""
        for name, question in self.by_name.items():
            question.setVisible(name in names)
            question.refresh()

    def retranslate(self) -> None:
        for question in self.by_name.values():
            question.retranslate()

    def height_of_all(self, width: int) -> int:
        """Return how high all visible questions are at this width."""
        body = self.widget()
        inner = None if body is None else body.layout()
        assert inner is not None
        return inner.heightForWidth(width)
