"""The tokenizer in a folder: the class that its files name, the vocabulary that they hold; building it."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import tokenizers
from tokenizers import AddedToken
from tokenizers.models import BPE, WordPiece

from bertviz_app.checkpoint.config import CheckpointConfig, seems_lower_case
from bertviz_app.checkpoint.folder import (
    ADDED_TOKENS,
    BYTE_LEVEL,
    CONFIG,
    MERGES,
    SENTENCE_PIECES_ENDING,
    SPECIAL_TOKENS,
    TOKENIZER,
    TOKENIZER_CONFIG,
    VOCABULARY,
    config_in,
    file_in,
    has_tokenizer,
    read_object,
    read_settings,
    refuse_pointer,
    sentence_pieces_in,
    tokenizer_in,
    unreadable,
)
from bertviz_app.checkpoint.questions import Answers, Questions
from bertviz_app.errors import CheckpointError, Message, TokenizerError, shown
from bertviz_app.room_loader import brought
from bertviz_app.text.classes import unigram, vocabulary as word_piece
from bertviz_app.text.classes.unigram import UNIGRAM, PieceModel, read_pieces
from bertviz_app.text.classes.vocabulary import (
    ROLES,
    Declared,
    JiebaWords,
    Piece,
    Vocabulary,
    add_pieces,
    between,
    differing_ids,
    wrong_option,
)
from bertviz_app.text.cutter import Backend, is_failure, read_backend
from bertviz_app.text.numbering import BERT_GENERATION, KOBERT, PieceNumbering
from bertviz_app.text.sentence_pieces import SPACE, read_sentence_pieces

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


_EXTRA, _ADDITIONAL, _DECODER = "extra_special_tokens", "additional_special_tokens", "added_tokens_decoder"


def read_declared(folder: Path, content: Mapping[str, object]) -> Declared:
    """Return what the files of `folder` declare, each taking precedence as in `transformers`.

    `content` are the contents of tokenizer.json, empty if there is none.

    tokenizer_config.json's `added_tokens_decoder` replaces the three older places: special_tokens_map.json,
    added_tokens.json and the `added_tokens` of tokenizer.json. Raises TokenizerError.
    """
    options = dict(_object(folder, TOKENIZER_CONFIG))
    specials = {role: _piece(role, options[role]) for role in ROLES if options.get(role) is not None}
    own = {
        key: _piece(key, value)
        for key, value in options.items()
        if key.endswith("_token") and key not in ROLES and isinstance(value, (str, dict))
    }
    extra: tuple[Piece, ...] | None = None
    key = _EXTRA if options.get(_EXTRA) or _ADDITIONAL not in options else _ADDITIONAL
    if isinstance(without_role := options.get(key), Mapping):
        own |= {key: _piece(key, value) for key, value in without_role.items()}
    elif without_role is not None:
        extra = _pieces(key, without_role)
    additional: tuple[Piece, ...] | None = None
    if _DECODER in options:
        by_id = options[_DECODER]
        if not isinstance(by_id, Mapping):
            raise wrong_option(_DECODER, Message("an object"))
        if not all(number.isascii() and number.isdigit() for number in by_id):
            raise wrong_option(_DECODER, Message("an object with ids as keys"))
        added = {int(number): _token(_DECODER, token) for number, token in by_id.items()}
    else:
        older = _object(folder, SPECIAL_TOKENS)
        specials |= {
            role: _piece(role, older[role], special=True) for role in ROLES if older.get(role) is not None
        }
        if _EXTRA in older:
            extra = (*(extra or ()), *_pieces(_EXTRA, older[_EXTRA]))
        if _ADDITIONAL in older:
            additional = _pieces(_ADDITIONAL, older[_ADDITIONAL])
        names = {str(piece) for piece in (*specials.values(), *(extra or ()))}
        added = {**_added_in_list(folder, names), **_added_in_json(content)}
    by_text = {token.content: token for token in added.values()}
    named = {role: by_text.get(str(piece), piece) for role, piece in specials.items()}
    return Declared(options, named, own, extra, additional, added)


def _object(folder: Path, name: str) -> Mapping[str, object]:
    """Return the contents of a JSON file, empty if there is none."""
    path = file_in(folder, name)
    return {} if path is None else read_object(path)


def _pieces(key: str, value: object) -> tuple[Piece, ...]:
    if not isinstance(value, list):
        raise wrong_option(key, Message("a list"))
    return tuple(_piece(key, one, special=True) for one in value)


def _piece(key: str, value: object, special: bool | None = None) -> Piece:
    """Return a special token that is written as a text, or as an object with rules of how it is found."""
    if isinstance(value, str):
        return value
    if not isinstance(value, Mapping):
        raise wrong_option(key, Message("text"))
    return _token(key, value, special)


def _token(key: str, value: object, special: bool | None = None) -> AddedToken:
    if not isinstance(value, Mapping) or not isinstance(value.get("content"), str):
        raise wrong_option(key, Message("an object with “content”"))
    names = ("single_word", "lstrip", "rstrip", "normalized", "special")
    rules = {name: value[name] for name in names if value.get(name) is not None}
    if not all(isinstance(rule, bool) for rule in rules.values()):
        raise wrong_option(key, Message("an object with “content”"))
    if special is not None:
        rules["special"] = special
    return AddedToken(value["content"], **rules)


def _added_in_list(folder: Path, names: set[str]) -> dict[int, AddedToken]:
    """Return the tokens of added_tokens.json by id; those among `names` are special."""
    found = {}
    for text, number in _object(folder, ADDED_TOKENS).items():
        if not isinstance(number, int):
            raise TokenizerError(
                Message("{0} gives “{1}” no id.", ADDED_TOKENS, shown(text)),
                Message("Fetch the tokenizer's files again; they come with the checkpoint."),
            )
        is_special = text in names
        found[number] = AddedToken(
            text, rstrip=False, lstrip=False, normalized=not is_special, special=is_special
        )
    return found


def _added_in_json(content: Mapping[str, object]) -> dict[int, AddedToken]:
    """Return the added tokens of tokenizer.json by id."""
    tokens = content.get("added_tokens")
    found = {}
    for token in tokens if isinstance(tokens, Iterable) else ():
        number = token.get("id") if isinstance(token, Mapping) else None
        if not isinstance(number, int):
            message = Message("{0} is not a tokenizer that can be read: {1}", TOKENIZER, "added_tokens")
            raise TokenizerError(message, Message("Fetch the file again; it comes with the checkpoint."))
        found[number] = _token("added_tokens", token)
    return found


Builder = Callable[[Vocabulary, Declared], tokenizers.Tokenizer]
_WORD_PIECE: Mapping[str, Builder] = MappingProxyType(
    {
        "Bert": word_piece.bert,
        "DPR": word_piece.dpr,
        "Funnel": word_piece.funnel,
        "MPNet": word_piece.mpnet,
        "RoFormer": word_piece.roformer,
        "Splinter": word_piece.splinter,
    }
)
_BYTE_PAIR: Mapping[str, Builder] = MappingProxyType(
    {
        "CLIP": unigram.clip,
        "Deberta": unigram.deberta,
        "Herbert": unigram.herbert,
        "Luke": unigram.luke,
        "Roberta": unigram.roberta,
    }
)
_UNIGRAM: Mapping[str, Builder] = MappingProxyType(
    {
        "Albert": unigram.albert,
        "BigBird": unigram.big_bird,
        "Camembert": unigram.camembert,
        "DebertaV2": unigram.deberta_v2,
        "RemBert": unigram.rembert,
        "T5": unigram.t5,
        "XLMRoberta": unigram.xlm_roberta,
    }
)
_IN_PYTHON = frozenset({"BertJapanese", "Bertweet", "Esm", "Phobert"})
"""Classes that do not read a tokenizer.json."""
_MODELS = {
    **dict.fromkeys(_WORD_PIECE, "WordPiece"),
    **dict.fromkeys(_BYTE_PAIR, "BPE"),
    **dict.fromkeys(_UNIGRAM, "Unigram"),
}
_FILES = {**dict.fromkeys(_WORD_PIECE, VOCABULARY), **dict.fromkeys(_BYTE_PAIR, BYTE_LEVEL)}
"""The file that a class reads, but for SentencePiece models."""
_LAYOUTS: Mapping[str | None, PieceNumbering] = MappingProxyType(
    {"BertGeneration": BERT_GENERATION, "KoBert": KOBERT}
)
"""Those of the classes that split texts by a SentencePiece model and its own library alone."""

InPython = Callable[[str, Path, Declared], Backend]
"""Returns a tokenizer whose class, by its kind, splits texts in Python. Raises TokenizerError."""


def build(folder: Path, checkpoint: CheckpointConfig, config: Path | None = None) -> Backend:
    """Return the tokenizer in `folder`, with remarks on what is unusual. Raises TokenizerError.

    `config` is the config.json that may name the tokenizer's class, by default the folder's.
    """
    path, settings = file_in(folder, TOKENIZER_CONFIG), read_settings(config or config_in(folder))
    rules = {} if path is None else read_object(path)
    file = file_in(folder, TOKENIZER)
    kind = kind_of_tokenizer(rules, settings, file is not None)
    content = {} if file is None else read_json(file)
    name = declared_class(rules, settings)
    is_of_kobert = kind == "Bert" and name is not None and file is None and _lists_pieces(folder)
    if is_of_kobert:
        kind = "KoBert"
    try:
        declared = replace(read_declared(folder, content), n_rows=checkpoint.encoder.vocabulary_size)
        if kind in _IN_PYTHON:
            found: list[Callable[[], InPython]] = brought("tokenizers")
            if not found:
                message = Message("What splits texts as {0}Tokenizer does was left out of the program.", kind)
                raise TokenizerError(message, Message("Open a checkpoint with another tokenizer."))
            backend = found[0]()(str(kind), folder, declared)
        elif file is not None and kind not in _LAYOUTS:
            as_it_is = kind not in KNOWN or takes_json_as_it_is(rules, settings)
            backend = _from_json(
                file, content, AS_SAVED if as_it_is or kind is None else kind, declared, name
            )
        elif (vocabulary := _list_in(folder, name)) is not None:
            backend = _from_list(vocabulary, _with_case(declared, checkpoint))
        else:
            backend = _from_older_files(kind, name, folder, checkpoint, declared)
    except BaseException as error:
        if isinstance(error, CheckpointError) or not is_failure(error):
            raise
        raise TokenizerError(Message("The tokenizer's files do not fit together."), AGAIN) from error
    if kind == "KoBert" and (is_of_kobert or str(name).startswith("XLNet")):
        pieces = sentence_pieces_in(folder)
        remark = Message(
            "{0} is named, but these are KoBERT's files: texts are split by {1}, between [CLS] and [SEP].",
            str(name),
            "" if pieces is None else pieces.name,
        )
        backend = replace(backend, remarks=(remark, *backend.remarks))
    return _finished(backend, declared, kind, content)


def _lists_pieces(folder: Path) -> bool:
    """Return whether the vocab.txt in `folder` lists the pieces of the SentencePiece model beside it."""
    pieces, numbers = sentence_pieces_in(folder), numbered_lines(folder)
    if pieces is None or numbers is None:
        return False
    names = [name for name, _, _ in piece_model(pieces).pieces]
    return any(name.startswith(SPACE) for name in names) and all(name in numbers for name in names)


def _finished(backend: Backend, declared: Declared, kind: str | None, content: Mapping[str, Any]) -> Backend:
    """Return `backend` with the options that all classes have, and with all remarks."""
    in_python = kind in _IN_PYTHON or kind in _LAYOUTS
    if backend.cutter is None:
        backend.rust.encode_special_tokens = declared.flag("split_special_tokens", False)
    truncation = content.get("truncation")
    cut = truncation.get("direction") if isinstance(truncation, Mapping) and not in_python else None
    side = declared.word("truncation_side", str(cut or "right").lower())
    remarks = [*backend.remarks, *differing_ids(backend.rust, declared)]
    if kind in _WORD_PIECE:
        remarks += [
            Message(
                "“{0}” in {1} has no effect on this tokenizer, as in transformers.", option, TOKENIZER_CONFIG
            )
            for option in ("never_split", "do_basic_tokenize")  # of older classes
            if declared.options.get(option) not in (None, [], True)
        ]
    if side == "left":
        remarks.append(
            Message("What is too long for this checkpoint is cut at its beginning, as it declares.")
        )
    return replace(
        backend,
        cuts_left=side == "left",
        has_pairs=kind != "Esm" or not declared.is_given_up("eos_token"),
        divides_evenly=in_python,
        remarks=tuple(remarks),
    )


def _from_json(
    path: Path, content: Mapping[str, Any], kind: str, declared: Declared, name: str | None
) -> Backend:
    """Return what `transformers` makes of a tokenizer.json.

    Most classes take its vocabulary and follow their own rules and tokenizer_config.json for the rest.
    """
    saved = read_backend(path)
    remarks: list[Message] = []
    if kind != AS_SAVED and model_of_json(content) != _MODELS[kind]:
        remarks.append(
            Message(
                "{0} is of the kind {1}, which {2} does not read: it is taken as it is.",
                TOKENIZER,
                model_of_json(content),
                f"{kind}Tokenizer",
            )
        )
        kind = AS_SAVED
    if kind == AS_SAVED:
        return replace(_as_saved(saved, declared, name), remarks=tuple(remarks))
    vocabulary = vocabulary_of_json(content, saved)
    backend = _BUILDERS[kind](vocabulary, declared)
    if kind == "RoFormer":
        return Backend(backend, words=JiebaWords(frozenset(vocabulary.ids)))
    saved.no_truncation()  # lengths are no rules of how a text is split
    saved.no_padding()
    parts = [
        part
        for part in ("normalizer", "pre_tokenizer", "post_processor")
        if str(getattr(backend, part)) != str(getattr(saved, part))
    ]
    pairs = [(sample, other) for sample in _SAMPLES for other in (None, "b")]
    if parts and not all(
        backend.encode(*pair).ids == saved.encode(*pair).ids
        and backend.encode(*pair).type_ids == saved.encode(*pair).type_ids
        for pair in pairs
    ):
        remarks.append(
            Message(
                "{0} has other rules ({1}) than {2} makes of {3}: the latter are used, as in transformers.",
                TOKENIZER,
                ", ".join(parts),
                f"{kind}Tokenizer",
                TOKENIZER_CONFIG,
            )
        )
    return Backend(backend, remarks=tuple(remarks))


_SAMPLES = ("Ünïted  Stätes, 漢字 W1 w2. `` ''", "Ａ① é e\u0301 한국어 ﬁ\tx\u00a0y")
"""Texts by which rules are compared that are written differently and may mean the same."""


def _as_saved(saved: tokenizers.Tokenizer, declared: Declared, name: str | None) -> Backend:
    """Return a tokenizer.json as it is, with the tokens that the other files add."""
    padding = saved.padding
    defaults = {} if padding is None else {"pad_token": str(padding["pad_token"])}
    specials = declared.with_defaults(**defaults)
    add_pieces(saved, specials, declared)
    if name is not None and name.startswith(("ConvBert", "DPR")):
        begin, end = str(specials.get("cls_token", "[CLS]")), str(specials.get("sep_token", "[SEP]"))
        saved.post_processor = between(saved, begin, end)
    return Backend(saved)


def _from_older_files(
    kind: str | None, name: str | None, folder: Path, checkpoint: CheckpointConfig, declared: Declared
) -> Backend:
    """Return the tokenizer of a folder without tokenizer.json, of the class that it names, if any."""
    pieces = sentence_pieces_in(folder)
    if kind in _LAYOUTS or (name is None and kind not in _UNIGRAM and pieces is not None):
        if pieces is None:
            raise without(str(name), SENTENCE_PIECES_ENDING, folder)
        cut = _from_sentence_pieces(pieces, folder, _LAYOUTS.get(kind, checkpoint.family.layout), declared)
        remark = Message(
            "No tokenizer class is named: texts are split by {0}. transformers would read a {1}.",
            pieces.name,
            f"{kind}Tokenizer",
        )
        is_unread = name is None and kind is not None and kind not in _LAYOUTS
        return replace(cut, remarks=(*((remark,) if is_unread else ()), *cut.remarks))
    path = pieces if kind in _UNIGRAM else None
    if kind in _FILES:
        path = file_in(folder, _FILES[kind])
    if path is None and name is None:
        path = tokenizer_in(folder)
        kind = "Bert" if path.name == VOCABULARY else "Roberta"
        if path.suffix == SENTENCE_PIECES_ENDING:
            return _from_sentence_pieces(path, folder, checkpoint.family.layout, declared)
    if path is None or kind is None:
        raise other_class(str(name), Message("{0} cannot be read as that.", tokenizer_in(folder).name))
    validate_size(path)
    if kind in _UNIGRAM:
        vocabulary = scored_pieces(path)
        if vocabulary is None:  # of another kind than the class is: the library cuts as it was trained
            return _from_sentence_pieces(path, folder, checkpoint.family.layout, declared)
        return Backend(_BUILDERS[kind](vocabulary, declared), remarks=_on_conversion(path, kind))
    if kind in _BYTE_PAIR:
        return Backend(_BUILDERS[kind](byte_pairs(path, folder), declared))
    vocabulary = word_pieces(path)
    backend = _BUILDERS[kind](vocabulary, _with_case(declared, checkpoint))
    return Backend(backend, words=JiebaWords(frozenset(vocabulary.ids)) if kind == "RoFormer" else None)


def _with_case(declared: Declared, checkpoint: CheckpointConfig) -> Declared:
    """Return what is declared, with the user's answer about lower-casing where the files do not say."""
    if "do_lower_case" in declared.options or checkpoint.lower_case is None:
        return declared
    return replace(declared, options={**declared.options, "do_lower_case": checkpoint.lower_case})


def with_letter_case(
    stated: CheckpointConfig, folder: Path, config: Path, lower_case: bool | None
) -> CheckpointConfig:
    """Return `stated` with the question whether texts are made lower-case, where no file in `folder` says it.

    They are unless `lower_case` is the answer False, as in `transformers`. If the vocabulary speaks against
    that, a remark says so. `config` is the config.json that may name the class of the tokenizer.
    """
    path = tokenizer_in(folder) if has_tokenizer(folder) else None
    rules = _object(folder, TOKENIZER_CONFIG)
    if path is None or path.name != VOCABULARY or "do_lower_case" in rules:
        return stated
    kind = kind_of_tokenizer(rules, read_settings(file_in(folder, CONFIG) or config), False)
    if kind is not None and kind not in _WORD_PIECE:
        return stated
    questions = Questions(
        in_force=Answers(lower_case=lower_case is not False),
        names=("lower_case",),
        optional=frozenset({"lower_case"}),
        choices={"lower_case": (True, False)},
        seems_lower_case=seems_lower_case(path),
    )
    remark = Message(
        "No file says whether texts are made lower-case: they are, as in transformers. But {0} has capital "
        "letters or whole syllables; if the model reads texts as they are written, answer that: {1} on the "
        "command line, {2} in Python, “Answers about this checkpoint …” in the window.",
        *(path.name, "--cased", "lower_case=False"),
    )
    is_doubtful = lower_case is None and questions.seems_lower_case is False
    return replace(
        stated,
        lower_case=lower_case,
        remarks=(*stated.remarks, *((remark,) if is_doubtful else ())),
        questions=questions if stated.questions is None else stated.questions.joined(questions),
    )


def _list_in(folder: Path, name: str | None) -> Vocabulary | None:
    """Return the vocabulary of a vocab.json that is a list, where no class and no vocab.txt decides."""
    path = file_in(folder, BYTE_LEVEL)
    if name is not None or path is None or tokenizer_in(folder) != path:
        return None
    return listed_pieces(path)


def _from_list(vocabulary: Vocabulary, declared: Declared) -> Backend:
    """Return the tokenizer of a JSON list of pieces, with a remark on how it splits words."""
    if any(piece.startswith("##") for piece in vocabulary.ids):
        way = Message("words are split into pieces as in BERT")
    else:
        way = Message("words are what stands between white space, since no piece begins with ##")
    remark = Message("{0} is a list: pieces are numbered in its order, and {1}.", vocabulary.source, way)
    return Backend(word_piece.listed(vocabulary, declared), remarks=(remark,))


def _on_conversion(path: Path, kind: str) -> tuple[Message, ...]:
    """Return the notice about a SentencePiece model that is read as `transformers` converts it."""
    remarks = [
        Message(
            "{0} is read as transformers converts it, which splits some rare texts otherwise than "
            "SentencePiece.",
            path.name,
        )
    ]
    if kind == "RemBert":
        remarks.append(
            Message("Unlike transformers 5, which forgets them, [CLS] and [SEP] are written around a text.")
        )
    return tuple(remarks)


def _from_sentence_pieces(path: Path, folder: Path, layout: PieceNumbering, declared: Declared) -> Backend:
    """Return the tokenizer of a SentencePiece model, numbered by a vocab.txt beside it: KoBERT's layout."""
    layout = replace(
        layout,
        lower_case=declared.flag("do_lower_case", layout.lower_case),
        drops_accents=not declared.flag("keep_accents", not layout.drops_accents),
    )
    numbers = numbered_lines(folder)
    cutter = read_sentence_pieces(path, layout, numbers, declared)
    remarks: list[Message] = []
    if numbers is not None:
        absent = [piece for piece in cutter.names if piece not in numbers]
        own = {piece: number for number, piece in enumerate(cutter.names)}
        if others := {piece: number for piece, number in numbers.items() if own.get(piece, number) != number}:
            remarks.append(
                Message(
                    "{0} and {1} number {2} pieces differently, such as “{3}”: {4} is used.",
                    VOCABULARY,
                    path.name,
                    len(others),
                    shown(min(others, key=others.__getitem__)),
                    VOCABULARY,
                )
            )
        if absent:
            remarks.append(
                Message(
                    "{0} lacks {1} of the {2} pieces of {3}, such as “{4}”: they are read as unknown. It may "
                    "be another model's.",
                    *(VOCABULARY, len(absent), len(cutter.names), path.name, shown(absent[-1])),
                )
            )
    return Backend(cutter.backend(), cutter, spelling="spaces", remarks=tuple(remarks))


def without(name: str, file: str, folder: Path) -> TokenizerError:
    message = Message("The tokenizer of this checkpoint is a {0}, and {1} has no {2}.", name, folder, file)
    return TokenizerError(message, Message("Fetch the file; it comes with the checkpoint."))


_BUILDERS: Mapping[str, Builder] = MappingProxyType({**_WORD_PIECE, **_BYTE_PAIR, **_UNIGRAM})
