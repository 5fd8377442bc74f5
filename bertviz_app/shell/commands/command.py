"""`Command`: what it is called, its keys, and what it does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bertviz_app.shell.commands.other_names import OTHER_NAMES
from bertviz_app.views.dialogs.palette import PaletteEntry
from bertviz_app.views.kit.canvas import Translated

Action = Callable[[], None]


@dataclass(frozen=True)
class Command:
    """`keys` in Qt's words; `is_shown_only` keys are handled where they are pressed, not as a shortcut.

    `more_keys` do the same and are not shown; `also` is found in the palette, too; `group` is the title it
    stands under in the menu, `subgroup` that of a menu within it, if there are many.
    """

    text: str
    keys: str
    run: Action
    is_shown_only: bool = False
    more_keys: tuple[str, ...] = ()
    group: str = ""
    subgroup: str = ""
    also: str = ""

    @property
    def entry(self) -> PaletteEntry:
        english = self.text.english if isinstance(self.text, Translated) else self.text
        names = f"{english} {self.also} {OTHER_NAMES.get(english, '')}"
        return PaletteEntry(self.text, self.shown_keys, self.run, names)

    @property
    def shown_keys(self) -> str:
        """The keys as people read them."""
        arrows = {"Left": "←", "Right": "→", "Up": "↑", "Down": "↓"}
        *modifiers, key = self.keys.split("+") if self.keys != "+" else ["+"]
        return "+".join([*modifiers, arrows.get(key, key)])
