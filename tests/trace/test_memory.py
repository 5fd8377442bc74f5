"""Memory of earlier traces is used again, and never while an array refers to it."""

from __future__ import annotations

import gc
import weakref
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from bertviz_app.encoder.recorder import record
from bertviz_app.text import Tokens
from bertviz_app.trace import memory as trace_memory
from bertviz_app.trace.memory import TraceMemory
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
    gc.collect()
    (second,) = memory.arrays([(1000,)])
    assert second.ctypes.data != address, "a view still refers to the first"
    del row
    gc.collect()
    (third,) = memory.arrays([(900,)])
    assert third.ctypes.data == address


def test_a_block_much_too_large_is_not_used_for_little() -> None:
    memory = TraceMemory()
    assert memory.arrays([(10_000,)])[0].ctypes.data
    assert owner_of(memory.arrays([(100,)])[0]).nbytes < 1000


def test_large_blocks_are_not_held(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trace_memory, "MOST_BYTES", 2000)
    memory = TraceMemory()
    (large,) = memory.arrays([(1000,)])
    lent = weakref.ref(owner_of(large).base)
    del large
    gc.collect()
    assert lent() is None
    assert memory.arrays([(100,)])[0].nbytes == 400
    assert owner_of(memory.arrays([(200,)])[0]).nbytes < 2000, "not the large block"


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


def _tokens(n_tokens: int, first: int) -> Tokens:
    return replace(make_tokens(n_tokens), ids=np.arange(first, first + n_tokens, dtype=np.int32))
