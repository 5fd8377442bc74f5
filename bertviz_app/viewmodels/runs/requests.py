"""Two runs beside each other, as data: what is other in run B, and what is known of the difference."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from bertviz_app.analysis.compare import Alignment, align_tokens
from bertviz_app.inference.engine import TraceRequest
from bertviz_app.text import Edits, Tokens
from bertviz_app.text.edits import NO_EDITS
from bertviz_app.trace import Trace


@dataclass(frozen=True)
class OtherRun:
    """What is other in run B. None of `ref`, `text`, `pair`: as in A, and whatever A changes to.

    A `text` of its own without a `pair` has none. `edits` are all those of run B: what is edited in A is
    not edited in B.
    """

    ref: str | None = None
    text: str | None = None
    pair: str | None = None
    edits: Edits = NO_EDITS

    def request(self, a: TraceRequest) -> TraceRequest:
        """Return what to encode while run A is `a`."""
        pair = a.pair if self.text is None and self.pair is None else self.pair
        text = a.text if self.text is None else self.text
        return TraceRequest(self.ref or a.ref, a.device, text, pair, self.edits)

    def following(self, before: TraceRequest, now: TraceRequest, tokens: tuple[Tokens, Tokens]) -> OtherRun:
        """Return this without the edits that no longer apply after run A changed from `before` to `now`.

        `tokens` are those of A before and now. Another checkpoint has other heads; an intervention on tokens
        stays as long as the text has the same where they are.
        """
        if self.ref is None and now.ref != before.ref:
            return replace(self, edits=NO_EDITS)
        if self.text is not None or (before.text, before.pair) == (now.text, now.pair):
            return self

        def stays(token: int) -> bool:
            then = _written(tokens[0], before.edits.position_read(token))
            return then is not None and then == _written(tokens[1], now.edits.position_read(token))

        edits = self.edits
        remaining = replace(
            edits,
            replaced=tuple(one for one in edits.replaced if stays(one[0])),
            tokens=tuple(one for one in edits.tokens if stays(one.token)),
            cells=tuple(one for one in edits.cells if stays(one.query) and stays(one.key)),
        )
        return replace(self, edits=remaining)


def as_other(run: TraceRequest, than: TraceRequest, name: str) -> OtherRun:
    """Return `run`, whose checkpoint is called `name`, as what is other in it than in `than`."""
    ref = None if run.ref == than.ref else run.ref or name
    if (run.text, run.pair) == (than.text, than.pair):
        return OtherRun(ref, edits=run.edits)
    return OtherRun(ref, run.text, run.pair, run.edits)


@dataclass(frozen=True, eq=False)
class Difference:
    """Run A and run B beside each other. `divergence` [L, H] in bits is None until it is measured."""

    traces: tuple[Trace, Trace]
    alignment: Alignment
    divergence: NDArray[np.float32] | None = None

    @property
    def farthest(self) -> tuple[int, int] | None:
        """The (layer, head) that attends most differently; None where all attend alike."""
        table = self.divergence
        if table is None or not table.any():
            return None
        layer, head = np.unravel_index(int(table.argmax()), table.shape)
        return int(layer), int(head)


def beside(one: Trace, other: Trace) -> Difference:
    """Return two runs with their tokens aligned."""
    return Difference((one, other), align_tokens(one.tokens, other.tokens))


def written(tokens: Tokens, position: int) -> str:
    """Return what the text has where a token is, whatever it is read as; "" for a special token."""
    first, last = tokens.spans[position].tolist()
    text = tokens.pair if tokens.sentences[position] == 1 else tokens.text
    return "" if tokens.is_special[position] or text is None else text[first:last]


def _written(tokens: Tokens, position: int | None) -> tuple[int, str] | None:
    """Return the sentence of a token and what is written there, None beyond the end and for no position."""
    if position is None or position >= len(tokens):
        return None
    return int(tokens.sentences[position]), written(tokens, position)
