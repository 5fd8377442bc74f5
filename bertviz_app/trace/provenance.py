"""Where a trace comes from, and what belongs to it: logits of task heads, tensors of one layer."""

from __future__ import annotations

from typing import Literal

import numpy as np

from bertviz_app.text.edits import TokenIntervention
from bertviz_app.types import Floats
from bertviz_app.values import dataclass, fields

Dtype = Literal["float32", "bfloat16"]
"""The type of the numbers that the layers multiply; a trace holds float32 in either case."""


@dataclass(frozen=True)
class Identity:
    """What identifies a checkpoint, wherever its files are; "" for what is not known.

    `fingerprint` is a hash of its configuration and weights, `tokenizer` one of its tokenizer. `hub_id`,
    "org/name", and `revision`, a commit, are known of a checkpoint that was downloaded from the hub.
    """

    fingerprint: str = ""
    tokenizer: str = ""
    hub_id: str = ""
    revision: str = ""

    def is_same(self, other: Identity) -> bool:
        """Return whether the fingerprints are known and equal, and the tokenizers not known to differ."""
        is_same_tokenizer = "" in (self.tokenizer, other.tokenizer) or self.tokenizer == other.tokenizer
        return bool(self.fingerprint) and self.fingerprint == other.fingerprint and is_same_tokenizer


UNKNOWN = Identity()


@dataclass(frozen=True)
class Provenance:
    """Where a trace is from; empty where that is not known, as in files of older versions.

    `program` is the version of BertViz App. `replaced`: (token, piece) of the tokens that were read as
    another piece of the vocabulary, `tokens` the other interventions on tokens; both count the tokens of the
    text as it is written. `Trace` has the interventions on heads and weights. `dtype`: in
    which numbers the layers multiplied.
    """

    checkpoint: Identity = UNKNOWN
    program: str = ""
    replaced: tuple[tuple[int, str], ...] = ()
    tokens: tuple[TokenIntervention, ...] = ()
    dtype: Dtype = "float32"


NOT_KNOWN = Provenance()


ONE_LABEL, MANY_LABELS, REGRESSION = PROBLEMS = (
    "single_label_classification",
    "multi_label_classification",
    "regression",
)
"""What a classifier may be trained for, by the values of problem_type in config.json."""


ACTIVATIONS = ("Identity", "Sigmoid", "Tanh")
"""The functions of torch that a cross-encoder's scores may go through."""
HEADS = ("masked", "next_sentence", "replaced", "classes", "token_labels", "answer")
"""The task heads that a checkpoint may have: the fields of `Logits`."""


@dataclass(frozen=True)
class Meaning:
    """What the logits stand for, by the checkpoint's configuration.

    `labels` are the names of its classes, of texts or of tokens: one for each class, or none. `problem` is
    one of PROBLEMS, None where the configuration has none. `orders_sentences`: the head for next sentences
    predicts whether two texts are in their order (ALBERT), not whether the second follows the first (BERT).
    `activation` is what a cross-encoder's scores go through by sentence-transformers, one of ACTIVATIONS.
    """

    labels: tuple[str, ...] = ()
    problem: str | None = None
    orders_sentences: bool = False
    activation: str | None = None


UNANSWERED = Meaning()


@dataclass(frozen=True, eq=False)
class Logits:
    """The logits of one input, float32, read-only: None for a head that the checkpoint does not have.

    V is the number of pieces, N that of classes. The logits of `next_sentence` are BERT's "follows" and "does
    not", or ALBERT's "in order" and "swapped".
    """

    masked: Floats | None  # [T, V], of each position; [P, V] where P positions were requested
    next_sentence: Floats | None  # [2]
    replaced: Floats | None  # [T], above 0 for a token that was replaced
    classes: Floats | None  # [N]
    meaning: Meaning = UNANSWERED
    token_labels: Floats | None = None  # [T, N]
    answer: Floats | None = None  # [T, 2]: the answer begins, and ends, at this token

    def __post_init__(self) -> None:
        for name in HEADS:
            array: Floats | None = getattr(self, name)
            if array is not None:
                array.flags.writeable = False

    def __repr__(self) -> str:
        arrays = {name: getattr(self, name) for name in HEADS}
        there = (f"{name} {list(array.shape)}" for name, array in arrays.items() if array is not None)
        return f"<Logits: {', '.join(there) or 'none'}>"

    @property
    def labels(self) -> tuple[str, ...]:
        """The checkpoint's names of its classes."""
        return self.meaning.labels


@dataclass(frozen=True, eq=False)
class LayerDetails:
    """The tensors of one layer in their order, float32, read-only.

    F is the feed-forward width, N the width within the layer, D without a bottleneck.

    In a pre-norm layer `input_norm` is the input of the attention, and the second sum adds `attention_sum`.
    `gate` and `gated` are None without a gate, `output_norm`, `convolved`, `convolution_sum` and
    `convolution_activation` without a convolution. `output` equals `hidden[layer + 1]` of the trace.
    `narrowed`, `narrowed_for_attention`, `widened` and `widened_sum` are None without a bottleneck. Of
    several feed-forward parts `earlier_parts` has the outputs of all but the last, whose tensors are the
    others here; it is None where there is one.
    `pooler_dense` is the pooled vector before its tanh, in the last layer of a model with a pooler.
    """

    layer: int
    activation: str  # as configurations name it: "gelu"
    mixed: Floats  # [H, T, E], Z: weights @ values of each head; zero for a muted head
    concat: Floats  # [T, H * E], the heads side by side, and then the convolutions beside them
    projected: Floats  # [T, N], concat . W_O + b
    attention_sum: Floats  # [T, N], the layer's input added
    attention_norm: Floats  # [T, N], the input of the feed-forward part
    expanded: Floats  # [T, F]
    active: Floats  # [T, F], after the activation
    contracted: Floats  # [T, N]
    output_sum: Floats  # [T, N], the part's input added; attention_sum in a pre-norm layer
    output: Floats  # [T, D]
    pooler_dense: Floats | None = None  # [D]
    input_norm: Floats | None = None  # [T, D]
    gate: Floats | None = None  # [T, F], the factor of `active`
    gated: Floats | None = None  # [T, F], the product
    narrowed: Floats | None = None  # [T, N], the layer's input at that width
    narrowed_for_attention: Floats | None = None  # [T, N], the input of queries and keys
    earlier_parts: Floats | None = None  # [M - 1, T, N], of M feed-forward parts
    widened: Floats | None = None  # [T, D], output_norm at the width of the layer's input
    widened_sum: Floats | None = None  # [T, D], that input added
    output_norm: Floats | None = None  # [T, N], the layer's own norm where another sum or norm follows it
    convolved: Floats | None = None  # [T, D], a convolution of the layer's input after its activation
    convolution_sum: Floats | None = None  # [T, D], both of these; its norm is the output
    adapter_norm: Floats | None = None  # [T, D], a norm of output_sum that an adapter reads
    adapted: Floats | None = None  # [T, D], of the adapter of a language
    adapter_sum: Floats | None = None  # [T, D], what is added to that
    span_convolved: Floats | None = None  # [T, H * E], of the convolutions beside the heads; in `concat`, too
    convolution_activation: str | None = None  # as configurations name it

    def __post_init__(self) -> None:
        for array in self._arrays():
            array.flags.writeable = False

    @property
    def n_bytes(self) -> int:
        """The memory of all its arrays, in bytes."""
        return sum(array.nbytes for array in self._arrays())

    def _arrays(self) -> list[Floats]:
        values = (getattr(self, field.name) for field in fields(self))
        return [value for value in values if isinstance(value, np.ndarray)]
