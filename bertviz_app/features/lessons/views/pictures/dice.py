"""What the dice of the pre-training choose in a text: a word that is hidden, swapped, or kept."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from PySide6.QtWidgets import QPushButton

from bertviz_app.features.lessons.course.lesson import Scene
from bertviz_app.features.lessons.state.pictures import BECOME_MASK, BECOME_RANDOM, Fate, LessonPictures
from bertviz_app.features.lessons.views.pictures.bars import BarList, ShownBar, TitledBars
from bertviz_app.features.lessons.views.pictures.chips import Chips
from bertviz_app.features.lessons.views.pictures.lesson_picture import AROUND, LessonPicture
from bertviz_app.viewmodels.runs.run import written
from bertviz_app.views.kit.layouts import in_column, in_row
from bertviz_app.views.kit.look import Look

_COLOURS: Mapping[Fate, str] = MappingProxyType({"mask": "accent", "swap": "sentence_b", "keep": "right"})
_SHARES: Mapping[Fate, float] = MappingProxyType(
    {"mask": BECOME_MASK, "swap": BECOME_RANDOM, "keep": 1 - BECOME_MASK - BECOME_RANDOM}
)
_MANY = 100


class DicePicture(LessonPicture):
    """The text with the chosen tokens framed, and below it how often each fate came up so far."""

    def __init__(self, look: Look, pictures: LessonPictures) -> None:
        super().__init__(look, pictures)
        self.chips = Chips(look, pictures.selection, has_numbers=False)
        self.counts = TitledBars(look)
        self.again, self.many = QPushButton(self.tr("Roll again")), QPushButton(self.tr("Roll 100 times"))
        self.again.clicked.connect(lambda: pictures.draw_again())
        self.many.clicked.connect(lambda: pictures.draw_again(_MANY))
        foot = in_row(self.again, self.many, 1, spacing=12)
        in_column(self.title, self.chips, foot, (self.counts, 1), of=self, margins=AROUND, spacing=20)
        self.setFocusProxy(self.again)

    def show_scene(self, scene: Scene) -> None:
        found, tokens = self.pictures.of_now(self.pictures.rolled), self.pictures.tokens
        if found is None or tokens is None:
            return
        before = {at: written(tokens, at) for at, fate in found.fates.items() if fate != "keep"}
        marked = {at: _COLOURS[fate] for at, fate in found.fates.items()}
        self.chips.show_tokens(found.tokens, None, before, marked)
        words = self.tr("The dice choose {0} of {1} tokens, 15 %. The model has to guess what was there.")
        self.title.setText(words.format(len(found.fates), int((~tokens.is_special).sum())))
        so_far = sum(found.counts.values())
        names: Mapping[Fate, str] = {
            "mask": self.tr("hidden: [MASK]"),
            "swap": self.tr("swapped for another"),
            "keep": self.tr("left as it is"),
        }
        bars = [
            ShownBar(
                names[fate], n / so_far, f"{n:,}", _COLOURS[fate], is_highlighted=True, before=_SHARES[fate]
            )
            for fate, n in found.counts.items()
        ]
        words = self.tr("{0} tokens chosen so far. Broken line: 80, 10 and 10 %")
        self.counts.show_list(BarList(words.format(f"{so_far:,}"), bars, n_rows=4))
