"""The settings of a picture as they are given on the command line, NAME=VALUE, put on the window's state."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from bertviz_app.errors import SelectionError
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.options import DrawOptions, OverviewChoice

_YES, _NO = ("yes", "true", "on", "1"), ("no", "false", "off", "0")


def put_settings(app_state: AppState, settings: tuple[tuple[str, str], ...]) -> None:
    """Set what `settings` name of `DrawOptions` and `OverviewChoice`. Raises SelectionError."""
    for name, text in settings:
        target = app_state.options if name in _names(DrawOptions) else app_state.overview
        if name not in _names(DrawOptions) + _names(OverviewChoice):
            known = ", ".join(sorted(_names(DrawOptions) + _names(OverviewChoice)))
            raise SelectionError(f"There is no setting “{name}”.", f"There are: {known}.")
        try:
            target.change(**{name: _value(getattr(target.value, name), name, text)})
        except ValueError as error:
            raise SelectionError(f"“{name}={text}” cannot be: {error}.", "Give it another value.") from error


def _names(options: type[DrawOptions] | type[OverviewChoice]) -> tuple[str, ...]:
    return tuple(field.name for field in fields(options))


def _value(before: object, name: str, text: str) -> Any:
    """Return `text` as what the field holds."""
    if isinstance(before, bool):
        if text.lower() not in (*_YES, *_NO):
            raise ValueError(f"{name} is yes or no")
        return text.lower() in _YES
    if before is None or isinstance(before, float):
        try:
            return float(text)
        except ValueError as error:
            raise ValueError(f"{name} is a number") from error
    return text
