"""A WordPiece vocabulary made from texts, and the tokenizer that goes with it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import tokenizers
from tokenizers import decoders, normalizers, pre_tokenizers, processors, trainers
from tokenizers.models import WordPiece

from bertviz_app.errors import FileError, Message
from bertviz_app.paths import replacing

PAD, UNKNOWN, CLS, SEP, MASK = SPECIAL_PIECES = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
"""The special pieces, to which `train_tokenizer` gives the ids 0 to 4."""
TOKENIZER, TOKENIZER_CONFIG, VOCABULARY = "tokenizer.json", "tokenizer_config.json", "vocab.txt"
_SMALLEST = 100
_AT_ONCE = 1_000


class SpecialIds(NamedTuple):
    """The ids of SPECIAL_PIECES."""

    pad: int
    unknown: int
    cls: int
    sep: int
    mask: int

    @classmethod
    def of(cls, backend: tokenizers.Tokenizer, name: str = TOKENIZER) -> SpecialIds:
        """Return those of a tokenizer that has all of SPECIAL_PIECES.

        Raises FileError, which says that it is the tokenizer of `name`, for another one.
        """
        ids = {piece: backend.token_to_id(piece) for piece in SPECIAL_PIECES}
        missing = [piece for piece, number in ids.items() if number is None]
        if missing:
            message = Message("The vocabulary of {0} has no {1}.", name, ", ".join(missing))
            raise FileError(message, Message("Choose a checkpoint with a WordPiece tokenizer."))
        found = {piece: number for piece, number in ids.items() if number is not None}
        return cls(found[PAD], found[UNKNOWN], found[CLS], found[SEP], found[MASK])


def train_tokenizer(texts: Iterable[str], vocabulary_size: int) -> tokenizers.Tokenizer:
    """Return a WordPiece tokenizer of at most `vocabulary_size` pieces (Schuster and Nakajima 2012).

    Uncased for scripts that have cases; Hangul stays composed (NFC), which BERT's own rules take apart with
    the accents. Which of several equally common pieces comes in differs from run to run. Raises
    FileError where the texts have too few words for a vocabulary.
    """
    backend = _tokenizer(WordPiece(unk_token=UNKNOWN))
    trainer = trainers.WordPieceTrainer(
        vocab_size=vocabulary_size,
        min_frequency=2,
        limit_alphabet=max(_SMALLEST, vocabulary_size // 8),
        special_tokens=list(SPECIAL_PIECES),
        show_progress=False,
    )
    backend.train_from_iterator(_batches(texts), trainer)
    if backend.get_vocab_size() < _SMALLEST:
        message = Message("The texts give a vocabulary of {0} pieces only.", backend.get_vocab_size())
        raise FileError(message, Message("Give more text to train on."))
    return _finished(backend)


def save_tokenizer(backend: tokenizers.Tokenizer, folder: Path, max_tokens: int) -> None:
    """Write tokenizer.json, vocab.txt and tokenizer_config.json into `folder`. Raises FileError."""
    vocabulary = backend.get_vocab()
    pieces = sorted(vocabulary, key=vocabulary.__getitem__)
    settings = {
        "tokenizer_class": "PreTrainedTokenizerFast",  # takes tokenizer.json as it is, in every release
        "model_max_length": max_tokens,
        "do_lower_case": True,
        "strip_accents": False,
        "pad_token": PAD,
        "unk_token": UNKNOWN,
        "cls_token": CLS,
        "sep_token": SEP,
        "mask_token": MASK,
        "model_input_names": ["input_ids", "token_type_ids", "attention_mask"],
    }
    contents = {
        TOKENIZER: backend.to_str(),
        VOCABULARY: "".join(f"{piece}\n" for piece in pieces),
        TOKENIZER_CONFIG: json.dumps(settings, indent=2) + "\n",
    }
    for name, content in contents.items():
        with replacing(folder / name) as path:
            path.write_text(content, encoding="utf-8")


def balanced(corpora: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield documents of every corpus, of each at most twice the characters that the smallest has.

    Else the pieces of a vocabulary would nearly all go to the language that most of the text is in.
    """
    most = 2 * min(sum(map(len, documents)) for documents in corpora)
    for documents in corpora:
        left = most
        for document in _spread(documents, most):
            yield document[:left]
            left -= len(document)
            if left <= 0:
                break


def _spread(documents: Sequence[str], most: int) -> Iterator[str]:
    """Yield as many whole documents, evenly from first to last, as have about `most` characters."""
    n_characters = sum(map(len, documents))
    step = max(1, n_characters // max(1, most))
    yield from (document for first in range(step) for document in documents[first::step])


def _tokenizer(model: WordPiece) -> tokenizers.Tokenizer:
    backend = tokenizers.Tokenizer(model)
    cleaned = normalizers.BertNormalizer(
        clean_text=True, handle_chinese_chars=True, strip_accents=False, lowercase=True
    )
    backend.normalizer = normalizers.Sequence([normalizers.NFC(), cleaned])
    backend.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    backend.decoder = decoders.WordPiece()
    return backend


def _finished(backend: tokenizers.Tokenizer) -> tokenizers.Tokenizer:
    """Return the tokenizer with the special pieces put around a text, and around each of a pair."""
    backend.post_processor = processors.TemplateProcessing(
        single=f"{CLS} $A {SEP}",
        pair=f"{CLS} $A {SEP} $B:1 {SEP}:1",
        special_tokens=[(piece, backend.token_to_id(piece)) for piece in (CLS, SEP)],
    )
    return backend


def _batches(texts: Iterable[str]) -> Iterator[list[str]]:
    """Yield the texts some at a time: a call from Rust for each would cost more than the text."""
    batch: list[str] = []
    for text in texts:
        batch.append(text)
        if len(batch) == _AT_ONCE:
            yield batch
            batch = []
    yield batch
