"""The views of panels: what each is called and can show; `views.panels.registry` says how it is drawn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import MappingProxyType

Translate = Callable[[str, str], str]
"""`QCoreApplication.translate`; an argument because the command line reads this table and needs no Qt."""


@dataclass(frozen=True)
class PanelWords:
    """`title`: of the button that chooses the view. `qualifier`: beside the panel's title, "" for none.

    `command`: of the command that shows the view; "" where there is none.
    """

    title: str
    tool_tip: str
    command: str = ""
    qualifier: str = ""


@dataclass(frozen=True)
class PanelKind:
    """What one view shows. `key` is in session files, file names and on the command line.

    `words` are looked up in the language in force, `shortcut` is the key of the command that shows the view.
    `shows`: "attention", or the names of the kinds of results (`analysis.results`) that it can show.
    `has_difference`: it can show run A minus run B. `is_of_head`: it shows one head, else a whole run.
    `draws_many_heads`: it can draw several heads of a layer at once. `has_options`: `DrawOptions` change it.
    `needs_picture`: it draws a `HeadPicture`; any other kind is shown as soon as the run is there.
    """

    key: str
    words: Callable[[Translate], PanelWords]
    shortcut: str = ""
    shows: tuple[str, ...] = ("attention",)
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


def _parameters(translate: Translate) -> PanelWords:
    return PanelWords(
        translate("PanelCard", "Parameters"),
        translate("PanelCard", "Every matrix and vector of the checkpoint (E)"),
        translate("Commands", "Show the parameters in the panel"),
    )


def _grid(translate: Translate) -> PanelWords:
    return PanelWords(
        translate("PanelCard", "Grid"),
        translate("PanelCard", "A cell for each head, or token: layers down"),
    )


def _ranking(translate: Translate) -> PanelWords:
    return PanelWords(
        translate("PanelCard", "Ranking"),
        translate("PanelCard", "A row for each head, the one that changes most first; Enter shows the head"),
    )


def _reasons(translate: Translate) -> PanelWords:
    return PanelWords(
        translate("PanelCard", "Explained"),
        translate("PanelCard", "The parts of one number, largest first, and what they add up to"),
    )


def _head_map(translate: Translate) -> PanelWords:
    return PanelWords(
        translate("PanelCard", "Map of heads"),
        translate("PanelCard", "A dot for each head: near each other where they attend alike"),
    )


def _bars(translate: Translate) -> PanelWords:
    return PanelWords(translate("PanelCard", "Bars"), translate("PanelCard", "A bar for each token"))


def _pieces(translate: Translate) -> PanelWords:
    return PanelWords(
        translate("PanelCard", "Pieces"),
        translate("PanelCard", "The likeliest piece of each token in each hidden state"),
    )


def _table(translate: Translate) -> PanelWords:
    return PanelWords(translate("PanelCard", "Table"), translate("PanelCard", "The numbers as a table"))


_MATRICES = ("attention", "HeadMatrices", "TokenMatrices")
_KINDS = (
    PanelKind("lines", _lines, "L", _MATRICES, draws_many_heads=True, has_options=True),
    PanelKind("matrix", _matrix, "M", _MATRICES, has_options=True),
    PanelKind("steps", _steps, "P", has_difference=False, needs_picture=False),
    PanelKind("vectors", _vectors, "V", is_of_head=False, needs_picture=False),
    PanelKind("parameters", _parameters, "E", is_of_head=False, needs_picture=False),
)
_RESULT_KINDS = (
    PanelKind("ranking", _ranking, shows=("HeadRanking",), is_of_head=False, needs_picture=False),
    PanelKind("grid", _grid, shows=("HeadScalars", "OutcomeMap"), is_of_head=False, needs_picture=False),
    PanelKind("bars", _bars, shows=("TokenScalars",), is_of_head=False, needs_picture=False),
    PanelKind("headmap", _head_map, shows=("HeadMap",), is_of_head=False, needs_picture=False),
    PanelKind(
        "reasons",
        _reasons,
        shows=("ScoreParts", "LogitParts", "LayerRankings", "MethodAgreement"),
        is_of_head=False,
        needs_picture=False,
    ),
    PanelKind("pieces", _pieces, shows=("LayerRankings",), is_of_head=False, needs_picture=False),
    PanelKind("table", _table, shows=(), is_of_head=False, needs_picture=False),
)
PANEL_KINDS: MappingProxyType[str, PanelKind] = MappingProxyType({kind.key: kind for kind in _KINDS})
"""The views of attention and of a run by their keys, in the order in which a panel's header offers them."""

ALL_KINDS: MappingProxyType[str, PanelKind] = MappingProxyType(
    PANEL_KINDS | {kind.key: kind for kind in _RESULT_KINDS}
)
"""These, and the views of results of analyses that are no matrices."""


def kinds_for(shown: tuple[str, ...]) -> tuple[PanelKind, ...]:
    """Return the views of "attention", or of a result whose class and its base classes are called `shown`.

    A result of any kind but matrices is shown as a table, too.
    """
    found = tuple(kind for kind in ALL_KINDS.values() if set(kind.shows) & set(shown))
    return found if any(kind.needs_picture for kind in found) else (*found, ALL_KINDS["table"])
