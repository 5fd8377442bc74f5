"""RoBERTa and the families that share its names of parameters: XLM-RoBERTa, CamemBERT, data2vec."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from bertviz_app.checkpoint.families.bert import BERT
from bertviz_app.checkpoint.families.family import patterns, renames
from bertviz_app.checkpoint.families.jina import ROTATIONS, V3, V3_SPLITS
from bertviz_app.checkpoint.families.stated import unscaled_rotations
from bertviz_app.text import sentence_pieces as layouts
from bertviz_app.trace.form import Form

# RoBERTa has no next-sentence task, so the files of language models have no pooler.
ROBERTA = replace(
    BERT,
    model_type="roberta",
    title="RoBERTa",
    choices={**BERT.choices, "pad_token_id": "first_position"},
    prefixes=("module.", "roberta."),
    task_heads=patterns(r"^(lm_head|classifier|qa_outputs)\."),
    head_renames=renames(
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
    layout=layouts.FAIRSEQ,
)
XLM_ROBERTA = replace(ROBERTA, model_type="xlm-roberta", title="XLM-RoBERTa")
CAMEMBERT = replace(
    ROBERTA,
    model_type="camembert",
    title="CamemBERT",
    prefixes=("module.", "camembert.", "roberta."),
    layout=layouts.CAMEMBERT,
)

DATA2VEC_TEXT = replace(
    ROBERTA,
    model_type="data2vec-text",
    title="data2vec-text",
    prefixes=("module.", "data2vec_text.", "roberta."),
)


def _rotated(settings: Mapping[str, object], sizes: Mapping[str, int]) -> dict[str, object]:
    return unscaled_rotations(settings, sizes["n_layers"], 20_000.0)


# As `transformers` saves it; the authors' files have the `model_type` of XLM-RoBERTa.
JINA_V3 = replace(
    XLM_ROBERTA,
    model_type="jina_embeddings_v3",
    title="Jina Embeddings v3",
    choices=BERT.choices,
    fields=_rotated,
    fitted=None,
    ignored=(*XLM_ROBERTA.ignored, *ROTATIONS),
    renames=(*V3, *XLM_ROBERTA.renames),
    splits=V3_SPLITS,
    head_renames=(
        *XLM_ROBERTA.head_renames,
        *renames((r"^classifier\.(weight|bias)$", r"classifier.output.\1")),
    ),
    is_exact=True,
    defaults={"norm_eps": 1e-5, "has_position_table": False, "form": Form(is_rotary=True)},
)
