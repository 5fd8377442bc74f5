"""Families whose queries and keys are rotated: ModernBERT, NomicBERT, GTE, EuroBERT and NeoBERT."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from bertviz_app.checkpoint.families.bert import BERT
from bertviz_app.checkpoint.families.family import (
    AGAIN,
    Family,
    Fields,
    bare_masked_head,
    base_in,
    choice_in,
    count_in,
    flag_in,
    named,
    other_type,
    patterns,
    renames,
    rotations_in,
    same_rotations,
    string_in,
    unscaled_rotations,
    whole_in,
)
from bertviz_app.encoder.config import TaskHeadsConfig
from bertviz_app.errors import CheckpointError, Message, shown
from bertviz_app.trace.form import Form

GLOBAL, LOCAL = "full_attention", "sliding_attention"


def layer_kinds(settings: Mapping[str, object], n_layers: int) -> dict[str, object]:
    """Return `rotary_bases` and `reaches` of an EncoderConfig, one value per layer.

    Files have a list of the layers' kinds and an object with each kind's rotation, or older keys from
    which these follow. Raises CheckpointError for what is neither, and for rotations of another type.
    """
    kinds = settings.get("layer_types")
    if kinds is None:
        every = whole_in(settings, "global_attn_every_n_layers", 3)
        kinds = [LOCAL if layer % every else GLOBAL for layer in range(n_layers)]
    if not isinstance(kinds, list) or len(kinds) != n_layers:
        message = Message("layer_types in config.json must be a list of {0} names, one a layer.", n_layers)
        raise CheckpointError(message, AGAIN)
    if unknown := [kind for kind in kinds if kind not in (GLOBAL, LOCAL)]:
        message = Message(
            "This checkpoint has a layer of the type “{0}”, which is not known.", shown(str(unknown[0]))
        )
        raise CheckpointError(message, Message("Known are {0} and {1}.", GLOBAL, LOCAL))
    bases = {kind: _base(settings, kind) for kind in (GLOBAL, LOCAL)}
    window = whole_in(settings, "local_attention", 128)
    return {
        "rotary_bases": tuple(bases[kind] for kind in kinds),
        "reaches": tuple(window // 2 if kind == LOCAL else None for kind in kinds),
    }


def _base(settings: Mapping[str, object], kind: str) -> float:
    """Return the rotary base of layers of `kind`, called theta in the file."""
    if settings.get("rope_scaling") is not None:
        raise CheckpointError(
            Message("This checkpoint has rope_scaling, which the encoder does not compute."),
            Message("Open one whose rotations are not scaled."),
        )
    rotations = settings.get("rope_parameters")
    of_kind = rotations.get(kind) if isinstance(rotations, dict) else None
    given = of_kind if isinstance(of_kind, dict) else {}
    if given.get("rope_type", "default") != "default":
        raise other_type(given["rope_type"])
    older, otherwise = ("global_rope_theta", 160_000.0) if kind == GLOBAL else ("local_rope_theta", 10_000.0)
    return base_in(settings, older, otherwise, given)


POOLINGS = ("cls", "mean")


def modern_fields(settings: Mapping[str, object], sizes: Mapping[str, int]) -> dict[str, object]:
    """Return `rotary_bases`, `reaches` and `form` of an EncoderConfig. Raises CheckpointError."""
    form = Form(
        is_pre_norm=True,
        is_first_without_norm=True,
        has_final_norm=True,
        has_biases=False,
        has_norm_biases=flag_in(settings, "norm_bias", otherwise=False),
        is_gated=True,
    )
    return {**layer_kinds(settings, sizes["n_layers"]), "form": form}


def modern_heads(settings: Mapping[str, object]) -> TaskHeadsConfig:
    """Return how the task heads are built, without saying which exist. Raises CheckpointError.

    Each is a dense layer, an activation, a norm and one more dense layer.
    """
    activation = string_in(settings, "classifier_activation", "gelu")
    return TaskHeadsConfig(
        masked_activation=activation,
        classifier_activation=activation,
        has_dense_bias=flag_in(settings, "classifier_bias", otherwise=False),
        has_norm_bias=flag_in(settings, "norm_bias", otherwise=False),
        has_decoder_bias=flag_in(settings, "decoder_bias", otherwise=True),
        norms_classes=True,
        transforms_tokens=True,
        averages_tokens=choice_in(settings, "classifier_pooling", POOLINGS, "cls") == "mean",
    )


_GATED = MappingProxyType({"swiglu": "silu", "geglu": "gelu"})


def nomic_fields(settings: Mapping[str, object], sizes: Mapping[str, int]) -> dict[str, object]:
    """Return `rotary_bases`, `reaches`, `activation` and `n_positions` of an EncoderConfig.

    Rotations scaled for texts longer than in training are unscaled up to the training's length; the
    model reads texts of that length. Raises CheckpointError.
    """
    width = sizes["width"] // sizes["n_heads"]
    if settings.get("head_dim") not in (None, width):
        raise CheckpointError(
            Message(
                "This checkpoint has heads of another width than {0}, which the encoder does not compute.",
                width,
            ),
            Message("Open one with head_dim = {0}.", width),
        )
    rotations = settings.get("rope_parameters")
    stated = rotations if isinstance(rotations, dict) else {}
    base = base_in(settings, "rotary_emb_base", 1000.0, stated)
    kind = stated.get("rope_type", "default")
    if kind not in ("default", "dynamic"):
        raise other_type(kind)
    n_positions = sizes["n_positions"]
    if settings.get("rotary_scaling_factor") is not None or kind != "default":
        trained = settings.get("max_trained_positions", n_positions)
        if isinstance(trained, bool) or not isinstance(trained, int) or trained < 1:
            message = Message("max_trained_positions in config.json must be a whole number from 1.")
            raise CheckpointError(message, AGAIN)
        n_positions = min(n_positions, trained)
    # Names the gated part by its activation; newer files call it hidden_act, which takes precedence.
    return {
        **same_rotations(base, sizes["n_layers"]),
        "activation": _GATED[choice_in(settings, "activation_function", _GATED, "swiglu")],
        "n_positions": n_positions,
    }


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


def _fields(base_otherwise: float) -> Fields:
    """Return a function that returns fields of EncoderConfig; `base_otherwise`: of the rotations.

    "ntk" multiplies the base by the factor k, and divides every frequency by k^(2 / E), so that the lowest
    one is divided by k and the highest hardly changes, whatever the length of the text (the authors' code;
    "mixed_b", another formula, is refused).
    """

    def fields(settings: Mapping[str, object], sizes: Mapping[str, int]) -> dict[str, object]:
        n_segments = count_in(settings, "type_vocab_size", 1, first=0)
        found = rotations_in(settings)
        kind = found.get("rope_type", found.get("type", "default"))
        base = base_in(settings, "rope_theta", base_otherwise, found)
        if kind == "default":
            return same_rotations(base, sizes["n_layers"]) | {"n_segments": n_segments}
        if kind != "ntk" or found.get("mixed_b") is not None:
            raise other_type("ntk, mixed_b" if kind == "ntk" else kind)
        factor = found.get("factor")
        if isinstance(factor, bool) or not isinstance(factor, int | float) or not 1 <= factor <= 1000:
            raise CheckpointError(
                Message("The factor of the rotations in config.json, {0}, is no number from 1.", "factor"),
                AGAIN,
            )
        return same_rotations(base * factor, sizes["n_layers"]) | {
            "rotary_factor": float(factor) ** (-2 / (sizes["width"] // sizes["n_heads"])),
            "n_segments": n_segments,
        }

    return fields


GTE = Family(
    model_type="gte",
    title="GTE",
    sizes={key: field for key, field in BERT.sizes.items() if field != "n_segments"},
    choices=BERT.choices,
    fixed={"is_decoder": False},
    fields=_fields(160_000.0),
    prefixes=("module.", "gte.", "new."),
    ignored=patterns(r"(^|\.)rotary_emb\.(original_)?inv_freq$", r"^embeddings\.(position|token_type)_ids$"),
    task_heads=patterns(r"^(lm_head|classifier|qa_outputs)\."),
    renames=renames(
        (r"^embeddings\.word_embeddings\.", "embeddings.token."),
        (r"^embeddings\.token_type_embeddings\.", "embeddings.segment."),
        (r"^embeddings\.LayerNorm\.", "embeddings.norm."),
        (r"^encoder\.layer\.", "layers."),
        (r"\.attention\.qkv_proj\.", ".attention.qkv."),
        (r"\.(attention|self_attn)\.q_proj\.", ".attention.query."),
        (r"\.(attention|self_attn)\.k_proj\.", ".attention.key."),
        (r"\.(attention|self_attn)\.v_proj\.", ".attention.value."),
        (r"\.(attention|self_attn)\.o_proj\.", ".attention.output."),
        (r"\.(attn_ln|post_attention_layernorm)\.", ".attention_norm."),
        (r"\.mlp\.up_gate_proj\.", ".feed_forward.wide."),
        (r"\.mlp\.gate_proj\.", ".feed_forward.expand."),  # the half that goes through the activation
        (r"\.mlp\.up_proj\.", ".feed_forward.gate."),
        (r"\.mlp\.down_proj\.", ".feed_forward.contract."),
        (r"\.(mlp_ln|post_mlp_layernorm)\.", ".feed_forward_norm."),
    ),
    splits={
        ".attention.qkv.": (".attention.query.", ".attention.key.", ".attention.value."),
        ".feed_forward.wide.": (".feed_forward.gate.", ".feed_forward.expand."),
    },
    head_renames=renames(
        (r"^lm_head\.dense\.", "masked.dense."),
        (r"^lm_head\.(norm|layer_norm)\.", "masked.norm."),
        (r"^lm_head\.(decoder\.|bias$)", r"masked.\1"),
        (r"^classifier\.(weight|bias)$", r"classifier.output.\1"),
    ),
    masked_activation="gelu",
    is_exact=True,
    defaults={
        "has_position_table": False,
        "form": Form(is_gated=True, has_wide_biases=False),
    },
    tells_texts_apart=False,
)

NEW = replace(
    GTE,
    model_type="new",
    fixed={
        **GTE.fixed,
        "position_embedding_type": "rope",
        "layer_norm_type": "layer_norm",
        "logn_attention_scale": False,
    },
    fields=_fields(10_000.0),
    masked_activation=None,
)


def eurobert_fields(settings: Mapping[str, object], sizes: Mapping[str, int]) -> dict[str, object]:
    """Return the heads, rotations and form of an EncoderConfig. Raises CheckpointError."""
    n_heads = sizes["n_heads"]
    n_key_heads = count_in(settings, "num_key_value_heads", n_heads)
    if n_heads % n_key_heads:
        message = Message(
            "{0} queries cannot share {1} keys evenly: {2} in config.json is wrong.",
            n_heads,
            n_key_heads,
            "num_key_value_heads",
        )
        raise CheckpointError(message, AGAIN)
    is_grouped = n_key_heads < n_heads
    head_width = count_in(settings, "head_dim", sizes["width"] // n_heads)
    return {
        **unscaled_rotations(settings, sizes["n_layers"], 10_000.0),
        "n_key_heads": n_key_heads if is_grouped else None,
        "own_head_width": None if head_width * n_heads == sizes["width"] else head_width,
        "form": Form(
            is_pre_norm=True,
            has_final_norm=True,
            has_embedding_norm=False,
            has_biases=False,
            has_norm_biases=False,
            has_rms_norms=True,
            is_gated=True,
        ),
    }


EUROBERT = Family(
    model_type="eurobert",
    title="EuroBERT",
    sizes={key: field for key, field in BERT.sizes.items() if field != "n_segments"},
    choices={"hidden_act": "activation", "rms_norm_eps": "norm_eps"},
    fixed={"attention_bias": False, "mlp_bias": False, "is_decoder": False},
    fields=eurobert_fields,
    prefixes=("module.", "model."),
    ignored=patterns(r"(^|\.)rotary_emb\.(original_)?inv_freq$"),
    task_heads=patterns(r"^(lm_head|dense|classifier|score)\."),
    renames=renames(
        (r"^embed_tokens\.", "embeddings.token."),
        (r"^norm\.", "final_norm."),
        (r"\.self_attn\.q_proj\.", ".attention.query."),
        (r"\.self_attn\.k_proj\.", ".attention.key."),
        (r"\.self_attn\.v_proj\.", ".attention.value."),
        (r"\.self_attn\.o_proj\.", ".attention.output."),
        (r"\.input_layernorm\.", ".attention_norm."),
        (r"\.post_attention_layernorm\.", ".feed_forward_norm."),
        (r"\.mlp\.gate_proj\.", ".feed_forward.expand."),  # the half that goes through the activation
        (r"\.mlp\.up_proj\.", ".feed_forward.gate."),
        (r"\.mlp\.down_proj\.", ".feed_forward.contract."),
    ),
    stated_task_heads=bare_masked_head(has_bias=False),
    head_renames=named("lm_head"),
    token_renames=(),  # its classifiers are built otherwise than those that are read
    defaults={"n_segments": 0, "activation": "silu", "norm_eps": 1e-5, "has_position_table": False},
    tells_texts_apart=False,
    narrows_layers=True,
)


def neobert_fields(settings: Mapping[str, object], sizes: Mapping[str, int]) -> dict[str, object]:
    """Return the rotations and the width of the feed-forward part of an EncoderConfig.

    Of intermediate_size two thirds are used, rounded up to a multiple of 8: with its gate the part has as
    many weights as one without. Raises CheckpointError.
    """
    width = sizes["width"] // sizes["n_heads"]
    if settings.get("dim_head") not in (None, width):
        raise CheckpointError(
            Message(
                "This checkpoint has heads of another width than {0}, which the encoder does not compute.",
                width,
            ),
            Message("Open one with {0} = {1}.", "dim_head", width),
        )
    activation = settings.get("hidden_act", "swiglu")
    if not isinstance(activation, str) or activation.lower() != "swiglu":
        message = Message(
            "This checkpoint has {0} = {1}, which the encoder does not compute.",
            "hidden_act",
            shown(str(activation)),
        )
        raise CheckpointError(message, Message("Open one with {0} = {1}.", "hidden_act", "swiglu"))
    two_thirds = int(2 * sizes["feed_forward_width"] / 3)
    return same_rotations(10_000.0, sizes["n_layers"]) | {  # the base is fixed in the authors' code
        "feed_forward_width": -(-two_thirds // 8) * 8,
        "rotates_pairs": True,
        "rounds_angles": True,
    }


# Its config.json also has the settings of its training within `kwargs`, which are not those of the model.
NEOBERT = Family(
    model_type="neobert",
    title="NeoBERT",
    sizes={
        "vocab_size": "vocabulary_size",
        "max_length": "n_positions",
        "num_hidden_layers": "n_layers",
        "num_attention_heads": "n_heads",
        "hidden_size": "width",
        "intermediate_size": "feed_forward_width",
    },
    choices={"norm_eps": "norm_eps"},
    older={"max_length": "max_position_embeddings"},
    fixed={"rms_norm": True, "rope": True, "ngpt": False},
    fields=neobert_fields,
    prefixes=("module.", "model."),
    ignored=patterns(r"^freqs_cis$"),
    task_heads=patterns(r"^(decoder|dense|classifier)\."),
    renames=renames(
        (r"^encoder\.", "embeddings.token."),
        (r"^layer_norm\.", "final_norm."),
        (r"^transformer_encoder\.", "layers."),
        (r"\.qkv\.", ".attention.qkv."),
        (r"\.wo\.", ".attention.output."),
        (r"\.ffn_norm\.", ".feed_forward_norm."),
        (r"\.ffn\.w12\.", ".feed_forward.wide."),
        (r"\.ffn\.w1\.", ".feed_forward.expand."),
        (r"\.ffn\.w2\.", ".feed_forward.gate."),
        (r"\.ffn\.w3\.", ".feed_forward.contract."),
    ),
    splits={".feed_forward.wide.": (".feed_forward.expand.", ".feed_forward.gate.")},
    splits_by_head={".attention.qkv.": (".attention.query.", ".attention.key.", ".attention.value.")},
    stated_task_heads=bare_masked_head(has_bias=True),
    head_renames=named("decoder"),
    token_renames=(),  # its classifiers are built otherwise than those that are read
    is_exact=True,
    defaults={
        "n_segments": 0,
        "activation": "silu",
        "norm_eps": 1e-6,
        "has_position_table": False,
        "form": Form(
            is_pre_norm=True,
            has_final_norm=True,
            has_embedding_norm=False,
            has_biases=False,
            has_norm_biases=False,
            has_rms_norms=True,
            is_gated=True,
        ),
    },
    tells_texts_apart=False,
)
