"""`typed_number`: the number that a learner or a teacher has typed."""

from __future__ import annotations

import re

_WITH_THOUSANDS = re.compile(r"-?[1-9]\d{0,2}(,\d{3})+(\.\d+)?")


def typed_number(text: str) -> float | None:
    """Return the number in `text`, None for anything else, for one that is infinite, and for none at all.

    The comma of "1,024" parts thousands, as lessons write them; that of "0,25" is the decimal one.
    """
    plain = text.strip().replace("−", "-")
    plain = plain.replace(",", "" if _WITH_THOUSANDS.fullmatch(plain) else ".")
    try:
        number = float(plain)
    except ValueError:
        return None
    return number if abs(number) < float("inf") else None
