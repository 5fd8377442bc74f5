"""RoBERTa and the families that share its names of parameters: XLM-RoBERTa, CamemBERT, data2vec."""

from __future__ import annotations

from dataclasses import replace

from bertviz_app.checkpoint.families.bert import BERT
from bertviz_app.checkpoint.families.family import patterns, renames
from bertviz_app.text import layouts

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
