"""`picture_of`: the large picture that a scene names."""

from __future__ import annotations

from bertviz_app.features.lessons.course.lesson import Picture
from bertviz_app.features.lessons.state.pictures import LessonPictures
from bertviz_app.features.lessons.views.pictures.answer import AnswerPicture
from bertviz_app.features.lessons.views.pictures.attention import ArcsPicture, BothWaysPicture
from bertviz_app.features.lessons.views.pictures.chips import ChipsPicture
from bertviz_app.features.lessons.views.pictures.cut import CutPicture
from bertviz_app.features.lessons.views.pictures.dice import DicePicture
from bertviz_app.features.lessons.views.pictures.dropout import DropoutPicture
from bertviz_app.features.lessons.views.pictures.heads import HeadsPicture
from bertviz_app.features.lessons.views.pictures.lesson_picture import LessonPicture
from bertviz_app.features.lessons.views.pictures.lines import LinesPicture
from bertviz_app.features.lessons.views.pictures.lookup import LookupPicture
from bertviz_app.features.lessons.views.pictures.mask import MaskPicture
from bertviz_app.features.lessons.views.pictures.padding import PaddingPicture
from bertviz_app.features.lessons.views.pictures.product import ProductPicture
from bertviz_app.features.lessons.views.pictures.roles import RolesPicture
from bertviz_app.features.lessons.views.pictures.scores import ScoresPicture
from bertviz_app.features.lessons.views.pictures.states import StatesPicture
from bertviz_app.features.lessons.views.pictures.steps import StepsPicture
from bertviz_app.features.lessons.views.pictures.strips import SameWordPicture, SumPicture
from bertviz_app.features.lessons.views.pictures.training import TrainingPicture
from bertviz_app.features.lessons.views.pictures.vectors import (
    BendPicture,
    DetectorPicture,
    JoinedPicture,
    PoolerPicture,
    ResidualPicture,
)
from bertviz_app.features.lessons.views.pictures.weights import (
    AddedPicture,
    AgreementPicture,
    AlikePicture,
    LookedAtPicture,
    RowPicture,
)
from bertviz_app.views.kit.look import Look

_PICTURES: tuple[type[LessonPicture], ...] = (
    *(ChipsPicture, CutPicture, LookupPicture, SumPicture, SameWordPicture, RolesPicture, ProductPicture),
    *(ArcsPicture, BothWaysPicture, StepsPicture, RowPicture, LookedAtPicture, AddedPicture),
    *(ResidualPicture, LinesPicture, DetectorPicture, BendPicture, AlikePicture, PoolerPicture),
    *(AgreementPicture, ScoresPicture, PaddingPicture, HeadsPicture, JoinedPicture, DropoutPicture),
    *(StatesPicture, MaskPicture, DicePicture, AnswerPicture, TrainingPicture),
)


def picture_of(name: Picture, look: Look, pictures: LessonPictures) -> LessonPicture:
    """Return a new picture, which follows the station and the run on screen."""
    kind = next(each for each in _PICTURES if each.name == name)
    picture = kind(look, pictures)
    picture.refresh()
    return picture
