"""Formulas of stages that are not the same in every encoder, the fullest form first."""

from __future__ import annotations

from bertviz_app.trace import Trace
from bertviz_app.trace.bias import CONTENT, TO_CONTENT, TO_POSITION


def score_sum(trace: Trace) -> tuple[str, ...]:
    """Return the sum of content and position: r, as in the paper, is of the distance δ from key to query."""
    terms = {CONTENT: "q_i · k_j", TO_POSITION: "q_i · k^r_{δ(i,j)}", TO_CONTENT: "q^r_{δ(i,j)} · k_j"}
    names = (CONTENT, *trace.added)
    divisor = f"\\sqrt{{{len(names)} d_k}}"
    whole = f"s_{{ij}} = \\frac{{{' + '.join(terms[name] for name in names)}}}{{{divisor}}}"
    short = {CONTENT: "cc", TO_POSITION: "cp", TO_CONTENT: "pc"}
    sums = "s_{ij} = " + " + ".join(f"s^{{{short[name]}}}_{{ij}}" for name in names)
    return f"{whole},   {len(names)} d_k = {trace.radicand}", whole, sums


def attention_norms() -> tuple[str, ...]:
    """Return the formulas of the norm after the attention."""
    short = "y_i = \\t{LayerNorm}(r_i)"
    return short + " = \\frac{r_i − μ}{\\sqrt{σ^2 + ε}} ⊙ γ + β", short


def sinusoids(position: int) -> tuple[str, ...]:
    """Return the formulas of positions that are sines and cosines."""
    short = f"p_i = [\\t{{sin}}(ω_k · {position}) ; \\t{{cos}}(ω_k · {position})]"
    return f"{short},  ω_k = 10000^{{−2k/D}}", short


def activation_formulas(name: str) -> tuple[str, ...]:
    """Return the formulas of an activation, by the name that papers give it."""
    short = f"a_i = \\t{{{name}}}(u_i)"
    more = {"GELU": " = u_i ⊙ Φ(u_i)", "ReLU": " = \\t{max}(0, u_i)", "SiLU": " = u_i ⊙ σ(u_i)"}
    return (short + more[name], short) if name in more else (short,)
