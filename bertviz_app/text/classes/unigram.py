"""Unigram classes, of SentencePiece models: XLM-RoBERTa's, CamemBERT's, ALBERT's, DeBERTa's and more."""

from __future__ import annotations

from collections.abc import Sequence

import tokenizers
from tokenizers import AddedToken, Regex, decoders, normalizers, pre_tokenizers, processors
from tokenizers.models import Unigram

from bertviz_app.errors import Message, TokenizerError
from bertviz_app.text.classes.added import add_pieces
from bertviz_app.text.classes.declared import Declared, Piece, brief
from bertviz_app.text.classes.vocabulary import Vocabulary
from bertviz_app.text.classes.word_piece import between

_SPACE = "\u2581"
_QUOTES = (("``", '"'), ("''", '"'))
_FAIRSEQ: dict[str, Piece] = {
    "bos_token": "<s>",
    "eos_token": "</s>",
    "sep_token": "</s>",
    "cls_token": "<s>",
    "unk_token": "<unk>",
    "pad_token": "<pad>",
    "mask_token": "<mask>",
}
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
    specials = declared.with_defaults(**_FAIRSEQ)
    scores = vocabulary.scores
    if vocabulary.special is not None:
        first = [(str(specials[role]), 0.0) for role in ("bos_token", "pad_token", "eos_token", "unk_token")]
        scores = [*first, *scores[3:], (str(specials["mask_token"]), 0.0)]
    backend = _unigram(vocabulary.source, scores, 3)
    if vocabulary.charsmap is not None:
        backend.normalizer = normalizers.Precompiled(vocabulary.charsmap)
    _split_at_spaces(backend, declared)
    add_pieces(backend, specials, declared, vocabulary.special)
    backend.post_processor = _doubled(backend, specials)
    return backend


def camembert(vocabulary: Vocabulary, declared: Declared) -> tokenizers.Tokenizer:
    """Return CamembertTokenizer (Martin et al. 2020): fairseq's four, then the model's own again."""
    specials = declared.with_defaults(**_FAIRSEQ)
    mask = specials["mask_token"]
    scores = vocabulary.scores
    if vocabulary.special is not None:
        first = [("<s>NOTUSED", 0.0), (str(specials["pad_token"]), 0.0), ("</s>NOTUSED", 0.0)]
        first += [(str(specials["unk_token"]), 0.0), ("<unk>NOTUSED", -100.0)]
        scores = [*first, *scores[1:], (str(mask), 0.0)]
    names = [piece for piece, _ in scores]
    unknown = str(specials["unk_token"])
    backend = _unigram(vocabulary.source, scores, names.index(unknown) if unknown in names else 0)
    if vocabulary.charsmap is not None:
        backend.normalizer = normalizers.Precompiled(vocabulary.charsmap)
    _split_at_spaces(backend, declared)
    if isinstance(mask, str):
        specials["mask_token"] = AddedToken(mask, lstrip=True, special=True)
    unused = ("<s>NOTUSED", "</s>NOTUSED", "<unk>NOTUSED")
    add_pieces(backend, specials, declared, vocabulary.special or declared.additional or unused)
    backend.post_processor = _doubled(backend, specials)
    return backend


def albert(vocabulary: Vocabulary, declared: Declared) -> tokenizers.Tokenizer:
    """Return AlbertTokenizer (Lan et al. 2020)."""
    specials = declared.with_defaults(**_GOOGLE)
    backend = _unigram(vocabulary.source, vocabulary.scores, 1)
    backend.normalizer = normalizers.Sequence(
        [
            *(normalizers.Replace(theirs, ours) for theirs, ours in _QUOTES),
            *_letters(declared, keeps_accents=False, lower_case=True),
            *_charsmap(vocabulary),
        ]
    )
    _split_at_spaces(backend, declared)
    begin, end = str(specials["cls_token"]), str(specials["sep_token"])
    _validate_has(backend, vocabulary, (begin, end))
    processor = vocabulary.post_processor
    if processor is None:
        processor = between(backend, begin, end)
    backend.post_processor = processor
    add_pieces(backend, specials, declared, vocabulary.special)
    return backend


def deberta_v2(vocabulary: Vocabulary, declared: Declared) -> tokenizers.Tokenizer:
    """Return DebertaV2Tokenizer (He et al. 2021), also of DeBERTa v3."""
    specials = declared.with_defaults(**{**_GOOGLE, "unk_token": "[UNK]", "pad_token": "[PAD]"})
    unknown = (str(specials["unk_token"]), 0.0)
    scores = list(vocabulary.scores)
    number = declared.options.get("unk_id", 1)
    number = scores.index(unknown) if unknown in scores else number if isinstance(number, int) else 1
    backend = _unigram(vocabulary.source, scores, number)
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
    scheme = "always" if declared.flag("add_prefix_space", True) else "first"
    spaces = pre_tokenizers.Metaspace(replacement=_SPACE, prepend_scheme=scheme)
    backend.pre_tokenizer = pre_tokenizers.Sequence([*signs, spaces])
    backend.decoder = decoders.Metaspace(replacement=_SPACE, prepend_scheme=scheme)
    add_pieces(backend, specials, declared, vocabulary.special)
    backend.post_processor = between(backend, str(specials["cls_token"]), str(specials["sep_token"]))
    return backend


def rembert(vocabulary: Vocabulary, declared: Declared) -> tokenizers.Tokenizer:
    """Return RemBertTokenizer (Chung et al. 2021)."""
    specials = declared.with_defaults(**_GOOGLE)
    backend = _unigram(vocabulary.source, vocabulary.scores, 2)
    backend.normalizer = normalizers.Sequence(
        [
            *(normalizers.Replace(theirs, ours) for theirs, ours in _QUOTES),
            normalizers.Replace(Regex(" {2,}"), " "),
            *_letters(declared, keeps_accents=True, lower_case=False),
            *_charsmap(vocabulary),
        ]
    )
    scheme = "always" if declared.flag("add_prefix_space", True) else "never"
    backend.pre_tokenizer = pre_tokenizers.Metaspace(replacement=_SPACE, prepend_scheme=scheme)
    backend.decoder = decoders.Metaspace(replacement=_SPACE, prepend_scheme=scheme)
    add_pieces(backend, specials, declared, vocabulary.special)
    backend.post_processor = between(backend, str(specials["cls_token"]), str(specials["sep_token"]))
    extra = declared.without_roles(vocabulary.special)
    backend.add_special_tokens(
        [
            piece if isinstance(piece, AddedToken) else AddedToken(piece, special=True, normalized=False)
            for piece in (*specials.values(), *extra)
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
    backend = _unigram(vocabulary.source, scores, 2)
    if vocabulary.charsmap is not None:
        backend.normalizer = normalizers.Precompiled(vocabulary.charsmap)
    _split_at_spaces(backend, Declared())
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
        **{**_FAIRSEQ, "sep_token": "[SEP]", "cls_token": "[CLS]", "mask_token": "[MASK]"}
    )
    specials = {
        role: AddedToken(piece, lstrip=role == "mask_token", rstrip=False)
        if isinstance(piece, str) and role not in declared.own
        else piece
        for role, piece in specials.items()
    }
    unknown, scores = (str(specials["unk_token"]), 0.0), list(vocabulary.scores)
    backend = _unigram(vocabulary.source, scores, scores.index(unknown) if unknown in scores else 100)
    backend.normalizer = normalizers.Sequence(
        [normalizers.Strip(left=False, right=False), normalizers.Replace(Regex(" {2,}"), _SPACE)]
    )
    scheme = "always" if declared.flag("add_prefix_space", True) else "never"
    backend.pre_tokenizer = pre_tokenizers.Metaspace(replacement=_SPACE, prepend_scheme=scheme, split=True)
    backend.decoder = decoders.Metaspace(replacement=_SPACE, prepend_scheme=scheme, split=True)
    add_pieces(backend, specials, declared, vocabulary.special)
    backend.post_processor = between(backend, str(specials["cls_token"]), str(specials["sep_token"]))
    return backend


def _unigram(source: str, scores: Sequence[tuple[str, float]], unknown: int) -> tokenizers.Tokenizer:
    """Return a tokenizer of scored pieces, of which the one with the id `unknown` stands for the others."""
    if not 0 <= unknown < len(scores):
        raise TokenizerError(
            Message("{0} has too few pieces for this model.", source),
            Message("Put the vocabulary that the model was trained with into its folder."),
        )
    return tokenizers.Tokenizer(Unigram(list(scores), unk_id=unknown, byte_fallback=False))


def _split_at_spaces(backend: tokenizers.Tokenizer, declared: Declared) -> None:
    scheme = "always" if declared.flag("add_prefix_space", True) else "never"
    spaces = pre_tokenizers.Metaspace(replacement=_SPACE, prepend_scheme=scheme)
    backend.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), spaces])
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


def _doubled(backend: tokenizers.Tokenizer, specials: dict[str, Piece]) -> processors.PostProcessor:
    """Return the processor that writes two ends between two texts, as RoBERTa has them, all of segment 0."""
    begin, end = str(specials["bos_token"]), str(specials["eos_token"])
    return processors.TemplateProcessing(
        single=[begin, "$A", end],
        pair=[begin, "$A", end, end, "$B", end],
        special_tokens=[(text, backend.token_to_id(text)) for text in (begin, end)],
    )


def _validate_has(backend: tokenizers.Tokenizer, vocabulary: Vocabulary, pieces: Sequence[str]) -> None:
    if any(backend.token_to_id(piece) is None for piece in pieces):
        message = Message(
            "{0} is no vocabulary for this model: it has no {1}.",
            vocabulary.source,
            " and ".join(map(brief, pieces)),
        )
        raise TokenizerError(
            message, Message("Put the vocabulary that the model was trained with into its folder.")
        )
