"""WordPiece classes, and what every class is made of: vocabulary, options, added and special tokens."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from functools import cached_property
from types import MappingProxyType
from typing import Protocol

import tokenizers
from tokenizers import (
    AddedToken,
    NormalizedString,
    PreTokenizedString,
    decoders,
    normalizers,
    pre_tokenizers,
    processors,
)
from tokenizers.models import WordLevel, WordPiece

from bertviz_app.errors import Message, TokenizerError
from bertviz_app.text.cutter import Cut
from bertviz_app.text.tokens import Aligned
from bertviz_app.values import dataclass, field, replace


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """The pieces with their ids, or in the order of their ids with scores; what else a file says of them.

    `merges` are those of byte-pair encoding. `charsmap` is SentencePiece's table of normalised characters,
    `special` its control and user-defined pieces. `post_processor` is that of a tokenizer.json.
    `source` names the file, for messages.
    """

    source: str
    ids: Mapping[str, int]
    scores: Sequence[tuple[str, float]] = ()
    merges: Sequence[tuple[str, str]] = ()
    charsmap: bytes | None = None
    special: tuple[AddedToken, ...] | None = None
    post_processor: processors.PostProcessor | None = None


Piece = str | AddedToken
"""A special token: its text alone, or with rules of how it is found in a text."""
ROLES = ("bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token")
"""The roles of special tokens, in the order in which those that the vocabulary lacks get their ids."""
ROBERTA_ROLES: Mapping[str, str] = MappingProxyType(
    {
        "bos_token": "<s>",
        "eos_token": "</s>",
        "sep_token": "</s>",
        "cls_token": "<s>",
        "unk_token": "<unk>",
        "pad_token": "<pad>",
        "mask_token": "<mask>",
    }
)
"""The special tokens of RoBERTa and of those whose vocabularies are made like its, by their roles."""


@dataclass(frozen=True, eq=False)
class Declared:
    """What tokenizer_config.json, special_tokens_map.json, added_tokens.json and tokenizer.json declare.

    `specials` are special tokens by role, `own` those of roles that only this checkpoint has, `extra` those
    without a role (None: none are declared), `additional` those that only special_tokens_map.json has.
    `added` are the added tokens by id. `n_rows` is the size of the table of embeddings, where it is known.
    """

    options: Mapping[str, object] = field(default_factory=dict)
    specials: Mapping[str, Piece] = field(default_factory=dict)
    own: Mapping[str, Piece] = field(default_factory=dict)
    extra: tuple[Piece, ...] | None = None
    additional: tuple[Piece, ...] | None = None
    added: Mapping[int, AddedToken] = field(default_factory=dict)
    n_rows: int | None = None

    def leaves_out(self, role: str, number: int) -> bool:
        """Return whether the class's own token for `role`, which would get the id `number`, has no embedding.

        Such a token, which no file mentions, is not added: the model does not have it.
        """
        return role not in self.specials and self.n_rows is not None and number >= self.n_rows

    def without_roles(self, otherwise: Sequence[Piece] | None = None) -> Sequence[Piece]:
        """Return the special tokens without a role; `otherwise` are those of the vocabulary's own file."""
        if self.extra is not None:
            return self.extra
        return (self.additional or ()) if otherwise is None else otherwise

    def is_given_up(self, role: str) -> bool:
        """Return whether the files say that there is no token for `role`, which its class would have."""
        return role in self.options and self.options[role] is None and role not in self.specials

    def flag(self, key: str, otherwise: bool) -> bool:
        """Return an option that is true or false; null counts as absent. Raises TokenizerError."""
        found = self.maybe(key)
        return otherwise if found is None else found

    def maybe(self, key: str) -> bool | None:
        """Return an option that may be true, false or null. Raises TokenizerError for any other value."""
        value = self.options.get(key)
        if value is not None and not isinstance(value, bool):
            raise wrong_option(key, Message("true or false"))
        return value

    def word(self, key: str, otherwise: str) -> str:
        """Return an option that is a text. Raises TokenizerError for any other value."""
        value = self.options.get(key)
        if value is None:
            return otherwise
        if not isinstance(value, str):
            raise wrong_option(key, Message("text"))
        return value

    def with_defaults(self, **defaults: Piece) -> dict[str, Piece]:
        """Return the special tokens by role, in the order of `ROLES`, then the checkpoint's own roles.

        `defaults` are those of the tokenizer class, for roles that the files do not mention.
        """
        found = {**defaults, **self.specials}
        ordered = {role: found[role] for role in ROLES if role in found}
        return {**ordered, **{role: piece for role, piece in found.items() if role not in ROLES}, **self.own}


def brief(name: str, at_most: int = 80) -> str:
    """Return the start of a name from a file, without control characters, for use in a message."""
    start = name[:at_most]
    return start if start.isprintable() else ascii(start)


def wrong_option(key: str, kind: str) -> TokenizerError:
    """Return the TokenizerError for an option of tokenizer_config.json that is not of its `kind`."""
    return TokenizerError(
        Message("{0} in {1} must be {2}.", key, "tokenizer_config.json", kind),
        Message("Fetch the tokenizer's files again; they come with the checkpoint."),
    )


def add_pieces(
    backend: tokenizers.Tokenizer,
    specials: Mapping[str, Piece],
    declared: Declared,
    extra: Sequence[Piece] | None = None,
) -> None:
    """Add the declared added tokens, then the special ones that the vocabulary or the former lack.

    `extra` are tokens without a role of a checkpoint that declares none. A token that the vocabulary lacks
    gets the next free id, whatever id it is declared with: see `differing_ids`.
    """
    found = backend.get_added_tokens_decoder()
    pieces: list[Piece] = [declared.added[number] for number in sorted(declared.added)]
    numbers = backend.get_vocab(with_added_tokens=True)
    known = {*(token.content for token in found.values()), *(str(piece) for piece in pieces)}
    free = len({*numbers, *map(str, pieces)})
    for role, piece in (*specials.items(), *(("", piece) for piece in declared.without_roles(extra))):
        if str(piece) in known or piece in pieces:
            continue
        if str(piece) not in numbers:
            if role and declared.leaves_out(role, free):
                continue
            free += 1
        pieces.append(piece)
    named = {str(piece) for piece in specials.values()}
    backend.add_tokens([_token(piece, named) for piece in pieces])


def _token(piece: Piece, named: set[str]) -> AddedToken:
    """Return `piece` as the library takes it; a token with a role is special in any case."""
    if isinstance(piece, str):
        return AddedToken(piece, special=True)
    if not piece.special and piece.content in named:
        piece.special = True
    return piece


def differing_ids(backend: tokenizers.Tokenizer, declared: Declared) -> list[Message]:
    """Return a remark on each added token that is declared with another id than it has."""
    remarks = []
    for declared_id, token in sorted(declared.added.items()):
        number = backend.token_to_id(token.content)
        if number != declared_id:
            remarks.append(
                Message(
                    "The added token “{0}” is declared with the id {1}; here, as in transformers, it has the "
                    "next free one, {2}.",
                    token.content,
                    declared_id,
                    number,
                )
            )
    return remarks


def with_spaced_mask(specials: Mapping[str, Piece], declared: Declared) -> dict[str, Piece]:
    """Return `specials` with rules of how they are found: the mask token includes the space before it."""
    return {
        role: AddedToken(piece, lstrip=role == "mask_token", rstrip=False)
        if isinstance(piece, str) and role not in declared.own
        else piece
        for role, piece in specials.items()
    }


_BERT: dict[str, Piece] = {
    "unk_token": "[UNK]",
    "sep_token": "[SEP]",
    "pad_token": "[PAD]",
    "cls_token": "[CLS]",
    "mask_token": "[MASK]",
}


def bert(
    vocabulary: Vocabulary, declared: Declared, splits_chinese: bool | None = None
) -> tokenizers.Tokenizer:
    """Return BertTokenizer (Devlin et al. 2019), which reads also ELECTRA, DistilBERT and many others."""
    specials = declared.with_defaults(**_BERT)
    backend = _word_pieces(vocabulary, declared, specials, splits_chinese=splits_chinese)
    add_pieces(backend, specials, declared)
    backend.post_processor = between(backend, str(specials["cls_token"]), str(specials["sep_token"]))
    return backend


def dpr(vocabulary: Vocabulary, declared: Declared) -> tokenizers.Tokenizer:
    """Return DPR's tokenizer: BERT's, which writes small letters whatever is declared."""
    options = {key: value for key, value in declared.options.items() if key != "do_lower_case"}
    return bert(vocabulary, replace(declared, options=options))


def mpnet(vocabulary: Vocabulary, declared: Declared) -> tokenizers.Tokenizer:
    """Return MPNetTokenizer (Song et al. 2020): BERT's pieces between RoBERTa's special tokens."""
    roles = {"bos": "<s>", "eos": "</s>", "sep": "</s>", "cls": "<s>", "unk": "[UNK]", "pad": "<pad>"}
    specials = declared.with_defaults(
        **{f"{role}_token": text for role, text in roles.items()}, mask_token="<mask>"
    )
    specials = with_spaced_mask(specials, declared)
    backend = _word_pieces(vocabulary, declared, specials)
    add_pieces(backend, specials, declared)
    ends = [
        (text, _number(backend, text, otherwise))
        for text, otherwise in ((str(specials["sep_token"]), 2), (str(specials["cls_token"]), 0))
    ]
    backend.post_processor = processors.RobertaProcessing(ends[0], ends[1], True, False)
    return backend


def funnel(vocabulary: Vocabulary, declared: Declared) -> tokenizers.Tokenizer:
    """Return FunnelTokenizer (Dai et al. 2020): the first token has a segment of its own, 2."""
    roles = {"unk": "<unk>", "sep": "<sep>", "pad": "<pad>", "cls": "<cls>", "mask": "<mask>"}
    roles |= {"bos": "<s>", "eos": "</s>"}
    specials = declared.with_defaults(**{f"{role}_token": text for role, text in roles.items()})
    backend = _word_pieces(vocabulary, declared, specials, declared.flag("clean_text", True))
    add_pieces(backend, specials, declared)
    backend.post_processor = between(
        backend, str(specials["cls_token"]), str(specials["sep_token"]), first_segment=2
    )
    return backend


def splinter(vocabulary: Vocabulary, declared: Declared) -> tokenizers.Tokenizer:
    """Return SplinterTokenizer (Ram et al. 2021): sentence 1 of a pair ends in [QUESTION] and a full stop."""
    specials = {**declared.with_defaults(**_BERT, question_token="[QUESTION]")}
    backend = _word_pieces(vocabulary, declared, specials)
    add_pieces(backend, specials, declared)
    begin, end = str(specials["cls_token"]), str(specials["sep_token"])
    question = str(specials["question_token"])
    if declared.word("padding_side", "right") == "right":
        pair = f"{begin}:0 $A:0 {question} . {end}:0 $B:1 {end}:1"
    else:
        pair = f"{begin}:0 $A:0 {end}:0 $B:1 {question} . {end}:1"
    backend.post_processor = processors.TemplateProcessing(
        single=f"{begin}:0 $A:0 {end}:0",
        pair=pair,
        special_tokens=[(text, _number(backend, text)) for text in (begin, end, question, ".")],
    )
    return backend


def roformer(vocabulary: Vocabulary, declared: Declared) -> tokenizers.Tokenizer:
    """Return RoFormerTokenizer (Su et al. 2021), but for the cutter that splits its texts into words."""
    return bert(vocabulary, declared, splits_chinese=False)


def listed(vocabulary: Vocabulary, declared: Declared) -> tokenizers.Tokenizer:
    """Return the tokenizer of a plain list of pieces: BERT's, or of whole words where none continues a word.

    Special tokens are those of BERT, in whatever brackets and case the list has them. Whole words are what
    stands between white space, as in the textbook “Dive into Deep Learning”.
    """
    by_name = {
        piece[1:-1].lower(): piece for piece in vocabulary.ids if piece[:1] + piece[-1:] in ("[]", "<>")
    }
    own = {
        role: by_name.get(text[1:-1].lower(), text) for role, text in _BERT.items() if isinstance(text, str)
    }
    declared = replace(declared, specials={**own, **declared.specials})
    if any(piece.startswith("##") for piece in vocabulary.ids):
        return bert(vocabulary, declared)
    specials = declared.with_defaults(**_BERT)
    needed = [str(specials[role]) for role in ("cls_token", "sep_token", "unk_token")]
    validate_has(vocabulary, declared, needed)
    backend = tokenizers.Tokenizer(WordLevel(dict(vocabulary.ids), unk_token=needed[2]))
    if declared.flag("do_lower_case", True):
        backend.normalizer = normalizers.Lowercase()
    backend.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    add_pieces(backend, specials, declared)
    backend.post_processor = between(backend, needed[0], needed[1])
    return backend


def between(
    backend: tokenizers.Tokenizer, begin: str, end: str, first_segment: int = 0
) -> processors.PostProcessor:
    """Return the processor that puts a text between `begin` and `end`; sentence 2 gets another `end`."""
    single = f"{begin}:{first_segment} $A:0 {end}:0"
    return processors.TemplateProcessing(
        single=single,
        pair=f"{single} $B:1 {end}:1",
        special_tokens=[(text, _number(backend, text)) for text in (begin, end)],
    )


def lacking(vocabulary: Vocabulary, declared: Declared, needed: Iterable[str]) -> list[str]:
    """Return the needed special tokens that are neither in the vocabulary nor added."""
    added = {token.content for token in declared.added.values()}
    return [text for text in needed if text not in vocabulary.ids and text not in added]


def validate_has(vocabulary: Vocabulary, declared: Declared, needed: Sequence[str]) -> None:
    """Raise TokenizerError if a needed special token is neither in the vocabulary nor added."""
    if absent := lacking(vocabulary, declared, needed):
        names = ", ".join(map(brief, absent))
        raise TokenizerError(
            Message("{0} is no BERT vocabulary: it has no {1}.", vocabulary.source, names),
            Message("A vocabulary has one piece a line, special tokens among them."),
        )


def _word_pieces(
    vocabulary: Vocabulary,
    declared: Declared,
    specials: dict[str, Piece],
    cleans: bool = True,
    splits_chinese: bool | None = None,
) -> tokenizers.Tokenizer:
    unknown = str(specials["unk_token"])
    validate_has(
        vocabulary, declared, [str(specials[role]) for role in ("cls_token", "sep_token", "unk_token")]
    )
    backend = tokenizers.Tokenizer(WordPiece(dict(vocabulary.ids), unk_token=unknown))
    if splits_chinese is None:
        splits_chinese = declared.flag("tokenize_chinese_chars", True)
    backend.normalizer = normalizers.BertNormalizer(
        clean_text=cleans,
        handle_chinese_chars=splits_chinese,
        strip_accents=declared.maybe("strip_accents"),
        lowercase=declared.flag("do_lower_case", True),
    )
    backend.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    backend.decoder = decoders.WordPiece(prefix="##")
    return backend


def _number(backend: tokenizers.Tokenizer, text: str, otherwise: int | None = None) -> int:
    """Return the id of a special token; as in `transformers`, that of the unknown token without one."""
    number: int | None = backend.token_to_id(text)
    if number is None:
        number = otherwise if otherwise is not None else backend.token_to_id("[UNK]")
    return 0 if number is None else number


class JiebaWords:
    """Splits a text with Jieba; a word that the vocabulary lacks is split into its Chinese characters."""

    def __init__(self, vocabulary: Set[str]) -> None:
        self._vocabulary = vocabulary
        try:
            import rjieba
        except ImportError as error:
            raise TokenizerError(
                Message("The texts of this checkpoint are cut by Jieba, and {0} is not installed.", "rjieba"),
                Message("Type: {0}. Then open it again.", "pip install rjieba"),
            ) from error
        self._jieba = rjieba
        self._characters = normalizers.BertNormalizer(
            clean_text=False, handle_chinese_chars=True, strip_accents=False, lowercase=False
        )

    def __reduce__(self) -> tuple[type[JiebaWords], tuple[Set[str]]]:
        """Copy and pickle it by what it was made from."""
        return JiebaWords, (self._vocabulary,)

    def pre_tokenize(self, text: PreTokenizedString) -> None:
        """Split `text` in place: the protocol of a custom pre-tokenizer."""
        text.split(self._split)

    def _split(self, _: int, text: NormalizedString) -> list[NormalizedString]:
        found: list[NormalizedString | None] = []
        for word, first, last in self._jieba.tokenize(str(text), hmm=False):
            if word in self._vocabulary:
                found.append(text[first:last])
                continue
            for part in self._characters.normalize_str(word).split():
                found.append(text[first : first + len(part)])
                first += len(part)
        return [part for part in found if part is not None]


class WordPieces(Protocol):
    """Splits a stretch of text without added tokens; the words that it numbers begin with 0."""

    def pieces(self, stretch: Aligned) -> list[Cut]:
        """Return the pieces of `stretch`, with their spans in the typed text."""


@dataclass(frozen=True, eq=False)
class Marked:
    """Splits a text at its added tokens, and what is between them with `inner`."""

    inner: WordPieces
    added: Mapping[str, AddedToken]

    def cut(self, text: str) -> list[Cut]:
        """Return the pieces of `text`; an added token in it is a piece of its own."""
        found: list[Cut] = []
        for stretch in self._stretches(text):
            n_words = found[-1].word + 1 if found else 0
            if stretch.text in self.added:
                found.append(Cut(stretch.text, *stretch.span(), n_words))
            elif stretch:
                found += [cut._replace(word=cut.word + n_words) for cut in self.inner.pieces(stretch)]
        return found

    @cached_property
    def _pattern(self) -> re.Pattern[str] | None:
        """Matches the longest of the added tokens that begin at a position."""
        return longest_of(text for text in self.added if text)

    def _stretches(self, text: str) -> list[Aligned]:
        """Return the added tokens and what is between them, without the white space that tokens take."""
        whole = Aligned.typed(text)
        found = [whole[first:last] for first, last in split_by(self._pattern, text) if first < last]
        for position, stretch in enumerate(found):
            if (token := self.added.get(stretch.text)) is not None:
                _apply(token, found, position)
        return found


def longest_of(texts: Iterable[str]) -> re.Pattern[str] | None:
    """Return what matches the longest of `texts` that begins at a position; None without any."""
    ordered = sorted(texts, key=len, reverse=True)
    return re.compile("|".join(map(re.escape, ordered))) if ordered else None


def split_by(pattern: re.Pattern[str] | None, text: str) -> Iterator[tuple[int, int]]:
    """Yield where the matches in `text` begin and end, and the stretches between them, which may be empty."""
    end = 0
    for match in pattern.finditer(text) if pattern is not None else ():
        yield end, match.start()
        yield match.span()
        end = match.end()
    yield end, len(text)


def _apply(token: AddedToken, found: list[Aligned], position: int) -> None:
    """Let one added token take white space from its neighbours, or be a part of the word around it."""
    nothing = Aligned("", [])
    left = found[position - 1] if position > 0 else nothing
    right = found[position + 1] if position + 1 < len(found) else nothing
    if token.rstrip and right:
        found[position + 1] = right.stripped(right=False)
    if token.lstrip and left:
        found[position - 1] = left.stripped(left=False)
    if token.single_word:
        if left and not left.text.endswith(" "):
            found[position - 1] = found[position - 1].joined(found[position])
            found[position] = nothing
        elif right and not right.text.startswith(" "):
            found[position + 1] = found[position].joined(found[position + 1])
            found[position] = nothing


def with_added(
    vocabulary: Mapping[str, int], specials: Mapping[str, Piece], declared: Declared
) -> tuple[dict[str, int], dict[str, AddedToken]]:
    """Return the ids of all pieces, and the added tokens by their text.

    A declared added token has its declared id; a special token that is neither there nor in the vocabulary
    gets the next one.
    """
    added = {token.content: token for _, token in sorted(declared.added.items())}
    ids = {**vocabulary, **{token.content: number for number, token in declared.added.items()}}
    new = len(ids)
    for role, piece in (*specials.items(), *(("", piece) for piece in declared.without_roles())):
        text = str(piece)
        if not text or text in added:
            continue
        if text not in ids:
            if role and declared.leaves_out(role, new):
                continue
            ids[text] = new
            new += 1
        added[text] = AddedToken(text, rstrip=False, lstrip=False, normalized=False, special=True)
    return ids, added


def template(begin: str, end: str, n_between: int = 1, segments: bool = True) -> tuple[list[str], list[str]]:
    """Return what is written around one text, and around a pair with `n_between` ends between its texts."""
    second = 1 if segments else 0
    single = [f"{begin}:0", "$A:0", f"{end}:0"]
    # Only the first end belongs to sentence 1.
    more: Sequence[str] = [f"{end}:{second}"] * (n_between - 1)
    return single, [*single, *more, f"$B:{second}", f"{end}:{second}"]
