"""The table of families: names of config keys and parameters, and what they mean here."""

from __future__ import annotations

from dataclasses import replace

from bertviz_app.checkpoint.families.bert import (
    BERT,
    BERT_GENERATION,
    DPR,
    ERNIE,
    REMBERT,
    ROFORMER,
    SPLINTER,
    SQUEEZEBERT,
    albert_fields,
    mpnet_fields,
    with_groups,
)
from bertviz_app.checkpoint.families.distant import (
    BIG_BIRD,
    CLIP,
    CLIP_TEXT,
    CONVBERT,
    MEGATRON_BERT,
    MOBILEBERT,
    MT5,
    ROBERTA_PRELAYERNORM,
    T5,
    XLM_ROBERTA_XL,
)
from bertviz_app.checkpoint.families.family import Family, patterns, renames
from bertviz_app.checkpoint.families.roberta import (
    CAMEMBERT,
    DATA2VEC_TEXT,
    DEBERTA,
    DEBERTA_V1,
    ESM,
    JINA_V3,
    LONGFORMER,
    LUKE,
    ROBERTA,
    XLM_ROBERTA,
    XMOD,
)
from bertviz_app.checkpoint.families.rotary import (
    EUROBERT,
    GTE,
    NEOBERT,
    NEW,
    modern_fields,
    modern_heads,
    nomic_fields,
)
from bertviz_app.errors import CheckpointError, Message, shown
from bertviz_app.text import numbering
from bertviz_app.trace.form import Form

__all__ = ["FAMILIES", "Family", "family_of"]


def family_of(model_type: str) -> Family:
    """Return the table for `model_type`. Raises CheckpointError that lists the known ones."""
    for family in FAMILIES:
        if family.model_type == model_type:
            return family
    raise CheckpointError(
        Message("Checkpoints of the family “{0}” cannot be read.", shown(model_type)),
        Message("Families that can: {0}.", ", ".join(family.model_type for family in FAMILIES)),
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
    ignored=patterns(r"^embeddings\.position_ids$"),
    task_heads=patterns(r"^(vocab_\w+|pre_classifier|classifier|qa_outputs)\."),
    renames=renames(
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
    head_renames=renames(
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
    task_heads=patterns(r"^((generator|discriminator)_\w+|classifier|qa_outputs)\."),
    renames=(*renames((r"^embeddings_project\.", "embeddings.projection.")), *BERT.renames),
    head_renames=renames(
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
    fixed={**BERT.fixed, "position_embedding_type": "absolute"},
    fields=albert_fields,
    fitted=with_groups,
    prefixes=("module.", "albert."),
    task_heads=patterns(r"^(predictions|sop_classifier|classifier|qa_outputs)\."),
    renames=renames(
        (r"^encoder\.embedding_hidden_mapping_in\.", "embeddings.projection."),
        (r"\.attention\.dense\.", ".attention.output."),
        (r"\.attention\.LayerNorm\.", ".attention_norm."),
        (r"\.ffn\.", ".feed_forward.expand."),
        (r"\.ffn_output\.", ".feed_forward.contract."),
        (r"\.full_layer_layer_norm\.", ".feed_forward_norm."),
        (r"^pooler\.(weight|bias)$", r"pooler.dense.\1"),
        *((pattern.pattern, name) for pattern, name in BERT.renames if name.startswith("embeddings.")),
    ),
    head_renames=renames(
        (r"^predictions\.dense\.", "masked.dense."),
        (r"^predictions\.LayerNorm\.", "masked.norm."),
        (r"^predictions\.(decoder\.|bias$)", r"masked.\1"),
        (r"^sop_classifier\.classifier\.", "next_sentence."),
        (r"^classifier\.(weight|bias)$", r"classifier.output.\1"),
    ),
    defaults={"activation": "gelu_new"},
    orders_sentences=True,
    layout=numbering.ALBERT,
)

MPNET = Family(
    model_type="mpnet",
    title="MPNet",
    sizes={key: field for key, field in BERT.sizes.items() if field != "n_segments"},
    choices=BERT.choices,
    fixed={},
    fields=mpnet_fields,
    prefixes=("module.", "mpnet."),
    ignored=patterns(r"^embeddings\.position_ids$"),
    task_heads=patterns(r"^(lm_head|classifier|qa_outputs)\."),
    renames=renames(
        (r"^encoder\.relative_attention_bias\.", "relative.buckets."),
        (r"\.attention\.attn\.q\.", ".attention.query."),
        (r"\.attention\.attn\.k\.", ".attention.key."),
        (r"\.attention\.attn\.v\.", ".attention.value."),
        (r"\.attention\.attn\.o\.", ".attention.output."),
        (r"\.attention\.LayerNorm\.", ".attention_norm."),
    )
    + BERT.renames,
    # Positions begin after the padding, whose id is 1 whatever the configuration says.
    defaults={"n_segments": 0, "first_position": 2},
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
    fixed={"attention_bias": False, "mlp_bias": False},
    prefixes=("module.", "model."),
    ignored=(),
    task_heads=patterns(r"^(head|decoder|classifier)\."),
    renames=renames(
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
    fields=modern_fields,
    stated_task_heads=modern_heads,
    head_renames=renames((r"^head\.", "masked."), (r"^decoder\.", "masked.decoder.")),
    classifier_renames=renames(
        (r"^classifier\.(weight|bias)$", r"classifier.output.\1"), (r"^head\.", "classifier.")
    ),
    token_renames=renames(
        (r"^classifier\.(weight|bias)$", r"token_labels.output.\1"), (r"^head\.", "token_labels.")
    ),
    answer_renames=renames((r"^classifier\.(weight|bias)$", r"answer.output.\1"), (r"^head\.", "answer.")),
    defaults={"n_segments": 0, "norm_eps": 1e-5, "has_position_table": False},
    tells_texts_apart=False,
)

NOMIC_BERT = Family(
    model_type="nomic_bert",
    title="NomicBERT",
    sizes=BERT.sizes,
    choices=BERT.choices,
    older={  # those of GPT-2, in files whose authors' own code is beside them
        "max_position_embeddings": "n_positions",
        "num_hidden_layers": "n_layer",
        "num_attention_heads": "n_head",
        "hidden_size": "n_embd",
        "intermediate_size": "n_inner",
        "layer_norm_eps": "layer_norm_epsilon",
    },
    fixed={
        "prenorm": False,
        "parallel_block": False,
        "causal": False,
        "use_rms_norm": False,
        "qkv_proj_bias": False,
        "mlp_fc1_bias": False,
        "mlp_fc2_bias": False,
        "moe_every_n_layers": 0,
        "num_heads_kv": None,
        "rotary_emb_fraction": 1.0,
        "rotary_emb_interleaved": False,
        "rotary_emb_scale_base": None,
        "rotary_head_dim": False,
    },
    prefixes=("module.", "nomic_bert.", "bert."),
    ignored=patterns(r"(^|\.)rotary_emb\.(original_)?inv_freq$", r"^embeddings\.(position|token_type)_ids$"),
    task_heads=patterns(r"^(cls|classifier|score|qa_outputs)\."),
    renames=renames(
        (r"^embeddings\.word_embeddings\.", "embeddings.token."),
        (r"^embeddings\.token_type_embeddings\.", "embeddings.segment."),
        (r"^(embeddings\.LayerNorm|emb_ln)\.", "embeddings.norm."),
        (r"^encoder\.layers\.", "layers."),
        (r"\.attn\.Wqkv\.", ".attention.qkv."),
        (r"\.self_attn\.q_proj\.", ".attention.query."),
        (r"\.self_attn\.k_proj\.", ".attention.key."),
        (r"\.self_attn\.v_proj\.", ".attention.value."),
        (r"\.(attn\.out_proj|self_attn\.o_proj)\.", ".attention.output."),
        (r"\.(norm1|post_attention_layernorm)\.", ".attention_norm."),
        (r"\.mlp\.(fc12|gate_proj)\.", ".feed_forward.expand."),  # the half that goes through the activation
        (r"\.mlp\.(fc11|up_proj)\.", ".feed_forward.gate."),
        (r"\.mlp\.(fc2|down_proj)\.", ".feed_forward.contract."),
        (r"\.(norm2|post_mlp_layernorm)\.", ".feed_forward_norm."),
    ),
    splits={".attention.qkv.": MODERNBERT.splits[".attention.qkv."]},
    fields=nomic_fields,
    head_renames=renames(
        (r"^cls\.predictions\.transform\.dense\.", "masked.dense."),
        (r"^cls\.predictions\.transform\.layer_norm\.", "masked.norm."),
        (r"^cls\.predictions\.(decoder\.|bias$)", r"masked.\1"),
        (r"^classifier\.(weight|bias)$", r"classifier.output.\1"),
    ),
    has_bare_task_heads=True,
    is_exact=True,
    defaults={
        "has_position_table": False,
        "form": Form(has_biases=False, is_gated=True),
    },
)

FAMILIES = (
    BERT,
    ROBERTA,
    XLM_ROBERTA,
    CAMEMBERT,
    DISTILBERT,
    ELECTRA,
    ALBERT,
    MPNET,
    DEBERTA,
    DEBERTA_V1,
    MODERNBERT,
    NOMIC_BERT,
    ERNIE,
    DATA2VEC_TEXT,
    DPR,
    SPLINTER,
    REMBERT,
    ROBERTA_PRELAYERNORM,
    MEGATRON_BERT,
    XLM_ROBERTA_XL,
    ESM,
    LONGFORMER,
    ROFORMER,
    MOBILEBERT,
    BERT_GENERATION,
    CLIP,
    CLIP_TEXT,
    BIG_BIRD,
    SQUEEZEBERT,
    LUKE,
    CONVBERT,
    XMOD,
    T5,
    MT5,
    EUROBERT,
    GTE,
    NEW,
    NEOBERT,
    JINA_V3,
)
