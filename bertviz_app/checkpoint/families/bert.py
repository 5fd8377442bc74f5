"""BERT, the families that differ from it by names and rows, and Jina's, which have its `model_type`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from bertviz_app.checkpoint.families.family import (
    AGAIN,
    Family,
    Fields,
    Grouped,
    base_in,
    choice_in,
    count_in,
    flag_in,
    patterns,
    renames,
    same_rotations,
    unknown_choice,
    whole_in,
)
from bertviz_app.encoder.config import N_BUCKETS, EncoderConfig, RelativeKeys, TaskHeadsConfig
from bertviz_app.errors import CheckpointError, Message, shown
from bertviz_app.text import numbering
from bertviz_app.trace.form import Form

_GATES = MappingProxyType({"geglu": "gelu", "reglu": "relu"})
_NORMED_KEYS = "qk-post-norm"
"""In the name of the code of v2 for German, Spanish, Chinese and for programs."""


def v2_fields(settings: Mapping[str, object], sizes: Mapping[str, int]) -> dict[str, object]:
    """Return fields of EncoderConfig: scores fall linearly with the distance. Raises CheckpointError.

    The variant with norms of queries and keys has one more residual connection in a layer.
    """
    if _NORMED_KEYS in str(settings.get("auto_map", "")):
        raise CheckpointError(
            Message(
                "This checkpoint has norms of queries and keys (“{0}”), which are not computed.", _NORMED_KEYS
            ),
            Message("Open one without, such as {0}.", "jinaai/jina-embeddings-v2-base-en"),
        )
    fields: dict[str, object] = {"has_linear_biases": True, "has_position_table": False}
    kind = choice_in(settings, "feed_forward_type", ("original", *_GATES), "original")
    if kind == "original":
        return fields
    if settings.get("hidden_act", _GATES[kind]) != _GATES[kind]:
        raise CheckpointError(
            Message("{0} and {1} in config.json contradict each other.", "feed_forward_type", "hidden_act"),
            Message("Open one with {0} = {1}.", "hidden_act", _GATES[kind]),
        )
    return fields | {"activation": _GATES[kind], "form": Form(is_gated=True, has_wide_biases=False)}


ALIBI = "alibi_starting_size"
"""The key by which a config.json shows MosaicBERT."""


def mosaic_fields(settings: Mapping[str, object], sizes: Mapping[str, int]) -> dict[str, object]:
    """Return fields of EncoderConfig for MosaicBERT (Portes et al. 2023, arXiv:2312.17482) and DNABERT-2.

    Scores fall linearly with the distance; its code makes the distances of as many tokens as either key says.
    Raises CheckpointError.
    """
    stated = settings.get("hidden_act", "gelu")
    if stated != "gelu":
        message = Message(
            "MosaicBERT's gated layers have GELU; {0} in config.json is “{1}”.",
            *("hidden_act", shown(str(stated))),
        )
        raise CheckpointError(message, Message("Open one with {0} = {1}.", "hidden_act", "gelu"))
    return {
        "has_linear_biases": True,
        "has_position_table": False,
        "n_positions": max(count_in(settings, ALIBI, 512), sizes["n_positions"]),
        "form": Form(is_gated=True, has_wide_biases=False),
    }


def v3_fields(settings: Mapping[str, object], sizes: Mapping[str, int]) -> dict[str, object]:
    """Return fields of EncoderConfig: queries and keys are rotated. Raises CheckpointError."""
    rotations = same_rotations(base_in(settings, "rotary_emb_base", 10_000.0), sizes["n_layers"])
    return rotations | {"has_position_table": False}


OF_JINA: Mapping[tuple[object, str], Fields] = MappingProxyType(
    {("bert", "alibi"): v2_fields, ("xlm-roberta", "rotary"): v3_fields}
)
"""The fields that follow from `model_type` and `position_embedding_type`, in files of Jina's alone."""

_V2 = renames(
    (r"\.mlp\.gated_layers\.", ".feed_forward.wide."),  # the half that goes through the activation is first
    (r"\.mlp\.wo\.", ".feed_forward.contract."),
    (r"\.mlp\.layernorm\.", ".feed_forward_norm."),
    (r"\.attention\.self\.Wqkv\.", ".attention.qkv."),
)
V3 = renames(
    (r"\.parametrizations\.(weight|bias)\.original$", r".\1"),
    (r"^emb_ln\.", "embeddings.norm."),
    (r"^encoder\.layers\.", "layers."),
    (r"\.mixer\.Wqkv\.", ".attention.qkv."),
    (r"\.self_attn\.q_proj\.", ".attention.query."),
    (r"\.self_attn\.k_proj\.", ".attention.key."),
    (r"\.self_attn\.v_proj\.", ".attention.value."),
    (r"\.(mixer\.out_proj|self_attn\.o_proj)\.", ".attention.output."),
    (r"\.(norm1|post_attention_layernorm)\.", ".attention_norm."),
    (r"\.mlp\.fc1\.", ".feed_forward.expand."),
    (r"\.mlp\.fc2\.", ".feed_forward.contract."),
    (r"\.(norm2|post_mlp_layernorm)\.", ".feed_forward_norm."),
)
V3_SPLITS = MappingProxyType(
    {".attention.qkv.": (".attention.query.", ".attention.key.", ".attention.value.")}
)
ROTATIONS = patterns(r"(^|\.)rotary_emb\.(original_)?inv_freq$")


def with_names_of_v2(family: Family) -> Family:
    """Return the table of BERT with the names of Jina's and MosaicBERT's packed parts."""
    splits = {**V3_SPLITS, ".feed_forward.wide.": (".feed_forward.expand.", ".feed_forward.gate.")}
    ignored = (*family.ignored, *patterns(r"^encoder\.alibi$"))
    return replace(family, renames=(*_V2, *family.renames), splits=splits, ignored=ignored, is_exact=True)


def with_names_of_v3(family: Family, settings: Mapping[str, object]) -> Family:
    """Return the table of XLM-RoBERTa with the names of Jina's own code.

    Its adapters, one for each task, change nothing unless a task is named; that is what is computed.
    """
    tasks = settings.get("lora_adaptations")
    named = ", ".join(shown(str(task)) for task in tasks) if isinstance(tasks, list) else ""
    adapters = Message(
        "The base of this model is computed, as its own code does where no task is named. Its adapters are "
        "not added: {0}.",
        named,
    )
    return replace(
        family,
        renames=(*V3, *family.renames),
        splits=V3_SPLITS,
        ignored=(*family.ignored, *ROTATIONS, *patterns(r"\.parametrizations\.\w+\.0\.lora_[AB]$")),
        is_exact=True,
        remarks=(*family.remarks, *((adapters,) if named else ())),
    )


_KINDS: MappingProxyType[str, RelativeKeys | None] = MappingProxyType(
    {
        "absolute": None,
        "relative_key": RelativeKeys(),
        "relative_key_query": RelativeKeys(meets_keys=True),
    }
)


def bert_fields(settings: Mapping[str, object], sizes: Mapping[str, int]) -> dict[str, object]:
    """Return the fields of an EncoderConfig that follow from position_embedding_type.

    With vectors of distances in the scores, no position is added to the embeddings. Raises CheckpointError.
    """
    name = settings.get("position_embedding_type") or "absolute"
    if (of_jina := OF_JINA.get((settings.get("model_type"), str(name)))) is not None:
        return of_jina(settings, sizes)
    if not isinstance(name, str) or name not in _KINDS:
        raise unknown_choice("position_embedding_type", name, _KINDS)
    if ALIBI in settings:
        return mosaic_fields(settings, sizes)
    kind = _KINDS[name]
    return {} if kind is None else {"relative_keys": kind, "has_position_table": False}


def without_unused_positions(
    family: Family, settings: Mapping[str, object], encoder: EncoderConfig
) -> Family:
    """Return the table of `family` for an encoder with vectors of distances, or for one of Jina's.

    `transformers` still made a table of position embeddings for it, and never read that.
    """
    if encoder.has_linear_biases:
        return replace(with_names_of_v2(family), title="MosaicBERT" if ALIBI in settings else family.title)
    if encoder.rotary_bases:
        return with_names_of_v3(family, settings)
    if encoder.relative_keys is None:
        return family
    return replace(family, ignored=(*family.ignored, *patterns(r"^embeddings\.position_embeddings\.")))


def ernie_fields(settings: Mapping[str, object], sizes: Mapping[str, int]) -> dict[str, object]:
    """Return those of `bert_fields` and the number of tasks. Raises CheckpointError."""
    uses_tasks = flag_in(settings, "use_task_id", otherwise=False)
    count = whole_in(settings, "task_type_vocab_size", 3, 10_000)
    return bert_fields(settings, sizes) | ({"n_tasks": count} if uses_tasks else {})


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
    layout=numbering.BERT_GENERATION,
)

# RemBERT's head for masked tokens has a width of its own, and is not loaded.
REMBERT = replace(
    BERT,
    model_type="rembert",
    title="RemBERT",
    sizes={**BERT.sizes, "input_embedding_size": "embedding_width"},
    fixed={**BERT.fixed, "position_embedding_type": "absolute"},
    prefixes=("module.", "rembert."),
    renames=(*renames((r"^encoder\.embedding_hidden_mapping_in\.", "embeddings.projection.")), *BERT.renames),
    head_renames=renames((r"^classifier\.(weight|bias)$", r"classifier.output.\1")),
)


_LAYERS: Mapping[str, tuple[str, int]] = MappingProxyType(
    {
        "q_groups": ("attention.query", 4),
        "k_groups": ("attention.key", 4),
        "v_groups": ("attention.value", 4),
        "post_attention_groups": ("attention.output", 1),
        "intermediate_groups": ("feed_forward.expand", 4),
        "output_groups": ("feed_forward.contract", 4),
    }
)
"""Each key of config.json, the dense layer that it is about, and the number of groups without the key."""


def validate_embeddings(settings: Mapping[str, object], sizes: Mapping[str, int]) -> dict[str, object]:
    """Return no fields. Raises CheckpointError for embeddings that are not as wide as the layers."""
    width = sizes["width"]
    if settings.get("embedding_size", width) == width:
        return {}
    raise CheckpointError(
        Message(
            "This checkpoint's embedding_size is not its hidden_size, which the encoder does not compute."
        ),
        Message("Open one with embedding_size = {0}.", width),
    )


def in_groups(family: Family, settings: Mapping[str, object], encoder: EncoderConfig) -> Family:
    """Return the table of `family` with the groups of its dense layers. Raises CheckpointError."""
    grouped = tuple(
        Grouped(re.compile(rf"\.{re.escape(layer)}\."), group_count(settings, key, otherwise, encoder))
        for key, (layer, otherwise) in _LAYERS.items()
    )
    return replace(family, grouped=grouped, remarks=(ON_GROUPS,))


ON_GROUPS = Message(
    "Its dense layers in groups are whole matrices here, with zeros between the groups, which count "
    "among the parameters."
)
"""The remark on dense layers in groups."""


def group_count(settings: Mapping[str, object], key: str, otherwise: int, encoder: EncoderConfig) -> int:
    """Return the number of groups at `key`. Raises CheckpointError for one that the widths cannot have."""
    # The whole matrix takes as many times the memory of the file's; those of published files have 4.
    value = whole_in(settings, key, otherwise, 64)
    if encoder.width % value or encoder.feed_forward_width % value:
        message = Message("{0} in config.json is {1}, by which the widths cannot be divided.", key, value)
        raise CheckpointError(message, AGAIN)
    return value


SQUEEZEBERT = replace(
    BERT,
    model_type="squeezebert",
    title="SqueezeBERT",
    choices={"hidden_act": "activation"},
    # The norms of its layers have this one whatever config.json says, those beside them what that says.
    fixed={**BERT.fixed, "position_embedding_type": "absolute", "layer_norm_eps": 1e-12},
    fields=validate_embeddings,
    fitted=in_groups,
    defaults={"form": Form(has_groups=True)},
    prefixes=("module.", "transformer."),
    renames=(
        *renames(
            (r"^encoder\.layers\.", "layers."),
            (r"\.post_attention\.conv1d\.", ".attention.output."),
            (r"\.post_attention\.layernorm\.", ".attention_norm."),
            (r"\.intermediate\.conv1d\.", ".feed_forward.expand."),
            (r"\.output\.conv1d\.", ".feed_forward.contract."),
            (r"\.output\.layernorm\.", ".feed_forward_norm."),
        ),
        *BERT.renames,
    ),
)


_MOST_LAYERS = 1_000


def albert_fields(settings: Mapping[str, object], sizes: Mapping[str, int]) -> dict[str, object]:
    """Return `stored_layers` and `n_layers` of an EncoderConfig. Raises CheckpointError.

    The layers are computed in num_hidden_groups groups, each with weights of its own; a layer of a group is
    inner_group_num layers in a row, which count as layers here as they do in `transformers`.
    """
    n_layers = sizes["n_layers"]
    n_groups = whole_in(settings, "num_hidden_groups", 1, n_layers)
    n_inner = whole_in(settings, "inner_group_num", 1, max(1, _MOST_LAYERS // n_layers))
    groups = [int(layer / (n_layers / n_groups)) for layer in range(n_layers)]
    stored = tuple(group * n_inner + inner for group in groups for inner in range(n_inner))
    return {"stored_layers": stored, "n_layers": len(stored)}


def with_groups(family: Family, settings: Mapping[str, object], encoder: EncoderConfig) -> Family:
    """Return the table of `family` with the name of each stored layer."""
    n_inner = whole_in(settings, "inner_group_num", 1, _MOST_LAYERS)
    stored = [divmod(number, n_inner) for number in range(encoder.n_stored_layers)]
    names = [
        (rf"^encoder\.albert_layer_groups\.{group}\.albert_layers\.{inner}\.", f"layers.{number}.")
        for number, (group, inner) in enumerate(stored)
    ]
    return replace(family, renames=(*renames(*names), *family.renames))


ALBERT = replace(
    BERT,
    model_type="albert",
    title="ALBERT",
    sizes={**BERT.sizes, "embedding_size": "embedding_width"},
    fixed={**BERT.fixed, "position_embedding_type": "absolute"},
    fields=albert_fields,
    fitted=with_groups,
    prefixes=("module.", "albert."),
    task_heads=patterns(r"^(predictions|sop_classifier|classifier|qa_outputs)\."),
    renames=renames(
        (r"^encoder\.embedding_hidden_mapping_in\.", "embeddings.projection."),
        (r"\.attention\.dense\.", ".attention.output."),
        (r"\.attention\.LayerNorm\.", ".attention_norm."),
        (r"\.ffn\.", ".feed_forward.expand."),
        (r"\.ffn_output\.", ".feed_forward.contract."),
        (r"\.full_layer_layer_norm\.", ".feed_forward_norm."),
        (r"^pooler\.(weight|bias)$", r"pooler.dense.\1"),
        *((pattern.pattern, name) for pattern, name in BERT.renames if name.startswith("embeddings.")),
    ),
    head_renames=renames(
        (r"^predictions\.dense\.", "masked.dense."),
        (r"^predictions\.LayerNorm\.", "masked.norm."),
        (r"^predictions\.(decoder\.|bias$)", r"masked.\1"),
        (r"^sop_classifier\.classifier\.", "next_sentence."),
        (r"^classifier\.(weight|bias)$", r"classifier.output.\1"),
    ),
    defaults={"activation": "gelu_new"},
    orders_sentences=True,
    layout=numbering.ALBERT,
)


_MOST = 1_000_000


def mpnet_fields(settings: Mapping[str, object], sizes: Mapping[str, int]) -> dict[str, object]:
    """Return `n_distance_buckets` of an EncoderConfig. Raises CheckpointError.

    MPNet's own code, and `transformers`, use the first 32 rows of the table whatever its size, and fail with
    fewer.
    """
    key = "relative_attention_num_buckets"
    n_rows = settings.get(key, N_BUCKETS)
    if isinstance(n_rows, bool) or not isinstance(n_rows, int) or not N_BUCKETS <= n_rows <= _MOST:
        message = Message(
            "{0} in config.json must be a whole number from {1} to {2}.", key, N_BUCKETS, f"{_MOST:,}"
        )
        raise CheckpointError(message, Message("MPNet's own code computes with {0} buckets.", N_BUCKETS))
    return {"n_distance_buckets": n_rows}


ROTARY_BASE = 10_000.0


def roformer_heads(settings: Mapping[str, object]) -> TaskHeadsConfig:
    """Return how the task heads are built: all have the activation of the layers."""
    activation = str(settings.get("hidden_act", "gelu"))
    return TaskHeadsConfig(masked_activation=activation, classifier_activation=activation)


ROFORMER = replace(
    BERT,
    model_type="roformer",
    title="RoFormer",
    sizes={**BERT.sizes, "embedding_size": "embedding_width"},
    fixed={**BERT.fixed, "position_embedding_type": "absolute", "rotary_value": False},
    fields=lambda settings, sizes: same_rotations(ROTARY_BASE, sizes["n_layers"]),
    fitted=None,
    stated_task_heads=roformer_heads,
    prefixes=("module.", "roformer."),
    rotation_table=re.compile(r"^encoder\.embed_positions\."),
    renames=(*renames((r"^embeddings_project\.", "embeddings.projection.")), *BERT.renames),
    head_renames=(
        *BERT.head_renames,
        *renames(
            (r"^classifier\.dense\.", "classifier.dense."), (r"^classifier\.out_proj\.", "classifier.output.")
        ),
    ),
    always_projects=False,
    defaults={"has_position_table": False, "rotates_pairs": True},
)
