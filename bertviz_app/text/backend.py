"""`Backend`: the parts of a tokenizer: the Rust library's own, and what splits a text in Python."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import tokenizers
from tokenizers import PreTokenizedString, pre_tokenizers

from bertviz_app.errors import Message, TokenizerError
from bertviz_app.text.backend_calls import first_line
from bertviz_app.text.cutter import Cutter
from bertviz_app.text.labels import Spelling
from bertviz_app.text.rust_errors import is_failure


class WordCutter(Protocol):
    """A word cutter in Python that the library calls after it has normalised a text."""

    def pre_tokenize(self, text: PreTokenizedString) -> None:
        """Split `text` in place."""


@dataclass(frozen=True, eq=False)
class Backend:
    """`cutter` splits a text into pieces, which `rust` then only numbers; `words` splits it into words.

    `spelling` is how the pieces are written, where `rust` does not show it. `cuts_left`: what does not fit
    is cut from the beginning. `has_pairs`: two texts can be read as one input. `divides_evenly`: what a pair
    has too much is divided between its texts by the rule of the classes in Python (`cutter.fitted`), else by
    that of the library. `remarks` say in sentences what is unusual.
    """

    rust: tokenizers.Tokenizer
    cutter: Cutter | None = None
    words: WordCutter | None = None
    spelling: Spelling | None = None
    cuts_left: bool = False
    has_pairs: bool = True
    divides_evenly: bool = False
    remarks: tuple[Message, ...] = ()

    def copy(self) -> tokenizers.Tokenizer:
        """Return an independent tokenizer of the library's, with the word cutter."""
        found = tokenizers.Tokenizer.from_str(self.rust.to_str())
        found.encode_special_tokens = self.rust.encode_special_tokens  # not in the text form
        if self.words is not None:
            found.pre_tokenizer = pre_tokenizers.PreTokenizer.custom(self.words)
        return found

    def alone(self) -> tokenizers.Tokenizer | None:
        """Return the library's tokenizer without truncation and padding; None where Python splits first."""
        if self.cutter is not None or self.words is not None:
            return None
        found = self.copy()
        found.no_truncation()
        found.no_padding()
        return found

    def __getstate__(self) -> dict[str, object]:
        """Return its parts as they can be pickled."""
        return {**self.__dict__, "rust": self.rust.to_str(), "splits_marks": self.rust.encode_special_tokens}

    def __setstate__(self, state: dict[str, object]) -> None:
        splits_marks = state.pop("splits_marks")
        self.__dict__.update(state, rust=tokenizers.Tokenizer.from_str(str(state["rust"])))
        self.rust.encode_special_tokens = bool(splits_marks)


def read_backend(path: Path) -> tokenizers.Tokenizer:
    """Return the tokenizer in a `tokenizer.json`. Raises TokenizerError if the file is not one."""
    try:
        return tokenizers.Tokenizer.from_str(path.read_text(encoding="utf-8"))
    except BaseException as error:
        if not is_failure(error):
            raise
        message = Message("{0} is not a tokenizer that can be read: {1}", path.name, first_line(error))
        raise TokenizerError(
            message, Message("Fetch the file again; it comes with the checkpoint.")
        ) from error
