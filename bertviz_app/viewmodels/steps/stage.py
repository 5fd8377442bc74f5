"""One stage of the arithmetic: what it reads and computes, and how it is written."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from enum import Enum

from bertviz_app.analysis.pairs import HeadSteps
from bertviz_app.errors import Message
from bertviz_app.trace import Trace
from bertviz_app.trace.bias import DISTANCE, TO_CONTENT, TO_POSITION
from bertviz_app.trace.form import BERT, Form
from bertviz_app.trace.provenance import LayerDetails
from bertviz_app.types import Floats


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


@dataclass(frozen=True)
class Shapes:
    """The shapes of a trace as texts: "[7, 384]" for all tokens of the model's width, and its parts."""

    n_tokens: int
    width: int
    n_heads: int
    head_width: int
    inner_width: int  # within a layer; the width but for a bottleneck
    source_width: int  # of what values are made of
    joined_width: int  # of all heads, and of the convolutions beside them, side by side
    token_width: int  # of the token embeddings
    own_width: int  # of the embeddings' sum
    expanded: str  # of the feed-forward part, "F" while it is not known
    n_embeddings: int
    n_scores: int  # arrays that the scores are the sum of

    @property
    def all(self) -> str:
        """The shape of the tensor of all tokens."""
        return f"[{self.n_tokens}, {self.width}]"

    @property
    def within(self) -> str:
        """The shape of the tensors within a layer."""
        return f"[{self.n_tokens}, {self.inner_width}]"

    @property
    def narrow(self) -> str:
        """The shape of the embeddings that are added."""
        return f"[{self.n_tokens}, {self.own_width}]"

    @property
    def wide(self) -> str:
        """The shape of the feed-forward part."""
        return f"[{self.n_tokens}, {self.expanded}]"

    @property
    def of_head(self) -> str:
        return f"[{self.n_tokens}, {self.head_width}]"

    @property
    def heads(self) -> str:
        return f"[{self.n_tokens}, {self.n_heads * self.head_width}]"

    @property
    def square(self) -> str:
        return f"[{self.n_tokens}, {self.n_tokens}]"


def always(architecture: Architecture, layer: int) -> bool:
    """Return True: every encoder has the stage, in every layer."""
    return True


def same_shape(shapes: Shapes) -> str:
    """Return the shapes of a stage that changes neither how many tokens there are nor how wide they are."""
    return f"{shapes.all} → {shapes.all}"


def within_layer(shapes: Shapes) -> str:
    """Return the shapes of a stage that neither narrows nor widens what it is given within a layer."""
    return f"{shapes.within} → {shapes.within}"


def sum_within_layer(shapes: Shapes) -> str:
    return f"{shapes.within} + {shapes.within} → {shapes.within}"


def sum_of_all(shapes: Shapes) -> str:
    """Return the shapes of a sum of vectors of the model's width."""
    return f"{shapes.all} + {shapes.all} → {shapes.all}"


@dataclass(frozen=True)
class Stage:
    """One stage of the forward pass. `key` is its name in `LayerDetails` and on the command line."""

    key: str
    part: EncoderPart
    sign: str
    """Its formula for a narrow cell; "$activation" and "$first" (the first token) are filled in."""
    words: tuple[str, str]
    """Its title, in which "{0}" is the name of the first token, and one sentence for a student."""
    tensor: Callable[[StageInputs], Floats | None]
    """[T, C] of all tokens, [1, C] where there is one row; None if it is not there.

    Of a head's scores and weights it is the row of the query.
    """
    formulas: Callable[[StageInputs], tuple[str, ...]]
    """The fullest form first."""
    sentence: Callable[[Traits], str] | None = None
    """The sentence where encoders differ, else that of `words`."""
    symbol: Callable[[Collection[str]], str] = lambda absent: ""
    """The letter of its vector in equations, by the stages that the encoder does without."""
    shapes: Callable[[Shapes], str] = same_shape
    scaling_words: tuple[str, str] | None = None
    """Of a norm: the same where norms only scale and shift."""
    applies: Callable[[Architecture, int], bool] = always
    """Whether an encoder has the stage in a layer."""
    terms: Callable[[Form], tuple[Term, ...]] = lambda form: ()
    """The lines of the equation that lead to it from the stage before it, its own last."""
    n_operands: int = 1
    """How many lines before its own it is made of."""
    needs_details: bool = True
    """Whether its numbers, or those shown beside it, are in `LayerDetails`."""
    quantities: tuple[str, ...] = ()
    """The columns of a head's arithmetic that it is about; for a projection without what it reads."""
    coloured: str | None = None
    """The column whose scale the colour bar shows."""
    is_windowed: bool = False
    """Whether keys beyond a local window are left out of its statistics."""
    why_absent: tuple[str, str] | None = None
    """Message and hint for an encoder that lacks this stage."""
    is_stop: bool = True
    """Whether one can walk to it; else it is only a line of equations."""

    @property
    def is_of_a_head(self) -> bool:
        """Whether every head has this stage for itself."""
        return self.part in (EncoderPart.PROJECTIONS, EncoderPart.MIXING)


def detail(name: str) -> Callable[[StageInputs], Floats | None]:
    """Return a function that reads one array of the layer's details."""

    def tensor(inputs: StageInputs) -> Floats | None:
        array: Floats | None = None if inputs.details is None else getattr(inputs.details, name)
        return array

    return tensor


def constant(*formulas: str) -> Callable[[StageInputs], tuple[str, ...]]:
    """Return a function that returns these formulas for every encoder."""
    return lambda inputs: formulas


def letter(symbol: str) -> Callable[[Collection[str]], str]:
    """Return a function that returns this symbol for every encoder."""
    return lambda absent: symbol


def line(sign: str, name: str) -> Callable[[Form], tuple[Term, ...]]:
    """Return a function that returns one line of an equation, the same for every encoder."""
    return lambda form: (Term(sign, name),)


def norm(result: str, given: str, form: Form) -> tuple[str, str]:
    """Return the formulas of a layer norm, written out and short."""
    if form.has_scaling_norms:
        return f"{result} = {given} ⊙ γ + β", f"{result} = \\t{{NoNorm}}({given})"
    short = f"{result} = \\t{{LayerNorm}}({given})"
    if form.has_rms_norms:
        short = f"{result} = \\t{{RMSNorm}}({given})"
        return f"{short} = \\frac{{{given}}}{{\\sqrt{{\\t{{mean}}({given}^2) + ε}}}} ⊙ γ + β", short
    if form.norms_by_deviation:  # s: the sample standard deviation
        return f"{short} = \\frac{{{given} − μ}}{{s + ε}} ⊙ γ + β", short
    return f"{short} = \\frac{{{given} − μ}}{{\\sqrt{{σ^2 + ε}}}} ⊙ γ + β", short


def norm_sentence(traits: Traits = BERT_TRAITS) -> str:
    if traits.form.has_rms_norms:
        return Message(
            "Each token is divided by its root mean square, so that all have the same size, then scaled as "
            "learned; no mean is subtracted (RMSNorm)."
        )
    if not traits.form.has_norm_biases:
        return Message("Each token is normalised to mean 0 and standard deviation 1, then scaled as learned.")
    return Message("A token's numbers get mean 0 and standard deviation 1, then a learned scale and shift.")


SCALING_SENTENCE = Message(
    "Each number is multiplied and shifted as learned: MobileBERT normalises nothing here."
)
"""The sentence of every norm that only scales and shifts."""
SCALING_WORDS = Message("scale and shift (NoNorm)"), SCALING_SENTENCE
LAYER_NORM = Message("layer norm")
"""The title of a norm that needs no name of its own."""


def part_read(form: Form) -> str:
    """Return the stage that the last feed-forward part of a layer reads."""
    return f"earlier_{form.n_feed_forwards - 1}" if form.n_feed_forwards > 1 else "attention_norm"


def part_symbol(number: int) -> str:
    """Return the letter of the output of a feed-forward part before the last; 0: what the first one reads."""
    return f"y^{{({number})}}_i" if number else "y_i"


def sum_stage(
    key: str,
    part: EncoderPart,
    words: tuple[str, str],
    symbol: str,
    formula: Callable[[Form], str],
    to: Callable[[Form], str],
) -> Stage:
    """Return a stage that adds the vector of the stage before it `to` that of another one."""
    return Stage(
        key,
        part,
        sign="+",
        words=words,
        tensor=detail(key),
        formulas=lambda inputs: (formula(inputs.trace.form),),
        symbol=letter(symbol),
        shapes=sum_within_layer,
        terms=lambda form: (Term("+", to(form)), Term("=", key)),
        n_operands=2,
    )


def norm_stage(
    key: str,
    part: EncoderPart,
    title: str,
    symbol: str,
    formulas: Callable[[StageInputs], tuple[str, ...]],
) -> Stage:
    """Return a stage that normalises each token, or only scales and shifts it, within a layer."""
    return Stage(
        key,
        part,
        sign="\\t{norm}",
        words=(title, norm_sentence()),
        sentence=norm_sentence,
        scaling_words=SCALING_WORDS,
        tensor=detail(key),
        formulas=formulas,
        symbol=letter(symbol),
        shapes=within_layer,
        terms=line("norm", key),
    )


_LETTERS = (("token", "t_i"), ("segment", "s_i"), ("position", "p_i"), ("task", "τ_i"))


def _narrow(shapes: Shapes) -> str:
    return shapes.narrow


def _position(inputs: StageInputs) -> tuple[str, ...]:
    position = inputs.trace.tokens.position_ids[inputs.query]
    if not inputs.trace.form.has_sinusoids:
        return (f"p_i = E_{{\\t{{position}}}}[{position}]",)
    if inputs.trace.form.has_column_sinusoids:
        short = f"p_i = [\\t{{sin}}(ω_{{2k}} · {position}) ; \\t{{cos}}(ω_{{2k+1}} · {position})]"
        return f"{short},  ω_c = 10000^{{−2c/D}}", short
    short = f"p_i = [\\t{{sin}}(ω_k · {position}) ; \\t{{cos}}(ω_k · {position})]"
    return f"{short},  ω_k = 10000^{{−2k/D}}", short


def _sum(inputs: StageInputs) -> tuple[str, ...]:
    letters = [symbol for name, symbol in _LETTERS if name not in inputs.absent]
    if "token_projection" not in inputs.absent:
        letters[0] = "t'_i"
    return (f"{_sum_symbol(inputs.absent)} = {' + '.join(letters)}",)


def _token(inputs: StageInputs) -> tuple[str, ...]:
    factor = "\\sqrt{D} · " if inputs.trace.form.scales_tokens else ""
    factor = f"2 · {factor}" if inputs.trace.form.doubles_tokens else factor
    if inputs.trace.form.zeroes_masks:
        if not inputs.trace.token_embeddings[inputs.query].any():
            return (f"{_token_symbol(inputs.absent)} = 0",)
        factor = "\\frac{0.88}{1 − m / T} · "  # m masked tokens of T
    row = f"E_{{\\t{{token}}}}[{inputs.trace.tokens.ids[inputs.query]}]"
    return (f"{_token_symbol(inputs.absent)} = {factor}{row}",)


def _token_projection(inputs: StageInputs) -> tuple[str, ...]:
    given = "[t_{i+1} ; t_i ; t_{i−1}]" if inputs.trace.form.has_trigrams else "t_i"
    return (f"t'_i = {given} W_T + b_T",)


def _token_projection_shapes(shapes: Shapes) -> str:
    given = f"[{shapes.n_tokens}, {shapes.token_width}]"
    return f"{given} → {shapes.narrow}"


def _token_symbol(absent: Collection[str]) -> str:
    """Return x_i where the token embeddings are the input of the first layer, else t_i."""
    return "x_i" if {"embedding_sum", "embedding_norm", "embedding_projection"} <= set(absent) else "t_i"


def _sum_symbol(absent: Collection[str]) -> str:
    return "x_i" if "embedding_norm" in absent else "e_i"


def _norm_symbol(absent: Collection[str]) -> str:
    return "x_i" if "embedding_projection" in absent else "n_i"


def _norm(inputs: StageInputs) -> tuple[str, ...]:
    if "embedding_sum" in inputs.absent:
        return ("x_i = \\t{LayerNorm}(t_i)",)
    return norm(_norm_symbol(inputs.absent), "e_i", inputs.trace.form)


def _normed(inputs: StageInputs) -> Floats:
    normed = inputs.trace.embedding_norm
    return inputs.trace.hidden[0] if normed is None else normed


EMBEDDING_STAGES = (
    Stage(
        "token",
        EncoderPart.EMBEDDINGS,
        sign="E_{tok}",
        words=(
            Message("token embedding"),
            Message("Each token ID picks its row of the table of token embeddings."),
        ),
        tensor=lambda inputs: inputs.trace.token_embeddings,
        formulas=_token,
        symbol=_token_symbol,
        shapes=lambda shapes: f"[{shapes.n_tokens}, {shapes.token_width}]",
        terms=line("", "token"),
        needs_details=False,
    ),
    Stage(
        "token_projection",
        EncoderPart.EMBEDDINGS,
        sign="W_T",
        words=(
            Message("projection of the token embedding"),
            Message(
                "One dense layer widens the token's embedding; in a trigram those of its neighbours join it."
            ),
        ),
        tensor=lambda inputs: inputs.trace.token_projection,
        formulas=_token_projection,
        symbol=letter("t'_i"),
        shapes=_token_projection_shapes,
        applies=lambda architecture, layer: architecture.has_token_projection,
        terms=line("W_T", "token_projection"),
        needs_details=False,
        why_absent=(
            "This checkpoint does not project its token embeddings by themselves.",
            "Only MobileBERT does.",
        ),
    ),
    Stage(
        "segment",
        EncoderPart.EMBEDDINGS,
        sign="E_{seg}",
        words=(
            Message("segment embedding"),
            Message(
                "Says whether the token is in sentence 1 or 2 (segment 0 or 1); some models have only one."
            ),
        ),
        tensor=lambda inputs: inputs.trace.segment_embeddings,
        formulas=lambda inputs: (
            f"s_i = E_{{\\t{{segment}}}}[{inputs.trace.tokens.segment_ids[inputs.query]}]",
        ),
        symbol=letter("s_i"),
        shapes=_narrow,
        applies=lambda architecture, layer: architecture.has_segments,
        terms=line("+", "segment"),
        needs_details=False,
        why_absent=(
            "This checkpoint has no segments.",
            "Its embeddings are those of token and position.",
        ),
    ),
    Stage(
        "position",
        EncoderPart.EMBEDDINGS,
        sign="E_{pos}",
        words=(
            Message("position embedding"),
            Message("Says where the token stands; without it the order would be lost."),
        ),
        tensor=lambda inputs: inputs.trace.position_embeddings,
        formulas=_position,
        symbol=letter("p_i"),
        shapes=_narrow,
        applies=lambda architecture, layer: architecture.has_positions,
        terms=line("+", "position"),
        needs_details=False,
    ),
    Stage(
        "task",
        EncoderPart.EMBEDDINGS,
        sign="E_{task}",
        words=(
            Message("task embedding"),
            Message("Says which task the text is read for; it is 0 here, the same for all tokens."),
        ),
        tensor=lambda inputs: inputs.trace.task_embeddings,
        formulas=constant("τ_i = E_{\\t{task}}[0]"),
        symbol=letter("τ_i"),
        shapes=_narrow,
        applies=lambda architecture, layer: architecture.has_tasks,
        terms=line("+", "task"),
        needs_details=False,
        why_absent=(
            "This checkpoint has no task embeddings.",
            "Its embeddings are those of token, segment and position.",
        ),
    ),
    Stage(
        "embedding_sum",
        EncoderPart.EMBEDDINGS,
        sign="Σ",
        words=(
            Message("sum of the embeddings"),
            Message("The embeddings are added, number by number."),
        ),
        tensor=lambda inputs: inputs.trace.embedding_sum,
        formulas=_sum,
        symbol=_sum_symbol,
        shapes=lambda shapes: f"{shapes.n_embeddings} × {shapes.narrow} → {shapes.narrow}",
        applies=lambda architecture, layer: architecture.has_segments or architecture.has_positions,
        terms=line("=", "embedding_sum"),
        n_operands=4,
        needs_details=False,
    ),
    Stage(
        "embedding_norm",
        EncoderPart.EMBEDDINGS,
        sign="\\t{norm}",
        words=(Message("layer norm"), norm_sentence()),
        sentence=norm_sentence,
        scaling_words=SCALING_WORDS,
        tensor=_normed,
        formulas=_norm,
        symbol=_norm_symbol,
        shapes=lambda shapes: f"{shapes.narrow} → {shapes.narrow}",
        applies=lambda architecture, layer: architecture.form.has_embedding_norm,
        terms=line("norm", "embedding_norm"),
        needs_details=False,
    ),
    Stage(
        "embedding_projection",
        EncoderPart.EMBEDDINGS,
        sign="W_E",
        words=(
            Message("projection to the layers' width"),
            Message("The embeddings are not as wide as the layers: one dense layer changes their width."),
        ),
        tensor=lambda inputs: None if "embedding_projection" in inputs.absent else inputs.trace.hidden[0],
        formulas=constant("x_i = n_i W_E + b_E"),
        symbol=letter("x_i"),
        shapes=lambda shapes: f"{shapes.narrow} · [{shapes.own_width}, {shapes.width}] → {shapes.all}",
        applies=lambda architecture, layer: architecture.has_projection,
        terms=line("W_E", "embedding_projection"),
        needs_details=False,
        why_absent=(
            "This checkpoint does not project its embeddings.",
            "They have the width of its layers.",
        ),
    ),
)
"""In the order in which they are computed."""
