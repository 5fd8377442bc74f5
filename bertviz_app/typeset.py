"""Numbers as they are written for people, with a minus sign that is as wide as a plus."""

from __future__ import annotations

import math
from typing import SupportsFloat

MINUS = "\N{MINUS SIGN}"
_DIGITS = ((100.0, 3), (1000.0, 2))


def fixed(value: float, digits: int = 4) -> str:
    """Return a number with `digits` decimals: "0.1250", "−1.5000", "−∞"; a rounded zero has no sign."""
    text = f"{value:.{digits}f}"
    return _typeset(text if text.strip("-0.") else text.lstrip("-"))


def exact(value: SupportsFloat) -> str:
    """Return a float32 in all its digits: the shortest text that is read as the same number."""
    return _typeset(str(value))


def trimmed(value: float, digits: int = 4) -> str:
    """Return a number with at most `digits` decimals, without zeros at its end."""
    text = fixed(value, digits)
    return text.rstrip("0").rstrip(".") if "." in text else text


def general(value: float) -> str:
    """Return a round number, as on an axis, in the fewest characters."""
    return _typeset(f"{value + 0.0:g}")


def signed(value: float, digits: int = 2) -> str:
    """Return a number with its sign, zero without one; two digits of what `digits` would make zero."""
    if not value or math.isnan(value):
        return "–" if value else "0"
    return _typeset(f"{value:+.1e}" if abs(value) < 0.5 * 10**-digits else f"{value:+.{digits}f}")


def probability(value: float) -> str:
    """Return a probability, or what a regression predicts, with four decimals; one digit of a smaller one."""
    return _typeset(f"{value:.0e}") if 0 < abs(value) < 1e-4 else fixed(value)


def magnitude(value: float, digits: int = 0) -> str:
    """Return a number by its power of ten, as of an error: "9e−07"."""
    return _typeset(f"{value:.{digits}e}")


def cell_number(value: float) -> str:
    """Return any number in a cell: three decimals, fewer of large ones."""
    digits = next((digits for bound, digits in _DIGITS if abs(value) < bound), 0)
    return fixed(value, 0 if math.isinf(value) else digits)


def cell_weight(weight: float) -> str:
    """Return an attention weight in a cell: two decimals; a small one is not called zero."""
    return fixed(weight, 2) if weight >= 0.005 or weight == 0 else "<.01"


def cell_difference(difference: float) -> str:
    """Return a difference of weights in a cell: its sign and two decimals, or "0"."""
    return "0" if abs(difference) < 0.005 else signed(difference)


def cell_change(difference: float) -> str:
    """Return a difference of weights as briefly as `cell_measure` does a measure: "+.12"."""
    return cell_difference(difference).replace("0.", ".", 1)


def cell_measure(value: float) -> str:
    """Return a measure of a head in as few characters as tell heads apart: ".52", "1.8", "12"."""
    if value < 0.995:
        return fixed(value, 2).removeprefix("0")
    return fixed(value, 1 if value < 99.5 else 0)


def byte_count(count: int) -> str:
    """Return a number of bytes: "2.1 MB", "14 kB"."""
    for unit, size in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if count >= size:
            return f"{count / size:.{0 if count >= 10 * size else 1}f} {unit}"
    return f"{count} B"


def _typeset(text: str) -> str:
    return text.replace("-", MINUS).replace("inf", "∞").replace("nan", "–")
