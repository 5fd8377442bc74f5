"""The stages of a layer's feed-forward part and adapters, and those on top of the last layer."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace

from bertviz_app.errors import Message
from bertviz_app.trace.form import Form
from bertviz_app.types import Floats
from bertviz_app.viewmodels.steps.activations import DEFINITIONS, activation_name, activation_sentence
from bertviz_app.viewmodels.steps.attention_stages import EARLIER_PARTS, WIDENING_STAGES
from bertviz_app.viewmodels.steps.stage import (
    SCALING_SENTENCE,
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
    norm_stage,
    part_read,
    part_symbol,
    same_shape,
    sum_of_all,
    sum_stage,
)

_NO_ADAPTER = (
    "This checkpoint has no adapter of a language here.",
    "The layers of X-MOD end in one for each language.",
)


def _has_adapter(architecture: Architecture, layer: int) -> bool:
    return architecture.form.has_adapter


def _added(form: Form) -> str:
    return "adapter_norm" if form.adds_normed_to_adapter else "output_sum"


def _adapter_sum(form: Form) -> str:
    return "r''_i = n''_i + d_i" if form.adds_normed_to_adapter else "r''_i = r'_i + d_i"


def _adapted(inputs: StageInputs) -> tuple[str, ...]:
    given = "n''_i" if inputs.trace.form.norms_before_adapter else "r'_i"
    return (f"d_i = f({given} A_1 + a_1) A_2 + a_2",)


ADAPTER_STAGES = (
    replace(
        norm_stage(
            "adapter_norm",
            EncoderPart.FEED_FORWARD,
            Message("layer norm: before the adapter"),
            "n''_i",
            lambda inputs: norm("n''_i", "r'_i", inputs.trace.form),
        ),
        applies=lambda architecture, layer: architecture.form.norms_before_adapter,
        why_absent=_NO_ADAPTER,
    ),
    Stage(
        "adapted",
        EncoderPart.FEED_FORWARD,
        sign="A",
        words=(
            Message("adapter of the language"),
            Message("Two narrow dense layers, which only texts of this language have trained."),
        ),
        tensor=detail("adapted"),
        formulas=_adapted,
        symbol=letter("d_i"),
        applies=_has_adapter,
        terms=line("A", "adapted"),
        why_absent=_NO_ADAPTER,
    ),
    replace(
        sum_stage(
            "adapter_sum",
            EncoderPart.FEED_FORWARD,
            (
                Message("add what the adapter was given"),
                Message("What the adapter changes is added to what the layer has found so far."),
            ),
            "r''_i",
            _adapter_sum,
            _added,
        ),
        shapes=sum_of_all,
        applies=_has_adapter,
        why_absent=_NO_ADAPTER,
    ),
)
"""After the last feed-forward part; see `feed_forward_stages`."""


_NO_CONVOLUTION = (
    "This checkpoint has no convolution here.",
    "Only the first layer of DeBERTa v2 may have one.",
)
_NO_POOLER = ("This checkpoint has no pooler.", "Its last stage is “first”.")


def upright(name: str) -> str:
    """Return a token's name in a formula, without what would be one there."""
    return "\\t{" + re.sub(r"[{}\\_^]", "", name) + "}"


def _active(inputs: StageInputs) -> tuple[str, ...]:
    name = activation_name("gelu" if inputs.details is None else inputs.details.activation)
    short = f"a_i = \\t{{{name}}}(u_i)"
    return (f"{short} = {DEFINITIONS[name]}", short) if name in DEFINITIONS else (short,)


def _expanding(shapes: Shapes) -> str:
    return f"{shapes.within} · [{shapes.inner_width}, {shapes.expanded}] → {shapes.wide}"


def _is_gated(architecture: Architecture, layer: int) -> bool:
    return architecture.form.is_gated


def _has_pooler(architecture: Architecture, layer: int) -> bool:
    return architecture.has_pooler


def _has_output_norm(architecture: Architecture, layer: int) -> bool:
    form = architecture.form
    return not form.is_pre_norm or (form.has_final_norm and layer == architecture.n_layers - 1)


def _has_two_norms(architecture: Architecture, layer: int) -> bool:
    """Return whether more follows the norm: a convolution, a bottleneck's end, or the norm of the stack."""
    form = architecture.form
    is_last = layer == architecture.n_layers - 1
    has_more = form.has_bottleneck or _has_convolution(architecture, layer)
    return has_more or (form.has_final_norm and not form.is_pre_norm and is_last)


def _has_convolution(architecture: Architecture, layer: int) -> bool:
    return architecture.form.has_convolution and layer == 0


def _convolved(inputs: StageInputs) -> tuple[str, ...]:
    details = inputs.details
    activation = None if details is None else details.convolution_activation
    name = activation_name(activation or "tanh")
    return (f"c'_i = \\t{{{name}}}(Σ_k x_{{i+k}} W_k + b)",)


def _summed(absent: Collection[str]) -> str:
    """Return the letter of what the last norm of the layer reads."""
    if not {"convolved", "widened", "adapted"} <= set(absent):
        return "r''_i"
    return "r'_i" if "output_norm" in absent else "y'_i"


def _added_sentence(traits: Traits) -> str:
    if traits.form.is_pre_norm:
        return Message("The result is added to the sum from before the norm.")
    return Message("The result is added to the feed-forward input: the second residual connection.")


def _pooler_dense(inputs: StageInputs) -> Floats | None:
    details = inputs.details
    return None if details is None or details.pooler_dense is None else details.pooler_dense[None]


def _first(inputs: StageInputs) -> tuple[str, ...]:
    return (f"h = x_{{{upright(inputs.trace.tokens.special_names.first)}}}",)


def _read(form: Form) -> str:
    """Return the letter of what the feed-forward part reads, the last one where there are several."""
    return part_symbol(form.n_feed_forwards - 1)


def _sum(form: Form) -> str:
    return "r'_i = r_i + f_i" if form.is_pre_norm else f"r'_i = {_read(form)} + f_i"


FEED_FORWARD_STAGES = (
    *EARLIER_PARTS,
    Stage(
        "expanded",
        EncoderPart.FEED_FORWARD,
        sign="W_1",
        words=(
            Message("feed-forward: expand"),
            Message("Each token's vector goes through a dense layer, usually to a larger width."),
        ),
        tensor=detail("expanded"),
        formulas=lambda inputs: (f"u_i = {_read(inputs.trace.form)} W_1 + b_1",),
        symbol=letter("u_i"),
        shapes=_expanding,
        terms=lambda form: (
            *((Term("", "attention_norm"),) if form.n_feed_forwards == 1 else ()),
            Term("W_1", "expanded"),
        ),
    ),
    Stage(
        "active",
        EncoderPart.FEED_FORWARD,
        sign="\\t{$activation}",
        words=(
            Message("activation"),
            activation_sentence("gelu"),
        ),
        sentence=lambda traits: activation_sentence(traits.activation),
        tensor=detail("active"),
        formulas=_active,
        symbol=letter("a_i"),
        shapes=lambda shapes: f"{shapes.wide} → {shapes.wide}",
        terms=line("f", "active"),
    ),
    Stage(
        "gate",
        EncoderPart.FEED_FORWARD,
        sign="W_G",
        words=(
            Message("feed-forward: gate"),
            Message("A third dense layer says how much of each number passes."),
        ),
        tensor=detail("gate"),
        formulas=constant("g_i = y_i W_G + b_G"),
        symbol=letter("g_i"),
        shapes=_expanding,
        applies=_is_gated,
        terms=line("×", "gate"),
    ),
    Stage(
        "gated",
        EncoderPart.FEED_FORWARD,
        sign="⊙",
        words=(
            Message("multiplied by the gate"),
            Message("Each number is multiplied with its gate."),
        ),
        tensor=detail("gated"),
        formulas=constant("h_i = a_i ⊙ g_i"),
        symbol=letter("h_i"),
        shapes=lambda shapes: f"{shapes.wide} ⊙ {shapes.wide} → {shapes.wide}",
        applies=_is_gated,
        terms=line("=", "gated"),
        n_operands=2,
    ),
    Stage(
        "contracted",
        EncoderPart.FEED_FORWARD,
        sign="W_2",
        words=(
            Message("feed-forward: contract"),
            Message("A second dense layer brings the result back to the width of the model."),
        ),
        tensor=detail("contracted"),
        formulas=lambda inputs: (
            "f_i = h_i W_2 + b_2" if inputs.trace.form.is_gated else "f_i = a_i W_2 + b_2",
        ),
        symbol=letter("f_i"),
        shapes=lambda shapes: f"{shapes.wide} · [{shapes.expanded}, {shapes.inner_width}] → {shapes.within}",
        terms=line("W_2", "contracted"),
    ),
    replace(
        sum_stage(
            "output_sum",
            EncoderPart.FEED_FORWARD,
            (
                Message("add the input (residual)"),
                Message("The result is added to the feed-forward input: the second residual connection."),
            ),
            "r'_i",
            _sum,
            lambda form: "attention_sum" if form.is_pre_norm else part_read(form),
        ),
        sentence=_added_sentence,
    ),
    *ADAPTER_STAGES,
    replace(
        norm_stage(
            "output_norm",
            EncoderPart.FEED_FORWARD,
            Message("layer norm: the layer's own"),
            "y'_i",
            lambda inputs: norm("y'_i", "r'_i", inputs.trace.form),
        ),
        applies=_has_two_norms,
        why_absent=(
            "In this layer one norm follows the sum.",
            "Its stage is “output”.",
        ),
    ),
    Stage(
        "convolved",
        EncoderPart.FEED_FORWARD,
        sign="\\t{conv}",
        words=(
            Message("convolution of the layer's input"),
            Message("Each token adds up its neighbours' vectors, each times a learned matrix."),
        ),
        tensor=detail("convolved"),
        formulas=_convolved,
        symbol=letter("c'_i"),
        applies=_has_convolution,
        terms=line("conv", "convolved"),
        why_absent=_NO_CONVOLUTION,
    ),
    replace(
        sum_stage(
            "convolution_sum",
            EncoderPart.FEED_FORWARD,
            (
                Message("add the convolution"),
                Message("The sum over the neighbours is added to the layer's output."),
            ),
            "r''_i",
            lambda form: "r''_i = y'_i + c'_i",
            lambda form: "output_norm",
        ),
        shapes=sum_of_all,
        applies=_has_convolution,
        why_absent=_NO_CONVOLUTION,
    ),
    *WIDENING_STAGES,
    replace(
        norm_stage(
            "output",
            EncoderPart.FEED_FORWARD,
            Message("layer norm: the layer's output"),
            "x'_i",
            lambda inputs: norm("x'_i", _summed(inputs.absent), inputs.trace.form),
        ),
        scaling_words=(
            Message("scale and shift: the layer's output"),
            SCALING_SENTENCE,
        ),
        tensor=lambda inputs: inputs.trace.hidden[inputs.layer + 1],
        shapes=same_shape,
        applies=_has_output_norm,
    ),
)
"""In the order in which they are computed."""

TOP_STAGES = (
    Stage(
        "first",
        EncoderPart.TOP,
        sign="$first",
        words=(
            Message("{0} of the last layer"),
            Message("The final vector of the first token, which could attend to the whole input."),
        ),
        tensor=lambda inputs: inputs.trace.hidden[-1, :1],
        formulas=_first,
        symbol=letter("h"),
        shapes=lambda shapes: f"{shapes.all} → [{shapes.width}]",
        terms=line("", "first"),
    ),
    Stage(
        "dense",
        EncoderPart.TOP,
        sign="W_P",
        words=(
            Message("pooler: dense"),
            Message("One more dense layer, for the vector of the first token alone."),
        ),
        tensor=_pooler_dense,
        formulas=constant("d = h W_P + b_P"),
        symbol=letter("d"),
        shapes=lambda shapes: f"[{shapes.width}] · [{shapes.width}, {shapes.width}] → [{shapes.width}]",
        applies=_has_pooler,
        terms=line("W_P", "dense"),
        why_absent=_NO_POOLER,
    ),
    Stage(
        "pooled",
        EncoderPart.TOP,
        sign="\\t{tanh}",
        words=(
            Message("tanh: the pooled vector"),
            Message("tanh brings every number between −1 and 1: classifiers read this vector."),
        ),
        tensor=lambda inputs: None if inputs.trace.pooled is None else inputs.trace.pooled[None],
        formulas=constant("p = \\t{tanh}(d) = \\t{tanh}(h W_P + b_P)", "p = \\t{tanh}(d)"),
        symbol=letter("p"),
        shapes=lambda shapes: f"[{shapes.width}] → [{shapes.width}]",
        applies=_has_pooler,
        terms=line("tanh", "pooled"),
        why_absent=_NO_POOLER,
    ),
)
"""The last hidden state of the first token, and the pooler where there is one."""
