"""`Trace`: everything one forward pass computed, from which any part of any head's attention is exact.

Alphabet, here and everywhere: L layers, H heads, T tokens, D width, E head width, V vocabulary.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Unpack, overload

import numpy as np

from bertviz_app.errors import ArgumentError, Message, SelectionError
from bertviz_app.figures import HasFigures
from bertviz_app.notebooks import MOST_NUMBERS, grid_html
from bertviz_app.tables import text_writer, write_file
from bertviz_app.text import Edits, Tokens
from bertviz_app.text.edits import CellIntervention, HeadIntervention, StateIntervention
from bertviz_app.text.tokens import facts_html, shortened, tokens_html
from bertviz_app.trace.bias import CONTENT, Bias, GlobalAttention, Rectangle, reach_of
from bertviz_app.trace.form import BERT, Form
from bertviz_app.trace.indexing import SHOWS_ALL, FirstShown, as_number, as_positions, described
from bertviz_app.trace.interventions import apply_interventions, index_in, validate_edits
from bertviz_app.trace.page import PageArguments, PageOptions, page_html
from bertviz_app.trace.patches import PatchImage
from bertviz_app.trace.provenance import NOT_KNOWN, Provenance
from bertviz_app.types import Bools, Floats, Indices
from bertviz_app.values import dataclass, fields

Positions = slice | Sequence[int] | Indices | Bools
"""Tokens of a trace: a slice, positions from 0, or true and false for each."""
EVERYTHING = slice(None)
MAX_BYTES = 8 << 30
"""More bytes of attention than this are not computed in one array."""

OPTIONAL = (
    "segment_embeddings",
    "position_embeddings",
    "task_embeddings",
    "embedding_norm",
    "token_projection",
    "pooled",
    "sentence_vector",
    "token_vectors",
)
"""The arrays that not every model has; None where it has none."""

_TINY = np.finfo(np.float32).tiny


@dataclass(frozen=True, eq=False, repr=False)
class Trace(HasFigures):
    """One encoded sequence: float32, read-only, no batch axis, no reference to the model.

    Attention is stored not as a [L, H, T, T] cube but as what it is computed from: any rectangle of it is

        exp(queries[l, h, i] . keys[l, h, j] * scale + bias[l, h, i, j] - lse[l, h, i])

    with `lse` the log-sum-exp of a row of such scores (the identity FlashAttention uses, Dao et al.
    2022, arXiv:2205.14135). `hidden[0]` is the output of the embeddings, `hidden[l + 1]` that of layer l.
    `pooled` is None for a model without a pooler, `segment_embeddings` for one without segments,
    `position_embeddings` for one whose positions enter the attention alone, `task_embeddings` for all but
    ERNIE. W, the width of the embeddings, is D unless a projection follows them: then `embedding_norm` is the
    input of the projection; otherwise it is None, and `hidden[0]` is the norm. Where token embeddings alone
    are projected, before the others are added, `token_projection` is the result. The attention of a head in
    `muted` was computed as any other, its output replaced by zeros; `heads`, `cells` and `states` are
    the other interventions, see `edits`: weights that they set are not those of the scores, and states that
    they put in not those that the layer before computed. A head in `pruned` does not exist: its queries, keys
    and values are 0, its weights nan.
    `sentence_vector` is what sentence-transformers would return for the text, None for a checkpoint without
    its files. `token_vectors` are those by which a ColBERT compares texts, each of length 1; None for others.
    """

    model: str
    tokens: Tokens
    token_embeddings: Floats  # [T, W]
    segment_embeddings: Floats | None  # [T, W]
    position_embeddings: Floats | None  # [T, W]
    embedding_sum: Floats  # [T, W], before the layer norm
    queries: Floats  # [L, H, T, E]
    keys: Floats  # [L, H, T, E]
    values: Floats  # [L, H, T, E]
    lse: Floats  # [L, H, T]
    hidden: Floats  # [L + 1, T, D]
    pooled: Floats | None  # [D]
    scale: float
    muted: tuple[tuple[int, int], ...] = ()  # (layer, head), sorted
    pruned: tuple[tuple[int, int], ...] = ()  # (layer, head) that the model does not have, sorted
    heads: tuple[HeadIntervention, ...] = ()
    cells: tuple[CellIntervention, ...] = ()
    states: tuple[StateIntervention, ...] = ()
    embedding_norm: Floats | None = None  # [T, W], where a projection to D follows
    shares_layers: bool = False  # all layers used the weights of one
    bias: Bias | None = None  # what is added to scaled products; None in most encoders
    form: Form = BERT  # how its layers are put together
    task_embeddings: Floats | None = None  # [T, W], in all tokens that of the same task
    token_projection: Floats | None = None  # [T, D], where token embeddings of another width are projected
    sentence_vector: Floats | None = None  # [S]
    token_vectors: Floats | None = None  # [T, S]
    provenance: Provenance = NOT_KNOWN  # from which checkpoint and by which program it was computed

    def __post_init__(self) -> None:
        if self.queries.ndim != 4 or self.hidden.ndim != 3:
            raise ValueError("queries must be [L, H, T, E] and hidden [L + 1, T, D]")
        if 0 in self.queries.shape:
            raise ValueError("a trace has at least one layer, head and token")
        shape, lacking = self.queries.shape[:2], set(self.pruned)
        if not lacking <= {*np.ndindex(shape)} or len(lacking) == math.prod(shape):
            raise ValueError("a pruned head is none of this trace's, or there is no other")
        if self.edits:
            validate_edits(self)
        if self.bias is not None and not self.bias.fits(self.queries.shape):
            raise ValueError("the bias is of a trace of another size")
        for name, shape in self._shapes().items():
            array = getattr(self, name)
            if array.dtype != np.float32 or array.shape != shape:
                raise ValueError(
                    f"{name} must be float32 {list(shape)}, not {array.dtype} {list(array.shape)}"
                )
            array.flags.writeable = False

    def _shapes(self) -> dict[str, tuple[int, ...]]:
        n_layers, n_heads, _, head_width = self.queries.shape
        n_tokens, width = len(self.tokens), self.hidden.shape[2]
        per_head = (n_layers, n_heads, n_tokens, head_width)
        shapes: dict[str, tuple[int, ...]] = dict.fromkeys(("queries", "keys", "values"), per_head)
        is_projected = self.embedding_norm is not None and self.token_embeddings.ndim == 2
        narrow = self.token_embeddings.shape[1] if is_projected else width
        shapes |= dict.fromkeys(("token_embeddings", "embedding_sum", *OPTIONAL[:4]), (n_tokens, narrow))
        if self.token_projection is not None and self.token_embeddings.ndim == 2:
            own = (n_tokens, self.token_embeddings.shape[1])
            shapes |= {"token_embeddings": own, "token_projection": (n_tokens, width)}
        shapes |= {"lse": per_head[:3], "hidden": (n_layers + 1, n_tokens, width), "pooled": (width,)}
        shapes["sentence_vector"] = (0 if self.sentence_vector is None else self.sentence_vector.size,)
        vectors = self.token_vectors
        shapes["token_vectors"] = (n_tokens, 0 if vectors is None else vectors.shape[-1])
        absent = [name for name in OPTIONAL if getattr(self, name) is None]
        return {name: shape for name, shape in shapes.items() if name not in absent}

    def __repr__(self) -> str:
        n_left_out = self.tokens.n_left_out
        cut = f" ({n_left_out} more left out)" if n_left_out else ""
        sizes = f"{self.n_layers} layers x {self.n_heads} heads, width {self.width}"
        sizes = f"{self.n_tokens} tokens{cut}, {sizes}"
        return f"<Trace of {self.model}: {sizes}: {shortened(self.tokens.labels)}>"

    def _repr_html_(self) -> str:
        facts = [
            ("sizes", f"{self.n_layers} layers x {self.n_heads} heads, width {self.width}"),
            ("memory", f"{self.n_bytes / 1e6:.1f} MB"),
        ]
        named = [str(one) for one in self.edits.interventions]
        facts += [("interventions", ", ".join(named))] if named else []
        facts += [] if self.provenance.dtype == "float32" else [("computed in", self.provenance.dtype)]
        title = f"Trace of {self.model}: {self.n_tokens} tokens"
        return facts_html(title, facts) + self._picture_html() + tokens_html(self.tokens)

    def _picture_html(self) -> str:
        """Return the attention of all heads as a grid; "" for so much that a notebook would wait."""
        n_heads = sum(len(self.heads_of(layer)) for layer in range(self.n_layers))
        if n_heads * self.n_tokens * self.n_keys > MOST_NUMBERS:
            return ""
        maps = [list(np.nan_to_num(self.attention(layer))) for layer in range(self.n_layers)]
        rows, columns = ([str(at) for at in range(n)] for n in (self.n_layers, self.n_heads))
        return grid_html(maps, rows, columns, "Attention of each head, layers down; each has its own scale.")

    @cached_property
    def edits(self) -> Edits:
        """The interventions in this run."""
        provenance = self.provenance
        return Edits(self.muted, provenance.replaced, self.heads, provenance.tokens, self.cells, self.states)

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the checkpoint's configuration and weights, "" where it is not known."""
        return self.provenance.checkpoint.fingerprint

    @property
    def n_layers(self) -> int:
        """The number of layers, L."""
        return int(self.queries.shape[0])

    @property
    def n_heads(self) -> int:
        """The number of heads of a layer, H."""
        return int(self.queries.shape[1])

    @property
    def n_tokens(self) -> int:
        """The number of tokens, T."""
        return int(self.queries.shape[2])

    @property
    def has_states(self) -> bool:
        """Whether it has queries, keys, values and hidden states; false for weights alone."""
        return True

    @property
    def key_tokens(self) -> Tokens:
        """The tokens of the columns: `tokens`, or those that cross-attention looks at."""
        return self.tokens

    @property
    def is_cross(self) -> bool:
        """Whether its rows are tokens of one text and its columns those of another."""
        return self.key_tokens is not self.tokens

    @property
    def n_keys(self) -> int:
        """The number of columns of the attention, K: T, but for cross-attention."""
        return len(self.key_tokens)

    def heads_of(self, layer: int) -> tuple[int, ...]:
        """Return the numbers of the heads that a layer has: below `n_heads`, without pruned ones."""
        return tuple(head for head in range(self.n_heads) if (layer, head) not in self.pruned)

    @property
    def present(self) -> Bools:
        """[L, H], true for the heads that there are."""
        found = np.zeros((self.n_layers, self.n_heads), bool)
        for layer in range(self.n_layers):
            found[layer, list(self.heads_of(layer))] = True
        return found

    @property
    def last_head(self) -> tuple[int, int]:
        """The last head of the last layer that has one, (layer, head)."""
        layer = max(layer for layer in range(self.n_layers) if self.heads_of(layer))
        return layer, self.heads_of(layer)[-1]

    @cached_property
    def mask(self) -> Bools | None:
        """[T, K], true for the cells that no head can attend to; None where there are none such.

        Those after the query in a causal model. A window is in `bias`.
        """
        if not self.form.is_causal:
            return None
        mask: Bools = np.triu(np.ones((self.n_tokens, self.n_keys), bool), 1)
        mask.flags.writeable = False
        return mask

    @property
    def image(self) -> PatchImage | None:
        """The image whose patches are the tokens of the columns; None where these are words."""
        return None

    @property
    def choice(self) -> FirstShown:
        """What a view, a page or a figure shows at first: everything, but of weights that say otherwise."""
        return SHOWS_ALL

    @property
    def remarks(self) -> tuple[Message, ...]:
        """Sentences on what is unusual about its numbers; mostly none."""
        return ()

    @property
    def head_width(self) -> int:
        """The width of a head, E."""
        return int(self.queries.shape[3])

    @property
    def width(self) -> int:
        """The width of the hidden states, D."""
        return int(self.hidden.shape[2])

    @property
    def radicand(self) -> int:
        """The number whose root divides the products: E, times the parts of a score if it has several."""
        return round(self.scale**-2)

    @property
    def added(self) -> tuple[str, ...]:
        """The names of what is added to the scaled products, as `score_parts` has them; mostly nothing."""
        return () if self.bias is None else self.bias.names

    @property
    def n_bytes(self) -> int:
        """The memory of all its arrays, in bytes."""
        arrays = (getattr(self, field.name) for field in fields(self))
        own = sum(array.nbytes for array in arrays if isinstance(array, np.ndarray))
        return own if self.bias is None else own + self.bias.n_bytes

    @overload
    def to_html(self, path: None = None, **options: Unpack[PageArguments]) -> str: ...

    @overload
    def to_html(self, path: str | PathLike[str], **options: Unpack[PageArguments]) -> Path: ...

    def to_html(  # noqa: PLR0913 - each is named by its callers
        self,
        path: str | PathLike[str] | None = None,
        *,
        layer: int | None = None,
        heads: Sequence[int] | None = None,
        include_layers: Sequence[int] | None = None,
        include_heads: Sequence[int] | None = None,
        view: str = "lines",
        language: str | None = None,
        theme: str | None = None,
    ) -> str | Path:
        """Return a page of HTML with the attention, which needs no network; or write it, and return its path.

        `view` is the first one shown, "lines", "matrix" or "overview", `layer` and `heads` what it shows; the
        page has `include_layers` and `include_heads`, all unless given. `language` is "en" or "ko", `theme`
        "light" or "dark", that of the reader unless given. Raises SelectionError for a layer or a head that
        does not exist and for more weights than a browser reads, ArgumentError for other types, FileError
        where the page cannot be written.
        """
        options = PageOptions(layer, heads, include_layers, include_heads, view, language, theme)
        page = page_html(self, options)
        if path is None:
            return page
        if not isinstance(path, str | PathLike):
            message = Message("A file is a name or a path, not {0}.", described(path))
            raise ArgumentError(message, Message("Call {0}.", 'trace.to_html("a.html")'))
        write = text_writer(lambda: page)
        return write_file(path, {".html": write, ".htm": write})

    def attention(
        self,
        layer: int | None = None,
        head: int | None = None,
        rows: Positions = EVERYTHING,
        columns: Positions = EVERYTHING,
    ) -> Floats:
        """Return attention weights in [0, 1]; row = query (looks), column = key (is looked at).

        [T, T] of one head, [H, T, T] of one layer, [L, H, T, T] of all, or the rectangle `rows` x
        `columns` of those at the cost of that rectangle. A whole row sums to 1, and is as near to the
        model's own softmax as float32 allows; a part of one is off by the rounding of scores (where
        these reach 100, by up to 5e-5 of a weight). A pruned head has nan among the others. Raises
        SelectionError for a layer or a head that does not exist, and for more than fits into memory,
        ArgumentError for other types.
        """
        rows, at = as_positions(rows, "rows", self.n_tokens), self._at(layer, head)
        if (near := _within_reach(self, layer, rows, columns)) is not None:
            part = self.attention(layer, head, rows, near)
            part /= np.maximum(part.sum(-1, keepdims=True), _TINY)  # as of whole rows
            weights = np.zeros((*part.shape[:-1], self.n_tokens), np.float32)
            weights[..., near] = part
            return weights
        weights = self.scores(layer, head, rows, columns)
        weights -= self.lse[at][..., rows, None]
        np.exp(weights, out=weights)
        if weights.shape[-1] == self.n_tokens and isinstance(columns, slice):
            # These scores round differently from those of the kernel that computed lse; dividing by the
            # sum of the row corrects that.
            weights /= np.maximum(weights.sum(-1, keepdims=True), _TINY)
        if self.heads or self.cells:
            apply_interventions(self, weights, self._rectangle(layer, head, rows, columns))
        return weights

    def scores(
        self,
        layer: int | None = None,
        head: int | None = None,
        rows: Positions = EVERYTHING,
        columns: Positions = EVERYTHING,
        *,
        scaled: bool = True,
    ) -> Floats:
        """Return query . key * scale + bias, the input of the softmax, or query . key alone.

        The latter if `scaled` is false. Shapes and errors as `attention`.
        """
        part = self._rectangle(layer, head, rows, columns)
        scores = self._products(part)
        if scaled:
            scores *= np.float32(self.scale)
            if self.bias is not None:
                for added in self.bias.parts(part).values():
                    scores += added
        return scores

    def score_parts(
        self,
        layer: int | None = None,
        head: int | None = None,
        rows: Positions = EVERYTHING,
        columns: Positions = EVERYTHING,
    ) -> dict[str, Floats]:
        """Return the terms of the scores by name: "content", which is query . key * scale, and what is added.

        Added are "content_to_position" and "position_to_content" in disentangled attention (He et al. 2021,
        arXiv:2006.03654), "distance" in encoders with a bias or a window, and nothing in most encoders.
        Shapes and errors as `attention`.
        """
        part = self._rectangle(layer, head, rows, columns)
        content: Floats = self._products(part) * np.float32(self.scale)
        added = {} if self.bias is None else self.bias.parts(part)
        return {CONTENT: content} | {
            name: np.broadcast_to(values, content.shape) for name, values in added.items()
        }

    def _products(self, part: Rectangle) -> Floats:
        """Return query . key of a rectangle."""
        products: Floats = part.queries @ part.keys.swapaxes(-1, -2)
        for layer, head in self.pruned:
            if (at := index_in(part, layer, head)) is not None:
                products[at] = np.nan
        return self.bias.products(part, products) if isinstance(self.bias, GlobalAttention) else products

    def _rectangle(
        self,
        layer: int | None,
        head: int | None,
        rows: Positions,
        columns: Positions,
    ) -> Rectangle:
        """Return the queries and keys of a rectangle. Raises SelectionError as `attention` does."""
        at = self._at(layer, head)
        rows, columns = (
            as_positions(rows, "rows", self.n_tokens),
            as_positions(columns, "columns", self.n_tokens),
        )
        queries, keys = self.queries[at][..., rows, :], self.keys[at][..., columns, :]
        validate_size(queries.shape[:-1], keys.shape[-2])
        positions = np.arange(self.n_tokens)
        return Rectangle(layer, head, queries, keys, positions[rows], positions[columns], self.scale)

    def _at(self, layer: int | None, head: int | None) -> tuple[int | slice, ...]:
        """Return the index of one layer and head, or of all. Raises SelectionError and ArgumentError."""
        layer = None if layer is None else as_number(layer, "layer")
        head = None if head is None else as_number(head, "head")
        if layer is None and head is not None:
            raise SelectionError(Message("A head is chosen within a layer."), Message("Give the layer too."))
        wrong = None
        if layer is not None and not 0 <= layer < self.n_layers:
            last = self.n_layers - 1
            wrong = Message("There is no layer {0}: this model has layers 0 to {1}.", layer, last)
        elif head is not None and layer is not None and head not in self.heads_of(layer):
            last = self.n_heads - 1
            wrong = Message("There is no head {0}: this model has heads 0 to {1}.", head, last)
            if 0 <= head <= last:
                numbers = ", ".join(map(str, self.heads_of(layer)))
                wrong = Message("There is no head {0}: layer {1} has the heads {2}.", head, layer, numbers)
        if wrong is not None:
            raise SelectionError(wrong, Message("Layers and heads count from 0."))
        return tuple(EVERYTHING if number is None else number for number in (layer, head))


def _within_reach(trace: Trace, layer: int | None, rows: Positions, columns: Positions) -> slice | None:
    """Return the keys within reach of `rows` in a layer, if whole rows are requested and mostly 0."""
    is_whole = isinstance(columns, slice) and columns == EVERYTHING
    if trace.bias is None or layer is None or not is_whole or not isinstance(rows, slice):
        return None
    reach, queries = reach_of(trace.bias, layer), range(trace.n_tokens)[rows]
    if reach is None or not queries:
        return None
    first, last = max(0, min(queries) - reach), min(trace.n_tokens, max(queries) + reach + 1)
    return slice(first, last) if 2 * (last - first) <= trace.n_tokens else None


def validate_size(shape: tuple[int, ...], n_columns: int) -> None:
    """Raise SelectionError if [*shape, n_columns] in float32 is more than MAX_BYTES."""
    n_bytes = 4 * math.prod(shape) * n_columns
    if n_bytes > MAX_BYTES:
        message = Message("So much attention would take {0} GiB of memory.", f"{n_bytes / 2**30:,.0f}")
        hint = Message("Ask for one layer, one head, or a rectangle of rows and columns.")
        raise SelectionError(message, hint)


def is_global(trace: Trace, query: int) -> bool:
    """Return whether a token has global attention, whose queries, keys and values have own projections."""
    return isinstance(trace.bias, GlobalAttention) and bool(trace.bias.is_global(np.array(query)))


def keys_of_query(trace: Trace, layer: int, head: int, query: int) -> Floats:
    """Return the keys [T, E] that `query` is multiplied with."""
    keys: Floats = _source(trace, query).keys[layer, head]
    return keys


def values_of_query(trace: Trace, layer: int, head: int, query: int) -> Floats:
    """Return the values [T, E] of which the head's output for `query` is the weighted sum."""
    values: Floats = _source(trace, query).values[layer, head]
    return values


def _source(trace: Trace, query: int) -> Trace | GlobalAttention:
    return trace.bias if isinstance(trace.bias, GlobalAttention) and is_global(trace, query) else trace
