"""`NumbersState`: connects the switch of numbers in the bar with the options, and shows a refusal."""

from __future__ import annotations

from PySide6.QtCore import QObject, Slot

from bertviz_app.errors import AppError
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.wording import error_text
from bertviz_app.views.bars.buttons import NumbersPicker
from bertviz_app.views.kit.widgets import Notice, notice_area


class NumbersState(QObject):
    """Passes on what is chosen; a refusal stays until it is closed or others than weights are chosen."""

    def __init__(self, app_state: AppState, picker: NumbersPicker) -> None:
        super().__init__(picker)
        self._options = app_state.options
        self._picker = picker
        self._notice: Notice | None = None
        picker.kind_chosen.connect(self._on_kind_chosen)
        picker.special_chosen.connect(self._options.treat_special_tokens)
        app_state.options.changed.connect(self._show)
        app_state.numbers_refused.connect(self._on_refused)
        self._show()

    @Slot()
    def _show(self) -> None:
        stamp = self._options.value.stamp
        self._picker.show_stamp(stamp)
        if self._notice is not None and stamp.numbers != "weight":
            self._notice.dismiss()

    @Slot(str)
    def _on_kind_chosen(self, kind: str) -> None:
        self._options.choose("numbers", kind)

    @Slot(object)
    def _on_refused(self, error: AppError) -> None:
        if self._notice is None:
            self._notice = Notice(notice_area(self._picker.window()))
        self._notice.retranslate()
        instead = self.tr("Attention weights are shown instead.")
        self._notice.show_message(f"{error_text(error)} {instead}", None, "warning")
