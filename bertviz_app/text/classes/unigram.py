"""Tokenizer classes of SentencePiece models and of byte pairs, and the files that hold their pieces."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

import tokenizers
from tokenizers import AddedToken, Regex, decoders, normalizers, pre_tokenizers, processors
from tokenizers.models import BPE, Unigram

from bertviz_app.errors import Message, TokenizerError
from bertviz_app.text.classes.vocabulary import (
    ROBERTA_ROLES,
    Declared,
    Piece,
    Vocabulary,
    add_pieces,
    between,
    brief,
    lacking,
    with_spaced_mask,
)
from bertviz_app.values import dataclass, replace

_SPACE = "\u2581"
_QUOTES = (("``", '"'), ("''", '"'))
_GOOGLE: dict[str, Piece] = {
    "bos_token": "[CLS]",
    "eos_token": "[SEP]",
    "unk_token": "<unk>",
    "sep_token": "[SEP]",
    "pad_token": "<pad>",
    "cls_token": "[CLS]",
    "mask_token": "[MASK]",
}


def xlm_roberta(vocabulary: Vocabulary, declared: Declared) -> tokenizers.Tokenizer:
    """Return XLMRobertaTokenizer (Conneau et al. 2020); fairseq numbers four special pieces by itself."""
    specials = declared.with_defaults(**ROBERTA_ROLES)
    scores = vocabulary.scores
    if vocabulary.special is not None:
        first = [(str(specials[role]), 0.0) for role in ("bos_token", "pad_token", "eos_token", "unk_token")]
        scores = [*first, *scores[3:], (str(specials["mask_token"]), 0.0)]
    backend = _unigram(vocabulary, scores, 3, *_charsmap(vocabulary))
    _split_at_spaces(backend, declared, pre_tokenizers.WhitespaceSplit())
    add_pieces(backend, specials, declared, vocabulary.special)
    backend.post_processor = _doubled(backend, specials["bos_token"], specials["eos_token"])
    return backend


def camembert(vocabulary: Vocabulary, declared: Declared) -> tokenizers.Tokenizer:
    """Return CamembertTokenizer (Martin et al. 2020): fairseq's four, then the model's own again."""
    specials = declared.with_defaults(**ROBERTA_ROLES)
    mask = specials["mask_token"]
    scores = vocabulary.scores
    if vocabulary.special is not None:
        first = [("<s>NOTUSED", 0.0), (str(specials["pad_token"]), 0.0), ("</s>NOTUSED", 0.0)]
        first += [(str(specials["unk_token"]), 0.0), ("<unk>NOTUSED", -100.0)]
        scores = [*first, *scores[1:], (str(mask), 0.0)]
    names = [piece for piece, _ in scores]
    unknown = str(specials["unk_token"])
    at = names.index(unknown) if unknown in names else 0
    backend = _unigram(vocabulary, scores, at, *_charsmap(vocabulary))
    _split_at_spaces(backend, declared, pre_tokenizers.WhitespaceSplit())
    if isinstance(mask, str):
        specials["mask_token"] = AddedToken(mask, lstrip=True, special=True)
    unused = ("<s>NOTUSED", "</s>NOTUSED", "<unk>NOTUSED")
    add_pieces(backend, specials, declared, vocabulary.special or declared.additional or unused)
    backend.post_processor = _doubled(backend, specials["bos_token"], specials["eos_token"])
    return backend


def albert(vocabulary: Vocabulary, declared: Declared) -> tokenizers.Tokenizer:
    """Return AlbertTokenizer (Lan et al. 2020)."""
    specials = declared.with_defaults(**_GOOGLE)
    backend = _unigram(vocabulary, vocabulary.scores, 1)
    backend.normalizer = normalizers.Sequence(
        [
            *(normalizers.Replace(theirs, ours) for theirs, ours in _QUOTES),
            *_letters(declared, keeps_accents=False, lower_case=True),
            *_charsmap(vocabulary),
        ]
    )
    _split_at_spaces(backend, declared, pre_tokenizers.WhitespaceSplit())
    begin, end = str(specials["cls_token"]), str(specials["sep_token"])
    _validate_has(backend, vocabulary, (begin, end))
    backend.post_processor = vocabulary.post_processor or between(backend, begin, end)
    add_pieces(backend, specials, declared, vocabulary.special)
    return backend


def deberta_v2(vocabulary: Vocabulary, declared: Declared) -> tokenizers.Tokenizer:
    """Return DebertaV2Tokenizer (He et al. 2021), also of DeBERTa v3."""
    specials = declared.with_defaults(**{**_GOOGLE, "unk_token": "[UNK]", "pad_token": "[PAD]"})
    unknown = (str(specials["unk_token"]), 0.0)
    scores = list(vocabulary.scores)
    number = declared.options.get("unk_id", 1)
    number = scores.index(unknown) if unknown in scores else number if isinstance(number, int) else 1
    backend = _unigram(vocabulary, scores, number)
    letters = [normalizers.Lowercase()] if declared.flag("do_lower_case", False) else []
    backend.normalizer = normalizers.Sequence(
        [
            *letters,
            normalizers.Replace(Regex(r"\s{2,}|[\n\r\t]"), " "),
            normalizers.NFC(),
            normalizers.Strip(left=False, right=True),
        ]
    )
    signs = (
        [pre_tokenizers.Punctuation(behavior="isolated")] if declared.flag("split_by_punct", False) else []
    )
    _split_at_spaces(backend, declared, *signs, otherwise="first")
    add_pieces(backend, specials, declared, vocabulary.special)
    backend.post_processor = between(backend, str(specials["cls_token"]), str(specials["sep_token"]))
    return backend


def rembert(vocabulary: Vocabulary, declared: Declared) -> tokenizers.Tokenizer:
    """Return RemBertTokenizer (Chung et al. 2021)."""
    specials = declared.with_defaults(**_GOOGLE)
    backend = _unigram(vocabulary, vocabulary.scores, 2)
    backend.normalizer = normalizers.Sequence(
        [
            *(normalizers.Replace(theirs, ours) for theirs, ours in _QUOTES),
            normalizers.Replace(Regex(" {2,}"), " "),
            *_letters(declared, keeps_accents=True, lower_case=False),
            *_charsmap(vocabulary),
        ]
    )
    _split_at_spaces(backend, declared)
    add_pieces(backend, specials, declared, vocabulary.special)
    backend.post_processor = between(backend, str(specials["cls_token"]), str(specials["sep_token"]))
    backend.add_special_tokens(
        [
            piece if isinstance(piece, AddedToken) else AddedToken(piece, special=True, normalized=False)
            for piece in (*specials.values(), *declared.without_roles(vocabulary.special))
        ]
    )
    return backend


def t5(vocabulary: Vocabulary, declared: Declared) -> tokenizers.Tokenizer:
    """Return T5Tokenizer (Raffel et al. 2020): an end after each text, and pieces for gaps (`extra_ids`)."""
    specials = declared.with_defaults(eos_token="</s>", unk_token="<unk>", pad_token="<pad>")
    n_gaps = declared.options.get("extra_ids", 100)
    gaps = [f"<extra_id_{number}>" for number in range(n_gaps if isinstance(n_gaps, int) else 100)]
    scores = list(vocabulary.scores)
    if vocabulary.special is not None:  # of a SentencePiece model, which has none of them
        scores += [(gap, 0.0) for gap in reversed(gaps)]
    backend = _unigram(vocabulary, scores, 2, *_charsmap(vocabulary))
    _split_at_spaces(backend, Declared(), pre_tokenizers.WhitespaceSplit())
    end = str(specials["eos_token"])
    add_pieces(backend, specials, declared, (*(vocabulary.special or ()), *gaps))
    _validate_has(backend, vocabulary, (end,))
    backend.post_processor = processors.TemplateProcessing(
        single=["$A", end], pair=["$A", end, "$B", end], special_tokens=[(end, backend.token_to_id(end))]
    )
    return backend


def big_bird(vocabulary: Vocabulary, declared: Declared) -> tokenizers.Tokenizer:
    """Return BigBirdTokenizer (Zaheer et al. 2020)."""
    specials = declared.with_defaults(
        **{**ROBERTA_ROLES, "sep_token": "[SEP]", "cls_token": "[CLS]", "mask_token": "[MASK]"}
    )
    specials = with_spaced_mask(specials, declared)
    unknown, scores = (str(specials["unk_token"]), 0.0), list(vocabulary.scores)
    backend = _unigram(vocabulary, scores, scores.index(unknown) if unknown in scores else 100)
    backend.normalizer = normalizers.Sequence(
        [normalizers.Strip(left=False, right=False), normalizers.Replace(Regex(" {2,}"), _SPACE)]
    )
    _split_at_spaces(backend, declared)
    add_pieces(backend, specials, declared, vocabulary.special)
    backend.post_processor = between(backend, str(specials["cls_token"]), str(specials["sep_token"]))
    return backend


def _unigram(
    vocabulary: Vocabulary,
    scores: Sequence[tuple[str, float]],
    unknown: int,
    *normalizing: normalizers.Normalizer,
) -> tokenizers.Tokenizer:
    """Return a tokenizer of scored pieces, of which the one with the id `unknown` stands for the others."""
    if not 0 <= unknown < len(scores):
        raise TokenizerError(
            Message("{0} has too few pieces for this model.", vocabulary.source),
            Message("Put the vocabulary that the model was trained with into its folder."),
        )
    backend = tokenizers.Tokenizer(Unigram(list(scores), unk_id=unknown, byte_fallback=False))
    if normalizing:
        backend.normalizer = normalizers.Sequence(list(normalizing))
    return backend


def _split_at_spaces(
    backend: tokenizers.Tokenizer,
    declared: Declared,
    *first: pre_tokenizers.PreTokenizer,
    otherwise: str = "never",
) -> None:
    """Let `backend` split before spaces, after it has split by `first`.

    `otherwise`: where a space is written if none is declared to be before each text.
    """
    scheme = "always" if declared.flag("add_prefix_space", True) else otherwise
    spaces = pre_tokenizers.Metaspace(replacement=_SPACE, prepend_scheme=scheme)
    backend.pre_tokenizer = pre_tokenizers.Sequence([*first, spaces]) if first else spaces
    backend.decoder = decoders.Metaspace(replacement=_SPACE, prepend_scheme=scheme)


def _letters(declared: Declared, *, keeps_accents: bool, lower_case: bool) -> list[normalizers.Normalizer]:
    found: list[normalizers.Normalizer] = []
    if not declared.flag("keep_accents", keeps_accents):
        found += [normalizers.NFKD(), normalizers.StripAccents()]
    if declared.flag("do_lower_case", lower_case):
        found.append(normalizers.Lowercase())
    return found


def _charsmap(vocabulary: Vocabulary) -> list[normalizers.Normalizer]:
    return [] if vocabulary.charsmap is None else [normalizers.Precompiled(vocabulary.charsmap)]


def _doubled(backend: tokenizers.Tokenizer, begin: Piece, end: Piece) -> processors.PostProcessor:
    """Return the processor that writes two ends between two texts, as RoBERTa has them, all of segment 0."""
    first, last = str(begin), str(end)
    return processors.TemplateProcessing(
        single=[first, "$A", last],
        pair=[first, "$A", last, last, "$B", last],
        special_tokens=[(text, backend.token_to_id(text)) for text in (first, last)],
    )


def _validate_has(backend: tokenizers.Tokenizer, vocabulary: Vocabulary, pieces: Sequence[str]) -> None:
    if any(backend.token_to_id(piece) is None for piece in pieces):
        raise TokenizerError(
            Message(
                "{0} is no vocabulary for this model: it has no {1}.",
                vocabulary.source,
                " and ".join(map(brief, pieces)),
            ),
            Message("Put the vocabulary that the model was trained with into its folder."),
        )


_OF_ENTITIES: Mapping[str, Piece] = MappingProxyType(
    {
        "entity_1_token": "<ent>",
        "entity_2_token": "<ent2>",
        "entity_unk_token": "[UNK]",
        "entity_pad_token": "[PAD]",
        "entity_mask_token": "[MASK]",
        "entity_mask2_token": "[MASK2]",
    }
)
"""The special tokens that LUKE adds; most checkpoints have embeddings of the first two alone."""
_AGAIN = Message("Fetch both files again; they come with the checkpoint.")


def roberta(vocabulary: Vocabulary, declared: Declared) -> tokenizers.Tokenizer:
    """Return RobertaTokenizer (Liu et al. 2019): byte pairs as in Radford et al. 2019, section 2.2."""
    specials = declared.with_defaults(**ROBERTA_ROLES)
    _validate(vocabulary, declared, specials)
    backend = _of_bytes(vocabulary, declared)
    add_pieces(backend, specials, declared)
    numbers = backend.get_vocab(with_added_tokens=True)
    separator, classifier = str(specials["sep_token"]), str(specials["cls_token"])
    backend.post_processor = processors.RobertaProcessing(
        (separator, numbers[separator]),
        (classifier, numbers[classifier]),
        declared.flag("trim_offsets", True),
        declared.flag("add_prefix_space", False),
    )
    return backend


def luke(vocabulary: Vocabulary, declared: Declared) -> tokenizers.Tokenizer:
    """Return LukeTokenizer (Yamada et al. 2020) for words: RoBERTa's, with the marks of entities."""
    return roberta(vocabulary, replace(declared, own={**_OF_ENTITIES, **declared.own}))


def deberta(vocabulary: Vocabulary, declared: Declared) -> tokenizers.Tokenizer:
    """Return DebertaTokenizer (He et al. 2020), of the first DeBERTa."""
    specials = declared.with_defaults(**{**_GOOGLE, "unk_token": "[UNK]", "pad_token": "[PAD]"})
    _validate(vocabulary, declared, specials)
    backend = _of_bytes(vocabulary, declared)
    add_pieces(backend, specials, declared)
    backend.post_processor = _doubled(backend, specials["cls_token"], specials["sep_token"])
    return backend


def herbert(vocabulary: Vocabulary, declared: Declared) -> tokenizers.Tokenizer:
    """Return HerbertTokenizer (Mroczkowski et al. 2021): pairs of characters, a word's last with </w>."""
    specials = declared.with_defaults(
        unk_token="<unk>", sep_token="</s>", pad_token="<pad>", cls_token="<s>", mask_token="<mask>"
    )
    _validate(vocabulary, declared, specials)
    unknown = str(specials["unk_token"])
    backend = tokenizers.Tokenizer(
        BPE(dict(vocabulary.ids), list(vocabulary.merges), unk_token=unknown, end_of_word_suffix="</w>")
    )
    backend.normalizer = normalizers.BertNormalizer(
        clean_text=True, handle_chinese_chars=True, strip_accents=False, lowercase=False
    )
    backend.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    backend.decoder = decoders.BPEDecoder(suffix="</w>")
    add_pieces(backend, specials, declared)
    # The ids are the class's own, whatever the vocabulary says.
    backend.post_processor = processors.BertProcessing(
        (str(specials["sep_token"]), 2), (str(specials["cls_token"]), 0)
    )
    return backend


def clip(vocabulary: Vocabulary, declared: Declared) -> tokenizers.Tokenizer:
    """Return CLIPTokenizer (Radford et al. 2021): small letters as bytes, a word's last with </w>."""
    end = "<|endoftext|>"
    specials = declared.with_defaults(
        bos_token="<|startoftext|>", eos_token=end, unk_token=end, pad_token=end
    )
    _validate(vocabulary, declared, specials, ("bos_token", "eos_token", "unk_token"))
    _validate_bytes(vocabulary)
    backend = tokenizers.Tokenizer(
        BPE(
            dict(vocabulary.ids),
            list(vocabulary.merges),
            continuing_subword_prefix="",
            end_of_word_suffix="</w>",
            fuse_unk=False,
            unk_token=str(specials["unk_token"]),
        )
    )
    backend.normalizer = normalizers.Sequence(
        [normalizers.NFC(), normalizers.Replace(Regex(r"\s+"), " "), normalizers.Lowercase()]
    )
    # What CLIP's own code splits a text into before it looks for pairs.
    parts = r"<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"
    words = pre_tokenizers.Split(Regex(parts), behavior="removed", invert=True)
    of_bytes = pre_tokenizers.ByteLevel(add_prefix_space=False)
    backend.pre_tokenizer = pre_tokenizers.Sequence([words, of_bytes])
    backend.decoder = decoders.ByteLevel()
    add_pieces(backend, specials, declared)
    numbers = backend.get_vocab(with_added_tokens=True)
    first, last = str(specials["bos_token"]), str(specials["eos_token"])
    backend.post_processor = processors.RobertaProcessing(
        (last, numbers[last]), (first, numbers[first]), trim_offsets=False, add_prefix_space=False
    )
    return backend


def _validate_bytes(vocabulary: Vocabulary) -> None:
    """Raise TokenizerError unless each byte is a piece."""
    if lacking := sorted(set(pre_tokenizers.ByteLevel.alphabet()) - vocabulary.ids.keys()):
        message = Message(
            "{0} is no vocabulary of bytes: it lacks {1} of the 256, such as “{2}”.",
            *(vocabulary.source, len(lacking), lacking[0]),
        )
        hint = Message(
            "Save a tokenizer.json with the tokenizer that the model was trained with, and let "
            "“tokenizer_class” in tokenizer_config.json be “{0}”: it is then taken as it is.",
            "PreTrainedTokenizerFast",
        )
        raise TokenizerError(message, hint)


def _of_bytes(vocabulary: Vocabulary, declared: Declared) -> tokenizers.Tokenizer:
    _validate_bytes(vocabulary)
    backend = tokenizers.Tokenizer(
        BPE(
            dict(vocabulary.ids),
            list(vocabulary.merges),
            dropout=None,
            continuing_subword_prefix="",
            end_of_word_suffix="",
            fuse_unk=False,
        )
    )
    spaced = declared.flag("add_prefix_space", False)
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=spaced)
    backend.decoder = decoders.ByteLevel()
    return backend


def _validate(
    vocabulary: Vocabulary,
    declared: Declared,
    specials: dict[str, Piece],
    roles: tuple[str, ...] = ("cls_token", "sep_token", "unk_token"),
) -> None:
    """Raise TokenizerError if a special token that is written into each text is not in the vocabulary."""
    if absent := lacking(vocabulary, declared, dict.fromkeys(str(specials[role]) for role in roles)):
        names = ", ".join(map(brief, absent))
        message = Message("{0} is no vocabulary for this model: it has no {1}.", vocabulary.source, names)
        raise TokenizerError(message, _AGAIN)


UNIGRAM = 1
_CONTROL, _USER_DEFINED = 3, 4


@dataclass(frozen=True)
class PieceModel:
    """The pieces of a model in the order of their ids, with scores and types; its kind and its charsmap."""

    pieces: tuple[tuple[str, float, int], ...]
    kind: int = UNIGRAM
    charsmap: bytes | None = None

    def special(self) -> Iterator[tuple[str, bool]]:
        """Yield control and user-defined pieces; True for control ones."""
        for piece, _, of_type in self.pieces:
            if of_type in (_CONTROL, _USER_DEFINED):
                yield piece, of_type == _CONTROL


def read_pieces(content: bytes) -> PieceModel:
    """Return the model in the bytes of a `.model` file. Raises ValueError for anything else."""
    pieces: list[tuple[str, float, int]] = []
    kind, charsmap = UNIGRAM, b""
    try:
        for number, value in _fields(content):
            if number == 1 and isinstance(value, bytes):
                pieces.append(_piece(value))
            elif number == 2 and isinstance(value, bytes):
                kind = next((v for n, v in _fields(value) if n == 3 and isinstance(v, int)), kind)
            elif number == 3 and isinstance(value, bytes):
                charsmap = next((v for n, v in _fields(value) if n == 2 and isinstance(v, bytes)), b"")
    except (IndexError, struct.error, UnicodeDecodeError) as error:
        raise ValueError("no SentencePiece model") from error
    if not pieces:
        raise ValueError("a SentencePiece model without pieces")
    return PieceModel(tuple(pieces), kind, charsmap or None)


def _piece(content: bytes) -> tuple[str, float, int]:
    text, score, of_type = "", 0.0, 1
    for number, value in _fields(content):
        if number == 1 and isinstance(value, bytes):
            text = value.decode("utf-8")
        elif number == 2 and isinstance(value, bytes) and len(value) == 4:
            (score,) = struct.unpack("<f", value)
        elif number == 3 and isinstance(value, int):
            of_type = value
    return text, score, of_type


def _fields(content: bytes) -> Iterator[tuple[int, int | bytes]]:
    """Yield the number and the value of each field: an integer, or bytes."""
    position = 0
    while position < len(content):
        key, position = _integer(content, position)
        number, wire = key >> 3, key & 7
        if wire == 0:
            value, position = _integer(content, position)
            yield number, value
            continue
        if wire == 2:
            length, position = _integer(content, position)
        elif wire in (1, 5):
            length = 8 if wire == 1 else 4
        else:
            raise ValueError("an unknown kind of field")
        if position + length > len(content):
            raise ValueError("a field that is cut short")
        yield number, content[position : position + length]
        position += length


def _integer(content: bytes, position: int) -> tuple[int, int]:
    """Return the variable-length integer at `position`, and the position after it."""
    value = shift = 0
    while True:
        byte = content[position]
        position += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, position
        shift += 7
        if shift > 63:
            raise ValueError("an integer that does not end")
