"""`padded`: one row of weights of a text that is read alone, and as the shorter of two in a batch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bertviz_app.errors import AnalysisError, Message
from bertviz_app.text import Tokens
from bertviz_app.text.tokens import SPECIAL
from bertviz_app.trace import Trace
from bertviz_app.trace.form import Capture, Point
from bertviz_app.types import Floats
from bertviz_app.values import dataclass, replace

if TYPE_CHECKING:
    from bertviz_app.analysis.model_access import ModelAccess


@dataclass(frozen=True, eq=False)
class Padded:
    """The weights of a query in a head: `alone` [T], and in a batch of two with n [PAD] behind the text.

    `longer` and `shorter` have the T + n labels of both texts. `masked` [T + n] are the weights where nothing
    attends to the padding, `unmasked` those where the mask was forgotten. `off`: by how much the last hidden
    states of the T tokens differ at most from those alone with the mask, `off_unmasked` without it.
    """

    longer: tuple[str, ...]
    shorter: tuple[str, ...]
    query: int
    alone: Floats
    masked: Floats
    unmasked: Floats
    off: float
    off_unmasked: float

    @property
    def n_padding(self) -> int:
        """How many [PAD] there are."""
        return len(self.shorter) - len(self.alone)


def padded(model: ModelAccess, trace: Trace, longer: str, layer: int, head: int, query: int) -> Padded:
    """Read the text of a trace in one batch with a `longer` one, with and without the mask of the padding.

    Costs two forward passes. Raises AnalysisError where the other text is not longer, or the vocabulary has
    no padding, and TextError for a text that cannot be read.
    """
    tokenizer = model.checkpoint.tokenizer
    other, padding, n_tokens = tokenizer.encode(longer, None), tokenizer.padding, trace.n_tokens
    n_padding = len(other) - n_tokens
    if padding is None or n_padding < 1:
        raise AnalysisError(
            Message("Only a text that is shorter than the other of its batch is padded."),
            Message("Give a shorter text."),
        )
    tokens = with_padding(trace.tokens, padding, n_padding)
    is_text = np.arange(len(other)) < n_tokens
    rows, off = [], []
    for seen in (np.stack([np.ones_like(is_text), is_text]), np.ones((2, len(other)), bool)):
        capture = Capture({Point.WEIGHTS}, [layer])
        hidden = model.forward([other, tokens], capture, seen=seen).hidden[1, :n_tokens].cpu().numpy()
        rows.append(capture.tensors[Point.WEIGHTS, layer][1, head, query].float().cpu().numpy())
        off.append(float(np.abs(hidden - trace.hidden[-1]).max()))
    alone = trace.attention(layer, head, slice(query, query + 1))[0]
    return Padded(other.labels, tokens.labels, query, alone, rows[0], rows[1], off[0], off[1])


def with_padding(tokens: Tokens, padding: tuple[str, int], n_padding: int) -> Tokens:
    """Return tokens with so many of `padding`, a piece and its id, behind them."""
    piece, number = padding
    following = tokens.position_ids[-1] + 1 + np.arange(n_padding)

    def longer(values: np.ndarray, added: object) -> np.ndarray:
        return np.concatenate([values, np.full((n_padding, *values.shape[1:]), added)]).astype(np.int32)

    return replace(
        tokens,
        pieces=tokens.pieces + (piece,) * n_padding,
        ids=longer(tokens.ids, number),
        segment_ids=longer(tokens.segment_ids, 0),
        position_ids=np.concatenate([tokens.position_ids, following]).astype(np.int32),
        sentences=longer(tokens.sentences, SPECIAL),
        words=longer(tokens.words, SPECIAL),
        spans=longer(tokens.spans, 0),
    )
