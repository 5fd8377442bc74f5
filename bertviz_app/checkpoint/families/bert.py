"""BERT, from whose table those of most families are derived, and the families that only name it otherwise."""

from __future__ import annotations

from dataclasses import replace

from bertviz_app.checkpoint.families.family import Family, patterns, renames
from bertviz_app.checkpoint.families.relative_keys import (
    bert_fields,
    ernie_fields,
    without_unused_positions,
)
from bertviz_app.text import sentence_pieces as layouts

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
    fixed={"is_decoder": False, "add_cross_attention": False},
    fields=bert_fields,
    fitted=without_unused_positions,
    prefixes=("module.", "bert."),  # "module." comes from training on several devices
    # A buffer with the numbers 0, 1, 2, ... that old releases of transformers saved.
    ignored=patterns(r"^embeddings\.(position|token_type)_ids$"),
    task_heads=patterns(r"^(cls|classifier|qa_outputs)\."),
    renames=renames(
        *_OLD_NAMES,
        (r"^embeddings\.word_embeddings\.", "embeddings.token."),
        (r"^embeddings\.token_type_embeddings\.", "embeddings.segment."),
        (r"^embeddings\.position_embeddings\.", "embeddings.position."),
        (r"^embeddings\.LayerNorm\.", "embeddings.norm."),
        (r"^encoder\.layer\.(\d+)\.", r"layers.\1."),
        (r"\.attention\.self\.", ".attention."),
        (r"\.attention\.distance_embedding\.", ".attention.distance."),
        (r"\.attention\.output\.dense\.", ".attention.output."),
        (r"\.attention\.output\.LayerNorm\.", ".attention_norm."),
        (r"\.intermediate\.dense\.", ".feed_forward.expand."),
        (r"^(layers\.\d+)\.output\.dense\.", r"\1.feed_forward.contract."),
        (r"^(layers\.\d+)\.output\.LayerNorm\.", r"\1.feed_forward_norm."),
    ),
    head_renames=renames(
        *_OLD_NAMES,
        (r"^cls\.predictions\.transform\.dense\.", "masked.dense."),
        (r"^cls\.predictions\.transform\.LayerNorm\.", "masked.norm."),
        (r"^cls\.predictions\.(decoder\.|bias$)", r"masked.\1"),
        (r"^cls\.seq_relationship\.", "next_sentence."),
        (r"^classifier\.(weight|bias)$", r"classifier.output.\1"),
    ),
)

# ERNIE 1.0, which has no task embeddings, computes what BERT does.
ERNIE = replace(
    BERT,
    model_type="ernie",
    title="ERNIE",
    fields=ernie_fields,
    prefixes=("module.", "ernie.", "bert."),
    renames=(*renames((r"^embeddings\.task_type_embeddings\.", "embeddings.task.")), *BERT.renames),
)

# DPR's vector is the last hidden state of [CLS]. Old files also have the pooler of the BERT it began from.
DPR = replace(
    BERT,
    model_type="dpr",
    title="DPR",
    prefixes=(
        "module.",
        "span_predictor.",
        "question_encoder.",
        "ctx_encoder.",
        "encoder.bert_model.",
        "bert_model.",
    ),
    ignored=(*BERT.ignored, *patterns(r"^pooler\.")),
    task_heads=patterns(r"^(encode_proj|encoder\.encode_proj|qa_outputs|qa_classifier)\."),
    head_renames=(),
)

SPLINTER = replace(
    BERT,
    model_type="splinter",
    title="Splinter",
    prefixes=("module.", "splinter."),
    task_heads=patterns(r"^splinter_qass\."),
    head_renames=(),
)

# BERT as the encoder of a generator of texts (Rothe et al. 2020, arXiv:1907.12461), without segments.
BERT_GENERATION = replace(
    BERT,
    model_type="bert-generation",
    title="BERT-generation",
    sizes={key: field for key, field in BERT.sizes.items() if field != "n_segments"},
    task_heads=patterns(r"^lm_head\."),
    head_renames=(),
    defaults={"n_segments": 0},
    tells_texts_apart=False,
    layout=layouts.BERT_GENERATION,
)

# RemBERT's head for masked tokens has a width of its own, and is not loaded.
REMBERT = replace(
    BERT,
    model_type="rembert",
    title="RemBERT",
    sizes={**BERT.sizes, "input_embedding_size": "embedding_width"},
    fixed={**BERT.fixed, "position_embedding_type": "absolute"},
    prefixes=("module.", "rembert."),
    renames=(
        *renames((r"^encoder\.embedding_hidden_mapping_in\.", "embeddings.projection.")),
        *BERT.renames,
    ),
    head_renames=renames((r"^classifier\.(weight|bias)$", r"classifier.output.\1")),
)
