"""`WeightsTrace`: a trace of attention weights alone, those of any model, used as they are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import FrozenInstanceError, replace
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from bertviz_app.errors import Check, Message, SelectionError
from bertviz_app.text import Tokens
from bertviz_app.text.tokens import facts_html, shortened, tokens_html
from bertviz_app.trace.form import BERT, Form
from bertviz_app.trace.indexing import SHOWS_ALL, FirstShown, as_number, as_positions, described
from bertviz_app.trace.patches import PatchImage
from bertviz_app.trace.provenance import Provenance
from bertviz_app.trace.trace import EVERYTHING, OPTIONAL, Positions, Trace, validate_size
from bertviz_app.types import Floats
from bertviz_app.version import __version__

Weights = NDArray[np.floating[Any]]

DEFAULT_NAME = "Own arrays"
"""The name of a model that was given none."""

_ROWS_AT_ONCE = 1 << 18  # numbers of a block: 1 MB of float32, which stays in the processor's cache
_ROWS_OF_TRIANGLE = 64  # of a block on the diagonal; keys after it are a rectangle


def lacks_states() -> SelectionError:
    """Return the error for what weights alone do not have."""
    message = Message("These attention weights came without queries, keys and hidden states.")
    return SelectionError(message, Message("Open a checkpoint and type a text to see those."))


class _Lacking:
    """An array of `Trace` that weights alone do not have: reading it raises SelectionError."""

    def __get__(self, trace: object, owner: type) -> _Lacking:
        if trace is None:
            return self
        raise lacks_states()


def first_shown(trace: Trace, layers: object, heads: object, layer: object, selected: object) -> FirstShown:
    """Return the choice of these numbers. Raises SelectionError for one that `trace` does not have."""
    given = (layers, heads, None if layer is None else [layer], selected)
    names = ("include_layers", "include_heads", "layer", "heads")
    found = [_numbers(*one) for one in zip(given, names, (trace.n_layers, trace.n_heads) * 2, strict=True)]
    for name, there, shown in zip(names, found[:2], found[2:], strict=False):
        if wrong := [number for number in shown or () if there is not None and number not in there]:
            message = Message("{0} leaves out {1}, which is to be shown at first.", name, wrong[0])
            raise SelectionError(message, Message("Choose one that it has, or add it."))
    return FirstShown(found[0], found[1], None if found[2] is None else found[2][0], found[3])


def _numbers(values: object, name: str, count: int) -> tuple[int, ...] | None:
    if values is None:
        return None
    listed = list(values) if isinstance(values, Iterable) else [values]
    numbers = tuple(as_number(value, name) for value in listed)
    wrong = [number for number in numbers if not 0 <= number < count]
    if wrong or not numbers:
        shown = wrong[0] if wrong else described(None)
        message = Message("{0} cannot be {1}: there are 0 to {2}.", name, shown, count - 1)
        raise SelectionError(message, Message("Layers and heads count from 0."))
    return numbers


class WeightsTrace(Trace):
    """Attention weights of any model: they answer like a `Trace`, which has no other arrays here.

    `layers` are [H, T, K], of any float type, used as they were given; what `attention` returns is float32.
    The number of heads may differ from layer to layer. Columns are tokens of `key_tokens` where these are
    given, as in cross-attention, else of `tokens`. `parts`: the three traces of an encoder-decoder, where
    this is one of them, its `part`: "encoder", "decoder" or "cross". Reading `queries`, `keys`, `values`,
    `lse`, `hidden`, `scores` and the like raises SelectionError. `image`: the one whose patches are the keys.
    """

    queries = keys = values = lse = hidden = scale = _Lacking()  # type: ignore[assignment]
    token_embeddings = embedding_sum = _Lacking()  # type: ignore[assignment]

    def __init__(
        self,
        layers: Sequence[Weights],
        tokens: Tokens,
        key_tokens: Tokens | None = None,
        *,
        model: str = DEFAULT_NAME,
        remarks: tuple[Message, ...] = (),
        is_causal: bool = False,
    ) -> None:
        """Raise ValueError for arrays that are not [H, T, K]; the numbers are not read, see `examined`."""
        shape = (len(tokens), len(tokens if key_tokens is None else key_tokens))
        if not layers or not all(shape):
            raise ValueError("a trace has at least one layer and token")
        for layer in layers:
            if layer.ndim != 3 or layer.shape[1:] != shape or not len(layer) or layer.dtype.kind != "f":
                raise ValueError(f"a layer must be floats [H, {shape[0]}, {shape[1]}], not {layer.shape}")
        form: Form = replace(BERT, is_causal=True) if is_causal else BERT
        views = tuple(layer.view() for layer in layers)  # the arrays that were given stay writeable
        for view in views:
            view.flags.writeable = False
        absent = dict.fromkeys((*OPTIONAL, "bias"))
        none = dict.fromkeys(("muted", "pruned", "heads", "cells", "states"), ())
        own = {"model": model, "tokens": tokens, "_key_tokens": key_tokens, "layers": views, "form": form}
        own |= {"remarks": remarks, "provenance": Provenance(program=__version__), "shares_layers": False}
        self.__dict__.update(absent | none | own)  # the class is frozen

    has_states = False
    head_width = width = 0  # that of heads is not known, and there are no hidden states
    choice: FirstShown = SHOWS_ALL
    image: PatchImage | None = None
    remarks: tuple[Message, ...] = ()
    parts: EncoderDecoderTraces | None = None
    part: str = ""
    layers: tuple[Weights, ...]
    _key_tokens: Tokens | None

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise FrozenInstanceError(f"cannot assign to field {name!r}")

    def __repr__(self) -> str:
        to = f" to {self.n_keys}" if self.is_cross else ""
        sizes = f"{self.n_tokens}{to} tokens, {self.n_layers} layers x {self.n_heads} heads"
        return f"<Weights of {self.model}: {sizes}: {shortened(self.tokens.labels)}>"

    def _repr_html_(self) -> str:
        facts = [("sizes", f"{self.n_layers} layers x {self.n_heads} heads")]
        facts += [("memory", f"{self.n_bytes / 1e6:.1f} MB")]
        facts += [("remark", remark) for remark in self.remarks]
        title = f"Weights of {self.model}: {self.n_tokens} tokens"
        looked_at = tokens_html(self.key_tokens) if self.is_cross else ""
        return facts_html(title, facts) + self._picture_html() + tokens_html(self.tokens) + looked_at

    def choosing(self, choice: FirstShown) -> WeightsTrace:
        """Return the same weights with another choice of what a view shows at first."""
        return self._with(choice=choice)

    def showing(self, image: PatchImage) -> WeightsTrace:
        """Return the same weights with the image whose patches their keys are. Raises ValueError."""
        if image.n_tokens != self.n_keys:
            raise ValueError(f"an image of {image.n_tokens} tokens for {self.n_keys}")
        return self._with(image=image)

    def among(self, parts: EncoderDecoderTraces, part: str) -> WeightsTrace:
        """Return the same weights as one part of an encoder-decoder."""
        return self._with(parts=parts, part=part)

    def _with(self, **changes: object) -> WeightsTrace:
        other = copy(self)
        other.__dict__.update(changes)
        return other

    @property
    def key_tokens(self) -> Tokens:
        return self.tokens if self._key_tokens is None else self._key_tokens

    @property
    def n_layers(self) -> int:
        return len(self.layers)

    @property
    def n_heads(self) -> int:
        return max(map(len, self.layers))

    def heads_of(self, layer: int) -> tuple[int, ...]:
        return tuple(range(len(self.layers[layer])))

    @property
    def n_tokens(self) -> int:
        return len(self.tokens)

    @property
    def n_bytes(self) -> int:
        return sum(layer.nbytes for layer in self.layers)

    def attention(
        self,
        layer: int | None = None,
        head: int | None = None,
        rows: Positions = EVERYTHING,
        columns: Positions = EVERYTHING,
    ) -> Floats:
        """Return a copy of the weights, or of a rectangle of them: see `Trace.attention`.

        A whole row has the sum that it was given with. Raises SelectionError, too, for all layers at once
        where these have different numbers of heads.
        """
        rows, columns = (
            as_positions(rows, "rows", self.n_tokens),
            as_positions(columns, "columns", self.n_keys),
        )
        at = self._at(layer, head)
        if layer is None:
            if len(set(map(len, self.layers))) > 1:
                message = Message("The layers have different numbers of heads.")
                raise SelectionError(message, Message("Ask for one layer: trace.attention(layer)."))
            n_columns = len(range(self.n_keys)[columns]) if isinstance(columns, slice) else len(columns)
            n_rows = len(range(self.n_tokens)[rows]) if isinstance(rows, slice) else len(rows)
            validate_size((self.n_layers, self.n_heads, n_rows), n_columns)
            return np.stack([self._rectangle_of(array, rows, columns) for array in self.layers])
        return self._rectangle_of(self.layers[layer][at[1]], rows, columns)

    @staticmethod
    def _rectangle_of(array: Weights, rows: Positions, columns: Positions) -> Floats:
        # Two steps: positions of rows and of columns in one would be paired.
        return array[..., rows, :][..., columns].astype(np.float32)

    def scores(self, *_: object, **__: object) -> NoReturn:
        """Raise SelectionError: weights alone do not say what their softmax was taken of."""
        raise lacks_states()

    score_parts = _rectangle = scores

    def rows_of(self, layer: int, heads: slice, rows: slice) -> Floats:
        """Return a copy of the weights [h, r, K] of some heads of a layer."""
        return self.layers[layer][heads, rows].astype(np.float32)


class EncoderDecoderTraces(NamedTuple):
    """The weights of an encoder, of a decoder, and from the decoder's tokens to the encoder's."""

    encoder: WeightsTrace
    decoder: WeightsTrace
    cross: WeightsTrace

    def __repr__(self) -> str:
        sizes = ", ".join(f"{name} {len(trace.tokens)} tokens" for name, trace in self._asdict().items())
        return f"<EncoderDecoderTraces of {self.cross.model}: {sizes}>"

    def _repr_html_(self) -> str:
        named = ", ".join(f"<code>.{name}</code>" for name in self._fields)
        return f"<p>Three traces: {named}; this is <code>.cross</code>.</p>{self.cross._repr_html_()}"

    def linked(self, part: str) -> WeightsTrace:
        """Return the trace of a part, "encoder", "decoder" or "cross", whose `parts` are all three."""
        own: WeightsTrace = getattr(self, part)
        return own.among(self, part)


PARTS = EncoderDecoderTraces._fields


def one_of(value: object) -> object:
    """Return the cross-attention of an encoder-decoder, with the other two beside it; others as they are."""
    return value.linked("cross") if isinstance(value, EncoderDecoderTraces) else value


def examined(
    layers: Sequence[Weights],
    tokens: Tokens,
    key_tokens: Tokens | None = None,
    *,
    model: str = DEFAULT_NAME,
    check: Check = lambda: None,
) -> WeightsTrace:
    """Return the trace of weights after all of them were read once.

    Rows that do not add up to 1 are remarked on, causal weights recognised. `check` is called between
    layers; it may raise to end the work. Raises SelectionError for numbers that are no weights.
    """
    lowest, highest = np.inf, -np.inf
    for number, layer in enumerate(layers):
        check()
        for heads in layer:
            at_once = max(1, _ROWS_AT_ONCE // heads.shape[1])
            for first in range(0, len(heads), at_once):
                block = heads[first : first + at_once]
                _refuse_what_is_no_weight(number, float(block.min()), float(block.max()))
                sums = block.sum(-1, dtype=np.float32)
                lowest, highest = min(lowest, float(sums.min())), max(highest, float(sums.max()))
    remarks = []
    if max(1 - lowest, highest - 1) > 0.01:  # half precision is nearer to 1, dropout is not
        sums_of_rows = f"{lowest:.3g}", f"{highest:.3g}"
        remarks.append(
            Message("Not all rows of these weights add up to 1: their sums are {0} to {1}.", *sums_of_rows)
        )
    is_causal = key_tokens is None and _is_causal(layers)
    if is_causal:
        remark = Message("Every weight after the query is 0: the model is causal. Those cells are hatched.")
        remarks.append(remark)
    return WeightsTrace(layers, tokens, key_tokens, model=model, remarks=tuple(remarks), is_causal=is_causal)


def _refuse_what_is_no_weight(layer: int, lowest: float, highest: float) -> None:
    """Raise SelectionError for nan, infinite and negative numbers; the extremes are nan if one number is."""
    if not (np.isfinite(lowest) and np.isfinite(highest)):
        message = Message("The attention of layer {0} has numbers that are not finite.", layer)
        raise SelectionError(message, Message("Give weights after the softmax, of rows that are not masked."))
    if lowest < 0:
        number = f"{lowest:.3g}"
        message = Message("The attention of layer {0} has negative numbers, such as {1}.", layer, number)
        raise SelectionError(message, Message("Give the weights after the softmax, not its input."))


def _is_causal(layers: Sequence[Weights]) -> bool:
    """Return whether all weights after the query are exactly 0, in every head of at least two tokens."""
    n_tokens = int(layers[0].shape[-1])
    blocks = [slice(at, at + _ROWS_OF_TRIANGLE) for at in range(0, n_tokens, _ROWS_OF_TRIANGLE)]
    return n_tokens > 1 and not any(
        layer[:, rows, rows.stop :].any() or np.triu(layer[:, rows, rows], 1).any()
        for layer in layers
        for rows in blocks
    )
