"""The line below the picture of a stop: shape, minimum, maximum, mean, and what the colours mean."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QCoreApplication, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QImage, QPainter

from bertviz_app.viewmodels.steps import stops as step_words
from bertviz_app.viewmodels.steps.stops import Statistics
from bertviz_app.views.kit.numbers import cell_number
from bertviz_app.views.steps.sheets.strips import Ink

_BAR = 90.0


def statistics_texts(found: Statistics | None) -> tuple[str, ...]:
    """Return what there is to say of the numbers of a stop, the longest form first."""
    translate = QCoreApplication.translate
    if found is None:
        return ("",)
    numbers = [cell_number(number) for number in (found.minimum, found.maximum, found.mean)]
    shape = list(found.shape)
    more = f" · {_outside_words(found)}" if found.n_outside else ""
    return (
        translate("Steps", "{0} · minimum {1} · maximum {2} · mean {3}").format(shape, *numbers) + more,
        translate("Steps", "{0} · min {1} · max {2} · mean {3}").format(shape, *numbers) + more,
        f"{numbers[0]} … {numbers[1]}{more}",
        f"{numbers[0]} … {numbers[1]}",
    )


def with_left_out(forms: tuple[str, ...], left_out: list[str]) -> tuple[str, ...]:
    """Return texts that also name the quantities that the panel is too narrow for, the longest form first."""
    if not left_out:
        return forms
    names = ", ".join(step_words.quantity(name) for name in left_out)
    note = QCoreApplication.translate("Steps", "wider panel: also {0}").format(names)
    return (*(f"{form} · {note}" for form in forms if form), note)


def _outside_words(found: Statistics) -> str:
    translate, count = QCoreApplication.translate, found.n_outside
    if found.is_causal:
        later = translate("Steps", "{0} later keys that it does not see")
        return translate("Steps", "1 later key that it does not see") if count == 1 else later.format(count)
    if count == 1:
        return translate("Steps", "1 key outside of the window")
    return translate("Steps", "{0} keys outside of the window").format(count)


def draw_statistics(painter: QPainter, ink: Ink, forms: tuple[str, ...], box: QRectF, bound: float) -> None:
    """Write the longest of `forms` that fits into `box`; with a `bound` draw the colour bar beside it."""
    look = ink.look
    painter.setPen(look.colour("rule"))
    painter.drawLine(box.topLeft(), box.topRight())
    painter.setFont(look.number_font(11.5))
    painter.setPen(look.colour("secondary"))
    metrics = QFontMetricsF(painter.font())
    fitting = (form for form in forms if metrics.horizontalAdvance(form) <= box.width())
    text = next(fitting, forms[-1])
    painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)
    if bound > 0:
        room = box.adjusted(metrics.horizontalAdvance(text) + 16, 0, 0, 0)
        _draw_scale(painter, ink, room, bound)


def _draw_scale(painter: QPainter, ink: Ink, room: QRectF, bound: float) -> None:
    """Draw the colour bar at the right end, if there is room for it and its ends."""
    ends = cell_number(-bound), cell_number(bound)
    widths = [QFontMetricsF(painter.font()).horizontalAdvance(end) + 6 for end in ends]
    length = ink.look.pixels(_BAR)
    if room.width() < length + sum(widths):
        return
    left = round(room.right() - widths[1] - length)  # on whole pixels its frame is sharp
    bar = QRectF(left, round(room.center().y() - 4), length, 8)
    colours = np.ascontiguousarray(ink.differences)
    image = QImage(colours.data, len(colours), 1, 4 * len(colours), QImage.Format.Format_RGB32)
    painter.drawImage(bar, image)
    ink.draw_frame(painter, bar)
    painter.setPen(ink.look.colour("secondary"))
    align = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
    painter.drawText(QRectF(bar.left() - widths[0], room.top(), widths[0] - 6, room.height()), align, ends[0])
    painter.drawText(QRectF(bar.right() + 6, room.top(), widths[1] - 6, room.height()), align, ends[1])
