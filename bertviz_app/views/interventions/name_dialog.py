"""`ask_for_name`: the dialog in which a set of interventions is given a name."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QInputDialog, QLineEdit, QWidget

from bertviz_app.views.kit.style import named


def ask_for_name(
    parent: QWidget,
    words: tuple[str, str],
    name: str,
    remark: Callable[[str], str],
    put: Callable[[str], None],
) -> None:
    """Have the user give a name; `words` are the title and the question, `name` is what the field has.

    What `remark` returns of the name that is typed stands below the question.
    """
    dialog = QInputDialog(parent)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    title, question = words
    dialog.setWindowTitle(title)
    dialog.setLabelText(f"{question}\n")
    dialog.setTextValue(name)
    if (field := dialog.findChild(QLineEdit)) is not None:
        named(field, "entry")
    dialog.textValueChanged.connect(lambda typed: dialog.setLabelText(f"{question}\n{remark(typed)}"))
    dialog.textValueSelected.connect(put)
    dialog.open()
