"""Results of analyses in sections, and their words."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QCoreApplication, QPointF, QRectF, QSize, Qt, Slot
from PySide6.QtGui import QFont, QFontMetricsF, QPainter
from PySide6.QtWidgets import QGraphicsRectItem, QLabel, QPushButton, QWidget

from bertviz_app.analysis.results import ScoreParts
from bertviz_app.text.edits import MASKS
from bertviz_app.trace.bias import CONTENT, DISTANCE, TO_CONTENT, TO_POSITION
from bertviz_app.values import dataclass, replace
from bertviz_app.viewmodels.analyses.analyses import Analysed, Section, SectionRow, sections_of, story_of
from bertviz_app.viewmodels.panel import SHOWS_ATTENTION, Content, Panel
from bertviz_app.viewmodels.wording import translated
from bertviz_app.views.kit.layouts import in_column
from bertviz_app.views.kit.look import Look, named
from bertviz_app.views.kit.panel_view import PanelTools, PanelView, note_of_analysis
from bertviz_app.views.kit.widgets import scrolled
from bertviz_app.views.kit.words import fixed, signed
from bertviz_app.views.plots.cells import LevelBars
from bertviz_app.views.plots.picture import PicturePlot
from bertviz_app.views.plots.plot import Box, Drawing, stepped


def title(section: Section) -> str:
    translate = QCoreApplication.translate
    words = {
        "competitors": translate("Sections", "Score {0} gives weight {1}: rank {2} of {3}"),
        "looks": translate("Sections", "“{0}” looks at, in layer {1}"),
        "parts": translate("Sections", "Content and position: together {0}"),
        "embeddings": translate("Sections", "By token, segment and position: together {0}"),
        "query writers": translate("Sections", "What wrote the query's vector: together {0}"),
        "key writers": translate("Sections", "What wrote the key's vector: together {0}"),
        "dimensions": translate("Sections", "query · key by its {0} dimensions: together {1}"),
        "logit": translate("Sections", "Logit of “{0}” at {1}: {2}"),
        "logit difference": translate("Sections", "Logit of “{0}” less that of “{1}” at {2}: {3}"),
        "logit heads": translate("Sections", "Heads, the largest first"),
        "logit feed-forward": translate("Sections", "Feed-forward part of each layer"),
        "by layer": translate("Sections", "Probability of “{0}” at {1}, if each layer were the last"),
        "difference by layer": translate("Sections", "Logit of “{0}” less that of “{1}” at {2}"),
        "fillers": translate("Sections", "Likeliest after layer {0}"),
        "circuit keys": translate("Sections", "“{0}” looks for, in head {1}"),
        "circuit typed": translate("Sections", "“{0}” looks for, in head {1}"),
        "circuit written": translate("Sections", "Head {1} writes, where it looks at “{0}”"),
        "circuit pairs": translate("Sections", "Strongest of all pairs in head {0}: query → key"),
        "circuit OV": translate("Sections", "OV, what it writes: {1} singular values; positive {0}"),
        "circuit QK": translate("Sections", "QK, what it pairs: {1} singular values; positive {0}"),
    }
    if section.key == "fillers" and section.words == ("0",):
        return translate("Sections", "Likeliest from the embeddings alone")
    words_of = [str(int(section.words[0]) - 1)] if section.key == "fillers" else section.words
    return words[section.key].format(*words_of)


def explanation(section: Section) -> str:
    """Return the explanation of a section in a sentence or two; "" where its title is enough."""
    translate = QCoreApplication.translate
    words = {
        "competitors": translate(
            "Sections",
            "The softmax shares a weight of 1 among these keys; the score beside each decides its part.",
        ),
        "parts": translate(
            "Sections",
            "How much of the score comes from the content of the two tokens, and how much from their "
            "positions.",
        ),
        "embeddings": translate(
            "Sections",
            "In layer 0 vectors are sums of embeddings. A row is a part of the query with one of the key.",
        ),
        "query writers": translate(
            "Sections",
            "Which earlier head or feed-forward part wrote what this query reads. Exact at the given norms.",
        ),
        "key writers": translate("Sections", "The same for the vector of the key."),
        "dimensions": translate("Sections", "Each dimension of the query times that of the key, scaled."),
        "logit": translate("Sections", "What each kind of part adds directly; the sum is the model's logit."),
        "logit difference": translate(
            "Sections",
            "What each kind of part adds to the difference; the sum is that of the model's logits.",
        ),
        "difference by layer": translate(
            "Sections", "Above 0 the first word is likelier, below 0 the second, if that layer were the last."
        ),
        "by layer": translate(
            "Sections",
            "The task head was trained on the last layer only. Click a word below to follow it, a token to "
            "see another place.",
        ),
    }
    return words.get(section.key, "") or _explanation_of_circuit(section)


def _explanation_of_circuit(section: Section) -> str:
    translate = QCoreApplication.translate
    words = {
        "circuit keys": translate(
            "Sections",
            "The highest scores of this piece as a query, of {3} pieces as keys, without their positions; "
            "itself it has rank {2}. Click a piece, or a token of the text, to see its own.",
        ),
        "circuit typed": translate(
            "Sections",
            "The highest scores of this piece as a query, of {3} pieces as keys, without their positions; "
            "itself it has rank {2}. Click another piece to see its own; empty the piece in the parameters "
            "to see those of the text.",
        ),
        "circuit written": translate(
            "Sections",
            "The pieces whose logit rises most, by the embeddings of the output; the piece itself has rank "
            "{2} of {3}.",
        ),
        "circuit pairs": translate(
            "Sections",
            "Of every piece with every other one, whatever the text.",
        ),
        "circuit OV": translate(
            "Sections",
            "Positive: the sum of the eigenvalues over that of their sizes. +1 is a head that copies, −1 one "
            "that takes away what it reads.",
        ),
        "circuit QK": translate(
            "Sections",
            "+1 is a head in which vectors look for their like, −1 one in which they avoid it.",
        ),
    }
    return words.get(section.key, "").format(*section.words)


def row_label(section: Section, row: SectionRow) -> str:
    translate = QCoreApplication.translate
    if row.label.startswith("rest ("):
        return translate("Sections", "all others {0}").format(row.label.removeprefix("rest "))
    if (
        section.key in ("competitors", "looks", "circuit pairs") or row.piece
    ):  # a token or a piece, whatever parts are called
        return row.label
    if section.key in ("by layer", "difference by layer"):
        if row.label == "0":
            return translate("Sections", "embeddings")
        return translate("Sections", "after layer {0}").format(int(row.label) - 1)
    if section.key == "logit feed-forward":
        return translate("Sections", "layer {0}").format(row.label)
    words = {
        CONTENT: translate("Sections", "content"),
        DISTANCE: translate("Sections", "bias of the distance"),
        TO_POSITION: translate("Sections", "content → position"),
        TO_CONTENT: translate("Sections", "position → content"),
        "heads": translate("Sections", "all heads"),
        "feed-forward": translate("Sections", "all feed-forward parts"),
        "biases": translate("Sections", "biases of the layers"),
        "embeddings": translate("Sections", "embeddings"),
        "task head": translate("Sections", "task head's biases"),
        "sum": translate("Sections", "sum = logit"),
    }
    return words.get(row.label, row.label)


def headings(section: Section) -> tuple[str, str]:
    """Return what stands above the names of the rows, and above their numbers."""
    translate = QCoreApplication.translate
    words = {
        "competitors": (translate("Sections", "key"), translate("Sections", "score   weight")),
        "parts": (translate("Sections", "part"), translate("Sections", "of the score")),
        "embeddings": (translate("Sections", "query · key"), translate("Sections", "of the score")),
        "query writers": (translate("Sections", "written by"), translate("Sections", "of the score")),
        "key writers": (translate("Sections", "written by"), translate("Sections", "of the score")),
        "dimensions": (translate("Sections", "dimension"), translate("Sections", "of the score")),
        "circuit keys": (translate("Sections", "key"), translate("Sections", "score")),
        "circuit typed": (translate("Sections", "key"), translate("Sections", "score")),
        "circuit written": (translate("Sections", "piece"), translate("Sections", "logit")),
        "circuit pairs": (translate("Sections", "query → key"), translate("Sections", "score")),
    }
    return words.get(section.key, ("", ""))


_MARGIN, _LABEL, _NUMBER, _GAP, _LINE = 14.0, 150.0, 74.0, 8.0, 20.0
_WRAPPED = Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignLeft
_MIDDLE = Qt.AlignmentFlag.AlignVCenter


class SectionsView(PanelView):
    """Draws a result that has sections; a prediction by layer is of the token that is selected.

    Why a weight is what it is stands there in plain sentences first; the sections, and how exact they are,
    are behind a fold then.
    """

    def __init__(self, tools: PanelTools) -> None:
        super().__init__(tools.look)
        self.bars = SectionBars(tools.look)
        self.dimmed = (self.bars,)
        self.story = named(QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText), "story")
        self.fold = named(QPushButton(), "link")
        self.fold.setCheckable(True)
        self.fold.toggled.connect(self._show)
        self.note = named(QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText), "note")
        self._selection = tools.selection
        self._content: Content = SHOWS_ATTENTION
        page = QWidget()
        beside = in_column(self.story, self.fold, self.note, margins=(round(_MARGIN), 10, round(_MARGIN), 4))
        in_column(beside, self.bars, 1, of=page, margins=0, spacing=0)
        self._area = scrolled(page)
        in_column(self._area, of=self, margins=0)
        self.bars.area = self._area
        self.bars.part_chosen.connect(self._on_row_chosen)
        tools.selection.changed.connect(self._show)

    def show_panel(self, panel: Panel) -> None:
        """Note what the panel shows, for a click that changes it."""
        self._content = panel.content

    def show_result(self, analysed: Analysed) -> None:
        super().show_result(analysed)
        self._show()

    @property
    def writes_note(self) -> bool:
        return self.analysed is not None and isinstance(self.analysed.result, ScoreParts)

    @property
    def position(self) -> int:
        """The token of a prediction by layer: the selected one, else the first masked, else the first.

        0 for a result of a whole file, which is of no one text.
        """
        assert self.analysed is not None
        if not self.analysed.traces:
            return 0
        tokens = self.analysed.traces[0].tokens
        shown = self._selection.shown.within(len(tokens))
        pointed = shown.query if shown.query is not None else shown.key
        if pointed is not None:
            return pointed
        masked = [at for at, piece in enumerate(tokens.pieces) if piece in MASKS]
        return masked[0] if masked else min(1, len(tokens) - 1)

    @Slot()
    def _show(self) -> None:
        if self.analysed is None:
            return
        result = self.analysed.result
        self.bars.show_sections(sections_of(result, self.position))
        has_story, is_open = isinstance(result, ScoreParts), self.fold.isChecked()
        if isinstance(result, ScoreParts):
            query = self.analysed.traces[0].tokens.labels[int(result.facts["query"])]
            self.story.setText("\n".join(map(translated, story_of(result, query))))
            self.note.setText(note_of_analysis(self._content, self.analysed))
        words = self.tr("The numbers behind it")
        self.fold.setText(f"▾ {words}" if is_open else f"▸ {words}")
        for part in (self.story, self.fold):
            part.setVisible(has_story)
        self.note.setVisible(has_story and is_open)
        self.bars.setVisible(not has_story or is_open)

    @Slot(int)
    def _on_row_chosen(self, row: int) -> None:
        """Follow the piece of a row, if it has one, through the layers."""
        piece = self.bars.row(row).piece
        if piece:
            others = tuple(one for one in self._content.parameters if one[0] != "piece")
            self.choice_made.emit(replace(self._content, parameters=(*others, ("piece", piece))))


@dataclass(frozen=True)
class _Placed:
    """Where a row lies: its line, its bar from zero (empty where it has none), and what is written in it."""

    section: Section
    row: SectionRow
    line: QRectF
    bar: QRectF
    label: str
    number: str


@dataclass(frozen=True)
class _PlacedSection:
    """Where a section lies: its title and explanation, its rows, and the left end of the line at zero."""

    rect: QRectF
    texts: tuple[tuple[QRectF, str], ...]
    rows: tuple[_Placed, ...]
    zero: float
    heads: tuple[QRectF, str, str]
    """The line of headings, and what stands in it."""


class SectionBars(PicturePlot[int]):
    """Titles, explanations, and a bar for each row; its parts are the rows of all sections.

    It is a page of text that is as high as it must be, and scrolled by `area` around it: the units of its
    box are pixels, and it is not zoomed. Up and Down go from row to row, Left and Right from section to
    section.
    """

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self.sections: tuple[Section, ...] = ()
        self._placed: tuple[_PlacedSection, ...] = ()
        self._words: list[_SectionWords] = []
        self.box = Box(self, y_down=True)  # none of `boxes`, which are zoomed
        self.box.setMouseEnabled(x=False, y=False)
        self.box.frames = False
        self.item = pg.PlotItem(viewBox=self.box, enableMenu=False)
        self.item.hideButtons()
        self.item.layout.setContentsMargins(0, 0, 0, 0)
        for side in ("left", "bottom"):
            self.item.hideAxis(side)
        self.ci.addItem(self.item, 0, 0)
        self.band = QGraphicsRectItem()
        self.band.setPen(pg.mkPen(None))
        self.band.hide()
        self.bars = LevelBars()
        for part in (self.band, self.bars):
            self.item.addItem(part, ignoreBounds=True)
        self.setMinimumSize(200, 0)

    def show_sections(self, sections: tuple[Section, ...]) -> None:
        if sections == self.sections:
            return
        self.sections = sections
        self.read(None)
        lines = [
            f"{row_label(section, row)} {self._number(section, row)}"
            for section in sections
            for row in section.rows
        ]
        self.setAccessibleDescription(", ".join(lines))
        self._fit()

    def recolour(self) -> None:
        self._fit()

    def sizeHint(self) -> QSize:
        return QSize(300, self.minimumHeight())

    # where everything lies

    def _fit(self) -> None:
        """Give everything its place, and the page the height that it needs."""
        bottom, placed = 8.0, []
        for section in self.sections:
            placed.append(self._place_section(section, bottom))
            bottom = placed[-1].rect.bottom()
        self._placed = tuple(placed)
        self.setMinimumHeight(round(bottom + self.look.pixels(6)))
        self.lay_out()
        size = self.box.rect()
        self.box.set_whole(QRectF(0, 0, size.width(), size.height()))
        for words in self._words[len(placed) :]:
            self.scene().removeItem(words)
        del self._words[len(placed) :]
        self._words += [_SectionWords(self) for _ in placed[len(self._words) :]]
        for words, each in zip(self._words, placed, strict=True):
            words.show_section(each)
        rows = self._rows
        bars = [row for row in rows if row.bar.width() > 0]
        colours = [
            self.look.colour(
                "sentence_b" if each.row.value < 0 else "accent", 0.75 if each.row.is_marked else 0.4
            )
            for each in bars
        ]
        self.bars.show_bars([row.bar for row in bars], colours, outlined=False)
        values = np.array([row.row.value for row in rows], np.float64)
        self.bars.numbers = np.arange(len(values), dtype=np.float64), values
        self.band.setBrush(pg.mkBrush(self.look.colour("accent", 0.1)))

    def _place_section(self, section: Section, top: float) -> _PlacedSection:
        look, bottom, texts = self.look, top, []
        width = max(120.0, self.width() - 2 * _MARGIN)
        for is_title, words in ((True, title(section)), (False, explanation(section))):
            if words:
                metrics = QFontMetricsF(section_font(look, is_title=is_title))
                height = metrics.boundingRect(QRectF(0, 0, width, 2000), _WRAPPED, words).height()
                texts.append((QRectF(_MARGIN, bottom, width, height), words))
                bottom += height + 3
        rows, line = [], look.pixels(_LINE)
        heads = QRectF(_MARGIN, bottom, width, line)
        bottom += line if any(headings(section)) else 0
        for row in section.rows:
            # A label of several words may need more than one line.
            room = QRectF(0, 0, self._label_width(width) - _GAP, 2000)
            metrics = QFontMetricsF(self.label_font(row))
            height = metrics.boundingRect(room, _WRAPPED, row_label(section, row)).height()
            box = QRectF(_MARGIN, bottom, width, line if height <= line else height + look.pixels(6))
            rows.append(self._place_row(section, row, box))
            bottom = box.bottom()
        zero = min((row.bar.left() for row in rows if row.row.value >= 0), default=0.0)
        rect = QRectF(0, top, self.width(), bottom + 0.6 * line - top)
        return _PlacedSection(rect, tuple(texts), tuple(rows), zero, (heads, *headings(section)))

    def _place_row(self, section: Section, row: SectionRow, box: QRectF) -> _Placed:
        look, number = self.look, self._number(section, row)
        label = self._label_width(box.width())
        room = max(look.pixels(_NUMBER), QFontMetricsF(look.number_font(12)).horizontalAdvance(number) + 6)
        height = look.pixels(_LINE) - 6
        left, width = box.left() + label, max(8.0, box.width() - label - room)
        share = min(1.0, abs(row.value) / max(section.top, 1e-30)) if np.isfinite(row.value) else 0.0
        if section.is_of_shares:
            length = share * width
        else:
            length = share * width / 2
            left += width / 2 - (length if row.value < 0 else 0)
        bar = QRectF(left, box.center().y() - height / 2, length, height)
        font = QFontMetricsF(self.label_font(row))
        words = row_label(section, row)
        if " " not in words:  # a piece, or a position, has no place for a new line
            words = font.elidedText(words, Qt.TextElideMode.ElideRight, label - _GAP)
        return _Placed(section, row, box, bar, words, number)

    def _number(self, section: Section, row: SectionRow) -> str:
        is_share = section.is_of_shares
        number = fixed(row.value) if is_share else signed(row.value, 4)
        number = "–" if np.isnan(row.value) else number
        if row.note == "below":
            return QCoreApplication.translate("SectionBars", "below the listed")
        return f"{row.note}  {number}" if row.note else number

    def _label_width(self, width: float) -> float:
        return min(self.look.pixels(_LABEL), 0.42 * width)

    def label_font(self, row: SectionRow) -> QFont:
        return self.look.font(13, bold=row.is_marked)

    @property
    def label_room(self) -> float:
        """The width of the names of rows."""
        return self._label_width(max(120.0, self.width() - 2 * _MARGIN)) - _GAP

    @property
    def _rows(self) -> list[_Placed]:
        return [row for section in self._placed for row in section.rows]

    def row(self, part: int) -> SectionRow:
        """Return the row that is a part."""
        return self._rows[part].row

    # its parts are the rows

    @property
    def count(self) -> int:
        return len(self._rows)

    def part_at(self, at: QPointF) -> int | None:
        return next((index for index, row in enumerate(self._rows) if row.line.contains(at)), None)

    def beside(self, part: int | None, rows: int, columns: int) -> int | None:
        """Return the next row, or the first one of the next section."""
        if part is None or rows:
            return super().beside(part, rows, 0)
        firsts = np.cumsum([0, *(len(section.rows) for section in self.sections[:-1])])
        at = int(np.searchsorted(firsts, part, "right")) - 1
        return int(firsts[stepped(at, columns, len(firsts))])

    def extent_of(self, part: int) -> QRectF:
        return self._rows[part].line

    def place_of(self, part: int) -> QPointF:
        line = self._rows[part].line
        return QPointF(line.right() - self.look.pixels(_NUMBER), line.center().y())

    def lines_of(self, part: int) -> list[str]:
        row = self._rows[part]
        return [row_label(row.section, row.row), row.number]

    def mark_part(self, part: int | None) -> None:
        """Shade a row; the pointer is a hand over a piece that can be followed."""
        self.band.setVisible(part is not None)
        if part is not None:
            self.band.setRect(self._rows[part].line.adjusted(-6, 0, 6, 0))
        is_link = part is not None and bool(self._rows[part].row.piece)
        shape = Qt.CursorShape.PointingHandCursor if is_link else Qt.CursorShape.ArrowCursor
        self.viewport().setCursor(shape)

    def resized(self) -> None:
        self._fit()


class _SectionWords(Drawing):
    """What is written of one section, and its line at zero; a hover paints the section under it alone."""

    def __init__(self, plot: SectionBars) -> None:
        self._section: _PlacedSection | None = None
        super().__init__(plot.look, plot.box)
        self._plot = plot
        self.setZValue(10)

    def show_section(self, section: _PlacedSection) -> None:
        self.prepareGeometryChange()
        self._section = section
        self.update()

    def rect(self) -> QRectF:
        return QRectF() if self._section is None else self._section.rect

    def draw(self, painter: QPainter) -> None:
        section, look = self._section, self.look
        if section is None:
            return
        for index, (box, words) in enumerate(section.texts):
            painter.setFont(section_font(look, is_title=not index))
            painter.setPen(look.colour("secondary" if index else "text"))
            painter.drawText(box, _WRAPPED, words)
        box, left, right = section.heads
        painter.setFont(look.font(12))
        painter.setPen(look.colour("secondary"))
        painter.drawText(box, _MIDDLE | Qt.AlignmentFlag.AlignLeft, left)
        painter.drawText(box, _MIDDLE | Qt.AlignmentFlag.AlignRight, right)
        if section.rows:
            painter.setPen(pg.mkPen(look.colour("rule")))
            x = round(section.zero)
            painter.drawLine(
                QPointF(x, section.rows[0].line.top()), QPointF(x, section.rows[-1].line.bottom())
            )
        for each in section.rows:
            room = QRectF(each.line.left(), each.line.top(), self._plot.label_room, each.line.height())
            painter.setFont(self._plot.label_font(each.row))
            is_link = bool(each.row.piece) and not self._plot.omits_hints
            painter.setPen(look.colour("accent" if is_link else "text"))
            painter.drawText(room, _MIDDLE | _WRAPPED, each.label)
            painter.setFont(look.number_font(12))
            painter.setPen(look.colour("text"))
            painter.drawText(each.line, _MIDDLE | Qt.AlignmentFlag.AlignRight, each.number)


def section_font(look: Look, *, is_title: bool) -> QFont:
    """Return the font of the title of a section, or of its explanation."""
    return look.font(13 if is_title else 12, bold=is_title)
