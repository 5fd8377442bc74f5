"""`LessonPicture`: what the large pictures of lessons have in common."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from bertviz_app.viewmodels.learning.pictures import LessonPictures


class LessonPicture(QWidget):
    """A picture of the numbers of `pictures`, which `refresh` shows, again whenever they have changed."""

    def __init__(self, pictures: LessonPictures) -> None:
        super().__init__()
        self._pictures = pictures
        pictures.changed.connect(self.refresh)

    def refresh(self) -> None:
        """Show the numbers as they are now."""
        raise NotImplementedError
