"""RoBERTa and its relatives: Longformer, LUKE, X-MOD; and ESM and DeBERTa."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from bertviz_app.checkpoint.families.bert import BERT, ROTATIONS, V3, V3_SPLITS, validate_embeddings
from bertviz_app.checkpoint.families.family import (
    AGAIN,
    Family,
    base_in,
    choice_in,
    flag_in,
    patterns,
    renames,
    same_rotations,
    string_in,
    unknown_choice,
    unscaled_rotations,
    whole_in,
)
from bertviz_app.encoder.config import (
    Convolution,
    Disentangling,
    EncoderConfig,
    GlobalTokens,
    LanguageAdapter,
    TaskHeadsConfig,
)
from bertviz_app.errors import CheckpointError, Message, shown
from bertviz_app.text import numbering
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
    layout=numbering.FAIRSEQ,
)
XLM_ROBERTA = replace(ROBERTA, model_type="xlm-roberta", title="XLM-RoBERTa")
CAMEMBERT = replace(
    ROBERTA,
    model_type="camembert",
    title="CamemBERT",
    prefixes=("module.", "camembert.", "roberta."),
    layout=numbering.CAMEMBERT,
)

DATA2VEC_TEXT = replace(
    ROBERTA,
    model_type="data2vec-text",
    title="data2vec-text",
    prefixes=("module.", "data2vec_text.", "roberta."),
)


# As `transformers` saves it; the authors' files have the `model_type` of XLM-RoBERTa.
JINA_V3 = replace(
    XLM_ROBERTA,
    model_type="jina_embeddings_v3",
    title="Jina Embeddings v3",
    choices=BERT.choices,
    fields=lambda settings, sizes: unscaled_rotations(settings, sizes["n_layers"], 20_000.0),
    fitted=None,
    ignored=(*XLM_ROBERTA.ignored, *ROTATIONS),
    renames=(*V3, *XLM_ROBERTA.renames),
    splits=V3_SPLITS,
    head_renames=(
        *XLM_ROBERTA.head_renames,
        *renames((r"^classifier\.(weight|bias)$", r"classifier.output.\1")),
    ),
    is_exact=True,
    defaults={"norm_eps": 1e-5, "has_position_table": False},
)


_OF_ENTITIES = Message(
    "LUKE reads entities beside words: here words are read alone, as transformers reads them."
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
    remarks=(
        _OF_ENTITIES,
        Message(
            "Not used with words alone: the tables of entities, and the queries w2e_query, e2w_query and "
            "e2e_query."
        ),
    ),
)


def xmod_fields(settings: Mapping[str, object], sizes: Mapping[str, int]) -> dict[str, object]:
    """Return the adapter and the form of an EncoderConfig. Raises CheckpointError."""
    width = sizes["width"]
    factor = whole_in(settings, "adapter_reduction_factor", 2, width)
    has_own_norm = flag_in(settings, "adapter_layer_norm", otherwise=False)
    has_norm = has_own_norm or flag_in(settings, "adapter_reuse_layer_norm", otherwise=True)
    is_pre_norm = flag_in(settings, "pre_norm", otherwise=False)
    form = Form(
        is_pre_norm=is_pre_norm,
        has_final_norm=is_pre_norm,
        norms_before_adapter=has_norm,
        adds_normed_to_adapter=flag_in(settings, "ln_before_adapter", otherwise=True) and has_norm,
    )
    return {"form": form, "adapter": LanguageAdapter(width // factor, has_own_norm=has_own_norm)}


def with_language(family: Family, settings: Mapping[str, object], encoder: EncoderConfig) -> Family:
    """Return the table of `family` with the adapters of the language in which texts are read.

    Raises CheckpointError where config.json leaves open which one that is.
    """
    language, languages = _language(settings)
    own = rf"\.output\.adapter_modules\.{re.escape(language)}\."
    others = patterns(rf"\.output\.adapter_modules\.(?!{re.escape(language)}\.)")
    remark = Message(
        "Texts are read by the adapters of {0}, of {1} languages: another “default_language” in config.json "
        "chooses others.",
        shown(language),
        len(languages),
    )
    return replace(
        family,
        ignored=(*family.ignored, *(others if len(languages) > 1 else ())),
        renames=(
            *renames((own + r"dense1\.", ".adapter.down."), (own + r"dense2\.", ".adapter.up.")),
            *family.renames,
        ),
        remarks=(remark,),
    )


def _language(settings: Mapping[str, object]) -> tuple[str, list[str]]:
    """Return the language that config.json chooses, and all that there are."""
    languages = settings.get("languages", ["en_XX"])
    if not isinstance(languages, list) or not 1 <= len(languages) <= 10_000:
        raise CheckpointError(Message("{0} in config.json must be a list of names.", "languages"), AGAIN)
    names = [str(language) for language in languages]
    chosen = settings.get("default_language")
    if chosen is None and len(names) == 1:
        return names[0], names
    if chosen in names:
        return str(chosen), names
    known = ", ".join(shown(name) for name in names[:100])
    hint = Message(
        "Let “default_language” in a copy of config.json be the language of your texts: {0}.", known
    )
    if chosen is None:
        raise CheckpointError(
            Message(
                "This checkpoint has adapters for {0} languages, and does not say which to use.", len(names)
            ),
            hint,
        )
    message = Message("This checkpoint has no adapters for the language “{0}”.", shown(str(chosen)))
    raise CheckpointError(message, hint)


XMOD = replace(
    XLM_ROBERTA,
    model_type="xmod",
    title="X-MOD",
    fixed={**XLM_ROBERTA.fixed, "position_embedding_type": "absolute"},
    fields=xmod_fields,
    fitted=with_language,
    renames=(
        *renames(
            (r"^encoder\.LayerNorm\.", "final_norm."), (r"\.output\.adapter_layer_norm\.", ".adapter.norm.")
        ),
        *XLM_ROBERTA.renames,
    ),
)


_WIDEST = 1_000_000
_OF_GLOBAL_TOKENS = patterns(r"\.attention\.self\.(query|key|value)_global\.")


def longformer_fields(settings: Mapping[str, object], sizes: Mapping[str, int]) -> dict[str, object]:
    """Return `reaches` and `global_tokens` of an EncoderConfig. Raises CheckpointError."""
    windows = settings.get("attention_window", 512)
    windows = windows if isinstance(windows, list) else [windows] * sizes["n_layers"]
    reaches = [one // 2 for one in windows if type(one) is int and 2 <= one <= _WIDEST and one % 2 == 0]
    if not len(windows) == len(reaches) == sizes["n_layers"]:
        message = Message(
            "attention_window in config.json must be one even number from 2 on, or a list of {0} of them.",
            sizes["n_layers"],
        )
        raise CheckpointError(message, AGAIN)
    made_for = settings.get("architectures")
    tasks = {str(name).rpartition("For")[2] for name in (made_for if isinstance(made_for, list) else ())}
    # As in transformers where the caller names none: a classifier of texts has the first token, a model that
    # finds answers those of the question, one for multiple choice those of the second text.
    global_tokens = GlobalTokens() if "SequenceClassification" in tasks else None
    if global_tokens is None and tasks & {"QuestionAnswering", "MultipleChoice"}:
        separator = settings.get("sep_token_id", 2)
        # Torch compares ids up to 2^31, and no vocabulary has as many.
        if isinstance(separator, bool) or not isinstance(separator, int) or not 0 <= separator < 2**31:
            raise CheckpointError(Message("sep_token_id in config.json must be the id of a token."), AGAIN)
        global_tokens = GlobalTokens(until=separator, is_rest="MultipleChoice" in tasks)
    return {"reaches": tuple(reaches), "global_tokens": global_tokens}


def with_global_tokens(family: Family, settings: Mapping[str, object], encoder: EncoderConfig) -> Family:
    """Return the table of `family` with what becomes of the weights of global attention."""
    kind = encoder.global_tokens
    if kind is None:
        remark = Message(
            "No token has global attention, as in transformers where none is given; its weights are not used."
        )
        return replace(family, ignored=(*family.ignored, *_OF_GLOBAL_TOKENS), remarks=(remark,))
    if kind.until is None:
        remark = Message("The first token has global attention, as in transformers where none is given.")
    elif kind.is_rest:
        remark = Message(
            "The tokens of the second text have global attention, as in transformers where none is given."
        )
    else:
        remark = Message(
            "The tokens of the question have global attention, as in transformers where none is given."
        )
    own = Message("In Steps g marks the queries, keys and values that global tokens have of their own.")
    return replace(family, remarks=(remark, own))


LONGFORMER = replace(
    ROBERTA,
    model_type="longformer",
    title="Longformer",
    fields=longformer_fields,
    fitted=with_global_tokens,
    fixed={**ROBERTA.fixed, "position_embedding_type": "absolute"},
    prefixes=("module.", "longformer."),
    renames=(
        *renames((r"\.attention\.self\.(query|key|value)_global\.", r".attention.everywhere.\1.")),
        *ROBERTA.renames,
    ),
)


def esm_fields(settings: Mapping[str, object], sizes: Mapping[str, int]) -> dict[str, object]:
    """Return the fields of an EncoderConfig about positions, masked tokens and norms. Raises CheckpointError.

    hidden_act is not read, as in ESM's own code and in `transformers`: the activation is always GELU.
    """
    kind = choice_in(settings, "position_embedding_type", ("absolute", "rotary"), "absolute")
    for key in ("token_dropout", "emb_layer_norm_before"):
        if not isinstance(settings.get(key), bool | None):
            raise CheckpointError(Message("{0} in config.json must be true or false.", key), AGAIN)
    has_norm = settings.get("emb_layer_norm_before") is True
    fields: dict[str, object] = {
        "form": Form(is_pre_norm=True, has_final_norm=True, has_embedding_norm=has_norm),
        "zeroed_id": _piece(settings, "mask_token_id") if settings.get("token_dropout") else None,
    }
    if kind != "rotary":
        return fields | {"first_position": _piece(settings, "pad_token_id") + 1}
    rotations = same_rotations(base_in(settings, "rope_theta", 10_000.0), sizes["n_layers"])
    return fields | rotations | {"has_position_table": False}


def _piece(settings: Mapping[str, object], key: str) -> int:
    value = settings.get(key)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 1_000_000:
        raise CheckpointError(
            Message("{0} in config.json must be the id of a piece, not {1}.", key, shown(str(value))), AGAIN
        )
    return value


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


_TO_POSITION, _TO_CONTENT = "c2p", "p2c"


def disentangling(settings: Mapping[str, object], sizes: Mapping[str, int]) -> dict[str, object]:
    """Return the fields of an EncoderConfig about positions, for a file with these `sizes`.

    What the file leaves out is as `transformers` has it. Raises CheckpointError for what makes no sense,
    and for what the encoder does not compute.
    """
    fields: dict[str, object] = validate_embeddings(settings, sizes) | {
        "n_segments": max(0, whole_in(settings, "type_vocab_size", 0, 10_000, first=-1)),
        "has_position_table": flag_in(settings, "position_biased_input", otherwise=True),
    }
    names = _names(settings, "pos_att_type")
    if unknown := [name for name in names if name not in (_TO_POSITION, _TO_CONTENT)]:
        raise unknown_choice("pos_att_type", unknown[0], (_TO_POSITION, _TO_CONTENT))
    if names and not flag_in(settings, "relative_attention", otherwise=False):
        # transformers would divide the scores as if they had these terms.
        raise CheckpointError(
            Message("This checkpoint has a pos_att_type without relative_attention, which is not supported."),
            Message("Open one with relative_attention = true."),
        )
    fields |= {"disentangling": _kind(settings, sizes, names)} if names else {}
    size = whole_in(settings, "conv_kernel_size", 0, 1_000, first=-1)
    if size < 1:
        return fields
    n_groups = whole_in(settings, "conv_groups", 1, sizes["width"], first=-1)
    if size % 2 == 0 or n_groups < 1 or sizes["width"] % n_groups:
        message = Message(
            "A convolution of conv_kernel_size {0} and conv_groups {1} cannot be computed.", size, n_groups
        )
        raise CheckpointError(message, AGAIN)
    return fields | {"convolution": Convolution(size, n_groups, string_in(settings, "conv_act", "tanh"))}


def disentangling_v1(settings: Mapping[str, object], sizes: Mapping[str, int]) -> dict[str, object]:
    """Return those of version 1: no buckets, no convolution; distances have dense layers of their own."""
    fixed = {"position_buckets": -1, "share_att_key": False, "norm_rel_ebd": "none", "conv_kernel_size": 0}
    return disentangling({**settings, **fixed}, sizes)


def without_unused_distances(
    family: Family, settings: Mapping[str, object], encoder: EncoderConfig
) -> Family:
    """Return the table of `family`: its table of distances is stored even where no score uses it."""
    if encoder.disentangling is not None:
        return family
    return replace(family, ignored=(*family.ignored, *patterns(r"^encoder\.(rel_embeddings|LayerNorm)\.")))


def _kind(settings: Mapping[str, object], sizes: Mapping[str, int], names: list[str]) -> Disentangling:
    farthest = whole_in(settings, "max_relative_positions", -1, first=-1)
    farthest = farthest if farthest > 0 else sizes["n_positions"]
    n_buckets = whole_in(settings, "position_buckets", -1, first=-1)
    # Half of the buckets hold one distance each; the logarithmic ones begin there and need room.
    if n_buckets == 1 or (n_buckets > 1 and farthest - 1 <= n_buckets // 2):
        message = Message(
            "position_buckets in config.json is {0}, which does not fit {1} distances.", n_buckets, farthest
        )
        raise CheckpointError(message, AGAIN)
    return Disentangling(
        span=n_buckets if n_buckets > 0 else farthest,
        farthest=farthest if n_buckets > 0 else None,
        to_position=_TO_POSITION in names,
        to_content=_TO_CONTENT in names,
        shares_projections=flag_in(settings, "share_att_key", otherwise=False),
        has_norm="layer_norm" in _names(settings, "norm_rel_ebd"),
    )


def _names(settings: Mapping[str, object], key: str) -> list[str]:
    """Return a list of names, which may also be written as one string separated by bars."""
    value = settings.get(key)
    names = [] if value is None else value.lower().split("|") if isinstance(value, str) else value
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise CheckpointError(Message("{0} in config.json must be a list of names.", key), AGAIN)
    return [name.strip() for name in names if name.strip()]


# Version 3 keeps the name of version 2.
DEBERTA = Family(
    model_type="deberta-v2",
    title="DeBERTa",
    sizes={key: field for key, field in BERT.sizes.items() if field != "n_segments"},
    choices=BERT.choices,
    fixed={"is_decoder": False, "add_cross_attention": False},
    fields=disentangling,
    fitted=without_unused_distances,
    # The classifier has a dense layer of its own on top of [CLS].
    stated_task_heads=lambda settings: TaskHeadsConfig(
        masked_activation=string_in(settings, "hidden_act", "gelu"),
        classifier_activation=string_in(settings, "pooler_hidden_act", "gelu"),
    ),
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
    layout=numbering.DEBERTA,
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
    layout=numbering.PLAIN,
)
