"""The stages of attention, and of the bottleneck around it."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace

from bertviz_app.errors import Message
from bertviz_app.trace import Trace
from bertviz_app.trace.bias import CONTENT, DISTANCE, TO_CONTENT, TO_POSITION
from bertviz_app.trace.form import MOST_FEED_FORWARDS, Form
from bertviz_app.trace.global_tokens import is_global, keys_of_query, values_of_query
from bertviz_app.types import Floats
from bertviz_app.viewmodels.steps.stage import (
    BERT_TRAITS,
    LAYER_NORM,
    Architecture,
    EncoderPart,
    Shapes,
    Stage,
    StageInputs,
    Term,
    Traits,
    constant,
    detail,
    letter,
    line,
    norm,
    norm_sentence,
    norm_stage,
    part_symbol,
    sum_of_all,
    sum_stage,
    within_layer,
)

_NO_BOTTLENECK = (
    "This checkpoint has no bottleneck here.",
    "The layers of MobileBERT may have one or two.",
)
_NO_EARLIER_PART = (
    "The layers of this checkpoint have fewer feed-forward parts.",
    "The stages of the last one begin with “expanded”.",
)


def _narrowing(prime: str) -> Callable[[StageInputs], tuple[str, ...]]:
    """Return the formulas of a bottleneck's dense layer and norm."""
    product = f"x_i W{prime}_N + b{prime}_N"
    return constant(f"n{prime}_i = ({product}) ⊙ γ + β", f"n{prime}_i = \\t{{NoNorm}}({product})")


def _narrowed_shapes(shapes: Shapes) -> str:
    return f"{shapes.all} · [{shapes.width}, {shapes.inner_width}] → {shapes.within}"


def _has_bottleneck(architecture: Architecture, layer: int) -> bool:
    return architecture.form.has_bottleneck


NARROWING_STAGES = (
    Stage(
        "narrowed",
        EncoderPart.BEFORE,
        sign="N",
        words=(
            Message("bottleneck: the input narrowed"),
            Message(
                "A dense layer, scaled and shifted, narrows the input; the parts of the layer work on that."
            ),
        ),
        tensor=detail("narrowed"),
        formulas=_narrowing(""),
        symbol=letter("n_i"),
        shapes=_narrowed_shapes,
        applies=_has_bottleneck,
        terms=line("W_N", "narrowed"),
        why_absent=_NO_BOTTLENECK,
    ),
    Stage(
        "narrowed_for_attention",
        EncoderPart.BEFORE,
        sign="N'",
        words=(
            Message("bottleneck of queries and keys"),
            Message("A second dense layer narrows the input for queries and keys; values read it whole."),
        ),
        tensor=detail("narrowed_for_attention"),
        formulas=_narrowing("'"),
        symbol=letter("n'_i"),
        shapes=_narrowed_shapes,
        applies=lambda architecture, layer: architecture.form.attends_beside_bottleneck,
        terms=lambda form: (Term("", "input"), Term("W'_N", "narrowed_for_attention")),
        why_absent=_NO_BOTTLENECK,
    ),
)
"""Before the attention; see `attention_stages`."""


def _output_of(number: int) -> Callable[[StageInputs], Floats | None]:
    """Return a function that reads the output of the feed-forward part `number`, from 1."""

    def tensor(inputs: StageInputs) -> Floats | None:
        details = inputs.details
        if details is None or details.earlier_parts is None:
            return None
        output: Floats = details.earlier_parts[number - 1]
        return output

    return tensor


def _earlier(number: int) -> Stage:
    """Return the stage of the feed-forward part `number`, from 1: the whole of it, as one."""
    given, made = part_symbol(number - 1), part_symbol(number)
    before = f"earlier_{number - 1}" if number > 1 else "attention_norm"

    def formulas(inputs: StageInputs) -> tuple[str, ...]:
        own = f"^{{({number})}}"
        product = f"f({given} W{own}_1 + b{own}_1) W{own}_2 + b{own}_2"
        norm = "NoNorm" if inputs.trace.form.has_scaling_norms else "LayerNorm"
        short = f"\\t{{{norm}}}({given} + \\t{{FFN}}_{number}({given}))"
        return f"{made} = \\t{{{norm}}}({given} + {product})", f"{made} = {short}"

    return Stage(
        f"earlier_{number}",
        EncoderPart.FEED_FORWARD,
        sign=f"F_{number}",
        words=(
            Message("feed-forward part {0} of several", number),
            Message("A whole part at once: expand, activation, contract, sum, norm, as in the last one."),
        ),
        tensor=_output_of(number),
        formulas=formulas,
        symbol=letter(made),
        shapes=within_layer,
        applies=lambda architecture, layer: architecture.form.n_feed_forwards > number,
        terms=lambda form: (*((Term("", before),) if number == 1 else ()), Term("FFN", f"earlier_{number}")),
        why_absent=_NO_EARLIER_PART,
    )


EARLIER_PARTS = tuple(_earlier(number) for number in range(1, MOST_FEED_FORWARDS))
"""Before the last feed-forward part; see `feed_forward_stages`."""

WIDENING_STAGES = (
    Stage(
        "widened",
        EncoderPart.FEED_FORWARD,
        sign="W_B",
        words=(
            Message("bottleneck: the output widened"),
            Message("One dense layer brings the result back to the width of the layer's input."),
        ),
        tensor=detail("widened"),
        formulas=constant("w_i = y'_i W_B + b_B"),
        symbol=letter("w_i"),
        shapes=lambda shapes: f"{shapes.within} · [{shapes.inner_width}, {shapes.width}] → {shapes.all}",
        applies=_has_bottleneck,
        terms=line("W_B", "widened"),
        why_absent=_NO_BOTTLENECK,
    ),
    replace(
        sum_stage(
            "widened_sum",
            EncoderPart.FEED_FORWARD,
            (
                Message("add the layer's input"),
                Message("The layer's input, as wide as it came, is added to the result."),
            ),
            "r''_i",
            lambda form: "r''_i = x_i + w_i",
            lambda form: "input",
        ),
        shapes=sum_of_all,
        applies=_has_bottleneck,
        why_absent=_NO_BOTTLENECK,
    ),
)
"""After the last feed-forward part; see `feed_forward_stages`."""


def _queries(inputs: StageInputs) -> Floats:
    """Return the queries [T, E] of the head, those of global tokens by their own projection."""
    queries: Floats = inputs.trace.queries[inputs.layer, inputs.head]
    return queries


def _keys(inputs: StageInputs) -> Floats:
    """Return the keys [T, E] of the head that the query meets."""
    return keys_of_query(inputs.trace, inputs.layer, inputs.head, inputs.query)


def _values(inputs: StageInputs) -> Floats:
    """Return the values [T, E] of the head that the query gathers."""
    return values_of_query(inputs.trace, inputs.layer, inputs.head, inputs.query)


def _of_steps(name: str) -> Callable[[StageInputs], Floats | None]:
    """Return a function that reads the query's row of a step of the head's arithmetic."""

    def tensor(inputs: StageInputs) -> Floats | None:
        if inputs.steps is None:
            return None
        array: Floats = getattr(inputs.steps, name)
        return array if array.ndim == 2 else array[None]

    return tensor


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


def _projection(symbol: str, index: str, rotation: str = "") -> Callable[[StageInputs], tuple[str, ...]]:
    """Return the formula of one of the three dense layers; rotary embeddings turn queries and keys."""

    def formulas(inputs: StageInputs) -> tuple[str, ...]:
        given = source_of(symbol, inputs.absent)[1]
        own = projection_index(inputs.trace, inputs.query, symbol.upper())
        product = f"{given}_{index} W_{own} + b_{own}"
        if rotation and inputs.trace.form.is_rotary:
            product = f"{rotation}_{index} ({product})"
        return (f"{symbol}_{index} = {product}",)

    return formulas


_KEYS = Message("keys K"), Message("Each token offers: its key says what it can be found by.")


def _key_sentence(traits: Traits) -> str:
    if not traits.form.groups_queries:
        return _KEYS[1]
    return Message(
        "Each token offers: its key says what it can be found by. In this model several heads next to each "
        "other share their keys and values, and have queries of their own."
    )


def _projected_shapes(shapes: Shapes) -> str:
    return f"{shapes.within} · [{shapes.inner_width}, {shapes.head_width}] → {shapes.of_head}"


def _valued_shapes(shapes: Shapes) -> str:
    width = shapes.source_width
    return f"[{shapes.n_tokens}, {width}] · [{width}, {shapes.head_width}] → {shapes.of_head}"


def _square(shapes: Shapes) -> str:
    return f"{shapes.square} → {shapes.square}"


def _scaled(inputs: StageInputs) -> tuple[str, ...]:
    quotient = "s_{ij} = \\frac{q_i · k_j}{\\sqrt{d_k}}"
    return f"{quotient},   d_k = {inputs.trace.head_width}", quotient


def _biased(inputs: StageInputs) -> tuple[str, ...]:
    form = inputs.trace.form
    product = "\\frac{q_i · k_j}{\\sqrt{d_k}}" if form.divides_scores else "q_i · k_j"
    return (f"s_{{ij}} = {product} + b_{{{'ij' if form.has_blocks else 'j − i'}}}",)


def _score_sum(inputs: StageInputs) -> tuple[str, ...]:
    """Return the sum of content and position: r, as in the paper, is of the distance δ from key to query.

    Where a sum of products is divided as if it were one product, distances have vectors a instead of queries
    and keys.
    """
    trace: Trace = inputs.trace
    names = (CONTENT, *trace.added)
    short = {CONTENT: "cc", TO_POSITION: "cp", TO_CONTENT: "pc"}
    sums = "s_{ij} = " + " + ".join(f"s^{{{short[name]}}}_{{ij}}" for name in names)
    if trace.radicand == trace.head_width:
        terms = {CONTENT: "q_i · k_j", TO_POSITION: "q_i · a_{i−j}", TO_CONTENT: "a_{i−j} · k_j"}
        whole = f"s_{{ij}} = \\frac{{{' + '.join(terms[name] for name in names)}}}{{\\sqrt{{d_k}}}}"
        return f"{whole},   d_k = {trace.head_width}", whole, sums
    terms = {CONTENT: "q_i · k_j", TO_POSITION: "q_i · k^r_{δ(i,j)}", TO_CONTENT: "q^r_{δ(i,j)} · k_j"}
    divisor = f"\\sqrt{{{len(names)} d_k}}"
    whole = f"s_{{ij}} = \\frac{{{' + '.join(terms[name] for name in names)}}}{{{divisor}}}"
    return f"{whole},   {len(names)} d_k = {trace.radicand}", whole, sums


def _biased_sentence(traits: Traits) -> str:
    if traits.form.is_causal:
        return Message("−∞ shuts out every later key: a token sees itself and what comes before it.")
    if traits.form.has_blocks:
        return Message(
            "−∞ shuts out far blocks of tokens; the first block counts several times, so a number is added."
        )
    return Message(
        "What depends on the distance of query and key alone is added; −∞ shuts out what is too far."
    )


def _softmax(inputs: StageInputs) -> tuple[str, ...]:
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


def _mixed(inputs: StageInputs) -> tuple[str, ...]:
    short = "z_i = Σ_j α_{ij} v_j"
    if inputs.trace.bias is not None:  # it adds to the scores, or has other keys and values
        return (short,)
    return f"{short},   Z = \\t{{softmax}}(\\frac{{QK^T}}{{\\sqrt{{d_k}}}}) V", short


def _mixed_of_head(inputs: StageInputs) -> Floats | None:
    return None if inputs.details is None else inputs.details.mixed[inputs.head]


def _concat(inputs: StageInputs) -> tuple[str, ...]:
    last = inputs.trace.n_heads - 1
    if inputs.trace.form.has_span_convolution:
        return (f"c_i = [z_i^{{(0)}} ; … ; z_i^{{({last})}} ; g_i]", "c_i = [z_i^{(0)} ; … ; g_i]")
    return (
        f"c_i = [z_i^{{(0)}} ; z_i^{{(1)}} ; … ; z_i^{{({last})}}]",
        "c_i = [z_i^{(0)} ; z_i^{(1)} ; …]",
    )


def _joined(shapes: Shapes) -> str:
    of_heads = f"{shapes.n_heads} × {shapes.of_head}"
    if shapes.joined_width == shapes.n_heads * shapes.head_width:
        return f"{of_heads} → {shapes.heads}"
    return f"{of_heads} + {shapes.heads} → [{shapes.n_tokens}, {shapes.joined_width}]"


def _attention_norm(inputs: StageInputs) -> tuple[str, ...]:
    return norm("y_i", "o_i" if inputs.trace.form.adds_before_projection else "r_i", inputs.trace.form)


def _attended(form: Form) -> str:
    if form.has_bottleneck:
        return "r_i = n_i + o_i"
    return "r_i = x_i + c_i" if form.adds_before_projection else "r_i = x_i + o_i"


def _is_normed_before(form: Form, layer: int) -> bool:
    return form.is_pre_norm and not (layer == 0 and form.is_first_without_norm)


ATTENTION_STAGES = (
    Stage(
        "input",
        EncoderPart.BEFORE,
        sign="x",
        words=(Message("the layer's input"), norm_sentence()),
        tensor=lambda inputs: inputs.trace.hidden[inputs.layer],
        formulas=constant(""),
        symbol=letter("x_i"),
        terms=line("", "input"),
        is_stop=False,
    ),
    replace(
        norm_stage(
            "input_norm",
            EncoderPart.BEFORE,
            LAYER_NORM,
            "n_i",
            lambda inputs: norm("n_i", "x_i", inputs.trace.form),
        ),
        applies=lambda architecture, layer: _is_normed_before(architecture.form, layer),
    ),
    *NARROWING_STAGES,
    Stage(
        "queries",
        EncoderPart.PROJECTIONS,
        sign="Q",
        words=(
            Message("queries Q"),
            Message("Each token asks: its query says what it looks for."),
        ),
        tensor=_queries,
        formulas=_projection("q", "i", "R"),
        symbol=letter("q_i"),
        shapes=_projected_shapes,
        quantities=("queries",),
        coloured="queries",
    ),
    Stage(
        "keys",
        EncoderPart.PROJECTIONS,
        sign="K",
        words=_KEYS,
        sentence=_key_sentence,
        tensor=_keys,
        formulas=_projection("k", "j", "R"),
        symbol=letter("k_j"),
        shapes=_projected_shapes,
        quantities=("keys",),
        coloured="keys",
    ),
    Stage(
        "values",
        EncoderPart.PROJECTIONS,
        sign="V",
        words=(
            Message("values V"),
            Message("The value of a token is the content it passes on when attended to."),
        ),
        tensor=_values,
        formulas=_projection("v", "j"),
        symbol=letter("v_j"),
        shapes=_valued_shapes,
        quantities=("values",),
        coloured="values",
    ),
    Stage(
        "scores",
        EncoderPart.MIXING,
        sign="q·k",
        words=(
            Message("query · key"),
            Message("The query is compared with every key: the better they fit, the larger the product."),
        ),
        tensor=_of_steps("products"),
        formulas=constant("q_i · k_j = Σ_d q_{id} k_{jd}", "q_i · k_j"),
        shapes=lambda shapes: (
            f"{shapes.of_head} · [{shapes.head_width}, {shapes.n_tokens}] → {shapes.square}"
        ),
        quantities=("keys", "scores"),
    ),
    Stage(
        "scaled",
        EncoderPart.MIXING,
        sign="÷\\sqrt{d}",
        words=(
            Message("scaled dot product"),
            Message("Division keeps the products from growing with the width of the head."),
        ),
        tensor=_of_steps("scaled"),
        formulas=_scaled,
        shapes=_square,
        applies=lambda architecture, layer: (
            architecture.form.divides_scores and not architecture.is_disentangled
        ),
        quantities=("scores", "scaled"),
        why_absent=(
            "This checkpoint does not divide its products in a step of its own.",
            "T5 divides nothing; where scores are sums, the stage “disentangled” divides these.",
        ),
    ),
    Stage(
        "biased",
        EncoderPart.MIXING,
        sign="+b",
        words=(
            Message("add the bias for the distance"),
            _biased_sentence(BERT_TRAITS),
        ),
        sentence=_biased_sentence,
        tensor=_of_steps("biased"),
        formulas=_biased,
        shapes=lambda shapes: f"{shapes.square} + {shapes.square} → {shapes.square}",
        applies=lambda architecture, layer: architecture.has_bias,
        quantities=("scaled", DISTANCE, "biased"),
        is_windowed=True,
        why_absent=(
            "This checkpoint adds no bias to its scores.",
            "In its attention a score depends on the two tokens alone.",
        ),
    ),
    Stage(
        "disentangled",
        EncoderPart.MIXING,
        sign="+p",
        words=(
            Message("content and position added up"),
            Message(
                "Content meets content, and each meets the distance between the two; the products are added."
            ),
        ),
        tensor=_of_steps("biased"),
        formulas=_score_sum,
        shapes=lambda shapes: " + ".join([shapes.square] * shapes.n_scores) + f" → {shapes.square}",
        applies=lambda architecture, layer: architecture.is_disentangled,
        quantities=(CONTENT, TO_POSITION, TO_CONTENT, "biased"),
        coloured="biased",
        why_absent=(
            "This checkpoint does not add up content and position.",
            "In its attention positions are no part of the scores, or only a number for the distance.",
        ),
    ),
    Stage(
        "softmax",
        EncoderPart.MIXING,
        sign="\\t{softmax}",
        words=(
            Message("softmax"),
            Message("The scores become weights between 0 and 1 that add up to 1."),
        ),
        tensor=_of_steps("weights"),
        formulas=_softmax,
        shapes=_square,
        quantities=("scaled", "biased", "exponential", "weight"),
        is_windowed=True,
    ),
    Stage(
        "weighted",
        EncoderPart.MIXING,
        sign="αV",
        words=(
            Message("weights × values"),
            Message("Each value vector is multiplied by the attention weight of its token."),
        ),
        tensor=_of_steps("weighted"),
        formulas=constant("α_{ij} v_j"),
        shapes=lambda shapes: f"[{shapes.n_tokens}] × {shapes.of_head} → {shapes.of_head}",
        quantities=("weight", "values", "weighted"),
        coloured="weighted",
        is_windowed=True,
    ),
    Stage(
        "mixed",
        EncoderPart.MIXING,
        sign="Z",
        words=(
            Message("weighted sum Z"),
            Message("The weighted values are added up: the output of this head for the query."),
        ),
        tensor=_mixed_of_head,
        formulas=_mixed,
        symbol=letter("z_i"),
        shapes=lambda shapes: f"{shapes.square} · {shapes.of_head} → {shapes.of_head}",
        quantities=("weighted",),
    ),
    Stage(
        "span_convolved",
        EncoderPart.ATTENTION,
        sign="\\t{conv}",
        words=(
            Message("convolutions beside the heads"),
            Message("Each token adds up its neighbours by weights that it makes of the words around it."),
        ),
        tensor=detail("span_convolved"),
        formulas=constant(
            "g_i = Σ_k κ_{ik} u_{i+k},   κ_i = \\t{softmax}(W_κ (q_i ⊙ k^s_i))", "g_i = Σ_k κ_{ik} u_{i+k}"
        ),
        symbol=letter("g_i"),
        shapes=lambda shapes: f"{shapes.all} → {shapes.heads}",
        applies=lambda architecture, layer: architecture.form.has_span_convolution,
        terms=line("conv", "span_convolved"),
        why_absent=(
            "This checkpoint has no convolutions beside its heads.",
            "The layers of ConvBERT have as many as heads.",
        ),
    ),
    Stage(
        "concat",
        EncoderPart.ATTENTION,
        sign="\\t{concat}",
        words=(
            Message("all heads side by side"),
            Message("The outputs of all heads are joined into one vector."),
        ),
        tensor=detail("concat"),
        formulas=_concat,
        symbol=letter("c_i"),
        shapes=_joined,
        terms=line("", "concat"),
    ),
    Stage(
        "projected",
        EncoderPart.ATTENTION,
        sign="W_O",
        words=(
            Message("output projection"),
            Message("One dense layer mixes the outputs of the heads."),
        ),
        tensor=detail("projected"),
        formulas=lambda inputs: (
            "o_i = r_i W_O + b_O" if inputs.trace.form.adds_before_projection else "o_i = c_i W_O + b_O",
        ),
        symbol=letter("o_i"),
        shapes=lambda shapes: (
            f"[{shapes.n_tokens}, {shapes.joined_width}] · [{shapes.joined_width}, {shapes.inner_width}] → "
            f"{shapes.within}"
        ),
        terms=line("W_O", "projected"),
    ),
    sum_stage(
        "attention_sum",
        EncoderPart.ATTENTION,
        (
            Message("add the layer's input"),
            Message("The result is added to the attention input: the first residual connection."),
        ),
        "r_i",
        _attended,
        lambda form: "narrowed" if form.has_bottleneck else "input",
    ),
    norm_stage("attention_norm", EncoderPart.ATTENTION, LAYER_NORM, "y_i", _attention_norm),
)
"""In the order in which most encoders compute them; `stages.in_order` has the order of each."""
