"""A checkpoint's tokenizer, from its own files, compared with the vocabulary of the weights."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import numpy as np

from bertviz_app.checkpoint.config.config import CheckpointConfig
from bertviz_app.checkpoint.folder import CONFIG, config_in, file_in, tokenizer_in
from bertviz_app.checkpoint.tokenizer_build import build
from bertviz_app.checkpoint.tokenizer_files import AGAIN, validate_size
from bertviz_app.encoder.config import EncoderConfig
from bertviz_app.errors import InterventionError, Message, TextError, TokenizerError, shown
from bertviz_app.text import Edits, Numbering, Tokenizer, Tokens

_NOT_ITS_OWN = Message("Choose the tokenizer that the model was trained with.")
_NOT_TOGETHER = Message("The tokenizer is not that of this checkpoint; put the right one into its folder.")


def read_tokenizer(folder: Path, checkpoint: CheckpointConfig, config_file: Path | None = None) -> Tokenizer:
    """Return the tokenizer in `folder`, of the class that its files name. Raises TokenizerError.

    `config_file` is the model's config.json, for a folder that has none.
    """
    config = checkpoint.encoder
    tells_apart = checkpoint.family.tells_texts_apart or config.n_segments > 1
    numbering = Numbering(config.first_position, config.n_segments > 0, tells_apart, config.first_segment)
    validate_size(tokenizer_in(folder))
    named_by = file_in(folder, CONFIG) or config_file or config_in(folder)
    tokenizer = Tokenizer(build(folder, checkpoint, named_by), config.max_tokens, numbering)
    _validate_vocabulary(tokenizer, config)
    # The ids of special tokens show only in an encoding.
    with suppress(TextError):
        validate_tokens(tokenizer.encode("A"), config)
    return tokenizer


def validate_tokens(tokens: Tokens, config: EncoderConfig) -> None:
    """Raise TokenizerError, or TextError for sentence 2, if one of `tokens` has no embedding."""
    wrong = (tokens.ids < 0) | (tokens.ids >= config.vocabulary_size)
    if wrong.any():
        position = int(wrong.argmax())
        raise _beyond(tokens.pieces[position], int(tokens.ids[position]), config.vocabulary_size)
    if len(tokens) > config.max_tokens:
        message = Message(
            "This checkpoint reads {0} tokens at most; the special ones alone are more.", config.max_tokens
        )
        raise TokenizerError(message, _NOT_TOGETHER)
    highest = int(tokens.segment_ids.max())
    if highest < max(1, config.n_segments):  # without segments all tokens have the id 0
        return
    if tokens.pair is not None and config.n_segments == 1:
        message = Message("This checkpoint reads one text at a time: it knows a single segment.")
        raise TextError(message, Message("Leave sentence 2 empty."), "pair")
    message = Message(
        "The tokenizer gives the segment {0}, but this checkpoint knows {1}.", highest, config.n_segments
    )
    raise TokenizerError(message, _NOT_TOGETHER)


def validate_token_edits(edits: Edits, config: EncoderConfig) -> None:
    """Raise InterventionError for a segment or a position ID that the encoder has no embedding for."""
    has_positions = config.has_position_table or config.form.has_sinusoids
    for one in edits.tokens:
        value = one.value
        if one.kind == "segment" and config.n_segments < 2:
            message = Message("This checkpoint has no other segment that token {0} could have.", one.token)
            raise InterventionError(message, Message("Open one that reads pairs, such as BERT."))
        if one.kind == "position" and not has_positions:
            message = Message(
                "This checkpoint has no position embeddings: a token has distances to others, and no "
                "position of its own."
            )
            raise InterventionError(message, Message("Open one with position embeddings, such as BERT."))
        if one.kind == "segment" and isinstance(value, int) and value >= config.n_segments:
            message = Message(
                "There is no segment {0}: this checkpoint has 0 to {1}.", value, config.n_segments - 1
            )
            raise InterventionError(message, Message("Segments count from 0."))
        if one.kind == "position" and isinstance(value, int) and value >= config.n_positions:
            message = Message(
                "There is no position {0}: this checkpoint has 0 to {1}.", value, config.n_positions - 1
            )
            raise InterventionError(message, Message("Positions count from 0."))


def _validate_vocabulary(tokenizer: Tokenizer, config: EncoderConfig) -> None:
    try:
        piece, number = tokenizer.highest_id()
    except ValueError as error:
        raise TokenizerError(Message("The tokenizer has no pieces at all."), AGAIN) from error
    if number >= config.vocabulary_size:
        raise _beyond(piece, number, config.vocabulary_size)


def validate_chosen(tokenizer: Tokenizer, settings: Mapping[str, object]) -> None:
    """Raise TokenizerError if the special tokens of a tokenizer that the user chose are not the model's.

    `settings` are those of the model's config.json, which names the ids of some.
    """
    named = {"pad_token_id": tokenizer.padding, "mask_token_id": tokenizer.mask}
    try:
        tokens = tokenizer.encode("A")
        special = np.flatnonzero(tokens.is_special)
        if len(special) and special[0] == 0:
            named["cls_token_id"] = tokens.pieces[0], int(tokens.ids[0])
        if len(special) and special[-1] > 0:
            named["sep_token_id"] = tokens.pieces[special[-1]], int(tokens.ids[special[-1]])
    except TextError:
        pass
    for key, found in named.items():
        stated = settings.get(key)
        if isinstance(stated, int) and found is not None and found[1] != stated:
            message = Message(
                "The chosen tokenizer numbers “{0}” {1}, but config.json says {2} = {3}.",
                shown(found[0]),
                found[1],
                key,
                stated,
            )
            raise TokenizerError(message, _NOT_ITS_OWN)


def chosen_remarks(folder: Path, tokenizer: Tokenizer, config: EncoderConfig) -> tuple[Message, ...]:
    """Return remarks on a tokenizer that the user chose: where it is from, and what it leaves unused."""
    found = [Message("The tokenizer is not the checkpoint's: it was chosen, from {0}.", folder)]
    n_ids = tokenizer.highest_id()[1] + 1
    if n_ids < config.vocabulary_size:
        found.append(
            Message(
                "It has {0} pieces, the model's table {1}: if it is another tokenizer than the model was "
                "trained with, every number is wrong.",
                f"{n_ids:,}",
                f"{config.vocabulary_size:,}",
            )
        )
    return tuple(found)


def _beyond(piece: str, number: int, size: int) -> TokenizerError:
    message = Message(
        "The tokenizer numbers “{0}” {1}, but the weights have ids 0 to {2}.", shown(piece), number, size - 1
    )
    return TokenizerError(message, _NOT_TOGETHER)
