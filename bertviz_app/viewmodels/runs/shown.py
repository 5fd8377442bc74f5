"""`Shown`: a result with what the views draw of it at once; `DrawnHeads`: which heads are drawn."""

from __future__ import annotations

from dataclasses import dataclass, field

from bertviz_app.analysis.measures import HeadOverview, head_overview
from bertviz_app.inference.engine import TraceResult
from bertviz_app.types import Check
from bertviz_app.viewmodels.heads.pictures import HeadPicture, head_pictures
from bertviz_app.viewmodels.options import DrawOptions


@dataclass(frozen=True)
class DrawnHeads:
    """The heads (layer, head) that panels draw, and with which options; their pictures come with a result."""

    heads: tuple[tuple[int, int], ...] = ()
    options: DrawOptions = field(default_factory=DrawOptions)


@dataclass(frozen=True, eq=False)
class Shown:
    """What is on screen: one result, all its heads at a glance, and the pictures of the open panels.

    The pictures come with the result so that no panel is empty until its own is made.
    """

    result: TraceResult
    overview: HeadOverview
    pictures: tuple[HeadPicture, ...] = ()


def prepared(result: TraceResult, drawn: DrawnHeads, check: Check) -> Shown:
    """Return `result` with its overview and the pictures of the heads that are `drawn`."""
    pictures = head_pictures(result.trace, drawn.heads, check, drawn.options)
    return Shown(result, head_overview(result.trace, check=check), pictures)
