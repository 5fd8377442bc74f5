"""`ExportMenus`: the buttons in the headers of the cards, and the menus that they open."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QEvent, QObject, QPoint, Slot
from PySide6.QtWidgets import QMenu, QPushButton, QWidget

from bertviz_app.viewmodels.panels import Panels
from bertviz_app.views.kit.canvas import MenuRequest, guarded
from bertviz_app.views.kit.card import Card
from bertviz_app.views.kit.look import named

if TYPE_CHECKING:
    from bertviz_app.shell.window.main_area import MainArea
    from bertviz_app.views.panels.area import PanelArea


class CardExports(Protocol):
    """What can be done with one card."""

    def copy_picture(self, card: Card) -> None:
        """Copy the picture of the card to the clipboard."""

    def ask_for_picture(self, card: Card) -> None:
        """Ask for a file and write the picture of the card into it."""

    def ask_for_numbers(self, card: Card) -> None:
        """Ask for a file and write the numbers of the card into it."""

    def copy_python(self, card: Card) -> None:
        """Copy the lines of Python that compute what the card shows."""


class ExportMenus(QObject):
    """Gives cards a button: `add` one, `follow` those of the main area, whose panels come and go."""

    def __init__(self, exports: CardExports, window: QWidget) -> None:
        super().__init__(window)
        self._exports = exports
        self._window = window
        self._area: PanelArea | None = None
        self._buttons: dict[QPushButton, Card] = {}

    def follow(self, main_area: MainArea, panels: Panels) -> None:
        """Give every card of the main area a button, panels that are opened later too.

        Interventions have none: they are controls, and what they change is written on all other pictures.
        """
        for card in main_area.cards:
            if card is not main_area.cards.interventions:
                self.add(card)
        self._area = main_area.area
        panels.changed.connect(self._add_to_panels)
        self._add_to_panels()

    @property
    def buttons(self) -> tuple[QPushButton, ...]:
        return tuple(self._buttons)

    @Slot()
    def _add_to_panels(self) -> None:
        for card in () if self._area is None else self._area.cards.values():
            if card not in self._buttons.values():
                self.add(card)

    def add(self, card: Card, *, has_python: bool = True) -> None:
        """Give a card a button; `has_python`: lines of Python compute what it shows."""
        button = named(QPushButton("⋯"), "plain")
        button.clicked.connect(
            lambda: self.open_menu(
                card, button.mapToGlobal(QPoint(0, button.height())), has_python=has_python
            )
        )
        card.add_switch(button)
        card.installEventFilter(self)
        card.destroyed.connect(lambda: self._buttons.pop(button, None))
        self._buttons[button] = card
        self._name(button)

    def retranslate(self) -> None:
        for button in self._buttons:
            self._name(button)

    def _name(self, button: QPushButton) -> None:
        button.setToolTip(self.tr("Copy or save this picture and its numbers"))
        button.setAccessibleName(button.toolTip())

    @guarded(default=False)
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Offer in the menu of each plot in a card to save the picture and the numbers of the card."""
        if isinstance(event, MenuRequest) and isinstance(watched, Card):
            exports = self._exports
            event.savers += [
                (self.tr("Save the picture …"), lambda: exports.ask_for_picture(watched)),
                (self.tr("Save the numbers …"), lambda: exports.ask_for_numbers(watched)),
            ]
        return False

    def open_menu(self, card: Card, at: QPoint, *, has_python: bool = True) -> QMenu:
        """Open the menu of a card at a point of the screen."""
        menu = QMenu(self._window)
        menu.aboutToHide.connect(menu.deleteLater)
        for text, keys, run in (
            (self.tr("Copy the picture"), "Ctrl+C", self._exports.copy_picture),
            (self.tr("Save the picture …"), "Ctrl+S", self._exports.ask_for_picture),
            (self.tr("Save the numbers …"), "Ctrl+Shift+S", self._exports.ask_for_numbers),
            (self.tr("Copy as Python"), "Ctrl+Shift+P", self._exports.copy_python),
        ):
            if run == self._exports.copy_python and not has_python:
                continue
            action = menu.addAction(f"{text}\t{keys}")
            action.triggered.connect(lambda _=False, run=run: run(card))
        menu.popup(at)
        return menu
