"""One table per family: what its config keys and its parameters are called, and what they are for us."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from bertviz_app.checkpoint.wording import shown
from bertviz_app.errors import CheckpointError
from bertviz_app.trace.form import Form


@dataclass(frozen=True)
class Family:
    """How checkpoints of one `model_type` are written.

    `sizes` maps config keys that must be there to fields of EncoderConfig (counts, from 1), `choices`
    keys that may be absent to fields with a default. `fixed` names keys that the encoder knows one
    value of, `defaults` fields that are otherwise than EncoderConfig has them. Of a parameter's
    name `prefixes` are stripped first; then what `ignored` matches is dropped, what `heads` matches belongs
    to a task head, and the `renames` are applied in order. A parameter whose new name has one of `splits`
    in it is several in one, along its rows. `knows_layers`: config.json says of each layer's attention how
    it knows places, see `layer_kinds`. What `flattened` matches is [out, in, 1].
    """

    model_type: str
    title: str  # as its authors write it
    sizes: Mapping[str, str]
    choices: Mapping[str, str]
    fixed: Mapping[str, object]
    prefixes: tuple[str, ...]
    ignored: tuple[re.Pattern[str], ...]
    heads: tuple[re.Pattern[str], ...]
    renames: tuple[tuple[re.Pattern[str], str], ...]
    defaults: Mapping[str, object] = field(default_factory=dict)
    tells_texts_apart: bool = True  # its tokenizer tells the texts of a pair apart by segment ids
    head_renames: tuple[tuple[re.Pattern[str], str], ...] = ()  # of the parameters of task heads
    masked_activation: str | None = None  # of the head for masked tokens; None: that of the layers
    classifier_activation: str | None = None  # of the classifier's own dense layer; None: it reads the pooler
    is_exact: bool = False  # a tensor of an unknown name would be a part that is not computed
    flattened: tuple[re.Pattern[str], ...] = ()  # of our names: weights of convolutions over one token
    orders_sentences: bool = False  # its head for sentences tells their order, not whether one follows
    always_projects: bool = True  # even embeddings that have the width of the layers, if they have their own

    splits: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    knows_layers: bool = False

    def parts(self, name: str) -> tuple[str, ...]:
        """Return the names of the parameters that lie in the one of our name `name`, mostly itself alone."""
        for whole, parts in self.splits.items():
            if whole in name:
                return tuple(name.replace(whole, part) for part in parts)
        return (name,)

    def rename(self, name: str) -> str:
        """Return our name for the parameter that the checkpoint calls `name`, prefix already stripped."""
        for pattern, replacement in self.renames:
            name = pattern.sub(replacement, name)
        return name

    def strip(self, name: str) -> str:
        """Return `name` without what task models put before the encoder's parameters, outermost first."""
        for prefix in self.prefixes:
            name = name.removeprefix(prefix)
        return name


def family_of(model_type: str) -> Family:
    """Return the table for `model_type`. Raises CheckpointError naming those that exist."""
    for family in FAMILIES:
        if family.model_type == model_type:
            return family
    known = ", ".join(family.model_type for family in FAMILIES)
    raise CheckpointError(
        f"Checkpoints of the family “{shown(model_type)}” cannot be read.", f"Families that can: {known}."
    )


def _patterns(*patterns: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(pattern) for pattern in patterns)


def _renames(*pairs: tuple[str, str]) -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((re.compile(pattern), replacement) for pattern, replacement in pairs)


_OLD_NAMES = ((r"\.gamma$", ".weight"), (r"\.beta$", ".bias"))
"""TensorFlow's names, in the first releases."""

BERT = Family(
    model_type="bert",
    title="BERT",
    sizes={
        "vocab_size": "vocabulary_size",
        "max_position_embeddings": "n_positions",
        "type_vocab_size": "n_segments",
        "num_hidden_layers": "n_layers",
        "num_attention_heads": "n_heads",
        "hidden_size": "width",
        "intermediate_size": "feed_forward_width",
    },
    choices={"hidden_act": "activation", "layer_norm_eps": "norm_eps"},
    fixed={"position_embedding_type": "absolute", "is_decoder": False, "add_cross_attention": False},
    prefixes=("module.", "bert."),  # the first from training on several devices
    # Saved by old releases of transformers as if it were a parameter: the numbers 0, 1, 2, ...
    ignored=_patterns(r"^embeddings\.(position|token_type)_ids$"),
    heads=_patterns(r"^(cls|classifier|qa_outputs)\."),
    renames=_renames(
        *_OLD_NAMES,
        (r"^embeddings\.word_embeddings\.", "embeddings.token."),
        (r"^embeddings\.token_type_embeddings\.", "embeddings.segment."),
        (r"^embeddings\.position_embeddings\.", "embeddings.position."),
        (r"^embeddings\.LayerNorm\.", "embeddings.norm."),
        (r"^encoder\.layer\.(\d+)\.", r"layers.\1."),
        (r"\.attention\.self\.", ".attention."),
        (r"\.attention\.output\.dense\.", ".attention.output."),
        (r"\.attention\.output\.LayerNorm\.", ".attention_norm."),
        (r"\.intermediate\.dense\.", ".feed_forward.expand."),
        (r"^(layers\.\d+)\.output\.dense\.", r"\1.feed_forward.contract."),
        (r"^(layers\.\d+)\.output\.LayerNorm\.", r"\1.feed_forward_norm."),
    ),
    head_renames=_renames(
        *_OLD_NAMES,
        (r"^cls\.predictions\.transform\.dense\.", "masked.dense."),
        (r"^cls\.predictions\.transform\.LayerNorm\.", "masked.norm."),
        (r"^cls\.predictions\.(decoder\.|bias$)", r"masked.\1"),
        (r"^cls\.seq_relationship\.", "next_sentence."),
        (r"^classifier\.(weight|bias)$", r"classifier.output.\1"),
    ),
)

# The pooler of the first releases was trained with a next-sentence task that RoBERTa does without: files of
# language models have none.
ROBERTA = replace(
    BERT,
    model_type="roberta",
    title="RoBERTa",
    choices={**BERT.choices, "pad_token_id": "first_position"},
    prefixes=("module.", "roberta."),
    heads=_patterns(r"^(lm_head|classifier|qa_outputs)\."),
    head_renames=_renames(
        (r"^lm_head\.dense\.", "masked.dense."),
        (r"^lm_head\.layer_norm\.", "masked.norm."),
        (r"^lm_head\.(decoder\.|bias$)", r"masked.\1"),
        (r"^classifier\.dense\.", "classifier.dense."),
        (r"^classifier\.out_proj\.", "classifier.output."),
    ),
    masked_activation="gelu",
    classifier_activation="tanh",
    defaults={"first_position": 2},  # after the padding, whose id is 1
    tells_texts_apart=False,
)
XLM_ROBERTA = replace(ROBERTA, model_type="xlm-roberta", title="XLM-RoBERTa")
CAMEMBERT = replace(
    ROBERTA, model_type="camembert", title="CamemBERT", prefixes=("module.", "camembert.", "roberta.")
)

DISTILBERT = Family(
    model_type="distilbert",
    title="DistilBERT",
    sizes={
        "vocab_size": "vocabulary_size",
        "max_position_embeddings": "n_positions",
        "n_layers": "n_layers",
        "n_heads": "n_heads",
        "dim": "width",
        "hidden_dim": "feed_forward_width",
    },
    choices={"activation": "activation"},
    fixed={},
    prefixes=("module.", "distilbert."),
    ignored=_patterns(r"^embeddings\.position_ids$"),
    heads=_patterns(r"^(vocab_\w+|pre_classifier|classifier|qa_outputs)\."),
    renames=_renames(
        (r"^embeddings\.word_embeddings\.", "embeddings.token."),
        (r"^embeddings\.position_embeddings\.", "embeddings.position."),
        (r"^embeddings\.LayerNorm\.", "embeddings.norm."),
        (r"^transformer\.layer\.(\d+)\.", r"layers.\1."),
        (r"\.attention\.q_lin\.", ".attention.query."),
        (r"\.attention\.k_lin\.", ".attention.key."),
        (r"\.attention\.v_lin\.", ".attention.value."),
        (r"\.attention\.out_lin\.", ".attention.output."),
        (r"\.sa_layer_norm\.", ".attention_norm."),
        (r"\.ffn\.lin1\.", ".feed_forward.expand."),
        (r"\.ffn\.lin2\.", ".feed_forward.contract."),
        (r"\.output_layer_norm\.", ".feed_forward_norm."),
    ),
    head_renames=_renames(
        (r"^vocab_transform\.", "masked.dense."),
        (r"^vocab_layer_norm\.", "masked.norm."),
        (r"^vocab_projector\.", "masked.decoder."),
        (r"^pre_classifier\.", "classifier.dense."),
        (r"^classifier\.(weight|bias)$", r"classifier.output.\1"),
    ),
    classifier_activation="relu",
    defaults={"n_segments": 0},
    tells_texts_apart=False,
)

ELECTRA = replace(
    BERT,
    model_type="electra",
    title="ELECTRA",
    sizes={**BERT.sizes, "embedding_size": "embedding_width"},
    prefixes=("module.", "electra."),
    heads=_patterns(r"^((generator|discriminator)_\w+|classifier|qa_outputs)\."),
    renames=(*_renames((r"^embeddings_project\.", "embeddings.projection.")), *BERT.renames),
    head_renames=_renames(
        (r"^generator_predictions\.dense\.", "masked.dense."),
        (r"^generator_predictions\.LayerNorm\.", "masked.norm."),
        (r"^generator_lm_head\.", "masked.decoder."),
        (r"^discriminator_predictions\.dense\.", "replaced.dense."),
        (r"^discriminator_predictions\.dense_prediction\.", "replaced.output."),
        (r"^classifier\.dense\.", "classifier.dense."),
        (r"^classifier\.out_proj\.", "classifier.output."),
    ),
    masked_activation="gelu",
    classifier_activation="gelu",
    always_projects=False,
)

ALBERT = replace(
    BERT,
    model_type="albert",
    title="ALBERT",
    sizes={**BERT.sizes, "embedding_size": "embedding_width"},
    fixed={**BERT.fixed, "num_hidden_groups": 1, "inner_group_num": 1},
    prefixes=("module.", "albert."),
    heads=_patterns(r"^(predictions|sop_classifier|classifier|qa_outputs)\."),
    renames=_renames(
        (r"^encoder\.embedding_hidden_mapping_in\.", "embeddings.projection."),
        (r"^encoder\.albert_layer_groups\.0\.albert_layers\.0\.", "layers.0."),
        (r"\.attention\.dense\.", ".attention.output."),
        (r"\.attention\.LayerNorm\.", ".attention_norm."),
        (r"\.ffn\.", ".feed_forward.expand."),
        (r"\.ffn_output\.", ".feed_forward.contract."),
        (r"\.full_layer_layer_norm\.", ".feed_forward_norm."),
        (r"^pooler\.(weight|bias)$", r"pooler.dense.\1"),
        *((pattern.pattern, name) for pattern, name in BERT.renames if name.startswith("embeddings.")),
    ),
    head_renames=_renames(
        (r"^predictions\.dense\.", "masked.dense."),
        (r"^predictions\.LayerNorm\.", "masked.norm."),
        (r"^predictions\.(decoder\.|bias$)", r"masked.\1"),
        (r"^sop_classifier\.classifier\.", "next_sentence."),
        (r"^classifier\.(weight|bias)$", r"classifier.output.\1"),
    ),
    defaults={"activation": "gelu_new", "shares_layers": True},
    orders_sentences=True,
)

MPNET = Family(
    model_type="mpnet",
    title="MPNet",
    sizes={key: field for key, field in BERT.sizes.items() if field != "n_segments"},
    choices=BERT.choices,
    fixed={"relative_attention_num_buckets": 32},
    prefixes=("module.", "mpnet."),
    ignored=_patterns(r"^embeddings\.position_ids$"),
    heads=_patterns(r"^(lm_head|classifier|qa_outputs)\."),
    renames=_renames(
        (r"^encoder\.relative_attention_bias\.", "relative.buckets."),
        (r"\.attention\.attn\.q\.", ".attention.query."),
        (r"\.attention\.attn\.k\.", ".attention.key."),
        (r"\.attention\.attn\.v\.", ".attention.value."),
        (r"\.attention\.attn\.o\.", ".attention.output."),
        (r"\.attention\.LayerNorm\.", ".attention_norm."),
    )
    + BERT.renames,
    # Positions begin after the padding, whose id is 1 whatever the configuration says.
    defaults={"n_segments": 0, "first_position": 2, "n_distance_buckets": 32},
    tells_texts_apart=False,
    head_renames=ROBERTA.head_renames,
    masked_activation="gelu",
    classifier_activation="tanh",
)

MODERNBERT = Family(
    model_type="modernbert",
    title="ModernBERT",
    sizes={key: field for key, field in BERT.sizes.items() if field != "n_segments"},
    choices={"hidden_activation": "activation", "norm_eps": "norm_eps"},
    fixed={"attention_bias": False, "mlp_bias": False, "norm_bias": False},
    prefixes=("module.", "model."),
    ignored=(),
    heads=_patterns(r"^(head|decoder|classifier)\."),
    renames=_renames(
        (r"^embeddings\.tok_embeddings\.", "embeddings.token."),
        (r"\.attn\.Wo\.", ".attention.output."),
        (r"\.attn\.Wqkv\.", ".attention.qkv."),
        (r"\.attn_norm\.", ".attention_norm."),
        (r"\.mlp_norm\.", ".feed_forward_norm."),
        (r"\.mlp\.Wi\.", ".feed_forward.wide."),
        (r"\.mlp\.Wo\.", ".feed_forward.contract."),
    ),
    splits={
        ".attention.qkv.": (".attention.query.", ".attention.key.", ".attention.value."),
        ".feed_forward.wide.": (".feed_forward.expand.", ".feed_forward.gate."),
    },
    knows_layers=True,
    defaults={
        "n_segments": 0,
        "norm_eps": 1e-5,
        "has_position_table": False,
        "form": Form(
            is_pre_norm=True,
            is_first_without_norm=True,
            has_final_norm=True,
            has_biases=False,
            is_gated=True,
            is_rotary=True,
        ),
    },
    tells_texts_apart=False,
)

FAMILIES = (BERT, ROBERTA, XLM_ROBERTA, CAMEMBERT, DISTILBERT, ELECTRA, ALBERT, MPNET, MODERNBERT)
