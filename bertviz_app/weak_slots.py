"""`slot_of`: a slot with arguments of its own that does not keep its object in memory."""

from __future__ import annotations

from collections.abc import Callable
from weakref import WeakMethod


def slot_of(method: Callable[..., object], *first: object) -> Callable[..., None]:
    """Return what calls `method(*first, *arguments)` as long as the object of the bound `method` lives.

    For signals of objects that live as long as the receiver, or longer. What is connected to a signal lives
    as long as the sender. Where a lambda or a `partial` leads back to its sender, both stay for good: the
    reference from the sender goes through Qt, where Python's garbage collection does not see it.
    """
    found = WeakMethod(method)

    def call(*arguments: object) -> None:
        living = found()
        if living is not None:
            living(*first, *arguments)

    return call
