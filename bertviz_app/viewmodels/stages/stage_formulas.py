"""The formulas and sentences of stages in which encoders differ by more than a letter."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from types import MappingProxyType

from bertviz_app.errors import Message
from bertviz_app.trace import Trace
from bertviz_app.trace.bias import CONTENT, TO_CONTENT, TO_POSITION
from bertviz_app.trace.trace import is_global
from bertviz_app.viewmodels.stages.activations import activation
from bertviz_app.viewmodels.stages.stage import StageInputs, Traits


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
