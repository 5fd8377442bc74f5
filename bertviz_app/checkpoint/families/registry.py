"""The table of all families, and those without a module of their own, such as T5, CLIP and MobileBERT."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from bertviz_app.checkpoint.families.bert import (
    ALBERT,
    BERT,
    BERT_GENERATION,
    DPR,
    ERNIE,
    ON_GROUPS,
    REMBERT,
    ROFORMER,
    SPLINTER,
    SQUEEZEBERT,
    group_count,
    mpnet_fields,
    roformer_heads,
)
from bertviz_app.checkpoint.families.family import (
    AGAIN,
    Family,
    Fields,
    Grouped,
    choice_in,
    count_in,
    flag_in,
    patterns,
    renames,
    unknown_choice,
    whole_in,
)
from bertviz_app.checkpoint.families.roberta import (
    CAMEMBERT,
    DATA2VEC_TEXT,
    DEBERTA,
    DEBERTA_V1,
    ESM,
    JINA_V3,
    LONGFORMER,
    LUKE,
    ROBERTA,
    XLM_ROBERTA,
    XMOD,
)
from bertviz_app.checkpoint.families.rotary import EUROBERT, GTE, MODERNBERT, NEOBERT, NEW, NOMIC_BERT
from bertviz_app.encoder.config import (
    Blocks,
    Bottleneck,
    EncoderConfig,
    SpanConvolution,
    TaskHeadsConfig,
    TokenProjection,
)
from bertviz_app.errors import CheckpointError, Message, shown
from bertviz_app.text import numbering
from bertviz_app.trace.form import MOST_FEED_FORWARDS, Form

DISTILBERT = Family(
    model_type="distilbert",
    title="DistilBERT",
    sizes={
        "vocab_size": "vocabulary_size",
        "max_position_embeddings": "n_positions",
        "n_layers": "n_layers",
        "n_heads": "n_heads",
        "dim": "width",
        "hidden_dim": "feed_forward_width",
    },
    choices={"activation": "activation"},
    fixed={},
    prefixes=("module.", "distilbert."),
    ignored=patterns(r"^embeddings\.position_ids$"),
    task_heads=patterns(r"^(vocab_\w+|pre_classifier|classifier|qa_outputs)\."),
    renames=renames(
        (r"^embeddings\.word_embeddings\.", "embeddings.token."),
        (r"^embeddings\.position_embeddings\.", "embeddings.position."),
        (r"^embeddings\.LayerNorm\.", "embeddings.norm."),
        (r"^transformer\.layer\.(\d+)\.", r"layers.\1."),
        (r"\.attention\.q_lin\.", ".attention.query."),
        (r"\.attention\.k_lin\.", ".attention.key."),
        (r"\.attention\.v_lin\.", ".attention.value."),
        (r"\.attention\.out_lin\.", ".attention.output."),
        (r"\.sa_layer_norm\.", ".attention_norm."),
        (r"\.ffn\.lin1\.", ".feed_forward.expand."),
        (r"\.ffn\.lin2\.", ".feed_forward.contract."),
        (r"\.output_layer_norm\.", ".feed_forward_norm."),
    ),
    head_renames=renames(
        (r"^vocab_transform\.", "masked.dense."),
        (r"^vocab_layer_norm\.", "masked.norm."),
        (r"^vocab_projector\.", "masked.decoder."),
        (r"^pre_classifier\.", "classifier.dense."),
        (r"^classifier\.(weight|bias)$", r"classifier.output.\1"),
    ),
    classifier_activation="relu",
    defaults={"n_segments": 0},
    tells_texts_apart=False,
)

ELECTRA = replace(
    BERT,
    model_type="electra",
    title="ELECTRA",
    sizes={**BERT.sizes, "embedding_size": "embedding_width"},
    prefixes=("module.", "electra."),
    task_heads=patterns(r"^((generator|discriminator)_\w+|classifier|qa_outputs)\."),
    renames=(*renames((r"^embeddings_project\.", "embeddings.projection.")), *BERT.renames),
    head_renames=renames(
        (r"^generator_predictions\.dense\.", "masked.dense."),
        (r"^generator_predictions\.LayerNorm\.", "masked.norm."),
        (r"^generator_lm_head\.", "masked.decoder."),
        (r"^discriminator_predictions\.dense\.", "replaced.dense."),
        (r"^discriminator_predictions\.dense_prediction\.", "replaced.output."),
        (r"^classifier\.dense\.", "classifier.dense."),
        (r"^classifier\.out_proj\.", "classifier.output."),
    ),
    masked_activation="gelu",
    classifier_activation="gelu",
    always_projects=False,
)

MPNET = Family(
    model_type="mpnet",
    title="MPNet",
    sizes={key: field for key, field in BERT.sizes.items() if field != "n_segments"},
    choices=BERT.choices,
    fixed={},
    fields=mpnet_fields,
    prefixes=("module.", "mpnet."),
    ignored=patterns(r"^embeddings\.position_ids$"),
    task_heads=patterns(r"^(lm_head|classifier|qa_outputs)\."),
    renames=renames(
        (r"^encoder\.relative_attention_bias\.", "relative.buckets."),
        (r"\.attention\.attn\.q\.", ".attention.query."),
        (r"\.attention\.attn\.k\.", ".attention.key."),
        (r"\.attention\.attn\.v\.", ".attention.value."),
        (r"\.attention\.attn\.o\.", ".attention.output."),
        (r"\.attention\.LayerNorm\.", ".attention_norm."),
    )
    + BERT.renames,
    # Positions begin after the padding, whose id is 1 whatever the configuration says.
    defaults={"n_segments": 0, "first_position": 2},
    tells_texts_apart=False,
    head_renames=ROBERTA.head_renames,
    masked_activation="gelu",
    classifier_activation="tanh",
)


def _fields(otherwise: str) -> Fields:
    """Return a function that returns fields of EncoderConfig; `otherwise`: the usual feed-forward part."""

    def fields(settings: Mapping[str, object], sizes: Mapping[str, int]) -> dict[str, object]:
        n_buckets = count_in(settings, "relative_attention_num_buckets", 32, first=4)
        named = settings.get("feed_forward_proj", otherwise)
        name = str(named)
        activation = name.removeprefix("gated-")
        if not isinstance(named, str) or not activation or "-" in activation or not name.isprintable():
            raise unknown_choice("feed_forward_proj", name, ("relu", "gated-gelu", "gated-silu"))
        if name == "gated-gelu":  # the approximation by tanh, as in the authors' code and in `transformers`
            activation = "gelu_new"
        return {
            "own_head_width": count_in(settings, "d_kv", 64),
            # Where config.json names no length: distances stand in the scores, so any can be read.
            "n_positions": count_in(settings, "n_positions", 100_000),
            "n_distance_buckets": n_buckets,
            "n_used_buckets": n_buckets,
            "farthest": count_in(settings, "relative_attention_max_distance", 128, first=n_buckets // 4 + 1),
            "activation": activation,
            "form": Form(
                is_pre_norm=True,
                has_final_norm=True,
                has_embedding_norm=False,
                has_biases=False,
                has_norm_biases=False,
                has_rms_norms=True,
                divides_scores=False,
                is_gated=name.startswith("gated-"),
            ),
        }

    return fields


# Files of whole models have the table of tokens under two names, and a decoder; heads that read it stay out.
T5 = Family(
    model_type="t5",
    title="T5",
    sizes={
        "vocab_size": "vocabulary_size",
        "num_layers": "n_layers",
        "num_heads": "n_heads",
        "d_model": "width",
        "d_ff": "feed_forward_width",
    },
    choices={"layer_norm_epsilon": "norm_eps"},
    fixed={"is_decoder": False},
    fields=_fields("relu"),
    prefixes=("module.", "transformer."),
    ignored=patterns(r"^decoder\."),
    task_heads=patterns(r"^(lm_head|classification_head|classifier|qa_outputs)\."),
    renames=renames(
        (r"^(shared|encoder\.embed_tokens)\.", "embeddings.token."),
        (r"^encoder\.block\.0\.layer\.0\.SelfAttention\.relative_attention_bias\.", "relative.buckets."),
        (r"^encoder\.final_layer_norm\.", "final_norm."),
        (r"^encoder\.block\.(\d+)\.layer\.0\.layer_norm\.", r"layers.\1.attention_norm."),
        (r"^encoder\.block\.(\d+)\.layer\.1\.layer_norm\.", r"layers.\1.feed_forward_norm."),
        (r"^encoder\.block\.(\d+)\.layer\.\d\.", r"layers.\1."),
        (r"\.SelfAttention\.q\.", ".attention.query."),
        (r"\.SelfAttention\.k\.", ".attention.key."),
        (r"\.SelfAttention\.v\.", ".attention.value."),
        (r"\.SelfAttention\.o\.", ".attention.output."),
        (r"\.DenseReluDense\.(wi|wi_0)\.", ".feed_forward.expand."),
        (r"\.DenseReluDense\.wi_1\.", ".feed_forward.gate."),
        (r"\.DenseReluDense\.wo\.", ".feed_forward.contract."),
    ),
    answer_renames=(),  # these read the decoder
    defaults={"n_segments": 0, "norm_eps": 1e-6, "has_position_table": False},
    tells_texts_apart=False,
    narrows_layers=True,
    layout=numbering.T5,
    remarks=(Message("T5 has an encoder and a decoder: its encoder alone is computed and shown."),),
)

MT5 = replace(T5, model_type="mt5", title="mT5", fields=_fields("gated-gelu"))


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


def text_settings(settings: Mapping[str, object]) -> Mapping[str, object]:
    """Return the settings of the texts of a CLIP, those of transformers where it has none.

    Those in `text_config_dict`, of older files, come before those in `text_config`. Raises CheckpointError.
    """
    own, older = (_object(settings, key) for key in ("text_config", "text_config_dict"))
    stated = {**own, **_DEFAULTS, **older} if older else {**_DEFAULTS, **own}
    return stated | {"architectures": settings.get("architectures")}


def _object(settings: Mapping[str, object], key: str) -> Mapping[str, object]:
    value = settings.get(key)
    if not isinstance(value, dict | None):
        raise CheckpointError(Message("{0} in config.json must be an object.", key), AGAIN)
    return value or {}


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
    remarks=(
        Message("CLIP reads texts and images: here its texts are read, its images are not."),
        _OF_VECTOR,
    ),
)


_WIDEST = 100_000


def mobile_fields(settings: Mapping[str, object], sizes: Mapping[str, int]) -> dict[str, object]:
    """Return what differs from BERT in an EncoderConfig. Raises CheckpointError."""
    bottleneck = None
    if flag_in(settings, "use_bottleneck", otherwise=True):
        is_shared = flag_in(settings, "use_bottleneck_attention", otherwise=False)
        if not is_shared and not flag_in(settings, "key_query_shared_bottleneck", otherwise=True):
            raise CheckpointError(
                Message(
                    "In this checkpoint queries and keys are made without a bottleneck, which is not "
                    "supported."
                ),
                Message("Open one with {0} = {1}.", "key_query_shared_bottleneck", "true"),
            )
        inner = whole_in(settings, "intra_bottleneck_size", 128, _WIDEST)
        bottleneck = Bottleneck(inner, is_shared=is_shared)
    width = sizes["width"] if bottleneck is None else bottleneck.width
    if width % sizes["n_heads"]:
        message = Message("A width of {0} cannot be shared by {1} heads.", width, sizes["n_heads"])
        raise CheckpointError(message, AGAIN)
    has_neighbours = flag_in(settings, "trigram_input", otherwise=True)
    tokens = TokenProjection(whole_in(settings, "embedding_size", 128, _WIDEST), has_neighbours)
    return {
        "token_projection": tokens if tokens.has_neighbours or tokens.width != sizes["width"] else None,
        "bottleneck": bottleneck,
        "form": Form(
            has_scaling_norms=True,
            n_feed_forwards=whole_in(settings, "num_feedforward_networks", 4, MOST_FEED_FORWARDS),
        ),
    }


def without_unused_projections(
    family: Family, settings: Mapping[str, object], encoder: EncoderConfig
) -> Family:
    """Return the table of `family` without the projections that files have and the model does not use.

    Without `classifier_activation`, as in the published checkpoint, the [CLS] vector is not pooled.
    """
    kind, unused = encoder.bottleneck, []
    if not flag_in(settings, "classifier_activation", otherwise=True):
        unused.append(r"^pooler\.")
    if encoder.token_projection is None:
        unused.append(r"^embeddings\.embedding_transformation\.")
    if kind is not None and kind.is_shared:
        unused.append(r"\.bottleneck\.attention\.")
    return replace(family, ignored=(*family.ignored, *patterns(*unused)))


MOBILEBERT = replace(
    BERT,
    model_type="mobilebert",
    title="MobileBERT",
    fixed={**BERT.fixed, "normalization_type": "no_norm"},
    fields=mobile_fields,
    narrows_layers=True,
    fitted=without_unused_projections,
    defaults={"activation": "relu"},
    prefixes=("module.", "mobilebert."),
    renames=(
        *renames(
            (r"^embeddings\.embedding_transformation\.", "embeddings.token_projection.dense."),
            (r"\.bottleneck\.input\.LayerNorm\.", ".narrow.norm."),
            (r"\.bottleneck\.input\.", ".narrow."),
            (r"\.bottleneck\.attention\.LayerNorm\.", ".narrow_for_attention.norm."),
            (r"\.bottleneck\.attention\.", ".narrow_for_attention."),
            (r"\.ffn\.(\d+)\.intermediate\.dense\.", r".earlier.\1.feed_forward.expand."),
            (r"\.ffn\.(\d+)\.output\.dense\.", r".earlier.\1.feed_forward.contract."),
            (r"\.ffn\.(\d+)\.output\.LayerNorm\.", r".earlier.\1.norm."),
            (r"\.output\.bottleneck\.dense\.", ".widen."),
            (r"\.output\.bottleneck\.LayerNorm\.", ".output_norm."),
        ),
        *BERT.renames,
    ),
    head_renames=(*renames((r"^cls\.predictions\.dense\.", "masked.rest.")), *BERT.head_renames),
)


_FULL, _SPARSE = "original_full", "block_sparse"


def big_bird_fields(settings: Mapping[str, object], sizes: Mapping[str, int]) -> dict[str, object]:
    """Return `blocks` and `form` of an EncoderConfig. Raises CheckpointError."""
    kind = choice_in(settings, "attention_type", (_FULL, _SPARSE), _SPARSE)
    form = Form(scales_tokens=flag_in(settings, "rescale_embeddings", otherwise=False))
    if kind == _FULL:
        return {"form": form}
    size = whole_in(settings, "block_size", 64)
    return {"form": form, "blocks": Blocks(size, whole_in(settings, "num_random_blocks", 3))}


def with_blocks(family: Family, settings: Mapping[str, object], encoder: EncoderConfig) -> Family:
    """Return the table of `family` with a remark on its long texts."""
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
    head_renames=ROFORMER.head_renames,
    answer_renames=(),
    defaults={"activation": "gelu_new"},
)


_WITHOUT_EMBEDDING_NORM = Form(is_pre_norm=True, has_final_norm=True, has_embedding_norm=False)

ROBERTA_PRELAYERNORM = replace(
    ROBERTA,
    model_type="roberta-prelayernorm",
    title="RoBERTa-PreLayerNorm",
    prefixes=("module.", "roberta_prelayernorm."),
    renames=(
        *renames(
            (r"^LayerNorm\.", "final_norm."),
            (r"\.attention\.LayerNorm\.", ".attention_norm."),
            (r"\.intermediate\.LayerNorm\.", ".feed_forward_norm."),
        ),
        *ROBERTA.renames,
    ),
    defaults={**ROBERTA.defaults, "form": Form(is_pre_norm=True, has_final_norm=True)},
)

MEGATRON_BERT = replace(
    BERT,
    model_type="megatron-bert",
    title="Megatron-BERT",
    renames=(
        *renames(
            (r"^encoder\.ln\.", "final_norm."),
            (r"\.attention\.ln\.", ".attention_norm."),
            (r"^encoder\.layer\.(\d+)\.ln\.", r"layers.\1.feed_forward_norm."),
        ),
        *BERT.renames,
    ),
    defaults={"form": _WITHOUT_EMBEDDING_NORM},
)

XLM_ROBERTA_XL = replace(
    XLM_ROBERTA,
    model_type="xlm-roberta-xl",
    title="XLM-RoBERTa-XL",
    renames=(
        *renames(
            (r"^encoder\.LayerNorm\.", "final_norm."),
            (r"\.attention\.self_attn_layer_norm\.", ".attention_norm."),
            (r"^encoder\.layer\.(\d+)\.LayerNorm\.", r"layers.\1.feed_forward_norm."),
        ),
        *XLM_ROBERTA.renames,
    ),
    defaults={**XLM_ROBERTA.defaults, "form": _WITHOUT_EMBEDDING_NORM, "norm_eps": 1e-5},
)


def convbert_fields(settings: Mapping[str, object], sizes: Mapping[str, int]) -> dict[str, object]:
    """Return number and width of heads, and the convolution, of an EncoderConfig. Raises CheckpointError.

    Of num_attention_heads one in head_ratio is left; there are as many convolutions beside them, and each of
    both has its share of the width.
    """
    ratio, size = (
        whole_in(settings, "head_ratio", 2, 1_000),
        whole_in(settings, "conv_kernel_size", 9, 1_000),
    )
    n_heads, width = max(1, sizes["n_heads"] // ratio), sizes["width"]
    if size % 2 == 0:
        raise CheckpointError(Message("{0} in config.json must be an odd number.", "conv_kernel_size"), AGAIN)
    if width % (2 * n_heads):
        raise CheckpointError(
            Message("A width of {0} cannot be shared by {1} heads and as many convolutions.", width, n_heads),
            AGAIN,
        )
    return {
        "n_heads": n_heads,
        "own_head_width": width // n_heads // 2,
        "span_convolution": SpanConvolution(size),
    }


def in_groups(family: Family, settings: Mapping[str, object], encoder: EncoderConfig) -> Family:
    """Return the table of `family` with the groups of its feed-forward parts, and a remark on its heads."""
    remark = Message(
        "Each layer has {0} heads and as many convolutions beside them, whose results are in Steps.",
        encoder.n_heads,
    )
    n_groups = group_count(settings, "num_groups", 1, encoder)
    if n_groups == 1:
        return replace(family, remarks=(remark,))
    grouped = (Grouped(patterns(r"\.feed_forward\.(expand|contract)\.")[0], n_groups, is_by_group=True),)
    return replace(family, grouped=grouped, remarks=(remark, ON_GROUPS))


CONVBERT = replace(
    BERT,
    model_type="convbert",
    title="ConvBERT",
    sizes={**BERT.sizes, "embedding_size": "embedding_width"},
    fixed={**BERT.fixed, "position_embedding_type": "absolute"},
    fields=convbert_fields,
    fitted=in_groups,
    stated_task_heads=lambda settings: TaskHeadsConfig(
        masked_activation="gelu", classifier_activation=str(settings.get("hidden_act", "gelu"))
    ),
    narrows_layers=True,
    always_projects=False,
    prefixes=("module.", "convbert."),
    task_heads=patterns(r"^(generator_\w+|classifier|qa_outputs)\."),
    flattened=patterns(r"\.attention\.beside\.key_pointwise\."),
    renames=(
        *renames(
            (r"^embeddings_project\.", "embeddings.projection."),
            (r"\.attention\.self\.key_conv_attn_layer\.depthwise\.", ".attention.beside.key_depthwise."),
            (r"\.attention\.self\.key_conv_attn_layer\.pointwise\.", ".attention.beside.key_pointwise."),
            (r"\.attention\.self\.key_conv_attn_layer\.bias$", ".attention.beside.key_pointwise.bias"),
            (r"\.attention\.self\.conv_kernel_layer\.", ".attention.beside.kernel."),
            (r"\.attention\.self\.conv_out_layer\.", ".attention.beside.source."),
        ),
        *BERT.renames,
    ),
    head_renames=renames(
        (r"^generator_predictions\.dense\.", "masked.dense."),
        (r"^generator_predictions\.LayerNorm\.", "masked.norm."),
        (r"^generator_lm_head\.", "masked.decoder."),
        (r"^classifier\.dense\.", "classifier.dense."),
        (r"^classifier\.out_proj\.", "classifier.output."),
    ),
)


FAMILIES = (
    BERT,
    ROBERTA,
    XLM_ROBERTA,
    CAMEMBERT,
    DISTILBERT,
    ELECTRA,
    ALBERT,
    MPNET,
    DEBERTA,
    DEBERTA_V1,
    MODERNBERT,
    NOMIC_BERT,
    ERNIE,
    DATA2VEC_TEXT,
    DPR,
    SPLINTER,
    REMBERT,
    ROBERTA_PRELAYERNORM,
    MEGATRON_BERT,
    XLM_ROBERTA_XL,
    ESM,
    LONGFORMER,
    ROFORMER,
    MOBILEBERT,
    BERT_GENERATION,
    CLIP,
    CLIP_TEXT,
    BIG_BIRD,
    SQUEEZEBERT,
    LUKE,
    CONVBERT,
    XMOD,
    T5,
    MT5,
    EUROBERT,
    GTE,
    NEW,
    NEOBERT,
    JINA_V3,
)


def family_of(model_type: str) -> Family:
    """Return the table for `model_type`. Raises CheckpointError that lists the known ones."""
    for family in FAMILIES:
        if family.model_type == model_type:
            return family
    raise CheckpointError(
        Message("Checkpoints of the family “{0}” cannot be read.", shown(model_type)),
        Message("Families that can: {0}.", ", ".join(family.model_type for family in FAMILIES)),
    )
