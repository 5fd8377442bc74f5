"""Memory of earlier traces is used again, and never while an array refers to it."""

from __future__ import annotations

import pickle
import time
import warnings
import weakref
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from bertviz_app.encoder.recorder import record
from bertviz_app.errors import Cancelled
from bertviz_app.text import Tokens
from bertviz_app.trace import memory as trace_memory
from bertviz_app.trace.memory import TraceMemory
from bertviz_app.types import Floats
from tests.support.encoder_sizes import small_encoder
from tests.support.factories import make_tokens


def test_the_arrays_have_the_shapes_and_do_not_overlap() -> None:
    shapes = ((2, 3), (4,), (1, 5, 2))
    arrays = TraceMemory().arrays(shapes)
    assert tuple(array.shape for array in arrays) == shapes
    for number, array in enumerate(arrays):
        array[...] = number
    assert [set(array.reshape(-1).tolist()) for array in arrays] == [{0.0}, {1.0}, {2.0}]
    assert all(array.dtype == np.float32 and array.flags.c_contiguous for array in arrays)


def test_memory_is_used_again_once_nothing_refers_to_it() -> None:
    memory = TraceMemory()
    (first,) = memory.arrays([(1000,)])
    address, row = first.ctypes.data, first[:10][::2]
    del first
    (second,) = memory.arrays([(1000,)])
    assert second.ctypes.data != address, "a view still refers to the first"
    del row
    (third,) = memory.arrays([(900,)])
    assert third.ctypes.data == address


def test_a_block_much_too_large_is_not_used_for_little() -> None:
    memory = TraceMemory()
    assert memory.arrays([(1000,)])[0].ctypes.data
    assert owner_of(memory.arrays([(100,)])[0]).nbytes < 1000


def test_large_blocks_are_not_held(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trace_memory, "MOST_BYTES", 2000)
    memory = TraceMemory()
    (large,) = memory.arrays([(1000,)])
    lent = weakref.ref(owner_of(large).base)
    del large
    assert lent() is None
    assert memory.arrays([(100,)])[0].nbytes == 400
    assert owner_of(memory.arrays([(200,)])[0]).nbytes < 2000, "not the large block"


def test_the_smallest_unused_block_that_fits_is_taken() -> None:
    memory = TraceMemory()
    small, large = (memory.arrays([(n_numbers,)])[0] for n_numbers in (1000, 1900))
    addresses = [small.ctypes.data, large.ctypes.data]
    del small, large
    again = [memory.arrays([(n_numbers,)])[0] for n_numbers in (1000, 1900)]
    assert [array.ctypes.data for array in again] == addresses


def test_a_block_that_three_later_traces_had_no_use_for_goes_back() -> None:
    memory = TraceMemory()
    (large,) = memory.arrays([(100_000,)])
    block = weakref.ref(vars(owner_of(large).base)["_block"])
    del large
    is_held = []
    for _ in range(4):
        little = memory.arrays([(10,)])
        is_held.append(block() is not None)
        del little  # its own block is unused then, and fits the next
    assert is_held == [True, True, False, False]


def test_two_blocks_at_most_are_held_unused() -> None:
    memory = TraceMemory()
    arrays = [memory.arrays([(1000,)])[0] for _ in range(4)]
    owners = [owner_of(array).base for array in arrays]
    addresses = {array.ctypes.data for array in arrays}
    blocks = [weakref.ref(vars(owner)["_block"]) for owner in owners]
    assert len(addresses) == 4
    del arrays, owners
    assert sum(block() is not None for block in blocks) == 2


def owner_of(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return the array of all bytes of the block that `array` is in."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def test_a_trace_keeps_its_numbers_while_later_ones_are_made() -> None:
    encoder, memory = small_encoder(), TraceMemory()
    texts = [_tokens(n_tokens, first) for n_tokens, first in ((7, 0), (7, 20), (9, 10))]
    traces = [record(encoder, tokens, "small", memory=memory) for tokens in texts]
    expected = [record(encoder, tokens, "small") for tokens in texts]
    for trace, alone in zip(traces, expected, strict=True):
        np.testing.assert_array_equal(trace.queries, alone.queries)
        np.testing.assert_array_equal(trace.hidden, alone.hidden)
        np.testing.assert_array_equal(trace.lse, alone.lse)


_HOLDERS: dict[str, Callable[[Floats], object]] = {
    "a slice": lambda hidden: hidden[1],
    "every second row, turned": lambda hidden: hidden[1:, ::-2].T,
    "one row of a view of bytes": lambda hidden: hidden[0].view(np.uint8)[2:3],
    "a memoryview": lambda hidden: hidden.data[1:],
    "an array of a memoryview": lambda hidden: np.frombuffer(hidden.data, np.float32),
    "a tensor": lambda hidden: _as_tensor(hidden)[1],
    "an iterator": lambda hidden: np.nditer(hidden),
    "a copy by pickle": lambda hidden: pickle.loads(pickle.dumps(hidden[1:])),
}
"""What a user may hold of an array of a trace when the trace is no longer referred to."""


@pytest.mark.parametrize("name", _HOLDERS)
def test_a_part_of_a_trace_that_is_dropped_stays_while_later_traces_are_made(name: str) -> None:
    encoder, memory = small_encoder(), TraceMemory()
    trace = record(encoder, _tokens(9, 0), "small", memory=memory)
    address, held = trace.hidden.ctypes.data, _HOLDERS[name](trace.hidden)
    before = _numbers(held)
    del trace
    others = [record(encoder, _tokens(9, first), "small", memory=memory).hidden for first in (10, 20, 30)]
    others += [record(encoder, _tokens(9, first), "small", memory=memory).hidden for first in (3, 5)]
    np.testing.assert_array_equal(_numbers(held), before)
    is_own = name == "a copy by pickle"
    assert any(other.ctypes.data == address for other in others) == is_own
    del held
    last = record(encoder, _tokens(9, 0), "small", memory=memory)
    assert is_own or last.hidden.ctypes.data == address, "what is no longer held is used again"


def _as_tensor(array: Floats) -> torch.Tensor:
    with warnings.catch_warnings(action="ignore"):  # it may be written to through the tensor
        return torch.from_numpy(array)


def _numbers(held: object) -> NDArray[Any]:
    if isinstance(held, np.nditer):
        held = held.operands[0]
    if isinstance(held, torch.Tensor):
        held = held.numpy()
    return np.array(held)


def test_memory_of_a_pass_that_is_cancelled_is_used_again_and_changes_no_earlier_trace() -> None:
    encoder, memory = small_encoder(), TraceMemory()
    trace = record(encoder, _tokens(9, 0), "small", memory=memory)
    hidden = trace.hidden.copy()

    def cancel() -> None:
        raise Cancelled

    for _ in range(3):
        with pytest.raises(Cancelled):
            record(encoder, _tokens(9, 10), "small", check=cancel, memory=memory)
    again = record(encoder, _tokens(9, 0), "small", memory=memory)
    np.testing.assert_array_equal(trace.hidden, hidden)
    np.testing.assert_array_equal(again.hidden, hidden)


def test_threads_never_lend_one_block_twice() -> None:
    memory, errors = TraceMemory(), list[int]()

    def borrow(number: int) -> None:
        for _ in range(300):
            (array,) = memory.arrays([(200,)])
            array[:] = number
            time.sleep(0)
            if not (array == number).all():
                errors.append(number)
            del array

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(borrow, range(4)))
    assert errors == []


def _tokens(n_tokens: int, first: int) -> Tokens:
    return replace(make_tokens(n_tokens), ids=np.arange(first, first + n_tokens, dtype=np.int32))
