"""Interventions in one run, each at most once: on tokens, heads, attention weights and hidden states."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from numbers import Real
from typing import Literal, get_args

import numpy as np

from bertviz_app.errors import InterventionError, Message, TextError
from bertviz_app.text.tokens import Tokens
from bertviz_app.types import Bools
from bertviz_app.values import dataclass, replace

MASK = "[MASK]"
"""What a token is replaced by to hide it; stands for the tokenizer's own mask, whatever its name."""
MASKS = (MASK, "<mask>")
"""What tokenizers call it."""
HeadKind = Literal["zero", "mean", "uniform"]
"""What replaces the output of a head: zeros, its mean over a reference text, or that of equal weights."""
TokenKind = Literal["mask", "replace", "drop", "segment", "position"]
"""What is done to a token: its piece, its segment or its position ID is another, or it is left out."""
HEAD_KINDS: tuple[HeadKind, ...] = get_args(HeadKind)
TOKEN_KINDS: tuple[TokenKind, ...] = get_args(TokenKind)


@dataclass(frozen=True)
class Intervention:
    """One change to a forward pass. Layers, heads and tokens count from 0.

    Tokens are those of the text without interventions, special ones among them: a dropped token does not
    change the numbers of the others.
    """

    @property
    def named_tokens(self) -> tuple[int, ...]:
        """The tokens that it names."""
        return ()


@dataclass(frozen=True)
class HeadIntervention(Intervention):
    """The output of a head is replaced.

    "zero": by zeros (Michel et al. 2019, arXiv:1905.10650, section 3). "mean": by the mean of the head's
    output over all tokens of the text `reference`, special ones among them, in the model without
    interventions (Wang et al. 2022, arXiv:2211.00593, section 2). "uniform": by the output of a head that
    attends alike to all keys that a query can reach, with weights 1 / n (Kovaleva et al. 2019,
    arXiv:1908.08593, section 4.5). Raises InterventionError for another kind, and unless "mean", and it
    alone, has a reference.
    """

    layer: int
    head: int
    kind: HeadKind = "zero"
    reference: str = ""

    def __str__(self) -> str:
        over = f" over “{self.reference}”" if self.reference else ""
        return f"head {self.layer}.{self.head} {self.kind}{over}"

    def __post_init__(self) -> None:
        _validate_kind(self.kind, HEAD_KINDS)
        if self.kind == "mean" and not self.reference.strip():
            message = Message(
                "The mean of head {0} · {1} needs a reference text over which it is taken.",
                self.layer,
                self.head,
            )
            raise InterventionError(message, Message("Give a reference text."))
        if self.kind != "mean" and self.reference:
            message = Message("A reference text belongs to a mean, not to “{0}”.", self.kind)
            raise InterventionError(message, Message("Choose {0}.", "mean"))


@dataclass(frozen=True)
class TokenIntervention(Intervention):
    """A token is another one, is left out, or has another segment or position ID.

    "mask": it is the tokenizer's mask. "replace": it is the piece `value` of the vocabulary. "drop": it is
    left out, and the tokens after it move up. "segment", "position": its ID is `value`. Raises
    InterventionError for another kind, and for a value that does not fit the kind.
    """

    token: int
    kind: TokenKind = "mask"
    value: str | int | None = None

    @property
    def piece(self) -> str | None:
        """What the token is read as, MASK or a piece of the vocabulary; None where that is as written."""
        return {"mask": MASK, "replace": str(self.value)}.get(self.kind)

    @property
    def number(self) -> int:
        """The value of a segment or a position, an ID."""
        assert isinstance(self.value, int)
        return self.value

    def __str__(self) -> str:
        done = self.kind if self.value is None else f"{self.kind} {self.value}"
        return f"token {self.token} {done}"

    @property
    def named_tokens(self) -> tuple[int, ...]:
        return (self.token,)

    def __post_init__(self) -> None:
        _validate_kind(self.kind, TOKEN_KINDS)
        value, kind = self.value, self.kind
        is_id = isinstance(value, int) and not isinstance(value, bool) and value >= 0
        needs = {"replace": isinstance(value, str) and bool(value), "segment": is_id, "position": is_id}
        if not needs.get(kind, value is None):
            hint = {
                "replace": Message("“replace” takes a piece of the vocabulary."),
                "segment": Message("“segment” takes a segment ID, an integer from 0."),
                "position": Message("“position” takes a position ID, an integer from 0."),
            }.get(kind, Message("“{0}” takes no value.", kind))
            raise InterventionError(
                Message("The value of “{0}” for token {1} is missing or of another kind.", kind, self.token),
                hint,
            )


@dataclass(frozen=True)
class CellIntervention(Intervention):
    """The weight with which `query` attends to `key` in a head is `weight`.

    The other weights of the row keep their proportions and add up to 1 - `weight`; where they are all 0 they
    become equal. Raises InterventionError for a weight that is not between 0 and 1.
    """

    layer: int
    head: int
    query: int
    key: int
    weight: float

    def __post_init__(self) -> None:
        if not (isinstance(self.weight, Real) and 0 <= self.weight <= 1):  # NaN is not either
            message = Message("An attention weight is between 0 and 1, not {0}.", self.weight)
            raise InterventionError(message, Message("Give a number from 0 to 1."))

    def __str__(self) -> str:
        return f"weight {self.layer}.{self.head} [{self.query}, {self.key}] = {self.weight:g}"

    @property
    def named_tokens(self) -> tuple[int, ...]:
        return self.query, self.key

    @property
    def cell(self) -> tuple[int, int, int, int]:
        """The (layer, head, query, key)."""
        return self.layer, self.head, self.query, self.key


@dataclass(frozen=True)
class StateIntervention(Intervention):
    """A hidden state is that of a token of another text: activation patching.

    Vig et al. 2020, arXiv:2004.12265; Meng et al. 2022, arXiv:2202.05262.

    `state` counts as `Trace.hidden` does: 0 is the output of the embeddings, l + 1 that of layer l. `token`
    has there the vector that token `source_token` of `source` has in the same state, which the model computes
    of that text (and of `source_pair` behind it) without interventions. Raises InterventionError without a
    source.
    """

    state: int
    token: int
    source_token: int
    source: str
    source_pair: str | None = None

    def __post_init__(self) -> None:
        if not self.source.strip():
            message = Message("A state of another text needs that text.")
            raise InterventionError(message, Message("Give the text whose state is put in."))

    def __str__(self) -> str:
        source = self.source if self.source_pair is None else f"{self.source} | {self.source_pair}"
        return f"state {self.state} of token {self.token} = that of token {self.source_token} of “{source}”"

    @property
    def named_tokens(self) -> tuple[int, ...]:
        return (self.token,)

    @property
    def texts(self) -> tuple[str, str | None]:
        """The text, and its second one, whose state is put in."""
        return self.source, self.source_pair


def _validate_kind(kind: str, kinds: tuple[str, ...]) -> None:
    if kind not in kinds:
        message = Message("There is no intervention “{0}”.", kind)
        raise InterventionError(message, Message("There are: {0}.", ", ".join(kinds)))


@dataclass(frozen=True)
class Edits:
    """The interventions of a run, as files have them; all sorted, so that equal edits compare equal.

    `muted`: (layer, head) of the heads whose output is replaced by zeros. `replaced`: (token, piece) of
    tokens that are replaced by another piece of the vocabulary, or by MASK. `heads`: those that are replaced
    by something else than zeros. `tokens`: those that are dropped, or have another segment or position.
    `states`: hidden states of another text. What is done with edits is done to their `interventions`, and
    made edits again by `of`.
    """

    muted: tuple[tuple[int, int], ...] = ()
    replaced: tuple[tuple[int, str], ...] = ()
    heads: tuple[HeadIntervention, ...] = ()
    tokens: tuple[TokenIntervention, ...] = ()
    cells: tuple[CellIntervention, ...] = ()
    states: tuple[StateIntervention, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.muted or self.replaced or self.heads or self.tokens or self.cells or self.states)

    @classmethod
    def of(cls, interventions: Iterable[Intervention]) -> Edits:
        """Return the edits that `interventions` make. Raises InterventionError where two contradict."""
        found = dict[tuple[str | int, ...], Intervention]()
        for one in interventions:
            if found.setdefault(_slot(one), one) != one:
                raise InterventionError(
                    Message("Two interventions contradict each other: {0}, {1}.", found[_slot(one)], one),
                    Message("Give one of them."),
                )
        chosen = [found[slot] for slot in sorted(found)]
        heads = [one for one in chosen if isinstance(one, HeadIntervention)]
        tokens = [one for one in chosen if isinstance(one, TokenIntervention)]
        return cls(
            tuple((one.layer, one.head) for one in heads if one.kind == "zero"),
            tuple((one.token, one.piece) for one in tokens if one.piece is not None),
            tuple(one for one in heads if one.kind != "zero"),
            tuple(one for one in tokens if one.piece is None),
            tuple(one for one in chosen if isinstance(one, CellIntervention)),
            tuple(one for one in chosen if isinstance(one, StateIntervention)),
        )

    @cached_property
    def interventions(self) -> tuple[Intervention, ...]:
        """All of them: on tokens, on heads, on single weights, on states."""
        tokens = [_read_as(at, piece) for at, piece in self.replaced]
        tokens = sorted((*tokens, *self.tokens), key=lambda one: one.token)
        heads = sorted(
            (*(HeadIntervention(layer, head) for layer, head in self.muted), *self.heads),
            key=lambda one: (one.layer, one.head),
        )
        return (*tokens, *heads, *self.cells, *self.states)

    def with_intervention(self, one: Intervention) -> Edits:
        """Return these edits with one more, instead of any on the same head, token or weight."""
        return Edits.of((*self.without_alike(one).interventions, one))

    def without(self, one: Intervention) -> Edits:
        """Return these edits without this intervention."""
        return Edits.of(each for each in self.interventions if each != one)

    def without_alike(self, one: Intervention) -> Edits:
        """Return these edits without any on the same head, token or weight as `one`."""
        return Edits.of(each for each in self.interventions if _slot(each) != _slot(one))

    def merged(self, other: Edits) -> Edits:
        """Return these edits and those of `other`, which count where both change the same."""
        return Edits.of({_slot(one): one for one in (*self.interventions, *other.interventions)}.values())

    def piece_at(self, position: int) -> str | None:
        """Return the piece that replaces the token at `position`, or None if it is not replaced."""
        return dict(self.replaced).get(position)

    def head_at(self, layer: int, head: int) -> HeadIntervention | None:
        """Return what is done to a head, or None."""
        if (layer, head) in self.muted:
            return HeadIntervention(layer, head)
        return next((one for one in self.heads if (one.layer, one.head) == (layer, head)), None)

    def with_head_toggled(self, layer: int, head: int) -> Edits:
        """Return these edits with one head muted, or with none of its interventions if it has one."""
        mute = HeadIntervention(layer, head)
        is_changed = self.head_at(layer, head) is not None
        return self.without_alike(mute) if is_changed else self.with_intervention(mute)

    def with_token(self, position: int, piece: str | None) -> Edits:
        """Return these edits with the token at `position` replaced by `piece`; None: not replaced."""
        if piece is None:
            return self.without_alike(TokenIntervention(position))
        return self.with_intervention(_read_as(position, piece))

    def where_tokens(self, stay: Callable[[int], bool]) -> Edits:
        """Return these edits without those that name a token which does not stay."""
        return Edits.of(one for one in self.interventions if all(map(stay, one.named_tokens)))

    def without_tokens(self) -> Edits:
        """Return these edits without those that name tokens of a text."""
        return self.where_tokens(lambda token: False)

    def without_replaced(self) -> Edits:
        """Return these edits without any replaced token."""
        return replace(self, replaced=())

    def without_muted(self) -> Edits:
        """Return these edits without any muted head."""
        return replace(self, muted=())

    @cached_property
    def dropped(self) -> tuple[int, ...]:
        """The tokens that are left out, as the text without interventions counts them."""
        return tuple(one.token for one in self.tokens if one.kind == "drop")

    @cached_property
    def constant_heads(self) -> frozenset[tuple[int, int]]:
        """The (layer, head) whose output is zero or a mean: it does not depend on their attention."""
        return frozenset((*self.muted, *((one.layer, one.head) for one in self.heads if one.reference)))

    @property
    def references(self) -> tuple[str, ...]:
        """The texts over which means of heads are taken."""
        return tuple(dict.fromkeys(one.reference for one in self.heads if one.reference))

    @property
    def sources(self) -> tuple[tuple[str, str | None], ...]:
        """The texts, each with its second one, whose hidden states are put in."""
        return tuple(dict.fromkeys(one.texts for one in self.states))

    def position_written(self, position: int) -> int:
        """Return which token of the text without interventions is read at `position`."""
        for at in self.dropped:
            position += at <= position
        return position

    def position_read(self, token: int) -> int | None:
        """Return where a token of the text without interventions is read, None where it is dropped."""
        return None if token in self.dropped else token - sum(at < token for at in self.dropped)


NO_EDITS = Edits()


def edits_text(edits: Edits) -> str:
    """Return the interventions in one line, as files and logs name them; "" where there is none."""
    return "; ".join(map(str, edits.interventions))


def edits_texts(first: Edits, second: Edits) -> str:
    """Return the interventions in two runs in one line; "" where there is none in either."""
    named = {"first run": edits_text(first), "second run": edits_text(second)}
    return "; ".join(f"{name}: {text}" for name, text in named.items() if text)


def _slot(one: Intervention) -> tuple[str | int, ...]:
    """Return what an intervention changes; two with the same exclude each other."""
    if isinstance(one, HeadIntervention):
        return "head", one.layer, one.head
    if isinstance(one, CellIntervention):
        return "cell", *one.cell
    if isinstance(one, StateIntervention):
        return "state", one.state, one.token
    assert isinstance(one, TokenIntervention)
    return one.kind if one.kind in ("segment", "position") else "piece", one.token


def _read_as(token: int, piece: str) -> TokenIntervention:
    return TokenIntervention(token) if piece == MASK else TokenIntervention(token, "replace", piece)


def edited_lines(edits: Edits) -> dict[int, frozenset[int]]:
    """Return which of (piece, id, segment ID, position ID) are others than written, by where a token is read.

    Tokens that are read as they are written are not in it.
    """
    changed = [(at, frozenset({0, 1})) for at, _ in edits.replaced]
    lines = {"segment": frozenset({2}), "position": frozenset({3})}
    changed += [(one.token, lines[one.kind]) for one in edits.tokens if one.kind in lines]
    found: dict[int, frozenset[int]] = {}
    for token, of_token in changed:
        if (position := edits.position_read(token)) is not None:
            found[position] = found.get(position, frozenset()) | of_token
    return found


def with_edits(tokens: Tokens, edits: Edits, find: Callable[[str], tuple[str, int]]) -> Tokens:
    """Return `tokens` as they are read: with other pieces, segments and positions, and without some.

    Words and spans stay. After a dropped token the position IDs move up. `find` returns the vocabulary's
    piece and id for a typed piece. Raises TextError for a position outside of the text or of a special token,
    InterventionError where no token of the text is left, and whatever `find` raises.
    """
    if not (edits.replaced or edits.tokens):
        return tokens
    pieces, ids = list(tokens.pieces), tokens.ids.copy()
    for position, given in edits.replaced:
        _validate_position(tokens, position)
        if tokens.is_special[position]:
            raise TextError(
                Message("Token {0} is {1}, which cannot be replaced.", position, tokens.pieces[position]),
                Message("Choose a token of the text."),
            )
        pieces[position], ids[position] = find(given)
    segments = tokens.segment_ids.copy()
    stays = np.ones(len(tokens), bool)
    for one in edits.tokens:
        _validate_position(tokens, one.token)
        if one.kind == "drop":
            if tokens.is_special[one.token]:
                piece = tokens.pieces[one.token]
                message = Message("Token {0} is {1}, which cannot be dropped.", one.token, piece)
                raise TextError(message, Message("Choose a token of the text."))
            stays[one.token] = False
        elif one.kind == "segment":
            segments[one.token] = one.number
    if not (stays & ~tokens.is_special).any():
        raise InterventionError(Message("Every token of the text is dropped."), Message("Keep at least one."))
    return _remaining(replace(tokens, pieces=tuple(pieces), ids=ids, segment_ids=segments), stays, edits)


def _remaining(tokens: Tokens, stays: Bools, edits: Edits) -> Tokens:
    """Return the `tokens` that stay, with their position IDs."""
    positions = tokens.position_ids[: int(stays.sum())].copy()
    for one in edits.tokens:
        if one.kind == "position" and (position := edits.position_read(one.token)) is not None:
            positions[position] = one.number
    return replace(
        tokens,
        pieces=tuple(piece for piece, remains in zip(tokens.pieces, stays.tolist(), strict=True) if remains),
        position_ids=positions,
        **{
            name: getattr(tokens, name)[stays]
            for name in ("ids", "segment_ids", "sentences", "words", "spans")
        },
    )


def _validate_position(tokens: Tokens, position: int) -> None:
    if not 0 <= position < len(tokens):
        message = Message("There is no token {0}: this text has tokens 0 to {1}.", position, len(tokens) - 1)
        raise TextError(message, Message("Tokens count from 0, special ones among them."))


def dropped_text(tokens: Tokens, edits: Edits, token: int) -> str:
    """Return what the text has where a token was that `edits` drop; "" where that is not known.

    `tokens` are those that are read with `edits`. Pieces of one word that are dropped together are that word.
    """
    first, last = token, token
    while first - 1 in edits.dropped:
        first -= 1
    while last + 1 in edits.dropped:
        last += 1
    at = first - sum(one < first for one in edits.dropped)
    if not 0 < at < len(tokens):
        return ""
    before, after = at - 1, at
    sides = [one for one in (before, after) if not tokens.is_special[one]]
    sentences = {int(tokens.sentences[one]) for one in sides} or {int((tokens.sentences[:at] == 0).any())}
    if len(sentences) > 1:
        return ""
    text = (tokens.pair if sentences == {1} else tokens.text) or ""
    is_at_end = bool(tokens.is_special[after])
    if is_at_end and tokens.n_left_out:
        return ""
    gap = text[int(tokens.spans[before][1]) : None if is_at_end else int(tokens.spans[after][0])].strip()
    words = gap.split()
    return words[token - first] if len(words) == last - first + 1 else gap
