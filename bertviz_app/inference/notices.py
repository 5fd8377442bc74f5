"""`notices`: sentences about one encoded text that the user should read."""

from __future__ import annotations

from collections.abc import Iterable

from bertviz_app.checkpoint.questions import ModelFacts
from bertviz_app.errors import Message
from bertviz_app.inference.devices import Device
from bertviz_app.text import Tokens


def notices(tokens: Tokens, facts: ModelFacts, max_tokens: int) -> tuple[str, ...]:
    """Return notices of what is left out, unknown or dropped, and of positions that were hardly trained."""
    return (
        *notices_of_left_out(tokens, max_tokens),
        *_unknown(tokens),
        *notices_of_dropped(tokens),
        *_hardly_trained(tokens, facts),
    )


def notices_of_dropped(tokens: Tokens) -> tuple[str, ...]:
    """Return a notice of characters that the tokenizer drops, which cannot be seen in the text."""
    if not tokens.dropped:
        return ()
    if len(tokens.dropped) == 1:
        return (
            Message(
                "1 invisible character was dropped, as this model's tokenizer does: {0}.",
                tokens.dropped_names,
            ),
        )
    return (
        Message(
            "{0} invisible characters were dropped, as this model's tokenizer does: {1}.",
            f"{len(tokens.dropped):,}",
            tokens.dropped_names,
        ),
    )


def notices_of_references(references: Iterable[Tokens]) -> tuple[str, ...]:
    """Return notices of texts, over which means of heads are taken, that are too long for the model."""
    return tuple(
        Message(
            "The reference text is too long for this model: means are taken over its first {0} tokens.",
            f"{len(tokens):,}",
        )
        for tokens in references
        if tokens.n_left_out
    )


def notices_of_dtype(device: Device) -> tuple[str, ...]:
    """Return a notice if a device computed in another type of numbers than float32."""
    if device.dtype == "float32":
        return ()
    return (Message("Analyses, Steps and predictions compute in float32."),)


def notices_of_left_out(tokens: Tokens, max_tokens: int) -> tuple[str, ...]:
    """Return a notice of tokens that the model has no room for."""
    most = f"{max_tokens:,}"
    if tokens.n_left_out == 1:
        return (Message("1 token was left out: this model reads at most {0}.", most),)
    if tokens.n_left_out:
        left_out = f"{tokens.n_left_out:,}"
        return (Message("{0} tokens were left out: this model reads at most {1}.", left_out, most),)
    return ()


def _unknown(tokens: Tokens) -> tuple[str, ...]:
    n_unknown, n_words = tokens.n_unknown_words, tokens.n_words
    if not n_unknown:
        return ()
    piece = next(
        label for label, is_unknown in zip(tokens.labels, tokens.is_unknown, strict=True) if is_unknown
    )
    if n_unknown == 1:
        return (Message("1 of {0} words is unknown to this model, which reads {1} instead.", n_words, piece),)
    return (
        Message(
            "{0} of {1} words are unknown to this model, which reads {2} instead.", n_unknown, n_words, piece
        ),
    )


def _hardly_trained(tokens: Tokens, facts: ModelFacts) -> tuple[str, ...]:
    most = facts.n_trained_positions
    if most is None or len(tokens) <= most:
        return ()
    return (Message("Positions from {0} on were hardly trained: attention there is unreliable.", most),)
