"""Small random checkpoints of every family, model and tokenizer, written by `transformers`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.support import tokenizer_files
from tests.support.checkpoints import SYLLABLES, vocabulary
from tests.support.tokenizer_files import BERT_GENERATION, FAIRSEQ, sentence_pieces

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerFast

FAMILIES = (
    "bert",
    "roberta",
    "xlm-roberta",
    "camembert",
    "distilbert",
    "electra",
    "albert",
    "mpnet",
    "modernbert",
    "nomic_bert",
    "deberta-v2",
    "deberta",
    "ernie",
    "data2vec-text",
    "dpr",
    "splinter",
    "rembert",
    "roberta-prelayernorm",
    "megatron-bert",
    "xlm-roberta-xl",
    "esm",
    "longformer",
    "roformer",
    "mobilebert",
    "bert-generation",
    "clip_text_model",
    "big_bird",
    "squeezebert",
    "luke",
    "convbert",
    "xmod",
    "t5",
    "mt5",
    "eurobert",
    "gte",
    "jina_embeddings_v3",
)
COMPUTED_ALIKE = frozenset(
    {
        *("xlm-roberta", "camembert", "data2vec-text", "roberta"),  # as BERT, but for where positions begin
        *("ernie", "dpr", "splinter", "rembert", "bert-generation", "luke"),  # as BERT
        *("megatron-bert", "xlm-roberta-xl"),  # as RoBERTa-PreLayerNorm
        "mt5",  # as T5
    }
)
"""Families whose layers compute what those of another family here compute."""
WITH_SEGMENTS = frozenset(
    {
        "bert",
        "electra",
        "albert",
        "nomic_bert",
        "gte",
        "ernie",
        "dpr",
        "splinter",
        "rembert",
        "megatron-bert",
        "roformer",
        "mobilebert",
        "big_bird",
        "squeezebert",
        "convbert",
    }
)
"""Those whose models have segments as they are written here."""
WITHOUT_MASKED_HEAD = frozenset(
    {"dpr", "splinter", "rembert", "bert-generation", "clip_text_model", "t5", "mt5", "eurobert"}
)
"""Those without a head for masked tokens, or with one that is not read."""
WITHOUT_CLASSIFIER = frozenset(
    {"dpr", "splinter", "bert-generation", "clip_text_model", "t5", "mt5", "eurobert"}
)
CORPUS = (
    "The cat ate the fish because it was hungry.",
    "A quick brown fox jumps over the lazy dog, again and again.",
    "고양이가 배가 고파서 생선을 먹었다",
    "Où est le chat ? Il était là, près de la fenêtre.",
)
_WIDE = {"hidden_size": 32, "num_hidden_layers": 3, "num_attention_heads": 4, "intermediate_size": 64}
_DISTIL = {"dim": 32, "n_layers": 3, "n_heads": 4, "hidden_dim": 64}
_NARROW = _WIDE | {"embedding_size": 12}
_MODERN = _WIDE | {"num_hidden_layers": 5, "pad_token_id": 1, "cls_token_id": 0, "sep_token_id": 2}
_MODERN |= {"bos_token_id": 0, "eos_token_id": 2}
_DEBERTA = _WIDE | {"relative_attention": True, "position_buckets": 16, "pos_att_type": ["p2c", "c2p"]}
_DEBERTA |= {"share_att_key": True, "norm_rel_ebd": "layer_norm", "position_biased_input": False}
_DEBERTA |= {"type_vocab_size": 0, "max_position_embeddings": 260}
_DEBERTA_V1 = _WIDE | {"relative_attention": True, "pos_att_type": ["c2p", "p2c"], "type_vocab_size": 0}
_DEBERTA_V1 |= {"position_biased_input": False, "max_relative_positions": 90, "max_position_embeddings": 260}
_ESM = _WIDE | {"position_embedding_type": "rotary", "token_dropout": True, "mask_token_id": 4}
_ESM |= {"pad_token_id": 0, "hidden_act": "gelu"}
_T5 = {"d_model": 32, "d_kv": 6, "d_ff": 64, "num_layers": 3, "num_heads": 4}
_SIZES: dict[str, Any] = {
    "big_bird": _WIDE | {"block_size": 4, "num_random_blocks": 2},
    "clip_text_model": _WIDE | {"bos_token_id": 518, "eos_token_id": 519},
    "t5": _T5,
    "mt5": _T5,
    "eurobert": _MODERN | {"num_hidden_layers": 3, "num_key_value_heads": 2},
    "distilbert": _DISTIL,
    "electra": _NARROW,
    "albert": _NARROW,
    "deberta-v2": _DEBERTA,
    "deberta": _DEBERTA_V1,
    "modernbert": _MODERN,
    "ernie": _WIDE | {"use_task_id": True},
    "esm": _ESM,
    "longformer": _WIDE | {"attention_window": [8, 4, 64]},
    "roformer": _NARROW,
    "mobilebert": _NARROW | {"intra_bottleneck_size": 20, "hidden_act": "relu"},
    "convbert": _WIDE | {"embedding_size": 16, "num_attention_heads": 8, "conv_kernel_size": 5},
    "xmod": _WIDE | {"languages": ["en_XX", "ko_KR", "ko"], "default_language": "ko_KR"},
    "luke": _WIDE | {"entity_vocab_size": 50, "entity_emb_size": 12},
    "squeezebert": _WIDE | {"embedding_size": 32, "post_attention_groups": 2},
    "rembert": _WIDE | {"input_embedding_size": 12, "output_embedding_size": 20},
}
_GAINS = {"NoNorm": 0.6}
"""Of a norm that normalises nothing: with 1 the numbers would grow by powers of ten from layer to layer."""
_UNDIVIDED = 0.4
"""Of T5's queries, whose products with keys are not divided: about 1 / sqrt(d_kv), as training begins."""
_OF_BYTES = ("roberta", "roberta-prelayernorm", "data2vec-text", "longformer")
_OF_PIECES = {
    "xlm-roberta": "XLMRoberta",
    "xlm-roberta-xl": "XLMRoberta",
    "xmod": "XLMRoberta",
    "camembert": "Camembert",
    "albert": "Albert",
    "t5": "T5",
    "mt5": "T5",
    "deberta-v2": "DebertaV2",
    "big_bird": "BigBird",
}


def write_family(
    folder: Path, family: str, kind: str = "AutoModel", *, seed: int = 0, **sizes: object
) -> PreTrainedModel:
    """Write a random model of `family` and its tokenizer to `folder`; return the model, in eval mode.

    `kind` is the class of `transformers` that makes it: "AutoModelForMaskedLM" has that head. `sizes` are
    keys of its configuration.
    """
    import transformers

    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = write_tokenizer(folder, family)
    given = {"vocab_size": max(tokenizer.get_vocab().values()) + 1, "max_position_embeddings": 260}
    given |= {"type_vocab_size": 2 if family in WITH_SEGMENTS else 1, "attn_implementation": "eager"}
    config = transformers.AutoConfig.for_model(family, **(given | _SIZES.get(family, _WIDE) | sizes))
    made_by = getattr(transformers, kind)
    model = made_by.from_config(config) if kind.startswith("Auto") else made_by(config)
    fill(model, seed)
    model.save_pretrained(folder)
    return model.eval()


def fill(model: PreTrainedModel, seed: int = 0) -> None:
    """Draw every parameter, wide enough that heads differ and attend sharply."""
    import torch

    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for path, module in model.named_modules():
            if "Sinusoidal" in type(module).__name__:
                continue
            for name, parameter in module.named_parameters(recurse=False):
                kind = type(module).__name__
                gain = _GAINS.get(kind, 1.0) if kind.endswith("Norm") and name == "weight" else 0.0
                is_of_one = parameter.dim() == 3 and parameter.shape[-1] == 1  # a convolution over one token
                n_inputs = parameter.shape[-2 if is_of_one else -1] if parameter.dim() else 1
                width = 0.2 if parameter.dim() < 2 else 1.2 * n_inputs**-0.5
                width *= _UNDIVIDED if path.endswith("Attention.q") else 1.0
                parameter.copy_(gain + width * torch.randn(parameter.shape, generator=generator))


def write_tokenizer(folder: Path, family: str) -> PreTrainedTokenizerFast:
    """Write the tokenizer of `family`, of a few hundred pieces, to `folder`, and return it."""
    import transformers

    if family in _OF_BYTES:
        tokenizer = transformers.RobertaTokenizer(
            *byte_pairs(folder), mask_token=transformers.AddedToken("<mask>", lstrip=True, special=True)
        )
    elif family in _OF_PIECES:
        name = _OF_PIECES[family]
        tokenizer = getattr(transformers, f"{name}Tokenizer")(vocab=_pieces(family))
    elif family == "bert-generation":
        (folder / "spiece.model").write_bytes(sentence_pieces(**BERT_GENERATION))
        tokenizer = transformers.BertGenerationTokenizer(str(folder / "spiece.model"))
    elif family == "clip_text_model":
        tokenizer = _clip(folder)
    elif family == "luke":
        tokenizer = transformers.LukeTokenizer(*byte_pairs(folder))
    elif family in ("modernbert", "eurobert"):
        tokenizer = _modern(folder)
    elif family == "mpnet":
        pieces = ["<s>", "<pad>", "</s>", "[UNK]", "<mask>", *vocabulary()[5:]]
        numbers = {piece: number for number, piece in enumerate(pieces)}
        tokenizer = transformers.MPNetTokenizer(vocab=numbers)
    else:
        (folder / "vocab.txt").write_text("".join(f"{piece}\n" for piece in vocabulary()), encoding="utf-8")
        tokenizer = transformers.BertTokenizerFast(str(folder / "vocab.txt"))
    tokenizer.save_pretrained(folder)
    return tokenizer


def _modern(folder: Path) -> PreTrainedTokenizerFast:
    """Return a byte-pair tokenizer with BERT's special tokens around the texts."""
    import tokenizers
    from tokenizers import decoders, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    names = ("[CLS]", "[PAD]", "[SEP]", "[UNK]", "[MASK]")
    vocabulary, merges = byte_pairs(folder, names)
    backend = tokenizers.Tokenizer(models.BPE(vocabulary, merges))
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    backend.decoder = decoders.ByteLevel()
    single, pair = "[CLS] $A [SEP]", "[CLS] $A [SEP] $B [SEP]"
    ends = [("[CLS]", 0), ("[SEP]", 2)]
    backend.post_processor = processors.TemplateProcessing(single=single, pair=pair, special_tokens=ends)
    roles = {f"{name[1:-1].lower()}_token": name for name in names}
    return PreTrainedTokenizerFast(tokenizer_object=backend, **roles)


def _clip(folder: Path) -> PreTrainedTokenizerFast:
    """Return CLIP's tokenizer: each byte is a piece, and each that ends a word; its two marks come last."""
    import transformers
    from tokenizers import pre_tokenizers

    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    merges = [("t", "h"), ("th", "e</w>"), ("c", "a"), ("ca", "t</w>"), ("i", "n"), ("in", "g</w>")]
    pieces = [*letters, *(f"{letter}</w>" for letter in letters), *("".join(pair) for pair in merges)]
    numbers = {piece: number for number, piece in enumerate([*pieces, "<|startoftext|>", "<|endoftext|>"])}
    return transformers.CLIPTokenizer(vocab=numbers, merges=merges)


def byte_pairs(
    folder: Path, specials: tuple[str, ...] = FAIRSEQ
) -> tuple[dict[str, int], list[tuple[str, str]]]:
    """Write vocab.json and merges.txt, learned of CORPUS, to `folder`; return what is in them."""
    pairs = tokenizer_files.byte_pairs(specials, CORPUS * 4, 320)
    tokenizer_files.write_pairs(folder, pairs)
    return dict(pairs[0]), list(pairs[1])


def _pieces(family: str) -> list[tuple[str, float]]:
    """Return the pieces of a Unigram model and the logarithms of their frequencies, special ones first."""
    specials = {
        "xlm-roberta": ("<s>", "<pad>", "</s>", "<unk>"),
        "xlm-roberta-xl": ("<s>", "<pad>", "</s>", "<unk>"),
        "xmod": ("<s>", "<pad>", "</s>", "<unk>"),
        "camembert": ("<s>NOTUSED", "<pad>", "</s>NOTUSED", "<unk>"),
        "albert": ("<pad>", "<unk>", "[CLS]", "[SEP]", "[MASK]"),
        **dict.fromkeys(("t5", "mt5"), ("<pad>", "</s>", "<unk>")),
        "deberta-v2": ("[PAD]", "[CLS]", "[SEP]", "[UNK]"),
        "big_bird": ("<pad>", "</s>", "<s>", "<unk>", "[SEP]", "[MASK]", "[CLS]"),
    }[family]
    letters = sorted({letter for line in CORPUS for letter in line if letter != " "} | set("abcdefgh"))
    words = ["▁the", "▁cat", "▁ate", "at", "▁fish", "ing", "▁a", *SYLLABLES[::2]]
    scored = [(word, -4.0) for word in words] + [(letter, -7.0) for letter in letters]
    ending = [("[MASK]" if family == "deberta-v2" else "<mask>", 0.0)]
    if family in ("albert", "big_bird", "t5", "mt5"):
        ending = []
    return [*((piece, 0.0) for piece in specials), ("▁", -3.0), *scored, *ending]
