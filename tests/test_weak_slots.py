"""A slot of `slot_of` passes on what a signal has, and keeps neither receiver nor sender in memory."""

from __future__ import annotations

import gc
from weakref import ref

import pytest
from PySide6.QtCore import QObject, Signal

from bertviz_app.weak_slots import slot_of


class Sender(QObject):
    changed = Signal(int)


class Receiver(QObject):
    """Listens to a sender that it has, as view models do."""

    def __init__(self, *, is_weak: bool) -> None:
        super().__init__()
        self.sender_of_numbers = Sender()
        self.received: list[tuple[str, int]] = []
        slot = slot_of(self.receive, "a") if is_weak else lambda number: self.receive("a", number)
        self.sender_of_numbers.changed.connect(slot)

    def receive(self, name: str, number: int) -> None:
        self.received.append((name, number))


def test_its_own_arguments_come_before_those_of_the_signal() -> None:
    receiver = Receiver(is_weak=True)
    receiver.sender_of_numbers.changed.emit(3)
    assert receiver.received == [("a", 3)]


@pytest.mark.parametrize("is_weak", [True, False])
def test_a_receiver_that_has_its_sender_is_freed_where_a_lambda_would_hold_it(is_weak: bool) -> None:
    receiver = Receiver(is_weak=is_weak)
    sender, found = receiver.sender_of_numbers, ref(receiver)
    del receiver
    gc.collect()
    assert (found() is None) is is_weak
    sender.changed.emit(3)  # nobody is called, and nothing fails
    sender.changed.disconnect()


def test_a_receiver_and_its_sender_are_freed_together() -> None:
    receiver = Receiver(is_weak=True)
    found = ref(receiver), ref(receiver.sender_of_numbers)
    del receiver
    gc.collect()
    assert [one() for one in found] == [None, None]
