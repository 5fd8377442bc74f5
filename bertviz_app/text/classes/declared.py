"""`Declared`: the options, special tokens and added tokens that a checkpoint's files declare."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from tokenizers import AddedToken

from bertviz_app.errors import Message, TokenizerError

Piece = str | AddedToken
"""A special token: its text alone, or with rules of how it is found in a text."""
ROLES = ("bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token")
"""The roles of special tokens, in the order in which those that the vocabulary lacks get their ids."""
ROBERTA_ROLES: Mapping[str, str] = MappingProxyType(
    {
        "bos_token": "<s>",
        "eos_token": "</s>",
        "sep_token": "</s>",
        "cls_token": "<s>",
        "unk_token": "<unk>",
        "pad_token": "<pad>",
        "mask_token": "<mask>",
    }
)
"""The special tokens of RoBERTa, PhoBERT and BERTweet, in the order of their ids."""
RULES = "tokenizer_config.json"


@dataclass(frozen=True, eq=False)
class Declared:
    """What tokenizer_config.json, special_tokens_map.json, added_tokens.json and tokenizer.json declare.

    `specials` are special tokens by role, `own` those of roles that only this checkpoint has, `extra` those
    without a role (None: none are declared), `additional` those that only special_tokens_map.json has.
    `added` are the added tokens by id. `n_rows` is the size of the table of embeddings, where it is known.
    """

    options: Mapping[str, object] = field(default_factory=dict)
    specials: Mapping[str, Piece] = field(default_factory=dict)
    own: Mapping[str, Piece] = field(default_factory=dict)
    extra: tuple[Piece, ...] | None = None
    additional: tuple[Piece, ...] | None = None
    added: Mapping[int, AddedToken] = field(default_factory=dict)
    n_rows: int | None = None

    def leaves_out(self, role: str, number: int) -> bool:
        """Return whether the class's own token for `role`, which would get the id `number`, has no embedding.

        Such a token, which no file mentions, is not added: the model does not have it.
        """
        return role not in self.specials and self.n_rows is not None and number >= self.n_rows

    def without_roles(self, otherwise: Sequence[Piece] | None = None) -> Sequence[Piece]:
        """Return the special tokens without a role; `otherwise` are those of the vocabulary's own file."""
        if self.extra is not None:
            return self.extra
        return (self.additional or ()) if otherwise is None else otherwise

    def is_given_up(self, role: str) -> bool:
        """Return whether the files say that there is no token for `role`, which its class would have."""
        return role in self.options and self.options[role] is None and role not in self.specials

    def flag(self, key: str, otherwise: bool) -> bool:
        """Return an option that is true or false; null counts as absent. Raises TokenizerError."""
        found = self.maybe(key)
        return otherwise if found is None else found

    def maybe(self, key: str) -> bool | None:
        """Return an option that may be true, false or null. Raises TokenizerError for any other value."""
        value = self.options.get(key)
        if value is not None and not isinstance(value, bool):
            raise unreadable(key, Message("true or false"))
        return value

    def word(self, key: str, otherwise: str) -> str:
        """Return an option that is a text. Raises TokenizerError for any other value."""
        value = self.options.get(key)
        if value is None:
            return otherwise
        if not isinstance(value, str):
            raise unreadable(key, Message("text"))
        return value

    def with_defaults(self, **defaults: Piece) -> dict[str, Piece]:
        """Return the special tokens by role, in the order of `ROLES`, then the checkpoint's own roles.

        `defaults` are those of the tokenizer class, for roles that the files do not mention.
        """
        found = {**defaults, **self.specials}
        ordered = {role: found[role] for role in ROLES if role in found}
        return {**ordered, **{role: piece for role, piece in found.items() if role not in ROLES}, **self.own}


def brief(name: str, at_most: int = 80) -> str:
    """Return the start of a name from a file, without control characters, for use in a message."""
    start = name[:at_most]
    return start if start.isprintable() else ascii(start)


def unreadable(key: str, kind: str) -> TokenizerError:
    """Return the TokenizerError for an option of tokenizer_config.json that is not of its `kind`."""
    return TokenizerError(
        Message("{0} in {1} must be {2}.", key, RULES, kind),
        Message("Fetch the tokenizer's files again; they come with the checkpoint."),
    )
