"""The stages of the embeddings: token, segment and position, their sum, its norm and its projection."""

from __future__ import annotations

from collections.abc import Collection

from bertviz_app.types import Floats
from bertviz_app.viewmodels.steps.stage import (
    EncoderPart,
    Shapes,
    Stage,
    StageInputs,
    constant,
    letter,
    line,
    norm,
    norm_sentence,
    scaling_words,
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
        words=lambda translate: (
            translate("Steps", "token embedding"),
            translate("Steps", "Each token ID picks its row of the table of token embeddings."),
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
        words=lambda translate: (
            translate("Steps", "projection of the token embedding"),
            translate(
                "Steps",
                "One dense layer widens the token's embedding; in a trigram those of its neighbours join it.",
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
        words=lambda translate: (
            translate("Steps", "segment embedding"),
            translate(
                "Steps",
                "Says whether the token is in sentence 1 or 2 (segment 0 or 1); some models have only one.",
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
        words=lambda translate: (
            translate("Steps", "position embedding"),
            translate("Steps", "Says where the token stands; without it the order would be lost."),
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
        words=lambda translate: (
            translate("Steps", "task embedding"),
            translate(
                "Steps", "Says which task the text is read for; it is 0 here, the same for all tokens."
            ),
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
        words=lambda translate: (
            translate("Steps", "sum of the embeddings"),
            translate("Steps", "The embeddings are added, number by number."),
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
        words=lambda translate: (translate("Steps", "layer norm"), norm_sentence(translate)),
        sentence=norm_sentence,
        scaling_words=scaling_words,
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
        words=lambda translate: (
            translate("Steps", "projection to the layers' width"),
            translate(
                "Steps",
                "The embeddings are not as wide as the layers: one dense layer changes their width.",
            ),
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
