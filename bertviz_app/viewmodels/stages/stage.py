"""One stage of the arithmetic: what it reads and computes, and how it is written."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from enum import Enum
from operator import attrgetter
from types import MappingProxyType
from typing import Any

from bertviz_app.analysis.pairs import HeadSteps
from bertviz_app.errors import Message
from bertviz_app.trace import Trace
from bertviz_app.trace.bias import CONTENT, DISTANCE, TO_CONTENT, TO_POSITION
from bertviz_app.trace.form import BERT, Form
from bertviz_app.trace.provenance import LayerDetails
from bertviz_app.trace.trace import is_global, keys_of_query, values_of_query
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


_SMOOTH = Message("Large negative numbers become almost 0, large positive ones pass almost unchanged.")
_UNKNOWN = Message("The same function is applied to every number.")


@dataclass(frozen=True)
class Activation:
    """A function: its name in papers, PyTorch of {0}, its formula if the name does not say it, a sentence."""

    name: str
    code: str = ""
    definition: str = ""
    """Φ is the normal distribution, σ the sigmoid."""
    sentence: str = _UNKNOWN


_GELU = Activation("GELU", "nn.functional.gelu({0})", "u_i ⊙ Φ(u_i)", _SMOOTH)
_GELU_BY_TANH = Activation("GELU", 'nn.functional.gelu({0}, approximate="tanh")', "u_i ⊙ Φ(u_i)", _SMOOTH)
_SILU = Activation("SiLU", "nn.functional.silu({0})", "u_i ⊙ σ(u_i)", _SMOOTH)
ACTIVATIONS = MappingProxyType(
    {
        **dict.fromkeys(("gelu", "gelu_python"), _GELU),
        **dict.fromkeys(("gelu_new", "gelu_fast", "gelu_accurate"), _GELU_BY_TANH),
        **dict.fromkeys(("gelu_pytorch_tanh", "gelu_python_tanh"), _GELU_BY_TANH),
        "quick_gelu": Activation(
            "QuickGELU", "{0} * torch.sigmoid(1.702 * {0})", "u_i ⊙ σ(1.702 u_i)", _SMOOTH
        ),
        "gelu_10": Activation(
            "GELU10",
            "nn.functional.gelu({0}).clamp(-10, 10)",
            "\\t{min}(10, u_i ⊙ Φ(u_i))",  # GELU itself is nowhere below -0.17
            Message("Large negative numbers become almost 0; nothing becomes larger than 10."),
        ),
        "relu": Activation(
            "ReLU",
            "nn.functional.relu({0})",
            "\\t{max}(0, u_i)",
            Message("Negative numbers become 0, positive ones pass unchanged."),
        ),
        "relu2": Activation(
            "ReLU²",
            "nn.functional.relu({0}).square()",
            "\\t{max}(0, u_i)^2",
            Message("Negative numbers become 0, positive ones are squared."),
        ),
        "relu6": Activation(
            "ReLU6",
            "nn.functional.relu6({0})",
            "\\t{min}(6, \\t{max}(0, u_i))",
            Message("Negative numbers become 0, positive ones pass unchanged up to 6."),
        ),
        "leaky_relu": Activation(
            "LeakyReLU",
            "nn.functional.leaky_relu({0})",
            "\\t{max}(0.01 u_i, u_i)",
            Message("Negative numbers become a hundred times smaller, positive ones pass unchanged."),
        ),
        **dict.fromkeys(("silu", "swish"), _SILU),
        "hardswish": Activation(
            "Hardswish", "nn.functional.hardswish({0})", "u_i ⊙ \\t{ReLU6}(u_i + 3) / 6", _SMOOTH
        ),
        "mish": Activation(
            "Mish", "nn.functional.mish({0})", "u_i ⊙ \\t{tanh}(\\t{ln}(1 + e^{u_i}))", _SMOOTH
        ),
        "laplace": Activation(
            "Laplace",
            "0.5 * (1 + torch.erf(({0} - 0.707107) / (0.282095 * math.sqrt(2))))",
            "Φ((u_i − 0.707107) / 0.282095)",
            Message("Every number is brought between 0 and 1; those below 0 become almost 0."),
        ),
        "sigmoid": Activation(
            "sigmoid",
            "torch.sigmoid({0})",
            "σ(u_i)",
            Message("Every number is brought between 0 and 1; 0 becomes one half."),
        ),
        "tanh": Activation(
            "tanh",
            "torch.tanh({0})",
            sentence=Message("Every number is brought between −1 and 1 and keeps its sign."),
        ),
        "linear": Activation(
            "id", "{0}", "u_i", Message("Nothing changes: this model has no activation here.")
        ),
    }
)
"""Each activation by its name in configurations."""


def activation(name: str) -> Activation:
    """Return an activation by its name in configurations; of an unknown one the name is all there is."""
    return ACTIVATIONS.get(name) or Activation(name)


def token_formulas(inputs: StageInputs) -> tuple[str, ...]:
    form = inputs.trace.form
    factor = "\\sqrt{D} · " if form.scales_tokens else ""
    factor = f"2 · {factor}" if form.doubles_tokens else factor
    if form.zeroes_masks:
        if not inputs.trace.token_embeddings[inputs.query].any():
            return ("$own = 0",)
        factor = "\\frac{0.88}{1 − m / T} · "  # m masked tokens of T
    return (f"$own = {factor}E_{{\\t{{token}}}}[{inputs.trace.tokens.ids[inputs.query]}]",)


def token_projection_formulas(inputs: StageInputs) -> tuple[str, ...]:
    given = "[t_{i+1} ; t_i ; t_{i−1}]" if inputs.trace.form.has_trigrams else "t_i"
    return (f"$own = {given} W_T + b_T",)


def position_formulas(inputs: StageInputs) -> tuple[str, ...]:
    position, form = inputs.trace.tokens.position_ids[inputs.query], inputs.trace.form
    if not form.has_sinusoids:
        return (f"p_i = E_{{\\t{{position}}}}[{position}]",)
    if form.has_column_sinusoids:
        short = f"p_i = [\\t{{sin}}(ω_{{2k}} · {position}) ; \\t{{cos}}(ω_{{2k+1}} · {position})]"
        return f"{short},  ω_c = 10000^{{−2c/D}}", short
    short = f"p_i = [\\t{{sin}}(ω_k · {position}) ; \\t{{cos}}(ω_k · {position})]"
    return f"{short},  ω_k = 10000^{{−2k/D}}", short


def added_embeddings(absent: Collection[str]) -> list[str]:
    """Return the stages whose vectors are added up to a token's embedding."""
    token = "token" if "token_projection" in absent else "token_projection"
    return [name for name in (token, "segment", "position", "task") if name not in absent]


def source_of(symbol: str, absent: Collection[str]) -> tuple[str, str]:
    """Return the stage that "q", "k" or "v" are made of, and its letter without an index."""
    if "narrowed" not in absent:
        if "narrowed_for_attention" in absent:
            return "narrowed", "n"
        return ("input", "x") if symbol == "v" else ("narrowed_for_attention", "n'")
    return ("input", "x") if "input_norm" in absent else ("input_norm", "n")


def projection_index(trace: Trace, query: int, letter: str) -> str:
    """Return the index of the matrix "Q", "K" or "V", with a g for a global query (arXiv:2004.05150, 3.1)."""
    return f"{{{letter}_g}}" if is_global(trace, query) else letter


def projection_formulas(
    symbol: str, index: str, rotation: str = ""
) -> Callable[[StageInputs], tuple[str, ...]]:
    """Return the formula of one of the three dense layers; rotary embeddings turn queries and keys."""

    def formulas(inputs: StageInputs) -> tuple[str, ...]:
        given = source_of(symbol, inputs.absent)[1]
        own = projection_index(inputs.trace, inputs.query, symbol.upper())
        product = f"{given}_{index} W_{own} + b_{own}"
        if rotation and inputs.trace.form.is_rotary:
            product = f"{rotation}_{index} ({product})"
        return (f"{symbol}_{index} = {product}",)

    return formulas


def key_sentence(traits: Traits) -> str:
    if not traits.form.groups_queries:
        return Message("Each token offers: its key says what it can be found by.")
    return Message(
        "Each token offers: its key says what it can be found by. In this model several heads next to each "
        "other share their keys and values, and have queries of their own."
    )


def biased_formulas(inputs: StageInputs) -> tuple[str, ...]:
    form = inputs.trace.form
    product = "\\frac{q_i · k_j}{\\sqrt{d_k}}" if form.divides_scores else "q_i · k_j"
    return (f"s_{{ij}} = {product} + b_{{{'ij' if form.has_blocks else 'j − i'}}}",)


def biased_sentence(traits: Traits) -> str:
    if traits.form.is_causal:
        return Message("−∞ shuts out every later key: a token sees itself and what comes before it.")
    if traits.form.has_blocks:
        return Message(
            "−∞ shuts out far blocks of tokens; the first block counts several times, so a number is added."
        )
    return Message(
        "What depends on the distance of query and key alone is added; −∞ shuts out what is too far."
    )


_SHORT = MappingProxyType({CONTENT: "cc", TO_POSITION: "cp", TO_CONTENT: "pc"})


_OF_DISTANCES = MappingProxyType(
    {CONTENT: "q_i · k_j", TO_POSITION: "q_i · a_{i−j}", TO_CONTENT: "a_{i−j} · k_j"}
)
"""Where a sum of products is divided as if it were one, distances have vectors of their own."""


_OF_PLACES = MappingProxyType(
    {CONTENT: "q_i · k_j", TO_POSITION: "q_i · k^r_{δ(i,j)}", TO_CONTENT: "q^r_{δ(i,j)} · k_j"}
)
"""As in the paper, r is of the distance δ from key to query."""


def score_sum_formulas(inputs: StageInputs) -> tuple[str, ...]:
    """Return the sum of content and position, the fullest form first."""
    trace: Trace = inputs.trace
    names = (CONTENT, *trace.added)
    is_of_distances = trace.radicand == trace.head_width
    terms, factor = (_OF_DISTANCES, "") if is_of_distances else (_OF_PLACES, f"{len(names)} ")
    product = " + ".join(terms[name] for name in names)
    whole = f"s_{{ij}} = \\frac{{{product}}}{{\\sqrt{{{factor}d_k}}}}"
    sums = "s_{ij} = " + " + ".join(f"s^{{{_SHORT[name]}}}_{{ij}}" for name in names)
    return f"{whole},   {factor}d_k = {trace.radicand}", whole, sums


def softmax_formulas(inputs: StageInputs) -> tuple[str, ...]:
    share = "\\frac{e^{s_{ij} − m}}{Σ_n e^{s_{in} − m}}"
    short = "α_{ij} = \\t{softmax}(s_i)_j"
    if inputs.trace.bias is not None:
        return f"{short} = {share}", short
    largest = "m = \\t{max}_n s_{in}"
    return (
        f"α_{{ij}} = \\t{{softmax}}(\\frac{{q_i K^T}}{{\\sqrt{{d_k}}}})_j = {share},  {largest}",
        f"α_{{ij}} = {share},  {largest}",
        short,
    )


def mixed_formulas(inputs: StageInputs) -> tuple[str, ...]:
    short = "z_i = Σ_j α_{ij} v_j"
    if inputs.trace.bias is not None:  # it adds to the scores, or has other keys and values
        return (short,)
    return f"{short},   Z = \\t{{softmax}}(\\frac{{QK^T}}{{\\sqrt{{d_k}}}}) V", short


def concat_formulas(inputs: StageInputs) -> tuple[str, ...]:
    last = inputs.trace.n_heads - 1
    if inputs.trace.form.has_span_convolution:
        return f"c_i = [z_i^{{(0)}} ; … ; z_i^{{({last})}} ; g_i]", "c_i = [z_i^{(0)} ; … ; g_i]"
    return f"c_i = [z_i^{{(0)}} ; z_i^{{(1)}} ; … ; z_i^{{({last})}}]", "c_i = [z_i^{(0)} ; z_i^{(1)} ; …]"


def active_formulas(inputs: StageInputs) -> tuple[str, ...]:
    known = activation("gelu" if inputs.details is None else inputs.details.activation)
    short = f"a_i = \\t{{{known.name}}}(u_i)"
    return (f"{short} = {known.definition}", short) if known.definition else (short,)


def added_sentence(traits: Traits) -> str:
    if traits.form.is_pre_norm:
        return Message("The result is added to the sum from before the norm.")
    return Message("The result is added to the feed-forward input: the second residual connection.")


def upright(name: str) -> str:
    """Return a token's name in a formula, without what would be one there."""
    return "\\t{" + re.sub(r"[{}\\_^]", "", name) + "}"
