"""The questions of the form about a checkpoint that are answered by typing, and what all questions share."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QPushButton, QVBoxLayout, QWidget

from bertviz_app.viewmodels.runs.answering import EPSILONS, Answering, Verdict, as_typed
from bertviz_app.views.kit.style import named, restyle

_MOST_OFFERED = 8


class QuestionRow(QWidget):
    """A name, the widgets to answer it with, the verdict on the answer, and what the question means."""

    def __init__(self, answering: Answering) -> None:
        super().__init__()
        self._answering = answering
        self.name = named(QLabel(), "title")
        self.verdict = named(QLabel(), "verdict")
        self.meaning = named(QLabel(wordWrap=True), "secondary")
        self.row = QHBoxLayout()
        self.row.setSpacing(6)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        for part in (self.name, self.verdict, self.meaning):
            part.setTextFormat(Qt.TextFormat.PlainText)
        head = QHBoxLayout()
        head.setSpacing(12)
        head.addWidget(self.name)
        head.addWidget(self.verdict, 1)
        column.addLayout(head)
        column.addLayout(self.row)
        column.addWidget(self.meaning)

    def show_verdict(self, words: str, verdict: Verdict) -> None:
        """Write the verdict on the answer, in the colour of its kind."""
        tone = {"open": "", "fine": "", "unusual": "warning"}.get(verdict, "error")
        self.verdict.setText(words)
        if self.verdict.property("tone") != tone:
            self.verdict.setProperty("tone", tone)
            restyle(self.verdict)

    def take_cursor(self) -> None:
        """Give the keyboard focus to the widget that answers the question."""

    def retranslate(self) -> None:
        """Write the words in the language in force."""

    def refresh(self) -> None:
        """Show what is typed, and whether it can be used."""


class TypedQuestion(QuestionRow):
    """A question that is answered by typing, or by a click on one of the answers that are offered."""

    def __init__(self, answering: Answering) -> None:
        super().__init__(answering)
        self.field = named(QLineEdit(), "answer")
        self.offers = [named(QPushButton(), "small") for _ in range(_MOST_OFFERED)]
        for part in (self.field, *self.offers):
            self.row.addWidget(part)
        self.row.addStretch(1)
        for button in self.offers:
            button.clicked.connect(lambda _=False, button=button: self._on_text_edited(button.text()))
        self.field.textEdited.connect(self._on_text_edited)

    def take_cursor(self) -> None:
        self.field.setFocus()
        self.field.selectAll()

    def _on_text_edited(self, text: str) -> None:
        raise NotImplementedError

    def show_typed(self, text: str) -> None:
        """Show what is typed, with the cursor where it is."""
        if self.field.text() != text:
            self.field.setText(text)

    def offer(self, offers: list[tuple[str, str]]) -> None:
        """Offer these answers (text, tool tip)."""
        for number, button in enumerate(self.offers):
            button.setVisible(number < len(offers))
            if number < len(offers):
                button.setText(offers[number][0])
                button.setToolTip(offers[number][1])


class HeadsQuestion(TypedQuestion):
    """How many heads a layer has."""

    def retranslate(self) -> None:
        self.name.setText(self.tr("Heads in each layer"))
        self.field.setAccessibleName(self.name.text())

    def refresh(self) -> None:
        self.retranslate()
        request = self._answering.open_questions
        if request is None:
            return
        n_shared = request.questions.n_shared
        tip = self.tr("Each head is {0} numbers wide")
        counts = request.questions.head_counts()[:_MOST_OFFERED]
        self.offer([(str(n_heads), tip.format(n_shared // n_heads)) for n_heads in sorted(counts)])
        self.show_typed(self._answering.typed.heads)
        self.show_verdict(self._words(n_shared), self._answering.typed.heads_verdict)
        self.meaning.setText(
            self.tr(
                "They share the {0} numbers of a query. The code that trained the model says how many: "
                "n_head, num_heads. It opens with a wrong count too; its heads then mix what belongs to "
                "others, and none shows a clear pattern."
            ).format(n_shared)
        )

    def _words(self, n_shared: int) -> str:
        verdict, typed = self._answering.typed.heads_verdict, self._answering.typed.heads.strip()
        if verdict == "no number":
            return self.tr("Enter a whole number.")
        if verdict == "out of range":
            return self.tr("There are 1 to 1,000 heads.")
        if verdict == "not shared":
            return self.tr("{0} heads cannot share {1} numbers.").format(typed, n_shared)
        if verdict == "open":
            return ""
        wide = n_shared // int(typed)
        if verdict == "unusual":
            return self.tr("Each {0} numbers wide, which is unusual.").format(wide)
        return self.tr("Each {0} numbers wide.").format(wide)

    @Slot(str)
    def _on_text_edited(self, text: str) -> None:
        self._answering.typed.set_heads(text)


class EpsilonQuestion(TypedQuestion):
    """What the norms add below their root."""

    def retranslate(self) -> None:
        self.name.setText(self.tr("Epsilon of the layer norms"))
        self.field.setAccessibleName(self.name.text())
        self.meaning.setText(
            self.tr(
                "Added to the variance, so that nothing is divided by 0: eps, layer_norm_eps. A wrong one is "
                "seen only beside the numbers of the model's own code: hidden states differ in their later "
                "digits."
            )
        )

    def refresh(self) -> None:
        self.retranslate()
        uses = (self.tr("BERT's own code"), self.tr("PyTorch, the default"), self.tr("Others"))
        self.offer([(as_typed(epsilon), use) for epsilon, use in zip(EPSILONS, uses, strict=True)])
        self.show_typed(self._answering.typed.epsilon)
        verdict = self._answering.typed.epsilon_verdict
        words = {
            "no number": self.tr("This is no number such as 1e-5."),
            "out of range": self.tr("It is above 0 and below 1."),
            "unusual": self.tr("This is unusually large."),
        }
        self.show_verdict(words.get(verdict, ""), verdict)

    @Slot(str)
    def _on_text_edited(self, text: str) -> None:
        self._answering.typed.set_epsilon(text)


class LabelsQuestion(QuestionRow):
    """The names of the classes, which may stay open."""

    def __init__(self, answering: Answering) -> None:
        super().__init__(answering)
        self.field = named(QLineEdit(), "answers")
        self.row.addWidget(self.field, 1)
        self.field.textEdited.connect(self._on_text_edited)

    def take_cursor(self) -> None:
        self.field.setFocus()
        self.field.selectAll()

    def retranslate(self) -> None:
        self.name.setText(self.tr("Names of the classes"))
        self.field.setAccessibleName(self.name.text())
        self.field.setPlaceholderText(self.tr("negative, positive"))
        self.meaning.setText(
            self.tr("In their order, with commas between them. Without names they are numbered.")
        )

    def refresh(self) -> None:
        self.retranslate()
        labels = self._answering.typed.chosen.get("labels", ())
        if isinstance(labels, tuple) and _names(self.field.text()) != labels:
            self.field.setText(", ".join(labels))
        open_questions = self._answering.open_questions
        expected = 0 if open_questions is None else open_questions.questions.n_classes
        fits = not labels or (isinstance(labels, tuple) and len(labels) == expected)
        words = "" if fits else self.tr("There are {0} classes.").format(expected)
        self.show_verdict(words, "fine" if fits else "out of range")

    @Slot(str)
    def _on_text_edited(self, text: str) -> None:
        self._answering.typed.choose("labels", _names(text) or None)


class PartsQuestion(QuestionRow):
    """Which part of the model each tensor is: a button that opens a dialog of its own."""

    asked = Signal()

    def __init__(self, answering: Answering) -> None:
        super().__init__(answering)
        self.button = QPushButton()
        self.row.addWidget(self.button)
        self.row.addStretch(1)
        self.button.clicked.connect(self.asked)

    def take_cursor(self) -> None:
        self.button.setFocus()

    def retranslate(self) -> None:
        self.name.setText(self.tr("Which part is which?"))
        self.button.setText(self.tr("Show the tensors …"))
        self.meaning.setText(
            self.tr("The tensors of the file with the part that each is, and a comparison with an output.")
        )

    def refresh(self) -> None:
        self.retranslate()


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())
