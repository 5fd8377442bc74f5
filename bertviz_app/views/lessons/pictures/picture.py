"""`picture_of`: the large picture that a scene names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from PySide6.QtWidgets import QWidget

from bertviz_app.learning.lessons.lesson import Picture
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.learning.pictures import LessonPictures
from bertviz_app.viewmodels.learning.player import LessonPlayer
from bertviz_app.views.kit.look import Look
from bertviz_app.views.lessons.pictures.added import AddedPicture
from bertviz_app.views.lessons.pictures.answer import AnswerPicture
from bertviz_app.views.lessons.pictures.before_after import HeadsPicture, RowPicture
from bertviz_app.views.lessons.pictures.chips import ChipsPicture
from bertviz_app.views.lessons.pictures.dropout import DropoutPicture
from bertviz_app.views.lessons.pictures.looked_at import LookedAtPicture
from bertviz_app.views.lessons.pictures.lookup import LookupPicture
from bertviz_app.views.lessons.pictures.mask import MaskPicture
from bertviz_app.views.lessons.pictures.padding import PaddingPicture
from bertviz_app.views.lessons.pictures.product import ProductPicture
from bertviz_app.views.lessons.pictures.roles import RolesPicture
from bertviz_app.views.lessons.pictures.scores import ScoresPicture
from bertviz_app.views.lessons.pictures.training import TrainingPicture

_PLAIN: Mapping[str, Callable[[Look, LessonPictures], QWidget]] = MappingProxyType(
    {
        "product": ProductPicture,
        "row": RowPicture,
        "scores": ScoresPicture,
        "padding": PaddingPicture,
        "dropout": DropoutPicture,
        "added": AddedPicture,
        "roles": RolesPicture,
        "looked_at": LookedAtPicture,
    }
)
"""Those that need nothing but the numbers."""


def picture_of(name: Picture, look: Look, app_state: AppState, player: LessonPlayer) -> QWidget:
    """Return a new picture, which follows the station and the run on screen."""
    pictures, selection, editing = player.pictures, app_state.selection, app_state.editing
    match name:
        case "chips":
            return ChipsPicture(look, pictures, selection)
        case "lookup":
            return LookupPicture(look, pictures, selection)
        case "mask":
            return MaskPicture(look, pictures, selection, editing)
        case "answer":
            return AnswerPicture(look, pictures, selection)
        case "training":
            return TrainingPicture(look, pictures, player.trainings)
        case "heads":
            return HeadsPicture(look, pictures, editing)
        case _:
            return _PLAIN[name](look, pictures)
