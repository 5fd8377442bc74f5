"""The names of the special tokens of a checkpoint in `views.overview`, `views.steps` and `views.vectors`."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from bertviz_app.analysis.measures import KEYS, head_overview
from bertviz_app.text.tokens import SpecialNames
from bertviz_app.trace import Trace
from bertviz_app.viewmodels.overview_options import OverviewOptions
from bertviz_app.viewmodels.panels import Panels
from bertviz_app.viewmodels.steps import words as step_words
from bertviz_app.viewmodels.steps.stops import Stop
from bertviz_app.views.kit.look import Look
from bertviz_app.views.overview.card import OverviewCard
from bertviz_app.views.overview.heads_model import HeadsModel
from bertviz_app.views.overview.measure_words import measure_words
from bertviz_app.views.overview.view import numbers_of
from bertviz_app.views.steps.formula import parse
from tests.support.factories import make_trace
from tests.support.scene import on_screen
from tests.support.steps_scene import StepsScene
from tests.support.vector_scene import VectorScene, scene

__all__ = ["scene"]

ROBERTA = SpecialNames("<s>", "</s>")
TIP, SHOWN = Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.DisplayRole


@pytest.fixture
def roberta() -> Trace:
    trace = make_trace(6)
    pieces = {"[CLS]": "<s>", "[SEP]": "</s>"}
    tokens = replace(trace.tokens, pieces=tuple(pieces.get(piece, piece) for piece in trace.tokens.pieces))
    return replace(trace, tokens=tokens)


@pytest.mark.usefixtures("qapp")
def test_measures_have_the_names() -> None:
    words = measure_words(ROBERTA)
    assert (words["first"].title, words["first"].column) == ("Weight on <s>", "<s>")
    assert (words["separator"].title, words["separator"].column) == ("Weight on </s>", "</s>")
    assert not any("CLS" in word.meaning or "SEP" in word.meaning for word in words.values())
    assert measure_words()["first"].title == "Weight on [CLS]"


def test_the_columns_of_the_table_follow_the_checkpoint(qtbot: QtBot, roberta: Trace) -> None:
    model, column = HeadsModel(), KEYS.index("first") + 1
    model.show_overview(head_overview(make_trace(6)))
    assert model.headerData(column, Qt.Orientation.Horizontal, SHOWN) == "[CLS]"
    with qtbot.waitSignal(model.headerDataChanged):
        model.show_overview(head_overview(roberta))
    assert model.headerData(column, Qt.Orientation.Horizontal, SHOWN) == "<s>"
    assert "&lt;s&gt;" in str(model.headerData(column, Qt.Orientation.Horizontal, TIP))


def test_the_overview_follows_the_checkpoint(qtbot: QtBot, look: Look, roberta: Trace) -> None:
    options, panels = OverviewOptions(), Panels()
    panels.set_size(2, 3)
    card = on_screen(qtbot, OverviewCard(look, panels, options), 500, 420)
    options.change(shows="first")
    card.show_overview(head_overview(make_trace(6)))
    assert card.shows.text() == "Weight on [CLS]"
    card.show_overview(head_overview(roberta))
    assert card.shows.text() == "Weight on <s>"
    table = str(numbers_of(head_overview(roberta), (0, 0)))
    assert "Weight on <s>" in table
    assert "CLS" not in table


def test_steps_end_in_the_first_token_by_its_name(qtbot: QtBot, look: Look, roberta: Trace) -> None:
    scene = StepsScene(qtbot, look, trace=roberta)
    scene.finish()
    scene.view.walk.go(Stop(roberta.n_layers, "first"))
    QApplication.processEvents()
    assert scene.view.heading.accessibleName() == "<s> of the last layer"
    assert "<s> of the last layer" in scene.view.bar.accessibleDescription()
    assert step_words.sign("first", first="<s>") == "\\t{<s>}"


def test_a_name_is_no_formula() -> None:
    sign = step_words.sign("first", first="{a_b}\\frac^")
    assert sign == "\\t{abfrac}"
    (node,) = parse(sign).parts
    assert node.kind == "upright"


def test_vectors_name_the_first_token(roberta: Trace, scene: VectorScene) -> None:
    scene.show(make_trace(6))
    assert "[CLS]" in _buttons(scene)
    scene.show(roberta)
    assert "<s>" in _buttons(scene)
    assert "[CLS]" not in _buttons(scene)
    assert scene.view.stack.cls.heat.accessibleName().startswith("<s> in every layer")


def _buttons(scene: VectorScene) -> list[str]:
    return [button.text() for button in scene.view.choice.findChildren(QPushButton)]
