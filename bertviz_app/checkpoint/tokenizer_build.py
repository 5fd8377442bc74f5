"""Building the tokenizer of the class that a folder's files name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import tokenizers
from tokenizers import AddedToken

from bertviz_app.checkpoint.config import CheckpointConfig, seems_lower_case
from bertviz_app.checkpoint.folder import (
    ADDED_TOKENS,
    BYTE_LEVEL,
    CONFIG,
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
    sentence_pieces_in,
    tokenizer_in,
)
from bertviz_app.checkpoint.questions import Answers, Questions
from bertviz_app.checkpoint.tokenizer_class import (
    AGAIN,
    AS_SAVED,
    KNOWN,
    byte_pairs,
    declared_class,
    kind_of_tokenizer,
    listed_pieces,
    model_of_json,
    numbered_lines,
    other_class,
    piece_model,
    read_json,
    scored_pieces,
    takes_json_as_it_is,
    validate_size,
    vocabulary_of_json,
    word_pieces,
)
from bertviz_app.errors import CheckpointError, Message, TokenizerError, shown
from bertviz_app.room_loader import brought
from bertviz_app.text.classes import unigram
from bertviz_app.text.classes import unigram as byte_pair
from bertviz_app.text.classes import vocabulary as word_piece
from bertviz_app.text.classes.vocabulary import (
    ROLES,
    Declared,
    JiebaWords,
    Piece,
    Vocabulary,
    add_pieces,
    between,
    differing_ids,
    unreadable,
)
from bertviz_app.text.cutter import Backend, is_failure, read_backend
from bertviz_app.text.numbering import BERT_GENERATION, KOBERT, PieceNumbering
from bertviz_app.text.sentence_pieces import SPACE, read_sentence_pieces

_EXTRA, _ADDITIONAL, _DECODER = "extra_special_tokens", "additional_special_tokens", "added_tokens_decoder"


def read_declared(folder: Path, json: Mapping[str, object]) -> Declared:
    """Return what the files of `folder` declare, each taking precedence as in `transformers`.

    `json` are the contents of tokenizer.json, empty if there is none.

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
            raise unreadable(_DECODER, Message("an object"))
        if not all(number.isascii() and number.isdigit() for number in by_id):
            raise unreadable(_DECODER, Message("an object with ids as keys"))
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
        added = {**_added_in_list(folder, names), **_added_in_json(json)}
    by_text = {token.content: token for token in added.values()}
    named = {role: by_text.get(str(piece), piece) for role, piece in specials.items()}
    return Declared(options, named, own, extra, additional, added)


def _object(folder: Path, name: str) -> Mapping[str, object]:
    """Return the contents of a JSON file, empty if there is none."""
    path = file_in(folder, name)
    return {} if path is None else read_object(path)


def _pieces(key: str, value: object) -> tuple[Piece, ...]:
    if not isinstance(value, list):
        raise unreadable(key, Message("a list"))
    return tuple(_piece(key, one, special=True) for one in value)


def _piece(key: str, value: object, special: bool | None = None) -> Piece:
    """Return a special token that is written as a text, or as an object with rules of how it is found."""
    if isinstance(value, str):
        return value
    if not isinstance(value, Mapping):
        raise unreadable(key, Message("text"))
    return _token(key, value, special)


def _token(key: str, value: object, special: bool | None = None) -> AddedToken:
    if not isinstance(value, Mapping) or not isinstance(value.get("content"), str):
        raise unreadable(key, Message("an object with “content”"))
    names = ("single_word", "lstrip", "rstrip", "normalized", "special")
    rules = {name: value[name] for name in names if value.get(name) is not None}
    if not all(isinstance(rule, bool) for rule in rules.values()):
        raise unreadable(key, Message("an object with “content”"))
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


def _added_in_json(json: Mapping[str, object]) -> dict[int, AddedToken]:
    """Return the added tokens of tokenizer.json by id."""
    tokens = json.get("added_tokens")
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
        "CLIP": byte_pair.clip,
        "Deberta": byte_pair.deberta,
        "Herbert": byte_pair.herbert,
        "Luke": byte_pair.luke,
        "Roberta": byte_pair.roberta,
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
    json = file_in(folder, TOKENIZER)
    kind = kind_of_tokenizer(rules, settings, json is not None)
    content = {} if json is None else read_json(json)
    name = declared_class(rules, settings)
    is_of_kobert = kind == "Bert" and name is not None and json is None and _lists_pieces(folder)
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
        elif json is not None and kind not in _LAYOUTS:
            as_it_is = kind not in KNOWN or takes_json_as_it_is(rules, settings)
            backend = _from_json(
                json, content, AS_SAVED if as_it_is or kind is None else kind, declared, name
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


def _finished(backend: Backend, declared: Declared, kind: str | None, json: Mapping[str, Any]) -> Backend:
    """Return `backend` with the options that all classes have, and with all remarks."""
    in_python = kind in _IN_PYTHON or kind in _LAYOUTS
    if backend.cutter is None:
        backend.rust.encode_special_tokens = declared.flag("split_special_tokens", False)
    truncation = json.get("truncation")
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
    path = _file_of(kind, folder, pieces)
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


def _file_of(kind: str | None, folder: Path, pieces: Path | None) -> Path | None:
    """Return the file that a class reads, or None if it is not there."""
    if kind in _WORD_PIECE:
        return file_in(folder, VOCABULARY)
    if kind in _BYTE_PAIR:
        return file_in(folder, BYTE_LEVEL)
    return pieces if kind in _UNIGRAM else None


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
