"""What a picture is asked to be, by names: its view, page and analysis, and settings of the window."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from bertviz_app.analysis.catalogue import analysis_with, find_analysis
from bertviz_app.analysis.parameters import parameters_of, read_parameters
from bertviz_app.analysis.picture import picture_named
from bertviz_app.analysis.results import Result
from bertviz_app.errors import FigureError, Message, SelectionError
from bertviz_app.figures import FigureChoice
from bertviz_app.options import CARDS, PanelPage
from bertviz_app.values import replace
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.panel import PANEL_KINDS, RETIRED, Content, PanelKind, views_of
from bertviz_app.viewmodels.state import DrawOptions, OverviewChoice

Settings = tuple[tuple[str, str], ...]
PANEL_PAGES = ("steps", "vectors", "parameters")
_VIEWS: dict[str, tuple[str, ...]] = {
    "stage": ("steps",),
    "products": ("steps",),
    "page": ("vectors", "parameters"),
    "state": ("vectors",),
    "parameter": ("parameters",),
    "output": ("parameters",),
}
"""The views that each field of a PanelPage is about."""
_YES, _NO = ("yes", "true", "on", "1"), ("no", "false", "off", "0")


def check_view(view: str, kind: str) -> None:
    """Raise AppError, before anything is computed, for a view that there is not, or that is no picture.

    `kind`: the view that an analysis is drawn as.
    """
    known = (*CARDS, *PANEL_KINDS)
    if view in known:
        if kind:
            message = Message("“{0}” is a view itself.", view)
            raise FigureError(message, Message("Leave out --as: it says how an analysis is drawn."))
        return
    if analysis_with(view) is None:
        hint = "There are: {0}; and the analyses that “bertviz-app analyses” lists, by their keys."
        raise FigureError(Message("There is no view “{0}”.", view), Message(hint, ", ".join(known)))
    kind_of(find_analysis(view).result, kind, view)


def check_page(page: PanelPage, view: str) -> None:
    """Raise SelectionError for what is chosen of another view than the one that is drawn."""
    for name in (field.name for field in fields(page)):
        if getattr(page, name) != getattr(PanelPage(), name) and view not in _VIEWS[name]:
            raise is_of(name, _VIEWS[name][0], view)


def is_of(name: str, view: str, other: str) -> SelectionError:
    """Return the error for an argument of a view, which `other` does not have."""
    message = Message("“{0}” is of the view “{1}”, not of “{2}”.", name, view, other)
    return SelectionError(message, Message("Leave it out, or draw that view."))


def kind_of(result: type[Result], view: str, name: str) -> PanelKind:
    """Return the view that draws results of this class: the one named `view`, else the first picture.

    `name`: of the analysis, for the error. Raises FigureError where all are tables, or none is called `view`.
    """
    pictures = {kind.key: kind for kind in views_of(result) if kind.key != "table"}
    if not pictures:
        message = Message("“{0}” has no picture: its result is a table of numbers.", name)
        raise FigureError(
            message, Message("Write the numbers: bertviz-app analyse {0} --out FILE.csv.", name)
        )
    if view in RETIRED and view not in pictures and "picture" in pictures:
        view = "picture"  # scripts name the views of older versions
    if view and view not in pictures:
        message = Message("“{0}” cannot be drawn as “{1}”.", name, view)
        raise FigureError(message, Message("There are: {0}.", ", ".join(pictures)))
    first = "matrix" if "matrix" in pictures else next(iter(pictures))
    return pictures[view or first]


def check_part(result: Result, part: str) -> None:
    """Raise SelectionError where a result has no picture called `part`; "" is the first."""
    pictures = result.pictures()
    keys = [picture.key for picture in pictures]
    named = picture_named(pictures, part)
    if part and (named is None or part not in {named.key, *named.labels_beside}):
        message = Message("This result has no picture “{0}”.", part)
        hint = (
            Message("There are: {0}.", ", ".join(keys))
            if len(keys) > 1
            else Message("It has one picture alone.")
        )
        raise SelectionError(message, hint)


def check_head(result: Result, choice: FigureChoice) -> None:
    """Raise SelectionError for a layer or a head that a result of a study has no picture of."""
    given = {
        "layer": (choice.layer, Message("This result has no layer {0}.", choice.layer)),
        "head": (choice.head, Message("This result has no head {0}.", choice.head)),
    }
    drawn = picture_named(result.pictures(), choice.part)
    for axis in () if drawn is None else drawn.menus:
        index, message = given.get(axis.name, (None, Message("")))
        if index is not None and not 0 <= index < len(axis):
            raise SelectionError(message, Message("Give one from {0} to {1}.", 0, len(axis) - 1))


def put_settings(app_state: AppState, settings: Settings) -> None:
    """Set what `settings` name of `DrawOptions` and `OverviewChoice`. Raises SelectionError."""
    parts = {field.name: "overview" for field in fields(OverviewChoice)}
    parts |= {field.name: "options" for field in fields(DrawOptions)}
    for name, text in settings:
        part = parts.get(name)
        if part is None:
            known = ", ".join(sorted(parts))
            raise SelectionError(f"There is no setting “{name}”.", f"There are: {known}.")
        try:
            before = getattr(app_state.store.now, part)
            value: Any = replace(before, **{name: _value(getattr(before, name), name, text)})
            app_state.store.change(**{part: value})
        except ValueError as error:
            raise SelectionError(f"“{name}={text}” cannot be: {error}.", "Give it another value.") from error


def analysis_and_rest(key: str, settings: Settings, part: str) -> tuple[Content, Settings]:
    """Return an analysis with those of the `settings` that are its parameters, and the other settings.

    Raises AnalysisError for an unknown key, and for a parameter that cannot be.
    """
    analysis = find_analysis(key)
    known = parameters_of(analysis.parameters)
    names = {one.name for one in known}
    own = dict(one for one in settings if one[0] in names)
    read = vars(read_parameters(analysis.parameters, own))
    parameters = tuple((one.name, read[one.name]) for one in known if read[one.name] != one.default)
    return Content(key, parameters, part), tuple(one for one in settings if one[0] not in names)


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
