"""The vocabulary in each kind of tokenizer file, as the tokenizer classes take it."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import tokenizers
from tokenizers import AddedToken
from tokenizers.models import BPE, WordPiece

from bertviz_app.checkpoint.folder import MERGES, TOKENIZER, VOCABULARY, file_in
from bertviz_app.checkpoint.other_formats import refuse_pointer, unreadable
from bertviz_app.errors import Message, TokenizerError
from bertviz_app.text.classes.unigram import UNIGRAM, PieceModel, read_pieces
from bertviz_app.text.classes.vocabulary import Vocabulary
from bertviz_app.text.cutter import is_failure

MAX_BYTES = 256 << 20
AGAIN = Message("Fetch the tokenizer's files again; they come with the checkpoint.")


def validate_size(path: Path) -> None:
    """Raise CheckpointError for a file that cannot be read or is a git-lfs pointer, or is far too large."""
    refuse_pointer(path)
    try:
        n_bytes = path.stat().st_size
    except OSError as error:
        raise unreadable(path, error) from error
    if n_bytes > MAX_BYTES:
        raise TokenizerError(Message("{0} is far too large for what it should be.", path.name), AGAIN)


def read_json(path: Path) -> Mapping[str, Any]:
    """Return the contents of a tokenizer.json. Raises TokenizerError if it is not one."""
    validate_size(path)
    try:
        content = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        message = Message("{0} is not a tokenizer that can be read: {1}", path.name, "JSON")
        raise TokenizerError(message, AGAIN) from error
    if not isinstance(content, dict) or not isinstance(content.get("model"), dict):
        raise TokenizerError(
            Message("{0} is not a tokenizer that can be read: {1}", path.name, "model"), AGAIN
        )
    return content


def model_of_json(content: Mapping[str, Any]) -> str:
    """Return the kind of a tokenizer.json's model: WordPiece, BPE, Unigram or another."""
    model = content["model"]
    if isinstance(model.get("type"), str):
        return str(model["type"])
    if isinstance(model.get("vocab"), list):
        return "Unigram"
    return "BPE" if "merges" in model else "WordPiece"


def vocabulary_of_json(content: Mapping[str, Any], backend: tokenizers.Tokenizer) -> Vocabulary:
    """Return the vocabulary of a tokenizer.json that the library has read as `backend`."""
    model = content["model"]
    vocabulary = model["vocab"]
    if isinstance(vocabulary, list):
        scores = [(str(piece), float(score)) for piece, score in vocabulary]
        ids = {piece: number for number, (piece, _) in enumerate(scores)}
    else:
        scores, ids = [], {str(piece): int(number) for piece, number in vocabulary.items()}
    merges = [
        tuple(one.split(" ")) if isinstance(one, str) else tuple(one) for one in model.get("merges", ())
    ]
    return Vocabulary(
        TOKENIZER,
        ids,
        scores,
        [(first, second) for first, second in merges],
        _charsmap(content.get("normalizer")),
        post_processor=backend.post_processor,
    )


def _charsmap(normalizer: object) -> bytes | None:
    """Return SentencePiece's table of normalised characters, if the normalizer has one."""
    if not isinstance(normalizer, Mapping):
        return None
    parts = normalizer.get("normalizers") if normalizer.get("type") == "Sequence" else [normalizer]
    for part in parts if isinstance(parts, list) else ():
        if isinstance(part, Mapping) and isinstance(part.get("precompiled_charsmap"), str):
            return base64.b64decode(part["precompiled_charsmap"])
    return None


def word_pieces(path: Path) -> Vocabulary:
    """Return the vocabulary of a vocab.txt, one piece a line. Raises TokenizerError if it is no text."""
    try:
        return Vocabulary(path.name, WordPiece.read_file(str(path)))
    except BaseException as error:
        if not is_failure(error):
            raise
        raise TokenizerError(
            Message("{0} cannot be read as UTF-8 text.", path.name), Message("Fetch the file again.")
        ) from error


def listed_pieces(path: Path) -> Vocabulary | None:
    """Return the vocabulary of a JSON list of pieces, by number; None for a JSON object of pieces and ids.

    Raises TokenizerError for a list of something else, or of the same piece twice.
    """
    validate_size(path)
    try:
        content = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None  # whoever reads it as an object says what is wrong
    if not isinstance(content, list):
        return None
    pieces = [piece for piece in content if isinstance(piece, str)]
    if len(pieces) < len(content) or len(set(pieces)) < len(pieces):
        message = Message("{0} is a list, but not of pieces that are all different.", path.name)
        raise TokenizerError(message, Message("Save the list of the vocabulary's pieces, in their order."))
    return Vocabulary(path.name, {piece: number for number, piece in enumerate(pieces)})


def lines_of(path: Path) -> list[str]:
    """Return the lines of a text file. Raises TokenizerError if it is no text."""
    validate_size(path)
    try:
        return path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise TokenizerError(
            Message("{0} cannot be read as UTF-8 text.", path.name), Message("Fetch the file again.")
        ) from error


def byte_pairs(path: Path, folder: Path) -> Vocabulary:
    """Return the vocabulary of a vocab.json and the merges.txt beside it. Raises TokenizerError."""
    merges = file_in(folder, MERGES)
    if merges is None:
        raise TokenizerError(Message("{0} has {1} without {2}.", folder, path.name, MERGES), AGAIN)
    validate_size(merges)
    try:
        ids, pairs = BPE.read_file(str(path), str(merges))
        BPE(ids, pairs)  # which refuses merges of pieces that are not there
    except BaseException as error:
        if not is_failure(error):
            raise
        names = Message("{0} and {1}", path.name, merges.name)
        raise TokenizerError(
            Message("A tokenizer cannot be made from {0}.", names),
            Message("Fetch both files again; they come with the checkpoint."),
        ) from error
    return Vocabulary(path.name, ids, merges=pairs)


def scored_pieces(path: Path) -> Vocabulary | None:
    """Return the vocabulary of a SentencePiece model if it is a unigram one, else None.

    Raises TokenizerError if the file is no such model.
    """
    model = _model(path)
    return _scored(path.name, model) if model.kind == UNIGRAM else None


def pieces_of(path: Path) -> Sequence[tuple[str, float, int]]:
    """Return the pieces of a SentencePiece model with their scores and kinds. Raises TokenizerError."""
    return _model(path).pieces


def _model(path: Path) -> PieceModel:
    validate_size(path)
    try:
        return read_pieces(path.read_bytes())
    except (OSError, ValueError) as error:
        raise TokenizerError(
            Message("{0} is no SentencePiece model, or damaged.", path.name),
            Message("Fetch the file again; it comes with the checkpoint."),
        ) from error


def _scored(name: str, model: PieceModel) -> Vocabulary:
    special = tuple(
        AddedToken(piece, normalized=False, special=is_control) for piece, is_control in model.special()
    )
    return Vocabulary(
        name,
        {piece: number for number, (piece, _, _) in enumerate(model.pieces)},
        [(piece, score) for piece, score, _ in model.pieces],
        charsmap=model.charsmap,
        special=special,
    )


def numbered_lines(folder: Path) -> Mapping[str, int] | None:
    """Return the pieces of a vocab.txt with their ids, or None if there is none."""
    path = file_in(folder, VOCABULARY)
    return None if path is None else dict(word_pieces(path).ids)
