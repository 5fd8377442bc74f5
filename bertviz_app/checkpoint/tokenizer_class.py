"""The tokenizer class that a checkpoint's files name, and which of the files are read."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import tokenizers
from tokenizers import AddedToken
from tokenizers.models import BPE, WordPiece

from bertviz_app.checkpoint.folder import (
    MERGES,
    TOKENIZER,
    TOKENIZER_CONFIG,
    VOCABULARY,
    file_in,
    refuse_pointer,
    unreadable,
)
from bertviz_app.errors import Message, TokenizerError, shown
from bertviz_app.text.classes.unigram import UNIGRAM, PieceModel, read_pieces
from bertviz_app.text.classes.vocabulary import Vocabulary
from bertviz_app.text.cutter import is_failure

AS_SAVED = "TokenizersBackend"
"""The class that takes a tokenizer.json as it is."""
_BERT = ("ConvBert", "DistilBert", "Electra", "LayoutLM", "Lxmert", "MobileBert", "SqueezeBert")
_ALIASES: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(_BERT, "Bert"),
        **dict.fromkeys(("DPRContextEncoder", "DPRQuestionEncoder", "DPRReader"), "DPR"),
        **dict.fromkeys(("Bart", "LED", "Longformer"), "Roberta"),
        "FNet": "Albert",
        "KoBERT": "KoBert",
    }
)
"""Classes that read their files as another does, without "Tokenizer"."""
KNOWN = frozenset(
    {
        *("Albert", "Bert", "BertJapanese", "Bertweet", "BertGeneration", "BigBird", "CLIP", "Camembert"),
        *("DPR", "Deberta", "DebertaV2"),
        *("Esm", "Funnel", "Herbert", "KoBert", "Luke", "MPNet", "Phobert", "RemBert", "RoFormer", "Roberta"),
        *("Splinter", "T5", "XLMRoberta"),
    }
)
_OTHERS = frozenset(
    {
        *("Barthez", "Bartpho", "BioGpt", "Blenderbot", "Canine", "CodeGen", "Cohere"),
        *("CpmAnt", "Cpm", "Flaubert", "GPT2", "GPTNeoX", "Gemma", "LayoutLMv2", "LayoutLMv3", "LayoutXLM"),
        *("Llama", "MBart", "MBart50", "MLuke", "MarkupLM", "Nllb", "OpenAIGPT", "Pegasus"),
        *("ProphetNet", "Qwen2", "Reformer", "RoCBert", "Tapas", "Udop", "XGLM", "XLM", "XLNet"),
    }
)
"""Classes of `transformers` that split a text by code of their own, whatever a tokenizer.json says."""
_PYTHON_ONLY = frozenset(
    {
        *("Bartpho", "BioGpt", "Canine", "Cpm", "CpmAnt", "Flaubert", "ProphetNet"),
        *("RoCBert", "Tapas", "XLM"),
    }
)
"""Those of them that are written in Python, so that no tokenizer.json can be made of them."""
_BY_MODEL: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(("bert", "convbert", "distilbert", "electra", "ernie", "layoutlm", "lxmert"), "Bert"),
        **dict.fromkeys(("megatron-bert", "mobilebert", "nezha", "nomic_bert", "squeezebert"), "Bert"),
        **dict.fromkeys(("data2vec-text", "ibert", "longformer", "mra", "roberta"), "Roberta"),
        "roberta-prelayernorm": "Roberta",
        **dict.fromkeys(("gte", "jina_embeddings_v3", "xlm-roberta", "xmod"), "XLMRoberta"),
        **dict.fromkeys(("albert", "fnet", "yoso"), "Albert"),
        "bert-generation": "BertGeneration",
        "big_bird": "BigBird",
        **dict.fromkeys(("clip", "clip_text_model"), "CLIP"),
        "camembert": "Camembert",
        "deberta": "Deberta",
        "deberta-v2": "DebertaV2",
        "dpr": "DPR",
        "esm": "Esm",
        "funnel": "Funnel",
        "luke": "Luke",
        "mpnet": "MPNet",
        "rembert": "RemBert",
        "roformer": "RoFormer",
        "splinter": "Splinter",
        **dict.fromkeys(("mt5", "t5"), "T5"),
    }
)
"""The class of a `model_type`, for a checkpoint that names none."""
_AS_SAVED_MODELS = frozenset({"modernbert", "nystromformer", "xlm-roberta-xl"})
"""Models whose tokenizer.json is taken as it is, whatever class is named."""
SAVE = "AutoTokenizer.from_pretrained(folder).backend_tokenizer.save('tokenizer.json')"
SAVE_OWN = SAVE.replace("(folder)", "(folder, trust_remote_code=True)")


def kind_of_tokenizer(
    rules: Mapping[str, object], settings: Mapping[str, object], has_json: bool
) -> str | None:
    """Return the class that the checkpoint is read as, without "Tokenizer"; None: its files decide.

    `rules` are those of tokenizer_config.json, `settings` those of config.json. Raises TokenizerError for a
    class that is not supported.
    """
    model = settings.get("model_type")
    name = declared_class(rules, settings)
    kind = _BY_MODEL.get(str(model)) if name is None else _kind(name, model)
    if kind == "XLNet" and model == "bert":
        # SKT's KoBERT: its own class derives from XLNet's, but puts texts between [CLS] and [SEP].
        ends = [rules.get(role) for role in ("cls_token", "sep_token")]
        texts = [end.get("content") if isinstance(end, Mapping) else end for end in ends]
        if texts == ["[CLS]", "[SEP]"]:
            return "KoBert"
    if name is not None and _has_own_code(rules) and kind != "KoBert":
        raise TokenizerError(
            _unsupported(name, Message("Its code comes with the checkpoint, and is not run.")),
            Message(
                "If you trust that code and it has a fast tokenizer, save it as tokenizer.json into a copy "
                "of the folder: {0}. Let “tokenizer_class” in {1} be “PreTrainedTokenizerFast” there, and "
                "remove “auto_map”.",
                *(SAVE_OWN, TOKENIZER_CONFIG),
            ),
        )
    if has_json and model in _AS_SAVED_MODELS:
        return AS_SAVED
    if name is None or kind in KNOWN:
        return kind
    if kind in _OTHERS:
        raise other_class(name, Message("That class splits text in another way."))
    if not has_json:
        raise other_class(name, Message("How that class splits text is not known here."))
    return AS_SAVED


def takes_json_as_it_is(rules: Mapping[str, object], settings: Mapping[str, object]) -> bool:
    """Return whether the class keeps the rules of a tokenizer.json: only its special tokens are its own."""
    name = declared_class(rules, settings) or ""
    kind = name.removesuffix("Fast").removesuffix("Tokenizer")
    return kind in ("ConvBert", "FNet") or _is_fast_dpr(name, settings.get("model_type"))


def declared_class(rules: Mapping[str, object], settings: Mapping[str, object]) -> str | None:
    """Return the name of the tokenizer class, from tokenizer_config.json, else from config.json."""
    for source in (rules, settings):
        name = source.get("tokenizer_class")
        if isinstance(name, str) and name:
            return name
    return None


def other_class(name: str, reason: Message) -> TokenizerError:
    """Return the TokenizerError for a checkpoint whose tokenizer is of a class that is not read here."""
    if _kind(name, None) == "XLNet":
        hint = Message("What can be saved as tokenizer.json has other special tokens than such a checkpoint.")
    elif _kind(name, None) in _PYTHON_ONLY:
        hint = Message(
            "No tokenizer.json can be made of that class: choose a checkpoint with another tokenizer."
        )
    else:
        hint = Message(
            "Save the fast tokenizer as tokenizer.json into a copy of the folder: {0}. Let “tokenizer_class” "
            "in {1} be “PreTrainedTokenizerFast” there.",
            SAVE,
            TOKENIZER_CONFIG,
        )
    return TokenizerError(_unsupported(name, reason), hint)


def _unsupported(name: str, reason: Message) -> Message:
    return Message(
        "The tokenizer of this checkpoint is a {0}, which is not supported. {1}", shown(name), reason
    )


def _kind(name: str, model: object) -> str:
    kind = "Bert" if _is_fast_dpr(name, model) else name.removesuffix("Fast").removesuffix("Tokenizer")
    return _ALIASES.get(kind, kind)


def _is_fast_dpr(name: str, model: object) -> bool:
    """Return whether a class of DPR's is its fast one: that of questions is not, in a model of DPR's."""
    is_of_model = name.startswith("DPRQuestionEncoder") and model == "dpr"
    return name.startswith("DPR") and name.endswith("Fast") and not is_of_model


def _has_own_code(rules: Mapping[str, object]) -> bool:
    """Return whether tokenizer_config.json names a class in a Python file of the checkpoint."""
    classes = rules.get("auto_map")
    if isinstance(classes, Mapping):
        classes = classes.get("AutoTokenizer")
    return any(isinstance(name, str) for name in (classes if isinstance(classes, list) else [classes]))


MAX_BYTES = 256 << 20
AGAIN = Message("Fetch the tokenizer's files again; they come with the checkpoint.")


def validate_size(path: Path) -> None:
    """Raise CheckpointError for a file that cannot be read or is a git-lfs pointer, or is far too large."""
    refuse_pointer(path)
    try:
        n_bytes = path.stat().st_size
    except OSError as error:
        raise unreadable(path, error) from error
    if n_bytes > MAX_BYTES:
        raise TokenizerError(Message("{0} is far too large for what it should be.", path.name), AGAIN)


def read_json(path: Path) -> Mapping[str, Any]:
    """Return the contents of a tokenizer.json. Raises TokenizerError if it is not one."""
    validate_size(path)
    try:
        content = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise TokenizerError(Message("{0} is not valid JSON.", path.name), AGAIN) from error
    if not isinstance(content, dict) or not isinstance(content.get("model"), dict):
        raise TokenizerError(
            Message("{0} describes no tokenizer: it has no object “{1}”.", path.name, "model"), AGAIN
        )
    for part in ("normalizer", "pre_tokenizer", "post_processor"):
        if (longest := _longest_text(content.get(part))) > _MOST_CHARACTERS:
            message = Message(
                "{0} has a text of {1} characters among the rules of its {2}; at most {3} are taken.",
                *(path.name, f"{longest:,}", part, f"{_MOST_CHARACTERS:,}"),
            )
            raise TokenizerError(message, AGAIN)
    return content


_MOST_CHARACTERS = 10_000
"""Of one rule: a rule may put its text in place of each character that is read."""


def _longest_text(rules: object) -> int:
    """Return the length of the longest text in the rules of a tokenizer.json, but for charsmaps."""
    if isinstance(rules, str):
        return len(rules)
    if isinstance(rules, Mapping):
        rules = [value for key, value in rules.items() if key != "precompiled_charsmap"]
    return max(map(_longest_text, rules), default=0) if isinstance(rules, list) else 0


def model_of_json(content: Mapping[str, Any]) -> str:
    """Return the kind of a tokenizer.json's model: WordPiece, BPE, Unigram or another."""
    model = content["model"]
    if isinstance(model.get("type"), str):
        return str(model["type"])
    if isinstance(model.get("vocab"), list):
        return "Unigram"
    return "BPE" if "merges" in model else "WordPiece"


def vocabulary_of_json(content: Mapping[str, Any], backend: tokenizers.Tokenizer) -> Vocabulary:
    """Return the vocabulary of a tokenizer.json that the library has read as `backend`."""
    model = content["model"]
    vocabulary = model["vocab"]
    if isinstance(vocabulary, list):
        scores = [(str(piece), float(score)) for piece, score in vocabulary]
        ids = {piece: number for number, (piece, _) in enumerate(scores)}
    else:
        scores, ids = [], {str(piece): int(number) for piece, number in vocabulary.items()}
    merges = [
        tuple(one.split(" ")) if isinstance(one, str) else tuple(one) for one in model.get("merges", ())
    ]
    return Vocabulary(
        TOKENIZER,
        ids,
        scores,
        [(first, second) for first, second in merges],
        _charsmap(content.get("normalizer")),
        post_processor=backend.post_processor,
    )


def _charsmap(normalizer: object) -> bytes | None:
    """Return SentencePiece's table of normalised characters, if the normalizer has one."""
    if not isinstance(normalizer, Mapping):
        return None
    parts = normalizer.get("normalizers") if normalizer.get("type") == "Sequence" else [normalizer]
    for part in parts if isinstance(parts, list) else ():
        if isinstance(part, Mapping) and isinstance(part.get("precompiled_charsmap"), str):
            return base64.b64decode(part["precompiled_charsmap"])
    return None


def word_pieces(path: Path) -> Vocabulary:
    """Return the vocabulary of a vocab.txt, one piece a line. Raises TokenizerError if it is no text."""
    try:
        return Vocabulary(path.name, WordPiece.read_file(str(path)))
    except BaseException as error:
        if not is_failure(error):
            raise
        raise TokenizerError(
            Message("{0} cannot be read as UTF-8 text.", path.name), Message("Fetch the file again.")
        ) from error


def listed_pieces(path: Path) -> Vocabulary | None:
    """Return the vocabulary of a JSON list of pieces, by number; None for a JSON object of pieces and ids.

    Raises TokenizerError for a list of something else, or of the same piece twice.
    """
    validate_size(path)
    try:
        content = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None  # whoever reads it as an object says what is wrong
    if not isinstance(content, list):
        return None
    pieces = [piece for piece in content if isinstance(piece, str)]
    if len(pieces) < len(content) or len(set(pieces)) < len(pieces):
        message = Message("{0} is a list, but not of pieces that are all different.", path.name)
        raise TokenizerError(message, Message("Save the list of the vocabulary's pieces, in their order."))
    return Vocabulary(path.name, {piece: number for number, piece in enumerate(pieces)})


def lines_of(path: Path) -> list[str]:
    """Return the lines of a text file. Raises TokenizerError if it is no text."""
    validate_size(path)
    try:
        return path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise TokenizerError(
            Message("{0} cannot be read as UTF-8 text.", path.name), Message("Fetch the file again.")
        ) from error


def byte_pairs(path: Path, folder: Path) -> Vocabulary:
    """Return the vocabulary of a vocab.json and the merges.txt beside it. Raises TokenizerError."""
    merges = file_in(folder, MERGES)
    if merges is None:
        raise TokenizerError(Message("{0} has {1} without {2}.", folder, path.name, MERGES), AGAIN)
    validate_size(merges)
    try:
        ids, pairs = BPE.read_file(str(path), str(merges))
        BPE(ids, pairs)  # which refuses merges of pieces that are not there
    except BaseException as error:
        if not is_failure(error):
            raise
        raise TokenizerError(
            Message("A tokenizer cannot be made from {0}.", Message("{0} and {1}", path.name, merges.name)),
            Message("Fetch both files again; they come with the checkpoint."),
        ) from error
    return Vocabulary(path.name, ids, merges=pairs)


def scored_pieces(path: Path) -> Vocabulary | None:
    """Return the vocabulary of a SentencePiece model if it is a unigram one, else None.

    Raises TokenizerError if the file is no such model.
    """
    model = piece_model(path)
    if model.kind != UNIGRAM:
        return None
    return Vocabulary(
        path.name,
        {piece: number for number, (piece, _, _) in enumerate(model.pieces)},
        [(piece, score) for piece, score, _ in model.pieces],
        charsmap=model.charsmap,
        special=tuple(
            AddedToken(piece, normalized=False, special=is_control) for piece, is_control in model.special()
        ),
    )


def piece_model(path: Path) -> PieceModel:
    """Return the SentencePiece model in a file. Raises TokenizerError."""
    validate_size(path)
    try:
        return read_pieces(path.read_bytes())
    except (OSError, ValueError) as error:
        raise TokenizerError(
            Message("{0} is no SentencePiece model, or damaged.", path.name),
            Message("Fetch the file again; it comes with the checkpoint."),
        ) from error


def numbered_lines(folder: Path) -> Mapping[str, int] | None:
    """Return the pieces of a vocab.txt with their ids, or None if there is none."""
    path = file_in(folder, VOCABULARY)
    return None if path is None else dict(word_pieces(path).ids)
