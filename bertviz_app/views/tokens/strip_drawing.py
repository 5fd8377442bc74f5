"""The drawing of the token strip: the names of the lines, the chips, and how many tokens were left out."""

from __future__ import annotations

import time
from collections.abc import Container, Mapping
from dataclasses import dataclass, replace
from itertools import zip_longest
from types import MappingProxyType

from PySide6.QtCore import QCoreApplication, QObject, QRectF, Qt
from PySide6.QtGui import QPainter, QPen

from bertviz_app.analysis.attention.stamp import MUCH, SHORT
from bertviz_app.options import Run
from bertviz_app.text import Tokens
from bertviz_app.viewmodels.heads.places import SINK
from bertviz_app.views.kit.cached_picture import draws_pixels
from bertviz_app.views.kit.canvas import LaterWork
from bertviz_app.views.kit.look import Look
from bertviz_app.views.tokens.chip import Chip, draw_chip
from bertviz_app.views.tokens.chip_pictures import ChipPictures
from bertviz_app.views.tokens.strip_layout import StripLayout

_BESIDE = 40
"""The number of chips at either side of those in sight whose pictures are made in advance."""
_SLICE = 0.002
_AT_ONCE = 12


def sentence_colour(tokens: Tokens, token: int) -> str:
    """Return the name of the colour of a token: that of its sentence, or of special tokens."""
    return {0: "accent", 1: "sentence_b"}.get(int(tokens.sentences[token]), "special")


def left_out_text(tokens: Tokens) -> str:
    """Return how many tokens of the text were left out, "" if none."""
    count, translate = tokens.n_left_out, QCoreApplication.translate
    if count == 0:
        return ""
    if count == 1:
        return translate("TokenStrip", "1 token left out")
    return translate("TokenStrip", "{0} tokens left out").format(f"{count:,}")


NO_SINKS: Mapping[int, tuple[int, ...]] = MappingProxyType({})


def chip_labels(tokens: Tokens, sinks: Mapping[int, tuple[int, ...]]) -> list[str]:
    """Return what the first line of each chip says: the piece, with a mark behind that of a sink."""
    return [_marked(label, at in sinks) for at, label in enumerate(tokens.labels)]


def _marked(label: str, is_sink: bool) -> str:
    return f"{label} {SINK}" if is_sink else label


def sink_words(layers: tuple[int, ...]) -> str:
    """Return why a token is marked as an attention sink in these layers, "" of none."""
    if not layers:
        return ""
    words = QCoreApplication.translate(
        "TokenStrip",
        "{0} Attention sink in layer {1}: it receives at least {2} times the mean attention there, and its "
        "value vectors are at most {3} times as long as those of other tokens. So most of that attention "
        "changes little. (The rule is this program's own.)",
    )
    return words.format(SINK, ", ".join(map(str, layers)), MUCH, SHORT)


@dataclass(frozen=True)
class StripMarks:
    """The tokens that are highlighted, those that the model does not read as written, and sinks."""

    highlighted: Container[int]
    edited: Mapping[int, frozenset[int]]
    sinks: Container[int]


class StripDrawing:
    """Draws parts of a strip that `layout` has laid out."""

    def __init__(self, look: Look, layout: StripLayout) -> None:
        self._look = look
        self._layout = layout
        self._pictures = ChipPictures(look)
        self._chips: dict[tuple[int, bool, frozenset[int] | None, bool], Chip] = {}
        self._chips_made_for: tuple[Tokens | None, int, float] = (None, 0, 0.0)

    def draw_names(self, painter: QPainter, run: Run | None) -> None:
        """Draw the names of the lines at the left, before the first the name of a run, if it has one."""
        translate = QCoreApplication.translate
        first = translate("TokenStrip", "token")
        names = (
            first if run is None else f"{run}   {first}",
            translate("TokenStrip", "id"),
            translate("TokenStrip", "segment"),
            translate("TokenStrip", "position"),
        )
        painter.setFont(self._look.font(12))
        painter.setPen(self._look.colour("secondary"))
        for name, line in zip(names, self._layout.lines(), strict=False):
            box = QRectF(0, line.top(), self._layout.row.start - 10, line.height())
            painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, name)

    def draw_chips(
        self,
        painter: QPainter,
        boxes: Mapping[int, QRectF],
        tokens: Tokens,
        marks: StripMarks,
    ) -> None:
        """Draw tokens into their boxes: each piece over its numbers."""
        chips = [(self._chip(tokens, token, marks), box) for token, box in boxes.items()]
        rows = self._layout.lines()
        if not draws_pixels(painter):
            for chip, box in chips:
                draw_chip(painter, self._look, chip, box, rows)
        else:
            self._pictures.draw(painter, chips, rows)

    def prepare(self, strip: QObject, tokens: Tokens, marks: StripMarks, ratio: float) -> None:
        """Make pictures of the chips beside those in sight of `strip` in later turns, the nearest first.

        Scrolling then finds most of what it brings into sight made.
        """
        sight = self._layout.row.in_sight()
        after = range(sight.stop, min(sight.stop + _BESIDE, len(tokens)))
        before = range(sight.start - 1, max(sight.start - 1 - _BESIDE, -1), -1)
        waiting = [token for both in zip_longest(after, before) for token in both if token is not None]
        marks = replace(marks, highlighted=())

        def make_some() -> None:
            until = time.perf_counter() + _SLICE
            while waiting and time.perf_counter() < until:
                chips = [
                    (self._chip(tokens, token, marks), self._layout.chip(token))
                    for token in waiting[:_AT_ONCE]
                    if token < len(self._layout.row)  # other tokens may be laid out since
                ]
                del waiting[:_AT_ONCE]
                self._pictures.pictures(chips, self._layout.lines(), ratio)
            if waiting:
                LaterWork.shared().add(strip, "chips", make_some)

        LaterWork.shared().add(strip, "chips", make_some)

    def _chip(self, tokens: Tokens, token: int, marks: StripMarks) -> Chip:
        of, n_lines, scale = self._chips_made_for
        if of is not tokens or (n_lines, scale) != (self._layout.n_lines, self._look.scale):
            self._chips_made_for = tokens, self._layout.n_lines, self._look.scale
            self._chips.clear()
        key = token, token in marks.highlighted, marks.edited.get(token), token in marks.sinks
        if key not in self._chips:
            self._chips[key] = self._made_chip(tokens, token, marks)
        return self._chips[key]

    def _made_chip(self, tokens: Tokens, token: int, marks: StripMarks) -> Chip:
        segment = tokens.segment_ids[token] if tokens.has_segments else "–"
        numbers = tokens.ids[token], segment, tokens.position_ids[token]
        label = _marked(tokens.labels[token], token in marks.sinks)
        return Chip(
            texts=(label, *map(str, numbers))[: self._layout.n_lines],
            colour=sentence_colour(tokens, token),
            is_highlighted=token in marks.highlighted,
            is_special=bool(tokens.is_special[token]),
            edited=marks.edited.get(token, frozenset()),
            is_cut=self._layout.is_cut(token),
        )

    def draw_left_out(self, painter: QPainter, tokens: Tokens) -> None:
        """Draw behind the last token how many were left out, if any."""
        words = left_out_text(tokens)
        if not words:
            return
        box = self._layout.chip(len(tokens))
        painter.setPen(QPen(self._look.colour("warning"), 1, Qt.PenStyle.DashLine))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(box, 6, 6)
        painter.setFont(self._look.font(13))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, words)
