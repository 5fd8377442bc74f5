"""`picture_of`: the large picture that a scene names."""

from __future__ import annotations

from collections.abc import Mapping

from bertviz_app.features.lessons.course.lesson import Picture
from bertviz_app.features.lessons.state.pictures import LessonPictures
from bertviz_app.features.lessons.views.pictures import (
    attention,
    numbers,
    predictions,
    steps,
    tokens,
    vectors,
)
from bertviz_app.features.lessons.views.pictures.lesson_picture import LessonPicture
from bertviz_app.views.kit.look import Look

_PICTURES: Mapping[Picture, type[LessonPicture]] = {
    "chips": tokens.ChipsPicture,
    "cut": tokens.CutPicture,
    "lookup": numbers.LookupPicture,
    "sum": numbers.SumPicture,
    "same_word": numbers.SameWordPicture,
    "mask": predictions.MaskPicture,
    "dice": predictions.DicePicture,
    "answer": predictions.AnswerPicture,
    "training": predictions.TrainingPicture,
    "arcs": attention.ArcsPicture,
    "both_ways": attention.BothWaysPicture,
    "steps": steps.StepsPicture,
    "row": attention.RowPicture,
    "looked_at": attention.LookedAtPicture,
    "added": attention.AddedPicture,
    "agreement": attention.AgreementPicture,
    "padding": attention.PaddingPicture,
    "product": steps.ProductPicture,
    "roles": steps.RolesPicture,
    "heads": attention.HeadsPicture,
    "joined": vectors.JoinedPicture,
    "scores": steps.ScoresPicture,
    "dropout": numbers.DropoutPicture,
    "residual": vectors.ResidualPicture,
    "lines": numbers.LinesPicture,
    "detector": vectors.DetectorPicture,
    "bend": vectors.BendPicture,
    "alike": attention.AlikePicture,
    "states": vectors.StatesPicture,
    "pooler": vectors.PoolerPicture,
}


def picture_of(name: Picture, look: Look, pictures: LessonPictures) -> LessonPicture:
    """Return a new picture, which follows the station and the run on screen."""
    picture = _PICTURES[name](look, pictures)
    picture.name = name
    picture.refresh()
    return picture
