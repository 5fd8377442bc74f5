"""`picture_of`: the large picture that a scene names."""

from __future__ import annotations

from collections.abc import Mapping

from bertviz_app.features.lessons.course.lesson import Picture
from bertviz_app.features.lessons.state.pictures import LessonPictures
from bertviz_app.features.lessons.views.pictures.attention import (
    AddedPicture,
    AgreementPicture,
    AlikePicture,
    ArcsPicture,
    BothWaysPicture,
    HeadsPicture,
    LookedAtPicture,
    PaddingPicture,
    RowPicture,
)
from bertviz_app.features.lessons.views.pictures.lesson_picture import LessonPicture
from bertviz_app.features.lessons.views.pictures.numbers import (
    DropoutPicture,
    LinesPicture,
    LookupPicture,
    SameWordPicture,
    SumPicture,
)
from bertviz_app.features.lessons.views.pictures.predictions import (
    AnswerPicture,
    DicePicture,
    MaskPicture,
    TrainingPicture,
)
from bertviz_app.features.lessons.views.pictures.steps import (
    ProductPicture,
    RolesPicture,
    ScoresPicture,
    StepsPicture,
)
from bertviz_app.features.lessons.views.pictures.tokens import ChipsPicture, CutPicture
from bertviz_app.features.lessons.views.pictures.vectors import (
    BendPicture,
    DetectorPicture,
    JoinedPicture,
    PoolerPicture,
    ResidualPicture,
    StatesPicture,
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
