"""Tokenizers of the older files, without a checkpoint around them."""

from __future__ import annotations

from pathlib import Path

from tokenizers import AddedToken

from bertviz_app.checkpoint.tokenizer_files import byte_pairs, word_pieces
from bertviz_app.text import Numbering, Tokenizer
from bertviz_app.text.classes.unigram import roberta
from bertviz_app.text.classes.vocabulary import Declared, bert
from bertviz_app.text.cutter import Backend


def of_vocabulary(
    path: Path,
    max_tokens: int,
    n_rows: int | None = None,
    numbering: Numbering | None = None,
    **options: object,
) -> Tokenizer:
    """Return the BERT tokenizer of a vocab.txt; `options` are those of tokenizer_config.json."""
    backend = bert(word_pieces(path), Declared(options, n_rows=n_rows))
    return Tokenizer(Backend(backend), max_tokens, numbering or Numbering())


def of_merges(folder: Path, max_tokens: int, numbering: Numbering | None = None) -> Tokenizer:
    """Return the RoBERTa tokenizer of the vocab.json and the merges.txt in `folder`.

    Its mask token includes the space before it, as RoBERTa's own files declare.
    """
    mask = AddedToken("<mask>", lstrip=True, special=True)
    declared = Declared(specials={"mask_token": mask})
    backend = roberta(byte_pairs(folder / "vocab.json", folder), declared)
    return Tokenizer(Backend(backend), max_tokens, numbering or Numbering())
