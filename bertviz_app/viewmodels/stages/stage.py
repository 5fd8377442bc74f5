"""One stage of the arithmetic: what it reads and computes, and how it is written."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from operator import attrgetter
from typing import Any

from bertviz_app.analysis.pairs import HeadSteps
from bertviz_app.errors import Message
from bertviz_app.trace import Trace
from bertviz_app.trace.bias import DISTANCE, TO_CONTENT, TO_POSITION
from bertviz_app.trace.form import BERT, Form
from bertviz_app.trace.provenance import LayerDetails
from bertviz_app.trace.trace import keys_of_query, values_of_query
from bertviz_app.types import Floats
from bertviz_app.values import KW_ONLY, dataclass


class EncoderPart(Enum):
    """The parts of an encoder: its embeddings, those of a layer in their order, and what is on top."""

    EMBEDDINGS = "embeddings"
    BEFORE = "before"  # what a pre-norm layer does with its input
    PROJECTIONS = "projections"
    MIXING = "mixing"  # from queries and keys to the weighted sum of the values
    ATTENTION = "attention"  # after the heads, up to what the feed-forward part reads
    FEED_FORWARD = "feed-forward"
    TOP = "top"


@dataclass(frozen=True)
class Architecture:
    """What decides which stages an encoder has, and what their formulas are."""

    n_layers: int
    has_pooler: bool = True
    has_segments: bool = True
    has_positions: bool = True
    has_tasks: bool = False
    has_token_projection: bool = False  # of the token embeddings alone
    has_projection: bool = False  # of embeddings that are narrower than the layers
    has_bias: bool = False  # for the distance of query and key, added to the scores
    is_disentangled: bool = (
        False  # scores are sums of content and position (He et al. 2021, arXiv:2006.03654)
    )
    form: Form = BERT

    @classmethod
    def of(cls, trace: Trace) -> Architecture:
        """Return the architecture of the encoder that made `trace`."""
        return cls(
            trace.n_layers,
            has_pooler=trace.pooled is not None,
            has_segments=trace.segment_embeddings is not None,
            has_positions=trace.position_embeddings is not None,
            has_tasks=trace.task_embeddings is not None,
            has_token_projection=trace.token_projection is not None,
            has_projection=trace.embedding_norm is not None,
            has_bias=DISTANCE in trace.added,
            is_disentangled=bool({TO_POSITION, TO_CONTENT} & set(trace.added)),
            form=trace.form,
        )


@dataclass(frozen=True)
class Traits:
    """What the sentence of a stage depends on, besides the stage."""

    activation: str = "gelu"
    form: Form = BERT


BERT_TRAITS = Traits()


@dataclass(frozen=True)
class Term:
    """One line of an equation: the operation (`sign`), and the vector `name` that goes into it or results.

    `name` is a stage, or "input": what came into the layer. W stands for a dense layer, f for the activation.
    """

    sign: str
    name: str


@dataclass(frozen=True, eq=False)
class StageInputs:
    """What the numbers, formulas and shapes of a stage are made of. `details` may not be there (yet)."""

    trace: Trace
    layer: int  # of the stop; on top the last one, in the embeddings the first
    head: int
    query: int
    details: LayerDetails | None
    steps: HeadSteps | None
    absent: frozenset[str]  # the stages that this layer, the embeddings and the top do without

    def read(self, name: str) -> Floats | None:
        """Return what `Stage.reads` names: "details.concat", "trace.hidden.0"; None if it is not there.

        A lone vector [C] is given as one row [1, C].
        """
        value: Any = self
        for part in name.split("."):
            value = value[int(part)] if part.isdigit() else getattr(value, part)
            if value is None:
                return None
        array: Floats = value
        return array if array.ndim == 2 else array[None]

    @property
    def normed_embeddings(self) -> Floats:
        """[T, C], where the embeddings are not projected after the norm the input of the first layer."""
        normed = self.trace.embedding_norm
        return self.trace.hidden[0] if normed is None else normed

    @property
    def layer_input(self) -> Floats:
        array: Floats = self.trace.hidden[self.layer]
        return array

    @property
    def layer_output(self) -> Floats:
        array: Floats = self.trace.hidden[self.layer + 1]
        return array

    @property
    def last_of_first(self) -> Floats:
        """[1, C], the first token after the last layer."""
        return self.trace.hidden[-1, :1]

    @property
    def queries(self) -> Floats:
        """The queries [T, E] of the head, those of global tokens by their own projection."""
        queries: Floats = self.trace.queries[self.layer, self.head]
        return queries

    @property
    def keys(self) -> Floats:
        """The keys [T, E] of the head that the query meets."""
        return keys_of_query(self.trace, self.layer, self.head, self.query)

    @property
    def values(self) -> Floats:
        """The values [T, E] of the head that the query gathers."""
        return values_of_query(self.trace, self.layer, self.head, self.query)

    @property
    def mixed(self) -> Floats | None:
        """The weighted sums [T, E] of the head."""
        return None if self.details is None else self.details.mixed[self.head]


@dataclass(frozen=True)
class Shape:
    """The shape of a tensor of all tokens; the `width` may be a letter where it is not known."""

    n_tokens: int
    width: int | str

    def __str__(self) -> str:
        return f"[{self.n_tokens}, {self.width}]"


def shapes_of(trace: Trace, wide: int | None) -> dict[str, Shape]:
    """Return the shapes of tensors by the names that stages have for them; `wide`: what expanding makes."""
    form, heads = trace.form, trace.n_heads * trace.head_width
    within = heads if form.has_bottleneck else trace.width
    widths = {
        "all": trace.width,
        "within": within,  # a layer
        "source": trace.width if form.attends_beside_bottleneck else within,  # what values are made of
        "token": trace.token_embeddings.shape[1],
        "narrow": trace.embedding_sum.shape[1],
        "wide": "F" if wide is None else wide,
        "of_head": trace.head_width,
        "heads": heads,
        "joined": 2 * heads if form.has_span_convolution else heads,  # with the convolutions beside them
        "square": trace.n_tokens,
    }
    return {name: Shape(trace.n_tokens, width) for name, width in widths.items()}


Formulas = tuple[str, ...] | Callable[[StageInputs], tuple[str, ...]]


@dataclass(frozen=True, eq=False)
class Stage:
    """One stage of the forward pass. `key` is its name in `LayerDetails` and on the command line.

    In its texts stands what differs between encoders as a field: "$given" in a formula and "$activation" in a
    sign, which `stops.formulas` and `stops.sign` fill in, "{within}" in the shapes for `stops.shapes`.
    """

    key: str
    title: Message
    """In which "{0}" is the name of the first token."""
    sentence: str | Callable[[Traits], str]
    """One sentence for a student, by what the encoder is like where they differ."""
    _: KW_ONLY
    part: EncoderPart = EncoderPart.EMBEDDINGS
    """That of the table that it is a row of."""
    sign: str = ""
    """Its formula for a narrow cell; "": that of its line."""
    formulas: Formulas = ()
    """The fullest form first; (): that of a dense layer with the matrix of its line."""
    symbol: str = ""
    """The letter of its vector in equations; of the last stage of the embeddings it is x all the same."""
    reads: str = ""
    """What its numbers are, by the names of `StageInputs`; "": the array of the layer's details of its key.

    [T, C] of all tokens, [1, C] where there is one row. Of a head's scores and weights it is the query's row.
    """
    shapes: str = "{all} → {all}"
    only_if: str | Callable[[Architecture, int], bool] = ""
    """What of the `Architecture` says that an encoder has it, also by the layer; "": every one has it."""
    why_absent: tuple[str, str] | None = None
    """Message and hint for an encoder that lacks this stage."""
    line: str | None = None
    """The sign of its line in equations; None: they do without it."""
    reads_again: str | Callable[[Form], str] = ""
    """The vector with a line before its own that is from farther back, as what a sum adds to."""
    n_operands: int = 1
    """How many lines before its own it is made of."""
    scaling_title: Message | None = None
    """Of a norm: the title where norms only scale and shift."""
    quantities: tuple[str, ...] = ()
    """The columns of a head's arithmetic that it is about; for a projection without what it reads."""
    n_made: int = 1
    """How many of these, the last ones, it computes from the others."""
    coloured: str | None = None
    """The column whose scale the colour bar shows."""
    is_windowed: bool = False
    """Whether keys beyond a local window are left out of its statistics."""
    is_stop: bool = True
    """Whether one can walk to it; else it is only a line of equations."""

    @property
    def is_of_a_head(self) -> bool:
        """Whether every head has this stage for itself."""
        return self.part in (EncoderPart.PROJECTIONS, EncoderPart.MIXING)

    @property
    def needs_details(self) -> bool:
        """Whether its numbers, or those shown beside it, are in `LayerDetails`."""
        return self.part is not EncoderPart.EMBEDDINGS

    def applies(self, architecture: Architecture, layer: int) -> bool:
        if isinstance(self.only_if, str):
            return not self.only_if or bool(attrgetter(self.only_if)(architecture))
        return self.only_if(architecture, layer)

    def terms(self, form: Form) -> tuple[Term, ...]:
        """Return the lines of the equation that lead to it from the stage before it, its own last."""
        if self.line is None:
            return ()
        again = self.reads_again if isinstance(self.reads_again, str) else self.reads_again(form)
        sign = "+" if self.line == "=" else ""
        return (*((Term(sign, again),) if again else ()), Term(self.line, self.key))

    def tensor(self, inputs: StageInputs) -> Floats | None:
        """Return its numbers; None if they are not there."""
        return inputs.read(self.reads or f"details.{self.key}")


@dataclass(frozen=True, eq=False)
class SumStage(Stage):
    """Adds the vector of the stage before it to that of another one, `reads_again`."""

    _: KW_ONLY
    sign: str = "+"
    formulas: Formulas = ("$own = $other + $given",)
    shapes: str = "{within} + {within} → {within}"
    line: str | None = "="
    n_operands: int = 2


_SCALING_SENTENCE = Message(
    "Each number is multiplied and shifted as learned: MobileBERT normalises nothing here."
)


def _norm_sentence(traits: Traits) -> str:
    if traits.form.has_scaling_norms:
        return _SCALING_SENTENCE
    if traits.form.has_rms_norms:
        return Message(
            "Each token is divided by its root mean square, so that all have the same size, then scaled as "
            "learned; no mean is subtracted (RMSNorm)."
        )
    if not traits.form.has_norm_biases:
        return Message("Each token is normalised to mean 0 and standard deviation 1, then scaled as learned.")
    return Message("A token's numbers get mean 0 and standard deviation 1, then a learned scale and shift.")


def _norm_formulas(inputs: StageInputs) -> tuple[str, ...]:
    """Return the formulas of a layer norm, written out and short."""
    form = inputs.trace.form
    if form.has_scaling_norms:
        return "$own = $given ⊙ γ + β", "$own = \\t{NoNorm}($given)"
    short = f"$own = \\t{{{'RMSNorm' if form.has_rms_norms else 'LayerNorm'}}}($given)"
    if form.has_rms_norms:
        normed = "\\frac{$given}{\\sqrt{\\t{mean}($given^2) + ε}}"
    elif form.norms_by_deviation:  # s: the sample standard deviation
        normed = "\\frac{$given − μ}{s + ε}"
    else:
        normed = "\\frac{$given − μ}{\\sqrt{σ^2 + ε}}"
    return f"{short} = {normed} ⊙ γ + β", short


_LAYER_NORM, _NO_NORM = Message("layer norm"), Message("scale and shift (NoNorm)")


@dataclass(frozen=True, eq=False)
class NormStage(Stage):
    """Normalises each token, or only scales and shifts it, within a layer."""

    title: Message = _LAYER_NORM
    sentence: str | Callable[[Traits], str] = _norm_sentence
    _: KW_ONLY
    sign: str = "\\t{norm}"
    formulas: Formulas = _norm_formulas
    shapes: str = "{within} → {within}"
    line: str | None = "norm"
    scaling_title: Message | None = _NO_NORM
