"""`BaseChoice`: the checkpoint that a training starts from: that of run A, or one chosen from a menu."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt, Slot
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QMenu, QWidget

from bertviz_app.viewmodels.runs.workspace import Workspace
from bertviz_app.viewmodels.training.training import Training


class BaseChoice(QObject):
    """Keeps the form of `training` on the checkpoint of run A until the user chooses one."""

    def __init__(self, page: QWidget, training: Training, workspace: Workspace) -> None:
        super().__init__(page)
        self._page = page
        self._training = training
        self._workspace = workspace
        workspace.facts_changed.connect(self._follow)
        self._follow()

    def menu(self) -> QMenu:
        """Return the menu of what a training can start from."""
        menu, form = QMenu(self._page), self._training.form
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.setToolTipsVisible(True)
        following = menu.addAction(self.tr("The checkpoint of run A"))
        following.setCheckable(True)
        following.setChecked(form.follows_run_a)
        following.triggered.connect(self._on_run_a_chosen)
        menu.addSeparator()
        for source in self._workspace.available.sources:
            action = menu.addAction(source.name)
            action.setToolTip(source.ref)
            action.setEnabled(source.problem is None)
            action.setCheckable(True)
            action.setChecked(not form.follows_run_a and form.base == source.ref)
            action.triggered.connect(
                lambda _=False, ref=source.ref, name=source.name: self._choose(ref, name)
            )
        return menu

    @Slot(str)
    def ask(self, field: str) -> None:
        """Open the menu, if it is this field of the form that is to be chosen."""
        if field == "base":
            self.menu().popup(QCursor.pos())

    def _choose(self, ref: str, name: str) -> None:
        self._training.change(base=ref, base_name=name, follows_run_a=False)

    @Slot()
    def _on_run_a_chosen(self) -> None:
        self._training.change(follows_run_a=True)
        self._follow()

    @Slot()
    def _follow(self) -> None:
        workspace, follows = self._workspace, self._training.form.follows_run_a
        if follows and workspace.opening.pending is None and workspace.facts is not None:
            self._training.change(base=workspace.ref, base_name=workspace.facts.name)
