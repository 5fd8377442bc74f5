"""`slot_of`: a slot with arguments of its own that does not keep its object in memory."""

from __future__ import annotations

from collections.abc import Callable
from types import MethodType
from weakref import WeakMethod

from shiboken6 import isValid


def slot_of(method: Callable[..., object], *first: object) -> Callable[..., None]:
    """Return what calls `method(*first, *arguments)` as long as the object of the bound `method` lives.

    For signals of objects that live as long as the receiver, or longer. What is connected to a signal lives
    as long as the sender. Where a lambda or a `partial` leads back to its sender, both stay for good: the
    reference from the sender goes through Qt, where Python's garbage collector does not see it. A widget
    that Qt has deleted is not called, though Python still holds it, until its next collection or longer.
    """
    found = WeakMethod(method)

    def call(*arguments: object) -> None:
        living = found()
        if isinstance(living, MethodType) and isValid(living.__self__):
            living(*first, *arguments)

    return call
