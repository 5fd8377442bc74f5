"""The form that asks what the files of a checkpoint leave open: each row of the table, on a fake engine."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QLabel, QLineEdit, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from bertviz_app.checkpoint.question_table import QUESTIONS
from bertviz_app.checkpoint.questions import Answers, AnswersError, FileModule, Questions, Value
from bertviz_app.views.bars.questions import AnswerForm
from bertviz_app.views.kit.look import Look
from tests.support.fakes import FACTS, HeldJobs
from tests.support.held_state import HeldQuestions

TYPED: dict[str, tuple[str, Value]] = {
    "n_heads": ("4", 4),
    "norm_eps": ("1e-5", 1e-5),
    "labels": ("bad, good", ("bad", "good")),
    "base": ("someone/base", "someone/base"),
    "lora_alpha": ("2", 2.0),
    "tokenizer": ("/a folder", "/a folder"),
}
ABOUT = Questions(
    32,
    n_classes=2,
    base="someone/base",
    rank=2,
    links=("/one", "/two", "/three", "/four"),
    parts=(FileModule("a", ((3, 2),), "query"),),
)


@pytest.fixture
def held(qapp: QApplication) -> HeldQuestions:
    return HeldQuestions(qapp, HeldJobs())


@pytest.fixture
def form(qtbot: QtBot, look: Look, held: HeldQuestions) -> Iterator[AnswerForm]:
    window = QWidget()
    qtbot.addWidget(window)
    field = QLineEdit(window)
    found = AnswerForm(look, held.answering, window)
    window.resize(900, 900)
    window.show()
    found.ask(field)
    yield found
    held.answering.cancel()


def _ask(held: HeldQuestions, *names: str, in_force: Answers | None = None) -> None:
    questions = Questions(
        **{field.name: getattr(ABOUT, field.name) for field in fields(ABOUT)}
        | {"names": names, "in_force": in_force or Answers()}
    )
    held.engine.errors["mine"] = AnswersError("", "", questions)
    held.open("mine")


def test_there_is_a_row_for_every_answer() -> None:
    assert {*QUESTIONS} == {field.name for field in fields(Answers)}
    assert {name for name, one in QUESTIONS.items() if one.is_typed} == {*TYPED}


@pytest.mark.parametrize("name", [name for name in QUESTIONS if name != "parts"])
def test_a_question_is_shown_alone_and_answered(held: HeldQuestions, form: AnswerForm, name: str) -> None:
    _ask(held, name)
    form.show()
    row = form.questions.by_name[name]
    assert [one for one, shown in form.questions.by_name.items() if shown.isVisible()] == [name]
    assert all(label.text() for label in (row.title, row.meaning))
    given: list[Value] = []
    if name in TYPED:
        form.take_cursor()
        QTest.keyClicks(form.questions.typed[name].field, TYPED[name][0])
        assert row.verdict.property("tone") == ""
        given.append(TYPED[name][1])
    else:
        button = row.findChildren(QPushButton)[1]
        assert button.toolTip()
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)
        given.append(QUESTIONS[name].choices[0].value)
    assert QUESTIONS[name].accepts(given[0])
    QTest.mouseClick(form.open_button, Qt.MouseButton.LeftButton)
    held.work()
    assert held.engine.answered == [("mine", Answers(**{name: given[0]}))]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "offers"),
    [
        ("norm_eps", ["1e-12", "1e-5", "1e-6"]),
        ("base", ["someone/base"]),
        ("lora_alpha", ["0", "1", "2", "4"]),
        ("labels", []),
    ],
)
def test_what_is_offered_is_typed_by_a_click(
    held: HeldQuestions, form: AnswerForm, name: str, offers: list[str]
) -> None:
    _ask(held, name)
    form.show()
    row = form.questions.typed[name]
    shown = [button for button in row.offers if button.isVisible()]
    assert [button.text() for button in shown] == offers
    assert all(button.toolTip() for button in shown)
    for button in shown[-1:]:
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)
        assert row.field.text() == offers[-1]
        assert held.answering.typed.answers is not None


def test_what_is_in_force_is_filled_in_and_what_a_checkpoint_cannot_have_is_disabled(
    held: HeldQuestions, form: AnswerForm
) -> None:
    held.workspace.facts = replace(
        FACTS,
        questions=Questions(
            32,
            Answers(4, 1e-5, False, classifier_reads="mean"),
            ("n_heads", "norm_eps", "lower_case", "classifier_reads"),
            choices={"classifier_reads": ("first", "mean", "none")},
            seems_lower_case=True,
        ),
    )
    held.answering.ask_again()
    rows = form.questions
    assert [rows.typed[name].field.text() for name in ("n_heads", "norm_eps")] == ["4", "1e-5"]
    assert rows.by_name["lower_case"].verdict.text() == "Likely: its vocabulary has no capital letters."
    assert [rows.choices[name].choice.chosen_key for name in ("lower_case", "classifier_reads")] == [
        "False",
        "mean",
    ]
    buttons = [one for one in rows.choices["classifier_reads"].findChildren(QPushButton) if one.text()]
    assert [one.text() for one in buttons if not one.isEnabled()] == ["Pooled", "Maximum"]


def test_a_folder_is_chosen(held: HeldQuestions, form: AnswerForm, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: "/chosen")
    _ask(held, "tokenizer")
    form.show()
    row = form.questions.typed["tokenizer"]
    QTest.mouseClick(row.findChildren(QPushButton)[0], Qt.MouseButton.LeftButton)
    assert row.field.text() == "/chosen"


def test_the_links_are_named(held: HeldQuestions, form: AnswerForm) -> None:
    _ask(held, "links")
    assert "/one, /two, /three …" in form.questions.by_name["links"].meaning.text()
    assert any("settings of this program" in label.text() for label in form.findChildren(QLabel))
