"""`Feature`: what a room of the program brings to a window; `features()` reads which rooms there are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

from bertviz_app.values import dataclass

if TYPE_CHECKING:
    from bertviz_app.shell.window.part import WindowPart
    from bertviz_app.shell.window.window import MainWindow

_ROOMS = "bertviz_app.features"


@dataclass(frozen=True)
class Feature:
    """A room beside the way from a text to a picture.

    `parts` makes what it has in a window, which is built but for them; it is called once for each window.
    """

    name: str
    parts: Callable[[MainWindow], Sequence[WindowPart]]


def features(*, is_safe: bool = False) -> tuple[Feature, ...]:
    """Return the rooms in the order in which they are listed; none if `is_safe`, or where they are absent."""
    if is_safe or find_spec(_ROOMS) is None:
        return ()
    found: tuple[Feature, ...] = import_module(f"{_ROOMS}.listed").FEATURES
    return found
