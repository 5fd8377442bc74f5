"""`picture_of`: the large picture that a scene names."""

from __future__ import annotations

from collections.abc import Mapping

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

_PICTURES: Mapping[Picture, type[LessonPicture]] = {
    "chips": ChipsPicture,
    "cut": CutPicture,
    "lookup": LookupPicture,
    "sum": SumPicture,
    "same_word": SameWordPicture,
    "mask": MaskPicture,
    "dice": DicePicture,
    "answer": AnswerPicture,
    "training": TrainingPicture,
    "arcs": ArcsPicture,
    "both_ways": BothWaysPicture,
    "steps": StepsPicture,
    "row": RowPicture,
    "looked_at": LookedAtPicture,
    "added": AddedPicture,
    "agreement": AgreementPicture,
    "padding": PaddingPicture,
    "product": ProductPicture,
    "roles": RolesPicture,
    "heads": HeadsPicture,
    "joined": JoinedPicture,
    "scores": ScoresPicture,
    "dropout": DropoutPicture,
    "residual": ResidualPicture,
    "lines": LinesPicture,
    "detector": DetectorPicture,
    "bend": BendPicture,
    "alike": AlikePicture,
    "states": StatesPicture,
    "pooler": PoolerPicture,
}


def picture_of(name: Picture, look: Look, pictures: LessonPictures) -> LessonPicture:
    """Return a new picture, which follows the station and the run on screen."""
    picture = _PICTURES[name](look, pictures)
    picture.name = name
    picture.refresh()
    return picture
