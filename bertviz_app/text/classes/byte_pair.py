"""Byte-pair classes: RoBERTa's, DeBERTa's and CLIP's, of bytes, and HerBERT's, of characters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

import tokenizers
from tokenizers import Regex, decoders, normalizers, pre_tokenizers, processors
from tokenizers.models import BPE

from bertviz_app.errors import Message, TokenizerError
from bertviz_app.text.classes.added import add_pieces
from bertviz_app.text.classes.declared import ROBERTA_ROLES, Declared, Piece, brief
from bertviz_app.text.classes.vocabulary import Vocabulary

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
_CLIP_WORDS = r"<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"
"""What CLIP's own code splits a text into before it looks for pairs."""
_NO_BYTES = Message("Save a tokenizer.json with the tokenizer that the model was trained with.")
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
    specials = declared.with_defaults(
        bos_token="[CLS]",
        eos_token="[SEP]",
        unk_token="[UNK]",
        sep_token="[SEP]",
        cls_token="[CLS]",
        pad_token="[PAD]",
        mask_token="[MASK]",
    )
    _validate(vocabulary, declared, specials)
    backend = _of_bytes(vocabulary, declared)
    add_pieces(backend, specials, declared)
    begin, end = str(specials["cls_token"]), str(specials["sep_token"])
    backend.post_processor = processors.TemplateProcessing(
        single=f"{begin} $A {end}",
        pair=f"{begin} $A {end} {end} $B {end}",
        special_tokens=[(text, backend.token_to_id(text)) for text in (begin, end)],
    )
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
    words = pre_tokenizers.Split(Regex(_CLIP_WORDS), behavior="removed", invert=True)
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
    letters = set(pre_tokenizers.ByteLevel.alphabet())
    if not letters <= vocabulary.ids.keys():
        message = Message("{0} is no vocabulary of bytes: it lacks some of the 256.", vocabulary.source)
        raise TokenizerError(message, _NO_BYTES)


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
    needed = dict.fromkeys(str(specials[role]) for role in roles)
    added = {token.content for token in declared.added.values()}
    absent = [text for text in needed if text not in vocabulary.ids and text not in added]
    if absent:
        message = Message(
            "{0} is no vocabulary for this model: it has no {1}.",
            vocabulary.source,
            ", ".join(map(brief, absent)),
        )
        raise TokenizerError(message, _AGAIN)
