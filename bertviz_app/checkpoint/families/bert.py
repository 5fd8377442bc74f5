"""The table of BERT, from which those of most families are derived."""

from __future__ import annotations

from bertviz_app.checkpoint.families.family import Family, patterns, renames

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
