"""`NumbersPicker`: the switch between the numbers of attention that all views show, in the bar."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Signal, SignalInstance
from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QWidget

from bertviz_app.analysis.attention.stamp import NUMBERS_KINDS, SPECIAL_TOKENS, WEIGHTS, Stamp
from bertviz_app.viewmodels.wording import kind_title, kind_words, special_title
from bertviz_app.views.bars.picker_button import PickerButton
from bertviz_app.views.kit.look import Look


class NumbersPicker(PickerButton):
    """Shows which numbers are chosen, and whether special tokens are; its menu chooses both."""

    kind_chosen = Signal(str)
    special_chosen = Signal(str)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, 220, parent)
        self._stamp = WEIGHTS
        self.menu().aboutToShow.connect(self._fill)

    def show_stamp(self, stamp: Stamp) -> None:
        self._stamp = stamp
        mark = "" if stamp.special_tokens == "shown" else " *"
        special = "" if stamp.special_tokens == "shown" else special_title(stamp.special_tokens)
        self.set_texts(kind_title(stamp.numbers) + mark, special)
        self.setAccessibleName(
            self.tr("Numbers shown: {0}; {1}").format(
                kind_words(stamp.numbers), special_title(stamp.special_tokens)
            )
        )
        tip = self.tr("Which numbers of attention all views show (Shift+W), and special tokens (Ctrl+H)")
        self.setToolTip(f"{tip}\n{kind_words(stamp.numbers)}\n{special_title(stamp.special_tokens)}")

    def retranslate(self) -> None:
        self.show_stamp(self._stamp)

    def _fill(self) -> None:
        menu, stamp = self.menu(), self._stamp
        menu.clear()
        for former in menu.findChildren(QActionGroup):
            former.deleteLater()  # `clear` deletes the actions alone
        menu.setToolTipsVisible(True)
        for titles, chosen, signal in (
            ({key: kind_words(key) for key in NUMBERS_KINDS}, stamp.numbers, self.kind_chosen),
            ({key: special_title(key) for key in SPECIAL_TOKENS}, stamp.special_tokens, self.special_chosen),
        ):
            menu.addSeparator()
            group = QActionGroup(menu)
            for key, words in titles.items():
                action = menu.addAction(words)
                action.setCheckable(True)
                action.setChecked(key == chosen)
                action.triggered.connect(partial(_emit, signal, key))
                group.addAction(action)


def _emit(signal: SignalInstance, key: str, _: bool = False) -> None:
    signal.emit(key)
