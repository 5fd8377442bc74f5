"""RoBERTa's tokenizer from vocab.json and merges.txt, for checkpoints without a tokenizer.json."""

from __future__ import annotations

from pathlib import Path

import tokenizers
from tokenizers import AddedToken, decoders, pre_tokenizers, processors
from tokenizers.models import BPE

from bertviz_app.errors import Message, TokenizerError
from bertviz_app.text.rust_errors import is_failure

_NEEDED = ("<s>", "</s>", "<unk>")
_SPECIALS = ("<s>", "<pad>", "</s>", "<unk>")
_NO_BYTES = Message("Save a tokenizer.json with the tokenizer that the model was trained with.")
_AGAIN = Message("Fetch both files again; they come with the checkpoint.")


def byte_level(vocabulary: Path, merges: Path, *, adds_space: bool = False) -> tokenizers.Tokenizer:
    """Return the byte-pair tokenizer of `vocabulary` (JSON, piece to id) and `merges` (a pair a line).

    Radford et al. 2019, section 2.2: pieces are made of bytes, so that every text can be written; with
    RoBERTa's special tokens. Raises TokenizerError for files that do not make one.
    """
    names = Message("{0} and {1}", vocabulary.name, merges.name)
    try:
        backend = tokenizers.Tokenizer(BPE.from_file(str(vocabulary), str(merges)))
    except BaseException as error:
        if not is_failure(error):
            raise
        raise TokenizerError(Message("{0} make no tokenizer.", names), _AGAIN) from error
    numbers = backend.get_vocab(with_added_tokens=False)
    absent = [piece for piece in _NEEDED if piece not in numbers]
    if absent:
        message = Message(
            "{0} is no vocabulary of RoBERTa's: it has no {1}.", vocabulary.name, ", ".join(absent)
        )
        raise TokenizerError(message, _AGAIN)
    if not set(pre_tokenizers.ByteLevel.alphabet()) <= numbers.keys():
        message = Message("{0} is no vocabulary of bytes: it lacks some of the 256.", vocabulary.name)
        raise TokenizerError(message, _NO_BYTES)
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=adds_space)
    backend.decoder = decoders.ByteLevel()
    backend.post_processor = processors.RobertaProcessing(
        ("</s>", numbers["</s>"]), ("<s>", numbers["<s>"]), add_prefix_space=adds_space
    )
    backend.add_special_tokens([piece for piece in _SPECIALS if piece in numbers])
    if "<mask>" in numbers:
        # The mask token includes the space before it: RoBERTa's words begin with their space.
        backend.add_special_tokens([AddedToken("<mask>", lstrip=True, special=True)])
    return backend
