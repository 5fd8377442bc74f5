"""`read_declared`: what four files of a folder declare of a tokenizer's special and added tokens."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from tokenizers import AddedToken

from bertviz_app.checkpoint.folder import ADDED_TOKENS, SPECIAL_TOKENS, TOKENIZER, TOKENIZER_CONFIG, file_in
from bertviz_app.checkpoint.json_files import read_object
from bertviz_app.errors import Message, TokenizerError, shown
from bertviz_app.text.classes.vocabulary import ROLES, Declared, Piece, unreadable

_RULES_OF_FINDING = ("single_word", "lstrip", "rstrip", "normalized", "special")
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
    extra = _extra(options)
    if extra is not None and isinstance(extra, Mapping):
        own |= {key: _piece(key, value) for key, value in extra.items()}
        extra = None
    additional: tuple[Piece, ...] | None = None
    if _DECODER in options:
        added = _numbered(options[_DECODER])
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
        added = {**_from_list(folder, names), **_from_json(json)}
    by_text = {token.content: token for token in added.values()}
    named = {role: by_text.get(str(piece), piece) for role, piece in specials.items()}
    return Declared(options, named, own, extra, additional, added)


def _object(folder: Path, name: str) -> Mapping[str, object]:
    """Return the contents of a JSON file, empty if there is none."""
    path = file_in(folder, name)
    return {} if path is None else read_object(path)


def _extra(options: Mapping[str, object]) -> tuple[Piece, ...] | Mapping[str, object] | None:
    """Return the special tokens without a role in tokenizer_config.json, or those of its own roles."""
    key = _EXTRA if options.get(_EXTRA) or _ADDITIONAL not in options else _ADDITIONAL
    value = options.get(key)
    if value is None:
        return None
    return value if isinstance(value, Mapping) else _pieces(key, value)


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
    rules = {name: value[name] for name in _RULES_OF_FINDING if value.get(name) is not None}
    if not all(isinstance(rule, bool) for rule in rules.values()):
        raise unreadable(key, Message("an object with “content”"))
    if special is not None:
        rules["special"] = special
    return AddedToken(value["content"], **rules)


def _numbered(value: object) -> dict[int, AddedToken]:
    """Return the added tokens of tokenizer_config.json by id."""
    if not isinstance(value, Mapping):
        raise unreadable(_DECODER, Message("an object"))
    if not all(number.isascii() and number.isdigit() for number in value):
        raise unreadable(_DECODER, Message("an object with ids as keys"))
    return {int(number): _token(_DECODER, token) for number, token in value.items()}


def _from_list(folder: Path, names: set[str]) -> dict[int, AddedToken]:
    """Return the tokens of added_tokens.json by id; those among `names` are special."""
    found = {}
    for text, number in _object(folder, ADDED_TOKENS).items():
        if not isinstance(number, int):
            message = Message("{0} gives “{1}” no id.", ADDED_TOKENS, shown(text))
            raise TokenizerError(
                message, Message("Fetch the tokenizer's files again; they come with the checkpoint.")
            )
        is_special = text in names
        found[number] = AddedToken(
            text, rstrip=False, lstrip=False, normalized=not is_special, special=is_special
        )
    return found


def _from_json(json: Mapping[str, object]) -> dict[int, AddedToken]:
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
