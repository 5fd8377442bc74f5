"""What is said of each stop: its title, its sign, its formula, its shapes, and one sentence for a student.

Formulas are in the small part of TeX that `views.steps_formula` draws.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from PySide6.QtCore import QCoreApplication

from bertviz_app.trace.bias import CONTENT, DISTANCE, TO_CONTENT, TO_POSITION
from bertviz_app.trace.form import Form
from bertviz_app.viewmodels.steps.formulas import activation_formulas, attention_norms, score_sum, sinusoids
from bertviz_app.viewmodels.steps.stops import BELOW, Stop, is_disentangled
from bertviz_app.viewmodels.steps.tensors import Place

_ACTIVATIONS = {"gelu": "GELU", "gelu_new": "GELU", "gelu_pytorch_tanh": "GELU", "relu": "ReLU"}
_MORE_ACTIVATIONS = {"silu": "SiLU", "swish": "SiLU", "tanh": "tanh"}


def title(stage: str, first: str = "[CLS]") -> str:
    """Return the name of a stage; `first` is that of the first token."""
    translate = QCoreApplication.translate
    return {
        "token": translate("Steps", "token embedding"),
        "segment": translate("Steps", "segment embedding"),
        "position": translate("Steps", "position embedding"),
        "embedding_sum": translate("Steps", "sum of the embeddings"),
        "embedding_norm": translate("Steps", "layer norm"),
        "embedding_projection": translate("Steps", "projection to the layers' width"),
        "input_norm": translate("Steps", "layer norm"),
        "queries": translate("Steps", "queries Q"),
        "keys": translate("Steps", "keys K"),
        "values": translate("Steps", "values V"),
        "scores": translate("Steps", "query · key"),
        "scaled": translate("Steps", "divided by √d_k"),
        "biased": translate("Steps", "add the bias for the distance"),
        "disentangled": translate("Steps", "content and position added up"),
        "softmax": translate("Steps", "softmax"),
        "weighted": translate("Steps", "weights × values"),
        "mixed": translate("Steps", "weighted sum Z"),
        "concat": translate("Steps", "all heads side by side"),
        "projected": translate("Steps", "output projection"),
        "attention_sum": translate("Steps", "add the layer's input"),
        "attention_norm": translate("Steps", "layer norm"),
        "expanded": translate("Steps", "feed-forward: expand"),
        "active": translate("Steps", "activation"),
        "gate": translate("Steps", "feed-forward: gate"),
        "gated": translate("Steps", "times the gate"),
        "contracted": translate("Steps", "feed-forward: contract"),
        "output_sum": translate("Steps", "add what went in"),
        "output": translate("Steps", "layer norm: the layer's output"),
        "first": translate("Steps", "{0} of the last layer").format(first),
        "dense": translate("Steps", "pooler: dense"),
        "pooled": translate("Steps", "tanh: the pooled vector"),
        "input": translate("Steps", "the layer's input"),
    }[stage]


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


def activation_name(name: str) -> str:
    """Return an activation as papers write it."""
    return (_ACTIVATIONS | _MORE_ACTIVATIONS).get(name, name)


def sign(stage: str, activation: str = "gelu", first: str = "[CLS]") -> str:
    """Return the formula that stands for a stage where there is little room."""
    return {
        "token": "E_{tok}",
        "segment": "E_{seg}",
        "position": "E_{pos}",
        "embedding_sum": "Σ",
        "embedding_norm": "\\t{norm}",
        "embedding_projection": "W_E",
        "input_norm": "\\t{norm}",
        "queries": "Q",
        "keys": "K",
        "values": "V",
        "scores": "q·k",
        "scaled": "÷\\sqrt{d}",
        "biased": "+b",
        "disentangled": "+p",
        "softmax": "\\t{softmax}",
        "weighted": "αV",
        "mixed": "Z",
        "concat": "\\t{concat}",
        "projected": "W_O",
        "attention_sum": "+",
        "attention_norm": "\\t{norm}",
        "expanded": "W_1",
        "active": f"\\t{{{activation_name(activation)}}}",
        "gate": "W_G",
        "gated": "⊙",
        "contracted": "W_2",
        "output_sum": "+",
        "output": "\\t{norm}",
        "first": _upright(first),
        "dense": "W_P",
        "pooled": "\\t{tanh}",
        "input": "x",
    }[stage]


def _upright(name: str) -> str:
    """Return a token's name in a formula, without what would be one there."""
    return "\\t{" + re.sub(r"[{}\\_^]", "", name) + "}"


def symbol(name: str, absent: Collection[str] = ("embedding_projection",)) -> str:
    """Return the letter that a vector has in the formulas; x is what goes into the layers.

    The stages `absent` are not this model's.
    """
    has_projection = "embedding_projection" not in absent
    return {
        "token": "t_i",
        "segment": "s_i",
        "position": "p_i",
        "embedding_sum": "x_i" if "embedding_norm" in absent else "e_i",
        "embedding_norm": "n_i" if has_projection else "x_i",
        "embedding_projection": "x_i",
        "input_norm": "n_i",
        "queries": "q_i",
        "keys": "k_j",
        "values": "v_j",
        "mixed": "z_i",
        "input": "x_i",
        "concat": "c_i",
        "projected": "o_i",
        "attention_sum": "r_i",
        "attention_norm": "y_i",
        "expanded": "u_i",
        "active": "a_i",
        "gate": "g_i",
        "gated": "h_i",
        "contracted": "f_i",
        "output_sum": "r'_i",
        "output": "x'_i",
        "first": "h",
        "dense": "d",
        "pooled": "p",
    }[name]


def formulas(place: Place) -> tuple[str, ...]:
    """Return the formula of a stop, the fullest form first; the numbers in it are the query's own."""
    tokens, query = place.trace.tokens, place.query
    norm = "\\t{LayerNorm}(%s)"
    long_norm = norm + " = \\frac{%s − μ}{\\sqrt{σ^2 + ε}} ⊙ γ + β"
    name = activation_name("gelu" if place.details is None else place.details.activation)
    normed = "x_i" if "embedding_projection" in place.absent else "n_i"
    stage_formulas = {
        "token": (f"t_i = E_{{\\t{{token}}}}[{tokens.ids[query]}]",),
        "segment": (f"s_i = E_{{\\t{{segment}}}}[{tokens.segment_ids[query]}]",),
        "position": (f"p_i = E_{{\\t{{position}}}}[{tokens.position_ids[query]}]",),
        "embedding_sum": (f"e_i = {_parts(place)}",),
        "embedding_norm": (f"{normed} = " + long_norm % ("e_i", "e_i"), f"{normed} = " + norm % "e_i"),
        "embedding_projection": ("x_i = n_i W_E + b_E",),
        "queries": ("q_i = x_i W_Q + b_Q",),
        "keys": ("k_j = x_j W_K + b_K",),
        "values": ("v_j = x_j W_V + b_V",),
        "scores": ("q_i · k_j = Σ_d q_{id} k_{jd}", "q_i · k_j"),
        "scaled": (
            "s_{ij} = \\frac{q_i · k_j}{\\sqrt{d_k}}, " + f"  d_k = {place.trace.head_width}",
            "s_{ij} = \\frac{q_i · k_j}{\\sqrt{d_k}}",
        ),
        "biased": ("s_{ij} = \\frac{q_i · k_j}{\\sqrt{d_k}} + b_{j − i}",),
        "softmax": (
            "α_{ij} = \\t{softmax}(\\frac{q_i K^T}{\\sqrt{d_k}})_j = "
            "\\frac{e^{s_{ij} − m}}{Σ_n e^{s_{in} − m}},  m = \\t{max}_n s_{in}",
            "α_{ij} = \\frac{e^{s_{ij} − m}}{Σ_n e^{s_{in} − m}},  m = \\t{max}_n s_{in}",
            "α_{ij} = \\t{softmax}(s_i)_j",
        ),
        "weighted": ("α_{ij} v_j",),
        "mixed": (
            "z_i = Σ_j α_{ij} v_j,   Z = \\t{softmax}(\\frac{QK^T}{\\sqrt{d_k}}) V",
            "z_i = Σ_j α_{ij} v_j",
        ),
        "concat": (
            f"c_i = [z_i^{{(0)}} ; z_i^{{(1)}} ; … ; z_i^{{({place.trace.n_heads - 1})}}]",
            "c_i = [z_i^{(0)} ; z_i^{(1)} ; …]",
        ),
        "projected": ("o_i = c_i W_O + b_O",),
        "attention_sum": ("r_i = x_i + o_i",),
        "attention_norm": attention_norms(),
        "expanded": ("u_i = y_i W_1 + b_1",),
        "active": activation_formulas(name),
        "contracted": ("f_i = a_i W_2 + b_2",),
        "output_sum": ("r'_i = y_i + f_i",),
        "output": ("x'_i = " + long_norm % ("r'_i", "r'_i"), "x'_i = " + norm % "r'_i"),
        "first": (f"h = x_{{{_upright(tokens.special_names.first)}}}",),
        "dense": ("d = h W_P + b_P",),
        "pooled": ("p = \\t{tanh}(d) = \\t{tanh}(h W_P + b_P)", "p = \\t{tanh}(d)"),
    }
    stage_formulas |= _formulas_of_form(place)
    found = stage_formulas[place.stop.stage]
    return tuple(_with_biases(formula, place.trace.form) for formula in found)


def _with_biases(formula: str, form: Form) -> str:
    """Return a formula without the biases that dense layers, but for the pooler's, and norms have not."""
    formula = formula if form.has_biases else re.sub(r" \+ b_(?!P)\w", "", formula)
    return formula if form.has_norm_biases else formula.replace(" + β", "")


def _parts(place: Place) -> str:
    """Return the sum of the embeddings that there are."""
    names = [name for name in ("token", "segment", "position") if name not in place.absent]
    return " + ".join(symbol(name) for name in names)


def _formulas_of_form(place: Place) -> dict[str, tuple[str, ...]]:
    """Return the formulas of stages that are otherwise in encoders that are put together otherwise."""
    form = place.trace.form
    norm = "\\t{LayerNorm}"
    made: dict[str, tuple[str, ...]] = {
        "input_norm": (
            f"n_i = {norm}(x_i) = \\frac{{x_i − μ}}{{\\sqrt{{σ^2 + ε}}}} ⊙ γ + β",
            f"n_i = {norm}(x_i)",
        ),
        "gate": ("g_i = y_i W_G + b_G",),
        "gated": ("h_i = a_i ⊙ g_i",),
    }
    if form.is_pre_norm or form.is_rotary:
        x, turns = "x" if "input_norm" in place.absent else "n", form.is_rotary
        made["queries"] = (f"q_i = R_i ({x}_i W_Q + b_Q)" if turns else f"q_i = {x}_i W_Q + b_Q",)
        made["keys"] = (f"k_j = R_j ({x}_j W_K + b_K)" if turns else f"k_j = {x}_j W_K + b_K",)
        made["values"] = (f"v_j = {x}_j W_V + b_V",)
    if form.is_pre_norm:
        made["output_sum"] = ("r'_i = r_i + f_i",)
    if form.adds_before_projection:
        made["attention_sum"] = ("r_i = x_i + c_i",)
        made["projected"] = ("o_i = r_i W_O + b_O",)
        made["attention_norm"] = tuple(formula.replace("r_i", "o_i") for formula in attention_norms())
    if form.has_sinusoids:
        made["position"] = sinusoids(int(place.trace.tokens.position_ids[place.query]))
    if not form.has_embedding_norm:
        made["embedding_sum"] = (f"x_i = {_parts(place)}",)
    if form.is_gated:
        made["contracted"] = ("f_i = h_i W_2 + b_2",)
    if "embedding_sum" in place.absent:
        made["embedding_norm"] = (f"x_i = {norm}(t_i)",)
    if place.trace.bias is not None:
        made["softmax"] = (
            "α_{ij} = \\t{softmax}(s_i)_j = \\frac{e^{s_{ij} − m}}{Σ_n e^{s_{in} − m}}",
            "α_{ij} = \\t{softmax}(s_i)_j",
        )
    if is_disentangled(place.trace):
        made["disentangled"] = score_sum(place.trace)
        made["mixed"] = ("z_i = Σ_j α_{ij} v_j",)
    return made


def shapes(place: Place) -> str:
    """Return the shapes that go in and come out: "[7, 384] · [384, 32] → [7, 32]"."""
    trace, stage = place.trace, place.stop.stage
    tokens, width, head_width = trace.n_tokens, trace.width, trace.head_width
    wide = "F" if place.details is None else str(place.details.expanded.shape[1])
    all_of_width = f"[{tokens}, {width}]"
    heads_width = trace.n_heads * head_width
    all_heads = f"[{tokens}, {heads_width}]"
    own_width = trace.token_embeddings.shape[1]
    narrow = f"[{tokens}, {own_width}]"
    projection = f"{all_of_width} · [{width}, {head_width}] → [{tokens}, {head_width}]"
    square = f"[{tokens}, {tokens}]"
    given = {
        **dict.fromkeys(("token", "segment", "position"), narrow),
        "embedding_sum": f"{_parts(place).count('+') + 1} × {narrow} → {narrow}",
        "embedding_norm": f"{narrow} → {narrow}",
        "embedding_projection": f"{narrow} · [{own_width}, {width}] → {all_of_width}",
        **dict.fromkeys(("queries", "keys", "values"), projection),
        "scores": f"[{tokens}, {head_width}] · [{head_width}, {tokens}] → {square}",
        "scaled": f"{square} → {square}",
        "biased": f"{square} + {square} → {square}",
        "disentangled": " + ".join([square] * (1 + len(trace.added))) + f" → {square}",
        "softmax": f"{square} → {square}",
        "weighted": f"[{tokens}] × [{tokens}, {head_width}] → [{tokens}, {head_width}]",
        "mixed": f"{square} · [{tokens}, {head_width}] → [{tokens}, {head_width}]",
        "concat": f"{trace.n_heads} × [{tokens}, {head_width}] → {all_heads}",
        "projected": f"{all_heads} · [{heads_width}, {width}] → {all_of_width}",
        "expanded": f"{all_of_width} · [{width}, {wide}] → [{tokens}, {wide}]",
        "active": f"[{tokens}, {wide}] → [{tokens}, {wide}]",
        "gate": f"{all_of_width} · [{width}, {wide}] → [{tokens}, {wide}]",
        "gated": f"[{tokens}, {wide}] ⊙ [{tokens}, {wide}] → [{tokens}, {wide}]",
        "contracted": f"[{tokens}, {wide}] · [{wide}, {width}] → {all_of_width}",
        **dict.fromkeys(("attention_sum", "output_sum"), f"{all_of_width} + {all_of_width} → {all_of_width}"),
        "first": f"{all_of_width} → [{width}]",
        "dense": f"[{width}] · [{width}, {width}] → [{width}]",
        "pooled": f"[{width}] → [{width}]",
    }
    return given.get(stage, f"{all_of_width} → {all_of_width}")


def sentence(stage: str) -> str:
    """Return what happens at a stage, in one sentence."""
    translate = QCoreApplication.translate
    norm = translate(
        "Steps",
        "Each token's numbers are brought to mean 0 and spread 1, then stretched and shifted as learned.",
    )
    return {
        "token": translate("Steps", "Each token ID picks its row of the table of token embeddings."),
        "segment": translate(
            "Steps",
            "Says whether the token stands in sentence A (0) or B (1); some models give all tokens one.",
        ),
        "position": translate("Steps", "Says where the token stands; without it the order would be lost."),
        "embedding_sum": translate("Steps", "The embeddings are added, number by number."),
        "embedding_projection": translate(
            "Steps", "The embeddings are narrower than the layers: one dense layer widens them."
        ),
        "queries": translate("Steps", "Each token asks: its query says what it looks for."),
        "keys": translate("Steps", "Each token offers: its key says what it can be found by."),
        "values": translate("Steps", "Each token holds ready: its value is what it hands over."),
        "scores": translate(
            "Steps", "The query is compared with every key: the better they fit, the larger the product."
        ),
        "scaled": translate("Steps", "Division keeps the products from growing with the width of the head."),
        "biased": translate(
            "Steps",
            "What depends on the distance of query and key alone is added; −∞ shuts out what is too far.",
        ),
        "disentangled": translate(
            "Steps",
            "Content meets content, and each meets the distance between the two; the products are added.",
        ),
        "softmax": translate("Steps", "The scores become weights between 0 and 1 that add up to 1."),
        "weighted": translate("Steps", "Each value is taken as strongly as its token is looked at."),
        "mixed": translate("Steps", "The weighted values are added: what this head gathers for the query."),
        "concat": translate("Steps", "What the heads gathered is laid side by side."),
        "projected": translate("Steps", "One dense layer mixes what the heads have found."),
        "attention_sum": translate("Steps", "What was gathered is added to what the token was before."),
        "expanded": translate("Steps", "Each token on its own is spread over many more numbers."),
        "active": translate("Steps", "Negative numbers are all but silenced, positive ones pass."),
        "gate": translate("Steps", "A third dense layer says how much of each number passes."),
        "gated": translate("Steps", "Each number is multiplied with its gate."),
        "contracted": translate("Steps", "What is left is brought back to the width of the model."),
        "output_sum": translate("Steps", "The result is added to what went into the feed-forward part."),
        "first": translate(
            "Steps", "The first token has gathered from the whole input; it stands for all of it."
        ),
        "dense": translate("Steps", "One dense layer, learned with the next-sentence task."),
        "pooled": translate(
            "Steps", "tanh brings every number between −1 and 1: the vector of the whole input."
        ),
    }.get(stage, norm)


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
        "scaled": translate("Steps", "query · key ÷ √d_k"),
        DISTANCE: translate("Steps", "bias for the distance"),
        CONTENT: translate("Steps", "content → content"),
        TO_POSITION: translate("Steps", "content → position"),
        TO_CONTENT: translate("Steps", "position → content"),
        "biased": translate("Steps", "query · key ÷ √d_k + bias"),
        "disentangled": translate("Steps", "score"),
        "maximum": translate("Steps", "largest score so far"),
        "exponential": translate("Steps", "exp(score − largest)"),
        "weight": translate("Steps", "weight"),
        "weighted": translate("Steps", "weight × value"),
    }
    return columns[name] if name in columns else title(name)
