"""The dialogs in which a set of interventions is given a name, or another one."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QInputDialog, QLineEdit, QWidget

from bertviz_app.text.edits import Edits
from bertviz_app.viewmodels.interventions import Interventions, NamedEdits
from bertviz_app.views.kit.style import named
from bertviz_app.views.kit.words import plain


def ask_for_new_name(parent: QWidget, interventions: Interventions, edits: Edits) -> None:
    """Have the user name these edits."""
    translate = QCoreApplication.translate
    dialog = _dialog(
        parent,
        translate("InterventionsView", "Name this set"),
        translate("InterventionsView", "Name of the interventions that are on:"),
        lambda name: (
            translate("InterventionsView", "This name replaces the set that has it.")
            if interventions.set_named(name)
            else ""
        ),
    )
    dialog.textValueSelected.connect(lambda name: interventions.name(name, edits))
    dialog.open()


def ask_for_other_name(parent: QWidget, interventions: Interventions, one: NamedEdits) -> None:
    """Have the user give a set another name."""
    translate = QCoreApplication.translate
    dialog = _dialog(
        parent,
        translate("InterventionsView", "Rename the set"),
        translate("InterventionsView", "New name of the set “{0}”:").format(one.name),
        lambda name: (
            translate("InterventionsView", "Another set has this name.")
            if interventions.set_named(name) not in (None, one)
            else ""
        ),
    )
    dialog.setTextValue(one.name)
    dialog.textValueSelected.connect(partial(interventions.rename_set, one))
    dialog.open()


def _dialog(parent: QWidget, title: str, question: str, remark: Callable[[str], str]) -> QInputDialog:
    """Return a dialog for a name; below the question is what `remark` returns of the name that is typed."""
    dialog = QInputDialog(parent)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.setWindowTitle(title)
    dialog.setLabelText(plain(f"{question}\n"))
    if (field := dialog.findChild(QLineEdit)) is not None:
        named(field, "entry")
    dialog.finished.connect(lambda _: parent.setFocus())  # the button that opened it is made anew
    dialog.textValueChanged.connect(lambda name: dialog.setLabelText(plain(f"{question}\n{remark(name)}")))
    return dialog
