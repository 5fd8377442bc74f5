"""A checkpoint's tokenizer, from its own files, compared with the vocabulary of the weights."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from bertviz_app.checkpoint.config.config import CheckpointConfig, read_object
from bertviz_app.checkpoint.folder import (
    BYTE_LEVEL,
    MERGES,
    SENTENCE_PIECES_ENDING,
    TOKENIZER_CONFIG,
    VOCABULARY,
    config_in,
    file_in,
    tokenizer_in,
)
from bertviz_app.checkpoint.message_text import shown
from bertviz_app.checkpoint.other_formats import refuse_pointer
from bertviz_app.checkpoint.tokenizer_class import validate_class
from bertviz_app.encoder.config import EncoderConfig
from bertviz_app.errors import Message, TextError, TokenizerError
from bertviz_app.text import Numbering, Tokenizer, Tokens

MAX_BYTES = 256 << 20
_AGAIN = Message("Fetch the tokenizer's files again; they come with the checkpoint.")
_NOT_TOGETHER = Message("The tokenizer is not that of this checkpoint; put the right one into its folder.")


def read_tokenizer(folder: Path, checkpoint: CheckpointConfig) -> Tokenizer:
    """Return the tokenizer in `folder`, from tokenizer.json, else from older files.

    These are a SentencePiece model, vocab.txt, or vocab.json with merges.txt. Raises TokenizerError.
    """
    config = checkpoint.encoder
    numbering = Numbering(
        config.first_position,
        config.n_segments > 0,
        checkpoint.family.tells_texts_apart,
        config.first_segment,
    )
    path = tokenizer_in(folder)
    refuse_pointer(path)
    if path.stat().st_size > MAX_BYTES:
        raise TokenizerError(Message("{0} is far too large for what it should be.", path.name), _AGAIN)
    validate_class(path.name, _settings(folder), read_object(config_in(folder)))
    if path.name == VOCABULARY:
        tokenizer = _from_vocabulary(path, folder, checkpoint, numbering)
    elif path.suffix == SENTENCE_PIECES_ENDING:
        tokenizer = _from_sentence_pieces(path, folder, checkpoint, numbering)
    elif path.name == BYTE_LEVEL:
        tokenizer = _from_merges(path, folder, config.max_tokens, numbering)
    else:
        tokenizer = Tokenizer.from_json(path, config.max_tokens, numbering)
    _validate_vocabulary(tokenizer, config)
    # The ids of special tokens show only in an encoding.
    with suppress(TextError):
        validate_tokens(tokenizer.encode("A"), config)
    return tokenizer


def validate_tokens(tokens: Tokens, config: EncoderConfig) -> None:
    """Raise TokenizerError, or TextError for text B, if one of `tokens` has no embedding in the encoder."""
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
        raise TextError(message, Message("Leave text B empty."), "pair")
    message = Message(
        "The tokenizer gives the segment {0}, but this checkpoint knows {1}.", highest, config.n_segments
    )
    raise TokenizerError(message, _NOT_TOGETHER)


def _validate_vocabulary(tokenizer: Tokenizer, config: EncoderConfig) -> None:
    try:
        piece, number = tokenizer.highest_id()
    except ValueError as error:
        raise TokenizerError(Message("The tokenizer has no pieces at all."), _AGAIN) from error
    if number >= config.vocabulary_size:
        raise _beyond(piece, number, config.vocabulary_size)


def _beyond(piece: str, number: int, size: int) -> TokenizerError:
    message = Message(
        "The tokenizer numbers “{0}” {1}, but the weights have ids 0 to {2}.", shown(piece), number, size - 1
    )
    return TokenizerError(message, _NOT_TOGETHER)


def _from_sentence_pieces(
    path: Path, folder: Path, checkpoint: CheckpointConfig, numbering: Numbering
) -> Tokenizer:
    layout, settings = checkpoint.family.layout, _settings(folder)
    layout = replace(
        layout,
        lower_case=_flag(settings, "do_lower_case", layout.lower_case) is True,
        drops_accents=_flag(settings, "keep_accents", not layout.drops_accents) is False,
    )
    tokenizer = Tokenizer.from_sentence_pieces(path, checkpoint.encoder.max_tokens, numbering, layout)
    _validate_numbers(tokenizer, path, folder)
    return tokenizer


def _validate_numbers(tokenizer: Tokenizer, path: Path, folder: Path) -> None:
    """Raise TokenizerError if a vocab.txt beside a SentencePiece model numbers its pieces in another way.

    Such a folder is KoBERT's: its model was trained with the ids of vocab.txt.
    """
    vocabulary = file_in(folder, VOCABULARY)
    if vocabulary is None:
        return
    for number, piece in enumerate(vocabulary.read_text(encoding="utf-8", errors="replace").splitlines()):
        if tokenizer.number(piece) not in (None, number):
            message = Message(
                "{0} and {1} number the piece “{2}” differently.", VOCABULARY, path.name, shown(piece)
            )
            hint = Message(
                "Remove the file that the checkpoint was not trained with, or save a tokenizer.json."
            )
            raise TokenizerError(message, hint)


def _from_vocabulary(
    path: Path, folder: Path, checkpoint: CheckpointConfig, numbering: Numbering
) -> Tokenizer:
    settings = _settings(folder)
    return Tokenizer.from_vocabulary(
        path,
        checkpoint.encoder.max_tokens,
        numbering,
        lower_case=_flag(settings, "do_lower_case", checkpoint.lower_case) is not False,
        strip_accents=_flag(settings, "strip_accents", None),
        split_chinese=_flag(settings, "tokenize_chinese_chars", True) is not False,
    )


def _from_merges(path: Path, folder: Path, max_tokens: int, numbering: Numbering) -> Tokenizer:
    merges = file_in(folder, MERGES)
    if merges is None:
        raise TokenizerError(Message("{0} has {1} without {2}.", folder, path.name, MERGES), _AGAIN)
    if merges.stat().st_size > MAX_BYTES:
        raise TokenizerError(Message("{0} is far too large for what it should be.", MERGES), _AGAIN)
    spaced = _flag(_settings(folder), "add_prefix_space", False) is True
    return Tokenizer.from_merges(path, merges, max_tokens, numbering, adds_space=spaced)


def _settings(folder: Path) -> Mapping[str, object]:
    """Return the contents of tokenizer_config.json, empty if there is none."""
    rules = file_in(folder, TOKENIZER_CONFIG)
    return {} if rules is None else read_object(rules)


def _flag(settings: Mapping[str, object], key: str, otherwise: bool | None) -> bool | None:
    value = settings.get(key, otherwise)
    if value is not None and not isinstance(value, bool):
        raise TokenizerError(Message("{0} in {1} must be true or false.", key, TOKENIZER_CONFIG), _AGAIN)
    return value
