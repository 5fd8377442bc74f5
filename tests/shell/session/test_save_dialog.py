"""`ask_where_to_save`: a file whose name gets its ending after the dialog is not replaced unasked."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget
from pytestqt.qtbot import QtBot

from bertviz_app.shell.session import ask_where_to_save


@pytest.fixture
def window(qtbot: QtBot) -> QWidget:
    window = QWidget()
    qtbot.addWidget(window)
    return window


@pytest.mark.parametrize("answer", ["", "Keep it", "Replace"])
def test_a_file_with_the_ending_is_asked_about(
    window: QWidget, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str
) -> None:
    asked: list[str] = []

    def choose(box: QMessageBox) -> int:
        asked.append(box.text())
        next(button for button in box.buttons() if button.text() == answer).click()
        return 0

    def ask(typed: str, ending: str | None = ".bva") -> Path | None:
        monkeypatch.setattr(
            QFileDialog, "getSaveFileName", lambda *_: (typed, "CSV (*.csv)" if typed else "")
        )
        return ask_where_to_save(window, "Save", "", "", ending)

    monkeypatch.setattr(QMessageBox, "exec", choose)
    saved = tmp_path / "lecture.bva"
    assert ask("") is None
    assert ask(str(saved)) == saved
    assert ask(str(tmp_path / "lecture")) == saved
    assert ask(str(tmp_path / "numbers"), None) == tmp_path / "numbers.csv"
    assert asked == [], "nothing would be replaced, or the dialog has asked"
    if answer:
        saved.touch()
        assert ask(str(tmp_path / "lecture")) == (saved if answer == "Replace" else None)
        assert asked == ["lecture.bva exists already. Replace it?"]
