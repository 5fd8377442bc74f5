"""Jobs: their turns, their notices, and models warmed up before them."""

from __future__ import annotations

import logging
import os
import queue
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from bertviz_app.errors import Check, TextError
from bertviz_app.inference.engine import Turns, notices
from bertviz_app.inference.jobs import JobOutcome, Jobs, WorkerError
from tests.support.fakes import FACTS, tokens_of

LIMIT = 60.0  # seconds after which a test gives up, on a machine however busy; none comes near it


class Gate:
    """Work that says when it has begun, and goes on, checking, when it is let."""

    def __init__(self, value: str = "gate") -> None:
        self.begun = threading.Event()
        self._may_go_on = threading.Event()
        self.is_through = False
        self._value = value

    def __call__(self, check: Check) -> str:
        self.begun.set()
        assert self._may_go_on.wait(LIMIT)
        check()
        self.is_through = True
        return self._value

    def wait_until_begun(self) -> None:
        assert self.begun.wait(LIMIT)

    def open(self) -> None:
        self._may_go_on.set()


class Ends:
    """The outcomes that were told, in their order."""

    def __init__(self) -> None:
        self._outcomes: queue.Queue[tuple[str, JobOutcome]] = queue.Queue()

    def of(self, name: str) -> Callable[[JobOutcome], None]:
        return lambda outcome: self._outcomes.put((name, outcome))

    def next(self) -> tuple[str, JobOutcome]:
        return self._outcomes.get(timeout=LIMIT)

    @property
    def is_empty(self) -> bool:
        return self._outcomes.empty()


@pytest.fixture
def jobs() -> Iterator[Jobs]:
    jobs = Jobs("under test")
    yield jobs
    jobs.close(LIMIT)


@pytest.fixture
def ends() -> Ends:
    return Ends()


@pytest.fixture
def gate(jobs: Jobs) -> Iterator[Gate]:
    """The started worker is busy behind this gate."""
    gate = Gate()
    jobs.start()
    jobs.submit("gate", gate, lambda outcome: None)
    gate.wait_until_begun()
    yield gate
    gate.open()


def _note(ran: list[str], text: str, check: Check) -> None:
    ran.append(text)


def _return(value: str) -> Callable[[Check], str]:
    return lambda check: value


def test_work_runs_on_the_named_thread_and_its_value_is_delivered(jobs: Jobs, ends: Ends) -> None:
    jobs.start()
    jobs.submit("encode", lambda check: threading.current_thread().name, ends.of("encode"))
    assert ends.next() == ("encode", JobOutcome(value="under test"))


def test_what_is_submitted_before_the_start_runs_after_it(jobs: Jobs, ends: Ends) -> None:
    jobs.submit("encode", _return("early"), ends.of("encode"))
    assert ends.is_empty
    jobs.start()
    assert ends.next()[1].value == "early"


def test_of_a_slot_that_waits_only_the_newest_runs(jobs: Jobs, ends: Ends, gate: Gate) -> None:
    ran: list[str] = []
    for text in ("a", "ab", "abc"):
        jobs.submit("encode", partial(_note, ran, text), ends.of(text))
    gate.open()
    assert ends.next()[0] == "abc"
    jobs.submit("after", _return(""), ends.of("after"))
    assert ends.next()[0] == "after"
    assert ran == ["abc"]


def test_running_work_stops_at_its_check_when_a_newer_request_comes(
    jobs: Jobs, ends: Ends, gate: Gate
) -> None:
    jobs.submit("gate", _return("newer"), ends.of("newer"))
    gate.open()
    assert ends.next()[0] == "newer"
    assert not gate.is_through


def test_a_newer_request_leaves_the_other_slots_in_their_order(jobs: Jobs, ends: Ends, gate: Gate) -> None:
    for slot in ("one", "two", "three", "one"):
        jobs.submit(slot, _return(slot), ends.of(slot))
    gate.open()
    assert [ends.next()[0] for _ in range(3)] == ["two", "three", "one"]


def test_a_slot_does_not_stop_the_work_of_another(jobs: Jobs, ends: Ends) -> None:
    gate = Gate("kept")
    jobs.start()
    jobs.submit("open", gate, ends.of("open"))
    gate.wait_until_begun()
    jobs.submit("encode", _return(""), ends.of("encode"))
    jobs.cancel("encode")
    gate.open()
    assert ends.next() == ("open", JobOutcome(value="kept"))


def test_cancelled_work_that_waits_does_not_run(jobs: Jobs, ends: Ends, gate: Gate) -> None:
    ran: list[str] = []
    jobs.submit("encode", lambda check: ran.append("encode"), ends.of("encode"))
    jobs.submit("after", _return(""), ends.of("after"))
    jobs.cancel("encode")
    gate.open()
    assert ends.next()[0] == "after"
    assert ran == []


class Panic(BaseException):
    """What a library written in Rust raises when it panics is no Exception."""


def test_a_panic_is_delivered_as_an_error_and_the_worker_continues(jobs: Jobs, ends: Ends) -> None:
    def panic(check: Check) -> None:
        raise Panic("index out of bounds")

    jobs.start()
    jobs.submit("encode", panic, ends.of("encode"))
    error = ends.next()[1].error
    assert isinstance(error, WorkerError)
    assert str(error) == "Panic: index out of bounds"
    assert isinstance(error.__cause__, Panic)
    jobs.submit("after", _return("still here"), ends.of("after"))
    assert ends.next()[1].value == "still here"


@pytest.mark.parametrize("ending", ["value", "error"])
def test_cancelled_work_that_never_checks_delivers_no_outcome(jobs: Jobs, ends: Ends, ending: str) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def work(check: Check) -> str:
        begun.set()
        assert go_on.wait(LIMIT)
        if ending == "error":
            raise ValueError("too late")
        return "too late"

    jobs.start()
    jobs.submit("encode", work, ends.of("encode"))
    assert begun.wait(LIMIT)
    jobs.cancel("encode")
    go_on.set()
    jobs.submit("after", _return(""), ends.of("after"))
    assert ends.next()[0] == "after"


def test_cancel_waits_for_an_outcome_that_is_being_delivered(jobs: Jobs) -> None:
    """The end is told and cancelled at the same moment: whichever comes first, `cancel` waits for it."""
    telling, may_go_on, is_sent = threading.Event(), threading.Event(), threading.Event()

    def done(outcome: JobOutcome) -> None:
        telling.set()
        assert may_go_on.wait(LIMIT)
        is_sent.set()

    def cancel() -> None:
        jobs.cancel("encode")
        after.append(is_sent.is_set())

    after: list[bool] = []
    jobs.start()
    jobs.submit("encode", _return(""), done)
    assert telling.wait(LIMIT)
    canceller = threading.Thread(target=cancel)
    canceller.start()
    may_go_on.set()
    canceller.join(LIMIT)
    assert after == [True]


@pytest.mark.parametrize("error", [TextError("The text is empty."), ValueError("a defect"), MemoryError()])
def test_an_error_is_delivered_and_the_worker_continues(jobs: Jobs, ends: Ends, error: Exception) -> None:
    def fail(check: Check) -> None:
        raise error

    jobs.start()
    jobs.submit("encode", fail, ends.of("encode"))
    assert ends.next() == ("encode", JobOutcome(error=error))
    jobs.submit("encode", _return("good"), ends.of("encode"))
    assert ends.next()[1].value == "good"


def test_a_listener_that_fails_does_not_end_the_worker(
    jobs: Jobs, ends: Ends, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(outcome: JobOutcome) -> None:
        raise RuntimeError("Internal C++ object already deleted.")

    jobs.start()
    with caplog.at_level(logging.CRITICAL):
        jobs.submit("encode", _return(""), fail)
        jobs.submit("after", _return("good"), ends.of("after"))
        assert ends.next()[1].value == "good"


def test_a_listener_may_submit_more(jobs: Jobs, ends: Ends) -> None:
    def more(outcome: JobOutcome) -> None:
        jobs.submit("encode", _return("second"), ends.of("second"))

    jobs.start()
    jobs.submit("encode", _return("first"), more)
    assert ends.next() == ("second", JobOutcome(value="second"))


def test_close_stops_running_work_and_ends_the_thread(jobs: Jobs, ends: Ends) -> None:
    begun = threading.Event()
    ran: list[str] = []

    def work(check: Check) -> None:
        begun.set()
        while True:
            check()

    jobs.start()
    jobs.submit("encode", work, ends.of("encode"))
    jobs.submit("waiting", partial(_note, ran, "waiting"), ends.of("waiting"))
    assert begun.wait(LIMIT)
    assert jobs.close(LIMIT)
    assert ends.is_empty
    assert ran == []


def test_close_returns_false_when_the_work_does_not_end_in_time(jobs: Jobs, gate: Gate) -> None:
    assert not jobs.close(timeout=0.01)
    gate.open()
    assert jobs.close(LIMIT)


def test_close_before_the_start_leaves_nothing_to_end() -> None:
    assert Jobs("never started").close()


class Large:
    """A value that notes when it is freed."""

    def __init__(self) -> None:
        self.freed = threading.Event()
        weakref.finalize(self, self.freed.set)


def test_a_worker_that_waits_keeps_nothing_of_its_last_job(jobs: Jobs) -> None:
    freed: queue.Queue[threading.Event] = queue.Queue()

    def deliver(outcome: JobOutcome) -> None:
        freed.put(outcome.value.freed)

    jobs.start()
    jobs.submit("encode", lambda check: Large(), deliver)
    assert freed.get(timeout=LIMIT).wait(LIMIT)


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


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        ("the cat sat", ()),
        ("the [UNK] sat", ("1 of 3 words is unknown to this model, which reads [UNK] instead.",)),
        ("[UNK] [UNK] [UNK]", ("3 of 3 words are unknown to this model, which reads [UNK] instead.",)),
    ],
)
def test_the_words_that_the_vocabulary_lacks_are_counted(pieces: str, expected: tuple[str, ...]) -> None:
    assert notices(tokens_of(pieces), FACTS, 512) == expected


def test_invisible_characters_that_the_tokenizer_drops_are_counted_and_named() -> None:
    tokens = replace(tokens_of("a b"), dropped="\x0c\0\x0c")
    (words,) = notices(tokens, FACTS, 512)
    assert words == ("3 invisible characters were dropped, as this model's tokenizer does: U+000C, U+0000.")
    (words,) = notices(replace(tokens, dropped="\u200b"), FACTS, 512)
    assert words == "1 invisible character was dropped, as this model's tokenizer does: U+200B."


def test_positions_that_were_hardly_trained_are_named() -> None:
    facts = replace(FACTS, n_trained_positions=5)
    assert notices(tokens_of("a b c"), facts, 512) == ()
    (words,) = notices(tokens_of("a b c d"), facts, 512)
    assert words == "Positions from 5 on were hardly trained: attention there is unreliable."


_TORCH = """
def get_num_threads(): return 1
def set_num_threads(number): pass
"""
_PROGRAM = """
import ctypes, sys, threading, time
from bertviz_app.inference.jobs import preload_torch
open_library, n_at_once, most = ctypes.CDLL, [0], [0]
def slow(name):
    n_at_once[0] += 1
    most[0] = max(most[0], n_at_once[0])
    time.sleep(0.2)
    n_at_once[0] -= 1
    return open_library(name)
ctypes.CDLL = slow
threads = [threading.Thread(target=preload_torch) for _ in range(3)]
for thread in threads: thread.start()
for thread in threads: thread.join()
sys.stdout.write(f"{most[0]} {'torch' in sys.modules}")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="libraries are opened beforehand on Linux alone")
def test_one_of_several_threads_opens_the_libraries(tmp_path: Path) -> None:
    assert _with_small_torch(_PROGRAM, tmp_path) == "1 True"


def _with_small_torch(program: str, folder: Path) -> str:
    """Return what `program` prints where a package of two functions is called torch."""
    package = folder / "torch"
    (package / "lib").mkdir(parents=True)
    (package / "__init__.py").write_text(_TORCH, encoding="utf-8")
    paths = os.pathsep.join([str(folder), *sys.path])
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"PYTHONPATH": paths},
    )
    return done.stdout
