"""That every text people read below the window is a message, and that each message has a translation."""

from __future__ import annotations

import ast
from pathlib import Path

import pyqtgraph
import pytest
from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QApplication

from bertviz_app.shell.settings import Language
from tests.architecture.shown_words import not_messages, source, templates, words_of_pyqtgraph
from tests.support.module_facts import Module, modules_of, parse

ERRORS = "class AppError(Exception): ...\nclass FileError(AppError): ...\n"


def _modules(text: str, name: str) -> list[Module]:
    return [parse("bertviz_app.errors", ERRORS), parse(name, text)]


def test_every_text_for_people_is_a_message() -> None:
    assert not_messages(modules_of("bertviz_app")) == []


def test_every_message_has_a_korean_translation_with_the_same_fields(qapp: QApplication) -> None:
    language = Language(qapp)
    language.choose("ko")
    fields = [f"{{{number}}}" for number in range(9)]
    try:
        for template in templates(modules_of("bertviz_app")):
            korean = QCoreApplication.translate("Errors", template)
            assert any("가" <= character <= "힣" for character in korean), template
            assert all((field in korean) == (field in template) for field in fields), korean
    finally:
        language.choose("en")


def test_the_words_of_pyqtgraph_are_those_that_it_shows() -> None:
    folder = Path(pyqtgraph.__file__).parent
    files = (
        "graphicsItems/ViewBox/ViewBoxMenu.py",
        "graphicsItems/ViewBox/axisCtrlTemplate_generic.py",
        "GraphicsScene/GraphicsScene.py",
        "GraphicsScene/exportDialogTemplate_generic.py",
        "exporters/ImageExporter.py",
        "exporters/CSVExporter.py",
    )
    shown = {
        text.value
        for file in files
        for text in ast.walk(ast.parse((folder / file).read_text(encoding="utf-8")))
        if isinstance(text, ast.Constant)
    }
    assert {text for _, text in words_of_pyqtgraph()} <= shown


def test_the_words_of_pyqtgraph_have_a_korean_translation(qapp: QApplication) -> None:
    language = Language(qapp)
    language.choose("ko")
    try:
        for context, text in words_of_pyqtgraph():
            korean = QCoreApplication.translate(context, text)
            assert text == "%" or any("가" <= character <= "힣" for character in korean), (context, text)
    finally:
        language.choose("en")


def test_templates_are_found_once_and_in_order() -> None:
    text = 'raise FileError(Message("{0} is b.", n), Message("Do c."))\nlist = [errors.Message("Do c.")]'
    assert templates(_modules(text, "bertviz_app.trace.sample")) == ("Do c.", "{0} is b.")


@pytest.mark.parametrize(
    ("text", "n_found"),
    [
        ('raise AppError("A b.", "Do c.")', 2),
        ('raise errors.FileError(message="A b.", hint=Message("Do c."))', 1),
        ('raise FileError(f"{n} are many.")', 1),
        ('raise FileError("It is " + n)', 1),
        ('raise FileError(Message("A."), Message("B.") if n else "C.")', 1),
        ('notices.append("Left out.")', 1),
        ('raise FileError(Message(f"No {n}."))', 1),
        ('raise FileError(Message("No {0}.", n), "")', 0),
        ("raise FileError(message)", 0),
        ('raise ValueError("no word for people")', 0),
        ('names.append("left out")', 0),
    ],
)
def test_a_text_that_is_no_message_is_found(text: str, n_found: int) -> None:
    assert len(not_messages(_modules(text, "bertviz_app.trace.sample"))) == n_found


def test_what_only_the_command_line_shows_may_be_plain() -> None:
    assert not_messages(_modules('raise FileError("A b.")', "bertviz_app.cli.sample")) == []


def test_the_module_for_the_translator_reads_back_as_it_was() -> None:
    texts = ('A "b" {0}', "long " * 60, "it's “c”\n")
    calls = [node for node in ast.walk(ast.parse(source(texts))) if isinstance(node, ast.Call)]
    assert tuple(ast.literal_eval(call.args[1]) for call in calls) == texts
