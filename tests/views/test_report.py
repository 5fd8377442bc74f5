"""The report of a problem, and About: what is in them, and what is not unless the user says so."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QWidget

from bertviz_app.licences import Component, as_text, from_text, installed_components
from bertviz_app.shell.settings.appearance import read_palette
from bertviz_app.views.dialogs.report import AboutDialog, ReportDialog
from bertviz_app.views.kit.look import Look


@pytest.fixture
def window(qapp: QApplication) -> Iterator[QWidget]:
    widget = QWidget()
    yield widget
    widget.deleteLater()


@pytest.fixture
def dialog(window: QWidget) -> ReportDialog:
    return ReportDialog(Look(read_palette("light")), "BertViz App: report\n", ("A cat", "It slept"), window)


def test_what_was_typed_is_added_only_when_that_is_ticked_and_goes_again(dialog: ReportDialog) -> None:
    assert "cat" not in dialog.report.toPlainText()
    dialog.report.appendPlainText("I pressed Enter.")
    dialog.adds_text.click()
    assert dialog.report.toPlainText().endswith("My text:\nA cat\nIt slept\n")
    dialog.adds_text.click()
    text = dialog.report.toPlainText()
    assert "cat" not in text
    assert "I pressed Enter." in text, "what the user wrote stays"


def test_a_report_is_copied_and_saved_as_the_user_left_it(dialog: ReportDialog) -> None:
    saved: list[str] = []
    dialog.save_requested.connect(saved.append)
    dialog.report.setPlainText("Changed.")
    dialog.copy.click()
    assert QGuiApplication.clipboard().text() == "Changed."
    dialog.save.click()
    assert saved == ["Changed."]


def test_without_a_text_there_is_nothing_to_add(window: QWidget) -> None:
    assert not ReportDialog(Look(read_palette("light")), "x", (), window).adds_text.isEnabled()


def test_about_shows_the_licence_of_the_chosen_part(window: QWidget) -> None:
    about = AboutDialog(Look(read_palette("light")), window)
    with_text = Component("torch", "2.13.0", "BSD-3-Clause", (("LICENSE", "From PyTorch:"),))
    about.show_components([with_text, Component("other", "1", "MIT")])
    assert about.parts.item(0).text() == "torch 2.13.0: BSD-3-Clause"
    assert "From PyTorch:" in about.text.toPlainText()
    about.parts.setCurrentRow(1)
    assert "without" in about.text.toPlainText()


def test_every_package_that_is_needed_is_listed_with_a_licence() -> None:
    found = {each.name.lower().replace("_", "-"): each for each in installed_components()}
    assert {"torch", "pyside6-essentials", "shiboken6", "pyqtgraph", "tokenizers", "numpy", "sympy"} <= set(
        found
    )
    assert "pytest" not in found
    assert "bertviz-app" not in found
    assert [each.name for each in found.values() if each.licence == "see its text" and not each.texts] == []
    assert any("Permission is hereby granted" in text for _, text in found["pyqtgraph"].texts)


def test_the_file_of_a_bundle_is_read_back_as_it_was_written() -> None:
    components = [
        Component(
            "torch",
            "2.13.0+cpu",
            "Apache-2.0 AND BSD-3-Clause",
            (("LICENSE", "a: b"), ("NOTICE", "two\n\nlines")),
        ),
        Component("LGPL-3", "", "text", (("LGPL-3", "GNU LESSER"),)),
        Component("plain", "1.0", "MIT"),
    ]
    assert from_text("Words of ours.\n\n" + as_text(components)) == components
