"""`picture_of`: the large picture that a scene names."""

from __future__ import annotations

from bertviz_app.learning.lessons.lesson import Picture
from bertviz_app.viewmodels.learning.pictures import LessonPictures
from bertviz_app.views.kit.look import Look
from bertviz_app.views.lessons.pictures.answer import AnswerPicture
from bertviz_app.views.lessons.pictures.chips import ChipsPicture
from bertviz_app.views.lessons.pictures.dice import DicePicture
from bertviz_app.views.lessons.pictures.dropout import DropoutPicture
from bertviz_app.views.lessons.pictures.heads import HeadsPicture
from bertviz_app.views.lessons.pictures.lesson_picture import LessonPicture
from bertviz_app.views.lessons.pictures.lines import LinesPicture
from bertviz_app.views.lessons.pictures.lookup import LookupPicture
from bertviz_app.views.lessons.pictures.mask import MaskPicture
from bertviz_app.views.lessons.pictures.padding import PaddingPicture
from bertviz_app.views.lessons.pictures.product import ProductPicture
from bertviz_app.views.lessons.pictures.roles import RolesPicture
from bertviz_app.views.lessons.pictures.scores import ScoresPicture
from bertviz_app.views.lessons.pictures.training import TrainingPicture
from bertviz_app.views.lessons.pictures.vectors import DetectorPicture, PoolerPicture
from bertviz_app.views.lessons.pictures.weights import AddedPicture, AlikePicture, LookedAtPicture, RowPicture

_PICTURES: tuple[type[LessonPicture], ...] = (
    *(ChipsPicture, LookupPicture, RolesPicture, ProductPicture, RowPicture, LookedAtPicture, AddedPicture),
    *(LinesPicture, DetectorPicture, AlikePicture, PoolerPicture),
    *(ScoresPicture, PaddingPicture, HeadsPicture, DropoutPicture),
    *(MaskPicture, DicePicture, AnswerPicture, TrainingPicture),
)


def picture_of(name: Picture, look: Look, pictures: LessonPictures) -> LessonPicture:
    """Return a new picture, which follows the station and the run on screen."""
    kind = next(each for each in _PICTURES if each.name == name)
    picture = kind(look, pictures)
    picture.refresh()
    return picture
