"""What splits a text into pieces in Python or Rust, before the library numbers and truncates them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

import tokenizers
from tokenizers import PreTokenizedString, pre_tokenizers, processors
from tokenizers.models import WordLevel

from bertviz_app.errors import Message, TokenizerError
from bertviz_app.text.tokens import Spelling
from bertviz_app.values import dataclass


class Cut(NamedTuple):
    """One piece of a text, the characters that it stands for, and the number of its word."""

    piece: str
    first: int
    last: int
    word: int = 0


class Cutter(Protocol):
    """Splits a text into pieces; may be called from several threads at once."""

    def cut(self, text: str) -> list[Cut]:
        """Return the pieces of `text`, in order."""


def numbering(
    ids: Mapping[str, int], unknown: str, single: Sequence[str], pair: Sequence[str], specials: Sequence[str]
) -> tokenizers.Tokenizer:
    """Return the tokenizer that numbers pieces, adds special tokens and truncates.

    `single` and `pair` are the templates of the special tokens around one text and around two.
    """
    backend = tokenizers.Tokenizer(WordLevel(dict(ids), unk_token=unknown))
    backend.post_processor = processors.TemplateProcessing(
        single=list(single),
        pair=list(pair),
        special_tokens=[(piece, ids[piece]) for piece in dict.fromkeys(specials)],
    )
    return backend


def fitted(cuts: Sequence[list[Cut]], room: int, cuts_left: bool) -> list[list[Cut]]:
    """Return what is left of one text or two in `room` pieces, by the rule of the classes in Python.

    The longer text is cut to the length of the other one; then both are, the second by one piece more where
    the rest is odd. The library divides it otherwise: there the longer text keeps the odd piece.
    """
    too_many = sum(map(len, cuts)) - room
    if too_many <= 0:
        return [list(of_text) for of_text in cuts]
    if len(cuts) == 1:
        return [_without(cuts[0], too_many, cuts_left)]
    first, second = cuts
    difference = len(first) - len(second)
    one_sided = min(abs(difference), too_many)
    rest = too_many - one_sided
    of_first = rest // 2 + (one_sided if difference > 0 else 0)
    return [_without(first, of_first, cuts_left), _without(second, too_many - of_first, cuts_left)]


def _without(cuts: list[Cut], count: int, cuts_left: bool) -> list[Cut]:
    """Return `cuts` without `count` of them, from the beginning or from the end."""
    return cuts[count:] if cuts_left else cuts[: len(cuts) - count]


def is_failure(error: BaseException) -> bool:
    """Return whether `error` comes from the library, not from the user or the system.

    A panic is a BaseException whose class has no public name.
    """
    return isinstance(error, Exception) or type(error).__name__ == "PanicException"


Given = Sequence[str | list[str]]
"""One text or two, as text or as pieces."""


def given_as(text: str, pair: str | None, cuts: Sequence[Sequence[Cut]] | None) -> Given:
    """Return one text or a pair as input for the library: as pieces if they have already been split."""
    if cuts is not None:
        return [[cut.piece for cut in of_text] for of_text in cuts]
    return [text] if pair is None else [text, pair]


def run(backend: tokenizers.Tokenizer, given: Given, *, adds_special: bool = True) -> tokenizers.Encoding:
    """Return the encoding of one input; see `run_many`."""
    return run_many(backend, [given], adds_special=adds_special)[0]


def run_many(
    backend: tokenizers.Tokenizer, given: Sequence[Given], *, adds_special: bool = True
) -> list[tokenizers.Encoding]:
    """Return the encodings of several inputs: single texts or pairs, either all as text or all as pieces.

    Raises TokenizerError: a damaged tokenizer may load without error and fail only here, with any kind of
    exception.
    """
    batch = [one[0] if len(one) == 1 else tuple(one) for one in given]
    try:
        # encode_batch releases the interpreter's lock; encode does not.
        found: list[tokenizers.Encoding] = backend.encode_batch(
            batch, is_pretokenized=isinstance(given[0][0], list), add_special_tokens=adds_special
        )
    except BaseException as error:
        if not is_failure(error):
            raise
        raise failure(error) from error
    return found


def failure(error: BaseException) -> TokenizerError:
    """Return the TokenizerError for an exception raised by the library."""
    message = Message("The tokenizer fails: {0}", first_line(error))
    return TokenizerError(message, Message("Fetch its files again; they come with the checkpoint."))


def first_line(error: BaseException) -> str:
    """Return the first line of the text of `error`, short enough for the end of a sentence, with its stop."""
    line = (str(error).splitlines() or [type(error).__name__])[0][:200]
    return f"{(line if line.isprintable() else ascii(line)).rstrip('.')}."


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
        raise TokenizerError(
            Message("{0} is not a tokenizer that can be read: {1}", path.name, first_line(error)),
            Message("Fetch the file again; it comes with the checkpoint."),
        ) from error
