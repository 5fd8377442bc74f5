"""The inspector: a pair of tokens, its numbers, and the same pair in other heads."""

from __future__ import annotations

from dataclasses import asdict, replace
from functools import partial

import numpy as np
from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import (
    QFont,
    QFontMetricsF,
    QHelpEvent,
    QPainter,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QLabel, QLayout, QPushButton, QToolTip, QWidget

from bertviz_app.analysis.attention.stamp import WEIGHTS
from bertviz_app.analysis.pairs import PairHead, strongest
from bertviz_app.options import SIDES
from bertviz_app.trace.bias import DISTANCE, TO_CONTENT, TO_POSITION, adds_window_alone
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.export import Fact, Numbers, Runs, inspector_as_python
from bertviz_app.viewmodels.inspected import Inspected, InspectedPair, PairInHeads
from bertviz_app.viewmodels.wording import (
    attention_sentence,
    share_words,
    short_head_change_text,
    special_title,
    stamp_line,
    translate,
    unit_words,
)
from bertviz_app.views.inspector.predictions import PredictionsSection
from bertviz_app.views.kit.canvas import Canvas, Guarded, LaterWork
from bertviz_app.views.kit.labels import text_drawn_at
from bertviz_app.views.kit.look import (
    LEFT,
    RIGHT,
    ROOT_FAMILIES,
    TEXT_FAMILIES,
    Look,
    Pencil,
    in_column,
    in_row,
    named,
)
from bertviz_app.views.kit.subject import ExportSubject, sheet_of
from bertviz_app.views.kit.terms import explain_with, term_named
from bertviz_app.views.kit.words import cell_measure, fixed, plain
from bertviz_app.views.overview.card import OverviewCard, RunOverview
from bertviz_app.views.overview.heads_table import HeadsTable, with_unit

N_HEADS = 3
_HEIGHT = 30
_GAP = 4
_MARGINS = (14, 0, 8, 0)


class PairHeadsView(Guarded, QWidget):
    """A row with a button for each of its strongest heads; without a pair how to pin one.

    `height_changed`: it needs another height, as its words wrap otherwise.
    """

    head_chosen = Signal(int, int)
    height_changed = Signal()

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._pair: PairInHeads | None = None
        self._question = self.tr("Click a pair to see its strongest heads.")
        self.title = named(QLabel(wordWrap=True), "secondary")
        self.buttons = [named(QPushButton(), "head") for _ in range(N_HEADS)]
        tip = self.tr("Why this weight? By dimension, competitors, positions, earlier heads (Shift+Y)")
        self.why = named(QPushButton(self.tr("Why?")), "link", tip, self.tr("Why this weight?"))
        in_row((self.title, 1), *self.buttons, self.why, of=self, margins=_MARGINS, spacing=_GAP)
        for number, button in enumerate(self.buttons):
            button.clicked.connect(partial(self._on_clicked, number))
        explain_with(self.title, "pair_weight")
        look.changed.connect(self._show)
        self._show()

    @property
    def heads(self) -> list[PairHead]:
        """The heads that are named, the strongest first."""
        return [] if self._pair is None else self._pair.strongest(N_HEADS)

    def show_pair(self, pair: PairInHeads | None) -> None:
        if pair is not self._pair:  # it is handed over with each move of the pointer, and is mostly the same
            self._pair = pair
            self._show()

    @property
    def desired_height(self) -> int:
        """The height, the same with a pair and without: that of what is said without one."""
        self.title.ensurePolished()  # else its font is another before it is first shown
        metrics, room = self.title.fontMetrics(), QRect(0, 0, self.width() - _MARGINS[0] - _MARGINS[2], 1000)
        high = metrics.boundingRect(room, Qt.TextFlag.TextWordWrap, self._question).height()
        return max(self._look.pixels(_HEIGHT), round(high / metrics.height()) * metrics.lineSpacing() + 2)

    @Slot()
    def _show(self) -> None:
        pair, heads = self._pair, self.heads
        self.why.setVisible(pair is not None)
        if pair is None:
            self.title.setText(self._question)
            self.title.setAccessibleName(self.title.text())
        else:
            words, short = self.tr("{0}: most weight in these heads"), self.tr("Most in")
            if pair.column.others is not None:
                words = self.tr("{0}: the heads with most weight above what the other tokens put there")
                short = self.tr("Stands out in")
            self.title.setText(short)
            self.title.setAccessibleName(words.format(pair.title))
        for button, one in zip(self.buttons, heads, strict=False):
            name = f"{one.layer}·{one.head}" if pair is None or pair.numbers.has_heads else str(one.layer)
            button.setText(f"{name}  {cell_measure(one.weight)}")
            words = self.tr("{0}: weight {1} in layer {2}, head {3}. Click: show that head")
            if pair is not None and pair.stamp.numbers != "weight":
                words = self.tr("{0}: norm {1} in layer {2}, head {3}. Click: show that head")
            if one.others is not None:
                words = self.tr(
                    "{0}: weight {1} in layer {2}, head {3}; the other tokens put {4} there on average. "
                    "Click: show that head"
                )
            others = "" if one.others is None else fixed(one.others)
            title = "" if pair is None else pair.title
            tip = words.format(title, fixed(one.weight), one.layer, one.head, others)
            button.setToolTip(plain(tip))
            button.setAccessibleName(tip)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._fit()  # only now it has the font of the style sheet

    def _fit(self) -> None:
        """Show the words and as many heads as there is room for; one alone rather than the words."""
        if self.height() != self.desired_height:
            self.setFixedHeight(self.desired_height)
            self.height_changed.emit()
        n_heads = n_named = min(N_HEADS, len(self.heads))
        widths = [button.sizeHint().width() + _GAP for button in self.buttons[:n_heads]]
        metrics = self.title.fontMetrics()
        # The question wraps; the words beside the heads are on one line.
        unbroken = self.title.text().split() if self._pair is None else [self.title.text()]
        words = max(map(metrics.horizontalAdvance, unbroken)) + 1 + _GAP
        room = self.width() - _MARGINS[0] - _MARGINS[2]
        room -= 0 if self._pair is None else self.why.sizeHint().width()
        while n_heads > 1 and sum(widths[:n_heads]) + words > room:
            n_heads -= 1
        self.title.setVisible(n_heads == 0 or sum(widths[:n_heads]) + words <= room)
        for number, button in enumerate(self.buttons):
            button.setVisible(number < n_heads)
            button.setEnabled(number < n_named)  # what is hidden with a page can keep the focus

    def _on_clicked(self, number: int, _: bool = False) -> None:
        one = self.heads[number]
        self.head_chosen.emit(one.layer, one.head)


_MARGIN = 14.0
_LISTED = 5
# The height of what a number means, in lines: two, a little apart from the rank below; more if it wraps.
_SENTENCE_LINES = 2.3
_N_ROWS = 6  # so many numbers most pairs have
_LEAST_HEIGHT = 84  # in which the weight and its rank are still written
_USUAL_PREDICTIONS = 126  # in which a line of each head is written
_LEAST_PREDICTIONS = 94  # in which the name of a run, a token and its likeliest piece are still written


class InspectorView(Canvas):
    """Explains one weight: how it is computed, which keys its query attends to most, and the reverse."""

    fills_ground = True

    def __init__(self, look: Look, inspected: Inspected) -> None:
        super().__init__(look)
        self.inspected = inspected
        self._pair: InspectedPair | None = None
        self._numbers: list[tuple[str, str]] = []
        self._is_current = False
        inspected.changed.connect(self._on_inspected_changed)
        self.setAccessibleName(self.tr("Numbers of the pair under the pointer"))
        self._refresh()

    @Slot()
    def _on_inspected_changed(self) -> None:
        self._is_current = False
        # In a later turn: to find the numbers takes as long as a part of the view under the pointer.
        LaterWork.shared().add(self, "refresh", self._refresh)

    def _refresh(self) -> None:
        """Describe and draw the inspected pair, if it is another.

        While there is none yet nothing changes; of a head that does not exist nothing is drawn.
        """
        if self._is_current:
            return
        self._is_current = True
        pair = self._pair = self.inspected.pair
        if pair is None:
            if self.inspected.lacks_head:
                self.setAccessibleDescription("")
                self.update()
            return
        rows = self._numbers = self._rows(pair)
        title = " → ".join(pair.labels)
        if pair.shown.stamp != WEIGHTS:
            title = f"{title} {fixed(pair.shown.value)} {self._rank(pair)}"
        elif change := short_head_change_text(pair.trace.edits, pair.layer, pair.head):
            title = f"{title}, {change}"
        described = ", ".join([title, *(f"{name} {value}" for name, value in rows)])
        self.setAccessibleDescription(f"{described}. {pair_sentence(pair, is_compared=True)}")
        self.update()

    def event(self, event: QEvent) -> bool:
        """Name the menu where the pointer rests on no term: a term's own explanation comes first."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            if self.term_at(event.pos()) or term_named(text_drawn_at(self, event.pos())):
                event.ignore()  # the window explains it
                return False
            hint, pair = self.tr("Right click: switch or replace this head, or set this weight"), self._pair
            words = "" if pair is None else plain(f"{pair_sentence(pair, is_compared=True)}\n{hint}")
            QToolTip.showText(event.globalPos(), words, self)
            return True
        return super().event(event)

    def term_at(self, position: QPoint) -> str:
        """Return the term of the large number and of its rank below it, where they are those of a weight."""
        pair, line = self.inspected.pair, self._line()
        is_weight = pair is not None and pair.shown.stamp == WEIGHTS
        is_there = _MARGIN + line <= position.y() < _MARGIN + 3.7 * line + self._sentence_height
        return "attention_weight" if is_weight and is_there else ""

    def sizeHint(self) -> QSize:
        return QSize(280, round(self._height(_LISTED)))

    def minimumSizeHint(self) -> QSize:
        return QSize(220, round(self._height(0)))

    @property
    def height_of_steps(self) -> int:
        """The height in which every step to the weight is written, without the margin below."""
        return self.minimumSizeHint().height() - int(_MARGIN) + 1

    def height_for(self, room: float) -> float:
        """Return the height for as many listed tokens as `room` allows."""
        return self._height(self._listed(room))

    def _listed(self, room: float) -> int:
        """Return how many tokens each of the two lists has in a height of `room`."""
        return max(0, min(_LISTED, int((room - self._height(0)) / (2 * self._line()) - 1.6 + 0.05)))

    def _height(self, listed: int) -> float:
        line = self._line()
        lists = 2 * (listed + 1.6) * line if listed else 0.0
        return 2 * _MARGIN + (3.9 + (len(self._numbers) or _N_ROWS)) * line + self._sentence_height + lists

    def _line(self) -> float:
        return self.look.pixels(18)

    @property
    def _sentence_height(self) -> float:
        """The height of what the number means: in a narrow card, or of long words, it has a third line."""
        pair, least = self._pair, _SENTENCE_LINES * self._line()
        if pair is None:
            return least
        font = QFontMetricsF(self.look.font(14))
        room = QRectF(0, 0, self.width() - 2 * _MARGIN, 1000)
        lines = font.boundingRect(room, Qt.TextFlag.TextWordWrap, pair_sentence(pair)).height()
        return least if lines <= least else lines + 0.3 * self._line()

    # drawing

    def draw(self, painter: QPainter) -> None:
        self._refresh()  # for a picture that is saved before the turn comes
        pair = self._pair
        if pair is None:
            return
        numbers, trace = pair.numbers, pair.trace
        width, line = self.width() - 2 * _MARGIN, self._line()
        top = self._draw_weight(painter, pair, width)
        rows, count = self._numbers, int((self.height() - top - 1) / line)
        if count < len(rows):  # the last one says how many are left out
            last = max(0, count - 1)
            words = self.tr("… {0} more: enlarge the card").format(len(rows) - last)
            rows = [*rows[:last], (words, "")][:count]
        for name, value in rows:
            room = width - QFontMetricsF(self.look.number_font(13)).horizontalAdvance(value) - 8
            font = self.look.font(13, families=ROOT_FAMILIES if "√" in name else TEXT_FAMILIES)
            self._write(painter, name, top, room, font, "secondary")
            self._write(painter, value, top, width, self.look.number_font(13), "text", is_right=True)
            top += line
        listed = self._listed(self.height())
        queries, keys = trace.tokens.labels, trace.key_tokens.labels
        if listed == 0:
            if top + line <= self.height():
                words = self.tr("Enlarge the card: what “{0}” looks at").format(queries[numbers.query])
                self._write(painter, words, top, width, self.look.font(12), "secondary")
            return
        looks = self.tr("{0} looks at").format(queries[numbers.query])
        looked = self.tr("{0} is looked at by").format(keys[numbers.key])
        shown = pair.shown
        for title, listing, label, marked in (
            (looks, shown.row, keys, numbers.key),
            (looked, shown.column, queries, numbers.query),
        ):
            top += 0.6 * line
            self._write(painter, title, top, width, self.look.font(13, bold=True), "text")
            top += line
            known = np.nan_to_num(listing, nan=-1.0)  # NaN: the token is left out
            whole = 1.0 if shown.stamp.is_share else max(float(known.max()), 1e-30)
            for token in strongest(known, min(listed, int(np.isfinite(listing).sum()))):
                number = float(listing[token])
                length = width * number / whole
                fill = self.look.colour("accent", 0.34 if token == marked else 0.18)
                bar = QRectF(_MARGIN, top + 1, max(2.0, length), line - 3)
                Pencil(painter, self.look).box(bar, fill=fill, rounding=3)
                font, of_number = self.look.font(13, bold=token == marked), self.look.number_font(12)
                self._write(painter, label[token], top, width - 56, font, "text", indent=6)
                self._write(painter, fixed(number), top, width, of_number, "text", is_right=True)
                top += line

    def _draw_weight(self, painter: QPainter, pair: InspectedPair, width: float) -> float:
        """Draw the title, the weight large, what it means, and its rank; return where the next line begins.

        Where the numbers would not fit below, the rank stands beside the weight. What the weight means goes
        before the numbers; only where not even that fits it is left to the tool tip.
        """
        line, title, number = self._line(), " → ".join(pair.labels), fixed(pair.shown.value)
        self._write(painter, title, _MARGIN, width, self.look.font(14, bold=True), "text")
        large = self.look.number_font(24, bold=True)
        box = QRectF(_MARGIN, _MARGIN + line, width, 1.7 * line)
        Pencil(painter, self.look).write(number, box, large, side=LEFT)
        rank, top = self._rank(pair), _MARGIN + 2.8 * line
        sentence = self._sentence_height
        is_low = top + sentence + (1.1 + len(self._numbers)) * line > self.height()
        left = QFontMetricsF(large).horizontalAdvance(number) + 10
        is_beside = is_low and left + QFontMetricsF(self.look.font(12)).horizontalAdvance(rank) <= width
        if is_beside:
            beside = _MARGIN + 1.45 * line
            self._write(painter, rank, beside, width, self.look.font(12), "secondary", indent=left)
        if top + sentence + (line if is_beside else 0) <= self.height():
            room = QRectF(_MARGIN, top, width, sentence)
            Pencil(painter, self.look).prose(pair_sentence(pair), room, self.look.font(14))
            top += sentence
        if is_beside or top + line > self.height():
            return top
        self._write(painter, rank, top, width, self.look.font(12), "secondary")
        return top + 1.1 * line

    def _rank(self, pair: InspectedPair) -> str:
        """Return what is below the number: what it is, if no weight, its rank, and what changed the head."""
        shown, numbers = pair.shown, pair.numbers
        change = short_head_change_text(pair.trace.edits, pair.layer, pair.head)
        changes = [change] if change else []
        if shown.stamp == WEIGHTS:
            rank = self.tr("rank {0} of {1} in its row").format(numbers.rank, numbers.n_keys)
            if numbers.others is not None:
                compared = self.tr("others {0}").format(fixed(numbers.others, 2))
                rank = f"{compared} · " + self.tr("rank {0} of {1}").format(numbers.rank, numbers.n_keys)
            return " · ".join([rank, *changes])
        if not shown.rank:
            return special_title(shown.stamp.special_tokens)
        parts = [] if shown.stamp.numbers == "weight" else [unit_words(shown.stamp.numbers)]
        if shown.stamp.special_tokens == "removed":
            parts.append(self.tr("rows add up to 1"))
        return " · ".join([*parts, self.tr("rank {0} of {1}").format(shown.rank, shown.n_keys), *changes])

    def _rows(self, pair: InspectedPair) -> list[tuple[str, str]]:
        """Return the steps to a weight, by name, and what else is known of the pair."""
        numbers, trace = pair.numbers, pair.trace
        of_distance = self.tr("+ bias of the distance")
        if trace.bias is not None and adds_window_alone(trace.bias, pair.layer):
            of_distance = self.tr("+ window (0 inside)")
        if trace.form.is_causal:
            of_distance = self.tr("+ mask of later keys")
        if trace.form.has_blocks:
            of_distance = self.tr("+ number for the block of the key")
        names = {
            DISTANCE: of_distance,
            TO_POSITION: self.tr("+ content → position"),
            TO_CONTENT: self.tr("+ position → content"),
        }
        rows = []
        if pair.elsewhere is not None:
            in_other = self.tr("in run A") if pair.run == "B" else self.tr("in run B")
            rows.append((in_other, fixed(pair.elsewhere)))
        if pair.shown.stamp != WEIGHTS:
            rows.append((self.tr("attention weight"), fixed(numbers.weight)))
        product = fixed(numbers.product) if trace.has_states else self.tr("weights alone")
        rows.append((self.tr("query · key"), product))
        if trace.has_states:
            rows.append((f"÷ √{numbers.radicand}", fixed(numbers.scaled)))
        if numbers.added:
            rows += [(names[name], fixed(value)) for name, value in numbers.added.items()]
            rows.append((self.tr("= score"), fixed(numbers.score)))
        of_head = [(self.tr("in layer {0}, head {1}").format(pair.layer, pair.head), "")]
        if (name := pair.name) is not None:  # what the number is by which the head has its name
            of_token, special = self.tr("mean weight on {0}"), trace.tokens.special_names
            words = {
                "previous": self.tr("mean weight on the previous token"),
                "next": self.tr("mean weight on the next token"),
                "first": of_token.format(special.first),
                "separator": of_token.format(special.separator),
                "same": self.tr("mean weight of a token on itself"),
                "word": self.tr("mean weight on the same word"),
                "broad": self.tr("mean entropy of its rows"),
            }
            of_head.append((words[name.rule.key], with_unit(name.rule.measure, name.value)))
        return [
            *rows,
            (self.tr("softmax over"), self.tr("{0} keys").format(numbers.n_keys)),
            (self.tr("row entropy"), self.tr("{0:.3f} bits").format(numbers.row_entropy)),
            (self.tr("column mean"), fixed(numbers.column_mean)),
            *of_head,
        ]

    def _write(  # noqa: PLR0913 - each is named by its callers
        self,
        painter: QPainter,
        text: str,
        top: float,
        width: float,
        font: QFont,
        colour: str,
        *,
        indent: float = 0,
        is_right: bool = False,
    ) -> None:
        box = QRectF(_MARGIN + indent, top, width - indent, self._line())
        Pencil(painter, self.look).write(text, box, font, colour, RIGHT if is_right else LEFT)


def pair_sentence(pair: InspectedPair, *, is_compared: bool = False) -> str:
    """Return what the large number means, in one sentence; "" for a token that is left out.

    `is_compared`: a second one has the mean of the other tokens, which the card has beside the rank.
    """
    numbers, shown = pair.numbers, pair.shown
    query, key = pair.labels
    if not shown.rank:
        return ""
    if shown.stamp.numbers == "weight":
        is_itself = numbers.query == numbers.key and not pair.trace.is_cross
        others = numbers.others if is_compared and shown.stamp == WEIGHTS else None
        return attention_sentence(query, key, shown.value, others, is_itself=is_itself)
    if shown.stamp.is_share:
        words = translate("Pairs", "Of what “{0}” takes from all tokens, {1} comes from “{2}”.")
        return words.format(query, share_words(shown.value), key)
    if shown.stamp.numbers == "norm":
        words = translate("Pairs", "What “{0}” takes from “{2}” in this head is a vector {1} long.")
    else:
        words = translate("Pairs", "What “{0}” has from “{2}” after this layer is a vector {1} long.")
    return words.format(query, fixed(shown.value), key)


class InspectorPage(Guarded, QWidget):
    """The body of the inspector's card: the numbers of a pair, how they come about, then the predictions.

    Where room is short, the lists of predictions are shortened first.
    """

    def __init__(
        self, numbers: InspectorView, pair_heads: PairHeadsView, predictions: PredictionsSection
    ) -> None:
        super().__init__()
        self.numbers, self.pair_heads, self.predictions = numbers, pair_heads, predictions
        column = in_column((numbers, 1), pair_heads, predictions, of=self, margins=0, spacing=0)
        column.setSizeConstraint(QLayout.SizeConstraint.SetNoConstraint)  # see minimumSizeHint

    def subject(self, title: str, runs: Runs) -> ExportSubject | None:
        """Return the row and the column of the inspected pair, and the predictions that are shown."""
        pair, panel = self.numbers.inspected.pair, self.numbers.inspected.panel
        if pair is None or panel is None:
            return None
        predictions = self.predictions.found if self.predictions.is_open else {}
        positions = {run: one.position for run, one in predictions.items()}
        panel = replace(panel, run=pair.run)  # of a panel of a difference run A is inspected
        prediction = predictions.get(pair.run)

        def numbers() -> Numbers:
            at, stamp = pair.numbers, pair.shown.stamp
            facts: dict[str, Fact] = {"layer": pair.layer, "head": pair.head}
            facts |= {"query": at.query, "key": at.key, **stamp.facts}
            if prediction is not None and prediction.found is not None:
                facts["predictions"] = asdict(prediction.found)
            arrays = {"row": pair.shown.row, "column": pair.shown.column}
            return Numbers(facts, arrays, {"tokens": pair.trace.tokens.pieces}, stamp=stamp)

        return ExportSubject(
            self,
            "inspector",
            sheet_of(title, runs, pair.run, stamp_line(pair.shown.stamp)),
            runs.named(pair.run, numbers),
            inspector_as_python(panel, runs, positions, pair.shown.stamp),
        )

    def minimumSizeHint(self) -> QSize:
        least, fewest = self.predictions.minimumSizeHint(), self.numbers.look.pixels(_LEAST_PREDICTIONS)
        height = self._least_height + self.pair_heads.desired_height + min(least.height(), fewest)
        return QSize(super().minimumSizeHint().width(), height)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._share()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            self._share()  # predictions that wrap in a narrower column need more lines
        return super().event(event)

    def _share(self) -> None:
        """Leave the numbers what the rest does not need; in the lowest card the predictions end sooner."""
        predictions = self.predictions.minimumSizeHint().height()
        room = self.height() - self.pair_heads.desired_height - predictions
        fewest = predictions + min(0, room - self._least_height)
        self.predictions.setMinimumHeight(max(1, fewest))
        steps, hint = self.numbers.height_of_steps, self.numbers.look.pixels(18)
        # The line that says what a higher card would list takes none from the predictions: they would jump.
        rest = self.pair_heads.desired_height + self.numbers.look.pixels(_USUAL_PREDICTIONS)
        steps = max(steps, min(steps + hint, self.height() - rest))
        self.numbers.setMinimumHeight(max(self._least_height, min(steps, room)))

    @property
    def _least_height(self) -> int:
        return self.numbers.look.pixels(_LEAST_HEIGHT)

    @property
    def least_height(self) -> int:
        """The height in which every step to the weight is written."""
        predictions = self.predictions.minimumSizeHint().height()
        return self.numbers.height_of_steps + self.pair_heads.desired_height + predictions

    def height_for(self, room: float) -> float:
        """Return the height for as much as `room` allows: heads and predictions first, then the lists."""
        rest = self.pair_heads.desired_height + self.predictions.desired_height
        return rest + self.numbers.height_for(room - rest)


class PairViews(QObject):
    """Gives each view the pinned pair of the run that it shows; of a difference, run A's."""

    def __init__(
        self,
        app_state: AppState,
        overview: OverviewCard,
        heads: HeadsTable,
        runs: RunOverview,
        inspector_page: InspectorPage,
    ) -> None:
        super().__init__(overview)
        self._app_state, self._inspector_page = app_state, inspector_page
        self._overview, self._heads, self._runs = overview, heads, runs
        shown = app_state.shown_runs
        shown.pinned_pair.changed.connect(self._show)
        shown.inspected.changed.connect(self._show_in_inspector)
        runs.run_changed.connect(self._show)
        inspector_page.pair_heads.head_chosen.connect(app_state.panels.show)
        inspector_page.pair_heads.why.clicked.connect(shown.why_weight.ask)
        self._show()

    @Slot()
    def _show(self) -> None:
        pinned = self._app_state.shown_runs.pinned_pair
        pair = pinned.of(SIDES[self._runs.run][0])
        self._overview.show_pair(pair)
        self._heads.show_pair(pair)
        self._runs.show_pair(pair, pinned.difference())
        self._show_in_inspector()

    @Slot()
    def _show_in_inspector(self) -> None:
        shown = self._app_state.shown_runs
        self._inspector_page.pair_heads.show_pair(shown.pinned_pair.of(shown.inspected.run))
