"""Questions about a checkpoint: choices, files, and their list."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from PySide6.QtCore import QEvent, QPoint, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QFileDialog,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from bertviz_app.checkpoint.questions import LARGEST_ALPHA, Questions, Value
from bertviz_app.viewmodels.runs.answering import EPSILONS, Answering, Verdict, as_typed
from bertviz_app.viewmodels.wording import error_text
from bertviz_app.views.kit.canvas import Guarded
from bertviz_app.views.kit.card import Segments
from bertviz_app.views.kit.look import Look, named, restyle

_MOST_OFFERED = 8


class Wording(NamedTuple):
    """The texts of a question in the language in force; `choices`: text and tool tip of each answer.

    `meaning`: "" where it depends on the checkpoint.
    """

    name: str
    meaning: str = ""
    choices: Mapping[Value, tuple[str, str]] = MappingProxyType({})


class QuestionRow(QWidget):
    """A name, the widgets to answer it with, the verdict on the answer, and what the question means."""

    def __init__(self, answering: Answering) -> None:
        super().__init__()
        self._answering = answering
        self.wording = self.words()
        self.name = named(QLabel(self.wording.name), "title")
        self.verdict = named(QLabel(), "verdict")
        self.meaning = named(QLabel(self.wording.meaning, wordWrap=True), "secondary")
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

    @abstractmethod
    def words(self) -> Wording:
        """Return the texts in the language in force."""

    def show_verdict(self, words: str, verdict: Verdict) -> None:
        """Write the verdict on the answer, in the colour of its kind."""
        tone = {"open": "", "fine": "", "unusual": "warning"}.get(verdict, "error")
        self.verdict.setText(words)
        if self.verdict.property("tone") != tone:
            self.verdict.setProperty("tone", tone)
            restyle(self.verdict)

    def take_cursor(self) -> None:
        """Give the keyboard focus to the widget that answers the question."""

    def refresh(self) -> None:
        """Show what is typed, and whether it can be used."""


class TypedQuestion(QuestionRow):
    """A question that is answered by typing, or by a click on one of the answers that are offered."""

    def __init__(self, answering: Answering) -> None:
        super().__init__(answering)
        self.field = named(QLineEdit(), "answer")
        self.field.setAccessibleName(self.name.text())
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

    def words(self) -> Wording:
        return Wording(self.tr("Heads in each layer"))

    def refresh(self) -> None:
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

    def words(self) -> Wording:
        return Wording(
            self.tr("Epsilon of the layer norms"),
            self.tr(
                "Added to the variance, so that nothing is divided by 0: eps, layer_norm_eps. A wrong one is "
                "seen only beside the numbers of the model's own code: hidden states differ in their later "
                "digits."
            ),
        )

    def refresh(self) -> None:
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
        self.field.setAccessibleName(self.name.text())
        self.field.setPlaceholderText(self.tr("negative, positive"))
        self.row.addWidget(self.field, 1)
        self.field.textEdited.connect(self._on_text_edited)

    def take_cursor(self) -> None:
        self.field.setFocus()
        self.field.selectAll()

    def words(self) -> Wording:
        return Wording(
            self.tr("Names of the classes"),
            self.tr("In their order, with commas between them. Without names they are numbered."),
        )

    def refresh(self) -> None:
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
        self.button = QPushButton(self.tr("Show the tensors …"))
        self.row.addWidget(self.button)
        self.row.addStretch(1)
        self.button.clicked.connect(self.asked)

    def take_cursor(self) -> None:
        self.button.setFocus()

    def words(self) -> Wording:
        return Wording(
            self.tr("Which part is which?"),
            self.tr("The tensors of the file with the part that each is, and a comparison with an output."),
        )


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


class ChoiceQuestion(QuestionRow):
    """A question with a button for each answer; `field` is its name in `Answers`."""

    field = ""

    def __init__(self, answering: Answering) -> None:
        super().__init__(answering)
        choices = self.wording.choices
        self._keys = {str(value): value for value in choices}
        self.choice = Segments([(str(value), *texts) for value, texts in choices.items()])
        self.choice.chosen.connect(lambda key: answering.typed.choose(self.field, self._keys[key]))
        self.row.addWidget(self.choice)
        self.row.addStretch(1)

    def remark(self) -> str:
        """Return what the files suggest, or ""."""
        return ""

    def take_cursor(self) -> None:
        self.choice.take_cursor()

    def refresh(self) -> None:
        """Show the current state; an answer that this checkpoint cannot have is disabled."""
        open_questions, chosen = self._answering.open_questions, self._answering.typed.chosen.get(self.field)
        if chosen is None:
            self.choice.choose_none()
        elif str(chosen) in self._keys:
            self.choice.choose(str(chosen))
        if open_questions is not None:
            possible = open_questions.questions.choices.get(self.field, tuple(self._keys.values()))
            for key, value in self._keys.items():
                self.choice.offer(key, is_offered=value in possible)
        self.show_verdict(self.remark(), "open")


class CaseQuestion(ChoiceQuestion):
    """Whether text is lower-cased."""

    field = "lower_case"

    def words(self) -> Wording:
        return Wording(
            self.tr("Is text made lower-case first?"),
            self.tr(
                "This also removes accents and splits Hangul into letters. With a wrong answer, the strip "
                "shows [UNK] or single letters for common words."
            ),
            {
                True: (self.tr("Yes"), self.tr("do_lower_case: true, an “uncased” model")),
                False: (self.tr("No"), self.tr("do_lower_case: false, a “cased” model")),
            },
        )

    def remark(self) -> str:
        """Return what the vocabulary suggests."""
        found = self._answering.open_questions
        seems = None if found is None else found.questions.seems_lower_case
        words: dict[bool | None, str] = {
            True: self.tr("Likely: its vocabulary has no capital letters."),
            False: self.tr("Unlikely: its vocabulary has capital letters or whole syllables."),
        }
        return words.get(seems, "")


class PositionsQuestion(ChoiceQuestion):
    """Which position embeddings are computed, where none are stored."""

    field = "positions"

    def words(self) -> Wording:
        return Wording(
            self.tr("Position embeddings"),
            self.tr(
                "The file has none. Code that computes them uses one of two formulas; look for 10000 in it. "
                "With a wrong one all numbers are wrong, and attention to neighbouring tokens is blurred."
            ),
            {
                "textbook": (
                    self.tr("Textbook"),
                    self.tr("sin and cos of pos / 10000^(2·⌊column / 2⌋ / width): a frequency for each pair"),
                ),
                "columns": (
                    self.tr("By column"),
                    self.tr("sin or cos of pos / 10000^(2·column / width): a frequency for each column"),
                ),
                "none": (self.tr("None"), self.tr("The model does not know the order of its tokens")),
            },
        )


class NormFirstQuestion(ChoiceQuestion):
    """Whether the norms of a layer precede its parts."""

    field = "norm_first"

    def words(self) -> Wording:
        return Wording(
            self.tr("Where are the layer norms?"),
            self.tr("norm_first of torch.nn.TransformerEncoderLayer; False unless it was given."),
            {
                False: (self.tr("After the sums"), self.tr("norm_first=False, as in BERT")),
                True: (self.tr("Before the parts"), self.tr("norm_first=True")),
            },
        )


class ScalesTokensQuestion(ChoiceQuestion):
    """Whether token embeddings are multiplied by the square root of their width."""

    field = "scales_tokens"

    def words(self) -> Wording:
        return Wording(
            self.tr("Are token embeddings scaled?"),
            self.tr("Look for math.sqrt(d_model) where the embedding is called."),
            {
                True: (
                    self.tr("Yes"),
                    self.tr("embedding(ids) * math.sqrt(d_model)"),
                ),
                False: (self.tr("No"), self.tr("They are used as they are stored")),
            },
        )


class SampleDeviationQuestion(ChoiceQuestion):
    """What the norms divide by."""

    field = "sample_deviation"

    def words(self) -> Wording:
        return Wording(
            self.tr("What do the layer norms divide by?"),
            self.tr(
                "A norm of its own class, with x.std(-1) in it, divides by the sample standard deviation; "
                "nn.LayerNorm by the root of the variance."
            ),
            {
                False: (self.tr("Variance"), self.tr("√(variance + epsilon), as nn.LayerNorm")),
                True: (self.tr("x.std()"), self.tr("The sample standard deviation + epsilon")),
            },
        )


class TransposedQuestion(ChoiceQuestion):
    """How matrices are stored."""

    field = "transposed"

    def words(self) -> Wording:
        return Wording(
            self.tr("How are the matrices stored?"),
            self.tr("nn.Linear stores [out, in]; parameters that code multiplies as x @ W are [in, out]."),
            {
                False: (self.tr("[out, in]"), self.tr("As nn.Linear has them")),
                True: (self.tr("[in, out]"), self.tr("x @ W, or Conv1D of GPT-2")),
            },
        )


class LoneNormQuestion(ChoiceQuestion):
    """Where a norm outside of the layers stands."""

    field = "lone_norm"

    def words(self) -> Wording:
        return Wording(
            self.tr("Where is the norm outside of the layers?"),
            self.tr("The file has one, and its name does not show where the model's forward calls it."),
            {
                "embeddings": (self.tr("After the embeddings"), self.tr("Before the first layer")),
                "last": (self.tr("After the last layer"), self.tr("As in encoders whose norms come first")),
            },
        )


class ScoreScaleQuestion(ChoiceQuestion):
    """What scores are divided by."""

    field = "score_scale"

    def words(self) -> Wording:
        return Wording(
            self.tr("What are the scores divided by?"),
            self.tr("Before the softmax; look for math.sqrt, ** 0.5 or scale in the attention."),
            {
                "head": (
                    self.tr("√ head width"),
                    self.tr("The square root of the width of a head, as in BERT"),
                ),
                "width": (
                    self.tr("√ model width"),
                    self.tr("The square root of the width of the hidden states"),
                ),
                "none": (self.tr("Nothing"), self.tr("Scores go into the softmax as they are")),
            },
        )


class FirstSegmentQuestion(ChoiceQuestion):
    """The segment of sentence 1."""

    field = "first_segment"

    def words(self) -> Wording:
        return Wording(
            self.tr("Which segment has sentence 1?"),
            self.tr(
                "Where segment 0 is that of padding, as in code after codertimo's, sentences have 1 and 2."
            ),
            {
                0: ("0", self.tr("Sentences 1 and 2 have segments 0 and 1")),
                1: ("1", self.tr("They have 1 and 2")),
            },
        )


class ActivationQuestion(ChoiceQuestion):
    """The activation of the feed-forward part."""

    field = "activation"

    def words(self) -> Wording:
        return Wording(
            self.tr("Activation of the feed-forward part"),
            self.tr("activation of torch.nn.TransformerEncoderLayer; relu unless it was given."),
            _activations(self.tr("GELU by tanh")),
        )


class ClassifierReadsQuestion(ChoiceQuestion):
    """What the head for whole texts reads."""

    field = "classifier_reads"

    def words(self) -> Wording:
        return Wording(
            self.tr("What does the classifier read?"),
            self.tr(
                "The model's forward says what it is given. A wrong answer makes its probabilities wrong."
            ),
            {
                "pooled": (self.tr("Pooled"), self.tr("The pooled vector")),
                "first": ("[CLS]", self.tr("The first token: hidden[:, 0]")),
                "mean": (self.tr("Mean"), self.tr("The mean of all tokens: hidden.mean(1)")),
                "max": (self.tr("Maximum"), self.tr("The largest numbers of all tokens: hidden.max(1)")),
                "none": (self.tr("Leave it out"), self.tr("No probabilities are shown")),
            },
        )


class ClassifierActivationQuestion(ChoiceQuestion):
    """The activation between the dense layers of a head."""

    field = "classifier_activation"

    def words(self) -> Wording:
        return Wording(
            self.tr("Activation within the classifier"),
            self.tr("It has several dense layers; this is applied between them."),
            {
                **_activations(self.tr("GELU by tanh")),
                "none": (self.tr("None"), self.tr("One layer reads what the other returns")),
            },
        )


class FollowsQuestion(ChoiceQuestion):
    """Which output of the head for next sentences says that sentence 2 follows."""

    field = "follows"

    def words(self) -> Wording:
        return Wording(
            self.tr("Which output says that sentence 2 follows?"),
            self.tr(
                "The label of true pairs in the training data: is_next. BERT has 0, many notebooks have 1."
            ),
            {0: ("0", self.tr("The first output")), 1: ("1", self.tr("The second output"))},
        )


def _activations(by_tanh: str) -> dict[Value, tuple[str, str]]:
    return {
        "relu": ("ReLU", "relu"),
        "gelu": ("GELU", "gelu"),
        "gelu_new": (by_tanh, 'gelu(x, approximate="tanh")'),
        "silu": ("SiLU", "silu, swish"),
        "tanh": ("tanh", "torch.tanh"),
    }


_MOST_LINKS = 3


class AdapterQuestion(ChoiceQuestion):
    """Whether an adapter beside the weights is added to them."""

    field = "adapter"

    def words(self) -> Wording:
        return Wording(
            self.tr("Is the adapter added to the weights?"),
            self.tr(
                "The folder holds a whole model and an adapter. If the model was saved after the adapter was "
                "merged into it, adding it again would count it twice."
            ),
            {
                True: (self.tr("Add it"), self.tr("The model with the adapter added to its weights")),
                False: (self.tr("Leave it out"), self.tr("The model as its own weights have it")),
            },
        )


class LinksQuestion(ChoiceQuestion):
    """Whether links that lead out of the folder are followed."""

    field = "links"

    def words(self) -> Wording:
        return Wording(
            self.tr("Follow the links in the folder?"),
            choices={True: (self.tr("Follow them"), self.tr("Read the files that the links lead to"))},
        )

    def refresh(self) -> None:
        super().refresh()
        open_questions = self._answering.open_questions
        links = () if open_questions is None else open_questions.questions.links
        listed = ", ".join(links[:_MOST_LINKS]) + (" …" if len(links) > _MOST_LINKS else "")
        self.meaning.setText(
            self.tr(
                "They lead out of it, to: {0}. Allow this only in a folder that you made yourself; a link "
                "that is changed later is asked about again."
            ).format(listed)
        )


class BaseQuestion(TypedQuestion):
    """Which checkpoint an adapter is added to."""

    def words(self) -> Wording:
        return Wording(
            self.tr("The checkpoint that the adapter is added to"),
            self.tr("A folder, or org/name: a model of the hub that is not on this computer is downloaded."),
        )

    def refresh(self) -> None:
        open_questions = self._answering.open_questions
        stated = "" if open_questions is None else open_questions.questions.base
        tip = self.tr("The name in the adapter's own file")
        self.offer([(stated, tip)] if stated else [])
        self.show_typed(str(self._answering.typed.chosen.get("base", "")))

    @Slot(str)
    def _on_text_edited(self, text: str) -> None:
        self._answering.typed.choose("base", text if text.strip() else None)


class TokenizerQuestion(TypedQuestion):
    """The folder of the tokenizer that texts are read with."""

    def __init__(self, answering: Answering) -> None:
        super().__init__(answering)
        self.choose = named(QPushButton(self.tr("Choose a tokenizer folder …")), "small")
        self.row.insertWidget(1, self.choose)
        named(self.field, "answers")  # which may be wide: it is a path
        self.row.setStretchFactor(self.field, 8)
        self.choose.clicked.connect(self._on_choose_clicked)

    def words(self) -> Wording:
        return Wording(
            self.tr("The folder of the tokenizer"),
            self.tr(
                "With vocab.txt, tokenizer.json, or a SentencePiece .model: the tokenizer that the model was "
                "trained with. Its ids and special tokens are compared with the weights; what fits by chance "
                "only gives numbers that mean nothing. An empty field means the checkpoint's own."
            ),
        )

    def refresh(self) -> None:
        self.offer([])
        self.show_typed(str(self._answering.typed.chosen.get("tokenizer", "")))

    @Slot(str)
    def _on_text_edited(self, text: str) -> None:
        self._answering.typed.choose("tokenizer", text.strip())

    @Slot()
    def _on_choose_clicked(self) -> None:
        title = self.tr("Choose the folder of a tokenizer")
        folder = QFileDialog.getExistingDirectory(self, title, self.field.text())
        if folder:
            self._on_text_edited(folder)


class AlphaQuestion(TypedQuestion):
    """The numerator of the scale of a LoRA among the weights."""

    def __init__(self, answering: Answering) -> None:
        super().__init__(answering)
        self._text = ""

    def words(self) -> Wording:
        return Wording(
            self.tr("Alpha of the LoRA"),
            self.tr(
                "The product of its two matrices is multiplied by alpha / rank: look for lora_alpha in the "
                "code that trained it. 0 if the weights were saved in evaluation mode: loralib had added it "
                "then."
            ),
        )

    def refresh(self) -> None:
        open_questions, chosen = (
            self._answering.open_questions,
            self._answering.typed.chosen.get("lora_alpha"),
        )
        self._offer(Questions() if open_questions is None else open_questions.questions)
        if open_questions is not None and "lora_alpha" not in open_questions.names:
            self._text = ""
        if _number(self._text) != chosen:
            self._text = "" if chosen is None else f"{chosen:g}"
        self.show_typed(self._text)
        is_wrong = bool(self._text.strip()) and chosen is None
        self.show_verdict(
            self.tr("Enter a number of 0 or more.") if is_wrong else "", "no number" if is_wrong else "fine"
        )

    def _offer(self, questions: Questions) -> None:
        rank = questions.rank
        tips = {
            1: self.tr("loralib, the default"),
            rank: self.tr("A scale of 1"),
            2 * rank: self.tr("A scale of 2"),
        }
        usual = [(str(alpha), tip) for alpha, tip in sorted(tips.items()) if alpha]
        self.offer([("0", self.tr("The weights include it already")), *usual])

    @Slot(str)
    def _on_text_edited(self, text: str) -> None:
        self._text = text
        self._answering.typed.choose("lora_alpha", _number(text))


def _number(text: str) -> float | None:
    try:
        found = float(text.strip().replace(",", "."))
    except ValueError:
        return None
    return found if 0 <= found < LARGEST_ALPHA else None


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

    def height_of_all(self, width: int) -> int:
        """Return how high all visible questions are at this width."""
        body = self.widget()
        inner = None if body is None else body.layout()
        assert inner is not None
        return inner.heightForWidth(width)


_WIDTH = 640
_EDGE = 10


class AnswerForm(Guarded, QFrame):
    """Lies under the picker of checkpoints, without blocking the window; Enter opens, Escape cancels."""

    def __init__(self, look: Look, answering: Answering, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("form")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._look = look
        self._answering = answering
        self._field: QWidget | None = None
        self.title = named(QLabel(wordWrap=True), "title")
        self.questions = QuestionList(answering)
        self._error = named(QLabel(wordWrap=True), "wrong")
        self._where = named(QLabel(wordWrap=True), "secondary")
        self.give_up, self.open_button = QPushButton(self.tr("Cancel")), QPushButton(self.tr("Open"))
        for label in (self.title, self._error, self._where):
            label.setTextFormat(Qt.TextFormat.PlainText)
        self._lay_out()
        self.give_up.clicked.connect(answering.cancel)
        self.open_button.clicked.connect(answering.answer)
        answering.changed.connect(self.refresh)
        look.changed.connect(self.follow)
        self.hide()
        self.refresh()

    def _lay_out(self) -> None:
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self._where, 1)
        row.addWidget(self.give_up)
        row.addWidget(self.open_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 12, 16, 12)
        column.setSpacing(12)
        column.addWidget(self.title)
        column.addWidget(self.questions, 1)
        column.addWidget(self._error)
        column.addLayout(row)

    def ask(self, field: QWidget) -> None:
        """Show the open questions under `field`, with the cursor in the first one."""
        self._field = field
        if not self.isVisible():
            self.refresh()
            self.show()
        self.follow()
        self.raise_()

    def take_cursor(self) -> None:
        """Put the cursor into the first question."""
        open_questions = self._answering.open_questions
        if open_questions is not None:
            self.questions.by_name[open_questions.names[0]].take_cursor()

    @property
    def message(self) -> str:
        """What is wrong with the checkpoint as it was answered, "" if nothing is."""
        return self._error.text()

    @Slot()
    def refresh(self) -> None:
        """Show the questions, what is typed and whether it can be used; hide without questions."""
        answering, open_questions = self._answering, self._answering.open_questions
        if open_questions is None:
            self.hide()
            return
        name = self.tr("the checkpoint") if open_questions.ref is None else _name_of(open_questions.ref)
        self.title.setText(
            self.tr("The files of {0} do not say everything").format(name)
            if open_questions.questions.unanswered
            else self.tr("Answers about {0}").format(name)
        )
        self.questions.show_questions(open_questions.names)
        self._error.setText("" if answering.error is None else error_text(answering.error))
        self._error.setVisible(answering.error is not None)
        self._where.setText(self._state())
        self.open_button.setEnabled(answering.typed.answers is not None)
        self.follow()

    def _state(self) -> str:
        open_questions = self._answering.open_questions
        if not self._answering.is_busy and open_questions is not None and open_questions.names == ("links",):
            return self.tr("Saved with the settings of this program.")
        if not self._answering.is_busy:
            return self.tr("Saved beside the checkpoint, in bertviz_app.json.")
        done = self._answering.progress
        return self.tr("opening …") if done is None else self.tr("opening … {0}").format(f"{done:.0%}")

    @Slot()
    def follow(self) -> None:
        """Lie under the field, within the window; what has no room is scrolled to."""
        window, field = self.parentWidget(), self._field
        if window is None or field is None:
            return
        corner = field.mapTo(window, QPoint(0, field.height() + 6))
        width = min(self._look.pixels(_WIDTH), window.width() - 2 * _EDGE)
        left = max(_EDGE, min(corner.x(), window.width() - width - _EDGE))
        room = window.height() - corner.y() - _EDGE
        self.setGeometry(left, corner.y(), width, min(self._height(width), room))

    def _height(self, width: int) -> int:
        """Return how high everything is at this width."""
        column = self.layout()
        assert column is not None
        margins = column.contentsMargins()
        within = width - margins.left() - margins.right()
        self.questions.setMinimumHeight(0)
        around = column.heightForWidth(width) - self.questions.sizeHint().height()
        return around + self.questions.height_of_all(within) + 2

    def event(self, event: QEvent) -> bool:
        """Take Escape before the shortcut of the window, which unpins what is pinned."""
        is_override = event.type() == QEvent.Type.ShortcutOverride
        if is_override and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        is_enter = key in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if key == Qt.Key.Key_Escape or (is_enter and self.give_up.hasFocus()):
            self._answering.cancel()
        elif is_enter:
            self._answering.answer()
        else:
            event.ignore()


def _name_of(ref: str) -> str:
    """Return what a checkpoint is called before it is open: a folder or a file by its own name."""
    return Path(ref).name if Path(ref).is_absolute() else ref
