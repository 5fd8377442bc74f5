"""The stages of the adapter at the end of X-MOD's layers: its norm, the adapter, the sum."""

from __future__ import annotations

from dataclasses import replace

from bertviz_app.trace.form import Form
from bertviz_app.viewmodels.steps.stage import (
    Architecture,
    EncoderPart,
    Stage,
    StageInputs,
    detail,
    letter,
    line,
    norm,
    norm_stage,
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


def _sum(form: Form) -> str:
    return "r''_i = n''_i + d_i" if form.adds_normed_to_adapter else "r''_i = r'_i + d_i"


def _adapted(inputs: StageInputs) -> tuple[str, ...]:
    given = "n''_i" if inputs.trace.form.norms_before_adapter else "r'_i"
    return (f"d_i = f({given} A_1 + a_1) A_2 + a_2",)


ADAPTER_STAGES = (
    replace(
        norm_stage(
            "adapter_norm",
            EncoderPart.FEED_FORWARD,
            lambda translate: translate("Steps", "layer norm: before the adapter"),
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
        words=lambda translate: (
            translate("Steps", "adapter of the language"),
            translate("Steps", "Two narrow dense layers, which only texts of this language have trained."),
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
            lambda translate: (
                translate("Steps", "add what the adapter was given"),
                translate("Steps", "What the adapter changes is added to what the layer has found so far."),
            ),
            "r''_i",
            _sum,
            _added,
        ),
        shapes=sum_of_all,
        applies=_has_adapter,
        why_absent=_NO_ADAPTER,
    ),
)
"""After the last feed-forward part; see `feed_forward_stages`."""
