"""`ask_where_to_save`: lets the user name a file, and asks before another one is replaced."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget


def ask_where_to_save(
    window: QWidget, title: str, start: str, kinds: str, ending: str | None = None
) -> Path | None:
    """Return the path that the user gives, None if the dialog is cancelled.

    With `ending` the name has that one; without, it has that of the kind chosen where it has none. The dialog
    asks before it replaces a file of the name that was typed, and this asks for the one with the ending.
    """
    given, kind = QFileDialog.getSaveFileName(window, title, start, kinds)
    if not given:
        return None
    path = Path(given)
    of_kind = kind[kind.find("*.") + 1 : -1] if "*." in kind else Path(start).suffix
    has_ending = path.suffix if ending is None else path.suffix.lower() == ending
    if has_ending:
        return path
    path = path.with_name(path.name + (ending or of_kind))
    return None if path.exists() and not _may_replace(window, title, path) else path


def _may_replace(window: QWidget, title: str, path: Path) -> bool:
    translate = QCoreApplication.translate
    text = translate("SaveDialog", "{0} exists already. Replace it?").format(path.name)
    box = QMessageBox(QMessageBox.Icon.Question, title, text, parent=window)
    replace = box.addButton(translate("SaveDialog", "Replace"), QMessageBox.ButtonRole.AcceptRole)
    box.setDefaultButton(box.addButton(translate("SaveDialog", "Keep it"), QMessageBox.ButtonRole.RejectRole))
    box.exec()
    return box.clickedButton() is replace
