"""`Tokenizer`: a checkpoint's tokenizer, with validation, truncation and a fingerprint."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np
import tokenizers
from tokenizers import normalizers

from bertviz_app.errors import AppError, Message, TextError, TokenizerError
from bertviz_app.text.cutter import (
    Backend,
    Cut,
    Cutter,
    failure,
    fitted,
    given_as,
    read_backend,
    run,
    run_many,
)
from bertviz_app.text.edits import MASK, MASKS
from bertviz_app.text.tokens import SPECIAL, Aligned, Spelling, Tokens, controls, label, validate
from bertviz_app.text.why_cut import Explainer, WhyCut
from bertviz_app.types import Ints
from bertviz_app.values import dataclass, replace


@dataclass(frozen=True, eq=False)
class LowerCasing:
    """Lower-cases a text for another cutter; the spans are those of the text as typed."""

    inner: Cutter

    def cut(self, text: str) -> list[Cut]:
        """Return the pieces of `text` in small letters."""
        small = Aligned.typed(text).lower()
        found = []
        for cut in self.inner.cut(small.text):
            first, last = small.span(cut.first, cut.last) if cut.last > cut.first else (0, 0)
            if cut.last == cut.first:  # stands for nothing in the text
                first = last = small.span(0, cut.first)[1]
            found.append(cut._replace(first=first, last=last))
        return found


def _lower_cases(normalizer: object) -> bool:
    """Return whether a normalizer, as tokenizer.json has it, lower-cases already."""
    if not isinstance(normalizer, dict):
        return False
    inner = normalizer.get("normalizers", [])
    is_own = normalizer.get("type") == "Lowercase" or normalizer.get("lowercase") is True
    return is_own or any(_lower_cases(one) for one in inner)


@dataclass(frozen=True)
class Numbering:
    """How a model numbers positions and segments.

    RoBERTa's positions begin after the id of its padding token, which is the position of padding. In
    models that do not tell the texts of a pair apart both have segment 0. The first text has the segment
    `first_segment`, the second the one after it.
    """

    first_position: int = 0
    has_segments: bool = True
    tells_texts_apart: bool = True
    first_segment: int = 0

    def segments(self, type_ids: list[int]) -> list[int]:
        """Return the segment ids of tokens whose texts have these numbers, 0 and 1."""
        if not (self.has_segments and self.tells_texts_apart):
            return [0] * len(type_ids)
        return [self.first_segment + number for number in type_ids]


AS_IN_BERT = Numbering()


class EncodedText(NamedTuple):
    """The ids of a text or pair for training, and the character span of each token in its own text."""

    ids: list[int]
    segment_ids: list[int]
    spans: Ints  # [T, 2]; [0, 0] for special tokens
    is_cut: bool  # it was truncated


_PADDING = ("[PAD]", "<pad>", "<|endoftext|>")  # the last is CLIP's


class Tokenizer:
    """Encodes text as `Tokens`, at most `max_tokens` of them."""

    def __init__(self, backend: Backend, max_tokens: int, numbering: Numbering = AS_IN_BERT) -> None:
        self.backend = backend
        self._whole = backend.rust if backend.words is None else backend.copy()
        self._cutter = backend.cutter
        self._whole.no_truncation()
        self._whole.no_padding()
        self.max_tokens = max_tokens
        self._numbering = numbering
        self._spelling = backend.spelling or _spelling(backend.rust)
        self._known_drops: dict[str, bool] = {}

    @property
    def remarks(self) -> tuple[Message, ...]:
        """What is unusual about it, in sentences."""
        return self.backend.remarks

    @classmethod
    def from_json(cls, path: Path, max_tokens: int, numbering: Numbering = AS_IN_BERT) -> Tokenizer:
        """Return the tokenizer in a `tokenizer.json`. Raises TokenizerError if the file is not one."""
        return cls(Backend(read_backend(path)), max_tokens, numbering)

    def encode(self, text: str, pair: str | None = None) -> Tokens:
        """Return the tokens of `text`, or of `text` and `pair` as one input.

        What does not fit is cut from the end of the longer text (from its beginning, if the checkpoint
        declares it), and counted. Raises TextError, and TokenizerError for a damaged tokenizer or a model
        without room for any text.
        """
        validate(text, "text", Message("The text") if pair is None else Message("Sentence 1"))
        if pair is not None:
            validate(pair, "pair", Message("Sentence 2"))
            if not self.backend.has_pairs:
                message = Message("This tokenizer has no token that ends a sentence: it reads no pairs.")
                raise TextError(message, Message("Remove sentence 2."), "pair")
        cuts = self._cuts(text, pair)
        encoding = run(self._whole, given_as(text, pair, cuts))
        n_left_out = max(0, len(encoding.ids) - self.max_tokens)
        if n_left_out:
            n_special = self._whole.num_special_tokens_to_add(pair is not None)
            if self.max_tokens <= n_special:
                limits = self.max_tokens, n_special
                message = Message("This model reads {0} tokens at most, of which {1} are special.", *limits)
                raise TokenizerError(message, Message("There is no room for a text; choose another model."))
            cuts = self._fitted(cuts)
            encoding = run(self._cut, given_as(text, pair, cuts))
        tokens = self._validated(encoding, _words_and_spans(encoding, cuts), (text, pair), n_left_out)
        if tokens.is_special.all():
            raise TextError(
                Message("The tokenizer keeps nothing of this text."),
                Message("Type letters, digits or signs."),
            )
        return tokens

    def why_cut(self, tokens: Tokens, position: int) -> WhyCut | None:
        """Return how the word of a token became its pieces; None where no step of this tokenizer shows it."""
        return None if self._explainer is None else self._explainer.why(tokens, position)

    @cached_property
    def _explainer(self) -> Explainer | None:
        """What explains the words; None where Python splits the text."""
        return Explainer.of(self._whole) if self.backend.alone() is not None else None

    def limited(self, max_tokens: int) -> Tokenizer:
        """Return the same tokenizer for at most `max_tokens` tokens, if that is fewer."""
        return Tokenizer(self.backend, min(max_tokens, self.max_tokens), self._numbering)

    def lower_cased(self) -> Tokenizer:
        """Return one that lower-cases texts first."""
        if (cutter := self.backend.cutter) is None:
            copy = tokenizers.Tokenizer.from_str(self.backend.rust.to_str())
            copy.encode_special_tokens = self.backend.rust.encode_special_tokens  # not in the text form
            before = copy.normalizer
            if not _lower_cases(json.loads(copy.to_str())["normalizer"]):
                first = normalizers.Lowercase()
                copy.normalizer = first if before is None else normalizers.Sequence([first, before])
            backend = replace(self.backend, rust=copy)
        else:
            backend = replace(self.backend, cutter=LowerCasing(cutter))
        return Tokenizer(backend, self.max_tokens, self._numbering)

    def encode_many(self, texts: Sequence[tuple[str, str | None]]) -> list[EncodedText]:
        """Return the ids and spans of many texts or pairs, without validating the texts.

        Raises TokenizerError for a damaged tokenizer.
        """
        if not texts:
            return []
        whole = [self._cuts(text, pair) for text, pair in texts]
        fitting = [self._fitted(cuts) for cuts in whole]
        given = [given_as(text, pair, cuts) for (text, pair), cuts in zip(texts, fitting, strict=True)]
        return [
            EncodedText(
                one.ids,
                self._numbering.segments(one.type_ids),
                _words_and_spans(one, left)[1],
                bool(one.overflowing) or left != cuts,
            )
            for one, cuts, left in zip(run_many(self._cut, given), whole, fitting, strict=True)
        ]

    def _fitted(self, cuts: list[list[Cut]] | None) -> list[list[Cut]] | None:
        """Return the pieces that the model has room for, where the library is not to choose them."""
        if cuts is None or not self.backend.divides_evenly:
            return cuts
        room = max(0, self.max_tokens - self._whole.num_special_tokens_to_add(len(cuts) > 1))
        return fitted(cuts, room, self.backend.cuts_left)

    def _cuts(self, *texts: str | None) -> list[list[Cut]] | None:
        """Return the pieces of each text if this tokenizer is given pieces, else None."""
        if self._cutter is None:
            return None
        try:
            return [self._cutter.cut(text) for text in texts if text is not None]
        except (RuntimeError, ValueError, IndexError, MemoryError) as error:
            raise failure(error) from error

    def _validated(
        self,
        encoding: tokenizers.Encoding,
        positions: tuple[list[int], Ints],
        texts: tuple[str, str | None],
        n_left_out: int,
    ) -> Tokens:
        """Return the tokens of `encoding`. Raises TokenizerError if ids and pieces disagree."""
        whole = "".join(text or "" for text in texts)
        # The words are as if these had not been typed.
        dropped = {character for character in controls(whole) if self._drops(character)}
        # Some tokenizers return the original text of an unknown piece, and a mask with the space before it.
        try:
            named = zip(encoding.ids, encoding.tokens, strict=True)
            pieces = tuple(self._whole.id_to_token(number) or piece for number, piece in named)
            ids = np.array(encoding.ids, np.int32)
            first, is_there = self._numbering.first_position, ids != self._numbering.first_position - 1
            # Padding, whose position is the one before the first, does not count.
            counted = np.cumsum(is_there) * is_there + first - 1
            sentences = [SPECIAL if sentence is None else sentence for sentence in encoding.sequence_ids]
            words, spans = positions
            return Tokens(
                text=texts[0],
                pair=texts[1],
                pieces=pieces,
                ids=ids,
                segment_ids=np.array(self._numbering.segments(encoding.type_ids), np.int32),
                position_ids=counted.astype(np.int32) if first else np.arange(len(ids), dtype=np.int32),
                sentences=np.array(sentences, np.int32),
                words=np.array(words, np.int32),
                spans=spans,
                n_left_out=n_left_out,
                has_segments=self._numbering.has_segments,
                spelling=self._spelling,
                dropped="".join(character for character in whole if character in dropped),
            )
        except (ValueError, OverflowError) as error:  # such as two ids for the one piece [CLS]
            raise TokenizerError(
                Message("The tokenizer gives ids that do not fit its pieces."),
                Message("Fetch its files again; they come with the checkpoint."),
            ) from error

    def _drops(self, character: str) -> bool:
        """Return whether a word is the same with `character` inside."""
        if character not in self._known_drops:
            letter = self._letter
            with_it, without = letter + character + letter, letter * 2
            self._known_drops[character] = self._parts(with_it) == self._parts(without)
        return self._known_drops[character]

    @cached_property
    def _letter(self) -> str:
        """A letter that the vocabulary has: unknown words are all alike."""
        letters = (piece for piece in self._whole.get_vocab() if len(piece) == 1 and piece.isalpha())
        return min(letters, default="a")

    def _parts(self, text: str) -> list[str]:
        """Return `text` as it is normalised and split, before its pieces are looked up."""
        if (cuts := self._cuts(text)) is not None:
            return [cut.piece for cut in cuts[0]]
        normal, splitter = self._normalised(text), self._whole.pre_tokenizer
        return [normal] if splitter is None else [part for part, _ in splitter.pre_tokenize_str(normal)]

    def piece(self, given: str) -> tuple[str, int]:
        """Return the single piece of the vocabulary for `given`, and its id; MASK stands for the mask token.

        A word is normalised as the tokenizer does it: lower-cased, Hangul decomposed.
        Raises TextError for what is not a piece, or several pieces.
        """
        requested = given.strip()
        if not requested:
            raise _no_piece(requested, [])
        validate(requested, name=Message("The piece"))
        if requested == MASK and (mask := self.mask) is not None:
            return mask
        normal = requested if self._whole.normalizer is None else self._normalised(requested).strip()
        for name in (requested, normal):
            if name and (number := self._whole.token_to_id(name)) is not None:
                return name, number
        pieces = self._pieces(requested)
        number = self._whole.token_to_id(pieces[0]) if len(pieces) == 1 else None
        # An unknown token, which is in brackets, stands for anything.
        is_bracketed = bool(pieces) and pieces[0].startswith(("[", "<")) and pieces[0].endswith(("]", ">"))
        if number is not None and (pieces[0] == requested or not is_bracketed):
            return pieces[0], number
        drawn = [
            item for item in self._whole.get_vocab().items() if label(item[0], self._spelling) == requested
        ]
        if drawn:  # such as a Hangul letter, for which keyboard and vocabulary use different code points
            return min(drawn, key=lambda item: item[1])
        raise _no_piece(requested, [label(piece, self._spelling) for piece in pieces])

    def _pieces(self, requested: str) -> list[str]:
        """Return the pieces that `requested` is read as; none where the vocabulary cannot write it."""
        if (cuts := self._cuts(requested)) is not None:
            return [cut.piece for cut in cuts[0]]
        try:
            found: list[str] = run(self._whole, [requested], adds_special=False).tokens
        except TokenizerError:  # such as a letter that it lacks, where it has no unknown piece either
            return []
        return found

    def piece_of(self, number: int) -> str:
        """Return the piece with an id; "#" and the id where a model's table has more rows than pieces."""
        return self._whole.id_to_token(number) or f"#{number}"

    @property
    def mask(self) -> tuple[str, int] | None:
        """The mask token and its id; None if the vocabulary has none."""
        return _in_use(self._whole, MASKS)

    @property
    def padding(self) -> tuple[str, int] | None:
        """The padding token and its id; None if the vocabulary has none."""
        return _in_use(self._whole, _PADDING)

    def _normalised(self, text: str) -> str:
        normalizer = self._whole.normalizer
        return text if normalizer is None else str(normalizer.normalize_str(text))

    def highest_id(self) -> tuple[str, int]:
        """Return the piece with the highest id, and the id. Raises ValueError if there are no pieces."""
        return self._highest

    @cached_property
    def _highest(self) -> tuple[str, int]:
        vocabulary = self._whole.get_vocab(with_added_tokens=True)
        piece = max(vocabulary, key=vocabulary.__getitem__)
        return piece, vocabulary[piece]

    @cached_property
    def _cut(self) -> tokenizers.Tokenizer:
        """A second tokenizer that truncates: switching one back and forth would be a race between threads."""
        backend = self.backend.copy()
        side = "left" if self.backend.cuts_left else "right"
        backend.enable_truncation(self.max_tokens, strategy="longest_first", direction=side)
        return backend


def _in_use(whole: tokenizers.Tokenizer, names: Sequence[str]) -> tuple[str, int] | None:
    """Return which of these special tokens a tokenizer uses, and its id.

    Those that are found whole in a text come first: MPNet's vocabulary has [MASK] and [PAD], too, as common
    pieces.
    """
    added = {token.content for token in whole.get_added_tokens_decoder().values()}
    there = [(name, number) for name in names if (number := whole.token_to_id(name)) is not None]
    return next((one for one in there if one[0] in added), there[0] if there else None)


def _no_piece(given: str, labels: list[str]) -> TextError:
    if not given:
        return TextError(
            Message("No piece is given."), Message("Give a piece of the vocabulary, or {0}.", MASK)
        )
    message = Message("“{0}” is no piece of this model's vocabulary.", label(given[:40]))
    if len(labels) > 1:
        return TextError(
            message, Message("It would be read as {0}; give one of them, or {1}.", " ".join(labels[:8]), MASK)
        )
    return TextError(message, Message("Give one piece, such as a common word, or {0}.", MASK))


def _spelling(backend: tokenizers.Tokenizer) -> Spelling:
    """Return how the vocabulary of `backend` is written, by the names of its components."""
    parts = f"{backend.decoder!r} {backend.pre_tokenizer!r}"
    if "ByteLevel(" in parts:
        return "bytes"
    return "spaces" if "Metaspace(" in parts else "plain"


def _words_and_spans(encoding: tokenizers.Encoding, cuts: list[list[Cut]] | None) -> tuple[list[int], Ints]:
    """Return the word number of each token, and its character span, [T, 2]."""
    words = [SPECIAL if word is None else word for word in encoding.word_ids]
    if cuts is None:
        return words, np.array(encoding.offsets, np.int32).reshape(-1, 2)
    nothing = Cut("", 0, 0, SPECIAL)
    # The input was split into pieces already, so the library's "words" are those pieces.
    numbered = zip(encoding.sequence_ids, words, strict=True)
    found = [nothing if of is None else cuts[of][position] for of, position in numbered]
    spans = np.array([(cut.first, cut.last) for cut in found], np.int32).reshape(-1, 2)
    return [cut.word for cut in found], spans


_PROBES: tuple[tuple[str, str | None], ...] = (
    ("The cat sat on the mat, because it was HUNGRY.", None),
    ("Don't you see?  It's 3.14 – or 2,718!", None),
    ("naïve café, Straße, ÅNGSTRÖM, İstanbul, ﬁne, x²", None),
    ("kot zjadł rybę, žluťoučký kůň", None),
    ("나는 어제 학교에 갔다. 안녕하세요!", None),
    ("ㅋㅋㅋ 한국어BERT모델", None),
    ("日本語の文章です。京都タワー", None),
    ("我昨天去了北京大学。", None),
    ("Привет, мир! Ёлка", None),
    ("مرحبا بالعالم  שלום עולם", None),
    ("नमस्ते दुनिया  สวัสดีชาวโลก", None),
    ("👍🏽 🙂 #tag @user https://example.org/a_b?c=d", None),
    ("[MASK] <mask> [CLS] [SEP] <s> </s> [UNK] <unk>", None),
    ("<e1> Ann </e1> met [E2] Bob [/E2]", None),
    ("tab\there, line\nthere,\u00a0no break,\u200bzero width", None),
    ("antidisestablishmentarianism pneumonoultramicroscopic", None),
    ("def f(x): return x ** 2  # `code` {braces} ~/path\\to", None),
    ("A first text", "and a second one: 두 번째"),
)
"""Texts in which tokenizers differ: case, accents, spaces, scripts, special tokens; alone and as a pair."""


def tokenizer_fingerprint(tokenizer: Tokenizer) -> str:
    """Return a hexadecimal SHA-256 of the vocabulary, of the limit, and of the tokens of a set of texts.

    Tokenizers with one vocabulary that divide each of the texts alike have the same fingerprint, however
    they are stored.
    """
    digest = hashlib.sha256(str(tokenizer.max_tokens).encode())
    _, highest = tokenizer.highest_id()
    pieces = map(tokenizer.piece_of, range(min(highest + 1, 1 << 20)))
    digest.update("".join(f"{piece}\n" for piece in pieces).encode(errors="backslashreplace"))
    for text, pair in _PROBES:
        try:
            tokens = tokenizer.encode(text, pair)
        except AppError as error:  # such as no room for any text
            digest.update(type(error).__name__.encode())
            continue
        for array in (tokens.ids, tokens.segment_ids, tokens.position_ids, tokens.spans):
            digest.update(array.astype("<i4").tobytes())
    return digest.hexdigest()
