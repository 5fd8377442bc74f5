"""Every stage of an encoder, a row each: of embeddings, attention, feed-forward part, and what is on top."""

from __future__ import annotations

from bertviz_app.errors import Message
from bertviz_app.trace.bias import CONTENT, DISTANCE, TO_CONTENT, TO_POSITION
from bertviz_app.trace.form import MOST_FEED_FORWARDS, Form
from bertviz_app.values import replace
from bertviz_app.viewmodels.stages.stage import (
    Architecture,
    EncoderPart,
    NormStage,
    Stage,
    SumStage,
    activation,
    active_formulas,
    added_sentence,
    biased_formulas,
    biased_sentence,
    concat_formulas,
    key_sentence,
    mixed_formulas,
    position_formulas,
    projection_formulas,
    score_sum_formulas,
    softmax_formulas,
    token_formulas,
    token_projection_formulas,
)

_SUM_OF_ALL = "{all} + {all} → {all}"


_EMBEDDINGS = (
    Stage(
        "token",
        Message("token embedding"),
        Message("Each token ID picks its row of the table of token embeddings."),
        sign="E_{tok}",
        symbol="t_i",
        line="",
        formulas=token_formulas,
        reads="trace.token_embeddings",
        shapes="{token}",
    ),
    Stage(
        "token_projection",
        Message("projection of the token embedding"),
        Message(
            "One dense layer widens the token's embedding; in a trigram those of its neighbours join it."
        ),
        symbol="t'_i",
        line="W_T",
        formulas=token_projection_formulas,
        reads="trace.token_projection",
        shapes="{token} → {narrow}",
        only_if="has_token_projection",
        why_absent=(
            "This checkpoint does not project its token embeddings by themselves.",
            "Only MobileBERT does.",
        ),
    ),
    Stage(
        "segment",
        Message("segment embedding"),
        Message("Says whether the token is in sentence 1 or 2 (segment 0 or 1); some models have only one."),
        sign="E_{seg}",
        symbol="s_i",
        line="+",
        formulas=("s_i = E_{\\t{segment}}[$segment]",),
        reads="trace.segment_embeddings",
        shapes="{narrow}",
        only_if="has_segments",
        why_absent=("This checkpoint has no segments.", "Its embeddings are those of token and position."),
    ),
    Stage(
        "position",
        Message("position embedding"),
        Message("Says where the token stands; without it the order would be lost."),
        sign="E_{pos}",
        symbol="p_i",
        line="+",
        formulas=position_formulas,
        reads="trace.position_embeddings",
        shapes="{narrow}",
        only_if="has_positions",
    ),
    Stage(
        "task",
        Message("task embedding"),
        Message("Says which task the text is read for; it is 0 here, the same for all tokens."),
        sign="E_{task}",
        symbol="τ_i",
        line="+",
        formulas=("τ_i = E_{\\t{task}}[0]",),
        reads="trace.task_embeddings",
        shapes="{narrow}",
        only_if="has_tasks",
        why_absent=(
            "This checkpoint has no task embeddings.",
            "Its embeddings are those of token, segment and position.",
        ),
    ),
    Stage(
        "embedding_sum",
        Message("sum of the embeddings"),
        Message("The embeddings are added, number by number."),
        sign="Σ",
        symbol="e_i",
        line="=",
        n_operands=4,
        formulas=("$own = $added",),
        reads="trace.embedding_sum",
        shapes="{n_embeddings} × {narrow} → {narrow}",
        only_if=lambda architecture, layer: architecture.has_segments or architecture.has_positions,
    ),
    NormStage(
        "embedding_norm",
        symbol="n_i",
        reads="normed_embeddings",
        shapes="{narrow} → {narrow}",
        only_if="form.has_embedding_norm",
    ),
    Stage(
        "embedding_projection",
        Message("projection to the layers' width"),
        Message("The embeddings are not as wide as the layers: one dense layer changes their width."),
        symbol="x_i",
        line="W_E",
        reads="trace.hidden.0",
        shapes="{narrow} · [{narrow.width}, {all.width}] → {all}",
        only_if="has_projection",
        why_absent=(
            "This checkpoint does not project its embeddings.",
            "They have the width of its layers.",
        ),
    ),
)


_NO_BOTTLENECK = (
    "This checkpoint has no bottleneck here.",
    "The layers of MobileBERT may have one or two.",
)


def _is_normed_before(architecture: Architecture, layer: int) -> bool:
    form = architecture.form
    return form.is_pre_norm and not (layer == 0 and form.is_first_without_norm)


_BEFORE = (
    Stage(
        "input",
        Message("the layer's input"),
        "",
        symbol="x_i",
        sign="x",
        line="",
        reads="layer_input",
        is_stop=False,
    ),
    NormStage("input_norm", symbol="n_i", only_if=_is_normed_before),
    Stage(
        "narrowed",
        Message("bottleneck: the input narrowed"),
        Message("A dense layer, scaled and shifted, narrows the input; the parts of the layer work on that."),
        sign="N",
        symbol="n_i",
        line="W_N",
        formulas=("n_i = (x_i W_N + b_N) ⊙ γ + β", "n_i = \\t{NoNorm}(x_i W_N + b_N)"),
        shapes="{all} · [{all.width}, {within.width}] → {within}",
        only_if="form.has_bottleneck",
        why_absent=_NO_BOTTLENECK,
    ),
    Stage(
        "narrowed_for_attention",
        Message("bottleneck of queries and keys"),
        Message("A second dense layer narrows the input for queries and keys; values read it whole."),
        sign="N'",
        symbol="n'_i",
        line="W'_N",
        reads_again="input",
        formulas=("n'_i = (x_i W'_N + b'_N) ⊙ γ + β", "n'_i = \\t{NoNorm}(x_i W'_N + b'_N)"),
        shapes="{all} · [{all.width}, {within.width}] → {within}",
        only_if="form.attends_beside_bottleneck",
        why_absent=_NO_BOTTLENECK,
    ),
)


_PROJECTED = "{within} · [{within.width}, {of_head.width}] → {of_head}"
_PROJECTIONS = (
    Stage(
        "queries",
        Message("queries Q"),
        Message("Each token asks: its query says what it looks for."),
        sign="Q",
        symbol="q_i",
        formulas=projection_formulas("q", "i", "R"),
        reads="queries",
        shapes=_PROJECTED,
        quantities=("queries",),
        coloured="queries",
    ),
    Stage(
        "keys",
        Message("keys K"),
        key_sentence,
        sign="K",
        symbol="k_j",
        formulas=projection_formulas("k", "j", "R"),
        reads="keys",
        shapes=_PROJECTED,
        quantities=("keys",),
        coloured="keys",
    ),
    Stage(
        "values",
        Message("values V"),
        Message("The value of a token is the content it passes on when attended to."),
        sign="V",
        symbol="v_j",
        formulas=projection_formulas("v", "j"),
        reads="values",
        shapes="{source} · [{source.width}, {of_head.width}] → {of_head}",
        quantities=("values",),
        coloured="values",
    ),
)


_SCALED = "s_{ij} = \\frac{q_i · k_j}{\\sqrt{d_k}}"
_MIXING = (
    Stage(
        "scores",
        Message("query · key"),
        Message("The query is compared with every key: the better they fit, the larger the product."),
        sign="q·k",
        formulas=("q_i · k_j = Σ_d q_{id} k_{jd}", "q_i · k_j"),
        reads="steps.products",
        shapes="{of_head} · [{of_head.width}, {n_tokens}] → {square}",
        quantities=("keys", "scores"),
    ),
    Stage(
        "scaled",
        Message("scaled dot product"),
        Message("Division keeps the products from growing with the width of the head."),
        sign="÷\\sqrt{d}",
        formulas=(f"{_SCALED},   d_k = $head_width", _SCALED),
        reads="steps.scaled",
        shapes="{square} → {square}",
        only_if=lambda architecture, layer: (
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
        Message("add the bias for the distance"),
        biased_sentence,
        sign="+b",
        formulas=biased_formulas,
        reads="steps.biased",
        shapes="{square} + {square} → {square}",
        only_if="has_bias",
        quantities=("scaled", DISTANCE, "biased"),
        is_windowed=True,
        why_absent=(
            "This checkpoint adds no bias to its scores.",
            "In its attention a score depends on the two tokens alone.",
        ),
    ),
    Stage(
        "disentangled",
        Message("content and position added up"),
        Message(
            "Content meets content, and each meets the distance between the two; the products are added."
        ),
        sign="+p",
        formulas=score_sum_formulas,
        reads="steps.biased",
        shapes="{score_sum} → {square}",
        only_if="is_disentangled",
        quantities=(CONTENT, TO_POSITION, TO_CONTENT, "biased"),
        coloured="biased",
        why_absent=(
            "This checkpoint does not add up content and position.",
            "In its attention positions are no part of the scores, or only a number for the distance.",
        ),
    ),
    Stage(
        "softmax",
        Message("softmax"),
        Message("The scores become weights between 0 and 1 that add up to 1."),
        sign="\\t{softmax}",
        formulas=softmax_formulas,
        reads="steps.weights",
        shapes="{square} → {square}",
        quantities=("scaled", "biased", "exponential", "weight"),
        n_made=2,
        is_windowed=True,
    ),
    Stage(
        "weighted",
        Message("weights × values"),
        Message("Each value vector is multiplied by the attention weight of its token."),
        sign="αV",
        formulas=("α_{ij} v_j",),
        reads="steps.weighted",
        shapes="[{n_tokens}] × {of_head} → {of_head}",
        quantities=("weight", "values", "weighted"),
        coloured="weighted",
        is_windowed=True,
    ),
    Stage(
        "mixed",
        Message("weighted sum Z"),
        Message("The weighted values are added up: the output of this head for the query."),
        sign="Z",
        symbol="z_i",
        formulas=mixed_formulas,
        reads="mixed",
        shapes="{square} · {of_head} → {of_head}",
        quantities=("weighted",),
    ),
)


_ATTENTION = (
    Stage(
        "span_convolved",
        Message("convolutions beside the heads"),
        Message("Each token adds up its neighbours by weights that it makes of the words around it."),
        sign="\\t{conv}",
        symbol="g_i",
        line="conv",
        formulas=(
            "g_i = Σ_k κ_{ik} u_{i+k},   κ_i = \\t{softmax}(W_κ (q_i ⊙ k^s_i))",
            "g_i = Σ_k κ_{ik} u_{i+k}",
        ),
        shapes="{all} → {heads}",
        only_if="form.has_span_convolution",
        why_absent=(
            "This checkpoint has no convolutions beside its heads.",
            "The layers of ConvBERT have as many as heads.",
        ),
    ),
    Stage(
        "concat",
        Message("all heads side by side"),
        Message("The outputs of all heads are joined into one vector."),
        sign="\\t{concat}",
        symbol="c_i",
        line="",
        formulas=concat_formulas,
        shapes="{n_heads} × {of_head}{beside_heads} → {joined}",
    ),
    Stage(
        "projected",
        Message("output projection"),
        Message("One dense layer mixes the outputs of the heads."),
        symbol="o_i",
        line="W_O",
        shapes="{joined} · [{joined.width}, {within.width}] → {within}",
    ),
    SumStage(
        "attention_sum",
        Message("add the layer's input"),
        Message("The result is added to the attention input: the first residual connection."),
        symbol="r_i",
        reads_again=lambda form: "narrowed" if form.has_bottleneck else "input",
    ),
    NormStage("attention_norm", symbol="y_i"),
)
"""In the order in which most encoders compute them; `stops.in_order` has the order of each."""


def _earlier(number: int) -> Stage:
    """Return the stage of the feed-forward part `number`, from 1, of several: the whole of it, as one."""
    own = f"^{{({number})}}"
    product = f"f($given W{own}_1 + b{own}_1) W{own}_2 + b{own}_2"
    return Stage(
        f"earlier_{number}",
        Message("feed-forward part {0} of several", number),
        Message("A whole part at once: expand, activation, contract, sum, norm, as in the last one."),
        sign=f"F_{number}",
        symbol=f"y{own}_i",
        line="FFN",
        formulas=(
            f"$own = \\t{{$norm}}($given + {product})",
            f"$own = \\t{{$norm}}($given + \\t{{FFN}}_{number}($given))",
        ),
        reads=f"details.earlier_parts.{number - 1}",
        shapes="{within} → {within}",
        only_if=lambda architecture, layer: architecture.form.n_feed_forwards > number,
        why_absent=(
            "The layers of this checkpoint have fewer feed-forward parts.",
            "The stages of the last one begin with “expanded”.",
        ),
    )


def _fed(form: Form) -> str:
    """Return the stage that the output of the last feed-forward part is added to."""
    if form.is_pre_norm:
        return "attention_sum"
    return f"earlier_{form.n_feed_forwards - 1}" if form.n_feed_forwards > 1 else "attention_norm"


def _has_convolution(architecture: Architecture, layer: int) -> bool:
    return architecture.form.has_convolution and layer == 0


def _is_last_with_norm(architecture: Architecture, layer: int) -> bool:
    return architecture.form.has_final_norm and layer == architecture.n_layers - 1


def _has_two_norms(architecture: Architecture, layer: int) -> bool:
    """Return whether more follows the norm: a convolution, a bottleneck's end, or the norm of the stack."""
    form = architecture.form
    has_more = form.has_bottleneck or _has_convolution(architecture, layer)
    return has_more or (_is_last_with_norm(architecture, layer) and not form.is_pre_norm)


def _has_output_norm(architecture: Architecture, layer: int) -> bool:
    return not architecture.form.is_pre_norm or _is_last_with_norm(architecture, layer)


_EXPANDING = "{within} · [{within.width}, {wide.width}] → {wide}"
_NO_ADAPTER = (
    "This checkpoint has no adapter of a language here.",
    "The layers of X-MOD end in one for each language.",
)
_NO_CONVOLUTION = (
    "This checkpoint has no convolution here.",
    "Only the first layer of DeBERTa v2 may have one.",
)
_FEED_FORWARD = (
    *map(_earlier, range(1, MOST_FEED_FORWARDS)),
    Stage(
        "expanded",
        Message("feed-forward: expand"),
        Message("Each token's vector goes through a dense layer, usually to a larger width."),
        symbol="u_i",
        line="W_1",
        shapes=_EXPANDING,
    ),
    Stage(
        "active",
        Message("activation"),
        lambda traits: activation(traits.activation).sentence,
        sign="\\t{$activation}",
        symbol="a_i",
        line="f",
        formulas=active_formulas,
        shapes="{wide} → {wide}",
    ),
    Stage(
        "gate",
        Message("feed-forward: gate"),
        Message("A third dense layer says how much of each number passes."),
        sign="W_G",
        symbol="g_i",
        line="×",
        formulas=("g_i = y_i W_G + b_G",),
        shapes=_EXPANDING,
        only_if="form.is_gated",
    ),
    Stage(
        "gated",
        Message("multiplied by the gate"),
        Message("Each number is multiplied with its gate."),
        sign="⊙",
        symbol="h_i",
        line="=",
        n_operands=2,
        formulas=("h_i = a_i ⊙ g_i",),
        shapes="{wide} ⊙ {wide} → {wide}",
        only_if="form.is_gated",
    ),
    Stage(
        "contracted",
        Message("feed-forward: contract"),
        Message("A second dense layer brings the result back to the width of the model."),
        symbol="f_i",
        line="W_2",
        shapes="{wide} · [{wide.width}, {within.width}] → {within}",
    ),
    SumStage(
        "output_sum",
        Message("add the input (residual)"),
        added_sentence,
        symbol="r'_i",
        reads_again=_fed,
    ),
    NormStage(
        "adapter_norm",
        Message("layer norm: before the adapter"),
        symbol="n''_i",
        only_if="form.norms_before_adapter",
        why_absent=_NO_ADAPTER,
    ),
    Stage(
        "adapted",
        Message("adapter of the language"),
        Message("Two narrow dense layers, which only texts of this language have trained."),
        symbol="d_i",
        line="A",
        formulas=("d_i = f($given A_1 + a_1) A_2 + a_2",),
        only_if="form.has_adapter",
        why_absent=_NO_ADAPTER,
    ),
    SumStage(
        "adapter_sum",
        Message("add what the adapter was given"),
        Message("What the adapter changes is added to what the layer has found so far."),
        symbol="r''_i",
        reads_again=lambda form: "adapter_norm" if form.adds_normed_to_adapter else "output_sum",
        shapes=_SUM_OF_ALL,
        only_if="form.has_adapter",
        why_absent=_NO_ADAPTER,
    ),
    NormStage(
        "output_norm",
        Message("layer norm: the layer's own"),
        symbol="y'_i",
        only_if=_has_two_norms,
        why_absent=("In this layer one norm follows the sum.", "Its stage is “output”."),
    ),
    Stage(
        "convolved",
        Message("convolution of the layer's input"),
        Message("Each token adds up its neighbours' vectors, each times a learned matrix."),
        sign="\\t{conv}",
        symbol="c'_i",
        line="conv",
        formulas=("c'_i = \\t{$convolution}(Σ_k x_{i+k} W_k + b)",),
        only_if=_has_convolution,
        why_absent=_NO_CONVOLUTION,
    ),
    SumStage(
        "convolution_sum",
        Message("add the convolution"),
        Message("The sum over the neighbours is added to the layer's output."),
        symbol="r''_i",
        reads_again="output_norm",
        shapes=_SUM_OF_ALL,
        only_if=_has_convolution,
        why_absent=_NO_CONVOLUTION,
    ),
    Stage(
        "widened",
        Message("bottleneck: the output widened"),
        Message("One dense layer brings the result back to the width of the layer's input."),
        symbol="w_i",
        line="W_B",
        shapes="{within} · [{within.width}, {all.width}] → {all}",
        only_if="form.has_bottleneck",
        why_absent=_NO_BOTTLENECK,
    ),
    SumStage(
        "widened_sum",
        Message("add the layer's input"),
        Message("The layer's input, as wide as it came, is added to the result."),
        symbol="r''_i",
        reads_again="input",
        shapes=_SUM_OF_ALL,
        only_if="form.has_bottleneck",
        why_absent=_NO_BOTTLENECK,
    ),
    NormStage(
        "output",
        Message("layer norm: the layer's output"),
        symbol="x'_i",
        scaling_title=Message("scale and shift: the layer's output"),
        reads="layer_output",
        shapes="{all} → {all}",
        only_if=_has_output_norm,
    ),
)


_NO_POOLER = ("This checkpoint has no pooler.", "Its last stage is “first”.")
_TOP = (
    Stage(
        "first",
        Message("{0} of the last layer"),
        Message("The final vector of the first token, which could attend to the whole input."),
        sign="$first",
        symbol="h",
        line="",
        formulas=("h = x_{$first}",),
        reads="last_of_first",
        shapes="{all} → [{all.width}]",
    ),
    Stage(
        "dense",
        Message("pooler: dense"),
        Message("One more dense layer, for the vector of the first token alone."),
        symbol="d",
        line="W_P",
        reads="details.pooler_dense",
        shapes="[{all.width}] · [{all.width}, {all.width}] → [{all.width}]",
        only_if="has_pooler",
        why_absent=_NO_POOLER,
    ),
    Stage(
        "pooled",
        Message("tanh: the pooled vector"),
        Message("tanh brings every number between −1 and 1: classifiers read this vector."),
        sign="\\t{tanh}",
        symbol="p",
        line="tanh",
        formulas=("p = \\t{tanh}(d) = \\t{tanh}(h W_P + b_P)", "p = \\t{tanh}(d)"),
        reads="trace.pooled",
        shapes="[{all.width}] → [{all.width}]",
        only_if="has_pooler",
        why_absent=_NO_POOLER,
    ),
)
"""The last hidden state of the first token, and the pooler where there is one."""

_TABLES = (_EMBEDDINGS, _BEFORE, _PROJECTIONS, _MIXING, _ATTENTION, _FEED_FORWARD, _TOP)
ALL_STAGES = tuple(
    replace(stage, part=part) for part, table in zip(EncoderPart, _TABLES, strict=True) for stage in table
)
"""In the order in which most encoders compute them. One with a part of its own adds a row to a table."""
