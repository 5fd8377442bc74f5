"""The questions about a checkpoint that are answered by choosing one of a few answers."""

from __future__ import annotations

from abc import abstractmethod
from typing import NamedTuple

from bertviz_app.checkpoint.questions import Value
from bertviz_app.viewmodels.runs.answering import Answering
from bertviz_app.views.bars.answer_questions import QuestionRow
from bertviz_app.views.kit.card import Segments


class Wording(NamedTuple):
    """The texts of a question in the current language; `choices`: text and tool tip of each answer."""

    name: str
    meaning: str
    choices: dict[Value, tuple[str, str]]


class ChoiceQuestion(QuestionRow):
    """A question with a button for each answer; `field` is its name in `Answers`."""

    field = ""

    def __init__(self, answering: Answering) -> None:
        super().__init__(answering)
        self._keys = {str(value): value for value in self.words().choices}
        self.choice = Segments([(key, "", "") for key in self._keys])
        self.choice.chosen.connect(lambda key: answering.typed.choose(self.field, self._keys[key]))
        self.row.addWidget(self.choice)
        self.row.addStretch(1)

    @abstractmethod
    def words(self) -> Wording:
        """Return the texts in the current language."""

    def remark(self) -> str:
        """Return what the files suggest, or ""."""
        return ""

    def take_cursor(self) -> None:
        self.choice.take_cursor()

    def retranslate(self) -> None:
        words = self.words()
        self.name.setText(words.name)
        self.meaning.setText(words.meaning)
        self.choice.set_texts({str(value): texts for value, texts in words.choices.items()})

    def refresh(self) -> None:
        """Show the current state; an answer that this checkpoint cannot have is disabled."""
        self.retranslate()
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
