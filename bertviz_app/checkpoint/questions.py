"""What a checkpoint's files leave open as questions, and facts about it. Loads no torch."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple, TypedDict, cast

from bertviz_app.errors import CheckpointError, Message, SelectionError, shown
from bertviz_app.trace.provenance import UNKNOWN, Identity
from bertviz_app.values import asdict, dataclass, field, replace

MOST_HEADS = 1_000
_NARROWEST, _USUAL, _WIDEST = 8, 64, 128
"""Widths of a head: nearly all encoders have one from the first to the last, most of them the second."""

PositionFormula = Literal["textbook", "columns", "none"]
"""Sines and cosines of Vaswani et al. 2017, section 3.5, or with a frequency for each column, or none."""
ClassifierInput = Literal["pooled", "first", "mean", "max", "none"]
"""The vector that the dense layers of a head for whole texts read; "none": the head is not used."""
LoneNorm = Literal["embeddings", "last"]
"""Where a norm outside of the layers stands: after the embeddings, or after the last layer."""
ScoreScale = Literal["head", "width", "none"]
"""Scores are divided by the square root of a head's width, of the model's, or by nothing."""
ClassOutputs = Literal["softmax", "sigmoid", "number"]
"""What the outputs of a head for whole texts are: classes of which one holds, or each alone, or a number."""
Value = int | float | bool | str | tuple[str, ...] | dict[str, str]


@dataclass(frozen=True)
class FileModule:
    """A module of a file of weights: its name, with {layer} for the number of a layer, and its shapes.

    `role` is the part of the model that it is, "" where that is not known; `is_certain` whether names and
    shapes decide it.
    """

    name: str
    shapes: tuple[tuple[int, ...], ...]
    role: str
    is_certain: bool = False


@dataclass(frozen=True)
class Answers:
    """The answer to each question, None where there is none.

    A field is the name of a question in Python and in `bertviz_app.json`; `QUESTIONS` has the rest of it. The
    options of the command line have the order of the fields.
    """

    n_heads: int | None = None
    norm_eps: float | None = None
    lower_case: bool | None = None
    positions: PositionFormula | None = None  # of position embeddings that are not stored
    norm_first: bool | None = None  # the norms of a layer precede its parts
    activation: str | None = None  # of the feed-forward part, as configurations name it
    scales_tokens: bool | None = None  # token embeddings are multiplied by the square root of their width
    sample_deviation: bool | None = None  # norms divide by the sample standard deviation + epsilon
    transposed: bool | None = None  # weights of dense layers are stored as [in, out]
    lone_norm: LoneNorm | None = None
    parts: dict[str, str] | None = None  # the part that each tensor is, by names with {layer} and {head}
    first_segment: int | None = None  # the id of the first sentence's segment
    first_position: int | None = None  # the row of the table that the first token has
    score_scale: ScoreScale | None = None
    classifier_reads: ClassifierInput | None = None
    classifier_activation: str | None = None  # between the dense layers of a head; "none" for none
    outputs: ClassOutputs | None = None
    labels: tuple[str, ...] | None = None  # the names of its classes
    follows: int | None = None  # the output of the head for next sentences that says "it follows"
    adapter: bool | None = None  # whether an adapter beside the weights is added to them
    base: str | None = None  # the checkpoint that an adapter is added to: a folder, a name, or org/name
    lora_alpha: float | None = None  # of a LoRA among other weights; 0: they hold it already
    tokenizer: str | None = None  # a folder with another tokenizer; "" for the checkpoint's own
    links: bool | None = None  # whether links are followed that lead out of the folder; never saved beside it

    def __post_init__(self) -> None:
        if isinstance(self.labels, list):  # as Python code may give them
            object.__setattr__(self, "labels", tuple(self.labels))

    def __bool__(self) -> bool:
        return self != Answers()

    def over(self, before: Answers) -> Answers:
        """Return these answers, and those of `before` to questions that these do not answer."""
        return Answers(**before.given() | self.given())

    def given(self) -> GivenAnswers:
        """Return the answers that are not None, by the names of their questions."""
        return answered(asdict(self))

    def without(self, names: Collection[str]) -> Answers:
        """Return all answers but those to the questions `names`."""
        return Answers(**answered({name: value for name, value in asdict(self).items() if name not in names}))


NO_ANSWERS = Answers()


class GivenAnswers(TypedDict, total=False):
    """The fields of Answers as keyword arguments."""

    n_heads: int | None
    norm_eps: float | None
    lower_case: bool | None
    positions: PositionFormula | None
    norm_first: bool | None
    activation: str | None
    scales_tokens: bool | None
    sample_deviation: bool | None
    transposed: bool | None
    lone_norm: LoneNorm | None
    parts: dict[str, str] | None
    first_segment: int | None
    first_position: int | None
    score_scale: ScoreScale | None
    classifier_reads: ClassifierInput | None
    classifier_activation: str | None
    outputs: ClassOutputs | None
    labels: tuple[str, ...] | None
    follows: int | None
    adapter: bool | None
    base: str | None
    lora_alpha: float | None
    tokenizer: str | None
    links: bool | None


def answered(values: Mapping[str, object]) -> GivenAnswers:
    """Return the `values` by the names of their questions that are not None."""
    return cast("GivenAnswers", {name: value for name, value in values.items() if value is not None})


ABOUT_FILES = ("adapter", "base", "lora_alpha", "tokenizer", "links")
"""The questions about the files of checkpoints of any family; all others are about notebooks' models."""


@dataclass(frozen=True)
class Questions:
    """The questions about one checkpoint: the fields `names` of Answers.

    `in_force` has the answers in use: those of the user, or of the files. The questions `optional` need no
    answer. `choices` has the possible answers of the questions that are answered by choosing one.

    `n_shared`: the H * E numbers of a vector that the heads of a layer divide among them. `seems_lower_case`:
    whether the vocabulary looks lower-cased, None if it does not show. `n_classes`: how many classes `labels`
    has to name. `base`: the name in an adapter's file of the checkpoint that it is added to. `rank`: that of
    a LoRA. `links`: the files outside of the folder to which links in it lead. `parts`: the modules of the
    file, where the user may say which part each is.
    """

    n_shared: int = 0
    in_force: Answers = NO_ANSWERS
    names: tuple[str, ...] = ("n_heads", "norm_eps", "lower_case")
    optional: frozenset[str] = frozenset()
    choices: Mapping[str, tuple[Value, ...]] = field(default_factory=dict)
    seems_lower_case: bool | None = None
    n_classes: int = 0
    base: str = ""
    rank: int = 0
    links: tuple[str, ...] = ()
    parts: tuple[FileModule, ...] = ()

    @property
    def unanswered(self) -> tuple[str, ...]:
        """The questions that must be answered and are not."""
        return tuple(
            name for name in self.names if name not in self.optional and getattr(self.in_force, name) is None
        )

    @property
    def to_ask(self) -> tuple[str, ...]:
        """The questions without an answer; all of them if none of these must be answered."""
        unanswered = tuple(name for name in self.names if getattr(self.in_force, name) is None)
        return unanswered if self.unanswered else self.names

    def joined(self, other: Questions | None) -> Questions:
        """Return these questions and those of `other`, which are about other fields of Answers."""
        if other is None:
            return self
        return replace(
            self,
            names=(*self.names, *other.names),
            in_force=self.in_force.over(other.in_force),
            optional=self.optional | other.optional,
            choices={**self.choices, **other.choices},
            seems_lower_case=other.seems_lower_case
            if self.seems_lower_case is None
            else self.seems_lower_case,
            base=self.base or other.base,
            parts=self.parts or other.parts,
            rank=self.rank or other.rank,
        )

    def head_counts(self) -> tuple[int, ...]:
        """Return the usual counts of heads for `n_shared` numbers, the likeliest first."""
        counts = [n for n in range(1, min(self.n_shared, MOST_HEADS) + 1) if self.n_shared % n == 0]
        usual = [n for n in counts if _NARROWEST <= self.n_shared // n <= _WIDEST]
        return tuple(sorted(usual or counts, key=lambda n: abs(self.n_shared // n - _USUAL)))


class AnswersError(CheckpointError):
    """A checkpoint cannot be opened until its `questions` are answered, or answered differently."""

    def __init__(self, message: str, hint: str, questions: Questions) -> None:
        super().__init__(message, hint)
        self.questions = questions


LAYER, HEAD = "{layer}", "{head}"
"""What stands for the number of a layer, or of a head, in a name."""


class Role(NamedTuple):
    """A part of a model: our `name` for it, "" for one that has none, and what people call it."""

    name: str
    words: Message


ROLES: Mapping[str, Role] = MappingProxyType(
    {
        "token": Role("embeddings.token", Message("Token embeddings")),
        "position": Role("embeddings.position", Message("Position embeddings")),
        "segment": Role("embeddings.segment", Message("Segment embeddings")),
        "embedding_norm": Role("embeddings.norm", Message("Norm of the embeddings")),
        "query": Role("layers.{layer}.attention.query", Message("Query")),
        "key": Role("layers.{layer}.attention.key", Message("Key")),
        "value": Role("layers.{layer}.attention.value", Message("Value")),
        "qkv": Role("layers.{layer}.attention.in_proj", Message("Query, key, value: one below the other")),
        "qkv_by_head": Role(
            "layers.{layer}.attention.in_proj_by_head", Message("Query, key, value: head by head")
        ),
        "output": Role("layers.{layer}.attention.output", Message("Output of the attention")),
        "attention_norm": Role("layers.{layer}.attention_norm", Message("Norm of the attention")),
        "expand": Role("layers.{layer}.feed_forward.expand", Message("Feed-forward, wider")),
        "gate": Role("layers.{layer}.feed_forward.gate", Message("Feed-forward, gate")),
        "contract": Role("layers.{layer}.feed_forward.contract", Message("Feed-forward, narrower")),
        "feed_forward_norm": Role(
            "layers.{layer}.feed_forward_norm", Message("Norm of the feed-forward part")
        ),
        "last_norm": Role("final_norm", Message("Norm after the last layer")),
        "pooler": Role("pooler.dense", Message("Pooler")),
        "masked_dense": Role("masked.dense", Message("Masked head: dense layer")),
        "masked_norm": Role("masked.norm", Message("Masked head: norm")),
        "masked_decoder": Role("masked.decoder", Message("Masked head: to the vocabulary")),
        "head": Role("", Message("Another task head")),
        "unused": Role("", Message("Unused: leave it out")),
    }
)
"""The parts of a model; a "head" is one of dense layers, "unused" is left out."""
OF_HEADS = ("masked_dense", "masked_norm", "masked_decoder", "head")
OF_EVERY_LAYER = frozenset(key for key, role in ROLES.items() if LAYER in role.name)


def validate_parts(parts: Mapping[str, str] | None) -> None:
    """Raise CheckpointError for a part that is none of ROLES; “.weight” or “.bias” may follow it."""
    for name, role in (parts or {}).items():
        if role.removesuffix(".weight").removesuffix(".bias") not in ROLES:
            message = Message("“{0}”, the part of {1}, is none that there is.", shown(role), shown(name))
            raise CheckpointError(message, Message("There are: {0}.", ", ".join(ROLES)))


@dataclass(frozen=True)
class Prompt:
    """A text that the authors of a checkpoint put before a sentence, such as "query: ", and its name."""

    name: str
    text: str


BUNDLED = Message("Ships with the program.")
"""Where a checkpoint comes from that is a part of the program."""


@dataclass(frozen=True)
class ModelFacts:
    """Sizes and remarks of one open checkpoint: L layers, H heads, width D.

    `n_positions` is the longest input, `n_segments` 0 for a family without segments. `n_bytes` is the size of
    its files, `origin` a sentence on where it comes from, `remarks` sentences on what is unusual about it.
    `task_heads` are the fields of `Logits` that its task heads fill; `questions` those that its files did not
    answer. `identity` distinguishes it from all others; `ref` is where it was opened, a folder or a file in
    one. `prompts` are the texts that sentence-transformers may put before a sentence; they are never added
    here unless they are requested by name. `n_trained_positions` is the number of positions that the whole
    training has used, by its config.json; None if that does not say. `own_code` is the class of the
    checkpoint's own code in whose place the plain family is computed, "" where there is none.
    """

    name: str
    family: str
    n_layers: int
    n_heads: int
    width: int
    vocabulary_size: int
    n_positions: int
    n_segments: int
    n_parameters: int
    n_bytes: int
    origin: str
    has_pooler: bool
    remarks: tuple[str, ...] = ()
    task_heads: tuple[str, ...] = ()
    questions: Questions | None = None
    identity: Identity = UNKNOWN
    ref: str = ""
    prompts: tuple[Prompt, ...] = ()
    has_sentence_vector: bool = False
    n_trained_positions: int | None = None
    own_code: str = ""

    @property
    def is_bundled(self) -> bool:
        """Whether it ships with the program, which knows its classes."""
        return self.origin == BUNDLED

    @property
    def fingerprint(self) -> str:
        """The fingerprint of its configuration and weights, "" where it is not known."""
        return self.identity.fingerprint

    def with_prompt(self, text: str, name: str) -> str:
        """Return `text` after the prompt called `name`. Raises SelectionError if there is no such prompt."""
        for prompt in self.prompts:
            if prompt.name == name:
                return prompt.text + text
        names = ", ".join(prompt.name for prompt in self.prompts)
        hint = Message("It has {0}.", names) if names else Message("It has none.")
        raise SelectionError(Message("{0} has no prompt “{1}”.", self.name, name), hint)


def of_another(facts: ModelFacts) -> CheckpointError:
    """Return the error for a trace that was not made by the checkpoint with these facts."""
    message = Message("The text was encoded with another checkpoint than {0}.", facts.name)
    return CheckpointError(message, Message("Encode it again."))
