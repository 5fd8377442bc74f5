"""The kinds of panels: what each is called and can show; `views.panels.registry` says how each is drawn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import MappingProxyType

Translate = Callable[[str, str], str]
"""`QCoreApplication.translate`; handed over, because the command line reads this table and needs no Qt."""


@dataclass(frozen=True)
class PanelWords:
    """`title`: of the button that chooses the view. `qualifier`: beside the panel's title, "" for none."""

    title: str
    tool_tip: str
    command: str
    qualifier: str = ""


@dataclass(frozen=True)
class PanelKind:
    """What one view shows. `key` is in session files, file names and on the command line.

    `words` are looked up in the language in force, `shortcut` is the key of the command that shows the view.
    `has_difference`: it can show run A minus run B. `is_of_head`: it shows one head, else a whole run.
    `draws_many_heads`: it can draw several heads of a layer at once. `has_options`: `DrawOptions` change it.
    `needs_picture`: it draws a `HeadPicture`; any other kind is shown as soon as the run is there.
    """

    key: str
    words: Callable[[Translate], PanelWords]
    shortcut: str
    has_difference: bool = True
    is_of_head: bool = True
    draws_many_heads: bool = False
    has_options: bool = False
    needs_picture: bool = True


def _lines(translate: Translate) -> PanelWords:
    return PanelWords(
        translate("PanelCard", "Lines"),
        translate("PanelCard", "A line from each query to each key (L)"),
        translate("Commands", "Draw the panel as lines"),
        translate("PanelCard", "queries → keys"),
    )


def _matrix(translate: Translate) -> PanelWords:
    return PanelWords(
        translate("PanelCard", "Matrix"),
        translate("PanelCard", "A cell for each query and key (M)"),
        translate("Commands", "Draw the panel as a matrix"),
        translate("PanelCard", "rows look at columns"),
    )


def _steps(translate: Translate) -> PanelWords:
    return PanelWords(
        translate("PanelCard", "Steps"),
        translate("PanelCard", "The arithmetic, step by step (P)"),
        translate("Commands", "Show the steps in the panel"),
    )


def _vectors(translate: Translate) -> PanelWords:
    return PanelWords(
        translate("PanelCard", "Vectors"),
        translate("PanelCard", "Hidden states and the pooled vector (V)"),
        translate("Commands", "Show the vectors in the panel"),
    )


_KINDS = (
    PanelKind("lines", _lines, "L", draws_many_heads=True, has_options=True),
    PanelKind("matrix", _matrix, "M", has_options=True),
    PanelKind("steps", _steps, "P", has_difference=False, needs_picture=False),
    PanelKind("vectors", _vectors, "V", is_of_head=False, needs_picture=False),
)
PANEL_KINDS: MappingProxyType[str, PanelKind] = MappingProxyType({kind.key: kind for kind in _KINDS})
"""Every kind by its key, in the order in which the header of a panel offers them."""
