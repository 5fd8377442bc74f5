"""BigBird: BERT, whose tokens attend to blocks of tokens in long texts (arXiv:2007.14062)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from bertviz_app.checkpoint.families.bert import BERT
from bertviz_app.checkpoint.families.family import Family, patterns, renames
from bertviz_app.checkpoint.families.roformer import roformer_heads
from bertviz_app.encoder.config import Blocks, EncoderConfig
from bertviz_app.errors import CheckpointError, Message, shown
from bertviz_app.trace.form import Form

_AGAIN = Message("Fetch config.json again; it comes with the checkpoint.")
_FULL, _SPARSE = "original_full", "block_sparse"
_LARGEST = 1_000_000


def big_bird_fields(settings: Mapping[str, object], sizes: Mapping[str, int]) -> dict[str, object]:
    """Return `blocks` and `form` of an EncoderConfig. Raises CheckpointError."""
    kind = settings.get("attention_type", _SPARSE)
    if kind not in (_FULL, _SPARSE):
        message = Message("This checkpoint has attention_type = “{0}”, which is not known.", shown(str(kind)))
        raise CheckpointError(message, Message("Known are {0} and {1}.", _FULL, _SPARSE))
    scales = settings.get("rescale_embeddings", False)
    if not isinstance(scales, bool):
        raise CheckpointError(
            Message("{0} in config.json must be true or false.", "rescale_embeddings"), _AGAIN
        )
    form = Form(scales_tokens=scales, has_blocks=kind == _SPARSE)
    if kind == _FULL:
        return {"form": form}
    size, n_random = _count(settings, "block_size", 64), _count(settings, "num_random_blocks", 3)
    return {"form": form, "blocks": Blocks(size, n_random)}


def _count(settings: Mapping[str, object], key: str, otherwise: int) -> int:
    value = settings.get(key, otherwise)
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= _LARGEST:
        raise CheckpointError(
            Message("{0} in config.json must be a whole number from 1 to {1}.", key, f"{_LARGEST:,}"), _AGAIN
        )
    return value


def with_blocks(family: Family, settings: Mapping[str, object], encoder: EncoderConfig) -> Family:
    """Return the table of `family` with what is to be known of its long texts."""
    kind = encoder.blocks
    if kind is None:
        return family
    remark = Message(
        "In texts of more than {0} tokens a token attends to blocks of {1}: the first, the last, its own and "
        "the two beside it.",
        kind.longest_full,
        kind.size,
    )
    chosen = Message(
        "Its {0} random blocks are the first block again, as transformers has it outside of training: the "
        "first block counts {1} times.",
        kind.n_random,
        kind.n_random + 1,
    )
    return replace(family, remarks=(remark, chosen))


BIG_BIRD = replace(
    BERT,
    model_type="big_bird",
    title="BigBird",
    fixed={**BERT.fixed, "position_embedding_type": "absolute", "use_bias": True},
    fields=big_bird_fields,
    fitted=with_blocks,
    stated_task_heads=roformer_heads,
    # Its head for answers has a feed-forward part of its own, and is not loaded.
    task_heads=patterns(r"^(cls|classifier|qa_classifier)\."),
    renames=(*renames((r"^pooler\.(weight|bias)$", r"pooler.dense.\1")), *BERT.renames),
    head_renames=(
        *BERT.head_renames,
        *renames(
            (r"^classifier\.dense\.", "classifier.dense."), (r"^classifier\.out_proj\.", "classifier.output.")
        ),
    ),
    answer_renames=(),
    defaults={"activation": "gelu_new"},
)
