"""Turns: an urgent caller gets the lock before a patient one that acquires it again and again."""

from __future__ import annotations

import threading
from contextlib import suppress

from bertviz_app.inference.engine import Turns

LIMIT = 60.0  # seconds after which a test gives up, on a machine however busy; none comes near it


def test_between_two_patient_turns_an_urgent_caller_comes_first() -> None:
    turns, order, waits = Turns(), list[str](), threading.Event()

    def hurry() -> None:
        with turns.urgent():
            order.append("typing")

    thread = threading.Thread(target=hurry)
    with turns.patient():
        order.append("pass 1")
        thread.start()
        while not turns.is_awaited:
            waits.wait(0.001)
    with turns.patient():
        order.append("pass 2")
    thread.join(LIMIT)
    assert order == ["pass 1", "typing", "pass 2"]


def test_one_at_a_time_and_the_next_after_an_error() -> None:
    turns, inside = Turns(), list[int]()

    def enter(number: int) -> None:
        turn = turns.urgent() if number % 2 else turns.patient()
        with suppress(ZeroDivisionError), turn:
            inside.append(number)
            assert len(inside) == 1
            inside.remove(number)
            raise ZeroDivisionError

    threads = [threading.Thread(target=enter, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LIMIT)
        assert not thread.is_alive()


def test_a_thread_may_enter_again() -> None:
    turns = Turns()
    with turns.patient(), turns.urgent(), turns.patient():
        assert not turns.is_awaited
