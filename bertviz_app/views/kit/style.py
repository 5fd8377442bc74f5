"""The style sheet of the ordinary widgets, made from a look."""

from __future__ import annotations

import re
from typing import TypeVar

from PySide6.QtGui import QColor
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from bertviz_app import paths
from bertviz_app.views.kit.look import NUMBER_FAMILIES, TEXT_FAMILIES, Look

_Widget = TypeVar("_Widget", bound=QWidget)
_TOKEN = re.compile(r"@(\d+|[a-z]+(?:_[a-z]+)*)")


def style_sheet(look: Look) -> str:
    """Return `style.qss` with the colours and the lengths of `look`."""
    words = {
        "families": ", ".join(f'"{family}"' for family in TEXT_FAMILIES),
        "numbers": ", ".join(f'"{family}"' for family in NUMBER_FAMILIES),
        "theme": look.palette.name,
        "icons": (paths.resources() / "icons").as_posix(),
        "tint": look.colour("accent", 0.18).name(QColor.NameFormat.HexArgb),
    }

    def value(token: re.Match[str]) -> str:
        name = token[1]
        if name.isdecimal():
            return f"{look.pixels(int(name))}px"
        return words[name] if name in words else look.colour(name).name()

    sheet = (paths.resources() / "themes" / "style.qss").read_text(encoding="utf-8")
    return _TOKEN.sub(value, sheet[sheet.index("*/") + 2 :])


def named(widget: _Widget, name: str) -> _Widget:
    """Return `widget`, known to the style sheet as `name`."""
    widget.setObjectName(name)
    return widget


def restyle(widget: QWidget) -> None:
    """Have Qt look at the style sheet again after a dynamic property of `widget` changed."""
    style = widget.style()
    style.unpolish(widget)
    style.polish(widget)


def grow_with_text(button: QPushButton) -> None:
    """Let a button whose labels wrap be as high as their lines need."""
    policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
    policy.setHeightForWidth(True)
    button.setSizePolicy(policy)
