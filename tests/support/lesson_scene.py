"""A small lesson with a station for each kind of task, and a learner who clicks through those that ship."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, Qt
from PySide6.QtGui import QKeyEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QScrollArea, QSlider, QWidget
from pytestqt.qtbot import QtBot

from bertviz_app.features.lessons.course.lesson import Lesson
from bertviz_app.features.lessons.course.reading import parse_lesson
from bertviz_app.features.lessons.course.tasks import (
    AskedNumber,
    ChoiceTask,
    DoTask,
    HeadTask,
    NumbersTask,
    OrderTask,
    QuantityInputs,
    Task,
    TokenTask,
)
from bertviz_app.features.lessons.views.card import ChoiceForm, LessonCard, NumbersForm, OrderForm
from bertviz_app.features.lessons.views.pictures.attention import HeadTiles
from bertviz_app.features.lessons.views.pictures.predictions import DicePicture
from bertviz_app.features.lessons.views.pictures.steps import ColumnsPlot
from bertviz_app.features.lessons.views.pictures.tokens import Chips
from bertviz_app.features.lessons.views.pictures.vectors import StatesPicture, StripRows
from bertviz_app.features.lessons.window.lessons import Lessons
from bertviz_app.shell.window.window import MainWindow
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.views.plots.picture import PaintedPlot
from bertviz_app.views.plots.plot import Plot
from tests.support.scene import expect, not_none
from tests.support.window_fixtures import Settle


def words(text: str) -> dict[str, str]:
    return {"en": text, "ko": text}


def station(key: str, scene: dict[str, Any], task: dict[str, Any] | None = None) -> dict[str, Any]:
    common = {"ask": words("Ask"), "hint": words("The hint"), "why": words("Because.")}
    return {
        "key": key,
        "title": words(key),
        "text": words("There are {n_tokens} tokens."),
        "scene": scene,
        "points_at": "strip",
        "task": None if task is None else common | task,
    }


NUMBERS = {"kind": "numbers", "answers": [{"of": "n_tokens"}, {"of": "weight", "query": "cat", "key": "the"}]}
CHOICE = {"kind": "choice", "options": [words("no"), words("yes")], "right": 1}
ITEMS = [words(name) for name in "abcd"]
STATIONS = [
    station(
        "token",
        {"text": words("the cat sat"), "layer": 0, "head": 1, "views": ["lines"], "cards": []},
        {"kind": "token", "answer": {"of": "looked at most", "query": "cat"}},
    ),
    station("head", {"cards": ["overview"]}, {"kind": "head", "answer": {"measure": "entropy"}})
    | {"points_at": "overview"},
    station("numbers", {"views": ["steps"], "stage": "softmax", "query": "cat", "key": "sat"}, NUMBERS),
    station("choice", {"views": ["matrix"]}, CHOICE),
    station("order", {}, {"kind": "order", "items": ITEMS}),
    station("do", {"hidden": "cat"}, {"kind": "do", "done": {"of": "text has", "text": "dog"}}),
    station("read", {"text": words("a dog ran off"), "muted": [[1, 2]]}),
]
LESSON = {
    "key": "lesson",
    "title": words("Lesson"),
    "summary": words("About"),
    "minutes": 3,
    "stations": STATIONS,
}


@pytest.fixture
def lesson() -> Lesson:
    return parse_lesson(json.dumps(LESSON), "lesson.json")


@pytest.fixture
def go(
    qtbot: QtBot, window: MainWindow, app_state: AppState, settle: Settle, lesson: Lesson
) -> Callable[[str], None]:
    """Show a station and wait until it is set."""
    settle("my own words here")
    app_state.selection.pin(query=2)
    window.part(Lessons).open_lesson(lesson)
    keys = [each.key for each in lesson.stations]

    def show(key: str) -> None:
        window.part(Lessons).player.go(keys.index(key))
        qtbot.waitUntil(lambda: window.part(Lessons).player.is_ready)

    return show


def verdicts(window: MainWindow, act: Callable[[], None]) -> list[bool]:
    found: list[bool] = []
    window.part(Lessons).player.answered.connect(found.append)
    act()
    window.part(Lessons).player.answered.disconnect(found.append)
    return found


def card_of(window: MainWindow) -> LessonCard:
    """Return the card of the lesson that is open."""
    return not_none(window.part(Lessons).card)


def form(window: MainWindow, kind: type[Any]) -> Any:
    """Return the form of this kind on the card."""
    (found,) = [each for each in card_of(window).findChildren(kind) if not each.isHidden()]
    return found


_Form = TypeVar("_Form", ChoiceForm, NumbersForm, OrderForm)
_View = TypeVar("_View", StripRows, StatesPicture)
_N_MASKED = AskedNumber("n_masked")
_LEFT = Qt.MouseButton.LeftButton
_TURNS = 5
_NO_KEYS = Qt.KeyboardModifier.NoModifier


class Learner:
    """Clicks what can be clicked: a widget that is covered or out of sight is not. `until` waits."""

    def __init__(self, window: MainWindow, until: Callable[[Callable[[], bool]], None]) -> None:
        self.window = window
        self.until = until
        self.scrolled: list[str] = []
        """What had to be scrolled to before it could be clicked."""

    @property
    def card(self) -> LessonCard:
        """The card of the lesson that is open."""
        return card_of(self.window)

    @property
    def task(self) -> Task:
        """The task of the station that is shown."""
        return not_none(not_none(self.window.part(Lessons).player.station).task)

    @property
    def run(self) -> QuantityInputs:
        """The numbers on screen."""
        return not_none(self.window.part(Lessons).player.run)

    @property
    def verdict(self) -> str:
        """What the card answers; "" where it shows nothing."""
        labels = self.card.task.findChildren(QLabel, "verdict")
        return "".join(label.text() for label in labels if label.isVisible())

    # hands

    def click(self, widget: QWidget, at: QPoint | None = None) -> None:
        """Click a widget in its middle, or at a position of it."""
        point = self._reach(widget, at)
        QTest.mouseClick(widget.viewport() if isinstance(widget, Plot) else widget, _LEFT, _NO_KEYS, point)

    def double_click(self, widget: QWidget, at: QPoint) -> None:
        """Double-click a position of a widget."""
        point = self._reach(widget, at)
        QTest.mouseClick(widget, _LEFT, _NO_KEYS, point)
        QTest.mouseDClick(widget, _LEFT, _NO_KEYS, point)
        QTest.mouseRelease(widget, _LEFT, _NO_KEYS, point)

    def choose_station(self, index: int) -> None:
        """Click a station in the list of stations."""
        button = self.card.stations_button
        self._reach(button, None)
        menu = button.menu()
        menu.popup(button.mapToGlobal(QPoint(0, button.height())))
        self.until(menu.isVisible)
        QTest.mouseClick(menu, _LEFT, _NO_KEYS, menu.actionGeometry(menu.actions()[index]).center())

    def write(self, text: str) -> None:
        """Click the text field, select what is there and type another text."""
        field = self.window.frame.bar.text
        self.click(field)
        QTest.keyClick(field, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
        self.type_letters(field, text)

    def type_letters(self, field: QWidget, text: str) -> None:
        """Type letters of any script."""
        for letter in text:
            for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
                QApplication.sendEvent(field, QKeyEvent(kind, Qt.Key.Key_unknown, _NO_KEYS, letter))

    def _reach(self, widget: QWidget, at: QPoint | None) -> QPoint:
        """Return the position within the widget, in sight: scrolled to by the wheel if it has to be."""
        point = widget.rect().center() if at is None else at
        assert widget.isVisible(), f"{widget} is hidden"
        assert widget.isEnabled(), f"{widget} is disabled"
        for _ in range(_TURNS):  # what has just been shown gets its place in the next turns of the event loop
            if self._is_under(widget, point):
                return point
            QApplication.processEvents()
        self._scroll_to(widget, point)
        found = self.window.childAt(widget.mapTo(self.window, point))
        assert self._is_under(widget, point), f"{widget} at {point} is covered by {found}"
        return point

    def _is_under(self, widget: QWidget, point: QPoint) -> bool:
        top = widget.window()
        found = top.childAt(widget.mapTo(top, point))
        return found is widget or (found is not None and widget.isAncestorOf(found))

    def _scroll_to(self, widget: QWidget, point: QPoint) -> None:
        area: QWidget | None = widget.parentWidget()
        while area is not None and not isinstance(area, QScrollArea):
            area = area.parentWidget()
        if not isinstance(area, QScrollArea):
            return
        self.scrolled.append(_words_of(widget))
        viewport = area.viewport()
        for _ in range(60):
            y = widget.mapTo(viewport, point).y()
            if y - 8 >= 0 and y + 8 < viewport.height():
                return
            middle = QPointF(viewport.rect().center())
            turned = QPoint(0, 60 if y < viewport.height() // 2 else -60)
            none, phase = Qt.MouseButton.NoButton, Qt.ScrollPhase.NoScrollPhase
            where = viewport.mapToGlobal(middle)
            QApplication.sendEvent(
                viewport, QWheelEvent(middle, where, QPoint(), turned, none, _NO_KEYS, phase, False)
            )

    # answers

    def form(self, kind: type[_Form]) -> _Form:
        """The form of the task."""
        (found,) = (each for each in self.card.task.findChildren(kind) if each.isVisible())
        return found

    def answer_wrong(self) -> None:
        """Give a wrong answer, or do something else than what is asked."""
        task, run = self.task, self.run
        if isinstance(task, ChoiceTask):
            self._choose((task.right + 1) % len(task.options))
        elif isinstance(task, NumbersTask):
            self._fill([number + 2 * task.within + 1 for number in task.right(run)])
        elif isinstance(task, OrderTask):
            self._check_order()
        elif isinstance(task, TokenTask):
            self._wait_for_analysis(task)
            run = self.run
            # One that is not the token of the task, which shows its lines and answers nothing.
            others = set(range(run.trace.n_tokens)) - task.answer.positions(run)
            if task.answer.query is not None:
                others -= {run.find(task.answer.query)}
            self.click_token(max(others))
        elif isinstance(task, HeadTask):
            values = task.answer.values(run)
            order = np.argsort(values if not task.answer.least else -values, axis=None, kind="stable")
            self.click_head(*divmod(int(order[0]), values.shape[1]))
        else:
            self.do_something_else()

    def answer_right(self) -> None:
        """Give the right answer."""
        task, run = self.task, self.run
        if isinstance(task, ChoiceTask):
            self._choose(task.right)
        elif isinstance(task, NumbersTask):
            self._fill(list(task.right(run)))
        elif isinstance(task, OrderTask):
            self._sort()
            self._check_order()
        elif isinstance(task, TokenTask):
            self._wait_for_analysis(task)
            self.click_token(min(task.answer.positions(self.run)))
        elif isinstance(task, HeadTask):
            self.click_head(*task.answer.heads(run)[0])
        elif isinstance(task, DoTask):
            self.do_it(task)

    def click_token(self, token: int) -> None:
        """Click a chip of the strip, or of the large picture that stands in its place."""
        chips, picture = self.large_chips, self.window.main_area.middle.picture
        plots = [] if picture is None else picture.findChildren(PaintedPlot)
        if chips is not None:
            self.click(chips, chips.chip(token).center().toPoint())
        elif plots:
            self.click(plots[0], plots[0].place_of(token).toPoint())
        else:
            self.click(self.window.main_area.strip, self.chip(token))

    def roll_the_dice(self) -> None:
        """Roll the dice of the large picture many times."""
        self.click(expect(DicePicture, self.window.main_area.middle.picture).many)

    @property
    def large_chips(self) -> Chips | None:
        """The large chips of the station; None where its picture has none."""
        picture = self.window.main_area.middle.picture
        return None if picture is None else next(iter(picture.findChildren(Chips)), None)

    def hide_token(self, token: int) -> None:
        """Double-click a token, large or in the strip."""
        chips, strip = self.large_chips, self.window.main_area.strip
        if chips is None:
            self.double_click(strip, self.chip(token))
        else:
            self.double_click(chips, chips.chip(token).center().toPoint())

    def chip(self, token: int) -> QPoint:
        """Return a position within the chip of a token."""
        strip = self.window.main_area.strip
        xs = [x for x in range(strip.width()) if strip.token_at(x) == token]
        return QPoint(xs[len(xs) // 2], strip.height() // 3)

    def click_head(self, layer: int, head: int) -> None:
        """Click a head in the large picture, else in the overview."""
        picture = self.window.main_area.middle.picture
        if picture is not None:
            tiles = picture.findChildren(HeadTiles)[0]
            self.click(tiles, tiles.place_of((layer, head)).toPoint())
            return
        view = self.window.main_area.cards.overview.view
        self.click(view, view.cell_rect(layer, head).center().toPoint())

    def do_something_else(self) -> None:
        """Do something that is not what the task asks for."""
        task = self.task
        assert isinstance(task, DoTask)
        if task.done.of in ("an unknown token", "text has"):
            self.write("A cat")
            self._settle_text()
        elif task.done.of == "predicted class":
            self.write("정말 좋은 영화")
            self._settle_text()
        elif task.done.of == "a token hidden":
            self.click_token(1)
        elif task.done.of == "text makes":
            few = self.task_number in ("n_repeated", "n_unknown")
            self.write("dog" if few else "the dog saw the cat")
            self._settle_text()

    @property
    def task_number(self) -> str:
        """The number that the claim of a task is about; "" where it has none."""
        claim = self.task.done.claim if isinstance(self.task, DoTask) else None
        return "" if claim is None else claim.left.of

    def do_it(self, task: DoTask) -> None:
        """Do what the task asks for; a training is only begun."""
        texts = {
            "text changed": "Dogs run",
            "an unknown token": "A cat 虎",
            "text has": f"A cat ate the fish because {task.done.text}",
            "predicted class": "정말 지루하고 재미없는 영화",
            "text makes": {"n_repeated": "the dog saw the cat", "n_unknown": "A 虎 and Ж and 龍"}.get(
                self.task_number, "saw the dog"
            ),
        }
        acts: dict[str, Callable[[], None]] = {
            "drawn": self.roll_the_dice,
            "a token hidden": lambda: self.hide_token(2),
            "a claim": self._make_claim_true,
            "a head muted": self._mute_head,
            "stage": self._go_on,
            "state": self._drag_layers,
            "trained": lambda: self.click(self.card.task.training.button),
        }
        if task.done.of in texts:
            self.write(texts[task.done.of])
        else:
            acts[task.done.of]()

    def _mute_head(self) -> None:
        tiles = not_none(self.window.main_area.middle.picture).findChildren(HeadTiles)[0]
        self.click(tiles, tiles.place_of((0, 2)).toPoint())

    def _go_on(self) -> None:
        """Click the joined vector."""
        plot = self._shown(StripRows)
        self.until(lambda: plot.count > 0)
        joined = next(at for at, strip in enumerate(plot.strips) if strip.is_highlighted)
        self.click(plot, plot.place_of(joined).toPoint())

    def _drag_layers(self) -> None:
        (slider,) = self._shown(StatesPicture).findChildren(QSlider)
        slider.setValue(slider.maximum())

    def _make_claim_true(self) -> None:
        """Hide words, or drag the slider of the divisor."""
        number = self.task_number
        if number == "n_masked":
            for token in (2, 3, 4):
                if self.run.trace.tokens.pieces[token] != "[MASK]" and self.run.number(_N_MASKED) < 3:
                    self.hide_token(token)
                    self._settle_text()
            return
        area = self.window.main_area.middle
        if number == "shown_query":
            (plot,) = area.findChildren(ColumnsPlot)
            self.until(lambda: plot.product is not None)
            best = int(not_none(plot.product).results.argmax())
            self.click(plot, plot.place_of((0, best)).toPoint())
            return
        slider = next(each for each in area.findChildren(QSlider) if each.isVisible())
        slider.setValue(slider.minimum() if number == "tried_weight" else slider.maximum())

    def _shown(self, kind: type[_View]) -> _View:
        """Return the view of this kind that is on screen."""
        return next(each for each in self.window.findChildren(kind) if each.isVisible())

    def _wait_for_analysis(self, task: TokenTask) -> None:
        """Look at the result of the analysis that the task is about, once it is there."""
        key = task.answer.analysis
        self.until(lambda: key is None or key in self.run.analysed)

    def _settle_text(self) -> None:
        workspace = self.window.app_state.workspace
        self.until(lambda: workspace.is_current and not workspace.is_busy)

    def _choose(self, option: int) -> None:
        self.click(self.form(ChoiceForm).buttons[option])

    def _fill(self, numbers: list[float]) -> None:
        form = self.form(NumbersForm)
        for field, number in zip(form.fields, numbers, strict=True):
            self.click(field)
            QTest.keyClick(field, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
            digits = 0 if number == round(number) else max(2, 3 - math.floor(math.log10(abs(number))))
            self.type_letters(field, f"{number:.{digits}f}")
        (check,) = form.findChildren(QPushButton)
        self.click(check)

    def _check_order(self) -> None:
        self.click(self.form(OrderForm).findChildren(QPushButton)[-1])

    def _sort(self) -> None:
        """Move each item up to where it belongs."""
        form = self.form(OrderForm)
        up = form.findChildren(QPushButton)[0]
        for to in range(len(form.order)):
            at = form.order.index(to)
            self.click(form.list.viewport(), form.list.visualItemRect(form.list.item(at)).center())
            for _ in range(at - to):
                self.click(up)

    # eyes

    def is_in_sight(self, widget: QWidget) -> bool:
        """Return whether a widget is on screen whole."""
        seen = widget.visibleRegion().boundingRect()
        return bool(widget.isVisible() and seen == widget.rect())

    def is_verdict_in_sight(self) -> bool:
        """Return whether what the card answers can be read without scrolling, or its beginning if long."""
        labels = [each for each in self.card.task.findChildren(QLabel, "verdict") if each.isVisible()]
        return all(not each.visibleRegion().isEmpty() and self.is_in_sight(each) for each in labels)

    def cut_labels(self) -> list[str]:
        """Return the texts of the card that have less room than they need."""
        return [
            label.text()
            for label in self.card.findChildren(QLabel)
            if label.isVisible()
            and (
                label.height() < label.heightForWidth(label.width())
                if label.wordWrap()
                else label.width() < label.sizeHint().width()
            )
        ]

    def place(self, widget: QWidget) -> QRect:
        """Return where a widget is in the window."""
        return QRect(widget.mapTo(self.window, QPoint(0, 0)), widget.size())


def _words_of(widget: QWidget) -> str:
    return widget.accessibleName() or str(getattr(widget, "text", lambda: "")()) or type(widget).__name__
