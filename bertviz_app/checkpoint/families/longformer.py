"""Longformer: RoBERTa, whose tokens attend to a window, for some tasks a few to all (arXiv:2004.05150)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeGuard

from bertviz_app.checkpoint.families.family import Family, patterns, renames
from bertviz_app.checkpoint.families.roberta import ROBERTA
from bertviz_app.encoder.config import EncoderConfig, GlobalTokens
from bertviz_app.errors import CheckpointError, Message
from bertviz_app.trace.form import Form

_AGAIN = Message("Fetch config.json again; it comes with the checkpoint.")
_WIDEST = 1_000_000
_LARGEST_ID = 2**31 - 1
"""No vocabulary has as many ids, and torch compares ids up to it."""
_OF_GLOBAL_TOKENS = patterns(r"\.attention\.self\.(query|key|value)_global\.")


def longformer_fields(settings: Mapping[str, object], sizes: Mapping[str, int]) -> dict[str, object]:
    """Return `reaches` and `global_tokens` of an EncoderConfig. Raises CheckpointError."""
    windows = settings.get("attention_window", 512)
    windows = windows if isinstance(windows, list) else [windows] * sizes["n_layers"]
    reaches = [window // 2 for window in windows if _is_window(window)]
    if not len(windows) == len(reaches) == sizes["n_layers"]:
        message = Message(
            "attention_window in config.json must be one even number from 2 on, or a list of {0} of them.",
            sizes["n_layers"],
        )
        raise CheckpointError(message, _AGAIN)
    chosen = _global_tokens(settings)
    form = Form(has_global_tokens=chosen is not None)
    return {"reaches": tuple(reaches), "global_tokens": chosen, "form": form}


def _global_tokens(settings: Mapping[str, object]) -> GlobalTokens | None:
    """Return which tokens attend to all others by the task: as `transformers` where the caller names none.

    A classifier of texts has the first token, a model that finds answers those of the question, one for
    multiple choice those of the second text. Raises CheckpointError.
    """
    made_for = settings.get("architectures")
    names = [str(name) for name in made_for] if isinstance(made_for, list) else []
    tasks = {name.rpartition("For")[2] for name in names}
    if "SequenceClassification" in tasks:
        return GlobalTokens()
    if not tasks & {"QuestionAnswering", "MultipleChoice"}:
        return None
    separator = settings.get("sep_token_id", 2)
    if isinstance(separator, bool) or not isinstance(separator, int) or not 0 <= separator <= _LARGEST_ID:
        raise CheckpointError(Message("sep_token_id in config.json must be the id of a token."), _AGAIN)
    return GlobalTokens(until=separator, is_rest="MultipleChoice" in tasks)


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


def _is_window(value: object) -> TypeGuard[int]:
    if isinstance(value, bool) or not isinstance(value, int):
        return False
    return 2 <= value <= _WIDEST and value % 2 == 0


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
