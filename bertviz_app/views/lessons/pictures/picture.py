"""`picture_of`: the large picture that a scene names."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from bertviz_app.learning.lessons.lesson import Picture
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.learning.pictures import LessonPictures
from bertviz_app.viewmodels.learning.player import LessonPlayer
from bertviz_app.views.kit.look import Look
from bertviz_app.views.lessons.pictures.answer import AnswerPicture
from bertviz_app.views.lessons.pictures.chips import ChipsPicture
from bertviz_app.views.lessons.pictures.dropout import DropoutPicture
from bertviz_app.views.lessons.pictures.heads import HeadsPicture
from bertviz_app.views.lessons.pictures.lesson_picture import LessonPicture
from bertviz_app.views.lessons.pictures.lookup import LookupPicture
from bertviz_app.views.lessons.pictures.mask import MaskPicture
from bertviz_app.views.lessons.pictures.padding import PaddingPicture
from bertviz_app.views.lessons.pictures.product import ProductPicture
from bertviz_app.views.lessons.pictures.roles import RolesPicture
from bertviz_app.views.lessons.pictures.scores import ScoresPicture
from bertviz_app.views.lessons.pictures.training import TrainingPicture
from bertviz_app.views.lessons.pictures.weights import AddedPicture, LookedAtPicture, RowPicture

_PLAIN: tuple[type[LessonPicture], ...] = (
    *(ProductPicture, RowPicture, ScoresPicture, PaddingPicture, DropoutPicture, AddedPicture),
    *(RolesPicture, LookedAtPicture),
)
"""Those that need nothing but the numbers."""


def picture_of(name: Picture, look: Look, app_state: AppState, player: LessonPlayer) -> LessonPicture:
    """Return a new picture, which follows the station and the run on screen."""
    pictures, selection, editing = player.pictures, app_state.selection, app_state.editing
    plain: Mapping[str, Callable[[Look, LessonPictures], LessonPicture]] = {
        each.name: each for each in _PLAIN
    }
    match name:
        case "chips":
            picture: LessonPicture = ChipsPicture(look, pictures, selection)
        case "lookup":
            picture = LookupPicture(look, pictures, selection)
        case "mask":
            picture = MaskPicture(look, pictures, selection, editing)
        case "answer":
            picture = AnswerPicture(look, pictures, selection)
        case "training":
            picture = TrainingPicture(look, pictures, player.trainings)
        case "heads":
            picture = HeadsPicture(look, pictures, editing)
        case _:
            picture = plain[name](look, pictures)
    picture.refresh()
    return picture
