"""Longformer without global tokens: RoBERTa, in which each token attends to a window (arXiv:2004.05150)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeGuard

from bertviz_app.checkpoint.families.family import patterns
from bertviz_app.checkpoint.families.roberta import ROBERTA
from bertviz_app.errors import CheckpointError, Message

_AGAIN = Message("Fetch config.json again; it comes with the checkpoint.")
_WIDEST = 1_000_000
_WITH_GLOBAL_TOKENS = ("SequenceClassification", "QuestionAnswering", "MultipleChoice")


def longformer_fields(settings: Mapping[str, object], sizes: Mapping[str, int]) -> dict[str, object]:
    """Return `reaches` of an EncoderConfig. Raises CheckpointError.

    Models for some tasks let some tokens attend to all others, by weights of their own; these are refused.
    """
    made_for = settings.get("architectures")
    names = [str(name) for name in made_for] if isinstance(made_for, list) else []
    if any(name.endswith(f"For{task}") for name in names for task in _WITH_GLOBAL_TOKENS):
        raise CheckpointError(
            Message("This checkpoint's task needs global attention, which the encoder does not compute."),
            Message("Open one of a language model, or of the encoder alone."),
        )
    windows = settings.get("attention_window", 512)
    windows = windows if isinstance(windows, list) else [windows] * sizes["n_layers"]
    reaches = [window // 2 for window in windows if _is_window(window)]
    if not len(windows) == len(reaches) == sizes["n_layers"]:
        message = Message(
            "attention_window in config.json must be one even number from 2 on, or a list of {0} of them.",
            sizes["n_layers"],
        )
        raise CheckpointError(message, _AGAIN)
    return {"reaches": tuple(reaches)}


def _is_window(value: object) -> TypeGuard[int]:
    if isinstance(value, bool) or not isinstance(value, int):
        return False
    return 2 <= value <= _WIDEST and value % 2 == 0


LONGFORMER = replace(
    ROBERTA,
    model_type="longformer",
    title="Longformer",
    fields=longformer_fields,
    fitted=None,
    fixed={**ROBERTA.fixed, "position_embedding_type": "absolute"},
    prefixes=("module.", "longformer."),
    # Of global tokens, of which there are none.
    ignored=(*ROBERTA.ignored, *patterns(r"\.attention\.self\.(query|key|value)_global\.")),
    remarks=(
        Message(
            "No token has global attention, as in transformers where none is given; its weights are not used."
        ),
    ),
)
