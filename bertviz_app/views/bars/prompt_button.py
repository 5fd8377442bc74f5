"""`PromptButton`: the prompts of a sentence-transformers checkpoint, in the bars before sentence 1."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QLineEdit, QMenu, QPushButton, QSizePolicy, QWidget

from bertviz_app.checkpoint.questions import Prompt
from bertviz_app.views.kit.words import plain, without_mnemonic

_LONGEST = 60


class PromptButton(QPushButton):
    """Writes the chosen prompt before what is typed in `field`, and names the one that stands there.

    None is ever written unless it is chosen. Hidden where the checkpoint has none. While the field is empty
    the text is the inherited one, that of another run.
    """

    def __init__(self, field: QLineEdit, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._field = field
        self._prompts: tuple[Prompt, ...] = ()
        self._inherited = ""
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.setMenu(QMenu(self))
        self.menu().aboutToShow.connect(self._fill)
        field.textChanged.connect(self.retranslate)
        self.hide()
        self.retranslate()

    @property
    def written(self) -> Prompt | None:
        """The longest prompt that the text begins with, None if it begins with none."""
        found = [prompt for prompt in self._prompts if self._text.startswith(prompt.text)]
        return max(found, key=lambda prompt: len(prompt.text), default=None)

    @property
    def _text(self) -> str:
        return self._field.text() or self._inherited

    def set_prompts(self, prompts: Sequence[Prompt], inherited: str = "") -> None:
        """Offer these prompts; `inherited` is the text that is read while the field is empty."""
        self._prompts, self._inherited = tuple(prompts), inherited
        self.setVisible(bool(prompts))
        self.retranslate()

    def write(self, prompt: Prompt | None) -> None:
        """Write a prompt before the text, in the place of the current one; None takes that away."""
        current = self.written
        if prompt == current:
            return
        text = self._text.removeprefix("" if current is None else current.text)
        self._field.setText(("" if prompt is None else prompt.text) + text)

    @Slot()
    def retranslate(self) -> None:
        current = self.written
        name = self.tr("Prompt") if current is None else self.tr("Prompt: {0}").format(current.name)
        self.setText(without_mnemonic(name))
        self.setAccessibleName(name)
        words = self.tr(
            "Texts that the checkpoint's authors put before a sentence; none is added unless you choose it"
        )
        self.setToolTip(words)

    @Slot()
    def _fill(self) -> None:
        menu, current = self.menu(), self.written
        menu.clear()
        menu.setToolTipsVisible(True)
        for prompt in (None, *self._prompts):
            if prompt is None:
                action = menu.addAction(self.tr("No prompt"))
            else:
                brief = prompt.text if len(prompt.text) <= _LONGEST else f"{prompt.text[:_LONGEST]} …"
                action = menu.addAction(without_mnemonic(f"{prompt.name}: {brief}"))
                action.setToolTip(plain(prompt.text))
            action.setCheckable(True)
            action.setChecked(prompt == current)
            action.triggered.connect(lambda _=False, prompt=prompt: self.write(prompt))
