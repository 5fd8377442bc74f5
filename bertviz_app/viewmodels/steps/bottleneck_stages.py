"""The stages of MobileBERT's layers: input narrowed, earlier feed-forward parts, output widened."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from bertviz_app.trace.form import MOST_FEED_FORWARDS
from bertviz_app.types import Floats
from bertviz_app.viewmodels.steps.stage import (
    Architecture,
    EncoderPart,
    Shapes,
    Stage,
    StageInputs,
    Term,
    Translate,
    constant,
    detail,
    letter,
    line,
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
        words=lambda translate: (
            translate("Steps", "bottleneck: the input narrowed"),
            translate(
                "Steps",
                "A dense layer, scaled and shifted, narrows the input; the parts of the layer work on that.",
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
        words=lambda translate: (
            translate("Steps", "bottleneck of queries and keys"),
            translate(
                "Steps", "A second dense layer narrows the input for queries and keys; values read it whole."
            ),
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

    def words(translate: Translate) -> tuple[str, str]:
        title = translate("Steps", "feed-forward part {number} of several").replace("{number}", str(number))
        sentence = translate(
            "Steps", "A whole part at once: expand, activation, contract, sum, norm, as in the last one."
        )
        return title, sentence

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
        words=words,
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
        words=lambda translate: (
            translate("Steps", "bottleneck: the output widened"),
            translate("Steps", "One dense layer brings the result back to the width of the layer's input."),
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
            lambda translate: (
                translate("Steps", "add the layer's input"),
                translate("Steps", "The layer's input, as wide as it came, is added to the result."),
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
