"""`DrawnPanel`: what there is to draw in a panel now: a head, pictures, a result, or why there is none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bertviz_app.viewmodels.analyses.analyses import Analysed, Analyses
from bertviz_app.viewmodels.heads.pictures import HeadOfRun, HeadPicture, Pictures
from bertviz_app.viewmodels.panels import Panel
from bertviz_app.viewmodels.results import Coming, Failed, Ready

Front = HeadPicture | HeadOfRun | Analysed


@dataclass(frozen=True, eq=False)
class DrawnPanel:
    """What a panel draws.

    `front`: the picture of the panel's head, the head itself for a view that needs no picture, or a result
    that is no matrix; None: it is not there, and `state` says whether it is coming or failed. `sample`: what
    a matrix draws until it is there, of some of the queries. `pictures`: those of several heads that are
    there; `is_whole`: they all are. `missing`: the run has no such head, but so many layers and heads.
    """

    front: Front | None = None
    pictures: tuple[HeadPicture, ...] = ()
    is_whole: bool = False
    state: Coming | Failed | None = None
    missing: tuple[int, int] | None = None
    sample: HeadPicture | None = None


def drawn_in(panel: Panel, pictures: Pictures, analyses: Analyses) -> DrawnPanel:
    """Return what a panel draws; what is not there yet is requested.

    `pictures` are those of the heads of the panel's run.
    """
    if panel.content.analysis:
        return _of_analysis(panel, analyses)
    if pictures.size is not None and not pictures.has(panel.layer, panel.head):
        return DrawnPanel(missing=pictures.size)
    if not panel.kind.needs_picture:
        head = pictures.head_of_run(panel.layer, panel.head)
        return DrawnPanel(head, is_whole=head is not None)
    sample = pictures.sample(panel.layer, panel.head) if panel.kind.key == "matrix" else None
    found = [pictures.get(panel.layer, head) for head in panel.shown_heads]
    drawn = _of_pictures(panel, found)
    if drawn.front is not None:
        return drawn
    state = pictures.state(panel.layer, panel.head)
    return DrawnPanel(state=None if isinstance(state, Ready) else state, sample=sample)


def cancel(panel: Panel, pictures: Pictures, analyses: Analyses) -> None:
    """Stop computing what a panel waits for, at the user's request."""
    if panel.content.analysis:
        analyses.cancel(panel)
    else:
        pictures.cancel(panel.layer, panel.head)


def _of_analysis(panel: Panel, analyses: Analyses) -> DrawnPanel:
    state = analyses.get(panel)
    if not isinstance(state, Ready):
        return DrawnPanel(state=state)
    if not panel.kind.needs_picture:
        return DrawnPanel(state.value, is_whole=True)
    states = analyses.pictures(panel, state.value)
    if not states:
        return DrawnPanel(missing=analyses.size(state.value))
    drawn = _of_pictures(panel, [one.value if isinstance(one, Ready) else None for one in states])
    if drawn.front is not None:
        return drawn
    return DrawnPanel(state=next((one for one in states if isinstance(one, Failed)), Coming()))


def _of_pictures(panel: Panel, found: Sequence[HeadPicture | None]) -> DrawnPanel:
    there = tuple(picture for picture in found if picture is not None)
    # A matrix of a whole layer is drawn as that of head 0, whichever head the panel is on.
    heads = (panel.head,) if len(found) > 1 else tuple(picture.head for picture in there)
    front = next((picture for picture in there if picture.head in heads), None)
    several = there if len(found) > 1 else ()
    return DrawnPanel(front, several, is_whole=None not in found)
