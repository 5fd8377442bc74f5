"""What is shown of a run, as values: its result, computed or from a file, and what two runs differ in."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bertviz_app.analysis.compare import Alignment, align_traces
from bertviz_app.checkpoint.questions import ModelFacts
from bertviz_app.errors import AppError, DeviceError, TextError
from bertviz_app.inference.engine import TraceRequest, TraceResult
from bertviz_app.inference.opened_checkpoint import Device
from bertviz_app.text import Tokens
from bertviz_app.text.tokens import same_tokens
from bertviz_app.trace import Trace
from bertviz_app.types import Floats
from bertviz_app.values import dataclass, field
from bertviz_app.viewmodels.state import NOTHING, DrawOptions, Pair

if TYPE_CHECKING:
    from bertviz_app.analysis.attention.overview import LayeredOverview
    from bertviz_app.analysis.attention.stamp import AttentionNumbers, NumbersKind
    from bertviz_app.analysis.measures import HeadOverview
    from bertviz_app.inference.fetching import SavedCheckpoint
    from bertviz_app.viewmodels.heads.pictures import HeadPicture


@dataclass(frozen=True)
class DrawnHeads:
    """The heads (layer, head) that panels draw, and with which options; their pictures come with a result.

    `known`: other numbers of attention than weights that were computed before.
    """

    heads: tuple[tuple[int, int], ...] = ()
    options: DrawOptions = field(default_factory=DrawOptions)
    known: tuple[AttentionNumbers, ...] = ()


@dataclass(frozen=True, eq=False)
class Shown:
    """What is on screen: one result, all its heads at a glance, and the pictures of the open panels.

    The pictures come with the result so that no panel is empty until its own is made. `numbers`: what is
    shown of its attention. `requested`: the kind that was requested; where the model does not have it,
    weights are shown, and `refusal` says why. `layered`: what computes the overview of a long text, which is
    a sample at first; see `Refinement`.
    """

    result: TraceResult
    overview: HeadOverview
    numbers: AttentionNumbers
    pictures: tuple[HeadPicture, ...] = ()
    refusal: AppError | None = None
    requested: NumbersKind = "weight"
    layered: LayeredOverview | None = None


FILE = Device("file", "file", "")
"""Where the numbers of a saved trace come from, in the place of a device."""


@dataclass(frozen=True, eq=False)
class SavedResult(TraceResult):
    """A result from a file. `is_here`: its checkpoint is on this computer, at the `ref` of the request."""

    is_here: bool = False


def saved_result(trace: Trace, checkpoint: SavedCheckpoint, ref: str | None = None) -> SavedResult:
    """Return `trace` as if it had just been encoded, in no time.

    `ref` is where its checkpoint is on this computer, None if it is not here.
    """
    tokens = trace.tokens
    facts = ModelFacts(
        name=trace.model,
        family="",
        n_layers=trace.n_layers,
        n_heads=trace.n_heads,
        width=trace.width,
        vocabulary_size=0,
        n_positions=trace.n_tokens,
        n_segments=2,
        n_parameters=0,
        n_bytes=0,
        origin="",
        has_pooler=trace.pooled is not None,
        identity=checkpoint.identity,
        ref=ref or checkpoint.ref,
    )
    edits = trace.edits
    request = TraceRequest(ref or checkpoint.ref or trace.model, "auto", tokens.text, tokens.pair, edits)
    return SavedResult(request, trace, facts, FILE, 0.0, (), is_here=ref is not None)


@dataclass(frozen=True, eq=False)
class Difference:
    """Run A and run B beside each other. `divergence` [L, H] in bits is None until it is measured."""

    traces: tuple[Trace, Trace]
    alignment: Alignment
    divergence: Floats | None = None

    @property
    def farthest(self) -> tuple[int, int] | None:
        """The (layer, head) that attends most differently; None where all attend alike."""
        table = None if self.divergence is None else np.nan_to_num(self.divergence)
        if table is None or not table.any():
            return None
        layer, head = divmod(int(table.argmax()), table.shape[1])
        return layer, head


def beside(one: Trace, other: Trace) -> Difference:
    """Return two runs with their tokens aligned. Raises AnalysisError for two that are not compared."""
    return Difference((one, other), align_traces(one, other))


def written(tokens: Tokens, position: int) -> str:
    """Return what the text has where a token is, whatever it is read as; "" for a special token."""
    first, last = tokens.spans[position].tolist()
    text = tokens.pair if tokens.sentences[position] == 1 else tokens.text
    return "" if tokens.is_special[position] or text is None else text[first:last]


def pair_in(pair: Pair, old: Trace, new: Trace) -> Pair:
    """Return `pair` of tokens of one text in another one: none where the same tokens are not there."""
    queries, keys = same_tokens(old.tokens, new.tokens), same_tokens(old.key_tokens, new.key_tokens)
    return pair if {pair.query} <= {None, *queries} and {pair.key} <= {None, *keys} else NOTHING


@dataclass(frozen=True)
class Problem:
    """What the user gave cannot be used; `field` is where: "text", "pair", "model" or "device".

    That a checkpoint could not be opened (`is_of_opening`) is shown until the user goes on, not only until
    a text that was waiting is encoded with the old one; `ref` is then the checkpoint.
    """

    field: str
    error: AppError
    is_of_opening: bool = False
    ref: str | None = None


def field_of(error: AppError) -> str:
    if isinstance(error, DeviceError):
        return "device"
    return error.field if isinstance(error, TextError) else "model"
