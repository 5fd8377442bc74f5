"""LUKE: RoBERTa that reads entities beside words; here words alone (Yamada et al. 2020, arXiv:2010.01057)."""

from __future__ import annotations

from dataclasses import replace

from bertviz_app.checkpoint.families.family import patterns, renames
from bertviz_app.checkpoint.families.roberta import ROBERTA
from bertviz_app.errors import Message

_OF_ENTITIES = Message(
    "LUKE reads entities beside words: here words are read alone, as transformers reads them."
)
_NOT_USED = Message(
    "Not used with words alone: the tables of entities, and the queries w2e_query, e2w_query and e2e_query."
)

LUKE = replace(
    ROBERTA,
    model_type="luke",
    title="LUKE",
    fixed={**ROBERTA.fixed, "position_embedding_type": "absolute"},
    prefixes=("module.", "luke."),
    ignored=(
        *ROBERTA.ignored,
        *patterns(
            r"^entity_(embeddings|predictions)\.", r"\.attention\.self\.(w2e|e2w|e2e)_query\.(weight|bias)$"
        ),
    ),
    # Its classifier of texts reads the pooled vector, as BERT's.
    head_renames=(
        *(pair for pair in ROBERTA.head_renames if pair[1].startswith("masked.")),
        *renames((r"^classifier\.(weight|bias)$", r"classifier.output.\1")),
    ),
    classifier_activation=None,
    remarks=(_OF_ENTITIES, _NOT_USED),
)
