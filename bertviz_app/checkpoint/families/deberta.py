"""DeBERTa: its three versions, of which the second and third share their name."""

from __future__ import annotations

from dataclasses import replace

from bertviz_app.checkpoint.families.bert import BERT
from bertviz_app.checkpoint.families.disentangling import (
    disentangled_heads,
    disentangling,
    disentangling_v1,
    without_unused_distances,
)
from bertviz_app.checkpoint.families.family import Family, patterns, renames
from bertviz_app.text import sentence_pieces as layouts
from bertviz_app.trace.form import Form

# Version 3 keeps the name of version 2.
DEBERTA = Family(
    model_type="deberta-v2",
    title="DeBERTa",
    sizes={key: field for key, field in BERT.sizes.items() if field != "n_segments"},
    choices=BERT.choices,
    fixed={"is_decoder": False, "add_cross_attention": False},
    fields=disentangling,
    fitted=without_unused_distances,
    stated_task_heads=disentangled_heads,
    prefixes=("module.", "deberta."),
    unused=patterns(r"^embeddings\.position\."),  # without position_biased_input
    # The published files of version 3 also hold parameters of the generator's embeddings.
    ignored=patterns(r"^embeddings\.position_ids$", r"^embeddings\.\w+\._weight$"),
    task_heads=patterns(r"^(cls|lm_predictions|mask_predictions|pooler|classifier|qa_outputs)\."),
    renames=renames(
        (r"^encoder\.rel_embeddings\.", "disentangled.table."),
        (r"^encoder\.LayerNorm\.", "disentangled.norm."),
        (r"^encoder\.conv\.conv\.", "convolution.convolution."),
        (r"^encoder\.conv\.LayerNorm\.", "convolution.norm."),
        (r"\.attention\.self\.(query|key|value)_proj\.", r".attention.\1."),
        (r"\.attention\.self\.pos_(query|key)_proj\.", r".attention.position_\1."),
    )
    + BERT.renames,
    head_renames=renames(
        *((pattern.pattern, name) for pattern, name in BERT.head_renames if name.startswith("masked.")),
        (r"^lm_predictions\.lm_head\.dense\.", "masked.dense."),
        (r"^lm_predictions\.lm_head\.LayerNorm\.", "masked.norm."),
        (r"^lm_predictions\.lm_head\.bias$", "masked.bias"),
        (r"^pooler\.dense\.", "classifier.dense."),
        (r"^classifier\.(weight|bias)$", r"classifier.output.\1"),
    ),
    defaults={"norm_eps": 1e-7},
    layout=layouts.DEBERTA,
)

DEBERTA_V1 = replace(
    DEBERTA,
    model_type="deberta",
    fixed={**DEBERTA.fixed, "talking_head": False},
    fields=disentangling_v1,
    renames=(
        *renames(
            (r"\.attention\.self\.in_proj\.", ".attention.qkv."),
            (r"\.attention\.self\.q_bias$", ".attention.query.bias"),
            (r"\.attention\.self\.v_bias$", ".attention.value.bias"),
            (r"\.attention\.self\.pos_proj\.", ".attention.position_key."),
            (r"\.attention\.self\.pos_q_proj\.", ".attention.position_query."),
        ),
        *DEBERTA.renames,
    ),
    splits_by_head={".attention.qkv.": (".attention.query.", ".attention.key.", ".attention.value.")},
    defaults={**DEBERTA.defaults, "form": Form(has_key_biases=False)},
    layout=layouts.PLAIN,
)
