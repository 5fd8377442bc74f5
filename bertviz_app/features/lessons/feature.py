"""What the room of lessons brings: the lessons, what only teachers use, hand-outs and examples."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from bertviz_app.shell.feature import Feature, label_trainings

if TYPE_CHECKING:
    from bertviz_app.shell.window.frame import WindowPart
    from bertviz_app.shell.window.window import MainWindow


def _parts(window: MainWindow) -> list[WindowPart]:
    from bertviz_app.features.lessons.window.lesson_print import LessonPrinter
    from bertviz_app.features.lessons.window.lessons import Lessons
    from bertviz_app.features.lessons.window.station_maker import Examples, Handouts, StationMaker, Teaching

    state, look = window.app_state, window.look
    lessons = Lessons(window, state, look, window.session.store, partial(label_trainings, window.rooms_there))
    return [
        lessons,
        lessons.catalogue,
        Teaching(window, look, lessons, window.presentation),
        StationMaker(window, state, look, lessons),
        Handouts(window, state, window.files),
        LessonPrinter(window, state, look, lessons, window.files),
        Examples(window, state, lessons, lambda words: window.notice.show_message(words, tone="warning")),
    ]


LESSONS = Feature(_parts)
