"""The data of a pre-training, prepared once and cached in its folder: the vocabulary and the tokens."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import tokenizers

from bertviz_app.errors import FileError, Message
from bertviz_app.paths import replacing
from bertviz_app.training.corpus import SENTENCE_ENDS, read_documents
from bertviz_app.training.pretraining.examples import Pieces
from bertviz_app.training.pretraining.settings import PretrainingListener, PretrainingSettings
from bertviz_app.training.pretraining.tokenised import Tokenised, load_tokenised, save_tokenised, tokenise
from bertviz_app.training.pretraining.vocabulary import (
    TOKENIZER,
    SpecialIds,
    balanced,
    save_tokenizer,
    train_tokenizer,
)
from bertviz_app.training.run_folder import WORK

MADE_FROM = "vocabulary.txt"
"""Within WORK: what the vocabulary was made from: that of other texts or another size is not used."""


@dataclass(frozen=True, eq=False)
class Materials:
    """The texts as ids, and the pieces that the ids stand for."""

    corpora: tuple[Tokenised, ...]
    tokenizer: tokenizers.Tokenizer

    @property
    def n_pieces(self) -> int:
        """V, the pieces of the vocabulary."""
        return int(self.tokenizer.get_vocab_size())

    def pieces(self) -> Pieces:
        """Return what is known of the pieces of the vocabulary."""
        names = [self.tokenizer.id_to_token(number) or "" for number in range(self.n_pieces)]
        return Pieces(
            is_start=np.array([not name.startswith("##") for name in names]),
            is_end=np.array([name in SENTENCE_ENDS for name in names]),
            special=SpecialIds.of(self.tokenizer),
        )


def gather(
    files: Sequence[Path],
    out: Path,
    settings: PretrainingSettings,
    listener: PretrainingListener,
    *,
    has_tokenizer: bool = False,
) -> Materials:
    """Return the vocabulary and the tokens of `files`, from the folder `out` where they are cached.

    With `has_tokenizer` the tokenizer in the folder is that of the run, whatever it was made from. Raises
    FileError for a file that cannot be read.
    """
    work = out / WORK
    work.mkdir(parents=True, exist_ok=True)
    texts: dict[Path, list[str]] = {}
    found = _saved_tokenizer(out)
    if found is not None and (has_tokenizer or _was_made_from(files, out, settings, found)):
        tokenizer = found
    else:
        tokenizer = _new_tokenizer(files, out, settings, listener, texts)
    corpora = []
    for path in files:
        cached = work / f"{_mark(path, tokenizer)}.npz"
        if not cached.exists():
            listener.on_stage("tokens")
            documents = _documents(path, texts, listener)
            save_tokenised(tokenise(documents, tokenizer, listener.check), cached)
        corpora.append(load_tokenised(cached))
        if not len(corpora[-1].ids):
            raise FileError(
                Message("{0} has no words in it.", path.name),
                Message("Give a file with sentences to train on."),
            )
    return Materials(tuple(corpora), tokenizer)


def _saved_tokenizer(out: Path) -> tokenizers.Tokenizer | None:
    if not (out / TOKENIZER).exists():
        return None
    found = tokenizers.Tokenizer.from_file(str(out / TOKENIZER))
    found.no_truncation()  # as the file of another program may demand
    found.no_padding()
    return found


def _was_made_from(
    files: Sequence[Path], out: Path, settings: PretrainingSettings, tokenizer: tokenizers.Tokenizer
) -> bool:
    """Return whether a run that ended before its first step made `tokenizer` from what is given now, too."""
    path = out / WORK / MADE_FROM
    return path.exists() and path.read_text("utf-8") == _made_from(files, settings, tokenizer)


def _made_from(files: Sequence[Path], settings: PretrainingSettings, tokenizer: tokenizers.Tokenizer) -> str:
    return "\n".join([str(settings.vocabulary_size), *(_mark(path, tokenizer) for path in files)])


def _new_tokenizer(
    files: Sequence[Path],
    out: Path,
    settings: PretrainingSettings,
    listener: PretrainingListener,
    texts: dict[Path, list[str]],
) -> tokenizers.Tokenizer:
    listener.on_stage("vocabulary")
    documents = [_documents(path, texts, listener) for path in files]
    tokenizer = train_tokenizer(balanced(documents), settings.vocabulary_size)
    save_tokenizer(tokenizer, out, settings.n_positions)
    with replacing(out / WORK / MADE_FROM) as path:
        path.write_text(_made_from(files, settings, tokenizer), encoding="utf-8")
    return tokenizer


def _documents(path: Path, texts: dict[Path, list[str]], listener: PretrainingListener) -> list[str]:
    if path not in texts:
        listener.check()
        texts[path] = read_documents(path)
    return texts[path]


def _mark(path: Path, tokenizer: tokenizers.Tokenizer) -> str:
    """Return a name that changes with the text and with the vocabulary."""
    try:
        facts = path.stat()
    except OSError as error:
        message = Message("{0} could not be read: {1}.", path, error.strerror or error)
        raise FileError(message, Message("Check the path and the file.")) from error
    marks = f"{path.resolve()}\n{facts.st_size}\n{facts.st_mtime_ns}\n{tokenizer.to_str()}"
    return hashlib.sha256(marks.encode()).hexdigest()[:16]
