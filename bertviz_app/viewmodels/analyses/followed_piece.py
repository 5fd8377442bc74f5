"""The piece that panels of predictions by layer follow, chosen outside of them."""

from __future__ import annotations

from dataclasses import replace

from bertviz_app.options import Run
from bertviz_app.viewmodels.panels import Panels

KEY = "logit-lens"


def follow_piece(panels: Panels, run: Run, position: int, piece: str) -> None:
    """Let the open panels of a run that show predictions by layer follow `piece`; `position` is not used.

    The parameters are those of a signal of a piece that is put into the text.
    """
    for panel in panels.panels:
        if panel.content.analysis == KEY and panel.run == run:
            content = panel.shown_content
            others = tuple(one for one in content.parameters if one[0] != "piece")
            followed = replace(content, parameters=(*others, ("piece", piece)))
            if followed != content:
                panels.choose(panel.number, followed)
