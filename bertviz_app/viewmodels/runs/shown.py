"""`Shown`: a result with what the views draw of it at once; `DrawnHeads`: which heads are drawn."""

from __future__ import annotations

from dataclasses import dataclass, field

from bertviz_app.analysis.attention.overview import LayeredOverview
from bertviz_app.analysis.attention.stamp import AttentionNumbers, NumbersKind, Stamp
from bertviz_app.analysis.measures import HeadOverview
from bertviz_app.errors import AppError
from bertviz_app.inference.engine import TraceResult
from bertviz_app.viewmodels.heads.pictures import HeadPicture
from bertviz_app.viewmodels.options import DrawOptions


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

    @property
    def stamp(self) -> Stamp:
        """Which numbers are shown, and of which tokens."""
        return self.overview.stamp
