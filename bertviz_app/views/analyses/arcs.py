"""`PictureArcs`: a picture of a result as arcs above words."""

from __future__ import annotations

import numpy as np
from PySide6.QtGui import QColor

from bertviz_app.analysis.picture import Picture
from bertviz_app.views.analyses.table import CopiesNumbers
from bertviz_app.views.analyses.titles import Scale, colours_of, lines_of
from bertviz_app.views.kit.arcs import Arcs
from bertviz_app.views.kit.look import Look
from bertviz_app.views.plots.arcs import ArcsPlot
from bertviz_app.views.plots.plot import Line

_MOST_READ = 3  # so many arcs of a word are read out, the largest first


class PictureArcs(CopiesNumbers, ArcsPlot):
    """Draws the last two axes of a `Picture`: arcs from the words of the first to those of the second.

    Where both have the same words they stand once. Its parts are the words from which arcs start.
    """

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self.picture: Picture | None = None
        self.arcs_of, self.lines_of_word = self._arcs_of, self._lines_of

    def show_picture(self, picture: Picture) -> None:
        """Draw a picture without menus, with the arcs of its first word that has any."""
        rows, columns = picture.axes
        is_same = picture is self.picture
        self.picture = picture
        self.setAccessibleName(colours_of(picture))
        self.setAccessibleDescription(
            ". ".join(", ".join(map(str, self._lines_of(word))) for word in range(len(rows)))
        )
        self.show_words(columns.labels, None if rows.labels == columns.labels else rows.labels)
        if not is_same:
            there = np.flatnonzero((np.nan_to_num(picture.values) != 0).any(1)).tolist()
            self.mark(next(iter(there), None))

    def _arcs_of(self, word: int) -> list[Arcs]:
        picture = self.picture
        if picture is None:
            return []
        values, ends = picture.values[word].tolist(), self.look.palette.differences
        write = Scale.of(picture).write
        texts = ["" if value != value else write(value) for value in values]
        full = picture.top or picture.largest
        if picture.quantity.is_signed:
            return [Arcs(values, QColor(ends[-1]), QColor(ends[0]), full, texts)]
        return [Arcs(values, self.look.colour("accent"), None, full, texts)]

    def _lines_of(self, word: int) -> list[Line]:
        """Return the word, and its largest numbers with the words that they lead to."""
        picture = self.picture
        if picture is None:
            return []
        (rows, columns), sizes = picture.axes, np.abs(np.nan_to_num(picture.values[word]))
        lines: list[Line] = [rows.labels[word]]
        for at in np.argsort(-sizes, kind="stable")[:_MOST_READ].tolist():
            if sizes[at]:
                _, number, *_ = lines_of(picture, (word, at))
                lines.append((f"→ {columns.labels[at]}", number))
        return lines
