"""`facts_of`: what belongs to the numbers of a result and stands in none of its arrays."""

from __future__ import annotations

from bertviz_app.analysis.results import Result

_WRITTEN_ELSEWHERE = {"identity_error", "main", "quantity"}


def facts_of(result: Result) -> dict[str, str | int | float]:
    """Return the single numbers and words of a result by name, for a file.

    Such as the outcome from which changes are differences, or the token and the piece whose logit is added
    up: an analysis may have chosen them itself. "nan" stands for nan, which JSON does not have.
    """
    found = {name: getattr(result, name) for name in getattr(result, "__dataclass_fields__", {})}
    own = {
        name: value
        for name, value in found.items()
        if name not in _WRITTEN_ELSEWHERE and isinstance(value, str | int | float)
    }
    own |= dict(found.get("facts", {}))
    return {name: "nan" if value != value else value for name, value in own.items()}
