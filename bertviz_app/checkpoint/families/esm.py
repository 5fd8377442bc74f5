"""ESM-2, and ESM-1b, of which it differs by its positions: language models of proteins."""

from __future__ import annotations

from collections.abc import Mapping

from bertviz_app.checkpoint.families.bert import BERT
from bertviz_app.checkpoint.families.family import Family, patterns, renames
from bertviz_app.checkpoint.families.roberta import ROBERTA
from bertviz_app.errors import CheckpointError, Message, shown
from bertviz_app.trace.form import Form

_AGAIN = Message("Fetch config.json again; it comes with the checkpoint.")
_KINDS = ("absolute", "rotary")


def esm_fields(settings: Mapping[str, object], sizes: Mapping[str, int]) -> dict[str, object]:
    """Return the fields of an EncoderConfig about positions, masked tokens and norms. Raises CheckpointError.

    hidden_act is not read, as in ESM's own code and in `transformers`: the activation is always GELU.
    """
    kind = settings.get("position_embedding_type", "absolute")
    if kind not in _KINDS:
        message = Message(
            "This checkpoint has position_embedding_type = “{0}”, which is not known.", shown(str(kind))
        )
        raise CheckpointError(message, Message("Known are {0}.", ", ".join(_KINDS)))
    is_rotary, zeroes = kind == "rotary", _claim(settings, "token_dropout")
    form = Form(
        is_pre_norm=True,
        has_final_norm=True,
        has_embedding_norm=_claim(settings, "emb_layer_norm_before"),
        is_rotary=is_rotary,
        zeroes_masks=zeroes,
    )
    fields: dict[str, object] = {
        "form": form,
        "zeroed_id": _piece(settings, "mask_token_id") if zeroes else None,
    }
    if not is_rotary:
        return fields | {"first_position": _piece(settings, "pad_token_id") + 1}
    rotations = {
        "rotary_bases": (_base(settings),) * sizes["n_layers"],
        "reaches": (None,) * sizes["n_layers"],
    }
    return fields | rotations | {"has_position_table": False}


def _claim(settings: Mapping[str, object], key: str) -> bool:
    value = settings.get(key)
    if not isinstance(value, bool | None):
        raise CheckpointError(Message("{0} in config.json must be true or false.", key), _AGAIN)
    return value is True


def _piece(settings: Mapping[str, object], key: str) -> int:
    value = settings.get(key)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 1_000_000:
        raise CheckpointError(
            Message("{0} in config.json must be the id of a piece, not {1}.", key, shown(str(value))), _AGAIN
        )
    return value


def _base(settings: Mapping[str, object]) -> float:
    base = settings.get("rope_theta", 10_000.0)
    if isinstance(base, bool) or not isinstance(base, int | float) or not 1 < base < 1e12:
        message = Message(
            "The base of the rotations in config.json, {0}, is no number above 1.", "rope_theta"
        )
        raise CheckpointError(message, _AGAIN)
    return float(base)


# Stored frequencies of the rotations take precedence over their base. Files have them once for each layer, of
# which `transformers` uses the first's, or once, with a star in the place of the layer.
ESM = Family(
    model_type="esm",
    title="ESM",
    sizes={key: field for key, field in BERT.sizes.items() if field != "n_segments"},
    choices={"layer_norm_eps": "norm_eps"},
    fixed={"is_decoder": False, "add_cross_attention": False, "is_folding_model": False},
    fields=esm_fields,
    prefixes=("module.", "esm."),
    # Those that were saved before the middle of 2025 have a table of positions beside their rotations, too.
    unused=patterns(r"^embeddings\.position\."),
    ignored=patterns(
        r"^embeddings\.position_ids$",
        r"^encoder\.layer\.[1-9]\d*\.attention\.self\.rotary_embeddings\.inv_freq$",
    ),
    task_heads=patterns(r"^(lm_head|classifier|contact_head)\."),
    renames=renames(
        (r"^(encoder\.layer\.[0*]\.attention\.self\.)?rotary_embeddings\.inv_freq$", "rotary.frequencies"),
        (r"^embeddings\.layer_norm\.", "embeddings.norm."),
        (r"^encoder\.emb_layer_norm_after\.", "final_norm."),
        (r"\.attention\.LayerNorm\.", ".attention_norm."),
        (r"^encoder\.layer\.(\d+)\.LayerNorm\.", r"layers.\1.feed_forward_norm."),
    )
    + BERT.renames,
    head_renames=ROBERTA.head_renames,
    masked_activation="gelu",
    classifier_activation="tanh",
    defaults={"n_segments": 0},
    tells_texts_apart=False,
)
