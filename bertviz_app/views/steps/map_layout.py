"""`MapLayout`: where the sections and stops of an encoder lie on the map of the Steps panel."""

from __future__ import annotations

from itertools import pairwise

from PySide6.QtCore import QPointF, QRectF

from bertviz_app.viewmodels.steps.stages import STAGES
from bertviz_app.viewmodels.steps.stops import BELOW, Stop, Walk
from bertviz_app.views.kit.look import Look

_SECTION, _LOWEST_SECTION = 22.0, 2.0
_STAGE, _LOWEST_STAGE = 20.0, 14.0
_GAP = 2.0
MARGIN = 8.0


class MapLayout:
    """A row for each section with a cell for each of its stops, and lines with the names of the stops nearby.

    These stand below the row of the section one is in.
    """

    def __init__(self, look: Look, walk: Walk, width: float, height: float, name: float) -> None:
        """`name`: how wide the widest name of a section is, in pixels; the cells begin behind it."""
        self.here = walk.stop
        here = walk.section(self.here.section)
        sections = range(BELOW, walk.n_layers + 1)
        room, low = height - MARGIN, look.pixels(_LOWEST_STAGE)
        stage = min(look.pixels(_STAGE), max(low, (room - len(sections) * look.pixels(9)) / len(here)))
        section = (room - len(here) * stage) / len(sections)
        self.section_height = min(look.pixels(_SECTION), max(_LOWEST_SECTION, section))
        self.stage_height = float(stage)
        self.names: dict[int, QRectF] = {}
        """By section the whole row, in which a click anywhere but on a cell enters the section."""
        self.cells: dict[Stop, QRectF] = {}
        self.lines: dict[Stop, QRectF] = {}
        """The named stops of the section one is in."""
        top = MARGIN / 2
        for number in sections:
            self.names[number] = QRectF(MARGIN, top, width - MARGIN, self.section_height)
            self._lay_out_cells(walk.section(number), name, width, top)
            top += self.section_height
            if number == self.here.section:
                for stop in here:
                    self.lines[stop] = QRectF(MARGIN, top, width - MARGIN, self.stage_height)
                    top += self.stage_height

    def _lay_out_cells(self, stops: tuple[Stop, ...], name: float, width: float, top: float) -> None:
        """Give each stop a cell; between two parts of a layer is a gap."""
        parts = [STAGES[stop.stage].part for stop in stops]
        n_gaps = sum(one is not other for one, other in pairwise(parts))
        left = MARGIN + name
        pitch = (width - left - 3 * _GAP * n_gaps) / len(stops)
        for index, stop in enumerate(stops):
            if index and parts[index] is not parts[index - 1]:
                left += 3 * _GAP
            self.cells[stop] = QRectF(left, top, pitch, self.section_height)
            left += pitch

    def stop_at(self, at: QPointF) -> Stop | None:
        """Return the stop of the cell or of the line under a point."""
        for boxes in (self.cells, self.lines):
            for stop, box in boxes.items():
                if box.contains(at):
                    return stop
        return None

    def section_at(self, at: QPointF) -> int | None:
        """Return the section of the row under a point."""
        return next((section for section, box in self.names.items() if box.contains(at)), None)
