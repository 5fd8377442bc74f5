"""The words of each stop: its title, its sign, its formula, its shapes, and one sentence for a student.

The words, formulas and shapes themselves are in the rows of the stages; formulas are in the small part of TeX
that `views.steps.formula` draws.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from PySide6.QtCore import QCoreApplication

from bertviz_app.trace.bias import CONTENT, DISTANCE, TO_CONTENT, TO_POSITION
from bertviz_app.trace.form import BERT, Form
from bertviz_app.viewmodels.steps.activations import activation_name
from bertviz_app.viewmodels.steps.feed_forward_stages import upright
from bertviz_app.viewmodels.steps.stage import BERT_TRAITS, Shapes, Traits
from bertviz_app.viewmodels.steps.stages import STAGES
from bertviz_app.viewmodels.steps.stops import BELOW, Stop
from bertviz_app.viewmodels.steps.tensors import StopTensors


def title(stage: str, first: str = "[CLS]", form: Form = BERT) -> str:
    """Return the name of a stage; `first` is that of the first token."""
    return _words(stage, form)[0].format(first)


def sentence(stage: str, traits: Traits = BERT_TRAITS) -> str:
    """Return what happens at a stage of such an encoder, in one sentence."""
    own = STAGES[stage].sentence
    is_scaled = traits.form.has_scaling_norms and STAGES[stage].scaling_words is not None
    if own is None or is_scaled:
        return _words(stage, traits.form)[1]
    return own(QCoreApplication.translate, traits)


def _words(stage: str, form: Form) -> tuple[str, str]:
    row = STAGES[stage]
    scaling = row.scaling_words if form.has_scaling_norms else None
    return (scaling or row.words)(QCoreApplication.translate)


def traits_of(tensors: StopTensors) -> Traits:
    """Return what the sentence of a stop depends on; before the layer's details are known, no activation."""
    details = tensors.details
    return Traits("" if details is None else details.activation, tensors.trace.form)


def section_name(section: int, n_layers: int) -> str:
    """Return what a section of the walk is called."""
    translate = QCoreApplication.translate
    if section == BELOW:
        return translate("Steps", "Embeddings")
    if section == n_layers:
        return translate("Steps", "Pooler")
    return translate("Steps", "Layer {0}").format(section)


def where(stop: Stop, n_layers: int, head: int, *, shares_layers: bool = False) -> str:
    """Return where a stop is: "Layer 3 · Head 5"; of layers that share their weights it says so."""
    name = section_name(stop.section, n_layers)
    if shares_layers and BELOW < stop.section < n_layers:
        name += " · " + QCoreApplication.translate("Steps", "weights shared by all layers")
    if not stop.is_of_a_head:
        return name
    return f"{name} · " + QCoreApplication.translate("Steps", "Head {0}").format(head)


def sign(stage: str, activation: str = "gelu", first: str = "[CLS]", form: Form = BERT) -> str:
    """Return the formula that stands for a stage where there is little room."""
    if form.has_scaling_norms and STAGES[stage].scaling_words is not None:
        return "⊙γ"
    formula = STAGES[stage].sign.replace("$activation", activation_name(activation))
    return formula.replace("$first", upright(first))


def symbol(name: str, absent: Collection[str] = ("embedding_projection",)) -> str:
    """Return the letter that a vector has in the formulas; x is what goes into the layers.

    The stages `absent` are not this model's.
    """
    return STAGES[name].symbol(absent)


def formulas(tensors: StopTensors) -> tuple[str, ...]:
    """Return the formula of a stop, the fullest form first; the numbers in it are the query's own."""
    found = STAGES[tensors.stop.stage].formulas(tensors)
    return tuple(_with_biases(formula, tensors.trace.form) for formula in found)


def _with_biases(formula: str, form: Form) -> str:
    """Return a formula without the biases that dense layers, but for the pooler's, and norms have not."""
    for letter in "QKVO":
        formula = formula if form.has_bias_of(letter) else formula.replace(f" + b_{letter}", "")
    formula = formula if form.has_wide_biases else re.sub(r" \+ b_[1G]", "", formula)
    formula = formula if form.has_biases else re.sub(r" \+ b_(?!P)\w", "", formula)
    return formula if form.has_norm_biases else formula.replace(" + β", "")


def shapes(tensors: StopTensors) -> str:
    """Return the shapes that go in and come out: "[7, 384] · [384, 32] → [7, 32]"."""
    trace, details = tensors.trace, tensors.details
    embeddings = {"token", "segment", "position", "task"} - tensors.absent
    form, heads_width = trace.form, trace.n_heads * trace.head_width
    inner_width = heads_width if form.has_bottleneck else trace.width
    of_trace = Shapes(
        n_tokens=trace.n_tokens,
        width=trace.width,
        n_heads=trace.n_heads,
        head_width=trace.head_width,
        inner_width=inner_width,
        source_width=trace.width if form.attends_beside_bottleneck else inner_width,
        joined_width=2 * heads_width if form.has_span_convolution else heads_width,
        token_width=trace.token_embeddings.shape[1],
        own_width=trace.embedding_sum.shape[1],
        expanded="F" if details is None else str(details.expanded.shape[1]),
        n_embeddings=len(embeddings),
        n_scores=1 + len(trace.added),
    )
    return STAGES[tensors.stop.stage].shapes(of_trace)


def rows_title(*, is_alone: bool) -> str:
    """Return what the rows below an equation are."""
    translate = QCoreApplication.translate
    return translate("Steps", "all its numbers") if is_alone else translate("Steps", "of every token")


def quantity(name: str) -> str:
    """Return what a number under the pointer is: a column of the flow, or a stage."""
    translate = QCoreApplication.translate
    columns = {
        "q_i": translate("Steps", "query"),
        "z_i": translate("Steps", "Z"),
        "queries": translate("Steps", "query"),
        "keys": translate("Steps", "key"),
        "values": translate("Steps", "value"),
        "scaled": translate("Steps", "query · key ÷ √d"),
        DISTANCE: translate("Steps", "bias for the distance"),
        CONTENT: translate("Steps", "content → content"),
        TO_POSITION: translate("Steps", "content → position"),
        TO_CONTENT: translate("Steps", "position → content"),
        "biased": translate("Steps", "query · key ÷ √d + bias"),
        "disentangled": translate("Steps", "score"),
        "product": translate("Steps", "query × key"),
        "exponential": translate("Steps", "exp(score − largest)"),
        "weight": translate("Steps", "weight"),
        "what_if": translate("Steps", "weight with another divisor"),
        "weighted": translate("Steps", "weight × value"),
    }
    return columns[name] if name in columns else title(name)
