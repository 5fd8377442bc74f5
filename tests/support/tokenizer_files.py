"""The files of tokenizers, in every layout that checkpoints have them."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from random import Random
from types import MappingProxyType
from typing import Any

import sentencepiece
import tokenizers
from tokenizers import AddedToken, normalizers, pre_tokenizers, trainers
from tokenizers.models import BPE, WordPiece

Settings = Mapping[str, Any]
Pairs = tuple[Mapping[str, int], tuple[tuple[str, str], ...]]
KINDS = ("unigram", "bpe", "char", "word")
NOTEBOOK: Settings = {
    "pad_id": 0,
    "pad_piece": "[PAD]",
    "unk_id": 1,
    "unk_piece": "[UNK]",
    "bos_id": 2,
    "bos_piece": "[BOS]",
    "eos_id": 3,
    "eos_piece": "[EOS]",
    "user_defined_symbols": ("[SEP]", "[CLS]", "[MASK]"),
}
"""How Korean notebooks train theirs."""
XLM_ROBERTA: Settings = {}  # the library's own: <unk>, <s>, </s>
ALBERT: Settings = {
    "pad_id": 0,
    "unk_id": 1,
    "bos_id": -1,
    "eos_id": -1,
    "control_symbols": ("[CLS]", "[SEP]", "[MASK]"),
}
DEBERTA: Settings = {
    "pad_id": 0,
    "bos_id": 1,
    "eos_id": 2,
    "unk_id": 3,
    "pad_piece": "[PAD]",
    "bos_piece": "[CLS]",
    "eos_piece": "[SEP]",
    "unk_piece": "[UNK]",
}

_ENGLISH = (
    *("the cat ate the fish", "because it was hungry and the dog slept", "a child walked to the old house"),
    *("in 1,234 years nobody saw 99, or 7, of them", "she said: “no”, and went away", "time flies"),
)
_KOREAN = (
    *(
        "고양이가 배가 고파서 생선을 먹었다",
        "아이가 학교에 갔다가 집으로 돌아왔다",
        "오늘은 날씨가 정말 좋네요",
    ),
    *(
        "영화가 너무 재미있어서 두 번 봤어요",
        "한국어 문장을 조각으로 나눕니다",
        "그 사람은 1999년에 태어났다",
    ),
)
_ODD = (
    *(
        "  two  spaces\tand\ttabs\n",
        "ＦＵＬＬ　ｗｉｄｔｈ １２３",
        "ﬁne ①② ㎏ ㈜ ½ e\u0301 Å ǆ",
        "고양이 (나누어진)",
    ),
    *(
        "🙂👍🏽 👨‍👩‍👧 emoji",
        "zero\u200bwidth\u00a0space \ufeff mark",
        "ㅋㅋㅋㅋㅋㅋ ㅠㅠㅠ !!!!!!!",
        "▁ under ▁▁score",
    ),
    *(
        "عربي עברית ไทย हिन्दी 漢字かな",
        "Ａ\u0301 ﾊﾞ ｶﾞ ㌔",
        "aaaaaaaaaaaaaaaaaaaaaaaa",
        "<unk> </s> [UNK] <0x41>",
    ),
    *(
        "x[MASK]y [MASK] [MASK][MASK]",
        "``quoted'' 1,000, 20, x,",
        "\U0001f1f0\U0001f1f7 \u1112\u1161\u11ab",
        ".",
    ),
)


_PLAIN_LINES = (*_ENGLISH, *_KOREAN) * 20


def lines(n_lines: int = 400, seed: int = 0) -> list[str]:
    """Return English and Korean lines of mixed words, and odd ones among them."""
    random = Random(seed)
    words = {"en": " ".join(_ENGLISH).split(), "ko": " ".join(_KOREAN).split()}
    found = [*_ENGLISH, *_KOREAN, *_ODD]
    while len(found) < n_lines:
        language = random.choice(("en", "ko"))
        line = random.choices(words[language], k=random.randrange(1, 14))
        if random.random() < 0.3:
            line.insert(random.randrange(len(line) + 1), random.choice(_ODD))
        found.append(random.choice((" ", " ", "  ", "\t", "")).join(line))
    return found


def trained(kind: str, settings: Settings, texts: Iterable[str] = _PLAIN_LINES) -> bytes:
    """Return a model of a `kind`, trained on a few sentences; `settings` are the trainer's own."""
    made, given = io.BytesIO(), dict[str, Any](vocab_size=200)
    for name, value in settings.items():
        given[name] = list(value) if isinstance(value, tuple) else value
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(texts),
        model_writer=made,
        model_type=kind,
        hard_vocab_limit=False,
        minloglevel=2,
        **given,
    )
    return made.getvalue()


def write_model(path: Path, kind: str = "unigram", special: Settings | None = None, **more: object) -> Path:
    """Write such a model to `path`, with a notebook's special pieces unless told; return the path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(trained(kind, {**(NOTEBOOK if special is None else special), **more}))
    return path


def processor(path: Path) -> sentencepiece.SentencePieceProcessor:
    """Return the library's own reader of the model at `path`."""
    return sentencepiece.SentencePieceProcessor(model_file=str(path))


def cut_by_library(path: Path, texts: Sequence[str]) -> list[list[int]]:
    """Return the ids that the library itself gives to each of `texts`."""
    reader = processor(path)
    return [reader.encode(text) for text in texts]


LINES = tuple(
    (Path(__file__).parent / "data" / "tokenizer_lines.txt").read_text(encoding="utf-8").split("\n")[:-1]
)
"""400 lines in English, Korean, Japanese, Chinese, Polish and more, with emoji, markers and odd signs."""
Writer = Callable[[Path], None]
_BERT_SPECIALS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
FAIRSEQ = ("<s>", "<pad>", "</s>", "<unk>", "<mask>")


def write_json(path: Path, content: object) -> None:
    path.write_text(json.dumps(content, ensure_ascii=False), "utf-8")


def write_rules(folder: Path, name: str | None, **rules: object) -> None:
    """Write config.json of a BERT, and tokenizer_config.json with the class `name`."""
    config = {"model_type": "bert", "hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2}
    config |= {
        "intermediate_size": 8,
        "vocab_size": 4000,
        "max_position_embeddings": 4000,
        "type_vocab_size": 3,
    }
    write_json(folder / "config.json", config)
    write_json(folder / "tokenizer_config.json", ({} if name is None else {"tokenizer_class": name}) | rules)


@lru_cache
def word_pieces(*of_roles: str) -> Mapping[str, int]:
    """Return the pieces of one vocabulary of a process: two trainings do not end in the same pieces."""
    specials = of_roles or _BERT_SPECIALS
    backend = tokenizers.Tokenizer(WordPiece(unk_token=specials[1]))
    backend.normalizer = normalizers.BertNormalizer(lowercase=True)
    backend.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = trainers.WordPieceTrainer(vocab_size=900, special_tokens=list(specials), show_progress=False)
    # Half of the lines: the others have letters that the vocabulary lacks.
    backend.train_from_iterator(LINES[::2], trainer)
    pieces = [piece for piece, _ in sorted(backend.get_vocab().items(), key=lambda item: item[1])]
    more = ("京都", "文章", "日本", "北京", "北京大学", "非常", "天气", "##です", "行き", ".", "<s>")
    chosen = dict.fromkeys(piece for piece in (*pieces, *more, "[QUESTION]") if piece != "wordtok")
    return MappingProxyType({piece: number for number, piece in enumerate(chosen)})


def write_vocabulary(folder: Path, pieces: Mapping[str, int]) -> None:
    (folder / "vocab.txt").write_text("".join(f"{piece}\n" for piece in pieces), "utf-8")


@lru_cache
def byte_pairs(specials: tuple[str, ...], texts: Sequence[str] = LINES[::2], size: int = 700) -> Pairs:
    backend = tokenizers.Tokenizer(BPE())
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = trainers.BpeTrainer(
        vocab_size=size,
        special_tokens=list(specials),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    backend.train_from_iterator(texts, trainer)
    return _of_bpe(backend)


@lru_cache
def character_pairs(specials: tuple[str, ...]) -> Pairs:
    """Return byte pairs of characters, of which a word's last has </w>."""
    backend = tokenizers.Tokenizer(BPE(unk_token="<unk>", end_of_word_suffix="</w>"))
    backend.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    trainer = trainers.BpeTrainer(
        vocab_size=1200, special_tokens=list(specials), end_of_word_suffix="</w>", show_progress=False
    )
    backend.train_from_iterator(LINES[::2], trainer)
    return _of_bpe(backend)


def _of_bpe(backend: tokenizers.Tokenizer) -> Pairs:
    model = json.loads(backend.to_str())["model"]
    return MappingProxyType(model["vocab"]), tuple((first, second) for first, second in model["merges"])


def write_pairs(folder: Path, pairs: Pairs) -> None:
    vocabulary, merges = pairs
    write_json(folder / "vocab.json", dict(vocabulary))
    lines = "".join(f"{first} {second}\n" for first, second in merges)
    (folder / "merges.txt").write_text(f"#version: 0.2\n{lines}", "utf-8")


def write_codes(folder: Path) -> None:
    """Write fastBPE's two files: pieces and merges, with counts; pieces that go on end in @@."""
    vocabulary, merges = character_pairs(())
    pieces = [piece.removesuffix("</w>") if piece.endswith("</w>") else f"{piece}@@" for piece in vocabulary]
    pieces = [piece for piece in dict.fromkeys([*pieces, "@USER", "HTTPURL", ":cat:"]) if piece.strip()]
    (folder / "vocab.txt").write_text("".join(f"{piece} {9}\n" for piece in pieces), "utf-8")
    (folder / "bpe.codes").write_text("".join(f"{a} {b} {7}\n" for a, b in merges), "utf-8")


@lru_cache
def sentence_pieces(kind: str = "unigram", **settings: Any) -> bytes:
    """Return a SentencePiece model."""
    return trained(kind, {"vocab_size": 900, "character_coverage": 0.98, **settings}, LINES[::2])


_REMBERT: Mapping[str, Any] = MappingProxyType(
    {"pad_id": 0, "unk_id": 2, "bos_id": -1, "eos_id": -1, "control_symbols": ("[CLS]", "[SEP]", "[MASK]")}
)
_BIG_BIRD: Mapping[str, Any] = MappingProxyType(
    {"pad_id": 0, "eos_id": 1, "bos_id": 2, "unk_id": 3, "user_defined_symbols": ("[SEP]", "[MASK]", "[CLS]")}
)
BERT_GENERATION: Mapping[str, Any] = MappingProxyType(
    {"pad_id": 0, "eos_id": 1, "bos_id": 2, "unk_id": 3, "user_defined_symbols": ("<::::>",)}
)


def _written(name: str | None, write: Writer, **rules: object) -> Writer:
    """Return what writes the rules of a class, and its pieces by `write`."""

    def write_both(folder: Path) -> None:
        write_rules(folder, name, **rules)
        write(folder)

    return write_both


def bert(name: str | None = "BertTokenizer", **rules: object) -> Writer:
    """Return what writes a vocab.txt and the rules of its class."""
    return _word_pieces_of(name, (), **rules)


def _word_pieces_of(name: str | None, specials: tuple[str, ...], **rules: object) -> Writer:
    return _written(name, lambda folder: write_vocabulary(folder, word_pieces(*specials)), **rules)


def _pairs_of(name: str, specials: tuple[str, ...], **rules: object) -> Writer:
    return _written(name, lambda folder: write_pairs(folder, byte_pairs(specials)), **rules)


def _model_of(name: str, file: str, settings: Settings, **rules: object) -> Writer:
    return _written(name, lambda folder: _write_bytes(folder / file, settings), **rules)


def _write_bytes(path: Path, settings: Settings) -> None:
    path.write_bytes(sentence_pieces(**settings))


def _clip(folder: Path) -> None:
    """Write each byte as a piece and as one that ends a word, and merges; CLIP's two marks come last."""
    write_rules(folder, "CLIPTokenizer")
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    merges = (("t", "h"), ("th", "e</w>"), ("a", "n"), ("an", "d</w>"), ("i", "n"), ("in", "g</w>"))
    pieces = [*letters, *(f"{letter}</w>" for letter in letters), *("".join(pair) for pair in merges)]
    numbers = {piece: number for number, piece in enumerate([*pieces, "<|startoftext|>", "<|endoftext|>"])}
    write_pairs(folder, (numbers, merges))


def _esm(folder: Path) -> None:
    write_rules(folder, "EsmTokenizer")
    pieces = ["<cls>", "<pad>", "<eos>", "<unk>", *"LAGVSERTIDPKQNFYMHWCXBUZO.-", "<null_1>", "<mask>"]
    (folder / "vocab.txt").write_text("\n".join(pieces), "utf-8")


_MPNET = ("<s>", "[UNK]", "</s>", "<pad>", "<mask>")
_FUNNEL = ("<pad>", "<unk>", "<cls>", "<sep>", "<mask>", "<s>", "</s>")
_MECAB = {"word_tokenizer_type": "mecab"}
_T5 = {"pad_id": 0, "eos_id": 1, "unk_id": 2, "bos_id": -1}
_TWO_MARKS = ["<e1>", "</e1>"]
WRITERS: Mapping[str, Writer] = MappingProxyType(
    {
        "bert": bert(),
        "bert, cased": bert(do_lower_case=False),
        "bert, cased, no accents": bert(do_lower_case=False, strip_accents=True),
        "bert, accents": bert(strip_accents=False, tokenize_chinese_chars=False),
        "bert, never split": bert(never_split=["cat"], do_basic_tokenize=False),
        "bert, splits marks": bert(split_special_tokens=True),
        "bert, by model type": bert(None, do_lower_case=False),
        "bert, other names": bert(cls_token="<s>", additional_special_tokens=_TWO_MARKS),
        "bert, own roles": bert(entity_token="<e1>", extra_special_tokens={"tail_token": "</e1>"}),
        **{
            name.lower(): bert(f"{name}TokenizerFast", do_lower_case=False)
            for name in ("ConvBert", "DistilBert", "Electra", "LayoutLM", "Lxmert", "MobileBert")
        },
        "squeezebert": bert("SqueezeBertTokenizerFast", do_lower_case=False),
        "dpr": bert("DPRContextEncoderTokenizer", do_lower_case=False),
        "dpr fast": bert("DPRContextEncoderTokenizerFast", do_lower_case=False),
        "mpnet": _word_pieces_of("MPNetTokenizer", _MPNET),
        "mpnet, cased": _word_pieces_of("MPNetTokenizer", _MPNET, do_lower_case=False, mask_token="[MASK]"),
        "funnel": _word_pieces_of("FunnelTokenizer", _FUNNEL),
        "splinter": bert("SplinterTokenizer"),
        "splinter, left": bert("SplinterTokenizer", padding_side="left"),
        "roberta": _pairs_of("RobertaTokenizer", FAIRSEQ),
        "roberta, spaced": _pairs_of("RobertaTokenizerFast", FAIRSEQ, add_prefix_space=True),
        "longformer": _pairs_of("LongformerTokenizer", FAIRSEQ, trim_offsets=False),
        "luke": _pairs_of("LukeTokenizer", FAIRSEQ),
        "luke, other marks": _pairs_of("LukeTokenizer", FAIRSEQ, entity_1_token="<e1>"),
        "deberta": _pairs_of("DebertaTokenizer", _BERT_SPECIALS),
        "herbert": _written("HerbertTokenizer", lambda folder: write_pairs(folder, character_pairs(FAIRSEQ))),
        "clip": _clip,
        "phobert": _written("PhobertTokenizer", write_codes),
        "bertweet": _written("BertweetTokenizer", write_codes),
        "bertweet, normalised": _written("BertweetTokenizer", write_codes, normalization=True),
        "esm": _esm,
        "japanese": bert("BertJapaneseTokenizer"),
        "japanese, lower case": bert("BertJapaneseTokenizer", do_lower_case=True, never_split=["BERT"]),
        "japanese, mecab": bert("BertJapaneseTokenizer", **_MECAB),
        "japanese, mecab ipadic": bert(
            "BertJapaneseTokenizer", **_MECAB, mecab_kwargs={"mecab_dic": "ipadic"}, do_lower_case=True
        ),
        "japanese, mecab as typed": bert(
            "BertJapaneseTokenizer", **_MECAB, mecab_kwargs={"mecab_dic": "ipadic", "normalize_text": False}
        ),
        "japanese, characters": bert("BertJapaneseTokenizer", **_MECAB, subword_tokenizer_type="character"),
        "japanese, no words": bert("BertJapaneseTokenizer", do_word_tokenize=False),
        "japanese, words only": bert("BertJapaneseTokenizer", **_MECAB, do_subword_tokenize=False),
        "xlm-roberta": _model_of("XLMRobertaTokenizer", "sentencepiece.bpe.model", {}),
        "camembert": _model_of("CamembertTokenizer", "sentencepiece.bpe.model", {}),
        "albert": _model_of("AlbertTokenizer", "spiece.model", ALBERT),
        "albert, cased": _model_of(
            "AlbertTokenizer", "spiece.model", ALBERT, do_lower_case=False, keep_accents=True
        ),
        "deberta-v2": _model_of("DebertaV2Tokenizer", "spm.model", DEBERTA),
        "deberta-v2, split": _model_of(
            "DebertaV2TokenizerFast", "spm.model", DEBERTA, split_by_punct=True, do_lower_case=True
        ),
        "bert-generation": _model_of("BertGenerationTokenizer", "spiece.model", BERT_GENERATION),
        "t5": _model_of("T5Tokenizer", "spiece.model", _T5),
        "t5, 3 gaps": _model_of("T5TokenizerFast", "spiece.model", _T5, extra_ids=3),
        "big bird": _model_of("BigBirdTokenizer", "spiece.model", _BIG_BIRD),
    }
)
"""Each class and layout without tokenizer.json, by a name for the test."""


def mark(text: str, number: int, **rules: bool) -> tuple[str, dict[str, object]]:
    """Return an added token as added_tokens_decoder has it: its id, and how it is found."""
    found = {"content": text, "lstrip": False, "rstrip": False, "single_word": False, "normalized": False}
    return str(number), found | {"special": False} | rules


def _in_rules(folder: Path, size: int) -> None:
    tokens = [
        mark("<e1>", size, special=True),
        mark("</e1>", size + 1, rstrip=True),
        mark("wordtok", size + 2, single_word=True, normalized=True),
        mark("NEWTOKEN1", size + 3, normalized=True, lstrip=True),
    ]
    rules = json.loads((folder / "tokenizer_config.json").read_text("utf-8"))
    write_json(folder / "tokenizer_config.json", rules | {"added_tokens_decoder": dict(tokens)})


def _in_a_list(folder: Path, size: int) -> None:
    write_json(folder / "added_tokens.json", {"<e1>": size, "</e1>": size + 1, "wordtok": size + 2})


def _as_special(folder: Path, size: int) -> None:
    write_json(folder / "special_tokens_map.json", {"additional_special_tokens": ["<e1>", "</e1>"]})


def _with_rules_of_finding(folder: Path, size: int) -> None:
    token = mark("<mask>", size)[1] | {"lstrip": True}
    write_json(folder / "special_tokens_map.json", {"mask_token": token, "extra_special_tokens": ["<e2>"]})
    _in_a_list(folder, size)


ADDED: Mapping[str, Callable[[Path, int], None]] = MappingProxyType(
    {
        "added_tokens_decoder": _in_rules,
        "added_tokens.json": _in_a_list,
        "special_tokens_map.json": _as_special,
        "both": _with_rules_of_finding,
    }
)
"""Where added tokens are written, but for tokenizer.json; each is given the number of pieces before them."""


JSON_WRITERS: Mapping[str, Writer] = MappingProxyType(
    {
        "roformer": bert("RoFormerTokenizer"),
        "rembert": _model_of("RemBertTokenizer", "sentencepiece.model", _REMBERT),
    }
)
"""Layouts of which only the tokenizer.json is compared.

`transformers` 5.23 forgets the special tokens of RemBERT's .model, and looks RoFormer's words up in the
name of the vocab.txt.
"""


def as_json(folder: Path, **rules: bool) -> None:
    """Replace the tokenizer's files by the tokenizer.json that is made of them; `rules` are BERT's own."""
    backend = _backend(folder)
    if rules:
        backend.normalizer = normalizers.BertNormalizer(**rules)
    backend.add_tokens([AddedToken("<e1>", special=True), AddedToken("wordtok", single_word=True)])
    backend.save(str(folder / "tokenizer.json"))
    for path in folder.iterdir():
        if path.name in ("vocab.txt", "vocab.json", "merges.txt") or path.suffix == ".model":
            path.unlink()


def _backend(folder: Path) -> tokenizers.Tokenizer:
    """Return the library's tokenizer of older files, as `transformers` would write it."""
    from bertviz_app.checkpoint.config import read_config
    from bertviz_app.checkpoint.tokenizer_files import build

    return build(folder, read_config(folder / "config.json")).rust


JSON_RULES: Mapping[str, tuple[Mapping[str, bool], Mapping[str, Any]]] = MappingProxyType(
    {
        "the same": ({"lowercase": True}, {"name": "BertTokenizer"}),
        "the same, cased": ({"lowercase": False}, {"name": "BertTokenizer", "do_lower_case": False}),
        "other case": ({"lowercase": False}, {"name": "BertTokenizer", "do_lower_case": True}),
        "other case, fast": ({"lowercase": True}, {"name": "BertTokenizerFast", "do_lower_case": False}),
        "other case, by default": ({"lowercase": False}, {"name": None}),
        "other accents": (
            {"lowercase": True, "strip_accents": False},
            {"name": "ElectraTokenizerFast", "strip_accents": True},
        ),
        "other Chinese": (
            {"lowercase": True, "handle_chinese_chars": False},
            {"name": "BertTokenizer", "tokenize_chinese_chars": True},
        ),
        "as saved, cased": ({"lowercase": False}, {"name": "PreTrainedTokenizerFast", "do_lower_case": True}),
        "as saved by a class of its own": ({"lowercase": False}, {"name": "MyTokenizer"}),
    }
)
"""BERT's rules in tokenizer.json, and those in tokenizer_config.json."""
