"""What the large pictures of lessons have in common: `LessonPicture`, and `DrawnPlot`, which draws one."""

from __future__ import annotations

from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, QVariantAnimation, Slot
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QLabel, QWidget

from bertviz_app.learning.lessons.lesson import Picture, Scene
from bertviz_app.types import Floats
from bertviz_app.viewmodels.learning.pictures import LessonPictures
from bertviz_app.viewmodels.viewport import signed_levels, usual_size
from bertviz_app.views.kit.look import Look, named, signed_table
from bertviz_app.views.kit.pencil import Pencil
from bertviz_app.views.plots.picture import PaintedPlot, Painting

Part = TypeVar("Part")
AROUND = (24, 16, 24, 16)
"""The margins of a picture."""


class LessonPicture(QWidget):
    """A picture of the numbers of `pictures`, which `show_scene` shows, again whenever they have changed."""

    name: ClassVar[Picture]

    def __init__(self, look: Look, pictures: LessonPictures) -> None:
        super().__init__()
        self.look = look
        self.pictures = pictures
        pictures.changed.connect(self.refresh)

    @Slot()
    def refresh(self) -> None:
        """Show the numbers as they are now, if the station has this picture."""
        scene = self.pictures.scene
        if scene is not None and scene.picture == self.name:
            self.show_scene(scene)

    def show_scene(self, scene: Scene) -> None:
        """Show the numbers of a scene, as far as they are there."""
        raise NotImplementedError


def title_label() -> QLabel:
    """Return a label for the words above a picture."""
    return named(QLabel(wordWrap=True), "pictureTitle")


def note_label() -> QLabel:
    """Return a label for the words below a picture."""
    return named(QLabel(wordWrap=True), "pictureNote")


class DrawnPlot(PaintedPlot[Part]):
    """A picture, not to be zoomed, that draws all of itself, with `images` of the numbers that it shows."""

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self.images: tuple[QImage, ...] = ()
        self._numbers: tuple[Floats, ...] = ()
        self._limit: float | None = None
        self._drawing = _Drawn(self)
        self._motion = QVariantAnimation(self, startValue=0.0, endValue=1.0)
        self._motion.valueChanged.connect(self.draw_anew)

    def play(self, milliseconds: int) -> None:
        """Draw again while `done` goes from 0 to 1; at once where nothing may move."""
        self._motion.stop()
        self._motion.setDuration(0 if self.look.reduces_motion else milliseconds)
        self._motion.start()

    @property
    def done(self) -> float:
        """How far the motion is, 1 at its end."""
        is_running = self._motion.state() == QVariantAnimation.State.Running
        return float(self._motion.currentValue()) if is_running else 1.0

    def draw_with(self, pencil: Pencil) -> None:
        """Draw everything, in pixels of the box."""
        raise NotImplementedError

    @property
    def room(self) -> QRectF:
        """Where it draws, in pixels of the box."""
        return self._drawing.rect()

    @Slot()
    def draw_anew(self) -> None:
        """Draw again, what has changed."""
        self._drawing.update()

    def show_numbers(self, *numbers: Floats, limit: float | None = None) -> None:
        """Have an image of each of these matrices of numbers [rows, columns].

        `limit` and more has full colour; without one, what is usual in the matrix.
        """
        self._numbers, self._limit = numbers, limit
        self.recolour()

    def mark_part(self, part: Part | None) -> None:
        self.draw_anew()

    def recolour(self) -> None:
        self.images = tuple(
            number_image(self.look, each, self._limit or usual_size(each)) for each in self._numbers
        )
        self.draw_anew()


class _Drawn(Painting[DrawnPlot[Any]]):
    def draw(self, painter: QPainter) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._plot.draw_with(Pencil(painter, self.look))


def number_image(look: Look, numbers: Floats, limit: float) -> QImage:
    """Return numbers [rows, columns] in the colours of signed numbers; `limit` and more have full colour."""
    levels: NDArray[np.uint8] = signed_levels(np.clip(np.asarray(numbers, np.float64) / limit, -1, 1))
    return image_of(signed_table(look)[levels])


def image_of(colours: NDArray[np.uint32]) -> QImage:
    """Return an image with a pixel for each of the colours [rows, columns]."""
    colours = np.ascontiguousarray(colours)
    height, width = colours.shape
    return QImage(colours.data, width, height, 4 * width, QImage.Format.Format_RGB32).copy()
