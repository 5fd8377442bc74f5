"""`Family`: the names and shapes in the checkpoints of one family, as a table; single settings."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING

from bertviz_app.encoder.config import DenseHeadConfig, EncoderConfig, TaskHeadsConfig
from bertviz_app.errors import CheckpointError, Message, shown
from bertviz_app.text.numbering import PLAIN, PieceNumbering
from bertviz_app.values import dataclass, field, replace

if TYPE_CHECKING:
    from torch import Tensor

Renames = tuple[tuple[re.Pattern[str], str], ...]
Fields = Callable[[Mapping[str, object], Mapping[str, int]], dict[str, object]]
StatedTaskHeads = Callable[[Mapping[str, object]], TaskHeadsConfig]


def patterns(*expressions: str) -> tuple[re.Pattern[str], ...]:
    """Return compiled regular expressions."""
    return tuple(re.compile(expression) for expression in expressions)


def renames(*pairs: tuple[str, str]) -> Renames:
    """Return compiled (pattern, replacement) pairs, to be applied in this order."""
    return tuple((re.compile(pattern), replacement) for pattern, replacement in pairs)


@dataclass(frozen=True)
class Grouped:
    """Dense layers that are in G groups: the first of the outputs read the first of the inputs, and so on.

    `pattern` finds our names of them. Files have their weights as a convolution over one token
    [out, in / G, 1], or `is_by_group` [G, in / G, out / G].
    """

    pattern: re.Pattern[str]
    n_groups: int
    is_by_group: bool = False


TOKEN_RENAMES = renames((r"^classifier\.(weight|bias)$", r"token_labels.output.\1"))
ANSWER_RENAMES = renames((r"^qa_outputs\.", "answer.output."))
"""The head for the labels of tokens, and the one for answers, as most families name them."""


@dataclass(frozen=True)
class Family:
    """The configuration keys and parameter names of one `model_type`.

    `sizes` maps required keys of config.json to fields of EncoderConfig (counts, from 1), `choices` maps
    optional keys to fields with a default, `older` maps keys to their spelling in older files. `fixed` has
    keys for which the encoder supports a single value, `defaults` the fields whose default differs from
    EncoderConfig's.

    A parameter's name is translated in this order: `prefixes` are removed, names that match `ignored` are
    dropped, names that match `task_heads` are those of task heads, and `renames` are applied in turn. A
    renamed parameter with one of `splits` in its name is several parameters, stacked along its rows; with one
    of `splits_by_head` the first head's rows of each come first, then those of the second.

    `fields` returns further fields of EncoderConfig from config.json once the `sizes` are known;
    `stated_task_heads` returns how the task heads are built. `fitted` returns this table with names
    that follow from config.json. `settings_of` returns the encoder's settings where config.json has those of
    other parts, too, or leaves some out.
    """

    model_type: str
    title: str  # as its authors spell it
    sizes: Mapping[str, str]
    choices: Mapping[str, str]
    fixed: Mapping[str, object]
    prefixes: tuple[str, ...]
    ignored: tuple[re.Pattern[str], ...]
    task_heads: tuple[re.Pattern[str], ...]
    renames: Renames
    defaults: Mapping[str, object] = field(default_factory=dict)
    tells_texts_apart: bool = True  # its tokenizer gives the second text of a pair segment id 1
    head_renames: Renames = ()  # patterns of the parameters of task heads
    masked_activation: str | None = None  # activation of the masked-token head; None: that of the layers
    classifier_activation: str | None = None  # of the classifier's own dense layer; None: it has none
    is_exact: bool = False  # refuse tensors of unknown names outside of the encoder, too
    rotation_table: re.Pattern[str] | None = None  # sines, then cosines [n, E], which are computed
    unused: tuple[re.Pattern[str], ...] = ()  # our names that some files have and some models do not use
    by_name: Mapping[str, str] = field(default_factory=dict)  # our names in one file, before all `renames`
    # In one file, what joins or turns its tensors first.
    convert: Callable[[Mapping[str, Tensor]], Mapping[str, Tensor]] = lambda tensors: tensors
    flattened: tuple[re.Pattern[str], ...] = ()  # our names of weights that are convolutions over one token
    grouped: tuple[Grouped, ...] = ()  # dense layers that are in groups
    orders_sentences: bool = False  # its sentence head predicts the order of two texts
    narrows_layers: bool = False  # heads share another width than that of the hidden states
    always_projects: bool = True  # projected even if embeddings and layers have the same width
    splits: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    splits_by_head: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    older: Mapping[str, str] = field(default_factory=dict)
    fields: Fields | None = None
    fitted: Callable[[Family, Mapping[str, object], EncoderConfig], Family] | None = None
    settings_of: Callable[[Mapping[str, object]], Mapping[str, object]] | None = None
    stated_task_heads: StatedTaskHeads | None = None
    classifier_renames: Renames = ()  # instead of `head_renames` if there is a classifier
    token_renames: Renames = TOKEN_RENAMES  # instead of `head_renames` if the classifier is one of tokens
    answer_renames: Renames = ANSWER_RENAMES  # instead of `head_renames` if the checkpoint finds answers
    remarks: tuple[Message, ...] = ()  # what the user is to know of every checkpoint of the family
    layout: PieceNumbering = PLAIN  # of a SentencePiece vocabulary
    outer: str = ""  # in one file, what the names of the encoder and its task heads begin with
    vector_projection: str = ""  # its sentence vector is the last token times this, if the file has it
    has_bare_task_heads: bool = False  # in some files the norm of the masked-token head has only biases

    def parts(self, name: str) -> tuple[tuple[str, ...], bool]:
        """Return the parameters stored in the tensor of our name `name`, usually one, and whether by head."""
        for splits, is_by_head in ((self.splits_by_head, True), (self.splits, False)):
            for whole, parts in splits.items():
                if whole in name:
                    return tuple(name.replace(whole, part) for part in parts), is_by_head
        return (name,), False

    def rename(self, name: str) -> str:
        """Return our name for the checkpoint's parameter `name`, whose prefix has been removed."""
        if name in self.by_name:
            return self.by_name[name]
        for pattern, replacement in self.renames:
            name = pattern.sub(replacement, name)
        return name

    def strip(self, name: str) -> str:
        """Return `name` without `outer` and without the prefixes of task models, outermost first."""
        name = name.removeprefix(self.outer)
        for prefix in self.prefixes:
            name = name.removeprefix(prefix)
        return name

    def in_words_of(self, settings: Mapping[str, object]) -> Family:
        """Return this table for the spelling of the keys in `settings`."""

        def stated(key: str) -> str:
            older = self.older.get(key)
            return key if older is None or key in settings or older not in settings else older

        sizes = {stated(key): name for key, name in self.sizes.items()}
        return replace(self, sizes=sizes, choices={stated(key): name for key, name in self.choices.items()})


AGAIN = Message("Fetch config.json again; it comes with the checkpoint.")
_LONGEST_NAME = 80


def count_in(settings: Mapping[str, object], key: str, otherwise: int, *, first: int = 1) -> int:
    """Return the whole number at `key`, `first` or more; `otherwise` where there is none or null.

    Raises CheckpointError.
    """
    return otherwise if settings.get(key) is None else whole_in(settings, key, otherwise, first=first)


def whole_in(
    settings: Mapping[str, object], key: str, otherwise: int, most: int = 1_000_000, *, first: int = 1
) -> int:
    """Return the whole number at `key`, `first` to `most`. Raises CheckpointError, for null too."""
    value = settings.get(key, otherwise)
    if isinstance(value, bool) or not isinstance(value, int) or not first <= value <= most:
        raise CheckpointError(
            Message("{0} in config.json must be a whole number from {1} to {2}.", key, first, f"{most:,}"),
            AGAIN,
        )
    return value


def flag_in(settings: Mapping[str, object], key: str, *, otherwise: bool) -> bool:
    """Return the flag at `key`. Raises CheckpointError for what is neither true nor false."""
    value = settings.get(key, otherwise)
    if not isinstance(value, bool):
        raise CheckpointError(Message("{0} in config.json must be true or false.", key), AGAIN)
    return value


def string_in(settings: Mapping[str, object], key: str, otherwise: str) -> str:
    """Return the name at `key`. Raises CheckpointError for what cannot be one."""
    value = settings.get(key, otherwise)
    if not isinstance(value, str) or not value.isprintable() or len(value) > _LONGEST_NAME:
        raise CheckpointError(Message("{0} in config.json must be a name.", key), AGAIN)
    return value


def choice_in(settings: Mapping[str, object], key: str, known: Collection[str], otherwise: str) -> str:
    """Return the name at `key`, one of those that are `known`. Raises CheckpointError."""
    value = settings.get(key, otherwise)
    if not isinstance(value, str) or value not in known:
        raise unknown_choice(key, value, known)
    return value


def unknown_choice(key: str, value: object, known: Collection[str]) -> CheckpointError:
    """Return the error for a `value` at `key` that is none of those that are `known`."""
    message = Message("This checkpoint has {0} = “{1}”, which is not known.", key, shown(str(value)))
    return CheckpointError(message, Message("Known are {0}.", ", ".join(known)))


def base_in(
    settings: Mapping[str, object], key: str, otherwise: float, newer: Mapping[str, object] | None = None
) -> float:
    """Return the base of the rotations at `key`, or "rope_theta" of `newer` if it is there.

    `newer`: the settings of rotations in newer files. Raises CheckpointError.
    """
    base = settings.get(key, otherwise)  # looked up in any case: keys that are not are remarked on
    if newer is not None and "rope_theta" in newer:
        key, base = "rope_theta", newer["rope_theta"]
    if isinstance(base, bool) or not isinstance(base, int | float) or not 1 < base < 1e12:
        message = Message("The base of the rotations in config.json, {0}, is no number above 1.", key)
        raise CheckpointError(message, AGAIN)
    return float(base)


def unscaled_rotations(settings: Mapping[str, object], n_layers: int, otherwise: float) -> dict[str, object]:
    """Return `rotary_bases` and `reaches` of an EncoderConfig whose layers all have the same rotations.

    The base is in `rope_parameters`, or beside them in older files. Raises CheckpointError for rotations that
    are scaled, or of another type.
    """
    found = rotations_in(settings)
    kind = found.get("rope_type", found.get("type", "default"))
    if kind != "default":
        raise other_type(kind)
    return same_rotations(base_in(settings, "rope_theta", otherwise, found), n_layers)


def same_rotations(base: float, n_layers: int) -> dict[str, object]:
    """Return `rotary_bases` and `reaches` of an EncoderConfig whose layers all have this base."""
    return {"rotary_bases": (base,) * n_layers, "reaches": (None,) * n_layers}


def rotations_in(settings: Mapping[str, object]) -> Mapping[str, object]:
    """Return the object with the settings of the rotations, under its newer or its older name."""
    for key in ("rope_parameters", "rope_scaling"):
        if isinstance(found := settings.get(key), dict):
            return found
    return {}


def other_type(kind: object) -> CheckpointError:
    """Return the error for rotations of a type that is not computed."""
    message = Message(
        "This checkpoint has rotations of the type “{0}”, which the encoder does not compute.",
        shown(str(kind)),
    )
    return CheckpointError(message, Message('Open one with "rope_type": "default".'))


def bare_masked_head(*, has_bias: bool) -> StatedTaskHeads:
    """Return a function that returns how the head is built; `vocab_size` has been validated before."""

    def heads(settings: Mapping[str, object]) -> TaskHeadsConfig:
        n_pieces = settings["vocab_size"]
        assert isinstance(n_pieces, int)
        head = DenseHeadConfig(reads="tokens", widths=(n_pieces,), biases=(has_bias,))
        return TaskHeadsConfig(dense_heads=(("masked", head),))

    return heads


def named(module: str) -> Renames:
    """Return the renames for the parameters of `module`, the only ones of the head."""
    return renames((rf"^{module}\.(weight|bias)$", r"dense.masked.layers.0.\1"))
