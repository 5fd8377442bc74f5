"""`Shown`: a result with what the views draw of it at once; `DrawnHeads`: which heads are drawn."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from bertviz_app.analysis.attention.numbers import ANALYSES, AttentionNumbers, Stamp
from bertviz_app.analysis.attention.overview import overview_of
from bertviz_app.analysis.measures import HeadOverview
from bertviz_app.analysis.reporter import Callbacks
from bertviz_app.analysis.results import HeadMatrices, TokenMatrices
from bertviz_app.errors import AppError
from bertviz_app.inference.engine import AnalysisRequest, Engine, TraceResult
from bertviz_app.types import Check
from bertviz_app.viewmodels.heads.pictures import HeadPicture, head_pictures
from bertviz_app.viewmodels.options import DrawOptions
from bertviz_app.viewmodels.tasks import FractionDone


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
    shown of its attention; where another kind was requested that the model does not have, `refusal` says why.
    """

    result: TraceResult
    overview: HeadOverview
    numbers: AttentionNumbers
    pictures: tuple[HeadPicture, ...] = ()
    refusal: AppError | None = None

    @property
    def stamp(self) -> Stamp:
        """Which numbers are shown, and of which tokens."""
        return self.overview.stamp


def prepared(
    engine: Engine,
    result: TraceResult,
    drawn: DrawnHeads,
    check: Check,
    progress: FractionDone = lambda done: None,
) -> Shown:
    """Return `result` with its overview and the pictures of the heads that are `drawn`.

    The numbers that the options ask for are computed; where that is impossible, weights are shown.
    """
    numbers, refusal, stamp = AttentionNumbers(result.trace), None, drawn.options.stamp
    if stamp.numbers != "weight":
        try:
            numbers = _known(result, stamp, drawn) or _analysed(
                engine, result, stamp, Callbacks(check, progress)
            )
        except AppError as error:
            refusal, stamp = error, replace(stamp, numbers="weight")
    overview = overview_of(numbers, stamp, check=check)
    numbers = replace(numbers, sinks=overview.sinks)
    pictures = head_pictures(numbers, drawn.heads, check, drawn.options)
    return Shown(result, overview, numbers, pictures, refusal)


def _known(result: TraceResult, stamp: Stamp, drawn: DrawnHeads) -> AttentionNumbers | None:
    """Return the numbers of a result that were computed before."""
    known = (one for one in drawn.known if one.trace is result.trace and one.kind == stamp.numbers)
    return next(known, None)


def _analysed(engine: Engine, result: TraceResult, stamp: Stamp, reporter: Callbacks) -> AttentionNumbers:
    request = AnalysisRequest.of(result.request, ANALYSES[stamp.numbers], {})
    found = engine.analyse(request, result.trace, reporter)
    assert isinstance(found, HeadMatrices | TokenMatrices)
    return AttentionNumbers(result.trace, stamp.numbers, found)
