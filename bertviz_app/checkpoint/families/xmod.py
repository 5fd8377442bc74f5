"""X-MOD: XLM-RoBERTa, with an adapter for each language in each layer (arXiv:2205.06266)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from bertviz_app.checkpoint.families.family import Family, patterns, renames
from bertviz_app.checkpoint.families.roberta import XLM_ROBERTA
from bertviz_app.encoder.config import EncoderConfig, LanguageAdapter
from bertviz_app.errors import CheckpointError, Message, shown
from bertviz_app.trace.form import Form

_AGAIN = Message("Fetch config.json again; it comes with the checkpoint.")
_MOST_LANGUAGES = 10_000


def xmod_fields(settings: Mapping[str, object], sizes: Mapping[str, int]) -> dict[str, object]:
    """Return the adapter and the form of an EncoderConfig. Raises CheckpointError."""
    factor, width = settings.get("adapter_reduction_factor", 2), sizes["width"]
    if isinstance(factor, bool) or not isinstance(factor, int) or not 1 <= factor <= width:
        message = Message(
            "{0} in config.json must be a whole number from 1 to {1}.", "adapter_reduction_factor", width
        )
        raise CheckpointError(message, _AGAIN)
    has_own_norm = _claim(settings, "adapter_layer_norm", otherwise=False)
    has_norm = has_own_norm or _claim(settings, "adapter_reuse_layer_norm")
    is_pre_norm = _claim(settings, "pre_norm", otherwise=False)
    adds_normed = _claim(settings, "ln_before_adapter") and has_norm
    form = Form(
        is_pre_norm=is_pre_norm,
        has_final_norm=is_pre_norm,
        has_adapter=True,
        norms_before_adapter=has_norm,
        adds_normed_to_adapter=adds_normed,
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
    if not isinstance(languages, list) or not 1 <= len(languages) <= _MOST_LANGUAGES:
        raise CheckpointError(Message("{0} in config.json must be a list of names.", "languages"), _AGAIN)
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


def _claim(settings: Mapping[str, object], key: str, *, otherwise: bool = True) -> bool:
    value = settings.get(key, otherwise)
    if not isinstance(value, bool):
        raise CheckpointError(Message("{0} in config.json must be true or false.", key), _AGAIN)
    return value


XMOD = replace(
    XLM_ROBERTA,
    model_type="xmod",
    title="X-MOD",
    fixed={**XLM_ROBERTA.fixed, "position_embedding_type": "absolute"},
    fields=xmod_fields,
    fitted=with_language,
    renames=(
        *renames(
            (r"^encoder\.LayerNorm\.", "final_norm."),
            (r"\.output\.adapter_layer_norm\.", ".adapter.norm."),
        ),
        *XLM_ROBERTA.renames,
    ),
)
