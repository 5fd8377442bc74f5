"""CLIP's texts: BERT's layers with norms before the parts, whose tokens see none that come later.

Radford et al. 2021, arXiv:2103.00020, section 2.4.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from bertviz_app.checkpoint.families.bert import BERT
from bertviz_app.checkpoint.families.family import Family, patterns, renames
from bertviz_app.errors import CheckpointError, Message
from bertviz_app.trace.form import Form

_DEFAULTS: Mapping[str, object] = MappingProxyType(
    {
        "vocab_size": 49408,
        "hidden_size": 512,
        "intermediate_size": 2048,
        "num_hidden_layers": 12,
        "num_attention_heads": 8,
        "max_position_embeddings": 77,
        "hidden_act": "quick_gelu",
        "layer_norm_eps": 1e-5,
    }
)
"""What transformers takes where config.json says nothing: it writes what differs from these alone."""
_OF_VECTOR = Message(
    "Its sentence vector is the last hidden state of the last token, <|endoftext|>, projected where the file "
    "has text_projection."
)
_OF_IMAGES = Message("CLIP reads texts and images: here its texts are read, its images are not.")


def text_settings(settings: Mapping[str, object]) -> Mapping[str, object]:
    """Return the settings of the texts of a CLIP, those of transformers where it has none.

    Those in `text_config_dict`, of older files, come before those in `text_config`. Raises CheckpointError.
    """
    own, older = (_object(settings, key) for key in ("text_config", "text_config_dict"))
    stated = {**own, **_DEFAULTS, **older} if older else {**_DEFAULTS, **own}
    return stated | {"architectures": settings.get("architectures")}


def _object(settings: Mapping[str, object], key: str) -> Mapping[str, object]:
    value = settings.get(key)
    if value is None:
        return {}
    if not isinstance(value, dict):
        message = Message("{0} in config.json must be an object.", key)
        raise CheckpointError(message, Message("Fetch config.json again; it comes with the checkpoint."))
    return value


CLIP_TEXT = Family(
    model_type="clip_text_model",
    title="CLIP",
    sizes={key: field for key, field in BERT.sizes.items() if field != "n_segments"},
    choices=BERT.choices,
    fixed=BERT.fixed,
    settings_of=lambda settings: {**_DEFAULTS, **settings},
    prefixes=("module.", "clip.", "text_model."),
    ignored=patterns(r"^embeddings\.position_ids$"),
    task_heads=patterns(r"^text_projection\."),
    renames=renames(
        (r"^embeddings\.token_embedding\.", "embeddings.token."),
        (r"^embeddings\.position_embedding\.", "embeddings.position."),
        (r"^encoder\.layers\.", "layers."),
        (r"\.self_attn\.q_proj\.", ".attention.query."),
        (r"\.self_attn\.k_proj\.", ".attention.key."),
        (r"\.self_attn\.v_proj\.", ".attention.value."),
        (r"\.self_attn\.out_proj\.", ".attention.output."),
        (r"\.layer_norm1\.", ".attention_norm."),
        (r"\.mlp\.fc1\.", ".feed_forward.expand."),
        (r"\.mlp\.fc2\.", ".feed_forward.contract."),
        (r"\.layer_norm2\.", ".feed_forward_norm."),
        (r"^final_layer_norm\.", "final_norm."),
    ),
    vector_projection="text_projection.weight",
    defaults={
        "n_segments": 0,
        "form": Form(is_pre_norm=True, has_final_norm=True, has_embedding_norm=False, is_causal=True),
    },
    tells_texts_apart=False,
    remarks=(_OF_VECTOR,),
)

CLIP = replace(
    CLIP_TEXT,
    model_type="clip",
    settings_of=text_settings,
    ignored=(*CLIP_TEXT.ignored, *patterns(r"^(vision_model|visual_projection)\.", r"^logit_scale$")),
    remarks=(_OF_IMAGES, _OF_VECTOR),
)
