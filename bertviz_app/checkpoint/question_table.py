"""What may be asked about a checkpoint: a row for each question; its answers read, judged and saved.

Loads no torch.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from numbers import Integral, Real
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, TypeGuard

from bertviz_app import paths
from bertviz_app.checkpoint.folder import ANSWERS, file_in, read_object, settings_file
from bertviz_app.checkpoint.questions import (
    MOST_HEADS,
    NO_ANSWERS,
    Answers,
    AnswersError,
    Questions,
    Value,
    validate_parts,
)
from bertviz_app.errors import CheckpointError, FileError, Message, shown
from bertviz_app.json_store import decode
from bertviz_app.values import dataclass, fields

LARGEST_ALPHA = 1e6
MOST_OFFERED = 8
"""How many answers of a field are offered at most."""


class AnswerKind(NamedTuple):
    """What the answers to a question are: `words` name them, and `accepts` says whether a value is one.

    `read` returns the answer that a text is, None for a text that is none; on the command line `metavar`
    stands for the answer, and `refused` says what such a text is not.
    """

    words: Message
    accepts: Callable[[Any], bool]
    metavar: str | None = None
    read: Callable[[str], Any] = str.strip
    refused: str = ""


class Offer(NamedTuple):
    """An answer, its name on a button, and the tool tip of that."""

    value: Value
    words: str
    tip: str


class TypedVerdict(NamedTuple):
    """What is known of a typed text: nothing yet ("open"), or the answer `value` that it is, unless "wrong".

    What is "unusual" can be answered, too. `words` say why.
    """

    kind: Literal["open", "fine", "unusual", "wrong"]
    words: str = ""
    value: Value | None = None


@dataclass(frozen=True)
class CheckpointQuestion:
    """A question about a checkpoint, as the window, the command line and Python ask it: a row of `QUESTIONS`.

    In the window `title` and `meaning` stand around what it is answered with. Where there are `choices`, that
    is a button for each, and `remark` says what the files suggest. Else it is a field to type in, beside
    buttons for its `offers` (text, tool tip): `unread` is said of a text that is no answer of the `kind`,
    `outside` of a value beyond its bounds, and `judge` checks the others against the checkpoint. `empty` is
    the answer that an empty field is. What depends on the checkpoint is a function of its `Questions`.

    On the command line it is the `option`, and `no` answers it with False; `help` and `no_help` stand in
    --help, and `example` follows the option in a hint. `python` is an answer in Python, where its first word
    is none.
    """

    title: Message
    kind: AnswerKind
    option: str
    help: str
    meaning: str | Callable[[Questions], str]
    choices: tuple[Offer, ...] = ()
    remark: Callable[[Questions], str] = lambda _: ""
    offers: Callable[[Questions], list[tuple[str, str]]] = lambda _: []
    unread: str = ""
    outside: str = ""
    judge: Callable[[Any, Questions], TypedVerdict] = lambda value, _: TypedVerdict("fine", value=value)
    empty: Value | None = None
    placeholder: str = ""
    no: str = ""
    no_help: str = "they do not"
    example: str = ""
    python: str = ""

    @property
    def is_typed(self) -> bool:
        """Whether it is answered in a field, in which the answer is typed."""
        return not self.choices and self.kind is not PARTS

    @property
    def offered(self) -> tuple[Value, ...]:
        return tuple(choice.value for choice in self.choices)

    @property
    def words(self) -> Message:
        """What its answers are, for an error."""
        return (
            Message("one of {0}", ", ".join(map(str, self.offered))) if self.kind is ONE else self.kind.words
        )

    @property
    def in_python(self) -> str:
        first = self.example.partition(" ")[0]
        return self.python or (f'"{first}"' if self.kind in (ONE, NAME) else first or "True")

    def accepts(self, value: object) -> bool:
        """Return whether `value` can be an answer, if perhaps not for this checkpoint."""
        return value in self.offered if self.kind is ONE else self.kind.accepts(value)

    def judged(self, text: str, questions: Questions) -> TypedVerdict:
        """Return what a text in its field is."""
        if not text.strip():
            return TypedVerdict("open", value=self.empty)
        value = self.kind.read(text)
        if value == ():
            return TypedVerdict("open")
        if value is None:
            return TypedVerdict("wrong", self.unread)
        if not self.kind.accepts(value):
            return TypedVerdict("wrong", self.outside or self.unread)
        return self.judge(value, questions)


def as_typed(value: Value) -> str:
    """Return an answer as people write it: 1e-5, not 1e-05; names with commas between them."""
    if isinstance(value, tuple):
        return ", ".join(value)
    return f"{value:.12g}".replace("e-0", "e-") if isinstance(value, float) else str(value)


def _whole(text: str) -> int | None:
    text = text.strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 9 else None


def _number(text: str) -> float | None:
    try:
        return float(text.strip().replace(",", "."))
    except ValueError:
        return None


def _names(text: str) -> tuple[str, ...] | None:
    """Return the names between commas, None where one is missing; one at the end may still be typed."""
    text = text.strip(", ")
    names = tuple(name.strip() for name in text.split(",")) if text else ()
    return None if "" in names else names


def _is_whole(value: object, least: int, most: int) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool) and least <= int(value) <= most


def _is_real(value: object) -> TypeGuard[float]:
    return isinstance(value, Real) and not isinstance(value, bool)


def _are_names(value: object) -> bool:
    return isinstance(value, list | tuple) and bool(value) and all(isinstance(name, str) for name in value)


def _are_parts(value: object) -> bool:
    if isinstance(value, Mapping):
        return all(isinstance(each, str) for item in value.items() for each in item)
    return _is_path(value)


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_path(value: object) -> bool:
    return isinstance(value, str | PathLike)


YES_OR_NO = AnswerKind(Message("True or False"), lambda value: isinstance(value, bool))
COUNT = AnswerKind(
    Message("a whole number above 0"),
    lambda value: _is_whole(value, 1, MOST_HEADS),
    "N",
    _whole,
    f"no count from 1 to {MOST_HEADS}",
)
EPSILON = AnswerKind(
    Message("a small number above 0"),
    lambda value: _is_real(value) and 0 < value < 1,
    "E",
    _number,
    "no small number such as 1e-5",
)
ALPHA = AnswerKind(
    Message("a number, 0 or more"),
    lambda value: _is_real(value) and 0 <= value < LARGEST_ALPHA,
    "N",
    _number,
    "no number from 0",
)
SEGMENT = AnswerKind(
    Message("the number of a segment, 0 or 1"), lambda value: _is_whole(value, 0, 1), read=int
)
ROW = AnswerKind(Message("the number of a row, 0 to 2"), lambda value: _is_whole(value, 0, 2), read=int)
OUTPUT = AnswerKind(
    Message("the number of an output, 0 or 1"), lambda value: _is_whole(value, 0, 1), read=int
)
ONE = AnswerKind(Message("one of {0}"), _is_text)
"""One of the texts that can be chosen."""
NAME = AnswerKind(Message("a name"), _is_text, "NAME")
NAMES = AnswerKind(
    Message("a list of names"), _are_names, "A,B,…", _names, "no list of names like negative,positive"
)
PARTS = AnswerKind(Message("a dictionary of names and parts, or a JSON file"), _are_parts, "FILE", Path)
REF = AnswerKind(Message("a folder, a name or a model of the hub"), _is_path, "REF")
FOLDER = AnswerKind(Message("a folder"), _is_path, "FOLDER")

_NARROWEST_HEAD, _WIDEST_HEAD = 8, 256  # beyond these a head is unusual
_LARGEST_EPSILON = 1e-3  # beyond this a norm is no longer one
_MOST_LINKS = 3


def _judged_heads(n_heads: int, questions: Questions) -> TypedVerdict:
    wide, rest = divmod(questions.n_shared, n_heads)
    if rest:
        return TypedVerdict(
            "wrong", Message("{0} heads cannot share {1} numbers.", n_heads, questions.n_shared)
        )
    if not _NARROWEST_HEAD <= wide <= _WIDEST_HEAD:
        return TypedVerdict("unusual", Message("Each {0} numbers wide, which is unusual.", wide), n_heads)
    return TypedVerdict("fine", Message("Each {0} numbers wide.", wide), n_heads)


def _offered_heads(questions: Questions) -> list[tuple[str, str]]:
    return [
        (str(count), Message("Each head is {0} numbers wide", questions.n_shared // count))
        for count in sorted(questions.head_counts()[:MOST_OFFERED])
    ]


def _judged_epsilon(epsilon: float, questions: Questions) -> TypedVerdict:
    if epsilon > _LARGEST_EPSILON:
        return TypedVerdict("unusual", Message("This is unusually large."), epsilon)
    return TypedVerdict("fine", value=epsilon)


def _judged_labels(labels: tuple[str, ...], questions: Questions) -> TypedVerdict:
    if len(labels) != questions.n_classes:
        return TypedVerdict("wrong", Message("There are {0} classes.", questions.n_classes))
    return TypedVerdict("fine", value=labels)


def _offered_alphas(questions: Questions) -> list[tuple[str, str]]:
    tips = {
        1: Message("loralib, the default"),
        questions.rank: Message("A scale of 1"),
        2 * questions.rank: Message("A scale of 2"),
    }
    usual = [(str(alpha), tip) for alpha, tip in sorted(tips.items()) if alpha]
    return [("0", Message("The weights include it already")), *usual]


def _likely_case(questions: Questions) -> str:
    if questions.seems_lower_case is None:
        return ""
    if questions.seems_lower_case:
        return Message("Likely: its vocabulary has no capital letters.")
    return Message("Unlikely: its vocabulary has capital letters or whole syllables.")


def _about_links(questions: Questions) -> str:
    return Message(
        "They lead out of it, to: {0}. Allow this only in a folder that you made yourself; a link that is "
        "changed later is asked about again.",
        ", ".join(questions.links[:_MOST_LINKS]) + (" …" if len(questions.links) > _MOST_LINKS else ""),
    )


_ACTIVATIONS = (
    Offer("relu", "ReLU", "relu"),
    Offer("gelu", "GELU", "gelu"),
    Offer("gelu_new", Message("GELU by tanh"), 'gelu(x, approximate="tanh")'),
    Offer("silu", "SiLU", "silu, swish"),
    Offer("tanh", "tanh", "torch.tanh"),
)

QUESTIONS: Mapping[str, CheckpointQuestion] = MappingProxyType(
    {
        "n_heads": CheckpointQuestion(
            Message("Heads in each layer"),
            COUNT,
            "--heads",
            "how many heads a layer has",
            lambda questions: Message(
                "They share the {0} numbers of a query. The code that trained the model says how many: "
                "n_head, num_heads. It opens with a wrong count too; its heads then mix what belongs to "
                "others, and none shows a clear pattern.",
                questions.n_shared,
            ),
            offers=_offered_heads,
            unread=Message("Enter a whole number."),
            outside=Message("There are 1 to 1,000 heads."),
            judge=_judged_heads,
            example="12",
        ),
        "norm_eps": CheckpointQuestion(
            Message("Epsilon of the layer norms"),
            EPSILON,
            "--eps",
            "what its layer norms add, as 1e-5",
            Message(
                "Added to the variance, so that nothing is divided by 0: eps, layer_norm_eps. A wrong one is "
                "seen only beside the numbers of the model's own code: hidden states differ in their later "
                "digits."
            ),
            offers=lambda _: [
                ("1e-12", Message("BERT's own code")),
                ("1e-5", Message("PyTorch, the default")),
                ("1e-6", Message("Others")),
            ],
            unread=Message("This is no number such as 1e-5."),
            outside=Message("It is above 0 and below 1."),
            judge=_judged_epsilon,
            example="1e-5",
        ),
        "lower_case": CheckpointQuestion(
            Message("Is text made lower-case first?"),
            YES_OR_NO,
            "--lower-case",
            "its vocabulary is lower-case",
            Message(
                "This also removes accents and splits Hangul into letters. With a wrong answer, the strip "
                "shows [UNK] or single letters for common words."
            ),
            (
                Offer(True, Message("Yes"), Message("do_lower_case: true, an “uncased” model")),
                Offer(False, Message("No"), Message("do_lower_case: false, a “cased” model")),
            ),
            remark=_likely_case,
            no="--cased",
            no_help="its vocabulary is not",
        ),
        "positions": CheckpointQuestion(
            Message("Position embeddings"),
            ONE,
            "--positions",
            "position embeddings that are not stored: sines and cosines of Vaswani et al. 2017, those with a "
            "frequency for each column, or none",
            Message(
                "The file has none. Code that computes them uses one of two formulas; look for 10000 in it. "
                "With a wrong one all numbers are wrong, and attention to neighbouring tokens is blurred."
            ),
            (
                Offer(
                    "textbook",
                    Message("Textbook"),
                    Message("sin and cos of pos / 10000^(2·⌊column / 2⌋ / width): a frequency for each pair"),
                ),
                Offer(
                    "columns",
                    Message("By column"),
                    Message("sin or cos of pos / 10000^(2·column / width): a frequency for each column"),
                ),
                Offer("none", Message("None"), Message("The model does not know the order of its tokens")),
            ),
            example="textbook (or columns, none)",
        ),
        "scales_tokens": CheckpointQuestion(
            Message("Are token embeddings scaled?"),
            YES_OR_NO,
            "--scaled-tokens",
            "token embeddings are multiplied by the square root of their width",
            Message("Look for math.sqrt(d_model) where the embedding is called."),
            (
                Offer(True, Message("Yes"), "embedding(ids) * math.sqrt(d_model)"),
                Offer(False, Message("No"), Message("They are used as they are stored")),
            ),
            no="--unscaled-tokens",
        ),
        "norm_first": CheckpointQuestion(
            Message("Where are the layer norms?"),
            YES_OR_NO,
            "--norm-first",
            "the norms precede attention and sums",
            Message("norm_first of torch.nn.TransformerEncoderLayer; False unless it was given."),
            (
                Offer(False, Message("After the sums"), Message("norm_first=False, as in BERT")),
                Offer(True, Message("Before the parts"), "norm_first=True"),
            ),
            no="--norm-last",
        ),
        "sample_deviation": CheckpointQuestion(
            Message("What do the layer norms divide by?"),
            YES_OR_NO,
            "--sample-deviation",
            "its norms divide by the sample standard deviation + epsilon",
            Message(
                "A norm of its own class, with x.std(-1) in it, divides by the sample standard deviation; "
                "nn.LayerNorm by the root of the variance."
            ),
            (
                Offer(False, Message("Variance"), Message("√(variance + epsilon), as nn.LayerNorm")),
                Offer(True, "x.std()", Message("The sample standard deviation + epsilon")),
            ),
            no="--variance",
        ),
        "transposed": CheckpointQuestion(
            Message("How are the matrices stored?"),
            YES_OR_NO,
            "--transposed",
            "its matrices are stored as [in, out]",
            Message("nn.Linear stores [out, in]; parameters that code multiplies as x @ W are [in, out]."),
            (
                Offer(False, Message("[out, in]"), Message("As nn.Linear has them")),
                Offer(True, Message("[in, out]"), Message("x @ W, or Conv1D of GPT-2")),
            ),
            no="--untransposed",
        ),
        "lone_norm": CheckpointQuestion(
            Message("Where is the norm outside of the layers?"),
            ONE,
            "--lone-norm",
            "where a norm outside of the layers stands: after the embeddings, or after the last layer",
            Message("The file has one, and its name does not show where the model's forward calls it."),
            (
                Offer("embeddings", Message("After the embeddings"), Message("Before the first layer")),
                Offer(
                    "last", Message("After the last layer"), Message("As in encoders whose norms come first")
                ),
            ),
            example="embeddings (or last)",
        ),
        "score_scale": CheckpointQuestion(
            Message("What are the scores divided by?"),
            ONE,
            "--score-scale",
            "scores are divided by √ of the width of a head, by √ of the model's width, or by nothing",
            Message("Before the softmax; look for math.sqrt, ** 0.5 or scale in the attention."),
            (
                Offer(
                    "head",
                    Message("√ head width"),
                    Message("The square root of the width of a head, as in BERT"),
                ),
                Offer(
                    "width",
                    Message("√ model width"),
                    Message("The square root of the width of the hidden states"),
                ),
                Offer("none", Message("Nothing"), Message("Scores go into the softmax as they are")),
            ),
            example="head (or width, none)",
        ),
        "first_segment": CheckpointQuestion(
            Message("Which segment has sentence 1?"),
            SEGMENT,
            "--first-segment",
            "the segment of sentence 1; 1 where 0 is padding's",
            Message(
                "Where segment 0 is that of padding, as in code after codertimo's, sentences have 1 and 2."
            ),
            (
                Offer(0, "0", Message("Sentences 1 and 2 have segments 0 and 1")),
                Offer(1, "1", Message("They have 1 and 2")),
            ),
            example="0 (or 1)",
        ),
        "first_position": CheckpointQuestion(
            Message("Which row of the positions has the first token?"),
            ROW,
            "--first-position",
            "the row of the position embeddings that the first token has; 2 in fairseq",
            Message(
                "0 in most code; 1 where 0 is that of padding; 2 in fairseq, where padding has 1. A table "
                "with one or two rows more than a multiple of 32 is of such code."
            ),
            (
                Offer(0, "0", Message("The first row: arange(length)")),
                Offer(1, "1", "padding_idx = 0"),
                Offer(2, "2", "fairseq: padding_idx = 1"),
            ),
            example="0 (or 1, 2)",
        ),
        "activation": CheckpointQuestion(
            Message("Activation of the feed-forward part"),
            NAME,
            "--activation",
            "of the feed-forward part, as relu or gelu",
            Message("activation of torch.nn.TransformerEncoderLayer; relu unless it was given."),
            _ACTIVATIONS,
            example="relu (or gelu)",
        ),
        "classifier_reads": CheckpointQuestion(
            Message("What does the classifier read?"),
            ONE,
            "--classifier-reads",
            "what its classifier reads: the pooled vector, [CLS], the mean or the maximum of all tokens; "
            "none: it is not shown",
            Message(
                "The model's forward says what it is given. A wrong answer makes its probabilities wrong."
            ),
            (
                Offer("pooled", Message("Pooled"), Message("The pooled vector")),
                Offer("first", "[CLS]", Message("The first token: hidden[:, 0]")),
                Offer("mean", Message("Mean"), Message("The mean of all tokens: hidden.mean(1)")),
                Offer("max", Message("Maximum"), Message("The largest numbers of all tokens: hidden.max(1)")),
                Offer("none", Message("Leave it out"), Message("No probabilities are shown")),
            ),
            example="mean (or pooled, first, max, none)",
        ),
        "classifier_activation": CheckpointQuestion(
            Message("Activation within the classifier"),
            NAME,
            "--classifier-activation",
            "between its dense layers, as relu or none",
            Message("It has several dense layers; this is applied between them."),
            (
                *_ACTIVATIONS,
                Offer("none", Message("None"), Message("One layer reads what the other returns")),
            ),
            example="relu (or none)",
        ),
        "outputs": CheckpointQuestion(
            Message("What are the outputs of the classifier?"),
            ONE,
            "--classifier-outputs",
            "what its outputs are: one class of several, each a class by itself, or a number",
            Message("The loss of the training says it: CrossEntropyLoss, BCEWithLogitsLoss, or MSELoss."),
            (
                Offer("softmax", "Softmax", Message("One class of several: the probabilities sum to 1")),
                Offer("sigmoid", "Sigmoid", Message("Each is a class with a probability of its own")),
                Offer("number", Message("A number"), Message("Shown as it is: a regression")),
            ),
            example="sigmoid (or number)",
        ),
        "follows": CheckpointQuestion(
            Message("Which output says that sentence 2 follows?"),
            OUTPUT,
            "--follows",
            "the output for next sentences that says “it follows”",
            Message(
                "The label of true pairs in the training data: is_next. BERT has 0, many notebooks have 1."
            ),
            (Offer(0, "0", Message("The first output")), Offer(1, "1", Message("The second output"))),
            example="1 (or 0)",
        ),
        "adapter": CheckpointQuestion(
            Message("Is the adapter added to the weights?"),
            YES_OR_NO,
            "--adapter",
            "add the adapter beside the weights to them",
            Message(
                "The folder holds a whole model and an adapter. If the model was saved after the adapter was "
                "merged into it, adding it again would count it twice."
            ),
            (
                Offer(True, Message("Add it"), Message("The model with the adapter added to its weights")),
                Offer(False, Message("Leave it out"), Message("The model as its own weights have it")),
            ),
            no="--no-adapter",
            no_help="leave it out",
        ),
        "links": CheckpointQuestion(
            Message("Follow the links in the folder?"),
            YES_OR_NO,
            "--follow-links",
            "allow the links in the folder that lead out of it, as they are now",
            _about_links,
            (Offer(True, Message("Follow them"), Message("Read the files that the links lead to")),),
        ),
        "labels": CheckpointQuestion(
            Message("Names of the classes"),
            NAMES,
            "--labels",
            "the names of its classes",
            Message("In their order, with commas between them. Without names they are numbered."),
            unread=Message("A name is missing between two commas."),
            judge=_judged_labels,
            placeholder=Message("negative, positive"),
            example="negative,positive",
            python='["negative", "positive"]',
        ),
        "parts": CheckpointQuestion(
            Message("Which part is which?"),
            PARTS,
            "--parts",
            "a JSON file that says which part each tensor is; “parts” writes one",
            Message("The tensors of the file with the part that each is, and a comparison with an output."),
            example="FILE",
            python='"parts.json"',
        ),
        "base": CheckpointQuestion(
            Message("The checkpoint that the adapter is added to"),
            REF,
            "--base",
            "the checkpoint that an adapter is added to",
            Message("A folder, or org/name: a model of the hub that is not on this computer is downloaded."),
            offers=lambda questions: (
                [(questions.base, Message("The name in the adapter's own file"))] if questions.base else []
            ),
            example="FOLDER (or org/name)",
            python='"folder/of/the/base"',
        ),
        "lora_alpha": CheckpointQuestion(
            Message("Alpha of the LoRA"),
            ALPHA,
            "--lora-alpha",
            "of a LoRA among the weights, whose scale is N / rank; 0 where they hold it already",
            Message(
                "The product of its two matrices is multiplied by alpha / rank: look for lora_alpha in the "
                "code that trained it. 0 if the weights were saved in evaluation mode: loralib had added it "
                "then."
            ),
            offers=_offered_alphas,
            unread=Message("Enter a number of 0 or more."),
            example="16 (0 where the weights hold the LoRA already)",
        ),
        "tokenizer": CheckpointQuestion(
            Message("The folder of the tokenizer"),
            FOLDER,
            "--tokenizer",
            "read texts with the tokenizer in this folder; with '' with the checkpoint's own again",
            Message(
                "With vocab.txt, tokenizer.json, or a SentencePiece .model: the tokenizer that the model was "
                "trained with. Its ids and special tokens are compared with the weights; what fits by chance "
                "only gives numbers that mean nothing. An empty field means the checkpoint's own."
            ),
            empty="",
            example="FOLDER",
            python='"folder/of/the/tokenizer"',
        ),
    }
)
"""What may be asked, by the fields of `Answers`, in the order of the form."""


def validate(questions: Questions, answers: Answers) -> None:
    """Raise AnswersError for an answer that is not among the choices, or that has no question."""
    for name, value in answers.given().items():
        choices = questions.choices.get(name, (value,))
        if name not in questions.names:
            message = Message("This checkpoint does not leave open what {0} answers.", QUESTIONS[name].option)
            raise AnswersError(message, Message("Leave out {0}.", QUESTIONS[name].option), questions)
        if name == "labels" and len(answers.labels or ()) != questions.n_classes:
            message = Message(
                "{0} names cannot be those of {1} classes.", len(answers.labels or ()), questions.n_classes
            )
            raise AnswersError(message, Message("Give one name for each class, in their order."), questions)
        if name not in ("labels", "parts") and value not in choices:
            message = Message(
                "{0} cannot be “{1}” for this checkpoint.", QUESTIONS[name].option, shown(str(value))
            )
            known = ", ".join(str(choice) for choice in choices)
            raise AnswersError(message, Message("It can be: {0}.", known), questions)


def refuse_unanswered(questions: Questions) -> None:
    """Raise AnswersError naming all questions that must be answered and are not."""
    if missing := questions.unanswered:
        options = ", ".join(QUESTIONS[name].option for name in missing)
        message = Message("The files of this checkpoint do not say all that must be known: {0}.", options)
        asked = [QUESTIONS[name] for name in missing]
        ways = (f"{one.option} (or {one.no})" if one.no else f"{one.option} {one.example}" for one in asked)
        hint = Message(
            "Give it as {0}, or in a file bertviz_app.json beside it; it is kept there.",
            " ".join(map(str.strip, ways)),
        )
        raise AnswersError(message, hint, questions)


def saved_answers(folder: Path) -> Answers:
    """Return the saved answers for the checkpoint in `folder`. Raises CheckpointError for a damaged file."""
    path = saved_answers_file(folder)
    if path is None:
        return NO_ANSWERS
    return _decoded(path, read_object(path), Message("Remove {0}, and answer again.", path))


def save_answers(folder: Path, answers: Answers) -> Path:
    """Write `answers` beside the checkpoint, or with the settings if its folder cannot be written.

    Returns the file. Raises FileError if neither can be written.
    """
    beside, in_settings = folder / ANSWERS, settings_file("checkpoints", folder)
    with suppress(FileError):
        _write(beside, answers)
        with suppress(OSError):
            in_settings.unlink(missing_ok=True)  # it would be preferred
        return beside
    with suppress(OSError):  # writing reports the reason
        in_settings.parent.mkdir(parents=True, exist_ok=True)
    _write(in_settings, answers)
    return in_settings


def saved_answers_file(folder: Path) -> Path | None:
    """Return the file with the saved answers, or None.

    Of two files the one with the settings is the newer: it was written because the other could not be.
    """
    in_settings = settings_file("checkpoints", folder)
    return in_settings if in_settings.is_file() else file_in(folder, ANSWERS)


def _write(path: Path, answers: Answers) -> None:
    with paths.replacing(path) as beside:
        beside.write_text(json.dumps(answers.given(), indent=2) + "\n", encoding="utf-8")


def answers_in(path: Path) -> Answers:
    """Return the answers in a JSON file that the user names, of the form of those saved beside checkpoints.

    An object of nothing but parts, by the names of tensors, counts as its “parts”. Raises CheckpointError.
    """
    content = read_object(path)
    if content and not {field.name for field in fields(Answers)} & set(content):
        content = {"parts": content}
    return _decoded(path, content, Message("Correct {0}.", path))


def _decoded(path: Path, content: Mapping[str, object], hint: Message) -> Answers:
    try:
        answers = decode(Answers, dict(content))
        if not all(QUESTIONS[name].accepts(value) for name, value in answers.given().items()):
            raise ValueError("out of range")
    except ValueError as error:
        names = ", ".join(field.name for field in fields(Answers))
        message = Message("{0} has an answer that can be none: one of {1} is wrong.", path.name, names)
        raise CheckpointError(message, hint) from error
    validate_parts(answers.parts)
    return answers.without(("links",))  # a folder from elsewhere must not allow its own links
