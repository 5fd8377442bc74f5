"""Words on screen are written again in another language, by every widget that keeps some."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from bertviz_app.views.kit.words import plain, retranslate_all, without_mnemonic, write_prose
from tests.support.module_facts import modules_of


class Greeting(QLabel):
    """Greets in the language of the day."""

    language = "en"

    def retranslate(self) -> None:
        self.setText({"en": "Hello", "ko": "안녕"}[self.language])


def test_every_widget_that_keeps_words_writes_them_again(qtbot: QtBot) -> None:
    root = QWidget()
    qtbot.addWidget(root)
    middle = QWidget(root)
    greetings = [Greeting(root), Greeting(middle)]
    for greeting in greetings:
        greeting.language = "ko"
    retranslate_all(root)
    assert [greeting.text() for greeting in greetings] == ["안녕", "안녕"]


def test_no_method_of_that_name_takes_arguments() -> None:
    """A protocol that is checked at run time looks at names alone."""
    methods = [
        (module.where(function), len(function.args.args))
        for folder in ("bertviz_app/views", "bertviz_app/shell")
        for module in modules_of(folder)
        for function in module.functions()
        if function.name == "retranslate"
    ]
    assert len(methods) > 30
    assert [where for where, n_arguments in methods if n_arguments != 1] == []


def test_a_tool_tip_does_not_take_a_token_for_a_tag() -> None:
    assert plain("the token [CLS]") == "the token [CLS]"
    assert plain("the token <s>\n& more") == "<qt>the token &lt;s&gt;<br>&amp; more</qt>"
    assert plain("the token &lt;") == "<qt>the token &amp;lt;</qt>"


def test_an_ampersand_on_a_button_is_no_mnemonic(qtbot: QtBot) -> None:
    button = QPushButton(without_mnemonic("AT&T → &"))
    qtbot.addWidget(button)
    assert button.text() == "AT&&T → &&"
    assert button.shortcut().isEmpty()


def test_indices_and_powers_are_set_and_vectors_are_not_broken(qtbot: QtBot) -> None:
    label = QLabel()
    qtbot.addWidget(label)
    write_prose(label, "x <s> has W_Q,\nand 1 / e^−4.5.")
    assert label.textFormat() == Qt.TextFormat.RichText
    assert label.text() == "x &lt;s&gt; has W<sub>Q</sub>,<br>and 1 / e<sup>−4.5</sup>."
    write_prose(label, "where d = 32 and q = [1, 2], a word = 3")
    assert label.text() == "where d\xa0=\xa032 and q\xa0=\xa0[1,\xa02], a word = 3"
    write_prose(label, "one of d × 4d, 4 × 768, rows × columns")
    assert label.text() == "one of d\xa0×\xa04d, 4\xa0×\xa0768, rows × columns"
    write_prose(label, "W_Q를, a_b_c")
    assert label.text() == "W<sub>Q</sub>를, a_b_c"
    write_prose(label, "[0, 3] and <b>, snake_case")
    assert label.textFormat() == Qt.TextFormat.PlainText
    assert label.text() == "[0,\xa03] and <b>, snake_case"
