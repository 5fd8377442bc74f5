"""`Problem`: what the user gave cannot be used, and which field it is in."""

from __future__ import annotations

from dataclasses import dataclass

from bertviz_app.errors import AppError, DeviceError, TextError


@dataclass(frozen=True)
class Problem:
    """What the user gave cannot be used; `field` is where: "text", "pair", "model" or "device".

    That a checkpoint could not be opened (`is_of_opening`) is shown until the user goes on, not only until
    a text that was waiting is encoded with the old one; `ref` is then the checkpoint.
    """

    field: str
    error: AppError
    is_of_opening: bool = False
    ref: str | None = None


def field_of(error: AppError) -> str:
    """Return the field that `error` is about."""
    if isinstance(error, DeviceError):
        return "device"
    return error.field if isinstance(error, TextError) else "model"
