"""WordPiece classes: BERT's, MPNet's, Funnel's, Splinter's and RoFormer's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import tokenizers
from tokenizers import AddedToken, decoders, normalizers, pre_tokenizers, processors
from tokenizers.models import WordLevel, WordPiece

from bertviz_app.errors import Message, TokenizerError
from bertviz_app.text.classes.added import add_pieces
from bertviz_app.text.classes.declared import Declared, Piece, brief
from bertviz_app.text.classes.vocabulary import Vocabulary

_BERT: dict[str, Piece] = {
    "unk_token": "[UNK]",
    "sep_token": "[SEP]",
    "pad_token": "[PAD]",
    "cls_token": "[CLS]",
    "mask_token": "[MASK]",
}


def bert(vocabulary: Vocabulary, declared: Declared) -> tokenizers.Tokenizer:
    """Return BertTokenizer (Devlin et al. 2019), which reads also ELECTRA, DistilBERT and many others."""
    specials = declared.with_defaults(**_BERT)
    backend = _word_pieces(vocabulary, declared, specials)
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
    # The mask token includes the space before it.
    specials = {
        role: AddedToken(piece, lstrip=role == "mask_token", rstrip=False)
        if isinstance(piece, str) and role not in declared.own
        else piece
        for role, piece in specials.items()
    }
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
    specials = declared.with_defaults(**_BERT)
    backend = _word_pieces(vocabulary, declared, specials, splits_chinese=False)
    add_pieces(backend, specials, declared)
    backend.post_processor = between(backend, str(specials["cls_token"]), str(specials["sep_token"]))
    return backend


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


def validate_has(vocabulary: Vocabulary, declared: Declared, needed: Sequence[str]) -> None:
    """Raise TokenizerError if a needed special token is neither in the vocabulary nor added."""
    added = {token.content for token in declared.added.values()}
    absent = [text for text in needed if text not in vocabulary.ids and text not in added]
    if absent:
        names = ", ".join(map(brief, absent))
        message = Message("{0} is no BERT vocabulary: it has no {1}.", vocabulary.source, names)
        raise TokenizerError(
            message, Message("A vocabulary has one piece a line, special tokens among them.")
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
